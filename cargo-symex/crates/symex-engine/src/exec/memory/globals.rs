//! The initial state of a program: functions and globals as objects, and the entry's frame.

use crate::exec::Executor;
use crate::state::streams::{StreamId, Streams};
use crate::state::{Decisions, Frame, Pointers, Stack, State, SymbolicInputs, WorldState};
use std::rc::Rc;
use symex_memory::{AddressSpace, Initial, NewObject, ObjectKind, Tag};
use symex_program::{FuncId, GlobalId, LocId, Program};
use symex_terms::{Assignment, ObjectId, PathCondition, Value};
use symex_types::config::AliasingModel;

/// Alignment of functions, which leaves the low bits of their addresses free for block numbers and
/// tags.
const FUNCTION_ALIGN_LOG2: u8 = 4;

/// Returns the object of a global. Globals take the first object numbers.
pub(in crate::exec) fn object_of_global(g: GlobalId) -> ObjectId {
    ObjectId(g.0 + 1)
}

/// Returns the object of a function. Functions follow the globals.
pub(in crate::exec) fn object_of_function(program: &Program, f: FuncId) -> ObjectId {
    ObjectId(program.globals.len() as u32 + f.0 + 1)
}

/// Returns the number of the first object that a path makes itself.
pub fn first_own_object(program: &Program) -> u32 {
    (program.globals.len() + program.functions.len()) as u32 + 1
}

/// Returns the function whose address this object is.
pub(in crate::exec) fn function_of_object(program: &Program, o: ObjectId) -> Option<FuncId> {
    let i = o.0.checked_sub(program.globals.len() as u32 + 1)?;
    if (i as usize) < program.functions.len() {
        Some(FuncId(i))
    } else {
        None
    }
}

/// Returns the global whose storage this object is.
pub(in crate::exec) fn global_of_object(program: &Program, o: ObjectId) -> Option<GlobalId> {
    let i = o.0.checked_sub(1)?;
    if (i as usize) < program.globals.len() {
        Some(GlobalId(i))
    } else {
        None
    }
}

impl Executor<'_> {
    /// Returns the function whose address an object is, for models.
    pub fn function_of(&self, object: ObjectId) -> Option<FuncId> {
        function_of_object(self.program, object)
    }

    /// Returns the address of a function or variable that is defined, or modelled, by its name.
    pub fn symbol(&mut self, name: &str) -> Option<Value> {
        let program = self.program;
        let is_named = |f: &symex_program::Function| f.name == name;
        if let Some(i) = program.functions.iter().position(is_named) {
            let id = FuncId(i as u32);
            let is_there = program.functions[i].body.is_some() || self.prepared(id).model.is_some();
            return is_there.then(|| Value::Ptr(object_of_function(program, id), 0));
        }
        let id = program.global_names.get(name).copied()?;
        let is_there = program.global(id).init.is_some();
        is_there.then(|| Value::Ptr(object_of_global(id), 0))
    }

    /// Returns the state before the first instruction of `entry`, called with these scalar leaves.
    pub fn initial_state(&mut self, entry: FuncId, args: &[Value]) -> State {
        let program = self.program;
        self.definitions
            .note_unknown_in_data(&mut self.outcomes.tally);
        let mut memory = self.policy.begin(entry);
        for i in 0..program.globals.len() {
            self.allocate_global(&mut memory, GlobalId(i as u32));
        }
        for f in &program.functions {
            let blocks = f.body.as_ref().map_or(0, |b| b.blocks.len() as u64);
            memory.allocate(NewObject {
                size: 1 + blocks,
                length: None,
                align_log2: FUNCTION_ALIGN_LOG2,
                kind: ObjectKind::Function,
                site: LocId::default(),
                birth: 0,
                initial: Initial::Zero,
            });
        }
        let follows_references = self.config.aliasing == Some(AliasingModel::Tree);
        if follows_references {
            memory.track_pointer_tags();
        }
        for i in 0..program.globals.len() {
            let global = GlobalId(i as u32);
            self.initialise_global(&mut memory, global, object_of_global(global));
        }
        let world = self.first_world(&mut memory);
        let body_slots = program
            .function(entry)
            .body
            .as_ref()
            .map_or(0, |b| b.slots as usize);
        let id = self.siblings.number();
        State {
            id,
            stack: Stack::new(Frame::first(entry, body_slots, args)),
            memory,
            condition: PathCondition::default(),
            assignment: Assignment::default(),
            decisions: Decisions::default(),
            trail: Default::default(),
            inputs: SymbolicInputs::default(),
            exception: None,
            unwinds: None,
            panics: Default::default(),
            raised: None,
            steps: 0,
            address_dependent: false,
            parts: Rc::default(),
            placed: Rc::default(),
            pointers: Pointers::default(),
            hashes: Default::default(),
            applied: Default::default(),
            unverified: None,
            untaken: None,
            assumptions: Rc::default(),
            check: None,
            status: None,
            world: Rc::new(world),
            borrows: follows_references.then(Box::default),
            joins: Default::default(),
            guards: Default::default(),
            new_cover: None,
            threads: None,
        }
    }

    /// Allocates an object for a global, without what it contains at the start but for plain bytes.
    pub(in crate::exec) fn allocate_global(
        &mut self,
        memory: &mut AddressSpace,
        global: GlobalId,
    ) -> ObjectId {
        let g = self.program.global(global);
        let initial = match &g.init {
            Some(init) if init.bytes.iter().all(|b| *b == 0) => Initial::Zero,
            Some(init) => Initial::Bytes(Rc::from(&init.bytes[..])),
            None => Initial::Zero,
        };
        let object = memory.allocate(NewObject {
            size: g.size,
            length: None,
            align_log2: g.align.max(1).trailing_zeros() as u8,
            // What is not plain bytes is written to constants, too, before the program begins.
            kind: if g.constant {
                ObjectKind::Constant
            } else {
                ObjectKind::Global
            },
            site: LocId::default(),
            birth: self.policy.births.of_global(global),
            initial,
        });
        if g.rust {
            memory.align_as_asked(object);
        }
        object
    }

    /// Writes what a global contains at the start, besides plain bytes, to its object.
    pub(in crate::exec) fn initialise_global(
        &mut self,
        memory: &mut AddressSpace,
        global: GlobalId,
        object: ObjectId,
    ) {
        let Some(init) = &self.program.global(global).init else {
            return;
        };
        for (start, end) in &init.undef {
            memory.fill(&mut self.pool, object, *start, end - start, Value::Undef);
        }
        for r in &init.relocs {
            let target = self.definitions.reloc_target(r.target, r.addend);
            let value = match &r.minus {
                None => target,
                Some((minus, addend)) => {
                    let minus = self.definitions.reloc_target(*minus, *addend);
                    let difference =
                        memory_address(memory, target).wrapping_sub(memory_address(memory, minus));
                    Value::Int(if r.size >= 8 {
                        difference
                    } else {
                        difference & ((1 << (8 * r.size)) - 1)
                    })
                }
            };
            memory.store(&mut self.pool, object, r.offset, r.size as u32 * 8, value);
            if r.size == 8 {
                memory.set_pointer_tag(object, r.offset, Tag::ROOT);
            }
        }
    }

    /// Makes a world in which C's `stdin`, `stdout` and `stderr` are pointers that the library
    /// owns, to objects of its own.
    fn first_world(&mut self, memory: &mut AddressSpace) -> WorldState {
        /// Size of glibc's `FILE` on x86-64, in bytes.
        const FILE_SIZE: u64 = 216;
        let mut streams = Streams::default();
        for (number, name) in ["stdin", "stdout", "stderr"].into_iter().enumerate() {
            let Some(variable) = self.definitions.library_variable(name, 8) else {
                continue;
            };
            let file = memory.allocate(NewObject {
                size: FILE_SIZE,
                length: None,
                align_log2: 4,
                kind: ObjectKind::Global,
                site: LocId::default(),
                birth: 0,
                initial: Initial::Zero,
            });
            let pointer = Value::Ptr(file, 0);
            memory.store(&mut self.pool, variable, 0, 64, pointer);
            streams.set_object(file, StreamId(number as u32));
        }
        for (name, value) in [("optind", 1), ("opterr", 1), ("optopt", u64::from(b'?'))] {
            if let Some(variable) = self.definitions.library_variable(name, 4) {
                memory.store(&mut self.pool, variable, 0, 32, Value::Int(value));
            }
        }
        let mut world = WorldState::default();
        Rc::make_mut(&mut world.files).streams = Rc::new(streams);
        world
    }
}

fn memory_address(memory: &AddressSpace, v: Value) -> u64 {
    match v {
        Value::Ptr(o, offset) => memory.object(o).address.wrapping_add(offset),
        Value::Int(v) => v,
        _ => 0,
    }
}
