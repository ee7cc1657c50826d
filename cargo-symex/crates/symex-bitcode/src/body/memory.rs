//! Translation of memory operations: stack objects, loads and stores by leaves, addresses, atomics
//! with their orderings.

use super::super::constants::{GepStep, KnownConstant, gep_steps};
use super::super::ll::{RmwOp, V, ValueKind};
use super::super::passes::walk::{called_name, is_call, users};
use super::super::types::{Shape, Type};
use super::bits::pieces;
use super::{Builder, Ops, Reason};
use symex_program::{Bin, Constant, Inst, Operand, Ordering, Rmw};
use symex_types::bits::sign_extend;

/// Returns the alignment at `offset` bytes behind an aligned address.
fn align_log2(align: u64, offset: u64) -> u8 {
    let all = align.max(1) | offset;
    all.trailing_zeros() as u8
}

/// Returns the pieces in which a vector whose lanes are not whole bytes is loaded and stored.
fn packed_chunks(ty: &Type) -> Result<Vec<u32>, Reason> {
    if !matches!(ty.shape, Shape::Vector(..)) {
        return Err("an aggregate with a vector of packed lanes in memory".to_owned());
    }
    let total: u32 = ty.leaves.iter().map(|l| l.width).sum();
    Ok((0..total.div_ceil(64))
        .map(|i| (total - i * 64).min(64))
        .collect())
}

/// What a load promises and asks.
#[derive(Clone, Copy)]
pub(super) struct Access {
    align: u64,
    /// Must the value not depend on uninitialised memory?
    defined: bool,
    order: Ordering,
}

/// Reports whether the lifetime of a stack object begins behind its allocation. LLVM takes such an
/// object for dead before.
fn begins_later(alloca: V) -> bool {
    let is_start = |user| is_call(user) && called_name(user).starts_with(b"llvm.lifetime.start");
    users(alloca.raw()).into_iter().any(is_start)
}

impl Builder<'_> {
    pub(super) fn alloca(&mut self, v: V) -> Result<Ops, Reason> {
        let layout = self.translation.symbols.layout;
        let ty = v.allocated_type();
        let size = layout.size(ty);
        let align = v.alignment().max(1);
        let count = self.op(v.operand(0))?;
        let width = self.type_of(v.operand(0))?.lanes()?.0.width()?;
        let mut count = self.resize(count, width, 64, false);
        let size = match u32::try_from(size) {
            Ok(size) => size,
            Err(_) => {
                let bytes = self.int(u128::from(size), 64);
                count = match self.known_int(count) {
                    Some(n) => self.int(n.wrapping_mul(u128::from(size)), 64),
                    None => self.bin(Bin::Mul, 64, count, bytes),
                };
                1
            }
        };
        let dst = self.new_slot();
        self.emit(Inst::Alloca {
            dst,
            size,
            align_log2: align_log2(align, 0),
            count,
            scoped: begins_later(v),
        });
        Ok(Ops::from_elem(Operand::slot(dst), 1))
    }

    pub(super) fn load(&mut self, v: V) -> Result<Ops, Reason> {
        let ty = self.type_of(v)?;
        let ptr = self.op(v.operand(0))?;
        let access = Access {
            align: v.alignment(),
            defined: v.has_metadata(self.translation.no_undef),
            order: v.ordering(),
        };
        self.load_leaves(&ty, ptr, access)
    }

    pub(super) fn load_leaves(
        &mut self,
        ty: &Type,
        ptr: Operand,
        access: Access,
    ) -> Result<Ops, Reason> {
        if !ty.bit_packed {
            return Ok(ty
                .leaves
                .iter()
                .map(|l| self.load_scalar(ptr, l.offset, l.width, access))
                .collect());
        }
        let chunks = packed_chunks(ty)?;
        let loaded: Ops = (0u64..)
            .zip(&chunks)
            .map(|(i, &w)| self.load_scalar(ptr, i * 8, w, access))
            .collect();
        Ok(self.recut(&pieces(&loaded, chunks), 0, &ty.widths()))
    }

    fn load_scalar(&mut self, ptr: Operand, offset: u64, width: u32, access: Access) -> Operand {
        let ptr = self.offset(ptr, offset as i64);
        let dst = self.new_slot();
        self.emit(Inst::Load {
            w: width as u8,
            align_log2: align_log2(access.align, offset),
            defined: access.defined,
            order: access.order,
            dst,
            ptr,
        });
        Operand::slot(dst)
    }

    pub(super) fn store(&mut self, v: V) -> Result<(), Reason> {
        let ty = self.type_of(v.operand(0))?;
        let value = self.ops(v.operand(0))?;
        let ptr = self.op(v.operand(1))?;
        self.store_leaves(&ty, &value, ptr, v.alignment(), v.ordering())
    }

    pub(super) fn store_leaves(
        &mut self,
        ty: &Type,
        value: &Ops,
        ptr: Operand,
        align: u64,
        order: Ordering,
    ) -> Result<(), Reason> {
        if !ty.bit_packed {
            for (&value, l) in value.iter().zip(&ty.leaves) {
                self.store_scalar((ptr, l.offset), l.width, align, order, value);
            }
            return Ok(());
        }
        let chunks = packed_chunks(ty)?;
        let stored = self.recut(&pieces(value, ty.widths()), 0, &chunks);
        for (i, (&value, &w)) in stored.iter().zip(&chunks).enumerate() {
            self.store_scalar((ptr, i as u64 * 8), w, align, order, value);
        }
        Ok(())
    }

    fn store_scalar(
        &mut self,
        (ptr, offset): (Operand, u64),
        width: u32,
        align: u64,
        order: Ordering,
        value: Operand,
    ) {
        let ptr = self.offset(ptr, offset as i64);
        self.emit(Inst::Store {
            w: width as u8,
            align_log2: align_log2(align, offset),
            order,
            ptr,
            value,
        });
    }

    /// Translates `getelementptr`: of pointers, or of vectors of them lane by lane, with scalars
    /// used for all lanes.
    pub(super) fn element_pointer(&mut self, v: V) -> Result<Ops, Reason> {
        let (_, lanes) = self.type_of(v)?.lanes()?;
        let layout = self.translation.symbols.layout;
        let symbols = &self.translation.symbols;
        let steps = gep_steps(v, layout, |index| match index.kind() {
            ValueKind::ConstantInt => match symbols.fold(index) {
                Some(KnownConstant::Int(n, w)) => Some(sign_extend(n, w) as i64),
                _ => None,
            },
            _ => None,
        })
        .ok_or("an address computation with an unknown field")?;
        let bases = self.ops(v.operand(0))?;
        let mut fixed = 0i64;
        let mut moving: Vec<(Ops, u8, u64)> = Vec::new();
        for step in steps {
            match step {
                GepStep::Bytes(n) => fixed = fixed.wrapping_add(n),
                GepStep::Index(_, 0) => {}
                GepStep::Index(operand, scale) => {
                    let index = v.operand(operand);
                    let width = self.type_of(index)?.lanes()?.0.width()?;
                    moving.push((self.ops(index)?, width, scale));
                }
            }
        }
        let mut out = Ops::new();
        for lane in 0..lanes as usize {
            let of = |ops: &Ops| ops.get(lane).or(ops.first()).copied();
            let base = of(&bases).ok_or("an address computation without base")?;
            let mut fixed = fixed;
            let mut steps: Vec<(Operand, u8, u64)> = Vec::new();
            for (index, width, scale) in &moving {
                let index = of(index).ok_or("an address computation without index")?;
                match self.known_int(index) {
                    Some(n) => {
                        let n = sign_extend(n, u32::from(*width)) as i64;
                        fixed = fixed.wrapping_add(n.wrapping_mul(*scale as i64));
                    }
                    None => steps.push((index, *width, *scale)),
                }
            }
            let mut at = self.offset(base, fixed);
            for (index, width, scale) in steps {
                at = self.indexed(at, index, width, scale);
            }
            out.push(at);
        }
        Ok(out)
    }

    fn indexed(&mut self, base: Operand, index: Operand, width: u8, scale: u64) -> Operand {
        let (mut index, mut width) = (index, width);
        if width > 64 {
            index = self.resize(index, width, 64, true);
            width = 64;
        }
        let scale = match i32::try_from(scale) {
            Ok(scale) => scale,
            Err(_) => {
                let wide = self.resize(index, width, 64, true);
                let factor = self.int(u128::from(scale), 64);
                index = self.bin(Bin::Mul, 64, wide, factor);
                width = 64;
                1
            }
        };
        let dst = self.new_slot();
        self.emit(Inst::PtrAdd {
            w: width,
            dst,
            base,
            index,
            scale,
        });
        Operand::slot(dst)
    }

    pub(super) fn atomic_rmw(&mut self, v: V) -> Result<Ops, Reason> {
        let (scalar, lanes) = self.type_of(v)?.lanes()?;
        if lanes != 1 {
            return Err("an atomic operation on a vector".to_owned());
        }
        let op = match v.rmw_op() {
            RmwOp::Xchg => Rmw::Xchg,
            RmwOp::Add => Rmw::Add,
            RmwOp::Sub => Rmw::Sub,
            RmwOp::And => Rmw::And,
            RmwOp::Nand => Rmw::Nand,
            RmwOp::Or => Rmw::Or,
            RmwOp::Xor => Rmw::Xor,
            RmwOp::Max => Rmw::SMax,
            RmwOp::Min => Rmw::SMin,
            RmwOp::UMax => Rmw::UMax,
            RmwOp::UMin => Rmw::UMin,
            RmwOp::FAdd => Rmw::FAdd,
            RmwOp::FSub => Rmw::FSub,
            RmwOp::FMax => Rmw::FMax,
            RmwOp::FMin => Rmw::FMin,
            RmwOp::UIncWrap => Rmw::UIncWrap,
            RmwOp::UDecWrap => Rmw::UDecWrap,
            RmwOp::USubCond => Rmw::USubCond,
            RmwOp::USubSat => Rmw::USubSat,
            RmwOp::FMaximum | RmwOp::FMinimum => {
                return Err("atomic fmaximum or fminimum".to_owned());
            }
            RmwOp::Unknown => {
                let text = v.print();
                return Err(format!(
                    "an atomic operation of unknown kind: {}",
                    text.trim()
                ));
            }
        };
        let w = match op {
            Rmw::FAdd | Rmw::FSub | Rmw::FMax | Rmw::FMin => scalar.float_width()?,
            _ => scalar.width()?,
        };
        let ptr = self.op(v.operand(0))?;
        let value = self.op(v.operand(1))?;
        let dst = self.new_slot();
        self.emit(Inst::AtomicRmw {
            op,
            w,
            order: v.ordering(),
            dst,
            ptr,
            value,
        });
        Ok(Ops::from_elem(Operand::slot(dst), 1))
    }

    pub(super) fn compare_exchange(&mut self, v: V) -> Result<Ops, Reason> {
        let w = self.type_of(v.operand(1))?.lanes()?.0.width()?;
        let ptr = self.op(v.operand(0))?;
        let expected = self.op(v.operand(1))?;
        let new = self.op(v.operand(2))?;
        let dst = self.new_slot();
        self.new_slot();
        self.emit(Inst::CmpXchg {
            w,
            orders: v.exchange_orderings(),
            dst,
            ptr,
            expected,
            new,
        });
        Ok(self.slots_from(dst, 2))
    }

    pub(super) fn va_arg(&mut self, v: V) -> Result<Ops, Reason> {
        let (scalar, _) = match self.type_of(v)?.shape {
            Shape::Scalar(s) => (s, 1),
            _ => return Err("va_arg of an aggregate".to_owned()),
        };
        let w = scalar.width()?;
        let list = self.op(v.operand(0))?;
        let dst = self.new_slot();
        self.emit(Inst::VaArg { w, dst, list });
        Ok(Ops::from_elem(Operand::slot(dst), 1))
    }

    /// Returns undef operands for a value.
    pub(super) fn undef(&mut self, leaves: usize) -> Ops {
        let undef = self.constant(Constant::Undef);
        Ops::from_elem(undef, leaves)
    }
}
