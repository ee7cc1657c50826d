//! What can go wrong with an access: data, and a line that explains it. Who finds out is the executor.

use crate::expr::ObjectId;

/// A misuse of memory by the analysed program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// An access (or pointer) outside of its object.
    OutOfBounds {
        object: ObjectId,
        /// Of the first byte, as an unsigned word; a small negative offset is a huge number.
        offset: u64,
        /// Bytes accessed.
        bytes: u64,
        /// Bytes of the object.
        size: u64,
        write: bool,
    },
    /// An access of an object that has ended.
    UseAfterFree {
        object: ObjectId,
        offset: u64,
        write: bool,
    },
    /// An object that has ended was freed again.
    DoubleFree {
        object: ObjectId,
    },
    /// Free of something that is not the start of a heap object.
    InvalidFree {
        object: Option<ObjectId>,
        offset: u64,
    },
    /// An access through the null pointer or an address next to it.
    NullAccess {
        address: u64,
        write: bool,
    },
    /// An access through an address at which there is no object.
    WildAccess {
        address: u64,
        write: bool,
    },
    ReadOnlyWrite {
        object: ObjectId,
        offset: u64,
    },
    /// An access at an address that its type does not allow.
    Misaligned {
        object: ObjectId,
        offset: u64,
        required_log2: u8,
    },
    /// A decision or an address depends on bytes that nobody wrote.
    UninitUse {
        object: Option<ObjectId>,
        offset: u64,
    },
    /// An object was freed with another size than it was allocated with.
    WrongSizeFree {
        object: ObjectId,
        size: u64,
        given: u64,
    },
    /// An object was freed with another alignment than it was allocated with.
    WrongAlignFree {
        object: ObjectId,
        align_log2: u8,
        given_log2: u8,
    },
    /// A function was read or written as if it were data, or data was called.
    WrongKind {
        object: ObjectId,
    },
    /// A copy that must not overlap does.
    Overlap {
        object: ObjectId,
        bytes: u64,
    },
    /// An object that nothing refers to any more was never freed.
    Leak {
        object: ObjectId,
        size: u64,
    },
}

impl Fault {
    /// A stable name for machines.
    pub fn name(&self) -> &'static str {
        match self {
            Fault::OutOfBounds { .. } => "out-of-bounds",
            Fault::UseAfterFree { .. } => "use-after-free",
            Fault::DoubleFree { .. } => "double-free",
            Fault::InvalidFree { .. } => "invalid-free",
            Fault::NullAccess { .. } => "null-access",
            Fault::WildAccess { .. } => "wild-access",
            Fault::ReadOnlyWrite { .. } => "read-only-write",
            Fault::Misaligned { .. } => "misaligned",
            Fault::UninitUse { .. } => "uninitialised-use",
            Fault::WrongSizeFree { .. } => "wrong-size-free",
            Fault::WrongAlignFree { .. } => "wrong-alignment-free",
            Fault::WrongKind { .. } => "wrong-kind",
            Fault::Overlap { .. } => "overlapping-copy",
            Fault::Leak { .. } => "leak",
        }
    }

    /// The object it is about.
    pub fn object(&self) -> Option<ObjectId> {
        match *self {
            Fault::OutOfBounds { object, .. }
            | Fault::UseAfterFree { object, .. }
            | Fault::DoubleFree { object }
            | Fault::ReadOnlyWrite { object, .. }
            | Fault::Misaligned { object, .. }
            | Fault::WrongSizeFree { object, .. }
            | Fault::WrongAlignFree { object, .. }
            | Fault::WrongKind { object }
            | Fault::Overlap { object, .. }
            | Fault::Leak { object, .. } => Some(object),
            Fault::InvalidFree { object, .. } | Fault::UninitUse { object, .. } => object,
            Fault::NullAccess { .. } | Fault::WildAccess { .. } => None,
        }
    }

    /// What happened, in one line without a full stop. Objects are not named: the report knows where they come from.
    pub fn explain(&self) -> String {
        match *self {
            Fault::OutOfBounds {
                offset,
                bytes,
                size,
                write,
                ..
            } => {
                let what = access(write);
                let object = plural(size, "byte");
                let n = plural(bytes, "byte");
                match offset as i64 {
                    before @ ..0 => format!(
                        "{what} of {n} that begins {} before an object of {object}",
                        plural(before.unsigned_abs(), "byte")
                    ),
                    at if at as u64 >= size => format!(
                        "{what} of {n} that begins {} past the end of an object of {object}",
                        plural(at as u64 - size, "byte")
                    ),
                    at => format!(
                        "{what} of {n} at offset {at} that runs past the end of an object of {object}"
                    ),
                }
            }
            Fault::UseAfterFree { offset, write, .. } => {
                format!(
                    "{} at offset {} of an object that has ended",
                    access(write),
                    offset as i64
                )
            }
            Fault::DoubleFree { .. } => "free of memory that was freed before".into(),
            Fault::InvalidFree { object: None, .. } => {
                "free of an address that was never allocated".into()
            }
            Fault::InvalidFree { offset: 0, .. } => {
                "free of memory that does not come from the heap".into()
            }
            Fault::InvalidFree { offset, .. } => format!(
                "free of an address inside an object, at offset {}",
                offset as i64
            ),
            Fault::NullAccess { address: 0, write } => {
                format!("{} through a null pointer", access(write))
            }
            Fault::NullAccess { address, write } => format!(
                "{} through a pointer that is null plus {address}",
                access(write)
            ),
            Fault::WildAccess { address, write } => format!(
                "{} through the address {address:#x}, where there is no object",
                access(write)
            ),
            Fault::ReadOnlyWrite { offset, .. } => {
                format!("write at offset {} of read-only memory", offset as i64)
            }
            Fault::Misaligned {
                offset,
                required_log2,
                ..
            } => format!(
                "access at offset {} that is not aligned to {}",
                offset as i64,
                plural(
                    1u64.checked_shl(u32::from(required_log2)).unwrap_or(0),
                    "byte"
                )
            ),
            Fault::UninitUse {
                object: Some(_),
                offset,
            } => format!(
                "use of memory that was never written, at offset {}",
                offset as i64
            ),
            Fault::UninitUse { object: None, .. } => "use of an undefined value".into(),
            Fault::WrongSizeFree { size, given, .. } => format!(
                "free of an object of {} as if it had {given}",
                plural(size, "byte")
            ),
            Fault::WrongAlignFree {
                align_log2,
                given_log2,
                ..
            } => format!(
                "free of an object aligned to {} as if it were aligned to {}",
                plural(1u64.checked_shl(u32::from(align_log2)).unwrap_or(0), "byte"),
                1u64.checked_shl(u32::from(given_log2)).unwrap_or(0)
            ),
            Fault::WrongKind { .. } => "function used as data, or data called as a function".into(),
            Fault::Overlap { bytes, .. } => {
                format!(
                    "copy of {} between ranges that overlap",
                    plural(bytes, "byte")
                )
            }
            Fault::Leak { size, .. } => {
                format!("an object of {} is never freed", plural(size, "byte"))
            }
        }
    }
}

fn access(write: bool) -> &'static str {
    if write { "write" } else { "read" }
}

fn plural(n: u64, noun: &str) -> String {
    if n == 1 {
        format!("1 {noun}")
    } else {
        format!("{n} {noun}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_where() {
        let at = |offset: u64| Fault::OutOfBounds {
            object: ObjectId(3),
            offset,
            bytes: 4,
            size: 16,
            write: true,
        };
        assert_eq!(
            at(16).explain(),
            "write of 4 bytes that begins 0 bytes past the end of an object of 16 bytes"
        );
        assert_eq!(
            at(14).explain(),
            "write of 4 bytes at offset 14 that runs past the end of an object of 16 bytes"
        );
        assert_eq!(
            at(1u64.wrapping_neg()).explain(),
            "write of 4 bytes that begins 1 byte before an object of 16 bytes"
        );
        assert_eq!(at(16).object(), Some(ObjectId(3)));
        assert_eq!(at(16).name(), "out-of-bounds");
        let null = Fault::NullAccess {
            address: 0,
            write: false,
        };
        assert_eq!(null.explain(), "read through a null pointer");
        assert_eq!(null.object(), None);
    }
}
