//! Selection of the harnesses to run, by libtest's rules.

use super::discover::FoundHarness;
use super::partition::Partition;
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

/// What filters say of a harness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    Run,
    /// `#[ignore]` leaves it out.
    Ignored,
    FilteredOut,
}

impl Filters {
    /// Applies the filters to a name.
    pub fn choose(&self, name: &str, is_ignored: bool) -> Choice {
        let trial = Trial::test(name, || Ok(())).with_ignored_flag(is_ignored);
        let arguments = |filter| Arguments {
            filter,
            exact: self.exact,
            skip: self.skip.clone(),
            ignored: self.ignored,
            include_ignored: self.include_ignored,
            ..Arguments::default()
        };
        let arguments: Vec<Arguments> = match self.names.as_slice() {
            [] => vec![arguments(None)],
            names => names.iter().cloned().map(Some).map(arguments).collect(),
        };
        if arguments.iter().all(|one| one.is_filtered_out(&trial)) {
            Choice::FilteredOut
        } else if arguments[0].is_ignored(&trial) {
            Choice::Ignored
        } else {
            Choice::Run
        }
    }
}

/// The harnesses of a run.
pub struct Selection {
    /// Harnesses to run, ordered by name.
    pub run: Vec<FoundHarness>,
    /// Harnesses that `#[ignore]` leaves out.
    pub ignored: Vec<FoundHarness>,
    /// Names of harnesses that the filters left out.
    pub filtered_out: Vec<String>,
    /// Number of those that are in another part.
    pub in_other_parts: usize,
}

impl Selection {
    /// Returns the selection of all these harnesses.
    pub fn of_all(run: Vec<FoundHarness>) -> Self {
        Selection {
            run,
            ignored: Vec::new(),
            filtered_out: Vec::new(),
            in_other_parts: 0,
        }
    }

    /// Leaves out the harnesses to run that are not in a part.
    pub fn of_part(mut self, partition: Option<Partition>) -> Self {
        let Some(partition) = partition else {
            return self;
        };
        let all = std::mem::take(&mut self.run);
        for (index, found) in all.into_iter().enumerate() {
            if partition.has(index, &found.harness.name) {
                self.run.push(found);
            } else {
                self.filtered_out.push(found.harness.name);
                self.in_other_parts += 1;
            }
        }
        self
    }
}

/// Selects harnesses by the filters.
pub fn select(found: Vec<FoundHarness>, filters: &Filters) -> Selection {
    let mut selection = Selection::of_all(Vec::new());
    for found in found {
        match filters.choose(&found.harness.name, found.harness.ignored) {
            Choice::Run => selection.run.push(found),
            Choice::Ignored => selection.ignored.push(found),
            Choice::FilteredOut => selection.filtered_out.push(found.harness.name),
        }
    }
    selection
}
