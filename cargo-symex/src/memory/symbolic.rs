//! Accesses at symbolic offsets: finds or makes the array that the access goes to.
//!
//! Reads of memory that was never stored to at a symbolic offset go to cached views as narrow as the term of the
//! offset allows. The first store at a symbolic offset makes the bytes it may reach the object's region; later
//! symbolic accesses widen it, or make its elements narrower, as they need.

use super::address_space::AddressSpace;
use super::contents::Piece;
use super::offset::{Reach, Window, index};
use super::reader::uninit_byte;
use super::segment::{Holder, SegmentId};
use super::view::{Arrays, Loaded, View, all_written};
use super::writer::narrow;
use crate::expr::{Expr, ObjectId, Pool, Value, Width};
use std::rc::Rc;

fn plus(pool: &mut Pool, e: Expr, n: u64) -> Expr {
    let n = pool.constant(64, u128::from(n));
    pool.add(e, n)
}

/// Views kept for an object.
const CACHED: usize = 8;

/// What a load gives where it is not certain that the bytes were written.
#[derive(Clone, Copy, Debug)]
pub struct SymbolicLoad {
    /// The value if all bytes were written; otherwise meaningless. Does not depend on what nobody wrote.
    pub value: Value,
    /// One bit: were all bytes written? `None` if they were for sure.
    pub written: Option<Expr>,
    /// The value in any case, with variables of `Origin::Uninit` for what nobody wrote.
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
        self.load_symbolic_parts(pool, id, offset, width).exact
    }

    /// The same with the condition that what is read was written. Who can show that the condition holds on the path
    /// goes on with `value`, which does not depend on what nobody wrote.
    pub fn load_symbolic_parts(
        &mut self,
        pool: &mut Pool,
        id: ObjectId,
        offset: Expr,
        width: Width,
    ) -> SymbolicLoad {
        let nothing = SymbolicLoad {
            value: Value::Undef,
            written: None,
            exact: Value::Undef,
        };
        if !self.is_live(id) {
            return nothing;
        }
        if let Some(at) = pool.as_const(offset) {
            return self.load_parts(pool, id, at as u64, width);
        }
        let Some(window) = self.window(pool, id, Value::Expr(offset), width) else {
            return nothing;
        };
        let (holder, first) = self.held(id);
        let index = plus(pool, offset, first);
        self.load_window(pool, holder, index, window, width)
    }

    /// Loads `width` bits of one of several places in members of a segment: that at which `index`, an offset in the segment,
    /// points. Each place is a member with an offset in it, where that many bytes are in bounds.
    pub fn load_member(
        &mut self,
        pool: &mut Pool,
        segment: SegmentId,
        places: &[(ObjectId, Value)],
        index: Expr,
        width: Width,
    ) -> SymbolicLoad {
        let holder = Holder::Segment(segment);
        if let Some(at) = pool.as_const(index) {
            return self.load_parts_held(pool, holder, at as u64, width);
        }
        match self.windows(pool, places, width) {
            Some(window) => self.load_window(pool, holder, index, window, width),
            None => SymbolicLoad {
                value: Value::Undef,
                written: None,
                exact: Value::Undef,
            },
        }
    }

    /// Where in its holder an access to an object may go. `None`: nowhere.
    fn window(&self, pool: &Pool, id: ObjectId, offset: Value, width: Width) -> Option<Window> {
        let size = self.object(id).size;
        let bytes = u64::from(width.div_ceil(8));
        let reach = match offset {
            Value::Int(at) => Reach::at(at),
            Value::Expr(e) => {
                Reach::of(pool, e, bytes, size).or_else(|| Reach::anywhere(bytes, size))?
            }
            _ => Reach::anywhere(bytes, size)?,
        };
        let first = self.held(id).1;
        Some(Window {
            reach: reach.moved(first),
            bounds: first..first + size,
        })
    }

    /// Where in a segment an access to one of several places goes.
    fn windows(&self, pool: &Pool, places: &[(ObjectId, Value)], width: Width) -> Option<Window> {
        let of = |(id, offset): &(ObjectId, Value)| self.window(pool, *id, *offset, width);
        places.iter().filter_map(of).reduce(Window::or)
    }

    /// Loads at a symbolic offset in a holder that is alive.
    fn load_window(
        &mut self,
        pool: &mut Pool,
        id: Holder,
        offset: Expr,
        window: Window,
        width: Width,
    ) -> SymbolicLoad {
        let bytes = width.div_ceil(8);
        let n = u64::from(bytes);
        let reach = window.reach;
        self.counters.read(window.bounds.end - window.bounds.start);
        self.settle(pool, id);
        let view = self.view_for_load(pool, id, window, n);
        let first = index(pool, offset, view.lo, view.stride_log2);
        let parts = n >> view.elem_log2;
        let (min, max) = (
            (reach.min - view.lo) >> view.stride_log2,
            (reach.max - view.lo) >> view.stride_log2,
        );
        let mut all = view.select(pool, first, min, max);
        for i in 1..parts {
            let step = pool.constant(64, u128::from(i));
            let at = pool.add(first, step);
            let high = view.select(pool, at, min + i, max + i);
            all = all.below(pool, high);
        }
        let Loaded { value, init, exact } = all;
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

    /// The same at a known offset in bounds.
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

    /// Stores `width` bits, zero-extended to whole bytes, at a symbolic 64-bit offset, which the path condition
    /// keeps in bounds.
    pub fn store_symbolic(
        &mut self,
        pool: &mut Pool,
        id: ObjectId,
        offset: Expr,
        width: Width,
        value: Value,
    ) {
        if let Some(at) = pool.as_const(offset) {
            return self.store(pool, id, at as u64, width, value);
        }
        if !self.is_live(id) {
            return;
        }
        let Some(window) = self.window(pool, id, Value::Expr(offset), width) else {
            return;
        };
        let (holder, first) = self.held(id);
        let index = plus(pool, offset, first);
        let term = self.stored(pool, id, width, value);
        self.counters.write(self.object(id).size);
        self.store_window(pool, holder, index, window.reach, term);
    }

    /// Stores `width` bits at one of several places in members of a segment, as [`Self::load_member`] loads them.
    pub fn store_member(
        &mut self,
        pool: &mut Pool,
        segment: SegmentId,
        places: &[(ObjectId, Value)],
        index: Expr,
        width: Width,
        value: Value,
    ) {
        let holder = Holder::Segment(segment);
        if let Some(at) = pool.as_const(index) {
            return self.store_held(pool, holder, at as u64, width, value);
        }
        let Some(window) = self.windows(pool, places, width) else {
            return;
        };
        let term = self.stored(pool, places[0].0, width, value);
        self.counters.write(window.bounds.end - window.bounds.start);
        self.store_window(pool, holder, index, window.reach, term);
    }

    /// The term of whole bytes that a store at a symbolic offset leaves.
    fn stored(&self, pool: &mut Pool, id: ObjectId, width: Width, value: Value) -> Expr {
        let (bytes, size) = (width.div_ceil(8), self.object(id).size);
        match value {
            // Which bytes become unwritten is not known; a value that nobody wrote is stored instead.
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

    /// Stores whole bytes at a symbolic offset in a holder that is alive.
    fn store_window(
        &mut self,
        pool: &mut Pool,
        id: Holder,
        offset: Expr,
        reach: Reach,
        term: Expr,
    ) {
        let n = u64::from(pool.width(term) / 8);
        self.settle(pool, id);
        let mut view = self.grow_region(pool, id, reach, n);
        let first = index(pool, offset, view.lo, view.stride_log2);
        for i in 0..n >> view.elem_log2 {
            let step = pool.constant(64, u128::from(i));
            let at = pool.add(first, step);
            let elem = 8 << view.elem_log2;
            let part = pool.extract(term, i as Width * elem, elem);
            view.store(pool, at, part);
        }
        let arrays = self.arrays_mut(id);
        arrays.region = Some(view);
        arrays.cached.clear();
    }

    fn align(&self, id: ObjectId) -> u8 {
        super::address_space::align_of(&self.identities, id)
    }

    fn arrays_mut(&mut self, id: Holder) -> &mut Arrays {
        let slot = self.slot_mut(id).expect("the object is alive");
        Rc::make_mut(slot.arrays.get_or_insert_default())
    }

    /// Brings the arrays up to date with what was written at known offsets.
    fn settle(&mut self, pool: &mut Pool, id: Holder) {
        let slot = self.slot(id).expect("the object is alive");
        if !slot.dirty {
            return;
        }
        let mut region = slot.arrays.as_ref().and_then(|a| a.region.clone());
        let reader = self.reader(id).expect("the object is alive");
        let mut moved = false;
        if let Some(view) = &mut region {
            let (lo, end) = (view.lo, view.end());
            let mut holes = false;
            let mut written = Vec::new();
            let mut at = lo;
            while at < end {
                let piece = reader.contents.piece(at, end - at);
                let n = piece.len() as u64;
                match piece {
                    Piece::Empty(_) => holes = true,
                    _ => {
                        let (first, last) = (view.position(at).0, view.position(at + n - 1).0);
                        let next = written.last().map_or(0, |i: &u64| i + 1);
                        written.extend(first.max(next)..=last);
                    }
                }
                at += n;
            }
            if holes {
                for i in written {
                    view.absorb(pool, &reader, i);
                    moved = true;
                }
            } else {
                // All of it was overwritten: the contents are the truth again.
                region = None;
            }
        }
        if moved {
            self.hollow(pool, id, region.as_ref());
        }
        let slot = self.slot_mut(id).expect("the object is alive");
        slot.dirty = false;
        slot.arrays = region.map(|view| {
            Rc::new(Arrays {
                region: Some(view),
                cached: Vec::new(),
            })
        });
    }

    /// Makes the bytes of a region empty, so that they show the array.
    fn hollow(&mut self, pool: &mut Pool, id: Holder, region: Option<&View>) {
        let Some(view) = region else { return };
        let (lo, len) = (view.lo, view.end() - view.lo);
        if let Some(mut w) = self.writer(pool, id, lo, len) {
            w.erase(lo, len);
        }
        if let Some(slot) = self.slot_mut(id) {
            slot.dirty = false;
        }
    }

    /// Bytes (as a power of two) of the widest elements that an access is made of.
    fn granule(reach: Reach, bytes: u64) -> u32 {
        reach.align_log2.min(bytes.trailing_zeros())
    }

    fn view_for_load(&mut self, pool: &mut Pool, id: Holder, window: Window, n: u64) -> View {
        let Window { reach, bounds } = window;
        let slot = self.slot(id).expect("the object is alive");
        if let Some((lo, end)) = slot.arrays.as_ref().and_then(|a| a.region_range())
            && reach.min < end
            && lo < reach.max + n
        {
            return self.grow_region(pool, id, reach, n);
        }
        // Elements over a write of symbolic length are no wider than its grains: then they are covered or not as a whole.
        let writes = slot.writes.as_deref().map_or(&[][..], Vec::as_slice);
        let grains = writes
            .iter()
            .filter(|w| w.range.start < reach.max + n && reach.min < w.range.end)
            .map(|w| w.grain.trailing_zeros());
        let elem = grains.fold(Self::granule(reach, n), u32::min);
        let stride = if n == 1 << elem {
            reach.align_log2
        } else {
            elem
        };
        let parts = n >> elem;
        let covers = |v: &&View| {
            (v.elem_log2, v.stride_log2) == (elem, stride)
                && v.lo <= reach.min
                && (reach.min - v.lo).trailing_zeros() >= stride
                && ((reach.max - v.lo) >> stride) + parts <= v.count
        };
        let cached = slot
            .arrays
            .as_ref()
            .and_then(|a| a.cached.iter().find(covers));
        if let Some(view) = cached {
            return view.clone();
        }
        let reach = reach.rounded(n, stride, bounds);
        let count = ((reach.max - reach.min) >> stride) + parts;
        let reader = self.reader(id).expect("the object is alive");
        let writes = self.slot(id).and_then(|slot| slot.writes.clone());
        let writes = writes.as_deref().map_or(&[][..], Vec::as_slice);
        let view = View::layered(pool, &reader, reach.min, (elem, stride), count, writes);
        self.counters.array(view.count);
        let arrays = self.arrays_mut(id);
        if arrays.cached.len() == CACHED {
            arrays.cached.remove(0);
        }
        arrays.cached.push(view.clone());
        view
    }

    /// A region that holds all that the access may reach, with elements that fit it. Contents are settled.
    fn grow_region(&mut self, pool: &mut Pool, id: Holder, reach: Reach, n: u64) -> View {
        let mut elem = Self::granule(reach, n);
        let (mut lo, mut end) = (reach.min, reach.max + n);
        let reader = self.reader(id).expect("the object is alive");
        let view = match reader.arrays.and_then(|a| a.region.as_ref()) {
            None => {
                let count = (end - lo) >> elem;
                View::build(pool, &reader, lo, elem, elem, count)
            }
            Some(view) => {
                let mut view = view.clone();
                elem = elem
                    .min(view.elem_log2)
                    .min((lo ^ view.lo).trailing_zeros());
                if elem < view.elem_log2 {
                    view.narrow(pool, elem);
                }
                (lo, end) = (lo.min(view.lo), end.max(view.end()));
                if (lo, end) == (view.lo, view.end()) {
                    self.arrays_mut(id).region = Some(view.clone());
                    return view;
                }
                view.widen(pool, &reader, lo, end);
                view
            }
        };
        self.counters.array(view.count);
        self.hollow(pool, id, Some(&view));
        self.arrays_mut(id).region = Some(view.clone());
        view
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Initial, NewObject, ObjectKind};
    use super::*;
    use crate::expr::{ArrayKind, BinOp, Kind, Origin, VarInfo};
    use crate::program::LocId;

    fn object(m: &mut AddressSpace, size: u64, initial: Initial) -> ObjectId {
        m.allocate(NewObject {
            size,
            length: None,
            align_log2: 3,
            kind: ObjectKind::Heap,
            site: LocId(0),
            birth: 0,
            initial,
        })
    }

    fn var(pool: &mut Pool, draw: u32, width: Width) -> Expr {
        let e = pool.var(VarInfo {
            name: "x".into(),
            width,
            origin: Origin::Input { draw, part: 0 },
        });
        pool.zext(e, 64)
    }

    fn scaled(pool: &mut Pool, i: Expr, by: u32, plus: u64) -> Expr {
        let by = pool.constant(64, u128::from(by));
        let e = pool.bin(BinOp::Shl, i, by);
        let plus = pool.constant(64, u128::from(plus));
        pool.add(e, plus)
    }

    fn selected(pool: &Pool, v: Value) -> (crate::expr::Array, Expr) {
        let Value::Expr(e) = v else {
            panic!("not a term: {v:?}");
        };
        let Kind::Select { array, index } = pool.kind(e) else {
            panic!("not a select: {:?}", pool.kind(e));
        };
        (array, index)
    }

    #[test]
    fn an_array_of_pointers_is_a_table_of_bases() {
        let mut m = AddressSpace::default();
        let pool = &mut Pool::new();
        let row = object(&mut m, 8, Initial::Zero);
        let rows = object(&mut m, 16 + 8 * 8, Initial::Uninit);
        for i in 0..8 {
            m.store(pool, rows, 16 + 8 * i, 64, Value::Ptr(row, i));
        }
        let i = var(pool, 0, 3);
        let offset = scaled(pool, i, 3, 16);
        let v = m.load_symbolic_parts(pool, rows, offset, 64);
        assert_eq!(v.written, None);
        let (array, index) = selected(pool, v.exact);
        assert_eq!(index, i);
        assert_eq!(pool.array_shape(array), (64, 8));
        for k in 0..8 {
            let k8 = pool.constant(64, k as u128);
            let e = pool.select(array, k8);
            assert_eq!(pool.value(e), Value::Ptr(row, k));
        }
    }

    #[test]
    fn tables_are_as_narrow_as_the_offset_and_made_once() {
        let mut m = AddressSpace::default();
        let pool = &mut Pool::new();
        let bytes = (0..=255u8).map(|b| b.wrapping_mul(7)).collect();
        let t = object(&mut m, 256, Initial::Bytes(bytes));
        let i = var(pool, 0, 4);
        let first = m.load_symbolic(pool, t, i, 8);
        assert_eq!(pool.array_shape(selected(pool, first).0), (8, 16));
        let made = pool.len();
        assert_eq!(m.load_symbolic(pool, t, i, 8), first);
        let mut fork = m.clone();
        assert_eq!(fork.load_symbolic(pool, t, i, 8), first);
        assert_eq!(pool.len(), made);
        assert!(fork.store_fast(t, 0, 1, Value::Int(9)));
        assert_ne!(fork.load_symbolic(pool, t, i, 8), first);
        assert_eq!(m.load_symbolic(pool, t, i, 8), first);
        // One field of an array of structs of 16 bytes.
        let field = scaled(pool, i, 4, 8);
        let v = m.load_symbolic(pool, t, field, 32);
        let (array, index) = selected(pool, v);
        assert_eq!((pool.array_shape(array), index), ((32, 16), i));
    }

    #[test]
    fn a_region_that_is_overwritten_is_gone() {
        let mut m = AddressSpace::default();
        let pool = &mut Pool::new();
        let a = object(&mut m, 64, Initial::Zero);
        let i = var(pool, 0, 3);
        let offset = scaled(pool, i, 3, 0);
        m.store_symbolic(pool, a, offset, 64, Value::Int(5));
        assert_eq!(m.load_fast(a, 0, 8), None);
        let range = |m: &AddressSpace| {
            let slot = m.table.get(a).unwrap();
            slot.arrays.as_ref().and_then(|x| x.region_range())
        };
        assert_eq!(range(&m), Some((0, 64)));
        for k in 0..8 {
            assert!(m.store_fast(a, 8 * k, 8, Value::Int(k)));
            assert_eq!(m.load_fast(a, 8 * k, 8), Some(Value::Int(k)));
        }
        let v = m.load_symbolic(pool, a, offset, 64);
        assert_eq!(range(&m), None);
        let (array, index) = selected(pool, v);
        assert_eq!(index, i);
        assert!(matches!(pool.array_kind(array), ArrayKind::Table(_)));
    }

    #[test]
    fn a_store_leaves_what_it_cannot_reach() {
        let mut m = AddressSpace::default();
        let pool = &mut Pool::new();
        let a = object(&mut m, 64, Initial::Zero);
        let i = var(pool, 0, 2);
        m.store_symbolic(pool, a, i, 8, Value::Int(5));
        assert_eq!(m.load_fast(a, 4, 4), Some(Value::Int(0)));
        assert!(m.load_fast(a, 3, 1).is_none());
        let wide = m.load(pool, a, 0, 64);
        let Value::Expr(e) = wide else {
            panic!("depends on the index");
        };
        assert_eq!(pool.width(e), 64);
    }

    #[test]
    fn spare_capacity_does_not_taint_what_was_written() {
        let mut m = AddressSpace::default();
        let pool = &mut Pool::new();
        let a = object(&mut m, 8, Initial::Uninit);
        for k in 0..5 {
            assert!(m.store_fast(a, k, 1, Value::Int(k + 1)));
        }
        let i = var(pool, 0, 3);
        let v = m.load_symbolic_parts(pool, a, i, 8);
        let Value::Expr(value) = v.value else {
            panic!("depends on the index");
        };
        assert!(v.written.is_some());
        assert!(!pool.has_uninit(value));
        let j = var(pool, 1, 2);
        assert_eq!(m.load_symbolic_parts(pool, a, j, 8).written, None);
        // A store at a symbolic place leaves the written part written.
        m.store_symbolic(pool, a, j, 8, Value::Int(9));
        assert_eq!(m.load_parts(pool, a, 2, 8).written, None);
        assert_eq!(m.load_parts(pool, a, 4, 8).exact, Value::Int(5));
        assert_eq!(m.first_uninit(pool, a, 0, 8), Some(5));
    }
}
