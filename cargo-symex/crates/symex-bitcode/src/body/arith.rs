//! Translation of arithmetic, comparisons, conversions and selects, lane by lane.

use super::super::ll::{IntPredicate, Opcode, V};
use super::super::types::Scalar;
use super::bits::pieces;
use super::{Builder, Ops, Reason};
use symex_program::{Bin, Cast, Cmp, FCmp, Inst, Operand, Un};

/// Float comparisons, by LLVM's numbers of float predicates.
const FLOAT_PREDICATES: [FCmp; 16] = [
    FCmp::False,
    FCmp::OEq,
    FCmp::OGt,
    FCmp::OGe,
    FCmp::OLt,
    FCmp::OLe,
    FCmp::ONe,
    FCmp::Ord,
    FCmp::Uno,
    FCmp::UEq,
    FCmp::UGt,
    FCmp::UGe,
    FCmp::ULt,
    FCmp::ULe,
    FCmp::UNe,
    FCmp::True,
];

fn operator(opcode: Opcode) -> Option<Bin> {
    Some(match opcode {
        Opcode::Add => Bin::Add,
        Opcode::Sub => Bin::Sub,
        Opcode::Mul => Bin::Mul,
        Opcode::UDiv => Bin::UDiv,
        Opcode::SDiv => Bin::SDiv,
        Opcode::URem => Bin::URem,
        Opcode::SRem => Bin::SRem,
        Opcode::Shl => Bin::Shl,
        Opcode::LShr => Bin::LShr,
        Opcode::AShr => Bin::AShr,
        Opcode::And => Bin::And,
        Opcode::Or => Bin::Or,
        Opcode::Xor => Bin::Xor,
        Opcode::FAdd => Bin::FAdd,
        Opcode::FSub => Bin::FSub,
        Opcode::FMul => Bin::FMul,
        Opcode::FDiv => Bin::FDiv,
        Opcode::FRem => Bin::FRem,
        _ => return None,
    })
}

/// Returns the comparison of a predicate; `None` for an unknown one of a newer LLVM.
pub fn comparison(p: IntPredicate) -> Option<Cmp> {
    Some(match p {
        IntPredicate::Eq => Cmp::Eq,
        IntPredicate::Ne => Cmp::Ne,
        IntPredicate::ULt => Cmp::ULt,
        IntPredicate::ULe => Cmp::ULe,
        IntPredicate::UGt => Cmp::UGt,
        IntPredicate::UGe => Cmp::UGe,
        IntPredicate::SLt => Cmp::SLt,
        IntPredicate::SLe => Cmp::SLe,
        IntPredicate::SGt => Cmp::SGt,
        IntPredicate::SGe => Cmp::SGe,
        IntPredicate::Unknown => return None,
    })
}

impl Builder<'_> {
    pub(super) fn binary(&mut self, v: V, opcode: Opcode) -> Result<Ops, Reason> {
        let ty = self.type_of(v)?;
        let (scalar, lanes) = ty.lanes()?;
        let op = operator(opcode).ok_or("an unknown operator")?;
        let (a, b) = (self.ops(v.operand(0))?, self.ops(v.operand(1))?);
        let float = matches!(
            op,
            Bin::FAdd | Bin::FSub | Bin::FMul | Bin::FDiv | Bin::FRem
        );
        if !float && scalar.width().is_err() {
            return self.binary_wide(op, scalar, lanes, &a, &b);
        }
        let w = if float {
            scalar.float_width()?
        } else {
            scalar.width()?
        };
        Ok(self.zip(&a, &b, |s, a, b| s.bin(op, w, a, b)))
    }

    /// Applies an operation to the lanes of two values.
    pub(super) fn zip(
        &mut self,
        a: &Ops,
        b: &Ops,
        mut f: impl FnMut(&mut Self, Operand, Operand) -> Operand,
    ) -> Ops {
        a.iter().zip(b).map(|(&a, &b)| f(self, a, b)).collect()
    }

    pub(super) fn un(&mut self, op: Un, w: u8, a: Operand) -> Operand {
        let dst = self.new_slot();
        self.emit(Inst::Un { op, w, dst, a });
        Operand::slot(dst)
    }

    pub(super) fn cmp(&mut self, op: Cmp, w: u8, a: Operand, b: Operand) -> Operand {
        let dst = self.new_slot();
        self.emit(Inst::Cmp { op, w, dst, a, b });
        Operand::slot(dst)
    }

    pub(super) fn negate_float(&mut self, v: V) -> Result<Ops, Reason> {
        let (scalar, _) = self.type_of(v)?.lanes()?;
        let a = self.ops(v.operand(0))?;
        Ok(a.iter()
            .map(|&a| self.change_sign(scalar, Un::FNeg, a))
            .collect())
    }

    /// Translates negation or absolute value of a float; for formats that the form does not compute
    /// with, by their sign bit.
    pub(super) fn change_sign(&mut self, scalar: Scalar, op: Un, a: Operand) -> Operand {
        match scalar {
            Scalar::Float(w) => self.un(op, w as u8, a),
            _ => {
                let w = scalar.bits();
                let sign = 1u128 << (w - 1);
                if op == Un::FNeg {
                    let sign = self.int(sign, w);
                    self.bin(Bin::Xor, w as u8, a, sign)
                } else {
                    let rest = self.int(!sign, w);
                    self.bin(Bin::And, w as u8, a, rest)
                }
            }
        }
    }

    pub(super) fn resize_lanes(&mut self, v: V, signed: bool) -> Result<Ops, Reason> {
        let (from, lanes) = self.type_of(v.operand(0))?.lanes()?;
        let (to, _) = self.type_of(v)?.lanes()?;
        let a = self.ops(v.operand(0))?;
        if let (Ok(from), Ok(to)) = (from.width(), to.width()) {
            return Ok(a
                .iter()
                .map(|&a| self.resize(a, from, to, signed))
                .collect());
        }
        if signed {
            return Err(format!(
                "sign extension to an integer of {} bits",
                to.bits()
            ));
        }
        let (leaves, widths) = (from.leaf_count() as usize, from.leaf_widths());
        let to = to.leaf_widths();
        let mut out = Ops::new();
        for lane in 0..lanes as usize {
            let string = pieces(
                &a[lane * leaves..(lane + 1) * leaves],
                widths.iter().copied(),
            );
            out.extend(self.recut(&string, 0, &to));
        }
        Ok(out)
    }

    pub(super) fn convert_float(&mut self, v: V, opcode: Opcode) -> Result<Ops, Reason> {
        let (from, _) = self.type_of(v.operand(0))?.lanes()?;
        let (to, _) = self.type_of(v)?.lanes()?;
        let (op, from, to) = match opcode {
            Opcode::FPToUI => (Cast::FToUInt, from.float_width()?, to.width()?),
            Opcode::FPToSI => (Cast::FToSInt, from.float_width()?, to.width()?),
            Opcode::UIToFP => (Cast::UIntToF, from.width()?, to.float_width()?),
            Opcode::SIToFP => (Cast::SIntToF, from.width()?, to.float_width()?),
            Opcode::FPTrunc => (Cast::FTrunc, from.float_width()?, to.float_width()?),
            _ => (Cast::FExt, from.float_width()?, to.float_width()?),
        };
        let a = self.ops(v.operand(0))?;
        Ok(a.iter().map(|&a| self.cast(op, from, to, a)).collect())
    }

    pub(super) fn bitcast(&mut self, v: V) -> Result<Ops, Reason> {
        let from = self.type_of(v.operand(0))?;
        let to = self.type_of(v)?.widths();
        let a = self.ops(v.operand(0))?;
        let from = from.widths();
        if from == to {
            return Ok(a);
        }
        Ok(self.recut(&pieces(&a, from), 0, &to))
    }

    pub(super) fn compare(&mut self, v: V) -> Result<Ops, Reason> {
        let (scalar, lanes) = self.type_of(v.operand(0))?.lanes()?;
        let op = comparison(v.int_predicate()).ok_or("a comparison of unknown kind")?;
        let (a, b) = (self.ops(v.operand(0))?, self.ops(v.operand(1))?);
        match scalar.width() {
            Ok(w) => Ok(self.zip(&a, &b, |s, a, b| s.cmp(op, w, a, b))),
            Err(why) => {
                if lanes != 1 || !matches!(op, Cmp::Eq | Cmp::Ne) {
                    return Err(why);
                }
                // Equal if all parts are; different if any is.
                let join = if op == Cmp::Eq { Bin::And } else { Bin::Or };
                let mut all = None;
                for ((&a, &b), w) in a.iter().zip(&b).zip(scalar.leaf_widths()) {
                    let part = self.cmp(op, w as u8, a, b);
                    all = Some(match all {
                        None => part,
                        Some(before) => self.bin(join, 1, before, part),
                    });
                }
                Ok(all.into_iter().collect())
            }
        }
    }

    pub(super) fn compare_float(&mut self, v: V) -> Result<Ops, Reason> {
        let op = *FLOAT_PREDICATES
            .get(v.float_predicate() as usize)
            .ok_or("an unknown comparison of floats")?;
        self.compare_floats(v, op)
    }

    /// Compares the first two operands.
    pub(super) fn compare_floats(&mut self, v: V, op: FCmp) -> Result<Ops, Reason> {
        let (scalar, _) = self.type_of(v.operand(0))?.lanes()?;
        let w = scalar.float_width()?;
        let (a, b) = (self.ops(v.operand(0))?, self.ops(v.operand(1))?);
        Ok(self.zip(&a, &b, |s, a, b| {
            let dst = s.new_slot();
            s.emit(Inst::FCmp { op, w, dst, a, b });
            Operand::slot(dst)
        }))
    }

    /// Translates `select`: one condition for all leaves, or one per lane.
    pub(super) fn choose(&mut self, v: V) -> Result<Ops, Reason> {
        let ty = self.type_of(v)?;
        let conditions = self.ops(v.operand(0))?;
        let (a, b) = (self.ops(v.operand(1))?, self.ops(v.operand(2))?);
        let per_lane = match conditions.len() {
            0 => return Err("a select without condition".to_owned()),
            1 => a.len().max(1),
            n => a.len() / n,
        };
        let mut out = Ops::with_capacity(a.len());
        for (i, leaf) in ty.leaves.iter().enumerate() {
            let cond = conditions[i / per_lane];
            out.push(self.select(leaf.width as u8, cond, a[i], b[i]));
        }
        Ok(out)
    }

    pub(super) fn freeze(&mut self, v: V) -> Result<Ops, Reason> {
        let ty = self.type_of(v)?;
        let a = self.ops(v.operand(0))?;
        let mut out = Ops::with_capacity(a.len());
        for (&a, leaf) in a.iter().zip(&ty.leaves) {
            if self.known_int(a).is_some() {
                out.push(a);
                continue;
            }
            let dst = self.new_slot();
            self.emit(Inst::Freeze {
                w: leaf.width as u8,
                dst,
                a,
            });
            out.push(Operand::slot(dst));
        }
        Ok(out)
    }
}
