//! Source locations of the user's code, each with its chain of inlining.

use serde::{Deserialize, Serialize};

/// Index of a location; 0 is "unknown".
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize,
)]
pub struct LocId(pub u32);

/// A source location.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Loc {
    /// Index in [`LocTable::files`].
    pub file: u32,
    /// Line from 1; 0 is unknown.
    pub line: u32,
    /// Column from 1; 0 is unknown.
    pub column: u32,
    /// Index in [`LocTable::scopes`] of the function whose source this is (which may be inlined
    /// into another).
    pub scope: u32,
    /// Location at which that function was inlined.
    pub inlined_at: Option<LocId>,
}

/// All source locations of a program.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct LocTable {
    /// Locations; entry 0 is the unknown location.
    pub locs: Vec<Loc>,
    /// File paths as the compiler wrote them; relative ones are made absolute with the compilation
    /// directory.
    pub files: Vec<String>,
    /// Readable (demangled) function names.
    pub scopes: Vec<String>,
    /// For the scopes, as far as known, the line at which the function is declared; 0 is unknown.
    pub declared: Vec<u32>,
}

impl LocTable {
    /// Returns the line at which the function of a scope is declared; 0 is unknown.
    pub fn declared(&self, scope: u32) -> u32 {
        self.declared.get(scope as usize).copied().unwrap_or(0)
    }

    /// Notes the line at which the function of a scope is declared, if none is known.
    pub fn declare(&mut self, scope: u32, line: u32) {
        let at = scope as usize;
        if self.declared.len() <= at {
            self.declared.resize(at + 1, 0);
        }
        if self.declared[at] == 0 {
            self.declared[at] = line;
        }
    }

    /// Returns the readable name of the function whose source a location is.
    pub fn scope(&self, loc: &Loc) -> Option<&str> {
        self.scopes.get(loc.scope as usize).map(String::as_str)
    }

    /// Returns the location of an id.
    pub fn get(&self, id: LocId) -> Option<&Loc> {
        if id.0 == 0 {
            None
        } else {
            self.locs.get(id.0 as usize)
        }
    }
}
