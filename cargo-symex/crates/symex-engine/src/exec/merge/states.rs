//! Merging two states: whether they are alike enough, and one state in place of both.

use crate::exec::memory::globals;
use crate::exec::memory::resolve::object_of;
use crate::exec::{Executor, term_of};
use crate::state::{Branch, Guard, State, StateId};
use std::collections::BTreeMap;
use std::rc::Rc;
use symex_memory::Differences;
use symex_program::flow::Flow;
use symex_program::{Inst, Slot};
use symex_terms::{
    ConditionMark, Expr, Kind, ObjectId, PathCondition, Pool, TermOperand, Value, Width,
};
use symex_types::config::Merging;

/// Greatest number of values in which two states may differ.
const MOST_DIFFERENCES: usize = 12;

/// Greatest number of different parts of a term by which paths are told apart, or which decides how
/// often a loop runs.
const MOST_PARTS: usize = 192;

/// Greatest number of elements of a table that such a term may read.
const LARGEST_TABLE: u64 = 256;

/// Greatest size in bytes of a constant table within which pointers of a merged path lead to
/// several places.
const LARGEST_SEARCHED: u64 = 1024;

/// Greatest number of conjuncts of a decision that is recognised as the other side of another.
const LONGEST_DECISION: usize = 4;

/// A path between a branch and the join of its ways.
pub(super) struct Way {
    pub state: State,
    /// What its condition has in addition to that before the branch, in order.
    since: Vec<Expr>,
    /// Whether it stands for several.
    joined: bool,
}

impl Way {
    pub fn new(state: State, mark: ConditionMark) -> Self {
        let since = state.condition.since(mark);
        Way {
            state,
            since,
            joined: false,
        }
    }

    /// Returns the state, with its condition; `before` is that before the branch.
    pub fn finish(mut self, pool: &mut Pool, before: &PathCondition) -> State {
        if self.joined {
            let mut condition = before.clone();
            for conjunct in self.since {
                condition.add(pool, conjunct);
            }
            self.state.condition = condition;
        }
        let state = self.state;
        debug_assert!(state.condition.all().into_iter().all(|conjunct| pool.eval(
            conjunct,
            &state.assignment,
            &state.memory
        ) == 1));
        state
    }
}

/// Returns the position of the first of two neighbours whose conditions have most in common.
pub(super) fn closest(ways: &[Way]) -> Option<usize> {
    let common = |pair: &[Way]| prefix(&pair[0].since, &pair[1].since);
    let pairs = ways.windows(2).map(common).enumerate();
    Some(pairs.max_by_key(|(at, common)| (*common, *at))?.0)
}

/// Returns the number of first conjuncts that two conditions have in common.
fn prefix(a: &[Expr], b: &[Expr]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// A value in which two states differ.
#[derive(Clone, Copy)]
struct SlotDifference {
    slot: Slot,
    width: Width,
    /// Whether it may decide how often a loop runs.
    to_loop: bool,
    /// Whether it may decide which bytes are accessed elsewhere.
    handed_on: bool,
    /// The table within which both lead, if they are pointers.
    table: Option<ObjectId>,
}

/// What a value may decide.
struct Leads {
    /// Which bytes are accessed, or a float.
    apart: bool,
    /// Perhaps which bytes are accessed elsewhere.
    handed_on: bool,
    /// How often a loop runs.
    to_loop: bool,
    /// How often a loop runs, by where a pointer leads in its object.
    place_to_loop: bool,
}

impl Leads {
    fn of(flow: &Flow, slot: Slot) -> Leads {
        Leads {
            apart: flow.is_apart(slot),
            handed_on: flow.is_handed_on(slot),
            to_loop: flow.decides_loop(slot),
            place_to_loop: flow.place_decides_loop(slot),
        }
    }
}

/// All in which two states differ.
struct Apart {
    slots: Vec<SlotDifference>,
    memory: Differences,
    /// For each place in memory, the table within which both values lead, if they are pointers.
    tables: Vec<Option<ObjectId>>,
    /// Whether what differs may turn out to be a position: known values in memory, and words that
    /// are handed on.
    of_words: bool,
}

impl Executor<'_> {
    /// Reports whether two states may be merged at the join of a branch where both are.
    pub(super) fn are_alike(&mut self, a: &State, b: &State, branch: Branch) -> bool {
        let apart = self.apart(a, b);
        apart.is_some_and(|apart| !apart.of_words || self.merges_words(branch))
    }

    /// Reports whether two states of one path are the same in all that it may still see, so that
    /// the later one goes the way of the earlier one. Their frames are unpacked.
    pub fn are_same(&mut self, then: &State, now: &State) -> bool {
        // Slots that nothing reads any more count, too: which they are is only known where ways
        // meet, and in a loop in which nothing changes they are the same.
        then.condition.mark() == now.condition.mark()
            && then.stack.top.slots == now.stack.top.slots
            && self
                .apart(then, now)
                .is_some_and(|apart| apart.slots.is_empty() && apart.memory.places.is_empty())
    }

    /// Returns in what two states at one instruction of one frame differ, if they may be merged.
    fn apart(&mut self, a: &State, b: &State) -> Option<Apart> {
        let (top, other) = (&a.stack.top, &b.stack.top);
        let alike = (top.function, top.pc, top.serial, a.stack.depth)
            == (other.function, other.pc, other.serial, b.stack.depth)
            && a.stack.shares_callers(&b.stack)
            && top.allocas == other.allocas
            && Rc::ptr_eq(&top.varargs, &other.varargs)
            && (top.again, top.reshaped) == (other.again, other.reshaped)
            && (a.unverified.is_none() && b.unverified.is_none())
            && a.exception == b.exception
            && a.status == b.status
            && a.check == b.check
            && a.inputs.are_shared(&b.inputs)
            && Rc::ptr_eq(&a.placed, &b.placed)
            && Rc::ptr_eq(&a.world, &b.world)
            && [a, b]
                .iter()
                .all(|st| st.borrows.is_none() && st.threads.is_none())
            && a.hashes == b.hashes;
        if !alike {
            return None;
        }
        let slots = self.slots_apart(a, b)?;
        let left = MOST_DIFFERENCES - slots.len();
        let memory = a.memory.differences(&mut self.pool, &b.memory, left)?;
        if self.joining.mode == Merging::Equal && !(slots.is_empty() && memory.places.is_empty()) {
            return None;
        }
        let mut of_words = slots.iter().any(|difference| difference.handed_on);
        let mut tables = Vec::new();
        for place in &memory.places {
            // A search that is over leaves its place in a table behind.
            let table = self.table_of_pointers(place.values)?;
            let are_known = place.values.iter().all(|v| matches!(v, Value::Int(_)));
            of_words |= table.is_some() || are_known;
            tables.push(table);
        }
        let values = slots.iter().flat_map(|difference| {
            let slot = difference.slot.0 as usize;
            [top.slots[slot], other.slots[slot]]
        });
        let values = values.chain(memory.places.iter().flat_map(|place| place.values));
        if values
            .into_iter()
            .any(|value| memory.is_foreign(&self.pool, value))
        {
            return None;
        }
        Some(Apart {
            slots,
            memory,
            tables,
            of_words,
        })
    }

    /// Returns the slots that are still read and have different values; `None` if one of them is of
    /// a kind that paths are not merged over.
    fn slots_apart(&mut self, a: &State, b: &State) -> Option<Vec<SlotDifference>> {
        let (top, other) = (&a.stack.top, &b.stack.top);
        let flow = self.joining.flow(self.program, top.function);
        let mut apart = Vec::new();
        for &slot in flow.live(top.pc) {
            let (x, y) = (top.slots[slot.0 as usize], other.slots[slot.0 as usize]);
            if x == y {
                continue;
            }
            let width = flow.width(slot)?;
            if apart.len() == MOST_DIFFERENCES {
                return None;
            }
            let table = self.table_of_pointers([x, y])?;
            let leads = self.leads(a, &flow, slot);
            let concrete = [x, y].iter().any(|value| matches!(value, Value::Int(_)));
            let are_kept = match table {
                Some(_) => leads.place_to_loop,
                None => leads.apart || leads.to_loop && concrete,
            };
            if are_kept {
                return None;
            }
            apart.push(SlotDifference {
                slot,
                width,
                to_loop: leads.to_loop,
                handed_on: leads.handed_on && table.is_none(),
                table,
            });
        }
        Some(apart)
    }

    /// Returns the small constant table within which two values lead, if they are pointers: `None`
    /// if they lead elsewhere, `Some(None)` if neither is a pointer.
    fn table_of_pointers(&mut self, values: [Value; 2]) -> Option<Option<ObjectId>> {
        if !values.iter().any(|value| self.pool.is_pointer(*value)) {
            return Some(None);
        }
        let [x, y] = values.map(|value| self.table_of(value));
        (x.is_some() && x == y).then_some(x)
    }

    /// Returns the small constant table within which a pointer leads. What is read there is a term
    /// of the position.
    pub(super) fn table_of(&mut self, pointer: Value) -> Option<ObjectId> {
        let table = match pointer {
            Value::Ptr(object, _) => object,
            Value::Expr(term) => object_of(&mut self.pool, term)?.0,
            Value::Int(_) | Value::Undef => return None,
        };
        let global = globals::global_of_object(self.program, table)?;
        let global = self.program.global(global);
        (global.is_table_of_numbers() && global.size <= LARGEST_SEARCHED).then_some(table)
    }

    /// Returns what the value of a slot of the innermost frame may decide, there and in the callers
    /// to which it is returned.
    fn leads(&mut self, st: &State, flow: &Flow, slot: Slot) -> Leads {
        let mut leads = Leads::of(flow, slot);
        let mut leaves = flow.returned(slot);
        for frame in st.stack.iter().skip(1) {
            if leaves == 0 {
                break;
            }
            let body = self.program.function(frame.function).body.as_ref();
            let Some(Inst::Call { site }) = body.map(|body| body.code[frame.pc as usize]) else {
                break;
            };
            let site = &body.expect("it has the call").calls[site as usize];
            let flow = self.joining.flow(self.program, frame.function);
            let mut returned = 0;
            for leaf in (0..site.returns.len().min(64)).filter(|leaf| leaves >> leaf & 1 == 1) {
                let slot = Slot(site.dst.0 + leaf as u32);
                let own = Leads::of(&flow, slot);
                leads.apart |= own.apart;
                leads.handed_on |= own.handed_on;
                leads.to_loop |= own.to_loop;
                leads.place_to_loop |= own.place_to_loop;
                returned |= flow.returned(slot);
            }
            leaves = returned;
        }
        leads
    }

    /// Reports whether the solver will have no more trouble with the terms of a merged path than
    /// with those of the two.
    fn is_worth_it(&self, apart: &Apart, either: &Either, first: &Way, second: &Way) -> bool {
        let known = first.since.len();
        let new = either.all.iter().enumerate();
        let mut new = new.filter(|(at, conjunct)| *at >= known || first.since[*at] != **conjunct);
        if !new.all(|(_, conjunct)| self.is_simple(*conjunct)) {
            return false;
        }
        if apart.slots.is_empty() && apart.memory.places.is_empty() {
            return true;
        }
        let of_slots = apart.slots.iter().filter(|difference| difference.to_loop);
        let pairs = of_slots.map(|difference| {
            let slot = difference.slot.0 as usize;
            [&first.state, &second.state].map(|state| state.stack.top.slots[slot])
        });
        let mut pairs = pairs.chain(apart.memory.places.iter().map(|place| place.values));
        self.is_simple(either.first) && pairs.all(|pair| self.differ_simply(pair.map(term_in)))
    }

    /// Reports whether a term is small, and has neither floats nor reads of large tables.
    fn is_simple(&self, term: Expr) -> bool {
        self.differ_simply([Some(term), None])
    }

    /// Reports whether what either of two terms has for itself is small, and has neither floats
    /// nor reads of large tables. What they have in common makes no new terms.
    fn differ_simply(&self, terms: [Option<Expr>; 2]) -> bool {
        // Operands are older than the terms they are in: the youngest is met from all sides first.
        let mut waiting: BTreeMap<Expr, u8> = BTreeMap::new();
        for (term, side) in terms.into_iter().zip([1, 2]) {
            if let Some(term) = term {
                *waiting.entry(term).or_default() |= side;
            }
        }
        let mut parts = 0;
        while let Some((term, sides)) = waiting.pop_last() {
            if sides == 3 {
                continue;
            }
            parts += 1;
            let hard = match self.pool.kind(term) {
                Kind::Select { array, .. } => self.pool.array_shape(array).1 > LARGEST_TABLE,
                kind => kind.is_float(),
            };
            if hard || parts > MOST_PARTS {
                return false;
            }
            self.pool.operands(term, |operand| {
                if let TermOperand::Term(part) = operand {
                    *waiting.entry(part).or_default() |= sides;
                }
            });
        }
        true
    }

    /// Merges the second path into the first, or gives it back.
    pub(super) fn merge_ways(
        &mut self,
        first: &mut Way,
        second: Way,
        branch: Branch,
        ended: &mut Vec<StateId>,
    ) -> Result<(), Box<Way>> {
        let apart = self.apart(&first.state, &second.state);
        let Some(apart) = apart.filter(|apart| !apart.of_words || self.merges_words(branch)) else {
            return Err(Box::new(second));
        };
        let mut conjuncts = first.since.iter().chain(&second.since);
        if conjuncts.any(|conjunct| apart.memory.mentions_foreign(&self.pool, *conjunct)) {
            return Err(Box::new(second));
        }
        let either = disjunction(&mut self.pool, &first.since, &second.since);
        if !self.is_worth_it(&apart, &either, first, &second) {
            return Err(Box::new(second));
        }
        let (a, b) = (&mut first.state, second.state);
        for difference in apart.slots {
            let (slot, width) = (difference.slot.0 as usize, difference.width);
            let values = [&*a, &b].map(|st| st.stack.top.slots[slot]);
            let term = self.choice([a, &b], either.first, values, width, difference.table);
            a.stack.top.slots[slot] = self.pool.value(term);
        }
        let places = apart.memory.places.iter().zip(&apart.tables);
        let terms: Vec<Expr> = places
            .map(|(place, table)| {
                self.choice([a, &b], either.first, place.values, place.width, *table)
            })
            .collect();
        a.memory.join(&b.memory);
        for (place, term) in apart.memory.places.iter().zip(terms) {
            let value = self.pool.value(term);
            a.memory.store(
                &mut self.pool,
                place.object,
                place.offset,
                place.width,
                value,
            );
        }
        let guard = Guard {
            condition: either.first,
            branch,
            of_words: apart.of_words,
        };
        a.guards.join(&b.guards, guard);
        join_rest(a, &b);
        ended.push(b.id);
        first.since = either.all;
        first.joined = true;
        Ok(())
    }
}

impl Executor<'_> {
    /// Makes the term that is the value of the first of two paths where `first` holds, and else
    /// that of the second. Pointers into a table become one to a place that depends on it.
    fn choice(
        &mut self,
        paths: [&State; 2],
        first: Expr,
        values: [Value; 2],
        width: Width,
        table: Option<ObjectId>,
    ) -> Expr {
        let mut of = |path: usize, value| {
            let memory = &paths[path].memory;
            term_of(&mut self.pool, memory, value, width)
        };
        let [x, y] = [of(0, values[0]), of(1, values[1])];
        let Some(table) = table else {
            return self.pool.ite(first, x, y);
        };
        let start = of(0, Value::Ptr(table, 0));
        let [x, y] = [x, y].map(|pointer| self.pool.sub(pointer, start));
        let place = self.pool.ite(first, x, y);
        self.pool.add(start, place)
    }
}

/// Returns the term that a value is, if it is neither a constant nor an address.
fn term_in(value: Value) -> Option<Expr> {
    match value {
        Value::Expr(term) => Some(term),
        _ => None,
    }
}

/// Makes a state that of two paths in all that needs no terms.
fn join_rest(a: &mut State, b: &State) {
    a.stack.number_after(&b.stack);
    a.steps = a.steps.max(b.steps);
    a.address_dependent |= b.address_dependent;
    a.pointers.keep_common(&b.pointers);
    if !Rc::ptr_eq(&a.parts, &b.parts) {
        Rc::make_mut(&mut a.parts).join(&b.parts);
    }
    if !Rc::ptr_eq(&a.applied, &b.applied) {
        let applied = Rc::make_mut(&mut a.applied);
        applied.extend(b.applied.iter());
        applied.sort_unstable();
        applied.dedup();
    }
    if !Rc::ptr_eq(&a.assumptions, &b.assumptions) {
        for what in b.assumptions.iter() {
            a.take_for_granted(what);
        }
    }
}

/// The conditions of two paths as one.
struct Either {
    /// Conjuncts that hold on one path or the other.
    all: Vec<Expr>,
    /// Condition that it is the first, where `all` holds.
    first: Expr,
}

/// Makes the disjunction of the conditions of two different paths, which exclude each other.
fn disjunction(pool: &mut Pool, a: &[Expr], b: &[Expr]) -> Either {
    let start = prefix(a, b);
    let mut all = a[..start].to_vec();
    let (a, b) = (&a[start..], &b[start..]);
    // Mostly they part at one decision: then that is what tells them apart.
    let Some((first, x, y)) = decision(pool, a, b) else {
        let (on_a, on_b) = (conjunction(pool, a), conjunction(pool, b));
        all.push(pool.or(on_a, on_b));
        let first = match a.len() <= b.len() {
            true => on_a,
            false => pool.not(on_b),
        };
        return Either { all, first };
    };
    let (a, b) = (&a[x..], &b[y..]);
    all.extend(a.iter().filter(|conjunct| b.contains(conjunct)));
    let without = |own: &[Expr], other: &[Expr]| -> Vec<Expr> {
        let own = own.iter().copied();
        own.filter(|conjunct| !other.contains(conjunct)).collect()
    };
    let on_a = conjunction(pool, &without(a, b));
    let on_b = conjunction(pool, &without(b, a));
    all.push(pool.ite(first, on_a, on_b));
    Either { all, first }
}

/// Finds the decision at which two paths parted: its condition on the first, and how many first
/// conjuncts it takes up on either.
fn decision(pool: &mut Pool, a: &[Expr], b: &[Expr]) -> Option<(Expr, usize, usize)> {
    let lengths = (1..=LONGEST_DECISION).flat_map(|n| [(n, 1), (1, n)]);
    for (x, y) in lengths.filter(|(x, y)| *x <= a.len() && *y <= b.len()) {
        let (on_a, on_b) = (conjunction(pool, &a[..x]), conjunction(pool, &b[..y]));
        if pool.not(on_b) == on_a {
            return Some((on_a, x, y));
        }
    }
    None
}

fn conjunction(pool: &mut Pool, conjuncts: &[Expr]) -> Expr {
    let one = pool.bool(true);
    let all = conjuncts.iter();
    all.fold(one, |all, conjunct| pool.and(all, *conjunct))
}
