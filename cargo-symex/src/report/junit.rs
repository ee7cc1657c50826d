//! A run as JUnit XML, as nextest writes it: a suite for each test target, by the name that nextest
//! gives it, and a case for each harness.
//!
//! What fails is what makes the exit code one of failure: a bug, and a bounded pass if passes must
//! be complete, is a `failure`; a harness that could not be judged, tested nothing or was not run
//! is an `error`; one with `#[ignore]` is `skipped`. A bounded pass is a success, and its
//! properties and output name the bounds, as they do findings that do not count.

use super::human;
use super::recorded::RecordedRun;
use super::verdict::{bound_text, describe_report, unsupported_text, word};
use crate::confirm::kind_name;
use crate::confirm::test_case::Written;
use crate::harness::TestHarness;
use crate::pipeline::HarnessReport;
use crate::pipeline::exit_code::ExitCode;
use crate::source::place::Places;
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Returns the XML of a run. Paths below `here` are shown relative to it.
pub fn text(run: &RecordedRun, here: &Path) -> String {
    let mut suites: BTreeMap<String, Vec<TestCase>> = BTreeMap::new();
    let mut add = |harness: &TestHarness, case: TestCase| {
        suites.entry(suite(harness)).or_default().push(case);
    };
    for report in &run.reports {
        add(
            &report.harness,
            judged(report, run.facts.require_complete, here),
        );
    }
    for harness in &run.not_run {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type("interrupted");
        status.set_message("interrupted before it was started");
        add(harness, case(harness, status));
    }
    for harness in &run.ignored {
        let mut status = TestCaseStatus::skipped();
        status.set_message("#[ignore]");
        add(harness, case(harness, status));
    }
    let seconds: f64 = run.reports.iter().map(seconds).sum();
    let mut all = Report::new("cargo symex");
    all.set_time(duration(seconds));
    for (name, mut cases) in suites {
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        let mut suite = TestSuite::new(name);
        suite.set_time(cases.iter().filter_map(|case| case.time).sum());
        suite.add_test_cases(cases);
        all.add_test_suite(suite);
    }
    // The writer itself cannot fail, as it writes to memory.
    all.to_string().unwrap_or_default()
}

/// Returns the name of a harness's suite: what nextest calls the binary's id.
fn suite(harness: &TestHarness) -> String {
    let (package, target) = (&harness.package, &harness.target);
    match (&**package, &*harness.target_kind) {
        ("", _) => target.clone(),
        (_, "lib" | "proc-macro") => package.clone(),
        (_, "test") => format!("{package}::{target}"),
        (_, kind) => format!("{package}::{kind}/{target}"),
    }
}

fn case(harness: &TestHarness, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(&*harness.name, status);
    case.set_classname(suite(harness));
    case
}

/// Returns the case of a harness that was run.
fn judged(report: &HarnessReport, require_complete: bool, here: &Path) -> TestCase {
    let verdict = describe_report(report);
    let places = Places {
        here: here.to_owned(),
        package: report.harness.manifest_dir.clone(),
    };
    let details = human::plain_details(report, &places).join("\n\n");
    let kind = match ExitCode::of(&report.verdict, require_complete) {
        ExitCode::Pass => None,
        ExitCode::Bug | ExitCode::Bounded => Some(NonSuccessKind::Failure),
        _ => Some(NonSuccessKind::Error),
    };
    let status = match kind {
        None => TestCaseStatus::success(),
        Some(kind) => {
            let mut status = TestCaseStatus::non_success(kind);
            let finding = report.findings.first();
            status.set_type(match finding {
                Some(first) => kind_name(first.finding.kind),
                None => word(&report.verdict).to_owned(),
            });
            status.set_message(match finding {
                Some(first) => human::message(&first.finding, &first.replay),
                None => verdict.clone(),
            });
            status.set_description(format!("verdict: {verdict}\n\n{details}\n"));
            status
        }
    };
    let is_success = kind.is_none();
    let mut case = case(&report.harness, status);
    case.set_time(duration(seconds(report)));
    case.add_properties(properties(report));
    if is_success {
        let mut text = format!("{verdict}\n");
        if !details.is_empty() {
            text.push_str(&format!("\n{details}\n"));
        }
        case.set_system_out(text);
    } else {
        let output = report.findings.iter().flat_map(|one| &one.finding.output);
        let output: Vec<u8> = output.copied().collect();
        if !output.is_empty() {
            case.set_system_out_lossy(output);
        }
    }
    case
}

fn properties(report: &HarnessReport) -> Vec<Property> {
    let mut properties = vec![
        Property::new("verdict", word(&report.verdict)),
        Property::new("paths", report.stats.paths.to_string()),
        Property::new("cached", report.cached.to_string()),
    ];
    let bounds = report.verdict.bounds().iter();
    properties.extend(bounds.map(|bound| Property::new("bound", bound_text(&bound.what))));
    let unsupported = report.verdict.unsupported().iter();
    properties
        .extend(unsupported.map(|one| Property::new("unsupported", unsupported_text(&one.what))));
    for one in &report.ignored.findings {
        let text = format!("{}: {}", kind_name(one.detail.finding.kind), one.reason);
        properties.push(Property::new("ignored", text));
    }
    for finding in &report.findings {
        if let Some(Written::Written { path, name, .. } | Written::Known { path, name, .. }) =
            &finding.test
        {
            let text = format!("{name} in {}", path.display());
            properties.push(Property::new("test", text));
        }
    }
    properties
}

/// Returns the seconds that the exploration took in this run.
fn seconds(report: &HarnessReport) -> f64 {
    match report.cached {
        true => 0.0,
        false => report.stats.seconds,
    }
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::example_run;
    use roxmltree::{Document, Node};

    fn case<'a>(xml: &'a Document<'_>, name: &str) -> Node<'a, 'a> {
        let mut nodes = xml.descendants();
        nodes
            .find(|node| node.has_tag_name("testcase") && node.attribute("name") == Some(name))
            .unwrap_or_else(|| panic!("no case {name}"))
    }

    fn child<'a>(node: Node<'a, 'a>, name: &str) -> Node<'a, 'a> {
        let mut children = node.children();
        let found = children.find(|child| child.has_tag_name(name));
        found.unwrap_or_else(|| panic!("no {name} in {node:?}"))
    }

    fn properties<'a>(node: Node<'a, 'a>, name: &str) -> Vec<&'a str> {
        let all = child(node, "properties").children();
        all.filter(|property| property.attribute("name") == Some(name))
            .filter_map(|property| property.attribute("value"))
            .collect()
    }

    #[test]
    fn a_case_ends_as_the_exit_code_takes_its_verdict() {
        let text = text(&example_run(), Path::new("/repo"));
        let xml = Document::parse(&text).unwrap();
        let root = xml.root_element();
        assert_eq!(root.tag_name().name(), "testsuites");
        let counts = |node: &Node| {
            ["tests", "failures", "errors", "skipped"]
                .map(|name| node.attribute(name).unwrap().to_owned())
        };
        assert_eq!(counts(&root), ["7", "1", "3", "1"]);
        let suites = root.children().filter(|node| node.is_element());
        let suites: Vec<_> = suites
            .map(|suite| (suite.attribute("name").unwrap(), counts(&suite)))
            .collect();
        assert_eq!(suites[0].0, "parser");
        assert_eq!(suites[0].1, ["6", "0", "3", "1"]);
        assert_eq!(suites[1].0, "parser::all");
        assert_eq!(suites[1].1, ["1", "1", "0", "0"]);

        let bug = case(&xml, "tests::parses");
        assert_eq!(bug.attribute("classname"), Some("parser::all"));
        assert_eq!(bug.attribute("time"), Some("0.250"));
        let failure = child(bug, "failure");
        assert_eq!(failure.attribute("type"), Some("panic"));
        assert_eq!(
            failure.attribute("message"),
            Some("index out of bounds: the len is 2 but the index is 9")
        );
        let details = failure.text().unwrap();
        for part in [
            "index: u32 = 9",
            "parser::parse at src/lib.rs:2:5",
            "parses_0123ab",
        ] {
            assert!(details.contains(part), "{part} in {details}");
        }
        assert_eq!(
            properties(bug, "test"),
            ["parses_0123ab in /repo/parts/symex-regressions/tests.rs"]
        );
        assert_eq!(properties(bug, "bound"), ["path limit"]);
        // Escape sequences cannot be in XML.
        assert!(
            child(bug, "system-out")
                .text()
                .unwrap()
                .contains("parsing <|>")
        );

        let calls = case(&xml, "tests::calls");
        let error = child(calls, "error");
        assert_eq!(error.attribute("type"), Some("inconclusive"));
        assert!(
            error
                .attribute("message")
                .unwrap()
                .contains("no model of `fork`")
        );
        assert_eq!(properties(calls, "unsupported").len(), 1);
        child(case(&xml, "tests::tests_nothing"), "error");
        child(case(&xml, "tests::waits"), "error");
        let skipped = child(case(&xml, "tests::slow"), "skipped");
        assert_eq!(skipped.attribute("message"), Some("#[ignore]"));
    }

    #[test]
    fn a_bounded_pass_fails_only_where_passes_must_be_complete() {
        let mut run = example_run();
        let lenient = text(&run, Path::new("/repo"));
        let xml = Document::parse(&lenient).unwrap();
        let bounded = case(&xml, "tests::bounded");
        assert!(
            !bounded
                .children()
                .any(|child| child.has_tag_name("failure"))
        );
        assert_eq!(properties(bounded, "bound"), ["length of data at most 4"]);
        let out = child(bounded, "system-out").text().unwrap();
        assert!(
            out.starts_with("pass (bounded: length of data at most 4) [cached]\n"),
            "{out}"
        );
        assert_eq!(bounded.attribute("time"), Some("0.000"));

        run.facts.require_complete = true;
        let strict = text(&run, Path::new("/repo"));
        let xml = Document::parse(&strict).unwrap();
        let failure = child(case(&xml, "tests::bounded"), "failure");
        assert_eq!(failure.attribute("type"), Some("pass-bounded"));
        let passes = case(&xml, "tests::passes");
        assert!(!passes.children().any(|child| child.has_tag_name("failure")));
    }
}
