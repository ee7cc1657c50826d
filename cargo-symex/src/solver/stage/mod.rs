//! Decorators, one a file.
