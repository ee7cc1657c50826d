//! Tests of damaged bitcode, which makes LLVM crash.

use crate::support::{Crate, clang, finish};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Returns the bitcode of a small program with debug information. The bytes are the same wherever
/// the tests run, because the effect of a damaged byte depends on all others.
fn small_bitcode(tree: &Crate) -> Vec<u8> {
    tree.write(
        "f.c",
        "int g(int); int f(int x) { return g(x) + 1; }\nint g(int x) { return x ? f(x - 1) : 7; }\nint main(void) { return f(3) - 11; }\n",
    );
    let mut clang = clang();
    clang
        .args(["-O1", "-g", "-c", "-emit-llvm", "-o", "whole.bc", "f.c"])
        .arg("-fdebug-compilation-dir=/src")
        .arg(format!("-ffile-prefix-map={}=/src", tree.path().display()))
        .current_dir(tree.path());
    finish(clang).code(0);
    std::fs::read(tree.path().join("whole.bc")).expect("clang wrote it")
}

/// Changes to [`small_bitcode`] (offsets and bytes) each of which once crashed the tool itself,
/// with clang 22.1.8.
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
    // A pass knows no such processor and ends the process, with the code that means "a bug was
    // found".
    &[(419, 216)],
];

/// Returns the bytes with some of them replaced.
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
            // A changed byte may still give a program, even one with a bug. Everything else is
            // reported once, with the name of the file or of the missing part.
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
    // Otherwise this test would say nothing about crashes.
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
    // The index is made from the intact file, as if the library were damaged later.
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
    tree.symex(&["--no-write"])
        .code(2)
        .error("libbad.a(whole.bc): LLVM cannot read this bitcode (it crashed with signal ");
}
