//! A block of a fixed number of bytes, each concrete, part of a cell, or empty.
//!
//! A cell is a value that is not concrete, kept whole. Invariants: a byte whose `plain` bit is set
//! is concrete and in no cell; the bytes of a cell are not plain and `bytes` holds the cell's
//! position in `cells` for each of them, so that a cell is found without searching; cells are
//! disjoint. All other bytes are empty. The block does not know what that means (they are
//! unwritten, or to be looked up in an array).

use smallvec::SmallVec;
use symex_terms::{Expr, ObjectId, Value};

/// A value of 1 to 16 bytes at an offset of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cell {
    Ptr {
        at: u8,
        len: u8,
        object: ObjectId,
        offset: u64,
    },
    Term {
        at: u8,
        len: u8,
        term: Expr,
    },
    /// Explicitly uninitialised bytes, which hide the array below.
    Undef {
        at: u8,
        len: u8,
    },
}

impl Cell {
    /// Makes the cell of a value; a concrete word has none.
    #[inline]
    pub fn new(at: usize, len: usize, value: Value) -> Option<Cell> {
        let (at, len) = (at as u8, len as u8);
        Some(match value {
            Value::Int(_) => return None,
            Value::Ptr(object, offset) => Cell::Ptr {
                at,
                len,
                object,
                offset,
            },
            Value::Expr(term) => Cell::Term { at, len, term },
            Value::Undef => Cell::Undef { at, len },
        })
    }

    #[inline]
    pub fn at(&self) -> usize {
        match *self {
            Cell::Ptr { at, .. } | Cell::Term { at, .. } | Cell::Undef { at, .. } => at as usize,
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        match *self {
            Cell::Ptr { len, .. } | Cell::Term { len, .. } | Cell::Undef { len, .. } => {
                len as usize
            }
        }
    }

    #[inline]
    pub fn value(&self) -> Value {
        match *self {
            Cell::Ptr { object, offset, .. } => Value::Ptr(object, offset),
            Cell::Term { term, .. } => Value::Expr(term),
            Cell::Undef { .. } => Value::Undef,
        }
    }
}

/// Contents at an offset, with their length in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ContentsPiece<'a> {
    Bytes(&'a [u8]),
    /// Bytes `skip .. skip + len` of a value of `whole` bytes.
    Cell {
        value: Value,
        skip: usize,
        len: usize,
        whole: usize,
    },
    Empty(usize),
}

impl ContentsPiece<'_> {
    /// Returns the number of bytes covered.
    pub fn len(&self) -> usize {
        match self {
            ContentsPiece::Bytes(b) => b.len(),
            ContentsPiece::Cell { len, .. } => *len,
            ContentsPiece::Empty(n) => *n,
        }
    }
}

/// A block of `N` bytes with `P` words of `plain` bits (one more than `N / 64`, rounded up) and
/// room for `C` cells before they go to the heap.
#[derive(Clone)]
pub(crate) struct Block<const N: usize, const P: usize, const C: usize> {
    bytes: [u8; N],
    plain: [u64; P],
    cells: SmallVec<[Cell; C]>,
}

#[inline]
fn low_bits(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

impl<const N: usize, const P: usize, const C: usize> Block<N, P, C> {
    const SHAPE: () = assert!(N <= 256 && P == N.div_ceil(64) + 1);

    /// Makes a block of empty bytes.
    pub fn empty() -> Self {
        let () = Self::SHAPE;
        Block {
            bytes: [0; N],
            plain: [0; P],
            cells: SmallVec::new(),
        }
    }

    /// Makes a block of concrete bytes, with zeros beyond the end.
    pub fn concrete(bytes: &[u8]) -> Self {
        let mut b = Self::empty();
        let n = bytes.len().min(N);
        b.bytes[..n].copy_from_slice(&bytes[..n]);
        b.set_plain(0, N);
        b
    }

    /// Returns the `plain` bits from a byte upwards.
    #[inline]
    fn window(&self, at: usize) -> u64 {
        let (word, shift) = (at >> 6, at & 63);
        (self.plain[word] >> shift) | ((self.plain[word + 1] << 1) << (63 - shift))
    }

    fn set_plain(&mut self, at: usize, len: usize) {
        let (mut at, end) = (at, at + len);
        while at < end {
            let n = (64 - (at & 63)).min(end - at);
            self.plain[at >> 6] |= low_bits(n) << (at & 63);
            at += n;
        }
    }

    fn clear_plain(&mut self, at: usize, len: usize) {
        let (mut at, end) = (at, at + len);
        while at < end {
            let n = (64 - (at & 63)).min(end - at);
            self.plain[at >> 6] &= !(low_bits(n) << (at & 63));
            at += n;
        }
    }

    /// Loads a value of 1, 2, 4 or 8 bytes within the block, if it is stored as one value.
    #[inline]
    pub fn load_fast(&self, at: usize, len: usize) -> Option<Value> {
        let mask = low_bits(len);
        let window = self.window(at);
        if window & mask == mask {
            return Some(Value::Int(self.read(at, len)));
        }
        if window & 1 != 0 {
            return None;
        }
        let cell = self.cells.get(self.bytes[at] as usize)?;
        match *cell {
            Cell::Ptr {
                at: a,
                len: n,
                object,
                offset,
            } if a as usize == at && n as usize == len => Some(Value::Ptr(object, offset)),
            Cell::Term {
                at: a,
                len: n,
                term,
            } if a as usize == at && n as usize == len => Some(Value::Expr(term)),
            _ => None,
        }
    }

    #[inline]
    fn read(&self, at: usize, len: usize) -> u64 {
        let b = &self.bytes[at..at + len];
        match len {
            1 => u64::from(b[0]),
            2 => u64::from(u16::from_le_bytes(b.try_into().unwrap_or_default())),
            4 => u64::from(u32::from_le_bytes(b.try_into().unwrap_or_default())),
            8 => u64::from_le_bytes(b.try_into().unwrap_or_default()),
            _ => b
                .iter()
                .rev()
                .fold(0, |word, byte| word << 8 | u64::from(*byte)),
        }
    }

    #[inline]
    fn write(&mut self, at: usize, len: usize, word: u64) {
        let b = &mut self.bytes[at..at + len];
        let word = word.to_le_bytes();
        match len {
            1 => b[0] = word[0],
            2 => b.copy_from_slice(&word[..2]),
            4 => b.copy_from_slice(&word[..4]),
            8 => b.copy_from_slice(&word),
            _ => b.copy_from_slice(&word[..len]),
        }
    }

    /// Stores 1, 2, 4 or 8 bytes within the block, unless that would cut a cell in two.
    #[inline]
    pub fn store_fast(&mut self, at: usize, len: usize, value: Value) -> bool {
        match value {
            Value::Int(word) => {
                let mask = low_bits(len);
                if self.window(at) & mask != mask {
                    if !self.evict(at, len) {
                        return false;
                    }
                    self.set_plain(at, len);
                }
                self.write(at, len, word);
                true
            }
            Value::Ptr(..) | Value::Expr(_) => self.put_cell(at, len, value),
            Value::Undef => false,
        }
    }

    /// Puts a cell, unless that would cut another in two.
    #[inline]
    pub fn put_cell(&mut self, at: usize, len: usize, value: Value) -> bool {
        let Some(cell) = Cell::new(at, len, value) else {
            return false;
        };
        let window = self.window(at) & low_bits(len);
        if window == 0
            && let Some(old) = self.cells.get_mut(self.bytes[at] as usize)
            && old.at() == at
            && old.len() == len
        {
            *old = cell;
            return true;
        }
        if !self.evict(at, len) {
            return false;
        }
        if window != 0 {
            self.clear_plain(at, len);
        }
        self.bytes[at..at + len].fill(self.cells.len() as u8);
        self.cells.push(cell);
        true
    }

    /// Returns the position of the cell that a byte belongs to.
    fn covering(&self, at: usize) -> Option<usize> {
        if self.window(at) & 1 != 0 {
            return None;
        }
        let i = self.bytes[at] as usize;
        let c = self.cells.get(i)?;
        (c.at() <= at && at < c.at() + c.len()).then_some(i)
    }

    /// Reports whether there are terms among the cells.
    pub fn has_terms(&self) -> bool {
        let term = |cell: &Cell| matches!(cell, Cell::Term { .. });
        self.cells.iter().any(term)
    }

    /// Reports whether there are any cells.
    pub fn has_cells(&self) -> bool {
        !self.cells.is_empty()
    }

    /// Removes the cells in a range. If one of them reaches out of the range, reports that and
    /// removes none.
    pub fn evict(&mut self, at: usize, len: usize) -> bool {
        if self.cells.is_empty() {
            return true;
        }
        let end = at + len;
        if self.covering(at).is_some_and(|i| self.cells[i].at() < at) {
            return false;
        }
        if let Some(i) = self.covering(end - 1)
            && self.cells[i].at() + self.cells[i].len() > end
        {
            return false;
        }
        let mut b = at;
        while b < end {
            match self.covering(b) {
                Some(i) => {
                    b = self.cells[i].at() + self.cells[i].len();
                    self.remove(i);
                }
                None => b += 1,
            }
        }
        true
    }

    fn remove(&mut self, i: usize) {
        self.cells.swap_remove(i);
        if let Some(moved) = self.cells.get(i) {
            let (at, len) = (moved.at(), moved.len());
            self.bytes[at..at + len].fill(i as u8);
        }
    }

    /// Makes a range empty, which must cut no cell in two.
    pub fn erase(&mut self, at: usize, len: usize) {
        let whole = self.evict(at, len);
        debug_assert!(whole, "a cell was cut in two");
        self.clear_plain(at, len);
    }

    /// Writes concrete bytes to a range, which must cut no cell in two.
    pub fn put_bytes(&mut self, at: usize, bytes: &[u8]) {
        let whole = self.evict(at, bytes.len());
        debug_assert!(whole, "a cell was cut in two");
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.set_plain(at, bytes.len());
    }

    /// Returns the contents at a byte, at most `max` bytes of them.
    pub fn piece(&self, at: usize, max: usize) -> ContentsPiece<'_> {
        let max = max.min(N - at);
        let window = self.window(at);
        if window & 1 != 0 {
            let n = self.run(at, max, true);
            return ContentsPiece::Bytes(&self.bytes[at..at + n]);
        }
        if let Some(i) = self.covering(at) {
            let c = self.cells[i];
            return ContentsPiece::Cell {
                value: c.value(),
                skip: at - c.at(),
                len: (c.at() + c.len() - at).min(max),
                whole: c.len(),
            };
        }
        if self.cells.is_empty() {
            return ContentsPiece::Empty(self.run(at, max, false));
        }
        let mut n = 1;
        while n < max && self.window(at + n) & 1 == 0 && self.covering(at + n).is_none() {
            n += 1;
        }
        ContentsPiece::Empty(n)
    }

    /// Returns the number of bytes from `at` on that have the given `plain` bit, up to `max`.
    fn run(&self, at: usize, max: usize, plain: bool) -> usize {
        let mut n = 0;
        while n < max {
            let window = self.window(at + n);
            let same = if plain {
                window.trailing_ones()
            } else {
                window.trailing_zeros()
            };
            n += same as usize;
            if same < 64 {
                break;
            }
        }
        n.min(max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Small = Block<32, 2, 3>;
    type Page = Block<256, 5, 2>;

    fn ptr(n: u64) -> Value {
        Value::Ptr(ObjectId(n as u32), n)
    }

    #[test]
    fn words_of_all_widths_at_all_places() {
        let mut b = Page::empty();
        for len in [1, 2, 4, 8] {
            for at in 0..=256 - len {
                let word = 0x1122_3344_5566_7788u64.rotate_left(at as u32) & low_bits(8 * len);
                assert!(b.store_fast(at, len, Value::Int(word)));
                assert_eq!(b.load_fast(at, len), Some(Value::Int(word)));
            }
        }
        assert_eq!(b.piece(0, 256).len(), 256);
    }

    #[test]
    fn empty_bytes_are_not_values() {
        let mut b = Small::empty();
        assert_eq!(b.load_fast(0, 8), None);
        assert!(b.store_fast(4, 4, Value::Int(5)));
        assert_eq!(b.load_fast(0, 8), None);
        assert_eq!(b.load_fast(4, 4), Some(Value::Int(5)));
        assert_eq!(b.piece(0, 32), ContentsPiece::Empty(4));
        assert_eq!(b.piece(4, 32), ContentsPiece::Bytes(&[5, 0, 0, 0]));
        assert_eq!(b.piece(8, 32), ContentsPiece::Empty(24));
        b.erase(5, 1);
        assert_eq!(b.piece(4, 32), ContentsPiece::Bytes(&[5]));
    }

    #[test]
    fn cells_come_back_whole_and_are_not_cut_silently() {
        let mut b = Small::empty();
        for i in 0..4 {
            assert!(b.store_fast(i * 8, 8, ptr(i as u64 + 1)));
        }
        assert!(b.store_fast(8, 8, Value::Int(7)));
        for i in [0, 2, 3] {
            assert_eq!(b.load_fast(i * 8, 8), Some(ptr(i as u64 + 1)));
        }
        assert_eq!(b.load_fast(8, 8), Some(Value::Int(7)));
        assert_eq!(b.load_fast(16, 4), None);
        assert!(!b.store_fast(20, 2, Value::Int(7)));
        assert!(!b.store_fast(12, 8, Value::Int(7)));
        assert_eq!(b.load_fast(16, 8), Some(ptr(3)));
        assert!(b.store_fast(16, 8, ptr(9)));
        assert_eq!(b.load_fast(16, 8), Some(ptr(9)));
        assert_eq!(
            b.piece(19, 3),
            ContentsPiece::Cell {
                value: ptr(9),
                skip: 3,
                len: 3,
                whole: 8
            }
        );
        b.erase(0, 32);
        assert_eq!(b.piece(0, 32), ContentsPiece::Empty(32));
    }

    #[test]
    fn stale_positions_under_empty_bytes_are_no_cells() {
        let mut b = Small::empty();
        assert!(b.store_fast(0, 8, ptr(1)));
        assert!(b.store_fast(8, 8, ptr(2)));
        b.erase(0, 8);
        assert_eq!(b.load_fast(0, 8), None);
        assert_eq!(b.piece(0, 32), ContentsPiece::Empty(8));
        assert_eq!(b.load_fast(8, 8), Some(ptr(2)));
    }

    #[test]
    fn every_byte_a_cell() {
        let mut b = Page::empty();
        for i in 0..256 {
            assert!(b.put_cell(i, 1, ptr(i as u64)));
        }
        for i in 0..256 {
            assert_eq!(b.load_fast(i, 1), Some(ptr(i as u64)));
        }
        b.put_bytes(0, &[1; 256]);
        assert_eq!(b.piece(0, 256), ContentsPiece::Bytes(&[1; 256]));
    }
}
