//! The address space of one path: identity, liveness, addresses and contents of its objects. Cheap
//! to clone (forks share everything).
//!
//! Accesses at symbolic offsets are in `symbolic_offset`.

use super::by_address::ByAddress;
use super::contents::{Contents, ContentsPiece, PAGE};
use super::counters::Counters;
use super::footprint::Footprint;
use super::object::{Initial, NewObject, Object, ObjectKind};
use super::object_table::{ObjectSlot, ObjectTable};
use super::persistent::PersistentVec;
use super::placement::{AddressRegion, Placement};
use super::pointer_tags::PointerTags;
use super::reader::{Owner, Reader};
use super::records::{Representation, Worth};
use super::segment::{Holder, Segments};
use super::writer::{Writer, narrow};
use std::ops::Range;
use std::rc::Rc;
use symex_program::LocId;
use symex_terms::{AddressMap, Expr, ObjectId, Pool, Value, Width};
use symex_types::config::MemoryConfig;

/// All objects of a path. Belongs to one [`Pool`].
#[derive(Clone, Default)]
pub struct AddressSpace {
    pub(super) table: ObjectTable,
    pub(super) segments: Segments,
    /// Identities of objects by id; entry 0 is no object.
    pub(super) identities: PersistentVec<Object>,
    /// Places in the program at which objects were freed, by id; 0 where none is known.
    pub(super) freed: PersistentVec<LocId>,
    pub(super) by_address: ByAddress,
    pub(super) placement: Placement,
    pub(super) counters: Rc<Counters>,
    /// Representation of writes at symbolic addresses.
    pub(super) representation: Representation,
    pub(super) worth: Worth,
    /// Number of records and layers of objects made so far.
    pub(super) order: u64,
    /// Whether objects are copied as a whole at the first write after a fork.
    copies_whole: bool,
    /// Whether memory that was never written is zero.
    zeroed: bool,
    /// Whether new segments have arrays of their own, whatever their contents.
    pub(super) apart: bool,
    /// Tags of the pointers in memory, if they are tracked.
    pub(super) tags: Option<Box<PointerTags>>,
}

pub(super) fn align_of(identities: &PersistentVec<Object>, id: ObjectId) -> u8 {
    identities.get(id.0 as usize).map_or(0, |o| o.align_log2)
}

/// Returns the alignment of an address, as a power of two.
fn log2(address: u64) -> u8 {
    address.trailing_zeros() as u8
}

impl AddressSpace {
    /// Makes an address space without objects. Operations on it and on its forks are counted in
    /// `counters`.
    pub fn new(counters: Rc<Counters>, config: &MemoryConfig) -> Self {
        AddressSpace {
            counters,
            zeroed: config.zeroed,
            apart: !config.reuse_segments,
            ..AddressSpace::default()
        }
    }

    /// Sets whether objects are copied as a whole at the first write after a fork. For an address
    /// space without objects.
    pub fn copying_whole(self, copies_whole: bool) -> Self {
        AddressSpace {
            copies_whole,
            ..self
        }
    }

    /// Sets how writes at symbolic addresses are represented. For an address space without objects.
    pub fn represented(self, representation: Representation) -> Self {
        AddressSpace {
            representation,
            ..self
        }
    }

    /// Adds the address space's bytes to a footprint.
    pub fn measure(&self, into: &mut Footprint) {
        self.table.measure(into);
        self.segments.measure(into);
        self.identities.measure(into);
        self.freed.measure(into);
    }

    /// Allocates an object; ids ascend from 1 in order of allocation. `None` if there is no room
    /// for one of that size (some 100 TB on the heap) or alignment.
    pub fn try_allocate(&mut self, mut new: NewObject) -> Option<ObjectId> {
        if self.zeroed && matches!(new.initial, Initial::Uninit) {
            new.initial = Initial::Zero;
        }
        let address = self.placement.place(new.kind, new.size, new.align_log2)?;
        if self.identities.len() == 0 {
            self.identities.push(Object::default());
            self.freed.push(LocId::default());
        }
        let id = ObjectId(u32::try_from(self.identities.len()).ok()?);
        self.identities.push(Object {
            id,
            size: new.size,
            length: new.length,
            align_log2: new.align_log2,
            kind: new.kind,
            site: new.site,
            birth: new.birth,
            address,
        });
        self.freed.push(LocId::default());
        self.by_address.push(AddressRegion::of(new.kind), id);
        let sure = new.length.map_or(new.size, |l| l.least);
        let (readable, writable) = match new.kind {
            ObjectKind::Function => (0, 0),
            ObjectKind::Constant => (sure, 0),
            _ => (sure, sure),
        };
        let contents = match new.kind {
            ObjectKind::Function => Contents::Opaque,
            _ => {
                let contents = Contents::new(new.size, &new.initial);
                if self.copies_whole {
                    contents.copied_whole(new.size)
                } else {
                    contents
                }
            }
        };
        self.table.insert(
            id,
            ObjectSlot {
                readable,
                writable: self.fast_writable(writable),
                align_log2: log2(address),
                by_address: true,
                live: true,
                out_of_scope: false,
                dirty: false,
                contents,
                arrays: None,
                writes: None,
                records: None,
            },
        );
        Some(id)
    }

    /// Allocates an object as [`Self::try_allocate`] does, for requests known to be reasonable.
    ///
    /// # Panics
    ///
    /// If there is no room: sizes that the analysed program chooses go through
    /// [`Self::try_allocate`].
    pub fn allocate(&mut self, new: NewObject) -> ObjectId {
        self.try_allocate(new)
            .expect("an address region has room for an object of known size")
    }

    /// Ends an object's life and drops its contents; its identity stays known.
    pub fn free(&mut self, id: ObjectId) {
        if let Some((segment, at)) = self.segment_of(id) {
            self.segments.remove(segment, at);
        }
        self.table.remove(id);
        if let Some(tags) = &mut self.tags {
            tags.forget(id);
        }
    }

    /// Ends an object's life as [`Self::free`] does, at a place in the program.
    pub fn free_at(&mut self, id: ObjectId, site: LocId) {
        self.free(id);
        if let Some(freed) = self.freed.get_mut(id.0 as usize) {
            *freed = site;
        }
    }

    /// Returns the place in the program at which an object was freed, if it was, and that is known.
    pub fn freed_at(&self, id: ObjectId) -> Option<LocId> {
        let site = *self.freed.get(id.0 as usize)?;
        (site != LocId::default()).then_some(site)
    }

    /// Returns the identity of an object of this path, alive or not.
    pub fn object(&self, id: ObjectId) -> &Object {
        self.identities
            .get(id.0 as usize)
            .expect("an id comes from an allocation on this path")
    }

    /// Reports whether a place of an object is aligned.
    ///
    /// An object has the alignment of its address, because C's compilers and allocators align
    /// better than asked, and programs rely on it. One of Rust code ([`Self::align_as_asked`]) has
    /// the alignment that was asked for and no better, wherever it happens to lie, until the path
    /// looks at its address ([`Self::align_by_address`]).
    pub fn is_aligned(&self, id: ObjectId, offset: u64, align_log2: u8) -> bool {
        match self.table.get(id).filter(|slot| slot.live) {
            Some(slot) if slot.is_aligned(offset, align_log2) => true,
            Some(slot) if !slot.by_address => false,
            _ => log2(self.object(id).address.wrapping_add(offset)) >= align_log2,
        }
    }

    /// Reports whether the path relies on the alignment of an object's address.
    pub fn is_by_address(&self, id: ObjectId) -> bool {
        self.table.get(id).is_none_or(|slot| slot.by_address)
    }

    /// Lets the path rely on no better alignment of an object than was asked for.
    pub fn align_as_asked(&mut self, id: ObjectId) {
        let align_log2 = align_of(&self.identities, id);
        if let Some(slot) = self.table.get_mut(id) {
            (slot.align_log2, slot.by_address) = (align_log2, false);
        }
    }

    /// Lets the path rely on the alignment of an object's address, after a decision on it.
    pub fn align_by_address(&mut self, id: ObjectId) {
        let align_log2 = log2(self.object(id).address);
        if let Some(slot) = self.table.get_mut(id) {
            (slot.align_log2, slot.by_address) = (align_log2, true);
        }
    }

    /// Returns the bytes that a live object has for all inputs of the path, as far as is known.
    pub fn sure_size(&self, id: ObjectId) -> u64 {
        match self.object(id).length {
            None => self.object(id).size,
            Some(length) => self.table.get(id).map_or(length.least, |s| s.readable),
        }
    }

    /// Records that the path condition implies that a live object has at least `least` bytes.
    pub fn learn_size(&mut self, id: ObjectId, least: u64) {
        if self.object(id).length.is_none() || least <= self.sure_size(id) {
            return;
        }
        let writable = self.fast_writable(least);
        if let Some(slot) = self.table.get_mut(id).filter(|s| s.live) {
            // Only what the program asks for at run time has a length, and it may write there.
            (slot.readable, slot.writable) = (least, writable);
        }
    }

    /// Returns the number of objects allocated so far, alive or not.
    pub fn allocations(&self) -> usize {
        self.identities.len().saturating_sub(1)
    }

    /// Reports whether an object is alive.
    #[inline]
    pub fn is_live(&self, id: ObjectId) -> bool {
        self.table.get(id).is_some_and(|s| s.live)
    }

    /// Records whether a local variable is out of its scope, where it must not be written. A read
    /// whose result is unused may have been moved out of the scope by the compiler, and reads
    /// unwritten bytes.
    pub fn set_out_of_scope(&mut self, id: ObjectId, is_out: bool) {
        let writable = match is_out {
            true => 0,
            false => self.fast_writable(self.sure_size(id)),
        };
        if let Some(slot) = self.table.get_mut(id) {
            slot.out_of_scope = is_out;
            slot.writable = writable;
        }
    }

    /// Reports whether an object is a local variable out of its scope.
    pub fn is_out_of_scope(&self, id: ObjectId) -> bool {
        self.table.get(id).is_some_and(|s| s.out_of_scope)
    }

    /// Finds the live object whose range `[address, address + size]` contains the address, and
    /// returns it with the offset. The end of the range counts only if no other object begins
    /// there.
    pub fn find(&self, address: u64) -> Option<(ObjectId, u64)> {
        let id = self.find_ended(address)?.0;
        let o = self.object(id);
        self.is_live(id).then(|| (id, address - o.address))
    }

    /// Finds an object as [`Self::find`] does, alive or not. Addresses are not reused, so this
    /// identifies the object of a stale address.
    pub fn find_ended(&self, address: u64) -> Option<(ObjectId, u64)> {
        let id = self
            .by_address
            .at_or_below(address, |id| self.object(id).address)?;
        let o = self.object(id);
        let offset = address - o.address;
        (offset <= o.size).then_some((id, offset))
    }

    /// Returns all live objects in order of address.
    pub fn live(&self) -> Vec<ObjectId> {
        let mut all: Vec<(u64, ObjectId)> = self
            .table
            .live()
            .map(|(id, _)| (self.object(id).address, id))
            .collect();
        all.sort_unstable();
        all.into_iter().map(|(_, id)| id).collect()
    }

    /// Fast path of a load: returns the value of `bytes` (1, 2, 4, 8) bytes at a concrete offset of
    /// a live object if it is in bounds and stored as one value (concrete initialised bytes, or
    /// exactly one stored value). If `None`, use [`Self::load`]. The value is `8 * bytes` wide.
    #[inline]
    pub fn load_fast(
        &self,
        id: ObjectId,
        offset: u64,
        bytes: u32,
        align_log2: u8,
    ) -> Option<Value> {
        let slot = self.table.get(id)?;
        if offset >= slot.readable
            || slot.readable - offset < u64::from(bytes)
            || !slot.is_aligned(offset, align_log2)
        {
            return None;
        }
        match slot.contents.load_fast(offset, bytes as usize) {
            None => self.load_fast_within(&slot.contents, offset, bytes),
            some => some,
        }
    }

    /// Fast path of a load from a member of a segment, as [`Self::load_fast`].
    fn load_fast_within(&self, contents: &Contents, offset: u64, bytes: u32) -> Option<Value> {
        let Contents::Within(segment, at) = contents else {
            return None;
        };
        let contents = &self.segments.slot(*segment).contents;
        contents.load_fast(at + offset, bytes as usize)
    }

    /// Fast path of a store: stores `bytes` (1, 2, 4, 8) bytes if the object is alive, in bounds
    /// and writable, and reports whether it did. A term must be `8 * bytes` wide.
    #[inline]
    pub fn store_fast(
        &mut self,
        id: ObjectId,
        offset: u64,
        bytes: u32,
        align_log2: u8,
        value: Value,
    ) -> bool {
        let Some(slot) = self.table.get_mut(id) else {
            return false;
        };
        if offset >= slot.writable
            || slot.writable - offset < u64::from(bytes)
            || !slot.is_aligned(offset, align_log2)
        {
            return false;
        }
        slot.dirty = true;
        if let Some(tags) = &mut self.tags {
            tags.overwrite(id, offset, u64::from(bytes));
        }
        let counters = &*self.counters;
        if slot
            .contents
            .store_fast(counters, offset, bytes as usize, value)
        {
            return true;
        }
        let Contents::Within(segment, at) = slot.contents else {
            return false;
        };
        let slot = self.segments.slot_mut(segment);
        slot.dirty = true;
        let contents = &mut slot.contents;
        contents.store_fast(counters, at + offset, bytes as usize, value)
    }

    /// Reports whether `bytes` bytes at an offset of an object are there for all inputs of the path
    /// and aligned wherever the object lies.
    #[inline]
    pub fn is_referable(&self, id: ObjectId, offset: u64, bytes: u64, align_log2: u8) -> bool {
        let Some(slot) = self.table.get(id) else {
            return false;
        };
        offset <= slot.readable
            && slot.readable - offset >= bytes
            && !(slot.out_of_scope && bytes > 0)
            && slot.is_aligned(offset, align_log2)
    }

    pub(super) fn reader(&self, holder: Holder) -> Option<Reader<'_>> {
        let slot = self.slot(holder)?;
        Some(Reader {
            identities: &self.identities,
            contents: &slot.contents,
            arrays: slot.arrays.as_deref(),
            list: slot.records.as_deref().map(|records| &*records.list),
            owner: self.owner(holder),
        })
    }

    fn owner(&self, holder: Holder) -> Owner<'_> {
        match holder {
            Holder::Object(id) => Owner::One(id),
            Holder::Segment(segment) => Owner::Members(self.segments.members(segment)),
        }
    }

    /// Loads `width` bits (reading the whole bytes needed, little endian) at an offset that is in
    /// bounds. Unwritten bytes are read as variables of `Origin::Uninit`.
    pub fn load(&self, pool: &mut Pool, id: ObjectId, offset: u64, width: Width) -> Value {
        let (holder, first) = self.held(id);
        self.load_held(pool, holder, first + offset, width)
    }

    pub(super) fn load_held(
        &self,
        pool: &mut Pool,
        holder: Holder,
        offset: u64,
        width: Width,
    ) -> Value {
        let bytes = width.div_ceil(8);
        let Some(reader) = self.reader(holder) else {
            return Value::Undef;
        };
        let whole = reader.value(pool, offset, bytes as usize);
        narrow(pool, whole, bytes * 8, width, |o| {
            align_of(&self.identities, o)
        })
    }

    /// Stores `width` bits, zero-extended to whole bytes, at an offset that is in bounds.
    pub fn store(
        &mut self,
        pool: &mut Pool,
        id: ObjectId,
        offset: u64,
        width: Width,
        value: Value,
    ) {
        if let Some(tags) = &mut self.tags {
            tags.overwrite(id, offset, u64::from(width.div_ceil(8)));
        }
        let (holder, first) = self.held(id);
        self.store_held(pool, holder, first + offset, width, value);
    }

    pub(super) fn store_held(
        &mut self,
        pool: &mut Pool,
        holder: Holder,
        offset: u64,
        width: Width,
        value: Value,
    ) {
        let bytes = width.div_ceil(8) as usize;
        let value = match value {
            Value::Expr(e) => {
                debug_assert_eq!(pool.width(e), width);
                Value::Expr(pool.zext(e, bytes as Width * 8))
            }
            v => v,
        };
        let Some(mut w) = self.writer(pool, holder, offset, bytes as u64) else {
            return;
        };
        w.put(pool, offset, bytes, value);
    }

    /// Copies `len` bytes with their initialisation and symbolic values; ranges are in bounds and
    /// may overlap.
    pub fn copy(&mut self, pool: &mut Pool, dst: (ObjectId, u64), src: (ObjectId, u64), len: u64) {
        if !self.is_live(dst.0) || !self.is_live(src.0) {
            return;
        }
        if let Some(tags) = &mut self.tags {
            tags.copy(dst, src, len);
        }
        let [to, from] = [dst, src].map(|(id, offset)| {
            let (holder, first) = self.held(id);
            (holder, first + offset)
        });
        self.copy_held(pool, to, from, len);
    }

    pub(super) fn copy_held(
        &mut self,
        pool: &mut Pool,
        dst: (Holder, u64),
        src: (Holder, u64),
        len: u64,
    ) {
        if len == 0 || dst == src {
            return;
        }
        let Some(from) = self.slot(src.0) else {
            return;
        };
        // A second handle on the source: if it is the destination as well, what is read stays as it
        // was.
        let (contents, arrays) = (from.contents.clone(), from.arrays.clone());
        let records = from.records.clone();
        let members = match src.0 {
            Holder::Object(_) => None,
            Holder::Segment(segment) => Some(self.segments.shared_members(segment)),
        };
        let Some(mut w) = self.writer(pool, dst.0, dst.1, len) else {
            return;
        };
        let reader = Reader {
            identities: w.identities,
            contents: &contents,
            arrays: arrays.as_deref(),
            list: records.as_deref().map(|records| &*records.list),
            owner: match (src.0, &members) {
                (Holder::Object(id), _) => Owner::One(id),
                (Holder::Segment(_), members) => {
                    Owner::Members(members.as_deref().expect("they were taken above"))
                }
            },
        };
        let plain = reader.shows_nothing() && w.shows_nothing();
        let mut done = 0;
        while done < len {
            let (to, at, rest) = (dst.1 + done, src.1 + done, len - done);
            if plain && w.slot.contents.share_page(to, &contents, at, rest) {
                done += PAGE as u64;
                continue;
            }
            let piece = contents.piece(at, rest);
            let mut n = piece.len();
            match piece {
                ContentsPiece::Bytes(b) => w.slot.contents.put_bytes(w.counters, to, b),
                ContentsPiece::Cell {
                    value: Value::Undef,
                    ..
                } => w.put_undef(to, n as u64),
                ContentsPiece::Cell {
                    value,
                    skip: 0,
                    len,
                    whole,
                } if len == whole => w.put(pool, to, n, value),
                ContentsPiece::Empty(_) if !reader.in_region(at) => {
                    n = reader.outside_region(at, n);
                    w.put_undef(to, n as u64);
                }
                ContentsPiece::Cell { .. } | ContentsPiece::Empty(_) => {
                    n = reader.chunk(at, n);
                    let value = reader.value(pool, at, n);
                    w.put(pool, to, n, value);
                }
            }
            done += n as u64;
        }
    }

    /// Fills `len` bytes with one 8-bit value (`Undef` makes them uninitialised).
    pub fn fill(&mut self, pool: &mut Pool, id: ObjectId, offset: u64, len: u64, value: Value) {
        if len == 0 {
            return;
        }
        if let Some(tags) = &mut self.tags {
            tags.overwrite(id, offset, len);
        }
        self.forget_overwritten(id, offset, len);
        let (holder, first) = self.held(id);
        let offset = first + offset;
        let zeroed = self.zeroed;
        let Some(mut w) = self.writer(pool, holder, offset, len) else {
            return;
        };
        match value {
            Value::Undef if !zeroed => w.put_undef(offset, len),
            Value::Undef => w.slot.contents.fill(w.counters, offset, len, 0),
            Value::Int(byte) => w.slot.contents.fill(w.counters, offset, len, byte as u8),
            _ => {
                for at in offset..offset + len {
                    w.put(pool, at, 1, value);
                }
            }
        }
    }

    /// Returns the bytes of a range in bounds, if all of them are concrete and initialised.
    pub fn concrete_bytes(&self, id: ObjectId, offset: u64, len: u64) -> Option<Vec<u8>> {
        let (holder, first) = self.held(id);
        let reader = self.reader(holder)?;
        let offset = first + offset;
        let mut bytes = Vec::with_capacity(len as usize);
        while (bytes.len() as u64) < len {
            let done = bytes.len() as u64;
            match reader.contents.piece(offset + done, len - done) {
                ContentsPiece::Bytes(b) => bytes.extend_from_slice(b),
                _ => return None,
            }
        }
        Some(bytes)
    }

    /// Returns the first offset in the range that is not certainly written.
    pub fn first_uninit(&self, pool: &Pool, id: ObjectId, offset: u64, len: u64) -> Option<u64> {
        let (holder, first) = self.held(id);
        let found = self
            .reader(holder)?
            .first_uninit(pool, first + offset, len)?;
        Some(found - first)
    }

    /// Reports whether a range in bounds holds a pointer.
    pub fn holds_pointer(&self, pool: &Pool, id: ObjectId, range: Range<u64>) -> bool {
        if range.is_empty() {
            return false;
        }
        let (holder, first) = self.held(id);
        let range = first + range.start..first + range.end;
        let slot = self.slot(holder);
        slot.is_some_and(|slot| slot.contents.holds_pointer(pool, range))
    }

    /// Returns the approximate bytes of this path's memory, shared parts included. Takes time in
    /// the number of live objects.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
            + self.identities.len() * (size_of::<Object>() + size_of::<u32>())
            + self.segments.bytes()
            + self
                .table
                .live()
                .map(|(_, s)| s.contents.bytes())
                .sum::<usize>()
    }

    /// Reports whether an object holds one value nearly everywhere, because it was hardly written
    /// since its allocation.
    pub fn is_blank(&self, id: ObjectId) -> bool {
        let (holder, _) = self.held(id);
        let slot = self.slot(holder);
        slot.is_some_and(|slot| slot.contents.is_blank())
    }

    /// Reports whether an object holds nothing that depends on inputs.
    pub fn is_plain(&self, id: ObjectId) -> bool {
        let (holder, _) = self.held(id);
        let slot = self.slot(holder);
        // Arrays that were only read are copies of the contents.
        let read = |slot: &ObjectSlot| slot.arrays.as_ref().is_none_or(|a| !a.has_regions());
        slot.is_some_and(|slot| read(slot) && slot.contents.is_plain())
    }

    /// Reports whether two objects seem to hold the same constants, judging by some of their bytes.
    pub fn look_alike(&self, a: ObjectId, b: ObjectId) -> bool {
        let size = self.object(a).size;
        if size != self.object(b).size || size == 0 {
            return false;
        }
        let byte = |object, at| {
            let (holder, first) = self.held(object);
            self.slot(holder)?.contents.load_fast(first + at, 1)
        };
        let mut samples = (0..=8).map(|eighth| eighth * (size - 1) / 8);
        samples.all(|at| byte(a, at).is_some_and(|seen| Some(seen) == byte(b, at)))
    }

    /// Reports whether bytes of an object were never written, judging by some of those in a range.
    pub fn seems_unwritten(&self, id: ObjectId, range: Range<u64>) -> bool {
        let (holder, first) = self.held(id);
        let Some(slot) = self.slot(holder) else {
            return false;
        };
        let arrays = slot.arrays.as_ref();
        let last = (range.end - range.start).saturating_sub(1);
        let samples = (0..=8).map(|eighth| first + range.start + last / 8 * eighth);
        samples.into_iter().any(|at| {
            matches!(slot.contents.piece(at, 1), ContentsPiece::Empty(_))
                && arrays.is_none_or(|arrays| arrays.region_at(at).is_none())
        })
    }

    /// Reports whether an object begins with a value that depends on inputs.
    pub fn begins_symbolic(&self, id: ObjectId) -> bool {
        let (holder, first) = self.held(id);
        let Some(slot) = self.slot(holder) else {
            return false;
        };
        let arrays = slot.arrays.as_ref();
        let in_region = arrays.is_some_and(|arrays| arrays.region_at(first).is_some());
        let piece = slot.contents.piece(first, 1);
        let term = matches!(
            piece,
            ContentsPiece::Cell {
                value: Value::Expr(_),
                ..
            }
        );
        term || in_region && matches!(piece, ContentsPiece::Empty(_))
    }

    /// Opens a range of a live holder for writing: cells that the range cuts are split.
    pub(super) fn writer(
        &mut self,
        pool: &mut Pool,
        holder: Holder,
        at: u64,
        len: u64,
    ) -> Option<Writer<'_>> {
        let slot = match holder {
            Holder::Object(id) => self.table.get_mut(id).filter(|s| s.live)?,
            Holder::Segment(id) => self.segments.slot_mut(id),
        };
        if matches!(slot.contents, Contents::Opaque) {
            return None;
        }
        slot.dirty = true;
        let remains = slot.contents.cut(&self.counters, at, len);
        let mut w = Writer {
            identities: &self.identities,
            slot,
            counters: &self.counters,
        };
        for r in remains {
            match r.value {
                Value::Undef => w
                    .slot
                    .contents
                    .put_cell(w.counters, r.at, r.len, Value::Undef),
                value => {
                    let part = w.part(pool, value, r.whole, r.skip, r.len);
                    w.put(pool, r.at, r.len, part);
                }
            }
        }
        Some(w)
    }
}

impl AddressMap for AddressSpace {
    fn address(&self, object: ObjectId) -> u64 {
        self.object(object).address
    }

    fn size(&self, object: ObjectId) -> Option<u64> {
        Some(self.object(object).size)
    }
}

impl AddressSpace {
    /// Returns the term of a value of this path.
    pub fn term(&self, pool: &mut Pool, value: Value, width: Width) -> Expr {
        pool.term(value, width, |o| align_of(&self.identities, o))
    }
}

#[cfg(test)]
mod tests;
