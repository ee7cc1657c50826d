//! Keys of hash maps that are equal, but hashed differently.
//!
//! The hash of a symbolic key stands for those of all other symbolic keys, as if equal keys had
//! equal hashes. That is for the program to see to. So where the comparison of two such keys says
//! that they are equal, and what was written of them to the hasher may differ, a table natively
//! does not find the one by the other: there the comparison gives `false`, and the path says so.

use crate::exec::Executor;
use crate::exec::path::end::Res;
use crate::state::State;
use crate::state::hashes::KeyPart;
use symex_terms::{Expr, Value};
use symex_types::outcome::Bound;

/// Assumption about keys that are equal and may have different hashes.
const NOT_FOUND: &str = "keys that are equal, but hashed differently, were taken not to be found";

impl Executor<'_> {
    /// Returns the result of a comparison of keys in the place of that of the innermost function,
    /// if that function is one, and its result does not hold natively. Must be called before the
    /// instruction has changed anything.
    pub(in crate::exec) fn compared_keys(
        &mut self,
        st: &mut State,
        values: &[Value],
    ) -> Res<Option<Value>> {
        let (Some(key), [value]) = (st.hashes.compared(&st.stack), values) else {
            return Ok(None);
        };
        let function = self.program.function(st.stack.top.function);
        let width = function.returns[0];
        let (none, mut alike) = (self.pool.constant(width, 0), self.pool.bool(false));
        let result = self.term(st, *value, width);
        let hashes = st.hashes.clone();
        let mut is_known = false;
        for other in hashes.keys_before(st.thread()) {
            let Some(pairs) = key.pairs(other) else {
                continue;
            };
            is_known = true;
            let mut equal = self.pool.bool(true);
            for (a, b) in pairs {
                let same = self.parts_equal(st, a, b);
                equal = self.pool.and(equal, same);
            }
            alike = self.pool.or(alike, equal);
        }
        let found = self.pool.ne(result, none);
        let differ = self.pool.not(alike);
        let wrong = self.pool.and(found, differ);
        // Nothing is known of an entry whose key was written in another way.
        let may_be_wrong = is_known && self.may_hold(st, wrong)?;
        st.hashes.end_comparison();
        if !may_be_wrong {
            return Ok(None);
        }
        st.take_for_granted(NOT_FOUND);
        self.outcomes.note(st, Bound::Assumed(NOT_FOUND.to_owned()));
        let result = self.pool.ite(alike, result, none);
        Ok(Some(self.pool.value(result)))
    }

    /// Returns the term whether two parts of keys, of the same widths, are equal.
    pub fn parts_equal(&mut self, st: &State, a: &KeyPart, b: &KeyPart) -> Expr {
        let mut equal = self.pool.bool(true);
        for ((x, width), (y, _)) in a.iter().zip(b) {
            let (x, y) = (self.term(st, *x, *width), self.term(st, *y, *width));
            let same = self.pool.eq(x, y);
            equal = self.pool.and(equal, same);
        }
        equal
    }
}
