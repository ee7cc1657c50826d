//! Which of the harnesses run: libtest's rules.

use super::discover::FoundHarness;
use libtest_mimic::{Arguments, Trial};

/// What chooses harnesses, as libtest's options do.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    /// Parts of names, one of which must match; none: all match.
    pub names: Vec<String>,
    /// Are names whole names?
    pub exact: bool,
    /// Parts of the names of harnesses to leave out.
    pub skip: Vec<String>,
    /// Run only those with `#[ignore]`?
    pub ignored: bool,
    /// Run those with `#[ignore]` as well?
    pub include_ignored: bool,
}

/// The harnesses of a run.
pub struct Selection {
    /// Those to run, in order of their names.
    pub run: Vec<FoundHarness>,
    /// Those that `#[ignore]` leaves out.
    pub ignored: Vec<FoundHarness>,
    /// Names of those that the filters left out.
    pub filtered_out: Vec<String>,
}

/// Chooses by the filters.
pub fn select(found: Vec<FoundHarness>, filters: &Filters) -> Selection {
    let mut selection = Selection {
        run: Vec::new(),
        ignored: Vec::new(),
        filtered_out: Vec::new(),
    };
    let arguments: Vec<Arguments> = match filters.names.as_slice() {
        [] => vec![arguments(filters, None)],
        names => names
            .iter()
            .map(|name| arguments(filters, Some(name.clone())))
            .collect(),
    };
    for found in found {
        let trial = Trial::test(found.harness.name.clone(), || Ok(()))
            .with_ignored_flag(found.harness.ignored);
        if arguments.iter().all(|one| one.is_filtered_out(&trial)) {
            selection.filtered_out.push(found.harness.name);
        } else if arguments[0].is_ignored(&trial) {
            selection.ignored.push(found);
        } else {
            selection.run.push(found);
        }
    }
    selection
}

fn arguments(filters: &Filters, filter: Option<String>) -> Arguments {
    Arguments {
        filter,
        exact: filters.exact,
        skip: filters.skip.clone(),
        ignored: filters.ignored,
        include_ignored: filters.include_ignored,
        ..Arguments::default()
    }
}
