//! The immutable form of a whole program that the engine executes.
//!
//! **What it is.** Functions, blocks and instructions on numbered slots, translated once from
//! bitcode and shared between threads. Everything is flat: SSA values live in numbered slots of a
//! frame, one slot per *scalar* (an aggregate or a vector takes one slot per leaf, in order), so no
//! instruction knows aggregates or vectors; phis have become moves on edges; constants are
//! resolved; struct layouts and type sizes are gone. A program may be joined from parts ([`part`],
//! [`join`]), [`check`] verifies its form, [`store`] saves and loads it, [`text`] prints it.
//!
//! **What it needs.** Nothing of the other crates. Nothing here names LLVM.
//!
//! **What it promises.** A program that passes [`check`] has no slot read before it is written, no
//! dangling index and no operand of the wrong width.

pub mod characters;
pub mod check;
pub mod flow;
pub mod function;
pub mod global;
pub mod hashing;
pub mod inst;
pub mod join;
pub mod loc;
pub mod part;
pub mod properties;
pub mod reach;
pub mod rust_path;
pub mod store;
pub mod text;
pub mod utf8;
mod visit;
pub mod written_path;

pub use visit::Mention;

pub use function::{
    Body, CallSite, Callee, Constant, Edge, Function, LandingPad, Marks, Param, ParamClaim, Switch,
};
pub use global::{Global, Init, Reloc, RelocTarget, UNWRITTEN};
pub use inst::*;
pub use loc::{Loc, LocId, LocTable};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Name of the external function in place of the instruction `syscall` of x86-64: it takes the
/// call's number and arguments, and returns an error as a negative number.
pub const SYSTEM_CALL: &str = "symex.syscall";

/// Index of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct FuncId(pub u32);

/// Index of a global variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct GlobalId(pub u32);

/// A whole program for a 64-bit little-endian target.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Program {
    pub functions: Vec<Function>,
    pub globals: Vec<Global>,
    pub locs: LocTable,
    /// Map from symbol name to function, defined or not; aliases included.
    pub function_names: FxHashMap<String, FuncId>,
    /// Map from symbol name to global; aliases included (but no alias with an offset).
    pub global_names: FxHashMap<String, GlobalId>,
    /// Functions to run before the entry, in order: those of `arrays`, then those of
    /// `llvm.global_ctors`.
    pub constructors: Vec<FuncId>,
    /// Variables in sections `.init_array*`, in the order in which their functions run.
    pub arrays: Vec<InitArray>,
    /// Functions to run when the program has ended, in order (`llvm.global_dtors`).
    pub destructors: Vec<FuncId>,
    /// Functions declared `extern_weak` and not defined: absent (address null) unless the executor
    /// supplies them.
    pub weak_functions: Vec<FuncId>,
    /// Globals declared `extern_weak` and not defined.
    pub weak_globals: Vec<GlobalId>,
    /// Native code that was linked without bitcode: symbol name and origin.
    pub native: Vec<(String, String)>,
    /// Names of functions and variables that come from the C library in bitcode.
    pub library: Vec<String>,
    /// Texts of [`Inst::Unsupported`].
    pub reasons: Vec<String>,
}

/// A variable that holds functions to run before the entry (`.init_array`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InitArray {
    pub section: String,
    pub global: GlobalId,
    pub functions: Vec<FuncId>,
}

impl InitArray {
    /// Returns the functions that the arrays hold, in order.
    pub fn functions_of(arrays: &[InitArray]) -> impl Iterator<Item = FuncId> {
        arrays
            .iter()
            .flat_map(|array| array.functions.iter().copied())
    }

    /// Sorts arrays by execution order: `.init_array.N` comes before plain `.init_array`, and
    /// within a section link order is kept.
    pub fn sort(arrays: &mut [InitArray]) {
        arrays.sort_by_key(|array| (array.section == ".init_array", array.section.clone()));
    }
}

impl Program {
    /// Returns the function of an id.
    pub fn function(&self, id: FuncId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// Returns the global of an id.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }
}
