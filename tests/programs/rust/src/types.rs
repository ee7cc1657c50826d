//! Arguments of every kind.

use std::num::NonZero;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, symex::Symbolic)]
struct Point<T> {
    x: T,
    y: T,
}

#[derive(Clone, Debug, symex::Symbolic)]
struct Header {
    kind: u8,
    flags: (bool, bool),
    origin: Option<Point<i16>>,
}

// expect: bug panic
#[symex::harness]
fn derived_structs(h: Header) {
    if let Some(p) = &h.origin {
        assert!(!(h.kind == 7 && h.flags.0 && p.x == 300 && p.y == -300));
    }
}

// expect: pass-complete
#[symex::harness]
fn invariants_of_types(n: NonZero<u8>, c: char, b: bool, o: Option<bool>, d: Duration) {
    assert!(n.get() != 0);
    assert!((c as u32) < 0x11_0000 && !(0xd800..0xe000).contains(&(c as u32)));
    assert!(b as u8 <= 1);
    assert!(o != Some(true) || o.is_some());
    assert!(d.subsec_nanos() < 1_000_000_000);
}

// expect: bug panic
#[symex::harness]
fn borrowed_slices(s: &[u16], t: &str) {
    assert!(!(s.len() == 2 && s[1] == 500 && t == "hi"));
}

// expect: pass-complete
#[symex::harness]
fn tuples_and_arrays(p: (u8, [u16; 2]), q: [[bool; 2]; 2]) {
    let n = q.iter().flatten().filter(|b| **b).count();
    assert!(n <= 4);
    assert!(p.1.len() == 2 && p.0 as u32 <= 255);
}
