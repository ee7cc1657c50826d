//! Births: allocation contexts of objects, for the models that group objects by them. Only the
//! calls that a model asks for are kept, and an object has just the number of its birth.

use rustc_hash::FxHashMap;
use symex_program::{FuncId, GlobalId};

/// Call site: the calling function, and the index of the instruction.
pub type CallPlace = (FuncId, u32);

/// Allocation context of an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Birth {
    /// Allocated by the engine, or not recorded.
    Unknown,
    Global(GlobalId),
    /// Active calls at the allocation, innermost first, that of the allocator included.
    Calls(Box<[CallPlace]>),
}

/// All births of a run by number, 0 for an unknown one. Numbers distinguish births; nothing else
/// may depend on them.
pub struct Births {
    /// Number of calls that are kept; `None`: births are not recorded.
    frames: Option<usize>,
    all: Vec<Birth>,
    numbers: FxHashMap<Birth, u32>,
}

impl Births {
    pub fn new(frames: Option<usize>) -> Births {
        Births {
            frames,
            all: vec![Birth::Unknown],
            numbers: FxHashMap::default(),
        }
    }

    pub fn of_global(&mut self, global: GlobalId) -> u32 {
        match self.frames {
            None => 0,
            Some(_) => self.number(Birth::Global(global)),
        }
    }

    /// Returns the birth of an object allocated by these calls, innermost first.
    #[inline]
    pub fn of_calls(&mut self, calls: impl Iterator<Item = CallPlace>) -> u32 {
        match self.frames {
            None => 0,
            Some(frames) => self.number(Birth::Calls(calls.take(frames).collect())),
        }
    }

    fn number(&mut self, birth: Birth) -> u32 {
        if let Some(known) = self.numbers.get(&birth) {
            return *known;
        }
        let number = self.all.len() as u32;
        self.all.push(birth.clone());
        self.numbers.insert(birth, number);
        number
    }

    pub fn get(&self, number: u32) -> &Birth {
        &self.all[number as usize]
    }
}
