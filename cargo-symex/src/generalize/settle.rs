//! Finds by the compiler which constants can be inputs.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::copy::{self, Change, Copied, Placed};
use super::test_crate::{Refusal, Test, TestCrate};
use crate::build::{BuildError, BuildOptions, CompileError, Diagnosis, ErrorPlace, Prepared};

/// Most times that the tests are compiled until all that are left compile.
const ROUNDS: usize = 24;

/// The executables whose tests are changed, in one workspace.
pub struct Workspace {
    /// Its root directory.
    pub root: PathBuf,
    /// The copy of its sources.
    pub copy: PathBuf,
    pub crates: Vec<Generalized>,
}

/// An executable whose tests are changed.
pub struct Generalized {
    pub krate: TestCrate,
    /// Whether its root file has to declare the runtime.
    pub declares_runtime: bool,
    pub changes: Vec<Change>,
}

impl Generalized {
    /// Returns the test of a change.
    pub fn test(&self, change: &Change) -> &Test {
        &self.krate.tests[change.test]
    }
}

impl Workspace {
    /// Writes the copy such that it compiles: what the compiler does not take as an input stays a
    /// constant. Returns the tests that have no input any more.
    pub fn settle(&mut self, options: &BuildOptions) -> Result<Vec<Refusal>, BuildError> {
        let mut refusals = Vec::new();
        let build = Prepared::of(options)?;
        for _ in 0..ROUNDS {
            let placed = self.write().map_err(|source| BuildError::File {
                action: "writing",
                path: self.copy.clone(),
                source,
            })?;
            let errors = build.test_errors()?;
            if errors.is_empty() {
                return Ok(refusals);
            }
            let mut has_changed = false;
            for error in &errors {
                has_changed |= self.yield_to(error, &placed, &mut refusals);
            }
            if !has_changed {
                for error in &errors {
                    eprint!("{}", error.rendered);
                }
                break;
            }
        }
        Err(BuildError::Compile(Diagnosis::default()))
    }

    /// Writes the copy, and returns where the constants are in each of its files.
    fn write(&self) -> io::Result<BTreeMap<(usize, usize), Vec<Placed>>> {
        let (mut files, mut all) = (BTreeMap::new(), BTreeMap::new());
        for (number, generalized) in self.crates.iter().enumerate() {
            let krate = &generalized.krate;
            for (file, of_file) in krate.files.iter().enumerate() {
                let (mut text, placed) = copy::changed(krate, file, &generalized.changes);
                if generalized.declares_runtime && of_file.path == krate.root {
                    copy::declare_runtime(&mut text);
                }
                all.insert((number, file), placed);
                // A file may be part of several crates; one of them changes it.
                let is_changed = text != of_file.text;
                if is_changed || !files.contains_key(&of_file.path) {
                    let path = of_file.path.clone();
                    files.insert(of_file.path.clone(), Copied { path, text });
                }
            }
        }
        let files: Vec<Copied> = files.into_values().collect();
        copy::write(&self.root, &self.copy, &files)?;
        Ok(all)
    }

    /// Gives up what an error is about: constants, or else a test. Reports whether there was any.
    fn yield_to(
        &mut self,
        error: &CompileError,
        placed: &BTreeMap<(usize, usize), Vec<Placed>>,
        refusals: &mut Vec<Refusal>,
    ) -> bool {
        let (main, others): (Vec<&ErrorPlace>, Vec<&ErrorPlace>) =
            error.places.iter().partition(|place| place.is_main);
        for places in [main.as_slice(), others.as_slice()] {
            if self.yield_constants(error, places, placed, refusals) {
                return true;
            }
        }
        [main.as_slice(), others.as_slice()]
            .iter()
            .any(|places| self.yield_tests(error, places, refusals))
    }

    fn yield_constants(
        &mut self,
        error: &CompileError,
        places: &[&ErrorPlace],
        placed: &BTreeMap<(usize, usize), Vec<Placed>>,
        refusals: &mut Vec<Refusal>,
    ) -> bool {
        let mut has_changed = false;
        for ((number, file), placed) in placed {
            let generalized = &mut self.crates[*number];
            let path = generalized.krate.files[*file].path.clone();
            let here = places
                .iter()
                .filter(|place| is_in(place, &self.root, &path));
            for place in here {
                let meets = |placed: &&Placed| placed.start < place.end && place.start < placed.end;
                for found in placed.iter().filter(meets) {
                    let mut changes = generalized.changes.iter_mut();
                    let Some(change) = changes.find(|change| change.test == found.test) else {
                        continue;
                    };
                    has_changed |= std::mem::replace(&mut change.inputs[found.constant], false);
                    let number = Some(found.constant + 1);
                    change.harnesses.retain(|one| *one != number);
                    if !change.inputs.contains(&true) && !change.harnesses.is_empty() {
                        change.harnesses.clear();
                        refusals.push(refusal(&generalized.krate.tests[found.test], error));
                    }
                }
            }
        }
        has_changed
    }

    fn yield_tests(
        &mut self,
        error: &CompileError,
        places: &[&ErrorPlace],
        refusals: &mut Vec<Refusal>,
    ) -> bool {
        let mut has_changed = false;
        for generalized in &mut self.crates {
            let krate = &generalized.krate;
            for change in &mut generalized.changes {
                let test = &krate.tests[change.test];
                let path = &krate.files[test.file].path;
                let (first, last) = test.lines;
                let is_about = places.iter().any(|place| {
                    (first..=last).contains(&place.start.0) && is_in(place, &self.root, path)
                });
                if is_about && !change.harnesses.is_empty() {
                    change.harnesses.clear();
                    refusals.push(refusal(test, error));
                    has_changed = true;
                }
            }
        }
        has_changed
    }
}

fn refusal(test: &Test, error: &CompileError) -> Refusal {
    Refusal {
        test: test.name.clone(),
        reason: format!("its constants cannot be inputs: {}", error.message),
    }
}

/// Reports whether a place is in a file. The compiler names it by its path, or by the one within
/// the workspace.
fn is_in(place: &ErrorPlace, root: &Path, file: &Path) -> bool {
    root.join(&place.file) == file
}
