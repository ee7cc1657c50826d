//! Tests of searchers on states that only have numbers and positions.

use super::*;
use crate::state::{Decisions, Frame, Pointers, Stack};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::rc::Rc;
use symex_memory::AddressSpace;
use symex_program::FuncId;
use symex_terms::{Assignment, PathCondition};
use symex_types::config::SearchKind;

const KINDS: [SearchKind; 5] = [
    SearchKind::Dfs,
    SearchKind::Bfs,
    SearchKind::RandomPath,
    SearchKind::Coverage,
    SearchKind::Interleaved,
];

pub(super) fn state(id: u64, pc: u32) -> State {
    State {
        id: StateId(id),
        stack: Stack::new(Frame {
            function: FuncId(0),
            pc,
            slots: Vec::new(),
            kept: None,
            allocas: SmallVec::new(),
            bytes: 0,
            varargs: Rc::from([]),
            serial: 0,
            again: false,
            reshaped: false,
            tags: None,
        }),
        memory: AddressSpace::default(),
        condition: PathCondition::default(),
        assignment: Assignment::default(),
        decisions: Decisions::default(),
        trail: Default::default(),
        inputs: Default::default(),
        status: None,
        exception: None,
        unwinds: None,
        panics: Default::default(),
        raised: None,
        steps: 0,
        address_dependent: false,
        parts: Rc::default(),
        placed: Rc::default(),
        pointers: Pointers::default(),
        joins: Default::default(),
        guards: Default::default(),
        new_cover: None,
        hashes: Default::default(),
        applied: Default::default(),
        unverified: None,
        untaken: None,
        assumptions: Rc::default(),
        check: None,
        world: Rc::default(),
        borrows: None,
        threads: None,
    }
}

/// Runs a tree in which state `n` forks off a state each time it runs while fewer than `most`
/// exist, and ends at its third run. Returns the order of runs.
fn explore(kind: SearchKind, seed: u64, most: u64) -> Vec<u64> {
    let mut searcher = build(kind, seed);
    searcher.add(state(0, 0), None, true);
    let (mut made, mut order, mut runs) = (1, Vec::new(), BTreeMap::new());
    while let Some(mut s) = searcher.next() {
        let id = s.id;
        order.push(id.0);
        s.steps += 100;
        let run = runs.entry(id).or_insert(0u32);
        *run += 1;
        let pc = s.stack.top.pc + 1;
        s.stack.top.pc = pc;
        if *run < 3 {
            searcher.add(s, None, id.0.is_multiple_of(7));
        } else {
            searcher.note_end(id);
        }
        if made < most {
            searcher.add(state(made, pc % 5), Some(id), false);
            made += 1;
        }
        assert!(order.len() < 10_000);
    }
    assert!(searcher.is_empty());
    assert_eq!(runs.len() as u64, most, "{kind:?}");
    assert!(runs.values().all(|r| *r == 3), "{kind:?}");
    order
}

#[test]
fn every_state_runs_to_its_end() {
    for kind in KINDS {
        for seed in 0..20 {
            explore(kind, seed, 60);
        }
    }
}

#[test]
fn the_order_depends_on_the_seed_alone() {
    for kind in KINDS {
        assert_eq!(explore(kind, 5, 60), explore(kind, 5, 60));
    }
    for kind in &KINDS[2..] {
        assert_ne!(explore(*kind, 1, 60), explore(*kind, 2, 60));
    }
}

#[test]
fn depth_and_breadth() {
    let order = |kind| {
        let mut searcher = build(kind, 0);
        for id in 0..4 {
            searcher.add(state(id, 0), None, false);
        }
        std::iter::from_fn(move || searcher.next().map(|s| s.id.0)).collect::<Vec<_>>()
    };
    assert_eq!(order(SearchKind::Dfs), [3, 2, 1, 0]);
    assert_eq!(order(SearchKind::Bfs), [0, 1, 2, 3]);
}

#[test]
fn what_is_removed_is_not_chosen() {
    for kind in KINDS {
        let mut searcher = build(kind, 3);
        searcher.add(state(0, 0), None, false);
        for id in [5, 2, 9, 1] {
            searcher.add(state(id, 0), Some(StateId(0)), false);
        }
        let removed = searcher.remove(StateId(2)).map(|state| state.id);
        assert_eq!((removed, searcher.len()), (Some(StateId(2)), 4));
        assert!(searcher.remove(StateId(2)).is_none());
        let mut ids: Vec<u64> = std::iter::from_fn(|| searcher.next())
            .map(|state| state.id.0)
            .collect();
        ids.sort_unstable();
        assert_eq!(ids, [0, 1, 5, 9]);
    }
}

#[test]
fn draining_gives_all_states_in_the_order_of_the_search() {
    for kind in KINDS {
        let fill = |searcher: &mut dyn Searcher| {
            searcher.add(state(0, 0), None, false);
            for id in [5, 2, 9, 1] {
                searcher.add(state(id, 0), Some(StateId(0)), false);
            }
        };
        let mut searcher = build(kind, 3);
        fill(&mut *searcher);
        let mut ids = Vec::new();
        searcher.drain(&mut |state| ids.push(state.id.0));
        assert!(searcher.is_empty() && searcher.next().is_none());
        let mut other = build(kind, 3);
        fill(&mut *other);
        let next = other.next().map(|state| state.id.0);
        assert_eq!(ids.first().copied(), next, "{kind:?}");
        ids.sort_unstable();
        assert_eq!(ids, [0, 1, 2, 5, 9]);
    }
}

/// Counts how often each state is the first choice, over many seeds.
fn first_choices(kind: SearchKind, fill: impl Fn(&mut dyn Searcher)) -> BTreeMap<u64, u32> {
    let mut counts = BTreeMap::new();
    for seed in 0..400 {
        let mut searcher = build(kind, seed);
        fill(&mut *searcher);
        let first = searcher.next().expect("a state waits");
        *counts.entry(first.id.0).or_insert(0) += 1;
    }
    counts
}

#[test]
fn a_random_path_halves_at_each_fork() {
    // 0 splits off 1; 1 splits off 2, 3, 4 in turn: state 0 is half of the tree.
    let counts = first_choices(SearchKind::RandomPath, |s| {
        s.add(state(0, 0), None, false);
        s.add(state(1, 0), Some(StateId(0)), false);
        for id in 2..5 {
            s.add(state(id, 0), Some(StateId(1)), false);
        }
    });
    assert!((160..240).contains(&counts[&0]), "{counts:?}");
    assert_eq!(counts.len(), 5, "{counts:?}");
}

#[test]
fn a_child_of_an_ended_state_takes_its_place() {
    let counts = first_choices(SearchKind::RandomPath, |s| {
        s.add(state(0, 0), None, false);
        s.add(state(1, 0), Some(StateId(0)), false);
        while s.next().expect("both wait").id != StateId(1) {}
        s.note_end(StateId(1));
        s.add(state(2, 0), Some(StateId(1)), false);
    });
    // What was taken on the way to state 1 has not come back.
    assert!(counts.contains_key(&2), "{counts:?}");
}

#[test]
fn rarely_seen_places_weigh_more() {
    let counts = first_choices(SearchKind::Coverage, |s| {
        for id in 0..20 {
            s.add(state(id, 7), None, false);
        }
        s.add(state(20, 8), None, false);
    });
    // 1 against 1 + 1/2 + … + 1/20.
    let rare = counts.get(&20).copied().unwrap_or(0);
    assert!((60..130).contains(&rare), "{counts:?}");
}

#[test]
fn a_state_stays_for_a_few_runs() {
    let mut searcher = build(SearchKind::Interleaved, 1);
    for id in 0..50 {
        searcher.add(state(id, 0), None, false);
    }
    let (mut last, mut changes) = (u64::MAX, 0);
    for _ in 0..800 {
        let s = searcher.next().expect("states wait");
        if s.id.0 != last {
            changes += 1;
            last = s.id.0;
        }
        searcher.add(s, None, false);
    }
    assert!((80..=100).contains(&changes), "{changes}");
}
