//! Structs and arrays as values: their elements are ranges of leaves, so no code is needed.

use super::super::ll::{T, V};
use super::super::types::Shape;
use super::{Builder, Ops, Reason};
use std::ops::Range;

impl Builder<'_> {
    pub(super) fn extract_value(&mut self, v: V) -> Result<Ops, Reason> {
        let all = self.ops(v.operand(0))?;
        let range = self.leaf_range(v.operand(0).ty(), &v.indices())?;
        Ok(Ops::from_slice(&all[range]))
    }

    pub(super) fn insert_value(&mut self, v: V) -> Result<Ops, Reason> {
        let mut all = self.ops(v.operand(0))?;
        let new = self.ops(v.operand(1))?;
        let range = self.leaf_range(v.ty(), &v.indices())?;
        all[range].copy_from_slice(&new);
        Ok(all)
    }

    fn leaf_range(&mut self, mut t: T, indices: &[u32]) -> Result<Range<usize>, Reason> {
        let mut first = 0;
        let mut count = self.translation.types.get(t)?.leaves.len();
        for &i in indices {
            let ty = self.translation.types.get(t)?;
            let Shape::Aggregate(fields) = &ty.shape else {
                return Err("an index into a value without elements".to_owned());
            };
            let field = fields
                .get(i as usize)
                .ok_or("an index past the end of an aggregate")?;
            first += field.first as usize;
            count = field.leaves as usize;
            t = field.ty;
        }
        Ok(first..first + count)
    }
}
