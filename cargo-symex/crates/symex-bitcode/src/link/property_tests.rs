//! Tests of properties among the symbols of a crate: functions with `#[test]` that give a closure
//! of their own to the runner of proptest.
//!
//! Names tell it, and no code is looked into. libtest calls a test by a closure that calls its
//! function, so there is a shim that makes a function of a closure named like it. The runner is
//! generic over the closure that checks a case, and has its path among its arguments.

use std::collections::{BTreeMap, BTreeSet};

use super::PropertyTest;
use super::resolve::demangled;

/// The runner of proptest, which all forms of its macros call.
const RUNNER: &str = "<proptest::test_runner::runner::TestRunner>::run::<";

/// Part of a mangled symbol of the runner. Only symbols with it are demangled, which takes long.
const OF_RUNNER: &str = "10TestRunner3run";

/// Part of a mangled symbol of a shim.
const OF_SHIM: &str = "6FnOnce";

/// Returns the tests of properties, ordered by path.
pub fn find<'a>(symbols: impl Iterator<Item = &'a str>) -> Vec<PropertyTest> {
    let symbols: Vec<&str> = symbols.filter(|symbol| symbol.starts_with("_R")).collect();
    let of_runner = symbols.iter().filter(|symbol| symbol.contains(OF_RUNNER));
    let run: Vec<String> = of_runner
        .filter_map(|symbol| demangled(symbol))
        .filter(|name| name.starts_with(RUNNER))
        .collect();
    if run.is_empty() {
        return Vec::new();
    }
    let shims = symbols.iter().filter(|symbol| symbol.contains(OF_SHIM));
    let called: BTreeSet<String> = shims
        .filter_map(|symbol| called_by_libtest(&demangled(symbol)?).map(str::to_owned))
        .collect();
    let mut found = BTreeMap::new();
    for path in called {
        let closure = format!("{path}::{{closure#");
        let Some((krate, within)) = path.split_once("::") else {
            continue;
        };
        if run.iter().any(|name| names(name, &closure)) {
            let test = PropertyTest {
                path: within.to_owned(),
                krate: krate.to_owned(),
            };
            found.insert(within.to_owned(), test);
        }
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
        assert!(find([plain, "main"].into_iter()).is_empty());
    }
}
