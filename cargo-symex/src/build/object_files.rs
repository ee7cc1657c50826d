//! Reads object files and archives and finds the bitcode in them.
//!
//! Bitcode comes as a file of its own, or in a `.llvmbc` section of an ELF object (the precompiled
//! standard library). Nothing is decoded here.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use symex_abi::names::{self, Generated, Item};
use symex_bitcode::link::{Bytes, Code, CrateLibrary, CrateMember, LinkInput};

/// The section of an object file that holds its bitcode.
const BITCODE_SECTION: &str = ".llvmbc";
/// The section beside the bitcode that holds clang's command-line options. rustc leaves it empty.
const OPTIONS_SECTION: &str = ".llvmcmd";

/// Reasons for which a file on the link line could not be used. Text reads after "failed to read ".
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum ObjectFileError {
    /// The file could not be read.
    #[error("{path}: {reason}")]
    Io { path: String, reason: String },
    /// The file does not have the format that its name suggests.
    #[error("{path}: {reason}")]
    Malformed { path: String, reason: String },
}

/// Reports whether the file is an archive, judged by its first bytes.
pub fn is_archive(path: &Path) -> bool {
    let mut magic = [0; 8];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && (magic == *b"!<arch>\n" || magic == *b"!<thin>\n")
}

/// Reads the inputs in one file of the link line. `whole_archive` makes all members of an archive
/// part of the program.
pub fn read_inputs(path: &Path, whole_archive: bool) -> Result<Vec<LinkInput>, ObjectFileError> {
    let shown = path.display().to_string();
    let data = read(path)?;
    if data.starts_with(b"!<arch>\n") || data.starts_with(b"!<thin>\n") {
        return read_archive(path, &shown, &data, whole_archive);
    }
    let whole = 0..data.len();
    Ok(read_object(shown, data, whole, false)?
        .into_iter()
        .collect())
}

/// Returns the bitcode that clang has put into an object file.
pub fn bitcode_of_clang(content: &[u8]) -> Option<&[u8]> {
    let file = object::File::parse(content).ok()?;
    let section = |name| file.section_by_name(name)?.data().ok();
    let made_by_clang =
        section(OPTIONS_SECTION).is_some_and(|options| options.starts_with(b"-cc1"));
    section(BITCODE_SECTION).filter(|_| made_by_clang)
}

/// Returns the paths, within the crate, of the harnesses in a native executable; none if its
/// symbols were removed.
pub fn harnesses(executable: &Path) -> Result<Vec<String>, ObjectFileError> {
    let data = read(executable)?;
    let file = object::File::parse(&*data).map_err(|error| ObjectFileError::Malformed {
        path: executable.display().to_string(),
        reason: error.to_string(),
    })?;
    let found = file.symbols().filter_map(|symbol| {
        let symbol = symbol
            .name()
            .ok()
            .filter(|name| names::is_generated(name))?;
        let path = format!("{:#}", rustc_demangle::demangle(symbol));
        let generated = Generated::of(&path).filter(|generated| generated.item == Item::Meta)?;
        Some(generated.path)
    });
    let found: BTreeSet<String> = found.collect();
    Ok(found.into_iter().collect())
}

/// Reports whether an object file contains these bytes, such as a symbol's name.
pub fn mentions(object: &Path, bytes: &[u8]) -> std::io::Result<bool> {
    let content = std::fs::read(object)?;
    Ok(memchr::memmem::find(&content, bytes).is_some())
}

fn read(file: &Path) -> Result<Arc<[u8]>, ObjectFileError> {
    let bytes = std::fs::read(file).map_err(|error| ObjectFileError::Io {
        path: file.display().to_string(),
        reason: error.to_string(),
    })?;
    Ok(bytes.into())
}

fn read_archive(
    path: &Path,
    shown: &str,
    data: &Arc<[u8]>,
    whole_archive: bool,
) -> Result<Vec<LinkInput>, ObjectFileError> {
    let malformed = |error: object::Error| ObjectFileError::Malformed {
        path: shown.to_owned(),
        reason: error.to_string(),
    };
    let archive = ArchiveFile::parse(&**data).map_err(malformed)?;
    let mut index: FxHashMap<u64, Vec<String>> = FxHashMap::default();
    let symbols = archive.symbols().map_err(malformed)?;
    for symbol in symbols.into_iter().flatten() {
        let symbol = symbol.map_err(malformed)?;
        index
            .entry(symbol.offset().0)
            .or_default()
            .push(String::from_utf8_lossy(symbol.name()).into_owned());
    }
    let mut inputs = Vec::new();
    // A crate's archive has an `.rmeta` member, and its modules have their own names.
    let mut is_crate = false;
    let mut is_of_rustc = !whole_archive;
    for member in archive.members() {
        let member = member.map_err(malformed)?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        if name.ends_with(".rmeta") {
            is_crate = true;
            continue;
        }
        let origin = format!("{shown}({name})");
        let (bytes, range) = if member.is_thin() {
            let file = path.parent().unwrap_or(Path::new("")).join(&name);
            let bytes = read(&file)?;
            let range = 0..bytes.len();
            (bytes, range)
        } else {
            let (start, size) = member.file_range();
            (data.clone(), start as usize..end(start, size))
        };
        let Some(mut input) = read_object(origin, bytes, range, !whole_archive)? else {
            continue;
        };
        // An index may be damaged (`ar` with a plugin for another version of LLVM leaves members
        // out), so it is used to save looking into the bitcode, not to say that a member defines
        // nothing.
        if input.defines.is_none() && !whole_archive {
            input.defines = index.remove(&member_offset(data, &member));
        }
        is_of_rustc &= matches!(input.code, Code::Native)
            || name.ends_with(".rcgu.o") && input.defines.is_some() && !member.is_thin();
        inputs.push(input);
    }
    if is_crate && is_of_rustc {
        let library = Arc::new(CrateLibrary::new(data.clone()));
        for (position, input) in (0..).zip(&mut inputs) {
            input.of_crate = Some(CrateMember {
                library: library.clone(),
                position,
            });
        }
    }
    Ok(inputs)
}

/// Returns the end of a range. Saturates, because a damaged file may give any number; the end then
/// lies outside the file.
fn end(start: u64, size: u64) -> usize {
    start.saturating_add(size) as usize
}

/// Returns the offset of a member's header, by which the archive's index names the member.
fn member_offset(data: &[u8], member: &object::read::archive::ArchiveMember<'_>) -> u64 {
    let header = member.header().map_or(0, |header| {
        std::ptr::from_ref(header) as usize - data.as_ptr() as usize
    });
    header as u64
}

/// Reads the input in an object file; `None` for a file that holds no code, such as a linker script
/// or a shared library.
fn read_object(
    origin: String,
    data: Arc<[u8]>,
    range: std::ops::Range<usize>,
    lazy: bool,
) -> Result<Option<LinkInput>, ObjectFileError> {
    let malformed = |reason: String| ObjectFileError::Malformed {
        path: origin.clone(),
        reason,
    };
    let Some(bytes) = Bytes::new(data.clone(), range.clone()) else {
        return Err(malformed("it ends before its last member does".to_owned()));
    };
    let content = bytes.as_slice();
    if content.starts_with(b"BC\xc0\xde") || content.starts_with(&[0xde, 0xc0, 0x17, 0x0b]) {
        return Ok(Some(LinkInput {
            origin,
            code: Code::Bitcode(bytes),
            lazy,
            defines: None,
            library: false,
            of_crate: None,
        }));
    }
    if !content.starts_with(b"\x7fELF") {
        return Ok(None);
    }
    let file = object::File::parse(content).map_err(|error| malformed(error.to_string()))?;
    if file.kind() != object::ObjectKind::Relocatable {
        return Ok(None);
    }
    let defines: Vec<String> = file
        .symbols()
        .filter(|symbol| symbol.is_global() && !symbol.is_undefined())
        .filter_map(|symbol| symbol.name().ok().map(str::to_owned))
        .collect();
    let embedded = file
        .section_by_name(BITCODE_SECTION)
        .and_then(|section| section.file_range());
    let code =
        match embedded {
            Some((start, size)) if size > 0 => {
                let start = end(range.start as u64, start);
                let bytes = Bytes::new(data, start..end(start as u64, size));
                Code::Bitcode(bytes.ok_or_else(|| {
                    malformed("its .llvmbc section lies outside of it".to_owned())
                })?)
            }
            _ => Code::Native,
        };
    // Bitcode of an object file that always belongs to the program is looked into, for roots and
    // weak definitions.
    let defines = (lazy || matches!(code, Code::Native)).then_some(defines);
    Ok(Some(LinkInput {
        origin,
        code,
        lazy,
        defines,
        library: false,
        of_crate: None,
    }))
}
