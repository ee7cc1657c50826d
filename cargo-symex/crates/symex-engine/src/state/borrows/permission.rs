//! Permissions of references in Tree Borrows, and how accesses change them.

use symex_program::LocId;

/// Kind of an access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    Read,
    Write,
}

/// Relation of an access to a reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessRelation {
    /// The access goes through the reference, or one derived from it.
    Local,
    /// The access goes through another pointer.
    Foreign,
}

/// What a reference may still be used for, at one byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Permission {
    /// A shared reference into an `UnsafeCell`: everything is allowed.
    Cell,
    /// A mutable reference that was not written through yet. A conflict is a foreign read while the
    /// reference was protected, and forbids writes for as long.
    Reserved { conflicted: bool },
    /// A mutable reference with an `UnsafeCell`, not written through yet: it survives foreign
    /// writes.
    ReservedCell,
    /// A mutable reference that was written through.
    Unique,
    /// Only reads are allowed.
    Frozen,
    /// No access is allowed.
    Disabled,
}

impl Permission {
    /// Reports whether it is that of a new reference into an `UnsafeCell`, the making of which
    /// reads nothing.
    pub fn is_for_cell(self) -> bool {
        matches!(self, Permission::Cell | Permission::ReservedCell)
    }

    /// Returns the permission after an access; `None` if the access is forbidden.
    pub fn after(
        self,
        kind: AccessKind,
        relation: AccessRelation,
        protected: bool,
    ) -> Option<Permission> {
        use Permission::*;
        match (relation, kind, self) {
            (_, _, Cell) => Some(Cell),
            (AccessRelation::Local, _, Disabled) => None,
            (AccessRelation::Local, AccessKind::Read, other) => Some(other),
            (AccessRelation::Local, AccessKind::Write, Frozen) => None,
            (AccessRelation::Local, AccessKind::Write, Reserved { conflicted: true })
                if protected =>
            {
                None
            }
            (AccessRelation::Local, AccessKind::Write, Reserved { .. } | ReservedCell | Unique) => {
                Some(Unique)
            }
            (AccessRelation::Foreign, AccessKind::Read, Reserved { .. }) if protected => {
                Some(Reserved { conflicted: true })
            }
            // Another pointer reads what was written. While a call relies on the reference, that
            // takes the permission, as its last write may still be to come.
            (AccessRelation::Foreign, AccessKind::Read, Unique) => {
                Some(if protected { Disabled } else { Frozen })
            }
            (AccessRelation::Foreign, AccessKind::Read, other) => Some(other),
            (AccessRelation::Foreign, AccessKind::Write, ReservedCell) => Some(ReservedCell),
            (AccessRelation::Foreign, AccessKind::Write, _) => Some(Disabled),
        }
    }

    /// Returns the access that making a reference with this permission is, and the end of its
    /// protection.
    pub fn implied_access(self) -> Option<AccessKind> {
        match self {
            Permission::Cell => None,
            Permission::Unique => Some(AccessKind::Write),
            _ => Some(AccessKind::Read),
        }
    }

    /// Reports whether an access through a reference of this permission is allowed.
    pub fn allows(self, kind: AccessKind, protected: bool) -> bool {
        self.after(kind, AccessRelation::Local, protected).is_some()
    }

    /// Reports whether a reference of this permission may take the place of one that it was derived
    /// from and that is not used any more.
    pub fn may_stand_for(self, parent: Permission) -> bool {
        use Permission::*;
        let rank = |permission| match permission {
            Cell => 0,
            ReservedCell => 1,
            Reserved { .. } => 2,
            Unique => 3,
            Frozen => 4,
            Disabled => 5,
        };
        rank(self) >= rank(parent)
    }
}

/// State of a reference at one byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    pub permission: Permission,
    /// Whether memory was accessed there through the reference or one derived from it.
    pub accessed: bool,
    /// Access that changed the permission last.
    pub cause: Option<Cause>,
}

/// An access as a finding tells of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cause {
    pub kind: AccessKind,
    pub at: LocId,
}

/// Protection of a reference by the call that got it as an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protector {
    /// Protection of a reference, to memory that may not be freed either.
    Strong,
    /// Protection of a `Box`, whose memory may be freed.
    Weak,
}

/// Rule that an access breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// The access through the reference is not allowed by its permission.
    Forbidden(Permission),
    /// The access takes the permission of a reference that a call relies on.
    Protected,
    /// The pointer was made of an integer, and no reference whose address was exposed allows it.
    NothingExposed,
    /// Memory is freed to which a reference leads that a call relies on.
    ProtectedFree,
}

impl Standing {
    /// Applies an access.
    pub fn access(
        &mut self,
        cause: Cause,
        relation: AccessRelation,
        protected: bool,
    ) -> Result<(), Rule> {
        let before = self.permission;
        let after = before.after(cause.kind, relation, protected);
        let after = after.ok_or(Rule::Forbidden(before))?;
        self.accessed |= relation == AccessRelation::Local;
        if after == before {
            return Ok(());
        }
        if protected && self.accessed && after == Permission::Disabled {
            return Err(Rule::Protected);
        }
        self.permission = after;
        self.cause = Some(cause);
        Ok(())
    }
}
