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
//! Pays on sorting: conditions that follow from the order of words by transitivity would reach Z3.

use super::{Stage, StageOutcome};
use crate::{Answer, Query};
use rustc_hash::FxHashMap;
use symex_terms::{Assignment, BinOp, Expr, Kind, Pool, UnOp, Width, mask};

/// Greatest number of terms of one graph: the bits of a set of them.
const MAX_TERMS: usize = 128;

/// The comparison graph stage: see the module.
pub struct ComparisonGraph;

impl Stage for ComparisonGraph {
    fn name(&self) -> &'static str {
        "comparison graph"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        let Some(goal) = Atom::of(pool, query.goal) else {
            return StageOutcome::Pass;
        };
        if query.has_base(pool) {
            return StageOutcome::Pass;
        }
        let atoms = tied_to(pool, goal, query.constraints);
        // Terms that keep their values compare as they do under the hint.
        let may_change = [goal.left, goal.right]
            .iter()
            .any(|t| is_settable(pool, *t));
        // A sense that nothing compares by has no more to say than the other.
        let used = |s| atoms.iter().any(|a| a.relation.sense() == Some(s));
        let mut senses = vec![Sense::Unsigned, Sense::Signed];
        senses.retain(|s| used(*s));
        if senses.is_empty() {
            senses.push(Sense::Unsigned);
        }
        for sense in senses {
            let Some(graph) = TermGraph::new(pool, &atoms, sense) else {
                return StageOutcome::Pass;
            };
            if graph.contradicts() {
                return StageOutcome::Answer(Answer::Unsat);
            }
            if may_change
                && let Some(assignment) = graph.assign(pool, query)
                && query.holds(pool, &assignment)
            {
                return StageOutcome::Answer(Answer::Sat(assignment));
            }
        }
        StageOutcome::Pass
    }
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
}

/// Returns the goal, and the comparisons among constraints that share terms with it, directly or
/// through others. Constants are not shared.
fn tied_to(pool: &Pool, goal: Atom, constraints: &[Expr]) -> Vec<Atom> {
    let mut left: Vec<Atom> = constraints
        .iter()
        .filter_map(|c| Atom::of(pool, *c))
        .collect();
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

/// Smallest and largest number that a class of equal terms can be.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: u128,
    high: u128,
}

/// Graph of the terms compared with one signedness. Terms that must be equal form a class, named by
/// its first term.
struct TermGraph {
    sense: Sense,
    terms: Vec<Expr>,
    widths: Vec<Width>,
    class: Vec<usize>,
    /// Classes in topological order, lower ones first.
    classes: Vec<usize>,
    /// Edges between classes, the lower first, and whether they are strict; sorted by position of
    /// the lower one.
    edges: Vec<(usize, usize, bool)>,
    /// Position of a class in `classes`.
    place: Vec<usize>,
    different: Vec<(usize, usize)>,
    /// Bounds by class, from constants and edges alone. `None`: the edges cannot be satisfied.
    bounds: Option<Vec<Bounds>>,
}

impl TermGraph {
    /// Builds the graph of some comparisons, unless it is too large.
    fn new(pool: &Pool, atoms: &[Atom], sense: Sense) -> Option<TermGraph> {
        let mut terms = Vec::new();
        let mut index = FxHashMap::default();
        let mut below: Vec<(usize, usize, bool)> = Vec::new();
        let mut different = Vec::new();
        for atom in atoms {
            if atom.relation.sense().is_some_and(|s| s != sense) {
                continue;
            }
            let mut place = |e: Expr| {
                *index.entry(e).or_insert_with(|| {
                    terms.push(e);
                    terms.len() - 1
                })
            };
            let (a, b) = (place(atom.left), place(atom.right));
            match atom.relation {
                Relation::Less(_) => below.push((a, b, true)),
                Relation::LessOrEqual(_) => below.push((a, b, false)),
                Relation::Equal => below.extend([(a, b, false), (b, a, false)]),
                Relation::Different => different.push((a, b)),
            }
        }
        if terms.len() > MAX_TERMS {
            return None;
        }
        let reach = closure(terms.len(), &below);
        let is = |set: u128, i: usize| set >> i & 1 == 1;
        let class: Vec<usize> = (0..terms.len())
            .map(|i| {
                (0..i)
                    .find(|j| is(reach[i], *j) && is(reach[*j], i))
                    .unwrap_or(i)
            })
            .collect();
        // Who is below another reaches strictly more.
        let mut classes: Vec<usize> = (0..terms.len()).filter(|i| class[*i] == *i).collect();
        classes.sort_by_key(|i| (std::cmp::Reverse(reach[*i].count_ones()), *i));
        let mut place = vec![0; terms.len()];
        for (at, c) in classes.iter().enumerate() {
            place[*c] = at;
        }
        let mut edges: Vec<(usize, usize, bool)> = below
            .iter()
            .map(|(a, b, strict)| (class[*a], class[*b], *strict))
            .filter(|(a, b, strict)| a != b || *strict)
            .collect();
        edges.sort_unstable_by_key(|(a, b, strict)| (place[*a], place[*b], *strict));
        edges.dedup();
        let different = different
            .iter()
            .map(|(a, b)| (class[*a], class[*b]))
            .collect();
        let mut graph = TermGraph {
            sense,
            widths: terms.iter().map(|t| pool.width(*t)).collect(),
            terms,
            class,
            classes,
            edges,
            place,
            different,
            bounds: None,
        };
        graph.bounds = graph.bounds(|t| pool.as_const(t));
        Some(graph)
    }

    /// Reports whether no values can satisfy the comparisons.
    fn contradicts(&self) -> bool {
        self.bounds.is_none() || self.different.iter().any(|(a, b)| a == b)
    }

    /// Returns the bounds of each class if some terms have fixed values.
    fn bounds(&self, fixed: impl Fn(Expr) -> Option<u128>) -> Option<Vec<Bounds>> {
        let mut bounds: Vec<Bounds> = self
            .widths
            .iter()
            .map(|w| Bounds {
                low: 0,
                high: mask(*w),
            })
            .collect();
        for (i, term) in self.terms.iter().enumerate() {
            if let Some(value) = fixed(*term) {
                let key = self.sense.key(self.widths[i], value);
                let b = &mut bounds[self.class[i]];
                b.low = b.low.max(key);
                b.high = b.high.min(key);
            }
        }
        for (a, b, strict) in &self.edges {
            // A class strictly below itself.
            if a == b {
                return None;
            }
            let low = bounds[*a].low.checked_add(*strict as u128)?;
            bounds[*b].low = bounds[*b].low.max(low);
        }
        // All edges into a class must have been seen from the other end before its own.
        let mut falling: Vec<_> = self.edges.iter().collect();
        falling.sort_by_key(|(_, b, _)| std::cmp::Reverse(self.place[*b]));
        for (a, b, strict) in falling {
            let high = bounds[*b].high.checked_sub(*strict as u128)?;
            bounds[*a].high = bounds[*a].high.min(high);
        }
        let fits = self
            .classes
            .iter()
            .all(|c| bounds[*c].low <= bounds[*c].high);
        fits.then_some(bounds)
    }

    /// Makes an assignment near the hint that should satisfy the comparisons.
    fn assign(&self, pool: &mut Pool, query: &Query) -> Option<Assignment> {
        let free: Vec<bool> = self.terms.iter().map(|t| is_settable(pool, *t)).collect();
        let now: Vec<u128> = self
            .terms
            .iter()
            .map(|t| pool.eval(*t, query.hint, query.addresses))
            .collect();
        let mut pinned = FxHashMap::default();
        for (i, term) in self.terms.iter().enumerate() {
            if !free[i] {
                pinned.insert(*term, now[i]);
            }
        }
        let bounds = self.bounds(|t| pinned.get(&t).copied())?;
        let mut low: Vec<u128> = bounds.iter().map(|b| b.low).collect();
        let mut chosen: Vec<Option<u128>> = bounds
            .iter()
            .map(|b| (b.low == b.high).then_some(b.low))
            .collect();
        let mut edges = self.edges.iter().peekable();
        for c in &self.classes {
            let high = bounds[*c].high;
            let taken: Vec<u128> = self
                .different
                .iter()
                .filter_map(|(a, b)| match (a == c, b == c) {
                    (true, false) => chosen[*b],
                    (false, true) => chosen[*a],
                    _ => None,
                })
                .collect();
            let wish = self.sense.key(self.widths[*c], now[*c]);
            let value = nearest(wish, low[*c], high, &taken)?;
            chosen[*c] = Some(value);
            while let Some((_, b, strict)) = edges.next_if(|(a, _, _)| a == c) {
                low[*b] = low[*b].max(value.checked_add(*strict as u128)?);
            }
        }
        let mut assignment = query.hint.clone();
        for (i, term) in self.terms.iter().enumerate() {
            if free[i] {
                let value = self.sense.key(self.widths[i], chosen[self.class[i]]?);
                if value != now[i] {
                    set(pool, &mut assignment, *term, value);
                }
            }
        }
        Some(assignment)
    }
}

/// Returns for each term the set of terms reachable from it by edges, itself included.
fn closure(len: usize, below: &[(usize, usize, bool)]) -> Vec<u128> {
    let mut reach: Vec<u128> = (0..len).map(|i| 1 << i).collect();
    for (a, b, _) in below {
        reach[*a] |= 1 << b;
    }
    for k in 0..len {
        let further = reach[k];
        for set in &mut reach {
            if *set >> k & 1 == 1 {
                *set |= further;
            }
        }
    }
    reach
}

/// Returns the number nearest to a wish between two bounds that is not taken.
fn nearest(wish: u128, low: u128, high: u128, taken: &[u128]) -> Option<u128> {
    if low > high {
        return None;
    }
    let start = wish.clamp(low, high);
    let steps = taken.len() as u128;
    let up = (start..=high.min(start.saturating_add(steps))).find(|v| !taken.contains(v));
    up.or_else(|| {
        (low.max(start.saturating_sub(steps))..=start)
            .rev()
            .find(|v| !taken.contains(v))
    })
}

/// Reports whether a term can be given any value by setting variables.
fn is_settable(pool: &Pool, e: Expr) -> bool {
    match pool.kind(e) {
        Kind::Var(_) => true,
        Kind::Concat { hi, lo } => is_settable(pool, hi) && is_settable(pool, lo),
        _ => false,
    }
}

/// Sets the variables of a settable term so that it has a value.
fn set(pool: &Pool, assignment: &mut Assignment, e: Expr, value: u128) {
    match pool.kind(e) {
        Kind::Var(v) => assignment.set(v, value),
        Kind::Concat { hi, lo } => {
            let width = pool.width(lo);
            set(pool, assignment, lo, value & mask(width));
            set(pool, assignment, hi, value >> width);
        }
        _ => {}
    }
}
