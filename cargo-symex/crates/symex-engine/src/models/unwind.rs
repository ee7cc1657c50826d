//! Models of the unwinder's interface (`libunwind`, `libgcc_s`). The executor throws and resumes;
//! walking the stack for a backtrace ends at once. C++'s own runtime, which selects handlers by
//! type, is not covered.

use super::table::{Row, row};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::{Fault, Res};
use crate::state::State;
use symex_types::outcome::{FindingKind, Unsupported};

/// Rows of the unwinder.
pub const ROWS: &[Row] = &[
    row("_Unwind_RaiseException", raise),
    row("_Unwind_Resume", resume),
    row("_Unwind_Resume_or_Rethrow", raise),
    row("_Unwind_DeleteException", zero),
    row("_Unwind_Backtrace", backtrace),
    row("_Unwind_GetIP", zero),
    row("_Unwind_GetIPInfo", zero),
    row("_Unwind_GetCFA", zero),
    row("_Unwind_GetGR", zero),
    row("_Unwind_SetGR", zero),
    row("_Unwind_SetIP", zero),
    row("_Unwind_GetDataRelBase", zero),
    row("_Unwind_GetTextRelBase", zero),
    row("_Unwind_GetRegionStart", zero),
    row("_Unwind_GetLanguageSpecificData", zero),
    row("_Unwind_FindEnclosingFunction", zero),
    row("__cxa_throw", cxx),
    row("__cxa_rethrow", cxx),
    row("__cxa_begin_catch", cxx),
    row("__cxa_end_catch", cxx),
    row("__cxa_get_exception_ptr", cxx),
    row("__cxa_allocate_exception", cxx),
    row("__cxa_free_exception", cxx),
    row("__cxa_call_unexpected", cxx),
    row("__cxa_bad_cast", cxx),
    row("__cxa_bad_typeid", cxx),
    row("__cxa_pure_virtual", pure_virtual),
    row("__cxa_deleted_virtual", pure_virtual),
];

/// Reason code `_URC_END_OF_STACK`.
const END_OF_STACK: u64 = 5;

fn raise(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if !m.would_be_caught(st)? {
        return Err(Fault::new(FindingKind::Panic, "an exception that nothing catches").into());
    }
    Ok(Flow::Unwind(c.arg(0)))
}

fn resume(_: &mut Executor, _: &mut State, c: &Call) -> Res<Flow> {
    Ok(Flow::Unwind(c.arg(0)))
}

fn zero(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(0)
}

fn backtrace(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(END_OF_STACK)
}

fn cxx(_: &mut Executor, _: &mut State, c: &Call) -> Res<Flow> {
    Err(Unsupported::Operation(format!("C++ exceptions ({})", c.name)).into())
}

fn pure_virtual(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Err(Fault::new(FindingKind::Abort, "pure virtual method called").into())
}
