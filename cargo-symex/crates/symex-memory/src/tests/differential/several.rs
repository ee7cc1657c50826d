//! Tests of accesses through pointers to several objects, and of moving objects together.

use super::random::Draw;
use super::reference::Path;
use super::{ASSIGNMENTS, TestWorld};
use crate::{AccessSite, Checked, Pointer, Within};
use std::collections::BTreeSet;
use symex_terms::{Expr, ObjectId, Value};

/// One of several objects of a segment to which an access may go.
pub(super) struct Member {
    o: usize,
    offset: Expr,
    within: Option<Within>,
    /// Condition that it is chosen, unless an earlier one is.
    when: Expr,
}

/// A pointer that refers to one of several objects: a term that stands for the choice, and each
/// object with its condition and an offset.
#[derive(Clone)]
pub(super) struct SeveralPlaces {
    choice: Expr,
    targets: Vec<(ObjectId, Expr, u64)>,
}

impl TestWorld {
    /// Moves some of the objects together.
    pub(super) fn unite(&mut self, path: &mut Path) {
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

    /// Picks objects that share a segment with `o`, each with an offset at which `n` bytes are in
    /// bounds, and a choice between them: the conditions, and the offset in the segment.
    pub(super) fn members(&mut self, path: &Path, o: usize, n: u64) -> Option<(Vec<Member>, Expr)> {
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

    /// Returns the member and offset that are chosen under an assignment.
    pub(super) fn chosen(&mut self, path: &Path, k: usize, members: &[Member]) -> (usize, u64) {
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
    pub(super) fn access_member(&mut self, path: &mut Path, o: usize, store: bool) {
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

    /// Makes a pointer to several objects, a new one or an earlier one, if all its objects are
    /// alive.
    pub(super) fn pointer(&mut self, path: &Path) -> Option<SeveralPlaces> {
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
        let several = SeveralPlaces { choice, targets };
        self.several.push(several.clone());
        Some(several)
    }

    /// Loads through a pointer to several objects, or stores there.
    pub(super) fn access_several(&mut self, path: &mut Path, store: bool) {
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
            AccessSite {
                guard: *guard,
                object: *object,
                offset: self.pool.add(at, rest),
            }
        });
        let sites: Vec<AccessSite> = sites.collect();
        let choice = several.choice;
        let pointer = self.random.one_in(2).then_some(Pointer { choice, rest });
        let place = |world: &mut TestWorld, path: &Path, k: usize| {
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
}
