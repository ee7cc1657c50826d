//! Drawing by the runtime, which all generators do alike.

use std::ffi::CStr;

use symex::{Cx, Symbolic};

use crate::lengths::LENGTHS;

/// What is drawn next: its name, and the largest length of collections and texts.
pub struct Drawing {
    name: &'static CStr,
    lengths: u64,
    /// The size that was asked for.
    #[cfg(before_1)]
    size: u64,
    /// How many numbers have been drawn.
    #[cfg(before_1)]
    numbers: u32,
}

impl Drawing {
    /// Draws lengths up to `size`, and up to the bound that holds for all.
    pub(crate) fn new(size: usize) -> Drawing {
        Drawing {
            name: c"value",
            lengths: (size as u64).min(LENGTHS),
            #[cfg(before_1)]
            size: size as u64,
            #[cfg(before_1)]
            numbers: 0,
        }
    }

    /// Returns the largest length of what is drawn. That it is smaller than quickcheck's is said in
    /// the verdict.
    pub(crate) fn size(&self) -> usize {
        symex::__rt::assumed(
            c"the size of quickcheck's generator is small (QUICKCHECK_GENERATOR_SIZE raises it)",
        );
        self.lengths as usize
    }

    /// Names what is drawn from now on.
    pub(crate) fn name(&mut self, name: &'static CStr) {
        self.name = name;
    }

    /// Returns what draws.
    pub(crate) fn cx(&self) -> Cx {
        Cx::new(self.name, self.lengths)
    }
}

#[cfg(before_1)]
impl Drawing {
    /// Largest count of numbers that a generator draws. Programs reject some, and draw others, for
    /// as long as they like.
    const MOST_NUMBERS: u32 = 64;

    /// Returns the size that was asked for.
    pub(crate) fn magnitude(&self) -> u64 {
        self.size
    }

    /// Draws a number, as generators of numbers do.
    pub(crate) fn number<T: Symbolic>(&mut self) -> T {
        self.numbers += 1;
        if self.numbers > Self::MOST_NUMBERS {
            symex::__rt::cut(c"numbers of a generator <= 64");
        }
        T::any(&mut self.cx())
    }
}

/// A generator, as the library uses it itself.
pub trait Draw {
    /// Names what is drawn from now on.
    fn name(&mut self, name: &'static CStr);

    /// Returns the size that it was made with, which numbers are smaller than.
    #[cfg(before_1)]
    fn magnitude(&self) -> u64;

    /// Returns what draws.
    fn cx(&self) -> Cx;

    /// Draws a value.
    fn draw<T: Symbolic>(&mut self) -> T {
        T::any(&mut self.cx())
    }

    /// Draws a length.
    fn length(&mut self) -> usize {
        self.cx().length()
    }

    /// Draws a number from 0 to `last`.
    fn up_to(&mut self, last: u64) -> u64 {
        self.cx().range(0, last)
    }
}
