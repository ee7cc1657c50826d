//! Packages of a workspace, as cargo chooses them.

use super::run::here;
use cargo_metadata::{Metadata, Package};
use std::path::{Path, PathBuf};

/// Returns the package whose directory is around a manifest, or around the current directory: the
/// innermost.
pub fn around<'a>(metadata: &'a Metadata, manifest: Option<&Path>) -> Option<&'a Package> {
    let manifest = match manifest {
        Some(path) => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
        None => here().join("Cargo.toml"),
    };
    let directory = |package: &Package| -> Option<PathBuf> {
        let directory = package.manifest_path.parent();
        directory.map(|directory| directory.as_std_path().to_owned())
    };
    let depth = |package: &&Package| {
        let directory = directory(package)?;
        manifest
            .starts_with(&directory)
            .then(|| directory.components().count())
    };
    let packages = metadata.packages.iter();
    packages
        .filter(|package| depth(package).is_some())
        .max_by_key(depth)
}
