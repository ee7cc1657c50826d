//! Translation of reductions of vectors to scalars: the operation from lane to lane, in order.

use super::super::ll::V;
use super::{Builder, Ops, Reason};
use symex_program::Bin;

impl Builder<'_> {
    /// Translates `llvm.vector.reduce.*`, given by the rest of its name; `None` if unknown.
    pub(super) fn reduce(&mut self, v: V, what: &str) -> Result<Option<Ops>, Reason> {
        let op = match what {
            "add" => Bin::Add,
            "mul" => Bin::Mul,
            "and" => Bin::And,
            "or" => Bin::Or,
            "xor" => Bin::Xor,
            "smax" => Bin::SMax,
            "smin" => Bin::SMin,
            "umax" => Bin::UMax,
            "umin" => Bin::UMin,
            "fadd" => Bin::FAdd,
            "fmul" => Bin::FMul,
            "fmax" => Bin::FMaxNum,
            "fmin" => Bin::FMinNum,
            "fmaximum" => Bin::FMaximum,
            "fminimum" => Bin::FMinimum,
            _ => return Ok(None),
        };
        let (scalar, _) = self.type_of(v)?.lanes()?;
        let w = match op {
            Bin::Add
            | Bin::Mul
            | Bin::And
            | Bin::Or
            | Bin::Xor
            | Bin::SMax
            | Bin::SMin
            | Bin::UMax
            | Bin::UMin => scalar.width()?,
            _ => scalar.float_width()?,
        };
        // Sums and products of floats start from an argument of their own.
        let mut lanes = Ops::new();
        for i in 0..v.argument_count() {
            lanes.extend(self.ops(v.operand(i))?);
        }
        let (&first, rest) = lanes.split_first().ok_or("a reduction of nothing")?;
        let mut all = first;
        for &lane in rest {
            all = self.bin(op, w, all, lane);
        }
        Ok(Some(Ops::from_elem(all, 1)))
    }
}
