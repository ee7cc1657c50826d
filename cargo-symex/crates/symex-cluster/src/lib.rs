//! Exploration of one harness by many workers, on machines that share nothing but a server.
//!
//! **What it is.** A run is a tree of regions. [`coordinator`] gives its root away; [`worker`]
//! takes a region, explores it for a while, commits a record of what it found out and of the
//! regions that are left, its children, and gives those away. The run is over when the [`ledger`]
//! is closed: when there is a record of each region that was ever given away. [`exchange`] is what
//! they need of an engine that carries all that; [`nats`] is such an engine.
//!
//! **What it needs.** An engine that keeps what it is given, delivers each region at least once,
//! and takes the first of several records of a region. Regions, jobs and results are bytes here.
//!
//! **What it promises.** Each region counts once, whoever dies at whatever step: a region whose
//! worker is gone is delivered again, a second record of it is refused, and who finds a record
//! gives its children away once more, as its worker may have died before it did. A region that
//! fails again and again is recorded as lost; nothing is passed over in silence.

pub mod coordinator;
pub mod exchange;
pub mod ledger;
pub mod nats;
pub mod worker;
