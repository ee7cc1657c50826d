//! Address-blind places: code that looks at addresses for speed or for checks, with the same result
//! wherever objects are.

use crate::state::{Frame, State};
use rustc_hash::FxHashMap;
use symex_program::{FuncId, LocId, Program};

/// Functions, by a part of their names, whose results do not depend on the addresses that they look
/// at.
const BLIND: &[&str] = &[
    "core::slice::memchr::",
    "core::str::validations::",
    "core::str::count::",
    "core::slice::ascii::",
];

/// Functions, by a part of their names, that check what the caller claims: whether it holds does
/// not depend on the addresses that they look at either.
const CHECKS: &[&str] = &["precondition_check", "core::ub_checks::"];

/// Number of innermost frames that are searched for one of these functions.
const DEPTH: usize = 4;

/// Remembered answers, by code location.
pub(in crate::exec) struct BlindPlaces<'a> {
    program: &'a Program,
    known: FxHashMap<(FuncId, LocId), Sight>,
}

/// What code makes of the addresses that it looks at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sight {
    /// It may do anything.
    Sees,
    /// It has the same result wherever objects are.
    Blind,
    /// It checks what the caller claims.
    Check,
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
        self.sight(st) > Sight::Sees
    }

    /// Reports whether the path is in a function whose result does not depend on the addresses that
    /// it looks at.
    pub fn is_blind(&mut self, st: &State) -> bool {
        self.sight(st) == Sight::Blind
    }

    /// Reports whether the path is in a function that checks what the caller claims.
    pub fn is_check(&mut self, st: &State) -> bool {
        self.sight(st) == Sight::Check
    }

    fn sight(&mut self, st: &State) -> Sight {
        let frames = st.stack.iter().take(DEPTH);
        let sights = frames.map(|frame| self.sight_of(frame));
        sights.max().unwrap_or(Sight::Sees)
    }

    /// Looks whether a frame is in one of these functions, possibly inlined.
    fn sight_of(&mut self, frame: &Frame) -> Sight {
        let sight = |name: &str| {
            let is_in = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
            match (is_in(CHECKS), is_in(BLIND)) {
                (true, _) => Sight::Check,
                (false, true) => Sight::Blind,
                (false, false) => Sight::Sees,
            }
        };
        let function = self.program.function(frame.function);
        let loc = function
            .body
            .as_ref()
            .and_then(|body| body.locs.get(frame.pc as usize).copied())
            .unwrap_or_default();
        if let Some(known) = self.known.get(&(frame.function, loc)) {
            return *known;
        }
        let mut found = sight(&function.display);
        let mut next = (loc != LocId::default()).then_some(loc);
        while let Some(loc) = next.and_then(|id| self.program.locs.get(id)) {
            let scope = self.program.locs.scope(loc);
            found = found.max(scope.map_or(Sight::Sees, sight));
            next = loc.inlined_at;
        }
        self.known.insert((frame.function, loc), found);
        found
    }
}
