//! Every harness is preceded by what the tool must say of it: `// expect: VERDICT [kind]`. Each
//! concern has harnesses that hold for all inputs, which says that both sides mean the same by what
//! they pass, and ones that are wrong.
#![cfg(test)]

mod callbacks;
mod control;
mod ending;
mod errors;
mod layout;
mod memory;
mod structs;
mod symbols;
mod unwinding;
mod variadic;
