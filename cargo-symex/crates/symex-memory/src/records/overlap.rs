//! Collision formulae: conditions under which the bytes of a write and of a read overlap [SOP 3],
//! and which of them do.
//!
//! Two accesses of one object overlap where their offsets differ by less than their sizes. Each
//! such difference is an equation of its own, and mostly all but one are excluded by the domains of
//! the terms: that both are multiples of the size, for instance.

use super::super::view::ReadResult;
use smallvec::SmallVec;
use symex_terms::{Expr, Pool, Width};

/// A span of bytes at an offset, symbolic or constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordSpan {
    pub offset: Expr,
    pub bytes: u64,
    /// Least and greatest value of the offset.
    min: u64,
    max: u64,
    /// Known lower bits of the offset, and their number.
    low: u64,
    known: u32,
}

impl RecordSpan {
    /// Makes a span that lies in an object of this size; `None` if it cannot.
    pub fn within(pool: &Pool, offset: Expr, bytes: u64, size: u64) -> Option<RecordSpan> {
        let span = RecordSpan::anywhere(pool, offset, bytes);
        let max = span.max.min(size.checked_sub(bytes)?);
        (span.min <= max).then_some(RecordSpan { max, ..span })
    }

    /// Makes a span of which nothing is known but the term of its offset.
    pub fn anywhere(pool: &Pool, offset: Expr, bytes: u64) -> RecordSpan {
        let facts = pool.facts(offset);
        RecordSpan {
            offset,
            bytes,
            min: facts.min as u64,
            max: facts.max as u64,
            low: facts.one as u64,
            known: (facts.zero | facts.one).trailing_ones().min(63),
        }
    }
}

/// One relative position in which a read overlaps a write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collision {
    /// Distance from the start of the read to the start of the write, in bytes.
    pub distance: i64,
    /// Condition for this distance.
    pub cond: Expr,
}

impl Collision {
    /// Reports whether the write has all bytes of the read.
    pub fn covers(&self, write: u64, read: u64) -> bool {
        self.distance <= 0 && read + self.distance.unsigned_abs() <= write
    }

    /// Returns the range of the read's bytes that the write has.
    fn bytes(&self, write: u64, read: u64) -> (u64, u64) {
        let end = self.distance + write as i64;
        (self.distance.max(0) as u64, read.min(end as u64))
    }
}

pub(super) type Collisions = SmallVec<[Collision; 1]>;

/// Returns all ways in which a read may overlap a write. Their conditions exclude each other.
pub(super) fn collisions(pool: &mut Pool, write: &RecordSpan, read: &RecordSpan) -> Collisions {
    let known = write.known.min(read.known);
    let step = 1i128 << known;
    let least = 1 - i128::from(write.bytes);
    let residue = (i128::from(write.low) - i128::from(read.low) - least).rem_euclid(step);
    let mut found = Collisions::new();
    let mut distance = least + residue;
    while distance < i128::from(read.bytes) {
        let (low, high) = (
            i128::from(read.min) + distance,
            i128::from(read.max) + distance,
        );
        if low <= i128::from(write.max) && i128::from(write.min) <= high {
            let by = pool.constant(64, u128::from(distance as i64 as u64));
            let there = pool.add(read.offset, by);
            let cond = pool.eq(write.offset, there);
            if pool.as_const(cond) != Some(0) {
                let distance = distance as i64;
                found.push(Collision { distance, cond });
            }
        }
        distance += step;
    }
    found
}

/// Cuts some bytes out of a read's result.
fn cut(pool: &mut Pool, of: ReadResult, from: u64, to: u64) -> ReadResult {
    let (skip, len) = (from as Width, (to - from) as Width);
    let mut part = |e: Expr, unit| pool.extract(e, skip * unit, len * unit);
    ReadResult {
        value: part(of.value, 8),
        init: of.init.map(|mask| part(mask, 1)),
        exact: part(of.exact, 8),
    }
}

/// Combines two results: `above` in the bytes whose bit is set, else `below`.
pub(super) fn splice(
    pool: &mut Pool,
    below: ReadResult,
    above: ReadResult,
    mask: u32,
) -> ReadResult {
    let bytes = u64::from(pool.width(below.value) / 8);
    let mut whole: Option<ReadResult> = None;
    let mut at = 0;
    while at < bytes {
        let set = mask >> at & 1 == 1;
        let end = (at..bytes).find(|i| (mask >> i & 1 == 1) != set);
        let end = end.unwrap_or(bytes);
        let part = cut(pool, if set { above } else { below }, at, end);
        whole = Some(match whole {
            None => part,
            Some(low) => low.below(pool, part),
        });
        at = end;
    }
    whole.unwrap_or(below)
}

/// Returns the result of a read where a write of `value` lies on top of `below`. A value that is
/// read as it was written stays whole.
pub(super) fn overlay(
    pool: &mut Pool,
    below: ReadResult,
    value: ReadResult,
    collisions: &[Collision],
) -> ReadResult {
    let write = u64::from(pool.width(value.value) / 8);
    let read = u64::from(pool.width(below.value) / 8);
    let (whole, partial): (Vec<Collision>, Vec<Collision>) =
        collisions.iter().partition(|c| c.covers(write, read));
    let mut result = match partial.is_empty() {
        true => below,
        false => overlay_parts(pool, below, value, &partial),
    };
    for c in whole {
        let skip = c.distance.unsigned_abs();
        let part = cut(pool, value, skip, skip + read);
        result = ReadResult::either(pool, c.cond, part, result);
    }
    result
}

/// Overlays writes that have only some of the bytes: each run of bytes that is written together is
/// an if-then-else.
fn overlay_parts(
    pool: &mut Pool,
    below: ReadResult,
    value: ReadResult,
    collisions: &[Collision],
) -> ReadResult {
    let write = u64::from(pool.width(value.value) / 8);
    let read = u64::from(pool.width(below.value) / 8);
    let mut borders = vec![0, read];
    for c in collisions {
        let (from, to) = c.bytes(write, read);
        borders.extend([from, to]);
    }
    borders.sort_unstable();
    borders.dedup();
    let mut whole: Option<ReadResult> = None;
    for run in borders.windows(2) {
        let (from, to) = (run[0], run[1]);
        let mut part = cut(pool, below, from, to);
        for c in collisions {
            let (first, end) = c.bytes(write, read);
            if first <= from && to <= end {
                let skip = (from as i64 - c.distance) as u64;
                let written = cut(pool, value, skip, skip + to - from);
                part = ReadResult::either(pool, c.cond, written, part);
            }
        }
        whole = Some(match whole {
            None => part,
            Some(low) => low.below(pool, part),
        });
    }
    whole.unwrap_or(below)
}
