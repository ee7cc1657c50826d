//! Settings of a project: the tables `[package.metadata.symex]` and `[workspace.metadata.symex]` of
//! manifests. Their keys are the names of the exploration options on the command line.

use super::args::{CargoArgs, EngineArgs};
use super::options::options;
use super::units::{self, Limit};
use crate::build;
use crate::ignored::{self, IgnoreList};
use crate::pipeline::coverage::Sources;
use crate::pipeline::error::CommandError;
use crate::report::recorded::{PackageVersion, RunFacts, repository_of};
use crate::report::runs::Runs;
use cargo_metadata::Metadata;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use symex_types::config::PartSize;

/// The settings of a table.
#[derive(Clone, Debug)]
pub struct SettingsTable {
    pub settings: EngineArgs,
    /// Description of the table's place, for messages.
    pub place: String,
}

/// A workspace: the settings of it and of its packages, and what reports say of it.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// What is known of a run before it.
    pub facts: RunFacts,
    /// The directory in which this tool builds.
    pub target_dir: PathBuf,
    workspace: Option<SettingsTable>,
    /// Folders of the packages.
    folders: Vec<PathBuf>,
    /// Folders of packages on which those depend by path.
    beside: Vec<PathBuf>,
    /// Folder in which cargo itself builds.
    built: PathBuf,
    /// Settings of packages, by manifest.
    packages: BTreeMap<PathBuf, SettingsTable>,
}

impl Project {
    /// Reads the manifests of the workspace.
    pub fn read(args: &CargoArgs) -> Result<Self, CommandError> {
        let options = options(args)?;
        let metadata = build::metadata(&options)?;
        let target_dir = build::target_dir_within(&options, || {
            Ok(metadata.target_directory.clone().into_std_path_buf())
        })?;
        let manifest = metadata.workspace_root.join("Cargo.toml");
        let name = "[workspace.metadata.symex]";
        let workspace = table(&metadata.workspace_metadata, name, manifest.as_std_path())?;
        let mut packages = BTreeMap::new();
        for package in &metadata.packages {
            let manifest = package.manifest_path.as_std_path();
            let name = "[package.metadata.symex]";
            if let Some(table) = table(&package.metadata, name, manifest)? {
                packages.insert(manifest.to_owned(), table);
            }
        }
        let manifests = metadata
            .packages
            .iter()
            .map(|package| &package.manifest_path);
        let folders = manifests.filter_map(|manifest| manifest.as_std_path().parent());
        Ok(Project {
            folders: folders.map(Path::to_owned).collect(),
            beside: beside(&metadata),
            built: metadata.target_directory.clone().into_std_path_buf(),
            facts: facts(&metadata),
            target_dir,
            workspace,
            packages,
        })
    }

    /// Returns the runs that are recorded of this workspace.
    pub fn runs(&self) -> Runs {
        Runs::of(&self.target_dir, &self.facts.workspace)
    }

    /// Returns the folders with what the harnesses are made of: the workspace, its packages and
    /// those on which they depend by path, without those that are in another of them.
    pub fn roots(&self) -> Vec<PathBuf> {
        let mut all = vec![self.facts.workspace.clone()];
        all.extend_from_slice(&self.folders);
        all.extend_from_slice(&self.beside);
        all.sort();
        // A folder stands after those that it is in.
        let mut roots: Vec<PathBuf> = Vec::new();
        for folder in all {
            if !roots.iter().any(|root| folder.starts_with(root)) {
                roots.push(folder);
            }
        }
        roots
    }

    /// Reads which findings do not count; with `none`, all do, and the files are not read.
    pub fn ignore_lists(&self, none: bool) -> Result<IgnoreLists, CommandError> {
        let mut lists = BTreeMap::new();
        for folder in &self.folders {
            let list = match none {
                true => IgnoreList {
                    file: folder.join(ignored::FILE),
                    ..IgnoreList::default()
                },
                false => IgnoreList::read(folder).map_err(CommandError::usage)?,
            };
            lists.insert(folder.join("Cargo.toml"), list);
        }
        Ok(IgnoreLists { lists })
    }

    /// Returns the folders in which cargo and this tool build.
    pub fn built(&self) -> [&Path; 2] {
        [&self.built, &self.target_dir]
    }

    /// Returns the source files of the packages.
    pub fn sources(&self) -> Sources {
        Sources::Packages {
            folders: self.folders.clone(),
            target_dir: self.target_dir.clone(),
        }
    }

    /// Returns the tables that apply to a package, in increasing precedence.
    pub fn tables<'a>(
        &'a self,
        manifest: &Path,
    ) -> impl Iterator<Item = &'a SettingsTable> + use<'a> {
        let package = self.packages.get(manifest);
        self.workspace.iter().chain(package)
    }
}

/// The findings that do not count, by the manifests of the packages of a workspace.
#[derive(Clone, Debug, Default)]
pub struct IgnoreLists {
    lists: BTreeMap<PathBuf, IgnoreList>,
}

impl IgnoreLists {
    /// Returns those of the package with this manifest.
    pub fn of(&self, manifest: &Path) -> IgnoreList {
        self.lists.get(manifest).cloned().unwrap_or_default()
    }
}

/// Returns the folders of packages on which those of a workspace depend by path.
fn beside(metadata: &Metadata) -> Vec<PathBuf> {
    let dependencies = metadata.packages.iter().flat_map(|one| &one.dependencies);
    let paths = dependencies.filter_map(|dependency| dependency.path.as_ref());
    let mut folders: Vec<PathBuf> = paths.map(|path| path.as_std_path().to_owned()).collect();
    folders.sort();
    folders.dedup();
    folders
}

/// Returns what is known of a run in a workspace before it.
fn facts(metadata: &Metadata) -> RunFacts {
    let packages = metadata.packages.iter().map(|package| PackageVersion {
        name: package.name.to_string(),
        version: package.version.to_string(),
    });
    let mut packages: Vec<PackageVersion> = packages.collect();
    packages.sort();
    let workspace = metadata.workspace_root.clone().into_std_path_buf();
    RunFacts {
        packages,
        repository: repository_of(&workspace),
        workspace,
        ..RunFacts::default()
    }
}

/// Returns the settings in the metadata of a manifest, if there are any.
fn table(
    metadata: &Value,
    name: &str,
    manifest: &Path,
) -> Result<Option<SettingsTable>, CommandError> {
    let Some(value) = metadata.get("symex") else {
        return Ok(None);
    };
    let place = format!("{name} of {}", manifest.display());
    let settings = serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let reason = error.into_inner().to_string();
        let key = match path.as_str() {
            "." => String::new(),
            // An unknown key is named by the reason itself.
            path if reason.contains(&format!("`{path}`")) => String::new(),
            path => format!("`{path}` is wrong: "),
        };
        CommandError::usage(format!("failed to read {place}: {key}{reason}"))
    })?;
    Ok(Some(SettingsTable { settings, place }))
}

/// A TOML value: a number, or a text as on the command line.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number or a text")]
enum Typed {
    Text(String),
    Number(serde_json::Number),
}

fn typed<'de, D: Deserializer<'de>, T>(
    from: D,
    parse: fn(&str) -> Result<T, String>,
) -> Result<Option<T>, D::Error> {
    let text = match Typed::deserialize(from)? {
        Typed::Text(text) => text,
        Typed::Number(number) => number.to_string(),
    };
    parse(&text).map(Some).map_err(Error::custom)
}

/// Deserialises a duration limit such as `timeout`.
pub fn duration_limit<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Limit<Duration>>, D::Error> {
    typed(from, units::duration_limit)
}

/// Deserialises a duration such as `query-timeout`.
pub fn duration<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    typed(from, units::duration)
}

/// Deserialises a size limit such as `max-memory`.
pub fn size_limit<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Limit<u64>>, D::Error> {
    typed(from, units::size_limit)
}

/// Deserialises a size such as `max-symbolic-size`.
pub fn size<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    typed(from, units::size)
}

/// Deserialises a number limit such as `max-paths`.
pub fn number_limit<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Limit<u64>>, D::Error> {
    typed(from, units::number_limit)
}

/// Deserialises a number such as `seed`.
pub fn number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    typed(from, units::number)
}

/// Deserialises the value of `split-objects`.
pub fn part_size<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Limit<PartSize>>, D::Error> {
    typed(from, units::part_size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(settings: Value) -> Result<EngineArgs, String> {
        let metadata = json!({"symex": settings, "other": 3});
        let manifest = Path::new("/p/Cargo.toml");
        let table = table(&metadata, "[package.metadata.symex]", manifest);
        let table = table.map_err(|error| error.message)?;
        Ok(table.expect("there is one").settings)
    }

    #[test]
    fn values_are_numbers_or_as_on_the_command_line() {
        let settings = read(json!({
            "timeout": "1m", "max-paths": 7, "max-steps": "none", "max-memory": "1GiB", "leaks": true, "query-timeout": 0.5,
            "search": "dfs", "split-objects": "auto", "max-depth": 9, "seed": 3, "segment-threshold": "2KiB",
        }));
        let settings = settings.unwrap();
        assert_eq!(settings.timeout, Some(Limit::At(Duration::from_secs(60))));
        assert_eq!(settings.max_paths, Some(Limit::At(7)));
        assert_eq!(settings.max_steps, Some(Limit::Off));
        assert_eq!(settings.max_memory, Some(Limit::At(1 << 30)));
        assert_eq!(settings.query_timeout, Some(Duration::from_millis(500)));
        assert_eq!((settings.leaks, settings.zeroed), (Some(true), None));
        assert_eq!(settings.split_objects, Some(Limit::At(PartSize::Auto)));
        assert_eq!((settings.max_depth, settings.seed), (Some(9), Some(3)));
        assert_eq!(settings.segment_threshold, Some(2048));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_file() {
        for (settings, told) in [
            (json!({"timeot": "1m"}), "unknown field `timeot`"),
            (json!({"query-log": "logs"}), "unknown field `query-log`"),
            (json!({"timeout": "soon"}), "`timeout` is wrong: "),
            (
                json!({"timeout": []}),
                "`timeout` is wrong: expected a number or a text",
            ),
            (
                json!({"leaks": "yes"}),
                "`leaks` is wrong: invalid type: string \"yes\"",
            ),
            (json!({"max-depth": -1}), "`max-depth` is wrong: "),
            (
                json!(3),
                "invalid type: integer `3`, expected a table of settings",
            ),
        ] {
            let error = read(settings.clone()).unwrap_err();
            let start = "failed to read [package.metadata.symex] of /p/Cargo.toml: ";
            assert!(
                error
                    .strip_prefix(start)
                    .is_some_and(|rest| rest.starts_with(told)),
                "{settings}: {error}"
            );
        }
    }
}
