//! Tells which findings of generalized tests are about the code under test: a test's own code may
//! panic on other values than its constants, and what it asserts need not hold for them.

use std::path::Path;

use super::modules::text_of;
use super::test_crate::{Test, TestCrate};
use crate::harness::find_source;
use crate::judgement::{Judgement, is_an_end, is_of_memory, promises_panics};
use symex_types::outcome::frame_owner::{FrameOwner, file_owner, frame_owner};
use symex_types::outcome::{Finding, FindingKind, SourceLoc};
use syn::spanned::Spanned as _;

/// Judges a finding of a test, in a package in this directory.
pub fn judge(finding: &Finding, krate: &TestCrate, test: &Test, package: &Path) -> Judgement {
    if !is_an_end(finding) {
        return Judgement::Undefined;
    }
    let users = finding.trace.iter();
    let users = users.filter(|frame| frame_owner(frame) == FrameOwner::User);
    let mut places: Vec<&SourceLoc> = users.filter_map(|frame| frame.at.as_ref()).collect();
    if places.is_empty() {
        let at = finding.at.iter();
        places.extend(at.filter(|at| file_owner(&at.file) == FrameOwner::User));
    }
    // Innermost first: what is called from the test's code, up to there.
    let of_library: Vec<&SourceLoc> = places
        .into_iter()
        .take_while(|at| !is_of_test(at, krate))
        .collect();
    let Some(outermost) = of_library.last() else {
        return Judgement::OfTest;
    };
    if is_of_memory(finding) {
        return Judgement::Memory;
    }
    if finding.kind != FindingKind::Panic {
        return Judgement::Panic;
    }
    if test.should_panic {
        return Judgement::Expected;
    }
    let docs = documentation(outermost, package).unwrap_or_default();
    match promises_panics(&docs) {
        true => Judgement::Promised,
        false => Judgement::Panic,
    }
}

/// Reports whether a place is in code that is compiled for tests only.
fn is_of_test(at: &SourceLoc, krate: &TestCrate) -> bool {
    let mut files = krate.files.iter();
    let file = files.find(|file| file.is_called(&at.file));
    let line = at.line as usize;
    file.is_some_and(|file| {
        let mut ranges = file.of_tests.iter();
        ranges.any(|(first, last)| (*first..=*last).contains(&line))
    })
}

/// Returns the documentation of the function that has a place in its body.
fn documentation(at: &SourceLoc, package: &Path) -> Option<String> {
    let text = std::fs::read_to_string(find_source(&at.file, package)?).ok()?;
    let file = syn::parse_file(&text).ok()?;
    let mut finder = Finder {
        line: at.line as usize,
        found: None,
    };
    syn::visit::Visit::visit_file(&mut finder, &file);
    finder.found
}

/// Finds the innermost function around a line.
struct Finder {
    line: usize,
    found: Option<String>,
}

impl Finder {
    fn function(&mut self, attributes: &[syn::Attribute], whole: proc_macro2::Span) {
        if (whole.start().line..=whole.end().line).contains(&self.line) {
            let lines = attributes.iter().filter_map(|one| text_of(one, "doc"));
            self.found = Some(lines.collect::<Vec<_>>().join("\n"));
        }
    }
}

impl<'a> syn::visit::Visit<'a> for Finder {
    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.function(&item.attrs, item.span());
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.function(&item.attrs, item.span());
        syn::visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        self.function(&item.attrs, item.span());
        syn::visit::visit_trait_item_fn(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confirm::bare_finding;
    use symex_types::outcome::TraceFrame;

    const SOURCE: &str = "\
/// Divides.
///
/// # Panics
/// If `b` is 0.
pub fn divide(a: u8, b: u8) -> u8 {
    a / b
}
pub fn half(a: u8) -> u8 {
    divide(2, a)
}
#[cfg(test)]
mod tests {
    #[test]
    fn divides() {
        assert_eq!(super::divide(4, 2), 2);
    }
}
";

    fn judged(lines: &[u32]) -> Judgement {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("src/lib.rs");
        std::fs::create_dir(directory.path().join("src")).unwrap();
        std::fs::write(&root, SOURCE).unwrap();
        let krate = TestCrate::read(&root, false);
        let trace = lines.iter().map(|line| TraceFrame {
            function: "k::f".to_owned(),
            at: Some(SourceLoc::new("src/lib.rs", *line, 1)),
        });
        let finding = Finding {
            message: "attempt to divide by zero".to_owned(),
            trace: trace.collect(),
            ..bare_finding(FindingKind::Panic)
        };
        judge(&finding, &krate, &krate.tests[0], directory.path())
    }

    #[test]
    fn only_panics_of_the_library_count() {
        assert_eq!(judged(&[15]), Judgement::OfTest);
        assert_eq!(judged(&[6, 15]), Judgement::Promised);
        assert_eq!(judged(&[6, 9, 15]), Judgement::Panic);
    }
}
