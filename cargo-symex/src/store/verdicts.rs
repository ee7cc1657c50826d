//! Stored outcomes of harnesses.
//!
//! An outcome is kept if it is reproducible: verdicts after all paths, bounds that are counted,
//! operations that the engine does not support. An outcome that depends on the clock or the machine
//! is not kept: limits on time and memory, interrupts, queries without an answer if they change
//! more than the order of paths, errors of the tool. The size of a finding's inputs does depend on
//! the clock; findings are kept nevertheless, because they are correct in any case, and so they
//! stay the same from run to run.
//!
//! An outcome that depends on the placement of objects in memory is kept under a key over the whole
//! program; the entry under the narrower key then only refers to that.
//!
//! The hashes of code that keys are computed from are kept, too: to compute such a hash the whole
//! program has to be decoded, and a run that finds all verdicts does not need the program.

use super::key::{Keys, Scope};
use super::{Hash, Store};
use symex_types::outcome::{Bound, Outcome, Unsupported};

/// Maximal size of an outcome that is kept, in bytes.
const MOST_BYTES: usize = 4 << 20;

/// Value that refers to the key over the whole program.
const ELSEWHERE: &[u8] = b"";

/// Returns the stored outcome of a subject.
pub fn get(store: &Store, keys: &Keys) -> Option<Outcome> {
    let mut used = Vec::new();
    let mut value_of = |key: &Hash| {
        let found = store.verdict(key)?;
        if found.stale {
            used.push(*key);
        }
        Some(found.value)
    };
    let mut value = match &keys.reached {
        Some(key) => value_of(key)?,
        None => ELSEWHERE.to_vec(),
    };
    if value == ELSEWHERE {
        value = value_of(&keys.whole()?)?;
    }
    store.touch_verdicts(&used);
    serde_json::from_slice(&value).ok()
}

/// Stores an outcome, if it is reproducible.
pub fn put(store: &Store, keys: &Keys, outcome: &Outcome) {
    if !is_lasting(outcome) {
        return;
    }
    // JSON, not postcard as for programs: serde writes this type as a map whose length is not known
    // in advance.
    let Ok(value) = serde_json::to_vec(outcome) else {
        return;
    };
    if value.len() > MOST_BYTES {
        return;
    }
    let values = match keys.reached {
        Some(key) if outcome.stats.by_address == 0 => vec![(key, value)],
        narrow => {
            let Some(whole) = keys.whole() else {
                return;
            };
            let narrow = narrow.map(|key| (key, ELSEWHERE.to_vec()));
            narrow.into_iter().chain([(whole, value)]).collect()
        }
    };
    store.put_verdicts(&values);
}

/// Returns the stored hash of a harness's code in a program, by the program's id and the symbol of
/// the harness's entry.
pub fn reached(store: &Store, harness: (&str, &str), scope: Scope) -> Option<Hash> {
    let key = key_of_hash(store, harness, scope);
    let found = store.verdict(&key)?;
    if found.stale {
        store.touch_verdicts(&[key]);
    }
    found.value.try_into().ok()
}

/// Stores the hash of a harness's code.
pub fn put_reached(store: &Store, harness: (&str, &str), scope: Scope, hash: &Hash) {
    let key = key_of_hash(store, harness, scope);
    store.put_verdicts(&[(key, hash.to_vec())]);
}

fn key_of_hash(store: &Store, (program, entry): (&str, &str), scope: Scope) -> Hash {
    let mut hasher = blake3::Hasher::new_derive_key("cargo symex: hash of a harness's code");
    hasher.update(store.tool());
    for text in [program, entry, scope.name()] {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    *hasher.finalize().as_bytes()
}

/// Reports whether the outcome is reproducible: whether the same subject with the same settings
/// gives it again, at any time and on any machine.
fn is_lasting(outcome: &Outcome) -> bool {
    // A query without answer changes the order of paths, or how a pointer is resolved.
    let in_order = outcome.stats.unanswered == 0;
    let lasting_unsupported = |unsupported: &Unsupported| match unsupported {
        Unsupported::NoModel(_)
        | Unsupported::MachineCode { .. }
        | Unsupported::Model(_)
        | Unsupported::InlineAsm(_)
        | Unsupported::Operation(_) => true,
        Unsupported::Resolution(_) => in_order,
        Unsupported::Solver(_) | Unsupported::Replay(_) | Unsupported::Internal(_) => false,
    };
    let lasting_bound = |bound: &Bound| match bound {
        Bound::MaxSteps | Bound::Size(_) | Bound::Assumed(_) | Bound::Preemptions(_) => true,
        // Which paths came first?
        Bound::MaxPaths
        | Bound::MaxInstructions
        | Bound::MaxQueries
        | Bound::FirstBug
        | Bound::NothingNew(_) => in_order,
        Bound::Timeout | Bound::MaxMemory | Bound::Interrupted | Bound::Lost(_) => false,
    };
    let verdict = &outcome.verdict;
    let mut unsupported = verdict.unsupported().iter();
    let mut bounds = verdict.bounds().iter();
    unsupported.all(|one| lasting_unsupported(&one.what))
        && bounds.all(|one| lasting_bound(&one.what))
}

#[cfg(test)]
#[path = "verdicts_tests.rs"]
mod tests;
