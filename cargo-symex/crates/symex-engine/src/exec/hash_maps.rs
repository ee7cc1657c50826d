//! Hash maps among the callers of a path: those that ask a hasher themselves, and those that
//! another library makes of a hash table, to which it gives hashes that it computed.

use crate::exec::Executor;
use crate::state::State;
use rustc_hash::FxHashSet;
use symex_program::hashing;
use symex_program::rust_path::{TraitMethod, crate_of, from_type};
use symex_program::{Body, Callee, FuncId, Inst, LocId, Program};

/// Libraries of hash maps that hash all keys of a map themselves, for nothing else.
const LIBRARIES: &[&str] = &[
    "hashbrown::",
    "indexmap::",
    "std::collections::",
    // With tables of their own.
    "im::",
    "imbl::",
    "papaya::",
    "rpds::",
    "scc::",
];

/// Crates that pass on what others do with hash tables and hashers.
const AROUND: [&str; 3] = ["alloc", "core", "std"];

/// What is known of the hash maps of a program.
#[derive(Default)]
pub(in crate::exec) struct HashMaps {
    /// What its crates do with hashes; not known before the first key is hashed.
    users: Option<Users>,
}

/// Crates of a program by what they do with hashes.
struct Users {
    /// Those that give hashes to hash tables or hash maps, so that the hashes that they compute
    /// serve to find keys alone.
    of_tables: FxHashSet<String>,
    /// Whether hash maps may get hashes both from a crate that computes them for something else,
    /// too, and by asking for them.
    are_mixed: bool,
}

impl Users {
    fn of(program: &Program) -> Self {
        let mut found = Found::default();
        let locs = &program.locs;
        let scope_at = |at| locs.get(at).and_then(|loc| locs.scope(loc));
        for loc in &locs.locs {
            // What is inlined is called at the place where it is.
            if let (Some(callee), Some(at)) = (locs.scope(loc), loc.inlined_at) {
                found.call(callee, scope_at(at));
            }
        }
        for body in program.functions.iter().filter_map(|f| f.body.as_ref()) {
            for (callee, at) in direct_calls(body) {
                found.call(&program.function(callee).display, scope_at(at));
            }
        }
        found.users()
    }
}

/// Crates by what they call.
#[derive(Default)]
struct Found {
    /// Crates that give hashes to hash tables or hash maps.
    give_hashes: FxHashSet<String>,
    /// Whether a crate gives hashes to hash maps that hash keys themselves elsewhere.
    take_raw_entries: bool,
    /// Crates that ask the maker of hashers for the hash of a key.
    ask_hashers: FxHashSet<String>,
    /// Crates that have a hasher made.
    make_hashers: FxHashSet<String>,
    /// Crates that have a key write itself to a hasher.
    hash_keys: FxHashSet<String>,
}

impl Found {
    /// Notes a call, by the demangled names of both functions.
    fn call(&mut self, callee: &str, caller: Option<&str>) {
        let of_users = |name: &&str| !AROUND.contains(name) && !hashing::is_of_hashers(name);
        let user = caller.filter(|caller| !is_library(caller));
        let user = user.and_then(|caller| crate_of(caller).filter(of_users));
        let (Some(caller), Some(name)) = (caller, user) else {
            return;
        };
        if hashing::is_given_hashes(callee) {
            self.give_hashes.insert(name.to_owned());
            self.take_raw_entries |= hashing::is_raw_entry(callee);
        }
        let Some(method) = TraitMethod::of(callee) else {
            return;
        };
        let is_of_maps = || hashing::map_hasher(method.implementor).is_some();
        let set = if method.is(hashing::HASH_ONE) && is_of_maps() {
            &mut self.ask_hashers
        } else if method.is(hashing::BUILD_HASHER) && is_of_maps() {
            &mut self.make_hashers
        } else if method.is(hashing::HASH) && !is_hash(caller) {
            &mut self.hash_keys
        } else {
            return;
        };
        set.insert(name.to_owned());
    }

    fn users(self) -> Users {
        let hash_themselves = self.make_hashers.intersection(&self.hash_keys);
        let mut compute = self.ask_hashers.iter().chain(hash_themselves);
        let are_mixed = self.take_raw_entries && !compute.all(|c| self.give_hashes.contains(c));
        Users {
            of_tables: self.give_hashes,
            are_mixed,
        }
    }
}

/// Reports whether a function has a value write itself to a hasher, as part of a key.
fn is_hash(display: &str) -> bool {
    TraitMethod::of(display).is_some_and(|method| method.is(hashing::HASH))
}

/// Returns the functions that a body calls, each with the place of the call.
fn direct_calls(body: &Body) -> impl Iterator<Item = (FuncId, LocId)> {
    let code = body.code.iter().zip(&body.locs);
    code.filter_map(|(inst, loc)| match inst {
        Inst::Call { site } => match body.calls[*site as usize].callee {
            Callee::Direct(function) => Some((function, *loc)),
            _ => None,
        },
        _ => None,
    })
}

/// Reports whether a function, by its demangled name, is one of [`LIBRARIES`].
fn is_library(display: &str) -> bool {
    let path = from_type(display);
    LIBRARIES.iter().any(|library| path.starts_with(library))
}

impl Executor<'_> {
    /// Reports whether the current instruction is a hash map's, so that the hash that it asks for
    /// serves to find keys alone.
    pub fn is_of_hash_map(&mut self, st: &State) -> bool {
        self.scope_here(st).is_some_and(is_library) && self.hash_maps_ask_for_all()
            || self.gives_hashes(st)
    }

    /// Reports whether the current instruction is of a crate that computes hashes to give them to
    /// hash tables.
    pub fn gives_hashes(&mut self, st: &State) -> bool {
        let Some(name) = self.scope_here(st).and_then(crate_of) else {
            return false;
        };
        let users = self.users_of_hashes();
        users.of_tables.contains(name) && !users.are_mixed
    }

    /// Reports whether the hash maps of the program get all their hashes by asking for them, or
    /// from crates that compute them for nothing else.
    pub fn hash_maps_ask_for_all(&mut self) -> bool {
        !self.users_of_hashes().are_mixed
    }

    fn users_of_hashes(&mut self) -> &Users {
        let program = self.program;
        self.hash_maps
            .users
            .get_or_insert_with(|| Users::of(program))
    }
}

impl<'a> Executor<'a> {
    /// Returns the name of the function whose source the current instruction has, if that is known.
    fn scope_here(&self, st: &State) -> Option<&'a str> {
        let program = self.program;
        let frame = &st.stack.top;
        let body = program.function(frame.function).body.as_ref()?;
        let loc = program.locs.get(*body.locs.get(frame.pc as usize)?)?;
        program.locs.scope(loc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &str = "<hashbrown::map::RawEntryBuilder<u8, u8, a::S>>::from_hash::<a::F>";
    const BUILD: &str = "<std::hash::random::RandomState as core::hash::BuildHasher>::build_hasher";

    fn users(calls: &[(&str, &str)]) -> Users {
        let mut found = Found::default();
        for (callee, caller) in calls {
            found.call(callee, Some(caller));
        }
        found.users()
    }

    #[test]
    fn crates_that_give_hashes_to_tables_are_found() {
        let users = users(&[
            (
                "<hashbrown::table::HashTable<u8>>::find::<a::F>",
                "<a::Map<u8>>::get",
            ),
            ("<hashbrown::raw::RawTable<u8>>::find", "core::ops::drop"),
            (
                "<hashbrown::raw::RawTable<u8>>::find",
                "<hashbrown::map::HashMap<u8, u8>>::get",
            ),
            (BUILD, "b::main"),
        ]);
        assert!(users.of_tables.iter().eq(["a"]));
        assert!(!users.are_mixed);
    }

    #[test]
    fn hashes_of_raw_entries_are_mixed_where_another_crate_hashes_keys() {
        let hash = "<u8 as core::hash::Hash>::hash::<a::S>";
        let own = [(RAW, "a::get"), (BUILD, "a::get"), (hash, "a::get")];
        assert!(!users(&own).are_mixed);
        let seed = [(RAW, "a::get"), (BUILD, "b::seed")];
        assert!(!users(&seed).are_mixed);
        let of_a_key = [
            &seed[..],
            &[(hash, "<b::Key as core::hash::Hash>::hash::<a::S>")],
        ];
        assert!(!users(&of_a_key.concat()).are_mixed);
        let mixed = [&seed[..], &[(hash, "b::search")]];
        assert!(users(&mixed.concat()).are_mixed);
        let asked = "<std::hash::random::RandomState as core::hash::BuildHasher>::hash_one::<u8>";
        assert!(users(&[(RAW, "a::get"), (asked, "b::search")]).are_mixed);
        assert!(!users(&[(asked, "b::search")]).are_mixed);
    }
}
