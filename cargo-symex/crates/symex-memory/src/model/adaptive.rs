//! The adaptive model, our own: merges, moves into a segment, or forks, whichever is cheaper for
//! this access. It answers the question that [RAM 6] leaves open, when to do which.
//!
//! Forking costs a path per candidate, and each of them repeats all that follows: the next access
//! through such a pointer multiplies the paths. Merging costs terms: one if-then-else per candidate
//! for the value read or written, and a solver that must look at all of them at once. A segment
//! costs an array over all bytes of all candidates, once, and then one comparison instead of one
//! per candidate. So an access is merged by default; small objects that are accessed at symbolic
//! offsets, repeatedly or under stores, move into a segment; and the access is forked where the
//! terms would be too large for the solver.
//!
//! A segment must be made before stores: moving objects into it after stores at symbolic offsets
//! means writing down the possible values of each of their bytes.
//!
//! Forking costs a path per candidate, and each of them makes all that follows again: the next
//! access through such a pointer multiplies. Merging costs terms: one choice a candidate for what
//! is read or written, and a solver that must look at all of them at once. A segment costs an array
//! over all bytes of all candidates, once, and then one comparison for what were as many as there
//! are candidates. So it is merged; small objects that are accessed at symbolic offsets, again and
//! again or under stores, move into a segment; and it is forked where there is more to look at than
//! the solver can take in.
//!
//! A segment must come before stores do: to move objects into it after stores at symbolic offsets
//! is to write down what each of their bytes may be.
//!
//! What the thresholds rest on: `examples/memory_bench.rs`, questions `sweep`, `objects` and
//! `rules`. Milliseconds of processor time for programs by the number of their accesses, each
//! through another pointer: by a path each, merged, moved together. `>`: not done within 2 seconds.
//! `?`: a query went unanswered.
//!
//! | access | objects | times | fork | merge | segment | |
//! |---|---|---|---|---|---|---|
//! | load of constants, known offset | 32 of 8 bytes | 1 | 2.4 | 0.2 | 0.2 | |
//! | | 2048 of 8 | 1 | 666 | 5.6 | 12 | |
//! | | 8 of 256 | 4 | 53 | 1.8 | 1.8 | `FEW` |
//! | | 16 of 16 | 3 | 52 | 1.1 | 1.0 | |
//! | | 32 of 8 | 4 | > | 8.0 | 8.2 | |
//! | | 2 of 8 | 16 | > | 6.0 | 6.1 | |
//! | | 128 of 256 | 4 | > | 36 | 284 | `FEW` |
//! | load of inputs, known offset | 512 of 8 | 4 | > | 176 | 164 | |
//! | | 128 of 256 | 4 | > | 48 | 219 | |
//! | load of constants, symbolic offset | 128 of 8 | 1 | 26 | 2.1 | 1.7 | |
//! | | 1024 of 16 | 1 | 196 | 17 | 28 | `LOADED_CANDIDATES` |
//! | | 128 of 256 | 1 | 20 | 21 | 33 | |
//! | | 512 of 256 | 1 | 76 | ? | ? | `LOADED_BYTES` |
//! | | 32 of 8 | 4 | > | 90 | 36 | `SEGMENT_AGAIN` |
//! | | 512 of 8 | 4 | > | ? | 223 | `SEGMENT_AGAIN` |
//! | | 32 of 64 | 4 | > | 80 | 96 | `TINY` |
//! | | 32 of 256 | 4 | > | 248 | 736 | |
//! | load of inputs, symbolic offset | 128 of 8 | 1 | 803 | 43 | 43 | |
//! | | 128 of 8 | 4 | > | 324 | 45 | |
//! | | 32 of 64 | 4 | > | 144 | 163 | `SMALL` |
//! | | 32 of 256 | 4 | > | 679 | 1050 | |
//! | | 2048 of 8 | 1 | > | 1120 | ? | `SEGMENT_OF_INPUTS` |
//! | | 128 of 256 | 1 | > | 1280 | 1330 | `LOADED_INPUT_BYTES` |
//! | store, known offset | 256 of 16 | 1 | 36 | 6.4 | 6.4 | |
//! | | 1024 of 16 | 1 | 306 | 1790 | ? | all read in one formula |
//! | | 512 of 8 | 4 | > | 1160 | 1170 | the same |
//! | | 32 of 4096 | 4 | > | 13 | 17 | |
//! | the same, each read back elsewhere | 32 of 8 | 1 | 15 | 0.6 | 0.6 | |
//! | | 32 of 8 | 4 | > | 663 | 40 | `WORD` |
//! | | 128 of 8 | 16 | > | ? | 287 | `WORD` |
//! | | 32 of 64 | 4 | > | 49 | 297 | `WORD` |
//! | | 1024 of 16 | 1 | > | 847 | 24 | |
//! | store, symbolic offset | 128 of 8 | 1 | 20 | 3.1 | 2.8 | |
//! | | 32 of 8 | 4 | > | 133 | 118 | |
//! | | 32 of 64 | 4 | > | 310 | 366 | `SEGMENT_STORED` |
//! | | 256 of 16 | 1 | 52 | 7.4 | 6.5 | `SEGMENT_STORED` |
//! | | 32 of 4096 | 1 | 19 | 20 | 21 | |
//! | the same, each read back elsewhere | 32 of 8 | 1 | 22 | 1.7 | 1.4 | |
//! | | 32 of 8 | 4 | > | 543 | 32 | `SEGMENT_STORED` |
//! | | 128 of 8 | 16 | > | ? | 112 | `SEGMENT_STORED` |
//! | | 8 of 64 | 4 | > | 76 | 48 | `SMALL` |
//! | | 8 of 256 | 4 | > | 87 | 120 | `SMALL` |
//! | | 2 of 8 | 4 | 66 | 39 | 28 | `SEVERAL` |
//! | | 32 of 256 | 1 | 34 | 215 | 39 | |
//! | | 128 of 256 | 1 | 580 | 2000 | ? | `STORED_BYTES` |
//! | the same, inputs | 128 of 8 | 4 | > | 1010 | 44 | `SEGMENT_OF_INPUTS` |
//! | | 32 of 64 | 4 | > | 424 | 172 | |
//! | | 32 of 256 | 4 | > | 674 | 1100 | `SMALL` |
//! | store of one object of many, of which one is read | 4000 of 16 | 1 | 2710 | 40 | | |
//!
//! Where two ways win in programs that cannot be told apart by then (stores, of which the rest of
//! the program reads all, or one), it is the one whose cost is bounded.

use super::{AccessRequest, Births, MemoryModel, Plan, SampledContents, Union, Use};
use crate::AddressSpace;
use std::ops::RangeInclusive;
use symex_terms::ObjectId;

/// Greatest number of bytes that a merged load at symbolic offsets may reach in all candidates, and
/// greatest number of candidates.
const LOADED_BYTES: u64 = 32 << 10;
const LOADED_CANDIDATES: usize = 2048;

/// Greatest number of bytes that a merged load may reach where the objects hold inputs: a path for
/// each of them helps as little.
const LOADED_INPUT_BYTES: u64 = 128 << 10;

/// Greatest number of bytes that a merged load may reach where the objects seem to hold equal
/// constants: equal ones are one array.
const LOADED_ALIKE_BYTES: u64 = 16 << 20;

/// Greatest number of bytes that a merged store at symbolic offsets may reach, and greatest number
/// of candidates.
const STORED_BYTES: u64 = 32 << 10;
const STORED_CANDIDATES: usize = 1024;

/// Greatest number of candidates, and of their bytes, for which the values at a known offset are a
/// table that the solver gets as an if-then-else over runs.
const FEW: usize = 16;
const FEW_BYTES: u64 = 2 << 10;

/// Number of candidates from which on one comparison for all is much cheaper than one for each.
const SEVERAL: usize = 8;

/// Average size of an object, in bytes, up to which it moves into a segment: when a store at a
/// symbolic offset goes to it, or it holds inputs; when it holds constants; when stores at known
/// offsets go to it.
const SMALL: u64 = 64;
const TINY: u64 = 32;
const WORD: u64 = 8;

/// Numbers of candidates for which stores at known offsets go to a segment.
const WORDS: RangeInclusive<usize> = 32..=512;

/// Greatest number of bytes of a segment: when constants are loaded again; when something is
/// stored; when it holds inputs.
const SEGMENT_AGAIN: u64 = 4 << 10;
const SEGMENT_WORDS: u64 = 4 << 10;
const SEGMENT_STORED: u64 = 2 << 10;
const SEGMENT_OF_INPUTS: u64 = 8 << 10;

/// Greatest number of bytes of any segment.
const SEGMENT: u64 = 32 << 10;

/// Number of elements that an access may reach without a query for which of them it does: another
/// query costs less than an array of more (question `ram-7`). An array from which pointers are read
/// is even more expensive: an operation on one of them is carried out for as many as the array has.
const UNASKED_ELEMENTS: u64 = 512;

/// Number of elements beyond which the solver is given no array, so that an access has no answer.
/// The access is split then.
const UNSPLIT_ELEMENTS: u64 = 1 << 15;

/// Number of elements beyond which an array with inputs is split: it is harder then, and most of
/// its parts have constants alone.
const UNSPLIT_INPUTS: u64 = 1 << 12;

/// Numbers of offsets of a path by which arrays of either kind are split. Each multiplies the paths
/// by the parts, and beyond these numbers there is no end of them: an array of the whole, which may
/// be left without an answer, is not as bad.
const MOST_SPLITS: (usize, usize) = (3, 2);

pub(super) struct Adaptive;

/// Reports whether the objects have at most `size` bytes on average.
fn are(request: &AccessRequest<'_>, size: u64) -> bool {
    request.bytes <= size * request.candidates.len() as u64
}

impl Adaptive {
    /// Reports whether all candidates are better moved into one segment than kept apart, unless
    /// forking is chosen.
    fn segment(request: &AccessRequest<'_>) -> bool {
        let (candidates, bytes) = (request.candidates.len(), request.bytes);
        if request.stored_before {
            return false;
        }
        let again = request.merged_before;
        let inputs_inside = || request.contents.inputs_inside();
        match (request.purpose, request.symbolic_offset) {
            (Use::Load(_), false) => {
                again && candidates <= FEW && bytes <= FEW_BYTES && !inputs_inside()
            }
            (Use::Load(_), true) if inputs_inside() => {
                are(request, SMALL) && bytes <= SEGMENT_OF_INPUTS
            }
            (Use::Load(_), true) => {
                again && are(request, TINY) && bytes <= SEGMENT_AGAIN && !request.contents.alike()
            }
            (Use::Store(_), false) => {
                WORDS.contains(&candidates)
                    && are(request, WORD)
                    && bytes <= SEGMENT_WORDS
                    && !inputs_inside()
            }
            (Use::Store(_), true) => {
                candidates >= SEVERAL
                    && are(request, SMALL)
                    && (bytes <= SEGMENT_STORED || bytes <= SEGMENT_OF_INPUTS && inputs_inside())
            }
            (Use::Other, _) => false,
        }
    }

    /// Reports whether one access to all candidates is cheaper than a path for each.
    fn merge(request: &AccessRequest<'_>) -> bool {
        let candidates = request.candidates.len();
        match (request.purpose, request.symbolic_offset) {
            (Use::Load(_) | Use::Store(_), false) => true,
            (Use::Load(_), true) => {
                candidates <= LOADED_CANDIDATES
                    && (request.reach <= LOADED_BYTES
                        || request.reach <= LOADED_INPUT_BYTES && request.contents.inputs_inside()
                        || request.reach <= LOADED_ALIKE_BYTES && request.contents.alike())
            }
            (Use::Store(_), true) => {
                candidates <= STORED_CANDIDATES && request.reach <= STORED_BYTES
            }
            (Use::Other, _) => false,
        }
    }
}

impl MemoryModel for Adaptive {
    fn plan(&mut self, request: &AccessRequest<'_>) -> Plan {
        if Self::segment(request) {
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

    fn splits(&self, elements: u64, before: usize, contents: &dyn SampledContents) -> bool {
        let (large, of_inputs) = MOST_SPLITS;
        elements > UNSPLIT_ELEMENTS && before < large
            || elements > UNSPLIT_INPUTS && before < of_inputs && !contents.plain()
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
    use crate::model::Candidate;
    use symex_terms::Pool;

    /// Contents of candidates, given by a test.
    #[derive(Clone, Copy)]
    struct Told {
        inputs: bool,
        alike: bool,
    }

    impl SampledContents for Told {
        fn inputs_inside(&self) -> bool {
            self.inputs
        }

        fn alike(&self) -> bool {
            self.alike
        }

        fn plain(&self) -> bool {
            !self.inputs
        }
    }

    const PLAIN: Told = Told {
        inputs: false,
        alike: false,
    };
    const INPUTS: Told = Told {
        inputs: true,
        alike: false,
    };
    const ALIKE: Told = Told {
        inputs: false,
        alike: true,
    };

    /// Returns the plan for an access to `many` objects of a size.
    fn plan(
        (purpose, symbolic_offset): (Use, bool),
        (many, size): (u32, u64),
        contents: Told,
        change: impl FnOnce(&mut AccessRequest<'_>),
    ) -> Plan {
        let guard = Pool::new().bool(true);
        let candidates: Vec<Candidate> = (1..=many)
            .map(|i| Candidate {
                object: Some(ObjectId(i)),
                guard,
            })
            .collect();
        let mut request = AccessRequest {
            purpose,
            candidates: &candidates,
            symbolic_offset,
            bytes: u64::from(many) * size,
            reach: u64::from(many) * size,
            contents: &contents,
            merged_before: false,
            stored_before: false,
        };
        change(&mut request);
        Adaptive.plan(&request)
    }

    const LOAD: (Use, bool) = (Use::Load(1), false);
    const LOAD_INSIDE: (Use, bool) = (Use::Load(1), true);
    const STORE: (Use, bool) = (Use::Store(1), false);
    const STORE_INSIDE: (Use, bool) = (Use::Store(1), true);

    fn first(_: &mut AccessRequest<'_>) {}

    fn again(request: &mut AccessRequest<'_>) {
        request.merged_before = true;
    }

    #[test]
    fn little_is_merged_and_much_is_forked() {
        for (access, objects, contents, expected) in [
            (LOAD, (2048, 4096), PLAIN, Plan::Merge),
            (LOAD_INSIDE, (8, 4096), PLAIN, Plan::Merge),
            (LOAD_INSIDE, (9, 4096), PLAIN, Plan::Fork),
            (LOAD_INSIDE, (32, 4096), INPUTS, Plan::Merge),
            (LOAD_INSIDE, (33, 4096), INPUTS, Plan::Fork),
            (LOAD_INSIDE, (2048, 8192), ALIKE, Plan::Merge),
            (LOAD_INSIDE, (2048, 8193), ALIKE, Plan::Fork),
            (LOAD_INSIDE, (2048, 8), PLAIN, Plan::Merge),
            (LOAD_INSIDE, (2049, 8), PLAIN, Plan::Fork),
            (STORE, (10_000, 4096), PLAIN, Plan::Merge),
            (STORE_INSIDE, (1024, 32), PLAIN, Plan::Merge),
            (STORE_INSIDE, (1025, 8), PLAIN, Plan::Fork),
            (STORE_INSIDE, (129, 256), PLAIN, Plan::Fork),
            ((Use::Other, false), (2, 8), PLAIN, Plan::Fork),
        ] {
            assert_eq!(plan(access, objects, contents, first), expected);
        }
    }

    #[test]
    fn small_objects_move_together() {
        for (access, objects, contents, expected) in [
            (LOAD, (2, 8), PLAIN, Plan::Merge),
            (LOAD_INSIDE, (2, 8), PLAIN, Plan::Merge),
            (LOAD_INSIDE, (8, 8), INPUTS, Plan::Segment),
            (LOAD_INSIDE, (8, 65), INPUTS, Plan::Merge),
            (STORE, (31, 8), PLAIN, Plan::Merge),
            (STORE, (32, 8), PLAIN, Plan::Segment),
            (STORE, (32, 8), INPUTS, Plan::Merge),
            (STORE, (32, 9), PLAIN, Plan::Merge),
            (STORE_INSIDE, (7, 8), PLAIN, Plan::Merge),
            (STORE_INSIDE, (8, 64), PLAIN, Plan::Segment),
            (STORE_INSIDE, (8, 65), PLAIN, Plan::Merge),
            (STORE_INSIDE, (128, 64), INPUTS, Plan::Segment),
            (STORE_INSIDE, (128, 64), PLAIN, Plan::Merge),
        ] {
            assert_eq!(plan(access, objects, contents, first), expected);
        }
    }

    #[test]
    fn small_objects_move_together_when_they_are_read_again_and_not_when_stored_to() {
        for (access, objects, contents, expected) in [
            (LOAD, (16, 128), PLAIN, Plan::Segment),
            (LOAD, (16, 129), PLAIN, Plan::Merge),
            (LOAD, (17, 8), PLAIN, Plan::Merge),
            (LOAD_INSIDE, (128, 32), PLAIN, Plan::Segment),
            (LOAD_INSIDE, (128, 33), PLAIN, Plan::Merge),
            (LOAD_INSIDE, (128, 32), ALIKE, Plan::Merge),
        ] {
            assert_eq!(plan(access, objects, contents, again), expected);
            let stored = plan(access, objects, contents, |request| {
                again(request);
                request.stored_before = true;
            });
            assert_eq!(stored, Plan::Merge);
        }
    }

    #[test]
    fn what_is_too_large_for_the_solver_is_split() {
        assert!(!Adaptive.narrows(512));
        assert!(Adaptive.narrows(513));
        assert!(!Adaptive.splits(32_768, 0, &PLAIN));
        assert!(Adaptive.splits(32_769, 0, &PLAIN));
        assert!(Adaptive.splits(32_769, 2, &PLAIN));
        assert!(!Adaptive.splits(32_769, 3, &PLAIN));
        assert!(!Adaptive.splits(4096, 0, &INPUTS));
        assert!(Adaptive.splits(4097, 0, &INPUTS));
        assert!(Adaptive.splits(4097, 1, &INPUTS));
        assert!(!Adaptive.splits(4097, 2, &INPUTS));
    }
}
