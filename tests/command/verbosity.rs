//! Tests of how much a run says: `--quiet` and `--verbose`.

use crate::support::{Crate, manifest};

const SOURCE: &str = r#"
#[cfg(test)]
mod tests {
    #[symex::harness]
    fn fails(x: u8) {
        assert!(x != 7);
    }

    #[symex::harness]
    fn long(data: &[u8]) {
        assert!(data.len() < 100);
    }

    #[symex::harness(timeout = "50s")]
    fn passes(x: u8) {
        assert!(u16::from(x) < 256);
    }

    #[symex::harness]
    fn tests_nothing(x: u8) {
        symex::assume(x > 7 && x < 7);
    }
}
"#;

#[test]
fn a_quiet_run_says_what_has_to_be_looked_at() {
    let tree = Crate::library("quiet", SOURCE);
    let run = tree.symex(&["-q", "--no-write", "--no-cache"]).code(1);
    let first = run.stdout.lines().next();
    assert_eq!(first, Some("tests::fails ... bug"), "{}", run.stdout);
    assert!(run.stdout.contains("error[panic]"), "{}", run.stdout);
    assert!(
        run.stdout.contains("tests::tests_nothing ... vacuous"),
        "{}",
        run.stdout
    );
    for passing in ["tests::passes", "tests::long", "running", "verdict  "] {
        assert!(
            !run.stdout.contains(passing),
            "{passing} in\n{}",
            run.stdout
        );
    }
    let last = run.stdout.lines().last();
    let counts = "4 harnesses: 1 bug, 1 vacuous, 1 pass (bounded), 1 pass (complete)";
    assert_eq!(last, Some(counts), "{}", run.stdout);
    assert_eq!(run.stderr, "", "nothing of cargo, no notes");

    let run = tree.symex(&["--quiet", "passes"]).code(0);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    assert!(
        run.stdout.starts_with("1 harness: 1 pass (complete); "),
        "{}",
        run.stdout
    );
    // What makes a run fail is shown, and so is what is asked for.
    let run = tree
        .symex(&["--quiet", "long", "--require-complete"])
        .code(6);
    assert!(
        run.stdout.contains("tests::long ... pass (bounded"),
        "{}",
        run.stdout
    );
    let run = tree
        .symex(&["--quiet", "passes", "--stats", "--coverage", "summary"])
        .code(0);
    for asked in ["coverage: ", "paths"] {
        assert!(run.stdout.contains(asked), "{asked} in\n{}", run.stdout);
    }
    // The reports for programs are whole.
    let run = tree
        .symex(&["--quiet", "--no-write", "--message-format", "json"])
        .code(1);
    assert_eq!(run.finished().len(), 4);
    let run = tree.symex(&["--quiet", "--list"]).code(0);
    assert_eq!(run.stdout.lines().count(), 4, "{}", run.stdout);
}

#[test]
fn a_verbose_run_says_what_it_does() {
    let manifest = format!(
        "{}\n[package.metadata.symex]\nmax-paths = 1000\ntimeout = \"40s\"\n",
        manifest("verbose")
    );
    let tree = Crate::files(
        "verbose",
        &[("Cargo.toml", &manifest), ("src/lib.rs", SOURCE)],
    );
    let args = ["-v", "--no-write", "--no-cache", "--leaks"];
    let run = tree.symex(&args).code(1);
    for text in [
        "     Running `",
        "\"test\" \"--no-run\"",
        "rustc --crate-name verbose",
        "the build took ",
        "linking and reading took ",
        "tests::fails: exploration took ",
        "tests::fails: native runs took ",
        "settings of tests::passes: leaks from the command line or the environment; timeout from the attribute; max-paths \
         from [package.metadata.symex] of ",
        "settings of tests::fails, tests::long, tests::tests_nothing: leaks from the command line or the environment; \
         timeout, max-paths from [package.metadata.symex] of ",
    ] {
        assert!(run.stderr.contains(text), "{text} in\n{}", run.stderr);
    }
    assert!(
        !run.stderr.contains("tests::passes: native runs"),
        "{}",
        run.stderr
    );
    // The report is as without it.
    let plain = tree.symex(&["--no-write", "--no-cache", "--leaks"]).code(1);
    assert_eq!(tree.redact(&run.stdout), tree.redact(&plain.stdout));
    assert!(!plain.stderr.contains("took"), "{}", plain.stderr);
}

#[test]
fn a_run_is_not_quiet_and_verbose() {
    let tree = Crate::library("quiet_and_verbose", "");
    let run = tree.symex(&["--quiet", "--verbose"]).code(2);
    run.error("the argument '--quiet' cannot be used with '--verbose'");
}
