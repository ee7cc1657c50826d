//! The table of operators of terms: one row each, with all properties of the operator.
//!
//! A row has the operator's name in the text form, its class, its value on numbers and its transfer
//! function on domains. All code about operators in general (evaluation, constant folding, the text
//! form, structural hashes, domains) reads the table; only the encodings for Z3 and rules about a
//! particular operator name it again. The table is in the style of the operator kinds of Bitwuzla
//! (`node_kind_info`).

use super::build::mask;
use super::domain::{Domain, float, transfer};
use super::node::Width;
use super::number::{self, sign_extend};

/// Row of a unary operator.
pub struct UnInfo {
    /// Name in the text form of terms.
    pub name: &'static str,
    /// Whether the operand is a float, of 16, 32, 64, 80 or 128 bits.
    pub is_float: bool,
    /// Whether the result is one bit wide. Else it has the operand's width.
    pub is_predicate: bool,
    /// Value on an operand of a width.
    pub eval: fn(Width, u128) -> u128,
    /// Transfer function, for a domain of that width.
    pub transfer: fn(Width, &Domain) -> Domain,
}

/// Row of a binary operator, whose operands have one width.
pub struct BinInfo {
    /// Name in the text form of terms.
    pub name: &'static str,
    /// Whether the operands are floats, of 16, 32, 64, 80 or 128 bits.
    pub is_float: bool,
    /// Whether the result is one bit wide. Else it has the operands' width.
    pub is_predicate: bool,
    /// Whether the operands may be swapped.
    pub is_commutative: bool,
    /// Value on operands of a width.
    pub eval: fn(Width, u128, u128) -> u128,
    /// Transfer function, for domains of that width.
    pub transfer: fn(Width, &Domain, &Domain) -> Domain,
}

impl UnInfo {
    const fn integer(
        name: &'static str,
        eval: fn(Width, u128) -> u128,
        transfer: fn(Width, &Domain) -> Domain,
    ) -> UnInfo {
        UnInfo {
            name,
            is_float: false,
            is_predicate: false,
            eval,
            transfer,
        }
    }

    const fn float(
        name: &'static str,
        eval: fn(Width, u128) -> u128,
        transfer: fn(Width, &Domain) -> Domain,
    ) -> UnInfo {
        UnInfo {
            is_float: true,
            ..UnInfo::integer(name, eval, transfer)
        }
    }

    const fn predicate(self) -> UnInfo {
        UnInfo {
            is_predicate: true,
            ..self
        }
    }
}

impl BinInfo {
    const fn integer(
        name: &'static str,
        eval: fn(Width, u128, u128) -> u128,
        transfer: fn(Width, &Domain, &Domain) -> Domain,
    ) -> BinInfo {
        BinInfo {
            name,
            is_float: false,
            is_predicate: false,
            is_commutative: false,
            eval,
            transfer,
        }
    }

    const fn float(
        name: &'static str,
        eval: fn(Width, u128, u128) -> u128,
        transfer: fn(Width, &Domain, &Domain) -> Domain,
    ) -> BinInfo {
        BinInfo {
            is_float: true,
            ..BinInfo::integer(name, eval, transfer)
        }
    }

    const fn predicate(self) -> BinInfo {
        BinInfo {
            is_predicate: true,
            ..self
        }
    }

    const fn commutative(self) -> BinInfo {
        BinInfo {
            is_commutative: true,
            ..self
        }
    }
}

/// Declares an enumeration of operators together with their rows.
macro_rules! operators {
    (
        $(#[$doc:meta])*
        $name:ident: $info:ident in $table:ident;
        $($(#[$op_doc:meta])* $op:ident: $row:expr,)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum $name {
            $($(#[$op_doc])* $op,)*
        }

        static $table: &[$info] = &[$($row,)*];

        impl $name {
            /// All operators, in the order of the table.
            pub const ALL: &[$name] = &[$($name::$op,)*];

            /// Returns the operator's row.
            #[inline]
            pub fn info(self) -> &'static $info {
                &$table[self as usize]
            }

            /// Finds the operator of a name in the text form.
            pub fn of_name(name: &str) -> Option<$name> {
                let at = $table.iter().position(|row| row.name == name)?;
                Some($name::ALL[at])
            }
        }
    };
}

operators! {
    /// Unary operators.
    UnOp: UnInfo in UNARY;

    /// Bitwise complement.
    Not: UnInfo::integer("not", |w, a| !a & mask(w), transfer::not),
    /// Number of set bits.
    Popcount: UnInfo::integer("popcount", |_, a| a.count_ones().into(), transfer::popcount),
    /// Number of leading zeros; the width for zero.
    Clz: UnInfo::integer("clz", |w, a| (a.leading_zeros() - (128 - w)).into(), transfer::clz),
    /// Number of trailing zeros; the width for zero.
    Ctz: UnInfo::integer("ctz", |w, a| a.trailing_zeros().min(w).into(), transfer::ctz),
    /// IEEE square root of a float given by its bits.
    FSqrt: UnInfo::float("fsqrt", number::fsqrt, float::sqrt),
    /// Test for NaN. One bit wide.
    FIsNan: UnInfo::float("fisnan", |w, a| number::is_nan(w, a).into(), transfer::fisnan).predicate(),
    /// IEEE rounding to an integral float, to nearest, ties to even.
    FRoundEven: UnInfo::float(
        "fround.even",
        |w, a| number::fround(Rounding::NearestEven, w, a),
        |w, a| float::round(Rounding::NearestEven, w, a)
    ),
    /// IEEE rounding to an integral float, to nearest, ties away from zero.
    FRoundAway: UnInfo::float(
        "fround.away",
        |w, a| number::fround(Rounding::NearestAway, w, a),
        |w, a| float::round(Rounding::NearestAway, w, a)
    ),
    /// IEEE rounding to an integral float, towards zero.
    FRoundZero: UnInfo::float(
        "fround.zero",
        |w, a| number::fround(Rounding::Zero, w, a),
        |w, a| float::round(Rounding::Zero, w, a)
    ),
    /// IEEE rounding to an integral float, towards positive infinity.
    FRoundUp: UnInfo::float(
        "fround.up",
        |w, a| number::fround(Rounding::Up, w, a),
        |w, a| float::round(Rounding::Up, w, a)
    ),
    /// IEEE rounding to an integral float, towards negative infinity.
    FRoundDown: UnInfo::float(
        "fround.down",
        |w, a| number::fround(Rounding::Down, w, a),
        |w, a| float::round(Rounding::Down, w, a)
    ),
}

operators! {
    /// Binary operators, whose operands have one width. Integer comparisons, predicates and float
    /// comparisons are one bit wide.
    BinOp: BinInfo in BINARY;

    /// Sum, modulo two to the width.
    Add: BinInfo::integer("add", |w, a, b| a.wrapping_add(b) & mask(w), transfer::add).commutative(),
    /// Difference, modulo two to the width.
    Sub: BinInfo::integer("sub", |w, a, b| a.wrapping_sub(b) & mask(w), transfer::sub),
    /// Product, modulo two to the width.
    Mul: BinInfo::integer("mul", |w, a, b| a.wrapping_mul(b) & mask(w), transfer::mul).commutative(),
    /// Unsigned quotient. Division by zero gives all ones (SMT-LIB).
    UDiv: BinInfo::integer("udiv", |w, a, b| a.checked_div(b).unwrap_or(mask(w)), transfer::udiv),
    /// Signed quotient. Division by zero gives 1 for negative and all ones for other dividends
    /// (SMT-LIB).
    SDiv: BinInfo::integer("sdiv", number::sdiv, transfer::sdiv),
    /// Unsigned remainder. Remainder by zero gives the dividend (SMT-LIB).
    URem: BinInfo::integer("urem", |_, a, b| a.checked_rem(b).unwrap_or(a), transfer::urem),
    /// Signed remainder with the sign of the dividend; by zero it gives the dividend (SMT-LIB).
    SRem: BinInfo::integer("srem", number::srem, transfer::srem),
    /// Bitwise conjunction.
    And: BinInfo::integer("and", |_, a, b| a & b, transfer::and).commutative(),
    /// Bitwise disjunction.
    Or: BinInfo::integer("or", |_, a, b| a | b, transfer::or).commutative(),
    /// Bitwise exclusive disjunction.
    Xor: BinInfo::integer("xor", |_, a, b| a ^ b, transfer::xor).commutative(),
    /// Left shift. Shifting by the width or more gives 0 (SMT-LIB).
    Shl: BinInfo::integer(
        "shl",
        |w, a, b| if b >= w.into() { 0 } else { a << b & mask(w) },
        transfer::shl
    ),
    /// Right shift with zeros. Shifting by the width or more gives 0 (SMT-LIB).
    LShr: BinInfo::integer(
        "lshr",
        |w, a, b| if b >= w.into() { 0 } else { a >> b },
        transfer::lshr
    ),
    /// Right shift with the sign. Shifting by the width or more gives the sign in each bit
    /// (SMT-LIB).
    AShr: BinInfo::integer(
        "ashr",
        |w, a, b| (sign_extend(a, w) >> b.min(127)) as u128 & mask(w),
        transfer::ashr
    ),
    /// Equality.
    Eq: BinInfo::integer("eq", |_, a, b| (a == b).into(), transfer::eq).commutative().predicate(),
    /// Unsigned less than.
    ULt: BinInfo::integer("ult", |_, a, b| (a < b).into(), transfer::ult).predicate(),
    /// Unsigned less than or equal.
    ULe: BinInfo::integer("ule", |_, a, b| (a <= b).into(), transfer::ule).predicate(),
    /// Signed less than.
    SLt: BinInfo::integer(
        "slt",
        |w, a, b| (sign_extend(a, w) < sign_extend(b, w)).into(),
        transfer::slt
    ).predicate(),
    /// Signed less than or equal.
    SLe: BinInfo::integer(
        "sle",
        |w, a, b| (sign_extend(a, w) <= sign_extend(b, w)).into(),
        transfer::sle
    ).predicate(),
    /// Test for overflow of the unsigned product.
    UMulO: BinInfo::integer(
        "umulo",
        |w, a, b| a.checked_mul(b).is_none_or(|p| p > mask(w)).into(),
        transfer::umulo
    ).commutative().predicate(),
    /// Test for overflow of the signed product.
    SMulO: BinInfo::integer("smulo", number::smulo, transfer::smulo).commutative().predicate(),
    /// IEEE sum, to nearest even.
    FAdd: BinInfo::float("fadd", number::fadd, float::add).commutative(),
    /// IEEE difference, to nearest even.
    FSub: BinInfo::float("fsub", number::fsub, float::sub),
    /// IEEE product, to nearest even.
    FMul: BinInfo::float("fmul", number::fmul, float::mul).commutative(),
    /// IEEE quotient, to nearest even.
    FDiv: BinInfo::float("fdiv", number::fdiv, float::div),
    /// C's `fmod`: sign of the dividend, truncated quotient.
    FRem: BinInfo::float("frem", number::frem, float::rem),
    /// IEEE equality: false with a NaN, true for the two zeros.
    FEq: BinInfo::float("feq", number::feq, transfer::feq).commutative().predicate(),
    /// IEEE less than: false with a NaN.
    FLt: BinInfo::float("flt", number::flt, transfer::flt).predicate(),
    /// IEEE less than or equal: false with a NaN.
    FLe: BinInfo::float("fle", number::fle, transfer::fle).predicate(),
}

impl UnOp {
    /// Reports whether the operand is a float, of 16, 32, 64, 80 or 128 bits.
    pub fn is_float(self) -> bool {
        self.info().is_float
    }

    /// Reports whether the result is one bit wide.
    pub fn is_predicate(self) -> bool {
        self.info().is_predicate
    }

    /// Returns the rounding direction, if the operator rounds to an integral value.
    pub fn rounding(self) -> Option<Rounding> {
        Some(match self {
            UnOp::FRoundEven => Rounding::NearestEven,
            UnOp::FRoundAway => Rounding::NearestAway,
            UnOp::FRoundZero => Rounding::Zero,
            UnOp::FRoundUp => Rounding::Up,
            UnOp::FRoundDown => Rounding::Down,
            _ => return None,
        })
    }
}

impl BinOp {
    /// Reports whether the result is one bit wide.
    pub fn is_predicate(self) -> bool {
        self.info().is_predicate
    }

    /// Reports whether the operands are floats, of 16, 32, 64, 80 or 128 bits.
    pub fn is_float(self) -> bool {
        self.info().is_float
    }

    /// Reports whether the operands may be swapped.
    pub fn is_commutative(self) -> bool {
        self.info().is_commutative
    }
}

/// Direction of rounding to an integral value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Rounding {
    /// Rounding to nearest, ties to even.
    NearestEven,
    /// Rounding to nearest, ties away from zero.
    NearestAway,
    /// Rounding towards zero.
    Zero,
    /// Rounding towards positive infinity.
    Up,
    /// Rounding towards negative infinity.
    Down,
}

/// Conversions between integers and IEEE floats of 16, 32, 64, 80 or 128 bits, all represented by
/// their bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FCast {
    /// Float to signed integer, truncating and saturating; NaN gives 0.
    ToSigned,
    /// Float to unsigned integer, truncating and saturating; NaN gives 0.
    ToUnsigned,
    /// Signed integer to float, to nearest even.
    FromSigned,
    /// Unsigned integer to float, to nearest even.
    FromUnsigned,
    /// Float to float, to nearest even.
    Float,
}

impl FCast {
    /// All conversions, with their names in the text form, where the width of the result follows.
    pub const NAMES: &[(&str, FCast)] = &[
        ("to_signed", FCast::ToSigned),
        ("to_unsigned", FCast::ToUnsigned),
        ("from_signed", FCast::FromSigned),
        ("from_unsigned", FCast::FromUnsigned),
        ("to_float", FCast::Float),
    ];

    /// Returns the conversion's name in the text form of terms.
    pub fn name(self) -> &'static str {
        FCast::NAMES[self as usize].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_tell_operators_apart() {
        let unary = UnOp::ALL.iter().map(|op| op.info().name);
        let binary = BinOp::ALL.iter().map(|op| op.info().name);
        let casts = FCast::NAMES.iter().map(|row| row.0);
        let all: Vec<&str> = unary.chain(binary).chain(casts).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        for op in BinOp::ALL {
            assert_eq!(BinOp::of_name(op.info().name), Some(*op));
        }
        for op in UnOp::ALL {
            assert_eq!(UnOp::of_name(op.info().name), Some(*op));
        }
        for (name, op) in FCast::NAMES {
            assert_eq!(op.name(), *name);
        }
    }
}
