//! Tests of real programs: the output of rustc and clang translates without anything unsupported.

use crate::translate_file;
use std::path::Path;
use std::process::Command;
use symex_program::{Inst, Program, check, store};
use symex_testing::{clang, limited};

/// Runs a compiler, which must be installed, and translates its output.
pub fn compile(mut command: Command, output: &Path) -> Program {
    limited::succeed(&mut command);
    let program = translate_file(output).expect("the module translates");
    check::check(&program).expect("the form is sound");
    program
}

fn unsupported(program: &Program) -> Vec<&str> {
    let bodies = program.functions.iter().filter_map(|f| f.body.as_ref());
    bodies
        .flat_map(|b| &b.code)
        .filter_map(|inst| match inst {
            Inst::Unsupported { reason } => Some(program.reasons[*reason as usize].as_str()),
            _ => None,
        })
        .collect()
}

const RUST: &str = r#"
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

trait Shape { fn area(&self) -> f64; }
struct Square(f64);
struct Circle { r: f32 }
impl Shape for Square { fn area(&self) -> f64 { self.0 * self.0 } }
impl Shape for Circle { fn area(&self) -> f64 { f64::from(self.r).sin().abs() } }
impl Drop for Square { fn drop(&mut self) { println!("gone {}", self.0); } }

fn digits(n: u128) -> u32 { let mut s = String::new(); write!(s, "{n:>40}").unwrap(); s.len() as u32 }

fn main() {
    let mut counts: HashMap<String, u32> = HashMap::new();
    for word in std::env::args() { *counts.entry(word.to_uppercase()).or_default() += 1; }
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let tree: BTreeMap<_, _> = sorted.iter().map(|(w, n)| (w.len(), **n as i128 * 7)).collect();
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(2.0)), Box::new(Circle { r: 1.5 })];
    let total: f64 = shapes.iter().map(|s| s.area()).sum();
    let caught = std::panic::catch_unwind(|| { let v: Vec<u8> = Vec::new(); v[std::env::args().count()] });
    let shared = std::sync::Arc::new(std::sync::Mutex::new(0u64));
    let sum: u64 = (0..100u64).filter(|n| n % 3 == 0).map(|n| n.rotate_left(5) ^ n.count_ones() as u64).sum();
    *shared.lock().unwrap() += sum;
    println!("{tree:?} {total:.3} {} {} {:?}", caught.is_err(), digits(u128::MAX), shared);
    let bytes: [u8; 64] = std::array::from_fn(|i| i as u8 * 3);
    println!("{:?}", bytes.iter().position(|b| *b == 9));
}
"#;

#[test]
fn rust_with_std() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("main.rs");
    std::fs::write(&source, RUST).unwrap();
    for level in ["0", "1", "2", "3"] {
        let output = dir.path().join(format!("main{level}.bc"));
        let mut rustc = Command::new("rustc");
        rustc
            .args(["--edition", "2021", "-g", "--emit=llvm-bc"])
            .args([format!("-Copt-level={level}"), "-o".to_owned()])
            .args([&output, &source]);
        let program = compile(rustc, &output);
        assert_eq!(unsupported(&program), Vec::<&str>::new(), "level {level}");
        assert!(
            program
                .functions
                .iter()
                .any(|f| f.display == "main::main" && f.body.is_some())
        );
        assert!(
            program
                .locs
                .files
                .iter()
                .any(|f| *f == source.display().to_string())
        );
        assert!(program.locs.scopes.iter().any(|s| s == "main::main"));
        let stored = store::save(&program).unwrap();
        let loaded = store::load(&stored).unwrap();
        assert_eq!(loaded.functions.len(), program.functions.len());
        assert_eq!(check::check(&loaded), Ok(()));
    }
}

const C: &str = r#"
#include <stdarg.h>
#include <stddef.h>
struct pair { long a; int b; char c[3]; };
static int sum(int n, ...) { va_list l; va_start(l, n); int s = 0; while (n--) s += va_arg(l, int); va_end(l); return s; }
static struct pair swap(struct pair p) { struct pair q = { p.b, (int)p.a, { p.c[2], p.c[1], p.c[0] } }; return q; }
int run(const char *code, long *stack) {
    static void *table[] = { &&push, &&add, &&end };
    goto *table[(int)*code];
push: *stack++ = code[1]; code += 2; goto *table[(int)*code];
add: stack--; stack[-1] += *stack; code++; goto *table[(int)*code];
end: return (int)stack[-1];
}
double mean(const float *v, size_t n) { double s = 0; for (size_t i = 0; i < n; i++) s += v[i]; return n ? s / (double)n : 0; }
unsigned count(const unsigned char *s, unsigned char c) { unsigned n = 0; for (; *s; s++) switch (*s ^ c) { case 0: n++; break; case 32: n += 2; default: ; } return n; }
int main(int argc, char **argv) {
    struct pair p = { argc, 2, "ab" };
    p = swap(p);
    int vla[argc + 1];
    for (int i = 0; i <= argc; i++) vla[i] = __builtin_popcount(i) + p.b;
    __asm__ volatile("" ::: "memory");
    return sum(3, vla[0], argc, p.c[1]) + (int)count((unsigned char *)argv[0], 'x');
}
"#;

#[test]
fn c_from_clang() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("main.c");
    std::fs::write(&source, C).unwrap();
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let output = dir.path().join(format!("main{level}.bc"));
        let mut command = Command::new(clang());
        command
            .args([level, "-g", "-emit-llvm", "-c", "-o"])
            .args([&output, &source]);
        let program = compile(command, &output);
        assert_eq!(unsupported(&program), Vec::<&str>::new(), "{level}");
        let run = program.function(program.function_names["run"]);
        assert!(!run.body.as_ref().unwrap().indirect.is_empty());
        assert!(
            program
                .locs
                .files
                .iter()
                .any(|f| *f == source.display().to_string())
        );
    }
}
