//! Storage of programs on disk, for caches: a header that names the form, then postcard.
//!
//! The form's version is a hash of the sources that define it, so a program written by another
//! build of the tool is never misread: it is refused, and the caller translates anew. A hash of the
//! contents reveals damage.

use super::Program;

const MAGIC: &[u8; 8] = b"symexprg";
const HASH: usize = 32;

/// Reason why a stored program cannot be used. The texts follow "failed to".
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error("recognise a stored program")]
    NotAProgram,
    #[error("use a stored program of another version of the tool")]
    OtherVersion,
    #[error("use a stored program that is damaged")]
    Damaged,
    #[error("write a program: {0}")]
    Write(String),
}

/// Returns the version of the form. Any change of its definition changes it.
fn version() -> [u8; HASH] {
    let mut hasher = blake3::Hasher::new();
    for source in [
        include_str!("lib.rs"),
        include_str!("function.rs"),
        include_str!("global.rs"),
        include_str!("inst.rs"),
        include_str!("loc.rs"),
        include_str!("part.rs"),
    ] {
        hasher.update(source.as_bytes());
    }
    *hasher.finalize().as_bytes()
}

/// Bytes behind a header: the name of the form, its version, and a hash of the bytes that follow.
pub(super) struct Sealed(Vec<u8>);

/// Size of the header in bytes.
const HEADER: usize = MAGIC.len() + HASH + HASH;

impl Sealed {
    /// Starts an empty file.
    pub fn new() -> Sealed {
        let mut out = Vec::with_capacity(1 << 20);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&version());
        out.extend_from_slice(&[0; HASH]);
        Sealed(out)
    }

    pub fn extend(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Completes the header and returns all bytes.
    pub fn finish(mut self) -> Vec<u8> {
        let hash = blake3::hash(&self.0[HEADER..]);
        self.0[HEADER - HASH..HEADER].copy_from_slice(hash.as_bytes());
        self.0
    }

    /// Checks the header and returns the bytes behind it.
    pub fn open(bytes: &[u8]) -> Result<&[u8], StoreError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(StoreError::NotAProgram)?;
        let (stored_version, rest) = rest.split_at_checked(HASH).ok_or(StoreError::NotAProgram)?;
        if stored_version != version() {
            return Err(StoreError::OtherVersion);
        }
        let (hash, contents) = rest.split_at_checked(HASH).ok_or(StoreError::Damaged)?;
        if blake3::hash(contents).as_bytes() != hash {
            return Err(StoreError::Damaged);
        }
        Ok(contents)
    }
}

/// Serialises a program.
pub fn save(program: &Program) -> Result<Vec<u8>, StoreError> {
    let Sealed(out) = Sealed::new();
    let out = postcard::to_extend(program, out).map_err(|e| StoreError::Write(e.to_string()))?;
    Ok(Sealed(out).finish())
}

/// Loads a program that [`save`] wrote.
pub fn load(bytes: &[u8]) -> Result<Program, StoreError> {
    postcard::from_bytes(Sealed::open(bytes)?).map_err(|_| StoreError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Program {
        Program {
            reasons: vec!["because".to_owned()],
            ..Program::default()
        }
    }

    #[test]
    fn what_was_saved_is_loaded() {
        let bytes = save(&program()).unwrap();
        assert_eq!(load(&bytes).unwrap().reasons, ["because"]);
    }

    #[test]
    fn other_contents_are_refused() {
        let good = save(&program()).unwrap();
        assert_eq!(load(b"").unwrap_err(), StoreError::NotAProgram);
        assert_eq!(load(b"BC..").unwrap_err(), StoreError::NotAProgram);
        let mut other = good.clone();
        other[8] ^= 1;
        assert_eq!(load(&other).unwrap_err(), StoreError::OtherVersion);
        let mut damaged = good.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert_eq!(load(&damaged).unwrap_err(), StoreError::Damaged);
        assert_eq!(
            load(&good[..good.len() - 1]).unwrap_err(),
            StoreError::Damaged
        );
    }
}
