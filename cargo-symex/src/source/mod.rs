//! Source places and traces for reports: places in files, the calls that lead to them, and by what
//! a finding is recognised when the source is edited.

pub mod identity;
pub mod place;
pub mod trace;
