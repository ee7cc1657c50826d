//! Models of `syscall` by number (x86-64), and of the instruction of that name: the calls that std
//! uses (random bytes, futexes, thread ids), barriers between threads, and calls on files, which
//! are those of the function that has the call's name.

use super::{errno, process, time};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::exec::threads::Atomic;
use crate::models::table::{self, Row, row};
use crate::state::State;
use crate::state::threads::{Wait, Woken};
use smallvec::SmallVec;
use symex_program::SYSTEM_CALL;
use symex_solver::Purpose;
use symex_terms::Value;
use symex_types::outcome::Unsupported;

pub const ROWS: &[Row] = &[row("syscall", syscall), row(SYSTEM_CALL, instruction)];

const SCHED_YIELD: u64 = 24;
const GETPID: u64 = 39;
const GETTID: u64 = 186;
const FUTEX: u64 = 202;
const GETRANDOM: u64 = 318;
const MEMBARRIER: u64 = 324;

fn syscall(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match m.concretise(st, c.arg(0), 64)? {
        GETPID | GETTID => Flow::int(1),
        SCHED_YIELD => {
            m.yield_in_call(st)?;
            Flow::int(0)
        }
        FUTEX => futex(m, st, c),
        GETRANDOM => process::getrandom_syscall(m, st, c),
        MEMBARRIER => membarrier(m, st, c),
        number => match NAMED.iter().find(|call| call.0 == number) {
            Some((_, name, widths)) => by_name(m, st, c, name, widths),
            None => Err(Unsupported::NoModel(format!("syscall({number})")).into()),
        },
    }
}

/// Performs the instruction by which `syscall` makes the call, with the same arguments.
fn instruction(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let call = Call {
        negative_errors: true,
        ..*c
    };
    syscall(m, st, &call)
}

/// Call numbers, with functions of the same effect and failures, and the widths of their arguments
/// in bits.
const NAMED: &[(u64, &str, &[u32])] = &[
    (0, "read", &[32, 64, 64]),
    (1, "write", &[32, 64, 64]),
    (2, "open", &[64, 32, 32]),
    (3, "close", &[32]),
    (4, "stat", &[64, 64]),
    (5, "fstat", &[32, 64]),
    (6, "lstat", &[64, 64]),
    (7, "poll", &[64, 64, 32]),
    (8, "lseek", &[32, 64, 32]),
    (9, "mmap", &[64, 64, 32, 32, 32, 64]),
    (10, "mprotect", &[64, 64, 32]),
    (11, "munmap", &[64, 64]),
    (16, "ioctl", &[32, 64, 64]),
    (17, "pread", &[32, 64, 64, 64]),
    (18, "pwrite", &[32, 64, 64, 64]),
    (19, "readv", &[32, 64, 32]),
    (20, "writev", &[32, 64, 32]),
    (21, "access", &[64, 32]),
    (22, "pipe", &[64]),
    (28, "madvise", &[64, 64, 32]),
    (32, "dup", &[32]),
    (33, "dup2", &[32, 32]),
    (35, "nanosleep", &[64, 64]),
    (40, "sendfile", &[32, 32, 64, 64]),
    (44, "sendto", &[32, 64, 64, 32, 64, 32]),
    (45, "recvfrom", &[32, 64, 64, 32, 64, 64]),
    (48, "shutdown", &[32, 32]),
    (53, "socketpair", &[32, 32, 32, 64]),
    (55, "getsockopt", &[32, 32, 32, 64, 64]),
    (63, "uname", &[64]),
    (72, "fcntl", &[32, 32, 64]),
    (73, "flock", &[32, 32]),
    (74, "fsync", &[32]),
    (75, "fdatasync", &[32]),
    (76, "truncate", &[64, 64]),
    (77, "ftruncate", &[32, 64]),
    (80, "chdir", &[64]),
    (82, "rename", &[64, 64]),
    (83, "mkdir", &[64, 32]),
    (84, "rmdir", &[64]),
    (86, "link", &[64, 64]),
    (87, "unlink", &[64]),
    (88, "symlink", &[64, 64]),
    (89, "readlink", &[64, 64, 64]),
    (90, "chmod", &[64, 32]),
    (91, "fchmod", &[32, 32]),
    (95, "umask", &[32]),
    (102, "getuid", &[]),
    (104, "getgid", &[]),
    (107, "geteuid", &[]),
    (108, "getegid", &[]),
    (110, "getppid", &[]),
    (213, "epoll_create", &[32]),
    (228, "clock_gettime", &[32, 64]),
    (229, "clock_getres", &[32, 64]),
    (231, "_exit", &[32]),
    (232, "epoll_wait", &[32, 64, 32, 32]),
    (233, "epoll_ctl", &[32, 32, 32, 64]),
    (257, "openat", &[32, 64, 32, 32]),
    (258, "mkdirat", &[32, 64, 32]),
    (262, "fstatat", &[32, 64, 64, 32]),
    (263, "unlinkat", &[32, 64, 32]),
    (264, "renameat", &[32, 64, 32, 64]),
    (265, "linkat", &[32, 64, 32, 64, 32]),
    (266, "symlinkat", &[64, 32, 64]),
    (267, "readlinkat", &[32, 64, 64, 64]),
    (269, "faccessat", &[32, 64, 32]),
    (271, "ppoll", &[64, 64, 64, 64]),
    (280, "utimensat", &[32, 64, 64, 32]),
    (281, "epoll_pwait", &[32, 64, 32, 32, 64]),
    (283, "timerfd_create", &[32, 32]),
    (286, "timerfd_settime", &[32, 32, 64, 64]),
    (287, "timerfd_gettime", &[32, 64]),
    (290, "eventfd", &[32, 32]),
    (291, "epoll_create1", &[32]),
    (292, "dup3", &[32, 32, 32]),
    (293, "pipe2", &[64, 32]),
    (316, "renameat2", &[32, 64, 32, 64, 32]),
    (319, "memfd_create", &[64, 32]),
    (326, "copy_file_range", &[32, 64, 32, 64, 64, 32]),
    (332, "statx", &[32, 64, 32, 32, 64]),
    (441, "epoll_pwait2", &[32, 64, 32, 64, 64]),
];

/// Performs a call as the function of that name: the arguments follow the number, in registers of
/// 64 bits.
fn by_name(m: &mut Executor, st: &mut State, c: &Call, name: &str, widths: &[u32]) -> Res<Flow> {
    let Some(model) = table::model(name) else {
        return Err(Unsupported::NoModel(name.to_owned()).into());
    };
    let mut args: SmallVec<[(Value, u32); 4]> = SmallVec::new();
    for ((value, passed), width) in c.args.iter().skip(1).zip(widths) {
        let value = match value {
            Value::Int(word) if *width == 32 => Value::Int(word & 0xffff_ffff),
            Value::Expr(e) if passed != width => {
                let e = m.pool.resize(*e, *width);
                m.pool.value(e)
            }
            other => *other,
        };
        args.push((value, *width));
    }
    let call = Call {
        name,
        args: &args,
        ..*c
    };
    model(m, st, &call)
}

/// `membarrier(command, flags, processor)` after the number. Threads take turns here, and each sees
/// what the others have written, so nothing has to be done.
fn membarrier(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    /// Asks for the commands that there are, as bits.
    const QUERY: u64 = 0;
    /// `GLOBAL`, `GLOBAL_EXPEDITED`, `PRIVATE_EXPEDITED`, and the registrations of the two latter.
    const COMMANDS: u64 = 0x1f;
    match m.concretise(st, c.arg(1), 32)? {
        QUERY => Flow::int(COMMANDS),
        command if command.is_power_of_two() && command & COMMANDS != 0 => Flow::int(0),
        _ => errno::fail(m, st, c, errno::EINVAL),
    }
}

/// `futex(address, operation, value, timeout, …)` after the number.
fn futex(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    /// Mask of the operation without the flags for private futexes and the clock.
    const COMMAND: u64 = 0x7f;
    const WAIT: u64 = 0;
    const WAKE: u64 = 1;
    const WAIT_BITSET: u64 = 9;
    const WAKE_BITSET: u64 = 10;
    /// Flag: an absolute time is one of the wall clock.
    const WALL_CLOCK: u64 = 256;
    let operation = m.concretise(st, c.arg(2), 32)?;
    match operation & COMMAND {
        WAKE | WAKE_BITSET => {
            // The memory may be gone: whoever was to be woken needs it no more.
            let woken = match c.arg(1) {
                Value::Ptr(object, offset) => {
                    m.preempt(st);
                    let most = m.concretise(st, c.arg(3), 32)?;
                    m.wake(st, object, offset, most)
                }
                _ => 0,
            };
            Flow::int(woken)
        }
        WAIT | WAIT_BITSET => {
            match m.woken(st) {
                Some(Woken::Called) => return Flow::int(0),
                Some(Woken::TimedOut) => return errno::fail(m, st, c, errno::ETIMEDOUT),
                None => {}
            }
            let current = m.atomically(st, Atomic::RELAXED, |m, st| m.load(st, c.arg(1), 32, 2))?;
            let (current, expected) = (m.term(st, current, 32), low_word(m, st, c));
            let same = m.pool.eq(current, expected);
            if !m.split(st, same, Purpose::Branch)? {
                return errno::fail(m, st, c, errno::EAGAIN);
            }
            let forever = match c.arg(4) {
                Value::Ptr(..) => false,
                timeout => m.concretise(st, timeout, 64)? == 0,
            };
            let until = match operation {
                _ if forever => None,
                _ if operation & COMMAND == WAIT => Some(time::Until::Passed),
                _ if operation & WALL_CLOCK != 0 => Some(time::Until::Wall),
                _ => Some(time::Until::Monotonic),
            };
            let until = match until {
                None => None,
                Some(until) => match time::end(m, st, c.arg(4), until)? {
                    None => return errno::fail(m, st, c, errno::EINVAL),
                    end => end,
                },
            };
            let (object, offset) = m.atomically(st, Atomic::RELAXED, |m, st| {
                m.check_range(st, c.arg(1), 4, Access::Read)
            })?;
            m.wait(st, Wait::Address(object, offset), until)?;
            errno::fail(m, st, c, errno::ETIMEDOUT)
        }
        other => Err(Unsupported::Model(format!("futex operation {other}")).into()),
    }
}

/// Returns the value argument, whatever its passed width.
fn low_word(m: &mut Executor, st: &State, c: &Call) -> symex_terms::Expr {
    let width = c.args.get(3).map_or(32, |a| a.1);
    let e = m.term(st, c.arg(3), width);
    m.pool.resize(e, 32)
}
