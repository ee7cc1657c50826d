//! A tree of numbers in place of the paths of a program.

#![allow(dead_code, reason = "not all tests use all of it")]

pub mod memory;

use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use symex_cluster::coordinator::Host;
use symex_cluster::exchange::{Exchange, Region, RunId, RunInfo, RunState};
use symex_cluster::ledger::Ledger;
use symex_cluster::worker::{Explored, Explorer, Task, Worker};

/// Number of nodes after which a region is given up, what is left of it being its children.
const MOST_NODES: usize = 40;

/// Number of children of a region.
const PARTS: usize = 3;

/// What was counted: leaves, and the share of the tree, of which each fork gives a side half.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Total {
    pub leaves: u64,
    /// In parts of 2^-40.
    pub weight: u64,
}

impl Total {
    /// Returns the count of a whole tree of this depth, by walking it.
    pub fn of_whole_tree(depth: u8) -> Self {
        let mut total = Total::default();
        let mut open = vec![Vec::new()];
        while let Some(node) = open.pop() {
            total.visit(&node, depth, &mut open);
        }
        assert_eq!(total.weight, 1 << 40);
        total
    }

    /// Visits a node: it is a leaf, or has two nodes below it.
    fn visit(&mut self, node: &[u8], depth: u8, open: &mut Vec<Vec<u8>>) {
        // The tree has short sides, too.
        let is_short = node.len() >= 2 && node.ends_with(&[1, 1]);
        if is_short || node.len() >= depth as usize {
            self.leaves += 1;
            self.weight += 1 << (40 - node.len());
            return;
        }
        for side in [0, 1] {
            open.push(node.iter().copied().chain([side]).collect());
        }
    }
}

/// Nodes of a tree of a depth that are not visited.
#[derive(Serialize, Deserialize)]
struct Open {
    depth: u8,
    nodes: Vec<Vec<u8>>,
}

/// Returns the regions of a tree of this depth: its root.
pub fn tree(depth: u8) -> Vec<Region> {
    let nodes = vec![Vec::new()];
    let root = postcard::to_stdvec(&Open { depth, nodes }).unwrap();
    vec![Region::new(None, root)]
}

/// Returns the name of a run, which no other has, and what is told of it.
pub fn run_of(harness: &str) -> (RunId, RunInfo) {
    let info = RunInfo {
        harness: harness.to_owned(),
        by: "test".to_owned(),
        tool: "test".to_owned(),
        job: Vec::new(),
    };
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let number = RUNS.fetch_add(1, Ordering::Relaxed);
    (
        RunId(format!("{harness}-{}-{number}", std::process::id())),
        info,
    )
}

/// Makes a worker that works until it is told to stop.
pub fn worker<'a>(exchange: &'a dyn Exchange, name: &str, stop: &'a AtomicBool) -> Worker<'a> {
    Worker {
        exchange,
        name: name.to_owned(),
        stop,
        most_idle: None,
        watch: &|_| {},
    }
}

/// Visits nodes.
#[derive(Default)]
pub struct Fake {
    /// Node at which it panics.
    pub fails_at: Option<Vec<u8>>,
    /// Time that a region takes.
    pub pause: Option<Duration>,
}

impl Fake {
    pub fn that_fails_at(node: Vec<u8>) -> Self {
        Fake {
            fails_at: Some(node),
            pause: None,
        }
    }
}

impl Explorer for Fake {
    fn explore(
        &mut self,
        task: &Task<'_>,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Explored, String> {
        let Open { depth, mut nodes } = postcard::from_bytes(task.region).unwrap();
        let (mut total, mut visited) = (Total::default(), 0);
        while let Some(node) = nodes.pop() {
            assert!(
                self.fails_at.as_ref() != Some(&node),
                "it fails, as it shall"
            );
            total.visit(&node, depth, &mut nodes);
            visited += 1;
            if visited >= MOST_NODES || !goes_on(nodes.len()) {
                break;
            }
        }
        if let Some(pause) = self.pause {
            std::thread::sleep(pause);
        }
        let parts = PARTS.min(nodes.len());
        let part = |number: usize| {
            let nodes = nodes.iter().skip(number).step_by(parts).cloned().collect();
            postcard::to_stdvec(&Open { depth, nodes }).unwrap()
        };
        Ok(Explored {
            found: postcard::to_stdvec(&total).unwrap(),
            left: (0..parts).map(part).collect(),
        })
    }
}

/// Adds up what workers count.
#[derive(Default)]
pub struct Leaves {
    pub total: Total,
    pub lost: usize,
    /// Number of leaves at which it stops.
    pub most: Option<u64>,
}

impl Host for Leaves {
    fn add(&mut self, _by: &str, found: Vec<u8>) {
        let found: Total = postcard::from_bytes(&found).unwrap();
        self.total.leaves += found.leaves;
        self.total.weight += found.weight;
    }

    fn lost(&mut self, _by: &str, _why: &str) {
        self.lost += 1;
    }

    fn goes_on(&mut self, _ledger: &Ledger) -> bool {
        self.most.is_none_or(|most| self.total.leaves < most)
    }

    fn state(&self, _ledger: &Ledger) -> RunState {
        RunState::default()
    }
}
