//! Pre-runs: a harness's own native test runs it on many inputs that it makes up, in one process,
//! and tells those that failed.
//!
//! A failure that ends the process, or a run without end, costs the process; another one goes on
//! behind that run. What the inputs show is left to the engine.

use super::launch::Launcher;
use super::native::Native;
use super::run_directory::RunDirectory;
use crate::harness::TestHarness;
use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};
use symex_abi::ENV_PRE_RUNS;
use symex_abi::inputs::{self, Input};
use symex_abi::pre_runs::{CURRENT, Current, DONE, MOST_FAILURES, ORDER, Order, failure};
use symex_engine::GivenInputs;

/// Greatest number of processes.
const PROCESSES: usize = 16;

/// Greatest number of inputs that ended a process and are kept: nothing tells one from another.
const MOST_ENDS: usize = 4;

/// Time that a process has beyond that for its runs: to start, and for its last run.
const GRACE: Duration = Duration::from_secs(1);

/// Folder of the order and of what is found, in the part of a directory that a run may write.
const FOLDER: &str = "pre-runs";

/// Carries out an order, and returns the inputs that made a run fail, or ended its process.
pub(super) fn pre_runs(
    launcher: &Launcher,
    native: &Native,
    harness: &TestHarness,
    mut order: Order,
) -> std::io::Result<Vec<GivenInputs>> {
    let (mut found, mut ends) = (Vec::new(), 0);
    for _ in 0..PROCESSES {
        let begun = Instant::now();
        let directory = RunDirectory::new()?;
        let folder = directory.writable().join(FOLDER);
        std::fs::create_dir(&folder)?;
        std::fs::write(folder.join(ORDER), order.encode())?;
        let timeout = Duration::from_millis(order.milliseconds) + GRACE;
        let env: [(&str, &OsStr); 1] = [(ENV_PRE_RUNS, folder.as_os_str())];
        native.run_test(launcher, &harness.replay_test(), &env, &directory, timeout)?;
        let failed = (0..MOST_FAILURES).map_while(|number| read(&folder, &failure(number)));
        found.extend(failed.filter_map(|text| inputs::decode(&text).ok().map(given)));
        let current = read(&folder, CURRENT).and_then(|text| Current::decode(&text));
        let Some(current) = current.filter(|_| !folder.join(DONE).exists()) else {
            break;
        };
        if ends < MOST_ENDS {
            found.push(given(current.inputs));
            ends += 1;
        }
        let spent = begun.elapsed().as_millis() as u64;
        order.first = current.run + 1;
        order.milliseconds = order.milliseconds.saturating_sub(spent);
        if order.milliseconds == 0 {
            break;
        }
    }
    found.retain(|inputs: &GivenInputs| !inputs.is_empty());
    Ok(found)
}

/// Reads a file that a run may have left.
fn read(folder: &Path, name: &str) -> Option<String> {
    std::fs::read_to_string(folder.join(name)).ok()
}

fn given(inputs: Vec<Input>) -> GivenInputs {
    inputs.into_iter().map(|input| input.bytes).collect()
}
