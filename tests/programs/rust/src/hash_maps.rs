//! Hash maps and sets with keys that depend on inputs: with random hashers, which give equal keys
//! equal hashes and are relied on for nothing else, and with others, whose hashes are as they are.

use std::collections::hash_map::{DefaultHasher, RandomState};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};

// expect: pass-complete
#[symex::harness]
fn insert_find_remove(k: u64, l: u64) {
    let mut m = HashMap::new();
    assert!(m.insert(k, 1u8).is_none());
    assert_eq!(m.get(&k), Some(&1));
    assert_eq!(m.contains_key(&l), k == l);
    assert_eq!(m.remove(&k), Some(1));
    assert!(m.is_empty() && !m.contains_key(&k));
}

// expect: pass-complete
#[symex::harness]
fn two_keys(a: u64, b: u64) {
    let mut m = HashMap::new();
    m.insert(a, 1u8);
    m.insert(b, 2);
    assert_eq!(m.len(), if a == b { 1 } else { 2 });
    assert_eq!(m[&b], 2);
    assert_eq!(m[&a], if a == b { 2 } else { 1 });
}

// expect: bug panic
#[symex::harness]
fn equal_keys_count_once(a: u64, b: u64) {
    let s: HashSet<u64> = [a, b].into();
    assert_eq!(s.len(), 2);
}

// expect: bug panic
#[symex::harness]
fn one_key_of_many(k: u32) {
    let m: HashMap<u32, u32> = (0..12).map(|i| (i * 1001, i)).collect();
    if let Some(i) = m.get(&k) {
        assert_ne!(*i, 7);
    }
}

// expect: pass-complete
#[symex::harness]
fn any_key_of_a_few(k: u32) {
    let m: HashMap<u32, u32> = (0..5).map(|i| (i * 10 + 3, i)).collect();
    match m.get(&k) {
        Some(i) => assert_eq!(k, i * 10 + 3),
        None => assert!(k % 10 != 3 || k / 10 >= 5),
    }
}

// expect: pass-bounded
#[symex::harness]
fn iteration_sees_each_key_once(a: u32, b: u32) {
    let mut m = HashMap::new();
    *m.entry(a).or_insert(0u32) += 1;
    *m.entry(b).or_insert(0) += 1;
    let sum: u64 = m.keys().map(|k| u64::from(*k)).sum();
    let wanted = if a == b {
        u64::from(a)
    } else {
        u64::from(a) + u64::from(b)
    };
    assert_eq!(sum, wanted);
}

// expect: pass-complete
#[symex::harness]
fn texts_as_keys(s: [u8; 3], t: [u8; 3]) {
    symex::assume(s.is_ascii() && t.is_ascii());
    let [s, t] = [s, t].map(|bytes| String::from_utf8(bytes.to_vec()).expect("ASCII"));
    let mut m: HashMap<String, u32> = HashMap::new();
    for word in [&s, &t] {
        *m.entry(word.clone()).or_insert(0) += 1;
    }
    assert_eq!(m[&s], if s == t { 2 } else { 1 });
}

/// A hasher of few operations, as hashers faster than the default one have it.
#[derive(Default)]
struct Multiplying(u64);

impl Hasher for Multiplying {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

// expect: pass-complete
#[symex::harness]
fn another_hasher(a: u64, b: u64) {
    let mut m: HashMap<u64, u8, BuildHasherDefault<Multiplying>> = HashMap::default();
    m.insert(a, 1);
    m.insert(b, 2);
    assert_eq!(m.remove(&b), Some(2));
    assert_eq!(m.contains_key(&a), a != b);
}

// expect: pass-complete paths 203
#[symex::harness]
fn a_path_for_each_way_to_be_equal(keys: [u8; 6]) {
    let mut m = HashMap::new();
    for (i, key) in keys.iter().enumerate() {
        m.insert(*key, i);
    }
    for key in &keys {
        let last = keys.iter().rposition(|k| k == key);
        assert_eq!(m.get(key).copied(), last);
    }
    for key in &keys {
        m.remove(key);
    }
    assert!(m.is_empty());
}

// expect: pass-complete
#[symex::harness]
fn concrete_keys_meet_symbolic_ones(a: u16, b: u16) {
    let mut m: HashMap<u16, u32> = (0..3).map(|i| (i * 7, u32::from(i))).collect();
    m.insert(a, 100);
    m.insert(14, 200);
    m.insert(b, 300);
    m.insert(21, 400);
    let expected = |key: u16| match key {
        21 => Some(400),
        _ if key == b => Some(300),
        14 => Some(200),
        _ if key == a => Some(100),
        0 | 7 => Some(u32::from(key / 7)),
        _ => None,
    };
    for key in [0, 7, 14, 21, 28, a, b] {
        assert_eq!(m.get(&key).copied(), expected(key), "{key}");
    }
}

// expect: bug panic
#[symex::harness]
fn a_concrete_key_that_comes_later(a: u32) {
    let mut m = HashMap::new();
    m.insert(a, ());
    assert!(!m.contains_key(&0xdead_beef));
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Token {
    Word(String),
    Number { value: u128, signed: bool },
    Pair(Box<(i8, char)>),
    End,
}

// expect: pass-complete
#[symex::harness]
fn keys_of_several_parts(kind: u8, word: [u8; 2], value: u128, signed: bool, small: i8) {
    symex::assume(word.is_ascii());
    let token = |kind: u8| match kind % 4 {
        0 => Token::Word(String::from_utf8(word.to_vec()).expect("ASCII")),
        1 => Token::Number { value, signed },
        2 => Token::Pair(Box::new((small, 'x'))),
        _ => Token::End,
    };
    let mut m = HashMap::new();
    m.insert(Token::Word("if".to_owned()), 1);
    m.insert(
        Token::Number {
            value: 1 << 100,
            signed: true,
        },
        2,
    );
    m.insert(token(kind), 3);
    assert_eq!(m.get(&token(kind)), Some(&3));
    let is_if = kind % 4 == 0 && word == *b"if";
    assert_eq!(m[&Token::Word("if".to_owned())], if is_if { 3 } else { 1 });
    let is_number = kind % 4 == 1 && value == 1 << 100 && signed;
    assert_eq!(m.len(), if is_if || is_number { 2 } else { 3 });
}

// expect: pass-complete
#[symex::harness]
fn a_table_that_grows(keys: [u8; 2]) {
    let mut m: HashMap<u32, u32> = keys.iter().map(|k| (u32::from(*k), 0)).collect();
    for i in 0..40 {
        *m.entry(i * 50).or_insert(0) += 1;
    }
    let among = |k: u8| k % 50 == 0;
    assert_eq!(m[&u32::from(keys[0])], u32::from(among(keys[0])));
    assert!(m.len() >= 40 && m.len() <= 42);
}

/// A key that panics when it is hashed.
#[derive(PartialEq, Eq)]
struct Unhashable(u8);

impl Hash for Unhashable {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u8(self.0);
        assert!(self.0 != 3, "cannot be hashed");
    }
}

// expect: pass-complete
#[symex::harness]
fn hashing_that_unwinds(a: u8) {
    let hashed = std::panic::catch_unwind(|| {
        let m: HashSet<Unhashable> = [Unhashable(a)].into();
        m.contains(&Unhashable(a))
    });
    assert_eq!(hashed.is_ok(), a != 3);
    let m: HashSet<u8> = [a].into();
    assert!(m.contains(&a) && m.contains(&3) == (a == 3));
}

// expect: bug panic
#[symex::harness]
fn a_hash_that_the_program_computes(a: u8) {
    let mut hasher = DefaultHasher::new();
    a.hash(&mut hasher);
    assert_ne!(hasher.finish() % 16, 5);
}

/// A map that the program spreads over parts by a hash of its own.
struct Parts {
    maker: RandomState,
    parts: [HashMap<u8, u8>; 2],
}

// expect: pass-complete paths 2
#[symex::harness]
fn a_random_hash_that_the_program_uses(a: u8) {
    let mut m = Parts {
        maker: RandomState::new(),
        parts: Default::default(),
    };
    let part = (m.maker.hash_one(a) >> 63) as usize;
    m.parts[part].insert(a, 1);
    assert_eq!(m.parts[part].get(&a), Some(&1));
    // Both are possible.
    symex::cover!(part == 0);
    symex::cover!(part == 1);
}

// expect: pass-complete
#[symex::harness]
fn addresses_as_keys(a: bool) {
    let values = [1u8, 2];
    let m: HashMap<*const u8, u8> = values.iter().map(|v| (v as *const u8, *v)).collect();
    assert_eq!(m[&&raw const values[usize::from(a)]], 1 + u8::from(a));
}

// expect: pass-complete
#[symex::harness]
fn one_entry_has_one_order(a: u8) {
    let m: HashMap<u8, u8> = [(a, 1)].into();
    assert_eq!(m.into_iter().collect::<Vec<_>>(), [(a, 1)]);
}

// expect: pass-bounded
#[symex::harness]
fn several_entries_have_many(a: u8) {
    let m: HashSet<u16> = [u16::from(a), 300].into();
    for key in &m {
        assert!(*key == 300 || *key < 256);
    }
}

/// Hashers without random keys: a key has the same hash in each run.
type Fixed = BuildHasherDefault<DefaultHasher>;

// expect: pass-complete paths 5
#[symex::harness]
fn a_fixed_hasher(keys: [u32; 3]) {
    let mut m: HashMap<u32, u8, Fixed> = HashMap::default();
    for key in keys {
        *m.entry(key).or_default() += 1;
    }
    assert_eq!(m.len() == 1, keys.iter().all(|key| *key == keys[0]));
    assert!(m.remove(&keys[1]).is_some() && !m.contains_key(&keys[1]));
}

// expect: pass-complete
#[symex::harness]
fn a_fixed_hasher_has_one_order_of_concrete_keys(a: u8) {
    let m: HashMap<u8, u8, Fixed> = [(1, a), (2, a), (3, 7)].into_iter().collect();
    let again: HashMap<u8, u8, Fixed> = [(1, a), (2, a), (3, 7)].into_iter().collect();
    assert!(m.iter().eq(again.iter()));
}

// expect: pass-bounded
#[symex::harness]
fn a_fixed_hasher_has_many_orders_of_any_keys(a: u8) {
    let m: HashMap<u8, u8, Fixed> = [(1, a), (2, a), (a, 7)].into_iter().collect();
    assert!(m.iter().any(|(key, n)| *key == a && *n == 7));
}

// expect: pass-complete
#[symex::harness]
fn a_map_that_a_library_makes_of_a_table(keys: [u64; 4], other: u64) {
    let mut m = tables::Map::default();
    let mut model = Vec::new();
    for (i, key) in keys.into_iter().enumerate() {
        let known = model.iter().rposition(|k| *k == key);
        assert_eq!(m.insert(key, i), known);
        model.push(key);
    }
    let last = model.iter().rposition(|k| *k == other);
    assert_eq!(m.get(&other).copied(), last);
}

// expect: pass-bounded
#[symex::harness]
fn a_table_is_iterated_in_one_order(a: u64, b: u64) {
    let mut m = tables::Map::default();
    m.insert(a, ());
    m.insert(b, ());
    assert_eq!(m.iter().count(), if a == b { 1 } else { 2 });
}

/// An entity with a name that equality leaves out, and its hash does not.
struct Entity {
    id: u32,
    name: u8,
}

impl PartialEq for Entity {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Entity {}

impl std::hash::Hash for Entity {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.id.hash(hasher);
        self.name.hash(hasher);
    }
}

// expect: bug panic
#[symex::harness]
fn equal_keys_of_different_hashes_are_not_found(ids: [u32; 2], names: [u8; 2]) {
    let [a, b] = [0, 1].map(|i| Entity {
        id: ids[i],
        name: names[i],
    });
    let mut set = HashSet::new();
    set.insert(a);
    if ids[0] == ids[1] {
        assert!(set.contains(&b));
    }
}

// expect: pass-bounded
#[symex::harness]
fn equal_keys_of_different_hashes_are_two(ids: [u32; 2], names: [u8; 2]) {
    symex::assume(ids[0] == ids[1] && names[0] != names[1]);
    let entities = [0, 1].map(|i| Entity {
        id: ids[i],
        name: names[i],
    });
    assert_eq!(HashSet::from(entities).len(), 2);
}

// expect: bug panic
#[symex::harness]
fn a_key_that_changes_in_a_map_is_not_found(before: u8, after: u8) {
    #[derive(PartialEq, Eq)]
    struct Shared(std::rc::Rc<std::cell::Cell<u8>>);
    impl std::hash::Hash for Shared {
        fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
            self.0.get().hash(hasher);
        }
    }
    let key = std::rc::Rc::new(std::cell::Cell::new(before));
    let mut set = HashSet::new();
    set.insert(Shared(key.clone()));
    key.set(after);
    assert!(set.contains(&Shared(std::cell::Cell::new(after).into())));
}

// expect: pass-complete
#[symex::harness]
fn equal_keys_of_equal_hashes_are_found(keys: [(u16, [u8; 3]); 3], other: (u16, [u8; 3])) {
    let set: HashSet<_> = keys.into_iter().collect();
    assert_eq!(set.contains(&other), keys.contains(&other));
    assert_eq!(set.get(&other).is_some(), keys.contains(&other));
}
