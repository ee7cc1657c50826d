//! Abstract objects: each stands for all objects of a run made at one place.
//!
//! [`OUTSIDE`] stands for the memory and functions of unseen code, and in a set also for every
//! object whose address has escaped: those are listed once, not in each set. Numbers follow the
//! order of the program and of discovery, so they are the same in each run.

use rustc_hash::FxHashMap;
use symex_program::{FuncId, GlobalId, Program};

/// Number of an abstract object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AbstractId(pub u32);

/// The abstract object of everything outside of the program.
pub const OUTSIDE: AbstractId = AbstractId(0);

/// An abstract object. `inst` is an index in [`Body::code`](symex_program::Body::code).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum AbstractObject {
    /// All memory and functions of code that is not in the program.
    Outside,
    Global(GlobalId),
    Function(FuncId),
    /// Stack objects of one instruction.
    Alloca {
        function: FuncId,
        inst: u32,
    },
    /// Objects that one call of an allocator returns.
    Heap {
        function: FuncId,
        inst: u32,
    },
    /// Private copies behind a `byval` parameter.
    ParameterCopy {
        function: FuncId,
        param: u32,
    },
    /// Private copies behind a `byval` variable argument, made at a call.
    ArgumentCopy {
        function: FuncId,
        inst: u32,
        leaf: u32,
    },
    /// Area of a function's variable arguments.
    VariableArguments(FuncId),
}

/// All abstract objects of a program: the outside, its globals, its functions, then the others in
/// order of discovery.
pub struct Objects {
    all: Vec<AbstractObject>,
    found: FxHashMap<AbstractObject, AbstractId>,
    globals: u32,
    functions: u32,
}

impl Objects {
    pub(super) fn new(program: &Program) -> Self {
        let globals = program.globals.len() as u32;
        let functions = program.functions.len() as u32;
        let mut all = vec![AbstractObject::Outside];
        all.extend((0..globals).map(|g| AbstractObject::Global(GlobalId(g))));
        all.extend((0..functions).map(|f| AbstractObject::Function(FuncId(f))));
        Objects {
            all,
            found: FxHashMap::default(),
            globals,
            functions,
        }
    }

    /// Returns the number of an object, and whether it is a new one.
    pub(super) fn add(&mut self, object: AbstractObject) -> (AbstractId, bool) {
        if let Some(id) = self.find(object) {
            return (id, false);
        }
        let id = AbstractId(self.all.len() as u32);
        self.all.push(object);
        self.found.insert(object, id);
        (id, true)
    }

    /// Returns the number of an object, if the analysis met it.
    pub fn find(&self, object: AbstractObject) -> Option<AbstractId> {
        match object {
            AbstractObject::Outside => Some(OUTSIDE),
            AbstractObject::Global(g) => (g.0 < self.globals).then_some(AbstractId(1 + g.0)),
            AbstractObject::Function(f) => {
                (f.0 < self.functions).then_some(AbstractId(1 + self.globals + f.0))
            }
            other => self.found.get(&other).copied(),
        }
    }

    /// Returns the object of a number.
    pub fn get(&self, id: AbstractId) -> AbstractObject {
        self.all[id.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns false, since there is always the outside.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Iterates over numbers and objects, in order.
    pub fn iter(&self) -> impl Iterator<Item = (AbstractId, AbstractObject)> + '_ {
        let numbers = (0..).map(AbstractId);
        numbers.zip(self.all.iter().copied())
    }
}
