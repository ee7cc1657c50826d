//! The trail of a path: its forks with their places, for the tree of decisions. Kept only if that
//! is recorded.

use std::cell::RefCell;
use std::rc::Rc;
use symex_program::LocId;
use symex_types::outcome::decision_tree::ForkKind;

/// Most forks that are kept of a path.
const MOST: u32 = 4096;

/// The forks of a path so far.
#[derive(Clone, Default)]
pub struct Trail(Option<Kept>);

#[derive(Clone)]
struct Kept {
    /// Number of the initial state.
    start: usize,
    last: RefCell<Option<Rc<Footstep>>>,
}

/// One fork of a path.
pub struct Footstep {
    before: Option<Rc<Footstep>>,
    /// The last one, from this on, that has a slot.
    anchor: Option<Rc<Footstep>>,
    pub at: LocId,
    pub kind: ForkKind,
    /// Whether the path is the copy.
    pub copy: bool,
    /// Number of forks up to this one, with it.
    pub depth: u32,
    /// The slot in the sketch of the tree that the path came to, when it did.
    pub slot: Option<usize>,
}

impl Drop for Footstep {
    // A trail may be long: without recursion.
    fn drop(&mut self) {
        let mut next = self.before.take();
        // A footstep with an anchor further back than the one before it holds that, too.
        drop(self.anchor.take());
        while let Some(mut step) = next.and_then(Rc::into_inner) {
            next = step.before.take();
        }
    }
}

impl Trail {
    /// Makes the trail of an initial state, by its number.
    pub fn from_start(start: usize) -> Self {
        Trail(Some(Kept {
            start,
            last: RefCell::default(),
        }))
    }

    /// Returns the number of the initial state; `None` if no trail is kept.
    pub fn start(&self) -> Option<usize> {
        Some(self.0.as_ref()?.start)
    }

    /// Returns the last fork.
    pub fn last(&self) -> Option<Rc<Footstep>> {
        self.0.as_ref()?.last.borrow().clone()
    }

    /// Adds a fork to the trails of a path and of its copy, which come to these slots.
    pub fn fork(&self, copy: &Trail, (at, kind): (LocId, ForkKind), slots: Option<[usize; 2]>) {
        let (Some(own), Some(others)) = (&self.0, &copy.0) else {
            return;
        };
        let before = own.last.borrow().clone();
        let depth = before.as_ref().map_or(0, |step| step.depth) + 1;
        if depth > MOST {
            return;
        }
        let anchor = before.as_ref().and_then(|step| match step.slot {
            Some(_) => Some(step.clone()),
            None => step.anchor.clone(),
        });
        let step = |number: usize| {
            Rc::new(Footstep {
                before: before.clone(),
                anchor: anchor.clone(),
                at,
                kind,
                copy: number == 1,
                depth,
                slot: slots.map(|slots| slots[number]),
            })
        };
        *own.last.borrow_mut() = Some(step(0));
        *others.last.borrow_mut() = Some(step(1));
    }

    /// Returns the forks, the first one first.
    pub fn steps(&self) -> Vec<Rc<Footstep>> {
        let mut steps = Vec::new();
        let mut next = self.last();
        while let Some(step) = next {
            next = step.before.clone();
            steps.push(step);
        }
        steps.reverse();
        steps
    }
}

impl Footstep {
    /// Returns the last fork before this one that has a slot.
    pub fn anchor(&self) -> Option<&Rc<Footstep>> {
        self.anchor.as_ref()
    }
}
