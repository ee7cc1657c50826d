//! The terms of a query as a network of domains, narrowed until nothing changes.
//!
//! Each node's domain is met with the forward transfer of its operands (upwards), and each
//! operand's with the backward transfer of the node (downwards): HC4 of `backward`'s paper. The
//! nodes to be visited are kept in two sets that are swept in turn, operands before results and
//! results before operands.
//!
//! Invariant: every assignment that satisfies the query, and that no choice made since has
//! excluded, gives each node a value of its domain. For that it need only satisfy the conditions
//! among the node's reasons: narrowing a node adds the reasons of the nodes that narrowed it.

use super::affine::{LinearTerms, SumLink};
use super::backward;
use super::lookup::{Constants, Elements, Lookup};
use super::reasons::{Reasons, Why};
use super::worklist::Worklist;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use symex_terms::domain::transfer;
use symex_terms::{Array, ArrayKind, BinOp, Expr, FCast, Kind, Pool, UnOp, Width};
use symex_terms::{Domain, Met};

/// Initial capacity: most networks have at most this many nodes.
const USUAL_NODES: usize = 256;
/// Greatest number of nodes of a network.
const MAX_NODES: usize = 4_000;
/// Greatest number of elements of a table of constants.
const MAX_CONSTANTS: usize = 4096;
/// Greatest number of elements of other tables, and of stores, in a read.
const MAX_ELEMENTS: usize = 256;
/// Number of sweeps in each direction after which propagation stops early.
const MAX_SWEEPS: usize = 24;

/// Operation of a node on its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NetworkOp {
    /// A constant, a variable, or a term that is not examined further.
    Leaf,
    Un(UnOp),
    Bin(BinOp),
    FCast(FCast),
    Concat,
    Extract(Width),
    ZExt,
    SExt,
    Ite,
    /// Read: index in the list of look-ups; the operand is the array index.
    Select(u32),
    /// Sum: index in the list of shared sums.
    Sum(u32),
    /// Link: index in the list of links; the operands are a node and a sum. It has no value.
    Link(u32),
}

#[derive(Clone, Copy)]
pub(super) struct NetworkNode {
    pub op: NetworkOp,
    pub width: Width,
    /// Operand nodes, as many as the operator has, without those of a look-up's array.
    pub operands: [u32; 3],
}

/// Constant tables, by array. `None`: not all elements are constant.
pub(super) type Tables = FxHashMap<Array, Option<Arc<Constants>>>;

/// Network of a query's terms: see the module.
pub(super) struct Network {
    pub nodes: Vec<NetworkNode>,
    pub exprs: Vec<Expr>,
    pub domains: Vec<Domain>,
    /// By node: the conditions from which its domain follows.
    pub reasons: Vec<Reasons>,
    /// Conditions from which the contradictions met so far follow, together.
    pub blamed: Reasons,
    pub lookups: Vec<Lookup>,
    /// Sums that nodes share.
    pub sums: Vec<LinearTerms>,
    pub links: Vec<SumLink>,
    /// Nodes of constraints and goal.
    pub roots: Vec<u32>,
    /// Start of the range in `parents` for each node: the nodes that have it as operand.
    parent_ranges: Vec<u32>,
    parents: Vec<u32>,
    up: Worklist,
    down: Worklist,
    /// Previous domains and reasons of changed nodes, for backtracking.
    trail: Vec<(u32, Domain, Reasons)>,
    /// Counter of choices made and undone; `saved_at` has, by node, the choice at which it was last
    /// put on the trail.
    choices: u32,
    saved_at: Vec<u32>,
    /// Number of nodes visited so far.
    pub work: u64,
}

/// Error: some domain is empty.
pub(super) struct Contradiction;

pub(super) type Narrowed = Result<(), Contradiction>;

impl Network {
    /// Builds the network of some conditions, unless it is too large. All conditions are true in
    /// it, or it is in contradiction.
    pub fn new(
        pool: &Pool,
        conditions: &[Expr],
        tables: &mut Tables,
    ) -> Option<(Network, Narrowed)> {
        Network::with_terms(pool, conditions, &[], tables)
    }

    /// Builds a network as [`Self::new`] does, which has nodes of further terms.
    pub fn with_terms(
        pool: &Pool,
        conditions: &[Expr],
        terms: &[Expr],
        tables: &mut Tables,
    ) -> Option<(Network, Narrowed)> {
        let mut network = Network {
            nodes: Vec::with_capacity(USUAL_NODES),
            exprs: Vec::with_capacity(USUAL_NODES),
            domains: Vec::with_capacity(USUAL_NODES),
            reasons: Vec::with_capacity(USUAL_NODES),
            blamed: Reasons::NONE,
            lookups: Vec::new(),
            sums: Vec::new(),
            links: Vec::new(),
            roots: Vec::new(),
            parent_ranges: Vec::new(),
            parents: Vec::new(),
            up: Worklist::default(),
            down: Worklist::default(),
            trail: Vec::new(),
            choices: 0,
            saved_at: Vec::new(),
            work: 0,
        };
        let mut places = FxHashMap::with_capacity_and_hasher(USUAL_NODES, Default::default());
        for e in conditions.iter().chain(terms) {
            network.add(pool, *e, &mut places, tables)?;
        }
        network.roots = conditions.iter().map(|c| places[c]).collect();
        network.link();
        let narrowed = network.start();
        Some((network, narrowed))
    }

    /// Adds a term and all its subterms.
    fn add(
        &mut self,
        pool: &Pool,
        root: Expr,
        places: &mut FxHashMap<Expr, u32>,
        tables: &mut Tables,
    ) -> Option<()> {
        let mut stack = vec![root];
        let mut missing = Vec::new();
        while let Some(e) = stack.pop() {
            if places.contains_key(&e) {
                continue;
            }
            if self.nodes.len() >= MAX_NODES {
                return None;
            }
            let node = self.node(pool, e, places, tables, &mut missing);
            if !missing.is_empty() {
                stack.push(e);
                stack.append(&mut missing);
                continue;
            }
            places.insert(e, self.nodes.len() as u32);
            let known = pool.domain(e);
            self.nodes.push(node);
            self.exprs.push(e);
            self.domains.push(known);
            self.reasons.push(Reasons::NONE);
        }
        Some(())
    }

    /// Makes the node of a term whose operands have nodes; else returns the missing operands.
    fn node(
        &mut self,
        pool: &Pool,
        e: Expr,
        places: &FxHashMap<Expr, u32>,
        tables: &mut Tables,
        missing: &mut Vec<Expr>,
    ) -> NetworkNode {
        let mut place = |e: Expr| {
            places.get(&e).copied().unwrap_or_else(|| {
                missing.push(e);
                0
            })
        };
        let mut read = None;
        let (op, operands) = match pool.kind(e) {
            Kind::Un(op, a) => (NetworkOp::Un(op), [place(a), 0, 0]),
            Kind::Bin(op, a, b) => (NetworkOp::Bin(op), [place(a), place(b), 0]),
            Kind::Concat { hi, lo } => (NetworkOp::Concat, [place(hi), place(lo), 0]),
            Kind::Extract { of, lo } => (NetworkOp::Extract(lo), [place(of), 0, 0]),
            Kind::ZExt(a) => (NetworkOp::ZExt, [place(a), 0, 0]),
            Kind::SExt(a) => (NetworkOp::SExt, [place(a), 0, 0]),
            Kind::FCast(op, a) => (NetworkOp::FCast(op), [place(a), 0, 0]),
            Kind::Ite { cond, then, other } => {
                (NetworkOp::Ite, [place(cond), place(then), place(other)])
            }
            Kind::Select { array, index } => {
                let index = place(index);
                read = lookup(pool, array, tables, &mut place);
                match read {
                    Some(_) => (NetworkOp::Select(self.lookups.len() as u32), [index, 0, 0]),
                    None => (NetworkOp::Leaf, [0; 3]),
                }
            }
            _ => (NetworkOp::Leaf, [0; 3]),
        };
        if missing.is_empty() {
            self.lookups.extend(read);
        }
        NetworkNode {
            op,
            width: pool.width(e),
            operands,
        }
    }

    /// Calls `f` with each operand of a node.
    pub fn operands(&self, at: u32, mut f: impl FnMut(u32)) {
        let node = &self.nodes[at as usize];
        let count = match node.op {
            NetworkOp::Leaf | NetworkOp::Sum(_) => 0,
            NetworkOp::Bin(_) | NetworkOp::Concat | NetworkOp::Link(_) => 2,
            NetworkOp::Ite => 3,
            NetworkOp::Un(_)
            | NetworkOp::FCast(_)
            | NetworkOp::Extract(_)
            | NetworkOp::ZExt
            | NetworkOp::SExt
            | NetworkOp::Select(_) => 1,
        };
        node.operands[..count].iter().for_each(|o| f(*o));
        if let NetworkOp::Sum(sum) = node.op {
            self.sums[sum as usize].iter().for_each(|t| f(t.0));
        }
        if let NetworkOp::Select(lookup) = node.op {
            let lookup = &self.lookups[lookup as usize];
            for (index, value) in &lookup.stores {
                f(*index);
                f(*value);
            }
            if let Elements::Nodes(nodes) = &lookup.elements {
                nodes.iter().for_each(|n| f(*n));
            }
        }
    }

    /// Computes the parents of all nodes.
    fn link(&mut self) {
        let len = self.nodes.len();
        let mut ranges = vec![0u32; len + 1];
        for at in 0..len as u32 {
            self.operands(at, |o| ranges[o as usize + 1] += 1);
        }
        for at in 0..len {
            ranges[at + 1] += ranges[at];
        }
        let mut next = ranges.clone();
        let mut parents = vec![0; ranges[len] as usize];
        for at in 0..len as u32 {
            self.operands(at, |o| {
                let slot = &mut next[o as usize];
                parents[*slot as usize] = at;
                *slot += 1;
            });
        }
        (self.parent_ranges, self.parents) = (ranges, parents);
        self.up = Worklist::new(len);
        self.down = Worklist::new(len);
        self.saved_at = vec![0; len];
    }

    /// Returns the nodes that have a node as operand.
    pub fn parents(&self, at: u32) -> &[u32] {
        let (from, to) = (
            self.parent_ranges[at as usize],
            self.parent_ranges[at as usize + 1],
        );
        &self.parents[from as usize..to as usize]
    }

    /// Reports whether a node is compared with another.
    pub fn is_compared(&self, at: u32) -> bool {
        use BinOp::{Eq, SLe, SLt, ULe, ULt};
        let mut parents = self.parents(at).iter();
        parents.any(|by| {
            matches!(
                self.nodes[*by as usize].op,
                NetworkOp::Bin(Eq | ULt | ULe | SLt | SLe)
            )
        })
    }

    /// Returns how many times a node is an operand.
    pub fn uses(&self, at: u32) -> u32 {
        self.parents(at).len() as u32
    }

    fn start(&mut self) -> Narrowed {
        (0..self.nodes.len()).for_each(|at| self.up.insert(at));
        let truth = Domain::constant(1, 1);
        for i in 0..self.roots.len() {
            self.narrow(self.roots[i], &truth, Why::Condition(i))?;
        }
        self.propagate()?;
        let before = self.nodes.len();
        self.link_sums();
        if self.nodes.len() > before {
            self.link();
            for at in before..self.nodes.len() {
                self.up.insert(at);
                self.down.insert(at);
            }
            self.propagate()?;
        }
        Ok(())
    }

    /// Intersects a node's domain with another domain.
    pub fn narrow(&mut self, at: u32, to: &Domain, why: Why) -> Narrowed {
        let i = at as usize;
        let before = self.domains[i];
        match self.domains[i].meet(to, self.nodes[i].width) {
            Met::Empty => {
                let reasons = self.reasons[i].and(self.because(why));
                return self.contradiction(reasons);
            }
            Met::Same => return Ok(()),
            Met::Smaller => {}
        }
        if self.saved_at[i] != self.choices {
            self.saved_at[i] = self.choices;
            self.trail.push((at, before, self.reasons[i]));
        }
        self.reasons[i] = self.reasons[i].and(self.because(why));
        self.down.insert(i);
        let (from, to) = (self.parent_ranges[i], self.parent_ranges[i + 1]);
        for parent in &self.parents[from as usize..to as usize] {
            self.up.insert(*parent as usize);
            self.down.insert(*parent as usize);
        }
        Ok(())
    }

    /// Returns the conditions behind a step.
    fn because(&self, why: Why) -> Reasons {
        match why {
            Why::Condition(condition) => Reasons::condition(condition),
            Why::Choice => Reasons::NONE,
            Why::Operator(at) => {
                let mut reasons = self.reasons[at as usize];
                self.operands(at, |o| reasons = reasons.and(self.reasons[o as usize]));
                reasons
            }
        }
    }

    fn contradiction(&mut self, reasons: Reasons) -> Narrowed {
        self.blamed = self.blamed.and(reasons);
        Err(Contradiction)
    }

    /// Starts a choice: returns the length of the trail to which its changes can be undone.
    pub fn choose(&mut self) -> usize {
        self.choices += 1;
        self.trail.len()
    }

    /// Undoes all changes since the trail had this length.
    pub fn undo(&mut self, to: usize) {
        while self.trail.len() > to {
            let (at, domain, reasons) = self.trail.pop().expect("longer than that");
            self.domains[at as usize] = domain;
            self.reasons[at as usize] = reasons;
        }
        // What was saved under the latest choice may have been taken off.
        self.choices += 1;
        self.up.clear();
        self.down.clear();
    }

    /// Narrows domains until nothing changes, or until the limit of sweeps.
    pub fn propagate(&mut self) -> Narrowed {
        for _ in 0..MAX_SWEEPS {
            let mut done = true;
            let mut from = 0;
            while let Some(at) = self.up.take_from(from) {
                (done, from) = (false, at + 1);
                self.work += 1;
                if let Some(made) = self.made(at as u32) {
                    self.narrow(at as u32, &made, Why::Operator(at as u32))?;
                }
            }
            let mut below = self.nodes.len();
            while let Some(at) = self.down.take_below(below) {
                (done, below) = (false, at);
                self.work += 1;
                self.leave(at as u32)?;
            }
            if done {
                return Ok(());
            }
        }
        self.up.clear();
        self.down.clear();
        Ok(())
    }

    /// Reports whether a node's domain follows from those of its operands alone.
    pub fn is_supported(&self, at: u32) -> bool {
        let (domain, width) = (&self.domains[at as usize], self.nodes[at as usize].width);
        let mut made = Domain::full(width);
        match self.made(at) {
            Some(from_operands) => {
                made.meet(&from_operands, width) != Met::Empty && made == *domain
            }
            None => true,
        }
    }

    /// Computes a node's domain from its operands (forward transfer).
    fn made(&self, at: u32) -> Option<Domain> {
        let node = &self.nodes[at as usize];
        let [a, b, c] = node.operands.map(|o| &self.domains[o as usize]);
        let width = |i: usize| self.nodes[node.operands[i] as usize].width;
        Some(match node.op {
            NetworkOp::Leaf | NetworkOp::Link(_) => return None,
            NetworkOp::Sum(sum) => return self.made_sum(&self.sums[sum as usize]),
            NetworkOp::Un(op) => transfer::un(op, width(0), a),
            NetworkOp::Bin(op) => transfer::bin(op, width(0), a, b),
            NetworkOp::Concat => transfer::concat(width(1), a, b),
            NetworkOp::Extract(lo) => transfer::extract(width(0), a, lo, node.width),
            NetworkOp::ZExt => transfer::zext(width(0), node.width, a),
            NetworkOp::SExt => transfer::sext(width(0), node.width, a),
            NetworkOp::FCast(op) => transfer::fcast(op, width(0), node.width, a),
            NetworkOp::Ite => match a.value() {
                Some(0) => *c,
                Some(_) => *b,
                None => b.hull(c),
            },
            NetworkOp::Select(lookup) => return self.read(&self.lookups[lookup as usize], a),
        })
    }

    /// Returns the hull of the elements that a look-up may read. Nothing is known of those past the
    /// end.
    fn read(&self, lookup: &Lookup, index: &Domain) -> Option<Domain> {
        let mut all: Option<Domain> = None;
        let mut join = |d: &Domain| all = Some(all.map_or(*d, |all| all.hull(d)));
        for (at, value) in &lookup.stores {
            let at = &self.domains[*at as usize];
            if at.excludes(index) {
                continue;
            }
            join(&self.domains[*value as usize]);
            if at.value().is_some() && at.value() == index.value() {
                return all;
            }
        }
        if index.max >= lookup.elements.len() as u128 {
            return None;
        }
        let (first, last) = (index.min as usize, index.max as usize);
        match &lookup.elements {
            Elements::Constants(table) => join(&table.hull(first, last)),
            Elements::Nodes(nodes) => {
                for n in &nodes[first..=last] {
                    join(&self.domains[*n as usize]);
                }
            }
        }
        all
    }

    /// Narrows a node's operands by its domain (backward transfer).
    fn leave(&mut self, at: u32) -> Narrowed {
        let node = self.nodes[at as usize];
        let d = self.domains[at as usize];
        let [x, y, z] = node.operands;
        let why = Why::Operator(at);
        let [a, b, c] = node.operands.map(|o| self.domains[o as usize]);
        let width = |n: &Network, i: usize| n.nodes[node.operands[i] as usize].width;
        match node.op {
            NetworkOp::Leaf => Ok(()),
            NetworkOp::Sum(sum) => self.leave_sum(sum, &d, why),
            NetworkOp::Link(link) => {
                let link = self.links[link as usize];
                let (a, b) = link.leave((width(self, 0), width(self, 1)), &a, &b);
                self.narrow(x, &a, why)?;
                self.narrow(y, &b, why)
            }
            NetworkOp::Un(op) => self.narrow(x, &backward::un(op, width(self, 0), &d, &a), why),
            NetworkOp::Bin(op) => {
                let (a, b) = backward::bin(op, width(self, 0), &d, &a, &b);
                self.narrow(x, &a, why)?;
                self.narrow(y, &b, why)
            }
            NetworkOp::Concat => {
                let (a, b) = backward::concat((width(self, 0), width(self, 1)), &d, &a, &b);
                self.narrow(x, &a, why)?;
                self.narrow(y, &b, why)
            }
            NetworkOp::Extract(lo) => {
                let of = backward::extract(width(self, 0), &d, &a, lo, node.width);
                self.narrow(x, &of, why)
            }
            NetworkOp::ZExt => self.narrow(x, &backward::zext(width(self, 0), &d), why),
            NetworkOp::SExt => self.narrow(x, &backward::sext(width(self, 0), &d), why),
            NetworkOp::FCast(op) => {
                let of = backward::fcast(op, width(self, 0), node.width, &d, &a);
                self.narrow(x, &of, why)
            }
            NetworkOp::Ite => match a.value() {
                Some(0) => self.narrow(z, &d, why),
                Some(_) => self.narrow(y, &d, why),
                None if b.excludes(&d) => {
                    self.narrow(x, &Domain::constant(1, 0), why)?;
                    self.narrow(z, &d, why)
                }
                None if c.excludes(&d) => {
                    self.narrow(x, &Domain::constant(1, 1), why)?;
                    self.narrow(y, &d, why)
                }
                None => Ok(()),
            },
            NetworkOp::Select(lookup) => self.leave_lookup(lookup, x, &d, &a, why),
        }
    }

    fn leave_sum(&mut self, sum: u32, d: &Domain, why: Why) -> Narrowed {
        for i in 0..self.sums[sum as usize].len() {
            let terms = &self.sums[sum as usize];
            let at = terms[i].0;
            if let Some(left) = self.left_of_sum(terms, i, d) {
                self.narrow(at, &left, why)?;
            }
        }
        Ok(())
    }

    fn leave_lookup(
        &mut self,
        lookup: u32,
        x: u32,
        d: &Domain,
        index: &Domain,
        why: Why,
    ) -> Narrowed {
        let lookup = &self.lookups[lookup as usize];
        if index.max >= lookup.elements.len() as u128 {
            return Ok(());
        }
        let stored = lookup
            .stores
            .iter()
            .any(|(at, _)| !self.domains[*at as usize].excludes(index));
        if stored {
            return Ok(());
        }
        let (first, last) = (index.min as usize, index.max as usize);
        let width = self.nodes[x as usize].width;
        let places = match &lookup.elements {
            Elements::Constants(table) => table.places(d, first, last),
            Elements::Nodes(nodes) => {
                let fits = |at: &usize| !self.domains[nodes[*at] as usize].excludes(d);
                let low = (first..=last).find(fits);
                low.and_then(|low| Some((low, (low..=last).rev().find(fits)?)))
            }
        };
        let Some((low, high)) = places else {
            return self.contradiction(self.because(why));
        };
        let read = match &lookup.elements {
            Elements::Nodes(nodes) if low == high => Some(nodes[low]),
            _ => None,
        };
        self.narrow(x, &Domain::unsigned(width, low as u128, high as u128), why)?;
        match read {
            Some(n) => self.narrow(n, d, why),
            None => Ok(()),
        }
    }
}

/// Builds the look-up of a select, if it has not too many elements. `place` returns the node of
/// each term read.
fn lookup(
    pool: &Pool,
    array: Array,
    tables: &mut Tables,
    place: &mut impl FnMut(Expr) -> u32,
) -> Option<Lookup> {
    let mut stores = Vec::new();
    let mut at = array;
    let elements = loop {
        match pool.array_kind(at) {
            ArrayKind::Store {
                array,
                index,
                value,
            } => {
                stores.push((*index, *value));
                at = *array;
                if stores.len() > MAX_ELEMENTS {
                    return None;
                }
            }
            ArrayKind::Table(elements) => break elements,
        }
    };
    if elements.len() > MAX_CONSTANTS {
        return None;
    }
    let constants = tables
        .entry(at)
        .or_insert_with(|| Constants::new(pool, elements).map(Arc::new));
    let elements = match constants {
        Some(table) => Elements::Constants(table.clone()),
        None if elements.len() > MAX_ELEMENTS => return None,
        None => Elements::Nodes(elements.iter().map(|e| place(*e)).collect()),
    };
    let stores = stores
        .into_iter()
        .map(|(index, value)| (place(index), place(value)))
        .collect();
    Some(Lookup { stores, elements })
}
