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

/// Call that hashes a key.
#[derive(Clone, Copy, PartialEq, Debug)]
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
        let calls = Rc::make_mut(&mut self.calls);
        while let Some(last) = calls.iter().rposition(|call| call.thread == thread) {
            if stack.holds(calls[last].serial) {
                break;
            }
            calls.remove(last);
        }
        calls.push(HashCall {
            thread,
            serial: match end {
                HashEnd::Return => stack.next_serial(),
                HashEnd::Finish => stack.top.serial,
            },
            end,
            prefix: hasher.map(|(_, prefix)| prefix),
            is_fixed: hasher.is_some_and(|(hasher, _)| hasher == MapHasher::Fixed),
            writing: None,
        });
    }

    /// Ends the hashing of a key that ends where the innermost function of a thread asks for the
    /// hash.
    pub fn finish(&mut self, thread: ThreadId, stack: &Stack) {
        let ends = |call: &HashCall| {
            call.thread == thread && call.end == HashEnd::Finish && call.serial == stack.top.serial
        };
        if let Some(last) = self.calls.iter().rposition(ends) {
            Rc::make_mut(&mut self.calls).remove(last);
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

    /// Notes that the next frame on the stack takes a part of a key, after which the call has this
    /// prefix.
    pub fn take_part(&mut self, call: HashCallIndex, stack: &Stack, prefix: Option<Prefix>) {
        let call = &mut Rc::make_mut(&mut self.calls)[call.0];
        call.writing = Some(stack.next_serial());
        call.prefix = prefix;
    }

    /// Notes that a call hashes something else in the place of a part.
    pub fn hash_otherwise(&mut self, call: HashCallIndex) {
        self.are_fixed_otherwise |= self.calls[call.0].is_fixed;
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
