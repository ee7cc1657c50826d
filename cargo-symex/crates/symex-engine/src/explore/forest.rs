//! Forests: many regions at a time, as little more than what tells them apart. A state takes
//! kilobytes, and what it shares with others is theirs as well; a leaf of a forest takes some
//! bytes.

use super::region::{Region, RegionVar, portable_decision};
use crate::state::State;
use crate::state::decisions::{Decision, Part};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use symex_terms::{Pool, Var};

/// Regions of a job. Decisions that several have in common are kept once.
#[derive(Default)]
pub(super) struct Forest {
    /// The variables of all decisions, by number.
    vars: Vec<RegionVar>,
    branches: Vec<Branch>,
    /// The regions, the one to explore next last.
    leaves: Vec<Leaf>,
}

/// Decisions between two forks. A branch comes after the one before it.
struct Branch {
    before: Option<u32>,
    decisions: Box<[Decision<u32>]>,
}

/// The end of the path to the root of a region.
struct Leaf {
    start: usize,
    before: Option<u32>,
    decisions: Box<[Decision<u32>]>,
    refuted: u32,
    steps: u64,
}

impl Forest {
    /// Returns the number of regions.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Adds the regions of states whose decisions are recorded, the one to explore next last. They
    /// come before those that are there.
    pub fn plant(&mut self, pool: &Pool, states: impl Iterator<Item = State>) {
        self.prune();
        let vars = self.vars.drain(..).enumerate();
        let mut planter = Planter {
            pool,
            vars: vars.map(|(at, var)| (var, at as u32)).collect(),
            branches: FxHashMap::default(),
            kept: Vec::new(),
            forest: self,
        };
        let leaves: Vec<Leaf> = states.map(|state| planter.leaf(&state)).collect();
        let mut vars: Vec<(RegionVar, u32)> = planter.vars.into_iter().collect();
        vars.sort_unstable_by_key(|var| var.1);
        self.vars = vars.into_iter().map(|var| var.0).collect();
        self.leaves.extend(leaves);
    }

    /// Removes and returns a region.
    pub fn take(&mut self) -> Option<Region> {
        let leaf = self.leaves.pop()?;
        let mut parts = vec![&leaf.decisions];
        let mut next = leaf.before;
        while let Some(at) = next {
            let branch = &self.branches[at as usize];
            parts.push(&branch.decisions);
            next = branch.before;
        }
        let decisions = parts.into_iter().rev().flatten();
        let var = |number: &u32| Some(self.vars[*number as usize].clone());
        Some(Region {
            start: leaf.start,
            decisions: decisions.map(|decision| decision.with_vars(var)).collect(),
            refuted: leaf.refuted,
            steps: leaf.steps,
        })
    }

    /// Removes the branches to which no leaf belongs.
    fn prune(&mut self) {
        let mut is_used = vec![false; self.branches.len()];
        for leaf in &self.leaves {
            let mut next = leaf.before;
            while let Some(at) = next.filter(|at| !is_used[*at as usize]) {
                is_used[at as usize] = true;
                next = self.branches[at as usize].before;
            }
        }
        let mut moved = vec![0; self.branches.len()];
        let mut kept = Vec::new();
        for (at, mut branch) in std::mem::take(&mut self.branches).into_iter().enumerate() {
            if is_used[at] {
                moved[at] = kept.len() as u32;
                branch.before = branch.before.map(|before| moved[before as usize]);
                kept.push(branch);
            }
        }
        self.branches = kept;
        for leaf in &mut self.leaves {
            leaf.before = leaf.before.map(|before| moved[before as usize]);
        }
    }
}

/// What is known of the states that are being added to a forest.
struct Planter<'a> {
    forest: &'a mut Forest,
    pool: &'a Pool,
    vars: FxHashMap<RegionVar, u32>,
    /// The branches of parts, by their addresses, with the results of functions that a path has at
    /// their ends.
    branches: FxHashMap<*const Part, (u32, Rc<Vec<Var>>)>,
    /// The parts themselves: no other one has the address of one of them.
    kept: Vec<Rc<Part>>,
}

impl Planter<'_> {
    fn leaf(&mut self, state: &State) -> Leaf {
        let known = &self.branches;
        let is_known = |part: &Rc<Part>| known.contains_key(&Rc::as_ptr(part));
        let (parts, oldest) = state.decisions.parts(is_known);
        let known = oldest.and_then(|part| known.get(&Rc::as_ptr(&part)).cloned());
        let (mut before, mut results) = match known {
            Some((at, results)) => (Some(at), results),
            None => (None, Rc::default()),
        };
        for part in parts.into_iter().rev() {
            let decisions = self.portable(&mut results, &part.decisions());
            let at = self.forest.branches.len() as u32;
            self.forest.branches.push(Branch { before, decisions });
            self.branches
                .insert(Rc::as_ptr(&part), (at, results.clone()));
            self.kept.push(part);
            before = Some(at);
        }
        let (own, refuted) = state.decisions.own();
        Leaf {
            start: state.decisions.start(),
            before,
            decisions: self.portable(&mut results, &own),
            refuted,
            steps: state.steps,
        }
    }

    fn portable(
        &mut self,
        results: &mut Rc<Vec<Var>>,
        decisions: &[Decision],
    ) -> Box<[Decision<u32>]> {
        let mut all = Vec::with_capacity(decisions.len());
        for decision in decisions {
            if let Some(result) = decision.applied() {
                Rc::make_mut(results).push(result);
            }
            let decision = portable_decision(self.pool, results, decision);
            all.push(decision.with_vars(|var| {
                let next = self.vars.len() as u32;
                Some(*self.vars.entry(var.clone()).or_insert(next))
            }));
        }
        all.into()
    }
}
