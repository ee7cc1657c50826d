//! Streams of `stdio.h` other than formatted output: there are the standard ones only. What is written to any of them
//! is the path's output, in order; standard input is at its end.

use super::alloc;
use super::bytes::{length, low_byte};
use super::files::put;
use crate::exec::Machine;
use crate::exec::access::Access;
use crate::exec::end::Res;
use crate::exec::model::{Call, Flow};
use crate::expr::Value;
use crate::models::table::{Row, row};
use crate::models::world;
use crate::outcome::Gap;
use crate::state::State;

pub const ROWS: &[Row] = &[
    row("puts", puts),
    row("putchar", putchar),
    row("putchar_unlocked", putchar),
    row("putc", fputc),
    row("putc_unlocked", fputc),
    row("fputc", fputc),
    row("_IO_putc", fputc),
    row("fputs", fputs),
    row("fputs_unlocked", fputs),
    row("fwrite", fwrite),
    row("fwrite_unlocked", fwrite),
    row("fflush", zero),
    row("fflush_unlocked", zero),
    row("fclose", zero),
    row("setbuf", zero),
    row("setvbuf", zero),
    row("setlinebuf", zero),
    row("perror", perror),
    row("getchar", end_of_input),
    row("getc", end_of_input),
    row("fgetc", end_of_input),
    row("_IO_getc", end_of_input),
    row("getc_unlocked", end_of_input),
    row("getchar_unlocked", end_of_input),
    row("ungetc", end),
    row("scanf", end_of_input),
    row("__isoc99_scanf", end_of_input),
    row("__isoc23_scanf", end_of_input),
    row("fscanf", end_of_input),
    row("__isoc99_fscanf", end_of_input),
    row("__isoc23_fscanf", end_of_input),
    row("sscanf", sscanf),
    row("__isoc99_sscanf", sscanf),
    row("__isoc23_sscanf", sscanf),
    row("getline", end_of_input),
    row("fgets", no_input),
    row("gets", no_input),
    row("fread", no_input),
    row("fread_unlocked", no_input),
    row("feof", at_end),
    row("ferror", zero),
    row("clearerr", zero),
    row("fseek", end),
    row("ftell", end),
    row("rewind", zero),
    row("strerror_r", strerror_r),
    row("__xpg_strerror_r", strerror_r),
];

fn zero(_: &mut Machine, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(0)
}

fn at_end(m: &mut Machine, st: &mut State, _: &Call) -> Res<Flow> {
    world::take(m, st, world::STDIN);
    Flow::int(1)
}

fn no_input(m: &mut Machine, st: &mut State, _: &Call) -> Res<Flow> {
    world::take(m, st, world::STDIN);
    Flow::int(0)
}

fn end_of_input(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    world::take(m, st, world::STDIN);
    end(m, st, c)
}

/// `EOF`, or another -1.
fn end(_: &mut Machine, _: &mut State, c: &Call) -> Res<Flow> {
    let width = c.returns.first().copied().unwrap_or(32).clamp(1, 64);
    Flow::int(u64::MAX >> (64 - width))
}

fn sscanf(_: &mut Machine, _: &mut State, c: &Call) -> Res<Flow> {
    Err(Gap::NoModel(c.name.to_string()).into())
}

/// A stream must be one: the null pointer that a failed `fopen` gives is not.
pub fn stream(m: &mut Machine, st: &mut State, file: Value) -> Res<()> {
    m.check_access(st, file, 1, 0, Access::Read)?;
    Ok(())
}

fn puts(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let len = length(m, st, c.arg(0), u64::MAX)?;
    let mut text = m.read_bytes(st, c.arg(0), len)?;
    text.push(Value::Int(b'\n' as u64));
    put(st, &text);
    Flow::int(len + 1)
}

/// Writes one byte and returns it.
fn put_byte(m: &mut Machine, st: &mut State, v: Value) -> Res<Flow> {
    let byte = low_byte(m, st, v);
    put(st, &[byte]);
    let e = m.term(st, byte, 8);
    let wide = m.pool.zext(e, 32);
    Flow::value(m.pool.value(wide))
}

fn putchar(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    put_byte(m, st, c.arg(0))
}

fn fputc(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    stream(m, st, c.arg(1))?;
    put_byte(m, st, c.arg(0))
}

fn fputs(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    stream(m, st, c.arg(1))?;
    let len = length(m, st, c.arg(0), u64::MAX)?;
    let text = m.read_bytes(st, c.arg(0), len)?;
    put(st, &text);
    Flow::int(1)
}

/// `fwrite(data, size, count, stream)`.
fn fwrite(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    stream(m, st, c.arg(3))?;
    let Some(total) = alloc::product(m, st, c.arg(1), c.arg(2))? else {
        return Err(Gap::Model("fwrite of more than memory holds".into()).into());
    };
    let total = m.concretise(st, total, 64)?;
    let bytes = m.read_bytes(st, c.arg(0), total)?;
    put(st, &bytes);
    if total == 0 {
        return Flow::int(0);
    }
    Flow::value(c.arg(2))
}

fn perror(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    if c.arg(0) != Value::NULL {
        let len = length(m, st, c.arg(0), u64::MAX)?;
        let text = m.read_bytes(st, c.arg(0), len)?;
        put(st, &text);
    }
    let rest: Vec<Value> = b": error\n".iter().map(|b| Value::Int(*b as u64)).collect();
    put(st, &rest);
    Flow::void()
}

/// `strerror_r(code, buffer, size)` of POSIX.
fn strerror_r(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let code = m.concretise(st, c.arg(0), 32)?;
    let size = m.concretise(st, c.arg(2), 64)?;
    if size == 0 {
        return Flow::int(super::errno::ERANGE);
    }
    let mut text: Vec<Value> = format!("error {code}")
        .bytes()
        .map(|b| Value::Int(b as u64))
        .collect();
    text.truncate(usize::try_from(size - 1).unwrap_or(usize::MAX));
    text.push(Value::Int(0));
    super::bytes::write(m, st, c.arg(1), &text)?;
    Flow::int(0)
}
