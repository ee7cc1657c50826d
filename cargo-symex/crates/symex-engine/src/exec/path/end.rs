//! Reasons why an instruction did not complete normally, in separate types that must not be mixed
//! up. A [`Fault`] is of the program under test, a [`PathEnd`] ends one path, and tool errors are
//! not here at all.

use super::message::Message;
use std::rc::Rc;
use symex_program::LocId;
use symex_terms::{Expr, ObjectId};
use symex_types::outcome::{Bound, EarlierEvent, FindingKind, SourceLoc, TraceFrame, Unsupported};

/// A fault of the program under test, before it becomes a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub kind: FindingKind,
    pub message: Message,
    /// Object concerned.
    pub object: Option<ObjectId>,
    /// Possible objects, if it may be one of several: each with the condition that it is this one.
    pub objects: Vec<(Expr, ObjectId)>,
    /// Location that the program itself names (a panic's), if it does.
    pub at: Option<SourceLoc>,
    /// Calls to show, if they are not those that the path is in.
    pub trace: Option<Vec<TraceFrame>>,
    /// What happened before that explains it, in order.
    pub earlier: Vec<Event>,
    /// Whether it is a panic that nothing catches: destructors run behind it.
    pub unwinds: bool,
}

/// An event before a fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    pub kind: EarlierEvent,
    pub at: LocId,
    /// Message of a panic, as far as known.
    pub text: Option<Rc<str>>,
}

impl Event {
    /// Makes an event without a message.
    pub fn new(kind: EarlierEvent, at: LocId) -> Self {
        Event {
            kind,
            at,
            text: None,
        }
    }
}

impl Fault {
    /// Makes a fault without details.
    pub fn new(kind: FindingKind, message: impl Into<Message>) -> Self {
        Fault {
            kind,
            message: message.into(),
            object: None,
            objects: Vec::new(),
            at: None,
            trace: None,
            earlier: Vec::new(),
            unwinds: false,
        }
    }

    /// Adds the object concerned.
    pub fn of(mut self, object: ObjectId) -> Self {
        self.object = Some(object);
        self
    }

    /// Adds the objects concerned, one for each input.
    pub fn of_one(mut self, objects: Vec<(Expr, ObjectId)>) -> Self {
        self.objects = objects;
        self
    }
}

/// Way in which a path ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PathEnd {
    /// The entry returned.
    Completed,
    /// The program ended itself with this status.
    Exited(u64),
    /// An assumption does not hold.
    Assumed,
    /// A panic that the harness expects has left its first function.
    Unwound,
    Fault(Fault),
    Unsupported(Unsupported),
    Bounded(Bound),
}

impl PathEnd {
    /// Makes the end of a program that ended itself with this status, of which the parent process
    /// sees the low byte.
    pub fn exited(status: u64) -> Self {
        PathEnd::Exited(status & 0xff)
    }
}

/// Reason why an instruction does not complete.
#[derive(Debug)]
pub enum Stop {
    End(Box<PathEnd>),
    /// The instruction has set the program counter itself.
    Jumped,
    /// The path has come to a place where it may be merged with others.
    Joined,
}

/// Result of a step of an instruction.
pub type Res<T> = Result<T, Stop>;

impl From<PathEnd> for Stop {
    fn from(end: PathEnd) -> Self {
        Stop::End(Box::new(end))
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        PathEnd::Fault(fault).into()
    }
}

impl From<Unsupported> for Stop {
    fn from(unsupported: Unsupported) -> Self {
        PathEnd::Unsupported(unsupported).into()
    }
}
