//! Accesses to members of segments: targets of a pointer that lie in one segment are one access to
//! it, at the offset that the pointer's own term gives [SMM 2.2; RAM 2.3.2].

use crate::exec::Executor;
use crate::exec::memory::access::Access;
use crate::exec::memory::resolve::Several;
use crate::state::State;
use rustc_hash::FxHashMap;
use symex_memory::{Checked, SegmentId};
use symex_terms::{Expr, ObjectId, Value, Width};

/// One load or store of those that make up an access to several places.
pub(in crate::exec) struct AccessPart {
    /// Condition for the pointer to lead here; ignored if this is the only part.
    pub guard: Expr,
    pub at: PartAt,
}

pub(in crate::exec) enum PartAt {
    One(Checked),
    /// Members of a segment, and the offset in the segment.
    Members(SegmentId, Vec<Checked>, Expr),
}

impl Executor<'_> {
    /// Groups checked places by their segments, after moving objects together if the memory model
    /// wants it.
    pub(in crate::exec) fn parts(
        &mut self,
        st: &mut State,
        several: &Several,
        places: Vec<(Expr, Checked)>,
        (bytes, access): (u64, Access),
    ) -> Vec<AccessPart> {
        if several.together && places.len() > 1 {
            self.move_together(st, &places);
        }
        // A place that no base in the term stands for has no offset in the term.
        let named: FxHashMap<Expr, Option<ObjectId>> = several
            .groups
            .iter()
            .map(|g| (g.candidate.guard, g.candidate.object))
            .collect();
        // Places that agree in offset and size are in bounds all of them or none.
        let shape = |at: &Checked| (at.offset, st.memory.object(at.object).size);
        let alike = places
            .windows(2)
            .all(|two| shape(&two[0].1) == shape(&two[1].1));
        let mut parts: Vec<Vec<(Expr, Checked)>> = Vec::new();
        let mut of_segment: FxHashMap<SegmentId, usize> = FxHashMap::default();
        for (guard, at) in places {
            let is_named = named.get(&guard) == Some(&Some(at.object));
            let part = match st.memory.segment_of(at.object) {
                Some((segment, _)) if is_named => *of_segment.entry(segment).or_insert(parts.len()),
                _ => parts.len(),
            };
            if part == parts.len() {
                parts.push(Vec::new());
            }
            parts[part].push((guard, at));
        }
        let parts = parts.into_iter();
        let parts: Vec<_> = parts
            .flat_map(|places| self.whole_pointers(st, places, bytes, access == Access::Write))
            .collect();
        let only = parts.len() == 1;
        let mut made = Vec::with_capacity(parts.len());
        for mut places in parts {
            for (_, at) in &mut places {
                *at = self.in_parts_of_one(st, *at, bytes);
            }
            if let ([(guard, at)], Access::Write, false) = (&mut places[..], access, alike) {
                *at = self.confined(st, *guard, *at, bytes);
            }
            made.push(self.part(st, several, places, bytes, only));
        }
        made
    }

    /// Returns the access with an offset that is in bounds for inputs that lead elsewhere, too: a
    /// byte that is read there and written back must be the same byte of the same array.
    fn confined(&mut self, st: &State, guard: Expr, at: Checked, bytes: u64) -> Checked {
        let held = st.memory.segment_of(at.object);
        let first = held.map_or(0, |(_, first)| first);
        let (Value::Expr(offset), Some(place)) =
            (at.offset, st.memory.some_place(&self.pool, &[at], bytes))
        else {
            return at;
        };
        let place = self.pool.constant(64, u128::from(place - first));
        let offset = self.pool.ite(guard, offset, place);
        Checked {
            offset: self.pool.value(offset),
            ..at
        }
    }

    /// Returns places in one segment as one access, or each on its own if one access to all would
    /// split pointers.
    fn whole_pointers(
        &mut self,
        st: &mut State,
        places: Vec<(Expr, Checked)>,
        bytes: u64,
        store: bool,
    ) -> Vec<Vec<(Expr, Checked)>> {
        let segment = st.memory.segment_of(places[0].1.object);
        let bounds = segment.is_some_and(|(segment, _)| {
            let memory = &st.memory;
            places.len() > 1 && memory.cuts_pointers(&self.pool, segment, bytes, store)
        });
        if !bounds {
            return vec![places];
        }
        for (_, at) in &places {
            // At a known offset it can be accessed where it is.
            if !matches!(at.offset, Value::Int(_)) {
                st.memory.take_apart(&mut self.pool, at.object);
            }
        }
        places.into_iter().map(|place| vec![place]).collect()
    }

    /// Moves an object out of its segment if an access to it at a symbolic offset would split
    /// pointers of other members.
    pub(in crate::exec) fn keep_whole(
        &mut self,
        st: &mut State,
        object: ObjectId,
        bytes: u64,
        store: bool,
    ) {
        if let Some((segment, _)) = st.memory.segment_of(object)
            && st.memory.cuts_pointers(&self.pool, segment, bytes, store)
        {
            st.memory.take_apart(&mut self.pool, object);
        }
    }

    fn move_together(&mut self, st: &mut State, places: &[(Expr, Checked)]) {
        let objects: Vec<ObjectId> = places.iter().map(|(_, at)| at.object).collect();
        self.policy
            .move_together(&mut self.pool, &mut st.memory, &objects);
    }

    fn part(
        &mut self,
        st: &State,
        several: &Several,
        places: Vec<(Expr, Checked)>,
        bytes: u64,
        only: bool,
    ) -> AccessPart {
        let mut guard = self.pool.bool(false);
        for (g, _) in &places {
            guard = self.pool.or(guard, *g);
        }
        let one = |places: &[(Expr, Checked)]| PartAt::One(places[0].1);
        if places.len() == 1 {
            return AccessPart {
                guard,
                at: one(&places),
            };
        }
        let held = |object| st.memory.segment_of(object).expect("members were grouped");
        let (segment, _) = held(places[0].1.object);
        let mut members: Vec<(ObjectId, u64)> = places
            .iter()
            .map(|(_, at)| (at.object, held(at.object).1))
            .collect();
        members.sort_unstable();
        let offset = self
            .pointer_terms
            .offsets(&mut self.pool, several.choice, members)
            .expect("the term names the members");
        let mut index = self.pool.add(offset, several.rest);
        let places: Vec<Checked> = places.iter().map(|(_, at)| *at).collect();
        if !only {
            // Elsewhere the access must still be one to a member.
            let place = st.memory.some_place(&self.pool, &places, bytes);
            let place = self.pool.constant(64, place.unwrap_or(0).into());
            index = self.pool.ite(guard, index, place);
        }
        AccessPart {
            guard,
            at: PartAt::Members(segment, places, index),
        }
    }

    pub(in crate::exec) fn load_part(
        &mut self,
        st: &mut State,
        part: &AccessPart,
        width: Width,
    ) -> Value {
        match &part.at {
            PartAt::One(at) => self.load_checked(st, *at, width),
            PartAt::Members(segment, places, index) => {
                let loaded = st
                    .memory
                    .load_member(&mut self.pool, *segment, places, *index, width);
                self.written_or_exact(st, loaded)
            }
        }
    }

    pub(in crate::exec) fn store_part(
        &mut self,
        st: &mut State,
        part: &AccessPart,
        width: Width,
        value: Value,
    ) {
        match &part.at {
            PartAt::One(at) => self.store_checked(st, *at, width, value),
            PartAt::Members(segment, places, index) => {
                let memory = &mut st.memory;
                memory.store_member(&mut self.pool, *segment, places, *index, width, value);
            }
        }
    }
}
