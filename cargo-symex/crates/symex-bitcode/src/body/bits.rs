//! Values as bit strings that are cut up and reassembled.
//!
//! Serves bitcasts between vectors and scalars, vectors whose lanes are not whole bytes in memory,
//! and integers over 128 bits (extension, truncation, shifts by a constant).

use super::{Builder, Ops};
use symex_program::{Inst, Operand};
use symex_types::bits::mask;

/// Piece of a bit string: operand and width in bits. The lowest piece comes first.
pub type Piece = (Operand, u32);

impl Builder<'_> {
    /// Cuts a bit string into pieces of the given widths, starting `skip` bits into it. Past its
    /// end there are zeros.
    pub(super) fn recut(&mut self, from: &[Piece], skip: u32, widths: &[u32]) -> Ops {
        let mut start = skip;
        let mut out = Ops::with_capacity(widths.len());
        for &width in widths {
            out.push(self.piece(from, start, width));
            start += width;
        }
        out
    }

    fn piece(&mut self, from: &[Piece], start: u32, width: u32) -> Operand {
        let mut parts: Vec<Piece> = Vec::new();
        let end = start + width;
        let mut at = 0;
        for &(op, w) in from {
            let (lo, hi) = (start.max(at), end.min(at + w));
            if lo < hi {
                let part = self.extract(op, w, lo - at, hi - lo);
                parts.push((part, hi - lo));
            }
            at += w;
        }
        let covered: u32 = parts.iter().map(|p| p.1).sum();
        if covered < width {
            let zeros = self.int(0, width - covered);
            parts.push((zeros, width - covered));
        }
        self.concat(&parts)
    }

    /// Extracts bits `lo..lo + to` of an operand.
    pub(super) fn extract(&mut self, a: Operand, w: u32, lo: u32, to: u32) -> Operand {
        if lo == 0 && to == w {
            return a;
        }
        if let Some(n) = self.known_int(a) {
            return self.int((n >> lo) & mask(to), to);
        }
        let dst = self.new_slot();
        self.emit(Inst::Extract {
            w: w as u8,
            to: to as u8,
            lo: lo as u8,
            dst,
            a,
        });
        Operand::slot(dst)
    }

    /// Concatenates pieces of together at most 128 bits to one operand.
    pub(super) fn concat(&mut self, parts: &[Piece]) -> Operand {
        let numbers: Option<Vec<u128>> = parts.iter().map(|p| self.known_int(p.0)).collect();
        if let Some(numbers) = numbers {
            let (mut all, mut at) = (0u128, 0);
            for (n, (_, w)) in numbers.into_iter().zip(parts) {
                all |= n << at;
                at += w;
            }
            return self.int(all, at);
        }
        let (mut low, mut width) = parts[0];
        for &(hi, w) in &parts[1..] {
            let dst = self.new_slot();
            self.emit(Inst::Concat {
                whi: w as u8,
                wlo: width as u8,
                dst,
                hi,
                lo: low,
            });
            low = Operand::slot(dst);
            width += w;
        }
        low
    }
}

/// Returns the bit string of a value with these leaves.
pub fn pieces(ops: &[Operand], widths: impl IntoIterator<Item = u32>) -> Vec<Piece> {
    ops.iter().copied().zip(widths).collect()
}
