//! Reads the description that `#[symex::harness]` emits for a harness: the initial memory of the
//! global `…::__symex_<name>::META`.
//!
//! The layout is that of [`Meta`]; the version comes first, so that any other version is detected
//! before anything else is read. Nothing is executed.

use crate::harness::{Attribute, HarnessKind, TestHarness};
use std::mem::offset_of;
use std::path::PathBuf;
use std::time::Duration;
use symex_abi::{FLAG_IGNORED, FLAG_KANI_PROOF, FLAG_SHOULD_PANIC, Meta, Str, VERSION};
use symex_program::{GlobalId, Program, RelocTarget};

// Offsets are taken of the layout that this tool is compiled for, and they are those of the target:
// `Meta` is laid out as C does it, of integers of fixed sizes, pointers and lengths, so all that
// matters is that both have pointers of 64 bits and align `u64` by eight bytes. The engine knows
// no other targets, and none whose numbers are not little-endian.
const _: () = assert!(size_of::<usize>() == 8 && align_of::<u64>() == 8);

/// Reasons for which a harness's description cannot be used. Text reads after "failed to read a
/// harness's description: ".
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetaError {
    /// The runtime has another version than this tool.
    #[error("symex-runtime has interface version {found}, this cargo-symex has {VERSION}")]
    Version { found: u32 },
    /// The description does not have the form that the macro writes.
    #[error("{0}")]
    Malformed(String),
}

/// Reads the harness described by a global. The caller fills in name, package, target and native
/// executable.
pub fn read(program: &Program, id: GlobalId) -> Result<TestHarness, MetaError> {
    let meta = GlobalView { program, id };
    let version = meta.u32(offset_of!(Meta, version))?;
    if version != VERSION {
        return Err(MetaError::Version { found: version });
    }
    let flags = meta.u32(offset_of!(Meta, flags))?;
    let nonzero = |offset| meta.u64(offset).map(|value| (value != 0).then_some(value));
    let text_or_none = |offset| {
        meta.text(offset)
            .map(|text| (!text.is_empty()).then_some(text))
    };
    let attribute = Attribute {
        timeout: nonzero(offset_of!(Meta, timeout_ms))?.map(Duration::from_millis),
        max_paths: nonzero(offset_of!(Meta, max_paths))?,
        max_steps: nonzero(offset_of!(Meta, max_steps))?,
        max_instructions: nonzero(offset_of!(Meta, max_instructions))?,
        max_queries: nonzero(offset_of!(Meta, max_queries))?,
        max_memory: nonzero(offset_of!(Meta, max_memory))?,
        memory_model: text_or_none(offset_of!(Meta, memory_model))?,
    };
    let expected = meta.text(offset_of!(Meta, should_panic_expected))?;
    Ok(TestHarness {
        function: meta.text(offset_of!(Meta, name))?,
        module: meta.text(offset_of!(Meta, module))?,
        file: meta.text(offset_of!(Meta, file))?,
        line: meta.u32(offset_of!(Meta, line))?,
        column: meta.u32(offset_of!(Meta, column))?,
        manifest_dir: PathBuf::from(meta.text(offset_of!(Meta, manifest_dir))?),
        regressions: text_or_none(offset_of!(Meta, regressions))?.map(PathBuf::from),
        args: meta.text(offset_of!(Meta, args))?,
        should_panic: (flags & FLAG_SHOULD_PANIC != 0).then_some(expected),
        ignored: flags & FLAG_IGNORED != 0,
        attribute,
        kind: match flags & FLAG_KANI_PROOF {
            0 => HarnessKind::Harness,
            _ => HarnessKind::KaniProof,
        },
        ..TestHarness::default()
    })
}

/// View of the initial memory of a global.
struct GlobalView<'a> {
    program: &'a Program,
    id: GlobalId,
}

impl GlobalView<'_> {
    fn malformed(&self, what: &str) -> MetaError {
        let name = &self.program.global(self.id).display;
        MetaError::Malformed(format!("{name} {what}"))
    }

    fn bytes(&self, id: GlobalId, start: u64, len: u64) -> Result<Vec<u8>, MetaError> {
        let global = self.program.global(id);
        let init = global
            .init
            .as_ref()
            .ok_or_else(|| self.malformed("is not defined"))?;
        let end = start.checked_add(len).filter(|&end| end <= global.size);
        let end = end.ok_or_else(|| self.malformed("is too short"))?;
        // Bytes past the stored ones are zero.
        Ok((start..end)
            .map(|at| init.bytes.get(at as usize).copied().unwrap_or(0))
            .collect())
    }

    /// Returns the bytes of a number in the description.
    fn number<const SIZE: usize>(&self, offset: usize) -> Result<[u8; SIZE], MetaError> {
        let bytes = self.bytes(self.id, offset as u64, SIZE as u64)?;
        bytes.try_into().map_err(|_| self.malformed("is too short"))
    }

    fn u32(&self, offset: usize) -> Result<u32, MetaError> {
        self.number(offset).map(u32::from_le_bytes)
    }

    fn u64(&self, offset: usize) -> Result<u64, MetaError> {
        self.number(offset).map(u64::from_le_bytes)
    }

    /// Returns the text of the [`Str`] at `offset`.
    fn text(&self, offset: usize) -> Result<String, MetaError> {
        let len = self.u64(offset + offset_of!(Str, len))?;
        if len == 0 {
            return Ok(String::new());
        }
        let relocs = self
            .program
            .global(self.id)
            .init
            .iter()
            .flat_map(|init| &init.relocs);
        let at = (offset + offset_of!(Str, ptr)) as u64;
        let pointer = relocs.into_iter().find(|reloc| reloc.offset == at);
        let pointer = pointer.ok_or_else(|| self.malformed("has a string without address"))?;
        let RelocTarget::Global(target) = pointer.target else {
            return Err(self.malformed("has a string in a function"));
        };
        String::from_utf8(self.bytes(target, pointer.addend, len)?)
            .map_err(|_| self.malformed("has a string that is not UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex::abi;
    use symex_program::{Global, Init, Reloc};

    fn global(size: u64, init: Init) -> Global {
        Global {
            name: String::new(),
            display: "krate::tests::__symex_f::META".into(),
            size,
            align: 8,
            constant: true,
            thread_local: false,
            rust: true,
            init: Some(init),
        }
    }

    /// Returns a program whose first global is a description with the given texts at the given
    /// offsets.
    fn program(
        version: u32,
        flags: u32,
        numbers: &[(usize, u64)],
        texts: &[(usize, &str)],
    ) -> Program {
        let mut bytes = vec![0; size_of::<abi::Meta>()];
        bytes[0..4].copy_from_slice(&version.to_le_bytes());
        bytes[4..8].copy_from_slice(&flags.to_le_bytes());
        for &(offset, number) in numbers {
            bytes[offset..offset + 8].copy_from_slice(&number.to_le_bytes());
        }
        let mut relocs = Vec::new();
        // All texts lie in one global, behind a byte that belongs to none.
        let mut pool = b"?".to_vec();
        for &(offset, text) in texts {
            relocs.push(Reloc {
                offset: offset as u64,
                size: 8,
                target: RelocTarget::Global(GlobalId(1)),
                addend: pool.len() as u64,
                minus: None,
            });
            bytes[offset + 8..offset + 16].copy_from_slice(&(text.len() as u64).to_le_bytes());
            pool.extend(text.bytes());
        }
        let size = bytes.len() as u64;
        let meta = global(
            size,
            Init {
                bytes,
                undef: Vec::new(),
                relocs,
            },
        );
        let size = pool.len() as u64;
        let texts = global(
            size,
            Init {
                bytes: pool,
                undef: Vec::new(),
                relocs: Vec::new(),
            },
        );
        Program {
            globals: vec![meta, texts],
            ..Program::default()
        }
    }

    #[test]
    fn everything_is_read_from_where_the_runtime_puts_it() {
        let numbers = [
            (offset_of!(abi::Meta, timeout_ms), 1500),
            (offset_of!(abi::Meta, max_paths), 2),
            (offset_of!(abi::Meta, max_steps), 3),
            (offset_of!(abi::Meta, max_memory), 4),
            (offset_of!(abi::Meta, max_instructions), 6),
            (offset_of!(abi::Meta, max_queries), 7),
            (offset_of!(abi::Meta, line), 21 | 9 << 32),
        ];
        assert_eq!(
            offset_of!(abi::Meta, column),
            offset_of!(abi::Meta, line) + 4
        );
        let texts = [
            (offset_of!(abi::Meta, name), "f"),
            (offset_of!(abi::Meta, module), "krate::tests"),
            (offset_of!(abi::Meta, file), "src/lib.rs"),
            (offset_of!(abi::Meta, manifest_dir), "/home/krate"),
            (offset_of!(abi::Meta, regressions), "symex-regressions/f.rs"),
            (offset_of!(abi::Meta, args), "x: u8"),
            (offset_of!(abi::Meta, should_panic_expected), "too long"),
            (offset_of!(abi::Meta, memory_model), "forking"),
        ];
        let flags = abi::FLAG_SHOULD_PANIC | abi::FLAG_IGNORED;
        let harness = read(&program(abi::VERSION, flags, &numbers, &texts), GlobalId(0)).unwrap();
        assert_eq!(harness.path(), "tests::f");
        assert_eq!(
            (harness.file.as_str(), harness.line, harness.column),
            ("src/lib.rs", 21, 9)
        );
        assert_eq!(harness.manifest_dir, PathBuf::from("/home/krate"));
        assert_eq!(
            harness.regressions,
            Some(PathBuf::from("symex-regressions/f.rs"))
        );
        assert_eq!(harness.args, "x: u8");
        assert_eq!(harness.should_panic.as_deref(), Some("too long"));
        assert!(harness.ignored);
        let attribute = harness.attribute;
        assert_eq!(attribute.timeout, Some(Duration::from_millis(1500)));
        assert_eq!(
            (attribute.max_paths, attribute.max_steps),
            (Some(2), Some(3))
        );
        assert_eq!(attribute.max_memory, Some(4));
        assert_eq!(attribute.max_instructions, Some(6));
        assert_eq!(attribute.max_queries, Some(7));
        assert_eq!(attribute.memory_model.as_deref(), Some("forking"));
    }

    #[test]
    fn unset_is_none() {
        let harness = read(&program(VERSION, 0, &[], &[]), GlobalId(0)).unwrap();
        assert_eq!(harness.should_panic, None);
        assert_eq!(harness.attribute.timeout, None);
        assert_eq!(harness.regressions, None);
        assert!(!harness.ignored);
    }

    #[test]
    fn another_version_is_noticed_first() {
        let error = read(&program(9, 0, &[], &[]), GlobalId(0)).unwrap_err();
        assert_eq!(error, MetaError::Version { found: 9 });
    }

    #[test]
    fn nonsense_is_an_error() {
        let mut short = program(VERSION, 0, &[], &[]);
        short.globals[0].size = 40;
        assert!(matches!(
            read(&short, GlobalId(0)),
            Err(MetaError::Malformed(_))
        ));
        let wild = program(VERSION, 0, &[(offset_of!(abi::Meta, name) + 8, 5)], &[]);
        assert!(matches!(
            read(&wild, GlobalId(0)),
            Err(MetaError::Malformed(_))
        ));
    }
}
