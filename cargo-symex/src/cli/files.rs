//! `cargo symex c` and `cargo symex bitcode`: explore a program given as C or C++ sources, bitcode, objects and archives,
//! without cargo. Its inputs are what it asks for by `symex_make_symbolic` and the like.

use super::args::{BitcodeArgs, CArgs, DumpArgs, ProgramArgs};
use super::error::CliError;
use super::exit_code::ExitCode;
use super::explore::{self, Context};
use super::interrupt::Interrupt;
use super::paths::{PathLog, Sampling};
use super::reproduce::Reproducing;
use super::resolve::{self, Format};
use super::run::{exit_code, here, print_human};
use super::schedule::Schedule;
use super::{output, program, setup};
use crate::build::{BuildError, FilesOptions, translate_files, translate_first};
use crate::report::harness::{Attribute, Harness};
use crate::report::path_replay::doubt;
use crate::report::progress::{Progress, Watch};
use crate::report::verdict::settle;
use crate::report::{HarnessReport, json, stats};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use symex_bitcode::link::LinkError;
use symex_bitcode::passes::PassProfile;
use symex_engine::{Entry, Job};
use symex_program::{Function, Program, text};
use symex_types::config::RecordPaths;

/// `cargo symex c`
pub fn c(args: &CArgs) -> Result<ExitCode, CliError> {
    run(&args.program, "c", &args.cflags, &args.arguments)
}

/// `cargo symex bitcode`
pub fn bitcode(args: &BitcodeArgs) -> Result<ExitCode, CliError> {
    run(&args.program, "bitcode", &args.cflag, &args.args)
}

/// Explores a program, whose sources are compiled with `cflags`, with these arguments.
fn run(
    args: &ProgramArgs,
    kind: &str,
    cflags: &[String],
    arguments: &[String],
) -> Result<ExitCode, CliError> {
    let settings = resolve::program(&args.report, resolve::is_ci());
    output::set_color(settings.color);
    let mut config = resolve::config(&args.engine, &Attribute::default(), [])?;
    config.check_status = args.check_status;
    resolve::logs(&args.engine, &args.entry, &mut config)?;
    config.world = args.world.world()?;
    config.record_paths = match args.world.paths_to {
        Some(_) => RecordPaths::All,
        None => settings.record_paths(),
    };
    let interrupt = Interrupt::install()?;
    let options = options(&args.files, cflags, &args.entry, &args.passes);
    let program = load(&options).map_err(|error| {
        // The other process gets the same Ctrl-C, and its end is then no news.
        if interrupt.happened() {
            error.code(ExitCode::Interrupted)
        } else {
            error
        }
    })?;
    let entry = entry(&program, args, &options, arguments)?;
    let harness = Harness {
        name: args.entry.clone(),
        target: args.files[0].display().to_string(),
        target_kind: kind.to_owned(),
        function: args.entry.clone(),
        manifest_dir: here(),
        ..Harness::default()
    };
    let progress = Progress::new(
        1,
        settings.format == Format::Human && std::io::stderr().is_terminal(),
    );
    let watch = Watch::new(progress.clone(), &harness.name);
    let mut watch = PathLog::start(watch, args.world.paths_to.as_deref())?;
    let context = Context {
        interrupt: interrupt.clone(),
        progress: progress.clone(),
        replay: settings.replay,
        replay_paths: settings.replay_paths,
        write: settings.write,
        writing: Arc::new(Mutex::new(())),
    };
    let reproducing = Reproducing::new(options, &entry, &args.entry, config.world.clone());
    let job = Job {
        program: Arc::new(program),
        entry,
        config,
        should_panic: None,
        stop: interrupt.flag(),
    };
    let explored = harness.clone();
    let task = move || Some(report(explored, &job, &reproducing, &mut watch, &context));
    let crashed = harness.clone();
    let rescue = move |_, message| Some(explore::crashed(&crashed, message));
    let schedule = Schedule::start(1, vec![Box::new(task)], rescue)
        .map_err(|error| CliError::usage(format!("failed to start a thread: {error}")))?;
    let reports: Vec<HarnessReport> = schedule.wait(0).into_iter().collect();
    progress.finish();
    let code = exit_code(&reports, settings.require_complete, interrupt.happened());
    if settings.format == Format::Json {
        output::json(&json::run_started(&[&harness.name]));
        for line in reports.iter().flat_map(json::harness) {
            output::json(&line);
        }
        output::json(&json::summary(
            &reports,
            code.code(),
            code.meaning(),
            interrupt.happened(),
        ));
        return Ok(code);
    }
    for report in &reports {
        print_human(report);
        let stats = &report.outcome.stats;
        output::line(&format!("{} paths, {:.2}s", stats.paths, stats.seconds));
    }
    if settings.stats {
        output::line(&format!("\n{}", stats::table(&reports)));
    }
    Ok(code)
}

/// Explores, replays each finding natively, settles the verdict and leaves reproducers behind.
fn report(
    harness: Harness,
    job: &Job,
    reproducing: &Reproducing,
    watch: &mut PathLog,
    context: &Context,
) -> HarnessReport {
    let mut sampling = Sampling::new(watch, context.replay_paths);
    let mut outcome = symex_engine::explore(job, &mut sampling);
    let sample = sampling.finish();
    let replayed = outcome.findings.iter();
    let reports = replayed.map(|finding| reproducing.replay(&harness, finding, context));
    let reports = reports.collect();
    let mut findings = settle(&mut outcome, reports);
    let paths = sample.replay(&harness.name, context, |path| reproducing.replay_path(path));
    doubt(&mut outcome, paths.as_ref());
    for (finding, report) in outcome.findings.iter().zip(&mut findings) {
        report.test = reproducing.write(&harness, finding, report, context);
    }
    HarnessReport {
        harness,
        outcome,
        findings,
        paths,
        cached: false,
    }
}

/// Prints programs as the engine sees them.
pub fn dump(args: &DumpArgs) -> Result<ExitCode, CliError> {
    let program = load(&options(
        &args.files,
        &args.cflag,
        &args.entry,
        &args.passes,
    ))?;
    let wanted = |name: &str| {
        args.function
            .as_ref()
            .is_none_or(|part| name.contains(part))
    };
    for function in &program.functions {
        if wanted(&function.name) || wanted(&function.display) {
            output::line(&text::function(&program, function, true));
        }
    }
    Ok(ExitCode::Pass)
}

fn options(files: &[PathBuf], cflags: &[String], entry: &str, passes: &str) -> FilesOptions {
    FilesOptions {
        compiler_arguments: cflags.to_vec(),
        roots: vec![entry.to_owned()],
        passes: match passes {
            "none" => PassProfile::Minimal,
            "default" => PassProfile::Default,
            pipeline => PassProfile::Custom(pipeline.to_owned()),
        },
        library: setup::library(),
        ..FilesOptions::new(files.to_vec())
    }
}

/// The program in the files, linked from the entry.
fn load(options: &FilesOptions) -> Result<Program, CliError> {
    for file in &options.files {
        // Tells a missing file by its own name, before any tool does.
        std::fs::File::open(file).map_err(|error| {
            CliError::usage(format!("failed to read {}: {error}", file.display()))
        })?;
    }
    let program = translate_files(options, &program::process()?).map_err(|error| match error {
        BuildError::Link {
            source: LinkError::NoSuchRoot(entry),
            ..
        } => no_entry(options, &entry),
        // The compiler has said why.
        BuildError::Compile(_) => {
            CliError::usage("failed to compile the source").code(ExitCode::BuildFailed)
        }
        error => program::error(error),
    })?;
    program::translated(&program)
}

/// How to start the program.
fn entry(
    program: &Program,
    args: &ProgramArgs,
    options: &FilesOptions,
    arguments: &[String],
) -> Result<Entry, CliError> {
    let name = &args.entry;
    let id = program.function_names.get(name).copied();
    let id = id.ok_or_else(|| no_entry(options, name))?;
    let function = program.function(id);
    if function.body.is_none() {
        return Err(no_entry(options, name));
    }
    let widths: Vec<u32> = function.params.iter().map(|param| param.width).collect();
    match widths.as_slice() {
        [] if name != "main" && !(args.world.sym_arg.is_empty() && args.world.sym_args.is_empty()) => {
            Err(CliError::usage(format!("failed to give `{name}` arguments: it takes none")))
        }
        [] if name != "main" => Ok(Entry::Harness(id)),
        [] | [32, 64] | [32, 64, 64] => Ok(Entry::Main(id, main_arguments(args, arguments))),
        // A number of arguments alone is that only in `main`.
        [32] if name == "main" => Ok(Entry::Main(id, main_arguments(args, arguments))),
        _ => Err(CliError::usage(format!(
            "failed to call `{name}`: it has {} parameters, and is not C's main",
            widths.len()
        ))
        .help("name a function without parameters with --entry; it can draw its inputs by symex_make_symbolic")),
    }
}

fn main_arguments(args: &ProgramArgs, arguments: &[String]) -> Vec<String> {
    let program = args.files[0].display().to_string();
    std::iter::once(program)
        .chain(arguments.iter().cloned())
        .collect()
}

/// The error for an entry that is not there, with those that are.
fn no_entry(options: &FilesOptions, name: &str) -> CliError {
    let error = CliError::usage(format!("failed to find a defined function `{name}`"));
    let names = match options.files.as_slice() {
        [_] => possible_entries(options).unwrap_or_default(),
        _ => Vec::new(),
    };
    if names.is_empty() {
        return error.help("name one with --entry");
    }
    error.help(format!(
        "functions without parameters are: {}",
        names.join(", ")
    ))
}

/// Names of functions in a file that could be called, a few of them; `None` for a file that is no program by itself.
fn possible_entries(options: &FilesOptions) -> Option<Vec<String>> {
    let program = translate_first(options, &program::process().ok()?).ok()?;
    let program = program::translated(&program).ok()?;
    let callable = |function: &&Function| function.body.is_some() && function.params.is_empty();
    let functions = program.functions.iter().filter(callable);
    let mut names: Vec<String> = functions.map(|function| function.name.clone()).collect();
    names.sort_unstable();
    names.truncate(8);
    Some(names)
}
