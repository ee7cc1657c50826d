//! Translation of mathematical intrinsics without an operation in the form: calls of the C
//! library's function of the same meaning.

use super::super::ll::V;
use super::super::types::Scalar;
use super::{Builder, Ops, Reason};

/// Intrinsics whose arguments and result are those of the C function of the name.
const SAME_AS_LIBM: [&str; 22] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2",
    "exp10", "log", "log2", "log10", "pow", "ldexp", "cbrt", "expm1", "log1p", "hypot",
];

impl Builder<'_> {
    /// Emits calls for the lanes; `None` if the C library has no such function.
    pub(super) fn libm(&mut self, v: V, base: &str) -> Result<Option<Ops>, Reason> {
        if !SAME_AS_LIBM.contains(&base) {
            return Ok(None);
        }
        let (scalar, lanes) = self.type_of(v)?.lanes()?;
        let name = match scalar {
            Scalar::Float(64) => base.to_owned(),
            Scalar::Float(32) => format!("{base}f"),
            Scalar::Float(80) => format!("{base}l"),
            Scalar::Float(w) => format!("llvm.{base}.f{w}"),
            Scalar::OtherFloat(kind, _) => format!("llvm.{base}.{kind}"),
            Scalar::Int(_) | Scalar::Ptr => return Ok(None),
        };
        self.call_by_lanes(v, &name, lanes).map(Some)
    }

    /// Emits a call of a function of scalars for each lane; scalar arguments go to all lanes.
    pub(super) fn call_by_lanes(&mut self, v: V, name: &str, lanes: u32) -> Result<Ops, Reason> {
        let (scalar, _) = self.type_of(v)?.lanes()?;
        let mut args = Vec::new();
        for i in 0..v.argument_count() {
            // Rounding and exceptions of constrained operations.
            if v.operand(i).metadata_text().is_some() {
                continue;
            }
            let (scalar, _) = self.type_of(v.operand(i))?.lanes()?;
            args.push((self.ops(v.operand(i))?, u32::from(scalar.width()?)));
        }
        let width = u32::from(scalar.width()?);
        let mut out = Ops::new();
        for lane in 0..lanes as usize {
            let these = args
                .iter()
                .filter_map(|(ops, w)| Some((*ops.get(lane).or(ops.first())?, *w)))
                .collect();
            out.extend(self.call_external(name, these, vec![width]));
        }
        Ok(out)
    }
}
