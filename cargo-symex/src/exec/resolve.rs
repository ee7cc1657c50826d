//! Which object does a pointer refer to? The forking model: one path per object [RAM 1, KLEE].
//!
//! Candidates come first from the bases inside the pointer's own term: an `ite` or a table of pointers lists its
//! choices, and no memory needs to be scanned. Only a pointer without any base (an integer turned pointer) is looked
//! up by its numeric value.

use super::Machine;
use super::end::{Fault, Res};
use crate::expr::{ArrayKind, BinOp, Expr, Kind, ObjectId, Symbol, Value};
use crate::outcome::FindingKind;
use crate::solver::Purpose;
use crate::state::State;
use std::rc::Rc;

/// More choices in one term than this are not listed; the pointer is then looked up by value.
const MAX_CHOICES: usize = 8192;

/// A resolved pointer.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// Byte `offset` (an `Int`, or a 64-bit term) of an object.
    Object(ObjectId, Value),
    /// An address in no object.
    Nowhere(u64),
}

struct Choice {
    guard: Expr,
    value: Value,
}

impl Machine<'_> {
    /// Resolves a pointer, forking if it may refer to several objects.
    pub fn resolve(&mut self, st: &mut State, ptr: Value) -> Res<Place> {
        match ptr {
            Value::Ptr(object, offset) => Ok(Place::Object(object, Value::Int(offset))),
            Value::Int(address) => Ok(self.resolve_address(st, address)),
            Value::Undef => Err(Fault::new(
                FindingKind::UninitUse,
                "access through an undefined pointer",
            )
            .into()),
            Value::Expr(e) => self.resolve_term(st, e),
        }
    }

    fn resolve_address(&mut self, st: &mut State, address: u64) -> Place {
        match st.memory.find(address) {
            Some((object, offset)) => {
                st.address_dependent = true;
                Place::Object(object, Value::Int(offset))
            }
            None => Place::Nowhere(address),
        }
    }

    fn resolve_term(&mut self, st: &mut State, e: Expr) -> Res<Place> {
        if self.pool.has_uninit(e) {
            self.check_initialised(st, e)?;
        }
        let mut addends = Vec::new();
        self.addends(e, &mut addends);
        let based: Vec<Expr> = addends
            .iter()
            .copied()
            .filter(|a| self.pool.has_base(*a))
            .collect();
        let [atom] = based[..] else {
            return self.resolve_by_value(st, e);
        };
        let rest = self.sum_without(&addends, atom);
        if let Kind::Base { object, .. } = self.pool.kind(atom) {
            return Ok(Place::Object(object, self.pool.value(rest)));
        }
        let resolved = match st.resolutions.iter().find(|r| r.0 == atom) {
            Some(r) => r.1,
            None => match self.choose(st, atom)? {
                Some(v) => {
                    Rc::make_mut(&mut st.resolutions).push((atom, v));
                    v
                }
                None => return self.resolve_by_value(st, e),
            },
        };
        let chosen = self.term(st, resolved, 64);
        let whole = self.pool.add(chosen, rest);
        match self.pool.value(whole) {
            Value::Expr(whole) if whole != e => self.resolve_term(st, whole),
            Value::Expr(whole) => self.resolve_by_value(st, whole),
            value => self.resolve(st, value),
        }
    }

    fn addends(&self, e: Expr, into: &mut Vec<Expr>) {
        match self.pool.kind(e) {
            Kind::Bin(BinOp::Add, a, b) => {
                self.addends(a, into);
                self.addends(b, into);
            }
            _ => into.push(e),
        }
    }

    fn sum_without(&mut self, addends: &[Expr], atom: Expr) -> Expr {
        let mut sum = self.pool.constant(64, 0);
        let mut dropped = false;
        for a in addends {
            if *a == atom && !dropped {
                dropped = true;
            } else {
                sum = self.pool.add(sum, *a);
            }
        }
        sum
    }

    /// Picks the object that this path's assignment chooses, forking off the others. Gives a pointer term that is
    /// equal to `atom` on this path, or `None` if the choices cannot be listed.
    fn choose(&mut self, st: &mut State, atom: Expr) -> Res<Option<Value>> {
        let mut choices = Vec::new();
        let always = self.pool.bool(true);
        if !self.choices(atom, always, &mut choices) {
            return Ok(None);
        }
        let here = choices
            .iter()
            .position(|c| self.pool.eval(c.guard, &st.assignment, &st.memory) == 1);
        let Some(here) = here else { return Ok(None) };
        let object = |v: &Value| match v {
            Value::Ptr(o, _) => Some(*o),
            _ => None,
        };
        let picked = choices[here].value;
        let same = |v: &Value| match object(&picked) {
            Some(o) => object(v) == Some(o),
            None => *v == picked,
        };
        // The guard of the object: a disjunction over its choices, or the negation of all others if they are fewer.
        let mine = choices.iter().filter(|c| same(&c.value)).count();
        let negate = mine * 2 > choices.len();
        let mut guard = self.pool.bool(false);
        for c in choices.iter().filter(|c| same(&c.value) != negate) {
            guard = self.pool.or(guard, c.guard);
        }
        if negate {
            guard = self.pool.not(guard);
        }
        let decision = self.decide(st, guard, Purpose::Resolve)?;
        debug_assert!(decision.here);
        self.forked.extend(decision.other);
        // One object, perhaps at several offsets.
        let mut value = picked;
        for c in choices
            .iter()
            .filter(|c| same(&c.value) && c.value != picked)
        {
            let (a, b) = (self.term(st, c.value, 64), self.term(st, value, 64));
            value = self.join_choices(st, c.guard, a, b);
        }
        Ok(Some(value))
    }

    /// `base + ite(guard, offset of a, offset of b)` for two pointers into one object.
    fn join_choices(&mut self, st: &State, guard: Expr, a: Expr, b: Expr) -> Value {
        let base = self.pool.support(a).iter().find_map(|s| {
            if let Symbol::Base(o) = s {
                Some(*o)
            } else {
                None
            }
        });
        let e = match base {
            Some(o) => {
                let base = self.pool.base(o, st.memory.object(o).align_log2);
                let (x, y) = (self.pool.sub(a, base), self.pool.sub(b, base));
                let offset = self.pool.ite(guard, x, y);
                self.pool.add(base, offset)
            }
            None => self.pool.ite(guard, a, b),
        };
        self.pool.value(e)
    }

    /// Lists the pointers among which a term chooses, each with its condition. False: there are too many, or the
    /// term is no such choice.
    fn choices(&mut self, e: Expr, guard: Expr, into: &mut Vec<Choice>) -> bool {
        if self.pool.as_const(guard) == Some(0) {
            return true;
        }
        if into.len() >= MAX_CHOICES {
            return false;
        }
        let value = self.pool.value(e);
        if !matches!(value, Value::Expr(_)) {
            into.push(Choice { guard, value });
            return true;
        }
        match self.pool.kind(e) {
            Kind::Ite { cond, then, other } => {
                let negated = self.pool.not(cond);
                let (yes, no) = (self.pool.and(guard, cond), self.pool.and(guard, negated));
                self.choices(then, yes, into) && self.choices(other, no, into)
            }
            Kind::Select { array, index } => match self.pool.array_kind(array).clone() {
                ArrayKind::Table(elements) => {
                    if elements.len() > MAX_CHOICES {
                        return false;
                    }
                    for (i, element) in elements.iter().enumerate() {
                        let i = self.pool.constant(64, i as u128);
                        let here = self.pool.eq(index, i);
                        let both = self.pool.and(guard, here);
                        if !self.choices(*element, both, into) {
                            return false;
                        }
                    }
                    true
                }
                ArrayKind::Store {
                    array: under,
                    index: at,
                    value,
                } => {
                    let here = self.pool.eq(index, at);
                    let elsewhere = self.pool.not(here);
                    let (yes, no) = (self.pool.and(guard, here), self.pool.and(guard, elsewhere));
                    let below = self.pool.select(under, index);
                    self.choices(value, yes, into) && self.choices(below, no, into)
                }
            },
            Kind::Bin(BinOp::Add, a, b) => {
                // A choice plus something without a base.
                let (x, y) = if self.pool.has_base(a) {
                    (a, b)
                } else {
                    (b, a)
                };
                if self.pool.has_base(y)
                    || !self.pool.has_base(x)
                    || self.pool.as_const(y).is_none()
                {
                    return false;
                }
                let first = into.len();
                if !self.choices(x, guard, into) {
                    return false;
                }
                let c = self.pool.as_const(y).unwrap_or(0) as u64;
                for choice in &mut into[first..] {
                    choice.value = match choice.value {
                        Value::Int(v) => Value::Int(v.wrapping_add(c)),
                        Value::Ptr(o, off) => Value::Ptr(o, off.wrapping_add(c)),
                        other => other,
                    };
                }
                true
            }
            _ => false,
        }
    }

    /// Looks a pointer up by its numeric value, the last resort: the object at the address that the path's assignment
    /// gives, with a sibling for all others.
    fn resolve_by_value(&mut self, st: &mut State, e: Expr) -> Res<Place> {
        let address = self.pool.eval(e, &st.assignment, &st.memory) as u64;
        match st.memory.find(address) {
            Some((object, _)) => {
                st.address_dependent = true;
                let o = st.memory.object(object);
                let (base, size) = (o.address, o.size);
                let base = self.pool.constant(64, base as u128);
                let offset = self.pool.sub(e, base);
                let size = self.pool.constant(64, size as u128);
                let inside = self.pool.ule(offset, size);
                let here = self.split(st, inside, Purpose::Resolve)?;
                debug_assert!(here);
                Ok(Place::Object(object, self.pool.value(offset)))
            }
            None => {
                // Another value may be fine: look at all objects at once before giving up on the others.
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
                Ok(Place::Nowhere(address))
            }
        }
    }
}
