//! Simplification of reads over writes.

use super::{Sum, rules};
use crate::build::mask;
use crate::node::*;
use crate::pool::Pool;

/// Greatest number of stores that a read looks through.
const MAX_STORES: usize = 256;
/// Greatest number of stores that may alias a read at a known index and are compared with it in the
/// resulting term.
const MAX_COMPARED: usize = 8;
/// Greatest length of a table that is copied for a write at a constant index.
const SMALL_TABLE: usize = 32;

pub(super) fn select(p: &mut Pool, array: Array, index: Expr) -> Option<Expr> {
    rules!(p, (array, index): select_of_stores, select_at_known_place);
    if let ArrayKind::Table(_) = p.array_kind(array) {
        rules!(p, (array, index): select_of_table, select_of_equal_elements);
    }
    None
}

/// match: a[.. i := v ..][j], where the newer stores are elsewhere for certain
/// result: v if i is j for certain, else the read of the older array
fn select_of_stores(p: &mut Pool, array: Array, index: Expr) -> Option<Expr> {
    let mut at = array;
    for _ in 0..MAX_STORES {
        let ArrayKind::Store {
            array: below,
            index: i,
            value,
        } = *p.array_kind(at)
        else {
            break;
        };
        if i == index {
            return Some(value);
        }
        if !are_distinct(p, i, index) {
            break;
        }
        at = below;
    }
    (at != array).then(|| p.select(at, index))
}

/// match: a[.. i := v ..][c], where few of the stores may be to c
/// result: i = c ? v : a[..][c], and (g & i = c) ? w : a[..][c] for a store of v = g ? w : a[i]
///
/// The result is larger by a comparison for each store, which a solver would derive anyway. Where
/// stores are conditional, it need not look at the elements before them. Terms that are often read
/// get smaller: a comparison with a constant is easily decided.
fn select_at_known_place(p: &mut Pool, array: Array, index: Expr) -> Option<Expr> {
    p.as_const(index)?;
    let place = p.facts(index);
    let (mut at, mut compared) = (array, 0);
    for _ in 0..MAX_STORES {
        let ArrayKind::Store { array, index, .. } = p.array_kind(at) else {
            break;
        };
        compared += usize::from(!p.facts(*index).excludes(&place));
        at = *array;
    }
    if compared > MAX_COMPARED || matches!(p.array_kind(at), ArrayKind::Store { .. }) {
        return None;
    }
    let (store, below) = p.stored(array)?;
    let mut here = p.eq(store.index, index);
    if let Some((bit, when)) = store.guard {
        let guard = if when { bit } else { p.not(bit) };
        here = p.and(guard, here);
    }
    let before = p.select(below, index);
    Some(p.ite(here, store.value, before))
}

/// Reports whether two terms differ under every assignment.
fn are_distinct(p: &mut Pool, a: Expr, b: Expr) -> bool {
    if p.facts(a).excludes(&p.facts(b)) {
        return true;
    }
    if p.as_const(a).is_some() || p.as_const(b).is_some() || p.support_id(a) != p.support_id(b) {
        return false;
    }
    let m = mask(p.width(a));
    let Some(mut difference) = Sum::of(p, a) else {
        return false;
    };
    difference.add(p, b, m) && difference.as_const().is_some_and(|c| c != 0)
}

/// match: table[c]
/// result: the element; 0 past the end
fn select_of_table(p: &mut Pool, array: Array, index: Expr) -> Option<Expr> {
    let i = p.as_const(index)?;
    let ArrayKind::Table(elems) = p.array_kind(array) else {
        return None;
    };
    let elem = elems.get(usize::try_from(i).ok()?).copied();
    let (w, _) = p.array_shape(array);
    Some(elem.unwrap_or_else(|| p.constant(w, 0)))
}

/// match: table[i], where all elements in the range of i are one term
/// result: that term
fn select_of_equal_elements(p: &mut Pool, array: Array, index: Expr) -> Option<Expr> {
    p.only_element(array, index)
}

pub(super) fn store(p: &mut Pool, array: Array, index: Expr, value: Expr) -> Option<Array> {
    rules!(p, (array, index, value): store_over_store, store_of_own_element, store_to_small_table);
    None
}

/// match: a[i := v][i := w]
/// result: a[i := w]
fn store_over_store(p: &mut Pool, array: Array, index: Expr, value: Expr) -> Option<Array> {
    let ArrayKind::Store {
        array: below,
        index: i,
        ..
    } = *p.array_kind(array)
    else {
        return None;
    };
    (i == index).then(|| p.store(below, index, value))
}

/// match: a[i := a[i]]
/// result: a
fn store_of_own_element(p: &mut Pool, array: Array, index: Expr, value: Expr) -> Option<Array> {
    let own = match p.kind(value) {
        Kind::Select { array: a, index: i } => a == array && i == index,
        _ => p.as_const(index).is_some() && p.select(array, index) == value,
    };
    own.then_some(array)
}

/// match: table[c := v], a short table
/// result: the table of the new elements
fn store_to_small_table(p: &mut Pool, array: Array, index: Expr, value: Expr) -> Option<Array> {
    let i = p.as_const(index)?;
    let ArrayKind::Table(elems) = p.array_kind(array) else {
        return None;
    };
    if elems.len() > SMALL_TABLE || i >= elems.len() as u128 {
        return None;
    }
    let mut elems = elems.to_vec();
    elems[i as usize] = value;
    let name = p.array_name(array);
    Some(p.named_table(name, elems.into()))
}
