//! Hash maps among the callers of a path.

use crate::exec::Executor;
use crate::state::State;
use symex_program::Program;

/// Libraries of hash maps that hash all keys of a map themselves.
const LIBRARIES: &[&str] = &["hashbrown::", "indexmap::", "std::collections::"];

/// Name of hash maps' interface to which a program gives hashes, which are then not its own
/// business any more.
const RAW_ENTRIES: &str = "RawEntryBuilder";

/// What is known of the hash maps of a program.
#[derive(Default)]
pub(in crate::exec) struct HashMaps {
    /// Whether the program may give them hashes; not known before the first key.
    may_be_given_hashes: Option<bool>,
}

impl HashMaps {
    /// Reports whether the hash maps of a program get all their hashes by asking for them.
    fn ask_for_all(&mut self, program: &Program) -> bool {
        !*self.may_be_given_hashes.get_or_insert_with(|| {
            let mut scopes = program.locs.scopes.iter();
            let raw = memchr::memmem::Finder::new(RAW_ENTRIES);
            scopes.any(|scope| raw.find(scope.as_bytes()).is_some())
        })
    }
}

impl Executor<'_> {
    /// Reports whether the current instruction is a hash map's, so that the hash that it asks for
    /// serves to find keys alone.
    pub fn is_of_hash_map(&mut self, st: &State) -> bool {
        let program = self.program;
        let frame = &st.stack.top;
        let body = program.function(frame.function).body.as_ref();
        let loc = body.and_then(|body| body.locs.get(frame.pc as usize));
        let scope = loc
            .and_then(|loc| program.locs.get(*loc))
            .and_then(|loc| program.locs.scopes.get(loc.scope as usize));
        let is_library = scope.is_some_and(|scope| {
            let path = scope.trim_start_matches(['<', '&', '*', '(']);
            LIBRARIES.iter().any(|library| path.starts_with(library))
        });
        is_library && self.hash_maps_ask_for_all()
    }

    /// Reports whether the hash maps of the program get all their hashes by asking for them.
    pub fn hash_maps_ask_for_all(&mut self) -> bool {
        self.hash_maps.ask_for_all(self.program)
    }
}
