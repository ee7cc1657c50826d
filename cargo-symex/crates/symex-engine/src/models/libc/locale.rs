//! Models of the locale, which is always "C".

use super::errno::{library_object, library_object_once};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::Res;
use crate::models::table::{Row, row};
use crate::state::State;
use std::rc::Rc;
use symex_memory::Initial;
use symex_terms::{ObjectId, Value};

pub const ROWS: &[Row] = &[row("setlocale", setlocale), row("localeconv", localeconv)];

fn text(st: &mut State, text: &[u8]) -> ObjectId {
    library_object(st, text.len() as u64, Initial::Bytes(Rc::from(text)))
}

/// `setlocale(category, name)`: no other locale can be set, and that of an environment without
/// variables is this one.
fn setlocale(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if c.arg(1) != Value::NULL {
        let name = m.read_c_string(st, c.arg(1))?;
        if !matches!(name.as_slice(), b"" | b"C" | b"POSIX") {
            return Flow::value(Value::NULL);
        }
    }
    Flow::value(library_object_once(m, st, "name of the locale", |_, st| {
        text(st, b"C\0")
    }))
}

/// Performs `localeconv`: ten texts, all empty but the decimal point, and 14 numbers that are not
/// available (`CHAR_MAX`).
fn localeconv(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    Flow::value(library_object_once(
        m,
        st,
        "conventions of the locale",
        |m, st| {
            let mut contents = [0; 96];
            contents[80..94].fill(i8::MAX as u8);
            let conventions = library_object(st, 96, Initial::Bytes(Rc::from(&contents[..])));
            let (point, empty) = (text(st, b".\0"), text(st, b"\0"));
            for at in 0..10 {
                let text = if at == 0 { point } else { empty };
                let text = Value::Ptr(text, 0);
                st.memory.store(&mut m.pool, conventions, 8 * at, 64, text);
            }
            conventions
        },
    ))
}
