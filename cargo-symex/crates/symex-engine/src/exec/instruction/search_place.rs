//! Places that a search through a whole word or vector has found: one path for each.
//!
//! `memchr` and parsers compare eight or more bytes at once, gather the results as bits, and count
//! the zeros below the first one. They go on from there: a term of that place would be part of all
//! later addresses and lengths, and of what is read there. A loop over the bytes has a path for
//! each place as well.

use crate::exec::Executor;
use crate::exec::path::end::Res;
use crate::state::State;
use symex_program::Un;
use symex_terms::{BinOp, Expr, Kind, Pool, UnOp, Value};

/// Most places of a search: those in a vector of 512 bits, and none of them.
const MOST: u32 = 65;

impl Executor<'_> {
    /// Makes the result of an instruction concrete if it is the place that a search has found. Must
    /// be called before the instruction has changed anything.
    pub(super) fn search_place(&mut self, st: &mut State, op: Un, result: Value) -> Res<Value> {
        let Value::Expr(place) = result else {
            return Ok(result);
        };
        let is_search = matches!(op, Un::Ctz | Un::Clz)
            && !self.pool.has_uninit(place)
            && (is_chosen(&self.pool, place) || is_counted(&self.pool, place));
        if !is_search {
            return Ok(result);
        }
        let width = self.pool.width(place);
        Ok(Value::Int(self.concretise(st, result, width)?))
    }
}

/// Reports whether conditions choose between the places of the top bits of a word's bytes, lowest
/// first, as the simplifier has them of a search through the word.
fn is_chosen(pool: &Pool, mut place: Expr) -> bool {
    let width = u128::from(pool.width(place));
    let mut lowest = 0;
    loop {
        let (choice, rest) = match pool.kind(place) {
            Kind::Ite { then, other, .. } => (then, Some(other)),
            _ => (place, None),
        };
        let Some(choice) = pool.as_const(choice) else {
            return false;
        };
        let is_top = choice % 8 == 7 && (lowest..width).contains(&choice);
        match rest {
            Some(rest) if is_top => (lowest, place) = (choice + 1, rest),
            Some(_) => return false,
            None => return lowest > 0 && (is_top || choice == width),
        }
    }
}

/// Reports whether the zeros before the first of some conditions are counted, with a constant for
/// those above all of them.
fn is_counted(pool: &Pool, mut place: Expr) -> bool {
    let mut bits = loop {
        place = match pool.kind(place) {
            Kind::Un(UnOp::Ctz | UnOp::Clz, bits) => break bits,
            Kind::ZExt(of) => of,
            Kind::Bin(BinOp::Add, of, more) if pool.as_const(more).is_some() => of,
            _ => return false,
        };
    };
    if let Kind::ZExt(of) = pool.kind(bits) {
        bits = of;
    }
    for number in 0..MOST {
        match pool.kind(bits) {
            Kind::Concat { hi, lo } if is_bit(pool, lo) => bits = hi,
            Kind::Concat { hi, lo } if is_bit(pool, hi) => bits = lo,
            _ => return number > 0 && pool.width(bits) == 1,
        }
    }
    false
}

fn is_bit(pool: &Pool, bits: Expr) -> bool {
    pool.width(bits) == 1 || pool.as_const(bits).is_some()
}
