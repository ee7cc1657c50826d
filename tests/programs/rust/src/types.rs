//! Arguments of every kind.

use std::num::NonZero;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, symex::Symbolic)]
struct Point<T> {
    x: T,
    y: T,
}

#[derive(Clone, Debug, symex::Symbolic)]
struct Header {
    kind: u8,
    flags: (bool, bool),
    origin: Option<Point<i16>>,
}

// expect: bug panic
#[symex::harness]
fn derived_structs(h: Header) {
    if let Some(p) = &h.origin {
        assert!(!(h.kind == 7 && h.flags.0 && p.x == 300 && p.y == -300));
    }
}

// expect: pass-complete
#[symex::harness]
fn invariants_of_types(n: NonZero<u8>, c: char, b: bool, o: Option<bool>, d: Duration) {
    assert!(n.get() != 0);
    assert!((c as u32) < 0x11_0000 && !(0xd800..0xe000).contains(&(c as u32)));
    assert!(b as u8 <= 1);
    assert!(o != Some(true) || o.is_some());
    assert!(d.subsec_nanos() < 1_000_000_000);
}

// expect: bug panic
#[symex::harness]
fn borrowed_slices(s: &[u16], t: &str) {
    assert!(!(s.len() == 2 && s[1] == 500 && t == "hi"));
}

// expect: pass-complete
#[symex::harness]
fn tuples_and_arrays(p: (u8, [u16; 2]), q: [[bool; 2]; 2]) {
    let n = q.iter().flatten().filter(|b| **b).count();
    assert!(n <= 4);
    assert!(p.1.len() == 2 && p.0 as u32 <= 255);
}

/// A date that is drawn by an expression.
fn day_of_a_month() -> (u8, u8) {
    let month = symex::any_in(1..=12_u8);
    (symex::any_in(1..=28_u8), month)
}

// expect: pass-complete paths 1
#[symex::harness]
fn arguments_with_attributes(
    #[symex(range = 1..=12)] month: u8,
    #[symex(range = 'a'..='f')] digit: &mut char,
    #[symex(assume = |n: &u32| n % 2 == 0)] even: u32,
    #[symex(range = 0..100_u16, assume = |n| n % 10 != 3)] both: u16,
    #[symex(with = day_of_a_month())] (day, of): (u8, u8),
) {
    assert!((1..=12).contains(&month) & digit.is_ascii_hexdigit());
    assert!((even & 1 == 0) & (both < 100) & (both % 10 != 3));
    assert!((1..=28).contains(&day) & (1..=12).contains(&of));
}

// expect: bug panic
#[symex::harness]
fn bounds_of_arguments(
    #[symex(bound = 6, assume = |list: &[u8]| list.is_sorted())] list: &[u8],
    #[symex(bound = 2)] text: &str,
    #[symex(with = vec![symex::any::<u8>(), 7])] pair: &mut [u8],
) {
    assert!(text.len() <= 2 && pair[1] == 7);
    pair[1] = 8;
    assert!(!(list.len() == 6 && list[0] == 9 && list[5] == pair[0]));
}

/// Where something begins and ends, with a part that `None` leaves undefined.
struct Span {
    start: u16,
    end: Option<u16>,
    marked: bool,
}

/// Returns the result in one register, with undefined bits in its middle.
#[inline(never)]
fn span(bytes: &[u8]) -> Result<Span, Kind> {
    let (mut start, mut end, mut marked) = (0, None, false);
    for (i, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' => start = i as u16,
            b')' => {
                end = Some(i as u16);
                break;
            }
            b'!' => marked = true,
            0 => return Err(Kind::Zero),
            _ => {}
        }
    }
    Ok(Span { start, end, marked })
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Zero,
}

fn length(bytes: &[u8]) -> Result<(u16, bool), Kind> {
    let Span { start, end, marked } = span(bytes)?;
    let mut length = bytes.len() as u16 - start;
    if let Some(end) = end {
        length = end.saturating_sub(start);
    }
    Ok((length, marked))
}

// expect: pass-complete
#[symex::harness]
fn a_result_with_undefined_bits_in_a_register(bytes: [u8; 3]) {
    match length(&bytes) {
        Ok((length, marked)) => assert!(length <= 3 && (!marked || bytes.contains(&b'!'))),
        Err(kind) => assert_eq!((kind, bytes.contains(&0)), (Kind::Zero, true)),
    }
}
