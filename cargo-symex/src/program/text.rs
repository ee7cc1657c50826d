//! The readable text form of a program, for debugging and tests.
