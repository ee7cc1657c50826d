//! Programs in Rust. Each harness is preceded by its expected result: `// expect: VERDICT [kind]`,
//! and `paths N` where the number of paths is part of the meaning.
#![cfg(test)]

mod arbitrary_values;
mod arithmetic;
mod characters;
mod closures;
mod collections;
mod control;
mod files;
mod floats;
mod hash_maps;
mod matching;
mod memory;
mod panics;
mod reference;
mod searches;
mod sizes;
mod strings;
mod threads;
mod types;
mod undefined;
mod utf8;
