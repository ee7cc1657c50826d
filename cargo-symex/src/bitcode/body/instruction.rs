//! The instructions: what each opcode is handed to. Constant expressions come through here too, with the same operands.

use super::super::ll::{B, Opcode, V};
use super::{Builder, Ops, Reason};

impl Builder<'_> {
    /// Translates an instruction of the current block and binds what it defines.
    pub(super) fn instruction(&mut self, v: V, block: B) -> Result<(), Reason> {
        match v.opcode() {
            Opcode::LLVMPHI => {
                // Bound before; a phi of a type without a form has no operands.
                self.type_of(v).map(drop)
            }
            Opcode::LLVMRet
            | Opcode::LLVMBr
            | Opcode::LLVMSwitch
            | Opcode::LLVMIndirectBr
            | Opcode::LLVMUnreachable
            | Opcode::LLVMResume => self.terminator(v, block),
            Opcode::LLVMCall => {
                let ops = self.call(v)?;
                self.bind(v, &ops);
                Ok(())
            }
            Opcode::LLVMInvoke => self.invoke(v, block),
            Opcode::LLVMStore => self.store(v),
            Opcode::LLVMFence => Ok(()),
            _ => {
                let ops = self.value(v)?;
                self.bind(v, &ops);
                Ok(())
            }
        }
    }

    /// The operands that an instruction or constant expression without control flow computes.
    pub(super) fn value(&mut self, v: V) -> Result<Ops, Reason> {
        let opcode = v.opcode();
        match opcode {
            Opcode::LLVMAdd
            | Opcode::LLVMFAdd
            | Opcode::LLVMSub
            | Opcode::LLVMFSub
            | Opcode::LLVMMul
            | Opcode::LLVMFMul
            | Opcode::LLVMUDiv
            | Opcode::LLVMSDiv
            | Opcode::LLVMFDiv
            | Opcode::LLVMURem
            | Opcode::LLVMSRem
            | Opcode::LLVMFRem
            | Opcode::LLVMShl
            | Opcode::LLVMLShr
            | Opcode::LLVMAShr
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor => self.binary(v, opcode),
            Opcode::LLVMFNeg => self.negate_float(v),
            Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMPtrToAddr
            | Opcode::LLVMIntToPtr => self.resize_lanes(v, matches!(opcode, Opcode::LLVMSExt)),
            Opcode::LLVMFPToUI
            | Opcode::LLVMFPToSI
            | Opcode::LLVMUIToFP
            | Opcode::LLVMSIToFP
            | Opcode::LLVMFPTrunc
            | Opcode::LLVMFPExt => self.convert_float(v, opcode),
            Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => self.bitcast(v),
            Opcode::LLVMICmp => self.compare(v),
            Opcode::LLVMFCmp => self.compare_float(v),
            Opcode::LLVMSelect => self.choose(v),
            Opcode::LLVMFreeze => self.freeze(v),
            Opcode::LLVMExtractElement => self.extract_element(v),
            Opcode::LLVMInsertElement => self.insert_element(v),
            Opcode::LLVMShuffleVector => self.shuffle(v),
            Opcode::LLVMExtractValue => self.extract_value(v),
            Opcode::LLVMInsertValue => self.insert_value(v),
            Opcode::LLVMAlloca => self.alloca(v),
            Opcode::LLVMLoad => self.load(v),
            Opcode::LLVMGetElementPtr => self.element_pointer(v),
            Opcode::LLVMAtomicRMW => self.atomic_rmw(v),
            Opcode::LLVMAtomicCmpXchg => self.compare_exchange(v),
            Opcode::LLVMVAArg => self.va_arg(v),
            Opcode::LLVMLandingPad => self.landing_pad(v),
            other => Err(format!("instruction {}", &format!("{other:?}")[4..])),
        }
    }
}
