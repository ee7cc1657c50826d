//! Where a symbolic offset may point, as far as the term itself says, and its index into a table.

use crate::expr::{BinOp, Expr, Kind, Pool};

/// The offsets at which an access may begin, all in bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reach {
    /// Least and greatest offset; both are possible as far as is known.
    pub min: u64,
    pub max: u64,
    /// All offsets are equal modulo `1 << align_log2`.
    pub align_log2: u32,
}

impl Reach {
    /// Of an access of `bytes` bytes in an object of `size`; `None` if no offset is in bounds.
    pub fn of(pool: &Pool, offset: Expr, bytes: u64, size: u64) -> Option<Reach> {
        let last = size.checked_sub(bytes)?;
        let f = bits(pool, offset, 0);
        let align_log2 = (f.zero | f.one).trailing_ones().min(16);
        let stride = 1u64 << align_log2;
        let low = f.one & (stride - 1);
        let (min, max) = (f.min, f.max.min(last));
        let min = min.checked_add(low.wrapping_sub(min) & (stride - 1))?;
        let max = max.checked_sub(max.wrapping_sub(low) & (stride - 1))?;
        (min <= max).then_some(Reach {
            min,
            max,
            align_log2,
        })
    }

    /// Without looking at the term.
    pub fn anywhere(bytes: u64, size: u64) -> Option<Reach> {
        Some(Reach {
            min: 0,
            max: size.checked_sub(bytes)?,
            align_log2: 0,
        })
    }
}

/// Known bits and range of a 64-bit term.
#[derive(Clone, Copy)]
struct Bits {
    zero: u64,
    one: u64,
    min: u64,
    max: u64,
}

fn bits(pool: &Pool, e: Expr, depth: u32) -> Bits {
    let w = pool.width(e);
    let mask = if w >= 64 { u64::MAX } else { (1 << w) - 1 };
    let mut b = Bits {
        zero: !mask,
        one: 0,
        min: 0,
        max: mask,
    };
    if depth > 12 || w > 64 {
        return b;
    }
    let at = |e| bits(pool, e, depth + 1);
    match pool.kind(e) {
        Kind::Const(v) => {
            let v = v as u64;
            b = Bits {
                zero: !v,
                one: v,
                min: v,
                max: v,
            };
        }
        Kind::ZExt(a) => b = at(a),
        Kind::Concat { hi, lo } => {
            let (h, l, s) = (at(hi), at(lo), pool.width(lo));
            b.zero |= (h.zero << s) | (l.zero & ((1 << s) - 1));
            b.one = h.one << s | l.one;
            (b.min, b.max) = (h.min << s | l.min, h.max << s | l.max);
        }
        Kind::Bin(op, x, y) => {
            let (x, y) = (at(x), at(y));
            match op {
                BinOp::And => {
                    b.zero |= x.zero | y.zero;
                    b.one = x.one & y.one;
                    b.max = x.max.min(y.max);
                }
                BinOp::URem if y.min == y.max && y.max > 0 => b.max = x.max.min(y.max - 1),
                BinOp::Add => {
                    let known = (x.zero | x.one)
                        .trailing_ones()
                        .min((y.zero | y.one).trailing_ones())
                        .min(w);
                    let low = if known >= 64 {
                        u64::MAX
                    } else {
                        (1 << known) - 1
                    };
                    let sum = x.one.wrapping_add(y.one) & low;
                    (b.zero, b.one) = (b.zero | (!sum & low), sum);
                    let wide = |p: u64, q: u64| u128::from(p) + u128::from(q);
                    if wide(x.max, y.max) <= u128::from(mask) {
                        (b.min, b.max) = (x.min + y.min, x.max + y.max);
                    } else if wide(x.min, y.min) > u128::from(mask) {
                        (b.min, b.max) = (
                            x.min.wrapping_add(y.min) & mask,
                            x.max.wrapping_add(y.max) & mask,
                        );
                    }
                }
                BinOp::Shl if y.min == y.max && y.min < u64::from(w) => {
                    let s = y.min as u32;
                    b.zero |= (x.zero << s) | ((1 << s) - 1);
                    b.one = (x.one << s) & mask;
                    if x.max <= mask >> s {
                        (b.min, b.max) = (x.min << s, x.max << s);
                    }
                }
                BinOp::Mul if y.min == y.max && y.max > 0 => {
                    b.zero |= (1 << y.max.trailing_zeros()) - 1;
                    if u128::from(x.max) * u128::from(y.max) <= u128::from(mask) {
                        (b.min, b.max) = (x.min * y.max, x.max * y.max);
                    }
                }
                _ => {}
            }
        }
        _ => {}
    }
    b
}

/// `(offset - lo) >> stride_log2`, where the difference is known to be a multiple of the stride.
pub(super) fn index(pool: &mut Pool, offset: Expr, lo: u64, stride_log2: u32) -> Expr {
    let offset = match lo {
        0 => offset,
        lo => {
            let lo = pool.constant(64, u128::from(lo));
            pool.sub(offset, lo)
        }
    };
    if stride_log2 == 0 {
        return offset;
    }
    let unscaled = unscale(pool, offset, stride_log2, 0);
    if bits(pool, unscaled, 0).max >> (64 - stride_log2) == 0 {
        return unscaled;
    }
    // The bits that the scaling shifts out.
    let kept = pool.extract(unscaled, 0, 64 - stride_log2);
    pool.zext(kept, 64)
}

/// Some `x` with `x << by == e`; the low bits of `e` are zero.
fn unscale(pool: &mut Pool, e: Expr, by: u32, depth: u32) -> Expr {
    if let Some(c) = pool.as_const(e) {
        return pool.constant(64, c >> by);
    }
    if let Kind::Bin(op, a, b) = pool.kind(e)
        && depth < 12
    {
        let constant = pool.as_const(b);
        let zeros = |pool: &Pool, e| bits(pool, e, 0).zero.trailing_ones();
        match (op, constant) {
            (BinOp::Shl, Some(c)) if c >= u128::from(by) && c < 64 => {
                let rest = pool.constant(64, c - u128::from(by));
                return pool.bin(BinOp::Shl, a, rest);
            }
            (BinOp::Mul, Some(c)) if c.trailing_zeros() >= by => {
                let rest = pool.constant(64, c >> by);
                return pool.bin(BinOp::Mul, a, rest);
            }
            (BinOp::Add | BinOp::Sub, _) if zeros(pool, a) >= by && zeros(pool, b) >= by => {
                let x = unscale(pool, a, by, depth + 1);
                let y = unscale(pool, b, by, depth + 1);
                return pool.bin(op, x, y);
            }
            _ => {}
        }
    }
    let by = pool.constant(64, u128::from(by));
    pool.bin(BinOp::LShr, e, by)
}
