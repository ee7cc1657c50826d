//! The accesses of several threads to memory, as far as a later access may race with them.
//!
//! For each place: the last plain write, and the last reads and atomic accesses of each thread
//! since then. That is enough, since of two accesses of one thread the later one comes after
//! whatever the earlier one comes after (Flanagan and Freund, "FastTrack", PLDI 2009).

use super::ThreadId;
use super::clock::VectorClock;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use symex_program::LocId;
use symex_terms::ObjectId;

/// One access of a thread, or the beginning of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    pub thread: ThreadId,
    /// Count of the thread's own clock then.
    pub count: u32,
    pub at: LocId,
    pub what: What,
    /// First byte and number of bytes of the access.
    pub bytes: (u64, u64),
}

impl Stamp {
    /// Reports whether it has happened before what a thread with this clock does.
    fn is_before(&self, clock: &VectorClock) -> bool {
        self.count <= clock.of(self.thread)
    }
}

/// Kind of an access, for the rules of races.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
    /// The object was allocated.
    Birth,
    /// The object is given back.
    Death,
}

impl What {
    /// Reports whether accesses of these kinds race if neither comes before the other.
    fn conflicts(self, earlier: Stamp, bytes: (u64, u64)) -> bool {
        use What::*;
        match (self, earlier.what) {
            (Read | AtomicRead, Read | AtomicRead) => false,
            // Atomic accesses of different sizes are not atomic for each other.
            (AtomicRead | AtomicWrite, AtomicRead | AtomicWrite) => earlier.bytes != bytes,
            _ => true,
        }
    }
}

/// Accesses to a range of bytes, all alike.
#[derive(Clone, PartialEq, Debug, Default)]
struct Place {
    /// The last plain write, or the object's birth.
    write: Option<Stamp>,
    /// Reads and atomic accesses since, of each kind at most one a thread.
    others: SmallVec<[Stamp; 2]>,
    /// What a thread sees that acquires here.
    released: Option<Rc<VectorClock>>,
}

/// Accesses to one object, by ranges that do not overlap: first byte, end, and accesses.
type Places = BTreeMap<u64, (u64, Place)>;

/// Accesses to all objects. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Accesses(Rc<BTreeMap<ObjectId, Rc<Places>>>);

impl Accesses {
    /// Records an access to a range of an object by a thread with this clock. The error is an
    /// access of another thread that conflicts with it, and has not happened before it.
    pub fn access(
        &mut self,
        object: ObjectId,
        range: Range<u64>,
        stamp: Stamp,
        clock: &VectorClock,
    ) -> Result<(), Stamp> {
        for place in self.places(object, range) {
            let racing = place.write.iter().chain(&place.others).find(|earlier| {
                stamp.what.conflicts(**earlier, stamp.bytes) && !earlier.is_before(clock)
            });
            if let Some(racing) = racing {
                return Err(*racing);
            }
            match stamp.what {
                What::Write | What::Birth | What::Death => {
                    place.others.clear();
                    place.write = Some(stamp);
                }
                What::Read | What::AtomicRead | What::AtomicWrite => {
                    let same = |s: &Stamp| (s.thread, s.what) == (stamp.thread, stamp.what);
                    place.others.retain(|s| !same(s));
                    place.others.push(stamp);
                }
            }
        }
        Ok(())
    }

    /// Returns what a thread sees that acquires at a place.
    pub fn acquired(&self, object: ObjectId, range: Range<u64>) -> VectorClock {
        let mut clock = VectorClock::default();
        let Some(places) = self.0.get(&object) else {
            return clock;
        };
        for (_, (end, place)) in places.range(..range.end) {
            if *end > range.start
                && let Some(released) = &place.released
            {
                clock.join(released);
            }
        }
        clock
    }

    /// Sets what a thread sees that acquires at a place: `clock`, and what was there before if it
    /// is `added`, as by a read-modify-write.
    pub fn release(
        &mut self,
        object: ObjectId,
        range: Range<u64>,
        clock: Option<&VectorClock>,
        added: bool,
    ) {
        for place in self.places(object, range) {
            place.released = match (clock, &place.released) {
                (None, before) if added => before.clone(),
                (None, _) => None,
                (Some(clock), Some(before)) if added => {
                    let mut sum = (**before).clone();
                    sum.join(clock);
                    Some(Rc::new(sum))
                }
                (Some(clock), _) => Some(Rc::new(clock.clone())),
            };
        }
    }

    /// Forgets the accesses to an object, which has ended or begins anew.
    pub fn forget(&mut self, object: ObjectId) {
        if self.0.contains_key(&object) {
            Rc::make_mut(&mut self.0).remove(&object);
        }
    }

    /// Returns the places that make up a range of an object.
    fn places(&mut self, object: ObjectId, range: Range<u64>) -> impl Iterator<Item = &mut Place> {
        let places = Rc::make_mut(&mut self.0).entry(object).or_default();
        let places = Rc::make_mut(places);
        for at in [range.start, range.end] {
            split(places, at);
        }
        fill(places, range.clone());
        places.range_mut(range).map(|(_, (_, place))| place)
    }
}

/// Divides the place that extends over `at`, so that one begins there.
fn split(places: &mut Places, at: u64) {
    let Some((_, (end, place))) = places.range_mut(..at).next_back() else {
        return;
    };
    if *end > at {
        let behind = (std::mem::replace(end, at), place.clone());
        places.insert(at, behind);
    }
}

/// Adds empty places where a range has none.
fn fill(places: &mut Places, range: Range<u64>) {
    let mut at = range.start;
    let mut missing: SmallVec<[Range<u64>; 1]> = SmallVec::new();
    for (start, (end, _)) in places.range(range.clone()) {
        if at < *start {
            missing.push(at..*start);
        }
        at = *end;
    }
    if at < range.end {
        missing.push(at..range.end);
    }
    for range in missing {
        places.insert(range.start, (range.end, Place::default()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use What::*;

    const OBJECT: ObjectId = ObjectId(7);

    /// Two threads that have seen nothing of each other.
    fn apart() -> [VectorClock; 2] {
        [0, 1].map(|thread| {
            let mut clock = VectorClock::default();
            clock.advance(ThreadId(thread));
            clock
        })
    }

    fn access(
        accesses: &mut Accesses,
        thread: u32,
        what: What,
        range: Range<u64>,
        clock: &VectorClock,
    ) -> Result<(), What> {
        let stamp = Stamp {
            thread: ThreadId(thread),
            count: clock.of(ThreadId(thread)),
            at: LocId::default(),
            what,
            bytes: (range.start, range.end - range.start),
        };
        let result = accesses.access(OBJECT, range, stamp, clock);
        result.map_err(|racing| racing.what)
    }

    #[test]
    fn kinds_race_as_the_memory_model_says() {
        let cases = [
            (Read, Read, false),
            (Read, Write, true),
            (Write, Read, true),
            (Write, Write, true),
            (AtomicRead, AtomicWrite, false),
            (AtomicWrite, AtomicWrite, false),
            (AtomicWrite, Read, true),
            (Read, AtomicWrite, true),
            (AtomicRead, Read, false),
            (AtomicRead, Write, true),
            (Birth, Read, true),
            (AtomicRead, Death, true),
        ];
        for (first, second, race) in cases {
            let [one, two] = apart();
            let mut accesses = Accesses::default();
            access(&mut accesses, 0, first, 0..4, &one).expect("it is alone");
            let found = access(&mut accesses, 1, second, 0..4, &two);
            assert_eq!(found, if race { Err(first) } else { Ok(()) }, "{first:?}");
            // What the other has seen is no race.
            let mut seen = two.clone();
            seen.join(&one);
            let mut accesses = Accesses::default();
            access(&mut accesses, 0, first, 0..4, &one).expect("it is alone");
            access(&mut accesses, 1, second, 0..4, &seen).expect("it comes after");
        }
    }

    #[test]
    fn only_bytes_in_common_race() {
        let [one, two] = apart();
        let mut accesses = Accesses::default();
        access(&mut accesses, 0, Write, 0..4, &one).expect("it is alone");
        access(&mut accesses, 1, Write, 4..8, &two).expect("they are next to each other");
        assert_eq!(access(&mut accesses, 0, Read, 2..6, &one), Err(Write));
        assert_eq!(access(&mut accesses, 1, Read, 3..4, &two), Err(Write));
        access(&mut accesses, 0, Write, 0..4, &one).expect("it is its own");
    }

    #[test]
    fn atomic_accesses_of_different_sizes_race() {
        let [one, two] = apart();
        let mut accesses = Accesses::default();
        access(&mut accesses, 0, AtomicWrite, 0..4, &one).expect("it is alone");
        access(&mut accesses, 1, AtomicWrite, 0..4, &two).expect("they are atomic");
        assert_eq!(
            access(&mut accesses, 1, AtomicRead, 0..2, &two),
            Err(AtomicWrite)
        );
        let mut accesses = Accesses::default();
        access(&mut accesses, 0, AtomicRead, 0..4, &one).expect("it is alone");
        access(&mut accesses, 1, AtomicRead, 0..2, &two).expect("both only read");
    }

    #[test]
    fn a_write_forgets_only_what_comes_before_it() {
        let [one, two] = apart();
        let mut accesses = Accesses::default();
        access(&mut accesses, 0, Read, 0..8, &one).expect("it is alone");
        let mut seen = two.clone();
        seen.join(&one);
        access(&mut accesses, 1, Write, 0..4, &seen).expect("it comes after");
        assert_eq!(access(&mut accesses, 0, Read, 0..1, &one), Err(Write));
        assert_eq!(access(&mut accesses, 1, Write, 4..8, &two), Err(Read));
    }

    #[test]
    fn a_release_is_acquired_where_it_was_made() {
        let [one, mut two] = apart();
        let mut accesses = Accesses::default();
        accesses.release(OBJECT, 0..4, Some(&one), false);
        assert_eq!(accesses.acquired(OBJECT, 4..8), VectorClock::default());
        assert_eq!(accesses.acquired(OBJECT, 2..6), one);
        // A read-modify-write adds to it, also where it releases nothing itself.
        accesses.release(OBJECT, 0..4, None, true);
        assert_eq!(accesses.acquired(OBJECT, 0..4), one);
        accesses.release(OBJECT, 0..4, Some(&two), true);
        two.join(&one);
        assert_eq!(accesses.acquired(OBJECT, 0..4), two);
        // A plain store ends it.
        accesses.release(OBJECT, 0..4, None, false);
        assert_eq!(accesses.acquired(OBJECT, 0..4), VectorClock::default());
    }
}
