//! Vec, maps, sorting and iterators.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};

// expect: bug panic
#[symex::harness]
fn index_out_of_bounds(xs: [u8; 4], i: usize) {
    let v = xs.to_vec();
    if i < 5 {
        let _ = std::hint::black_box(v[i]);
    }
}

// expect: pass-complete
#[symex::harness]
fn sort_sorts(mut xs: [i32; 4]) {
    let before = xs;
    xs.sort();
    assert!(xs.windows(2).all(|w| w[0] <= w[1]));
    assert!(before.iter().all(|x| xs.contains(x)));
}

// expect: pass-complete
#[symex::harness]
fn sort_unstable_by_key(mut xs: [(u8, u8); 3]) {
    xs.sort_unstable_by_key(|p| std::cmp::Reverse(p.1));
    assert!(xs[0].1 >= xs[1].1 && xs[1].1 >= xs[2].1);
}

// expect: pass-complete
#[symex::harness]
fn binary_search_finds(x: u8) {
    let v = [3u8, 7, 7, 11, 200];
    match v.binary_search(&x) {
        Ok(i) => assert_eq!(v[i], x),
        Err(i) => assert!(v[..i].iter().all(|y| *y < x) && v[i..].iter().all(|y| *y > x)),
    }
}

// expect: pass-complete
#[symex::harness]
fn vec_grows(n: u8) {
    let n = n % 6;
    let mut v = Vec::new();
    for i in 0..n {
        v.push(i);
    }
    v.insert(0, 99);
    assert_eq!(v.len(), n as usize + 1);
    assert_eq!(v.iter().rev().count(), v.len());
    v.retain(|x| x % 2 == 1);
    v.dedup();
    assert!(v.contains(&99));
}

// expect: pass-complete
#[symex::harness]
fn hash_map_of_concrete_keys(k: u8) {
    let mut m = HashMap::new();
    for i in 0..5u32 {
        m.insert(i * 7, i);
    }
    m.remove(&14);
    assert_eq!(m.get(&21), Some(&3));
    assert_eq!(m.len(), 4);
    let s: HashSet<&str> = ["a", "b", "a"].into_iter().collect();
    assert_eq!(s.len(), 2 + (k as usize >> 8));
}

// expect: pass-complete
#[symex::harness]
fn btree_map(a: u8, b: u8) {
    let mut m = BTreeMap::new();
    m.insert(a, 1);
    m.insert(b, 2);
    assert_eq!(m.len(), if a == b { 1 } else { 2 });
    assert_eq!(m.get(&b), Some(&2));
    assert_eq!(m.keys().next(), Some(&a.min(b)));
    let s: BTreeSet<u8> = [a, b].into();
    assert_eq!(s.len(), m.len());
}

// expect: pass-complete
#[symex::harness]
fn heap_and_deque(a: u8, b: u8, c: u8) {
    let mut heap = BinaryHeap::from([a, b, c]);
    assert_eq!(heap.pop(), Some(a.max(b).max(c)));
    let mut d = VecDeque::new();
    d.push_back(a);
    d.push_front(b);
    d.rotate_left(1);
    assert_eq!((d[0], d[1]), (a, b));
}

// expect: bug panic
#[symex::harness]
fn bounded_vec(v: Vec<u8>) {
    assert!(!(v.len() == 3 && v[0] == v[1] && v[1] == 7));
}

// expect: pass-complete
#[symex::harness]
fn iterator_chain(xs: [u8; 3]) {
    let v: Vec<(usize, u8)> = xs
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, x)| *x > 100)
        .map(|(i, x)| (i, x - 100))
        .collect();
    assert!(v.iter().all(|(i, x)| xs[*i] == x + 100));
    let (a, b): (Vec<u8>, Vec<u8>) = xs.iter().partition(|x| **x % 2 == 0);
    assert_eq!(a.len() + b.len(), 3);
}

// expect: pass-complete
#[symex::harness]
fn chunks_and_zip(xs: [u8; 5]) {
    let total: usize = xs.chunks(2).map(<[u8]>::len).sum();
    assert_eq!(total, 5);
    let same = xs
        .iter()
        .zip(xs.iter().skip(1))
        .filter(|(a, b)| a == b)
        .count();
    assert!(same <= 4);
}

// expect: pass-complete paths 13
#[symex::harness]
fn heap_of_names(b: [u8; 3]) {
    let named = b.iter().map(|n| (*n, String::from("a name")));
    let mut heap: std::collections::BinaryHeap<_> = named.collect();
    let mut last = u8::MAX;
    while let Some((n, name)) = heap.pop() {
        assert!(n <= last);
        assert_eq!(name.len(), 6);
        last = n;
    }
}
