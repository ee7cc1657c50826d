//! Ours: merge, move together, or fork, whichever is cheaper for this access; an answer to what [RAM 6] leaves open, when to
//! do which.
//!
//! Forking costs a path per candidate, and each of them makes all that follows again: the next access through such a
//! pointer multiplies. Merging costs terms: one choice a candidate for what is read or written, an array a candidate
//! where the offset is an input, and a solver that must look at all of them at once. A segment costs one array over all
//! bytes of all candidates, once, and then almost nothing an access. So it is merged, at further accesses to the same
//! objects in a segment if that is not too large, and forked where there is more to look at than the solver can take in.
//!
//! What the thresholds rest on: `examples/memory_bench.rs`, questions `sweep` and `objects`. Seconds of processor time for
//! programs that make so many accesses, each through another pointer: by a path each, merged, moved together.
//! `>`: not done when time was up. `?`: a query went unanswered.
//!
//! | access | objects | times | fork | merge | segment | |
//! |---|---|---|---|---|---|---|
//! | load of constants, known offset | 32 of 8 bytes | 1 | 0.002 | 0.001 | 0.000 | |
//! | | 512 of 8 | 1 | 0.046 | 0.010 | 0.003 | `MANY` |
//! | | 2048 of 8 | 1 | 0.565 | 0.592 | 0.027 | |
//! | | 2 of 8 | 16 | 2.27 | 0.042 | 0.008 | |
//! | | 128 of 8 | 4 | > | 0.781 | 0.053 | merged first |
//! | | 128 of 256 | 4 | > | 0.689 | 0.336 | `SEGMENT` |
//! | | 512 of 256 | 4 | > | 1.06 | > 6.42 | `SEGMENT` |
//! | | 32 of 4096 | 4 | > | 0.055 | 0.447 | `SEGMENT` |
//! | load of inputs, known offset | 128 of 64 | 4 | > | 0.070 | 0.048 | `SEGMENT_OF_INPUTS` |
//! | | 128 of 256 | 4 | > | 0.080 | 0.331 | `SEGMENT_OF_INPUTS` |
//! | | 512 of 256 | 1 | > | 0.167 | > 6.32 | |
//! | load of constants, symbolic offset | 2 of 8 | 1 | 0.001 | 0.000 | 0.031 | merged first |
//! | | 512 of 8 | 1 | 0.078 | 0.033 | 0.347 | `LOADED_CANDIDATES` |
//! | | 1024 of 16 | 1 | 0.179 | 0.758 | 2.11 | `LOADED_CANDIDATES` |
//! | | 128 of 256 | 1 | 0.037 | 0.033 | 3.53 | `LOADED_BYTES` |
//! | | 512 of 256 | 1 | 0.174 | ? 7.52 | ? 12.1 | `LOADED_BYTES` |
//! | | 32 of 4096 | 1 | 0.217 | ? 8.83 | ? 9.18 | `LOADED_BYTES` |
//! | | 32 of 8 | 16 | > | 1.01 | 0.034 | |
//! | | 128 of 64 | 4 | > | 1.62 | 0.732 | `SMALL` |
//! | | 32 of 256 | 4 | > | 0.293 | 0.694 | `SMALL` |
//! | load of inputs, symbolic offset | 8 of 8 | 1 | 0.067 | 0.007 | 0.006 | |
//! | | 512 of 8 | 1 | 2.21 | 0.687 | 0.356 | |
//! | | 1024 of 16 | 1 | > | 1.22 | 1.15 | `LOADED_INPUT_CANDIDATES` |
//! | | 128 of 8 | 16 | > | > | 0.062 | |
//! | | 32 of 256 | 4 | > | 0.538 | 0.950 | `SMALL` |
//! | | 512 of 256 | 1 | > | 1.99 | ? 4.01 | `LOADED_INPUT_BYTES` |
//! | store, known offset | 256 of 16 | 1 | 0.022 | 0.009 | 0.010 | |
//! | | 512 of 8 | 1 | 0.077 | 0.845 | 0.033 | `STORED_CANDIDATES` |
//! | | 2048 of 8 | 1 | 0.998 | > | > | |
//! | | 8 of 8 | 4 | 0.056 | 0.001 | 0.001 | |
//! | | 32 of 8 | 16 | > | 0.100 | 1.38 | |
//! | the same, each read back | 256 of 16 | 1 | 1.41 | 0.628 | 0.273 | |
//! | | 1024 of 16 | 1 | > | 0.637 | 1.58 | |
//! | store, symbolic offset | 4 of 16 | 1 | 0.000 | 0.000 | 0.029 | merged first |
//! | | 256 of 16 | 1 | 0.050 | 2.04 | > | |
//! | | 32 of 1024 | 1 | 0.008 | 0.030 | 3.00 | |
//! | | 4 of 16 | 8 | > | 0.950 | 0.066 | |
//! | the same, each read back | 256 of 16 | 1 | 1.84 | 0.095 | 0.270 | `STORED_SMALL_BYTES` |
//! | | 32 of 1024 | 1 | 0.086 | 1.21 | 4.58 | `STORED_BYTES` |
//! | | 16 of 16 | 3 | > | 0.267 | 0.047 | |
//!
//! Where fork and merge each win in some program (stores to many objects: the rest of the program reads all of them, or one),
//! it is merged: what it costs is bounded, what a path for each costs is not.

use super::{Births, MemoryModel, Plan, Request, Union, Use};
use crate::expr::ObjectId;
use crate::memory::AddressSpace;

/// Most bytes that a merged load at symbolic offsets may reach in all candidates.
const LOADED_BYTES: u64 = 32 << 10;

/// Most candidates of such a load.
const LOADED_CANDIDATES: usize = 512;

/// The same where the objects hold inputs: a path for each of them helps as little.
const LOADED_INPUT_BYTES: u64 = 128 << 10;
const LOADED_INPUT_CANDIDATES: usize = 2048;

/// The same where the objects seem to hold the same constants: those that do are one array.
const LOADED_ALIKE_BYTES: u64 = 16 << 20;
const LOADED_ALIKE_CANDIDATES: usize = 2048;

/// Most candidates of a merged store at a known offset.
const STORED_CANDIDATES: usize = 256;

/// The same in a segment, or on a path that was split by a pointer before: another split multiplies.
const STORED_CANDIDATES_AGAIN: usize = 512;

/// Most bytes that a merged store at symbolic offsets may reach in all candidates, and where each is small.
const STORED_BYTES: u64 = 1 << 10;
const STORED_SMALL_BYTES: u64 = 8 << 10;

/// Candidates from which on a load at a known offset is one of a segment at once.
const MANY: usize = 64;

/// Most bytes of a segment, if objects hold constants and the offset is known; where inputs are inside; where the offset
/// of a load from constants, or of a store, is an input.
const SEGMENT: u64 = 32 << 10;
const SEGMENT_OF_INPUTS: u64 = 8 << 10;
const SEGMENT_AT_INPUTS: u64 = 8 << 10;
const SEGMENT_STORED: u64 = 4 << 10;

/// Most bytes of an object that moves into a segment for accesses at symbolic offsets. Larger ones are better looked up one
/// by one.
const SMALL: u64 = 64;

/// Elements that an access may go to without being asked which of them it does: a query more costs less than an array
/// of more (question `ram-7`).
const UNASKED_ELEMENTS: u64 = 512;

/// Elements beyond which the solver is given no array, so that an access to it has no answer. It is split then.
const UNSPLIT_ELEMENTS: u64 = 1 << 15;

/// The same where not all elements are constants: an array is harder then, and most parts of it have constants alone.
const UNSPLIT_INPUTS: u64 = 1 << 12;

pub(super) struct Adaptive;

/// Are the objects small, by and large?
fn small(request: &Request<'_>) -> bool {
    request.bytes <= SMALL * request.candidates.len() as u64
}

impl Adaptive {
    /// Are all candidates better in one segment than apart, if it is not to be a path for each?
    fn segment(request: &Request<'_>) -> bool {
        let candidates = request.candidates.len();
        let small = small(request);
        let again = request.merged_before;
        match (request.purpose, request.symbolic_offset) {
            (Use::Load(_), false) => {
                let most = if request.inputs_inside {
                    SEGMENT_OF_INPUTS
                } else {
                    SEGMENT
                };
                (again || candidates >= MANY) && request.bytes <= most
            }
            (Use::Load(_), true) if request.inputs_inside => small && request.bytes <= SEGMENT,
            (Use::Load(_), true) => {
                again && small && !request.alike && request.bytes <= SEGMENT_AT_INPUTS
            }
            (Use::Store(_), false) => candidates > STORED_CANDIDATES && request.bytes <= SEGMENT,
            (Use::Store(_), true) => again && small && request.bytes <= SEGMENT_STORED,
            (Use::Other, _) => false,
        }
    }

    /// Is a path for each candidate more than one access to all of them?
    fn merge(request: &Request<'_>) -> bool {
        let candidates = request.candidates.len();
        match (request.purpose, request.symbolic_offset) {
            (Use::Load(_), false) => true,
            (Use::Load(_), true) if request.inputs_inside => {
                candidates <= LOADED_INPUT_CANDIDATES && request.reach <= LOADED_INPUT_BYTES
            }
            (Use::Load(_), true) if request.alike => {
                candidates <= LOADED_ALIKE_CANDIDATES && request.reach <= LOADED_ALIKE_BYTES
            }
            (Use::Load(_), true) => {
                candidates <= LOADED_CANDIDATES && request.reach <= LOADED_BYTES
            }
            (Use::Store(_), false) if request.split_before => candidates <= STORED_CANDIDATES_AGAIN,
            (Use::Store(_), false) => candidates <= STORED_CANDIDATES,
            (Use::Store(_), true) => {
                let most = if small(request) {
                    STORED_SMALL_BYTES
                } else {
                    STORED_BYTES
                };
                request.reach <= most
            }
            (Use::Other, _) => false,
        }
    }
}

impl MemoryModel for Adaptive {
    fn plan(&mut self, request: &Request<'_>) -> Plan {
        if request.candidates.len() <= STORED_CANDIDATES_AGAIN && Self::segment(request) {
            Plan::Segment
        } else if Self::merge(request) {
            Plan::Merge
        } else {
            Plan::Fork
        }
    }

    fn narrows(&self, elements: u64) -> bool {
        elements > UNASKED_ELEMENTS
    }

    fn splits(&self, elements: u64, plain: bool) -> bool {
        elements
            > if plain {
                UNSPLIT_ELEMENTS
            } else {
                UNSPLIT_INPUTS
            }
    }

    fn together(
        &mut self,
        _memory: &AddressSpace,
        _births: &Births,
        accessed: &[ObjectId],
    ) -> Vec<Union> {
        vec![Union {
            objects: accessed.to_vec(),
            most: SEGMENT,
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Pool;
    use crate::memory::model::Candidate;

    /// A request for an access to so many objects of a size; nothing more is known.
    fn plan(purpose: Use, many: u32, size: u64, change: impl FnOnce(&mut Request<'_>)) -> Plan {
        let guard = Pool::new().bool(true);
        let candidates: Vec<Candidate> = (1..=many)
            .map(|i| Candidate {
                object: Some(ObjectId(i)),
                guard,
            })
            .collect();
        let mut request = Request {
            purpose,
            candidates: &candidates,
            symbolic_offset: false,
            bytes: u64::from(many) * size,
            reach: u64::from(many) * size,
            inputs_inside: false,
            alike: false,
            split_before: false,
            merged_before: false,
        };
        change(&mut request);
        Adaptive.plan(&request)
    }

    fn known(_: &mut Request<'_>) {}

    fn inside(request: &mut Request<'_>) {
        request.symbolic_offset = true;
    }

    #[test]
    fn little_is_merged_and_much_is_forked() {
        let (load, store) = (Use::Load(1), Use::Store(1));
        assert_eq!(plan(load, 2048, 4096, known), Plan::Merge);
        assert_eq!(plan(load, 8, 4096, inside), Plan::Merge);
        assert_eq!(plan(load, 9, 4096, inside), Plan::Fork);
        let alike = |request: &mut Request<'_>| {
            inside(request);
            request.alike = true;
        };
        assert_eq!(plan(load, 2048, 8192, alike), Plan::Merge);
        assert_eq!(plan(load, 2048, 8193, alike), Plan::Fork);
        assert_eq!(plan(load, 2049, 8, alike), Plan::Fork);
        assert_eq!(plan(load, 1024, 16, inside), Plan::Fork);
        assert_eq!(plan(store, 256, 4096, known), Plan::Merge);
        assert_eq!(plan(store, 257, 4096, known), Plan::Fork);
        assert_eq!(plan(store, 256, 16, inside), Plan::Merge);
        assert_eq!(plan(store, 8, 256, inside), Plan::Fork);
        assert_eq!(plan(Use::Other, 2, 8, known), Plan::Fork);
    }

    #[test]
    fn objects_move_together_when_they_are_accessed_again_or_many() {
        let load = Use::Load(1);
        let again = |inside: bool| {
            move |request: &mut Request<'_>| {
                request.symbolic_offset = inside;
                request.merged_before = true;
            }
        };
        assert_eq!(plan(load, 2, 8, known), Plan::Merge);
        assert_eq!(plan(load, 2, 8, again(false)), Plan::Segment);
        assert_eq!(plan(load, 64, 8, known), Plan::Segment);
        assert_eq!(plan(load, 9, 4096, again(false)), Plan::Merge);
        assert_eq!(plan(load, 2, 64, again(true)), Plan::Segment);
        assert_eq!(plan(load, 2, 65, again(true)), Plan::Merge);
        let alike = |request: &mut Request<'_>| {
            again(true)(request);
            request.alike = true;
        };
        assert_eq!(plan(load, 2, 64, alike), Plan::Merge);
        assert_eq!(plan(Use::Store(1), 2, 8, again(true)), Plan::Segment);
        assert_eq!(plan(Use::Store(1), 300, 8, known), Plan::Segment);
        let inputs = |request: &mut Request<'_>| {
            request.symbolic_offset = true;
            request.inputs_inside = true;
        };
        assert_eq!(plan(load, 8, 8, inputs), Plan::Segment);
        assert_eq!(plan(load, 1024, 65, inputs), Plan::Merge);
    }

    #[test]
    fn what_is_too_large_for_the_solver_is_split() {
        assert!(!Adaptive.narrows(512));
        assert!(Adaptive.narrows(513));
        assert!(!Adaptive.splits(32_768, true));
        assert!(Adaptive.splits(32_769, true));
        assert!(!Adaptive.splits(4096, false));
        assert!(Adaptive.splits(4097, false));
    }

    #[test]
    fn a_path_that_was_split_is_split_less_readily() {
        let split = |request: &mut Request<'_>| request.split_before = true;
        assert_eq!(plan(Use::Store(1), 257, 4096, split), Plan::Merge);
        assert_eq!(plan(Use::Store(1), 513, 4096, split), Plan::Fork);
    }
}
