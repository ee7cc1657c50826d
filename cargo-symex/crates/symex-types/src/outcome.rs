//! Outcomes of an exploration: ends of paths, findings, and the verdict over all paths. Plain data
//! without behaviour of the engine.

pub mod arithmetic;
pub mod coverage;
pub mod decision_tree;
pub mod frame_owner;
pub mod profile;
pub mod sample;
pub mod stats;
pub mod tree;

pub use stats::Stats;

use serde::{Deserialize, Serialize};

/// Kind of fault in the program under test.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// An uncaught Rust panic.
    Panic,
    /// Abnormal termination by the program itself (`abort`, a panic that must not unwind).
    Abort,
    /// Call of `exit` with a code other than 0.
    ExitCode,
    OutOfBounds,
    UseAfterFree,
    DoubleFree,
    InvalidFree,
    NullAccess,
    /// Access through a pointer that points to no object.
    InvalidAccess,
    ReadOnlyWrite,
    Misaligned,
    UninitUse,
    UnreachableReached,
    DivisionByZero,
    ShiftTooFar,
    /// Integer overflow where the language forbids and checks it (C; Rust panics).
    ArithmeticOverflow,
    /// A false condition that was promised to the compiler (`assert_unchecked`, LLVM's assume).
    InvalidAssume,
    /// Call through a pointer that points to no function, or with the wrong number of arguments.
    InvalidCall,
    StackOverflow,
    Leak,
    /// A path reached its step limit.
    Hang,
    /// A failed check of clang's undefined behaviour sanitizer for C.
    Undefined,
    /// A value that its type does not have: a `bool` that is 2, a null reference.
    InvalidValue,
    /// A reference to memory that is not there, or not there in full.
    DanglingReference,
    /// An operation without checks, on operands for which it is not defined.
    UncheckedOperation,
    /// Accesses of two threads to the same memory, of which neither comes before the other.
    DataRace,
    /// All threads wait, each for another or for itself.
    Deadlock,
    /// An access that Rust's rules of aliasing forbid: through a reference that another access has
    /// ended, or one that ends a reference a function relies on.
    Aliasing,
}

impl FindingKind {
    /// Returns a one-line title for people.
    pub fn title(self) -> &'static str {
        use FindingKind::*;
        match self {
            Panic => "panic",
            Abort => "abort",
            ExitCode => "exit with an error code",
            OutOfBounds => "access out of bounds",
            UseAfterFree => "use after free",
            DoubleFree => "double free",
            InvalidFree => "free of something that was not allocated",
            NullAccess => "null pointer access",
            InvalidAccess => "access through an invalid pointer",
            ReadOnlyWrite => "write to read-only memory",
            Misaligned => "misaligned access",
            UninitUse => "use of uninitialised memory",
            UnreachableReached => "unreachable code reached",
            DivisionByZero => "division by zero",
            ShiftTooFar => "shift by the width or more",
            ArithmeticOverflow => "arithmetic overflow",
            InvalidAssume => "a promised condition does not hold",
            InvalidCall => "invalid call",
            StackOverflow => "stack overflow",
            Leak => "memory leak",
            Hang => "no end within the step limit",
            Undefined => "undefined behaviour",
            InvalidValue => "a value that its type does not have",
            DanglingReference => "dangling reference",
            UncheckedOperation => "unchecked operation on what it is not defined for",
            DataRace => "data race",
            Deadlock => "deadlock",
            Aliasing => "access that the rules of aliasing forbid",
        }
    }

    /// Reports whether a native run may show no symptom although the finding is correct.
    pub fn may_be_silent(self) -> bool {
        use FindingKind::*;
        // Overflow is seen by checks that are compiled into the program.
        !matches!(
            self,
            Panic | Abort | ExitCode | Hang | Deadlock | StackOverflow | ArithmeticOverflow
        )
    }
}

/// A source location.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct SourceLoc {
    /// File name as the compiler gave it: absolute, or relative to the package.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column from 1; 0 is unknown.
    pub column: u32,
}

impl SourceLoc {
    /// Makes the location in a file, with line and column from 1.
    pub fn new(file: impl Into<String>, line: u32, column: u32) -> Self {
        SourceLoc {
            file: file.into(),
            line,
            column,
        }
    }
}

/// A (possibly inlined) call on the way to a location. Traces list the innermost first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceFrame {
    /// Demangled function name.
    pub function: String,
    pub at: Option<SourceLoc>,
}

/// Role of an input in the program, which determines how a native run is given it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Role {
    /// Input that the program asks for itself, by a hook: an object made symbolic, a value drawn.
    #[default]
    Program,
    /// A command line argument, up to its first zero byte. Number 1 is the first after the
    /// program's name.
    Argument { number: u32 },
    /// Entire contents of standard input.
    Stdin,
    /// Contents of the file of this name in the working directory.
    File { name: String },
    /// Value of the environment variable of this name, up to its first zero byte.
    Variable { name: String },
    /// No value: a system call that was made to fail or to do less than it could. Calls with a
    /// `descriptor` are counted per descriptor, others all together, from 1.
    Failure {
        call: String,
        descriptor: Option<u32>,
        number: u32,
        how: Failure,
    },
}

/// Way in which a system call does less than it could.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// The call fails with this `errno` value.
    Error(u32),
    /// The call reads or writes at most this number of bytes.
    Short(u32),
}

/// An input of a path, with its concrete value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ConcreteInput {
    pub name: String,
    #[serde(default)]
    pub role: Role,
    /// Value, little endian.
    pub bytes: Vec<u8>,
    #[serde(default)]
    pub form: Form,
}

impl ConcreteInput {
    /// Returns the sort key of inputs, small and readable ones first: fewer inputs, then fewer
    /// non-zero bytes, then smaller ones.
    pub fn weight(inputs: &[ConcreteInput]) -> (usize, usize, Vec<Vec<u8>>) {
        let bytes: Vec<Vec<u8>> = inputs
            .iter()
            .map(|d| d.bytes.iter().rev().copied().collect())
            .collect();
        (
            inputs.len(),
            bytes.iter().flatten().filter(|b| **b != 0).count(),
            bytes,
        )
    }
}

/// Names of the inputs that a test of a property draws from the generator of its library.
pub mod draws {
    /// Mark, without bytes, of the beginning of a case.
    pub const CASE: &str = "case";
    /// Bytes that the runner's own generator gives.
    pub const DRAW: &str = "draw";
    /// Mark, without bytes, of a generator that is made from the runner's own.
    pub const SPLIT: &str = "split";
    /// Bytes that another generator gives.
    pub const OTHER: &str = "draw-of-another";
}

/// Presentation of an input that has the size of a number, as far as its type is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    #[default]
    Number,
    /// An array of bytes.
    Bytes,
    /// Number or bytes: memory on the heap has no type.
    Either,
}

/// A path on which the program came to its end, as a native run with these inputs would.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EndedPath {
    /// Number of the path, from 1, in order of completion.
    pub number: u64,
    /// Exit code: returned by the program or passed to `exit`.
    pub exit_code: u8,
    pub inputs: Vec<ConcreteInput>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Whether anything on the path depends on the numeric value of an address.
    pub address_dependent: bool,
    /// Whether it entered code that no path recorded before it did, if all paths are recorded.
    #[serde(default)]
    pub new_coverage: bool,
    /// All files in the working directory at the end.
    pub files: Vec<WrittenFile>,
}

/// A file at the end of a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WrittenFile {
    /// Path in the working directory.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// What a path takes for granted that asks the processor for its features.
pub const PLAIN_PROCESSOR: &str = "the processor has no optional features";

/// A fault of the program under test, with the trace and inputs that lead to it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    pub kind: FindingKind,
    /// Details: the panic's message as far as known, sizes and offsets of an access.
    pub message: String,
    /// Name given by the user's `check!`.
    pub check: Option<String>,
    /// Location of the fault; for a panic the one that the panic itself names.
    pub at: Option<SourceLoc>,
    pub trace: Vec<TraceFrame>,
    /// Location at which the object concerned was allocated.
    pub allocated_at: Option<SourceLoc>,
    /// What happened before that explains the fault, in the order in which it happened.
    #[serde(default)]
    pub earlier: Vec<Earlier>,
    pub inputs: Vec<ConcreteInput>,
    /// Bytes that the path wrote to standard output and error.
    pub output: Vec<u8>,
    /// Whether the path depends on the numeric value of an address.
    pub address_dependent: bool,
    /// What the path took for granted about the world outside.
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// Whether more than one thread ran on the path, so that a native run may take another order.
    #[serde(default)]
    pub threads: bool,
    /// Whether functions took the place of others on the path, which they do not natively.
    #[serde(default)]
    pub has_stubs: bool,
    /// Number of further paths with the same cause.
    pub repeats: u64,
}

impl Finding {
    /// Reports whether this one is easier to read than another one of the same cause.
    pub fn is_simpler_than(&self, other: &Finding) -> bool {
        let key = |finding: &Finding| {
            let weight = ConcreteInput::weight(&finding.inputs);
            (weight, finding.message.clone(), finding.output.clone())
        };
        key(self) < key(other)
    }

    /// Adds findings of the same cause, of which this becomes the one that is easiest to read.
    pub fn join(&mut self, other: Finding) {
        let repeats = self.repeats + other.repeats + 1;
        if other.is_simpler_than(self) {
            *self = other;
        }
        self.repeats = repeats;
    }
}

/// An event before a fault.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Earlier {
    pub event: EarlierEvent,
    pub at: SourceLoc,
    /// Message of a panic, as far as known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Kind of an event before a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EarlierEvent {
    /// The reference concerned was made.
    ReferenceMade,
    /// A read took from the reference what the fault's access needs.
    Read,
    /// A write did.
    Write,
    /// Another thread read the memory concerned.
    OtherThreadRead,
    /// Another thread wrote to it, made it, or ended it.
    OtherThreadWrote,
    /// Another thread began to wait there.
    OtherThreadWaits,
    /// A panic began that did not end the path by itself.
    Panic,
    /// Another thread panicked.
    OtherThreadPanicked,
    /// The object concerned was freed.
    Freed,
}

/// Reason why part of the exploration is missing.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "detail")]
pub enum Bound {
    Timeout,
    MaxPaths,
    /// The instructions of all paths together.
    MaxInstructions,
    /// The solver queries of all paths together.
    MaxQueries,
    MaxMemory,
    /// Paths over the step limit (also a `Hang` finding if it repeats natively).
    MaxSteps,
    Interrupted,
    /// The bound of a collection or allocation was reached: which one, and its value.
    Size(String),
    /// An assumption about the environment was made: about what, and which.
    Assumed(String),
    /// More than one thread ran on a path, and orders of their steps in which more than so many
    /// threads are preempted were left out.
    Preemptions(u32),
    /// The run stopped at the first bug, as asked.
    FirstBug,
    /// The run stopped because, after a bug, this number of paths brought nothing new.
    NothingNew(u64),
    /// Parts of the tree of paths that no worker of a cluster finished: their number.
    Lost(u64),
}

/// An operation the engine could not do. A path that meets one cannot count as passed.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "detail")]
pub enum Unsupported {
    /// Call of a function without body and without model.
    NoModel(String),
    /// Call of a function that exists as machine code only, with the file (or archive member) that
    /// has it.
    MachineCode {
        function: String,
        origin: String,
    },
    /// Call that the function's model does not cover.
    Model(String),
    InlineAsm(String),
    /// An unsupported instruction.
    Operation(String),
    /// The solver gave no answer.
    Solver(String),
    /// A pointer that could refer to more objects than could be followed.
    Resolution(String),
    /// A finding that must show in a native run but did not.
    Replay(String),
    /// A failure of the tool itself.
    Internal(String),
}

/// An item with its location and its number of occurrences.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Counted<T> {
    pub what: T,
    pub at: Option<SourceLoc>,
    pub count: u64,
}

/// Verdict on one harness.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "verdict")]
pub enum Verdict {
    /// A fault was found. The rest of the exploration may have been bounded, or have met
    /// unsupported operations.
    Bug {
        unsupported: Vec<Counted<Unsupported>>,
        bounds: Vec<Counted<Bound>>,
    },
    /// All paths were explored to their end.
    PassComplete,
    PassBounded {
        bounds: Vec<Counted<Bound>>,
    },
    Inconclusive {
        unsupported: Vec<Counted<Unsupported>>,
        bounds: Vec<Counted<Bound>>,
    },
    /// Nothing was tested: the reason, and the bounds that were reached.
    Vacuous {
        why: String,
        bounds: Vec<Counted<Bound>>,
    },
}

impl Bound {
    /// Reports whether reaching it ends the exploration, so that it is counted in the paths that
    /// were explored until then.
    pub fn ends_run(&self) -> bool {
        match self {
            Bound::Timeout
            | Bound::MaxPaths
            | Bound::MaxInstructions
            | Bound::MaxQueries
            | Bound::MaxMemory
            | Bound::Interrupted
            | Bound::FirstBug
            | Bound::NothingNew(_)
            | Bound::Lost(_) => true,
            Bound::MaxSteps | Bound::Size(_) | Bound::Assumed(_) | Bound::Preemptions(_) => false,
        }
    }

    /// Reports whether the exploration ended for want of time or of something else, and could go on
    /// if it had more.
    pub fn is_for_want(&self) -> bool {
        self.ends_run() && !matches!(self, Bound::FirstBug | Bound::NothingNew(_))
    }
}

impl Verdict {
    /// Returns the unsupported operations, whatever the verdict.
    pub fn unsupported(&self) -> &[Counted<Unsupported>] {
        match self {
            Verdict::Bug { unsupported, .. } | Verdict::Inconclusive { unsupported, .. } => {
                unsupported
            }
            Verdict::PassComplete | Verdict::PassBounded { .. } | Verdict::Vacuous { .. } => &[],
        }
    }

    /// Returns the bounds that were reached, whatever the verdict.
    pub fn bounds(&self) -> &[Counted<Bound>] {
        match self {
            Verdict::Bug { bounds, .. }
            | Verdict::PassBounded { bounds }
            | Verdict::Inconclusive { bounds, .. }
            | Verdict::Vacuous { bounds, .. } => bounds,
            Verdict::PassComplete => &[],
        }
    }

    /// Reports whether a path ended at a function that exists as machine code only.
    pub fn meets_machine_code(&self) -> bool {
        let is_machine_code = |unsupported: &Counted<Unsupported>| {
            matches!(unsupported.what, Unsupported::MachineCode { .. })
        };
        self.unsupported().iter().any(is_machine_code)
    }
}

/// Result of one harness.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Findings without duplicates, smallest inputs first.
    pub findings: Vec<Finding>,
    /// Names of the `cover!` points, and whether each was reached.
    pub covers: Vec<(String, bool)>,
    pub stats: Stats,
    /// The tree of decisions, if it was recorded and paths were not merged.
    #[serde(default)]
    pub decisions: Option<decision_tree::DecisionTree>,
    /// What of the program was run.
    pub marks: coverage::Marks,
}
