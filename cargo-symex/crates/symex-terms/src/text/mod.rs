//! The text form of terms: s-expressions close to SMT-LIB, for logs, tests and people.
//!
//! ```text
//! (let t0 (add x:32 7:32)) (ult (mul t0 t0) 0x100:32)
//! ```
//! A constant is `value:width`; a variable is its name, its place and its width, `x.0.3:8` for element 3 of draw 0,
//! `x.u:8` or `x.u.2.16:8` for uninitialised memory; a base address is `@object^align`. Terms that occur twice are
//! bound by `let` first. Invariant: what `display` prints, `parse` reads back as the same term. Where many terms are
//! written ([`Lines`]), each is bound in a line of its own, and read with those before it ([`Named`]).

mod parse;
mod print;

pub use parse::{Named, ParseError};
pub use print::{Displayed, Lines};

use super::node::*;

/// Names of the operators of one operand.
const UNARY: &[(&str, UnOp)] = &[
    ("not", UnOp::Not),
    ("popcount", UnOp::Popcount),
    ("clz", UnOp::Clz),
    ("ctz", UnOp::Ctz),
    ("fsqrt", UnOp::FSqrt),
    ("fround.even", UnOp::FRound(Rounding::NearestEven)),
    ("fround.away", UnOp::FRound(Rounding::NearestAway)),
    ("fround.zero", UnOp::FRound(Rounding::Zero)),
    ("fround.up", UnOp::FRound(Rounding::Up)),
    ("fround.down", UnOp::FRound(Rounding::Down)),
    ("fisnan", UnOp::FIsNan),
];

/// Names of the operators of two operands.
const BINARY: &[(&str, BinOp)] = &[
    ("add", BinOp::Add),
    ("sub", BinOp::Sub),
    ("mul", BinOp::Mul),
    ("udiv", BinOp::UDiv),
    ("sdiv", BinOp::SDiv),
    ("urem", BinOp::URem),
    ("srem", BinOp::SRem),
    ("and", BinOp::And),
    ("or", BinOp::Or),
    ("xor", BinOp::Xor),
    ("shl", BinOp::Shl),
    ("lshr", BinOp::LShr),
    ("ashr", BinOp::AShr),
    ("eq", BinOp::Eq),
    ("ult", BinOp::ULt),
    ("ule", BinOp::ULe),
    ("slt", BinOp::SLt),
    ("sle", BinOp::SLe),
    ("umulo", BinOp::UMulO),
    ("smulo", BinOp::SMulO),
    ("fadd", BinOp::FAdd),
    ("fsub", BinOp::FSub),
    ("fmul", BinOp::FMul),
    ("fdiv", BinOp::FDiv),
    ("frem", BinOp::FRem),
    ("feq", BinOp::FEq),
    ("flt", BinOp::FLt),
    ("fle", BinOp::FLe),
];

/// Names of the conversions; the width of the result follows.
const CASTS: &[(&str, FCast)] = &[
    ("to_signed", FCast::ToSigned),
    ("to_unsigned", FCast::ToUnsigned),
    ("from_signed", FCast::FromSigned),
    ("from_unsigned", FCast::FromUnsigned),
    ("to_float", FCast::Float),
];

/// The name of an operator in its table.
fn name<T: PartialEq>(table: &[(&'static str, T)], op: T) -> &'static str {
    table
        .iter()
        .find(|row| row.1 == op)
        .map_or("?", |row| row.0)
}

#[cfg(test)]
mod tests;
