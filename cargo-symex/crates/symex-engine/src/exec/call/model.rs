//! The interface of models: functions that the engine performs itself. The models themselves are a
//! layer above.

use crate::exec::Executor;
use crate::exec::path::end::Res;
use crate::state::State;
use smallvec::SmallVec;
use symex_program::{FuncId, Function};
use symex_terms::Value;

/// A call as a model sees it. Until a model mutates the state it may fork and have the call
/// repeated; so it decides first and writes last.
pub struct Call<'a> {
    /// Symbol name of the callee.
    pub name: &'a str,
    pub function: FuncId,
    /// Arguments: one value per scalar leaf, with its width in bits.
    pub args: &'a [(Value, u32)],
    /// Widths in bits of the result's leaves.
    pub returns: &'a [u32],
    /// Whether the result is used.
    pub used: bool,
    /// Whether an error is returned as its negative number, as the kernel does it, and not told by
    /// `errno`.
    pub negative_errors: bool,
}

impl Call<'_> {
    /// Returns argument leaf `i`; undef if the caller passed fewer.
    pub fn arg(&self, i: usize) -> Value {
        self.args.get(i).map_or(Value::Undef, |a| a.0)
    }
}

/// Continuation of a modelled call.
pub enum Flow {
    /// Returns these leaves (missing ones are undef).
    Return(SmallVec<[Value; 2]>),
    /// Unwinds with this exception pointer.
    Unwind(Value),
    /// Executes the function's own body.
    Body,
    /// Enters another function, and repeats the call when that has returned.
    First(FuncId, SmallVec<[Value; 4]>),
    /// Continues after a non-local jump by the model: these are the results of the call at which
    /// the innermost frame waits now.
    Landed(SmallVec<[Value; 2]>),
    /// Enters another function in place of this one.
    Enter(FuncId, SmallVec<[Value; 4]>),
}

impl Flow {
    /// Returns one value.
    pub fn value(v: Value) -> Res<Flow> {
        Ok(Flow::Return(SmallVec::from_slice(&[v])))
    }

    /// Returns a concrete word.
    pub fn int(v: u64) -> Res<Flow> {
        Flow::value(Value::Int(v))
    }

    /// Returns nothing.
    pub fn void() -> Res<Flow> {
        Ok(Flow::Return(SmallVec::new()))
    }
}

/// Function that performs a modelled call.
pub type ModelFn = fn(&mut Executor, &mut State, &Call) -> Res<Flow>;

/// Function that finds the model of a function.
pub type FindModel = dyn Fn(&Function) -> Option<ModelFn>;
