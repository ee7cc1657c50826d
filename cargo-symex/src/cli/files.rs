//! `cargo symex c` and `cargo symex bitcode`: explore a program given as files, without cargo;
//! `cargo symex dump` prints it.

use super::args::{BitcodeArgs, CArgs, DumpArgs, ProgramArgs};
use super::{resolve, run};
use crate::build::FilesOptions;
use crate::harness::{Attribute, TestHarness};
use crate::pipeline::error::CommandError;
use crate::pipeline::exit_code::ExitCode;
use crate::pipeline::files::{self, FilesProgram};
use crate::pipeline::paths::PathLog;
use crate::pipeline::{self, libraries, roles};
use crate::report::{self, output};
use std::path::PathBuf;
use symex_bitcode::passes::PassProfile;
use symex_program::text;
use symex_types::config::RecordPaths;

/// Runs `cargo symex c`.
pub fn c(args: &CArgs) -> Result<ExitCode, CommandError> {
    run(&args.program, "c", &args.cflags, &args.arguments)
}

/// Runs `cargo symex bitcode`.
pub fn bitcode(args: &BitcodeArgs) -> Result<ExitCode, CommandError> {
    run(&args.program, "bitcode", &args.cflag, &args.args)
}

/// Explores a program with these arguments; its sources are compiled with `cflags`.
fn run(
    args: &ProgramArgs,
    kind: &str,
    cflags: &[String],
    arguments: &[String],
) -> Result<ExitCode, CommandError> {
    let (settings, form) = resolve::program(&args.report, args.jobs, resolve::is_ci())?;
    output::set_color(resolve::color_choice(args.report.color));
    let mut config = resolve::config(&args.engine, &Attribute::default(), [])?;
    config.check_status = args.check_status;
    resolve::logs(&args.engine, &args.entry, &mut config)?;
    config.world = args.world.world()?;
    config.record_paths = match args.world.paths_to {
        Some(_) => RecordPaths::All,
        None => settings.record_paths(),
    };
    config.profile = settings.profile;
    config.record_tree = form.html.is_some();
    let interrupt = run::interrupt()?;
    let options = options(&args.files, cflags, &args.entry, &args.passes);
    // The other process gets the same Ctrl-C, so its end is then no separate error.
    let program = files::load(&options).map_err(|error| run::unless(&interrupt, error))?;
    let harness = TestHarness {
        name: args.entry.clone(),
        target: args.files[0].display().to_string(),
        target_kind: kind.to_owned(),
        function: args.entry.clone(),
        manifest_dir: run::here(),
        ..TestHarness::default()
    };
    let subject = FilesProgram {
        options,
        harness,
        arguments: arguments.to_vec(),
    };
    let path_log = PathLog::start(args.world.paths_to.as_deref())?;
    let launcher = roles::launcher(settings.replay)?;
    let plan = subject.plan(program, config, path_log, launcher)?;
    let (mut reporter, monitor) = report::open(form);
    pipeline::run(plan, &settings, &interrupt, &mut *reporter, &monitor)
}

/// Prints programs in the engine's form.
pub fn dump(args: &DumpArgs) -> Result<ExitCode, CommandError> {
    let program = files::load(&options(
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
        library: libraries::library(),
        ..FilesOptions::new(files.to_vec())
    }
}
