//! Translation of a function's code: blocks in reverse postorder, values as lists of operands, phis
//! as moves on edges.
//!
//! Every LLVM value is represented by a list of operands, one per scalar leaf. Instructions that
//! only regroup leaves (casts between equal bits, `insertvalue`, shuffles with a constant mask)
//! make new lists and no code. That is sound: in SSA form a definition dominates its uses, so a
//! slot still holds what it held when the list was made. Anything without a form becomes
//! `Inst::Unsupported` with a reason, and the rest of its block is dropped.

mod aggregate;
mod arith;
mod asm;
mod bits;
mod call;
mod check;
mod constrained;
mod control;
mod edges;
mod instruction;
mod intrinsic;
mod lanes;
mod libm;
mod memory;
mod operands;
mod reduce;
mod registers;
mod vector;
mod wide;
mod x86;

use super::ll::{B, V};
use super::module::Translation;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use symex_program::{Body, Constant, Inst, LocId, Operand, Slot};

/// Operands of a value, one per scalar leaf.
pub type Ops = SmallVec<[Operand; 4]>;

/// Reason why an instruction has no translation.
pub type Reason = String;

/// Returns the reachable blocks, entry first, in reverse postorder.
pub fn block_order(f: V) -> Vec<B> {
    let mut post = Vec::new();
    let mut seen = FxHashSet::default();
    let entry = f.entry_block();
    seen.insert(entry);
    // Popped from the end: visiting the last successor first puts the first one right behind its
    // block.
    let next = |b: B| b.terminator().map(V::successors).unwrap_or_default();
    let mut stack = vec![(entry, next(entry))];
    while let Some((block, left)) = stack.last_mut() {
        match left.pop() {
            Some(b) if seen.insert(b) => stack.push((b, next(b))),
            Some(_) => {}
            None => {
                post.push(*block);
                stack.pop();
            }
        }
    }
    post.reverse();
    post
}

/// Translates a defined function.
pub fn translate(translation: &mut Translation, f: V) -> Body {
    let order = block_order(f);
    let declared = translation.debug.of_function(f);
    let mut builder = Builder {
        is_rust: f.is_rust(),
        translation,
        body: Body::default(),
        values: FxHashMap::default(),
        pool: Vec::new(),
        constants: FxHashMap::default(),
        block_numbers: FxHashMap::default(),
        incoming: FxHashMap::default(),
        loc: declared,
        cycle_slot: None,
    };
    for (i, &b) in order.iter().enumerate() {
        builder.block_numbers.insert(b, i as u32);
    }
    builder.parameters(f);
    builder.collect_phis(&order);
    for &b in &order {
        builder.block(b, declared);
    }
    builder.finish()
}

/// Translation of a function in progress.
struct Builder<'t> {
    translation: &'t mut Translation,
    is_rust: bool,
    body: Body,
    /// Map from a value to its range of the pool.
    values: FxHashMap<V, (u32, u32)>,
    pool: Vec<Operand>,
    constants: FxHashMap<Constant, u32>,
    block_numbers: FxHashMap<B, u32>,
    /// Incoming values of phis by control-flow edge: (predecessor, block) to (phi, value).
    incoming: FxHashMap<(B, B), Vec<(V, V)>>,
    loc: LocId,
    /// Slot that breaks cycles of moves.
    cycle_slot: Option<Slot>,
}

impl Builder<'_> {
    fn parameters(&mut self, f: V) {
        for p in f.params() {
            // A parameter without a form has no leaves in the signature either; its uses say so.
            let n = self.translation.widths(p.ty()).len() as u32;
            let slots = self.new_slots(n);
            self.bind(p, &slots);
        }
    }

    fn block(&mut self, b: B, declared: LocId) {
        self.body.blocks.push(self.body.code.len() as u32);
        self.loc = declared;
        for v in b.instructions() {
            self.loc = self.translation.debug.of_instruction(v, self.loc);
            if let Err(reason) = self.instruction(v, b) {
                self.unsupported(reason);
            }
            if self.is_closed() {
                return;
            }
        }
        // LLVM's verifier rules this out; a module that was not verified must not break the form.
        self.unsupported("a block without end".to_owned());
    }

    /// Reports whether the current block has its last instruction.
    fn is_closed(&self) -> bool {
        let start = self.body.blocks.last().copied().unwrap_or(0) as usize;
        match self.body.code[start..].last() {
            Some(Inst::Call { site }) => self.body.calls[*site as usize].normal.is_some(),
            Some(last) => last.is_terminator(),
            None => false,
        }
    }

    fn finish(mut self) -> Body {
        for edge in &mut self.body.edges {
            edge.target = self.body.blocks[edge.block as usize];
        }
        let body = &mut self.body;
        body.code.shrink_to_fit();
        body.locs.shrink_to_fit();
        body.moves.shrink_to_fit();
        body.edges.shrink_to_fit();
        self.body
    }

    fn emit(&mut self, inst: Inst) {
        self.body.code.push(inst);
        self.body.locs.push(self.loc);
    }

    fn unsupported(&mut self, reason: Reason) {
        let reason = self.translation.reason(reason);
        self.emit(Inst::Unsupported { reason });
    }

    fn new_slot(&mut self) -> Slot {
        let s = Slot(self.body.slots);
        self.body.slots += 1;
        s
    }

    fn new_slots(&mut self, n: u32) -> Ops {
        let first = self.body.slots;
        self.body.slots += n;
        (first..first + n).map(|i| Operand::slot(Slot(i))).collect()
    }

    /// Binds a value to its operands.
    fn bind(&mut self, v: V, ops: &[Operand]) {
        let start = self.pool.len() as u32;
        self.pool.extend_from_slice(ops);
        self.values.insert(v, (start, ops.len() as u32));
    }
}
