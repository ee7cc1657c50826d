//! Keys of verdicts: hashes over everything that an outcome depends on.

use super::Hash;
use symex_types::config::Config;

/// Format version, raised when a key is computed differently, or its value is encoded differently.
const FORMAT: u32 = 1;

/// The harness to explore, and how to explore it.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// Name of the harness.
    pub harness: &'a str,
    /// Whether a panic is expected; the text must occur in its message.
    pub should_panic: Option<&'a str>,
    pub config: &'a Config,
    /// The build of this tool that explores the harness.
    pub tool: &'a Hash,
}

/// The part of a program that a hash covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Everything that a harness reaches.
    Reached,
    /// The whole program, with the harness's entry.
    Whole,
}

impl Scope {
    /// Returns the text that distinguishes the scopes in keys.
    pub(super) fn name(self) -> &'static str {
        match self {
            Scope::Reached => "reached",
            Scope::Whole => "whole",
        }
    }
}

/// Hashes of the code of one harness.
pub trait Reached: Send + Sync {
    /// Returns the hash for this scope; `None` if there is no code.
    fn hash(&self, scope: Scope) -> Option<Hash>;
}

/// The keys under which the outcome of a subject may be stored.
pub struct Keys {
    settings: Hash,
    code: Box<dyn Reached>,
    /// Key over what the harness reaches. `None` if other parts of the program matter with these
    /// settings.
    pub reached: Option<Hash>,
}

impl Keys {
    /// Computes the keys of a subject with this code. `None` if its settings cannot be serialised,
    /// or if there is no code, so that nothing can be cached.
    pub fn of(subject: &Subject<'_>, code: Box<dyn Reached>) -> Option<Self> {
        let mut keys = Keys {
            settings: settings(subject)?,
            code,
            reached: None,
        };
        if !subject.config.memory.model.looks_at_all() {
            keys.reached = Some(keys.over(Scope::Reached)?);
        }
        Some(keys)
    }

    /// Computes the keys under which is stored what an exploration of a subject has left: those of
    /// a verdict, but for the limits that end a run.
    pub fn of_remainder(subject: &Subject<'_>, code: Box<dyn Reached>) -> Option<Self> {
        let mut config = subject.config.clone();
        let limits = &mut config.limits;
        limits.timeout = None;
        limits.max_paths = None;
        limits.max_instructions = None;
        limits.max_queries = None;
        limits.max_memory = None;
        let unlimited = Subject {
            config: &config,
            ..subject.clone()
        };
        Self::of(&unlimited, code)
    }

    /// Returns the key over the whole program, for outcomes that depend on the placement of objects
    /// in memory, or on all existing objects. It is computed on demand.
    pub fn whole(&self) -> Option<Hash> {
        self.over(Scope::Whole)
    }

    fn over(&self, scope: Scope) -> Option<Hash> {
        let code = self.code.hash(scope)?;
        let mut hasher = blake3::Hasher::new_keyed(&self.settings);
        hasher.update(&code).update(scope.name().as_bytes());
        Some(*hasher.finalize().as_bytes())
    }
}

/// Returns the hash of everything except the program.
fn settings(subject: &Subject<'_>) -> Option<Hash> {
    let mut config = subject.config.clone();
    // Where queries are written does not change the answers, nor does when something is kept, or
    // the tree of decisions.
    config.solver.query_log = None;
    config.solver.smtlib_log = None;
    config.experiment.keep_every = None;
    config.record_tree = false;
    let settings = (subject.harness, subject.should_panic, &config);
    let settings = serde_json::to_vec(&settings).ok()?;
    let mut hasher = blake3::Hasher::new_derive_key("cargo symex: key of a verdict");
    hasher.update(&FORMAT.to_le_bytes());
    hasher.update(subject.tool);
    hasher.update(&settings);
    Some(*hasher.finalize().as_bytes())
}
