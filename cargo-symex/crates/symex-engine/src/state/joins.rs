//! Places at which a path may be merged with others: where the ways from a branch meet again.

use std::rc::Rc;
use symex_program::FuncId;

/// A branch and one of its joins: function, and the instructions.
pub type Branch = (FuncId, u32, u32);

/// Number of a join, unique within a run and ascending in the order in which joins are opened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JoinId(pub u64);

/// Joins that a path has before it, innermost first. Cheap to clone.
#[derive(Clone, Default, Debug)]
pub struct Joins(Option<Rc<OpenJoin>>);

/// A join that a path has before it.
#[derive(Debug)]
struct OpenJoin {
    id: JoinId,
    /// Serial number of the frame, and instruction, at which the path waits for the others.
    at: (u64, u32),
    outer: Joins,
}

impl Joins {
    /// Reports whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Adds the innermost join.
    pub fn push(&mut self, id: JoinId, at: (u64, u32)) {
        let outer = Joins(self.0.take());
        self.0 = Some(Rc::new(OpenJoin { id, at, outer }));
    }

    /// Removes and returns the innermost join.
    pub fn pop(&mut self) -> Option<JoinId> {
        let join = self.0.take()?;
        let id = join.id;
        self.0 = match Rc::try_unwrap(join) {
            Ok(join) => join.outer.0,
            Err(shared) => shared.outer.0.clone(),
        };
        Some(id)
    }

    /// Iterates over the joins, innermost first.
    pub fn iter(&self) -> impl Iterator<Item = JoinId> {
        self.links().map(|join| join.id)
    }

    fn links(&self) -> impl Iterator<Item = &OpenJoin> {
        let mut link = self.0.as_deref();
        std::iter::from_fn(move || {
            let join = link?;
            link = join.outer.0.as_deref();
            Some(join)
        })
    }

    /// Iterates over the joins in a frame, innermost first: the instruction at which the path
    /// waits, and the join. Those of frames that the path has left are passed over.
    pub fn of_frame(&self, serial: u64) -> impl Iterator<Item = (u32, JoinId)> {
        // Serial numbers ascend towards the innermost frame.
        let left = self.links().skip_while(move |join| join.at.0 > serial);
        let own = left.take_while(move |join| join.at.0 == serial);
        own.map(|join| (join.at.1, join.id))
    }

    /// Returns the serial number of the frame of the innermost join.
    pub fn frame(&self) -> Option<u64> {
        self.0.as_ref().map(|join| join.at.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_of_frames_that_were_left_are_passed_over() {
        let mut joins = Joins::default();
        joins.push(JoinId(1), (3, 10));
        joins.push(JoinId(2), (7, 20));
        let copy = joins.clone();
        let of_frame = |serial| joins.of_frame(serial).collect::<Vec<_>>();
        assert_eq!(of_frame(7), [(20, JoinId(2))]);
        assert_eq!(of_frame(9), []);
        assert_eq!(of_frame(3), [(10, JoinId(1))]);
        assert_eq!(of_frame(2), []);
        assert_eq!(joins.pop(), Some(JoinId(2)));
        assert_eq!(joins.pop(), Some(JoinId(1)));
        assert_eq!(joins.pop(), None);
        assert_eq!(copy.iter().collect::<Vec<_>>(), [JoinId(2), JoinId(1)]);
    }
}
