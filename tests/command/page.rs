//! Tests of `--html`: the page is whole, and the same whenever it is asked for.

use crate::support::{Crate, Run};
use serde_json::Value;

const SOURCE: &str = r#"
pub fn first_set(word: u8) -> u32 {
    for at in 0..8 {
        if word >> at & 1 == 1 {
            return at;
        }
    }
    8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[symex::harness]
    fn finds(word: u8) {
        println!("</script><b>{}</b>", first_set(word));
        assert!(first_set(word) != 5, "five </script><img src=x>");
    }

    #[symex::harness]
    fn passes(word: u8) {
        symex::assume(word != 0);
        if word > 200 {
            symex::assume(word < 100);
        }
        assert!(first_set(word) < 8);
    }
}
"#;

/// Returns the tree of decisions of a harness.
fn decisions(run: &Run, harness: &str) -> Value {
    run.finished()[harness]["decisions"].clone()
}

/// Returns the numbers of paths by how they ended.
fn ends(tree: &Value) -> [u64; 3] {
    ["passed", "found", "assumed"].map(|kind| {
        let nodes = tree["nodes"].as_array().expect("nodes").iter();
        nodes.filter_map(|node| node["ends"][kind].as_u64()).sum()
    })
}

/// Returns a library in a repository of its own, in relation to which files are named.
fn repository(name: &str) -> Crate {
    let tree = Crate::library(name, SOURCE);
    tree.write(".git/HEAD", "ref: refs/heads/main\n");
    tree
}

#[test]
fn a_page_is_written_with_a_run_and_after_it() {
    let tree = repository("page");
    let run = tree.symex(&["--no-cache", "--html", "page", "--message-format", "json"]);
    let run = run.code(1);
    let page = tree.read("page/index.html");
    for text in [
        "five &lt;/script&gt;&lt;img src=x&gt;",
        "id=\"harness/tests::finds\"",
        "id=\"harness/tests::passes\"",
        "&lt;/script&gt;&lt;b&gt;5&lt;/b&gt;",
        "data-file=\"src/lib.rs\"",
        "confirmed natively",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("<img"));
    tree.symex(&["report", "--html", "again"]).code(0);
    assert!(tree.read("again/index.html") == page, "it is another page");
    tree.symex(&["report", "--format", "json", "-o", "run.json"])
        .code(0);
    tree.symex(&["merge-reports", "run.json", "--html", "merged"])
        .code(1);
    assert!(tree.read("merged/index.html").contains("tests::finds"));

    let finds = decisions(&run, "tests::finds");
    assert_eq!(ends(&finds), [8, 1, 0]);
    assert_eq!(finds["ways"][0]["kind"], "panic");
    assert_eq!(finds["ways"][0]["at"]["line"], 18);
    assert_eq!(ends(&decisions(&run, "tests::passes")), [8, 0, 1]);
}

#[test]
fn a_page_says_what_has_changed_and_what_was_not_recorded() {
    let tree = repository("page_again");
    let run = tree.symex(&["--message-format", "json"]).code(1);
    assert_eq!(decisions(&run, "tests::finds"), Value::Null);
    tree.symex(&["report", "--html", "page"]).code(0);
    let page = tree.read("page/index.html");
    assert!(page.contains("It was not recorded: that is done in runs with --html."));
    assert!(!page.contains("data-file="), "there is no coverage");

    // The verdict is that of a run that has recorded no tree; the coverage is known of it.
    tree.symex(&["--html", "page"]).code(1);
    let page = tree.read("page/index.html");
    assert!(page.contains("the verdict is that of an earlier run without --html"));
    assert!(page.contains("data-file=\"src/lib.rs\""));
    assert!(page.contains("no verdict or finding has changed"));

    tree.write(
        "src/lib.rs",
        &SOURCE
            .replace("!= 5", "!= 9")
            .replace("fn passes", "fn succeeds"),
    );
    tree.symex(&["--html", "page"]).code(0);
    let page = tree.read("page/index.html");
    for text in ["was bug", "1 finding mended", "1 gone", "tests::passes"] {
        assert!(page.contains(text), "{text}");
    }
    // What is recorded stays with a verdict.
    let run = tree
        .symex(&["--html", "page", "--message-format", "json"])
        .code(0);
    assert_eq!(run.finished()["tests::finds"]["cached"], true);
    assert_eq!(ends(&decisions(&run, "tests::finds")), [9, 0, 0]);
}

#[test]
fn a_page_that_cannot_be_written_fails_the_run() {
    let tree = Crate::library("page_unwritten", SOURCE);
    tree.write("taken", "");
    let run = tree
        .symex(&["--no-write", "--html", "taken", "tests::passes"])
        .code(7);
    assert!(
        run.stderr.contains("failed to make taken"),
        "{}",
        run.stderr
    );
    // Each has an index.html.
    for command in [&[][..], &["report"]] {
        let twice = ["--html", "both", "--coverage", "html=both/"];
        let run = tree.symex(&[command, &twice].concat()).code(2);
        run.error(
            "failed to write both/index.html: --html and --coverage html= need a folder each",
        );
    }
    assert!(!tree.path().join("both").exists());
}
