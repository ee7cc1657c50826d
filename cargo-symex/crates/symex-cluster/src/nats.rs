//! NATS JetStream as the engine: regions are messages of a work queue, records are keys of a bucket
//! that each run has, large contents are objects.

mod connection;
mod contents;
mod lease;
mod records;

pub use connection::{Connection, Login};

use crate::exchange::{
    Answer, Exchange, Failure, Lease, Record, Records, Region, RegionId, RunId, RunInfo, RunState,
    WorkerState,
};
use async_nats::HeaderMap;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::kv;
use async_nats::jetstream::stream::{self, RetentionPolicy};
use bytes::Bytes;
use connection::{DAY, Remote, decode, encode, unavailable};
use contents::Contents;
use futures_util::StreamExt;
use lease::NatsLease;
use records::NatsRecords;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The stream of regions that wait to be explored.
const WORK: &str = "SYMEX_WORK";

/// Prefix of the names of the buckets of runs.
const RUN: &str = "symex-run-";

/// Prefix of the names of the streams behind them.
const STREAM: &str = "KV_symex-run-";

/// Bucket of what workers tell of themselves.
const WORKERS: &str = "symex-workers";

/// Time for which a worker is known after it was heard of.
const PRESENT: Duration = Duration::from_secs(15);

/// Time after which what is kept of a run is removed by the server.
const KEPT: Duration = Duration::from_secs(30 * DAY);

/// Header by which the server tells a message that it has from one that is new.
const MESSAGE_ID: &str = "Nats-Msg-Id";

/// Time for which a request for regions is heard.
const ASKED: Duration = Duration::from_millis(1500);

/// Greatest number of regions that are lent at a time.
const MOST_LENT: i64 = 100_000;

/// Keys in the bucket of a run: what it is, how far it has come, and its records.
const INFO: &str = "info";
const STATE: &str = "state";
const RECORD: &str = "r.";

/// A region on its way.
#[derive(serde::Serialize, serde::Deserialize)]
struct Parcel {
    run: RunId,
    region: Region,
}

/// NATS JetStream as the engine of a cluster.
pub struct Nats {
    remote: Arc<Remote>,
    /// Name of the build of the tool, of which regions are taken.
    tool: String,
    term: Duration,
    buckets: Mutex<HashMap<RunId, kv::Store>>,
    consumer: Mutex<Option<PullConsumer>>,
    contents: Contents,
    began: Instant,
    /// Milliseconds from the beginning to the last request for regions; 0 is none.
    asked: Arc<AtomicU64>,
}

impl Nats {
    /// Connects to a server, for a build of the tool. The lease of a region that is taken runs out
    /// after this term, unless it is extended.
    ///
    /// # Errors
    ///
    /// Fails if the server is not there, or does not let us in.
    pub fn connect(connection: &Connection, tool: &[u8; 32], term: Duration) -> Answer<Self> {
        let tool = blake3::Hash::from_bytes(*tool).to_hex()[..16].to_owned();
        let remote = Arc::new(Remote::connect(connection)?);
        let asked = Arc::new(AtomicU64::new(0));
        let began = Instant::now();
        remote.listen(format!("symex.asked.{tool}"), {
            let asked = asked.clone();
            move || asked.store(began.elapsed().as_millis().max(1) as u64, Ordering::Relaxed)
        })?;
        Ok(Nats {
            contents: Contents::new(remote.clone()),
            remote,
            tool,
            term,
            buckets: Mutex::default(),
            consumer: Mutex::default(),
            began,
            asked,
        })
    }

    fn bucket_name(run: &RunId) -> String {
        format!("{RUN}{run}")
    }

    /// Returns the name of the stream behind the bucket of a run.
    fn stream_name(run: &RunId) -> String {
        format!("{STREAM}{run}")
    }

    fn subject(&self, run: &RunId) -> String {
        format!("symex.work.{}.{run}", self.tool)
    }

    /// Returns the bucket of a run.
    fn bucket(&self, run: &RunId) -> Answer<kv::Store> {
        let known = |buckets: &HashMap<_, kv::Store>| buckets.get(run).cloned();
        if let Some(bucket) = known(&self.buckets.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(bucket);
        }
        let name = Self::bucket_name(run);
        let stream = Self::stream_name(run);
        let bucket = self.remote.asking_for(Some(&stream), async || {
            let bucket = self.remote.js.get_key_value(&name).await;
            bucket.map_err(unavailable)
        })?;
        self.remember(run, bucket.clone());
        Ok(bucket)
    }

    fn remember(&self, run: &RunId, bucket: kv::Store) {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.insert(run.clone(), bucket);
    }

    fn forget(&self, run: &RunId) {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.remove(run);
    }

    /// Asks the bucket of a run until there is an answer.
    fn ask<T>(&self, run: &RunId, op: impl AsyncFn(&kv::Store) -> Answer<T>) -> Answer<T> {
        let bucket = self.bucket(run)?;
        let stream = Self::stream_name(run);
        let answer = self
            .remote
            .asking_for(Some(&stream), async || op(&bucket).await);
        if matches!(answer, Err(Failure::Gone)) {
            self.forget(run);
        }
        answer
    }

    fn value(&self, run: &RunId, key: &str) -> Answer<Option<(Bytes, u64)>> {
        self.ask(run, async |bucket| {
            let entry = bucket.entry(key).await.map_err(unavailable)?;
            Ok(entry.map(|entry| (entry.value, entry.revision)))
        })
    }

    /// Returns the consumer of the regions of this build, with the stream that it needs.
    fn consumer(&self) -> Answer<PullConsumer> {
        let mut known = self.consumer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(consumer) = &*known {
            return Ok(consumer.clone());
        }
        let name = format!("worker-{}", self.tool);
        let consumer = self.remote.asking(async || {
            let stream = self.work().await?;
            let config = pull::Config {
                durable_name: Some(name.clone()),
                ack_policy: AckPolicy::Explicit,
                ack_wait: self.term,
                max_deliver: -1,
                max_ack_pending: MOST_LENT,
                filter_subject: format!("symex.work.{}.>", self.tool),
                inactive_threshold: KEPT,
                ..pull::Config::default()
            };
            let consumer = stream.get_or_create_consumer(&name, config).await;
            consumer.map_err(unavailable)
        })?;
        Ok(known.insert(consumer).clone())
    }

    async fn work(&self) -> Answer<stream::Stream> {
        let config = stream::Config {
            name: WORK.to_owned(),
            subjects: vec!["symex.work.>".to_owned()],
            retention: RetentionPolicy::WorkQueue,
            max_age: KEPT,
            ..stream::Config::default()
        };
        let stream = self.remote.js.get_or_create_stream(config).await;
        stream.map_err(unavailable)
    }

    async fn worker_bucket(&self) -> Answer<kv::Store> {
        let config = kv::Config {
            bucket: WORKERS.to_owned(),
            max_age: PRESENT,
            history: 1,
            ..kv::Config::default()
        };
        let bucket = self.remote.js.create_key_value(config).await;
        bucket.map_err(unavailable)
    }
}

impl Exchange for Nats {
    fn open(&self, run: &RunId, info: &RunInfo) -> Answer<()> {
        let bucket = self.remote.asking(async || {
            self.work().await?;
            let config = kv::Config {
                bucket: Self::bucket_name(run),
                max_age: KEPT,
                history: 1,
                ..kv::Config::default()
            };
            let bucket = self.remote.js.create_key_value(config).await;
            bucket.map_err(unavailable)
        })?;
        self.remember(run, bucket);
        let info = self.contents.pack(run, encode(info)?)?;
        self.ask(run, async |bucket| {
            let put = bucket.put(INFO, info.clone()).await;
            put.map(drop).map_err(unavailable)
        })
    }

    fn info(&self, run: &RunId) -> Answer<RunInfo> {
        let (value, _) = self.value(run, INFO)?.ok_or(Failure::Gone)?;
        decode(&self.contents.unpack(run, value)?)
    }

    fn sign_of_life(&self, run: &RunId) -> Answer<u64> {
        Ok(self.value(run, STATE)?.map_or(0, |(_, revision)| revision))
    }

    fn tell(&self, run: &RunId, state: &RunState) -> Answer<()> {
        let state: Bytes = encode(state)?.into();
        self.ask(run, async |bucket| {
            let put = bucket.put(STATE, state.clone()).await;
            put.map(drop).map_err(unavailable)
        })
    }

    fn close(&self, run: &RunId) -> Answer<()> {
        self.forget(run);
        let name = Self::bucket_name(run);
        let subject = self.subject(run);
        self.remote.asking(async || {
            let js = &self.remote.js;
            // Where there is none, it is removed already.
            let _ = js.delete_key_value(&name).await;
            let stream = self.work().await?;
            let purge = stream.purge().filter(subject.clone()).await;
            purge.map(drop).map_err(unavailable)
        })?;
        self.contents.remove(run);
        Ok(())
    }

    fn give(&self, run: &RunId, region: &Region) -> Answer<()> {
        let parcel = Parcel {
            run: run.clone(),
            region: region.clone(),
        };
        let payload = self.contents.pack(run, encode(&parcel)?)?;
        let subject = self.subject(run);
        let name = format!("{run}.{}", region.id);
        self.remote.asking(async || {
            let mut headers = HeaderMap::new();
            headers.insert(MESSAGE_ID, name.as_str());
            let js = &self.remote.js;
            let sent = js.publish_with_headers(subject.clone(), headers, payload.clone());
            let sent = sent.await.map_err(unavailable)?;
            sent.await.map(drop).map_err(unavailable)
        })
    }

    fn take(&self, wait: Duration) -> Answer<Option<Box<dyn Lease>>> {
        let consumer = self.consumer()?;
        let message = self.remote.runtime.block_on(async {
            let batch = consumer.batch().max_messages(1).expires(wait);
            let mut messages = batch.messages().await.ok()?;
            messages.next().await?.ok()
        });
        let Some(message) = message else {
            // Whether there is nothing, or no server, is the same to those who wait: but the time.
            self.remote.check()?;
            return Ok(None);
        };
        let bytes = match message.subject.rsplit_once('.') {
            Some((_, run)) => {
                let run = RunId(run.to_owned());
                match self.contents.unpack(&run, message.payload.clone()) {
                    Err(Failure::Gone) => Vec::new(),
                    bytes => bytes?,
                }
            }
            None => Vec::new(),
        };
        let Ok(Parcel { run, region }) = decode(&bytes) else {
            // Nobody could explore it: the run is over, or it is not ours.
            let _ = self.remote.runtime.block_on(message.ack());
            return Ok(None);
        };
        Ok(Some(Box::new(NatsLease {
            remote: self.remote.clone(),
            run,
            region,
            term: self.term,
            message,
        })))
    }

    fn commit(&self, run: &RunId, region: RegionId, record: Record) -> Answer<Record> {
        let key = format!("{RECORD}{region}");
        let value = self.contents.pack(run, encode(&record)?)?;
        let is_first = self.ask(run, async |bucket| {
            match bucket.create(&key, value.clone()).await {
                Ok(_) => Ok(true),
                Err(error) if error.kind() == kv::CreateErrorKind::AlreadyExists => Ok(false),
                Err(error) => Err(unavailable(error)),
            }
        })?;
        match is_first {
            true => Ok(record),
            false => self.record(run, region)?.ok_or(Failure::Gone),
        }
    }

    fn record(&self, run: &RunId, region: RegionId) -> Answer<Option<Record>> {
        let value = self.value(run, &format!("{RECORD}{region}"))?;
        let Some((value, _)) = value else {
            return Ok(None);
        };
        decode(&self.contents.unpack(run, value)?).map(Some)
    }

    fn follow(&self, run: &RunId) -> Answer<Box<dyn Records>> {
        Ok(Box::new(NatsRecords::new(
            self.remote.clone(),
            Self::stream_name(run),
            (run.clone(), self.bucket(run)?),
        )))
    }

    fn put(&self, bytes: &[u8]) -> Answer<[u8; 32]> {
        self.contents.put_program(bytes)
    }

    fn get(&self, hash: &[u8; 32]) -> Answer<Vec<u8>> {
        self.contents.program(hash)
    }

    fn ask_for_regions(&self) {
        let subject = format!("symex.asked.{}", self.tool);
        // Nobody needs to hear it.
        let _ = self.remote.runtime.block_on(async {
            let sent = self.remote.client.publish(subject, Bytes::new());
            let _ = sent.await;
            self.remote.client.flush().await
        });
    }

    fn is_asked_for_regions(&self) -> bool {
        let asked = Duration::from_millis(self.asked.load(Ordering::Relaxed));
        !asked.is_zero() && self.began.elapsed() < asked + ASKED
    }

    fn present(&self, worker: &WorkerState) -> Answer<()> {
        let key = blake3::hash(worker.name.as_bytes()).to_hex();
        let value: Bytes = encode(worker)?.into();
        self.remote.asking(async || {
            let put = self.worker_bucket().await?.put(&key, value.clone()).await;
            put.map(drop).map_err(unavailable)
        })
    }

    fn runs(&self) -> Answer<Vec<RunId>> {
        self.remote.asking(async || {
            let mut names = self.remote.js.stream_names();
            let mut runs = Vec::new();
            while let Some(name) = names.next().await {
                let name = name.map_err(unavailable)?;
                runs.extend(name.strip_prefix(STREAM).map(|run| RunId(run.to_owned())));
            }
            Ok(runs)
        })
    }

    fn state(&self, run: &RunId) -> Answer<RunState> {
        match self.value(run, STATE)? {
            Some((value, _)) => decode(&value),
            None => Ok(RunState::default()),
        }
    }

    fn workers(&self) -> Answer<Vec<WorkerState>> {
        let values = self.remote.asking(async || {
            let bucket = self.worker_bucket().await?;
            connection::values(&bucket).await
        })?;
        values.iter().map(|value| decode(value)).collect()
    }
}
