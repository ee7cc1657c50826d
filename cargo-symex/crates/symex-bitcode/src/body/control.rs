//! Translation of terminators and landing pads.

use super::super::constants::KnownConstant;
use super::super::ll::{B, Opcode, TypeKind, V};
use super::{Builder, Ops, Reason};
use symex_program::function::{LandingPad, Switch};
use symex_program::{Inst, RelocTarget};

impl Builder<'_> {
    pub(super) fn terminator(&mut self, v: V, block: B) -> Result<(), Reason> {
        match v.opcode() {
            Opcode::Ret => self.ret(v)?,
            Opcode::Br => {
                let edges = self.edges(block, &v.successors())?;
                match edges.as_slice() {
                    [edge] => self.emit(Inst::Br { edge: *edge }),
                    [then, other] => {
                        let cond = self.op(v.condition())?;
                        self.emit(Inst::CondBr {
                            cond,
                            then: *then,
                            other: *other,
                        });
                    }
                    _ => return Err("a branch with other than one or two targets".to_owned()),
                }
            }
            Opcode::Switch => self.switch(v, block)?,
            Opcode::IndirectBr => {
                let target = self.op(v.operand(0))?;
                let targets = v.successors();
                let edges = self.edges(block, &targets)?;
                let mut list: Vec<(u32, u32)> = Vec::with_capacity(edges.len());
                for edge in edges {
                    let entry = (self.body.edges[edge as usize].block, edge);
                    if !list.contains(&entry) {
                        list.push(entry);
                    }
                }
                let table = self.body.indirect.len() as u32;
                self.body.indirect.push(list);
                self.emit(Inst::IndirectBr { target, table });
            }
            Opcode::Resume => {
                let ops = self.ops(v.operand(0))?;
                match ops.as_slice() {
                    [exception, selector] => self.emit(Inst::Resume {
                        exception: *exception,
                        selector: *selector,
                    }),
                    _ => return Err("resume of other than a pointer and a selector".to_owned()),
                }
            }
            _ => self.emit(Inst::Unreachable),
        }
        Ok(())
    }

    fn ret(&mut self, v: V) -> Result<(), Reason> {
        let first = self.body.operands.len() as u32;
        let mut count = 0;
        if v.operand_count() > 0 {
            let ops = self.ops(v.operand(0))?;
            count = ops.len() as u32;
            self.body.operands.extend_from_slice(&ops);
        }
        self.emit(Inst::Ret { first, count });
        Ok(())
    }

    fn switch(&mut self, v: V, block: B) -> Result<(), Reason> {
        let w = self.type_of(v.operand(0))?.lanes()?.0.width()?;
        let value = self.op(v.operand(0))?;
        let targets = v.successors();
        let edges = self.edges(block, &targets)?;
        let (default, rest) = edges.split_first().ok_or("a switch without default")?;
        let mut cases = Vec::with_capacity(rest.len());
        for (i, &edge) in rest.iter().enumerate() {
            match self.translation.symbols.fold(v.case_value(i as u32)) {
                Some(KnownConstant::Int(n, _)) => cases.push((n, edge)),
                _ => return Err("a switch case that is not a number".to_owned()),
            }
        }
        let table = self.body.switches.len() as u32;
        self.body.switches.push(Switch {
            cases,
            default: *default,
        });
        self.emit(Inst::Switch { w, value, table });
        Ok(())
    }

    pub(super) fn landing_pad(&mut self, v: V) -> Result<Ops, Reason> {
        if self.type_of(v)?.widths() != [64, 32] {
            return Err("a landing pad of other than a pointer and a selector".to_owned());
        }
        let mut pad = LandingPad {
            cleanup: v.is_cleanup(),
            catches: Vec::new(),
            filters: false,
        };
        for clause in v.clauses() {
            if matches!(clause.ty().kind(), TypeKind::Array) {
                pad.filters = true;
                continue;
            }
            match self.translation.symbols.fold(clause) {
                Some(KnownConstant::Int(0, _)) => pad.catches.push(None),
                Some(KnownConstant::Address(RelocTarget::Global(g), 0)) => {
                    pad.catches.push(Some(g))
                }
                _ => return Err("a catch clause of unknown form".to_owned()),
            }
        }
        let index = self.body.landing_pads.len() as u32;
        self.body.landing_pads.push(pad);
        let dst = self.new_slot();
        self.new_slot();
        self.emit(Inst::LandingPad { dst, pad: index });
        Ok(self.slots_from(dst, 2))
    }
}
