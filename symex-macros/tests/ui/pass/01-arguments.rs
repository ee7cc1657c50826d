#![forbid(unsafe_code)]
#![deny(warnings)]

#[symex::harness]
fn nothing() {}

#[symex::harness]
fn values(_a: u8, mut b: [u16; 3], (_c, _d): (bool, char), _: Option<f64>) {
    b[0] = 1;
    let _ = b;
}

#[symex::harness]
fn borrows<'a>(_a: &'a [u8], _b: &mut [u32], _c: &str, _d: &u8, _e: &mut String, _f: &'static str) {}

#[symex::harness]
fn fails(_a: u8) -> Result<(), String> {
    Ok(())
}

#[symex::harness(bound = 3)]
fn attributes(
    #[symex(range = 1..=12)] _a: u8,
    #[symex(bound = 8)] _b: &mut [u8],
    #[symex(with = String::from("text"), assume = |text: &str| !text.is_empty())] _c: &str,
    #[symex(assume = u8::is_ascii_digit)] _d: &u8,
) {
}

fn main() {
    attributes(0, &mut [], "", &0);
    nothing();
    values(1, [0; 3], (true, 'x'), None);
    borrows(&[], &mut [], "", &1, &mut String::new(), "");
    fails(1).unwrap();
}
