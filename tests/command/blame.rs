//! What a finding rests on, and where it is: reports name what was taken for granted, a native run
//! that was cut, and the place where a macro is used.

use crate::support::Crate;
use serde_json::Value;

const DIRECTORY: &str = r#"
#include <dirent.h>
int main(void) {
  DIR *directory = opendir(".");
  return readdir(directory) == 0;
}
"#;

const HARNESSES: &str = r#"
#[cfg(test)]
mod t {
    macro_rules! first_of {
        ($pointer:expr) => {
            unsafe {
                let pointer: *const u8 = $pointer;
                *pointer.add(4)
            }
        };
    }
    #[symex::harness]
    fn absent(x: u8) {
        let text = std::fs::read_to_string("Cargo.toml").unwrap();
        assert!(text.len() > usize::from(x));
    }
    #[symex::harness]
    fn late(x: bool) {
        std::thread::sleep(std::time::Duration::from_secs(1000));
        assert!(x);
    }
    #[symex::harness]
    fn in_a_macro(x: [u8; 4]) {
        let boxed = Box::new(x);
        let byte = first_of!(boxed.as_ptr());
        std::hint::black_box(byte);
    }
}
"#;

/// Returns the findings of a run.
fn findings(tree: &Crate, args: &[&str]) -> Vec<Value> {
    let common = ["--message-format", "json", "--no-write"];
    let run = tree.symex(&[args, &common].concat());
    let lines = run.json().into_iter();
    lines.filter(|line| line["type"] == "finding").collect()
}

#[test]
fn a_finding_says_what_was_taken_for_granted() {
    let tree = Crate::files("blame_directory", &[("program.c", DIRECTORY)]);
    let found = findings(&tree, &["c", "program.c"]);
    let assumed = "the file system was taken to be empty and read-only";
    assert_eq!(
        found[0]["finding"]["assumptions"],
        serde_json::json!([assumed])
    );
    let text = tree.symex(&["c", "program.c", "--no-write"]).stdout;
    assert!(text.contains(&format!("= assumed: {assumed}")), "{text}");

    let tree = Crate::library("blame_file", HARNESSES);
    let text = tree.symex(&["absent", "--no-write"]).code(3).stdout;
    assert!(text.contains(&format!("= assumed: {assumed}")), "{text}");
    assert!(text.contains("it rests on what was assumed"), "{text}");
    assert!(!text.contains("a fault of cargo symex"), "{text}");
}

#[test]
fn a_native_run_that_was_cut_refutes_nothing() {
    let tree = Crate::library("blame_cut", HARNESSES);
    let found = findings(&tree, &["late"]);
    let replay = &found[0]["replay"];
    assert_eq!(
        (&replay["status"], &replay["cut"]),
        (&"not-reproduced".into(), &true.into())
    );
    let text = tree.symex(&["late", "--no-write"]).code(3).stdout;
    assert!(
        text.contains("seen by the engine alone: the native run was cut"),
        "{text}"
    );
}

#[test]
fn what_a_macro_does_is_shown_where_it_is_used() {
    let tree = Crate::library("blame_macro", HARNESSES);
    let found = findings(&tree, &["in_a_macro", "--replay=off"]);
    let line = HARNESSES
        .lines()
        .position(|line| line.contains("= first_of!"));
    let line = line.expect("the use") + 1;
    assert_eq!(found[0]["finding"]["kind"], "out-of-bounds", "{found:?}");
    let trace = found[0]["finding"]["trace"].as_array().expect("a trace");
    let user = |frame: &&Value| {
        frame["at"]["file"]
            .as_str()
            .is_some_and(|f| f.ends_with("src/lib.rs"))
    };
    let frame = trace.iter().find(user).expect("a frame of the crate");
    assert_eq!(frame["at"]["line"], line, "{trace:?}");
}
