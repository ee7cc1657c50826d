//! The world around a C program that is explored as it is: its arguments and environment.

mod support;

use serde_json::Value;
use support::{Crate, Run};

/// A program of one file, explored with options.
fn explore(name: &str, source: &str, options: &[&str]) -> Run {
    let tree = Crate::files(&format!("world-{name}"), &[("program.c", source)]);
    let mut args = vec!["bitcode", "program.c", "--message-format", "json"];
    args.extend(options);
    tree.symex(&args)
}

/// The inputs of the only finding: role and bytes.
fn inputs(run: &Run) -> Vec<(Value, Vec<u8>)> {
    let lines = run.json();
    let mut findings = lines.iter().filter(|line| line["type"] == "finding");
    let finding = findings.next().expect("a finding");
    assert!(findings.next().is_none(), "{lines:#?}");
    let draws = finding["finding"]["draws"].as_array().expect("draws");
    let byte = |byte: &Value| byte.as_u64().expect("a byte") as u8;
    let bytes = |draw: &Value| {
        draw["bytes"]
            .as_array()
            .expect("bytes")
            .iter()
            .map(byte)
            .collect()
    };
    draws
        .iter()
        .map(|draw| (draw["role"].clone(), bytes(draw)))
        .collect()
}

const SECRET: &str = r#"
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    if (argc != 3 || strcmp(argv[1], "-x") != 0) exit(2);
    if (strcmp(argv[2], "key") == 0) abort();
    return 1;
}
"#;

#[test]
fn symbolic_arguments_follow_those_that_are_given() {
    let run = explore("follow", SECRET, &["--sym-arg", "3", "--", "-x"]).code(1);
    let role = serde_json::json!({"kind": "argument", "number": 2});
    assert_eq!(inputs(&run), [(role, b"key".to_vec())]);
    // Too short for the key.
    explore("short", SECRET, &["--sym-arg", "2", "--", "-x"]).code(0);
}

#[test]
fn numbers_of_arguments_are_all_tried() {
    let counted = r#"
        #include <stdlib.h>
        int main(int argc, char **argv) {
            if (argc == 4 && argv[3][0] == 'q' && argv[4] == 0) abort();
            return 0;
        }"#;
    let run = explore(
        "three",
        counted,
        &["--sym-arg", "1", "--sym-args", "1", "2", "1"],
    )
    .code(1);
    let drawn = inputs(&run);
    assert_eq!(drawn.len(), 3);
    assert_eq!(drawn[2].1, b"q");
    let run = explore("two", counted, &["--sym-args", "0", "2", "1"]).code(0);
    assert!(run.stdout.contains("pass-complete"), "{}", run.stdout);
}

#[test]
fn an_argument_ends_with_its_first_zero() {
    let beyond = r#"
        int main(int argc, char **argv) {
            return argv[1][0] == '-' && argv[1][2] == 'n';
        }"#;
    let run = explore("beyond", beyond, &["--sym-arg", "4"]).code(1);
    assert!(run.stdout.contains("out-of-bounds"), "{}", run.stdout);
    let drawn = inputs(&run);
    assert_eq!(drawn[0].1[..2], *b"-\0");
    let within = beyond.replace("&& argv", "&& argv[1][1] && argv");
    let run = explore("within", &within, &["--sym-arg", "4"]).code(0);
    assert!(run.stdout.contains("pass-complete"), "{}", run.stdout);
}

#[test]
fn variables_of_the_environment_are_seen_by_all_doors() {
    let program = r#"
        #include <stdlib.h>
        #include <string.h>
        extern char **environ;
        int main(int argc, char **argv, char **envp) {
            char *mode = getenv("MODE");
            if (getenv("OTHER") || !mode || strncmp(environ[0], "MODE=", 5) != 0) abort();
            if (environ[0] + 5 != mode || envp[0] != environ[0] || envp[1]) abort();
            if (strcmp(mode, "up") != 0) return 0;
            setenv("LEVEL", "3", 1);
            if (strcmp(environ[1], "LEVEL=3") != 0 || environ[2]) abort();
            unsetenv("MODE");
            if (strcmp(environ[0], "LEVEL=3") != 0 || environ[1]) abort();
            return 0;
        }"#;
    let run = explore("doors", program, &["--sym-env", "MODE:2"]).code(0);
    assert!(run.stdout.contains("pass-complete"), "{}", run.stdout);
    let level = program.replace("\"up\") != 0", "\"up\") == 0");
    let run = explore("level", &level, &["--sym-env", "MODE:2"]).code(0);
    assert!(run.stdout.contains("pass-complete"), "{}", run.stdout);
    let wrong = r#"
        #include <stdlib.h>
        int main(void) { if (getenv("A")[0] == 'z') abort(); return 0; }"#;
    let run = explore("wrong", wrong, &["--sym-env", "A:1"]).code(1);
    let role = serde_json::json!({"kind": "variable", "name": "A"});
    assert_eq!(inputs(&run), [(role, b"z".to_vec())]);
}

#[test]
fn a_world_that_cannot_be_is_refused() {
    let tree = Crate::files(
        "world-refused",
        &[("f.c", "int main(void) { return 0; }\nvoid g(void) {}")],
    );
    for (options, message) in [
        (
            &["--sym-args", "2", "1", "1"][..],
            "failed to use --sym-args 2 1 1",
        ),
        (
            &["--sym-env", "A:1", "--sym-env", "A:2"],
            "it is there twice",
        ),
        (&["--sym-env", "A=B:1"], "as the name of a variable"),
        (
            &["--sym-arg", "1", "--entry", "g"],
            "failed to give `g` arguments",
        ),
    ] {
        let args = [&["bitcode", "f.c"], options].concat();
        tree.symex(&args).code(2).error(message);
    }
    tree.symex(&["bitcode", "f.c", "--sym-env", "A"]).code(2);
}
