//! Models of system information, with fixed names.

use super::{bytes, errno};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::outside_world;
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::file_system::known;
use symex_terms::Value;

pub const ROWS: &[Row] = &[row("uname", uname), row("gethostname", gethostname)];

/// Name of the machine in its network.
const HOST: &str = "localhost";

/// `uname(to)`: a `struct utsname` of Linux.
fn uname(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const FIELD: u64 = 65;
    let fields = ["Linux", HOST, "6.1.0", "#1 SMP", "x86_64", "(none)"];
    let size = FIELD * fields.len() as u64;
    let (object, at) = m.check_range(st, c.arg(0), size, Access::Write)?;
    outside_world::take_unless_std(m, st, outside_world::SYSTEM);
    st.memory.fill(&mut m.pool, object, at, size, Value::Int(0));
    for (i, field) in (0..).zip(fields) {
        for (j, byte) in (0..).zip(field.bytes()) {
            let at = at + FIELD * i + j;
            let byte = Value::Int(u64::from(byte));
            st.memory.store(&mut m.pool, object, at, 8, byte);
        }
    }
    Flow::int(0)
}

/// `gethostname(to, size)`.
fn gethostname(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let size = m.concretise(st, c.arg(1), 64)?;
    outside_world::take_unless_std(m, st, outside_world::SYSTEM);
    let mut text = known(HOST.as_bytes());
    text.push(Value::Int(0));
    let fits = text.len() as u64 <= size;
    text.truncate(usize::try_from(size).unwrap_or(usize::MAX));
    bytes::write(m, st, c.arg(0), &text)?;
    match fits {
        true => Flow::int(0),
        false => errno::fail(m, st, c, errno::ENAMETOOLONG),
    }
}
