//! Runs that stop at a limit, are interrupted or killed, and runs that go on from there.

use crate::support::{Crate, Run};
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Number of paths of the harness.
const PATHS: u64 = 1 << 18;

const HARNESS: &str = r#"
#[cfg(test)]
mod t {
    #[symex::harness]
    fn depths(text: [u8; 9]) {
        let mut depth = 0;
        for byte in text {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'[' => depth += 2,
                _ => {}
            }
        }
        assert!(depth < 18, "{text:?}");
    }
}
"#;

/// The only finding, on one path.
const FAILS: &str = "bug";

fn args<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let common = ["--message-format=json", "--no-write", "--replay=off"];
    [&common, &["--merge=off", "--after-bug=none"][..], more].concat()
}

fn explore(tree: &Crate, more: &[&str]) -> Value {
    finished(&tree.symex(&args(more)))
}

fn finished(run: &Run) -> Value {
    run.finished()["t::depths"].clone()
}

fn paths(report: &Value) -> u64 {
    report["stats"]["paths"].as_u64().expect("a number")
}

fn continued(report: &Value) -> bool {
    report["stats"]["earlier_seconds"].as_f64() > Some(0.0)
}

fn assert_whole(report: &Value) {
    assert_eq!(report["verdict_text"], FAILS, "{report}");
    assert_eq!(report["bounds"], serde_json::json!([]), "{report}");
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(1));
    assert_eq!(paths(report), PATHS);
    assert_eq!(report["resumable"], false);
}

#[test]
fn a_run_goes_on_where_another_has_stopped() {
    let tree = Crate::library("resume_limit", HARNESS);
    let first = explore(&tree, &["--max-paths=1000"]);
    assert_eq!(first["resumable"], true);
    assert!(!continued(&first));
    // A limit on work ends a run at the same place whatever ran before.
    let again = explore(&tree, &["--max-paths=2000"]);
    assert!(!continued(&again));
    let second = explore(&tree, &["--max-paths=1000", "--resume"]);
    assert!(continued(&second), "{second}");
    assert!(
        (2000..2100).contains(&(paths(&second) - paths(&again) + 1000)),
        "{second}"
    );
    // By itself where there is more time.
    let last = explore(&tree, &["--timeout=200s"]);
    assert!(continued(&last));
    assert_whole(&last);
    // Nothing is left to go on from.
    let anew = explore(&tree, &["--timeout=100s", "--resume"]);
    assert!(!continued(&anew));
    assert_whole(&anew);
}

#[test]
fn a_run_says_how_to_go_on() {
    let tree = Crate::library("resume_text", HARNESS);
    let args = [
        "--max-paths=1000",
        "--no-write",
        "--replay=off",
        "--merge=off",
    ];
    let first = tree.symex(&args);
    let goes_on =
        "t::depths stopped at a limit; the same command with `--resume` goes on from there";
    assert!(first.stdout.contains(goes_on), "{}", first.stdout);
    let second = tree.symex(&[&args[..], &["--resume"]].concat());
    assert!(
        second.stdout.contains("s of it in earlier runs"),
        "{}",
        second.stdout
    );
    let none = tree.symex(&[&args[..], &["--no-cache"]].concat());
    assert!(!none.stdout.contains("--resume"), "{}", none.stdout);
    tree.symex(&["--resume", "--no-cache"]).code(2);
}

#[test]
fn an_edit_elsewhere_does_not_lose_the_work() {
    let tree = Crate::library("resume_edit", HARNESS);
    let first = explore(&tree, &["--max-paths=1000"]);
    assert_eq!(first["resumable"], true);
    let other = "pub fn other(x: u32) -> u32 { x / 3 }\n#[cfg(test)] mod u { \
                 #[symex::harness] fn other(x: u32) { assert!(crate::other(x) <= x); } }";
    tree.write("src/lib.rs", &format!("{HARNESS}\n{other}\n"));
    let second = explore(&tree, &["--resume"]);
    assert!(continued(&second), "{second}");
    assert_whole(&second);
    // What it reaches has changed.
    explore(&tree, &["--max-paths=1000", "--no-cache"]);
    explore(&tree, &["--max-paths=1001"]);
    tree.write("src/lib.rs", &HARNESS.replace("18", "19"));
    let third = explore(&tree, &["--max-paths=1000", "--resume"]);
    assert!(!continued(&third), "{third}");
}

#[test]
fn what_is_damaged_counts_as_absent() {
    let tree = Crate::library("resume_damage", HARNESS);
    let target = tempfile::tempdir().expect("a scratch folder");
    let target_dir = target.path().to_str().expect("a text");
    let explore = |more: &str| explore(&tree, &["--target-dir", target_dir, more]);
    explore("--max-paths=1000");
    let files = std::fs::read_dir(target.path().join("symex/unfinished"));
    let files: Vec<_> = files.expect("the folder").flatten().collect();
    assert!(!files.is_empty());
    for file in files {
        let mut bytes = std::fs::read(file.path()).expect("it was written");
        if let Some(byte) = bytes.last_mut() {
            *byte ^= 0x24;
        }
        std::fs::write(file.path(), bytes).expect("it can be written");
    }
    let anew = explore("--resume");
    assert!(!continued(&anew), "{anew}");
    assert_whole(&anew);
}

#[test]
fn a_run_that_is_killed_or_interrupted_goes_on() {
    let tree = Crate::library("resume_kill", HARNESS);
    tree.symex(&["--list"]).code(0);
    let mut stops = 0;
    for (signal, jobs) in [("-KILL", "-j1"), ("-INT", "-j2"), ("-KILL", "-j2")] {
        let long = ["--timeout=none", "--keep-every=100ms", "--search=bfs", jobs];
        let mut process = tree.symex_command(&args(&long));
        let mut process = process.stdout(Stdio::null()).spawn().expect("it starts");
        let kept = Instant::now() + Duration::from_secs(2);
        while Instant::now() < kept && process.try_wait().expect("it can be asked").is_none() {
            std::thread::sleep(Duration::from_millis(20));
        }
        let kill = std::process::Command::new("kill")
            .args([signal, &process.id().to_string()])
            .status();
        stops += usize::from(kill.expect("kill is there").success());
        process.wait().expect("it ends");
    }
    let last = explore(&tree, &["--timeout=none", "--search=bfs"]);
    assert_whole(&last);
    assert!(continued(&last) || stops < 3, "{last}");
}
