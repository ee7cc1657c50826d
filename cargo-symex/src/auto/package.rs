//! The package in which drafted harnesses are compiled and run, so that the crate stays as it is.

use super::draft::{Draft, Form, Refusal};
use crate::build::{self, BuildError, BuildOptions, CompileError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;

/// Name of the file of harnesses, without its ending.
pub const TARGET: &str = "symex_auto";

/// Most times that the harnesses are compiled until all that are left compile.
const ROUNDS: usize = 12;

/// The crate whose functions have harnesses.
pub struct Subject<'a> {
    pub package: &'a str,
    /// The name by which code refers to the library.
    pub library: &'a str,
    /// Directory of the package.
    pub directory: &'a Path,
    pub features: &'a [String],
    pub default_features: bool,
    /// The lock file of its workspace.
    pub lock: &'a Path,
}

/// A package with harnesses.
pub struct Package {
    directory: PathBuf,
    /// What stands before the harnesses.
    head: String,
}

/// A harness that compiles.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub draft: Draft,
    pub form: Form,
    pub lines: Lines,
}

/// Where a harness stands in its file, in lines from 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines {
    pub first: usize,
    /// The call, which comes after what makes the inputs.
    pub call: usize,
    pub last: usize,
}

/// Returns where the functions of a source stand.
pub fn lines(source: &str) -> BTreeMap<String, Lines> {
    let items = syn::parse_file(source).map(|file| file.items);
    let lines = |item: &syn::Item| {
        let syn::Item::Fn(function) = item else {
            return None;
        };
        let call = function.block.stmts.last().map(|call| call.span());
        let (whole, name) = (function.span(), function.sig.ident.unraw().to_string());
        let lines = Lines {
            first: whole.start().line,
            call: call.map_or(0, |call| call.start().line),
            last: whole.end().line,
        };
        Some((name, lines))
    };
    items.unwrap_or_default().iter().filter_map(lines).collect()
}

/// What was written into a crate.
pub struct WrittenHarnesses {
    pub file: PathBuf,
    /// Number of harnesses that are new.
    pub added: usize,
}

/// Writes harnesses into a crate, each that is not there already by its name, and finds where they
/// stand. `needs_extern`: whether its edition asks for declarations of other crates.
pub fn write(
    directory: &Path,
    library: &str,
    needs_extern: bool,
    chosen: &mut [Chosen],
) -> Result<WrittenHarnesses, BuildError> {
    let file = directory.join(format!("tests/{TARGET}.rs"));
    let declared = match needs_extern {
        true => format!("\nextern crate {library};\nextern crate symex;\n"),
        false => String::new(),
    };
    let fresh = || format!("{}{declared}", head(library));
    let mut text = std::fs::read_to_string(&file).unwrap_or_else(|_| fresh());
    let there = lines(&text);
    let mut added = 0;
    for chosen in chosen.iter() {
        if !there.contains_key(&chosen.form.name) {
            text.push('\n');
            text.push_str(&chosen.form.source);
            added += 1;
        }
    }
    build::write_changed(&file, text.as_bytes())?;
    let there = lines(&text);
    for chosen in chosen {
        chosen.lines = there.get(&chosen.form.name).copied().unwrap_or_default();
    }
    Ok(WrittenHarnesses { file, added })
}

/// Returns what stands before the harnesses.
fn head(library: &str) -> String {
    format!("//! Harnesses for the functions of `{library}`, drafted by `cargo symex auto`.\n")
}

impl Package {
    /// Writes the package, without harnesses yet.
    pub fn create(
        directory: &Path,
        subject: &Subject<'_>,
        runtime: &Path,
    ) -> Result<Self, BuildError> {
        let quoted = |path: &Path| format!("{:?}", path.display().to_string());
        let features: Vec<String> = subject
            .features
            .iter()
            .map(|feature| format!("{feature:?}"))
            .collect();
        let manifest = format!(
            "# Made by `cargo symex auto`, and made anew each time.\n[package]\nname = \"{TARGET}\"\nversion = \"0.0.0\"\nedition = \
             \"2024\"\npublish = false\n\n[workspace]\n\n[dependencies]\n{:?} = {{ path = {}, default-features = {}, features = [{}] \
             }}\n{} = {{ path = {} }}\n",
            subject.package,
            quoted(subject.directory),
            subject.default_features,
            features.join(", "),
            build::RUNTIME,
            quoted(runtime),
        );
        let write = |path: PathBuf, text: &str| build::write_changed(&path, text.as_bytes());
        write(directory.join("Cargo.toml"), &manifest)?;
        write(
            directory.join("src/lib.rs"),
            "//! Harnesses are in `tests`.\n",
        )?;
        // The crate's own choice of versions; what is missing there is added.
        let (lock, taken) = (directory.join("Cargo.lock"), directory.join("taken.lock"));
        if let Ok(text) = std::fs::read(subject.lock)
            && !std::fs::read(&taken).is_ok_and(|taken| taken == text)
        {
            build::write_changed(&lock, &text)?;
            build::write_changed(&taken, &text)?;
        }
        Ok(Package {
            directory: directory.to_owned(),
            head: head(subject.library),
        })
    }

    /// Returns the manifest.
    pub fn manifest(&self) -> PathBuf {
        self.directory.join("Cargo.toml")
    }

    fn source(&self) -> PathBuf {
        self.directory.join(format!("tests/{TARGET}.rs"))
    }

    /// Finds the harnesses that compile: of each draft the first form that does. Returns them, and
    /// the others with what the compiler says.
    pub fn settle(
        &self,
        drafts: Vec<Draft>,
        options: &BuildOptions,
        target_dir: &Path,
    ) -> Result<(Vec<Chosen>, Vec<Refusal>), BuildError> {
        let mut refusals = Vec::new();
        // Each with the number of the form that is tried.
        let mut open: Vec<(Draft, usize)> = drafts.into_iter().map(|draft| (draft, 0)).collect();
        for _ in 0..ROUNDS {
            let chosen = self.write(&open)?;
            if chosen.is_empty() {
                return Ok((chosen, refusals));
            }
            let errors = build::check_tests(options, &self.manifest(), &self.source(), target_dir)?;
            if errors.is_empty() {
                return Ok((chosen, refusals));
            }
            let mut left = Vec::new();
            let mut is_changed = false;
            for ((draft, number), chosen) in open.into_iter().zip(&chosen) {
                let Some(message) = about(&errors, chosen) else {
                    left.push((draft, number));
                    continue;
                };
                is_changed = true;
                if number + 1 < draft.forms.len() {
                    left.push((draft, number + 1));
                } else {
                    refusals.push(Refusal {
                        function: draft.function,
                        reason: format!("its draft does not compile: {message}"),
                    });
                }
            }
            open = left;
            if !is_changed {
                break;
            }
        }
        Err(BuildError::Compile(build::Diagnosis::default()))
    }

    /// Writes the harnesses, and returns them with their places.
    fn write(&self, drafts: &[(Draft, usize)]) -> Result<Vec<Chosen>, BuildError> {
        let mut text = self.head.clone();
        let mut chosen = Vec::new();
        for (draft, number) in drafts {
            let form = draft.forms[*number].clone();
            text.push('\n');
            text.push_str(&form.source);
            chosen.push(Chosen {
                draft: draft.clone(),
                lines: Lines::default(),
                form,
            });
        }
        let lines = lines(&text);
        for chosen in &mut chosen {
            chosen.lines = lines.get(&chosen.form.name).copied().unwrap_or_default();
        }
        build::write_changed(&self.source(), text.as_bytes())?;
        Ok(chosen)
    }
}

/// Returns what the compiler says about a harness: first what is mainly about it.
fn about(errors: &[CompileError], chosen: &Chosen) -> Option<String> {
    let Lines { first, last, .. } = chosen.lines;
    for mainly in [true, false] {
        let mut errors = errors.iter();
        let found = errors.find(|error| {
            let has_main = error.places.iter().any(|place| place.is_main);
            error.places.iter().any(|place| {
                (first..=last).contains(&place.start.0) && (place.is_main || !mainly && !has_main)
            })
        });
        if let Some(error) = found {
            return Some(error.message.clone());
        }
    }
    None
}
