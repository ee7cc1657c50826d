//! Offsets that get a path for each of their values, since there are few on the path: those that
//! are looked up at other offsets, those of words in bytes, and those of elements with pointers.
//!
//! Code that follows positions which are inputs themselves (compressed names, offsets of tables
//! within tables, `at = f(bytes[at])`) would make a term of look-ups within look-ups, one level
//! deeper with each round, and each query about it takes longer than the last one. What the path
//! has compared on the way often leaves such a position only a few values, or one; from there on
//! the terms are as shallow as at the start.
//!
//! Code that reads bytes a word or vector at a time begins or ends at the length of the input, and
//! a read at such a place is a choice between all places for each of its bytes. A path for each
//! length makes all places concrete. So it does where what is read at the end of the input is
//! looked up in nested tables, as the class of a text's last letter is.
//!
//! Elements that are moved within a collection often have pointers to more (strings, boxes), and
//! the place is often computed from a comparison, without a branch, as heaps choose the larger
//! child. As terms, these pointers would be choices of several in all that follows.

use crate::exec::Executor;
use crate::exec::memory::resolve::ResolvedPointer;
use crate::exec::path::end::Res;
use crate::state::State;
use rustc_hash::{FxHashMap, FxHashSet};
use symex_solver::{Answer, Purpose};
use symex_terms::{BinOp, Expr, Kind, ObjectId, Pool, Symbol, TermOperand, Value};

/// Most values of an offset for each of which there is a path, as a power of two.
const MOST_LOG2: u8 = 8;

/// Depth of look-ups up to which an offset is determined only if it has one value.
const SHALLOW: u8 = 2;

/// Most lengths for each of which there is a path.
const MOST_LENGTHS: usize = 64;

/// Greatest number of terms of an offset that are looked at for a length.
const MAX_TERMS: usize = 256;

/// Number of bytes of a pointer.
const POINTER: u64 = 8;

/// Most places of an element with pointers for each of which there is a path.
const MOST_ELEMENTS: usize = 8;

/// Least number of bytes of a word or vector that is read where bytes lie.
const WORD: u64 = 8;

/// Returns the number of values that an offset may have to be determined, if its look-ups are
/// nested this deep. The deeper they are, the more a path for each value is worth.
fn most_values(nesting: u8) -> usize {
    1 << nesting.saturating_sub(SHALLOW).min(MOST_LOG2)
}

/// Returns the term in an offset that decides on it: what is extended, scaled or moved there by
/// constants.
fn index_of(pool: &Pool, offset: Expr) -> Expr {
    let mut index = offset;
    loop {
        index = match pool.kind(index) {
            Kind::ZExt(of) | Kind::SExt(of) => of,
            Kind::Bin(BinOp::Add | BinOp::Mul | BinOp::Shl, a, b) => {
                match (pool.as_const(a), pool.as_const(b)) {
                    (None, Some(_)) => a,
                    (Some(_), None) => b,
                    _ => return index,
                }
            }
            Kind::Concat { hi, lo } => match (pool.as_const(hi), pool.as_const(lo)) {
                (None, Some(_)) => hi,
                (Some(_), None) => lo,
                _ => return index,
            },
            _ => return index,
        };
    }
}

/// Returns a variable that alone decides which byte of the input is read for a term.
fn length_within(pool: &Pool, term: Expr) -> Option<Expr> {
    let mut seen = FxHashSet::default();
    let mut stack = vec![term];
    while let Some(e) = stack.pop() {
        if pool.nesting(e) == 0 || !seen.insert(e) {
            continue;
        }
        if seen.len() > MAX_TERMS {
            return None;
        }
        if let Kind::Select { array, index } = pool.kind(e)
            && !pool.array_is_constant(array)
            && let [Symbol::Var(variable)] = *pool.support(index)
        {
            return Some(pool.term_of(variable));
        }
        pool.operands(e, |operand| {
            if let TermOperand::Term(part) = operand {
                stack.push(part);
            }
        });
    }
    None
}

impl Executor<'_> {
    /// Makes the offset of a place constant where it comes out of look-ups and has few values,
    /// where a comparison chooses between two pointers, or where this many bytes with this
    /// alignment are accessed as a word. Must be called before the instruction has changed
    /// anything.
    pub(in crate::exec) fn determined(
        &mut self,
        st: &mut State,
        place: ResolvedPointer,
        (size, align_log2): (u64, u8),
    ) -> Res<ResolvedPointer> {
        let ResolvedPointer::Object(object, Value::Expr(offset)) = place else {
            return Ok(place);
        };
        let is_word = size >= WORD && align_log2 == 0;
        if self.is_of_length(st, offset, is_word)? {
            return Ok(self.place_now(st, object, offset));
        }
        if self.pool.has_base(offset) {
            return Ok(place);
        }
        let offset = self.at_known_lengths(st, offset)?;
        let place = ResolvedPointer::Object(object, self.pool.value(offset));
        // Fields and elements at the same index have it in common.
        let index = index_of(&self.pool, offset);
        if st.pointers.is_determined(index) {
            return Ok(self.place_now(st, object, offset));
        }
        let is_pointer = size == POINTER
            && self.pool.width(index) == 1
            && self.holds_pointer(st, object, offset, size);
        if !is_pointer {
            let nesting = self.pool.nesting(offset);
            if nesting == 0 || nesting <= st.pointers.undetermined() {
                return Ok(place);
            }
            if !self.has_few_values(st, index, most_values(nesting)) {
                st.pointers.leave_undetermined(nesting);
                return Ok(place);
            }
        }
        self.fix(st, index)?;
        Ok(self.place_now(st, object, offset))
    }

    /// Makes the offset of an element of some bytes constant if it holds pointers and is one of
    /// few. Must be called before the instruction has changed anything.
    pub(in crate::exec) fn determined_element(
        &mut self,
        st: &mut State,
        place: ResolvedPointer,
        size: u64,
    ) -> Res<ResolvedPointer> {
        let ResolvedPointer::Object(object, Value::Expr(offset)) = place else {
            return Ok(place);
        };
        let index = index_of(&self.pool, offset);
        if size <= POINTER
            || self.pool.has_base(offset)
            || st.pointers.is_left(index)
            || !self.holds_pointer(st, object, offset, size)
        {
            return Ok(place);
        }
        if !self.has_few_values(st, index, MOST_ELEMENTS) {
            st.pointers.leave(index);
            return Ok(place);
        }
        self.fix(st, index)?;
        Ok(self.place_now(st, object, offset))
    }

    /// Reports whether an offset depends on a single variable, which is constant on this path.
    /// Where a word is accessed there, it is made constant if it has few values.
    fn is_of_length(&mut self, st: &mut State, offset: Expr, is_word: bool) -> Res<bool> {
        let [Symbol::Var(variable)] = *self.pool.support(offset) else {
            return Ok(false);
        };
        let length = self.pool.term_of(variable);
        match is_word {
            true => self.fix_length(st, length),
            false => Ok(st.pointers.is_determined(length)),
        }
    }

    /// Gives a path to each value of a length, if there are few, and reports whether it is constant
    /// on this path.
    fn fix_length(&mut self, st: &mut State, length: Expr) -> Res<bool> {
        if st.pointers.is_determined(length) {
            return Ok(true);
        }
        if st.pointers.is_left(length) {
            return Ok(false);
        }
        if !self.has_few_values(st, length, MOST_LENGTHS) {
            st.pointers.leave(length);
            return Ok(false);
        }
        self.fix(st, length)?;
        Ok(true)
    }

    /// Returns an offset with constants for the lengths that decide where the input is read for it.
    /// A length gets a path for each of its values, if there are few.
    fn at_known_lengths(&mut self, st: &mut State, mut offset: Expr) -> Res<Expr> {
        while self.pool.nesting(offset) >= SHALLOW
            && let Some(length) = length_within(&self.pool, offset)
        {
            if !self.fix_length(st, length)? {
                break;
            }
            let value = self.pool.eval(length, &st.assignment, &st.memory);
            let constant = self.pool.constant(self.pool.width(length), value);
            let known = FxHashMap::from_iter([(length, constant)]);
            offset = self.pool.substitute(offset, &known);
        }
        Ok(offset)
    }

    /// Reports whether some bytes hold a pointer where an offset leads now.
    fn holds_pointer(&mut self, st: &State, object: ObjectId, offset: Expr, size: u64) -> bool {
        let now = self.pool.eval(offset, &st.assignment, &st.memory) as u64;
        let end = now.saturating_add(size).min(st.memory.object(object).size);
        st.memory.holds_pointer(&self.pool, object, now..end)
    }

    /// Gives a path to each value of a term, and this one the value of its assignment.
    fn fix(&mut self, st: &mut State, term: Expr) -> Res<()> {
        self.concretise(st, Value::Expr(term), self.pool.width(term))?;
        st.pointers.determine(term);
        Ok(())
    }

    /// Returns the place at an offset that has one value on this path.
    fn place_now(&mut self, st: &State, object: ObjectId, offset: Expr) -> ResolvedPointer {
        let offset = self.pool.eval(offset, &st.assignment, &st.memory);
        ResolvedPointer::Object(object, Value::Int(offset as u64))
    }

    /// Reports whether a term is known to have no more than `most` values on this path.
    pub(super) fn has_few_values(&mut self, st: &mut State, term: Expr, most: usize) -> bool {
        let width = self.pool.width(term);
        let mut value = self.pool.eval(term, &st.assignment, &st.memory);
        let mut another = self.pool.bool(true);
        for _ in 0..most {
            let constant = self.pool.constant(width, value);
            let same = self.pool.eq(term, constant);
            let differs = self.pool.not(same);
            another = self.pool.and(another, differs);
            let answer = self
                .queries
                .briefly_ask(&mut self.pool, st, another, Purpose::Value);
            match answer {
                Some(Answer::Unsat) => return true,
                Some(Answer::Sat(a)) => value = self.pool.eval(term, &a, &st.memory),
                Some(Answer::Unknown(_)) | None => return false,
            }
        }
        false
    }
}
