//! Translation of calls and invokes.
//!
//! An invoke's result exists only on its normal edge; its slots are numbered before the edges, so
//! that phis there can take it.

use super::super::constants::KnownConstant;
use super::super::ll::{B, TypeKind, V, ValueKind};
use super::super::passes::claims::HookKind;
use super::{Builder, Ops, Reason};
use symex_program::{CallSite, Callee, Inst, Marks, Operand, RelocTarget, Slot};

impl Builder<'_> {
    pub(super) fn call(&mut self, v: V) -> Result<Ops, Reason> {
        if let Some(ops) = self.without_call(v)? {
            return Ok(ops);
        }
        let (site, result) = self.call_site(v)?;
        self.emit_call(site);
        Ok(result)
    }

    pub(super) fn invoke(&mut self, v: V, block: B) -> Result<(), Reason> {
        if let Some(ops) = self.without_call(v)? {
            self.bind(v, &ops);
            let edges = self.edges(block, &[v.normal_dest()])?;
            self.emit(Inst::Br { edge: edges[0] });
            return Ok(());
        }
        let (mut site, result) = self.call_site(v)?;
        self.bind(v, &result);
        let edges = self.edges(block, &[v.normal_dest(), v.unwind_dest()])?;
        site.normal = Some(edges[0]);
        site.unwind = Some(edges[1]);
        self.emit_call(site);
        Ok(())
    }

    /// Translates calls that are no calls in the form: LLVM's intrinsics, and some assembly.
    fn without_call(&mut self, v: V) -> Result<Option<Ops>, Reason> {
        let callee = v.called();
        match callee.kind() {
            ValueKind::Function if callee.has_llvm_name() => {
                self.intrinsic(v, &callee.name()).map(Some)
            }
            ValueKind::Function if callee.is_check() => {
                match HookKind::of_name(&callee.name()) {
                    Some(kind) => self.check(v, kind)?,
                    None => return Err(format!("a check of unknown kind: {}", callee.name())),
                }
                Ok(Some(Ops::new()))
            }
            ValueKind::InlineAsm => self.assembly(v, callee),
            _ => Ok(None),
        }
    }

    fn call_site(&mut self, v: V) -> Result<(CallSite, Ops), Reason> {
        let callee = self.callee(v.called())?;
        let layout = self.translation.symbols.layout;
        let signature = v.called_type();
        let fixed = match signature.is_variadic() {
            true => signature.params().len(),
            false => usize::MAX,
        };
        let (mut args, mut byval, mut variable) = (Vec::new(), Vec::new(), Vec::new());
        // Of the area of variable arguments, so far.
        let mut end = 0u64;
        let (mut floats, mut joined) = (Marks::default(), Marks::default());
        for i in 0..v.argument_count() {
            let arg = v.operand(i);
            let mut memory = (layout.size(arg.ty()), layout.align(arg.ty()));
            if matches!(arg.ty().kind(), TypeKind::Pointer)
                && let Some((t, align)) = self.translation.attributes.of_argument(v, i)
            {
                let (bytes, align) = self.translation.byval(t, align);
                byval.push((args.len() as u32, bytes, align));
                memory = (bytes, align);
            }
            let ty = self.type_of(arg)?;
            floats.args |= ty.floats(args.len());
            joined.args |= ty.joined(args.len());
            args.extend(self.ops(arg)?.into_iter().zip(ty.widths()));
            if i as usize >= fixed {
                // As x86-64 has it: in slots of eight bytes, or at a multiple of the alignment
                // where that is more.
                let at = end.next_multiple_of(memory.1.max(8));
                end = at + memory.0.next_multiple_of(8);
                variable.extend(ty.leaves.iter().map(|leaf| at + leaf.offset));
            }
        }
        let ty = self.type_of(v)?;
        floats.results = ty.floats(0);
        joined.results = ty.joined(0);
        let returns = ty.widths();
        let result = self.new_slots(returns.len() as u32);
        let site = CallSite {
            callee,
            args,
            byval,
            variable,
            dst: first_slot(&result),
            returns,
            used: v.is_used(),
            floats,
            joined,
            nounwind: self.translation.attributes.nounwind(v),
            normal: None,
            unwind: None,
        };
        Ok((site, result))
    }

    fn callee(&mut self, callee: V) -> Result<Callee, Reason> {
        if let Some((text, _)) = callee.inline_asm() {
            return Ok(Callee::InlineAsm(text));
        }
        if callee.is_constant()
            && let Some(KnownConstant::Address(RelocTarget::Function(f), 0)) =
                self.translation.symbols.fold(callee)
        {
            return Ok(Callee::Direct(f));
        }
        Ok(Callee::Indirect(self.op(callee)?))
    }

    pub(super) fn emit_call(&mut self, site: CallSite) {
        let index = self.body.calls.len() as u32;
        self.body.calls.push(site);
        self.emit(Inst::Call { site: index });
    }

    /// Emits a call of an external function by name.
    pub(super) fn call_external(
        &mut self,
        name: &str,
        args: Vec<(Operand, u32)>,
        returns: Vec<u32>,
    ) -> Ops {
        let widths: Vec<u32> = args.iter().map(|a| a.1).collect();
        let f = self.translation.external(name, &widths, &returns);
        let result = self.new_slots(returns.len() as u32);
        self.emit_call(CallSite {
            callee: Callee::Direct(f),
            args,
            byval: Vec::new(),
            variable: Vec::new(),
            dst: first_slot(&result),
            returns,
            used: true,
            floats: self.translation.program.function(f).floats,
            joined: self.translation.program.function(f).joined,
            nounwind: false,
            normal: None,
            unwind: None,
        });
        result
    }

    /// Returns the arguments of a call as leaves.
    pub(super) fn arguments(&mut self, v: V) -> Result<Vec<(Operand, u32)>, Reason> {
        let mut args = Vec::new();
        for i in 0..v.argument_count() {
            let widths = self.type_of(v.operand(i))?.widths();
            args.extend(self.ops(v.operand(i))?.into_iter().zip(widths));
        }
        Ok(args)
    }
}

fn first_slot(ops: &Ops) -> Slot {
    ops.first().and_then(|o| o.decode().ok()).unwrap_or(Slot(0))
}
