//! The connection to a server, and how long one waits for it.

use crate::exchange::{Answer, Failure};
use async_nats::jetstream::{self, kv};
use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, ServerAddr};
use futures_util::StreamExt;
use percent_encoding::percent_decode_str;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// Seconds of a day.
pub(super) const DAY: u64 = 24 * 60 * 60;

/// Time for which an answer of the server is waited for, over all attempts.
const PATIENCE: Duration = Duration::from_secs(120);

/// Time for which the first connection is tried.
const FIRST: Duration = Duration::from_secs(10);

/// Time for which an answer to one attempt is waited for.
const ATTEMPT: Duration = Duration::from_secs(5);

/// Greatest pause between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

/// A server, and how to get in.
#[derive(Clone)]
pub struct Connection {
    /// Addresses such as `nats://host:4222` or `tls://user:password@host`, with commas between
    /// them. A name without a password is a token.
    pub url: String,
    pub login: Login,
    /// Time for which the server may be silent before that is a failure; `None` is two minutes.
    pub patience: Option<Duration>,
}

impl fmt::Debug for Connection {
    /// Leaves out what is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Connection");
        shown.field("login", &self.login);
        shown.field("patience", &self.patience);
        shown.finish_non_exhaustive()
    }
}

/// What a server may ask for.
#[derive(Clone, Default, Debug)]
pub struct Login {
    /// File with a user's credentials (JWT and seed), as `nsc` writes it.
    pub credentials: Option<PathBuf>,
    /// File with certificates of authorities that the server's is checked by.
    pub authorities: Option<PathBuf>,
    /// Files with the client's certificate and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// A server that is connected.
pub(super) struct Remote {
    pub runtime: Runtime,
    pub client: Client,
    pub js: jetstream::Context,
    patience: Duration,
    /// Time since which the server has been away.
    away: Mutex<Option<Instant>>,
}

impl Remote {
    pub fn connect(connection: &Connection) -> Answer<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("symex-cluster")
            .enable_all()
            .build()
            .map_err(unavailable)?;
        let client = runtime.block_on(async {
            let Login {
                credentials,
                authorities,
                certificate,
            } = &connection.login;
            let mut options = ConnectOptions::new()
                .name("cargo symex")
                .connection_timeout(ATTEMPT)
                .request_timeout(Some(ATTEMPT));
            if let Some(file) = credentials {
                let read = options.credentials_file(file).await;
                options = read.map_err(|error| about(file, error))?;
            }
            if let Some(file) = authorities {
                options = options
                    .add_root_certificates(file.clone())
                    .require_tls(true);
            }
            if let Some((certificate, key)) = certificate {
                options = options.add_client_certificate(certificate.clone(), key.clone());
            }
            let servers = connection.url.split(',').map(ServerAddr::from_str);
            let servers: Vec<ServerAddr> =
                servers.collect::<Result<_, _>>().map_err(unavailable)?;
            if let Some((user, password)) = servers.iter().find_map(user_of) {
                options = match password {
                    Some(password) => options.user_and_password(user, password),
                    None => options.token(user),
                };
            }
            let deadline = Instant::now() + FIRST;
            loop {
                match options.clone().connect(&servers[..]).await {
                    Ok(client) => break Ok(client),
                    Err(error) if !is_passing(&error) || Instant::now() >= deadline => {
                        break Err(unavailable(error));
                    }
                    Err(_) => tokio::time::sleep(PAUSE / 4).await,
                }
            }
        })?;
        let mut js = {
            // It starts a task.
            let _entered = runtime.enter();
            jetstream::new(client.clone())
        };
        js.set_timeout(ATTEMPT);
        Ok(Remote {
            runtime,
            client,
            js,
            patience: connection.patience.unwrap_or(PATIENCE),
            away: Mutex::default(),
        })
    }

    /// Calls a function whenever a message of a subject comes.
    pub fn listen(&self, subject: String, hear: impl Fn() + Send + 'static) -> Answer<()> {
        let subscribed = self.runtime.block_on(self.client.subscribe(subject));
        let mut messages = subscribed.map_err(unavailable)?;
        self.runtime.spawn(async move {
            while messages.next().await.is_some() {
                hear();
            }
        });
        Ok(())
    }

    /// Fails if the server has been away for too long.
    pub fn check(&self) -> Answer<()> {
        use async_nats::connection::State;
        let mut away = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        if self.client.connection_state() == State::Connected {
            *away = None;
            return Ok(());
        }
        let since = *away.get_or_insert_with(Instant::now);
        match since.elapsed() > self.patience {
            true => Err(Failure::Unavailable(
                "the server does not answer".to_owned(),
            )),
            false => Ok(()),
        }
    }

    /// Asks the server until it answers.
    pub fn asking<T>(&self, op: impl AsyncFn() -> Answer<T>) -> Answer<T> {
        self.asking_for(None, op)
    }

    /// Asks the server until it answers, or says that a stream is gone.
    pub fn asking_for<T>(
        &self,
        stream: Option<&str>,
        op: impl AsyncFn() -> Answer<T>,
    ) -> Answer<T> {
        let deadline = Instant::now() + self.patience;
        let mut pause = Duration::from_millis(20);
        self.runtime.block_on(async {
            loop {
                let failure = match tokio::time::timeout(2 * ATTEMPT, op()).await {
                    Ok(Ok(answer)) => return Ok(answer),
                    Ok(Err(Failure::Gone)) => return Err(Failure::Gone),
                    Ok(Err(failure)) => failure,
                    Err(_) => Failure::Unavailable("the server does not answer".to_owned()),
                };
                if let Some(stream) = stream
                    && self.is_gone(stream).await
                {
                    return Err(Failure::Gone);
                }
                if Instant::now() >= deadline {
                    return Err(failure);
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(PAUSE);
            }
        })
    }

    /// Reports whether the server says that there is no such stream.
    async fn is_gone(&self, stream: &str) -> bool {
        use async_nats::jetstream::ErrorCode;
        use async_nats::jetstream::context::GetStreamErrorKind;
        match self.js.get_stream(stream).await {
            Ok(_) => false,
            Err(error) => match error.kind() {
                GetStreamErrorKind::JetStream(error) => {
                    error.error_code() == ErrorCode::STREAM_NOT_FOUND
                }
                _ => false,
            },
        }
    }
}

/// Returns the user and the password that are part of an address, or a token alone.
fn user_of(server: &ServerAddr) -> Option<(String, Option<String>)> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let user = server.username().filter(|user| !user.is_empty())?;
    Some((decoded(user), server.password().map(decoded)))
}

/// Reports whether a connection may succeed in a while, as where the server has just been started.
fn is_passing(error: &ConnectError) -> bool {
    let is_refused = |error: &(dyn std::error::Error + 'static)| {
        let error = error.downcast_ref::<std::io::Error>();
        error.is_none_or(|error| error.kind() != std::io::ErrorKind::InvalidData)
    };
    match error.kind() {
        ConnectErrorKind::Io => error.source().is_none_or(is_refused),
        ConnectErrorKind::TimedOut | ConnectErrorKind::Dns => true,
        _ => false,
    }
}

/// Returns all values of a bucket.
pub(super) async fn values(bucket: &kv::Store) -> Answer<Vec<bytes::Bytes>> {
    let mut keys = bucket.keys().await.map_err(unavailable)?;
    let mut values = Vec::new();
    while let Some(key) = keys.next().await {
        let value = bucket.get(key.map_err(unavailable)?).await;
        values.extend(value.map_err(unavailable)?);
    }
    Ok(values)
}

/// Makes a failure of an error.
pub(super) fn unavailable(error: impl std::fmt::Display) -> Failure {
    Failure::Unavailable(error.to_string())
}

fn about(file: &std::path::Path, error: std::io::Error) -> Failure {
    Failure::Unavailable(format!("{}: {error}", file.display()))
}

/// Writes a value.
pub(super) fn encode<T: Serialize>(value: &T) -> Answer<Vec<u8>> {
    postcard::to_stdvec(value).map_err(unavailable)
}

/// Reads a value.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Answer<T> {
    postcard::from_bytes(bytes).map_err(unavailable)
}
