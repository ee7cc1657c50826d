//! Keys that a path has hashed for hash maps, and which of them hash alike.
//!
//! A key is hashed part by part. Each part has a prefix: the hasher and the parts before it.

use crate::state::Stack;
use crate::state::threads::ThreadId;
use rpds::{HashTrieMapSync, Vector};
use rustc_hash::{FxBuildHasher, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use symex_program::hashing::MapHasher;
use symex_terms::{ObjectId, Value};

/// What has been hashed before a part of a key: the hasher and the parts, as a number.
///
/// Should two prefixes get the same number, parts are compared that need not be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Prefix(pub u64);

/// Part of a key: its leaves, each a value and its width in bits.
pub type KeyPart = SmallVec<[(Value, u32); 8]>;

impl Prefix {
    /// Returns the prefix of what follows a part.
    pub fn then(self, part: &KeyPart) -> Prefix {
        let mut hasher = FxHasher::default();
        (self, part).hash(&mut hasher);
        Prefix(hasher.finish())
    }

    /// Returns the place of a part: parts at other places differ from it.
    fn place(self, part: &KeyPart) -> Place {
        let mut hasher = FxHasher::default();
        self.hash(&mut hasher);
        for (_, width) in part {
            width.hash(&mut hasher);
        }
        Place(hasher.finish())
    }
}

/// Prefix and widths of the leaves that follow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Place(u64);

/// What is hashed in the place of a part of a key.
#[derive(Clone, PartialEq, Debug)]
pub enum StandIn {
    /// The part itself.
    Itself,
    /// Another part that the path has hashed, which this one equals.
    Equal(Rc<KeyPart>),
    /// The one that stands for all parts that differ from the concrete ones hashed before.
    Any,
}

/// Parts of keys at one place.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Parts {
    /// Concrete ones that are hashed themselves.
    pub concrete: Vector<Rc<KeyPart>>,
    /// Symbolic ones, each of which differs from all of these.
    pub symbolic: Vector<Rc<KeyPart>>,
}

/// End of the hashing of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HashEnd {
    /// The return of the function that is called now.
    Return,
    /// The call of `Hasher::finish` in the function that calls now.
    Finish,
}

/// A key as it was written to a hasher: what has been hashed before it, and its parts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WrittenKey {
    start: Prefix,
    parts: Vec<Rc<KeyPart>>,
}

impl WrittenKey {
    /// Iterates over the parts of the key and those of another, if it has parts of the same widths.
    pub fn pairs<'a>(
        &'a self,
        other: &'a WrittenKey,
    ) -> Option<impl Iterator<Item = (&'a KeyPart, &'a KeyPart)>> {
        let widths = |part: &KeyPart| part.iter().map(|leaf| leaf.1).collect::<Vec<_>>();
        let pairs = self.parts.iter().zip(&other.parts);
        let alike = (self.start, self.parts.len()) == (other.start, other.parts.len())
            && pairs.clone().all(|(a, b)| widths(a) == widths(b));
        alike.then(|| pairs.map(|(a, b)| (&**a, &**b)))
    }
}

/// Comparison of the key that is looked up with one of the same hash.
#[derive(Clone, PartialEq, Debug)]
struct Comparison {
    /// Serial number of its frame.
    serial: u64,
    key: Rc<WrittenKey>,
}

/// Call that hashes a key.
#[derive(Clone, PartialEq, Debug)]
struct HashCall {
    thread: ThreadId,
    /// Serial number of its frame.
    serial: u64,
    end: HashEnd,
    /// What has been hashed; `None`: it is hashed as it is.
    prefix: Option<Prefix>,
    /// Whether the hasher hashes a key alike in each run.
    is_fixed: bool,
    /// Serial number of the frame that takes a part, which may call others to do so.
    writing: Option<u64>,
    /// The key, as far as it is written; `None` if it is that of an entry, hashed once more.
    key: Option<WrittenKey>,
    /// Whether a part was hashed as all that differ from the concrete ones.
    is_any: bool,
}

/// Keys hashed by a path. Cheap to copy.
#[derive(Clone, Default, PartialEq)]
pub struct Hashes {
    /// Calls that hash a key, innermost last, of all threads. Those that were left are dropped when
    /// a later one begins.
    calls: Rc<Vec<HashCall>>,
    parts: HashTrieMapSync<Place, Parts, FxBuildHasher>,
    stand_ins: HashTrieMapSync<(Place, Rc<KeyPart>), StandIn, FxBuildHasher>,
    /// Objects that hold what stands in for bytes.
    buffers: HashTrieMapSync<Rc<KeyPart>, ObjectId, FxBuildHasher>,
    /// Whether a fixed hasher was given something else in the place of a key.
    are_fixed_otherwise: bool,
    /// Serial numbers of the frames in which tables hash their keys once more.
    rehashing: Rc<Vec<u64>>,
    /// The key that each thread hashed last, if its hash stands for those of other keys.
    last: Rc<Vec<(ThreadId, Rc<WrittenKey>)>>,
    /// Keys that were hashed before these, with hashes that stand for those of others.
    keys: Vector<Rc<WrittenKey>>,
    /// Comparisons under way, innermost last.
    comparisons: Rc<Vec<Comparison>>,
}

/// Index of a call that hashes a key.
#[derive(Clone, Copy, Debug)]
pub struct HashCallIndex(usize);

impl Hashes {
    /// Begins to hash a key for a hash map. Without a hasher, the key is hashed as it is.
    pub fn begin(
        &mut self,
        thread: ThreadId,
        stack: &Stack,
        end: HashEnd,
        hasher: Option<(MapHasher, Prefix)>,
    ) {
        if self.calls.is_empty() && hasher.is_none() {
            return;
        }
        self.end_left(thread, stack);
        let rehashes = self.rehashing.iter().any(|serial| stack.holds(*serial));
        let key = hasher.filter(|_| !rehashes).map(|(_, start)| WrittenKey {
            start,
            parts: Vec::new(),
        });
        Rc::make_mut(&mut self.calls).push(HashCall {
            thread,
            serial: match end {
                HashEnd::Return => stack.next_serial(),
                HashEnd::Finish => stack.top.serial,
            },
            end,
            prefix: hasher.map(|(_, prefix)| prefix),
            is_fixed: hasher.is_some_and(|(hasher, _)| hasher == MapHasher::Fixed),
            writing: None,
            key,
            is_any: false,
        });
    }

    /// Ends the calls of a thread that were left.
    fn end_left(&mut self, thread: ThreadId, stack: &Stack) {
        while let Some(last) = self.calls.iter().rposition(|call| call.thread == thread) {
            if stack.holds(self.calls[last].serial) {
                break;
            }
            self.end(last);
        }
    }

    /// Ends a call: its key is the one that the thread hashed last.
    fn end(&mut self, call: usize) {
        let call = Rc::make_mut(&mut self.calls).remove(call);
        let Some(key) = call.key.filter(|key| !key.parts.is_empty()) else {
            return;
        };
        let last = Rc::make_mut(&mut self.last);
        let before = last.iter().position(|(thread, _)| *thread == call.thread);
        if let Some((_, before)) = before.map(|at| last.swap_remove(at))
            && !self.keys.iter().any(|known| *known == before)
        {
            self.keys.push_back_mut(before);
        }
        if call.is_any {
            last.push((call.thread, Rc::new(key)));
        }
    }

    /// Notes that the function called now hashes the keys of a table once more.
    pub fn begin_rehash(&mut self, stack: &Stack) {
        let rehashing = Rc::make_mut(&mut self.rehashing);
        rehashing.retain(|serial| stack.holds(*serial));
        rehashing.push(stack.next_serial());
    }

    /// Notes that the function called now compares the key that the thread hashed last with one of
    /// the same hash, if that hash stands for those of other keys.
    pub fn begin_comparison(&mut self, thread: ThreadId, stack: &Stack) {
        if self.parts.is_empty() {
            return;
        }
        self.end_left(thread, stack);
        let mut last = self.last.iter();
        if let Some((_, key)) = last.find(|(of, _)| *of == thread) {
            let comparisons = Rc::make_mut(&mut self.comparisons);
            comparisons.retain(|comparison| stack.holds(comparison.serial));
            comparisons.push(Comparison {
                serial: stack.next_serial(),
                key: key.clone(),
            });
        }
    }

    /// Returns the key that the innermost function compares with another, if it is one that does.
    pub fn compared(&self, stack: &Stack) -> Option<Rc<WrittenKey>> {
        let comparison = self.comparisons.last()?;
        (comparison.serial == stack.top.serial).then(|| comparison.key.clone())
    }

    /// Ends the innermost comparison.
    pub fn end_comparison(&mut self) {
        Rc::make_mut(&mut self.comparisons).pop();
    }

    /// Iterates over the keys with hashes that stand for those of others, but that which a thread
    /// hashed last.
    pub fn keys_before(&self, thread: ThreadId) -> impl Iterator<Item = &Rc<WrittenKey>> {
        let of_others = self.last.iter().filter(move |(of, _)| *of != thread);
        self.keys.iter().chain(of_others.map(|(_, key)| key))
    }

    /// Ends the hashing of a key that ends where the innermost function of a thread asks for the
    /// hash.
    pub fn finish(&mut self, thread: ThreadId, stack: &Stack) {
        let ends = |call: &HashCall| {
            call.thread == thread && call.end == HashEnd::Finish && call.serial == stack.top.serial
        };
        if let Some(last) = self.calls.iter().rposition(ends) {
            self.end(last);
        }
    }

    /// Finds the call of a thread in which a hasher takes a part of a key now, with the prefix of
    /// that part. `None` if the part is to be hashed as it is.
    pub fn open_call(&self, thread: ThreadId, stack: &Stack) -> Option<(HashCallIndex, Prefix)> {
        let calls = self.calls.iter().enumerate().rev();
        let mut of_thread = calls.filter(|(_, call)| call.thread == thread);
        let (index, call) = of_thread.find(|(_, call)| stack.holds(call.serial))?;
        if call.writing.is_some_and(|serial| stack.holds(serial)) {
            return None;
        }
        Some((HashCallIndex(index), call.prefix?))
    }

    /// Notes that the next frame on the stack takes a part of a key, with what the call has hashed
    /// then; `None`: it hashes the key as it is.
    pub fn take_part(
        &mut self,
        call: HashCallIndex,
        stack: &Stack,
        taken: Option<(Rc<KeyPart>, Prefix)>,
    ) {
        let call = &mut Rc::make_mut(&mut self.calls)[call.0];
        call.writing = Some(stack.next_serial());
        call.prefix = taken.as_ref().map(|(_, prefix)| *prefix);
        match (&mut call.key, taken) {
            (Some(key), Some((part, _))) => key.parts.push(part),
            _ => call.key = None,
        }
    }

    /// Notes that a call hashes something else in the place of a part, which stands for others,
    /// too.
    pub fn hash_otherwise(&mut self, call: HashCallIndex) {
        let call = &mut Rc::make_mut(&mut self.calls)[call.0];
        call.is_any = true;
        self.are_fixed_otherwise |= call.is_fixed;
    }

    /// Reports whether a key has another hash by a fixed hasher than natively, so that the order of
    /// a map's entries may be another.
    pub fn are_fixed_otherwise(&self) -> bool {
        self.are_fixed_otherwise
    }

    /// Returns what was hashed in the place of an equal part before.
    pub fn stand_in(&self, prefix: Prefix, part: &Rc<KeyPart>) -> Option<&StandIn> {
        self.stand_ins.get(&(prefix.place(part), part.clone()))
    }

    /// Returns the parts of keys that were hashed with this prefix, of the same widths.
    pub fn parts(&self, prefix: Prefix, part: &KeyPart) -> Option<&Parts> {
        self.parts.get(&prefix.place(part))
    }

    /// Notes what is hashed in the place of a part.
    pub fn add(&mut self, prefix: Prefix, part: Rc<KeyPart>, is_concrete: bool, by: StandIn) {
        let place = prefix.place(&part);
        let list = match (&by, is_concrete) {
            (StandIn::Itself, _) => Some(true),
            (StandIn::Any, false) => Some(false),
            _ => None,
        };
        if let Some(is_concrete) = list {
            let mut parts = self.parts.get(&place).cloned().unwrap_or_default();
            let list = match is_concrete {
                true => &mut parts.concrete,
                false => &mut parts.symbolic,
            };
            list.push_back_mut(part.clone());
            self.parts.insert_mut(place, parts);
        }
        self.stand_ins.insert_mut((place, part), by);
    }

    /// Returns the object that holds the bytes of a concrete part, if there is one.
    pub fn buffer(&self, part: &Rc<KeyPart>) -> Option<ObjectId> {
        self.buffers.get(part).copied()
    }

    /// Keeps an object that holds the bytes of a concrete part.
    pub fn keep_buffer(&mut self, part: Rc<KeyPart>, object: ObjectId) {
        self.buffers.insert_mut(part, object);
    }
}
