//! Follows given inputs through the program: concolic execution, one path for each.
//!
//! At a branch, only the side of the inputs is taken, and the solver is not asked about the other:
//! what stops the exploration, such as hard arithmetic, is no obstacle here. The paths are the same
//! as those of the exploration, which will come to them as well; so only what is found counts, and
//! nothing is shared with the exploration.

use super::overseer::Overseer;
use super::{GivenInputs, Job, start};
use crate::exec::path::end::{Fault, PathEnd};
use crate::exec::path::outcomes::ForetoldFinding;
use crate::exec::{Executor, Pause};
use crate::state::State;
use std::time::{Duration, Instant};
use symex_solver::chain::Chain;
use symex_types::config::{Merging, RecordPaths};
use symex_types::outcome::decision_tree::ForkKind;
use symex_types::outcome::{Bound, FindingKind};

/// Greatest time for all inputs together.
const TIME: Duration = Duration::from_secs(5);

/// Part of the run's time that they may take.
const SHARE: u32 = 10;

/// Returns what is found on the paths of these inputs, until the deadline.
pub(super) fn follow(
    job: &Job,
    inputs: Vec<GivenInputs>,
    deadline: Option<Instant>,
) -> Vec<ForetoldFinding> {
    let mut config = job.config.clone();
    config.merging = Merging::Off;
    config.record_paths = RecordPaths::None;
    config.memory.explore_placements = false;
    // The logs are those of the exploration.
    config.solver.query_log = None;
    config.solver.smtlib_log = None;
    let time = config
        .limits
        .timeout
        .map_or(TIME, |limit| TIME.min(limit / SHARE));
    let own = Instant::now() + time;
    let deadline = deadline.map_or(own, |deadline| deadline.min(own));
    let alarm = job.alarm(Some(deadline));
    let solver = Chain::with_experiment(&config.solver, &config.experiment);
    let overseer = Overseer::start(alarm.clone(), &solver);
    let models = &crate::models::find;
    let mut executor = Executor::new(&job.program, &config, solver, models, alarm);
    executor.outcomes.expect_panic = job.should_panic.clone();
    executor.queries.follows = true;
    let mut hangs = false;
    let mut first: Option<State> = None;
    for given in inputs {
        executor.given = given;
        if first.is_none() || job.entry.starts_with_input() {
            first = start(&mut executor, job).ok().and_then(|mut all| all.pop());
        }
        let Some(first) = &first else { break };
        let state = executor.clone_state(first, ForkKind::Value);
        run(&mut executor, state, &mut hangs);
    }
    drop(overseer);
    executor.outcomes.tally.findings_from(0)
}

/// Runs one path to its end, or until time is up. Of those without end, only the first is a
/// finding: they may be the same, and stop anywhere.
fn run(executor: &mut Executor, mut state: State, hangs: &mut bool) {
    state.stack.unpack();
    while !executor.queries.out_of_time() {
        let pause = executor.run(&mut state);
        // The exploration comes to other orders of threads, and to calls that fail.
        executor.siblings.take();
        match pause {
            Pause::Yield => {}
            Pause::Join => return,
            Pause::End(PathEnd::Bounded(Bound::MaxSteps)) => {
                if std::mem::replace(hangs, true) {
                    return;
                }
                let message = format!("still running after {} instructions", state.steps);
                let fault = Fault::new(FindingKind::Hang, message);
                return executor.end_path(state, PathEnd::Fault(fault));
            }
            Pause::End(end) => return executor.end_path(state, end),
        }
    }
}
