//! A run with one harness of each kind of verdict, for the tests of the forms of report.

use super::recorded::{PackageVersion, RecordedRun, RunFacts};
use crate::confirm::FindingReport;
use crate::confirm::path_replay::{Difference, PathReplays};
use crate::confirm::replay::{How, Replay, TypedInput, TypedInputs};
use crate::confirm::test_case::Written;
use crate::harness::TestHarness;
use crate::ignored::Ignored;
use crate::pipeline::HarnessReport;
use crate::pipeline::exit_code::ExitCode;
use symex_types::outcome::{
    Bound, ConcreteInput, Counted, Earlier, EarlierEvent, Finding, FindingKind, SourceLoc, Stats,
    TraceFrame, Unsupported, Verdict,
};

/// Returns the run of a workspace `/repo/parts` in a repository `/repo`.
pub fn example_run() -> RecordedRun {
    let reports = vec![
        bounded(),
        inconclusive(),
        bug(),
        report("tests::passes", Verdict::PassComplete),
        vacuous(),
    ];
    let mut harnesses: Vec<TestHarness> = reports.iter().map(|one| one.harness.clone()).collect();
    let not_run = harness("tests::waits");
    harnesses.push(not_run.clone());
    RecordedRun {
        version: "0.1.0".into(),
        facts: RunFacts {
            packages: vec![PackageVersion {
                name: "parser".into(),
                version: "1.2.3".into(),
            }],
            partition: Some("hash:1/2".into()),
            workspace: "/repo/parts".into(),
            repository: Some("/repo".into()),
            ..RunFacts::default()
        },
        harnesses,
        ignored: vec![TestHarness {
            ignored: true,
            ..harness("tests::slow")
        }],
        reports,
        not_run: vec![not_run],
        filtered_out: 3,
        code: ExitCode::Interrupted,
        interrupted: true,
    }
}

fn harness(name: &str) -> TestHarness {
    TestHarness {
        name: name.into(),
        package: "parser".into(),
        target: "parser".into(),
        target_kind: "lib".into(),
        file: "src/lib.rs".into(),
        line: 10,
        column: 5,
        manifest_dir: "/repo/parts".into(),
        ..TestHarness::default()
    }
}

fn report(name: &str, verdict: Verdict) -> HarnessReport {
    HarnessReport {
        harness: harness(name),
        verdict,
        findings: Vec::new(),
        covers: Vec::new(),
        stats: Stats {
            paths: 7,
            seconds: 0.25,
            ..Stats::default()
        },
        paths: None,
        cached: false,
        resumable: false,
        coverage: None,
        decisions: None,
        ignored: Ignored::default(),
    }
}

fn counted<T>(what: T) -> Counted<T> {
    Counted {
        what,
        at: Some(SourceLoc::new("src/lib.rs", 3, 1)),
        count: 2,
    }
}

fn bounded() -> HarnessReport {
    let bounds = vec![counted(Bound::Size("length of data at most 4".into()))];
    HarnessReport {
        paths: Some(PathReplays {
            ran: 2,
            agree: 1,
            different: Some(Difference {
                what: "another output".into(),
                address_dependent: false,
                inputs: Vec::new(),
            }),
            failed: None,
        }),
        cached: true,
        ..report("tests::bounded", Verdict::PassBounded { bounds })
    }
}

fn inconclusive() -> HarnessReport {
    let verdict = Verdict::Inconclusive {
        unsupported: vec![counted(Unsupported::NoModel("fork".into()))],
        bounds: vec![counted(Bound::Timeout)],
    };
    report("tests::calls", verdict)
}

fn vacuous() -> HarnessReport {
    let verdict = Verdict::Vacuous {
        why: "a cover point is never met".into(),
        bounds: Vec::new(),
    };
    HarnessReport {
        covers: vec![("empty".into(), true), ("full".into(), false)],
        ..report("tests::tests_nothing", verdict)
    }
}

/// Returns a harness of another target with two findings: a panic that was confirmed, and undefined
/// behaviour that no native run shows.
fn bug() -> HarnessReport {
    let frame = |function: &str, line| TraceFrame {
        function: function.into(),
        at: Some(SourceLoc::new("src/lib.rs", line, 5)),
    };
    let library = TraceFrame {
        function: "core::panicking::panic_bounds_check".into(),
        at: Some(SourceLoc::new(
            "/rustc/1/library/core/src/panicking.rs",
            1,
            1,
        )),
    };
    let panic = Finding {
        kind: FindingKind::Panic,
        message: "index out of bounds".into(),
        check: None,
        at: Some(SourceLoc::new("src/lib.rs", 2, 5)),
        trace: vec![
            library,
            frame("parser::parse", 2),
            frame("parser::tests::parses", 11),
        ],
        allocated_at: None,
        earlier: Vec::new(),
        inputs: vec![ConcreteInput {
            name: "index".into(),
            role: Default::default(),
            bytes: vec![9, 0, 0, 0],
            form: Default::default(),
        }],
        output: b"parsing <\x1b[1m|>\n".to_vec(),
        address_dependent: false,
        assumptions: Vec::new(),
        threads: false,
        has_stubs: false,
        repeats: 1,
    };
    let silent = Finding {
        kind: FindingKind::UseAfterFree,
        message: "read of 1 byte, 50% of it: freed".into(),
        at: Some(SourceLoc::new("src/my file.rs", 7, 0)),
        trace: vec![frame("parser::tests::parses", 12)],
        allocated_at: Some(SourceLoc::new("src/lib.rs", 4, 9)),
        earlier: vec![Earlier {
            event: EarlierEvent::ReferenceMade,
            at: SourceLoc::new("src/lib.rs", 5, 9),
            text: None,
        }],
        output: Vec::new(),
        assumptions: vec!["the variable `HOME` is not set".into()],
        ..panic.clone()
    };
    let argument = TypedInput {
        name: "index".into(),
        type_name: "u32".into(),
        source: "9".into(),
        debug: None,
        redrawn: false,
    };
    let confirmed = FindingReport {
        finding: panic,
        replay: Replay::Confirmed {
            how: How::Panic {
                message: "index out of bounds: the len is 2 but the index is 9".into(),
                at: Some(SourceLoc::new("src/lib.rs", 2, 5)),
            },
        },
        inputs: Some(TypedInputs {
            args: vec![argument],
            call: "parses(9)".into(),
        }),
        test: Some(Written::Written {
            path: "/repo/parts/symex-regressions/tests.rs".into(),
            name: "parses_0123ab".into(),
            text: String::new(),
        }),
        variants: Vec::new(),
        identity: None,
    };
    let reason = "it ends well".to_owned();
    let silent = FindingReport::new(silent, Replay::NotReproduced { reason, cut: false });
    let verdict = Verdict::Bug {
        unsupported: Vec::new(),
        bounds: vec![counted(Bound::MaxPaths)],
    };
    let mut report = report("tests::parses", verdict);
    report.harness.target = "all".into();
    report.harness.target_kind = "test".into();
    report.findings = vec![confirmed, silent];
    report
}
