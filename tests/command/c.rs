//! C and C++ given as files: what `cargo symex c` says of them, what it makes of undefined
//! behaviour, how findings are confirmed, and what they leave behind.

mod bad_input;
mod confirmation;
mod header;
mod running;
mod undefined;
mod world;
