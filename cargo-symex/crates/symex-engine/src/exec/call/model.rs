//! Functions that the engine performs itself: the type of a model, not the models (those are a
//! layer above).

use crate::exec::Executor;
use crate::exec::path::end::Res;
use crate::state::State;
use smallvec::SmallVec;
use symex_program::{FuncId, Function};
use symex_terms::Value;

/// A call as a model sees it. Until a model mutates the state it may fork and ask for a retry; so
/// it decides first and writes last.
pub struct Call<'a> {
    /// Symbol name of the callee.
    pub name: &'a str,
    pub function: FuncId,
    /// One value per scalar leaf, with its width in bits.
    pub args: &'a [(Value, u32)],
    /// Widths of the result's leaves.
    pub returns: &'a [u32],
    /// Does anything look at the result?
    pub used: bool,
}

impl Call<'_> {
    /// Argument leaf `i`; undef if the caller passed fewer.
    pub fn arg(&self, i: usize) -> Value {
        self.args.get(i).map_or(Value::Undef, |a| a.0)
    }
}

/// The way in which a modelled call goes on.
pub enum Flow {
    /// Returns these leaves (missing ones are undef).
    Return(SmallVec<[Value; 2]>),
    /// Unwinds with this exception pointer.
    Unwind(Value),
    /// The engine has to execute the function's own body.
    Body,
    /// Enters another function, and performs the call anew when it has returned.
    First(FuncId, SmallVec<[Value; 4]>),
    /// The model has left calls; these are the results of the call that the innermost frame stands
    /// at now.
    Landed(SmallVec<[Value; 2]>),
    /// Enters another function in the place of this one.
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

/// A model.
pub type ModelFn = fn(&mut Executor, &mut State, &Call) -> Res<Flow>;

/// Finds the model of a function.
pub type FindModel = dyn Fn(&Function) -> Option<ModelFn>;
