//! Tests that translated programs compute what native ones do: the same source, run natively and
//! interpreted in the program form.

use super::whole::compile;
use super::{interpret, pointees};
use std::path::{Path, PathBuf};
use std::process::Command;
use symex_testing::{clang, limited};

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/tests/programs")
        .join(name)
}

/// Returns the numbers that a native program prints.
fn numbers(mut build: Command, program: &Path) -> Vec<u64> {
    limited::succeed(&mut build);
    let out = limited::succeed(&mut Command::new(program));
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().map(|l| l.parse().unwrap()).collect()
}

#[test]
fn c_computes_what_it_does_natively() {
    let dir = tempfile::tempdir().unwrap();
    let main = dir.path().join("main.c");
    let text = "#include <stdio.h>\nvoid run(void);\nvoid report(unsigned long x) { printf(\"%lu\\n\", x); }\nint main(void) { run(); return 0; }";
    std::fs::write(&main, text).unwrap();
    let native = dir.path().join("native");
    let mut build = Command::new(clang());
    build
        .args(["-O1", "-o"])
        .args([&native, &main, &source("values.c")]);
    let expected = numbers(build, &native);
    assert!(expected.len() > 30);
    for flags in [
        &["-O0"][..],
        &["-O1"],
        &["-O2"],
        &["-O3", "-mssse3"],
        &["-O3", "-mavx2"],
    ] {
        let output = dir.path().join("values.bc");
        let mut command = Command::new(clang());
        command
            .args(flags)
            .args(["-g", "-emit-llvm", "-c", "-o"])
            .args([&output, &source("values.c")]);
        let program = compile(command, &output);
        let run = interpret::run(&program, "run");
        assert_eq!(run.reported, expected, "{flags:?}");
        pointees::contain_what_was_accessed(&program, "run", &run);
    }
}

#[test]
fn rust_computes_what_it_does_natively() {
    let dir = tempfile::tempdir().unwrap();
    let main = dir.path().join("main.rs");
    let text = format!(
        "#[path = {:?}] mod values;
        #[unsafe(no_mangle)] pub extern \"C\" fn report(x: u64) {{ println!(\"{{x}}\"); }}
        fn main() {{ values::run() }}",
        source("values.rs")
    );
    std::fs::write(&main, text).unwrap();
    let native = dir.path().join("native");
    let mut build = Command::new("rustc");
    build
        .args(["--edition", "2024", "-Copt-level=1", "-o"])
        .args([&native, &main]);
    let expected = numbers(build, &native);
    assert!(expected.len() > 200);
    // At lower levels rustc takes instances of generic functions from the standard library's own
    // objects.
    let levels = [
        &[
            "-Copt-level=2",
            "-Cno-prepopulate-passes",
            "-Coverflow-checks=on",
        ][..],
        &["-Copt-level=2", "-Cno-vectorize-loops"],
        &["-Copt-level=3"],
        &["-Copt-level=3", "-Ctarget-cpu=x86-64-v2"],
    ];
    for flags in levels {
        let output = dir.path().join("values.bc");
        let mut command = Command::new("rustc");
        command
            .args(["--edition", "2024", "--crate-type=lib", "--emit=llvm-bc"])
            .args(flags)
            .arg("-o")
            .args([&output, &source("values.rs")]);
        let program = compile(command, &output);
        let run = interpret::run(&program, "run");
        assert_eq!(run.reported, expected, "{flags:?}");
        pointees::contain_what_was_accessed(&program, "run", &run);
    }
}
