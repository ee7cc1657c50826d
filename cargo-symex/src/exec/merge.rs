//! Accesses that go to several objects at once: loads choose among their values, stores write to each under its guard
//! [RAM 1, "merging"].

use super::Machine;
use super::access::{Access, Checked};
use super::end::Res;
use super::resolve::Target;
use crate::expr::{Expr, Value, Width};
use crate::state::State;

impl Machine<'_> {
    /// The places of targets, each checked under its guard. Faults end the paths on which they happen; targets that no
    /// input of the path leads to, or only faulty ones, are left out.
    fn check_targets(
        &mut self,
        st: &mut State,
        targets: &[Target],
        size: u64,
        align_log2: u8,
        access: Access,
    ) -> Res<Vec<(Expr, Checked)>> {
        let mut checked = Vec::with_capacity(targets.len());
        for t in targets {
            if self.require_where(st, t.guard, t.place, size, align_log2, access)? {
                checked.push((t.guard, Checked::of(t.place)));
            }
        }
        Ok(checked)
    }

    /// Loads from the target that the inputs choose.
    pub(super) fn load_any(
        &mut self,
        st: &mut State,
        targets: &[Target],
        width: Width,
        align_log2: u8,
    ) -> Res<Value> {
        let size = width.div_ceil(8) as u64;
        let places = self.check_targets(st, targets, size, align_log2, Access::Read)?;
        let mut chosen: Option<Value> = None;
        for (guard, at) in places.into_iter().rev() {
            let value = self.load_checked(st, at, width);
            chosen = Some(match chosen {
                None => value,
                Some(other) => self.either(st, guard, value, other, width),
            });
        }
        Ok(chosen.unwrap_or(Value::Undef))
    }

    /// Stores to the target that the inputs choose.
    pub(super) fn store_any(
        &mut self,
        st: &mut State,
        targets: &[Target],
        width: Width,
        align_log2: u8,
        value: Value,
    ) -> Res<()> {
        let size = width.div_ceil(8) as u64;
        let places = self.check_targets(st, targets, size, align_log2, Access::Write)?;
        for (guard, at) in places {
            let before = self.load_checked(st, at, width);
            let after = self.either(st, guard, value, before, width);
            self.store_checked(st, at, width, after);
        }
        Ok(())
    }

    /// `guard ? a : b`.
    fn either(&mut self, st: &State, guard: Expr, a: Value, b: Value, width: Width) -> Value {
        if a == b {
            return a;
        }
        let (a, b) = (self.term(st, a, width), self.term(st, b, width));
        let e = self.pool.ite(guard, a, b);
        self.pool.value(e)
    }
}
