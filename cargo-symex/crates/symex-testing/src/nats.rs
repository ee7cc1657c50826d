//! A NATS server of a test's own.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Greatest time for which the server is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// Returns the program of the server: that of `SYMEX_NATS_SERVER`, that of `make test-deps`, or a
/// `nats-server` of the search path. `None` if there is none, or it is too old.
pub fn program() -> Option<PathBuf> {
    let given = std::env::var_os("SYMEX_NATS_SERVER").map(PathBuf::from);
    let here = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../target/tools/nats-server"
    );
    let known = [given, Some(here.into()), Some("nats-server".into())];
    known.into_iter().flatten().find(|program| {
        let version = Command::new(program).arg("--version").output();
        version.is_ok_and(|output| is_new(&String::from_utf8_lossy(&output.stdout)))
    })
}

/// Reports whether a version, such as `nats-server: v2.15.1`, has what clusters need: 2.10.
fn is_new(version: &str) -> bool {
    let Some((_, version)) = version.trim().rsplit_once('v') else {
        return false;
    };
    let mut numbers = version.split('.').map(|number| number.parse::<u32>());
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= (2, 10),
        _ => false,
    }
}

/// A NATS server with JetStream on a port of its own, which ends when it is dropped.
pub struct NatsServer {
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    options: Vec<String>,
    child: Mutex<Option<Child>>,
}

impl NatsServer {
    /// Starts a server that keeps its files in a folder. `None` if there is none on this machine.
    ///
    /// # Panics
    /// If it does not come up.
    pub fn start(folder: impl Into<PathBuf>) -> Option<Self> {
        Self::with_options(folder, &[])
    }

    /// Starts a server as [`Self::start`] does, with options.
    ///
    /// # Panics
    /// If it does not come up.
    pub fn with_options(folder: impl Into<PathBuf>, options: &[&str]) -> Option<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        drop(listener);
        let server = NatsServer {
            program: program()?,
            folder: folder.into(),
            port,
            options: options.iter().map(|option| option.to_string()).collect(),
            child: Mutex::default(),
        };
        server.restart();
        Some(server)
    }

    /// Returns the address of the server.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Kills the server, as a failure of its machine would.
    ///
    /// # Panics
    /// If it cannot be killed.
    pub fn kill(&self) {
        if let Some(mut child) = self.child.lock().expect("nobody panics here").take() {
            child.kill().expect("it is killed");
            child.wait().expect("it has ended");
        }
    }

    /// Starts the server again, with what it has kept.
    ///
    /// # Panics
    /// If it does not come up.
    pub fn restart(&self) {
        let mut command = Command::new(&self.program);
        command.args(["--jetstream", "-a", "127.0.0.1", "-p"]);
        command
            .arg(self.port.to_string())
            .arg("--store_dir")
            .arg(&self.folder)
            .args(&self.options);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command.spawn().expect("the server starts");
        *self.child.lock().expect("nobody panics here") = Some(child);
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(
                began.elapsed() < PATIENCE,
                "the NATS server does not come up"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::is_new;

    #[test]
    fn old_servers_are_told() {
        assert!(is_new("nats-server: v2.15.1\n"));
        assert!(is_new("nats-server: v3.0.0"));
        assert!(!is_new("nats-server: v2.9.10"));
        assert!(!is_new("something else"));
    }
}
