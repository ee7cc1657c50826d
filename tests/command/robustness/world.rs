//! Tests of harnesses that use the world outside: files, variables, processors, network and the
//! like.

use crate::support::Crate;

/// Harnesses that use the world outside, or whose standard library does.
const WORLD: &str = r#"
#[cfg(test)]
mod t {
    use std::hint::black_box;
    mod asks {
        use super::black_box;
        #[symex::harness]
        fn all_variables(x: u8) {
            black_box((std::env::vars().count(), x));
        }
        #[symex::harness]
        fn temporary_directory(x: u8) {
            black_box((std::env::temp_dir(), x));
        }
        #[symex::harness]
        fn variable_of_the_panic_printer(x: u8) {
            black_box((std::env::var_os("RUST_BACKTRACE").is_some(), x));
        }
        #[symex::harness]
        fn exists(x: u8) {
            black_box((std::path::Path::new("Cargo.toml").exists(), x));
        }
        #[symex::harness]
        fn processors(x: u8) {
            black_box((std::thread::available_parallelism().is_ok(), x));
        }
        #[symex::harness]
        fn network(x: u8) {
            black_box((std::net::TcpStream::connect("127.0.0.1:80").is_ok(), x));
        }
        #[symex::harness]
        fn terminal(x: u8) {
            use std::io::IsTerminal;
            black_box((std::io::stdout().is_terminal(), x));
        }
        #[symex::harness]
        fn uncovered(x: u8) {
            let start = std::time::Instant::now();
            symex::cover!(x as u32 > 300, "never");
            black_box(start);
        }
    }
    mod asks_not {
        use super::black_box;
        #[symex::harness]
        fn own_variable(x: u8) {
            unsafe { std::env::set_var("OURS", "set") };
            assert!(std::env::var("OURS").unwrap() == "set");
            unsafe { std::env::remove_var("OURS") };
            assert!(std::env::var("OURS").is_err() && x as u32 <= 255);
        }
        #[symex::harness]
        fn hash_map(x: u8) {
            let mut map = std::collections::HashMap::new();
            map.insert(x & 3, 1);
            assert!(map.contains_key(&(x & 3)));
        }
        #[symex::harness]
        fn caught_panic(x: u8) {
            let caught = std::panic::catch_unwind(|| assert!(x != 3));
            assert!(caught.is_err() == (x == 3));
        }
        #[symex::harness]
        fn backtrace(x: u8) {
            black_box((std::backtrace::Backtrace::capture(), x));
        }
        #[symex::harness]
        fn channel(x: u8) {
            let (sender, receiver) = std::sync::mpsc::channel();
            sender.send(x).unwrap();
            let wait = std::time::Duration::from_millis(1);
            assert!(receiver.recv_timeout(wait) == Ok(x));
            assert!(receiver.recv_timeout(wait).is_err());
            std::thread::sleep(wait);
            println!("{x}");
        }
    }
}
"#;

#[test]
fn what_the_world_is_taken_to_be_is_told() {
    let tree = Crate::library("world", WORLD);
    let run = tree
        .symex(&["--message-format", "json", "--no-write"])
        .code(4);
    for (name, line) in run.finished() {
        let text = line["verdict_text"].as_str().expect("a text");
        let taken = match name.rsplit("::").next().expect("a name") {
            "all_variables" => "the environment was taken to be empty",
            "temporary_directory" => "the environment variable `TMPDIR` was taken to be unset",
            "variable_of_the_panic_printer" => {
                "the environment variable `RUST_BACKTRACE` was taken to be unset"
            }
            "exists" => "the file system was taken to hold nothing but an empty working directory",
            "processors" => "the machine was taken to have one processor and 4 GiB",
            "network" => "the network was taken to be unreachable",
            "terminal" => "no stream was taken to be a terminal",
            "uncovered" => {
                // No bound on the inputs hides that nothing is tested.
                assert_eq!(
                    text,
                    "vacuous (no input meets cover!(\"never\"); bounded: the clock was taken to start at a fixed time)"
                );
                continue;
            }
            _ => {
                assert_eq!(text, "pass (complete)", "{name}");
                assert!(name.starts_with("t::asks_not::"));
                continue;
            }
        };
        assert_eq!(text, format!("pass (bounded: {taken})"), "{name}");
    }
    // Reported with its place, and the number of times.
    let people = tree.symex(&["exists", "--no-write"]).code(0).stdout;
    assert!(
        people.contains("= note: the file system was taken to hold nothing but an empty working directory at src/lib.rs:21:59\n"),
        "{people}"
    );
    tree.symex(&["exists", "--no-write", "--require-complete"])
        .code(6);
}
