//! `cargo symex setup`: reports whether the C library in bitcode exists, and builds it with
//! `--libc`.

use super::args::SetupArgs;
use crate::build::libc::{self, Done, Libc, LibcError, SetUp};
use crate::pipeline::error::CommandError;
use crate::pipeline::exit_code::ExitCode;
use crate::pipeline::{libraries, roles};
use crate::report::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Instant;

/// Runs `cargo symex setup`.
pub fn setup(args: &SetupArgs) -> Result<ExitCode, CommandError> {
    let directory = libraries::directory().ok_or_else(|| {
        CommandError::usage("failed to find a directory for the C library")
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
    let done = libc::set_up(&options, &roles::process()?, &|done, all| {
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

fn error(error: LibcError) -> CommandError {
    let fetched = matches!(error, LibcError::Fetch(_));
    let error = CommandError::usage(format!("failed to set up the C library: {error}"));
    match fetched {
        true => error.help(format!(
            "give the archive `musl_{}.orig.tar.gz` of Debian's package `musl`, or its directory, with --from",
            libc::MUSL_VERSION
        )),
        false => error,
    }
}
