//! The table of models. C functions and hooks are found by their exact symbol name, LLVM's
//! intrinsics by a prefix (the rest of the name is types), Rust functions by their demangled path
//! without generic arguments, methods of a trait by the trait's path whatever type has them.
//!
//! It is searched once per function and run, so the search is linear and no index is built.

use super::{fuzzers, libc, library, llvm, math, psm, runtime, rust, unwind};
use crate::exec::call::model::ModelFn;
use symex_program::Function;
use symex_program::rust_path::{TraitMethod, without_arguments};

/// A function name with its model.
pub struct Row {
    pub name: &'static str,
    pub model: ModelFn,
    /// Whether the model also replaces a function of that name that has a body.
    pub always: bool,
}

/// Makes a row for functions without a body: a program's own function of the same name is executed.
pub(super) const fn row(name: &'static str, model: ModelFn) -> Row {
    Row {
        name,
        model,
        always: false,
    }
}

/// Makes a row whose function is never executed itself.
pub(super) const fn always(name: &'static str, model: ModelFn) -> Row {
    Row {
        name,
        model,
        always: true,
    }
}

/// Returns the rows by exact symbol name.
fn by_symbol() -> impl Iterator<Item = &'static Row> {
    let rows = [
        runtime::ROWS,
        unwind::ROWS,
        math::ROWS,
        library::ROWS,
        fuzzers::ROWS,
        psm::ROWS,
        rust::retag::ROWS,
    ];
    rows.into_iter().chain(libc::rows()).flatten()
}

/// Finds the model of a function.
pub fn find(f: &Function) -> Option<ModelFn> {
    find_row(&f.name, &f.display)
        .filter(|r| r.always || f.body.is_none())
        .map(|r| r.model)
}

/// Reports whether a C function of this symbol name has a model.
pub fn has_model(name: &str) -> bool {
    by_symbol().any(|row| row.name == name)
}

/// Finds the model of a C function by its symbol name.
pub fn model(name: &str) -> Option<ModelFn> {
    by_symbol()
        .find(|row| row.name == name)
        .map(|row| row.model)
}

/// Returns the symbol names of all C functions that have models.
pub fn modelled() -> impl Iterator<Item = &'static str> {
    by_symbol().map(|row| row.name)
}

/// Finds the row of a function by its symbol name and its demangled name.
fn find_row(name: &str, display: &str) -> Option<&'static Row> {
    if name.starts_with("llvm.") {
        return llvm::PREFIXES.iter().find(|r| name.starts_with(r.name));
    }
    if name.starts_with("_R") || name.starts_with("_ZN") {
        let path = without_arguments(display);
        let method = TraitMethod::of(path);
        let rust = rust::rows()
            .into_iter()
            .flatten()
            .find(|r| r.name == path || method.is_some_and(|m| m.is(r.name)));
        let rust = rust.or_else(|| rust::by_form(display));
        // A name of C++'s may begin alike.
        return rust.or_else(|| by_symbol().find(|r| r.name == name));
    }
    by_symbol().find(|r| r.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_has_two_rows() {
        let mut seen = BTreeSet::new();
        for r in by_symbol() {
            assert!(seen.insert(r.name), "{} twice", r.name);
        }
        let mut seen = BTreeSet::new();
        for r in rust::rows().into_iter().flatten() {
            assert!(seen.insert(r.name), "{} twice", r.name);
        }
        for (i, r) in llvm::PREFIXES.iter().enumerate() {
            for earlier in &llvm::PREFIXES[..i] {
                assert!(
                    !r.name.starts_with(earlier.name),
                    "{} is hidden by {}",
                    r.name,
                    earlier.name
                );
            }
        }
    }

    #[test]
    fn every_hook_of_the_runtime_has_a_row() {
        for hook in symex_abi::HOOKS {
            assert!(find_row(hook, hook).is_some(), "no row for {hook}");
        }
    }

    #[test]
    fn rust_functions_go_by_path() {
        let mangled = "_RNvNtCsgEmfK2I1SDS_4core9panicking9panic_fmt";
        assert!(find_row(mangled, "core::panicking::panic_fmt").is_some());
        assert!(
            find_row(
                "_ZN3std9panicking11begin_panic17h0E",
                "std::panicking::begin_panic"
            )
            .is_some()
        );
        assert!(
            find_row(
                "_RINvNtC3std9panicking11begin_panicRe",
                "std::panicking::begin_panic::<&str>"
            )
            .is_some()
        );
        // A user's function of the same last name is none of ours.
        assert!(find_row("_RNv", "user::malloc").is_none());
        assert!(find_row("malloc", "malloc").is_some());
        assert!(find_row("llvm.powi.f64.i32", "llvm.powi.f64.i32").is_some());
    }
}
