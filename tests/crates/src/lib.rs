//! Only the harnesses in `tests` are of interest.
