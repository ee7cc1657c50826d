//! The library `kani`, which takes the place of Kani's own in a build of proofs.
//!
//! This tool carries its sources and writes them into the target directory, where cargo builds
//! them, with the flags that the program has. Every crate of the program is then told where the
//! library is, as by Kani itself, so that no manifest names it.

mod sources;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use cargo_metadata::Message;

use self::sources::{LIBRARY, LOCK, PACKAGES};
use super::cargo::{Cargo, cargo};
use super::error::BuildError;
use super::options::BuildOptions;
use super::tools;

/// Flags that Kani gives to rustc as well.
const FLAGS: [&str; 2] = ["--cfg=kani", "--check-cfg=cfg(kani)"];

/// Version of the packages in their manifests: a content has its own folder.
const VERSION: &str = "0.0.0";

/// Returns the flags for crates with proofs: the library is built on first use.
pub(super) fn flags(cargo: &Cargo<'_>) -> Result<Vec<OsString>, BuildError> {
    let folder = install(cargo.target_dir)?;
    let library = build(cargo, &folder)?;
    let mut flags: Vec<OsString> = FLAGS.map(OsString::from).to_vec();
    let with = |start: &str, path: &Path| {
        let mut flag = OsString::from(start);
        flag.push(path);
        flag
    };
    flags.push(with("--extern=kani=", &library));
    // What the library itself depends on, and its macros, which are built for the compiler.
    if let Some(beside) = library.parent() {
        flags.push(with("-Ldependency=", beside));
    }
    let of_compiler = built(&folder).join("debug/deps");
    flags.push(with("-Ldependency=", &of_compiler));
    Ok(flags)
}

/// Returns the names of the crates that may turn on what is unstable, for the variable
/// `RUSTC_BOOTSTRAP`: those of the workspace, since Kani's compiler lets them.
pub(super) fn crates_with_features(options: &BuildOptions) -> Result<String, BuildError> {
    let metadata = super::cargo::metadata(options)?;
    let targets = metadata
        .packages
        .iter()
        .flat_map(|package| &package.targets);
    let mut names: Vec<String> = targets
        .filter(|target| !target.is_custom_build())
        .map(|target| target.name.replace('-', "_"))
        .collect();
    names.sort();
    names.dedup();
    Ok(names.join(","))
}

/// Writes the sources into a folder of the target directory that is named by their content, unless
/// it is there, and returns it.
fn install(target_dir: &Path) -> Result<PathBuf, BuildError> {
    let files = files();
    let mut hasher = blake3::Hasher::new();
    for (path, text) in &files {
        for part in [path, text] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
    }
    let hash = hasher.finalize().to_hex();
    let all = target_dir.join("kani-library");
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

/// Returns all files of the library's workspace, by their paths in it.
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

/// Returns the target directory of the library.
fn built(folder: &Path) -> PathBuf {
    folder.join("target")
}

/// Builds the library, and returns its file.
fn build(of: &Cargo<'_>, folder: &Path) -> Result<PathBuf, BuildError> {
    let options = of.options;
    let mut command = cargo(options);
    command.args([
        "build",
        "--message-format=json-render-diagnostics",
        "--locked",
    ]);
    command.args(["--target", &of.toolchain.host, "-p", LIBRARY]);
    command
        .arg("--manifest-path")
        .arg(folder.join("Cargo.toml"));
    command.arg("--target-dir").arg(built(folder));
    for (chosen, flag) in [
        (options.offline || options.frozen, "--offline"),
        (options.quiet, "--quiet"),
    ] {
        command.args(chosen.then_some(flag));
    }
    if let Some(color) = &options.color {
        command.args(["--color", color]);
    }
    // Warnings about its sources are none of the user's business.
    of.set_flags(&mut command, &["--cap-lints=allow".into()]);
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = tools::output(&mut command)?;
    if !output.status.success() {
        return Err(BuildError::KaniLibrary {
            offline: options.offline || options.frozen,
        });
    }
    let mut library = None;
    for message in Message::parse_stream(output.stdout.as_slice()).flatten() {
        if let Message::CompilerArtifact(artifact) = message
            && artifact.target.name == "kani"
        {
            // The one with a hash in its name, by which crates that depend on it find it.
            let mut files = artifact.filenames.iter();
            let beside = files.find(|file| file.extension() == Some("rmeta"));
            library = beside.map(|file| file.with_extension("rlib").into_std_path_buf());
        }
    }
    library.ok_or_else(|| BuildError::ToolAnswer {
        tool: "cargo".to_owned(),
        reason: "it does not say where the library `kani` is".to_owned(),
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
        let entries = std::fs::read_dir(directory.path().join("kani-library"));
        assert_eq!(entries.expect("a folder").count(), 1);
    }
}
