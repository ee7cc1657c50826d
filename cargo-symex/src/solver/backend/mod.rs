//! Back ends: the only files that name a solver library.
