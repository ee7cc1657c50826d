//! Text of a panic: formats `fmt::Arguments`.
//!
//! Since Rust 1.93, arguments are two words. Either template and length times two plus one: plain
//! text. Or template and a pointer to an array of (value, formatter) pairs: the template holds
//! pieces of text and placeholders of values. Values of the plainest kinds are read from memory.
//! For all others the program's own `format!` is run, detached from the path; where it has none, or
//! does not get to its end, such a value shows as `_`.
//!
//! Before, arguments are three slices, given by a pointer to them: of pieces of text, of pairs as
//! above, one after each piece, and maybe of how to format these.

use crate::exec::Executor;
use crate::models::peek;
use crate::state::State;
use symex_memory::{Initial, NewObject, ObjectKind};
use symex_program::{FuncId, LocId};
use symex_terms::Value;

/// Greatest number of pieces of a template, at which reading stops.
const MOST_PIECES: usize = 256;

/// Formats `fmt::Arguments` given by its two words.
pub fn arguments(m: &mut Executor, st: &State, template: Value, args: Value) -> Option<String> {
    if let Value::Int(word) = args
        && word & 1 == 1
    {
        return peek::text(m, st, template, word >> 1);
    }
    match shown(m, st, template, args) {
        Some((text, true)) => Some(text),
        partial => formatted(m, st, &[template, args]).or(partial.map(|p| p.0)),
    }
}

/// Formats `fmt::Arguments` of Rust before 1.93, given by a pointer to them.
pub fn old_arguments(m: &mut Executor, st: &State, args: Value) -> Option<String> {
    match old_shown(m, st, args) {
        Some((text, true)) => Some(text),
        partial => formatted(m, st, &[args]).or(partial.map(|p| p.0)),
    }
}

/// Formats the text as far as memory shows it, and reports whether that is all of it.
fn old_shown(m: &mut Executor, st: &State, args: Value) -> Option<(String, bool)> {
    let pieces = peek::load(m, st, args, 0, 64)?;
    let count = peek::load_word(m, st, args, 8, 64)?;
    let pairs = peek::load(m, st, args, 16, 64)?;
    let values = peek::load_word(m, st, args, 24, 64)?;
    let how = peek::load(m, st, args, 32, 64)?;
    // How to format is not read; mostly, it is not said.
    let mut exact = how == Value::Int(0);
    let mut text = String::new();
    if count.max(values) > MOST_PIECES as u64 {
        return None;
    }
    for at in 0..count.max(values) {
        if at < count {
            let start = peek::load(m, st, pieces, at * 16, 64)?;
            let len = peek::load_word(m, st, pieces, at * 16 + 8, 64)?;
            text.push_str(&peek::text(m, st, start, len)?);
        }
        if at < values {
            let shown = argument(m, st, pairs, at);
            exact &= shown.is_some();
            text.push_str(shown.as_deref().unwrap_or("_"));
        }
    }
    Some((text, exact))
}

/// Function that `format!` calls.
pub(super) const FORMAT: &str = "alloc::fmt::format::format_inner";

/// Formats by the program's own `format!`.
fn formatted(m: &mut Executor, st: &State, args: &[Value]) -> Option<String> {
    let functions = &m.program.functions;
    let index = functions.iter().position(|f| {
        f.display == FORMAT && f.body.is_some() && f.params.len() == 1 + args.len()
    })?;
    let mut out = None;
    let copy = m.run_aside(st, FuncId(index as u32), |_, copy| {
        let object = copy.memory.allocate(NewObject {
            size: STRING,
            length: None,
            align_log2: 3,
            kind: ObjectKind::Stack,
            site: LocId::default(),
            birth: 0,
            initial: Initial::Uninit,
        });
        out = Some(Value::Ptr(object, 0));
        let mut all = vec![Value::Ptr(object, 0)];
        all.extend_from_slice(args);
        all
    })?;
    // Start, capacity and length, in an order of rustc's choice; the length is never above the
    // capacity.
    let (mut start, mut len) = (None, u64::MAX);
    for offset in (0..STRING).step_by(8) {
        match peek::load(m, &copy, out?, offset, 64)? {
            v @ Value::Ptr(..) => start = Some(v),
            v => len = len.min(peek::word(m, &copy, v, 64)),
        }
    }
    peek::text(m, &copy, start?, len)
}

/// Size of a `String` in bytes.
const STRING: u64 = 24;

/// Formats the text as far as memory shows it, and reports whether that is all of it.
fn shown(m: &mut Executor, st: &State, template: Value, args: Value) -> Option<(String, bool)> {
    let mut exact = true;
    let mut text = String::new();
    let (mut at, mut next) = (0u64, 0u64);
    for _ in 0..MOST_PIECES {
        let byte = peek::load_word(m, st, template, at, 8)?;
        at += 1;
        match byte {
            0 => return Some((text, exact)),
            len @ 1..0x80 => {
                text.push_str(&piece(m, st, template, at, len)?);
                at += len;
            }
            0x80 => {
                let len = peek::load_word(m, st, template, at, 16)?;
                text.push_str(&piece(m, st, template, at + 2, len)?);
                at += 2 + len;
            }
            place if place & 0xc0 == 0xc0 => {
                // What follows: flags, width, precision, index of the argument.
                let mut index = next;
                exact &= place & 7 == 0;
                for (bit, size) in [(1, 4), (2, 2), (4, 2), (8, 2)] {
                    if place & bit != 0 {
                        if bit == 8 {
                            index = peek::load_word(m, st, template, at, 16)?;
                        }
                        at += size;
                    }
                }
                next = index + 1;
                let shown = argument(m, st, args, index);
                exact &= shown.is_some();
                text.push_str(shown.as_deref().unwrap_or("_"));
            }
            _ => return None,
        }
    }
    None
}

fn piece(m: &mut Executor, st: &State, template: Value, at: u64, len: u64) -> Option<String> {
    let ptr = m.offset_pointer(st, template, at);
    peek::text(m, st, ptr, len)
}

/// Formats one argument, by the type of its formatter.
fn argument(m: &mut Executor, st: &State, args: Value, index: u64) -> Option<String> {
    let at = index.checked_mul(16)?;
    let value = peek::load(m, st, args, at, 64)?;
    let formatter = match peek::load(m, st, args, at + 8, 64)? {
        Value::Ptr(o, 0) => m.function_of(o)?,
        _ => return None,
    };
    let (kind, debug) = formatter_of(m, formatter)?;
    show(m, st, value, &kind, debug)
}

/// Returns the type and whether it is `Debug`, from a name such as `<usize as
/// core::fmt::Display>::fmt`.
fn formatter_of(m: &Executor, f: FuncId) -> Option<(String, bool)> {
    let display = &m.program.function(f).display;
    let inner = display.strip_prefix('<')?.strip_suffix(">::fmt")?;
    let (kind, of) = inner.rsplit_once(" as ")?;
    match of {
        "core::fmt::Display" => Some((kind.to_string(), false)),
        "core::fmt::Debug" => Some((kind.to_string(), true)),
        _ => None,
    }
}

fn show(m: &mut Executor, st: &State, ptr: Value, kind: &str, debug: bool) -> Option<String> {
    if let Some(under) = kind.strip_prefix('&') {
        let under = under.strip_prefix("mut ").unwrap_or(under);
        if under == "str" {
            let start = peek::load(m, st, ptr, 0, 64)?;
            let len = peek::load_word(m, st, ptr, 8, 64)?;
            let text = peek::text(m, st, start, len)?;
            return Some(if debug { format!("{text:?}") } else { text });
        }
        let target = peek::load(m, st, ptr, 0, 64)?;
        return show(m, st, target, under, debug);
    }
    let signed = |v: u64, w: u32| ((v << (64 - w)) as i64 >> (64 - w)).to_string();
    let width = match kind {
        "u8" | "i8" | "bool" => 8,
        "u16" | "i16" => 16,
        "u32" | "i32" | "char" | "f32" => 32,
        "u64" | "i64" | "usize" | "isize" | "f64" => 64,
        _ => return None,
    };
    let v = peek::load_word(m, st, ptr, 0, width)?;
    Some(match kind {
        "bool" => (v != 0).to_string(),
        "char" => {
            let c = char::from_u32(v as u32)?;
            if debug {
                format!("{c:?}")
            } else {
                c.to_string()
            }
        }
        "f32" => format!("{:?}", f32::from_bits(v as u32)),
        "f64" => format!("{:?}", f64::from_bits(v)),
        _ if kind.starts_with('i') => signed(v, width),
        _ => v.to_string(),
    })
}
