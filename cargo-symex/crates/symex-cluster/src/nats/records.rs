//! The records of a run as they come: a watch of the keys of its bucket.

use super::RECORD;
use super::connection::{Remote, decode, unavailable};
use super::contents::Contents;
use crate::exchange::{Answer, Failure, Record, Records, RegionId, RunId};
use async_nats::jetstream::kv::{Entry, Store, Watch};
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time without a record after which the watch is made anew: it may have been lost with the server.
const SILENCE: Duration = Duration::from_secs(5);

pub(super) struct NatsRecords {
    remote: Arc<Remote>,
    /// Name of the stream behind the bucket.
    stream: String,
    run: RunId,
    bucket: Store,
    contents: Contents,
    watch: Option<Watch>,
    /// Revision of the last record.
    seen: u64,
    /// Time of the last record, or at which the watch was made.
    heard: Instant,
}

impl NatsRecords {
    pub fn new(remote: Arc<Remote>, stream: String, (run, bucket): (RunId, Store)) -> Self {
        NatsRecords {
            contents: Contents::new(remote.clone()),
            remote,
            stream,
            run,
            bucket,
            watch: None,
            seen: 0,
            heard: Instant::now(),
        }
    }

    /// Ends the watch, so that another is made.
    fn forget(&mut self) {
        // It tells the server in a task.
        let _entered = self.remote.runtime.enter();
        self.watch = None;
    }

    fn read(&mut self, entry: Entry) -> Answer<Option<(RegionId, Record)>> {
        let id = entry.key.strip_prefix(RECORD).and_then(RegionId::parse);
        let Some(id) = id.filter(|_| !entry.value.is_empty()) else {
            return Ok(None);
        };
        let record = decode(&self.contents.unpack(&self.run, entry.value)?)?;
        Ok(Some((id, record)))
    }
}

impl Drop for NatsRecords {
    fn drop(&mut self) {
        self.forget();
    }
}

impl Records for NatsRecords {
    fn next(&mut self, wait: Duration) -> Answer<Option<(RegionId, Record)>> {
        if self.heard.elapsed() > SILENCE {
            self.forget();
            self.remote.check()?;
        }
        let watch = match &mut self.watch {
            Some(watch) => watch,
            None => {
                let (bucket, from) = (&self.bucket, self.seen + 1);
                let made = self.remote.asking_for(Some(&self.stream), async || {
                    let keys = format!("{RECORD}>");
                    let watch = bucket.watch_from_revision(keys, from).await;
                    watch.map_err(unavailable)
                });
                self.heard = Instant::now();
                self.watch.insert(made?)
            }
        };
        let next = self
            .remote
            .runtime
            .block_on(async { tokio::time::timeout(wait, watch.next()).await });
        match next {
            // Nothing yet.
            Err(_) => Ok(None),
            Ok(Some(Ok(entry))) => {
                self.heard = Instant::now();
                let revision = entry.revision;
                let record = self.read(entry);
                match &record {
                    Err(Failure::Unavailable(_)) => self.forget(),
                    _ => self.seen = self.seen.max(revision),
                }
                record
            }
            Ok(Some(Err(_)) | None) => {
                self.forget();
                std::thread::sleep(wait.min(Duration::from_millis(50)));
                Ok(None)
            }
        }
    }
}
