//! Tests of findings that do not count, by the file of their package.

use crate::support::{Crate, Run};
use serde_json::Value;

/// The file that names findings which do not count.
pub const FILE: &str = "symex-ignored.toml";

/// A library with two bugs.
pub const SOURCE: &str = r#"
pub fn parse(x: u8) {
    assert!(x != 7, "seven");
}

pub fn divide(x: u8) -> u8 {
    100 / x
}

#[cfg(test)]
mod tests {
    #[symex::harness]
    fn divides(x: u8) {
        super::divide(x);
    }

    #[symex::harness]
    fn parses(x: u8) {
        super::parse(x);
    }
}
"#;

/// Returns an entry for the finding of `parses`, with this line of source.
fn entry(name: &str, line: &str) -> String {
    format!(
        "[[finding]]\nharness = \"tests::parses\"\nkind = \"panic\"\nfunction = \"{name}::parse\"\n\
         line = '{line}'\nreason = \"seven is refused\"\n"
    )
}

const LINE: &str = r#"assert!(x != 7, "seven");"#;

/// Returns the only finding of a run that does not count.
#[track_caller]
fn ignored(run: &Run) -> Value {
    let lines = run.json().into_iter();
    let found: Vec<Value> = lines
        .filter(|line| line["type"] == "finding" && line["ignored"].is_string())
        .collect();
    let [one] = &found[..] else {
        panic!("{}", run.stdout);
    };
    one.clone()
}

#[test]
fn an_ignored_finding_does_not_fail_a_run_and_is_in_every_report() {
    let tree = Crate::library("ignored_reports", SOURCE);
    tree.write(FILE, &entry("ignored_reports", LINE));
    let run = tree.symex(&["parses"]).code(0);
    for text in [
        "tests::parses ... pass (complete), 1 finding ignored",
        "note: tests::parses: 1 finding ignored, beyond which no path is explored",
        "panic at src/lib.rs:3:5: seven; ignored: seven is refused",
        "1 harness: 1 pass (complete); 1 filtered out; 1 finding ignored; ",
    ] {
        assert!(run.stdout.contains(text), "{text} in\n{}", run.stdout);
    }
    assert!(!tree.exists("symex-regressions"), "no test of it");

    // From the cache as well, and in the other forms.
    let files = [
        "--junit",
        "j.xml",
        "--sarif",
        "s.json",
        "--markdown",
        "m.md",
        "--html",
        "page",
    ];
    let run = tree.symex(&[&["parses", "--message-format", "json"], &files[..]].concat());
    let run = run.code(0);
    let finished = run.finished()["tests::parses"].clone();
    assert_eq!(finished["cached"], true);
    assert_eq!(finished["verdict"], "pass-complete");
    assert_eq!(
        finished["verdict_text"],
        "pass (complete), 1 finding ignored"
    );
    assert_eq!(finished["findings"], Value::Array(Vec::new()));
    let finding = ignored(&run);
    assert_eq!(finding["ignored"], "seven is refused");
    assert_eq!(finding["identity"]["line"], LINE);
    assert_eq!(finding["replay"]["status"], "skipped");
    assert_eq!(run.json().last().unwrap()["ignored_findings"], 1);

    let text = tree.read("j.xml");
    let xml = roxmltree::Document::parse(&text).unwrap();
    assert_eq!(xml.root_element().attribute("failures"), Some("0"));
    let property = xml
        .descendants()
        .find(|node| node.attribute("name") == Some("ignored"));
    let property = property.and_then(|node| node.attribute("value"));
    assert_eq!(property, Some("panic: seven is refused"));
    let out = xml
        .descendants()
        .find(|node| node.has_tag_name("system-out"));
    let out = out.and_then(|node| node.text()).unwrap();
    assert!(
        out.starts_with("pass (complete), 1 finding ignored"),
        "{out}"
    );

    let sarif: Value = serde_json::from_str(&tree.read("s.json")).unwrap();
    let results = &sarif["runs"][0]["results"];
    assert_eq!(results.as_array().unwrap().len(), 1);
    let suppression = &results[0]["suppressions"][0];
    assert_eq!(suppression["kind"], "external");
    assert_eq!(suppression["justification"], "seven is refused");

    let markdown = tree.read("m.md");
    assert!(markdown.contains("pass (complete), 1 finding ignored"));
    assert!(
        markdown.contains("<details><summary>1 finding ignored</summary>"),
        "{markdown}"
    );
    let page = tree.read("page/index.html");
    assert!(page.contains("ignored: seven is refused"));

    // A recorded run has it, and so has one of which parts were joined.
    let again = tree.symex(&["report"]).code(0);
    assert!(
        again.stdout.contains("ignored: seven is refused"),
        "{}",
        again.stdout
    );
    tree.symex(&["report", "--format", "json", "-o", "run.json"])
        .code(0);
    let merged = tree.symex(&["merge-reports", "run.json", "--message-format", "json"]);
    assert_eq!(ignored(&merged.code(0)), finding);

    // Libtest knows only that it passes; GitHub is told of no error.
    let terse = tree.symex_with(
        &["parses", "--format", "pretty"],
        &[("GITHUB_ACTIONS", "true")],
    );
    let terse = terse.code(0);
    assert!(
        terse.stdout.contains("test tests::parses ... ok"),
        "{}",
        terse.stdout
    );
    assert!(
        terse.stderr.contains("pass (complete), 1 finding ignored"),
        "{}",
        terse.stderr
    );
    assert!(!terse.stderr.contains("::error"), "{}", terse.stderr);
    let editor = tree
        .symex(&["parses", "--message-format", "diagnostics"])
        .code(0);
    assert!(!editor.stdout.contains("symex::panic"), "{}", editor.stdout);

    // Another harness fails as ever, and so does this one if it is asked for.
    tree.symex(&["divides", "--no-write"]).code(1);
    let shown = tree.symex(&["parses", "--no-ignore"]).code(1);
    assert!(
        shown.stdout.contains("tests::parses ... bug"),
        "{}",
        shown.stdout
    );
    assert!(tree.exists("symex-regressions"));
}

#[test]
fn the_file_takes_effect_at_once_and_what_it_has_too_much_is_told() {
    let tree = Crate::library("ignored_changes", SOURCE);
    // GitHub is told paths from the repository's root.
    std::fs::create_dir_all(tree.path().join(".git")).unwrap();
    let parses = || tree.symex(&["parses", "--no-write"]);
    parses().code(1);
    tree.write(FILE, &entry("ignored_changes", LINE));
    assert!(parses().code(0).stdout.contains("[cached]"));
    // Lines may move.
    tree.write("src/lib.rs", &format!("// Moved.\n{SOURCE}"));
    let moved = parses().code(0);
    assert!(
        moved.stdout.contains("at src/lib.rs:4:5"),
        "{}",
        moved.stdout
    );
    // A changed line is another finding, and the old one is no more.
    tree.write("src/lib.rs", &SOURCE.replace("!= 7", "!= 8"));
    let changed = parses().code(1);
    for text in [
        "tests::parses ... bug",
        "warning: tests::parses: an ignored finding is no longer found, and still in symex-ignored.toml",
        "panic in ignored_changes::parse at `assert!(x != 7, \"seven\");`: seven is refused",
        "help: remove it from symex-ignored.toml",
    ] {
        assert!(
            changed.stdout.contains(text),
            "{text} in\n{}",
            changed.stdout
        );
    }
    let told = tree.symex_with(
        &["parses", "--no-write", "--format", "terse"],
        &[("GITHUB_ACTIONS", "true")],
    );
    for text in [
        "warning: tests::parses: an ignored finding is no longer found",
        "::warning file=symex-ignored.toml,title=cargo symex%3A ignored findings::tests::parses: an ignored finding",
    ] {
        assert!(told.stderr.contains(text), "{text} in\n{}", told.stderr);
    }
    // Where the run ended before it saw everything, nobody knows.
    let stopped = tree.symex(&["parses", "--no-write", "--max-paths", "1"]);
    assert!(
        !stopped.stdout.contains("no longer found"),
        "{}",
        stopped.stdout
    );
    // Nor of harnesses that are not explored.
    let other = tree.symex(&["divides", "--no-write"]).code(1);
    assert!(
        !other.stdout.contains("no longer found"),
        "{}",
        other.stdout
    );
}

#[test]
fn a_mistake_in_the_file_is_told_before_anything_is_built() {
    let tree = Crate::library("ignored_mistakes", SOURCE);
    tree.write(
        FILE,
        &entry("ignored_mistakes", LINE).replace("reason", "reson"),
    );
    let run = tree.symex(&[]).code(2);
    assert!(!run.stderr.contains("Compiling"), "{}", run.stderr);
    run.error("symex-ignored.toml: line 6: unknown field `reson`");
    // It is not read where it has no effect.
    tree.symex(&["parses", "--no-write", "--no-ignore"]).code(1);
}

#[test]
fn a_harness_that_ends_in_ignored_findings_alone_tests_nothing() {
    let source = "#[cfg(test)]\nmod tests {\n    #[symex::harness]\n    fn fails(x: u8) {\n        \
                  panic!(\"{x}\");\n    }\n}\n";
    let tree = Crate::library("ignored_all", source);
    tree.write(
        FILE,
        "[[finding]]\nharness = \"tests::fails\"\nkind = \"panic\"\nfunction = \"ignored_all::tests::fails\"\n\
         line = 'panic!(\"{x}\");'\nreason = \"not written yet\"\n",
    );
    let run = tree.symex(&[]).code(4);
    let text = "vacuous (no path ends but in ignored findings), 1 finding ignored";
    assert!(run.stdout.contains(text), "{}", run.stdout);
}
