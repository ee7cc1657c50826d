//! Retags: calls by which rustc says where a reference is made, and of what type.

use super::follow::frame_tags;
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::resolve::object_of;
use crate::exec::path::end::{Fault, Res};
use crate::exec::path::message::{count_of_bytes, message};
use crate::exec::path::trace::user_location;
use crate::state::State;
use crate::state::borrows::permission::{Permission, Protector};
use crate::state::borrows::tree::Retag;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::ops::Range;
use symex_memory::{ObjectKind, Tag};
use symex_terms::{ObjectId, Value};
use symex_types::outcome::FindingKind;

/// Bits of the flags of a retag.
mod flags {
    /// The reference is an argument of the function that begins.
    pub const ARGUMENT: u64 = 1;
    /// It is mutable, or a `Box`.
    pub const MUTABLE: u64 = 2;
    pub const BOX: u64 = 4;
    /// Its type has no `UnsafeCell`.
    pub const WITHOUT_CELL: u64 = 8;
}

/// Type of the reference that a retag makes.
struct ReferenceType {
    flags: u64,
    size: u64,
    /// Ranges of it in an `UnsafeCell`, if the type is not as a whole.
    cells: Option<Vec<Range<u64>>>,
}

impl ReferenceType {
    fn is(&self, flag: u64) -> bool {
        self.flags & flag != 0
    }

    fn permission(&self, in_cell: bool) -> Permission {
        match (self.is(flags::MUTABLE), in_cell) {
            (false, false) => Permission::Frozen,
            (false, true) => Permission::Cell,
            (true, true) if !self.is(flags::ARGUMENT) => Permission::ReservedCell,
            (true, _) => Permission::Reserved { conflicted: false },
        }
    }

    fn outside(&self) -> Permission {
        self.permission(!self.is(flags::WITHOUT_CELL))
    }

    /// Returns the ranges of bytes with their permissions.
    fn inside(&self) -> Vec<(Range<u64>, Permission)> {
        let Some(cells) = &self.cells else {
            return vec![(0..self.size, self.outside())];
        };
        let mut ranges = Vec::new();
        let mut done = 0;
        for cell in cells {
            ranges.push((done..cell.start, self.permission(false)));
            ranges.push((cell.clone(), self.permission(true)));
            done = cell.end;
        }
        ranges.push((done..self.size.max(done), self.permission(false)));
        ranges
    }

    fn protector(&self) -> Option<Protector> {
        let kind = match self.is(flags::BOX) {
            true => Protector::Weak,
            false => Protector::Strong,
        };
        self.is(flags::ARGUMENT).then_some(kind)
    }
}

/// Functions whose models access memory only through their arguments.
const THROUGH_ARGUMENTS: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "bcmp",
    "memchr",
    "memrchr",
    "strlen",
    "write",
    "free",
    "realloc",
    "symex_check_read",
    "symex_check_value",
    "symex_check_write",
];

impl Executor<'_> {
    /// Prepares the call of a modelled function, whose arguments have the tags that were passed.
    pub(in crate::exec) fn begin_tagged_model(&mut self, st: &State, call: &Call<'_>) {
        self.tags.results.clear();
        self.tags.args.clear();
        (self.tags.read, self.tags.write) = (Tag::UNKNOWN, Tag::UNKNOWN);
        let display = &self.program.function(call.function).display;
        if st.borrows.is_some()
            && (THROUGH_ARGUMENTS.contains(&call.name) || display.starts_with("__rustc::__rdl_"))
        {
            let tags = self.tags.passed.iter().copied();
            let tags = tags.chain(std::iter::repeat(Tag::UNKNOWN));
            let args = call.args.iter().map(|arg| arg.0).zip(tags);
            self.tags.args.extend(args);
        }
    }

    /// Notes the tags of the results of a model: an object that it has allocated is referred to as
    /// such.
    pub(in crate::exec) fn end_tagged_model(
        &mut self,
        allocated: usize,
        flow: &Flow,
        call: &Call<'_>,
    ) {
        self.tags.args.clear();
        match flow {
            Flow::Return(results) if self.tags.results.is_empty() => {
                let is_new = |value: &Value| match value {
                    Value::Ptr(object, _) => object.0 as usize > allocated,
                    _ => false,
                };
                let tags = results.iter().map(|value| match is_new(value) {
                    true => Tag::ROOT,
                    false => Tag::UNKNOWN,
                });
                self.tags.results = tags.collect();
            }
            Flow::Enter(_, values) => {
                // Arguments that are passed on.
                let passed = std::mem::take(&mut self.tags.passed);
                let tag = |value: &Value| {
                    let same = call.args.iter().position(|arg| arg.0 == *value);
                    same.and_then(|i| passed.get(i).copied())
                };
                let tags = values.iter().map(|v| tag(v).unwrap_or(Tag::UNKNOWN));
                self.tags.passed = tags.collect();
            }
            _ => {}
        }
    }

    /// Checks that a reference leads to memory that is there, and returns the object and the offset
    /// if they are known, and the rules of aliasing are to be followed there.
    fn referred(
        &mut self,
        st: &mut State,
        ptr: Value,
        ty: &ReferenceType,
    ) -> Res<Option<(ObjectId, u64)>> {
        let (object, offset) = match ptr {
            Value::Ptr(object, offset) => (object, offset),
            Value::Expr(e) => match object_of(&mut self.pool, e) {
                Some((object, offset)) if st.borrows.is_none() => {
                    self.check_somewhere_inside(st, object, offset, ty)?;
                    return Ok(None);
                }
                Some((object, offset)) if self.has_few_places(st, object, ty.size) => {
                    (object, self.concretise(st, offset, 64)?)
                }
                _ => {
                    self.note_references_not_told_apart(st);
                    return Ok(None);
                }
            },
            // No variant of an enum is kept as an address but null.
            Value::Int(address) if address != 0 && ty.size > 0 => {
                if st.memory.find_ended(address).is_none() {
                    let size = count_of_bytes(ty.size);
                    let message = format!(
                        "reference to {size} at the address {address:#x}, where no object is"
                    );
                    return Err(Fault::new(FindingKind::DanglingReference, message).into());
                }
                return Ok(None);
            }
            _ => return Ok(None),
        };
        let o = st.memory.object(object);
        // A variant of an enum may be kept as a pointer that leads elsewhere.
        if o.kind == ObjectKind::Function || offset > o.size {
            return Ok(None);
        }
        if o.size - offset < ty.size || has_ended(st, object) {
            if ty.size == 0 {
                return Ok(None);
            }
            let place = format!("offset {} of ", offset as i64);
            return Err(self.dangling(st, object, &place, ty).into());
        }
        if ty.size > 0 && ty.inside().iter().all(|inside| !inside.1.is_for_cell()) {
            // Making a reference reads what it refers to, for the rules of races as well.
            self.check_race_of_read(st, object, offset..offset + ty.size)?;
        }
        Ok(Some((object, offset)))
    }

    /// Checks that a reference to an object at an offset that depends on inputs is inside of it.
    fn check_somewhere_inside(
        &mut self,
        st: &mut State,
        object: ObjectId,
        offset: Value,
        ty: &ReferenceType,
    ) -> Res<()> {
        let o = st.memory.object(object);
        let size = o.size;
        if ty.size == 0 || o.kind == ObjectKind::Function {
            return Ok(());
        }
        let fault = self.dangling(st, object, "a place that depends on inputs in ", ty);
        let is_inside = match size.checked_sub(ty.size) {
            Some(last) if !has_ended(st, object) => {
                let offset = self.term(st, offset, 64);
                let last = self.pool.constant(64, u128::from(last));
                let size = self.pool.constant(64, u128::from(size));
                // As above, for variants of enums.
                let (inside, elsewhere) =
                    (self.pool.ule(offset, last), self.pool.ult(size, offset));
                self.pool.or(inside, elsewhere)
            }
            _ => return Err(fault.into()),
        };
        self.require(st, is_inside, || fault)
    }

    /// Makes a reference of a pointer with a tag, and returns the tag of the reference.
    fn retag(&mut self, st: &mut State, ptr: Value, parent: Tag, ty: &ReferenceType) -> Res<Tag> {
        let Some((object, offset)) = self.referred(st, ptr, ty)? else {
            return Ok(parent);
        };
        let size = st.memory.object(object).size;
        let at = user_location(self.program, st);
        let Some(borrows) = &mut st.borrows else {
            return Ok(parent);
        };
        let tag = borrows.fresh();
        let made = borrows.retag(
            object,
            size,
            &Retag {
                parent,
                tag,
                offset,
                inside: &ty.inside(),
                outside: ty.outside(),
                protector: ty.protector(),
                at,
            },
        );
        let is_crowded = borrows.tree(object).is_some_and(|tree| tree.is_crowded());
        made.map_err(|violation| {
            let what = match ty.is(flags::MUTABLE) {
                true => "making a mutable reference",
                false => "making a reference",
            };
            self.forbidden(what, &violation).of(object)
        })?;
        if ty.is(flags::ARGUMENT) {
            frame_tags(st).protected.push((object, tag));
        }
        if is_crowded {
            self.clean(st, object, [parent, tag]);
        }
        Ok(tag)
    }

    /// Makes the fault of a reference to memory that is not there.
    fn dangling(&self, st: &State, object: ObjectId, place: &str, ty: &ReferenceType) -> Fault {
        let size = count_of_bytes(ty.size);
        let fate = match (st.memory.is_live(object), st.memory.is_out_of_scope(object)) {
            (false, _) => ", which has ended",
            (true, true) => ", whose scope has ended",
            (true, false) => "",
        };
        let what = format!("reference to {size} at {place}");
        let message = message![what, self.describe(st, object), fate];
        Fault::new(FindingKind::DanglingReference, message).of(object)
    }

    /// Drops references to an object that no pointer is any more.
    fn clean(&self, st: &mut State, object: ObjectId, more: [Tag; 2]) {
        let others = st.threads.iter().flat_map(|threads| threads.stacks());
        let stacks = std::iter::once(&st.stack).chain(others);
        let frames = stacks.flat_map(|stack| stack.iter());
        let frames = frames.filter_map(|frame| frame.tags.as_ref());
        let in_frames = frames.flat_map(|tags| tags.slots.iter().copied());
        let mut used: FxHashSet<Tag> = in_frames.chain(st.memory.pointer_tags()).collect();
        used.extend(more);
        used.extend(self.tags.passed.iter().copied());
        if let Some(borrows) = &mut st.borrows {
            borrows.clean(object, |tag| used.contains(&tag));
        }
    }

    /// Ends the protection of the references that the innermost frame got as arguments.
    pub(in crate::exec) fn end_protection(&mut self, st: &mut State) -> Res<()> {
        let Some(tags) = &mut st.stack.top.tags else {
            return Ok(());
        };
        let protected = std::mem::take(&mut tags.protected);
        let at = user_location(self.program, st);
        for (object, tag) in protected {
            if !st.memory.is_live(object) {
                continue;
            }
            let Some(borrows) = &mut st.borrows else {
                continue;
            };
            let released = borrows.release(object, tag, at);
            released.map_err(|violation| {
                self.forbidden("the end of a function", &violation)
                    .of(object)
            })?;
        }
        Ok(())
    }

    /// Reads the ranges to which an argument of a retag points: pairs of offset and length.
    fn ranges(&self, st: &State, list: Value) -> Option<Vec<Range<u64>>> {
        let Value::Ptr(object, offset) = list else {
            return None;
        };
        let len = st.memory.object(object).size.checked_sub(offset)?;
        let bytes = st.memory.concrete_bytes(object, offset, len)?;
        let word = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
        let pair = |pair: &[u8]| {
            let start = word(&pair[..8])?;
            Some(start..start + word(&pair[8..])?)
        };
        bytes.chunks_exact(16).map(pair).collect()
    }

    /// Returns the type that the arguments of a retag describe; none where nothing is to be done.
    fn retag_type(&self, st: &State, call: &Call<'_>) -> Option<ReferenceType> {
        let (Value::Int(size), Value::Int(flags)) = (call.arg(1), call.arg(2)) else {
            return None;
        };
        let ty = ReferenceType {
            flags,
            size,
            cells: self.ranges(st, call.arg(3)),
        };
        // What is pinned may have other pointers to it.
        let is_pinned = ty.is(flags::MUTABLE) && call.arg(4) != Value::NULL;
        (self.config.aliasing.is_some() && !is_pinned).then_some(ty)
    }
}

/// Reports whether the lifetime of an object has ended.
fn has_ended(st: &State, object: ObjectId) -> bool {
    !st.memory.is_live(object) || st.memory.is_out_of_scope(object)
}

impl Executor<'_> {
    /// Performs the retag of a pointer in a register, and returns it.
    pub fn retag_register(&mut self, st: &mut State, call: &Call<'_>) -> Res<Flow> {
        let ptr = call.arg(0);
        let parent = self.tags.passed.first().copied();
        let parent = parent.unwrap_or(Tag::UNKNOWN);
        let tag = match self.retag_type(st, call) {
            Some(ty) => self.retag(st, ptr, parent, &ty)?,
            None => parent,
        };
        self.tags.results = SmallVec::from_slice(&[tag]);
        Flow::value(ptr)
    }

    /// Performs the conversion of a pointer to an integer, which exposes it.
    pub fn integer_of_pointer(&mut self, st: &mut State, call: &Call<'_>) -> Res<Flow> {
        let tag = self.tags.passed.first().copied();
        let tag = tag.unwrap_or(Tag::UNKNOWN);
        self.expose(st, call.arg(0), tag);
        self.tags.results = SmallVec::from_slice(&[tag]);
        Flow::value(call.arg(0))
    }

    /// Performs the conversion of an integer to a pointer. What the integer comes from counts as
    /// exposed, in whichever way it became one; where that is not known, neither is the pointer.
    pub fn pointer_of_integer(&mut self, st: &mut State, call: &Call<'_>) -> Res<Flow> {
        let tag = match self.tags.passed.first() {
            None | Some(&Tag::UNKNOWN) => Tag::UNKNOWN,
            Some(&tag) => {
                self.expose(st, call.arg(0), tag);
                Tag::WILD
            }
        };
        self.tags.results = SmallVec::from_slice(&[tag]);
        Flow::value(call.arg(0))
    }

    fn expose(&mut self, st: &mut State, ptr: Value, tag: Tag) {
        let object = match ptr {
            Value::Ptr(object, _) => Some(object),
            Value::Expr(e) => object_of(&mut self.pool, e).map(|(object, _)| object),
            Value::Int(_) | Value::Undef => return,
        };
        if let Some(borrows) = &mut st.borrows {
            match object {
                Some(object) => borrows.expose(object, st.memory.object(object).size, tag),
                None => borrows.expose_any(),
            }
        }
    }

    /// Performs the retag of a pointer in memory.
    pub fn retag_memory(&mut self, st: &mut State, call: &Call<'_>) -> Res<Flow> {
        if let Value::Ptr(object, offset) = call.arg(0)
            && let Some(ty) = self.retag_type(st, call)
            && st.memory.is_live(object)
            && offset
                .checked_add(8)
                .is_some_and(|end| end <= st.memory.object(object).size)
        {
            let ptr = st.memory.load(&mut self.pool, object, offset, 64);
            let parent = self.stored_tag(st, object, offset);
            let tag = self.retag(st, ptr, parent, &ty)?;
            if st.borrows.is_some() {
                st.memory.set_pointer_tag(object, offset, tag);
            }
        }
        Flow::void()
    }
}
