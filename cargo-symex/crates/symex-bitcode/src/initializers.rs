//! Translation of initial contents of globals: bytes, undef ranges and relocations.
//!
//! Contents without a form (an expression other than an address or a difference of addresses) are
//! an error with a reason; the caller then declares the global without contents, which the executor
//! reports on access.

use super::constants::{KnownConstant, Symbols, wide_parts};
use super::ll::{T, TypeKind, V, ValueKind};
use symex_program::{Init, Reloc};

/// Translates the contents of a global of `size` bytes.
pub fn translate(symbols: &Symbols, value: V, size: u64) -> Result<Init, String> {
    let mut writer = InitializerWriter {
        symbols,
        init: Init::default(),
        size,
    };
    writer.value(value, 0)?;
    let mut init = writer.init;
    while init.bytes.last() == Some(&0) {
        init.bytes.pop();
    }
    init.bytes.shrink_to_fit();
    init.relocs.sort_by_key(|r| r.offset);
    Ok(init)
}

struct InitializerWriter<'a> {
    symbols: &'a Symbols,
    init: Init,
    size: u64,
}

impl InitializerWriter<'_> {
    fn value(&mut self, v: V, at: u64) -> Result<(), String> {
        let ty = v.ty();
        match v.kind() {
            ValueKind::ConstantAggregateZero | ValueKind::ConstantPointerNull => Ok(()),
            ValueKind::Undef | ValueKind::Poison => {
                self.undef(at, self.symbols.layout.size(ty));
                Ok(())
            }
            ValueKind::ConstantDataArray | ValueKind::ConstantDataVector => {
                self.bytes(at, &v.raw_data());
                Ok(())
            }
            ValueKind::ConstantStruct => {
                for i in 0..v.operand_count() {
                    let offset = self.symbols.layout.offset(ty, i);
                    self.value(v.operand(i), at + offset)?;
                }
                Ok(())
            }
            ValueKind::ConstantArray => {
                let stride = self.symbols.layout.size(ty.element());
                for i in 0..v.operand_count() {
                    self.value(v.operand(i), at + u64::from(i) * stride)?;
                }
                Ok(())
            }
            ValueKind::ConstantVector => self.vector(v, ty, at),
            ValueKind::ConstantInt if ty.int_bits() > 128 => {
                let width = ty.int_bits();
                let parts = wide_parts(v, width).ok_or("a wide integer that cannot be read")?;
                let bytes: Vec<u8> = parts.iter().flat_map(|p| p.to_le_bytes()).collect();
                self.bytes(at, &bytes[..width.div_ceil(8) as usize]);
                Ok(())
            }
            _ => self.scalar(v, at),
        }
    }

    fn vector(&mut self, v: V, ty: T, at: u64) -> Result<(), String> {
        let lane_bits = self.symbols.layout.bits(ty.element());
        if lane_bits.is_multiple_of(8) {
            for i in 0..v.operand_count() {
                self.value(v.operand(i), at + u64::from(i) * lane_bits / 8)?;
            }
            return Ok(());
        }
        let mut packed = vec![0u8; (u64::from(v.operand_count()) * lane_bits).div_ceil(8) as usize];
        for i in 0..v.operand_count() {
            let lane = match self.symbols.fold(v.operand(i)) {
                Some(KnownConstant::Int(n, _)) => n,
                Some(KnownConstant::Undef) => 0,
                _ => return Err("addresses in a packed vector".to_owned()),
            };
            for bit in 0..lane_bits {
                let to = u64::from(i) * lane_bits + bit;
                packed[(to / 8) as usize] |= ((lane >> bit) as u8 & 1) << (to % 8);
            }
        }
        self.bytes(at, &packed);
        Ok(())
    }

    fn scalar(&mut self, v: V, at: u64) -> Result<(), String> {
        match self.symbols.fold(v) {
            Some(KnownConstant::Int(n, width)) => {
                self.bytes(at, &n.to_le_bytes()[..width.div_ceil(8) as usize]);
                Ok(())
            }
            Some(KnownConstant::Address(target, addend)) => {
                self.init.relocs.push(Reloc {
                    offset: at,
                    size: 8,
                    target,
                    addend,
                    minus: None,
                });
                Ok(())
            }
            Some(KnownConstant::Difference {
                width: width @ (32 | 64),
                plus,
                minus,
                offset,
            }) => {
                self.init.relocs.push(Reloc {
                    offset: at,
                    size: (width / 8) as u8,
                    target: plus,
                    addend: offset,
                    minus: Some((minus, 0)),
                });
                Ok(())
            }
            Some(KnownConstant::Undef) => {
                self.undef(at, self.symbols.layout.size(v.ty()));
                Ok(())
            }
            Some(KnownConstant::Difference { .. }) | None => {
                // The text of an expression names what it is about; that of anything else may be
                // long.
                let what = match v.ty().kind() {
                    TypeKind::Pointer | TypeKind::Integer => v.print(),
                    _ => "a constant of unknown kind".to_owned(),
                };
                Err(what)
            }
        }
    }

    fn bytes(&mut self, at: u64, bytes: &[u8]) {
        let end = (at as usize + bytes.len()).min(self.size as usize);
        if self.init.bytes.len() < end {
            self.init.bytes.resize(end, 0);
        }
        self.init.bytes[at as usize..end].copy_from_slice(&bytes[..end - at as usize]);
    }

    fn undef(&mut self, at: u64, len: u64) {
        if len == 0 {
            return;
        }
        match self.init.undef.last_mut() {
            Some(last) if last.1 == at => last.1 = at + len,
            _ => self.init.undef.push((at, at + len)),
        }
    }
}
