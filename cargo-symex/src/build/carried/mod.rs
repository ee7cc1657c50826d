//! Libraries that this tool carries and puts in the place of others.
//!
//! It has their sources, and writes them into the target directory, where cargo builds them with
//! the flags that the program has.

mod sources;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use cargo_metadata::Message;

use self::sources::{LOCK, PACKAGES};
use super::cargo::{Cargo, cargo, set_form};
use super::error::BuildError;
use super::tools;
use symex_types::outcome::frame_owner;

/// Name of the folder of the target directory in which the sources are.
const FOLDER: &str = frame_owner::CARRIED;

/// Version of the packages in their manifests: a content has its own folder.
const VERSION: &str = "0.0.0";

/// Name of the package that is the runtime, which harnesses need.
pub const RUNTIME: &str = "symex-runtime";

/// The runtime as a library that tests use.
pub(super) const RUNTIME_LIBRARY: Library = Library {
    package: RUNTIME,
    name: "symex",
};

/// One of the libraries.
#[derive(Clone, Copy)]
pub(super) struct Library {
    /// Name of its package.
    pub package: &'static str,
    /// Name by which crates use it.
    pub name: &'static str,
}

/// A library that was built.
pub(super) struct BuiltLibrary {
    /// Folder of the sources of all libraries.
    folder: PathBuf,
    file: PathBuf,
    /// Directories with what it depends on: libraries, and macros, which are built for the
    /// compiler.
    depends: Vec<PathBuf>,
}

impl BuiltLibrary {
    /// Returns the flags by which a crate finds it under a name.
    pub fn flags(&self, name: &str) -> Vec<OsString> {
        let mut flags = self.search_flags();
        flags.push(of_path(&format!("--extern={name}="), &self.file));
        flags
    }

    /// Returns the flags by which a crate finds what it uses through others.
    pub fn search_flags(&self) -> Vec<OsString> {
        let depends = self.depends.iter();
        depends.map(|path| of_path("-Ldependency=", path)).collect()
    }

    /// Returns the root source file of a package.
    pub fn source(&self, package: &str) -> PathBuf {
        self.folder.join(package).join("src/lib.rs")
    }
}

/// Returns a flag with a path.
fn of_path(flag: &str, path: &Path) -> OsString {
    let mut flag = OsString::from(flag);
    flag.push(path);
    flag
}

/// Builds a library, on first use.
pub(super) fn build(cargo: &Cargo<'_>, library: Library) -> Result<BuiltLibrary, BuildError> {
    let folder = install(cargo.target_dir)?;
    let file = run(cargo, &folder, library)?;
    let beside = file.parent().map(Path::to_owned);
    let of_compiler = built(&folder).join("debug/deps");
    let depends = beside.into_iter().chain([of_compiler]);
    Ok(BuiltLibrary {
        depends: depends.collect(),
        folder,
        file,
    })
}

/// Writes the sources into a folder of the target directory that is named by their content, unless
/// it is there, and returns it.
pub fn install(target_dir: &Path) -> Result<PathBuf, BuildError> {
    let files = files();
    let mut hasher = blake3::Hasher::new();
    for (path, text) in &files {
        for part in [path, text] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
    }
    let hash = hasher.finalize().to_hex();
    let all = target_dir.join(FOLDER);
    let folder = all.join(&hash[..16]);
    if folder.is_dir() {
        return Ok(folder);
    }
    // Renamed when it is complete, so that no other build finds a part of it.
    let fresh = all.join(format!("{}.{}", &hash[..16], std::process::id()));
    for (path, text) in &files {
        let file = fresh.join(path);
        let parent = file.parent().unwrap_or(&fresh);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&file, text))
            .map_err(BuildError::file("writing", &file))?;
    }
    match std::fs::rename(&fresh, &folder) {
        // Another build was faster.
        Err(_) if folder.is_dir() => {
            let _ = std::fs::remove_dir_all(&fresh);
        }
        renamed => renamed.map_err(BuildError::file("writing", &folder))?,
    }
    Ok(folder)
}

/// Returns all files of the libraries' workspace, by their paths in it.
fn files() -> Vec<(String, String)> {
    let members = PACKAGES.map(|package| format!("{:?}", package.name));
    let workspace = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{}]\n",
        members.join(", ")
    );
    let mut files = vec![
        ("Cargo.toml".to_owned(), workspace),
        ("Cargo.lock".to_owned(), LOCK.to_owned()),
        (
            format!("symex-abi/include/{}", symex_abi::HEADER_NAME),
            symex_abi::HEADER.to_owned(),
        ),
    ];
    for package in &PACKAGES {
        let (name, rest) = (package.name, package.manifest);
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"{VERSION}\"\nedition = \"2024\"\n{rest}"
        );
        files.push((format!("{name}/Cargo.toml"), manifest));
        let source =
            |(path, text): &(&str, &str)| (format!("{name}/src/{path}"), (*text).to_owned());
        files.extend(package.sources.iter().map(source));
    }
    files
}

/// Returns the target directory of the libraries.
fn built(folder: &Path) -> PathBuf {
    folder.join("target")
}

/// Has cargo build a library, and returns its file.
fn run(of: &Cargo<'_>, folder: &Path, library: Library) -> Result<PathBuf, BuildError> {
    let options = of.options;
    let mut command = cargo(options);
    command.args([
        "build",
        "--message-format=json-render-diagnostics",
        "--locked",
    ]);
    command.args(["--target", &of.toolchain.host, "-p", library.package]);
    command
        .arg("--manifest-path")
        .arg(folder.join("Cargo.toml"));
    set_form(&mut command, options, &built(folder));
    // Warnings about its sources are none of the user's business.
    of.set_flags(&mut command, &["--cap-lints=allow".into()]);
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = tools::output(&mut command)?;
    if !output.status.success() {
        return Err(BuildError::Carried {
            name: library.name,
            offline: options.offline || options.frozen,
        });
    }
    let mut file = None;
    for message in Message::parse_stream(output.stdout.as_slice()).flatten() {
        if let Message::CompilerArtifact(artifact) = message
            && artifact.target.name == library.name
        {
            // The one with a hash in its name, by which crates that depend on it find it.
            let mut files = artifact.filenames.iter();
            let beside = files.find(|file| file.extension() == Some("rmeta"));
            file = beside.map(|file| file.with_extension("rlib").into_std_path_buf());
        }
    }
    file.ok_or_else(|| BuildError::ToolAnswer {
        tool: "cargo".to_owned(),
        reason: format!("it does not say where the library `{}` is", library.name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_written_once() {
        let directory = tempfile::tempdir().expect("a directory");
        let folder = install(directory.path()).expect("written");
        let manifest = std::fs::read_to_string(folder.join("symex-kani/Cargo.toml"));
        assert!(manifest.expect("written").contains("name = \"kani\""));
        assert!(folder.join("symex-runtime/src/native/run.rs").is_file());
        std::fs::write(folder.join("mark"), "").expect("written");
        let again = install(directory.path()).expect("there");
        assert!(again == folder && again.join("mark").is_file());
        let entries = std::fs::read_dir(directory.path().join(FOLDER));
        assert_eq!(entries.expect("a folder").count(), 1);
    }
}
