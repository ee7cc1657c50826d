//! Dispatch of instructions by opcode. Constant expressions come through here too, with the same
//! operands.

use super::super::ll::{B, Opcode, V};
use super::{Builder, Ops, Reason};
use symex_program::Inst;

impl Builder<'_> {
    /// Translates an instruction of the current block and binds its result.
    pub(super) fn instruction(&mut self, v: V, block: B) -> Result<(), Reason> {
        match v.opcode() {
            Opcode::PHI => {
                // Bound before; a phi of a type without a form has no operands.
                self.type_of(v).map(drop)
            }
            Opcode::Ret
            | Opcode::Br
            | Opcode::Switch
            | Opcode::IndirectBr
            | Opcode::Unreachable
            | Opcode::Resume => self.terminator(v, block),
            Opcode::Call => {
                let ops = self.call(v)?;
                self.bind(v, &ops);
                Ok(())
            }
            Opcode::Invoke => self.invoke(v, block),
            Opcode::Store => self.store(v),
            Opcode::Fence => {
                let order = v.ordering();
                self.emit(Inst::Fence { order });
                Ok(())
            }
            _ => {
                let ops = self.value(v)?;
                self.bind(v, &ops);
                Ok(())
            }
        }
    }

    /// Returns the operands that an instruction or constant expression without control flow
    /// computes.
    pub(super) fn value(&mut self, v: V) -> Result<Ops, Reason> {
        let opcode = v.opcode();
        match opcode {
            Opcode::Add
            | Opcode::FAdd
            | Opcode::Sub
            | Opcode::FSub
            | Opcode::Mul
            | Opcode::FMul
            | Opcode::UDiv
            | Opcode::SDiv
            | Opcode::FDiv
            | Opcode::URem
            | Opcode::SRem
            | Opcode::FRem
            | Opcode::Shl
            | Opcode::LShr
            | Opcode::AShr
            | Opcode::And
            | Opcode::Or
            | Opcode::Xor => self.binary(v, opcode),
            Opcode::FNeg => self.negate_float(v),
            Opcode::Trunc
            | Opcode::ZExt
            | Opcode::SExt
            | Opcode::PtrToInt
            | Opcode::PtrToAddr
            | Opcode::IntToPtr => self.resize_lanes(v, matches!(opcode, Opcode::SExt)),
            Opcode::FPToUI
            | Opcode::FPToSI
            | Opcode::UIToFP
            | Opcode::SIToFP
            | Opcode::FPTrunc
            | Opcode::FPExt => self.convert_float(v, opcode),
            Opcode::BitCast | Opcode::AddrSpaceCast => self.bitcast(v),
            Opcode::ICmp => self.compare(v),
            Opcode::FCmp => self.compare_float(v),
            Opcode::Select => self.choose(v),
            Opcode::Freeze => self.freeze(v),
            Opcode::ExtractElement => self.extract_element(v),
            Opcode::InsertElement => self.insert_element(v),
            Opcode::ShuffleVector => self.shuffle(v),
            Opcode::ExtractValue => self.extract_value(v),
            Opcode::InsertValue => self.insert_value(v),
            Opcode::Alloca => self.alloca(v),
            Opcode::Load => self.load(v),
            Opcode::GetElementPtr => self.element_pointer(v),
            Opcode::AtomicRMW => self.atomic_rmw(v),
            Opcode::AtomicCmpXchg => self.compare_exchange(v),
            Opcode::VAArg => self.va_arg(v),
            Opcode::LandingPad => self.landing_pad(v),
            Opcode::Unknown => Err(format!("instruction {}", v.mnemonic())),
            other => Err(format!("instruction {other:?}")),
        }
    }
}
