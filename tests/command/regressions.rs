//! Tests of the regression tests that findings leave behind.

use crate::support::Crate;

/// A library with a function that panics for an index beyond its end.
pub const INDEX: &str = r#"
pub fn at(data: &[u8], index: usize) -> u8 {
    println!("at {}", data.len());
    data[index]
}

#[cfg(test)]
mod tests {
    #[symex::harness]
    fn parses(data: [u8; 4], index: usize) {
        symex::assume(data[0] == 7);
        symex::assume(index < 5);
        super::at(&data, index);
    }
}
"#;

/// Returns the name of the only test in a file of regression tests.
fn only_test(text: &str) -> String {
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("fn "))
        .collect();
    assert_eq!(names.len(), 1, "{text}");
    names[0].trim_end_matches("() {").to_owned()
}

const REGRESSIONS: &str = "symex-regressions/src/lib/tests/parses.rs";

#[test]
fn a_bug_is_shown_confirmed_and_left_behind_as_a_test() {
    let tree = Crate::library("bug", INDEX);
    let run = tree.symex(&[]).code(1);
    let text = tree.read(REGRESSIONS);
    let name = only_test(&text);
    let expected = format!(
        "\
running 1 harness
tests::parses ... bug

error[panic]: index out of bounds: the len is 4 but the index is 4
 --> src/lib.rs:4:5
  |
4 |     data[index]
  |     ^^^^^^^^^^^
  |
  = harness: tests::parses
  = inputs: data: [u8; 4] = [0x07, 0x00, 0x00, 0x00]
            index: usize = 4
  = trace: 0: bug::at at src/lib.rs:4:5
           1: bug::tests::parses at src/lib.rs:13:9
  = output: at 4
  = confirmed: natively: panicked at src/lib.rs:4:5
  = test: `{name}` written to {REGRESSIONS}

1 harness: 1 bug; 2 paths in [TIME]"
    );
    assert_eq!(tree.redact(&run.stdout), expected);
    assert!(
        text.ends_with(&format!(
            "\n// panic: index out of bounds: the len is 4 but the index is 4 at src/lib.rs:4\n\
             #[test]\nfn {name}() {{\n    parses([0x07, 0x00, 0x00, 0x00], 4);\n}}\n"
        )),
        "{text}"
    );

    // Plain cargo runs it, without being told that there is a new file.
    let plain = tree.cargo(&["test", "--lib"]).code(101);
    assert!(
        plain
            .stdout
            .contains(&format!("test tests::symex_parses::{name} ... FAILED")),
        "{}",
        plain.stdout
    );
    assert!(
        plain
            .stdout
            .contains("test tests::symex_parses ... ignored, explored by `cargo symex`; "),
        "{}",
        plain.stdout
    );

    // An existing test is not written again, even if the user has edited it.
    let again = tree.symex(&[]).code(1);
    assert!(
        again
            .stdout
            .contains(&format!("= test: `{name}` is in {REGRESSIONS}")),
        "{}",
        again.stdout
    );
    assert_eq!(tree.read(REGRESSIONS), text);
    let edited = text.replace("#[test]", "#[test]\n#[ignore = \"known\"]");
    tree.write(REGRESSIONS, &edited);
    let cached = tree.symex(&[]).code(1);
    assert_eq!(tree.read(REGRESSIONS), edited);
    assert!(
        cached
            .stdout
            .ends_with("\n1 harness: 1 bug; 1 cached; 2 paths\n"),
        "{}",
        cached.stdout
    );

    // Fixed: the test passes, and so does every other input.
    tree.write(REGRESSIONS, &text);
    tree.write(
        "src/lib.rs",
        &INDEX.replace("data[index]", "data.get(index).copied().unwrap_or(0)"),
    );
    tree.cargo(&["test", "--lib"]).code(0);
    let fixed = tree.symex(&[]).code(0);
    assert!(
        fixed.stdout.contains("tests::parses ... pass (complete)\n"),
        "{}",
        fixed.stdout
    );
}

#[test]
fn a_link_does_not_lead_the_tests_out_of_the_package() {
    use std::os::unix::fs::symlink;
    let program = "int main(int n, char **argv) { return 1 / (argv[1][0] - 'x'); }";
    let tree = Crate::library("links", INDEX);
    tree.write("program.c", program);
    let outside = Crate::files("links-outside", &[("kept.rs", "// Kept.\n")]);
    let untouched = || {
        assert_eq!(outside.read("kept.rs"), "// Kept.\n");
        let files = std::fs::read_dir(outside.path()).expect("a folder");
        assert_eq!(files.count(), 2, "the file and the lock of a tree");
    };
    // Links in place of the folder, of a folder in it, and of the file.
    let links = [
        ("symex-regressions", ""),
        ("symex-regressions/src", ""),
        (REGRESSIONS, "kept.rs"),
    ];
    for (link, to) in links {
        let link = tree.path().join(link);
        let _ = std::fs::remove_dir_all(tree.path().join("symex-regressions"));
        std::fs::create_dir_all(link.parent().expect("a folder")).expect("created");
        symlink(outside.path().join(to), &link).expect("linked");
        let run = tree.symex(&[]).code(1);
        let told = format!(
            "not written: failed to write {}: {} is a symbolic link to ",
            tree.path().join(REGRESSIONS).display(),
            link.display()
        );
        assert!(run.stdout.contains(&told), "{told}\n{}", run.stdout);
        assert!(run.stdout.contains("parses([0x07"), "{}", run.stdout);
        untouched();
        if link.ends_with("symex-regressions") {
            let run = tree.symex(&["c", "program.c", "--sym-arg", "1"]).code(1);
            assert!(
                run.stdout.contains("outside of the package"),
                "{}",
                run.stdout
            );
            untouched();
        }
        std::fs::remove_file(link).expect("removed");
    }
}

#[test]
fn a_harness_may_have_a_keyword_for_a_name() {
    let source = INDEX
        .replace("mod tests", "mod r#match")
        .replace("fn parses", "fn r#type");
    let tree = Crate::library("keyword", &source);
    tree.symex(&["list", "r#match::r#type", "--exact"]).code(0);
    let file = "symex-regressions/src/lib/match/type.rs";
    let run = tree.symex(&[]).code(1);
    let name = only_test(&tree.read(file));
    assert!(name.starts_with("type_"), "{name}");
    for told in [
        "r#match::r#type ... bug\n".to_owned(),
        format!("= test: `{name}` written to {file}\n"),
    ] {
        assert!(run.stdout.contains(&told), "{told}{}", run.stdout);
    }
    assert!(
        tree.read(file)
            .contains("    r#type([0x07, 0x00, 0x00, 0x00], 4);\n")
    );
    let plain = tree.cargo(&["test", "--lib"]).code(101);
    assert!(
        plain
            .stdout
            .contains(&format!("::symex_type::{name} ... FAILED")),
        "{}",
        plain.stdout
    );
    let replayed = tree.symex(&["replay"]).code(1);
    assert!(
        replayed
            .stdout
            .contains(&format!("::symex_type::{name} ... failed: panicked at")),
        "{}",
        replayed.stdout
    );
}

#[test]
fn tests_are_written_only_where_wanted() {
    let tree = Crate::library("write", INDEX);
    tree.symex(&["--no-write"]).code(1);
    tree.symex(&["--write-tests", "never"]).code(1);
    let ci = tree.symex_with(&[], &[("CI", "true")]).code(1);
    assert!(
        ci.stdout.contains("not written: the variable CI is set")
            && ci.stdout.contains("parses([0x07"),
        "{}",
        ci.stdout
    );
    let unreplayed = tree.symex(&["--replay=off"]).code(1);
    assert!(
        unreplayed.stdout.contains("= not replayed: --replay=off"),
        "{}",
        unreplayed.stdout
    );
    assert!(
        unreplayed.stdout.contains("= inputs: data = "),
        "{}",
        unreplayed.stdout
    );
    assert!(!tree.exists("symex-regressions"));
    tree.symex_with(&["--write-tests=always"], &[("CI", "true")])
        .code(1);
    assert!(tree.exists(REGRESSIONS));
}

#[test]
fn a_tree_that_cannot_be_written_still_gets_its_report() {
    let tree = Crate::library("read_only", INDEX);
    // A file where the directory would be: refused to every user, root included.
    tree.write("symex-regressions", "");
    let run = tree.symex(&[]).code(1);
    assert!(
        run.stdout.contains("not written: failed to write"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("parses([0x07, 0x00, 0x00, 0x00], 4);"),
        "{}",
        run.stdout
    );
}
