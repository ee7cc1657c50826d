//! The C library in bitcode, built from musl's source and some sources of our own.
//!
//! [`set_up`] builds the library and keeps it in a directory of the user's. It is linked with
//! programs that lack the functions it has; `models::library` defines which functions these may be.
//! Functions with callbacks, such as `qsort`, cannot be models and are needed by many programs: as
//! long as no library has been set up, [`built_in`] provides them.
//!
//! A library belongs to one build of this tool: the directory's name is a hash of the list of
//! sources, of our own sources and of the names that have models, because those are left undefined
//! in it. A library that exists is complete, because its directory is renamed into place.

mod compile;
mod fetch;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::bitcode_process::{BitcodeProcess, FileToLink};
use super::error::BuildError;
use super::tools;
use symex_bitcode::link::{LibraryFile, LinkOptions};
use symex_bitcode::passes::PassProfile;
use symex_engine::models::library::{self, LibrarySource};
use symex_engine::models::table;

/// The version of musl that is fetched and that the list of sources is made for.
pub const MUSL_VERSION: &str = "1.2.3";
/// Format version, raised when the same sources give another library.
const FORMAT: u32 = 1;

/// The source of our own that makes up the built-in library without musl.
const BUILT_IN: &str = "own/sort.c";

const BITCODE: &str = "libc.bc";
const DESCRIPTION: &str = "libc.json";

/// Our own files: their paths as seen by the compiler, and their text.
const OWN: &[(&str, &str)] = &[
    ("arch/atomic_arch.h", include_str!("arch/atomic_arch.h")),
    ("arch/pthread_arch.h", include_str!("arch/pthread_arch.h")),
    ("arch/syscall_arch.h", include_str!("arch/syscall_arch.h")),
    ("arch/bits/float.h", include_str!("arch/bits/float.h")),
    ("own/symex_own.h", include_str!("own/symex_own.h")),
    ("own/calendar.c", include_str!("own/calendar.c")),
    (
        "own/complex_product.c",
        include_str!("own/complex_product.c"),
    ),
    ("own/patterns.c", include_str!("own/patterns.c")),
    ("own/random48.c", include_str!("own/random48.c")),
    ("own/search_table.c", include_str!("own/search_table.c")),
    ("own/sort.c", include_str!("own/sort.c")),
    ("own/text.c", include_str!("own/text.c")),
    ("own/thread.c", include_str!("own/thread.c")),
    ("own/wide.c", include_str!("own/wide.c")),
    ("own/wide_numbers.c", include_str!("own/wide_numbers.c")),
];

/// An existing library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Libc {
    /// Version of musl.
    pub version: String,
    /// The version line of the compiler.
    pub clang: String,
    /// Hash of the source files.
    source: String,
    /// Hash of the bitcode.
    hash: String,
    /// Symbols that programs may use from the library.
    pub defines: Vec<String>,
    /// Files of the list that are missing in the source.
    pub absent: Vec<String>,
    /// Symbols that the library calls and nothing defines, models included; a path that reaches one
    /// is inconclusive.
    pub undefined: Vec<String>,
    /// Path of the bitcode.
    #[serde(skip)]
    pub file: PathBuf,
}

/// Options for building a library.
#[derive(Clone, Debug, Default)]
pub struct SetUp {
    /// Directory in which libraries are kept.
    pub directory: PathBuf,
    /// musl's source: a directory, or an archive; `None` to fetch it.
    pub from: Option<PathBuf>,
    /// Whether to build the library again if it exists.
    pub force: bool,
}

/// Outcome of [`set_up`].
#[derive(Clone, Debug)]
pub enum Done {
    /// The library existed already.
    Known(Libc),
    /// The library was built.
    Made(Libc),
}

/// Reasons for which there is no library. Text reads after "failed to set up the C library: ".
#[derive(Debug, thiserror::Error)]
pub enum LibcError {
    /// The source could not be obtained.
    #[error("musl {MUSL_VERSION} could not be fetched ({0})")]
    Fetch(String),
    /// The given path is not musl's source.
    #[error("{path}: {reason}")]
    Source { path: PathBuf, reason: String },
    /// A source file does not compile.
    #[error("{file} does not compile: {said}")]
    Compile { file: String, said: String },
    /// Any other build error.
    #[error("{0}")]
    Build(#[from] BuildError),
}

/// Returns the library that belongs to this build of the tool, if it is in the directory of
/// libraries.
pub fn installed(directory: &Path) -> Option<Libc> {
    read(&place(directory))
}

/// Returns the built-in library, which has only the functions with callbacks. It is compiled on
/// first use and kept in a directory of libraries.
pub fn built_in(directory: &Path, process: &BitcodeProcess) -> Result<Libc, LibcError> {
    let source = library::sources().find(|source| source.file == BUILT_IN);
    let source = source.expect("the list has it");
    let text = OWN.iter().find(|own| own.0 == BUILT_IN);
    let text = text.expect("it is among our own").1;
    let hash = hash([FORMAT.to_string().as_str(), text]);
    let place = directory.join(format!("built-in-{hash}"));
    if let Some(known) = read(&place) {
        return Ok(known);
    }
    let temporary = temporary()?;
    let file = temporary.path().join(BUILT_IN);
    write(&file, text.as_bytes())?;
    let object = file.with_extension("bc");
    compile::alone(BUILT_IN, &file, &object)?;
    let libc = Libc {
        version: String::new(),
        clang: clang_version()?,
        source: hash,
        hash: String::new(),
        defines: source.offers().map(str::to_owned).collect(),
        absent: Vec::new(),
        undefined: Vec::new(),
        file: place.join(BITCODE),
    };
    link(libc, vec![object], &place, process)
}

fn read(place: &Path) -> Option<Libc> {
    let text = std::fs::read(place.join(DESCRIPTION)).ok()?;
    let libc: Libc = serde_json::from_slice(&text).ok()?;
    let file = place.join(BITCODE);
    file.is_file().then_some(Libc { file, ..libc })
}

impl Libc {
    /// Returns the library in the form that the linker takes.
    pub fn library(&self) -> LibraryFile {
        LibraryFile {
            file: self.file.clone(),
            hash: self.hash.clone(),
            defines: self.defines.clone(),
        }
    }
}

fn place(directory: &Path) -> PathBuf {
    let version = format!("{FORMAT} {MUSL_VERSION}");
    let mut parts = vec![version.as_str()];
    for (name, text) in OWN {
        parts.extend([name, text]);
    }
    parts.push(library::LIST);
    for name in table::modelled() {
        parts.push(name);
    }
    directory.join(hash(parts))
}

/// Returns a short hash of texts or other bytes.
fn hash(parts: impl IntoIterator<Item: AsRef<[u8]>>) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        let bytes = part.as_ref();
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

fn temporary() -> Result<tempfile::TempDir, BuildError> {
    let directory = std::env::temp_dir();
    tempfile::tempdir().map_err(BuildError::file("creating a directory in", &directory))
}

/// Builds the library unless it exists. `tell` is called with the number of compiled files and the
/// total.
pub fn set_up(
    options: &SetUp,
    process: &BitcodeProcess,
    tell: &(dyn Fn(usize, usize) + Sync),
) -> Result<Done, LibcError> {
    let clang = clang_version()?;
    let known = installed(&options.directory).filter(|known| known.clang == clang);
    let known = known.filter(|_| !options.force);
    if let (Some(known), None) = (&known, &options.from) {
        return Ok(Done::Known(known.clone()));
    }
    let temporary = temporary()?;
    let musl = fetch::source(options.from.as_deref(), temporary.path())?;
    let source = fingerprint(&musl);
    if let Some(known) = known.filter(|known| known.source == source) {
        return Ok(Done::Known(known));
    }
    let work = temporary.path().join("work");
    for (name, text) in OWN {
        write(&work.join(name), text.as_bytes())?;
    }
    let (present, absent): (Vec<LibrarySource>, Vec<LibrarySource>) =
        library::sources().partition(|source| compile::path(*source, &musl, &work).is_file());
    let objects = compile::all(&present, &musl, &work, tell)?;
    let defines: Vec<String> = present
        .iter()
        .flat_map(|source| source.offers())
        .map(str::to_owned)
        .collect();
    let place = place(&options.directory);
    let libc = Libc {
        version: fetch::version(&musl),
        clang,
        source,
        hash: String::new(),
        defines,
        absent: absent.iter().map(|source| source.file.to_owned()).collect(),
        undefined: Vec::new(),
        file: place.join(BITCODE),
    };
    link(libc, objects, &place, process).map(Done::Made)
}

/// Links the objects of a library into one file and keeps it.
fn link(
    libc: Libc,
    objects: Vec<PathBuf>,
    place: &Path,
    process: &BitcodeProcess,
) -> Result<Libc, LibcError> {
    let inputs = objects.into_iter().map(|file| FileToLink {
        file: file.into(),
        whole_archive: false,
        given: None,
    });
    let link_options = LinkOptions {
        roots: libc.defines.clone(),
        opaque: table::modelled().map(str::to_owned).collect(),
        passes: PassProfile::Minimal,
        ..LinkOptions::default()
    };
    let linked = process.link("the C library", inputs.collect(), &link_options)?;
    let undefined = linked.info.undefined.into_iter();
    let undefined = undefined.map(|symbol| symbol.symbol);
    let libc = Libc {
        hash: blake3::hash(&linked.bitcode).to_hex()[..16].to_owned(),
        undefined: undefined.filter(|name| !table::has_model(name)).collect(),
        ..libc
    };
    keep(place, &libc, &linked.bitcode)?;
    Ok(libc)
}

/// Stores a library by renaming a complete directory into place.
fn keep(place: &Path, libc: &Libc, bitcode: &[u8]) -> Result<(), LibcError> {
    let directory = place.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory).map_err(BuildError::file("creating", directory))?;
    let fresh = tempfile::tempdir_in(directory)
        .map_err(BuildError::file("creating a directory in", directory))?;
    write(&fresh.path().join(BITCODE), bitcode)?;
    let description = serde_json::to_vec_pretty(libc).expect("plain data");
    write(&fresh.path().join(DESCRIPTION), &description)?;
    let renamed = std::fs::rename(fresh.path(), place);
    // Another process may have been quicker with the same, and have begun to use it.
    let same = || std::fs::read(place.join(DESCRIPTION)).is_ok_and(|known| known == description);
    if renamed.is_ok() || same() {
        return Ok(());
    }
    match std::fs::remove_dir_all(place) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(BuildError::file("removing", place)(error).into());
        }
        _ => {}
    }
    let fresh = fresh.keep();
    std::fs::rename(&fresh, place).map_err(BuildError::file("writing", place))?;
    Ok(())
}

fn write(file: &Path, contents: &[u8]) -> Result<(), BuildError> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(BuildError::file("creating", folder))?;
    std::fs::write(file, contents).map_err(BuildError::file("writing", file))
}

/// Returns a hash of the source files from which the library is built.
fn fingerprint(musl: &Path) -> String {
    let files: BTreeSet<PathBuf> = library::sources()
        .map(|source| compile::path(source, musl, Path::new("")))
        .collect();
    let contents = files
        .iter()
        .map(|file| std::fs::read(file).unwrap_or_default());
    hash(contents)
}

/// Returns the first line of clang's version output.
fn clang_version() -> Result<String, BuildError> {
    let clang = tools::clang(false);
    let output = tools::output(std::process::Command::new(&clang).arg("--version"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}
