//! Translation of terms to instructions of Cranelift's intermediate language.
//!
//! A term of 1 bit is a byte, and others are words of 32, 64 or 128 bits: the least that holds
//! them. Narrower words would save nothing, as processors compute with 32 bits at least.
//!
//! Invariant: as in evaluation, a value has no bits above its term's width; and an instruction that
//! can trap never does. The meaning of each operator is that of the operator table
//! ([`BinOp`], [`UnOp`]), against which the tests compare it.

use super::plan::Reading;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlags, Type, Value, types};
use cranelift_frontend::FunctionBuilder;
use rustc_hash::FxHashMap;
use symex_terms::eval::sign_extend;
use symex_terms::{Array, BinOp, Expr, Kind, Pool, TermOperand, UnOp, Width, mask};
use symex_types::bits::word_mask;

/// Bits of a word of the processor.
const WORD: Width = 64;

/// Returns the type of a term's value.
pub(super) fn type_of(width: Width) -> Type {
    match width {
        1 => types::I8,
        2..=32 => types::I32,
        33..=64 => types::I64,
        _ => types::I128,
    }
}

/// Translator of the terms of one function.
pub(super) struct Translator<'a, 'f> {
    pool: &'a Pool,
    readings: &'a FxHashMap<Array, Reading>,
    pub builder: FunctionBuilder<'f>,
    /// Values of the terms translated so far. Each is computed before all that is still to come.
    values: FxHashMap<Expr, Value>,
    /// Elements of the tables of constants that the function reads, which outlive it.
    pub tables: FxHashMap<Array, Box<[u8]>>,
}

impl<'a, 'f> Translator<'a, 'f> {
    pub fn new(
        pool: &'a Pool,
        readings: &'a FxHashMap<Array, Reading>,
        builder: FunctionBuilder<'f>,
    ) -> Translator<'a, 'f> {
        Translator {
            pool,
            readings,
            builder,
            values: FxHashMap::default(),
            tables: FxHashMap::default(),
        }
    }

    /// Sets the value of a term, such as an input.
    pub fn set(&mut self, e: Expr, value: Value) {
        self.values.insert(e, value);
    }

    /// Computes a term, which the plan has found to be supported.
    pub fn term(&mut self, root: Expr) -> Value {
        let mut stack = vec![root];
        while let Some(e) = stack.pop() {
            if self.values.contains_key(&e) {
                continue;
            }
            let before = stack.len();
            stack.push(e);
            let mut need = |part: Expr| {
                if !self.values.contains_key(&part) {
                    stack.push(part);
                }
            };
            self.pool.operands(e, |operand| match operand {
                TermOperand::Term(part) => need(part),
                TermOperand::Array(array) => self.readings[&array].terms().for_each(&mut need),
            });
            if stack.len() == before + 1 {
                stack.pop();
                let value = self.operation(e);
                self.values.insert(e, value);
            }
        }
        self.values[&root]
    }

    fn operation(&mut self, e: Expr) -> Value {
        let width = self.pool.width(e);
        match self.pool.kind(e) {
            Kind::Const(v) => self.constant(width, v),
            Kind::Un(op, a) if op.is_float() => {
                self.float_unary(op, self.pool.width(a), self.values[&a])
            }
            Kind::Un(op, a) => self.unary(op, self.pool.width(a), self.values[&a]),
            Kind::Bin(op, a, b) if op.is_float() => {
                let [x, y] = [a, b].map(|part| self.values[&part]);
                self.float_binary(op, self.pool.width(a), x, y)
            }
            Kind::FCast(op, a) => self.float_cast(op, self.pool.width(a), width, self.values[&a]),
            Kind::Bin(op, a, b) => {
                let constant = self.pool.as_const(b);
                let of = self.pool.width(a);
                self.binary(op, of, self.values[&a], self.values[&b], constant)
            }
            Kind::Concat { hi, lo } => {
                let low_width = self.pool.width(lo);
                let hi = self.cast(self.values[&hi], type_of(width));
                let lo = self.cast(self.values[&lo], type_of(width));
                let hi = self.builder.ins().ishl_imm(hi, i64::from(low_width));
                self.builder.ins().bor(hi, lo)
            }
            Kind::Extract { of, lo } => {
                let value = match lo {
                    0 => self.values[&of],
                    _ => {
                        let by = i64::from(lo);
                        self.builder.ins().ushr_imm(self.values[&of], by)
                    }
                };
                let value = self.cast(value, type_of(width));
                match lo + width == self.pool.width(of) {
                    true => value,
                    false => self.truncated(value, width),
                }
            }
            Kind::ZExt(a) => self.cast(self.values[&a], type_of(width)),
            Kind::SExt(a) => {
                let value = self.signed(self.values[&a], self.pool.width(a));
                let value = self.cast_signed(value, type_of(width));
                self.truncated(value, width)
            }
            Kind::Ite { cond, then, other } => {
                let [cond, then, other] = [cond, then, other].map(|part| self.values[&part]);
                self.builder.ins().select(cond, then, other)
            }
            Kind::Select { array, index } => self.read(&self.readings[&array], index, width),
            other => unreachable!("the plan has let {other:?} through"),
        }
    }

    pub fn constant(&mut self, width: Width, value: u128) -> Value {
        match type_of(width) {
            types::I128 => {
                let low = self.builder.ins().iconst(types::I64, value as i64);
                let high = self.builder.ins().iconst(types::I64, (value >> 64) as i64);
                self.builder.ins().iconcat(low, high)
            }
            word => self.builder.ins().iconst(word, value as i64),
        }
    }

    /// Widens a value with zeros, or cuts it off.
    pub fn cast(&mut self, value: Value, to: Type) -> Value {
        let from = self.builder.func.dfg.value_type(value);
        match from.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Less => self.builder.ins().uextend(to, value),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.builder.ins().ireduce(to, value),
        }
    }

    /// Widens a value with its sign.
    pub fn cast_signed(&mut self, value: Value, to: Type) -> Value {
        match self.builder.func.dfg.value_type(value) == to {
            true => value,
            false => self.builder.ins().sextend(to, value),
        }
    }

    /// Returns the number of bits of a value above its width.
    fn spare(&self, value: Value, width: Width) -> i64 {
        i64::from(self.builder.func.dfg.value_type(value).bits() - width)
    }

    /// Clears the bits above the width.
    pub fn truncated(&mut self, value: Value, width: Width) -> Value {
        if self.spare(value, width) == 0 {
            return value;
        }
        let bits = self.constant(width, mask(width));
        self.builder.ins().band(value, bits)
    }

    /// Spreads the sign bit over the bits above the width.
    pub fn signed(&mut self, value: Value, width: Width) -> Value {
        match self.spare(value, width) {
            0 => value,
            spare => {
                let value = self.builder.ins().ishl_imm(value, spare);
                self.builder.ins().sshr_imm(value, spare)
            }
        }
    }

    fn unary(&mut self, op: UnOp, width: Width, a: Value) -> Value {
        let spare = self.spare(a, width);
        match op {
            UnOp::Not => {
                let bits = self.constant(width, mask(width));
                self.builder.ins().bxor(a, bits)
            }
            UnOp::Popcount => self.builder.ins().popcnt(a),
            UnOp::Clz => {
                let zeros = self.builder.ins().clz(a);
                self.builder.ins().iadd_imm(zeros, -spare)
            }
            UnOp::Ctz if spare == 0 => self.builder.ins().ctz(a),
            UnOp::Ctz => {
                let end = self.builder.ins().bor_imm(a, 1 << width);
                self.builder.ins().ctz(end)
            }
            _ => unreachable!("the plan has let {op:?} through"),
        }
    }

    /// Computes a binary operator on operands of a width, the second of which may be known.
    fn binary(
        &mut self,
        op: BinOp,
        width: Width,
        a: Value,
        b: Value,
        constant: Option<u128>,
    ) -> Value {
        match op {
            BinOp::Add => {
                let sum = self.builder.ins().iadd(a, b);
                self.truncated(sum, width)
            }
            BinOp::Sub => {
                let difference = self.builder.ins().isub(a, b);
                self.truncated(difference, width)
            }
            BinOp::Mul => {
                let product = self.builder.ins().imul(a, b);
                self.truncated(product, width)
            }
            BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem if width == 1 => {
                // There is no division of bytes everywhere.
                let [a, b] = [a, b].map(|v| self.cast(v, types::I32));
                let done = self.division(op, width, a, b, constant);
                self.cast(done, types::I8)
            }
            BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem => {
                self.division(op, width, a, b, constant)
            }
            BinOp::And => self.builder.ins().band(a, b),
            BinOp::Or => self.builder.ins().bor(a, b),
            BinOp::Xor => self.builder.ins().bxor(a, b),
            BinOp::Shl | BinOp::LShr | BinOp::AShr => self.shift(op, width, a, b, constant),
            BinOp::Eq => self.builder.ins().icmp(IntCC::Equal, a, b),
            BinOp::ULt => self.builder.ins().icmp(IntCC::UnsignedLessThan, a, b),
            BinOp::ULe => self
                .builder
                .ins()
                .icmp(IntCC::UnsignedLessThanOrEqual, a, b),
            BinOp::SLt | BinOp::SLe => {
                let order = match op {
                    BinOp::SLt => IntCC::SignedLessThan,
                    _ => IntCC::SignedLessThanOrEqual,
                };
                let spare = self.spare(a, width);
                let [a, b] = [a, b].map(|v| match spare {
                    0 => v,
                    _ => self.builder.ins().ishl_imm(v, spare),
                });
                self.builder.ins().icmp(order, a, b)
            }
            BinOp::UMulO => self.unsigned_overflow(width, a, b),
            BinOp::SMulO => self.signed_overflow(width, a, b),
            _ => unreachable!("the plan has let {op:?} through"),
        }
    }

    fn shift(
        &mut self,
        op: BinOp,
        width: Width,
        a: Value,
        b: Value,
        constant: Option<u128>,
    ) -> Value {
        let a = match op {
            BinOp::AShr => self.signed(a, width),
            _ => a,
        };
        let shifted = |this: &mut Self, by: Value| {
            let ins = this.builder.ins();
            let value = match op {
                BinOp::Shl => ins.ishl(a, by),
                BinOp::LShr => return ins.ushr(a, by),
                _ => ins.sshr(a, by),
            };
            this.truncated(value, width)
        };
        let last = u128::from(width - 1);
        match constant {
            Some(by) if by > last && op != BinOp::AShr => self.constant(width, 0),
            Some(by) => {
                let by = self.builder.ins().iconst(types::I32, by.min(last) as i64);
                shifted(self, by)
            }
            None => {
                let most = self.constant(width, last);
                let fits = self
                    .builder
                    .ins()
                    .icmp(IntCC::UnsignedLessThanOrEqual, b, most);
                let by = match width > WORD {
                    true => self.cast(b, types::I64),
                    false => b,
                };
                let most = self.constant(width.min(WORD), last);
                let by = self.builder.ins().select(fits, by, most);
                let value = shifted(self, by);
                if op == BinOp::AShr {
                    return value;
                }
                let zero = self.constant(width, 0);
                self.builder.ins().select(fits, value, zero)
            }
        }
    }

    /// Computes a quotient or remainder. Those by constants become multiplications in Cranelift.
    fn division(
        &mut self,
        op: BinOp,
        width: Width,
        a: Value,
        b: Value,
        constant: Option<u128>,
    ) -> Value {
        let word = self.builder.func.dfg.value_type(a);
        let is_signed = matches!(op, BinOp::SDiv | BinOp::SRem);
        let is_quotient = matches!(op, BinOp::UDiv | BinOp::SDiv);
        let (x, y) = match is_signed {
            true => (self.signed(a, width), self.signed(b, width)),
            false => (a, b),
        };
        let all = self.builder.ins().iconst(word, word_mask(width) as i64);
        // What division by zero gives.
        let by_zero = |this: &mut Self| match op {
            BinOp::UDiv => all,
            BinOp::SDiv => {
                let one = this.builder.ins().iconst(word, 1);
                let is_negative = this.builder.ins().icmp_imm(IntCC::SignedLessThan, x, 0);
                this.builder.ins().select(is_negative, one, all)
            }
            _ => a,
        };
        let divided = |this: &mut Self, y: Value| {
            let ins = this.builder.ins();
            match op {
                BinOp::UDiv => ins.udiv(x, y),
                BinOp::URem => ins.urem(x, y),
                BinOp::SDiv => ins.sdiv(x, y),
                _ => ins.srem(x, y),
            }
        };
        let known = constant.map(|v| match is_signed {
            true => sign_extend(v, width) as i64,
            false => v as u64 as i64,
        });
        let value = match known {
            Some(0) => by_zero(self),
            Some(-1) if is_signed && is_quotient => self.builder.ins().ineg(x),
            Some(-1) if is_signed => self.builder.ins().iconst(word, 0),
            Some(y) => {
                let y = self
                    .builder
                    .ins()
                    .iconst(word, y & word_mask(word.bits()) as i64);
                divided(self, y)
            }
            None => {
                // The hardware divides neither by zero nor the least number by minus one.
                let one = self.builder.ins().iconst(word, 1);
                let is_zero = self.builder.ins().icmp_imm(IntCC::Equal, y, 0);
                let mut safe = self.builder.ins().select(is_zero, one, y);
                let is_minus_one = is_signed.then(|| {
                    let is_it = self.builder.ins().icmp_imm(IntCC::Equal, y, -1);
                    safe = self.builder.ins().select(is_it, one, safe);
                    is_it
                });
                let mut value = divided(self, safe);
                if let Some(is_it) = is_minus_one
                    && is_quotient
                {
                    let negative = self.builder.ins().ineg(x);
                    value = self.builder.ins().select(is_it, negative, value);
                }
                let otherwise = by_zero(self);
                self.builder.ins().select(is_zero, otherwise, value)
            }
        };
        match is_signed {
            true if self.spare(value, width) > 0 => self.builder.ins().band(value, all),
            _ => value,
        }
    }

    fn unsigned_overflow(&mut self, width: Width, a: Value, b: Value) -> Value {
        if width <= 32 {
            let [a, b] = [a, b].map(|v| self.cast(v, types::I64));
            let product = self.builder.ins().imul(a, b);
            let above = self.builder.ins().ushr_imm(product, i64::from(width));
            return self.builder.ins().icmp_imm(IntCC::NotEqual, above, 0);
        }
        let mut above = self.builder.ins().umulhi(a, b);
        if width < 64 {
            let low = self.builder.ins().imul(a, b);
            let rest = self.builder.ins().ushr_imm(low, i64::from(width));
            above = self.builder.ins().bor(above, rest);
        }
        self.builder.ins().icmp_imm(IntCC::NotEqual, above, 0)
    }

    fn signed_overflow(&mut self, width: Width, a: Value, b: Value) -> Value {
        let [a, b] = [a, b].map(|v| self.signed(v, width));
        let [a, b] = [a, b].map(|v| self.cast_signed(v, types::I64));
        let product = self.builder.ins().imul(a, b);
        let fitting = self.signed(product, width);
        let differs = self.builder.ins().icmp(IntCC::NotEqual, fitting, product);
        if width <= 32 {
            return differs;
        }
        let above = self.builder.ins().smulhi(a, b);
        let sign = self.builder.ins().sshr_imm(product, 63);
        let is_long = self.builder.ins().icmp(IntCC::NotEqual, above, sign);
        self.builder.ins().bor(differs, is_long)
    }

    /// Reads an array: the table below it, and then its stores, the oldest first.
    fn read(&mut self, reading: &Reading, index: Expr, width: Width) -> Value {
        let most = self.pool.facts(index).max;
        let at = self.values[&index];
        let index_type = self.builder.func.dfg.value_type(at);
        let mut value = self.constant(width, 0);
        if reading.constants.iter().any(|v| *v != 0) {
            value = self.element(reading, at, self.pool.width(index), value);
        }
        for (place, element) in &reading.elements {
            if u128::from(*place) > most {
                continue;
            }
            let place = self.builder.ins().iconst(index_type, i64::from(*place));
            let is_it = self.builder.ins().icmp(IntCC::Equal, at, place);
            let element = self.values[element];
            value = self.builder.ins().select(is_it, element, value);
        }
        for (place, stored) in &reading.stores {
            let [place, stored] = [place, stored].map(|part| self.values[part]);
            let is_it = self.builder.ins().icmp(IntCC::Equal, at, place);
            value = self.builder.ins().select(is_it, stored, value);
        }
        value
    }

    /// Reads a table of constants at an index of so many bits; past its end it is `zero`. What is
    /// known of the index besides is not relied upon, since the code would read outside the table
    /// where it does not hold.
    fn element(&mut self, reading: &Reading, at: Value, bits: Width, zero: Value) -> Value {
        let word = self.builder.func.dfg.value_type(zero);
        let at = self.cast(at, types::I64);
        let len = reading.constants.len() as u64;
        let is_short = bits < 64 && 1 << bits <= len;
        let inside = (!is_short).then(|| {
            let ins = self.builder.ins();
            ins.icmp_imm(IntCC::UnsignedLessThan, at, len as i64)
        });
        let at = match inside {
            Some(inside) => {
                let first = self.builder.ins().iconst(types::I64, 0);
                self.builder.ins().select(inside, at, first)
            }
            None => at,
        };
        let size = i64::from(word.bytes());
        let table = self.tables.entry(reading.table).or_insert_with(|| {
            let all = reading.constants.iter();
            match word {
                types::I8 => all.map(|v| *v as u8).collect(),
                types::I32 => all.flat_map(|v| (*v as u32).to_ne_bytes()).collect(),
                _ => all.flat_map(|v| v.to_ne_bytes()).collect(),
            }
        });
        let start = self.builder.ins().iconst(types::I64, table.as_ptr() as i64);
        let offset = self.builder.ins().imul_imm(at, size);
        let place = self.builder.ins().iadd(start, offset);
        let flags = MemFlags::new()
            .with_notrap()
            .with_readonly()
            .with_can_move();
        let value = self.builder.ins().load(word, flags, place, 0);
        match inside {
            Some(inside) => self.builder.ins().select(inside, value, zero),
            None => value,
        }
    }
}
