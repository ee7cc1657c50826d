//! Splitting of large objects into parts [RAM 2.4]: an access at a symbolic offset sees only the
//! parts of the object that the path permits, and the array that is made for it has their bytes
//! alone.
//!
//! The paper replaces a large object by several small ones. Here an object stays one, so that
//! pointers into it, its bounds and accesses across the border of two parts are unchanged; only its
//! arrays are kept apart. An access belongs to the part of its first byte, so the parts exclude
//! each other and cover everything.
//!
//! Where the memory model forks, an access to several parts is one path per part. Where it merges,
//! there is no path per part: the solver is asked for the first part and the last, and all between
//! them are one array. Where that array would have too many elements, the access is a path per part
//! after all.

use crate::exec::Executor;
use crate::exec::path::end::Res;
use crate::state::{PartRange, State};
use std::ops::Range;
use std::rc::Rc;
use symex_memory::model::{AccessRequest, Candidate, ContentsSampler, Plan, Use, part_log2};
use symex_memory::{Checked, Within};
use symex_solver::{Answer, Purpose};
use symex_terms::{Expr, Value};
use symex_types::config::PartSize;
use symex_types::outcome::Bound;

/// Most elements in the array of an access.
const MOST_ELEMENTS: u64 = 1 << 25;

/// Most bytes in the array of an access, if some were never written: each of those is a variable.
const MOST_UNWRITTEN: u64 = 1 << 18;

/// An access to an object that is to be split.
struct Large {
    offset: Expr,
    /// Size of the access in bytes.
    bytes: u64,
    /// Offsets at which it may begin, according to its term.
    reach: Range<u64>,
    /// Size of a part, from the settings.
    size: PartSize,
}

/// Parts to which an access may belong, according to its term.
struct ReachedParts {
    offset: Expr,
    /// Size of a part in bytes, as a power of two.
    log2: u32,
    /// First part, numbered from 0.
    first: u64,
    last: u64,
    /// Part selected by the path's assignment.
    here: u64,
    /// Size of the object in bytes.
    size: u64,
}

impl ReachedParts {
    /// Returns the first offset of a part.
    fn start(&self, part: u64) -> u64 {
        part << self.log2
    }

    /// Returns an access that keeps to the part of the path's assignment.
    fn only_here(&self, at: Checked) -> Checked {
        let mut within = self.within(self.here, self.here);
        if let Some(outer) = at.within {
            within.from = within.from.max(outer.from);
            within.to = within.to.min(outer.to);
        }
        Checked {
            within: Some(within),
            ..at
        }
    }

    fn within(&self, first: u64, last: u64) -> Within {
        Within {
            from: self.start(first),
            to: self.start(last + 1).min(self.size),
        }
    }
}

impl Executor<'_> {
    /// Restricts a checked access of some bytes to one part of its object, or to few, if the object
    /// is to be split. Must be called before the instruction has changed anything.
    pub(in crate::exec) fn in_parts(
        &mut self,
        st: &mut State,
        at: Checked,
        bytes: u64,
        purpose: Use,
    ) -> Res<Checked> {
        let at = self.in_chosen_parts(st, at, bytes, purpose)?;
        let Some(parts) = self.parts_to_bear(st, at, bytes) else {
            return Ok(at);
        };
        self.keep_to_part(st, &parts)?;
        Ok(parts.only_here(at))
    }

    /// Restricts an access as the settings and the memory model have it.
    fn in_chosen_parts(
        &mut self,
        st: &mut State,
        at: Checked,
        bytes: u64,
        purpose: Use,
    ) -> Res<Checked> {
        let Some(large) = self.large(st, at, bytes) else {
            return Ok(at);
        };
        let plan = match large.size {
            PartSize::ByModel => {
                // What the inputs lead to is often little of what the term says.
                let seen = self.in_few_parts(st, at, &large);
                let len = seen.within.map_or(0, |w| w.to - w.from);
                let contents = ContentsSampler {
                    memory: &st.memory,
                    candidates: &[self.only(at)],
                };
                // An array of what was hardly written to is short, whatever its length.
                let before = st.parts.splits_before(at.object, large.offset);
                let splits = self.policy.splits(len / bytes.max(1), before, &contents);
                if !splits || st.memory.is_blank(at.object) {
                    return Ok(seen);
                }
                Plan::Fork
            }
            _ => self.plan_for_parts(st, at, purpose, &large.reach),
        };
        if matches!(plan, Plan::Merge | Plan::Segment) {
            return Ok(self.in_few_parts(st, at, &large));
        }
        let parts = self.parts_of(st, at, &large, true);
        if parts.first < parts.last {
            self.count_object(st, at);
            match plan {
                Plan::Single => self.assume_part(st, &parts),
                _ => {
                    if st.parts.is_new_split(at.object, parts.offset) {
                        Rc::make_mut(&mut st.parts).note_split(at.object, parts.offset);
                    }
                    self.keep_to_part(st, &parts)?;
                }
            }
            self.count_parts(parts.here, parts.here);
        }
        Ok(Checked {
            within: Some(parts.within(parts.here, parts.here)),
            ..at
        })
    }

    /// Returns the object of an access, as the only candidate.
    fn only(&mut self, at: Checked) -> Candidate {
        Candidate {
            object: Some(at.object),
            guard: self.pool.bool(true),
        }
    }

    /// Returns the memory model's plan for an access to several parts, which begins within `reach`.
    fn plan_for_parts(
        &mut self,
        st: &State,
        at: Checked,
        purpose: Use,
        reach: &Range<u64>,
    ) -> Plan {
        let candidates = [self.only(at)];
        self.policy.plan(&AccessRequest {
            purpose,
            candidates: &candidates,
            symbolic_offset: true,
            bytes: st.memory.object(at.object).size,
            reach: reach.end - reach.start,
            contents: &ContentsSampler {
                memory: &st.memory,
                candidates: &candidates,
            },
            merged_before: false,
            stored_before: false,
        })
    }

    /// Restricts an access as [`Self::in_parts`] does, for an access to one of several objects,
    /// which is never split into paths. For inputs that lead elsewhere, the offset may be one
    /// beyond the object.
    pub(in crate::exec) fn in_parts_of_one(
        &mut self,
        st: &mut State,
        at: Checked,
        bytes: u64,
    ) -> Checked {
        match self.large(st, at, bytes) {
            Some(large) => self.in_few_parts(st, at, &large),
            None => at,
        }
    }

    /// Returns parts to one of which an access has to keep, whatever the settings and the memory
    /// model, since an array of all that it may reach would take too much memory and time.
    fn parts_to_bear(&mut self, st: &State, at: Checked, bytes: u64) -> Option<ReachedParts> {
        let Value::Expr(offset) = at.offset else {
            return None;
        };
        let bytes = bytes.max(1);
        let size = st.memory.object(at.object).size;
        let last = size.checked_sub(bytes)?;
        if last < MOST_UNWRITTEN {
            return None;
        }
        let facts = self.pool.facts(offset);
        let (mut from, mut to) = (facts.min, facts.max.min(last.into()));
        if let Some(within) = at.within {
            from = from.max(within.from.into());
            to = to.min(u128::from(within.to) - 1);
        }
        let reach = to.checked_sub(from)?;
        if reach < u128::from(MOST_UNWRITTEN) {
            return None;
        }
        let range = from as u64..to as u64 + bytes;
        let most = match st.memory.seems_unwritten(at.object, range) {
            true => MOST_UNWRITTEN,
            false => bytes.saturating_mul(MOST_ELEMENTS),
        };
        if reach < u128::from(most) {
            return None;
        }
        let log2 = most.ilog2();
        let here = self.pool.eval(offset, &st.assignment, &st.memory);
        Some(ReachedParts {
            offset,
            log2,
            first: from as u64 >> log2,
            last: to as u64 >> log2,
            here: here.clamp(from, to) as u64 >> log2,
            size,
        })
    }

    /// Restricts an access to the parts between the first and the last to which the inputs lead.
    fn in_few_parts(&mut self, st: &mut State, at: Checked, large: &Large) -> Checked {
        let parts = self.parts_of(st, at, large, false);
        let (first, last) = self.part_range(st, &parts);
        if parts.first < parts.last {
            self.count_object(st, at);
            self.count_parts(first, last);
        }
        Checked {
            within: Some(parts.within(first, last)),
            ..at
        }
    }

    /// Returns the access if its object is to be split.
    fn large(&self, st: &State, at: Checked, bytes: u64) -> Option<Large> {
        let parts = self.config.memory.split_objects?;
        let Value::Expr(offset) = at.offset else {
            return None;
        };
        let size = st.memory.object(at.object).size;
        let last = size.checked_sub(bytes)?;
        let facts = self.pool.facts(offset);
        if facts.min > u128::from(last) {
            return None;
        }
        let reach = facts.min as u64..facts.max.min(last.into()) as u64 + 1;
        let large = match parts {
            PartSize::ByModel => {
                let elements = (reach.end - reach.start) / bytes.max(1);
                self.policy.narrows(elements)
            }
            _ => size > self.config.memory.split_threshold,
        };
        large.then_some(Large {
            offset,
            bytes,
            reach,
            size: parts,
        })
    }

    /// Returns the parts to which an access may lead. `forks`: each is a path.
    fn parts_of(&mut self, st: &State, at: Checked, large: &Large, forks: bool) -> ReachedParts {
        // Whether contents are plain is looked at only where it makes a difference.
        let plain = || st.memory.is_plain(at.object);
        let log2 = part_log2(large.size, large.bytes, forks.then(plain));
        let here = self.pool.eval(large.offset, &st.assignment, &st.memory);
        let last = large.reach.end - 1;
        ReachedParts {
            offset: large.offset,
            log2,
            first: large.reach.start >> log2,
            last: last >> log2,
            here: (here.min(last.into()) as u64) >> log2,
            size: st.memory.object(at.object).size,
        }
    }

    fn count_object(&mut self, st: &mut State, at: Checked) {
        if let Err(place) = st.parts.objects.binary_search(&at.object) {
            let objects = &mut Rc::make_mut(&mut st.parts).objects;
            objects.insert(place, at.object);
            self.outcomes.stats.memory.split_objects += 1;
        }
    }

    fn count_parts(&mut self, first: u64, last: u64) {
        self.outcomes.stats.memory.split_accesses += 1;
        self.outcomes.stats.memory.parts += last - first + 1;
    }

    /// Makes the conditions for an access to begin in the part of the path's assignment or above
    /// it, and in it or below.
    fn borders(&mut self, parts: &ReachedParts) -> [Option<Expr>; 2] {
        let from = (parts.first < parts.here).then(|| {
            let from = self.pool.constant(64, parts.start(parts.here).into());
            self.pool.ule(from, parts.offset)
        });
        let to = (parts.here < parts.last).then(|| {
            let to = self.pool.constant(64, parts.start(parts.here + 1).into());
            self.pool.ult(parts.offset, to)
        });
        [from, to]
    }

    /// Restricts the path to the part of its assignment. The parts below and above, if reachable,
    /// are paths of their own, which repeat the access: so the condition of each is two bounds,
    /// whatever the number of parts.
    fn keep_to_part(&mut self, st: &mut State, parts: &ReachedParts) -> Res<()> {
        for border in self.borders(parts).into_iter().flatten() {
            let decision = self.decide(st, border, Purpose::Resolve)?;
            debug_assert!(decision.here);
            self.siblings.add(decision.other);
        }
        Ok(())
    }

    /// Drops all parts but that of the path's assignment.
    fn assume_part(&mut self, st: &mut State, parts: &ReachedParts) {
        for border in self.borders(parts).into_iter().flatten() {
            let others = self.pool.not(border);
            if self
                .satisfiable_or_exclude(st, others, Purpose::Resolve)
                .is_some()
            {
                let what = "an offset in several parts of an object was followed to one of them";
                self.outcomes.note(st, Bound::Assumed(what.into()));
                self.narrow(st, border, None);
            }
        }
    }

    /// Returns the first and the last part to which an access may belong. Where the solver does not
    /// answer in time, the widest possible range is returned.
    fn part_range(&mut self, st: &mut State, parts: &ReachedParts) -> (u64, u64) {
        if parts.first == parts.last || !self.queries.looks_around() {
            return (parts.first, parts.last);
        }
        let key = (parts.offset, parts.log2, parts.last);
        if let Some(known) = st.parts.ranges.iter().find(|r| r.key == key) {
            return known.range;
        }
        let (mut first, mut lowest) = (parts.first, parts.here);
        let (mut last, mut highest) = (parts.last, parts.here);
        // The outermost first: it is often possible. Then by halves.
        let mut guess = first;
        while first < lowest {
            let end = self.pool.constant(64, parts.start(guess + 1).into());
            let below = self.pool.ult(parts.offset, end);
            let purpose = Purpose::Resolve;
            match self.queries.quickly_ask(&mut self.pool, st, below, purpose) {
                Answer::Sat(a) => {
                    let seen = self.pool.eval(parts.offset, &a, &st.memory) as u64;
                    (lowest, highest) = parts.seen(seen, lowest, highest);
                }
                Answer::Unsat => first = guess + 1,
                Answer::Unknown(_) => break,
            }
            guess = first + (lowest.saturating_sub(first)) / 2;
        }
        guess = last;
        while highest < last {
            let start = self.pool.constant(64, parts.start(guess).into());
            let above = self.pool.ule(start, parts.offset);
            let purpose = Purpose::Resolve;
            match self.queries.quickly_ask(&mut self.pool, st, above, purpose) {
                Answer::Sat(a) => {
                    let seen = self.pool.eval(parts.offset, &a, &st.memory) as u64;
                    (lowest, highest) = parts.seen(seen, lowest, highest);
                }
                Answer::Unsat => last = guess - 1,
                Answer::Unknown(_) => break,
            }
            guess = last - (last.saturating_sub(highest)) / 2;
        }
        let range = (first, last);
        let known = Rc::make_mut(&mut st.parts);
        known.remember(PartRange { key, range });
        range
    }
}

impl ReachedParts {
    /// Returns the least and greatest part to which an access was seen to belong, including one at
    /// this offset.
    fn seen(&self, offset: u64, lowest: u64, highest: u64) -> (u64, u64) {
        let part = (offset >> self.log2).min(self.last);
        (lowest.min(part), highest.max(part))
    }
}
