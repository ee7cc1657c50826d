//! From a link manifest to the inputs that may hold bitcode, in link order.
//!
//! Follows a C compiler driver's notation: `-Wl,` lists, `-L`, `-l`, `-Bstatic`, `--whole-archive`. Shared libraries are left
//! out: what they define is for the engine's models.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::manifest::LinkManifest;

/// A file on the link line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// The object file or archive.
    pub path: PathBuf,
    /// All members of the archive belong to the program.
    pub whole_archive: bool,
}

/// The object files and archives on a link line.
pub fn input_files(manifest: &LinkManifest) -> Vec<InputFile> {
    let words = words(manifest);
    let directory = manifest.current_dir.as_path();
    let mut search: Vec<PathBuf> = Vec::new();
    // A library may be named before the directory it is in.
    for (position, word) in words.iter().enumerate() {
        if let Some(rest) = word.strip_prefix(b"-L") {
            let path = if rest.is_empty() {
                words.get(position + 1).copied().unwrap_or_default()
            } else {
                rest
            };
            search.push(directory.join(OsStr::from_bytes(path)));
        }
    }
    let mut files = Vec::new();
    let mut is_static = false;
    let mut whole_archive = false;
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word {
            b"-Bstatic" | b"-static" | b"-dn" | b"-non_shared" => is_static = true,
            b"-Bdynamic" | b"-dy" | b"-call_shared" => is_static = false,
            b"--whole-archive" => whole_archive = true,
            b"--no-whole-archive" => whole_archive = false,
            // Their value is the next word, which is no input.
            b"-L" | b"-z" | b"-o" | b"-soname" | b"-rpath" | b"-rpath-link" | b"-T" | b"-e"
            | b"-u" | b"-Xlinker" | b"-dynamic-linker" | b"--version-script"
            | b"--dynamic-list" | b"-m" | b"-target" => {
                words.next();
            }
            b"-l" => {
                let name = words.next().unwrap_or_default();
                files.extend(library(name, &search, is_static).map(|path| InputFile {
                    path,
                    whole_archive,
                }));
            }
            _ => {
                let path = match word.strip_prefix(b"-l") {
                    Some(name) => library(name, &search, is_static),
                    None if word.starts_with(b"-") => None,
                    None => {
                        Some(directory.join(OsStr::from_bytes(word))).filter(|path| path.is_file())
                    }
                };
                files.extend(path.map(|path| InputFile {
                    path,
                    whole_archive,
                }));
            }
        }
    }
    files
}

/// The arguments with `-Wl,a,b` taken apart.
fn words(manifest: &LinkManifest) -> Vec<&[u8]> {
    let mut words = Vec::new();
    for argument in &manifest.arguments {
        let bytes = argument.0.as_bytes();
        match bytes.strip_prefix(b"-Wl,") {
            Some(list) => words.extend(list.split(|&byte| byte == b',')),
            None => words.push(bytes),
        }
    }
    words
}

/// The archive that `-l name` means; `None` when it means a shared library, or one of the system.
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
}
