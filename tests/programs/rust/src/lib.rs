//! Every harness is preceded by what the tool must say of it: `// expect: VERDICT [kind]`, and
//! `paths N` where the number of paths is part of the meaning.
#![cfg(test)]

mod arithmetic;
mod closures;
mod collections;
mod control;
mod floats;
mod hash_maps;
mod matching;
mod memory;
mod panics;
mod sizes;
mod strings;
mod types;
