//! Case of a property that a path runs, as the models of libraries for such tests know it.

use std::rc::Rc;
use symex_terms::ObjectId;
use symex_types::outcome::TraceFrame;

/// The one case that a path runs of a property.
#[derive(Clone, Default, Debug)]
pub struct PropertyCase {
    /// The case that runs; `None` between two runs.
    pub running: Option<RunningCase>,
    /// Failure that the program has made an error of, and may return.
    pub failure: Option<Rc<CaseFailure>>,
}

/// Case that runs.
#[derive(Clone, Debug)]
pub struct RunningCase {
    /// Serial number of the frame that runs cases.
    pub frame: u64,
    /// Object in which the runner lies.
    pub runner: ObjectId,
    /// Words of the runner before the case, where they are known.
    pub before: Rc<[Option<u64>]>,
}

/// Failure of a case that is an error instead of a panic.
#[derive(Debug)]
pub struct CaseFailure {
    pub text: Option<String>,
    pub trace: Vec<TraceFrame>,
}
