//! Reads of memory under the path's own assignment, for texts of messages only: they neither fork
//! nor check, and give up where something is not as expected.

use crate::exec::Executor;
use crate::state::State;
use symex_terms::{ObjectId, Value};
use symex_types::outcome::SourceLoc;

/// Returns the word that a value of some width is under the assignment.
pub fn word(m: &mut Executor, st: &State, value: Value, width: u32) -> u64 {
    match value {
        Value::Int(v) => v,
        Value::Ptr(o, offset) => st.memory.object(o).address.wrapping_add(offset),
        Value::Undef => 0,
        Value::Expr(e) => {
            debug_assert_eq!(m.pool.width(e), width);
            m.pool.eval(e, &st.assignment, &st.memory) as u64
        }
    }
}

/// Returns the object and offset to which a pointer points under the assignment.
fn place(m: &mut Executor, st: &State, ptr: Value) -> Option<(ObjectId, u64)> {
    match ptr {
        Value::Ptr(o, offset) => Some((o, offset)),
        Value::Undef => None,
        other => {
            let address = word(m, st, other, 64);
            st.memory.find(address)
        }
    }
}

/// Loads a value, if it is in bounds.
pub fn load(m: &mut Executor, st: &State, ptr: Value, offset: u64, width: u32) -> Option<Value> {
    let (object, at) = place(m, st, ptr)?;
    let at = at.checked_add(offset)?;
    let end = at.checked_add(width.div_ceil(8) as u64)?;
    if !st.memory.is_live(object) || end > st.memory.object(object).size {
        return None;
    }
    Some(st.memory.load(&mut m.pool, object, at, width))
}

/// Loads a word.
pub fn load_word(m: &mut Executor, st: &State, ptr: Value, offset: u64, width: u32) -> Option<u64> {
    let v = load(m, st, ptr, offset, width)?;
    Some(word(m, st, v, width))
}

/// Loads bytes.
pub fn bytes(m: &mut Executor, st: &State, ptr: Value, len: u64) -> Option<Vec<u8>> {
    const MOST: u64 = 1 << 16;
    if len > MOST {
        return None;
    }
    if len == 0 {
        return Some(Vec::new());
    }
    let (object, at) = place(m, st, ptr)?;
    if !st.memory.is_live(object) || at.checked_add(len)? > st.memory.object(object).size {
        return None;
    }
    if let Some(bytes) = st.memory.concrete_bytes(object, at, len) {
        return Some(bytes);
    }
    Some(
        (at..at + len)
            .map(|i| {
                let v = st.memory.load(&mut m.pool, object, i, 8);
                word(m, st, v, 8) as u8
            })
            .collect(),
    )
}

/// Loads text.
pub fn text(m: &mut Executor, st: &State, ptr: Value, len: u64) -> Option<String> {
    bytes(m, st, ptr, len).map(|b| String::from_utf8_lossy(&b).into_owned())
}

/// Loads a C string, or as much of it as there is.
pub fn c_text(m: &mut Executor, st: &State, ptr: Value) -> Option<String> {
    let mut text = Vec::new();
    while text.len() < 4096 {
        match load_word(m, st, ptr, text.len() as u64, 8)? {
            0 => break,
            b => text.push(b as u8),
        }
    }
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Loads a `core::panic::Location`: file pointer, its length, line, column.
pub fn location(m: &mut Executor, st: &State, ptr: Value) -> Option<SourceLoc> {
    let file = load(m, st, ptr, 0, 64)?;
    let len = load_word(m, st, ptr, 8, 64)?;
    let line = load_word(m, st, ptr, 16, 32)? as u32;
    let column = load_word(m, st, ptr, 20, 32)? as u32;
    let file = text(m, st, file, len)?;
    if file.is_empty() || line == 0 {
        return None;
    }
    Some(SourceLoc { file, line, column })
}
