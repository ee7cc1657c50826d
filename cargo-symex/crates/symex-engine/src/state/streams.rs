//! The streams of C's `stdio.h`, as objects that `FILE *` points to lead to them. A stream reads
//! ahead as the C library does (so that a program that also reads the descriptor sees what it would
//! see), and keeps what was written until it is full or flushed; standard output and error are
//! written at once, for who looks at them wants to see all of it.

use super::output::OutputPiece;
use std::collections::BTreeMap;
use std::rc::Rc;
use symex_terms::{ObjectId, Value};

/// Number of a stream: 0 to 2 are the standard ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct StreamId(pub u32);

/// One stream.
#[derive(Clone, Debug)]
pub struct Stream {
    /// None: it was closed.
    pub descriptor: Option<u32>,
    pub readable: bool,
    pub writable: bool,
    /// Bytes that were read ahead, and the number of those given out.
    pub ahead: Rc<Vec<Value>>,
    pub given: usize,
    /// What was pushed back, the last first to be read.
    pub pushed: Vec<Value>,
    /// What was written and is not in the file yet.
    pub pending: Rc<Vec<OutputPiece>>,
    /// Is what is written passed on at once?
    pub unbuffered: bool,
    pub end: bool,
    pub error: bool,
}

/// All streams of a path.
#[derive(Clone, Debug)]
pub struct Streams {
    streams: BTreeMap<StreamId, Stream>,
    objects: BTreeMap<ObjectId, StreamId>,
    next: u32,
}

impl Default for Streams {
    /// The standard ones.
    fn default() -> Self {
        let standard = (0..3).map(|number| {
            let mut stream = Stream::new(number, number == 0, number != 0);
            stream.unbuffered = number == 2;
            (StreamId(number), stream)
        });
        Streams {
            streams: standard.collect(),
            objects: BTreeMap::new(),
            next: 3,
        }
    }
}

impl Stream {
    /// On a descriptor.
    pub fn new(descriptor: u32, readable: bool, writable: bool) -> Self {
        Stream {
            descriptor: Some(descriptor),
            readable,
            writable,
            ahead: Rc::default(),
            given: 0,
            pushed: Vec::new(),
            pending: Rc::default(),
            unbuffered: false,
            end: false,
            error: false,
        }
    }

    /// Bytes that are there without asking the file.
    pub fn waiting(&self) -> usize {
        self.pushed.len() + self.ahead.len() - self.given
    }

    /// One of them.
    pub fn peek(&self, at: usize) -> Option<Value> {
        let pushed = self.pushed.len();
        if at < pushed {
            return Some(self.pushed[pushed - 1 - at]);
        }
        self.ahead.get(self.given + at - pushed).copied()
    }

    /// Gives out `count` bytes that were read ahead.
    pub fn give(&mut self, count: usize) {
        let pushed = count.min(self.pushed.len());
        self.pushed.truncate(self.pushed.len() - pushed);
        self.given += count - pushed;
        if self.given == self.ahead.len() {
            self.ahead = Rc::default();
            self.given = 0;
        }
    }

    /// Forgets what was read ahead; tells how much of it was still to be given.
    pub fn forget(&mut self) -> usize {
        let left = self.ahead.len() - self.given;
        self.ahead = Rc::default();
        self.given = 0;
        self.pushed.clear();
        left
    }
}

impl Streams {
    /// A stream.
    pub fn get(&self, id: StreamId) -> &Stream {
        &self.streams[&id]
    }

    /// A stream, to be changed.
    pub fn get_mut(&mut self, id: StreamId) -> &mut Stream {
        self.streams
            .get_mut(&id)
            .expect("streams of objects, and the standard ones, are there")
    }

    /// The stream that an object is.
    pub fn of_object(&self, object: ObjectId) -> Option<StreamId> {
        self.objects.get(&object).copied()
    }

    /// The object that is a stream.
    pub fn object_of(&self, id: StreamId) -> Option<ObjectId> {
        let found = self.objects.iter().find(|(_, stream)| **stream == id);
        found.map(|(object, _)| *object)
    }

    /// Lets an object be a standard stream.
    pub fn set_object(&mut self, object: ObjectId, id: StreamId) {
        self.objects.insert(object, id);
    }

    /// A new stream, that an object is.
    pub fn add(&mut self, object: ObjectId, stream: Stream) -> StreamId {
        let id = StreamId(self.next);
        self.next += 1;
        self.streams.insert(id, stream);
        self.objects.insert(object, id);
        id
    }

    /// Takes a stream away, unless it is a standard one.
    pub fn remove(&mut self, id: StreamId) {
        if id.0 >= 3 {
            self.streams.remove(&id);
            self.objects.retain(|_, stream| *stream != id);
        }
    }

    /// The numbers of all.
    pub fn ids(&self) -> Vec<StreamId> {
        self.streams.keys().copied().collect()
    }
}
