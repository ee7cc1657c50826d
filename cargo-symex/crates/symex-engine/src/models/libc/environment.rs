//! Models of environment variables. Only those are set that the user describes or the program sets;
//! a path that asks for another one says so, unless the user described some.

use super::{bytes, errno};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::Res;
use crate::models::outside_world;
use crate::models::table::{Row, row};
use crate::state::State;
use std::rc::Rc;
use symex_memory::Initial;
use symex_terms::Value;
use symex_types::outcome::Unsupported;

pub const ROWS: &[Row] = &[
    row("getenv", getenv),
    row("secure_getenv", getenv),
    row("setenv", setenv),
    row("unsetenv", unsetenv),
    row("putenv", putenv),
    row("clearenv", clearenv),
];

/// Sets or unsets a variable, also in the list that the program itself reads.
fn record(m: &mut Executor, st: &mut State, name: &[u8], value: Option<Value>) {
    let world = Rc::make_mut(&mut st.world);
    world.environment.set(name, value);
    m.publish_environment(st);
}

/// Variables that ask a program for something else than to run, or that a fuzzer's runtime takes
/// for itself; they are not set where it is run.
const REQUESTS: [&[u8]; 2] = [b"RUST_LIBFUZZER_DEBUG_PATH", b"AFL_FUZZER_LOOPCOUNT"];

fn unset(m: &mut Executor, st: &mut State, name: &[u8]) {
    if REQUESTS.contains(&name) {
        return;
    }
    let name = String::from_utf8_lossy(name);
    let what = format!("the environment variable `{name}` was taken to be unset");
    outside_world::take_unless_std(m, st, &what);
}

fn getenv(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let name = m.read_c_string(st, c.arg(0))?;
    let value = st.world.environment.get(&name).unwrap_or_else(|| {
        unset(m, st, &name);
        None
    });
    Flow::value(value.unwrap_or(Value::NULL))
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && !name.contains(&b'=')
}

/// `setenv(name, value, overwrite)`: the value is copied.
fn setenv(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let name = m.read_c_string(st, c.arg(0))?;
    if !is_name(&name) {
        return errno::fail(m, st, c, errno::EINVAL);
    }
    let len = bytes::length(m, st, c.arg(1), u64::MAX)?;
    let overwrite = m.concretise(st, c.arg(2), 32)? != 0;
    if !overwrite {
        match st.world.environment.get(&name) {
            Some(Some(_)) => return Flow::int(0),
            Some(None) => {}
            None => unset(m, st, &name),
        }
    }
    let value = m.read_bytes(st, c.arg(1), len)?;
    let equals = Value::Int(u64::from(b'='));
    let start = name.iter().map(|byte| Value::Int(u64::from(*byte)));
    let text: Vec<Value> = start
        .chain([equals])
        .chain(value)
        .chain([Value::Int(0)])
        .collect();
    let object = errno::library_object(st, text.len() as u64, Initial::Uninit);
    for (i, byte) in text.into_iter().enumerate() {
        st.memory.store(&mut m.pool, object, i as u64, 8, byte);
    }
    let value = Value::Ptr(object, name.len() as u64 + 1);
    record(m, st, &name, Some(value));
    Flow::int(0)
}

fn unsetenv(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let name = m.read_c_string(st, c.arg(0))?;
    if !is_name(&name) {
        return errno::fail(m, st, c, errno::EINVAL);
    }
    record(m, st, &name, None);
    Flow::int(0)
}

/// `putenv("name=value")`: the text itself becomes part of the environment.
fn putenv(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let text = m.read_c_string(st, c.arg(0))?;
    let Some(at) = text.iter().position(|b| *b == b'=') else {
        return Err(Unsupported::Model("putenv without a value".into()).into());
    };
    let value = m.offset_pointer(st, c.arg(0), at as u64 + 1);
    record(m, st, &text[..at], Some(value));
    Flow::int(0)
}

fn clearenv(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    Rc::make_mut(&mut st.world).environment.clear();
    m.publish_environment(st);
    Flow::int(0)
}
