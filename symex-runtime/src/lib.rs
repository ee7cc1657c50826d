//! What a crate under `cargo symex` depends on.
