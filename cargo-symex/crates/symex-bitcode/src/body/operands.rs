//! Operands of values: bound values, and constants.
//!
//! A constant that has no place in the program's table of constants (a difference of addresses, an
//! address cut to fewer bits) is computed where it is used.

use super::super::constants::{KnownConstant, wide_parts};
use super::super::ll::{V, ValueKind};
use super::super::types::{Shape, Type};
use super::{Builder, Ops, Reason};
use std::rc::Rc;
use symex_program::{Bin, Cast, Constant, Inst, Operand, RelocTarget, Slot};
use symex_types::bits::mask;

impl Builder<'_> {
    pub(super) fn type_of(&mut self, v: V) -> Result<Rc<Type>, Reason> {
        self.translation.types.get(v.ty())
    }

    /// Returns the operands of a value, one per leaf.
    pub(super) fn ops(&mut self, v: V) -> Result<Ops, Reason> {
        if let Some(&(start, len)) = self.values.get(&v) {
            return Ok(Ops::from_slice(
                &self.pool[start as usize..(start + len) as usize],
            ));
        }
        match v.kind() {
            ValueKind::Instruction | ValueKind::Argument => {
                // Defined in code that was dropped: nothing that reads it is ever reached.
                let n = self.type_of(v)?.leaves.len() as u32;
                let slots = self.new_slots(n);
                self.bind(v, &slots);
                Ok(slots)
            }
            ValueKind::MetadataAsValue | ValueKind::BasicBlock => Ok(Ops::new()),
            _ => self.constant_ops(v),
        }
    }

    /// Returns the operand of a value of one leaf.
    pub(super) fn op(&mut self, v: V) -> Result<Operand, Reason> {
        let ops = self.ops(v)?;
        match ops.as_slice() {
            [one] => Ok(*one),
            _ => Err(match self.type_of(v)?.shape {
                Shape::Scalar(s) => s.width().err().unwrap_or_default(),
                _ => "an aggregate where a scalar is expected".to_owned(),
            }),
        }
    }

    fn constant_ops(&mut self, v: V) -> Result<Ops, Reason> {
        let ty = self.type_of(v)?;
        let n = ty.leaves.len();
        match v.kind() {
            ValueKind::Undef | ValueKind::Poison => {
                let undef = self.constant(Constant::Undef);
                return Ok(Ops::from_elem(undef, n));
            }
            ValueKind::ConstantAggregateZero => {
                return Ok(ty.leaves.iter().map(|l| self.int(0, l.width)).collect());
            }
            _ => {}
        }
        match &ty.shape {
            Shape::Void => Ok(Ops::new()),
            Shape::Scalar(s) if n > 1 => {
                let parts = match v.kind() {
                    ValueKind::ConstantInt => wide_parts(v, s.bits()),
                    _ => None,
                };
                let parts = parts.ok_or("a constant of over 128 bits that cannot be read")?;
                Ok(parts
                    .iter()
                    .zip(&ty.leaves)
                    .map(|(&p, l)| self.int(u128::from(p), l.width))
                    .collect())
            }
            Shape::Scalar(_) => match self.translation.symbols.fold(v) {
                Some(known) => Ok(Ops::from_elem(self.known(known), 1)),
                None if matches!(v.kind(), ValueKind::ConstantExpr) => self.value(v),
                None => Err(describe(v)),
            },
            Shape::Vector(..) | Shape::Aggregate(_)
                if matches!(v.kind(), ValueKind::ConstantExpr) =>
            {
                self.value(v)
            }
            Shape::Vector(_, lanes) => {
                let lanes = *lanes;
                self.elements(v, lanes)
            }
            Shape::Aggregate(fields) => self.elements(v, fields.len() as u32),
        }
    }

    fn elements(&mut self, v: V, n: u32) -> Result<Ops, Reason> {
        let mut all = Ops::new();
        for i in 0..n {
            let element = v.aggregate_element(i).ok_or_else(|| describe(v))?;
            all.extend(self.ops(element)?);
        }
        Ok(all)
    }

    /// Returns an operand for a folded constant; emits code where the table has no form for it.
    fn known(&mut self, known: KnownConstant) -> Operand {
        match known {
            KnownConstant::Int(n, width) => self.int(n, width),
            KnownConstant::Undef => self.constant(Constant::Undef),
            KnownConstant::Address(target, offset) => self.address(target, offset),
            KnownConstant::Difference {
                width,
                plus,
                minus,
                offset,
            } => {
                let a = self.address(plus, offset);
                let b = self.address(minus, 0);
                let difference = self.bin(Bin::Sub, 64, a, b);
                self.resize(difference, 64, width as u8, false)
            }
        }
    }

    fn address(&mut self, target: RelocTarget, offset: u64) -> Operand {
        let base = match target {
            // Older front ends mention the variable itself, newer ones by an intrinsic.
            RelocTarget::Global(g) if self.translation.program.global(g).thread_local => {
                let a = self.constant(Constant::Global(g, 0));
                let dst = self.new_slot();
                self.emit(Inst::ThreadLocal { dst, a });
                Operand::slot(dst)
            }
            RelocTarget::Global(g) => return self.constant(Constant::Global(g, offset)),
            RelocTarget::Function(f) => self.constant(Constant::Function(f)),
            RelocTarget::Block(f, b) => self.constant(Constant::Block(f, b)),
        };
        self.offset(base, offset as i64)
    }

    /// Returns a pointer some bytes further.
    pub(super) fn offset(&mut self, base: Operand, bytes: i64) -> Operand {
        if bytes == 0 {
            return base;
        }
        if let Err(index) = base.decode()
            && let Constant::Global(g, at) = self.body.constants[index as usize]
        {
            return self.constant(Constant::Global(g, at.wrapping_add(bytes as u64)));
        }
        let index = self.int(bytes as u64 as u128, 64);
        let dst = self.new_slot();
        self.emit(Inst::PtrAdd {
            w: 64,
            dst,
            base,
            index,
            scale: 1,
        });
        Operand::slot(dst)
    }

    /// Returns an entry of the function's constants, adding it if necessary.
    pub(super) fn constant(&mut self, c: Constant) -> Operand {
        let all = &mut self.body.constants;
        let index = *self.constants.entry(c).or_insert_with_key(|c| {
            all.push(c.clone());
            all.len() as u32 - 1
        });
        Operand::constant(index)
    }

    /// Returns the operand of a number.
    pub(super) fn int(&mut self, n: u128, width: u32) -> Operand {
        let n = n & mask(width);
        self.constant(if width <= 64 {
            Constant::Int(n as u64)
        } else {
            Constant::Wide(n, width)
        })
    }

    /// Returns the value of an operand that is a number.
    pub(super) fn known_int(&self, a: Operand) -> Option<u128> {
        match self.body.constants[a.decode().err()? as usize] {
            Constant::Int(n) => Some(u128::from(n)),
            Constant::Wide(n, _) => Some(n),
            _ => None,
        }
    }

    pub(super) fn bin(&mut self, op: Bin, w: u8, a: Operand, b: Operand) -> Operand {
        let dst = self.new_slot();
        self.emit(Inst::Bin { op, w, dst, a, b });
        Operand::slot(dst)
    }

    pub(super) fn cast(&mut self, op: Cast, from: u8, to: u8, a: Operand) -> Operand {
        let dst = self.new_slot();
        self.emit(Inst::Cast {
            op,
            from,
            to,
            dst,
            a,
        });
        Operand::slot(dst)
    }

    pub(super) fn select(&mut self, w: u8, cond: Operand, a: Operand, b: Operand) -> Operand {
        if a == b {
            return a;
        }
        let dst = self.new_slot();
        self.emit(Inst::Select { w, dst, cond, a, b });
        Operand::slot(dst)
    }

    /// Truncates or extends an operand.
    pub(super) fn resize(&mut self, a: Operand, from: u8, to: u8, signed: bool) -> Operand {
        if from == to {
            return a;
        }
        if let Some(n) = self.known_int(a)
            && (!signed || to < from)
        {
            return self.int(n, u32::from(to));
        }
        let op = match (to < from, signed) {
            (true, _) => Cast::Trunc,
            (false, true) => Cast::SExt,
            (false, false) => Cast::ZExt,
        };
        self.cast(op, from, to, a)
    }

    /// Returns consecutive slots as operands.
    pub(super) fn slots_from(&self, first: Slot, n: u32) -> Ops {
        (first.0..first.0 + n)
            .map(|i| Operand::slot(Slot(i)))
            .collect()
    }
}

fn describe(v: V) -> Reason {
    let what = match v.kind() {
        ValueKind::GlobalIFunc => "an ifunc".to_owned(),
        ValueKind::GlobalAlias => format!("alias {}", v.name()),
        ValueKind::GlobalVariable => format!("compiler's global {}", v.name()),
        ValueKind::Function => format!("address of {}", v.name()),
        ValueKind::ConstantExpr => v.print(),
        ValueKind::ConstantFP => "a float constant of unknown form".to_owned(),
        _ => "a constant of unknown kind".to_owned(),
    };
    format!("constant: {what}")
}
