//! Sizes and lengths that depend on the input: one object for all sizes, one path for all lengths.

use std::alloc::{Layout, alloc, dealloc};

// expect: bug out-of-bounds
#[symex::harness]
fn with_capacity_written_at_its_end(n: usize) {
    symex::assume(n >= 1 && n <= 64);
    let mut v: Vec<u8> = Vec::with_capacity(n);
    let at = if n == 17 { n } else { n - 1 };
    unsafe { v.as_mut_ptr().add(at).write(1) };
}

// expect: pass-complete paths 1
#[symex::harness]
fn with_capacity_written_inside(n: usize) {
    symex::assume(n >= 1 && n <= 64);
    let mut v: Vec<u8> = Vec::with_capacity(n);
    unsafe { v.as_mut_ptr().add(n - 1).write(1) };
    assert_eq!(unsafe { v.as_ptr().add(n - 1).read() }, 1);
}

// expect: bug uninit-use
#[symex::harness]
fn set_len_without_writing(n: usize, m: usize) {
    symex::assume(n >= 1 && n <= 64 && m <= n);
    let mut v: Vec<u8> = Vec::with_capacity(n);
    unsafe {
        v.as_mut_ptr().write_bytes(7, m);
        v.set_len(if n == 23 { n } else { m });
    }
    if let Some(last) = v.last() {
        assert_eq!(*last, 7);
    }
}

// expect: pass-complete paths 2
#[symex::harness]
fn one_of_two_sizes(is_large: bool) {
    let n = if is_large { 30_000 } else { 3 };
    let v = vec![7u8; n];
    assert_eq!(v.iter().map(|x| usize::from(*x)).sum::<usize>(), 7 * n);
}

// expect: pass-complete
#[symex::harness]
fn zeros_are_zero(n: usize, i: usize) {
    symex::assume(n <= 1000);
    let v = vec![0u32; n];
    assert_eq!(v.len(), n);
    if i < n {
        assert_eq!(v[i], 0);
    } else {
        assert!(v.get(i).is_none());
    }
}

// expect: pass-complete
#[symex::harness]
fn a_part_copied_keeps_its_bytes(a: usize, n: usize, i: usize, bytes: [u8; 8]) {
    symex::assume(a <= 8 && n <= 8 - a && i < n);
    let part = bytes[a..a + n].to_vec();
    assert_eq!(part.len(), n);
    assert_eq!(part[i], bytes[a + i]);
}

// expect: pass-complete
#[symex::harness]
fn insertion_moves_the_rest(at: usize, x: u16) {
    symex::assume(at <= 4);
    let mut v = vec![1u16, 2, 3, 4];
    v.insert(at, x);
    assert_eq!(v[at], x);
    for i in 0..4 {
        assert_eq!(v[if i < at { i } else { i + 1 }], i as u16 + 1);
    }
}

// expect: pass-complete
#[symex::harness]
fn growth_keeps_the_pointers(n: usize, more: usize) {
    symex::assume(n <= 6 && more <= 40);
    let words = ["one", "two"];
    let mut v: Vec<&str> = Vec::with_capacity(n + 2);
    v.extend(words);
    v.reserve_exact(more);
    assert!(v.capacity() >= 2 + more);
    assert_eq!(v[1], "two");
    v.shrink_to_fit();
    assert_eq!(v[0], "one");
}

// expect: pass-complete
#[symex::harness]
fn freed_with_its_size(n: usize) {
    symex::assume(n >= 1 && n <= 64);
    unsafe {
        let p = std::hint::black_box(alloc(Layout::from_size_align_unchecked(n, 1)));
        dealloc(p, Layout::from_size_align_unchecked(n, 1));
    }
}

// expect: pass-complete
#[symex::harness]
fn equality_of_any_length(n: usize, bytes: [u8; 16]) {
    symex::assume(n <= 16);
    let copy = bytes[..n].to_vec();
    assert!(copy == bytes[..n]);
    assert!(bytes.starts_with(&copy));
}

// expect: pass-bounded
#[symex::harness]
fn a_size_without_end(n: usize) {
    let mut v: Vec<u8> = Vec::new();
    if v.try_reserve_exact(n).is_ok() && n > 0 {
        unsafe { v.as_mut_ptr().add(n - 1).write(0) };
    }
}
