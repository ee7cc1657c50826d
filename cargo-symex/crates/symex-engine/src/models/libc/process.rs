//! Models of the process and its end, memory mappings, random bytes.

use super::{errno, files, stdio};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::memory::resolve::ResolvedPointer;
use crate::exec::memory::symbolic_size::Extent;
use crate::exec::path::end::{Fault, PathEnd, Res};
use crate::exec::path::message::message;
use crate::models::table::{Row, row};
use crate::models::{heap, outside_world, peek};
use crate::state::State;
use smallvec::SmallVec;
use std::rc::Rc;
use symex_memory::{Allocator, Initial, ObjectKind};
use symex_terms::Value;
use symex_types::outcome::{FindingKind, SourceLoc, Unsupported};
use symex_types::splitmix::Random;

pub const ROWS: &[Row] = &[
    row("abort", abort),
    row("exit", exit),
    row("_exit", exit_at_once),
    row("_Exit", exit_at_once),
    row("quick_exit", exit_at_once),
    row("atexit", at_exit),
    row("on_exit", unknown_handlers),
    row("at_quick_exit", unknown_handlers),
    row("__cxa_atexit", at_exit_with),
    row("_ZNSt8ios_base4InitC1Ev", zero),
    row(END_OF_STREAMS, zero),
    row("__cxa_thread_atexit", at_thread_exit),
    row("__cxa_thread_atexit_impl", at_thread_exit),
    row("__cxa_finalize", zero),
    row("__assert_fail", assert_fail),
    row("__assert", assert_old),
    row("__assert_rtn", assert_rtn),
    row("__stack_chk_fail", stack_smashed),
    row("__chk_fail", stack_smashed),
    row("__fortify_fail", stack_smashed),
    row("getpid", process_number),
    row("getppid", process_number),
    row("gettid", process_number),
    row("getuid", user_number),
    row("geteuid", user_number),
    row("getgid", user_number),
    row("getegid", user_number),
    row("getauxval", zero),
    row("fork", no_processes),
    row("vfork", no_processes),
    row("waitpid", no_processes),
    row("wait", no_processes),
    row("wait3", no_processes),
    row("wait4", no_processes),
    row("waitid", no_processes),
    row("execve", no_processes),
    row("execvp", no_processes),
    row("execvpe", no_processes),
    row("execv", no_processes),
    row("execl", no_processes),
    row("execle", no_processes),
    row("execlp", no_processes),
    row("fexecve", no_processes),
    row("pclose", no_processes),
    row("posix_spawn", no_processes),
    row("posix_spawnp", no_processes),
    row("system", no_processes),
    row("popen", no_processes),
    row("mmap", mmap),
    row("mmap64", mmap),
    row("munmap", munmap),
    row("msync", files::sync_mapping),
    row("mprotect", zero),
    row("madvise", zero),
    row("mlock", zero),
    row("munlock", zero),
    row("sysconf", sysconf),
    row("getpagesize", page_size),
    row("gnu_get_libc_version", libc_version),
    row("dl_iterate_phdr", zero),
    row("dlsym", dlsym),
    row("dladdr", zero),
    row("getrlimit", unknown),
    row("prctl", zero),
    row("sched_getaffinity", unknown),
    row("getentropy", getentropy),
    row("getrandom", getrandom),
    row("arc4random", arc4random),
    row("arc4random_buf", arc4random_buf),
];

const PAGE: u64 = 4096;

fn zero(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(0)
}

/// `dlsym(handle, name)`: finds what the program or a model defines.
fn dlsym(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let name = m.read_c_string(st, c.arg(1))?;
    let name = String::from_utf8_lossy(&name);
    if let Some(symbol) = m.symbol(&name) {
        return Flow::value(symbol);
    }
    let what = format!("`dlsym` was taken to find no `{name}`");
    outside_world::take_unless_std(m, st, &what);
    Flow::value(Value::NULL)
}

fn process_number(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    outside_world::take(m, st, outside_world::NUMBERS);
    Flow::int(1)
}

fn user_number(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    outside_world::take(m, st, outside_world::NUMBERS);
    Flow::int(1000)
}

fn unknown(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    errno::fail(m, st, c, errno::ENOSYS)
}

fn no_processes(_: &mut Executor, _: &mut State, c: &Call) -> Res<Flow> {
    Err(Unsupported::NoModel(format!("{} (other processes)", c.name)).into())
}

/// `atexit(function)`.
fn at_exit(_: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let world = Rc::make_mut(&mut st.world);
    world.at_exit.push((c.arg(0), None));
    Flow::int(0)
}

/// Destructor of the object by which each file that includes `<iostream>` makes the streams and
/// flushes them at the end. It has no effect: C++ streams are not supported, and their use is
/// reported.
const END_OF_STREAMS: &str = "_ZNSt8ios_base4InitD1Ev";

/// `__cxa_atexit(function, argument, library)`.
fn at_exit_with(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if let function @ Value::Ptr(..) = c.arg(0) {
        let function = m.call_target(st, function)?;
        if m.program.function(function).name == END_OF_STREAMS {
            return Flow::int(0);
        }
    }
    let world = Rc::make_mut(&mut st.world);
    world.at_exit.push((c.arg(0), Some(c.arg(1))));
    Flow::int(0)
}

/// `__cxa_thread_atexit_impl(function, argument, library)`.
fn at_thread_exit(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.at_thread_exit(st, c.arg(0), c.arg(1));
    Flow::int(0)
}

fn unknown_handlers(_: &mut Executor, _: &mut State, c: &Call) -> Res<Flow> {
    Err(Unsupported::NoModel(c.name.to_string()).into())
}

fn abort(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Err(Fault::new(FindingKind::Abort, "the program aborts").into())
}

/// Performs `exit`: first calls the functions registered with `atexit`.
fn exit(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let code = m.concretise(st, c.arg(0), 32)?;
    if let Some((function, argument)) = m.next_local_destructor(st)? {
        return Ok(Flow::First(function, SmallVec::from_slice(&[argument])));
    }
    if let Some((function, args)) = m.next_at_exit(st)? {
        return Ok(Flow::First(function, args));
    }
    stdio::flush_all(m, st)?;
    Err(PathEnd::exited(code).into())
}

/// Performs `_exit`: unwritten data of streams is lost.
fn exit_at_once(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let code = m.concretise(st, c.arg(0), 32)?;
    stdio::lose_all(m, st);
    Err(PathEnd::exited(code).into())
}

/// Makes the fault of a failed `assert` at the location that the call names.
fn assertion(m: &mut Executor, st: &State, text: Value, file: Value, line: Value) -> Fault {
    let text = peek::c_text(m, st, text).unwrap_or_default();
    let mut fault = Fault::new(FindingKind::Abort, format!("assertion `{text}` failed"));
    let line = peek::word(m, st, line, 32) as u32;
    if let Some(file) = peek::c_text(m, st, file) {
        fault.at = Some(SourceLoc {
            file,
            line,
            column: 0,
        });
    }
    fault
}

/// `__assert_fail(assertion, file, line, function)`.
fn assert_fail(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    Err(assertion(m, st, c.arg(0), c.arg(1), c.arg(2)).into())
}

/// `__assert(assertion, file, line)`.
fn assert_old(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    Err(assertion(m, st, c.arg(0), c.arg(1), c.arg(2)).into())
}

/// `__assert_rtn(function, file, line, assertion)`.
fn assert_rtn(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    Err(assertion(m, st, c.arg(3), c.arg(1), c.arg(2)).into())
}

fn stack_smashed(_: &mut Executor, _: &mut State, c: &Call) -> Res<Flow> {
    Err(Fault::new(FindingKind::OutOfBounds, format!("{} was called", c.name)).into())
}

/// `mmap(addr, length, protection, flags, fd, offset)`: a mapping is an object.
fn mmap(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const ANONYMOUS: u64 = 0x20;
    let flags = m.concretise(st, c.arg(3), 32)?;
    if flags & ANONYMOUS == 0 {
        return files::map(m, st, c, flags);
    }
    let size = match heap::size(m, st, c.arg(1))? {
        Some(size) => Some(m.concretise(st, size.value(), 64)?),
        None => None,
    };
    match size {
        Some(0) => errno::fail(m, st, c, errno::EINVAL),
        Some(size) => {
            let size = size.next_multiple_of(PAGE);
            let object = heap::map(m, st, size)?;
            Flow::value(Value::Ptr(object, 0))
        }
        None => errno::fail(m, st, c, errno::ENOMEM),
    }
}

/// Performs `munmap`: only a whole mapping can be unmapped.
fn munmap(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let len = m.concretise(st, c.arg(1), 64)?.next_multiple_of(PAGE);
    let place = m.resolve(st, c.arg(0))?;
    if let ResolvedPointer::Object(object, _) = place
        && let ObjectKind::Heap(Allocator::C | Allocator::Rust) = st.memory.object(object).kind
    {
        let message = message!["munmap of ", m.describe(st, object)];
        return Err(Fault::new(FindingKind::InvalidFree, message)
            .of(object)
            .into());
    }
    match place {
        ResolvedPointer::Object(object, Value::Int(0))
            if st.memory.is_live(object)
                && st.memory.object(object).kind == ObjectKind::Heap(Allocator::System)
                && Extent::of(st.memory.object(object)).value() == Value::Int(len) =>
        {
            files::unmap(m, st, object)?;
            heap::free(m, st, object);
            Flow::int(0)
        }
        _ => Err(Unsupported::Model("munmap of a part of a mapping".into()).into()),
    }
}

fn sysconf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match m.concretise(st, c.arg(0), 32)? {
        // _SC_ARG_MAX, _SC_CLK_TCK, _SC_OPEN_MAX, _SC_PAGESIZE, _SC_NPROCESSORS_*, _SC_PHYS_PAGES.
        0 => Flow::int(2 << 20),
        2 => Flow::int(100),
        4 => Flow::int(1024),
        30 => Flow::int(PAGE),
        // _SC_GETGR_R_SIZE_MAX, _SC_GETPW_R_SIZE_MAX.
        69 | 70 => Flow::int(1024),
        83 | 84 => {
            outside_world::take(m, st, outside_world::MACHINE);
            Flow::int(1)
        }
        85 => {
            outside_world::take(m, st, outside_world::MACHINE);
            Flow::int(1 << 20)
        }
        _ => errno::fail(m, st, c, errno::EINVAL),
    }
}

fn page_size(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(PAGE)
}

fn libc_version(_: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    let text: Rc<[u8]> = Rc::from(&b"2.36\0"[..]);
    let size = text.len() as u64;
    let object = errno::library_object(st, size, Initial::Bytes(text));
    Flow::value(Value::Ptr(object, 0))
}

/// Fills memory with "random" bytes: on every path and run the same ones, but others each time.
fn fill_fixed(m: &mut Executor, st: &mut State, ptr: Value, len: Value) -> Res<u64> {
    let len = m.concretise(st, len, 64)?;
    if len == 0 {
        return Ok(0);
    }
    let (object, offset) = m.check_range(st, ptr, len, Access::Write)?;
    outside_world::take_unless_std(m, st, outside_world::RANDOM);
    let first = take_random(st, len);
    for i in 0..len {
        let byte = Value::Int(random_byte(first + i).into());
        st.memory.store(&mut m.pool, object, offset + i, 8, byte);
    }
    Ok(len)
}

/// Takes so many random bytes, and returns the place of the first one in their sequence.
fn take_random(st: &mut State, len: u64) -> u64 {
    let world = Rc::make_mut(&mut st.world);
    let taken = world.counters.entry("random bytes").or_default();
    let first = *taken;
    *taken = first.wrapping_add(len);
    first
}

/// Returns the "random" byte at a place of the sequence.
fn random_byte(place: u64) -> u8 {
    let block = place >> 8;
    let own = match block {
        0 => 0,
        _ => Random::new(block).bits() >> (place % 8 * 8),
    };
    0x5a ^ (place as u8).wrapping_mul(0x9d) ^ own as u8
}

/// `getrandom(buffer, length, flags)`.
pub fn getrandom(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let len = fill_fixed(m, st, c.arg(0), c.arg(1))?;
    Flow::int(len)
}

/// Performs [`getrandom`] behind `syscall`, whose first argument is the number of the call.
pub fn getrandom_syscall(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let len = fill_fixed(m, st, c.arg(1), c.arg(2))?;
    Flow::int(len)
}

/// `getentropy(buffer, length)`, of at most 256 bytes.
fn getentropy(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const MOST: u64 = 256;
    if m.concretise(st, c.arg(1), 64)? > MOST {
        return errno::fail(m, st, c, errno::EIO);
    }
    fill_fixed(m, st, c.arg(0), c.arg(1))?;
    Flow::int(0)
}

fn arc4random(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    outside_world::take_unless_std(m, st, outside_world::RANDOM);
    let first = take_random(st, 4);
    let bytes = [0, 1, 2, 3].map(|i| random_byte(first + i));
    Flow::int(u32::from_le_bytes(bytes).into())
}

fn arc4random_buf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    fill_fixed(m, st, c.arg(0), c.arg(1))?;
    Flow::void()
}
