//! Translation of operators of floats of 32 and 64 bits.
//!
//! The processor computes as the term evaluator does, which uses it, too; but for NaNs, of which
//! each operator gives the canonical one.

use super::translate::{Translator, type_of};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, MemFlags, Type, Value, types};
use symex_terms::{BinOp, FCast, UnOp, Width, mask};
use symex_types::bits::word_mask;

/// Greatest width of an integer that is converted.
const WORD: Width = 64;

/// Returns the type of a float; `None` if it is not supported.
fn float_type(width: Width) -> Option<Type> {
    match width {
        32 => Some(types::F32),
        64 => Some(types::F64),
        _ => None,
    }
}

/// Returns the number of operations of a unary operator; `None` if it is not supported.
pub(super) fn unary_cost(op: UnOp, width: Width) -> Option<u64> {
    float_type(width)?;
    match op {
        UnOp::FSqrt => Some(15),
        UnOp::FIsNan => Some(2),
        UnOp::FRoundEven | UnOp::FRoundZero | UnOp::FRoundUp | UnOp::FRoundDown => Some(6),
        _ => None,
    }
}

/// Returns the number of operations of a binary operator; `None` if it is not supported.
pub(super) fn binary_cost(op: BinOp, width: Width) -> Option<u64> {
    float_type(width)?;
    match op {
        BinOp::FAdd | BinOp::FSub | BinOp::FMul => Some(5),
        BinOp::FDiv => Some(12),
        BinOp::FEq | BinOp::FLt | BinOp::FLe => Some(3),
        _ => None,
    }
}

/// Returns the number of operations of a conversion; `None` if it is not supported.
pub(super) fn cast_cost(op: FCast, from: Width, to: Width) -> Option<u64> {
    let (float, other) = match op {
        FCast::ToSigned | FCast::ToUnsigned => (from, to <= WORD),
        FCast::FromSigned | FCast::FromUnsigned => (to, from <= WORD),
        FCast::Float => (from, float_type(to).is_some()),
    };
    float_type(float)?;
    other.then_some(8)
}

impl Translator<'_, '_> {
    /// Takes a word for the bits of a float.
    fn float(&mut self, value: Value, width: Width) -> Value {
        let to = float_type(width).expect("a float that is supported");
        self.builder.ins().bitcast(to, MemFlags::new(), value)
    }

    /// Returns the bits of a float, and for a NaN those of the canonical one.
    fn bits(&mut self, value: Value, width: Width) -> Value {
        let word = type_of(width);
        let bits = self.builder.ins().bitcast(word, MemFlags::new(), value);
        let nan = self.constant(width, symex_terms::eval::canonical_nan(width));
        let is_nan = self.builder.ins().fcmp(FloatCC::Unordered, value, value);
        self.builder.ins().select(is_nan, nan, bits)
    }

    pub fn float_unary(&mut self, op: UnOp, width: Width, a: Value) -> Value {
        let a = self.float(a, width);
        let made = match op {
            UnOp::FIsNan => return self.builder.ins().fcmp(FloatCC::Unordered, a, a),
            UnOp::FSqrt => self.builder.ins().sqrt(a),
            UnOp::FRoundEven => self.builder.ins().nearest(a),
            UnOp::FRoundZero => self.builder.ins().trunc(a),
            UnOp::FRoundUp => self.builder.ins().ceil(a),
            UnOp::FRoundDown => self.builder.ins().floor(a),
            _ => unreachable!("the plan has let {op:?} through"),
        };
        self.bits(made, width)
    }

    pub fn float_binary(&mut self, op: BinOp, width: Width, a: Value, b: Value) -> Value {
        let [a, b] = [a, b].map(|v| self.float(v, width));
        let ins = self.builder.ins();
        let made = match op {
            BinOp::FEq => return ins.fcmp(FloatCC::Equal, a, b),
            BinOp::FLt => return ins.fcmp(FloatCC::LessThan, a, b),
            BinOp::FLe => return ins.fcmp(FloatCC::LessThanOrEqual, a, b),
            BinOp::FAdd => ins.fadd(a, b),
            BinOp::FSub => ins.fsub(a, b),
            BinOp::FMul => ins.fmul(a, b),
            BinOp::FDiv => ins.fdiv(a, b),
            _ => unreachable!("the plan has let {op:?} through"),
        };
        self.bits(made, width)
    }

    pub fn float_cast(&mut self, op: FCast, from: Width, to: Width, a: Value) -> Value {
        match op {
            FCast::FromSigned => {
                let float = float_type(to).expect("a float that is supported");
                let value = self.signed(a, from);
                let value = self.cast_signed(value, types::I64);
                let made = self.builder.ins().fcvt_from_sint(float, value);
                self.bits(made, to)
            }
            FCast::FromUnsigned => {
                let float = float_type(to).expect("a float that is supported");
                let value = self.cast(a, types::I64);
                let made = self.builder.ins().fcvt_from_uint(float, value);
                self.bits(made, to)
            }
            FCast::Float => {
                let value = self.float(a, from);
                let made = match (from, to) {
                    (32, 64) => self.builder.ins().fpromote(types::F64, value),
                    (64, 32) => self.builder.ins().fdemote(types::F32, value),
                    _ => value,
                };
                self.bits(made, to)
            }
            FCast::ToUnsigned => {
                let value = self.float(a, from);
                let made = self.builder.ins().fcvt_to_uint_sat(types::I64, value);
                let most = self.constant(WORD, mask(to));
                let made = self.least(IntCC::UnsignedLessThan, made, most);
                self.cast(made, type_of(to))
            }
            FCast::ToSigned => {
                let value = self.float(a, from);
                let made = self.builder.ins().fcvt_to_sint_sat(types::I64, value);
                let most = (word_mask(to) >> 1) as i64;
                let [least, most] = [!most, most].map(|v| self.constant(WORD, v as u64 as u128));
                let made = self.least(IntCC::SignedLessThan, made, most);
                let made = self.least(IntCC::SignedGreaterThan, made, least);
                let made = self.cast(made, type_of(to));
                self.truncated(made, to)
            }
        }
    }

    /// Returns the first of two numbers in an order.
    fn least(&mut self, order: IntCC, a: Value, b: Value) -> Value {
        let is_first = self.builder.ins().icmp(order, a, b);
        self.builder.ins().select(is_first, a, b)
    }
}
