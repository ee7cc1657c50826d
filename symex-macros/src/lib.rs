//! The macros of symex-runtime.
