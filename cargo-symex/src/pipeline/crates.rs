//! Builds the plan for harnesses of crates: loads programs and looks up earlier verdicts.

use super::discover::{self, FoundHarness, LoadedHarness};
use super::error::CommandError;
use super::event::{Monitor, Notice};
use super::paths::PathLog;
use super::select::Selection;
use super::verdict_cache::VerdictCache;
use super::{RunPlan, Task};
use crate::confirm::Confirm;
use crate::confirm::crate_harness::CrateHarness;
use crate::confirm::fuzz_target::NativeFuzzTarget;
use crate::confirm::launch::Launcher;
use crate::confirm::property_test::NativePropertyTest;
use crate::harness::{HarnessKind, TestHarness};
use crate::ignored::IgnoreList;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use symex_types::config::Config;

/// The results of earlier runs that may be used.
#[derive(Clone, Copy)]
pub struct Caching {
    /// Programs that were linked earlier.
    pub programs: bool,
    /// Verdicts and answers of the solver.
    pub verdicts: bool,
    /// What is left of explorations, whatever the limits of this run are.
    pub resume: bool,
}

/// Returns the plan for a selection of harnesses, with the settings of each; native runs are made
/// by `launcher`.
pub fn plan(
    selection: Selection,
    configs: Vec<Config>,
    caching: Caching,
    launcher: &Launcher,
    monitor: &dyn Monitor,
) -> Result<RunPlan, CommandError> {
    let begin = Instant::now();
    let loaded = discover::load(&selection.run, caching.programs, monitor)?;
    let mut cache = match loaded.first() {
        Some(first) if caching.verdicts => VerdictCache::open(&first.target.built().target_dir)?,
        _ => VerdictCache::default(),
    };
    let pairs = loaded.iter().zip(&configs);
    let entries: Vec<_> = pairs
        .map(|(one, config)| cache.look_up(one, config, caching.resume))
        .collect();
    if let Some(text) = cache.warning() {
        monitor.notice(Notice::Warning { text, help: None });
    }
    let looked_up = loaded.iter().zip(&entries);
    let unknown = looked_up.filter(|(_, entry)| !entry.is_known());
    discover::decode(unknown.map(|(loaded, _)| loaded))?;
    monitor.notice(Notice::Took {
        what: "linking and reading",
        time: begin.elapsed(),
    });
    let missing_for_c = loaded
        .iter()
        .find_map(|loaded| loaded.target.built().missing_for_c.clone());
    let writing = Arc::new(Mutex::new(()));
    let tasks = loaded.into_iter().zip(configs).zip(entries);
    let tasks = tasks.map(|((loaded, config), cached)| Task {
        harness: loaded.harness.clone(),
        config,
        confirm: native_side(&loaded, launcher, &writing),
        cached,
        path_log: PathLog::default(),
        ignored: IgnoreList::default(),
        program: Box::new(move || loaded.start()),
    });
    let harness = |found: FoundHarness| found.harness;
    Ok(RunPlan {
        tasks: tasks.collect(),
        ignored: selection
            .ignored
            .into_iter()
            .map(harness)
            .collect::<Vec<TestHarness>>(),
        filtered_out: selection.filtered_out.len(),
        cache,
        missing_for_c,
        is_partial: false,
    })
}

fn native_side(
    loaded: &LoadedHarness,
    launcher: &Launcher,
    writing: &Arc<Mutex<()>>,
) -> Arc<dyn Confirm> {
    let (harness, target) = (loaded.harness.clone(), loaded.target.clone());
    let launcher = launcher.clone();
    match loaded.harness.kind {
        HarnessKind::Harness
        | HarnessKind::KaniProof
        | HarnessKind::QuickCheckTest
        | HarnessKind::BoleroTest => Arc::new(CrateHarness {
            harness,
            target,
            launcher,
            writing: writing.clone(),
        }),
        HarnessKind::PropertyTest => Arc::new(NativePropertyTest {
            harness,
            target,
            launcher,
            writing: writing.clone(),
        }),
        HarnessKind::FuzzTarget => Arc::new(NativeFuzzTarget {
            harness,
            target,
            launcher,
        }),
    }
}
