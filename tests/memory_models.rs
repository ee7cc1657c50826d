//! What a pointer may refer to is one question, and every complete memory model must give the same answer to it.
//!
//! First, the programs of `tests/programs` under every model (`agreement`): the same findings and verdicts as with a path per
//! object. Second, random programs over the heap (`random`; `heap_programs/generator.rs` writes them), which are run natively
//! on each of their inputs. The engine is to find what happens natively and nothing else: each fault, with an input on which
//! it happens; that every other input gives the result that it gives natively; and each input for which it is told another
//! result. The other modules test what single models and settings promise.

mod support;

#[path = "heap_programs/batch.rs"]
mod batch;
#[path = "heap_programs/generator.rs"]
mod generator;

#[path = "memory_models/agreement.rs"]
mod agreement;
#[path = "memory_models/exploring.rs"]
mod exploring;
#[path = "memory_models/parts.rs"]
mod parts;
#[path = "memory_models/placements.rs"]
mod placements;
#[path = "memory_models/random.rs"]
mod random;
#[path = "memory_models/segment_reuse.rs"]
mod segment_reuse;
#[path = "memory_models/settings.rs"]
mod settings;
#[path = "memory_models/several_objects.rs"]
mod several_objects;
#[path = "memory_models/statistics.rs"]
mod statistics;
#[path = "memory_models/unanswered.rs"]
mod unanswered;
