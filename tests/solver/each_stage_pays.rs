//! Tests that each stage of the chain pays: on its log in `queries`, the chain without it does much
//! more work.
//!
//! Work is counted and never timed: that of Z3 in its own unit, and of the stages that search in
//! one of about that size (`Stage::work`). A stage that only answers what a later one answers as
//! cheaply saves nothing here. `queries/README.md` says where the queries come from, and how to
//! record those of a new stage.

use crate::support::limited::{LIMIT, watch};
use crate::support::workspace;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use symex_solver::log_replay::{LogReplay, Replayed};
use symex_solver::{AnswerStore, Chain};
use symex_types::config::SolverConfig;

/// Least ratio between the work without the stage and the work of the whole chain.
const FACTOR: f64 = 1.5;
/// Least number of saved units of work: a tenth of a millisecond, for which a stage may examine a
/// query.
const SAVED: u64 = 500;

/// Time for one query without a stage: by then it has cost much more than with the stage.
const ENOUGH: Duration = Duration::from_secs(2);

/// The stage that answers from a store of earlier runs.
const STORED: &str = "stored answers";

/// A store in memory.
#[derive(Clone, Default)]
struct Store(Arc<Mutex<BTreeMap<[u8; 32], Vec<u8>>>>);

impl AnswerStore for Store {
    fn get(&mut self, key: &[u8; 32]) -> Option<Vec<u8>> {
        self.0.lock().expect("a store").get(key).cloned()
    }

    fn put(&mut self, key: &[u8; 32], value: &[u8]) {
        let mut answers = self.0.lock().expect("a store");
        answers.entry(*key).or_insert_with(|| value.to_vec());
    }
}

fn folder() -> PathBuf {
    workspace().join("tests/solver/queries")
}

/// Returns the name of a stage's file.
fn file_name(stage: &str) -> String {
    format!("{}.queries", stage.replace(' ', "-"))
}

/// Replays the queries of a log with a chain that may lack a stage or have a store.
fn ask(text: &str, without: Option<&str>, store: Option<&Store>) -> Replayed {
    let replay = LogReplay {
        config: SolverConfig {
            without_stages: without.map(str::to_owned).into_iter().collect(),
            ..SolverConfig::default()
        },
        limit: without.map(|_| ENOUGH),
        ..LogReplay::default()
    };
    let mut chain = Chain::new(&replay.config);
    if let Some(store) = store {
        chain.set_answer_store(Some(Box::new(store.clone())));
    }
    let done = replay.run_on(&mut chain, text).expect("a log of queries");
    assert_eq!(done.contradictions, []);
    done
}

#[test]
fn leaving_out_a_stage_costs_work() {
    let _watch = watch(LIMIT);
    let mut idle = Vec::new();
    for stage in Chain::stage_names() {
        let path = folder().join(file_name(stage));
        let text = std::fs::read_to_string(&path);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let store = Store::default();
        let store = (stage == STORED).then_some(&store);
        if store.is_some() {
            // The run that is "earlier".
            ask(&text, None, store);
        }
        let whole = ask(&text, None, store);
        let less = ask(&text, Some(stage), store);
        assert_eq!((whole.stats.unknown, whole.lost), (0, 0), "{stage}");
        let (with, without) = (whole.stats.work(), less.stats.work());
        println!(
            "{stage}: {} queries; work {with}, {without} without it; reached Z3 {}, {}",
            whole.stats.total(),
            whole.stats.reached_solver(),
            less.stats.reached_solver(),
        );
        if without < with + SAVED || (without as f64) < with as f64 * FACTOR {
            idle.push(format!(
                "{stage}: {with} units of work with it, {without} without"
            ));
        }
    }
    assert!(idle.is_empty(), "stages that do not pay: {idle:#?}");
}

#[test]
fn each_log_is_that_of_a_stage() {
    let mut files: BTreeSet<String> = Chain::stage_names().into_iter().map(file_name).collect();
    files.insert("README.md".to_owned());
    let entries = std::fs::read_dir(folder()).expect("a folder");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        let name = entry.expect("an entry").file_name();
        name.into_string().expect("a name of ASCII letters")
    };
    assert_eq!(entries.map(name).collect::<BTreeSet<String>>(), files);
}
