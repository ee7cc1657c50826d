//! Translation of checks: the calls of hooks that [`claims`](super::super::passes::claims) placed.

use super::super::ll::V;
use super::super::passes::claims::{DemandWord, HookKind};
use super::super::types::{Scalar, Type};
use super::{Builder, Ops, Reason};
use symex_program::{Bin, Cmp, Demand, FCmp, Inst, Operand, Overflow};

/// LLVM's classes of floats that are neither infinite nor NaN (`is.fpclass`).
const FINITE: u16 = 0x1f8;

impl Builder<'_> {
    /// Translates a call of the hook of this kind.
    pub(super) fn check(&mut self, v: V, kind: HookKind) -> Result<(), Reason> {
        let value = v.operand(0);
        match kind {
            HookKind::Defined => {
                let ty = self.type_of(value)?;
                for (a, leaf) in self.ops(value)?.into_iter().zip(&ty.leaves) {
                    if self.known_int(a).is_none() {
                        let w = leaf.width as u8;
                        self.emit(Inst::CheckDefined { w, a });
                    }
                }
            }
            HookKind::Range => {
                let w = self.type_of(value)?.lanes()?.0.width()?;
                let [a, low, high] = self.operands(v)?;
                self.emit(Inst::CheckRange { w, a, low, high });
            }
            HookKind::Reference | HookKind::Pointer => {
                let [ptr, bytes, align] = self.operands(v)?;
                let align = self.known_int(align).unwrap_or(1);
                let align_log2 = align.max(1).ilog2() as u8;
                self.emit(Inst::CheckReference {
                    align_log2,
                    nullable: kind == HookKind::Pointer,
                    ptr,
                    bytes,
                });
            }
            HookKind::Slice => {
                let [ptr, length, size] = self.operands(v)?;
                let bytes = self.bin(Bin::Mul, 64, length, size);
                self.emit(Inst::CheckReference {
                    align_log2: 0,
                    nullable: false,
                    ptr,
                    bytes,
                });
            }
            HookKind::InBounds => {
                let base = self.op(value)?;
                let ptr = self.op(v.operand(1))?;
                self.emit(Inst::CheckInBounds { base, ptr });
            }
            HookKind::Demand(word) => {
                let ty = self.type_of(value)?;
                let a = self.ops(value)?;
                let b = match v.argument_count() {
                    1 => Ops::new(),
                    _ => self.ops(v.operand(1))?,
                };
                let Some(w) = demanding_width(&ty, word) else {
                    return Ok(());
                };
                for (lane, &a) in a.iter().enumerate() {
                    // A width is one number for all lanes.
                    let b = b.get(lane).or(b.first()).copied();
                    self.demand(word, w, a, b.unwrap_or(a));
                }
            }
        }
        Ok(())
    }

    fn operands(&mut self, v: V) -> Result<[Operand; 3], Reason> {
        Ok([
            self.op(v.operand(0))?,
            self.op(v.operand(1))?,
            self.op(v.operand(2))?,
        ])
    }

    /// Computes whether a demand on one lane is met, and checks that it is.
    fn demand(&mut self, word: DemandWord, w: u8, a: Operand, b: Operand) {
        let zero = self.int(0, u32::from(w));
        let (demand, cond) = match word {
            DemandWord::AddUnsigned => (Demand::Addition, self.fits(Overflow::UAdd, w, a, b)),
            DemandWord::AddSigned => (Demand::Addition, self.fits(Overflow::SAdd, w, a, b)),
            DemandWord::SubUnsigned => (Demand::Subtraction, self.fits(Overflow::USub, w, a, b)),
            DemandWord::SubSigned => (Demand::Subtraction, self.fits(Overflow::SSub, w, a, b)),
            DemandWord::MulUnsigned => (Demand::Multiplication, self.fits(Overflow::UMul, w, a, b)),
            DemandWord::MulSigned => (Demand::Multiplication, self.fits(Overflow::SMul, w, a, b)),
            DemandWord::ShlUnsigned | DemandWord::ShlSigned => {
                let back = match word {
                    DemandWord::ShlUnsigned => Bin::LShr,
                    _ => Bin::AShr,
                };
                self.demand(DemandWord::Distance, w, a, b);
                let shifted = self.bin(Bin::Shl, w, a, b);
                let back = self.bin(back, w, shifted, b);
                (Demand::LossyShift, self.cmp(Cmp::Eq, w, back, a))
            }
            DemandWord::Distance => {
                let width = self.int(u128::from(w), u32::from(w));
                (Demand::ShiftDistance, self.cmp(Cmp::ULt, w, b, width))
            }
            DemandWord::ExactUnsigned | DemandWord::ExactSigned => {
                // Without a demand of its own: division by zero is a fault of the division.
                let op = match word {
                    DemandWord::ExactUnsigned => Bin::URem,
                    _ => Bin::SRem,
                };
                let remainder = self.bin(op, w, a, b);
                (Demand::Exact, self.cmp(Cmp::Eq, w, remainder, zero))
            }
            DemandWord::ExactShift => {
                self.demand(DemandWord::Distance, w, a, b);
                let shifted = self.bin(Bin::LShr, w, a, b);
                let back = self.bin(Bin::Shl, w, shifted, b);
                (Demand::Exact, self.cmp(Cmp::Eq, w, back, a))
            }
            DemandWord::Disjoint => {
                let common = self.bin(Bin::And, w, a, b);
                (Demand::Disjoint, self.cmp(Cmp::Eq, w, common, zero))
            }
            DemandWord::ToUnsigned | DemandWord::ToSigned => {
                let width = self.known_int(b).unwrap_or(0) as u32;
                let (low, from, to) = bounds(u32::from(w), width, word == DemandWord::ToSigned);
                let from = self.int(from, u32::from(w));
                let to = self.int(to, u32::from(w));
                let above = self.compare_float_to(low, w, a, from);
                let below = self.compare_float_to(FCmp::OLt, w, a, to);
                (Demand::FloatToInteger, self.bin(Bin::And, 1, above, below))
            }
            DemandWord::NonZero => (Demand::NonZero, self.cmp(Cmp::Ne, w, a, zero)),
            DemandWord::NotSmallest => {
                let smallest = self.int(1 << (w - 1), u32::from(w));
                (Demand::NotSmallest, self.cmp(Cmp::Ne, w, a, smallest))
            }
            DemandWord::Finite => {
                let dst = self.new_slot();
                let mask = FINITE;
                self.emit(Inst::FClass { w, dst, a, mask });
                (Demand::Finite, Operand::slot(dst))
            }
            DemandWord::Index => (Demand::Distance, self.cmp(Cmp::ULe, w, a, b)),
            DemandWord::CopyCount => (Demand::CopyLength, self.cmp(Cmp::ULe, w, a, b)),
            DemandWord::SignedIndex => {
                let moved = self.bin(Bin::Add, w, a, b);
                let span = self.bin(Bin::Add, w, b, b);
                (Demand::Distance, self.cmp(Cmp::ULe, w, moved, span))
            }
        };
        self.emit(Inst::CheckDemand { cond, demand });
    }

    /// Emits the test that arithmetic does not overflow.
    fn fits(&mut self, op: Overflow, w: u8, a: Operand, b: Operand) -> Operand {
        let result = self.new_slots(2);
        let dst = match result[0].decode() {
            Ok(dst) => dst,
            Err(_) => unreachable!("a new slot is no constant"),
        };
        self.emit(Inst::Overflow { op, w, dst, a, b });
        let none = self.int(0, 1);
        self.cmp(Cmp::Eq, 1, result[1], none)
    }

    fn compare_float_to(&mut self, op: FCmp, w: u8, a: Operand, b: Operand) -> Operand {
        let dst = self.new_slot();
        self.emit(Inst::FCmp { op, w, dst, a, b });
        Operand::slot(dst)
    }
}

/// Returns the width of the lanes that a demand is about; `None` where the form does not compute
/// with them, and where the demand is then left out.
fn demanding_width(ty: &Type, word: DemandWord) -> Option<u8> {
    let (scalar, _) = ty.lanes().ok()?;
    let is_of_float = matches!(
        word,
        DemandWord::ToUnsigned | DemandWord::ToSigned | DemandWord::Finite
    );
    match scalar {
        Scalar::Float(w @ (16 | 32 | 64)) if is_of_float => Some(w as u8),
        _ if is_of_float => None,
        _ => scalar.width().ok(),
    }
}

/// Returns the range of floats that an integer type has: those for which the comparison with the
/// first bound holds and that are less than the second. The bounds are bits of floats of `from`
/// bits.
fn bounds(from: u32, width: u32, signed: bool) -> (FCmp, u128, u128) {
    let precision = match from {
        16 => 11,
        32 => 24,
        _ => 53,
    };
    if !signed {
        return (FCmp::OGt, float(from, -1.0), float(from, power(width)));
    }
    let most = power(width - 1);
    let (comparison, low) = if width <= precision {
        // Fractions are cut off, so that everything above the integer below the smallest will do.
        (FCmp::OGt, -most - 1.0)
    } else if is_infinite(from, most) {
        (FCmp::OGt, f64::NEG_INFINITY)
    } else {
        (FCmp::OGe, -most)
    };
    (comparison, float(from, low), float(from, most))
}

fn power(exponent: u32) -> f64 {
    2f64.powi(exponent as i32)
}

/// Reports whether a power of two is more than all floats of a width.
fn is_infinite(width: u32, power: f64) -> bool {
    match width {
        16 => power >= 65536.0,
        32 => (power as f32).is_infinite(),
        _ => power.is_infinite(),
    }
}

/// Returns the bits of a float of 16, 32 or 64 bits that has the value, or is infinite.
fn float(width: u32, value: f64) -> u128 {
    match width {
        16 => {
            let bits = value.to_bits();
            let sign = ((bits >> 63) << 15) as u128;
            if value.abs() >= 65536.0 {
                return sign | 0x7c00;
            }
            let exponent = (bits >> 52 & 0x7ff) as i32 - 1023 + 15;
            let fraction = bits >> 42 & 0x3ff;
            sign | (exponent.max(0) as u128) << 10 | u128::from(fraction)
        }
        32 => u128::from((value as f32).to_bits()),
        _ => u128::from(value.to_bits()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_of_integers_are_those_of_saturating_conversions() {
        let check = |value: f32, signed: bool| {
            let (comparison, low, high) = bounds(32, 32, signed);
            let [low, high] = [low, high].map(|bits| f32::from_bits(bits as u32));
            let above = match comparison {
                FCmp::OGt => value > low,
                _ => value >= low,
            };
            above && value < high
        };
        for value in [
            0.0,
            -0.5,
            -1.0,
            1.5,
            4294967040.0,
            4294967296.0,
            f32::NAN,
            f32::INFINITY,
        ] {
            let fits = value > -1.0 && f64::from(value) < 4294967296.0;
            assert_eq!(check(value, false), fits, "{value}");
        }
        for value in [
            -2147483648.0,
            -2147483904.0,
            2147483648.0,
            2147483520.0,
            f32::NEG_INFINITY,
        ] {
            let fits = value >= i32::MIN as f32 && value < 2147483648.0;
            assert_eq!(check(value, true), fits, "{value}");
        }
    }

    #[test]
    fn half_floats_have_the_bits_of_their_value() {
        assert_eq!(float(16, -1.0), 0xbc00);
        assert_eq!(float(16, 256.0), 0x5c00);
        assert_eq!(float(16, power(16)), 0x7c00);
        assert_eq!(float(16, -129.0), 0xd808);
    }
}
