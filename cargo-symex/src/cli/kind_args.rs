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
    /// Explore the tests of properties that are made with bolero, instead of harnesses
    #[arg(
        long,
        help_heading = "Harness selection",
        conflicts_with_all = ["proptest", "quickcheck"]
    )]
    pub bolero: bool,
}

impl KindArgs {
    /// Returns the kind of what is explored in test executables.
    pub fn of_tests(&self) -> TestKind {
        match self {
            KindArgs { proptest: true, .. } => TestKind::Property(PropertyLibrary::Proptest),
            KindArgs {
                quickcheck: true, ..
            } => TestKind::Property(PropertyLibrary::QuickCheck),
            KindArgs { bolero: true, .. } => TestKind::Property(PropertyLibrary::Bolero),
            _ => TestKind::Harness,
        }
    }

    /// Returns the executables in which that is.
    pub fn executables(&self) -> Executables {
        match self.of_tests() {
            TestKind::Harness | TestKind::Property(PropertyLibrary::Proptest) => Executables::Tests,
            TestKind::Property(PropertyLibrary::QuickCheck) => Executables::QuickCheckTests,
            TestKind::Property(PropertyLibrary::Bolero) => Executables::BoleroTests,
        }
    }
}
