//! Layer 3: objects, their addresses and their contents. Sees expressions only; never the executor.
//!
//! A pointer keeps its object: `base(object) + offset` [RAM 2.2]. What to do with a pointer that may refer to several
//! objects is not decided here but by a resolution policy of the executor (one file a model).

pub mod address_space;

pub use address_space::{AddressSpace, Initial, NewObject, Object, ObjectKind};
