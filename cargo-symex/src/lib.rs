//! The command `cargo symex`: from a crate and its harnesses to a report. The engine is in packages
//! of its own.
//!
//! # Map
//! A crate becomes bitcode (`build`), bitcode becomes our own program (`symex-bitcode` →
//! `symex-program`), a harness of the program is explored (`symex-engine`), and what is found is
//! confirmed (`confirm`) and shown (`report`). In packages, lowest first; the compiler checks that
//! each uses lower ones only, `tests/repository/tidy.rs` that this table is the tree.
//!
//! | package | uses | what it is |
//! |---|---|---|
//! | `symex-abi` | | the contract with programs under test: hooks, layouts, names, exit codes, the file of inputs |
//! | `symex-types` | abi | settings, events, outcomes and statistics; masks; a small seeded generator |
//! | `symex-terms` | types | hash-consed terms, the simplifier, evaluation, path conditions, the text form |
//! | `symex-program` | | the immutable form of the code: functions, blocks, instructions on numbered slots |
//! | `symex-bitcode` | abi, program, types | the toolchain's LLVM; linking, passes and translation of bitcode |
//! | `symex-points-to` | abi, program | which objects a pointer may point to, before the program runs; memory segments |
//! | `symex-solver` | terms, types | queries and answers; a list of stages before the one back end, Z3 |
//! | `symex-memory` | terms, types, program, points-to | objects, their addresses, their bytes: defined, undefined, symbolic |
//! | `symex-engine` | abi, memory, solver, terms, types, program | states, searchers, the executor, models; runs one harness to its outcome |
//! | `symex-z3` | | builds Z3 from source |
//! | `symex-testing` | types | what the tests share; not published |
//!
//! The modules of this package; a module uses itself and those above, which
//! `tests/repository/tidy.rs` checks:
//!
//! | module | what it is |
//! |---|---|
//! | `build` | cargo with our linker and C compiler in it; one bitcode program a test executable |
//! | `harness` | what a harness is to everything above |
//! | `store` | verdicts and answers of the solver that outlive the run |
//! | `source` | source code as people are shown it: places, traces |
//! | `confirm` | native runs, sanitizers, what they do to a verdict; regression tests and reproducers |
//! | `pipeline` | the one way of every run: discover, load, select, explore, confirm, remember; events and exit codes |
//! | `report` | the forms of report, each a reader of events; all that is printed |
//! | `cli` | arguments to settings, and a command of the pipeline |
//!
//! # Invariants
//! - Nothing is passed over in silence: what the engine cannot do ends the path as *unsupported*,
//!   what it was told not to do is a *bound*, and either keeps the verdict from being `pass
//!   (complete)`.
//! - Each state's assignment satisfies its condition. A side of a branch that it takes is feasible
//!   without a query.
//! - Terms are made by the pool's constructors only. Evaluation of terms is the ground truth for
//!   simplifier and solver.
//! - Pointers keep their object: an address is the base of an object plus an offset, and an access
//!   outside that object is a finding even where another object lies there.
//! - What is uninitialised stays marked through copies, and is a finding where something is decided
//!   or computed by it.
//! - The same program, settings and seed give the same paths, up to limits on time and memory.
//! - States are split in three places: where both sides of a condition are possible
//!   (`exec/path/fork.rs`; a finding whose access may also be right is a side of such a fork,
//!   `exec/memory/require.rs`), where objects are placed anew for the other side
//!   (`exec/memory/address_decision.rs`), and at the start, for each number of arguments
//!   (`explore.rs`).
//! - No thread-locals, and no global state but: whether standard output could be written
//!   (`report/output.rs`), the toolchain on the path (`build/tools.rs`), the LLVM that was loaded
//!   with what it was asked once (`llvm/` of `symex-bitcode`), and the thread that interrupts Z3
//!   for all solvers (`backend/interrupt.rs` of `symex-solver`). Options are read in `cli` and live
//!   in `symex-types`.
//! - LLVM is named in `symex-bitcode` only, Z3 in `backend/` of `symex-solver`, clap in `cli/`,
//!   SQLite in `store/`.
//! - In the command, LLVM works in a process of its own (`build/bitcode_process.rs`): where it
//!   crashes on damaged bitcode, goes on for ever or takes all memory, that is an error like any
//!   other.
//!
//! # Words
//! `docs/glossary.md` has each word once.

pub mod build;
pub mod cli;
pub mod confirm;
pub mod harness;
pub mod pipeline;
pub mod report;
pub mod source;
pub mod store;

#[cfg(test)]
symex_testing::clear_at_start!();
