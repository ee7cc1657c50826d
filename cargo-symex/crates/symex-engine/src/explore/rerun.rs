//! Runs each path once more, by its decisions alone, and compares how it ends: for tests of what
//! parallel explorations rest on.

use super::Job;
use super::region::{Region, reach_end};
use super::search::Search;
use crate::exec::Executor;
use crate::exec::path::end::PathEnd;
use crate::state::State;
use std::time::Instant;
use symex_types::outcome::{Bound, FindingKind, Unsupported};

/// An exploration that has terms and a solver of its own, and runs the paths of another.
pub(super) struct Rerun<'a>(Box<Search<'a>>);

impl<'a> Rerun<'a> {
    pub fn new(job: &'a Job, started: Instant) -> Self {
        Rerun(Box::new(Search::of_part(job, started)))
    }

    /// Runs a path once more that has come to its end. A difference is counted as unsupported.
    pub fn check(&mut self, executor: &mut Executor, state: &State, end: &PathEnd) {
        match end {
            PathEnd::Bounded(Bound::MaxSteps) => return,
            PathEnd::Bounded(bound) if bound.ends_run() => return,
            PathEnd::Fault(fault) if fault.kind == FindingKind::Hang => return,
            _ => {}
        }
        let region = Region::of(&executor.pool, state).in_order();
        let other = &mut self.0.executor;
        let difference = match reach_end(other, &self.0.starts, &region) {
            Err(_) if executor.queries.out_of_time() => return,
            Err(diverged) => Some(format!("{diverged:?}")),
            Ok((again, other_end)) => {
                let told = |executor: &mut Executor, state: &State, end: &PathEnd| {
                    let end = match end {
                        PathEnd::Fault(fault) => format!("{:?} at {:?}", fault.kind, fault.at),
                        end => format!("{end:?}"),
                    };
                    let output = executor.output(state, None);
                    let inputs = executor.inputs_under(state, &state.assignment.clone());
                    (end, output, inputs)
                };
                let is_same = Region::of(&other.pool, &again).in_order() == region;
                let (one, two) = (told(executor, state, end), told(other, &again, &other_end));
                (!is_same || one != two).then(|| format!("{is_same}, {one:?}, {two:?}"))
            }
        };
        if let Some(difference) = difference {
            let what = format!("a path run once more differs: {difference}");
            executor
                .outcomes
                .unsupported(state, Unsupported::Internal(what));
        }
    }
}
