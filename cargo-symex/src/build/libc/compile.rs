//! Compiles the source files of the C library to bitcode, several at a time.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::LibcError;
use crate::build::tools;
use symex_engine::models::library::LibrarySource;

/// Compiles one of our own sources, which needs only the headers of this machine's C library.
pub fn alone(name: &str, file: &Path, object: &Path) -> Result<(), LibcError> {
    let mut command = Command::new(tools::clang(false));
    command.args(FLAGS.iter().filter(|flag| **flag != "-nostdinc"));
    command.args(["-D_GNU_SOURCE", "-c"]).arg(file);
    run(name, command.arg("-o").arg(object))
}

/// Flags with which all files are compiled: optimised only as far as it helps the engine, and
/// without code that only suits a processor.
const FLAGS: [&str; 13] = [
    "-std=c11",
    "-ffreestanding",
    "-nostdinc",
    "-O1",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-strict-aliasing",
    "-fno-builtin",
    "-fno-stack-protector",
    "-w",
    // The library is compiled with `long double` of 64 bits.
    "-mlong-double-64",
    // Programs access `errno` by this function; musl's internal name for it differs.
    "-D___errno_location=__errno_location",
    "-emit-llvm",
];

/// Returns the path of a source file: in musl's directory, or among our own in the work directory.
pub fn path(source: LibrarySource, musl: &Path, work: &Path) -> PathBuf {
    match is_own(source) {
        true => work.join(source.file),
        false => musl.join("src").join(source.file),
    }
}

fn is_own(source: LibrarySource) -> bool {
    source.file.starts_with("own/")
}

/// Compiles the sources and returns the objects in the same order.
pub fn all(
    sources: &[LibrarySource],
    musl: &Path,
    work: &Path,
    tell: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<PathBuf>, LibcError> {
    generate_headers(musl, work)?;
    let objects: Vec<PathBuf> = (0..sources.len())
        .map(|number| work.join(format!("{number}.bc")))
        .collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, done, failed) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicBool::new(false),
    );
    let error: Mutex<Option<(usize, LibcError)>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !failed.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(source) = sources.get(number) else {
                        break;
                    };
                    match one(*source, musl, work, &objects[number]) {
                        Ok(()) => tell(done.fetch_add(1, Ordering::Relaxed) + 1, sources.len()),
                        Err(said) => {
                            failed.store(true, Ordering::Relaxed);
                            let mut error = error.lock().expect("no thread panics");
                            // Of several errors, that of the first source is reported.
                            if error.as_ref().is_none_or(|(earlier, _)| number < *earlier) {
                                *error = Some((number, said));
                            }
                        }
                    }
                }
            });
        }
    });
    match error.into_inner().expect("no thread panics") {
        Some((_, error)) => Err(error),
        None => Ok(objects),
    }
}

fn one(source: LibrarySource, musl: &Path, work: &Path, object: &Path) -> Result<(), LibcError> {
    let mut command = Command::new(tools::clang(false));
    command.args(FLAGS);
    command.arg(match is_own(source) {
        true => "-D_GNU_SOURCE",
        false => "-D_XOPEN_SOURCE=700",
    });
    for (name, other) in source.renamed() {
        command.arg(format!("-D{name}={other}"));
    }
    for folder in [work.join("arch"), work.join("own"), work.join("generated")] {
        command.arg("-I").arg(folder);
    }
    for folder in [
        "arch/x86_64",
        "arch/generic",
        "src/include",
        "src/internal",
        "include",
    ] {
        command.arg("-I").arg(musl.join(folder));
    }
    command
        .arg("-c")
        .arg(path(source, musl, work))
        .arg("-o")
        .arg(object);
    run(source.file, &mut command)
}

/// Runs the compiler on a file.
fn run(name: &str, command: &mut Command) -> Result<(), LibcError> {
    let output = tools::output(command)?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said
        .lines()
        .find(|line| line.contains("error:"))
        .unwrap_or_default();
    let said = line
        .split_once("error:")
        .map_or(line, |(_, text)| text)
        .trim();
    Err(LibcError::Compile {
        file: name.to_owned(),
        said: said.to_owned(),
    })
}

/// Generates the headers that musl's `make` generates.
fn generate_headers(musl: &Path, work: &Path) -> Result<(), LibcError> {
    let bits = work.join("generated/bits");
    let read = |name: &str| {
        let file = musl.join(name);
        std::fs::read_to_string(&file).map_err(|error| LibcError::Source {
            path: file,
            reason: error.to_string(),
        })
    };
    let types = read("arch/x86_64/bits/alltypes.h.in")? + &read("include/alltypes.h.in")?;
    super::write(&bits.join("alltypes.h"), all_types(&types).as_bytes())?;
    let calls = read("arch/x86_64/bits/syscall.h.in")?;
    let named = calls.replace("__NR_", "SYS_");
    super::write(&bits.join("syscall.h"), (calls + &named).as_bytes())?;
    Ok(())
}

/// Does the work of musl's `tools/mkalltypes.sed`: defines each requested type, once.
fn all_types(template: &str) -> String {
    let mut text = String::new();
    for line in template.lines() {
        let declared = line.strip_suffix(';').and_then(|line| {
            let (kind, rest) = line.split_once(' ')?;
            match kind {
                "TYPEDEF" => {
                    let (ty, name) = rest.rsplit_once(' ')?;
                    Some((name.to_owned(), format!("typedef {ty} {name};")))
                }
                "STRUCT" | "UNION" => {
                    let (name, body) = rest.trim_start().split_once(' ')?;
                    let kind = kind.to_lowercase();
                    Some((format!("{kind}_{name}"), format!("{kind} {name} {body};")))
                }
                _ => None,
            }
        });
        match declared {
            Some((name, declaration)) => text.push_str(&format!(
                "#if defined(__NEED_{name}) && !defined(__DEFINED_{name})\n{declaration}\n\
                 #define __DEFINED_{name}\n#endif\n\n"
            )),
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::all_types;

    #[test]
    fn types_are_defined_where_they_are_asked_for() {
        let text =
            all_types("#define X 1\nTYPEDEF unsigned long size_t;\nSTRUCT iovec { void *a; };\n");
        assert_eq!(
            text,
            "#define X 1\n\
             #if defined(__NEED_size_t) && !defined(__DEFINED_size_t)\ntypedef unsigned long size_t;\n\
             #define __DEFINED_size_t\n#endif\n\n\
             #if defined(__NEED_struct_iovec) && !defined(__DEFINED_struct_iovec)\nstruct iovec { void *a; };\n\
             #define __DEFINED_struct_iovec\n#endif\n\n"
        );
    }
}
