//! List of the functions in the C library in bitcode, which `cargo symex setup --libc` builds.
//!
//! Models take precedence: no function of the list has one, and calls of the library's code go to
//! models where there are any. The library itself is not here; `build` makes and keeps it. Its own
//! C code calls the engine by two hooks, which have their models here.

use super::table::{Row, row};
use super::{outside_world, peek};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::Res;
use crate::state::State;
use symex_types::outcome::Unsupported;

pub const ROWS: &[Row] = &[
    row("__symex_libc_gap", unsupported),
    row("__symex_libc_assume", assume),
];

/// The list as text.
pub const LIST: &str = include_str!("functions.txt");

/// A source file of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LibrarySource {
    /// Path below `src/` of musl, or in `own/`.
    pub file: &'static str,
    /// Symbols with which programs may be linked, as text.
    offers: &'static str,
}

impl LibrarySource {
    /// Returns the functions and variables with which programs may be linked.
    pub fn offers(self) -> impl Iterator<Item = &'static str> {
        self.offers
            .split_whitespace()
            .filter(|name| !name.contains('>'))
    }

    /// Returns names in the file with their replacements.
    pub fn renamed(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.offers
            .split_whitespace()
            .filter_map(|name| name.split_once('>'))
    }
}

/// Returns all source files.
pub fn sources() -> impl Iterator<Item = LibrarySource> {
    let lines = LIST.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let (file, offers) = line.split_once(' ').unwrap_or((line, ""));
        LibrarySource { file, offers }
    })
}

/// Reports whether the library may have this function.
pub fn offers(name: &str) -> bool {
    sources().any(|source| source.offers().any(|offered| offered == name))
}

/// `__symex_libc_gap(what)`: ends the path, because the library does not support more.
fn unsupported(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    Err(Unsupported::Model(words(m, st, c)).into())
}

/// `__symex_libc_assume(what)`: records an assumption.
fn assume(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let what = words(m, st, c);
    outside_world::take(m, st, &what);
    Flow::void()
}

/// Returns the text argument, a constant of the library's.
fn words(m: &mut Executor, st: &mut State, c: &Call) -> String {
    let text = peek::c_text(m, st, c.arg(0));
    text.unwrap_or_else(|| "a function of the C library".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn what_is_offered_has_no_model_and_is_offered_once() {
        let mut seen = BTreeSet::new();
        for name in sources().flat_map(LibrarySource::offers) {
            assert!(seen.insert(name), "{name} twice");
            assert!(!super::super::table::has_model(name), "{name} has a model");
        }
        assert!(seen.len() > 100);
    }

    #[test]
    fn lines_are_read_as_they_are_meant() {
        let fnmatch = sources().find(|source| source.file == "regex/fnmatch.c");
        let fnmatch = fnmatch.expect("a file of musl");
        assert_eq!(fnmatch.offers().count(), 0);
        assert_eq!(
            fnmatch.renamed().collect::<Vec<_>>(),
            [("fnmatch", "musl_fnmatch")]
        );
        assert!(offers("fnmatch") && offers("qsort"));
        assert!(!offers("musl_fnmatch") && !offers("own/sort.c") && !offers("fork"));
    }
}
