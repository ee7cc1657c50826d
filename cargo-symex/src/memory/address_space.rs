//! The objects of one path: identity, liveness, addresses, contents. Cheap to clone (forks share everything).

use crate::expr::{AddressMap, Expr, ObjectId, Pool, Value, Width};
use crate::program::LocId;
use std::rc::Rc;

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    Stack,
    Heap,
    Global,
    /// Read-only global.
    Constant,
    /// A function; its contents cannot be accessed.
    Function,
}

/// Identity of an object: never changes and survives its end.
#[derive(Debug)]
pub struct Object {
    pub id: ObjectId,
    /// Bytes.
    pub size: u64,
    /// Base addresses are multiples of `1 << align_log2`.
    pub align_log2: u8,
    pub kind: ObjectKind,
    /// Where it was allocated.
    pub site: LocId,
    /// The hidden concrete base address.
    pub address: u64,
}

/// Contents at birth.
#[derive(Clone, Debug)]
pub enum Initial {
    Uninit,
    Zero,
    /// Shared with the program; zeros beyond the end.
    Bytes(Rc<[u8]>),
}

/// A request for an object.
#[derive(Clone, Debug)]
pub struct NewObject {
    pub size: u64,
    pub align_log2: u8,
    pub kind: ObjectKind,
    pub site: LocId,
    pub initial: Initial,
}

/// All objects of a path.
#[derive(Clone, Default)]
pub struct AddressSpace {}

impl AddressSpace {
    /// Makes an object; ids ascend from 1 in order of allocation.
    pub fn allocate(&mut self, new: NewObject) -> ObjectId {
        let _ = new;
        todo!()
    }

    /// Ends an object's life; its identity stays known. Its contents are dropped.
    pub fn free(&mut self, id: ObjectId) {
        let _ = id;
        todo!()
    }

    /// Identity of an object of this path, alive or not.
    pub fn object(&self, id: ObjectId) -> &Object {
        let _ = id;
        todo!()
    }

    /// Is it alive?
    pub fn is_live(&self, id: ObjectId) -> bool {
        let _ = id;
        todo!()
    }

    /// The live object whose range `[address, address + size]` holds the address (its end included only if no other
    /// object begins there), with the offset.
    pub fn find(&self, address: u64) -> Option<(ObjectId, u64)> {
        let _ = address;
        todo!()
    }

    /// All live objects in order of address.
    pub fn live(&self) -> Vec<ObjectId> {
        todo!()
    }

    /// Fast path: the value of `bytes` (1, 2, 4, 8) bytes at a concrete offset of a live object if it is in bounds and
    /// one value as it stands (concrete initialised bytes, or exactly one stored value); else `None`, ask [`Self::load`].
    #[inline]
    pub fn load_fast(&self, id: ObjectId, offset: u64, bytes: u32) -> Option<Value> {
        let _ = (id, offset, bytes);
        todo!()
    }

    /// Fast path: stores `bytes` (1, 2, 4, 8) bytes if the object is alive, in bounds and writable; says whether it did.
    #[inline]
    pub fn store_fast(&mut self, id: ObjectId, offset: u64, bytes: u32, value: Value) -> bool {
        let _ = (id, offset, bytes, value);
        todo!()
    }

    /// Loads `width` bits (whole bytes needed are read, little endian) at an offset that is in bounds. Bytes nobody
    /// wrote come as variables of `Origin::Uninit`.
    pub fn load(&self, pool: &mut Pool, id: ObjectId, offset: u64, width: Width) -> Value {
        let _ = (pool, id, offset, width);
        todo!()
    }

    /// The same at a symbolic 64-bit offset, which the path condition keeps in bounds.
    pub fn load_symbolic(
        &mut self,
        pool: &mut Pool,
        id: ObjectId,
        offset: Expr,
        width: Width,
    ) -> Value {
        let _ = (pool, id, offset, width);
        todo!()
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
        let _ = (pool, id, offset, width, value);
        todo!()
    }

    /// The same at a symbolic 64-bit offset, which the path condition keeps in bounds.
    pub fn store_symbolic(
        &mut self,
        pool: &mut Pool,
        id: ObjectId,
        offset: Expr,
        width: Width,
        value: Value,
    ) {
        let _ = (pool, id, offset, width, value);
        todo!()
    }

    /// Copies `len` bytes with their initialisation and symbolic values; ranges are in bounds and may overlap.
    pub fn copy(&mut self, pool: &mut Pool, dst: (ObjectId, u64), src: (ObjectId, u64), len: u64) {
        let _ = (pool, dst, src, len);
        todo!()
    }

    /// Sets `len` bytes to one 8-bit value (`Undef` makes them uninitialised).
    pub fn fill(&mut self, pool: &mut Pool, id: ObjectId, offset: u64, len: u64, value: Value) {
        let _ = (pool, id, offset, len, value);
        todo!()
    }

    /// Concrete bytes of a range in bounds, if all of them are concrete and initialised.
    pub fn concrete_bytes(&self, id: ObjectId, offset: u64, len: u64) -> Option<Vec<u8>> {
        let _ = (id, offset, len);
        todo!()
    }

    /// First offset in the range that nobody wrote.
    pub fn first_uninit(&self, id: ObjectId, offset: u64, len: u64) -> Option<u64> {
        let _ = (id, offset, len);
        todo!()
    }

    /// Bytes that this path's memory takes, shared parts included, roughly.
    pub fn bytes(&self) -> usize {
        todo!()
    }
}

impl AddressMap for AddressSpace {
    fn address(&self, object: ObjectId) -> u64 {
        self.object(object).address
    }
}
