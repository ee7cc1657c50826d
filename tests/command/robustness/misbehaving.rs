//! Tests of harnesses that end in unusual ways, and of limits that end them.

use crate::support::limited::{LIMIT, LimitedProcess};
use crate::support::{Crate, Run, TOOL, kinds};
use std::time::{Duration, Instant};

/// Harnesses that end in unusual ways.
const HARD: &str = r#"
pub fn deep(n: u64) -> u64 {
    if std::hint::black_box(n) == 0 { 0 } else { deep(n.wrapping_sub(1) | 1) + 1 }
}
#[cfg(test)]
mod t {
    use std::hint::black_box;
    use std::io::{BufRead, Write};
    #[symex::harness(max_steps = 300000)]
    fn endless(x: u8) {
        let mut n = x as u64;
        while n != 3 {
            n = black_box(n | 128);
        }
    }
    #[symex::harness]
    fn counting(x: bool) {
        let mut n = u64::from(x);
        while n != 0 {
            n = black_box(n.wrapping_add(2));
        }
    }
    #[symex::harness]
    fn recursion(x: u64) {
        black_box(super::deep(x));
    }
    #[symex::harness]
    fn huge(x: u8) {
        let mut v = vec![0u8; 10 << 30];
        v[9 << 30] = x;
        assert!(v[9 << 30] == x && v[8 << 30] == 0);
    }
    #[symex::harness]
    fn prints(x: u8) {
        print!("to out {} ", 1);
        std::io::stdout().write_all(b"raw\n").unwrap();
        println!("x is {x}");
        assert!(x != 77);
    }
    #[symex::harness]
    fn clock(x: u8) {
        let start = std::time::Instant::now();
        let now = std::time::SystemTime::now();
        assert!(now.duration_since(std::time::UNIX_EPOCH).is_ok());
        assert!(start.elapsed().as_secs() < 1_000_000 && x as u32 <= 255);
    }
    #[symex::harness]
    fn environment(x: u8) {
        assert!(std::env::var("A_VARIABLE_THAT_NOBODY_SETS").is_err());
        black_box((std::env::args().count(), std::process::id(), x));
    }
    #[symex::harness]
    fn file(x: u8) {
        assert!(std::fs::File::open("no/such/file").is_err());
        black_box((std::fs::read_to_string("Cargo.toml").is_ok(), x));
    }
    #[symex::harness]
    fn writes(x: u8) {
        black_box(std::fs::write("written-by-a-harness", [x]).is_ok());
    }
    #[symex::harness]
    fn stdin(x: u8) {
        let mut line = String::new();
        black_box((std::io::stdin().lock().read_line(&mut line).is_ok(), x));
    }
    #[symex::harness]
    fn threads(x: u8) {
        let thread = std::thread::spawn(move || x);
        assert!(thread.join().unwrap() == x);
    }
    #[symex::harness]
    fn aborts(x: u8) {
        if x == 9 { std::process::abort() }
    }
    #[symex::harness]
    fn exits(x: u8) {
        if x == 9 { std::process::exit(3) }
    }
    #[symex::harness]
    fn factors(x: u64, y: u64) {
        symex::assume(x > 1 && y > 1);
        // Two primes.
        let both = 1_000_000_000_000_000_003 * 1_000_000_000_000_000_009;
        assert!(u128::from(x) * u128::from(y) != both);
    }
}
"#;

#[test]
fn programs_that_misbehave_get_their_verdicts() {
    let tree = Crate::library("hard", HARD);
    let start = Instant::now();
    let run = tree.symex(&[
        "--message-format",
        "json",
        "--no-write",
        "--timeout",
        "20s",
        "--query-timeout",
        "2s",
        "--skip",
        "factors",
    ]);
    let run = run.code(1);
    assert!(start.elapsed() < Duration::from_secs(120));
    let finished = run.finished();
    let text = |name: &str| {
        finished[&format!("t::{name}")]["verdict_text"]
            .as_str()
            .expect("a text")
    };
    let found = |name: &str| kinds(&finished[&format!("t::{name}")]);
    assert_eq!((text("endless"), found("endless")), ("bug", vec!["hang"]));
    assert_eq!(
        (text("recursion"), found("recursion")),
        ("bug", vec!["stack-overflow"])
    );
    assert_eq!((text("prints"), found("prints")), ("bug", vec!["panic"]));
    assert_eq!((text("aborts"), found("aborts")), ("bug", vec!["abort"]));
    assert_eq!((text("exits"), found("exits")), ("bug", vec!["exit-code"]));
    // An allocator may give this much or refuse it; neither a pass nor a bug can be claimed.
    assert_eq!(
        text("huge"),
        "inconclusive (allocation of 10737418240 bytes is over the limit of 1073741824)"
    );
    let files = "the file system was taken to hold nothing but an empty working directory";
    for (name, taken) in [
        ("clock", "the clock was taken to start at a fixed time"),
        (
            "environment",
            "the command line was taken to be empty, \
             the environment variable `A_VARIABLE_THAT_NOBODY_SETS` was taken to be unset, \
             the numbers of process and user were taken to be fixed ones",
        ),
        ("file", files),
        ("writes", files),
        ("stdin", "standard input was taken to be empty"),
    ] {
        assert_eq!(text(name), format!("pass (bounded: {taken})"));
    }
    assert!(!tree.exists("written-by-a-harness"));
    assert_eq!(
        text("threads"),
        "pass (bounded: orders of threads with at most 1 preemption a path)"
    );

    let output = run
        .json()
        .into_iter()
        .find(|line| line["type"] == "finding" && line["harness"] == "t::prints")
        .expect("the finding");
    assert_eq!(output["output"], "to out 1 raw\nx is 77\n");
    for line in run.json().iter().filter(|line| line["type"] == "finding") {
        assert_eq!(line["replay"]["status"], "confirmed", "{line}");
    }
    // Thousands of frames are shown as one line.
    let people = tree.symex(&["t::recursion", "--no-write"]).code(1).stdout;
    assert!(
        people.contains(" calls of itself)") && people.lines().count() < 30,
        "{people}"
    );
}

#[test]
fn where_a_limit_stops_the_only_path_nothing_is_said_of_the_harness() {
    let source = r#"
#[cfg(test)]
mod t {
    #[symex::harness]
    fn long(x: u64) {
        let mut n = 0u64;
        while std::hint::black_box(n) < 1 << 40 {
            n += 1;
        }
        assert!(n > 0 || x > 0);
    }
    #[symex::harness]
    fn no_lengths(data: Vec<u8>) {
        symex::assume(data.len() > 100);
    }
}
"#;
    let tree = Crate::library("only_path", source);
    let limits = ["--max-steps", "none", "--timeout", "1s", "--no-write"];
    let run = tree.symex(&[&["long"], &limits[..]].concat()).code(3);
    assert!(
        run.stdout.contains("t::long ... inconclusive (timeout)\n"),
        "{}",
        run.stdout
    );
    let run = tree.symex(&["no_lengths"]).code(4);
    assert!(
        run.stdout.contains(
            "t::no_lengths ... vacuous (no input reaches the end of the harness; bounded: length of data <= 4)\n"
        ),
        "{}",
        run.stdout
    );
}

#[test]
fn a_loop_in_which_nothing_changes_needs_no_limit() {
    let tree = Crate::library("back_again", HARD);
    let limits = ["--max-steps", "none", "--timeout", "none"];
    let run = tree
        .symex(&[&["t::endless", "--no-write"], &limits[..]].concat())
        .code(1);
    for told in [
        "t::endless ... bug\n",
        "error[hang]: never ends: the path comes back to where it was, and nothing has changed\n",
        "; 2 paths in ",
    ] {
        assert!(run.stdout.contains(told), "{told}: {}", run.stdout);
    }
}

#[test]
fn a_loop_without_step_limit_ends_with_the_time() {
    let tree = Crate::library("hard_loop", HARD);
    let start = Instant::now();
    let run = tree
        .symex(&[
            "t::counting",
            "--no-write",
            "--max-steps",
            "none",
            "--timeout",
            "2s",
        ])
        .code(0);
    assert!(start.elapsed() < Duration::from_secs(60));
    assert!(
        run.stdout
            .contains("t::counting ... pass (bounded: timeout)\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_query_that_is_too_hard_is_the_solvers_gap() {
    let tree = Crate::library("hard_query", HARD);
    let run = tree
        .symex(&[
            "t::factors",
            "--no-write",
            "--query-timeout",
            "20ms",
            "--timeout",
            "30s",
        ])
        .code(3);
    assert!(
        run.stdout
            .contains("t::factors ... inconclusive (solver: a query took longer than allowed (--query-timeout))\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn ctrl_c_reaches_a_query_at_work() {
    let tree = Crate::library("hard_interrupt", HARD);
    tree.symex(&["--list"]).code(0);
    let mut command = tree.symex_command(&[
        "t::factors",
        "--no-write",
        "--query-timeout",
        "600s",
        "--timeout",
        "none",
    ]);
    let process = LimitedProcess::start(LIMIT, &mut command);
    std::thread::sleep(Duration::from_secs(4));
    let start = Instant::now();
    process.interrupt();
    let Run { stdout, stderr, .. } = Run::from(process.end()).code(130);
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
    assert!(
        stderr.contains("interrupted: reporting what was found"),
        "{stderr}"
    );
    assert!(stdout.contains("t::factors ... "), "{stdout}");
}

#[test]
fn ctrl_c_is_for_others_where_it_was_ignored_from_the_start() {
    let tree = Crate::library("ignored_interrupt", HARD);
    tree.symex(&["--list"]).code(0);
    // A shell starts background processes with SIGINT ignored.
    let mut command = tree.command("sh");
    command.args(["-c", "trap '' INT; exec \"$@\"", "sh", TOOL, "symex"]);
    command.args(["t::counting", "--no-write", "--max-steps", "none"]);
    command.args(["--timeout", "6s"]);
    let process = LimitedProcess::start(LIMIT, &mut command);
    std::thread::sleep(Duration::from_secs(4));
    process.interrupt();
    let run = Run::from(process.end()).code(0);
    let told = "t::counting ... pass (bounded: timeout)\n";
    assert!(run.stdout.contains(told), "{}", run.stdout);
}
