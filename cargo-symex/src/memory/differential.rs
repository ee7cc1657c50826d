//! Random sequences of operations against a naive model: one array of bytes for each of a few assignments.
//!
//! Every term that memory gives is evaluated under each assignment and must be what the model holds there.
//!
//! `SYMEX_TEST_SEEDS=N` tries so many sequences.

use super::{
    AddressSpace, Checked, Covered, Initial, Keep, NewObject, ObjectKind, Pointer, Site,
    SymbolicLoad, Within,
};
use crate::expr::{Assignment, BinOp, Expr, ObjectId, Origin, Pool, Value, Var, VarInfo, Width};
use crate::program::LocId;
use std::collections::BTreeSet;

const ASSIGNMENTS: usize = 3;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn wide(&mut self, width: Width) -> u128 {
        let v = u128::from(self.next()) << 64 | u128::from(self.next());
        v >> (128 - width)
    }
}

fn mix(parts: [u64; 3]) -> u64 {
    let mut r = Random(0x9e37_79b9_7f4a_7c15);
    for p in parts {
        r.0 ^= p.wrapping_mul(0xff51_afd7_ed55_8ccd).wrapping_add(1);
        r.0 = r.next() | 1;
    }
    r.next()
}

/// What a byte that nobody wrote holds under an assignment.
fn unwritten(assignment: usize, id: ObjectId, offset: u64) -> u8 {
    mix([assignment as u64, u64::from(id.0), offset]) as u8
}

#[derive(Clone)]
struct Naive {
    id: ObjectId,
    /// For each assignment each byte, if it was written.
    bytes: [Vec<Option<u8>>; ASSIGNMENTS],
}

impl Naive {
    fn size(&self) -> u64 {
        self.bytes[0].len() as u64
    }

    fn read(&self, k: usize, at: u64, n: u64) -> (u128, bool) {
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
struct Path {
    memory: AddressSpace,
    objects: Vec<Naive>,
}

/// One of several objects of a segment to which an access may go.
struct Member {
    o: usize,
    offset: Expr,
    within: Option<Within>,
    /// Is it chosen before those that come earlier?
    when: Expr,
}

/// A pointer that refers to one of several objects: a term that stands for the choice, and each object with the condition
/// that it is that, and an offset.
#[derive(Clone)]
struct Several {
    choice: Expr,
    targets: Vec<(ObjectId, Expr, u64)>,
}

struct World {
    random: Random,
    pool: Pool,
    assignments: [Assignment; ASSIGNMENTS],
    vars: usize,
    draws: u32,
    /// Most regions that an object had.
    most_regions: usize,
    several: Vec<Several>,
}

impl World {
    fn new(seed: u64) -> World {
        World {
            random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            pool: Pool::new(),
            assignments: Default::default(),
            vars: 0,
            draws: 0,
            most_regions: 0,
            several: Vec::new(),
        }
    }

    fn var(&mut self, width: Width, below: Option<u64>) -> Expr {
        self.name_unwritten();
        self.draws += 1;
        let e = self.pool.var(VarInfo {
            name: "v".into(),
            width,
            origin: Origin::Input {
                draw: self.draws,
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

    /// Gives values to variables that memory made.
    fn name_unwritten(&mut self) {
        while self.vars < self.pool.var_count() {
            let v = Var(self.vars as u32);
            let info = self.pool.var_info(v).clone();
            let Origin::Uninit { object, offset } = info.origin else {
                panic!("memory made {info:?}");
            };
            assert_eq!(info.width, 8);
            for k in 0..ASSIGNMENTS {
                // Between the members of a segment, bytes are nobody's.
                let byte = object.map_or(0xa5, |id| unwritten(k, id, offset));
                self.assignments[k].set(v, u128::from(byte));
            }
            self.vars += 1;
        }
    }

    fn eval(&mut self, path: &Path, k: usize, e: Expr) -> u128 {
        self.name_unwritten();
        self.pool.eval(e, &self.assignments[k], &path.memory)
    }

    fn eval_value(&mut self, path: &Path, k: usize, value: Value, width: Width) -> u128 {
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

    fn width(&mut self) -> Width {
        [8, 8, 8, 16, 32, 32, 64, 64, 64, 128, 1, 17, 24, 96][self.random.below(14) as usize]
    }

    fn value(&mut self, path: &Path, width: Width) -> Value {
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

    /// An offset at which `n` bytes are in bounds under every assignment, and perhaps the parts that it is in.
    fn offset(&mut self, size: u64, n: u64) -> (Expr, Option<Within>) {
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

    fn allocate(&mut self, path: &mut Path) {
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
                let b: Vec<u8> = (0..n).map(|_| self.random.next() as u8).collect();
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
                ObjectKind::Heap
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

    fn check(&mut self, path: &Path, o: usize, at: u64, n: u64, value: Value, width: Width) {
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

    fn load(&mut self, path: &Path, o: usize) {
        let width = self.width();
        let n = u64::from(width.div_ceil(8));
        let (id, size) = (path.objects[o].id, path.objects[o].size());
        if size < n {
            return;
        }
        let at = self.random.below(size - n + 1);
        if matches!(width, 8 | 16 | 32 | 64)
            && let Some(v) = path.memory.load_fast(id, at, n as u32)
        {
            self.check(path, o, at, n, v, width);
            // A choice that a write of symbolic length left may show what nobody wrote.
            if !matches!(v, Value::Expr(e) if self.pool.has_uninit(e)) {
                assert!((0..ASSIGNMENTS).all(|k| path.objects[o].read(k, at, n).1));
            }
        }
        let v = path.memory.load(&mut self.pool, id, at, width);
        self.check(path, o, at, n, v, width);
    }

    fn load_symbolic(&mut self, path: &mut Path, o: usize) {
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

    /// Is what was loaded at a symbolic offset what an object has where that is under an assignment?
    fn check_loaded(
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
        // What was stored may itself be something that nobody wrote.
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

    /// Moves some of the objects together.
    fn unite(&mut self, path: &mut Path) {
        let some = self.random.below(1 << path.objects.len());
        let chosen = path.objects.iter().enumerate();
        let chosen = chosen.filter(|(i, _)| some >> i & 1 == 1);
        let ids: Vec<ObjectId> = chosen.map(|(_, object)| object.id).collect();
        let most = [64, 256, 1024, u64::MAX][self.random.below(4) as usize];
        let moved = path.memory.unite(&mut self.pool, &ids, most);
        let segments: BTreeSet<_> = ids
            .iter()
            .filter_map(|id| path.memory.segment_of(*id))
            .map(|(segment, _)| segment)
            .collect();
        assert!(segments.len() as u64 >= moved.segments);
        if most == u64::MAX {
            assert!(segments.len() == 1 || ids.is_empty());
            let members = ids
                .iter()
                .filter(|id| path.memory.segment_of(**id).is_some());
            assert_eq!(members.count(), ids.len());
        }
    }

    /// Objects that share a segment with `o`, each with an offset at which `n` bytes are in bounds; and a choice between
    /// them: when it is which, and the offset in the segment.
    fn members(&mut self, path: &Path, o: usize, n: u64) -> Option<(Vec<Member>, Expr)> {
        let (segment, _) = path.memory.segment_of(path.objects[o].id)?;
        let mut members = Vec::new();
        let mut index: Option<Expr> = None;
        for i in 0..path.objects.len() {
            let (id, size) = (path.objects[i].id, path.objects[i].size());
            let here = path.memory.segment_of(id).filter(|(s, _)| *s == segment);
            let Some((_, first)) = here.filter(|_| size >= n) else {
                continue;
            };
            let (offset, within) = match self.random.below(3) {
                0 => self.offset(size, n),
                _ => {
                    let at = self.random.below(size - n + 1);
                    (self.pool.constant(64, u128::from(at)), None)
                }
            };
            let first = self.pool.constant(64, u128::from(first));
            let whole = self.pool.add(first, offset);
            let when = self.var(1, None);
            index = Some(match index {
                None => whole,
                Some(other) => self.pool.ite(when, whole, other),
            });
            members.push(Member {
                o: i,
                offset,
                within,
                when,
            });
        }
        Some((members, index?))
    }

    /// The member and offset that are chosen under an assignment.
    fn chosen(&mut self, path: &Path, k: usize, members: &[Member]) -> (usize, u64) {
        let others = members[1..].iter().rev();
        let mut chosen = &members[0];
        for member in others {
            if self.eval(path, k, member.when) == 1 {
                chosen = member;
                break;
            }
        }
        (chosen.o, self.eval(path, k, chosen.offset) as u64)
    }

    /// Loads from one of several members of a segment, or stores there.
    fn access_member(&mut self, path: &mut Path, o: usize, store: bool) {
        let width = self.width();
        let n = u64::from(width.div_ceil(8));
        let Some((members, index)) = self.members(path, o, n) else {
            return;
        };
        let (segment, _) = path
            .memory
            .segment_of(path.objects[members[0].o].id)
            .expect("a member");
        let places: Vec<Checked> = members
            .iter()
            .map(|m| Checked {
                within: m.within,
                ..Checked::new(path.objects[m.o].id, self.pool.value(m.offset))
            })
            .collect();
        if !store {
            let v = path
                .memory
                .load_member(&mut self.pool, segment, &places, index, width);
            for k in 0..ASSIGNMENTS {
                let place = self.chosen(path, k, &members);
                self.check_loaded(path, k, place, v, width);
            }
            return;
        }
        let value = match self.value(path, width) {
            Value::Undef => Value::Int(0),
            value => value,
        };
        for k in 0..ASSIGNMENTS {
            let (o, at) = self.chosen(path, k, &members);
            let word = self.eval_value(path, k, value, width);
            for i in 0..n {
                let byte = &mut path.objects[o].bytes[k][(at + i) as usize];
                *byte = Some(word.to_le_bytes()[i as usize]);
            }
        }
        path.memory
            .store_member(&mut self.pool, segment, &places, index, width, value);
    }

    /// A pointer to several objects, a new one or one of those before, if all its objects are alive.
    fn pointer(&mut self, path: &Path) -> Option<Several> {
        let count = self.several.len() as u64;
        if count > 0 && self.random.one_in(2) {
            let known = self.several[self.random.below(count) as usize].clone();
            let mut ids = known.targets.iter().map(|t| t.0);
            let is_here = |id| path.objects.iter().any(|object| object.id == id);
            return ids.all(is_here).then_some(known);
        }
        let choice = self.var(64, None);
        let mut rest = self.pool.bool(true);
        let mut targets = Vec::new();
        for object in &path.objects {
            if object.size() == 0 || targets.len() == 3 {
                continue;
            }
            let at = self.random.below(object.size());
            let when = self.var(1, None);
            let guard = self.pool.and(rest, when);
            let not = self.pool.not(when);
            rest = self.pool.and(rest, not);
            targets.push((object.id, guard, at));
        }
        let last = targets.last_mut()?;
        last.1 = self.pool.or(last.1, rest);
        let several = Several { choice, targets };
        self.several.push(several.clone());
        Some(several)
    }

    /// Loads through a pointer to several objects, or stores there.
    fn access_several(&mut self, path: &mut Path, store: bool) {
        let width = self.width();
        let n = u64::from(width.div_ceil(8));
        let Some(several) = self.pointer(path) else {
            return;
        };
        let find = |id| path.objects.iter().position(|o| o.id == id);
        let of: Vec<usize> = several.targets.iter().filter_map(|t| find(t.0)).collect();
        let rooms = of.iter().zip(&several.targets);
        let rooms = rooms.map(|(o, t)| path.objects[*o].size().saturating_sub(t.2));
        let room = rooms.min().expect("there is a target");
        if room < n {
            return;
        }
        let rest = match self.random.below(3) {
            0 => self.pool.constant(64, u128::from((room - n) / 2)),
            _ => self.offset(room, n).0,
        };
        let sites = several.targets.iter().map(|(object, guard, at)| {
            let at = self.pool.constant(64, u128::from(*at));
            Site {
                guard: *guard,
                object: *object,
                offset: self.pool.add(at, rest),
            }
        });
        let sites: Vec<Site> = sites.collect();
        let choice = several.choice;
        let pointer = self.random.one_in(2).then_some(Pointer { choice, rest });
        let place = |world: &mut World, path: &Path, k: usize| {
            let mut chosen = sites.iter().zip(&of);
            let chosen = chosen.find(|(site, _)| world.eval(path, k, site.guard) == 1);
            let (site, o) = chosen.expect("one of them is chosen");
            (*o, world.eval(path, k, site.offset) as u64)
        };
        if !store {
            let memory = &mut path.memory;
            let reading = memory.find_records(&mut self.pool, &sites, pointer, width);
            let v = path.memory.value_of_reading(&mut self.pool, reading);
            for k in 0..ASSIGNMENTS {
                let at = place(self, path, k);
                self.check_loaded(path, k, at, v, width);
            }
            return;
        }
        let value = match self.value(path, width) {
            Value::Undef => Value::Int(0),
            value => value,
        };
        for k in 0..ASSIGNMENTS {
            let (o, at) = place(self, path, k);
            let word = self.eval_value(path, k, value, width);
            for i in 0..n {
                let byte = &mut path.objects[o].bytes[k][(at + i) as usize];
                *byte = Some(word.to_le_bytes()[i as usize]);
            }
        }
        let memory = &mut path.memory;
        memory.record(&mut self.pool, &sites, pointer, width, value);
    }

    fn store(&mut self, path: &mut Path, o: usize, symbolic: bool) {
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
                    && path.memory.store_fast(id, at, n as u32, value);
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

    fn copy(&mut self, path: &mut Path) {
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

    fn fill(&mut self, path: &mut Path, o: usize) {
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

    /// A write of a length that is not known, perhaps at a place that is not known.
    fn write_covered(&mut self, path: &mut Path, o: usize) {
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

    fn inspect(&mut self, path: &Path, o: usize) {
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
            // The term of a byte that nobody wrote, copied here, may by chance have the value of this one.
            let v = path.memory.load(&mut self.pool, object.id, at as u64, 8);
            let tainted = matches!(v, Value::Expr(e) if self.pool.has_uninit(e));
            assert!(tainted, "byte {at} of {o}");
        }
        let address = path.memory.object(object.id).address;
        assert_eq!(path.memory.find(address + at), Some((object.id, at)));
    }

    fn run(&mut self, steps: usize, keep: Keep) {
        let mut paths = vec![Path {
            memory: AddressSpace::default().keeping(keep),
            objects: Vec::new(),
        }];
        for _ in 0..3 {
            self.allocate(&mut paths[0]);
        }
        for _ in 0..steps {
            let at = self.random.below(paths.len() as u64) as usize;
            if paths.len() < 4 && self.random.one_in(12) {
                paths.push(paths[at].clone());
            }
            let path = &mut paths[at];
            let o = self.random.below(path.objects.len() as u64) as usize;
            match self.random.below(31) {
                0..5 => self.load(path, o),
                5..11 => self.store(path, o, false),
                11..14 => self.load_symbolic(path, o),
                14..17 => self.store(path, o, true),
                17..19 => self.copy(path),
                19 => self.fill(path, o),
                24..26 => self.write_covered(path, o),
                26 if self.random.one_in(4) => {
                    let id = path.objects[o].id;
                    path.memory.take_apart(&mut self.pool, id);
                    assert_eq!(path.memory.segment_of(id), None);
                }
                26 => self.unite(path),
                27..29 if keep == Keep::Arrays => self.access_member(path, o, false),
                29..31 if keep == Keep::Arrays => self.access_member(path, o, true),
                27..29 => self.access_several(path, false),
                29..31 => self.access_several(path, true),
                20..22 => self.inspect(path, o),
                22 if path.objects.len() < 5 => self.allocate(path),
                _ if path.objects.len() > 2 && self.random.one_in(3) => {
                    let gone = path.objects.remove(o);
                    path.memory.free(gone.id);
                    assert!(!path.memory.is_live(gone.id));
                    assert_eq!(path.memory.load_fast(gone.id, 0, 1), None);
                }
                _ => self.load(path, o),
            }
            for object in &paths[at].objects {
                let regions = paths[at].memory.regions_of(object.id);
                assert!(regions.is_sorted_by(|a, b| a.1 <= b.0), "{regions:?}");
                assert!(regions.iter().all(|(lo, end)| lo < end), "{regions:?}");
                self.most_regions = self.most_regions.max(regions.len());
            }
        }
        for path in &paths {
            self.check_all(path);
        }
    }

    fn check_all(&mut self, path: &Path) {
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

fn compare(keep: Keep) {
    let seeds = std::env::var("SYMEX_TEST_SEEDS");
    let seeds = seeds.map_or(800, |n| n.parse().expect("a number"));
    let mut several = 0;
    for seed in 1..=seeds {
        let mut world = World::new(seed);
        let run = || world.run(80, keep);
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        if let Err(e) = done {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(e);
        }
        several += u64::from(world.most_regions > 2);
    }
    assert!(
        keep != Keep::Arrays || several * 100 > seeds,
        "{several} of {seeds} had three regions"
    );
}

#[test]
fn memory_agrees_with_arrays_of_bytes() {
    compare(Keep::Arrays);
}

#[test]
fn records_agree_with_arrays_of_bytes() {
    compare(Keep::Records);
    compare(Keep::AllRecords);
}
