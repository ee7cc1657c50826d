//! Encoding of float operators, in Z3's theory of floating-point numbers.
//!
//! Floats are bit-vectors everywhere else, so each operand is read from its bits and each result is
//! written back. Invariant: a NaN result has the canonical bits that evaluation gives it; Z3 leaves
//! the bits of a NaN open, so they are never taken from it. Conversions to integers saturate by
//! comparison beforehand, because Z3 also leaves values out of range open. C's `fmod` is not among
//! Z3's operations and is refused.

use super::encode::Encoder;
use super::raw::{BackEndFailure, Fallible, Sort, Term};
use symex_terms::eval::fcast;
use symex_terms::mask;
use symex_terms::{BinOp, Expr, FCast, Kind, Pool, Rounding, Width};
use z3_sys::*;

impl Encoder {
    pub(super) fn float_sqrt(&mut self, pool: &Pool, a: Expr) -> Fallible<Term> {
        let width = pool.width(a);
        let (x, rounding) = (self.float(pool, a, width)?, self.nearest()?);
        let root = self.cx.binary(Z3_mk_fpa_sqrt, rounding, x)?;
        self.float_bits(root, width)
    }

    pub(super) fn float_round(
        &mut self,
        pool: &Pool,
        direction: Rounding,
        a: Expr,
    ) -> Fallible<Term> {
        let width = pool.width(a);
        let x = self.float(pool, a, width)?;
        let rounding = self.cx.rounding(match direction {
            Rounding::NearestEven => Z3_mk_fpa_rne,
            Rounding::NearestAway => Z3_mk_fpa_rna,
            Rounding::Zero => Z3_mk_fpa_rtz,
            Rounding::Up => Z3_mk_fpa_rtp,
            Rounding::Down => Z3_mk_fpa_rtn,
        })?;
        let rounded = self.cx.binary(Z3_mk_fpa_round_to_integral, rounding, x)?;
        self.float_bits(rounded, width)
    }

    pub(super) fn float_is_nan(&mut self, pool: &Pool, a: Expr) -> Fallible<Term> {
        let x = self.float(pool, a, pool.width(a))?;
        self.cx.unary(Z3_mk_fpa_is_nan, x)
    }

    pub(super) fn float_bin(&mut self, pool: &Pool, op: BinOp, a: Expr, b: Expr) -> Fallible<Term> {
        use BinOp::*;
        let width = pool.width(a);
        let (x, y) = (self.float(pool, a, width)?, self.float(pool, b, width)?);
        let make: unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_ast) -> Option<Z3_ast> =
            match op {
                FEq => return self.cx.binary(Z3_mk_fpa_eq, x, y),
                FLt => return self.cx.binary(Z3_mk_fpa_lt, x, y),
                FLe => return self.cx.binary(Z3_mk_fpa_leq, x, y),
                FAdd => Z3_mk_fpa_add,
                FSub => Z3_mk_fpa_sub,
                FMul => Z3_mk_fpa_mul,
                FDiv => Z3_mk_fpa_div,
                _ => {
                    return Err(BackEndFailure(
                        "the remainder of symbolic floats (fmod) is not supported".into(),
                    ));
                }
            };
        let rounding = self.nearest()?;
        let result = self.cx.rounded(make, rounding, x, y)?;
        self.float_bits(result, width)
    }

    pub(super) fn fma(&mut self, pool: &Pool, a: Expr, b: Expr, c: Expr) -> Fallible<Term> {
        let width = pool.width(a);
        let (x, y, z) = (
            self.float(pool, a, width)?,
            self.float(pool, b, width)?,
            self.float(pool, c, width)?,
        );
        let rounding = self.nearest()?;
        let result = self.cx.float_fma(rounding, x, y, z)?;
        self.float_bits(result, width)
    }

    pub(super) fn fcast(&mut self, pool: &Pool, op: FCast, a: Expr, to: Width) -> Fallible<Term> {
        let from = pool.width(a);
        match op {
            FCast::ToSigned | FCast::ToUnsigned => {
                let x = self.float(pool, a, from)?;
                self.float_to_integer(x, from, to, op == FCast::ToSigned)
            }
            FCast::FromSigned | FCast::FromUnsigned => {
                let bits = self.bits(pool, a)?;
                let (rounding, sort) = (self.nearest()?, self.float_sort(to)?);
                let make = if op == FCast::FromSigned {
                    Z3_mk_fpa_to_fp_signed
                } else {
                    Z3_mk_fpa_to_fp_unsigned
                };
                let result = self.cx.to_float(make, rounding, bits, sort)?;
                self.float_bits(result, to)
            }
            FCast::Float => {
                let (x, rounding, sort) = (
                    self.float(pool, a, from)?,
                    self.nearest()?,
                    self.float_sort(to)?,
                );
                let result = self.cx.to_float(Z3_mk_fpa_to_fp_float, rounding, x, sort)?;
                self.float_bits(result, to)
            }
        }
    }

    /// Encodes a truncating, saturating conversion. Bounds that the format cannot hold are
    /// infinities, with which the comparisons are still right.
    fn float_to_integer(
        &mut self,
        x: Term,
        from: Width,
        to: Width,
        signed: bool,
    ) -> Fallible<Term> {
        let rounding = self.cx.rounding(Z3_mk_fpa_rtz)?;
        let top = if signed { to - 1 } else { to };
        let bound = self.power_of_two(top, from)?;
        let above = self.cx.binary(Z3_mk_fpa_leq, bound, x)?;
        let (low_bound, low, high, make): (_, u128, u128, unsafe extern "C" fn(_, _, _, _) -> _) =
            if signed {
                let negative = self.cx.unary(Z3_mk_fpa_neg, bound)?;
                (negative, 1 << top, mask(top), Z3_mk_fpa_to_sbv)
            } else {
                let zero = self.bv_numeral(from, 0)?;
                (
                    self.float_of_bits(zero, from)?,
                    0,
                    mask(top),
                    Z3_mk_fpa_to_ubv,
                )
            };
        let below = self.cx.binary(Z3_mk_fpa_leq, x, low_bound)?;
        let nan = self.cx.unary(Z3_mk_fpa_is_nan, x)?;
        let inside = self.cx.to_integer(make, rounding, x, to)?;
        let (low, high, zero) = (
            self.bv_numeral(to, low)?,
            self.bv_numeral(to, high)?,
            self.bv_numeral(to, 0)?,
        );
        let result = self.cx.ite(below, low, inside)?;
        let result = self.cx.ite(above, high, result)?;
        let result = self.cx.ite(nan, zero, result)?;
        self.natural(result, to)
    }

    /// Encodes the float of a power of two, or infinity.
    fn power_of_two(&mut self, exponent: Width, width: Width) -> Fallible<Term> {
        let bits = if exponent < 128 {
            fcast(FCast::FromUnsigned, 128, width, 1 << exponent)
        } else {
            // Past the largest float of 32 bits: infinity.
            fcast(FCast::Float, 64, width, 2f64.powi(128).to_bits() as u128)
        };
        let bits = self.bv_numeral(width, bits)?;
        self.float_of_bits(bits, width)
    }

    fn nearest(&self) -> Fallible<Term> {
        self.cx.rounding(Z3_mk_fpa_rne)
    }

    /// Encodes the float that a term's bits represent. That of an operation's result is the result
    /// itself, also with another sign: solvers find it hard in its bits.
    fn float(&mut self, pool: &Pool, e: Expr, width: Width) -> Fallible<Term> {
        let bits = self.term(e);
        if let Some(x) = self.floats.get(&bits) {
            return Ok(*x);
        }
        let (make, of): (unsafe extern "C" fn(_, _) -> _, Expr) = match pool.kind(e) {
            Kind::ZExt(low) => match pool.kind(low) {
                Kind::Extract { of, lo: 0 }
                    if pool.width(low) == width - 1 && pool.width(of) == width =>
                {
                    (Z3_mk_fpa_abs, of)
                }
                _ => return self.float_of_bits(bits, width),
            },
            Kind::Bin(BinOp::Xor, of, sign) if pool.as_const(sign) == Some(1 << (width - 1)) => {
                (Z3_mk_fpa_neg, of)
            }
            _ => return self.float_of_bits(bits, width),
        };
        match self.floats.get(&self.term(of)) {
            Some(x) => self.cx.unary(make, *x),
            None => self.float_of_bits(bits, width),
        }
    }

    /// Encodes the float that bits represent. Z3's 80-bit format has 79 bits, because it has no
    /// explicit integer bit: where that is cleared although there is an exponent, the bits are an
    /// invalid encoding (NaN); where it is set and there is no exponent, the exponent is the
    /// smallest one.
    fn float_of_bits(&mut self, bits: Term, width: Width) -> Fallible<Term> {
        let sort = self.float_sort(width)?;
        if width != 80 {
            return self.cx.float_of_bits(bits, sort);
        }
        let sign = self.cx.extract(bits, 79, 1)?;
        let exponent = self.cx.extract(bits, 64, 15)?;
        let shown = self.cx.extract(bits, 63, 1)?;
        let fraction = self.cx.extract(bits, 0, 63)?;
        let (none, one, set) = (
            self.bv_numeral(15, 0)?,
            self.bv_numeral(15, 1)?,
            self.bv_numeral(1, 1)?,
        );
        let no_exponent = self.cx.eq(exponent, none)?;
        let is_shown = self.cx.eq(shown, set)?;
        let smallest = self.cx.ite(is_shown, one, exponent)?;
        let exponent = self.cx.ite(no_exponent, smallest, exponent)?;
        let magnitude = self.cx.binary(Z3_mk_concat, exponent, fraction)?;
        let hidden = self.cx.binary(Z3_mk_concat, sign, magnitude)?;
        // All ones: a NaN.
        let no_number = self.bv_numeral(79, mask(79))?;
        let supported = self.cx.ite(no_exponent, hidden, no_number)?;
        let hidden = self.cx.ite(is_shown, hidden, supported)?;
        self.cx.float_of_bits(hidden, sort)
    }

    /// Encodes the bits of a result, with NaNs made canonical.
    fn float_bits(&mut self, x: Term, width: Width) -> Fallible<Term> {
        let nan = self.cx.unary(Z3_mk_fpa_is_nan, x)?;
        let mut bits = self.cx.unary(Z3_mk_fpa_to_ieee_bv, x)?;
        if width == 80 {
            // The integer bit is there wherever an exponent is.
            let high = self.cx.extract(bits, 63, 16)?;
            let exponent = self.cx.extract(bits, 63, 15)?;
            let fraction = self.cx.extract(bits, 0, 63)?;
            let none = self.bv_numeral(15, 0)?;
            let is_none = self.cx.eq(exponent, none)?;
            let (clear, set) = (self.bv_numeral(1, 0)?, self.bv_numeral(1, 1)?);
            let shown = self.cx.ite(is_none, clear, set)?;
            let low = self.cx.binary(Z3_mk_concat, shown, fraction)?;
            bits = self.cx.binary(Z3_mk_concat, high, low)?;
        }
        let nan_bits = fcast(FCast::Float, 64, width, f64::NAN.to_bits() as u128);
        let canonical = self.bv_numeral(width, nan_bits)?;
        let bits = self.cx.ite(nan, canonical, bits)?;
        self.floats.insert(bits, x);
        Ok(bits)
    }

    fn float_sort(&mut self, width: Width) -> Fallible<Sort> {
        if let Some(s) = self.float_sorts.get(&width) {
            return Ok(*s);
        }
        let sort = match width {
            16 => self.cx.float_sort(5, 11)?,
            32 => self.cx.float_sort(8, 24)?,
            64 => self.cx.float_sort(11, 53)?,
            80 => self.cx.float_sort(15, 64)?,
            128 => self.cx.float_sort(15, 113)?,
            _ => {
                return Err(BackEndFailure(format!(
                    "floats of {width} bits are not supported"
                )));
            }
        };
        self.float_sorts.insert(width, sort);
        Ok(sort)
    }
}
