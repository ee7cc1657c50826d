//! Regions: parts of the tree of paths that another exploration of the same job can take over. A
//! region is the path up to its root, as decisions that need neither the terms nor the solver of
//! the exploration that made them.

use crate::exec::path::end::PathEnd;
use crate::exec::path::outcomes::Outcomes;
use crate::exec::{Executor, Pause};
use crate::state::decisions::{Decision, Decisions, Script, ScriptVar, Told};
use crate::state::{State, Trail};
use serde::{Deserialize, Serialize};
use symex_terms::{Kind, Origin, Pool, Var, VarInfo};
use symex_types::outcome::decision_tree::ForkKind;

/// All paths that have a beginning in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Region {
    /// Number of the initial state.
    pub start: usize,
    pub decisions: Vec<Decision<RegionVar>>,
    /// Number of queries after the last decision.
    pub refuted: u32,
    /// Number of instructions up to the root.
    pub steps: u64,
}

/// A variable, as all explorations of a job know it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(super) enum RegionVar {
    Described(VarInfo),
    /// The result of a function: its number among those that the path applies.
    Applied(u32),
}

/// Reason why the root of a region was not reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Diverged;

impl Region {
    /// Makes the region of all paths that go on from a state, whose decisions are recorded.
    pub fn of(pool: &Pool, state: &State) -> Self {
        let (decisions, refuted) = state.decisions.all();
        let mut results = Vec::new();
        let mut portable = Vec::with_capacity(decisions.len());
        for decision in &decisions {
            results.extend(decision.applied());
            portable.push(portable_decision(pool, &results, decision));
        }
        Region {
            start: state.decisions.start(),
            decisions: portable,
            refuted,
            steps: state.steps,
        }
    }

    /// Orders changes by their variables, which are numbered in another order elsewhere, so that
    /// regions of different explorations can be compared.
    pub fn in_order(mut self) -> Self {
        for decision in &mut self.decisions {
            if let Told::Possible(changes) = &mut decision.what {
                changes.sort_unstable();
            }
        }
        self
    }

    /// Returns the decisions as those of an exploration with this pool.
    fn script(&self, pool: &mut Pool) -> Script {
        let mut known = |var: &RegionVar| {
            Some(match var {
                RegionVar::Applied(number) => ScriptVar::Applied(*number),
                RegionVar::Described(info) => {
                    let term = pool.var(info.clone());
                    let Kind::Var(var) = pool.kind(term) else {
                        return None;
                    };
                    ScriptVar::Known(var)
                }
            })
        };
        let decisions = self.decisions.iter().map(|d| d.with_vars(&mut known));
        Script::new(decisions.collect(), self.refuted)
    }
}

/// Returns a decision of a path with the variables of a region. `results`: those of functions that
/// the path has, in order.
pub(super) fn portable_decision(
    pool: &Pool,
    results: &[Var],
    decision: &Decision,
) -> Decision<RegionVar> {
    decision.with_vars(|var| {
        if let Some(number) = results.iter().position(|result| result == var) {
            return Some(RegionVar::Applied(number as u32));
        }
        let info = pool.var_info(*var);
        // A result that the path does not have.
        let is_result = matches!(info.origin, Origin::Result { .. });
        (!is_result).then(|| RegionVar::Described(info.clone()))
    })
}

impl<V> Decision<V> {
    /// Returns the decision with other variables; changes of those without one are left out.
    pub(super) fn with_vars<W>(&self, mut other: impl FnMut(&V) -> Option<W>) -> Decision<W> {
        let what = match &self.what {
            Told::Possible(changes) => {
                let changes = changes.iter();
                let changes = changes.filter_map(|(var, value)| Some((other(var)?, *value)));
                Told::Possible(changes.collect())
            }
            Told::Unknown(why) => Told::Unknown(why.clone()),
            Told::Fork { copy } => Told::Fork { copy: *copy },
            Told::Applied(var) => match other(var) {
                Some(var) => Told::Applied(var),
                None => unreachable!("what is applied has a number"),
            },
        };
        Decision {
            steps: self.steps,
            refuted: self.refuted,
            what,
        }
    }
}

/// Runs the path to the root of a region, from the initial states of the same job. The solver is
/// not asked, and nothing is counted.
pub(super) fn reach(
    executor: &mut Executor,
    starts: &[State],
    region: &Region,
) -> Result<State, Diverged> {
    uncounted(executor, |executor| {
        let mut state = begin(executor, starts, region)?;
        while !(state.decisions.are_made() && state.steps == region.steps) {
            match run(executor, &mut state, region)? {
                None => {}
                Some(_) => return Err(Diverged),
            }
        }
        state.decisions.go_on();
        Ok(state)
    })
}

/// Runs a path once more to its end, as [`reach`] does to the root of a region.
pub(super) fn reach_end(
    executor: &mut Executor,
    starts: &[State],
    region: &Region,
) -> Result<(State, PathEnd), Diverged> {
    uncounted(executor, |executor| {
        let mut state = begin(executor, starts, region)?;
        loop {
            if let Some(end) = run(executor, &mut state, region)? {
                let is_same = state.decisions.are_made() && state.steps == region.steps;
                return is_same.then_some((state, end)).ok_or(Diverged);
            }
        }
    })
}

fn uncounted<'a, T>(
    executor: &mut Executor<'a>,
    run: impl FnOnce(&mut Executor<'a>) -> Result<T, Diverged>,
) -> Result<T, Diverged> {
    let mut fresh = Outcomes::new(executor.program);
    // The path comes by in the tree of decisions, too.
    fresh.sketch = executor.outcomes.sketch.take();
    if let Some(sketch) = &mut fresh.sketch {
        sketch.comes_by = true;
    }
    // What is behind an expected panic is part of the path.
    fresh.expect_panic = executor.outcomes.expect_panic.clone();
    // The path is to pause where it did.
    fresh.is_unlimited = true;
    let outcomes = std::mem::replace(&mut executor.outcomes, fresh);
    let result = run(executor);
    executor.siblings.take();
    let fresh = std::mem::replace(&mut executor.outcomes, outcomes);
    executor.outcomes.sketch = fresh.sketch;
    if let Some(sketch) = &mut executor.outcomes.sketch {
        sketch.comes_by = false;
    }
    result
}

fn begin(executor: &mut Executor, starts: &[State], region: &Region) -> Result<State, Diverged> {
    let state = starts.get(region.start).ok_or(Diverged)?;
    let mut state = executor.clone_state(state, ForkKind::Value);
    let start = (region.start, starts.len());
    if executor.outcomes.sketch.is_some() {
        state.trail = Trail::from_start(region.start);
    }
    state.decisions = Decisions::given(start, region.script(&mut executor.pool));
    state.stack.unpack();
    Ok(state)
}

/// Runs a path for a while, and returns its end, if it has come to that.
fn run(
    executor: &mut Executor,
    state: &mut State,
    region: &Region,
) -> Result<Option<PathEnd>, Diverged> {
    if state.unverified.is_some() && !executor.verify(state) {
        return Err(Diverged);
    }
    let pause = executor.run(state);
    let siblings = executor.siblings.take();
    if state.decisions.have_parted() {
        let goes_on = |sibling: &State| !sibling.decisions.have_parted();
        *state = siblings.into_iter().find(goes_on).ok_or(Diverged)?;
        return Ok(None);
    }
    if state.decisions.have_diverged() || state.steps > region.steps {
        return Err(Diverged);
    }
    match pause {
        Pause::Yield if executor.queries.out_of_time() => Err(Diverged),
        Pause::Yield => Ok(None),
        Pause::Join => Err(Diverged),
        Pause::End(end) => Ok(Some(end)),
    }
}
