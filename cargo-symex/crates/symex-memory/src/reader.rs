//! Reads of values at known offsets: gathers bytes, cells, arrays and uninitialised bytes into one
//! value.

use super::address_space::align_of;
use super::contents::{Contents, ContentsPiece, MAX_CELL};
use super::object::Object;
use super::persistent::PersistentVec;
use super::records::RecordList;
use super::regions::Arrays;
use super::segment::Members;
use super::symbolic_length_write::written_part;
use super::view::ReadResult;
use symex_terms::{ArrayName, Expr, ObjectId, Origin, Pool, Value, VarInfo, Width};

/// A read-only view of an object's bytes.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub identities: &'a PersistentVec<Object>,
    pub contents: &'a Contents,
    pub arrays: Option<&'a Arrays>,
    /// Records of writes that may have gone to empty bytes.
    pub list: Option<&'a RecordList>,
    pub owner: Owner<'a>,
}

/// Owner of the bytes.
#[derive(Clone, Copy)]
pub(super) enum Owner<'a> {
    One(ObjectId),
    /// Several objects of a segment, by offset.
    Members(&'a Members),
}

impl Reader<'_> {
    /// Returns the name of arrays of the bytes.
    pub fn array_name(&self) -> ArrayName {
        match self.owner {
            Owner::One(_) => ArrayName::default(),
            Owner::Members(members) => members.array_name(),
        }
    }
}

/// Returns the variable of an unwritten byte. There is one per byte, so that accesses of all widths
/// agree.
pub(super) fn uninit_byte(pool: &mut Pool, id: ObjectId, offset: u64) -> Expr {
    unwritten(pool, Some(id), offset)
}

fn unwritten(pool: &mut Pool, object: Option<ObjectId>, offset: u64) -> Expr {
    pool.var(VarInfo {
        name: "uninit".into(),
        width: 8,
        origin: Origin::Uninit { object, offset },
    })
}

impl Owner<'_> {
    /// Returns the variable of an unwritten byte. Bytes of no member are never read: a path keeps
    /// within members.
    fn uninit_byte(&self, pool: &mut Pool, offset: u64) -> Expr {
        match self {
            Owner::One(id) => uninit_byte(pool, *id, offset),
            Owner::Members(members) => match members.owner(offset) {
                Some((id, offset)) => uninit_byte(pool, id, offset),
                None => unwritten(pool, None, offset),
            },
        }
    }
}

/// Part of a value being read.
enum ValuePart<'a> {
    Bytes(&'a [u8]),
    Term(Expr),
    /// Part of an array's element.
    Beneath(ReadResult),
    /// Unwritten bytes: their offset, and their number.
    Unwritten(u64, usize),
}

/// A term assembled upwards from its lowest byte; runs of concrete bytes are one constant.
#[derive(Default)]
struct Gathered {
    term: Option<Expr>,
    word: u128,
    /// Number of bytes in `word`.
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
    /// Returns the term of a value.
    pub fn term_of(&self, pool: &mut Pool, value: Value, bytes: usize) -> Expr {
        pool.term(value, bytes as Width * 8, |o| align_of(self.identities, o))
    }

    /// Reads 1 to 16 bytes, with variables for unwritten ones.
    pub fn value(&self, pool: &mut Pool, offset: u64, bytes: usize) -> Value {
        let mut all = Gathered::default();
        let whole = self.walk(pool, offset, bytes, |pool, part| match part {
            ValuePart::Bytes(b) => all.bytes(b),
            ValuePart::Term(e) => all.term(pool, e),
            ValuePart::Beneath(loaded) => all.term(pool, loaded.exact),
            ValuePart::Unwritten(at, n) => {
                for at in at..at + n as u64 {
                    let v = self.owner.uninit_byte(pool, at);
                    all.term(pool, v);
                }
            }
        });
        whole.unwrap_or_else(|| all.finish(pool))
    }

    /// Reads 1 to 16 bytes as a term with zeros for unwritten ones, and a mask with one bit for
    /// each byte that says which were written; `None` if all certainly were.
    pub fn written(&self, pool: &mut Pool, offset: u64, bytes: usize) -> (Expr, Option<Expr>) {
        let mut all = Gathered::default();
        let mut mask: Option<Expr> = None;
        let mut done = 0;
        let mut note = |pool: &mut Pool, n: usize, part: Option<Expr>| {
            let below = done as Width;
            done += n;
            if part.is_none() && mask.is_none() {
                return;
            }
            let ones = |pool: &mut Pool, n| pool.constant(n, u128::MAX);
            let part = part.unwrap_or_else(|| ones(pool, n as Width));
            mask = Some(match mask {
                Some(mask) => pool.concat(part, mask),
                None if below == 0 => part,
                None => {
                    let low = ones(pool, below);
                    pool.concat(part, low)
                }
            });
        };
        let whole = self.walk(pool, offset, bytes, |pool, part| match part {
            ValuePart::Bytes(b) => {
                note(pool, b.len(), None);
                all.bytes(b);
            }
            ValuePart::Term(e) => {
                let (e, written) = written_part(pool, e);
                note(pool, pool.width(e) as usize / 8, written);
                all.term(pool, e);
            }
            ValuePart::Beneath(loaded) => {
                note(pool, pool.width(loaded.value) as usize / 8, loaded.init);
                all.term(pool, loaded.value);
            }
            ValuePart::Unwritten(_, n) => {
                let none = pool.constant(n as Width, 0);
                note(pool, n, Some(none));
                all.bytes(&[0; MAX_CELL][..n]);
            }
        });
        let value = match whole {
            Some(Value::Expr(e)) => return written_part(pool, e),
            Some(value) => value,
            None => all.finish(pool),
        };
        (self.term_of(pool, value, bytes), mask)
    }

    /// Reads 1 to 16 bytes in both forms: [`Self::written`] and [`Self::value`].
    pub fn loaded(&self, pool: &mut Pool, offset: u64, bytes: usize) -> ReadResult {
        let (value, init) = self.written(pool, offset, bytes);
        let exact = match init {
            None => value,
            Some(_) => {
                let exact = self.value(pool, offset, bytes);
                self.term_of(pool, exact, bytes)
            }
        };
        ReadResult { value, init, exact }
    }

    /// Visits the parts of 1 to 16 bytes, from the lowest; returns the value instead if it is
    /// stored as one.
    fn walk(
        &self,
        pool: &mut Pool,
        offset: u64,
        bytes: usize,
        mut visit: impl FnMut(&mut Pool, ValuePart<'_>),
    ) -> Option<Value> {
        let (mut at, end) = (offset, offset + bytes as u64);
        while at < end {
            let piece = self.contents.piece(at, end - at);
            let mut n = piece.len();
            match piece {
                ContentsPiece::Bytes(b) => visit(pool, ValuePart::Bytes(b)),
                ContentsPiece::Cell {
                    value: Value::Undef,
                    ..
                } => visit(pool, ValuePart::Unwritten(at, n)),
                ContentsPiece::Cell {
                    value,
                    skip,
                    len,
                    whole,
                } => {
                    if len == bytes && len == whole {
                        return Some(value);
                    }
                    let e = self.term_of(pool, value, whole);
                    let part = pool.extract(e, skip as Width * 8, len as Width * 8);
                    visit(pool, ValuePart::Term(part));
                }
                ContentsPiece::Empty(_) => match self.arrays.and_then(|a| a.region_at(at)) {
                    Some(view) => {
                        let (loaded, got) = view.load_at(pool, at, n);
                        n = got;
                        visit(pool, ValuePart::Beneath(loaded));
                    }
                    None if let Some(list) = self.list => {
                        let loaded = list.load_at(pool, self, at, n);
                        visit(pool, ValuePart::Beneath(loaded));
                    }
                    None => {
                        n = self.outside_region(at, n);
                        visit(pool, ValuePart::Unwritten(at, n));
                    }
                },
            }
            at += n as u64;
        }
        None
    }

    /// Reports whether an empty byte at this offset may have its value in an array or in a record.
    pub fn in_region(&self, at: u64) -> bool {
        self.list.is_some() || self.arrays.is_some_and(|a| a.region_at(at).is_some())
    }

    /// Reports whether empty bytes are unwritten everywhere.
    pub fn shows_nothing(&self) -> bool {
        self.list.is_none() && !self.has_regions()
    }

    /// Reports whether the object has regions.
    pub fn has_regions(&self) -> bool {
        self.arrays.is_some_and(Arrays::has_regions)
    }

    /// Returns how many of `n` bytes, from an offset outside of the regions, lie before the next
    /// region.
    pub fn outside_region(&self, at: u64, n: usize) -> usize {
        match self.arrays.and_then(|a| a.next_region(at)) {
            Some(lo) => n.min((lo - at) as usize),
            None => n,
        }
    }

    /// Returns how many of `n` bytes, in a cell or in the region, are best read as one value.
    pub fn chunk(&self, at: u64, n: usize) -> usize {
        match self.arrays.and_then(|a| a.region_at(at)) {
            Some(view) => n.min(view.rest_of_element(at)),
            // Not across where a pointer may end.
            None if self.list.is_some() => n.min(8 - (at % 8) as usize),
            None => n,
        }
    }

    /// Returns the first offset in a range that is not certainly written.
    pub fn first_uninit(&self, pool: &Pool, offset: u64, len: u64) -> Option<u64> {
        let (mut at, end) = (offset, offset + len);
        while at < end {
            let piece = self.contents.piece(at, end - at);
            let n = piece.len() as u64;
            match piece {
                ContentsPiece::Bytes(_) => {}
                ContentsPiece::Cell {
                    value: Value::Undef,
                    ..
                } => return Some(at),
                ContentsPiece::Cell {
                    value: Value::Expr(e),
                    ..
                } if pool.has_uninit(e) => return Some(at),
                ContentsPiece::Cell { .. } => {}
                ContentsPiece::Empty(_) => {
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
