//! The folders that are watched: those of the workspace and of what it depends on by path, but for
//! those in which tools write.

use super::Wake;
use crate::cli::project::Project;
use crate::pipeline::error::CommandError;
use notify::event::ModifyKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;

/// Names of folders in which this and other tools write what they have found.
const WRITTEN: [&str; 4] = [
    "symex-regressions",
    "proptest-regressions",
    "artifacts",
    "corpus",
];

/// The file by which tools mark a folder as made by them, such as cargo's `target`.
const TAG: &str = "CACHEDIR.TAG";

/// Folders that are watched one by one, since those that are left out may be large.
pub struct Folders {
    watcher: RecommendedWatcher,
    /// Folders that are left out by their paths.
    built: [PathBuf; 2],
}

impl Folders {
    /// Watches the folders of a project; changes are told to `sender`.
    pub fn of(project: &Project, sender: Sender<Wake>) -> Result<Self, CommandError> {
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let files = match event {
                Ok(event) if is_change(&event.kind) => event.paths,
                Ok(_) | Err(_) => return,
            };
            // Without a receiver the command has ended.
            let _ = sender.send(Wake::Changed(files));
        });
        let mut folders = Folders {
            watcher: watcher.map_err(|error| failed(&error))?,
            built: project.built().map(Path::to_owned),
        };
        for root in project.roots() {
            folders.watch(&root)?;
        }
        Ok(folders)
    }

    /// Watches a folder and those in it.
    fn watch(&mut self, folder: &Path) -> Result<(), CommandError> {
        let watched = self.watcher.watch(folder, RecursiveMode::NonRecursive);
        watched.map_err(|error| failed(&error))?;
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Ok(());
        };
        for entry in entries.flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !self.is_left_out(&entry.path()) {
                self.watch(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Returns those of some files on which a run may depend; `is_running` says whether one is at
    /// work. Folders among them are watched from now on.
    pub fn relevant(
        &mut self,
        files: Vec<PathBuf>,
        is_running: bool,
    ) -> Result<Vec<PathBuf>, CommandError> {
        let mut relevant = Vec::new();
        for file in files {
            // A run writes the lock file itself.
            let is_written = is_running && name(&file) == "Cargo.lock";
            if file.is_dir() {
                if !self.is_left_out(&file) {
                    self.watch(&file)?;
                    relevant.push(file);
                }
            } else if !(is_written || is_temporary(&file) || is_left_out(&file)) {
                relevant.push(file);
            }
        }
        Ok(relevant)
    }

    fn is_left_out(&self, folder: &Path) -> bool {
        self.built.iter().any(|built| built == folder) || is_left_out(folder)
    }
}

fn failed(error: &notify::Error) -> CommandError {
    CommandError::usage(format!("failed to watch for changes: {error}"))
}

/// Reports whether an event says that something else may be in a file, or that there is another.
fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Create(_) | EventKind::Remove(_) => true,
        EventKind::Modify(what) => !matches!(what, ModifyKind::Metadata(_)),
        EventKind::Any | EventKind::Access(_) | EventKind::Other => false,
    }
}

fn name(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str());
    name.unwrap_or_default()
}

/// Reports whether a folder has nothing on which a run depends, by its name or by what is in it.
fn is_left_out(folder: &Path) -> bool {
    let name = name(folder);
    let is_hidden = name.starts_with('.') && name != ".cargo";
    is_hidden || WRITTEN.contains(&name) || folder.join(TAG).exists()
}

/// Reports whether a file is one that an editor keeps beside another.
fn is_temporary(file: &Path) -> bool {
    let name = name(file);
    let ends = ["~", ".swp", ".swx", ".tmp", ".bak"];
    name.starts_with(['.', '#']) || name == "4913" || ends.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_editors_and_tools_write_is_left_out() {
        for (file, expected) in [
            ("src/lib.rs", false),
            ("Cargo.toml", false),
            ("data/table.bin", false),
            ("src/.lib.rs.swp", true),
            ("src/lib.rs~", true),
            ("src/4913", true),
            ("src/#lib.rs#", true),
        ] {
            assert_eq!(is_temporary(Path::new(file)), expected, "{file}");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let made = folder.path().join("target");
        std::fs::create_dir(&made).expect("it is made");
        assert!(!is_left_out(&made));
        std::fs::write(made.join(TAG), "").expect("it is written");
        assert!(is_left_out(&made));
        assert!(is_left_out(Path::new("/x/.git")) && !is_left_out(Path::new("/x/.cargo")));
        assert!(is_left_out(Path::new("/x/symex-regressions")));
    }
}
