//! Environment variables. None is set but those that the program sets itself; a path that asks for another one says so.

use super::{alloc, bytes, errno};
use crate::exec::Machine;
use crate::exec::end::Res;
use crate::exec::model::{Call, Flow};
use crate::expr::Value;
use crate::models::table::{Row, row};
use crate::models::world;
use crate::outcome::Gap;
use crate::state::State;
use std::rc::Rc;

pub const ROWS: &[Row] = &[
    row("getenv", getenv),
    row("secure_getenv", getenv),
    row("setenv", setenv),
    row("unsetenv", unsetenv),
    row("putenv", putenv),
    row("clearenv", clearenv),
];

/// What the program itself has made of a variable; `None` if it has not touched it.
fn known(st: &State, name: &[u8]) -> Option<Option<Value>> {
    let cleared = st.world.environment_cleared.then_some(None);
    st.world.environment.get(name).copied().or(cleared)
}

fn record(st: &mut State, name: Vec<u8>, value: Option<Value>) {
    Rc::make_mut(&mut st.world).environment.insert(name, value);
}

fn unset(m: &mut Machine, st: &State, name: &[u8]) {
    let name = String::from_utf8_lossy(name);
    let what = format!("the environment variable `{name}` was taken to be unset");
    world::take_unless_std(m, st, &what);
}

fn getenv(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let name = m.read_c_string(st, c.arg(0))?;
    let value = known(st, &name).unwrap_or_else(|| {
        unset(m, st, &name);
        None
    });
    Flow::value(value.unwrap_or(Value::NULL))
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && !name.contains(&b'=')
}

/// `setenv(name, value, overwrite)`: the value is copied.
fn setenv(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let name = m.read_c_string(st, c.arg(0))?;
    if !is_name(&name) {
        return errno::fail(m, st, c, errno::EINVAL);
    }
    let len = bytes::length(m, st, c.arg(1), u64::MAX)?;
    let overwrite = m.concretise(st, c.arg(2), 32)? != 0;
    if !overwrite {
        match known(st, &name) {
            Some(Some(_)) => return Flow::int(0),
            Some(None) => {}
            None => unset(m, st, &name),
        }
    }
    let copy = alloc::copy_text(m, st, c.arg(1), len)?;
    record(st, name, Some(copy));
    Flow::int(0)
}

fn unsetenv(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let name = m.read_c_string(st, c.arg(0))?;
    if !is_name(&name) {
        return errno::fail(m, st, c, errno::EINVAL);
    }
    record(st, name, None);
    Flow::int(0)
}

/// `putenv("name=value")`: the text itself becomes part of the environment.
fn putenv(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let text = m.read_c_string(st, c.arg(0))?;
    let Some(at) = text.iter().position(|b| *b == b'=') else {
        return Err(Gap::Model("putenv without a value".into()).into());
    };
    let value = m.offset_pointer(st, c.arg(0), at as u64 + 1);
    record(st, text[..at].to_vec(), Some(value));
    Flow::int(0)
}

fn clearenv(_: &mut Machine, st: &mut State, _: &Call) -> Res<Flow> {
    let world = Rc::make_mut(&mut st.world);
    world.environment.clear();
    world.environment_cleared = true;
    Flow::int(0)
}
