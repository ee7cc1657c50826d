//! Models of hashing as hash maps do it, with random hashers and with those of known libraries.
//!
//! The keys of random hashers are chosen anew in each native run, so a program may rely on one
//! thing only: that equal keys have equal hashes. Of a fixed hasher, too, a map shows nothing else,
//! but for the order of its entries. Terms of a hash, and of where an entry lies in a table, are
//! far beyond solvers. So a hasher is given concrete bytes in any case: a concrete part of a
//! key as it is; a symbolic one that equals a concrete one hashed before, which forks the path,
//! that one; any other symbolic one, bytes that stand for all of these. The hash, and each place
//! that a lookup visits, is then concrete, and what remains to be decided is which keys are equal.
//!
//! A program that hashes on its own account, outside of a hash map, gets hashes as they are.

use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::Res;
use crate::models::table::{Row, always};
use crate::models::{outside_world, peek};
use crate::state::State;
use crate::state::hashes::{HashCallIndex, HashEnd, KeyPart, Prefix, StandIn};
use smallvec::SmallVec;
use std::rc::Rc;
use symex_memory::{Initial, NewObject, ObjectKind};
use symex_program::LocId;
use symex_program::hashing::{self, MapHasher};
use symex_solver::Purpose;
use symex_terms::{ObjectId, Symbol, Value};

/// Rows of hashing.
pub const ROWS: &[Row] = &[
    always(hashing::HASH_ONE, hash_one),
    always(hashing::BUILD_HASHER, build_hasher),
    always(hashing::FINISH, finish),
    always(hashing::MAKE_HASH[0], make_hash),
    always(hashing::MAKE_HASH[1], make_hash),
    always("core::hash::Hasher::write", write_bytes),
    always("core::hash::Hasher::write_str", write_bytes),
    always("core::hash::Hasher::write_u8", write_word),
    always("core::hash::Hasher::write_u16", write_word),
    always("core::hash::Hasher::write_u32", write_word),
    always("core::hash::Hasher::write_u64", write_word),
    always("core::hash::Hasher::write_u128", write_word),
    always("core::hash::Hasher::write_usize", write_word),
    always("core::hash::Hasher::write_i8", write_word),
    always("core::hash::Hasher::write_i16", write_word),
    always("core::hash::Hasher::write_i32", write_word),
    always("core::hash::Hasher::write_i64", write_word),
    always("core::hash::Hasher::write_i128", write_word),
    always("core::hash::Hasher::write_isize", write_word),
    always("core::hash::Hasher::write_length_prefix", write_word),
];

/// Row of functions that iterate over a hash map.
pub static ITERATION: Row = always("iteration over a hash map", iterate);

/// Row of functions that compare the key that is looked up with one of the same hash.
pub static COMPARISON: Row = always("comparison of the keys of a hash map", compare_keys);

/// Row of functions that hash the keys of a table once more.
pub static REHASH: Row = always("growth of a hash map", rehash);

/// Byte of the concrete parts that stand for symbolic ones.
const ANY: u8 = 0x5c;

/// `BuildHasher::hash_one(self, key)`: its body is executed, in which the parts of the key are
/// written.
fn hash_one(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let hasher = known_hasher(m, c).filter(|_| m.is_of_hash_map(st));
    let prefixed = hasher.and_then(|hasher| with_prefix(m, st, hasher, c.arg(0)));
    begin(m, st, prefixed, HashEnd::Return)
}

/// hashbrown's `make_hash(maker of hashers, key)`.
fn make_hash(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let hasher = known_hasher(m, c).filter(|_| m.hash_maps_ask_for_all());
    let prefixed = hasher.and_then(|hasher| with_prefix(m, st, hasher, c.arg(0)));
    begin(m, st, prefixed, HashEnd::Return)
}

/// `BuildHasher::build_hasher(self)`, by which a library begins to hash a key for a hash table that
/// it gives hashes, or for a table of its own.
fn build_hasher(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let hasher = known_hasher(m, c).filter(|_| m.is_of_hash_map(st));
    let (Some(hasher), Some(maker)) = (hasher, c.args.last()) else {
        return Ok(Flow::Body);
    };
    match with_prefix(m, st, hasher, maker.0) {
        None => Ok(Flow::Body),
        prefixed => begin(m, st, prefixed, HashEnd::Finish),
    }
}

/// `Hasher::finish(self)`.
fn finish(_: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    st.hashes.finish(st.thread(), &st.stack);
    Ok(Flow::Body)
}

/// Returns what is known of the hasher that a function makes or asks.
fn known_hasher(m: &Executor, c: &Call) -> Option<MapHasher> {
    let display = &m.program.function(c.function).display;
    hashing::hasher_maker(display).and_then(hashing::map_hasher)
}

/// Returns a hasher with the prefix of the keys that it hashes; `None` if the maker of a keyed one
/// is not a known number.
fn with_prefix(
    m: &mut Executor,
    st: &mut State,
    hasher: MapHasher,
    maker: Value,
) -> Option<(MapHasher, Prefix)> {
    let prefix = match hasher {
        MapHasher::Keyed => Prefix(peek::load_word(m, st, maker, 0, 64)?),
        MapHasher::Random | MapHasher::Fixed => Prefix(0),
    };
    Some((hasher, prefix))
}

/// Begins to hash a key.
fn begin(
    m: &mut Executor,
    st: &mut State,
    hasher: Option<(MapHasher, Prefix)>,
    end: HashEnd,
) -> Res<Flow> {
    if !m.config.experiment.exact_hashes {
        let thread = st.thread();
        st.hashes.begin(thread, &st.stack, end, hasher);
    }
    Ok(Flow::Body)
}

/// `Hasher::write(self, start, length)`.
fn write_bytes(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let Some((call, prefix)) = st.hashes.open_call(st.thread(), &st.stack) else {
        return Ok(Flow::Body);
    };
    settle_addresses(m, st, c.arg(0));
    let len = m.concretise(st, c.arg(2), 64)?;
    let bytes = m.read_bytes(st, c.arg(1), len)?;
    let part: KeyPart = bytes.into_iter().map(|byte| (byte, 8)).collect();
    let Some(written) = take_part(m, st, (call, prefix), part)? else {
        return Ok(Flow::Body);
    };
    let copy = buffer(m, st, &written);
    let args = [c.arg(0), Value::Ptr(copy, 0), Value::Int(len)];
    Ok(Flow::Enter(c.function, SmallVec::from_slice(&args)))
}

/// `Hasher::write_*(self, word)`.
fn write_word(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let Some((call, prefix)) = st.hashes.open_call(st.thread(), &st.stack) else {
        return Ok(Flow::Body);
    };
    settle_addresses(m, st, c.arg(0));
    let part: KeyPart = c.args.iter().skip(1).copied().collect();
    let Some(written) = take_part(m, st, (call, prefix), part)? else {
        return Ok(Flow::Body);
    };
    let words = written.iter().map(|leaf| leaf.0);
    let args = std::iter::once(c.arg(0)).chain(words).collect();
    Ok(Flow::Enter(c.function, args))
}

/// Takes a part of a key, and returns what the hasher is given in its place; `None` if it is given
/// the part itself.
fn take_part(
    m: &mut Executor,
    st: &mut State,
    (call, prefix): (HashCallIndex, Prefix),
    part: KeyPart,
) -> Res<Option<Rc<KeyPart>>> {
    let Some(part) = in_numbers(m, st, part)? else {
        st.hashes.take_part(call, &st.stack, None);
        return Ok(None);
    };
    let part = Rc::new(part);
    let (by, written) = stand_in(m, st, prefix, &part)?;
    if matches!(by, StandIn::Any) {
        st.hashes.hash_otherwise(call);
    }
    let taken = (part, prefix.then(&written));
    st.hashes.take_part(call, &st.stack, Some(taken));
    Ok((!matches!(by, StandIn::Itself)).then_some(written))
}

/// Records that a map of several entries is iterated in one order, if it may be another, and
/// executes the function's own code.
fn iterate(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let display = &m.program.function(c.function).display;
    if hashing::iterates_table(display) && !m.gives_hashes(st) {
        return Ok(Flow::Body);
    }
    let hasher = hashing::hasher_of_iterated(display);
    if hasher == Some(MapHasher::Fixed) && !st.hashes.are_fixed_otherwise() {
        return Ok(Flow::Body);
    }
    // The map, or its address after that of the result.
    let is_small = c
        .args
        .iter()
        .take(2)
        .any(|arg| entries(m, st, arg.0).is_some_and(|n| n < 2));
    if !is_small {
        outside_world::take(m, st, outside_world::HASH_ORDER);
    }
    Ok(Flow::Body)
}

/// Follows a comparison of the key that is looked up with one of the same hash to its result.
fn compare_keys(_: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    st.hashes.begin_comparison(st.thread(), &st.stack);
    Ok(Flow::Body)
}

/// Notes that the keys that are hashed now are those of entries.
fn rehash(_: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    st.hashes.begin_rehash(&st.stack);
    Ok(Flow::Body)
}

/// Returns the number of entries of a hash map at an address, if the words there are as hashbrown
/// lays them out: the address of the tags, a mask, the room that is left, and the entries.
fn entries(m: &mut Executor, st: &State, map: Value) -> Option<u64> {
    let words: Vec<Value> = (0..MAP_WORDS)
        .map_while(|i| peek::load(m, st, map, i * 8, 64))
        .collect();
    let is_table = |table: &&[Value]| match table {
        [
            Value::Ptr(..),
            Value::Int(mask),
            Value::Int(room),
            Value::Int(entries),
        ] => {
            let slots = mask.wrapping_add(1);
            slots.is_power_of_two() && room.saturating_add(*entries) <= slots
        }
        _ => false,
    };
    match words.windows(4).find(is_table)? {
        [.., Value::Int(entries)] => Some(*entries),
        _ => None,
    }
}

/// Number of words at the start of a map among which its table is.
const MAP_WORDS: u64 = 6;

/// Replaces the words of a hasher that depend on addresses alone by their numbers.
fn settle_addresses(m: &mut Executor, st: &mut State, hasher: Value) {
    let Value::Ptr(object, start) = hasher else {
        return;
    };
    for at in (0..HASHER).step_by(8) {
        let Some(Value::Expr(e)) = peek::load(m, st, hasher, at, 64) else {
            continue;
        };
        let is_address = |symbol: &Symbol| matches!(symbol, Symbol::Base(_));
        if !m.pool.has_uninit(e) && m.pool.support(e).iter().all(is_address) {
            let number = m.pin_addresses(st, e);
            let number = m.pool.value(number);
            st.memory.store(&mut m.pool, object, start + at, 64, number);
        }
    }
}

/// Number of bytes of a hasher that are looked at.
const HASHER: u64 = 64;

/// Returns an object with the bytes of a concrete part.
fn buffer(m: &Executor, st: &mut State, part: &Rc<KeyPart>) -> ObjectId {
    if let Some(object) = st.hashes.buffer(part) {
        return object;
    }
    let bytes = part
        .iter()
        .map(|leaf| word(m, leaf.0).expect("it is concrete") as u8);
    let object = st.memory.allocate(NewObject {
        size: part.len() as u64,
        length: None,
        align_log2: 4,
        kind: ObjectKind::Global,
        site: LocId::default(),
        birth: 0,
        initial: Initial::Bytes(bytes.collect()),
    });
    st.hashes.keep_buffer(part.clone(), object);
    object
}

/// Returns the word that a value is, whatever the inputs.
fn word(m: &Executor, value: Value) -> Option<u128> {
    match value {
        Value::Int(word) => Some(word.into()),
        Value::Expr(e) => m.pool.as_const(e),
        Value::Ptr(..) | Value::Undef => None,
    }
}

/// Returns a part with numbers for addresses, which are hashed as such; `None` if a leaf is not
/// initialised.
fn in_numbers(m: &mut Executor, st: &mut State, mut part: KeyPart) -> Res<Option<KeyPart>> {
    for (value, _) in &mut part {
        *value = match *value {
            Value::Int(word) => Value::Int(word),
            Value::Ptr(..) => Value::Int(m.concretise(st, *value, 64)?),
            Value::Undef => return Ok(None),
            Value::Expr(e) if m.pool.has_uninit(e) => return Ok(None),
            Value::Expr(e) => {
                let e = m.pin_addresses(st, e);
                m.pool.value(e)
            }
        };
    }
    Ok(Some(part))
}

/// Decides what is hashed in the place of a part of a key, forking if the part may equal one that
/// was hashed before.
fn stand_in(
    m: &mut Executor,
    st: &mut State,
    prefix: Prefix,
    part: &Rc<KeyPart>,
) -> Res<(StandIn, Rc<KeyPart>)> {
    if let Some(by) = st.hashes.stand_in(prefix, part) {
        let by = by.clone();
        let written = written(&by, part);
        return Ok((by, written));
    }
    let is_concrete = part.iter().all(|leaf| word(m, leaf.0).is_some());
    let others = st
        .hashes
        .parts(prefix, part)
        .map(|parts| match is_concrete {
            true => parts.symbolic.clone(),
            false => parts.concrete.clone(),
        });
    let mut differs = m.pool.bool(true);
    for other in others.iter().flat_map(|others| others.iter()) {
        let same = m.parts_equal(st, part, other);
        let not = m.pool.not(same);
        differs = m.pool.and(differs, not);
    }
    let by = match (m.split(st, differs, Purpose::Branch)?, is_concrete) {
        (true, true) => StandIn::Itself,
        (true, false) | (false, true) => StandIn::Any,
        (false, false) => {
            // One of them has the value that the part has under the path's assignment.
            let mut found = None;
            for other in others.iter().flat_map(|others| others.iter()) {
                let same = m.parts_equal(st, part, other);
                if m.pool.eval(same, &st.assignment, &st.memory) == 1 {
                    m.split(st, same, Purpose::Branch)?;
                    found = Some(other.clone());
                    break;
                }
            }
            StandIn::Equal(found.expect("the part equals one of them"))
        }
    };
    let written = written(&by, part);
    st.hashes.add(prefix, part.clone(), is_concrete, by.clone());
    Ok((by, written))
}

/// Returns the part that is hashed in the place of another.
fn written(by: &StandIn, part: &Rc<KeyPart>) -> Rc<KeyPart> {
    match by {
        StandIn::Itself => part.clone(),
        StandIn::Equal(other) => other.clone(),
        StandIn::Any => {
            let word = u64::from_le_bytes([ANY; 8]);
            let any = |width: u32| match width {
                ..64 => word & ((1 << width) - 1),
                _ => word,
            };
            let leaves = part.iter().map(|leaf| (Value::Int(any(leaf.1)), leaf.1));
            Rc::new(leaves.collect())
        }
    }
}
