//! Tests of programs in C that the tool supports not at all or only in part: one clear error, or a
//! verdict with its reason.

use crate::support::{Crate, clang, finish};

/// Compiles a source to bitcode by clang with these options.
fn bitcode(tree: &Crate, source: &str, to: &str, options: &[&str]) {
    let mut clang = clang();
    clang
        .args(["-c", "-emit-llvm", "-o", to, source])
        .args(options)
        .current_dir(tree.path());
    finish(clang).code(0);
}

#[test]
fn bitcode_of_another_target_is_refused() {
    let tree = Crate::files("other_targets", &[("p.c", "int main(void) { return 0; }")]);
    for (target, complaint) in [
        (
            "aarch64-linux-gnu",
            "its code is for aarch64-unknown-linux-gnu",
        ),
        (
            "x86_64-pc-windows-gnu",
            "and only Linux on x86-64 is supported",
        ),
        (
            "i686-linux-gnu",
            "only 64-bit little-endian targets are supported",
        ),
        (
            "powerpc64-linux-gnu",
            "only 64-bit little-endian targets are supported",
        ),
    ] {
        bitcode(&tree, "p.c", "p.bc", &[&format!("--target={target}")]);
        for command in ["bitcode", "c"] {
            tree.symex(&[command, "p.bc"]).code(2).error(complaint);
        }
    }
    // Two targets in one program.
    tree.write("q.c", "int q(void) { return 0; }");
    tree.write("m.c", "int q(void); int main(void) { return q(); }");
    bitcode(&tree, "q.c", "q.bc", &["--target=aarch64-linux-gnu"]);
    let run = tree.symex(&["c", "m.c", "q.bc"]).code(2);
    run.error("q.bc does not fit the rest of the program");
}

/// LLVM counts the epochs of its format; a reader refuses those that it does not know.
#[test]
fn bitcode_of_a_newer_format_is_refused() {
    let tree = Crate::files("newer_format", &[("p.c", "int main(void) { return 0; }")]);
    bitcode(&tree, "p.c", "p.bc", &[]);
    let old = std::fs::read(tree.path().join("p.bc")).expect("bitcode");
    // The epoch is a number of a few bits behind the name of the producer, in the first block.
    let mut refused = 0;
    for bit in 26 * 8..29 * 8 {
        let mut new = old.clone();
        new[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(tree.path().join("new.bc"), &new).expect("written");
        let run = tree.symex(&["bitcode", "new.bc"]);
        assert!(!run.stderr.contains("panicked at"), "{}", run.stderr);
        if run.stderr.contains("Incompatible epoch") {
            run.code(2).error("cannot be read by LLVM ");
            refused += 1;
        }
    }
    assert!(refused > 0, "no bit of the epoch was met");
}

/// Asserts that the verdict begins with this text, and that the exit code is this.
#[track_caller]
fn verdict(tree: &Crate, args: &[&str], code: i32, verdict: &str) {
    let run = tree.symex(&[&["c"], args].concat()).code(code);
    assert!(run.stdout.starts_with(verdict), "{}", run.stdout);
    assert!(!run.stderr.contains("panicked at"), "{}", run.stderr);
}

#[test]
fn assembly_at_file_scope_matters_where_it_is_reached() {
    let source = "asm(\".globl foo\\nfoo: ret\\n\");
        void foo(void);
        int main(int argc, char **argv) { if (argc > LEAST) foo(); return 0; }";
    let tree = Crate::files("file_scope_assembly", &[("p.c", source)]);
    verdict(
        &tree,
        &["p.c", "--", "-DLEAST=0"],
        3,
        "main ... inconclusive (no model of `foo`)",
    );
    verdict(
        &tree,
        &["p.c", "--", "-DLEAST=1"],
        0,
        "main ... pass (complete)",
    );
}

#[test]
fn what_is_asked_of_the_system_is_named() {
    let source = "
        #include <stdlib.h>
        #include <sys/socket.h>
        #include <unistd.h>
        int main(void) {
            if (ASK == 1) return fork() > 0;
            if (ASK == 2) return execl(\"/bin/true\", \"true\", (char *)0);
            if (ASK == 3) return system(\"true\");
            if (ASK == 4) return socket(AF_INET, SOCK_STREAM, 0) < 0;
            return 0;
        }";
    let tree = Crate::files("asked_of_the_system", &[("p.c", source)]);
    for (ask, code, expected) in [
        ("-DASK=0", 0, "main ... pass (complete)"),
        (
            "-DASK=1",
            3,
            "main ... inconclusive (no model of `fork (other processes)`)",
        ),
        (
            "-DASK=2",
            3,
            "main ... inconclusive (no model of `execl (other processes)`)",
        ),
        (
            "-DASK=3",
            3,
            "main ... inconclusive (no model of `system (other processes)`)",
        ),
        (
            "-DASK=4",
            0,
            "main ... pass (bounded: the network was taken to be unreachable)",
        ),
    ] {
        verdict(&tree, &["p.c", "--", ask], code, expected);
    }
}

/// A program that exits during its exit handlers still runs the remaining ones, and its last status
/// counts.
#[test]
fn a_program_may_exit_while_it_ends() {
    let source = "
        #include <assert.h>
        #include <stdlib.h>
        static int n;
        __attribute__((destructor)) static void last(void) { assert(n == EXPECTED); exit(3); }
        static void registered(void) { n++; }
        int main(void) { atexit(registered); return 0; }";
    let tree = Crate::files("exit_at_the_end", &[("p.c", source)]);
    verdict(
        &tree,
        &["p.c", "--", "-DEXPECTED=1"],
        0,
        "main ... pass (complete)",
    );
    verdict(&tree, &["p.c", "--", "-DEXPECTED=0"], 1, "main ... bug");
    let run = tree.symex(&["c", "--check-status", "p.c", "--", "-DEXPECTED=1"]);
    let run = run.code(1);
    assert!(run.stdout.contains("exit code 3"), "{}", run.stdout);
}
