//! A plain interpreter of the program form over concrete values, to compare translated programs
//! with native runs. It follows the documentation of the instructions and shares no code with the
//! executor. Memory is flat and never freed.

mod ops;

use ops::{mask, scalar};
use symex_points_to::AbstractObject;
use symex_program::*;

const FUNCTIONS: u64 = 1 << 40;

/// Observations of a run.
#[derive(Default)]
pub struct Run {
    /// Values that the program passed to `report`.
    pub reported: Vec<u64>,
    /// Objects with their addresses and sizes. None ends, so no address is used twice.
    pub objects: Vec<(AbstractObject, u64, u64)>,
    /// Operands through which memory was accessed, with the address, in temporal order.
    pub accesses: Vec<(FuncId, Operand, u64)>,
}

/// Runs a function without arguments.
pub fn run(program: &Program, entry: &str) -> Run {
    let mut machine = Machine {
        program,
        memory: vec![0; 4096],
        globals: Vec::new(),
        run: Run::default(),
    };
    machine.load_globals();
    machine.call(program.function_names[entry], &[], &[]);
    machine.run
}

/// Returns the operands through which an instruction accesses memory, except those of a length that
/// may be zero.
fn accessed_through(inst: &Inst) -> Option<Operand> {
    match *inst {
        Inst::Load { ptr, .. }
        | Inst::Store { ptr, .. }
        | Inst::AtomicRmw { ptr, .. }
        | Inst::CmpXchg { ptr, .. } => Some(ptr),
        Inst::LoadRelative { base, .. } => Some(base),
        _ => None,
    }
}

struct Machine<'a> {
    program: &'a Program,
    memory: Vec<u8>,
    globals: Vec<u64>,
    run: Run,
}

impl Machine<'_> {
    fn allocate(&mut self, size: u64, align: u64) -> u64 {
        let at = (self.memory.len() as u64).next_multiple_of(align.max(1));
        // A gap catches code that runs past an object.
        self.memory.resize((at + size + 16) as usize, 0);
        at
    }

    fn target(&self, t: RelocTarget) -> u64 {
        match t {
            RelocTarget::Global(g) => self.globals[g.0 as usize],
            RelocTarget::Function(f) => FUNCTIONS + u64::from(f.0) * 16,
            RelocTarget::Block(_, b) => u64::from(b) + 1,
        }
    }

    fn load_globals(&mut self) {
        for (id, g) in (0..).map(GlobalId).zip(&self.program.globals) {
            let at = self.allocate(g.size, g.align);
            self.globals.push(at);
            let object = AbstractObject::Global(id);
            self.run.objects.push((object, at, g.size));
        }
        for (g, at) in self.program.globals.iter().zip(self.globals.clone()) {
            let Some(init) = &g.init else { continue };
            self.memory[at as usize..][..init.bytes.len()].copy_from_slice(&init.bytes);
            for r in &init.relocs {
                let mut n = self.target(r.target).wrapping_add(r.addend);
                if let Some((m, add)) = r.minus {
                    n = n.wrapping_sub(self.target(m).wrapping_add(add));
                }
                self.store(at + r.offset, u128::from(n), u32::from(r.size) * 8);
            }
        }
    }

    fn load(&self, at: u64, w: u32) -> u128 {
        assert!(at >= 4096, "access to {at:#x}");
        let mut all = [0; 16];
        let n = w.div_ceil(8) as usize;
        all[..n].copy_from_slice(&self.memory[at as usize..][..n]);
        u128::from_le_bytes(all) & mask(w)
    }

    fn store(&mut self, at: u64, value: u128, w: u32) {
        assert!(at >= 4096, "access to {at:#x}");
        let n = w.div_ceil(8) as usize;
        self.memory[at as usize..][..n].copy_from_slice(&(value & mask(w)).to_le_bytes()[..n]);
    }

    fn call(&mut self, f: FuncId, args: &[u128], extra: &[u128]) -> Vec<u128> {
        let function = self.program.function(f);
        let Some(body) = &function.body else {
            return self.external(&function.name, args);
        };
        let mut frame = vec![0u128; body.slots as usize];
        frame[..args.len()].copy_from_slice(args);
        for (i, p) in function.params.iter().enumerate() {
            if let Some((size, align)) = p.byval {
                let copy = self.allocate(size, align);
                let from = args[i] as usize;
                self.memory
                    .copy_within(from..from + size as usize, copy as usize);
                frame[i] = u128::from(copy);
                let (function, param) = (f, i as u32);
                let object = AbstractObject::ParameterCopy { function, param };
                self.run.objects.push((object, copy, size));
            }
        }
        let constants: Vec<u128> = body.constants.iter().map(|c| self.constant(c)).collect();
        let value = |frame: &[u128], o: Operand| match o.decode() {
            Ok(s) => frame[s.0 as usize],
            Err(c) => constants[c as usize],
        };
        let mut pc = 0;
        loop {
            let inst = &body.code[pc];
            pc += 1;
            let get = |o: Operand| value(&frame, o);
            if let Some(o) = accessed_through(inst) {
                self.run.accesses.push((f, o, get(o) as u64));
            }
            let edge = match *inst {
                Inst::Br { edge } => Some(edge),
                Inst::CondBr { cond, then, other } => {
                    Some(if get(cond) != 0 { then } else { other })
                }
                Inst::Switch { value, table, .. } => {
                    let (value, s) = (get(value), &body.switches[table as usize]);
                    let case = s.cases.iter().find(|c| c.0 == value);
                    Some(case.map_or(s.default, |c| c.1))
                }
                Inst::IndirectBr { target, table } => {
                    let block = get(target) as u32 - 1;
                    let list = &body.indirect[table as usize];
                    Some(list.iter().find(|e| e.0 == block).unwrap().1)
                }
                Inst::Ret { first, count } => {
                    let all = body.results(first, count);
                    return all.iter().map(|&o| get(o)).collect();
                }
                Inst::Call { site } => {
                    let site = &body.calls[site as usize];
                    let args: Vec<u128> = site.args.iter().map(|a| get(a.0)).collect();
                    let callee = match site.callee {
                        Callee::Direct(f) => f,
                        Callee::Indirect(o) => FuncId(((get(o) as u64 - FUNCTIONS) / 16) as u32),
                        Callee::InlineAsm(ref text) => panic!("assembly {text}"),
                    };
                    let fixed = self.program.function(callee).params.len().min(args.len());
                    let out = self.call(callee, &args[..fixed], &args[fixed..]);
                    frame[site.dst.0 as usize..][..out.len()].copy_from_slice(&out);
                    site.normal
                }
                Inst::VaStart { list } => {
                    let list = get(list) as u64;
                    let size = extra.len() as u64 * 8;
                    let area = self.allocate(size, 16);
                    let object = AbstractObject::VariableArguments(f);
                    self.run.objects.push((object, area, size));
                    for (i, &n) in extra.iter().enumerate() {
                        self.store(area + i as u64 * 8, n, 64);
                    }
                    self.store(list, 48, 32);
                    self.store(list + 4, 304, 32);
                    self.store(list + 8, u128::from(area), 64);
                    None
                }
                _ => {
                    let (first, second) = self.step(inst, &get);
                    if let Inst::Alloca { size, count, .. } = *inst {
                        let (function, inst) = (f, pc as u32 - 1);
                        let object = AbstractObject::Alloca { function, inst };
                        let size = u64::from(size) * get(count) as u64;
                        self.run.objects.push((object, first as u64, size));
                    }
                    if let Some((dst, n)) = inst.writes() {
                        frame[dst.0 as usize] = first;
                        if n == 2 {
                            frame[dst.0 as usize + 1] = second;
                        }
                    }
                    None
                }
            };
            if let Some(e) = edge {
                let e = &body.edges[e as usize];
                for (dst, src) in body.moves_of(e) {
                    frame[dst.0 as usize] = value(&frame, *src);
                }
                pc = e.target as usize;
            }
        }
    }

    fn external(&mut self, name: &str, args: &[u128]) -> Vec<u128> {
        match name {
            "report" => {
                self.run.reported.push(args[0] as u64);
                Vec::new()
            }
            "memcmp" | "bcmp" => {
                let bytes = |at: u128| &self.memory[at as usize..][..args[2] as usize];
                let order = bytes(args[0]).cmp(bytes(args[1])) as i32;
                vec![u128::from(order as u32)]
            }
            other => panic!("a call of {other}"),
        }
    }

    fn constant(&self, c: &Constant) -> u128 {
        match c {
            Constant::Int(n) => u128::from(*n),
            Constant::Wide(n, _) => *n,
            Constant::Global(g, n) => u128::from(self.globals[g.0 as usize].wrapping_add(*n)),
            Constant::Function(f) => u128::from(self.target(RelocTarget::Function(*f))),
            Constant::Block(_, b) => u128::from(*b) + 1,
            Constant::Undef => 0,
        }
    }

    /// Executes an instruction; returns the values of its one or two slots.
    fn step(&mut self, inst: &Inst, get: &dyn Fn(Operand) -> u128) -> (u128, u128) {
        let address = |o: Operand| get(o) as u64;
        match *inst {
            Inst::Alloca {
                size,
                align_log2,
                count,
                ..
            } => {
                let bytes = u64::from(size) * address(count);
                (u128::from(self.allocate(bytes, 1 << align_log2)), 0)
            }
            Inst::Load {
                w, align_log2, ptr, ..
            } => {
                let at = address(ptr);
                assert_eq!(at % (1 << align_log2), 0, "alignment of {at:#x}");
                (self.load(at, u32::from(w)), 0)
            }
            Inst::Store {
                w,
                align_log2,
                ptr,
                value,
                ..
            } => {
                let at = address(ptr);
                assert_eq!(at % (1 << align_log2), 0, "alignment of {at:#x}");
                self.store(at, get(value), u32::from(w));
                (0, 0)
            }
            Inst::MemCpy { dst, src, len } | Inst::MemMove { dst, src, len } => {
                let (from, n) = (address(src) as usize, address(len) as usize);
                self.memory
                    .copy_within(from..from + n, address(dst) as usize);
                (0, 0)
            }
            Inst::MemSet { dst, value, len } => {
                let at = address(dst) as usize;
                self.memory[at..at + address(len) as usize].fill(get(value) as u8);
                (0, 0)
            }
            Inst::AtomicRmw {
                op, w, ptr, value, ..
            } => {
                let w = u32::from(w);
                let old = self.load(address(ptr), w);
                let value = get(value);
                let new = match op {
                    Rmw::Xchg => value,
                    Rmw::Add => old.wrapping_add(value),
                    Rmw::Sub => old.wrapping_sub(value),
                    Rmw::Or => old | value,
                    Rmw::And => old & value,
                    Rmw::UMax => old.max(value),
                    other => panic!("{other:?}"),
                };
                self.store(address(ptr), new & mask(w), w);
                (old, 0)
            }
            Inst::CmpXchg {
                w,
                ptr,
                expected,
                new,
                ..
            } => {
                let old = self.load(address(ptr), u32::from(w));
                let equal = old == get(expected);
                if equal {
                    self.store(address(ptr), get(new), u32::from(w));
                }
                (old, u128::from(equal))
            }
            Inst::LoadRelative { base, offset, .. } => {
                let at = address(base).wrapping_add(address(offset));
                let n = self.load(at, 32) as u32 as i32;
                let sum = address(base).wrapping_add(i64::from(n) as u64);
                (u128::from(sum), 0)
            }
            Inst::VaCopy { dst, src } => {
                let from = address(src) as usize;
                self.memory
                    .copy_within(from..from + 24, address(dst) as usize);
                (0, 0)
            }
            Inst::Assume { cond } => {
                assert_eq!(get(cond), 1, "an assumption");
                (0, 0)
            }
            Inst::Lifetime { .. }
            | Inst::CheckDemand { .. }
            | Inst::CheckRange { .. }
            | Inst::CheckDefined { .. }
            | Inst::CheckReference { .. }
            | Inst::CheckInBounds { .. }
            | Inst::StackSave { .. }
            | Inst::StackRestore { .. }
            | Inst::VaEnd { .. } => (0, 0),
            _ => scalar(inst, get),
        }
    }
}
