//! Candidates listed by a pointer's own term: an `ite` or a table of pointers names its objects,
//! and no memory needs to be scanned.

use super::pointer_terms::object_of;
use crate::exec::term_of;
use rustc_hash::FxHashMap;
use symex_memory::AddressSpace;
use symex_memory::model::Candidate;
use symex_terms::{ArrayKind, BinOp, Expr, Kind, ObjectId, Pool, Symbol, Value};

/// Greatest number of choices listed for one term; with more the pointer is looked up by value.
const MAX_CHOICES: usize = 1 << 15;

struct Choice {
    guard: Expr,
    value: Value,
}

/// A candidate with its pointer.
#[derive(Clone, Debug)]
pub(in crate::exec) struct CandidateGroup {
    pub candidate: Candidate,
    /// Pointer under the guard: into one object, perhaps at several offsets.
    pub value: Value,
}

/// Returns the choices of a term grouped by object, in order of appearance. The guards exclude each
/// other, and one of them holds.
pub(super) fn groups(
    pool: &mut Pool,
    memory: &AddressSpace,
    atom: Expr,
) -> Option<Vec<CandidateGroup>> {
    let mut found = Vec::new();
    let always = pool.bool(true);
    if !choices(pool, memory, atom, always, &mut found) {
        return None;
    }
    #[derive(PartialEq, Eq, Hash)]
    enum GroupKey {
        Object(ObjectId),
        Other(Value),
    }
    let mut places: FxHashMap<GroupKey, usize> = FxHashMap::default();
    let mut members: Vec<Vec<Choice>> = Vec::new();
    for choice in found {
        let place = match single_base(pool, choice.value) {
            Some(o) => GroupKey::Object(o),
            None => GroupKey::Other(choice.value),
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
        guards.push((i != largest).then(|| any(pool, group)));
    }
    let mut rest = pool.bool(true);
    for guard in guards.iter().flatten() {
        let not = pool.not(*guard);
        rest = pool.and(rest, not);
    }
    let groups = members
        .into_iter()
        .zip(guards)
        .map(|(members, guard)| group(pool, memory, &members, guard.unwrap_or(rest)));
    Some(groups.collect())
}

fn any(pool: &mut Pool, group: &[Choice]) -> Expr {
    let mut any = pool.bool(false);
    for c in group {
        any = pool.or(any, c.guard);
    }
    any
}

fn group(
    pool: &mut Pool,
    memory: &AddressSpace,
    choices: &[Choice],
    guard: Expr,
) -> CandidateGroup {
    let mut value = choices[0].value;
    for c in choices.iter().filter(|c| c.value != choices[0].value) {
        let (a, b) = (
            term_of(pool, memory, c.value, 64),
            term_of(pool, memory, value, 64),
        );
        value = join_choices(pool, memory, c.guard, a, b);
    }
    let object = single_base(pool, choices[0].value);
    CandidateGroup {
        candidate: Candidate { object, guard },
        value,
    }
}

/// Returns the object of a choice: the term is its base, and perhaps an offset.
fn single_base(pool: &mut Pool, value: Value) -> Option<ObjectId> {
    match value {
        Value::Ptr(object, _) => Some(object),
        Value::Expr(e) => object_of(pool, e).map(|(object, _)| object),
        _ => None,
    }
}

/// Makes `base + ite(guard, offset of a, offset of b)` for two pointers into one object.
fn join_choices(pool: &mut Pool, memory: &AddressSpace, guard: Expr, a: Expr, b: Expr) -> Value {
    let base = pool.support(a).iter().find_map(|s| {
        if let Symbol::Base(o) = s {
            Some(*o)
        } else {
            None
        }
    });
    let e = match base {
        Some(o) => {
            let base = pool.base(o, memory.object(o).align_log2);
            let (x, y) = (pool.sub(a, base), pool.sub(b, base));
            let offset = pool.ite(guard, x, y);
            pool.add(base, offset)
        }
        None => pool.ite(guard, a, b),
    };
    pool.value(e)
}

/// Lists the pointers among which a term selects, each with its condition. False: there are too
/// many, or the term has another form.
fn choices(
    pool: &mut Pool,
    memory: &AddressSpace,
    e: Expr,
    guard: Expr,
    into: &mut Vec<Choice>,
) -> bool {
    if pool.as_const(guard) == Some(0) {
        return true;
    }
    if into.len() >= MAX_CHOICES {
        return false;
    }
    let value = pool.value(e);
    if !matches!(value, Value::Expr(_)) {
        into.push(Choice { guard, value });
        return true;
    }
    match pool.kind(e) {
        Kind::Ite { cond, then, other } => {
            let negated = pool.not(cond);
            let (yes, no) = (pool.and(guard, cond), pool.and(guard, negated));
            choices(pool, memory, then, yes, into) && choices(pool, memory, other, no, into)
        }
        Kind::Select { array, index } => match pool.array_kind(array).clone() {
            ArrayKind::Table(elements) => {
                if elements.len() > MAX_CHOICES {
                    return false;
                }
                for (i, element) in elements.iter().enumerate() {
                    let i = pool.constant(64, i as u128);
                    let here = pool.eq(index, i);
                    let both = pool.and(guard, here);
                    if !choices(pool, memory, *element, both, into) {
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
                let here = pool.eq(index, at);
                let elsewhere = pool.not(here);
                let (yes, no) = (pool.and(guard, here), pool.and(guard, elsewhere));
                let below = pool.select(under, index);
                choices(pool, memory, value, yes, into) && choices(pool, memory, below, no, into)
            }
        },
        Kind::Bin(op @ (BinOp::Add | BinOp::Sub), a, b) => {
            // A choice moved by something without a base.
            let (x, y) = match op == BinOp::Sub || pool.has_base(a) {
                true => (a, b),
                false => (b, a),
            };
            if pool.has_base(y) || !pool.has_base(x) {
                return false;
            }
            let first = into.len();
            if !choices(pool, memory, x, guard, into) {
                return false;
            }
            for choice in &mut into[first..] {
                let pointer = term_of(pool, memory, choice.value, 64);
                let moved = pool.bin(op, pointer, y);
                choice.value = pool.value(moved);
            }
            true
        }
        _ => false,
    }
}
