//! Functions that the other side calls: Rust's by C, C's by Rust, with contexts and structures.

use std::ffi::{c_char, c_int, c_void};

type Visitor = unsafe extern "C" fn(*mut c_void, u32) -> u32;
type Operation = unsafe extern "C" fn(i32, i32) -> i32;

#[repr(C)]
struct Operations {
    plus: Operation,
    minus: Operation,
    own: extern "C" fn(&Operations, i32) -> i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, symex::Symbolic)]
struct Range {
    first: u32,
    last: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, symex::Symbolic)]
struct Large {
    words: [u64; 4],
}

unsafe extern "C" {
    fn visit(items: *const u32, count: usize, f: Visitor, context: *mut c_void) -> u32;
    safe fn operation_of(sign: c_char) -> Option<Operation>;
    safe fn operations_run(operations: &Operations, x: i32) -> i32;
    fn sort(
        items: *mut u16,
        count: usize,
        compare: unsafe extern "C" fn(*const c_void, *const c_void) -> c_int,
    );
    fn qsort(
        items: *mut c_void,
        count: usize,
        size: usize,
        compare: unsafe extern "C" fn(*const c_void, *const c_void) -> c_int,
    );
    fn widen(
        r: Range,
        f: extern "C" fn(Range, *mut c_void) -> Range,
        context: *mut c_void,
    ) -> Range;
    safe fn enlarge(l: Large, f: extern "C" fn(Large) -> Large) -> Large;
    fn keep(f: Visitor, context: *mut c_void);
    fn call_kept(item: u32) -> u32;
    fn visit_later() -> u32;
}

/// Calls the closure that the context is.
unsafe extern "C" fn trampoline<F: FnMut(u32) -> bool>(context: *mut c_void, item: u32) -> u32 {
    // SAFETY: the context is the closure of `for_each`.
    let f = unsafe { &mut *context.cast::<F>() };
    u32::from(f(item))
}

/// Calls a closure for each item until it is told to stop.
fn for_each<F: FnMut(u32) -> bool>(items: &[u32], mut f: F) -> bool {
    let context = (&raw mut f).cast();
    // SAFETY: the items are as many as is said, and the closure outlives the call.
    unsafe { visit(items.as_ptr(), items.len(), trampoline::<F>, context) != 0 }
}

// expect: pass-complete
#[symex::harness]
fn closures_through_a_context(items: [u32; 4], limit: u32) {
    let mut seen = Vec::new();
    let stopped = for_each(&items, |item| {
        seen.push(item);
        item > limit
    });
    assert_eq!(stopped, items.iter().any(|i| *i > limit));
    let expected = items.iter().position(|i| *i > limit).map_or(4, |at| at + 1);
    assert_eq!(seen, items[..expected]);
}

// expect: bug panic
#[symex::harness]
fn closures_through_a_context_wrong(items: [u32; 3]) {
    let mut sum = 0u32;
    for_each(&items, |item| {
        sum = sum.wrapping_add(item);
        false
    });
    assert_ne!(sum, 0x8000_0001);
}

// expect: pass-complete
#[symex::harness]
fn functions_that_c_gives(sign: u8, a: i32, b: i32) {
    let Some(operation) = operation_of(sign as c_char) else {
        assert!(sign != b'+' && sign != b'-');
        return;
    };
    // SAFETY: it takes any numbers.
    let result = unsafe { operation(a, b) };
    let expected = if sign == b'+' {
        a.wrapping_add(b)
    } else {
        a.wrapping_sub(b)
    };
    assert_eq!(result, expected);
}

// expect: bug panic
#[symex::harness]
fn functions_that_c_gives_wrong(sign: u8) {
    operation_of(sign as c_char).expect("an operation");
}

extern "C" fn own(operations: &Operations, x: i32) -> i32 {
    // SAFETY: both take any numbers.
    unsafe { (operations.minus)(x, (operations.plus)(x, 3)) }
}

// expect: pass-complete
#[symex::harness]
fn tables_of_functions(x: i32) {
    let (plus, minus) = (operation_of(b'+' as c_char), operation_of(b'-' as c_char));
    let (plus, minus) = (plus.expect("there is one"), minus.expect("there is one"));
    symex::assume(x > i32::MIN + 3);
    assert_eq!(operations_run(&Operations { plus, minus, own }, x), x - 3);
}

unsafe extern "C" fn ascending(a: *const c_void, b: *const c_void) -> c_int {
    // SAFETY: both are items of what is sorted.
    let (a, b) = unsafe { (*a.cast::<u16>(), *b.cast::<u16>()) };
    a.cmp(&b) as c_int
}

// expect: pass-complete
#[symex::harness]
fn comparisons_for_qsort(items: [u16; 4]) {
    let mut expected = items;
    expected.sort();
    let (mut within_c, mut from_rust) = (items, items);
    // SAFETY: the comparison is of items of this type.
    unsafe {
        sort(within_c.as_mut_ptr(), 4, ascending);
        qsort(from_rust.as_mut_ptr().cast(), 4, 2, ascending);
    }
    assert_eq!(within_c, expected);
    assert_eq!(from_rust, expected);
}

unsafe extern "C" fn by_difference(a: *const c_void, b: *const c_void) -> c_int {
    // SAFETY: both are items of what is sorted.
    let (a, b) = unsafe { (*a.cast::<u16>(), *b.cast::<u16>()) };
    // As one writes it, and it wraps.
    c_int::from(a.wrapping_sub(b) as i16)
}

// expect: bug panic
#[symex::harness]
fn comparisons_for_qsort_wrong(items: [u16; 2]) {
    let mut sorted = items;
    // SAFETY: the comparison is of items of this type.
    unsafe { sort(sorted.as_mut_ptr(), 2, by_difference) };
    assert!(sorted.is_sorted());
}

extern "C" fn wider(r: Range, context: *mut c_void) -> Range {
    // SAFETY: the context is a number.
    let by = unsafe { *context.cast::<u32>() };
    Range {
        first: r.first.saturating_sub(by),
        last: r.last.saturating_add(by),
    }
}

extern "C" fn turned(l: Large) -> Large {
    let [a, b, c, d] = l.words;
    Large {
        words: [b, c, d, a],
    }
}

// expect: pass-complete
#[symex::harness]
fn structures_through_callbacks(r: Range, mut by: u32, l: Large) {
    // SAFETY: the context is a number.
    let result = unsafe { widen(r, wider, (&raw mut by).cast()) };
    let once = Range {
        first: r.first.saturating_sub(by),
        last: r.last.saturating_add(by),
    };
    assert_eq!(result.first, once.first.saturating_sub(by));
    assert_eq!(result.last, once.last.saturating_add(by));
    assert_eq!(enlarge(l, turned), turned(l));
}

// expect: bug panic
#[symex::harness]
fn structures_through_callbacks_wrong(l: Large) {
    assert_ne!(enlarge(l, turned).words[3], 0x0123_4567_89ab_cdef);
}

unsafe extern "C" fn adds(context: *mut c_void, item: u32) -> u32 {
    // SAFETY: the context is a number.
    unsafe { (*context.cast::<u32>()).wrapping_add(item) }
}

// expect: pass-complete
#[symex::harness]
fn callbacks_that_are_kept(mut a: u32, item: u32) {
    // SAFETY: the context is there until the call.
    let result = unsafe {
        keep(adds, (&raw mut a).cast());
        call_kept(item)
    };
    assert_eq!(result, a.wrapping_add(item));
}

// expect: bug use-after-free
#[symex::harness]
fn callbacks_that_are_kept_wrong(item: u8) {
    let mut a = 1u32;
    // SAFETY: it is not, and this is to be found.
    unsafe {
        keep(adds, (&raw mut a).cast());
        if item == 77 {
            visit_later();
        }
    }
}

// expect: bug invalid-call
#[symex::harness]
fn functions_of_another_type_wrong(item: u32) {
    unsafe extern "C" fn takes_three(context: *mut c_void, item: u32, more: u32) -> u32 {
        // SAFETY: the context is a number.
        unsafe { *context.cast::<u32>() ^ item ^ more }
    }
    let takes_three: unsafe extern "C" fn(*mut c_void, u32, u32) -> u32 = takes_three;
    // SAFETY: it is not, and this is to be found.
    unsafe {
        let visitor = std::mem::transmute::<
            unsafe extern "C" fn(*mut c_void, u32, u32) -> u32,
            Visitor,
        >(takes_three);
        let mut context = 1u32;
        visit(&item, 1, visitor, (&raw mut context).cast());
    }
}
