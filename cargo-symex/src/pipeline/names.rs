//! Assigns names to harnesses, as short as is unique over the whole run.
//!
//! One test executable: `tests::parses`, as libtest would call it. Several: the crate's name first.
//! Several crates of one name (a library and a binary of it, one name in two packages): package and
//! kind of target first. All names of a run have the same form, so that they sort and filter alike.

use crate::harness::TestHarness;
use std::collections::BTreeSet;

/// Gives each harness its name.
pub fn assign<'a>(harnesses: impl IntoIterator<Item = &'a mut TestHarness>) {
    let mut harnesses: Vec<&mut TestHarness> = harnesses.into_iter().collect();
    let targets: BTreeSet<(String, String, String)> = harnesses
        .iter()
        .map(|h| (h.package.clone(), h.target_kind.clone(), h.target.clone()))
        .collect();
    let forms: [fn(&TestHarness) -> String; 3] = [TestHarness::path, with_crate, with_target];
    let first = usize::from(targets.len() > 1);
    for form in &forms[first..] {
        let names: BTreeSet<String> = harnesses.iter().map(|h| form(h)).collect();
        let unique = names.len() == harnesses.len();
        for harness in &mut harnesses {
            harness.name = form(harness);
        }
        if unique {
            return;
        }
    }
}

fn with_crate(harness: &TestHarness) -> String {
    let krate = harness.module.split("::").next().unwrap_or_default();
    format!("{krate}::{}", harness.path())
}

fn with_target(harness: &TestHarness) -> String {
    let kind = &harness.target_kind;
    format!(
        "{}/{kind}/{}::{}",
        harness.package,
        harness.target,
        harness.path()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harness(
        package: &str,
        kind: &str,
        target: &str,
        module: &str,
        function: &str,
    ) -> TestHarness {
        TestHarness {
            package: package.into(),
            target_kind: kind.into(),
            target: target.into(),
            module: module.into(),
            function: function.into(),
            ..TestHarness::default()
        }
    }

    fn names(mut harnesses: Vec<TestHarness>) -> Vec<String> {
        assign(&mut harnesses);
        harnesses.into_iter().map(|h| h.name).collect()
    }

    #[test]
    fn one_target_needs_no_prefix() {
        let found = vec![
            harness("p", "lib", "p", "p::a", "f"),
            harness("p", "lib", "p", "p::b", "f"),
        ];
        assert_eq!(names(found), ["a::f", "b::f"]);
    }

    #[test]
    fn several_targets_are_told_apart() {
        let found = vec![
            harness("p", "lib", "p", "p::t", "f"),
            harness("p", "test", "it", "it", "f"),
        ];
        assert_eq!(names(found), ["p::t::f", "it::f"]);
    }

    #[test]
    fn a_library_and_a_binary_of_one_name() {
        let found = vec![
            harness("p", "lib", "p", "p::t", "f"),
            harness("p", "bin", "p", "p::t", "f"),
        ];
        assert_eq!(names(found), ["p/lib/p::t::f", "p/bin/p::t::f"]);
    }
}
