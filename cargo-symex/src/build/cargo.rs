//! Runs cargo so that the program's objects are bitcode, and reads which test executables it made.
//!
//! Invariant: what cargo builds for the host (build scripts, proc macros) is built as usual.
//! Executables are taken from cargo's messages, never guessed from file names.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use cargo_metadata::{Artifact, Message, Metadata, TargetKind};
use serde_json::Value;

use super::compile_errors::CompileError;
use super::diagnosis::Diagnosis;
use super::error::BuildError;
use super::flags::{self, UserFlags};
use super::manifest::{LinkManifest, PathText};
use super::options::{BuildOptions, Executables};
use super::replacement::Replacing;
use super::stand_in::StandIns;
use super::{cc, changed, compile_errors, fuzz, kani, linker, machine, quickcheck, tools};
use symex_bitcode::toolchain::Toolchain;
use symex_types::config::AliasingModel;

/// A test executable that cargo made (or found up to date).
#[derive(Clone, Debug)]
pub struct TestArtifact {
    /// Name of the package.
    pub package: String,
    /// Its manifest.
    pub manifest_path: PathBuf,
    /// Name of the target, as `--test NAME` takes it.
    pub name: String,
    /// `lib`, `bin`, `test`, `example`, `bench`, …
    pub kind: String,
    /// Root source file of the target.
    pub source: PathBuf,
    /// Path at which rustc's linker was to put the executable.
    pub executable: PathBuf,
    /// Whether it is built for the compiler's own machine, as proc macros are, and therefore
    /// without bitcode.
    pub for_compiler: bool,
}

impl TestArtifact {
    /// Reports whether a binary was linked for its package. Cargo gives binaries second
    /// names that do not tell packages apart: where several builds share a target directory, one
    /// may put its binary in place of another's.
    fn is_of_its_package(&self) -> bool {
        let Ok((manifest, _)) = LinkManifest::read(&self.executable) else {
            return false;
        };
        let package = manifest.package.as_ref().map(PathText::as_path);
        package == self.manifest_path.parent()
    }
}

/// Greatest number of runs of cargo in a build.
const RUNS: usize = 5;

/// The results of a run of cargo.
pub struct CargoBuild {
    /// The test executables, in the order of package, kind and name.
    pub tests: Vec<TestArtifact>,
    /// The target directory.
    pub target_dir: PathBuf,
    /// The LLVM version of the toolchain, if no clang of that version or older is installed: C was
    /// left to the system's compiler.
    pub without_clang: Option<u32>,
    /// Whether some of the executables do not compile; they are left out.
    pub is_partial: bool,
}

/// Builds the test executables.
pub fn build(options: &BuildOptions) -> Result<CargoBuild, BuildError> {
    let prepared = Prepared::of(options)?;
    let format = match options.messages {
        Some(_) => "--message-format=json",
        None => "--message-format=json-render-diagnostics",
    };
    let run = || {
        let command = prepared.command(format);
        if options.verbose {
            // As cargo says what it runs itself.
            eprintln!("     Running `{command:?}`");
        }
        run(command, options.executables, options.messages).map_err(|error| {
            match (error, metadata(options)) {
                (BuildError::Compile(_), Ok(metadata)) => {
                    let again = |format: &str| prepared.command(format);
                    BuildError::Compile(Diagnosis::of(&metadata, again))
                }
                (error, _) => error,
            }
        })
    };
    let (mut tests, mut is_partial) = run()?;
    let mut runs = 1;
    // The names of tests tell packages apart.
    let are_binaries = options.executables == Executables::FuzzTargets;
    let is_taken = |test: &&TestArtifact| are_binaries && !test.is_of_its_package();
    while let Some(taken) = tests.iter().find(is_taken) {
        if runs == RUNS {
            return Err(BuildError::Taken {
                path: taken.executable.clone(),
            });
        }
        (tests, is_partial) = run()?;
        runs += 1;
    }
    tests.sort_by(|a, b| (&a.package, &a.kind, &a.name).cmp(&(&b.package, &b.kind, &b.name)));
    Ok(CargoBuild {
        tests,
        target_dir: prepared.target_dir,
        without_clang: prepared.without_clang,
        is_partial,
    })
}

/// Runs cargo, and passes on what it says of its progress. Returns the rest of what it says.
fn forwarding(mut command: Command) -> Result<(Output, String), BuildError> {
    let program = PathBuf::from(command.get_program());
    let started = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = started.map_err(|source| tools::not_started(&program, source))?;
    let stderr = child.stderr.take().expect("stderr is piped");
    let listen = move || {
        let mut rest = String::new();
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            let step = line.trim_start();
            let is_step = [
                "Compiling",
                "Downloading",
                "Downloaded",
                "Blocking",
                "Running",
            ]
            .iter()
            .any(|word| step.starts_with(word));
            match is_step {
                true => eprintln!("{line}"),
                false => rest.extend([line.as_str(), "\n"]),
            }
        }
        rest
    };
    let listener = std::thread::spawn(listen);
    let output = child.wait_with_output();
    let output = output.map_err(|source| tools::not_started(&program, source))?;
    Ok((output, listener.join().unwrap_or_default()))
}

/// A build that is about to be made.
pub struct Prepared<'a> {
    options: &'a BuildOptions,
    toolchain: Toolchain,
    target_dir: PathBuf,
    stand_ins: StandIns,
    /// As in [`CargoBuild`].
    without_clang: Option<u32>,
    /// Flags for rustc that the kind of the executables asks for.
    flags: Vec<OsString>,
    /// The stand-in for rustc that cargo starts, if there is one.
    compiler: Option<PathBuf>,
    /// Crates that may use what is unstable.
    with_features: Option<String>,
}

impl<'a> Prepared<'a> {
    /// Prepares a build: builds what it needs of this tool's own.
    pub fn of(options: &'a BuildOptions) -> Result<Self, BuildError> {
        let toolchain =
            Toolchain::on_path(options.current_dir.as_deref()).map_err(BuildError::NoLlvm)?;
        machine::check(options, &toolchain.host)?;
        let oldest = flags::OLDEST_WITH_RETAGS;
        if options.aliasing.is_some() && !toolchain.is_at_least(oldest) {
            let release = toolchain.release.clone();
            return Err(BuildError::NoRetags { oldest, release });
        }
        let target_dir = own_target_dir(options)?;
        let stand_ins = StandIns::install(&absolute(&options.stand_in)?, &target_dir)?;
        let newest = toolchain.llvm_major();
        let mut prepared = Prepared {
            options,
            without_clang: (!tools::has_clang(newest)).then_some(newest),
            toolchain,
            target_dir,
            stand_ins,
            flags: Vec::new(),
            compiler: None,
            with_features: match options.executables {
                Executables::KaniProofs => Some(kani::crates_with_features(options)?),
                _ => None,
            },
        };
        let (cargo, stand_ins) = (prepared.cargo(), &prepared.stand_ins);
        let replacing = match (options.executables, &options.changed) {
            (Executables::Tests, Some(changed)) => {
                Some(changed::replace(&cargo, stand_ins, changed)?)
            }
            (Executables::QuickCheckTests, _) => Some(quickcheck::replace(&cargo, stand_ins)?),
            _ => None,
        };
        prepared.flags = match options.executables {
            Executables::Tests | Executables::QuickCheckTests => Vec::new(),
            Executables::FuzzTargets => fuzz::FLAGS.map(OsString::from).to_vec(),
            Executables::KaniProofs | Executables::BoleroTests => kani::flags(&cargo)?,
        };
        if let Some(Replacing { compiler, flags }) = replacing {
            prepared.compiler = Some(compiler);
            prepared.flags.extend(flags);
        }
        Ok(prepared)
    }

    /// Builds the test executables as far as they compile, and returns the errors of the compiler:
    /// none if all do.
    pub fn test_errors(&self) -> Result<Vec<CompileError>, BuildError> {
        let mut command = self.command("--message-format=json");
        command.stdin(Stdio::null());
        let (output, said) = forwarding(command)?;
        let errors = compile_errors::read(&output.stdout);
        match (output.status.success(), errors.is_empty()) {
            (true, _) => Ok(Vec::new()),
            (false, false) => Ok(errors),
            (false, true) => {
                eprint!("{said}");
                Err(BuildError::Cargo {
                    status: output.status,
                })
            }
        }
    }

    fn cargo(&self) -> Cargo<'_> {
        Cargo {
            options: self.options,
            toolchain: &self.toolchain,
            target_dir: &self.target_dir,
            linker: self.stand_ins.linker(),
        }
    }

    /// Returns the command that builds, with messages of this format.
    fn command(&self, format: &str) -> Command {
        let (options, stand_ins) = (self.options, &self.stand_ins);
        let mut command = self.cargo().command(format, &self.flags);
        if let Some(compiler) = &self.compiler {
            command.env("RUSTC_WRAPPER", compiler);
        }
        if let Some(crates) = &self.with_features
            && options.aliasing.is_none()
            && std::env::var_os(BOOTSTRAP).is_none()
        {
            command.env(BOOTSTRAP, crates);
        }
        // Without clang, C is compiled to machine code only, and paths that reach it are reported;
        // the build works as usual. If clang is installed later, build scripts see that these
        // variables changed.
        if self.without_clang.is_none() {
            set_compilers(
                &mut command,
                &self.toolchain.host,
                stand_ins,
                &self.target_dir,
            );
        }
        command
    }
}

/// Returns the directory in which executables of this kind are built: each has its own, so that
/// nothing is compiled again when an option comes and goes.
fn own_target_dir(options: &BuildOptions) -> Result<PathBuf, BuildError> {
    let mut target_dir = target_dir(options)?;
    match options.aliasing {
        None => {}
        Some(AliasingModel::References) => target_dir.push("references"),
        Some(AliasingModel::Tree) => target_dir.push("aliasing"),
    }
    match options.executables {
        Executables::Tests if options.changed.is_some() => target_dir.push("changed"),
        Executables::Tests => {}
        Executables::FuzzTargets => target_dir.push("fuzz"),
        Executables::KaniProofs => target_dir.push("kani"),
        Executables::QuickCheckTests => target_dir.push("quickcheck"),
        Executables::BoleroTests => target_dir.push("bolero"),
    }
    Ok(target_dir)
}

/// The variable that lets rustc take what is unstable.
const BOOTSTRAP: &str = "RUSTC_BOOTSTRAP";

/// What all runs of cargo in a build have in common.
pub(super) struct Cargo<'a> {
    pub options: &'a BuildOptions,
    pub toolchain: &'a Toolchain,
    pub target_dir: &'a Path,
    /// The linker that rustc uses.
    pub linker: PathBuf,
}

impl Cargo<'_> {
    /// Returns the cargo command that builds the executables, with this message format and with
    /// more flags for rustc.
    fn command(&self, format: &str, more: &[OsString]) -> Command {
        let (options, target_dir) = (self.options, self.target_dir);
        let mut command = cargo(options);
        match options.executables {
            Executables::Tests | Executables::QuickCheckTests | Executables::BoleroTests => {
                command.args(["test", "--no-run"])
            }
            // One that does not compile is no reason to leave the others.
            Executables::FuzzTargets | Executables::KaniProofs => {
                command.args(["build", "--keep-going"])
            }
        };
        command.args([format, "--target", &self.toolchain.host]);
        command.arg("--target-dir").arg(target_dir);
        command.args(arguments(options));
        if options.executables == Executables::FuzzTargets {
            command.envs(fuzz::library_variables(target_dir));
        }
        self.set_flags(&mut command, more);
        command.args(&options.cargo_arguments);
        command
    }

    /// Makes a command compile for the program: with the flags of the user, ours, and these.
    pub fn set_flags(&self, command: &mut Command, more: &[OsString]) {
        let (options, host) = (self.options, self.toolchain.host.as_str());
        let mut own = flags::own_flags(&self.linker, options.checks);
        if let Some(model) = options.aliasing {
            own.extend(flags::retag_flags(model));
            // The flags are unstable.
            command.env(BOOTSTRAP, "1");
        }
        if options.without_lints {
            own.push(flags::NO_LINTS.into());
        }
        own.extend_from_slice(more);
        let user = UserFlags::find(host, options.current_dir.as_deref());
        user.merge(host, &own).apply(command);
        // One object per crate, the same for the same source.
        command.env("CARGO_INCREMENTAL", "0");
        command.env(
            tools::LLVM_VARIABLE,
            self.toolchain.llvm_major().to_string(),
        );
    }
}

/// Reports whether executables that do not compile are left out.
fn keeps_going(executables: Executables) -> bool {
    matches!(
        executables,
        Executables::FuzzTargets | Executables::KaniProofs
    )
}

/// Runs cargo, and returns the executables and whether others do not compile.
fn run(
    mut command: Command,
    executables: Executables,
    messages: Option<fn(&Value)>,
) -> Result<(Vec<TestArtifact>, bool), BuildError> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    let program = PathBuf::from(command.get_program());
    let mut child = command
        .spawn()
        .map_err(|source| tools::not_started(&program, source))?;
    let stdout = child.stdout.take().expect("stdout is piped");
    let answer = |reason: String| BuildError::ToolAnswer {
        tool: "cargo".to_owned(),
        reason,
    };
    let mut tests = Vec::new();
    let mut started = false;
    for message in Message::parse_stream(BufReader::new(stdout)) {
        match message.map_err(|error| answer(error.to_string()))? {
            Message::CompilerArtifact(artifact) => {
                tests.extend(test_artifact(artifact, executables));
            }
            Message::BuildFinished(_) => started = true,
            Message::CompilerMessage(message) => {
                if let Some(tell) = messages {
                    let value = serde_json::to_value(&message);
                    let mut value = value.map_err(|error| answer(error.to_string()))?;
                    value["reason"] = "compiler-message".into();
                    tell(&value);
                }
            }
            _ => {}
        }
    }
    let status = child.wait().map_err(|error| answer(error.to_string()))?;
    match (status.success(), started) {
        (true, _) => Ok((tests, false)),
        (false, true) if keeps_going(executables) && !tests.is_empty() => Ok((tests, true)),
        (false, true) => Err(BuildError::Compile(Diagnosis::default())),
        (false, false) => Err(BuildError::Cargo { status }),
    }
}

fn test_artifact(artifact: Artifact, executables: Executables) -> Option<TestArtifact> {
    let is_wanted = match executables {
        Executables::FuzzTargets => artifact.target.is_bin(),
        _ => artifact.profile.test,
    };
    let executable = artifact.executable.filter(|_| is_wanted)?;
    let executable = executable.into_std_path_buf();
    let executable = linker::started_by(&executable).unwrap_or(executable);
    let kind = artifact
        .target
        .kind
        .first()
        .map_or_else(|| "test".to_owned(), TargetKind::to_string);
    let for_compiler = kind == "proc-macro";
    // Libraries of all crate types have the same kind of test executable.
    let kind = if artifact.target.is_lib() || for_compiler || kind.ends_with("lib") {
        "lib".to_owned()
    } else {
        kind
    };
    Some(TestArtifact {
        package: package_name(
            &artifact.package_id.repr,
            artifact.manifest_path.as_std_path(),
        ),
        manifest_path: artifact.manifest_path.into_std_path_buf(),
        name: artifact.target.name,
        kind,
        source: artifact.target.src_path.into_std_path_buf(),
        executable,
        for_compiler,
    })
}

/// Returns the package name in a package id: `path+file:///dir#name@1.0.0`, or
/// `path+file:///dir/name#1.0.0` when the directory is named like the package.
fn package_name(id: &str, manifest: &Path) -> String {
    let fragment = id.rsplit_once('#').map_or(id, |(_, fragment)| fragment);
    match fragment.split_once('@') {
        Some((name, _)) => name.to_owned(),
        None => manifest
            .parent()
            .and_then(Path::file_name)
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    }
}

/// Returns the command cargo, where it is to run.
pub(super) fn cargo(options: &BuildOptions) -> Command {
    let mut command = Command::new(tools::cargo());
    if let Some(directory) = &options.current_dir {
        command.current_dir(directory);
    }
    command
}

/// Makes a command of a build beside the user's own use this target directory, no network where
/// that uses none, and the same form of messages.
pub(super) fn set_form(command: &mut Command, options: &BuildOptions, target_dir: &Path) {
    command.arg("--target-dir").arg(target_dir);
    for (chosen, flag) in [
        (options.offline || options.frozen, "--offline"),
        (options.quiet, "--quiet"),
        (options.verbose, "--verbose"),
    ] {
        command.args(chosen.then_some(flag));
    }
    if let Some(color) = &options.color {
        command.args(["--color", color]);
    }
}

fn arguments(options: &BuildOptions) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = options
        .targets
        .to_flags()
        .into_iter()
        .map(OsString::from)
        .collect();
    let mut add = |flag: &str, value: Option<&std::ffi::OsStr>| {
        arguments.push(flag.into());
        arguments.extend(value.map(OsString::from));
    };
    if let Some(path) = &options.manifest_path {
        add("--manifest-path", Some(path.as_os_str()));
    }
    for (flag, values) in [
        ("-p", &options.packages),
        ("--exclude", &options.exclude),
        ("--features", &options.features),
    ] {
        values
            .iter()
            .for_each(|value| add(flag, Some(value.as_ref())));
    }
    for (flag, value) in [("--profile", &options.profile), ("--color", &options.color)] {
        if let Some(value) = value {
            add(flag, Some(value.as_ref()));
        }
    }
    if let Some(jobs) = options.jobs {
        add("--jobs", Some(jobs.to_string().as_ref()));
    }
    let switches = [
        (options.workspace, "--workspace"),
        (options.all_features, "--all-features"),
        (options.no_default_features, "--no-default-features"),
        (options.locked, "--locked"),
        (options.offline, "--offline"),
        (options.frozen, "--frozen"),
        (options.quiet, "--quiet"),
        (options.verbose, "--verbose"),
    ];
    switches
        .iter()
        .filter(|(chosen, _)| *chosen)
        .for_each(|(_, flag)| add(flag, None));
    arguments
}

/// Makes build scripts compile C for the program with our stand-in. Sets all variables that the
/// `cc` crate reads before the user's own ones, because the user's are meant for another compiler.
fn set_compilers(command: &mut Command, host: &str, stand_ins: &StandIns, target_dir: &Path) {
    for triple in [host.to_owned(), host.replace('-', "_")] {
        command.env(format!("CC_{triple}"), stand_ins.c_compiler());
        command.env(format!("CXX_{triple}"), stand_ins.cxx_compiler());
        if let Some(archiver) = tools::archiver() {
            command.env(format!("AR_{triple}"), archiver);
        }
    }
    stand_ins.put_on_path(command);
    command.env(cc::TARGET_OUTPUT_VARIABLE, target_dir.join(host));
}

fn target_dir(options: &BuildOptions) -> Result<PathBuf, BuildError> {
    target_dir_within(options, || {
        Ok(metadata(options)?.target_directory.into_std_path_buf())
    })
}

/// Returns the directory in which this tool builds; `workspace` returns the target directory of the
/// workspace, and is called if no other was chosen.
pub fn target_dir_within(
    options: &BuildOptions,
    workspace: impl FnOnce() -> Result<PathBuf, BuildError>,
) -> Result<PathBuf, BuildError> {
    if let Some(chosen) = &options.target_dir {
        let base = options.current_dir.clone().unwrap_or_default();
        return absolute(&base.join(chosen));
    }
    Ok(workspace()?.join("symex"))
}

/// Returns cargo's metadata of the workspace and its packages.
pub fn metadata(options: &BuildOptions) -> Result<Metadata, BuildError> {
    let mut command = cargo(options);
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    if let Some(path) = &options.manifest_path {
        command.arg("--manifest-path").arg(path);
    }
    command.stderr(Stdio::inherit());
    let output = tools::output(&mut command)?;
    if !output.status.success() {
        return Err(BuildError::Cargo {
            status: output.status,
        });
    }
    serde_json::from_slice(&output.stdout).map_err(|error| BuildError::ToolAnswer {
        tool: "cargo metadata".to_owned(),
        reason: error.to_string(),
    })
}

fn absolute(path: &Path) -> Result<PathBuf, BuildError> {
    std::path::absolute(path).map_err(BuildError::file("finding the absolute path of", path))
}
