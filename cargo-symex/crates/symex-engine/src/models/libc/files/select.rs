//! Model of `select`: `poll` with sets of descriptors as bits.

use super::descriptors::{HANG_UP, IN, OUT, ready};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::libc::errno::{self, EBADF, EINVAL};
use crate::models::table::{Row, row};
use crate::state::State;
use symex_terms::{ObjectId, Value};

pub const ROWS: &[Row] = &[row("select", select)];

/// Number of descriptors in an `fd_set`.
const MOST: u64 = 1024;

/// A set in memory, with the words of it that are used.
struct DescriptorSet {
    place: (ObjectId, u64),
    words: Vec<u64>,
}

/// `select(count, readable, writable, exceptional, timeout)`.
fn select(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let count = m.concretise(st, c.arg(0), 32)?;
    if count > MOST {
        return errno::fail(m, st, c, EINVAL);
    }
    // What `poll` would be asked for, and what counts as an answer. Nothing exceptional happens to
    // files.
    let kinds = [(IN, IN | HANG_UP), (OUT, OUT), (0, 0)];
    let mut sets = Vec::new();
    for i in 0..kinds.len() {
        sets.push(set(m, st, c.arg(1 + i), count)?);
    }
    let mut total = 0;
    let mut found: Vec<Vec<u64>> = Vec::new();
    for (set, (events, answers)) in sets.iter().zip(kinds) {
        let mut words = Vec::new();
        for (at, word) in set.iter().flat_map(|set| set.words.iter().enumerate()) {
            let mut left = 0;
            for bit in (0..64).filter(|bit| word >> bit & 1 != 0) {
                let number = 64 * at as u64 + bit;
                if number >= count {
                    continue;
                }
                if st.world.files.description_of(number).is_none() {
                    return errno::fail(m, st, c, EBADF);
                }
                if ready(m, st, number, events) & answers != 0 {
                    left |= 1 << bit;
                    total += 1;
                }
            }
            words.push(left);
        }
        found.push(words);
    }
    let waits = match c.arg(4) {
        Value::Int(0) => None,
        timeout => Some(m.check_range(st, timeout, 16, Access::Write)?),
    };
    if total == 0 && waits.is_none() {
        m.wait_for_files(st, "the only process waits for a file to become ready")?;
    }
    for (set, words) in sets.iter().zip(found) {
        for (i, word) in words.into_iter().enumerate() {
            let Some(DescriptorSet {
                place: (object, at),
                ..
            }) = set
            else {
                continue;
            };
            let at = at + 8 * i as u64;
            st.memory
                .store(&mut m.pool, *object, at, 64, Value::Int(word));
        }
    }
    if let Some((object, at)) = waits.filter(|_| total == 0) {
        // Linux says how much of the time is left.
        for half in [at, at + 8] {
            st.memory
                .store(&mut m.pool, object, half, 64, Value::Int(0));
        }
    }
    Flow::int(total)
}

/// Reads a set, if one is given: the words up to the last descriptor.
fn set(m: &mut Executor, st: &mut State, ptr: Value, count: u64) -> Res<Option<DescriptorSet>> {
    if ptr == Value::NULL || count == 0 {
        return Ok(None);
    }
    let len = count.div_ceil(64);
    let place = m.check_range(st, ptr, 8 * len, Access::Write)?;
    let mut words = Vec::new();
    for i in 0..len {
        let word = st.memory.load(&mut m.pool, place.0, place.1 + 8 * i, 64);
        words.push(m.concretise(st, word, 64)?);
    }
    Ok(Some(DescriptorSet { place, words }))
}
