//! Definitions of the functions and variables that a program names: models, constants, null for an
//! undefined weak symbol, and zeros for an undefined variable.

use crate::exec::call::enter::FIRST_BLOCK_OFFSET;
use crate::exec::call::model::{FindModel, ModelFn};
use crate::exec::memory::globals::{object_of_function, object_of_global};
use crate::exec::path::environment_list::LISTS;
use crate::exec::path::outcomes::Tally;
use crate::exec::{EMPTY_ENVIRONMENT, NO_ARGUMENTS};
use crate::state::fuzz_input::{AFL_INPUT, AFL_LENGTH};
use std::rc::Rc;
use symex_program::{Constant, FuncId, Function, GlobalId, Program, RelocTarget};
use symex_terms::{ObjectId, Pool, Value};
use symex_types::config::Config;

/// Undefined variables to which the engine gives their value, and one that is only an address.
const SUPPLIED: [&str; 13] = [
    "stdin",
    "stdout",
    "stderr",
    "optarg",
    "optind",
    "opterr",
    "optopt",
    LISTS[0],
    LISTS[1],
    LISTS[2],
    "__dso_handle",
    AFL_INPUT,
    AFL_LENGTH,
];

/// Part of the mangled names of the statics in which std keeps the arguments, in any version of the
/// mangling.
const STD_ARGUMENTS: &str = "4args4unix3imp4ARG";

/// Start of the path of what `main` calls, which keeps the arguments that it was given.
const STD_START: &str = "std::rt::";

fn is_constructor(program: &Program, f: &Function) -> bool {
    let is_it = |id: &FuncId| std::ptr::eq(program.function(*id), f);
    program.constructors.iter().any(is_it)
}

/// Constants and model of a function, computed once per run.
pub(in crate::exec) struct Prepared {
    pub constants: Rc<[Value]>,
    pub model: Option<ModelFn>,
}

/// Definitions of the functions and variables of a program.
pub(in crate::exec) struct Definitions<'a> {
    program: &'a Program,
    config: &'a Config,
    find_model: &'a FindModel,
    prepared: Vec<Option<Prepared>>,
}

impl<'a> Definitions<'a> {
    /// Makes the definitions of a program, with models for functions that it does not define.
    pub fn new(program: &'a Program, config: &'a Config, find_model: &'a FindModel) -> Self {
        let mut prepared = Vec::new();
        prepared.resize_with(program.functions.len(), || None);
        Definitions {
            program,
            config,
            find_model,
            prepared,
        }
    }

    /// Returns a function with its constants and its model. Assumptions that its callers rely on
    /// are recorded.
    #[inline]
    pub fn prepared(&mut self, pool: &mut Pool, tally: &mut Tally, id: FuncId) -> &Prepared {
        let at = id.0 as usize;
        if self.prepared[at].is_none() {
            self.prepared[at] = Some(self.prepare(pool, tally, id));
        }
        self.prepared[at].as_ref().expect("it was just prepared")
    }

    #[cold]
    fn prepare(&self, pool: &mut Pool, tally: &mut Tally, id: FuncId) -> Prepared {
        let f = self.program.function(id);
        for what in self.assumptions_of(id) {
            tally.assume(&what);
        }
        let constants: Vec<Value> = match &f.body {
            Some(body) => body
                .constants
                .iter()
                .map(|c| self.constant(pool, c))
                .collect(),
            None => Vec::new(),
        };
        Prepared {
            constants: constants.into(),
            model: (self.find_model)(f),
        }
    }

    /// Returns what a function takes for granted by the variables that it refers to: that C's list
    /// of environment variables, or std's copy of the arguments, is empty, and that variables which
    /// nothing defines hold zeros.
    pub fn assumptions_of(&self, id: FuncId) -> Vec<String> {
        let f = self.program.function(id);
        let names = &self.program.global_names;
        let lists = LISTS.map(|name| names.get(name).copied());
        let globals: Vec<_> = f
            .body
            .iter()
            .flat_map(|body| body.constants.iter())
            .filter_map(|c| match c {
                Constant::Global(g, _) => Some(*g),
                _ => None,
            })
            .collect();
        let mut all: Vec<String> = globals.iter().filter_map(|g| self.unknown(*g)).collect();
        let listed = globals.iter().any(|g| lists.contains(&Some(*g)));
        if listed && self.config.world.variables.is_empty() && !is_door(&f.display) {
            all.push(EMPTY_ENVIRONMENT.to_owned());
        }
        let is_std_arguments = |g: &GlobalId| self.program.global(*g).name.contains(STD_ARGUMENTS);
        let sets_them = is_constructor(self.program, f) || f.display.starts_with(STD_START);
        if globals.iter().any(is_std_arguments) && !sets_them {
            all.push(NO_ARGUMENTS.to_owned());
        }
        all
    }

    fn constant(&self, pool: &mut Pool, c: &Constant) -> Value {
        match c {
            Constant::Int(v) => Value::Int(*v),
            Constant::Wide(v, w) => Value::Expr(pool.constant(*w, *v)),
            Constant::Global(g, offset) => match self.is_absent_global(*g) {
                true => Value::Int(*offset),
                false => Value::Ptr(object_of_global(*g), *offset),
            },
            Constant::Function(f) => match self.is_absent_function(*f) {
                true => Value::NULL,
                false => Value::Ptr(object_of_function(self.program, *f), 0),
            },
            Constant::Block(f, b) => Value::Ptr(
                object_of_function(self.program, *f),
                FIRST_BLOCK_OFFSET + *b as u64,
            ),
            Constant::Undef if self.config.memory.zeroed => Value::Int(0),
            Constant::Undef => Value::Undef,
        }
    }

    /// Returns the pointer that a relocation puts into data.
    pub fn reloc_target(&self, target: RelocTarget, addend: u64) -> Value {
        match target {
            RelocTarget::Global(g) if self.is_absent_global(g) => Value::Int(addend),
            RelocTarget::Function(f) if self.is_absent_function(f) => Value::Int(addend),
            RelocTarget::Global(g) => Value::Ptr(object_of_global(g), addend),
            RelocTarget::Function(f) => Value::Ptr(object_of_function(self.program, f), addend),
            RelocTarget::Block(f, b) => Value::Ptr(
                object_of_function(self.program, f),
                addend.wrapping_add(FIRST_BLOCK_OFFSET + b as u64),
            ),
        }
    }

    /// Returns the C library's variable of this name and size, if the program refers to it.
    pub fn library_variable(&self, name: &str, size: u64) -> Option<ObjectId> {
        let id = self.program.global_names.get(name).copied()?;
        let global = self.program.global(id);
        let ours = global.init.is_none() && global.size == size && !self.is_absent_global(id);
        ours.then(|| object_of_global(id))
    }

    /// Reports whether this is a weak reference to a function that is not defined and has no model.
    /// Its address is null then.
    pub fn is_absent_function(&self, f: FuncId) -> bool {
        let function = self.program.function(f);
        self.program.weak_functions.contains(&f)
            && function.body.is_none()
            && (self.find_model)(function).is_none()
    }

    /// Returns the assumption that an undefined variable holds zeros: natively a library defines
    /// it, and it may hold anything.
    fn unknown(&self, g: GlobalId) -> Option<String> {
        let global = self.program.global(g);
        let supplied = SUPPLIED.contains(&global.name.as_str());
        // Tables of C++'s runtime, which only their address is taken of.
        let table = global.name.starts_with("_ZTVN10__cxxabiv");
        if global.init.is_some() || supplied || table || self.is_absent_global(g) {
            return None;
        }
        Some(format!(
            "`{}`, which nothing defines, was taken to hold zeros",
            global.name
        ))
    }

    /// Records the same assumption for all variables that initial data refers to.
    pub fn note_unknown_in_data(&self, tally: &mut Tally) {
        let program = self.program;
        let relocs = program.globals.iter().filter_map(|g| g.init.as_ref());
        for reloc in relocs.flat_map(|init| &init.relocs) {
            let targets = [Some(reloc.target), reloc.minus.map(|(target, _)| target)];
            for target in targets.into_iter().flatten() {
                if let RelocTarget::Global(g) = target
                    && let Some(what) = self.unknown(g)
                {
                    tally.assume(&what);
                }
            }
        }
    }

    /// Reports whether this is a weak reference to data that is not defined.
    pub fn is_absent_global(&self, g: GlobalId) -> bool {
        self.program.weak_globals.contains(&g) && self.program.global(g).init.is_none()
    }
}

/// Reports whether a function is the one by which std reads C's list of environment variables, or
/// is part of it. Its model records what is taken for granted.
fn is_door(display: &str) -> bool {
    let part = display.strip_prefix("std::sys::");
    display == "std::env::vars_os" || part.is_some_and(|path| path.ends_with("::env"))
}
