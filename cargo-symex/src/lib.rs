//! The engine of `cargo symex`, and its command line.
//!
//! # Map
//! A crate becomes bitcode (`build`), bitcode becomes our own program (`bitcode` → `program`), a harness of the program is
//! explored (`engine`: `search` picks a state, `exec` runs it, `models` stand in for what has no bitcode, `solver` says
//! which branches are possible), and what is found is confirmed and shown (`report`). In layers, lowest first; a module
//! uses itself and lower layers only. `tests/tidy.rs` checks the arrows, and that this table is the tree.
//!
//! | module | layer | what it is |
//! |---|---|---|
//! | `splitmix` | 0 | a small seeded generator |
//! | `toolchain` | 0 | the Rust toolchain: its directory, its LLVM, its linker |
//! | `config` | 0 | every setting of an exploration, with its default |
//! | `outcome` | 0 | kinds of finding, cut and gap; the verdict; what an exploration comes to |
//! | `event` | 0 | what the engine tells the outside while it works |
//! | `expr` | 1 | hash-consed terms, the simplifier, evaluation, path conditions, the text form |
//! | `program` | 1 | the immutable form of the code: functions, blocks, instructions on numbered slots |
//! | `points_to` | 2 | which objects a pointer may point to, before the program runs; memory segments |
//! | `solver` | 2 | queries and answers; a list of stages before the one back end (`solver/backend/`: Z3) |
//! | `bitcode` | 2 | linking, passes and translation of LLVM bitcode; nothing of LLVM's gets out |
//! | `memory` | 3 | objects, their addresses, their bytes: defined, undefined, symbolic |
//! | `state` | 4 | one path: frames, memory, condition, inputs, output; cheap to fork |
//! | `search` | 5 | which waiting state goes on |
//! | `exec` | 6 | runs states: instructions, pointers, forks, ends of paths |
//! | `models` | 7 | functions that the engine performs itself, a table row each |
//! | `engine` | 8 | chooses the implementations, runs one harness to its outcome |
//! | `build` | 9 | cargo with our linker and C compiler in it; one bitcode program a test executable |
//! | `report` | 9 | native replay, verdicts, regression tests, the forms of the report |
//! | `store` | 9 | verdicts and answers of the solver that outlive the run |
//! | `cli` | 10 | arguments to settings, settings to runs, results to an exit code |
//!
//! # Invariants
//! - Nothing is passed over in silence: what the engine cannot do ends the path as a *gap*, what it was told not to do as a
//!   *cut*, and either keeps the verdict from being `pass (complete)`.
//! - Each state's assignment satisfies its condition. A side of a branch that it takes is feasible without a query.
//! - Terms are made by the pool's constructors only. Evaluation of terms is the ground truth for simplifier and solver.
//! - Pointers keep their object: an address is the base of an object plus an offset, and an access outside that object is
//!   a finding even where another object lies there.
//! - What is uninitialised stays marked through copies, and is a finding where something is decided or computed by it.
//! - The same program, settings and seed give the same paths, up to limits on time and memory.
//! - No global state, no thread-locals, but for whether standard output could be written (`cli/output.rs`), the LLVM that was
//!   loaded (`bitcode/llvm/`) and the toolchain on the path (`build/tools.rs`); options are read in `cli` and live in `config`.
//! - LLVM is named in `bitcode/` only, Z3 in `solver/backend/`, clap in `cli/`, SQLite in `store/`.
//! - In the command, LLVM works in a process of its own (`build/bitcode_process.rs`): where it crashes on damaged bitcode,
//!   goes on for ever or takes all memory, that is an error like any other.
//!
//! # Words
//! - **harness**: a function with `#[symex::harness]`; its arguments are inputs.
//! - **draw**: one value asked of the engine, of a name and a width; a path's draws, in order, are its replay.
//! - **term**: an expression over draws; **assignment**: a value for each of them.
//! - **state**: a path on its way; it **forks** where both sides of a branch are possible.
//! - **condition**: what the branches and assumptions of a path say of its draws.
//! - **finding**: a fault of the program under test, with the draws that lead there.
//! - **cut**: paths left out on request (time, paths, steps, a bound on lengths). **gap**: something not known how to do.
//! - **model**: a function performed by the engine instead of by bitcode. **hook**: one that `symex-runtime` calls.

pub mod bitcode;
pub mod build;
pub mod cli;
pub mod config;
pub mod engine;
pub mod event;
pub mod exec;
pub mod expr;
pub mod memory;
pub mod models;
pub mod outcome;
pub mod points_to;
pub mod program;
pub mod report;
pub mod search;
pub mod solver;
pub mod splitmix;
pub mod state;
pub mod store;
pub mod toolchain;

#[cfg(test)]
#[path = "../../tests/support/random.rs"]
mod random;
