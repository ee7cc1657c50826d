//! Joins the reports of parts of a run into the report of the whole.

use super::recorded::{PackageVersion, RecordedRun};
use super::verdict::{describe, word};
use crate::confirm::test_case::Written;
use crate::harness::TestHarness;
use crate::pipeline::HarnessReport;
use crate::pipeline::exit_code::ExitCode;
use crate::pipeline::partition::{self, Partition};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A report that was read, and the name by which messages call it.
pub struct Part {
    pub name: String,
    pub run: RecordedRun,
}

/// The report of a whole run.
pub struct Merged {
    pub run: RecordedRun,
    /// The parts of the run of which there is no report: `hash:2/4`.
    pub missing: Vec<Partition>,
}

/// What tells a harness of a workspace from all others; the order is that of reports.
type Key = (String, String, String, String);

fn key(harness: &TestHarness) -> Key {
    let TestHarness {
        name,
        package,
        target_kind,
        target,
        ..
    } = harness;
    (
        name.clone(),
        package.clone(),
        target_kind.clone(),
        target.clone(),
    )
}

/// Joins parts. A harness that is in several of them with the same verdict counts once, as in the
/// first. Fails with the reason where the reports are not of one run.
pub fn merge(parts: Vec<Part>) -> Result<Merged, String> {
    let mut parts = parts.into_iter();
    let first = parts.next().ok_or("there is no report to merge")?;
    let mut all = vec![first];
    for part in parts {
        alike(&all[0], &part)?;
        all.push(part);
    }
    let missing = missing(&all);
    let mut harnesses: BTreeMap<Key, TestHarness> = BTreeMap::new();
    let mut reports: BTreeMap<Key, (HarnessReport, String)> = BTreeMap::new();
    let mut ignored: BTreeMap<Key, TestHarness> = BTreeMap::new();
    let (mut code, mut interrupted) = (ExitCode::Pass, false);
    let workspace = all[0].run.facts.workspace.clone();
    let sizes: Vec<(usize, usize)> = all
        .iter()
        .map(|part| (part.run.filtered_out, part.run.harnesses.len()))
        .collect();
    let mut run = all[0].run.clone();
    for Part { name, run: part } in all {
        let here = Moved {
            from: part.facts.workspace.clone(),
            to: workspace.clone(),
        };
        let moved = |harness: TestHarness| (key(&harness), here.harness(harness));
        harnesses.extend(part.harnesses.into_iter().map(moved));
        ignored.extend(part.ignored.into_iter().map(moved));
        for report in part.reports {
            let key = key(&report.harness);
            if let Some((known, of)) = reports.get(&key) {
                same_verdict((known, of), (&report, &name))?;
            } else {
                reports.insert(key, (here.report(report), name.clone()));
            }
        }
        code = code.and(part.code);
        interrupted |= part.interrupted;
    }
    ignored.retain(|key, _| !harnesses.contains_key(key));
    let not_run = harnesses
        .iter()
        .filter(|(key, _)| !reports.contains_key(*key));
    let not_run: Vec<TestHarness> = not_run.map(|(_, harness)| harness.clone()).collect();
    // Those in another part count as filtered out there, and are none of the whole.
    let filtered_out = sizes
        .iter()
        .map(|(filtered_out, run)| filtered_out.saturating_sub(harnesses.len() - run));
    run.filtered_out = filtered_out.min().unwrap_or(0);
    run.facts.partition = None;
    run.harnesses = harnesses.into_values().collect();
    run.ignored = ignored.into_values().collect();
    run.reports = reports.into_values().map(|(report, _)| report).collect();
    run.not_run = not_run;
    run.code = code;
    run.interrupted = interrupted;
    Ok(Merged { run, missing })
}

/// Fails where two reports cannot be of one run.
fn alike(a: &Part, b: &Part) -> Result<(), String> {
    let (first, second) = (&a.run, &b.run);
    let differ = |what: String| Err(format!("{} and {} {what}", a.name, b.name));
    if first.version != second.version {
        return differ(format!(
            "are of different versions of cargo symex: {} and {}",
            first.version, second.version
        ));
    }
    if first.facts.packages != second.facts.packages {
        let (only_a, only_b) = (
            only(&first.facts.packages, &second.facts.packages),
            only(&second.facts.packages, &first.facts.packages),
        );
        return differ(format!(
            "are of different packages: {only_a} in the one, {only_b} in the other"
        ));
    }
    if first.facts.require_complete != second.facts.require_complete {
        return differ(
            "do not agree about --require-complete, by which a bounded pass is a failure"
                .to_owned(),
        );
    }
    Ok(())
}

/// Returns the packages that are in the first list alone.
fn only(of: &[PackageVersion], others: &[PackageVersion]) -> String {
    let of = of.iter().filter(|package| !others.contains(package));
    let names: Vec<String> = of
        .map(|package| format!("`{} {}`", package.name, package.version))
        .collect();
    match names.is_empty() {
        true => "nothing more".to_owned(),
        false => names.join(", "),
    }
}

fn same_verdict(a: (&HarnessReport, &str), b: (&HarnessReport, &str)) -> Result<(), String> {
    if word(&a.0.verdict) == word(&b.0.verdict) {
        return Ok(());
    }
    Err(format!(
        "`{}` has two verdicts: {} in {}, {} in {}",
        a.0.harness.name,
        describe(&a.0.verdict),
        a.1,
        describe(&b.0.verdict),
        b.1
    ))
}

/// Returns the parts of which there is no report, if all reports are of parts.
fn missing(parts: &[Part]) -> Vec<Partition> {
    let partitions = parts.iter().map(|part| {
        let partition = part.run.facts.partition.as_ref()?;
        partition.parse::<Partition>().ok()
    });
    match partitions.collect::<Option<Vec<Partition>>>() {
        Some(partitions) => partition::missing(&partitions),
        None => Vec::new(),
    }
}

/// The move from the workspace of one machine to that of another.
struct Moved {
    from: PathBuf,
    to: PathBuf,
}

impl Moved {
    fn path(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.from) {
            Ok(inner) if !inner.as_os_str().is_empty() => self.to.join(inner),
            Ok(_) => self.to.clone(),
            Err(_) => path.to_owned(),
        }
    }

    fn harness(&self, harness: TestHarness) -> TestHarness {
        TestHarness {
            manifest_dir: self.path(&harness.manifest_dir),
            ..harness
        }
    }

    fn report(&self, mut report: HarnessReport) -> HarnessReport {
        report.harness = self.harness(report.harness);
        for finding in &mut report.findings {
            if let Some(Written::Written { path, .. } | Written::Known { path, .. }) =
                &mut finding.test
            {
                *path = self.path(path);
            }
        }
        report.ignored.file = self.path(&report.ignored.file);
        if let Some(coverage) = &mut report.coverage {
            let files = std::mem::take(&mut coverage.files).into_iter();
            let moved = |file: String| {
                let path = self.path(Path::new(&file));
                path.into_os_string().into_string().unwrap_or(file)
            };
            coverage.files = files.map(|(file, lines)| (moved(file), lines)).collect();
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::example_run;
    use crate::report::json;
    use symex_types::outcome::Verdict;

    fn part(name: &str, run: RecordedRun) -> Part {
        Part {
            name: name.to_owned(),
            run,
        }
    }

    /// Returns the run of the example without an interrupt, and its two parts.
    fn parts() -> (RecordedRun, RecordedRun, RecordedRun) {
        let mut whole = example_run();
        whole.facts.partition = None;
        whole.not_run.clear();
        whole.harnesses.pop();
        (whole.code, whole.interrupted) = (ExitCode::Bug, false);
        let (mut a, mut b) = (whole.clone(), whole.clone());
        let all = whole.harnesses.len();
        for (number, part) in [&mut a, &mut b].into_iter().enumerate() {
            let is_in = |harness: &TestHarness| {
                let index = whole
                    .harnesses
                    .iter()
                    .position(|one| one.name == harness.name);
                index.unwrap() % 2 == number
            };
            part.facts.partition = Some(format!("slice:{}/2", number + 1));
            part.harnesses.retain(|harness| is_in(harness));
            part.reports.retain(|report| is_in(&report.harness));
            part.filtered_out += all - part.harnesses.len();
        }
        a.code = ExitCode::Inconclusive;
        (whole, a, b)
    }

    #[test]
    fn the_parts_of_a_run_are_the_run_in_any_order() {
        let (whole, a, b) = parts();
        for parts in [[&a, &b], [&b, &a]] {
            let parts = parts.map(|run| part("a part", run.clone()));
            let merged = merge(parts.into()).unwrap();
            assert!(merged.missing.is_empty());
            assert_eq!(json::text(&merged.run), json::text(&whole));
        }
    }

    #[test]
    fn missing_parts_are_named() {
        let (_, mut a, mut b) = parts();
        a.facts.partition = Some("hash:1/4".into());
        b.facts.partition = Some("hash:3/4".into());
        let merged = merge(vec![part("a", a), part("b", b)]).unwrap();
        let missing: Vec<String> = merged.missing.iter().map(Partition::to_string).collect();
        assert_eq!(missing, ["hash:2/4", "hash:4/4"]);
    }

    #[test]
    fn reports_of_different_runs_are_refused() {
        let (_, a, b) = parts();
        let refused = |b: RecordedRun| {
            let parts = vec![part("a.json", a.clone()), part("b.json", b)];
            merge(parts).err().expect("refused")
        };
        let mut other = b.clone();
        other.version = "0.2.0".into();
        assert_eq!(
            refused(other),
            "a.json and b.json are of different versions of cargo symex: 0.1.0 and 0.2.0"
        );
        let mut other = b.clone();
        other.facts.packages[0].version = "1.3.0".into();
        assert_eq!(
            refused(other),
            "a.json and b.json are of different packages: `parser 1.2.3` in the one, `parser 1.3.0` in the other"
        );
        let mut other = b.clone();
        other.facts.require_complete = true;
        assert!(refused(other).contains("--require-complete"));
        let mut other = a.clone();
        other.reports[0].verdict = Verdict::PassComplete;
        assert_eq!(
            refused(other),
            "`tests::bounded` has two verdicts: pass (bounded: length of data at most 4) in a.json, pass (complete) in b.json"
        );
    }

    #[test]
    fn a_harness_that_is_in_two_reports_counts_once() {
        let (whole, a, _) = parts();
        let parts = vec![part("whole", whole.clone()), part("a", a)];
        let merged = merge(parts).unwrap();
        assert_eq!(json::text(&merged.run), json::text(&whole));
    }

    #[test]
    fn what_was_run_on_another_machine_is_shown_in_this_workspace() {
        let (whole, a, mut b) = parts();
        let there: PathBuf = "/elsewhere".into();
        let here = Moved {
            from: whole.facts.workspace.clone(),
            to: there.clone(),
        };
        b.facts.workspace = there;
        b.facts.repository = None;
        b.harnesses = b
            .harnesses
            .into_iter()
            .map(|one| here.harness(one))
            .collect();
        b.reports = b.reports.into_iter().map(|one| here.report(one)).collect();
        let merged = merge(vec![part("a", a), part("b", b)]).unwrap();
        let text = json::text(&merged.run);
        assert!(!text.contains("elsewhere"), "{text}");
    }

    #[test]
    fn what_one_part_was_interrupted_before_may_be_in_another() {
        let whole = example_run();
        let mut rest = whole.clone();
        rest.reports.clear();
        rest.harnesses = rest.not_run.drain(..).collect();
        let mut report = whole.reports[3].clone();
        report.harness = rest.harnesses[0].clone();
        rest.reports.push(report);
        let merged = merge(vec![part("whole", whole), part("rest", rest)]).unwrap();
        assert!(merged.run.not_run.is_empty());
        assert_eq!(merged.run.reports.len(), 6);
        assert!(merged.run.interrupted);
    }
}
