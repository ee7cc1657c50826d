//! `cargo symex review`: goes through the findings of a recorded run, and asks of each whether it
//! is a bug, or is ignored from now on.

mod dialogue;
mod pending;
mod terminal;

use super::args::{MessageFormat, ReviewArgs};
use super::report::{read, recorded, unreadable};
use super::resolve;
use super::run::here;
use crate::confirm::removal::{Removal, Test};
use crate::confirm::test_case::Written;
use crate::ignored::{self, Entry};
use crate::pipeline::error::CommandError;
use crate::pipeline::exit_code::ExitCode;
use crate::report::human::{self, Calls};
use crate::report::runs::Runs;
use crate::report::{json_reading, output};
use crate::source::place::Places;
use dialogue::{Decision, Question};
use pending::{Found, Pending, State};
use similar::TextDiff;
use std::cell::OnceCell;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use terminal::Terminal;

/// Runs `cargo symex review`.
pub fn review(args: &ReviewArgs) -> Result<ExitCode, CommandError> {
    output::set_color(resolve::color_choice(args.color));
    let (runs, number) = recorded(&args.workspace, args.run)?;
    let run = read(&runs.file(number))?;
    let accepted = runs.accepted();
    let accepted = accepted.map_err(|error| unreadable(&runs, &error))?;
    let pending = Pending::of(&run, &accepted)?;
    let review = Review {
        runs,
        here: here(),
        pending,
        added: OnceCell::new(),
    };
    if args.list {
        review.list(args.format);
        return Ok(ExitCode::Pass);
    }
    let reason = args.reason.as_deref().unwrap_or_default();
    let mut decided = Vec::new();
    for (names, decision) in [
        (&args.accept, Decision::Accept),
        (&args.ignore, Decision::Ignore(reason.to_owned())),
    ] {
        for name in names {
            let found = review.pending.named(name)?.into_iter();
            decided.extend(found.map(|found| (found, decision.clone())));
        }
    }
    if args.accept_all {
        let open = review.pending.open();
        decided.extend(open.map(|found| (found, Decision::Accept)));
    }
    if decided.is_empty() && !args.accept_all {
        return review.ask();
    }
    for (found, decision) in &decided {
        let told = review.decide(found, decision)?;
        output::line(&told);
    }
    let ids = decided.iter().map(|(found, _)| &found.id);
    let ids: Vec<&String> = ids.collect();
    let left = review.pending.open();
    let left = left.filter(|found| !ids.contains(&&found.id)).count();
    tell_left(left);
    Ok(ExitCode::Pass)
}

/// Says how many findings are left to review, if any.
fn tell_left(count: usize) {
    if count > 0 {
        let s = if count == 1 { "" } else { "s" };
        output::line(&format!("{count} finding{s} left to review"));
    }
}

/// A review of a run.
struct Review<'r> {
    runs: Runs,
    here: PathBuf,
    pending: Pending<'r>,
    /// The tests that the recorded runs have added, once they are asked for.
    added: OnceCell<Vec<Test>>,
}

impl Review<'_> {
    fn places(&self, found: &Found) -> Places {
        Places {
            here: self.here.clone(),
            package: found.report.harness.manifest_dir.clone(),
        }
    }

    /// Prints the findings that are neither accepted nor ignored, or, as JSON, all.
    fn list(&self, format: MessageFormat) {
        if format == MessageFormat::Json {
            self.pending
                .all
                .iter()
                .for_each(|found| output::json(&found.json()));
            return;
        }
        for found in self.pending.open() {
            output::line(&format!("{}  {}", found.id, self.title(found)));
        }
        output::line(&self.pending.counts());
    }

    /// Returns a finding in a line.
    fn title(&self, found: &Found) -> String {
        let detail = found.details[0];
        let at = human::shown_place(found.report, detail);
        let at = at.map_or_else(String::new, |at| {
            format!(" at {}", self.places(found).show(&at))
        });
        format!(
            "{}: {}{at}: {}",
            found.report.harness.name,
            crate::confirm::kind_name(detail.finding.kind),
            human::message(&detail.finding, &detail.replay)
        )
    }

    /// Asks about each finding that is neither accepted nor ignored.
    fn ask(&self) -> Result<ExitCode, CommandError> {
        let open: Vec<&Found> = self.pending.open().collect();
        if open.is_empty() {
            output::line(&self.pending.counts());
            return Ok(ExitCode::Pass);
        }
        if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
            let s = if open.len() == 1 { "" } else { "s" };
            let count = open.len();
            let message = format!("failed to ask about {count} finding{s}: this is no terminal");
            return Err(CommandError::usage(message).help(
                "--list shows them; --accept, --accept-all and --ignore decide without asking",
            ));
        }
        let questions = open.iter().map(|found| self.question(found));
        let questions: Vec<Question> = questions.collect();
        let mut decide = |number: usize, decision: &Decision| self.decide(open[number], decision);
        let left = dialogue::ask(&mut Terminal::default(), &questions, &mut decide)?;
        tell_left(left);
        Ok(ExitCode::Pass)
    }

    fn question(&self, found: &Found) -> Question {
        let places = self.places(found);
        let mut text = human::finding(found.report, found.details[0], &places, Calls::Shortest);
        if found.details.len() > 1 {
            let more = found.details.len() - 1;
            text.push_str(&format!(
                "\n{more} more of the same kind in this function, at such a line"
            ));
        }
        for test in found.details.iter().filter_map(|one| one.test.as_ref()) {
            if let Some(shown) = self.diff(test, &places) {
                text.push_str(&format!("\n\n{}", shown.trim_end()));
            }
        }
        let place = human::shown_place(found.report, found.details[0]);
        let place = place.and_then(|at| {
            let file = places.file(&at)?;
            Some((file, at.line, at.column))
        });
        Question {
            id: found.id.clone(),
            text,
            place,
        }
    }

    /// Returns what the test of a finding is in its file; `None` if it has none.
    fn diff(&self, test: &Written, places: &Places) -> Option<String> {
        let test = Test::of(test)?;
        let file = places.relative(&test.path);
        if test.text.is_empty() {
            return None;
        }
        let Some((all, rest)) = test.texts() else {
            return Some(format!("`{}` has been edited or removed since", test.name));
        };
        let diff = TextDiff::from_lines(&rest, &all);
        let (before, after) = (format!("a/{file}"), format!("b/{file}"));
        let text = diff.unified_diff().header(&before, &after).to_string();
        Some(coloured(&text))
    }

    /// Does what was decided on a finding. Returns what was done.
    fn decide(&self, found: &Found, decision: &Decision) -> Result<String, CommandError> {
        let name = format!("{}  {}", found.id, found.report.harness.name);
        match decision {
            Decision::Accept => {
                let accepted = self.runs.accept(&found.id);
                accepted.map_err(|error| {
                    let folder = self.runs.directory();
                    CommandError::unwritable(folder, error)
                })?;
                Ok(format!("{name}: accepted"))
            }
            Decision::Ignore(reason) => {
                let entry = Entry::new(&found.identity, reason);
                let entry = entry.map_err(|wrong| {
                    CommandError::usage(format!("failed to ignore the finding: {wrong}"))
                })?;
                let file = &found.report.ignored.file;
                ignored::add(file, &entry).map_err(CommandError::usage)?;
                let places = self.places(found);
                let mut told = format!("{name}: ignored in {}", places.relative(file));
                for test in self.tests(found) {
                    let removed = test.remove().map_err(CommandError::usage)?;
                    let what = match removed {
                        Removal::Removed => "removed from",
                        Removal::Edited => "has been edited, and stays in",
                    };
                    let file = places.relative(&test.path);
                    told.push_str(&format!("; `{}` {what} {file}", test.name));
                }
                Ok(told)
            }
        }
    }

    /// Returns the regression tests of a finding that a recorded run has added.
    fn tests(&self, found: &Found) -> Vec<Test> {
        let tests = found.details.iter().filter_map(|one| one.test.as_ref());
        let mut tests: Vec<Test> = tests.filter_map(Test::of).collect();
        if !tests.is_empty() {
            let added = self.added.get_or_init(|| self.added());
            tests.retain(|test| {
                let is_it = |one: &Test| one.path == test.path && one.name == test.name;
                added.iter().any(is_it)
            });
        }
        tests
    }

    /// Returns the tests that the recorded runs have added.
    fn added(&self) -> Vec<Test> {
        let numbers = self.runs.numbers().unwrap_or_default().into_iter();
        let texts = numbers.filter_map(|one| std::fs::read_to_string(self.runs.file(one)).ok());
        // A run of another version of the tool is none to go by.
        let runs = texts.filter_map(|text| json_reading::read(&text).ok());
        let reports = runs.flat_map(|run| run.reports);
        let details = reports.flat_map(|report| report.findings);
        let tests = details.filter_map(|detail| detail.test);
        tests
            .filter(|test| matches!(test, Written::Written { .. }))
            .filter_map(|test| Test::of(&test))
            .collect()
    }
}

impl Found<'_> {
    /// Returns a line of `--list --format json`.
    fn json(&self) -> serde_json::Value {
        let harness = &self.report.harness;
        let detail = self.details[0];
        let (decision, reason) = match &self.state {
            State::Open => (None, None),
            State::Accepted => (Some("accepted"), None),
            State::Ignored(reason) => (Some("ignored"), Some(reason)),
        };
        serde_json::json!({
            "type": "reviewed-finding",
            "id": self.id,
            "harness": harness.name,
            "package": harness.package,
            "kind": detail.finding.kind,
            "message": human::message(&detail.finding, &detail.replay),
            "at": human::shown_place(self.report, detail),
            "test": detail.test,
            "decision": decision,
            "reason": reason,
        })
    }
}

/// Colours the lines of a difference as git does.
fn coloured(diff: &str) -> String {
    use anstyle::AnsiColor::{Cyan, Green, Red};
    let lines = diff.lines().map(|line| {
        let color = match line.as_bytes().first() {
            Some(b'+') => Green,
            Some(b'-') => Red,
            Some(b'@') => Cyan,
            _ => return format!("{line}\n"),
        };
        let style = color.on_default();
        format!("{style}{line}{style:#}\n")
    });
    lines.collect()
}
