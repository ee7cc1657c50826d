//! Why a path ends, what is a finding, and the verdict over all paths. Plain data, no behaviour of
//! the engine.

pub mod frame_owner;
pub mod sample;
pub mod stats;

pub use stats::Stats;

use serde::{Deserialize, Serialize};

/// What went wrong in the program under test.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// A Rust panic that nothing caught.
    Panic,
    /// The program ended itself abnormally (`abort`, a panic that must not unwind).
    Abort,
    /// `exit` with a code other than 0.
    ExitCode,
    OutOfBounds,
    UseAfterFree,
    DoubleFree,
    InvalidFree,
    NullAccess,
    /// Access through a pointer that is no object's.
    InvalidAccess,
    ReadOnlyWrite,
    Misaligned,
    UninitUse,
    UnreachableReached,
    DivisionByZero,
    ShiftTooFar,
    /// A number does not fit its type, where the language forbids that and checks it (C; Rust
    /// panics).
    ArithmeticOverflow,
    /// A condition the compiler was promised does not hold (`assert_unchecked`, LLVM's assume).
    InvalidAssume,
    /// Call through a pointer that is no function's, or with the wrong number of arguments.
    InvalidCall,
    StackOverflow,
    Leak,
    /// The step limit of a path was reached.
    Hang,
    /// A C check of clang's undefined behaviour sanitizer.
    Undefined,
}

impl FindingKind {
    /// One line for people.
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
        }
    }

    /// May a native run show nothing although the finding is right?
    pub fn may_be_silent(self) -> bool {
        use FindingKind::*;
        // Overflow is seen by checks that are compiled into the program.
        !matches!(
            self,
            Panic | Abort | ExitCode | Hang | StackOverflow | ArithmeticOverflow
        )
    }
}

/// A place in source.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct SourceLoc {
    /// File as the compiler named it: absolute, or relative to the package.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column from 1; 0 is unknown.
    pub column: u32,
}

impl SourceLoc {
    /// The place in a file, with line and column from 1.
    pub fn new(file: impl Into<String>, line: u32, column: u32) -> Self {
        SourceLoc {
            file: file.into(),
            line,
            column,
        }
    }
}

/// A (possibly inlined) call on the way to a place; traces have the innermost first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceFrame {
    /// Demangled.
    pub function: String,
    pub at: Option<SourceLoc>,
}

/// What an input is to the program, and so how a native run is given it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Role {
    /// The program asks for it itself, by a hook: an object made symbolic, a value drawn.
    #[default]
    Program,
    /// An argument of the command line, up to its first byte that is zero. The first after the
    /// program's name is 1.
    Argument { number: u32 },
    /// What standard input holds, all of it.
    Stdin,
    /// The contents of a file, by its name in the working directory.
    File { name: String },
    /// The value of a variable of the environment, up to its first byte that is zero.
    Variable { name: String },
    /// No value, but a call of the system that was taken to do less than it could. Calls are
    /// counted from 1: those on a descriptor of that number, others altogether.
    Failure {
        call: String,
        descriptor: Option<u32>,
        number: u32,
        how: Failure,
    },
}

/// A way in which a system call does less than it could.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// It fails with this number of an error.
    Error(u32),
    /// It reads or writes no more than this number of bytes.
    Short(u32),
}

/// An input of a path, with its concrete value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Input {
    pub name: String,
    #[serde(default)]
    pub role: Role,
    /// Little endian.
    pub bytes: Vec<u8>,
    #[serde(default)]
    pub form: Form,
}

/// What an input of the size of a number is, as far as is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    #[default]
    Number,
    /// An array of bytes.
    Bytes,
    /// Either of them: what lies on the heap has no type.
    Either,
}

/// A path on which the program came to its end, as a run with these inputs would.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EndedPath {
    /// Number of the path from 1, in the order in which they ended.
    pub number: u64,
    /// What the program returned, or called `exit` with.
    pub exit_code: u8,
    pub inputs: Vec<Input>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Does anything on the path rest on the numeric value of an address?
    pub address_dependent: bool,
    /// All that is in the working directory at the end.
    pub files: Vec<WrittenFile>,
}

/// A file at the end of a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WrittenFile {
    /// Its path in the working directory.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A fault of the program under test with what leads there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    pub kind: FindingKind,
    /// Details: the panic's message as far as known, sizes and offsets of an access.
    pub message: String,
    /// Name given by `check!`.
    pub check: Option<String>,
    /// Where; for a panic the place that the panic itself names.
    pub at: Option<SourceLoc>,
    pub trace: Vec<TraceFrame>,
    /// Where the object concerned was allocated.
    pub allocated_at: Option<SourceLoc>,
    pub inputs: Vec<Input>,
    /// What the path wrote to standard output and error.
    pub output: Vec<u8>,
    /// Did the path depend on the numeric value of an address?
    pub address_dependent: bool,
    /// Number of further paths with the same cause.
    pub repeats: u64,
}

/// Why part of the exploration is missing.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "detail")]
pub enum Bound {
    Timeout,
    MaxPaths,
    MaxMemory,
    /// Paths over the step limit (also a `Hang` finding if it repeats natively).
    MaxSteps,
    Interrupted,
    /// Bound of a collection or allocation was reached: what and how much.
    Size(String),
    /// Something outside of the program was taken to be in one certain way: what, and how.
    Assumed(String),
    /// Stopped at the first bug, as asked.
    FirstBug,
    /// A bug had been found, and this number of paths brought nothing new after it.
    NothingNew(u64),
}

/// Something the engine could not do, which makes a pass meaningless there.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "detail")]
pub enum Unsupported {
    /// Function without body and without model.
    NoModel(String),
    /// Function of which there is machine code only, and the file (or member of an archive) that
    /// has it.
    MachineCode {
        function: String,
        origin: String,
    },
    /// A model that does not cover the call.
    Model(String),
    InlineAsm(String),
    /// An instruction.
    Operation(String),
    /// The solver gave no answer.
    Solver(String),
    /// A pointer could refer to more objects than could be followed up.
    Resolution(String),
    /// A finding that must show in a native run did not.
    Replay(String),
    /// The tool failed.
    Internal(String),
}

/// Something with where and how often.
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
    /// A fault was found; the rest of the exploration may have been bounded, or have met what is
    /// not supported.
    Bug {
        unsupported: Vec<Counted<Unsupported>>,
        bounds: Vec<Counted<Bound>>,
    },
    /// All paths were followed to their end.
    PassComplete,
    PassBounded {
        bounds: Vec<Counted<Bound>>,
    },
    Inconclusive {
        unsupported: Vec<Counted<Unsupported>>,
        bounds: Vec<Counted<Bound>>,
    },
    /// Nothing was tested: why, and within which bounds.
    Vacuous {
        why: String,
        bounds: Vec<Counted<Bound>>,
    },
}

impl Verdict {
    /// What could not be done, whatever the verdict.
    pub fn unsupported(&self) -> &[Counted<Unsupported>] {
        match self {
            Verdict::Bug { unsupported, .. } | Verdict::Inconclusive { unsupported, .. } => {
                unsupported
            }
            Verdict::PassComplete | Verdict::PassBounded { .. } | Verdict::Vacuous { .. } => &[],
        }
    }

    /// What was left out on request, whatever the verdict.
    pub fn bounds(&self) -> &[Counted<Bound>] {
        match self {
            Verdict::Bug { bounds, .. }
            | Verdict::PassBounded { bounds }
            | Verdict::Inconclusive { bounds, .. }
            | Verdict::Vacuous { bounds, .. } => bounds,
            Verdict::PassComplete => &[],
        }
    }

    /// Did a path end at a function of which there is machine code only?
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
    /// Deduplicated, smallest inputs first.
    pub findings: Vec<Finding>,
    /// Names of `cover!` points and whether each was met.
    pub covers: Vec<(String, bool)>,
    pub stats: Stats,
}
