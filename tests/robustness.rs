//! Hard cases from the outside: each ends with one clear message and the documented exit code, and never with a panic of
//! the tool or a hang.

mod support;
