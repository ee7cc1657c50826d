//! Writes of symbolic length, in one update [SOP 2.3]: each byte that may be covered becomes an
//! if-then-else of the new value and the old, on the condition that it is covered.
//!
//! Unwritten bytes stay unwritten where they are not covered: readers split such an if-then-else
//! again (`written_part`), so that the test for initialisation is the condition itself.

use super::address_space::AddressSpace;
use super::segment::Holder;
use std::ops::Range;
use std::rc::Rc;
use symex_terms::{Expr, Kind, ObjectId, Origin, Pool, Value, Width};

/// Number of writes remembered for an object.
const REMEMBERED: usize = 4;

/// Depth to which nested if-then-elses are examined.
const DEPTH: u32 = 64;

/// The bytes of an object that a write of symbolic length may cover.
#[derive(Clone, Debug)]
pub struct Covered {
    /// Range in which covered bytes may lie, within the room of the object.
    pub range: Range<u64>,
    /// Size of a grain (1, 2, 4 or 8 bytes): bytes that are covered together or not at all. Grains
    /// begin at multiples of it from the start of the range, and the range consists of whole
    /// grains.
    pub grain: u64,
    /// Offset of the first covered byte; `len` is their number. 64 bits each.
    pub start: Value,
    pub len: Expr,
}

impl Covered {
    /// Makes the condition that the write covers the grain at an offset in its range.
    pub fn covers(&self, pool: &mut Pool, at: u64) -> Expr {
        match self.start {
            Value::Int(start) => {
                let distance = pool.constant(64, u128::from(at.wrapping_sub(start)));
                pool.ult(distance, self.len)
            }
            start => {
                // What lies before the start is far behind it, without a sign.
                let start = pool.term(start, 64, |_| 0);
                let at = pool.constant(64, u128::from(at));
                let distance = pool.sub(at, start);
                pool.ult(distance, self.len)
            }
        }
    }

    /// Makes the condition that the write covers a byte in the room of the object at a symbolic
    /// offset.
    pub(super) fn covers_term(&self, pool: &mut Pool, at: Expr) -> Expr {
        let start = pool.term(self.start, 64, |_| 0);
        let distance = pool.sub(at, start);
        pool.ult(distance, self.len)
    }

    /// Returns the grain in which some bytes lie.
    pub(super) fn grain_of(&self, at: u64, bytes: u64) -> Option<u64> {
        let skip = at.checked_sub(self.range.start)? % self.grain;
        (at < self.range.end && skip + bytes <= self.grain).then_some(at - skip)
    }

    /// Moves this write to a holder in which the first byte of the object is the byte at `by`.
    pub(super) fn moved(&self, pool: &mut Pool, by: u64) -> Covered {
        let start = match self.start {
            Value::Int(start) => Value::Int(start.wrapping_add(by)),
            start => {
                let start = pool.term(start, 64, |_| 0);
                let by = pool.constant(64, u128::from(by));
                let start = pool.add(start, by);
                pool.value(start)
            }
        };
        Covered {
            range: self.range.start + by..self.range.end + by,
            grain: self.grain,
            start,
            len: self.len,
        }
    }

    /// Iterates over the first offsets of the grains.
    pub fn grains(&self) -> impl Iterator<Item = u64> + use<> {
        self.range.clone().step_by(self.grain as usize)
    }
}

impl AddressSpace {
    /// Writes the values of grains where they are covered. A grain without a value is never
    /// covered.
    pub fn write_covered(
        &mut self,
        pool: &mut Pool,
        id: ObjectId,
        covered: &Covered,
        values: &[Option<Value>],
    ) {
        self.forget_pointer_tags(id);
        let width = covered.grain as Width * 8;
        let (holder, first) = self.held(id);
        let covered = &covered.moved(pool, first);
        self.remember(holder, covered.clone());
        self.counters.range();
        for (at, new) in covered.grains().zip(values) {
            let Some(new) = *new else { continue };
            let when = covered.covers(pool, at);
            match pool.as_const(when) {
                Some(0) => continue,
                Some(_) => self.store_held(pool, holder, at, width, new),
                None => {
                    let old = self.load_held(pool, holder, at, width);
                    if new == old {
                        continue;
                    }
                    let (new, old) = (self.term(pool, new, width), self.term(pool, old, width));
                    let chosen = pool.ite(when, new, old);
                    let chosen = pool.value(chosen);
                    self.store_held(pool, holder, at, width, chosen);
                }
            }
        }
    }
}

impl AddressSpace {
    /// Remembers a write for readers at symbolic offsets.
    pub(super) fn remember(&mut self, holder: Holder, covered: Covered) {
        let Some(slot) = self.slot_mut(holder) else {
            return;
        };
        let writes = Rc::make_mut(slot.writes.get_or_insert_default());
        if writes.len() == REMEMBERED {
            writes.remove(0);
        }
        writes.push(covered);
    }
}

/// Splits a term into its value in the bytes that were written, and a mask of those with a bit for
/// each byte; `None` if it cannot be split, or all were written.
pub(super) fn written_part(pool: &mut Pool, e: Expr) -> (Expr, Option<Expr>) {
    if !pool.has_uninit(e) {
        return (e, None);
    }
    apart(pool, e, 0).unwrap_or((e, None))
}

fn ones(pool: &mut Pool, e: Expr) -> Expr {
    let bytes = pool.width(e) / 8;
    pool.constant(bytes, u128::MAX)
}

fn apart(pool: &mut Pool, e: Expr, depth: u32) -> Option<(Expr, Option<Expr>)> {
    if !pool.has_uninit(e) {
        return Some((e, None));
    }
    if depth > DEPTH || !pool.width(e).is_multiple_of(8) {
        return None;
    }
    match pool.kind(e) {
        Kind::Var(v) if matches!(pool.var_info(v).origin, Origin::Uninit { .. }) => {
            let width = pool.width(e);
            Some((pool.constant(width, 0), Some(pool.constant(width / 8, 0))))
        }
        Kind::Ite { cond, then, other } if !pool.has_uninit(cond) => {
            let (a, in_a) = apart(pool, then, depth + 1)?;
            let (b, in_b) = apart(pool, other, depth + 1)?;
            let none = |pool: &Pool, mask: Option<Expr>| {
                mask.is_some_and(|mask| pool.as_const(mask) == Some(0))
            };
            // For unwritten bytes, any value will do.
            let value = if none(pool, in_b) {
                a
            } else if none(pool, in_a) {
                b
            } else {
                pool.ite(cond, a, b)
            };
            let in_a = in_a.unwrap_or_else(|| ones(pool, a));
            let in_b = in_b.unwrap_or_else(|| ones(pool, b));
            Some((value, Some(pool.ite(cond, in_a, in_b))))
        }
        Kind::Concat { hi: high, lo: low } => {
            if !pool.width(low).is_multiple_of(8) {
                return None;
            }
            let (a, in_a) = apart(pool, high, depth + 1)?;
            let (b, in_b) = apart(pool, low, depth + 1)?;
            let in_a = in_a.unwrap_or_else(|| ones(pool, a));
            let in_b = in_b.unwrap_or_else(|| ones(pool, b));
            Some((pool.concat(a, b), Some(pool.concat(in_a, in_b))))
        }
        Kind::Extract { of, lo } if lo % 8 == 0 => {
            let width = pool.width(e);
            if !pool.width(of).is_multiple_of(8) {
                return None;
            }
            let (a, in_a) = apart(pool, of, depth + 1)?;
            let written = in_a.map(|mask| pool.extract(mask, lo / 8, width / 8));
            Some((pool.extract(a, lo, width), written))
        }
        _ => None,
    }
}
