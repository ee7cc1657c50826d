//! Model of `select`: `poll` with sets of descriptors as bits.

use super::events::{Patience, alarm, ready};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::libc::errno::{self, EBADF, EINVAL};
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::readiness::{HANG_UP, IN, OUT};
use symex_terms::{ObjectId, Value};

pub const ROWS: &[Row] = &[row("select", select)];

/// Number of descriptors in an `fd_set`.
const MOST: u64 = 1024;

/// A set in memory, with the words of it that are used.
struct DescriptorSet {
    place: (ObjectId, u64),
    words: Vec<u64>,
}

impl DescriptorSet {
    /// Iterates over the descriptors in it that are less than a number.
    fn members(&self, count: u64) -> impl Iterator<Item = u64> + '_ {
        let is_member = |number: &u64| {
            let word = self.words.get((number / 64) as usize);
            word.is_some_and(|word| word >> (number % 64) & 1 != 0)
        };
        (0..count).filter(is_member)
    }
}

/// `select(count, readable, writable, exceptional, timeout)`.
fn select(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let mut woken = m.woken(st);
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
    let waits = match c.arg(4) {
        Value::Int(0) => None,
        timeout => Some(m.check_range(st, timeout, 16, Access::Write)?),
    };
    let patience = match waits {
        None => Patience::Forever,
        Some(place) => match until(m, st, place)? {
            Some(until) => until,
            None => return errno::fail(m, st, c, EINVAL),
        },
    };
    let numbers: Vec<u64> = sets
        .iter()
        .flatten()
        .flat_map(|set| set.members(count))
        .collect();
    if !numbers
        .iter()
        .all(|number| st.world.files.description_of(*number).is_some())
    {
        return errno::fail(m, st, c, EBADF);
    }
    let (total, found) = loop {
        let mut total = 0;
        let mut found: Vec<Vec<u64>> = Vec::new();
        for (set, (events, answers)) in sets.iter().zip(kinds) {
            let mut words = vec![0; set.as_ref().map_or(0, |set| set.words.len())];
            for number in set.iter().flat_map(|set| set.members(count)) {
                if ready(m, st, number, events) & answers != 0 {
                    words[(number / 64) as usize] |= 1 << (number % 64);
                    total += 1;
                }
            }
            found.push(words);
        }
        if total > 0 {
            break (total, found);
        }
        let alarm = alarm(st, numbers.iter().copied());
        if !patience.wait(m, st, woken.take(), alarm)? {
            break (total, found);
        }
    };
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

/// Reads a timeout in seconds and microseconds; `None` if it is not one.
fn until(m: &mut Executor, st: &mut State, place: (ObjectId, u64)) -> Res<Option<Patience>> {
    const SECOND: u64 = 1_000_000;
    let mut halves = [0; 2];
    for (half, at) in halves.iter_mut().zip([place.1, place.1 + 8]) {
        let value = st.memory.load(&mut m.pool, place.0, at, 64);
        *half = m.concretise(st, value, 64)?;
    }
    let [seconds, fraction] = halves;
    if (seconds as i64) < 0 || fraction >= SECOND {
        return Ok(None);
    }
    let microseconds = seconds.saturating_mul(SECOND).saturating_add(fraction);
    let end = microseconds.saturating_mul(1_000);
    let end = st.world.clock.saturating_add(end);
    Ok(Some(Patience::Until(end)))
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
