//! The progress line on a terminal: the number of finished harnesses, and the current steps of the
//! others.
//!
//! It goes to standard error and disappears when the run ends; if standard error is not a terminal,
//! there is none. Warnings are written in any case.

use super::estimate::{self, Estimate};
use super::output;
use crate::pipeline::event::{Monitor, Notice};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// The progress line, shared by all workers.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
    shown: bool,
}

impl Progress {
    /// Creates a progress line that is drawn from the first stage on; with `shown` false it is
    /// never drawn.
    pub fn new(shown: bool) -> Self {
        let target = if shown {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        Progress::on(target, shown)
    }

    fn on(target: ProgressDrawTarget, shown: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} [{pos}/{len}] {elapsed} {wide_msg}")
        {
            bar.set_style(style);
        }
        Progress { bar, shown }
    }

    /// Runs `print` while the progress line is hidden.
    pub fn suspended<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    fn begin(&self, steps: usize) {
        self.bar.reset();
        self.bar.set_length(steps as u64);
        self.bar.set_message("");
        if self.shown {
            self.bar.enable_steady_tick(Duration::from_millis(120));
        }
    }

    fn warn(&self, text: &str, help: Option<&str>) {
        self.suspended(|| {
            output::warning(text);
            if let Some(help) = help {
                output::help(help);
            }
        });
    }
}

impl Monitor for Progress {
    fn notice(&self, notice: Notice<'_>) {
        let message = match notice {
            Notice::Stage(steps) => return self.begin(steps),
            Notice::StepDone => return self.bar.inc(1),
            Notice::StageDone => return self.bar.finish_and_clear(),
            Notice::Warning { text, help } => return self.warn(&text, help.as_deref()),
            Notice::Linking { target } => format!("linking and simplifying `{target}`"),
            Notice::Started { harness } => harness.to_owned(),
            Notice::Exploring {
                harness,
                paths,
                tree,
                seconds,
                waiting,
                findings,
            } => {
                let all = match estimate::estimate(tree, paths, seconds) {
                    Some(Estimate { paths, left, .. }) => format!(" of {paths}, {left} left"),
                    None => String::new(),
                };
                let findings = match findings {
                    0 => String::new(),
                    1 => ", 1 finding".to_owned(),
                    count => format!(", {count} findings"),
                };
                format!("{harness}: {paths} paths{all}, {waiting} waiting{findings}")
            }
            Notice::Replaying { harness } => format!("{harness}: native replay"),
            Notice::ReplayingPath {
                harness,
                number,
                of,
            } => format!("{harness}: native run of path {number} of {of}"),
        };
        self.bar.set_message(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;
    use std::io::Result;
    use std::sync::{Arc, Mutex};
    use symex_types::outcome::tree::Tree;

    /// A narrow terminal that records the text written to it.
    #[derive(Clone, Debug, Default)]
    struct Narrow {
        /// Text written since the line was last cleared, and the number of times the cursor left
        /// the line.
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
        let progress = Progress::on(target, false);
        progress.bar.set_length(500);
        for name in [
            "t::f",
            "a_crate::a_module::tests::a_name_longer_than_the_terminal_is_wide",
            "tests::größer_als_erwartet_und_noch_länger_als_das",
        ] {
            progress.notice(Notice::Exploring {
                harness: name,
                paths: 123_456,
                tree: &Tree::default(),
                seconds: 20.0,
                waiting: 78,
                findings: 2,
            });
            progress.bar.tick();
            let (line, left) = terminal.line.lock().unwrap().clone();
            assert!(line.contains(&name[..4]), "{line:?}");
            assert!(!line.contains('\n'), "{line:?}");
            // Indicatif fills the line up, or cuts the message, so that the cursor stays in the
            // line.
            let width = line.trim_end().chars().count();
            assert!(width <= usize::from(WIDTH), "{width}: {line:?}");
            assert_eq!(left, 0, "{line:?}");
        }
    }
}
