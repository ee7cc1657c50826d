//! Random path search [KLEE, section 3.4]: walks the tree of all forks from its root and chooses
//! each branch with the same chance, so that a path that forked rarely is not drowned by one that
//! forks in a loop.
//!
//! Invariant: each state that lives is one leaf; each inner node has two children. A subtree's
//! count is the number of waiting states in it; a state that is away keeps its leaf.

use super::order::Order;
use crate::state::{State, StateId};
use rustc_hash::FxHashMap;
use symex_types::splitmix::Random;

type TreeNodeId = usize;

struct TreeNode {
    parent: Option<TreeNodeId>,
    kind: TreeNodeKind,
    /// Number of waiting states in the subtree.
    waiting: u32,
}

enum TreeNodeKind {
    Leaf(StateId),
    Inner(TreeNodeId, TreeNodeId),
    /// Node on the free list.
    Free,
}

/// The tree of forks.
pub struct RandomPath {
    random: Random,
    nodes: Vec<TreeNode>,
    free: Vec<TreeNodeId>,
    root: Option<TreeNodeId>,
    leaves: FxHashMap<StateId, TreeNodeId>,
    /// States that have ended, but whose children may still come.
    ending: Vec<StateId>,
}

impl RandomPath {
    /// Makes a tree without states.
    pub fn new(seed: u64) -> Self {
        RandomPath {
            random: Random::new(seed),
            nodes: Vec::new(),
            free: Vec::new(),
            root: None,
            leaves: FxHashMap::default(),
            ending: Vec::new(),
        }
    }

    fn node(&mut self, parent: Option<TreeNodeId>, kind: TreeNodeKind, waiting: u32) -> TreeNodeId {
        let node = TreeNode {
            parent,
            kind,
            waiting,
        };
        match self.free.pop() {
            Some(at) => {
                self.nodes[at] = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        }
    }

    /// Makes a leaf beside the one at `at`.
    fn split(&mut self, at: TreeNodeId, id: StateId) -> TreeNodeId {
        let waiting = self.nodes[at].waiting;
        let TreeNodeKind::Leaf(old) = self.nodes[at].kind else {
            unreachable!("states are leaves")
        };
        let first = self.node(Some(at), TreeNodeKind::Leaf(old), waiting);
        let second = self.node(Some(at), TreeNodeKind::Leaf(id), 0);
        self.nodes[at].kind = TreeNodeKind::Inner(first, second);
        self.leaves.insert(old, first);
        self.leaves.insert(id, second);
        second
    }

    /// Makes a leaf for a state of unknown origin: beside the root.
    fn attach(&mut self, id: StateId) -> TreeNodeId {
        let leaf = self.node(None, TreeNodeKind::Leaf(id), 0);
        self.leaves.insert(id, leaf);
        match self.root {
            None => self.root = Some(leaf),
            Some(root) => {
                let waiting = self.nodes[root].waiting;
                let top = self.node(None, TreeNodeKind::Inner(root, leaf), waiting);
                self.nodes[root].parent = Some(top);
                self.nodes[leaf].parent = Some(top);
                self.root = Some(top);
            }
        }
        leaf
    }

    fn count(&mut self, leaf: TreeNodeId, waits: bool) {
        if (self.nodes[leaf].waiting == 1) == waits {
            return;
        }
        let mut at = Some(leaf);
        while let Some(n) = at {
            let node = &mut self.nodes[n];
            if waits {
                node.waiting += 1;
            } else {
                node.waiting -= 1;
            }
            at = node.parent;
        }
    }

    /// Removes the leaf of a state; its sibling takes the place of their parent.
    fn prune(&mut self, id: StateId) {
        let Some(leaf) = self.leaves.remove(&id) else {
            return;
        };
        self.count(leaf, false);
        let parent = self.nodes[leaf].parent;
        self.nodes[leaf].kind = TreeNodeKind::Free;
        self.free.push(leaf);
        let Some(parent) = parent else {
            self.root = None;
            return;
        };
        let TreeNodeKind::Inner(a, b) = self.nodes[parent].kind else {
            unreachable!("a parent is an inner node")
        };
        let sibling = if a == leaf { b } else { a };
        let above = self.nodes[parent].parent;
        self.nodes[sibling].parent = above;
        match above {
            None => self.root = Some(sibling),
            Some(above) => {
                let TreeNodeKind::Inner(x, y) = &mut self.nodes[above].kind else {
                    unreachable!("a parent is an inner node")
                };
                if *x == parent {
                    *x = sibling;
                } else {
                    *y = sibling;
                }
            }
        }
        self.nodes[parent].kind = TreeNodeKind::Free;
        self.free.push(parent);
    }
}

impl Order for RandomPath {
    fn waits(&mut self, state: &State, parent: Option<StateId>, _: bool) {
        let leaf = match self.leaves.get(&state.id) {
            Some(leaf) => *leaf,
            None => match parent.and_then(|p| self.leaves.get(&p).copied()) {
                Some(beside) => self.split(beside, state.id),
                None => self.attach(state.id),
            },
        };
        self.count(leaf, true);
    }

    fn pick(&mut self) -> Option<StateId> {
        for id in std::mem::take(&mut self.ending) {
            self.prune(id);
        }
        let mut at = self.root.filter(|r| self.nodes[*r].waiting > 0)?;
        loop {
            match self.nodes[at].kind {
                TreeNodeKind::Leaf(id) => return Some(id),
                TreeNodeKind::Inner(a, b) => {
                    at = match (self.nodes[a].waiting, self.nodes[b].waiting) {
                        (0, _) => b,
                        (_, 0) => a,
                        _ if self.random.bits() >> 63 == 0 => a,
                        _ => b,
                    }
                }
                TreeNodeKind::Free => unreachable!("a free node has no parent"),
            }
        }
    }

    fn taken(&mut self, id: StateId) {
        if let Some(leaf) = self.leaves.get(&id).copied() {
            self.count(leaf, false);
        }
    }

    fn ended(&mut self, id: StateId) {
        self.ending.push(id);
    }
}
