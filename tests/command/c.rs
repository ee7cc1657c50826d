//! Tests of `cargo symex c` on C and C++ files: its reports, undefined behaviour, confirmation of
//! findings, and the files that it writes.

mod bad_input;
mod confirmation;
mod header;
mod running;
mod undefined;
mod world;
