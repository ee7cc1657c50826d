//! Tests of random programs over the heap, which are run natively on each of their inputs: the
//! engine must find exactly what happens natively.
//!
//! `SYMEX_TEST_SEED=N` tries the program of one seed, and shows it. `SYMEX_TEST_SECONDS=N` goes on
//! for that long.

use super::exploring::{EACH_RANDOM, run, true_faults};
use super::heap_programs::batch::{self, Case, Fault};
use super::heap_programs::generator;
use super::settings::settings;
use crate::support::number;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use symex_engine::Entry;
use symex_types::config::MemoryModelKind;
use symex_types::outcome::{Bound, Outcome, Verdict};

/// Seeds whose programs once showed a difference.
const KEPT: &[u64] = &[];

/// Number of programs to try.
const PROGRAMS: u64 = 160;
const SECONDS: u64 = 75;
/// Number of programs that are compiled together.
const BATCH: usize = 8;
/// Results of the explorations.
#[derive(Default)]
struct Tally {
    complaints: Vec<String>,
    /// Number of explorations by model: all, and those that a time limit ended.
    explored: BTreeMap<String, (usize, usize)>,
    /// Number of programs with a fault on some input.
    faulty: usize,
    programs: usize,
    seconds: BTreeMap<String, f64>,
}
/// Compares an exploration with the native behaviour. Returns the complaint, if any, and false if
/// the exploration was cut short.
fn compare(
    case: &Case,
    outcome: &Outcome,
    expected: &BTreeMap<Fault, BTreeSet<usize>>,
    complete: bool,
) -> Result<bool, String> {
    let found = true_faults(case, outcome, expected)?;
    let verdict = &outcome.verdict;
    if let Verdict::Vacuous { .. } = verdict {
        return Err(format!("{verdict:?}"));
    }
    let (unsupported, bounds) = (verdict.unsupported(), verdict.bounds());
    if !unsupported.is_empty() {
        return Err(format!("{unsupported:?}"));
    }
    if !bounds.is_empty() {
        let all_timeouts = bounds.iter().all(|bound| bound.what == Bound::Timeout);
        return if complete && !all_timeouts {
            Err(format!("{bounds:?}"))
        } else {
            Ok(false)
        };
    }
    // A complete pass must be one, whatever the model says of itself.
    let lost: Vec<_> = expected
        .iter()
        .filter(|(fault, _)| !found.contains(*fault))
        .collect();
    if lost.is_empty() {
        Ok(true)
    } else {
        Err(format!("{lost:?} was not found"))
    }
}
fn check_batch(seeds: &[u64], passes: bool, tally: &Mutex<Tally>, show: bool) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let programs: Vec<_> = seeds.iter().map(|seed| generator::program(*seed)).collect();
    let (cases, program) = batch::prepare(&programs, folder.path(), passes);
    for case in &cases {
        if show {
            println!("{}\nfaults {:?}", case.text, case.faults);
        }
        let mut both = case.faults.clone();
        both.extend(case.mutants.clone());
        for (name, memory) in settings() {
            for (entry, expected) in [(&case.right, &case.faults), (&case.wrong, &both)] {
                let harness = Entry::Harness(program.function_names[entry]);
                let outcome = run(&program, harness, &memory, EACH_RANDOM);
                let compared = compare(case, &outcome, expected, memory.model.is_complete());
                if show {
                    let stats = &outcome.stats;
                    println!(
                        "{name} {entry}: {} paths, {} queries, {:.3} s, {compared:?}",
                        stats.paths, stats.queries, stats.seconds
                    );
                }
                let mut tally = tally.lock().expect("no panic");
                let count = tally.explored.entry(name.clone()).or_default();
                count.0 += 1;
                count.1 += usize::from(compared == Ok(false));
                *tally.seconds.entry(name.clone()).or_default() += outcome.stats.seconds;
                if let Err(complaint) = compared {
                    tally.complaints.push(format!(
                        "seed {}, passes {passes}, {name}, {entry}: {complaint}",
                        case.seed
                    ));
                }
            }
        }
        let mut tally = tally.lock().expect("no panic");
        tally.programs += 1;
        tally.faulty += usize::from(!case.faults.is_empty());
    }
}
#[test]
fn random_heap_programs() {
    let tally = Mutex::new(Tally::default());
    if let Some(seed) = number("SYMEX_TEST_SEED") {
        for passes in [false, true] {
            check_batch(&[seed], passes, &tally, true);
        }
    } else {
        let seconds = number("SYMEX_TEST_SECONDS");
        let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(SECONDS));
        let programs = if seconds.is_some() {
            u64::MAX
        } else {
            PROGRAMS
        };
        let kept = KEPT.iter().map(|seed| [(*seed, false), (*seed, true)]);
        // Batches with and without passes alternate.
        let fresh = (1..=programs).map(|seed| (seed, (seed / BATCH as u64).is_multiple_of(2)));
        let seeds = Mutex::new(kept.flatten().chain(fresh));
        let worker = || {
            while Instant::now() < end {
                let batch: Vec<(u64, bool)> = {
                    let mut seeds = seeds.lock().expect("no panic");
                    seeds.by_ref().take(BATCH).collect()
                };
                if batch.is_empty() {
                    break;
                }
                for passes in [false, true] {
                    let of_kind = batch.iter().filter(|(_, p)| *p == passes);
                    let of_kind: Vec<u64> = of_kind.map(|(seed, _)| *seed).collect();
                    if !of_kind.is_empty() {
                        check_batch(&of_kind, passes, &tally, false);
                    }
                }
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(worker);
            }
        });
    }
    let tally = tally.into_inner().expect("no panic");
    println!(
        "{} programs, {} with faults; explorations (all, out of time): {:?}; seconds {:?}",
        tally.programs, tally.faulty, tally.explored, tally.seconds
    );
    assert!(
        tally.complaints.is_empty(),
        "{} complaints\n{}",
        tally.complaints.len(),
        tally.complaints.join("\n")
    );
    for (name, (all, cut)) in &tally.explored {
        let model = settings().into_iter().find(|(n, _)| n == name);
        let model = model.map(|(_, memory)| memory.model);
        let complete = model.is_some_and(MemoryModelKind::is_complete);
        // The flat model is a baseline, expected to be worse.
        let most = match model {
            Some(MemoryModelKind::Flat) => all / 2,
            _ => all / 10,
        };
        assert!(
            !complete || *cut <= most,
            "{name}: {cut} of {all} were cut short"
        );
    }
}
