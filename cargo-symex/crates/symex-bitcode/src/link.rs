//! Linker for the bitcode of a program: starts from the roots and takes only what they reach.
//!
//! It works like a linker over archives, but by symbol instead of by object file: a module is
//! opened without its function bodies, the wanted symbols are marked as required and everything
//! else as optional, and LLVM's linker then moves only what is referred to. A module may be visited
//! several times. For that to be harmless its local symbols get names that are unique in the
//! program, so that the second visit finds the copies of the first.
//!
//! Invariant: each symbol has one defining input, chosen before anything is linked, as a native
//! linker would choose. Finding the inputs (object files, archives, native code) is not done here.

mod divided;
mod linker;
mod property_tests;
mod resolve;
mod source;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use inkwell::context::Context;
use inkwell::module::Module;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::llvm;
use super::passes::{self, ModuleRole, PassProfile};
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
    /// Makes the range `range` of `whole`; `None` when it does not fit.
    pub fn new(whole: Arc<[u8]>, range: std::ops::Range<usize>) -> Option<Self> {
        whole.get(range.clone())?;
        Some(Bytes { whole, range })
    }

    /// Returns the bytes.
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

/// Code in an object file.
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
    /// Origin, for messages: `libfoo.rlib(bar.o)`.
    pub origin: String,
    /// The code.
    pub code: Code,
    /// Whether it is an archive member: it belongs to the program only if it defines a missing
    /// symbol.
    pub lazy: bool,
    /// Symbols that it defines, if an index lists them; `None` lets the linker read the bitcode.
    pub defines: Option<Vec<String>>,
    /// Whether it is the C library in bitcode, which comes behind all other inputs, and is left out
    /// where they bring one of their own.
    pub library: bool,
    /// Position in a previously compiled crate, if it is one of its modules.
    pub of_crate: Option<CrateMember>,
}

impl LinkInput {
    /// Returns a number that no other input of the program has, for the names of its local symbols.
    /// That of a crate's module is the same in all programs.
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
    /// Index of the module in the library.
    pub position: u32,
}

/// Library of a crate (`.rlib`), containing only what rustc made.
pub struct CrateLibrary {
    bytes: Arc<[u8]>,
    hash: OnceLock<blake3::Hash>,
}

impl CrateLibrary {
    /// Makes the library with these contents.
    pub fn new(bytes: Arc<[u8]>) -> Self {
        CrateLibrary {
            bytes,
            hash: OnceLock::new(),
        }
    }

    /// Returns a hash of its contents.
    pub fn hash(&self) -> &blake3::Hash {
        self.hash.get_or_init(|| blake3::hash(&self.bytes))
    }

    /// Returns its contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl std::fmt::Debug for CrateLibrary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CrateLibrary({} bytes)", self.bytes.len())
    }
}

/// Options of a link.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LinkOptions {
    /// Harnesses of the object files (not of archives) that are roots.
    pub harnesses: Harnesses,
    /// More roots, by symbol or by demangled path.
    pub roots: Vec<String>,
    /// Further roots, by demangled path, of programs that have harnesses; they may be missing.
    pub helpers: Vec<String>,
    /// Functions that stay undefined whatever defines them, because the engine has its own meaning
    /// for them: a symbol, a demangled path, or with a `*` at the end the beginning of a symbol
    /// that is visible to other modules.
    pub opaque: Vec<String>,
    /// Symbols that stay undefined, too, where the inputs bring a C library of their own, whatever
    /// their linkage.
    pub opaque_of_libc: Vec<String>,
    /// The C library in bitcode, if there is one.
    pub library: Option<LibraryFile>,
    /// Passes to run over the linked program.
    pub passes: PassProfile,
}

/// Harnesses for which a program is linked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Harnesses {
    #[default]
    None,
    /// All of them, but only their descriptions: no code.
    Descriptions,
    /// The harnesses of these [names](HarnessRoot::name), without their descriptions.
    Chosen(BTreeSet<String>),
}

/// A C library in bitcode, which supplies symbols that nothing else defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryFile {
    /// The bitcode.
    pub file: std::path::PathBuf,
    /// Hash of its contents.
    pub hash: String,
    /// Symbols that programs may take from it.
    pub defines: Vec<String>,
}

/// A harness in the linked program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HarnessRoot {
    /// Demangled path without the crate and without the generated module: `tests::parses`.
    pub path: String,
    /// Crate of the path.
    pub krate: String,
    /// Symbol of the entry function.
    pub entry: String,
    /// Symbol of the metadata static, if it is there.
    pub meta: Option<String>,
}

impl HarnessRoot {
    /// Returns the path with its crate, which no other harness of a test executable has.
    pub fn name(&self) -> String {
        format!("{}::{}", self.krate, self.path)
    }
}

/// A `#[test]` that runs the cases of a property, by a library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyTest {
    /// Demangled path of its function without the crate, as the test is called: `tests::parses`.
    pub path: String,
    /// Crate of the path.
    pub krate: String,
    pub library: PropertyLibrary,
    /// Whether its library, as it was built, runs one case that stands for all. quickcheck itself
    /// draws values of its own.
    pub is_explorable: bool,
}

/// Library that runs the cases of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PropertyLibrary {
    /// The test gives a closure of its own to the runner of proptest.
    Proptest,
    /// The test comes to calls of quickcheck.
    QuickCheck,
    /// The test comes to calls of bolero.
    Bolero,
}

/// A symbol that the program refers to and no bitcode defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndefinedSymbol {
    /// The symbol.
    pub symbol: String,
    /// Object file that has machine code for it, if one of the inputs has.
    pub native_in: Option<String>,
}

/// Facts about a linked program besides its bitcode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramInfo {
    /// Harnesses, ordered by path.
    pub harnesses: Vec<HarnessRoot>,
    /// Tests of properties, ordered by path, if descriptions were asked for.
    pub property_tests: Vec<PropertyTest>,
    /// Symbols of the other roots, in the order in which they were asked for.
    pub roots: Vec<String>,
    /// Undefined symbols in order, including libc and the opaque symbols.
    pub undefined: Vec<UndefinedSymbol>,
    /// Statics in `.init_array` sections, in link order; `llvm.global_ctors` are in the module
    /// itself.
    pub init_array: Vec<String>,
    /// Symbols taken from the C library in bitcode, in order.
    pub library: Vec<String>,
}

impl ProgramInfo {
    /// Reports whether there is no root.
    fn is_empty(&self) -> bool {
        self.harnesses.is_empty() && self.roots.is_empty()
    }

    /// Replaces the names of renamed roots, given by a map from old to new names.
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

    /// Adds the facts known from linking to the translated program.
    pub fn complete(&self, program: Program) -> Program {
        Program {
            native: self.native(),
            library: self.library.clone(),
            ..program
        }
    }

    /// Returns the symbols that exist as machine code only, with its origin.
    fn native(&self) -> Vec<(String, String)> {
        let undefined = self.undefined.iter();
        undefined
            .filter_map(|symbol| Some((symbol.symbol.clone(), symbol.native_in.clone()?)))
            .collect()
    }
}

/// A linked program in one module.
pub struct LinkedProgram {
    /// Bitcode; empty when there was no root to link for.
    pub bitcode: Vec<u8>,
    /// Facts about the program.
    pub info: ProgramInfo,
}

impl LinkedProgram {
    /// Makes a linked program of a module from [`link_with`].
    pub fn of(module: &Module<'_>, info: ProgramInfo) -> LinkedProgram {
        let bitcode = match info.is_empty() {
            true => Vec::new(),
            false => module.write_bitcode_to_memory().as_slice().to_vec(),
        };
        LinkedProgram { bitcode, info }
    }
}

/// Reason why bitcode could not be linked. The text follows "failed to link bitcode: ".
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum LinkError {
    /// An input that is not bitcode, damaged, or of a version that this LLVM cannot read.
    #[error("{origin} cannot be read by LLVM {reader}, the Rust toolchain's: {reason}")]
    Unreadable {
        origin: String,
        reader: String,
        reason: String,
    },
    /// No LLVM to link with. The text is that of an [`llvm::LlvmError`].
    #[error("failed to {0}")]
    NoLlvm(String),
    /// Two incompatible modules.
    #[error("{origin} does not fit the rest of the program: {reason}")]
    Mismatch { origin: String, reason: String },
    /// A root given by name that does not exist.
    #[error("no function or static called `{0}`")]
    NoSuchRoot(String),
    /// A linked module that breaks LLVM's rules.
    #[error("the linked program is not valid: {0}")]
    Invalid(String),
    /// Passes that failed or left a broken module.
    #[error("preparing the linked program: {0}")]
    Passes(String),
}

impl LinkError {
    /// Makes the error for an input that the loaded LLVM does not read.
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

/// Links what the roots reach. No root gives an empty program, not an error, since a test target
/// without a harness is usual. Each step is reported before it begins.
pub fn link(
    inputs: &[LinkInput],
    options: &LinkOptions,
    tell: &dyn Fn(Step),
) -> Result<LinkedProgram, LinkError> {
    link_with(inputs, options, tell, LinkedProgram::of)
}

/// Links as [`link`] does, and passes the module itself to `finish`: writing bitcode, reading it
/// again and verifying it takes as long as the rest.
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

/// Reads the symbol tables of all inputs, and runs work that needs them.
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

/// Links what the roots reach within a scope, and runs the passes over it. Other modules may want
/// more symbols of the scope later.
fn link_roots<'a>(
    session: Session<'a>,
    scope: &'a dyn Fn(usize) -> bool,
    options: &LinkOptions,
    more: &[resolve::LinkSymbol],
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
    passes::run(&linker.module, &options.passes, ModuleRole::Program).map_err(LinkError::Passes)?;
    Ok(linker)
}

#[cfg(test)]
mod tests;
