//! Merged accesses to several objects at once: loads make an if-then-else of their values, stores
//! write to each under its guard [RAM 1, "merging"].

use crate::exec::Executor;
use crate::exec::memory::access::Access;
use crate::exec::memory::resolve::{ResolvedPointer, Several, Target};
use crate::exec::path::end::Res;
use crate::state::State;
use rustc_hash::FxHashMap;
use symex_memory::{Checked, ObjectKind};
use symex_terms::{Expr, Value, Width};

/// Properties of a place on which the conditions of an access depend. Places with equal properties
/// have equal conditions.
#[derive(PartialEq, Eq, Hash)]
enum PlaceShape {
    Nowhere(u64),
    Object {
        offset: Value,
        live: bool,
        out_of_scope: bool,
        kind: ObjectKind,
        size: u64,
        sure_size: u64,
        length: Option<Expr>,
        align_log2: u8,
        /// Whether the path relies on the alignment of the address.
        by_address: bool,
        /// Low bits of the address, where the object's alignment does not determine them.
        low: u64,
    },
}

impl PlaceShape {
    fn of(st: &State, place: ResolvedPointer, align_log2: u8) -> PlaceShape {
        match place {
            ResolvedPointer::Nowhere(address) => PlaceShape::Nowhere(address),
            ResolvedPointer::Object(id, offset) => {
                let o = st.memory.object(id);
                PlaceShape::Object {
                    offset,
                    live: st.memory.is_live(id),
                    out_of_scope: st.memory.is_out_of_scope(id),
                    kind: o.kind,
                    size: o.size,
                    sure_size: st.memory.sure_size(id),
                    length: o.length.map(|length| length.term),
                    align_log2: o.align_log2,
                    by_address: st.memory.is_by_address(id),
                    low: if o.align_log2 < align_log2 {
                        o.address & ((1 << align_log2) - 1)
                    } else {
                        0
                    },
                }
            }
        }
    }
}

impl Executor<'_> {
    /// Returns the places of targets, each checked under its guard. Faults end the paths on which
    /// they happen; targets that no input of the path leads to, or only faulty ones, are left out.
    ///
    /// Targets with equal conditions are checked as one, and all of them with one query if there is
    /// no fault.
    pub(in crate::exec) fn check_targets(
        &mut self,
        st: &mut State,
        targets: &[Target],
        size: u64,
        align_log2: u8,
        access: Access,
    ) -> Res<Vec<(Expr, Checked)>> {
        let mut known: FxHashMap<PlaceShape, usize> = FxHashMap::default();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (i, t) in targets.iter().enumerate() {
            let group = *known
                .entry(PlaceShape::of(st, t.place, align_log2))
                .or_insert_with(|| {
                    groups.push(Vec::new());
                    groups.len() - 1
                });
            groups[group].push(i);
        }
        let mut all = Vec::new();
        let mut possible = vec![true; targets.len()];
        for group in &groups {
            let demands = self.demands(st, targets[group[0]].place, size, align_log2, access);
            if demands.is_empty() {
                continue;
            }
            let elsewhere = self.in_none_of(targets, group);
            for (must, fault) in demands {
                if must.is_none() {
                    group.iter().for_each(|i| possible[*i] = false);
                }
                let must = must.map_or(elsewhere, |must| self.pool.or(elsewhere, must));
                let objects = group.iter().filter_map(|i| match targets[*i].place {
                    ResolvedPointer::Object(object, _) => Some((targets[*i].guard, object)),
                    ResolvedPointer::Nowhere(_) => None,
                });
                let fault = fault.of_one(objects.collect());
                all.push((must, fault));
            }
        }
        self.require_all(st, all)?;
        let fine = targets
            .iter()
            .zip(possible)
            .filter(|(_, possible)| *possible);
        Ok(fine.map(|(t, _)| (t.guard, t.place.checked())).collect())
    }

    /// Makes the condition that a pointer leads to none of a group (ascending positions) of its
    /// targets, as the shorter of two terms.
    fn in_none_of(&mut self, targets: &[Target], group: &[usize]) -> Expr {
        let any = |m: &mut Self, of: &mut dyn Iterator<Item = usize>| {
            let mut any = m.pool.bool(false);
            for i in of {
                any = m.pool.or(any, targets[i].guard);
            }
            any
        };
        if group.len() * 2 > targets.len() {
            let others = &mut (0..targets.len()).filter(|i| group.binary_search(i).is_err());
            return any(self, others);
        }
        let here = any(self, &mut group.iter().copied());
        self.pool.not(here)
    }

    /// Loads from the target that the inputs select.
    pub(in crate::exec) fn load_any(
        &mut self,
        st: &mut State,
        several: &Several,
        width: Width,
        align_log2: u8,
    ) -> Res<Value> {
        let size = width.div_ceil(8) as u64;
        let places = self.check_targets(st, &several.targets, size, align_log2, Access::Read)?;
        if st.memory.keeps_records() {
            return Ok(self.load_any_recorded(st, several, &places, width));
        }
        let parts = self.parts(st, several, places, (size, Access::Read));
        let load = |part| self.load_part(st, part, width);
        let values: Vec<Value> = parts.iter().map(load).collect();
        if let Some(value) = self.gather(st, several, &parts, &values, width) {
            return Ok(value);
        }
        let mut chosen: Option<Value> = None;
        for (part, value) in parts.iter().zip(values).rev() {
            chosen = Some(match chosen {
                None => value,
                Some(other) => self.either(st, part.guard, value, other, width),
            });
        }
        Ok(chosen.unwrap_or(Value::Undef))
    }

    /// Stores to the target that the inputs select.
    pub(in crate::exec) fn store_any(
        &mut self,
        st: &mut State,
        several: &Several,
        width: Width,
        align_log2: u8,
        value: Value,
    ) -> Res<()> {
        let size = width.div_ceil(8) as u64;
        let places = self.check_targets(st, &several.targets, size, align_log2, Access::Write)?;
        if st.memory.keeps_records() {
            self.store_any_recorded(st, several, &places, width, value);
            return Ok(());
        }
        let parts = self.parts(st, several, places, (size, Access::Write));
        if let [only] = &parts[..] {
            self.store_part(st, only, width, value);
            return Ok(());
        }
        for part in parts {
            let before = self.load_part(st, &part, width);
            let after = self.either(st, part.guard, value, before, width);
            self.store_part(st, &part, width, after);
        }
        Ok(())
    }

    /// Makes `guard ? a : b`.
    fn either(&mut self, st: &State, guard: Expr, a: Value, b: Value, width: Width) -> Value {
        if a == b {
            return a;
        }
        let (a, b) = (self.term(st, a, width), self.term(st, b, width));
        let e = self.pool.ite(guard, a, b);
        self.pool.value(e)
    }
}
