//! Tests of leak detection, which runs on request: each program that leaks has a twin that does
//! not.

use crate::support::{Crate, Run, has_sanitizer};
use serde_json::Value;

/// Explores a program in C with `--leaks`.
fn explore(name: &str, source: &str) -> Run {
    let text = format!("#include <stdlib.h>\n#include <string.h>\n#include <symex.h>\n{source}");
    let tree = Crate::files(&format!("leaks-{name}"), &[("program.c", &text)]);
    tree.symex(&["c", "program.c", "--leaks", "--message-format", "json"])
}

/// Returns the findings, which are leaks.
fn leaks(run: &Run) -> Vec<Value> {
    let lines = run.json();
    let findings = lines.into_iter().filter(|line| line["type"] == "finding");
    let findings: Vec<Value> = findings.map(|line| line["finding"].clone()).collect();
    for finding in &findings {
        assert_eq!(finding["kind"], "leak", "{finding}");
    }
    findings
}

fn message(finding: &Value) -> &str {
    finding["message"].as_str().expect("a message")
}

#[track_caller]
fn clean(name: &str, source: &str) {
    let run = explore(name, source).code(0);
    assert!(run.stdout.contains("pass-complete"), "{}", run.stdout);
}

const LOST: &str = r#"
static char *make(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    return strcpy(copy, text);
}
int main(void) {
    unsigned char way;
    symex_make_symbolic(&way, 1, "way");
    char *text = make("leaked");
    if (way != 7) free(text);
    return 0;
}"#;

#[test]
fn what_is_not_freed_on_one_path_is_found_with_its_allocation() {
    let run = explore("lost", LOST).code(1);
    let found = leaks(&run);
    assert_eq!(found.len(), 1, "{found:#?}");
    let expected = "7 bytes are never freed, and cannot be reached at the program's end";
    assert_eq!(message(&found[0]), expected);
    assert_eq!(found[0]["at"]["line"], 6);
    assert_eq!(found[0]["inputs"][0]["bytes"][0], 7);
    let trace = found[0]["trace"].as_array().expect("a trace");
    let functions: Vec<&str> = trace
        .iter()
        .filter_map(|frame| frame["function"].as_str())
        .collect();
    assert_eq!(functions, ["make", "main"]);
    // The native program finds it, too, if it can have a LeakSanitizer in it.
    let lines = run.json();
    let finding = lines.iter().find(|line| line["type"] == "finding");
    let replay = &finding.expect("a finding")["replay"];
    if has_sanitizer() {
        let report = "LeakSanitizer: detected memory leaks";
        assert_eq!(replay["how"]["report"], report, "{replay}");
    } else {
        assert_eq!(replay["status"], "not-reproduced", "{replay}");
    }
    clean("freed", &LOST.replace("if (way != 7) ", ""));
    // Leaks are looked for on request only.
    let text = format!("#include <stdlib.h>\n#include <string.h>\n#include <symex.h>\n{LOST}");
    let tree = Crate::files("leaks-unasked", &[("program.c", &text)]);
    tree.symex(&["c", "program.c"]).code(0);
}

#[test]
fn what_can_be_reached_at_the_end_is_no_leak() {
    // From a global variable, from within, along a list, and from the frame that calls `exit`.
    clean(
        "global",
        "static void *kept; int main(void) { kept = malloc(8); return 0; }",
    );
    clean(
        "inside",
        "static char *kept; int main(void) { kept = (char *)malloc(8) + 5; return 0; }",
    );
    clean(
        "list",
        r#"static struct node { struct node *next; } *first;
           int main(void) {
               for (int i = 0; i < 3; ++i) {
                   struct node *node = malloc(sizeof *node);
                   node->next = first;
                   first = node;
               }
               return 0;
           }"#,
    );
    clean(
        "exit",
        "int main(void) { char *volatile p = malloc(8); exit(p == 0); }",
    );
    clean(
        "handler",
        "static void *p; static void end(void) { free(p); }
                      int main(void) { p = malloc(8); atexit(end); return 0; }",
    );
}

#[test]
fn only_the_head_of_what_is_lost_together_is_told() {
    let ring = r#"
        struct node { struct node *next; };
        int main(void) {
            struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
            a->next = b;
            b->next = END;
            return 0;
        }"#;
    for (name, end) in [("chain", "0"), ("ring", "a")] {
        let run = explore(name, &ring.replace("END", end)).code(1);
        let found = leaks(&run);
        assert_eq!(found.len(), 1, "{found:#?}");
        let expected = "8 bytes are never freed, and cannot be reached at the program's end, nor is 1 object that only such \
                        memory refers to";
        assert_eq!(message(&found[0]), expected);
    }
    let cut = r#"
        static struct node { struct node *next; } *first;
        int main(void) {
            first = calloc(1, sizeof *first);
            first->next = calloc(1, sizeof *first);
            first->next = 0;
            return 0;
        }"#;
    let run = explore("cut", cut).code(1);
    assert_eq!(leaks(&run)[0]["at"]["line"], 8);
}

#[test]
fn a_pointer_that_depends_on_inputs_reaches_all_that_it_may_be() {
    let chosen = r#"
        static char *kept;
        int main(void) {
            char *some[2] = {malloc(1), malloc(2)};
            unsigned which = symex_range(0, 2, "which");
            kept = some[which];
            LOSE
            return 0;
        }"#;
    let run = explore("chosen", &chosen.replace("LOSE", "")).code(0);
    assert!(run.stdout.contains("pass-complete"), "{}", run.stdout);
    let run = explore("forgotten", &chosen.replace("LOSE", "kept = 0;")).code(1);
    assert_eq!(leaks(&run).len(), 2);
}

#[test]
fn streams_and_mappings_are_the_systems() {
    clean(
        "system",
        r#"#include <stdio.h>
           #include <sys/mman.h>
           int main(void) {
               mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
               return 0;
           }"#,
    );
}

#[test]
fn harnesses_leak_what_they_forget() {
    let source = r#"
        #[cfg(test)]
        mod tests {
            use std::sync::OnceLock;
            static KEPT: OnceLock<&'static mut Vec<u8>> = OnceLock::new();

            #[symex::harness]
            fn forgets(value: u8) {
                let text = format!("{}", value % 4);
                if value == 3 {
                    std::mem::forget(text);
                }
            }

            #[symex::harness]
            fn keeps(value: u8) {
                let _ = KEPT.set(Box::leak(Box::new(vec![value])));
            }

            #[symex::harness]
            fn drops(value: u8) {
                let map: std::collections::HashMap<u8, String> = [(value, "x".to_owned())].into();
                assert_eq!(map.len(), 1);
            }
        }"#;
    let tree = Crate::library("leaks-crate", source);
    let run = tree.symex(&["--leaks", "--message-format", "json"]).code(1);
    let lines = run.json();
    let verdict = |name: &str| {
        let of = |line: &&Value| line["type"] == "harness-finished" && line["harness"] == name;
        let line = lines.iter().find(of).expect("a verdict");
        line["verdict"].as_str().expect("a word").to_owned()
    };
    assert_eq!(verdict("tests::forgets"), "bug");
    assert_eq!(verdict("tests::keeps"), "pass-complete");
    assert_eq!(verdict("tests::drops"), "pass-complete");
    let found = leaks(&run);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["inputs"][0]["bytes"][0], 3);
    assert!(
        run.stdout
            .contains("a leak is silent without LeakSanitizer"),
        "{}",
        run.stdout
    );
}

#[test]
fn records_of_writes_are_searched_for_pointers() {
    // With `planes`, what is written at an offset that depends on inputs is a record.
    let source = r#"
        static char *kept[4];
        int main(void) {
            unsigned which = symex_range(0, 4, "which");
            kept[which] = malloc(8);
            LOSE
            return 0;
        }"#;
    let explore = |name: &str, lose: &str| {
        let text = format!(
            "#include <stdlib.h>\n#include <symex.h>\n{}",
            source.replace("LOSE", lose)
        );
        let tree = Crate::files(&format!("leaks-planes-{name}"), &[("program.c", &text)]);
        tree.symex(&[
            "c",
            "program.c",
            "--leaks",
            "--memory-model=planes",
            "--message-format=json",
        ])
    };
    let run = explore("kept", "").code(0);
    assert!(run.stdout.contains("pass-complete"), "{}", run.stdout);
    let run = explore("lost", "malloc(9);").code(1);
    let found = leaks(&run);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(message(&found[0]).starts_with("9 bytes"), "{found:#?}");
}
