//! Accesses at symbolic offsets: finds or makes the array that the access goes to.
//!
//! Reads of memory that was never stored to at a symbolic offset go to cached views as narrow as
//! the term of the offset allows. A store at a symbolic offset makes the bytes that it may reach a
//! region (see `regions`); later symbolic accesses widen it, join it with others, or make its
//! elements narrower, as needed.

use super::address_space::AddressSpace;
use super::layout::ElementLayout;
use super::offset::{Checked, OffsetRange, Window, index};
use super::reader::uninit_byte;
use super::records::AccessSite;
use super::segment::{Holder, SegmentId};
use super::view::{ReadResult, View, all_written};
use super::writer::narrow;
use symex_terms::{Expr, ObjectId, Pool, Value, Width};

fn plus(pool: &mut Pool, e: Expr, n: u64) -> Expr {
    let n = pool.constant(64, u128::from(n));
    pool.add(e, n)
}

/// Number of views cached for an object.
const CACHED: usize = 8;

/// Result of a load where it is not certain that the bytes were written.
#[derive(Clone, Copy, Debug)]
pub struct SymbolicLoad {
    /// The value if all bytes were written; otherwise meaningless. It does not depend on unwritten
    /// bytes.
    pub value: Value,
    /// One-bit term: whether all bytes were written. `None` if they certainly were.
    pub written: Option<Expr>,
    /// The value in any case, with variables of `Origin::Uninit` for unwritten bytes.
    pub exact: Value,
}

impl AddressSpace {
    /// Loads `width` bits at a symbolic 64-bit offset, which the path condition keeps in bounds.
    pub fn load_symbolic(
        &mut self,
        pool: &mut Pool,
        id: ObjectId,
        offset: Expr,
        width: Width,
    ) -> Value {
        let at = Checked::new(id, Value::Expr(offset));
        self.load_symbolic_parts(pool, at, width).exact
    }

    /// Loads as [`Self::load_symbolic`] does, and returns the condition that all bytes were
    /// written. A caller that can show that it holds on the path goes on with `value`, which does
    /// not depend on unwritten bytes. The offset must be a term.
    pub fn load_symbolic_parts(
        &mut self,
        pool: &mut Pool,
        at: Checked,
        width: Width,
    ) -> SymbolicLoad {
        let nothing = SymbolicLoad {
            value: Value::Undef,
            written: None,
            exact: Value::Undef,
        };
        let Value::Expr(offset) = at.offset else {
            return nothing;
        };
        if !self.is_live(at.object) {
            return nothing;
        }
        if let Some(known) = pool.as_const(offset) {
            return self.load_parts(pool, at.object, known as u64, width);
        }
        if self.has_records(at.object) {
            let site = AccessSite::only(pool, at.object, offset);
            let reading = self.find_records(pool, &[site], None, width);
            return self.value_of_reading(pool, reading);
        }
        let Some(window) = self.window(pool, &at, width) else {
            return nothing;
        };
        self.counters.read(self.object(at.object).size);
        let (holder, first) = self.held(at.object);
        let index = plus(pool, offset, first);
        self.load_window(pool, holder, index, window, width)
    }

    /// Loads `width` bits from one of several places in members of a segment: the one at which
    /// `index`, an offset in the segment, points. Each place is a member with an offset in it,
    /// where that many bytes are in bounds.
    pub fn load_member(
        &mut self,
        pool: &mut Pool,
        segment: SegmentId,
        places: &[Checked],
        index: Expr,
        width: Width,
    ) -> SymbolicLoad {
        let holder = Holder::Segment(segment);
        if let Some(at) = pool.as_const(index) {
            return self.load_parts_held(pool, holder, at as u64, width);
        }
        match self.windows(pool, places, width) {
            Some(window) => {
                self.counters.read(window.bounds.end - window.bounds.start);
                self.load_window(pool, holder, index, window, width)
            }
            None => SymbolicLoad {
                value: Value::Undef,
                written: None,
                exact: Value::Undef,
            },
        }
    }

    /// Returns the range of its holder to which an access to an object may go; `None` if it is
    /// empty.
    fn window(&self, pool: &Pool, at: &Checked, width: Width) -> Option<Window> {
        let size = self.object(at.object).size;
        let bytes = u64::from(width.div_ceil(8));
        let reach = match at.offset {
            Value::Int(at) => OffsetRange::at(at),
            Value::Expr(e) => OffsetRange::of(pool, e, bytes, size)
                .or_else(|| OffsetRange::anywhere(bytes, size))?,
            _ => OffsetRange::anywhere(bytes, size)?,
        };
        let narrower = at.within.and_then(|w| Some((w, reach.within(w)?)));
        let (reach, bounds) = match narrower {
            Some((w, reach)) => (reach, w.from..size.min(w.to + bytes - 1)),
            None => (reach, 0..size),
        };
        let first = self.held(at.object).1;
        Some(Window {
            reach: reach.moved(first),
            bounds: first + bounds.start..first + bounds.end,
            strict: narrower.is_some(),
        })
    }

    /// Returns the range of a segment to which an access to one of several places may go.
    fn windows(&self, pool: &Pool, places: &[Checked], width: Width) -> Option<Window> {
        let of = |at| self.window(pool, at, width);
        places.iter().filter_map(of).reduce(Window::or)
    }

    /// Returns an offset in the holder of these places at which an access of `bytes` bytes to one
    /// of them may begin, as far as is known.
    pub fn some_place(&self, pool: &Pool, places: &[Checked], bytes: u64) -> Option<u64> {
        let window = self.windows(pool, places, bytes as Width * 8)?;
        Some(window.reach.min)
    }

    /// Loads at a symbolic offset in a live holder.
    fn load_window(
        &mut self,
        pool: &mut Pool,
        id: Holder,
        offset: Expr,
        window: Window,
        width: Width,
    ) -> SymbolicLoad {
        let n = u64::from(width.div_ceil(8));
        let all = self.load_bytes(pool, id, offset, window, n);
        self.loaded(pool, all, width)
    }

    /// Loads whole bytes at a symbolic offset in a live holder.
    fn load_bytes(
        &mut self,
        pool: &mut Pool,
        id: Holder,
        offset: Expr,
        window: Window,
        n: u64,
    ) -> ReadResult {
        let reach = window.reach;
        self.settle(pool, id, &reach.bytes(n));
        let view = self.view_for_load(pool, id, window, n);
        view.load(pool, offset, reach, n)
    }

    /// Loads whole bytes of a live object, at a constant or symbolic offset. Records are looked up
    /// for each offset separately. `None`: no offset is in bounds.
    pub(super) fn load_top(
        &mut self,
        pool: &mut Pool,
        id: ObjectId,
        offset: Expr,
        bytes: u64,
    ) -> Option<ReadResult> {
        let (holder, first) = self.held(id);
        if let Some(at) = pool.as_const(offset) {
            let reader = self.reader(holder)?;
            return Some(reader.loaded(pool, first + at as u64, bytes as usize));
        }
        let at = Checked::new(id, Value::Expr(offset));
        let window = self.window(pool, &at, bytes as Width * 8)?;
        self.counters.read(self.object(id).size);
        let index = plus(pool, offset, first);
        Some(self.load_bytes(pool, holder, index, window, bytes))
    }

    /// Extracts `width` bits from the whole bytes that were read.
    pub(super) fn loaded(&self, pool: &mut Pool, all: ReadResult, width: Width) -> SymbolicLoad {
        let bytes = width.div_ceil(8);
        let ReadResult { value, init, exact } = all;
        let [value, exact] = [value, exact].map(|e| {
            let whole = pool.value(e);
            narrow(pool, whole, bytes * 8, width, |o| self.align(o))
        });
        SymbolicLoad {
            value,
            written: init.map(|mask| all_written(pool, mask)),
            exact,
        }
    }

    /// Loads as [`Self::load_symbolic_parts`] does, at a known offset in bounds.
    pub fn load_parts(
        &self,
        pool: &mut Pool,
        id: ObjectId,
        offset: u64,
        width: Width,
    ) -> SymbolicLoad {
        let (holder, first) = self.held(id);
        self.load_parts_held(pool, holder, first + offset, width)
    }

    fn load_parts_held(
        &self,
        pool: &mut Pool,
        id: Holder,
        offset: u64,
        width: Width,
    ) -> SymbolicLoad {
        let exact = self.load_held(pool, id, offset, width);
        let bytes = width.div_ceil(8);
        let (value, mask) = match self.reader(id) {
            Some(reader) => reader.written(pool, offset, bytes as usize),
            None => (self.term(pool, exact, width), None),
        };
        let Some(mask) = mask else {
            return SymbolicLoad {
                value: exact,
                written: None,
                exact,
            };
        };
        let value = pool.value(value);
        SymbolicLoad {
            value: narrow(pool, value, bytes * 8, width, |o| self.align(o)),
            written: Some(all_written(pool, mask)),
            exact,
        }
    }

    /// Stores `width` bits, zero-extended to whole bytes, at a symbolic 64-bit offset, which the
    /// path condition keeps in bounds. The offset must be a term.
    pub fn store_symbolic(&mut self, pool: &mut Pool, at: Checked, width: Width, value: Value) {
        let (id, Value::Expr(offset)) = (at.object, at.offset) else {
            return;
        };
        if let Some(known) = pool.as_const(offset) {
            return self.store(pool, id, known as u64, width, value);
        }
        if !self.is_live(id) {
            return;
        }
        self.forget_pointer_tags(id);
        if self.keeps_records() {
            let site = AccessSite::only(pool, id, offset);
            return self.record(pool, &[site], None, width, value);
        }
        let Some(window) = self.window(pool, &at, width) else {
            return;
        };
        let (holder, first) = self.held(id);
        let index = plus(pool, offset, first);
        let term = self.stored(pool, id, width, value);
        self.counters.write(self.object(id).size);
        self.store_window(pool, holder, index, window.reach, term);
    }

    /// Stores `width` bits at one of several places in members of a segment, as
    /// [`Self::load_member`] loads them.
    pub fn store_member(
        &mut self,
        pool: &mut Pool,
        segment: SegmentId,
        places: &[Checked],
        index: Expr,
        width: Width,
        value: Value,
    ) {
        self.forget_all_pointer_tags();
        let holder = Holder::Segment(segment);
        if let Some(at) = pool.as_const(index) {
            return self.store_held(pool, holder, at as u64, width, value);
        }
        let Some(window) = self.windows(pool, places, width) else {
            return;
        };
        let term = self.stored(pool, places[0].object, width, value);
        self.counters.write(window.bounds.end - window.bounds.start);
        self.store_window(pool, holder, index, window.reach, term);
    }

    /// Returns the term of whole bytes that a store at a symbolic offset writes.
    pub(super) fn stored(&self, pool: &mut Pool, id: ObjectId, width: Width, value: Value) -> Expr {
        let (bytes, size) = (width.div_ceil(8), self.object(id).size);
        match value {
            // Which bytes become unwritten is not known; an unwritten value is stored instead.
            Value::Undef => {
                let first = uninit_byte(pool, id, size);
                (1..u64::from(bytes)).fold(first, |low, i| {
                    let byte = uninit_byte(pool, id, size + i);
                    pool.concat(byte, low)
                })
            }
            value => {
                let e = self.term(pool, value, width);
                pool.zext(e, bytes * 8)
            }
        }
    }

    /// Stores whole bytes at a symbolic offset in a live holder.
    fn store_window(
        &mut self,
        pool: &mut Pool,
        id: Holder,
        offset: Expr,
        reach: OffsetRange,
        term: Expr,
    ) {
        let n = u64::from(pool.width(term) / 8);
        self.settle(pool, id, &reach.bytes(n));
        let mut view = self.grow_region(pool, id, reach, n);
        let first = index(pool, offset, view.lo, view.stride_log2);
        self.counters.stored(n >> view.elem_log2);
        for i in 0..n >> view.elem_log2 {
            let step = pool.constant(64, u128::from(i));
            let at = pool.add(first, step);
            let elem = 8 << view.elem_log2;
            let part = pool.extract(term, i as Width * elem, elem);
            view.store(pool, at, part);
        }
        self.put_region(id, view);
    }

    fn align(&self, id: ObjectId) -> u8 {
        super::address_space::align_of(&self.identities, id)
    }

    fn view_for_load(&mut self, pool: &mut Pool, id: Holder, window: Window, n: u64) -> View {
        let reach = window.reach;
        let slot = self.slot(id).expect("the object is alive");
        let arrays = slot.arrays.as_deref();
        let writes = slot.writes.clone();
        let writes = writes.as_deref().map_or(&[][..], Vec::as_slice);
        let layout = ElementLayout::of(writes, reach, n);
        let access = layout.footprint(reach);
        if arrays.is_some_and(|a| a.is_touched(&access)) {
            return self.grow_region(pool, id, reach, n);
        }
        let fits = |view: &&View| layout.fits(view, &window);
        let cached = arrays.and_then(|a| a.cached.iter().find(fits));
        if let Some(view) = cached {
            return view.clone();
        }
        let free = arrays.map_or(0..u64::MAX, |a| a.between_regions(&access));
        let reader = self.reader(id).expect("the object is alive");
        let view = layout.build(pool, &reader, writes, &window, free);
        self.counters.array(view.count);
        let arrays = self.arrays_mut(id);
        if arrays.cached.len() == CACHED {
            arrays.cached.remove(0);
        }
        arrays.cached.push(view.clone());
        view
    }
}
