//! Builds what the user chose and finds the harnesses in it.

use super::args::CargoArgs;
use super::error::CliError;
use super::exit_code::ExitCode;
use super::meta::{self, MetaError};
use super::{advice, names, output, program};
use crate::build::{
    self, BuildError, BuildOptions, LinkedCode, Sanitized, TargetSelection, TestTarget,
};
use crate::report::harness::Harness;
use crate::report::native::Native;
use crate::report::progress::Progress;
use crate::report::sanitizer;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use symex_bitcode::link::HarnessRoot;
use symex_program::{FuncId, Program};

/// A test executable with what is known of it.
pub struct Target {
    target: TestTarget,
    native: OnceLock<Result<PathBuf, String>>,
    sanitized: OnceLock<Result<Option<Sanitized>, String>>,
}

impl Target {
    /// The native executable, linked when first asked for; by one thread, while others wait.
    pub fn native(&self) -> Result<Native, String> {
        let link = || {
            self.target
                .native_executable()
                .map_err(|error| error.to_string())
        };
        let executable = self.native.get_or_init(link).clone()?;
        Ok(self.starting(executable, Vec::new()))
    }

    /// The native executable with AddressSanitizer in it, which also looks for `leaks` if asked; `None` where there is no C.
    pub fn sanitized(&self, leaks: bool) -> Result<Option<Native>, String> {
        let link = || {
            self.target
                .sanitized_executable()
                .map_err(|error| error.to_string())
        };
        let sanitized = self.sanitized.get_or_init(link).clone()?;
        Ok(sanitized.map(
            |Sanitized {
                 executable,
                 symbolizer,
             }| {
                let env = [
                    ("ASAN_OPTIONS", sanitizer::options(leaks, Some(&symbolizer))),
                    ("LSAN_OPTIONS", String::new()),
                ];
                let env = env.map(|(name, value)| (name.to_owned(), value));
                self.starting(executable, env.into())
            },
        ))
    }

    fn starting(&self, executable: PathBuf, env: Vec<(String, String)>) -> Native {
        let package = self.target.manifest_path.parent();
        Native {
            executable,
            dir: package.unwrap_or(Path::new(".")).to_owned(),
            env,
        }
    }
}

impl Target {
    /// The directory of all that is built for this tool.
    pub fn target_dir(&self) -> &Path {
        &self.target.target_dir
    }

    /// What is missing to explore C, if it is.
    pub fn missing_for_c(&self) -> Option<&str> {
        self.target.missing_for_c.as_deref()
    }

    /// The manifest of the package.
    pub fn manifest_path(&self) -> &Path {
        &self.target.manifest_path
    }
}

/// A harness and the test executable it is in.
#[derive(Clone)]
pub struct Found {
    pub harness: Harness,
    root: HarnessRoot,
    pub target: Arc<Target>,
}

/// A harness with the program that is explored.
#[derive(Clone)]
pub struct Loaded {
    pub harness: Harness,
    pub target: Arc<Target>,
    pub code: Arc<Code>,
    /// The symbol of its entry in that program.
    entry: String,
}

/// The program that harnesses of one test executable are in, decoded when it is asked for.
pub struct Code {
    linked: LinkedCode,
    target: Arc<Target>,
    roots: Vec<HarnessRoot>,
    program: OnceLock<Result<Arc<Program>, CliError>>,
}

impl Code {
    /// Equal for equal programs.
    pub fn id(&self) -> &str {
        &self.linked.id
    }

    /// The program.
    pub fn program(&self) -> Result<Arc<Program>, CliError> {
        let read = || {
            let program = self.target.target.read(&self.linked, &self.roots);
            program.map(Arc::new).map_err(program::error)
        };
        self.program.get_or_init(read).clone()
    }
}

impl Loaded {
    /// The symbol of its entry.
    pub fn symbol(&self) -> &str {
        &self.entry
    }

    /// The program and the harness's entry in it.
    pub fn entry(&self) -> Result<(Arc<Program>, FuncId), CliError> {
        let program = self.code.program()?;
        let entry = program.function_names.get(&self.entry).copied();
        let entry = entry.ok_or_else(|| lost(&self.harness.name, "its code"))?;
        Ok((program, entry))
    }
}

/// All harnesses of the chosen targets, sorted by name. Nothing is linked for that.
pub fn discover(
    args: &CargoArgs,
    color: Option<&str>,
    quiet: bool,
) -> Result<Vec<Found>, CliError> {
    let mut options = options(args)?;
    options.color = color.map(str::to_owned);
    options.quiet = quiet;
    let targets = build::build(&options).map_err(build_error)?;
    let mut found = Vec::new();
    for target in targets {
        warn_of_left_out(&target);
        of_target(target, &mut found)?;
    }
    names::assign(found.iter_mut().map(|found: &mut Found| &mut found.harness));
    found.sort_by(|a, b| a.harness.name.cmp(&b.harness.name));
    Ok(found)
}

fn of_target(target: TestTarget, found: &mut Vec<Found>) -> Result<(), CliError> {
    let Some(description) = target.description.clone() else {
        return Ok(());
    };
    let target = Arc::new(Target {
        target,
        native: OnceLock::new(),
        sanitized: OnceLock::new(),
    });
    let info = &target.target;
    for root in &info.harnesses {
        let meta = root
            .meta
            .as_ref()
            .and_then(|symbol| description.global_names.get(symbol));
        let meta = *meta.ok_or_else(|| lost(&root.path, "its description"))?;
        let harness =
            meta::read(&description, meta).map_err(|error| meta_error(&root.path, &error))?;
        found.push(Found {
            harness: Harness {
                package: info.package.clone(),
                target: info.name.clone(),
                target_kind: info.kind.clone(),
                ..harness
            },
            root: root.clone(),
            target: target.clone(),
        });
    }
    Ok(())
}

/// The programs of these harnesses, in their order: one for each test executable, with what the harnesses in it reach. `shown`:
/// a line on the terminal says what is at work.
pub fn load(found: &[Found], use_cache: bool, shown: bool) -> Result<Vec<Loaded>, CliError> {
    let mut targets: Vec<&Arc<Target>> = Vec::new();
    for found in found {
        if !targets
            .iter()
            .any(|known| Arc::ptr_eq(known, &found.target))
        {
            targets.push(&found.target);
        }
    }
    let progress = Progress::new(targets.len(), shown);
    let link = |target: &&Arc<Target>| {
        let of_it = |found: &&Found| Arc::ptr_eq(&found.target, target);
        progress.say(format!("linking and simplifying `{}`", target.target.name));
        let roots = found.iter().filter(of_it).map(|found| &found.root);
        let roots: Vec<HarnessRoot> = roots.cloned().collect();
        let linked = target.target.program(&roots, use_cache);
        progress.done_one();
        Ok(Arc::new(Code {
            linked: linked.map_err(program::error)?,
            target: Arc::clone(target),
            roots,
            program: OnceLock::new(),
        }))
    };
    let linked = build::in_parallel(&targets, link);
    progress.finish();
    let codes: Vec<Arc<Code>> = linked.into_iter().collect::<Result<_, CliError>>()?;
    let of = |found: &Found| {
        let mut number = targets.iter();
        let number = number.position(|target| Arc::ptr_eq(target, &found.target));
        let code = &codes[number.expect("its target is among them")];
        let name = found.root.name();
        let mut roots = code.linked.info.harnesses.iter();
        let root = roots.find(|root| root.name() == name);
        Ok(Loaded {
            harness: found.harness.clone(),
            target: found.target.clone(),
            code: code.clone(),
            entry: root
                .map(|root| root.entry.clone())
                .ok_or_else(|| lost(&found.root.path, "its code"))?,
        })
    };
    found.iter().map(of).collect()
}

/// Decodes the programs of harnesses, each once.
pub fn decode<'a>(loaded: impl Iterator<Item = &'a Loaded>) -> Result<(), CliError> {
    let mut codes: Vec<&Arc<Code>> = Vec::new();
    let mut needed = Vec::new();
    for loaded in loaded {
        if !codes.iter().any(|known| Arc::ptr_eq(known, &loaded.code)) {
            codes.push(&loaded.code);
        }
        needed.push(loaded);
    }
    build::in_parallel(&codes, |code| code.program());
    needed
        .into_iter()
        .try_for_each(|loaded| loaded.entry().map(drop))
}

/// Says which harnesses cannot be explored because of the crate they are in.
fn warn_of_left_out(target: &TestTarget) {
    if target.left_out.is_empty() {
        return;
    }
    let names: Vec<String> = target
        .left_out
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let (s, is) = match names.len() {
        1 => ("", "is"),
        _ => ("es", "are"),
    };
    output::warning(&format!(
        "the harness{s} {} of `{}` {is} left out: a proc-macro crate's tests run inside the compiler's host build and \
         cannot be explored",
        names.join(", "),
        target.package
    ));
    output::help(
        "move what is to be explored into an ordinary crate that the proc macro uses, or the harness into tests/",
    );
}

fn lost(path: &str, what: &str) -> CliError {
    CliError::usage(format!(
        "failed to find {what} of the harness `{path}` in the linked program"
    ))
    .help("a build of symex-runtime that does not belong to this cargo-symex does that")
}

fn meta_error(path: &str, error: &MetaError) -> CliError {
    let message = format!("failed to read the description of the harness `{path}`: {error}");
    let help = match error {
        MetaError::Version { found } if *found > symex_abi::VERSION => {
            "update cargo-symex: cargo install cargo-symex"
        }
        MetaError::Version { .. } => "update the dependency: cargo update -p symex-runtime",
        MetaError::Malformed(_) => {
            "rebuild with `cargo clean`; if that does not help, please report it"
        }
    };
    CliError::usage(message).help(help)
}

/// An error of the build as the user sees it. What cargo and rustc have said is on standard error already.
pub fn build_error(error: BuildError) -> CliError {
    let code = match &error {
        BuildError::Compile(_) | BuildError::Cargo { .. } => ExitCode::BuildFailed,
        _ => ExitCode::Usage,
    };
    let message = format!("failed to build: {error}");
    let failed = CliError::usage(message).code(code);
    match &error {
        BuildError::OtherMachine { host, .. } => {
            failed.help(format!("`--target {host}` explores them for this machine"))
        }
        BuildError::Compile(diagnosis) => match advice::of(diagnosis) {
            Some(advice) => failed.help(advice),
            None => failed,
        },
        _ => failed,
    }
}

/// The build that was asked for.
pub fn options(args: &CargoArgs) -> Result<BuildOptions, CliError> {
    Ok(BuildOptions {
        manifest_path: args.manifest_path.clone(),
        packages: args.package.clone(),
        workspace: args.workspace,
        exclude: args.exclude.clone(),
        targets: TargetSelection {
            lib: args.lib,
            bins: args.bins,
            bin: args.bin.clone(),
            tests: args.tests,
            test: args.test.clone(),
            ..TargetSelection::default()
        },
        features: args.features.clone(),
        all_features: args.all_features,
        no_default_features: args.no_default_features,
        machines: args.target.clone(),
        profile: args.profile.clone(),
        locked: args.locked,
        offline: args.offline,
        frozen: args.frozen,
        target_dir: args.target_dir.as_ref().map(|dir| dir.join("symex")),
        library: super::setup::library(),
        parts: super::setup::parts_directory(),
        ..BuildOptions::new(super::executable()?)
    })
}
