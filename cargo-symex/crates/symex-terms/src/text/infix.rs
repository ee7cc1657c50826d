//! The text of terms for those who read programs: operators between their operands as in Rust,
//! variables by their names alone, and an ellipsis where it would be long. It is not read back.

use crate::node::*;
use crate::number::sign_extend;
use crate::op::{BinOp, FCast, UnOp};
use crate::pool::Pool;
use std::fmt;

/// Greatest depth of operators that is shown.
const DEEPEST: u32 = 8;

/// Number of bytes from which on no operand is shown.
const LONGEST: usize = 120;

/// A term to be printed as an expression of a program.
pub struct Infix<'a> {
    pool: &'a Pool,
    term: Expr,
}

impl Pool {
    /// Returns the term as an expression of a program, for people.
    pub fn infix(&self, term: Expr) -> Infix<'_> {
        Infix { pool: self, term }
    }
}

impl fmt::Display for Infix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        let printer = InfixPrinter { pool: self.pool };
        printer.whole(self.term, DEEPEST, &mut text);
        f.write_str(&text)
    }
}

struct InfixPrinter<'a> {
    pool: &'a Pool,
}

impl InfixPrinter<'_> {
    /// Adds an operand, in parentheses if it has operands itself.
    fn operand(&self, e: Expr, depth: u32, out: &mut String) {
        let is_plain = match self.pool.kind(e) {
            Kind::Const(_) | Kind::Var(_) | Kind::Base { .. } | Kind::Select { .. } => true,
            Kind::Un(op, _) => op != UnOp::Not || self.pool.width(e) > 1,
            Kind::ZExt(of) => return self.operand(of, depth, out),
            _ => false,
        };
        if is_plain {
            return self.whole(e, depth, out);
        }
        out.push('(');
        self.whole(e, depth, out);
        out.push(')');
    }

    /// Adds an expression.
    fn whole(&self, e: Expr, depth: u32, out: &mut String) {
        let (pool, w) = (self.pool, self.pool.width(e));
        let Some(deeper) = depth.checked_sub(1).filter(|_| out.len() < LONGEST) else {
            return out.push('…');
        };
        let operand = |e, out: &mut String| self.operand(e, deeper, out);
        match pool.kind(e) {
            Kind::Const(value) => out.push_str(&number(w, value)),
            Kind::Var(var) => {
                let info = pool.var_info(var);
                match info.origin {
                    Origin::Uninit { .. } => out.push_str("uninitialised"),
                    _ => out.push_str(&info.name),
                }
            }
            Kind::Base { .. } => out.push_str("an address"),
            Kind::Un(UnOp::Not, of) => match pool.kind(of) {
                Kind::Bin(BinOp::Eq | BinOp::FEq, a, b) => {
                    operand(a, out);
                    out.push_str(" != ");
                    operand(b, out);
                }
                Kind::Extract { of: word, lo } if pool.width(of) == 1 => {
                    self.bit(word, lo, false, deeper, out);
                }
                _ => {
                    out.push('!');
                    operand(of, out);
                }
            },
            Kind::Un(op, of) => {
                operand(of, out);
                out.push_str(match op {
                    UnOp::Not => unreachable!("it is above"),
                    UnOp::Popcount => ".count_ones()",
                    UnOp::Clz => ".leading_zeros()",
                    UnOp::Ctz => ".trailing_zeros()",
                    UnOp::FSqrt => ".sqrt()",
                    UnOp::FIsNan => ".is_nan()",
                    UnOp::FRoundEven => ".round_ties_even()",
                    UnOp::FRoundAway => ".round()",
                    UnOp::FRoundZero => ".trunc()",
                    UnOp::FRoundUp => ".ceil()",
                    UnOp::FRoundDown => ".floor()",
                });
            }
            Kind::Bin(op, a, b) => self.binary(op, a, b, deeper, out),
            Kind::ZExt(of) => self.whole(of, depth, out),
            Kind::SExt(of) => {
                operand(of, out);
                out.push_str(&format!(" as i{}", pool.width(of)));
            }
            Kind::Concat { hi, lo } => {
                let below = pool.width(lo);
                operand(hi, out);
                out.push_str(&format!(" << {below}"));
                if pool.as_const(lo) != Some(0) {
                    out.push_str(" | ");
                    operand(lo, out);
                }
            }
            Kind::Extract { of, lo } if w == 1 => self.bit(of, lo, true, deeper, out),
            Kind::Extract { of, lo } => {
                operand(of, out);
                match lo {
                    0 => out.push_str(&format!(" as u{w}")),
                    _ => out.push_str(&format!(" >> {lo} as u{w}")),
                }
            }
            Kind::Ite { cond, then, other } => {
                out.push_str("if ");
                self.whole(cond, deeper, out);
                out.push_str(" { ");
                self.whole(then, deeper, out);
                out.push_str(" } else { ");
                self.whole(other, deeper, out);
                out.push_str(" }");
            }
            Kind::Select { array, index } => {
                out.push_str(&format!("[…; {}][", pool.array_shape(array).1));
                self.whole(index, deeper, out);
                out.push(']');
            }
            Kind::FCast(op, of) => {
                operand(of, out);
                let kind = match op {
                    FCast::ToSigned => 'i',
                    FCast::ToUnsigned => 'u',
                    FCast::FromSigned | FCast::FromUnsigned | FCast::Float => 'f',
                };
                out.push_str(&format!(" as {kind}{w}"));
            }
            Kind::Fma(a, b, c) => {
                operand(a, out);
                out.push_str(".mul_add(");
                self.whole(b, deeper, out);
                out.push_str(", ");
                self.whole(c, deeper, out);
                out.push(')');
            }
        }
    }

    /// Adds the condition that a bit of a word is set, or not.
    fn bit(&self, word: Expr, bit: Width, is_set: bool, depth: u32, out: &mut String) {
        let w = self.pool.width(word);
        self.operand(word, depth, out);
        out.push_str(&match (bit + 1 == w, is_set) {
            (true, true) => format!(" as i{w} < 0"),
            (true, false) => format!(" as i{w} >= 0"),
            (false, _) => format!(" >> {bit} & 1 == {}", u8::from(is_set)),
        });
    }

    fn binary(&self, op: BinOp, a: Expr, b: Expr, depth: u32, out: &mut String) {
        use BinOp::*;
        let is_same = |e: Expr| matches!(self.pool.kind(e), Kind::Bin(other, ..) if other == op);
        if matches!(op, Add | Mul | And | Or | Xor) && is_same(a) {
            self.whole(a, depth, out);
        } else {
            self.side(op, a, depth, out);
        }
        let w = self.pool.width(b);
        if let Some(value) = self.pool.as_const(b)
            && op == Add
            && w > 1
            && sign_extend(value, w) < 0
        {
            let less = sign_extend(value, w).unsigned_abs();
            return out.push_str(&format!(" - {}", number(w, less)));
        }
        let is_bit = self.pool.width(a) == 1;
        let between = match op {
            Add | FAdd => "+",
            Sub | FSub => "-",
            Mul | FMul => "*",
            UDiv | SDiv | FDiv => "/",
            URem | SRem | FRem => "%",
            And if is_bit => "&&",
            Or if is_bit => "||",
            And => "&",
            Or => "|",
            Xor => "^",
            Shl => "<<",
            LShr | AShr => ">>",
            Eq | FEq => "==",
            ULt | SLt | FLt => "<",
            ULe | SLe | FLe => "<=",
            UMulO | SMulO => {
                out.push_str(".overflowing_mul(");
                self.whole(b, depth, out);
                return out.push_str(").1");
            }
        };
        out.push_str(&format!(" {between} "));
        self.side(op, b, depth, out);
    }

    /// Adds an operand of an operator, as a signed number where the operator takes it for one.
    fn side(&self, op: BinOp, e: Expr, depth: u32, out: &mut String) {
        use BinOp::*;
        let w = self.pool.width(e);
        let is_signed = matches!(op, SDiv | SRem | SLt | SLe | AShr);
        match self.pool.as_const(e) {
            Some(value) if is_signed => out.push_str(&sign_extend(value, w).to_string()),
            None if is_signed && !matches!(self.pool.kind(e), Kind::SExt(_)) => {
                self.operand(e, depth, out);
                out.push_str(&format!(" as i{w}"));
            }
            _ => self.operand(e, depth, out),
        }
    }
}

/// Returns a number as it is written in a program.
fn number(width: Width, value: u128) -> String {
    match (width, value) {
        (1, 0) => "false".to_owned(),
        (1, _) => "true".to_owned(),
        (8, 0x20..=0x7e) => format!("b{:?}", value as u8 as char),
        (_, 0..10_000) => value.to_string(),
        _ => format!("{value:#x}"),
    }
}
