//! The progress line on a terminal: how many harnesses are done, and what those at work are doing.
//!
//! Goes to standard error and is gone when the run ends; where standard error is no terminal there is none.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;
use symex_types::event::{Event, Observer};

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
        let progress = Progress::on(harnesses, target);
        if shown {
            progress.bar.enable_steady_tick(Duration::from_millis(120));
        }
        progress
    }

    fn on(harnesses: usize, target: ProgressDrawTarget) -> Self {
        let bar = ProgressBar::with_draw_target(Some(harnesses as u64), target);
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} [{pos}/{len}] {elapsed} {wide_msg}")
        {
            bar.set_style(style);
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

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;
    use std::io::Result;
    use std::sync::{Arc, Mutex};

    /// A narrow terminal that keeps what it is told.
    #[derive(Clone, Debug, Default)]
    struct Narrow {
        /// Texts written since the line was last cleared, and how often the cursor left it.
        line: Arc<Mutex<(String, usize)>>,
    }

    const WIDTH: u16 = 40;

    impl Narrow {
        fn leave(&self) -> Result<()> {
            self.line.lock().unwrap().1 += 1;
            Ok(())
        }
    }

    impl TermLike for Narrow {
        fn width(&self) -> u16 {
            WIDTH
        }
        fn move_cursor_up(&self, n: usize) -> Result<()> {
            if n == 0 { Ok(()) } else { self.leave() }
        }
        fn move_cursor_down(&self, n: usize) -> Result<()> {
            if n == 0 { Ok(()) } else { self.leave() }
        }
        fn move_cursor_right(&self, _: usize) -> Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> Result<()> {
            self.write_str(text)?;
            self.leave()
        }
        fn write_str(&self, text: &str) -> Result<()> {
            self.line.lock().unwrap().0.push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> Result<()> {
            self.line.lock().unwrap().0.clear();
            Ok(())
        }
        fn flush(&self) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_line_fits_on_a_narrow_terminal() {
        let terminal = Narrow::default();
        let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        let progress = Progress::on(500, target);
        for name in [
            "t::f",
            "a_crate::a_module::tests::a_name_longer_than_the_terminal_is_wide",
            "tests::größer_als_erwartet_und_noch_länger_als_das",
        ] {
            progress.say(format!("{name}: 123456 paths, 78 waiting, 2 findings"));
            progress.bar.tick();
            let (line, left) = terminal.line.lock().unwrap().clone();
            assert!(line.contains(&name[..4]), "{line:?}");
            assert!(!line.contains('\n'), "{line:?}");
            // Indicatif fills the line up, or cuts the message, so that the cursor stays in the line.
            let width = line.trim_end().chars().count();
            assert!(width <= usize::from(WIDTH), "{width}: {line:?}");
            assert_eq!(left, 0, "{line:?}");
        }
    }
}
