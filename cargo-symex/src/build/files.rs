//! Programs given as files: bitcode, LLVM assembly, object files and archives, C and C++ sources.
//!
//! Sources are compiled like the C of a crate, except to plain bitcode; machine code for replays is
//! made only when there is a finding (`native_files`).

use std::path::{Path, PathBuf};
use std::process::Command;

use super::bitcode_process::{self, BitcodeProcess, FileToLink};
use super::diagnosis::Diagnosis;
use super::error::BuildError;
use super::{cc, header, tools};
use symex_bitcode::link::{Harnesses, LibraryFile, LinkOptions, ProgramInfo};
use symex_bitcode::passes::PassProfile;
use symex_engine::models;

/// Options for a program given as files.
#[derive(Clone, Debug)]
pub struct FilesOptions {
    /// The files, in link order: first definitions win. All of them belong to the program, except
    /// members of archives, which are linked only if something refers to them.
    pub files: Vec<PathBuf>,
    /// Options for clang, used for sources: `-I`, `-D` and the like.
    pub compiler_arguments: Vec<String>,
    /// Symbols or demangled paths of the functions to start from.
    pub roots: Vec<String>,
    /// Functions that are never linked; see [`LinkOptions::opaque`].
    pub opaque: Vec<String>,
    /// The C library in bitcode, if there is one.
    pub library: Option<LibraryFile>,
    /// Passes to run over the linked bitcode.
    pub passes: PassProfile,
}

impl FilesOptions {
    /// Returns the options for these files, started at `main`.
    pub fn new(files: Vec<PathBuf>) -> Self {
        FilesOptions {
            files,
            compiler_arguments: Vec::new(),
            roots: vec!["main".to_owned()],
            opaque: super::OPAQUE.map(str::to_owned).to_vec(),
            library: None,
            passes: PassProfile::default(),
        }
    }
}

/// A linked program made from files.
pub struct LinkedFiles {
    /// The linked bitcode.
    pub bitcode: Vec<u8>,
    /// Roots, undefined symbols and further facts about the program.
    pub info: ProgramInfo,
}

/// Compiles the sources and links everything that the roots reach, in this process. Only for
/// bitcode that is known to be valid, because LLVM may crash on other bitcode.
pub fn build_files(options: &FilesOptions) -> Result<LinkedFiles, BuildError> {
    let (inputs, _kept) = inputs(options)?;
    let linked = bitcode_process::link_files(&inputs, &link_options(options), &|_| ())
        .map_err(|refusal| refusal.into_error(&name(options)))?;
    Ok(LinkedFiles {
        bitcode: linked.bitcode,
        info: linked.info,
    })
}

/// Compiles the sources, links everything that the roots reach and translates it, with LLVM in a
/// separate process. The result is for [`store::load`](symex_program::store::load).
pub fn translate_files(
    options: &FilesOptions,
    process: &BitcodeProcess,
) -> Result<Vec<u8>, BuildError> {
    let (inputs, _kept) = inputs(options)?;
    let name = name(options);
    let (_, program) = process.link_and_translate(&name, inputs, &link_options(options), None)?;
    Ok(program)
}

/// Translates only the first of the files, to describe what it contains. Sources are compiled
/// again, without warnings.
pub fn translate_first(
    options: &FilesOptions,
    process: &BitcodeProcess,
) -> Result<Vec<u8>, BuildError> {
    let mut options = options.clone();
    options.files.truncate(1);
    options.compiler_arguments.push("-w".to_owned());
    let (inputs, _kept) = inputs(&options)?;
    let file = inputs.first().map(|input| input.file.as_path());
    process.translate(file.unwrap_or(Path::new("")))
}

/// Returns the files to link, and the directory that holds the compiled ones.
fn inputs(options: &FilesOptions) -> Result<(Vec<FileToLink>, tempfile::TempDir), BuildError> {
    let temporary = std::env::temp_dir();
    let directory =
        tempfile::tempdir().map_err(BuildError::file("creating a directory in", &temporary))?;
    header::install(directory.path())?;
    let mut inputs = Vec::new();
    for (number, file) in options.files.iter().enumerate() {
        let compiled = match language(file) {
            Some(language) => {
                let output = directory.path().join(format!("{number}.bc"));
                compile(options, file, language, &output)?;
                output
            }
            None => file.clone(),
        };
        inputs.push(FileToLink {
            file: compiled.into(),
            whole_archive: false,
            given: Some(file.clone().into()),
        });
    }
    Ok((inputs, directory))
}

fn link_options(options: &FilesOptions) -> LinkOptions {
    LinkOptions {
        harnesses: Harnesses::None,
        roots: options.roots.clone(),
        helpers: Vec::new(),
        opaque: options.opaque.clone(),
        opaque_of_libc: models::on_strings().map(str::to_owned).collect(),
        library: options.library.clone(),
        passes: options.passes.clone(),
    }
}

/// Returns the joint name of the files in messages.
fn name(options: &FilesOptions) -> String {
    let names: Vec<String> = options
        .files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    names.join(", ")
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    C,
    Cxx,
    Assembly,
}

/// Returns the language of a source file; `None` for a compiled file.
pub(super) fn language(file: &Path) -> Option<Language> {
    match file.extension()?.to_str()? {
        "c" | "i" => Some(Language::C),
        "cc" | "cpp" | "cxx" | "C" | "ii" => Some(Language::Cxx),
        "ll" => Some(Language::Assembly),
        _ => None,
    }
}

/// Compiles a source to bitcode, in the directory that contains `symex.h`.
fn compile(
    options: &FilesOptions,
    file: &Path,
    language: Language,
    output: &Path,
) -> Result<(), BuildError> {
    let clang = tools::clang(language == Language::Cxx);
    let mut command = Command::new(&clang);
    command.args(["-c", "-emit-llvm", "-Xclang", "-disable-llvm-passes"]);
    if language == Language::Assembly {
        command.arg("-Wno-override-module");
    } else {
        command.args(cc::source_flags(&clang));
        if let Some(headers) = output.parent() {
            command.arg("-isystem").arg(headers);
        }
        command.args(&options.compiler_arguments);
    }
    command.arg(file).arg("-o").arg(output);
    // Warnings and errors go where the user sees them.
    let status = command
        .status()
        .map_err(|source| tools::not_started(&clang, source))?;
    if status.success() {
        Ok(())
    } else {
        Err(BuildError::Compile(Diagnosis::default()))
    }
}
