//! Unsafe code.

use std::mem::MaybeUninit;

// expect: bug out-of-bounds
#[symex::harness]
fn reads_past_a_vec(i: usize) {
    let v = vec![1u8, 2, 3];
    if i <= 3 {
        let x = unsafe { v.as_ptr().add(i).read() };
        std::hint::black_box(x);
    }
}

// expect: bug use-after-free
#[symex::harness]
fn uses_after_free(n: u8) {
    let b = Box::new(n);
    let p = &raw const *b;
    if n > 9 {
        drop(b);
        std::hint::black_box(unsafe { *p });
    }
}

// expect: bug double-free
#[symex::harness]
fn frees_twice(n: u8) {
    let p = Box::into_raw(Box::new(n));
    unsafe {
        drop(Box::from_raw(p));
        if n == 3 {
            drop(Box::from_raw(p));
        }
    }
}

// expect: bug uninit-use
#[symex::harness]
fn branches_on_uninit(n: u8) {
    let mut a: [MaybeUninit<u8>; 4] = [MaybeUninit::uninit(); 4];
    for x in a.iter_mut().take(n as usize % 5) {
        x.write(1);
    }
    let x = unsafe { a.as_ptr().cast::<u8>().add(3).read() };
    if x == 1 {
        std::hint::black_box(x);
    }
}

// expect: pass-complete
#[symex::harness]
fn copies_uninit_without_looking(n: u8) {
    let mut a: [MaybeUninit<u8>; 4] = [MaybeUninit::uninit(); 4];
    a[1].write(n);
    let b = a;
    assert_eq!(unsafe { b[1].assume_init() }, n);
}

// expect: bug null-access
#[symex::harness]
fn null_pointer(n: u8) {
    let p: *const u8 = if n == 9 {
        std::ptr::null()
    } else {
        &raw const n
    };
    std::hint::black_box(unsafe { std::ptr::read_volatile(std::hint::black_box(p)) });
}

// expect: pass-complete
#[symex::harness]
fn tagged_pointers(n: u16) {
    let b = Box::new(n);
    let p = Box::into_raw(b);
    let tagged = p.map_addr(|a| a | 1);
    let back = tagged.map_addr(|a| a & !1);
    assert_eq!(unsafe { *back }, n);
    drop(unsafe { Box::from_raw(back) });
}

// expect: pass-complete
#[symex::harness]
fn pointers_in_an_array(i: u8) {
    let (a, b, c) = (1u32, 2u32, 3u32);
    let ps = [&a, &b, &c];
    let i = i as usize % 3;
    assert_eq!(*ps[i] as usize, i + 1);
}

// expect: pass-complete
#[symex::harness]
fn writes_at_an_unknown_place(i: u8, x: u8) {
    let mut a = [0u8; 16];
    let i = (i % 16) as usize;
    a[i] = x;
    assert_eq!(a[i], x);
    assert_eq!(a.iter().map(|x| *x as u32).sum::<u32>(), x as u32);
}

// expect: pass-complete
#[symex::harness]
fn split_at_mut_and_swap(mut xs: [u8; 6], m: u8) {
    let before = xs;
    let (a, b) = xs.split_at_mut(3);
    a.swap_with_slice(b);
    let m = m as usize % 6;
    assert_eq!(xs[m], before[(m + 3) % 6]);
}
