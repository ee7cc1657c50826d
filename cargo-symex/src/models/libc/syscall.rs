//! `syscall` by number (x86-64), as std uses it: random bytes, futexes, thread ids.

use super::{errno, process};
use crate::exec::Machine;
use crate::exec::end::{Fault, Res};
use crate::exec::model::{Call, Flow};
use crate::models::table::{Row, row};
use crate::outcome::{FindingKind, Gap};
use crate::solver::Purpose;
use crate::state::State;

pub const ROWS: &[Row] = &[row("syscall", syscall)];

const SCHED_YIELD: u64 = 24;
const GETPID: u64 = 39;
const GETTID: u64 = 186;
const FUTEX: u64 = 202;
const GETRANDOM: u64 = 318;

fn syscall(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    match m.concretise(st, c.arg(0), 64)? {
        GETPID | GETTID => Flow::int(1),
        SCHED_YIELD => Flow::int(0),
        FUTEX => futex(m, st, c),
        GETRANDOM => process::getrandom_syscall(m, st, c),
        number => Err(Gap::NoModel(format!("syscall({number})")).into()),
    }
}

/// `futex(address, operation, value, timeout, …)` after the number.
fn futex(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    /// Without the flags for private futexes and the clock.
    const COMMAND: u64 = 0x7f;
    const WAIT: u64 = 0;
    const WAKE: u64 = 1;
    const WAIT_BITSET: u64 = 9;
    const WAKE_BITSET: u64 = 10;
    match m.concretise(st, c.arg(2), 32)? & COMMAND {
        WAKE | WAKE_BITSET => Flow::int(0),
        WAIT | WAIT_BITSET => {
            let current = m.load(st, c.arg(1), 32, 2)?;
            let (current, expected) = (m.term(st, current, 32), low_word(m, st, c));
            let same = m.pool.eq(current, expected);
            if !m.split(st, same, Purpose::Branch)? {
                return errno::fail(m, st, c, errno::EAGAIN);
            }
            if m.concretise(st, c.arg(4), 64)? != 0 {
                return errno::fail(m, st, c, errno::ETIMEDOUT);
            }
            // There is one thread, and it waits for another.
            Err(Fault::new(FindingKind::Hang, "deadlock: the only thread waits").into())
        }
        other => Err(Gap::Model(format!("futex operation {other}")).into()),
    }
}

/// The value argument, whatever width it was passed with.
fn low_word(m: &mut Machine, st: &State, c: &Call) -> crate::expr::Expr {
    let width = c.args.get(3).map_or(32, |a| a.1);
    let e = m.term(st, c.arg(3), width);
    m.pool.resize(e, 32)
}
