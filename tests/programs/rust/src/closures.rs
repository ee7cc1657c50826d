//! Calls through pointers, closures, trait objects and generics.

use std::rc::Rc;
use std::sync::Arc;

trait Shape {
    fn area(&self) -> u32;
}
struct Square(u8);
struct Strip(u8, u8);
impl Shape for Square {
    fn area(&self) -> u32 {
        self.0 as u32 * self.0 as u32
    }
}
impl Shape for Strip {
    fn area(&self) -> u32 {
        self.0 as u32 * self.1 as u32
    }
}

// expect: bug panic
#[symex::harness]
fn trait_objects(kind: bool, a: u8, b: u8) {
    let shape: Box<dyn Shape> = if kind {
        Box::new(Square(a))
    } else {
        Box::new(Strip(a, b))
    };
    assert!(shape.area() != 143 * 11);
}

// expect: pass-complete
#[symex::harness]
fn shared_ownership(n: u8) {
    let a = Rc::new(n);
    let b = a.clone();
    assert_eq!(Rc::strong_count(&a), 2);
    drop(a);
    assert_eq!(Rc::try_unwrap(b), Ok(n));
    let c = Arc::new([n; 3]);
    let weak = Arc::downgrade(&c);
    assert_eq!(weak.upgrade().map(|x| x[2]), Some(n));
    drop(c);
    assert!(weak.upgrade().is_none());
}

// expect: pass-complete
#[symex::harness]
fn function_table(i: usize, x: u32) {
    let table: [fn(u32) -> u32; 4] = [
        |x| x.wrapping_add(1),
        |x| x.wrapping_mul(2),
        |x| !x,
        |x| x ^ 0xff,
    ];
    let r = table[i % 4](x);
    let expected = match i % 4 {
        0 => x.wrapping_add(1),
        1 => x << 1,
        2 => u32::MAX - x,
        _ => (x & !0xff) | (0xff - (x & 0xff)),
    };
    assert_eq!(r, expected);
}

// expect: pass-complete
#[symex::harness]
fn captured_state(xs: [u8; 4]) {
    let mut sum = 0u32;
    let mut add = |x: u8| sum += x as u32;
    xs.iter().copied().for_each(&mut add);
    assert_eq!(sum, xs.iter().map(|x| *x as u32).sum::<u32>());
}
