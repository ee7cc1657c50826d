//! Tests of the way from small crates on disk to linked bitcode, through cargo and rustc as a user
//! runs them.
//!
//! The crates contain the expansion of `#[symex::harness]`, so that no test has to wait for the
//! macro's dependencies; one test goes through the macro itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::limited::{self, LIMIT, Watch, watch};
use crate::support::{TOOL, dependency};
use cargo_symex::build::{
    BuildError, BuildOptions, FilesOptions, LinkedCode, Roots, TargetSelection, TestTarget, build,
    build_files,
};
use symex_bitcode::passes::PassProfile;
use symex_program::{Program, text};

/// A package tree in a temporary directory.
struct Tree {
    directory: tempfile::TempDir,
    /// Name of the tree in it.
    name: &'static str,
    /// Keeps the watch on this process, because the library starts cargo in it.
    _watch: Watch,
}

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        Tree::named("tree", files)
    }

    fn named(name: &'static str, files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let tree = Tree {
            directory,
            name,
            _watch: watch(LIMIT),
        };
        for (path, text) in files {
            tree.write(path, text);
        }
        tree
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join(self.name)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().expect("has a parent")).expect("created");
        std::fs::write(path, text).expect("written");
    }

    fn options(&self) -> BuildOptions {
        let mut options = BuildOptions::new(TOOL);
        options.current_dir = Some(self.path());
        options.quiet = true;
        options
    }

    fn build(&self) -> Vec<Built> {
        linked(build(&self.options()).expect("builds"))
    }

    /// Builds without inlining, so that functions can be looked for.
    fn build_plainly(&self) -> Vec<Built> {
        let options = BuildOptions {
            passes: PassProfile::Minimal,
            ..self.options()
        };
        linked(build(&options).expect("builds"))
    }

    /// Returns the file that holds this program in the cache.
    fn cached(&self, code: &LinkedCode) -> PathBuf {
        let programs = self.path().join("target/symex/programs");
        let files = std::fs::read_dir(programs).expect("there are programs");
        let end = format!(".{}.program", code.id);
        let holds = |file: &PathBuf| file.to_string_lossy().ends_with(&end);
        let mut files = files.map(|file| file.expect("listed").path());
        files.find(holds).expect("the program is kept")
    }
}

/// A test executable with the program of all its harnesses.
struct Built {
    target: TestTarget,
    code: LinkedCode,
    program: Program,
}

impl std::ops::Deref for Built {
    type Target = TestTarget;
    fn deref(&self) -> &TestTarget {
        &self.target
    }
}

fn linked(targets: Vec<TestTarget>) -> Vec<Built> {
    let link = |target: TestTarget| {
        let roots = Roots::Harnesses(target.harnesses.clone());
        let code = target.program(&roots, true).expect("links");
        let program = target.read(&code, &roots).expect("is a program");
        Built {
            target,
            code,
            program,
        }
    };
    targets.into_iter().map(link).collect()
}

const MANIFEST: &str =
    "[package]\nname = \"sample\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";

/// Returns the expansion of `#[symex::harness] fn NAME() { BODY }`.
fn harness(name: &str, body: &str) -> String {
    format!(
        "mod __symex_{name} {{
             #[allow(unused_imports)] use super::*;
             #[inline(never)] pub fn entry() {{ {body} }}
             pub static META: u32 = 1;
         }}
         #[test] fn symex_{name}() {{ std::hint::black_box(&__symex_{name}::META); __symex_{name}::entry() }}\n"
    )
}

fn paths(target: &TestTarget) -> Vec<&str> {
    target
        .harnesses
        .iter()
        .map(|harness| harness.path.as_str())
        .collect()
}

/// Returns `package kind name: harnesses` for each target.
fn listed(targets: &[TestTarget]) -> Vec<String> {
    targets.iter().map(line).collect()
}

/// Returns `package kind name: harnesses` for each linked target.
fn summary(targets: &[Built]) -> Vec<String> {
    targets.iter().map(|built| line(&built.target)).collect()
}

fn line(target: &TestTarget) -> String {
    format!(
        "{} {} {}: {}",
        target.package,
        target.kind,
        target.name,
        paths(target).join(" ")
    )
}

/// Returns the functions that the program defines, as text.
fn text_of(target: &Built) -> String {
    let functions = target.program.functions.iter();
    let defined = functions.filter(|function| function.body.is_some());
    let text = |function| text::function(&target.program, function, false);
    defined.map(text).collect::<Vec<_>>().join("\n")
}

/// Reports whether the program defines the function.
fn defines(target: &Built, name: &str) -> bool {
    let functions = &mut target.program.functions.iter();
    functions.any(|function| function.name == name && function.body.is_some())
}

fn undefined(target: &Built) -> Vec<&str> {
    target
        .code
        .info
        .undefined
        .iter()
        .map(|symbol| symbol.symbol.as_str())
        .collect()
}

#[test]
fn harnesses_are_found_in_library_binary_and_integration_tests() {
    let library = format!(
        "pub fn add(a: u8, b: u8) -> u8 {{ a + b }}\n#[cfg(test)] mod inner {{ {} }}",
        harness("adds", "std::hint::black_box(crate::add(1, 2));")
    );
    let binary = format!(
        "fn main() {{}}\n#[cfg(test)] mod tests {{ {} }}",
        harness("main", "")
    );
    let integration = harness("outside", "std::hint::black_box(sample::add(1, 2));");
    let tree = Tree::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", &library),
        ("src/main.rs", &binary),
        ("tests/outer.rs", &integration),
        ("tests/none.rs", "#[test] fn plain() {}"),
    ]);
    let targets = tree.build_plainly();
    let expected = [
        "sample bin sample: tests::main",
        "sample lib sample: inner::adds",
        "sample test none: ",
        "sample test outer: outside",
    ];
    assert_eq!(summary(&targets), expected);
    assert!(targets[2].program.functions.is_empty());
    let text = text_of(&targets[3]);
    assert!(
        text.contains("sample3add"),
        "the library's function is linked in"
    );
    assert!(
        !text.contains("13symex_outside"),
        "the test function is not reached from the harness"
    );
    assert!(
        text.contains("panic_const_add_overflow"),
        "overflow is checked"
    );
}

#[test]
fn the_standard_library_is_linked_and_only_the_system_is_left_undefined() {
    let body = "let mut m = std::collections::HashMap::new();
        m.insert(String::from(\"a\"), vec![3u8, 1, 2]);
        let mut v: Vec<u8> = m.remove(\"a\").unwrap();
        v.sort();
        let r = std::panic::catch_unwind(move || v[0]);
        assert_eq!(format!(\"{r:?}\"), \"Ok(1)\");";
    let tree = Tree::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", &harness("uses_std", body)),
    ]);
    let targets = tree.build();
    let left: Vec<&str> = undefined(&targets[0])
        .into_iter()
        .filter(|symbol| {
            symbol.starts_with("_R")
                && !symbol.contains("default_hook")
                && !symbol.contains("rust_oom")
        })
        .collect();
    assert_eq!(left, Vec::<&str>::new());
    assert!(undefined(&targets[0]).contains(&"malloc"));
    assert!(
        targets[0]
            .code
            .info
            .undefined
            .iter()
            .all(|symbol| symbol.native_in.is_none())
    );
}

#[test]
fn the_native_executable_is_linked_on_demand_and_runs_the_tests() {
    let tree = Tree::new(&[
        ("Cargo.toml", MANIFEST),
        (
            "src/lib.rs",
            &harness("prints", "println!(\"in the harness\");"),
        ),
    ]);
    let targets = tree.build();
    let native = targets[0].native_executable().expect("links");
    let output =
        limited::succeed(Command::new(&native).args(["symex_prints", "--exact", "--nocapture"]));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("in the harness"), "{text}");
    let modified = |path: &Path| {
        std::fs::metadata(path)
            .and_then(|data| data.modified())
            .expect("exists")
    };
    let first = modified(&native);
    assert_eq!(
        modified(&targets[0].native_executable().expect("links")),
        first,
        "linked once"
    );
}

#[test]
fn a_binary_run_by_a_test_starts_although_it_was_not_linked() {
    let integration = "#[test] fn runs() {
        let output = std::process::Command::new(env!(\"CARGO_BIN_EXE_sample\")).arg(\"a b\").output().unwrap();
        assert_eq!(output.stdout, b\"got a b\");
    }";
    let main = "fn main() { print!(\"got {}\", std::env::args().nth(1).unwrap()) }";
    let tree = Tree::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/main.rs", main),
        ("tests/run.rs", integration),
    ]);
    let targets = tree.build();
    let test = targets
        .iter()
        .find(|target| target.kind == "test")
        .expect("there is one");
    limited::succeed(&mut Command::new(test.native_executable().expect("links")));
}

#[test]
fn packages_of_a_virtual_workspace_are_chosen_like_cargo_does() {
    let package = |name: &str| {
        MANIFEST
            .replace("sample", name)
            .replace("[workspace]\n", "")
    };
    let library = harness("one", "");
    let tree = Tree::new(&[
        (
            "Cargo.toml",
            "[workspace]\nresolver = \"2\"\nmembers = [\"a\", \"b\"]\n",
        ),
        ("a/Cargo.toml", &package("a")),
        ("a/src/lib.rs", &library),
        ("b/Cargo.toml", &package("b-dashed")),
        ("b/src/lib.rs", &library),
        ("b/tests/t.rs", &library),
    ]);
    let all = [
        "a lib a: one",
        "b-dashed lib b_dashed: one",
        "b-dashed test t: one",
    ];
    assert_eq!(summary(&tree.build()), all);
    let only_b = BuildOptions {
        packages: vec!["b-dashed".to_owned()],
        ..tree.options()
    };
    assert_eq!(listed(&build(&only_b).expect("builds")), all[1..]);
    let without_b = BuildOptions {
        workspace: true,
        exclude: vec!["b-dashed".to_owned()],
        ..tree.options()
    };
    assert_eq!(listed(&build(&without_b).expect("builds")), all[..1]);
    let targets = TargetSelection {
        test: vec!["t".to_owned()],
        ..TargetSelection::default()
    };
    let one_test = BuildOptions {
        targets,
        ..tree.options()
    };
    assert_eq!(listed(&build(&one_test).expect("builds")), all[2..]);
}

#[test]
fn features_and_the_users_own_flags_reach_the_program() {
    let manifest = format!("{MANIFEST}[features]\nextra = []\n");
    let library = format!(
        "#[cfg(feature = \"extra\")] mod extra {{ {} }} #[cfg(from_config)] mod configured {{ {} }}",
        harness("extra", ""),
        harness("configured", "")
    );
    let tree = Tree::new(&[
        ("Cargo.toml", &manifest),
        ("src/lib.rs", &library),
        (
            ".cargo/config.toml",
            "[build]\nrustflags = [\"--cfg\", \"from_config\", \"--check-cfg=cfg(from_config)\"]\n",
        ),
    ]);
    assert_eq!(
        summary(&tree.build()),
        ["sample lib sample: configured::configured"]
    );
    tree.write(
        ".cargo/config.toml",
        "[target.'cfg(unix)']\nrustflags = \"--cfg from_config --check-cfg=cfg(from_config)\"\n",
    );
    let with_feature = BuildOptions {
        features: vec!["extra".to_owned()],
        ..tree.options()
    };
    assert_eq!(
        listed(&build(&with_feature).expect("builds")),
        ["sample lib sample: configured::configured extra::extra"]
    );
}

#[test]
fn c_in_a_crate_becomes_bitcode_and_assembly_is_named() {
    let manifest = format!("{MANIFEST}[build-dependencies]\ncc = \"1\"\n");
    let script = "fn main() {
        cc::Build::new().file(\"c/double.c\").file(\"c/triple.S\").flag(\"-fno-such-flag-of-gcc\").compile(\"sums\");
        println!(\"cargo::rerun-if-changed=c\");
    }";
    let library = format!(
        "extern \"C\" {{ fn twice(x: i32) -> i32; fn thrice(x: i32) -> i32; }} {}",
        harness(
            "calls",
            "std::hint::black_box(unsafe { twice(21) + thrice(1) });"
        )
    );
    let assembly = ".globl thrice\n.text\nthrice:\n lea (%rdi,%rdi,2), %eax\n ret\n.section .note.GNU-stack,\"\",@progbits\n";
    let tree = Tree::new(&[
        ("Cargo.toml", &manifest),
        ("build.rs", script),
        ("src/lib.rs", &library),
        (
            "c/double.c",
            "static int factor = 2;\nint twice(int x) { return x * factor; }\n",
        ),
        ("c/triple.S", assembly),
    ]);
    let targets = tree.build_plainly();
    let text = text_of(&targets[0]);
    assert!(
        defines(&targets[0], "twice"),
        "C is linked as bitcode: {text}"
    );
    assert!(
        text.contains("smul") && text.contains("llvm.ubsantrap"),
        "and its overflows are checked"
    );
    let thrice = targets[0]
        .code
        .info
        .undefined
        .iter()
        .find(|symbol| symbol.symbol == "thrice")
        .expect("is undefined");
    assert!(
        thrice
            .native_in
            .as_deref()
            .is_some_and(|origin| origin.contains("triple")),
        "{thrice:?}"
    );
    limited::succeed(&mut Command::new(
        targets[0].native_executable().expect("links"),
    ));
}

#[test]
fn compilers_that_build_scripts_start_by_name_make_bitcode() {
    let mut script = String::from(
        "use std::process::Command;
        fn run(command: &mut Command) { assert!(command.status().expect(\"starts\").success()); }
        fn main() {
            let out = std::env::var(\"OUT_DIR\").unwrap();
            run(Command::new(\"gcc\").args([\"-O2\", \"-fno-gcse\", \"-c\", \"c/twice.c\", \"-o\"]).arg(format!(\"{out}/twice.o\")));
            run(Command::new(\"ar\").arg(\"crs\").args([\"libtwice.a\", \"twice.o\"]).current_dir(&out));
            run(Command::new(\"make\").current_dir(\"c\").env(\"OUT\", &out));
            // A program that the build runs.
            run(Command::new(\"cc\").args([\"c/generator.c\", \"-o\"]).arg(format!(\"{out}/generator\")));
            run(&mut Command::new(format!(\"{out}/generator\")));
            println!(\"cargo::rustc-link-search=native={out}\");
            println!(\"cargo::rustc-link-lib=static=twice\");
            println!(\"cargo::rustc-link-lib=static=thrice\");
            println!(\"cargo::rerun-if-changed=c\");
",
    );
    let mut manifest = MANIFEST.to_owned();
    let mut names = vec!["twice", "thrice"];
    // Not every machine has cmake; here the `cmake` crate calls the compiler.
    if Command::new("cmake").arg("--version").output().is_ok() {
        manifest.push_str("[build-dependencies]\ncmake = \"0.1\"\n");
        script.push_str(
            "println!(\"cargo::rustc-link-search=native={}/lib\", cmake::build(\"c\").display());
             println!(\"cargo::rustc-link-lib=static=fourfold\");",
        );
        names.push("fourfold");
    }
    script.push('}');
    let declared: String = names
        .iter()
        .map(|name| format!("fn {name}(x: i32) -> i32;"))
        .collect();
    let called: String = names
        .iter()
        .map(|name| format!("std::hint::black_box(unsafe {{ {name}(2) }});"))
        .collect();
    let library = format!(
        "extern \"C\" {{ {declared} }} {}",
        harness("calls", &called)
    );
    let tree = Tree::new(&[
        ("Cargo.toml", &manifest),
        ("build.rs", &script),
        ("src/lib.rs", &library),
        ("c/twice.c", "int twice(int x) { return x * 2; }\n"),
        ("c/thrice.c", "int thrice(int x) { return x * 3; }\n"),
        ("c/fourfold.c", "int fourfold(int x) { return x * 4; }\n"),
        ("c/generator.c", "int main(void) { return 0; }\n"),
        (
            "c/Makefile",
            "all:\n\t$(CC) -c thrice.c -o $(OUT)/thrice.o\n\t$(AR) rcs $(OUT)/libthrice.a $(OUT)/thrice.o\n",
        ),
        (
            "c/CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.10)\nproject(fourfold C)\nadd_library(fourfold STATIC fourfold.c)\n\
             install(TARGETS fourfold DESTINATION lib)\n",
        ),
    ]);
    let targets = tree.build_plainly();
    for name in names {
        assert!(defines(&targets[0], name), "{name} is bitcode");
    }
    limited::succeed(&mut Command::new(
        targets[0].native_executable().expect("links"),
    ));
}

#[test]
fn c_of_build_scripts_and_proc_macros_is_compiled_as_ever() {
    let library = format!(
        "#[cfg(test)] use maker as _; {}",
        harness("plain", "std::hint::black_box(maker::answer!());")
    );
    let tree = Tree::new(&[
        (
            "Cargo.toml",
            &format!("{MANIFEST}[dependencies]\nmaker = {{ path = \"maker\" }}\n"),
        ),
        ("src/lib.rs", &library),
        (
            "maker/Cargo.toml",
            "[package]\nname = \"maker\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n[build-dependencies]\ncc = \"1\"\n",
        ),
        (
            "maker/build.rs",
            "fn main() { cc::Build::new().file(\"answer.c\").compile(\"answer\"); }",
        ),
        ("maker/answer.c", "int answer(void) { return 42; }"),
    ]);
    // The macro and the foreign function share a name, hence the module.
    tree.write(
        "maker/src/lib.rs",
        "mod c { extern \"C\" { pub fn answer() -> i32; } }
         #[proc_macro] pub fn answer(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
             unsafe { c::answer() }.to_string().parse().unwrap()
         }",
    );
    assert_eq!(summary(&tree.build()), ["sample lib sample: plain"]);
}

#[test]
fn blanks_in_the_path_do_no_harm() {
    let tree = Tree::named(
        "a tree's \"home\"",
        &[
            ("Cargo.toml", MANIFEST),
            ("src/lib.rs", &harness("here", "")),
        ],
    );
    let targets = tree.build();
    assert_eq!(summary(&targets), ["sample lib sample: here"]);
    let native = targets[0].native_executable().expect("links");
    limited::succeed(&mut Command::new(native));
}

#[test]
fn an_unchanged_crate_is_not_linked_again_and_a_changed_one_is() {
    let tree = Tree::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", &harness("first", "")),
    ]);
    let first = tree.build();
    let program = tree.cached(&first[0].code);
    let modified = |path: &Path| {
        std::fs::metadata(path)
            .and_then(|data| data.modified())
            .expect("exists")
    };
    let time = modified(&program);
    let second = tree.build();
    assert_eq!(tree.cached(&second[0].code), program);
    assert_eq!(modified(&program), time);
    tree.write(
        "src/lib.rs",
        &(harness("first", "") + &harness("second", "")),
    );
    let third = tree.build();
    assert_ne!(tree.cached(&third[0].code), program);
    assert_eq!(paths(&third[0]), ["first", "second"]);
    // Back to the first text: rustc links again, and the program is in the cache.
    tree.write("src/lib.rs", &harness("first", ""));
    let fourth = tree.build();
    assert_eq!(tree.cached(&fourth[0].code), program);
    assert_eq!(modified(&program), time);
}

#[test]
fn a_damaged_program_of_an_earlier_run_is_linked_again() {
    let tree = Tree::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", &harness("here", "")),
    ]);
    let first = tree.build();
    let program = tree.cached(&first[0].code);
    let described = program.with_extension("json");
    let whole = std::fs::read(&program).expect("is there");
    let description = std::fs::read_to_string(&described).expect("is there");
    let renamed = description.replace("\"here\"", "\"gone\"");
    assert_ne!(renamed, description);
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 4;
    for (file, damaged) in [
        (&program, &whole[..whole.len() / 2]),
        (&program, &[]),
        (&program, &changed),
        (&described, &description.as_bytes()[..9]),
        (&described, renamed.as_bytes()),
    ] {
        std::fs::write(file, damaged).expect("written");
        let again = tree.build();
        assert_eq!(summary(&again), ["sample lib sample: here"]);
        assert_eq!(tree.cached(&again[0].code), program);
        assert_eq!(std::fs::read(&program).expect("is there"), whole);
        assert_eq!(
            std::fs::read_to_string(&described).expect("is there"),
            description
        );
    }
}

#[test]
fn a_crate_that_does_not_compile_is_told_from_one_that_cargo_refuses() {
    let tree = Tree::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", "fn broken() -> u8 { \"text\" }"),
    ]);
    assert!(matches!(
        build(&tree.options()),
        Err(BuildError::Compile(_))
    ));
    let missing = BuildOptions {
        packages: vec!["nowhere".to_owned()],
        ..tree.options()
    };
    assert!(matches!(build(&missing), Err(BuildError::Cargo { .. })));
}

#[test]
fn a_read_only_tree_needs_only_another_target_directory() {
    let tree = Tree::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", &harness("here", "")),
    ]);
    let elsewhere = tempfile::tempdir().expect("a temporary directory");
    // Cargo writes a lock file the first time.
    limited::succeed(
        Command::new("cargo")
            .arg("generate-lockfile")
            .current_dir(tree.path()),
    );
    let read_only = ReadOnly::new(&tree.path());
    let options = BuildOptions {
        target_dir: Some(elsewhere.path().join("out")),
        ..tree.options()
    };
    assert_eq!(
        listed(&build(&options).expect("builds")),
        ["sample lib sample: here"]
    );
    if !read_only.is_enforced() {
        // Root may write anywhere, but even root cannot create a directory in place of a file.
        drop(read_only);
        tree.write("target", "");
    }
    let error = build(&tree.options()).expect_err("nothing can be written");
    assert!(error.to_string().contains("--target-dir"), "{error}");
}

/// A directory without the right to write to it, which is restored on drop.
struct ReadOnly(PathBuf);

impl ReadOnly {
    fn new(path: &Path) -> Self {
        let mut permissions = std::fs::metadata(path).expect("exists").permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(path, permissions).expect("set");
        ReadOnly(path.to_owned())
    }

    /// Reports whether nothing can be written there.
    fn is_enforced(&self) -> bool {
        std::fs::write(self.0.join("probe"), "").is_err()
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        use std::os::unix::fs::PermissionsExt;
        let _ = std::fs::set_permissions(&self.0, std::fs::Permissions::from_mode(0o755));
    }
}

#[test]
fn what_the_macro_makes_is_found() {
    let manifest = format!("{MANIFEST}[dev-dependencies]\n{}", dependency());
    let library = "#[cfg(test)] mod tests { #[symex::harness] fn sums(a: u8, b: u8) { assert!(a as u16 + b as u16 <= 510); } }";
    let tree = Tree::new(&[("Cargo.toml", &manifest), ("src/lib.rs", library)]);
    let targets = tree.build();
    assert_eq!(summary(&targets), ["sample lib sample: tests::sums"]);
    assert!(targets[0].harnesses[0].meta.is_some());
    assert!(
        undefined(&targets[0])
            .iter()
            .any(|symbol| symbol.starts_with("symex_")),
        "hooks stay undefined"
    );
}

#[test]
fn c_sources_and_llvm_assembly_make_a_program() {
    let tree = Tree::new(&[
        (
            "a.c",
            "int helper(int); int main(void) { return helper(LIMIT); } int idle(void) { return 0; }",
        ),
        (
            "b.ll",
            "define i32 @helper(i32 %x) { %y = mul i32 %x, 3 ret i32 %y }",
        ),
        ("c.txt", "nothing to execute"),
    ]);
    let files = ["a.c", "b.ll"].map(|file| tree.path().join(file)).to_vec();
    let mut options = FilesOptions::new(files);
    options.compiler_arguments = vec!["-DLIMIT=7".to_owned()];
    let program = build_files(&options).expect("builds");
    assert_eq!(program.info.roots, ["main"]);
    assert_eq!(program.info.undefined, []);
    assert!(program.bitcode.starts_with(b"BC"));
    options.files.push(tree.path().join("c.txt"));
    let error = build_files(&options).err().expect("a text is no program");
    assert!(error.to_string().contains("c.txt is neither"), "{error}");
}
