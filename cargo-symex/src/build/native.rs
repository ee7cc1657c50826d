//! Links an executable natively, from the same bitcode that is executed symbolically. Undefined
//! symbols get definitions that end the process, so that a harness that does not call them can
//! still be run.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use symex_abi::EXIT_NO_DEFINITION;

use super::error::BuildError;
use super::manifest::{self, LinkManifest};
use super::{collect, tools};

/// Returns the native executable of the manifest beside `placeholder`, and links it if that has not
/// been done since the manifest was written.
pub fn executable(placeholder: &Path) -> Result<PathBuf, BuildError> {
    executable_with(placeholder, None)
}

/// Returns the native executable as [`executable`] does, linked with a source file in C if one is
/// given.
pub(super) fn executable_with(
    placeholder: &Path,
    source: Option<&str>,
) -> Result<PathBuf, BuildError> {
    let native = manifest::beside(placeholder, ".native");
    if is_current(&native, placeholder) {
        return Ok(native);
    }
    let (manifest, _) = LinkManifest::read(placeholder)?;
    let arguments = manifest.arguments.iter();
    let mut arguments: Vec<OsString> = arguments.map(|argument| argument.0.clone()).collect();
    let Some(source) = source else {
        link_into_place(&manifest, &arguments, &native)?;
        return Ok(native);
    };
    let file = manifest::beside(placeholder, &format!(".driver.{}.c", std::process::id()));
    std::fs::write(&file, source).map_err(BuildError::file("writing", &file))?;
    arguments.push(file.clone().into_os_string());
    let linked = link_into_place(&manifest, &arguments, &native);
    std::fs::remove_file(&file).map_err(BuildError::file("removing", &file))?;
    linked.map(|()| native)
}

/// Reports whether an executable has been linked since the manifest beside `placeholder` was
/// written.
pub(super) fn is_current(executable: &Path, placeholder: &Path) -> bool {
    let modified = |file: &Path| {
        std::fs::metadata(file)
            .and_then(|data| data.modified())
            .ok()
    };
    let described = modified(&manifest::manifest_path(placeholder));
    described.is_some() && modified(executable) >= described
}

/// Links the program of a manifest with these arguments in place of its own.
pub(super) fn link_into_place(
    manifest: &LinkManifest,
    arguments: &[OsString],
    to: &Path,
) -> Result<(), BuildError> {
    // Linked under another name and renamed: two processes may want it at the same time.
    let fresh = manifest::beside(to, &format!(".{}", std::process::id()));
    let mut linked = link(manifest, arguments, &fresh, None)?;
    if let Err(said) = &linked {
        let missing = missing_symbols(said);
        if !missing.is_empty() {
            // An undefined function must not keep harnesses that do not call it from running.
            let stubs = manifest::beside(to, &format!(".stubs.{}.c", std::process::id()));
            std::fs::write(&stubs, stubs_text(&missing))
                .map_err(BuildError::file("writing", &stubs))?;
            linked = link(manifest, arguments, &fresh, Some(&stubs))?;
            std::fs::remove_file(&stubs).map_err(BuildError::file("removing", &stubs))?;
        }
    }
    if let Err(said) = linked {
        let reason = what_linker_said(&said);
        return Err(BuildError::NativeLink { reason });
    }
    std::fs::rename(&fresh, to).map_err(BuildError::file("renaming", &fresh))
}

/// Links the given arguments and a C file in the manifest's environment; on failure returns the
/// linker's output.
fn link(
    manifest: &LinkManifest,
    arguments: &[OsString],
    to: &Path,
    more: Option<&Path>,
) -> Result<Result<(), String>, BuildError> {
    // AddressSanitizer comes with clang; nothing else of a link needs more than the C compiler that
    // rustc takes.
    let sanitizes = |argument: &OsString| argument == "-fsanitize=address";
    let driver = match arguments.iter().any(sanitizes) {
        true => tools::clang(false),
        false => tools::linker_driver(),
    };
    let sysroot = collect::sysroot(&collect::input_files(manifest));
    let mut command = Command::new(&driver);
    command
        .args(driver_arguments(arguments, sysroot))
        .args(more)
        .args(machine_code_cache(manifest))
        .args(["-Wl,--error-limit=0", "-Wl,--no-demangle", "-o"])
        .arg(to)
        .current_dir(manifest.current_dir.as_path());
    for (name, value) in &manifest.environment {
        command.env(name, &value.0);
    }
    let output = command
        .output()
        .map_err(|source| tools::not_started(&driver, source))?;
    Ok(match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    })
}

/// Returns the flags that make lld keep the machine code it generates from each object's bitcode,
/// beside the executable. After an edit, only the code of the crate itself is generated again.
/// Entries that were not used for a week are removed.
fn machine_code_cache(manifest: &LinkManifest) -> [OsString; 2] {
    let folder = manifest.output.as_path().with_file_name(".symex-lto");
    let mut flag = OsString::from("--thinlto-cache-dir=");
    flag.push(folder);
    // Not as `-Wl,`, whose list would be split at commas in the path.
    ["-Xlinker".into(), flag]
}

/// Returns the undefined symbols, if the linker reports no other error.
pub(super) fn missing_symbols(stderr: &str) -> BTreeSet<&str> {
    linker_errors(stderr)
        .map(|error| {
            let (what, symbol) = error.split_once("symbol: ")?;
            let plain = |b: u8| b.is_ascii_alphanumeric() || b"_.$".contains(&b);
            (what.starts_with("undefined ") && symbol.bytes().all(plain)).then_some(symbol)
        })
        .collect::<Option<_>>()
        .unwrap_or_default()
}

/// Returns definitions of the symbols, which print an error and end the process when they are
/// called.
fn stubs_text(symbols: &BTreeSet<&str>) -> String {
    let mut text = String::from(
        "int dprintf(int, const char *, ...);\n_Noreturn void _exit(int);\n\
         static void missing(const char *name) {\n",
    );
    text.push_str(&format!(
        "    dprintf(2, \"nothing defines `%s`\\n\", name);\n    _exit({EXIT_NO_DEFINITION});\n}}\n"
    ));
    for (i, symbol) in symbols.iter().enumerate() {
        // Retags do nothing in a native run.
        if symbol.starts_with("__rust_retag_") {
            text.push_str(&format!("void *{symbol}(void *p) {{ return p; }}\n"));
            continue;
        }
        text.push_str(&format!(
            "void stub{i}(void) __asm__(\"{symbol}\");\nvoid stub{i}(void) {{ missing(\"{symbol}\"); }}\n"
        ));
    }
    text
}

/// Returns the linker's own errors, without the driver's summary.
fn linker_errors(stderr: &str) -> impl Iterator<Item = &str> {
    stderr
        .lines()
        .filter_map(|line| line.split_once("error: "))
        .map(|(_, text)| text.trim())
        .filter(|text| {
            !text.starts_with("linker command failed") && !text.starts_with("ld returned ")
        })
}

/// Returns the linker's own errors, without the places that refer to a symbol and without the
/// driver's summary.
pub(super) fn what_linker_said(stderr: &str) -> String {
    let errors: Vec<&str> = linker_errors(stderr).collect();
    match errors.is_empty() {
        true => stderr.trim().to_owned(),
        false => errors.join("; "),
    }
}

/// Links immediately, like an ordinary linker.
pub fn link_now(arguments: &[OsString]) -> Result<ExitCode, BuildError> {
    let driver = tools::linker_driver();
    let status = Command::new(&driver)
        .args(driver_arguments(arguments, collect::sysroot_of(arguments)))
        .status()
        .map_err(|source| tools::not_started(&driver, source))?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Replaces this process by an executable, which is linked first if necessary. Arguments: the
/// placeholder, then the executable's own.
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

/// Returns rustc's arguments for a C compiler driver, with the lld of the toolchain, which reads
/// all bitcode that its rustc writes. If the toolchain brings no lld, the compiler looks for one.
fn driver_arguments(arguments: &[OsString], sysroot: Option<PathBuf>) -> Vec<OsString> {
    let of_rustc = |argument: &&OsString| {
        let text = argument.to_string_lossy();
        text.starts_with("-fuse-ld=") || text.starts_with("-B") && text.ends_with("gcc-ld")
    };
    let kept = arguments.iter().filter(|argument| !of_rustc(argument));
    let mut own: Vec<OsString> = kept.cloned().collect();
    own.extend(tools::lld_flags(sysroot.as_deref()));
    // Code generation only: optimising would cost time and make undefined behaviour harder to see
    // again.
    own.extend(["-Wl,--lto-O0", "-Wl,--lto-CGO0"].map(OsString::from));
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_symbols_are_those_of_a_link_that_lacks_nothing_else() {
        let said = "ld.lld: error: undefined symbol: nobody\n>>> referenced by a.rs:3\n\
            ld.lld: error: undefined hidden symbol: _ZN1a1b17h0E.llvm.7\n\
            clang: error: linker command failed with exit code 1\n\
            collect2: error: ld returned 1 exit status\n";
        let found: Vec<&str> = missing_symbols(said).into_iter().collect();
        assert_eq!(found, ["_ZN1a1b17h0E.llvm.7", "nobody"]);
        let more = format!("{said}ld.lld: error: unable to find library -lnowhere\n");
        assert!(missing_symbols(&more).is_empty());
        assert!(missing_symbols("ld.lld: error: undefined symbol: f(int)\n").is_empty());
    }
}
