//! Tests of findings from the outside: verdicts and their exit codes, reports and their forms,
//! interruption.

use super::regressions::INDEX;
use crate::support::limited::{LIMIT, LimitedProcess};
use crate::support::{Crate, Run};

const VERDICTS: &str = r#"
#[cfg(test)]
mod t {
    #[symex::harness]
    fn bug(x: u32) {
        assert!(x != 77);
    }
    #[symex::harness]
    fn bounded(x: u32) {
        let mut n = 0u32;
        while n < x {
            n += 1;
        }
    }
    #[symex::harness]
    fn complete(x: u32) {
        assert!(u64::from(x) < 1 << 32);
    }
    #[symex::harness]
    fn vacuous(x: u32) {
        symex::assume(x > 3);
        symex::assume(x < 2);
    }
    #[symex::harness]
    fn uncovered(x: u8) {
        symex::cover!(x as u32 == 300, "three hundred");
    }
    #[symex::harness(should_panic)]
    fn panics(x: u8) {
        assert!(x as u32 > 300);
    }
    #[symex::harness(should_panic = "wanted")]
    fn panics_as_wanted(x: u8) {
        assert!(x as u32 > 300, "the wanted text");
    }
    #[symex::harness(should_panic = "wanted")]
    fn panics_otherwise(x: u8) {
        assert!(x as u32 > 300, "another text");
    }
    #[symex::harness(should_panic)]
    fn does_not_panic(x: u8) {
        let _ = x;
    }
}
"#;

#[test]
fn each_verdict_has_its_words_and_its_code() {
    let tree = Crate::library("verdicts", VERDICTS);
    let run = |args: &[&str]| {
        let mut all = vec!["--no-write", "--no-cache", "--exact"];
        all.extend_from_slice(args);
        tree.symex(&all)
    };
    let says =
        |stdout: &str, line: &str| assert!(stdout.contains(line), "{line} is not in\n{stdout}");
    says(&run(&["t::bug"]).code(1).stdout, "t::bug ... bug\n");
    says(
        &run(&["t::complete"]).code(0).stdout,
        "t::complete ... pass (complete)\n",
    );
    let bounded = ["t::bounded", "--max-paths", "5"];
    says(
        &run(&bounded).code(0).stdout,
        "t::bounded ... pass (bounded: path limit)\n",
    );
    run(&["t::bounded", "--max-paths", "5", "--require-complete"]).code(6);
    says(
        &run(&["t::vacuous"]).code(4).stdout,
        "t::vacuous ... vacuous (",
    );
    says(
        &run(&["t::uncovered"]).code(4).stdout,
        "t::uncovered ... vacuous (",
    );
    says(
        &run(&["t::panics"]).code(0).stdout,
        "t::panics ... pass (complete)\n",
    );
    says(
        &run(&["t::panics_as_wanted"]).code(0).stdout,
        "t::panics_as_wanted ... pass (complete)\n",
    );
    let otherwise = run(&["t::panics_otherwise"]).code(1).stdout;
    says(&otherwise, "error[panic]: another text\n");
    says(&otherwise, "= confirmed: natively");
    says(
        &run(&["t::does_not_panic"]).code(1).stdout,
        "t::does_not_panic ... bug\n",
    );

    // The gravest decides, whatever the order.
    run(&["t::complete", "t::vacuous"]).code(4);
    let all = tree.symex(&["--no-write", "--max-paths", "5"]).code(1);
    let table: Vec<String> = tree
        .redact(&all.stdout)
        .lines()
        .skip_while(|line| !line.starts_with("harness "))
        .map(|line| {
            line.split_whitespace()
                .take(2)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(
        table,
        [
            "harness verdict",
            "t::bounded pass",
            "t::bug bug",
            "t::complete pass",
            "t::does_not_panic bug",
            "t::panics pass",
            "t::panics_as_wanted pass",
            "t::panics_otherwise bug",
            "t::uncovered vacuous",
            "t::vacuous vacuous",
            "9 harnesses:",
            "t::bounded stopped",
        ]
    );
    says(
        &all.stdout,
        "9 harnesses: 3 bug, 2 vacuous, 1 pass (bounded), 3 pass (complete)\n",
    );
}

const TEXTS: &str = r#"
#[cfg(test)]
mod t {
    #[derive(Debug, PartialEq)]
    enum Shape {
        Square(u32),
        Named { name: String },
    }
    #[symex::harness]
    fn equal(x: u8) {
        let name = format!("n{}", x & 1);
        symex::assume(x == 7);
        assert_eq!(Shape::Square(x as u32), Shape::Named { name });
    }
    #[symex::harness]
    fn unwraps(x: u8) {
        symex::assume(x == 7);
        let wrong: Result<(), Shape> = Err(Shape::Square(x as u32));
        wrong.unwrap();
    }
    #[symex::harness]
    fn flags(x: u8) {
        let text = format!("<{x}>");
        assert!(x != 7, "{text} {x:>3} {:#x} {:e}", x, x as f32);
    }
    #[symex::harness(should_panic = "Square(7)")]
    fn wanted(x: u8) {
        symex::assume(x == 7);
        panic!("{:?}", Shape::Square(x as u32));
    }
    #[symex::harness]
    fn prints(x: u8) {
        println!("x is {x}");
        let map = std::collections::HashMap::from([(x, 1)]);
        assert!(!map.contains_key(&7), "plain");
    }
    #[symex::harness]
    fn compares_addresses(x: u8) {
        let (a, b) = (Box::new(x), Box::new(x));
        let before = (&*a as *const u8 as usize) < (&*b as *const u8 as usize);
        assert!(x != 7 || !before && *b != 7, "by place");
    }
}
"#;

#[test]
fn the_engine_knows_the_texts_of_panics_and_what_depends_on_addresses() {
    let tree = Crate::library("texts", TEXTS);
    let run = tree
        .symex(&["--no-write", "--replay=off", "--message-format", "json"])
        .code(1);
    let told: Vec<(String, String, bool)> = run
        .json()
        .iter()
        .filter(|line| line["type"] == "finding")
        .map(|line| {
            let finding = &line["finding"];
            (
                line["harness"].as_str().unwrap().to_owned(),
                finding["message"].as_str().unwrap().to_owned(),
                finding["address_dependent"].as_bool().unwrap(),
            )
        })
        .collect();
    let told: Vec<(&str, &str, bool)> = told
        .iter()
        .map(|(harness, message, by_address)| (harness.as_str(), message.as_str(), *by_address))
        .collect();
    assert_eq!(
        told,
        [
            ("t::compares_addresses", "by place", true),
            (
                "t::equal",
                "assertion `left == right` failed\n  left: Square(7)\n right: Named { name: \"n1\" }",
                false
            ),
            ("t::flags", "<7>   7 0x7 7e0", false),
            ("t::prints", "plain", false),
            (
                "t::unwraps",
                "called `Result::unwrap()` on an `Err` value: Square(7)",
                false
            ),
        ]
    );
    // The text is the wanted one without a native run.
    tree.symex(&["wanted", "--replay=off", "--require-complete"])
        .code(0);
}

#[test]
fn what_cannot_be_judged_is_inconclusive() {
    let tree = Crate::files(
        "extern_c",
        &[(
            "f.ll",
            "declare i32 @nobody_has_this(i32)\n\
             define i32 @main() {\n  %x = call i32 @nobody_has_this(i32 1)\n  ret i32 0\n}\n",
        )],
    );
    let run = tree.symex(&["bitcode", "f.ll"]).code(3);
    assert!(
        run.stdout
            .starts_with("main ... inconclusive (no model of `nobody_has_this`)\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn json_is_one_object_a_line_in_a_fixed_order() {
    let tree = Crate::library("json", INDEX);
    let run = tree
        .symex(&["--message-format", "json", "--no-write"])
        .code(1);
    let lines = run.json();
    let types: Vec<&str> = lines
        .iter()
        .map(|line| line["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        types,
        [
            "run-started",
            "harness-started",
            "finding",
            "harness-finished",
            "summary"
        ]
    );
    assert_eq!(lines[0]["schema"], 2);
    assert_eq!(lines[0]["harnesses"], serde_json::json!(["tests::parses"]));
    let finding = &lines[2];
    assert_eq!(finding["harness"], "tests::parses");
    assert_eq!(finding["kind"], "panic");
    assert_eq!(finding["stands"], true);
    assert_eq!(finding["finding"]["at"]["line"], 4);
    assert_eq!(finding["output"], "at 4\n");
    assert_eq!(
        finding["arguments"]["call"],
        "parses([0x07, 0x00, 0x00, 0x00], 4)"
    );
    assert_eq!(
        finding["arguments"]["args"][1],
        serde_json::json!({ "name": "index", "type": "usize", "source": "4", "debug": "4", "redrawn": false })
    );
    assert_eq!(finding["replay"]["status"], "confirmed");
    assert_eq!(finding["replay"]["how"]["by"], "panic");
    assert_eq!(finding["test"], serde_json::Value::Null);
    assert_eq!(lines[3]["verdict"], "bug");
    assert_eq!(lines[3]["findings"][0], finding["finding"]);
    assert!(lines[3]["stats"]["paths"].as_u64() >= Some(2));
    assert_eq!(lines[4]["exit_code"], 1);
    assert_eq!(lines[4]["verdicts"]["bug"], 1);
    assert_eq!(lines[4]["interrupted"], false);
}

#[test]
fn libtests_forms_say_ok_and_failed() {
    let tree = Crate::library("libtest", VERDICTS_OF_TWO);
    let pretty = tree.symex(&["--format", "pretty", "--no-write"]).code(1);
    assert!(
        pretty.stdout.contains("\nrunning 3 tests\n"),
        "{}",
        pretty.stdout
    );
    assert!(
        pretty
            .stdout
            .contains("test t::bad  ... FAILED\ntest t::fine ... ok\ntest t::slow ... ignored\n"),
        "{}",
        pretty.stdout
    );
    assert!(
        pretty
            .stdout
            .contains("---- t::bad ----\nverdict: bug\n\nerror[panic]: "),
        "{}",
        pretty.stdout
    );
    assert!(
        pretty
            .stdout
            .contains("test result: FAILED. 1 passed; 1 failed; 1 ignored;"),
        "{}",
        pretty.stdout
    );
    // Standard error names the kind of pass.
    assert!(
        pretty
            .stderr
            .ends_with("t::bad: bug\nt::fine: pass (complete)\n"),
        "{}",
        pretty.stderr
    );
    let terse = tree.symex(&["--no-write", "--", "-q"]).code(1);
    assert!(terse.stdout.contains("\nF.i\n"), "{}", terse.stdout);
    // Like nextest, runs a single test.
    let one = tree
        .symex(&["--exact", "t::fine", "--nocapture", "--format", "pretty"])
        .code(0);
    assert!(
        one.stdout.contains("test t::fine ... ok\n"),
        "{}",
        one.stdout
    );
    let json = tree
        .symex(&[
            "--no-write",
            "--",
            "--format",
            "json",
            "-Z",
            "unstable-options",
        ])
        .code(1)
        .json();
    let events: Vec<String> = json
        .iter()
        .map(|line| format!("{} {}", line["name"], line["event"]))
        .collect();
    assert!(
        events.contains(&r#""t::bad" "failed""#.to_owned()),
        "{events:?}"
    );
    assert!(
        events.contains(&r#""t::fine" "ok""#.to_owned()),
        "{events:?}"
    );
}

const VERDICTS_OF_TWO: &str = r#"
#[cfg(test)]
mod t {
    #[symex::harness]
    fn fine(x: u8) {
        assert!(u32::from(x) < 300);
    }
    #[symex::harness]
    fn bad(x: u8) {
        assert!(x < 200);
    }
    #[symex::harness]
    #[ignore]
    fn slow() {}
}
"#;

#[test]
fn two_runs_say_the_same_whatever_the_number_of_jobs() {
    let tree = Crate::library("deterministic", VERDICTS_OF_TWO);
    let text = |jobs: &str| {
        let run = tree
            .symex(&[
                "--include-ignored",
                "--no-write",
                "--no-cache",
                "--jobs",
                jobs,
            ])
            .code(1);
        assert!(
            !run.stdout.contains('\u{1b}'),
            "colours in a pipe: {:?}",
            run.stdout
        );
        tree.redact(&run.stdout)
    };
    let one = text("1");
    assert!(
        one.starts_with("running 3 harnesses\nt::bad ... bug\n"),
        "{one}"
    );
    assert_eq!(one, text("4"));
    let colored = tree
        .symex(&["--color", "always", "--no-write"])
        .code(1)
        .stdout;
    assert!(colored.contains('\u{1b}'), "{colored}");
}

#[test]
fn numbers_are_shown_on_request() {
    let tree = Crate::library("stats", VERDICTS_OF_TWO);
    let text = tree.symex(&["t::fine", "--stats=all"]).code(0).stdout;
    for row in [
        "paths",
        "instructions",
        "queries to the solver",
        "solver seconds",
        "accesses by symbolic pointers",
        "candidates",
        "arrays made",
        "update layers: pages made",
        "bytes of states (peak)",
        "  of single states",
        "  shared by states",
        "queries by stage",
    ] {
        assert!(
            text.contains(&format!("\n  {row} ")),
            "{row} is not in\n{text}"
        );
    }
    assert!(!text.contains("all harnesses"), "{text}");
    let short = tree.symex(&["t::fine", "--stats"]).code(0).stdout;
    let (_, rows) = short.split_once("\nt::fine\n").expect("a block");
    let counted = |line: &&str| {
        let last = line.split_whitespace().last();
        last.is_some_and(|word| word.ends_with('B') || word.parse::<f64>().is_ok())
    };
    let rows = rows
        .lines()
        .filter(counted)
        .filter(|line| !line.contains(": "));
    assert_eq!(rows.count(), 10, "{short}");
    let lines = tree
        .symex(&["t::fine", "--message-format", "json", "--stats"])
        .code(0)
        .json();
    let stats = &lines[2]["stats"];
    let count = |value: &serde_json::Value| value.as_u64().expect("a number");
    assert_eq!(
        stats["memory"]["symbolic_reads"].as_array().unwrap().len(),
        6
    );
    let memory = |name: &str| count(&stats["memory"][name]);
    assert!(memory("state_bytes") > 0);
    assert_eq!(
        memory("state_bytes"),
        memory("owned_bytes") + memory("shared_bytes")
    );
    assert!(memory("owned_contents") <= memory("owned_bytes"));
    let updates = stats["memory"]["updates"].as_object().unwrap();
    assert_eq!(updates.len(), 5);
    let purposes = stats["purposes"].as_object().unwrap().values();
    assert_eq!(purposes.map(count).sum::<u64>(), count(&stats["queries"]));
    let stages = stats["stages"].as_array().unwrap();
    let answered: u64 = stages.iter().map(|stage| count(&stage["answered"])).sum();
    assert_eq!(answered, count(&stats["queries"]));
    assert_eq!(stages.last().unwrap()["name"], "z3");
}

#[test]
fn limits_come_from_flag_environment_and_attribute_in_that_order() {
    let source = r#"
#[cfg(test)]
mod t {
    #[symex::harness(max_paths = 2)]
    fn counts(x: u32) {
        let mut n = 0u32;
        while n < x && n < 8 {
            n += 1;
        }
    }
}
"#;
    let tree = Crate::library("limits", source);
    let paths = |args: &[&str], env: &[(&str, &str)]| {
        let mut all = vec!["--message-format", "json"];
        all.extend_from_slice(args);
        let lines = tree.symex_with(&all, env).code(0).json();
        lines[2]["stats"]["completed"].as_u64().unwrap()
    };
    assert_eq!(paths(&[], &[]), 2);
    assert_eq!(paths(&[], &[("SYMEX_MAX_PATHS", "3")]), 3);
    assert_eq!(paths(&["--max-paths", "4"], &[("SYMEX_MAX_PATHS", "3")]), 4);
    assert_eq!(paths(&["--max-paths", "none"], &[]), 9);
}

#[test]
fn inputs_drawn_in_the_body_are_part_of_the_test() {
    let source = r#"
#[cfg(test)]
mod t {
    #[symex::harness]
    fn draws(a: u8) {
        let b: u8 = symex::any();
        assert!(a != 3 || b != 9);
    }
}
"#;
    let tree = Crate::library("body", source);
    tree.symex(&[]).code(1);
    let text = tree.read("symex-regressions/src/lib/t/draws.rs");
    assert!(
        text.contains("::symex::with_inputs(") && text.contains("draws(3)"),
        "{text}"
    );
    let plain = tree.cargo(&["test", "--lib"]).code(101);
    assert!(plain.stdout.contains("1 failed"), "{}", plain.stdout);
}

#[test]
fn undefined_behaviour_that_is_silent_natively_stays_a_bug() {
    let source = r#"
pub fn tail(data: &[u8; 4], index: usize) -> u8 {
    unsafe { *data.as_ptr().add(index) }
}
#[cfg(test)]
mod t {
    #[symex::harness]
    fn reads(index: usize) {
        symex::assume(index <= 4);
        std::hint::black_box(super::tail(&[1, 2, 3, 4], index));
    }
}
"#;
    let tree = Crate::library("silent", source);
    let run = tree.symex(&[]).code(1);
    assert!(
        run.stdout.contains("error[out-of-bounds]: "),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("= not reproduced natively: undefined behaviour may be silent"),
        "{}",
        run.stdout
    );
    assert!(!tree.exists("symex-regressions"));
    tree.symex(&["--write-tests=always"]).code(1);
    assert!(
        tree.read("symex-regressions/src/lib/t/reads.rs")
            .contains("reads(4)")
    );
}

#[test]
fn a_local_of_a_thread_that_has_ended_is_told_as_such() {
    let source = r#"
#[cfg(test)]
mod t {
    use std::cell::UnsafeCell;
    #[symex::harness]
    fn keeps(x: u8) {
        thread_local!(static OWN: UnsafeCell<u8> = const { UnsafeCell::new(7) });
        let own = std::thread::spawn(|| OWN.with(|own| unsafe { &*own.get() })).join();
        assert_eq!(*own.unwrap(), x & 7);
    }
}
"#;
    let tree = Crate::library("thread_local", source);
    let run = tree.symex(&["--replay=off", "--no-write"]).code(1);
    let said = "error[use-after-free]: read of 1 byte of a thread-local variable of 1 byte, which has ended";
    assert!(run.stdout.contains(said), "{}", run.stdout);
}

#[test]
fn ctrl_c_reports_what_was_found() {
    let source = r#"
#[cfg(test)]
mod t {
    #[symex::harness]
    fn early(x: u8) {
        assert!(x != 1);
    }
    #[symex::harness]
    fn endless(x: u64) {
        let mut n = 0u64;
        while n < x {
            n += 1;
        }
    }
    #[symex::harness]
    fn never_started(x: u8) {
        let _ = x;
    }
}
"#;
    let tree = Crate::library("interrupt", source);
    tree.symex(&["--list"]).code(0);
    let mut command = tree.symex_command(&[
        "--jobs",
        "1",
        "--timeout",
        "none",
        "--max-steps",
        "none",
        "--no-write",
    ]);
    let mut process = LimitedProcess::start(LIMIT, &mut command);
    // The first harness is reported while the second is at work; the last line of its report is the
    // replay's.
    process.wait_for(&["confirmed", "replayed"]);
    std::thread::sleep(std::time::Duration::from_millis(500));
    process.interrupt();
    let text = Run::from(process.end()).code(130).stdout;
    assert!(text.contains("t::early ... bug\n"), "{text}");
    assert!(text.contains("= confirmed: natively"), "{text}");
    assert!(
        text.contains("t::endless ... pass (bounded: interrupted)\n"),
        "{text}"
    );
    assert!(text.contains("; 1 not run\n"), "{text}");
}

#[test]
fn a_variable_read_after_its_scope_is_told_as_such() {
    let tree = Crate::library(
        "scopes",
        "#[cfg(test)] mod t {
            #[symex::harness]
            fn dangles(x: u8) {
                let kept: *const u8;
                {
                    let y = x ^ 1;
                    kept = std::hint::black_box(&y);
                }
                let read = unsafe { kept.read() };
                if read == 7 {
                    std::hint::black_box(read);
                }
            }
        }",
    );
    let run = tree
        .symex(&["--message-format", "json", "--no-write"])
        .code(1);
    let found: Vec<_> = run
        .json()
        .into_iter()
        .filter(|line| line["type"] == "finding")
        .collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["kind"], "uninit-use");
    assert_eq!(
        found[0]["finding"]["message"],
        "byte 0 of a local variable of 1 byte was never written, or read after its scope"
    );
}
