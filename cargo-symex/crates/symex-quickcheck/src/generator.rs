//! The generator, by which arguments are drawn.

use std::ffi::CStr;

use symex::{Cx, Symbolic};

/// Largest length of collections and texts. quickcheck draws up to 100; each length is a path of
/// its own in many programs.
const LENGTHS: u64 = match option_env!("QUICKCHECK_GENERATOR_SIZE") {
    Some(text) => number(text),
    None => symex::DEFAULT_BOUND,
};

/// Reads the decimal digits of a number.
const fn number(text: &str) -> u64 {
    let (digits, mut at, mut number) = (text.as_bytes(), 0, 0);
    while at < digits.len() {
        assert!(
            digits[at].is_ascii_digit(),
            "QUICKCHECK_GENERATOR_SIZE is not a number"
        );
        number = number * 10 + (digits[at] - b'0') as u64;
        at += 1;
    }
    number
}

/// The generator that values are drawn by: it gives all values at once.
pub struct Gen {
    name: &'static CStr,
    lengths: u64,
}

impl Gen {
    /// Makes a generator of lengths up to `size`, and up to the bound that holds for all.
    pub fn new(size: usize) -> Gen {
        Gen {
            name: c"value",
            lengths: (size as u64).min(LENGTHS),
        }
    }

    /// Makes a generator of lengths up to `size`; all seeds are the same.
    pub fn from_size_and_seed(size: usize, _seed: u64) -> Gen {
        Gen::new(size)
    }

    /// Returns the largest length of what is drawn. That it is smaller than quickcheck's is said in
    /// the verdict.
    pub fn size(&self) -> usize {
        symex::__rt::assumed(c"the size of quickcheck's generator is that of `cargo symex`");
        self.lengths as usize
    }

    /// Draws one of the elements of a slice.
    pub fn choose<'a, T>(&mut self, slice: &'a [T]) -> Option<&'a T> {
        let last = slice.len().checked_sub(1)?;
        slice.get(self.cx().range(0, last as u64) as usize)
    }

    /// Names what is drawn from now on.
    pub(crate) fn name(&mut self, name: &'static CStr) {
        self.name = name;
    }

    /// Draws a value.
    pub(crate) fn draw<T: Symbolic>(&mut self) -> T {
        T::any(&mut self.cx())
    }

    /// Draws a length.
    pub(crate) fn length(&mut self) -> usize {
        self.cx().length()
    }

    fn cx(&self) -> Cx {
        Cx::new(self.name, self.lengths)
    }
}
