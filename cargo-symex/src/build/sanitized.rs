//! Links a test executable that contains C a second time, with clang's AddressSanitizer in it.
//!
//! Nothing is compiled again: the bitcode in C's objects takes the place of their machine code, and
//! the linker, which generates code from the crate's bitcode anyway, instruments both. Code that
//! exists only as machine code (the standard library) stays as it is; its memory still comes from
//! AddressSanitizer, which replaces `malloc`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::read::archive::ArchiveFile;
use rustc_hash::FxHashMap;

use super::collect::{input_files, replaced_inputs};
use super::error::BuildError;
use super::manifest::{self, LinkManifest};
use super::object_files::bitcode_of_clang;
use super::{native, native_files, tools};

/// Linker flags for the instrumentation. All functions are instrumented, including those of Rust,
/// because C may be passed pointers to their stacks.
const INSTRUMENTING: [&str; 6] = [
    "-fsanitize=address",
    // In place of the passes that optimise.
    "-Xlinker",
    "--lto-newpm-passes=forceattrs,asan",
    "-Wl,-mllvm,-force-attribute=sanitize_address",
    "-Wl,-mllvm,-asan-use-after-scope",
    // rustc and clang name the target in other words.
    "-Wl,--no-warnings",
];

/// An executable with AddressSanitizer in it.
#[derive(Clone, Debug)]
pub struct Sanitized {
    /// The executable to start.
    pub executable: PathBuf,
    /// The program by which AddressSanitizer symbolises addresses.
    pub symbolizer: PathBuf,
}

/// Links the executable of the manifest beside `placeholder` if that has not been done since;
/// `None` if it contains no C with bitcode.
pub fn executable(placeholder: &Path) -> Result<Option<Sanitized>, BuildError> {
    let executable = manifest::beside(placeholder, ".sanitized");
    if !native::is_current(&executable, placeholder) {
        let (manifest, _) = LinkManifest::read(placeholder)?;
        let directory = tempfile::tempdir().map_err(BuildError::file(
            "creating a directory in",
            &std::env::temp_dir(),
        ))?;
        let replaced = with_bitcode(&manifest, directory.path())?;
        if replaced.is_empty() {
            return Ok(None);
        }
        if !native_files::sanitizes_addresses() {
            let major = tools::clang_major(&tools::clang(false));
            let version = major.map(|major| format!("{major}-")).unwrap_or_default();
            return Err(BuildError::NotInstalled {
                what: "clang's library for it",
                package: format!("libclang-rt-{version}dev"),
            });
        }
        let mut arguments = replaced_inputs(&manifest, &replaced);
        // What AddressSanitizer needs is among the default libraries.
        arguments.retain(|argument| argument != "-nodefaultlibs");
        arguments.extend(INSTRUMENTING.map(OsString::from));
        native::link_into_place(&manifest, &arguments, &executable)?;
    }
    // Without places, a report cannot be compared with the finding.
    let symbolizer = tools::symbolizer().ok_or(BuildError::NotInstalled {
        what: "llvm-symbolizer",
        package: "llvm".to_owned(),
    })?;
    Ok(Some(Sanitized {
        executable,
        symbolizer,
    }))
}

/// Finds the link inputs that contain objects of C, and writes for each a file into `directory`
/// with the bitcode in their place.
fn with_bitcode(
    manifest: &LinkManifest,
    directory: &Path,
) -> Result<FxHashMap<PathBuf, PathBuf>, BuildError> {
    let mut replaced = FxHashMap::default();
    for input in input_files(manifest) {
        // The standard library has no C of which we have bitcode.
        if replaced.contains_key(&input.path)
            || input.path.components().any(|c| c.as_os_str() == "rustlib")
        {
            continue;
        }
        let reading = |error| BuildError::file("reading", &input.path)(error);
        let content = std::fs::read(&input.path).map_err(reading)?;
        let other = match content.starts_with(b"!<") {
            true => archive_with_bitcode(&input.path, &content).map_err(reading)?,
            false => bitcode_of_clang(&content).map(<[u8]>::to_vec),
        };
        if let Some(other) = other {
            // The linker takes bitcode for what it is, whatever its name.
            let file = directory.join(format!("{}.a", replaced.len()));
            std::fs::write(&file, other).map_err(BuildError::file("writing", &file))?;
            replaced.insert(input.path, file);
        }
    }
    Ok(replaced)
}

/// Returns an archive with bitcode in place of the machine code of C; `None` if it has no C.
fn archive_with_bitcode(path: &Path, content: &[u8]) -> std::io::Result<Option<Vec<u8>>> {
    let mut members: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut has_c = false;
    let archive = ArchiveFile::parse(content).map_err(std::io::Error::other)?;
    for member in archive.members() {
        let member = member.map_err(std::io::Error::other)?;
        let name = member.name();
        if name.ends_with(b".rmeta") {
            continue;
        }
        let data = match member.is_thin() {
            true => {
                let folder = path.parent().unwrap_or(Path::new(""));
                std::fs::read(folder.join(OsStr::from_bytes(name)))?
            }
            false => member
                .data(content)
                .map_err(std::io::Error::other)?
                .to_vec(),
        };
        let bitcode = bitcode_of_clang(&data).map(<[u8]>::to_vec);
        has_c |= bitcode.is_some();
        members.push((name.to_vec(), bitcode.unwrap_or(data)));
    }
    if !has_c {
        return Ok(None);
    }
    let names = members.iter().map(|(name, _)| name.clone()).collect();
    let mut written = ar::GnuBuilder::new(Vec::new(), names);
    for (name, data) in members {
        let header = ar::Header::new(name, data.len() as u64);
        written.append(&header, &*data)?;
    }
    written.into_inner().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_without_c_stays_as_it_is() {
        let mut archive = ar::Builder::new(Vec::new());
        let header = ar::Header::new(b"text".to_vec(), 4);
        archive.append(&header, &b"text"[..]).expect("written");
        let content = archive.into_inner().expect("written");
        let other = archive_with_bitcode(Path::new("x.a"), &content).expect("read");
        assert_eq!(other, None);
        assert!(archive_with_bitcode(Path::new("x.a"), b"!<arch>\nbroken").is_err());
    }
}
