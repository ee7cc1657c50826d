//! The progress line on a terminal: how many harnesses are done, and what those at work are doing.
//!
//! Goes to standard error and is gone when the run ends; where standard error is no terminal there is none.

use crate::event::{Event, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// Shared by all workers.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A line for so many harnesses; `shown` false: none.
    pub fn new(harnesses: usize, shown: bool) -> Self {
        let target = if shown {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(harnesses as u64), target);
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} [{pos}/{len}] {elapsed} {wide_msg}")
        {
            bar.set_style(style);
        }
        if shown {
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Progress { bar }
    }

    /// Something is being done that is not exploration.
    pub fn say(&self, text: String) {
        self.bar.set_message(text);
    }

    /// A harness is done.
    pub fn done_one(&self) {
        self.bar.inc(1);
    }

    /// Runs `print` with the line out of the way.
    pub fn suspended<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Removes the line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Turns the events of one harness into the progress line.
pub struct Watch {
    progress: Progress,
    harness: String,
    findings: usize,
}

impl Watch {
    /// Watches the harness of this name.
    pub fn new(progress: Progress, harness: &str) -> Self {
        progress.say(harness.to_owned());
        Watch {
            progress,
            harness: harness.to_owned(),
            findings: 0,
        }
    }
}

impl Observer for Watch {
    fn event(&mut self, event: Event) {
        match event {
            Event::Finding(_) => self.findings += 1,
            Event::Ended(_) => {}
            Event::Progress { stats, states } => {
                let findings = match self.findings {
                    0 => String::new(),
                    1 => ", 1 finding".to_owned(),
                    count => format!(", {count} findings"),
                };
                self.progress.say(format!(
                    "{}: {} paths, {states} waiting{findings}",
                    self.harness, stats.paths
                ));
            }
        }
    }
}
