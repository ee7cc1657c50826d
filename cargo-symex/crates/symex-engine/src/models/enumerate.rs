//! Enumeration of input-dependent values that a model must know: where they are few, a path is
//! forked for each.

use crate::exec::Executor;
use crate::exec::path::end::Res;
use crate::state::State;
use std::rc::Rc;
use symex_terms::{Expr, Symbol};

/// Greatest number of input bits on which such a value may depend: those of a few characters.
const MOST_BITS: u32 = 24;
/// Greatest number of values that are tried.
const MOST_VALUES: u64 = 1024;
/// Name of the counter of values that a path does not have.
const COUNTER: &str = "values tried";

/// Makes a value concrete, forking a path per value; `None` if they may be many, or have more than
/// 64 bits.
pub fn value(m: &mut Executor, st: &mut State, e: Expr) -> Res<Option<u128>> {
    if let Some(known) = m.pool.as_const(e) {
        return Ok(Some(known));
    }
    let width = m.pool.width(e);
    let symbols = m.pool.support(e).iter();
    let bits = symbols.map(|symbol| match symbol {
        Symbol::Var(var) => m.pool.var_info(*var).width,
        Symbol::Base(_) => 64,
    });
    let few = width <= 64 && bits.sum::<u32>() <= MOST_BITS;
    let counters = &mut Rc::make_mut(&mut st.world).counters;
    let tried = counters.entry(COUNTER).or_insert(0);
    if !few || *tried >= MOST_VALUES {
        return Ok(None);
    }
    // The sibling, which has another value, goes through here again.
    *tried += 1;
    let value = m.pool.value(e);
    let value = m.concretise(st, value, width)?;
    Rc::make_mut(&mut st.world).counters.remove(COUNTER);
    Ok(Some(value.into()))
}
