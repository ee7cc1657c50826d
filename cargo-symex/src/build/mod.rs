//! Layer 9: from a crate to bitcode.
