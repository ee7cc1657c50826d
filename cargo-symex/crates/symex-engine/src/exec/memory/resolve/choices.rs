//! The objects that a pointer's own term names: an `ite` or a table of pointers lists its choices, and no memory needs
//! to be scanned.

use super::Place;
use crate::exec::Executor;
use crate::state::State;
use rustc_hash::FxHashMap;
use symex_memory::model::Candidate;
use symex_terms::{ArrayKind, BinOp, Expr, Kind, ObjectId, Symbol, Value};

/// More choices in one term than this are not listed; the pointer is then looked up by value.
const MAX_CHOICES: usize = 1 << 15;

struct Choice {
    guard: Expr,
    value: Value,
}

/// A candidate with the pointer it stands for.
#[derive(Clone, Debug)]
pub(in crate::exec) struct Group {
    pub candidate: Candidate,
    /// The pointer, given the guard: into one object, perhaps at several offsets.
    pub value: Value,
}

impl Executor<'_> {
    /// The choices of a term by object, in order of appearance. The guards exclude each other, and one of them holds.
    pub(in crate::exec) fn groups(&mut self, st: &State, atom: Expr) -> Option<Vec<Group>> {
        let mut choices = Vec::new();
        let always = self.pool.bool(true);
        if !self.choices(st, atom, always, &mut choices) {
            return None;
        }
        #[derive(PartialEq, Eq, Hash)]
        enum Key {
            Object(ObjectId),
            Other(Value),
        }
        let mut places: FxHashMap<Key, usize> = FxHashMap::default();
        let mut members: Vec<Vec<Choice>> = Vec::new();
        for choice in choices {
            let place = match self.single_base(choice.value) {
                Some(o) => Key::Object(o),
                None => Key::Other(choice.value),
            };
            let at = *places.entry(place).or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
            members[at].push(choice);
        }
        let largest = (0..members.len()).max_by_key(|i| members[*i].len())?;
        let mut guards: Vec<Option<Expr>> = Vec::with_capacity(members.len());
        for (i, group) in members.iter().enumerate() {
            // The largest is what remains of the others, which is the shorter term.
            guards.push((i != largest).then(|| self.any(group)));
        }
        let mut rest = self.pool.bool(true);
        for guard in guards.iter().flatten() {
            let not = self.pool.not(*guard);
            rest = self.pool.and(rest, not);
        }
        let groups = members
            .into_iter()
            .zip(guards)
            .map(|(group, guard)| self.group(st, &group, guard.unwrap_or(rest)));
        Some(groups.collect())
    }

    fn any(&mut self, group: &[Choice]) -> Expr {
        let mut any = self.pool.bool(false);
        for c in group {
            any = self.pool.or(any, c.guard);
        }
        any
    }

    fn group(&mut self, st: &State, choices: &[Choice], guard: Expr) -> Group {
        let mut value = choices[0].value;
        for c in choices.iter().filter(|c| c.value != choices[0].value) {
            let (a, b) = (self.term(st, c.value, 64), self.term(st, value, 64));
            value = self.join_choices(st, c.guard, a, b);
        }
        let object = self.single_base(choices[0].value);
        Group {
            candidate: Candidate { object, guard },
            value,
        }
    }

    /// The object of a choice: it is the base of one, and perhaps an offset.
    fn single_base(&mut self, value: Value) -> Option<ObjectId> {
        match value {
            Value::Ptr(object, _) => Some(object),
            Value::Expr(e) => match self.object_of(e) {
                Some(Place::Object(object, _)) => Some(object),
                _ => None,
            },
            _ => None,
        }
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
    fn choices(&mut self, st: &State, e: Expr, guard: Expr, into: &mut Vec<Choice>) -> bool {
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
                self.choices(st, then, yes, into) && self.choices(st, other, no, into)
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
                        if !self.choices(st, *element, both, into) {
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
                    self.choices(st, value, yes, into) && self.choices(st, below, no, into)
                }
            },
            Kind::Bin(BinOp::Add, a, b) => {
                // A choice plus something without a base.
                let (x, y) = if self.pool.has_base(a) {
                    (a, b)
                } else {
                    (b, a)
                };
                if self.pool.has_base(y) || !self.pool.has_base(x) {
                    return false;
                }
                let first = into.len();
                if !self.choices(st, x, guard, into) {
                    return false;
                }
                for choice in &mut into[first..] {
                    let sum = self.term(st, choice.value, 64);
                    let sum = self.pool.add(sum, y);
                    choice.value = self.pool.value(sum);
                }
                true
            }
            _ => false,
        }
    }
}
