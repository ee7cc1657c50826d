//! The generators of quickcheck before version 1, which are those of numbers of the crate `rand` as
//! well. All give all values at once, whatever they are made from.

use std::ffi::CStr;
use std::marker::PhantomData;

use rand::RngCore;
use symex::Cx;

use crate::drawing::{Draw, Drawing};
use crate::tester::SIZE;

/// Writes the function by which a type is drawn.
macro_rules! arbitrary {
    ($g:ident => $draw:expr) => {
        fn arbitrary<Generator: Gen>($g: &mut Generator) -> Self {
            $draw
        }
    };
}

/// Writes the function by which a property is checked.
macro_rules! result {
    ($this:ident, $g:pat => $result:expr) => {
        fn result<Generator: Gen>(&$this, $g: &mut Generator) -> TestResult {
            $result
        }
    };
}

/// Implements methods of the settings of a check.
macro_rules! settings {
    ($($methods:tt)*) => {
        impl<Generator: Gen> QuickCheck<Generator> {
            $($methods)*

            /// Draws by this generator.
            pub fn with_gen(generator: Generator) -> Self {
                QuickCheck {
                    tests: TESTS,
                    generator,
                }
            }

            /// Draws by this generator.
            pub fn r#gen<Other: Gen>(self, generator: Other) -> QuickCheck<Other> {
                QuickCheck {
                    tests: self.tests,
                    generator,
                }
            }
        }
    };
}

/// The generator of a check that names none.
pub(crate) type UsualGen = StdThreadGen;

/// A generator that values are drawn by.
pub trait Gen: RngCore {
    /// Returns the largest length of what is drawn.
    fn size(&self) -> usize;

    /// Names what is drawn from now on, where names are kept.
    #[doc(hidden)]
    fn __name(&mut self, _name: &'static CStr) {}

    /// Returns the size that it was made with, which numbers are smaller than.
    #[doc(hidden)]
    fn __magnitude(&self) -> u64 {
        SIZE as u64
    }

    /// Returns what draws. A generator of the program's own draws as the library's do.
    #[doc(hidden)]
    fn __cx(&self) -> Cx {
        Drawing::new(usize::MAX).cx()
    }
}

impl<Generator: Gen> Draw for Generator {
    fn name(&mut self, name: &'static CStr) {
        self.__name(name);
    }

    fn magnitude(&self) -> u64 {
        self.__magnitude()
    }

    fn cx(&self) -> Cx {
        self.__cx()
    }
}

/// The generator that is made from one of numbers.
pub struct StdGen<R> {
    drawing: Drawing,
    _numbers: PhantomData<R>,
}

impl<R: RngCore> StdGen<R> {
    /// Makes a generator of lengths up to `size`, and up to the bound that holds for all.
    pub fn new(_numbers: R, size: usize) -> StdGen<R> {
        StdGen {
            drawing: Drawing::new(size),
            _numbers: PhantomData,
        }
    }
}

/// The generator of a thread.
pub struct StdThreadGen {
    drawing: Drawing,
}

impl StdThreadGen {
    /// Makes a generator of lengths up to `size`, and up to the bound that holds for all.
    pub fn new(size: usize) -> StdThreadGen {
        StdThreadGen {
            drawing: Drawing::new(size),
        }
    }
}

/// Makes a type a generator of values, and of numbers.
macro_rules! generators {
    ($($ty:ty { $($generics:tt)* })*) => {$(
        impl<$($generics)*> Gen for $ty {
            fn size(&self) -> usize {
                self.drawing.size()
            }

            fn __name(&mut self, name: &'static CStr) {
                self.drawing.name(name);
            }

            fn __magnitude(&self) -> u64 {
                self.drawing.magnitude()
            }

            fn __cx(&self) -> Cx {
                self.drawing.cx()
            }
        }

        impl<$($generics)*> RngCore for $ty {
            fn next_u32(&mut self) -> u32 {
                self.drawing.number()
            }

            fn next_u64(&mut self) -> u64 {
                self.drawing.number()
            }

            fn fill_bytes(&mut self, bytes: &mut [u8]) {
                bytes.fill_with(|| self.drawing.number());
            }

            fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand::Error> {
                self.fill_bytes(bytes);
                Ok(())
            }
        }
    )*};
}

generators! {
    StdGen<R> { R: RngCore }
    StdThreadGen {}
}
