//! A region that was taken: a message that is not acknowledged yet.

use super::connection::{Remote, unavailable};
use crate::exchange::{Answer, Lease, Region, RunId};
use async_nats::jetstream::{AckKind, Message};
use std::sync::Arc;
use std::time::Duration;

/// Time after which a region that was given back is delivered to another worker.
const AGAIN: Duration = Duration::from_secs(1);

pub(super) struct NatsLease {
    pub remote: Arc<Remote>,
    pub run: RunId,
    pub region: Region,
    pub term: Duration,
    pub message: Message,
}

impl NatsLease {
    fn acknowledge(&self, kind: AckKind) -> Answer<()> {
        // If it does not arrive, the region is taken once more, and there is a record then.
        let acknowledged = self.message.ack_with(kind);
        let done = self.remote.runtime.block_on(acknowledged);
        done.map_err(unavailable)
    }
}

impl Lease for NatsLease {
    fn run(&self) -> &RunId {
        &self.run
    }

    fn region(&self) -> &Region {
        &self.region
    }

    fn deliveries(&self) -> u64 {
        self.message.info().map_or(1, |info| info.delivered.max(1)) as u64
    }

    fn term(&self) -> Duration {
        self.term
    }

    fn extend(&self) -> Answer<()> {
        self.acknowledge(AckKind::Progress)
    }

    fn end(&self) -> Answer<()> {
        self.acknowledge(AckKind::Ack)
    }

    fn give_back(&self) -> Answer<()> {
        self.acknowledge(AckKind::Nak(Some(AGAIN)))
    }
}
