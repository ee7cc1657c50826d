//! Invariants of a program, checked after translation in debug builds and by tests.
