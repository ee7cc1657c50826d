//! The tree of references to one object: which was derived from which, and what each may still be
//! used for, by ranges of bytes.

use super::permission::{AccessKind, AccessRelation, Cause, Permission, Protector, Rule, Standing};
use std::ops::Range;
use symex_memory::Tag;
use symex_program::LocId;

/// A reference.
#[derive(Clone, Debug)]
pub struct TagNode {
    pub tag: Tag,
    /// Position of the reference that it was derived from. That of a root is its own.
    parent: usize,
    /// Position of the outermost reference that it was derived from: the object itself, or one
    /// whose own origin is not known.
    root: usize,
    /// Permission at bytes without a standing of their own.
    outside: Permission,
    pub protector: Option<Protector>,
    /// Place where it was made.
    pub made: LocId,
    /// Whether its address was made an integer, so that a pointer made of one may be derived from
    /// it.
    exposed: bool,
    /// Whether it is a root that was derived from a pointer whose way was not followed, rather than
    /// from one made of an integer.
    lost: bool,
}

/// Bytes at which all references stand alike.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PermissionRange {
    start: u64,
    /// Standings by tag, ascending; a reference without one has its permission outside.
    standings: Vec<(Tag, Standing)>,
}

impl PermissionRange {
    /// Returns the position of a reference's standing, or as the error that where it belongs.
    fn find(&self, tag: Tag) -> Result<usize, usize> {
        self.standings
            .binary_search_by_key(&tag, |standing| standing.0)
    }
}

/// What an access goes through.
#[derive(Clone, Copy, Debug)]
enum AccessSource {
    /// The reference at this position.
    Reference(usize),
    /// Some exposed reference.
    Exposed,
}

/// A reference to be made.
#[derive(Clone, Debug)]
pub struct Retag<'a> {
    pub parent: Tag,
    pub tag: Tag,
    /// First byte, and permissions of the ranges from there on.
    pub offset: u64,
    pub inside: &'a [(Range<u64>, Permission)],
    pub outside: Permission,
    pub protector: Option<Protector>,
    pub at: LocId,
}

/// A broken rule, with the reference whose rule it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub rule: Rule,
    /// Place where the reference was made; none if it is the object itself.
    pub made: Option<LocId>,
    /// Whether it is the one through which the access went.
    pub itself: bool,
    /// Access that took its permission.
    pub cause: Option<Cause>,
}

/// Effect that an access would have somewhere in a range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccessEffect {
    /// Permissions change.
    Change,
    Violation(Violation),
}

/// References to one object, by tag, ascending; the first is the object itself.
#[derive(Clone, Debug)]
struct Nodes {
    all: Vec<TagNode>,
    /// Whether a pointer was exposed that may be any of them.
    any_exposed: bool,
}

/// All references to one object.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Nodes,
    /// In order; the first begins at 0.
    pieces: Vec<PermissionRange>,
    size: u64,
    /// Number of references at which those that are not used any more are looked for.
    limit: usize,
}

/// Number of references below which a tree is not cleaned.
const SMALL: usize = 48;

impl Nodes {
    fn position(&self, tag: Tag) -> Option<usize> {
        self.all.binary_search_by_key(&tag, |node| node.tag).ok()
    }

    fn source(&self, tag: Tag) -> Option<AccessSource> {
        match tag {
            Tag::WILD => Some(AccessSource::Exposed),
            tag => self.position(tag).map(AccessSource::Reference),
        }
    }

    /// Reports for each reference whether it is the one at `from` or was derived from it.
    fn derived(&self, from: usize) -> Vec<bool> {
        let mut derived = vec![false; self.all.len()];
        derived[from] = true;
        // It is younger than what it was derived from.
        for at in from + 1..self.all.len() {
            derived[at] = derived[self.all[at].parent];
        }
        derived
    }

    /// Reports for each reference whether the one at `of` is it or was derived from it.
    fn origins(&self, of: usize) -> Vec<bool> {
        let mut origins = vec![false; self.all.len()];
        let mut at = of;
        while !origins[at] {
            origins[at] = true;
            at = self.all[at].parent;
        }
        origins
    }

    fn standing(&self, piece: &PermissionRange, at: usize) -> Standing {
        let node = &self.all[at];
        match piece.find(node.tag) {
            Ok(i) => piece.standings[i].1,
            Err(_) => self.outside(at),
        }
    }

    fn outside(&self, at: usize) -> Standing {
        Standing {
            permission: self.all[at].outside,
            accessed: at == 0,
            cause: None,
        }
    }

    /// Performs an access to one piece. With `hidden`, references derived from the source do not
    /// see it, nor do the roots from that position on, which may be derived from it.
    fn access(
        &self,
        piece: &mut PermissionRange,
        source: AccessSource,
        cause: Cause,
        hidden: Option<usize>,
    ) -> Result<(), Violation> {
        let (own, origins, unseen) = match source {
            AccessSource::Reference(at) => {
                let unseen = hidden.map(|_| self.derived(at));
                (Some((at, self.all[at].root)), self.origins(at), unseen)
            }
            AccessSource::Exposed => (None, Vec::new(), None),
        };
        let relation = |at: usize| {
            let root = self.all[at].root;
            let (source, own_root) = own?;
            if root != own_root {
                // It is no child of a younger one.
                let is_hidden = hidden.is_some_and(|first| root >= first);
                return (own_root < root && !is_hidden).then_some(AccessRelation::Foreign);
            }
            let is_hidden = at != source && unseen.as_ref().is_some_and(|unseen| unseen[at]);
            (!is_hidden).then_some(match origins[at] {
                true => AccessRelation::Local,
                false => AccessRelation::Foreign,
            })
        };
        self.access_known(piece, cause, relation, own.map(|own| own.0))?;
        let own_root = own.map(|own| own.1);
        let is_lost = own_root.is_some_and(|own| self.all[own].lost);
        if is_lost || self.any_exposed {
            return Ok(());
        }
        // Which of the older trees the access goes through depends on what was exposed.
        let end = own_root.unwrap_or(self.all.len());
        let end = end.min(hidden.unwrap_or(usize::MAX));
        for root in (0..end).filter(|at| self.all[*at].root == *at) {
            self.access_exposed(piece, root, cause, own_root)?;
        }
        Ok(())
    }

    /// Applies an access to all references whose relation to it is known.
    fn access_known(
        &self,
        piece: &mut PermissionRange,
        cause: Cause,
        relation: impl Fn(usize) -> Option<AccessRelation>,
        source: Option<usize>,
    ) -> Result<(), Violation> {
        // The report names the reference nearest to the access.
        let (mut local, mut foreign) = (None, None);
        let mut added = Vec::new();
        let mut next = 0;
        for (at, node) in self.all.iter().enumerate() {
            let found = piece.standings.get(next).is_some_and(|s| s.0 == node.tag);
            let i = next;
            next += usize::from(found);
            let Some(relation) = relation(at) else {
                continue;
            };
            let before = match found {
                true => piece.standings[i].1,
                false => self.outside(at),
            };
            let mut standing = before;
            if let Err(rule) = standing.access(cause, relation, node.protector.is_some()) {
                let violation = self.violation(at, rule, source == Some(at), before);
                match relation {
                    AccessRelation::Local => local = Some(violation),
                    AccessRelation::Foreign => foreign = foreign.or(Some(violation)),
                }
            }
            match found {
                true => piece.standings[i].1 = standing,
                false if standing != before => added.push((node.tag, standing)),
                false => {}
            }
        }
        if !added.is_empty() {
            piece.standings.append(&mut added);
            piece.standings.sort_unstable_by_key(|standing| standing.0);
        }
        local.or(foreign).map_or(Ok(()), Err)
    }

    fn violation(&self, at: usize, rule: Rule, itself: bool, before: Standing) -> Violation {
        Violation {
            rule,
            made: (at != 0).then_some(self.all[at].made),
            itself,
            cause: before.cause,
        }
    }

    /// Performs an access in a tree through one of its exposed references; which one is not known.
    /// A root from which the access is known to come is younger than what it was derived from.
    fn access_exposed(
        &self,
        piece: &mut PermissionRange,
        root: usize,
        cause: Cause,
        youngest: Option<usize>,
    ) -> Result<(), Violation> {
        let nothing = Violation {
            rule: Rule::NothingExposed,
            made: None,
            itself: true,
            cause: None,
        };
        // An access may come from outside of a tree whose own origin is exposed.
        let outside = usize::from(root != 0);
        let mut is_possible = root != 0;
        for at in (root..self.all.len()).rev() {
            if self.all[at].root != root {
                continue;
            }
            let total = self.exposed(piece, root, cause.kind) + outside;
            let local = self.exposed(piece, at, cause.kind);
            let is_too_young = youngest.is_some_and(|youngest| youngest < at);
            let relation = match () {
                () if total == 0 || is_too_young && local == total => return Err(nothing),
                () if local == total => Some(AccessRelation::Local),
                () if local == 0 || is_too_young => Some(AccessRelation::Foreign),
                () => None,
            };
            is_possible |= !is_too_young && self.is_exposed(piece, at, cause.kind);
            let only = |other: usize| relation.filter(|_| other == at);
            self.access_known(piece, cause, only, None)?;
        }
        match is_possible {
            true => Ok(()),
            false => Err(nothing),
        }
    }

    /// Counts the exposed references derived from one that allow an access.
    fn exposed(&self, piece: &PermissionRange, from: usize, kind: AccessKind) -> usize {
        let derived = self.derived(from);
        let allow = |at: &usize| derived[*at] && self.is_exposed(piece, *at, kind);
        (from..self.all.len()).filter(allow).count()
    }

    fn is_exposed(&self, piece: &PermissionRange, at: usize, kind: AccessKind) -> bool {
        let node = &self.all[at];
        let allows = |standing: Standing| {
            let protected = node.protector.is_some();
            standing.permission.allows(kind, protected)
        };
        node.exposed && allows(self.standing(piece, at))
    }

    /// Reports whether a child may take the place of its parent at every byte.
    fn may_replace(&self, pieces: &[PermissionRange], child: usize, parent: usize) -> bool {
        let permission = |piece: &PermissionRange, at| self.standing(piece, at).permission;
        let mut pieces = pieces.iter();
        pieces.all(|piece| permission(piece, child).may_stand_for(permission(piece, parent)))
    }
}

impl Tree {
    /// Makes the tree of an object of this size, without references.
    pub fn new(size: u64) -> Self {
        let object = TagNode {
            tag: Tag::ROOT,
            parent: 0,
            root: 0,
            // The whole object was written once, as it were.
            outside: Permission::Unique,
            protector: None,
            made: LocId::default(),
            exposed: false,
            lost: false,
        };
        Tree {
            nodes: Nodes {
                all: vec![object],
                any_exposed: false,
            },
            pieces: vec![PermissionRange {
                start: 0,
                standings: Vec::new(),
            }],
            size,
            limit: SMALL,
        }
    }

    /// Reports whether nothing but the object itself is left.
    pub fn is_bare(&self) -> bool {
        self.nodes.all.len() == 1
    }

    /// Splits pieces so that the range is made of whole ones, and returns their positions.
    fn cut(&mut self, range: &Range<u64>) -> Range<usize> {
        let range = range.start.min(self.size)..range.end.min(self.size);
        if range.is_empty() {
            return 0..0;
        }
        let first = self.cut_at(range.start);
        let end = match range.end == self.size {
            true => self.pieces.len(),
            false => self.cut_at(range.end),
        };
        first..end
    }

    fn cut_at(&mut self, start: u64) -> usize {
        match self
            .pieces
            .binary_search_by_key(&start, |piece| piece.start)
        {
            Ok(found) => found,
            Err(after) => {
                let standings = self.pieces[after - 1].standings.clone();
                self.pieces
                    .insert(after, PermissionRange { start, standings });
                after
            }
        }
    }

    fn end_of(&self, piece: usize) -> u64 {
        let next = self.pieces.get(piece + 1);
        next.map_or(self.size, |next| next.start)
    }

    /// Notes that the address of a reference was made an integer.
    pub fn expose(&mut self, tag: Tag) {
        match self.nodes.position(tag) {
            Some(at) => self.nodes.all[at].exposed = true,
            None if tag == Tag::WILD => {}
            None => self.expose_any(),
        }
    }

    /// Notes that a pointer was exposed that may be any reference.
    pub fn expose_any(&mut self) {
        self.nodes.any_exposed = true;
    }

    /// Performs an access through a pointer. Nothing happens if the reference is not known.
    pub fn access(&mut self, tag: Tag, range: Range<u64>, cause: Cause) -> Result<(), Violation> {
        let Some(source) = self.nodes.source(tag).filter(|_| !self.is_bare()) else {
            return Ok(());
        };
        for piece in self.cut(&range) {
            self.nodes
                .access(&mut self.pieces[piece], source, cause, None)?;
        }
        Ok(())
    }

    /// Returns the effects of an access of `len` bytes that may begin anywhere in a range: ranges
    /// of first bytes, each with the effect.
    pub fn effects(
        &self,
        tag: Tag,
        firsts: Range<u64>,
        len: u64,
        cause: Cause,
    ) -> Vec<(Range<u64>, AccessEffect)> {
        let Some(source) = self.nodes.source(tag) else {
            return Vec::new();
        };
        let mut effects: Vec<(Range<u64>, AccessEffect)> = Vec::new();
        let mut known: Option<(&PermissionRange, Option<AccessEffect>)> = None;
        for (i, piece) in self.pieces.iter().enumerate() {
            let first = (piece.start + 1).saturating_sub(len).max(firsts.start);
            let range = first..self.end_of(i).min(firsts.end);
            if range.is_empty() {
                continue;
            }
            let effect = match known {
                Some((alike, ref effect)) if alike.standings == piece.standings => effect.clone(),
                _ => self.effect(piece, source, cause),
            };
            known = Some((piece, effect.clone()));
            let Some(effect) = effect else {
                continue;
            };
            match effects.last_mut() {
                Some(last) if last.1 == effect && last.0.end >= range.start => {
                    last.0.end = range.end;
                }
                _ => effects.push((range, effect)),
            }
        }
        effects
    }

    fn effect(
        &self,
        piece: &PermissionRange,
        source: AccessSource,
        cause: Cause,
    ) -> Option<AccessEffect> {
        let mut copy = piece.clone();
        match self.nodes.access(&mut copy, source, cause, None) {
            Err(violation) => Some(AccessEffect::Violation(violation)),
            Ok(()) => (copy != *piece).then_some(AccessEffect::Change),
        }
    }

    /// Makes a reference, which is a read of what it refers to. Where the parent is not known, the
    /// reference is derived from something unknown.
    pub fn retag(&mut self, retag: &Retag<'_>) -> Result<(), Violation> {
        let parent = self.nodes.position(retag.parent);
        let absolute = |range: &Range<u64>| retag.offset + range.start..retag.offset + range.end;
        for (range, permission) in retag.inside {
            if let Some(kind) = permission.implied_access() {
                let at = retag.at;
                self.access(retag.parent, absolute(range), Cause { kind, at })?;
            }
        }
        let own = self.nodes.all.len();
        self.nodes.all.push(TagNode {
            tag: retag.tag,
            parent: parent.unwrap_or(own),
            root: parent.map_or(own, |parent| self.nodes.all[parent].root),
            outside: retag.outside,
            protector: retag.protector,
            made: retag.at,
            exposed: false,
            lost: retag.parent != Tag::WILD,
        });
        for (range, permission) in retag.inside {
            let standing = Standing {
                permission: *permission,
                accessed: permission.implied_access().is_some(),
                cause: None,
            };
            for piece in self.cut(&absolute(range)) {
                // Its tag is the greatest.
                self.pieces[piece].standings.push((retag.tag, standing));
            }
        }
        Ok(())
    }

    /// Ends the protection of a reference: an access to all that was accessed through it, which
    /// references derived from it do not see.
    pub fn release(&mut self, tag: Tag, at: LocId) -> Result<(), Violation> {
        let Some(source) = self.nodes.position(tag) else {
            return Ok(());
        };
        // What was made of an integer later may be derived from what was exposed here.
        let derived = self.nodes.derived(source);
        let mut exposed = (source..derived.len()).filter(|at| self.nodes.all[*at].exposed);
        let exposed = exposed.find(|at| derived[*at]);
        let hidden = match self.nodes.any_exposed {
            true => 0,
            false => exposed.unwrap_or(usize::MAX),
        };
        for piece in &mut self.pieces {
            let Ok(i) = piece.find(tag) else {
                continue;
            };
            let standing = piece.standings[i].1;
            if standing.accessed
                && let Some(kind) = standing.permission.implied_access()
            {
                let (source, cause) = (AccessSource::Reference(source), Cause { kind, at });
                self.nodes.access(piece, source, cause, Some(hidden))?;
            }
        }
        self.nodes.all[source].protector = None;
        Ok(())
    }

    /// Frees the object through a reference.
    pub fn free(&mut self, tag: Tag, at: LocId) -> Result<(), Violation> {
        let kind = AccessKind::Write;
        self.access(tag, 0..self.size, Cause { kind, at })?;
        for piece in &self.pieces {
            for (tag, standing) in &piece.standings {
                let node = self.nodes.position(*tag).map(|at| &self.nodes.all[at]);
                if let Some(node) = node.filter(|n| n.protector == Some(Protector::Strong))
                    && standing.accessed
                    && standing.permission != Permission::Cell
                {
                    return Err(Violation {
                        rule: Rule::ProtectedFree,
                        made: Some(node.made),
                        itself: false,
                        cause: None,
                    });
                }
            }
        }
        Ok(())
    }

    /// Reports whether so many references were made that it is time for [`Self::clean`].
    pub fn is_crowded(&self) -> bool {
        self.nodes.all.len() > self.limit
    }

    /// Drops references that no pointer is any more, as far as no access could tell.
    pub fn clean(&mut self, is_used: impl Fn(Tag) -> bool) {
        let nodes = &mut self.nodes;
        let count = nodes.all.len();
        let mut kept = vec![true; count];
        let mut children = vec![0usize; count];
        let mut only_child = vec![0usize; count];
        // Children come behind their parents.
        for at in (1..count).rev() {
            let node = &nodes.all[at];
            let (tag, parent) = (node.tag, node.parent);
            let unused = node.protector.is_none() && !node.exposed && !is_used(tag);
            let child = only_child[at];
            let heir = match children[at] {
                0 if unused => {
                    kept[at] = false;
                    continue;
                }
                1 if unused && parent != at && nodes.may_replace(&self.pieces, child, at) => child,
                _ => at,
            };
            if heir != at {
                kept[at] = false;
                nodes.all[heir].parent = parent;
            }
            if parent != at {
                children[parent] += 1;
                only_child[parent] = heir;
            }
        }
        self.drop_unkept(&kept);
        self.limit = SMALL.max(2 * self.nodes.all.len());
    }

    fn drop_unkept(&mut self, kept: &[bool]) {
        let mut moved = Vec::with_capacity(kept.len());
        let mut left = 0;
        for keep in kept {
            moved.push(left);
            left += usize::from(*keep);
        }
        let nodes = std::mem::take(&mut self.nodes.all);
        let (stay, gone): (Vec<_>, Vec<_>) = nodes.into_iter().zip(kept).partition(|n| *n.1);
        let stay = stay.into_iter().map(|(node, _)| TagNode {
            parent: moved[node.parent],
            root: moved[node.root],
            ..node
        });
        self.nodes.all = stay.collect();
        let gone: Vec<Tag> = gone.into_iter().map(|(node, _)| node.tag).collect();
        for piece in &mut self.pieces {
            let is_gone = |tag: &Tag| gone.binary_search(tag).is_ok();
            piece.standings.retain(|(tag, _)| !is_gone(tag));
        }
        self.pieces.dedup_by(|b, a| a.standings == b.standings);
    }
}
