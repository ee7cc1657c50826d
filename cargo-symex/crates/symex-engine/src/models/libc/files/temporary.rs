//! Models of temporary files and directories, and of files in memory. A temporary name is the first
//! free one of a fixed sequence, where the system takes any.

use super::open::{OpenRequest, open_place};
use super::path::{self, PathPlace};
use super::transfer::is_bad_address;
use super::{Errno, files};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::libc::bytes;
use crate::models::libc::errno::{self, EACCES, EEXIST, EFAULT, EINVAL, EMFILE};
use crate::models::outside_world;
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::file_system::FileKind;
use std::rc::Rc;
use symex_terms::{ObjectId, Value};

pub const ROWS: &[Row] = &[
    row("mkstemp", mkstemp),
    row("mkstemp64", mkstemp),
    row("mkostemp", mkostemp),
    row("mkostemp64", mkostemp),
    row("mkstemps", mkstemps),
    row("mkstemps64", mkstemps),
    row("mkdtemp", mkdtemp),
    row("memfd_create", memory_file),
];

/// End of a template, before its fixed suffix.
const MARK: &[u8] = b"XXXXXX";

/// Greatest number of names that are tried.
const MOST_NAMES: u32 = 64;

/// A free name, its place, and the template's position in memory.
struct Fresh {
    place: PathPlace,
    letters: Vec<Value>,
    at: (ObjectId, u64),
}

/// Finds a free name for a template, whose last `after` bytes stay.
fn fresh(
    m: &mut Executor,
    st: &mut State,
    template: Value,
    after: u64,
) -> Res<Result<Fresh, Errno>> {
    let mut text = match path::text(m, st, template)? {
        Ok(text) => text,
        Err(_) => return Ok(Err(EINVAL)),
    };
    let Some(end) = (text.len() as u64).checked_sub(after) else {
        return Ok(Err(EINVAL));
    };
    let Some(begin) = (end as usize).checked_sub(MARK.len()) else {
        return Ok(Err(EINVAL));
    };
    let marked = text[begin..end as usize].iter().zip(MARK);
    let marked: Vec<(Value, u8)> = marked.map(|(byte, mark)| (*byte, *mark)).collect();
    for (byte, mark) in marked {
        if m.concretise(st, byte, 8)? != u64::from(mark) {
            return Ok(Err(EINVAL));
        }
    }
    let letters = m.offset_pointer(st, template, begin as u64);
    let at = m.check_range(st, letters, MARK.len() as u64, Access::Write)?;
    let here = st.world.files.working_directory;
    for number in 0..MOST_NAMES {
        let letters = name(number);
        text[begin..end as usize].copy_from_slice(&letters);
        match path::walk(m, st, Ok(here), &text, false)? {
            Err(code) => return Ok(Err(code)),
            Ok(PathPlace { node: Some(_), .. }) => {}
            Ok(place) => return Ok(Ok(Fresh { place, letters, at })),
        }
    }
    Ok(Err(EEXIST))
}

/// Returns the letters of a name.
fn name(mut number: u32) -> Vec<Value> {
    let letter = |_| {
        let letter = b'a' + (number % 26) as u8;
        number /= 26;
        Value::Int(u64::from(letter))
    };
    MARK.iter().map(letter).collect()
}

/// Writes the name into its template.
fn tell(m: &mut Executor, st: &mut State, fresh: &Fresh) {
    outside_world::take_unless_std(m, st, outside_world::TEMPORARY);
    let (object, at) = fresh.at;
    for (i, letter) in fresh.letters.iter().enumerate() {
        st.memory
            .store(&mut m.pool, object, at + i as u64, 8, *letter);
    }
}

/// `memfd_create(name, flags)`: a file that is in no directory. Its name is for the eye alone.
fn memory_file(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const CLOSE_ON_EXEC: u64 = 1;
    /// Those, sealing, and what may be executed; pages of another size are left out.
    const FLAGS: u64 = 0b1_1011;
    const LONGEST_NAME: u64 = 249;
    let flags = m.concretise(st, c.arg(1), 32)?;
    if flags & !FLAGS != 0 {
        return errno::fail(m, st, c, EINVAL);
    }
    if is_bad_address(c.arg(0)) {
        return errno::fail(m, st, c, EFAULT);
    }
    if bytes::length(m, st, c.arg(0), LONGEST_NAME + 1)? > LONGEST_NAME {
        return errno::fail(m, st, c, EINVAL);
    }
    let fs = files(st);
    let Some(number) = fs.open_unnamed(0o777) else {
        return errno::fail(m, st, c, EMFILE);
    };
    fs.set_close_on_exec(u64::from(number), flags & CLOSE_ON_EXEC != 0);
    Flow::int(u64::from(number))
}

/// `mkstemp(template)`.
fn mkstemp(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    make_file(m, st, c, 0, 0)
}

/// `mkostemp(template, flags)`.
fn mkostemp(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let flags = m.concretise(st, c.arg(1), 32)?;
    make_file(m, st, c, 0, flags)
}

/// `mkstemps(template, suffix length)`.
fn mkstemps(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let after = m.concretise(st, c.arg(1), 32)?;
    make_file(m, st, c, after, 0)
}

fn make_file(m: &mut Executor, st: &mut State, c: &Call, after: u64, flags: u64) -> Res<Flow> {
    const READ_WRITE: u64 = 2;
    const CREATE: u64 = 0x40;
    const EXCLUSIVE: u64 = 0x80;
    let flags = flags & !3 | READ_WRITE | CREATE | EXCLUSIVE;
    let request = OpenRequest::of_flags(flags, 0o600)?;
    let fresh = match fresh(m, st, c.arg(0), after)? {
        Ok(fresh) => fresh,
        Err(code) => return errno::fail(m, st, c, code),
    };
    tell(m, st, &fresh);
    match open_place(st, &fresh.place, request) {
        Ok(number) => Flow::int(u64::from(number)),
        Err(code) => errno::fail(m, st, c, code),
    }
}

/// `mkdtemp(template)`: returns the template.
fn mkdtemp(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let null = |m: &mut Executor, st: &mut State, code| {
        errno::set(m, st, code);
        Flow::value(Value::NULL)
    };
    let fresh = match fresh(m, st, c.arg(0), 0)? {
        Ok(fresh) => fresh,
        Err(code) => return null(m, st, code),
    };
    if st.world.files.node(fresh.place.directory).mode & 0o200 == 0 {
        return null(m, st, EACCES);
    }
    tell(m, st, &fresh);
    let fs = files(st);
    let kind = FileKind::Directory {
        entries: Rc::default(),
        parent: fresh.place.directory,
    };
    let node = fs.add(kind, 0o700 & !fs.mask);
    fs.link(fresh.place.directory, fresh.place.name, node);
    Flow::value(c.arg(0))
}
