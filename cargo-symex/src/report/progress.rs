//! The progress on a terminal: a line with the number of finished harnesses, and a row for each of
//! those that take longer.
//!
//! It goes to standard error and disappears when the run ends; if standard error is not a terminal,
//! there is none. Warnings are written in any case.

use super::Verbosity;
use super::estimate::{self, Estimate};
use super::output;
use crate::pipeline::event::{Monitor, Notice};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Most harnesses that have a row.
const ROWS: usize = 16;

/// The lines of the progress, shared by all workers.
#[derive(Clone)]
pub struct Progress {
    lines: MultiProgress,
    bar: ProgressBar,
    /// Rows by the names of their harnesses.
    rows: Arc<Mutex<BTreeMap<String, ProgressBar>>>,
    shown: bool,
    verbosity: Verbosity,
}

impl Progress {
    /// Creates a progress line that is drawn from the first stage on; with `shown` false it is
    /// never drawn. Whether times are told is a matter of the verbosity.
    pub fn new(shown: bool, verbosity: Verbosity) -> Self {
        let target = if shown {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        Progress {
            verbosity,
            ..Progress::on(target, shown)
        }
    }

    fn on(target: ProgressDrawTarget, shown: bool) -> Self {
        let lines = MultiProgress::with_draw_target(target);
        let bar = lines.add(ProgressBar::new(0));
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} [{pos}/{len}] {elapsed} {wide_msg}")
        {
            bar.set_style(style);
        }
        Progress {
            lines,
            bar,
            rows: Arc::default(),
            shown,
            verbosity: Verbosity::Normal,
        }
    }

    /// Runs `print` while the progress line is hidden.
    pub fn suspended<T>(&self, print: impl FnOnce() -> T) -> T {
        self.lines.suspend(print)
    }

    fn begin(&self, steps: usize) {
        self.bar.reset();
        self.bar.set_length(steps as u64);
        self.bar.set_message("");
        if self.shown {
            self.bar.enable_steady_tick(Duration::from_millis(120));
        }
    }

    /// Says what a harness does, in its row if it has one; it gets one if it is `long`.
    fn say(&self, harness: &str, long: bool, text: &str) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(row) = rows.get(harness) {
            return row.set_message(text.to_owned());
        }
        if long && rows.len() < ROWS {
            let row = self.lines.add(ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template("  {wide_msg}") {
                row.set_style(style);
            }
            row.set_message(text.to_owned());
            rows.insert(harness.to_owned(), row);
            self.bar.set_message("");
        } else if rows.is_empty() || long {
            self.bar.set_message(text.to_owned());
        }
    }

    /// Takes the row of a harness away.
    fn finish(&self, harness: &str) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(row) = rows.remove(harness) {
            row.finish_and_clear();
            self.lines.remove(&row);
        }
        self.bar.inc(1);
    }

    fn took(&self, what: &str, time: Duration) {
        if self.verbosity == Verbosity::Verbose {
            let seconds = time.as_secs_f64();
            self.suspended(|| output::note(format_args!("{what} took {seconds:.2}s")));
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
        let (harness, long, text) = match notice {
            Notice::Stage(steps) => return self.begin(steps),
            Notice::StepDone => return self.bar.inc(1),
            Notice::StageDone => return self.bar.finish_and_clear(),
            Notice::Warning { text, help } => return self.warn(&text, help.as_deref()),
            Notice::Took { what, time } => return self.took(what, time),
            Notice::Linking { target } => {
                let text = format!("linking and simplifying `{target}`");
                return self.bar.set_message(text);
            }
            Notice::Started { harness } => (harness, false, harness.to_owned()),
            Notice::Finished { harness } => return self.finish(harness),
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
                let text = format!(
                    "{harness}: {seconds:.0}s, {paths} paths{all}, {waiting} waiting{findings}"
                );
                (harness, true, text)
            }
            Notice::Replaying { harness } => (harness, false, format!("{harness}: native replay")),
            Notice::ReplayingPath {
                harness,
                number,
                of,
            } => {
                let text = format!("{harness}: native run of path {number} of {of}");
                (harness, false, text)
            }
        };
        self.say(harness, long, &text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::InMemoryTerm;
    use symex_types::outcome::tree::Tree;

    const WIDTH: u16 = 40;

    fn exploring<'a>(harness: &'a str, tree: &'a Tree) -> Notice<'a> {
        Notice::Exploring {
            harness,
            paths: 123_456,
            tree,
            seconds: 20.0,
            waiting: 78,
            findings: 2,
        }
    }

    /// Returns the lines on a terminal, without the first, after a progress was told something.
    fn rows(terminal: &InMemoryTerm, progress: &Progress) -> Vec<String> {
        progress.bar.tick();
        let text = terminal.contents();
        text.lines().skip(1).map(str::to_owned).collect()
    }

    fn on_terminal(height: u16) -> (InMemoryTerm, Progress) {
        let terminal = InMemoryTerm::new(height, WIDTH);
        let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        (terminal, Progress::on(target, false))
    }

    #[test]
    fn what_takes_long_has_a_row_until_it_is_finished() {
        let (terminal, progress) = on_terminal(10);
        let tree = Tree::default();
        progress.notice(Notice::Stage(3));
        progress.notice(Notice::Started { harness: "t::fast" });
        progress.notice(exploring("t::slow", &tree));
        progress.notice(exploring("t::long", &tree));
        let slow = "  t::slow: 20s, 123456 paths, 78 waiting";
        let long = "  t::long: 20s, 123456 paths, 78 waiting";
        assert_eq!(rows(&terminal, &progress), [slow, long]);
        progress.notice(Notice::Finished { harness: "t::fast" });
        progress.notice(Notice::Replaying { harness: "t::slow" });
        let slow = "  t::slow: native replay";
        assert_eq!(rows(&terminal, &progress), [slow, long]);
        let head = terminal.contents();
        assert!(head.lines().next().unwrap().contains("[1/3]"), "{head}");
        progress.notice(Notice::Finished { harness: "t::slow" });
        assert_eq!(rows(&terminal, &progress), [long]);
        progress.notice(Notice::Finished { harness: "t::long" });
        progress.notice(Notice::StageDone);
        assert_eq!(terminal.contents(), "");
    }

    #[test]
    fn lines_fit_on_a_narrow_terminal() {
        let (terminal, progress) = on_terminal(10);
        let tree = Tree::default();
        let names = [
            "a_crate::a_module::tests::a_name_longer_than_the_terminal_is_wide",
            "tests::größer_als_erwartet_und_noch_länger_als_das",
        ];
        for name in names {
            progress.notice(exploring(name, &tree));
        }
        // One row each: nothing is wrapped.
        let shown = rows(&terminal, &progress);
        assert_eq!(shown.len(), names.len(), "{shown:?}");
        for (row, name) in shown.iter().zip(names) {
            assert!(row.contains(&name[..8]), "{row:?}");
        }
    }

    #[test]
    fn there_are_not_more_rows_than_fit() {
        let (terminal, progress) = on_terminal(60);
        for number in 0..2 * ROWS {
            progress.notice(exploring(&format!("t::h{number}"), &Tree::default()));
        }
        assert_eq!(rows(&terminal, &progress).len(), ROWS);
    }
}
