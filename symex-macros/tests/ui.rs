//! Expansions that compile, and errors that point at the user's token.
//! `TRYBUILD=overwrite cargo test -p symex-macros --test ui` rewrites the expected messages.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
