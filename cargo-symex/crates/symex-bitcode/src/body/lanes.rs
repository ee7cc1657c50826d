//! Translation of intrinsics that compute on scalars, and on vectors lane by lane.

use super::super::ll::V;
use super::super::types::Scalar;
use super::{Builder, Ops, Reason};
use symex_program::{Bin, Cast, Inst, Operand, Overflow, Un};

impl Builder<'_> {
    /// Translates operations on scalars that work lane by lane on vectors.
    pub(super) fn by_lanes(&mut self, v: V, base: &str) -> Result<Option<Ops>, Reason> {
        let ops = if let Some(op) = unary(base) {
            self.unary_lanes(v, op)?
        } else if let Some(op) = binary(base) {
            self.binary_lanes(v, op)?
        } else if let Some(op) = overflow(base) {
            self.overflow_lanes(v, op)?
        } else {
            match base {
                "fshl" | "fshr" => self.funnel_lanes(v, base == "fshl")?,
                "fma" | "fmuladd" => self.fma_lanes(v, base == "fma")?,
                "ucmp" | "scmp" => self.three_way_lanes(v, base == "scmp")?,
                "fptosi.sat" => self.convert_lanes(v, Cast::FToSIntSat)?,
                "fptoui.sat" => self.convert_lanes(v, Cast::FToUIntSat)?,
                "lrint" | "llrint" => self.round_lanes(v, Un::FRint)?,
                "lround" | "llround" => self.round_lanes(v, Un::FRound)?,
                "is.fpclass" => self.class_lanes(v)?,
                _ => return Ok(None),
            }
        };
        Ok(Some(ops))
    }

    fn unary_lanes(&mut self, v: V, op: Un) -> Result<Ops, Reason> {
        let (scalar, _) = self.type_of(v)?.lanes()?;
        let a = self.ops(v.operand(0))?;
        if op == Un::FAbs {
            return Ok(a.iter().map(|&a| self.change_sign(scalar, op, a)).collect());
        }
        let integer = matches!(
            op,
            Un::Popcount | Un::Clz | Un::Ctz | Un::ByteSwap | Un::BitReverse | Un::Abs
        );
        let w = if integer {
            scalar.width()?
        } else {
            scalar.float_width()?
        };
        Ok(a.iter().map(|&a| self.un(op, w, a)).collect())
    }

    fn binary_lanes(&mut self, v: V, op: Bin) -> Result<Ops, Reason> {
        let (scalar, _) = self.type_of(v)?.lanes()?;
        let (a, b) = (self.ops(v.operand(0))?, self.ops(v.operand(1))?);
        if let (Bin::FCopySign, Scalar::OtherFloat(_, w)) = (op, scalar) {
            let sign = self.int(1 << (w - 1), w);
            return Ok(self.zip(&a, &b, |s, a, b| {
                let a = s.change_sign(scalar, Un::FAbs, a);
                let b = s.bin(Bin::And, w as u8, b, sign);
                s.bin(Bin::Or, w as u8, a, b)
            }));
        }
        let float = matches!(
            op,
            Bin::FMinNum | Bin::FMaxNum | Bin::FMinimum | Bin::FMaximum | Bin::FCopySign
        );
        let w = if float {
            scalar.float_width()?
        } else {
            scalar.width()?
        };
        // A mask may be shorter than the pointer it is for: then it keeps the bits above.
        let b_width = self.type_of(v.operand(1))?.lanes()?.0.width()?;
        if op == Bin::PtrMask && b_width != w {
            return Err(format!("a mask of {b_width} bits for a pointer"));
        }
        Ok(self.zip(&a, &b, |s, a, b| s.bin(op, w, a, b)))
    }

    /// Translates arithmetic with overflow: returns all results, then all flags.
    fn overflow_lanes(&mut self, v: V, op: Overflow) -> Result<Ops, Reason> {
        let (scalar, _) = self.type_of(v.operand(0))?.lanes()?;
        let w = scalar.width()?;
        let (a, b) = (self.ops(v.operand(0))?, self.ops(v.operand(1))?);
        let mut flags = Ops::new();
        let mut out = self.zip(&a, &b, |s, a, b| {
            let dst = s.new_slot();
            flags.push(Operand::slot(s.new_slot()));
            s.emit(Inst::Overflow { op, w, dst, a, b });
            Operand::slot(dst)
        });
        out.extend(flags);
        Ok(out)
    }

    fn three(&mut self, v: V) -> Result<[Ops; 3], Reason> {
        Ok([
            self.ops(v.operand(0))?,
            self.ops(v.operand(1))?,
            self.ops(v.operand(2))?,
        ])
    }

    fn funnel_lanes(&mut self, v: V, left: bool) -> Result<Ops, Reason> {
        let w = self.type_of(v)?.lanes()?.0.width()?;
        let [a, b, c] = self.three(v)?;
        let mut out = Ops::new();
        for i in 0..a.len() {
            let dst = self.new_slot();
            self.emit(Inst::FunnelShift {
                left,
                w,
                dst,
                a: a[i],
                b: b[i],
                c: c[i],
            });
            out.push(Operand::slot(dst));
        }
        Ok(out)
    }

    /// Translates fused multiply-add. `fmuladd` may or may not round between its two steps; it does
    /// on the machines for which our code is compiled.
    fn fma_lanes(&mut self, v: V, fused: bool) -> Result<Ops, Reason> {
        let w = self.type_of(v)?.lanes()?.0.float_width()?;
        let [a, b, c] = self.three(v)?;
        let mut out = Ops::new();
        for i in 0..a.len() {
            if !fused {
                let product = self.bin(Bin::FMul, w, a[i], b[i]);
                out.push(self.bin(Bin::FAdd, w, product, c[i]));
                continue;
            }
            let dst = self.new_slot();
            self.emit(Inst::Fma {
                w,
                dst,
                a: a[i],
                b: b[i],
                c: c[i],
            });
            out.push(Operand::slot(dst));
        }
        Ok(out)
    }

    fn three_way_lanes(&mut self, v: V, signed: bool) -> Result<Ops, Reason> {
        let w = self.type_of(v.operand(0))?.lanes()?.0.width()?;
        let to = self.type_of(v)?.lanes()?.0.width()?;
        let (a, b) = (self.ops(v.operand(0))?, self.ops(v.operand(1))?);
        Ok(self.zip(&a, &b, |s, a, b| {
            let dst = s.new_slot();
            s.emit(Inst::ThreeWay {
                signed,
                w,
                to,
                dst,
                a,
                b,
            });
            Operand::slot(dst)
        }))
    }

    fn convert_lanes(&mut self, v: V, op: Cast) -> Result<Ops, Reason> {
        let from = self.type_of(v.operand(0))?.lanes()?.0.float_width()?;
        let to = self.type_of(v)?.lanes()?.0.width()?;
        let a = self.ops(v.operand(0))?;
        Ok(a.iter().map(|&a| self.cast(op, from, to, a)).collect())
    }

    fn round_lanes(&mut self, v: V, op: Un) -> Result<Ops, Reason> {
        let from = self.type_of(v.operand(0))?.lanes()?.0.float_width()?;
        let to = self.type_of(v)?.lanes()?.0.width()?;
        let a = self.ops(v.operand(0))?;
        let mut out = Ops::new();
        for a in a {
            let rounded = self.un(op, from, a);
            out.push(self.cast(Cast::FToSInt, from, to, rounded));
        }
        Ok(out)
    }

    fn class_lanes(&mut self, v: V) -> Result<Ops, Reason> {
        let w = self.type_of(v.operand(0))?.lanes()?.0.float_width()?;
        let mask = self.op(v.operand(1))?;
        let mask = self.known_int(mask).ok_or("an unknown class of floats")? as u16;
        let a = self.ops(v.operand(0))?;
        let mut out = Ops::new();
        for a in a {
            let dst = self.new_slot();
            self.emit(Inst::FClass { w, dst, a, mask });
            out.push(Operand::slot(dst));
        }
        Ok(out)
    }
}

fn unary(base: &str) -> Option<Un> {
    Some(match base {
        "ctpop" => Un::Popcount,
        "ctlz" => Un::Clz,
        "cttz" => Un::Ctz,
        "bswap" => Un::ByteSwap,
        "bitreverse" => Un::BitReverse,
        "abs" => Un::Abs,
        "fabs" => Un::FAbs,
        "sqrt" => Un::FSqrt,
        "floor" => Un::FFloor,
        "ceil" => Un::FCeil,
        "trunc" => Un::FTrunc,
        "rint" | "nearbyint" | "roundeven" => Un::FRint,
        "round" => Un::FRound,
        _ => return None,
    })
}

fn binary(base: &str) -> Option<Bin> {
    Some(match base {
        "umin" => Bin::UMin,
        "umax" => Bin::UMax,
        "smin" => Bin::SMin,
        "smax" => Bin::SMax,
        "uadd.sat" => Bin::UAddSat,
        "sadd.sat" => Bin::SAddSat,
        "usub.sat" => Bin::USubSat,
        "ssub.sat" => Bin::SSubSat,
        "ushl.sat" => Bin::UShlSat,
        "sshl.sat" => Bin::SShlSat,
        "minnum" | "minimumnum" => Bin::FMinNum,
        "maxnum" | "maximumnum" => Bin::FMaxNum,
        "minimum" => Bin::FMinimum,
        "maximum" => Bin::FMaximum,
        "copysign" => Bin::FCopySign,
        "ptrmask" => Bin::PtrMask,
        _ => return None,
    })
}

fn overflow(base: &str) -> Option<Overflow> {
    Some(match base {
        "uadd.with.overflow" => Overflow::UAdd,
        "sadd.with.overflow" => Overflow::SAdd,
        "usub.with.overflow" => Overflow::USub,
        "ssub.with.overflow" => Overflow::SSub,
        "umul.with.overflow" => Overflow::UMul,
        "smul.with.overflow" => Overflow::SMul,
        _ => return None,
    })
}
