//! Reduced ordered binary decision diagrams with complement edges (Bryant 1986; Brace, Rudell,
//! Bryant 1990).
//!
//! One store holds all diagrams of a worker, so that equal functions are one node. Every operation
//! spends a *budget*, one unit per step of [`Bdd::ite`] that was not in the cache: diagrams can
//! grow exponentially, and when the budget is used up the operation ends without a result and
//! without harm. Levels are any numbers: smaller is nearer the root. The meaning of the levels is
//! in `circuit`.

use symex_terms::UniqueTable;

/// A diagram: index of its root, and in the lowest bit whether it is negated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Ref(u32);

impl Ref {
    pub const TRUE: Ref = Ref(0);
    pub const FALSE: Ref = Ref(1);

    pub fn constant(value: bool) -> Ref {
        if value { Ref::TRUE } else { Ref::FALSE }
    }

    /// Returns the value of a constant diagram.
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self == Ref::TRUE)
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    fn index(self) -> usize {
        self.0 as usize >> 1
    }

    /// Negates the diagram if `by` is set.
    fn flipped(self, by: bool) -> Ref {
        Ref(self.0 ^ by as u32)
    }
}

impl std::ops::Not for Ref {
    type Output = Ref;

    fn not(self) -> Ref {
        Ref(self.0 ^ 1)
    }
}

/// Position of a variable in the order.
pub(super) type Level = u64;

/// A node. `high` is never negated, so a function has only one node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct BddNode {
    level: Level,
    low: Ref,
    high: Ref,
}

/// Number of entries of the operation cache, at first and at most; it grows with the nodes.
const CACHE: (usize, usize) = (1 << 12, 1 << 19);

/// Store of all diagrams, with the operation cache.
pub(super) struct Bdd {
    nodes: Vec<BddNode>,
    unique: UniqueTable,
    /// Operation cache: operands of a step and its result, at the hash of the operands. A newer
    /// entry replaces an older one. An empty entry has equal operands, which no step has.
    cache: Vec<[Ref; 4]>,
    budget: u32,
}

impl Default for Bdd {
    fn default() -> Self {
        let terminal = BddNode {
            level: Level::MAX,
            low: Ref::TRUE,
            high: Ref::TRUE,
        };
        Bdd {
            nodes: vec![terminal],
            unique: UniqueTable::new(),
            cache: Vec::new(),
            budget: 0,
        }
    }
}

impl Bdd {
    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the steps left for later operations.
    pub fn budget(&self) -> u32 {
        self.budget
    }

    pub fn set_budget(&mut self, budget: u32) {
        self.budget = budget;
    }

    /// Returns the steps used since the budget was at `before`.
    pub fn spent_since(&self, before: u32) -> u32 {
        before - self.budget
    }

    /// Makes the variable of a level.
    pub fn variable(&mut self, level: Level) -> Ref {
        self.node(level, Ref::FALSE, Ref::TRUE)
    }

    /// Returns the level at the root (the greatest one, for a constant), and the cofactors for 0
    /// and for 1.
    pub fn split(&self, f: Ref) -> (Level, Ref, Ref) {
        let n = self.nodes[f.index()];
        let by = f.is_negated();
        (n.level, n.low.flipped(by), n.high.flipped(by))
    }

    fn node(&mut self, level: Level, low: Ref, high: Ref) -> Ref {
        if low == high {
            return low;
        }
        let by = high.is_negated();
        let node = BddNode {
            level,
            low: low.flipped(by),
            high: high.flipped(by),
        };
        let hash = UniqueTable::hash(&node);
        let found = self.unique.find(hash, |at| self.nodes[at as usize] == node);
        let at = found.unwrap_or_else(|| {
            let at = self.nodes.len() as u32;
            self.nodes.push(node);
            self.unique.insert(hash, at);
            at
        });
        Ref(at << 1).flipped(by)
    }

    /// Computes `f ? g : h`; `None` when the budget is used up.
    pub fn ite(&mut self, f: Ref, g: Ref, h: Ref) -> Option<Ref> {
        let (mut f, mut g, mut h) = (f, g, h);
        if let Some(value) = f.as_constant() {
            return Some(if value { g } else { h });
        }
        if g.index() == f.index() {
            g = Ref::constant(g == f);
        }
        if h.index() == f.index() {
            h = Ref::constant(h != f);
        }
        if g == h {
            return Some(g);
        }
        if let (Some(g), Some(_)) = (g.as_constant(), h.as_constant()) {
            return Some(f.flipped(!g));
        }
        // One form for all ways to write the same: operands of and, or, xor sorted, nothing negated
        // that need not be.
        if g == Ref::TRUE && h < f {
            (f, h) = (h, f);
        } else if h == Ref::FALSE && g < f {
            (f, g) = (g, f);
        } else if g == Ref::FALSE && !h < f {
            (f, h) = (!h, !f);
        } else if h == Ref::TRUE && !g < f {
            (f, g) = (!g, !f);
        } else if g == !h && g.index() < f.index() {
            (f, g, h) = (g, f, !f);
        }
        if f.is_negated() {
            (f, g, h) = (!f, h, g);
        }
        let by = g.is_negated();
        if by {
            (g, h) = (!g, !h);
        }
        if self.nodes.len() >= self.cache.len() && self.cache.len() < CACHE.1 {
            let len = (self.cache.len() * 8).clamp(CACHE.0, CACHE.1);
            self.cache = vec![[Ref::TRUE; 4]; len];
        }
        let slot = slot(f, g, h) & (self.cache.len() - 1);
        let entry = &self.cache[slot];
        if entry[..3] == [f, g, h] {
            return Some(entry[3].flipped(by));
        }
        self.budget = self.budget.checked_sub(1)?;
        let level = [f, g, h]
            .map(|x| self.nodes[x.index()].level)
            .into_iter()
            .min()
            .expect("three");
        let below = |x: Ref| match self.split(x) {
            (l, low, high) if l == level => (low, high),
            _ => (x, x),
        };
        let ((f0, f1), (g0, g1), (h0, h1)) = (below(f), below(g), below(h));
        let low = self.ite(f0, g0, h0)?;
        let high = self.ite(f1, g1, h1)?;
        let result = self.node(level, low, high);
        self.cache[slot] = [f, g, h, result];
        Some(result.flipped(by))
    }

    pub fn and(&mut self, f: Ref, g: Ref) -> Option<Ref> {
        self.ite(f, g, Ref::FALSE)
    }

    pub fn or(&mut self, f: Ref, g: Ref) -> Option<Ref> {
        self.ite(f, Ref::TRUE, g)
    }

    pub fn xor(&mut self, f: Ref, g: Ref) -> Option<Ref> {
        self.ite(f, !g, g)
    }
}

fn slot(f: Ref, g: Ref, h: Ref) -> usize {
    let mut x = f.0 as u64;
    for y in [g, h] {
        x = (x.rotate_left(23) ^ y.0 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (x >> 40) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashMap;

    /// Evaluates a diagram where level `i` has bit `i` of `point`.
    fn value(bdd: &Bdd, mut f: Ref, point: u32) -> bool {
        while f.as_constant().is_none() {
            let (level, low, high) = bdd.split(f);
            f = if point >> level & 1 == 1 { high } else { low };
        }
        f == Ref::TRUE
    }

    #[test]
    fn ite_agrees_with_truth_tables_and_is_canonical() {
        let mut bdd = Bdd::default();
        bdd.set_budget(u32::MAX);
        let mut seen: FxHashMap<u32, Ref> = FxHashMap::default();
        let table = |bdd: &Bdd, f| {
            (0..32).fold(0u32, |t, point| t | (value(bdd, f, point) as u32) << point)
        };
        let mut known: Vec<(Ref, u32)> = Vec::new();
        for f in [Ref::TRUE, Ref::FALSE] {
            known.push((f, table(&bdd, f)));
        }
        for level in 0..5 {
            let f = bdd.variable(level);
            known.push((f, table(&bdd, f)));
        }
        let mut random = 7u64;
        let mut next = |n: usize| {
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (random >> 33) as usize % n
        };
        for _ in 0..5000 {
            let [f, g, h] = [(); 3].map(|()| known[next(known.len())]);
            let [f, g, h] = [f, g, h].map(|x| match next(2) {
                0 => x,
                _ => (!x.0, !x.1),
            });
            let r = bdd.ite(f.0, g.0, h.0).expect("budget enough");
            let expected = f.1 & g.1 | !f.1 & h.1;
            assert_eq!(table(&bdd, r), expected);
            assert_eq!(*seen.entry(expected).or_insert(r), r, "two nodes");
            known.push((r, expected));
        }
    }

    #[test]
    fn ends_when_the_budget_is_used_up() {
        let mut bdd = Bdd::default();
        let (a, b) = (bdd.variable(0), bdd.variable(1));
        assert_eq!(bdd.and(a, b), None);
        bdd.set_budget(10);
        let both = bdd.and(a, b).expect("budget enough");
        assert!(bdd.budget() < 10);
        assert_eq!(bdd.and(b, a), Some(both));
    }
}
