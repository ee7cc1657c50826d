//! Tests of `cargo symex --quickcheck` with the crate quickcheck, which has to be fetched.

use crate::support::{Crate, Run};
use libtest_mimic::Trial;
use serde_json::Value;

pub fn trials() -> Vec<Trial> {
    let current = || fetched("current", "1.0", "1", "", TESTS);
    let before_1 = || fetched("before_1", "0.9", "0.9", "rand = \"0.7\"\n", TESTS_BEFORE_1);
    vec![
        crate::trial("quickcheck_findings".to_owned(), current, |tree| {
            finds_failing_cases(&tree)
        }),
        crate::trial("quickcheck_before_1".to_owned(), before_1, |tree| {
            draws_as_before_1(&tree)
        }),
    ]
}

/// Makes a crate with tests, if what they depend on can be fetched.
fn fetched(
    name: &str,
    version: &str,
    macros: &str,
    others: &str,
    tests: &str,
) -> Result<Crate, String> {
    let manifest = format!(
        "[package]\nname = \"checked\"\nedition = \"2021\"\n[dev-dependencies]\n\
         quickcheck = {{ version = \"{version}\", default-features = false }}\n\
         quickcheck_macros = \"{macros}\"\n{others}[workspace]\n"
    );
    let files = [("Cargo.toml", &*manifest), ("src/lib.rs", tests)];
    let tree = Crate::files(&format!("quickcheck_{name}"), &files);
    let fetch = tree.cargo(&["fetch"]);
    match fetch.code {
        Some(0) => Ok(tree),
        _ => Err(format!("quickcheck cannot be fetched: {}", fetch.stderr)),
    }
}

const TESTS: &str = r#"
pub fn dedup(list: &[u8]) -> Vec<u8> {
    let mut kept = list.to_vec();
    kept.dedup();
    if kept.len() == 3 && kept[2] == 77 {
        kept.pop();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::{Arbitrary, Gen, QuickCheck, TestResult, Testable};
    use quickcheck_macros::quickcheck;
    use std::collections::{BTreeMap, HashSet};

    #[derive(Clone, Debug)]
    struct Even(u16);

    impl Arbitrary for Even {
        fn arbitrary(g: &mut Gen) -> Self {
            Even(u16::arbitrary(g) & !1)
        }

        fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
            Box::new(self.0.shrink().map(|n| Even(n & !1)))
        }
    }

    #[derive(Clone, Debug)]
    enum Op {
        Push(u8),
        Pop,
        Many(usize),
    }

    impl Arbitrary for Op {
        fn arbitrary(g: &mut Gen) -> Self {
            match g.choose(&[0, 1, 2]).unwrap() {
                0 => Op::Push(u8::arbitrary(g)),
                1 => Op::Pop,
                _ => Op::Many(g.size()),
            }
        }
    }

    #[quickcheck]
    fn keeps_the_last(list: Vec<u8>) -> bool {
        list.last() == dedup(&list).last()
    }

    quickcheck::quickcheck! {
        fn even_is_even(even: Even, either: Result<bool, char>) -> bool {
            even.0 % 2 == 0 && either.map_or(true, |_| true)
        }
        fn discards(even: Even, name: Option<char>) -> TestResult {
            if even.0 < 100 {
                return TestResult::discard();
            }
            TestResult::from_bool(even.0 != 4242 || name != Some('x'))
        }
        fn panics(a: i32, b: i32) -> () {
            if a == 12345 && a.checked_div(b) == Some(5) {
                panic!("boom");
            }
        }
        fn returns_errors(text: String) -> Result<(), String> {
            if text == "abc" { Err(text) } else { Ok(()) }
        }
        #[should_panic]
        fn fails_by_intent(n: u8) -> bool { n != 9 }
        #[ignore]
        fn ignored(_n: u8) -> bool { false }
        fn draws_by_size(ops: Vec<Op>) -> bool {
            ops.iter().all(|op| !matches!(op, Op::Many(0)))
        }
        fn collections(map: BTreeMap<u8, bool>, set: HashSet<u8>, pair: ([u8; 2], u64)) -> bool {
            map.len() < 5 && set.len() < 5 && pair.0.len() == 2
        }
    }

    #[test]
    fn by_hand_and_more() {
        fn holds(values: [u8; 2], n: f64) -> bool {
            values.len() == 2 && (n.is_nan() || n == n)
        }
        fn fails(n: u8) -> bool {
            n != 9
        }
        let passed = QuickCheck::new().tests(7).quicktest(holds as fn([u8; 2], f64) -> bool);
        assert_eq!(passed.unwrap(), 7);
        through_a_helper(fails as fn(u8) -> bool);
    }

    fn through_a_helper<T: Testable>(property: T) {
        QuickCheck::new().max_tests(3).quickcheck(property)
    }

    #[test]
    fn no_property() {
        assert_eq!(dedup(&[1, 1]), [1]);
    }
}
"#;

/// The tests that fail, with the values of their arguments.
const FAILING: &[(&str, &[(&str, &str)])] = &[
    ("keeps_the_last", &[("list", "[0, 1, 77]")]),
    ("discards", &[("even", "Even(4242)"), ("name", "Some('x')")]),
    ("panics", &[("a", "12345"), ("b", "")]),
    ("returns_errors", &[("text", "\"abc\"")]),
    ("by_hand_and_more", &[("argument 1", "9")]),
];

fn finds_failing_cases(tree: &Crate) {
    let hint = tree.symex(&[]).code(5);
    let hint = hint.stderr;
    assert!(hint.contains("`cargo symex --quickcheck`"), "{hint}");
    let lock = tree.read("Cargo.lock");
    let run = tree.symex(&["--quickcheck", "--message-format", "json"]);
    let run = run.code(1);
    let finished = run.finished();
    let verdict = |name: &str| finished[&format!("tests::{name}")]["verdict"].clone();
    for (name, verdict_of) in [
        ("even_is_even", "pass-complete"),
        ("fails_by_intent", "pass-complete"),
        ("draws_by_size", "pass-bounded"),
        ("collections", "pass-bounded"),
    ] {
        assert_eq!(verdict(name), verdict_of, "{name}: {}", run.stdout);
    }
    for (name, values) in FAILING {
        let finding = finding(&run, name);
        assert_eq!(finding["replay"]["status"], "confirmed", "{finding}");
        let args = finding["arguments"]["args"].as_array().expect("values");
        assert_eq!(args.len(), values.len(), "{finding}");
        for (arg, (name, value)) in args.iter().zip(*values) {
            assert_eq!(arg["name"], **name, "{finding}");
            assert!(value.is_empty() || arg["source"] == **value, "{finding}");
        }
        assert_eq!(finding["test"]["status"], "not-written", "{finding}");
    }
    // Those that are ignored, or have no property, are not run.
    assert_eq!(finished.len(), 4 + FAILING.len(), "{:?}", finished.keys());
    // What the crate depends on is what it was.
    assert_eq!(tree.read("Cargo.lock"), lock);
    let listed = tree.symex(&["list", "--quickcheck", "-q"]).code(0);
    assert!(
        listed.stdout.contains("tests::keeps_the_last"),
        "{}",
        listed.stdout
    );
    // Found natively as well, by random values that are small: what was built beside is untouched.
    let plain = tree.cargo(&["test", "tests::even_is_even"]);
    assert_eq!(plain.code, Some(0), "{}", plain.stderr);
}

const TESTS_BEFORE_1: &str = r#"
#[cfg(test)]
mod tests {
    use quickcheck::{Arbitrary, Gen, QuickCheck, StdGen, StdThreadGen, TestResult, quickcheck};
    use rand::{Rng, RngCore, SeedableRng};

    #[derive(Clone, Debug)]
    struct Die(u8);

    impl Arbitrary for Die {
        fn arbitrary<G: Gen>(g: &mut G) -> Self {
            Die(g.gen_range(1, 7))
        }
    }

    /// A generator of the program's own.
    struct Own(StdThreadGen);

    impl RngCore for Own {
        fn next_u32(&mut self) -> u32 { self.0.next_u32() }
        fn next_u64(&mut self) -> u64 { self.0.next_u64() }
        fn fill_bytes(&mut self, bytes: &mut [u8]) { self.0.fill_bytes(bytes) }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand::Error> {
            self.0.try_fill_bytes(bytes)
        }
    }

    impl Gen for Own {
        fn size(&self) -> usize { self.0.size() }
    }

    #[quickcheck_macros::quickcheck]
    fn keeps_the_last(list: Vec<u8>) -> bool {
        list.len() < 3 || list[2] != 77
    }

    quickcheck! {
        fn numbers_are_small(a: u16, b: i8, c: i64, d: u128, f: f64) -> bool {
            a < 100 && (-100..100).contains(&b) && (-100..100).contains(&c) && d < 100
                && (-100.0..100.0).contains(&f)
        }
        fn numbers_are_all_of_them(b: i8, f: f64) -> TestResult {
            if f != -100.0 { return TestResult::discard() }
            TestResult::from_bool(b != -100)
        }
        fn dice(die: Die) -> bool {
            (1..=6).contains(&die.0) && die.0 != 6
        }
    }

    #[test]
    fn generators() {
        fn below(n: u8) -> bool { n < 3 }
        let own = Own(StdThreadGen::new(9));
        QuickCheck::with_gen(own).tests(3).quickcheck((|n: u16| n < 100) as fn(u16) -> bool);
        let seeded = StdGen::new(rand::rngs::StdRng::seed_from_u64(1), 3);
        QuickCheck::new().gen(seeded).quickcheck(below as fn(u8) -> bool);
    }
}
"#;

fn draws_as_before_1(tree: &Crate) {
    let run = tree.symex(&["--quickcheck", "--message-format", "json"]);
    let run = run.code(1);
    let finished = run.finished();
    for (name, verdict) in [
        ("numbers_are_small", "pass-complete"),
        ("generators", "pass-complete"),
        ("keeps_the_last", "bug"),
        ("numbers_are_all_of_them", "bug"),
        ("dice", "bug"),
    ] {
        let name = format!("tests::{name}");
        assert_eq!(
            finished[&name]["verdict"], verdict,
            "{name}: {}",
            run.stdout
        );
    }
    assert_eq!(finished.len(), 5, "{:?}", finished.keys());
    for (name, value) in [
        ("keeps_the_last", "[0, 0, 77]"),
        ("numbers_are_all_of_them", "-100"),
        ("dice", "Die(6)"),
    ] {
        let finding = finding(&run, name);
        assert_eq!(finding["replay"]["status"], "confirmed", "{finding}");
        assert_eq!(
            finding["arguments"]["args"][0]["source"], value,
            "{finding}"
        );
    }
}

/// Returns the only finding of a test.
fn finding(run: &Run, test: &str) -> Value {
    let name = format!("tests::{test}");
    let is_it = |line: &Value| line["type"] == "finding" && line["harness"] == *name;
    let mut found: Vec<Value> = run.json().into_iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found.remove(0)
}
