//! The exploration of generated harnesses, whose findings are judged.

use super::args::{BuildArgs, EngineArgs, RunArgs};
use super::project::{IgnoreLists, Project, SettingsTable};
use super::resolve::RunSettings;
use super::run;
use super::units::Limit;
use crate::pipeline::crates;
use crate::pipeline::discover::FoundHarness;
use crate::pipeline::error::CommandError;
use crate::pipeline::event::{Monitor, Reporter};
use crate::pipeline::exit_code::ExitCode;
use crate::pipeline::interrupt::Interrupt;
use crate::pipeline::select::Selection;
use crate::pipeline::{self, roles};
use crate::report::judged::{Judge, Judged, JudgedOptions};
use crate::report::{Format, Verbosity};
use std::iter;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Time limit for one harness where nothing says otherwise: there are many of them.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A run whose harnesses are known.
pub(super) struct JudgedRun<'a> {
    pub args: &'a RunArgs,
    pub build: &'a BuildArgs,
    pub settings: RunSettings,
    pub project: Project,
    pub ignored: IgnoreLists,
    pub interrupt: Interrupt,
    pub reporter: Box<dyn Reporter>,
    pub monitor: Arc<dyn Monitor>,
    /// Whether panics that documentation promises are bugs.
    pub promised_panics: bool,
}

impl JudgedRun<'_> {
    /// Explores harnesses. `manifest` returns the one whose settings apply to a harness.
    pub fn explore(
        self,
        found: Vec<FoundHarness>,
        manifest: impl Fn(&FoundHarness) -> PathBuf,
        judge: impl Judge,
    ) -> Result<ExitCode, CommandError> {
        let settings = &self.settings;
        let selection = Selection::of_all(found).of_part(self.args.part.partition);
        let own = SettingsTable {
            settings: EngineArgs {
                timeout: Some(Limit::At(TIMEOUT)),
                ..EngineArgs::default()
            },
            place: "the defaults".to_owned(),
        };
        let tables =
            |found: &FoundHarness| iter::once(&own).chain(self.project.tables(&manifest(found)));
        let configs = run::configs(self.args, settings, tables, &selection)?;
        let caching = run::caching(self.build, &settings.run);
        let launcher = roles::launcher(settings.run.replay)?;
        let list = |found: &FoundHarness| self.ignored.of(&manifest(found));
        let lists = selection.run.iter().map(list).collect();
        let mut plan = crates::plan(selection, configs, caching, &launcher, &*self.monitor)?;
        plan.ignore(lists);
        let options = JudgedOptions {
            promised_panics: self.promised_panics,
            require_complete: settings.run.require_complete,
            is_json: settings.form.format == Format::Json,
            is_quiet: settings.form.verbosity == Verbosity::Quiet,
        };
        let mut reporter = Judged::new(self.reporter, judge, options);
        let (interrupt, monitor) = (&self.interrupt, &self.monitor);
        let code = pipeline::run(plan, &settings.run, interrupt, &mut reporter, monitor)?;
        Ok(reporter.code().unwrap_or(code))
    }
}
