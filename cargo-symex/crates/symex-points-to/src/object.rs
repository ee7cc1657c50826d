//! Abstract objects: one for everything that the objects of a run made at one place have in common.
//!
//! [`OUTSIDE`] stands for what code that we do not see has and makes, and in a set also for every
//! object whose address has got there: those are listed once, not in each set. Numbers are given in
//! the order of the program and of discovery, so they are the same in each run.

use rustc_hash::FxHashMap;
use symex_program::{FuncId, GlobalId, Program};

/// Number of an abstract object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AbstractId(pub u32);

/// What lies outside of the program.
pub const OUTSIDE: AbstractId = AbstractId(0);

/// An abstract object. `inst` is an index in [`Body::code`](symex_program::Body::code).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum AbstractObject {
    /// All memory and functions of code that is not in the program.
    Outside,
    Global(GlobalId),
    Function(FuncId),
    /// The stack objects of one instruction.
    Alloca {
        function: FuncId,
        inst: u32,
    },
    /// What one call of an allocator gives.
    Heap {
        function: FuncId,
        inst: u32,
    },
    /// The private copies behind a `byval` parameter.
    ParameterCopy {
        function: FuncId,
        param: u32,
    },
    /// The private copies behind a `byval` variable argument, made at a call.
    ArgumentCopy {
        function: FuncId,
        inst: u32,
        leaf: u32,
    },
    /// Where a function's variable arguments lie.
    VariableArguments(FuncId),
}

/// All abstract objects of a program: the outside, its globals, its functions, then the others as
/// they were found.
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

    /// The number of an object, and whether it is a new one.
    pub(super) fn add(&mut self, object: AbstractObject) -> (AbstractId, bool) {
        if let Some(id) = self.find(object) {
            return (id, false);
        }
        let id = AbstractId(self.all.len() as u32);
        self.all.push(object);
        self.found.insert(object, id);
        (id, true)
    }

    /// The number of an object, if the analysis met it.
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

    /// The object that a number stands for.
    pub fn get(&self, id: AbstractId) -> AbstractObject {
        self.all[id.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Never: there is the outside.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Number and object, in order.
    pub fn iter(&self) -> impl Iterator<Item = (AbstractId, AbstractObject)> + '_ {
        let numbers = (0..).map(AbstractId);
        numbers.zip(self.all.iter().copied())
    }
}
