//! Reads of memory with records: from the newest to the oldest, each record that may collide is
//! found; from the oldest to the newest, each becomes an if-then-else of its value and what lies
//! below.

use super::super::address_space::AddressSpace;
use super::super::contents::{Contents, ContentsPiece};
use super::super::layout::ElementLayout;
use super::super::offset::{OffsetRange, Window};
use super::super::reader::{Owner, Reader};
use super::super::symbolic_offset::SymbolicLoad;
use super::super::view::{ReadResult, View};
use super::overlap::{Collision, Collisions, RecordSpan, collisions, overlay, splice};
use super::{AccessSite, Pointer, Record, RecordList};
use std::collections::BTreeMap;
use std::rc::Rc;
use symex_terms::{Expr, ObjectId, Pool, Width};

/// Greatest number of places in a layer that a read turns into an if-then-else each; with more, an
/// array takes their place.
const FEW: usize = 8;

/// Result of the search for a read: records with which it may collide, and the layers between and
/// below them.
pub struct Reading {
    width: Width,
    guards: Vec<Expr>,
    found: FoundItems,
    /// Whether the search went beyond the maps.
    beyond: bool,
}

/// Identifies a record among those that a read found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordId(u64);

/// Pieces of a read by their position in the order, and by candidate for pieces that belong to one
/// alone.
type FoundItems = BTreeMap<(u64, usize), FoundItem>;

enum FoundItem {
    Record {
        record: Rc<Record>,
        collisions: Collisions,
    },
    /// Bytes (those whose bit is set) at places of a candidate's layer, each with its condition.
    Places {
        candidate: usize,
        places: Vec<(Expr, ReadResult, u32)>,
    },
    /// All bytes of a candidate from here on.
    Bottom {
        candidate: usize,
        loaded: ReadResult,
    },
}

/// Bytes that a read found in the contents of one layer.
enum SeenBytes {
    Nothing,
    Places(Vec<(Expr, ReadResult, u32)>),
    /// Bytes everywhere, or in too many places.
    Much,
}

/// Search for a read in one candidate.
struct CandidateSearch<'a> {
    candidate: usize,
    guard: Expr,
    span: RecordSpan,
    reach: OffsetRange,
    size: u64,
    /// Pointer of the read, and its part without a base as a span.
    pointer: Option<(Pointer, RecordSpan)>,
    /// Whether records are searched below one that has all bytes.
    thorough: bool,
    /// Reader of the layer at hand.
    reader: Reader<'a>,
    views: &'a [(u64, View)],
    new_views: Vec<(u64, View)>,
    found: &'a mut FoundItems,
}

impl CandidateSearch<'_> {
    /// Finds the bytes of a read that the contents of a layer have.
    fn look(&self, pool: &mut Pool, contents: &Contents) -> SeenBytes {
        let n = self.span.bytes;
        let stride = 1u64 << self.reach.align_log2;
        let (first, end) = (self.reach.min, self.reach.max + n);
        let mut at = first;
        let mut empty = true;
        let mut full = true;
        let mut places: Vec<(u64, u32)> = Vec::new();
        let mut many = false;
        while at < end && !many {
            let piece = contents.piece(at, end - at);
            let len = piece.len() as u64;
            if let ContentsPiece::Empty(_) = piece {
                full = false;
                at += len;
                continue;
            }
            empty = false;
            // Places from the first whose end is in the piece to the last that begins in it.
            let below = (at + 1).saturating_sub(n).max(first) - first;
            let mut place = first + below.next_multiple_of(stride);
            while place < at + len && place <= self.reach.max {
                let bits = (at.max(place) - place, (at + len - place).min(n));
                let mask = ones(bits.1) & !ones(bits.0);
                match places.iter_mut().rev().find(|p| p.0 == place) {
                    Some(known) => known.1 |= mask,
                    None => places.push((place, mask)),
                }
                many = places.len() > FEW;
                if many {
                    break;
                }
                place += stride;
            }
            at += len;
        }
        if empty || places.is_empty() {
            return SeenBytes::Nothing;
        }
        if many || full {
            return SeenBytes::Much;
        }
        let reader = Reader {
            contents,
            arrays: None,
            list: None,
            ..self.reader
        };
        let found = places.into_iter().map(|(place, mask)| {
            let here = pool.constant(64, u128::from(place));
            let cond = pool.eq(self.span.offset, here);
            (cond, reader.loaded(pool, place, n as usize), mask)
        });
        SeenBytes::Places(found.collect())
    }

    /// Follows a list down to the first layer, or to a record that has all bytes.
    fn follow(&mut self, pool: &mut Pool, list: &RecordList) {
        let mut list = list;
        loop {
            for entry in list.entries.iter().rev() {
                if self.meet(pool, &entry.record, entry.guard, &entry.span) && !self.thorough {
                    return;
                }
            }
            let layer = &list.layer;
            let seen = match &layer.older {
                None => SeenBytes::Much,
                Some(_) => self.look(pool, &layer.contents),
            };
            match (seen, &layer.older) {
                (SeenBytes::Much, _) | (_, None) => {
                    let loaded = self.bottom(pool, list);
                    self.end(layer.order, loaded);
                    return;
                }
                (SeenBytes::Nothing, Some(older)) => list = older,
                (SeenBytes::Places(places), Some(older)) => {
                    self.places(layer.order, places);
                    list = older;
                }
            }
        }
    }

    fn places(&mut self, order: u64, places: Vec<(Expr, ReadResult, u32)>) {
        let candidate = self.candidate;
        let item = FoundItem::Places { candidate, places };
        self.found.insert((order, candidate), item);
    }

    fn end(&mut self, order: u64, loaded: ReadResult) {
        let candidate = self.candidate;
        let item = FoundItem::Bottom { candidate, loaded };
        self.found.insert((order, candidate), item);
    }

    /// Adds a record with which the read may collide. Reports whether it certainly has all bytes if
    /// this candidate is read.
    fn meet(
        &mut self,
        pool: &mut Pool,
        record: &Rc<Record>,
        guard: Expr,
        write: &RecordSpan,
    ) -> bool {
        let here = collisions(pool, write, &self.span);
        if here.is_empty() {
            return false;
        }
        let n = self.span.bytes;
        let item = self.found.entry((record.order, 0)).or_insert_with(|| {
            let collisions = Collisions::new();
            let record = record.clone();
            FoundItem::Record { record, collisions }
        });
        let FoundItem::Record {
            collisions: all, ..
        } = item
        else {
            unreachable!("the order has records apart from layers")
        };
        let sure = |pool: &Pool, c: &Collision| {
            c.covers(write.bytes, n) && pool.as_const(c.cond) == Some(1)
        };
        // Pointers to the same object collide where what is added to them does.
        if let (Some(theirs), Some((own, rest))) = (record.pointer, &self.pointer)
            && theirs.choice == own.choice
        {
            if all.is_empty() {
                let there = RecordSpan::anywhere(pool, theirs.rest, write.bytes);
                *all = collisions(pool, &there, rest);
            }
            return all.iter().any(|c| sure(pool, c));
        }
        let mut covered = false;
        for c in here {
            let cond = pool.and(guard, c.cond);
            covered |= sure(pool, &Collision { cond, ..c });
            let cond = pool.and(self.guard, cond);
            match all.iter_mut().find(|known| known.distance == c.distance) {
                Some(known) => known.cond = pool.or(known.cond, cond),
                None => all.push(Collision { cond, ..c }),
            }
        }
        covered
    }

    /// Reads the bytes of a layer and all that lies below it.
    fn bottom(&mut self, pool: &mut Pool, list: &RecordList) -> ReadResult {
        let layer = &list.layer;
        let n = self.span.bytes;
        let reader = Reader {
            contents: &layer.contents,
            arrays: layer.arrays.as_deref(),
            list: layer.older.as_deref(),
            ..self.reader
        };
        if let Some(at) = pool.as_const(self.span.offset) {
            return reader.loaded(pool, at as u64, n as usize);
        }
        let writes = layer.writes.as_deref().map_or(&[][..], Vec::as_slice);
        let layout = ElementLayout::of(writes, self.reach, n);
        let window = Window {
            reach: self.reach,
            bounds: 0..self.size,
            strict: false,
        };
        let cached = layer.arrays.iter().flat_map(|a| &a.cached);
        let own = self.views.iter().filter(|v| v.0 == layer.order);
        let mut all = cached.chain(own.map(|v| &v.1));
        if let Some(view) = all.find(|view| layout.fits(view, &window)) {
            return view.load(pool, self.span.offset, self.reach, n);
        }
        let view = layout.build(pool, &reader, writes, &window, 0..u64::MAX);
        let loaded = view.load(pool, self.span.offset, self.reach, n);
        self.new_views.push((layer.order, view));
        loaded
    }
}

fn ones(n: u64) -> u32 {
    ((1u64 << n) - 1) as u32
}

impl RecordList {
    /// Reads bytes of an object at known offsets where its contents are empty. `of` reads the
    /// object.
    pub fn load_at(&self, pool: &mut Pool, of: &Reader<'_>, at: u64, bytes: usize) -> ReadResult {
        let Owner::One(_) = of.owner else {
            unreachable!("only objects have records")
        };
        let offset = pool.constant(64, u128::from(at));
        let always = pool.bool(true);
        let mut found = FoundItems::new();
        let mut walk = CandidateSearch {
            candidate: 0,
            guard: always,
            span: RecordSpan::anywhere(pool, offset, bytes as u64),
            reach: OffsetRange::at(at),
            size: at + bytes as u64,
            pointer: None,
            thorough: false,
            reader: *of,
            views: &[],
            new_views: Vec::new(),
            found: &mut found,
        };
        walk.follow(pool, self);
        fold(pool, found, &[always], bytes as Width * 8)
    }
}

/// Combines all that was found into one result, from the oldest on.
fn fold(pool: &mut Pool, found: FoundItems, guards: &[Expr], width: Width) -> ReadResult {
    let mut below: Option<ReadResult> = None;
    for item in found.into_values() {
        // Whatever is not met by anything older is met by something newer.
        let nothing = |pool: &mut Pool| ReadResult::sure(pool.constant(width, 0));
        below = Some(match item {
            FoundItem::Bottom { candidate, loaded } => match below {
                None => loaded,
                Some(below) => ReadResult::either(pool, guards[candidate], loaded, below),
            },
            FoundItem::Places { candidate, places } => {
                let below = below.unwrap_or_else(|| nothing(pool));
                let mut all = below;
                for (cond, loaded, mask) in places {
                    let here = splice(pool, below, loaded, mask);
                    let cond = pool.and(guards[candidate], cond);
                    all = ReadResult::either(pool, cond, here, all);
                }
                all
            }
            FoundItem::Record { record, collisions } => {
                let (value, init) =
                    super::super::symbolic_length_write::written_part(pool, record.value);
                let exact = record.value;
                let written = ReadResult { value, init, exact };
                let below = below.unwrap_or_else(|| nothing(pool));
                overlay(pool, below, written, &collisions)
            }
        });
    }
    below.unwrap_or_else(|| ReadResult::sure(pool.constant(width, 0)))
}

impl Reading {
    /// Returns the records with which the read may collide, newest first, with their collision
    /// formulae, without those that certainly collide.
    pub fn open(&self, pool: &mut Pool) -> Vec<(RecordId, Expr)> {
        let mut open = Vec::new();
        for ((order, _), item) in self.found.iter().rev() {
            let FoundItem::Record { collisions, .. } = item else {
                continue;
            };
            let mut any = pool.bool(false);
            for c in collisions {
                any = pool.or(any, c.cond);
            }
            if pool.as_const(any).is_none() {
                open.push((RecordId(*order), any));
            }
        }
        open
    }

    /// Removes a record that does not collide on the path.
    pub fn rule_out(&mut self, record: RecordId) {
        self.found.remove(&(record.0, 0));
    }

    /// Reports whether the search went beyond the maps.
    pub fn is_beyond_maps(&self) -> bool {
        self.beyond
    }
}

impl AddressSpace {
    /// Searches the records for a read of `width` bits at one of several targets, where they are in
    /// bounds. Which of the possible collisions are feasible is left to the caller.
    pub fn find_records(
        &mut self,
        pool: &mut Pool,
        sites: &[AccessSite],
        pointer: Option<Pointer>,
        width: Width,
    ) -> Reading {
        let mut found = FoundItems::new();
        let rest = pointer.map(|pointer| {
            let bytes = u64::from(width.div_ceil(8));
            (pointer, RecordSpan::anywhere(pool, pointer.rest, bytes))
        });
        let mut beyond = false;
        for (candidate, site) in sites.iter().enumerate() {
            if self.is_live(site.object) {
                let at = (candidate, site);
                beyond |= self.find_records_of(pool, at, rest, width, &mut found);
            }
        }
        Reading {
            width,
            guards: sites.iter().map(|site| site.guard).collect(),
            found,
            beyond,
        }
    }

    /// Searches the records for one of the targets; reports whether the search went beyond the map.
    fn find_records_of(
        &mut self,
        pool: &mut Pool,
        (candidate, site): (usize, &AccessSite),
        pointer: Option<(Pointer, RecordSpan)>,
        width: Width,
        found: &mut FoundItems,
    ) -> bool {
        let (id, offset) = (site.object, site.offset);
        let bytes = u64::from(width.div_ceil(8));
        let size = self.object(id).size;
        let Some(span) = RecordSpan::within(pool, offset, bytes, size) else {
            return false;
        };
        let reach = match pool.as_const(offset) {
            Some(at) => Some(OffsetRange::at(at as u64)),
            None => OffsetRange::of(pool, offset, bytes, size)
                .or_else(|| OffsetRange::anywhere(bytes, size)),
        };
        let Some(reach) = reach else { return false };
        let records = self.table.get(id).and_then(|slot| slot.records.clone());
        let contents = self.table.get(id).map(|slot| slot.contents.clone());
        let (Some(records), Some(contents)) = (records, contents) else {
            let Some(loaded) = self.load_top(pool, id, offset, bytes) else {
                return false;
            };
            found.insert(
                (u64::MAX, candidate),
                FoundItem::Bottom { candidate, loaded },
            );
            return false;
        };
        let mut walk = CandidateSearch {
            candidate,
            guard: site.guard,
            span,
            reach,
            size,
            pointer,
            thorough: self.keeps_all_records(),
            reader: Reader {
                identities: &self.identities,
                contents: &contents,
                arrays: None,
                list: None,
                owner: Owner::One(id),
            },
            views: &records.views,
            new_views: Vec::new(),
            found,
        };
        match walk.look(pool, &contents) {
            SeenBytes::Much => {
                let Some(loaded) = self.load_top(pool, id, offset, bytes) else {
                    return false;
                };
                found.insert(
                    (u64::MAX, candidate),
                    FoundItem::Bottom { candidate, loaded },
                );
                return false;
            }
            SeenBytes::Places(places) => walk.places(u64::MAX, places),
            SeenBytes::Nothing => {}
        }
        walk.follow(pool, &records.list);
        let new_views = std::mem::take(&mut walk.new_views);
        drop(records);
        self.keep_views(id, new_views);
        true
    }

    fn keep_views(&mut self, id: ObjectId, views: Vec<(u64, View)>) {
        for (order, view) in views {
            self.counters.array(view.count);
            if let Some(slot) = self.table.get_mut(id)
                && let Some(records) = &mut slot.records
            {
                Rc::make_mut(records).keep(order, view);
            }
        }
    }

    /// Returns the value of a read whose records have been checked.
    pub fn value_of_reading(&self, pool: &mut Pool, reading: Reading) -> SymbolicLoad {
        let bytes = reading.width.div_ceil(8);
        let loaded = fold(pool, reading.found, &reading.guards, bytes * 8);
        self.loaded(pool, loaded, reading.width)
    }
}
