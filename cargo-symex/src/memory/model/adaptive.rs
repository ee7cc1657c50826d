//! Ours: merge or fork, whichever is cheaper for this access; an answer to what [RAM 6] leaves open, when to do which.
//!
//! Forking costs a path per candidate, and each of them makes all that follows again: the next access through such a
//! pointer multiplies. Merging costs terms: one choice a candidate for what is read or written, an array a candidate
//! where the offset is an input, and a solver that must look at all of them at once. So it is merged unless there is
//! more to look at than the solver can take in.
//!
//! What the thresholds rest on: `examples/memory_bench.rs`, question `sweep`. Seconds of processor time for programs that
//! make so many accesses, each through another pointer, by forking and by merging; objects of 8 bytes unless a size is
//! given. `>`: not done when time was up. `?`: a query went unanswered.
//!
//! | access | objects | forking | merging | |
//! |---|---|---|---|---|
//! | load, known offset | 32 | 0.001 | 0.001 | |
//! | | 512 | 0.048 | 0.011 | |
//! | | 2048 | 0.578 | 0.190 | merged always |
//! | the same, 4 accesses | 8 | 0.051 | 0.014 | |
//! | | 128 | > | 0.326 | |
//! | load, symbolic offset | 512 | 0.070 | 0.029 | `LOADED_CANDIDATES` |
//! | | 1024 of 16 bytes | 0.258 | ? 0.39 | |
//! | | 128 of 256 bytes | 0.044 | 0.044 | `LOADED_BYTES` |
//! | | 512 of 256 bytes | 0.233 | ? 10.1 | |
//! | | 8 of 4096 bytes | 0.045 | 0.045 | `LOADED_BYTES` |
//! | | 32 of 4096 bytes | 0.202 | ? 10.3 | |
//! | the same, contents inputs | 8 | 0.069 | 0.007 | |
//! | | 32 of 256 bytes | 0.318 | 0.155 | |
//! | the same, 4 accesses | 8 | > | 0.014 | |
//! | store, known offset | 128 | 0.009 | 0.004 | `STORED_CANDIDATES` |
//! | | 512 | 0.085 | 0.271 | |
//! | | 2048 | > | ? 1.36 | |
//! | the same, 4 accesses | 8 | 0.060 | 0.001 | |
//! | | 512 | > | 0.393 | `STORED_CANDIDATES_AGAIN` |
//! | | 2048 | > | ? 1.38 | |
//! | store, symbolic offset | 128 | 0.018 | 0.008 | `STORED_BYTES` |
//! | | 512 | 0.298 | 0.320 | |
//! | | 8 of 256 bytes | 0.001 | 0.003 | |
//! | | 32 of 256 bytes | 0.004 | 0.009 | |
//! | | 8 of 4096 bytes | 0.006 | 0.048 | |
//! | the same, 4 accesses | 2 | 0.003 | 0.043 | |
//! | | 8 | > | 0.244 | `STORED_BYTES_AGAIN` |
//! | the same, contents inputs | 8 | > | 0.050 | |
//!
//! Whether the contents are constants or inputs moves both sides alike and is not looked at.

use super::{MemoryModel, Plan, Request, Use};

/// Most bytes that a merged load at symbolic offsets may reach in all candidates.
const LOADED_BYTES: u64 = 32 << 10;

/// Most candidates of such a load.
const LOADED_CANDIDATES: usize = 512;

/// Most candidates of a merged store at a known offset.
const STORED_CANDIDATES: usize = 256;

/// The same on a path that was split by a pointer before: another split multiplies.
const STORED_CANDIDATES_AGAIN: usize = 512;

/// Most bytes that a merged store at symbolic offsets may reach in all candidates.
const STORED_BYTES: u64 = 1 << 10;

/// The same on a path that was split by a pointer before.
const STORED_BYTES_AGAIN: u64 = 4 << 10;

pub(super) struct Adaptive;

impl MemoryModel for Adaptive {
    fn plan(&mut self, request: &Request<'_>) -> Plan {
        let candidates = request.candidates.len();
        let again = request.split_before;
        let merge = match (request.purpose, request.symbolic_offset) {
            (Use::Load(_), false) => true,
            (Use::Load(_), true) => {
                candidates <= LOADED_CANDIDATES && request.reach <= LOADED_BYTES
            }
            (Use::Store(_), false) if again => candidates <= STORED_CANDIDATES_AGAIN,
            (Use::Store(_), false) => candidates <= STORED_CANDIDATES,
            (Use::Store(_), true) if again => request.reach <= STORED_BYTES_AGAIN,
            (Use::Store(_), true) => request.reach <= STORED_BYTES,
            (Use::Other, _) => false,
        };
        if merge { Plan::Merge } else { Plan::Fork }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{ObjectId, Pool};
    use crate::memory::model::Candidate;

    fn plan(purpose: Use, many: u32, size: u64, symbolic_offset: bool, split_before: bool) -> Plan {
        let guard = Pool::new().bool(true);
        let candidates: Vec<Candidate> = (1..=many)
            .map(|i| Candidate {
                object: Some(ObjectId(i)),
                guard,
            })
            .collect();
        Adaptive.plan(&Request {
            purpose,
            candidates: &candidates,
            symbolic_offset,
            reach: u64::from(many) * size,
            split_before,
        })
    }

    #[test]
    fn little_is_merged_and_much_is_forked() {
        let (load, store) = (Use::Load(1), Use::Store(1));
        assert_eq!(plan(load, 2048, 4096, false, false), Plan::Merge);
        assert_eq!(plan(load, 8, 4096, true, false), Plan::Merge);
        assert_eq!(plan(load, 9, 4096, true, false), Plan::Fork);
        assert_eq!(plan(load, 1024, 16, true, false), Plan::Fork);
        assert_eq!(plan(store, 256, 4096, false, false), Plan::Merge);
        assert_eq!(plan(store, 257, 8, false, false), Plan::Fork);
        assert_eq!(plan(store, 128, 8, true, false), Plan::Merge);
        assert_eq!(plan(store, 8, 256, true, false), Plan::Fork);
        assert_eq!(plan(Use::Other, 2, 8, false, false), Plan::Fork);
    }

    #[test]
    fn a_path_that_was_split_is_split_less_readily() {
        let store = Use::Store(1);
        assert_eq!(plan(store, 257, 8, false, true), Plan::Merge);
        assert_eq!(plan(store, 513, 8, false, true), Plan::Fork);
        assert_eq!(plan(store, 8, 256, true, true), Plan::Merge);
        assert_eq!(plan(store, 32, 256, true, true), Plan::Fork);
    }
}
