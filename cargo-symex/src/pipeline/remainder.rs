//! What an earlier run has left of a harness: whether this run goes on from there, with which
//! limits, and what it leaves itself.

use crate::store::{Keys, remainders};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use symex_engine::{Keeper, Remainder};
use symex_types::config::{Config, Limits};

/// Folder of what is left, in the tool's target directory.
const FOLDER: &str = "unfinished";

/// What is left of one harness; by default nothing, and nothing is kept.
#[derive(Clone, Default)]
pub struct Unfinished(Option<Place>);

#[derive(Clone)]
struct Place {
    folder: PathBuf,
    keys: Arc<Keys>,
    /// Whether the run is to go on whatever its limits are.
    resume: bool,
}

impl Unfinished {
    /// Makes the place of what is left of a harness in a target directory of this tool.
    pub(super) fn of(target_dir: &Path, keys: Option<Keys>, resume: bool) -> Self {
        Unfinished(keys.map(|keys| Place {
            folder: target_dir.join(FOLDER),
            keys: Arc::new(keys),
            resume,
        }))
    }

    /// Looks at what an earlier run has left, where these are the settings of this one.
    pub(super) fn begin(&self, config: &Config) -> Beginning {
        let Some(place) = &self.0 else {
            return Beginning::default();
        };
        let found = remainders::get(&place.folder, &place.keys);
        let seconds = found.as_ref().map_or(0.0, Remainder::seconds);
        let on = found.and_then(|remainder| {
            let limits = &config.limits;
            let limits = match place.resume {
                true => limits.clone(),
                false => time_and_memory_left(limits, seconds, remainder.memory_reached())?,
            };
            Some((remainder, limits))
        });
        let least = if on.is_some() { 0.0 } else { seconds };
        let keeper = (!config.solver.is_logged()).then(|| {
            let place = place.clone();
            Box::new(RemainderFile { place, least }) as Box<dyn Keeper>
        });
        Beginning { on, keeper }
    }

    /// Removes what is left, since nothing is any more.
    pub(super) fn remove(&self) {
        if let Some(place) = &self.0 {
            remainders::remove(&place.folder, &place.keys);
        }
    }

    /// Reports whether something is left.
    pub(super) fn exists(&self) -> bool {
        let place = self.0.as_ref();
        place.is_some_and(|place| remainders::exists(&place.folder, &place.keys))
    }
}

/// How a run begins.
#[derive(Default)]
pub(super) struct Beginning {
    /// What an earlier run has left and the limits with which to go on, if this run does.
    pub on: Option<(Remainder, Limits)>,
    /// Keeps what this run leaves.
    pub keeper: Option<Box<dyn Keeper>>,
}

/// Keeps what a run leaves in its file.
struct RemainderFile {
    place: Place,
    /// Seconds of another run that has left something. Less is not kept instead.
    least: f64,
}

impl Keeper for RemainderFile {
    fn keep(&mut self, remainder: &Remainder) {
        if remainder.seconds() > self.least {
            remainders::put(&self.place.folder, &self.place.keys, remainder);
        }
    }
}

/// Returns what is left of the limits of a whole exploration, after an earlier run of so many
/// seconds, which reached a limit on memory or did not; `None` if it had no less than they allow.
/// Limits on work are to end a run at the same place each time, whatever ran before.
fn time_and_memory_left(limits: &Limits, seconds: f64, reached: Option<u64>) -> Option<Limits> {
    if limits.are_on_work() {
        return None;
    }
    let timeout = match limits.timeout {
        None => None,
        Some(most) => {
            let spent = Duration::try_from_secs_f64(seconds).ok()?;
            Some(most.checked_sub(spent).filter(|left| !left.is_zero())?)
        }
    };
    let needs_more = |reached| limits.max_memory.is_some_and(|most| most <= reached);
    if reached.is_some_and(needs_more) {
        return None;
    }
    Some(Limits {
        timeout,
        ..limits.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(timeout: Option<u64>) -> Limits {
        Limits {
            timeout: timeout.map(Duration::from_secs),
            max_memory: Some(1000),
            ..Limits::default()
        }
    }

    #[test]
    fn a_run_goes_on_for_the_time_that_is_left() {
        let left = |timeout, seconds| {
            let left = time_and_memory_left(&limits(timeout), seconds, None)?;
            Some(left.timeout.map(|time| time.as_secs()))
        };
        assert_eq!(left(Some(60), 20.0), Some(Some(40)));
        assert_eq!(left(Some(60), 60.0), None);
        assert_eq!(left(Some(60), 61.5), None);
        assert_eq!(left(None, 61.5), Some(None));
    }

    #[test]
    fn a_run_that_had_too_little_memory_goes_on_with_more() {
        let goes_on = |reached| time_and_memory_left(&limits(None), 1.0, reached).is_some();
        assert!(goes_on(None));
        assert!(goes_on(Some(999)));
        assert!(!goes_on(Some(1000)));
    }

    #[test]
    fn a_limit_on_work_begins_anew() {
        let limits = Limits {
            max_queries: Some(1_000_000),
            ..limits(None)
        };
        assert!(time_and_memory_left(&limits, 1.0, None).is_none());
    }
}
