//! Constraint graph, solved by wave propagation.
//!
//! A node has a set of abstract objects; a copy edge makes its end a superset of its start. A
//! pointer node may have a *loaded* node, a superset of the contents of all it points to, and a
//! *stored* node, of which these contents are supersets. A wave collapses cycles, propagates new
//! members along the edges in topological order, and then adds the edges that new pointees require
//! at loaded and stored nodes. Constraints may be added between waves and after any. The fixpoint
//! does not depend on any order; merged nodes are nodes whose sets are equal in the fixpoint.
//!
//! The outside in a set stands for all escaped objects: its contents are the node of escaped
//! addresses, but a value loaded there is the outside again.

use super::object::{AbstractId, OUTSIDE};
use super::scc::Components;
use super::set::ObjectSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// A node of the graph; stays valid when it is merged with others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PointerNode(pub u32);

const NONE: u32 = u32::MAX;
const NO_TIES: [bool; 3] = [false; 3];

/// Pointers that may be in an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectContents {
    /// No pointers, ever.
    Nothing,
    /// The initial ones.
    Constant(PointerNode),
    Variable(PointerNode),
}

#[derive(Default)]
struct PointerNodeData {
    set: ObjectSet,
    /// Members that have not been propagated along the copy edges.
    fresh: ObjectSet,
    /// Members whose contents have not been connected to the loaded and stored nodes.
    untied: ObjectSet,
    copies: Vec<u32>,
}

/// Counts for [`AnalysisStats`](super::AnalysisStats).
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub waves: u32,
    /// Number of nodes merged because they lie on a cycle.
    pub collapsed: u32,
    /// Number of nodes merged because they are equal by construction, or loads of equal pointers.
    pub unified: u32,
    pub copies: u64,
}

#[derive(Default)]
pub struct Graph {
    parents: Vec<u32>,
    nodes: Vec<PointerNodeData>,
    loaded: Vec<u32>,
    stored: Vec<u32>,
    accessed: Vec<bool>,
    /// Call sites by the node of their callee.
    calls: FxHashMap<u32, Vec<u32>>,
    contents: Vec<ObjectContents>,
    edges: FxHashSet<(u32, u32)>,
    /// Nodes with fresh or untied members, possibly repeated, possibly merged since.
    waiting: Vec<u32>,
    components: Components,
    pub counts: Counts,
}

impl Graph {
    pub fn node(&mut self) -> PointerNode {
        self.new_nodes(1)
    }

    /// Makes this many consecutive nodes, and returns the first.
    pub fn new_nodes(&mut self, count: u32) -> PointerNode {
        let first = self.parents.len() as u32;
        let end = first + count;
        self.parents.extend(first..end);
        self.nodes
            .resize_with(end as usize, PointerNodeData::default);
        self.loaded.resize(end as usize, NONE);
        self.stored.resize(end as usize, NONE);
        self.accessed.resize(end as usize, false);
        PointerNode(first)
    }

    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Adds the next object, with these contents. The first one is the outside.
    pub fn add_object(&mut self, contents: ObjectContents) {
        debug_assert!(
            !self.contents.is_empty() || matches!(contents, ObjectContents::Variable(_)),
            "the outside holds what escaped"
        );
        self.contents.push(contents);
    }

    pub fn contents(&self, object: AbstractId) -> ObjectContents {
        self.contents[object.0 as usize]
    }

    /// Returns the current representative of a node.
    pub fn find(&self, node: PointerNode) -> PointerNode {
        let mut n = node.0;
        while self.parents[n as usize] != n {
            n = self.parents[n as usize];
        }
        PointerNode(n)
    }

    fn root(&mut self, mut n: u32) -> u32 {
        while self.parents[n as usize] != n {
            let up = self.parents[self.parents[n as usize] as usize];
            self.parents[n as usize] = up;
            n = up;
        }
        n
    }

    /// Adds the constraint that `object` is in the set of `node`.
    pub fn add_member(&mut self, node: PointerNode, object: AbstractId) {
        let n = self.root(node.0);
        let data = &mut self.nodes[n as usize];
        if data.set.insert(object.0) {
            data.fresh.insert(object.0);
            self.waiting.push(n);
        }
    }

    /// Adds the constraint that `to` includes `from`.
    pub fn add_copy(&mut self, from: PointerNode, to: PointerNode) {
        let (from, to) = (self.root(from.0), self.root(to.0));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.counts.copies += 1;
        self.nodes[from as usize].copies.push(to);
        let set = std::mem::take(&mut self.nodes[from as usize].set);
        self.add_all(to, &set);
        self.nodes[from as usize].set = set;
    }

    fn add_all(&mut self, n: u32, members: &ObjectSet) {
        let data = &mut self.nodes[n as usize];
        if members.is_empty() || members.is_subset(&data.set) {
            return;
        }
        if data.set.is_empty() {
            data.set = members.clone();
            data.fresh = members.clone();
        } else {
            let new = members.without(&data.set);
            data.set.union_with(&new);
            data.fresh.union_with(&new);
        }
        self.waiting.push(n);
    }

    /// Returns the node of the values loaded through a pointer.
    pub fn loaded(&mut self, pointer: PointerNode) -> PointerNode {
        let p = self.root(pointer.0);
        if self.loaded[p as usize] == NONE {
            let n = self.node();
            self.loaded[p as usize] = n.0;
            self.tie_again(p);
        }
        PointerNode(self.loaded[p as usize])
    }

    /// Returns the node of the values stored through a pointer.
    pub fn stored(&mut self, pointer: PointerNode) -> PointerNode {
        let p = self.root(pointer.0);
        if self.stored[p as usize] == NONE {
            let n = self.node();
            self.stored[p as usize] = n.0;
            self.tie_again(p);
        }
        PointerNode(self.stored[p as usize])
    }

    /// Records that code reads or writes memory at the address in the node. (Loaded and stored
    /// nodes may exist for other reasons.)
    pub fn mark_accessed(&mut self, pointer: PointerNode) {
        let p = self.root(pointer.0);
        self.accessed[p as usize] = true;
    }

    /// Adds a call site that calls the targets of a node: each wave reports the new functions
    /// there.
    pub fn add_call(&mut self, callee: PointerNode, site: u32) {
        let p = self.root(callee.0);
        self.calls.entry(p).or_default().push(site);
        self.tie_again(p);
    }

    fn tie_again(&mut self, p: u32) {
        let data = &mut self.nodes[p as usize];
        data.untied = data.set.clone();
        self.waiting.push(p);
    }

    /// Merges two nodes that are known to have equal sets in the fixpoint.
    pub fn unify(&mut self, a: PointerNode, b: PointerNode) {
        self.counts.unified += self.merge(a.0, b.0);
    }

    /// Merges two nodes, and the nodes loaded through them, which are equal, too. Returns by how
    /// many nodes the graph shrinks.
    fn merge(&mut self, a: u32, b: u32) -> u32 {
        let mut merged = 0;
        let mut pairs = vec![(a, b)];
        while let Some((a, b)) = pairs.pop() {
            let (a, b) = (self.root(a), self.root(b));
            if a == b {
                continue;
            }
            merged += 1;
            let (keep, gone) = (a.min(b), a.max(b));
            self.parents[gone as usize] = keep;
            let other = std::mem::take(&mut self.nodes[gone as usize]);
            let ties = (self.ties(keep), self.ties(gone));
            let data = &mut self.nodes[keep as usize];
            // A member of both sets that neither has fresh has gone along the edges of both.
            let mut only_one = data.set.without(&other.set);
            only_one.union_with(&other.set.without(&data.set));
            data.set.union_with(&other.set);
            data.fresh.union_with(&other.fresh);
            data.fresh.union_with(&only_one);
            data.untied.union_with(&other.untied);
            match ties {
                (NO_TIES, NO_TIES) => {}
                // The same goes for what members are tied to: if it is of the same kinds, it is
                // merged as well.
                (a, b) if a == b || a == NO_TIES || b == NO_TIES => {
                    data.untied.union_with(&only_one)
                }
                _ => data.untied = data.set.clone(),
            }
            data.copies.extend(other.copies);
            self.waiting.push(keep);
            for of in [&mut self.loaded, &mut self.stored] {
                match (of[keep as usize], of[gone as usize]) {
                    (_, NONE) => {}
                    (NONE, n) => of[keep as usize] = n,
                    (m, n) => pairs.push((m, n)),
                }
            }
            if let Some(sites) = self.calls.remove(&gone) {
                self.calls.entry(keep).or_default().extend(sites);
            }
            self.accessed[keep as usize] |= self.accessed[gone as usize];
        }
        merged
    }

    /// Reports whether there are loads, stores, and calls through the node.
    fn ties(&self, n: u32) -> [bool; 3] {
        let i = n as usize;
        [
            self.loaded[i] != NONE,
            self.stored[i] != NONE,
            self.calls.contains_key(&n),
        ]
    }

    /// Reports whether there is nothing to do for a wave.
    pub fn is_settled(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Runs one wave. Adds each call site with a function (or the outside) to which its callee is
    /// now known to point; the same pair may come again.
    pub fn wave(&mut self, found: &mut Vec<(u32, AbstractId)>) {
        self.counts.waves += 1;
        let order = self.collapse();
        self.carry(&order);
        for n in order {
            let n = self.root(n);
            let members = std::mem::take(&mut self.nodes[n as usize].untied);
            if !members.is_empty() {
                self.tie(n, &members, found);
            }
        }
        // Most of what was carried has been carried on.
        let mut waiting = std::mem::take(&mut self.waiting);
        for n in &mut waiting {
            *n = self.root(*n);
        }
        waiting.retain(|&n| {
            let data = &self.nodes[n as usize];
            !data.fresh.is_empty() || !data.untied.is_empty()
        });
        self.waiting = waiting;
    }

    /// Collapses the cycles that new members can reach; returns the reached nodes in topological
    /// order.
    fn collapse(&mut self) -> Vec<u32> {
        let waiting = std::mem::take(&mut self.waiting);
        let mut roots: Vec<u32> = waiting.into_iter().map(|n| self.root(n)).collect();
        roots.sort_unstable();
        roots.dedup();
        // Edges end at representatives from here on. Without recursion that takes a list of what is
        // reached.
        let mut order = Vec::new();
        let mut cycles: Vec<Vec<u32>> = Vec::new();
        let mut components = std::mem::take(&mut self.components);
        components.search(
            self.nodes.len(),
            roots,
            |n, i| {
                let to = self.nodes[n as usize].copies.get(i)?;
                Some(self.find(PointerNode(*to)).0)
            },
            |component| {
                order.push(component[0]);
                if component.len() > 1 {
                    cycles.push(component.to_vec());
                }
            },
        );
        self.components = components;
        for cycle in cycles {
            for &n in &cycle[1..] {
                self.counts.collapsed += self.merge(cycle[0], n);
            }
        }
        order.reverse();
        order
    }

    /// Propagates fresh members along the edges.
    fn carry(&mut self, order: &[u32]) {
        for &n in order {
            let n = self.root(n);
            let fresh = std::mem::take(&mut self.nodes[n as usize].fresh);
            if fresh.is_empty() {
                continue;
            }
            let mut copies = std::mem::take(&mut self.nodes[n as usize].copies);
            for to in &mut copies {
                *to = self.root(*to);
            }
            copies.sort_unstable();
            copies.dedup();
            copies.retain(|&to| to != n);
            for &to in &copies {
                self.add_all(to, &fresh);
            }
            self.nodes[n as usize].copies = copies;
            if self.ties(n) != NO_TIES {
                self.nodes[n as usize].untied.union_with(&fresh);
            }
        }
    }

    /// Connects the contents of new pointees to a node's loaded and stored nodes, and reports
    /// calls.
    fn tie(&mut self, n: u32, members: &ObjectSet, found: &mut Vec<(u32, AbstractId)>) {
        if let Some(sites) = self.calls.get(&n) {
            for object in members.iter().map(AbstractId) {
                found.extend(sites.iter().map(|&site| (site, object)));
            }
        }
        let (loaded, stored) = (self.loaded[n as usize], self.stored[n as usize]);
        let mut read: Vec<u32> = Vec::new();
        let mut written: Vec<u32> = Vec::new();
        for object in members.iter().map(AbstractId) {
            match self.contents[object.0 as usize] {
                ObjectContents::Nothing => {}
                ObjectContents::Constant(c) => read.push(self.root(c.0)),
                ObjectContents::Variable(c) => {
                    let c = self.root(c.0);
                    written.push(c);
                    if object != OUTSIDE {
                        read.push(c);
                    } else if loaded != NONE {
                        self.add_member(PointerNode(loaded), OUTSIDE);
                    }
                }
            }
        }
        if loaded != NONE {
            read.sort_unstable();
            read.dedup();
            for c in read {
                self.add_copy(PointerNode(c), PointerNode(loaded));
            }
        }
        if stored != NONE {
            written.sort_unstable();
            written.dedup();
            for c in written {
                self.add_copy(PointerNode(stored), PointerNode(c));
            }
        }
    }

    /// Finishes the solution: for every node its representative, and for these the sets and whether
    /// they access memory.
    pub fn finish(mut self) -> Solved {
        let representatives: Vec<u32> = (0..self.parents.len() as u32)
            .map(|n| self.root(n))
            .collect();
        Solved {
            representatives,
            sets: self.nodes.into_iter().map(|n| n.set).collect(),
            accessed: self.accessed,
        }
    }
}

/// Solution of the constraints.
pub struct Solved {
    representatives: Vec<u32>,
    sets: Vec<ObjectSet>,
    accessed: Vec<bool>,
}

impl Solved {
    pub fn set(&self, node: PointerNode) -> &ObjectSet {
        &self.sets[self.representatives[node.0 as usize] as usize]
    }

    /// Iterates over the sets of all addresses through which memory is accessed, in the order of
    /// the nodes.
    pub fn accessed(&self) -> impl Iterator<Item = &ObjectSet> + '_ {
        let pairs = self.sets.iter().zip(&self.accessed);
        pairs.filter(|(_, accessed)| **accessed).map(|(set, _)| set)
    }

    /// Iterates over the sets of merged nodes that are not empty.
    pub fn sets(&self) -> impl Iterator<Item = &ObjectSet> + '_ {
        self.sets.iter().filter(|set| !set.is_empty())
    }
}
