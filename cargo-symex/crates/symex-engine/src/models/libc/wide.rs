//! Wide characters in `printf`, in the "C" locale: only ASCII can be converted to bytes.

use super::bytes;
use crate::exec::Executor;
use crate::exec::path::end::Res;
use crate::state::State;
use symex_solver::Purpose;
use symex_terms::Value;
use symex_types::outcome::Unsupported;

/// Converts a wide character to a byte, which the "C" locale permits for ASCII only.
pub fn narrow(m: &mut Executor, st: &mut State, wide: Value) -> Res<Value> {
    let e = m.term(st, wide, 32);
    let limit = m.pool.constant(32, 128);
    let ascii = m.pool.ult(e, limit);
    if !m.split(st, ascii, Purpose::Branch)? {
        return Err(
            Unsupported::Model("printf of a wide character outside of ASCII".into()).into(),
        );
    }
    Ok(bytes::low_byte(m, st, wide))
}

/// Converts wide text to bytes, at most `most`.
pub fn text(m: &mut Executor, st: &mut State, ptr: Value, most: Option<usize>) -> Res<Vec<Value>> {
    let mut text = Vec::new();
    while most.is_none_or(|most| text.len() < most) {
        let at = m.offset_pointer(st, ptr, 4 * text.len() as u64);
        let wide = m.load(st, at, 32, 2)?;
        let e = m.term(st, wide, 32);
        let zero = m.pool.constant(32, 0);
        let end = m.pool.eq(e, zero);
        if m.split(st, end, Purpose::Branch)? {
            break;
        }
        text.push(narrow(m, st, wide)?);
    }
    Ok(text)
}
