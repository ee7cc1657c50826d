//! Which of the harnesses run: libtest's rules.

use super::args::SelectArgs;
use super::discover::Found;
use super::error::CliError;
use super::exit_code::ExitCode;
use crate::report::libtest::placeholder;
use libtest_mimic::Arguments;

/// The harnesses of a run.
pub struct Selection {
    /// Those to run, in order of their names.
    pub run: Vec<Found>,
    /// Those that `#[ignore]` leaves out.
    pub ignored: Vec<Found>,
    /// How many the filters left out.
    pub filtered_out: usize,
}

/// Chooses. Several filters: whatever one of them matches.
pub fn select(found: Vec<Found>, args: &SelectArgs) -> Selection {
    let mut selection = Selection {
        run: Vec::new(),
        ignored: Vec::new(),
        filtered_out: 0,
    };
    let filters: Vec<Arguments> = match args.filter.as_slice() {
        [] => vec![arguments(args, None)],
        filters => filters
            .iter()
            .map(|filter| arguments(args, Some(filter.clone())))
            .collect(),
    };
    for found in found {
        let trial = placeholder(&found.harness);
        if filters.iter().all(|filter| filter.is_filtered_out(&trial)) {
            selection.filtered_out += 1;
        } else if filters[0].is_ignored(&trial) {
            selection.ignored.push(found);
        } else {
            selection.run.push(found);
        }
    }
    selection
}

fn arguments(args: &SelectArgs, filter: Option<String>) -> Arguments {
    Arguments {
        filter,
        exact: args.exact,
        skip: args.skip.clone(),
        ignored: args.ignored,
        include_ignored: args.include_ignored,
        ..Arguments::default()
    }
}

/// The error for a run without harnesses.
pub fn nothing(selection: &Selection, args: &SelectArgs) -> CliError {
    let none = |message: String| CliError::usage(message).code(ExitCode::NoHarness);
    if selection.filtered_out == 0 {
        return none("no harness found in the chosen targets".to_owned())
            .help("write #[symex::harness] over a function in a #[cfg(test)] module or in tests/");
    }
    let filters: Vec<String> = args
        .filter
        .iter()
        .map(|filter| format!("`{filter}`"))
        .collect();
    let what = if filters.is_empty() {
        "the filters".to_owned()
    } else {
        filters.join(" or ")
    };
    let exact = if args.exact { "is called" } else { "matches" };
    none(format!("no harness {exact} {what}")).help(format!(
        "`cargo symex list` shows the {} there {}",
        selection.filtered_out,
        if selection.filtered_out == 1 {
            "is"
        } else {
            "are"
        }
    ))
}
