//! Translation of LLVM's intrinsics by name. An intrinsic that is not listed becomes a call of an
//! external function of its name, which the executor models or reports.

use super::super::constants::KnownConstant;
use super::super::ll::{IntPredicate, Opcode, V};
use super::super::types::Scalar;
use super::{Builder, Ops, Reason};
use symex_program::function::selector;
use symex_program::{Demand, Inst, Operand, RelocTarget};

/// Returns the name without `llvm.` and without the types at its end.
fn base_name(name: &str) -> &str {
    let mut base = name.strip_prefix("llvm.").unwrap_or(name);
    while let Some((rest, last)) = base.rsplit_once('.') {
        if !is_type(last) {
            break;
        }
        base = rest;
    }
    base
}

/// Reports whether this is a type as intrinsics' names spell it (`i32`, `v4f32`, `p0`, `bf16`).
fn is_type(s: &str) -> bool {
    let number = |s: &str| !s.is_empty() && s.bytes().all(|c| c.is_ascii_digit());
    if let Some(rest) = s.strip_prefix('v') {
        let element = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        return element.len() < rest.len() && is_type(element);
    }
    ["i", "f", "p", "bf", "ppcf"]
        .iter()
        .any(|p| s.strip_prefix(p).is_some_and(number))
        || s.starts_with("sl_")
}

impl Builder<'_> {
    /// Reports whether the condition of an assumption is the one that rustc states of pointers
    /// whose type has no null.
    fn is_null_test(&mut self, v: V) -> Result<bool, Reason> {
        if !self.is_rust
            || !v.is_instruction()
            || v.opcode() != Opcode::ICmp
            || v.int_predicate() != IntPredicate::Ne
        {
            return Ok(false);
        }
        let (scalar, _) = self.type_of(v.operand(0))?.lanes()?;
        let with = self.op(v.operand(1))?;
        Ok(matches!(scalar, Scalar::Ptr) && self.known_int(with) == Some(0))
    }

    pub(super) fn intrinsic(&mut self, v: V, name: &str) -> Result<Ops, Reason> {
        let base = base_name(name);
        let none = Ops::new();
        match base {
            "assume" => {
                let cond = self.op(v.operand(0))?;
                if self.known_int(cond) != Some(1) {
                    let demand = Demand::NonNull;
                    let promise = match self.is_null_test(v.operand(0))? {
                        true => Inst::CheckDemand { cond, demand },
                        false => Inst::Assume { cond },
                    };
                    self.emit(promise);
                }
                return Ok(none);
            }
            "lifetime.start" | "lifetime.end" => {
                let ptr = self.op(v.operand(v.argument_count() - 1))?;
                // LLVM puts poison here when it has dropped the object.
                if ptr.decode().is_ok() {
                    let start = base == "lifetime.start";
                    self.emit(Inst::Lifetime { ptr, start });
                }
                return Ok(none);
            }
            "memcpy" | "memcpy.inline" | "memcpy.element.unordered.atomic" => {
                let (dst, src, len) = self.copy_operands(v)?;
                self.emit(Inst::MemCpy { dst, src, len });
                return Ok(none);
            }
            "memmove" | "memmove.element.unordered.atomic" => {
                let (dst, src, len) = self.copy_operands(v)?;
                self.emit(Inst::MemMove { dst, src, len });
                return Ok(none);
            }
            "memset" | "memset.inline" | "memset.element.unordered.atomic" => {
                let (dst, value, len) = self.copy_operands(v)?;
                self.emit(Inst::MemSet { dst, value, len });
                return Ok(none);
            }
            // Hints to the compiler.
            "experimental.noalias.scope.decl"
            | "sideeffect"
            | "donothing"
            | "prefetch"
            | "invariant.end"
            | "var.annotation"
            | "codeview.annotation"
            | "pseudoprobe"
            | "fake.use"
            | "dbg.declare"
            | "dbg.value"
            | "dbg.label"
            | "dbg.assign" => return Ok(none),
            "invariant.start" => return Ok(self.undef(1)),
            "expect"
            | "expect.with.probability"
            | "annotation"
            | "ptr.annotation"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ssa.copy"
            | "arithmetic.fence"
            // Any mention of a thread-local variable is one of the running thread's.
            | "threadlocal.address"
            | "preserve.static.offset" => return self.ops(v.operand(0)),
            "allow.runtime.check" | "allow.ubsan.check" | "experimental.widenable.condition" => {
                return Ok(Ops::from_elem(self.int(1, 1), 1));
            }
            "is.constant" => {
                let known = v.operand(0).is_constant();
                return Ok(Ops::from_elem(self.int(u128::from(known), 1), 1));
            }
            // Rounding to nearest: what the form's floats do.
            "get.rounding" => return Ok(Ops::from_elem(self.int(1, 32), 1)),
            "objectsize" => return self.object_size(v),
            "eh.typeid.for" => {
                let id = match self.translation.symbols.fold(v.operand(0)) {
                    Some(KnownConstant::Int(0, _)) => selector(None),
                    Some(KnownConstant::Address(RelocTarget::Global(g), 0)) => selector(Some(g)),
                    _ => return Err("a type info of unknown form".to_owned()),
                };
                return Ok(Ops::from_elem(self.int(u128::from(id), 32), 1));
            }
            "stacksave" => {
                let dst = self.new_slot();
                self.emit(Inst::StackSave { dst });
                return Ok(self.slots_from(dst, 1));
            }
            "stackrestore" => {
                let a = self.op(v.operand(0))?;
                self.emit(Inst::StackRestore { a });
                return Ok(none);
            }
            "va_start" => {
                let list = self.op(v.operand(0))?;
                self.emit(Inst::VaStart { list });
                return Ok(none);
            }
            "va_end" => {
                let list = self.op(v.operand(0))?;
                self.emit(Inst::VaEnd { list });
                return Ok(none);
            }
            "va_copy" => {
                let (dst, src) = (self.op(v.operand(0))?, self.op(v.operand(1))?);
                self.emit(Inst::VaCopy { dst, src });
                return Ok(none);
            }
            "load.relative" => {
                let base = self.op(v.operand(0))?;
                let offset = self.op(v.operand(1))?;
                let width = self.type_of(v.operand(1))?.lanes()?.0.width()?;
                let offset = self.resize(offset, width, 64, true);
                let dst = self.new_slot();
                self.emit(Inst::LoadRelative { dst, base, offset });
                return Ok(self.slots_from(dst, 1));
            }
            _ => {}
        }
        if let Some(what) = base.strip_prefix("vector.reduce.")
            && let Some(ops) = self.reduce(v, what)?
        {
            return Ok(ops);
        }
        if let Some(what) = base.strip_prefix("x86.")
            && let Some(ops) = self.x86(v, what)?
        {
            return Ok(ops);
        }
        if let Some(what) = base.strip_prefix("experimental.constrained.")
            && let Some(ops) = self.constrained(v, what)?
        {
            return Ok(ops);
        }
        if let Some(ops) = self.by_lanes(v, base)? {
            return Ok(ops);
        }
        if let Some(ops) = self.regroup(v, base)? {
            return Ok(ops);
        }
        if let Some(ops) = self.libm(v, base)? {
            return Ok(ops);
        }
        if base == "powi" {
            return self.powi(v);
        }
        let args = self.arguments(v)?;
        let returns = self.type_of(v)?.widths();
        Ok(self.call_external(name, args, returns))
    }

    fn copy_operands(&mut self, v: V) -> Result<(Operand, Operand, Operand), Reason> {
        let (a, b) = (self.op(v.operand(0))?, self.op(v.operand(1))?);
        let len = self.op(v.operand(2))?;
        let width = self.type_of(v.operand(2))?.lanes()?.0.width()?;
        Ok((a, b, self.resize(len, width, 64, false)))
    }

    fn object_size(&mut self, v: V) -> Result<Ops, Reason> {
        let w = self.type_of(v)?.lanes()?.0.width()?;
        let ptr = self.op(v.operand(0))?;
        let min = self.op(v.operand(1))?;
        let min = self.known_int(min) == Some(1);
        let dst = self.new_slot();
        self.emit(Inst::ObjectSize { w, dst, ptr, min });
        Ok(self.slots_from(dst, 1))
    }

    fn powi(&mut self, v: V) -> Result<Ops, Reason> {
        let (scalar, lanes) = self.type_of(v)?.lanes()?;
        let (exponent, _) = self.type_of(v.operand(1))?.lanes()?;
        let name = format!("llvm.powi.f{}.i{}", scalar.bits(), exponent.bits());
        match scalar {
            Scalar::Float(_) => self.call_by_lanes(v, &name, lanes),
            _ => Err(scalar.float_width().err().unwrap_or_default()),
        }
    }

    /// Translates intrinsics that only pick lanes, or access memory lanes known at translation
    /// time.
    fn regroup(&mut self, v: V, base: &str) -> Result<Option<Ops>, Reason> {
        match base {
            "vector.extract" => {
                let (scalar, lanes) = self.type_of(v)?.lanes()?;
                let all = self.ops(v.operand(0))?;
                let at = self.op(v.operand(1))?;
                let at = self.known_int(at).ok_or("an unknown lane")? as usize;
                let per_lane = scalar.leaf_count() as usize;
                let range = at * per_lane..(at + lanes as usize) * per_lane;
                let picked = all.get(range).ok_or("lanes past the end of a vector")?;
                Ok(Some(Ops::from_slice(picked)))
            }
            "vector.insert" => {
                let (scalar, _) = self.type_of(v)?.lanes()?;
                let mut all = self.ops(v.operand(0))?;
                let new = self.ops(v.operand(1))?;
                let at = self.op(v.operand(2))?;
                let at = self.known_int(at).ok_or("an unknown lane")? as usize;
                let at = at * scalar.leaf_count() as usize;
                let place = all
                    .get_mut(at..at + new.len())
                    .ok_or("lanes past the end of a vector")?;
                place.copy_from_slice(&new);
                Ok(Some(all))
            }
            "vector.reverse" => {
                let (scalar, _) = self.type_of(v)?.lanes()?;
                let all = self.ops(v.operand(0))?;
                let lanes = all.chunks(scalar.leaf_count() as usize);
                Ok(Some(lanes.rev().flatten().copied().collect()))
            }
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::base_name;

    #[test]
    fn names_lose_their_types() {
        for (name, base) in [
            ("llvm.memcpy.p0.p0.i64", "memcpy"),
            ("llvm.sadd.with.overflow.v4i32", "sadd.with.overflow"),
            ("llvm.vector.reduce.fadd.v2f64", "vector.reduce.fadd"),
            ("llvm.x86.sse2.pmovmskb.128", "x86.sse2.pmovmskb.128"),
            ("llvm.is.constant.i1", "is.constant"),
            ("llvm.sin.bf16", "sin"),
            ("llvm.va_start.p0", "va_start"),
            ("llvm.trap", "trap"),
        ] {
            assert_eq!(base_name(name), base);
        }
    }
}
