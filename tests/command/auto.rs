//! Tests of `cargo symex auto`: harnesses that are drafted for the functions of a crate.

use crate::support::{Crate, Run, kinds};
use serde_json::Value;
use std::collections::BTreeMap;

const LIBRARY: &str = "
pub fn half(x: u8) -> u8 { x / 2 }

pub fn nth(bytes: &[u8], at: usize) -> u8 { bytes[at] }

pub fn unchecked(bytes: &[u8], at: u8) -> u8 { unsafe { *bytes.as_ptr().add(at.into()) } }

/// Divides.
///
/// # Panics
/// If `by` is 0.
pub fn divide(x: u8, by: u8) -> u8 { x / by }

pub struct Even(u8);

impl Even {
    pub fn new(x: u8) -> Option<Self> { (x % 2 == 0).then_some(Even(x)) }
    pub fn half(&self) -> u8 { assert!(self.0 % 2 == 0); self.0 / 2 }
}

#[derive(Clone, Copy)]
pub enum Shape { Point, Line(u8), Field { width: u8, height: u8 } }

impl Shape {
    pub fn area(&self) -> u8 {
        match *self { Shape::Field { width, height } => width * height, _ => 0 }
    }
}

pub struct Stack { values: Vec<u8> }

impl Stack {
    pub fn new() -> Self { Stack { values: Vec::new() } }
    pub fn push(&mut self, value: u8) { self.values.push(value) }
    pub fn first_after_third(&self) -> u8 { if self.values.len() == 3 { self.values[3] } else { 0 } }
}

pub fn total<I: IntoIterator<Item = u8>>(items: I) -> u64 { items.into_iter().map(u64::from).sum() }

pub fn applied(x: u8, change: impl Fn(u8) -> u8) -> u8 { change(x) }

pub unsafe fn raw(at: *const u8) -> u8 { unsafe { *at } }

pub struct Token(());

pub fn consume(_: Token) {}

pub fn negated<T: std::ops::Not<Output = String>>(x: T) -> String { !x }

mod inner { pub fn renamed(text: &str) -> Option<u8> { text.parse().ok() } }
pub use inner::renamed as number;
";

fn library(name: &str) -> Crate {
    let name = format!("auto_{name}");
    Crate::library(&name, LIBRARY)
}

fn json(tree: &Crate, options: &[&str]) -> Run {
    tree.symex(&[&["auto", "--message-format", "json"], options].concat())
}

#[test]
fn functions_are_drafted_and_explored() {
    let tree = library("explored");
    let run = json(&tree, &[]).code(1);
    let finished = run.finished();
    let verdicts: BTreeMap<&str, &str> = finished
        .iter()
        .map(|(name, finished)| (name.as_str(), finished["verdict"].as_str().expect("one")))
        .collect();
    assert_eq!(
        verdicts,
        BTreeMap::from([
            ("applied", "pass-complete"),
            ("divide", "pass-complete"),
            ("even_half", "pass-complete"),
            ("even_new", "pass-complete"),
            ("half", "pass-complete"),
            ("nth", "bug"),
            ("number", "pass-bounded"),
            ("shape_area", "bug"),
            ("stack_first_after_third", "bug"),
            ("stack_new", "pass-complete"),
            ("stack_push", "pass-bounded"),
            ("total", "pass-bounded"),
            ("unchecked", "bug"),
        ])
    );
    assert!(kinds(&finished["unchecked"]).contains(&"out-of-bounds"));
    let lines = run.json();
    let judgements: BTreeMap<&str, &str> = lines
        .iter()
        .filter(|line| line["type"] == "auto-finding")
        .map(|line| {
            (
                line["function"].as_str().expect("one"),
                line["judgement"].as_str().expect("one"),
            )
        })
        .collect();
    assert_eq!(
        judgements,
        BTreeMap::from([
            ("Shape::area", "panic"),
            ("Stack::first_after_third", "panic"),
            ("divide", "promised-panic"),
            ("nth", "panic"),
            ("unchecked", "undefined"),
        ])
    );
    let summary = lines.iter().find(|line| line["type"] == "auto-summary");
    let summary = summary.expect("a summary");
    assert_eq!(
        (&summary["seen"], &summary["drafted"]),
        (&16.into(), &13.into())
    );
    let reasons: BTreeMap<&str, &str> = summary["not_drafted"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one: &Value| {
            (
                one["function"].as_str().expect("one"),
                one["reason"].as_str().expect("one"),
            )
        })
        .collect();
    assert_eq!(
        reasons["raw"],
        "it is unsafe: its callers have to keep a contract"
    );
    assert_eq!(
        reasons["consume"],
        "it needs `Token`, which no function makes"
    );
    let uncompiled = reasons["negated"];
    assert!(
        uncompiled.starts_with("its draft does not compile: type mismatch"),
        "{uncompiled}"
    );
    assert_eq!(reasons.len(), 3);
    // Nothing is left in the crate.
    assert!(!tree.exists("tests") && !tree.exists("symex-regressions"));
}

#[test]
fn promised_panics_count_if_asked_and_paths_select() {
    let tree = library("selected");
    let shown = tree.symex(&["auto", "divide", "Even"]).code(0).stdout;
    assert!(
        shown.contains("its documentation says that it may panic"),
        "{shown}"
    );
    assert!(
        shown.contains("3 seen, 3 drafted, 3 run: 3 complete"),
        "{shown}"
    );
    tree.symex(&["auto", "--promised-panics", "auto_selected::divide"])
        .code(1);
    let error = tree.symex(&["auto", "absent"]).code(5);
    assert!(
        error.stderr.contains("no public function matches `absent`"),
        "{error:?}"
    );
}

#[test]
fn the_list_says_what_is_drafted_and_is_the_same_each_time() {
    let tree = library("listed");
    let list = tree.symex(&["auto", "--list"]).code(0).stdout;
    assert!(
        list.contains("even_half  `Even::half`  src/lib.rs:"),
        "{list}"
    );
    assert!(list.contains("13 drafted\nnot drafted: 3\n"), "{list}");
    assert_eq!(tree.symex(&["auto", "--list"]).code(0).stdout, list);
    let none = tree.symex(&[]).code(5);
    assert!(
        none.stderr.contains("`cargo symex auto` drafts"),
        "{none:?}"
    );
}

#[test]
fn harnesses_are_left_in_the_crate() {
    let tree = library("written");
    let own = "/// Mine.\n#[symex::harness]\nfn half(x: u8) {\n    assert!(auto_written::half(x) < 128);\n}\n";
    tree.write("tests/symex_auto.rs", own);
    let run = tree.symex(&["auto", "--write", "half", "nth"]).code(1);
    let text = tree.read("tests/symex_auto.rs");
    assert!(text.starts_with(own), "{text}");
    let drafted = "
/// `nth` neither panics nor does anything that is undefined, for any `bytes` of up to 8 bytes and
/// any `at`.
#[symex::harness(bound(bytes = 8))]
fn nth(bytes: &[u8], at: usize) {
    let _ = auto_written::nth(bytes, at);
}
";
    assert!(text.contains(drafted), "{text}");
    assert!(run.stderr.contains("2 harnesses written"), "{run:?}");
    assert!(
        tree.exists("symex-regressions/tests/symex_auto/nth.rs"),
        "{run:?}"
    );
    // What was found is a test of the crate, which fails; the rest of its tests pass.
    tree.cargo(&["test", "--test", "symex_auto", "--", "--skip", "nth"])
        .code(0);
    tree.cargo(&["test", "--test", "symex_auto"]).code(101);
    let again = tree.symex(&["auto", "--write", "half", "nth"]).code(1);
    assert!(again.stderr.contains("0 harnesses written"), "{again:?}");
    assert_eq!(tree.read("tests/symex_auto.rs"), text);
}

#[test]
fn findings_of_drafted_harnesses_are_ignored_in_the_crate() {
    let tree = Crate::library(
        "auto_ignored",
        "pub fn nth(bytes: &[u8], at: usize) -> u8 { bytes[at] }\n",
    );
    tree.symex(&["auto"]).code(1);
    let run = tree.symex(&["review", "--ignore", "nth", "--reason", "by contract"]);
    let run = run.code(0);
    let told = "nth: ignored in symex-ignored.toml";
    assert!(run.stdout.contains(told), "{}", run.stdout);
    let run = tree.symex(&["auto"]).code(0);
    assert!(run.stdout.contains(", 1 finding ignored"), "{}", run.stdout);
    assert!(run.stdout.contains("0 of panics"), "{}", run.stdout);
    tree.symex(&["auto", "--no-ignore"]).code(1);
}

#[test]
fn neither_lints_nor_a_dependency_of_the_same_name_stop_drafts() {
    let source = "#![deny(warnings)]
pub enum Kind { One, Two }
fn number(of: Kind) -> u8 { match of { One => 1 } }
pub fn numbered(x: bool) -> u8 { let unused = x; number(if x { Kind::One } else { Kind::Two }) }
";
    let name = "auto_namesake";
    let manifest = |name: &str, version: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2021\"\n{rest}")
    };
    let helper = "[dev-dependencies]\nhelper = { path = \"others/helper\" }\n\
                  [workspace]\nexclude = [\"others\"]\n";
    let namesake = format!("[dependencies]\n{name} = {{ path = \"../namesake\" }}\n");
    let files = [
        ("Cargo.toml", manifest(name, "0.1.0", helper)),
        ("src/lib.rs", source.to_owned()),
        (
            "others/helper/Cargo.toml",
            manifest("helper", "0.1.0", &namesake),
        ),
        ("others/helper/src/lib.rs", String::new()),
        ("others/namesake/Cargo.toml", manifest(name, "0.0.9", "")),
        ("others/namesake/src/lib.rs", String::new()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, &**text)).collect();
    let tree = Crate::files(name, &files);
    // The lints are there: cargo refuses to build it.
    tree.cargo(&["build"]).code(101);
    for package in [None, Some("auto_namesake"), Some("auto_namesake@0.1.0")] {
        let chosen: Vec<&str> = package.iter().flat_map(|name| ["-p", name]).collect();
        let run = tree.symex(&[&["auto"], &chosen[..]].concat()).code(0);
        assert!(run.stdout.contains("numbered"), "{run:?}");
        assert!(!run.stderr.contains("warning"), "{run:?}");
    }
    let run = tree.symex(&["auto", "-p", "helper"]).code(2);
    let run = run.error("`helper` is no member of the workspace");
    assert!(
        run.stderr
            .contains("-p names a member: `auto_namesake`; for a dependency, copy"),
        "{run:?}"
    );
}
