//! Pointer resolution: the objects to which a pointer may refer, and the treatment of several
//! candidates.
//!
//! Candidates come first from the bases inside the pointer's own term (`choices`). The memory model
//! decides what happens to several of them. Only a pointer without any base (an integer turned
//! pointer) is looked up by its numeric value, with a path per object.

mod choices;
mod offsets;
mod pointer_terms;

use crate::exec::Executor;
use crate::exec::path::end::{Fault, Res};
use crate::state::State;
use crate::state::pointers::{ObjectRange, Pointers};
pub(in crate::exec) use choices::CandidateGroup;
pub(in crate::exec) use pointer_terms::{PointerTerms, base_and_rest, object_of};
use pointer_terms::{addends, sum_without};
use std::rc::Rc;
use symex_memory::model::{AccessRequest, Candidate, ContentsSampler, Plan, Use};
use symex_solver::{Answer, Purpose};
use symex_terms::{Expr, Kind, ObjectId, Symbol, Value};
use symex_types::outcome::{Bound, FindingKind, Unsupported};

/// Number of bits of each input, and of all inputs together, on which a pointer may depend for the
/// path to be asked whether it leads to one object.
const FEW_VALUES_WIDTH: u32 = 10;
const FEW_VALUES_BITS: u32 = 32;

/// A resolved pointer.
#[derive(Clone, Copy, Debug)]
pub enum ResolvedPointer {
    /// Byte `offset` (an `Int`, or a 64-bit term) of an object.
    Object(ObjectId, Value),
    /// An address in no object.
    Nowhere(u64),
}

/// One of several places of a pointer, with the condition that the pointer refers to it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub guard: Expr,
    pub place: ResolvedPointer,
}

/// All places of a pointer.
#[derive(Clone, Debug)]
pub struct Several {
    /// Targets of the pointer. The guards exclude each other, and one of them holds.
    pub targets: Vec<Target>,
    /// Part of the pointer's term that selects between bases; the rest of the sum has none.
    pub choice: Expr,
    pub rest: Expr,
    /// The candidates of `choice`, in the order of the targets.
    pub(in crate::exec) groups: Rc<[CandidateGroup]>,
    /// Whether the memory model may want objects to be moved together.
    pub together: bool,
}

/// Place or places to which a pointer refers.
#[derive(Clone, Debug)]
pub enum Targets {
    One(ResolvedPointer),
    All(Several),
}

/// Decision about the candidates of a term.
enum Chosen {
    /// On this path, this pointer, into one object.
    One(Value),
    /// All of them, and whether their objects are to be moved together.
    All(Rc<[CandidateGroup]>, bool),
    /// The candidates cannot be listed.
    Unlisted,
}

impl Executor<'_> {
    /// Resolves a pointer to one place, forking if it may refer to several objects.
    pub fn resolve(&mut self, st: &mut State, ptr: Value) -> Res<ResolvedPointer> {
        match self.resolve_for(st, ptr, Use::Other)? {
            Targets::One(place) => Ok(place),
            Targets::All(_) => {
                Err(Unsupported::Internal("a place was asked for, not several".into()).into())
            }
        }
    }

    /// Resolves a pointer as the memory model wants it for this use.
    pub fn resolve_for(&mut self, st: &mut State, ptr: Value, purpose: Use) -> Res<Targets> {
        let one = |place| Ok(Targets::One(place));
        match ptr {
            Value::Ptr(object, offset) => one(ResolvedPointer::Object(object, Value::Int(offset))),
            Value::Int(address) => one(self.resolve_address(st, address)),
            Value::Undef => Err(Fault::new(
                FindingKind::UninitUse,
                "access through an undefined pointer",
            )
            .into()),
            Value::Expr(e) => self.resolve_term(st, e, purpose),
        }
    }

    fn resolve_address(&mut self, st: &mut State, address: u64) -> ResolvedPointer {
        match st.memory.find(address) {
            Some((object, offset)) => {
                self.pin_address(st, object);
                ResolvedPointer::Object(object, Value::Int(offset))
            }
            None => ResolvedPointer::Nowhere(address),
        }
    }

    fn resolve_term(&mut self, st: &mut State, e: Expr, purpose: Use) -> Res<Targets> {
        if self.pool.has_uninit(e) {
            self.check_initialised(st, e)?;
        }
        let parted = self.part_where_words_lead(st, e)?;
        if parted != e {
            let pointer = self.pool.value(parted);
            return self.resolve_for(st, pointer, purpose);
        }
        self.outcomes.stats.memory.accesses += 1;
        let mut parts = Vec::new();
        addends(&mut self.pool, e, &mut parts);
        let based: Vec<Expr> = parts
            .iter()
            .copied()
            .filter(|a| self.pool.has_base(*a))
            .collect();
        let [atom] = based[..] else {
            let place = match self.resolve_by_number(st, e) {
                Some(place) => place,
                None => self.resolve_by_value(st, e)?,
            };
            return Ok(Targets::One(place));
        };
        let rest = sum_without(&mut self.pool, &parts, atom);
        if let Kind::Base { object, .. } = self.pool.kind(atom) {
            return Ok(Targets::One(ResolvedPointer::Object(
                object,
                self.pool.value(rest),
            )));
        }
        let resolved = match st.pointers.resolved(atom) {
            Some(known) => {
                self.outcomes.stats.memory.remembered += 1;
                known
            }
            None => match self.choose(st, atom, rest, purpose)? {
                Chosen::One(v) => {
                    st.pointers.resolve(atom, v);
                    v
                }
                Chosen::All(groups, together) => {
                    let targets = groups.iter().map(|g| {
                        Ok(Target {
                            guard: g.candidate.guard,
                            place: self.resolve_moved(st, g.value, rest)?,
                        })
                    });
                    let targets = targets.collect::<Res<_>>()?;
                    return Ok(Targets::All(Several {
                        targets,
                        choice: atom,
                        rest,
                        groups,
                        together,
                    }));
                }
                Chosen::Unlisted => return self.resolve_by_value(st, e).map(Targets::One),
            },
        };
        self.resolve_moved(st, resolved, rest).map(Targets::One)
    }

    /// Resolves the sum of a pointer into a known object and a term without base.
    fn resolve_moved(&mut self, st: &mut State, ptr: Value, rest: Expr) -> Res<ResolvedPointer> {
        let ptr = self.term(st, ptr, 64);
        let whole = self.pool.add(ptr, rest);
        match self.pool.value(whole) {
            Value::Expr(e) => match object_of(&mut self.pool, e) {
                Some((object, offset)) => Ok(ResolvedPointer::Object(object, offset)),
                None => self.resolve_by_value(st, e),
            },
            value => self.resolve(st, value),
        }
    }

    /// Decides between the candidates of `atom` as the memory model wants it. `rest` is the term
    /// added to it.
    fn choose(&mut self, st: &mut State, atom: Expr, rest: Expr, purpose: Use) -> Res<Chosen> {
        let terms = &mut self.pointer_terms;
        let Some(groups) = terms.candidates(&mut self.pool, &st.memory, atom) else {
            return Ok(Chosen::Unlisted);
        };
        let here = groups.iter().position(|g| {
            self.pool
                .eval(g.candidate.guard, &st.assignment, &st.memory)
                == 1
        });
        let Some(here) = here else {
            return Ok(Chosen::Unlisted);
        };
        if groups.len() == 1 {
            return Ok(Chosen::One(groups[0].value));
        }
        let memory = &mut self.outcomes.stats.memory;
        memory.several += 1;
        memory.candidates += groups.len() as u64;
        memory.most_candidates = memory.most_candidates.max(groups.len() as u64);
        let candidates: Vec<Candidate> = groups.iter().map(|g| g.candidate.clone()).collect();
        let (bytes, reach) = self.reach_of(st, &groups, rest);
        let objects = candidates.iter().filter_map(|c| c.object);
        let objects = objects.clone().min().zip(objects.max());
        let contents = ContentsSampler {
            memory: &st.memory,
            candidates: &candidates,
        };
        let before = |known: fn(&Pointers, ObjectRange) -> bool| {
            objects.is_some_and(|objects| known(&st.pointers, objects))
        };
        let plan = self.policy.plan(&AccessRequest {
            purpose,
            candidates: &candidates,
            symbolic_offset: self.pool.as_const(rest).is_none()
                || groups.iter().any(|g| matches!(g.value, Value::Expr(_))),
            bytes,
            reach,
            contents: &contents,
            merged_before: before(Pointers::merged_before),
            stored_before: before(Pointers::stored_before),
        });
        let guard = groups[here].candidate.guard;
        match plan {
            Plan::Merge | Plan::Segment if purpose != Use::Other => {
                if self.is_left_alone(st, guard) {
                    self.outcomes.stats.memory.left_alone += 1;
                    return Ok(Chosen::One(groups[here].value));
                }
                let memory = &mut self.outcomes.stats.memory;
                match plan {
                    Plan::Segment => memory.segmented += 1,
                    _ => memory.merged += 1,
                }
                if let Some(objects) = objects {
                    let store = matches!(purpose, Use::Store(_));
                    st.pointers.merge(objects, store);
                }
                Ok(Chosen::All(groups, plan == Plan::Segment))
            }
            Plan::Merge | Plan::Segment | Plan::Fork => {
                self.outcomes.stats.memory.forked += 1;
                let decision = self.decide(st, guard, Purpose::Resolve)?;
                debug_assert!(decision.here);
                self.siblings.add(decision.other);
                Ok(Chosen::One(groups[here].value))
            }
            Plan::Single => {
                self.outcomes.stats.memory.single += 1;
                let others = self.pool.not(guard);
                if self
                    .satisfiable_or_exclude(st, others, Purpose::Resolve)
                    .is_some()
                {
                    let what = "a pointer to one of several objects was followed to one of them";
                    self.outcomes.note(st, Bound::Assumed(what.into()));
                    self.narrow(st, guard, None);
                }
                Ok(Chosen::One(groups[here].value))
            }
        }
    }

    /// Reports whether the path condition leaves a pointer only the candidate with this guard.
    /// Earlier decisions about inputs often determine where pointers lead. The query is made only
    /// where few values are possible: then it costs less than merging impossible candidates, and
    /// all that is loaded through such pointers later.
    fn is_left_alone(&mut self, st: &State, guard: Expr) -> bool {
        if !self.queries.looks_around() {
            return false;
        }
        let bits = self.pool.support(guard).iter().try_fold(0, |bits, s| {
            let Symbol::Var(v) = s else { return None };
            let width = self.pool.var_info(*v).width;
            (width <= FEW_VALUES_WIDTH).then_some(bits + width)
        });
        if bits.is_none_or(|bits| bits > FEW_VALUES_BITS) {
            return false;
        }
        let others = self.pool.not(guard);
        matches!(
            self.queries
                .quickly_ask(&mut self.pool, st, others, Purpose::Resolve),
            Answer::Unsat
        )
    }

    /// Returns the bytes of the candidates' objects, and how many of them a pointer moved by `rest`
    /// may reach, according to the terms.
    fn reach_of(&self, st: &State, groups: &[CandidateGroup], rest: Expr) -> (u64, u64) {
        let facts = self.pool.facts(rest);
        let span = (facts.max - facts.min) as u64;
        let (mut bytes, mut reach) = (0u64, 0u64);
        for group in groups {
            let Some(object) = group.candidate.object else {
                continue;
            };
            let size = st.memory.object(object).size;
            bytes = bytes.saturating_add(size);
            reach = reach.saturating_add(match group.value {
                Value::Expr(_) => size,
                _ => size.min(span.saturating_add(1)),
            });
        }
        (bytes, reach)
    }

    /// Resolves a pointer to an object, moved by numbers that the program computes from other
    /// addresses, as a hash of pointers is: those numbers are the ones of this path's placement.
    /// `None` if no addend, or more than one, is an address itself, or if the path's own assignment
    /// leaves the object.
    fn resolve_by_number(&mut self, st: &mut State, e: Expr) -> Option<ResolvedPointer> {
        let (object, offset) = base_and_rest(&mut self.pool, e)?;
        let here = self.pool.eval(offset, &st.assignment, &st.memory) as u64;
        if here > st.memory.object(object).size {
            return None;
        }
        let offset = self.pin_addresses(st, offset);
        Some(ResolvedPointer::Object(object, self.pool.value(offset)))
    }

    /// Resolves a pointer by its numeric value, the last resort: to the object at the address that
    /// the path's assignment gives, with a sibling for all others.
    fn resolve_by_value(&mut self, st: &mut State, e: Expr) -> Res<ResolvedPointer> {
        self.outcomes.stats.memory.by_value += 1;
        let e = self.pin_addresses(st, e);
        let address = self.pool.eval(e, &st.assignment, &st.memory) as u64;
        // An address in an object that has ended says which one was meant.
        match st.memory.find_ended(address) {
            Some((object, _)) => {
                self.pin_address(st, object);
                let o = st.memory.object(object);
                let (base, size) = (o.address, o.size);
                let base = self.pool.constant(64, base as u128);
                let offset = self.pool.sub(e, base);
                let size = self.pool.constant(64, size as u128);
                let inside = self.pool.ule(offset, size);
                let here = self.split(st, inside, Purpose::Resolve)?;
                debug_assert!(here);
                Ok(ResolvedPointer::Object(object, self.pool.value(offset)))
            }
            None => {
                self.note_address_among_inputs(st);
                // Another value may be fine: look at all objects at once before giving up on the
                // others.
                let mut somewhere = self.pool.bool(false);
                for object in st.memory.live() {
                    let o = st.memory.object(object);
                    let (base, size) = (o.address, o.size);
                    let base = self.pool.constant(64, base as u128);
                    let offset = self.pool.sub(e, base);
                    let size = self.pool.constant(64, size as u128);
                    let inside = self.pool.ult(offset, size);
                    somewhere = self.pool.or(somewhere, inside);
                }
                self.split(st, somewhere, Purpose::Resolve)?;
                Ok(ResolvedPointer::Nowhere(address))
            }
        }
    }
}
