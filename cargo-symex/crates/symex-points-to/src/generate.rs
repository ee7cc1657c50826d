//! Constraint generation: walks functions as they become reachable and makes constraints of each
//! instruction's use of pointers.
//!
//! Every slot is a node, whatever its type. A value computed bit by bit from a pointer may be that
//! pointer; results of comparisons, counts of bits and float arithmetic are none. An offset is not
//! followed into the address to which [`Inst::PtrAdd`] adds it (an address belongs to the object of
//! its base) unless the base is a plain number.

use super::effect::Effect;
use super::graph::{Graph, ObjectContents, PointerNode};
use super::library;
use super::object::{AbstractId, AbstractObject, OUTSIDE, Objects};
use super::result::{AnalysisStats, PointsTo};
use super::site::Site;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::time::Instant;
use symex_program::{
    Bin, Body, Callee, Constant, FuncId, Function, Inst, Operand, Program, RelocTarget, Slot, Un,
};

/// Options of the analysis.
pub struct AnalysisOptions<'a> {
    /// Functions that are called from outside of the program.
    pub entries: &'a [FuncId],
    /// Whether the entries may be given addresses, of outside memory or of escaped objects.
    pub given_addresses: bool,
    /// Effects of functions that are not to be analysed, with or without body; above all
    /// allocators.
    pub effects: &'a dyn Fn(&Function) -> Option<Effect>,
    /// Whether to follow parts of pointers, down to single bytes. Otherwise, a pointer that is
    /// stored in pieces is lost, but numbers of less than 64 bits in a structure are not taken for
    /// the pointers beside them.
    pub pieces: bool,
    /// Whether to use the table of well-known functions for functions with a body, too.
    pub trust_names: bool,
}

/// Returns the effect of an allocator with a usual name in C, C++ or Rust.
pub fn usual(function: &Function) -> Option<Effect> {
    library::allocator(&function.name, &function.display)
}

/// The source of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ValueSource {
    /// Not an address.
    Plain,
    Node(PointerNode),
    Address(AbstractId),
}

/// Nodes of a function: one per slot, and one per leaf of the result.
#[derive(Clone, Copy)]
pub(super) struct FunctionNodes {
    pub slots: PointerNode,
    pub returns: PointerNode,
}

impl FunctionNodes {
    pub fn slot(self, slot: Slot) -> PointerNode {
        PointerNode(self.slots.0 + slot.0)
    }
}

pub(super) struct Generator<'a> {
    pub program: &'a Program,
    pub options: &'a AnalysisOptions<'a>,
    pub graph: Graph,
    pub objects: Objects,
    /// Nodes of the functions that are reachable and have a body to analyse.
    pub functions: Vec<Option<FunctionNodes>>,
    pub unread: Vec<FuncId>,
    pub sites: Vec<Site>,
    pub wired: FxHashSet<(u32, AbstractId)>,
    /// Node of the addresses that escape to the outside.
    pub escaped: PointerNode,
    pub thrown: PointerNode,
    /// Functions that are called but neither have a body nor are known.
    pub unknown: BTreeSet<FuncId>,
}

impl PointsTo {
    /// Analyses the code that is reachable from the entries and from the functions that the program
    /// runs before and after.
    pub fn analyse(program: &Program, options: &AnalysisOptions) -> PointsTo {
        let start = Instant::now();
        let mut generator = Generator::new(program, options);
        let roots = options
            .entries
            .iter()
            .map(|f| (*f, options.given_addresses));
        let around = program.constructors.iter().chain(&program.destructors);
        for (f, with_addresses) in roots.chain(around.map(|f| (*f, false))) {
            generator.enter_from_outside(f, with_addresses);
        }
        let mut found = Vec::new();
        loop {
            while let Some(f) = generator.unread.pop() {
                generator.read_body(f);
            }
            if generator.graph.is_settled() {
                break;
            }
            generator.graph.wave(&mut found);
            for (site, callee) in found.drain(..) {
                generator.found_callee(site, callee);
            }
        }
        let stats = AnalysisStats {
            nodes: generator.graph.len(),
            objects: generator.objects.len(),
            functions: generator.functions.iter().flatten().count(),
            call_edges: generator.wired.len(),
            counts: generator.graph.counts,
            time: start.elapsed(),
            ..AnalysisStats::default()
        };
        PointsTo::new(
            program,
            generator.objects,
            generator.functions,
            generator.escaped,
            generator.unknown.into_iter().collect(),
            generator.graph.finish(),
            stats,
        )
    }
}

impl<'a> Generator<'a> {
    fn new(program: &'a Program, options: &'a AnalysisOptions<'a>) -> Self {
        let mut graph = Graph::default();
        let escaped = graph.node();
        let thrown = graph.node();
        let mut this = Generator {
            program,
            options,
            graph,
            objects: Objects::new(program),
            functions: vec![None; program.functions.len()],
            unread: Vec::new(),
            sites: Vec::new(),
            wired: FxHashSet::default(),
            escaped,
            thrown,
            unknown: BTreeSet::new(),
        };
        this.outside();
        this.globals();
        for _ in &program.functions {
            this.graph.add_object(ObjectContents::Nothing);
        }
        this
    }

    /// Adds the constraints of the outside, which reads all that escapes, writes there what it has,
    /// and calls what it can.
    fn outside(&mut self) {
        self.graph
            .add_object(ObjectContents::Variable(self.escaped));
        let read = self.graph.loaded(self.escaped);
        self.graph.unify(read, self.escaped);
        let written = self.graph.stored(self.escaped);
        self.graph.add_member(written, OUTSIDE);
        let site = self.add_site(Site::from_outside());
        self.graph.add_call(self.escaped, site);
    }

    fn globals(&mut self) {
        for (i, global) in self.program.globals.iter().enumerate() {
            let Some(init) = &global.init else {
                let node = self.graph.node();
                self.graph.add_object(ObjectContents::Variable(node));
                self.graph
                    .add_member(self.escaped, AbstractId(1 + i as u32));
                continue;
            };
            if global.constant && init.relocs.is_empty() {
                self.graph.add_object(ObjectContents::Nothing);
                continue;
            }
            let node = self.graph.node();
            for reloc in &init.relocs {
                let object = match reloc.target {
                    RelocTarget::Global(g) => AbstractObject::Global(g),
                    RelocTarget::Function(f) | RelocTarget::Block(f, _) => {
                        AbstractObject::Function(f)
                    }
                };
                let object = self.objects.add(object).0;
                self.graph.add_member(node, object);
            }
            self.graph.add_object(match global.constant {
                true => ObjectContents::Constant(node),
                false => ObjectContents::Variable(node),
            });
        }
    }

    /// Returns the number of an object of variable contents, such as code makes.
    pub fn object(&mut self, object: AbstractObject) -> AbstractId {
        let (id, is_new) = self.objects.add(object);
        if is_new {
            let node = self.graph.node();
            self.graph.add_object(ObjectContents::Variable(node));
        }
        id
    }

    pub fn add_site(&mut self, site: Site) -> u32 {
        self.sites.push(site);
        self.sites.len() as u32 - 1
    }

    /// Reports whether a value of this width can be a pointer, or a piece of one worth following.
    pub fn carries(&self, width: u32) -> bool {
        width >= 64 || (self.options.pieces && width >= 8)
    }

    /// Adds the constraint that `to` includes `value`.
    pub fn assign(&mut self, to: PointerNode, value: ValueSource) {
        match value {
            ValueSource::Plain => {}
            ValueSource::Node(from) => self.graph.add_copy(from, to),
            ValueSource::Address(object) => self.graph.add_member(to, object),
        }
    }

    /// Returns the node of the contents behind an address, for reading.
    pub fn behind(&mut self, pointer: ValueSource) -> ValueSource {
        match pointer {
            ValueSource::Plain => ValueSource::Plain,
            ValueSource::Node(p) => ValueSource::Node(self.graph.loaded(p)),
            ValueSource::Address(OUTSIDE) => ValueSource::Address(OUTSIDE),
            ValueSource::Address(object) => match self.graph.contents(object) {
                ObjectContents::Nothing => ValueSource::Plain,
                ObjectContents::Constant(node) | ObjectContents::Variable(node) => {
                    ValueSource::Node(node)
                }
            },
        }
    }

    /// Adds the constraint that `value` is written where `pointer` points.
    pub fn store(&mut self, pointer: ValueSource, value: ValueSource) {
        if value == ValueSource::Plain {
            return;
        }
        match pointer {
            ValueSource::Plain => {}
            ValueSource::Node(p) => {
                let node = self.graph.stored(p);
                self.assign(node, value);
            }
            ValueSource::Address(object) => {
                if let ObjectContents::Variable(node) = self.graph.contents(object) {
                    self.assign(node, value);
                }
            }
        }
    }

    /// Returns the nodes of a function with a body, which will be analysed.
    pub fn reach(&mut self, f: FuncId, body: &Body) -> FunctionNodes {
        if let Some(nodes) = self.functions[f.0 as usize] {
            return nodes;
        }
        let returns = self.program.function(f).returns.len() as u32;
        let slots = self.graph.new_nodes(body.slots);
        let nodes = FunctionNodes {
            slots,
            returns: self.graph.new_nodes(returns),
        };
        self.functions[f.0 as usize] = Some(nodes);
        self.unread.push(f);
        nodes
    }

    fn read_body(&mut self, f: FuncId) {
        let function = self.program.function(f);
        if let (Some(body), Some(nodes)) = (&function.body, self.functions[f.0 as usize]) {
            FunctionReader {
                g: self,
                f,
                body,
                nodes,
                written_once: written_once(function, body),
            }
            .read();
        }
    }
}

/// Reports for each slot whether a single instruction defines it.
fn written_once(function: &Function, body: &Body) -> Vec<bool> {
    let mut writes = vec![0u8; body.slots as usize];
    let mut count = |slot: u32| {
        if let Some(n) = writes.get_mut(slot as usize) {
            *n = n.saturating_add(1);
        }
    };
    (0..function.params.len() as u32).for_each(&mut count);
    for inst in &body.code {
        if let Some((slot, n)) = inst.writes() {
            (slot.0..slot.0 + n).for_each(&mut count);
        }
        if let Inst::Call { site } = inst {
            let site = &body.calls[*site as usize];
            (site.dst.0..site.dst.0 + site.returns.len() as u32).for_each(&mut count);
        }
    }
    for (slot, _) in &body.moves {
        count(slot.0);
    }
    writes.into_iter().map(|n| n <= 1).collect()
}

struct FunctionReader<'g, 'a> {
    g: &'g mut Generator<'a>,
    f: FuncId,
    body: &'a Body,
    nodes: FunctionNodes,
    written_once: Vec<bool>,
}

impl FunctionReader<'_, '_> {
    fn read(mut self) {
        for (i, inst) in self.body.code.iter().enumerate() {
            self.inst(i as u32, inst);
        }
        for &(dst, from) in &self.body.moves {
            self.define(dst, &[from]);
        }
    }

    fn value(&mut self, operand: Operand) -> ValueSource {
        let index = match operand.decode() {
            Ok(slot) => return ValueSource::Node(self.nodes.slot(slot)),
            Err(index) => index as usize,
        };
        let object = match self.body.constants.get(index) {
            Some(Constant::Global(g, _)) => AbstractObject::Global(*g),
            Some(Constant::Function(f) | Constant::Block(f, _)) => AbstractObject::Function(*f),
            Some(Constant::Int(_) | Constant::Wide(..) | Constant::Undef) | None => {
                return ValueSource::Plain;
            }
        };
        self.g
            .objects
            .find(object)
            .map_or(ValueSource::Plain, ValueSource::Address)
    }

    /// Adds the constraints that the slot may be any of the operands.
    fn define(&mut self, dst: Slot, from: &[Operand]) {
        let values: Vec<ValueSource> = from
            .iter()
            .map(|o| self.value(*o))
            .filter(|v| *v != ValueSource::Plain)
            .collect();
        match values[..] {
            [value] => self.define_as(dst, value),
            _ => {
                for value in values {
                    let dst = self.nodes.slot(dst);
                    self.g.assign(dst, value);
                }
            }
        }
    }

    /// Adds the constraint that the slot has this value.
    fn define_as(&mut self, dst: Slot, value: ValueSource) {
        let node = self.nodes.slot(dst);
        match value {
            // Nothing else is ever there.
            ValueSource::Node(from) if self.written_once[dst.0 as usize] => {
                self.g.graph.unify(node, from)
            }
            _ => self.g.assign(node, value),
        }
    }

    fn load(&mut self, width: u32, dst: Slot, pointer: Operand) {
        let pointer = self.value(pointer);
        self.accessed(pointer);
        if self.g.carries(width) {
            let loaded = self.g.behind(pointer);
            self.define_as(dst, loaded);
        }
    }

    fn store(&mut self, width: u32, pointer: Operand, value: Operand) {
        let pointer = self.value(pointer);
        self.accessed(pointer);
        if self.g.carries(width) {
            let value = self.value(value);
            self.g.store(pointer, value);
        }
    }

    fn copy(&mut self, dst: Operand, src: Operand) {
        let (dst, src) = (self.value(dst), self.value(src));
        self.accessed(dst);
        self.accessed(src);
        let contents = self.g.behind(src);
        self.g.store(dst, contents);
    }

    fn accessed(&mut self, pointer: ValueSource) {
        if let ValueSource::Node(p) = pointer {
            self.g.graph.mark_accessed(p);
        }
    }

    fn access(&mut self, pointer: Operand) {
        let pointer = self.value(pointer);
        self.accessed(pointer);
    }

    fn inst(&mut self, at: u32, inst: &Inst) {
        match *inst {
            Inst::Move { dst, a } | Inst::Freeze { dst, a, .. } => self.define(dst, &[a]),
            Inst::Bin { op, dst, a, b, .. } => match op {
                Bin::FAdd
                | Bin::FSub
                | Bin::FMul
                | Bin::FDiv
                | Bin::FRem
                | Bin::FMinNum
                | Bin::FMaxNum
                | Bin::FMinimum
                | Bin::FMaximum => {}
                // Of the other operand, only one bit or a count gets there.
                Bin::FCopySign | Bin::PtrMask | Bin::Shl | Bin::LShr | Bin::AShr => {
                    self.define(dst, &[a])
                }
                Bin::UShlSat | Bin::SShlSat => self.define(dst, &[a]),
                Bin::Add
                | Bin::Sub
                | Bin::Mul
                | Bin::UDiv
                | Bin::SDiv
                | Bin::URem
                | Bin::SRem
                | Bin::And
                | Bin::Or
                | Bin::Xor
                | Bin::UMin
                | Bin::UMax
                | Bin::SMin
                | Bin::SMax
                | Bin::UAddSat
                | Bin::SAddSat
                | Bin::USubSat
                | Bin::SSubSat => self.define(dst, &[a, b]),
            },
            Inst::Un { op, dst, a, .. } => match op {
                Un::ByteSwap | Un::BitReverse | Un::Abs | Un::FNeg | Un::FAbs => {
                    self.define(dst, &[a])
                }
                Un::Popcount | Un::Clz | Un::Ctz => {}
                Un::FSqrt | Un::FFloor | Un::FCeil | Un::FTrunc | Un::FRint | Un::FRound => {}
            },
            Inst::Cast { to, dst, a, .. } | Inst::Extract { to, dst, a, .. } => {
                if self.g.carries(to.into()) {
                    self.define(dst, &[a]);
                }
            }
            Inst::Select { dst, a, b, .. } | Inst::FunnelShift { dst, a, b, .. } => {
                self.define(dst, &[a, b])
            }
            Inst::Overflow { dst, a, b, .. } => self.define(dst, &[a, b]),
            Inst::Concat { dst, hi, lo, .. } => self.define(dst, &[hi, lo]),
            Inst::PtrAdd {
                dst, base, index, ..
            } => match self.value(base) {
                ValueSource::Plain => self.define(dst, &[index]),
                base => self.define_as(dst, base),
            },
            Inst::Alloca { dst, .. } => {
                let object = self.g.object(AbstractObject::Alloca {
                    function: self.f,
                    inst: at,
                });
                self.define_as(dst, ValueSource::Address(object));
            }
            Inst::Load { w, dst, ptr, .. } => self.load(w.into(), dst, ptr),
            Inst::Store { w, ptr, value, .. } => self.store(w.into(), ptr, value),
            Inst::MemCpy { dst, src, .. } | Inst::MemMove { dst, src, .. } => self.copy(dst, src),
            Inst::MemSet { dst, .. } => self.access(dst),
            Inst::AtomicRmw {
                w, dst, ptr, value, ..
            } => {
                self.load(w.into(), dst, ptr);
                self.store(w.into(), ptr, value);
                // The sum, say, of what is there and the operand is there afterwards: both are
                // already.
            }
            Inst::CmpXchg {
                w, dst, ptr, new, ..
            } => {
                self.load(w.into(), dst, ptr);
                self.store(w.into(), ptr, new);
            }
            Inst::ThreadLocal { dst, a } => self.define(dst, &[a]),
            Inst::LoadRelative { dst, base, .. } => {
                let base = self.value(base);
                self.accessed(base);
                let target = self.g.behind(base);
                let dst = self.nodes.slot(dst);
                self.g.assign(dst, base);
                self.g.assign(dst, target);
            }
            Inst::VaStart { list } => {
                let area = self.g.object(AbstractObject::VariableArguments(self.f));
                let list = self.value(list);
                self.accessed(list);
                self.g.store(list, ValueSource::Address(area));
            }
            Inst::VaCopy { dst, src } => self.copy(dst, src),
            Inst::VaArg { dst, list, .. } => {
                let list = self.value(list);
                self.accessed(list);
                let area = self.g.behind(list);
                let argument = self.g.behind(area);
                self.define_as(dst, argument);
            }
            Inst::Lifetime { ptr, .. } | Inst::ObjectSize { ptr, .. } => self.access(ptr),
            Inst::VaEnd { list } => self.access(list),
            Inst::Call { site } => self.call(at, site),
            Inst::LandingPad { dst, .. } => {
                let thrown = ValueSource::Node(self.g.thrown);
                self.define_as(dst, thrown);
            }
            Inst::Resume { exception, .. } => {
                let value = self.value(exception);
                self.g.assign(self.g.thrown, value);
            }
            Inst::Ret { first, count } => {
                let operands = self.body.results(first, count);
                for (i, operand) in operands.iter().enumerate() {
                    let value = self.value(*operand);
                    let leaf = PointerNode(self.nodes.returns.0 + i as u32);
                    self.g.assign(leaf, value);
                }
            }
            // Truth values, small numbers, control; the moves on edges are read for the whole body.
            Inst::Cmp { .. }
            | Inst::FCmp { .. }
            | Inst::Fma { .. }
            | Inst::ThreeWay { .. }
            | Inst::FClass { .. }
            | Inst::Assume { .. }
            | Inst::CheckDemand { .. }
            | Inst::CheckRange { .. }
            | Inst::CheckDefined { .. }
            | Inst::CheckReference { .. }
            | Inst::CheckInBounds { .. }
            | Inst::Fence { .. }
            | Inst::Pause
            | Inst::StackSave { .. }
            | Inst::StackRestore { .. }
            | Inst::Br { .. }
            | Inst::CondBr { .. }
            | Inst::Switch { .. }
            | Inst::IndirectBr { .. }
            | Inst::Unreachable
            | Inst::Unsupported { .. } => {}
        }
    }

    fn call(&mut self, at: u32, index: u32) {
        let call = &self.body.calls[index as usize];
        let mut args = Vec::with_capacity(call.args.len());
        for (operand, _) in &call.args {
            args.push(self.value(*operand));
        }
        let results = (0..call.returns.len() as u32)
            .map(|i| self.nodes.slot(Slot(call.dst.0 + i)))
            .collect();
        let narrow = call.returns.iter().map(|w| !self.g.carries(*w)).collect();
        let site = Site {
            at: Some((self.f, at)),
            args,
            copied: call.byval.iter().map(|b| b.0).collect(),
            results,
            narrow,
        };
        match &call.callee {
            Callee::Direct(callee) => {
                self.g.call(&site, *callee);
                let dst = call.dst.0..call.dst.0 + call.returns.len() as u32;
                self.g.unify_results(&site, *callee, |i| {
                    dst.clone()
                        .nth(i)
                        .is_some_and(|slot| self.written_once[slot as usize])
                });
            }
            Callee::Indirect(callee) => match self.value(*callee) {
                ValueSource::Plain => {}
                ValueSource::Address(object) => {
                    let site = self.g.add_site(site);
                    self.g.found_callee(site, object);
                }
                ValueSource::Node(node) => {
                    let site = self.g.add_site(site);
                    self.g.graph.add_call(node, site);
                }
            },
            Callee::InlineAsm(_) => self.g.call_outside(&site),
        }
    }
}
