//! Tests of recorded runs, and of the reports that are made of them.

use crate::support::{Crate, Run};
use serde_json::Value;

const SOURCE: &str = r#"
pub fn at(data: &[u8], index: usize) -> u8 {
    data[index]
}

#[cfg(test)]
mod tests {
    #[symex::harness]
    fn bounded(data: &[u8]) {
        assert!(data.len() < 9);
    }

    #[symex::harness]
    fn parses(data: [u8; 4], index: usize) {
        super::at(&data, index);
    }

    #[symex::harness]
    fn passes(x: u8) {
        assert!(u16::from(x) < 256);
    }

    #[symex::harness]
    #[ignore]
    fn slow(x: u8) {
        let _ = x;
    }
}
"#;

/// Returns the lines of a report in JSON without those that differ between a run and another.
fn stable(run: &Run) -> Vec<Value> {
    let mut lines = run.json();
    for line in &mut lines {
        line["stats"] = Value::Null;
        line["cached"] = Value::Null;
        line["test"] = Value::Null;
    }
    lines
}

#[test]
fn a_run_is_recorded_and_reported_again() {
    let tree = Crate::library("recorded", SOURCE);
    let text = tree.symex(&["--no-cache"]).code(1).stdout;
    let again = tree.symex(&["report"]).code(0);
    assert_eq!(again.stdout, text);
    // The same in JSON, byte for byte.
    let json = tree.symex(&["--message-format", "json"]).code(1).stdout;
    let again = tree.symex(&["report", "--format", "json"]).code(0);
    assert_eq!(again.stdout, json);
    let lines = again.json();
    assert_eq!(lines[0]["type"], "run-started");
    assert_eq!(lines[0]["packages"][0]["name"], "recorded");
    assert_eq!(lines[1]["type"], "harness-left-out");
    assert_eq!(
        (&lines[1]["harness"], &lines[1]["why"]),
        (&"tests::slow".into(), &"ignored".into())
    );
    // A file is as good as a number.
    tree.symex(&["report", "--format", "json", "-o", "run.json"])
        .code(0);
    assert_eq!(tree.read("run.json"), json);
    let run = tree.symex(&["report", "--run", "run.json", "--format", "json"]);
    assert_eq!(run.code(0).stdout, json);
}

#[test]
fn a_report_that_is_not_there_is_a_clear_error() {
    let tree = Crate::library("unrecorded", SOURCE);
    tree.symex(&["report", "--run", "4000000"])
        .code(2)
        .error("no such run is recorded in");
    tree.symex(&["report", "--run", "no.json"])
        .code(2)
        .error("failed to read the report no.json: No such file");
    tree.write("half.json", "{\"type\":\"run-started\"}\n");
    tree.symex(&["report", "--run", "half.json"])
        .code(2)
        .error("failed to read the report half.json: line 1: ");
}

#[test]
fn the_recorded_run_does_not_depend_on_the_form_that_is_printed() {
    let tree = Crate::library("recorded_forms", SOURCE);
    let report = || tree.symex(&["report", "--format", "json"]).code(0);
    tree.symex(&["--format", "terse", "--no-cache"]).code(1);
    let terse = report();
    tree.symex(&["--no-cache"]).code(1);
    assert_eq!(stable(&report()), stable(&terse));
}

#[test]
fn junit_says_what_the_exit_code_says() {
    let tree = Crate::library("junit", SOURCE);
    let file = "reports.xml";
    tree.symex(&["parses", "--junit", file]).code(1);
    let failing = tree.read(file);
    let xml = roxmltree::Document::parse(&failing).unwrap();
    let root = xml.root_element();
    assert_eq!(root.attribute("failures"), Some("1"));
    let failure = xml.descendants().find(|node| node.has_tag_name("failure"));
    let failure = failure.expect("a failure");
    assert!(
        failure
            .attribute("message")
            .unwrap()
            .starts_with("index out of bounds")
    );
    assert!(
        failure.text().unwrap().contains("index: usize = 4"),
        "{failing}"
    );
    let case = failure.parent().unwrap();
    assert_eq!(case.attribute("name"), Some("tests::parses"));
    assert_eq!(case.attribute("classname"), Some("junit"));
    // Written later, it is the same.
    let later = tree.symex(&["report", "--format", "junit"]).code(0).stdout;
    assert_eq!(later, failing);

    let failures = |args: &[&str], code| {
        tree.symex(&[&["bounded", "--junit", file], args].concat())
            .code(code);
        let text = tree.read(file);
        let xml = roxmltree::Document::parse(&text).unwrap();
        xml.root_element().attribute("failures").unwrap().to_owned()
    };
    assert_eq!(failures(&[], 0), "0");
    assert_eq!(failures(&["--require-complete"], 6), "1");
}

#[test]
fn reports_that_would_overwrite_each_other_are_refused_before_the_build() {
    let tree = Crate::library("reports_same", "does not compile");
    let told = |args: &[&str], message: &str| {
        tree.symex(args).code(2).error(message);
    };
    told(
        &["--junit", "x", "--sarif", "./none/../x"],
        "failed to write ./none/../x: --junit and --sarif need a file each",
    );
    told(
        &["--html", "page", "--coverage", "lcov=page/index.html"],
        "failed to write page/index.html: --html and --coverage lcov= need places of their own",
    );
    told(
        &[
            "fuzz",
            "--fuzz-dir",
            ".",
            "--markdown",
            "x",
            "--profiling",
            "pprof=x",
        ],
        "failed to write x: --markdown and --profiling pprof= need a file each",
    );
    told(
        &["report", "-o", "x", "--coverage", "json=x"],
        "failed to write x: --output and --coverage json= need a file each",
    );
    told(
        &["merge-reports", "a.json", "--output", "x", "--junit", "x"],
        "failed to write x: --junit and --output need a file each",
    );
}

#[test]
fn a_report_that_cannot_be_written_fails_the_run() {
    let tree = Crate::library("unwritable_report", SOURCE);
    let run = tree.symex(&["passes", "--junit", "none/there.xml"]).code(7);
    assert!(
        run.stdout.contains("tests::passes ... pass (complete)"),
        "{}",
        run.stdout
    );
    run.error("failed to write none/there.xml: No such file");
}

/// Returns a report in SARIF, after comparing it with the schema.
#[track_caller]
fn sarif(text: &str) -> Value {
    // As published, a pattern is no regular expression: its `]` needs an escape.
    let schema = include_str!("sarif/sarif-schema-2.1.0.json").replace("{2}]?$", "{2}\\\\]?$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let options = jsonschema::options().should_validate_formats(true);
    let schema = options.build(&schema).expect("a schema");
    assert!(!schema.is_valid(&Value::Null));
    let log: Value = serde_json::from_str(text).unwrap();
    let errors: Vec<String> = schema
        .iter_errors(&log)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    log
}

#[test]
fn sarif_is_as_its_schema_says() {
    let tree = Crate::library("sarif", SOURCE);
    // The root of a repository, with the package in it.
    std::fs::create_dir_all(tree.path().join(".git")).unwrap();
    tree.symex(&["--sarif", "found.sarif"]).code(1);
    let text = tree.read("found.sarif");
    let log = sarif(&text);
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["ruleId"], "panic");
    let at = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(at["artifactLocation"]["uri"], "src/lib.rs");
    assert_eq!(at["region"]["startLine"], 3);
    let rule = &run["tool"]["driver"]["rules"][0];
    assert!(rule["help"]["text"].as_str().unwrap().contains("panics"));
    let steps = &results[0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(steps.as_array().unwrap().len(), 2);
    assert_eq!(run["invocations"][0]["exitCode"], 1);

    // A line above the fault changes its place, and not what identifies it.
    let edited = SOURCE.replacen("pub fn at", "// It indexes.\npub fn at", 1);
    tree.write("src/lib.rs", &edited);
    tree.symex(&["--sarif", "edited.sarif"]).code(1);
    let edited = sarif(&tree.read("edited.sarif"));
    let edited = &edited["runs"][0]["results"][0];
    assert_eq!(
        edited["partialFingerprints"],
        results[0]["partialFingerprints"]
    );
    let region = &edited["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 4);
    let later = tree.symex(&["report", "--format", "sarif"]).code(0);
    assert_eq!(later.stdout, tree.read("edited.sarif"));

    // Ignored, it is the same result, and suppressed.
    let ignore = [
        "review",
        "--ignore",
        "tests::parses",
        "--reason",
        "by contract",
    ];
    tree.symex(&ignore).code(0);
    tree.symex(&["--sarif", "ignored.sarif"]).code(0);
    let ignored = sarif(&tree.read("ignored.sarif"));
    let [ignored] = &ignored["runs"][0]["results"].as_array().unwrap()[..] else {
        panic!("{ignored:#}");
    };
    assert_eq!(
        ignored["partialFingerprints"],
        results[0]["partialFingerprints"]
    );
    let suppression = serde_json::json!({ "kind": "external", "justification": "by contract" });
    assert_eq!(ignored["suppressions"], Value::Array(vec![suppression]));
}

#[test]
fn sarif_of_what_is_no_crate_and_of_memory_is_as_its_schema_says() {
    let tree = Crate::files(
        "sarif_c",
        &[(
            "free.c",
            "#include <stdlib.h>\nint main(void) {\n  char *p = malloc(4);\n  free(p);\n  return *p;\n}\n",
        )],
    );
    tree.symex(&["c", "free.c", "--sarif", "found.sarif"])
        .code(1);
    let log = sarif(&tree.read("found.sarif"));
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "use-after-free");
    let at = &result["locations"][0]["physicalLocation"];
    assert!(
        at["artifactLocation"]["uri"]
            .as_str()
            .unwrap()
            .ends_with("free.c"),
        "{at}"
    );
    assert_eq!(at["region"]["startLine"], 5);
    let related = result["relatedLocations"].as_array().unwrap();
    assert_eq!(related[0]["message"]["text"], "allocated here");
    assert_eq!(related[1]["message"]["text"], "freed here");
    let freed = &related[1]["physicalLocation"]["region"]["startLine"];
    assert_eq!(freed, 4);
}

#[test]
fn github_is_told_of_findings_and_has_a_summary() {
    let tree = Crate::library("github", SOURCE);
    std::fs::create_dir_all(tree.path().join(".git")).unwrap();
    let summary = tree.path().join("summary.md");
    std::fs::write(&summary, "What was there.\n").unwrap();
    let summary = summary.display().to_string();
    let env = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_STEP_SUMMARY", &*summary),
    ];
    let run = tree
        .symex_with(&["--message-format", "json", "--markdown", "run.md"], &env)
        .code(1);
    let commands: Vec<&str> = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("::"))
        .collect();
    assert_eq!(
        commands,
        [
            "::error file=src/lib.rs,line=3,col=5,title=cargo symex%3A panic in tests%3A%3Aparses::\
          index out of bounds: the len is 4 but the index is 4%0A\
          data: [u8; 4] = [0x00, 0x00, 0x00, 0x00]%0Aindex: usize = 4"
        ]
    );
    // Standard output is as ever.
    assert_eq!(run.json().last().unwrap()["type"], "summary");
    let text = tree.read("summary.md");
    let told = text
        .strip_prefix("What was there.\n")
        .expect("nothing was overwritten");
    assert_eq!(told.trim_end(), tree.read("run.md").trim_end());
    assert!(told.contains("| `tests::parses` | ❌ bug |"), "{told}");
    assert!(
        told.contains("<details><summary>tests::parses: panic: "),
        "{told}"
    );
    let later = tree
        .symex(&["report", "--format", "markdown"])
        .code(0)
        .stdout;
    assert_eq!(later, tree.read("run.md"));

    let run = tree.symex_with(&["--github", "never"], &env).code(1);
    assert!(!run.stderr.contains("::error"), "{}", run.stderr);
    assert_eq!(tree.read("summary.md"), text);
    let run = tree.symex(&[]).code(1);
    assert!(!run.stderr.contains("::error"), "{}", run.stderr);
}

#[test]
fn the_reports_of_parts_are_merged_into_that_of_the_whole() {
    let tree = Crate::library("merged", SOURCE);
    let whole = tree.symex(&["--message-format", "json"]).code(1);
    let part = |number: u32| {
        let partition = format!("slice:{number}/3");
        let run = tree.symex(&["--partition", &partition, "--message-format", "json"]);
        let file = format!("{number}.json");
        tree.write(&file, &run.stdout);
        run.code
    };
    assert_eq!([part(1), part(2), part(3)], [Some(0), Some(1), Some(0)]);
    let files = [
        "--junit",
        "all.xml",
        "--sarif",
        "all.sarif",
        "--markdown",
        "all.md",
    ];
    let merge = [
        "merge-reports",
        "3.json",
        "1.json",
        "2.json",
        "-o",
        "all.json",
    ];
    let run = tree.symex(&[&merge[..], &files].concat()).code(1);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    assert!(
        run.stdout
            .contains("3 harnesses: 1 bug, 1 pass (bounded), 1 pass (complete)"),
        "{}",
        run.stdout
    );
    let all = tree
        .symex(&["report", "--run", "all.json", "--format", "json"])
        .code(0);
    assert_eq!(stable(&all), stable(&whole));
    sarif(&tree.read("all.sarif"));
    let xml = tree.read("all.xml");
    let xml = roxmltree::Document::parse(&xml).unwrap();
    assert_eq!(xml.root_element().attribute("tests"), Some("4"));
    assert!(tree.read("all.md").contains("3 harnesses: "));

    let run = tree.symex(&["merge-reports", "1.json", "3.json"]).code(0);
    let told = "warning: parts of the run are missing: slice:2/3\n";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    let other = tree
        .read("2.json")
        .replace("\"version\":\"", "\"version\":\"9");
    tree.write("other.json", &other);
    tree.symex(&["merge-reports", "1.json", "other.json"])
        .code(2)
        .error("failed to merge the reports: 1.json and other.json are of different versions");
    tree.write(
        "passed.json",
        &tree
            .read("all.json")
            .replace("\"verdict\":\"bug\"", "\"verdict\":\"pass-complete\""),
    );
    tree.symex(&["merge-reports", "all.json", "passed.json"])
        .code(2)
        .error("failed to merge the reports: `tests::parses` has two verdicts: bug in all.json, pass (complete) in passed.json");
}
