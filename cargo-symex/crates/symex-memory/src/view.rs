//! Views of objects for symbolic offsets: arrays of elements of one width.
//!
//! A view of a range that was only read is a cache and is discarded by the next write. Where
//! something was stored at a symbolic offset, the array holds the current values (a *region*, see
//! `regions`): bytes that are empty in the contents are looked up in it, and writes at known
//! offsets lie on top until the next symbolic access moves them into the array.
//!
//! Elements that were not written are zeros in `values`; `Shadow` says which, and what a program
//! that reads them gets.

use super::offset::{AccessFootprint, OffsetRange, index};
use super::reader::Reader;
use super::symbolic_length_write::{Covered, written_part};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use symex_terms::{Array, ArrayKind, ArrayName, Expr, Kind, Pool, Width};

/// A view: an array whose element `i` holds the bytes from `lo + (i << stride_log2)` on.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub lo: u64,
    pub elem_log2: u32,
    /// Stride of the elements, at least their size.
    pub stride_log2: u32,
    pub count: u64,
    pub values: Array,
    pub shadow: Option<Shadow>,
    /// Value that is read where a write of symbolic length does not cover. Absent in a region.
    under: Option<Rc<CoveredBytes>>,
}

/// Bytes below a write of symbolic length.
#[derive(Clone, Debug)]
struct CoveredBytes {
    write: Covered,
    view: View,
}

/// Initialisation state of elements that may not have been written.
#[derive(Clone, Debug)]
pub(super) struct Shadow {
    /// Array of masks with one bit for each byte of an element: whether it was written.
    init: Array,
    /// Array of the values that are read if bytes were not written.
    unwritten: Array,
    /// Elements whose `init` is not certainly all ones.
    unsure: Rc<[u64]>,
}

/// Result of a read, separately for written bytes and for others.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadResult {
    /// Value, right in the bytes that were written.
    pub value: Expr,
    /// Mask with one bit for each byte: whether it was written. `None` if all certainly were.
    pub init: Option<Expr>,
    /// Value in any case, right for unwritten bytes, too.
    pub exact: Expr,
}

/// Contents of an element to be made.
#[derive(Clone, Copy)]
struct Element {
    value: Expr,
    init: Option<Expr>,
    exact: Expr,
}

impl View {
    /// Returns the offset behind the last element.
    pub fn end(&self) -> u64 {
        self.lo + ((self.count - 1) << self.stride_log2) + self.elem()
    }

    /// Returns the size of an element in bytes.
    pub fn elem(&self) -> u64 {
        1 << self.elem_log2
    }

    fn elem_width(&self) -> Width {
        8 << self.elem_log2
    }

    /// Reports whether the view contains this byte.
    pub fn contains(&self, at: u64) -> bool {
        self.next_from(at) == Some(at)
    }

    /// Returns the first byte of the view from an offset on.
    pub fn next_from(&self, at: u64) -> Option<u64> {
        let Some(from) = at.checked_sub(self.lo) else {
            return Some(self.lo);
        };
        let stride = 1u64 << self.stride_log2;
        let next = match from & (stride - 1) < self.elem() {
            true => at,
            false => self.lo + (from & !(stride - 1)) + stride,
        };
        (next < self.end()).then_some(next)
    }

    /// Returns the elements that overlap a range.
    pub fn elements_in(&self, range: &Range<u64>) -> Range<u64> {
        match self.next_from(range.start) {
            Some(first) if first < range.end => {
                let last = (range.end - 1 - self.lo) >> self.stride_log2;
                self.position(first).0..last.min(self.count - 1) + 1
            }
            _ => 0..0,
        }
    }

    /// Returns the bytes of the view.
    pub fn footprint(&self) -> AccessFootprint {
        AccessFootprint {
            reach: OffsetRange {
                min: self.lo,
                max: self.end() - self.elem(),
                align_log2: self.stride_log2,
            },
            bytes: self.elem(),
            stride_log2: self.stride_log2,
        }
    }

    /// Reports whether an access may touch one of its bytes.
    pub fn is_touched(&self, by: &AccessFootprint) -> bool {
        let apart = by.range().end <= self.lo || self.end() <= by.reach.min;
        !apart && self.meets(by)
    }

    /// Reports whether an access may touch it as [`Self::is_touched`] does, but compares strides
    /// only, ignoring the ends of the ranges.
    pub fn meets(&self, by: &AccessFootprint) -> bool {
        let stride = 1u64 << self.stride_log2.min(by.stride_log2);
        let behind = by.reach.min.wrapping_sub(self.lo) & (stride - 1);
        behind < self.elem() || stride - behind < by.bytes
    }

    /// Makes a view of the contents. Given the writes of symbolic length that they come from,
    /// newest last, elements that are if-then-elses by such a write are kept in two arrays, and the
    /// condition is one term instead of one per element.
    pub fn layered(
        pool: &mut Pool,
        reader: &Reader<'_>,
        lo: u64,
        (elem_log2, stride_log2): (u32, u32),
        count: u64,
        writes: &[Covered],
    ) -> View {
        let elements: Vec<Element> = (0..count)
            .map(|i| element(pool, reader, lo + (i << stride_log2), elem_log2))
            .collect();
        let shape = (lo, elem_log2, stride_log2);
        View::of_layers(pool, &elements, shape, writes, reader.array_name())
    }

    fn of_layers(
        pool: &mut Pool,
        elements: &[Element],
        shape: (u64, u32, u32),
        writes: &[Covered],
        name: ArrayName,
    ) -> View {
        let Some((write, older)) = writes.split_last() else {
            return View::of(pool, elements, shape, name);
        };
        let Some((above, below)) = divide(pool, elements, shape, write) else {
            return View::of_layers(pool, elements, shape, older, name);
        };
        let view = View::of_layers(pool, &below, shape, older, name);
        let write = write.clone();
        View {
            under: Some(Rc::new(CoveredBytes { write, view })),
            ..View::of(pool, &above, shape, name)
        }
    }

    fn of(
        pool: &mut Pool,
        elements: &[Element],
        (lo, elem_log2, stride_log2): (u64, u32, u32),
        name: ArrayName,
    ) -> View {
        let values = pool.named_table(name, elements.iter().map(|e| e.value).collect());
        let shadow = elements
            .iter()
            .any(|e| e.init.is_some())
            .then(|| Shadow::build(pool, elements, name));
        View {
            lo,
            elem_log2,
            stride_log2,
            count: elements.len() as u64,
            values,
            shadow,
            under: None,
        }
    }

    /// Reads the element at an index between two known ones.
    pub fn select(&self, pool: &mut Pool, index: Expr, min: u64, max: u64) -> ReadResult {
        let above = self.select_above(pool, index, min, max);
        let Some(under) = &self.under else {
            return above;
        };
        let below = under.view.select(pool, index, min, max);
        let stride = pool.constant(64, u128::from(self.stride_log2));
        let first = pool.constant(64, u128::from(self.lo));
        let at = pool.bin(symex_terms::BinOp::Shl, index, stride);
        let at = pool.add(at, first);
        let covered = under.write.covers_term(pool, at);
        ReadResult::either(pool, covered, above, below)
    }

    fn select_above(&self, pool: &mut Pool, index: Expr, min: u64, max: u64) -> ReadResult {
        let value = pool.select(self.values, index);
        match &self.shadow {
            Some(s) if s.any_unsure(min, max) => {
                let init = pool.select(s.init, index);
                let all = all_written(pool, init);
                if pool.as_const(all) == Some(1) {
                    return ReadResult::sure(value);
                }
                let unwritten = pool.select(s.unwritten, index);
                let exact = pool.ite(all, value, unwritten);
                ReadResult {
                    value,
                    init: Some(init),
                    exact,
                }
            }
            _ => ReadResult::sure(value),
        }
    }

    /// Reads bytes at a symbolic offset, composed of as many elements as needed.
    pub fn load(
        &self,
        pool: &mut Pool,
        offset: Expr,
        reach: OffsetRange,
        bytes: u64,
    ) -> ReadResult {
        let first = index(pool, offset, self.lo, self.stride_log2);
        let parts = bytes >> self.elem_log2;
        let (min, max) = (
            (reach.min - self.lo) >> self.stride_log2,
            (reach.max - self.lo) >> self.stride_log2,
        );
        let mut all = self.select(pool, first, min, max);
        for i in 1..parts {
            let step = pool.constant(64, u128::from(i));
            let at = pool.add(first, step);
            let high = self.select(pool, at, min + i, max + i);
            all = all.below(pool, high);
        }
        all
    }

    /// Reads bytes of a region at a known offset, at most `most` of one element.
    pub fn load_at(&self, pool: &mut Pool, at: u64, most: usize) -> (ReadResult, usize) {
        let (i, skip) = self.position(at);
        let n = most.min((self.elem() - skip) as usize);
        let index = pool.constant(64, u128::from(i));
        let whole = self.select(pool, index, i, i);
        let (skip, len) = (skip as Width, n as Width);
        let mut part = |e, unit| pool.extract(e, skip * unit, len * unit);
        let loaded = ReadResult {
            value: part(whole.value, 8),
            init: whole.init.map(|m| part(m, 1)),
            exact: part(whole.exact, 8),
        };
        (loaded, n)
    }

    /// Returns the number of bytes from an offset to the end of its element.
    pub fn rest_of_element(&self, at: u64) -> usize {
        (self.elem() - self.position(at).1) as usize
    }

    /// Reports whether the byte at an offset was certainly written.
    pub fn surely_init(&self, at: u64) -> bool {
        let i = self.position(at).0;
        self.shadow.as_ref().is_none_or(|s| !s.any_unsure(i, i))
    }

    /// Returns the index of the element at an offset of a region, and the offset in the element.
    pub fn position(&self, at: u64) -> (u64, u64) {
        let bytes = at - self.lo;
        let stride = 1u64 << self.stride_log2;
        (bytes >> self.stride_log2, bytes & (stride - 1))
    }

    /// Replaces an element by a value that is certainly written.
    pub fn store(&mut self, pool: &mut Pool, index: Expr, value: Expr) {
        self.values = pool.store(self.values, index, value);
        if let Some(s) = &mut self.shadow {
            let all = pool.constant(1 << self.elem_log2, u128::MAX);
            s.init = pool.store(s.init, index, all);
            if let Some(i) = pool.as_const(index) {
                s.set_unsure(i as u64, false);
            }
        }
    }

    /// Updates an element of a region from the contents, of which the region itself is a part.
    pub fn absorb(&mut self, pool: &mut Pool, reader: &Reader<'_>, i: u64) {
        let e = element(
            pool,
            reader,
            self.lo + (i << self.stride_log2),
            self.elem_log2,
        );
        let index = pool.constant(64, u128::from(i));
        let Some(init) = e.init else {
            return self.store(pool, index, e.value);
        };
        self.values = pool.store(self.values, index, e.value);
        let (values, count, width) = (self.values, self.count, self.elem_width());
        let s = self
            .shadow
            .get_or_insert_with(|| Shadow::all_written(pool, values, count, width));
        s.init = pool.store(s.init, index, init);
        s.unwritten = pool.store(s.unwritten, index, e.exact);
        s.set_unsure(i, true);
    }

    /// Unites several regions that have no byte in common. Their elements are as wide as those of
    /// the new one or wider, and their strides as long or longer; bytes of none of them come from
    /// the contents.
    pub fn unite(
        pool: &mut Pool,
        reader: &Reader<'_>,
        regions: &[&View],
        (lo, elem_log2, stride_log2): (u64, u32, u32),
        count: u64,
    ) -> View {
        let mut places: Vec<Option<(usize, usize)>> = vec![None; count as usize];
        let lanes: Vec<Lane> = regions
            .iter()
            .map(|r| {
                debug_assert!(lo <= r.lo && (r.lo - lo).is_multiple_of(1 << elem_log2));
                Lane {
                    first: (r.lo - lo) >> stride_log2,
                    by: r.stride_log2 - stride_log2,
                    parts: r.elem() >> elem_log2,
                }
            })
            .collect();
        for (n, (lane, r)) in lanes.iter().zip(regions).enumerate() {
            for i in 0..r.count {
                for part in 0..lane.parts {
                    let place = lane.first + (i << lane.by) + part;
                    places[place as usize] = Some((n, (i * lane.parts + part) as usize));
                }
            }
        }
        let gaps: Vec<Option<Element>> = (0u64..)
            .zip(&places)
            .map(|(i, place)| {
                let at = lo + (i << stride_log2);
                place
                    .is_none()
                    .then(|| element(pool, reader, at, elem_log2))
            })
            .collect();
        let united =
            |pool: &mut Pool, arrays: &[Array], new: &dyn Fn(&mut Pool, &Element) -> Expr| {
                let mut parts: Vec<Vec<Expr>> = Vec::with_capacity(arrays.len());
                let mut stores = Vec::new();
                for (array, lane) in arrays.iter().zip(&lanes) {
                    let (base, above) = history(pool, *array);
                    parts.push(base.iter().flat_map(|e| lane.parts(pool, *e)).collect());
                    for (index, value) in above {
                        let first = lane.place(pool, index);
                        for (i, part) in (0u64..).zip(lane.parts(pool, value)) {
                            let i = pool.constant(64, u128::from(i));
                            stores.push((pool.add(first, i), part));
                        }
                    }
                }
                let elems = places
                    .iter()
                    .zip(&gaps)
                    .map(|(place, gap)| match (place, gap) {
                        (Some((lane, i)), _) => parts[*lane][*i],
                        (None, Some(gap)) => new(pool, gap),
                        (None, None) => unreachable!("a gap was read"),
                    })
                    .collect();
                let mut a = pool.named_table(reader.array_name(), elems);
                for (index, value) in stores {
                    a = pool.store(a, index, value);
                }
                a
            };
        let of = |array: fn(&View) -> Array| -> Vec<Array> {
            regions.iter().map(|r| array(r)).collect()
        };
        let values = united(pool, &of(|r| r.values), &|_, e| e.value);
        let unsure = regions.iter().any(|r| r.shadow.is_some())
            || gaps.iter().flatten().any(|e| e.init.is_some());
        let shadow = unsure.then(|| {
            let shadows: Vec<Shadow> = regions
                .iter()
                .map(|r| match &r.shadow {
                    Some(s) => s.clone(),
                    None => Shadow::all_written(pool, r.values, r.count, r.elem_width()),
                })
                .collect();
            let of =
                |array: fn(&Shadow) -> Array| -> Vec<Array> { shadows.iter().map(array).collect() };
            let init = united(pool, &of(|s| s.init), &|pool, e| {
                mask_or_all(pool, e.init, e.value)
            });
            let unwritten = united(pool, &of(|s| s.unwritten), &|_, e| e.exact);
            let unsure = |i: u64| match (places[i as usize], &gaps[i as usize]) {
                (Some((lane, part)), _) => {
                    let i = part as u64 / lanes[lane].parts;
                    shadows[lane].any_unsure(i, i)
                }
                (None, gap) => gap.is_some_and(|e| e.init.is_some()),
            };
            Shadow {
                init,
                unwritten,
                unsure: bitmap(count, unsure),
            }
        });
        View {
            lo,
            elem_log2,
            stride_log2,
            count,
            values,
            shadow,
            under: None,
        }
    }
}

/// Mapping of the elements of a region to those of the one that it becomes part of.
struct Lane {
    /// Index of the first element's first part.
    first: u64,
    /// Distance of the indices of neighbouring elements, as a power of two.
    by: u32,
    /// Number of elements that one becomes.
    parts: u64,
}

impl Lane {
    fn parts(&self, pool: &mut Pool, e: Expr) -> Vec<Expr> {
        let width = pool.width(e) / self.parts as Width;
        (0..self.parts as Width)
            .map(|i| pool.extract(e, i * width, width))
            .collect()
    }

    /// Returns the index of an element's first part.
    fn place(&self, pool: &mut Pool, index: Expr) -> Expr {
        let by = pool.constant(64, u128::from(self.by));
        let first = pool.constant(64, u128::from(self.first));
        let scaled = pool.bin(symex_terms::BinOp::Shl, index, by);
        pool.add(scaled, first)
    }
}

impl ReadResult {
    /// Makes the result for bytes that were certainly written.
    pub fn sure(value: Expr) -> ReadResult {
        ReadResult {
            value,
            init: None,
            exact: value,
        }
    }

    /// Makes the if-then-else of two results.
    pub fn either(pool: &mut Pool, cond: Expr, a: ReadResult, b: ReadResult) -> ReadResult {
        let nothing = |pool: &Pool, init: Option<Expr>| {
            init.is_some_and(|mask| pool.as_const(mask) == Some(0))
        };
        // For unwritten bytes, any value will do.
        let value = match (nothing(pool, a.init), nothing(pool, b.init)) {
            (_, true) => a.value,
            (true, _) => b.value,
            _ => pool.ite(cond, a.value, b.value),
        };
        let init = (a.init.is_some() || b.init.is_some()).then(|| {
            let x = mask_or_all(pool, a.init, a.value);
            let y = mask_or_all(pool, b.init, b.value);
            pool.ite(cond, x, y)
        });
        ReadResult {
            value,
            init,
            exact: pool.ite(cond, a.exact, b.exact),
        }
    }

    /// Concatenates with another result above this one.
    pub fn below(self, pool: &mut Pool, high: ReadResult) -> ReadResult {
        ReadResult {
            value: pool.concat(high.value, self.value),
            init: match (self.init, high.init) {
                (None, None) => None,
                (low_init, high_init) => {
                    let low = mask_or_all(pool, low_init, self.value);
                    let high = mask_or_all(pool, high_init, high.value);
                    Some(pool.concat(high, low))
                }
            },
            exact: pool.concat(high.exact, self.exact),
        }
    }
}

/// Returns a mask of written bytes, or that of all bytes of a value.
pub(super) fn mask_or_all(pool: &mut Pool, mask: Option<Expr>, value: Expr) -> Expr {
    mask.unwrap_or_else(|| {
        let bytes = pool.width(value) / 8;
        pool.constant(bytes, u128::MAX)
    })
}

/// Makes the condition that a mask of written bytes has all of them.
pub(super) fn all_written(pool: &mut Pool, mask: Expr) -> Expr {
    let all = pool.constant(pool.width(mask), u128::MAX);
    pool.eq(mask, all)
}

impl Shadow {
    fn build(pool: &mut Pool, elements: &[Element], name: ArrayName) -> Shadow {
        let init = elements
            .iter()
            .map(|e| mask_or_all(pool, e.init, e.value))
            .collect();
        Shadow {
            init: pool.named_table(name, init),
            unwritten: pool.named_table(name, elements.iter().map(|e| e.exact).collect()),
            unsure: bitmap(elements.len() as u64, |i| {
                elements[i as usize].init.is_some()
            }),
        }
    }

    fn all_written(pool: &mut Pool, values: Array, count: u64, width: Width) -> Shadow {
        debug_assert_eq!(pool.array_shape(values), (width, count));
        let (all, zero) = (pool.constant(width / 8, u128::MAX), pool.constant(width, 0));
        let name = pool.array_name(values);
        Shadow {
            init: pool.named_table(name, vec![all; count as usize].into()),
            unwritten: pool.named_table(name, vec![zero; count as usize].into()),
            unsure: bitmap(count, |_| false),
        }
    }

    fn any_unsure(&self, min: u64, max: u64) -> bool {
        let (first, last) = ((min / 64) as usize, (max / 64) as usize);
        (first..=last).any(|w| {
            let mut bits = self.unsure[w];
            if w == first {
                bits &= u64::MAX << (min % 64);
            }
            if w == last {
                bits &= u64::MAX >> (63 - max % 64);
            }
            bits != 0
        })
    }

    fn set_unsure(&mut self, i: u64, unsure: bool) {
        let (word, bit) = ((i / 64) as usize, 1 << (i % 64));
        if (self.unsure[word] & bit != 0) == unsure {
            return;
        }
        let mut bits: Vec<u64> = self.unsure.to_vec();
        bits[word] ^= bit;
        self.unsure = bits.into();
    }
}

fn bitmap(count: u64, is: impl Fn(u64) -> bool) -> Rc<[u64]> {
    let mut bits = vec![0u64; count.div_ceil(64) as usize];
    for i in (0..count).filter(|i| is(*i)) {
        bits[(i / 64) as usize] |= 1 << (i % 64);
    }
    bits.into()
}

/// Splits elements into their values where a write covers them, and where it does not; `None` if
/// none of them is an if-then-else by that.
fn divide(
    pool: &mut Pool,
    elements: &[Element],
    (lo, elem_log2, stride_log2): (u64, u32, u32),
    write: &Covered,
) -> Option<(Vec<Element>, Vec<Element>)> {
    let bytes = 1 << elem_log2;
    // Where one of the two never happens, anything will do for it: what its neighbour is.
    let (mut above, mut below) = (Vec::new(), Vec::new());
    let mut choices = false;
    for (i, element) in elements.iter().enumerate() {
        let at = lo + ((i as u64) << stride_log2);
        let exact = element.exact;
        let outside = at + bytes <= write.range.start || write.range.end <= at;
        let (a, b) = if outside {
            (None, Some(exact))
        } else if let Some(grain) = write.grain_of(at, bytes) {
            let cond = write.covers(pool, grain);
            let negated = pool.not(cond);
            match (pool.as_const(cond), pool.kind(exact)) {
                (Some(1), _) => (Some(exact), None),
                (Some(_), _) => (None, Some(exact)),
                (
                    None,
                    Kind::Ite {
                        cond: c,
                        then,
                        other,
                    },
                ) if c == cond => {
                    choices = true;
                    (Some(then), Some(other))
                }
                (
                    None,
                    Kind::Ite {
                        cond: c,
                        then,
                        other,
                    },
                ) if c == negated => {
                    choices = true;
                    (Some(other), Some(then))
                }
                _ => (Some(exact), Some(exact)),
            }
        } else {
            (Some(exact), Some(exact))
        };
        above.push(a);
        below.push(b);
    }
    if !choices {
        return None;
    }
    let mut complete = |side: Vec<Option<Expr>>| -> Vec<Element> {
        let mut known = side.iter().copied().flatten().next();
        side.into_iter()
            .zip(elements)
            .map(|(e, whole)| {
                known = e.or(known);
                let exact = known.unwrap_or(whole.exact);
                let (value, init) = written_part(pool, exact);
                Element { value, init, exact }
            })
            .collect()
    };
    Some((complete(above), complete(below)))
}

fn element(pool: &mut Pool, reader: &Reader<'_>, at: u64, elem_log2: u32) -> Element {
    let bytes = 1 << elem_log2;
    if bytes <= 8
        && let Some(value) = reader.contents.load_fast(at, bytes)
    {
        let value = reader.term_of(pool, value, bytes);
        if !pool.has_uninit(value) {
            return Element {
                value,
                init: None,
                exact: value,
            };
        }
    }
    let ReadResult { value, init, exact } = reader.loaded(pool, at, bytes);
    Element { value, init, exact }
}

/// Returns the table at the bottom of an array and the stores above it, oldest first.
fn history(pool: &Pool, array: Array) -> (Arc<[Expr]>, Vec<(Expr, Expr)>) {
    let mut stores = Vec::new();
    let mut at = array;
    loop {
        match pool.array_kind(at) {
            ArrayKind::Table(elems) => {
                stores.reverse();
                return (elems.clone(), stores);
            }
            ArrayKind::Store {
                array,
                index,
                value,
            } => {
                stores.push((*index, *value));
                at = *array;
            }
        }
    }
}
