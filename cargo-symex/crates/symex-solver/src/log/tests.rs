use super::*;
use crate::log_replay::{LogReplay, Other};
use crate::{Answer, Ask, Chain, Purpose};
use std::time::Duration;
use symex_terms::{AddressMap, Assignment, Expr, ObjectId, PathCondition, Pool};
use symex_types::config::SolverConfig;

struct Addresses;

impl AddressMap for Addresses {
    fn address(&self, object: ObjectId) -> u64 {
        0x1000_0000_0000 + u64::from(object.0) * 0x100
    }

    fn size(&self, _object: ObjectId) -> Option<u64> {
        Some(8)
    }
}

/// Goals that several stages answer, and Z3.
const GOALS: [&str; 9] = [
    "(ult x.0.0:8 0x20:8)",
    "(eq x.0.0:8 0x1f:8)",
    "(eq x.0.0:8 0x21:8)",
    "(ult y.1.0:32 z.2.0:32)",
    "(ult z.2.0:32 w.3.0:32)",
    "(ult w.3.0:32 y.1.0:32)",
    "(eq (mul y.1.0:32 z.2.0:32) 0x3039:32)",
    "(ult (add @3^4 (zext 64 x.0.0:8)) 0x100000000305:64)",
    "(eq (select (store (table 3:8 5:8 7:8 x.0.0:8) (zext 64 (extract 0 2 i.4.0:8)) 9:8) (zext 64 (extract 0 2 x.0.0:8))) 9:8)",
];

/// Follows a path through the goals with a chain that writes a log; returns its text, and the
/// answers.
fn record(pools: usize) -> (String, Vec<Said>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("of/a run.queries");
    let mut chain = Chain::new(&SolverConfig {
        query_log: Some(path.clone()),
        ..SolverConfig::default()
    });
    let mut answers = Vec::new();
    for _ in 0..pools {
        let pool = &mut Pool::new();
        let mut condition = PathCondition::default();
        let mut assignment = Assignment::default();
        for (at, goal) in GOALS.iter().enumerate() {
            let goal: Expr = pool.parse(goal).unwrap();
            chain.set_timeout(Duration::from_secs(20 - at as u64 % 2));
            for side in [goal, pool.not(goal)] {
                let purpose = Purpose::ALL[at % Purpose::ALL.len()];
                let before = chain.stats().total();
                let answer = Ask {
                    solver: &mut chain,
                    condition: &condition,
                    addresses: &Addresses,
                    assignment: &assignment,
                }
                .may_be_true(pool, side, purpose);
                if chain.stats().total() > before {
                    answers.push(match answer {
                        Answer::Sat(_) => Said::Sat,
                        Answer::Unsat => Said::Unsat,
                        Answer::Unknown(_) => Said::Unknown,
                    });
                }
                if side == goal
                    && let Answer::Sat(found) = answer
                {
                    condition.add(pool, goal);
                    assignment = found;
                    break;
                }
            }
        }
    }
    (std::fs::read_to_string(path).unwrap(), answers)
}

#[test]
fn a_log_is_replayed_with_the_answers_that_it_tells() {
    let (text, answers) = record(2);
    assert!(answers.contains(&Said::Sat) && answers.contains(&Said::Unsat));
    let mut reader = LogReader::new(&text).unwrap();
    let mut said = Vec::new();
    while let Some(logged) = reader.next_query().unwrap() {
        said.extend(logged.said);
    }
    assert_eq!(said, answers);

    let mut chains = vec![LogReplay::default()];
    chains.push(LogReplay {
        bare: true,
        cross_check: true,
        ..LogReplay::default()
    });
    chains.extend(Chain::stage_names().iter().map(|name| LogReplay {
        config: SolverConfig {
            without_stages: vec![name.to_string()],
            ..SolverConfig::default()
        },
        ..LogReplay::default()
    }));
    for replay in &chains {
        let done = replay.run(&text).unwrap();
        assert_eq!(done.stats.total(), answers.len() as u64);
        assert_eq!(done.contradictions, []);
        assert_eq!(
            (done.lost, done.gained),
            (0, 0),
            "{:?}",
            replay.config.without_stages
        );
        let stages = done.stats.stages.iter().map(|s| s.name);
        let expected = Chain::stage_names().len() - replay.config.without_stages.len();
        assert_eq!(stages.count(), if replay.bare { 0 } else { expected });
    }
}

#[test]
fn a_replay_of_a_replay_writes_the_same_log() {
    let (text, _) = record(2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("again.queries");
    let mut replay = LogReplay::default();
    replay.config.query_log = Some(path.clone());
    replay.run(&text).unwrap();
    let again = std::fs::read_to_string(path).unwrap();
    // Who answered is as before; only times differ.
    let without_times = |text: &str| {
        let lines = text.lines().map(|line| match line.strip_prefix("; ") {
            Some(told) => told.split(',').next().unwrap_or_default().to_owned(),
            None => line.to_owned(),
        });
        lines.collect::<Vec<String>>()
    };
    assert_eq!(without_times(&again), without_times(&text));
}

#[test]
fn each_term_and_each_constraint_is_written_once() {
    let (text, _) = record(1);
    for kind in ["(let ", "path "] {
        let mut said: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with(kind))
            .map(|line| line.splitn(3, ' ').last().unwrap())
            .collect();
        let all = said.len();
        assert!(all > 0);
        said.sort_unstable();
        said.dedup();
        assert_eq!(said.len(), all, "{text}");
    }
}

#[test]
fn a_wrong_answer_is_a_contradiction() {
    let (text, answers) = record(1);
    let wrong = text.replacen("\nunsat\n", "\nsat\n", 1);
    assert_ne!(wrong, text);
    let done = LogReplay::default().run(&wrong).unwrap();
    let [contradiction] = &done.contradictions[..] else {
        panic!("{:?}", done.contradictions);
    };
    assert_eq!(contradiction.got, Said::Unsat);
    assert_eq!(contradiction.other, Other::Logged(Said::Sat));
    let asked = wrong.lines().nth(contradiction.line - 1).unwrap();
    assert!(asked.starts_with("ask "), "{asked}");
    // Where nothing was answered nothing is contradicted.
    let open = text.replacen("\nunsat\n", "\nunknown\n", 1);
    let done = LogReplay::default().run(&open).unwrap();
    assert_eq!((done.contradictions.len(), done.gained), (0, 1));
    let cut = text.rsplit_once("\nask ").unwrap();
    let line = cut.1.lines().next().unwrap();
    let cut = format!("{}\nask {line}\n", cut.0);
    let done = LogReplay::default().run(&cut).unwrap();
    assert_eq!(done.stats.total(), answers.len() as u64);
}

#[test]
fn a_text_that_is_no_log_is_refused_with_its_line() {
    let good = "queries of cargo symex, 1\npool\n(let t0 x:8)\n(let t1 (ult t0 9:8))\n";
    let ended = |more: &str| LogReplay::default().run(&format!("{good}{more}\n"));
    assert!(ended("ask branch 0 t1\nsat\n; z3, 3 us").is_ok());
    for (more, reason) in [
        ("ask branch 0 t0", "8 bits"),
        ("ask branch 1 t1", "no path 1"),
        ("ask why 0 t1", "`why`"),
        ("ask branch 0", "missing"),
        ("ask branch 0 t7", "t7 is not bound"),
        ("path 2 0 t1", "no path 2"),
        ("path 1 1 t1", "after 1"),
        ("hint t0=0x100", "does not fit"),
        ("hint t1=1", "no variable"),
        ("hint t0", "missing"),
        ("address 3 x", "`x`"),
        ("timeout -1", "`-1`"),
        ("(let t2 (add t0", "open"),
        (
            "(let t2 (ult @4^0 0x100000001000:64))\nask check 0 t2",
            "object 4",
        ),
        ("what is this", "`what`"),
    ] {
        let error = ended(more).unwrap_err();
        let line = 4 + more.lines().count();
        assert_eq!(error.line, line, "{more}: {error}");
        assert!(error.reason.contains(reason), "{more}: {error}");
    }
    for start in [
        "",
        "(set-logic QF_BV)",
        "queries of cargo symex, 2",
        "queries of cargo symex, x",
    ] {
        assert_eq!(LogReplay::default().run(start).unwrap_err().line, 1);
    }
}
