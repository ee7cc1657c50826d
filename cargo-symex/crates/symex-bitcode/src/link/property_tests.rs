//! Tests of properties among the symbols of a crate: functions with `#[test]` that give a closure
//! of their own to the runner of proptest, or that come to calls of quickcheck or bolero.
//!
//! libtest calls a test by a closure that calls its function, so there is a shim that makes a
//! function of a closure named like it. The runner of proptest is generic over the closure that
//! checks a case, and has its path among its arguments. quickcheck is given functions, whose types
//! have no names, and bolero closures of other functions, too: what a test calls is looked up in
//! its code.

use std::collections::BTreeMap;

use inkwell::llvm_sys::core::{LLVMGetNumOperands, LLVMGetOperand, LLVMIsAFunction};
use inkwell::module::Module;
use rustc_hash::{FxHashMap, FxHashSet};
use symex_abi::names::TEST;

use super::resolve::demangled;
use super::{PropertyLibrary, PropertyTest};
use crate::passes::walk::{functions, instructions, name_of};

/// The runner of proptest, which all forms of its macros call.
const RUNNER: &str = "<proptest::test_runner::runner::TestRunner>::run::<";

/// Part of a mangled symbol of the runner. Only symbols with it are demangled, which takes long.
const OF_RUNNER: &str = "10TestRunner3run";

/// A function of a library that all of its tests come to.
struct Entry {
    library: PropertyLibrary,
    /// What its name starts with.
    start: &'static str,
    /// Part of its mangled symbol.
    part: &'static str,
    /// Whether it runs the one case that stands for all.
    is_explorable: bool,
}

/// The functions of quickcheck and of bolero. A test that comes to several is one of the first.
const ENTRIES: [Entry; 3] = [
    Entry {
        library: PropertyLibrary::QuickCheck,
        // Of the library that takes quickcheck's place.
        start: "quickcheck::tester::in_one_case",
        part: "11in_one_case",
        is_explorable: true,
    },
    Entry {
        library: PropertyLibrary::QuickCheck,
        start: "<quickcheck::tester::QuickCheck",
        part: "9quicktest",
        is_explorable: false,
    },
    Entry {
        library: PropertyLibrary::Bolero,
        start: "<bolero::TestTarget<",
        part: "10TestTarget",
        is_explorable: true,
    },
];

/// Part of a mangled symbol of a shim.
const OF_SHIM: &str = "6FnOnce";

/// The functions of some modules that refer to a function, by its symbol.
#[derive(Default)]
pub struct References(FxHashMap<String, Vec<String>>);

impl References {
    /// Reports whether those of a module have to be known in which this symbol occurs.
    pub fn are_needed(symbol: &str) -> bool {
        ENTRIES.iter().any(|entry| symbol.contains(entry.part))
    }

    /// Adds those of a module.
    pub fn read(&mut self, module: &Module<'_>) {
        let symbol = |function| String::from_utf8_lossy(name_of(function)).into_owned();
        for function in functions(module.as_mut_ptr()) {
            let from = symbol(function);
            for instruction in instructions(function) {
                // SAFETY: they are an instruction and its operands.
                unsafe {
                    let count = LLVMGetNumOperands(instruction) as u32;
                    let operands = (0..count).map(|n| LLVMGetOperand(instruction, n));
                    for to in operands.filter(|value| !LLVMIsAFunction(*value).is_null()) {
                        self.0.entry(symbol(to)).or_default().push(from.clone());
                    }
                }
            }
        }
    }

    /// Returns the functions that come to a function of a library.
    fn coming_to(&self, entry: &Entry) -> FxHashSet<&str> {
        let is_entry = |symbol: &&str| {
            symbol.contains(entry.part)
                && demangled(symbol).is_some_and(|name| name.starts_with(entry.start))
        };
        let symbols = self.0.keys().map(String::as_str);
        let mut open: Vec<&str> = symbols.filter(is_entry).collect();
        let mut found: FxHashSet<&str> = open.iter().copied().collect();
        while let Some(symbol) = open.pop() {
            for from in self.0.get(symbol).into_iter().flatten() {
                if found.insert(from) {
                    open.push(from);
                }
            }
        }
        found
    }
}

/// Returns the tests of properties, ordered by path.
pub fn find<'a>(
    symbols: impl Iterator<Item = &'a str>,
    references: &References,
) -> Vec<PropertyTest> {
    let symbols: Vec<&str> = symbols.filter(|symbol| symbol.starts_with("_R")).collect();
    let of_runner = symbols.iter().filter(|symbol| symbol.contains(OF_RUNNER));
    let run: Vec<String> = of_runner
        .filter_map(|symbol| demangled(symbol))
        .filter(|name| name.starts_with(RUNNER))
        .collect();
    let with_entries = ENTRIES.map(|entry| (references.coming_to(&entry), entry));
    if run.is_empty() && with_entries.iter().all(|(coming, _)| coming.is_empty()) {
        return Vec::new();
    }
    let shims = symbols.iter().filter(|symbol| symbol.contains(OF_SHIM));
    let called: BTreeMap<String, &str> = shims
        .filter_map(|symbol| Some((called_by_libtest(&demangled(symbol)?)?.to_owned(), *symbol)))
        .collect();
    let mut found = BTreeMap::new();
    for (path, shim) in called {
        let closure = format!("{path}::{{closure#");
        let Some((krate, within)) = path.split_once("::") else {
            continue;
        };
        // A harness may come to a library, too: its test does nothing by itself.
        if within.split("::").any(|part| part.starts_with(TEST)) {
            continue;
        }
        let (library, is_explorable) = if run.iter().any(|name| names(name, &closure)) {
            (PropertyLibrary::Proptest, true)
        } else if let Some((_, entry)) = with_entries.iter().find(|(to, _)| to.contains(shim)) {
            (entry.library, entry.is_explorable)
        } else {
            continue;
        };
        let test = PropertyTest {
            path: within.to_owned(),
            krate: krate.to_owned(),
            library,
            is_explorable,
        };
        found.insert(within.to_owned(), test);
    }
    found.into_values().collect()
}

/// Returns the path of the function whose first closure this symbol makes a function of.
fn called_by_libtest(name: &str) -> Option<&str> {
    let closure = name.strip_suffix(" as core::ops::function::FnOnce<()>>::call_once")?;
    closure.strip_prefix('<')?.strip_suffix("::{closure#0}")
}

/// Reports whether a name has this path in it, and not at the end of a longer one.
fn names(name: &str, path: &str) -> bool {
    name.match_indices(path).any(|(at, _)| {
        let before = name[..at].chars().next_back();
        before.is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == ':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_not_the_end_of_another() {
        let name = "<T>::run::<Map<u8, k::tests::adds::{closure#0}>, k::tests::adds::{closure#1}>";
        assert!(names(name, "k::tests::adds::{closure#"));
        assert!(!names(name, "tests::adds::{closure#"));
        assert!(!names(name, "k::tests::add::{closure#"));
    }

    #[test]
    fn the_shim_names_the_test() {
        let shim = "<k::tests::adds::{closure#0} as core::ops::function::FnOnce<()>>::call_once";
        assert_eq!(called_by_libtest(shim), Some("k::tests::adds"));
        let other = "<k::tests::adds::{closure#1} as core::ops::function::FnOnce<()>>::call_once";
        assert_eq!(called_by_libtest(other), None);
        let shim = "<fn() as core::ops::function::FnOnce<()>>::call_once";
        assert_eq!(called_by_libtest(shim), None);
    }

    #[test]
    fn programs_without_the_runner_have_none() {
        let plain = "_RNvNtCsgEmfK2I1SDS_4core9panicking9panic_fmt";
        assert!(find([plain, "main"].into_iter(), &References::default()).is_empty());
    }
}
