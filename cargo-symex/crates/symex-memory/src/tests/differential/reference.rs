//! The naive model, one array of bytes for each assignment, and comparisons of terms with it.

use super::{ASSIGNMENTS, TestWorld};
use crate::{AddressSpace, SymbolicLoad};
use symex_terms::{Expr, ObjectId, Origin, Value, Var, Width};
use symex_types::splitmix::Random;

pub(super) fn mix(parts: [u64; 3]) -> u64 {
    parts
        .into_iter()
        .fold(0, |mixed, part| Random::new(mixed ^ part).bits())
}

/// Returns the value of an unwritten byte under an assignment.
pub(super) fn unwritten(assignment: usize, id: ObjectId, offset: u64) -> u8 {
    mix([assignment as u64, u64::from(id.0), offset]) as u8
}
#[derive(Clone)]
pub(super) struct Naive {
    pub(super) id: ObjectId,
    /// For each assignment each byte, if it was written.
    pub(super) bytes: [Vec<Option<u8>>; ASSIGNMENTS],
}

impl Naive {
    pub(super) fn size(&self) -> u64 {
        self.bytes[0].len() as u64
    }

    pub(super) fn read(&self, k: usize, at: u64, n: u64) -> (u128, bool) {
        let mut v = 0;
        let mut written = true;
        for i in 0..n {
            let b = self.bytes[k][(at + i) as usize];
            written &= b.is_some();
            let b = b.unwrap_or_else(|| unwritten(k, self.id, at + i));
            v |= u128::from(b) << (8 * i);
        }
        (v, written)
    }
}
#[derive(Clone)]
pub(super) struct Path {
    pub(super) memory: AddressSpace,
    pub(super) objects: Vec<Naive>,
}

impl TestWorld {
    /// Gives values to variables that memory made.
    pub(super) fn name_unwritten(&mut self) {
        while self.vars < self.pool.var_count() {
            let v = Var(self.vars as u32);
            let info = self.pool.var_info(v).clone();
            let Origin::Uninit { object, offset } = info.origin else {
                panic!("memory made {info:?}");
            };
            assert_eq!(info.width, 8);
            for k in 0..ASSIGNMENTS {
                // Between the members of a segment, bytes belong to no object.
                let byte = object.map_or(0xa5, |id| unwritten(k, id, offset));
                self.assignments[k].set(v, u128::from(byte));
            }
            self.vars += 1;
        }
    }

    pub(super) fn eval(&mut self, path: &Path, k: usize, e: Expr) -> u128 {
        self.name_unwritten();
        self.pool.eval(e, &self.assignments[k], &path.memory)
    }

    pub(super) fn eval_value(&mut self, path: &Path, k: usize, value: Value, width: Width) -> u128 {
        match value {
            Value::Int(v) => {
                assert!(
                    width >= 64 || v >> width == 0,
                    "{v:#x} is wider than {width}"
                );
                u128::from(v)
            }
            Value::Ptr(id, offset) => {
                assert_eq!(width, 64);
                u128::from(path.memory.object(id).address.wrapping_add(offset))
            }
            Value::Expr(e) => {
                assert_eq!(self.pool.width(e), width);
                assert!(self.pool.as_const(e).is_none() || width > 64);
                self.eval(path, k, e)
            }
            Value::Undef => panic!("a load gave undef"),
        }
    }

    pub(super) fn check(
        &mut self,
        path: &Path,
        o: usize,
        at: u64,
        n: u64,
        value: Value,
        width: Width,
    ) {
        for k in 0..ASSIGNMENTS {
            let (want, _) = path.objects[o].read(k, at, n);
            let want = want & (u128::MAX >> (128 - width));
            let got = self.eval_value(path, k, value, width);
            assert_eq!(
                got, want,
                "{width} bits at {at} of {o} under {k}: {value:?}"
            );
        }
    }

    /// Asserts that the result of a load at a symbolic offset equals an object's bytes at the
    /// offset's value under an assignment.
    pub(super) fn check_loaded(
        &mut self,
        path: &Path,
        k: usize,
        (o, at): (usize, u64),
        v: SymbolicLoad,
        width: Width,
    ) {
        let n = u64::from(width.div_ceil(8));
        let (want, written) = path.objects[o].read(k, at, n);
        let want = want & (u128::MAX >> (128 - width));
        let exact = self.eval_value(path, k, v.exact, width);
        assert_eq!(exact, want, "{width} bits at {at} of {o} under {k}");
        // What was stored may itself be unwritten.
        let tainted = matches!(v.exact, Value::Expr(e) if self.pool.has_uninit(e));
        let sure = v.written.is_none_or(|c| self.eval(path, k, c) == 1);
        let tainted_value = matches!(v.value, Value::Expr(e) if self.pool.has_uninit(e));
        assert!(
            written || !sure || tainted_value,
            "{width} bits at {at} of {o} under {k}"
        );
        assert!(
            sure || tainted || !written,
            "{width} bits at {at} of {o} under {k}"
        );
        if sure {
            assert_eq!(self.eval_value(path, k, v.value, width), want);
        }
    }

    pub(super) fn check_all(&mut self, path: &Path) {
        let ids = path.memory.live();
        assert_eq!(ids.len(), path.objects.len());
        for o in 0..path.objects.len() {
            for at in 0..path.objects[o].size() {
                let v = path.memory.load(&mut self.pool, path.objects[o].id, at, 8);
                self.check(path, o, at, 1, v, 8);
            }
        }
    }
}
