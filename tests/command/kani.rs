//! Tests of `cargo symex kani`, on proofs as they are written for Kani: no manifest names its
//! library.

use crate::support::{Crate, Run, kinds};
use serde_json::Value;
use std::collections::BTreeMap;

/// Makes a crate with functions, and proofs in a module of their own.
fn crate_with(name: &str, functions: &str, proofs: &str) -> Crate {
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n"
    );
    let library =
        format!("{functions}\n#[cfg(kani)]\nmod proofs {{\n    use super::*;\n{proofs}\n}}\n");
    let files = [("Cargo.toml", &*manifest), ("src/lib.rs", &library)];
    Crate::files(&format!("kani_{name}"), &files)
}

/// Explores the proofs.
fn explore(tree: &Crate, options: &[&str]) -> Run {
    let json = ["kani", "--message-format", "json"];
    tree.symex(&[&json[..], options].concat())
}

/// Returns the verdicts by the functions' names.
fn verdicts(finished: &BTreeMap<String, Value>) -> BTreeMap<&str, &str> {
    let mut verdicts = BTreeMap::new();
    for (name, finished) in finished {
        let function = name.rsplit("::").next().unwrap_or(name);
        verdicts.insert(function, finished["verdict"].as_str().expect("a verdict"));
    }
    verdicts
}

#[test]
fn proofs_pass_and_fail_with_their_values() {
    let tree = crate_with(
        "values",
        "pub fn half(x: u8) -> u8 { x / 2 }
         #[cfg_attr(kani, derive(kani::Arbitrary))]
         #[derive(PartialEq)]
         pub enum Kind { Plain, Numbered(i16) }",
        "    #[kani::proof]
    #[kani::unwind(3)]
    fn holds() {
        let x: u8 = kani::any();
        kani::assume(x < 10);
        assert!(half(x) < 5);
    }
    #[kani::proof]
    #[kani::solver(cadical)]
    fn fails() {
        let number: i32 = kani::any();
        let bytes: [u8; 3] = kani::any();
        let kind: Kind = kani::any();
        if bytes[1] == 7 && kind == Kind::Numbered(-300) {
            assert!(number != -5);
        }
    }",
    );
    let run = explore(&tree, &[]).code(1);
    let finished = run.finished();
    assert_eq!(
        verdicts(&finished),
        BTreeMap::from([("holds", "pass-complete"), ("fails", "bug")])
    );
    let lines = run.json();
    let found = lines.iter().find(|line| line["type"] == "finding");
    let found = found.expect("a finding");
    assert_eq!(found["finding"]["kind"], "panic");
    assert_eq!(found["replay"]["status"], "confirmed", "{found}");
    let file = "symex-regressions/src/lib/proofs/fails.rs";
    let recorded = tree.read(file);
    assert!(
        recorded.contains("::kani::concrete_playback_run(vec!["),
        "{recorded}"
    );
    assert!(
        recorded.contains("`cargo symex replay --kani` runs them"),
        "{recorded}"
    );
    // In their types and in their order.
    let shown = tree.symex(&["kani", "fails"]).code(1).stdout;
    let values: Vec<&str> = shown
        .lines()
        .filter(|line| line.contains("kani::any::<"))
        .collect();
    let expected = [
        "kani::any::<i32>() = -5",
        "kani::any::<[u8; _]>() = [0, 7, 0]",
        "kani::any::<Kind>() = 1 (0x0000000000000001)",
        "kani::any::<i16>() = -300",
    ];
    assert_eq!(values.len(), expected.len(), "{shown}");
    for (value, expected) in values.iter().zip(expected) {
        assert!(value.ends_with(expected), "{shown}");
    }
    let replayed = tree.symex(&["replay", "--kani"]).code(1).stdout;
    assert!(
        replayed.contains("failed: panicked at src/lib.rs"),
        "{replayed}"
    );
    let list = tree.symex(&["kani", "--list"]).code(0).stdout;
    assert!(
        list.contains("proofs::fails: test\nproofs::holds: test"),
        "{list}"
    );
}

#[test]
fn some_input_of_a_proof_that_should_panic_panics() {
    let tree = crate_with(
        "should_panic",
        "",
        "    #[kani::proof]
    #[kani::should_panic]
    fn on_one_input() { assert!(kani::any::<u8>() != 5); }
    #[kani::should_panic]
    #[kani::proof]
    fn on_none() { assert!(kani::any::<u8>() as u16 != 500); }
    #[kani::proof]
    #[kani::should_panic]
    fn fails_otherwise() {
        let x: u8 = kani::any();
        assert!(x != 5);
        if x == 6 { unsafe { core::ptr::null::<u8>().read_volatile(); } }
    }",
    );
    let finished = explore(&tree, &[]).code(1).finished();
    assert_eq!(
        verdicts(&finished),
        BTreeMap::from([
            ("on_one_input", "pass-complete"),
            ("on_none", "bug"),
            ("fails_otherwise", "bug")
        ])
    );
    let none = &finished["proofs::on_none"]["findings"][0];
    assert_eq!(none["message"], "no input panics, but a panic was expected");
    assert_eq!(kinds(&finished["proofs::fails_otherwise"]), ["null-access"]);
}

#[test]
fn a_contract_is_checked_in_its_proof_alone() {
    let tree = crate_with(
        "contracts",
        "#[cfg_attr(kani, kani::requires(b != 0), kani::ensures(|result| *result <= a))]
         pub fn divide(a: u32, b: u32) -> u32 { a / b }
         #[cfg_attr(kani, kani::requires(*x < 100))]
         #[cfg_attr(kani, kani::ensures(|_| *x == old(*x) + 2))]
         #[cfg_attr(kani, kani::modifies(x))]
         pub fn bump(x: &mut u32) { *x += 1 }
         #[cfg_attr(kani, kani::requires(*x < 100), kani::ensures(|_| *x == 0))]
         pub unsafe fn clear(x: *mut u8) { *x = 0 }
         pub struct Cell(u8);
         impl Cell {
             #[cfg_attr(kani, kani::ensures(|result| **result == self.0))]
             pub fn set(&mut self, to: u8) -> &mut u8 { self.0 = to; &mut self.0 }
         }",
        "    #[kani::proof_for_contract(divide)]
    fn kept() { divide(kani::any(), kani::any()); }
    #[kani::proof_for_contract(super::bump)]
    fn broken() { let mut x = kani::any(); bump(&mut x); }
    #[kani::proof_for_contract(clear)]
    fn of_an_unsafe_one() { let mut x = kani::any(); unsafe { clear(&mut x) } }
    #[kani::proof_for_contract(Cell::set)]
    fn of_a_method() { Cell(0).set(kani::any()); }
    #[kani::proof_for_contract(bump)]
    fn not_called() { divide(1, 1); }
    #[kani::proof]
    #[kani::stub_verified(divide)]
    fn caller_breaks_it() { divide(6, kani::any()); }
    #[kani::proof]
    fn outside_of_its_proof() { let mut x = 200; bump(&mut x); assert!(x == 201); }",
    );
    let finished = explore(&tree, &[]).code(1).finished();
    assert_eq!(
        verdicts(&finished),
        BTreeMap::from([
            ("kept", "pass-bounded"),
            ("broken", "bug"),
            ("of_an_unsafe_one", "pass-bounded"),
            ("of_a_method", "pass-bounded"),
            ("not_called", "inconclusive"),
            ("caller_breaks_it", "bug"),
            ("outside_of_its_proof", "pass-complete"),
        ])
    );
    let message = |name: &str| finished[name]["findings"][0]["message"].clone();
    let broken = "the function breaks its contract: |_| *x == old(*x) + 2";
    assert_eq!(message("proofs::broken"), broken);
    assert_eq!(finished["proofs::broken"]["findings"][0]["at"]["line"], 4);
    let by_caller = "the caller breaks the contract: b != 0";
    assert_eq!(message("proofs::caller_breaks_it"), by_caller);
    let bound = finished["proofs::kept"]["verdict_text"]
        .as_str()
        .expect("a text");
    assert!(
        bound.contains("`divide` was taken to write nothing but"),
        "{bound}"
    );
}

#[test]
fn that_no_input_panics_is_open_in_a_proof_for_a_contract() {
    let tree = crate_with(
        "contract_panics",
        "static mut CALLS: u8 = 0;
         #[cfg_attr(kani, kani::requires(by < 10), kani::ensures(|_| true))]
         pub fn count(by: u8) -> u8 { unsafe { CALLS += by; assert!(CALLS < 200); CALLS } }
         #[cfg_attr(kani, kani::requires(true), kani::ensures(|result| *result < 10))]
         pub fn same(x: u8) -> u8 { x }",
        "    #[kani::proof_for_contract(count)]
    #[kani::should_panic]
    fn with_another_static() { count(kani::any()); }
    #[kani::proof_for_contract(same)]
    #[kani::should_panic]
    fn breaks_it() { same(kani::any()); }",
    );
    let finished = explore(&tree, &[]).code(3).finished();
    assert_eq!(
        verdicts(&finished),
        BTreeMap::from([
            ("with_another_static", "inconclusive"),
            ("breaks_it", "pass-bounded"),
        ])
    );
    assert_eq!(
        finished["proofs::with_another_static"]["verdict_text"],
        "inconclusive (no input panics if what is assumed holds, `count` was taken to write \
         nothing but what its contract lets it, and mutable statics to have their first values)"
    );
}

#[test]
fn what_a_function_consumes_is_not_read_after_its_call() {
    let tree = crate_with(
        "consumed",
        "pub struct Counter { n: u8 }
         impl Counter {
             #[cfg_attr(kani, kani::ensures(|result| *result == self.n))]
             pub fn finish(self: Box<Self>) -> u8 { self.n }
             #[cfg_attr(kani, kani::ensures(|result| *result == self.n))]
             pub fn get(self) -> u8 { self.n }
         }
         pub struct Named { name: String }
         #[cfg_attr(kani, kani::ensures(|result| result.name.len() == old(name.len())))]
         pub fn named(name: String) -> Named { Named { name } }
         #[cfg_attr(kani, kani::ensures(|result| *result == text.len()))]
         pub fn length(text: String) -> usize { text.len() }
         #[cfg_attr(kani, kani::ensures(|_| text.len() > 0))]
         pub fn first(text: String) -> u8 { text.as_bytes()[0] }
         #[cfg_attr(kani, kani::ensures(|_| *x == 2 * by))]
         pub fn twice(x: &mut u16, by: u16) { *x = by + by }",
        "    #[kani::proof_for_contract(Counter::finish)]
    fn of_a_box() { Box::new(Counter { n: kani::any() }).finish(); }
    #[kani::proof_for_contract(Counter::get)]
    fn of_a_struct() { Counter { n: kani::any() }.get(); }
    #[kani::proof_for_contract(named)]
    fn of_a_field() { named(String::from(\"a\")); }
    #[kani::proof_for_contract(length)]
    fn of_a_string() { length(String::from(\"a\")); }
    #[kani::proof_for_contract(first)]
    fn fails_in_the_body() { first(String::new()); }
    #[kani::proof_for_contract(twice)]
    fn of_a_reference() { let mut x = 1; twice(&mut x, kani::any::<u8>().into()); }",
    );
    let finished = explore(&tree, &[]).code(1).finished();
    assert_eq!(
        verdicts(&finished),
        BTreeMap::from([
            ("of_a_box", "inconclusive"),
            ("of_a_struct", "pass-bounded"),
            ("of_a_field", "pass-bounded"),
            ("of_a_string", "inconclusive"),
            ("fails_in_the_body", "bug"),
            ("of_a_reference", "pass-bounded"),
        ])
    );
    for (proof, argument) in [("of_a_box", "self"), ("of_a_string", "text")] {
        let text = finished[&format!("proofs::{proof}")]["verdict_text"].to_string();
        let reason = format!("an `ensures` that reads `{argument}`, which the function consumes");
        assert!(text.contains(&reason), "{text}");
    }
}

#[test]
fn what_a_loop_may_write_bounds_a_pass() {
    let tree = crate_with(
        "loop_modifies",
        "#![cfg_attr(kani, feature(stmt_expr_attributes, proc_macro_hygiene))]
         pub fn count(to: u8) -> u8 {
             let mut i = 0;
             let mut twice = 0;
             #[cfg_attr(kani, kani::loop_invariant(i <= to), kani::loop_modifies(&i))]
             while i < to { i += 1; twice += 2; }
             twice
         }",
        "    #[kani::proof]
    fn writes_more() {
        let to = kani::any();
        kani::assume(to < 4);
        assert!(count(to) == 2 * to);
    }
    #[kani::proof]
    fn before_the_invariant() {
        let mut i = 0;
        #[kani::loop_modifies(&i)]
        #[kani::loop_invariant(i <= 3)]
        while i < 3 { i += 1; }
        assert!(i == 3);
    }
    #[kani::proof]
    fn fails_after_a_labelled_one() {
        let mut i = 0;
        #[kani::loop_modifies(&i)]
        'all: loop { i += 1; if i == 3 { break 'all; } }
        assert!(i == 4);
    }",
    );
    let finished = explore(&tree, &[]).code(1).finished();
    assert_eq!(
        verdicts(&finished),
        BTreeMap::from([
            ("writes_more", "pass-bounded"),
            ("before_the_invariant", "pass-bounded"),
            ("fails_after_a_labelled_one", "bug"),
        ])
    );
    let bound = finished["proofs::writes_more"]["verdict_text"].to_string();
    assert!(
        bound.contains("a loop was taken to write nothing but `&i`"),
        "{bound}"
    );
}

#[test]
fn what_is_not_supported_is_named_and_no_pass() {
    let tree = crate_with(
        "unsupported",
        "pub fn one() -> u8 { 1 }
         pub fn same<T>(x: T) -> T { x }
         pub mod a { pub fn f() {} }
         pub mod b { pub fn f() {} }
         pub use a::*;
         pub fn both() { a::f(); b::f(); }",
        "    fn other<T>(x: T) -> T { x }
    fn nothing() {}
    #[kani::proof]
    #[kani::stub(same, other)]
    fn generic() { assert!(same(1) == 1); }
    fn short(_: &mut Vec<u8>, _: u8) {}
    #[kani::proof]
    #[kani::stub(Vec::push, short)]
    fn of_many_types() { Vec::new().push(1u8); Vec::new().push(1u32); }
    #[kani::proof]
    #[kani::stub(f, nothing)]
    fn unclear() { both() }
    #[kani::proof]
    fn asks_about_memory() { assert!(kani::mem::can_dereference(&one())); }
    #[kani::proof]
    fn goes_on() { assert!(one() == 1); }",
    );
    let run = explore(&tree, &[]).code(3);
    let finished = run.finished();
    assert_eq!(
        verdicts(&finished),
        BTreeMap::from([
            ("generic", "inconclusive"),
            ("unclear", "inconclusive"),
            ("of_many_types", "inconclusive"),
            ("asks_about_memory", "inconclusive"),
            ("goes_on", "pass-complete"),
        ])
    );
    let text = &finished["proofs::generic"]["verdict_text"];
    assert_eq!(
        text,
        "inconclusive (not supported: `#[kani::stub(same, other)]`, with a generic function)"
    );
    let text = finished["proofs::unclear"]["verdict_text"].to_string();
    let unclear = "`#[kani::stub(f, nothing)]`, which may mean unsupported::";
    assert!(text.contains(unclear), "{text}");
    let text = &finished["proofs::asks_about_memory"]["verdict_text"];
    assert_eq!(
        text,
        "inconclusive (not supported: kani::mem::can_dereference)"
    );
}

#[test]
fn stubs_take_the_place_of_functions() {
    let tree = crate_with(
        "stubs",
        "pub mod other {
             fn private() -> u8 { 3 }
             pub fn call() -> u8 { private() }
             pub fn deep() -> u8 { 1 }
             pub struct Foo { pub x: u8 }
             impl Foo {
                 pub fn outer(&self) -> u8 { self.inner() }
                 fn inner(&self) -> u8 { self.x }
             }
             pub struct Of<T>(pub T);
             impl<T> Of<T> { pub fn number(&self) -> u8 { 3 } }
             impl std::fmt::Display for Foo {
                 fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                     write!(f, \"{}\", self.x)
                 }
             }
         }
         pub fn one() -> u8 { 1 }
         #[inline(always)]
         fn next(x: u8) -> u8 { x + 1 }
         pub fn sum() -> u8 { one() + next(1) }
         pub fn down(n: u8) -> u8 { if n == 0 { 0 } else { down(n - 1) } }",
        "    use super::other::{self, Foo, deep as renamed};
    fn two() -> u8 { 2 }
    fn any() -> u8 { kani::any() }
    fn small() -> u8 { kani::any_where(|x| *x < 10) }
    fn hundreds(x: u8) -> u8 { x + 100 }
    fn method(_: &Foo) -> u8 { 42 }
    fn of_number(_: &other::Of<u8>) -> u8 { 5 }
    fn silent(_: &Foo, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { Ok(()) }
    fn root(_: f32) -> f32 { kani::any_where(|x| *x >= 0.0) }
    fn read(_: &str) -> std::io::Result<Vec<u8>> { Ok(vec![1, 2]) }
    fn ascii(_: &char) -> bool { true }
    #[kani::proof]
    #[kani::stub(one, two)]
    fn plain() { assert_eq!((one(), sum()), (2, 4)); }
    #[kani::stub(super::one, two)]
    #[kani::proof]
    fn before_the_proof() { assert_eq!(one(), 2); }
    #[kani::proof]
    #[kani::stub(one, any)]
    fn fails_by_the_stub() { assert!(one() != 77); }
    #[kani::proof]
    #[kani::stub(one, small)]
    fn assumes() { assert!(sum() < 12); }
    #[kani::proof]
    #[kani::stub(next, hundreds)]
    fn inlined() { assert_eq!(sum(), 102); }
    #[kani::proof]
    #[kani::stub(other::private, two)]
    fn private() { assert_eq!(other::call(), 2); }
    #[kani::proof]
    #[kani::stub(crate::other::Foo::inner, method)]
    fn methods() { assert_eq!(Foo { x: 1 }.outer(), 42); }
    #[kani::proof]
    #[kani::stub(other::Of::<u8>::number, of_number)]
    fn of_a_generic_type() {
        assert_eq!((other::Of(1u8).number(), other::Of(1u16).number()), (5, 3));
    }
    #[kani::proof]
    #[kani::stub(<Foo as std::fmt::Display>::fmt, silent)]
    fn of_a_trait() { assert_eq!(Foo { x: kani::any() }.to_string(), \"\"); }
    #[kani::proof]
    #[kani::stub(f32::sqrt, root)]
    fn of_a_number() { assert!(kani::any::<f32>().sqrt() >= 0.0); }
    #[kani::proof]
    #[kani::stub(char::is_ascii, ascii)]
    fn of_a_char() { assert!(kani::any::<char>().is_ascii()); }
    #[kani::proof]
    #[kani::stub(std::fs::read, read)]
    fn of_std() { assert_eq!(std::fs::read(\"x\").unwrap(), [1, 2]); }
    #[kani::proof]
    #[kani::stub(renamed, two)]
    fn imported_under_another_name() { assert_eq!(renamed(), 2); }
    #[kani::proof]
    #[kani::stub(down, hundreds)]
    fn recursive() { assert_eq!(down(5), 105); }
    #[kani::proof]
    #[kani::stub(one, two)]
    #[kani::stub(next, hundreds)]
    fn two_of_them() { assert_eq!(sum(), 103); }
    mod sets {
        kani::stub_set!(pub first, stub(one, two));
    }
    kani::stub_set!(second, stub(next, hundreds),);
    kani::stub_set!(both, use_stub_set(sets::first), use_stub_set(second));
    #[kani::proof]
    #[kani::use_stub_set(both)]
    fn sets_of_sets() { assert_eq!(sum(), 103); }
    #[kani::proof]
    #[kani::stub(other::deep, two)]
    fn not_called() { assert_eq!(sum(), 3); }",
    );
    let run = explore(&tree, &[]).code(1);
    let finished = run.finished();
    let mut expected = BTreeMap::from([
        ("fails_by_the_stub", "bug"),
        ("not_called", "pass-complete"),
    ]);
    for name in [
        "plain",
        "before_the_proof",
        "assumes",
        "inlined",
        "private",
        "methods",
        "of_a_generic_type",
        "of_a_trait",
        "of_a_number",
        "of_a_char",
        "of_std",
        "imported_under_another_name",
        "recursive",
        "two_of_them",
        "sets_of_sets",
    ] {
        expected.insert(name, "pass-bounded");
    }
    assert_eq!(verdicts(&finished), expected);
    assert_eq!(
        finished["proofs::plain"]["verdict_text"],
        "pass (bounded: `two` in place of `one`)"
    );
    let lines = run.json().into_iter();
    let findings: Vec<Value> = lines.filter(|line| line["type"] == "finding").collect();
    assert_eq!(
        findings[0]["replay"]["reason"],
        "the native run calls the functions that were replaced"
    );
}

#[test]
fn derives_collections_covers_and_kinds_of_functions() {
    let tree = crate_with(
        "kinds",
        "#[cfg_attr(kani, derive(kani::Arbitrary, kani::Invariant))]
         pub struct Pair {
             #[cfg_attr(kani, safety_constraint(*low < 10))]
             low: u8,
             #[cfg_attr(kani, safety_constraint(*low <= *high))]
             high: u8,
         }
         #[cfg_attr(kani, derive(kani::BoundedArbitrary))]
         pub struct Bag<T> { #[cfg_attr(kani, bounded)] all: Vec<T>, open: bool }",
        "    #[kani::proof]
    fn constrained() {
        use kani::Invariant;
        let pair: Pair = kani::any();
        assert!(pair.low < 10 && pair.low <= pair.high && pair.is_safe());
        kani::cover!(pair.high == 9, \"nine\");
    }
    #[kani::proof]
    fn never_met() { let x: u8 = kani::any(); kani::cover!(x as u16 > 255, \"too large\"); }
    #[kani::proof]
    fn bounded() {
        let bag = kani::bounded_any::<Bag<u8>, 2>();
        assert!(bag.all.len() <= 2 && (bag.open || !bag.open));
    }
    #[kani::proof]
    unsafe fn is_unsafe() { let x: Option<u8> = kani::any(); assert!(x != Some(3)); }
    #[kani::proof]
    async fn is_async() { let x: u16 = kani::any(); assert!(async { x }.await == x); }
    #[kani::proof]
    fn slices() {
        let array: [u8; 3] = kani::any();
        assert!(kani::slice::any_slice_of_array(&array).len() <= 3);
        assert!(kani::vec::any_vec::<char, 2>().len() <= 2);
        assert!(kani::forall!(|i in (0, 3)| array[i] <= 255));
        assert!(kani::any_where(|x: &i8| *x > 0) > 0);
    }",
    );
    let finished = explore(&tree, &[]).code(1).finished();
    assert_eq!(
        verdicts(&finished),
        BTreeMap::from([
            ("constrained", "pass-complete"),
            ("never_met", "vacuous"),
            ("bounded", "pass-complete"),
            ("is_unsafe", "bug"),
            ("is_async", "pass-complete"),
            ("slices", "pass-complete"),
        ])
    );
    let covers = &finished["proofs::constrained"]["covers"];
    assert!(covers.to_string().contains("nine"), "{covers}");
}

#[test]
fn a_run_without_proofs_says_where_they_are() {
    let tree = crate_with("told", "", "    #[kani::proof]\n    fn holds() {}");
    let told = tree.symex(&[]).code(5).stderr;
    assert!(told.contains("`cargo symex kani` explores them"), "{told}");
    let none = crate_with("none", "", "").symex(&["kani"]).code(5).stderr;
    assert!(none.contains("no proof for Kani found"), "{none}");
}

#[test]
fn tests_that_do_not_compile_are_left_out() {
    let tree = crate_with("partial", "", "    #[kani::proof]\n    fn holds() {}");
    tree.write("tests/broken.rs", "fn broken() -> u8 { \"\" }");
    let run = tree.symex(&["kani"]).code(101);
    assert!(
        run.stdout.contains("proofs::holds ... pass"),
        "{}",
        run.stdout
    );
    assert!(
        run.stderr.contains("their proofs are left out"),
        "{}",
        run.stderr
    );
}
