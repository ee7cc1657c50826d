//! Follows the path that given inputs take through a harness.

use super::discover::LoadedHarness;
use super::error::CommandError;
use super::explore::expected_panic;
use crate::harness::TestHarness;
use symex_engine::{FollowedPath, GivenInputs, Job, follow_path};
use symex_types::config::Config;

/// Follows the path that the inputs take, in the engine.
pub fn follow(
    harness: &TestHarness,
    loaded: &LoadedHarness,
    inputs: GivenInputs,
) -> Result<FollowedPath, CommandError> {
    let (program, entry) = loaded.start()?;
    let job = Job {
        should_panic: expected_panic(harness),
        ..Job::new(program, entry, Config::default())
    };
    Ok(follow_path(&job, inputs))
}
