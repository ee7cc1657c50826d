//! Translation of intrinsics of x86-64 that common crates contain: masks of sign bits, packing,
//! byte shuffles, fences.

use super::super::ll::V;
use super::{Builder, Ops, Reason};
use symex_program::{Bin, Cmp, Inst, Operand, Ordering};

impl Builder<'_> {
    /// Translates an intrinsic of x86, given by the rest of its name behind `llvm.x86.`; `None` if
    /// not listed.
    pub(super) fn x86(&mut self, v: V, what: &str) -> Result<Option<Ops>, Reason> {
        let ops = match what {
            "sse2.pause" => {
                self.emit(Inst::Pause);
                Ops::new()
            }
            "sse.sfence" | "sse2.lfence" | "sse2.mfence" => {
                let order = Ordering::SeqCst;
                self.emit(Inst::Fence { order });
                Ops::new()
            }
            "sse2.pmovmskb.128" | "avx2.pmovmskb" | "sse.movmsk.ps" | "sse2.movmsk.pd"
            | "avx.movmsk.ps.256" | "avx.movmsk.pd.256" => self.sign_mask(v)?,
            "sse2.packsswb.128" => self.pack(v, 16, 8, -128, 127)?,
            "sse2.packuswb.128" => self.pack(v, 16, 8, 0, 255)?,
            "sse2.packssdw.128" => self.pack(v, 32, 16, -32768, 32767)?,
            "sse41.packusdw" => self.pack(v, 32, 16, 0, 65535)?,
            "ssse3.pshuf.b.128" | "avx2.pshuf.b" => self.shuffle_bytes(v)?,
            "sse2.psad.bw" | "avx2.psad.bw" => self.sum_differences(v)?,
            "sse2.pmadd.wd" | "avx2.pmadd.wd" => self.multiply_add(v)?,
            "sse2.pmulh.w" | "avx2.pmulh.w" => self.multiply_high(v, true)?,
            "sse2.pmulhu.w" | "avx2.pmulhu.w" => self.multiply_high(v, false)?,
            "addcarry.32" => self.with_carry(v, 32, Bin::Add)?,
            "addcarry.64" => self.with_carry(v, 64, Bin::Add)?,
            "subborrow.32" => self.with_carry(v, 32, Bin::Sub)?,
            "subborrow.64" => self.with_carry(v, 64, Bin::Sub)?,
            "sse2.psll.w" | "sse2.pslli.w" => self.shift_lanes(v, 16, Bin::Shl)?,
            "sse2.psll.d" | "sse2.pslli.d" => self.shift_lanes(v, 32, Bin::Shl)?,
            "sse2.psll.q" | "sse2.pslli.q" => self.shift_lanes(v, 64, Bin::Shl)?,
            "sse2.psrl.w" | "sse2.psrli.w" => self.shift_lanes(v, 16, Bin::LShr)?,
            "sse2.psrl.d" | "sse2.psrli.d" => self.shift_lanes(v, 32, Bin::LShr)?,
            "sse2.psrl.q" | "sse2.psrli.q" => self.shift_lanes(v, 64, Bin::LShr)?,
            "sse2.psra.w" | "sse2.psrai.w" => self.shift_lanes(v, 16, Bin::AShr)?,
            "sse2.psra.d" | "sse2.psrai.d" => self.shift_lanes(v, 32, Bin::AShr)?,
            _ => return Ok(None),
        };
        Ok(Some(ops))
    }

    /// Packs the sign bits of all lanes into a number.
    fn sign_mask(&mut self, v: V) -> Result<Ops, Reason> {
        let w = u32::from(self.type_of(v.operand(0))?.lanes()?.0.width()?);
        let lanes = self.ops(v.operand(0))?;
        let bits: Vec<(Operand, u32)> = lanes
            .iter()
            .map(|&lane| (self.extract(lane, w, w - 1, 1), 1))
            .collect();
        let mask = self.concat(&bits);
        let mask = self.resize(mask, bits.len() as u8, 32, false);
        Ok(Ops::from_elem(mask, 1))
    }

    /// Narrows the lanes of both operands to half the width, saturating to a signed range.
    fn pack(&mut self, v: V, from: u8, to: u8, low: i64, high: i64) -> Result<Ops, Reason> {
        let low = self.int(low as u128, u32::from(from));
        let high = self.int(high as u128, u32::from(from));
        let mut out = Ops::new();
        for i in 0..2 {
            for lane in self.ops(v.operand(i))? {
                let above = self.bin(Bin::SMax, from, lane, low);
                let within = self.bin(Bin::SMin, from, above, high);
                out.push(self.resize(within, from, to, false));
            }
        }
        Ok(out)
    }

    /// Shuffles bytes: each byte picks one of the 16 of its group by its low four bits, or zero if
    /// its top bit is set.
    fn shuffle_bytes(&mut self, v: V) -> Result<Ops, Reason> {
        let (bytes, picks) = (self.ops(v.operand(0))?, self.ops(v.operand(1))?);
        let zero = self.int(0, 8);
        let low = self.int(15, 8);
        let mut out = Ops::new();
        for (i, &pick) in picks.iter().enumerate() {
            let group = &bytes[i / 16 * 16..i / 16 * 16 + 16];
            if let Some(n) = self.known_int(pick) {
                out.push(if n & 0x80 != 0 {
                    zero
                } else {
                    group[n as usize & 15]
                });
                continue;
            }
            let index = self.bin(Bin::And, 8, pick, low);
            let mut chosen = group[0];
            for (n, &byte) in group.iter().enumerate().skip(1) {
                let number = self.int(n as u128, 8);
                let here = self.cmp(Cmp::Eq, 8, index, number);
                chosen = self.select(8, here, byte, chosen);
            }
            let cleared = self.extract(pick, 8, 7, 1);
            out.push(self.select(8, cleared, zero, chosen));
        }
        Ok(out)
    }

    /// Sums the absolute differences of eight bytes each.
    fn sum_differences(&mut self, v: V) -> Result<Ops, Reason> {
        let (a, b) = (self.ops(v.operand(0))?, self.ops(v.operand(1))?);
        let mut out = Ops::new();
        for (a, b) in a.chunks(8).zip(b.chunks(8)) {
            let mut sum = self.int(0, 64);
            for (&a, &b) in a.iter().zip(b) {
                let more = self.bin(Bin::UMax, 8, a, b);
                let less = self.bin(Bin::UMin, 8, a, b);
                let difference = self.bin(Bin::Sub, 8, more, less);
                let wide = self.resize(difference, 8, 64, false);
                sum = self.bin(Bin::Add, 64, sum, wide);
            }
            out.push(sum);
        }
        Ok(out)
    }

    /// Multiplies 16-bit lanes to 32 bits, and adds the products in pairs.
    fn multiply_add(&mut self, v: V) -> Result<Ops, Reason> {
        let (a, b) = (self.ops(v.operand(0))?, self.ops(v.operand(1))?);
        let products = self.zip(&a, &b, |s, a, b| {
            let (a, b) = (s.resize(a, 16, 32, true), s.resize(b, 16, 32, true));
            s.bin(Bin::Mul, 32, a, b)
        });
        let mut out = Ops::new();
        for pair in products.chunks(2) {
            out.push(self.bin(Bin::Add, 32, pair[0], pair[1]));
        }
        Ok(out)
    }

    /// Returns the upper halves of products of 16-bit lanes.
    fn multiply_high(&mut self, v: V, signed: bool) -> Result<Ops, Reason> {
        let (a, b) = (self.ops(v.operand(0))?, self.ops(v.operand(1))?);
        Ok(self.zip(&a, &b, |s, a, b| {
            let (a, b) = (s.resize(a, 16, 32, signed), s.resize(b, 16, 32, signed));
            let product = s.bin(Bin::Mul, 32, a, b);
            s.extract(product, 32, 16, 16)
        }))
    }

    /// Adds two numbers and a carry, or subtracts with a borrow: returns the new carry, and the
    /// number.
    fn with_carry(&mut self, v: V, w: u8, op: Bin) -> Result<Ops, Reason> {
        let carry = self.op(v.operand(0))?;
        let (a, b) = (self.op(v.operand(1))?, self.op(v.operand(2))?);
        let zero = self.int(0, 8);
        let carry = self.cmp(Cmp::Ne, 8, carry, zero);
        let carry = self.resize(carry, 1, w, false);
        let first = self.bin(op, w, a, b);
        let second = self.bin(op, w, first, carry);
        // Wrapped, a sum is below, and a difference above, what it began with.
        let wrapped = match op {
            Bin::Add => Cmp::ULt,
            _ => Cmp::UGt,
        };
        let one = self.cmp(wrapped, w, first, a);
        let other = self.cmp(wrapped, w, second, first);
        let out = self.bin(Bin::Or, 1, one, other);
        Ok(Ops::from_iter([self.resize(out, 1, 8, false), second]))
    }

    /// Shifts all lanes by the same distance, given by the low 64 bits of the second operand. From
    /// the lane width on, nothing is left but copies of the sign.
    fn shift_lanes(&mut self, v: V, w: u8, op: Bin) -> Result<Ops, Reason> {
        let lanes = self.ops(v.operand(0))?;
        let by = self.ops(v.operand(1))?;
        // A vector of lanes of that width, or the number itself, of 32 bits.
        let (by, by_width) = match by.len() {
            1 => (by[0], 32),
            n => {
                let low: Vec<_> = by.iter().take(n / 2).map(|&b| (b, u32::from(w))).collect();
                (self.concat(&low), 64)
            }
        };
        let most = self.int(u128::from(w) - 1, u32::from(by_width));
        let beyond = self.cmp(Cmp::UGt, by_width, by, most);
        let within = self.bin(Bin::UMin, by_width, by, most);
        let distance = self.resize(within, by_width, w, false);
        let zero = self.int(0, u32::from(w));
        Ok(lanes
            .iter()
            .map(|&lane| {
                let shifted = self.bin(op, w, lane, distance);
                match op {
                    Bin::AShr => shifted,
                    _ => self.select(w, beyond, zero, shifted),
                }
            })
            .collect())
    }
}
