//! Contents of objects at known offsets. Small objects are kept inline, medium ones in one block,
//! others in pages.
//!
//! Every byte is concrete, part of a cell (a pointer or a term kept whole), or empty. Writers must
//! not cut a cell in two: they call [`Contents::cut`] first and put the remains back. Symbolic
//! offsets are handled elsewhere.

mod block;
mod paged;

use block::Block;
pub(super) use block::ContentsPiece;
pub(super) use paged::PAGE;
use paged::{Page, Paged};

use super::counters::Counters;
use super::footprint::Footprint;
use super::object::Initial;
use super::segment::SegmentId;
use smallvec::SmallVec;
use std::ops::Range;
use std::rc::Rc;
use symex_terms::{Pool, Value};

const INLINE: usize = 32;
const MEDIUM: usize = 96;
/// Greatest length of a cell in bytes: that of the widest term.
pub(super) const MAX_CELL: usize = 16;

/// Contents of an object.
#[derive(Clone, Default)]
pub(super) enum Contents {
    /// Contents that cannot be accessed.
    #[default]
    Opaque,
    /// Contents kept in a segment, from this offset on.
    Within(SegmentId, u64),
    Inline(Block<INLINE, 2, 3>),
    Medium(Rc<Block<MEDIUM, 3, 4>>),
    Page(Rc<Page>),
    Paged(Rc<Paged>),
}

/// Remainder of a cell that a write cuts: bytes `skip .. skip + len` of its value of `whole` bytes,
/// for offset `at`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remain {
    pub at: u64,
    pub value: Value,
    pub skip: usize,
    pub len: usize,
    pub whole: usize,
}

/// Calls a method on the block of an offset: `$page` is the block and `$at` the offset in it.
macro_rules! on_block_mut {
    ($self:expr, $counters:expr, $offset:expr, $at:ident, $block:ident => $body:expr) => {
        match $self {
            Contents::Opaque | Contents::Within(..) => {
                unreachable!("an object without contents of its own is written")
            }
            Contents::Inline($block) => {
                let $at = $offset as usize;
                $body
            }
            Contents::Medium(b) => {
                let ($at, $block) = ($offset as usize, $counters.own(b));
                $body
            }
            Contents::Page(b) => {
                let ($at, $block) = ($offset as usize, $counters.own(b));
                $body
            }
            Contents::Paged(p) => {
                let page = Rc::make_mut(p).page_mut($counters, $offset);
                let ($at, $block) = ($offset as usize % PAGE, page);
                $body
            }
        }
    };
}

impl Contents {
    /// Makes contents of `size` bytes.
    pub fn new(size: u64, initial: &Initial) -> Contents {
        fn block<const N: usize, const P: usize, const C: usize>(
            initial: &Initial,
        ) -> Block<N, P, C> {
            match initial {
                Initial::Uninit => Block::empty(),
                Initial::Zero => Block::concrete(&[]),
                Initial::Bytes(b) => Block::concrete(b),
            }
        }
        if size <= INLINE as u64 {
            Contents::Inline(block(initial))
        } else if size <= MEDIUM as u64 {
            Contents::Medium(Rc::new(block(initial)))
        } else if size <= PAGE as u64 {
            Contents::Page(Rc::new(block(initial)))
        } else {
            Contents::Paged(Rc::new(Paged::new(initial.clone())))
        }
    }

    /// Makes these contents be copied as a whole at the first write after a fork, to measure the
    /// benefit of pages.
    pub fn copied_whole(self, size: u64) -> Contents {
        match self {
            Contents::Paged(paged) => {
                let paged = Rc::unwrap_or_clone(paged);
                Contents::Paged(Rc::new(paged.copied_whole(size)))
            }
            other => other,
        }
    }

    /// Makes empty contents that can grow.
    pub fn growing() -> Contents {
        Contents::Paged(Rc::new(Paged::new(Initial::Uninit)))
    }

    /// Reports whether these contents are those of another path, unchanged.
    pub fn are_shared_with(&self, other: &Contents) -> bool {
        match (self, other) {
            (Contents::Opaque, Contents::Opaque) => true,
            (Contents::Within(a, at), Contents::Within(b, bt)) => (a, at) == (b, bt),
            (Contents::Medium(a), Contents::Medium(b)) => Rc::ptr_eq(a, b),
            (Contents::Page(a), Contents::Page(b)) => Rc::ptr_eq(a, b),
            (Contents::Paged(a), Contents::Paged(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Reports whether these contents share the page of an offset with others.
    pub fn shares_page(&self, other: &Contents, offset: u64) -> bool {
        let (Contents::Paged(a), Contents::Paged(b)) = (self, other) else {
            return false;
        };
        match (a.shared_page(offset), b.shared_page(offset)) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// Reports whether the contents are larger than a page, with all but a few pages as one value
    /// filled them.
    pub fn is_blank(&self) -> bool {
        match self {
            Contents::Paged(p) => p.is_blank(),
            _ => false,
        }
    }

    /// Reports whether the contents have no terms.
    pub fn is_plain(&self) -> bool {
        match self {
            Contents::Opaque | Contents::Within(..) => false,
            Contents::Inline(b) => !b.has_terms(),
            Contents::Medium(b) => !b.has_terms(),
            Contents::Page(b) => !b.has_terms(),
            Contents::Paged(p) => p.is_plain(),
        }
    }

    /// Reports whether a range in bounds holds a pointer, or what was computed from one.
    pub fn holds_pointer(&self, pool: &Pool, range: Range<u64>) -> bool {
        let mut at = range.start;
        while at < range.end {
            let piece = self.piece(at, range.end - at);
            if let ContentsPiece::Cell { value, .. } = piece
                && pool.is_pointer(value)
            {
                return true;
            }
            at += piece.len() as u64;
        }
        false
    }

    /// Returns the approximate bytes beyond those inline, shared parts included.
    pub fn bytes(&self) -> usize {
        match self {
            Contents::Opaque | Contents::Within(..) | Contents::Inline(_) => 0,
            Contents::Medium(_) => size_of::<Block<MEDIUM, 3, 4>>() + 16,
            Contents::Page(_) => size_of::<Page>() + 16,
            Contents::Paged(p) => p.bytes(),
        }
    }

    /// Adds the parts that are not inline to a footprint. `shared`: the owner of the contents has
    /// several holders.
    pub fn measure(&self, into: &mut Footprint, shared: bool) {
        match self {
            Contents::Opaque | Contents::Within(..) | Contents::Inline(_) => {}
            Contents::Medium(b) => {
                into.contents(b, shared);
            }
            Contents::Page(b) => {
                into.contents(b, shared);
            }
            Contents::Paged(p) => {
                if let Some(shared) = into.contents(p, shared) {
                    p.measure(into, shared);
                }
            }
        }
    }

    /// Loads a value of 1, 2, 4 or 8 bytes in bounds, if it is stored as one value.
    #[inline]
    pub fn load_fast(&self, offset: u64, len: usize) -> Option<Value> {
        match self {
            Contents::Opaque | Contents::Within(..) => None,
            Contents::Inline(b) => b.load_fast(offset as usize, len),
            Contents::Medium(b) => b.load_fast(offset as usize, len),
            Contents::Page(b) => b.load_fast(offset as usize, len),
            Contents::Paged(p) => p.load_fast(offset, len),
        }
    }

    /// Stores 1, 2, 4 or 8 bytes in bounds, unless that would cut a cell in two.
    #[inline]
    pub fn store_fast(
        &mut self,
        counters: &Counters,
        offset: u64,
        len: usize,
        value: Value,
    ) -> bool {
        match self {
            Contents::Opaque | Contents::Within(..) => false,
            Contents::Inline(b) => b.store_fast(offset as usize, len, value),
            Contents::Medium(b) => counters.own(b).store_fast(offset as usize, len, value),
            Contents::Page(b) => counters.own(b).store_fast(offset as usize, len, value),
            Contents::Paged(p) => Rc::make_mut(p).store_fast(counters, offset, len, value),
        }
    }

    /// Returns the contents at an offset, at most `max` bytes of them (and at least one).
    pub fn piece(&self, offset: u64, max: u64) -> ContentsPiece<'_> {
        let most = max.min(PAGE as u64) as usize;
        match self {
            Contents::Opaque | Contents::Within(..) => ContentsPiece::Empty(most),
            Contents::Inline(b) => b.piece(offset as usize, most),
            Contents::Medium(b) => b.piece(offset as usize, most),
            Contents::Page(b) => b.piece(offset as usize, most),
            Contents::Paged(p) => p.piece(offset, most),
        }
    }

    /// Returns the greatest number of bytes that a cell at an offset may have.
    pub fn room(&self, offset: u64) -> usize {
        match self {
            Contents::Paged(_) => (PAGE - offset as usize % PAGE).min(MAX_CELL),
            _ => MAX_CELL,
        }
    }

    /// Removes the cells that a range touches, and returns their parts outside of it.
    pub fn cut(&mut self, counters: &Counters, offset: u64, len: u64) -> SmallVec<[Remain; 2]> {
        let mut remains = SmallVec::new();
        if len == 0 {
            return remains;
        }
        let end = offset + len;
        for border in [offset, end - 1] {
            let ContentsPiece::Cell {
                value, skip, whole, ..
            } = self.piece(border, 1)
            else {
                continue;
            };
            let (start, stop) = (border - skip as u64, border - skip as u64 + whole as u64);
            if start >= offset && stop <= end {
                continue;
            }
            if start < offset {
                remains.push(Remain {
                    at: start,
                    value,
                    skip: 0,
                    len: (offset - start) as usize,
                    whole,
                });
            }
            if stop > end {
                remains.push(Remain {
                    at: end,
                    value,
                    skip: (end - start) as usize,
                    len: (stop - end) as usize,
                    whole,
                });
            }
            self.erase(counters, start, whole as u64);
        }
        let (mut at, end) = (offset, end);
        while at < end {
            let n = self.step(at, end - at);
            if self.has_cells(at) {
                on_block_mut!(self, counters, at, low, b => b.evict(low, n));
            }
            at += n as u64;
        }
        remains
    }

    /// Reports whether there are cells in the block of an offset.
    fn has_cells(&self, offset: u64) -> bool {
        match self {
            Contents::Opaque | Contents::Within(..) => false,
            Contents::Inline(b) => b.has_cells(),
            Contents::Medium(b) => b.has_cells(),
            Contents::Page(b) => b.has_cells(),
            Contents::Paged(p) => p.shared_page(offset).is_some_and(|b| b.has_cells()),
        }
    }

    /// Puts a value that is not concrete in a range that fits [`Self::room`] and cuts no cell.
    pub fn put_cell(&mut self, counters: &Counters, offset: u64, len: usize, value: Value) {
        let put = on_block_mut!(self, counters, offset, at, b => b.put_cell(at, len, value));
        debug_assert!(put, "a cell was cut in two");
    }

    /// Writes concrete bytes to a range that cuts no cell.
    pub fn put_bytes(&mut self, counters: &Counters, offset: u64, bytes: &[u8]) {
        let mut offset = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let n = self.step(offset, rest.len() as u64);
            on_block_mut!(self, counters, offset, at, b => b.put_bytes(at, &rest[..n]));
            rest = &rest[n..];
            offset += n as u64;
        }
    }

    /// Fills a range that cuts no cell with one concrete byte.
    pub fn fill(&mut self, counters: &Counters, offset: u64, len: u64, byte: u8) {
        let bytes = [byte; PAGE];
        let mut shared = None;
        let (mut at, end) = (offset, offset + len);
        while at < end {
            let n = self.step(at, end - at);
            match self {
                Contents::Paged(p) if n == PAGE => {
                    let page = shared.get_or_insert_with(|| Rc::new(Page::concrete(&bytes)));
                    Rc::make_mut(p).set_page(at, page.clone());
                }
                _ => on_block_mut!(self, counters, at, low, b => b.put_bytes(low, &bytes[..n])),
            }
            at += n as u64;
        }
    }

    /// Makes a range empty, which must cut no cell.
    pub fn erase(&mut self, counters: &Counters, offset: u64, len: u64) {
        let mut shared = None;
        let (mut at, end) = (offset, offset + len);
        while at < end {
            let n = self.step(at, end - at);
            match self {
                Contents::Paged(p) if n == PAGE => {
                    let page = shared.get_or_insert_with(|| Rc::new(Page::empty()));
                    Rc::make_mut(p).set_page(at, page.clone());
                }
                _ => on_block_mut!(self, counters, at, low, b => b.erase(low, n)),
            }
            at += n as u64;
        }
    }

    /// Shares a page instead of copying it, if both contents are paged and the offsets fall on
    /// whole pages. Reports whether it did.
    pub fn share_page(&mut self, offset: u64, from: &Contents, from_offset: u64, len: u64) -> bool {
        let page = PAGE as u64;
        if len < page || !offset.is_multiple_of(page) || !from_offset.is_multiple_of(page) {
            return false;
        }
        match (self, from) {
            (Contents::Paged(to), Contents::Paged(from)) => match from.shared_page(from_offset) {
                Some(shared) => {
                    Rc::make_mut(to).set_page(offset, shared.clone());
                    true
                }
                None => false,
            },
            _ => false,
        }
    }

    /// Returns how many of `len` bytes lie in the block of an offset.
    fn step(&self, offset: u64, len: u64) -> usize {
        match self {
            Contents::Paged(_) => len.min((PAGE - offset as usize % PAGE) as u64) as usize,
            _ => len as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_terms::{ObjectId, Pool};

    #[test]
    fn what_one_value_filled_is_blank() {
        let (size, n) = (1 << 16, Counters::default());
        let zeros = || Contents::new(size, &Initial::Zero);
        let mut c = zeros();
        assert!(c.is_blank());
        for page in 0..4 {
            c.put_bytes(&n, page * 4096, &[1]);
        }
        assert!(c.is_blank());
        c.put_bytes(&n, 5 * 4096, &[1]);
        assert!(!c.is_blank());
        c.fill(&n, 0, size, 7);
        assert!(c.is_blank());
        for page in 0..5 {
            c.put_bytes(&n, page * 4096, &[1]);
        }
        assert!(!c.is_blank());
        c.erase(&n, 0, size);
        assert!(c.is_blank());
        assert!(!Contents::new(size, &Initial::Bytes(Rc::from(vec![0; 1 << 16]))).is_blank());
        // Groups of pages that were never touched are no pages of the value that fills the others.
        let mut half = zeros();
        half.fill(&n, 0, size / 4, 7);
        half.put_bytes(&n, size - 1, &[1]);
        assert!(!half.is_blank());
        assert!(half.is_plain());
        half.put_cell(&n, 8, 8, Value::Ptr(ObjectId(1), 4));
        assert!(half.is_plain());
        half.put_cell(&n, 16, 1, Value::Expr(Pool::new().bool(true)));
        assert!(!half.is_plain());
    }

    #[test]
    fn writes_say_what_they_leave_of_a_cell() {
        let n = &Counters::default();
        for size in [32, 96, 200, 1000] {
            let mut c = Contents::new(size, &Initial::Zero);
            c.put_cell(n, 8, 8, Value::Ptr(ObjectId(1), 4));
            let r = c.cut(n, 10, 2);
            assert_eq!(r.len(), 2);
            assert_eq!((r[0].at, r[0].skip, r[0].len, r[0].whole), (8, 0, 2, 8));
            assert_eq!((r[1].at, r[1].skip, r[1].len, r[1].whole), (12, 4, 4, 8));
            assert_eq!(c.piece(8, 8), ContentsPiece::Empty(8));
            c.put_bytes(n, 8, &[1; 8]);
            assert!(c.cut(n, 10, 2).is_empty());
            assert_eq!(c.load_fast(8, 8), Some(Value::Int(0x0101_0101_0101_0101)));
        }
    }

    #[test]
    fn initial_bytes_are_followed_by_zeros() {
        let n = &Counters::default();
        let bytes: Rc<[u8]> = (0..=255).cycle().take(700).collect();
        let mut c = Contents::new(1024, &Initial::Bytes(bytes));
        assert_eq!(c.load_fast(256, 1), Some(Value::Int(0)));
        assert_eq!(c.load_fast(257, 2), Some(Value::Int(0x0201)));
        assert_eq!(c.bytes(), 0);
        assert!(c.store_fast(n, 300, 4, Value::Int(9)));
        assert!(c.bytes() > 0);
        assert_eq!(c.load_fast(304, 1), Some(Value::Int(48)));
        let mut all = Vec::new();
        while all.len() < 1024 {
            let ContentsPiece::Bytes(b) = c.piece(all.len() as u64, 1024 - all.len() as u64) else {
                panic!("all bytes are concrete");
            };
            all.extend_from_slice(b);
        }
        assert_eq!(all[699], (699 % 256) as u8);
        assert_eq!(all[700..], [0; 324]);
        assert_eq!(all[300..304], [9, 0, 0, 0]);
    }

    #[test]
    fn whole_pages_are_shared() {
        let n = &Counters::default();
        let mut a = Contents::new(1 << 20, &Initial::Uninit);
        a.fill(n, 100, (1 << 20) - 200, 7);
        let mut b = Contents::new(1 << 20, &Initial::Uninit);
        assert!(b.share_page(512, &a, 256, 1000));
        assert!(!b.share_page(512, &a, 257, 1000));
        assert_eq!(b.load_fast(512, 1), Some(Value::Int(7)));
        assert!(b.store_fast(n, 512, 1, Value::Int(8)));
        assert_eq!(a.load_fast(256, 1), Some(Value::Int(7)));
        b.erase(n, 0, 1 << 20);
        assert_eq!(b.piece(512, 10), ContentsPiece::Empty(10));
    }

    #[test]
    fn huge_objects_cost_nothing_until_written() {
        let n = &Counters::default();
        let mut c = Contents::new(10 << 30, &Initial::Uninit);
        assert_eq!(c.bytes(), 0);
        assert!(c.store_fast(n, (10 << 30) - 8, 8, Value::Int(1)));
        assert_eq!(c.load_fast((10 << 30) - 8, 8), Some(Value::Int(1)));
        assert!(c.bytes() < 20 << 20);
    }
}
