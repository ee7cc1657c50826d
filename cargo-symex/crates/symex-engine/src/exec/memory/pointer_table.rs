//! Loads through tables of pointers: the values to which the pointers point, as a table of its own.
//!
//! `*table[i]` selects among as many values as the table has pointers. As an if-then-else chain
//! that is one comparison with `i` for each, at every use of the value; as an element of a table of
//! the loaded values, it is one select, which the solver handles better.

use crate::exec::Executor;
use crate::exec::memory::member_access::{AccessPart, PartAt};
use crate::exec::memory::resolve::Several;
use crate::state::State;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use symex_terms::{Array, ArrayKind, Expr, Kind, Value, Width};

/// Number of values below which an if-then-else chain is used.
const FEW: usize = 16;

impl Executor<'_> {
    /// Returns the loaded value, if the pointer is an element of a table and its possible objects
    /// are accessed one at a time. `values` are those of the parts.
    pub(in crate::exec) fn gather(
        &mut self,
        st: &State,
        several: &Several,
        parts: &[AccessPart],
        values: &[Value],
        width: Width,
    ) -> Option<Value> {
        let Kind::Select { array, index } = self.pool.kind(several.choice) else {
            return None;
        };
        let single = |part: &AccessPart| matches!(part.at, PartAt::One(_));
        if parts.len() <= FEW || !parts.iter().all(single) {
            return None;
        }
        let groups = self.groups_of_elements(several, array)?;
        let of_guard: FxHashMap<Expr, Value> = parts
            .iter()
            .map(|p| p.guard)
            .zip(values.iter().copied())
            .collect();
        // Where a pointer can lead to no element's object, the value is of no matter; a neighbour's
        // adds no further one.
        let mut last = values[0];
        let elements: Arc<[Expr]> = groups
            .into_iter()
            .map(|group| {
                let guard = several.groups[group].candidate.guard;
                last = of_guard.get(&guard).copied().unwrap_or(last);
                self.term(st, last, width)
            })
            .collect();
        let table = self.pool.table(elements);
        let value = self.pool.select(table, index);
        Some(self.pool.value(value))
    }

    /// Returns the groups to which the elements of a table of pointers belong, by position. `None`:
    /// some element is not known to belong to one.
    fn groups_of_elements(&mut self, several: &Several, array: Array) -> Option<Vec<usize>> {
        let ArrayKind::Table(elements) = self.pool.array_kind(array) else {
            return None;
        };
        let elements = elements.clone();
        let of_object: FxHashMap<_, usize> = several
            .groups
            .iter()
            .enumerate()
            .filter_map(|(i, group)| Some((group.candidate.object?, i)))
            .collect();
        let group = |e: &Expr| match self.pool.value(*e) {
            Value::Ptr(object, _) => of_object.get(&object).copied(),
            _ => None,
        };
        elements.iter().map(group).collect()
    }
}
