//! Runs a program on a pseudo-terminal: what it prints is waited for, keys are pressed.

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Time that the program has for what it is to print, and to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program that runs on a terminal of its own.
pub struct Session {
    keys: File,
    child: Child,
    printed: Receiver<String>,
    /// What it has printed, as far as nobody has waited for it.
    seen: String,
}

impl Session {
    /// Starts a program.
    pub fn start(mut command: Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&master).expect("granted");
        unlockpt(&master).expect("unlocked");
        let name = ptsname(&master, Vec::new()).expect("a name");
        let name = name.to_str().expect("ASCII");
        let open = || {
            let file = OpenOptions::new().read(true).write(true).open(name);
            file.expect("the other side")
        };
        command.stdin(open()).stdout(open()).stderr(open());
        let child = command.spawn().expect("started");
        // The command holds the files, which keeps the terminal from being closed at the end.
        drop(command);
        let keys = File::from(master);
        let mut output = keys.try_clone().expect("cloned");
        let (sender, printed) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // After the end of the program, reading is an error.
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..count]).into_owned();
                if sender.send(text).is_err() {
                    break;
                }
            }
        });
        Session {
            keys,
            child,
            printed,
            seen: String::new(),
        }
    }

    /// Waits until it has printed a text; returns what came before and the text.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen.find(text) {
                let rest = self.seen.split_off(at + text.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.printed.recv_timeout(left) {
                Ok(more) => self.seen.push_str(&more),
                Err(_) => panic!("`{text}` is not printed: {}", self.seen),
            }
        }
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("pressed");
    }

    /// Waits for the end; returns the exit code and what was printed that nobody has waited for.
    #[track_caller]
    pub fn end(mut self) -> (Option<i32>, String) {
        let end = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("waited for") {
                break status;
            }
            if Instant::now() > end {
                self.child.kill().expect("killed");
                panic!("it does not end: {}", self.seen);
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        while let Ok(more) = self.printed.recv_timeout(Duration::from_millis(500)) {
            self.seen.push_str(&more);
        }
        (status.code(), self.seen)
    }
}
