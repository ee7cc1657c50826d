//! Writes of values at known offsets, to a range at whose borders cells were cut before.

use super::address_space::align_of;
use super::contents::MAX_CELL;
use super::counters::Counters;
use super::object::Object;
use super::object_table::ObjectSlot;
use super::persistent::PersistentVec;
use super::regions::Arrays;
use symex_terms::{ObjectId, Pool, Value, Width};

/// Truncates a value of `from` bits to its low `width` bits.
pub(super) fn narrow(
    pool: &mut Pool,
    value: Value,
    from: Width,
    width: Width,
    align: impl Fn(ObjectId) -> u8,
) -> Value {
    if width == from {
        return value;
    }
    match value {
        Value::Int(v) if width >= 64 => Value::Int(v),
        Value::Int(v) => Value::Int(v & ((1 << width) - 1)),
        value => {
            let e = pool.term(value, from, align);
            let low = pool.extract(e, 0, width);
            pool.value(low)
        }
    }
}

/// Writer to a range in which no cell is cut.
pub(super) struct Writer<'a> {
    pub identities: &'a PersistentVec<Object>,
    pub slot: &'a mut ObjectSlot,
    pub counters: &'a Counters,
}

impl Writer<'_> {
    /// Extracts bytes `skip .. skip + len` of a value of `whole` bytes.
    pub fn part(
        &self,
        pool: &mut Pool,
        value: Value,
        whole: usize,
        skip: usize,
        len: usize,
    ) -> Value {
        let e = pool.term(value, whole as Width * 8, |o| align_of(self.identities, o));
        let part = pool.extract(e, skip as Width * 8, len as Width * 8);
        pool.value(part)
    }

    /// Writes a value of `len` bytes.
    pub fn put(&mut self, pool: &mut Pool, at: u64, len: usize, value: Value) {
        match value {
            Value::Int(word) if len <= 8 => {
                self.slot
                    .contents
                    .put_bytes(self.counters, at, &word.to_le_bytes()[..len]);
            }
            Value::Int(word) => {
                self.slot.contents.put_bytes(
                    self.counters,
                    at,
                    &u128::from(word).to_le_bytes()[..len],
                );
            }
            Value::Undef => self.put_undef(at, len as u64),
            Value::Expr(e) if pool.as_const(e).is_some() => {
                let word = pool.as_const(e).unwrap_or(0);
                self.slot
                    .contents
                    .put_bytes(self.counters, at, &word.to_le_bytes()[..len]);
            }
            value => {
                let room = self.slot.contents.room(at);
                if len <= room {
                    self.slot.contents.put_cell(self.counters, at, len, value);
                } else {
                    let low = self.part(pool, value, len, 0, room);
                    let high = self.part(pool, value, len, room, len - room);
                    self.put(pool, at, room, low);
                    self.put(pool, at + room as u64, len - room, high);
                }
            }
        }
    }

    /// Reports whether the object has regions.
    pub fn has_regions(&self) -> bool {
        self.slot.arrays.as_deref().is_some_and(Arrays::has_regions)
    }

    /// Reports whether empty bytes are unwritten everywhere.
    pub fn shows_nothing(&self) -> bool {
        self.slot.records.is_none() && !self.has_regions()
    }

    /// Makes a range empty.
    pub fn erase(&mut self, at: u64, len: u64) {
        self.slot.contents.erase(self.counters, at, len);
    }

    /// Makes a range uninitialised.
    pub fn put_undef(&mut self, at: u64, len: u64) {
        self.slot.contents.erase(self.counters, at, len);
        // Empty bytes would show an array, or what records wrote.
        if self.slot.records.is_some() {
            return self.put_undef_cells(at, at + len);
        }
        let Some(arrays) = self.slot.arrays.clone() else {
            return;
        };
        let range = at..at + len;
        for band in arrays.bands_in(&range) {
            self.put_undef_cells(range.start.max(band.start), range.end.min(band.end));
        }
    }

    fn put_undef_cells(&mut self, mut at: u64, end: u64) {
        while at < end {
            let room = self.slot.contents.room(at).min(MAX_CELL);
            let n = room.min((end - at) as usize);
            self.slot
                .contents
                .put_cell(self.counters, at, n, Value::Undef);
            at += n as u64;
        }
    }
}
