//! Tags of the pointers in registers.

use crate::exec::Executor;
use crate::exec::path::end::Res;
use crate::state::State;
use crate::state::frame::FrameTags;
use symex_memory::{ObjectKind, Tag};
use symex_program::{Bin, CallSite, Function, Inst, Operand, Rmw, Slot};
use symex_solver::Purpose;
use symex_terms::Value;

/// Returns the tag of an operand of the innermost frame. A constant that is a pointer is the object
/// itself.
pub(in crate::exec) fn tag_of(st: &State, consts: &[Value], op: Operand) -> Tag {
    match op.decode() {
        Ok(slot) => {
            let tags = st.stack.top.tags.as_ref();
            tags.map_or(Tag::UNKNOWN, |tags| tags.slots[slot.0 as usize])
        }
        Err(constant) => match consts[constant as usize] {
            Value::Ptr(..) => Tag::ROOT,
            _ => Tag::UNKNOWN,
        },
    }
}

impl Executor<'_> {
    /// Notes the tags of the pointers through which an instruction accesses memory, before it is
    /// executed.
    pub(in crate::exec) fn before_tagged(&mut self, st: &mut State, consts: &[Value], inst: &Inst) {
        let tag = |op| tag_of(st, consts, op);
        let (read, write) = match *inst {
            Inst::Load { ptr, .. } => (tag(ptr), Tag::UNKNOWN),
            Inst::Store { ptr, .. } => (Tag::UNKNOWN, tag(ptr)),
            Inst::AtomicRmw { ptr, .. } | Inst::CmpXchg { ptr, .. } => (tag(ptr), tag(ptr)),
            Inst::MemCpy { dst, src, .. } | Inst::MemMove { dst, src, .. } => (tag(src), tag(dst)),
            Inst::MemSet { dst, .. } => (Tag::UNKNOWN, tag(dst)),
            _ => (Tag::UNKNOWN, Tag::UNKNOWN),
        };
        (self.tags.read, self.tags.write) = (read, write);
        self.tags.loaded = Tag::UNKNOWN;
        if let Inst::Lifetime { ptr, .. } = *inst
            && let Value::Ptr(object, 0) = match ptr.decode() {
                Ok(slot) => st.stack.top.slots[slot.0 as usize],
                Err(constant) => consts[constant as usize],
            }
            && st.memory.object(object).kind == ObjectKind::Stack
            && let Some(borrows) = &mut st.borrows
        {
            borrows.forget(object);
        }
    }

    /// Sets the tags of the results of an instruction that was executed.
    pub(in crate::exec) fn after_tagged(&mut self, st: &mut State, consts: &[Value], inst: &Inst) {
        let tag = |op| tag_of(st, consts, op);
        let result = match *inst {
            Inst::Move { a, .. } | Inst::Freeze { a, .. } => tag(a),
            Inst::Bin {
                op: Bin::PtrMask,
                a,
                ..
            } => tag(a),
            Inst::PtrAdd { base, .. } => tag(base),
            // A number that comes from one pointer.
            Inst::Bin {
                op: Bin::Add | Bin::Sub | Bin::And | Bin::Or | Bin::Xor,
                w: 64,
                a,
                b,
                ..
            } => match (tag(a), tag(b)) {
                (tag, Tag::UNKNOWN) | (Tag::UNKNOWN, tag) => tag,
                _ => Tag::UNKNOWN,
            },
            Inst::Alloca { .. } => Tag::ROOT,
            Inst::Load { w: 64, .. }
            | Inst::AtomicRmw { w: 64, .. }
            | Inst::CmpXchg { w: 64, .. } => self.tags.loaded,
            // Another one is chosen by `choose_tagged`.
            Inst::Select { a, b, .. } if tag(a) == tag(b) => tag(a),
            _ => Tag::UNKNOWN,
        };
        self.note_stored(st, consts, inst);
        if let Some((first, count)) = inst.writes() {
            let tags = frame_tags(st);
            for slot in first.0..first.0 + count {
                tags.slots[slot as usize] = Tag::UNKNOWN;
            }
            tags.slots[first.0 as usize] = result;
        }
    }

    /// Returns the tags of the frame of a call, of which the arguments are known.
    pub(in crate::exec) fn passed_tags(&mut self, function: &Function) -> Box<FrameTags> {
        let slots = function.body.as_ref().map_or(0, |body| body.slots as usize);
        let mut tags = FrameTags::new(slots);
        let params = function.params.iter().zip(self.tags.passed.drain(..));
        for (slot, (param, tag)) in params.enumerate() {
            // A copy of what was passed is an object of its own.
            tags.slots[slot] = match param.byval {
                Some(_) => Tag::ROOT,
                None => tag,
            };
        }
        Box::new(tags)
    }

    /// Gives the results of a call at a site of the innermost frame their tags.
    pub(in crate::exec) fn take_result_tags(&mut self, st: &mut State, site: &CallSite) {
        let results = std::mem::take(&mut self.tags.results);
        let tags = frame_tags(st);
        for i in 0..site.returns.len() {
            let tag = results.get(i).copied().unwrap_or(Tag::UNKNOWN);
            tags.slots[site.dst.0 as usize + i] = tag;
        }
    }

    /// Notes the tag of the pointer that an instruction has stored.
    fn note_stored(&self, st: &mut State, consts: &[Value], inst: &Inst) {
        let get = |op: Operand| match op.decode() {
            Ok(slot) => st.stack.top.slots[slot.0 as usize],
            Err(constant) => consts[constant as usize],
        };
        let (ptr, value) = match *inst {
            Inst::Store {
                w: 64, ptr, value, ..
            } => (ptr, value),
            Inst::AtomicRmw {
                op: Rmw::Xchg,
                w: 64,
                ptr,
                value,
                ..
            } => (ptr, value),
            Inst::CmpXchg {
                w: 64,
                ptr,
                new,
                dst,
                ..
            } if st.stack.top.slots[dst.0 as usize + 1] == Value::Int(1) => (ptr, new),
            _ => return,
        };
        let tag = tag_of(st, consts, value);
        if let (Value::Ptr(object, offset), Value::Ptr(..) | Value::Expr(_)) =
            (get(ptr), get(value))
        {
            st.memory.set_pointer_tag(object, offset, tag);
        }
    }

    /// Chooses between two pointers with different tags, with a path for each choice. The result is
    /// none if the instruction is to be executed as always.
    pub(in crate::exec) fn choose_tagged(
        &mut self,
        st: &mut State,
        consts: &[Value],
        cond: Value,
        operands: [Operand; 2],
    ) -> Res<Option<(Operand, Tag)>> {
        let tags = operands.map(|op| tag_of(st, consts, op));
        if tags[0] == tags[1] {
            return Ok(None);
        }
        let first = match cond {
            Value::Int(cond) => cond & 1 == 1,
            Value::Undef => return Ok(None),
            other => {
                let cond = self.term(st, other, 1);
                self.split(st, cond, Purpose::Branch)?
            }
        };
        let chosen = usize::from(!first);
        Ok(Some((operands[chosen], tags[chosen])))
    }
}

/// Copies the tag of an operand of the innermost frame to a slot.
pub(in crate::exec) fn move_tag(st: &mut State, consts: &[Value], dst: Slot, op: Operand) {
    let tag = tag_of(st, consts, op);
    frame_tags(st).slots[dst.0 as usize] = tag;
}

/// Returns the tags of the innermost frame.
pub(in crate::exec) fn frame_tags(st: &mut State) -> &mut FrameTags {
    let frame = &mut st.stack.top;
    let slots = frame.slots.len();
    frame
        .tags
        .get_or_insert_with(|| Box::new(FrameTags::new(slots)))
}
