//! What to do about a crate that is not ready for harnesses, or not any more: the lines that its manifest needs, the recorded
//! tests that do not compile.

use super::args::CargoArgs;
use super::discover;
use crate::build::{self, Diagnosis};
use cargo_metadata::{Metadata, Package};
use std::path::Path;

/// Most files that are named.
const NAMED: usize = 5;

/// Advice about a crate that does not compile.
pub fn of(diagnosis: &Diagnosis) -> Option<String> {
    let mut advice = Vec::new();
    if let Some(manifest) = diagnosis.without_runtime.first() {
        advice.push(lines_for(manifest));
    }
    if !diagnosis.recorded.is_empty() {
        let here = std::env::current_dir().unwrap_or_default();
        let shown = |path: &Path| {
            let relative = path.strip_prefix(&here).unwrap_or(path);
            relative.display().to_string()
        };
        let count = diagnosis.recorded.len();
        let mut files: Vec<String> = diagnosis.recorded.iter().map(|path| shown(path)).collect();
        files.truncate(NAMED);
        if count > NAMED {
            files.push(format!("{} more", count - NAMED));
        }
        advice.push(format!(
            "tests that were recorded earlier do not compile, as when the arguments of their harness have changed: edit or \
             delete them in {}",
            files.join(", ")
        ));
    }
    (!advice.is_empty()).then(|| advice.join("\n\n"))
}

/// Advice about packages without a harness, if none of them depends on the runtime.
pub fn without_harness(args: &CargoArgs) -> Option<String> {
    let metadata = build::metadata(&discover::options(args).ok()?).ok()?;
    if metadata.packages.iter().any(build::has_runtime) {
        return None;
    }
    let package = nearest(&metadata, args)?;
    Some(lines_for(package.manifest_path.as_std_path()))
}

/// The package that is meant: one that is named, else that of the directory, else the first.
fn nearest<'a>(metadata: &'a Metadata, args: &CargoArgs) -> Option<&'a Package> {
    let here = std::env::current_dir().unwrap_or_default();
    let is_named = |package: &&Package| args.package.iter().any(|name| *name == *package.name);
    let depth = |package: &&Package| {
        let directory = package.manifest_path.parent()?.as_std_path();
        here.starts_with(directory)
            .then(|| directory.components().count())
    };
    let packages = || metadata.packages.iter();
    let around = packages()
        .filter(|package| depth(package).is_some())
        .max_by_key(depth);
    packages()
        .find(is_named)
        .or(around)
        .or_else(|| packages().next())
}

/// What a manifest needs for harnesses.
fn lines_for(manifest: &Path) -> String {
    // Beside the source that this tool was built from, if that is still there.
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("symex-runtime");
    let dependency = if beside.join("Cargo.toml").is_file() {
        format!("{{ path = {:?} }}", beside.display().to_string())
    } else {
        format!("{:?}", env!("CARGO_PKG_VERSION"))
    };
    format!(
        "harnesses need a dependency; add to {}:\n\n    [dev-dependencies]\n    symex-runtime = {dependency}\n",
        manifest.display()
    )
}
