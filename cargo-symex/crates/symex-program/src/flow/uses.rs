//! Uses of slots: what instructions read and write, with which widths, and what follows from it for
//! the values of slots.

use crate::{Bin, Body, Cast, Cmp, Constant, Function, Global, Inst, Operand, Slot, Un};
use fixedbitset::FixedBitSet;

/// Width in bits of a position or a length: what is stored or passed on with this width may be one.
const POSITION: u32 = 64;

/// Calls `f` with every operand that an instruction reads, its call site and results included.
pub(super) fn for_each_read(body: &Body, inst: &Inst, mut f: impl FnMut(Operand)) {
    inst.for_each_operand(&mut f);
    match *inst {
        Inst::Call { site } => {
            let site = &body.calls[site as usize];
            if let crate::Callee::Indirect(callee) = site.callee {
                f(callee);
            }
            site.args.iter().for_each(|(operand, _)| f(*operand));
        }
        Inst::Ret { first, count } => {
            body.results(first, count).iter().for_each(|o| f(*o));
        }
        _ => {}
    }
}

/// Calls `f` with every slot that an instruction writes, the results of a call included.
pub(super) fn for_each_write(body: &Body, inst: &Inst, mut f: impl FnMut(Slot)) {
    if let Some((first, count)) = inst.writes() {
        (first.0..first.0 + count).for_each(|slot| f(Slot(slot)));
    }
    if let Inst::Call { site } = *inst {
        let site = &body.calls[site as usize];
        let count = site.returns.len() as u32;
        (site.dst.0..site.dst.0 + count).for_each(|slot| f(Slot(slot)));
    }
}

/// Returns the width in bits of each slot, 0 where nothing says it.
pub(super) fn widths(function: &Function, body: &Body) -> Vec<u32> {
    let mut widths = vec![0; body.slots as usize];
    for (slot, param) in function.params.iter().enumerate() {
        widths[slot] = param.width;
    }
    for inst in &body.code {
        for_each_width(function, body, inst, |operand, width| {
            if let Ok(slot) = operand.decode() {
                widths[slot.0 as usize] = width;
            }
        });
    }
    // A move hands on the width, in whichever direction it is known.
    let mut moves: Vec<(Slot, Slot)> = body.moves.iter().filter_map(to_slot).collect();
    moves.extend(body.code.iter().filter_map(|inst| match *inst {
        Inst::Move { dst, a } => to_slot(&(dst, a)),
        _ => None,
    }));
    loop {
        let mut changed = false;
        for (dst, from) in &moves {
            let (dst, from) = (dst.0 as usize, from.0 as usize);
            let width = widths[dst].max(widths[from]);
            changed |= widths[dst] != width || widths[from] != width;
            (widths[dst], widths[from]) = (width, width);
        }
        if !changed {
            return widths;
        }
    }
}

fn to_slot(moved: &(Slot, Operand)) -> Option<(Slot, Slot)> {
    Some((moved.0, moved.1.decode().ok()?))
}

/// Calls `f` with the slots that an instruction writes and the operands that it reads, each with
/// its width in bits, as far as the instruction says it.
fn for_each_width(function: &Function, body: &Body, inst: &Inst, mut f: impl FnMut(Operand, u32)) {
    let next = |slot: Slot| Operand::slot(Slot(slot.0 + 1));
    match *inst {
        Inst::Bin { w, dst, a, b, .. } => {
            f(Operand::slot(dst), w.into());
            f(a, w.into());
            f(b, w.into());
        }
        Inst::Un { w, dst, a, .. } | Inst::Freeze { w, dst, a } => {
            f(Operand::slot(dst), w.into());
            f(a, w.into());
        }
        Inst::Cmp { w, dst, a, b, .. } | Inst::FCmp { w, dst, a, b, .. } => {
            f(Operand::slot(dst), 1);
            f(a, w.into());
            f(b, w.into());
        }
        Inst::Cast {
            from, to, dst, a, ..
        }
        | Inst::Extract {
            w: from,
            to,
            dst,
            a,
            ..
        } => {
            f(Operand::slot(dst), to.into());
            f(a, from.into());
        }
        Inst::Select { w, dst, cond, a, b } => {
            f(Operand::slot(dst), w.into());
            f(cond, 1);
            f(a, w.into());
            f(b, w.into());
        }
        Inst::FunnelShift {
            w, dst, a, b, c, ..
        }
        | Inst::Fma { w, dst, a, b, c } => {
            f(Operand::slot(dst), w.into());
            for operand in [a, b, c] {
                f(operand, w.into());
            }
        }
        Inst::Overflow { w, dst, a, b, .. } => {
            f(Operand::slot(dst), w.into());
            f(next(dst), 1);
            f(a, w.into());
            f(b, w.into());
        }
        Inst::ThreeWay {
            w, to, dst, a, b, ..
        } => {
            f(Operand::slot(dst), to.into());
            f(a, w.into());
            f(b, w.into());
        }
        Inst::FClass { w, dst, a, .. } => {
            f(Operand::slot(dst), 1);
            f(a, w.into());
        }
        Inst::Concat {
            whi,
            wlo,
            dst,
            hi,
            lo,
        } => {
            f(Operand::slot(dst), u32::from(whi) + u32::from(wlo));
            f(hi, whi.into());
            f(lo, wlo.into());
        }
        Inst::PtrAdd {
            w,
            dst,
            base,
            index,
            ..
        } => {
            f(Operand::slot(dst), 64);
            f(base, 64);
            f(index, w.into());
        }
        Inst::Load { w, dst, ptr, .. } => {
            f(Operand::slot(dst), w.into());
            f(ptr, 64);
        }
        Inst::Store { w, ptr, value, .. } => {
            f(ptr, 64);
            f(value, w.into());
        }
        Inst::AtomicRmw {
            w, dst, ptr, value, ..
        } => {
            f(Operand::slot(dst), w.into());
            f(ptr, 64);
            f(value, w.into());
        }
        Inst::CmpXchg {
            w,
            dst,
            ptr,
            expected,
            new,
            ..
        } => {
            f(Operand::slot(dst), w.into());
            f(next(dst), 1);
            f(ptr, 64);
            f(expected, w.into());
            f(new, w.into());
        }
        Inst::Alloca { dst, .. }
        | Inst::ThreadLocal { dst, .. }
        | Inst::LoadRelative { dst, .. }
        | Inst::StackSave { dst } => f(Operand::slot(dst), 64),
        Inst::VaArg { w, dst, .. } | Inst::ObjectSize { w, dst, .. } => {
            f(Operand::slot(dst), w.into())
        }
        Inst::LandingPad { dst, .. } => {
            f(Operand::slot(dst), 64);
            f(next(dst), 32);
        }
        Inst::CondBr { cond, .. } | Inst::Assume { cond } | Inst::CheckDemand { cond, .. } => {
            f(cond, 1);
        }
        Inst::Switch { w, value, .. } => f(value, w.into()),
        Inst::Call { site } => {
            let site = &body.calls[site as usize];
            for (slot, width) in (site.dst.0..).zip(&site.returns) {
                f(Operand::slot(Slot(slot)), *width);
            }
            site.args.iter().for_each(|(arg, width)| f(*arg, *width));
        }
        Inst::Ret { first, count } => {
            let results = body.results(first, count);
            for (result, width) in results.iter().zip(&function.returns) {
                f(*result, *width);
            }
        }
        _ => {}
    }
}

/// Greatest size in bytes of a table of which an element is one term whatever its position: one of
/// a byte for each value of a byte.
const LARGEST_TABLE: u64 = 256;

/// Loads of elements of small constant tables. What they read follows from the position alone, as
/// if it were computed from it.
pub(super) struct TableLoads {
    /// Slots that hold nothing but the addresses of such elements.
    elements: FixedBitSet,
}

impl TableLoads {
    pub fn of(globals: &[Global], body: &Body) -> Self {
        let mut elements = FixedBitSet::with_capacity(body.slots as usize);
        let mut others = elements.clone();
        for inst in &body.code {
            match *inst {
                Inst::PtrAdd { dst, base, .. } if is_table(globals, body, base) => {
                    elements.insert(dst.0 as usize);
                }
                _ => for_each_write(body, inst, |dst| others.insert(dst.0 as usize)),
            }
        }
        for (dst, _) in &body.moves {
            others.insert(dst.0 as usize);
        }
        elements.difference_with(&others);
        TableLoads { elements }
    }

    /// Reports whether an instruction is one of these.
    fn contains(&self, inst: &Inst) -> bool {
        let Inst::Load { ptr, .. } = inst else {
            return false;
        };
        ptr.decode()
            .is_ok_and(|slot| self.elements.contains(slot.0 as usize))
    }
}

/// Reports whether an operand is the address of a small constant table of numbers.
fn is_table(globals: &[Global], body: &Body, base: Operand) -> bool {
    let Err(constant) = base.decode() else {
        return false;
    };
    let Constant::Global(id, _) = body.constants[constant as usize] else {
        return false;
    };
    let table = &globals[id.0 as usize];
    table.is_table_of_numbers() && table.size <= LARGEST_TABLE
}

/// Returns the slots whose values become an address, a length or a float. A position in a small
/// constant table does not count: what is read there is a term of it.
pub(super) fn apart(body: &Body, tables: &TableLoads) -> FixedBitSet {
    let mut apart = FixedBitSet::with_capacity(body.slots as usize);
    for inst in &body.code {
        let mut note = |operand: Operand| read(&mut apart, operand);
        if is_float(inst) {
            inst.for_each_operand(note);
            continue;
        }
        match *inst {
            Inst::Call { site } => {
                if let crate::Callee::Indirect(callee) = body.calls[site as usize].callee {
                    note(callee);
                }
            }
            Inst::Store { ptr, .. } => note(ptr),
            Inst::Alloca { count, .. } => note(count),
            Inst::Load { .. } if tables.contains(inst) => {}
            Inst::Load { ptr, .. }
            | Inst::AtomicRmw { ptr, .. }
            | Inst::CmpXchg { ptr, .. }
            | Inst::Lifetime { ptr, .. } => note(ptr),
            Inst::MemCpy { dst, src, len } | Inst::MemMove { dst, src, len } => {
                [dst, src, len].into_iter().for_each(note);
            }
            Inst::MemSet { dst, len, .. } => [dst, len].into_iter().for_each(note),
            Inst::IndirectBr { target, .. } => note(target),
            Inst::StackRestore { a } => note(a),
            _ => {}
        }
    }
    closed(body, tables, apart, Of::Value)
}

/// Returns the slots whose values are stored or passed on, and may be a position there.
pub(super) fn handed_on(body: &Body, tables: &TableLoads) -> FixedBitSet {
    let mut handed_on = FixedBitSet::with_capacity(body.slots as usize);
    for (at, inst) in body.code.iter().enumerate() {
        let mut note = |operand: Operand| read(&mut handed_on, operand);
        match *inst {
            Inst::Store { w, value, .. } if u32::from(w) == POSITION => note(value),
            // The position that is out of bounds, which a panic tells of.
            Inst::Call { site } if never_returns(body, at, site) => {}
            Inst::Call { site } => {
                let args = body.calls[site as usize].args.iter();
                let positions = args.filter(|arg| arg.1 == POSITION);
                positions.for_each(|arg| note(arg.0));
            }
            _ => {}
        }
    }
    closed(body, tables, handed_on, Of::Value)
}

/// Reports whether the function called directly by an instruction is one that never returns.
fn never_returns(body: &Body, at: usize, site: u32) -> bool {
    let site = &body.calls[site as usize];
    let next = match site.normal {
        Some(edge) => body.edges[edge as usize].target as usize,
        None => at + 1,
    };
    matches!(site.callee, crate::Callee::Direct(_))
        && matches!(body.code.get(next), Some(Inst::Unreachable))
}

/// Reports whether an instruction computes or compares floats.
fn is_float(inst: &Inst) -> bool {
    match inst {
        Inst::FCmp { .. } | Inst::Fma { .. } | Inst::FClass { .. } => true,
        Inst::Bin { op, .. } => matches!(
            op,
            Bin::FAdd
                | Bin::FSub
                | Bin::FMul
                | Bin::FDiv
                | Bin::FRem
                | Bin::FMinNum
                | Bin::FMaxNum
                | Bin::FMinimum
                | Bin::FMaximum
        ),
        Inst::Un { op, .. } => matches!(
            op,
            Un::FSqrt | Un::FFloor | Un::FCeil | Un::FTrunc | Un::FRint | Un::FRound
        ),
        Inst::Cast { op, .. } => !matches!(op, Cast::Trunc | Cast::ZExt | Cast::SExt),
        _ => false,
    }
}

/// What of a slot decides something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Its value.
    Value,
    /// Where in its object it leads, if it is a pointer: that it is not null decides the same for
    /// all places.
    Place,
}

/// Returns the slots of which something may decide which way is taken at the end of some blocks.
pub(super) fn deciding(
    body: &Body,
    tables: &TableLoads,
    blocks: &FixedBitSet,
    of: Of,
) -> FixedBitSet {
    let mut deciding = FixedBitSet::with_capacity(body.slots as usize);
    for block in blocks.ones() {
        if let Some(Inst::CondBr { cond: value, .. } | Inst::Switch { value, .. }) =
            super::code_of(body, block).last()
        {
            read(&mut deciding, *value);
        }
    }
    closed(body, tables, deciding, of)
}

/// Adds the slots from which the values of some slots are computed.
fn closed(body: &Body, tables: &TableLoads, mut slots: FixedBitSet, of: Of) -> FixedBitSet {
    backwards(body, tables, of, |dst, from| {
        slots.contains(dst.0 as usize) && !slots.put(from.0 as usize)
    });
    slots
}

/// Adds the slot of an operand, if it is one.
pub(super) fn read(slots: &mut FixedBitSet, operand: Operand) {
    if let Ok(slot) = operand.decode() {
        slots.insert(slot.0 as usize);
    }
}

/// Returns, for each slot, the leaves of the function's result on which its value bears.
pub(super) fn returned(body: &Body, tables: &TableLoads) -> Vec<u64> {
    let mut returned = vec![0u64; body.slots as usize];
    for inst in &body.code {
        let Inst::Ret { first, count } = *inst else {
            continue;
        };
        for (leaf, result) in body.results(first, count).iter().enumerate().take(64) {
            if let Ok(slot) = result.decode() {
                returned[slot.0 as usize] |= 1 << leaf;
            }
        }
    }
    backwards(body, tables, Of::Value, |dst, from| {
        let before = returned[from.0 as usize];
        let after = before | returned[dst.0 as usize];
        returned[from.0 as usize] = after;
        after != before
    });
    returned
}

/// Carries something from the results of operations to their operands, until nothing changes:
/// `carry` is called with a slot that is written and one from which its value is computed, and
/// reports whether something changed.
fn backwards(body: &Body, tables: &TableLoads, of: Of, mut carry: impl FnMut(Slot, Slot) -> bool) {
    let mut computed: Vec<(Slot, Slot)> = Vec::new();
    for inst in &body.code {
        if reads_memory(inst) && !tables.contains(inst) || of == Of::Place && tests_null(body, inst)
        {
            continue;
        }
        for_each_write(body, inst, |dst| {
            inst.for_each_operand(|operand| computed.extend(to_slot(&(dst, operand))));
        });
    }
    computed.extend(body.moves.iter().filter_map(to_slot));
    loop {
        let mut changed = false;
        for (dst, from) in computed.iter().rev() {
            changed |= carry(*dst, *from);
        }
        if !changed {
            return;
        }
    }
}

/// Reports whether an instruction does nothing but compare a pointer, or what may be one, with
/// null.
fn tests_null(body: &Body, inst: &Inst) -> bool {
    let Inst::Cmp {
        op: Cmp::Eq | Cmp::Ne,
        w: 64,
        a,
        b,
        ..
    } = *inst
    else {
        return false;
    };
    [a, b].into_iter().any(|operand| {
        let constant = operand.decode().err();
        constant.is_some_and(|at| matches!(body.constants[at as usize], Constant::Int(0)))
    })
}

/// Reports whether the result of an instruction comes from memory, and not from its operands.
fn reads_memory(inst: &Inst) -> bool {
    matches!(
        inst,
        Inst::Load { .. }
            | Inst::AtomicRmw { .. }
            | Inst::CmpXchg { .. }
            | Inst::LoadRelative { .. }
            | Inst::VaArg { .. }
            | Inst::Alloca { .. }
    )
}
