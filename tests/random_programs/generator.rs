//! Writes small Rust functions from a seed.
//!
//! A function takes four words and gives a digest of all it computed; one seed always gives the same text. What Rust leaves
//! open (the sign of a NaN, the order of a hash map, addresses) never reaches the digest, so that every correct way of
//! running a function gives the same digest. The prelude that the functions share is `prelude.rs`.

use std::fmt::Write;

/// A line of the function, its text made before it is written.
macro_rules! line {
    ($writer:ident, $($text:tt)*) => {{
        let text = format!($($text)*);
        $writer.line(&text);
    }};
}

/// What a function may contain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    /// Everything.
    Rich,
    /// Only what stays small as formulas: no floats, no text, no wide division.
    Light,
}

/// A stream of numbers that depends on the seed alone (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// A word as tests like them: corners, small numbers, text-like, random.
    pub fn word(&mut self) -> u64 {
        match self.below(8) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << self.below(64),
            3 => (1u64 << self.below(64)).wrapping_sub(1),
            4 => self.below(300) as u64,
            5 => (self.below(20) as u64).wrapping_neg(),
            _ => self.next(),
        }
    }
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
    random: Random,
    flavour: Flavour,
    text: String,
    variables: Vec<(String, Type)>,
    names: usize,
}

/// The text of `fn NAME(x: &[u64; 4]) -> u64`.
pub fn function(name: &str, seed: u64, flavour: Flavour) -> String {
    let mut writer = Writer {
        random: Random::new(seed),
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

    /// An expression of this type.
    fn expr(&mut self, kind: Type, depth: u32) -> String {
        match kind {
            Int(name, bits, signed) => self.int_expr(name, bits, signed, depth),
            Bool => self.bool_expr(depth),
            Char => self.char_expr(depth),
            Float(name) => self.float_expr(name, depth),
        }
    }

    fn variable(&mut self, kind: Type) -> Option<String> {
        let of: Vec<usize> = (0..self.variables.len())
            .filter(|&i| self.variables[i].1 == kind)
            .collect();
        if of.is_empty() {
            return None;
        }
        let i = of[self.random.below(of.len())];
        Some(self.variables[i].0.clone())
    }

    /// A variable of this type, or one of another type as this one, or a literal.
    fn leaf(&mut self, kind: Type) -> String {
        let Int(name, bits, signed) = kind else {
            return match kind {
                Bool => self.random.pick(&["true", "false"]).to_owned(),
                Char => self
                    .random
                    .pick(&["'a'", "'Z'", "'0'", "'ß'", "'€'", "'🦀'", "'\\0'"])
                    .to_owned(),
                Float(name) => format!(
                    "{}{name}",
                    self.random
                        .pick(&["0.0", "1.0", "0.1", "1e10", "3.25", "1e-30"])
                ),
                Int(..) => unreachable!(),
            };
        };
        let choice = self.random.below(8);
        if choice < 4
            && let Some(variable) = self.variable(kind)
        {
            return variable;
        }
        if choice < 7 && !self.variables.is_empty() {
            let i = self.random.below(self.variables.len());
            let (variable, of) = self.variables[i].clone();
            return match of {
                Int(..) | Float(_) | Char | Bool => format!("({variable} as {name})"),
            };
        }
        let word = self.random.word();
        match self.random.below(6) {
            0 => format!("{name}::MAX"),
            1 => format!("{name}::MIN"),
            2 => format!("{}{name}", word % 100),
            3 if signed => format!("(-{}{name})", word % 100),
            _ if signed => format!("{}{name}", word & ((1u64 << (bits.min(64) - 1)) - 1)),
            _ if bits < 64 => format!("{}{name}", word & ((1u64 << bits) - 1)),
            _ => format!("{word}{name}"),
        }
    }

    fn int_expr(&mut self, name: &'static str, bits: u32, signed: bool, depth: u32) -> String {
        let me = Int(name, bits, signed);
        if depth == 0 {
            return self.leaf(me);
        }
        let d = depth - 1;
        let light = self.flavour == Flavour::Light;
        // Wide multiplication and division make formulas that only the back end can judge.
        let narrow = !light || bits <= 16;
        match self.random.below(24) {
            0 => self.leaf(me),
            1 => {
                let of = self.any_type();
                let value = self.expr(of, d);
                format!("({value} as {name})")
            }
            2 => {
                let op = self.random.pick(&["+", "-", "*"]);
                let op = if narrow { op } else { "+" };
                // Panics where it overflows; half of the time on smaller numbers.
                let (a, b) = (self.expr(me, d), self.expr(me, d));
                if self.random.below(3) > 0 {
                    format!("(({a} & 7) {op} ({b} & 7))")
                } else {
                    format!("({a} {op} {b})")
                }
            }
            3 | 4 => {
                let op = self
                    .random
                    .pick(&["wrapping_add", "wrapping_sub", "wrapping_mul"]);
                let op = if narrow { op } else { "wrapping_sub" };
                self.method(me, op, d)
            }
            5 => {
                let op = self.random.pick(&["&", "|", "^"]);
                let (a, b) = (self.expr(me, d), self.expr(me, d));
                format!("({a} {op} {b})")
            }
            6 => {
                let op = self.random.pick(&[
                    "wrapping_shl",
                    "wrapping_shr",
                    "rotate_left",
                    "rotate_right",
                ]);
                let (a, b) = (self.expr(me, d), self.expr(U32, d));
                format!("({a}).{op}({b})")
            }
            7 => {
                let op = self.random.pick(&["<<", ">>"]);
                let of = self.int();
                let (a, b) = (self.expr(me, d), self.expr(of, d));
                if self.random.below(8) > 0 {
                    format!("({a} {op} ({b} & {}))", (bits - 1).min(127))
                } else {
                    format!("({a} {op} {b})")
                }
            }
            8 if narrow => {
                let op = self.random.pick(&["/", "%"]);
                let (a, b) = (self.expr(me, d), self.expr(me, d));
                if self.random.below(4) > 0 {
                    format!("({a} {op} ({b} | 1))")
                } else {
                    format!("({a} {op} {b})")
                }
            }
            9 => {
                let op = self
                    .random
                    .pick(&["saturating_add", "saturating_sub", "saturating_mul"]);
                let op = if narrow { op } else { "saturating_sub" };
                self.method(me, op, d)
            }
            10 => {
                let op = if narrow {
                    self.random.pick(&[
                        "checked_add",
                        "checked_sub",
                        "checked_mul",
                        "checked_div",
                        "checked_rem",
                        "checked_rem_euclid",
                        "checked_next_multiple_of",
                        "checked_div_euclid",
                    ])
                } else {
                    self.random.pick(&["checked_add", "checked_sub"])
                };
                let op = if signed && op == "checked_next_multiple_of" {
                    "checked_mul"
                } else {
                    op
                };
                let value = self.method(me, op, d);
                let other = self.expr(me, d);
                format!("{value}.unwrap_or({other})")
            }
            11 => {
                let op =
                    self.random
                        .pick(&["overflowing_add", "overflowing_sub", "overflowing_mul"]);
                let op = if narrow { op } else { "overflowing_add" };
                let value = self.method(me, op, d);
                format!("{{ let (r, o) = {value}; r ^ (o as {name}) }}")
            }
            12 => {
                let op = self.random.pick(&[
                    "count_ones",
                    "count_zeros",
                    "leading_zeros",
                    "trailing_zeros",
                    "leading_ones",
                    "trailing_ones",
                ]);
                let of = self.int();
                let a = self.expr(of, d);
                format!("(({a}).{op}() as {name})")
            }
            13 => {
                let op = self.random.pick(&["swap_bytes", "reverse_bits", "to_be"]);
                let a = self.expr(me, d);
                format!("({a}).{op}()")
            }
            14 => {
                let (c, a, b) = (self.expr(Bool, d), self.expr(me, d), self.expr(me, d));
                format!("(if {c} {{ {a} }} else {{ {b} }})")
            }
            15 => {
                let op = self.random.pick(&["min", "max"]);
                self.method(me, op, d)
            }
            16 => {
                let (a, b) = (self.expr(me, d), self.expr(me, d));
                format!("(({a}).abs_diff({b}) as {name})")
            }
            17 if narrow => {
                let a = self.expr(me, d);
                let power = self.random.below(5);
                format!("({a}).wrapping_pow({power})")
            }
            18 => {
                let (i, a, b, c) = (
                    self.expr(USIZE, d),
                    self.expr(me, d),
                    self.expr(me, d),
                    self.expr(me, d),
                );
                if self.random.below(6) > 0 {
                    format!("[{a}, {b}, {c}, {c}][({i}) & 3]")
                } else {
                    format!("[{a}, {b}, {c}][({i}) & 3]")
                }
            }
            19 => {
                let of = self.int();
                let (v, a, b, c) = (
                    self.expr(of, d),
                    self.expr(me, d),
                    self.expr(me, d),
                    self.expr(me, d),
                );
                let (low, high) = (self.random.below(50), 50 + self.random.below(70));
                format!(
                    "(match {v} {{ 0 => {a}, {low}..={high} => {b}, n if n & 1 == 0 => {c}, _ => {} }})",
                    self.leaf(me)
                )
            }
            20 => {
                let (a, b, c) = (self.expr(me, d), self.expr(Bool, d), self.expr(me, d));
                format!(
                    "Some({a}).filter(|_| {b}).map(|v| v ^ 1).or(Some({c})).unwrap_or_default()"
                )
            }
            21 => {
                let (a, b) = (self.expr(me, d), self.expr(me, d));
                format!("mix({a}, {b})")
            }
            22 => {
                let op = self.random.pick(&["to_le_bytes", "to_be_bytes"]);
                let a = self.expr(me, d);
                let i = self.random.below((bits / 8) as usize);
                format!("(({a}).{op}()[{i}] as {name})")
            }
            _ => {
                let a = self.expr(me, d);
                format!("(!{a})")
            }
        }
    }

    fn method(&mut self, kind: Type, op: &str, depth: u32) -> String {
        let (a, b) = (self.expr(kind, depth), self.expr(kind, depth));
        format!("({a}).{op}({b})")
    }

    fn bool_expr(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.variable(Bool).unwrap_or_else(|| {
                let kind = self.int();
                let value = self.leaf(kind);
                format!("({value} & 1 == 0)")
            });
        }
        let d = depth - 1;
        match self.random.below(8) {
            0 => format!("(!{})", self.expr(Bool, d)),
            1 => {
                let op = self.random.pick(&["&&", "||", "^", "&", "|"]);
                let (a, b) = (self.expr(Bool, d), self.expr(Bool, d));
                format!("({a} {op} {b})")
            }
            2 => {
                let kind = self.int();
                let op = self.random.pick(&["checked_add", "checked_sub"]);
                format!("{}.is_some()", self.method(kind, op, d))
            }
            3 => {
                let c = self.expr(Char, d);
                let op = self.random.pick(&[
                    "is_alphabetic",
                    "is_numeric",
                    "is_ascii_digit",
                    "is_uppercase",
                    "is_whitespace",
                    "is_control",
                ]);
                let op = if self.flavour == Flavour::Light {
                    "is_ascii_digit"
                } else {
                    op
                };
                format!("({c}).{op}()")
            }
            _ => {
                let kind = self.any_type();
                let op = self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                let (a, b) = (self.expr(kind, d), self.expr(kind, d));
                format!("(({a}) {op} ({b}))")
            }
        }
    }

    fn char_expr(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(Char);
        }
        let d = depth - 1;
        match self.random.below(5) {
            0 => self.leaf(Char),
            1 => format!("({} as char)", self.expr(INTS[0], d)),
            2 => format!("char::from_u32({}).unwrap_or('x')", self.expr(U32, d)),
            3 => format!("({}).to_ascii_uppercase()", self.expr(Char, d)),
            _ => format!(
                "char::from_digit({} & 31, 20).unwrap_or('-')",
                self.expr(U32, d)
            ),
        }
    }

    fn float_expr(&mut self, name: &'static str, depth: u32) -> String {
        let me = Float(name);
        if depth == 0 {
            return self.variable(me).unwrap_or_else(|| self.leaf(me));
        }
        let d = depth - 1;
        match self.random.below(9) {
            0 => self.leaf(me),
            1 | 2 => {
                let of = self.int();
                format!("({} as {name})", self.expr(of, d))
            }
            3 | 4 => {
                let op = self.random.pick(&["+", "-", "*", "/", "%"]);
                let (a, b) = (self.expr(me, d), self.expr(me, d));
                format!("({a} {op} {b})")
            }
            5 => {
                let op = self.random.pick(&[
                    "sqrt",
                    "floor",
                    "ceil",
                    "trunc",
                    "round",
                    "abs",
                    "round_ties_even",
                ]);
                format!("({}).{op}()", self.expr(me, d))
            }
            6 => {
                let (bits, other) = if name == "f64" {
                    (U64, "f32")
                } else {
                    (U32, "f64")
                };
                if self.random.below(2) == 0 {
                    format!("{name}::from_bits({})", self.expr(bits, d))
                } else {
                    format!("({} as {name})", self.expr(Float(other), d))
                }
            }
            7 => format!("(-({}))", self.expr(me, d)),
            _ => {
                let (c, a, b) = (self.expr(Bool, d), self.expr(me, d), self.expr(me, d));
                format!("(if {c} {{ {a} }} else {{ {b} }})")
            }
        }
    }

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

    fn counting_loop(&mut self) {
        let kind = self.int();
        let (t, acc) = (kind.name(), self.name());
        let most = if self.flavour == Flavour::Light { 3 } else { 7 };
        let (start, count) = (self.expr(kind, 1), self.expr(USIZE, 1));
        line!(self, "let mut {acc}: {t} = {start};");
        let outer = self.variables.len();
        self.variables.push((acc.clone(), kind));
        self.variables.push(("i".to_owned(), USIZE));
        let (step, stop) = (self.expr(kind, 2), self.expr(Bool, 2));
        line!(
            self,
            "for i in 0..({count} & {most}) {{ {acc} = {acc}.wrapping_add({step}); if {stop} {{ {} }} }}",
            ["break", "continue", "h.add(i)"][self.random.below(3)]
        );
        self.variables.truncate(outer);
        line!(self, "h.add({acc});");
        self.variables.push((acc, kind));
    }

    fn while_loop(&mut self) {
        let kind = INTS[self.random.below(5)];
        let (t, n) = (kind.name(), self.name());
        let start = self.expr(kind, 2);
        let shift = 3 + self.random.below(3);
        let other = self.expr(kind, 1);
        line!(self, "let mut {n}: {t} = {start};");
        line!(
            self,
            "while {n} != 0 {{ h.add({n}); {n} = ({n} >> {shift}) & !({other} & 1); }}"
        );
    }

    fn array(&mut self) {
        let kind = self.int();
        let (t, a) = (kind.name(), self.name());
        let length = 3 + self.random.below(6);
        let items: Vec<String> = (0..length).map(|_| self.expr(kind, 1)).collect();
        line!(
            self,
            "let mut {a}: [{t}; {length}] = [{}];",
            items.join(", ")
        );
        let (i, j, v) = (self.expr(USIZE, 2), self.expr(USIZE, 2), self.expr(kind, 2));
        // Sometimes one too far.
        let modulus = length + usize::from(self.random.below(4) == 0);
        line!(self, "{a}[({i}) % {length}] = {v};");
        line!(self, "h.add({a}[({j}) % {modulus}]);");
        match self.random.below(4) {
            0 => line!(self, "{a}.reverse();"),
            1 => line!(self, "{a}.swap(0, ({i}) % {length});"),
            2 => line!(self, "{a}.rotate_left({});", self.random.below(length)),
            _ => line!(self, "{a}[1..].fill({});", self.leaf(kind)),
        }
        line!(self, "for v in {a}.iter() {{ h.add(*v); }}");
    }

    fn shape(&mut self) {
        let s = self.name();
        let (n, a, b, c) = (
            self.expr(INTS[0], 2),
            self.expr(INTS[8], 1),
            self.expr(INTS[1], 1),
            self.expr(INTS[3], 1),
        );
        let wide = self.expr(INTS[5], 1);
        line!(
            self,
            "let {s} = match {n} % 5 {{ 0 => Shape::Unit, 1 => Shape::One({a}), 2 => Shape::Pair {{ a: {b}, b: {c} }}, \
             3 => Shape::Wide({wide}), _ => Shape::Nested(Box::new(Shape::Pair {{ a: {b}, b: {c} }})) }};"
        );
        line!(self, "h.add({s}.measure());");
        if self.flavour == Flavour::Rich {
            line!(
                self,
                "h.text(&format!(\"{{:?}}\", {s})); h.add({s}.clone() == Shape::One({a}));"
            );
        }
    }

    fn closure(&mut self) {
        let kind = self.int();
        let (t, f) = (kind.name(), self.name());
        let outer = self.variables.len();
        self.variables.push(("p".to_owned(), kind));
        self.variables.push(("q".to_owned(), kind));
        let body = self.expr(kind, 2);
        self.variables.truncate(outer);
        line!(self, "let {f} = |p: {t}, q: {t}| -> {t} {{ {body} }};");
        let (a, b) = (self.expr(kind, 1), self.expr(kind, 1));
        let call = self.random.pick(&["apply(&", "apply_dyn(&"]);
        line!(self, "h.add({call}{f}, {a}, {b}));");
    }

    fn caught(&mut self) {
        let kind = self.int();
        let (a, b) = (self.expr(kind, 2), self.expr(kind, 2));
        let op = self.random.pick(&["+", "-", "*", "<<"]);
        let op = if self.flavour == Flavour::Light && op == "*" {
            "-"
        } else {
            op
        };
        line!(
            self,
            "h.caught(std::panic::catch_unwind(|| ({a}) {op} ({b})));"
        );
    }

    fn pair(&mut self) {
        let (one, two) = (self.int(), self.any_type());
        let two = if two == Bool { U32 } else { two };
        let p = self.name();
        let (a, b) = (self.expr(one, 2), self.expr(two, 2));
        line!(self, "let {p} = swap_pair(({a}, {b}));");
        line!(self, "h.add({p}.0); h.add({p}.1);");
        let narrow = self.expr(INTS[0], 1);
        let try_from = self.expr(one, 1);
        let t = INTS[self.random.below(12)].name();
        line!(
            self,
            "if let Ok(v) = {t}::try_from({try_from}) {{ h.add(v); }} else {{ h.add({narrow}); }}"
        );
    }

    fn format(&mut self) {
        let form = self
            .random
            .pick(&["{}", "{:?}", "{:>12}", "{:<7}|", "{:^9}", "{:+}", "{:08}"]);
        let kind = self.any_type();
        let form = if matches!(kind, Bool | Char) {
            "{:?}"
        } else {
            form
        };
        let value = self.expr(kind, 2);
        line!(self, "h.text(&format!(\"{form}\", {value}));");
        let kind = self.int();
        let form = self
            .random
            .pick(&["{:x}", "{:#X}", "{:b}", "{:#010o}", "{:#06x}", "{:e}"]);
        let value = self.expr(kind, 2);
        line!(self, "h.text(&format!(\"{form}\", {value}));");
        let value = self.expr(Float("f64"), 1);
        let digits = self.random.below(5);
        line!(
            self,
            "{{ let f = {value}; if !f.is_nan() {{ h.text(&format!(\"{{:.{digits}}} {{:e}}\", f, f)); }} }}"
        );
    }

    fn parse(&mut self) {
        let (from, to) = (self.int(), self.int());
        let value = self.expr(from, 2);
        let (t, s) = (to.name(), self.name());
        line!(self, "let {s} = ({value}).to_string();");
        line!(
            self,
            "match {s}.parse::<{t}>() {{ Ok(v) => h.add(v), Err(e) => h.text(&e.to_string()) }}"
        );
        line!(
            self,
            "match {t}::from_str_radix(&{s}, {}) {{ Ok(v) => h.add(v), Err(e) => h.text(&format!(\"{{e:?}}\")) }}",
            11 + self.random.below(26)
        );
        line!(
            self,
            "if let Ok(f) = format!(\"{{{s}}}e-{}\").parse::<f64>() {{ h.add(f); }}",
            self.random.below(30)
        );
    }

    /// A vector with items that depend on the input; its name.
    fn items(&mut self, kind: Type) -> String {
        let (t, v) = (kind.name(), self.name());
        let count = self.expr(USIZE, 1);
        let outer = self.variables.len();
        self.variables.push(("i".to_owned(), USIZE));
        let item = self.expr(kind, 2);
        self.variables.truncate(outer);
        let some = 1 + self.random.below(24);
        line!(
            self,
            "let mut {v}: Vec<{t}> = (0..3 + ({count}) % {some}).map(|i| {item}.wrapping_add((i * i) as {t})).collect();"
        );
        v
    }

    fn vector(&mut self) {
        let kind = self.int();
        let v = self.items(kind);
        for _ in 0..2 {
            let (a, i) = (self.expr(kind, 1), self.expr(USIZE, 1));
            let line = match self.random.below(12) {
                0 => format!("{v}.sort();"),
                1 => format!("{v}.sort_unstable_by(|a, b| b.cmp(a));"),
                2 => format!("{v}.sort_by_key(|k| k & 15);"),
                3 => format!("{v}.sort(); {v}.dedup();"),
                4 => format!("{v}.retain(|k| k & 1 == {a} & 1);"),
                5 => format!("{v}.insert(({i}) % ({v}.len() + 1), {a});"),
                6 => format!(
                    "if !{v}.is_empty() {{ let n = {v}.len(); h.add({v}.remove(({i}) % n)); }}"
                ),
                7 => format!(
                    "let tail = {v}.split_off(({i}) % ({v}.len() + 1)); h.add(tail.len()); {v}.extend(tail.iter().rev());"
                ),
                8 => format!("for w in {v}.windows(2) {{ h.add(w[0] < w[1]); }}"),
                9 => format!("h.add({v}.drain(..({i}) % ({v}.len() + 1)).count());"),
                10 => format!(
                    "match {v}.binary_search(&{a}) {{ Ok(n) => h.add(n), Err(n) => h.add(n as u8) }}"
                ),
                _ => format!("{v}.truncate(({i}) & 7); {v}.resize(5, {a}); {v}.push({a});"),
            };
            self.line(&line);
        }
        line!(self, "h.add({v}.len()); for k in &{v} {{ h.add(*k); }}");
        line!(
            self,
            "h.add({v}.iter().max().copied().unwrap_or_default());"
        );
    }

    fn map(&mut self) {
        let kind = INTS[self.random.below(12)];
        let v = self.items(kind);
        let m = self.name();
        let probe = self.expr(kind, 1);
        if self.random.below(2) == 0 {
            line!(self, "let mut {m} = std::collections::BTreeMap::new();");
            line!(
                self,
                "for (i, k) in {v}.iter().enumerate() {{ *{m}.entry(*k & 31).or_insert(0usize) += i; }}"
            );
            line!(
                self,
                "for (k, n) in &{m} {{ h.add(*k); h.add(*n); }} h.add({m}.range({probe}..).count());"
            );
        } else {
            line!(self, "let mut {m} = std::collections::HashMap::new();");
            line!(
                self,
                "for (i, k) in {v}.iter().enumerate() {{ *{m}.entry(*k & 31).or_insert(0usize) += i; }}"
            );
            line!(
                self,
                "h.add({m}.len()); h.add({m}.contains_key(&({probe} & 31))); let mut all: Vec<_> = {m}.into_iter().collect(); all.sort();"
            );
            self.line("for (k, n) in all { h.add(k); h.add(n); }");
        }
    }

    fn dynamic(&mut self) {
        let (n, a, b) = (
            self.expr(USIZE, 2),
            self.expr(U32, 1),
            self.expr(INTS[9], 1),
        );
        let d = self.name();
        line!(
            self,
            "let {d}: Vec<Box<dyn Measure>> = vec![Box::new({a}), Box::new(Shape::One({a} as i32)), Box::new(vec![{a}, 1]), Box::new(({b}).to_string())];"
        );
        line!(
            self,
            "h.add({d}[({n}) & 3].measure()); for m in &{d} {{ h.add(m.measure() ^ m.twice()); }}"
        );
    }

    fn slices(&mut self) {
        let kind = self.int();
        let v = self.items(kind);
        let (i, j) = (self.expr(USIZE, 2), self.expr(USIZE, 2));
        line!(
            self,
            "{{ let (i, j) = (({i}) % 6, ({j}) % 6); h.caught(std::panic::catch_unwind(|| {v}[i..j].iter().fold(0usize, |n, k| n ^ *k as usize))); }}"
        );
        let size = 1 + self.random.below(4);
        line!(
            self,
            "for c in {v}.chunks({size}) {{ h.add(c[0]); h.add(c.len()); }}"
        );
        line!(
            self,
            "{{ let (l, r) = {v}.split_at_mut(2); l[0] = r[0]; l.swap_with_slice(&mut [r[0], l[1]]); }}"
        );
        line!(
            self,
            "let n = {v}.len(); {v}.copy_within(1..n, 0); h.add({v} == [{}]); for k in {v}.concat_with() {{ h.add(k); }}",
            self.leaf(kind)
        );
    }

    fn text_work(&mut self) {
        let s = self.name();
        let (c, n) = (self.expr(Char, 2), self.expr(USIZE, 1));
        let (a, b) = (self.int(), self.expr(Char, 2));
        let a = self.expr(a, 2);
        line!(
            self,
            "let mut {s} = format!(\"{{}}, {{}};é{{}}\", {a}, {c}, {b});"
        );
        let line = match self.random.below(8) {
            0 => format!("{s} = {s}.to_uppercase();"),
            1 => format!("{s} = {s}.chars().rev().collect();"),
            2 => format!(
                "for part in {s}.split([',', ';']) {{ h.text(part.trim()); h.add(part.len()); }}"
            ),
            3 => format!("h.add({s}.find({b}).unwrap_or(99)); {s} = {s}.replace(\"1\", \"one\");"),
            4 => format!("h.caught(std::panic::catch_unwind(|| {s}[..({n}) % 12].len()));"),
            5 => format!("for (i, c) in {s}.char_indices() {{ h.add(i); h.add(c); }}"),
            6 => {
                format!("{s}.insert(0, {c}); {s}.push_str(&{s}.clone()); {s}.retain(|c| c != '1');")
            }
            _ => format!(
                "h.add(String::from_utf8({s}.bytes().map(|b| b ^ ({n} as u8 & 1)).collect()).is_ok()); h.text(&String::from_utf8_lossy(&{s}.as_bytes()[1..]));"
            ),
        };
        self.line(&line);
        line!(
            self,
            "h.text(&{s}); h.add({s}.chars().count()); h.add({s}.as_str() < \"5\");"
        );
    }

    fn shared(&mut self) {
        let kind = self.int();
        let (r, a, b) = (self.name(), self.expr(kind, 2), self.expr(kind, 2));
        line!(
            self,
            "let {r} = std::rc::Rc::new(std::cell::RefCell::new(vec![{a}]));"
        );
        line!(
            self,
            "{{ let other = {r}.clone(); other.borrow_mut().push({b}); h.add(std::rc::Rc::strong_count(&{r})); }}"
        );
        line!(
            self,
            "h.add({r}.borrow()[1]); h.add({r}.try_borrow_mut().is_ok()); h.add(std::rc::Rc::strong_count(&{r}));"
        );
        line!(
            self,
            "{{ let log = std::cell::Cell::new(1u64); {{ let _a = Dropped(&log, 3); let _b = Dropped(&log, 5); if ({a}) & 1 == 0 {{ std::mem::drop(_a); }} }} h.add(log.get()); }}"
        );
    }

    fn iterators(&mut self) {
        let kind = self.int();
        let v = self.items(kind);
        let outer = self.variables.len();
        self.variables.push(("k".to_owned(), kind));
        let (cond, image) = (self.expr(Bool, 2), self.expr(kind, 2));
        self.variables.truncate(outer);
        let n = self.random.below(4);
        let t = kind.name();
        let line = match self.random.below(6) {
            0 => format!(
                "h.add({v}.iter().copied().filter(|&k| {cond}).map(|k| {image}).fold(0 as {t}, |a, b| a.rotate_left(3) ^ b));"
            ),
            1 => format!(
                "for (a, b) in {v}.iter().skip({n}).step_by(2).zip({v}.iter().rev()) {{ h.add(a.wrapping_sub(*b)); }}"
            ),
            2 => format!(
                "h.add({v}.iter().copied().take_while(|&k| {cond}).count()); h.add({v}.iter().position(|&k| {cond}).unwrap_or(77));"
            ),
            3 => format!(
                "let (l, r): (Vec<{t}>, Vec<{t}>) = {v}.iter().copied().partition(|&k| {cond}); h.add(l.len()); for k in r.iter().chain(&l) {{ h.add(*k); }}"
            ),
            4 => format!(
                "h.add({v}.iter().copied().map(|k| k.checked_mul(3)).collect::<Option<Vec<_>>>().map_or(5, |v| v.len())); h.add({v}.iter().flat_map(|k| k.to_le_bytes()).map(u32::from).sum::<u32>());"
            ),
            _ => format!(
                "let mut it = {v}.iter().copied().peekable(); while let Some(k) = it.next() {{ if let Some(&next) = it.peek() {{ h.add(k.cmp(&next) as i8); }} if {cond} {{ it.nth({n}); }} }}"
            ),
        };
        self.line(&line);
    }
}
