//! The report on generalized tests: that of any run, in which panics of a test's own code do not
//! count and those that documentation promises are marked apart, and a summary.
//!
//! In JSON there are more lines than those of `json`:
//!
//! | `type` | when | fields |
//! |---|---|---|
//! | `generalize-finding` | after a harness's other lines, for each finding | `harness`, `test`, `judgement` (`undefined`, `panic`, `promised-panic`, `expected-panic`, `memory`, `panic-of-test`), `message`, `at`, `lines`: `[{line, text}]`, the lines of the test with the values in them |
//! | `generalize-summary` | last | `tests`, `generalized`: numbers of tests, `constants`: how many are inputs, `findings`: how many of each judgement, `left_as_they_are`: `[{test, reason}]`, `written`: `[{file, test}]`, what `--write` has left |
//! | `generalized-test` | with `--list` | `harness`, `test`, `file`, `line`, `constants`: `[{line, column, text}]` |
//! | `left-as-it-is` | with `--list` | `test`, `reason` |

use super::judged::{Judge, Tally, by_reason};
use super::output;
use crate::confirm::FindingReport;
use crate::confirm::replay::Replay;
use crate::generalize::copy::Change;
use crate::generalize::judge::judge;
use crate::generalize::leave::{LeftTest, LeftTests, changed};
use crate::generalize::settle::{Generalized, Workspace};
use crate::generalize::test_crate::{Refusal, Test};
use crate::harness::TestHarness;
use crate::judgement::Judgement;
use crate::pipeline::HarnessReport;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Most characters of a constant that are shown.
const SHOWN: usize = 24;

/// The judge of generalized tests, and what there is to say besides the report of the run.
pub struct GeneralizedTests {
    pub workspace: Workspace,
    pub refusals: Vec<Refusal>,
    /// Whether all tests that stay as they are are named.
    pub verbose: bool,
    /// Tests with the values of findings, if they are to be left in the files.
    pub left: Option<LeftTests>,
    /// Tests that were left in the files.
    pub written: Vec<LeftTest>,
}

/// A test that a harness runs.
struct Found<'a> {
    generalized: &'a Generalized,
    test: &'a Test,
}

impl Found<'_> {
    fn path(&self) -> &Path {
        &self.generalized.krate.files[self.test.file].path
    }

    fn text(&self) -> &str {
        &self.generalized.krate.files[self.test.file].text
    }

    /// Returns the constant whose input has this name: its line and column.
    fn constant(&self, name: &str) -> Option<usize> {
        let (line, column) = name.split_once(':')?;
        let at = (line.parse::<usize>().ok()?, column.parse::<usize>().ok()?);
        let mut constants = self.test.constants.iter();
        constants.position(|constant| (constant.line, constant.column) == at)
    }

    /// Returns the values that a finding has for constants, by their numbers. In a loop, the last
    /// one that was drawn comes first.
    fn values<'f>(&self, finding: &'f FindingReport) -> Vec<(usize, &'f str)> {
        let inputs = finding.inputs.iter().flat_map(|inputs| &inputs.args);
        let mut values: Vec<(usize, &str)> = inputs
            .filter_map(|input| Some((self.constant(&input.name)?, input.source.as_str())))
            .collect();
        values.reverse();
        values.sort_by_key(|(constant, _)| *constant);
        values
    }

    /// Returns the lines of the test in which there are other values than its constants.
    fn lines(&self, finding: &FindingReport) -> BTreeMap<usize, String> {
        let mut values = self.values(finding);
        values.dedup_by_key(|(constant, _)| *constant);
        let text = self.text();
        values.retain(|(number, value)| {
            let constant = self.test.constants[*number].range.clone();
            text[constant] != **value
        });
        let of_constant = |(number, _): &(usize, &str)| {
            let line = self.test.constants[*number].line;
            (line, String::new())
        };
        let mut lines: BTreeMap<usize, String> = values.iter().map(of_constant).collect();
        let text = changed(text, self.test, 0..text.len(), &values);
        for (number, line) in text.lines().enumerate() {
            if let Some(shown) = lines.get_mut(&(number + 1)) {
                line.trim().clone_into(shown);
            }
        }
        lines
    }
}

impl GeneralizedTests {
    /// Returns the test that a harness runs; `None` for other harnesses.
    fn found(&self, harness: &TestHarness) -> Option<Found<'_>> {
        let crates = self.workspace.crates.iter();
        let mut all = crates.flat_map(|generalized| {
            let changes = generalized.changes.iter();
            changes.map(move |change| (generalized, change))
        });
        let (generalized, change) = all.find(|(of, change)| runs(harness, of, change))?;
        let test = generalized.test(change);
        Some(Found { generalized, test })
    }

    /// Reports whether a harness runs one of the tests.
    pub fn has(&self, harness: &TestHarness) -> bool {
        self.found(harness).is_some()
    }

    /// Leaves out the tests that none of these harnesses runs: conditions say that they are not
    /// compiled.
    pub fn keep(&mut self, harnesses: &[TestHarness]) {
        for generalized in &mut self.workspace.crates {
            let mut changes = std::mem::take(&mut generalized.changes);
            changes.retain(|change| {
                let is_run = harnesses.iter().any(|one| runs(one, generalized, change));
                if !is_run && !change.harnesses.is_empty() {
                    self.refusals.push(Refusal {
                        test: generalized.test(change).name.clone(),
                        reason: "it is not compiled here".to_owned(),
                    });
                }
                is_run
            });
            generalized.changes = changes;
        }
    }

    /// Returns the number of tests with inputs, and of the inputs.
    fn counts(&self) -> (usize, usize) {
        let crates = self.workspace.crates.iter();
        let changes = crates.flat_map(|generalized| &generalized.changes);
        let changes = changes.filter(|change| !change.harnesses.is_empty());
        let inputs = |change: &Change| change.inputs.iter().filter(|is_input| **is_input).count();
        changes.fold((0, 0), |(tests, constants), change| {
            (tests + 1, constants + inputs(change))
        })
    }

    /// Returns the tests that stay as they are, by the reasons for that.
    pub fn refused(&self) -> String {
        let named = |refusal: &'_ Refusal| (refusal.test.clone(), refusal.reason.clone());
        by_reason(
            "left as they are",
            self.refusals.iter().map(named),
            self.verbose,
        )
    }

    /// Prints the tests, and the constants that are inputs.
    pub fn list(&self, is_json: bool) {
        for generalized in &self.workspace.crates {
            for change in &generalized.changes {
                let test = generalized.test(change);
                let file = &generalized.krate.files[test.file];
                let constants = test.constants.iter().zip(&change.inputs);
                let constants: Vec<(usize, usize, &str)> = constants
                    .filter(|(_, is_input)| **is_input)
                    .map(|(constant, _)| {
                        let text = &file.text[constant.range.clone()];
                        (constant.line, constant.column, text)
                    })
                    .collect();
                let path = file.path.strip_prefix(&self.workspace.root);
                let path = path.unwrap_or(&file.path).display();
                for number in &change.harnesses {
                    let harness = test.harness(*number);
                    let of_it = match number {
                        None => constants.clone(),
                        Some(number) => {
                            let constant = &test.constants[number - 1];
                            let text = &file.text[constant.range.clone()];
                            vec![(constant.line, constant.column, text)]
                        }
                    };
                    if is_json {
                        let of_it: Vec<Value> = of_it
                            .iter()
                            .map(|(line, column, text)| {
                                json!({"line": line, "column": column, "text": text})
                            })
                            .collect();
                        output::json(&json!({
                            "type": "generalized-test",
                            "harness": harness,
                            "test": test.name,
                            "file": path.to_string(),
                            "line": test.lines.0,
                            "constants": of_it,
                        }));
                    } else {
                        let of_it: Vec<String> =
                            of_it.iter().map(|(.., text)| shortened(text)).collect();
                        output::line(&format!(
                            "{harness}  {path}:{}  {}",
                            test.lines.0,
                            of_it.join(", ")
                        ));
                    }
                }
            }
        }
        if is_json {
            for refusal in &self.refusals {
                output::json(&json!({
                    "type": "left-as-it-is",
                    "test": refusal.test,
                    "reason": refusal.reason,
                }));
            }
        } else {
            let (tests, constants) = self.counts();
            output::line(&format!(
                "\n{tests} tests, {constants} constants\n{}",
                self.refused()
            ));
        }
    }
}

impl Judge for GeneralizedTests {
    fn judge(&self, report: &HarnessReport, finding: &FindingReport) -> Option<Judgement> {
        let found = self.found(&report.harness)?;
        let package = &report.harness.manifest_dir;
        let krate = &found.generalized.krate;
        Some(judge(&finding.finding, krate, found.test, package))
    }

    fn keep(&mut self, report: &HarnessReport, finding: &FindingReport) {
        let Some(mut left) = self.left.take() else {
            return;
        };
        if let Some(found) = self.found(&report.harness)
            && matches!(finding.replay, Replay::Confirmed { .. })
        {
            let mut values = found.values(finding);
            values.dedup();
            let is_one = |pair: &[(usize, &str)]| pair[0].0 != pair[1].0;
            // A constant that had several values on the path has no place for them.
            if values.windows(2).all(is_one) {
                let file = &found.generalized.krate.files[found.test.file];
                left.add(file, found.test, &values);
            }
        }
        self.left = Some(left);
    }

    fn leave(&mut self) {
        let Some(left) = self.left.take() else {
            return;
        };
        match left.write() {
            Ok(written) => self.written = written,
            Err((path, error)) => {
                output::unwritten(&format!("no tests are left in {}: {error}", shown(&path)));
            }
        }
    }

    fn explain(&self, report: &HarnessReport, finding: &mut FindingReport) {
        let Some(found) = self.found(&report.harness) else {
            return;
        };
        for input in finding
            .inputs
            .iter_mut()
            .flat_map(|inputs| &mut inputs.args)
        {
            if let Some(constant) = found.constant(&input.name) {
                let range = found.test.constants[constant].range.clone();
                input.name = format!(
                    "{} (line {})",
                    shortened(&found.text()[range]),
                    found.test.constants[constant].line
                );
            }
        }
    }

    fn notes(&self, report: &HarnessReport, finding: &FindingReport) -> Option<String> {
        let found = self.found(&report.harness)?;
        let lines = found.lines(finding);
        if lines.is_empty() {
            return None;
        }
        let path = shown(found.path());
        let mut text = format!("  `{}` with these values:\n", found.test.name);
        for (line, changed) in lines {
            text.push_str(&format!("    {path}:{line}: {changed}\n"));
        }
        if found.test.has_unsafe {
            text.push_str(
                "  the test has unsafe code: see whether these values keep what that asks for\n",
            );
        }
        Some(text)
    }

    fn json(&self, report: &HarnessReport, finding: &FindingReport, judgement: Judgement) -> Value {
        let found = self.found(&report.harness);
        let lines = found.as_ref().map(|found| found.lines(finding));
        let lines = lines.unwrap_or_default().into_iter();
        let lines = lines.map(|(line, text)| json!({"line": line, "text": text}));
        json!({
            "type": "generalize-finding",
            "harness": report.harness.name,
            "test": found.map(|found| found.test.name.clone()),
            "judgement": judgement.name(),
            "message": finding.finding.message,
            "at": finding.finding.at,
            "lines": lines.collect::<Vec<_>>(),
        })
    }

    fn summary(&self, tally: &Tally) -> String {
        let (tests, constants) = self.counts();
        let mut text = format!(
            "\ntests: {} seen, {tests} generalized, with {constants} constants as inputs: {}\n",
            tests + self.refusals.len(),
            tally.verdicts(),
        );
        text.push_str(&format!(
            "findings: {} of undefined behaviour, {} of panics in what is tested; besides, {} that documentation promises, {} \
             that tests expect, {} of memory that there cannot be, {} of the tests themselves\n",
            tally.judged(Judgement::Undefined),
            tally.judged(Judgement::Panic),
            tally.judged(Judgement::Promised),
            tally.judged(Judgement::Expected),
            tally.judged(Judgement::Memory),
            tally.judged(Judgement::OfTest),
        ));
        text.push_str(&self.refused());
        for left in &self.written {
            let path = shown(&left.path);
            text.push_str(&format!("left in {path}: a test `{}`\n", left.name));
        }
        text
    }

    fn json_summary(&self, tally: &Tally) -> Value {
        let (tests, constants) = self.counts();
        let refused = self
            .refusals
            .iter()
            .map(|refusal| json!({"test": refusal.test, "reason": refusal.reason}));
        let written = self.written.iter();
        let written = written.map(|left| json!({"file": left.path, "test": left.name}));
        json!({
            "type": "generalize-summary",
            "tests": tests + self.refusals.len(),
            "generalized": tests,
            "constants": constants,
            "findings": tally.findings,
            "left_as_they_are": refused.collect::<Vec<_>>(),
            "written": written.collect::<Vec<_>>(),
        })
    }
}

/// Returns a path as people see it: from the current directory, if it is below.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(&here).unwrap_or(path);
    path.display().to_string()
}

/// Reports whether a harness runs a test of a crate with this change.
fn runs(harness: &TestHarness, of: &Generalized, change: &Change) -> bool {
    let test = of.test(change);
    let mut harnesses = change.harnesses.iter();
    of.krate.files[test.file].is_called(&harness.file)
        && harnesses.any(|number| test.harness(*number) == harness.plain_function())
}

/// Returns the beginning of a text, on one line.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.len() < text.len() => format!("{line}…"),
        None => line.to_owned(),
    }
}
