//! Tests of harnesses that are named alike, refused, or lack a function.

use crate::support::Crate;

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
        plain.stdout.contains("0 passed; 2 failed; 2 ignored"),
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
    // The undefined function does not keep other harnesses from being confirmed.
    let run = tree
        .symex(&["t::other", "t::takes_address", "--no-write"])
        .code(1);
    let confirmed = run.stdout.matches("= confirmed: natively: panicked at");
    assert_eq!(confirmed.count(), 2, "{}", run.stdout);
}
