//! Control-flow edges: the phis of a block become moves on the edges into it.
//!
//! The moves of an edge are parallel. They are put in a sequence in which nothing is overwritten
//! before it is read; cycles go through one extra slot.

use super::super::ll::{B, Opcode};
use super::{Builder, Ops, Reason};
use rustc_hash::FxHashMap;
use symex_program::{Edge, Operand, Slot};

impl Builder<'_> {
    /// Assigns slots to phis and sorts their incoming values by edge.
    pub(super) fn collect_phis(&mut self, order: &[B]) {
        for &b in order {
            for phi in b.instructions() {
                if !matches!(phi.opcode(), Opcode::PHI) {
                    break;
                }
                let Ok(ty) = self.type_of(phi) else {
                    continue;
                };
                let slots = self.new_slots(ty.leaves.len() as u32);
                self.bind(phi, &slots);
                for (value, from) in phi.incoming() {
                    // Several edges from one block bring the same value.
                    let list = self.incoming.entry((from, b)).or_default();
                    if list.last().is_none_or(|(p, _)| *p != phi) {
                        list.push((phi, value));
                    }
                }
            }
        }
    }

    /// Makes edges from the current block to each of these, one per target. May emit code for
    /// constants.
    pub(super) fn edges(&mut self, from: B, targets: &[B]) -> Result<Vec<u32>, Reason> {
        let mut made: FxHashMap<B, u32> = FxHashMap::default();
        let mut all = Vec::with_capacity(targets.len());
        for &to in targets {
            let edge = match made.get(&to) {
                Some(&e) => e,
                None => {
                    let e = self.edge(from, to)?;
                    made.insert(to, e);
                    e
                }
            };
            all.push(edge);
        }
        Ok(all)
    }

    fn edge(&mut self, from: B, to: B) -> Result<u32, Reason> {
        let mut moves: Vec<(Slot, Operand)> = Vec::new();
        for (phi, value) in self.incoming.remove(&(from, to)).unwrap_or_default() {
            let dst = self.ops(phi)?;
            let src = self.ops(value)?;
            add_moves(&mut moves, &dst, &src);
        }
        let first = self.body.moves.len() as u32;
        self.sequence(moves);
        let block = *self
            .block_numbers
            .get(&to)
            .ok_or("a jump to a block of another function")?;
        self.body.edges.push(Edge {
            target: 0,
            block,
            moves: (first, self.body.moves.len() as u32),
        });
        Ok(self.body.edges.len() as u32 - 1)
    }

    fn sequence(&mut self, mut pending: Vec<(Slot, Operand)>) {
        if pending.len() <= 1 {
            self.body.moves.append(&mut pending);
            return;
        }
        // How many pending moves read a slot.
        let mut readers: FxHashMap<Slot, u32> = FxHashMap::default();
        for (_, src) in &pending {
            if let Ok(s) = src.decode() {
                *readers.entry(s).or_default() += 1;
            }
        }
        while !pending.is_empty() {
            let mut stuck = true;
            let mut i = 0;
            while i < pending.len() {
                let (dst, src) = pending[i];
                if readers.get(&dst).is_some_and(|&n| n > 0) {
                    i += 1;
                    continue;
                }
                self.body.moves.push((dst, src));
                if let Ok(s) = src.decode()
                    && let Some(n) = readers.get_mut(&s)
                {
                    *n -= 1;
                }
                pending.remove(i);
                stuck = false;
            }
            if stuck {
                self.break_cycle(&mut pending, &mut readers);
            }
        }
    }

    /// Saves a slot that is both written and read, and lets its readers read the copy. Every move
    /// left is part of a cycle or behind one, and the copy is read before another cycle is broken,
    /// so one slot serves all.
    fn break_cycle(&mut self, pending: &mut [(Slot, Operand)], readers: &mut FxHashMap<Slot, u32>) {
        let (dst, _) = pending[0];
        let copy = match self.cycle_slot {
            Some(s) => s,
            None => {
                let s = self.new_slot();
                self.cycle_slot = Some(s);
                s
            }
        };
        self.body.moves.push((copy, Operand::slot(dst)));
        for (_, src) in pending.iter_mut() {
            if *src == Operand::slot(dst) {
                *src = Operand::slot(copy);
            }
        }
        readers.insert(dst, 0);
    }
}

fn add_moves(moves: &mut Vec<(Slot, Operand)>, dst: &Ops, src: &Ops) {
    for (&d, &s) in dst.iter().zip(src) {
        if d != s
            && let Ok(slot) = d.decode()
        {
            moves.push((slot, s));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::translate_ir;

    /// Runs the moves of an edge on a frame where slot `i` holds `i`.
    fn after(ir: &str) -> Vec<u32> {
        let program = translate_ir(ir.as_bytes(), "test").unwrap();
        let body = program.functions[0].body.as_ref().unwrap();
        let mut frame: Vec<u32> = (0..body.slots).collect();
        let back = body.edges.iter().max_by_key(|e| e.moves.1 - e.moves.0);
        let (first, end) = back.unwrap().moves;
        for (dst, src) in &body.moves[first as usize..end as usize] {
            frame[dst.0 as usize] = frame[src.decode().unwrap().0 as usize];
        }
        frame
    }

    #[test]
    fn cycles_of_moves_are_broken() {
        // Phis in slots 2, 3, 4, 5: a swap, and a rotation that also feeds a fourth.
        let ir = "define void @f(i32 %n, i1 %c) {
            entry: br label %loop
            loop:
              %a = phi i32 [ 1, %entry ], [ %b, %loop ]
              %b = phi i32 [ 2, %entry ], [ %d, %loop ]
              %d = phi i32 [ 3, %entry ], [ %a, %loop ]
              %e = phi i32 [ 4, %entry ], [ %a, %loop ]
              br i1 %c, label %loop, label %out
            out: ret void }";
        let frame = after(ir);
        assert_eq!(&frame[2..6], &[3, 4, 2, 2]);
    }

    #[test]
    fn two_cycles_share_the_extra_slot() {
        let ir = "define void @f(i32 %n, i1 %c) {
            entry: br label %loop
            loop:
              %a = phi i32 [ 1, %entry ], [ %b, %loop ]
              %b = phi i32 [ 2, %entry ], [ %a, %loop ]
              %d = phi i32 [ 3, %entry ], [ %e, %loop ]
              %e = phi i32 [ 4, %entry ], [ %d, %loop ]
              br i1 %c, label %loop, label %out
            out: ret void }";
        let frame = after(ir);
        assert_eq!(&frame[2..6], &[3, 2, 5, 4]);
    }
}
