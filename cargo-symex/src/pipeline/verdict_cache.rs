//! Cache of earlier runs' verdicts, for the harnesses of this run.
//!
//! All entries are looked up before the first harness is explored, so that results of one harness
//! do not influence another of the same run: the report is the same whatever order they end in.

use super::discover::{LoadedHarness, SharedCode};
use super::error::CommandError;
use super::remainder::Unfinished;
use super::roles;
use crate::harness::HarnessKind;
use crate::store::{Answers, Fingerprints, Hash, Keys, Reached, Scope, Store, Subject, verdicts};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use symex_solver::AnswerStore;
use symex_types::config::Config;
use symex_types::outcome::Outcome;

/// Folder of the store in the tool's target directory.
const FOLDER: &str = "verdicts";

/// The store of a run's verdicts; by default there is no store, and nothing is read or written.
#[derive(Default)]
pub struct VerdictCache {
    store: Option<Arc<Store>>,
    target_dir: PathBuf,
    programs: Vec<Arc<Prints>>,
}

struct CachedVerdict {
    /// Whether queries are logged. Then the harness is explored even if its verdict is known.
    logged: bool,
    /// Keys of the verdict; `None` if the verdict is not to be kept.
    keys: Option<Keys>,
    outcome: Option<Outcome>,
}

/// The cached data of one harness; by default empty, and nothing is kept.
#[derive(Default)]
pub struct CacheEntry {
    store: Option<Arc<Store>>,
    known: Option<CachedVerdict>,
    pub(super) unfinished: Unfinished,
}

impl VerdictCache {
    /// Opens the cache in a target directory of this tool.
    pub fn open(target_dir: &Path) -> Result<Self, CommandError> {
        let store = Store::open(&target_dir.join(FOLDER), &roles::executable()?);
        Ok(VerdictCache {
            store: Some(Arc::new(store)),
            target_dir: target_dir.to_owned(),
            programs: Vec::new(),
        })
    }

    /// Looks up a harness with its settings. `resume`: whether to go on from what an earlier run
    /// has left, whatever the limits are.
    pub fn look_up(&mut self, found: &LoadedHarness, config: &Config, resume: bool) -> CacheEntry {
        let Some(store) = &self.store else {
            return CacheEntry::default();
        };
        let subject = Subject {
            harness: &found.harness.name,
            should_panic: found.harness.should_panic.as_deref(),
            config,
            tool: store.tool(),
        };
        let reach = ReachedCode {
            harness: found.clone(),
            prints: prints(&mut self.programs, &found.code),
            store: store.clone(),
        };
        let unlimited = Keys::of_remainder(&subject, Box::new(reach.clone()));
        let unfinished = Unfinished::of(&self.target_dir, unlimited, resume);
        let keys = Keys::of(&subject, Box::new(reach));
        let logged = config.solver.is_logged();
        let readable = keys.as_ref().filter(|_| !logged);
        let outcome = readable.and_then(|keys| verdicts::get(store, keys));
        CacheEntry {
            store: Some(store.clone()),
            known: Some(CachedVerdict {
                logged,
                keys,
                outcome,
            }),
            unfinished,
        }
    }

    /// Returns, once, a warning about problems with the store.
    pub fn warning(&self) -> Option<String> {
        self.store.as_ref()?.warning()
    }
}

/// The fingerprints of a program, which its harnesses share; computed on first use.
struct Prints {
    code: Arc<SharedCode>,
    made: OnceLock<Mutex<Fingerprints>>,
}

fn prints(programs: &mut Vec<Arc<Prints>>, code: &Arc<SharedCode>) -> Arc<Prints> {
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

/// The code that one harness reaches. A program is decoded and hashed once; then the hashes are
/// kept beside the verdicts.
#[derive(Clone)]
struct ReachedCode {
    harness: LoadedHarness,
    prints: Arc<Prints>,
    store: Arc<Store>,
}

impl Reached for ReachedCode {
    fn hash(&self, scope: Scope) -> Option<Hash> {
        let id = (self.harness.code.id(), self.harness.symbol());
        if let Some(known) = verdicts::reached(&self.store, id, scope) {
            return Some(known);
        }
        // An error here is dropped: it is reported when the program is needed.
        let (program, entry) = self.harness.entry().ok()?;
        let prints = self
            .prints
            .made
            .get_or_init(|| Mutex::new(Fingerprints::new(program)));
        let hash = {
            let mut prints = prints.lock().unwrap_or_else(PoisonError::into_inner);
            match (scope, self.harness.harness.kind) {
                // What is called before a fuzz target is in the program as well.
                (Scope::Whole, _) | (_, HarnessKind::FuzzTarget) => prints.whole(entry),
                (Scope::Reached, _) => prints.reached(entry),
            }
        };
        verdicts::put_reached(&self.store, id, scope, &hash);
        Some(hash)
    }
}

impl CacheEntry {
    /// Reports whether an earlier run has explored the harness.
    pub fn is_known(&self) -> bool {
        let known = self.known.as_ref();
        known.is_some_and(|known| known.outcome.is_some())
    }

    /// Returns the outcome of an earlier run.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.known.as_ref()?.outcome.clone()
    }

    /// Returns answers of earlier runs to queries.
    pub(super) fn answers(&self) -> Option<Box<dyn AnswerStore>> {
        let (store, known) = (self.store.as_ref()?, self.known.as_ref()?);
        (!known.logged).then(|| Box::new(Answers::new(store.clone())) as Box<dyn AnswerStore>)
    }

    /// Keeps the outcome of this run for later ones.
    pub(super) fn keep(&self, outcome: &Outcome) {
        if let Some(store) = &self.store
            && let Some(CachedVerdict {
                keys: Some(keys), ..
            }) = &self.known
        {
            verdicts::put(store, keys, outcome);
        }
    }
}
