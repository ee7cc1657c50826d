//! Random terms in the shapes in which compilers and libraries compute: searches in words, masks of
//! comparisons, divisions, numbers of several words.

use super::{Fuzz, SAMPLES, Twin};
use crate::build::mask;
use crate::number;
use crate::*;

impl Fuzz {
    /// Searches for bytes in all bytes of a word at once, as `memchr` and parsers do.
    pub(super) fn searched(&mut self, a: Twin) -> Twin {
        use BinOp::*;
        let w = 8 * (2 + self.random.below(7)) as Width;
        let repeated = |byte: usize| mask(w) / 0xff * byte as u128;
        let word = self.fit(a, w);
        let mut found: Option<Twin> = None;
        for _ in 0..1 + self.random.below(3) {
            let byte = self.random.below(256);
            let x = match self.random.below(2) {
                0 => word,
                _ => self.by(Xor, word, repeated(byte)),
            };
            let n = [1, 1, 2, 0x20, 0x80, 0x81][self.random.below(6)];
            let less = self.by(Add, x, repeated(n).wrapping_neg() & mask(w));
            let others = Twin {
                term: self.pool.not(x.term),
                values: x.values.map(|v| !v & mask(w)),
            };
            let one = match self.random.below(8) {
                0 => x,
                _ => self.binary(And, less, others),
            };
            found = Some(match found {
                Some(found) => self.binary(Or, found, one),
                None => one,
            });
        }
        let tops = self.by(And, found.expect("one at least"), repeated(0x80));
        match self.random.below(3) {
            0 => self.by(Eq, tops, 0),
            1 => Twin {
                term: self.pool.un(UnOp::Ctz, tops.term),
                values: tops.values.map(|v| number::un(UnOp::Ctz, w, v)),
            },
            _ => tops,
        }
    }

    /// Gathers conditions as the bits of a word, as comparisons of vectors do.
    pub(super) fn compared(&mut self) -> Twin {
        use BinOp::*;
        let count = 2 + self.random.below(7);
        let [one, two] = [(); 2].map(|()| {
            let first = self.of_width(1);
            let bits = (1..count).fold(first, |below, _| {
                let bit = self.of_width(1);
                let w = self.pool.width(below.term);
                Twin {
                    term: self.pool.concat(bit.term, below.term),
                    values: std::array::from_fn(|s| bit.values[s] << w | below.values[s]),
                }
            });
            self.zext(bits, 16)
        });
        let both = match self.random.below(3) {
            0 => one,
            _ => {
                let op = [And, Or, Xor][self.random.below(3)];
                self.binary(op, one, two)
            }
        };
        let mask = match self.random.below(2) {
            0 => both,
            _ => {
                let less = self.by(Add, both, mask(16));
                self.binary(And, both, less)
            }
        };
        let op = [UnOp::Ctz, UnOp::Clz][self.random.below(2)];
        let place = Twin {
            term: self.pool.un(op, mask.term),
            values: mask.values.map(|v| number::un(op, 16, v)),
        };
        match self.random.below(4) {
            0 => mask,
            1 => place,
            _ => {
                let value = place.values[self.random.below(SAMPLES)];
                self.by(Eq, place, value)
            }
        }
    }

    /// Divides a number by small constants and recombines the results, as code for decimal digits
    /// and calendars does.
    pub(super) fn divided(&mut self, a: Twin) -> Twin {
        use BinOp::*;
        let w = self.pool.width(a.term);
        let c = [2, 3, 5, 7, 10, 12, 100, 1000][self.random.below(8)];
        let q = self.by(UDiv, a, c);
        let part = 1 + self.random.below(w as usize) as Width;
        let shown = self.slice(q, 0, part);
        self.twins.extend(
            [q, shown]
                .into_iter()
                .filter(|t| self.pool.as_const(t.term).is_none()),
        );
        match self.random.below(6) {
            0 => {
                let d = [1, 2, 10, 60][self.random.below(4)];
                let op = [UDiv, URem][self.random.below(2)];
                self.by(op, shown, d)
            }
            1 => {
                let r = self.by(URem, a, c);
                let d = [1, 2, 5, 10][self.random.below(4)];
                let op = [UDiv, URem][self.random.below(2)];
                self.by(op, r, d)
            }
            2 | 3 => {
                let back = self.by(Mul, q, c);
                let op = [Sub, Sub, Eq, ULt, ULe, Add][self.random.below(6)];
                if self.random.below(2) == 0 {
                    self.binary(op, a, back)
                } else {
                    self.binary(op, back, a)
                }
            }
            4 => {
                let k = q.values[self.random.below(SAMPLES)];
                let k = k.wrapping_add(self.random.below(3) as u128).wrapping_sub(1);
                let op = [Eq, ULt, ULe][self.random.below(3)];
                self.by(op, q, k)
            }
            _ => {
                // The same in as few bits as the program knew.
                let (low, back) = (self.slice(a, 0, part), self.by(Mul, shown, c));
                self.binary(Sub, low, back)
            }
        }
    }

    /// Divides a number limb by limb, in two or three limbs, and multiplies it with carries.
    pub(super) fn limbs(&mut self, a: Twin) -> Twin {
        use BinOp::*;
        let w = self.pool.width(a.term);
        if w < 4 {
            return self.divided(a);
        }
        let n = 2 + self.random.below(2) as Width;
        let limb = w.div_ceil(n).max(2);
        let c = [3, 10, 10, 100, 1_000_000_000][self.random.below(5)] & mask(limb);
        let c = c.max(2);
        let step = limb * 2;
        let mut limbs = Vec::new();
        let mut at = 0;
        while at < w {
            let part = self.slice(a, at, limb.min(w - at));
            limbs.push(self.zext(part, limb));
            at += limb;
        }
        for _ in 0..1 + self.random.below(2) {
            let mut rest = self.by(And, limbs[0], 0);
            for x in limbs.iter_mut().rev() {
                let t = self.join(rest, *x);
                let (q, r) = (self.by(UDiv, t, c), self.by(URem, t, c));
                *x = self.slice(q, 0, limb);
                rest = self.slice(r, 0, limb);
            }
            self.twins.push(rest);
        }
        if self.random.below(2) == 0 {
            let zeros: Vec<Twin> = limbs
                .clone()
                .into_iter()
                .map(|x| self.by(Eq, x, 0))
                .collect();
            let all = zeros.into_iter().reduce(|x, y| self.binary(And, x, y));
            self.twins.extend(all);
        }
        let d = if self.random.below(4) == 0 {
            7 & mask(limb)
        } else {
            c
        };
        let mut carry = self.by(And, limbs[0], 0);
        for x in limbs.iter_mut() {
            let wide = self.zext(*x, step);
            let product = self.by(Mul, wide, d);
            let carried = self.zext(carry, step);
            let t = self.binary(Add, product, carried);
            *x = self.slice(t, 0, limb);
            carry = self.slice(t, limb, limb);
        }
        let mut whole = limbs[0];
        for x in &limbs[1..] {
            if self.pool.width(whole.term) + limb <= MAX_WIDTH {
                whole = self.join(*x, whole);
            }
        }
        let ww = self.pool.width(whole.term);
        self.twins.push(carry);
        let back = if ww >= w {
            self.zext(a, ww)
        } else {
            self.slice(a, 0, ww)
        };
        let op = [Sub, Sub, Eq, ULt, ULe, Add, Xor][self.random.below(7)];
        if self.random.below(2) == 0 {
            self.binary(op, back, whole)
        } else {
            self.binary(op, whole, back)
        }
    }
}
