//! Generator of random functions with planted undefined behaviour.
//!
//! A function computes a condition of its inputs, the trigger, and does one operation whose
//! operands are wrong if the trigger holds. Around it stands code that does no harm.

use super::Trigger;
use std::fmt::Write;
use symex_testing::random::TestRandom;

/// A class of undefined behaviour: code in which `bad` says whether it happens, and the kinds of
/// findings that name it. `$N` stands for a random number below 8, `$T` for an integer type.
pub struct Class {
    pub name: &'static str,
    pub kinds: &'static [&'static str],
    code: &'static str,
}

const fn class(name: &'static str, kinds: &'static [&'static str], code: &'static str) -> Class {
    Class { name, kinds, code }
}

pub const CLASSES: &[Class] = &[
    class(
        "a bool",
        &["invalid-value"],
        "let byte = if bad { 2 + $N } else { b & 1 };
         sum ^= u64::from(pass(read::<bool>(&byte)));",
    ),
    class(
        "a char",
        &["invalid-value"],
        "let number = if bad { 0x11_0000 + $Nu32 } else { a & 0x7f };
         sum ^= u64::from(pass(read::<char>(&number)));",
    ),
    class(
        "an enum",
        &["invalid-value"],
        "let byte = if bad { 7 + $Nu8 } else { 1 + (b & 1) };
         sum ^= pass(read::<Two>(&byte)) as u64;",
    ),
    class(
        "a number that is not zero",
        &["invalid-value", "invalid-assume"],
        "let number: $T = if bad { 0 } else { 1 + $N };
         sum ^= pass(read::<std::num::NonZero<$T>>(&number)).get() as u64;",
    ),
    class(
        "a null reference",
        &["invalid-value", "null-access"],
        "let number: $T = $N;
         let pointer = if bad { std::ptr::null() } else { &raw const number };
         sum ^= *take(unsafe { &*pointer }) as u64;",
    ),
    class(
        "a null pointer",
        &["null-access", "invalid-assume"],
        "let mut number: $T = $N;
         let pointer = if bad { std::ptr::null_mut() } else { &raw mut number };
         unsafe { pointer.write_unaligned(1) };
         sum ^= number as u64;",
    ),
    class(
        "a reference that dangles",
        &["dangling-reference", "use-after-free"],
        "let place = Box::into_raw(Box::new($N as $T));
         if bad { drop(unsafe { Box::from_raw(place) }); }
         sum ^= *take(unsafe { &*place }) as u64;
         if !bad { drop(unsafe { Box::from_raw(place) }); }",
    ),
    class(
        "memory that was freed",
        &["use-after-free"],
        "let mut list = vec![$N as $T; 3];
         let place = list.as_mut_ptr();
         if bad { list = Vec::new(); }
         unsafe { place.add(b as usize % 3).write(1) };
         sum ^= list.len() as u64;",
    ),
    class(
        "memory that is freed twice",
        &["double-free", "use-after-free", "dangling-reference"],
        "let place = Box::into_raw(Box::new($N as $T));
         drop(unsafe { Box::from_raw(place) });
         if bad { drop(unsafe { Box::from_raw(place) }); }",
    ),
    class(
        "a read out of bounds",
        &["out-of-bounds"],
        "let list: [$T; 5] = [$N; 5];
         let at = if bad { 5 + $N } else { b as usize % 5 };
         sum ^= unsafe { *list.as_ptr().wrapping_add(at) } as u64;",
    ),
    class(
        "a write out of bounds",
        &["out-of-bounds"],
        "let mut list = vec![$N as $T; 4];
         let at = if bad { 4 + (c as usize % 3) } else { b as usize % 4 };
         unsafe { *list.as_mut_ptr().wrapping_add(at) = 1 };
         sum ^= list[0] as u64;",
    ),
    class(
        "arithmetic out of an object",
        &["out-of-bounds", "invalid-assume"],
        "let list: [$T; 5] = [$N; 5];
         let at = if bad { 6 + $N } else { b as usize % 6 };
         sum ^= pass(unsafe { list.as_ptr().add(at) }).is_null() as u64;",
    ),
    class(
        "a read at a difference",
        &["out-of-bounds"],
        "let list: [$T; 5] = [$N; 5];
         let at = if bad { 9 - (b as usize & 3) } else { 4 - (b as usize & 3) };
         sum ^= unsafe { *list.as_ptr().wrapping_add(at) } as u64;",
    ),
    class(
        "arithmetic to a difference",
        &["out-of-bounds", "invalid-assume"],
        "let list = vec![$N as $T; 5];
         let end = unsafe { list.as_ptr().add(if bad { 1 } else { 5 }) };
         sum ^= pass(unsafe { end.sub(2 + (b as usize & 3)) }).is_null() as u64;",
    ),
    class(
        "arithmetic from outside",
        &["out-of-bounds", "invalid-assume"],
        "let list: [$T; 5] = [$N; 5];
         let at = if bad { 6 + $N } else { b as usize % 6 };
         let start = unsafe { list.as_ptr().wrapping_add(at).sub(at) };
         sum ^= pass(start).is_null() as u64;",
    ),
    class(
        "an offset that wraps around",
        &["out-of-bounds"],
        "let list: [u32; 8] = [$N; 8];
         let at = if bad { (1 << 62) + $N } else { b as usize % 8 };
         sum ^= u64::from(unsafe { *list.as_ptr().add(at) });",
    ),
    class(
        "a copy whose length wraps around",
        &["out-of-bounds"],
        "let (from, mut to) = ([$Nu16; 4], [0u16; 4]);
         let count = if bad { (1 << 63) + $N % 5 } else { b as usize % 5 };
         unsafe { std::ptr::copy(from.as_ptr(), to.as_mut_ptr(), count) };
         sum ^= u64::from(to[3]);",
    ),
    class(
        "a read behind a constant",
        &["out-of-bounds"],
        "let text = \"constant\";
         sum ^= u64::from(pass(unsafe { *text.as_ptr().add($N) }));
         if bad { sum ^= u64::from(pass(unsafe { *text.as_ptr().add(8) })); }",
    ),
    class(
        "the distance of two objects",
        &["out-of-bounds", "unchecked-operation", "invalid-assume"],
        "let (one, other) = ([$N as $T; 3], [1 as $T; 3]);
         let from = if bad { other.as_ptr() } else { one.as_ptr() };
         sum ^= unsafe { one.as_ptr().wrapping_add(b as usize % 3).offset_from(from) } as u64;",
    ),
    class(
        "a slice that is too long",
        &["dangling-reference", "out-of-bounds"],
        "let list: [$T; 4] = [$N; 4];
         let length = if bad { 5 + $N } else { b as usize % 5 };
         sum ^= pass(unsafe { std::slice::from_raw_parts(list.as_ptr(), length) }).len() as u64;",
    ),
    class(
        "a word among bytes",
        &["misaligned"],
        "let (bytes, words) = ([b; 16], [a; 4]);
         let place = if bad { bytes.as_ptr() } else { words.as_ptr().cast() };
         let place = unsafe { place.add(4 * (c as usize % 4)) };
         sum ^= u64::from(unsafe { *place.cast::<u32>() });",
    ),
    class(
        "a word between words",
        &["misaligned"],
        "let words = [a; 4];
         let at = if bad { 1 + 2 * ($N % 3) } else { 4 * (b as usize % 3) };
         let place = unsafe { words.as_ptr().cast::<u8>().add(at) };
         sum ^= u64::from(unsafe { *place.cast::<u32>() });",
    ),
    class(
        "an integer without a value",
        &["uninit-use"],
        "let mut list = [const { std::mem::MaybeUninit::<$T>::uninit() }; 4];
         list[1].write($N);
         let at = if bad { 2 } else { 1 };
         sum ^= pass(unsafe { list[at].assume_init() }) as u64;",
    ),
    class(
        "a vector that was not written",
        &["uninit-use"],
        "let mut list: Vec<u8> = Vec::with_capacity(4);
         list.push(b);
         if bad { unsafe { list.set_len(2 + $N % 3) }; }
         if list[list.len() - 1] == 7 { sum ^= 1; }",
    ),
    class(
        "a sum that overflows",
        &["invalid-assume", "unchecked-operation"],
        "let (x, y): ($T, $T) = (<$T>::MAX - $N, if bad { 9 } else { 0 });
         sum ^= pass(unsafe { x.unchecked_add(y) }) as u64;",
    ),
    class(
        "a product that overflows",
        &["invalid-assume", "unchecked-operation"],
        "let (x, y): ($T, $T) = (<$T>::MAX / 3, if bad { 4 + $N } else { (b % 4) as $T });
         sum ^= pass(unsafe { x.unchecked_mul(y) }) as u64;",
    ),
    class(
        "a distance of a shift",
        &["invalid-assume", "unchecked-operation"],
        "let distance = if bad { <$T>::BITS + $N } else { u32::from(b) % <$T>::BITS };
         sum ^= pass(unsafe { (1 as $T).unchecked_shl(distance) }) as u64;",
    ),
    class(
        "a float that is no integer",
        &["unchecked-operation"],
        "let float = if bad { 300.5f32 + $N as f32 } else { f32::from(b) };
         sum ^= u64::from(pass(unsafe { float.to_int_unchecked::<u8>() }));",
    ),
    class(
        "a place that is reached",
        &["invalid-assume"],
        "if bad { unsafe { std::hint::unreachable_unchecked() } }",
    ),
    class(
        "an assumption that is wrong",
        &["invalid-assume"],
        "let number = if bad { 9 + $Nu8 } else { b % 9 };
         unsafe { std::hint::assert_unchecked(number < 9) };
         sum ^= u64::from(number);",
    ),
    class(
        "copies that overlap",
        &["invalid-assume", "out-of-bounds"],
        "let mut list: [$T; 8] = [$N; 8];
         let from = list.as_mut_ptr();
         let to = from.wrapping_add(if bad { 1 + c as usize % 2 } else { 4 });
         unsafe { std::ptr::copy_nonoverlapping(from, to, 3) };
         sum ^= list[6] as u64;",
    ),
    class(
        "a static that is written",
        &["read-only-write"],
        "let mut own = 0u32;
         let place = if bad { (&raw const NUMBER).cast_mut() } else { &raw mut own };
         unsafe { *pass(place) = a };
         sum ^= u64::from(own);",
    ),
    class(
        "another layout",
        &["invalid-free"],
        "let layout = Layout::array::<$T>(4).unwrap();
         let place = unsafe { alloc(layout) };
         if place.is_null() { return sum; }
         let length = if bad { 5 + $N } else { 4 };
         unsafe { dealloc(place, Layout::array::<$T>(length).unwrap()) };",
    ),
    class(
        "another capacity",
        &["invalid-free"],
        "let mut list = std::mem::ManuallyDrop::new(vec![$N as $T; 4]);
         let capacity = if bad { 6 + $N } else { 4 };
         drop(unsafe { Vec::from_raw_parts(list.as_mut_ptr(), 2, capacity) });",
    ),
    class(
        "another signature",
        &["invalid-call"],
        "let function: fn(u32) -> u32 = if bad {
             unsafe { std::mem::transmute(of_two as fn(u32, u32) -> u32) }
         } else {
             of_one
         };
         sum ^= u64::from(pass(function)(a));",
    ),
    class(
        "two threads without order",
        &[RACE],
        "let place = Box::into_raw(Box::new($N as $T)) as usize;
         let thread = spawn(move || unsafe { *(place as *mut $T) = 9 });
         let mut waiting = Some(thread);
         if !bad { waiting.take().unwrap().join().unwrap(); }
         sum ^= pass(unsafe { *(place as *const $T) }) as u64;
         if let Some(thread) = waiting { thread.join().unwrap(); }
         drop(unsafe { Box::from_raw(place as *mut $T) });",
    ),
    class(
        "a flag that orders nothing",
        &[RACE],
        "let shared = std::sync::Arc::new((AtomicBool::new(false), AtomicU64::new(0)));
         let other = shared.clone();
         let order = if bad { Relaxed } else { Release };
         let thread = spawn(move || {
             unsafe { other.1.as_ptr().write($N) };
             other.0.store(true, order);
         });
         if shared.0.load(Acquire) { sum ^= pass(unsafe { shared.1.as_ptr().read() }); }
         thread.join().unwrap();",
    ),
];

/// The kind of findings in code with threads.
const RACE: &str = "data-race";

impl Class {
    /// Reports whether the code starts threads, so that a pass is bounded by their orders.
    pub fn has_threads(&self) -> bool {
        self.kinds.contains(&RACE)
    }
}

/// Writes a function `name(a: u32, b: u8, c: u16) -> u64` with one operation of the class, wrong if
/// the trigger holds.
pub fn function(name: &str, class: &Class, trigger: &Trigger, random: &mut TestRandom) -> String {
    let mut operation = class.code.to_owned();
    let ty = random.pick(&["u8", "u16", "u32", "u64", "u128", "usize"]);
    operation = operation.replace("$T", ty);
    while let Some(at) = operation.find("$N") {
        operation.replace_range(at..at + 2, &random.below(8).to_string());
    }
    let mut text = String::new();
    let (before, after) = (harmless(random), harmless(random));
    let body = match random.below(5) {
        0 => operation,
        1 => {
            let (rounds, round) = (random.between(2, 4), random.below(2));
            format!(
                "for round in 0..{rounds} {{ if round == {round} {{ {operation} }} \
                 else {{ sum = sum.wrapping_mul(31) ^ round; }} }}"
            )
        }
        2 => format!("sum ^= (|bad: bool, mut sum: u64| {{ {operation} sum }})(bad, sum);"),
        3 => {
            let _ = writeln!(
                text,
                "#[inline(never)]\nfn {name}_inner(bad: bool, a: u32, b: u8, c: u16, mut sum: u64) \
                 -> u64 {{ {operation} sum }}"
            );
            format!("sum = {name}_inner(bad, a, b, c, sum);")
        }
        _ => format!(
            "match (bad, b & 1) {{ (true, _) | (false, 0) => {{ {operation} }} _ => sum ^= 1 }}"
        ),
    };
    let _ = writeln!(
        text,
        "fn {name}(a: u32, b: u8, c: u16) -> u64 {{\nlet mut sum = 0u64;\nlet bad = {};\n{before}\n\
         {body}\n{after}\nsum\n}}",
        trigger.code()
    );
    text
}

/// Writes statements that are defined for all inputs.
fn harmless(random: &mut TestRandom) -> String {
    let n = random.below(100);
    match random.below(6) {
        0 => format!("sum = sum.wrapping_add(u64::from(a) ^ {n});"),
        1 => format!("if b > {n} {{ sum ^= u64::from(c); }}"),
        2 => format!(
            "let list = vec![b; {}]; sum ^= list.len() as u64;",
            1 + n % 9
        ),
        3 => format!(
            "let text = [b'a'; {}]; sum ^= u64::from(text[0]);",
            1 + n % 9
        ),
        4 => format!("let boxed = Box::new(a ^ {n}); sum = sum.wrapping_mul(u64::from(*boxed));"),
        _ => String::new(),
    }
}
