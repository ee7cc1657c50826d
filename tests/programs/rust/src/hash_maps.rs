//! Hash maps and sets with keys that depend on inputs: most branches hold for any hash, the others
//! need inputs with the right one.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

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

// expect: pass-complete
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
