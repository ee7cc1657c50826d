//! The default command: build, find harnesses, explore them, report.

use super::args::{LibtestFormat, RunArgs};
use super::discover::{self, Loaded, discover};
use super::error::CliError;
use super::exit_code::ExitCode;
use super::explore::{self, Context};
use super::interrupt::Interrupt;
use super::project::Project;
use super::remembered::Remembered;
use super::resolve::{self, Format, RunSettings};
use super::schedule::Schedule;
use super::select::{Selection, nothing, select};
use super::{list, output};
use crate::report::place::Places;
use crate::report::progress::Progress;
use crate::report::verdict::{describe, describe_report, mark};
use crate::report::{HarnessReport, human, json, libtest, stats, summary};
use libtest_mimic::{Arguments, FormatSetting};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use symex_types::config::Config;

/// `cargo symex`
pub fn run(args: &RunArgs) -> Result<ExitCode, CliError> {
    let settings = resolve::run(args, resolve::is_ci())?;
    output::set_color(settings.color);
    // Before the build, which takes longer than to find what is wrong.
    let project = Project::read(&args.cargo)?;
    let interrupt = Interrupt::install()?;
    let quiet = settings.list || settings.format != Format::Human;
    let found =
        discover(&args.cargo, output::cargo_color(settings.color), quiet).map_err(|error| {
            // Cargo gets the same Ctrl-C, and its failure is then no news.
            if interrupt.happened() {
                error.code(ExitCode::Interrupted)
            } else {
                error
            }
        })?;
    if settings.list {
        let terse = settings.format == Format::Libtest(LibtestFormat::Terse);
        list::as_libtest(found, &settings.select, terse);
        return Ok(ExitCode::Pass);
    }
    let selection = select(found, &settings.select);
    if selection.run.is_empty() && selection.ignored.is_empty() {
        return Err(nothing(&selection, &settings.select, &args.cargo));
    }
    let configs: Vec<Config> = selection
        .run
        .iter()
        .map(|found| {
            let tables = project.tables(found.target.manifest_path());
            let mut config = resolve::config(&args.engine, &found.harness.attribute, tables)?;
            resolve::logs(&args.engine, &found.harness.name, &mut config)?;
            config.record_paths = settings.record_paths();
            Ok(config)
        })
        .collect::<Result<_, CliError>>()?;
    let shown = settings.format == Format::Human && std::io::stderr().is_terminal();
    let loaded = discover::load(&selection.run, !args.cargo.no_cache, shown)?;
    // Paths are not remembered.
    let remembered = match args.cargo.no_cache || settings.replay_paths > 0 {
        true => Remembered::nothing(),
        false => Remembered::look_up(&loaded, &configs)?,
    };
    remembered.warn();
    let numbered = loaded.iter().enumerate();
    let unknown = numbered.filter(|(number, _)| !remembered.of(*number).is_known());
    discover::decode(unknown.map(|(_, loaded)| loaded))?;
    let progress = Progress::new(selection.run.len(), shown);
    let context = Context {
        interrupt: interrupt.clone(),
        progress: progress.clone(),
        replay: settings.replay,
        replay_paths: settings.replay_paths,
        write: settings.write,
        writing: Arc::new(Mutex::new(())),
    };
    let remembered = Arc::new(remembered);
    let schedule = start(&loaded, configs, &remembered, &context, settings.jobs)?;
    let reports = match settings.format {
        Format::Human => as_human(&selection, &schedule, &progress),
        Format::Json => as_json(&selection, &schedule),
        Format::Libtest(format) => as_libtest(&selection, &schedule, format, &settings),
    };
    progress.finish();
    remembered.warn();
    warn_of_c(&reports, &loaded);
    Ok(conclude(&reports, &selection, &settings, &interrupt))
}

fn start(
    found: &[Loaded],
    configs: Vec<Config>,
    remembered: &Arc<Remembered>,
    context: &Context,
    jobs: usize,
) -> Result<Schedule<HarnessReport>, CliError> {
    let tasks = found.iter().cloned().zip(configs).enumerate();
    let tasks = tasks.map(|(number, (found, config))| {
        let context = context.clone();
        let remembered = remembered.clone();
        let task = move || {
            let memory = remembered.of(number);
            (!context.interrupt.happened()).then(|| explore::run(&found, config, memory, &context))
        };
        Box::new(task) as Box<dyn FnOnce() -> Option<HarnessReport> + Send>
    });
    let harnesses: Vec<_> = found.iter().map(|found| found.harness.clone()).collect();
    let progress = context.progress.clone();
    let rescue = move |number: usize, message| {
        progress.done_one();
        Some(explore::crashed(&harnesses[number], message))
    };
    Schedule::start(jobs, tasks.collect(), rescue)
        .map_err(|error| CliError::usage(format!("failed to start a thread: {error}")))
}

/// Says what is missing where a path ended at C that nothing here can read.
fn warn_of_c(reports: &[HarnessReport], loaded: &[Loaded]) {
    let ended = |report: &HarnessReport| human::meets_machine_code(&report.outcome.verdict);
    let missing = loaded
        .iter()
        .find_map(|loaded| loaded.target.missing_for_c());
    if let Some(missing) = missing
        && reports.iter().any(ended)
    {
        output::warning("C of these crates was not explored: no clang that fits was found");
        output::help(missing);
    }
}

/// Where the user stands.
pub fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

fn as_human(
    selection: &Selection,
    schedule: &Schedule<HarnessReport>,
    progress: &Progress,
) -> Vec<HarnessReport> {
    let count = selection.run.len();
    let s = if count == 1 { "" } else { "es" };
    progress.suspended(|| output::line(&format!("running {count} harness{s}")));
    let mut reports = Vec::new();
    for number in 0..count {
        let Some(report) = schedule.wait(number) else {
            continue;
        };
        progress.suspended(|| print_human(&report));
        reports.push(report);
    }
    reports
}

/// One harness: its verdict, then what there is to say about it.
pub fn print_human(report: &HarnessReport) {
    let style = summary::style(&report.outcome.verdict);
    let verdict = describe(&report.outcome.verdict);
    output::line(&format!(
        "{} ... {style}{verdict}{style:#}{}",
        report.harness.name,
        mark(report)
    ));
    let places = Places {
        here: here(),
        package: report.harness.manifest_dir.clone(),
    };
    let details = human::details(report, &places);
    for detail in &details {
        output::line(&format!("\n{detail}"));
    }
    if !details.is_empty() {
        output::line("");
    }
}

fn as_json(selection: &Selection, schedule: &Schedule<HarnessReport>) -> Vec<HarnessReport> {
    let names: Vec<&str> = selection
        .run
        .iter()
        .map(|found| found.harness.name.as_str())
        .collect();
    output::json(&json::run_started(&names));
    let mut reports = Vec::new();
    for number in 0..selection.run.len() {
        let Some(report) = schedule.wait(number) else {
            continue;
        };
        for line in json::harness(&report) {
            output::json(&line);
        }
        reports.push(report);
    }
    reports
}

fn as_libtest(
    selection: &Selection,
    schedule: &Schedule<HarnessReport>,
    format: LibtestFormat,
    settings: &RunSettings,
) -> Vec<HarnessReport> {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let require_complete = settings.require_complete;
    let mut trials = Vec::new();
    for (number, found) in selection.run.iter().enumerate() {
        let (schedule, reports) = (schedule.clone(), reports.clone());
        let wait = move || {
            let report: HarnessReport = schedule.wait(number)?;
            let mut reports = reports
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            reports.push(report.clone());
            Some(report)
        };
        let fails = move |verdict: &_| ExitCode::of(verdict, require_complete) != ExitCode::Pass;
        let styled = format != LibtestFormat::Json;
        trials.push(libtest::trial(&found.harness, here(), styled, fails, wait));
    }
    trials.extend(
        selection
            .ignored
            .iter()
            .map(|found| libtest::placeholder(&found.harness)),
    );
    trials.sort_by(|a, b| a.name().cmp(b.name()));
    let arguments = Arguments {
        include_ignored: settings.select.include_ignored,
        ignored: settings.select.ignored,
        format: Some(match format {
            LibtestFormat::Pretty => FormatSetting::Pretty,
            LibtestFormat::Terse => FormatSetting::Terse,
            LibtestFormat::Json => FormatSetting::Json,
        }),
        ..Arguments::default()
    };
    // Our own codes tell more than libtest's one.
    if let Err(error) = libtest::run(arguments, trials, output::is_styled(), output::bytes) {
        output::warning(&format!("failed to report in libtest's form: {error}"));
    }
    let mut reports = reports
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    std::mem::take(&mut *reports)
}

/// The end of the report, and the exit code.
fn conclude(
    reports: &[HarnessReport],
    selection: &Selection,
    settings: &RunSettings,
    interrupt: &Interrupt,
) -> ExitCode {
    let code = exit_code(reports, settings.require_complete, interrupt.happened());
    let not_run = selection.run.len() - reports.len();
    match settings.format {
        Format::Human => {
            if reports.len() > 1 {
                output::line(&format!("\n{}", summary::table(reports)));
            }
            let mut line = summary::counts(reports);
            for (count, what) in [
                (summary::cached(reports), "cached"),
                (not_run, "not run"),
                (selection.ignored.len(), "ignored"),
                (selection.filtered_out.len(), "filtered out"),
            ] {
                if count > 0 {
                    line.push_str(&format!("; {count} {what}"));
                }
            }
            // Of several, the table has it.
            if let [report] = reports {
                line.push_str(&format!("; {}", summary::effort(report)));
            }
            output::line(&line);
            if settings.stats {
                output::line(&format!("\n{}", stats::table(reports)));
            }
        }
        Format::Json => output::json(&json::summary(
            reports,
            code.code(),
            code.meaning(),
            interrupt.happened(),
        )),
        // libtest knows only pass and fail: which pass it was goes beside its report.
        Format::Libtest(_) => {
            for report in reports {
                let verdict = describe_report(report);
                output::note(format_args!("{}: {verdict}", report.harness.name));
            }
            if settings.stats {
                output::note(stats::table(reports).trim_end_matches('\n'));
            }
        }
    }
    code
}

/// The code of a run with these reports.
pub fn exit_code(reports: &[HarnessReport], require_complete: bool, interrupted: bool) -> ExitCode {
    if interrupted {
        return ExitCode::Interrupted;
    }
    let codes = reports
        .iter()
        .map(|report| ExitCode::of(&report.outcome.verdict, require_complete));
    codes.fold(ExitCode::Pass, ExitCode::and)
}
