//! Reading values at known offsets: gathers bytes, cells, arrays and uninitialised bytes into one value.

use super::address_space::align_of;
use super::contents::{Contents, Piece};
use super::object::Object;
use super::persistent::PersistentVec;
use super::view::Arrays;
use crate::expr::{Expr, ObjectId, Origin, Pool, Value, VarInfo, Width};

/// A view of an object for reading.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub identities: &'a PersistentVec<Object>,
    pub contents: &'a Contents,
    pub arrays: Option<&'a Arrays>,
    pub id: ObjectId,
}

/// The variable of a byte that nobody wrote: one a byte, so that accesses of all widths agree.
pub(super) fn uninit_byte(pool: &mut Pool, id: ObjectId, offset: u64) -> Expr {
    pool.var(VarInfo {
        name: "uninit".into(),
        width: 8,
        origin: Origin::Uninit {
            object: Some(id),
            offset,
        },
    })
}

/// A term that grows upwards from its lowest byte; runs of concrete bytes are one constant.
#[derive(Default)]
struct Gathered {
    term: Option<Expr>,
    word: u128,
    /// Bytes in `word`.
    pending: usize,
}

impl Gathered {
    fn bytes(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.word |= u128::from(*b) << (8 * self.pending);
            self.pending += 1;
        }
    }

    fn flush(&mut self, pool: &mut Pool) {
        if self.pending > 0 {
            let e = pool.constant(self.pending as Width * 8, self.word);
            (self.word, self.pending) = (0, 0);
            self.above(pool, e);
        }
    }

    fn above(&mut self, pool: &mut Pool, e: Expr) {
        self.term = Some(match self.term {
            Some(low) => pool.concat(e, low),
            None => e,
        });
    }

    fn term(&mut self, pool: &mut Pool, e: Expr) {
        self.flush(pool);
        self.above(pool, e);
    }

    fn finish(mut self, pool: &mut Pool) -> Value {
        if self.term.is_none() && self.pending <= 8 {
            return Value::Int(self.word as u64);
        }
        self.flush(pool);
        match self.term {
            Some(e) => pool.value(e),
            None => Value::Int(0),
        }
    }
}

impl Reader<'_> {
    /// The term of a value.
    pub fn term_of(&self, pool: &mut Pool, value: Value, bytes: usize) -> Expr {
        pool.term(value, bytes as Width * 8, |o| align_of(self.identities, o))
    }

    /// The value of 1 to 16 bytes.
    pub fn value(&self, pool: &mut Pool, offset: u64, bytes: usize) -> Value {
        let mut all = Gathered::default();
        let (mut at, end) = (offset, offset + bytes as u64);
        while at < end {
            let piece = self.contents.piece(at, end - at);
            let n = piece.len();
            match piece {
                Piece::Bytes(b) => all.bytes(b),
                Piece::Cell {
                    value: Value::Undef,
                    ..
                } => {
                    for i in 0..n as u64 {
                        let v = uninit_byte(pool, self.id, at + i);
                        all.term(pool, v);
                    }
                }
                Piece::Cell {
                    value,
                    skip,
                    len,
                    whole,
                } => {
                    if len == bytes && len == whole {
                        return value;
                    }
                    let e = self.term_of(pool, value, whole);
                    let part = pool.extract(e, skip as Width * 8, len as Width * 8);
                    all.term(pool, part);
                }
                Piece::Empty(n) => {
                    let mut i = 0;
                    while i < n {
                        let (here, most) = (at + i as u64, n - i);
                        let (e, got) = self.beneath(pool, here, most);
                        all.term(pool, e);
                        i += got;
                    }
                }
            }
            at += n as u64;
        }
        all.finish(pool)
    }

    /// What is at an empty byte: the array's element, as many as `most` bytes of it, or an unwritten byte.
    fn beneath(&self, pool: &mut Pool, at: u64, most: usize) -> (Expr, usize) {
        match self.arrays.and_then(|a| a.region_at(at)) {
            Some(view) => view.load_at(pool, at, most),
            None => (uninit_byte(pool, self.id, at), 1),
        }
    }

    /// Does an empty byte at this offset show an array?
    pub fn in_region(&self, at: u64) -> bool {
        self.arrays.is_some_and(|a| a.region_at(at).is_some())
    }

    /// How many of `n` bytes from an offset outside of the region lie before it.
    pub fn outside_region(&self, at: u64, n: usize) -> usize {
        match self.arrays.and_then(|a| a.region_range()) {
            Some((lo, _)) if at < lo => n.min((lo - at) as usize),
            _ => n,
        }
    }

    /// How many of `n` bytes in a cell or in the region are best read as one value.
    pub fn chunk(&self, at: u64, n: usize) -> usize {
        match self.arrays.and_then(|a| a.region_at(at)) {
            Some(view) => n.min(view.rest_of_element(at)),
            None => n,
        }
    }

    /// First offset in a range that nobody wrote for sure.
    pub fn first_uninit(&self, offset: u64, len: u64) -> Option<u64> {
        let (mut at, end) = (offset, offset + len);
        while at < end {
            let piece = self.contents.piece(at, end - at);
            let n = piece.len() as u64;
            match piece {
                Piece::Bytes(_) => {}
                Piece::Cell {
                    value: Value::Undef,
                    ..
                } => return Some(at),
                Piece::Cell { .. } => {}
                Piece::Empty(_) => {
                    for here in at..at + n {
                        match self.arrays.and_then(|a| a.region_at(here)) {
                            Some(view) if view.surely_init(here) => {}
                            _ => return Some(here),
                        }
                    }
                }
            }
            at += n;
        }
        None
    }
}
