//! The state a program starts in: functions and globals as objects, the entry's frame.

use crate::exec::Executor;
use crate::exec::call::enter::FIRST_BLOCK_OFFSET;
use crate::exec::path::environment::LISTS;
use crate::state::streams::{StreamId, Streams};
use crate::state::{Frame, Pointers, Stack, State, StateId, World};
use std::rc::Rc;
use symex_memory::{AddressSpace, Initial, NewObject, ObjectKind};
use symex_program::{FuncId, GlobalId, LocId, Program, RelocTarget};
use symex_terms::{Assignment, ObjectId, PathCondition, Value};

/// Variables that the engine gives their value where nothing defines them, and one that is only an address.
const SUPPLIED: [&str; 11] = [
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
];

/// Functions are aligned to this, so that the low bits of their addresses are free for block numbers and tags.
const FUNCTION_ALIGN_LOG2: u8 = 4;

/// Globals take the first object numbers.
pub(in crate::exec) fn object_of_global(g: GlobalId) -> ObjectId {
    ObjectId(g.0 + 1)
}

/// Functions follow the globals.
pub(in crate::exec) fn object_of_function(program: &Program, f: FuncId) -> ObjectId {
    ObjectId(program.globals.len() as u32 + f.0 + 1)
}

/// The function whose address this object is.
pub(in crate::exec) fn function_of_object(program: &Program, o: ObjectId) -> Option<FuncId> {
    let i = o.0.checked_sub(program.globals.len() as u32 + 1)?;
    if (i as usize) < program.functions.len() {
        Some(FuncId(i))
    } else {
        None
    }
}

/// The global whose storage this object is.
pub(in crate::exec) fn global_of_object(program: &Program, o: ObjectId) -> Option<GlobalId> {
    let i = o.0.checked_sub(1)?;
    if (i as usize) < program.globals.len() {
        Some(GlobalId(i))
    } else {
        None
    }
}

impl Executor<'_> {
    /// The function whose address an object is, for models.
    pub fn function_of(&self, object: ObjectId) -> Option<FuncId> {
        function_of_object(self.program, object)
    }

    /// The state before the first instruction of `entry`, called with these scalar leaves.
    pub fn initial_state(&mut self, entry: FuncId, args: &[Value]) -> State {
        let program = self.program;
        self.note_unknown_in_data();
        self.memory_model.enter(entry);
        let memory = AddressSpace::new(self.counters.clone(), &self.config.memory);
        let mut memory = memory.keeping(self.keep());
        for (i, g) in program.globals.iter().enumerate() {
            let initial = match &g.init {
                Some(init) if init.bytes.iter().all(|b| *b == 0) => Initial::Zero,
                Some(init) => Initial::Bytes(Rc::from(&init.bytes[..])),
                None => Initial::Zero,
            };
            memory.allocate(NewObject {
                size: g.size,
                length: None,
                align_log2: g.align.max(1).trailing_zeros() as u8,
                // Relocations are written below; the object becomes a constant when it is complete.
                kind: if g.constant {
                    ObjectKind::Constant
                } else {
                    ObjectKind::Global
                },
                site: LocId::default(),
                birth: self.births.of_global(GlobalId(i as u32)),
                initial,
            });
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
        for (i, g) in program.globals.iter().enumerate() {
            let Some(init) = &g.init else { continue };
            let id = object_of_global(GlobalId(i as u32));
            for (start, end) in &init.undef {
                memory.fill(&mut self.pool, id, *start, end - start, Value::Undef);
            }
            for r in &init.relocs {
                let target = self.reloc_target(r.target, r.addend);
                let value = match &r.minus {
                    None => target,
                    Some((minus, addend)) => {
                        let minus = self.reloc_target(*minus, *addend);
                        let difference = memory_address(&memory, target)
                            .wrapping_sub(memory_address(&memory, minus));
                        Value::Int(if r.size >= 8 {
                            difference
                        } else {
                            difference & ((1 << (8 * r.size)) - 1)
                        })
                    }
                };
                memory.store(&mut self.pool, id, r.offset, r.size as u32 * 8, value);
            }
        }
        let world = self.first_world(&mut memory);
        let body_slots = program
            .function(entry)
            .body
            .as_ref()
            .map_or(0, |b| b.slots as usize);
        let id = StateId(self.next_state);
        self.next_state += 1;
        State {
            id,
            stack: Stack::new(Frame::first(entry, body_slots, args)),
            memory,
            condition: PathCondition::default(),
            assignment: Assignment::default(),
            inputs: Rc::default(),
            exception: None,
            steps: 0,
            address_dependent: false,
            parts: Rc::default(),
            placed: Rc::default(),
            pointers: Pointers::default(),
            unverified: None,
            check: None,
            status: None,
            world: Rc::new(world),
        }
    }

    /// A world where C's `stdin`, `stdout` and `stderr` are pointers that the library owns, to objects of its own.
    fn first_world(&mut self, memory: &mut AddressSpace) -> World {
        /// glibc's `FILE` on x86-64.
        const FILE_SIZE: u64 = 216;
        let mut streams = Streams::default();
        for (number, name) in ["stdin", "stdout", "stderr"].into_iter().enumerate() {
            let Some(variable) = self.library_variable(name, 8) else {
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
            if let Some(variable) = self.library_variable(name, 4) {
                memory.store(&mut self.pool, variable, 0, 32, Value::Int(value));
            }
        }
        let mut world = World::default();
        Rc::make_mut(&mut world.files).streams = Rc::new(streams);
        world
    }

    fn reloc_target(&self, target: RelocTarget, addend: u64) -> Value {
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

    /// Is it a weak reference to a function that nobody supplies? Its address is null then.
    pub(in crate::exec) fn is_absent_function(&self, f: FuncId) -> bool {
        let function = self.program.function(f);
        self.program.weak_functions.contains(&f)
            && function.body.is_none()
            && (self.find_model)(function).is_none()
    }

    /// Notes that a variable is taken to hold zeros, if nothing defines it: natively a library does, and it may hold
    /// anything.
    pub(in crate::exec) fn note_unknown(&mut self, g: GlobalId) {
        let global = self.program.global(g);
        let supplied = SUPPLIED.contains(&global.name.as_str());
        // Tables of C++'s runtime, which only their address is taken of.
        let table = global.name.starts_with("_ZTVN10__cxxabiv");
        if global.init.is_some() || supplied || table || self.is_absent_global(g) {
            return;
        }
        let what = format!(
            "`{}`, which nothing defines, was taken to hold zeros",
            global.name
        );
        self.tally.assume(&what);
    }

    /// The same for all variables that others refer to from the beginning.
    fn note_unknown_in_data(&mut self) {
        let program = self.program;
        let relocs = program.globals.iter().filter_map(|g| g.init.as_ref());
        for reloc in relocs.flat_map(|init| &init.relocs) {
            let targets = [Some(reloc.target), reloc.minus.map(|(target, _)| target)];
            for target in targets.into_iter().flatten() {
                if let RelocTarget::Global(g) = target {
                    self.note_unknown(g);
                }
            }
        }
    }

    /// Is it a weak reference to data that nobody supplies?
    pub(in crate::exec) fn is_absent_global(&self, g: GlobalId) -> bool {
        self.program.weak_globals.contains(&g) && self.program.global(g).init.is_none()
    }
}

fn memory_address(memory: &AddressSpace, v: Value) -> u64 {
    match v {
        Value::Ptr(o, offset) => memory.object(o).address.wrapping_add(offset),
        Value::Int(v) => v,
        _ => 0,
    }
}
