//! Tests of standard input, files, arguments and variables, and of the native run's own directory.

use std::process::Command;

use super::running::{SIGABRT, aborted, left_behind, shows};
use crate::support::{Crate, Run, TOOL, finish};

/// Returns the only directory that runs of `f.c` have written.
#[track_caller]
fn only_folder(tree: &Crate) -> String {
    let folders = left_behind(tree, "f");
    assert_eq!(folders.len(), 1, "{folders:?}");
    folders.into_iter().next().expect("one")
}

/// Returns the names in a directory.
fn names(tree: &Crate, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(tree.path().join(folder)).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[track_caller]
fn run_script(tree: &Crate, script: &str) -> Run {
    let mut shell = Command::new("sh");
    shell.arg(script).current_dir(tree.path());
    finish(shell)
}

#[test]
fn standard_input_and_files_are_given_to_the_native_run() {
    let source = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char word[4] = "", table[3] = "", known[6] = "";
    FILE *t = fopen("dir/table", "rb"), *k = fopen("known.txt", "r");
    if (!t || !k || fread(word, 1, 3, stdin) != 3 || fgetc(stdin) != EOF) return 4;
    if (fread(table, 1, 2, t) != 2 || !fgets(known, sizeof known, k)) return 5;
    if (word[0] == 0 && word[1] == '\n' && word[2] == 'x' && (table[1] & 0xff) == 0xff && !strcmp(known, "given"))
        abort();
    return 0;
}
"#;
    let tree = Crate::files("c_files", &[("f.c", source), ("here.txt", "given")]);
    let args = [
        "c",
        "f.c",
        "--sym-stdin",
        "3",
        "--sym-file",
        "dir/table:2",
        "--file",
        "known.txt=here.txt",
    ];
    let run = tree.symex(&args).code(1);
    aborted(&run);
    let folder = only_folder(&tree);
    assert_eq!(
        names(&tree, &folder),
        ["files", "inputs.c", "run.sh", "stdin"]
    );
    let script = format!("{folder}/run.sh");
    run_script(&tree, &script).code(SIGABRT);
    tree.write(&format!("{folder}/files/known.txt"), "taken");
    run_script(&tree, &script).code(0);
}

#[test]
fn arguments_and_variables_are_given_to_the_native_run() {
    let source = r#"#include <symex.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    const char *home = getenv("HOME");
    unsigned char x;
    symex_make_symbolic(&x, 1, "x");
    if (argc != 3 || !home || strlen(argv[2]) != 3) return 4;
    if (argv[2][0] == '\'' && argv[2][1] == '\n' && (argv[2][2] & 0xff) == 0xfe && home[0] == '$' && x == 5) abort();
    return 0;
}
"#;
    let tree = Crate::files("c_world", &[("f.c", source)]);
    let args = [
        "c",
        "f.c",
        "--arg",
        "-v w",
        "--sym-arg",
        "3",
        "--sym-env",
        "HOME:1",
    ];
    let run = tree.symex(&args).code(1);
    aborted(&run);
    let folder = only_folder(&tree);
    assert_eq!(names(&tree, &folder), ["inputs.c", "run.sh"]);
    let script = format!("{folder}/run.sh");
    run_script(&tree, &script).code(SIGABRT);
    let text = tree.read(&script);
    tree.write(&script, &text.replace("HOME='$'", "HOME=x"));
    run_script(&tree, &script).code(0);
    // The reproducer is recognised by its script, edited or not.
    let again = tree.symex(&args).code(1);
    shows(&again, &format!("is in {script}"));
}

#[test]
fn the_program_is_run_apart_from_the_users_files() {
    let source = r#"#include <stdlib.h>
#include <stdio.h>
int main(void) {
    remove("precious.txt");
    abort();
}
"#;
    let tree = Crate::files("c_apart", &[("f.c", source), ("precious.txt", "data")]);
    // The verdict on `remove` does not matter here.
    let run = tree.symex(&["c", "f.c"]);
    assert!(matches!(run.code, Some(1 | 3)), "{}", run.stdout);
    assert!(tree.exists("precious.txt"));
}

#[test]
fn files_that_the_tool_was_started_with_are_not_open_natively() {
    let source = r#"#include <fcntl.h>
#include <stdio.h>
int main(void) { return printf("%d\n", open("f", O_RDONLY)) < 0; }
"#;
    let tree = Crate::files("c_inherited", &[("f.c", source), ("f", "")]);
    let mut command = tree.command("sh");
    command.args([
        "-c",
        "exec 3</dev/null 5</dev/null; exec \"$@\"",
        "sh",
        TOOL,
    ]);
    command.args(["symex", "c", "f.c", "--file", "f", "--replay-paths", "1"]);
    let run = finish(command).code(0);
    shows(&run, "note: main: 1 path was run natively: as explored");
}
