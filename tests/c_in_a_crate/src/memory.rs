//! Errors of memory in C, which a native run may pass over in silence, and ones that checks in its
//! code see.

unsafe extern "C" {
    fn largest(bytes: *const u8, length: usize) -> u8;
    fn copy(to: *mut u8, from: *const u8, length: usize);
    fn text_new(bytes: *const u8, length: usize) -> *mut Text;
    fn text_first(text: *const Text) -> u8;
    fn text_cut(text: *mut Text, length: usize);
    fn text_free(text: *mut Text);
    safe fn scaled(value: i32, by: u32) -> i32;
    safe fn next(value: i32) -> i32;
}

enum Text {}

// expect: pass-complete
#[symex::harness]
fn reads_of_the_heap(bytes: [u8; 3], length: u8) {
    symex::assume(length <= 3);
    let bytes = bytes[..length.into()].to_vec();
    // SAFETY: the slice has these bytes.
    let found = unsafe { largest(bytes.as_ptr(), bytes.len()) };
    assert_eq!(found, bytes.iter().copied().max().unwrap_or(0));
}

// expect: bug out-of-bounds
#[symex::harness]
fn reads_of_the_heap_wrong(bytes: [u8; 3], length: u8) {
    symex::assume((1..=3).contains(&length));
    let bytes = bytes[..length.into()].to_vec();
    // There is one less.
    assert!(unsafe { largest(bytes.as_ptr(), bytes.len() + 1) } != 255);
}

// expect: pass-complete
#[symex::harness]
fn copies_to_the_stack(bytes: [u8; 4], length: u8) {
    let mut to = [7; 4];
    symex::assume(length <= 4);
    // SAFETY: neither has less.
    unsafe { copy(to.as_mut_ptr(), bytes.as_ptr(), length.into()) };
    assert!((0..4).all(|i| to[i] == if i < length.into() { bytes[i] } else { 7 }));
}

// expect: bug out-of-bounds
#[symex::harness]
fn copies_to_the_stack_wrong(length: u8) {
    let (mut to, from) = ([7u8; 4], [1u8; 5]);
    symex::assume(length <= 5);
    unsafe { copy(to.as_mut_ptr(), from.as_ptr(), length.into()) };
    std::hint::black_box(&to);
}

// expect: pass-complete
#[symex::harness]
fn memory_of_c(bytes: [u8; 2], length: u8) {
    symex::assume((1..=2).contains(&length));
    // SAFETY: it is not used after it was freed, nor freed twice.
    unsafe {
        let text = text_new(bytes.as_ptr(), 2);
        text_cut(text, length.into());
        assert_eq!(text_first(text), bytes[0]);
        text_free(text);
    }
}

// expect: bug use-after-free
#[symex::harness]
fn memory_of_c_wrong(bytes: [u8; 2], length: u8) {
    symex::assume(length <= 2);
    unsafe {
        let text = text_new(bytes.as_ptr(), 2);
        text_cut(text, length.into());
        assert!(text_first(text) != 255 || bytes[0] == 255);
    }
}

// expect: bug double-free
#[symex::harness]
fn memory_of_c_twice_wrong(length: u8) {
    symex::assume(length <= 2);
    unsafe {
        let text = text_new([1, 2].as_ptr(), 2);
        text_cut(text, length.into());
        text_free(text);
    }
}

// expect: pass-complete
#[symex::harness]
fn checked_arithmetic(value: i8, by: u8) {
    symex::assume(value >= 0 && by < 8);
    assert_eq!(scaled(value.into(), by.into()), i32::from(value) << by);
    assert_eq!(next(value.into()), i32::from(value) + 1);
}

// expect: bug shift-too-far
#[symex::harness]
fn shifts_wrong(by: u32) {
    std::hint::black_box(scaled(1, by));
}

// expect: bug arithmetic-overflow
#[symex::harness]
fn sums_wrong(value: i32) {
    std::hint::black_box(next(value));
}
