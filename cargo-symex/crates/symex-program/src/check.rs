//! Invariants of a program, checked after translation in debug builds and by tests.
//!
//! Indices are in range, every block ends in its only terminator, edges go to starts of blocks,
//! widths are 1 to 128, parameters have slots. The check does not cover whether slots are written
//! before they are read.

use super::function::{Body, Callee, Constant, Edge};
use super::{FuncId, Function, GlobalId, Inst, Operand, Program, RelocTarget, Slot};

/// Checks the whole program. The error is the text of the first violation.
pub fn check(program: &Program) -> Result<(), String> {
    for f in &program.functions {
        if let Some(body) = &f.body {
            let at = Checker { program, body };
            at.function(f).map_err(|why| format!("{}: {why}", f.name))?;
        }
    }
    for g in &program.globals {
        globals(program, g).map_err(|why| format!("{}: {why}", g.name))?;
    }
    let functions = program.function_names.values();
    for &f in functions
        .chain(&program.constructors)
        .chain(&program.destructors)
        .chain(&program.weak_functions)
    {
        function_exists(program, f)?;
    }
    for &g in program.global_names.values().chain(&program.weak_globals) {
        global_exists(program, g)?;
    }
    locations(program)
}

fn ensure(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

fn function_exists(program: &Program, f: FuncId) -> Result<(), String> {
    ensure((f.0 as usize) < program.functions.len(), || {
        format!("no function {}", f.0)
    })
}

fn global_exists(program: &Program, g: GlobalId) -> Result<(), String> {
    ensure((g.0 as usize) < program.globals.len(), || {
        format!("no global {}", g.0)
    })
}

fn block_exists(program: &Program, f: FuncId, b: u32) -> Result<(), String> {
    function_exists(program, f)?;
    let body = program.function(f).body.as_ref();
    ensure(
        body.is_some_and(|body| (b as usize) < body.blocks.len()),
        || format!("no block {b} in function {}", f.0),
    )
}

fn globals(program: &Program, g: &super::Global) -> Result<(), String> {
    ensure(g.align.is_power_of_two(), || {
        format!("alignment {}", g.align)
    })?;
    let Some(init) = &g.init else { return Ok(()) };
    ensure(init.bytes.len() as u64 <= g.size, || {
        "contents past its end".to_owned()
    })?;
    let mut end = 0;
    for r in &init.relocs {
        ensure(r.offset >= end && matches!(r.size, 4 | 8), || {
            format!("relocation at {}", r.offset)
        })?;
        end = r.offset + u64::from(r.size);
        let minus = r.minus.iter().map(|m| m.0);
        for target in std::iter::once(r.target).chain(minus) {
            match target {
                RelocTarget::Global(g) => global_exists(program, g)?,
                RelocTarget::Function(f) => function_exists(program, f)?,
                RelocTarget::Block(f, b) => block_exists(program, f, b)?,
            }
        }
    }
    let undef_end = init.undef.iter().map(|u| u.1).max().unwrap_or(0);
    ensure(end <= g.size && undef_end <= g.size, || {
        "relocations or undef past its end".to_owned()
    })
}

fn locations(program: &Program) -> Result<(), String> {
    let table = &program.locs;
    for (i, loc) in table.locs.iter().enumerate() {
        let up = loc.inlined_at.is_none_or(|up| (up.0 as usize) < i);
        let known = i == 0
            || (loc.file as usize) < table.files.len() && (loc.scope as usize) < table.scopes.len();
        ensure(up && known, || format!("location {i}"))?;
    }
    Ok(())
}

struct Checker<'a> {
    program: &'a Program,
    body: &'a Body,
}

impl Checker<'_> {
    fn function(&self, f: &Function) -> Result<(), String> {
        let body = self.body;
        ensure(f.params.len() <= body.slots as usize, || {
            "parameters without slots".to_owned()
        })?;
        for p in &f.params {
            ensure((1..=128).contains(&p.width), || {
                format!("parameter of {} bits", p.width)
            })?;
        }
        ensure(body.code.len() == body.locs.len(), || {
            "locations do not match the code".to_owned()
        })?;
        for l in &body.locs {
            ensure(
                l.0 == 0 || (l.0 as usize) < self.program.locs.locs.len(),
                || format!("location {}", l.0),
            )?;
        }
        self.blocks()?;
        self.tables()?;
        for (i, inst) in body.code.iter().enumerate() {
            self.inst(inst)
                .map_err(|why| format!("instruction {i}: {why}"))?;
        }
        Ok(())
    }

    fn blocks(&self) -> Result<(), String> {
        let body = self.body;
        ensure(body.blocks.first() == Some(&0), || {
            "no entry block".to_owned()
        })?;
        for (i, &start) in body.blocks.iter().enumerate() {
            let end = body
                .blocks
                .get(i + 1)
                .map_or(body.code.len(), |&n| n as usize);
            let Some((last, inner)) = body
                .code
                .get(start as usize..end)
                .and_then(<[Inst]>::split_last)
            else {
                return Err(format!("block {i} is empty"));
            };
            ensure(self.ends(last), || format!("block {i} does not end"))?;
            ensure(!inner.iter().any(|inst| self.ends(inst)), || {
                format!("block {i} ends twice")
            })?;
        }
        Ok(())
    }

    fn ends(&self, inst: &Inst) -> bool {
        match inst {
            Inst::Call { site } => self
                .body
                .calls
                .get(*site as usize)
                .is_some_and(|s| s.normal.is_some()),
            other => other.is_terminator(),
        }
    }

    fn tables(&self) -> Result<(), String> {
        let body = self.body;
        for e in &body.edges {
            self.edge(e)?;
        }
        for &(dst, src) in &body.moves {
            self.slots(dst, 1)?;
            self.operand(src)?;
        }
        for c in &body.constants {
            self.constant(c)?;
        }
        for &o in &body.operands {
            self.operand(o)?;
        }
        for s in &body.switches {
            let edges = s.cases.iter().map(|c| c.1);
            for e in edges.chain([s.default]) {
                self.edge_number(e)?;
            }
        }
        for &(block, e) in body.indirect.iter().flatten() {
            self.edge_number(e)?;
            ensure(body.edges[e as usize].block == block, || {
                format!("computed jump by edge {e}")
            })?;
        }
        for pad in &body.landing_pads {
            for &g in pad.catches.iter().flatten() {
                global_exists(self.program, g)?;
            }
        }
        for site in &body.calls {
            match &site.callee {
                Callee::Direct(f) => function_exists(self.program, *f)?,
                Callee::Indirect(o) => self.operand(*o)?,
                Callee::InlineAsm(_) => {}
            }
            for &(arg, width) in &site.args {
                self.operand(arg)?;
                ensure((1..=128).contains(&width), || {
                    format!("argument of {width} bits")
                })?;
            }
            ensure(site.variable.len() <= site.args.len(), || {
                "places of more arguments than there are".to_owned()
            })?;
            for b in &site.byval {
                ensure((b.0 as usize) < site.args.len(), || {
                    "byval of no argument".to_owned()
                })?;
            }
            if !site.returns.is_empty() {
                self.slots(site.dst, site.returns.len() as u32)?;
            }
            for &e in site.normal.iter().chain(&site.unwind) {
                self.edge_number(e)?;
            }
        }
        Ok(())
    }

    fn edge(&self, e: &Edge) -> Result<(), String> {
        let body = self.body;
        ensure(body.blocks.get(e.block as usize) == Some(&e.target), || {
            format!("edge to block {} at {}", e.block, e.target)
        })?;
        let (first, end) = e.moves;
        ensure(first <= end && end as usize <= body.moves.len(), || {
            "moves of an edge out of range".to_owned()
        })
    }

    fn edge_number(&self, e: u32) -> Result<(), String> {
        ensure((e as usize) < self.body.edges.len(), || {
            format!("no edge {e}")
        })
    }

    fn constant(&self, c: &Constant) -> Result<(), String> {
        match c {
            Constant::Int(_) | Constant::Undef => Ok(()),
            Constant::Wide(n, w) => ensure(
                (65..=128).contains(w) && n.checked_shr(*w).unwrap_or(0) == 0,
                || format!("constant {n} of {w} bits"),
            ),
            Constant::Global(g, _) => global_exists(self.program, *g),
            Constant::Function(f) => function_exists(self.program, *f),
            Constant::Block(f, b) => block_exists(self.program, *f, *b),
        }
    }

    fn operand(&self, o: Operand) -> Result<(), String> {
        match o.decode() {
            Ok(slot) => self.slots(slot, 1),
            Err(index) => ensure((index as usize) < self.body.constants.len(), || {
                format!("no constant {index}")
            }),
        }
    }

    fn slots(&self, first: Slot, count: u32) -> Result<(), String> {
        ensure(
            first
                .0
                .checked_add(count)
                .is_some_and(|end| end <= self.body.slots),
            || format!("no slot {}", first.0),
        )
    }

    fn inst(&self, inst: &Inst) -> Result<(), String> {
        let mut fault = Ok(());
        inst.for_each_operand(|o| {
            if fault.is_ok() {
                fault = self.operand(o);
            }
        });
        inst.for_each_width(|w| {
            if fault.is_ok() {
                fault = ensure((1..=128).contains(&w), || format!("width {w}"));
            }
        });
        fault?;
        if let Some((dst, n)) = inst.writes() {
            self.slots(dst, n)?;
        }
        let body = self.body;
        let within = |i: u32, len: usize, what: &str| {
            ensure((i as usize) < len, || format!("no {what} {i}"))
        };
        match *inst {
            Inst::Extract { w, to, lo, .. } => {
                ensure(u32::from(lo) + u32::from(to) <= u32::from(w), || {
                    format!("bits {lo}+{to} of {w}")
                })
            }
            Inst::Cast { op, from, to, .. } => {
                use super::Cast;
                let fits = match op {
                    Cast::Trunc | Cast::FTrunc => to < from,
                    Cast::ZExt | Cast::SExt | Cast::FExt => to > from,
                    _ => true,
                };
                ensure(fits, || format!("{op:?} from {from} to {to} bits"))
            }
            Inst::Call { site } => within(site, body.calls.len(), "call site"),
            Inst::LandingPad { pad, .. } => within(pad, body.landing_pads.len(), "landing pad"),
            Inst::Br { edge } => self.edge_number(edge),
            Inst::CondBr { then, other, .. } => {
                self.edge_number(then)?;
                self.edge_number(other)
            }
            Inst::Switch { table, .. } => within(table, body.switches.len(), "switch"),
            Inst::IndirectBr { table, .. } => within(table, body.indirect.len(), "jump table"),
            Inst::Ret { first, count } => ensure(
                first as usize + count as usize <= body.operands.len(),
                || "returned operands out of range".to_owned(),
            ),
            Inst::Unsupported { reason } => within(reason, self.program.reasons.len(), "reason"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bin, LocId};

    /// Makes a program of one function that returns its parameter.
    fn small() -> Program {
        let body = Body {
            code: vec![Inst::Ret { first: 0, count: 1 }],
            locs: vec![LocId(0)],
            blocks: vec![0],
            slots: 1,
            operands: vec![Operand::slot(Slot(0))],
            ..Body::default()
        };
        let function = Function {
            name: "f".to_owned(),
            display: "f".to_owned(),
            params: vec![super::super::Param::of_width(8)],
            returns: vec![8],
            floats: Default::default(),
            joined: Default::default(),
            variadic: false,
            body: Some(body),
            noreturn: false,
            rust: false,
        };
        Program {
            functions: vec![function],
            ..Program::default()
        }
    }

    fn broken(change: impl FnOnce(&mut Body)) -> String {
        let mut program = small();
        change(program.functions[0].body.as_mut().unwrap());
        check(&program).unwrap_err()
    }

    #[test]
    fn accepts_a_small_program() {
        assert_eq!(check(&small()), Ok(()));
    }

    #[test]
    fn rejects_what_is_out_of_range() {
        assert!(broken(|b| b.slots = 0).contains("parameters"));
        assert!(broken(|b| b.operands[0] = Operand::constant(0)).contains("no constant 0"));
        assert!(broken(|b| b.operands[0] = Operand::slot(Slot(1))).contains("no slot 1"));
        assert!(broken(|b| b.moves.push((Slot(4), Operand::slot(Slot(0))))).contains("no slot 4"));
        assert!(broken(|b| b.code[0] = Inst::Br { edge: 0 }).contains("no edge 0"));
        assert!(broken(|b| b.code[0] = Inst::Unsupported { reason: 0 }).contains("no reason 0"));
    }

    #[test]
    fn rejects_blocks_without_one_end() {
        let a = Operand::slot(Slot(0));
        let add = Inst::Bin {
            op: Bin::Add,
            w: 8,
            dst: Slot(0),
            a,
            b: a,
        };
        assert!(broken(|b| b.code[0] = add).contains("does not end"));
        let twice = broken(|b| {
            b.code.push(Inst::Unreachable);
            b.locs.push(LocId(0));
        });
        assert!(twice.contains("ends twice"));
    }

    #[test]
    fn rejects_widths_of_no_scalar() {
        let a = Operand::slot(Slot(0));
        let wide = Inst::Bin {
            op: Bin::Add,
            w: 129,
            dst: Slot(0),
            a,
            b: a,
        };
        let fault = broken(|b| {
            b.code.insert(0, wide);
            b.locs.push(LocId(0));
        });
        assert!(fault.contains("width 129"));
    }
}
