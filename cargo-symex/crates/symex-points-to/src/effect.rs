//! What a function does with pointers, in a small language, where its body is not looked at.
//!
//! An effect is a list of steps without order; it says where pointers flow, as if every step
//! happened any number of times. A function that only reads what its arguments point to, and gives
//! no pointer, has no steps.

/// Steps of a function.
pub type Effect = &'static [EffectStep];

/// A place that pointers come from or go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// An argument (scalar leaf).
    Arg(u8),
    /// The contents of what an argument points to.
    Behind(u8),
    /// All arguments from this one on.
    From(u8),
    /// The contents of what they point to.
    BehindFrom(u8),
    /// The address of an object that the call makes, one abstract object a call site.
    New,
    /// The contents of that object.
    InNew,
    /// All leaves of the result. Only to go to.
    Result,
    /// What is being thrown. Only to go to.
    Thrown,
    /// Code that is not in the program. What comes from there may be anything that got there.
    Outside,
}

/// One thing that a function does. All arguments count as addresses that it accesses memory with,
/// unless it [frees](EffectStep::Frees).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EffectStep {
    /// Pointers of the first place get to the second one.
    Flow(Place, Place),
    /// Calls an argument with these arguments, and hands on what it returns.
    Call {
        callee: u8,
        args: &'static [Place],
        result: Option<Place>,
    },
    /// Ends an object as a whole: no matter for segments, although nearly all objects meet in one
    /// argument there.
    Frees,
}
