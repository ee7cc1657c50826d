//! Tests of `cargo symex --proptest` with the crate proptest, which has to be fetched.

use crate::support::{Crate, Run};
use libtest_mimic::Trial;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;

pub fn trials() -> Vec<Trial> {
    let findings = || fetched("findings", FINDINGS);
    let strategies = || fetched("strategies", &strategies());
    vec![
        crate::trial("proptest_findings".to_owned(), findings, |tree| {
            finds_failing_cases(&tree);
        }),
        crate::trial("proptest_strategies".to_owned(), strategies, |tree| {
            explores_all_values(&tree);
        }),
    ]
}

const DEPENDENCIES: &str = "edition = \"2024\"\n[dev-dependencies]\n\
    proptest = { version = \"1\", default-features = false, features = [\"std\"] }\n[workspace]\n";

/// Makes a crate with tests, if what they depend on can be fetched.
fn fetched(name: &str, tests: &str) -> Result<Crate, String> {
    let manifest = format!("[package]\nname = \"{name}\"\n{DEPENDENCIES}");
    let files = [("Cargo.toml", &*manifest), ("src/lib.rs", tests)];
    let tree = Crate::files(&format!("proptest_{name}"), &files);
    let fetch = tree.cargo(&["fetch"]);
    match fetch.code {
        Some(0) => Ok(tree),
        _ => Err(format!("proptest cannot be fetched: {}", fetch.stderr)),
    }
}

const FINDINGS: &str = r#"
fn sum(a: u8, b: u8) -> u8 { if a == 77 && b > 250 { a + b } else { a.wrapping_add(b) } }

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn panics(a in 0u8..100, b: u8) { let _ = sum(a, b); }
        #[test]
        fn asserts(x in 10u32..20) { prop_assert_ne!(x, 13, "unlucky"); }
        #[test]
        fn assumes(x in 0u64..1000) { prop_assume!(x > 997); prop_assert!(x == 998 || x == 999); }
        #[test]
        fn catches(x: bool) {
            prop_assert_eq!(std::panic::catch_unwind(|| assert!(x)).is_err(), !x);
        }
        #[test]
        fn errors_that_are_not_returned(x: u8) {
            let error = Err(TestCaseError::fail("never"));
            (if x == 0 { Ok(()) } else { error }).or_else(|_: TestCaseError| Ok::<_, TestCaseError>(()))?;
        }
        #[test]
        #[should_panic]
        fn fails_by_intent(x in 0..9) { assert!(x != 3) }
        #[test]
        #[should_panic]
        fn fails_for_no_value(x in 0..9) { assert!(x != 9) }
        #[test]
        #[ignore]
        fn ignored(_x: u8) { panic!() }
    }

    #[test]
    fn goes_on_after_the_cases() {
        let runs = Cell::new(0);
        proptest!(|(x in 0u8..4)| { runs.set(runs.get() + 1); prop_assert!(x < 4) });
        assert_eq!(runs.get(), 1);
        proptest!(|(y in 0u8..4)| { prop_assert!(y != 2) });
    }

    #[test]
    fn plain() {}
}
"#;

fn finds_failing_cases(tree: &Crate) {
    let hint = tree.symex(&[]).code(5);
    assert!(
        hint.stderr.contains("`cargo symex --proptest`"),
        "{}",
        hint.stderr
    );
    let run = tree
        .symex(&["--proptest", "--message-format", "json"])
        .code(1);
    let finished = run.finished();
    let verdict = |name: &str| finished[&format!("tests::{name}")]["verdict"].clone();
    for name in [
        "assumes",
        "catches",
        "errors_that_are_not_returned",
        "fails_by_intent",
    ] {
        assert_eq!(verdict(name), "pass-complete", "{name}: {}", run.stdout);
    }
    let panics = finding(&run, "panics");
    let args = panics["arguments"]["args"].as_array().expect("values");
    let shown: Vec<_> = args
        .iter()
        .map(|arg| (&arg["name"], &arg["source"]))
        .collect();
    assert_eq!(
        shown,
        [(&"a".into(), &"77".into()), (&"b".into(), &"251".into())]
    );
    assert_eq!(panics["finding"]["at"]["line"], 2);
    let asserts = finding(&run, "asserts");
    let message = asserts["finding"]["message"].as_str().expect("a text");
    assert!(message.contains("unlucky"), "{message}");
    let after = finding(&run, "goes_on_after_the_cases");
    for (name, finding) in [
        ("panics", &panics),
        ("asserts", &asserts),
        ("after", &after),
    ] {
        assert_eq!(
            finding["replay"]["status"], "confirmed",
            "{name}: {finding}"
        );
        assert_eq!(finding["test"]["status"], "written", "{name}: {finding}");
    }
    let none = finding(&run, "fails_for_no_value");
    assert_eq!(none["replay"]["status"], "skipped", "{none}");
    // Those that are ignored, or have no property, are not run.
    assert_eq!(finished.len(), 8, "{:?}", finished.keys());
    // The file that is left makes plain `cargo test` fail.
    let seeds = tree.read("proptest-regressions/lib.txt");
    assert!(seeds.contains("# shrinks to a = 77, b = 251"), "{seeds}");
    let plain = tree.cargo(&["test", "tests::panics"]);
    assert_ne!(plain.code, Some(0));
    assert!(plain.stdout.contains("a = 77"), "{}", plain.stdout);
}

/// Strategies, each with its name, its expression and all values.
const STRATEGIES: &[(&str, &str, &[&str])] = &[
    ("a_bool", "any::<bool>()", &["false", "true"]),
    ("range_u8", "3u8..6", &["3", "4", "5"]),
    ("range_i64", "-2i64..=0", &["-2", "-1", "0"]),
    ("range_from", "65534u16..", &["65534", "65535"]),
    ("range_to", "..2u64", &["0", "1"]),
    ("range_to_inclusive", "..=-127i8", &["-128", "-127"]),
    ("range_usize", "7usize..10", &["7", "8", "9"]),
    ("one_value", "5i32..6", &["5"]),
    ("just", "Just(4u8)", &["4"]),
    (
        "chars",
        "proptest::char::range('x', 'z')",
        &["'x'", "'y'", "'z'"],
    ),
    (
        "pair",
        "(0u8..2, any::<bool>())",
        &["(0, false)", "(0, true)", "(1, false)", "(1, true)"],
    ),
    (
        "option",
        "proptest::option::of(0u8..2)",
        &["None", "Some(0)", "Some(1)"],
    ),
    (
        "result",
        "proptest::result::maybe_ok(0u8..2, 7u8..8)",
        &["Ok(0)", "Ok(1)", "Err(7)"],
    ),
    (
        "vec",
        "proptest::collection::vec(any::<bool>(), 0..2)",
        &["vec![]", "vec![false]", "vec![true]"],
    ),
    (
        "array",
        "proptest::array::uniform2(0u8..2)",
        &["[0, 0]", "[0, 1]", "[1, 0]", "[1, 1]"],
    ),
    ("one_of", "prop_oneof![Just(1u8), 5u8..7]", &["1", "5", "6"]),
    (
        "weighted",
        "prop_oneof![3 => Just(1u8), 1 => Just(2u8)]",
        &["1", "2"],
    ),
    ("mapped", "(0u8..3).prop_map(|x| x * 2)", &["0", "2", "4"]),
    (
        "filtered",
        "(0u8..6).prop_filter(\"even\", |x| x % 2 == 0)",
        &["0", "2", "4"],
    ),
    (
        "filter_mapped",
        "(0u8..4).prop_filter_map(\"odd\", |x| (x % 2 == 1).then_some(x + 10))",
        &["11", "13"],
    ),
    (
        "flat_mapped",
        "(0usize..2).prop_flat_map(|n| proptest::collection::vec(4u8..6, n..=n))",
        &["vec![]", "vec![4]", "vec![5]"],
    ),
    ("boxed", "(0u8..2).boxed()", &["0", "1"]),
    (
        "selected",
        "proptest::sample::select(vec![\"a\", \"b\"])",
        &["\"a\"", "\"b\""],
    ),
    (
        "subsequence",
        "proptest::sample::subsequence(vec![1u8, 2, 3], 2)",
        &["vec![1, 2]", "vec![1, 3]", "vec![2, 3]"],
    ),
    (
        "bits",
        "proptest::bits::u8::between(0, 2)",
        &["0", "1", "2", "3"],
    ),
    (
        "set",
        "proptest::collection::btree_set(0u8..2, 1..3)",
        &["[0].into()", "[1].into()", "[0, 1].into()"],
    ),
    (
        "ordering",
        "any::<core::cmp::Ordering>()",
        &[
            "core::cmp::Ordering::Less",
            "core::cmp::Ordering::Equal",
            "core::cmp::Ordering::Greater",
        ],
    ),
    (
        "recursive",
        "Just(0u8).prop_recursive(1, 2, 1, |inner| inner.prop_map(|x| x + 1))",
        &["0", "1"],
    ),
    (
        "shuffled",
        "Just(vec![1u8, 2, 3]).prop_shuffle()",
        &[
            "vec![1, 2, 3]",
            "vec![1, 3, 2]",
            "vec![2, 1, 3]",
            "vec![2, 3, 1]",
            "vec![3, 1, 2]",
            "vec![3, 2, 1]",
        ],
    ),
    (
        "perturbed",
        "Just(1u8).prop_perturb(|x, mut rng| x + rng.random_range(0u8..3))",
        &["1", "2", "3"],
    ),
];

/// Strategies whose values come from a generator that is not the runner's own, which seeds do not
/// reach.
const OF_ANOTHER: [&str; 2] = ["shuffled", "perturbed"];

/// Returns tests that fail in another place for each value of a strategy, and for any other one.
fn strategies() -> String {
    let mut source = "#![cfg(test)]\nuse proptest::prelude::*;\nproptest! {\n".to_owned();
    for (name, strategy, values) in STRATEGIES {
        let _ = writeln!(source, "#[test]\nfn {name}(v in {strategy}) {{");
        for (number, value) in values.iter().enumerate() {
            let _ = writeln!(
                source,
                "if v == ({value}) {{\npanic!(\"value {number}\")\n}}"
            );
        }
        source.push_str("panic!(\"another value\")\n}\n");
    }
    source.push_str("}\n");
    source
}

fn explores_all_values(tree: &Crate) {
    let options = [
        "--proptest",
        "--write-tests=never",
        "--message-format",
        "json",
    ];
    let run = tree.symex(&options).code(1);
    let lines = run.json();
    for (name, _, values) in STRATEGIES {
        let of_it = |line: &&Value| line["type"] == "finding" && line["harness"] == *name;
        let found: Vec<&Value> = lines.iter().filter(of_it).collect();
        let message = |finding: &&Value| finding["finding"]["message"].as_str().map(str::to_owned);
        let messages: BTreeSet<String> = found.iter().filter_map(message).collect();
        let expected: BTreeSet<String> = (0..values.len()).map(|n| format!("value {n}")).collect();
        assert_eq!(messages, expected, "{name}");
        for finding in found {
            let status = &finding["replay"]["status"];
            let is_reached = !OF_ANOTHER.contains(name);
            assert_eq!(*status == "confirmed", is_reached, "{name}: {finding}");
        }
    }
    let finished = run.finished();
    assert_eq!(finished.len(), STRATEGIES.len());
    for (name, end) in &finished {
        let bounds = end["bounds"].as_array().expect("bounds");
        assert!(bounds.is_empty(), "{name}: {bounds:?}");
    }
}

/// Returns the only finding of a test.
fn finding(run: &Run, test: &str) -> Value {
    let name = format!("tests::{test}");
    let is_it = |line: &Value| line["type"] == "finding" && line["harness"] == *name;
    let mut found: Vec<Value> = run.json().into_iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}
