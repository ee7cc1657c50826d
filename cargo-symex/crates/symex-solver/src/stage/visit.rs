//! Visits of the subterms of conditions.

use rustc_hash::FxHashSet;
use symex_terms::{Array, ArrayKind, Expr, Pool, TermOperand};

/// Greatest number of nodes that are visited.
const MAX_NODES: usize = 2_000;

/// Visits the subterms of some terms, descending where the visitor returns true; `None` if there
/// are too many.
pub fn visit_terms(pool: &Pool, roots: &[Expr], mut visit: impl FnMut(Expr) -> bool) -> Option<()> {
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
                && elements.len() > MAX_NODES
            {
                return None;
            }
            pool.array_operands(a, |o| match o {
                TermOperand::Term(t) if pool.as_const(t).is_some() => {}
                TermOperand::Term(t) => stack.push(t),
                TermOperand::Array(a) => arrays.push(a),
            });
        }
        if seen.len() + seen_arrays.len() > MAX_NODES {
            return None;
        }
    }
    Some(())
}
