//! Joins the bitcode of a program: from the roots, only what they reach.
//!
//! Works like a linker over archives, but by symbol instead of by object file: a module is opened without its function
//! bodies, what is asked of it is marked as required and everything else as optional, and LLVM's linker then moves only
//! what is referred to. A module may be asked several times. For that to be harmless its local symbols get names that are
//! unique in the program, so that the second visit finds the copies of the first.
//!
//! Invariant: each symbol has one defining input, chosen before anything is linked, as a native linker would choose.
//! Finding the inputs (object files, archives, native code) is not done here.

mod resolve;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use std::sync::Arc;

use inkwell::context::Context;
use inkwell::module::Module;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::llvm;
use super::passes::{self, PassProfile};
use super::step::Step;
use resolve::{Resolution, Symbol};
use source::{Diagnostics, Global, SourceModule, Strength};

/// A range of bytes of a file that several inputs share.
#[derive(Clone)]
pub struct Bytes {
    whole: Arc<[u8]>,
    range: std::ops::Range<usize>,
}

impl Bytes {
    /// The bytes of `whole` in `range`; `None` when it does not fit.
    pub fn new(whole: Arc<[u8]>, range: std::ops::Range<usize>) -> Option<Self> {
        whole.get(range.clone())?;
        Some(Bytes { whole, range })
    }

    /// The bytes themselves.
    pub fn as_slice(&self) -> &[u8] {
        &self.whole[self.range.clone()]
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        Bytes {
            whole: bytes.into(),
            range,
        }
    }
}

/// What an object file holds.
#[derive(Clone)]
pub enum Code {
    /// LLVM bitcode.
    Bitcode(Bytes),
    /// Machine code only: its functions can be named, not executed.
    Native,
}

/// One object file or archive member that may belong to the program.
#[derive(Clone)]
pub struct LinkInput {
    /// Where it comes from, for messages: `libfoo.rlib(bar.o)`.
    pub origin: String,
    /// The code.
    pub code: Code,
    /// True for an archive member: it belongs to the program only if it defines something that is missing.
    pub lazy: bool,
    /// The symbols it defines, when an index tells; `None` lets the linker look into the bitcode.
    pub defines: Option<Vec<String>>,
    /// True for the C library in bitcode, which stands behind all others, and is none where they bring one of their own.
    pub library: bool,
}

/// What to link for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LinkOptions {
    /// Which harnesses of the object files (not of archives) are roots.
    pub harnesses: Harnesses,
    /// More roots, by symbol or by demangled path.
    pub roots: Vec<String>,
    /// More roots, by demangled path, of programs that have harnesses; they need not be there.
    pub helpers: Vec<String>,
    /// What stays undefined whatever defines it, because the engine has its own meaning for it: a symbol, a demangled
    /// path, or with a `*` at the end the beginning of a symbol that is visible to other modules.
    pub opaque: Vec<String>,
    /// Symbols that stay undefined, too, where the inputs bring a C library of their own, whatever their linkage.
    pub opaque_of_libc: Vec<String>,
    /// The C library in bitcode, if there is one.
    pub library: Option<LibraryFile>,
    /// What to run over the linked program.
    pub passes: PassProfile,
}

/// Which harnesses a program is linked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Harnesses {
    #[default]
    None,
    /// All of them, but only what describes them: no code.
    Descriptions,
    /// Those of these [names](HarnessRoot::name), without what describes them.
    Chosen(BTreeSet<String>),
}

/// A C library in bitcode that defines what nothing else does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryFile {
    /// The bitcode.
    pub file: std::path::PathBuf,
    /// What is in it, by a hash.
    pub hash: String,
    /// The symbols that programs may take from it.
    pub defines: Vec<String>,
}

/// A harness in the linked program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HarnessRoot {
    /// Demangled path without the crate and without the generated module: `tests::parses`.
    pub path: String,
    /// The crate of the path.
    pub krate: String,
    /// Symbol of the entry function.
    pub entry: String,
    /// Symbol of the metadata static, if it is there.
    pub meta: Option<String>,
}

impl HarnessRoot {
    /// The path with its crate, which no other harness of a test executable has.
    pub fn name(&self) -> String {
        format!("{}::{}", self.krate, self.path)
    }
}

/// A symbol the program refers to and no bitcode defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndefinedSymbol {
    /// The symbol.
    pub symbol: String,
    /// The object file that has machine code for it, if one of the inputs has.
    pub native_in: Option<String>,
}

/// What is known about a linked program besides its bitcode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramInfo {
    /// The harnesses, ordered by path.
    pub harnesses: Vec<HarnessRoot>,
    /// Symbols of the other roots, in the order they were asked for.
    pub roots: Vec<String>,
    /// What is left undefined, ordered by symbol; libc and the opaque symbols are among it.
    pub undefined: Vec<UndefinedSymbol>,
    /// Statics in `.init_array` sections, in link order; `llvm.global_ctors` are in the module itself.
    pub init_array: Vec<String>,
    /// What was taken from the C library in bitcode, ordered by symbol.
    pub library: Vec<String>,
}

impl ProgramInfo {
    /// The symbols of which only machine code is there, and where that is.
    pub fn native(&self) -> Vec<(String, String)> {
        let undefined = self.undefined.iter();
        undefined
            .filter_map(|symbol| Some((symbol.symbol.clone(), symbol.native_in.clone()?)))
            .collect()
    }
}

/// A program in one module.
pub struct LinkedProgram {
    /// Bitcode; empty when there was no root to link for.
    pub bitcode: Vec<u8>,
    /// What is known about it.
    pub info: ProgramInfo,
}

impl LinkedProgram {
    /// What [`link_with`] gives, as bitcode.
    pub fn of(module: &Module<'_>, info: ProgramInfo) -> LinkedProgram {
        let bitcode = match info.harnesses.is_empty() && info.roots.is_empty() {
            true => Vec::new(),
            false => module.write_bitcode_to_memory().as_slice().to_vec(),
        };
        LinkedProgram { bitcode, info }
    }
}

/// Why bitcode could not be joined. Text reads after "failed to link bitcode: ".
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum LinkError {
    /// Not bitcode, damaged, or of a version that this LLVM cannot read.
    #[error("{origin} cannot be read by LLVM {reader}, the Rust toolchain's: {reason}")]
    Unreadable {
        origin: String,
        reader: String,
        reason: String,
    },
    /// There is no LLVM to link with. The text is that of an [`llvm::LlvmError`].
    #[error("failed to {0}")]
    NoLlvm(String),
    /// Two modules do not fit together.
    #[error("{origin} does not fit the rest of the program: {reason}")]
    Mismatch { origin: String, reason: String },
    /// A root that was asked for by name is not there.
    #[error("no function or static called `{0}`")]
    NoSuchRoot(String),
    /// What was linked breaks LLVM's rules.
    #[error("the linked program is not valid: {0}")]
    Invalid(String),
    /// The passes failed or left a broken module.
    #[error("preparing the linked program: {0}")]
    Passes(String),
}

impl LinkError {
    /// For an input that the loaded LLVM does not read.
    fn unreadable(origin: &str, reason: String) -> LinkError {
        LinkError::Unreadable {
            origin: origin.to_owned(),
            reader: llvm::version()
                .map(|version| version.to_string())
                .unwrap_or_default(),
            reason,
        }
    }
}

/// Links what the roots reach. No root found gives an empty program, not an error: a test target without a harness is
/// nothing unusual. Each step is told before it begins.
pub fn link(
    inputs: &[LinkInput],
    options: &LinkOptions,
    tell: &dyn Fn(Step),
) -> Result<LinkedProgram, LinkError> {
    link_with(inputs, options, tell, LinkedProgram::of)
}

/// The same for one who needs the module only: to write bitcode, read it again and verify it takes as long as the rest.
pub fn link_with<T>(
    inputs: &[LinkInput],
    options: &LinkOptions,
    tell: &dyn Fn(Step),
    finish: impl FnOnce(&Module<'_>, ProgramInfo) -> T,
) -> Result<T, LinkError> {
    llvm::require().map_err(|error| LinkError::NoLlvm(error.to_string()))?;
    let context = Context::create();
    let diagnostics = Diagnostics::attach(&context);
    let resolution = Resolution::new(&context, inputs, options, &diagnostics, tell)?;
    let mut info = ProgramInfo {
        harnesses: resolution.harnesses.clone(),
        ..ProgramInfo::default()
    };
    info.roots = resolution
        .named_roots
        .iter()
        .map(|root| root.symbol.clone())
        .collect();
    let program = context.create_module("program");
    if info.harnesses.is_empty() && info.roots.is_empty() {
        return Ok(finish(&program, info));
    }
    let mut linker = Linker {
        context: &context,
        diagnostics: &diagnostics,
        tell,
        inputs,
        resolution,
        program,
        target: None,
        visited: FxHashSet::default(),
        asked: FxHashSet::default(),
        pending: BTreeMap::new(),
        init_array: Vec::new(),
        from_library: BTreeSet::new(),
    };
    linker.run()?;
    linker.finish(&mut info);
    tell(Step::Prepare);
    // The reader lets much through that passes only crash on.
    passes::verify(&linker.program).map_err(LinkError::Invalid)?;
    passes::run(&linker.program, &options.passes).map_err(LinkError::Passes)?;
    linker.list_undefined(&mut info);
    Ok(finish(&linker.program, info))
}

/// The state of one link.
struct Linker<'a> {
    context: &'a Context,
    diagnostics: &'a Diagnostics,
    tell: &'a dyn Fn(Step),
    inputs: &'a [LinkInput],
    resolution: Resolution,
    program: Module<'a>,
    /// Triple and data layout of the program: those of the first module.
    target: Option<(String, String)>,
    /// Inputs linked at least once.
    visited: FxHashSet<usize>,
    /// Symbols asked for, so that one that turns out to be missing is not asked for again.
    asked: FxHashSet<String>,
    /// What still has to be taken, from which input.
    pending: BTreeMap<usize, BTreeSet<String>>,
    init_array: Vec<String>,
    /// Symbols that the library defines.
    from_library: BTreeSet<String>,
}

impl<'a> Linker<'a> {
    fn run(&mut self) -> Result<(), LinkError> {
        for root in self.resolution.roots() {
            self.asked.insert(root.symbol.clone());
            self.pending
                .entry(root.input)
                .or_default()
                .insert(root.symbol);
        }
        for input in self.resolution.with_constructors.clone() {
            self.pending.entry(input).or_default();
        }
        while let Some((input, symbols)) = self.pending.pop_first() {
            self.take(input, &symbols)?;
            self.ask_for_missing();
        }
        Ok(())
    }

    /// Links `symbols` of one input, and what they refer to in the same input.
    fn take(&mut self, index: usize, symbols: &BTreeSet<String>) -> Result<(), LinkError> {
        let input = &self.inputs[index];
        let Code::Bitcode(bytes) = &input.code else {
            return Ok(());
        };
        (self.tell)(Step::Read(input.origin.clone()));
        let unreadable = |reason| LinkError::unreadable(&input.origin, reason);
        let mismatch = |reason| LinkError::Mismatch {
            origin: input.origin.clone(),
            reason,
        };
        let module = SourceModule::open(self.context, bytes.as_slice(), self.diagnostics)
            .map_err(unreadable)?;
        let (triple, layout) = self
            .target
            .get_or_insert_with(|| (module.target(), module.data_layout()));
        if *layout != module.data_layout() {
            let reason = format!(
                "its data layout is `{}`, that of the program `{layout}`",
                module.data_layout()
            );
            return Err(mismatch(reason));
        }
        let triple = CString::new(triple.as_str()).expect("a triple has no NUL");
        module.set_target(&triple);
        let first_visit = self.visited.insert(index);
        for (ordinal, global) in module.globals().into_iter().enumerate() {
            self.prepare(&module, index, ordinal, global, symbols, first_visit);
        }
        module
            .link_into(&self.program, self.diagnostics)
            .map_err(mismatch)
    }

    /// Decides for one global of an opened module whether and how it is linked.
    fn prepare(
        &mut self,
        module: &SourceModule<'a>,
        index: usize,
        ordinal: usize,
        global: Global<'a>,
        symbols: &BTreeSet<String>,
        first_visit: bool,
    ) {
        let name = global.name();
        if name.starts_with("llvm.") {
            // What `#[used]` keeps alive for others is no reason to execute it; constructors come once.
            if name == "llvm.used"
                || name == "llvm.compiler.used"
                || (global.is_appending() && !first_visit)
            {
                global.delete_variable();
            }
            return;
        }
        global.leave_comdat();
        if global.is_declaration() {
            return;
        }
        let constructor = first_visit && resolve::is_constructor_section(&global.section());
        let strength = global.strength();
        if self
            .resolution
            .is_opaque(&name, strength == Strength::Local)
        {
            return module.demote(global);
        }
        let symbol = if strength == Strength::Local {
            let symbol = resolve::program_wide_name(&name, index, ordinal);
            global.rename(&symbol);
            symbol
        } else {
            name
        };
        if strength == Strength::Local || self.resolution.definer(&symbol) == Some(index) {
            if constructor {
                self.init_array.push(symbol.clone());
            }
            if constructor || symbols.contains(&symbol) {
                global.make_required()
            } else {
                global.make_optional()
            }
        } else if matches!(strength, Strength::Equal | Strength::Copy) {
            global.make_copy();
        } else {
            module.demote(global);
        }
    }

    /// Notes what the program now refers to and some input defines.
    fn ask_for_missing(&mut self) {
        for global in source::globals_of(&self.program) {
            if !global.is_declaration() && global.strength() != Strength::Copy {
                continue;
            }
            let name = global.name();
            if name.starts_with("llvm.") || self.asked.contains(&name) {
                continue;
            }
            if let Some(input) = self.resolution.definer(&name) {
                if self.inputs[input].library {
                    self.from_library.insert(name.clone());
                }
                self.pending.entry(input).or_default().insert(name.clone());
            }
            self.asked.insert(name);
        }
    }

    /// Hides everything but the roots and gives roots their own names back.
    fn finish(&mut self, info: &mut ProgramInfo) {
        let mut roots: BTreeMap<String, Symbol> = BTreeMap::new();
        for root in self.resolution.roots() {
            roots.insert(root.symbol.clone(), root);
        }
        let kept: FxHashSet<&String> = self.init_array.iter().collect();
        let mut renamed: BTreeMap<String, String> = BTreeMap::new();
        for global in source::globals_of(&self.program) {
            let name = global.name();
            if name.starts_with("llvm.") || global.is_declaration() {
                continue;
            }
            if let Some(root) = roots.get(&name) {
                if root.original != name && self.program.get_function(&root.original).is_none() {
                    global.rename(&root.original);
                    renamed.insert(name, global.name());
                }
            } else if !kept.contains(&name) {
                global.make_local();
            }
        }
        let current = |symbol: &mut String| {
            if let Some(name) = renamed.get(symbol) {
                symbol.clone_from(name);
            }
        };
        info.harnesses.iter_mut().for_each(|harness| {
            current(&mut harness.entry);
            harness.meta.iter_mut().for_each(current);
        });
        info.roots.iter_mut().for_each(current);
        info.init_array = std::mem::take(&mut self.init_array);
        info.library = std::mem::take(&mut self.from_library).into_iter().collect();
    }

    fn list_undefined(&self, info: &mut ProgramInfo) {
        let mut undefined: Vec<UndefinedSymbol> = source::globals_of(&self.program)
            .into_iter()
            .filter(|global| global.is_declaration() && global.is_used())
            .map(|global| global.name())
            .filter(|name| !name.starts_with("llvm."))
            .map(|symbol| {
                let native_in = self.resolution.native_definer(&symbol, self.inputs);
                UndefinedSymbol { symbol, native_in }
            })
            .collect();
        undefined.sort_by(|a, b| a.symbol.cmp(&b.symbol));
        info.undefined = undefined;
    }
}

#[cfg(test)]
mod tests;
