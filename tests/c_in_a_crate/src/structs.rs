//! Structures by value, of each class that the ABI of x86-64 knows, as arguments and as results.

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, symex::Symbolic)]
struct Header {
    kind: u8,
    flags: u16,
    length: u32,
}

macro_rules! structure {
    ($($name:ident { $($field:ident: $type:ty),* })*) => {$(
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq, symex::Symbolic)]
        struct $name { $($field: $type),* }
    )*};
}

structure! {
    Three { bytes: [u8; 3] }
    Seven { bytes: [u8; 7] }
    Twelve { words: [u32; 3] }
    Pair { high: u64, low: u32 }
    Point2 { x: f32, y: f32 }
    Point3 { x: f32, y: f32, z: f32 }
    Point4 { x: f32, y: f32, z: f32, w: f32 }
    Complex { re: f64, im: f64 }
    Tagged { tag: u32, value: f32 }
    Weighed { id: u64, weight: f64 }
    Measured { value: f64, unit: u8 }
    Mixed { x: f32, y: f32, n: u16 }
    Matrix { cell: [[u32; 3]; 2] }
    Record { header: Header, name: [u8; 20], weight: f64 }
    Wide { value: u128, tag: u8 }
}

#[repr(C)]
#[derive(Clone, Copy)]
union Number {
    bits: u64,
    value: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
union Word {
    bits: u32,
    value: f32,
}

unsafe extern "C" {
    safe fn header_sum(h: Header) -> u32;
    safe fn header_make(kind: u8, flags: u16, length: u32) -> Header;
    safe fn three_turned(t: Three) -> Three;
    safe fn seven_reversed(s: Seven) -> Seven;
    safe fn twelve_rotated(t: Twelve) -> Twelve;
    safe fn pair_swapped(p: Pair) -> Pair;
    safe fn point2_flipped(p: Point2) -> Point2;
    safe fn point3_turned(p: Point3) -> Point3;
    safe fn point4_turned(p: Point4) -> Point4;
    safe fn complex_conjugate(c: Complex) -> Complex;
    safe fn tagged_next(t: Tagged) -> Tagged;
    safe fn weighed_next(w: Weighed) -> Weighed;
    safe fn measured_next(m: Measured) -> Measured;
    safe fn mixed_next(m: Mixed) -> Mixed;
    safe fn matrix_scaled(m: Matrix, factor: u32) -> Matrix;
    safe fn record_renamed(r: Record, first: u8) -> Record;
    safe fn record_consume(r: Record) -> u8;
    #[allow(clippy::too_many_arguments)]
    safe fn late(a: u64, b: u64, c: u64, d: u64, e: u64, p: Pair, f: u64, t: Three) -> u64;
    #[allow(clippy::too_many_arguments)]
    safe fn late_floats(
        a: f64,
        b: f64,
        c: f64,
        d: f64,
        e: f64,
        f: f64,
        g: f64,
        z: Complex,
        h: f64,
    ) -> f64;
    safe fn wide_swapped(x: u128) -> u128;
    safe fn wide_next(w: Wide) -> Wide;
    safe fn wide_product(a: i64, b: i64) -> i128;
    safe fn number_negated(n: Number) -> Number;
    safe fn word_negated(w: Word) -> Word;
    safe fn three_at(t: Three, i: u32) -> u8;
}

/// Compares floats by their bits, NaN included.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

fn same32(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits()
}

// expect: pass-complete
#[symex::harness]
fn integers_in_one_register(h: Header) {
    let sum = u32::from(h.kind) * 65536 + u32::from(h.flags) + (h.length & 0xffff);
    assert_eq!(header_sum(h), sum);
    assert_eq!(header_make(h.kind, h.flags, h.length), h);
}

// expect: bug panic
#[symex::harness]
fn integers_in_one_register_wrong(h: Header) {
    assert_ne!(header_sum(h), 0x7f_1234);
}

// expect: pass-complete
#[symex::harness]
fn sizes_that_no_register_has(t: Three, s: Seven, w: Twelve) {
    let [a, b, c] = t.bytes;
    assert_eq!(three_turned(t).bytes, [b, c, a]);
    let mut reversed = s.bytes;
    reversed.reverse();
    assert_eq!(seven_reversed(s).bytes, reversed);
    let [a, b, c] = w.words;
    assert_eq!(twelve_rotated(w).words, [c, a, b]);
}

// expect: bug panic
#[symex::harness]
fn sizes_that_no_register_has_wrong(s: Seven) {
    assert!(seven_reversed(s).bytes[1..3] != *b"ok");
}

// expect: pass-complete
#[symex::harness]
fn integers_in_two_registers(p: Pair) {
    let swapped = Pair {
        high: p.low.into(),
        low: p.high as u32,
    };
    assert_eq!(pair_swapped(p), swapped);
}

// expect: pass-complete
#[symex::harness]
fn floats_alone(p: Point4, c: Complex) {
    let flipped = point2_flipped(Point2 { x: p.x, y: p.y });
    assert!(same32(flipped.x, p.y) && same32(flipped.y, p.x));
    let turned = point3_turned(Point3 {
        x: p.x,
        y: p.y,
        z: p.z,
    });
    assert!(same32(turned.x, p.y) && same32(turned.y, p.z) && same32(turned.z, p.x));
    let turned = point4_turned(p);
    assert!(same32(turned.x, p.y) && same32(turned.y, p.z));
    assert!(same32(turned.z, p.w) && same32(turned.w, p.x));
    let conjugate = complex_conjugate(c);
    assert!(same(conjugate.re, c.re) && same(conjugate.im, -c.im));
}

// expect: bug panic
#[symex::harness]
fn floats_alone_wrong(p: Point3) {
    let turned = point3_turned(p);
    assert!(turned.z.to_bits() != 0x3f80_0001);
}

// expect: pass-complete
#[symex::harness]
fn integers_and_floats(t: Tagged, w: Weighed, m: Measured, x: Mixed) {
    let next = tagged_next(t);
    assert!(next.tag == t.tag ^ 1 && same32(next.value, -t.value));
    let next = weighed_next(w);
    assert!(next.id == w.id ^ 1 && same(next.weight, -w.weight));
    let next = measured_next(m);
    assert!(next.unit == m.unit ^ 1 && same(next.value, -m.value));
    let next = mixed_next(x);
    assert!(next.n == x.n ^ 1 && same32(next.x, x.y) && same32(next.y, -x.x));
}

// expect: bug panic
#[symex::harness]
fn integers_and_floats_wrong(x: Mixed) {
    assert!(mixed_next(x).n != 0x55aa);
}

// expect: pass-complete
#[symex::harness]
fn in_memory(m: Matrix, factor: u32, r: Record, first: u8) {
    let scaled = matrix_scaled(m, factor);
    assert_eq!(scaled.cell[1][2], m.cell[1][2].wrapping_mul(factor));
    assert_eq!(scaled.cell[0][1], m.cell[0][1].wrapping_mul(factor));
    let before = r.name;
    let renamed = record_renamed(r, first);
    assert_eq!(renamed.name[0], first);
    assert_eq!(renamed.name[1..], before[1..]);
    assert_eq!(renamed.header.length, r.header.length ^ 0xff);
    assert!(same(renamed.weight, r.weight));
    assert_eq!(record_consume(r), r.header.kind);
    assert_eq!(r.name, before);
}

// expect: bug panic
#[symex::harness]
fn in_memory_wrong(r: Record, first: u8) {
    let renamed = record_renamed(r, first);
    assert!(renamed.name[..4] != *b"leek");
}

// expect: pass-complete
#[symex::harness]
fn after_the_last_register(w: [u64; 6], p: Pair, t: Three) {
    let [a, b, c, d, e, f] = w;
    let expected =
        a ^ b ^ c ^ d ^ e ^ p.high.wrapping_sub(p.low.into()) ^ (f << 1) ^ u64::from(t.bytes[2]);
    assert_eq!(late(a, b, c, d, e, p, f, t), expected);
}

// expect: pass-complete
#[symex::harness]
fn after_the_last_register_of_floats(z: Complex, h: f64, negative: bool) {
    let first = if negative { -8.0 } else { 0.0 };
    let expected = if negative { h } else { z.im };
    assert!(same(
        late_floats(first, 1., 1., 1., 1., 1., 1., z, h),
        expected
    ));
}

// expect: bug panic
#[symex::harness]
fn after_the_last_register_wrong(p: Pair, f: u64) {
    assert_ne!(
        late(0, 0, 0, 0, 0, p, f, Three { bytes: [0; 3] }),
        0xdead_beef_0000_0000
    );
}

// expect: pass-complete
#[symex::harness]
fn integers_of_128_bits(x: u128, tag: u8, a: i16, b: i16) {
    assert_eq!(wide_swapped(x), x.rotate_left(64));
    let next = wide_next(Wide { value: x, tag });
    assert_eq!(
        next,
        Wide {
            value: x.wrapping_add(tag.into()),
            tag
        }
    );
    let (a, b) = (i64::from(a) << 40, i64::from(b) << 40);
    assert_eq!(wide_product(a, b), i128::from(a) * i128::from(b));
}

// expect: bug panic
#[symex::harness]
fn integers_of_128_bits_wrong(x: u128) {
    assert_ne!(wide_swapped(x), 0x1234_0000_0000_0000_0000_5678);
}

// expect: pass-complete
#[symex::harness]
fn unions(bits: u64, word: u32) {
    // SAFETY: any bits are both.
    let value = unsafe { number_negated(Number { bits }).value };
    assert!(same(value, -f64::from_bits(bits)));
    let bits = unsafe {
        word_negated(Word {
            value: f32::from_bits(word),
        })
        .bits
    };
    assert_eq!(bits, word ^ 1 << 31);
}

// expect: bug panic
#[symex::harness]
fn unions_wrong(bits: u64) {
    // SAFETY: any bits are both.
    let value = unsafe { number_negated(Number { bits }).value };
    assert!(value != 1.5);
}

// expect: bug out-of-bounds
#[symex::harness]
fn beyond_an_argument_wrong(t: Three, i: u8) {
    three_at(t, i.into());
}
