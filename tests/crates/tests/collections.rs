//! Collections against those of the standard library.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

#[derive(symex::Symbolic)]
enum Step {
    Push(u8),
    Pop,
    Insert(#[symex(range = 0..4)] usize, u8),
    Remove(#[symex(range = 0..4)] usize),
}

/// Four steps on a vector and on `Vec`, with what they return.
macro_rules! like_vec {
    ($steps:ident, $vector:expr) => {{
        let (mut vector, mut model) = ($vector, Vec::new());
        for step in $steps {
            match step {
                Step::Push(value) => {
                    vector.push(value);
                    model.push(value);
                }
                Step::Pop => assert_eq!(vector.pop(), model.pop()),
                Step::Insert(at, value) if at <= model.len() => {
                    vector.insert(at, value);
                    model.insert(at, value);
                }
                Step::Remove(at) if at < model.len() => {
                    assert_eq!(vector.remove(at), model.remove(at));
                }
                Step::Insert(..) | Step::Remove(_) => {}
            }
            assert_eq!(vector[..], model[..]);
        }
    }};
}

#[symex::harness]
fn arrayvec_like_vec(steps: [Step; 4]) {
    like_vec!(steps, arrayvec::ArrayVec::<u8, 4>::new());
}

#[symex::harness]
fn smallvec_like_vec(steps: [Step; 4]) {
    like_vec!(steps, smallvec::SmallVec::<[u8; 2]>::new());
}

#[symex::harness]
fn tinyvec_like_vec(steps: [Step; 4]) {
    like_vec!(steps, tinyvec::TinyVec::<[u8; 2]>::new());
}

#[symex::harness]
fn heapless_deque(values: [u8; 5], front: [bool; 5]) {
    let mut deque = heapless::Deque::<u8, 4>::new();
    let mut model = VecDeque::new();
    for (value, front) in values.into_iter().zip(front) {
        if model.len() == 4 {
            assert_eq!(deque.pop_front(), model.pop_front());
        }
        if front {
            deque.push_front(value).unwrap();
            model.push_front(value);
        } else {
            deque.push_back(value).unwrap();
            model.push_back(value);
        }
    }
    assert!(deque.iter().eq(&model));
}

#[symex::harness]
fn heapless_heap_sorts(values: [u8; 4]) {
    let mut heap = heapless::BinaryHeap::<u8, heapless::binary_heap::Min, 4>::new();
    for value in values {
        heap.push(value).unwrap();
    }
    let popped: Vec<u8> = std::iter::from_fn(|| heap.pop()).collect();
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    assert_eq!(popped, sorted);
}

#[symex::harness]
fn indexmap_like_btreemap(keys: [u8; 3], removed: u8) {
    let (mut map, mut model) = (indexmap::IndexMap::new(), BTreeMap::new());
    for (value, key) in keys.into_iter().enumerate() {
        assert_eq!(map.insert(key, value), model.insert(key, value));
    }
    assert_eq!(map.shift_remove(&removed), model.remove(&removed));
    map.sort_keys();
    assert!(map.iter().eq(&model));
}

#[symex::harness]
fn slab_keys(values: [u8; 4], removed: usize) {
    let mut slab = slab::Slab::new();
    let keys = values.map(|value| slab.insert(value));
    symex::assume(removed < 4);
    assert_eq!(slab.try_remove(keys[removed]), Some(values[removed]));
    assert_eq!(slab.try_remove(keys[removed]), None);
    let again = slab.insert(7);
    for (key, value) in keys.into_iter().zip(values) {
        assert_eq!(slab[key], if key == again { 7 } else { value });
    }
}

#[symex::harness]
fn slotmap_keys(values: [u8; 3], removed: usize) {
    symex::assume(removed < 3);
    let mut map = slotmap::SlotMap::new();
    let keys: [slotmap::DefaultKey; 3] = values.map(|value| map.insert(value));
    assert_eq!(map.remove(keys[removed]), Some(values[removed]));
    let new = map.insert(9);
    assert_eq!(map.get(keys[removed]), None);
    assert_eq!(map[new], 9);
    assert_eq!(map.len(), 3);
}

#[symex::harness]
fn lru_evicts_the_oldest(keys: [u8; 4]) {
    let mut cache = lru::LruCache::new(std::num::NonZeroUsize::new(2).unwrap());
    let mut model: Vec<u8> = Vec::new();
    for key in keys {
        cache.put(key, ());
        model.retain(|&other| other != key);
        model.insert(0, key);
        model.truncate(2);
    }
    assert!(cache.iter().map(|(key, ())| key).eq(&model));
}

#[symex::harness]
fn priority_queue_sorts(priorities: [u8; 4]) {
    let mut queue = priority_queue::PriorityQueue::new();
    for (item, priority) in priorities.into_iter().enumerate() {
        queue.push(item, priority);
    }
    let popped: Vec<u8> = queue
        .into_sorted_iter()
        .map(|(_, priority)| priority)
        .collect();
    let mut sorted = priorities.to_vec();
    sorted.sort_by(|a, b| b.cmp(a));
    assert_eq!(popped, sorted);
}

#[symex::harness]
fn roaring_like_btreeset(a: [u32; 2], b: [u32; 2]) {
    let bitmaps = (a.into_iter().collect(), b.into_iter().collect());
    let (left, right): (roaring::RoaringBitmap, roaring::RoaringBitmap) = bitmaps;
    let (model_a, model_b) = (BTreeSet::from(a), BTreeSet::from(b));
    assert!((&left | &right).iter().eq(model_a.union(&model_b).copied()));
    assert!(
        (&left & &right)
            .iter()
            .eq(model_a.intersection(&model_b).copied())
    );
}

#[symex::harness]
fn bitvec_fields(bits: u16, from: usize, to: usize, value: u8) {
    use bitvec::prelude::*;
    symex::assume(from < to && to <= 16 && to - from <= 8);
    let mut array = BitArray::<u16, Lsb0>::new(bits);
    array[from..to].store(value);
    let mask = ((1_u32 << (to - from)) - 1) as u8;
    assert_eq!(array[from..to].load::<u8>(), value & mask);
    assert_eq!(
        array[..from].count_ones() as u32,
        (u32::from(bits) & ((1 << from) - 1)).count_ones()
    );
}

#[derive(symex::Symbolic)]
struct Edge(#[symex(range = 0..3)] u8, #[symex(range = 0..3)] u8);

#[symex::harness]
fn petgraph_reaches_like_closure(edges: [Edge; 3]) {
    let mut graph = petgraph::graphmap::DiGraphMap::<u8, ()>::new();
    let mut reaches = [[false; 3]; 3];
    for node in 0..3 {
        graph.add_node(node);
        reaches[usize::from(node)][usize::from(node)] = true;
    }
    for Edge(a, b) in edges {
        graph.add_edge(a, b, ());
        reaches[usize::from(a)][usize::from(b)] = true;
    }
    for k in 0..3 {
        for i in 0..3 {
            for j in 0..3 {
                reaches[i][j] |= reaches[i][k] && reaches[k][j];
            }
        }
    }
    let found = petgraph::algo::has_path_connecting(&graph, 0, 2, None);
    assert_eq!(found, reaches[0][2]);
}

#[symex::harness]
fn itertools_group_and_dedup(values: [u8; 4]) {
    use itertools::Itertools;
    assert!(values.iter().sorted().is_sorted());
    let mut model = values.to_vec();
    model.dedup();
    assert!(values.iter().dedup().eq(&model));
    assert_eq!(
        values.iter().all_unique(),
        BTreeSet::from(values).len() == 4
    );
}

/// A map with a fixed hasher, as a list of pairs.
macro_rules! like_pairs {
    ($keys:ident, $map:expr) => {{
        let (mut map, mut model) = ($map, Vec::new());
        for (at, key) in $keys.iter().enumerate() {
            let place = model.iter().position(|(other, _)| *other == key);
            let old = place.map(|place| model.swap_remove(place).1);
            model.push((key, at));
            assert_eq!(map.insert(key, at), old);
        }
        assert_eq!(map.len(), model.len());
        for (key, at) in model {
            assert_eq!(map.remove(key), Some(at));
        }
    }};
}

#[symex::harness]
fn fxhash_map_like_pairs(keys: [[u8; 3]; 4]) {
    like_pairs!(keys, rustc_hash::FxHashMap::default());
}

#[symex::harness]
fn fnv_map_like_pairs(keys: [u32; 5]) {
    like_pairs!(keys, fnv::FnvHashMap::default());
}

#[symex::harness]
fn bytes_split_and_join(data: [u8; 6], at: usize) {
    use bytes::{Buf, BufMut, BytesMut};
    symex::assume(at <= 6);
    let mut buffer = BytesMut::from(&data[..]);
    let mut head = buffer.split_to(at);
    assert_eq!((&head[..], &buffer[..]), (&data[..at], &data[at..]));
    head.unsplit(buffer);
    head.put_u16(7);
    let mut whole = head.freeze();
    whole.advance(6);
    assert_eq!(whole.get_u16(), 7);
}

#[derive(symex::Symbolic)]
enum Access {
    Insert(u8),
    Remove(u8),
    Get(u8),
}

/// Three or four accesses to a map, with keys of any value, against `BTreeMap`.
macro_rules! like_btreemap {
    ($accesses:ident, $map:ident, $value:expr) => {{
        let mut model = BTreeMap::new();
        for (at, access) in $accesses.into_iter().enumerate() {
            match access {
                Access::Insert(key) => assert_eq!($map.insert(key, at), model.insert(key, at)),
                Access::Remove(key) => {
                    assert_eq!($map.remove(&key).map($value), model.remove(&key))
                }
                Access::Get(key) => {
                    assert_eq!($map.get(&key).map(|found| *found), model.get(&key).copied());
                }
            }
        }
    }};
}

#[symex::harness]
fn hashlink_like_btreemap(accesses: [Access; 4]) {
    let mut map = hashlink::LinkedHashMap::new();
    like_btreemap!(accesses, map, |value| value);
}

#[symex::harness]
fn dashmap_like_btreemap(accesses: [Access; 3]) {
    let map = dashmap::DashMap::with_shard_amount(2);
    like_btreemap!(accesses, map, |(_, value)| value);
}
