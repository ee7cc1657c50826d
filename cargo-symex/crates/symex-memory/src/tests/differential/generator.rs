//! Generators of random values, offsets and objects.

use super::random::Draw;
use super::reference::{Naive, Path};
use super::{ASSIGNMENTS, TestWorld};
use crate::{Initial, NewObject, ObjectKind, Within};
use symex_program::LocId;
use symex_terms::{BinOp, Expr, Origin, Value, Var, VarInfo, Width};

impl TestWorld {
    pub(super) fn var(&mut self, width: Width, below: Option<u64>) -> Expr {
        self.name_unwritten();
        self.draws += 1;
        let e = self.pool.var(VarInfo {
            name: "v".into(),
            width,
            origin: Origin::Input {
                input: self.draws,
                part: 0,
            },
        });
        for k in 0..ASSIGNMENTS {
            let v = match below {
                Some(n) => u128::from(self.random.below(n)),
                None => self.random.wide(width),
            };
            self.assignments[k].set(Var(self.pool.var_count() as u32 - 1), v);
        }
        self.vars = self.pool.var_count();
        e
    }

    pub(super) fn width(&mut self) -> Width {
        [8, 8, 8, 16, 32, 32, 64, 64, 64, 128, 1, 17, 24, 96][self.random.below(14) as usize]
    }

    pub(super) fn value(&mut self, path: &Path, width: Width) -> Value {
        match self.random.below(10) {
            0..4 if width <= 64 => Value::Int(self.random.wide(width) as u64),
            4..6 if width == 64 => {
                let id = path.objects[self.random.below(path.objects.len() as u64) as usize].id;
                Value::Ptr(id, self.random.below(64))
            }
            6 if width > 8 => {
                let low = self.var(width / 2, None);
                let e = self.pool.zext(low, width);
                Value::Expr(e)
            }
            7 if self.random.one_in(2) => Value::Undef,
            8 if width > 64 => {
                let word = self.random.wide(width);
                Value::Expr(self.pool.constant(width, word))
            }
            _ => Value::Expr(self.var(width, None)),
        }
    }

    /// Draws an offset at which `n` bytes are in bounds under every assignment, and perhaps the
    /// parts that it is in.
    pub(super) fn offset(&mut self, size: u64, n: u64) -> (Expr, Option<Within>) {
        let room = size - n;
        let stride = 1 << self.random.below(5);
        let base = self.random.below(room + 1);
        let base = if self.random.one_in(2) {
            base / stride * stride
        } else {
            base
        };
        let mut steps = (room - base) / stride;
        if self.random.one_in(2) {
            steps = steps.min(self.random.below(8));
        }
        let part = 8 << self.random.below(4);
        let within = self.random.one_in(2).then_some(Within {
            from: base / part * part,
            to: (base + steps * stride) / part * part + part,
        });
        let base = self.pool.constant(64, u128::from(base));
        let i = match self.random.below(3) {
            0 => self.var(64, Some(steps + 1)),
            1 => {
                let bits = (steps + 1).ilog2().max(1);
                let below = (steps + 1).min(1 << bits);
                let i = self.var(bits, Some(below));
                self.pool.zext(i, 64)
            }
            _ => {
                let i = self.var(64, None);
                let m = self.pool.constant(64, u128::from(steps + 1));
                self.pool.bin(BinOp::URem, i, m)
            }
        };
        let scaled = if self.random.one_in(2) {
            let by = self.pool.constant(64, u128::from(stride.ilog2()));
            self.pool.bin(BinOp::Shl, i, by)
        } else {
            let by = self.pool.constant(64, u128::from(stride));
            self.pool.bin(BinOp::Mul, i, by)
        };
        (self.pool.add(scaled, base), within)
    }

    pub(super) fn allocate(&mut self, path: &mut Path) {
        let size = match self.random.below(8) {
            0 => self.random.below(4),
            1..4 => self.random.below(33),
            4 => self.random.below(97),
            5 => self.random.below(257),
            _ => 257 + self.random.below(500),
        };
        let (initial, first): (Initial, Vec<Option<u8>>) = match self.random.below(3) {
            0 => (Initial::Uninit, vec![None; size as usize]),
            1 => (Initial::Zero, vec![Some(0); size as usize]),
            _ => {
                let n = self.random.below(size + 1) as usize;
                let b: Vec<u8> = (0..n).map(|_| self.random.bits() as u8).collect();
                let mut all: Vec<_> = b.iter().map(|b| Some(*b)).collect();
                all.resize(size as usize, Some(0));
                (Initial::Bytes(b.into()), all)
            }
        };
        let id = path.memory.allocate(NewObject {
            size,
            length: None,
            align_log2: self.random.below(5) as u8,
            kind: if self.random.one_in(2) {
                ObjectKind::Heap(crate::Allocator::C)
            } else {
                ObjectKind::Stack
            },
            site: LocId(0),
            birth: 0,
            initial,
        });
        path.objects.push(Naive {
            id,
            bytes: std::array::from_fn(|_| first.clone()),
        });
    }
}
