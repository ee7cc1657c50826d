//! The bitcode process itself. It communicates over standard input, which is a socket, because LLVM
//! and the passes may print on standard output and standard error. Its memory and processor time
//! are limited by the size of its input, because damaged bitcode may announce four billion entries,
//! or send LLVM into an endless loop.

use std::convert::Infallible;
use std::io::{BufRead, BufReader};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
#[cfg(target_os = "linux")]
use rustix::process::{Signal, set_parent_process_death_signal};

use super::messages::{FileToLink, ProcessMessage, ProcessOrder, ProcessRequest, Refusal, send};
use crate::build::error::BuildError;
use crate::build::object_files::{self, ObjectFileError};
use crate::build::parts::PartShelf;
use symex_bitcode::link::{
    self, Code, LibraryFile, LinkInput, LinkOptions, LinkedProgram, ProgramInfo,
};
use symex_bitcode::{LoadError, Step, llvm, translate_module, with_module};
use symex_program::{Program, store};

/// Base memory limit in bytes; a small program takes 70 MB.
const MEMORY: u64 = 1 << 30;
/// Additional memory limit in bytes for each byte of input. 25 MB of unoptimised C with debug
/// information took 31 bytes for each.
const MEMORY_PER_BYTE: u64 = 200;
/// Base limit of processor time in seconds; a small program takes milliseconds.
const TIME: u64 = 20;
/// Additional limit of processor time in seconds for each megabyte of input. The same 25 MB took
/// 0.6 s for each.
const TIME_PER_MEGABYTE: u64 = 20;

/// Carries out the order on standard input and ends the process.
pub fn run() -> Result<Infallible, BuildError> {
    let failed = |error: std::io::Error| super::unusable(error.to_string());
    let socket = std::io::stdin().as_fd().try_clone_to_owned();
    let socket = UnixStream::from(socket.map_err(failed)?);
    let mut line = String::new();
    BufReader::new(&socket)
        .read_line(&mut line)
        .map_err(failed)?;
    let ProcessOrder { llvm, request } =
        serde_json::from_str(&line).map_err(|error| super::unusable(error.to_string()))?;
    limit(request.size());
    // Ends this process with its parent. The signal is sent when the starting thread ends, but that
    // thread waits for this process.
    #[cfg(target_os = "linux")]
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let tell = |step: Step| {
        if send(&socket, &ProcessMessage::Step(step), &[]).is_err() {
            // The parent has gone.
            std::process::exit(1);
        }
    };
    // This process ends with its answer: LLVM takes a tenth of the time to free its modules piece
    // by piece.
    let reply = |message: ProcessMessage, bytes: &[u8]| -> Infallible {
        let sent = send(&socket, &message, bytes);
        std::process::exit(i32::from(sent.is_err()))
    };
    let loaded = llvm::load(llvm.as_path());
    let done = loaded
        .map_err(|error| Refusal::NoLlvm(format!("failed to {error}")))
        .and_then(|_| answer(request, &tell, &reply));
    done.or_else(|refusal| Ok(reply(ProcessMessage::Refused(refusal), &[])))
}

/// Limits the memory and processor time of this process to what `size` bytes of input can need.
/// Lower existing limits stay. Limits that the system does not support are skipped.
fn limit(size: u64) {
    let memory = size.saturating_mul(MEMORY_PER_BYTE).saturating_add(MEMORY);
    let time = TIME + TIME_PER_MEGABYTE * (size >> 20);
    // No core dumps: a crash is reported, not examined.
    for (resource, most) in [
        (Resource::Data, memory),
        (Resource::Cpu, time),
        (Resource::Core, 0),
    ] {
        let known = getrlimit(resource);
        let lower = |limit: Option<u64>| Some(limit.map_or(most, |known| known.min(most)));
        let limit = Rlimit {
            current: lower(known.current),
            maximum: known.maximum,
        };
        let _ = setrlimit(resource, limit);
    }
}

/// Carries out the request and sends the answer or the refusal.
fn answer(
    request: ProcessRequest,
    tell: &dyn Fn(Step),
    reply: &dyn Fn(ProcessMessage, &[u8]) -> Infallible,
) -> Result<Infallible, Refusal> {
    let reply_translated = |program: Result<Program, LoadError>, info: Option<ProgramInfo>| {
        let stored = store::save(&program.map_err(Refusal::Translate)?);
        let stored = stored.map_err(|error| Refusal::Store(error.to_string()))?;
        let bytes = stored.len();
        Ok(reply(ProcessMessage::Translated { info, bytes }, &stored))
    };
    match request {
        ProcessRequest::Link { inputs, options } => {
            let found = read_inputs(&inputs, &options)?;
            let linked = link::link_with(&found, &options, tell, |module, info| {
                let LinkedProgram { bitcode, info } = LinkedProgram::of(module, info);
                let bytes = bitcode.len();
                reply(ProcessMessage::Linked { info, bytes }, &bitcode)
            });
            linked.map_err(Refusal::Link)
        }
        ProcessRequest::LinkAndTranslate {
            inputs,
            options,
            parts: Some(parts),
        } => {
            let found = read_inputs(&inputs, &options)?;
            let shelf = PartShelf::new(parts.directory.as_path().to_owned(), parts.is_read);
            let finish = |program, info| reply_translated(Ok(program), Some(info));
            link::link_divided(&found, &options, &parts.tool, &shelf, tell, finish)?
        }
        ProcessRequest::LinkAndTranslate {
            inputs,
            options,
            parts: None,
        } => {
            let found = read_inputs(&inputs, &options)?;
            let linked = link::link_with(&found, &options, tell, |module, info| {
                tell(Step::Translate);
                let program = translate_module(module).map(|program| info.complete(program));
                reply_translated(program, Some(info))
            });
            linked.map_err(Refusal::Link)?
        }
        ProcessRequest::Translate { file } => {
            tell(Step::Translate);
            let name = file.as_path().display().to_string();
            let bytes = symex_bitcode::read(file.as_path()).map_err(Refusal::Translate)?;
            let translated = with_module(&bytes, &name, |module| {
                reply_translated(translate_module(module), None)
            });
            translated.map_err(Refusal::Translate)?
        }
    }
}

/// Returns the C library in bitcode as the last link input.
fn library_input(library: &LibraryFile) -> Result<LinkInput, Refusal> {
    let bitcode = std::fs::read(&library.file).map_err(|error| {
        Refusal::ObjectFile(ObjectFileError::Io {
            path: library.file.display().to_string(),
            reason: error.to_string(),
        })
    })?;
    Ok(LinkInput {
        origin: library.file.display().to_string(),
        code: Code::Bitcode(bitcode.into()),
        lazy: true,
        defines: Some(library.defines.clone()),
        library: true,
        of_crate: None,
    })
}

/// Reads and links files, in this process.
pub fn link_files(
    inputs: &[FileToLink],
    options: &LinkOptions,
    tell: &dyn Fn(Step),
) -> Result<LinkedProgram, Refusal> {
    let found = read_inputs(inputs, options)?;
    link::link(&found, options, tell).map_err(Refusal::Link)
}

/// Reads all files that may belong to the program.
fn read_inputs(inputs: &[FileToLink], options: &LinkOptions) -> Result<Vec<LinkInput>, Refusal> {
    let mut found = Vec::new();
    for input in inputs {
        let file = input.file.as_path();
        let mut read =
            object_files::read_inputs(file, input.whole_archive).map_err(Refusal::ObjectFile)?;
        if let Some(given) = &input.given {
            if read.is_empty() {
                return Err(Refusal::NotAProgram(given.clone()));
            }
            if given.as_path() != file {
                let origin = given.as_path().display().to_string();
                read.iter_mut()
                    .for_each(|input| input.origin.clone_from(&origin));
            }
        }
        found.append(&mut read);
    }
    found.extend(options.library.as_ref().map(library_input).transpose()?);
    Ok(found)
}
