//! Visitors of the operands, results and references of instructions. Edges, switch tables and call
//! sites are not followed; see their lists.

use super::{Body, Callee, Constant, FuncId, GlobalId, Init, Inst, Operand, RelocTarget, Slot};

impl Inst {
    /// Calls `f` with every operand in the instruction itself.
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        match *self {
            Inst::Move { a, .. }
            | Inst::Un { a, .. }
            | Inst::Cast { a, .. }
            | Inst::FClass { a, .. }
            | Inst::Extract { a, .. }
            | Inst::Freeze { a, .. }
            | Inst::CheckDefined { a, .. }
            | Inst::ThreadLocal { a, .. }
            | Inst::StackRestore { a } => f(a),
            Inst::Bin { a, b, .. }
            | Inst::Cmp { a, b, .. }
            | Inst::FCmp { a, b, .. }
            | Inst::Overflow { a, b, .. }
            | Inst::ThreeWay { a, b, .. } => {
                f(a);
                f(b);
            }
            Inst::Select { cond, a, b, .. } => {
                f(cond);
                f(a);
                f(b);
            }
            Inst::FunnelShift { a, b, c, .. } | Inst::Fma { a, b, c, .. } => {
                f(a);
                f(b);
                f(c);
            }
            Inst::Concat { hi, lo, .. } => {
                f(hi);
                f(lo);
            }
            Inst::PtrAdd { base, index, .. } => {
                f(base);
                f(index);
            }
            Inst::Alloca { count, .. } => f(count),
            Inst::Load { ptr, .. } | Inst::Lifetime { ptr, .. } | Inst::ObjectSize { ptr, .. } => {
                f(ptr)
            }
            Inst::Store { ptr, value, .. } | Inst::AtomicRmw { ptr, value, .. } => {
                f(ptr);
                f(value);
            }
            Inst::MemCpy { dst, src, len } | Inst::MemMove { dst, src, len } => {
                f(dst);
                f(src);
                f(len);
            }
            Inst::MemSet { dst, value, len } => {
                f(dst);
                f(value);
                f(len);
            }
            Inst::CmpXchg {
                ptr, expected, new, ..
            } => {
                f(ptr);
                f(expected);
                f(new);
            }
            Inst::LoadRelative { base, offset, .. } => {
                f(base);
                f(offset);
            }
            Inst::Assume { cond } | Inst::CheckDemand { cond, .. } | Inst::CondBr { cond, .. } => {
                f(cond)
            }
            Inst::CheckRange { a, low, high, .. } => {
                f(a);
                f(low);
                f(high);
            }
            Inst::CheckReference { ptr, bytes, .. } => {
                f(ptr);
                f(bytes);
            }
            Inst::CheckInBounds { base, ptr } => {
                f(base);
                f(ptr);
            }
            Inst::VaStart { list } | Inst::VaEnd { list } | Inst::VaArg { list, .. } => f(list),
            Inst::VaCopy { dst, src } => {
                f(dst);
                f(src);
            }
            Inst::Switch { value, .. } => f(value),
            Inst::IndirectBr { target, .. } => f(target),
            Inst::Resume {
                exception,
                selector,
            } => {
                f(exception);
                f(selector);
            }
            Inst::StackSave { .. }
            | Inst::Fence { .. }
            | Inst::Pause
            | Inst::Call { .. }
            | Inst::LandingPad { .. }
            | Inst::Br { .. }
            | Inst::Ret { .. }
            | Inst::Unreachable
            | Inst::Unsupported { .. } => {}
        }
    }

    /// Returns the first slot and the number of slots that the instruction itself writes. Those of
    /// a call are in its site.
    pub fn writes(&self) -> Option<(Slot, u32)> {
        match *self {
            Inst::Move { dst, .. }
            | Inst::Bin { dst, .. }
            | Inst::Un { dst, .. }
            | Inst::Cmp { dst, .. }
            | Inst::FCmp { dst, .. }
            | Inst::Cast { dst, .. }
            | Inst::Select { dst, .. }
            | Inst::FunnelShift { dst, .. }
            | Inst::Fma { dst, .. }
            | Inst::ThreeWay { dst, .. }
            | Inst::FClass { dst, .. }
            | Inst::Extract { dst, .. }
            | Inst::Concat { dst, .. }
            | Inst::Freeze { dst, .. }
            | Inst::PtrAdd { dst, .. }
            | Inst::Alloca { dst, .. }
            | Inst::Load { dst, .. }
            | Inst::AtomicRmw { dst, .. }
            | Inst::LoadRelative { dst, .. }
            | Inst::StackSave { dst }
            | Inst::ThreadLocal { dst, .. }
            | Inst::VaArg { dst, .. }
            | Inst::ObjectSize { dst, .. } => Some((dst, 1)),
            Inst::Overflow { dst, .. }
            | Inst::CmpXchg { dst, .. }
            | Inst::LandingPad { dst, .. } => Some((dst, 2)),
            Inst::Store { .. }
            | Inst::MemCpy { .. }
            | Inst::MemMove { .. }
            | Inst::MemSet { .. }
            | Inst::Fence { .. }
            | Inst::Pause
            | Inst::Assume { .. }
            | Inst::CheckDemand { .. }
            | Inst::CheckRange { .. }
            | Inst::CheckDefined { .. }
            | Inst::CheckReference { .. }
            | Inst::CheckInBounds { .. }
            | Inst::Lifetime { .. }
            | Inst::StackRestore { .. }
            | Inst::VaStart { .. }
            | Inst::VaEnd { .. }
            | Inst::VaCopy { .. }
            | Inst::Call { .. }
            | Inst::Br { .. }
            | Inst::CondBr { .. }
            | Inst::Switch { .. }
            | Inst::IndirectBr { .. }
            | Inst::Ret { .. }
            | Inst::Resume { .. }
            | Inst::Unreachable
            | Inst::Unsupported { .. } => None,
        }
    }

    /// Calls `f` with every width, in bits, that the instruction states.
    pub fn for_each_width(&self, mut f: impl FnMut(u8)) {
        match *self {
            Inst::Bin { w, .. }
            | Inst::Un { w, .. }
            | Inst::Cmp { w, .. }
            | Inst::FCmp { w, .. }
            | Inst::Select { w, .. }
            | Inst::FunnelShift { w, .. }
            | Inst::Fma { w, .. }
            | Inst::Overflow { w, .. }
            | Inst::FClass { w, .. }
            | Inst::Freeze { w, .. }
            | Inst::CheckRange { w, .. }
            | Inst::CheckDefined { w, .. }
            | Inst::PtrAdd { w, .. }
            | Inst::Load { w, .. }
            | Inst::Store { w, .. }
            | Inst::AtomicRmw { w, .. }
            | Inst::CmpXchg { w, .. }
            | Inst::VaArg { w, .. }
            | Inst::ObjectSize { w, .. }
            | Inst::Switch { w, .. } => f(w),
            Inst::Cast { from, to, .. } => {
                f(from);
                f(to);
            }
            Inst::ThreeWay { w, to, .. } | Inst::Extract { w, to, .. } => {
                f(w);
                f(to);
            }
            Inst::Concat { whi, wlo, .. } => f(whi.saturating_add(wlo)),
            _ => {}
        }
    }
}

/// A reference to a function or a global, through which its id can be changed.
pub enum Mention<'a> {
    Function(&'a mut FuncId),
    Global(&'a mut GlobalId),
}

impl Body {
    /// Calls `f` with every function and global that the code mentions, in an order that depends on
    /// the code alone.
    pub fn for_each_mention(&mut self, mut f: impl FnMut(Mention<'_>)) {
        for call in &mut self.calls {
            if let Callee::Direct(function) = &mut call.callee {
                f(Mention::Function(function));
            }
        }
        for pad in &mut self.landing_pads {
            for global in pad.catches.iter_mut().flatten() {
                f(Mention::Global(global));
            }
        }
        for constant in &mut self.constants {
            match constant {
                Constant::Global(global, _) => f(Mention::Global(global)),
                Constant::Function(function) | Constant::Block(function, _) => {
                    f(Mention::Function(function));
                }
                Constant::Int(_) | Constant::Wide(..) | Constant::Undef => {}
            }
        }
    }
}

impl Init {
    /// Calls `f` with every function and global whose address is in the contents, by ascending
    /// offset.
    pub fn for_each_mention(&mut self, mut f: impl FnMut(Mention<'_>)) {
        for reloc in &mut self.relocs {
            let minus = reloc.minus.iter_mut().map(|(target, _)| target);
            for target in std::iter::once(&mut reloc.target).chain(minus) {
                match target {
                    RelocTarget::Global(global) => f(Mention::Global(global)),
                    RelocTarget::Function(function) | RelocTarget::Block(function, _) => {
                        f(Mention::Function(function));
                    }
                }
            }
        }
    }
}
