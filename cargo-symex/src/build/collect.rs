//! Finds the inputs that may hold bitcode in a link manifest, in link order.
//!
//! Follows a C compiler driver's notation: `-Wl,` lists, `-L`, `-l`, `-Bstatic`, `--whole-archive`.
//! Shared libraries are left out: the engine's models take the place of what they define.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::manifest::LinkManifest;

/// A file on the link line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// The object file or archive.
    pub path: PathBuf,
    /// Whether all members of the archive belong to the program.
    pub whole_archive: bool,
}

/// Returns the object files and archives on a link line.
pub fn input_files(manifest: &LinkManifest) -> Vec<InputFile> {
    let named = named_files(manifest, &words(manifest));
    named.into_iter().map(|named| named.file).collect()
}

/// Returns the sysroot of the toolchain that compiled a program, found by the standard library
/// among the files; `None` if the standard library was built with the crate.
pub fn sysroot(files: &[InputFile]) -> Option<PathBuf> {
    sysroot_among(files.iter().map(|file| file.path.as_path()))
}

/// Returns the sysroot of the toolchain whose standard library is among the arguments of a linker.
pub fn sysroot_of(arguments: &[OsString]) -> Option<PathBuf> {
    sysroot_among(arguments.iter().map(Path::new))
}

fn sysroot_among<'a>(mut files: impl Iterator<Item = &'a Path>) -> Option<PathBuf> {
    let is_core = |path: &Path| {
        let name = path.file_name().unwrap_or_default().as_bytes();
        name.starts_with(b"libcore-") && name.ends_with(b".rlib")
    };
    let library = files.find(|path| is_core(path))?;
    // <sysroot>/lib/rustlib/<target>/lib/libcore-<hash>.rlib
    let rustlib = library.ancestors().nth(3)?;
    let found = rustlib.file_name() == Some(OsStr::new("rustlib"));
    Some(rustlib.parent()?.parent()?.to_owned()).filter(|_| found)
}

/// Returns the arguments of a link with some of its inputs replaced by other files.
pub fn replaced_inputs(manifest: &LinkManifest, by: &FxHashMap<PathBuf, PathBuf>) -> Vec<OsString> {
    let words = words(manifest);
    let mut replaced: FxHashMap<usize, Option<&PathBuf>> = FxHashMap::default();
    for named in named_files(manifest, &words) {
        if let Some(other) = by.get(&named.file.path) {
            let (last, before) = named.words.split_last().expect("it is named by a word");
            replaced.insert(*last, Some(other));
            replaced.extend(before.iter().map(|word| (*word, None)));
        }
    }
    let mut arguments = Vec::new();
    let mut number = 0;
    for (position, argument) in manifest.arguments.iter().enumerate() {
        let here = words[number..].iter();
        let count = here.take_while(|word| word.argument == position).count();
        let here = number..number + count;
        number += count;
        if !here.clone().any(|word| replaced.contains_key(&word)) {
            arguments.push(argument.0.clone());
            continue;
        }
        let is_list = argument.0.as_bytes().starts_with(LIST);
        for word in here {
            match replaced.get(&word) {
                Some(other) => arguments.extend(other.map(|path| path.clone().into_os_string())),
                None => {
                    arguments.extend(is_list.then(|| "-Xlinker".into()));
                    arguments.push(OsStr::from_bytes(words[word].text).to_owned());
                }
            }
        }
    }
    arguments
}

/// A file, and the numbers of the words that name it.
struct NamedFile {
    words: Vec<usize>,
    file: InputFile,
}

fn named_files(manifest: &LinkManifest, words: &[LinkerArgument<'_>]) -> Vec<NamedFile> {
    let directory = manifest.current_dir.as_path();
    let mut search: Vec<PathBuf> = Vec::new();
    // All `-L` first, because a library may be named before its directory.
    for (position, word) in words.iter().enumerate() {
        if let Some(rest) = word.text.strip_prefix(b"-L") {
            let path = if rest.is_empty() {
                words.get(position + 1).map_or(&b""[..], |word| word.text)
            } else {
                rest
            };
            search.push(directory.join(OsStr::from_bytes(path)));
        }
    }
    let mut files = Vec::new();
    let mut is_static = false;
    let mut whole_archive = false;
    let mut words = words.iter().map(|word| word.text).enumerate();
    while let Some((number, word)) = words.next() {
        let mut numbers = vec![number];
        let path = match word {
            b"-Bstatic" | b"-static" | b"-dn" | b"-non_shared" => {
                is_static = true;
                None
            }
            b"-Bdynamic" | b"-dy" | b"-call_shared" => {
                is_static = false;
                None
            }
            b"--whole-archive" => {
                whole_archive = true;
                None
            }
            b"--no-whole-archive" => {
                whole_archive = false;
                None
            }
            // Their value is the next word, which is no input.
            b"-L" | b"-z" | b"-o" | b"-soname" | b"-rpath" | b"-rpath-link" | b"-T" | b"-e"
            | b"-u" | b"-Xlinker" | b"-dynamic-linker" | b"--version-script"
            | b"--dynamic-list" | b"-m" | b"-target" => {
                words.next();
                None
            }
            b"-l" => words.next().and_then(|(number, name)| {
                numbers.push(number);
                library(name, &search, is_static)
            }),
            _ => match word.strip_prefix(b"-l") {
                Some(name) => library(name, &search, is_static),
                None if word.starts_with(b"-") => None,
                None => Some(directory.join(OsStr::from_bytes(word))).filter(|path| path.is_file()),
            },
        };
        files.extend(path.map(|path| NamedFile {
            words: numbers,
            file: InputFile {
                path,
                whole_archive,
            },
        }));
    }
    files
}

/// The prefix of a list of words for the linker itself.
const LIST: &[u8] = b"-Wl,";

/// One argument of the linker.
struct LinkerArgument<'a> {
    text: &'a [u8],
    /// The number of the compiler driver's argument that contains the word.
    argument: usize,
}

/// Returns the arguments, with lists such as `-Wl,a,b` split.
fn words(manifest: &LinkManifest) -> Vec<LinkerArgument<'_>> {
    let mut words = Vec::new();
    for (argument, text) in manifest.arguments.iter().enumerate() {
        let bytes = text.0.as_bytes();
        let word = |text| LinkerArgument { text, argument };
        match bytes.strip_prefix(LIST) {
            Some(list) => words.extend(list.split(|&byte| byte == b',').map(word)),
            None => words.push(word(bytes)),
        }
    }
    words
}

/// Returns the archive that `-l name` refers to; `None` if it refers to a shared library or to a
/// library of the system.
fn library(name: &[u8], search: &[PathBuf], is_static: bool) -> Option<PathBuf> {
    let file = |prefix: &str, name: &[u8], suffix: &str| {
        let mut file = prefix.as_bytes().to_vec();
        file.extend(name);
        file.extend(suffix.as_bytes());
        PathBuf::from(OsStr::from_bytes(&file))
    };
    let archive = match name.strip_prefix(b":") {
        Some(exact) => file("", exact, ""),
        None => file("lib", name, ".a"),
    };
    for directory in search {
        if !is_static && directory.join(file("lib", name, ".so")).is_file() {
            return None;
        }
        let path = directory.join(&archive);
        if path.is_file() {
            return Some(path);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::manifest::MANIFEST_VERSION;

    fn manifest(directory: &std::path::Path, arguments: &[&str]) -> LinkManifest {
        LinkManifest {
            version: MANIFEST_VERSION,
            output: directory.join("out").into(),
            current_dir: directory.into(),
            package: None,
            arguments: arguments
                .iter()
                .map(|argument| (*argument).into())
                .collect(),
            environment: Vec::new(),
        }
    }

    fn names(files: &[InputFile]) -> Vec<(String, bool)> {
        let name = |file: &InputFile| {
            file.path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        files
            .iter()
            .map(|file| (name(file), file.whole_archive))
            .collect()
    }

    #[test]
    fn objects_archives_and_static_libraries_come_in_link_order() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let at = directory.path();
        for file in [
            "a.o",
            "b.rlib",
            "libc1.a",
            "libboth.a",
            "libboth.so",
            "libw.a",
        ] {
            std::fs::write(at.join(file), "").expect("written");
        }
        let arguments = [
            "-m64",
            "a.o",
            "-Wl,--as-needed",
            "-Wl,-Bstatic",
            "b.rlib",
            "-lc1",
            "-Wl,--whole-archive",
            "-l",
            "w",
            "-Wl,--no-whole-archive",
            "-Wl,-Bdynamic",
            "-lboth",
            "-lc",
            "-L",
            ".",
            "-Wl,-z,relro,-z,now",
            "missing.o",
        ];
        let files = input_files(&manifest(at, &arguments));
        let expected = [
            ("a.o", false),
            ("b.rlib", false),
            ("libc1.a", false),
            ("libw.a", true),
        ];
        assert_eq!(
            names(&files),
            expected.map(|(name, whole)| (name.to_owned(), whole))
        );
    }

    #[test]
    fn inputs_are_replaced_however_they_are_named() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let at = directory.path();
        for file in ["a.o", "libc1.a", "libw.a", "other.a"] {
            std::fs::write(at.join(file), "").expect("written");
        }
        let arguments = [
            "a.o",
            "-lc1",
            "-l",
            "w",
            "-Wl,-z,now,-lw,-lm",
            "-Wl,-z,now",
            "-L.",
            "other.a",
        ];
        let by = ["a.o", "libc1.a", "libw.a"].map(|name| {
            // As it is found by way of `-L.`.
            let named = if name == "a.o" {
                at.join(name)
            } else {
                at.join(".").join(name)
            };
            (named, PathBuf::from("/new").join(name))
        });
        let replaced = replaced_inputs(&manifest(at, &arguments), &by.into_iter().collect());
        let expected = [
            "/new/a.o",
            "/new/libc1.a",
            "/new/libw.a",
            "-Xlinker",
            "-z",
            "-Xlinker",
            "now",
            "/new/libw.a",
            "-Xlinker",
            "-lm",
            "-Wl,-z,now",
            "-L.",
            "other.a",
        ];
        assert_eq!(replaced, expected.map(OsString::from));
    }
}
