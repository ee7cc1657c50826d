//! The generator of quickcheck since version 1, by which arguments are drawn.

use std::ffi::CStr;

use symex::Cx;

use crate::drawing::{Draw, Drawing};

/// Writes the function by which a type is drawn.
macro_rules! arbitrary {
    ($g:ident => $draw:expr) => {
        fn arbitrary($g: &mut Gen) -> Self {
            $draw
        }
    };
}

/// Writes the function by which a property is checked.
macro_rules! result {
    ($this:ident, $g:pat => $result:expr) => {
        fn result(&$this, $g: &mut Gen) -> TestResult {
            $result
        }
    };
}

/// Implements methods of the settings of a check.
macro_rules! settings {
    ($($methods:tt)*) => {
        impl QuickCheck<Gen> {
            $($methods)*

            /// Draws by this generator.
            pub fn rng(self, generator: Gen) -> Self {
                QuickCheck { generator, ..self }
            }

            /// Draws by this generator.
            pub fn r#gen(self, generator: Gen) -> Self {
                self.rng(generator)
            }
        }
    };
}

/// The generator of a check that names none.
pub(crate) type UsualGen = Gen;

/// The generator that values are drawn by: it gives all values at once.
pub struct Gen(Drawing);

impl Gen {
    /// Makes a generator of lengths up to `size`, and up to the bound that holds for all.
    pub fn new(size: usize) -> Gen {
        Gen(Drawing::new(size))
    }

    /// Makes a generator of lengths up to `size`; all seeds are the same.
    pub fn from_size_and_seed(size: usize, _seed: u64) -> Gen {
        Gen::new(size)
    }

    /// Returns the largest length of what is drawn. That it is smaller than quickcheck's is said in
    /// the verdict.
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// Draws one of the elements of a slice.
    pub fn choose<'a, T>(&mut self, slice: &'a [T]) -> Option<&'a T> {
        let last = slice.len().checked_sub(1)?;
        slice.get(self.up_to(last as u64) as usize)
    }
}

impl Draw for Gen {
    fn name(&mut self, name: &'static CStr) {
        self.0.name(name);
    }

    fn cx(&self) -> Cx {
        self.0.cx()
    }
}
