use inkwell::memory_buffer::MemoryBuffer;

use super::*;

fn assemble(text: &str) -> Bytes {
    llvm::require().expect("a toolchain with LLVM");
    let context = Context::create();
    let module = llvm::compat::parse_text(&context, text.as_bytes());
    let module = module.expect("the test's IR is well-formed");
    module.write_bitcode_to_memory().as_slice().to_vec().into()
}

pub fn object(origin: &str, text: &str) -> LinkInput {
    LinkInput {
        origin: origin.to_owned(),
        code: Code::Bitcode(assemble(text)),
        lazy: false,
        defines: None,
        library: false,
        of_crate: None,
    }
}

pub fn member(origin: &str, text: &str) -> LinkInput {
    LinkInput {
        lazy: true,
        ..object(origin, text)
    }
}

pub fn rooted(root: &str) -> LinkOptions {
    LinkOptions {
        roots: vec![root.to_owned()],
        passes: PassProfile::Minimal,
        ..LinkOptions::default()
    }
}

fn link(inputs: &[LinkInput], options: &LinkOptions) -> Result<LinkedProgram, LinkError> {
    super::link(inputs, options, &|_| ())
}

/// Links and returns the program as text.
fn text_of(inputs: &[LinkInput], options: &LinkOptions) -> (String, ProgramInfo) {
    let program = link(inputs, options).expect("links");
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(&program.bitcode, "program");
    let module =
        Module::parse_bitcode_from_buffer(&buffer, &context).expect("the program is valid bitcode");
    (module.print_to_string().to_string(), program.info)
}

#[test]
fn only_what_the_root_reaches_is_linked() {
    let main = object(
        "main.o",
        "declare i32 @used()
         define i32 @root() { %r = call i32 @used() ret i32 %r }
         define i32 @idle() { ret i32 1 }",
    );
    let library = member(
        "lib.a(x.o)",
        "define i32 @used() { ret i32 7 } define i32 @unused() { ret i32 8 }",
    );
    let (text, info) = text_of(&[main, library], &rooted("root"));
    assert!(text.contains("define internal i32 @used()"), "{text}");
    assert!(text.contains("define i32 @root()"), "{text}");
    assert!(!text.contains("idle") && !text.contains("unused"), "{text}");
    assert_eq!(info.roots, ["root"]);
    assert_eq!(info.undefined, []);
}

#[test]
fn a_module_visited_twice_keeps_one_copy_of_its_local_state() {
    // The library is visited for `first`, and again for `second` once the other member has asked
    // for it.
    let main = object(
        "main.o",
        "declare void @first()
         declare void @other()
         define void @root() { call void @first() call void @other() ret void }",
    );
    let library = member(
        "lib.a(a.o)",
        "@state = internal global i32 0
         define internal void @bump() { store i32 1, ptr @state ret void }
         define void @first() { call void @bump() ret void }
         define void @second() { call void @bump() store i32 2, ptr @state ret void }",
    );
    let other = member(
        "lib.a(b.o)",
        "declare void @second() define void @other() { call void @second() ret void }",
    );
    let (text, _) = text_of(&[main, library, other], &rooted("root"));
    assert_eq!(
        text.matches(" = internal global i32 0").count(),
        1,
        "{text}"
    );
    assert_eq!(
        text.matches("define internal void @bump").count(),
        1,
        "{text}"
    );
    assert_eq!(
        text.matches("define internal void @second").count(),
        1,
        "{text}"
    );
}

#[test]
fn equal_local_names_of_two_modules_stay_apart() {
    let main = object(
        "main.o",
        "@state = internal global i32 1
         declare i32 @other()
         define i32 @root() { %a = load i32, ptr @state %b = call i32 @other() %c = add i32 %a, %b ret i32 %c }",
    );
    let library = member(
        "a.o",
        "@state = internal global i32 2 define i32 @other() { %a = load i32, ptr @state ret i32 %a }",
    );
    let (text, _) = text_of(&[main, library], &rooted("root"));
    assert!(
        text.contains("internal global i32 1") && text.contains("internal global i32 2"),
        "{text}"
    );
}

#[test]
fn a_strong_definition_beats_a_weak_one_wherever_it_stands() {
    let weak = object(
        "weak.o",
        "define weak i32 @choice() { ret i32 1 }
         define i32 @root() { %r = call i32 @choice() ret i32 %r }",
    );
    let strong = object("strong.o", "define i32 @choice() { ret i32 2 }");
    for inputs in [[weak.clone(), strong.clone()], [strong, weak]] {
        let (text, _) = text_of(&inputs, &rooted("root"));
        assert!(
            text.contains("ret i32 2") && !text.contains("ret i32 1"),
            "{text}"
        );
    }
}

#[test]
fn opaque_symbols_stay_undefined_even_inside_their_own_module() {
    let main = object(
        "main.o",
        "define internal i32 @hidden() { ret i32 1 }
         define i32 @hook() { ret i32 2 }
         define i32 @root() { %a = call i32 @hook() %b = call i32 @hidden() %c = add i32 %a, %b ret i32 %c }",
    );
    let opaque = ["hook", "hidden"].map(str::to_owned).to_vec();
    let (text, info) = text_of(
        &[main],
        &LinkOptions {
            opaque,
            ..rooted("root")
        },
    );
    assert!(
        text.contains("declare i32 @hook()") && text.contains("declare i32 @hidden()"),
        "{text}"
    );
    let undefined: Vec<&str> = info.undefined.iter().map(|u| u.symbol.as_str()).collect();
    assert_eq!(undefined, ["hidden", "hook"]);
}

#[test]
fn parts_of_a_c_library_stay_undefined_where_there_is_one() {
    let options = LinkOptions {
        opaque_of_libc: vec!["strchr".to_owned()],
        ..rooted("root")
    };
    let program = "define internal ptr @strchr(ptr %s, i32 %c) { ret ptr %s }
         define ptr @root(ptr %s) { %r = call ptr @strchr(ptr %s, i32 1) ret ptr %r }";
    let (text, info) = text_of(&[object("main.o", program)], &options);
    assert!(!text.contains("declare ptr @strchr"), "{text}");
    assert_eq!(info.undefined, []);
    let with_library = format!(
        "@error = internal global i32 0 define internal ptr @__errno_location() {{ ret ptr @error }} {program}"
    );
    let (text, _) = text_of(&[object("main.o", &with_library)], &options);
    assert!(text.contains("declare ptr @strchr"), "{text}");
}

#[test]
fn constructors_of_object_files_are_kept_once() {
    let main = object(
        "main.o",
        "declare void @a() define void @root() { call void @a() ret void }",
    );
    let with = object(
        "ctor.o",
        "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @init, ptr null }]
         @early = internal constant ptr @init2, section \".init_array\"
         @llvm.used = appending global [1 x ptr] [ptr @early]
         declare void @b()
         @count = internal global i32 0
         define internal void @init() { store i32 1, ptr @count ret void }
         define internal void @init2() { ret void }
         define void @a() { call void @b() ret void }
         define void @c() { ret void }",
    );
    let other = member(
        "b.o",
        "declare void @c() define void @b() { call void @c() ret void }",
    );
    let (text, info) = text_of(&[main, with, other], &rooted("root"));
    assert_eq!(
        text.matches("ptr @init").count() + text.matches("ptr @init.llvm").count(),
        2 + 1,
        "{text}"
    );
    assert!(
        text.contains("@llvm.global_ctors = appending global [1 x"),
        "{text}"
    );
    assert_eq!(info.init_array, ["early.llvm.1"]);
    assert!(
        text.contains("@early.llvm.1 = dso_local constant ptr @init2"),
        "{text}"
    );
}

#[test]
fn machine_code_is_named_not_linked() {
    let main = object(
        "main.o",
        "declare void @asm() define void @root() { call void @asm() ret void }",
    );
    let native = LinkInput {
        origin: "libx.a(asm.o)".to_owned(),
        code: Code::Native,
        lazy: true,
        defines: Some(vec!["asm".to_owned()]),
        library: false,
        of_crate: None,
    };
    let (_, info) = text_of(&[main, native], &rooted("root"));
    assert_eq!(
        info.undefined[0].native_in.as_deref(),
        Some("libx.a(asm.o)")
    );
}

#[test]
fn harnesses_are_found_by_path_and_get_their_own_names_back() {
    // `krate::tests::__symex_parses::{entry, META}`; META is referred to by nothing and entry is
    // local.
    let entry = "_RNvNtNtCs1234_5krate5tests14___symex_parses5entry";
    let meta = "_RNvNtNtCs1234_5krate5tests14___symex_parses4META";
    let text = format!("@{meta} = constant i32 5\ndefine internal void @{entry}() {{ ret void }}");
    let all = |harnesses: Harnesses| LinkOptions {
        harnesses,
        ..LinkOptions::default()
    };
    let code = [object("main.o", &text)];
    let (text, info) = text_of(&code, &all(Harnesses::Descriptions));
    assert!(text.contains(meta) && !text.contains(entry), "{text}");
    let others = Harnesses::Chosen(["krate::tests::other".to_owned()].into());
    assert!(link(&code, &all(others)).expect("links").bitcode.is_empty());
    let chosen = Harnesses::Chosen(info.harnesses.iter().map(HarnessRoot::name).collect());
    let (text, chosen) = text_of(&code, &all(chosen));
    let harness = HarnessRoot {
        path: "tests::parses".to_owned(),
        krate: "krate".to_owned(),
        entry: entry.to_owned(),
        meta: Some(meta.to_owned()),
    };
    assert_eq!(chosen.harnesses, [harness]);
    assert!(text.contains(&format!("void @{entry}() {{")), "{text}");
    assert!(!text.contains(meta), "{text}");
}

#[test]
fn no_harness_gives_an_empty_program() {
    let options = LinkOptions {
        harnesses: Harnesses::Descriptions,
        ..LinkOptions::default()
    };
    let program = link(
        &[object("main.o", "define void @main() { ret void }")],
        &options,
    )
    .expect("links");
    assert!(program.bitcode.is_empty() && program.info == ProgramInfo::default());
}

#[test]
fn damaged_bitcode_is_an_error_that_names_the_file() {
    let mut damaged = object("good.o", "define void @root() { ret void }");
    damaged.origin = "broken.o".to_owned();
    let Code::Bitcode(bytes) = &damaged.code else {
        unreachable!()
    };
    let mut bytes = bytes.as_slice().to_vec();
    bytes.truncate(bytes.len() / 2 / 4 * 4);
    damaged.code = Code::Bitcode(bytes.into());
    let error = link(&[damaged], &rooted("root"))
        .err()
        .expect("does not link");
    assert!(
        error.to_string().starts_with("broken.o cannot be read"),
        "{error}"
    );
}

#[test]
fn a_root_that_is_not_there_is_an_error() {
    let error = link(
        &[object("a.o", "define void @root() { ret void }")],
        &rooted("other"),
    )
    .err();
    assert!(matches!(error, Some(LinkError::NoSuchRoot(name)) if name == "other"));
}

fn library(text: &str, defines: &[&str]) -> LinkInput {
    LinkInput {
        defines: Some(defines.iter().map(|name| name.to_string()).collect()),
        library: true,
        of_crate: None,
        ..member("libc.bc", text)
    }
}

#[test]
fn the_library_defines_what_nothing_else_does() {
    let main = object(
        "main.o",
        "declare i32 @offered()
         declare i32 @hidden()
         declare i32 @of_archive()
         define i32 @root() {
           %a = call i32 @offered() %b = call i32 @own() %c = call i32 @hidden() %d = call i32 @of_archive()
           ret i32 %a
         }
         define i32 @own() { ret i32 1 }",
    );
    let libc = library(
        "@state = internal global i32 7
         declare i32 @model()
         define i32 @own() { ret i32 2 }
         define i32 @of_archive() { ret i32 3 }
         define i32 @hidden() { ret i32 4 }
         define i32 @offered() { %r = call i32 @model() store i32 %r, ptr @state ret i32 %r }
         define i32 @unused() { ret i32 5 }",
        &["own", "of_archive", "offered", "unused"],
    );
    let archive = member("a.a(b.o)", "define i32 @of_archive() { ret i32 6 }");
    // The library stands behind all others wherever it is given.
    let (text, info) = text_of(&[libc, main, archive], &rooted("root"));
    assert!(
        text.contains("ret i32 1") && text.contains("ret i32 6"),
        "{text}"
    );
    for gone in ["ret i32 2", "ret i32 3", "ret i32 4", "unused"] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
    assert_eq!(info.library, ["offered"]);
    let undefined: Vec<&str> = info.undefined.iter().map(|u| u.symbol.as_str()).collect();
    assert_eq!(undefined, ["hidden", "model"]);
}

#[test]
fn a_program_with_a_c_library_of_its_own_gets_no_second_one() {
    let main = object(
        "main.o",
        "declare i32 @offered()
         define ptr @__errno_location() { ret ptr null }
         define i32 @root() { %r = call i32 @offered() ret i32 %r }",
    );
    let libc = library("define i32 @offered() { ret i32 5 }", &["offered"]);
    let (_, info) = text_of(&[main, libc], &rooted("root"));
    assert_eq!(info.library, [] as [&str; 0]);
    assert_eq!(info.undefined[0].symbol, "offered");
}

#[test]
fn an_alias_of_something_opaque_keeps_its_definition() {
    let main = object(
        "main.o",
        "declare i32 @known()
         declare i32 @another_name()
         define i32 @root() { %a = call i32 @known() %b = call i32 @another_name() ret i32 %a }",
    );
    let library = member(
        "lib.a(a.o)",
        "define i32 @known() { ret i32 9 } @another_name = weak alias i32 (), ptr @known",
    );
    let options = LinkOptions {
        opaque: vec!["known".to_owned()],
        ..rooted("root")
    };
    let (text, info) = text_of(&[main, library], &options);
    assert!(text.contains("declare i32 @known()"), "{text}");
    assert!(text.contains("ret i32 9"), "{text}");
    assert_eq!(info.undefined.len(), 1);
}
