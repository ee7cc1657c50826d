//! Undefined behaviour of each class, with a twin that does the same on inputs for which it is
//! defined.

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::ffi::c_void;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::num::NonZero;

#[repr(u8)]
#[expect(dead_code)]
#[derive(Clone, Copy)]
enum Gaps {
    One = 1,
    Five = 5,
    Nine = 9,
}

fn read<T: Copy>(from: &impl Sized) -> T {
    unsafe { *std::ptr::from_ref(from).cast::<T>() }
}

// expect: bug invalid-value
#[symex::harness]
fn a_bool_that_is_neither(byte: u8) {
    black_box(read::<bool>(&byte));
}

// expect: pass-complete
#[symex::harness]
fn a_bool_that_is_one(byte: u8) {
    symex::assume(byte < 2);
    black_box(read::<bool>(&byte));
}

// expect: bug invalid-value
#[symex::harness]
fn a_char_beyond_the_last(number: u32) {
    black_box(read::<char>(&number));
}

// expect: pass-complete
#[symex::harness]
fn a_char_of_ascii(number: u32) {
    symex::assume(number < 128);
    black_box(read::<char>(&number));
}

// expect: bug invalid-value
#[symex::harness]
fn an_enum_of_another_number(byte: u8) {
    black_box(read::<Gaps>(&byte) as u8);
}

// expect: pass-complete
#[symex::harness]
fn an_enum_of_its_numbers(byte: u8) {
    symex::assume(matches!(byte, 1 | 5 | 9));
    let value = read::<Gaps>(&byte);
    assert!(matches!(value, Gaps::One | Gaps::Five | Gaps::Nine));
}

// expect: bug invalid-value
#[symex::harness]
fn a_nonzero_that_is_zero(number: u32) {
    black_box(read::<NonZero<u32>>(&number));
}

// expect: pass-complete
#[symex::harness]
fn a_nonzero_that_is_not(number: u32) {
    symex::assume(number != 0);
    black_box(read::<NonZero<u32>>(&number));
}

// expect: bug invalid-value
#[symex::harness]
fn a_reference_that_is_null(is_null: bool) {
    let number = 7u32;
    let pointer = if is_null {
        std::ptr::null()
    } else {
        &raw const number
    };
    black_box(read::<&u32>(&pointer));
}

// expect: pass-complete
#[symex::harness]
fn a_reference_that_may_be_none(is_null: bool) {
    let number = 7u32;
    let pointer = if is_null {
        std::ptr::null()
    } else {
        &raw const number
    };
    black_box(read::<Option<&u32>>(&pointer));
}

#[inline(never)]
fn take<T>(value: &T) {
    black_box(std::ptr::from_ref(value));
}

// expect: bug dangling-reference
#[symex::harness]
fn a_reference_that_is_too_long() {
    let bytes = black_box([1u8; 4]);
    let pointer = black_box(std::ptr::from_ref(&bytes).cast::<[u8; 8]>());
    take(unsafe { &*pointer });
}

// expect: pass-complete
#[symex::harness]
fn a_reference_to_a_part() {
    let bytes = black_box([1u8; 8]);
    take(unsafe { &*std::ptr::from_ref(&bytes).cast::<[u8; 4]>() });
}

#[inline(never)]
fn pass_on(number: u32) -> u32 {
    black_box(());
    number
}

// expect: bug uninit-use
#[symex::harness]
fn an_integer_that_is_passed_on_unwritten(writes: bool) {
    let mut number = MaybeUninit::<u32>::uninit();
    if writes {
        number.write(1);
    }
    black_box(pass_on(unsafe { number.assume_init() }));
}

// expect: bug uninit-use
#[symex::harness]
fn an_element_that_is_read_for_nothing(index: usize) {
    symex::assume(index < 4);
    let mut numbers = Vec::<u32>::with_capacity(4);
    numbers.push(1);
    let _unused = unsafe { *numbers.as_ptr().add(index) };
}

// expect: pass-complete
#[symex::harness]
fn an_element_that_is_there_and_read_for_nothing(index: usize) {
    symex::assume(index < 1);
    let mut numbers = Vec::<u32>::with_capacity(4);
    numbers.push(1);
    let _unused = unsafe { *numbers.as_ptr().add(index) };
}

// expect: bug uninit-use
#[symex::harness]
fn padding_that_is_read_for_nothing(number: u32) {
    #[repr(C)]
    struct Padded {
        byte: u8,
        number: u32,
    }
    let from = Padded { byte: 1, number };
    let mut to = 0_u64;
    unsafe {
        let to = &raw mut to;
        std::ptr::copy(std::ptr::from_ref(&from).cast::<u8>(), to.cast(), 8);
        let _unused = to.read();
    }
}

// expect: pass-complete
#[symex::harness]
fn bytes_that_are_moved_unwritten(writes: bool) {
    let mut number = MaybeUninit::<u32>::uninit();
    if writes {
        number.write(1);
    }
    let moved = black_box(number);
    if writes {
        assert_eq!(unsafe { moved.assume_init() }, 1);
    }
}

// expect: bug unchecked-operation
#[symex::harness]
fn a_float_that_is_no_integer(float: f32) {
    black_box(unsafe { float.to_int_unchecked::<i32>() });
}

// expect: pass-complete
#[symex::harness]
fn a_float_that_is_an_integer(number: i16) {
    let float = f32::from(number) + 0.25;
    black_box(unsafe { float.to_int_unchecked::<i32>() });
}

// expect: bug out-of-bounds
#[symex::harness]
fn a_pointer_that_leaves_and_comes_back(n: u8) {
    let numbers = black_box([1u32; 4]);
    let pointer = unsafe { numbers.as_ptr().add(usize::from(n % 8)) };
    black_box(pointer.wrapping_sub(usize::from(n % 8)));
}

// expect: pass-complete
#[symex::harness]
fn a_pointer_to_the_end(n: u8) {
    let numbers = black_box([1u32; 4]);
    let pointer = unsafe { numbers.as_ptr().add(usize::from(n % 5)) };
    black_box(pointer.wrapping_sub(usize::from(n % 5)));
}

// expect: bug out-of-bounds
#[symex::harness]
fn a_pointer_that_comes_back_from_outside(n: u8) {
    let list = [n; 4];
    let outside = list.as_ptr().wrapping_sub(usize::from(n % 2));
    black_box(unsafe { outside.add(1) });
}

// expect: pass-complete
#[symex::harness]
fn a_pointer_that_wraps_around_and_back(n: u8) {
    let list = [n; 4];
    let outside = list.as_ptr().wrapping_sub(usize::from(n % 2));
    assert_eq!(outside.wrapping_add(usize::from(n % 2)), list.as_ptr());
    black_box(unsafe { outside.add(0) });
}

// expect: bug out-of-bounds
#[symex::harness]
fn a_difference_that_leads_into_another_object(end: usize, back: usize) {
    symex::assume(end < 1 << 20 && back < 8 && back <= end);
    let (list, other) = (vec![1u8; 16], vec![2u8; 1 << 16]);
    let at = end - back;
    symex::assume(at < 16 || (4096..8192).contains(&at));
    black_box((unsafe { *list.as_ptr().wrapping_add(at) }, &other));
}

// expect: bug out-of-bounds
#[symex::harness]
fn a_pointer_by_a_difference_that_leaves(end: usize) {
    symex::assume(end < 64);
    let list = vec![1u8; 16];
    black_box(unsafe { list.as_ptr().add(end - end % 10) });
}

// expect: bug use-after-free
#[symex::harness]
fn a_pointer_by_a_difference_to_what_is_gone(end: usize, back: usize) {
    symex::assume(end < 16 && back <= end);
    let list = vec![1u8; 16];
    let start = list.as_ptr();
    drop(list);
    black_box(unsafe { start.add(end - back) });
}

// expect: pass-complete
#[symex::harness]
fn a_difference_within_an_object(end: usize, back: usize) {
    symex::assume(end < 16 && back <= end);
    let list = [1u8; 16];
    assert_eq!(unsafe { *list.as_ptr().add(end - back) }, 1);
    assert_eq!(unsafe { *list.as_ptr().add(end).sub(back) }, 1);
}

// expect: bug out-of-bounds
#[symex::harness]
fn a_word_among_bytes_of_another_object(at: usize) {
    symex::assume(at < 16 || (4096..6000).contains(&at));
    let (list, other) = (vec![1u64; 2], vec![2u8; 1 << 16]);
    let place = list.as_ptr().cast::<u8>().wrapping_add(at);
    let word = place.map_addr(|address| address & !7);
    black_box((unsafe { *word }, &other));
}

// expect: bug out-of-bounds
#[symex::harness]
fn a_pointer_with_a_mark_to_another_object(at: usize, mark: bool) {
    symex::assume(at < 2 || (512..700).contains(&at));
    let (list, other) = (vec![1u64; 2], vec![2u8; 1 << 16]);
    let place = list.as_ptr().wrapping_add(at);
    let marked = place.map_addr(|address| address | usize::from(mark));
    let place = marked.map_addr(|address| address & !1);
    black_box((unsafe { *place }, &other));
}

// expect: pass-complete
#[symex::harness]
fn a_pointer_with_a_mark(at: usize, mark: bool) {
    symex::assume(at < 2);
    let list = vec![7u64; 2];
    let place = list.as_ptr().wrapping_add(at);
    let marked = place.map_addr(|address| address | usize::from(mark));
    assert_eq!(marked.addr() & 1, usize::from(mark));
    assert_eq!(unsafe { *marked.map_addr(|address| address & !1) }, 7);
}

// expect: bug out-of-bounds
#[symex::harness]
fn the_page_of_a_place_outside(at: usize) {
    symex::assume(at < 16384);
    let list = vec![1u8; 4096];
    let start = list.as_ptr();
    let in_page = (start as usize + at) % 4096;
    black_box(unsafe { start.add(at).sub(in_page) });
}

// expect: bug out-of-bounds
#[symex::harness]
fn an_offset_of_too_many_bytes(at: usize) {
    let list = [7u32; 4];
    symex::assume(at.wrapping_mul(4) <= 12);
    black_box(unsafe { *list.as_ptr().add(at) });
}

// expect: pass-complete
#[symex::harness]
fn an_offset_of_few_bytes(at: usize) {
    let list = [7u32; 4];
    symex::assume(at < 4);
    assert_eq!(unsafe { *list.as_ptr().add(at) }, 7);
}

// expect: pass-complete
#[symex::harness]
fn an_offset_to_the_left_of_few_bytes(at: isize) {
    let list = [7u32; 4];
    symex::assume((-4..0).contains(&at));
    assert_eq!(unsafe { *list.as_ptr().add(4).offset(at) }, 7);
}

// expect: bug out-of-bounds
#[symex::harness]
fn a_copy_of_too_many_bytes(count: usize) {
    let (from, mut to) = ([7u32; 4], [0u32; 4]);
    symex::assume(count.wrapping_mul(4) <= 16);
    unsafe { std::ptr::copy(from.as_ptr(), to.as_mut_ptr(), count) };
    black_box(to);
}

// expect: bug out-of-bounds
#[symex::harness]
fn too_many_bytes_that_are_set() {
    let mut words = [7u32; 4];
    unsafe { std::ptr::write_bytes(words.as_mut_ptr(), 1, usize::MAX / 4 + 1) };
    black_box(words);
}

// expect: pass-complete
#[symex::harness]
fn a_copy_of_few_bytes(count: usize) {
    let (from, mut to) = ([7u32; 4], [0u32; 4]);
    symex::assume(count <= 4);
    unsafe { std::ptr::copy(from.as_ptr(), to.as_mut_ptr(), count) };
    assert!(to.iter().take(count).all(|&word| word == 7));
}

// expect: bug out-of-bounds
#[symex::harness]
fn a_byte_behind_a_literal() {
    let text = "abc";
    black_box(unsafe { *text.as_ptr().add(3) });
}

// expect: bug out-of-bounds
#[symex::harness]
fn a_word_behind_a_static() {
    static WORDS: [u32; 2] = [3, 4];
    black_box(unsafe { *WORDS.as_ptr().add(2) });
}

// expect: pass-complete
#[symex::harness]
fn the_last_byte_of_a_literal() {
    let text = "abc";
    assert_eq!(unsafe { *text.as_ptr().add(2) }, b'c');
}

// expect: bug out-of-bounds
#[symex::harness]
fn a_distance_between_two_objects() {
    let (a, b) = black_box(([1u32; 4], [1u32; 4]));
    let (a, b) = (Box::new(a), Box::new(b));
    black_box(unsafe { a.as_ptr().offset_from(b.as_ptr()) });
}

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).unwrap()
}

// expect: bug invalid-free
#[symex::harness]
fn a_dealloc_of_another_size(size: u8) {
    symex::assume(size > 0);
    let pointer = unsafe { alloc(layout(8, 8)) };
    unsafe { dealloc(pointer, layout(usize::from(size), 8)) };
}

// expect: bug invalid-free
#[symex::harness]
fn a_dealloc_of_another_alignment() {
    let pointer = unsafe { alloc(layout(8, 8)) };
    unsafe { dealloc(pointer, layout(8, 4)) };
}

// expect: bug
#[symex::harness]
fn a_dealloc_of_nothing() {
    unsafe { dealloc(black_box(std::ptr::null_mut()), layout(8, 8)) };
}

// expect: bug invalid-free
#[symex::harness]
fn a_realloc_of_another_size() {
    let pointer = unsafe { alloc(layout(8, 8)) };
    let pointer = unsafe { realloc(pointer, layout(16, 8), 32) };
    unsafe { dealloc(pointer, layout(32, 8)) };
}

// expect: bug unchecked-operation
#[symex::harness]
fn an_alloc_of_nothing(size: u8) {
    let layout = layout(usize::from(size), 1);
    let pointer = unsafe { alloc(layout) };
    unsafe { dealloc(pointer, layout) };
}

// expect: bug invalid-free
#[symex::harness]
fn a_vector_of_another_capacity() {
    let mut bytes = std::mem::ManuallyDrop::new(Vec::<u8>::with_capacity(8));
    drop(unsafe { Vec::from_raw_parts(bytes.as_mut_ptr(), 0, 4) });
}

// expect: bug invalid-free
#[symex::harness]
fn a_box_of_another_type() {
    let pointer = Box::into_raw(Box::new(7u64));
    drop(unsafe { Box::from_raw(pointer.cast::<u32>()) });
}

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(pointer: *mut c_void);
}

// expect: bug invalid-free
#[symex::harness]
fn a_box_that_c_frees() {
    unsafe { free(Box::into_raw(Box::new(7u8)).cast()) };
}

// expect: bug invalid-free
#[symex::harness]
fn a_box_of_cs_memory() {
    drop(unsafe { Box::from_raw(malloc(1).cast::<u8>()) });
}

// expect: pass-complete
#[symex::harness]
fn memory_that_goes_back_where_it_came_from(size: u8) {
    symex::assume(size > 0);
    let layout = layout(usize::from(size), 4);
    unsafe {
        let pointer = alloc(layout);
        let pointer = realloc(pointer, layout, 64);
        dealloc(pointer, self::layout(64, 4));
        free(malloc(8));
    }
    drop(vec![1u8; 3].into_boxed_slice());
}

// expect: bug misaligned
#[symex::harness]
fn an_array_of_bytes_read_as_a_word(bytes: [u8; 8]) {
    let word = bytes.as_ptr().cast::<u32>();
    black_box(unsafe { *word });
}

// expect: pass-complete
#[symex::harness]
fn an_array_of_bytes_read_unaligned(bytes: [u8; 8]) {
    let word = bytes.as_ptr().cast::<u32>();
    black_box(unsafe { word.read_unaligned() });
}

// expect: bug misaligned
#[symex::harness]
fn a_slice_of_words_of_bytes(byte: u8) {
    let bytes = vec![byte; 8];
    let words = unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<u32>(), 2) };
    black_box(words);
}

// expect: bug misaligned
#[symex::harness]
fn a_word_written_to_bytes(number: u32, at: u8) {
    let mut bytes = vec![0u8; 12];
    let place = unsafe { bytes.as_mut_ptr().add(usize::from(at % 8)) };
    unsafe { *place.cast::<u32>() = number };
    black_box(bytes);
}

// expect: pass-complete
#[symex::harness]
fn a_word_written_to_words(number: u32, at: u8) {
    let mut words = vec![0u32; 12];
    let place = unsafe { words.as_mut_ptr().add(usize::from(at % 8)) };
    unsafe { *place = number };
    assert_eq!(words[usize::from(at % 8)], number);
}

// expect: pass-complete
#[symex::harness]
fn words_among_bytes(bytes: [u8; 16]) {
    let (before, words, after) = unsafe { bytes.align_to::<u32>() };
    assert_eq!(before.len() + 4 * words.len() + after.len(), 16);
    black_box(words.first().copied());
}

// expect: pass-complete
#[symex::harness]
fn a_word_where_it_is_aligned(bytes: [u8; 8]) {
    let word = bytes.as_ptr().cast::<u32>();
    if word.is_aligned() {
        black_box(unsafe { *word });
    }
}

// expect: bug misaligned
#[symex::harness]
fn words_copied_to_bytes(words: [u32; 2]) {
    let mut bytes = [0u8; 8];
    unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), bytes.as_mut_ptr().cast(), 2) };
    black_box(bytes);
}

// expect: pass-complete
#[symex::harness]
fn words_copied_to_bytes_as_bytes(words: [u32; 2]) {
    let mut bytes = [0u8; 8];
    unsafe { std::ptr::copy_nonoverlapping(words.as_ptr().cast(), bytes.as_mut_ptr(), 8) };
    black_box(bytes);
}

#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Packed {
    tag: u8,
    number: u32,
}

// expect: bug misaligned
#[symex::harness]
fn a_field_of_a_packed_struct_read_in_place(number: u32) {
    let packed = Packed { tag: 1, number };
    black_box(unsafe { *(&raw const packed.number) });
    black_box(packed.tag);
}

// expect: pass-complete
#[symex::harness]
fn a_field_of_a_packed_struct_copied(number: u32) {
    let packed = Packed { tag: 1, number };
    assert_eq!({ packed.number }, number);
    black_box(packed.tag);
}

// expect: pass-complete
#[symex::harness]
fn a_block_aligned_as_asked(number: u64) {
    let layout = Layout::from_size_align(16, 64).unwrap();
    unsafe {
        let block = alloc(layout);
        if !block.is_null() {
            assert!(block.addr().is_multiple_of(64));
            *block.cast::<u64>() = number;
            dealloc(block, layout);
        }
    }
}

// expect: bug out-of-bounds
#[symex::harness]
fn a_distance_from_one_of_two_objects(which: bool) {
    let (one, other) = ([1u32; 2], [2u32; 2]);
    let from = if which { one.as_ptr() } else { other.as_ptr() };
    black_box(unsafe { one.as_ptr().wrapping_add(1).offset_from(from) });
}

// expect: pass-complete
#[symex::harness]
fn a_distance_within_one_of_two_objects(which: bool) {
    let (one, other) = ([1u32; 2], [2u32; 2]);
    let from = if which { one.as_ptr() } else { other.as_ptr() };
    assert_eq!(unsafe { from.wrapping_add(1).offset_from(from) }, 1);
}

// expect: bug uninit-use
#[symex::harness]
fn an_element_that_was_not_written(second: bool) {
    let mut list = [const { MaybeUninit::<u32>::uninit() }; 4];
    list[1].write(3);
    let at = if second { 2 } else { 1 };
    black_box(unsafe { list[at].assume_init() });
}

// expect: pass-complete
#[symex::harness]
fn an_element_that_was_written(second: bool) {
    let mut list = [const { MaybeUninit::<u32>::uninit() }; 4];
    list[1].write(3);
    list[2].write(4);
    let at = if second { 2 } else { 1 };
    assert_eq!(
        unsafe { list[at].assume_init() },
        if second { 4 } else { 3 }
    );
}
