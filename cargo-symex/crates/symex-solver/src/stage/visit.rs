//! Visits of the subterms of conditions.

use rustc_hash::FxHashSet;
use symex_terms::{Array, ArrayKind, Expr, Pool, TermOperand};

/// Greatest number of nodes that are visited.
const MAX_NODES: usize = 2_000;

/// Visits the subterms of some terms, descending where the visitor returns true; `None` if there
/// are too many.
pub fn visit_terms(pool: &Pool, roots: &[Expr], visit: impl FnMut(Expr) -> bool) -> Option<()> {
    visit_at_most(pool, roots, MAX_NODES, visit)
}

/// Reports whether some terms have more than a number of subterms, or a table of more elements.
pub fn are_more_than(pool: &Pool, roots: &[Expr], most: usize) -> bool {
    visit_at_most(pool, roots, most, |_| true).is_none()
}

fn visit_at_most(
    pool: &Pool,
    roots: &[Expr],
    most: usize,
    mut visit: impl FnMut(Expr) -> bool,
) -> Option<()> {
    let mut seen: FxHashSet<Expr> = FxHashSet::default();
    let mut seen_arrays: FxHashSet<Array> = FxHashSet::default();
    let mut stack = roots.to_vec();
    let mut arrays = Vec::new();
    while let Some(e) = stack.pop() {
        if !seen.insert(e) || !visit(e) {
            continue;
        }
        pool.operands(e, |o| match o {
            TermOperand::Term(t) => stack.push(t),
            TermOperand::Array(a) => arrays.push(a),
        });
        while let Some(a) = arrays.pop() {
            if !seen_arrays.insert(a) {
                continue;
            }
            if let ArrayKind::Table(elements) = pool.array_kind(a)
                && elements.len() > most
            {
                return None;
            }
            pool.array_operands(a, |o| match o {
                TermOperand::Term(t) if pool.as_const(t).is_some() => {}
                TermOperand::Term(t) => stack.push(t),
                TermOperand::Array(a) => arrays.push(a),
            });
        }
        if seen.len() + seen_arrays.len() > most {
            return None;
        }
    }
    Some(())
}
