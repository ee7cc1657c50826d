//! Layer 9: from a crate to linked bitcode, one program a test executable.
pub mod object_files;
