//! Translation of `llvm.experimental.constrained.*`: float arithmetic of code that may change the
//! rounding mode or read exception flags.
//!
//! Nothing in a program's form changes the rounding mode, so operations with the dynamic mode round
//! to nearest, and flags are not kept; any other fixed mode is unsupported.

use super::super::ll::{Opcode, V};
use super::{Builder, Ops, Reason};
use symex_program::FCmp;

const PREDICATES: [(&str, FCmp); 14] = [
    ("oeq", FCmp::OEq),
    ("ogt", FCmp::OGt),
    ("oge", FCmp::OGe),
    ("olt", FCmp::OLt),
    ("ole", FCmp::OLe),
    ("one", FCmp::ONe),
    ("ord", FCmp::Ord),
    ("uno", FCmp::Uno),
    ("ueq", FCmp::UEq),
    ("ugt", FCmp::UGt),
    ("uge", FCmp::UGe),
    ("ult", FCmp::ULt),
    ("ule", FCmp::ULe),
    ("une", FCmp::UNe),
];

impl Builder<'_> {
    /// Translates a constrained operation, given by the rest of its name; `None` if the plain
    /// operation has no form either.
    pub(super) fn constrained(&mut self, v: V, what: &str) -> Result<Option<Ops>, Reason> {
        let texts: Vec<String> = (0..v.argument_count())
            .filter_map(|i| v.operand(i).metadata_text())
            .collect();
        let mode = texts.iter().find_map(|t| t.strip_prefix("round."));
        if let Some(mode) = mode
            && !matches!(mode, "dynamic" | "tonearest")
        {
            return Err(format!("float arithmetic that rounds {mode}"));
        }
        let opcode = match what {
            "fadd" => Opcode::FAdd,
            "fsub" => Opcode::FSub,
            "fmul" => Opcode::FMul,
            "fdiv" => Opcode::FDiv,
            "frem" => Opcode::FRem,
            "fptoui" => Opcode::FPToUI,
            "fptosi" => Opcode::FPToSI,
            "uitofp" => Opcode::UIToFP,
            "sitofp" => Opcode::SIToFP,
            "fptrunc" => Opcode::FPTrunc,
            "fpext" => Opcode::FPExt,
            "fcmp" | "fcmps" => {
                let named = PREDICATES
                    .iter()
                    .find(|(name, _)| texts.iter().any(|t| t == name));
                let (_, op) = named.ok_or("an unknown comparison of floats")?;
                return self.compare_floats(v, *op).map(Some);
            }
            _ => {
                if let Some(ops) = self.by_lanes(v, what)? {
                    return Ok(Some(ops));
                }
                return self.libm(v, what);
            }
        };
        match opcode {
            Opcode::FAdd | Opcode::FSub | Opcode::FMul | Opcode::FDiv | Opcode::FRem => {
                self.binary(v, opcode).map(Some)
            }
            _ => self.convert_float(v, opcode).map(Some),
        }
    }
}
