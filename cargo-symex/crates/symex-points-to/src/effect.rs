//! Effects: summaries of functions whose bodies are not analysed, in a small language of pointer
//! flows.
//!
//! An effect is a list of steps without order; it says where pointers flow, as if every step
//! happened any number of times. A function that only reads what its arguments point to, and
//! returns no pointer, has no steps.

/// Steps of a function.
pub type Effect = &'static [EffectStep];

/// Source or destination of pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EffectPlace {
    /// An argument (scalar leaf).
    Arg(u8),
    /// Contents of the object to which an argument points.
    Behind(u8),
    /// All arguments from this one on.
    From(u8),
    /// Contents of the objects to which all arguments from this one on point.
    BehindFrom(u8),
    /// Address of an object that the call makes, one abstract object per call site.
    New,
    /// Contents of that object.
    InNew,
    /// All leaves of the result. Only a destination.
    Result,
    /// The exception being thrown. Only a destination.
    Thrown,
    /// Code outside of the program. A pointer from there may be any pointer that got there.
    Outside,
}

/// One step of a function. All arguments count as addresses through which it accesses memory,
/// unless it [frees](EffectStep::Frees).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EffectStep {
    /// Pointers flow from the first place to the second.
    Flow(EffectPlace, EffectPlace),
    /// Calls an argument with these arguments, and passes on its result.
    Call {
        callee: u8,
        args: &'static [EffectPlace],
        result: Option<EffectPlace>,
    },
    /// Ends an object as a whole. This does not matter for segments, although nearly all objects
    /// meet in one argument there.
    Frees,
}
