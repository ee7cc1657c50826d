//! Constants of a test that are inputs, for tests whose source the tool has changed: where a test
//! says `parses("ff", 16)`, it then says what stands for every text and every number.
//!
//! Outside of a run of a harness they are the constants that they were.

use core::sync::atomic::{AtomicUsize, Ordering};

use crate::cx::{Cx, DEFAULT_BOUND};
use crate::native::{active, constants};
use crate::source::Source;

/// Number of the constant that is an input; [`NONE`] or [`ALL`].
static CHOSEN: AtomicUsize = AtomicUsize::new(NONE);

const NONE: usize = usize::MAX;
const ALL: usize = 0;

/// Runs a test in which one constant is an input, by its number from 1, or all are, for 0. What the
/// test returns is not judged: it belongs to the constants.
pub fn generalized<R>(number: usize, test: impl FnOnce() -> R) {
    CHOSEN.store(number, Ordering::Relaxed);
    drop(test());
    CHOSEN.store(NONE, Ordering::Relaxed);
}

/// Returns a constant of a test, or what is drawn in its place. The name ends in NUL.
pub fn constant<T: Constant>(number: usize, name: &'static str, constant: T) -> T {
    let chosen = CHOSEN.load(Ordering::Relaxed);
    if chosen != ALL && chosen != number {
        return constant;
    }
    let is_native = !crate::in_symex();
    if is_native {
        active::offer(constant.recorded());
    }
    let name = crate::__rt::name(name);
    let value = T::draw(&constant, &mut Cx::new(name, DEFAULT_BOUND));
    if is_native {
        constants::show(name, core::any::type_name::<T>(), value.source());
    }
    value
}

/// A type that literals have.
#[diagnostic::on_unimplemented(message = "a constant of this type cannot be an input")]
pub trait Constant {
    /// Draws a value of the kind of this constant.
    fn draw(&self, cx: &mut Cx) -> Self;

    /// Returns the draws that lead to this constant, each of its own size or shorter.
    fn recorded(&self) -> Vec<Vec<u8>>;

    /// Returns it as a Rust expression.
    fn source(&self) -> Option<String>;
}

macro_rules! scalar {
    ($($t:ty: $constant:ident => $bytes:expr;)*) => {$(
        impl Constant for $t {
            #[inline]
            fn draw(&self, cx: &mut Cx) -> Self {
                cx.any()
            }

            fn recorded(&self) -> Vec<Vec<u8>> {
                let $constant = *self;
                $bytes.chunks(8).map(<[u8]>::to_vec).collect()
            }

            fn source(&self) -> Option<String> {
                Source::of(self)
            }
        }
    )*};
}

macro_rules! number {
    ($($t:ty)*) => {
        scalar! {$($t: number => number.to_le_bytes();)*}
    };
}

number! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 }
scalar! {
    bool: flag => [u8::from(flag)];
    char: character => u32::from(character).to_le_bytes();
}

impl Constant for &'static str {
    /// Draws a text of at most the constant's length, or of the default bound.
    fn draw(&self, cx: &mut Cx) -> Self {
        cx.bounded(DEFAULT_BOUND.max(self.len() as u64)).any()
    }

    fn recorded(&self) -> Vec<Vec<u8>> {
        recorded_list(self.as_bytes())
    }

    fn source(&self) -> Option<String> {
        Source::of(self)
    }
}

impl<const N: usize> Constant for &'static [u8; N] {
    fn draw(&self, cx: &mut Cx) -> Self {
        Box::leak(Box::new(cx.any()))
    }

    fn recorded(&self) -> Vec<Vec<u8>> {
        vec![self.to_vec()]
    }

    fn source(&self) -> Option<String> {
        Some(format!("b\"{}\"", self.escape_ascii()))
    }
}

impl Constant for &'static [u8] {
    /// Draws at most the constant's number of bytes, or the default bound's.
    fn draw(&self, cx: &mut Cx) -> Self {
        let bytes: Vec<u8> = cx.bounded(DEFAULT_BOUND.max(self.len() as u64)).any();
        bytes.leak()
    }

    fn recorded(&self) -> Vec<Vec<u8>> {
        recorded_list(self)
    }

    fn source(&self) -> Option<String> {
        Some(format!("b\"{}\"", self.escape_ascii()))
    }
}

/// Returns the draws of a list of bytes: its length, and the bytes.
fn recorded_list(bytes: &[u8]) -> Vec<Vec<u8>> {
    vec![bytes.len().to_le_bytes().to_vec(), bytes.to_vec()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redrawn<T: Constant + PartialEq + core::fmt::Debug>(constant: T, other: T) {
        let recorded = constant.recorded();
        let draws: Vec<&[u8]> = recorded.iter().map(Vec::as_slice).collect();
        let mut cx = Cx::new(c"constant", DEFAULT_BOUND);
        let drawn = crate::with_inputs(&draws, || other.draw(&mut cx));
        assert_eq!(drawn, constant);
    }

    #[test]
    fn the_draws_of_a_constant_lead_to_it() {
        redrawn(200_u8, 0);
        redrawn(-5_i32, 0);
        redrawn(u128::MAX - 3, 0);
        redrawn(-1.5_f64, 0.0);
        redrawn(true, false);
        redrawn('é', 'a');
        redrawn("", "abc");
        redrawn("naïve", "naive_");
        redrawn(b"ab\0", b"xyz");
        redrawn(&b"ab\0"[..], &[]);
    }

    #[test]
    fn only_chosen_constants_are_drawn() {
        let test = || (constant(1, "1:1\0", 7_u8), constant(2, "1:4\0", "ab"));
        assert_eq!(test(), (7, "ab"));
        let run = |number, draws: &[&[u8]]| {
            let mut seen = None;
            crate::with_inputs(draws, || generalized(number, || seen = Some(test())));
            seen.unwrap()
        };
        assert_eq!(run(0, &[&[9], &[1], b"z"]), (9, "z"));
        assert_eq!(run(1, &[&[9]]), (9, "ab"));
        assert_eq!(run(2, &[&[3], b"xyz"]), (7, "xyz"));
        assert_eq!(test(), (7, "ab"));
    }
}
