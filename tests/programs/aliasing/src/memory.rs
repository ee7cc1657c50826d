//! References that lie in memory, and are copied with it.

use std::collections::BTreeMap;

struct Holder<'a> {
    count: u64,
    held: &'a mut u32,
}

// expect: bug aliasing
#[symex::harness]
fn a_reference_in_a_structure_is_stale(x: u32) {
    let mut value = x;
    let pointer = &raw mut value;
    let holder = Holder { count: 1, held: unsafe { &mut *pointer } };
    let moved = std::hint::black_box(holder);
    unsafe { *pointer = 2 };
    *moved.held = moved.count as u32;
}

// expect: pass-complete
#[symex::harness]
fn a_reference_in_a_structure_is_used(x: u32) {
    let mut value = x;
    let mut holder = Holder { count: 1, held: &mut value };
    holder.count += 1;
    let moved = [holder];
    for holder in moved {
        *holder.held = holder.count as u32;
    }
    assert!(value == 2);
}

// expect: bug aliasing
#[symex::harness]
fn a_reference_in_a_vector_is_stale(x: u32) {
    let mut value = x;
    let pointer = &raw mut value;
    let mut all = vec![unsafe { &mut *pointer }];
    all.reserve(9);
    unsafe { *pointer = 2 };
    *all[0] = 3;
}

// expect: pass-complete
#[symex::harness]
fn references_in_a_vector_are_used(x: u32) {
    let (mut one, mut other) = (x, x);
    let mut all = vec![&mut one];
    all.push(&mut other);
    all.reserve(9);
    for value in &mut all {
        **value = 3;
    }
    all.swap(0, 1);
    *all[0] = 4;
    assert!(one == 3 && other == 4);
}

struct Node {
    value: u8,
    next: Option<Box<Node>>,
}

// expect: pass-complete
#[symex::harness]
fn a_cursor_goes_along_a_list(x: u8) {
    let mut list = Node { value: 0, next: None };
    let mut end = &mut list;
    for value in 1..4 {
        end = end.next.insert(Box::new(Node { value, next: None }));
    }
    end.value = x;
    let mut sum = 0u32;
    let mut at = Some(&list);
    while let Some(node) = at {
        sum += u32::from(node.value);
        at = node.next.as_deref();
    }
    assert!(sum == 3 + u32::from(x));
}

// expect: pass-complete
#[symex::harness]
fn collections_of_the_library(x: u8) {
    let mut map = BTreeMap::new();
    for key in 0..20u8 {
        *map.entry(key % 7).or_insert(0u32) += u32::from(key);
    }
    map.retain(|key, _| *key != 3);
    if let Some(value) = map.get_mut(&(x % 2)) {
        *value = 1;
    }
    let text: String = map.values().map(|value| format!("{value},")).collect();
    assert!(map.len() == 6 && text.len() > 6);
}
