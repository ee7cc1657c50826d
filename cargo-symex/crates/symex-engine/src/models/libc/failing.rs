//! Failing system calls, where the user wants to explore some: a path on which the call succeeds,
//! and one for each way in which it may fail. Each failure is an input of its path, so that a
//! native run fails there, too.
//!
//! Invariant: each call decides by a variable of its own, so that a call that is repeated after
//! another decision comes to the same one.

use super::errno;
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow, ModelFn};
use crate::exec::path::end::Res;
use crate::models::outside_world;
use crate::models::table;
use crate::state::{State, SymbolicInput};
use std::rc::Rc;
use std::sync::Arc;
use symex_program::Function;
use symex_solver::Purpose;
use symex_terms::{Origin, Value, VarInfo};
use symex_types::config::failing::{EINTR, ErrorReturn, call, of_function};
use symex_types::outcome::{Failure, Role};

/// Returns the model of a function whose failure is explored.
pub fn find(function: &Function) -> Option<ModelFn> {
    let model = table::find(function)?;
    Some(match of_function(&function.name) {
        Some(_) => perform,
        None => model,
    })
}

/// Performs a call that may fail as a whole.
fn perform(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let (call, answer) = of_function(c.name).expect("only these are found");
    let model = table::model(c.name).expect("what is wrapped has a model");
    if !m.config.world.may_fail(call.name) || is_librarys(m, st) {
        return model(m, st, c);
    }
    if answer == ErrorReturn::Reopens {
        // A stream that is none is a finding on all paths.
        super::stdio::stream(m, st, c.arg(2), c)?;
    }
    let named = (call.name, None);
    let errors: Vec<Failure> = call
        .errors
        .iter()
        .map(|error| Failure::Error(error.0))
        .collect();
    let how = choose(m, st, named, &errors, 0)?;
    let Some(Failure::Error(code)) = how else {
        let flow = model(m, st, c)?;
        settle(m, st, named, None);
        return Ok(flow);
    };
    settle(m, st, named, how);
    match answer {
        ErrorReturn::MinusOne => errno::fail(m, st, c, u64::from(code)),
        ErrorReturn::Null => {
            errno::set(m, st, u64::from(code));
            Flow::value(Value::NULL)
        }
        ErrorReturn::Reopens => {
            super::stdio::abandon(m, st, c)?;
            errno::set(m, st, u64::from(code));
            Flow::value(Value::NULL)
        }
    }
}

/// Reports whether the C library itself makes the call. Natively it is another library, whose calls
/// cannot be matched.
fn is_librarys(m: &Executor, st: &State) -> bool {
    let caller = &m.program.function(st.stack.top.function).name;
    m.program.library.binary_search(caller).is_ok()
}

/// A call on an open file that may fail.
pub struct Transfer {
    /// Name of the call for the user, and of the call by whose name it may fail.
    pub name: &'static str,
    pub family: &'static str,
    pub descriptor: u32,
    /// Number of bytes that it would read or write; more than one may become one.
    pub bytes: u64,
}

impl Transfer {
    /// Decides whether the call fails, before it has done anything, and after `before` other
    /// failures of the same function. The result goes to [`Transfer::settle`], once nothing is left
    /// to decide.
    pub fn choose(&self, m: &mut Executor, st: &mut State, before: u32) -> Res<Option<Failure>> {
        if !m.config.world.may_fail(self.family) {
            return Ok(None);
        }
        let Some(call) = call(self.family) else {
            return Ok(None);
        };
        let mut ways: Vec<Failure> = call
            .errors
            .iter()
            .map(|error| Failure::Error(error.0))
            .collect();
        if catches_signals(st) && self.family != "close" {
            ways.push(Failure::Error(EINTR.0));
        }
        if self.bytes > 1 {
            ways.push(Failure::Short(1));
        }
        choose(m, st, (self.name, Some(self.descriptor)), &ways, before)
    }

    /// Records that the call is made.
    pub fn settle(&self, m: &Executor, st: &mut State, how: Option<Failure>) {
        settle(m, st, (self.name, Some(self.descriptor)), how);
    }
}

/// A call by its name, with the descriptor if calls are counted per descriptor.
type NamedCall = (&'static str, Option<u32>);

/// Formats a call as the name of its input.
fn text(call: NamedCall, number: u32) -> Arc<str> {
    let (name, descriptor) = call;
    match descriptor {
        Some(descriptor) => format!("{name} #{number} of fd {descriptor}").into(),
        None => format!("{name} #{number}").into(),
    }
}

/// Decides the outcome of a call.
fn choose(
    m: &mut Executor,
    st: &mut State,
    call: NamedCall,
    ways: &[Failure],
    before: u32,
) -> Res<Option<Failure>> {
    let most = m.config.world.max_fail;
    outside_world::take(m, st, &outside_world::failures(most));
    if st.world.attempts.failed + before >= most {
        return Ok(None);
    }
    let number = st.world.attempts.next(call.0, call.1);
    let which = m.pool.var(VarInfo {
        name: text(call, number),
        width: 8,
        origin: Origin::Input {
            input: st.inputs.count() as u32,
            part: 0,
        },
    });
    for (i, how) in ways.iter().enumerate() {
        let this = m.pool.constant(8, i as u128 + 1);
        let this = m.pool.eq(which, this);
        if m.split(st, this, Purpose::Branch)? {
            return Ok(Some(*how));
        }
    }
    Ok(None)
}

/// Counts a call that is made; a failing one becomes an input.
fn settle(m: &Executor, st: &mut State, call: NamedCall, how: Option<Failure>) {
    if m.config.world.max_fail == 0 {
        return;
    }
    let (name, descriptor) = call;
    let number = st.world.attempts.next(name, descriptor);
    let attempts = Rc::make_mut(&mut Rc::make_mut(&mut st.world).attempts);
    attempts.add(name, descriptor);
    let Some(how) = how else { return };
    attempts.failed += 1;
    st.inputs.push(SymbolicInput {
        name: text(call, number),
        role: Role::Failure {
            call: name.to_owned(),
            descriptor,
            number,
            how,
        },
        parts: Vec::new(),
        length: None,
        form: Default::default(),
    });
}

/// Reports whether the program handles signals. Otherwise no call is interrupted.
fn catches_signals(st: &State) -> bool {
    let mut handlers = st.world.handlers.values();
    handlers.any(|handler| !matches!(handler, Value::Int(0 | 1)))
}
