//! Translation of integers over 128 bits, in parts of 64: bitwise operations, shifts by a constant,
//! sums and products. Optimised code has them where it multiplies 128-bit numbers and uses the
//! upper half.

use super::super::types::Scalar;
use super::bits::pieces;
use super::{Builder, Ops, Reason};
use symex_program::{Bin, Inst, Operand, Overflow};

impl Builder<'_> {
    pub(super) fn binary_wide(
        &mut self,
        op: Bin,
        scalar: Scalar,
        lanes: u32,
        a: &Ops,
        b: &Ops,
    ) -> Result<Ops, Reason> {
        let widths = scalar.leaf_widths();
        let unsupported = || scalar.width().err().unwrap_or_default();
        match op {
            Bin::And | Bin::Or | Bin::Xor => Ok(a
                .iter()
                .zip(b)
                .zip(widths.iter().cycle())
                .map(|((&a, &b), &w)| self.bitwise(op, w as u8, a, b))
                .collect()),
            Bin::LShr | Bin::Shl if lanes == 1 => {
                let by = b.first().and_then(|&low| self.known_int(low));
                let by = by
                    .filter(|&by| by < u128::from(scalar.bits()))
                    .ok_or_else(unsupported)? as u32;
                Ok(self.shift(op == Bin::Shl, by, &widths, a))
            }
            Bin::Add | Bin::Sub | Bin::Mul if lanes == 1 && widths.iter().all(|&w| w == 64) => {
                Ok(match op {
                    Bin::Add => self.add_parts(a, b),
                    // a - b = a + !b + 1
                    Bin::Sub => {
                        let ones = self.int(u128::MAX, 64);
                        let inverted: Ops =
                            b.iter().map(|&b| self.bin(Bin::Xor, 64, b, ones)).collect();
                        let mut one = self.zeros(a.len());
                        one[0] = self.int(1, 64);
                        let sum = self.add_parts(a, &inverted);
                        self.add_parts(&sum, &one)
                    }
                    _ => self.multiply_parts(a, b),
                })
            }
            _ => Err(unsupported()),
        }
    }

    fn zeros(&mut self, n: usize) -> Ops {
        let zero = self.int(0, 64);
        Ops::from_elem(zero, n)
    }

    fn bitwise(&mut self, op: Bin, w: u8, a: Operand, b: Operand) -> Operand {
        match (op, self.known_int(a), self.known_int(b)) {
            (Bin::Or | Bin::Xor, Some(0), _) => b,
            (Bin::Or | Bin::Xor, _, Some(0)) => a,
            _ => self.bin(op, w, a, b),
        }
    }

    fn shift(&mut self, left: bool, by: u32, widths: &[u32], a: &Ops) -> Ops {
        let string = pieces(a, widths.iter().copied());
        if !left {
            return self.recut(&string, by, widths);
        }
        let mut shifted = Vec::new();
        let mut zeros = by;
        while zeros > 0 {
            let w = zeros.min(64);
            shifted.push((self.int(0, w), w));
            zeros -= w;
        }
        shifted.extend(string);
        self.recut(&shifted, 0, widths)
    }

    fn is_zero(&self, a: Operand) -> bool {
        self.known_int(a) == Some(0)
    }

    /// Adds numbers of equally many parts, truncating to that many.
    fn add_parts(&mut self, a: &[Operand], b: &[Operand]) -> Ops {
        let mut out = Ops::new();
        let mut carry: Option<Operand> = None;
        for (&a, &b) in a.iter().zip(b) {
            let (sum, first) = self.add_part(a, b);
            let (sum, second) = match carry {
                Some(c) => {
                    let c = self.resize(c, 1, 64, false);
                    self.add_part(sum, c)
                }
                None => (sum, None),
            };
            carry = match (first, second) {
                (Some(x), Some(y)) => Some(self.bin(Bin::Or, 1, x, y)),
                (one, None) | (None, one) => one,
            };
            out.push(sum);
        }
        out
    }

    /// Adds two parts: returns the sum, and the carry if there can be one.
    fn add_part(&mut self, a: Operand, b: Operand) -> (Operand, Option<Operand>) {
        if self.is_zero(a) {
            return (b, None);
        }
        if self.is_zero(b) {
            return (a, None);
        }
        let dst = self.new_slot();
        let carry = self.new_slot();
        self.emit(Inst::Overflow {
            op: Overflow::UAdd,
            w: 64,
            dst,
            a,
            b,
        });
        (Operand::slot(dst), Some(Operand::slot(carry)))
    }

    /// Multiplies by the schoolbook method, truncating to the number of parts.
    fn multiply_parts(&mut self, a: &Ops, b: &Ops) -> Ops {
        let n = a.len();
        let mut sum = self.zeros(n);
        for i in 0..n {
            for j in 0..n - i {
                if self.is_zero(a[i]) || self.is_zero(b[j]) {
                    continue;
                }
                let x = self.resize(a[i], 64, 128, false);
                let y = self.resize(b[j], 64, 128, false);
                let product = self.bin(Bin::Mul, 128, x, y);
                let mut term = self.zeros(n - i - j);
                term[0] = self.extract(product, 128, 0, 64);
                if term.len() > 1 {
                    term[1] = self.extract(product, 128, 64, 64);
                }
                let upper = self.add_parts(&sum[i + j..], &term);
                sum[i + j..].copy_from_slice(&upper);
            }
        }
        sum
    }
}
