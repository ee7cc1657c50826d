//! Translation of vectors as values: with constant indices lanes are only regrouped; other indices
//! select among all lanes.

use super::super::ll::V;
use super::{Builder, Ops, Reason};
use symex_program::{Cmp, Constant, Operand};

impl Builder<'_> {
    pub(super) fn extract_element(&mut self, v: V) -> Result<Ops, Reason> {
        let (scalar, lanes) = self.type_of(v.operand(0))?.lanes()?;
        let all = self.ops(v.operand(0))?;
        let index = self.op(v.operand(1))?;
        let per_lane = scalar.leaf_count() as usize;
        if let Some(i) = self.known_int(index) {
            return Ok(self.lane(&all, per_lane, i, lanes));
        }
        let widths = scalar.leaf_widths();
        let mut chosen = Ops::from_slice(&all[..per_lane]);
        for i in 1..lanes {
            let here = self.is_lane(v.operand(1), index, i)?;
            for (part, &w) in widths.iter().enumerate() {
                let lane = all[i as usize * per_lane + part];
                chosen[part] = self.select(w as u8, here, lane, chosen[part]);
            }
        }
        Ok(chosen)
    }

    pub(super) fn insert_element(&mut self, v: V) -> Result<Ops, Reason> {
        let (scalar, lanes) = self.type_of(v)?.lanes()?;
        let mut all = self.ops(v.operand(0))?;
        let new = self.ops(v.operand(1))?;
        let index = self.op(v.operand(2))?;
        let per_lane = scalar.leaf_count() as usize;
        if let Some(i) = self.known_int(index) {
            // A lane that does not exist makes the result poison.
            if i >= u128::from(lanes) {
                let undef = self.constant(Constant::Undef);
                return Ok(Ops::from_elem(undef, all.len()));
            }
            let at = i as usize * per_lane;
            all[at..at + per_lane].copy_from_slice(&new);
            return Ok(all);
        }
        let widths = scalar.leaf_widths();
        for i in 0..lanes {
            let here = self.is_lane(v.operand(2), index, i)?;
            for (part, &w) in widths.iter().enumerate() {
                let at = i as usize * per_lane + part;
                all[at] = self.select(w as u8, here, new[part], all[at]);
            }
        }
        Ok(all)
    }

    pub(super) fn shuffle(&mut self, v: V) -> Result<Ops, Reason> {
        let (scalar, lanes) = self.type_of(v.operand(0))?.lanes()?;
        let mut both = self.ops(v.operand(0))?;
        both.extend(self.ops(v.operand(1))?);
        let per_lane = scalar.leaf_count() as usize;
        let undef = self.constant(Constant::Undef);
        let mut out = Ops::new();
        for pick in v.shuffle_mask() {
            match pick {
                Some(i) => out.extend(self.lane(&both, per_lane, u128::from(i), 2 * lanes)),
                None => out.extend(std::iter::repeat_n(undef, per_lane)),
            }
        }
        Ok(out)
    }

    /// Returns the leaves of a lane; undef if there is no such lane.
    fn lane(&mut self, all: &Ops, per_lane: usize, i: u128, lanes: u32) -> Ops {
        if i >= u128::from(lanes) {
            let undef = self.constant(Constant::Undef);
            return Ops::from_elem(undef, per_lane);
        }
        let at = i as usize * per_lane;
        Ops::from_slice(&all[at..at + per_lane])
    }

    /// Emits the comparison of the index with this lane.
    fn is_lane(&mut self, index: V, operand: Operand, lane: u32) -> Result<Operand, Reason> {
        let (scalar, _) = self.type_of(index)?.lanes()?;
        let number = self.int(u128::from(lane), scalar.bits());
        Ok(self.cmp(Cmp::Eq, scalar.width()?, operand, number))
    }
}
