//! The bitcode process: a separate process in which LLVM reads, links and translates bitcode.
//!
//! LLVM trusts what it reads: a few changed bytes make its reader, its verifier or its passes
//! follow a wild pointer, abort, fill all memory or go round for ever, and none of these can be
//! caught. So the tool hands all bitcode to its own executable, started under another name, and
//! takes back bytes that it checks; what happens to that process is an error like any other.
//!
//! This holds for what rustc has just written too. Whether a file is as it was written cannot be
//! told from outside (a cached rlib, a library of somebody else's, a disk that was full), a crash
//! may be LLVM's own fault, and a process costs a fiftieth of a second where linking costs a
//! second. A program that was linked and translated before is read without LLVM and without a
//! process.

mod messages;
mod worker;

use std::io::{BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::error::BuildError;
use super::stand_in;
pub(super) use messages::{FileToLink, PartStorage};
use messages::{ProcessMessage, ProcessOrder, ProcessRequest, send};
use symex_bitcode::Step;
use symex_bitcode::link::{LinkOptions, LinkedProgram, ProgramInfo};
use symex_bitcode::toolchain::Toolchain;
pub(super) use worker::{link_files, run};

/// Client that starts bitcode processes and asks them to link or translate.
#[derive(Clone, Debug)]
pub struct BitcodeProcess {
    executable: PathBuf,
    /// The toolchain whose LLVM reads the bitcode.
    toolchain: ToolchainChoice,
    /// Paths of the LLVM libraries found so far, or why there is none, by toolchain.
    known: Arc<Mutex<FxHashMap<ToolchainChoice, Result<PathBuf, String>>>>,
}

/// The toolchain whose LLVM is used.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum ToolchainChoice {
    /// The toolchain of the `rustc` on the path, as seen from this directory.
    OnPath(Option<PathBuf>),
    /// The toolchain in this directory.
    Sysroot(PathBuf),
}

/// An answer of the process: the message, and the bytes (a stored program, or bitcode) behind it.
type ProcessAnswer = (ProcessMessage, Vec<u8>);

/// The ways a conversation with the process ends without an answer.
enum Silence {
    /// The process closed its end.
    Closed,
    /// The received line is not a valid message.
    Garbled(String),
}

impl BitcodeProcess {
    /// Creates a client for processes of this `cargo-symex` executable, with the LLVM of the
    /// toolchain that cargo uses in the current directory.
    pub fn new(executable: impl Into<PathBuf>) -> Self {
        BitcodeProcess {
            executable: executable.into(),
            toolchain: ToolchainChoice::OnPath(None),
            known: Arc::default(),
        }
    }

    /// Uses the LLVM of the toolchain that cargo uses in `directory`.
    pub fn in_directory(mut self, directory: Option<PathBuf>) -> Self {
        self.toolchain = ToolchainChoice::OnPath(directory);
        self
    }

    /// Returns a client that uses the LLVM of the toolchain in the directory `sysroot`.
    pub fn of_sysroot(&self, sysroot: impl Into<PathBuf>) -> Self {
        BitcodeProcess {
            toolchain: ToolchainChoice::Sysroot(sysroot.into()),
            ..self.clone()
        }
    }

    /// Returns the path of the LLVM library to load.
    fn llvm(&self) -> Result<PathBuf, BuildError> {
        let find = || match &self.toolchain {
            ToolchainChoice::OnPath(directory) => {
                Toolchain::on_path(directory.as_deref())?.libllvm()
            }
            ToolchainChoice::Sysroot(sysroot) => Toolchain::of_sysroot(sysroot)?.libllvm(),
        };
        let mut known = self.known.lock().expect("no thread panics");
        let found = known.entry(self.toolchain.clone()).or_insert_with(find);
        found.clone().map_err(BuildError::NoLlvm)
    }

    /// Links files to a program; `target` is its name in messages.
    pub(super) fn link(
        &self,
        target: &str,
        inputs: Vec<FileToLink>,
        options: &LinkOptions,
    ) -> Result<LinkedProgram, BuildError> {
        let options = options.clone();
        match self.ask(target, ProcessRequest::Link { inputs, options })? {
            (ProcessMessage::Linked { info, .. }, bitcode) => Ok(LinkedProgram { bitcode, info }),
            _ => Err(unusable("an answer to another question")),
        }
    }

    /// Links files to a program and translates it. The returned bytes are for
    /// [`store::load`](symex_program::store::load). With `parts`, the libraries of crates are
    /// linked separately and the resulting parts are kept there.
    pub(super) fn link_and_translate(
        &self,
        target: &str,
        inputs: Vec<FileToLink>,
        options: &LinkOptions,
        parts: Option<PartStorage>,
    ) -> Result<(ProgramInfo, Vec<u8>), BuildError> {
        let request = ProcessRequest::LinkAndTranslate {
            inputs,
            options: options.clone(),
            parts,
        };
        match self.ask(target, request)? {
            (ProcessMessage::Translated { info, .. }, program) => {
                Ok((info.unwrap_or_default(), program))
            }
            _ => Err(unusable("an answer to another question")),
        }
    }

    /// Translates a bitcode file. The returned bytes are for
    /// [`store::load`](symex_program::store::load).
    pub fn translate(&self, file: &Path) -> Result<Vec<u8>, BuildError> {
        let name = file.display().to_string();
        let request = ProcessRequest::Translate { file: file.into() };
        match self.ask(&name, request)? {
            (ProcessMessage::Translated { .. }, program) => Ok(program),
            _ => Err(unusable("an answer to another question")),
        }
    }

    /// Starts a process, sends it the request and waits for it to end.
    fn ask(&self, target: &str, request: ProcessRequest) -> Result<ProcessAnswer, BuildError> {
        let order = ProcessOrder {
            llvm: self.llvm()?.into(),
            request,
        };
        let failed = |error: std::io::Error| unusable(error.to_string());
        let (socket, its_end) = UnixStream::pair().map_err(failed)?;
        let (printed, its_output) = std::io::pipe().map_err(failed)?;
        let mut child = Command::new(&self.executable)
            .arg0(stand_in::BITCODE_PROCESS)
            .stdin(OwnedFd::from(its_end))
            .stdout(Stdio::from(its_output.try_clone().map_err(failed)?))
            .stderr(Stdio::from(its_output))
            .spawn()
            .map_err(|source| BuildError::Tool {
                tool: self.executable.display().to_string(),
                source,
                hint: "it is needed to read bitcode".to_owned(),
            })?;
        let (heard, printed) = std::thread::scope(|scope| {
            let printed = scope.spawn(|| text_of(printed));
            let mut step = None;
            // If the process died before reading, `listen` notices that it gives no answer.
            let _ = send(&socket, &order, &[]);
            let heard = listen(&socket, &mut step).map_err(|silence| (silence, step));
            if let Err((Silence::Garbled(_), _)) = heard {
                let _ = child.kill();
            }
            (heard, printed.join().unwrap_or_default())
        });
        let status = child.wait().map_err(failed)?;
        match heard {
            Ok(answer) => {
                eprint!("{printed}");
                match answer {
                    (ProcessMessage::Refused(refusal), _) => Err(refusal.into_error(target)),
                    answer => Ok(answer),
                }
            }
            Err((silence, step)) => Err(end(target, step, silence, status, &printed)),
        }
    }
}

/// Reads messages until the process has answered. `step` receives the last step that it reported.
fn listen(socket: &UnixStream, step: &mut Option<Step>) -> Result<ProcessAnswer, Silence> {
    let closed = |_| Silence::Closed;
    let mut from = BufReader::new(socket);
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).map_err(closed)? == 0 {
            return Err(Silence::Closed);
        }
        let message = serde_json::from_str(&line);
        let (message, length) =
            match message.map_err(|error| Silence::Garbled(error.to_string()))? {
                ProcessMessage::Step(next) => {
                    *step = Some(next);
                    continue;
                }
                message @ ProcessMessage::Refused(_) => return Ok((message, Vec::new())),
                message @ (ProcessMessage::Linked { bytes, .. }
                | ProcessMessage::Translated { bytes, .. }) => (message, bytes),
            };
        let mut bytes = vec![0; length];
        from.read_exact(&mut bytes).map_err(closed)?;
        return Ok((message, bytes));
    }
}

/// Returns the error for a process that gave no answer.
fn end(
    target: &str,
    step: Option<Step>,
    silence: Silence,
    status: ExitStatus,
    printed: &str,
) -> BuildError {
    let what = step.as_ref().and_then(Step::origin).unwrap_or(target);
    let verb = step.as_ref().map_or("read", Step::verb);
    let crashed = |how: String| BuildError::LlvmCrashed {
        what: what.to_owned(),
        verb,
        how,
    };
    let of_llvm = printed
        .lines()
        .find_map(|line| line.strip_prefix("LLVM ERROR: "));
    let said = match of_llvm {
        Some(text) => format!(": {text}"),
        // Rust's own message contains the process id, so it is not quoted.
        None if printed.contains("overflowed its stack") => ": its stack overflowed".to_owned(),
        None => String::new(),
    };
    match (silence, status.signal()) {
        (Silence::Garbled(reason), _) => unusable(reason),
        (Silence::Closed, Some(SIGHUP | SIGINT | SIGKILL | SIGTERM)) => BuildError::Stopped {
            what: what.to_owned(),
            status,
        },
        (Silence::Closed, Some(SIGXCPU)) => crashed("it came to no end".to_owned()),
        (Silence::Closed, Some(signal)) => {
            crashed(format!("it crashed with signal {signal}{said}"))
        }
        // LLVM exits by itself on an error that nothing handles.
        (Silence::Closed, None) if of_llvm.is_some() => crashed(format!("it gave up{said}")),
        (Silence::Closed, None) => {
            let lines: Vec<&str> = printed.lines().map(str::trim).take(2).collect();
            BuildError::NoAnswer {
                what: what.to_owned(),
                status,
                printed: lines.join(" "),
            }
        }
    }
}

/// Signals by which another process or the user ends a process.
const SIGHUP: i32 = 1;
const SIGINT: i32 = 2;
const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;
/// The signal sent when the limit on processor time is exceeded.
const SIGXCPU: i32 = 24;

fn text_of(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    // On a read error, the text so far is kept.
    let _ = from.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the error for a conversation with the process that went wrong.
fn unusable(reason: impl Into<String>) -> BuildError {
    BuildError::ToolAnswer {
        tool: "the process that reads bitcode".to_owned(),
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests;
