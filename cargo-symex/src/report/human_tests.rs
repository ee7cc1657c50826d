//! Golden tests of the human report.

use super::*;
use crate::confirm::replay::{TypedInput, TypedInputs};
use crate::harness::TestHarness;
use crate::ignored::Ignored;
use symex_types::outcome::{Bound, Form, Stats, TraceFrame, Unsupported};

const SOURCE: &str = "pub fn parse(data: &[u8], len: usize) -> u8 {\n    data[len]\n}\n";

fn report(dir: &std::path::Path) -> HarnessReport {
    std::fs::create_dir_all(dir.join("src")).unwrap();
    std::fs::write(dir.join("src/lib.rs"), SOURCE).unwrap();
    let at = |line, column| SourceLoc {
        file: "src/lib.rs".into(),
        line,
        column,
    };
    let frame = |function: &str, at: SourceLoc| TraceFrame {
        function: function.into(),
        at: Some(at),
    };
    let panicking = SourceLoc {
        file: "/rustc/1/library/core/src/panicking.rs".into(),
        line: 1,
        column: 1,
    };
    let finding = Finding {
        kind: FindingKind::Panic,
        message: "index out of bounds".into(),
        check: None,
        at: Some(at(2, 5)),
        trace: vec![
            frame("core::panicking::panic_bounds_check", panicking),
            frame("krate::parse", at(2, 5)),
            frame("krate::tests::parses", at(9, 9)),
            frame("krate::tests::__symex_parses::entry", at(8, 1)),
        ],
        allocated_at: None,
        earlier: Vec::new(),
        inputs: vec![ConcreteInput {
            name: "len".into(),
            role: Default::default(),
            bytes: 9u64.to_le_bytes().into(),
            form: Default::default(),
        }],
        output: b"parsing\n".to_vec(),
        address_dependent: false,
        assumptions: Vec::new(),
        threads: false,
        has_stubs: false,
        repeats: 3,
    };
    let arg = |name: &str, type_name: &str, source: &str| TypedInput {
        name: name.into(),
        type_name: type_name.into(),
        source: source.into(),
        debug: None,
        redrawn: false,
    };
    let message = "index out of bounds: the len is 2 but the index is 9".to_owned();
    let detail = FindingReport {
        finding,
        replay: Replay::Confirmed {
            how: How::Panic {
                message,
                at: Some(at(2, 5)),
            },
        },
        inputs: Some(TypedInputs {
            args: vec![
                arg("data", "[u8; 2]", "[0x2f, 0x00]"),
                arg("len", "usize", "9"),
            ],
            call: String::new(),
        }),
        test: Some(Written::Written {
            path: dir.join("symex-regressions/src/lib/tests/parses.rs"),
            name: "parses_8f3a21".into(),
            text: String::new(),
        }),
        variants: Vec::new(),
        identity: None,
    };
    HarnessReport {
        harness: TestHarness {
            name: "tests::parses".into(),
            ..TestHarness::default()
        },
        verdict: Verdict::Bug {
            unsupported: Vec::new(),
            bounds: Vec::new(),
        },
        findings: vec![detail],
        covers: Vec::new(),
        stats: Stats::default(),
        paths: None,
        cached: false,
        resumable: false,
        coverage: None,
        decisions: None,
        ignored: Ignored::default(),
    }
}

fn shown(report: &HarnessReport, dir: &std::path::Path) -> String {
    let places = Places {
        here: dir.into(),
        package: dir.into(),
    };
    let text = details(report, &places, Calls::All).join("\n\n");
    anstream::adapter::strip_str(&text).to_string()
}

#[test]
fn the_text_of_a_panic_at_another_place_is_not_taken() {
    let dir = tempfile::tempdir().unwrap();
    let mut report = report(dir.path());
    let detail = &mut report.findings[0];
    let told = super::message(&detail.finding, &detail.replay);
    assert_eq!(told, "index out of bounds: the len is 2 but the index is 9");
    detail.finding.at = Some(SourceLoc::new("src/lib.rs", 3, 5));
    let told = super::message(&detail.finding, &detail.replay);
    assert_eq!(told, "index out of bounds");
}

#[test]
fn a_confirmed_panic() {
    let dir = tempfile::tempdir().unwrap();
    let text = shown(&report(dir.path()), dir.path());
    assert_eq!(
        text,
        "\
error[panic]: index out of bounds: the len is 2 but the index is 9
 --> src/lib.rs:2:5
  |
2 |     data[len]
  |     ^^^^^^^^^
  |
  = harness: tests::parses
  = inputs: data: [u8; 2] = [0x2f, 0x00]
            len: usize = 9
  = trace: …: 1 frame of the standard library
           0: krate::parse at src/lib.rs:2:5
           1: krate::tests::parses at src/lib.rs:9:9
  = output: parsing
  = confirmed: natively: panicked at src/lib.rs:2:5
  = test: `parses_8f3a21` written to symex-regressions/src/lib/tests/parses.rs
  = note: 3 more paths end the same way"
    );
}

#[test]
fn other_calls_are_shown_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let mut report = report(dir.path());
    let detail = &mut report.findings[0];
    let mut variant = detail.finding.clone();
    variant.trace[2].function = "krate::tests::other".to_owned();
    variant.inputs[0].bytes[0] = 10;
    detail.variants = vec![variant];
    let text = shown(&report, dir.path());
    assert!(
        text.ends_with(
            "\
  = note: 3 more paths end the same way, by 1 other sequence of calls
  = calls: …: 1 frame of the standard library
           0: krate::parse at src/lib.rs:2:5
           1: krate::tests::other at src/lib.rs:9:9
  = inputs: len = 10 (0x000000000000000a)"
        ),
        "{text}"
    );
    let places = Places::default();
    let text = finding(&report, &report.findings[0], &places, Calls::Shortest);
    let text = anstream::adapter::strip_str(&text).to_string();
    let note = "by 1 other sequence of calls (--call-stacks shows them)";
    assert!(text.ends_with(note), "{text}");
}

#[test]
fn a_place_in_std_shows_the_users_call() {
    let dir = tempfile::tempdir().unwrap();
    let mut report = report(dir.path());
    let finding = &mut report.findings[0].finding;
    finding.kind = FindingKind::OutOfBounds;
    finding.message = "read of 1 byte at offset 9 of an object of 2 bytes".into();
    finding.at = finding.trace[0].at.clone();
    report.findings[0].replay = Replay::NotReproduced {
        reason: "undefined behaviour may be silent".into(),
        cut: false,
    };
    let text = shown(&report, dir.path());
    assert!(
        text.starts_with("error[out-of-bounds]: read of 1 byte at offset 9"),
        "{text}"
    );
    assert!(text.contains("^^^^^^^^^ in a call from here"), "{text}");
    assert!(
        text.contains("= at: library/core/src/panicking.rs:1:1"),
        "{text}"
    );
    assert!(
        text.contains("= not reproduced natively: undefined behaviour may be silent"),
        "{text}"
    );
}

#[test]
fn what_lies_behind_undefined_behaviour_on_every_path_is_said_to_be_unexplored() {
    let dir = tempfile::tempdir().unwrap();
    let mut report = report(dir.path());
    let note = "= note: no path goes past this: what follows was not explored";
    // Behind a panic, nothing follows natively either.
    report.stats.paths = 4;
    assert!(!shown(&report, dir.path()).contains(note));
    report.findings[0].finding.kind = FindingKind::OutOfBounds;
    assert!(shown(&report, dir.path()).contains(note));
    report.stats.paths = 5;
    assert!(!shown(&report, dir.path()).contains(note));
}

#[test]
fn a_panic_that_no_native_run_shows_is_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let mut report = report(dir.path());
    report.findings[0].replay = Replay::NotReproduced {
        reason: "the native run ends well".into(),
        cut: false,
    };
    let text = shown(&report, dir.path());
    assert!(
        text.starts_with("warning[panic]: index out of bounds\n"),
        "{text}"
    );
    assert!(text.contains("perhaps a fault of cargo symex"), "{text}");
}

#[test]
fn a_finding_says_what_it_rests_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut report = report(dir.path());
    let finding = &mut report.findings[0].finding;
    finding.assumptions = vec!["the clock was taken to stand still".into()];
    assert!(!shown(&report, dir.path()).contains("assumed"));
    let refuted = |cut| Replay::NotReproduced {
        reason: "why".into(),
        cut,
    };
    report.findings[0].replay = refuted(false);
    let text = shown(&report, dir.path());
    let lines = "= not reproduced natively: why\n  = assumed: the clock was taken to stand still\n";
    assert!(text.contains(lines), "{text}");
    assert!(text.contains("it rests on what was assumed"), "{text}");
    assert!(!text.contains("a fault of cargo symex"), "{text}");
    report.findings[0].replay = refuted(true);
    let text = shown(&report, dir.path());
    assert!(text.contains("the native run was cut"), "{text}");
    assert!(!text.contains("a fault of cargo symex"), "{text}");
}

#[test]
fn without_types_the_draws_are_shown() {
    let len = ConcreteInput {
        name: "len".into(),
        role: Default::default(),
        bytes: vec![9, 1],
        form: Default::default(),
    };
    assert_eq!(input(&len), "len = 265 (0x0109)");
    let bytes = ConcreteInput {
        form: Form::Bytes,
        ..len
    };
    assert_eq!(input(&bytes), r#"len = b"\t\x01" (0x0901)"#);
    let either = ConcreteInput {
        form: Form::Either,
        ..bytes
    };
    assert_eq!(input(&either), r#"len = 265 (0x0109, b"\t\x01")"#);
    let key = ConcreteInput {
        name: "key".into(),
        role: Default::default(),
        bytes: b"a\"\x00".to_vec(),
        form: Default::default(),
    };
    assert_eq!(input(&key), r#"key = b"a\"\x00" (0x612200)"#);
}

#[test]
fn what_was_cut_is_told_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let mut report = report(dir.path());
    report.findings.clear();
    let at = Some(SourceLoc {
        file: "src/lib.rs".into(),
        line: 2,
        column: 5,
    });
    report.verdict = Verdict::Inconclusive {
        unsupported: vec![Counted {
            what: Unsupported::NoModel("fork".into()),
            at,
            count: 4,
        }],
        bounds: vec![Counted {
            what: Bound::Timeout,
            at: None,
            count: 1,
        }],
    };
    report.covers = vec![("met".into(), true), ("long".into(), false)];
    assert_eq!(
        shown(&report, dir.path()),
        "\
warning: tests::parses could not be judged
 |
 = note: no model of `fork` at src/lib.rs:2:5 (4 paths)
 = note: timeout
 = note: cover point `long` was never met"
    );
}

#[test]
fn what_the_verdict_says_is_not_said_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut report = report(dir.path());
    report.findings.clear();
    let timeout = Counted {
        what: Bound::Timeout,
        at: None,
        count: 1,
    };
    report.verdict = Verdict::PassBounded {
        bounds: vec![timeout.clone()],
    };
    assert_eq!(shown(&report, dir.path()), "");
    // With a bug, the verdict's line does not mention the bound.
    report.verdict = Verdict::Bug {
        unsupported: Vec::new(),
        bounds: vec![timeout],
    };
    assert!(shown(&report, dir.path()).contains("= note: timeout"));
}

#[test]
fn limits_name_the_options_that_move_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut report = report(dir.path());
    report.findings.clear();
    let mut text = |bounds: &[Bound]| {
        let counted = |what: &Bound| Counted {
            what: what.clone(),
            at: None,
            count: 2,
        };
        report.verdict = Verdict::PassBounded {
            bounds: bounds.iter().map(counted).collect(),
        };
        shown(&report, dir.path())
    };
    let orders = text(&[Bound::Preemptions(2)]);
    assert!(
        orders.contains("`--preemptions 3` explores more"),
        "{orders}"
    );
    let orders = text(&[Bound::Preemptions(2), Bound::Timeout]);
    assert!(
        orders.contains("`--preemptions 1` explores fewer"),
        "{orders}"
    );
    let orders = text(&[Bound::Preemptions(0), Bound::Timeout]);
    assert!(!orders.contains("`--preemptions"), "{orders}");
    let steps = text(&[Bound::MaxSteps]);
    assert!(steps.contains("a greater `--max-steps`"), "{steps}");
}

#[test]
fn a_pass_that_rests_on_addresses_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let mut report = report(dir.path());
    report.findings.clear();
    report.verdict = Verdict::PassComplete;
    assert_eq!(shown(&report, dir.path()), "");
    report.stats.by_address = 4;
    report.harness.package.clear();
    let text = shown(&report, dir.path());
    assert!(
        text.starts_with("note: ") && text.contains("on which it depends (4 decisions)"),
        "{text}"
    );
}

#[test]
fn a_place_in_a_dependency_shows_the_packages_own_line_too() {
    let dir = tempfile::tempdir().unwrap();
    let registry = dir.path().join("registry/src/index/dep-1.0.0/src");
    std::fs::create_dir_all(&registry).unwrap();
    std::fs::write(registry.join("lib.rs"), "fn f() { panic!() }\n").unwrap();
    let mut report = report(dir.path());
    let finding = &mut report.findings[0].finding;
    let at = SourceLoc {
        file: registry.join("lib.rs").display().to_string(),
        line: 1,
        column: 10,
    };
    finding.trace[0] = TraceFrame {
        function: "dep::f".into(),
        at: Some(at.clone()),
    };
    finding.at = Some(at);
    let text = shown(&report, dir.path());
    assert!(
        text.contains(
            "\
 --> registry/src/index/dep-1.0.0/src/lib.rs:1:10
  |
1 | fn f() { panic!() }
  |          ^^^^^^^^
  |
 ::: src/lib.rs:2:5
  |
2 |     data[len]
  |     --------- reached from here
"
        ),
        "{text}"
    );
    assert!(
        text.contains("0: dep::f at dep-1.0.0/src/lib.rs:1:10\n"),
        "{text}"
    );
}
