//! Tests of the memory models: every complete model must give the same answer to what a pointer may
//! refer to.
//!
//! First, the programs of `tests/programs` under every model (`agreement`): the same findings and
//! verdicts as with a path per object. Second, random programs over the heap (`random`;
//! `heap_programs/generator.rs` writes them), which are run natively on each of their inputs. The
//! engine must find exactly what happens natively: each fault, with an input on which it happens;
//! that every other input gives its native result; and each input for which the expected result is
//! deliberately wrong. The other modules test what single models and settings promise, and the
//! handling of very large objects.

mod agreement;
pub mod exploring;
pub mod heap_programs;
mod large;
mod parts;
mod placements;
mod random;
mod segment_reuse;
mod settings;
mod several_objects;
mod statistics;
mod unanswered;
