//! The command `cargo symex`: from a crate and its harnesses to a report. The engine is in separate
//! packages.
//!
//! # Map
//! A crate is compiled to bitcode (`build`), the bitcode is translated to the engine's own form
//! (`symex-bitcode` → `symex-program`), a harness of the program is explored (`symex-engine`), and
//! findings are confirmed (`confirm`) and reported (`report`). The packages, lowest first; the
//! compiler checks that each uses only lower ones, and `tests/repository/tidy.rs` that this table
//! matches the source tree.
//!
//! | package | uses | what it is |
//! |---|---|---|
//! | `symex-abi` | | the contract with programs under test: hooks, layouts, names, exit codes, the file of inputs |
//! | `symex-types` | abi | settings, events, outcomes and statistics; masks; a small seeded generator |
//! | `symex-terms` | types | hash-consed terms, the simplifier, evaluation, path conditions, the text form |
//! | `symex-program` | | the immutable form of the code: functions, blocks, instructions on numbered slots |
//! | `symex-bitcode` | abi, program, types | the toolchain's LLVM; linking, passes and translation of bitcode |
//! | `symex-points-to` | abi, program | points-to analysis before the program runs; memory segments |
//! | `symex-solver` | terms, types | queries and answers; a list of stages before the one back end, Z3 |
//! | `symex-memory` | terms, types, program, points-to | objects, their addresses, their bytes: defined, undefined, symbolic |
//! | `symex-engine` | abi, memory, solver, terms, types, program | states, searchers, the executor, models; runs one harness to its outcome |
//! | `symex-cluster` | types | regions of an exploration on many machines: coordinator, worker, ledger, NATS |
//! | `symex-z3` | | builds Z3 from source |
//! | `symex-kani-macros` | | the macros of `symex-kani`: proofs, contracts, derives |
//! | `symex-kani` | kani-macros, runtime | the library `kani` of `cargo symex kani`, whose sources this package carries |
//! | `symex-quickcheck` | runtime | the library `quickcheck` of `cargo symex --quickcheck`, carried likewise |
//! | `symex-testing` | types | code shared by the tests; not published |
//!
//! The modules of this package; `tests/repository/tidy.rs` checks that a module uses only itself
//! and those above it:
//!
//! | module | what it is |
//! |---|---|
//! | `build` | runs cargo with our linker and C compiler; one bitcode program per test executable |
//! | `harness` | the harness, as all modules below use it |
//! | `store` | persistent store of verdicts and solver answers |
//! | `judgement` | judgements on the findings of generated harnesses |
//! | `auto` | drafts harnesses for the functions of a crate, by rustdoc's description of it |
//! | `generalize` | makes inputs of the constants of a crate's tests |
//! | `source` | source places and traces for reports |
//! | `confirm` | native runs, sanitizers, and their effect on a verdict; regression tests and reproducers |
//! | `ignored` | the file of findings that do not count |
//! | `pipeline` | the steps of every run: discover, load, select, explore, confirm, store; events and exit codes |
//! | `report` | the forms of report, each a receiver of events; everything that is printed |
//! | `cli` | turns arguments into settings and runs the pipeline |
//!
//! # Invariants
//! - Nothing is left out silently: an operation that the engine does not support ends the path as
//!   *unsupported*, a limit that the user set is a *bound*, and either keeps the verdict from being
//!   `pass (complete)`.
//! - Each state's assignment satisfies its path condition. The side of a branch that the assignment
//!   takes is feasible without a query.
//! - Terms are made by the pool's constructors only. Evaluation of terms is the ground truth for
//!   simplifier and solver.
//! - Pointers keep their object: an address is the base of an object plus an offset, and an access
//!   outside that object is a finding even if another object lies there.
//! - Uninitialised bytes stay marked through copies; a branch or computation that uses them is a
//!   finding.
//! - The same program, settings and seed give the same paths, up to limits on time and memory.
//! - A native run confirms a finding, or leads the engine to one (`explore/follow.rs`). What it
//!   alone has shown is not reported.
//! - States fork in four places: where both sides of a condition are possible
//!   (`exec/path/fork.rs`; an access that may or may not be valid forks in the same way,
//!   `exec/memory/require.rs`), where objects are placed anew for the other side
//!   (`exec/memory/address_decision.rs`), where another thread may run (`exec/threads/mod.rs`),
//!   and at the start, for each number of arguments (`explore.rs`).
//! - The threads that share the paths of one job share the program and nothing else: what they give
//!   each other are regions, the recorded decisions of a path (`explore/region.rs`).
//! - A path has one thread at a time; what runs before what follows the C++20 memory model, in
//!   sequentially consistent order, and accesses without order are races.
//! - There are no thread-locals, and only this global state: whether standard output and reports
//!   could be written (`report/output.rs`), the toolchain on the path (`build/tools.rs`), the
//!   loaded LLVM and its answers to one-time questions (`llvm/` of `symex-bitcode`), the thread
//!   that interrupts Z3 for all solvers (`backend/interrupt.rs` of `symex-solver`), and what ended
//!   runs still free (`leftovers.rs` there). Options are read in `cli` and defined in
//!   `symex-types`.
//! - LLVM is named in `symex-bitcode` only, Z3 in `backend/` of `symex-solver`, clap in `cli/`,
//!   SQLite in `store/`.
//! - The command runs LLVM in a separate process (`build/bitcode_process.rs`): if LLVM crashes on
//!   damaged bitcode, does not terminate or exhausts memory, that is an ordinary error.
//!
//! # Words
//! `docs/glossary.md` defines the terms.

pub mod auto;
pub mod build;
pub mod cli;
pub mod confirm;
pub mod generalize;
pub mod harness;
pub mod ignored;
pub mod judgement;
pub mod pipeline;
pub mod report;
pub mod source;
pub mod store;

#[cfg(test)]
symex_testing::clear_at_start!();
