//! Accesses to memory through references.

use crate::exec::Executor;
use crate::exec::memory::access::Access;
use crate::exec::path::end::{Event, Fault, Res};
use crate::exec::path::message::count_of_bytes;
use crate::exec::path::trace::user_location;
use crate::state::State;
use crate::state::borrows::permission::{AccessKind, Cause, Permission, Rule};
use crate::state::borrows::tree::{AccessEffect, Violation};
use std::ops::Range;
use symex_memory::{Checked, ObjectKind, Tag};
use symex_solver::Purpose;
use symex_terms::{Expr, ObjectId, Value};
use symex_types::outcome::{Bound, EarlierEvent, FindingKind};

/// Greatest number of places in an object for which there is a path each.
const FEW_PLACES: u64 = 16;

/// Assumption recorded when an access at an offset that depends on inputs is checked, but its
/// effect is not followed.
const NOT_FOLLOWED: &str =
    "references and accesses at offsets that depend on inputs were only checked in part";

impl Executor<'_> {
    /// Checks an access that was found valid otherwise, and changes what references may be used
    /// for.
    pub(in crate::exec) fn check_aliasing(
        &mut self,
        st: &mut State,
        at: Checked,
        size: u64,
        access: Access,
    ) -> Res<()> {
        let kind = match access {
            Access::Read => AccessKind::Read,
            Access::Write => AccessKind::Write,
            Access::Refer => return Ok(()),
        };
        if let Value::Int(offset) = at.offset
            && (kind, size) == (AccessKind::Read, 8)
        {
            self.tags.loaded = self.stored_tag(st, at.object, offset);
        }
        let tag = self.tag_in_use(kind, at.object);
        let is_tracked = st.borrows.as_ref().and_then(|b| b.tree(at.object));
        if tag == Tag::UNKNOWN || is_tracked.is_none_or(|tree| tree.is_bare()) || size == 0 {
            return Ok(());
        }
        let cause = Cause {
            kind,
            at: user_location(self.program, st),
        };
        let Value::Int(offset) = at.offset else {
            return self.check_somewhere(st, at, size, tag, cause);
        };
        let range = offset..offset + size;
        let borrows = st.borrows.as_mut().expect("it was looked at above");
        let accessed = borrows.access(at.object, tag, range.clone(), cause);
        accessed.map_err(|violation| {
            self.forbidden(&what(kind, size), &violation)
                .of(at.object)
                .into()
        })
    }

    /// Returns the tag of the pointer at a place in memory. A constant is what the compiler wrote.
    pub(super) fn stored_tag(&self, st: &State, object: ObjectId, offset: u64) -> Tag {
        match st.memory.pointer_tag(object, offset) {
            Tag::UNKNOWN if st.memory.object(object).kind == ObjectKind::Constant => Tag::ROOT,
            tag => tag,
        }
    }

    /// Returns the tag of the pointer through which the current instruction accesses an object.
    fn tag_in_use(&self, kind: AccessKind, object: ObjectId) -> Tag {
        if self.tags.args.is_empty() {
            return match kind {
                AccessKind::Read => self.tags.read,
                AccessKind::Write => self.tags.write,
            };
        }
        let to_object = |arg: &&(Value, Tag)| matches!(arg.0, Value::Ptr(o, _) if o == object);
        let mut tags = self.tags.args.iter().filter(to_object).map(|arg| arg.1);
        let first = tags.next().unwrap_or(Tag::UNKNOWN);
        match tags.all(|tag| tag == first) {
            true => first,
            false => Tag::UNKNOWN,
        }
    }

    /// Checks an access at an offset that depends on inputs. What it changes is not followed: that
    /// can only hide a fault.
    fn check_somewhere(
        &mut self,
        st: &mut State,
        at: Checked,
        size: u64,
        tag: Tag,
        cause: Cause,
    ) -> Res<()> {
        let tree = st.borrows.as_ref().and_then(|b| b.tree(at.object));
        let effects = tree.map_or_else(Vec::new, |tree| {
            tree.effects(tag, self.firsts(st, at, size), size, cause)
        });
        let changes = effects
            .iter()
            .any(|effect| effect.1 == AccessEffect::Change);
        if changes && self.has_few_places(st, at.object, size) {
            let offset = Value::Int(self.concretise(st, at.offset, 64)?);
            return self.check_aliasing(st, Checked { offset, ..at }, size, access(cause.kind));
        }
        for (firsts, effect) in effects {
            let elsewhere = self.outside(st, at.offset, &firsts);
            match effect {
                AccessEffect::Change => {
                    let here = self.pool.not(elsewhere);
                    if self.satisfiable(st, here, Purpose::Check).is_some() {
                        self.note_unfollowed(st);
                    }
                }
                AccessEffect::Violation(violation) => {
                    let fault = self.forbidden(&what(cause.kind, size), &violation);
                    self.require(st, elsewhere, || fault.of(at.object))?;
                }
            }
        }
        Ok(())
    }

    /// Returns the offsets at which an access may begin, as far as they are known without asking.
    fn firsts(&self, st: &State, at: Checked, size: u64) -> Range<u64> {
        let end = st.memory.object(at.object).size.saturating_sub(size) + 1;
        let (from, to) = match at.offset {
            Value::Expr(offset) => {
                let facts = self.pool.facts(offset);
                (facts.min as u64, (facts.max as u64).saturating_add(1))
            }
            _ => (0, end),
        };
        let within = at.within.map_or(0..end, |within| within.from..within.to);
        from.max(within.start)..to.min(within.end).min(end)
    }

    /// Makes the condition that an offset is not in a range.
    fn outside(&mut self, st: &State, offset: Value, range: &Range<u64>) -> Expr {
        let offset = self.term(st, offset, 64);
        let start = self.pool.constant(64, u128::from(range.start));
        let end = self.pool.constant(64, u128::from(range.end));
        let (below, above) = (self.pool.ult(offset, start), self.pool.ule(end, offset));
        self.pool.or(below, above)
    }

    /// Checks that an object may be freed, through the pointer that the current call got.
    pub fn check_free(&mut self, st: &mut State, object: ObjectId) -> Res<()> {
        let at = user_location(self.program, st);
        let tag = self.tag_in_use(AccessKind::Write, object);
        let Some(borrows) = &mut st.borrows else {
            return Ok(());
        };
        let freed = borrows.free(object, tag, at);
        freed.map_err(|violation| self.forbidden("free", &violation).of(object).into())
    }

    /// Makes the fault of a broken rule.
    pub(super) fn forbidden(&self, what: &str, violation: &Violation) -> Fault {
        let reference = match violation.itself {
            true => "a reference",
            false => "a pointer that comes from a reference",
        };
        let by = violation.cause.map(|cause| match cause.kind {
            AccessKind::Read => "an earlier read",
            AccessKind::Write => "an earlier write",
        });
        let text = match (violation.rule, by) {
            (Rule::Forbidden(Permission::Frozen), Some(by)) => {
                format!("{what} through {reference} that may only be read since {by}")
            }
            (Rule::Forbidden(Permission::Frozen), None) => {
                let reference = reference.replace("a reference", "a shared reference");
                format!("{what} through {reference}")
            }
            (Rule::Forbidden(Permission::Reserved { .. }), _) => format!(
                "{what} through {reference} that must not be written before its function \
                 returns, since an earlier read went past it"
            ),
            (Rule::Forbidden(_), by) => {
                let by = by.unwrap_or("an earlier access");
                format!("{what} through {reference} that {by} has ended")
            }
            (Rule::NothingExposed, _) => format!(
                "{what} through a pointer made of an integer; no reference whose address was \
                 exposed may still be used for it"
            ),
            (Rule::Protected | Rule::ProtectedFree, _) => format!(
                "{what} ends a reference that a function was given as an argument, before the \
                 function returns"
            ),
        };
        let mut fault = Fault::new(FindingKind::Aliasing, text);
        if let Some(made) = violation.made {
            fault
                .earlier
                .push(Event::new(EarlierEvent::ReferenceMade, made));
        }
        if let Some(cause) = violation.cause
            && let Rule::Forbidden(_) = violation.rule
        {
            let event = match cause.kind {
                AccessKind::Read => EarlierEvent::Read,
                AccessKind::Write => EarlierEvent::Write,
            };
            fault.earlier.push(Event::new(event, cause.at));
        }
        fault
    }

    /// Notes that the effect of an access was not followed, if one through a known reference.
    pub(in crate::exec) fn note_unfollowed(&mut self, st: &State) {
        if self.tags.read != Tag::UNKNOWN || self.tags.write != Tag::UNKNOWN {
            self.outcomes.note(st, Bound::Assumed(NOT_FOLLOWED.into()));
        }
    }

    /// Notes that a reference counts as the pointer that it was made of.
    pub(super) fn note_references_not_told_apart(&mut self, st: &State) {
        self.outcomes.note(st, Bound::Assumed(NOT_FOLLOWED.into()));
    }

    /// Reports whether so few places of a size are in an object that a path is followed for each.
    pub(super) fn has_few_places(&self, st: &State, object: ObjectId, size: u64) -> bool {
        st.memory.object(object).size / size.max(1) <= FEW_PLACES
    }
}

fn access(kind: AccessKind) -> Access {
    match kind {
        AccessKind::Read => Access::Read,
        AccessKind::Write => Access::Write,
    }
}

/// Names an access.
fn what(kind: AccessKind, size: u64) -> String {
    format!("{} {}", access(kind).word(), count_of_bytes(size))
}
