//! Graph of compared terms: see the stage.

use super::{Atom, Relation, Sense};
use crate::Query;
use rustc_hash::FxHashMap;
use symex_terms::{Assignment, Expr, Kind, Pool, Width, mask};

/// Greatest number of terms of one graph: the bits of a set of them.
const MAX_TERMS: usize = 128;

/// Smallest and largest number that a class of equal terms can be.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: u128,
    high: u128,
}

/// Graph of the terms compared with one signedness. Terms that must be equal form a class, named by
/// its first term.
pub(super) struct TermGraph {
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
    pub fn new(pool: &Pool, atoms: &[Atom], sense: Sense) -> Option<TermGraph> {
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
    pub fn contradicts(&self) -> bool {
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
    pub fn assign(&self, pool: &mut Pool, query: &Query) -> Option<Assignment> {
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
pub(super) fn is_settable(pool: &Pool, e: Expr) -> bool {
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
