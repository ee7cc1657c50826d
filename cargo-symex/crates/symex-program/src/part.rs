//! A stored part of many programs: the functions and globals of one crate, which can be loaded one
//! by one.
//!
//! The file starts with a list of signatures, sizes and names. A body or the contents of a global
//! are decoded on request, since a program needs few of a crate's.

use serde::{Deserialize, Serialize};

use super::store::{Sealed, StoreError};
use super::{Body, FuncId, GlobalId, Init, Program};

/// A stored part of programs, with ids of its own.
pub struct Part {
    list: List,
    /// Offset of the first piece in `bytes`.
    start: usize,
    bytes: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct List {
    /// The program without bodies and contents.
    shell: Program,
    /// Position of each function's body behind the list; empty if it has none.
    bodies: Vec<ByteRange>,
    /// Position of each global's contents behind the list; empty if it has none.
    contents: Vec<ByteRange>,
}

/// A range of bytes.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct ByteRange {
    start: u32,
    length: u32,
}

impl Part {
    /// Serialises a program as a part, for [`load`](Self::load).
    pub fn save(mut program: Program) -> Result<Vec<u8>, StoreError> {
        let mut pieces = Vec::new();
        let bodies = program.functions.iter_mut().map(|f| f.body.take());
        let bodies = bodies
            .map(|body| put(&mut pieces, body))
            .collect::<Result<_, _>>()?;
        let contents = program.globals.iter_mut().map(|g| g.init.take());
        let contents = contents
            .map(|init| put(&mut pieces, init))
            .collect::<Result<_, _>>()?;
        let list = List {
            shell: program,
            bodies,
            contents,
        };
        let list = postcard::to_stdvec(&list).map_err(|e| StoreError::Write(e.to_string()))?;
        let mut sealed = Sealed::new();
        sealed.extend(&(list.len() as u64).to_le_bytes());
        sealed.extend(&list);
        sealed.extend(&pieces);
        Ok(sealed.finish())
    }

    /// Loads a part that [`save`](Self::save) wrote.
    pub fn load(bytes: Vec<u8>) -> Result<Part, StoreError> {
        let contents = Sealed::open(&bytes)?;
        let read = || {
            let (length, rest) = contents.split_at_checked(8)?;
            let length = u64::from_le_bytes(length.try_into().ok()?);
            let (list, _) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            let list: List = postcard::from_bytes(list).ok()?;
            Some((list, bytes.len() - rest.len() + length as usize))
        };
        let (list, start) = read().ok_or(StoreError::Damaged)?;
        Ok(Part { list, start, bytes })
    }

    /// Returns the bytes that [`save`](Self::save) wrote.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the part's program without bodies and contents.
    pub fn shell(&self) -> &Program {
        &self.list.shell
    }

    /// Reports whether the part defines the symbol.
    pub fn defines(&self, symbol: &str) -> bool {
        self.function(symbol).is_some() || self.global(symbol).is_some()
    }

    /// Finds the function of this name, if the part defines it.
    pub fn function(&self, symbol: &str) -> Option<FuncId> {
        let id = *self.list.shell.function_names.get(symbol)?;
        self.has_body(id).then_some(id)
    }

    /// Finds the global of this name, if the part defines it.
    pub fn global(&self, symbol: &str) -> Option<GlobalId> {
        let id = *self.list.shell.global_names.get(symbol)?;
        self.has_contents(id).then_some(id)
    }

    pub fn has_body(&self, id: FuncId) -> bool {
        self.list.bodies[id.0 as usize].length > 0
    }

    pub fn has_contents(&self, id: GlobalId) -> bool {
        self.list.contents[id.0 as usize].length > 0
    }

    pub fn body(&self, id: FuncId) -> Result<Body, StoreError> {
        self.piece(self.list.bodies[id.0 as usize])
    }

    pub fn contents(&self, id: GlobalId) -> Result<Init, StoreError> {
        self.piece(self.list.contents[id.0 as usize])
    }

    fn piece<'a, T: Deserialize<'a>>(&'a self, piece: ByteRange) -> Result<T, StoreError> {
        let start = self.start + piece.start as usize;
        let bytes = self.bytes.get(start..start + piece.length as usize);
        let value = bytes.and_then(|bytes| postcard::from_bytes(bytes).ok());
        value.ok_or(StoreError::Damaged)
    }
}

/// Appends a serialised value, if there is one, and returns its position.
fn put<T: Serialize>(to: &mut Vec<u8>, value: Option<T>) -> Result<ByteRange, StoreError> {
    let Some(value) = value else {
        return Ok(ByteRange::default());
    };
    let start = to.len();
    *to = postcard::to_extend(&value, std::mem::take(to))
        .map_err(|e| StoreError::Write(e.to_string()))?;
    let fits = |n: usize| u32::try_from(n).map_err(|e| StoreError::Write(e.to_string()));
    Ok(ByteRange {
        start: fits(start)?,
        length: fits(to.len() - start)?,
    })
}
