//! The C compiler stand-in: clang, with the bitcode put into each object file beside the machine
//! code.
//!
//! The object stays an ordinary one, so that all other uses of it (archives, checks of a build
//! script, a native link) work as usual. The bitcode is the unoptimised output of the front end,
//! with UBSan's checks in it. Code that is compiled for the build itself (build scripts, proc
//! macros) gets neither.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use super::error::BuildError;
use super::{response_file, tools};

/// Names the variable with the directory of build-script outputs for the target; all other outputs
/// belong to the build itself.
pub const TARGET_OUTPUT_VARIABLE: &str = "CARGO_SYMEX_TARGET_OUTPUT";

/// Flags for the checks compiled into C: everything that UBSan knows, turned into traps, except for
/// what the engine itself sees at the access (null, alignment, the size of an object). Pointer
/// arithmetic is not checked, because each check would ask for the address of the object.
pub const CHECKS: [&str; 3] = [
    "-fsanitize=undefined",
    "-fsanitize-trap=undefined",
    "-fno-sanitize=alignment,null,object-size,pointer-overflow,vptr,function",
];

/// Flags for reading C for the engine, besides the checks.
const FRONT_END: [&str; 6] = [
    "-O1",
    "-g1",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-strict-aliasing",
    "-Wno-unused-command-line-argument",
];

/// Returns the options with which C is compiled for the engine.
pub fn source_flags(clang: &Path) -> impl Iterator<Item = &'static str> {
    let knows = tools::clang_major(clang).is_none_or(|major| major >= FIRST_WITH_UNMERGED_TRAPS);
    let unmerged = knows.then_some(UNMERGED_TRAPS);
    FRONT_END.into_iter().chain(unmerged).chain(CHECKS)
}

/// Flag that keeps clang from merging the traps of a function, which would lose their places in the
/// source. Older clangs do not know it: their checks may share a place.
const UNMERGED_TRAPS: &str = "-fno-sanitize-merge";
const FIRST_WITH_UNMERGED_TRAPS: u32 = 20;

/// Flags that put the front end's bitcode into a section of an ordinary object file.
const OBJECT_FLAGS: [&str; 3] = ["-Xclang", "-fembed-bitcode=all", "-fno-lto"];

/// Runs the compiler under the name `started_as`; `cxx` selects C++.
pub fn run(started_as: &Path, cxx: bool, arguments: Vec<OsString>) -> Result<ExitCode, BuildError> {
    let clang = tools::clang(cxx);
    let arguments = response_file::expand(arguments);
    let mut arguments = if for_target() {
        target_arguments(arguments, &headers_beside(started_as), &clang)
    } else {
        arguments
    };
    if !is_compilation(&arguments) {
        arguments.push("-Wno-unused-command-line-argument".into());
    }
    loop {
        let output = Command::new(&clang)
            .args(&arguments)
            .stdin(Stdio::inherit())
            .output()
            .map_err(|source| tools::not_started(&clang, source))?;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        // Flags of gcc that clang does not know can be dropped: they affect code generation, not
        // the meaning of the program.
        let unknown = unknown_flags(&errors);
        if !output.status.success()
            && arguments
                .iter()
                .any(|argument| is_one_of(argument, &unknown))
        {
            eprintln!(
                "note: clang does not know {}; compiled without",
                unknown.join(" ")
            );
            arguments.retain(|argument| !is_one_of(argument, &unknown));
            continue;
        }
        use std::io::Write;
        let _ = std::io::stdout().write_all(&output.stdout);
        let _ = std::io::stderr().write_all(&output.stderr);
        return Ok(ExitCode::from(
            output.status.code().map_or(1, |code| code as u8),
        ));
    }
}

/// Reports whether the build script that started this compiler compiles for the program, not for
/// the build.
fn for_target() -> bool {
    compiles_for_target().unwrap_or(true)
}

/// Reports whether this compiler was started by a build script that compiles for the program.
pub(super) fn in_build_script() -> bool {
    // Cargo sets `NUM_JOBS` only for build scripts, but `OUT_DIR` for rustc, too.
    std::env::var_os("NUM_JOBS").is_some() && compiles_for_target() == Some(true)
}

fn compiles_for_target() -> Option<bool> {
    let target = std::env::var_os(TARGET_OUTPUT_VARIABLE)?;
    Some(PathBuf::from(std::env::var_os("OUT_DIR")?).starts_with(target))
}

/// Reports whether the run ends with an object file, an assembly file or preprocessed text.
fn is_compilation(arguments: &[OsString]) -> bool {
    let stops = [
        "-c",
        "-S",
        "-E",
        "-M",
        "-MM",
        "-fsyntax-only",
        "--version",
        "-v",
        "-dumpmachine",
        "-dumpversion",
    ];
    arguments.iter().any(|argument| {
        stops.iter().any(|stop| argument == stop)
            || argument.to_string_lossy().starts_with("-print")
    })
}

/// Returns the directory with `symex.h` that belongs to the stand-in of this name.
pub(super) fn headers_beside(stand_in: &Path) -> PathBuf {
    stand_in.with_file_name("include")
}

/// Returns the arguments for an object file with bitcode; those of any other run are left alone.
fn target_arguments(arguments: Vec<OsString>, headers: &Path, clang: &Path) -> Vec<OsString> {
    let makes_object = arguments.iter().any(|argument| argument == "-c");
    let is_assembly = |argument: &OsString| {
        let extension = Path::new(argument)
            .extension()
            .and_then(|extension| extension.to_str());
        matches!(extension, Some("s" | "S" | "asm" | "sx"))
    };
    if !makes_object || arguments.iter().any(is_assembly) {
        return arguments;
    }
    let overridden = |argument: &OsString| {
        let text = argument.to_string_lossy();
        ["-O", "-g", "-flto", "-fsanitize", "-march=native", "-mtune=", "-fembed-bitcode"]
            .iter()
            .any(|prefix| text.starts_with(prefix))
            // `-gcc-toolchain` and the like only look like debug flags.
            && !text.starts_with("-gcc")
    };
    let own: Vec<OsString> = arguments
        .into_iter()
        .filter(|argument| !overridden(argument))
        .collect();
    // A crate's own `-fno-sanitize=` options come last, because the later of two options wins.
    let (unchecked, mut own): (Vec<OsString>, Vec<OsString>) = own
        .into_iter()
        .partition(|argument| argument.to_string_lossy().starts_with("-fno-sanitize="));
    own.extend(source_flags(clang).chain(OBJECT_FLAGS).map(OsString::from));
    own.extend(unchecked);
    own.extend(["-isystem".into(), headers.into()]);
    own
}

/// Returns the flags that clang rejects as unknown.
fn unknown_flags(errors: &str) -> Vec<String> {
    let markers = [
        "unknown argument: '",
        "unknown argument '",
        "unsupported option '",
        "unsupported argument '",
    ];
    let mut flags = Vec::new();
    for line in errors.lines() {
        for marker in markers {
            let flag = line
                .split_once(marker)
                .and_then(|(_, rest)| rest.split_once('\''));
            flags.extend(flag.map(|(flag, _)| flag.to_owned()));
        }
    }
    flags
}

fn is_one_of(argument: &OsString, flags: &[String]) -> bool {
    flags
        .iter()
        .any(|flag| argument == flag.as_str() && flag.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(arguments: &[&str]) -> Vec<OsString> {
        arguments.iter().map(OsString::from).collect()
    }

    #[test]
    fn compiling_c_embeds_bitcode_and_overrides_optimisation() {
        let own = target_arguments(
            strings(&[
                "-O3",
                "-ggdb",
                "-c",
                "a.c",
                "-o",
                "a.o",
                "-DX=1",
                "-fno-sanitize=shift",
            ]),
            Path::new("/headers"),
            Path::new("clang-22"),
        );
        let place = |flag: &str| own.iter().position(|argument| argument == flag);
        assert!(place("-fno-sanitize=shift") > place("-fsanitize=undefined"));
        assert!(place("/headers").is_some());
        assert!(own.contains(&"-fembed-bitcode=all".into()) && own.contains(&"-DX=1".into()));
        assert!(!own.contains(&"-O3".into()) && !own.contains(&"-ggdb".into()));
    }

    #[test]
    fn assembly_and_linking_are_left_alone() {
        for arguments in [
            &["-O2", "-c", "a.S"][..],
            &["a.o", "-o", "a"],
            &["-E", "a.c", "-O2"],
        ] {
            let same = target_arguments(
                strings(arguments),
                Path::new("/headers"),
                Path::new("clang"),
            );
            assert_eq!(same, strings(arguments));
        }
    }

    #[test]
    fn flags_unknown_to_clang_are_found_in_its_complaint() {
        let errors = "clang: error: unknown argument: '-fno-foo'\nclang: error: unsupported option '-mbar' for target 'x'\n";
        assert_eq!(unknown_flags(errors), ["-fno-foo", "-mbar"]);
    }
}
