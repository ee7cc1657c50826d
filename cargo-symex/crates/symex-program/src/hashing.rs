//! Names of the functions by which Rust programs hash keys: those that the engine has to see the
//! calls of.
//!
//! A hash map asks its `BuildHasher` to hash a key, which makes a hasher and has the key write
//! itself to it, word by word.

use crate::rust_path::{TraitMethod, last_argument, split_list, without_arguments};

/// Method by which hash maps hash a key.
pub const HASH_ONE: &str = "core::hash::BuildHasher::hash_one";

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
        Some(method) => method.is(HASH_ONE) || is_write(&method),
        None => MAKE_HASH.contains(&without_arguments(display)),
    };
    hashes || iterates(display)
}

/// Hash maps and sets of std, with the number of types before their hasher.
const MAPS: [(&str, usize); 4] = [
    ("std::collections::hash::map::HashMap<", 2),
    ("std::collections::hash::set::HashSet<", 1),
    ("hashbrown::map::HashMap<", 2),
    ("hashbrown::set::HashSet<", 1),
];

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

/// Reports whether a function iterates over a hash map with a random hasher.
pub fn iterates(display: &str) -> bool {
    let path = without_arguments(display);
    let (map, method) = match TraitMethod::of(path) {
        Some(f) => (f.implementor, f.method),
        None => {
            let Some((map, method)) = path.strip_prefix('<').and_then(|p| p.rsplit_once(">::"))
            else {
                return false;
            };
            (map, method)
        }
    };
    let map = map.trim_start_matches("&mut ").trim_start_matches('&');
    ITERATIONS.contains(&method)
        && MAPS.iter().any(|(start, types)| {
            let list = map.strip_prefix(start).and_then(|l| l.strip_suffix('>'));
            list.is_some_and(|list| match split_list(list).nth(*types) {
                Some(maker) => random_hasher(maker).is_some(),
                // A default, which is not shown.
                None => true,
            })
        })
}

/// Reports whether a method takes part of a key.
fn is_write(method: &TraitMethod<'_>) -> bool {
    method.trait_path == HASHER && WRITES.contains(&method.method)
}

/// Maker of hashers whose keys are random, so that no program can rely on what they hash to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RandomHasher {
    /// Its first word differs between makers of hashers with different keys.
    Keyed,
    /// Nothing is known of its keys.
    Unknown,
}

/// Returns the type that makes the hasher for a function that hashes a key.
pub fn hasher_maker(display: &str) -> Option<&str> {
    match TraitMethod::of(display) {
        Some(method) => Some(method.implementor),
        None => last_argument(display),
    }
}

/// Returns what is known of a type that makes hashers, by its path, if their keys are random.
///
/// By convention such a type is a `RandomState`, as std, ahash, foldhash, rapidhash and others call
/// theirs.
pub fn random_hasher(implementor: &str) -> Option<RandomHasher> {
    const KEYED: &[&str] = &[
        "std::hash::random::RandomState",
        "std::collections::hash::map::RandomState",
        "std::collections::hash_map::RandomState",
        "ahash::random_state::RandomState",
    ];
    if KEYED.contains(&implementor) {
        return Some(RandomHasher::Keyed);
    }
    let name = implementor.rsplit("::").next()?;
    let is_random = name == "RandomState" || implementor.starts_with("hashbrown::");
    (is_random && matches!(name, "RandomState" | "DefaultHashBuilder"))
        .then_some(RandomHasher::Unknown)
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
            "hashbrown::map::make_hash::<u8, foldhash::fast::RandomState>",
        ] {
            assert!(is_of_hashing(name), "{name}");
        }
        for name in [
            "<std::hash::random::DefaultHasher as core::hash::Hasher>::finish",
            "<std::hash::random::RandomState as core::hash::BuildHasher>::build_hasher",
            "<a::B as std::io::Write>::write",
            "core::hash::Hasher::write",
        ] {
            assert!(!is_of_hashing(name), "{name}");
        }
    }

    #[test]
    fn iterations_are_told_by_map_method_and_hasher() {
        for name in [
            "<std::collections::hash::map::HashMap<u8, u32>>::retain::<a::b>",
            "<&std::collections::hash::set::HashSet<u8> as c::IntoIterator>::into_iter",
            "<hashbrown::map::HashMap<u8, (u8, u8), foldhash::fast::RandomState>>::iter",
        ] {
            assert!(is_of_hashing(name), "{name}");
        }
        for name in [
            "<std::collections::hash::map::HashMap<u8, u32, rustc_hash::FxBuildHasher>>::iter",
            "<std::collections::hash::map::HashMap<u8, u32>>::len",
            "<alloc::vec::Vec<u8> as c::IntoIterator>::into_iter",
        ] {
            assert!(!is_of_hashing(name), "{name}");
        }
    }

    #[test]
    fn random_hashers_are_told_from_fixed_ones() {
        let random = random_hasher;
        let (keyed, unknown) = (Some(RandomHasher::Keyed), Some(RandomHasher::Unknown));
        assert_eq!(random("std::hash::random::RandomState"), keyed);
        assert_eq!(random("foldhash::fast::RandomState"), unknown);
        assert_eq!(random("hashbrown::hasher::DefaultHashBuilder"), unknown);
        let fixed = [
            "rustc_hash::FxBuildHasher",
            "foldhash::fast::FixedState",
            "core::hash::BuildHasherDefault<std::hash::random::DefaultHasher>",
        ];
        for path in fixed {
            assert_eq!(random(path), None, "{path}");
        }
    }
}
