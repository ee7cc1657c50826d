//! Models of `setjmp.h`. A buffer holds the number of the jump target in its first word; the other
//! registers that a processor would save are zeros. Signals are never blocked, so no signal mask is
//! saved or restored.

use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::table::{Row, row};
use crate::state::State;
use smallvec::SmallVec;
use symex_terms::Value;

pub const ROWS: &[Row] = &[
    row("setjmp", setjmp),
    row("_setjmp", setjmp),
    row("__sigsetjmp", setjmp),
    row("sigsetjmp", setjmp),
    row("longjmp", longjmp),
    row("_longjmp", longjmp),
    row("siglongjmp", longjmp),
    row("__longjmp_chk", longjmp),
];

/// Size of the registers in a buffer, in bytes.
const REGISTERS: u64 = 64;

/// `setjmp(buffer)`, `sigsetjmp(buffer, mask)`.
fn setjmp(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let (object, at) = m.check_range(st, c.arg(0), REGISTERS, Access::Write)?;
    let number = m.note_jump_target(st);
    let zero = Value::Int(0);
    st.memory.fill(&mut m.pool, object, at, REGISTERS, zero);
    st.memory
        .store(&mut m.pool, object, at, 64, Value::Int(number));
    Flow::int(0)
}

/// `longjmp(buffer, value)`.
fn longjmp(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let number = m.load(st, c.arg(0), 64, 0)?;
    let number = m.concretise(st, number, 64)?;
    // A zero would look like the first return.
    let value = m.term(st, c.arg(1), 32);
    let (zero, one) = (m.pool.constant(32, 0), m.pool.constant(32, 1));
    let is_zero = m.pool.eq(value, zero);
    let value = m.pool.ite(is_zero, one, value);
    let value = m.pool.value(value);
    m.jump(st, number)?;
    Ok(Flow::Landed(SmallVec::from_slice(&[value])))
}
