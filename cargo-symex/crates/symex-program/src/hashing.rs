//! Names of the functions by which Rust programs hash keys: those that the engine has to see the
//! calls of.
//!
//! A hash map asks its `BuildHasher` to hash a key, which makes a hasher and has the key write
//! itself to it, word by word.

use crate::rust_path::{
    TraitMethod, crate_of, from_type, last_argument, split_list, without_arguments,
};

/// Method by which hash maps hash a key.
pub const HASH_ONE: &str = "core::hash::BuildHasher::hash_one";

/// Method by which libraries that hash keys themselves begin to hash one.
pub const BUILD_HASHER: &str = "core::hash::BuildHasher::build_hasher";

/// Method that ends what [`BUILD_HASHER`] begins: it returns the hash.
pub const FINISH: &str = "core::hash::Hasher::finish";

/// Method by which a value writes itself to a hasher.
pub const HASH: &str = "core::hash::Hash::hash";

/// Functions by which hashbrown hashes a key where it cannot use [`HASH_ONE`]. The last of their
/// generic arguments makes the hasher.
pub const MAKE_HASH: [&str; 2] = [
    "hashbrown::map::make_hash",
    "hashbrown::map::make_insert_hash",
];

/// Trait of hashers.
const HASHER: &str = "core::hash::Hasher";

/// Methods of a hasher that take part of a key.
const WRITES: &[&str] = &[
    "write",
    "write_u8",
    "write_u16",
    "write_u32",
    "write_u64",
    "write_u128",
    "write_usize",
    "write_i8",
    "write_i16",
    "write_i32",
    "write_i64",
    "write_i128",
    "write_isize",
    "write_length_prefix",
    "write_str",
];

/// Reports whether a function, by its demangled name, hashes a key, takes part of one, or iterates
/// over a hash map.
pub fn is_of_hashing(display: &str) -> bool {
    let hashes = match TraitMethod::of(display) {
        Some(method) => {
            [HASH_ONE, BUILD_HASHER, FINISH]
                .iter()
                .any(|path| method.is(path))
                || is_write(&method)
        }
        None => MAKE_HASH.contains(&without_arguments(display)),
    };
    hashes || iterates(display) || compares_keys(display) || rehashes(display)
}

/// Hash maps and sets of std and hashbrown, with the number of types before their hasher.
const MAPS: [(&str, usize); 4] = [
    ("std::collections::hash::map::HashMap<", 2),
    ("std::collections::hash::set::HashSet<", 1),
    ("hashbrown::map::HashMap<", 2),
    ("hashbrown::set::HashSet<", 1),
];

/// Hash tables of hashbrown, which are given hashes by the libraries that make maps of them.
const TABLES: [&str; 2] = ["hashbrown::raw::RawTable<", "hashbrown::table::HashTable<"];

/// Types that are given hashes which their callers computed: [`TABLES`], and those by which a hash
/// map takes one.
const GIVEN_HASHES: [&str; 4] = [
    "::RawTable",
    "::HashTable",
    "::RawEntryBuilder",
    "::RawEntryBuilderMut",
];

/// Reports whether a function, by its demangled name, is a method of a type that is given hashes.
pub fn is_given_hashes(display: &str) -> bool {
    let path = from_type(display);
    let path = path.split_once('<').map_or(path, |(path, _)| path);
    GIVEN_HASHES.iter().any(|name| path.ends_with(name))
}

/// Reports whether a function, by its demangled name, is a method by which a hash map takes hashes
/// of keys that it hashes itself elsewhere.
pub fn is_raw_entry(display: &str) -> bool {
    is_given_hashes(display) && from_type(display).contains("::RawEntryBuilder")
}

/// Reports whether a function, by its demangled name, is the closure by which a table of hashbrown
/// compares the key that is looked up with that of an entry of the same hash.
pub fn compares_keys(display: &str) -> bool {
    let method = display.strip_suffix("::{closure#0}").and_then(table_method);
    method.is_some_and(|method| method.starts_with("find"))
}

/// Reports whether a function, by its demangled name, hashes the keys of a table of hashbrown once
/// more, as the table grows.
pub fn rehashes(display: &str) -> bool {
    table_method(display) == Some("reserve_rehash")
}

/// Returns the name of a method of hashbrown's table.
fn table_method(display: &str) -> Option<&str> {
    let path = without_arguments(display).strip_prefix('<')?;
    let (table, method) = path.rsplit_once(">::")?;
    table
        .contains("hashbrown::raw::RawTable<")
        .then_some(method)
}

/// Methods of maps and sets that visit all entries.
const ITERATIONS: &[&str] = &[
    "iter",
    "iter_mut",
    "keys",
    "values",
    "values_mut",
    "into_keys",
    "into_values",
    "into_iter",
    "drain",
    "retain",
    "extract_if",
];

/// Reports whether a function iterates over a hash map of which the hasher is known.
pub fn iterates(display: &str) -> bool {
    hasher_of_iterated(display).is_some()
}

/// Reports whether a function iterates over a hash table that is given hashes.
pub fn iterates_table(display: &str) -> bool {
    iterated(display).is_some_and(is_table)
}

/// Reports whether a type is one of [`TABLES`].
fn is_table(path: &str) -> bool {
    TABLES.iter().any(|table| path.starts_with(table))
}

/// Returns the type of the map or table that a function visits all entries of, if it is one.
fn iterated(display: &str) -> Option<&str> {
    let path = without_arguments(display);
    let (map, method) = match TraitMethod::of(path) {
        Some(f) => (f.implementor, f.method),
        None => path.strip_prefix('<')?.rsplit_once(">::")?,
    };
    let is_one = ITERATIONS.contains(&method);
    is_one.then(|| map.trim_start_matches("&mut ").trim_start_matches('&'))
}

/// Returns the hasher of the hash map that a function iterates over, if it is known.
pub fn hasher_of_iterated(display: &str) -> Option<MapHasher> {
    let map = iterated(display)?;
    if is_table(map) {
        return Some(MapHasher::Random);
    }
    MAPS.iter().find_map(|(start, types)| {
        let list = map.strip_prefix(start)?.strip_suffix('>')?;
        match split_list(list).nth(*types) {
            Some(maker) => map_hasher(maker),
            // A default, which is not shown.
            None => Some(MapHasher::Random),
        }
    })
}

/// Reports whether a method takes part of a key.
fn is_write(method: &TraitMethod<'_>) -> bool {
    method.trait_path == HASHER && WRITES.contains(&method.method)
}

/// Hasher of a hash map that no program can see at work: what a key hashes to decides about nothing
/// but the order of the map's entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapHasher {
    /// Its keys are random. The first word of its maker differs between makers with different keys.
    Keyed,
    /// Its keys are random, and nothing is known of them.
    Random,
    /// It is a library's, and hashes a key alike in each run.
    Fixed,
}

/// Returns the type that makes the hasher for a function that hashes a key.
pub fn hasher_maker(display: &str) -> Option<&str> {
    match TraitMethod::of(display) {
        Some(method) => Some(method.implementor),
        None => last_argument(display),
    }
}

/// Crates whose hashers are known to do nothing but hash.
const HASHERS: [&str; 14] = [
    "ahash",
    "fnv",
    "foldhash",
    "fxhash",
    "gxhash",
    "highway",
    "metrohash",
    "nohash_hasher",
    "rapidhash",
    "rustc_hash",
    "seahash",
    "siphasher",
    "twox_hash",
    "wyhash",
];

/// Hasher of std by its paths in various versions, without keys of its own.
const DEFAULT: [&str; 3] = [
    "std::hash::random::DefaultHasher",
    "std::collections::hash::map::DefaultHasher",
    "std::collections::hash_map::DefaultHasher",
];

/// Returns what is known of a type that makes hashers, by its path. `None` if it may be the
/// program's own, whose faults a hash map can show.
///
/// By convention a type is called `RandomState` if its keys are random, as those of std, ahash,
/// foldhash, rapidhash and others, and `DefaultHashBuilder` if it is what a library of hash maps
/// takes where nothing is asked for, as hashbrown and hashlink do.
pub fn map_hasher(implementor: &str) -> Option<MapHasher> {
    const KEYED: &[&str] = &[
        "std::hash::random::RandomState",
        "std::collections::hash::map::RandomState",
        "std::collections::hash_map::RandomState",
        "ahash::random_state::RandomState",
    ];
    if KEYED.contains(&implementor) {
        return Some(MapHasher::Keyed);
    }
    let name = without_arguments(implementor).rsplit("::").next()?;
    if matches!(name, "RandomState" | "DefaultHashBuilder") {
        return Some(MapHasher::Random);
    }
    let made = implementor.strip_prefix("core::hash::BuildHasherDefault<");
    let hasher = made.unwrap_or(implementor);
    let is_of_std = made.is_some_and(|made| DEFAULT.contains(&made.trim_end_matches('>')));
    let is_known = is_of_std || crate_of(hasher).is_some_and(is_of_hashers);
    is_known.then_some(MapHasher::Fixed)
}

/// Reports whether a crate is one of hashers that are known to do nothing but hash.
pub fn is_of_hashers(name: &str) -> bool {
    HASHERS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_hashing_are_found_by_name() {
        for name in [
            "<std::hash::random::RandomState as core::hash::BuildHasher>::hash_one::<&u8>",
            "<core::hash::sip::Hasher<core::hash::sip::Sip13Rounds> as core::hash::Hasher>::write",
            "<foldhash::fast::FoldHasher as core::hash::Hasher>::write_u32",
            "<std::hash::random::DefaultHasher as core::hash::Hasher>::finish",
            "<std::hash::random::RandomState as core::hash::BuildHasher>::build_hasher",
            "hashbrown::map::make_hash::<u8, foldhash::fast::RandomState>",
            "<hashbrown::raw::RawTable<(a::K, u8)>>::find::<a::b<u8>::{closure#0}>::{closure#0}",
            "<hashbrown::raw::RawTable<u8>>::reserve_rehash::<a::b<u8>::{closure#0}>",
        ] {
            assert!(is_of_hashing(name), "{name}");
        }
        assert!(!compares_keys(
            "<hashbrown::raw::RawTable<u8>>::reserve_rehash::<a::b>::{closure#0}"
        ));
        for name in [
            "<a::B as std::io::Write>::write",
            "core::hash::Hasher::write",
        ] {
            assert!(!is_of_hashing(name), "{name}");
        }
    }

    #[test]
    fn functions_that_are_given_hashes_and_their_callers_are_told_by_name() {
        for name in [
            "<hashbrown::table::HashTable<(u8, u32)>>::find::<a::b::{closure#0}>",
            "<hashbrown::raw::RawTable<u8>>::insert_entry",
            "<hashbrown::map::RawEntryBuilderMut<u8, u8, a::S>>::from_hash::<a::F>",
        ] {
            assert!(is_given_hashes(name), "{name}");
        }
        for name in [
            "<hashbrown::map::HashMap<u8, u8>>::find::<hashbrown::raw::RawTable<u8>>",
            "<a::Map as a::From<hashbrown::raw::RawTable<u8>>>::from",
            "<a::Lock<hashbrown::raw::RawTable<u8>>>::read",
            "core::ptr::drop_in_place::<hashbrown::raw::RawTable<u8>>",
        ] {
            assert!(!is_given_hashes(name), "{name}");
        }
        for (name, expected) in [
            (
                "<dashmap::DashMap<u8, a::B> as dashmap::t::Map<u8>>::_get",
                "dashmap",
            ),
            ("<&mut a::B>::f", "a"),
            ("a::b::<c::d>", "a"),
        ] {
            assert_eq!(crate_of(name), Some(expected), "{name}");
        }
    }

    #[test]
    fn iterations_are_told_by_map_method_and_hasher() {
        for name in [
            "<std::collections::hash::map::HashMap<u8, u32>>::retain::<a::b>",
            "<&std::collections::hash::set::HashSet<u8> as c::IntoIterator>::into_iter",
            "<hashbrown::map::HashMap<u8, (u8, u8), foldhash::fast::RandomState>>::iter",
            "<std::collections::hash::map::HashMap<u8, u32, rustc_hash::FxBuildHasher>>::iter",
            "<hashbrown::raw::RawTable<(u8, u32)>>::iter",
        ] {
            assert!(is_of_hashing(name), "{name}");
        }
        for name in [
            "<std::collections::hash::map::HashMap<u8, u32, a::Hasher>>::iter",
            "<std::collections::hash::map::HashMap<u8, u32>>::len",
            "<alloc::vec::Vec<u8> as c::IntoIterator>::into_iter",
        ] {
            assert!(!is_of_hashing(name), "{name}");
        }
    }

    #[test]
    fn hashers_are_known_by_their_makers() {
        let (random, fixed) = (Some(MapHasher::Random), Some(MapHasher::Fixed));
        for (path, expected) in [
            ("std::hash::random::RandomState", Some(MapHasher::Keyed)),
            ("foldhash::fast::RandomState", random),
            ("hashbrown::hasher::DefaultHashBuilder", random),
            ("hashlink::DefaultHashBuilder", random),
            ("rustc_hash::FxBuildHasher", fixed),
            ("foldhash::fast::FixedState", fixed),
            (
                "core::hash::BuildHasherDefault<std::hash::random::DefaultHasher>",
                fixed,
            ),
            (
                "core::hash::BuildHasherDefault<nohash_hasher::NoHashHasher<u32>>",
                fixed,
            ),
            ("core::hash::BuildHasherDefault<a::FnvHasher>", None),
            ("a::DefaultHasher", None),
        ] {
            assert_eq!(map_hasher(path), expected, "{path}");
        }
    }
}
