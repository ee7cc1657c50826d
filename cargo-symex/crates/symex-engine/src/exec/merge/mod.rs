//! Merging paths: where the ways from a branch meet again, the paths that took them become one if
//! they differ in little [Kuznetsov 2012].
//!
//! A branch that forks opens joins at the instructions where its ways meet again in the same frame:
//! for each loop around it, and for the function (`symex_program::flow`). Each path that stems from
//! the branch waits there for the others. When none is left that could come, those that wait are
//! merged: a class of paths that are alike becomes one, with the disjunction of their conditions,
//! and values that select by them.
//!
//! Branches at which this brings nothing open no joins after some tries. Where the solver has too
//! much trouble with the terms of a merged path, it is parted again (`parting`).

mod parting;
mod states;

use crate::exec::Executor;
use crate::exec::path::end::Res;
use crate::exec::path::fork::Decision;
use crate::state::{Branch, JoinId, State, StateId};
pub(in crate::exec) use parting::Parting;
use rustc_hash::FxHashMap;
use states::Way;
use std::collections::BTreeMap;
use std::rc::Rc;
use symex_program::flow::Flow;
use symex_program::{FuncId, Program};
use symex_solver::Purpose;
use symex_terms::{Expr, PathCondition};
use symex_types::config::Merging;

/// Number of times that a join at a branch may bring nothing before no more are opened there.
const TRIES: u32 = 8;

/// Number of times that paths merged at a join may be parted again before none is opened there.
const PARTINGS: u32 = 4;

/// Number of queries too hard about merged paths after which no paths are merged any more, if they
/// are more than this part of the merged paths.
const MOST_HARD: (u64, u64) = (16, 8);

/// Number of merged words that turned out to be positions after which none are merged any more, if
/// they are more than this part of the merged paths.
const MOST_LED: (u64, u64) = (64, 4);

/// The joins of a run.
pub struct Joining {
    mode: Merging,
    /// Whether merged paths are parted at every question.
    part_always: bool,
    next: u64,
    open: BTreeMap<JoinId, Join>,
    /// Joins for which no path is left that could come.
    ready: Vec<JoinId>,
    flows: FxHashMap<FuncId, Rc<Flow>>,
    results: FxHashMap<Branch, JoinResults>,
    /// Number of times that a merged path was too hard for the solver.
    hard: u64,
    /// Number of times that a merged word turned out to be a position.
    led: u64,
    /// Whether merged paths are too hard for the solver, so that there are to be no more of them.
    given_up: bool,
}

/// A join that paths wait for.
struct Join {
    branch: Branch,
    /// Condition of the path that came to the branch.
    condition: PathCondition,
    /// Number of paths that may still come.
    coming: usize,
    /// Paths that wait.
    arrived: Vec<State>,
}

/// Results of the joins of a branch.
#[derive(Clone, Copy, Default)]
struct JoinResults {
    /// Number of joins at which no paths were merged, since the last at which some were.
    in_vain: u32,
    /// Number of times that a path was parted by the decision at the branch.
    parted: u32,
    /// Whether its ways are too long to be waited for.
    too_long: bool,
    /// Whether words in which its ways differ have turned out to be positions.
    words_lead: bool,
}

impl JoinResults {
    /// Reports whether joins are opened no more.
    fn is_bad(&self) -> bool {
        self.in_vain >= TRIES || self.parted >= PARTINGS || self.too_long
    }
}

impl Joining {
    /// Makes the joins of a run, none of them open.
    pub fn new(mode: Merging, part_always: bool) -> Self {
        Joining {
            mode,
            part_always,
            next: 0,
            open: BTreeMap::new(),
            ready: Vec::new(),
            flows: FxHashMap::default(),
            results: FxHashMap::default(),
            hard: 0,
            led: 0,
            given_up: false,
        }
    }

    /// Reports whether paths are merged at all.
    pub fn is_on(&self) -> bool {
        self.mode.is_on()
    }

    /// Reports whether merged paths have been too hard for the solver too often.
    pub fn has_given_up(&self) -> bool {
        self.given_up
    }

    /// Reports whether no join is open.
    pub fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns the flow of a function that has a body.
    fn flow(&mut self, program: &Program, id: FuncId) -> Rc<Flow> {
        let flow = self.flows.entry(id).or_insert_with(|| {
            let function = program.function(id);
            let body = function.body.as_ref().expect("it is executed");
            Rc::new(Flow::of(&program.globals, function, body))
        });
        flow.clone()
    }

    /// Counts a path among those that may come to its joins.
    pub fn enter(&mut self, st: &State) {
        for id in st.joins.iter() {
            self.join(id).coming += 1;
        }
    }

    /// Takes a path out of all joins: it ends, or goes on alone.
    pub fn leave(&mut self, st: &mut State) {
        while let Some(id) = st.joins.pop() {
            self.left(id);
        }
    }

    /// Takes a path that has come to a join of its innermost frame.
    pub fn arrive(&mut self, mut st: State) {
        let mut joins = st.joins.of_frame(st.stack.top.serial);
        let here = joins.find(|join| join.0 == st.stack.top.pc);
        drop(joins);
        while let Some(id) = st.joins.pop() {
            if here.is_some_and(|here| here.1 == id) {
                self.join(id).arrived.push(st);
                self.left(id);
                return;
            }
            self.left(id);
        }
        unreachable!("a path waits at one of its joins");
    }

    /// Takes a path out of the joins of frames that it has left.
    pub fn leave_frames(&mut self, st: &mut State) {
        while st.joins.frame().is_some_and(|frame| !st.stack.holds(frame)) {
            let id = st.joins.pop().expect("there is one");
            self.left(id);
        }
    }

    fn left(&mut self, id: JoinId) {
        let join = self.join(id);
        join.coming -= 1;
        if join.coming == 0 {
            self.ready.push(id);
        }
    }

    fn join(&mut self, id: JoinId) -> &mut Join {
        self.open.get_mut(&id).expect("a path's joins are open")
    }

    /// Counts a path that is parted by the decision at a branch.
    fn note_parting(&mut self, branch: Branch) {
        if !self.part_always {
            self.results.entry(branch).or_default().parted += 1;
        }
    }

    /// Notes that a word which was merged at a branch is a position: paths that differ in what may
    /// be one are not merged there any more.
    fn keep_words_apart(&mut self, branch: Branch) {
        self.led += 1;
        self.results.entry(branch).or_default().words_lead = true;
    }

    /// Returns the number of paths that wait at joins.
    pub fn waiting(&self) -> usize {
        self.open.values().map(|join| join.arrived.len()).sum()
    }
}

impl Executor<'_> {
    /// Decides the condition of a branch. If it forks, the joins of the branch are opened for both
    /// sides, which are still at the branch.
    pub(in crate::exec) fn decide_branch(&mut self, st: &mut State, cond: Expr) -> Res<Decision> {
        let before = self.may_join(st).then(|| st.condition.clone());
        let parted = self.outcomes.stats.parted;
        let mut decision = self.decide(st, cond, Purpose::Branch)?;
        // The condition of a path that was parted does not begin with that before.
        let parted = self.outcomes.stats.parted > parted;
        if let (Some(before), Some(sibling), false) = (before, &mut decision.other, parted) {
            self.open_joins(st, sibling, &before);
        }
        Ok(decision)
    }

    /// Reports whether paths are merged at a branch that differ in what may be positions.
    fn merges_words(&self, branch: Branch) -> bool {
        let Joining { led, results, .. } = &self.joining;
        let (least, part) = MOST_LED;
        let mostly_lead = *led >= least && *led > self.outcomes.stats.merged / part;
        !mostly_lead
            && !results
                .get(&branch)
                .is_some_and(|results| results.words_lead)
    }

    /// Opens the joins of a branch for its two sides, but for those that both have before them
    /// already. The condition is that before the branch, and both sides are still at the branch.
    fn open_joins(&mut self, st: &mut State, sibling: &mut State, before: &PathCondition) {
        let top = &st.stack.top;
        let (function, branch, serial) = (top.function, top.pc, top.serial);
        let flow = self.joining.flow(self.program, function);
        for at in flow.joins(branch) {
            let branch = (function, branch, at);
            let known = self.joining.results.get(&branch);
            if known.is_some_and(JoinResults::is_bad)
                || st.joins.of_frame(serial).any(|join| join.0 == at)
            {
                continue;
            }
            let id = JoinId(self.joining.next);
            self.joining.next += 1;
            st.joins.push(id, (serial, at));
            sibling.joins.push(id, (serial, at));
            let join = Join {
                branch,
                condition: before.clone(),
                // The sibling is counted with the others.
                coming: 1,
                arrived: Vec::new(),
            };
            self.joining.open.insert(id, join);
        }
    }

    /// Reports whether paths that fork at a branch of this one may be merged.
    fn may_join(&self, st: &State) -> bool {
        self.joining.is_on()
            && !self.joining.given_up
            && !self.queries.aside
            && st.threads.is_none()
            && st.borrows.is_none()
    }

    /// Merges the paths at joins to which no more can come, and returns those that go on. `ended`
    /// is told the numbers of the paths that others now stand for.
    pub fn merge_ready(&mut self, ended: &mut Vec<StateId>) -> Vec<State> {
        let mut results = Vec::new();
        while let Some(id) = self.joining.ready.pop() {
            let join = self.joining.open.remove(&id).expect("it is open");
            let before = join.arrived.len();
            let merged = self.merge_at(&join.condition, join.branch, join.arrived, ended);
            self.note_result(join.branch, merged.len() < before);
            if let Some(one) = merged.first() {
                for outer in one.joins.iter() {
                    self.joining.join(outer).coming -= before - merged.len();
                }
            }
            results.extend(merged);
        }
        results
    }

    fn note_result(&mut self, branch: Branch, merged: bool) {
        let results = self.joining.results.entry(branch).or_default();
        results.in_vain = match merged {
            true => 0,
            false => results.in_vain + 1,
        };
    }

    /// Closes all joins, since the paths take too long: those that wait are merged with each other,
    /// and returned. The outermost branch opens no more joins.
    pub fn close_joins(&mut self, ended: &mut Vec<StateId>) -> Vec<State> {
        self.joining.ready.clear();
        let open = std::mem::take(&mut self.joining.open);
        if let Some(outermost) = open.values().next() {
            let results = self.joining.results.entry(outermost.branch).or_default();
            results.too_long = true;
        }
        let mut results = Vec::new();
        for join in open.into_values().rev() {
            for mut state in self.merge_at(&join.condition, join.branch, join.arrived, ended) {
                state.joins = Default::default();
                results.push(state);
            }
        }
        results
    }

    /// Merges paths that wait at one instruction, those of each class into as few as possible.
    fn merge_at(
        &mut self,
        condition: &PathCondition,
        branch: Branch,
        arrived: Vec<State>,
        ended: &mut Vec<StateId>,
    ) -> Vec<State> {
        if arrived.len() < 2 {
            return arrived;
        }
        let mark = condition.mark();
        let mut classes: Vec<Vec<Way>> = Vec::new();
        for state in arrived {
            let way = Way::new(state, mark);
            let mut class = None;
            for (i, ways) in classes.iter().enumerate() {
                if self.are_alike(&ways[0].state, &way.state, branch) {
                    class = Some(i);
                    break;
                }
            }
            match class {
                Some(i) => classes[i].push(way),
                None => classes.push(vec![way]),
            }
        }
        let mut merged = Vec::new();
        for mut ways in classes {
            // Two that parted last first: their conditions have most in common.
            while let Some(at) = states::closest(&ways) {
                let second = ways.remove(at + 1);
                match self.merge_ways(&mut ways[at], second, branch, ended) {
                    Ok(()) => self.outcomes.stats.merged += 1,
                    Err(second) => {
                        // What was merged before has made them differ too much.
                        merged.push(second.finish(&mut self.pool, condition));
                    }
                }
            }
            merged.extend(
                ways.into_iter()
                    .map(|way| way.finish(&mut self.pool, condition)),
            );
        }
        merged
    }
}
