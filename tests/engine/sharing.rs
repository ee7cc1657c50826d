//! Tests of explorations that share the paths of one job: a path that is run once more by its
//! decisions is the same path, and any number of threads find the same.

use crate::memory::exploring::EACH_KEPT;
use crate::memory::heap_programs::batch;
use crate::support::limited::{LIMIT, watch};
use crate::support::programs::{check_c_with, check_harnesses, in_c, in_rust};
use crate::support::{expectation, workspace};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use symex_engine::{Cores, Entry, Job, explore};
use symex_program::Program;
use symex_types::config::{Config, Merging};
use symex_types::event::Silent;
use symex_types::outcome::decision_tree::Node;
use symex_types::outcome::profile::Work;
use symex_types::outcome::{Finding, Outcome, SourceLoc, Stats};

/// Runs each path of the programs in Rust once more.
fn check_rust(options: &[&str]) {
    let sources = workspace().join("tests/programs/rust/src");
    let mut expected = expectation::of_harnesses(&sources);
    // It takes half of the total time, and its paths are like others.
    expected.remove("control::spins_for_one_input");
    let mut command = in_rust(&["--timeout=120s", "--skip=control::spins_for_one_input"]);
    command
        .args(["--replay=off", "--check-paths", "--merge=off"])
        .args(options);
    check_harnesses(command, &expected);
}

#[test]
fn a_path_of_a_rust_program_is_the_same_once_more() {
    check_rust(&[]);
}

#[test]
fn a_path_with_records_of_writes_is_the_same_once_more() {
    check_rust(&["--memory-model=planes"]);
}

#[test]
fn a_path_of_a_c_program_is_the_same_once_more() {
    check_c_with(None, &["-O0"], &["--check-paths", "--merge=off"]);
}

/// Explores with this number of threads, which share paths from the start.
fn explore_with(program: &Arc<Program>, entry: &Entry, threads: usize, config: Config) -> Outcome {
    let mut job = Job::new(program.clone(), entry.clone(), config);
    job.cores = Arc::new(Cores::new(threads, threads - 1));
    let _watch = watch(LIMIT);
    explore(&job, &mut Silent)
}

pub(super) fn sharing() -> Config {
    let mut config = Config {
        merging: Merging::Off,
        ..Config::default()
    };
    config.limits.timeout = Some(Duration::from_secs(EACH_KEPT));
    // The memory limit concerns the whole process, which runs other tests.
    config.limits.max_memory = None;
    config.limits.after_bug = None;
    config.experiment.share_at_once = true;
    config.profile = true;
    config.record_tree = true;
    config
}

/// What is the same for any number of threads.
pub(super) fn told(outcome: &Outcome) -> (String, Vec<Finding>, [u64; 4]) {
    let Stats {
        paths,
        completed,
        assumed_away,
        covered,
        ..
    } = outcome.stats;
    let verdict = format!("{:?}", outcome.verdict);
    let counts = [paths, completed, assumed_away, covered];
    (verdict, outcome.findings.clone(), counts)
}

/// Returns the tree of decisions from its roots on, without the ways to findings: of these, each
/// thread may find another one first. Sides that no input takes are left out with their forks:
/// whether a path is forked for one depends on the time that the solver takes.
fn decisions(outcome: &Outcome) -> Vec<(Option<SourceLoc>, Node)> {
    let tree = outcome.decisions.as_ref().expect("a tree");
    let is_taken = |number: u32| {
        let node = &tree.nodes[number as usize];
        node.fork.is_some() || node.forks > 0 || node.ends.all() != node.ends.impossible
    };
    let mut nodes = Vec::new();
    let mut next: Vec<u32> = tree.roots.iter().rev().copied().collect();
    while let Some(number) = next.pop() {
        let mut node = tree.nodes[number as usize].clone();
        let Some(fork) = &mut node.fork else {
            node.forks -= node.ends.impossible.min(node.forks);
            node.ends.impossible = 0;
            nodes.push((None, node));
            continue;
        };
        let sides = std::mem::take(&mut fork.sides);
        let at = fork.at.take().map(|at| tree.places[at as usize].clone());
        let taken = sides.into_iter().rev().filter(|side| is_taken(*side));
        next.extend(taken);
        if sides.into_iter().all(is_taken) {
            nodes.push((at, node));
        }
    }
    nodes
}

/// Checks that the shares of the tree of all explored paths add up to the whole, that its size is
/// estimated as what it is, and that the tree of decisions has all of them.
pub(super) fn is_whole(outcome: &Outcome) -> Result<(), String> {
    has_all_decisions(outcome)?;
    let Stats { explored, tree, .. } = &outcome.stats;
    let profile = outcome.stats.profile.as_ref().expect("it is recorded");
    let Work { forks, ends, .. } = profile.total();
    let counted = (outcome.stats.forks, outcome.stats.paths);
    if (forks, ends) != counted {
        return Err(format!(
            "{forks} forks and {ends} ends in the profile, {counted:?} in all"
        ));
    }
    let ends = tree.ends.iter().sum::<u64>() as f64;
    let estimate = tree.estimated_ends();
    match (explored - 1.0).abs() < 1e-9 && (estimate / ends - 1.0).abs() < 1e-9 {
        true => Ok(()),
        false => Err(format!("{explored} explored, {ends} ends of {estimate}")),
    }
}

/// Checks that the tree of decisions has each explored path once, and nothing is open.
fn has_all_decisions(outcome: &Outcome) -> Result<(), String> {
    let tree = outcome.decisions.as_ref().ok_or("no tree")?;
    let (forks, leaves): (Vec<&Node>, Vec<&Node>) =
        tree.nodes.iter().partition(|node| node.fork.is_some());
    let ended = leaves
        .iter()
        .map(|node| node.ends.all() - node.ends.impossible);
    let (ended, paths) = (ended.sum::<u64>(), outcome.stats.paths);
    let open: u64 = leaves.iter().map(|node| node.open()).sum();
    let told = (
        forks.len() + 1 == leaves.len() || tree.roots.len() > 1,
        tree.is_partial,
    );
    match (ended == paths, open, told) {
        (true, 0, (true, false)) => Ok(()),
        wrong => Err(format!(
            "{ended} of {paths} paths in the tree of decisions: {wrong:?}"
        )),
    }
}

/// Compares what different numbers of threads find in `main` of a C program, also where what they
/// give each other comes back, and where they begin anew; returns how often they did.
fn agree(source: &Path, folder: &Path) -> Result<Stats, String> {
    let program = batch::compile(source, &["main".to_owned()], folder, false);
    let main = Entry::Main(program.function_names["main"], vec!["program".to_owned()]);
    let alone = explore_with(&program, &main, 1, sharing());
    assert_eq!(alone.stats.regions, 0);
    let name = source.display();
    let mut last = alone.stats.clone();
    let ways = [
        (1, None, Some(5)),
        (2, None, None),
        (8, None, None),
        (3, Some(3), Some(50)),
    ];
    for (threads, refuse_every, renew_every) in ways {
        let mut config = sharing();
        config.experiment.refuse_every = refuse_every;
        config.experiment.renew_every = renew_every;
        let together = explore_with(&program, &main, threads, config);
        if told(&alone) != told(&together) {
            let (one, other) = (told(&alone), told(&together));
            return Err(format!("{name}: {one:?} but {other:?} on {threads}"));
        }
        if decisions(&alone) != decisions(&together) {
            return Err(format!("{name}: another tree of decisions on {threads}"));
        }
        has_all_decisions(&together).map_err(|wrong| format!("{name}: {wrong} on {threads}"))?;
        // Decisions below a region that came back are not recorded.
        if refuse_every.is_none() {
            is_whole(&together).map_err(|wrong| format!("{name}: {wrong} on {threads}"))?;
        }
        if together.stats.diverged > 0 && refuse_every.is_none() {
            return Err(format!("{name}: a root was not reached"));
        }
        last.renewals += together.stats.renewals;
        last.regions = together.stats.regions;
        last.diverged = together.stats.diverged;
    }
    Ok(last)
}

#[test]
fn any_number_of_threads_finds_the_same_in_c_programs() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (mut complaints, mut shared, mut refused, mut renewed) = (Vec::new(), 0, 0, 0);
    for source in in_c() {
        match agree(&source, folder.path()) {
            Ok(stats) => {
                shared += u64::from(stats.regions > 0);
                refused += stats.diverged;
                renewed += stats.renewals;
            }
            Err(complaint) => complaints.push(complaint),
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    let least = shared.min(refused).min(renewed);
    assert!(least > 10, "{shared}, {refused}, {renewed}");
}
