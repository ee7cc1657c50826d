//! Joins the bitcode of a program: from the roots, only what they reach.
//!
//! Works like a linker over archives, but by symbol instead of by object file: a module is opened
//! without its function bodies, what is asked of it is marked as required and everything else as
//! optional, and LLVM's linker then moves only what is referred to. A module may be asked several
//! times. For that to be harmless its local symbols get names that are unique in the program, so
//! that the second visit finds the copies of the first.
//!
//! Invariant: each symbol has one defining input, chosen before anything is linked, as a native
//! linker would choose. Finding the inputs (object files, archives, native code) is not done here.

mod divided;
mod linker;
mod resolve;
mod source;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use inkwell::context::Context;
use inkwell::module::Module;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::llvm;
use super::passes::{self, Extent, PassProfile};
use super::step::Step;
pub use divided::{ProgramError, Shelf, link_divided};
use linker::{Linker, Session};
use resolve::Resolution;
use source::Diagnostics;
use symex_program::Program;

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

/// An object file or archive member that may belong to the program.
#[derive(Clone)]
pub struct LinkInput {
    /// Where it comes from, for messages: `libfoo.rlib(bar.o)`.
    pub origin: String,
    /// The code.
    pub code: Code,
    /// True for an archive member: it belongs to the program only if it defines something that is
    /// missing.
    pub lazy: bool,
    /// The symbols it defines, when an index tells; `None` lets the linker look into the bitcode.
    pub defines: Option<Vec<String>>,
    /// True for the C library in bitcode, which stands behind all others, and is none where they
    /// bring one of their own.
    pub library: bool,
    /// Where it is one of the modules of a crate that was compiled before.
    pub of_crate: Option<CrateMember>,
}

impl LinkInput {
    /// A number that no other input of the program has, for the names of its local symbols. That of
    /// a crate's module is the same in all programs.
    fn number(&self, index: usize) -> u64 {
        self.of_crate.as_ref().map_or(index as u64, |member| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(member.library.hash().as_bytes());
            hasher.update(&member.position.to_le_bytes());
            let hash = hasher.finalize();
            u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("eight bytes"))
        })
    }
}

/// A module in the library of a crate.
#[derive(Clone, Debug)]
pub struct CrateMember {
    pub library: Arc<CrateLibrary>,
    /// Which of its modules it is.
    pub position: u32,
}

/// The library of a crate (`.rlib`), with nothing in it but what rustc made.
pub struct CrateLibrary {
    bytes: Arc<[u8]>,
    hash: OnceLock<blake3::Hash>,
}

impl CrateLibrary {
    /// The library with these contents.
    pub fn new(bytes: Arc<[u8]>) -> Self {
        CrateLibrary {
            bytes,
            hash: OnceLock::new(),
        }
    }

    /// A hash of its contents.
    pub fn hash(&self) -> &blake3::Hash {
        self.hash.get_or_init(|| blake3::hash(&self.bytes))
    }

    /// Its contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl std::fmt::Debug for CrateLibrary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CrateLibrary({} bytes)", self.bytes.len())
    }
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
    /// What stays undefined whatever defines it, because the engine has its own meaning for it: a
    /// symbol, a demangled path, or with a `*` at the end the beginning of a symbol that is visible
    /// to other modules.
    pub opaque: Vec<String>,
    /// Symbols that stay undefined, too, where the inputs bring a C library of their own, whatever
    /// their linkage.
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
    /// The harnesses of these [names](HarnessRoot::name), without what describes them.
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
    /// Statics in `.init_array` sections, in link order; `llvm.global_ctors` are in the module
    /// itself.
    pub init_array: Vec<String>,
    /// What was taken from the C library in bitcode, ordered by symbol.
    pub library: Vec<String>,
}

impl ProgramInfo {
    /// Is there nothing to link for?
    fn is_empty(&self) -> bool {
        self.harnesses.is_empty() && self.roots.is_empty()
    }

    /// Follows roots that got other names: what they are called now, by what they were called.
    fn rename(&mut self, renamed: &FxHashMap<String, String>) {
        let current = |symbol: &mut String| {
            if let Some(name) = renamed.get(symbol) {
                symbol.clone_from(name);
            }
        };
        self.harnesses.iter_mut().for_each(|harness| {
            current(&mut harness.entry);
            harness.meta.iter_mut().for_each(current);
        });
        self.roots.iter_mut().for_each(current);
    }

    /// The translated program, with what only linking knows of it.
    pub fn complete(&self, program: Program) -> Program {
        Program {
            native: self.native(),
            library: self.library.clone(),
            ..program
        }
    }

    /// The symbols of which only machine code is there, and where that is.
    fn native(&self) -> Vec<(String, String)> {
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
        let bitcode = match info.is_empty() {
            true => Vec::new(),
            false => module.write_bitcode_to_memory().as_slice().to_vec(),
        };
        LinkedProgram { bitcode, info }
    }
}

/// Why bitcode could not be joined. Text reads after "failed to link bitcode: ".
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum LinkError {
    /// An input is not bitcode, damaged, or of a version that this LLVM cannot read.
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
    /// The error for an input that the loaded LLVM does not read.
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

/// Links what the roots reach. No root found gives an empty program, not an error: a test target
/// without a harness is nothing unusual. Each step is told before it begins.
pub fn link(
    inputs: &[LinkInput],
    options: &LinkOptions,
    tell: &dyn Fn(Step),
) -> Result<LinkedProgram, LinkError> {
    link_with(inputs, options, tell, LinkedProgram::of)
}

/// Links, and hands over the module itself: to write bitcode, read it again and verify it takes as
/// long as the rest.
pub fn link_with<T>(
    inputs: &[LinkInput],
    options: &LinkOptions,
    tell: &dyn Fn(Step),
    finish: impl FnOnce(&Module<'_>, ProgramInfo) -> T,
) -> Result<T, LinkError> {
    in_session(inputs, options, tell, |session| {
        let mut info = session.resolution.info();
        if info.is_empty() {
            return Ok(finish(&session.context.create_module("program"), info));
        }
        let linker = link_roots(session, &|_| true, options, &[], &mut info)?;
        info.undefined = linker.undefined();
        Ok(finish(&linker.module, info))
    })
}

/// Reads the symbol tables of all inputs, and does the work with them.
fn in_session<T, E: From<LinkError>>(
    inputs: &[LinkInput],
    options: &LinkOptions,
    tell: &dyn Fn(Step),
    work: impl FnOnce(Session<'_>) -> Result<T, E>,
) -> Result<T, E> {
    llvm::require().map_err(|error| LinkError::NoLlvm(error.to_string()))?;
    let context = Context::create();
    let diagnostics = Diagnostics::attach(&context);
    let resolution = Resolution::new(&context, inputs, options, &diagnostics, tell)?;
    work(Session {
        context: &context,
        diagnostics: &diagnostics,
        tell,
        inputs,
        resolution: &resolution,
    })
}

/// Links what the roots reach within a scope, and runs the passes over it. More symbols of the
/// scope may be wanted.
fn link_roots<'a>(
    session: Session<'a>,
    scope: &'a dyn Fn(usize) -> bool,
    options: &LinkOptions,
    more: &[resolve::Symbol],
    info: &mut ProgramInfo,
) -> Result<Linker<'a>, LinkError> {
    let resolution = session.resolution;
    let mut roots = resolution.roots();
    roots.retain(|root| scope(root.input));
    roots.extend_from_slice(more);
    let constructors = &resolution.with_constructors;
    let visited = Default::default();
    let mut linker = Linker::link(session, "program", scope, roots, constructors, visited)?;
    let renamed = linker.hide_all_but_roots();
    info.rename(&renamed);
    linker.tell_of(info);
    (session.tell)(Step::Prepare);
    // The reader lets much through that passes only crash on.
    passes::verify(&linker.module).map_err(LinkError::Invalid)?;
    passes::run(&linker.module, &options.passes, Extent::Program).map_err(LinkError::Passes)?;
    Ok(linker)
}

#[cfg(test)]
mod tests;
