//! Which of the harnesses run: libtest's rules.

use super::advice;
use super::args::{CargoArgs, SelectArgs};
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
    /// Names of those that the filters left out.
    pub filtered_out: Vec<String>,
}

/// Chooses. Several filters: whatever one of them matches.
pub fn select(found: Vec<Found>, args: &SelectArgs) -> Selection {
    let mut selection = Selection {
        run: Vec::new(),
        ignored: Vec::new(),
        filtered_out: Vec::new(),
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
            selection.filtered_out.push(found.harness.name);
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
pub fn nothing(selection: &Selection, args: &SelectArgs, cargo: &CargoArgs) -> CliError {
    let none = |message: String| CliError::usage(message).code(ExitCode::NoHarness);
    if selection.filtered_out.is_empty() {
        let error = none("no harness found in the chosen targets".to_owned());
        if let Some(advice) = advice::without_harness(cargo) {
            return error.help(advice);
        }
        return error
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
    let close = if args.exact {
        meant(&args.filter, &selection.filtered_out)
    } else {
        Vec::new()
    };
    none(format!("no harness {exact} {what}")).help(match close.as_slice() {
        [] => format!(
            "`cargo symex list` shows the {} there {}",
            selection.filtered_out.len(),
            if selection.filtered_out.len() == 1 {
                "is"
            } else {
                "are"
            }
        ),
        [name] => format!("there is `{name}`"),
        names => format!("there are `{}`", names.join("`, `")),
    })
}

/// Most names that are suggested for one that does not exist.
const SUGGESTED: usize = 5;

/// The names that may have been meant by names that do not exist: those that end with one of them, else those that are close.
fn meant<'a>(typed: &[String], names: &'a [String]) -> Vec<&'a str> {
    let of = |is_meant: &dyn Fn(&str, &str) -> bool| -> Vec<&'a str> {
        let names = names.iter().map(String::as_str);
        let meant = names.filter(|name| typed.iter().any(|typed| is_meant(typed, name)));
        meant.take(SUGGESTED).collect()
    };
    let ending = of(&|typed, name| {
        name.strip_suffix(typed)
            .is_some_and(|before| before.ends_with("::"))
    });
    if ending.is_empty() {
        of(&is_close)
    } else {
        ending
    }
}

/// Is one a slip of the other, be it of the whole name or of the function's alone?
fn is_close(typed: &str, name: &str) -> bool {
    let function = name.rsplit("::").next().unwrap_or(name);
    [name, function]
        .iter()
        .any(|name| strsim::damerau_levenshtein(typed, name) <= name.chars().count().min(9) / 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_suggested_by_their_ends_then_by_likeness() {
        let names = ["a::tests::parses", "b::tests::parses", "b::tests::prints"].map(String::from);
        let meant = |typed: &str| meant(&[typed.to_owned()], &names);
        assert_eq!(meant("parses"), ["a::tests::parses", "b::tests::parses"]);
        assert_eq!(meant("b::test::print"), ["b::tests::prints"]);
        assert_eq!(meant("pritns"), ["b::tests::prints"]);
        // No part of a word, and nothing that is merely short.
        assert_eq!(meant("arses"), ["a::tests::parses", "b::tests::parses"]);
        assert_eq!(meant("ses"), [""; 0]);
        assert_eq!(meant("f"), [""; 0]);
    }
}
