//! Tests of `cargo symex watch`.

use crate::support::limited::{LIMIT, LimitedProcess};
use crate::support::{Crate, Run, finish, symex};
use std::time::Duration;

fn source(harness: &str) -> String {
    format!("#[cfg(test)]\nmod t {{\n    #[symex::harness]\n    {harness}\n}}\n")
}

#[test]
fn an_edit_starts_a_run_and_ends_one_that_is_at_work() {
    let tree = Crate::library(
        "watch",
        &source("fn first(x: u8) { assert!(x as u32 <= 255); }"),
    );
    let args = ["watch", "--timeout=none", "--max-steps=none"];
    let mut process = LimitedProcess::start(LIMIT, &mut tree.symex_command(&args));
    process.wait_for(&["t::first ... pass (complete)"]);
    process.wait_for(&["watching for changes; Ctrl-C ends"]);

    tree.write(
        "src/lib.rs",
        &source("fn second(x: u8) { assert!(x != 7); }"),
    );
    process.wait_for(&["t::second ... bug"]);
    // The test that is left behind is no reason to run again; the line that includes it is one.
    process.wait_for(&["written to symex-regressions"]);
    std::thread::sleep(Duration::from_secs(1));

    let endless = "fn endless(x: u64) { let mut n = 0; while n < x { n += 1; } }";
    tree.write("src/lib.rs", &source(endless));
    // Nothing is printed before it ends.
    std::thread::sleep(Duration::from_secs(3));
    // Files in new folders count, too.
    tree.write("src/lib.rs", "#[cfg(test)]\nmod t;\n");
    std::fs::create_dir(tree.path().join("src/t")).unwrap();
    tree.write("src/t/mod.rs", "mod inner;\n");
    std::thread::sleep(Duration::from_millis(300));
    let inner = "#[symex::harness]\nfn third(_x: u8) {}\n";
    tree.write("src/t/inner.rs", inner);
    process.wait_for(&["t::inner::third ... pass (complete)"]);

    process.interrupt();
    let run = Run::from(process.end()).code(130);
    let text = &run.stdout;
    for (name, most) in [
        ("t::first ...", 1),
        ("t::second ...", 2),
        ("t::endless ...", 1),
    ] {
        assert!(
            text.matches(name).count() <= most,
            "{name}\n{text}\n{}",
            run.stderr
        );
    }
    assert!(
        run.stderr.contains("watching for changes; Ctrl-C ends"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("changed: src/lib.rs"), "{}", run.stderr);
}

#[test]
fn what_is_no_package_cannot_be_watched() {
    // Cargo looks for a package in the folders above, too.
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = symex(["watch"]);
    command.current_dir(&folder);
    let run = finish(command);
    assert_ne!(run.code, Some(0), "{}", run.stdout);
    assert!(
        run.stderr.contains("could not find `Cargo.toml`"),
        "{}",
        run.stderr
    );
}
