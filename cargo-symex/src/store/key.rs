//! Keys of verdicts: everything that an outcome comes of.

use super::Hash;
use symex_types::config::Config;

/// Raised when a key says something else, or the same key's value is read otherwise.
const FORMAT: u32 = 1;

/// What is explored, and how.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// Name of the harness.
    pub harness: &'a str,
    /// A panic is wanted, with this in its message.
    pub should_panic: Option<&'a str>,
    pub config: &'a Config,
    /// Which build of this tool explores.
    pub tool: &'a Hash,
}

/// How much of a program a hash is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// What a harness reaches.
    Reached,
    /// All of it, with the harness's entry.
    Whole,
}

impl Scope {
    /// What tells the scopes apart in keys.
    pub(super) fn name(self) -> &'static str {
        match self {
            Scope::Reached => "reached",
            Scope::Whole => "whole",
        }
    }
}

/// Hashes of the code of one harness.
pub trait Reached: Send + Sync {
    /// The hash over this much; `None` if there is no code.
    fn hash(&self, scope: Scope) -> Option<Hash>;
}

/// The keys under which the outcome of one subject may be.
pub struct Keys {
    settings: Hash,
    code: Box<dyn Reached>,
    /// Over what the harness reaches. `None`: with these settings, that is not all that matters.
    pub reached: Option<Hash>,
}

impl Keys {
    /// The keys of a subject with this code. `None`: its settings cannot be written down, or there
    /// is no code, so that nothing is known of it.
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

    /// Over all of the program: for what depends on where objects lie in memory, or on all objects
    /// there are. Worked out when it is asked for.
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

/// All but the program.
fn settings(subject: &Subject<'_>) -> Option<Hash> {
    let mut config = subject.config.clone();
    // Where queries are written does not change the answers.
    config.solver.query_log = None;
    config.solver.smtlib_log = None;
    let settings = (subject.harness, subject.should_panic, &config);
    let settings = serde_json::to_vec(&settings).ok()?;
    let mut hasher = blake3::Hasher::new_derive_key("cargo symex: key of a verdict");
    hasher.update(&FORMAT.to_le_bytes());
    hasher.update(subject.tool);
    hasher.update(&settings);
    Some(*hasher.finalize().as_bytes())
}
