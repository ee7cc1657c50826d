//! Large contents: what does not fit into a message is an object, named by its hash.

use super::connection::{DAY, Remote, unavailable};
use crate::exchange::{Answer, RunId};
use async_nats::jetstream::object_store::{Config, ObjectStore};
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// Size of contents, in bytes, up to which they are in the message. Servers take a megabyte.
const SMALL: usize = 512 << 10;

/// First byte of contents that are here, or an object with the hash that follows.
const HERE: u8 = 0;
const OBJECT: u8 = 1;

/// Store of programs, which several runs share.
const PROGRAMS: &str = "symex-programs";

/// Time for which programs are kept.
const KEPT: Duration = Duration::from_secs(7 * DAY);

/// Age from which on a program is put once more.
const OLD: Duration = Duration::from_secs(DAY);

/// Large contents on a server.
pub(super) struct Contents(Arc<Remote>);

impl Contents {
    pub fn new(remote: Arc<Remote>) -> Self {
        Contents(remote)
    }

    fn store_name(run: &RunId) -> String {
        format!("symex-big-{run}")
    }

    /// Returns contents as a message holds them, or refers to them.
    pub fn pack(&self, run: &RunId, bytes: Vec<u8>) -> Answer<Bytes> {
        let mut packed = Vec::with_capacity(bytes.len().min(SMALL) + 33);
        if bytes.len() <= SMALL {
            packed.push(HERE);
            packed.extend(bytes);
            return Ok(packed.into());
        }
        let hash = blake3::hash(&bytes);
        self.put(&Self::store_name(run), super::KEPT, &hash, &bytes)?;
        packed.push(OBJECT);
        packed.extend(hash.as_bytes());
        Ok(packed.into())
    }

    /// Returns what [`Self::pack`] packed.
    pub fn unpack(&self, run: &RunId, packed: Bytes) -> Answer<Vec<u8>> {
        match packed.split_first() {
            Some((&HERE, bytes)) => Ok(bytes.to_vec()),
            Some((&OBJECT, hash)) => {
                let hash: [u8; 32] = hash.try_into().map_err(unavailable)?;
                self.object(&Self::store_name(run), &hash)
            }
            _ => Err(unavailable("a message of another kind")),
        }
    }

    /// Removes the contents of a run.
    pub fn remove(&self, run: &RunId) {
        // Where there are none, there is nothing to do; else the server removes them later.
        let removed = self.0.js.delete_object_store(Self::store_name(run));
        let _ = self.0.runtime.block_on(removed);
    }

    /// Keeps a program for some days.
    pub fn put_program(&self, bytes: &[u8]) -> Answer<[u8; 32]> {
        let hash = blake3::hash(bytes);
        self.put(PROGRAMS, KEPT, &hash, bytes)?;
        Ok(*hash.as_bytes())
    }

    /// Returns a program.
    pub fn program(&self, hash: &[u8; 32]) -> Answer<Vec<u8>> {
        self.object(PROGRAMS, hash)
    }

    fn put(&self, store: &str, kept: Duration, hash: &blake3::Hash, bytes: &[u8]) -> Answer<()> {
        let name = hash.to_hex();
        self.0.asking(async || {
            let config = Config {
                bucket: store.to_owned(),
                max_age: kept,
                ..Config::default()
            };
            let js = &self.0.js;
            let store = js.create_object_store(config).await.map_err(unavailable)?;
            if is_new(&store, &name).await {
                return Ok(());
            }
            let mut bytes = bytes;
            let put = store.put(name.as_str(), &mut bytes).await;
            put.map(drop).map_err(unavailable)
        })
    }

    fn object(&self, store: &str, hash: &[u8; 32]) -> Answer<Vec<u8>> {
        let name = blake3::Hash::from_bytes(*hash).to_hex();
        let stream = format!("OBJ_{store}");
        self.0.asking_for(Some(&stream), async || {
            let store = self.0.js.get_object_store(store).await;
            let store = store.map_err(unavailable)?;
            let mut object = store.get(name.as_str()).await.map_err(unavailable)?;
            let mut bytes = Vec::with_capacity(object.info.size);
            let read = object.read_to_end(&mut bytes).await;
            read.map_err(unavailable)?;
            match blake3::hash(&bytes).as_bytes() == hash {
                true => Ok(bytes),
                false => Err(unavailable("an object is damaged")),
            }
        })
    }
}

/// Reports whether there is an object that will be kept for long.
async fn is_new(store: &ObjectStore, name: &str) -> bool {
    let Ok(info) = store.info(name).await else {
        return false;
    };
    let Some(modified) = info.modified else {
        return false;
    };
    let now = std::time::SystemTime::now();
    let age = now.duration_since(modified.into()).unwrap_or_default();
    age < OLD
}
