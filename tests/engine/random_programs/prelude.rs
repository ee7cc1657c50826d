//! Items that the generated functions share: the digest, an enum, a trait, generic functions.

use std::fmt::Debug;

pub struct Digest(u64);

/// A value that a digest can include. Where Rust leaves bits open, all choices give the same
/// number.
pub trait Digested {
    fn word(self) -> u64;
}

macro_rules! digested { ($($t:ty)*) => { $(impl Digested for $t { fn word(self) -> u64 { (self as u64) ^ ((self as u128 >> 64) as u64) } })* } }
digested!(u8 u16 u32 u64 usize u128 i8 i16 i32 i64 isize i128 bool char);

impl Digested for f64 {
    fn word(self) -> u64 {
        if self.is_nan() { 0x7ff8 } else { self.to_bits() }
    }
}

impl Digested for f32 {
    fn word(self) -> u64 {
        if self.is_nan() { 0x7ff9 } else { self.to_bits() as u64 }
    }
}

impl Digest {
    pub fn new() -> Self {
        Digest(0x9E37_79B9_7F4A_7C15)
    }

    #[inline(never)]
    fn take(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(7) ^ word).wrapping_add(0x51_7C_C1_B7_27_22_0A_95);
    }

    pub fn add<T: Digested>(&mut self, value: T) {
        self.take(value.word());
    }

    pub fn text(&mut self, text: &str) {
        self.take(text.len() as u64);
        for byte in text.bytes() {
            self.take(byte as u64);
        }
    }

    pub fn caught<T: Digested>(&mut self, result: std::thread::Result<T>) {
        match result {
            Ok(value) => self.add(value),
            Err(payload) => self.text(message(&*payload)),
        }
    }

    pub fn finish(&self) -> u64 {
        self.0
    }
}

pub fn message(payload: &(dyn std::any::Any + Send)) -> &str {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "no text",
    }
}

/// Returns the digest of a function, also if it panics.
pub fn run(case: fn(&[u64; 4]) -> u64, x: &[u64; 4]) -> u64 {
    match std::panic::catch_unwind(|| case(x)) {
        Ok(digest) => digest,
        Err(payload) => {
            let mut digest = Digest::new();
            digest.text(message(&*payload));
            digest.finish()
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    Unit,
    One(i32),
    Pair { a: u16, b: u64 },
    Wide(u128),
    Nested(Box<Shape>),
}

pub trait Measure {
    fn measure(&self) -> u64;
    fn twice(&self) -> u64 {
        self.measure().wrapping_mul(2)
    }
}

impl Measure for Shape {
    fn measure(&self) -> u64 {
        match self {
            Shape::Unit => 1,
            Shape::One(n) if *n < 0 => n.unsigned_abs() as u64,
            Shape::One(n) => *n as u64 + 7,
            Shape::Pair { a, b } => b.wrapping_sub(*a as u64),
            Shape::Wide(n) => (n >> 60) as u64,
            Shape::Nested(inner) => inner.measure().wrapping_add(1),
        }
    }
}

impl Measure for u32 {
    fn measure(&self) -> u64 {
        self.leading_zeros() as u64
    }
}

impl Measure for Vec<u32> {
    fn measure(&self) -> u64 {
        self.iter().map(|&n| n as u64).sum()
    }
    fn twice(&self) -> u64 {
        self.len() as u64
    }
}

impl Measure for String {
    fn measure(&self) -> u64 {
        self.bytes().fold(0, |a, b| a * 3 + b as u64)
    }
}

/// Says when it is dropped.
pub struct Dropped<'a>(pub &'a std::cell::Cell<u64>, pub u64);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().wrapping_mul(10).wrapping_add(self.1));
    }
}

pub trait ConcatWith<T> {
    fn concat_with(&self) -> Vec<T>;
}

impl<T: Copy> ConcatWith<T> for Vec<T> {
    fn concat_with(&self) -> Vec<T> {
        [&self[1..], &self[..1]].concat()
    }
}

#[inline(never)]
pub fn mix<T: std::ops::BitXor<Output = T> + PartialOrd>(a: T, b: T) -> T {
    if a < b { b } else { a ^ b }
}

#[inline(never)]
pub fn swap_pair<A, B>(pair: (A, B)) -> (B, A) {
    (pair.1, pair.0)
}

#[inline(never)]
pub fn apply<T>(f: &impl Fn(T, T) -> T, a: T, b: T) -> T {
    f(a, b)
}

#[inline(never)]
pub fn apply_dyn<T>(f: &dyn Fn(T, T) -> T, a: T, b: T) -> T {
    f(a, b)
}
