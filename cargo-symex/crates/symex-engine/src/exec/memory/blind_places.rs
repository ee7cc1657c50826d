//! Address-blind places: code that looks at addresses for speed or for checks, with the same result
//! wherever objects are.

use crate::state::{Frame, State};
use rustc_hash::FxHashMap;
use symex_program::{FuncId, LocId, Program};

/// Functions, by a part of their names, whose results do not depend on the addresses that they look
/// at.
const BLIND: &[&str] = &[
    "precondition_check",
    "core::ub_checks::",
    "core::slice::memchr::",
    "core::str::validations::",
    "core::str::count::",
    "core::slice::ascii::",
];

/// Number of innermost frames that are searched for one of these functions.
const DEPTH: usize = 4;

/// Remembered answers, by code location.
pub(in crate::exec) struct BlindPlaces<'a> {
    program: &'a Program,
    known: FxHashMap<(FuncId, LocId), bool>,
}

impl<'a> BlindPlaces<'a> {
    pub fn new(program: &'a Program) -> Self {
        BlindPlaces {
            program,
            known: FxHashMap::default(),
        }
    }

    /// Reports whether the path is in one of these functions.
    pub fn holds(&mut self, st: &State) -> bool {
        st.stack
            .iter()
            .take(DEPTH)
            .any(|frame| self.is_blind(frame))
    }

    /// Reports whether a frame is in one of these functions, possibly inlined.
    fn is_blind(&mut self, frame: &Frame) -> bool {
        let blind = |name: &str| BLIND.iter().any(|part| name.contains(part));
        let function = self.program.function(frame.function);
        let loc = function
            .body
            .as_ref()
            .and_then(|body| body.locs.get(frame.pc as usize).copied())
            .unwrap_or_default();
        if let Some(known) = self.known.get(&(frame.function, loc)) {
            return *known;
        }
        let mut found = blind(&function.display);
        let mut next = (loc != LocId::default()).then_some(loc);
        while let Some(loc) = next.and_then(|id| self.program.locs.get(id)) {
            let scope = self.program.locs.scopes.get(loc.scope as usize);
            found |= scope.is_some_and(|name| blind(name));
            next = loc.inlined_at;
        }
        self.known.insert((frame.function, loc), found);
        found
    }
}
