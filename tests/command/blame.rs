//! What a finding rests on, and where it is: reports name what was taken for granted, a native run
//! that was cut, and the place where a macro is used.

use crate::support::Crate;
use serde_json::Value;

const DIRECTORY: &str = r#"
#include <dirent.h>
int main(void) {
  DIR *directory = opendir("/usr");
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
    #[symex::harness]
    fn freed_twice(x: u8) {
        let boxed = Box::new(x);
        let caught = std::panic::catch_unwind(|| {
            let copy = unsafe { std::ptr::read(&boxed) };
            assert!(*copy > 7, "it is caught");
            std::mem::forget(copy);
        });
        std::hint::black_box(caught.is_ok());
    }
    struct Fails(u8);
    impl Drop for Fails {
        fn drop(&mut self) {
            assert!(self.0 < 9, "the second");
        }
    }
    #[symex::harness]
    fn fails_twice(x: u8) {
        let _fails = Fails(x);
        assert!(x < 7, "the first");
    }
    #[inline(never)]
    fn deep(n: u32) -> u8 {
        let bytes = std::hint::black_box([n as u8; 4096]);
        if n == 0 { bytes[1] } else { deep(n - 1) ^ bytes[n as usize % 4096] }
    }
    #[symex::harness]
    fn deeper_than_the_stack(x: bool) {
        std::hint::black_box(deep(if x { 10_000 } else { 0 }));
    }
    #[symex::harness]
    fn fails_in_a_cleanup(x: u8) {
        let caught = std::panic::catch_unwind(|| {
            let _fails = Fails(x);
            assert!(x < 5, "the first of two");
        });
        std::hint::black_box(caught.is_ok());
    }
    #[symex::harness]
    fn fails_twice_at_one_place(x: u8) {
        let unrelated = std::panic::catch_unwind(|| assert!(x == 3, "an unrelated one"));
        let caught = std::panic::catch_unwind(|| {
            let _both = (Fails(x), Fails(x));
        });
        std::hint::black_box(unrelated.is_ok() && caught.is_ok());
    }
    extern "C" fn callback(x: u8) -> u8 {
        7 - x
    }
    #[symex::harness]
    fn panics_in_a_callback(x: u8) {
        std::hint::black_box(callback(x));
    }
    #[symex::harness]
    fn null_box(x: u8) {
        let mut boxed: Box<u8> = unsafe { std::mem::MaybeUninit::zeroed().assume_init() };
        if x == 3 {
            *boxed = x;
        }
        std::mem::forget(boxed);
    }
    fn begins(bytes: &[u8]) -> bool {
        bytes.first() == Some(&b'[')
    }
    fn nest(bytes: &[u8]) -> bool {
        begins(bytes) && nest(bytes)
    }
    #[symex::harness]
    fn nests(bytes: [u8; 1], deeper: bool) {
        let nests = match deeper {
            true => (|| nest(&bytes))(),
            false => nest(&bytes),
        };
        std::hint::black_box(nests);
    }
    #[symex::harness]
    fn joins(x: u8) {
        let thread = std::thread::spawn(move || assert!(x != 7, "in a thread"));
        thread.join().unwrap();
    }
    #[symex::harness]
    fn reads_what_is_gone(x: u8) {
        let place = Box::into_raw(Box::new(x));
        drop(unsafe { Box::from_raw(place) });
        std::hint::black_box(unsafe { *place });
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
    let assumed = "the file system was taken to hold nothing but an empty working directory";
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
    let line = line_of("= first_of!");
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

#[test]
fn the_fault_that_ended_a_native_run_is_told_and_no_panic_before_it() {
    let tree = Crate::library("blame_caught", HARNESSES);
    let run = tree.symex(&["freed_twice"]).code(1);
    let killed = "killed by SIGABRT: free(): double free detected in tcache 2";
    let confirmed = format!("= confirmed: natively: {killed}\n");
    assert!(run.stdout.contains(&confirmed), "{}", run.stdout);
    let replayed = tree.symex(&["replay", "freed_twice"]).code(1).stdout;
    let failed = format!(" ... failed: {killed}\n");
    assert!(replayed.contains(&failed), "{replayed}");

    // The exploration ends with the first of two panics, the native run with the second.
    let run = tree.symex(&["fails_twice"]).code(1);
    let confirmed = "= confirmed: natively: panicked at src/lib.rs:47:9, then killed by SIGABRT: \
                     another panic: the second\n";
    assert!(run.stdout.contains(confirmed), "{}", run.stdout);
    let replayed = tree.symex(&["replay", "fails_twice"]).code(1).stdout;
    assert!(replayed.contains("    the second\n"), "{replayed}");
}

/// Asserts that a report contains all these texts.
#[track_caller]
fn says(report: &str, texts: &[&str]) {
    for text in texts {
        assert!(report.contains(text), "{text} is not in\n{report}");
    }
}

/// Returns the line of the harnesses that has this text.
fn line_of(text: &str) -> usize {
    let line = HARNESSES.lines().position(|line| line.contains(text));
    line.expect("the text") + 1
}

#[test]
fn an_abort_behind_panics_is_told_where_they_began() {
    let tree = Crate::library("blame_aborts", HARNESSES);
    let text = tree.symex(&["fails_in_a_cleanup"]).code(1).stdout;
    let (first, second) = (line_of("the first of two"), line_of("the second"));
    says(
        &text,
        &[
            "error[abort]: panic in a destructor during cleanup\n",
            &format!("--> src/lib.rs:{second}:"),
            &format!("= panic: at src/lib.rs:{first}:"),
        ],
    );
    let text = tree.symex(&["fails_twice_at_one_place"]).code(1).stdout;
    let both = format!("= panic: at src/lib.rs:{second}:");
    assert!(text.contains(&both), "{text}");
    let text = tree.symex(&["panics_in_a_callback"]).code(1).stdout;
    let place = format!("--> src/lib.rs:{}:", line_of("7 - x"));
    assert!(text.contains(&place), "{text}");
}

#[test]
fn a_box_that_is_null_is_an_invalid_value() {
    let tree = Crate::library("blame_null", HARNESSES);
    let found = findings(&tree, &["null_box", "--replay=off"]);
    let finding = &found[0]["finding"];
    assert_eq!(finding["kind"], "invalid-value", "{finding:?}");
}

#[test]
fn a_recursion_is_told_once_and_where_it_calls_itself() {
    let tree = Crate::library("blame_recursion", HARNESSES);
    let found = findings(&tree, &["nests", "--replay=off"]);
    assert_eq!(found.len(), 1, "{found:?}");
    let finding = &found[0]["finding"];
    assert_eq!(finding["kind"], "stack-overflow", "{finding:?}");
    let line = line_of("begins(bytes) && nest(bytes)");
    assert_eq!(finding["at"]["line"], line, "{finding:?}");
}

#[test]
fn a_hang_that_is_a_stack_overflow_natively_says_so() {
    let tree = Crate::library("blame_deep", HARNESSES);
    let run = tree.symex(&["deeper_than_the_stack", "--max-steps", "20000"]);
    let run = run.code(1);
    assert!(run.stdout.contains("hang"), "{}", run.stdout);
    let confirmed = "= confirmed: natively the stack overflows instead: killed by SIGABRT: \
                     thread 't::symex_deeper_than_the_stack' has overflowed its stack\n";
    assert!(run.stdout.contains(confirmed), "{}", run.stdout);
    // It ends, so that it can be a test.
    assert!(run.stdout.contains("= test: "), "{}", run.stdout);
}

#[test]
fn a_panic_that_join_hands_over_is_told_where_it_began() {
    let tree = Crate::library("blame_join", HARNESSES);
    let text = tree.symex(&["joins"]).code(1).stdout;
    let (place, other) = (line_of("thread.join()"), line_of("in a thread"));
    says(
        &text,
        &[
            &format!("--> src/lib.rs:{place}:"),
            &format!("= other: thread panics at src/lib.rs:{other}:"),
            ": in a thread\n",
        ],
    );
}

#[test]
fn memory_that_is_gone_is_told_where_it_was_freed() {
    let tree = Crate::library("blame_freed", HARNESSES);
    let text = tree.symex(&["reads_what_is_gone"]).code(1).stdout;
    let [made, freed] = ["Box::new(x));\n        drop", "Box::from_raw"].map(|text| {
        let at = HARNESSES.find(text).expect("the text");
        HARNESSES[..at].lines().count()
    });
    says(
        &text,
        &[
            "error[use-after-free]",
            &format!("= allocated: at src/lib.rs:{made}:"),
            &format!("= freed: at src/lib.rs:{freed}:"),
        ],
    );
}
