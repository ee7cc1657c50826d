//! Programs given as files: bitcode, LLVM assembly, object files and archives, C and C++ sources.
//!
//! Sources are compiled as the C of a crate is, only to plain bitcode; there is no machine code to replay with.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::cc;
use super::error::BuildError;
use super::{object_files, tools};
use crate::bitcode::link::{self, LinkOptions, ProgramInfo};
use crate::bitcode::passes::PassProfile;

/// A program given as files.
#[derive(Clone, Debug)]
pub struct FilesOptions {
    /// The files, in link order: first definitions win. All of them belong to the program, except members of archives,
    /// which have to be asked for.
    pub files: Vec<PathBuf>,
    /// For clang, when a file is a source: `-I`, `-D` and the like.
    pub compiler_arguments: Vec<String>,
    /// Where to start, by symbol or demangled path.
    pub roots: Vec<String>,
    /// What is never linked; see [`LinkOptions::opaque`].
    pub opaque: Vec<String>,
    /// What is run over the linked bitcode.
    pub passes: PassProfile,
}

impl FilesOptions {
    /// These files, started at `main`.
    pub fn new(files: Vec<PathBuf>) -> Self {
        FilesOptions {
            files,
            compiler_arguments: Vec::new(),
            roots: vec!["main".to_owned()],
            opaque: super::OPAQUE.map(str::to_owned).to_vec(),
            passes: PassProfile::default(),
        }
    }
}

/// A program from files, linked.
pub struct FilesProgram {
    /// The linked bitcode.
    pub bitcode: Vec<u8>,
    /// Roots, undefined symbols and the like.
    pub info: ProgramInfo,
}

/// Compiles what is source and links everything the roots reach.
pub fn build_files(options: &FilesOptions) -> Result<FilesProgram, BuildError> {
    let temporary = std::env::temp_dir();
    let directory =
        tempfile::tempdir().map_err(BuildError::file("creating a directory in", &temporary))?;
    let mut inputs = Vec::new();
    for (number, file) in options.files.iter().enumerate() {
        let compiled = match language(file) {
            Some(language) => {
                let output = directory.path().join(format!("{number}.bc"));
                compile(file, language, &output, &options.compiler_arguments)?;
                output
            }
            None => file.clone(),
        };
        let read = object_files::read_inputs(&compiled, false)?;
        if read.is_empty() {
            return Err(BuildError::NotAProgram { path: file.clone() });
        }
        // Messages name the file that was given, not the one it was compiled to.
        inputs.extend(read.into_iter().map(|mut input| {
            if compiled != *file {
                input.origin = file.display().to_string();
            }
            input
        }));
    }
    let link_options = LinkOptions {
        harnesses: false,
        roots: options.roots.clone(),
        helpers: Vec::new(),
        opaque: options.opaque.clone(),
        passes: options.passes.clone(),
    };
    let name = options
        .files
        .iter()
        .map(|file| file.display().to_string())
        .collect::<Vec<_>>()
        .join(", ");
    let linked = link::link(&inputs, &link_options).map_err(|source| BuildError::Link {
        target: name,
        source,
    })?;
    Ok(FilesProgram {
        bitcode: linked.bitcode,
        info: linked.info,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    Cxx,
    Assembly,
}

/// The language of a source file; `None` for what is compiled already.
fn language(file: &Path) -> Option<Language> {
    match file.extension()?.to_str()? {
        "c" | "i" => Some(Language::C),
        "cc" | "cpp" | "cxx" | "C" | "ii" => Some(Language::Cxx),
        "ll" => Some(Language::Assembly),
        _ => None,
    }
}

fn compile(
    file: &Path,
    language: Language,
    output: &Path,
    arguments: &[String],
) -> Result<(), BuildError> {
    let clang = tools::clang(language == Language::Cxx);
    let mut command = Command::new(&clang);
    command.args(["-c", "-emit-llvm", "-Xclang", "-disable-llvm-passes"]);
    if language == Language::Assembly {
        command.arg("-Wno-override-module");
    } else {
        command.args(cc::SOURCE_FLAGS).args(arguments);
    }
    command.arg(file).arg("-o").arg(output);
    // Warnings and errors go where the user sees them.
    let status = command
        .status()
        .map_err(|source| tools::not_started(&clang, source))?;
    if status.success() {
        Ok(())
    } else {
        Err(BuildError::Compile)
    }
}
