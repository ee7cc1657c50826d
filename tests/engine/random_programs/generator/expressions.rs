//! Generator of expressions of a type, of a given maximal depth, over the existing variables.

use super::{Bool, Char, Flavour, Float, INTS, Int, Type, U32, U64, USIZE, Writer};

impl Writer {
    /// Returns an expression of this type.
    pub(super) fn expr(&mut self, kind: Type, depth: u32) -> String {
        match kind {
            Int(name, bits, signed) => self.int_expr(name, bits, signed, depth),
            Bool => self.bool_expr(depth),
            Char => self.char_expr(depth),
            Float(name) => self.float_expr(name, depth),
        }
    }

    pub(super) fn variable(&mut self, kind: Type) -> Option<String> {
        let of: Vec<usize> = (0..self.variables.len())
            .filter(|&i| self.variables[i].1 == kind)
            .collect();
        if of.is_empty() {
            return None;
        }
        let i = of[self.random.below(of.len())];
        Some(self.variables[i].0.clone())
    }

    /// Returns a variable of this type, or one of another type converted to it, or a literal.
    pub(super) fn leaf(&mut self, kind: Type) -> String {
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

    pub(super) fn int_expr(
        &mut self,
        name: &'static str,
        bits: u32,
        signed: bool,
        depth: u32,
    ) -> String {
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

    pub(super) fn method(&mut self, kind: Type, op: &str, depth: u32) -> String {
        let (a, b) = (self.expr(kind, depth), self.expr(kind, depth));
        format!("({a}).{op}({b})")
    }

    pub(super) fn bool_expr(&mut self, depth: u32) -> String {
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

    pub(super) fn char_expr(&mut self, depth: u32) -> String {
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

    pub(super) fn float_expr(&mut self, name: &'static str, depth: u32) -> String {
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
}
