//! Pool of the registers of frames that were left, for reuse by new frames.

use crate::state::VarArg;
use std::rc::Rc;
use symex_terms::Value;

/// Greatest number of register vectors kept for reuse.
const MOST_KEPT: usize = 256;

/// Pool of frame registers.
pub(in crate::exec) struct FramePool {
    /// Register vectors of frames that were left.
    free: Vec<Vec<Value>>,
    no_varargs: Rc<[VarArg]>,
}

impl Default for FramePool {
    fn default() -> Self {
        FramePool {
            free: Vec::new(),
            no_varargs: Rc::from([]),
        }
    }
}

impl FramePool {
    /// Returns undefined registers for a new frame.
    pub fn slots(&mut self, count: usize) -> Vec<Value> {
        let mut slots = self.free.pop().unwrap_or_default();
        slots.clear();
        slots.resize(count, Value::Undef);
        slots
    }

    /// Takes back the registers of a frame that was left.
    pub fn put_back(&mut self, slots: Vec<Value>) {
        if self.free.len() < MOST_KEPT {
            self.free.push(slots);
        }
    }

    /// Returns the empty variable arguments of a function that takes none.
    pub fn no_varargs(&self) -> Rc<[VarArg]> {
        self.no_varargs.clone()
    }
}
