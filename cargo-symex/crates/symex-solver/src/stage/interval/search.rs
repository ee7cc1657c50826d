//! Branch and prune: halves the domain of a node, and narrows, until nothing is left or a point of
//! the remaining box satisfies the query.
//!
//! The node to halve is chosen among the nodes on which the latest undecided condition depends and
//! whose correlation the ranges lose: nodes used twice, results of divisions, array indices,
//! conditions of if-then-elses, and inputs, of which those joined to one word count as one. Of
//! these, the one with the fewest values is halved. The half nearer to the hint comes first, depth
//! first.

use super::network::{Network, NetworkOp};
use super::reasons::{Reasons, Why};
use crate::Query;
use symex_terms::Domain;
use symex_terms::{Assignment, BinOp, Kind, Pool, Width, mask};

/// The result of a search.
pub(super) enum SearchResult {
    Sat(Assignment),
    Unsat,
    /// Undecided: the work limit was reached, or the remaining box cannot be halved.
    Open,
    /// Undecided: another stage is likely to be faster.
    Left,
}

/// A half that is still to be searched.
struct Half {
    at: u32,
    domain: Domain,
    /// Length of the trail before the other half was chosen.
    trail: usize,
    /// Number of choices up to and including this one.
    depth: i32,
}

/// Factor by which a search may exceed its budget if it can be expected to end by then.
const EXTENSION: u64 = 10;

/// Number of visited nodes after which a search looks whether it is left to another stage: what
/// that would take, or a little more.
const LOOK: u64 = 30_000;

/// Reports whether a search can be expected to end within the extended budget. Each half counts for
/// half of the domain that was halved.
fn is_worth_more(halves: &[Half], depth: i32, spent: u64, work: u64) -> bool {
    let left: f64 = halves.iter().map(|half| 0.5f64.powi(half.depth)).sum();
    let searched = 1.0 - left - 0.5f64.powi(depth);
    searched * (work * EXTENSION) as f64 >= spent as f64
}

/// State of a search: see the module.
pub(super) struct IntervalSearch<'a> {
    network: Network,
    query: &'a Query<'a>,
    /// Inputs, and concatenations of inputs that are used as a whole.
    words: Vec<u32>,
    /// By node: whether it may be halved before others.
    candidates: Vec<bool>,
    /// By node: whether it is an input, or a part or a concatenation of inputs.
    settable: Vec<bool>,
    seen: Vec<u32>,
    round: u32,
}

/// Choice of a point from the domains of the inputs.
#[derive(Clone, Copy)]
enum Point {
    Hint,
    Least,
    Greatest,
    Middle,
}

impl<'a> IntervalSearch<'a> {
    pub fn new(pool: &Pool, network: Network, query: &'a Query<'a>) -> IntervalSearch<'a> {
        let len = network.nodes.len();
        let mut settable = vec![false; len];
        for at in 0..len {
            let node = &network.nodes[at];
            let [a, b, _] = node.operands.map(|o| o as usize);
            settable[at] = match node.op {
                NetworkOp::Leaf => {
                    matches!(pool.kind(network.exprs[at]), Kind::Var(_) | Kind::Const(_))
                }
                NetworkOp::Concat => settable[a] && settable[b],
                NetworkOp::Extract(_) => settable[a] && network.nodes[a].op == NetworkOp::Leaf,
                _ => false,
            };
        }
        let mut words = vec![false; len];
        let mut candidates = vec![false; len];
        for at in 0..len {
            let node = &network.nodes[at];
            let [a, b, _] = node.operands.map(|o| o as usize);
            if !settable[at] {
                network.operands(at as u32, |o| words[o as usize] |= settable[o as usize]);
                candidates[at] |= network.uses(at as u32) > 1;
            }
            match node.op {
                NetworkOp::Ite => candidates[a] = true,
                NetworkOp::Select(_) => candidates[a] = true,
                NetworkOp::Bin(BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem) => {
                    candidates[at] = true;
                    candidates[b] = true;
                }
                _ => {}
            }
        }
        for root in &network.roots {
            words[*root as usize] |= settable[*root as usize];
        }
        for (candidate, word) in candidates.iter_mut().zip(&words) {
            *candidate |= word;
        }
        IntervalSearch {
            words: (0..len as u32).filter(|at| words[*at as usize]).collect(),
            candidates,
            settable,
            seen: vec![0; len],
            round: 0,
            network,
            query,
        }
    }

    /// Returns the conditions from which the contradictions so far follow.
    pub fn blamed(&self) -> Reasons {
        self.network.blamed
    }

    /// Returns the number of nodes visited so far.
    pub fn work(&self) -> u64 {
        self.network.work
    }

    /// Searches until `work` nodes have been visited, or longer if enough of the whole has been
    /// searched by then. Whether it is left to another stage is asked once.
    pub fn run(
        &mut self,
        pool: &mut Pool,
        work: u64,
        is_left: impl FnOnce(&Pool) -> bool,
    ) -> SearchResult {
        let mut is_left = Some(is_left);
        let mut halves: Vec<Half> = Vec::new();
        for point in [Point::Hint, Point::Least, Point::Greatest, Point::Middle] {
            if let Some(found) = self.point(pool, point) {
                return SearchResult::Sat(found);
            }
        }
        let mut depth = 0;
        loop {
            let Some(at) = self.pick() else {
                return SearchResult::Open;
            };
            let (near, far) = self.halves(pool, at);
            let trail = self.network.choose();
            depth += 1;
            halves.push(Half {
                at,
                domain: far,
                trail,
                depth,
            });
            let mut consistent = self.take(at, &near);
            while !consistent {
                let Some(half) = halves.pop() else {
                    return SearchResult::Unsat;
                };
                depth = half.depth;
                self.network.undo(half.trail);
                consistent = self.take(half.at, &half.domain);
            }
            // The two kinds of points that halving changes most.
            let point = match depth % 2 {
                0 => Point::Hint,
                _ => Point::Least,
            };
            if let Some(found) = self.point(pool, point) {
                return SearchResult::Sat(found);
            }
            let spent = self.network.work;
            if spent >= work * EXTENSION
                || spent >= work && !is_worth_more(&halves, depth, spent, work)
            {
                return SearchResult::Open;
            }
            // Of a search that ends anyway, there is nothing to ask.
            if spent >= LOOK
                && let Some(is_left) = is_left.take()
                && is_left(pool)
            {
                return SearchResult::Left;
            }
        }
    }

    fn take(&mut self, at: u32, half: &Domain) -> bool {
        let narrowed = self.network.narrow(at, half, Why::Choice);
        narrowed.and_then(|()| self.network.propagate()).is_ok()
    }

    /// Picks the node to be halved: a candidate, or any other that is left.
    fn pick(&mut self) -> Option<u32> {
        let unsupported = |network: &Network, at: &u32| !network.is_supported(*at);
        // The goal first: constraints have solutions, so that it is what can make a difference.
        for root in self.network.roots.clone().into_iter().rev() {
            if unsupported(&self.network, &root)
                && let Some(found) = self.pick_below(vec![root])
            {
                return Some(found);
            }
        }
        // What a condition asks of the terms below it may be open although the condition follows
        // from them.
        self.network.work += self.network.nodes.len() as u64 / 4;
        let all = 0..self.network.nodes.len() as u32;
        let open: Vec<u32> = all.filter(|at| unsupported(&self.network, at)).collect();
        let mut operands = Vec::new();
        for at in open {
            self.network.operands(at, |o| operands.push(o));
        }
        self.pick_below(operands)
    }

    fn pick_below(&mut self, mut stack: Vec<u32>) -> Option<u32> {
        self.round += 1;
        let mut looked = 0;
        let mut best: Option<(bool, u128, u32)> = None;
        while let Some(at) = stack.pop() {
            let i = at as usize;
            if self.seen[i] == self.round {
                continue;
            }
            self.seen[i] = self.round;
            looked += 1;
            let domain = &self.network.domains[i];
            let is_free = self.network.nodes[i].op != NetworkOp::Leaf || self.settable[i];
            if domain.value().is_none() && is_free {
                let rank = (!self.candidates[i], domain.spread(), at);
                best = Some(best.map_or(rank, |best| best.min(rank)));
            }
            // The bits of a word are found with it.
            if !self.settable[i] {
                let domains = &self.network.domains;
                self.network.operands(at, |o| {
                    if domains[o as usize].value().is_none() {
                        stack.push(o);
                    }
                });
            }
        }
        // Less than narrowing.
        self.network.work += looked / 4 + 1;
        best.map(|(_, _, at)| at)
    }

    /// Returns the halves of a node's domain, the one with the hint's value or near it first.
    fn halves(&self, pool: &mut Pool, at: u32) -> (Domain, Domain) {
        let node = &self.network.nodes[at as usize];
        let d = self.network.domains[at as usize];
        let hint = pool.eval(
            self.network.exprs[at as usize],
            self.query.hint,
            self.query.addresses,
        );
        let middle = d.min + (d.max - d.min) / 2;
        let full = Domain::full(node.width);
        let low = Domain {
            max: middle,
            ..full
        };
        let high = Domain {
            min: middle + 1,
            ..full
        };
        if hint <= middle {
            (low, high)
        } else {
            (high, low)
        }
    }

    /// Makes an assignment from the domains of the inputs, if it satisfies the query.
    fn point(&mut self, pool: &mut Pool, point: Point) -> Option<Assignment> {
        self.network.work += self.network.nodes.len() as u64 / 4 + 1;
        let mut assignment = self.query.hint.clone();
        for word in &self.words {
            let d = &self.network.domains[*word as usize];
            let width = self.network.nodes[*word as usize].width;
            let value = match point {
                Point::Hint => d.near(self.value(pool, *word, &assignment), width),
                Point::Least => d.min,
                Point::Greatest => d.max,
                Point::Middle => d.near(d.min + (d.max - d.min) / 2, width),
            };
            self.set(pool, &mut assignment, *word, 0, width, value);
        }
        self.query.holds(pool, &assignment).then_some(assignment)
    }

    /// Returns the value of a settable node.
    fn value(&self, pool: &Pool, at: u32, assignment: &Assignment) -> u128 {
        let node = &self.network.nodes[at as usize];
        let [a, b, _] = node.operands;
        match node.op {
            NetworkOp::Concat => {
                let (hi, lo) = (
                    self.value(pool, a, assignment),
                    self.value(pool, b, assignment),
                );
                hi << self.network.nodes[b as usize].width | lo
            }
            NetworkOp::Extract(lo) => self.value(pool, a, assignment) >> lo & mask(node.width),
            _ => match pool.kind(self.network.exprs[at as usize]) {
                Kind::Const(v) => v,
                Kind::Var(v) => assignment.get(v),
                _ => 0,
            },
        }
    }

    /// Sets `width` bits from `lo` on of a settable node to a value.
    fn set(
        &self,
        pool: &Pool,
        assignment: &mut Assignment,
        at: u32,
        lo: Width,
        width: Width,
        value: u128,
    ) {
        let node = &self.network.nodes[at as usize];
        let [a, b, _] = node.operands;
        match node.op {
            NetworkOp::Concat => {
                let low = self.network.nodes[b as usize].width;
                self.set(pool, assignment, b, 0, low, value & mask(low));
                self.set(pool, assignment, a, 0, node.width - low, value >> low);
            }
            NetworkOp::Extract(from) => self.set(pool, assignment, a, from, width, value),
            _ => {
                if let Kind::Var(v) = pool.kind(self.network.exprs[at as usize]) {
                    let kept = assignment.get(v) & !(mask(width) << lo);
                    assignment.set(v, kept | value << lo);
                }
            }
        }
    }
}
