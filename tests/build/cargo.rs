//! Tests of the command in a cargo environment: kinds of packages, cargo's configuration and
//! variables, wrappers of the compiler, and incomplete manifests.

use crate::support::{Crate, TMPDIR, TOOL, dependency, finish};
use serde_json::Value;
use std::path::Path;

const HARNESS: &str =
    "#[cfg(test)] mod t { #[symex::harness] fn holds(x: u8) { assert!(u32::from(x) < 256); } }\n";

/// Returns the manifest of a member of a workspace.
fn member(name: &str, more: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{more}\n\
         [dev-dependencies]\n{}",
        dependency()
    )
}

const MACRO: &str = "\
#[proc_macro]
pub fn nothing(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    input
}
";

#[test]
fn a_proc_macro_of_a_workspace_is_passed_over() {
    let virtual_one = "[workspace]\nmembers = [\"lib\", \"mac\"]\nresolver = \"3\"\n";
    let tree = Crate::files(
        "with a macro",
        &[
            ("Cargo.toml", virtual_one),
            (
                "lib/Cargo.toml",
                &member("lib", "[dependencies]\nmac = { path = \"../mac\" }"),
            ),
            ("lib/src/lib.rs", HARNESS),
            ("mac/Cargo.toml", &member("mac", "[lib]\nproc-macro = true")),
            ("mac/src/lib.rs", MACRO),
            ("mac/tests/outside.rs", HARNESS),
        ],
    );
    let run = tree.symex(&["--format", "pretty"]).code(0);
    for name in ["lib::t::holds", "outside::t::holds"] {
        assert!(run.stdout.contains(name), "{}", run.stdout);
    }
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    tree.symex(&["-p", "mac", "--lib"])
        .code(5)
        .error("no harness found");

    // The proc macro has a harness and is the root package.
    let rooted = format!(
        "{}\n[workspace]\nmembers = [\"lib\"]\n",
        member("mac", "[lib]\nproc-macro = true")
    );
    let tree = Crate::files(
        "with a macro at the root",
        &[
            ("Cargo.toml", &rooted),
            ("src/lib.rs", &format!("{MACRO}{HARNESS}")),
            ("lib/Cargo.toml", &member("lib", "")),
            ("lib/src/lib.rs", HARNESS),
        ],
    );
    let run = tree.symex(&["--workspace"]).code(0);
    assert!(
        run.stdout.contains("t::holds ... pass (complete)"),
        "{}",
        run.stdout
    );
    let told = "warning: the harness `t::holds` of `mac` is left out: a proc-macro crate's tests run inside the compiler's \
                host build and cannot be explored\n";
    assert_eq!(run.stderr.matches(told).count(), 1, "{}", run.stderr);
    let run = tree.symex(&["list"]).code(5).error("no harness found");
    assert!(run.stderr.contains(told), "{}", run.stderr);
}

#[test]
fn another_machine_is_refused_and_this_one_may_be_named() {
    let tree = Crate::library("machine", HARNESS);
    let version = tree.cargo(&["-vV"]).code(0).stdout;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .expect("cargo says where it runs");
    let other = "aarch64-unknown-linux-musl";
    let refused = |by: &str, args: &[&str], env: &[(&str, &str)]| {
        let told = format!("{by} asks for {other}, but harnesses run on the machine");
        let run = tree.symex_with(args, env).code(2).error(&told);
        let help = format!("help: `--target {host}` explores them for this machine\n");
        assert!(run.stderr.ends_with(&help), "{}", run.stderr);
    };
    refused("--target", &["--target", other], &[]);
    refused("CARGO_BUILD_TARGET", &[], &[("CARGO_BUILD_TARGET", other)]);
    let by_config = "`build.target` of cargo's configuration";
    for value in [format!("{other:?}"), format!("[{host:?}, {other:?}]")] {
        tree.write(
            ".cargo/config.toml",
            &format!("[build]\ntarget = {value}\n"),
        );
        refused(by_config, &["list"], &[]);
    }
    // Naming this machine's own target is no error.
    tree.symex(&["list", "--target", host]).code(0);
    tree.symex_with(&["list"], &[("CARGO_BUILD_TARGET", host)])
        .code(0);
    tree.write(".cargo/config.toml", "[build]\ntarget = \"host-tuple\"\n");
    tree.symex(&["list"]).code(0);
}

/// A compiler wrapper that logs its arguments.
const LOGS: &str = "#!/bin/sh\nprintf '%s\\n' \"$*\" >> \"$WRAPPER_LOG\"\nexec \"$@\"\n";

/// A compiler wrapper that keeps the output for a library and returns it later, as sccache does.
const KEEPS: &str = r#"#!/bin/sh
out= previous= library=
for word in "$@"; do
    case "$previous" in
    --out-dir) out=$word ;;
    --crate-type) [ "$word" = lib ] && library=yes ;;
    esac
    previous=$word
done
[ -n "$library" ] || exec "$@"
name=$(printf '%s ' "$@" | sha256sum | cut -c1-32)
kept=$WRAPPER_CACHE/$name
if [ -d "$kept" ]; then
    echo hit >> "$WRAPPER_LOG"
    cat "$kept/stderr" >&2
    cp "$kept"/files/* "$out"
    exit 0
fi
mkdir -p "$kept.new/files"
real=$out
# Where the outputs are is not part of what is compiled.
"$@" 2> "$kept.new/stderr" || { cat "$kept.new/stderr" >&2; exit 1; }
cat "$kept.new/stderr" >&2
suffix=$(printf '%s\n' "$@" | sed -n 's/^extra-filename=//p')
cp "$real"/*"$suffix"* "$kept.new/files"
mv "$kept.new" "$kept"
echo miss >> "$WRAPPER_LOG"
"#;

#[test]
fn wrappers_of_the_compiler_are_started_as_cargo_starts_them() {
    let tree = Crate::library("wrapped", &format!("{HARNESS}pub fn f() {{}}\n"));
    let (logs, keeps) = (tree.script("logs", LOGS), tree.script("keeps", KEEPS));
    let log = tree.path().join("log").display().to_string();
    let run = |target: &str, variables: &[(&str, &str)]| {
        let target = tree.path().join(target).display().to_string();
        let cache = tree.path().join("cache").display().to_string();
        let mut all = vec![
            ("WRAPPER_LOG", log.as_str()),
            ("WRAPPER_CACHE", cache.as_str()),
            ("CARGO_TARGET_DIR", target.as_str()),
        ];
        all.extend(variables);
        let run = tree.symex_with(&["--no-cache"], &all).code(0);
        assert!(
            run.stdout.contains("t::holds ... pass (complete)"),
            "{}",
            run.stdout
        );
        let written = tree.read("log");
        std::fs::remove_file(&log).expect("removed");
        written
    };
    let written = run("a", &[("RUSTC_WORKSPACE_WRAPPER", &logs)]);
    let of_test = |line: &&str| line.contains("--crate-name wrapped ") && line.contains("--test");
    assert_eq!(written.lines().filter(of_test).count(), 1, "{written}");
    assert!(!written.contains("--crate-name syn "), "{written}");

    // What a cache gives back is as good as what was compiled, once the target directory is gone.
    let written = run("b", &[("RUSTC_WRAPPER", &keeps)]);
    assert!(
        written.contains("miss") && !written.contains("hit"),
        "{written}"
    );
    std::fs::remove_dir_all(tree.path().join("b")).expect("removed");
    let written = run("b", &[("RUSTC_WRAPPER", &keeps)]);
    assert!(written.contains("hit"), "{written}");
}

#[test]
fn a_manifest_without_the_runtime_is_told_the_lines_it_needs() {
    let bare = "[package]\nname = \"bare\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    let tree = Crate::files("bare", &[("Cargo.toml", bare), ("src/lib.rs", HARNESS)]);
    let told = format!(
        "help: harnesses need a dependency; add to {}:\n\n    [dev-dependencies]\n    {}",
        tree.path().join("Cargo.toml").display(),
        dependency()
    );
    let run = tree
        .symex(&[])
        .code(101)
        .error("the crate does not compile");
    assert!(run.stderr.contains("error[E0433]"), "{}", run.stderr);
    assert!(run.stderr.contains(&told), "{told}{}", run.stderr);
    tree.write("src/lib.rs", "#[test] fn plain() {}");
    let run = tree.symex(&[]).code(5).error("no harness found");
    assert!(run.stderr.contains(&told), "{told}{}", run.stderr);
    // The advice is not given for an error of another kind.
    tree.write("src/lib.rs", "#[test] fn plain() { let _: u8 = (); }");
    let run = tree.symex(&[]).code(101);
    assert!(!run.stderr.contains("help: harnesses"), "{}", run.stderr);
    // Following the advice works.
    tree.write("src/lib.rs", HARNESS);
    let lines = format!("{bare}[dev-dependencies]\n{}", dependency());
    tree.write("Cargo.toml", &lines);
    tree.symex(&["list"]).code(0);
}

#[test]
fn recorded_tests_that_no_longer_compile_are_named() {
    let one = "#[cfg(test)] mod t { #[symex::harness] fn bad(x: u8) { assert!(x < 200) } }";
    let two = "#[cfg(test)] mod t { #[symex::harness] fn bad(x: u8, y: u8) { assert!(x < 200 || y > 3) } }";
    let tree = Crate::library("changed-signature", one);
    let file = "symex-regressions/src/lib/t/bad.rs";
    tree.symex(&[]).code(1);
    assert!(tree.exists(file));
    tree.write("src/lib.rs", two);
    let run = tree
        .symex(&[])
        .code(101)
        .error("the crate does not compile");
    assert!(run.stderr.contains("error[E0061]"), "{}", run.stderr);
    let told = format!(
        "help: tests that were recorded earlier do not compile, as when the arguments of their harness have changed: edit or \
         delete them in {file}\n"
    );
    assert!(run.stderr.contains(&told), "{}", run.stderr);
    std::fs::remove_file(tree.path().join(file)).expect("removed");
    tree.symex(&[]).code(1);
    // Errors elsewhere do not name the recorded tests.
    tree.write("src/lib.rs", &format!("{two} fn f() -> u8 {{}}"));
    let run = tree.symex(&[]).code(101);
    assert!(!run.stderr.contains("recorded"), "{}", run.stderr);
}

#[test]
fn a_tool_that_is_replaced_while_it_runs_goes_on() {
    let target = Path::new(TMPDIR).join("replaced");
    // The compiler's wrapper runs after the start, and before the linker and whatever reads
    // bitcode.
    for (name, then) in [
        ("deleted", ":"),
        (
            "replaced",
            "printf '#!/bin/sh\\nexit 3\\n' > \"$TOOL\" && chmod +x \"$TOOL\"",
        ),
    ] {
        let tree = Crate::library(name, HARNESS);
        let tool = tree.path().join("cargo-symex");
        std::fs::copy(TOOL, &tool).expect("copied");
        let wrapper = format!("#!/bin/sh\nrm \"$TOOL\" 2>/dev/null && {then}\nexec \"$@\"\n");
        let wrapper = tree.script("wrapper", &wrapper);
        let mut command = tree.command(tool.to_str().expect("a path that is text"));
        command.args(["symex", "--no-cache"]);
        command.env("TOOL", &tool);
        command.env("CARGO_TARGET_DIR", &target);
        command.env("RUSTC_WORKSPACE_WRAPPER", &wrapper);
        let run = finish(command).code(0);
        let text = std::fs::read_to_string(&tool).unwrap_or_default();
        assert_eq!(text.contains("exit 3"), name == "replaced", "{text}");
        assert!(
            run.stdout.contains("t::holds ... pass (complete)"),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn settings_of_a_project_stand_below_attributes_and_above_defaults() {
    let source = "#[cfg(test)] mod t {
        #[symex::harness] fn plain(x: u8) { for i in 0..20 { if x == i { return } } }
        #[symex::harness(max_paths = 3)] fn stated(x: u8) { for i in 0..20 { if x == i { return } } }
    }";
    let workspace = "[workspace]\nmembers = [\"first\", \"second\"]\nresolver = \"3\"\n[workspace.metadata.symex]\n";
    // The names differ from those of other tests, because cargo identifies members by name and path
    // within the workspace.
    let own = "[package.metadata.symex]\nmax-paths = 5\n";
    let tree = Crate::files(
        "settings",
        &[
            ("Cargo.toml", &format!("{workspace}max-paths = \"7\"\n")),
            ("first/Cargo.toml", &member("first", own)),
            ("first/src/lib.rs", source),
            ("second/Cargo.toml", &member("second", "")),
            ("second/src/lib.rs", source),
        ],
    );
    let paths = |args: &[&str], env: &[(&str, &str)]| {
        let args = [&["--message-format", "json", "--search", "dfs"], args].concat();
        let finished = tree.symex_with(&args, env).code(0).finished();
        ["first::t::plain", "first::t::stated", "second::t::plain"].map(|name| {
            let paths = finished[name]["stats"]["paths"].as_u64();
            paths.expect("a number")
        })
    };
    assert_eq!(paths(&[], &[]), [5, 3, 7]);
    assert_eq!(paths(&[], &[("SYMEX_MAX_PATHS", "4")]), [4, 4, 4]);
    let env = [("SYMEX_MAX_PATHS", "4")];
    assert_eq!(paths(&["--max-paths", "none"], &env), [21, 21, 21]);

    let refused = |file: &str, text: &str, told: &str| {
        let before = tree.read(file);
        tree.write(file, text);
        let run = tree.symex(&[]).code(2).error(told);
        let path = tree.path().join(file).display().to_string();
        assert!(run.stderr.contains(&path), "{}", run.stderr);
        tree.write(file, &before);
    };
    let wrong = format!("{workspace}max-pahts = 7\n");
    refused("Cargo.toml", &wrong, "unknown field `max-pahts`");
    let wrong = member("first", &own.replace('5', "[]"));
    refused("first/Cargo.toml", &wrong, "`max-paths` is wrong");
    let wrong = member("first", "[package.metadata.symex]\nsearch = \"sideways\"\n");
    refused(
        "first/Cargo.toml",
        &wrong,
        "`search` in [package.metadata.symex]",
    );
}

const CHECKED: &str = "
#[cfg(test)]
mod tests {
    #[symex::harness]
    fn adds(a: u8) { std::hint::black_box(a + 1); }

    #[symex::harness]
    fn asserts(a: u8) { debug_assert!(a != 3); }

    #[symex::harness]
    fn relies_on_an_assertion(a: bool) {
        debug_assert!(!a);
        let places: [u8; 1] = [7];
        std::hint::black_box(unsafe { *places.as_ptr().add(usize::from(a)) });
    }
}
";

#[test]
fn checks_can_be_left_out() {
    let tree = Crate::library("checks", CHECKED);
    let kinds = |args: &[&str], code: i32| -> Vec<String> {
        let run = tree.symex(&[args, &["--message-format", "json"]].concat());
        let lines = run.code(code).json();
        let findings = lines.iter().filter(|line| line["type"] == "finding");
        let kind = |line: &Value| {
            let harness = line["harness"].as_str().expect("a name");
            let kind = line["finding"]["kind"].as_str().expect("a kind");
            // A read behind an array need not show natively.
            if kind == "panic" {
                assert_eq!(line["replay"]["status"], "confirmed", "{line}");
            }
            format!("{} {kind}", harness.trim_start_matches("tests::"))
        };
        findings.map(kind).collect()
    };
    assert_eq!(
        kinds(&[], 1),
        [
            "adds panic",
            "asserts panic",
            "relies_on_an_assertion panic"
        ]
    );
    assert_eq!(
        kinds(&["--overflow-checks", "off"], 1),
        ["asserts panic", "relies_on_an_assertion panic"]
    );
    let off = ["--overflow-checks=off", "--debug-assertions=off"];
    assert_eq!(kinds(&off, 1), ["relies_on_an_assertion out-of-bounds"]);
}
