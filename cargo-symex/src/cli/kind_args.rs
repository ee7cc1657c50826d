//! The options that say which kind of tests is explored.

use crate::build::Executables;
use crate::pipeline::discover::TestKind;
use clap::Args;
use symex_bitcode::link::PropertyLibrary;

/// The kind of what is explored.
#[derive(Args, Debug, Clone, Default)]
pub struct KindArgs {
    /// Explore the tests of properties that are made with proptest, instead of harnesses
    #[arg(long, help_heading = "Harness selection")]
    pub proptest: bool,
    /// Explore the tests of properties that are made with quickcheck, instead of harnesses
    #[arg(long, help_heading = "Harness selection", conflicts_with = "proptest")]
    pub quickcheck: bool,
}

impl KindArgs {
    /// Returns the kind of what is explored in test executables.
    pub fn of_tests(&self) -> TestKind {
        match (self.proptest, self.quickcheck) {
            (true, _) => TestKind::Property(PropertyLibrary::Proptest),
            (_, true) => TestKind::Property(PropertyLibrary::QuickCheck),
            (false, false) => TestKind::Harness,
        }
    }

    /// Returns the executables in which that is.
    pub fn executables(&self) -> Executables {
        match self.quickcheck {
            true => Executables::QuickCheckTests,
            false => Executables::Tests,
        }
    }
}
