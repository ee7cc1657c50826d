//! What earlier runs found, for the harnesses of this one.
//!
//! All is looked up before the first harness is explored, so that what one of them leaves behind does not reach another
//! of the same run: the report is the same whatever order they end in.

use super::discover::{Code, Loaded};
use super::error::CliError;
use super::output;
use crate::store::{Answers, Fingerprints, Hash, Keys, Reached, Scope, Store, Subject, verdicts};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use symex_solver::AnswerStore;
use symex_types::config::Config;
use symex_types::outcome::Outcome;

/// Folder of the store in the tool's target directory.
const FOLDER: &str = "verdicts";

/// The store, and what it has on each harness of a run, by number.
pub struct Remembered {
    store: Option<Arc<Store>>,
    harnesses: Vec<Known>,
}

struct Known {
    /// Are the queries to be seen? Then they are asked, whatever is known.
    logged: bool,
    /// `None`: not to be remembered.
    keys: Option<Keys>,
    outcome: Option<Outcome>,
}

/// What a run's [`Remembered`] has on one harness.
#[derive(Clone, Copy)]
pub struct Memory<'a> {
    store: Option<&'a Arc<Store>>,
    known: Option<&'a Known>,
}

impl Remembered {
    /// For runs that neither read nor write.
    pub fn nothing() -> Self {
        Remembered {
            store: None,
            harnesses: Vec::new(),
        }
    }

    /// Looks harnesses up with their settings.
    pub fn look_up(found: &[Loaded], configs: &[Config]) -> Result<Self, CliError> {
        let Some(first) = found.first() else {
            return Ok(Self::nothing());
        };
        let folder = first.target.target_dir().join(FOLDER);
        let store = Arc::new(Store::open(&folder, &super::executable()?));
        let mut programs: Vec<Arc<Prints>> = Vec::new();
        let harnesses = found.iter().zip(configs);
        let harnesses = harnesses.map(|(found, config)| {
            let subject = Subject {
                harness: &found.harness.name,
                should_panic: found.harness.should_panic.as_deref(),
                config,
                tool: store.tool(),
            };
            let reach = Reach {
                harness: found.clone(),
                prints: prints(&mut programs, &found.code),
                store: store.clone(),
            };
            let keys = Keys::of(&subject, Box::new(reach));
            let logged = config.solver.query_log.is_some() || config.solver.smtlib_log.is_some();
            let readable = keys.as_ref().filter(|_| !logged);
            let outcome = readable.and_then(|keys| verdicts::get(&store, keys));
            Known {
                logged,
                keys,
                outcome,
            }
        });
        Ok(Remembered {
            harnesses: harnesses.collect(),
            store: Some(store),
        })
    }

    /// The memory of a harness by its number.
    pub fn of(&self, number: usize) -> Memory<'_> {
        Memory {
            store: self.store.as_ref(),
            known: self.harnesses.get(number),
        }
    }

    /// Tells the user, once, what is wrong with the store.
    pub fn warn(&self) {
        if let Some(warning) = self.store.as_ref().and_then(|store| store.warning()) {
            output::warning(&warning);
        }
    }
}

/// The fingerprints of a program, which its harnesses share; made when the first is asked for.
struct Prints {
    code: Arc<Code>,
    made: OnceLock<Mutex<Fingerprints>>,
}

fn prints(programs: &mut Vec<Arc<Prints>>, code: &Arc<Code>) -> Arc<Prints> {
    if let Some(known) = programs.iter().find(|known| Arc::ptr_eq(&known.code, code)) {
        return known.clone();
    }
    let new = Arc::new(Prints {
        code: code.clone(),
        made: OnceLock::new(),
    });
    programs.push(new.clone());
    new
}

/// What one harness reaches. A program is decoded and hashed once; then the hashes are kept beside the verdicts.
struct Reach {
    harness: Loaded,
    prints: Arc<Prints>,
    store: Arc<Store>,
}

impl Reached for Reach {
    fn hash(&self, scope: Scope) -> Option<Hash> {
        let id = (self.harness.code.id(), self.harness.symbol());
        if let Some(known) = verdicts::reached(&self.store, id, scope) {
            return Some(known);
        }
        // Whoever needs the program hears of it if there is none.
        let (program, entry) = self.harness.entry().ok()?;
        let prints = self
            .prints
            .made
            .get_or_init(|| Mutex::new(Fingerprints::new(program)));
        let hash = {
            let mut prints = prints.lock().unwrap_or_else(PoisonError::into_inner);
            match scope {
                Scope::Reached => prints.reached(entry),
                Scope::Whole => prints.whole(entry),
            }
        };
        verdicts::put_reached(&self.store, id, scope, &hash);
        Some(hash)
    }
}

impl Memory<'_> {
    /// Did an earlier run find something?
    pub fn is_known(&self) -> bool {
        self.known.is_some_and(|known| known.outcome.is_some())
    }

    /// What an earlier run found.
    pub fn outcome(&self) -> Option<Outcome> {
        self.known?.outcome.clone()
    }

    /// Answers of earlier runs to queries.
    pub fn answers(&self) -> Option<Box<dyn AnswerStore>> {
        let (store, known) = (self.store?, self.known?);
        (!known.logged).then(|| Box::new(Answers::new(store.clone())) as Box<dyn AnswerStore>)
    }

    /// Keeps what this run found for later ones.
    pub fn keep(&self, outcome: &Outcome) {
        if let Some(store) = self.store
            && let Some(Known {
                keys: Some(keys), ..
            }) = self.known
        {
            verdicts::put(store, keys, outcome);
        }
    }
}
