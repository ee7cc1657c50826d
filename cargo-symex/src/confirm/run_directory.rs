//! The fresh directory of one native run: what the supervisor and this process tell each other is
//! at its top, and what the run may write is below it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A directory for one native run, removed when this value is dropped.
pub struct RunDirectory(TempDir);

impl RunDirectory {
    /// Creates the directory.
    pub fn new() -> std::io::Result<Self> {
        let root = tempfile::Builder::new().prefix("symex-run-").tempdir()?;
        let directory = RunDirectory(root);
        std::fs::create_dir(directory.writable())?;
        Ok(directory)
    }

    /// Returns the directory itself, which the run does not write.
    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the part of the directory that the run may write. At first it is empty.
    pub fn writable(&self) -> PathBuf {
        self.path().join("run")
    }

    /// Creates the directory for temporary files of the run.
    pub(super) fn temporary(&self) -> std::io::Result<PathBuf> {
        let path = self.writable().join("tmp");
        std::fs::create_dir(&path)?;
        Ok(path)
    }

    /// Returns the directory that stands for the outermost one around a package.
    pub(super) fn stand_in(&self) -> PathBuf {
        self.writable().join("files")
    }

    /// Writes a file into a directory that stands for the root of a package, or for one around it.
    /// The file is the run's own, whatever is linked there.
    pub(super) fn write_own(root: &Path, file: &Path, text: &str) -> std::io::Result<()> {
        let mut path = root.to_owned();
        let directories = file.parent().unwrap_or(Path::new(""));
        for name in directories.iter() {
            path.push(name);
            // What is linked there is linked entry by entry instead.
            if let Ok(original) = std::fs::read_link(&path) {
                std::fs::remove_file(&path)?;
                std::fs::create_dir(&path)?;
                link_entries(&original, &path, None)?;
            }
            std::fs::create_dir_all(&path)?;
        }
        let path = root.join(file);
        if path.is_symlink() {
            std::fs::remove_file(&path)?;
        }
        std::fs::write(path, text)
    }

    /// Creates a working directory that stands for the root of a package: it holds a link to each
    /// entry there. So the files of the package are found by their relative names, and new files
    /// do not go into the package. Directories around the package, up to the outermost with a
    /// manifest, are represented in the same way, because tests in a workspace share files.
    pub(super) fn stand_in_for(&self, package: &Path) -> std::io::Result<PathBuf> {
        let mut stand_in = self.stand_in();
        std::fs::create_dir(&stand_in)?;
        let outermost = outermost(package);
        let inner = package.strip_prefix(outermost).unwrap_or(Path::new(""));
        let mut original = outermost.to_owned();
        for name in inner.iter() {
            link_entries(&original, &stand_in, Some(name))?;
            original.push(name);
            stand_in.push(name);
            std::fs::create_dir(&stand_in)?;
        }
        link_entries(&original, &stand_in, None)?;
        Ok(stand_in)
    }
}

/// Returns the outermost directory with a manifest around a package.
pub(super) fn outermost(package: &Path) -> &Path {
    let with_manifest = |directory: &&Path| directory.join("Cargo.toml").is_file();
    let outermost = package.ancestors().filter(with_manifest).last();
    outermost.unwrap_or(package)
}

/// Creates a link in `to` for each entry of `from`, other than `except`.
fn link_entries(from: &Path, to: &Path, except: Option<&OsStr>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let name = entry?.file_name();
        if Some(name.as_os_str()) != except {
            std::os::unix::fs::symlink(from.join(&name), to.join(&name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_package_and_its_workspace_have_their_relative_names() {
        let workspace = tempfile::tempdir().unwrap();
        let package = workspace.path().join("crates/a");
        std::fs::create_dir_all(package.join("tests")).unwrap();
        let files = [
            "Cargo.toml",
            "data",
            "crates/a/Cargo.toml",
            "crates/a/tests/x",
        ];
        for file in files {
            std::fs::write(workspace.path().join(file), file).unwrap();
        }
        let directory = RunDirectory::new().unwrap();
        let stand_in = directory.stand_in_for(&package).unwrap();
        let read = |file: &str| std::fs::read_to_string(stand_in.join(file)).unwrap();
        assert_eq!(read("tests/x"), "crates/a/tests/x");
        assert_eq!(read("../../data"), "data");
        std::fs::write(stand_in.join("new"), "").unwrap();
        drop(directory);
        assert!(!package.join("new").exists() && package.join("tests/x").exists());
    }
}
