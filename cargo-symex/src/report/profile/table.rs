//! Profile of a harness as tables: of the user's lines, with the library's work there, and of
//! functions, with what they call.

use super::{BETWEEN, time};
use crate::pipeline::HarnessReport;
use crate::source::place::Places;
use std::collections::{BTreeMap, BTreeSet};
use symex_types::outcome::frame_owner::{FrameOwner, frame_owner};
use symex_types::outcome::profile::{Profile, ProfiledCall, Work};
use symex_types::outcome::{SourceLoc, TraceFrame};

/// Name of what an exploration does of which no more is known.
const BESIDE: &str = "(another exploration, which merges paths)";

/// Most rows of a table.
const ROWS: usize = 10;

/// Most characters of the name of a function.
const NAME: usize = 70;

/// Returns the tables of a harness, if its profile was recorded.
pub fn of_harness(report: &HarnessReport, places: &Places) -> Option<String> {
    let profile = report.stats.profile.as_ref()?;
    let total = profile.total();
    let beside = report.stats.beside_seconds;
    let all = total.seconds + profile.other_seconds + beside;
    let mut text = format!(
        "profile of {}: {all:.2} s, {:.2} s of them in the solver; {} forks, {} paths ended, {} instructions\n",
        report.harness.name, total.solver_seconds, total.forks, total.ends, total.instructions
    );
    let total = Work {
        seconds: all,
        ..total
    };
    text.push_str(&head("line, with the library's work there"));
    let mut lines: Vec<(String, Work)> = lines(profile)
        .into_iter()
        .map(|(line, work)| (name(line, places), work))
        .collect();
    for (what, seconds) in [(BETWEEN, profile.other_seconds), (BESIDE, beside)] {
        lines.push((what.to_owned(), time(seconds)));
    }
    text.push_str(&rows(lines, &total));
    text.push_str(&head("function, with what it calls"));
    let functions = functions(profile).into_iter();
    let functions = functions.map(|(function, work)| (function.to_owned(), work));
    text.push_str(&rows(functions.collect(), &total));
    Some(text.trim_end().to_owned())
}

/// A line of a function.
type Line<'p> = (&'p str, Option<(&'p str, u32)>);

/// Returns the work by the user's line, the innermost of each stack.
fn lines(profile: &Profile) -> BTreeMap<Line<'_>, Work> {
    let mut lines: BTreeMap<Line, Work> = BTreeMap::new();
    for (at, call) in profile.calls.iter().enumerate() {
        let mut stack = profile.stack(at).map(|at| &profile.calls[at]);
        let own = stack.find(|call| call.line.is_some() && owner(call) == FrameOwner::User);
        let own = own.unwrap_or(call);
        let line = own.line.as_ref().map(|(file, line)| (&**file, *line));
        lines
            .entry((&own.function, line))
            .or_default()
            .add(&call.work);
    }
    lines
}

/// Returns the work by the user's functions, each with what it calls; one that calls itself has it
/// once.
fn functions(profile: &Profile) -> BTreeMap<&str, Work> {
    let mut functions: BTreeMap<&str, Work> = BTreeMap::new();
    for (at, call) in profile.calls.iter().enumerate() {
        let stack = profile.stack(at).map(|at| &profile.calls[at]);
        let own = stack.filter(|call| owner(call) == FrameOwner::User);
        let names: BTreeSet<&str> = own.map(|call| &*call.function).collect();
        for name in names {
            functions.entry(name).or_default().add(&call.work);
        }
    }
    functions
}

fn owner(call: &ProfiledCall) -> FrameOwner {
    frame_owner(&TraceFrame {
        function: call.function.clone(),
        at: call
            .line
            .as_ref()
            .map(|(file, line)| SourceLoc::new(&**file, *line, 0)),
    })
}

fn name((function, line): Line<'_>, places: &Places) -> String {
    match line {
        Some((file, line)) => {
            let at = SourceLoc::new(file, line, 0);
            format!("{}  {}", places.show(&at), short(function))
        }
        None => short(function),
    }
}

/// Returns the name of a function without the generic arguments in it, and not too long.
fn short(function: &str) -> String {
    let mut name = String::new();
    let mut depth = 0_u32;
    let mut before = ' ';
    for c in function.chars() {
        match c {
            // A path in angle brackets begins a name, or follows what divides types.
            '<' if depth > 0 || before.is_alphanumeric() || before == '_' || before == ':' => {
                depth += 1;
            }
            '>' if depth > 0 && before != '-' => depth -= 1,
            _ if depth == 0 => name.push(c),
            _ => {}
        }
        before = c;
    }
    let name = name.replace("::::", "::");
    let name = name.trim_end_matches("::");
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

fn head(what: &str) -> String {
    format!(
        "  {:>7} {:>7} {:>7} {:>7} {:>7}  {what}\n",
        "time", "solver", "forks", "ends", "instr."
    )
}

/// Returns the rows of those that have most of something, by time.
fn rows(mut all: Vec<(String, Work)>, total: &Work) -> String {
    let parts = |work: &Work| {
        let part = |one: f64, of: f64| if of > 0.0 { one / of } else { 0.0 };
        [
            part(work.seconds, total.seconds),
            part(work.solver_seconds, total.solver_seconds),
            part(work.forks as f64, total.forks as f64),
            part(work.ends as f64, total.ends as f64),
            part(work.instructions as f64, total.instructions as f64),
        ]
    };
    // What takes little time may be where the paths come from.
    let most = |work: &Work| {
        let [time, solver, forks, _, _] = parts(work);
        time.max(solver).max(forks)
    };
    all.retain(|(_, work)| most(work) >= 0.001);
    all.sort_by(|(_, one), (_, other)| most(other).total_cmp(&most(one)));
    all.truncate(ROWS);
    let mut text = String::new();
    for (name, work) in all {
        text.push(' ');
        for part in parts(&work) {
            text.push_str(&match part {
                0.0 => format!(" {:>7}", ""),
                part => format!(" {:>5.1} %", part * 100.0),
            });
        }
        text.push_str(&format!("  {name}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;
    use crate::report::example::example_run;

    #[test]
    fn the_library_counts_for_the_line_that_calls_it() {
        let mut report = example_run().reports[0].clone();
        report.harness.name = "parses".to_owned();
        report.stats.profile = Some(example());
        let text = of_harness(&report, &Places::default()).expect("it was recorded");
        let expected = "\
profile of parses: 2.12 s, 1.00 s of them in the solver; 8 forks, 3 paths ended, 80 instructions
     time  solver   forks    ends  instr.  line, with the library's work there
   82.4 %  87.5 %  87.5 %  66.7 %  87.5 %  src/lib.rs:9  demo::parse
   11.8 %  12.5 %  12.5 %  33.3 %  12.5 %  src/lib.rs:3  demo::main
    5.9 %                                  (between paths)
     time  solver   forks    ends  instr.  function, with what it calls
   94.1 % 100.0 % 100.0 % 100.0 % 100.0 %  demo::main
   82.4 %  87.5 %  87.5 %  66.7 %  87.5 %  demo::parse";
        assert_eq!(text, expected, "{text}");
    }

    #[test]
    fn names_are_without_generic_arguments() {
        for (long, expected) in [
            ("hash::make::<_>", "hash::make"),
            ("wrap::<usize>::{closure#0}", "wrap::{closure#0}"),
            (
                "<alloc::vec::Vec<u8> as hex::From<fn(u8) -> Vec<u8>>>::from::<()>",
                "<alloc::vec::Vec as hex::From>::from",
            ),
            ("<&[u8] as a::B<'_>>::c", "<&[u8] as a::B>::c"),
        ] {
            assert_eq!(short(long), expected);
        }
        assert_eq!(short(&"x".repeat(200)).chars().count(), NAME + 1);
    }
}
