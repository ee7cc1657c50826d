//! `cargo symex setup`: says whether the C library in bitcode is there, and builds it with `--libc`. Also where it is kept:
//! in `cargo-symex/libc` of the user's data directory, or where the variable `SYMEX_LIBC_DIR` says. What the libraries of crates
//! come to is in the user's cache directory.

use super::args::SetupArgs;
use super::error::CliError;
use super::exit_code::ExitCode;
use super::{output, program};
use crate::build::libc::{self, Done, Libc, LibcError, SetUp};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::PathBuf;
use std::time::Instant;
use symex_bitcode::link::LibraryFile;

/// The directory of C libraries; `None` where the user has none, or has said so by an empty variable.
fn directory() -> Option<PathBuf> {
    directory_of("SYMEX_LIBC_DIR", "XDG_DATA_HOME", ".local/share", "libc")
}

/// The directory of what the libraries of crates come to, which all projects share; `None` where the user has none, or has said
/// so by an empty variable.
pub fn parts_directory() -> Option<PathBuf> {
    directory_of("SYMEX_PARTS_DIR", "XDG_CACHE_HOME", ".cache", "parts")
}

/// A directory of this tool's: where a variable says, or in one of the user's directories.
fn directory_of(chosen: &str, base: &str, in_home: &str, name: &str) -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    if let Some(chosen) = variable(chosen) {
        return Some(chosen).filter(|path| !path.as_os_str().is_empty());
    }
    let absolute = |path: &PathBuf| path.is_absolute();
    let base = variable(base).filter(absolute);
    let base = base.or_else(|| Some(variable("HOME").filter(absolute)?.join(in_home)));
    Some(base?.join("cargo-symex").join(name))
}

/// The C library in bitcode that programs are linked with: the one that has been set up, or what there is without that.
pub fn library() -> Option<LibraryFile> {
    let directory = directory()?;
    let libc = libc::installed(&directory)
        // Where it cannot be had, its functions are not known, and paths that call them say so.
        .or_else(|| libc::built_in(&directory, &program::process().ok()?).ok())?;
    Some(libc.library())
}

/// `cargo symex setup`
pub fn setup(args: &SetupArgs) -> Result<ExitCode, CliError> {
    let directory = directory().ok_or_else(|| {
        CliError::usage("failed to find a directory for the C library")
            .help("set SYMEX_LIBC_DIR or HOME")
    })?;
    if !args.libc {
        match libc::installed(&directory) {
            Some(libc) => describe("there", &libc),
            None => output::line(
                "C library in bitcode: not there; `cargo symex setup --libc` builds it from musl's source",
            ),
        }
        return Ok(ExitCode::Pass);
    }
    let options = SetUp {
        directory,
        from: args.from.clone(),
        force: args.force,
    };
    let started = Instant::now();
    // Nothing is drawn where standard error is no terminal.
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("compiling the C library: {pos} of {len} files");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let done = libc::set_up(&options, &program::process()?, &|done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    match done.map_err(error)? {
        Done::Known(libc) => describe("there already", &libc),
        Done::Made(libc) => {
            describe("built", &libc);
            output::line(&format!("{:.1}s", started.elapsed().as_secs_f64()));
        }
    }
    Ok(ExitCode::Pass)
}

fn describe(how: &str, libc: &Libc) {
    let size = std::fs::metadata(&libc.file).map_or(0, |data| data.len());
    output::line(&format!(
        "C library in bitcode: {how}: musl {}, {} functions and variables, {} KiB, in {}",
        libc.version,
        libc.defines.len(),
        size.div_ceil(1024),
        libc.file.display(),
    ));
    for (what, names) in [
        ("not in this source", &libc.absent),
        ("called, but not known", &libc.undefined),
    ] {
        if !names.is_empty() {
            output::line(&format!("{what}: {}", names.join(", ")));
        }
    }
}

fn error(error: LibcError) -> CliError {
    let fetched = matches!(error, LibcError::Fetch(_));
    let error = CliError::usage(format!("failed to set up the C library: {error}"));
    match fetched {
        true => error.help(format!(
            "give the archive `musl_{}.orig.tar.gz` of Debian's package `musl`, or its directory, with --from",
            libc::MUSL_VERSION
        )),
        false => error,
    }
}
