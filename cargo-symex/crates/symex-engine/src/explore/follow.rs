//! Follows given inputs through the program: concolic execution, one path for each.
//!
//! At a branch, only the side of the inputs is taken, and the solver is not asked about the other:
//! what stops the exploration, such as hard arithmetic, is no obstacle here. The paths are the same
//! as those of the exploration, which will come to them as well; so only what is found counts, and
//! nothing is shared with the exploration.

use super::overseer::Overseer;
use super::recurrence::Recurrences;
use super::{GivenInputs, Job, start};
use crate::exec::path::course::{Choice, Course};
use crate::exec::path::end::{Fault, PathEnd};
use crate::exec::path::outcomes::ForetoldFinding;
use crate::exec::{Executor, Pause};
use crate::state::State;
use std::time::{Duration, Instant};
use symex_solver::chain::Chain;
use symex_types::config::{Merging, RecordPaths};
use symex_types::outcome::decision_tree::ForkKind;
use symex_types::outcome::{Bound, Finding, FindingKind, Unsupported};

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
    let limit = job.config.limits.timeout;
    let own = Instant::now() + limit.map_or(TIME, |limit| TIME.min(limit / SHARE));
    let deadline = deadline.map_or(own, |deadline| deadline.min(own));
    let mut hangs = false;
    let mut first: Option<State> = None;
    with_follower(job, Some(deadline), |executor| {
        for given in inputs {
            executor.given = given;
            if first.is_none() || job.entry.starts_with_input() {
                first = start(executor, job).ok().and_then(|mut all| all.pop());
            }
            let Some(first) = &first else { break };
            let mut state = executor.clone_state(first, ForkKind::Value);
            let Some(mut end) = run(executor, &mut state) else {
                continue;
            };
            if end == PathEnd::Bounded(Bound::MaxSteps) {
                // Paths without end may be the same, and stop anywhere: the first is a finding.
                if std::mem::replace(&mut hangs, true) {
                    continue;
                }
                let message = format!("still running after {} instructions", state.steps);
                end = PathEnd::Fault(Fault::new(FindingKind::Hang, message));
            }
            executor.end_path(state, end);
        }
        executor.outcomes.tally.findings_from(0)
    })
}

/// The path that given inputs take.
pub struct FollowedPath {
    /// What it decides on its inputs, in order.
    pub choices: Vec<Choice>,
    /// Number of further decisions that are not listed.
    pub more: u64,
    /// Number of instructions that it executed.
    pub instructions: u64,
    pub end: FollowedEnd,
    pub findings: Vec<Finding>,
    /// What it wrote to standard output and standard error, in order.
    pub output: Vec<u8>,
}

/// How a path ends that is followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FollowedEnd {
    Returned,
    Exited(u64),
    /// An assumption does not hold.
    Assumed,
    /// With a panic that the harness expects.
    Panicked,
    /// With a finding.
    Found,
    Unsupported(Unsupported),
    Bounded(Bound),
}

/// Follows given inputs through the program, and records what is decided on the way.
pub fn follow_path(job: &Job, inputs: GivenInputs) -> FollowedPath {
    let limit = job.config.limits.timeout;
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    with_follower(job, deadline, |executor| {
        executor.outcomes.course = Some(Course::default());
        executor.given = inputs;
        let (state, end) = match start(executor, job) {
            Ok(mut all) => {
                let mut state = all.pop().expect("a program has an initial state");
                let end = run(executor, &mut state);
                (state, end.unwrap_or(PathEnd::Bounded(Bound::Timeout)))
            }
            Err(ended) => *ended,
        };
        let output = executor.output(&state, None);
        let instructions = state.steps;
        let ended = match &end {
            PathEnd::Completed => FollowedEnd::Returned,
            PathEnd::Exited(status) => FollowedEnd::Exited(*status),
            PathEnd::Assumed => FollowedEnd::Assumed,
            PathEnd::Unwound => FollowedEnd::Panicked,
            PathEnd::Fault(_) => FollowedEnd::Found,
            PathEnd::Unsupported(what) => FollowedEnd::Unsupported(what.clone()),
            PathEnd::Bounded(bound) => FollowedEnd::Bounded(bound.clone()),
        };
        executor.end_path(state, end);
        let course = executor.outcomes.course.take().unwrap_or_default();
        let findings = executor.outcomes.tally.findings_from(0);
        FollowedPath {
            choices: course.choices,
            more: course.more,
            instructions,
            end: ended,
            findings: findings.into_iter().map(ForetoldFinding::finding).collect(),
            output,
        }
    })
}

/// Makes an executor that follows given inputs until the deadline, and works with it.
fn with_follower<T>(
    job: &Job,
    deadline: Option<Instant>,
    work: impl FnOnce(&mut Executor) -> T,
) -> T {
    let mut config = job.config.clone();
    config.merging = Merging::Off;
    config.record_paths = RecordPaths::None;
    config.memory.explore_placements = false;
    // The logs are those of the exploration.
    config.solver.query_log = None;
    config.solver.smtlib_log = None;
    let alarm = job.alarm(deadline);
    let solver = Chain::with_experiment(&config.solver, &config.experiment);
    let overseer = Overseer::start(alarm.clone(), &solver);
    let models = &crate::models::find;
    let mut executor = Executor::new(&job.program, &config, solver, models, alarm);
    executor.outcomes.expect_panic = job.should_panic.clone();
    executor.queries.follows = true;
    let result = work(&mut executor);
    drop(overseer);
    result
}

/// Runs one path to its end, and returns that; `None` if time is up.
fn run(executor: &mut Executor, state: &mut State) -> Option<PathEnd> {
    state.stack.unpack();
    let mut recurrences = Recurrences::default();
    while !executor.queries.out_of_time() {
        let pause = executor.run(state);
        let pause = recurrences.follow(executor, state, pause);
        // The exploration comes to other orders of threads, and to calls that fail.
        executor.siblings.take();
        match pause {
            Pause::Yield => {}
            Pause::Join => return None,
            Pause::End(end) => return Some(end),
        }
    }
    None
}
