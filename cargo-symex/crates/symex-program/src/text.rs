//! The readable text form of a program, for debugging and tests.
//!
//! Slots are `s0`, `s1`, ...; plain numbers are constants; an edge shows its moves: `b2 (s4 = s1,
//! s5 = 0)`.

use super::function::{Body, CallSite, Callee, Constant};
use super::{FuncId, Function, Global, Inst, LocId, Operand, Ordering, Program, RelocTarget, Slot};
use std::fmt::{self, Write};

/// Formats a function, with the source line of each instruction if `with_lines` is set.
pub fn function(program: &Program, f: &Function, with_lines: bool) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = ProgramPrinter {
        program,
        out: &mut out,
        with_lines,
    }
    .function(f);
    out
}

/// Formats a global.
pub fn global(program: &Program, g: &Global) -> String {
    let mut out = String::new();
    let _ = write_global(program, g, &mut out);
    out
}

/// Formats a location with its inlining chain, innermost first.
pub fn place(program: &Program, id: LocId) -> String {
    let table = &program.locs;
    let mut out = String::new();
    let mut at = Some(id);
    while let Some(loc) = at.and_then(|id| table.get(id)) {
        if !out.is_empty() {
            out.push_str(" <- ");
        }
        let _ = write!(
            out,
            "{}:{}:{} {}",
            table.files[loc.file as usize], loc.line, loc.column, table.scopes[loc.scope as usize]
        );
        at = loc.inlined_at;
    }
    out
}

fn write_global(program: &Program, g: &Global, out: &mut String) -> fmt::Result {
    let kind = if g.constant { "constant" } else { "global" };
    let local = if g.thread_local { " thread_local" } else { "" };
    write!(
        out,
        "@{} ={local} {kind} size {} align {}",
        g.name, g.size, g.align
    )?;
    let Some(init) = &g.init else {
        return write!(out, " external");
    };
    write!(out, " [")?;
    for b in &init.bytes {
        write!(out, "{b:02x}")?;
    }
    write!(out, "]")?;
    for (start, end) in &init.undef {
        write!(out, " undef {start}..{end}")?;
    }
    for r in &init.relocs {
        write!(
            out,
            " {}:{} = {}",
            r.offset,
            u32::from(r.size) * 8,
            target(program, r.target)
        )?;
        write_offset(out, r.addend)?;
        if let Some((m, n)) = r.minus {
            write!(out, " - {}", target(program, m))?;
            write_offset(out, n)?;
        }
    }
    Ok(())
}

fn write_offset(out: &mut String, n: u64) -> fmt::Result {
    match n as i64 {
        0 => Ok(()),
        n => write!(out, "{n:+}"),
    }
}

fn target(program: &Program, t: RelocTarget) -> String {
    match t {
        RelocTarget::Global(g) => format!("@{}", program.global(g).name),
        RelocTarget::Function(f) => name(program, f),
        RelocTarget::Block(f, b) => format!("{}:b{b}", name(program, f)),
    }
}

fn name(program: &Program, f: FuncId) -> String {
    format!("@{}", program.function(f).name)
}

struct ProgramPrinter<'a> {
    program: &'a Program,
    out: &'a mut String,
    with_lines: bool,
}

impl ProgramPrinter<'_> {
    fn function(&mut self, f: &Function) -> fmt::Result {
        let head = if f.body.is_some() { "fn" } else { "extern fn" };
        write!(self.out, "{head} @{}(", f.name)?;
        for (i, p) in f.params.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(self.out, "{comma}s{i}:{}", p.width)?;
            if let Some((bytes, align)) = p.byval {
                write!(self.out, " byval({bytes}, {align})")?;
            }
        }
        if f.variadic {
            let comma = if f.params.is_empty() { "" } else { ", " };
            write!(self.out, "{comma}...")?;
        }
        write!(self.out, ")")?;
        self.widths(&f.returns)?;
        if f.noreturn {
            write!(self.out, " noreturn")?;
        }
        let Some(body) = &f.body else {
            return writeln!(self.out);
        };
        writeln!(self.out, " {{")?;
        for (b, &start) in body.blocks.iter().enumerate() {
            let end = body
                .blocks
                .get(b + 1)
                .map_or(body.code.len(), |&n| n as usize);
            writeln!(self.out, "b{b}:")?;
            for i in start as usize..end {
                write!(self.out, "  ")?;
                self.inst(body, &body.code[i])?;
                if self.with_lines {
                    write!(self.out, "  ; {}", place(self.program, body.locs[i]))?;
                }
                writeln!(self.out)?;
            }
        }
        writeln!(self.out, "}}")
    }

    fn widths(&mut self, widths: &[u32]) -> fmt::Result {
        match widths {
            [] => Ok(()),
            [w] => write!(self.out, " -> {w}"),
            all => write!(self.out, " -> {all:?}"),
        }
    }

    fn operand(&self, body: &Body, o: Operand) -> String {
        let index = match o.decode() {
            Ok(Slot(n)) => return format!("s{n}"),
            Err(index) => index,
        };
        match body.constants.get(index as usize) {
            Some(Constant::Int(n)) => n.to_string(),
            Some(Constant::Wide(n, _)) => n.to_string(),
            Some(Constant::Global(g, n)) => {
                let mut text = format!("@{}", self.program.global(*g).name);
                let _ = write_offset(&mut text, *n);
                text
            }
            Some(Constant::Function(f)) => name(self.program, *f),
            Some(Constant::Block(f, b)) => format!("{}:b{b}", name(self.program, *f)),
            Some(Constant::Undef) => "undef".to_owned(),
            None => format!("constant {index}?"),
        }
    }

    fn operands(&self, body: &Body, all: &[Operand]) -> String {
        let texts: Vec<String> = all.iter().map(|&o| self.operand(body, o)).collect();
        texts.join(", ")
    }

    fn edge(&self, body: &Body, e: u32) -> String {
        let edge = &body.edges[e as usize];
        let moves = body.moves_of(edge);
        let mut text = format!("b{}", edge.block);
        if !moves.is_empty() {
            let moves: Vec<String> = moves
                .iter()
                .map(|(d, s)| format!("s{} = {}", d.0, self.operand(body, *s)))
                .collect();
            let _ = write!(text, " ({})", moves.join(", "));
        }
        text
    }

    fn call(&mut self, body: &Body, site: &CallSite) -> fmt::Result {
        let verb = if site.normal.is_some() {
            "invoke"
        } else {
            "call"
        };
        match site.returns.len() {
            0 => {}
            1 => write!(self.out, "s{} = ", site.dst.0)?,
            n => write!(
                self.out,
                "s{}..s{} = ",
                site.dst.0,
                site.dst.0 + n as u32 - 1
            )?,
        }
        let callee = match &site.callee {
            Callee::Direct(f) => name(self.program, *f),
            Callee::Indirect(o) => self.operand(body, *o),
            Callee::InlineAsm(text) => format!("asm {text:?}"),
        };
        write!(self.out, "{verb} {callee}(")?;
        for (i, (arg, w)) in site.args.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(self.out, "{comma}{}:{w}", self.operand(body, *arg))?;
            if let Some(b) = site.byval.iter().find(|b| b.0 as usize == i) {
                write!(self.out, " byval({}, {})", b.1, b.2)?;
            }
            let fixed = site.args.len() - site.variable.len();
            if let Some(at) = i.checked_sub(fixed).and_then(|i| site.variable.get(i)) {
                write!(self.out, " at {at}")?;
            }
        }
        write!(self.out, ")")?;
        self.widths(&site.returns)?;
        if site.nounwind {
            write!(self.out, " nounwind")?;
        }
        if let Some(e) = site.normal {
            write!(self.out, " to {}", self.edge(body, e))?;
        }
        if let Some(e) = site.unwind {
            write!(self.out, " unwind {}", self.edge(body, e))?;
        }
        Ok(())
    }

    fn inst(&mut self, body: &Body, inst: &Inst) -> fmt::Result {
        if let Inst::Call { site } = inst {
            return self.call(body, &body.calls[*site as usize]);
        }
        if let Some((dst, n)) = inst.writes() {
            match n {
                1 => write!(self.out, "s{} = ", dst.0)?,
                _ => write!(self.out, "s{}..s{} = ", dst.0, dst.0 + n - 1)?,
            }
        }
        let mut all = Vec::new();
        inst.for_each_operand(|o| all.push(o));
        let ops = self.operands(body, &all);
        let text = match inst {
            Inst::Move { .. } => ops,
            Inst::Bin { op, w, .. } => format!("{}.{w} {ops}", lower(op)),
            Inst::Un { op, w, .. } => format!("{}.{w} {ops}", lower(op)),
            Inst::Cmp { op, w, .. } => format!("cmp.{}.{w} {ops}", lower(op)),
            Inst::FCmp { op, w, .. } => format!("fcmp.{}.{w} {ops}", lower(op)),
            Inst::Cast { op, from, to, .. } => format!("{}.{from}.{to} {ops}", lower(op)),
            Inst::Select { w, .. } => format!("select.{w} {ops}"),
            Inst::FunnelShift { left, w, .. } => {
                format!("fsh{}.{w} {ops}", if *left { 'l' } else { 'r' })
            }
            Inst::Fma { w, .. } => format!("fma.{w} {ops}"),
            Inst::Overflow { op, w, .. } => format!("overflow.{}.{w} {ops}", lower(op)),
            Inst::ThreeWay { signed, w, to, .. } => {
                format!("{}cmp.{w}.{to} {ops}", if *signed { 's' } else { 'u' })
            }
            Inst::FClass { w, mask, .. } => format!("fclass.{w} {ops} {mask:#x}"),
            Inst::Extract { w, to, lo, .. } => format!("extract.{w} {ops} [{lo}+{to}]"),
            Inst::Concat { whi, wlo, .. } => format!("concat.{whi}.{wlo} {ops}"),
            Inst::Freeze { w, .. } => format!("freeze.{w} {ops}"),
            Inst::PtrAdd {
                w,
                base,
                index,
                scale,
                ..
            } => {
                let constant = index.decode().err();
                let index = match constant.and_then(|i| body.constants.get(i as usize)) {
                    Some(Constant::Int(n)) => (*n as i64).to_string(),
                    _ => self.operand(body, *index),
                };
                format!(
                    "ptradd.{w} {}, {index} * {scale}",
                    self.operand(body, *base)
                )
            }
            Inst::Alloca {
                size,
                align_log2,
                scoped,
                ..
            } => {
                let scoped = if *scoped { " scoped" } else { "" };
                format!("alloca {size} * {ops} align {}{scoped}", align(*align_log2))
            }
            Inst::Load {
                w,
                align_log2,
                defined,
                order,
                ..
            } => {
                let defined = if *defined { " defined" } else { "" };
                let order = ordered(*order);
                format!(
                    "load.{w} {ops} align {}{defined}{order}",
                    align(*align_log2)
                )
            }
            Inst::Store {
                w,
                align_log2,
                order,
                ..
            } => {
                let order = ordered(*order);
                format!("store.{w} {ops} align {}{order}", align(*align_log2))
            }
            Inst::MemCpy { .. } => format!("memcpy {ops}"),
            Inst::MemMove { .. } => format!("memmove {ops}"),
            Inst::MemSet { .. } => format!("memset {ops}"),
            Inst::AtomicRmw { op, w, order, .. } => {
                format!("rmw.{}.{w} {ops}{}", lower(op), ordered(*order))
            }
            Inst::CmpXchg {
                w, orders: [a, b], ..
            } => format!("cmpxchg.{w} {ops}{}{}", ordered(*a), ordered(*b)),
            Inst::Fence { order } => format!("fence{}", ordered(*order)),
            Inst::Pause => "pause".to_owned(),
            Inst::ThreadLocal { .. } => format!("threadlocal {ops}"),
            Inst::LoadRelative { .. } => format!("load_relative {ops}"),
            Inst::Assume { .. } => format!("assume {ops}"),
            Inst::CheckDemand { demand, .. } => format!("check.{} {ops}", lower(demand)),
            Inst::CheckRange { w, .. } => format!("check.range.{w} {ops}"),
            Inst::CheckDefined { w, .. } => format!("check.defined.{w} {ops}"),
            Inst::CheckReference { align_log2, .. } => {
                format!("check.reference {ops} align {}", align(*align_log2))
            }
            Inst::CheckInBounds { .. } => format!("check.inbounds {ops}"),
            Inst::Lifetime { start, .. } => {
                format!("lifetime_{} {ops}", if *start { "start" } else { "end" })
            }
            Inst::StackSave { .. } => "stacksave".to_owned(),
            Inst::StackRestore { .. } => format!("stackrestore {ops}"),
            Inst::VaStart { .. } => format!("va_start {ops}"),
            Inst::VaEnd { .. } => format!("va_end {ops}"),
            Inst::VaCopy { .. } => format!("va_copy {ops}"),
            Inst::VaArg { w, .. } => format!("va_arg.{w} {ops}"),
            Inst::ObjectSize { w, min, .. } => {
                format!("objectsize.{w} {ops}{}", if *min { " min" } else { "" })
            }
            Inst::Call { .. } => String::new(),
            Inst::LandingPad { pad, .. } => self.landing_pad(body, *pad),
            Inst::Br { edge } => format!("br {}", self.edge(body, *edge)),
            Inst::CondBr { then, other, .. } => format!(
                "br {ops} ? {} : {}",
                self.edge(body, *then),
                self.edge(body, *other)
            ),
            Inst::Switch { w, table, .. } => {
                let s = &body.switches[*table as usize];
                let mut text = format!("switch.{w} {ops}");
                for (value, e) in &s.cases {
                    let _ = write!(text, " {value} => {};", self.edge(body, *e));
                }
                let _ = write!(text, " else {}", self.edge(body, s.default));
                text
            }
            Inst::IndirectBr { table, .. } => {
                let list = &body.indirect[*table as usize];
                let edges: Vec<String> = list.iter().map(|(_, e)| self.edge(body, *e)).collect();
                format!("indirectbr {ops} [{}]", edges.join(", "))
            }
            Inst::Ret { first, count } => {
                let all = body.results(*first, *count);
                format!("ret {}", self.operands(body, all))
            }
            Inst::Resume { .. } => format!("resume {ops}"),
            Inst::Unreachable => "unreachable".to_owned(),
            Inst::Unsupported { reason } => {
                format!("unsupported: {}", self.program.reasons[*reason as usize])
            }
        };
        write!(self.out, "{}", text.trim_end())
    }

    fn landing_pad(&self, body: &Body, pad: u32) -> String {
        let pad = &body.landing_pads[pad as usize];
        let mut text = "landingpad".to_owned();
        if pad.cleanup {
            text.push_str(" cleanup");
        }
        for c in &pad.catches {
            match c {
                Some(g) => {
                    let _ = write!(text, " catch @{}", self.program.global(*g).name);
                }
                None => text.push_str(" catch all"),
            }
        }
        if pad.filters {
            text.push_str(" filter");
        }
        text
    }
}

fn lower(op: &impl fmt::Debug) -> String {
    format!("{op:?}").to_lowercase()
}

/// Returns the text of an ordering behind an access; nothing for one that is not atomic.
fn ordered(order: Ordering) -> String {
    match order {
        Ordering::Plain => String::new(),
        order => format!(" {}", lower(&order)),
    }
}

fn align(log2: u8) -> u64 {
    1 << log2.min(63)
}
