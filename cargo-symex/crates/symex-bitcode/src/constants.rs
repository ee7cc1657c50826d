//! Folding of scalar constants to a number, an address, or a difference of addresses.
//!
//! Shared by code and initial contents. Constant expressions outside these forms fold to `None`;
//! code computes them when it runs. Aliases count as their targets.

use super::ll::{B, DataLayout, Opcode, TypeKind, V, ValueKind};
use rustc_hash::FxHashMap;
use symex_program::{FuncId, GlobalId, RelocTarget};
use symex_types::bits::{mask, sign_extend};

/// A folded scalar constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KnownConstant {
    /// An integer, zero above the width.
    Int(u128, u32),
    Address(RelocTarget, u64),
    /// Difference of addresses: `plus - minus + offset`, truncated to the width.
    Difference {
        width: u32,
        plus: RelocTarget,
        minus: RelocTarget,
        offset: u64,
    },
    Undef,
}

/// The module's symbols and layout, as needed for folding.
pub struct Symbols {
    pub layout: DataLayout,
    pub globals: FxHashMap<V, GlobalId>,
    pub functions: FxHashMap<V, FuncId>,
    /// Numbers of the blocks of functions whose blocks have their address taken.
    pub blocks: FxHashMap<V, FxHashMap<B, u32>>,
}

impl Symbols {
    /// Folds a constant scalar of at most 128 bits.
    pub fn fold(&self, v: V) -> Option<KnownConstant> {
        match v.kind() {
            ValueKind::ConstantInt => {
                let width = v.ty().int_bits();
                match width {
                    0..=64 => Some(KnownConstant::Int(u128::from(v.int_low()), width)),
                    65..=128 => {
                        let parts = wide_parts(v, width)?;
                        Some(KnownConstant::Int(
                            u128::from(parts[0]) | u128::from(parts[1]) << 64,
                            width,
                        ))
                    }
                    _ => None,
                }
            }
            ValueKind::ConstantFP => {
                let width = self.layout.bits(v.ty()) as u32;
                let bits = v.const_bitcast(v.ty().int_type(width));
                match bits.kind() {
                    ValueKind::ConstantInt => self.fold(bits),
                    _ => None,
                }
            }
            ValueKind::ConstantPointerNull => Some(KnownConstant::Int(0, 64)),
            ValueKind::Undef | ValueKind::Poison => Some(KnownConstant::Undef),
            ValueKind::GlobalVariable => {
                let id = *self.globals.get(&v)?;
                Some(KnownConstant::Address(RelocTarget::Global(id), 0))
            }
            ValueKind::Function => {
                let id = *self.functions.get(&v)?;
                Some(KnownConstant::Address(RelocTarget::Function(id), 0))
            }
            ValueKind::GlobalAlias => self.fold(v.aliasee()),
            ValueKind::BlockAddress => {
                let (function, block) = v.block_address();
                let id = *self.functions.get(&function)?;
                // A block that nothing reaches is dropped; LLVM gives such an address the value 1.
                Some(
                    match self.blocks.get(&function).and_then(|b| b.get(&block)) {
                        Some(&n) => KnownConstant::Address(RelocTarget::Block(id, n), 0),
                        None => KnownConstant::Int(1, 64),
                    },
                )
            }
            ValueKind::ConstantExpr => self.expression(v),
            _ => None,
        }
    }

    fn expression(&self, v: V) -> Option<KnownConstant> {
        let width = || match v.ty().kind() {
            TypeKind::Integer => Some(v.ty().int_bits()),
            TypeKind::Pointer => Some(64),
            _ => None,
        };
        match v.opcode() {
            Opcode::GetElementPtr => {
                if !matches!(v.ty().kind(), TypeKind::Pointer) {
                    return None;
                }
                let base = self.fold(v.operand(0))?;
                let mut offset = 0u64;
                let steps = gep_steps(v, self.layout, |index| match self.fold(index) {
                    Some(KnownConstant::Int(n, w)) => Some(sign_extend(n, w) as i64),
                    _ => None,
                })?;
                for step in steps {
                    match step {
                        GepStep::Bytes(n) => offset = offset.wrapping_add(n as u64),
                        GepStep::Index(..) => return None,
                    }
                }
                add(base, offset)
            }
            Opcode::PtrToInt | Opcode::PtrToAddr | Opcode::Trunc => {
                cut(self.fold(v.operand(0))?, width()?)
            }
            Opcode::IntToPtr => match self.fold(v.operand(0))? {
                KnownConstant::Int(n, _) => Some(KnownConstant::Int(n & mask(64), 64)),
                KnownConstant::Address(t, n) => Some(KnownConstant::Address(t, n)),
                KnownConstant::Difference { .. } | KnownConstant::Undef => None,
            },
            Opcode::BitCast | Opcode::AddrSpaceCast => {
                width()?;
                self.fold(v.operand(0))
            }
            Opcode::Add => {
                let (a, b) = (self.fold(v.operand(0))?, self.fold(v.operand(1))?);
                match (a, b) {
                    (KnownConstant::Int(x, w), KnownConstant::Int(y, _)) => {
                        Some(KnownConstant::Int(x.wrapping_add(y) & mask(w), w))
                    }
                    (KnownConstant::Int(n, w), other) | (other, KnownConstant::Int(n, w)) => {
                        add(other, sign_extend(n, w) as u64)
                    }
                    _ => None,
                }
            }
            Opcode::Sub => {
                let (a, b) = (self.fold(v.operand(0))?, self.fold(v.operand(1))?);
                match (a, b) {
                    (KnownConstant::Int(x, w), KnownConstant::Int(y, _)) => {
                        Some(KnownConstant::Int(x.wrapping_sub(y) & mask(w), w))
                    }
                    (a, KnownConstant::Int(n, w)) => {
                        add(a, (sign_extend(n, w) as u64).wrapping_neg())
                    }
                    (KnownConstant::Address(p, x), KnownConstant::Address(m, y)) if p == m => {
                        Some(KnownConstant::Int(u128::from(x.wrapping_sub(y)), 64))
                    }
                    (KnownConstant::Address(plus, x), KnownConstant::Address(minus, y)) => {
                        Some(KnownConstant::Difference {
                            width: 64,
                            plus,
                            minus,
                            offset: x.wrapping_sub(y),
                        })
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn add(base: KnownConstant, n: u64) -> Option<KnownConstant> {
    match base {
        KnownConstant::Int(x, w) => Some(KnownConstant::Int(
            x.wrapping_add(u128::from(n)) & mask(w),
            w,
        )),
        KnownConstant::Address(t, x) => Some(KnownConstant::Address(t, x.wrapping_add(n))),
        KnownConstant::Difference {
            width,
            plus,
            minus,
            offset,
        } => Some(KnownConstant::Difference {
            width,
            plus,
            minus,
            offset: offset.wrapping_add(n),
        }),
        KnownConstant::Undef => Some(KnownConstant::Undef),
    }
}

fn cut(value: KnownConstant, to: u32) -> Option<KnownConstant> {
    match value {
        KnownConstant::Int(n, _) => Some(KnownConstant::Int(n & mask(to), to)),
        KnownConstant::Address(..) if to == 64 => Some(value),
        KnownConstant::Address(..) => None,
        KnownConstant::Difference {
            plus,
            minus,
            offset,
            ..
        } => Some(KnownConstant::Difference {
            width: to,
            plus,
            minus,
            offset,
        }),
        KnownConstant::Undef => Some(KnownConstant::Undef),
    }
}

/// A step of an address computation.
pub enum GepStep {
    Bytes(i64),
    /// Index (operand number of the `getelementptr`) times bytes.
    Index(u32, u64),
}

/// Returns the steps of a scalar `getelementptr`; `known` returns the value of a constant index.
/// `None` if a struct's field is not a constant or an index does not fit 64 bits.
pub fn gep_steps(
    v: V,
    layout: DataLayout,
    known: impl Fn(V) -> Option<i64>,
) -> Option<Vec<GepStep>> {
    let mut steps = Vec::new();
    let mut at = v.gep_source();
    for i in 1..v.operand_count() {
        let index = v.operand(i);
        if i > 1 {
            if matches!(at.kind(), TypeKind::Struct) {
                let field = field_index(index)?;
                steps.push(GepStep::Bytes(layout.offset(at, field) as i64));
                at = at.field(field);
                continue;
            }
            at = at.element();
        }
        let scale = layout.size(at);
        match known(index) {
            Some(n) => steps.push(GepStep::Bytes(n.wrapping_mul(scale as i64))),
            None => steps.push(GepStep::Index(i, scale)),
        }
    }
    Some(steps)
}

/// Returns the number of a struct's field; in vectors of pointers it is a splat.
fn field_index(index: V) -> Option<u32> {
    let index = match index.ty().kind() {
        TypeKind::Vector => index.aggregate_element(0)?,
        _ => index,
    };
    match index.kind() {
        ValueKind::ConstantInt => Some(index.int_low() as u32),
        _ => None,
    }
}

/// Returns a constant integer of any width in parts of 64 bits, lowest first. LLVM's C interface
/// only gives the lowest, so the rest is read from its text.
pub fn wide_parts(v: V, width: u32) -> Option<Vec<u64>> {
    let text = v.print();
    let digits = text.rsplit(' ').next()?;
    parse_wide(digits, width)
}

fn parse_wide(digits: &str, width: u32) -> Option<Vec<u64>> {
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, digits),
    };
    let mut parts = vec![0u64; width.div_ceil(64) as usize];
    for c in digits.chars() {
        let mut carry = u128::from(c.to_digit(10)?);
        for p in &mut parts {
            let n = u128::from(*p) * 10 + carry;
            *p = n as u64;
            carry = n >> 64;
        }
    }
    if negative {
        let mut carry = true;
        for p in &mut parts {
            (*p, carry) = (!*p).overflowing_add(u64::from(carry));
        }
    }
    if !width.is_multiple_of(64) {
        let last = parts.len() - 1;
        parts[last] &= mask(width % 64) as u64;
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_numbers_are_read_in_two_complement() {
        assert_eq!(parse_wide("-1", 100), Some(vec![u64::MAX, (1 << 36) - 1]));
        assert_eq!(parse_wide("36893488147419103233", 128), Some(vec![1, 2]));
        assert_eq!(
            parse_wide("-18446744073709551616", 128),
            Some(vec![0, u64::MAX])
        );
        assert_eq!(parse_wide("x", 128), None);
    }

    #[test]
    fn signs_are_extended() {
        assert_eq!(sign_extend(0xff, 8), -1);
        assert_eq!(sign_extend(0x7f, 8), 127);
        assert_eq!(sign_extend(u128::MAX, 128), -1);
    }
}
