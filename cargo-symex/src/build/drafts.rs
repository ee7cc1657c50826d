//! Runs of cargo for harnesses that are drafted: the description of a crate by rustdoc, and the
//! compiler's opinion of the drafts.

use std::path::Path;
use std::process::{Command, Stdio};

use super::cargo::{cargo, set_form};
use super::compile_errors::{self, CompileError};
use super::error::BuildError;
use super::flags::{self, UserFlags};
use super::options::BuildOptions;
use super::tools;
use symex_bitcode::toolchain::Toolchain;

/// Writes a file, with the folders that it is in, unless it has this content.
pub fn write_changed(path: &Path, content: &[u8]) -> Result<(), BuildError> {
    if std::fs::read(path).is_ok_and(|known| known == content) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, content))
        .map_err(BuildError::file("writing", path))
}

/// Returns rustdoc's description of a library in JSON, which is that of the package with this id.
/// It is made on the stable toolchain as well, which only asks to be told that the form may change.
pub fn describe(
    options: &BuildOptions,
    package: &str,
    library: &str,
    target_dir: &Path,
) -> Result<Vec<u8>, BuildError> {
    let mut command = cargo(options);
    command.args(["rustdoc", "--lib", "-p", package]);
    if let Some(path) = &options.manifest_path {
        command.arg("--manifest-path").arg(path);
    }
    for features in &options.features {
        command.args(["--features", features]);
    }
    for (chosen, flag) in [
        (options.all_features, "--all-features"),
        (options.no_default_features, "--no-default-features"),
        (options.locked, "--locked"),
        (options.frozen, "--frozen"),
    ] {
        command.args(chosen.then_some(flag));
    }
    set_form(&mut command, options, target_dir);
    set_no_lints(&mut command, options)?;
    command.args(["--", "-Zunstable-options", "--output-format=json"]);
    command.arg(flags::NO_LINTS);
    command.env("RUSTC_BOOTSTRAP", "1");
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = tools::output(&mut command)?;
    if !output.status.success() {
        return Err(BuildError::NoDescription);
    }
    let file = target_dir.join("doc").join(format!("{library}.json"));
    std::fs::read(&file).map_err(BuildError::file("reading the description", &file))
}

/// Makes a command compile without lints: what a crate forbids is no business of its drafts.
fn set_no_lints(command: &mut Command, options: &BuildOptions) -> Result<(), BuildError> {
    let directory = options.current_dir.as_deref();
    let toolchain = Toolchain::on_path(directory).map_err(BuildError::NoLlvm)?;
    let user = UserFlags::find(&toolchain.host, directory);
    let route = user.merge(&toolchain.host, &[flags::NO_LINTS.into()]);
    route.apply(command);
    Ok(())
}

/// Compiles the tests of a package as far as errors show, and returns the errors in this source.
/// Fails if there are others.
pub fn check_tests(
    options: &BuildOptions,
    manifest: &Path,
    source: &Path,
    target_dir: &Path,
) -> Result<Vec<CompileError>, BuildError> {
    let mut command = cargo(options);
    command.args(["check", "--tests", "--message-format=json"]);
    command.arg("--manifest-path").arg(manifest);
    set_form(&mut command, options, target_dir);
    set_no_lints(&mut command, options)?;
    // Drafts that do not compile are no news; what else goes wrong is printed below.
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    let output = tools::output(&mut command)?;
    if output.status.success() {
        return Ok(Vec::new());
    }
    let root = manifest.parent().map(Path::to_owned).unwrap_or_default();
    let mut errors = Vec::new();
    let mut others = Vec::new();
    for mut error in compile_errors::read(&output.stdout) {
        error
            .places
            .retain(|place| root.join(&place.file) == source);
        match error.places.is_empty() {
            false => errors.push(error),
            true => others.push(error),
        }
    }
    if errors.is_empty() {
        if others.is_empty() {
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
        }
        for error in &others {
            eprint!("{}", error.rendered);
        }
        return Err(match others.is_empty() {
            true => BuildError::Cargo {
                status: output.status,
            },
            false => BuildError::Compile(super::Diagnosis::default()),
        });
    }
    Ok(errors)
}
