//! What the random functions with planted undefined behaviour use.

use std::alloc::{Layout, alloc, dealloc};
use std::hint::black_box as pass;
use std::sync::atomic::Ordering::*;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread::spawn;

static NUMBER: u32 = 5;

#[repr(u8)]
#[derive(Clone, Copy)]
enum Two {
    One = 1,
    Two = 2,
}

fn read<T: Copy>(from: &impl Sized) -> T {
    unsafe { *std::ptr::from_ref(from).cast::<T>() }
}

#[inline(never)]
fn take<T>(reference: &T) -> &T {
    pass(reference)
}

fn of_one(number: u32) -> u32 {
    number
}

fn of_two(one: u32, two: u32) -> u32 {
    one ^ two
}
