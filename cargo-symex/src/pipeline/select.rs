//! Selection of the harnesses to run, by libtest's rules.

use super::discover::FoundHarness;
use libtest_mimic::{Arguments, Trial};

/// Filters that select harnesses, like libtest's options.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    /// Substrings of names, one of which must match; if empty, all match.
    pub names: Vec<String>,
    /// Whether names must match completely.
    pub exact: bool,
    /// Substrings of the names of harnesses to leave out.
    pub skip: Vec<String>,
    /// Whether to run only harnesses with `#[ignore]`.
    pub ignored: bool,
    /// Whether to run harnesses with `#[ignore]` as well.
    pub include_ignored: bool,
}

/// The harnesses of a run.
pub struct Selection {
    /// Harnesses to run, ordered by name.
    pub run: Vec<FoundHarness>,
    /// Harnesses that `#[ignore]` leaves out.
    pub ignored: Vec<FoundHarness>,
    /// Names of harnesses that the filters left out.
    pub filtered_out: Vec<String>,
}

/// Selects harnesses by the filters.
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
