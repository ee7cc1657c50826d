//! Global variables and their initial contents.

use super::{FuncId, GlobalId};
use serde::{Deserialize, Serialize};

/// The start of the names of globals that hold what local variables hold before they are written;
/// the size in bytes follows. It cannot be the start of a symbol of a program.
pub const UNWRITTEN: &str = "symex.unwritten.";

/// A global variable.
#[derive(Debug, Serialize, Deserialize)]
pub struct Global {
    pub name: String,
    pub display: String,
    /// Bytes.
    pub size: u64,
    /// Bytes, a power of two.
    pub align: u64,
    pub constant: bool,
    pub thread_local: bool,
    /// `None`: declared only (external).
    pub init: Option<Init>,
}

impl Global {
    /// Does it hold what local variables hold before they are written?
    pub fn is_of_locals(&self) -> bool {
        self.name.starts_with(UNWRITTEN)
    }
}

/// Initial contents.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Init {
    /// The bytes; zeros past the end of the vector up to the global's size. Where a relocation
    /// stands, zeros.
    pub bytes: Vec<u8>,
    /// Byte ranges `[start, end)` that LLVM calls undef (padding excluded: it is zero).
    pub undef: Vec<(u64, u64)>,
    /// Addresses in the contents, ascending by offset.
    pub relocs: Vec<Reloc>,
}

impl Init {
    /// The functions whose plain addresses are in the contents, from the start.
    pub fn functions(&self) -> Vec<FuncId> {
        let function = |reloc: &Reloc| match reloc.target {
            RelocTarget::Function(f) if reloc.addend == 0 && reloc.minus.is_none() => Some(f),
            _ => None,
        };
        self.relocs.iter().filter_map(function).collect()
    }
}

/// An address, or a difference of addresses, within initial contents.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reloc {
    /// Byte offset.
    pub offset: u64,
    /// Bytes: 8 for an address, 4 or 8 for a difference.
    pub size: u8,
    pub target: RelocTarget,
    /// Added to the target's address, wrapping.
    pub addend: u64,
    /// The contents are `target + addend - (minus.0 + minus.1)`: an entry of a relative look-up
    /// table.
    pub minus: Option<(RelocTarget, u64)>,
}

/// What a relocation refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RelocTarget {
    Global(GlobalId),
    Function(FuncId),
    /// A block of a function.
    Block(FuncId, u32),
}
