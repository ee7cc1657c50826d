//! Fingerprints: hashes over everything that a harness reaches.
//!
//! This is everything that the executor may look at: bodies of functions that reached code calls,
//! or whose address occurs in it, globals with their contents, and the source places that a report
//! shows. The starting points are the entry, the program's constructors, and functions that models
//! call by name.
//!
//! Functions and globals are identified by the order in which they are first reached, never by
//! their numbers in the program, nor by a number that the compiler put into a name. So the hash
//! does not change when code that is not reached is added, removed or changed. Each function and
//! global is hashed once per program, with its references numbered by first mention; a harness's
//! hash is over those hashes, in order, and over the targets of the references.
//!
//! The placement of objects in memory does depend on the whole program. For outcomes that depend on
//! it there is [`Fingerprints::whole`].

use super::Hash;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;
use symex_engine::models;
use symex_program::{
    Body, CallSite, Callee, Constant, FuncId, Function, Global, GlobalId, Init, Inst, LandingPad,
    LocId, Program, Reloc, RelocTarget, function,
};

/// Globals that the engine knows by name (see `exec`), so that their names are part of the hash.
const NAMED: &[&str] = &["environ", "__environ", "stdin", "stdout", "stderr"];

/// A node of the program that is hashed: a function or a global.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum CodeNode {
    Function(FuncId),
    Global(GlobalId),
}

/// The hash of a node by itself, with its references numbered by first mention.
struct NodeHash {
    hash: Hash,
    mentions: Box<[CodeNode]>,
}

/// The fingerprints of one program's harnesses.
pub struct Fingerprints {
    program: Arc<Program>,
    parts: FxHashMap<CodeNode, NodeHash>,
    places: FxHashMap<LocId, Hash>,
    weak: FxHashSet<CodeNode>,
    named: FxHashMap<GlobalId, Vec<&'static str>>,
    roots: Vec<CodeNode>,
    whole: Option<Hash>,
}

impl Fingerprints {
    /// Creates the fingerprints of a program, none of which is computed yet.
    pub fn new(program: Arc<Program>) -> Self {
        let weak_functions = program
            .weak_functions
            .iter()
            .map(|f| CodeNode::Function(*f));
        let weak_globals = program.weak_globals.iter().map(|g| CodeNode::Global(*g));
        let mut named: FxHashMap<GlobalId, Vec<&'static str>> = FxHashMap::default();
        for name in NAMED {
            if let Some(global) = program.global_names.get(*name) {
                named.entry(*global).or_default().push(name);
            }
        }
        let constructors = program.constructors.iter().copied();
        let destructors = program.destructors.iter().copied();
        let entered = (0u32..).map(FuncId).zip(&program.functions);
        let entered = entered.filter(|(_, f)| models::ENTERED.contains(&f.display.as_str()));
        let roots = constructors
            .chain(destructors)
            .chain(entered.map(|(id, _)| id));
        Fingerprints {
            roots: roots.map(CodeNode::Function).collect(),
            weak: weak_functions.chain(weak_globals).collect(),
            named,
            parts: FxHashMap::default(),
            places: FxHashMap::default(),
            whole: None,
            program,
        }
    }

    /// Returns the program that is hashed.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Returns the hash of everything that is reached from an entry.
    pub fn reached(&mut self, entry: FuncId) -> Hash {
        let mut hasher = blake3::Hasher::new();
        let mut numbers: FxHashMap<CodeNode, u32> = FxHashMap::default();
        let mut order: Vec<CodeNode> = Vec::new();
        let mut number = |node: CodeNode, order: &mut Vec<CodeNode>| {
            *numbers.entry(node).or_insert_with(|| {
                order.push(node);
                order.len() as u32 - 1
            })
        };
        hasher.update(&(self.program.constructors.len() as u64).to_le_bytes());
        hasher.update(&(self.program.destructors.len() as u64).to_le_bytes());
        for root in std::iter::once(CodeNode::Function(entry)).chain(self.roots.iter().copied()) {
            hasher.update(&number(root, &mut order).to_le_bytes());
        }
        let mut next = 0;
        while let Some(node) = order.get(next).copied() {
            next += 1;
            let part = self.part(node);
            hasher.update(&part.hash);
            for mention in &part.mentions {
                hasher.update(&number(*mention, &mut order).to_le_bytes());
            }
        }
        *hasher.finalize().as_bytes()
    }

    /// Returns the hash of an entry with all of the program, reached or not.
    pub fn whole(&mut self, entry: FuncId) -> Hash {
        let program = self.program.clone();
        let whole = *self.whole.get_or_insert_with(|| hash_program(&program));
        let mut hasher = blake3::Hasher::new();
        hasher.update(&whole);
        hasher.update(&entry.0.to_le_bytes());
        *hasher.finalize().as_bytes()
    }

    fn part(&mut self, node: CodeNode) -> &NodeHash {
        if !self.parts.contains_key(&node) {
            let program = self.program.clone();
            let mut writer = HashWriter {
                to: HashSink::default(),
                mentions: Vec::new(),
                fingerprints: self,
            };
            match node {
                CodeNode::Function(id) => writer.function(id, program.function(id)),
                CodeNode::Global(id) => writer.global(id, program.global(id)),
            }
            let part = NodeHash {
                hash: writer.to.hash(),
                mentions: writer.mentions.into(),
            };
            self.parts.insert(node, part);
        }
        &self.parts[&node]
    }

    /// Returns the hash of a place in source with the calls that were inlined around it.
    fn place(&mut self, id: LocId) -> Hash {
        if let Some(known) = self.places.get(&id) {
            return *known;
        }
        let program = self.program.clone();
        let table = &program.locs;
        let mut to = HashSink::default();
        match table.get(id) {
            None => to.put(&0u8),
            Some(loc) => {
                to.put(&1u8);
                to.put(&table.files.get(loc.file as usize));
                to.put(&table.scopes.get(loc.scope as usize));
                to.put(&table.declared(loc.scope));
                to.put(&(loc.line, loc.column));
                // The recursion ends, because a place is inlined into an earlier one (an invariant
                // of programs).
                to.put(&loc.inlined_at.map(|up| self.place(up)));
            }
        }
        let hash = to.hash();
        self.places.insert(id, hash);
        hash
    }
}

/// Returns a name without the numbers that compiler and linker append to make names unique.
fn unnumbered(name: &str) -> &str {
    if name.starts_with("anon.") {
        return "anon";
    }
    let digits = |end: &str| !end.is_empty() && end.bytes().all(|b| b.is_ascii_digit());
    let mut name = name;
    while let Some((before, end)) = name.rsplit_once('.')
        && digits(end)
    {
        name = before;
    }
    name
}

/// Returns the hash of the whole program, with its own numbering.
fn hash_program(program: &Program) -> Hash {
    let Program {
        functions,
        globals,
        locs,
        function_names,
        global_names,
        constructors,
        // Their contents are listed in `constructors`.
        arrays: _,
        destructors,
        weak_functions,
        weak_globals,
        native,
        library,
        reasons,
    } = program;
    let mut function_names: Vec<_> = function_names.iter().collect();
    function_names.sort_unstable();
    let mut global_names: Vec<_> = global_names.iter().collect();
    global_names.sort_unstable();
    let mut to = HashSink::default();
    to.put(&(functions, globals, locs, function_names, global_names));
    to.put(&(constructors, destructors));
    to.put(&(weak_functions, weak_globals, native, library, reasons));
    to.hash()
}

/// Sink that hashes values as bytes.
#[derive(Default)]
struct HashSink {
    hasher: blake3::Hasher,
    buffer: Vec<u8>,
}

impl HashSink {
    /// Number of bytes that are buffered before they are hashed, which is quicker than hashing
    /// small pieces.
    const ENOUGH: usize = 16 << 10;

    fn put(&mut self, value: &(impl Serialize + ?Sized)) {
        // Serialisation cannot fail with the program's types and this sink.
        let _ = postcard::to_io(value, &mut *self);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= Self::ENOUGH {
            self.hasher.update(&self.buffer);
            self.buffer.clear();
        }
    }

    fn hash(mut self) -> Hash {
        self.hasher.update(&self.buffer);
        self.buffer.clear();
        *self.hasher.finalize().as_bytes()
    }
}

impl Write for HashSink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.bytes(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes one node into a hash. Every type is destructured by field name, so that a new field
/// cannot be forgotten.
struct HashWriter<'a> {
    to: HashSink,
    mentions: Vec<CodeNode>,
    fingerprints: &'a mut Fingerprints,
}

impl HashWriter<'_> {
    /// Writes a reference to a node, by its number.
    fn mention(&mut self, node: CodeNode) {
        // Lists are short except for large tables, whose entries mostly differ.
        let known = self.mentions.iter().rev().take(64).position(|m| *m == node);
        let number = match known {
            Some(back) => self.mentions.len() - 1 - back,
            None => {
                self.mentions.push(node);
                self.mentions.len() - 1
            }
        };
        self.to.put(&(number as u64));
    }

    fn is_weak(&self, node: CodeNode) -> bool {
        self.fingerprints.weak.contains(&node)
    }

    fn function(&mut self, id: FuncId, f: &Function) {
        let Function {
            name,
            display,
            params,
            returns,
            floats,
            joined,
            variadic,
            body,
            noreturn,
            rust,
        } = f;
        self.to
            .put(&(params, returns, floats, joined, variadic, noreturn, rust));
        // Functions with a model, or without a body, are identified by their whole names; other
        // names matter only in reports.
        if body.is_none() || models::find(f).is_some() {
            let program = self.fingerprints.program.clone();
            let native = program.native.iter().find(|n| n.0 == *name);
            let weak = self.is_weak(CodeNode::Function(id));
            self.to.put(&(name, display, weak, native));
        } else {
            self.to.put(unnumbered(display));
        }
        self.to.put(&body.is_some());
        if let Some(body) = body {
            self.body(body);
        }
    }

    fn body(&mut self, body: &Body) {
        let Body {
            code,
            locs,
            blocks,
            slots,
            edges,
            moves,
            calls,
            switches,
            landing_pads,
            constants,
            operands,
            indirect,
        } = body;
        let program = self.fingerprints.program.clone();
        self.to.put(&code.len());
        for inst in code {
            match inst {
                Inst::Unsupported { reason } => {
                    self.to.put(&Inst::Unsupported { reason: 0 });
                    self.to.put(&program.reasons.get(*reason as usize));
                }
                other => self.to.put(other),
            }
        }
        self.to.put(&locs.len());
        for loc in locs {
            let place = self.fingerprints.place(*loc);
            self.to.bytes(&place);
        }
        self.to.put(&(blocks, slots, edges, moves));
        self.to.put(&(switches, operands, indirect));
        self.to.put(&calls.len());
        for call in calls {
            self.call(call);
        }
        self.to.put(&landing_pads.len());
        for pad in landing_pads {
            self.landing_pad(pad);
        }
        self.to.put(&constants.len());
        for constant in constants {
            self.constant(constant);
        }
    }

    fn call(&mut self, call: &CallSite) {
        let CallSite {
            callee,
            args,
            byval,
            variable,
            dst,
            returns,
            used,
            floats,
            joined,
            nounwind,
            normal,
            unwind,
        } = call;
        match callee {
            Callee::Direct(f) => {
                self.to.put(&0u8);
                self.mention(CodeNode::Function(*f));
            }
            Callee::Indirect(operand) => self.to.put(&(1u8, operand)),
            Callee::InlineAsm(text) => self.to.put(&(2u8, text)),
        }
        self.to.put(&(args, byval, variable));
        self.to.put(&(dst, returns, used, floats, joined));
        self.to.put(&(nounwind, normal, unwind));
    }

    fn landing_pad(&mut self, pad: &LandingPad) {
        let LandingPad {
            cleanup,
            catches,
            filters,
        } = pad;
        self.to.put(&(cleanup, filters, catches.len()));
        for clause in catches {
            // The code compares with this number, which is computed from the number of the global.
            self.to.put(&function::selector(*clause));
            if let Some(global) = clause {
                self.mention(CodeNode::Global(*global));
            }
        }
    }

    fn constant(&mut self, constant: &Constant) {
        match constant {
            Constant::Int(_) | Constant::Wide(..) | Constant::Undef => {
                self.to.put(&(0u8, constant));
            }
            Constant::Global(g, offset) => {
                self.to.put(&(1u8, offset));
                self.mention(CodeNode::Global(*g));
            }
            Constant::Function(f) => {
                self.to.put(&2u8);
                self.mention(CodeNode::Function(*f));
            }
            Constant::Block(f, block) => {
                self.to.put(&(3u8, block));
                self.mention(CodeNode::Function(*f));
            }
        }
    }

    fn global(&mut self, id: GlobalId, g: &Global) {
        let Global {
            name,
            display: _,
            size,
            align,
            constant,
            thread_local,
            rust,
            init,
        } = g;
        self.to.put(&(size, align, constant, thread_local, rust));
        let named = self.fingerprints.named.get(&id).cloned();
        self.to.put(&named);
        match init {
            None => {
                let weak = self.is_weak(CodeNode::Global(id));
                self.to.put(&(0u8, name, weak));
            }
            Some(init) => {
                self.to.put(&(1u8, unnumbered(name)));
                self.contents(init);
            }
        }
    }

    fn contents(&mut self, init: &Init) {
        let Init {
            bytes,
            undef,
            relocs,
        } = init;
        self.to.put(&bytes.len());
        self.to.bytes(bytes);
        self.to.put(&(undef, relocs.len()));
        for reloc in relocs {
            let Reloc {
                offset,
                size,
                target,
                addend,
                minus,
            } = reloc;
            self.to.put(&(offset, size, addend));
            self.target(*target);
            self.to.put(&minus.map(|m| m.1));
            if let Some((minus, _)) = minus {
                self.target(*minus);
            }
        }
    }

    fn target(&mut self, target: RelocTarget) {
        match target {
            RelocTarget::Global(g) => {
                self.to.put(&0u8);
                self.mention(CodeNode::Global(g));
            }
            RelocTarget::Function(f) => {
                self.to.put(&1u8);
                self.mention(CodeNode::Function(f));
            }
            RelocTarget::Block(f, block) => {
                self.to.put(&(2u8, block));
                self.mention(CodeNode::Function(f));
            }
        }
    }
}

#[cfg(test)]
#[path = "fingerprint_tests.rs"]
mod tests;
