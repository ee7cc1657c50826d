//! Where `setjmp` was called, for `longjmp` to come back to.
//!
//! A buffer holds nothing but the number of such a place, so that it may be copied like any other
//! memory.

use super::Stack;
use std::rc::Rc;
use symex_terms::Value;

/// A call of `setjmp`.
#[derive(Clone, Debug)]
pub struct JumpTarget {
    /// The frame's number ([`Frame::serial`](super::Frame::serial)).
    pub frame: u64,
    /// The call in the frame's function.
    pub pc: u32,
    /// What the frame's registers held.
    pub slots: Rc<[Value]>,
}

/// The places that a path has noted.
#[derive(Clone, Debug, Default)]
pub struct Jumps {
    /// With their numbers, ascending.
    targets: Vec<(u64, JumpTarget)>,
    noted: u64,
    /// Number of targets at which those that cannot be jumped to any more are dropped.
    full: usize,
}

impl Jumps {
    /// Notes the call that the innermost frame stands at. A call that is made again keeps its
    /// number, for what has changed since is indeterminate to who jumps back by an old copy of the
    /// buffer.
    pub fn note(&mut self, stack: &Stack) -> u64 {
        let top = &stack.top;
        let target = JumpTarget {
            frame: top.serial,
            pc: top.pc,
            slots: top.slots.as_slice().into(),
        };
        let same = |t: &&mut (u64, JumpTarget)| t.1.frame == target.frame && t.1.pc == target.pc;
        if let Some(known) = self.targets.iter_mut().rev().find(same) {
            known.1 = target;
            return known.0;
        }
        if self.targets.len() >= self.full {
            let live: rustc_hash::FxHashSet<u64> = stack.iter().map(|f| f.serial).collect();
            self.targets.retain(|t| live.contains(&t.1.frame));
            self.full = (2 * self.targets.len()).max(64);
        }
        self.noted += 1;
        self.targets.push((self.noted, target));
        self.noted
    }

    /// The place of a number, if it was noted and its frame may still be there.
    pub fn target(&self, number: u64) -> Option<&JumpTarget> {
        let at = self.targets.binary_search_by_key(&number, |t| t.0).ok()?;
        Some(&self.targets[at].1)
    }

    /// Was it ever noted?
    pub fn was_noted(&self, number: u64) -> bool {
        (1..=self.noted).contains(&number)
    }
}
