//! C and C++ given as files: what `cargo symex c` says of them, what it makes of undefined behaviour, how findings are
//! confirmed, and what they leave behind.

mod support;

#[path = "c/bad_input.rs"]
mod bad_input;
#[path = "c/confirmation.rs"]
mod confirmation;
#[path = "c/header.rs"]
mod header;
#[path = "c/running.rs"]
mod running;
#[path = "c/undefined.rs"]
mod undefined;
#[path = "c/world.rs"]
mod world;
