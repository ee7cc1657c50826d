//! Models of what AFL and honggfuzz define for the programs that they fuzz, by which these ask for
//! their input. A path has one input: a program that asks for another has come to its end.

use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::{PathEnd, Res};
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::file_system::{FileKind, Files};
use crate::state::fuzz_input::{AFL_INPUT, FuzzInput};
use std::rc::Rc;
use symex_types::outcome::Unsupported;

/// Rows of both fuzzers.
pub const ROWS: &[Row] = &[
    row("HF_ITER", honggfuzz_input),
    row("__afl_manual_init", nothing),
    row("__afl_persistent_loop", afl_loop),
];

fn nothing(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::void()
}

/// Returns the input, if it has not been asked for yet.
fn waiting(st: &State) -> Option<FuzzInput> {
    let input = st.world.fuzz_input.as_ref();
    input.filter(|input| !input.is_taken).cloned()
}

fn note_taken(st: &mut State) {
    if let Some(input) = &mut Rc::make_mut(&mut st.world).fuzz_input {
        input.is_taken = true;
    }
}

/// `HF_ITER(&data, &length)`, which comes back once for each input.
fn honggfuzz_input(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if st.world.fuzz_input.is_none() {
        let name = "HF_ITER, as no fuzzer is there".to_owned();
        return Err(Unsupported::Model(name).into());
    }
    for place in [c.arg(0), c.arg(1)] {
        m.check_range(st, place, 8, Access::Write)?;
    }
    let Some(input) = waiting(st) else {
        return Err(PathEnd::exited(0).into());
    };
    note_taken(st);
    m.store(st, c.arg(0), 64, 0, input.data)?;
    m.store(st, c.arg(1), 64, 0, input.length)?;
    Flow::void()
}

/// `__afl_persistent_loop(count)`, which says whether there is another input. A program that does
/// not know AFL's variables reads it from standard input.
fn afl_loop(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    let Some(input) = waiting(st) else {
        return Flow::int(0);
    };
    if m.library_variable(AFL_INPUT, 8).is_none() {
        let length = m.concretise(st, input.length, 64)?;
        let bytes = m.read_bytes(st, input.data, length)?;
        let mut files = (*st.world.files).clone();
        files.node_mut(Files::INPUT).kind = FileKind::Pipe(Rc::new(bytes.into()));
        Rc::make_mut(&mut st.world).files = Rc::new(files);
    }
    note_taken(st);
    Flow::int(1)
}
