//! Tests of `cargo symex --bolero` with the crate bolero, which has to be fetched.

use crate::support::Crate;
use libtest_mimic::Trial;
use serde_json::Value;

pub fn trials() -> Vec<Trial> {
    vec![crate::trial(
        "bolero_findings".to_owned(),
        fetched,
        |tree| finds_failing_cases(&tree),
    )]
}

const MANIFEST: &str = "[package]\nname = \"checked\"\nedition = \"2021\"\n\
    [dev-dependencies]\nbolero = \"0.13\"\n[workspace]\n\
    [lints.rust]\nunexpected_cfgs = { level = \"allow\", check-cfg = [\"cfg(kani)\"] }\n";

/// Makes a crate with tests, if what they depend on can be fetched.
fn fetched() -> Result<Crate, String> {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", TESTS)];
    let tree = Crate::files("bolero", &files);
    let fetch = tree.cargo(&["fetch"]);
    match fetch.code {
        Some(0) => Ok(tree),
        _ => Err(format!("bolero cannot be fetched: {}", fetch.stderr)),
    }
}

const TESTS: &str = r#"
pub fn sum(a: u8, b: u8) -> u8 {
    if a == 77 && b > 250 { a + b } else { a.wrapping_add(b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolero::{check, TypeGenerator};

    #[derive(Clone, Debug, TypeGenerator)]
    enum Op {
        Push(u8),
        Pop,
        Pair { a: u16, b: bool },
    }

    #[test]
    #[cfg_attr(kani, kani::proof)]
    fn adds() {
        check!().with_type::<(u8, u8)>().cloned().for_each(|(a, b)| {
            sum(a, b);
        });
    }

    #[test]
    fn types_of_its_own() {
        check!().with_type::<Op>().for_each(|op| match op {
            Op::Pair { a, b } => assert!(*a != 4242 || !*b),
            Op::Push(n) => assert!(u16::from(*n) < 256),
            Op::Pop => {}
        });
    }

    #[test]
    fn ranges() {
        check!().with_generator(5u32..10).cloned().for_each(|n| assert!((5..10).contains(&n)));
    }

    #[test]
    fn bytes() {
        check!().for_each(|bytes: &[u8]| assert!(bytes.len() < 3 || bytes[2] != 7));
    }

    #[test]
    fn no_property() {
        assert_eq!(sum(1, 2), 3);
    }
}
"#;

fn finds_failing_cases(tree: &Crate) {
    let hint = tree.symex(&[]).code(5).stderr;
    assert!(
        hint.contains("4 tests with bolero: `cargo symex --bolero`"),
        "{hint}"
    );
    let run = tree.symex(&["--bolero", "--message-format", "json"]);
    let run = run.code(1);
    let finished = run.finished();
    // One test for each function, although the macro of the proof makes tests, too.
    assert_eq!(finished.len(), 4, "{:?}", finished.keys());
    assert_eq!(finished["tests::ranges"]["verdict"], "pass-complete");
    let of = |test: &str| {
        let name = format!("tests::{test}");
        let is_it = |line: &Value| line["type"] == "finding" && line["harness"] == *name;
        let mut found: Vec<Value> = run.json().into_iter().filter(is_it).collect();
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        found.remove(0)
    };
    for test in ["adds", "types_of_its_own", "bytes"] {
        let finding = of(test);
        assert_eq!(finding["replay"]["status"], "confirmed", "{finding}");
        assert_eq!(finding["test"]["status"], "not-written", "{finding}");
    }
    let bytes: Vec<Value> = of("adds")["finding"]["inputs"]
        .as_array()
        .expect("inputs")
        .iter()
        .map(|input| input["bytes"][0].clone())
        .collect();
    assert_eq!(bytes, [77, 251]);
}
