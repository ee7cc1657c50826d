//! Smart constructors: the only way to make a term. Each checks widths, folds constants, tries the
//! rules of `simplify`, and interns the result.

use super::node::*;
use super::op::{BinOp, FCast, UnOp};
use super::pool::Pool;
use super::{eval, number, simplify};
use std::sync::Arc;

pub use symex_types::bits::mask;

impl Pool {
    /// Makes a constant; bits above the width are dropped.
    pub fn constant(&mut self, width: Width, value: u128) -> Expr {
        self.intern(Kind::Const(value & mask(width)), width)
    }

    /// Makes a truth value.
    pub fn bool(&mut self, value: bool) -> Expr {
        self.constant(1, value as u128)
    }

    /// Makes the symbolic base address of an object.
    pub fn base(&mut self, object: ObjectId, align_log2: u8) -> Expr {
        self.intern(Kind::Base { object, align_log2 }, 64)
    }

    /// Applies a unary operator.
    pub fn un(&mut self, op: UnOp, a: Expr) -> Expr {
        let w = self.width(a);
        let width = if op.is_predicate() { 1 } else { w };
        assert!(
            !op.is_float() || number::is_float_width(w),
            "{op:?} of {w} bits"
        );
        if let Some(v) = self.as_const(a) {
            let folded = eval::un(op, w, v);
            return self.constant(width, folded);
        }
        simplify::un(self, op, a).unwrap_or_else(|| self.intern(Kind::Un(op, a), width))
    }

    /// Applies a binary operator to operands of one width.
    pub fn bin(&mut self, op: BinOp, a: Expr, b: Expr) -> Expr {
        let w = self.width(a);
        assert_eq!(w, self.width(b), "operands of {op:?} differ in width");
        assert!(
            !op.is_float() || number::is_float_width(w),
            "{op:?} of {w} bits"
        );
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            let width = if op.is_predicate() { 1 } else { w };
            let folded = eval::bin(op, w, x, y);
            return self.constant(width, folded);
        }
        simplify::bin(self, op, a, b)
    }

    /// Makes the bitwise complement, which is logical negation of one bit.
    pub fn not(&mut self, a: Expr) -> Expr {
        self.un(UnOp::Not, a)
    }

    /// Makes `a + b`.
    pub fn add(&mut self, a: Expr, b: Expr) -> Expr {
        self.bin(BinOp::Add, a, b)
    }

    /// Makes `a - b`.
    pub fn sub(&mut self, a: Expr, b: Expr) -> Expr {
        self.bin(BinOp::Sub, a, b)
    }

    /// Makes `a & b`.
    pub fn and(&mut self, a: Expr, b: Expr) -> Expr {
        self.bin(BinOp::And, a, b)
    }

    /// Makes `a | b`.
    pub fn or(&mut self, a: Expr, b: Expr) -> Expr {
        self.bin(BinOp::Or, a, b)
    }

    /// Makes `a == b`.
    pub fn eq(&mut self, a: Expr, b: Expr) -> Expr {
        self.bin(BinOp::Eq, a, b)
    }

    /// Makes `a != b`.
    pub fn ne(&mut self, a: Expr, b: Expr) -> Expr {
        let eq = self.eq(a, b);
        self.not(eq)
    }

    /// Makes `a < b`, unsigned.
    pub fn ult(&mut self, a: Expr, b: Expr) -> Expr {
        self.bin(BinOp::ULt, a, b)
    }

    /// Makes `a <= b`, unsigned.
    pub fn ule(&mut self, a: Expr, b: Expr) -> Expr {
        self.bin(BinOp::ULe, a, b)
    }

    /// Concatenates two terms, `hi` above `lo`.
    pub fn concat(&mut self, hi: Expr, lo: Expr) -> Expr {
        let (wh, wl) = (self.width(hi), self.width(lo));
        assert!(wh + wl <= MAX_WIDTH, "concatenation of {wh} and {wl} bits");
        if let (Some(h), Some(l)) = (self.as_const(hi), self.as_const(lo)) {
            return self.constant(wh + wl, h << wl | l);
        }
        simplify::concat(self, hi, lo)
            .unwrap_or_else(|| self.intern(Kind::Concat { hi, lo }, wh + wl))
    }

    /// Extracts `width` bits from bit `lo` upwards.
    pub fn extract(&mut self, of: Expr, lo: Width, width: Width) -> Expr {
        let w = self.width(of);
        assert!(
            width >= 1 && lo + width <= w,
            "extract {width} bits at {lo} of {w}"
        );
        if width == w {
            return of;
        }
        if let Some(v) = self.as_const(of) {
            return self.constant(width, v >> lo);
        }
        simplify::extract(self, of, lo, width)
            .unwrap_or_else(|| self.intern(Kind::Extract { of, lo }, width))
    }

    /// Zero-extends to `width`, or returns the term itself.
    pub fn zext(&mut self, a: Expr, width: Width) -> Expr {
        let w = self.width(a);
        assert!(width >= w, "zext of {w} to {width} bits");
        if width == w {
            return a;
        }
        if let Some(v) = self.as_const(a) {
            return self.constant(width, v);
        }
        simplify::zext(self, a, width).unwrap_or_else(|| self.intern(Kind::ZExt(a), width))
    }

    /// Sign-extends to `width`, or returns the term itself.
    pub fn sext(&mut self, a: Expr, width: Width) -> Expr {
        let w = self.width(a);
        assert!(width >= w, "sext of {w} to {width} bits");
        if width == w {
            return a;
        }
        if let Some(v) = self.as_const(a) {
            return self.constant(width, eval::sign_extend(v, w) as u128);
        }
        simplify::sext(self, a, width).unwrap_or_else(|| self.intern(Kind::SExt(a), width))
    }

    /// Zero-extends or truncates to `width`.
    pub fn resize(&mut self, a: Expr, width: Width) -> Expr {
        if self.width(a) >= width {
            self.extract(a, 0, width)
        } else {
            self.zext(a, width)
        }
    }

    /// Makes the if-then-else `cond ? then : other`.
    pub fn ite(&mut self, cond: Expr, then: Expr, other: Expr) -> Expr {
        assert_eq!(self.width(cond), 1);
        let w = self.width(then);
        assert_eq!(w, self.width(other), "branches of an ite differ in width");
        if then == other {
            return then;
        }
        match self.as_const(cond) {
            Some(0) => other,
            Some(_) => then,
            None => simplify::ite(self, cond, then, other)
                .unwrap_or_else(|| self.intern(Kind::Ite { cond, then, other }, w)),
        }
    }

    /// Makes a conversion to or from a float, with a result of `width` bits.
    pub fn fcast(&mut self, op: FCast, a: Expr, width: Width) -> Expr {
        let w = self.width(a);
        let (from, to) = match op {
            FCast::ToSigned | FCast::ToUnsigned => (true, false),
            FCast::FromSigned | FCast::FromUnsigned => (false, true),
            FCast::Float => (true, true),
        };
        assert!(!from || number::is_float_width(w), "{op:?} from {w} bits");
        assert!(
            !to || number::is_float_width(width),
            "{op:?} to {width} bits"
        );
        if let Some(v) = self.as_const(a) {
            let folded = eval::fcast(op, w, width, v);
            return self.constant(width, folded);
        }
        simplify::fcast(self, op, a, width)
            .unwrap_or_else(|| self.intern(Kind::FCast(op, a), width))
    }

    /// Makes the fused multiply-add of floats, `a * b + c`.
    pub fn fma(&mut self, a: Expr, b: Expr, c: Expr) -> Expr {
        let w = self.width(a);
        assert!(
            number::is_float_width(w) && self.width(b) == w && self.width(c) == w,
            "fma of {w} bits"
        );
        if let (Some(x), Some(y), Some(z)) = (self.as_const(a), self.as_const(b), self.as_const(c))
        {
            let folded = eval::fma(w, x, y, z);
            return self.constant(w, folded);
        }
        self.intern(Kind::Fma(a, b, c), w)
    }

    /// Makes an array of fixed contents. All elements have one width; there is at least one.
    pub fn table(&mut self, elems: Arc<[Expr]>) -> Array {
        self.named_table(ArrayName::default(), elems)
    }

    /// Makes an array as [`Pool::table`] does, but distinct from arrays of the same contents with
    /// other names.
    pub fn named_table(&mut self, name: ArrayName, elems: Arc<[Expr]>) -> Array {
        let w = self.width(elems[0]);
        debug_assert!(elems.iter().all(|e| self.width(*e) == w));
        let len = elems.len() as u64;
        self.intern_array(ArrayKind::Table(elems), name, w, len)
    }

    /// Makes `array` with one element replaced.
    pub fn store(&mut self, array: Array, index: Expr, value: Expr) -> Array {
        let (w, len) = self.array_shape(array);
        assert_eq!(w, self.width(value), "element width");
        assert_eq!(64, self.width(index), "index width");
        simplify::store(self, array, index, value).unwrap_or_else(|| {
            let name = self.array_name(array);
            self.intern_array(
                ArrayKind::Store {
                    array,
                    index,
                    value,
                },
                name,
                w,
                len,
            )
        })
    }

    /// Reads the element at `index` (64 bits, counted in elements).
    pub fn select(&mut self, array: Array, index: Expr) -> Expr {
        assert_eq!(64, self.width(index), "index width");
        let (w, _) = self.array_shape(array);
        simplify::select(self, array, index)
            .unwrap_or_else(|| self.intern(Kind::Select { array, index }, w))
    }

    /// Returns the term of a value of the given width.
    pub fn term(
        &mut self,
        value: super::Value,
        width: Width,
        align_log2: impl FnOnce(ObjectId) -> u8,
    ) -> Expr {
        match value {
            super::Value::Int(v) => self.constant(width, v as u128),
            super::Value::Expr(e) => e,
            super::Value::Ptr(object, offset) => {
                debug_assert_eq!(width, 64);
                let base = self.base(object, align_log2(object));
                let offset = self.constant(64, offset as u128);
                self.add(base, offset)
            }
            super::Value::Undef => self.var(VarInfo {
                name: "undef".into(),
                width,
                origin: Origin::Uninit {
                    object: None,
                    offset: 0,
                },
            }),
        }
    }

    /// Returns the value of a term in the form that `Value` requires.
    pub fn value(&self, e: Expr) -> super::Value {
        use super::Value;
        match self.kind(e) {
            Kind::Const(v) if self.width(e) <= 64 => Value::Int(v as u64),
            Kind::Base { object, .. } => Value::Ptr(object, 0),
            Kind::Bin(BinOp::Add, a, b) => match (self.kind(a), self.kind(b)) {
                (Kind::Base { object, .. }, Kind::Const(c))
                | (Kind::Const(c), Kind::Base { object, .. }) => Value::Ptr(object, c as u64),
                _ => Value::Expr(e),
            },
            _ => Value::Expr(e),
        }
    }
}
