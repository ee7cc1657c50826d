//! Tests of real bugs of published crates, if there is a collection of samples, in the folder that
//! `SYMEX_SAMPLES` names: each bug is found in the version that has it, and nothing is reported in
//! the fixed version. The samples are plain functions; they are wrapped here, not edited.

use crate::support::{Crate, Run, TMPDIR, dependency, finish_within, limited};
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};

const TEST: &str = "samples::bugs_are_found_where_they_are_and_only_there";

/// Returns a test for each sample, or one that says why there is none.
pub fn trials() -> Vec<Trial> {
    let Some(collection) = std::env::var_os("SYMEX_SAMPLES") else {
        let reason = "SYMEX_SAMPLES names no collection of samples".to_owned();
        return vec![crate::trial(TEST.to_owned(), || Err(reason), |()| ())];
    };
    let samples = folders(&Path::new(&collection).join("bugs"));
    assert!(!samples.is_empty(), "SYMEX_SAMPLES: no samples");
    let trial = |sample: PathBuf| {
        let name = format!("{TEST}::{}", name(&sample));
        crate::trial(name, || Ok(sample), |sample| check(&sample))
    };
    samples.into_iter().map(trial).collect()
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(root)
        .expect("the samples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("src/lib.rs").is_file())
        .collect();
    found.sort();
    found
}

fn name(sample: &Path) -> String {
    let name = sample.file_name().expect("a name");
    name.to_string_lossy().into_owned()
}

/// Copies a sample and puts the attribute on its function.
fn wrap(sample: &Path, fixed: bool) -> Crate {
    let name = name(sample);
    let to =
        Path::new(TMPDIR)
            .join("samples")
            .join(if fixed { format!("{name}-fixed") } else { name });
    let _ = std::fs::remove_dir_all(&to);
    std::fs::create_dir_all(to.join("src")).expect("created");
    let mut manifest = std::fs::read_to_string(sample.join("Cargo.toml")).expect("the manifest");
    if fixed {
        let text = std::fs::read_to_string(sample.join("fixed.txt")).expect("the fixed version");
        let (package, version) = text.trim().split_once(' ').expect("package and version");
        let line = manifest
            .lines()
            .find(|l| l.starts_with(&format!("{package} =")))
            .expect("the dependency")
            .to_string();
        let old = line
            .split('"')
            .find(|p| p.starts_with('='))
            .expect("a pinned version");
        manifest = manifest.replace(&line, &line.replace(old, &format!("={version}")));
    }
    let manifest = manifest.replace(
        "[dependencies]",
        &format!("[dependencies]\n{}", dependency()),
    );
    std::fs::write(to.join("Cargo.toml"), manifest).expect("written");
    let lock = sample.join(if fixed {
        "Cargo.lock.fixed"
    } else {
        "Cargo.lock"
    });
    std::fs::copy(lock, to.join("Cargo.lock")).expect("copied");
    let source = std::fs::read_to_string(sample.join("src/lib.rs")).expect("the source");
    assert_eq!(source.matches("pub fn harness(").count(), 1);
    std::fs::write(
        to.join("src/lib.rs"),
        source.replace("pub fn harness(", "#[symex::harness]\npub fn harness("),
    )
    .expect("written");
    Crate::existing(to)
}

/// Runs the tool on a sample.
fn run(tree: &Crate, timeout: &str) -> Run {
    let mut command = tree.symex_command(&["--message-format", "json", "--timeout", timeout]);
    command.env("CARGO_TARGET_DIR", Path::new(TMPDIR).join("samples-target"));
    // The tool's own limit does not include the build.
    finish_within(limited::LONG, command)
}

fn check(sample: &Path) {
    let found = run(&wrap(sample, false), "60s");
    let finished = found.only();
    assert_eq!(finished["verdict"], "bug", "{finished}");
    let lines = found.json();
    for finding in lines.iter().filter(|line| line["type"] == "finding") {
        // Findings that must show natively must be confirmed.
        assert_eq!(finding["stands"], true, "{finding}");
    }
    let finished = run(&wrap(sample, true), "30s").only();
    assert_ne!(
        finished["verdict"], "bug",
        "in the fixed version: {finished}"
    );
}
