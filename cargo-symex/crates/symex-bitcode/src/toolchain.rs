//! A Rust toolchain on this machine: its location, with the LLVM and the linker that belong to it.
//!
//! Toolchains of rustup contain the LLVM that rustc itself uses, as a shared library, and its lld.
//! A rustc of a distribution uses the system's, of the same major version.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A toolchain.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// Directory that contains `bin/rustc` and `lib`.
    pub sysroot: PathBuf,
    /// Target triple of this machine.
    pub host: String,
    /// Version of rustc, as it reports it: `1.99.1`, `1.101.0-nightly`.
    pub release: String,
    /// Version of LLVM that rustc uses, as it reports it: `22.1.2`.
    pub llvm: String,
}

impl Toolchain {
    /// Finds the toolchain that cargo would use in a directory: that of `$RUSTC`, or of the `rustc`
    /// on the path, which rustup chooses by `RUSTUP_TOOLCHAIN` and `rust-toolchain.toml`. The error
    /// says what is wrong.
    pub fn on_path(directory: Option<&Path>) -> Result<Self, String> {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        Toolchain::of_rustc(&rustc, directory)
    }

    /// Reads the toolchain in a directory.
    pub fn of_sysroot(sysroot: &Path) -> Result<Self, String> {
        Toolchain::of_rustc(sysroot.join("bin/rustc").as_os_str(), None)
    }

    fn of_rustc(rustc: &OsStr, directory: Option<&Path>) -> Result<Self, String> {
        let mut text = said(rustc, &["-vV", "--print", "sysroot"], directory)?;
        let last = |text: &str| text.lines().last().unwrap_or_default().to_owned();
        if !Path::new(&last(&text)).is_absolute() {
            // Older ones answer one question at a time.
            text.push_str(&said(rustc, &["--print", "sysroot"], directory)?);
        }
        let value = |name: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(name));
            let missing = || format!("`{} -vV` says no `{name}`: {text:?}", rustc.display());
            value
                .map(|value| value.trim().to_owned())
                .ok_or_else(missing)
        };
        Ok(Toolchain {
            host: value("host:")?,
            release: value("release:")?,
            llvm: value("LLVM version:")?,
            sysroot: last(&text).into(),
        })
    }

    /// Reports whether its rustc is at least Rust 1.`minor`.
    pub fn is_at_least(&self, minor: u32) -> bool {
        let mut numbers = self.release.split('.').map(|number| number.parse::<u32>());
        match (numbers.next(), numbers.next()) {
            (Some(Ok(1)), Some(Ok(own))) => own >= minor,
            (Some(Ok(major)), _) => major > 1,
            _ => false,
        }
    }

    /// Returns the major version of its LLVM, which reads bitcode up to that version.
    pub fn llvm_major(&self) -> u32 {
        let major = self.llvm.split('.').next().unwrap_or_default();
        major.parse().unwrap_or_default()
    }

    /// Returns the file of its LLVM. The error says what is missing.
    pub fn libllvm(&self) -> Result<PathBuf, String> {
        let own = self.sysroot.join("lib");
        if let Some(file) = libraries(&own, "libLLVM").into_iter().next() {
            return Ok(file);
        }
        let major = self.llvm_major();
        let names = system_names(&self.llvm, major);
        let found = SYSTEM_DIRECTORIES.iter().map(PathBuf::from);
        let found = found.chain([PathBuf::from(format!("/usr/lib/llvm-{major}/lib"))]);
        for directory in found {
            for name in &names {
                let file = directory.join(name);
                if is_library(&file) {
                    return Ok(file);
                }
            }
        }
        Err(format!(
            "the rustc in {} uses LLVM {}, and there is no shared library of LLVM {major}: none in {}, where a toolchain from \
             https://rustup.rs has it, and none of the system's (Debian and Ubuntu: `apt install libllvm{major}`)",
            self.sysroot.display(),
            self.llvm,
            own.display(),
        ))
    }
}

/// Returns the directory with the lld of the toolchain in `sysroot`, under the names that C
/// compilers look for; `None` where it has none.
pub fn lld_directory(sysroot: &Path) -> Option<PathBuf> {
    let hosts = std::fs::read_dir(sysroot.join("lib/rustlib")).ok()?;
    let mut found: Vec<PathBuf> = hosts
        .flatten()
        .map(|host| host.path().join("bin/gcc-ld"))
        .filter(|directory| directory.join("ld.lld").is_file())
        .collect();
    found.sort();
    found.into_iter().next()
}

/// Directories in which distributions put shared libraries.
const SYSTEM_DIRECTORIES: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
];

/// Returns the names that distributions give to the shared library of a version of LLVM.
fn system_names(version: &str, major: u32) -> Vec<String> {
    let minor = version.split('.').take(2).collect::<Vec<_>>().join(".");
    vec![
        format!("libLLVM.so.{minor}"),
        format!("libLLVM-{major}.so.1"),
        format!("libLLVM-{major}.so"),
        format!("libLLVM.so.{major}"),
    ]
}

/// Returns the shared libraries in a directory whose names have a prefix, by name.
fn libraries(directory: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(files) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    let begins = |file: &Path| {
        let name = file.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with(prefix)
    };
    let files = files.flatten().map(|file| file.path());
    let mut found: Vec<PathBuf> = files
        .filter(|file| begins(file) && is_library(file))
        .collect();
    found.sort();
    found
}

/// Reports whether it is machine code. Beside a library there may be a linker script of almost the
/// same name.
fn is_library(file: &Path) -> bool {
    let mut start = [0; 4];
    let read = std::fs::File::open(file)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start));
    read.is_ok() && start == *b"\x7fELF"
}

/// Returns the output of a rustc.
fn said(rustc: &OsStr, arguments: &[&str], directory: Option<&Path>) -> Result<String, String> {
    let mut command = Command::new(rustc);
    command.args(arguments);
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    let what = || format!("`{} {}`", rustc.display(), arguments.join(" "));
    let output = command.output().map_err(|error| {
        format!(
            "{} did not start: {error}; install Rust from https://rustup.rs",
            what()
        )
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} failed: {}", what(), said.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_toolchain_on_the_path_has_its_llvm() {
        let toolchain = Toolchain::on_path(None).expect("a toolchain");
        let file = toolchain.libllvm().expect("LLVM");
        assert!(is_library(&file));
    }

    #[test]
    fn a_directory_without_llvm_is_told_with_what_to_install() {
        let empty = tempfile::tempdir().expect("a directory");
        let bin = empty.path().join("bin");
        std::fs::create_dir(&bin).expect("made");
        let rustc = bin.join("rustc");
        std::fs::write(
            &rustc,
            "#!/bin/sh\necho host: x\necho release: 1.98.2\necho LLVM version: 3.4.5\n\
             dirname $(dirname $0)\n",
        )
        .expect("written");
        use std::os::unix::fs::PermissionsExt;
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&rustc, executable).expect("permitted");
        let toolchain = Toolchain::of_sysroot(empty.path()).expect("it answers");
        assert_eq!(toolchain.sysroot, empty.path());
        let at_least = [97, 98, 99].map(|minor| toolchain.is_at_least(minor));
        assert_eq!(at_least, [true, true, false]);
        let said = toolchain.libllvm().unwrap_err();
        assert!(
            said.contains("LLVM 3.4.5") && said.contains("apt install libllvm3"),
            "{said}"
        );
    }
}
