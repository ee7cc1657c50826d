use super::*;
use permission::{AccessKind, Permission, Protector, Rule};

const OBJECT: ObjectId = ObjectId(1);
const SIZE: u64 = 8;

/// The references to one object, as a test makes them.
#[derive(Clone, Default)]
struct Path(Borrows);

impl Path {
    fn access(&mut self, tag: Tag, range: Range<u64>, kind: AccessKind) -> Result<(), Rule> {
        let cause = Cause { kind, at: LocId(1) };
        let accessed = self.0.access(OBJECT, tag, range, cause);
        accessed.map_err(|violation| violation.rule)
    }

    fn read(&mut self, tag: Tag) -> Result<(), Rule> {
        self.access(tag, 0..SIZE, AccessKind::Read)
    }

    fn write(&mut self, tag: Tag) -> Result<(), Rule> {
        self.access(tag, 0..SIZE, AccessKind::Write)
    }

    fn retag(
        &mut self,
        parent: Tag,
        permission: Permission,
        protector: Option<Protector>,
    ) -> Result<Tag, Rule> {
        let tag = self.0.fresh();
        let made = self.0.retag(
            OBJECT,
            SIZE,
            &Retag {
                parent,
                tag,
                offset: 0,
                inside: &[(0..SIZE, permission)],
                outside: permission,
                protector,
                at: LocId(1),
            },
        );
        made.map(|()| tag).map_err(|violation| violation.rule)
    }

    fn mutable(&mut self, parent: Tag) -> Tag {
        let reserved = Permission::Reserved { conflicted: false };
        self.retag(parent, reserved, None).unwrap()
    }
}

#[test]
fn a_write_ends_other_references() {
    let mut path = Path::default();
    let (one, other) = (path.mutable(Tag::ROOT), path.mutable(Tag::ROOT));
    let child = path.mutable(one);
    path.read(other).unwrap();
    path.write(child).unwrap();
    path.write(one).unwrap();
    assert_eq!(path.read(other), Err(Rule::Forbidden(Permission::Disabled)));
    assert_eq!(path.read(child), Err(Rule::Forbidden(Permission::Disabled)));
}

#[test]
fn a_read_freezes_what_was_written_and_nothing_else() {
    let mut path = Path::default();
    let (one, other) = (path.mutable(Tag::ROOT), path.mutable(Tag::ROOT));
    path.access(one, 0..4, AccessKind::Write).unwrap();
    path.read(Tag::ROOT).unwrap();
    path.access(one, 4..8, AccessKind::Write).unwrap();
    let frozen = path.access(one, 3..4, AccessKind::Write);
    assert_eq!(frozen, Err(Rule::Forbidden(Permission::Frozen)));
    let stale = path.access(other, 4..5, AccessKind::Read);
    assert_eq!(stale, Err(Rule::Forbidden(Permission::Disabled)));
}

#[test]
fn copies_do_not_see_each_other() {
    let mut path = Path::default();
    let (one, other) = (path.mutable(Tag::ROOT), path.mutable(Tag::ROOT));
    let mut copy = path.clone();
    path.write(one).unwrap();
    copy.write(other).unwrap();
    path.write(one).unwrap();
    copy.write(other).unwrap();
}

#[test]
fn a_protected_reference_is_not_ended_before_its_release() {
    let mut path = Path::default();
    let reserved = Permission::Reserved { conflicted: false };
    let tag = path.retag(Tag::ROOT, reserved, Some(Protector::Strong));
    let tag = tag.unwrap();
    assert_eq!(path.clone().write(Tag::ROOT), Err(Rule::Protected));
    let mut read = path.clone();
    read.read(Tag::ROOT).unwrap();
    let conflict = Permission::Reserved { conflicted: true };
    assert_eq!(read.write(tag), Err(Rule::Forbidden(conflict)));
    path.write(tag).unwrap();
    let child = path.mutable(tag);
    path.0.release(OBJECT, tag, LocId(2)).unwrap();
    path.write(child).unwrap();
    path.write(Tag::ROOT).unwrap();
}

#[test]
fn a_pointer_of_an_integer_is_some_exposed_reference() {
    let mut path = Path::default();
    let (one, other) = (path.mutable(Tag::ROOT), path.mutable(Tag::ROOT));
    assert_eq!(path.clone().read(Tag::WILD), Err(Rule::NothingExposed));
    path.0.expose(OBJECT, SIZE, one);
    path.write(Tag::WILD).unwrap();
    assert_eq!(path.read(other), Err(Rule::Forbidden(Permission::Disabled)));
    path.write(Tag::ROOT).unwrap();
    assert_eq!(path.clone().read(Tag::WILD), Err(Rule::NothingExposed));
    // Something whose way was not followed may be what it was made of.
    path.0.expose(OBJECT, SIZE, Tag::UNKNOWN);
    path.write(Tag::WILD).unwrap();
}

#[test]
fn what_is_not_known_forbids_nothing() {
    let mut path = Path::default();
    let one = path.mutable(Tag::ROOT);
    path.write(Tag::UNKNOWN).unwrap();
    path.write(one).unwrap();
    let lost = path.mutable(Tag::UNKNOWN);
    path.write(lost).unwrap();
    path.write(one).unwrap();
    // It comes from one of those that were there before it.
    assert_eq!(path.read(lost), Err(Rule::Forbidden(Permission::Disabled)));
}

#[test]
fn cleaning_changes_nothing_that_can_be_seen() {
    for unused in 0..3u32 {
        let mut path = Path::default();
        let first = path.mutable(Tag::ROOT);
        let mut last = first;
        for _ in 0..3 {
            last = path.mutable(last);
            path.mutable(last);
        }
        if unused > 0 {
            path.write(last).unwrap();
        }
        let used = [first, last];
        let before = path.clone();
        path.0.clean(OBJECT, |tag| {
            used[..used.len() - unused as usize / 2].contains(&tag)
        });
        for tag in [Tag::ROOT, first, last]
            .into_iter()
            .take(3 - unused as usize / 2)
        {
            for kind in [AccessKind::Read, AccessKind::Write] {
                let (mut clean, mut full) = (path.clone(), before.clone());
                let accessed = clean.access(tag, 2..3, kind);
                assert_eq!(accessed, full.access(tag, 2..3, kind));
                for tag in [Tag::ROOT, first] {
                    assert_eq!(clean.clone().write(tag), full.clone().write(tag));
                }
            }
        }
    }
}
