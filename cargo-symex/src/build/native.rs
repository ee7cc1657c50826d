//! Links an executable natively, from the same bitcode that is executed symbolically.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use super::error::BuildError;
use super::manifest::{self, LinkManifest};
use super::tools;

/// The natively linked executable of the manifest beside `placeholder`, linked if that has not been done since.
pub fn executable(placeholder: &Path) -> Result<PathBuf, BuildError> {
    let native = manifest::beside(placeholder, ".native");
    let modified = |file: &Path| {
        std::fs::metadata(file)
            .and_then(|data| data.modified())
            .ok()
    };
    let described = modified(&manifest::manifest_path(placeholder));
    if described.is_some() && modified(&native) >= described {
        return Ok(native);
    }
    let (manifest, _) = LinkManifest::read(placeholder)?;
    // Linked under another name and renamed: two processes may want it at the same time.
    let fresh = manifest::beside(placeholder, &format!(".native.{}", std::process::id()));
    let clang = tools::clang(false);
    let mut command = Command::new(&clang);
    command.args(driver_arguments(
        manifest.arguments.iter().map(|argument| argument.0.clone()),
    ));
    command
        .arg("-o")
        .arg(&fresh)
        .current_dir(manifest.current_dir.as_path());
    for (name, value) in &manifest.environment {
        command.env(name, &value.0);
    }
    let output = command
        .output()
        .map_err(|source| tools::not_started(&clang, source))?;
    if !output.status.success() {
        let reason = what_linker_said(&String::from_utf8_lossy(&output.stderr));
        return Err(BuildError::NativeLink { reason });
    }
    std::fs::rename(&fresh, &native).map_err(BuildError::file("renaming", &fresh))?;
    Ok(native)
}

/// The linker's own errors, without where they are referenced and without the driver's summary.
fn what_linker_said(stderr: &str) -> String {
    let errors: Vec<&str> = stderr
        .lines()
        .filter_map(|line| line.split_once("error: "))
        .filter(|(_, text)| !text.starts_with("linker command failed"))
        .map(|(_, text)| text.trim())
        .collect();
    match errors.is_empty() {
        true => stderr.trim().to_owned(),
        false => errors.join("; "),
    }
}

/// Links at once, as any linker would.
pub fn link_now(arguments: &[OsString]) -> Result<ExitCode, BuildError> {
    let clang = tools::clang(false);
    let status = Command::new(&clang)
        .args(driver_arguments(arguments.iter().cloned()))
        .status()
        .map_err(|source| tools::not_started(&clang, source))?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Starts an executable in place of this process, linked first if need be. Arguments: the placeholder, then its own.
pub fn start(arguments: Vec<OsString>) -> Result<ExitCode, BuildError> {
    let mut arguments = arguments.into_iter();
    let placeholder = PathBuf::from(arguments.next().unwrap_or_default());
    let native = executable(&placeholder)?;
    let error = Command::new(&native).args(arguments).exec();
    Err(BuildError::File {
        action: "starting",
        path: native,
        source: error,
    })
}

/// rustc's arguments for a C compiler driver, with our own lld instead of rustc's.
fn driver_arguments(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let of_rustc = |argument: &OsString| {
        let text = argument.to_string_lossy();
        text.starts_with("-fuse-ld=") || text.starts_with("-B") && text.ends_with("gcc-ld")
    };
    let mut own: Vec<OsString> = arguments.filter(|argument| !of_rustc(argument)).collect();
    // Code generation only: optimising would cost time and make undefined behaviour harder to see again.
    own.extend(["-fuse-ld=lld", "-Wl,--lto-O0", "-Wl,--lto-CGO0"].map(OsString::from));
    own
}
