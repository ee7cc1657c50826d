//! Structural hashes of terms that ignore the names of variables and bases: terms that differ in
//! names alone have the same hash [AAQC V].
//!
//! The hashes are the same in every run of one build, whatever else the pool holds. Equal hashes
//! are a hint, never a proof.

use super::node::*;
use super::pool::Pool;

/// The structural hashes of a pool's terms, each computed once.
#[derive(Default)]
pub struct StructuralHashes {
    /// Hashes of terms by position in the pool.
    terms: Vec<u64>,
    arrays: Vec<u64>,
}

impl StructuralHashes {
    /// Returns the hash of a term.
    pub fn of(&mut self, pool: &Pool, e: Expr) -> u64 {
        // Operands are older than what they are in, so one pass over what is new has them all.
        while self.terms.len() <= e.index() {
            let next = pool
                .expr_at(self.terms.len())
                .expect("it is not past a term of the pool");
            if let Kind::Select { array, .. } = pool.kind(next) {
                self.arrays_up_to(pool, array);
            }
            let shape = self.term(pool, next);
            self.terms.push(shape);
        }
        self.terms[e.index()]
    }

    /// Returns the bytes taken.
    pub(super) fn bytes(&self) -> usize {
        (self.terms.len() + self.arrays.len()) * size_of::<u64>()
    }

    /// Returns the hash of an array, an element of which occurs in a term whose hash was computed.
    pub(super) fn of_array(&self, a: Array) -> u64 {
        self.arrays[a.index()]
    }

    fn arrays_up_to(&mut self, pool: &Pool, a: Array) {
        for index in self.arrays.len()..=a.index() {
            let data = &pool.arrays[index];
            let start = mix(u64::from(data.elem_width), data.len);
            let shape = match &data.kind {
                ArrayKind::Table(elems) => elems
                    .iter()
                    .fold(mix(start, 1), |hash, e| mix(hash, self.terms[e.index()])),
                ArrayKind::Store {
                    array,
                    index,
                    value,
                } => [
                    self.arrays[array.index()],
                    self.terms[index.index()],
                    self.terms[value.index()],
                ]
                .into_iter()
                .fold(mix(start, 2), mix),
            };
            self.arrays.push(shape);
        }
    }

    fn term(&self, pool: &Pool, e: Expr) -> u64 {
        let of = |e: Expr| self.terms[e.index()];
        let start = mix(u64::from(pool.width(e)), tag(&pool.kind(e)));
        match pool.kind(e) {
            Kind::Const(v) => mix(mix(start, v as u64), (v >> 64) as u64),
            Kind::Var(_) => start,
            Kind::Base { align_log2, .. } => mix(start, u64::from(align_log2)),
            Kind::Un(_, a) | Kind::ZExt(a) | Kind::SExt(a) | Kind::FCast(_, a) => mix(start, of(a)),
            Kind::Extract { of: a, lo } => mix(mix(start, u64::from(lo)), of(a)),
            Kind::Bin(op, a, b) if op.is_commutative() => {
                let (a, b) = (of(a), of(b));
                mix(mix(start, a.min(b)), a.max(b))
            }
            Kind::Bin(_, a, b) | Kind::Concat { hi: a, lo: b } => mix(mix(start, of(a)), of(b)),
            Kind::Ite {
                cond: a,
                then: b,
                other: c,
            }
            | Kind::Fma(a, b, c) => mix(mix(mix(start, of(a)), of(b)), of(c)),
            Kind::Select { array, index } => mix(mix(start, self.of_array(array)), of(index)),
        }
    }
}

/// Returns one number for an operator: its position in the list of kinds, and that of its payload.
pub(super) fn tag(kind: &Kind) -> u64 {
    let (major, minor) = match *kind {
        Kind::Const(_) => (0, 0),
        Kind::Var(_) => (1, 0),
        Kind::Base { .. } => (2, 0),
        Kind::Un(op, _) => (3, op as u64),
        Kind::Bin(op, ..) => (4, op as u64),
        Kind::Concat { .. } => (5, 0),
        Kind::Extract { .. } => (6, 0),
        Kind::ZExt(_) => (7, 0),
        Kind::SExt(_) => (8, 0),
        Kind::Ite { .. } => (9, 0),
        Kind::Select { .. } => (10, 0),
        Kind::FCast(op, _) => (11, op as u64),
        Kind::Fma(..) => (12, 0),
    };
    major << 8 | minor
}

fn mix(hash: u64, value: u64) -> u64 {
    let product =
        u128::from(hash ^ 0x9e37_79b9_7f4a_7c15) * u128::from(value ^ 0xd6e8_feb8_6659_fd93);
    (product as u64 ^ (product >> 64) as u64).rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinOp, Origin, VarInfo};

    fn var(pool: &mut Pool, part: u32, width: Width) -> Expr {
        pool.var(VarInfo {
            name: "x".into(),
            width,
            origin: Origin::Input { input: 0, part },
        })
    }

    #[test]
    fn names_do_not_count_and_all_else_does() {
        let p = &mut Pool::new();
        let shapes = &mut StructuralHashes::default();
        let [x, y, z] = [0, 1, 2].map(|part| var(p, part, 64));
        let narrow = var(p, 3, 32);
        let bases = [1, 2].map(|object| p.base(ObjectId(object), 4));
        let less_aligned = p.base(ObjectId(3), 3);
        let of = |p: &mut Pool, shapes: &mut StructuralHashes, x: Expr, y: Expr, base: Expr| {
            let product = p.bin(BinOp::Mul, x, y);
            let table = p.table([base, product].into_iter().collect());
            let table = p.store(table, y, x);
            let element = p.select(table, x);
            shapes.of(p, element)
        };
        let first = of(p, shapes, x, y, bases[0]);
        assert_eq!(first, of(p, shapes, z, y, bases[1]));
        // The product is older with its operands the other way round.
        assert_eq!(first, of(p, shapes, y, x, bases[0]));
        assert_ne!(first, of(p, shapes, x, y, less_aligned));
        let (short, long) = (p.zext(narrow, 64), p.sext(narrow, 64));
        assert_ne!(shapes.of(p, short), shapes.of(p, long));
        let (one, two) = (p.constant(64, 1), p.constant(64, 2));
        assert_ne!(shapes.of(p, one), shapes.of(p, two));
        let (less, most) = (p.ult(x, y), p.ule(x, y));
        assert_ne!(shapes.of(p, less), shapes.of(p, most));
    }
}
