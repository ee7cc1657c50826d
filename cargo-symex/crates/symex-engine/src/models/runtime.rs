//! Models of the hooks of symex-runtime ([`hooks`] defines their meaning), and of the names by
//! which C test programs know them.
//!
//! Invariant: each input here is one entry of `State::inputs` of the size that the native side asks
//! for, so that a replay reads the same inputs in the same order. An input's variables are
//! described by its position in that order; sibling paths that ask for the same input share them.

use super::table::{Row, always, row};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::{Fault, PathEnd, Res};
use crate::state::{State, Stub, SymbolicInput};
use std::rc::Rc;
use std::sync::Arc;
use symex_abi::hooks;
use symex_memory::ObjectKind;
use symex_program::written_path::{Meaning, WrittenPath};
use symex_program::{FuncId, Function};
use symex_solver::Purpose;
use symex_terms::{Expr, Value, Width};
use symex_types::outcome::{Bound, FindingKind, Form, Role, Unsupported};

/// Rows of the hooks.
pub const ROWS: &[Row] = &[
    always(hooks::MAKE_SYMBOLIC, make_symbolic),
    always(hooks::ANY_INT, any_int),
    always(hooks::ANY_RANGE, any_range),
    always(hooks::ANY_LEN, any_len),
    always(hooks::RANGE, int_range),
    always(hooks::ASSUME, assume),
    always(hooks::REJECT, reject),
    always(hooks::CUT, cut),
    always(hooks::UNSUPPORTED, unsupported),
    always(hooks::ASSUMED, assumed),
    always(hooks::STUB, stub),
    always(hooks::COVER, cover),
    always(hooks::CHECK_NAME, check_name),
    always("symex_check_read", check_read),
    always("symex_check_value", check_value),
    always("symex_check_write", check_write),
    always(hooks::IS_SYMBOLIC, is_symbolic),
    row("symex_exit", exit),
    // KLEE's names.
    row("klee_make_symbolic", make_symbolic),
    row("klee_assume", assume),
    row("klee_range", int_range),
    row("klee_int", klee_int),
    row("klee_is_symbolic", klee_is_symbolic),
    row("klee_silent_exit", reject),
    row("klee_abort", klee_abort),
    row("klee_report_error", klee_report_error),
    row("klee_warning", nothing),
    row("klee_warning_once", nothing),
    row("klee_print_expr", nothing),
    row("klee_print_range", nothing),
    row("klee_stack_trace", nothing),
    row("klee_prefer_cex", nothing),
    row("klee_open_merge", nothing),
    row("klee_close_merge", nothing),
    row("klee_set_forking", nothing),
    row("klee_mark_global", nothing),
    // Those of the software verification competition.
    row("__VERIFIER_assume", assume),
    row("__VERIFIER_nondet_bool", nondet_bool),
    row("__VERIFIER_nondet__Bool", nondet_bool),
    row("__VERIFIER_nondet_char", nondet),
    row("__VERIFIER_nondet_uchar", nondet),
    row("__VERIFIER_nondet_short", nondet),
    row("__VERIFIER_nondet_ushort", nondet),
    row("__VERIFIER_nondet_int", nondet),
    row("__VERIFIER_nondet_uint", nondet),
    row("__VERIFIER_nondet_unsigned", nondet),
    row("__VERIFIER_nondet_long", nondet),
    row("__VERIFIER_nondet_ulong", nondet),
    row("__VERIFIER_nondet_longlong", nondet),
    row("__VERIFIER_nondet_ulonglong", nondet),
    row("__VERIFIER_nondet_size_t", nondet),
    row("__VERIFIER_nondet_float", nondet),
    row("__VERIFIER_nondet_double", nondet),
    row("__VERIFIER_nondet_u8", nondet),
    row("__VERIFIER_nondet_u16", nondet),
    row("__VERIFIER_nondet_u32", nondet),
    row("__VERIFIER_nondet_u64", nondet),
];

/// Reads the name argument of a hook.
fn name_of(m: &mut Executor, st: &mut State, ptr: Value) -> Res<Arc<str>> {
    // As in KLEE, a name may be left out.
    if ptr == Value::NULL {
        return Ok("unnamed".into());
    }
    let bytes = m.read_c_string(st, ptr)?;
    Ok(String::from_utf8_lossy(&bytes).into())
}

/// Makes the variable of the next input that has only one part.
fn variable(m: &mut Executor, st: &State, name: Arc<str>, width: Width) -> Expr {
    m.input_variable(st, name, width, 0)
}

fn push_input(st: &mut State, name: Arc<str>, parts: Vec<Expr>) {
    let role = Role::Program;
    st.inputs.push(SymbolicInput {
        name,
        role,
        parts,
        length: None,
        form: Form::default(),
    });
}

fn make_symbolic(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let name = name_of(m, st, c.arg(2))?;
    let len = m.concretise(st, c.arg(1), 64)?;
    if len > m.config.limits.max_allocation {
        return Err(Unsupported::Model(format!("{len} symbolic bytes at once")).into());
    }
    let place = match len {
        0 => None,
        _ => Some(m.check_range(st, c.arg(0), len, Access::Write)?),
    };
    let bytes = m.fresh_bytes(st, &name, Role::Program, len);
    if let Some((object, offset)) = place {
        let target = st.memory.object(object);
        let form = match target.kind {
            _ if len == 1 => Form::Number,
            ObjectKind::Heap(_) => Form::Either,
            // What may lie at any byte is no number.
            _ if target.align_log2 == 0 => Form::Bytes,
            _ => Form::Number,
        };
        st.inputs.change_last(|input| input.form = form);
        for (i, byte) in bytes.into_iter().enumerate() {
            st.memory
                .store(&mut m.pool, object, offset + i as u64, 8, byte);
        }
    }
    Flow::void()
}

fn little_endian(bytes: &[u8]) -> u128 {
    let bytes = bytes.iter().take(16).rev();
    bytes.fold(0, |value, byte| value << 8 | u128::from(*byte))
}

/// Draws a value of `width` bits; its input has the whole bytes that hold it.
fn fresh_int(m: &mut Executor, st: &mut State, name: Arc<str>, width: Width) -> Expr {
    let v = variable(m, st, name.clone(), width);
    m.give(st, v, little_endian);
    let part = m.pool.zext(v, width.div_ceil(8) * 8);
    push_input(st, name, vec![part]);
    v
}

fn any_int(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let name = name_of(m, st, c.arg(1))?;
    let bits = m.concretise(st, c.arg(0), 32)?.clamp(1, 64) as Width;
    let v = fresh_int(m, st, name, bits);
    let wide = m.pool.zext(v, 64);
    Flow::value(m.pool.value(wide))
}

/// Draws a value of eight bytes with `lo <= value <= hi`.
fn fresh_range(m: &mut Executor, st: &mut State, name: Arc<str>, lo: u64, hi: u64) -> Res<Expr> {
    if lo > hi {
        return Err(PathEnd::Assumed.into());
    }
    let span = hi - lo;
    let base = m.pool.constant(64, lo as u128);
    let value = if span == 0 {
        base
    } else {
        let width = 64 - span.leading_zeros();
        let v = variable(m, st, name.clone(), width);
        m.give(st, v, |bytes| little_endian(bytes).wrapping_sub(lo.into()));
        let most = m.pool.constant(width, span as u128);
        let inside = m.pool.ule(v, most);
        m.assume(st, inside)?;
        let wide = m.pool.zext(v, 64);
        m.pool.add(base, wide)
    };
    push_input(st, name, vec![value]);
    Ok(value)
}

fn any_range(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let name = name_of(m, st, c.arg(2))?;
    let lo = m.concretise(st, c.arg(0), 64)?;
    let hi = m.concretise(st, c.arg(1), 64)?;
    let v = fresh_range(m, st, name, lo, hi)?;
    Flow::value(m.pool.value(v))
}

fn any_len(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let name = name_of(m, st, c.arg(1))?;
    let max = m.concretise(st, c.arg(0), 64)?;
    let bound = Bound::Size(format!("length of {name} <= {max}"));
    let v = fresh_range(m, st, name, 0, max)?;
    m.outcomes.note(st, bound);
    Flow::value(m.pool.value(v))
}

/// Returns the one-bit term of an argument that is a C truth value.
fn condition(m: &mut Executor, st: &State, c: &Call, i: usize) -> Expr {
    let width = c.args.get(i).map_or(1, |a| a.1);
    let e = m.term(st, c.arg(i), width);
    if width == 1 {
        return e;
    }
    let zero = m.pool.constant(width, 0);
    m.pool.ne(e, zero)
}

fn assume(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let holds = condition(m, st, c, 0);
    m.assume(st, holds)?;
    Flow::void()
}

fn reject(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Err(PathEnd::Assumed.into())
}

fn cut(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let what = name_of(m, st, c.arg(0))?;
    Err(PathEnd::Bounded(Bound::Size(what.to_string())).into())
}

fn unsupported(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let what = name_of(m, st, c.arg(0))?;
    Err(Unsupported::Operation(what.to_string()).into())
}

fn assumed(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let what = name_of(m, st, c.arg(0))?;
    m.outcomes.note(st, Bound::Assumed(what.to_string()));
    m.outcomes.has_assumed = true;
    Flow::void()
}

fn stub(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let what = name_of(m, st, c.arg(0))?;
    let mut lines = what.lines();
    let mut line = || lines.next().unwrap_or_default();
    let (module, path, by) = (line(), line(), line());
    let function = m.call_target(st, c.arg(1))?;
    let attribute = || format!("`#[kani::stub({path}, {by})]`");
    let Some(written) = WrittenPath::read(module, path) else {
        return Err(Unsupported::Operation(attribute()).into());
    };
    let functions = m.program.functions.iter().enumerate();
    let names = functions.map(|(i, f)| (FuncId(i as u32), f.display.as_str()));
    match written.meaning(names) {
        Meaning::One(replaced) => {
            let stub = Stub {
                function,
                written: by.into(),
                replaced: path.into(),
                is_called: false,
            };
            let program = m.program;
            let has_type_of = |other: FuncId| {
                let (one, other) = (program.function(function), program.function(other));
                let widths = |f: &Function| f.params.iter().map(|p| p.width).collect::<Vec<_>>();
                widths(one) == widths(other) && one.returns == other.returns
            };
            // As where the other is generic, and called for several types.
            if !replaced.iter().all(|other| has_type_of(*other)) {
                let what = format!("{}, of different types", attribute());
                return Err(Unsupported::Operation(what).into());
            }
            let replaced = replaced.into_iter().filter(|other| *other != function);
            let world = Rc::make_mut(&mut st.world);
            world
                .stubs
                .extend(replaced.map(|other| (other, stub.clone())));
        }
        Meaning::Several(one, other) => {
            let what = format!("{}, which may mean {one} or {other}", attribute());
            return Err(Unsupported::Operation(what).into());
        }
        // What is not called is not in the program.
        Meaning::Nothing => {
            st.take_for_granted(&format!(
                "nothing calls `{path}`, which `{by}` is to replace"
            ));
        }
    }
    Flow::void()
}

fn cover(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let name = name_of(m, st, c.arg(1))?.to_string();
    let seen = *m.outcomes.tally.covers.entry(name.clone()).or_insert(false);
    if !seen {
        let holds = condition(m, st, c, 0);
        if let Some(assignment) = m.satisfiable(st, holds, Purpose::Check)
            && m.is_real(st, holds, assignment)
        {
            m.outcomes.tally.covers.insert(name, true);
        }
    }
    Flow::void()
}

fn check_name(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let name = name_of(m, st, c.arg(0))?;
    st.check = Some(name);
    Flow::void()
}

/// `symex_check_read(pointer, bytes, alignment, number)`: checks an access that LLVM's passes have
/// dropped. Not for programs.
fn check_read(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    check_only(m, st, c, Access::Read)
}

/// `symex_check_value(pointer, bytes, alignment, number)`: like [`check_read`], of bytes that must
/// be initialised.
fn check_value(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let bytes = m.concretise(st, c.arg(1), 64)?;
    let align = m.concretise(st, c.arg(2), 64)?.max(1);
    let value = m.load(st, c.arg(0), 8 * bytes as u32, align.ilog2() as u8)?;
    m.check_defined(st, value)?;
    Flow::void()
}

fn check_write(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    check_only(m, st, c, Access::Write)
}

fn check_only(m: &mut Executor, st: &mut State, c: &Call, access: Access) -> Res<Flow> {
    let align = m.concretise(st, c.arg(2), 64)?.max(1);
    m.check_only(st, c.arg(0), c.arg(1), align.ilog2() as u8, access)?;
    Flow::void()
}

fn is_symbolic(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(1)
}

fn exit(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let code = m.concretise(st, c.arg(0), 32)?;
    // What a parent process sees of it.
    Err(PathEnd::exited(code).into())
}

/// `int symex_range(int begin, int end, const char *name)`: the end is excluded.
fn int_range(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let name = name_of(m, st, c.arg(2))?;
    let begin = m.concretise(st, c.arg(0), 32)? as u32 as i32;
    let end = m.concretise(st, c.arg(1), 32)? as u32 as i32;
    if begin >= end {
        return Err(PathEnd::Assumed.into());
    }
    let v = variable(m, st, name.clone(), 32);
    m.give(st, v, little_endian);
    let low = m.pool.constant(32, begin as u32 as u128);
    let span = m
        .pool
        .constant(32, (end.wrapping_sub(begin)) as u32 as u128);
    let offset = m.pool.sub(v, low);
    let inside = m.pool.ult(offset, span);
    m.assume(st, inside)?;
    push_input(st, name, vec![v]);
    Flow::value(m.pool.value(v))
}

fn klee_int(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let name = name_of(m, st, c.arg(0))?;
    let v = fresh_int(m, st, name, 32);
    Flow::value(Value::Expr(v))
}

fn klee_is_symbolic(_: &mut Executor, _: &mut State, c: &Call) -> Res<Flow> {
    Flow::int(matches!(c.arg(0), Value::Expr(_)) as u64)
}

fn klee_abort(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Err(Fault::new(FindingKind::Abort, "klee_abort").into())
}

/// `klee_report_error(const char *file, int line, const char *message, const char *suffix)`.
fn klee_report_error(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let message = name_of(m, st, c.arg(2))?;
    Err(Fault::new(FindingKind::Abort, message.to_string()).into())
}

fn nothing(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::void()
}

/// Draws a value of the declared width, named after its function.
fn nondet(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let width = c.returns.first().copied().unwrap_or(32);
    let name = c.name.rsplit('_').next().unwrap_or(c.name);
    let v = fresh_int(m, st, name.into(), width);
    Flow::value(Value::Expr(v))
}

/// Draws 0 or 1, of the declared width.
fn nondet_bool(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let width = c.returns.first().copied().unwrap_or(1);
    let v = fresh_int(m, st, "bool".into(), 1);
    let wide = m.pool.zext(v, width);
    Flow::value(m.pool.value(wide))
}
