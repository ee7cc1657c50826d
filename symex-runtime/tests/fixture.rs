//! The runtime and its macros from outside: crates of users, built and run by plain `cargo test`.

mod support;

use serde_json::Value;
use support::Fixture;

const LIBRARY: &str = r##"
//! A crate that is strict about its code and has modules named like the standard ones.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

/// Not the standard one.
pub mod core {
    /// Something.
    pub const ONE: u8 = 1;
}

mod inner;

/// A public type with public fields.
#[derive(Debug, PartialEq, symex::Symbolic)]
pub struct Point {
    /// X.
    pub x: i32,
    /// Y.
    pub y: i32,
}

/// A type whose fields cannot be written from elsewhere.
#[derive(Debug, PartialEq, symex::Symbolic)]
pub struct Secret {
    key: Vec<u8>,
}

impl Secret {
    /// Number of bytes.
    pub fn len(&self) -> usize { self.key.len() }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool { self.key.is_empty() }
}

fn parse_header(data: [u8; 2], strict: usize) -> u8 {
    assert!(data != [0x2f, 0] || strict != 9, "boom");
    data[0]
}

#[symex::harness]
fn parses(data: [u8; 2], strict: usize) {
    symex::assume(strict < 100);
    symex::cover!(strict == 9, "nine");
    parse_header(data, strict);
}

#[cfg(test)]
mod tests {
    mod nested {
        use super::super::Point;

        #[symex::harness(bound(name = 6))]
        fn points<'a>(name: &'a str, points: &[Point], last: &mut Point) -> Result<(), String> {
            last.x = 1;
            let extra: u16 = symex::any();
            if extra == 7 && name == "héé" && points.len() == 1 { Err(format!("{points:?}")) } else { Ok(()) }
        }
    }

    #[symex::harness(should_panic = "expected")]
    fn panics(kind: u8) {
        match kind {
            0 => panic!("as expected"),
            1 => panic!("of another kind"),
            _ => {}
        }
    }

    #[symex::harness]
    #[ignore]
    fn slow(_: bool) { panic!("not to be run") }

    #[symex::harness]
    fn named(value: u8) { symex::check!(value != 3, "not three", "it is {}", value); }

    #[symex::harness]
    fn ends(value: u8) { if value == 1 { std::process::abort() } }
}
"##;

const INNER: &str = r#"
//! Private types.
#[derive(Debug, symex::Symbolic)]
enum Kind { Unit, Tuple(u8, bool), Named { r#type: char } }

#[symex::harness]
fn kinds(kind: Kind, again: Option<Box<Kind>>) {
    if let (Kind::Named { r#type: '"' }, Some(again)) = (&kind, &again) {
        if let Kind::Tuple(3, true) = **again { panic!("{kind:?} {again:?}") }
    }
    if let Kind::Unit = kind { }
}
"#;

const INTEGRATION: &str = r#"
#[symex::harness]
fn from_outside(point: strict::Point, secret: strict::Secret) {
    assert!(point.x != 5 || secret.len() != 2, "found");
}
"#;

fn strict() -> Fixture {
    let fixture = Fixture::new("strict", "2021", LIBRARY);
    fixture.write("src/inner.rs", INNER);
    fixture.write("tests/outside.rs", INTEGRATION);
    fixture
}

fn call(values: &Value) -> &str {
    values["call"].as_str().unwrap()
}

/// The source of an argument.
fn source(values: &Value, argument: usize) -> &str {
    values["args"][argument]["source"].as_str().unwrap()
}

#[test]
fn harnesses_replay_and_leave_regressions_that_fail_alike() {
    let fixture = strict();

    let idle = fixture.test(&[], &[]);
    assert_eq!(idle.code, Some(0), "{}", idle.text);

    // A finding: the values are written, the process fails as a test does.
    let (ended, values) = fixture.replay("symex_parses", "data 2f00\nstrict 0900000000000000\n");
    let values = values.unwrap();
    assert_eq!(ended.code, Some(101), "{}", ended.text);
    assert!(ended.text.contains("boom"), "{}", ended.text);
    assert_eq!(call(&values), "parses([0x2f, 0x00], 9)");
    assert_eq!(values["args"][0]["type"], "[u8; 2]");
    assert_eq!(values["args"][0]["debug"], "[47, 0]");
    assert_eq!(values["draws"][1]["bytes"], "0900000000000000");
    assert_eq!(
        std::fs::read_to_string(fixture.path("out.json.cover")).unwrap(),
        "nine\n"
    );

    // An assumption that does not hold, inputs that are short or unreadable.
    assert_eq!(
        fixture
            .replay("symex_parses", "data 2f00\nstrict 64\n")
            .0
            .code,
        Some(86)
    );
    assert_eq!(fixture.replay("symex_parses", "data 2f\n").0.code, Some(0));
    assert_eq!(fixture.replay("symex_parses", "data 2x\n").0.code, Some(87));

    // A process that dies has written its values before.
    let (ended, values) = fixture.replay("tests::symex_ends", "value 01\n");
    assert_ne!(ended.code, Some(0));
    assert_eq!(call(&values.unwrap()), "ends(1)");

    let (ended, _) = fixture.replay("tests::symex_named", "value 03\n");
    assert!(
        ended.text.contains("check failed: not three: it is 3"),
        "{}",
        ended.text
    );

    let (ended, values) = fixture.replay(
        "tests::nested::symex_points",
        "n 05\nname 68c3a9c3a9\nlen 01\nx 01\ny ffffffff\nx 09\ny 08\nextra 07\n",
    );
    let nested = call(&values.unwrap()).to_owned();
    assert_eq!(ended.code, Some(101), "{}", ended.text);
    assert_eq!(
        nested,
        "::symex::with_inputs(&[&[0x07]], || points(\"héé\", &[crate::Point { x: 1, y: -1 }], \
         &mut crate::Point { x: 9, y: 8 }).unwrap())"
    );

    let (ended, values) =
        fixture.replay("inner::symex_kinds", "k 02\nt 22\no 01\nk 01\na 03\nb 01\n");
    let kinds = call(&values.unwrap()).to_owned();
    assert_eq!(ended.code, Some(101), "{}", ended.text);
    assert_eq!(
        kinds,
        "kinds(crate::inner::Kind::Named { r#type: '\"' }, Some(Box::new(crate::inner::Kind::Tuple(3, true))))"
    );

    // From another crate a public literal is written, a private one is rebuilt from its draws.
    let (ended, values) = fixture.replay("symex_from_outside", "x 05\ny 06\nlen 02\nkey 0102\n");
    let outside = values.unwrap();
    assert_eq!(ended.code, Some(101), "{}", ended.text);
    assert_eq!(source(&outside, 0), "::strict::Point { x: 5, y: 6 }");
    assert_eq!(
        source(&outside, 1),
        "::symex::value(&[&[0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00], &[0x01, 0x02]])"
    );

    // The regressions compile beside their harnesses, under `deny(warnings)`, and fail as the replay did.
    let regression = |name: &str, call: &str| format!("#[test]\nfn {name}() {{\n    {call};\n}}\n");
    fixture.add_regression(
        "src/lib/parses.rs",
        &regression("parses_1", "parses([0x2f, 0x00], 9)"),
        "src/lib.rs",
    );
    fixture.add_regression(
        "src/lib/tests/nested/points.rs",
        &regression("points_1", &nested),
        "src/lib.rs",
    );
    fixture.add_regression(
        "src/inner/kinds.rs",
        &regression("kinds_1", &kinds),
        "src/inner.rs",
    );
    fixture.add_regression(
        "tests/outside/from_outside.rs",
        &regression("from_outside_1", call(&outside)),
        "tests/outside.rs",
    );
    for (test, message) in [
        ("symex_parses::parses_1", "boom"),
        (
            "tests::nested::symex_points::points_1",
            "Point { x: 1, y: -1 }",
        ),
        ("inner::symex_kinds::kinds_1", "Tuple(3, true)"),
        ("symex_from_outside::from_outside_1", "found"),
    ] {
        let ended = fixture.test(&["--exact", test], &[]);
        assert_eq!(ended.code, Some(101), "{test}\n{}", ended.text);
        assert!(
            ended.text.contains(message) && ended.text.contains("1 failed"),
            "{test}\n{}",
            ended.text
        );
    }
}

#[test]
fn should_panic_is_judged_by_the_runtime() {
    let fixture = Fixture::new(
        "judged",
        "2021",
        LIBRARY
            .split("#[cfg(test)]\nmod tests {")
            .nth(1)
            .map(|tests| {
                // Only the harness in question.
                let from = tests.find("#[symex::harness(should_panic").unwrap();
                let to = tests.find("#[symex::harness]\n    #[ignore]").unwrap();
                &tests[from..to]
            })
            .unwrap(),
    );
    let run = |kind: &str| fixture.replay("symex_panics", &format!("kind {kind}\n")).0;
    assert_eq!(run("00").code, Some(0));
    let other = run("01");
    assert_eq!(other.code, Some(101));
    assert!(other.text.contains("does not contain"), "{}", other.text);
    let none = run("02");
    assert_eq!(none.code, Some(101));
    assert!(none.text.contains("did not panic"), "{}", none.text);
}

#[test]
fn random_runs_find_what_is_easy_and_print_the_call() {
    let source = "
        #[symex::harness]
        fn breaks(text: &str, n: u8) { assert!(text.is_empty() || n != 255, \"here\") }
        #[symex::harness]
        fn holds(text: String, n: u8, c: char) { symex::assume(n > 3); assert!(n > 2 && text.len() <= 4, \"{c}\") }
        #[symex::harness]
        fn entry(n: u8) { assert!(n < 255, \"entered\") }
        #[symex::harness]
        fn vacuous(n: u8) { symex::assume(u32::from(n) > 255) }
    ";
    let fixture = Fixture::new("random", "2024", source);
    let run = |test, count, seed| {
        fixture.test(
            &["--exact", test, "--nocapture"],
            &[("SYMEX_RANDOM", count), ("SYMEX_SEED", seed)],
        )
    };
    let broken = run("symex_breaks", "2000", "0x1");
    assert_eq!(broken.code, Some(101), "{}", broken.text);
    let line = broken
        .text
        .lines()
        .find(|line| line.trim_start().starts_with("breaks("))
        .unwrap();
    assert!(line.ends_with(", 255)"), "{line}");
    assert_eq!(
        run("symex_breaks", "2000", "0x1")
            .text
            .lines()
            .find(|line| line.contains("breaks(\"")),
        Some(line)
    );
    assert!(run("symex_entry", "2000", "1").text.contains("entered"));
    let holds = run("symex_holds", "300", "7");
    assert_eq!(holds.code, Some(0), "{}", holds.text);
    let vacuous = run("symex_vacuous", "10", "7");
    assert!(
        vacuous
            .text
            .contains("did not meet the assumptions of `vacuous`"),
        "{}",
        vacuous.text
    );
    let nonsense = run("symex_holds", "many", "7");
    assert!(
        nonsense.text.contains("SYMEX_RANDOM must be a number"),
        "{}",
        nonsense.text
    );
}

#[test]
fn a_no_std_crate_of_edition_2018_has_regressions_with_std_types() {
    let source = "
        #![no_std]
        #![deny(warnings)]
        #[symex::harness]
        fn sums(list: &[u8], text: Option<&str>) {
            let mut sum = 0u8;
            for byte in list { sum += byte; }
            let _ = (sum, text);
        }
        #[symex::harness]
        fn owns(list: symex::__rt::std::vec::Vec<u8>, set: symex::__rt::std::collections::BTreeSet<i8>) {
            assert!(list.len() + set.len() < 3, \"full\");
        }
    ";
    let fixture = Fixture::new("bare", "2018", source);
    let (ended, values) = fixture.replay("symex_sums", "n 02\nlist ff01\nsome 01\nn 01\ntext 61\n");
    assert_eq!(ended.code, Some(101), "{}", ended.text);
    assert_eq!(call(&values.unwrap()), "sums(&[0xff, 0x01], Some(\"a\"))");
    let (_, values) = fixture.replay("symex_owns", "n 02\nlist ff01\nn 02\nset 01fe\n");
    let values = values.unwrap();
    assert_eq!(
        call(&values),
        "owns(vec![0xff, 0x01], std::collections::BTreeSet::from([-2, 1]))"
    );
    fixture.add_regression(
        "src/lib/owns.rs",
        &format!(
            "#[test]\n#[should_panic(expected = \"full\")]\nfn owns_1() {{\n    {};\n}}\n",
            call(&values)
        ),
        "src/lib.rs",
    );
    let ended = fixture.test(&["--exact", "symex_owns::owns_1"], &[]);
    assert!(
        ended.code == Some(0) && ended.text.contains("1 passed"),
        "{}",
        ended.text
    );
}

#[test]
fn a_crate_of_edition_2015_needs_only_extern_crate() {
    let source = "
        #![deny(warnings)]
        #[macro_use]
        extern crate symex;
        mod inner {
            #[derive(Debug, Symbolic)]
            struct Pair(u8, Vec<u16>);
            use symex::Symbolic;

            #[::symex::harness]
            fn pairs(pair: Pair, limit: ::std::time::Duration) {
                cover!(pair.0 == 3, \"three\");
                assert!(pair.1.len() < 2 || limit.subsec_nanos() != 5, \"both\");
            }
        }
    ";
    let fixture = Fixture::new("old", "2015", source);
    let (ended, values) =
        fixture.replay("inner::symex_pairs", "a 03\nn 02\nb 01000200\ns 09\nn 05\n");
    assert_eq!(ended.code, Some(101), "{}", ended.text);
    let values = values.unwrap();
    assert_eq!(
        call(&values),
        "pairs(crate::inner::Pair(3, vec![1, 2]), core::time::Duration::new(9, 5))"
    );
    fixture.add_regression(
        "src/lib/inner/pairs.rs",
        &format!(
            "#[test]\n#[should_panic(expected = \"both\")]\nfn pairs_1() {{\n    {};\n}}\n",
            call(&values)
        ),
        "src/lib.rs",
    );
    let ended = fixture.test(&["--exact", "inner::symex_pairs::pairs_1"], &[]);
    assert!(
        ended.code == Some(0) && ended.text.contains("1 passed"),
        "{}",
        ended.text
    );
}

#[test]
fn what_cannot_be_drawn_is_reported_at_the_argument() {
    let source = "pub struct Opaque;\n\n#[symex::harness]\npub fn takes(good: u8, bad: Option<Opaque>) -> u8 {\n    \
                  let _ = bad;\n    good\n}\n";
    let fixture = Fixture::new("undrawn", "2021", source);
    let ended = fixture.test(&[], &[]);
    let text = ended.text;
    assert_eq!(ended.code, Some(101), "{text}");
    assert!(
        text.contains("`Opaque` cannot be an input of a harness"),
        "{text}"
    );
    assert!(text.contains("src/lib.rs:4:29"), "{text}");
    assert!(text.contains("a harness cannot return `u8`"), "{text}");
    assert!(text.contains("src/lib.rs:4:48"), "{text}");
    assert_eq!(text.matches("cannot be an input").count(), 1, "{text}");
}
