//! Values that the crate `arbitrary` makes out of bytes.

use arbitrary::{Arbitrary, Unstructured};

#[derive(Debug, Arbitrary)]
struct Pixel {
    at: (u16, u16),
    shade: Option<u8>,
    is_set: bool,
}

#[derive(Debug, Arbitrary)]
enum Step<'a> {
    Push(u8),
    Pop,
    Name(&'a str),
}

// expect: pass-complete
#[symex::harness]
fn a_value_of_known_size(pixel: Pixel) {
    symex::cover!(
        pixel.at == (300, 65535) && pixel.shade == Some(255),
        "all is reached"
    );
    assert!(u32::from(pixel.at.0) + u32::from(pixel.is_set) <= 0x1_0000);
}

// expect: bug panic
#[symex::harness]
fn a_value_is_found(pixel: &Pixel) {
    assert!(!(pixel.at == (300, 7) && pixel.shade == Some(9) && pixel.is_set));
}

// expect: bug panic
#[symex::harness(bound = 2)]
fn a_value_that_borrows(step: Step<'_>, count: u8) {
    match step {
        Step::Name(name) => assert!(name != "ab" || count != 3),
        Step::Push(value) => assert!(u16::from(value) < 256),
        Step::Pop => {}
    }
}

// expect: bug panic
#[symex::harness(bound = 3)]
fn a_list_of_values(steps: &mut [Step]) {
    let pushed = steps.iter().filter(|step| matches!(step, Step::Push(7)));
    assert!(pushed.count() < 2);
}

// expect: pass-bounded
#[symex::harness(bound = 1)]
fn the_length_of_the_bytes_is_a_bound(text: symex::Arbitrary<String>) {
    assert!(text.0.len() <= 4);
}

/// A type whose hint is wrong: it may take three bytes.
#[derive(Debug)]
struct Liar(u16, u8);

impl<'a> Arbitrary<'a> for Liar {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let first = bytes.arbitrary()?;
        let second = if first > 300 { bytes.arbitrary()? } else { 0 };
        Ok(Liar(first, second))
    }

    fn size_hint(_: usize) -> (usize, Option<usize>) {
        (2, Some(2))
    }
}

// expect: pass-bounded
#[symex::harness]
fn a_wrong_hint_is_a_bound(liar: Liar) {
    assert!(liar.0 > 300 || liar.1 == 0);
}

/// A type that refuses most bytes.
#[derive(Debug)]
struct Even(u8);

impl<'a> Arbitrary<'a> for Even {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        match bytes.arbitrary::<u8>()? {
            value if value % 2 == 0 => Ok(Even(value)),
            _ => Err(arbitrary::Error::IncorrectFormat),
        }
    }

    fn size_hint(_: usize) -> (usize, Option<usize>) {
        (1, Some(1))
    }
}

// expect: pass-complete
#[symex::harness]
fn what_is_refused_is_none_of_the_inputs(even: Even) {
    assert!(even.0 != 3);
}
