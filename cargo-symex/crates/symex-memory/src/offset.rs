//! Symbolic offsets: the reach of an offset, as far as its term and the path tell, and its index
//! into a table.

use std::ops::Range;
use symex_terms::{BinOp, Expr, Kind, ObjectId, Pool, Value};

/// Greatest alignment of use, as a power of two.
const MAX_ALIGN_LOG2: u32 = 16;

/// Object and offset of an access that has passed all checks.
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    pub object: ObjectId,
    /// Offset: `Int`, or a 64-bit term that the path condition keeps in bounds.
    pub offset: Value,
    /// For an object that is split [RAM 2.4]: range of the offset on this path.
    pub within: Option<Within>,
}

impl Checked {
    /// Makes an access about whose offset no more is known than its term says.
    pub fn new(object: ObjectId, offset: Value) -> Checked {
        let within = None;
        Checked {
            object,
            offset,
            within,
        }
    }
}

/// A range of offsets at which an access may begin: some consecutive parts of an object. The path
/// condition implies `from`, and `to` unless that is the end of the object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Within {
    pub from: u64,
    /// End of the range, exclusive.
    pub to: u64,
}

impl Within {
    /// Shifts the range for an access that begins `by` bytes further on.
    pub fn moved(self, by: u64) -> Within {
        Within {
            from: self.from + by,
            to: self.to + by,
        }
    }
}

/// Reach: the offsets at which an access may begin, all in bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OffsetRange {
    /// Least offset; `max` is the greatest. Both are possible as far as is known.
    pub min: u64,
    pub max: u64,
    /// Alignment: all offsets are equal modulo `1 << align_log2`.
    pub align_log2: u32,
}

impl OffsetRange {
    /// Computes the reach of an access of `bytes` bytes in an object of `size`; `None` if no offset
    /// is in bounds.
    pub fn of(pool: &Pool, offset: Expr, bytes: u64, size: u64) -> Option<OffsetRange> {
        let last = size.checked_sub(bytes)?;
        let f = pool.facts(offset);
        let align_log2 = (f.zero | f.one).trailing_ones().min(MAX_ALIGN_LOG2);
        let stride = 1u64 << align_log2;
        let low = f.one as u64 & (stride - 1);
        let (min, max) = (f.min as u64, (f.max as u64).min(last));
        let min = min.checked_add(low.wrapping_sub(min) & (stride - 1))?;
        let max = max.checked_sub(max.wrapping_sub(low) & (stride - 1))?;
        (min <= max).then_some(OffsetRange {
            min,
            max,
            align_log2,
        })
    }

    /// Makes the reach of a known offset.
    pub fn at(offset: u64) -> OffsetRange {
        OffsetRange {
            min: offset,
            max: offset,
            align_log2: MAX_ALIGN_LOG2,
        }
    }

    /// Makes the reach of offsets that are greater by `by`.
    pub fn moved(self, by: u64) -> OffsetRange {
        OffsetRange {
            min: self.min + by,
            max: self.max + by,
            ..self
        }
    }

    /// Restricts the reach to the range that the path leaves; `None` if it is empty.
    pub fn within(self, within: Within) -> Option<OffsetRange> {
        let stride = 1u64 << self.align_log2;
        let from = within.from.max(self.min);
        let min = from.checked_add(self.min.wrapping_sub(from) & (stride - 1))?;
        let most = within.to.checked_sub(1)?.min(self.max);
        let max = most.checked_sub(most.wrapping_sub(self.min) & (stride - 1))?;
        (min <= max).then_some(OffsetRange { min, max, ..self })
    }

    /// Returns the range of bytes that an access of `bytes` bytes may touch.
    pub fn bytes(&self, bytes: u64) -> Range<u64> {
        self.min..self.max + bytes
    }

    /// Returns the size (as a power of two) of the widest elements of which such an access can be
    /// composed.
    pub fn granule(&self, bytes: u64) -> u32 {
        self.align_log2.min(bytes.trailing_zeros())
    }

    /// Widens the reach to a window that neighbouring accesses share: a loop that walks a table
    /// from an unknown index reaches one element more or less each time, and the solver would have
    /// to handle a table for each. The window is at most four times as wide; small ones are left as
    /// they are.
    pub fn rounded(self, bytes: u64, stride_log2: u32, bounds: Range<u64>) -> OffsetRange {
        const SMALL: u64 = 64;
        let stride = 1u64 << stride_log2;
        let span = self.max - self.min + bytes;
        let Some(last) = bounds.end.checked_sub(bytes) else {
            return self;
        };
        if span <= SMALL {
            return self;
        }
        let block = span.next_power_of_two().max(stride);
        let min = self.min / block * block + self.min % stride;
        let lowest = bounds.start + (self.min.wrapping_sub(bounds.start) & (stride - 1));
        let min = min.max(lowest);
        let most = last.min(min.saturating_add(2 * block - bytes));
        let max = most - (most.wrapping_sub(min) & (stride - 1));
        OffsetRange {
            min: min.min(self.min),
            max: max.max(self.max),
            ..self
        }
    }

    /// Computes the reach without looking at the offset's term.
    pub fn anywhere(bytes: u64, size: u64) -> Option<OffsetRange> {
        Some(OffsetRange {
            min: 0,
            max: size.checked_sub(bytes)?,
            align_log2: 0,
        })
    }
}

/// Footprint of an access: the bytes that it may touch, `bytes` from each of some offsets on, which
/// are a stride apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct AccessFootprint {
    pub reach: OffsetRange,
    pub bytes: u64,
    pub stride_log2: u32,
}

impl AccessFootprint {
    pub fn range(&self) -> Range<u64> {
        self.reach.bytes(self.bytes)
    }
}

/// Range of a holder in which an access may begin, and the range around it that belongs to the same
/// objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Window {
    pub reach: OffsetRange,
    pub bounds: Range<u64>,
    /// Whether arrays that go beyond the bounds are excluded.
    pub strict: bool,
}

impl Window {
    /// Returns the window of an access that goes to either of two.
    pub fn or(self, other: Window) -> Window {
        let (a, b) = (self.reach, other.reach);
        let align_log2 = a.align_log2.min(b.align_log2);
        Window {
            reach: OffsetRange {
                min: a.min.min(b.min),
                max: a.max.max(b.max),
                align_log2: align_log2.min((a.min ^ b.min).trailing_zeros()),
            },
            bounds: self.bounds.start.min(other.bounds.start)
                ..self.bounds.end.max(other.bounds.end),
            strict: self.strict || other.strict,
        }
    }
}

/// Makes `(offset - lo) >> stride_log2`, where the difference is known to be a multiple of the
/// stride.
pub(super) fn index(pool: &mut Pool, offset: Expr, lo: u64, stride_log2: u32) -> Expr {
    let kept = 64 - stride_log2;
    let quotient = shift_out(pool, offset, stride_log2, 0);
    let first = pool.constant(64, u128::from(lo >> stride_log2));
    let index = pool.sub(quotient, first);
    if stride_log2 == 0 || pool.facts(index).max >> kept == 0 {
        return index;
    }
    let index = pool.extract(index, 0, kept);
    pool.zext(index, 64)
}

/// Makes some `x` with the lower `64 - by` bits of `e >> by`; nothing is known of its other bits.
///
/// Unlike a shift right this leaves no trace of a multiplication that it undoes.
fn shift_out(pool: &mut Pool, e: Expr, by: u32, depth: u32) -> Expr {
    if by == 0 {
        return e;
    }
    if let Kind::Bin(op, a, b) = pool.kind(e)
        && depth < 12
    {
        let zeros = |pool: &Pool, e| pool.facts(e).trailing_zeros() >= by;
        match (op, pool.as_const(b)) {
            (BinOp::Shl, Some(c)) if c >= u128::from(by) && c < 64 => {
                let rest = pool.constant(64, c - u128::from(by));
                return pool.bin(BinOp::Shl, a, rest);
            }
            (BinOp::Mul, Some(c)) if c.trailing_zeros() >= by => {
                let rest = pool.constant(64, c >> by);
                return pool.bin(BinOp::Mul, a, rest);
            }
            // The low bits of one side are all there is: nothing carries out of them.
            (BinOp::Add, _) if zeros(pool, a) || zeros(pool, b) => {
                let x = shift_out(pool, a, by, depth + 1);
                let y = shift_out(pool, b, by, depth + 1);
                return pool.add(x, y);
            }
            (BinOp::Sub, _) if zeros(pool, b) => {
                let x = shift_out(pool, a, by, depth + 1);
                let y = shift_out(pool, b, by, depth + 1);
                return pool.sub(x, y);
            }
            _ => {}
        }
    }
    let by = pool.constant(64, u128::from(by));
    pool.bin(BinOp::LShr, e, by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_terms::{Assignment, NoAddresses, Origin, Var, VarInfo};

    fn var(pool: &mut Pool, width: u32) -> Expr {
        pool.var(VarInfo {
            name: "i".into(),
            width,
            origin: Origin::Input {
                input: width,
                part: 0,
            },
        })
    }

    #[test]
    fn reach_is_what_the_term_says() {
        let pool = &mut Pool::new();
        let i = var(pool, 4);
        let i = pool.zext(i, 64);
        let (eight, five) = (pool.constant(64, 8), pool.constant(64, 5));
        let e = pool.bin(BinOp::Mul, i, eight);
        let e = pool.add(e, five);
        let reach = |max, align_log2| OffsetRange {
            min: 5,
            max,
            align_log2,
        };
        assert_eq!(OffsetRange::of(pool, e, 4, 1000), Some(reach(125, 3)));
        assert_eq!(OffsetRange::of(pool, e, 4, 40), Some(reach(29, 3)));
        assert_eq!(OffsetRange::of(pool, e, 4, 8), None);
        assert_eq!(OffsetRange::of(pool, e, 4, 3), None);
        let any = var(pool, 64);
        let all = OffsetRange {
            min: 0,
            max: 30,
            align_log2: 0,
        };
        assert_eq!(OffsetRange::of(pool, any, 2, 32), Some(all));
        assert_eq!(OffsetRange::anywhere(2, 32), Some(all));
    }

    #[test]
    fn a_part_leaves_what_is_in_it() {
        let reach = |min, max| OffsetRange {
            min,
            max,
            align_log2: 3,
        };
        let all = reach(5, 125);
        let within = |from, to| all.within(Within { from, to });
        assert_eq!(within(0, 64), Some(reach(5, 61)));
        assert_eq!(within(0, 61), Some(reach(5, 53)));
        assert_eq!(within(64, 128), Some(reach(69, 125)));
        assert_eq!(within(64, 69), None);
        assert_eq!(within(69, 70), Some(reach(69, 69)));
        assert_eq!(within(128, 192), None);
        assert_eq!(within(0, 5), None);
        assert_eq!(within(0, 0), None);
    }

    #[test]
    fn an_index_undoes_its_scaling() {
        let pool = &mut Pool::new();
        let small = var(pool, 8);
        let small = pool.zext(small, 64);
        let any = var(pool, 64);
        for (i, plain) in [(small, true), (any, false)] {
            for (factor, by, plus) in [(8, 3, 16), (24, 3, 5), (16, 4, 8), (4, 2, 0), (1, 0, 7)] {
                let c = pool.constant(64, factor);
                let scaled = pool.bin(BinOp::Mul, i, c);
                let lo = pool.constant(64, plus);
                let offset = pool.add(scaled, lo);
                let got = index(pool, offset, plus as u64, by);
                if plain && factor == 1 << by {
                    assert_eq!(got, i);
                }
                for value in [0u128, 1, 7, 200] {
                    let mut a = Assignment::default();
                    for v in 0..pool.var_count() {
                        a.set(Var(v as u32), value);
                    }
                    let want = (value * factor) >> by;
                    assert_eq!(pool.eval(got, &a, &NoAddresses), want);
                }
            }
        }
    }
}
