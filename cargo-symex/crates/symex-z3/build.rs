//! Compiles Z3 from the source in the package `z3-src` into a static library, where the linker
//! finds it for `-lz3`.
//!
//! `z3-sys` has a feature for that, which runs Z3's own build: it needs Python, a newer CMake and a
//! newer C++ compiler than stable distributions have (Debian 12: CMake 3.25 and g++ 12; wanted are
//! 3.26 and `<format>`). Nothing of that is needed for what is wanted here. Three headers are
//! generated, which is a few lines each; `compat/format` stands in for the header where the
//! compiler has none; and files of a folder are compiled several at a time as one, which takes a
//! third of the time, since most of it goes into what they all include.
//!
//! With `SYMEX_Z3=system` nothing is built, and the system's library is linked.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Names the file that the path of Z3's source is to be written to: the process is a helper of the
/// build script.
const WANTED: &str = "SYMEX_Z3_WRITE_SOURCE_TO";

/// Folders below Z3's `src` that are not the library.
const OTHER_FOLDERS: &[&str] = &["api/dll", "shell", "test"];

/// Files that Z3's own build leaves out as well, and the player of logs of calls, for which no logs
/// are written here.
const OTHER_FILES: &[&str] = &[
    "api/z3_replayer.cpp",
    "math/lp/nla_throttle_example.cpp",
    "sat/smt/xor_solver.cpp",
];

/// Files with names in them that others of their folder have, too, or hide: each is compiled by
/// itself. It would be without being listed, after the compiler has refused it among others.
const ALONE: &[&str] = &[
    "ast/ast.cpp",
    "ast/pp.cpp",
    "cmd_context/tactic_cmds.cpp",
    "model/model_v2_pp.cpp",
    "muz/spacer/spacer_iuc_proof.cpp",
    "sat/smt/euf_proof_checker.cpp",
];

/// Most bytes of source that are compiled as one.
const GROUP: u64 = 300_000;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=compat");
    println!("cargo:rerun-if-env-changed=SYMEX_Z3");
    if let Some(to) = env::var_os(WANTED) {
        return help_to_find(Path::new(&to));
    }
    let documenting = env::var_os("DOCS_RS").is_some();
    if documenting || env::var_os("SYMEX_Z3").is_some_and(|wish| wish == "system") {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let root = source(&out);
    let headers = out.join("generated");
    let version = generate(&root, &headers).expect("failed to write the generated headers");
    let objects = compile(&root.join("src"), &headers, &out);
    // Whatever else is in the folder, the linker looks for a library in this one alone.
    let library = out.join("lib");
    fs::create_dir_all(&library).expect("failed to create a folder");
    cc::Build::new()
        .cpp(true)
        .cargo_metadata(false)
        .out_dir(&library)
        .objects(objects)
        .compile("z3");
    println!("cargo:rustc-link-search=native={}", library.display());
    println!("cargo:rustc-env=SYMEX_Z3_BUILT={version}");
}

/// Where Z3's source is. Its package tells it to the `cmake` that it runs alone; so this program
/// runs itself to call the package, and is the `cmake` that is called.
fn source(out: &Path) -> PathBuf {
    let answer = out.join("source.txt");
    let _ = fs::remove_file(&answer);
    let this = env::current_exe().expect("the path of the build script");
    let output = Command::new(&this)
        .env(WANTED, &answer)
        .env("CMAKE", &this)
        .env_remove("Z3_SRC_SOURCE_DIR")
        .output()
        .expect("failed to run the build script itself");
    match fs::read_to_string(&answer) {
        Ok(path) => PathBuf::from(path),
        // It ends in a panic anyway; where there is no answer, the panic is another one.
        Err(_) => panic!(
            "failed to find the source of Z3: {}",
            String::from_utf8_lossy(&output.stderr)
        ),
    }
}

fn help_to_find(answer: &Path) {
    if env::args_os().len() == 1 {
        z3_src::build();
        return;
    }
    let source = env::args_os()
        .map(PathBuf::from)
        .find(|path| path.join("src/api/z3_api.h").is_file());
    if let Some(source) = source {
        let path = source.to_str().expect("a path in UTF-8");
        fs::write(answer, path).expect("failed to write the answer");
    }
    // What the package does next would be the build.
    std::process::exit(1);
}

/// Writes the headers that Z3's own build has scripts in Python for; the version of Z3.
fn generate(root: &Path, into: &Path) -> io::Result<String> {
    for folder in ["api", "ast/pattern", "util"] {
        fs::create_dir_all(into.join(folder))?;
    }
    let version = fs::read_to_string(root.join("scripts/VERSION.txt"))?;
    let version = version.trim();
    let mut numbers = version.split('.');
    let mut text = String::new();
    for name in [
        "MAJOR_VERSION",
        "MINOR_VERSION",
        "BUILD_NUMBER",
        "REVISION_NUMBER",
    ] {
        let number = numbers.next().unwrap_or("0");
        text += &format!("#define Z3_{name} {number}\n");
    }
    text += &format!("#define Z3_FULL_VERSION \"{version}\"\n");
    fs::write(into.join("util/z3_version.h"), text)?;

    let patterns = fs::read_to_string(root.join("src/ast/pattern/database.smt2"))?;
    let mut text = String::from("static char const g_pattern_database[] =\n");
    for line in patterns.lines() {
        text += &format!("\"{line}\\n\"\n");
    }
    text += ";\n";
    fs::write(into.join("ast/pattern/database.h"), text)?;

    // Calls are not logged: the macros that every function of the interface begins with come to
    // nothing.
    let mut text = String::from("#pragma once\n#include \"util/mutex.h\"\n");
    text += "void ctx_enable_logging();\n#define RETURN_Z3(result) return result\n";
    for entry in fs::read_dir(root.join("src/api"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "h") {
            let header = fs::read_to_string(&path)?;
            for line in header.lines() {
                let Some((_, rest)) = line.split_once("def_API") else {
                    continue;
                };
                if let Some(name) = rest.split('\'').nth(1) {
                    text += &format!("#define LOG_{name}(...)\n#define RETURN_{name} return\n");
                }
            }
        }
    }
    fs::write(into.join("api/api_log_macros.h"), text)?;
    Ok(version.to_owned())
}

/// The library's files, each folder's together and in order.
fn files(source: &Path) -> io::Result<BTreeMap<PathBuf, Vec<PathBuf>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![source.to_owned()];
    while let Some(folder) = folders.pop() {
        let below = folder.strip_prefix(source).expect("a folder of the source");
        if OTHER_FOLDERS.iter().any(|other| below == Path::new(other)) {
            continue;
        }
        let mut here = Vec::new();
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "cpp")
                && !OTHER_FILES.iter().any(|other| path == source.join(other))
            {
                here.push(path);
            }
        }
        here.sort();
        found.insert(folder, here);
    }
    Ok(found)
}

/// Compiles everything; the objects.
fn compile(source: &Path, headers: &Path, out: &Path) -> Vec<PathBuf> {
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++20")
        .cargo_metadata(false)
        .warnings(false)
        // Whatever the profile: a solver without optimisation is of no use, and Z3's symbols for a
        // debugger are of none here.
        .opt_level(2)
        .debug(false)
        .pic(true)
        .define("NDEBUG", None)
        .define("_EXTERNAL_RELEASE", None)
        .define("_MP_INTERNAL", None)
        .include(headers)
        .include(source)
        .flag_if_supported("-fvisibility=hidden")
        .flag_if_supported("-fvisibility-inlines-hidden")
        .flag("-w");
    let compat = Path::new(env!("CARGO_MANIFEST_DIR")).join("compat");
    // After the compiler's own headers: a `<format>` that is there is the one that counts.
    build.flag("-idirafter").flag(compat);
    let compiler = build.get_compiler();
    let folder = out.join("objects");
    fs::create_dir_all(&folder).expect("failed to create a folder");

    let mut groups = groups(source);
    // The largest first, so that no processor is left with one at the end.
    groups.sort_by_key(|group| std::cmp::Reverse(group.iter().map(|path| size(path)).sum::<u64>()));
    let waiting = Mutex::new(groups.into_iter().enumerate());
    let objects = Mutex::new(Vec::new());
    let jobs = env::var("NUM_JOBS").ok().and_then(|n| n.parse().ok());
    std::thread::scope(|scope| {
        for _ in 0..jobs.unwrap_or(1) {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().expect("no thread has panicked").next();
                    let Some((number, group)) = next else {
                        return;
                    };
                    let name = format!("group{number}");
                    let made = compile_group(&compiler, &group, &folder, &name);
                    objects.lock().expect("no thread has panicked").extend(made);
                }
            });
        }
    });
    objects.into_inner().expect("no thread has panicked")
}

fn read(path: &Path) -> String {
    let bytes =
        fs::read(path).unwrap_or_else(|error| panic!("failed to read {}: {error}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn size(path: &Path) -> u64 {
    path.metadata().map(|data| data.len()).unwrap_or(0)
}

/// Files of one folder that are compiled as one.
fn groups(source: &Path) -> Vec<Vec<PathBuf>> {
    let mut groups = Vec::new();
    for (_, files) in files(source).expect("failed to list the source of Z3") {
        let mut group = Vec::new();
        let mut bytes = 0;
        for file in files {
            let named = ALONE.iter().any(|alone| file == source.join(alone));
            // What is found in the files after it would depend on what that brings in.
            let opens = read(&file)
                .lines()
                .any(|line| line.starts_with("using namespace"));
            if named || opens {
                groups.push(vec![file]);
                continue;
            }
            if bytes > 0 && bytes + size(&file) > GROUP {
                groups.push(std::mem::take(&mut group));
                bytes = 0;
            }
            bytes += size(&file);
            group.push(file);
        }
        if !group.is_empty() {
            groups.push(group);
        }
    }
    groups
}

/// Compiles a group as one file; where names in its files are in each other's way, each half of it.
fn compile_group(
    compiler: &cc::Tool,
    group: &[PathBuf],
    folder: &Path,
    name: &str,
) -> Vec<PathBuf> {
    let file = folder.join(format!("{name}.cpp"));
    let object = folder.join(format!("{name}.o"));
    let mut text = String::new();
    for path in group {
        text += &format!("#include \"{}\"\n", path.display());
        // No file sees the macros of those before it.
        for line in read(path).lines() {
            let Some(rest) = line.trim_start().strip_prefix('#') else {
                continue;
            };
            if let Some(rest) = rest.trim_start().strip_prefix("define ") {
                let end = |c: char| !c.is_alphanumeric() && c != '_';
                let macro_name = rest.trim_start().split(end).next().unwrap_or_default();
                text += &format!("#undef {macro_name}\n");
            }
        }
    }
    let part = folder.join(format!("{name}.part"));
    let mut command = compiler.to_command();
    command.arg("-c").arg(&file).arg("-o").arg(&part);
    // What an interrupted build has left is as good as new where the same would be done again.
    text += &format!("// {command:?}\n");
    if object.is_file() && read(&file) == text {
        return vec![object];
    }
    let _ = fs::remove_file(&object);
    fs::write(&file, text).expect("failed to write a file");
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("failed to run {}: {error}", compiler.path().display()));
    if output.status.success() {
        fs::rename(&part, &object).expect("failed to rename an object");
        return vec![object];
    }
    let [_, _, ..] = group else {
        panic!(
            "failed to compile {}: {}",
            group[0].display(),
            String::from_utf8_lossy(&output.stderr)
        );
    };
    let (first, second) = group.split_at(group.len() / 2);
    let mut objects = compile_group(compiler, first, folder, &format!("{name}a"));
    objects.extend(compile_group(compiler, second, folder, &format!("{name}b")));
    objects
}
