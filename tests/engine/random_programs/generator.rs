//! Generator of small Rust functions from a seed.
//!
//! A function takes four words and returns a digest of all it computed; one seed always gives the
//! same text. Values that Rust leaves open (the sign of a NaN, the order of a hash map, addresses)
//! never reach the digest, so that every correct execution of a function gives the same digest. The
//! prelude that the functions share is `prelude.rs`.
//!
//! This module has the state of a function being written: its variables and the choice of
//! statements. `expressions` writes expressions of a type, `statements` the language's own
//! statements, `library` those that use the standard library.

use std::fmt::Write;
use symex_testing::random::TestRandom;

/// Writes a line of the function, whose text is formatted first.
macro_rules! line {
    ($writer:ident, $($text:tt)*) => {{
        let text = format!($($text)*);
        $writer.line(&text);
    }};
}

mod expressions;
mod library;
mod statements;

/// The kinds of code that a function may contain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    /// All kinds of code.
    Rich,
    /// Only code that stays small as formulas: no floats, no text, no wide division.
    Light,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Int(&'static str, u32, bool),
    Bool,
    Char,
    Float(&'static str),
}

use Type::{Bool, Char, Float, Int};

const INTS: [Type; 12] = [
    Int("u8", 8, false),
    Int("u16", 16, false),
    Int("u32", 32, false),
    Int("u64", 64, false),
    Int("usize", 64, false),
    Int("u128", 128, false),
    Int("i8", 8, true),
    Int("i16", 16, true),
    Int("i32", 32, true),
    Int("i64", 64, true),
    Int("isize", 64, true),
    Int("i128", 128, true),
];

const U64: Type = INTS[3];
const U32: Type = INTS[2];
const USIZE: Type = INTS[4];

impl Type {
    fn name(self) -> &'static str {
        match self {
            Int(name, ..) | Float(name) => name,
            Bool => "bool",
            Char => "char",
        }
    }
}

/// One function being written.
struct Writer {
    random: TestRandom,
    flavour: Flavour,
    text: String,
    variables: Vec<(String, Type)>,
    names: usize,
}

/// Returns the text of `fn NAME(x: &[u64; 4]) -> u64`.
pub fn function(name: &str, seed: u64, flavour: Flavour) -> String {
    let mut writer = Writer {
        random: TestRandom::new(seed),
        flavour,
        text: String::new(),
        variables: Vec::new(),
        names: 0,
    };
    let _ = writeln!(
        writer.text,
        "#[inline(never)]\npub fn {name}(x: &[u64; 4]) -> u64 {{\n    let mut h = Digest::new();"
    );
    for i in 0..4 {
        let kind = writer.int();
        let value = match kind {
            Int(name, 128, _) => format!("(x[{i}] as u128 * 0x1_0000_0001_0000_0003) as {name}"),
            _ => format!("x[{i}] as {}", kind.name()),
        };
        writer.bind(kind, &value);
    }
    let statements = match flavour {
        Flavour::Rich => 5 + writer.random.below(6),
        Flavour::Light => 3 + writer.random.below(3),
    };
    for _ in 0..statements {
        writer.statement();
    }
    writer.text.push_str("    h.finish()\n}\n");
    writer.text
}

impl Writer {
    fn int(&mut self) -> Type {
        self.random.pick(&INTS)
    }

    fn any_type(&mut self) -> Type {
        match self.random.below(10) {
            0 => Bool,
            1 => Char,
            2 | 3 if self.flavour == Flavour::Rich => Float(self.random.pick(&["f64", "f32"])),
            _ => self.int(),
        }
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "    {text}");
    }

    fn bind(&mut self, kind: Type, value: &str) {
        let name = self.name();
        line!(self, "let {name}: {} = {value};", kind.name());
        line!(self, "h.add({name});");
        self.variables.push((name, kind));
    }

    /// Writes any statement that the flavour allows.
    fn statement(&mut self) {
        let light = self.flavour == Flavour::Light;
        let count = if light { 9 } else { 20 };
        match self.random.below(count) {
            0 | 1 => {
                let kind = self.any_type();
                let value = self.expr(kind, 3);
                self.bind(kind, &value);
            }
            2 => self.counting_loop(),
            3 => self.while_loop(),
            4 => self.array(),
            5 => self.shape(),
            6 => self.closure(),
            7 => self.caught(),
            8 => self.pair(),
            9 | 10 => self.format(),
            11 => self.parse(),
            12 | 13 => self.vector(),
            14 => self.map(),
            15 => self.dynamic(),
            16 => self.slices(),
            17 => self.text_work(),
            18 => self.shared(),
            _ => self.iterators(),
        }
    }
}
