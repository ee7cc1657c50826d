//! What is known about a term without any solver: bits that are always zero or one, and an unsigned range.
//!
//! Invariant: facts hold under every assignment and every address map (selects past the end of their array apart,
//! whose value is unspecified). They are computed once, when a term is interned, from the facts of its operands.

use super::assignment::LOWEST_ADDRESS;
use super::build::mask;
use super::node::*;
use super::number;
use super::pool::Pool;

/// Known bits and range of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Bits that are zero (within the width).
    pub zero: u128,
    /// Bits that are one.
    pub one: u128,
    /// Least value.
    pub min: u128,
    /// Greatest value.
    pub max: u128,
}

impl Facts {
    /// Nothing but the width is known.
    pub fn unknown(width: Width) -> Facts {
        Facts {
            zero: 0,
            one: 0,
            min: 0,
            max: mask(width),
        }
    }

    /// It is this value.
    pub fn constant(width: Width, v: u128) -> Facts {
        Facts {
            zero: !v & mask(width),
            one: v,
            min: v,
            max: v,
        }
    }

    /// The value, if there is only one.
    pub fn as_const(&self) -> Option<u128> {
        (self.min == self.max).then_some(self.min)
    }

    /// May this be a value of the term?
    pub fn allows(&self, v: u128) -> bool {
        v & self.zero == 0 && !v & self.one == 0 && self.min <= v && v <= self.max
    }

    /// Is there no value that both allow?
    pub fn excludes(&self, other: &Facts) -> bool {
        self.zero & other.one != 0
            || self.one & other.zero != 0
            || self.max < other.min
            || other.max < self.min
    }

    /// Values in this range.
    pub fn range(width: Width, min: u128, max: u128) -> Facts {
        Facts {
            zero: 0,
            one: 0,
            min,
            max,
        }
        .tight(width)
    }

    /// The same, where the value is known to be in this range, too.
    pub(super) fn bounded(self, min: u128, max: u128, width: Width) -> Facts {
        Facts {
            min: self.min.max(min),
            max: self.max.min(max),
            ..self
        }
        .tight(width)
    }

    /// Number of low bits that are zero.
    pub fn trailing_zeros(&self) -> Width {
        self.zero.trailing_ones()
    }

    /// Is the top bit known to be zero?
    pub fn is_nonnegative(&self, width: Width) -> bool {
        self.zero >> (width - 1) & 1 == 1
    }

    /// Is the top bit known to be one?
    pub fn is_negative(&self, width: Width) -> bool {
        self.one >> (width - 1) & 1 == 1
    }

    fn either(a: Facts, b: Facts) -> Facts {
        Facts {
            zero: a.zero & b.zero,
            one: a.one & b.one,
            min: a.min.min(b.min),
            max: a.max.max(b.max),
        }
    }

    /// Lets bits and range learn from each other.
    fn tight(mut self, width: Width) -> Facts {
        let m = mask(width);
        self.min = self.min.max(self.one);
        self.max = self.max.min(m & !self.zero);
        if self.min > self.max {
            // Only a term without a defined value gets here.
            return Facts::unknown(width);
        }
        let differ = self.min ^ self.max;
        let prefix = if differ == 0 {
            m
        } else {
            m & !(u128::MAX >> differ.leading_zeros())
        };
        self.one |= self.min & prefix;
        self.zero |= !self.min & prefix;
        self
    }

    /// The sum, where `carry` is added too.
    fn sum(a: Facts, b: Facts, carry: u128, width: Width) -> Facts {
        let m = mask(width);
        let highest = (!a.zero & m).wrapping_add(!b.zero & m).wrapping_add(carry);
        let lowest = a.one.wrapping_add(b.one).wrapping_add(carry);
        let carry_zero = !(highest ^ a.zero ^ b.zero);
        let carry_one = lowest ^ a.one ^ b.one;
        let known = (a.zero | a.one) & (b.zero | b.one) & (carry_zero | carry_one) & m;
        Facts {
            zero: !highest & known,
            one: lowest & known,
            min: 0,
            max: m,
        }
    }

    fn not(self, width: Width) -> Facts {
        let m = mask(width);
        Facts {
            zero: self.one,
            one: self.zero,
            min: m - self.max,
            max: m - self.min,
        }
    }
}

/// Facts in the size that most terms need: four words, or the place of wider facts.
#[derive(Clone, Copy)]
pub(super) struct PackedFacts([u64; 4]);

impl PackedFacts {
    pub(super) fn pack(f: Facts, width: Width, wide: &mut Vec<Facts>) -> PackedFacts {
        if width <= 64 {
            return PackedFacts([f.zero as u64, f.one as u64, f.min as u64, f.max as u64]);
        }
        wide.push(f);
        PackedFacts([wide.len() as u64 - 1, 0, 0, 0])
    }

    pub(super) fn unpack(self, width: Width, wide: &[Facts]) -> Facts {
        let [zero, one, min, max] = self.0.map(u128::from);
        if width <= 64 {
            Facts {
                zero,
                one,
                min,
                max,
            }
        } else {
            wide[self.0[0] as usize]
        }
    }
}

impl Pool {
    /// What is known about a term under any assignment.
    pub fn facts(&self, e: Expr) -> Facts {
        self.facts[e.index()].unpack(self.width(e), &self.wide_facts)
    }

    /// What holds for each element of an array.
    pub fn array_facts(&self, a: Array) -> Facts {
        self.arrays[a.index()].facts
    }

    /// Facts of a node that need not be interned yet.
    pub(super) fn derive_facts(&self, kind: &Kind, width: Width) -> Facts {
        let m = mask(width);
        let f = |e: Expr| self.facts(e);
        let facts = match *kind {
            Kind::Const(v) => return Facts::constant(width, v),
            // Rounding keeps the order, and so do the bits of floats that are not negative.
            Kind::FCast(FCast::FromUnsigned, x) => {
                let (x, from) = (f(x), self.width(x));
                let end = |v| number::fcast(FCast::FromUnsigned, from, width, v);
                Facts::range(width, end(x.min), end(x.max))
            }
            Kind::Var(_) | Kind::FCast(..) | Kind::Fma(..) => return Facts::unknown(width),
            Kind::Base { align_log2, .. } => Facts {
                zero: mask(align_log2 as Width) & m,
                ..Facts::unknown(width)
            }
            // The upper bits are left open: bytes of an address then are the same kind of term each, and are put together
            // again by the same rules.
            .bounded(u128::from(LOWEST_ADDRESS), m, width),
            Kind::Un(op, a) => match op {
                UnOp::Not => f(a).not(width),
                UnOp::Popcount => {
                    let a = f(a);
                    let (least, most) = (a.one.count_ones(), width - a.zero.count_ones());
                    Facts::range(width, least as u128, most as u128)
                }
                UnOp::Clz => {
                    let (a, unused) = (f(a), 128 - width);
                    Facts::range(
                        width,
                        (a.max.leading_zeros() - unused) as u128,
                        (a.min.leading_zeros() - unused) as u128,
                    )
                }
                UnOp::Ctz => {
                    let a = f(a);
                    let most = a.one.trailing_zeros().min(width);
                    Facts::range(width, a.trailing_zeros().min(width) as u128, most as u128)
                }
                UnOp::FSqrt | UnOp::FRound(_) | UnOp::FIsNan => return Facts::unknown(width),
            },
            Kind::Bin(op, a, b) => return self.binary_facts(op, a, b, width),
            Kind::Concat { hi, lo } => {
                let (wl, h, l) = (self.width(lo), f(hi), f(lo));
                Facts {
                    zero: h.zero << wl | l.zero,
                    one: h.one << wl | l.one,
                    min: h.min << wl | l.min,
                    max: h.max << wl | l.max,
                }
            }
            Kind::Extract { of, lo } => {
                let x = f(of);
                let bits = Facts {
                    zero: x.zero >> lo & m,
                    one: x.one >> lo & m,
                    ..Facts::unknown(width)
                };
                // If nothing above the slice varies, it is monotonic.
                let (min, max) = (x.min >> lo, x.max >> lo);
                if min & !m == max & !m {
                    Facts {
                        min: min & m,
                        max: max & m,
                        ..bits
                    }
                } else {
                    bits
                }
            }
            Kind::ZExt(a) => {
                let (x, above) = (f(a), m & !mask(self.width(a)));
                Facts {
                    zero: x.zero | above,
                    ..x
                }
            }
            Kind::SExt(a) => {
                let (x, w) = (f(a), self.width(a));
                let extend = |v| number::sign_extend(v, w) as u128 & m;
                let bits = Facts {
                    zero: extend(x.zero),
                    one: extend(x.one),
                    ..Facts::unknown(width)
                };
                if x.is_nonnegative(w) || x.is_negative(w) {
                    Facts {
                        min: extend(x.min),
                        max: extend(x.max),
                        ..bits
                    }
                } else {
                    bits
                }
            }
            Kind::Ite { cond, then, other } => {
                let (mut t, mut o) = (f(then), f(other));
                // A bound taken from the condition: `x < c ? x : y`.
                if let Kind::Bin(BinOp::ULt, l, r) = self.kind(cond) {
                    if l == then {
                        t.max = t.max.min(f(r).max.saturating_sub(1));
                    }
                    if r == then {
                        t.min = t.min.max(f(l).min.saturating_add(1).min(m));
                    }
                    if l == other {
                        o.min = o.min.max(f(r).min);
                    }
                    if r == other {
                        o.max = o.max.min(f(l).max);
                    }
                }
                Facts::either(t.tight(width), o.tight(width))
            }
            Kind::Select { array, .. } => self.arrays[array.index()].facts,
        };
        facts.tight(width)
    }

    /// Facts that hold for each element of an array.
    pub(super) fn derive_array_facts(&self, kind: &ArrayKind, width: Width) -> Facts {
        match kind {
            ArrayKind::Table(elems) => {
                let unknown = Facts::unknown(width);
                let mut all = self.facts(elems[0]);
                for e in &elems[1..] {
                    if all == unknown {
                        break;
                    }
                    all = Facts::either(all, self.facts(*e));
                }
                all
            }
            ArrayKind::Store { array, value, .. } => {
                Facts::either(self.arrays[array.index()].facts, self.facts(*value))
            }
        }
    }

    /// Bounds of `x`, if the term is `-x`, or that with zeros below.
    fn negated_range(&self, e: Expr) -> Option<(u128, u128)> {
        match self.kind(e) {
            Kind::Bin(BinOp::Sub, zero, x) if self.as_const(zero) == Some(0) => {
                let x = self.facts(x);
                Some((x.min, x.max))
            }
            Kind::Concat { hi, lo } if self.as_const(lo) == Some(0) => {
                let (least, most) = self.negated_range(hi)?;
                let by = self.width(lo);
                Some((least << by, most << by))
            }
            _ => None,
        }
    }

    fn binary_facts(&self, op: BinOp, a: Expr, b: Expr, width: Width) -> Facts {
        let m = mask(width);
        let unknown = Facts::unknown(width);
        if op.is_predicate() || op.is_float() {
            return unknown;
        }
        let (x, y) = (self.facts(a), self.facts(b));
        let facts = match op {
            BinOp::Add => {
                let bits = Facts::sum(x, y, 0, width);
                // Places that are counted down from an end: `-i + c`, where `i` is at most `c`.
                if let Some((least, most)) = y.as_const().and_then(|_| self.negated_range(a))
                    && most <= y.min
                {
                    return Facts {
                        min: y.min - most,
                        max: y.min - least,
                        ..bits
                    }
                    .tight(width);
                }
                let fits = |v: Option<u128>| v.filter(|v| *v <= m);
                match (
                    fits(x.min.checked_add(y.min)),
                    fits(x.max.checked_add(y.max)),
                ) {
                    (Some(min), Some(max)) => Facts { min, max, ..bits },
                    (None, None) => Facts {
                        min: x.min.wrapping_add(y.min) & m,
                        max: x.max.wrapping_add(y.max) & m,
                        ..bits
                    },
                    _ => bits,
                }
            }
            BinOp::Sub => {
                let bits = Facts::sum(x, y.not(width), 1, width);
                if x.min >= y.max {
                    Facts {
                        min: x.min - y.max,
                        max: x.max - y.min,
                        ..bits
                    }
                } else if x.max < y.min {
                    Facts {
                        min: x.min.wrapping_sub(y.max) & m,
                        max: x.max.wrapping_sub(y.min) & m,
                        ..bits
                    }
                } else {
                    bits
                }
            }
            BinOp::Mul => {
                let zeros = (x.trailing_zeros() + y.trailing_zeros()).min(width);
                let bits = Facts {
                    zero: mask(zeros),
                    ..unknown
                };
                match x.max.checked_mul(y.max) {
                    Some(max) if max <= m => Facts {
                        min: x.min * y.min,
                        max,
                        ..bits
                    },
                    _ => bits,
                }
            }
            BinOp::UDiv if y.min > 0 => Facts {
                min: x.min / y.max,
                max: x.max / y.min,
                ..unknown
            },
            BinOp::URem if y.min > 0 => Facts {
                max: x.max.min(y.max - 1),
                ..unknown
            },
            BinOp::URem => Facts {
                max: x.max,
                ..unknown
            },
            BinOp::And => Facts {
                zero: x.zero | y.zero,
                one: x.one & y.one,
                min: 0,
                max: x.max.min(y.max),
            },
            BinOp::Or => Facts {
                zero: x.zero & y.zero,
                one: x.one | y.one,
                min: x.min.max(y.min),
                max: m,
            },
            BinOp::Xor => Facts {
                zero: x.zero & y.zero | x.one & y.one,
                one: x.zero & y.one | x.one & y.zero,
                ..unknown
            },
            BinOp::Shl => {
                let zeros = (x.trailing_zeros() as u128 + y.min).min(width as u128);
                Facts {
                    zero: mask(zeros as Width),
                    ..unknown
                }
            }
            BinOp::LShr => {
                let shift = |v: u128, by: u128| if by >= width as u128 { 0 } else { v >> by };
                Facts {
                    min: shift(x.min, y.max),
                    max: shift(x.max, y.min),
                    ..unknown
                }
            }
            BinOp::AShr if x.is_nonnegative(width) => {
                let shift = |v: u128, by: u128| if by >= width as u128 { 0 } else { v >> by };
                Facts {
                    min: shift(x.min, y.max),
                    max: shift(x.max, y.min),
                    ..unknown
                }
            }
            BinOp::AShr if x.is_negative(width) => Facts {
                min: x.min,
                ..unknown
            },
            _ => return unknown,
        };
        facts.tight(width)
    }
}
