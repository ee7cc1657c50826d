//! Records [SOP 3]: writes at non-constant addresses, kept in the order in which they were made.
//! Only a read compares them with its address.
//!
//! The *boostMap* of an object is its contents: writes at constant addresses that meet no newer
//! record. The bytes that a new record may reach are taken out of it, so that reads find them empty
//! and look into the *iteList*. The paper moves the entries of the map that collide to the list one
//! by one; here the list takes the whole map as one layer, which costs only a reference to it, and
//! need not ask a solver about each entry at every write. The bytes of a layer are found again by
//! their constant offsets.
//!
//! There is one list for each object, because an address has one object for each of its candidates:
//! a collision is one of segments and offsets. All candidates share one record, and also the
//! if-then-else that a read through several makes of it. A plane of the paper is the type of the
//! values read; here a record keeps the width of the write, reads of the same width take its value
//! as it is, and others take its bytes, so that no write need be made twice.

mod overlap;
mod read;

use super::address_space::AddressSpace;
use super::contents::{Contents, ContentsPiece};
use super::footprint::Footprint;
use super::offset::OffsetRange;
use super::regions::Arrays;
use super::segment::Holder;
use super::symbolic_length_write::Covered;
use super::view::View;
use overlap::RecordSpan;
pub use read::Reading;
use std::ops::Range;
use std::rc::Rc;
use symex_terms::{Expr, ObjectId, Pool, Value, Width};

/// Number of views kept for the layers of an object.
const VIEWS: usize = 8;

/// Target of an access: one of those that its pointer may refer to.
#[derive(Clone, Copy, Debug)]
pub struct AccessSite {
    /// Condition of this target. The guards of an access exclude each other, and one of them holds.
    pub guard: Expr,
    pub object: ObjectId,
    /// Offset, 64 bits; in bounds on the path.
    pub offset: Expr,
}

impl AccessSite {
    /// Makes the only target of an access.
    pub fn only(pool: &mut Pool, object: ObjectId, offset: Expr) -> AccessSite {
        let guard = pool.bool(true);
        AccessSite {
            guard,
            object,
            offset,
        }
    }
}

/// The term of a pointer, split into an if-then-else over objects, and the offset added to it.
/// Pointers with the same if-then-else refer to the same object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pointer {
    pub choice: Expr,
    pub rest: Expr,
}

/// A record: a write at a non-constant address.
#[derive(Debug)]
struct Record {
    /// Position in the order of all records and layers of a path.
    order: u64,
    /// Value written, in whole bytes.
    value: Expr,
    pointer: Option<Pointer>,
}

/// A record's entry in the list of one of the objects that it may write to.
#[derive(Clone, Debug)]
struct RecordEntry {
    record: Rc<Record>,
    guard: Expr,
    span: RecordSpan,
}

/// A layer: a former map of an object, as it was until a record took bytes out of it.
#[derive(Clone)]
struct Layer {
    order: u64,
    contents: Contents,
    arrays: Option<Rc<Arrays>>,
    writes: Option<Rc<Vec<Covered>>>,
    older: Option<Rc<RecordList>>,
}

/// A record list: records, oldest first, above a layer.
#[derive(Clone)]
pub(super) struct RecordList {
    entries: Vec<RecordEntry>,
    layer: Layer,
}

/// Drops the list iteratively, since long lists must not recurse.
impl Drop for RecordList {
    fn drop(&mut self) {
        let mut next = self.layer.older.take();
        while let Some(list) = next {
            next = Rc::try_unwrap(list).map_or(None, |mut list| list.layer.older.take());
        }
    }
}

/// Records of an object, in addition to its contents. All bytes that are empty there are looked up
/// in the list.
#[derive(Clone)]
pub(super) struct Records {
    pub list: Rc<RecordList>,
    /// Arrays of layers, by the layer's position in the order.
    views: Vec<(u64, View)>,
}

impl Records {
    /// Adds the records to a footprint.
    pub fn measure(&self, into: &mut Footprint, shared: bool) {
        let mut next = Some((&self.list, shared));
        while let Some((list, shared)) = next.take() {
            let Some(shared) = into.node(list, shared) else {
                return;
            };
            list.layer.contents.measure(into, shared);
            next = list.layer.older.as_ref().map(|older| (older, shared));
        }
    }

    /// Caches a view of a layer.
    fn keep(&mut self, order: u64, view: View) {
        if self.views.len() == VIEWS {
            self.views.remove(0);
        }
        self.views.push((order, view));
    }
}

/// Reports whether the bytes of a range are empty.
fn is_empty(contents: &Contents, range: Range<u64>) -> bool {
    let mut at = range.start;
    while at < range.end {
        match contents.piece(at, range.end - at) {
            ContentsPiece::Empty(n) => at += n as u64,
            _ => return false,
        }
    }
    true
}

/// Representation of writes at non-constant addresses, chosen by the memory model.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Representation {
    /// Arrays with stores.
    #[default]
    Arrays,
    /// Records of writes, among which a read chooses.
    Records,
    /// Records, where all other writes of the program are records as well [SOP 5, "naive
    /// implementation"].
    AllRecords,
}

/// Number of collision formulae that a path sends to the solver before it is known whether that is
/// worth it.
const TRIAL: u32 = 64;

/// Number of further queries that one useful answer pays for.
const WORTH: u32 = 16;

/// Sampling period of other formulae: one in this many is sent to the solver.
const SAMPLE: u32 = 32;

/// Decides whether it is worth a query whether a read meets a record. Where every write and every
/// read is at another input, no answer is ever `Unsat`, and queries would be the only cost of the
/// model. The decision is local to one path, so that paths do not depend on each other.
#[derive(Clone, Default)]
pub(super) struct Worth {
    asked: u32,
    excluded: u32,
    left: u32,
}

impl AddressSpace {
    /// Reports whether to ask the solver about a collision formula. The result is to be recorded by
    /// [`Self::asked`].
    pub fn is_worth_asking(&mut self) -> bool {
        let worth = &mut self.worth;
        if worth.asked < TRIAL.saturating_add(worth.excluded.saturating_mul(WORTH)) {
            return true;
        }
        worth.left = worth.left.wrapping_add(1);
        worth.left.is_multiple_of(SAMPLE)
    }

    /// Records that the solver was asked about a collision formula.
    pub fn asked(&mut self, excluded: bool) {
        self.worth.asked = self.worth.asked.saturating_add(1);
        self.worth.excluded = self.worth.excluded.saturating_add(u32::from(excluded));
    }

    /// Reports whether writes at symbolic addresses are kept as records.
    pub fn keeps_records(&self) -> bool {
        self.representation != Representation::Arrays
    }

    /// Reports whether all writes of the program are kept as records.
    pub fn keeps_all_records(&self) -> bool {
        self.representation == Representation::AllRecords
    }

    /// Forgets the records of an object if all of it is about to be overwritten.
    pub(super) fn forget_overwritten(&mut self, id: ObjectId, offset: u64, len: u64) {
        if self.has_records(id)
            && offset == 0
            && len >= self.object(id).size
            && let Some(slot) = self.table.get_mut(id)
        {
            slot.records = None;
        }
    }

    /// Returns how many of `bytes` bytes may be written without further checks.
    pub(super) fn fast_writable(&self, bytes: u64) -> u64 {
        if self.keeps_all_records() { 0 } else { bytes }
    }

    /// Reports whether any byte of an object has to be looked up in records.
    pub fn has_records(&self, id: ObjectId) -> bool {
        self.table
            .get(id)
            .is_some_and(|slot| slot.records.is_some())
    }

    /// Writes `width` bits, zero-extended to whole bytes, at one of several targets, where they are
    /// in bounds.
    pub fn record(
        &mut self,
        pool: &mut Pool,
        sites: &[AccessSite],
        pointer: Option<Pointer>,
        width: Width,
        value: Value,
    ) {
        let Some(first) = sites.first() else { return };
        self.forget_all_pointer_tags();
        let term = self.stored(pool, first.object, width, value);
        // The number before is for the layers that it makes.
        self.order += 2;
        let record = Rc::new(Record {
            order: self.order,
            value: term,
            pointer,
        });
        for site in sites {
            self.add_record(pool, &record, site);
        }
    }

    /// Adds a record to the list of one object.
    fn add_record(&mut self, pool: &mut Pool, record: &Rc<Record>, site: &AccessSite) {
        let id = site.object;
        if !self.can_move(id) {
            return;
        }
        self.take_apart(pool, id);
        let holder = Holder::Object(id);
        let bytes = u64::from(pool.width(record.value) / 8);
        let size = self.object(id).size;
        let Some(span) = RecordSpan::within(pool, site.offset, bytes, size) else {
            return;
        };
        let Some(reach) = OffsetRange::of(pool, site.offset, bytes, size)
            .or_else(|| OffsetRange::anywhere(bytes, size))
        else {
            return;
        };
        let range = match self.representation {
            Representation::AllRecords => 0..size,
            _ => reach.min..reach.max + bytes,
        };
        // What was written since arrays were made goes where it belongs first.
        self.settle(pool, holder, &(0..size));
        let slot = self.slot(holder).expect("the object is alive");
        if slot.records.is_none() || !is_empty(&slot.contents, range.clone()) {
            self.begin_list(pool, id, range, record.order - 1);
        }
        let prune = self.representation != Representation::AllRecords;
        let slot = self.slot_mut(holder).expect("the object is alive");
        // Views of the contents show what lies below.
        (slot.arrays, slot.dirty) = (None, false);
        let records = Rc::make_mut(slot.records.as_mut().expect("it was begun"));
        let list = Rc::make_mut(&mut records.list);
        let same = |e: &RecordEntry| {
            prune && e.guard == site.guard && e.span.offset == site.offset && e.span.bytes <= bytes
        };
        // What is overwritten by the very same address can be read no more.
        if let Some(at) = list.entries.iter().rposition(same) {
            list.entries.remove(at);
        }
        list.entries.push(RecordEntry {
            record: record.clone(),
            guard: site.guard,
            span,
        });
    }

    /// Makes the contents of an object a layer of its list, and empties a range of them.
    fn begin_list(&mut self, pool: &mut Pool, id: ObjectId, range: Range<u64>, order: u64) {
        let holder = Holder::Object(id);
        let slot = self.slot_mut(holder).expect("the object is alive");
        let records = slot.records.take();
        let (older, views) = match records {
            Some(records) => (Some(records.list.clone()), records.views.clone()),
            None => (None, Vec::new()),
        };
        let layer = Layer {
            order,
            contents: slot.contents.clone(),
            arrays: slot.arrays.take(),
            writes: slot.writes.take(),
            older,
        };
        let list = Rc::new(RecordList {
            entries: Vec::new(),
            layer,
        });
        slot.records = Some(Rc::new(Records { list, views }));
        let len = range.end - range.start;
        if let Some(mut writer) = self.writer(pool, holder, range.start, len) {
            writer.erase(range.start, len);
        }
        self.counters.layer();
    }
}

#[cfg(test)]
mod tests;
