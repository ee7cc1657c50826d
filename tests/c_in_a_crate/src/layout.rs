//! Layout of structures in memory: bit-fields, packed and over-aligned ones, enumerations, flexible
//! arrays, `bool`, unions.

use std::ffi::{c_int, c_uint, c_void};

/// Two words of bit-fields: ready 1, mode 3, level 5; count 12.
#[repr(C)]
struct Flags([u32; 2]);

#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Entry {
    kind: u8,
    size: u32,
    crc: u16,
    offset: u64,
}

#[repr(C, align(32))]
#[derive(Clone, Copy)]
struct Lane {
    bytes: [u8; 24],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Aligned {
    tag: u8,
    lane: Lane,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, symex::Symbolic)]
enum Colour {
    Red,
    Green = 5,
    Blue,
}

#[repr(u64)]
#[derive(Clone, Copy, PartialEq, symex::Symbolic)]
enum WideEnum {
    Small,
    Large = 0x1_0000_0000,
}

#[repr(C)]
struct Packet {
    length: u16,
    kind: u8,
    data: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
union Content {
    integer: i64,
    real: f64,
    text: [u8; 8],
}

#[repr(C)]
struct Variant {
    tag: u8,
    content: Content,
}

#[repr(C)]
struct List {
    next: *mut List,
    item: u32,
}

unsafe extern "C" {
    safe fn flags_set(f: &mut Flags, mode: c_uint, level: c_int, count: c_uint);
    safe fn flags_level(f: &Flags) -> c_int;
    fn entry_sum(entries: *const Entry, count: usize) -> u64;
    safe fn entry_next(e: Entry) -> Entry;
    safe fn lane_of(a: Aligned) -> Lane;
    safe fn is_aligned(a: &Aligned) -> c_int;
    safe fn colour_next(c: Colour) -> Colour;
    safe fn wide_enum_is_large(w: WideEnum) -> c_int;
    safe fn both(a: bool, b: bool) -> bool;
    safe fn flip(b: &mut bool) -> &mut bool;
    fn set_byte(at: *mut c_void, value: u8);
    fn packet_new(kind: u8, data: *const u8, length: u16) -> *mut Packet;
    fn packet_last(p: *const Packet) -> u8;
    fn packet_free(p: *mut Packet);
    safe fn value_is_positive(v: &Variant) -> c_int;
    fn list_longest(l: *const List) -> u32;
    fn list_push(l: *mut List, item: u32) -> *mut List;
    fn free(p: *mut c_void);
}

// expect: pass-complete
#[symex::harness]
fn bit_fields(mode: u32, level: i32, count: u32, word: u32) {
    let mut flags = Flags([word, word]);
    flags_set(&mut flags, mode, level, count);
    let [first, second] = flags.0;
    assert_eq!(first & 1, 1);
    assert_eq!(first >> 1 & 7, mode & 7);
    assert_eq!(first >> 4 & 31, level as u32 & 31);
    assert_eq!(first >> 9, word >> 9);
    assert_eq!(second & 0xfff, count & 0xfff);
    assert_eq!(second >> 12, word >> 12);
    assert_eq!(flags_level(&flags), level << 27 >> 27);
}

// expect: bug panic
#[symex::harness]
fn bit_fields_wrong(level: i8) {
    let mut flags = Flags([0; 2]);
    flags_set(&mut flags, 0, level.into(), 0);
    assert!(flags_level(&flags) != -13);
}

fn any_entry() -> Entry {
    let (kind, size, crc, offset) = symex::any();
    Entry {
        kind,
        size,
        crc,
        offset,
    }
}

// expect: pass-complete
#[symex::harness]
fn packed() {
    let entries = [any_entry(), any_entry()];
    // SAFETY: the array has these elements.
    let sum = unsafe { entry_sum(entries.as_ptr(), 2) };
    let of = |e: Entry| u64::from(u32::from(e.kind) ^ e.size) ^ e.offset ^ u64::from(e.crc);
    assert_eq!(sum, of(entries[0]).wrapping_add(of(entries[1])));
    let next = entry_next(entries[1]);
    assert_eq!(
        { next.offset },
        { entries[1].offset }.wrapping_add(u64::from(entries[1].size))
    );
    assert_eq!({ next.crc }, { entries[1].crc });
}

// expect: bug out-of-bounds
#[symex::harness]
fn packed_wrong(count: u8) {
    let entry = any_entry();
    // SAFETY: it is not for more than one, and this is to be found.
    unsafe { entry_sum(&entry, count.into()) };
}

// expect: pass-complete
#[symex::harness]
fn over_aligned(tag: u8, bytes: [u8; 24]) {
    let aligned = Aligned {
        tag,
        lane: Lane { bytes },
    };
    assert_eq!(is_aligned(&aligned), 1);
    let lane = lane_of(aligned);
    assert_eq!(lane.bytes[0], bytes[0] ^ tag);
    assert_eq!(lane.bytes[1..], bytes[1..]);
}

// expect: bug panic
#[symex::harness]
fn over_aligned_wrong(tag: u8, bytes: [u8; 24]) {
    let lane = lane_of(Aligned {
        tag,
        lane: Lane { bytes },
    });
    assert!(lane.bytes[..3] != *b"abc");
}

// expect: pass-complete
#[symex::harness]
fn enumerations(c: Colour, w: WideEnum) {
    assert_eq!(colour_next(colour_next(colour_next(c))), c);
    assert_eq!(wide_enum_is_large(w) == 1, w == WideEnum::Large);
}

// expect: bug panic
#[symex::harness]
fn enumerations_wrong(c: Colour) {
    assert_ne!(colour_next(c), Colour::Blue);
}

// expect: pass-complete
#[symex::harness]
fn truth_values(a: bool, mut b: bool) {
    assert_eq!(both(a, b), a & b);
    let before = b;
    let flipped = flip(&mut b);
    assert_ne!(*flipped, before);
}

// expect: bug
#[symex::harness]
fn truth_values_wrong(value: u8) {
    let mut b = false;
    // SAFETY: it is not for 2, and this is to be found by C's check.
    unsafe { set_byte((&raw mut b).cast(), value) };
    flip(&mut b);
}

// expect: pass-complete
#[symex::harness]
fn flexible_arrays(kind: u8, data: [u8; 5], length: u8) {
    symex::assume(length >= 1 && length <= 5);
    // SAFETY: the packet has these bytes, and the packet is freed once.
    unsafe {
        let packet = packet_new(kind, data.as_ptr(), length.into());
        assert_eq!((*packet).kind, kind);
        let bytes = std::slice::from_raw_parts(
            (&raw const (*packet).data).cast::<u8>(),
            (*packet).length.into(),
        );
        assert_eq!(bytes, &data[..length.into()]);
        assert_eq!(packet_last(packet), data[usize::from(length) - 1]);
        packet_free(packet);
    }
}

// expect: bug out-of-bounds
#[symex::harness]
fn flexible_arrays_wrong(length: u8) {
    symex::assume(length <= 4);
    // SAFETY: an empty packet has no last byte, and this is to be found.
    unsafe {
        let packet = packet_new(0, [1u8; 4].as_ptr(), length.into());
        (*packet).length = (*packet).length.wrapping_sub(4).wrapping_add(8);
        packet_last(packet);
        packet_free(packet);
    }
}

// expect: pass-complete
#[symex::harness]
fn tagged_unions(tag: u8, bits: u64) {
    let variant = Variant {
        tag,
        content: Content {
            integer: bits as i64,
        },
    };
    let expected = match tag {
        0 => bits as i64 > 0,
        1 => f64::from_bits(bits) > 0.0,
        _ => bits as u8 == b'+',
    };
    assert_eq!(value_is_positive(&variant) == 1, expected);
}

// expect: bug uninit-use
#[symex::harness]
fn tagged_unions_wrong(tag: u8) {
    let mut variant = std::mem::MaybeUninit::<Variant>::uninit();
    // SAFETY: nothing was written to the content, and this is to be found.
    unsafe {
        (&raw mut (*variant.as_mut_ptr()).tag).write(tag);
        if value_is_positive(std::hint::black_box(variant.assume_init_ref())) == 1 {
            std::hint::black_box(tag);
        }
    }
}

// expect: pass-complete
#[symex::harness]
fn lists_of_both(items: [u32; 3]) {
    // SAFETY: C's allocations are freed once, Rust's by Rust.
    unsafe {
        let first = list_push(list_push(std::ptr::null_mut(), items[0]), items[1]);
        let head = Box::new(List {
            next: first,
            item: items[2],
        });
        let expected = items
            .iter()
            .rev()
            .fold(0u32, |n, item| n.wrapping_mul(3).wrapping_add(*item));
        assert_eq!(list_longest(&*head), expected);
        free((*head.next).next.cast());
        free(head.next.cast());
    }
}

// expect: bug invalid-free
#[symex::harness]
fn lists_of_both_wrong(item: u32) {
    let mut own = List {
        next: std::ptr::null_mut(),
        item,
    };
    // SAFETY: what is on the stack is freed, and this is to be found.
    unsafe {
        let head = list_push(&mut own, 1);
        free((*head).next.cast());
        free(head.cast());
    }
}
