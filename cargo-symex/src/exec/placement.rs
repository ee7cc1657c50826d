//! Where a path begins to depend on where objects were placed.
//!
//! The standard library looks at addresses for speed (words instead of bytes, once they are aligned) and for checks (do two
//! ranges overlap?), and what comes of it is the same wherever the objects are. Such looks do not count.

use super::Machine;
use crate::program::LocId;
use crate::state::{Frame, State};

/// Functions, by a part of their names, whose results do not depend on the addresses that they look at.
const BLIND: &[&str] = &[
    "precondition_check",
    "core::ub_checks::",
    "core::slice::memchr::",
    "core::str::validations::",
    "core::str::count::",
    "core::slice::ascii::",
];

/// So many frames of a function of these are looked at.
const DEPTH: usize = 4;

impl Machine<'_> {
    /// Notes that a decision of this path was made by the numeric value of an address.
    pub(super) fn note_address(&mut self, st: &mut State) {
        if st.address_dependent {
            return;
        }
        let blind = st
            .stack
            .iter()
            .take(DEPTH)
            .any(|frame| self.is_blind(frame));
        st.address_dependent = !blind;
    }

    /// Is a frame in one of these functions, be it inlined?
    fn is_blind(&mut self, frame: &Frame) -> bool {
        let blind = |name: &str| BLIND.iter().any(|part| name.contains(part));
        let function = self.program.function(frame.function);
        let loc = function
            .body
            .as_ref()
            .and_then(|body| body.locs.get(frame.pc as usize).copied())
            .unwrap_or_default();
        if let Some(known) = self.blind.get(&(frame.function, loc)) {
            return *known;
        }
        let mut found = blind(&function.display);
        let mut next = (loc != LocId::default()).then_some(loc);
        while let Some(loc) = next.and_then(|id| self.program.locs.get(id)) {
            let scope = self.program.locs.scopes.get(loc.scope as usize);
            found |= scope.is_some_and(|name| blind(name));
            next = loc.inlined_at;
        }
        self.blind.insert((frame.function, loc), found);
        found
    }
}
