//! Writes a finding in a program as an additional C source file: the inputs as tables, and the
//! functions that return them.
//!
//! The text is compiled to confirm the finding, and kept for users who have a C compiler but not
//! this tool. If there are also inputs such as arguments and files, a directory holds these and a
//! script that runs the program with them. Invariants: an existing file is never written again,
//! edited or not; the text is C89 and C++.

use super::failing;
use super::links;
use super::native_inputs::NativeInputs;
use super::test_case::{TestCase, Written};
use std::collections::BTreeSet;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use symex_abi::inputs::hex;
use symex_types::outcome::{ConcreteInput, Finding, Role};

/// The C text of the functions, in named sections.
const FUNCTIONS: &str = include_str!("reproducer.c");

/// Return types of the functions `__VERIFIER_nondet_…`, by the end of their names.
const NONDET: [(&str, &str); 19] = [
    ("char", "char"),
    ("uchar", "unsigned char"),
    ("short", "short"),
    ("ushort", "unsigned short"),
    ("int", "int"),
    ("uint", "unsigned"),
    ("unsigned", "unsigned"),
    ("long", "long"),
    ("ulong", "unsigned long"),
    ("longlong", "long"),
    ("ulonglong", "unsigned long"),
    ("size_t", "size_t"),
    ("float", "float"),
    ("double", "double"),
    ("u8", "unsigned char"),
    ("u16", "unsigned short"),
    ("u32", "unsigned"),
    ("u64", "unsigned long"),
    ("loff_t", "long"),
];

/// Returns the source file with these inputs, for a program that lacks these symbols. `entry` is
/// called by `main`, if the program starts elsewhere.
pub fn compose(
    inputs: &[ConcreteInput],
    missing: &BTreeSet<String>,
    entry: Option<&str>,
) -> String {
    let (before, failing) = failing::compose(inputs).unwrap_or_default();
    let mut text = before;
    text.push_str(
        "#ifdef __clang__\n#pragma clang diagnostic ignored \"-Weverything\"\n#endif\n\
         #include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\n",
    );
    // Other inputs are given to the program from outside.
    let asked = |input: &&ConcreteInput| input.role == Role::Program;
    let inputs: Vec<&ConcreteInput> = inputs.iter().filter(asked).collect();
    for (number, input) in inputs.iter().enumerate() {
        text.push_str(&format!("/* {} */\n", comment(input)));
        let bytes: Vec<String> = input
            .bytes
            .iter()
            .map(|byte| format!("0x{byte:02x}"))
            .collect();
        let bytes = if bytes.is_empty() {
            vec!["0".to_owned()]
        } else {
            bytes
        };
        let lines: Vec<String> = bytes.chunks(16).map(|line| line.join(", ")).collect();
        let separator = if lines.len() > 1 { "\n    " } else { "" };
        text.push_str(&format!(
            "static const unsigned char symex_input_{number}[] = {{{separator}{}}};\n",
            lines.join(",\n    ")
        ));
    }
    text.push_str(
        "\nstatic const struct symex_input {\n    unsigned long size;\n    const unsigned char *bytes;\n\
         } symex_inputs[] = {\n",
    );
    for (number, input) in inputs.iter().enumerate() {
        let size = input.bytes.len();
        text.push_str(&format!("    {{{size}, symex_input_{number}}},\n"));
    }
    // An array has at least one element.
    text.push_str("    {0, 0}\n};\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    text.push_str(section("prelude").unwrap_or_default());
    let (known, unknown): (Vec<_>, Vec<_>) = missing
        .iter()
        .map(|symbol| (symbol, function(symbol)))
        .partition(|(_, function)| function.is_some());
    for (_, function) in known {
        text.push_str(&format!("\n{}", function.unwrap_or_default()));
    }
    text.push_str(&failing);
    if !unknown.is_empty() {
        text.push_str(&format!("\n{}", section("missing").unwrap_or_default()));
    }
    for (number, (symbol, _)) in unknown.iter().enumerate() {
        text.push_str(&format!("\n{}", stub(number, symbol)));
    }
    if let Some(entry) = entry {
        text.push_str(&format!(
            "\nvoid symex_entry(void) __asm__(\"{entry}\");\n\
             int main(void) {{\n    symex_entry();\n    return 0;\n}}\n"
        ));
    }
    text.push_str("\n#ifdef __cplusplus\n}\n#endif\n");
    text
}

/// Returns the definition of a function that supplies inputs, or that the reproducer defines
/// otherwise.
fn function(symbol: &str) -> Option<String> {
    if let Some(found) = section(symbol) {
        return Some(found.to_owned());
    }
    let name = symbol.strip_prefix("__VERIFIER_nondet_")?;
    let (_, kind) = NONDET.iter().find(|(end, _)| *end == name)?;
    Some(
        section("nondet")?
            .replace("TYPE", kind)
            .replace("NAME", name),
    )
}

/// Returns the section of the functions' file with this name.
fn section(name: &str) -> Option<&'static str> {
    let head = format!("/* @{name} */\n");
    let (_, rest) = FUNCTIONS.split_once(&head)?;
    let end = rest.find("\n/* @").unwrap_or(rest.len());
    Some(&rest[..end])
}

/// Returns a definition for an undefined function, which prints an error and ends the process.
fn stub(number: usize, symbol: &str) -> String {
    format!(
        "void symex_stub_{number}(void) __asm__(\"{symbol}\");\n\
         void symex_stub_{number}(void) {{\n    symex_missing(\"{symbol}\");\n}}\n"
    )
}

/// Describes an input in a comment: as a number if it has the size of one. Comment delimiters in it
/// are broken up.
fn comment(input: &ConcreteInput) -> String {
    let ConcreteInput { name, bytes, .. } = input;
    let unsigned = bytes
        .iter()
        .rev()
        .fold(0u128, |value, &byte| value << 8 | u128::from(byte));
    let value = match bytes.len() {
        size @ (1 | 2 | 4 | 8) => {
            let width = 8 * size as u32;
            match unsigned >> (width - 1) {
                0 => format!("{unsigned}"),
                _ => format!("{unsigned}, or {}", unsigned as i128 - (1i128 << width)),
            }
        }
        _ => {
            let text = bytes
                .iter()
                .flat_map(|&byte| std::ascii::escape_default(byte));
            let text: String = text.map(char::from).collect();
            format!("\"{text}\"")
        }
    };
    let text = format!("{name}: {} bytes, {value}", bytes.len());
    let plain = |c: char| if c.is_control() { '?' } else { c };
    let text: String = text.chars().map(plain).collect();
    text.replace("*/", "* /").replace("/*", "/ *")
}

/// Returns the name of the file for a finding, made of the entry, the kind of failure and a hash of
/// the inputs.
pub fn name(entry: &str, finding: &Finding, kind: &str) -> String {
    let mut hash = blake3::Hasher::new();
    for input in &finding.inputs {
        hash.update(input.name.as_bytes()).update(b"\0");
        if let Role::Failure { how, .. } = input.role {
            hash.update(failing::sentence("", how).as_bytes());
        }
        hash.update(hex(&input.bytes).as_bytes()).update(b"\n");
    }
    let word = |text: &str| -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        text.chars().map(plain).collect()
    };
    let (entry, kind) = (word(entry), word(kind));
    format!("{entry}_{kind}_{}", &hash.finalize().to_hex()[..6])
}

/// The files of a finding's reproducer, to be written below the directory in which the tool was
/// run.
pub struct Reproducer {
    /// The directory of a program's reproducers.
    pub dir: PathBuf,
    /// Paths relative to `dir`, and contents; if the first one exists, the finding has been written
    /// already.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// The text to show in a report if nothing is written.
    pub test: TestCase,
}

/// Returns the reproducer of a finding whose inputs are all in one source file.
pub fn alone(dir: PathBuf, file: &str, what: &str, command: &str, test: TestCase) -> Reproducer {
    let head = format!(
        "{}\nRun where `cargo symex` was, which is not needed for it:\n{command}",
        what.trim_end()
    );
    let lines = head.lines().filter(|line| !line.trim().is_empty());
    let lines = lines.map(|line| format!(" * {}\n", line.replace("*/", "*\"\"/")));
    let text = format!("/*\n{} */\n{}", lines.collect::<String>(), test.text);
    Reproducer {
        dir,
        files: vec![(file.into(), text.clone().into())],
        test: TestCase { text, ..test },
    }
}

/// Returns the reproducer of a finding that also has inputs from outside: a directory of this name
/// with a script. `compile` ends with the name of the executable that it makes, in a directory that
/// the script calls `$work`.
pub fn with_script(
    dir: PathBuf,
    source: &str,
    what: &str,
    compile: &str,
    given: &NativeInputs,
    test: TestCase,
) -> Reproducer {
    let inner = PathBuf::from(&test.name);
    let (arguments_before, arguments) = given.shell_arguments();
    let (variables_before, variables) = given.shell_variables();
    let mut text = String::from("#!/bin/sh\n");
    for line in what.lines().filter(|line| !line.trim().is_empty()) {
        text.push_str(&format!("# {line}\n"));
    }
    let script = inner.join("run.sh");
    let shown = dir.join(&script);
    text.push_str(&format!(
        "# Run where `cargo symex` was, which is not needed for it: sh {}\n\
         here=$(cd \"$(dirname \"$0\")\" && pwd)\nwork=$(mktemp -d) || exit\n{compile} || exit\n\
         {arguments_before}{variables_before}mkdir \"$work/dir\" && cd \"$work/dir\" || exit\n",
        super::native_inputs::quoted(&shown.to_string_lossy())
    ));
    let mut files = Vec::new();
    if !given.files.is_empty() {
        text.push_str("cp -R \"$here/files/.\" . || exit\n");
        let inputs = inner.join("files");
        files.extend(
            given
                .files
                .iter()
                .map(|(name, bytes)| (inputs.join(name), bytes.clone())),
        );
    }
    let run = format!("env -i{variables} \"$work/program\"{arguments}\n");
    match &given.stdin {
        None => text.push_str(&format!(": | {run}")),
        Some(bytes) => {
            text.push_str(&format!("cat \"$here/stdin\" | {run}"));
            files.push((inner.join("stdin"), bytes.clone()));
        }
    }
    text.push_str("status=$?\nrm -rf \"$work\"\nexit $status\n");
    files.push((inner.join(source), test.text.clone().into()));
    files.insert(0, (script, text.clone().into()));
    Reproducer {
        dir,
        files,
        test: TestCase { text, ..test },
    }
}

/// Writes a reproducer below a root, together with the header that it includes.
pub fn write(root: &Path, reproducer: Reproducer, header: (&str, &str)) -> Written {
    let Reproducer { dir, files, test } = reproducer;
    let dir = root.join(dir);
    let create = |path: &Path, bytes: &[u8]| {
        links::refuse_way_out(root, path.strip_prefix(root).unwrap_or(path))?;
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        match std::fs::File::create_new(path) {
            Ok(mut file) => file.write_all(bytes),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    };
    let name = test.name.clone();
    let path = files
        .first()
        .map_or(dir.clone(), |(first, _)| dir.join(first));
    if path.exists() {
        return Written::Known {
            path,
            name,
            text: String::new(),
        };
    }
    // The first file is written last, so that it exists only if all others do.
    let header = (PathBuf::from(header.0), header.1.as_bytes().to_vec());
    for (file, bytes) in std::iter::once(&header).chain(files.iter().rev()) {
        let file = dir.join(file);
        if let Err(error) = create(&file, bytes) {
            return Written::NotWritten {
                reason: format!("failed to write {}: {error}", file.display()),
                test: Some(test),
            };
        }
    }
    Written::Written {
        path,
        name,
        text: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_abi::{EXIT_ASSUMPTION, EXIT_NO_DEFINITION};

    fn input(name: &str, bytes: &[u8]) -> ConcreteInput {
        ConcreteInput {
            name: name.to_owned(),
            role: Role::Program,
            bytes: bytes.to_vec(),
            form: Default::default(),
        }
    }

    #[test]
    fn inputs_are_told_as_numbers_or_texts() {
        for (input, expected) in [
            (input("x", &[7, 0, 0, 0]), "x: 4 bytes, 7"),
            (input("y", &[0xff]), "y: 1 bytes, 255, or -1"),
            (input("s", b"a*/\n"), "s: 4 bytes, 170863201"),
            (input("t*/", b"a*/"), "t* /: 3 bytes, \"a* /\""),
            (input("n", &[]), "n: 0 bytes, \"\""),
        ] {
            assert_eq!(comment(&input), expected);
        }
    }

    #[test]
    fn only_what_is_missing_is_defined() {
        let missing = ["symex_range", "__VERIFIER_nondet_ulong", "nobody"];
        let missing = missing.map(str::to_owned).into();
        let text = compose(&[input("x", &[1, 2])], &missing, Some("check"));
        for part in [
            "{2, symex_input_0},",
            "int symex_range(int begin",
            "unsigned long __VERIFIER_nondet_ulong(void) {",
            "symex_missing(\"nobody\")",
            "__asm__(\"check\")",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        assert!(!text.contains("symex_make_symbolic(") && !text.contains("/* @"));
    }

    #[test]
    fn reproducers_end_by_the_codes_that_are_looked_for() {
        for (why, code) in [
            ("\"an assumption does not hold\", \"\"", EXIT_ASSUMPTION),
            ("\"nothing defines \", name", EXIT_NO_DEFINITION),
        ] {
            assert!(FUNCTIONS.contains(&format!("symex_leave({why}, {code});")));
        }
        let failing = include_str!("failing.c");
        let leaves = failing.matches("symex_leave(\"").count();
        let known = format!("\"\", {EXIT_NO_DEFINITION});");
        assert_eq!(failing.matches(&known).count(), leaves);
    }

    #[test]
    fn each_function_that_draws_has_a_section() {
        let sections = FUNCTIONS.matches("\n/* @").count();
        assert!(sections > 20);
        for (name, _) in NONDET {
            assert!(function(&format!("__VERIFIER_nondet_{name}")).is_some());
        }
        assert!(function("malloc").is_none());
    }

    #[test]
    fn a_file_is_written_once() {
        let dir = tempfile::tempdir().unwrap();
        let reproducer = |file: &str| {
            let test = TestCase {
                name: "main_abort_123456".to_owned(),
                text: "one".to_owned(),
            };
            alone(
                "symex-regressions/parser".into(),
                file,
                "abort",
                "cc a.c",
                test,
            )
        };
        let header = ("symex.h", "header");
        let written = write(dir.path(), reproducer("a.c"), header);
        let Written::Written { path, .. } = written else {
            panic!("{written:?}")
        };
        assert!(path.with_file_name("symex.h").is_file());
        std::fs::write(&path, "edited").unwrap();
        let again = write(dir.path(), reproducer("a.c"), header);
        assert!(matches!(again, Written::Known { .. }), "{again:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "edited");
        // A directory cannot be made where a file is.
        let below = write(&path, reproducer("b.c"), header);
        assert!(matches!(below, Written::NotWritten { test: Some(_), .. }));
    }
}
