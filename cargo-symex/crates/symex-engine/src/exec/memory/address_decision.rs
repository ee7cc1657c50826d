//! Decisions that depend on the addresses at which objects were placed.
//!
//! The standard library looks at addresses for speed (words instead of bytes, once they are
//! aligned) and for checks (whether two ranges overlap), with the same result wherever the objects
//! are. Such decisions do not count.
//!
//! Both sides of a decision on addresses alone can be followed: for the other side, one object is
//! relocated [RAM 2.2]. Earlier decisions must stay as they are, so that no path has an impossible
//! order of addresses. The search tries to move one object behind all others of its kind, at a few
//! multiples of its alignment, alone or with those behind it that matter: that gives each order of
//! two objects, and low bits.

use crate::exec::Executor;
use crate::state::State;
use std::rc::Rc;
use symex_memory::{Relocated, Relocation, To};
use symex_solver::{Answer, Purpose};
use symex_terms::{Expr, Kind, ObjectId, Pool, Symbol};
use symex_types::outcome::decision_tree::{EndKind, ForkKind};

/// Number of objects that are tried at other addresses for one decision, and of addresses for each.
const MOVED: usize = 16;
const PLACES: u64 = 16;

impl Executor<'_> {
    /// Decides a one-bit term over addresses alone by the current placement. If the setting is on,
    /// a sibling in which an object lies elsewhere follows the other side, if there is one: it
    /// executes the same instruction again.
    pub(in crate::exec) fn decide_by_address(&mut self, st: &mut State, cond: Expr) -> bool {
        let here = self.pool.eval(cond, &st.assignment, &st.memory) == 1;
        self.look_at_addresses(st, cond);
        if !self.explores_placements(st) {
            self.note_address(st);
            return here;
        }
        let negated = self.pool.not(cond);
        let (mine, others) = if here {
            (cond, negated)
        } else {
            (negated, cond)
        };
        if st.placed.contains(&mine) {
            return here;
        }
        self.depends_on_addresses(st);
        if let Some(to) = elsewhere(&mut self.pool, st, others) {
            self.place_sibling(st, to, others);
        }
        Rc::make_mut(&mut st.placed).push(mine);
        here
    }

    /// Lets the path rely on the alignment of those addresses whose low bits make a difference to
    /// a decision. The standard library's own checks are no decision of the program.
    pub(in crate::exec) fn look_at_addresses(&mut self, st: &mut State, cond: Expr) {
        let mut objects = bases(&self.pool, st, &[cond]);
        objects.retain(|object| !st.memory.is_by_address(*object));
        if objects.is_empty() || self.blind.is_check(st) {
            return;
        }
        for object in objects {
            let o = st.memory.object(object);
            let step = 1u64 << o.align_log2.min(4);
            let mut moved = |by| {
                let memory = Relocated {
                    memory: &st.memory,
                    moves: &[(object, o.address + by)],
                };
                self.pool.eval(cond, &st.assignment, &memory)
            };
            let here = moved(0);
            if (step..16)
                .step_by(step as usize)
                .any(|by| moved(by) != here)
            {
                st.memory.align_by_address(object);
            }
        }
    }

    /// Reports whether both sides of a decision on addresses are followed at this point of the
    /// path.
    pub(in crate::exec) fn explores_placements(&mut self, st: &State) -> bool {
        self.config.memory.explore_placements && !self.queries.aside && !self.blind.holds(st)
    }

    /// Forks off a path in which an object lies elsewhere. Its inputs may differ, because they may
    /// have been compared with an address.
    fn place_sibling(&mut self, st: &State, to: Relocation, decided: Expr) {
        let mut other = self.clone_state(st, ForkKind::Placement);
        other.memory.relocate(&to);
        Rc::make_mut(&mut other.placed).push(decided);
        let answer = self.queries.any(&mut self.pool, &other, Purpose::Branch);
        match answer {
            Answer::Sat(assignment) => {
                other.assignment = assignment;
                self.siblings.push(other);
            }
            Answer::Unsat => self.outcomes.sketch_end(&other, EndKind::Impossible),
            Answer::Unknown(why) => {
                self.outcomes.sketch_end(&other, EndKind::Unsupported);
                self.unanswered(st, &why);
            }
        }
    }

    /// Fixes the object's address, because this path goes on with its number.
    pub(in crate::exec) fn pin_address(&mut self, st: &mut State, object: ObjectId) {
        self.note_address(st);
        st.memory.align_by_address(object);
        if self.config.memory.explore_placements {
            let o = st.memory.object(object);
            let (address, align) = (o.address, o.align_log2);
            let base = self.pool.base(object, align);
            let address = self.pool.constant(64, u128::from(address));
            let here = self.pool.eq(base, address);
            if !matches!(self.pool.kind(here), Kind::Const(_)) && !st.placed.contains(&here) {
                Rc::make_mut(&mut st.placed).push(here);
            }
        }
    }

    /// Replaces bases by the numbers of addresses in a term, and fixes these addresses for the
    /// path.
    pub fn pin_addresses(&mut self, st: &mut State, e: Expr) -> Expr {
        if !self.pool.has_base(e) {
            return e;
        }
        for symbol in self.pool.support(e).to_vec() {
            if let Symbol::Base(object) = symbol {
                self.pin_address(st, object);
            }
        }
        self.pool.substitute_addresses(e, &st.memory)
    }

    /// Returns the number that a term over addresses alone is, if it is small, where the code has
    /// the same result wherever objects are: how far it is to the next whole word. Otherwise it
    /// would be a term in all that comes of it, such as the place where a text goes on. Where
    /// objects are tried at other addresses, it stays one.
    pub(in crate::exec) fn distance_seen_blindly(&mut self, st: &mut State, e: Expr) -> Expr {
        /// End of the numbers that are no address.
        const SMALL: u128 = 4096;
        let is_base = |symbol: &Symbol| matches!(symbol, Symbol::Base(_));
        if !self.pool.has_base(e)
            || self.config.memory.explore_placements
            || !self.pool.support(e).iter().all(is_base)
        {
            return e;
        }
        match self.pool.eval(e, &st.assignment, &st.memory) < SMALL && self.blind.is_blind(st) {
            true => self.pin_addresses(st, e),
            false => e,
        }
    }

    /// Records that a decision of this path was made by the numeric value of an address.
    pub(in crate::exec) fn note_address(&mut self, st: &mut State) {
        if st.address_dependent {
            return;
        }
        if !self.blind.holds(st) {
            self.depends_on_addresses(st);
        }
    }

    /// Records that a path depends on the placement of objects.
    pub fn depends_on_addresses(&mut self, st: &mut State) {
        st.address_dependent = true;
        self.outcomes.stats.by_address += 1;
    }

    /// Records that a decision was made by inputs and the value of an address: the path's inputs
    /// hold for this placement only.
    pub(in crate::exec) fn note_address_among_inputs(&mut self, st: &State) {
        if !self.blind.holds(st) {
            self.outcomes.stats.by_address += 1;
        }
    }
}

/// Finds a relocation that makes a term over addresses true, and keeps the earlier decisions.
fn elsewhere(pool: &mut Pool, st: &State, wanted: Expr) -> Option<Relocation> {
    let objects: Vec<ObjectId> = bases(pool, st, &[wanted]);
    let mut decided = st.placed.to_vec();
    decided.push(wanted);
    let all = bases(pool, st, &decided);
    for object in objects.into_iter().take(MOVED) {
        let address = st.memory.object(object).address;
        let mut behind: Vec<ObjectId> = all.clone();
        behind.retain(|other| st.memory.object(*other).address > address);
        behind.sort_by_key(|other| st.memory.object(*other).address);
        for others in [&[][..], &behind] {
            for steps in 0..PLACES {
                let mut moves = vec![(object, To::Steps(steps))];
                moves.extend(others.iter().map(|other| (*other, To::Alike)));
                let to = st.memory.relocation(&moves)?;
                let memory = Relocated {
                    memory: &st.memory,
                    moves: to.moves(),
                };
                let mut holds = |e: &Expr| pool.eval(*e, &st.assignment, &memory) == 1;
                if decided.iter().rev().all(&mut holds) {
                    return Some(to);
                }
            }
        }
    }
    None
}

/// Returns the live objects whose addresses occur in terms.
fn bases(pool: &Pool, st: &State, terms: &[Expr]) -> Vec<ObjectId> {
    let symbols = terms.iter().flat_map(|e| pool.support(*e));
    let of = |s: &Symbol| match s {
        Symbol::Base(object) => Some(*object),
        Symbol::Var(_) => None,
    };
    let mut objects: Vec<ObjectId> = symbols.filter_map(of).collect();
    objects.sort_unstable();
    objects.dedup();
    objects.retain(|object| st.memory.is_live(*object));
    objects
}
