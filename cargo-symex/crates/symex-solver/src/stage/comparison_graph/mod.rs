//! Stage that decides comparisons of terms with one another, as sorting and searching code makes
//! them.
//!
//! The comparisons among constraints and goal (`<`, `<=`, `==` and their negations, unsigned or
//! signed) are the edges of a graph over the compared terms. A strict edge on a cycle, a bound that
//! chains of edges push past another, or a disequality within a cycle is `Unsat`, whatever the
//! other constraints say. Otherwise each term gets the value nearest to its present one that its
//! predecessors allow; the outcome is an answer only if the whole query evaluates to true under it,
//! so that nothing need be known of the other constraints.
//!
//! The graph contains only comparisons connected to the goal by compared terms, since the
//! constraints alone can be satisfied. Constants do not connect: they act as bounds of each term
//! that is compared with them.
//!
//! Comparisons within a goal that the constraints decide become constants there: how many elements
//! are less than another is a number where the path has sorted them.
//!
//! Pays on sorting: conditions that follow from the order of words by transitivity would reach Z3.

mod graph;

use super::{Stage, StageOutcome, with_goal};
use crate::{Answer, Query};
use graph::{TermGraph, is_settable};
use rustc_hash::{FxHashMap, FxHashSet};
use symex_terms::{BinOp, Expr, Kind, Pool, TermOperand, UnOp, Width};

/// Greatest number of nodes of a goal in which comparisons are looked for.
const MOST_NODES: usize = 256;
/// Greatest number of comparisons within a goal that are looked at.
const MOST_INSIDE: usize = 32;

/// The comparison graph stage: see the module.
pub struct ComparisonGraph;

impl Stage for ComparisonGraph {
    fn name(&self) -> &'static str {
        "comparison graph"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if query.has_base(pool) {
            return StageOutcome::Pass;
        }
        let goal = Atom::of(pool, query.goal);
        let inside = inside(pool, query.goal);
        if goal.is_none() && inside.is_empty() {
            return StageOutcome::Pass;
        }
        let known = query.constraints.iter();
        let known: Vec<Atom> = known.filter_map(|c| Atom::of(pool, *c)).collect();
        if let Some(answer) = goal.and_then(|goal| decide(pool, query, goal, &known)) {
            return StageOutcome::Answer(answer);
        }
        let decided = decided(pool, inside, &known);
        if decided.is_empty() {
            return StageOutcome::Pass;
        }
        let goal = pool.substitute(query.goal, &decided);
        let left = Atom::of(pool, goal).and_then(|left| decide(pool, query, left, &known));
        match left {
            Some(answer) => StageOutcome::Answer(answer),
            None => with_goal(pool, query, goal),
        }
    }
}

/// Decides a goal that is a comparison by those that are known.
fn decide(pool: &mut Pool, query: &Query, goal: Atom, known: &[Atom]) -> Option<Answer> {
    let atoms = tied_to(pool, goal, known);
    // Terms that keep their values compare as they do under the hint.
    let may_change = [goal.left, goal.right]
        .iter()
        .any(|t| is_settable(pool, *t));
    for sense in senses(&atoms) {
        let graph = TermGraph::new(pool, &atoms, sense)?;
        if graph.contradicts() {
            return Some(Answer::Unsat);
        }
        if may_change
            && let Some(assignment) = graph.assign(pool, query)
            && query.holds(pool, &assignment)
        {
            return Some(Answer::Sat(assignment));
        }
    }
    None
}

/// Returns the terms of those comparisons of which the known ones leave only one value, with that
/// value.
fn decided(pool: &mut Pool, inside: Vec<(Expr, Atom)>, known: &[Atom]) -> FxHashMap<Expr, Expr> {
    let compared = known.iter().flat_map(|atom| [atom.left, atom.right]);
    let compared: FxHashSet<Expr> = compared.collect();
    let mut decided = FxHashMap::default();
    for (term, atom) in inside {
        let value = match () {
            () if !(compared.contains(&atom.left) && compared.contains(&atom.right)) => continue,
            () if contradict(pool, atom, known) => false,
            () if contradict(pool, atom.negated(), known) => true,
            () => continue,
        };
        decided.insert(term, pool.bool(value));
    }
    decided
}

/// Returns the comparisons within a goal of two terms that are not constant, with these terms.
fn inside(pool: &Pool, goal: Expr) -> Vec<(Expr, Atom)> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<Expr> = FxHashSet::from_iter([goal]);
    let mut waiting = vec![goal];
    while let Some(term) = waiting.pop() {
        if term != goal
            && let Some(atom) = Atom::of(pool, term)
            && [atom.left, atom.right]
                .iter()
                .all(|e| pool.as_const(*e).is_none())
        {
            found.push((term, atom));
        }
        if seen.len() > MOST_NODES || found.len() == MOST_INSIDE {
            break;
        }
        pool.operands(term, |operand| {
            if let TermOperand::Term(part) = operand
                && seen.insert(part)
            {
                waiting.push(part);
            }
        });
    }
    found
}

/// Reports whether a comparison cannot hold beside those that are known.
fn contradict(pool: &Pool, atom: Atom, known: &[Atom]) -> bool {
    let atoms = tied_to(pool, atom, known);
    senses(&atoms)
        .into_iter()
        .any(|sense| TermGraph::new(pool, &atoms, sense).is_some_and(|graph| graph.contradicts()))
}

/// Returns the senses in which terms are compared; one that nothing compares by has no more to say
/// than the other.
fn senses(atoms: &[Atom]) -> Vec<Sense> {
    let mut senses = vec![Sense::Unsigned, Sense::Signed];
    senses.retain(|s| atoms.iter().any(|a| a.relation.sense() == Some(*s)));
    if senses.is_empty() {
        senses.push(Sense::Unsigned);
    }
    senses
}

/// Signedness of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sense {
    Unsigned,
    Signed,
}

impl Sense {
    /// Maps values to numbers in their order, and back.
    fn key(self, width: Width, value: u128) -> u128 {
        match self {
            Sense::Unsigned => value,
            Sense::Signed => value ^ 1 << (width - 1),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Less(Sense),
    LessOrEqual(Sense),
    Equal,
    Different,
}

impl Relation {
    fn sense(self) -> Option<Sense> {
        match self {
            Relation::Less(s) | Relation::LessOrEqual(s) => Some(s),
            Relation::Equal | Relation::Different => None,
        }
    }
}

/// A comparison of two terms.
#[derive(Clone, Copy, Debug)]
struct Atom {
    left: Expr,
    right: Expr,
    relation: Relation,
}

impl Atom {
    fn of(pool: &Pool, e: Expr) -> Option<Atom> {
        use Relation::*;
        let (inner, holds) = match pool.kind(e) {
            Kind::Un(UnOp::Not, inner) => (inner, false),
            _ => (e, true),
        };
        let Kind::Bin(op, a, b) = pool.kind(inner) else {
            return None;
        };
        let (left, right, relation) = match (op, holds) {
            (BinOp::Eq, true) => (a, b, Equal),
            (BinOp::Eq, false) => (a, b, Different),
            (BinOp::ULt, true) => (a, b, Less(Sense::Unsigned)),
            (BinOp::ULt, false) => (b, a, LessOrEqual(Sense::Unsigned)),
            (BinOp::ULe, true) => (a, b, LessOrEqual(Sense::Unsigned)),
            (BinOp::ULe, false) => (b, a, Less(Sense::Unsigned)),
            (BinOp::SLt, true) => (a, b, Less(Sense::Signed)),
            (BinOp::SLt, false) => (b, a, LessOrEqual(Sense::Signed)),
            (BinOp::SLe, true) => (a, b, LessOrEqual(Sense::Signed)),
            (BinOp::SLe, false) => (b, a, Less(Sense::Signed)),
            _ => return None,
        };
        Some(Atom {
            left,
            right,
            relation,
        })
    }

    /// Returns the comparison that holds where this one does not.
    fn negated(self) -> Atom {
        use Relation::*;
        let (left, right, relation) = match self.relation {
            Less(sense) => (self.right, self.left, LessOrEqual(sense)),
            LessOrEqual(sense) => (self.right, self.left, Less(sense)),
            Equal => (self.left, self.right, Different),
            Different => (self.left, self.right, Equal),
        };
        Atom {
            left,
            right,
            relation,
        }
    }
}

/// Returns a comparison, and those of some others that share terms with it, directly or through
/// others. Constants are not shared.
fn tied_to(pool: &Pool, goal: Atom, others: &[Atom]) -> Vec<Atom> {
    let mut left = others.to_vec();
    let mut tied = vec![goal];
    let mut terms: Vec<Expr> = Vec::new();
    let mut seen = 0;
    while let Some(atom) = tied.get(seen).copied() {
        seen += 1;
        for term in [atom.left, atom.right] {
            if pool.as_const(term).is_some() || terms.contains(&term) {
                continue;
            }
            terms.push(term);
            left.retain(|other| {
                let shares = other.left == term || other.right == term;
                if shares {
                    tied.push(*other);
                }
                !shares
            });
        }
    }
    tied
}

#[cfg(test)]
mod tests;
