//! The coordinator of a run: gives its roots away, and enters the records that come into the
//! ledger, until that is closed.

use crate::exchange::{
    Answer, Exchange, Failure, Record, Region, RegionId, RunId, RunInfo, RunState,
};
use crate::ledger::Ledger;
use std::time::{Duration, Instant};

/// Greatest time for which the coordinator waits for a record.
const WAIT: Duration = Duration::from_millis(100);

/// Time between two signs of life.
const SIGN: Duration = Duration::from_secs(5);

/// Who wants to know what is found out.
pub trait Host {
    /// Adds what a worker has found out.
    fn add(&mut self, by: &str, found: Vec<u8>);

    /// Hears that a region was given up.
    fn lost(&mut self, by: &str, why: &str);

    /// Reports whether the run is to go on, as far as it has come.
    fn goes_on(&mut self, ledger: &Ledger) -> bool;

    /// Returns how far the run has come.
    fn state(&self, ledger: &Ledger) -> RunState;
}

/// How a run ended.
pub struct Ended {
    pub ledger: Ledger,
    /// Why the engine failed, if it did.
    pub failure: Option<Failure>,
}

/// Has the regions of a run explored by workers, until none is left or the host says no. What is
/// kept of the run in the engine is removed.
pub fn coordinate(
    exchange: &dyn Exchange,
    run: &RunId,
    info: &RunInfo,
    roots: &[Region],
    host: &mut dyn Host,
) -> Ended {
    let mut ledger = Ledger::new(roots);
    let end = follow(exchange, run, (info, roots), &mut ledger, host);
    // What is not removed now is in a while, by a worker or by the engine.
    let _ = exchange.close(run);
    Ended {
        ledger,
        failure: end.err(),
    }
}

fn follow(
    exchange: &dyn Exchange,
    run: &RunId,
    (info, roots): (&RunInfo, &[Region]),
    ledger: &mut Ledger,
    host: &mut dyn Host,
) -> Answer<()> {
    exchange.open(run, info)?;
    exchange.tell(run, &host.state(ledger))?;
    for root in roots {
        exchange.give(run, root)?;
    }
    let mut records = exchange.follow(run)?;
    let mut next_sign = Instant::now() + SIGN;
    while !ledger.is_closed() && host.goes_on(ledger) {
        if let Some((id, record)) = records.next(WAIT)? {
            enter(ledger, id, record, host);
        }
        if Instant::now() >= next_sign {
            exchange.tell(run, &host.state(ledger))?;
            next_sign = Instant::now() + SIGN;
        }
    }
    Ok(())
}

fn enter(ledger: &mut Ledger, id: RegionId, record: Record, host: &mut dyn Host) {
    let by = record.by.clone();
    let lost = ledger.lost();
    let why = record.reason().map(str::to_owned);
    if let Some(found) = ledger.enter(id, record) {
        host.add(&by, found);
    } else if let Some(why) = why.filter(|_| ledger.lost() > lost) {
        host.lost(&by, &why);
    }
}
