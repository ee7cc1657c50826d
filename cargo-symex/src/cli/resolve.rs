//! Turns command-line arguments into settings. Each setting is taken from the first of these
//! sources that defines it: the flag, the environment variable of the flag, the harness's
//! attribute, `[package.metadata.symex]` of its package, `[workspace.metadata.symex]`, the default
//! of [`Config`].
//!
//! (clap has already merged flag and environment variable, so one value arrives for both.)

use super::args::{
    Color, EngineArgs, LibtestArgs, LibtestFormat, ReplayRights, ReportArgs, RunArgs, RunFormat,
    SelectArgs, Stats, WriteTests,
};
use super::project::SettingsTable;
use super::run::here;
use super::units::Limit;
use crate::confirm::WritePolicy;
use crate::confirm::confinement::Rights;
use crate::harness::Attribute;
use crate::pipeline::Settings;
use crate::pipeline::coverage::Sources;
use crate::pipeline::error::CommandError;
use crate::report::recorded::{RunFacts, repository_of};
use crate::report::{Format, ReportForm};
use clap::Parser;
use libtest_mimic::FormatSetting;
use serde::de::{DeserializeOwned, IntoDeserializer, value};
use std::path::PathBuf;
use symex_types::config::Config;

/// Settings of a run apart from the engine's. What the report says of the workspace is not known
/// yet.
#[derive(Clone, Debug)]
pub struct RunSettings {
    pub select: SelectArgs,
    /// Whether harnesses are only listed.
    pub list: bool,
    pub color: Option<Color>,
    pub form: ReportForm,
    pub run: Settings,
}

/// Returns the engine settings of a harness. Fails on an invalid value that is a name.
pub fn config<'a>(
    args: &EngineArgs,
    attribute: &Attribute,
    project: impl IntoIterator<Item = &'a SettingsTable>,
) -> Result<Config, CommandError> {
    let mut config = Config::default();
    for table in project {
        let key = |name: &str| format!("`{name}` in {}", table.place);
        apply(&table.settings, key, &mut config)?;
    }
    apply_attribute(attribute, &mut config)?;
    apply(args, |name| format!("--{name}"), &mut config)?;
    config.solver.validate_cache = args.validate_cache;
    config.solver.without_stages = args.without_stage.clone();
    config.experiment.part_always = args.part_always;
    Ok(config)
}

fn apply_attribute(attribute: &Attribute, config: &mut Config) -> Result<(), CommandError> {
    let limits = &mut config.limits;
    limits.timeout = attribute.timeout.or(limits.timeout);
    limits.max_paths = attribute.max_paths.or(limits.max_paths);
    limits.max_steps = attribute.max_steps.or(limits.max_steps);
    limits.max_instructions = attribute.max_instructions.or(limits.max_instructions);
    limits.max_queries = attribute.max_queries.or(limits.max_queries);
    limits.max_memory = attribute.max_memory.or(limits.max_memory);
    if let Some(model) = &attribute.memory_model {
        config.memory.model = by_name("the attribute's memory_model", model)?;
    }
    Ok(())
}

/// Applies these settings; `key` maps the name of an option to the name by which the user set it.
fn apply(
    args: &EngineArgs,
    key: impl Fn(&str) -> String,
    config: &mut Config,
) -> Result<(), CommandError> {
    fn set<T>(setting: &mut T, value: Option<T>) {
        if let Some(value) = value {
            *setting = value;
        }
    }
    fn set_limit<T>(setting: &mut Option<T>, value: Option<Limit<T>>) {
        set(setting, value.map(Limit::into_option));
    }
    let limits = &mut config.limits;
    set_limit(&mut limits.timeout, args.timeout);
    set_limit(&mut limits.max_paths, args.max_paths);
    set_limit(&mut limits.max_steps, args.max_steps);
    set_limit(&mut limits.max_instructions, args.max_instructions);
    set_limit(&mut limits.max_queries, args.max_queries);
    set_limit(&mut limits.max_memory, args.max_memory);
    set(&mut limits.max_depth, args.max_depth);
    set(&mut limits.max_preemptions, args.preemptions);
    set(&mut limits.stop_at_first_bug, args.stop_at_first_bug);
    set_limit(&mut limits.after_bug, args.after_bug);
    let memory = &mut config.memory;
    set(&mut memory.max_symbolic_size, args.max_symbolic_size);
    set(&mut memory.context_depth, args.context_depth.map(Some));
    set(&mut memory.segment_threshold, args.segment_threshold);
    set(
        &mut memory.reuse_segments,
        args.no_segment_reuse.map(|no| !no),
    );
    set_limit(&mut memory.split_objects, args.split_objects);
    set(&mut memory.split_threshold, args.split_threshold);
    set(&mut memory.explore_placements, args.explore_placements);
    set(&mut memory.zeroed, args.zeroed);
    if let Some(model) = &args.memory_model {
        memory.model = by_name(&key("memory-model"), model)?;
    }
    if let Some(planes) = &args.memory_planes {
        memory.planes = by_name(&key("memory-planes"), planes)?;
    }
    if let Some(search) = &args.search {
        config.search = by_name(&key("search"), search)?;
    }
    if let Some(merge) = &args.merge {
        config.merging = by_name(&key("merge"), merge)?;
    }
    set(&mut config.seed, args.seed);
    let pre_runs = args.pre_runs.map(|limit| limit.into_option().unwrap_or(0));
    set(&mut config.pre_runs, pre_runs);
    set(&mut config.solver.query_timeout, args.query_timeout);
    set(&mut config.leaks, args.leaks);
    config.experiment.rerun_paths |= args.check_paths;
    config.experiment.keep_every = args.keep_every.or(config.experiment.keep_every);
    if let Some(aliasing) = &args.aliasing {
        config.aliasing = Some(by_name(&key("aliasing"), aliasing)?);
    }
    Ok(())
}

/// Sets the log files for the queries of a harness, whose name is unique in the run. Fails if the
/// folder cannot be written.
pub fn logs(args: &EngineArgs, harness: &str, config: &mut Config) -> Result<(), CommandError> {
    // With names of harnesses this gives valid file names that still differ.
    let file = harness.replace("::", ".").replace('/', "-");
    for folder in args.query_log.iter().chain(&args.smtlib_log) {
        std::fs::create_dir_all(folder)
            .and_then(|()| tempfile::tempfile_in(folder))
            .map_err(|error| CommandError::unwritable(folder, error))?;
    }
    let path = |folder: &PathBuf, ending| folder.join(format!("{file}{ending}"));
    config.solver.query_log = args.query_log.as_ref().map(|dir| path(dir, ".queries"));
    config.solver.smtlib_log = args.smtlib_log.as_ref().map(|dir| path(dir, ""));
    Ok(())
}

/// Parses a value that is one of the names of a setting.
fn by_name<T: DeserializeOwned>(flag: &str, name: &str) -> Result<T, CommandError> {
    let name: value::StrDeserializer<'_, value::Error> = name.into_deserializer();
    T::deserialize(name).map_err(|error| {
        CommandError::usage(format!("failed to understand the value of {flag}: {error}"))
    })
}

/// Returns the settings of a run, including the libtest flags after `--`.
pub fn run(args: &RunArgs, ci: bool) -> Result<RunSettings, CommandError> {
    let mut select = args.select.clone();
    let mut libtest = args.libtest.clone();
    let mut color = args.report.color;
    if !args.rest.is_empty() {
        merge_libtest(&args.rest, &mut select, &mut libtest, &mut color)?;
    }
    Ok(RunSettings {
        form: ReportForm {
            format: format(&libtest, &args.report),
            stats: args.report.stats.map(Stats::level),
            verbosity: args.report.verbosity(),
            calls: args.report.calls(),
            facts: RunFacts::default(),
            ignored: select.ignored,
            include_ignored: select.include_ignored,
            here: here(),
            runs: None,
            files: args.report.files.files(),
            coverage: args.report.files.coverage.clone(),
            profile: args.report.files.profiling.clone(),
            html: args.report.files.html.clone(),
            github: args.report.files.job(),
        },
        list: libtest.list,
        select,
        color,
        run: settings(&args.report, jobs(libtest.jobs)?, ci)?,
    })
}

/// Returns the settings of a run on a program given as files, and the form of its report.
pub fn program(
    report: &ReportArgs,
    threads: Option<usize>,
    ci: bool,
) -> Result<(Settings, ReportForm), CommandError> {
    let form = ReportForm {
        format: format(&LibtestArgs::default(), report),
        stats: report.stats.map(Stats::level),
        verbosity: report.verbosity(),
        calls: report.calls(),
        facts: RunFacts {
            require_complete: report.require_complete,
            program: true,
            repository: repository_of(&here()),
            workspace: here(),
            ..RunFacts::default()
        },
        ignored: false,
        include_ignored: false,
        here: here(),
        runs: None,
        files: report.files.files(),
        coverage: report.files.coverage.clone(),
        profile: report.files.profiling.clone(),
        html: report.files.html.clone(),
        github: report.files.job(),
    };
    let settings = Settings {
        coverage: report.sources(|| Sources::Below(here())),
        ..settings(report, jobs(threads)?, ci)?
    };
    Ok((settings, form))
}

fn settings(report: &ReportArgs, jobs: usize, ci: bool) -> Result<Settings, CommandError> {
    report.files.outputs().check()?;
    let replay = rights(report.replay);
    if replay == Rights::Off && report.replay_paths > 0 {
        return Err(CommandError::usage(
            "failed to combine --replay=off with --replay-paths: these are native runs",
        ));
    }
    Ok(Settings {
        cluster: report.cluster.settings(),
        jobs,
        replay,
        replay_paths: report.replay_paths,
        write: write_tests(report, ci),
        require_complete: report.require_complete,
        coverage: None,
        profile: !report.files.profiling.is_empty(),
    })
}

/// Converts the value of `--replay`.
pub fn rights(replay: ReplayRights) -> Rights {
    match replay {
        ReplayRights::Off => Rights::Off,
        ReplayRights::Confined => Rights::Confined,
        ReplayRights::Free => Rights::Free,
    }
}

/// Converts the choice of colours for the output library.
pub fn color_choice(color: Option<Color>) -> anstream::ColorChoice {
    match color {
        None | Some(Color::Auto) => anstream::ColorChoice::Auto,
        Some(Color::Always) => anstream::ColorChoice::Always,
        Some(Color::Never) => anstream::ColorChoice::Never,
    }
}

fn merge_libtest(
    rest: &[String],
    select: &mut SelectArgs,
    libtest: &mut LibtestArgs,
    color: &mut Option<Color>,
) -> Result<(), CommandError> {
    use libtest_mimic::{Arguments, ColorSetting};
    let program = "cargo symex --".to_owned();
    let typed = Arguments::try_parse_from(std::iter::once(&program).chain(rest)).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        CommandError::usage(format!(
            "failed to understand the arguments after `--`: {}",
            first.trim_start_matches("error: ")
        ))
        .help("they are libtest's: --list, --exact, --skip, --format, --ignored, --include-ignored, --test-threads")
    })?;
    select.filter.extend(typed.filter);
    select.exact |= typed.exact;
    select.skip.extend(typed.skip);
    select.ignored |= typed.ignored;
    select.include_ignored |= typed.include_ignored;
    libtest.list |= typed.list;
    libtest.jobs = typed.test_threads.or(libtest.jobs);
    libtest.format = match typed.format {
        Some(FormatSetting::Pretty) => Some(LibtestFormat::Pretty),
        Some(FormatSetting::Terse) => Some(LibtestFormat::Terse),
        Some(FormatSetting::Json) => Some(LibtestFormat::Json),
        None if typed.quiet => Some(LibtestFormat::Terse),
        None => libtest.format,
    };
    *color = match typed.color {
        Some(ColorSetting::Auto) => Some(Color::Auto),
        Some(ColorSetting::Always) => Some(Color::Always),
        Some(ColorSetting::Never) => Some(Color::Never),
        None => *color,
    };
    Ok(())
}

fn format(libtest: &LibtestArgs, report: &ReportArgs) -> Format {
    match (libtest.format, report.message_format) {
        (Some(format), _) => Format::Libtest(setting(format)),
        (None, RunFormat::Json) => Format::Json,
        (None, RunFormat::Diagnostics) => Format::Diagnostics,
        (None, RunFormat::Human) => Format::Human,
    }
}

fn setting(format: LibtestFormat) -> FormatSetting {
    match format {
        LibtestFormat::Pretty => FormatSetting::Pretty,
        LibtestFormat::Terse => FormatSetting::Terse,
        LibtestFormat::Json => FormatSetting::Json,
    }
}

pub fn jobs(typed: Option<usize>) -> Result<usize, CommandError> {
    match typed {
        Some(0) => Err(CommandError::usage(
            "failed to use 0 jobs: at least 1 is needed",
        )),
        Some(jobs) => Ok(jobs),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

fn write_tests(report: &ReportArgs, ci: bool) -> WritePolicy {
    match report.write_tests {
        _ if report.no_write => WritePolicy::Never,
        WriteTests::Never => WritePolicy::Never,
        WriteTests::Always => WritePolicy::Always,
        WriteTests::Auto if ci => WritePolicy::InCi,
        WriteTests::Auto => WritePolicy::Confirmed,
    }
}

/// Reports whether the environment is that of a continuous integration service.
pub fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::CommandLine;
    use std::time::Duration;
    use symex_types::config::SearchKind;

    fn typed(line: &str) -> RunArgs {
        CommandLine::try_parse_from(line.split_whitespace())
            .unwrap()
            .run
    }

    #[test]
    fn flags_win_over_attributes_and_attributes_over_defaults() {
        let attribute = Attribute {
            timeout: Some(Duration::from_secs(7)),
            max_paths: Some(11),
            ..Attribute::default()
        };
        let plain = config(&typed("x").engine, &attribute, []).unwrap();
        assert_eq!(plain.limits.timeout, Some(Duration::from_secs(7)));
        assert_eq!(plain.limits.max_paths, Some(11));
        assert_eq!(plain.limits.max_steps, Config::default().limits.max_steps);

        let args = typed("x --timeout 3s --max-paths none --search dfs --seed 5");
        let config = config(&args.engine, &attribute, []).unwrap();
        assert_eq!(config.limits.timeout, Some(Duration::from_secs(3)));
        assert_eq!(config.limits.max_paths, None);
        assert_eq!((config.search, config.seed), (SearchKind::Dfs, 5));
    }

    #[test]
    fn attributes_win_over_the_project_and_a_package_over_its_workspace() {
        let table = |line: &str| SettingsTable {
            settings: typed(line).engine,
            place: "the table".to_owned(),
        };
        let tables = [
            table("x --timeout 1s --max-paths 1 --max-steps 1 --seed 1 --leaks"),
            table("x --timeout 2s --max-paths 2 --max-steps 2 --leaks=false"),
        ];
        let attribute = Attribute {
            timeout: Some(Duration::from_secs(3)),
            max_paths: Some(3),
            ..Attribute::default()
        };
        let args = typed("x --timeout 4s").engine;
        let all = config(&args, &attribute, &tables).unwrap();
        assert_eq!(all.limits.timeout, Some(Duration::from_secs(4)));
        assert_eq!(all.limits.max_paths, Some(3));
        assert_eq!(all.limits.max_steps, Some(2));
        assert_eq!((all.seed, all.leaks), (1, false));

        let wrong = [table("x --search sideways")];
        let error = config(&args, &attribute, &wrong).unwrap_err();
        assert!(error.message.contains("`search` in the table"), "{error:?}");
    }

    #[test]
    fn an_unknown_name_says_which_exist() {
        let args = typed("x --search sideways");
        let error = config(&args.engine, &Attribute::default(), []).unwrap_err();
        assert!(
            error.message.contains("sideways") && error.message.contains("interleaved"),
            "{error:?}"
        );
    }

    #[test]
    fn libtest_arguments_after_two_dashes_are_merged() {
        let settings = run(
            &typed("x -- tests::a --exact --test-threads 3 --format terse"),
            false,
        )
        .unwrap();
        assert_eq!(settings.select.filter, ["tests::a"]);
        assert!(settings.select.exact);
        assert_eq!(settings.run.jobs, 3);
        assert_eq!(settings.form.format, Format::Libtest(FormatSetting::Terse));
        assert!(run(&typed("x -- --what"), false).is_err());
    }

    #[test]
    fn tests_are_not_written_in_ci_unless_asked() {
        assert_eq!(run(&typed("x"), true).unwrap().run.write, WritePolicy::InCi);
        assert_eq!(
            run(&typed("x"), false).unwrap().run.write,
            WritePolicy::Confirmed
        );
        let asked = run(&typed("x --write-tests always"), true).unwrap();
        assert_eq!(asked.run.write, WritePolicy::Always);
        let never = run(&typed("x --no-write"), false).unwrap();
        assert_eq!(never.run.write, WritePolicy::Never);
    }
}
