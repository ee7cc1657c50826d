//! Tests of the limit on processes that tests start: a process that does not end is killed with all
//! that it started, and reported.

use procfs::process::Process as Entry;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::time::{Duration, Instant};
use symex_testing::limited::{LimitedProcess, output, output_within, watch};

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

/// Returns the message with which the limit's expiry fails a test; it comes soon after the limit of
/// a second.
fn expiry(script: &str) -> String {
    let start = Instant::now();
    let limit = Duration::from_secs(1);
    let failure = catch_unwind(|| output_within(limit, &mut shell(script)));
    let took = start.elapsed();
    let failure = failure.expect_err("it does not end by itself");
    assert!(limit <= took && took < limit * 20, "{took:?}");
    *failure.downcast().expect("a message")
}

/// Reports whether a process runs; one that is dead and not yet waited for does not.
fn runs(pid: &str) -> bool {
    let entry = Entry::new(pid.parse().expect("a number"));
    entry.is_ok_and(|entry| entry.stat().is_ok_and(|stat| stat.state != 'Z'))
}

#[track_caller]
fn is_gone(pid: &str) {
    let start = Instant::now();
    while runs(pid) {
        assert!(start.elapsed() < Duration::from_secs(10), "{pid} runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the number that a script printed after `child`.
fn child(failure: &str) -> &str {
    let (_, rest) = failure.split_once("--- stdout\nchild ").expect("printed");
    rest.lines().next().expect("a line")
}

#[test]
fn a_process_that_sleeps_is_killed_with_its_children_and_told_of() {
    let failure = expiry("echo oops >&2; sleep 600 & echo child $!; wait");
    assert!(
        failure.starts_with("not over after 1s and killed: \"sh\" \"-c\" \"echo oops"),
        "{failure}"
    );
    for told in [
        "--- stdout\nchild ",
        "--- stderr\noops\n",
        "(sh) sh -c ",
        "(sleep) sleep 600\n",
        "(sleep) S: user 0.0",
    ] {
        assert!(failure.contains(told), "{told}: {failure}");
    }
    is_gone(child(&failure));
}

#[test]
fn a_process_that_computes_is_told_from_one_that_sleeps() {
    let failure = expiry("while :; do :; done");
    let (_, spent) = failure.split_once("(sh) R: user ").expect("it runs");
    let (seconds, _) = spent.split_once(' ').expect("a number and its unit");
    assert!(
        seconds.parse::<f64>().expect("a number") > 0.05,
        "{failure}"
    );
}

#[test]
fn what_is_left_running_with_the_output_is_killed() {
    let failure = expiry("sleep 600 & echo child $!");
    assert!(failure.contains("(sleep) sleep 600\n"), "{failure}");
    is_gone(child(&failure));
}

#[test]
fn a_process_without_output_is_killed() {
    let failure = expiry("exec >&- 2>&-; exec sleep 600");
    assert!(failure.contains("(sleep) sleep 600\n"), "{failure}");
}

#[test]
fn output_that_fills_a_pipe_is_read_and_kept() {
    let kept = output(&mut shell(
        "yes | head -c 3000000; yes no | head -c 3000000 >&2; exit 7",
    ));
    assert_eq!(kept.status.code(), Some(7));
    assert_eq!(
        (kept.stdout.len(), kept.stderr.len()),
        (3_000_000, 3_000_000)
    );
    assert!(kept.stdout.starts_with(b"y\ny\n") && kept.stderr.starts_with(b"no\nno\n"));
}

#[test]
fn a_process_that_prints_without_end_is_killed() {
    let failure = catch_unwind(|| output(&mut shell("echo first; exec yes")));
    let failure: Box<String> = failure.expect_err("no end").downcast().expect("text");
    assert!(failure.starts_with("printed more than 268435456 bytes and killed: "));
    assert!(failure.contains("--- stdout\n…") && !failure.contains("first\n"));
    assert!(failure.len() < 200_000);
}

#[test]
fn a_process_is_interrupted_when_it_has_said_something() {
    let script = "trap 'echo stopped; exit 3' INT; echo ready; while :; do sleep 0.05; done";
    let mut process = LimitedProcess::start(Duration::from_secs(60), &mut shell(script));
    process.wait_for(&["never", "ready"]);
    process.interrupt();
    let output = process.end();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(output.stdout, b"ready\nstopped\n");
}

#[test]
fn waiting_for_what_is_never_said_fails() {
    let mut process = LimitedProcess::start(Duration::from_secs(60), &mut shell("echo something"));
    let failure = catch_unwind(AssertUnwindSafe(|| process.wait_for(&["else"])));
    let failure: Box<String> = failure.expect_err("not said").downcast().expect("text");
    assert!(failure.contains("ended without [\"else\"]\n--- stdout\nsomething\n"));
}

#[test]
fn a_test_that_fails_leaves_nothing_running() {
    let mut process = LimitedProcess::start(
        Duration::from_secs(60),
        &mut shell("sleep 600 & echo $!; wait"),
    );
    let said = process.wait_for(&["\n"]);
    let child = said.trim();
    assert!(runs(child));
    drop(process);
    is_gone(child);
}

#[test]
fn a_test_that_does_not_end_is_aborted_with_what_it_started() {
    let name = "a_test_that_does_not_end_is_aborted_with_what_it_started";
    if std::env::var_os("SYMEX_TEST_HANGS").is_some() {
        // One that is over in time does nothing.
        drop(watch(Duration::from_millis(500)));
        let _watch = watch(Duration::from_secs(1));
        let _ = shell("sleep 600 & echo child $! >&2; wait").status();
        return;
    }
    let mut this = Command::new(std::env::current_exe().expect("this program"));
    this.args(["--exact", name, "--nocapture"]);
    let limit = Duration::from_secs(60);
    let output = output_within(limit, this.env("SYMEX_TEST_HANGS", "1"));
    assert_eq!(output.status.signal(), Some(6));
    let told = String::from_utf8_lossy(&output.stderr);
    let head = format!("{name}: not over after 1s, aborted\n");
    assert!(
        told.contains(&head) && told.contains("(sleep) sleep 600\n"),
        "{told}"
    );
    let (_, rest) = told.split_once("child ").expect("said");
    is_gone(rest.lines().next().expect("a line"));
}
