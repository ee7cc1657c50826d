//! What happens after a panic that nothing catches: destructors run, and what is undefined there is
//! found as well.
//!
//! Where the harness expects the panic, this is a part of the path as any other. Otherwise the path
//! has ended with its finding, whatever comes of this: unwinding is followed for the inputs of the
//! path alone, as a run of them would: of a branch, the side that they take. So it costs no query
//! but for a finding, and no path.

use super::end::{Fault, PathEnd, Stop};
use super::message::message;
use crate::exec::Executor;
use crate::exec::memory::globals::object_of_global;
use crate::exec::threads::Atomic;
use crate::state::{Joins, State};
use symex_program::{GlobalId, Program};
use symex_terms::Value;
use symex_types::outcome::{FindingKind, SourceLoc};

/// Where the standard library counts panics, by which `std::thread::panicking` tells.
const COUNT: &str = "std::panicking::panic_count::GLOBAL_PANIC_COUNT";

/// What an uncaught panic throws, at which nothing looks.
pub const THROWN: Value = Value::Int(1);

/// The unwinding of panics that end paths.
#[derive(Default)]
pub struct Unwinding {
    /// Where panics are counted, once that is known.
    count: Option<Option<GlobalId>>,
}

impl Unwinding {
    fn count(&mut self, program: &Program) -> Option<GlobalId> {
        *self.count.get_or_insert_with(|| {
            let mut globals = program.globals.iter();
            let at = globals.position(|global| global.display == COUNT)?;
            Some(GlobalId(at as u32))
        })
    }
}

impl Executor<'_> {
    /// Follows a path that has ended with a panic at this place through its unwinding, and makes a
    /// finding of a fault there.
    pub(super) fn follow_unwinding(&mut self, mut st: State, panic: Option<&SourceLoc>) {
        if self.queries.aside || self.queries.out_of_time() {
            return;
        }
        st.joins = Joins::default();
        let follows = std::mem::replace(&mut self.queries.follows, true);
        let end = self.aside(|executor| executor.unwound(&mut st));
        if let Some(PathEnd::Fault(mut fault)) = end {
            let place = panic.map_or(String::new(), |at| format!(" at {}:{}", at.file, at.line));
            fault.message = message![fault.message, format!(", while the panic{place} unwinds")];
            self.fault(&mut st, fault);
        }
        self.queries.follows = follows;
    }

    /// Makes a path know that a panic is on its way.
    pub fn begin_unwinding(&mut self, st: &mut State) {
        st.unwinds = Some(st.thread());
        if let Some(count) = self.unwinding.count(self.program) {
            let place = Value::Ptr(object_of_global(count), 0);
            // Nothing can be wrong with a variable of the standard library.
            let _ = self.atomically(st, Atomic::RELAXED, |executor, st| {
                executor.store(st, place, 64, 3, Value::Int(1))
            });
        }
    }

    /// Unwinds from the call in which a path has panicked, and returns how that ends; `None` if it
    /// takes too long.
    fn unwound(&mut self, st: &mut State) -> Option<PathEnd> {
        self.begin_unwinding(st);
        if let Err(Stop::End(end)) = self.unwind(st, THROWN, Value::Int(0)) {
            return Some(*end);
        }
        self.run_to_end(st)
    }
}

/// Makes the fault of a panic within the unwinding of another, behind which a program aborts.
pub fn of_second(message: &str) -> Fault {
    let message = format!("a destructor panics, which aborts the program: {message}");
    Fault::new(FindingKind::Abort, message)
}
