//! Compiles a program given as files natively, so that a finding in it can be reproduced without
//! the engine.
//!
//! Nothing is optimised, because optimisation would make undefined behaviour harder to see, and the
//! compiled-in checks are those that the engine sees. Where clang has its AddressSanitizer, it is
//! used too. The source of the program's inputs, and stubs for undefined symbols, come in a
//! separate file each time.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::BuildError;
use super::files::{FilesOptions, Language, language};
use super::native::{missing_symbols, what_linker_said};
use super::{cc, header, tools};

/// Compiler flags of the native program, before the user's own options.
const FLAGS: [&str; 3] = ["-g", "-O0", "-fno-strict-aliasing"];

/// The compiled objects of a program, and the symbols that they lack.
pub struct NativeFiles {
    directory: tempfile::TempDir,
    options: FilesOptions,
    objects: Vec<PathBuf>,
    address_sanitizer: bool,
    missing: BTreeSet<String>,
}

impl NativeFiles {
    /// Compiles the program.
    pub fn compile(options: &FilesOptions) -> Result<Self, BuildError> {
        if sanitizes_addresses()
            && let Ok(files) = Self::compile_with(options, true)
        {
            return Ok(files);
        }
        Self::compile_with(options, false)
    }

    fn compile_with(options: &FilesOptions, address_sanitizer: bool) -> Result<Self, BuildError> {
        let temporary = std::env::temp_dir();
        let directory =
            tempfile::tempdir().map_err(BuildError::file("creating a directory in", &temporary))?;
        header::install(directory.path())?;
        let mut files = NativeFiles {
            directory,
            options: options.clone(),
            objects: Vec::new(),
            address_sanitizer,
            missing: BTreeSet::new(),
        };
        for (number, file) in options.files.iter().enumerate() {
            let object = match kind(file) {
                None => file.clone(),
                Some(kind) => files.object(number, file, kind)?,
            };
            files.objects.push(object);
        }
        // A trial link finds the undefined symbols; `main` may be among them if there is another
        // entry.
        if let Err(said) = files.link(&[], &[], &files.directory.path().join("program"))? {
            let missing = missing_symbols(&said);
            if missing.is_empty() {
                let reason = what_linker_said(&said);
                return Err(BuildError::NativeLink { reason });
            }
            let names = missing.into_iter().map(str::to_owned);
            files.missing = names.filter(|name| name != "main").collect();
        }
        Ok(files)
    }

    /// Returns the symbols that nothing defines.
    pub fn missing(&self) -> &BTreeSet<String> {
        &self.missing
    }

    /// Reports whether any source is C++; the program must then be linked as C++.
    pub fn is_cxx(&self) -> bool {
        let languages = self.options.files.iter().map(|file| language(file));
        languages
            .into_iter()
            .any(|language| language == Some(Language::Cxx))
    }

    /// Links the program with one more source file, which contains `text`, and with these link
    /// options.
    pub fn executable(&self, text: &str, linking: &[String]) -> Result<PathBuf, BuildError> {
        let extension = if self.is_cxx() { "cpp" } else { "c" };
        let source = self
            .directory
            .path()
            .join(format!("reproducer.{extension}"));
        std::fs::write(&source, text).map_err(BuildError::file("writing", &source))?;
        let executable = self.directory.path().join("program");
        match self.link(&[source], linking, &executable)? {
            Ok(()) => Ok(executable),
            Err(said) => {
                let reason = what_linker_said(&said);
                Err(BuildError::NativeLink { reason })
            }
        }
    }

    /// Returns a shell command that builds the same program from the sources without this tool,
    /// given a file with a reproducer and the directory of a `symex.h`.
    pub fn command(
        &self,
        header: &Path,
        reproducer: &Path,
        linking: &[String],
        executable: &Path,
    ) -> Vec<OsString> {
        let clang = tools::clang(false);
        let mut command = vec![clang.file_name().unwrap_or(clang.as_os_str()).to_owned()];
        command.extend(self.flags(header));
        command.push(reproducer.into());
        command.extend(linking.iter().map(OsString::from));
        command.extend(self.options.compiler_arguments.iter().map(OsString::from));
        for file in &self.options.files {
            // clang recognises bitcode by the file name if that has the usual extension.
            if matches!(kind(file), Some(CompiledKind::Bitcode)) && !has_name_of_bitcode(file) {
                command.extend(["-x".into(), "ir".into(), file.into()]);
                command.extend(["-x", "none"].map(OsString::from));
            } else {
                command.push(file.into());
            }
        }
        command.extend(self.libraries());
        if self.options.files.iter().any(|file| kind(file).is_none()) {
            // Objects and archives may contain bitcode, which lld reads.
            command.push("-fuse-ld=lld".into());
        }
        command.extend(["-o".into(), executable.into()]);
        command
    }

    fn flags(&self, header: &Path) -> Vec<OsString> {
        let mut flags: Vec<OsString> = FLAGS
            .iter()
            .chain(&cc::CHECKS)
            .map(OsString::from)
            .collect();
        if self.address_sanitizer {
            flags.push("-fsanitize=address".into());
        }
        flags.extend(["-isystem".into(), header.into()]);
        flags
    }

    fn libraries(&self) -> Vec<OsString> {
        let mut libraries = vec!["-lm".into()];
        if self.is_cxx() {
            libraries.push("-lstdc++".into());
        }
        if self.options.roots.iter().all(|root| root != "main") {
            // The program may have a `main` of its own; the one that calls the entry comes first.
            libraries.push("-Wl,-z,muldefs".into());
        }
        libraries
    }

    /// Compiles one of the files.
    fn object(
        &self,
        number: usize,
        file: &Path,
        kind: CompiledKind,
    ) -> Result<PathBuf, BuildError> {
        let object = self.directory.path().join(format!("{number}.o"));
        let clang = tools::clang(false);
        let mut command = Command::new(&clang);
        command.arg("-c").args(self.flags(self.directory.path()));
        match kind {
            CompiledKind::Source => {
                command.args(&self.options.compiler_arguments).arg(file);
            }
            CompiledKind::Bitcode => {
                command.args(["-Wno-override-module", "-x", "ir"]).arg(file);
            }
        }
        // The user has seen the warnings already.
        command.args(["-w", "-o"]).arg(&object);
        let output = tools::output(&mut command)?;
        if output.status.success() {
            return Ok(object);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let reason = what_linker_said(&said);
        Err(BuildError::NativeLink { reason })
    }

    /// Links the objects with more sources; on failure returns the linker's output.
    fn link(
        &self,
        sources: &[PathBuf],
        linking: &[String],
        to: &Path,
    ) -> Result<Result<(), String>, BuildError> {
        let mut command = Command::new(tools::clang(false));
        command
            .args(self.flags(self.directory.path()))
            .args(sources)
            .args(linking)
            .args(&self.options.compiler_arguments)
            // A `-x` among the user's options applies to the sources only.
            .args(["-x", "none"])
            .args(&self.objects)
            .args(self.libraries())
            .args(tools::lld_flags(None))
            .args(["-w", "-Wl,--error-limit=0", "-Wl,--no-demangle", "-o"])
            .arg(to);
        let output = tools::output(&mut command)?;
        Ok(match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        })
    }
}

/// The kinds of files that have to be compiled.
#[derive(Clone, Copy)]
enum CompiledKind {
    Source,
    Bitcode,
}

/// Returns the kind of a file; `None` for objects and archives, which the linker takes as they are.
fn kind(file: &Path) -> Option<CompiledKind> {
    match language(file) {
        Some(Language::C | Language::Cxx) => Some(CompiledKind::Source),
        Some(Language::Assembly) => Some(CompiledKind::Bitcode),
        None => {
            let mut magic = [0; 4];
            let mut file = std::fs::File::open(file).ok()?;
            file.read_exact(&mut magic).ok()?;
            // Plain bitcode, or wrapped as on some systems.
            matches!(&magic, b"BC\xc0\xde" | b"\xde\xc0\x17\x0b").then_some(CompiledKind::Bitcode)
        }
    }
}

fn has_name_of_bitcode(file: &Path) -> bool {
    let extension = file.extension();
    extension.is_some_and(|extension| extension == "bc" || extension == "ll")
}

/// Reports whether the runtime library of clang's AddressSanitizer is installed.
pub(super) fn sanitizes_addresses() -> bool {
    let mut command = Command::new(tools::clang(false));
    command.args(tools::lld_flags(None));
    command.args([
        "-fsanitize=address",
        "-x",
        "c",
        "/dev/null",
        "-shared",
        "-o",
        "/dev/null",
    ]);
    tools::output(&mut command).is_ok_and(|output| output.status.success())
}
