//! Operations on one object.

use super::random::Draw;
use super::reference::{Naive, Path, unwritten};
use super::{ASSIGNMENTS, TestWorld};
use crate::{Checked, Covered};
use symex_terms::{BinOp, Value, Width};

impl TestWorld {
    pub(super) fn load(&mut self, path: &Path, o: usize) {
        let width = self.width();
        let n = u64::from(width.div_ceil(8));
        let (id, size) = (path.objects[o].id, path.objects[o].size());
        if size < n {
            return;
        }
        let at = self.random.below(size - n + 1);
        if matches!(width, 8 | 16 | 32 | 64)
            && let Some(v) = path.memory.load_fast(id, at, n as u32, 0)
        {
            self.check(path, o, at, n, v, width);
            // A choice that a write of symbolic length left may show unwritten bytes.
            if !matches!(v, Value::Expr(e) if self.pool.has_uninit(e)) {
                assert!((0..ASSIGNMENTS).all(|k| path.objects[o].read(k, at, n).1));
            }
        }
        let v = path.memory.load(&mut self.pool, id, at, width);
        self.check(path, o, at, n, v, width);
    }

    pub(super) fn load_symbolic(&mut self, path: &mut Path, o: usize) {
        let width = self.width();
        let n = u64::from(width.div_ceil(8));
        let (id, size) = (path.objects[o].id, path.objects[o].size());
        if size < n {
            return;
        }
        let (offset, within) = self.offset(size, n);
        let at = Checked {
            within,
            ..Checked::new(id, Value::Expr(offset))
        };
        let v = match self.pool.as_const(offset) {
            Some(at) => {
                let memory = &path.memory;
                memory.load_parts(&mut self.pool, id, at as u64, width)
            }
            None => path.memory.load_symbolic_parts(&mut self.pool, at, width),
        };
        for k in 0..ASSIGNMENTS {
            let at = self.eval(path, k, offset) as u64;
            self.check_loaded(path, k, (o, at), v, width);
        }
    }

    pub(super) fn store(&mut self, path: &mut Path, o: usize, symbolic: bool) {
        let width = self.width();
        let n = u64::from(width.div_ceil(8));
        let (id, size) = (path.objects[o].id, path.objects[o].size());
        if size < n {
            return;
        }
        let value = self.value(path, width);
        let (offset, within) = if symbolic {
            self.offset(size, n)
        } else {
            let at = self.random.below(size - n + 1);
            (self.pool.constant(64, u128::from(at)), None)
        };
        for k in 0..ASSIGNMENTS {
            let at = self.eval(path, k, offset) as u64;
            let known = self.pool.as_const(offset).is_some();
            let bytes: Vec<Option<u8>> = match value {
                Value::Undef if known => vec![None; n as usize],
                Value::Undef => (0..n).map(|i| Some(unwritten(k, id, size + i))).collect(),
                v => {
                    let word = self.eval_value(path, k, v, width);
                    word.to_le_bytes()[..n as usize]
                        .iter()
                        .map(|b| Some(*b))
                        .collect()
                }
            };
            path.objects[o].bytes[k][at as usize..(at + n) as usize].copy_from_slice(&bytes);
        }
        match self.pool.as_const(offset) {
            Some(at) => {
                let at = at as u64;
                let fast = matches!(width, 8 | 16 | 32 | 64)
                    && path.memory.store_fast(id, at, n as u32, 0, value);
                if !fast {
                    path.memory.store(&mut self.pool, id, at, width, value);
                }
            }
            None => {
                let at = Checked {
                    within,
                    ..Checked::new(id, Value::Expr(offset))
                };
                path.memory.store_symbolic(&mut self.pool, at, width, value);
            }
        }
    }

    pub(super) fn copy(&mut self, path: &mut Path) {
        let count = path.objects.len() as u64;
        let (a, b) = (self.random.below(count), self.random.below(count));
        let (a, b) = (a as usize, b as usize);
        let most = path.objects[a].size().min(path.objects[b].size());
        let len = self.random.below(most + 1);
        let mut place = |o: &Naive| self.random.below(o.size() - len + 1);
        let (mut to, mut from) = (place(&path.objects[a]), place(&path.objects[b]));
        if self.random.one_in(4) {
            (to, from) = (to / 256 * 256, from / 256 * 256);
        }
        let source = path.objects[b].clone();
        for k in 0..ASSIGNMENTS {
            let bytes = path.objects[b].bytes[k][from as usize..(from + len) as usize].to_vec();
            path.objects[a].bytes[k][to as usize..(to + len) as usize].copy_from_slice(&bytes);
        }
        let (x, y) = (path.objects[a].id, path.objects[b].id);
        path.memory.copy(&mut self.pool, (x, to), (y, from), len);
        // Bytes of which it depends on the symbols whether they were written are copied as terms.
        for i in 0..len {
            let v = path.memory.load(&mut self.pool, x, to + i, 8);
            for k in 0..ASSIGNMENTS {
                let byte = self.eval_value(path, k, v, 8) as u8;
                let copied = &mut path.objects[a].bytes[k][(to + i) as usize];
                if copied.is_none() && byte == unwritten(k, x, to + i) {
                    continue;
                }
                assert_eq!(u128::from(byte), source.read(k, from + i, 1).0);
                *copied = Some(byte);
            }
        }
    }

    pub(super) fn fill(&mut self, path: &mut Path, o: usize) {
        let (id, size) = (path.objects[o].id, path.objects[o].size());
        let len = if self.random.one_in(3) {
            size
        } else {
            self.random.below(size + 1)
        };
        let at = self.random.below(size - len + 1);
        let value = self.value(path, 8);
        for k in 0..ASSIGNMENTS {
            let byte = match value {
                Value::Undef => None,
                v => Some(self.eval_value(path, k, v, 8) as u8),
            };
            path.objects[o].bytes[k][at as usize..(at + len) as usize].fill(byte);
        }
        path.memory.fill(&mut self.pool, id, at, len, value);
    }

    /// Makes a write of symbolic length, perhaps at a symbolic offset.
    pub(super) fn write_covered(&mut self, path: &mut Path, o: usize) {
        let (id, size) = (path.objects[o].id, path.objects[o].size());
        if size == 0 {
            return;
        }
        let (start, len, grain, first) = if self.random.one_in(2) {
            let (start, _) = self.offset(size, 1);
            let room = self.pool.constant(64, u128::from(size + 1));
            let room = self.pool.sub(room, start);
            let any = self.var(64, None);
            let len = self.pool.bin(BinOp::URem, any, room);
            (start, len, 1, 0)
        } else {
            let grain = (1 << self.random.below(4)).min(1 << size.ilog2());
            let start = self.random.below(size - grain + 1);
            let count = self.var(64, Some((size - start) / grain + 1));
            let by = self.pool.constant(64, u128::from(grain));
            let len = self.pool.bin(BinOp::Mul, count, by);
            (self.pool.constant(64, u128::from(start)), len, grain, start)
        };
        let covered = Covered {
            range: first..first + (size - first) / grain * grain,
            grain,
            start: self.pool.value(start),
            len,
        };
        let width = grain as Width * 8;
        let same = self.random.one_in(2).then(|| self.value(path, width));
        let values: Vec<Option<Value>> = covered
            .grains()
            .map(|_| {
                let value = same.unwrap_or_else(|| self.value(path, width));
                Some(match value {
                    Value::Undef => Value::Int(0),
                    value => value,
                })
            })
            .collect();
        for k in 0..ASSIGNMENTS {
            let start = self.eval(path, k, start) as u64;
            let end = start + self.eval(path, k, len) as u64;
            for (at, value) in covered.grains().zip(&values) {
                if at < start || end <= at {
                    continue;
                }
                let value = value.expect("there is one");
                let word = self.eval_value(path, k, value, width).to_le_bytes();
                for i in 0..grain {
                    let byte = &mut path.objects[o].bytes[k][(at + i) as usize];
                    *byte = Some(word[i as usize]);
                }
            }
        }
        path.memory
            .write_covered(&mut self.pool, id, &covered, &values);
    }

    pub(super) fn inspect(&mut self, path: &Path, o: usize) {
        let object = &path.objects[o];
        let at = self.random.below(object.size() + 1);
        let len = self.random.below(object.size() - at + 1);
        let range = at as usize..(at + len) as usize;
        if let Some(bytes) = path.memory.concrete_bytes(object.id, at, len) {
            let bytes: Vec<_> = bytes.into_iter().map(Some).collect();
            for k in 0..ASSIGNMENTS {
                assert_eq!(object.bytes[k][range.clone()], bytes);
            }
        }
        let first = path.memory.first_uninit(&self.pool, object.id, at, len);
        let sure = first.map_or(at + len, |f| f) as usize;
        assert!((at as usize..=(at + len) as usize).contains(&sure));
        for at in at as usize..sure {
            if object.bytes.iter().all(|bytes| bytes[at].is_some()) {
                continue;
            }
            // The term of an unwritten byte, copied here, may by chance have the value of this one.
            let v = path.memory.load(&mut self.pool, object.id, at as u64, 8);
            let tainted = matches!(v, Value::Expr(e) if self.pool.has_uninit(e));
            assert!(tainted, "byte {at} of {o}");
        }
        let address = path.memory.object(object.id).address;
        assert_eq!(path.memory.find(address + at), Some((object.id, at)));
    }
}
