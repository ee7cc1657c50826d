//! Runs of coordinators and workers over an engine in memory that loses answers, delivers twice,
//! and whose workers die: each leaf of the tree counts once whatever happens.

mod support;

use std::sync::atomic::AtomicBool;
use std::time::Duration;
use support::memory::{Chaos, Death, Memory};
use support::{Leaves, Total, run_of, tree, worker};
use symex_cluster::coordinator::coordinate;
use symex_cluster::exchange::Exchange;

/// Works with threads that die at this call of the engine, until the run is over; then a new one
/// takes their place.
fn explore(memory: &Memory, deaths: &[Death], workers: usize) -> Total {
    let (run, info) = run_of("tree");
    let (roots, mut host) = (tree(9), Leaves::default());
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for number in 0..workers {
            let deaths: Vec<Death> = deaths
                .iter()
                .skip(number)
                .step_by(workers)
                .copied()
                .collect();
            let (memory, stop) = (memory.clone(), &stop);
            scope.spawn(move || {
                let lives = deaths.into_iter().map(Some).chain(std::iter::repeat(None));
                for (life, death) in lives.enumerate() {
                    let exchange = memory.seen_by(death);
                    let worker = worker(&exchange, &format!("{number}.{life}"), stop);
                    if worker.work(&mut support::Fake::default()).is_ok() {
                        return;
                    }
                }
            });
        }
        let end = coordinate(memory, &run, &info, &roots, &mut host);
        stop.store(true, std::sync::atomic::Ordering::SeqCst);
        assert!(end.failure.is_none(), "{:?}", end.failure);
        assert!(end.ledger.is_closed());
        assert_eq!(end.ledger.lost(), 0);
    });
    host.total
}

#[test]
fn each_leaf_counts_once() {
    let memory = Memory::new(Duration::from_secs(10), Chaos::none());
    let total = explore(&memory, &[], 3);
    assert_eq!(total, Total::of_whole_tree(9));
    assert!(memory.is_empty(), "what was kept of the run is removed");
}

#[test]
fn a_death_at_any_step_changes_nothing() {
    // A worker asks the engine for a few things a region. Each may be the last that it asks, and
    // may have been done or not.
    std::thread::scope(|scope| {
        for call in 0..60 {
            scope.spawn(move || {
                for done in [false, true] {
                    let memory = Memory::new(Duration::from_millis(30), Chaos::none());
                    let total = explore(&memory, &[Death { call, done }], 1);
                    let whole = Total::of_whole_tree(9);
                    assert_eq!(total, whole, "died at call {call}, done: {done}");
                }
            });
        }
    });
}

#[test]
fn chaos_changes_nothing() {
    for seed in 0..20 {
        let memory = Memory::new(Duration::from_millis(50), Chaos::seeded(seed));
        let death = |number: u64| Death {
            call: 3 + (seed * 7 + number * 13) % 50,
            done: (seed + number).is_multiple_of(2),
        };
        let deaths: Vec<Death> = (0..12).map(death).collect();
        let total = explore(&memory, &deaths, 4);
        assert_eq!(total, Total::of_whole_tree(9), "seed {seed}");
    }
}

#[test]
fn a_region_that_nobody_finishes_is_lost_and_said_to_be() {
    let memory = Memory::new(Duration::from_millis(20), Chaos::none());
    let (run, info) = run_of("tree");
    let roots = tree(6);
    let mut host = Leaves::default();
    let stop = AtomicBool::new(false);
    let end = std::thread::scope(|scope| {
        scope.spawn(|| {
            let worker = worker(&memory, "it", &stop);
            worker.work(&mut support::Fake::that_fails_at(vec![1, 0]))
        });
        let end = coordinate(&memory, &run, &info, &roots, &mut host);
        stop.store(true, std::sync::atomic::Ordering::SeqCst);
        end
    });
    assert!(end.failure.is_none());
    assert!(end.ledger.lost() > 0);
    assert_eq!(host.lost, end.ledger.lost());
    assert!(host.total.leaves < Total::of_whole_tree(6).leaves);
    assert!(end.ledger.unexplored().count() == end.ledger.lost());
}

#[test]
fn a_worker_that_is_late_counts_nothing() {
    // The first worker sleeps for longer than its lease; another one takes the region over.
    let memory = Memory::new(Duration::from_millis(30), Chaos::without_heartbeats());
    let (run, info) = run_of("tree");
    let roots = tree(7);
    let mut host = Leaves::default();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for number in 0..2 {
            let (memory, stop) = (memory.clone(), &stop);
            scope.spawn(move || {
                let worker = worker(&memory, &format!("{number}"), stop);
                let mut fake = support::Fake {
                    pause: (number == 0).then_some(Duration::from_millis(100)),
                    ..support::Fake::default()
                };
                worker.work(&mut fake)
            });
        }
        let end = coordinate(&memory, &run, &info, &roots, &mut host);
        stop.store(true, std::sync::atomic::Ordering::SeqCst);
        assert!(end.ledger.is_closed());
    });
    assert_eq!(host.total, Total::of_whole_tree(7));
}

#[test]
fn a_run_that_the_host_stops_leaves_what_is_open() {
    let memory = Memory::new(Duration::from_secs(10), Chaos::none());
    let (run, info) = run_of("tree");
    let roots = tree(6);
    let mut host = Leaves {
        most: Some(0),
        ..Leaves::default()
    };
    let end = coordinate(&memory, &run, &info, &roots, &mut host);
    assert!(!end.ledger.is_closed());
    assert!(end.ledger.unexplored().eq(&roots));
    assert!(memory.info(&run).is_err(), "the run is removed");
}
