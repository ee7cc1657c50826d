//! Tests of `--coverage`: what counts as run, what as unreachable, and the forms that others read.

use crate::support::{self, Crate};
use roxmltree::Document;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::BufRead;

/// Each line with code says in which state it is: `+` covered, `~` unreachable, `!` missed.
const SOURCE: &str = r#"
pub fn classify(x: u8) -> u32 {
    if x > 200 { // +
        log(1); // +
        inlined(x) // +
    } else if x == 7 { // +
        log(2); // +
        in_the_middle(x); // +
        log(3); // !
        note() // !
    } else {
        twice(x) as u32 // +
    }
} // +

fn in_the_middle(x: u8) {
    check(x.wrapping_mul(2)); // +
    log(4); // !
}

#[inline(never)]
fn check(x: u8) {
    if x == 14 { // +
        panic!("fourteen"); // +
    }
} // !

#[inline(never)]
fn log(x: u32) {
    std::hint::black_box(x); // +
} // +

#[inline(never)]
fn note() -> u32 {
    log(5); // !
    1
} // !

#[inline]
fn inlined(x: u8) -> u32 {
    x as u32 * 2 // +
}

fn twice<T: std::ops::Add<Output = T> + Copy>(x: T) -> T {
    x + x // +
}

pub fn parse(text: &[u8]) -> u32 {
    let mut sum = 0;
    for byte in text { // +
        match byte { // +
            b'a' => sum += 1, // +
            b'b' => {
                log(6); // +
                sum += 2; // +
            }
            b'y' => forbidden(), // ~
            b'z' => log(7), // ~
            _ => return sum,
        }
    }
    sum
} // +

#[inline(never)]
fn forbidden() {
    log(8); // ~
} // ~

#[cfg(test)]
mod tests {
    use super::*;

    #[symex::harness]
    fn classifies(x: u8) {
        symex::assume(x < 100 || x > 220); // +
        classify(x); // +
    }

    #[symex::harness]
    fn parses(text: [u8; 2]) {
        symex::assume(text.iter().all(|byte| *byte < b'y')); // +
        parse(&text); // +
    } // +
}
"#;

/// A harness that stops before it has come to one of its lines.
const BOUNDED: &str = r#"
#[cfg(test)]
mod more {
    #[symex::harness(max_paths = 1)]
    fn stops(last: u8) {
        super::log(9); // +
        if last == 3 { // +
            super::log(10); // !
        }
    }
}
"#;

const QUIET: &[&str] = &["--no-write", "--replay=off"];

fn states(text: &Value) -> BTreeMap<u64, char> {
    let mut states = BTreeMap::new();
    for (word, sign) in [("covered", '+'), ("unreachable", '~'), ("missed", '!')] {
        for line in text[word].as_array().unwrap() {
            states.insert(line.as_u64().unwrap(), sign);
        }
    }
    states
}

/// Returns the states that the comments of a source tell.
fn told(source: &str) -> BTreeMap<u64, char> {
    let lines = (1u64..).zip(source.lines());
    lines
        .filter_map(|(number, line)| Some((number, line.split_once("// ")?.1.chars().next()?)))
        .collect()
}

/// Returns the coverage in JSON that a file has, after comparing it with the schema.
#[track_caller]
fn coverage(tree: &Crate, file: &str) -> Value {
    let schema = include_str!("../../docs/coverage.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    assert!(!schema.is_valid(&Value::Null));
    let value: Value = serde_json::from_str(&tree.read(file)).unwrap();
    let errors: Vec<String> = schema
        .iter_errors(&value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{value}");
    value
}

fn symex(tree: &Crate, args: &[&str]) -> String {
    tree.symex(&[QUIET, args].concat()).stdout
}

#[test]
fn each_line_is_covered_unreachable_or_missed() {
    let source = format!("{SOURCE}{BOUNDED}");
    let tree = Crate::library("coverage_lines", &source);
    let text = symex(&tree, &["--coverage", "json=all.json"]);
    let all = coverage(&tree, "all.json");
    let file = &all["files"][0];
    assert_eq!(all["files"].as_array().unwrap().len(), 1);
    assert!(file["path"].as_str().unwrap().ends_with("src/lib.rs"));
    assert_eq!(states(file), told(&source));
    let lines = &all["totals"]["lines"];
    let covered = lines["covered"].as_u64().unwrap();
    let (unreachable, missed) = (&lines["unreachable"], &lines["missed"]);
    assert_eq!((unreachable, missed), (&4.into(), &7.into()));
    let all_lines = covered + 11;
    let last = text.lines().find(|line| line.starts_with("coverage: "));
    assert!(
        last.unwrap().starts_with(&format!(
            "coverage: {} % of lines ({covered} of {all_lines}), ",
            covered * 100 / all_lines
        )),
        "{text}"
    );
    assert!(last.unwrap().ends_with("; 4 lines cannot be reached"));

    // A condition has two arms, a match as many as lead to different places.
    let arms: Vec<(u64, Vec<&str>)> = file["branches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let arms = one["arms"].as_array().unwrap();
            let arms = arms.iter().map(|arm| arm.as_str().unwrap());
            (one["line"].as_u64().unwrap(), arms.collect())
        })
        .collect();
    let at = |text: &str| {
        let line = source.lines().position(|line| line.contains(text));
        line.unwrap() as u64 + 1
    };
    let of = |line: u64| &arms.iter().find(|one| one.0 == line).unwrap().1;
    assert_eq!(of(at("x > 200")), &["covered", "covered"]);
    assert_eq!(of(at("x == 14")), &["covered", "missed"]);
    assert_eq!(of(at("last == 3")), &["missed", "covered"]);
    let mut of_match = of(at("match byte")).clone();
    of_match.sort_unstable();
    assert_eq!(
        of_match,
        [
            "covered",
            "covered",
            "covered",
            "unreachable",
            "unreachable"
        ]
    );
    let functions = file["functions"].as_array().unwrap();
    let function = |name: &str| {
        let found = functions.iter().find(|one| one["name"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {functions:?}"))
    };
    let note = function("coverage_lines::note");
    assert_eq!(
        (&note["state"], &note["line"]),
        (&"missed".into(), &at("fn note").into())
    );
    assert_eq!(
        function("coverage_lines::forbidden")["state"],
        "unreachable"
    );
    assert_eq!(function("coverage_lines::inlined")["state"], "covered");
    assert_eq!(function("coverage_lines::twice::<u8>")["state"], "covered");
}

#[test]
fn other_tools_read_the_tracefile() {
    let tree = Crate::library("coverage_lcov", SOURCE);
    symex(
        &tree,
        &["--coverage", "lcov=cov.info", "--coverage", "json=cov.json"],
    );
    let totals = &coverage(&tree, "cov.json")["totals"];
    let number = |what: &str, state: &str| totals[what][state].as_u64().unwrap();
    let all = |what| number(what, "covered") + number(what, "unreachable") + number(what, "missed");
    let root = tree.path().display().to_string();
    let tracefile = tree.read("cov.info");
    let data = lcov2cobertura::parse_lines(tracefile.as_bytes().lines(), &root, &[]).unwrap();
    let names = lcov2cobertura::NullDemangler::new();
    let xml = lcov2cobertura::coverage_to_string(&data, 1, names).unwrap();
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..Default::default()
    };
    let xml = Document::parse_with_options(&xml, options).unwrap();
    let root = xml.root_element();
    let attribute = |name: &str| root.attribute(name).unwrap().parse::<u64>().unwrap();
    assert_eq!(attribute("lines-covered"), number("lines", "covered"));
    assert_eq!(attribute("lines-valid"), all("lines"));
    assert_eq!(attribute("branches-covered"), number("branches", "covered"));
    assert_eq!(attribute("branches-valid"), all("branches"));
    let class = xml.descendants().find(|node| node.has_tag_name("class"));
    let class = class.expect("a file");
    assert_eq!(class.attribute("filename"), Some("src/lib.rs"));
    // It knows lines that were run and others.
    let mut hits = BTreeMap::new();
    let of_class = class.children().find(|node| node.has_tag_name("lines"));
    for line in of_class
        .unwrap()
        .children()
        .filter(|node| node.is_element())
    {
        let number = |name| line.attribute(name).unwrap().parse::<u64>().unwrap();
        hits.insert(number("number"), number("hits") > 0);
    }
    let told = told(SOURCE).into_iter();
    let told: BTreeMap<u64, bool> = told.map(|(line, sign)| (line, sign == '+')).collect();
    assert_eq!(hits, told);
    // Both harnesses have run `log`; names of functions are readable.
    assert!(
        tracefile.contains("\nFNDA:2,coverage_lcov::log\n"),
        "{tracefile}"
    );
    let line = SOURCE
        .lines()
        .position(|line| line.contains("fn log"))
        .unwrap()
        + 1;
    assert!(tracefile.contains(&format!("\nFN:{line},coverage_lcov::log\n")));
}

#[test]
fn the_coverage_is_the_same_however_it_is_found() {
    let tree = Crate::library("coverage_same", SOURCE);
    let with = |args: &[&str]| {
        symex(&tree, &[&["--coverage", "json=cov.json"], args].concat());
        coverage(&tree, "cov.json")
    };
    let first = with(&["--no-cache"]);
    for args in [
        &["--no-cache", "-j1"][..],
        &["--no-cache", "-j4"],
        &["--no-cache", "--merge=off"],
        &["--no-cache", "--merge=similar"],
        &[],
    ] {
        assert_eq!(with(args), first, "{args:?}");
    }
    // Explored without a word of coverage, and not again.
    symex(&tree, &[]);
    let text = symex(&tree, &["--coverage", "json=cached.json"]);
    assert!(text.contains("; 1 cached"), "{text}");
    assert_eq!(coverage(&tree, "cached.json"), first);
    // Of the recorded run.
    tree.symex(&["report", "--coverage", "json=later.json"])
        .code(0);
    assert_eq!(coverage(&tree, "later.json"), first);
    // Nor after an edit elsewhere, which gives functions other numbers.
    let other = "pub fn third(x: u32) -> u32 { x / 3 }\n#[cfg(test)]\nmod a {\n    \
                 #[symex::harness]\n    fn first(x: u32) {\n        super::third(x);\n    }\n}\n";
    tree.write("src/lib.rs", &format!("{SOURCE}\n{other}"));
    let text = symex(&tree, &["--coverage", "json=edited.json"]);
    assert!(text.contains("; 1 cached"), "{text}");
    let of_parser = |all: &Value| {
        let mut harnesses = all["harnesses"].as_array().unwrap().iter();
        let found = harnesses.find(|one| one["harness"] == "tests::parses");
        found.unwrap().clone()
    };
    assert_eq!(
        of_parser(&coverage(&tree, "edited.json")),
        of_parser(&first)
    );
}

#[test]
fn a_run_that_goes_on_loses_no_coverage() {
    let tree = Crate::library("coverage_resumed", SOURCE);
    let parses = |args: &[&str], code| {
        let run = tree.symex(&[QUIET, &["parses", "--coverage", "json=cov.json"], args].concat());
        run.code(code);
        let all = coverage(&tree, "cov.json");
        all["files"][0].clone()
    };
    let whole = parses(&["--no-cache", "--merge=off"], 0);
    let first = parses(&["--max-paths=2", "--merge=off"], 0);
    assert_ne!(first, whole);
    let resumed = parses(&["--timeout=200s", "--merge=off", "--resume"], 0);
    assert_eq!(resumed, whole);
}

#[test]
fn parts_of_a_run_are_covered_as_the_whole() {
    let tree = Crate::library("coverage_parts", SOURCE);
    symex(&tree, &["--coverage", "json=whole.json"]);
    for part in ["slice:1/2", "slice:2/2"] {
        symex(&tree, &["--coverage", "summary", "--partition", part]);
        let file = format!("{}.json", &part[6..7]);
        tree.symex(&["report", "--format", "json", "-o", &file])
            .code(0);
    }
    let args = [
        "merge-reports",
        "1.json",
        "2.json",
        "--coverage",
        "json=merged.json",
    ];
    tree.symex(&args).code(1);
    assert_eq!(
        coverage(&tree, "merged.json"),
        coverage(&tree, "whole.json")
    );
}

#[test]
fn a_page_shows_each_file_in_colours() {
    let tree = Crate::library("coverage_html", SOURCE);
    symex(&tree, &["--coverage", "html=pages"]);
    let index = tree.read("pages/index.html");
    assert!(index.contains("<a href=\"0-lib.rs.html\">"), "{index}");
    assert!(index.contains("tests::parses"));
    let page = tree.read("pages/0-lib.rs.html");
    for (line, state) in told(SOURCE) {
        let class = match state {
            '+' => "covered",
            '~' => "unreachable",
            _ => "missed",
        };
        let row = format!("<tr id=\"L{line}\" class=\"{class}\">");
        assert!(page.contains(&row), "{row} in {page}");
    }
    assert!(page.contains("T: std::ops::Add&lt;Output = T&gt;"));
    for text in [&index, &page] {
        assert!(!text.contains("http"), "nothing is loaded");
    }
}

#[test]
fn dependencies_are_covered_on_request() {
    let manifest = support::manifest("coverage_user").replace(
        "[workspace]",
        "[dependencies]\nhelper = { path = \"helper\" }\n[workspace]\nexclude = [\"helper\"]",
    );
    let helper = "[package]\nname = \"helper\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let source = "pub fn least(x: u8) -> u8 {\n    helper::half(x)\n}\n#[cfg(test)]\nmod tests {\n    \
                  #[symex::harness]\n    fn halves(x: u8) {\n        super::least(x);\n    }\n}\n";
    let files = [
        ("Cargo.toml", &*manifest),
        ("src/lib.rs", source),
        ("helper/Cargo.toml", helper),
        (
            "helper/src/lib.rs",
            "#[inline(never)]\npub fn half(x: u8) -> u8 {\n    x / 2\n}\n",
        ),
    ];
    let tree = Crate::files("coverage_user", &files);
    let paths = |args: &[&str]| {
        symex(&tree, &[&["--coverage", "json=cov.json"], args].concat());
        let all = coverage(&tree, "cov.json");
        let files = all["files"].as_array().unwrap().iter();
        let names = files.map(|file| {
            let path = file["path"].as_str().unwrap();
            let at = path
                .find("coverage_user/")
                .map_or(0, |at| at + "coverage_user/".len());
            path[at..].to_owned()
        });
        names.collect::<Vec<_>>()
    };
    assert_eq!(paths(&[]), ["src/lib.rs"]);
    assert_eq!(
        paths(&["--coverage-dependencies"]),
        ["helper/src/lib.rs", "src/lib.rs"]
    );
}

#[test]
fn what_is_asked_for_wrongly_is_a_clear_error() {
    let tree = Crate::library("coverage_errors", SOURCE);
    for wrong in ["xml=a", "lcov", "lcov="] {
        tree.symex(&["--coverage", wrong]).code(2);
    }
    tree.symex(&["--coverage-dependencies"]).code(2);
    symex(&tree, &["parses"]);
    tree.symex(&["report", "--coverage", "lcov=cov.info"])
        .code(2)
        .error(
            "failed to report coverage: the run has recorded none, since it was without --coverage",
        );
    tree.symex(&["parses", "--coverage", "lcov=none/there.info"])
        .code(7)
        .error("failed to write none/there.info: No such file");
}

#[test]
fn a_program_in_c_is_covered() {
    let source = "int main(int argc, char **argv) {\n  if (argc > 5)\n    return 0;\n  if (argc > 1 && argv[1][0] == 'x')\n    \
                  __builtin_trap();\n  return 0;\n}\n";
    let tree = Crate::files("coverage_c", &[("main.c", source)]);
    let run = tree.symex(&[
        "c",
        "main.c",
        "--sym-arg",
        "1",
        "--coverage",
        "json=cov.json",
    ]);
    assert!(
        run.stdout.contains("coverage: "),
        "{}{}",
        run.stdout,
        run.stderr
    );
    let all = coverage(&tree, "cov.json");
    let states = states(&all["files"][0]);
    assert_eq!(states[&2], '+', "{all}");
    assert_eq!(states[&5], '+', "{all}");
}
