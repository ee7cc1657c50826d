//! Hard cases from the outside: each ends with one clear message and the documented exit code, never with a panic of the
//! tool, and never without end. What other files here cover (no harness, a crate that does not compile, a bodiless
//! function in LLVM assembly, Ctrl-C between two harnesses, a tree where tests cannot be written) is not repeated.

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use support::limited::{LIMIT, Process, output};
use support::{Crate, Run, dependency, finish};

/// The `harness-finished` objects of a run with `--message-format json`, by harness.
fn finished(run: &Run) -> BTreeMap<String, Value> {
    assert!(!run.stderr.contains("panicked at"), "{}", run.stderr);
    run.json()
        .into_iter()
        .filter(|line| line["type"] == "harness-finished")
        .map(|line| (line["harness"].as_str().expect("a name").to_owned(), line))
        .collect()
}

fn kinds(finished: &Value) -> Vec<&str> {
    finished["outcome"]["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|finding| finding["kind"].as_str().expect("a kind"))
        .collect()
}

#[test]
fn two_harnesses_of_one_name_are_two() {
    let source = "
#[cfg(test)]
mod one {
    #[symex::harness]
    fn twin(x: u8) {
        assert!(x != 3);
    }
}
#[cfg(test)]
mod two {
    #[symex::harness]
    fn twin(x: u8) {
        assert!(x != 4);
    }
}
";
    let tree = Crate::library("twins", source);
    let run = tree.symex(&[]).code(1);
    for line in [
        "one::twin ... bug\n",
        "two::twin ... bug\n",
        "x: u8 = 3",
        "x: u8 = 4",
    ] {
        assert!(
            run.stdout.contains(line),
            "{line} is not in\n{}",
            run.stdout
        );
    }
    assert!(
        tree.read("symex-regressions/src/lib/one/twin.rs")
            .contains("twin(3)")
    );
    assert!(
        tree.read("symex-regressions/src/lib/two/twin.rs")
            .contains("twin(4)")
    );
    let plain = tree.cargo(&["test", "--lib"]).code(101);
    assert!(
        plain.stdout.contains("2 passed; 2 failed"),
        "{}",
        plain.stdout
    );
}

#[test]
fn rustc_points_at_an_argument_that_is_not_symbolic() {
    let source = "
pub struct Opaque;
#[cfg(test)]
mod t {
    #[symex::harness]
    fn takes(fine: u8, wrong: super::Opaque) {
        let _ = (fine, wrong);
    }
}
";
    let run = Crate::library("opaque", source).symex(&[]).code(101);
    assert!(
        run.stderr
            .contains("`Opaque` cannot be an input of a harness"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("--> src/lib.rs:6:31"), "{}", run.stderr);
}

#[test]
fn a_harness_the_macro_refuses_is_named_by_the_compiler() {
    let source = "#[cfg(test)]\nmod t {\n    #[symex::harness]\n    async fn later(x: u8) {}\n}\n";
    let run = Crate::library("refused", source)
        .symex(&[])
        .code(101)
        .error("the crate does not compile");
    assert!(run.stderr.contains("--> src/lib.rs:4:5"), "{}", run.stderr);
}

/// Bitcode of a small program, with debug information, and the same bytes wherever the tests run: what a damaged byte
/// does depends on all others.
fn small_bitcode(tree: &Crate) -> Vec<u8> {
    tree.write(
        "f.c",
        "int g(int); int f(int x) { return g(x) + 1; }\nint g(int x) { return x ? f(x - 1) : 7; }\nint main(void) { return f(3) - 11; }\n",
    );
    let mut clang = Command::new("clang-22");
    clang
        .args(["-O1", "-g", "-c", "-emit-llvm", "-o", "whole.bc", "f.c"])
        .arg("-fdebug-compilation-dir=/src")
        .arg(format!("-ffile-prefix-map={}=/src", tree.path().display()))
        .current_dir(tree.path());
    finish(clang).code(0);
    std::fs::read(tree.path().join("whole.bc")).expect("clang wrote it")
}

/// Places of [`small_bitcode`] and what is written there, each of which ended the tool itself once, with clang 22.1.8.
const DEADLY: &[&[(usize, u8)]] = &[
    // LLVM's reader follows a wild pointer: when it opens the file, and when it reads a function.
    &[(3085, 154)],
    &[(2201, 69)],
    &[(2657, 199), (2811, 40)],
    &[(2090, 128)],
    &[(2798, 227)],
    // It asks for more memory than there is.
    &[(263, 251)],
    &[(260, 239)],
    // The verifier or a pass follows a wild pointer.
    &[(2697, 131)],
    &[(2772, 176)],
    &[(2356, 130)],
    // A pass knows no such processor and ends the process, with the code that means "a bug was found".
    &[(419, 216)],
];

/// The bytes with others at some places.
fn changed(bytes: &[u8], places: &[(usize, u8)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for &(at, value) in places {
        if let Some(byte) = bytes.get_mut(at) {
            *byte = value;
        }
    }
    bytes
}

#[test]
fn damaged_bitcode_is_refused_and_never_crashes() {
    let tree = Crate::files("damaged", &[]);
    let whole = small_bitcode(&tree);
    tree.symex(&["bitcode", "whole.bc"]).code(0);
    let mut variants = Vec::new();
    for part in [4, 20, whole.len() / 4, whole.len() / 2, whole.len() - 8] {
        variants.push((format!("first {part} bytes"), whole[..part].to_vec(), true));
    }
    for places in DEADLY {
        variants.push((format!("{places:?}"), changed(&whole, places), false));
    }
    let mut seed = 1u64;
    for number in 0..160 {
        let places: Vec<(usize, u8)> = (0..1 + number % 3)
            .map(|_| {
                seed = seed
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                let at = (seed >> 33) as usize % whole.len();
                (at, whole[at] ^ 1 << (seed >> 61))
            })
            .collect();
        variants.push((format!("{places:?}"), changed(&whole, &places), false));
    }
    let next = AtomicUsize::new(0);
    let crashes = AtomicUsize::new(0);
    let work = || {
        while let Some((number, (what, bytes, refused))) = {
            let number = next.fetch_add(1, Relaxed);
            variants.get(number).map(|variant| (number, variant))
        } {
            let name = format!("bad{number}.bc");
            std::fs::write(tree.path().join(&name), bytes).expect("written");
            let run = tree.symex(&["bitcode", &name, "--timeout", "5s"]);
            let said = &run.stderr;
            assert!(!said.contains("panicked at"), "{what}: {said}");
            // A changed byte may still be a program, even one with a bug; all else is told once, with the name of the file
            // or of what it lacks.
            match run.code {
                Some(0 | 1 | 3 | 4) if !refused => assert!(run.stdout.contains("main ... ")),
                Some(2) => {
                    let errors: Vec<&str> = said
                        .lines()
                        .filter(|line| line.starts_with("error: "))
                        .collect();
                    assert!(
                        matches!(errors[..], [error] if error.contains(&name) || error.ends_with("`main`")),
                        "{what}: {said}"
                    );
                    crashes.fetch_add(usize::from(said.contains(": LLVM cannot ")), Relaxed);
                }
                code => panic!("{what}: {code:?}\n{said}"),
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    // Else nothing is said of crashes here.
    assert!(crashes.into_inner() > 0);
}

#[test]
fn a_library_of_a_crate_that_llvm_crashes_on_is_named() {
    let source = "
#[cfg(test)]
mod t {
    unsafe extern \"C\" {
        fn f(x: i32) -> i32;
    }
    #[symex::harness]
    fn calls(x: i32) {
        std::hint::black_box(unsafe { f(x & 3) });
    }
}
";
    let script = "fn main() {
    println!(\"cargo::rustc-link-search={}\", std::env::var(\"CARGO_MANIFEST_DIR\").unwrap());
    println!(\"cargo::rustc-link-lib=static=bad\");
}";
    let tree = Crate::library("damaged_library", source);
    tree.write("build.rs", script);
    let whole = small_bitcode(&tree);
    let deadly = DEADLY.iter().map(|places| changed(&whole, places));
    let deadly = deadly.into_iter().find(|bytes| {
        std::fs::write(tree.path().join("bad.bc"), bytes).expect("written");
        let run = tree.symex(&["bitcode", "bad.bc", "--entry", "f"]);
        run.stderr.contains("bad.bc: LLVM cannot read this bitcode")
    });
    let deadly = deadly.expect("a file that LLVM crashes on");
    // The index is made of the good file, as it would be if the library were damaged later.
    let mut archiver = Command::new("llvm-ar-22");
    archiver
        .args(["crs", "libbad.a", "whole.bc"])
        .current_dir(tree.path());
    finish(archiver).code(0);
    let library = tree.path().join("libbad.a");
    let mut archive = std::fs::read(&library).expect("written");
    let member = archive
        .windows(whole.len())
        .position(|part| part == whole)
        .expect("the file is in it");
    archive[member..member + deadly.len()].copy_from_slice(&deadly);
    std::fs::write(&library, archive).expect("written");
    tree.symex(&["--list"])
        .code(2)
        .error("libbad.a(whole.bc): LLVM cannot read this bitcode (it crashed with signal ");
}

/// Harnesses that end in every way but the usual ones.
const HARD: &str = r#"
pub fn deep(n: u64) -> u64 {
    if std::hint::black_box(n) == 0 { 0 } else { deep(n.wrapping_sub(1) | 1) + 1 }
}
#[cfg(test)]
mod t {
    use std::hint::black_box;
    use std::io::{BufRead, Write};
    #[symex::harness(max_steps = 300000)]
    fn endless(x: u8) {
        let mut n = x as u64;
        while n != 3 {
            n = black_box(n | 128);
        }
    }
    #[symex::harness]
    fn recursion(x: u64) {
        black_box(super::deep(x));
    }
    #[symex::harness]
    fn huge(x: u8) {
        let mut v = vec![0u8; 10 << 30];
        v[9 << 30] = x;
        assert!(v[9 << 30] == x && v[8 << 30] == 0);
    }
    #[symex::harness]
    fn prints(x: u8) {
        print!("to out {} ", 1);
        std::io::stdout().write_all(b"raw\n").unwrap();
        println!("x is {x}");
        assert!(x != 77);
    }
    #[symex::harness]
    fn clock(x: u8) {
        let start = std::time::Instant::now();
        let now = std::time::SystemTime::now();
        assert!(now.duration_since(std::time::UNIX_EPOCH).is_ok());
        assert!(start.elapsed().as_secs() < 1_000_000 && x as u32 <= 255);
    }
    #[symex::harness]
    fn environment(x: u8) {
        assert!(std::env::var("A_VARIABLE_THAT_NOBODY_SETS").is_err());
        black_box((std::env::args().count(), std::process::id(), x));
    }
    #[symex::harness]
    fn file(x: u8) {
        assert!(std::fs::File::open("no/such/file").is_err());
        black_box((std::fs::read_to_string("Cargo.toml").is_ok(), x));
    }
    #[symex::harness]
    fn writes(x: u8) {
        black_box(std::fs::write("written-by-a-harness", [x]).is_ok());
    }
    #[symex::harness]
    fn stdin(x: u8) {
        let mut line = String::new();
        black_box((std::io::stdin().lock().read_line(&mut line).is_ok(), x));
    }
    #[symex::harness]
    fn threads(x: u8) {
        let thread = std::thread::spawn(move || x);
        assert!(thread.join().unwrap() == x);
    }
    #[symex::harness]
    fn aborts(x: u8) {
        if x == 9 { std::process::abort() }
    }
    #[symex::harness]
    fn exits(x: u8) {
        if x == 9 { std::process::exit(3) }
    }
    #[symex::harness]
    fn factors(x: u64, y: u64) {
        symex::assume(x > 1 && y > 1 && x < 1 << 40 && y < 1 << 40);
        assert!(x.wrapping_mul(y) != 1099511627689 * 1048573);
        assert!(u128::from(x) * u128::from(y) % 1_000_000_007 != 123_456_789);
    }
    #[symex::harness]
    fn hungry(first: bool, x: [u8; 64]) {
        if first {
            return;
        }
        let mut kept = Vec::new();
        let mut n = 0u64;
        loop {
            kept.push([n; 4096]);
            n += 1;
            if x[(n % 64) as usize] == n as u8 {
                black_box(&kept);
            }
        }
    }
}
"#;

#[test]
fn programs_that_misbehave_get_their_verdicts() {
    let tree = Crate::library("hard", HARD);
    let start = Instant::now();
    let run = tree.symex(&[
        "--message-format",
        "json",
        "--no-write",
        "--timeout",
        "20s",
        "--query-timeout",
        "2s",
        "--skip",
        "factors",
        "--skip",
        "hungry",
    ]);
    let run = run.code(1);
    assert!(start.elapsed() < Duration::from_secs(120));
    let finished = finished(&run);
    let text = |name: &str| {
        finished[&format!("t::{name}")]["verdict_text"]
            .as_str()
            .expect("a text")
    };
    let found = |name: &str| kinds(&finished[&format!("t::{name}")]);
    assert_eq!((text("endless"), found("endless")), ("bug", vec!["hang"]));
    assert_eq!(
        (text("recursion"), found("recursion")),
        ("bug", vec!["stack-overflow"])
    );
    assert_eq!((text("prints"), found("prints")), ("bug", vec!["panic"]));
    assert_eq!((text("aborts"), found("aborts")), ("bug", vec!["abort"]));
    assert_eq!((text("exits"), found("exits")), ("bug", vec!["exit-code"]));
    // An allocator may give this much or refuse it; neither a pass nor a bug can be claimed.
    assert_eq!(
        text("huge"),
        "inconclusive (allocation of 10737418240 bytes is over the limit of 1073741824)"
    );
    let files = "the file system was taken to be empty and read-only";
    for (name, taken) in [
        ("clock", "the clock was taken to start at a fixed time"),
        (
            "environment",
            "the command line was taken to be empty, \
             the environment variable `A_VARIABLE_THAT_NOBODY_SETS` was taken to be unset, \
             the numbers of process and user were taken to be fixed ones",
        ),
        ("file", files),
        ("writes", files),
        ("stdin", "standard input was taken to be empty"),
    ] {
        assert_eq!(text(name), format!("pass (bounded: {taken})"));
    }
    assert!(!tree.exists("written-by-a-harness"));
    assert_eq!(
        text("threads"),
        "inconclusive (no model of `pthread_create (threads)`)"
    );

    let output = run
        .json()
        .into_iter()
        .find(|line| line["type"] == "finding" && line["harness"] == "t::prints")
        .expect("the finding");
    assert_eq!(output["output"], "to out 1 raw\nx is 77\n");
    for line in run.json().iter().filter(|line| line["type"] == "finding") {
        assert_eq!(line["replay"]["status"], "confirmed", "{line}");
    }
    // Thousands of frames are a line.
    let people = tree.symex(&["t::recursion", "--no-write"]).code(1).stdout;
    assert!(
        people.contains(" calls of itself)") && people.lines().count() < 30,
        "{people}"
    );
}

/// Harnesses that ask the world outside, or whose standard library does.
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
    for (name, line) in finished(&run) {
        let text = line["verdict_text"].as_str().expect("a text");
        let taken = match name.rsplit("::").next().expect("a name") {
            "all_variables" => "the environment was taken to be empty",
            "temporary_directory" => "the environment variable `TMPDIR` was taken to be unset",
            "variable_of_the_panic_printer" => {
                "the environment variable `RUST_BACKTRACE` was taken to be unset"
            }
            "exists" => "the file system was taken to be empty and read-only",
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
    // Told with its place, and how often.
    let people = tree.symex(&["exists", "--no-write"]).code(0).stdout;
    assert!(
        people.contains("= note: the file system was taken to be empty and read-only at src/lib.rs:21:59 (3 times)\n"),
        "{people}"
    );
    tree.symex(&["exists", "--no-write", "--require-complete"])
        .code(6);
}

/// Harnesses that ask for much memory.
const MEMORY: &str = r#"
#[cfg(test)]
mod t {
    use std::hint::black_box;
    #[symex::harness]
    fn sometimes_much(x: u8) {
        if x == 7 {
            black_box(Vec::<u8>::with_capacity(5 << 30));
        }
    }
    #[symex::harness]
    fn as_much_as_asked_for(x: u64) {
        symex::assume(x < 4 || x > 1 << 31 && x < 1 << 46);
        black_box(Vec::<u8>::with_capacity(x as usize));
    }
    #[symex::harness]
    fn more_than_there_is(x: u8) {
        let size = if x == 7 { 1 << 60 } else { 5 };
        black_box(Vec::<u8>::with_capacity(size));
    }
    #[symex::harness]
    fn more_than_a_layout(x: u8) {
        let size = if x == 7 { 1 << 60 } else { 5 };
        black_box(Vec::<u64>::with_capacity(size));
    }
    #[symex::harness]
    fn refused(x: u8) {
        assert!(Vec::<u8>::new().try_reserve(black_box(1 << 60)).is_err() && x as u32 <= 255);
    }
}
"#;

#[test]
fn too_large_an_allocation_is_a_bound_and_an_impossible_one_a_bug() {
    let tree = Crate::library("memory", MEMORY);
    let run = tree
        .symex(&["--message-format", "json", "--no-write"])
        .code(1);
    let finished = finished(&run);
    let text = |name: &str| {
        finished[&format!("t::{name}")]["verdict_text"]
            .as_str()
            .expect("a text")
    };
    assert_eq!(
        text("sometimes_much"),
        "pass (bounded: allocation of 5368709120 bytes is over the limit of 1073741824)"
    );
    assert_eq!(
        text("as_much_as_asked_for"),
        "pass (bounded: allocation of a size that depends on the input is over the limit of 1073741824)"
    );
    assert_eq!(text("refused"), "pass (complete)");
    for (name, kind) in [
        ("more_than_there_is", "abort"),
        ("more_than_a_layout", "panic"),
    ] {
        assert_eq!(text(name), "bug");
        assert_eq!(kinds(&finished[&format!("t::{name}")]), [kind]);
    }
    for line in run.json().iter().filter(|line| line["type"] == "finding") {
        assert_eq!(line["replay"]["status"], "confirmed", "{line}");
    }
}

#[test]
fn where_a_limit_stops_the_only_path_nothing_is_said_of_the_harness() {
    let source = r#"
#[cfg(test)]
mod t {
    #[symex::harness]
    fn long(x: u64) {
        let mut n = 0u64;
        while std::hint::black_box(n) < 1 << 40 {
            n += 1;
        }
        assert!(n > 0 || x > 0);
    }
    #[symex::harness]
    fn no_lengths(data: Vec<u8>) {
        symex::assume(data.len() > 100);
    }
}
"#;
    let tree = Crate::library("only_path", source);
    let limits = ["--max-steps", "none", "--timeout", "1s", "--no-write"];
    let run = tree.symex(&[&["long"], &limits[..]].concat()).code(3);
    assert!(
        run.stdout.contains("t::long ... inconclusive (timeout)\n"),
        "{}",
        run.stdout
    );
    let run = tree.symex(&["no_lengths"]).code(4);
    assert!(
        run.stdout.contains(
            "t::no_lengths ... vacuous (no input reaches the end of the harness; bounded: length of data <= 4)\n"
        ),
        "{}",
        run.stdout
    );
}

#[test]
fn a_loop_without_step_limit_ends_with_the_time() {
    let tree = Crate::library("hard_loop", HARD);
    let start = Instant::now();
    let run = tree
        .symex(&[
            "t::endless",
            "--no-write",
            "--max-steps",
            "none",
            "--timeout",
            "2s",
        ])
        .code(0);
    assert!(start.elapsed() < Duration::from_secs(60));
    assert!(
        run.stdout
            .contains("t::endless ... pass (bounded: timeout)\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn the_memory_limit_bounds_a_run() {
    let tree = Crate::library("hard_memory", HARD);
    let run = tree
        .symex(&[
            "t::hungry",
            "--no-write",
            "--max-memory",
            "300MB",
            "--max-steps",
            "none",
            "--timeout",
            "60s",
        ])
        .code(0);
    assert!(
        run.stdout
            .contains("t::hungry ... pass (bounded: memory limit)\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_query_that_is_too_hard_is_the_solvers_gap() {
    let tree = Crate::library("hard_query", HARD);
    let run = tree
        .symex(&[
            "t::factors",
            "--no-write",
            "--query-timeout",
            "20ms",
            "--timeout",
            "30s",
        ])
        .code(3);
    assert!(
        run.stdout
            .contains("t::factors ... inconclusive (solver: a query took longer than allowed (--query-timeout))\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn ctrl_c_reaches_a_query_at_work() {
    let tree = Crate::library("hard_interrupt", HARD);
    tree.symex(&["--list"]).code(0);
    let mut command = tree.symex_command(&[
        "t::factors",
        "--no-write",
        "--query-timeout",
        "600s",
        "--timeout",
        "none",
    ]);
    let process = Process::start(LIMIT, &mut command);
    std::thread::sleep(Duration::from_secs(4));
    let start = Instant::now();
    process.interrupt();
    let Run { stdout, stderr, .. } = Run::from(process.end()).code(130);
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
    assert!(
        stderr.contains("interrupted: reporting what was found"),
        "{stderr}"
    );
    assert!(stdout.contains("t::factors ... "), "{stdout}");
}

#[test]
fn a_function_that_nothing_defines_is_named() {
    let source = "
#[cfg(test)]
mod t {
    unsafe extern \"C\" {
        fn nobody_has_this(x: i32) -> i32;
    }
    #[symex::harness]
    fn calls(x: i32) {
        if x == 5 {
            std::hint::black_box(unsafe { nobody_has_this(x) });
        }
    }
    #[symex::harness]
    fn takes_address(x: u8) {
        std::hint::black_box(nobody_has_this as *const () as usize);
        assert!(x != 4);
    }
    #[symex::harness]
    fn other(x: u8) {
        assert!(x != 3);
    }
}
";
    let tree = Crate::library("bodiless", source);
    let run = tree.symex(&["t::calls"]).code(3);
    assert!(
        run.stdout
            .contains("t::calls ... inconclusive (no model of `nobody_has_this`)\n"),
        "{}",
        run.stdout
    );
    // It keeps nothing else from being confirmed.
    let run = tree
        .symex(&["t::other", "t::takes_address", "--no-write"])
        .code(1);
    let confirmed = run.stdout.matches("= confirmed: natively: panicked at");
    assert_eq!(confirmed.count(), 2, "{}", run.stdout);
}

const BUG: &str = "
pub fn at(data: &[u8], i: usize) -> u8 {
    data[i]
}
#[cfg(test)]
mod t {
    #[symex::harness]
    fn at(data: [u8; 2], i: usize) {
        symex::assume(i < 3);
        super::at(&data, i);
    }
}
";

#[test]
fn a_read_only_source_tree_is_tested_all_the_same() {
    let tree = Crate::library("mounted_read_only", BUG);
    let path = tree.path().display().to_string();
    let script = format!(
        "mount --bind '{path}' '{path}' && mount -o remount,ro,bind '{path}' && cd '{path}'"
    );
    let unshared = |rest: &str| {
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", &format!("{script} && {rest}")]);
        command.env(
            "CARGO_TARGET_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared"),
        );
        command.env_remove("CI");
        command
    };
    // The lock file must be complete before it cannot be written any more.
    tree.symex(&["--list"]).code(0);
    let probe = output(&mut unshared("! touch probe"));
    if !probe.status.success() {
        eprintln!("skipped: this machine lets no test mount a directory read-only");
        return;
    }
    let tool = env!("CARGO_BIN_EXE_cargo-symex");
    let run = finish(unshared(&format!("'{tool}' symex"))).code(1);
    assert!(run.stdout.contains("t::at ... bug\n"), "{}", run.stdout);
    assert!(run.stdout.contains("= confirmed: "), "{}", run.stdout);
    assert!(
        run.stdout.contains("not written: failed to write"),
        "{}",
        run.stdout
    );
    assert!(!tree.exists("symex-regressions"));
}

#[test]
fn packages_of_old_editions_and_without_std_in_paths_with_blanks() {
    let runtime = dependency();
    let old = format!(
        "[package]\nname = \"old\"\nversion = \"0.1.0\"\nedition = \"2015\"\n[dev-dependencies]\n{runtime}"
    );
    let bare = format!(
        "[package]\nname = \"bare\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dev-dependencies]\n{runtime}"
    );
    // In 2015 a path that begins with `::` begins in the crate itself.
    let old_source = format!("#[cfg(test)]\nextern crate symex;\n{BUG}");
    let bare_source = format!(
        "#![no_std]\n{}",
        BUG.replace(
            "-> u8 {",
            "-> u8 {\n    let _ = core::mem::size_of::<u8>();"
        )
    );
    let tree = Crate::files(
        "old and bare/ä b",
        &[
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"old one\", \"bare\"]\nresolver = \"2\"\n",
            ),
            ("old one/Cargo.toml", &old),
            ("old one/src/lib.rs", &old_source),
            ("bare/Cargo.toml", &bare),
            ("bare/src/lib.rs", &bare_source),
        ],
    );
    let run = tree.symex(&[]).code(1);
    for line in [
        "bare::t::at ... bug\n",
        "old::t::at ... bug\n",
        "2 harnesses: 2 bug\n",
    ] {
        assert!(
            run.stdout.contains(line),
            "{line} is not in\n{}",
            run.stdout
        );
    }
    assert_eq!(
        run.stdout.matches("= confirmed: ").count(),
        2,
        "{}",
        run.stdout
    );
    for package in ["old one", "bare"] {
        let text = tree.read(&format!("{package}/symex-regressions/src/lib/t/at.rs"));
        assert!(text.contains("at([0x00, 0x00], 2)"), "{text}");
        let plain = tree.cargo(&[
            "test",
            "--lib",
            "--manifest-path",
            &format!("{package}/Cargo.toml"),
        ]);
        assert!(plain.code(101).stdout.contains("1 passed; 1 failed"));
    }
}

#[test]
fn a_wrong_variable_is_refused_like_a_wrong_flag() {
    let tree = Crate::files("variables", &[]);
    for (name, value) in [
        ("SYMEX_TIMEOUT", "soon"),
        ("SYMEX_MAX_MEMORY", "lots"),
        ("SYMEX_JOBS", "many"),
    ] {
        let run = tree.symex_with(&[], &[(name, value)]).code(2);
        assert!(
            run.stderr.starts_with("error: ") && run.stderr.contains(value),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn what_is_wrong_with_a_manifest_is_told_by_cargo() {
    let tree = Crate::files("bad_manifest", &[("Cargo.toml", "[package\n")]);
    let run = tree.symex(&[]);
    assert!(matches!(run.code, Some(2 | 101)), "{run:?}");
    assert!(
        run.stderr.contains("Cargo.toml") && !run.stderr.contains("panicked"),
        "{}",
        run.stderr
    );
}
