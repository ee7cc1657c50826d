//! Forests: many regions at a time, as little more than what tells them apart. A state takes
//! kilobytes, and what it shares with others is theirs as well; a leaf of a forest takes some
//! bytes.

use super::region::{Region, RegionVar, portable_decision};
use crate::state::State;
use crate::state::decisions::{Decision, Decisions, Part};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use symex_terms::{Origin, Pool, Var, VarInfo};

/// Regions of a job. Decisions that several have in common are kept once.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Forest {
    /// The variables of all decisions, by number.
    vars: Vec<RegionVar>,
    branches: Vec<Branch>,
    /// The regions, the one to explore next last.
    leaves: Vec<Leaf>,
}

/// Decisions between two forks. A branch comes after the one before it.
#[derive(Clone, Serialize, Deserialize)]
struct Branch {
    before: Option<u32>,
    decisions: Box<[Decision<u32>]>,
}

/// The end of the path to the root of a region.
#[derive(Clone, Serialize, Deserialize)]
struct Leaf {
    start: usize,
    before: Option<u32>,
    decisions: Box<[Decision<u32>]>,
    refuted: u32,
    steps: u64,
}

/// The root of a region: a point on a path whose decisions are recorded.
pub(super) struct Root {
    pub decisions: Decisions,
    /// Number of instructions up to there.
    pub steps: u64,
}

impl From<&State> for Root {
    /// Returns the point to which the path of a state has come.
    fn from(state: &State) -> Self {
        Root {
            decisions: state.decisions.clone(),
            steps: state.steps,
        }
    }
}

impl Forest {
    /// Returns the number of regions.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Adds the regions of these roots, the one to explore next last. They come before those that
    /// are there.
    pub fn plant(&mut self, pool: &Pool, roots: impl Iterator<Item = Root>) {
        self.prune();
        let vars = self.vars.drain(..).enumerate();
        let mut planter = Planter {
            pool,
            vars: vars.map(|(at, var)| (var, at as u32)).collect(),
            branches: FxHashMap::default(),
            kept: Vec::new(),
            forest: self,
        };
        let leaves: Vec<Leaf> = roots.map(|root| planter.leaf(&root)).collect();
        let mut vars: Vec<(RegionVar, u32)> = planter.vars.into_iter().collect();
        vars.sort_unstable_by_key(|var| var.1);
        self.vars = vars.into_iter().map(|var| var.0).collect();
        self.leaves.extend(leaves);
    }

    /// Adds a region, to be explored next.
    pub fn add(&mut self, region: &Region) {
        let mut vars = self.numbers();
        let mut number = |var: &RegionVar| Some(number_of(var, &mut vars, &mut self.vars));
        let decisions = region.decisions.iter();
        let leaf = Leaf {
            start: region.start,
            before: None,
            decisions: decisions.map(|d| d.with_vars(&mut number)).collect(),
            refuted: region.refuted,
            steps: region.steps,
        };
        self.leaves.push(leaf);
    }

    /// Adds the regions of another forest, which come before those that are there.
    pub fn append(&mut self, other: Forest) {
        let mut vars = self.numbers();
        let numbers = other.vars.iter();
        let numbers: Vec<u32> = numbers
            .map(|var| number_of(var, &mut vars, &mut self.vars))
            .collect();
        let number = |var: &u32| Some(numbers[*var as usize]);
        let renumbered = |decisions: Box<[Decision<u32>]>| {
            let decisions = decisions.iter();
            decisions.map(|d| d.with_vars(number)).collect()
        };
        let moved = self.branches.len() as u32;
        let branches = other.branches.into_iter().map(|branch| Branch {
            before: branch.before.map(|at| at + moved),
            decisions: renumbered(branch.decisions),
        });
        self.branches.extend(branches);
        let leaves = other.leaves.into_iter().map(|leaf| Leaf {
            before: leaf.before.map(|at| at + moved),
            decisions: renumbered(leaf.decisions),
            ..leaf
        });
        self.leaves.extend(leaves);
    }

    /// Deals the regions out to so many forests, or fewer, where there are fewer.
    pub fn split(self, parts: usize) -> Vec<Forest> {
        let parts = parts.min(self.leaves.len());
        let part = |number: usize| {
            let leaves = self.leaves.iter().skip(number).step_by(parts);
            let mut part = Forest {
                vars: self.vars.clone(),
                branches: self.branches.clone(),
                leaves: leaves.cloned().collect(),
            };
            part.prune();
            part.prune_vars();
            part
        };
        (0..parts).map(part).collect()
    }

    /// Numbers the objects of paths anew, for another program: the first has this number instead of
    /// that. Reports whether all were objects of paths.
    pub fn renumber_objects(&mut self, first: u32, before: u32) -> bool {
        for var in &mut self.vars {
            if let RegionVar::Described(VarInfo {
                origin:
                    Origin::Uninit {
                        object: Some(object),
                        ..
                    },
                ..
            }) = var
            {
                match object.0.checked_sub(before) {
                    Some(own) => object.0 = first + own,
                    None if first == before => {}
                    None => return false,
                }
            }
        }
        true
    }

    /// Returns the variables with their numbers.
    fn numbers(&self) -> FxHashMap<RegionVar, u32> {
        let vars = self.vars.iter().cloned().enumerate();
        vars.map(|(at, var)| (var, at as u32)).collect()
    }

    /// Reports whether all that is referred to by number exists, as in a forest that was made here.
    pub fn is_whole(&self) -> bool {
        let has_vars = |decisions: &[Decision<u32>]| {
            let mut is_known = true;
            for decision in decisions {
                decision.with_vars(|var| {
                    is_known &= (*var as usize) < self.vars.len();
                    Some(())
                });
            }
            is_known
        };
        let branches = self.branches.iter().enumerate();
        let in_order = |at: usize, before: Option<u32>| before.is_none_or(|b| (b as usize) < at);
        let mut branches =
            branches.map(|(at, branch)| in_order(at, branch.before) && has_vars(&branch.decisions));
        let count = self.branches.len();
        let mut leaves = self.leaves.iter();
        branches.all(|is| is)
            && leaves.all(|leaf| in_order(count, leaf.before) && has_vars(&leaf.decisions))
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

    /// Removes the variables that no decision names.
    fn prune_vars(&mut self) {
        let vars = std::mem::take(&mut self.vars);
        let mut moved = vec![None; vars.len()];
        let mut keep = |number: &u32| {
            let at = *number as usize;
            Some(*moved[at].get_or_insert_with(|| {
                self.vars.push(vars[at].clone());
                (self.vars.len() - 1) as u32
            }))
        };
        let branches = self.branches.iter_mut().map(|b| &mut b.decisions);
        let leaves = self.leaves.iter_mut().map(|leaf| &mut leaf.decisions);
        for decisions in branches.chain(leaves) {
            for decision in decisions {
                *decision = decision.with_vars(&mut keep);
            }
        }
    }
}

/// Returns the number of a variable, which is added if it is not there.
fn number_of(
    var: &RegionVar,
    numbers: &mut FxHashMap<RegionVar, u32>,
    vars: &mut Vec<RegionVar>,
) -> u32 {
    *numbers.entry(var.clone()).or_insert_with(|| {
        vars.push(var.clone());
        (vars.len() - 1) as u32
    })
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
    fn leaf(&mut self, root: &Root) -> Leaf {
        let Root { decisions, steps } = root;
        let known = &self.branches;
        let is_known = |part: &Rc<Part>| known.contains_key(&Rc::as_ptr(part));
        let (parts, oldest) = decisions.parts(is_known);
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
        let (own, refuted) = decisions.own();
        Leaf {
            start: decisions.start(),
            before,
            decisions: self.portable(&mut results, &own),
            refuted,
            steps: *steps,
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
