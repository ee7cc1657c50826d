use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::super::tests::{member, object, rooted};
use super::super::{CrateMember, LinkInput};
use super::*;
use symex_program::text;

/// Storage that keeps parts in memory.
#[derive(Default)]
struct Memory {
    parts: RefCell<BTreeMap<String, Vec<Vec<u8>>>>,
    whole: RefCell<BTreeSet<String>>,
    kept: Cell<usize>,
}

impl Memory {
    /// Returns the number of parts stored since the last call.
    fn made(&self) -> usize {
        self.kept.take()
    }
}

impl Shelf for Memory {
    fn parts(&self, key: &str) -> Box<dyn Iterator<Item = Vec<u8>> + '_> {
        let parts = self.parts.borrow().get(key).cloned();
        Box::new(parts.unwrap_or_default().into_iter().rev())
    }

    fn keep(&self, key: &str, part: &[u8]) {
        self.kept.set(self.kept.get() + 1);
        let mut parts = self.parts.borrow_mut();
        parts.entry(key.to_owned()).or_default().push(part.to_vec());
    }

    fn is_whole(&self, key: &str) -> bool {
        self.whole.borrow().contains(key)
    }

    fn note_whole(&self, key: &str) {
        self.whole.borrow_mut().insert(key.to_owned());
    }
}

/// Makes the library of a crate with one module.
fn library(name: &str, defines: &[&str], code: &str) -> LinkInput {
    let library = Arc::new(CrateLibrary::new(
        format!("{name} {code}").into_bytes().into(),
    ));
    LinkInput {
        defines: Some(defines.iter().map(|name| name.to_string()).collect()),
        of_crate: Some(CrateMember {
            library,
            position: 0,
        }),
        ..member(name, code)
    }
}

fn linked(inputs: &[LinkInput], shelf: &Memory) -> (Program, ProgramInfo) {
    let options = LinkOptions {
        passes: passes::PassProfile::Default,
        ..rooted("root")
    };
    with_options(inputs, &options, shelf)
}

fn with_options(
    inputs: &[LinkInput],
    options: &LinkOptions,
    shelf: &Memory,
) -> (Program, ProgramInfo) {
    let tool = "this build";
    let linked = link_divided(inputs, options, tool, shelf, &|_| (), |program, info| {
        (program, info)
    });
    linked.expect("it links")
}

fn text_of(inputs: &[LinkInput], shelf: &Memory) -> String {
    let (program, _) = linked(inputs, shelf);
    symex_program::check::check(&program).expect("it is well-formed");
    in_words(&program)
}

fn in_words(program: &Program) -> String {
    let functions = program.functions.iter();
    let functions = functions.map(|f| text::function(program, f, true));
    let globals = program.globals.iter().map(|g| text::global(program, g));
    functions.chain(globals).collect()
}

fn main_that_calls(names: &[&str]) -> LinkInput {
    let declared: String = names
        .iter()
        .map(|name| format!("declare i32 @{name}(i32)\n"))
        .collect();
    let called: String = names
        .iter()
        .map(|name| format!("%r{name} = call i32 @{name}(i32 %x)\n"))
        .collect();
    let last = names.last().expect("a name");
    object(
        "main.o",
        &format!("{declared} define i32 @root(i32 %x) {{ {called} ret i32 %r{last} }}"),
    )
}

/// A module in which `even` and `odd` call each other, `count` has a state, and `both` calls all.
const NUMBERS: &str = "
    @state = internal global i32 0
    define i32 @even(i32 %n) {
      %z = icmp eq i32 %n, 0
      br i1 %z, label %yes, label %no
    yes:
      ret i32 1
    no:
      %m = sub i32 %n, 1
      %r = call i32 @odd(i32 %m)
      ret i32 %r
    }
    define i32 @odd(i32 %n) {
      %z = icmp eq i32 %n, 0
      br i1 %z, label %yes, label %no
    yes:
      ret i32 0
    no:
      %m = sub i32 %n, 1
      %r = call i32 @even(i32 %m)
      ret i32 %r
    }
    define i32 @count(i32 %n) {
      %old = load i32, ptr @state
      %new = add i32 %old, %n
      store i32 %new, ptr @state
      ret i32 %new
    }
    define i32 @both(i32 %n) {
      %a = call i32 @odd(i32 %n)
      %b = call i32 @count(i32 %a)
      ret i32 %b
    }";

fn numbers() -> LinkInput {
    library(
        "libnumbers.rlib(a)",
        &["even", "odd", "count", "both"],
        NUMBERS,
    )
}

#[test]
fn a_library_is_linked_once_for_all_programs_that_ask_the_same() {
    let shelf = Memory::default();
    let first = text_of(&[main_that_calls(&["count"]), numbers()], &shelf);
    assert_eq!(shelf.made(), 1);
    assert!(
        first.contains("count") && !first.contains("even"),
        "{first}"
    );
    assert_eq!(
        text_of(&[main_that_calls(&["count"]), numbers()], &shelf),
        first
    );
    assert_eq!(shelf.made(), 0);
    text_of(&[main_that_calls(&["even"]), numbers()], &shelf);
    assert_eq!(shelf.made(), 1, "no program had asked for `even` before");
    text_of(&[main_that_calls(&["odd", "count"]), numbers()], &shelf);
    assert_eq!(shelf.made(), 0, "two parts have it together");
}

#[test]
fn what_was_asked_before_decides_nothing() {
    let orders: [&[&str]; 4] = [&["odd"], &["even", "count"], &["count"], &["both", "even"]];
    let program = [main_that_calls(&["even", "both", "odd"]), numbers()];
    let expected = text_of(&program, &Memory::default());
    for first in orders {
        for second in orders {
            let shelf = Memory::default();
            text_of(&[main_that_calls(first), numbers()], &shelf);
            text_of(&[main_that_calls(second), numbers()], &shelf);
            assert_eq!(
                text_of(&program, &shelf),
                expected,
                "after {first:?} and {second:?}"
            );
        }
    }
}

#[test]
fn two_parts_of_a_library_have_one_state() {
    let shelf = Memory::default();
    text_of(&[main_that_calls(&["count"]), numbers()], &shelf);
    text_of(&[main_that_calls(&["both"]), numbers()], &shelf);
    let (program, _) = linked(&[main_that_calls(&["count", "both"]), numbers()], &shelf);
    let states = program
        .globals
        .iter()
        .filter(|global| global.display.starts_with("state"));
    assert_eq!(states.count(), 1);
}

#[test]
fn a_library_may_refer_to_others_and_to_the_program() {
    let main = object(
        "main.o",
        "declare i32 @first(i32)
         define i32 @root(i32 %x) { %r = call i32 @first(i32 %x) ret i32 %r }
         define i32 @back(i32 %x) { %r = mul i32 %x, 77 ret i32 %r }",
    );
    let first = library(
        "liba.rlib(a)",
        &["first"],
        "declare i32 @second(i32)
         define i32 @first(i32 %x) { %r = call i32 @second(i32 %x) ret i32 %r }",
    );
    let second = library(
        "libb.rlib(b)",
        &["second"],
        "declare i32 @back(i32)
         declare i32 @nowhere(i32)
         declare i32 @idle(i32)
         define i32 @second(i32 %x) { %a = call i32 @back(i32 %x) %r = call i32 @nowhere(i32 %a) ret i32 %r }",
    );
    let (program, info) = linked(&[main, first, second], &Memory::default());
    let undefined: Vec<&str> = info.undefined.iter().map(|u| u.symbol.as_str()).collect();
    assert_eq!(undefined, ["nowhere"]);
    for name in ["first", "second", "back"] {
        let id = program.function_names[name];
        assert!(program.function(id).body.is_some(), "{name}");
    }
    assert!(in_words(&program).contains("77"));
}

/// Makes a library of two modules with code to run before the entry.
fn with_constructors() -> [LinkInput; 2] {
    let module = |name: &str, position| {
        let code = format!(
            "@early = internal constant ptr @init, section \".init_array\"
             @llvm.used = appending global [1 x ptr] [ptr @early]
             @state = internal global i32 0
             define internal void @init() {{ store i32 1, ptr @state ret void }}
             define i32 @{name}(i32 %n) {{ %r = load i32, ptr @state ret i32 %r }}"
        );
        let input = library("libc.rlib", &[name], &code);
        (input, position)
    };
    let [(first, _), (mut second, position)] = [module("first", 0), module("second", 1)];
    second.of_crate = first
        .of_crate
        .clone()
        .map(|of| CrateMember { position, ..of });
    [first, second]
}

#[test]
fn constructors_of_a_library_run_where_their_module_is_used() {
    let shelf = Memory::default();
    let constructors = |names: &[&str], shelf: &Memory| {
        let [first, second] = with_constructors();
        let (program, _) = linked(&[main_that_calls(names), first, second], shelf);
        symex_program::check::check(&program).expect("it is well-formed");
        assert!(
            program
                .constructors
                .iter()
                .all(|&f| program.function(f).body.is_some())
        );
        program.constructors.len()
    };
    assert_eq!(constructors(&["first", "second"], &shelf), 2);
    assert_eq!(constructors(&["first"], &shelf), 1);
    assert_eq!(constructors(&["second"], &shelf), 1);
    assert_eq!(shelf.made(), 1, "the first part has all");
    assert_eq!(constructors(&["second"], &Memory::default()), 1);
}

#[test]
fn a_library_with_lists_of_constructors_is_linked_with_the_program() {
    let with = library(
        "libc.rlib(c)",
        &["count"],
        "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @init, ptr null }]
         @state = internal global i32 0
         define internal void @init() { store i32 1, ptr @state ret void }
         define i32 @count(i32 %n) { %r = load i32, ptr @state ret i32 %r }",
    );
    let shelf = Memory::default();
    for _ in 0..2 {
        let (program, _) = linked(&[main_that_calls(&["count"]), with.clone()], &shelf);
        assert_eq!(program.constructors.len(), 1);
    }
    assert_eq!((shelf.made(), shelf.whole.borrow().len()), (0, 1));
}

#[test]
fn what_a_crate_takes_from_the_c_library_is_told() {
    let crate_library = library(
        "liba.rlib(a)",
        &["calls"],
        "declare i32 @offered(i32)
         define i32 @calls(i32 %x) { %r = call i32 @offered(i32 %x) ret i32 %r }",
    );
    let of_c = LinkInput {
        defines: Some(vec!["offered".to_owned(), "idle".to_owned()]),
        library: true,
        ..member(
            "libc.bc",
            "define i32 @offered(i32 %x) { ret i32 %x } define i32 @idle(i32 %x) { ret i32 %x }",
        )
    };
    let inputs = [main_that_calls(&["calls"]), crate_library, of_c];
    let (program, info) = linked(&inputs, &Memory::default());
    assert_eq!(info.library, ["offered"]);
    assert_eq!(program.library, info.library);
}

#[test]
fn what_no_module_can_define_stays_undefined() {
    let main = object(
        "main.o",
        "declare i32 @calls(i32)
         @chosen = ifunc i32 (i32), ptr @choose
         define internal ptr @choose() { ret ptr null }
         define i32 @root(i32 %x) { %r = call i32 @calls(i32 %x) ret i32 %r }",
    );
    let crate_library = library(
        "liba.rlib(a)",
        &["calls"],
        "declare i32 @chosen(i32)
         define i32 @calls(i32 %x) { %r = call i32 @chosen(i32 %x) ret i32 %r }",
    );
    let (_, info) = linked(&[main, crate_library], &Memory::default());
    let undefined: Vec<&str> = info.undefined.iter().map(|u| u.symbol.as_str()).collect();
    assert_eq!(undefined, ["chosen"]);
}

#[test]
fn a_damaged_part_is_made_again() {
    let shelf = Memory::default();
    let program = [main_that_calls(&["both"]), numbers()];
    let expected = text_of(&program, &shelf);
    for parts in shelf.parts.borrow_mut().values_mut() {
        for part in parts {
            let middle = part.len() / 2;
            part[middle] ^= 1;
        }
    }
    shelf.made();
    assert_eq!(text_of(&program, &shelf), expected);
    assert_eq!(shelf.made(), 1);
}

#[test]
fn cover_points_of_a_compiled_crate_are_told_by_the_root() {
    let runtime = library(
        "libsymex.rlib(r)",
        &["symex_cover"],
        "define void @symex_cover(i1 %c, ptr %name) { ret void }",
    );
    let covered = library(
        "libd.rlib(d)",
        &["count"],
        "declare void @symex_cover(i1, ptr)
         @name = private constant [2 x i8] c\"n\\00\"
         define i32 @count(i32 %n) { call void @symex_cover(i1 true, ptr @name) ret i32 %n }
         ; symex_cover",
    );
    let options = LinkOptions {
        opaque: vec![COVER.to_owned()],
        ..rooted("root")
    };
    let inputs = [main_that_calls(&["count"]), runtime, covered];
    let shelf = Memory::default();
    let (program, _) = with_options(&inputs, &options, &shelf);
    let root = program.function(program.function_names["root"]);
    let calls = &root.body.as_ref().expect("a body").calls;
    assert!(
        calls.len() > 1,
        "the root tells of it before it calls anything"
    );
    assert_eq!(shelf.made(), 0);
}

#[test]
fn a_library_that_only_declares_the_hook_is_linked_by_itself() {
    let runtime = library(
        "libsymex.rlib(r)",
        &["symex_cover"],
        "define void @symex_cover(i1 %c, ptr %name) { ret void }",
    );
    // What is in a library besides code: here a comment, of a crate its metadata.
    let contract = library(
        "libd.rlib(d)",
        &["count"],
        "define i32 @count(i32 %n) { ret i32 %n } ; symex_cover",
    );
    let options = LinkOptions {
        opaque: vec![COVER.to_owned()],
        ..rooted("root")
    };
    let inputs = [main_that_calls(&["count"]), runtime, contract];
    let shelf = Memory::default();
    with_options(&inputs, &options, &shelf);
    assert_eq!(shelf.made(), 1);
}
