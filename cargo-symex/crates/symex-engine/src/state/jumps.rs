//! Jump targets: calls of `setjmp` to which `longjmp` returns.
//!
//! A buffer holds nothing but the number of such a target, so that it may be copied like any other
//! memory.

use super::Stack;
use std::rc::Rc;
use symex_terms::Value;

/// A call of `setjmp`.
#[derive(Clone, Debug)]
pub struct JumpTarget {
    /// Number of the frame ([`Frame::serial`](super::Frame::serial)).
    pub frame: u64,
    /// Index of the call in the frame's function.
    pub pc: u32,
    /// Values of the frame's registers.
    pub slots: Rc<[Value]>,
}

/// Jump targets that a path has recorded.
#[derive(Clone, Debug, Default)]
pub struct Jumps {
    /// Targets with their numbers, ascending.
    targets: Vec<(u64, JumpTarget)>,
    noted: u64,
    /// Number of targets at which stale ones are dropped.
    full: usize,
}

impl Jumps {
    /// Records the call at which the innermost frame waits. A call that is made again keeps its
    /// number: values changed since are indeterminate after a jump by an old copy of the buffer.
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

    /// Returns the target of a number, if it was recorded and its frame may still exist.
    pub fn target(&self, number: u64) -> Option<&JumpTarget> {
        let at = self.targets.binary_search_by_key(&number, |t| t.0).ok()?;
        Some(&self.targets[at].1)
    }

    /// Reports whether a number was ever recorded.
    pub fn was_noted(&self, number: u64) -> bool {
        (1..=self.noted).contains(&number)
    }
}
