//! A sketch of the tree of decisions while it is explored: the levels that have room are kept
//! whole, and what is below them is counted. As a level is kept only if all of it has room, the
//! sketch does not depend on the order of exploration.

use crate::state::State;
use crate::state::trail::Trail;
use symex_program::{LocId, Program};
use symex_types::outcome::decision_tree::{
    DecisionTree, EndKind, Ends, Fork, ForkKind, MOST_NODES, MOST_STEPS, MOST_WAYS, Node, Step, Way,
};
use symex_types::outcome::{FindingKind, SourceLoc};

/// A sketch of the tree of decisions.
#[derive(Default)]
pub struct Sketch {
    /// Slots by their number; some are free.
    slots: Vec<Slot>,
    free: Vec<usize>,
    /// The slots by their depth, as far down as is kept.
    levels: Vec<Vec<usize>>,
    /// Greatest depth that may be kept, once some level was not.
    deepest: Option<usize>,
    /// Number of slots that are in use.
    used: usize,
    /// The slots of the initial states, by their numbers.
    roots: Vec<usize>,
    ways: Vec<FoundWay>,
    /// Whether paths only come by that are counted elsewhere.
    pub comes_by: bool,
    /// What earlier explorations have told.
    earlier: Option<DecisionTree>,
    is_partial: bool,
    /// Changes of the step that is run, if it may be undone.
    changes: Option<Vec<Change>>,
}

/// A change, with the slot in which it is.
#[derive(Clone, Copy)]
enum Change {
    /// A fork that is told, and one that is counted only.
    Told(usize),
    Counted(usize),
    Ended(usize, EndKind),
}

#[derive(Clone, Default)]
struct Slot {
    depth: usize,
    parent: Option<usize>,
    fork: Option<Forked>,
    forks: u64,
    ends: Ends,
}

#[derive(Clone)]
struct Forked {
    at: LocId,
    kind: ForkKind,
    sides: [usize; 2],
    is_own: bool,
}

struct FoundWay {
    start: usize,
    steps: Vec<(LocId, ForkKind, bool)>,
    more: u64,
    kind: FindingKind,
    at: Option<SourceLoc>,
}

impl Sketch {
    /// Goes on from what earlier explorations have told; `None` if they have told nothing of their
    /// paths.
    pub fn go_on(&mut self, earlier: Option<DecisionTree>) {
        self.is_partial |= earlier.is_none();
        self.earlier = earlier;
    }

    /// Begins a step that may be undone: earlier steps are not undone with it.
    pub fn begin_step(&mut self) {
        self.changes.get_or_insert_default().clear();
    }

    /// Undoes what was counted since a step began, which will be run once more.
    pub fn undo_step(&mut self) {
        for change in self.changes.take().into_iter().flatten().rev() {
            match change {
                Change::Told(slot) => {
                    if let Some(fork) = &mut self.slots[slot].fork {
                        fork.is_own = false;
                    }
                }
                Change::Counted(slot) => self.slots[slot].forks -= 1,
                Change::Ended(slot, kind) => self.slots[slot].ends.undo(kind),
            }
        }
    }

    fn note(&mut self, change: Change) {
        if let Some(changes) = &mut self.changes {
            changes.push(change);
        }
    }

    /// Adds a fork of a path in two.
    pub fn fork(&mut self, st: &State, copy: &State, at: LocId, kind: ForkKind) {
        let Some((slot, is_exact)) = self.find(&st.trail) else {
            return;
        };
        let depth = self.slots[slot].depth + 1;
        let has_room = is_exact && self.deepest.is_none_or(|deepest| depth <= deepest);
        let is_own = !self.comes_by;
        if !has_room {
            self.slots[slot].forks += u64::from(is_own);
            if is_own {
                self.note(Change::Counted(slot));
            }
            st.trail.fork(&copy.trail, (at, kind), None);
            return;
        }
        let sides = match &mut self.slots[slot].fork {
            Some(known) => {
                known.is_own |= is_own;
                known.sides
            }
            None => {
                let sides = [(); 2].map(|()| self.add(depth, Some(slot)));
                self.slots[slot].fork = Some(Forked {
                    at,
                    kind,
                    sides,
                    is_own,
                });
                sides
            }
        };
        if is_own {
            self.note(Change::Told(slot));
        }
        st.trail.fork(&copy.trail, (at, kind), Some(sides));
        while self.used > MOST_NODES && self.levels.len() > 1 {
            self.fold();
        }
    }

    /// Counts the end of a path.
    pub fn end(&mut self, st: &State, kind: EndKind) {
        if !self.comes_by
            && let Some((slot, _)) = self.find(&st.trail)
        {
            self.slots[slot].ends.note(kind);
            self.note(Change::Ended(slot, kind));
        }
    }

    /// Keeps the way of a path that has ended with a finding at a place.
    pub fn found(&mut self, st: &State, kind: FindingKind, at: Option<SourceLoc>) {
        let Some(start) = st.trail.start().filter(|_| !self.comes_by) else {
            return;
        };
        if self.ways.len() >= MOST_WAYS {
            return;
        }
        let steps = st.trail.steps();
        let told = steps.iter().take(MOST_STEPS);
        self.ways.push(FoundWay {
            start,
            steps: told.map(|step| (step.at, step.kind, step.copy)).collect(),
            more: steps.len().saturating_sub(MOST_STEPS) as u64,
            kind,
            at,
        });
    }

    /// Returns the slot that a path is in, and whether it has not forked since it came there.
    fn find(&mut self, trail: &Trail) -> Option<(usize, bool)> {
        let start = trail.start()?;
        let last = trail.last();
        let mut next = last.as_ref();
        let mut is_exact = true;
        while let Some(step) = next {
            let is_kept = (step.depth as usize) < self.levels.len();
            if let Some(slot) = step.slot.filter(|_| is_kept) {
                return Some((slot, is_exact));
            }
            is_exact = false;
            next = step.anchor();
        }
        while self.roots.len() <= start {
            let root = self.add(0, None);
            self.roots.push(root);
        }
        Some((self.roots[start], is_exact))
    }

    fn add(&mut self, depth: usize, parent: Option<usize>) -> usize {
        let slot = Slot {
            depth,
            parent,
            ..Slot::default()
        };
        self.used += 1;
        let number = match self.free.pop() {
            Some(number) => {
                self.slots[number] = slot;
                number
            }
            None => {
                self.slots.push(slot);
                self.slots.len() - 1
            }
        };
        if self.levels.len() <= depth {
            self.levels.push(Vec::new());
        }
        self.levels[depth].push(number);
        number
    }

    /// Counts the deepest level instead of keeping it.
    fn fold(&mut self) {
        let level = self.levels.pop().unwrap_or_default();
        self.deepest = Some(self.levels.len() - 1);
        for number in level {
            let slot = std::mem::take(&mut self.slots[number]);
            self.free.push(number);
            self.used -= 1;
            let Some(at) = slot.parent else { continue };
            for change in self.changes.iter_mut().flatten() {
                *change = match *change {
                    Change::Told(told) if told == at => Change::Counted(at),
                    Change::Counted(counted) if counted == number => Change::Counted(at),
                    Change::Ended(ended, kind) if ended == number => Change::Ended(at, kind),
                    other => other,
                };
            }
            let parent = &mut self.slots[at];
            if let Some(fork) = parent.fork.take() {
                parent.forks += u64::from(fork.is_own);
            }
            parent.forks += slot.forks;
            parent.ends.add(&slot.ends);
        }
    }

    /// Returns the tree, with that of earlier explorations.
    pub fn tree(&self, program: &Program) -> DecisionTree {
        let mut tree = DecisionTree {
            is_partial: self.is_partial,
            ..DecisionTree::default()
        };
        let place = |tree: &mut DecisionTree, at: LocId| {
            let at = super::trace::source(program, at)?;
            Some(tree.place(&at))
        };
        let mut numbers = vec![0; self.slots.len()];
        let order: Vec<usize> = self.levels.iter().flatten().copied().collect();
        for (number, slot) in order.iter().enumerate() {
            numbers[*slot] = number as u32;
        }
        for slot in &order {
            let slot = &self.slots[*slot];
            let fork = slot.fork.as_ref().map(|fork| Fork {
                at: place(&mut tree, fork.at),
                kind: fork.kind,
                sides: fork.sides.map(|side| numbers[side]),
                is_own: fork.is_own,
            });
            tree.nodes.push(Node {
                fork,
                forks: slot.forks,
                ends: slot.ends,
            });
        }
        tree.roots = self.roots.iter().map(|root| numbers[*root]).collect();
        for way in &self.ways {
            let steps = way.steps.iter().map(|(at, kind, copy)| Step {
                at: place(&mut tree, *at),
                kind: *kind,
                copy: *copy,
            });
            let steps = steps.collect();
            tree.ways.push(Way {
                root: way.start as u32,
                steps,
                more: way.more,
                kind: way.kind,
                at: way.at.clone(),
            });
        }
        if let Some(earlier) = &self.earlier {
            tree.add(earlier.clone());
        }
        tree
    }
}
