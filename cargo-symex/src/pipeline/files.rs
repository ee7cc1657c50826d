//! Builds the plan for a program given as C or C++ sources, bitcode, objects and archives, without
//! cargo. Its inputs are those that it requests by `symex_make_symbolic` and the like.

use super::error::CommandError;
use super::exit_code::ExitCode;
use super::paths::PathLog;
use super::roles::{self, translated};
use super::verdict_cache;
use super::{RunPlan, Task};
use crate::build::{BuildError, FilesOptions, translate_files, translate_first};
use crate::confirm::launch::Launcher;
use crate::confirm::program::NativeProgram;
use crate::harness::TestHarness;
use crate::ignored::IgnoreList;
use std::sync::Arc;
use symex_bitcode::link::LinkError;
use symex_engine::Entry;
use symex_program::{Function, Program};
use symex_types::config::{Config, World};

/// A program given as files, and its entry and arguments.
pub struct FilesProgram {
    pub options: FilesOptions,
    /// The harness that represents the program in reports; its function is the entry.
    pub harness: TestHarness,
    /// Arguments of `main` after the program's name.
    pub arguments: Vec<String>,
}

impl FilesProgram {
    /// Returns the plan for the program; native runs are made by `launcher`.
    pub fn plan(
        self,
        program: Program,
        config: Config,
        path_log: PathLog,
        launcher: Launcher,
    ) -> Result<RunPlan, CommandError> {
        let entry = self.start(&program, &config.world)?;
        let world = config.world.clone();
        let confirm =
            NativeProgram::new(self.options, &entry, self.harness.clone(), world, launcher);
        let program = Arc::new(program);
        Ok(RunPlan {
            tasks: vec![Task {
                ignored: IgnoreList::default(),
                harness: self.harness,
                program: Box::new(move || Ok((program.clone(), entry.clone()))),
                config,
                confirm: Arc::new(confirm),
                cached: verdict_cache::CacheEntry::default(),
                path_log,
            }],
            ..RunPlan::default()
        })
    }

    /// Returns the entry of the program: `main`, or a function without parameters.
    fn start(&self, program: &Program, world: &World) -> Result<Entry, CommandError> {
        let name = &self.harness.function;
        let id = program.function_names.get(name).copied();
        let id = id.ok_or_else(|| no_entry(&self.options, name))?;
        let function = program.function(id);
        if function.body.is_none() {
            return Err(no_entry(&self.options, name));
        }
        let widths: Vec<u32> = function.params.iter().map(|param| param.width).collect();
        match widths.as_slice() {
            [] if name != "main" && !world.arguments.is_empty() => Err(CommandError::usage(
                format!("failed to give `{name}` arguments: it takes none"),
            )),
            [] if name != "main" => Ok(Entry::Harness(id)),
            [] | [32, 64] | [32, 64, 64] => Ok(Entry::Main(id, self.main_arguments())),
            // A single parameter is the number of arguments only in `main`.
            [32] if name == "main" => Ok(Entry::Main(id, self.main_arguments())),
            _ => Err(CommandError::usage(format!(
                "failed to call `{name}`: it has {} parameters, and is not C's main",
                widths.len()
            ))
            .help(
                "name a function without parameters with --entry; it can draw its inputs by \
                 symex_make_symbolic",
            )),
        }
    }

    fn main_arguments(&self) -> Vec<String> {
        let program = self.options.files[0].display().to_string();
        std::iter::once(program)
            .chain(self.arguments.iter().cloned())
            .collect()
    }
}

/// Loads the program in the files, linked from the entry.
pub fn load(options: &FilesOptions) -> Result<Program, CommandError> {
    for file in &options.files {
        // Reports a missing file by its name, before any tool fails on it.
        std::fs::File::open(file).map_err(|error| {
            CommandError::usage(format!("failed to read {}: {error}", file.display()))
        })?;
    }
    let program = translate_files(options, &roles::process()?).map_err(|error| match error {
        BuildError::Link {
            source: LinkError::NoSuchRoot(entry),
            ..
        } => no_entry(options, &entry),
        // The compiler has printed the reason.
        BuildError::Compile(_) => {
            CommandError::usage("failed to compile the source").code(ExitCode::BuildFailed)
        }
        error => CommandError::from(error),
    })?;
    translated(&program)
}

/// Returns the error for a missing entry, with suggestions of existing functions.
fn no_entry(options: &FilesOptions, name: &str) -> CommandError {
    let error = CommandError::usage(format!("failed to find a defined function `{name}`"));
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

/// Returns names of some functions in a file that could be the entry; `None` for a file that is not
/// a program by itself.
fn possible_entries(options: &FilesOptions) -> Option<Vec<String>> {
    let program = translate_first(options, &roles::process().ok()?).ok()?;
    let program = translated(&program).ok()?;
    let callable = |function: &&Function| function.body.is_some() && function.params.is_empty();
    let functions = program.functions.iter().filter(callable);
    let mut names: Vec<String> = functions.map(|function| function.name.clone()).collect();
    names.sort_unstable();
    names.truncate(8);
    Some(names)
}
