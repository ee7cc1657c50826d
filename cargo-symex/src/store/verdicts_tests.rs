use super::*;
use crate::store::{Fingerprints, Reached, Subject};
use std::sync::{Arc, Mutex};
use symex_program::{Body, FuncId, Function, Inst, LocId, Program};
use symex_types::config::{Config, MemoryModelKind};
use symex_types::outcome::{
    ConcreteInput, Counted, Finding, FindingKind, SourceLoc, Stats, TraceFrame, Verdict,
    stats::StageStats,
};

fn program(unrelated: u32) -> Program {
    let function = |name: &str, slots| Function {
        name: name.to_owned(),
        display: name.to_owned(),
        body: Some(Body {
            code: vec![Inst::Ret { first: 0, count: 0 }],
            locs: vec![LocId(0)],
            blocks: vec![0],
            slots,
            ..Body::default()
        }),
        ..Function::default()
    };
    Program {
        functions: vec![function("entry", 1), function("other", unrelated)],
        ..Program::default()
    }
}

/// The code of the first function of a program.
struct First(Mutex<Fingerprints>);

impl Reached for First {
    fn hash(&self, scope: Scope) -> Option<Hash> {
        let mut prints = self.0.lock().unwrap();
        Some(match scope {
            Scope::Reached => prints.reached(FuncId(0)),
            Scope::Whole => prints.whole(FuncId(0)),
        })
    }
}

fn keys_of(config: &Config, harness: &str, should_panic: Option<&str>, unrelated: u32) -> Keys {
    let fingerprints = Fingerprints::new(Arc::new(program(unrelated)));
    let subject = Subject {
        harness,
        should_panic,
        config,
        tool: &[1; 32],
    };
    Keys::of(&subject, Box::new(First(Mutex::new(fingerprints)))).unwrap()
}

fn keys() -> Keys {
    keys_of(&Config::default(), "h", None, 1)
}

fn store(folder: &std::path::Path) -> Store {
    Store::open(folder, &std::env::current_exe().unwrap())
}

fn counted<T>(what: T) -> Vec<Counted<T>> {
    let at = Some(SourceLoc {
        file: "src/lib.rs".to_owned(),
        line: 3,
        column: 7,
    });
    vec![Counted { what, at, count: 2 }]
}

fn outcome(verdict: Verdict) -> Outcome {
    Outcome {
        verdict,
        findings: Vec::new(),
        covers: vec![("met".to_owned(), true)],
        decisions: None,
        marks: Default::default(),
        stats: Stats {
            paths: u64::MAX,
            seconds: 0.1 + 0.2,
            purposes: [("branch".to_owned(), 3)].into(),
            stages: vec![StageStats {
                name: "z3".to_owned(),
                answered: 3,
                ..StageStats::default()
            }],
            ..Stats::default()
        },
    }
}

fn bug() -> Outcome {
    let mut bug = outcome(Verdict::Bug {
        unsupported: counted(Unsupported::NoModel("f".to_owned())),
        bounds: counted(Bound::Size("length of v <= 3".to_owned())),
    });
    bug.findings.push(Finding {
        kind: FindingKind::OutOfBounds,
        message: "\u{0}é\n".to_owned(),
        check: Some("c".to_owned()),
        at: counted(()).remove(0).at,
        trace: vec![TraceFrame {
            function: "f".to_owned(),
            at: None,
        }],
        allocated_at: None,
        earlier: Vec::new(),
        inputs: vec![ConcreteInput {
            name: "x".to_owned(),
            role: Default::default(),
            bytes: vec![0, 255],
            form: Default::default(),
        }],
        output: vec![0xff, 0],
        address_dependent: false,
        assumptions: Vec::new(),
        threads: false,
        has_stubs: false,
        repeats: u64::MAX,
    });
    bug
}

#[test]
fn an_outcome_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let bounded = Verdict::PassBounded {
        bounds: counted(Bound::MaxPaths),
    };
    let vacuous = Verdict::Vacuous {
        why: "no end".to_owned(),
        bounds: counted(Bound::MaxSteps),
    };
    let inconclusive = Verdict::Inconclusive {
        unsupported: counted(Unsupported::InlineAsm("nop".to_owned())),
        bounds: Vec::new(),
    };
    let verdicts = [Verdict::PassComplete, bounded, vacuous, inconclusive];
    let all = verdicts.map(outcome).into_iter().chain([bug()]);
    for (number, outcome) in all.enumerate() {
        let store = store(folder.path());
        let keys = keys_of(&Config::default(), &format!("h{number}"), None, 1);
        assert_eq!(get(&store, &keys), None);
        put(&store, &keys, &outcome);
        let found = get(&self::store(folder.path()), &keys).unwrap();
        assert_eq!(found, outcome);
    }
}

#[test]
fn everything_that_is_set_is_in_the_key() {
    let plain = keys().reached;
    let with = |change: fn(&mut Config)| {
        let mut config = Config::default();
        change(&mut config);
        keys_of(&config, "h", None, 1).reached
    };
    assert_eq!(plain, with(|_| {}));
    assert_eq!(plain, with(|c| c.solver.query_log = Some("q".into())));
    assert_eq!(plain, with(|c| c.solver.smtlib_log = Some("q".into())));
    assert_ne!(plain, with(|c| c.seed = 1));
    assert_ne!(plain, with(|c| c.limits.max_paths = Some(1)));
    assert_ne!(plain, with(|c| c.limits.timeout = None));
    assert_ne!(plain, with(|c| c.memory.max_symbolic_size = 1));
    assert_ne!(plain, with(|c| c.memory.model = MemoryModelKind::Forking));
    assert_ne!(plain, keys_of(&Config::default(), "i", None, 1).reached);
    assert_ne!(plain, keys_of(&Config::default(), "h", Some(""), 1).reached);
    assert_eq!(plain, keys_of(&Config::default(), "h", None, 2).reached);
}

#[test]
fn what_comes_of_placement_is_kept_for_the_whole_program() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let mut outcome = outcome(Verdict::PassComplete);
    outcome.stats.by_address = 1;
    put(&store, &keys(), &outcome);
    assert_eq!(get(&store, &keys()), Some(outcome.clone()));
    assert_eq!(
        get(&store, &keys_of(&Config::default(), "h", None, 2)),
        None
    );

    let mut config = Config::default();
    config.memory.model = MemoryModelKind::Flat;
    outcome.stats.by_address = 0;
    put(&store, &keys_of(&config, "h", None, 1), &outcome);
    assert_eq!(get(&store, &keys_of(&config, "h", None, 1)), Some(outcome));
    assert_eq!(get(&store, &keys_of(&config, "h", None, 2)), None);
}

#[test]
fn what_the_clock_or_the_machine_decided_is_not_kept() {
    let bounded = |bound| {
        is_lasting(&outcome(Verdict::PassBounded {
            bounds: counted(bound),
        }))
    };
    let open = |unsupported| {
        is_lasting(&outcome(Verdict::Inconclusive {
            unsupported: counted(unsupported),
            bounds: Vec::new(),
        }))
    };
    for bound in [Bound::Timeout, Bound::MaxMemory, Bound::Interrupted] {
        assert!(!bounded(bound.clone()), "{bound:?}");
        let mut bug = bug();
        assert!(is_lasting(&bug));
        bug.verdict = Verdict::Bug {
            unsupported: Vec::new(),
            bounds: counted(bound),
        };
        assert!(!is_lasting(&bug));
    }
    let lasting = [
        Bound::MaxPaths,
        Bound::MaxInstructions,
        Bound::MaxQueries,
        Bound::MaxSteps,
        Bound::FirstBug,
    ];
    for bound in lasting {
        assert!(bounded(bound.clone()), "{bound:?}");
    }
    let mut unordered = outcome(Verdict::PassBounded {
        bounds: counted(Bound::MaxPaths),
    });
    unordered.stats.unanswered = 1;
    assert!(!is_lasting(&unordered));
    unordered.verdict = Verdict::PassComplete;
    assert!(is_lasting(&unordered));
    for unsupported in [
        Unsupported::Solver,
        Unsupported::Internal,
        Unsupported::Replay,
    ] {
        assert!(!open(unsupported("why".to_owned())));
    }
    for unsupported in [
        Unsupported::NoModel,
        Unsupported::Model,
        Unsupported::Operation,
        Unsupported::Resolution,
    ] {
        assert!(open(unsupported("why".to_owned())));
    }
}

#[test]
fn a_very_large_outcome_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let mut large = bug();
    large.findings[0].output = vec![100; MOST_BYTES / 3];
    put(&store, &keys(), &large);
    assert_eq!(get(&store, &keys()), None);
    assert_eq!(store.warning(), None);
}
