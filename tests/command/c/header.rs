//! Tests of `symex.h`: its functions, in all dialects, and in the C of a crate.

use std::process::Command;

use super::running::{begins, json, shows};
use crate::support::{self, Crate, finish, manifest};

#[test]
fn a_cover_point_that_no_path_meets_makes_a_program_vacuous() {
    let source = |inner: &str| {
        format!(
            "#include <symex.h>\nint main(void) {{\n  unsigned x;\n  symex_make_symbolic(&x, sizeof x, \"x\");\n  \
             symex_cover(x & 0x100, \"a bit\");\n  if (x > 10) {{\n    if (x {inner}) symex_cover(1, \"inner\");\n  }}\n  return 0;\n}}\n"
        )
    };
    let tree = Crate::files("c_covers", &[("f.c", &source("== 12"))]);
    assert_eq!(json(&tree, &["f.c"]).verdict(), "pass-complete");
    tree.write("f.c", &source("< 5"));
    let run = tree.symex(&["c", "f.c"]).code(4);
    begins(&run, "main ... vacuous (no input meets cover!(\"inner\"))");
}

/// A program that uses all functions of the header and passes.
const ALL_FUNCTIONS: &str = r#"
int main(void) {
    unsigned long mask;
    int n;
    symex_make_symbolic(&mask, sizeof mask, "mask");
    n = symex_range(-2, 3, "n");
    symex_assume(mask & 0xff00000000ul);
    symex_cover(n == -2, "the least");
    symex_cover(n == 2, "the greatest");
    symex_cover((mask & 0xffffffff) == 0, "only the upper half");
    return n < -2 || n > 2 || mask == 0;
}
"#;

#[test]
fn the_header_is_of_use_in_all_dialects() {
    let source = format!("#include <symex.h>\n{ALL_FUNCTIONS}");
    let tree = Crate::files("c_dialects", &[("f.c", &source), ("f.cpp", &source)]);
    for (file, dialect) in [
        ("f.c", "-std=c89"),
        ("f.c", "-std=c99"),
        ("f.c", "-std=c23"),
        ("f.cpp", "-std=c++98"),
        ("f.cpp", "-std=c++20"),
    ] {
        let flags = [
            "-pedantic-errors",
            "-Wall",
            "-Wextra",
            "-Wstrict-prototypes",
            "-Werror",
        ];
        let args = [&[file, "--", dialect][..], &flags].concat();
        assert_eq!(json(&tree, &args).verdict(), "pass-complete", "{dialect}");
        // Other compilers read it, too.
        let mut gcc = Command::new(if file == "f.c" { "gcc" } else { "g++" });
        gcc.args([
            "-fsyntax-only",
            "-x",
            if file == "f.c" { "c" } else { "c++" },
        ]);
        gcc.args(["-pedantic-errors", "-Wall", "-Wextra", "-Werror"]);
        gcc.arg(dialect.replace("c23", "c2x"))
            .arg("-I")
            .arg(symex::C_HEADERS);
        gcc.arg(tree.path().join(file));
        finish(gcc).code(0);
    }
}

#[test]
fn a_crate_may_have_harnesses_in_c() {
    let source = r#"#include <symex.h>
#include <stdint.h>
static uint32_t mix(uint32_t x) { return (x ^ (x >> 7)) * 0x9E3779B1u; }
int32_t mixed(int32_t wanted) {
    uint32_t x;
    symex_make_symbolic(&x, sizeof x, "x");
    int bits = symex_range(-1, 40, "bits");
    symex_assume(bits >= 4);
    return mix(x) == (uint32_t)wanted && bits == 39;
}
"#;
    let library = r#"#[cfg(test)]
mod tests {
    unsafe extern "C" { fn mixed(wanted: i32) -> i32; }
    #[symex::harness]
    fn never_mixed() {
        assert_eq!(unsafe { mixed(0x1234567) }, 0);
    }
}
"#;
    let name = "c_in_crate";
    let runtime = support::dependency();
    let text = manifest(name);
    let (head, workspace) = text.split_once("[workspace]").expect("a workspace");
    let text = format!("{head}[build-dependencies]\ncc = \"1\"\n{runtime}\n[workspace]{workspace}");
    let build = "fn main() {\n    cc::Build::new().file(\"c/mixed.c\").include(symex::C_HEADERS).compile(\"mixed\");\n    \
                 println!(\"cargo::rerun-if-changed=c\");\n}\n";
    let files = [
        ("Cargo.toml", text.as_str()),
        ("build.rs", build),
        ("src/lib.rs", library),
        ("c/mixed.c", source),
    ];
    let tree = Crate::files(name, &files);
    let run = tree.symex(&[]).code(1);
    shows(&run, "= confirmed: natively: panicked at src/lib.rs:6:9");
    // And by plain cargo, the regression test that it has left behind fails as well.
    let tested = tree.cargo(&["test", "--offline"]);
    assert_eq!(
        tested.code,
        Some(101),
        "{}\n{}",
        tested.stdout,
        tested.stderr
    );
    shows(&tested, "0 passed; 1 failed; 1 ignored");
    // The tool brings the header with it: the build script need not know where it is.
    tree.write("build.rs", &build.replace(".include(symex::C_HEADERS)", ""));
    tree.symex(&[]).code(1);
}
