//! The tree of decisions of an exploration, as far down as there is room for: where paths forked,
//! and how they ended.

use super::{FindingKind, SourceLoc};
use serde::{Deserialize, Serialize};

/// Most nodes of a tree. The levels that have room are kept whole, and what is below is counted.
pub const MOST_NODES: usize = 1500;

/// Most forks that are told of the way to a finding, and most ways.
pub const MOST_STEPS: usize = 512;
pub const MOST_WAYS: usize = 32;

/// What forks a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForkKind {
    /// A branch of the program.
    Branch,
    /// A value is made concrete, or is one of several.
    Value,
    /// A check that holds for some inputs and fails for others.
    Check,
    /// A pointer that may be to several objects.
    Pointer,
    /// Objects lie at other addresses.
    Placement,
    /// Another thread runs.
    Thread,
}

/// How a path ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndKind {
    /// At the end of the harness, or as it is expected to.
    Passed,
    /// With a finding.
    Found,
    /// At an assumption that does not hold.
    Assumed,
    /// At something that is not supported.
    Unsupported,
    /// At a bound.
    Bounded,
    /// No input takes it, as was found out after the fork.
    Impossible,
}

/// Numbers of ends of paths by kind.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ends {
    #[serde(default, skip_serializing_if = "is_zero")]
    pub passed: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub found: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub assumed: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unsupported: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bounded: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub impossible: u64,
}

/// A tree of decisions.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DecisionTree {
    /// Places of forks, which nodes and steps name by their index.
    pub places: Vec<SourceLoc>,
    pub nodes: Vec<Node>,
    /// Nodes of the initial states, by their numbers; one for each number of arguments.
    pub roots: Vec<u32>,
    /// Ways to findings, one for each.
    pub ways: Vec<Way>,
    /// Whether paths are missing that something else explored, such as an earlier run, which has
    /// recorded none.
    pub is_partial: bool,
}

/// A point on a path: a fork, or where no more is told.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Node {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<Fork>,
    /// Number of forks from here on that are counted only.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub forks: u64,
    /// Ends of paths that are here, or behind the forks that are counted only.
    #[serde(default)]
    pub ends: Ends,
}

/// A fork of a path in two.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fork {
    pub at: Option<u32>,
    pub kind: ForkKind,
    /// The node of the path that went on, and of its copy.
    pub sides: [u32; 2],
    /// Whether the fork is counted here; another exploration counts it if it only came by.
    pub is_own: bool,
}

/// The way from an initial state to a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Way {
    pub root: u32,
    /// The forks on the way, up to [`MOST_STEPS`] of them.
    pub steps: Vec<Step>,
    /// Number of forks that are not told.
    pub more: u64,
    /// Kind and place of the finding.
    pub kind: FindingKind,
    pub at: Option<SourceLoc>,
}

/// A fork on the way to a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub at: Option<u32>,
    pub kind: ForkKind,
    /// Whether the way is that of the copy.
    pub copy: bool,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Ends {
    /// Counts an end.
    pub fn note(&mut self, kind: EndKind) {
        *self.of(kind) += 1;
    }

    /// Takes back the count of an end.
    pub fn undo(&mut self, kind: EndKind) {
        *self.of(kind) -= 1;
    }

    fn of(&mut self, kind: EndKind) -> &mut u64 {
        match kind {
            EndKind::Passed => &mut self.passed,
            EndKind::Found => &mut self.found,
            EndKind::Assumed => &mut self.assumed,
            EndKind::Unsupported => &mut self.unsupported,
            EndKind::Bounded => &mut self.bounded,
            EndKind::Impossible => &mut self.impossible,
        }
    }

    /// Adds other ends.
    pub fn add(&mut self, other: &Ends) {
        self.passed += other.passed;
        self.found += other.found;
        self.assumed += other.assumed;
        self.unsupported += other.unsupported;
        self.bounded += other.bounded;
        self.impossible += other.impossible;
    }

    /// Returns the numbers by kind, in the order of the kinds.
    pub fn counts(&self) -> [u64; 6] {
        [
            self.passed,
            self.found,
            self.assumed,
            self.unsupported,
            self.bounded,
            self.impossible,
        ]
    }

    /// Returns the number of all ends.
    pub fn all(&self) -> u64 {
        self.counts().iter().sum()
    }
}

impl Node {
    /// Returns the number of paths at a node without a fork that have not ended: each fork made one
    /// more.
    pub fn open(&self) -> u64 {
        (self.forks + 1).saturating_sub(self.ends.all())
    }
}

impl DecisionTree {
    /// Adds what another exploration of the same job has told of other paths. Where both have come
    /// by, their forks are the same.
    pub fn add(&mut self, mut other: DecisionTree) {
        // What one only counts, the other cannot tell either.
        let depth = self.depth().min(other.depth());
        let (own_cut, other_cut) = (self.is_cut(), other.is_cut());
        if own_cut || other_cut {
            let depth = match (own_cut, other_cut) {
                (true, true) => depth,
                (true, false) => self.depth(),
                _ => other.depth(),
            };
            self.fold(depth);
            other.fold(depth);
        }
        self.is_partial |= other.is_partial;
        let places: Vec<u32> = other.places.iter().map(|at| self.place(at)).collect();
        let place = |at: Option<u32>| at.map(|at| places[at as usize]);
        let mut open = Vec::new();
        for (start, root) in other.roots.iter().enumerate() {
            if self.roots.len() <= start {
                self.roots.push(self.nodes.len() as u32);
                self.nodes.push(Node::default());
            }
            open.push((self.roots[start], *root));
        }
        while let Some((own, theirs)) = open.pop() {
            let node = std::mem::take(&mut other.nodes[theirs as usize]);
            self.nodes[own as usize].forks += node.forks;
            self.nodes[own as usize].ends.add(&node.ends);
            let Some(fork) = node.fork else { continue };
            let sides = match &mut self.nodes[own as usize].fork {
                Some(known) => {
                    known.is_own |= fork.is_own;
                    known.sides
                }
                None => {
                    let first = self.nodes.len() as u32;
                    let sides = [first, first + 1];
                    self.nodes.extend([Node::default(), Node::default()]);
                    self.nodes[own as usize].fork = Some(Fork {
                        at: place(fork.at),
                        sides,
                        ..fork
                    });
                    sides
                }
            };
            open.extend([(sides[0], fork.sides[0]), (sides[1], fork.sides[1])]);
        }
        for mut way in other.ways {
            let told = |known: &Way| (known.kind, &known.at) == (way.kind, &way.at);
            if self.ways.len() < MOST_WAYS && !self.ways.iter().any(told) {
                way.steps
                    .iter_mut()
                    .for_each(|step| step.at = place(step.at));
                self.ways.push(way);
            }
        }
        while self.nodes.len() > MOST_NODES && self.depth() > 0 {
            self.fold(self.depth() - 1);
        }
    }

    /// Returns the index of a place.
    pub fn place(&mut self, at: &SourceLoc) -> u32 {
        let known = self.places.iter().position(|known| known == at);
        known.unwrap_or_else(|| {
            self.places.push(at.clone());
            self.places.len() - 1
        }) as u32
    }

    /// Reports whether some forks are counted only.
    fn is_cut(&self) -> bool {
        self.nodes.iter().any(|node| node.forks > 0)
    }

    /// Returns the greatest number of forks before a node.
    pub fn depth(&self) -> usize {
        let depths = self.depths();
        depths.into_iter().map(|node| node.1).max().unwrap_or(0)
    }

    /// Returns all nodes with their depths, each after the one that it stems from.
    fn depths(&self) -> Vec<(u32, usize)> {
        let mut all: Vec<(u32, usize)> = self.roots.iter().map(|root| (*root, 0)).collect();
        let mut at = 0;
        while let Some((node, depth)) = all.get(at).copied() {
            if let Some(fork) = &self.nodes[node as usize].fork {
                all.extend(fork.sides.map(|side| (side, depth + 1)));
            }
            at += 1;
        }
        all
    }

    /// Ends the exploration: what was undone and not explored again is no fork, and nodes, places
    /// and ways come into an order that does not depend on who explored what.
    pub fn finish(&mut self) {
        for node in self.depths().into_iter().rev() {
            let node = node.0 as usize;
            if let Some(fork) = self.nodes[node].fork.take_if(|fork| !fork.is_own) {
                for side in fork.sides {
                    let side = self.nodes[side as usize].clone();
                    self.nodes[node].forks += side.forks;
                    self.nodes[node].ends.add(&side.ends);
                }
            }
        }
        self.fold(usize::MAX);
        let known = std::mem::take(&mut self.places);
        let mut order = known.clone();
        order.sort();
        order.dedup();
        let number = |at: &mut u32| {
            let place = &known[*at as usize];
            *at = order.partition_point(|other| other < place) as u32;
        };
        let forks = self.nodes.iter_mut().filter_map(|node| node.fork.as_mut());
        forks.filter_map(|fork| fork.at.as_mut()).for_each(&number);
        let steps = self.ways.iter_mut().flat_map(|way| &mut way.steps);
        steps.filter_map(|step| step.at.as_mut()).for_each(&number);
        self.places = order;
        let key = |way: &Way| (way.at.clone(), way.kind, way.steps.len());
        self.ways.sort_by_key(key);
    }

    /// Counts the forks at this depth and below instead of telling them.
    pub fn fold(&mut self, most: usize) {
        let depths = self.depths();
        for (node, depth) in depths.iter().rev() {
            if *depth < most {
                continue;
            }
            let Some(fork) = self.nodes[*node as usize].fork.take() else {
                continue;
            };
            let mut forks = u64::from(fork.is_own);
            let mut ends = Ends::default();
            for side in fork.sides {
                let side = &self.nodes[side as usize];
                forks += side.forks;
                ends.add(&side.ends);
            }
            self.nodes[*node as usize].forks += forks;
            self.nodes[*node as usize].ends.add(&ends);
        }
        let mut numbers = vec![0; self.nodes.len()];
        let mut kept = Vec::new();
        for (node, _) in depths.iter().filter(|node| node.1 <= most) {
            numbers[*node as usize] = kept.len() as u32;
            kept.push(std::mem::take(&mut self.nodes[*node as usize]));
        }
        for fork in kept.iter_mut().filter_map(|node| node.fork.as_mut()) {
            fork.sides = fork.sides.map(|side| numbers[side as usize]);
        }
        self.nodes = kept;
        let roots = self.roots.iter_mut();
        roots.for_each(|root| *root = numbers[*root as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(kind: EndKind) -> Node {
        let mut node = Node::default();
        node.ends.note(kind);
        node
    }

    fn fork(sides: [u32; 2], is_own: bool) -> Node {
        let fork = Fork {
            at: Some(0),
            kind: ForkKind::Branch,
            sides,
            is_own,
        };
        Node {
            fork: Some(fork),
            ..Node::default()
        }
    }

    fn tree(nodes: Vec<Node>) -> DecisionTree {
        DecisionTree {
            places: vec![SourceLoc::new("src/lib.rs", 3, 5)],
            nodes,
            roots: vec![0],
            ..DecisionTree::default()
        }
    }

    /// A tree of three paths, of which the first two are behind a second fork.
    fn example() -> DecisionTree {
        tree(vec![
            fork([1, 2], true),
            fork([3, 4], true),
            leaf(EndKind::Found),
            leaf(EndKind::Passed),
            Node::default(),
        ])
    }

    #[test]
    fn what_is_folded_is_counted() {
        let mut folded = example();
        assert_eq!(folded.depth(), 2);
        folded.fold(1);
        assert_eq!((folded.nodes.len(), folded.depth()), (3, 1));
        let below = &folded.nodes[1];
        assert_eq!((below.forks, below.ends.passed, below.open()), (1, 1, 1));
        folded.fold(0);
        let root = &folded.nodes[0];
        assert_eq!((root.forks, root.ends.all(), root.open()), (2, 2, 1));
    }

    #[test]
    fn two_explorations_make_one_tree() {
        // The second came by both forks, and explored the path that the first left open.
        let second = tree(vec![
            fork([1, 2], false),
            fork([3, 4], false),
            Node::default(),
            Node::default(),
            leaf(EndKind::Assumed),
        ]);
        let mut whole = example();
        whole.nodes[4] = leaf(EndKind::Assumed);
        for (mut one, other) in [(example(), second.clone()), (second, example())] {
            one.add(other);
            assert_eq!(one, whole);
        }
    }

    #[test]
    fn an_undone_fork_is_none() {
        let mut undone = example();
        let fork = undone.nodes[1].fork.as_mut().unwrap();
        fork.is_own = false;
        undone.nodes[3] = Node::default();
        undone.places.insert(0, SourceLoc::new("src/z.rs", 1, 1));
        undone.finish();
        assert_eq!((undone.nodes.len(), undone.nodes[1].open()), (3, 1));
        let at = undone.nodes[0].fork.as_ref().unwrap().at;
        assert_eq!(undone.places[at.unwrap() as usize].file, "src/z.rs");
    }

    #[test]
    fn a_part_that_is_folded_folds_the_whole() {
        let mut folded = example();
        folded.fold(1);
        let second = tree(vec![
            fork([1, 2], false),
            fork([3, 4], false),
            Node::default(),
            Node::default(),
            leaf(EndKind::Assumed),
        ]);
        for (mut one, other) in [(folded.clone(), second.clone()), (second, folded)] {
            one.add(other);
            assert_eq!(one.nodes.len(), 3);
            let below = &one.nodes[1];
            assert_eq!((below.forks, below.ends.all(), below.open()), (1, 2, 0));
        }
    }
}
