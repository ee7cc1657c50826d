//! What a pointer may refer to is one question, and every complete memory model must give the same
//! answer to it.
//!
//! First, the programs of `tests/programs` under every model (`agreement`): the same findings and
//! verdicts as with a path per object. Second, random programs over the heap (`random`;
//! `heap_programs/generator.rs` writes them), which are run natively on each of their inputs. The
//! engine is to find what happens natively and nothing else: each fault, with an input on which it
//! happens; that every other input gives the result that it gives natively; and each input for
//! which it is told another result. The other modules test what single models and settings promise,
//! and what becomes of very large objects.

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
