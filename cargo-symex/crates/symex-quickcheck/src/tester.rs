//! The tester, which checks a property in one case that stands for all.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use symex::__rt::DrawnArgument;

use crate::drawing::Draw;
use crate::generator::UsualGen;
use crate::{Arbitrary, Gen};

/// Checks a property.
///
/// # Panics
/// Where it fails.
#[track_caller]
pub fn quickcheck<A: Testable>(f: A) {
    QuickCheck::new().quickcheck(f)
}

/// The settings of a check. Numbers of cases mean nothing, since there is one for all values.
pub struct QuickCheck<Generator = UsualGen> {
    tests: u64,
    generator: Generator,
}

impl Default for QuickCheck<UsualGen> {
    fn default() -> Self {
        Self::new()
    }
}

/// Number of cases that quickcheck says it has run.
const TESTS: u64 = 100;

/// Size of quickcheck's generator.
pub(crate) const SIZE: usize = 100;

impl QuickCheck<UsualGen> {
    /// Returns the settings of quickcheck.
    pub fn new() -> Self {
        QuickCheck {
            tests: TESTS,
            generator: UsualGen::new(SIZE),
        }
    }
}

settings! {
    /// Sets the number of cases that are said to have passed.
    pub fn tests(self, tests: u64) -> Self {
        QuickCheck { tests, ..self }
    }

    /// Takes what quickcheck limits; here it means nothing.
    pub fn max_tests(self, _max_tests: u64) -> Self {
        self
    }

    /// Takes what quickcheck demands; here it means nothing.
    pub fn min_tests_passed(self, _min_tests_passed: u64) -> Self {
        self
    }

    /// Checks a property, and returns how it failed.
    ///
    /// # Errors
    /// The result of the case, if it fails without a panic.
    pub fn quicktest<A: Testable>(&mut self, f: A) -> Result<u64, TestResult> {
        let result = in_one_case(|| f.result(&mut self.generator));
        symex::assume(result.status != Status::Discard);
        match result.status {
            Status::Fail => Err(result),
            Status::Pass | Status::Discard => Ok(self.tests),
        }
    }

    /// Checks a property.
    ///
    /// # Panics
    /// Where it fails.
    #[track_caller]
    pub fn quickcheck<A: Testable>(&mut self, f: A) {
        match self.quicktest(f) {
            Ok(_) => {}
            Err(TestResult { error: None, .. }) => panic!("the property does not hold"),
            Err(TestResult {
                error: Some(error), ..
            }) => panic!("the property does not hold: {error}"),
        }
    }
}

/// Checks a property in the case that stands for all. That tests come to this function tells them
/// from those of a quickcheck that is not replaced by this library.
#[inline(never)]
fn in_one_case(check: impl FnOnce() -> TestResult) -> TestResult {
    check()
}

/// The result of a case.
#[derive(Clone, Debug)]
pub struct TestResult {
    status: Status,
    error: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    Pass,
    Fail,
    Discard,
}

impl TestResult {
    /// Returns that of a case that passed.
    pub fn passed() -> TestResult {
        TestResult::from_bool(true)
    }

    /// Returns that of a case that failed.
    pub fn failed() -> TestResult {
        TestResult::from_bool(false)
    }

    /// Returns that of a case that failed, with a message.
    pub fn error<S: Into<String>>(message: S) -> TestResult {
        TestResult {
            status: Status::Fail,
            error: Some(message.into()),
        }
    }

    /// Returns that of a case that is not to count: its values are none of the inputs.
    pub fn discard() -> TestResult {
        TestResult {
            status: Status::Discard,
            error: None,
        }
    }

    /// Returns that of a case that passed if this is true, and else failed.
    pub fn from_bool(passed: bool) -> TestResult {
        let status = match passed {
            true => Status::Pass,
            false => Status::Fail,
        };
        TestResult {
            status,
            error: None,
        }
    }

    /// Calls a function that is to panic.
    pub fn must_fail<T, F>(f: F) -> TestResult
    where
        F: FnOnce() -> T + 'static,
        T: 'static,
    {
        TestResult::from_bool(catch_unwind(AssertUnwindSafe(f)).is_err())
    }

    /// Reports whether the case failed.
    pub fn is_failure(&self) -> bool {
        self.status == Status::Fail
    }

    /// Reports whether the case failed with a message.
    pub fn is_error(&self) -> bool {
        self.is_failure() && self.error.is_some()
    }
}

/// A property, or what it returns.
pub trait Testable: 'static {
    /// Checks it in one case.
    #[cfg(not(before_1))]
    fn result(&self, generator: &mut Gen) -> TestResult;

    /// Checks it in one case.
    #[cfg(before_1)]
    fn result<Generator: Gen>(&self, generator: &mut Generator) -> TestResult;
}

impl Testable for bool {
    result!(self, _ => TestResult::from_bool(*self));
}

impl Testable for () {
    result!(self, _ => TestResult::passed());
}

impl Testable for TestResult {
    result!(self, _ => self.clone());
}

impl<A: Testable, E: Debug + 'static> Testable for Result<A, E> {
    result!(self, generator => match self {
        Ok(result) => result.result(generator),
        Err(error) => TestResult::error(format!("{error:?}")),
    });
}

/// Begins a replay, if this process is to make one, and reports whether it is.
fn begin_replay() -> bool {
    !symex::in_symex() && symex::__rt::begin_replay()
}

/// Implements the trait for functions, each argument with the name of what is drawn for it.
macro_rules! functions {
    ($($ty:ident $variable:ident $name:literal)*) => {
        impl<T: Testable, $($ty: Arbitrary + Debug),*> Testable for fn($($ty),*) -> T {
            result!(self, generator => {
                $(
                    generator.name($name);
                    let $variable: $ty = Arbitrary::arbitrary(generator);
                )*
                if begin_replay() {
                    symex::__rt::describe(&[$(DrawnArgument::of($name, &$variable)),*]);
                }
                self($($variable),*).result(generator)
            });
        }
    };
}

functions!();
functions!(A a c"argument 1");
functions!(A a c"argument 1" B b c"argument 2");
functions!(A a c"argument 1" B b c"argument 2" C c c"argument 3");
functions!(A a c"argument 1" B b c"argument 2" C c c"argument 3" D d c"argument 4");
functions!(
    A a c"argument 1" B b c"argument 2" C c c"argument 3" D d c"argument 4" E e c"argument 5"
);
functions!(
    A a c"argument 1" B b c"argument 2" C c c"argument 3" D d c"argument 4" E e c"argument 5"
    F f c"argument 6"
);
functions!(
    A a c"argument 1" B b c"argument 2" C c c"argument 3" D d c"argument 4" E e c"argument 5"
    F f c"argument 6" G g c"argument 7"
);
functions!(
    A a c"argument 1" B b c"argument 2" C c c"argument 3" D d c"argument 4" E e c"argument 5"
    F f c"argument 6" G g c"argument 7" H h c"argument 8"
);
