//! Heap programs that are compiled together: run natively on every input, then turned into a
//! program for the engine that contains the native results.

use super::generator::Program;
use crate::support::{clang, compile_to_bitcode, limited};
use cargo_symex::build::{FilesOptions, build_files};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use symex_testing::random::TestRandom;

/// A fault, by its kind and line.
pub type Fault = (String, u32);

/// Native behaviour of a program on an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Native {
    Returns(u16),
    Fault(Fault),
}

/// One program of a batch, ready to be explored.
pub struct Case {
    pub seed: u64,
    pub radices: Vec<usize>,
    /// Name of the function that compares the result with the native one.
    pub right: String,
    /// Name of a function with a table that is wrong for some inputs.
    pub wrong: String,
    /// The inputs on which the program itself has a fault.
    pub faults: BTreeMap<Fault, BTreeSet<usize>>,
    /// The findings that detect each input for which the table is wrong.
    pub mutants: BTreeMap<Fault, BTreeSet<usize>>,
    pub text: String,
}

/// Number of inputs at which a wrong table is wrong.
const MUTANTS: usize = 4;

/// Prepares the cases of these programs, and one program that contains all of them, either
/// unchanged or after the tool's own passes.
pub fn prepare(
    programs: &[Program],
    folder: &Path,
    passes: bool,
) -> (Vec<Case>, Arc<symex_program::Program>) {
    let mut text = include_str!("heap.h").to_owned();
    for program in programs {
        text.push_str(&program.text);
    }
    let native = run_natively(&text, programs, folder);
    let mut cases = Vec::new();
    for (program, outcomes) in programs.iter().zip(&native) {
        cases.push(harnesses(program, outcomes, &mut text));
    }
    let source = folder.join("heap.c");
    std::fs::write(&source, &text).expect("written");
    let roots: Vec<String> = cases
        .iter()
        .flat_map(|case| [case.right.clone(), case.wrong.clone()])
        .collect();
    let program = compile(&source, &roots, folder, passes);
    (cases, program)
}

/// Compiles a source to a program for the engine, either unchanged or after the tool's own passes.
pub fn compile(
    source: &Path,
    roots: &[String],
    folder: &Path,
    passes: bool,
) -> Arc<symex_program::Program> {
    let compiled = folder.join("compiled.bc");
    let level: &[&str] = if passes {
        &["-O1", "-Xclang", "-disable-llvm-passes"]
    } else {
        &["-O0"]
    };
    compile_to_bitcode(source, &compiled, level);
    let bitcode = build_files(&FilesOptions {
        roots: roots.to_vec(),
        ..FilesOptions::new(vec![compiled])
    })
    .expect("the program links");
    let name = source.display().to_string();
    let program = symex_bitcode::translate_ir(&bitcode.bitcode, &name);
    Arc::new(program.expect("it is bitcode"))
}

/// Returns `in[..]` of an input's number: the number's digits, the first input lowest.
fn decode(radices: &[usize]) -> String {
    let mut text = String::new();
    let mut factor = 1;
    for (i, radix) in radices.iter().enumerate() {
        let _ = writeln!(text, "    in[{i}] = x / {factor} % {radix};");
        factor *= radix;
    }
    text
}

/// Returns the number of the input with these values.
pub fn encode(radices: &[usize], values: &[u8]) -> usize {
    let mut number = 0;
    for (radix, value) in radices.iter().zip(values).rev() {
        number = number * radix + *value as usize;
    }
    number
}

fn run_natively(text: &str, programs: &[Program], folder: &Path) -> Vec<Vec<Native>> {
    let mut text = format!("{text}int main(void) {{\n  uint8_t in[8];\n");
    for program in programs {
        let _ = writeln!(
            text,
            "  for (unsigned x = 0; x < {}; x++) {{\n{}    used = n_blocks = 0;\n    \
             if (setjmp(out)) printf(\"%s %d\\n\", bad_kind, bad_line);\n    \
             else printf(\"returns %d\\n\", run_{}(in));\n  }}",
            program.inputs(),
            decode(&program.radices),
            program.seed
        );
    }
    text.push_str("  return 0;\n}\n");
    let source = folder.join("native.c");
    let binary = folder.join("native");
    std::fs::write(&source, text).expect("written");
    limited::succeed(
        clang()
            .args(["-O0", "-w", "-DNATIVE", "-o"])
            .args([&binary, &source]),
    );
    let output = limited::succeed(&mut Command::new(&binary));
    let stdout = String::from_utf8(output.stdout).expect("text");
    let mut lines = stdout.lines().map(|line| {
        let (word, number) = line.split_once(' ').expect("two words");
        match word {
            "returns" => Native::Returns(number.parse().expect("a number")),
            kind => Native::Fault((kind.to_owned(), number.parse().expect("a line"))),
        }
    });
    programs
        .iter()
        .map(|program| lines.by_ref().take(program.inputs()).collect())
        .collect()
}

/// Appends the functions that the engine runs.
fn harnesses(program: &Program, outcomes: &[Native], text: &mut String) -> Case {
    let seed = program.seed;
    assert_eq!(outcomes.len(), program.inputs());
    let mut faults: BTreeMap<Fault, BTreeSet<usize>> = BTreeMap::new();
    let mut table: Vec<u16> = Vec::new();
    let mut returning = Vec::new();
    for (x, outcome) in outcomes.iter().enumerate() {
        table.push(match outcome {
            Native::Returns(value) => {
                returning.push(x);
                *value
            }
            Native::Fault(fault) => {
                faults.entry(fault.clone()).or_default().insert(x);
                0
            }
        });
    }
    // Rare results are lost most easily, so each result is chosen with the same probability.
    let mut random = TestRandom::new(seed ^ 0x6865_6170);
    let mut wrong = table.clone();
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    let values: BTreeSet<u16> = returning.iter().map(|x| table[*x]).collect();
    let values: Vec<u16> = values.into_iter().collect();
    for _ in 0..MUTANTS.min(returning.len()) {
        let value = random.pick(&values);
        let with: Vec<usize> = returning
            .iter()
            .copied()
            .filter(|x| table[*x] == value)
            .collect();
        chosen.insert(random.pick(&with));
    }
    for x in &chosen {
        wrong[*x] ^= 1 << random.below(16);
    }
    let line = |text: &String| text.lines().count() as u32 + 1;
    let case = |name: &str, table: &[u16], text: &mut String| {
        let _ = writeln!(
            text,
            "static const uint16_t {name}_table[] = {{{}}};\nvoid {name}_harness(void) {{\n  uint8_t in[8];\n  \
             unsigned x = 0;",
            table
                .iter()
                .map(u16::to_string)
                .collect::<Vec<_>>()
                .join(", "),
            name = format!("{name}_{seed}"),
        );
        let mut factor = 1;
        for (i, radix) in program.radices.iter().enumerate() {
            let _ = writeln!(
                text,
                "  symex_make_symbolic(&in[{i}], 1, \"in{i}\");\n  symex_assume(in[{i}] < {radix});\n  \
                 x += in[{i}] * {factor};"
            );
            factor *= radix;
        }
        let _ = writeln!(
            text,
            "  if (run_{seed}(in) != {name}_{seed}_table[x]) {{\n    switch (x) {{"
        );
    };
    // One function per input, because calls of a single function would be merged.
    let mut mutants = BTreeMap::new();
    for x in &chosen {
        mutants.insert(("abort".to_owned(), line(text)), BTreeSet::from([*x]));
        let _ = writeln!(
            text,
            "static __attribute__((noinline)) void wrong_{seed}_{x}(void) {{ abort(); }}"
        );
    }
    case("right", &table, text);
    text.push_str("    }\n    abort();\n  }\n}\n");
    case("wrong", &wrong, text);
    for x in &chosen {
        let _ = writeln!(text, "    case {x}: wrong_{seed}_{x}(); break;");
    }
    text.push_str("    default: abort();\n    }\n  }\n}\n");
    Case {
        seed,
        radices: program.radices.clone(),
        right: format!("right_{seed}_harness"),
        wrong: format!("wrong_{seed}_harness"),
        faults,
        mutants,
        text: program.text.clone(),
    }
}
