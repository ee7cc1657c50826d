//! Global variables and their initial contents.

use super::{FuncId, GlobalId};
use serde::{Deserialize, Serialize};

/// Prefix of the names of globals that hold the values of local variables before their first write;
/// the size in bytes follows. No symbol of a program can start with it.
pub const UNWRITTEN: &str = "symex.unwritten.";

/// A global variable.
#[derive(Debug, Serialize, Deserialize)]
pub struct Global {
    pub name: String,
    pub display: String,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u64,
    pub constant: bool,
    pub thread_local: bool,
    /// Whether the global is compiled from Rust, by its name.
    pub rust: bool,
    /// Initial contents; `None` for a global that is only declared (external).
    pub init: Option<Init>,
}

impl Global {
    /// Reports whether the global is constant, and has no addresses in it.
    pub fn is_table_of_numbers(&self) -> bool {
        let init = self.init.as_ref();
        self.constant && init.is_some_and(|init| init.relocs.is_empty())
    }

    /// Reports whether the global holds the values of local variables before their first write.
    pub fn is_of_locals(&self) -> bool {
        self.name.starts_with(UNWRITTEN)
    }
}

/// Initial contents of a global.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Init {
    /// Initial bytes, followed by zeros up to the global's size. Bytes of a relocation are zeros.
    pub bytes: Vec<u8>,
    /// Byte ranges `[start, end)` that LLVM calls undef (padding excluded: it is zero).
    pub undef: Vec<(u64, u64)>,
    /// Addresses in the contents, ascending by offset.
    pub relocs: Vec<Reloc>,
}

impl Init {
    /// Returns the functions whose plain addresses are in the contents, by ascending offset.
    pub fn functions(&self) -> Vec<FuncId> {
        let function = |reloc: &Reloc| match reloc.target {
            RelocTarget::Function(f) if reloc.addend == 0 && reloc.minus.is_none() => Some(f),
            _ => None,
        };
        self.relocs.iter().filter_map(function).collect()
    }
}

/// Relocation: an address, or a difference of addresses, within initial contents.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reloc {
    /// Offset in the contents, in bytes.
    pub offset: u64,
    /// Size in bytes: 8 for an address, 4 or 8 for a difference.
    pub size: u8,
    pub target: RelocTarget,
    /// Offset added to the target's address, wrapping.
    pub addend: u64,
    /// Address to subtract, in entries of relative look-up tables: the value is `target + addend -
    /// (minus.0 + minus.1)`.
    pub minus: Option<(RelocTarget, u64)>,
}

/// Target of a relocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RelocTarget {
    Global(GlobalId),
    Function(FuncId),
    /// A block of a function.
    Block(FuncId, u32),
}
