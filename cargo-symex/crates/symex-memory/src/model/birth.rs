//! Origins of objects, for the models that group objects by them. Only what a model asks for is
//! kept, and an object has but the number of its birth.

use rustc_hash::FxHashMap;
use symex_program::{FuncId, GlobalId};

/// A call: the function that makes it, and the index of the instruction.
pub type CallPlace = (FuncId, u32);

/// The origin of an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Birth {
    /// The engine, or it was not asked for.
    Unknown,
    Global(GlobalId),
    /// The calls under way when it was allocated, innermost first, that of the allocator included.
    Calls(Box<[CallPlace]>),
}

/// All births of a run by number, 0 for one that is unknown. Numbers tell births apart; nothing
/// else may depend on them.
pub struct Births {
    /// Number of calls that are kept; `None`: births are not asked for.
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

    /// The birth of an object that these calls allocate, innermost first.
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
