//! Streams of C's `stdio.h` on a path, identified by the objects to which `FILE *` points. A stream
//! reads ahead as the C library does (so that a program that also reads the descriptor sees the
//! same), and buffers writes until it is full or flushed; standard output and error are written at
//! once, so that all output is seen.

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
    /// Descriptor; `None` if the stream was closed.
    pub descriptor: Option<u32>,
    pub readable: bool,
    pub writable: bool,
    /// Bytes read ahead; `given` is the number of those consumed.
    pub ahead: Rc<Vec<Value>>,
    pub given: usize,
    /// Bytes pushed back, the last one read first.
    pub pushed: Vec<Value>,
    /// Written data that is not in the file yet.
    pub pending: Rc<Vec<OutputPiece>>,
    /// Whether writes are passed on at once.
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
    /// Makes the standard streams.
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
    /// Makes a stream on a descriptor.
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

    /// Returns the number of bytes available without reading the file.
    pub fn waiting(&self) -> usize {
        self.pushed.len() + self.ahead.len() - self.given
    }

    /// Returns one of these bytes.
    pub fn peek(&self, at: usize) -> Option<Value> {
        let pushed = self.pushed.len();
        if at < pushed {
            return Some(self.pushed[pushed - 1 - at]);
        }
        self.ahead.get(self.given + at - pushed).copied()
    }

    /// Consumes `count` of these bytes.
    pub fn give(&mut self, count: usize) {
        let pushed = count.min(self.pushed.len());
        self.pushed.truncate(self.pushed.len() - pushed);
        self.given += count - pushed;
        if self.given == self.ahead.len() {
            self.ahead = Rc::default();
            self.given = 0;
        }
    }

    /// Drops the read-ahead; returns how much of it was not consumed.
    pub fn forget(&mut self) -> usize {
        let left = self.ahead.len() - self.given;
        self.ahead = Rc::default();
        self.given = 0;
        self.pushed.clear();
        left
    }
}

impl Streams {
    /// Returns a stream.
    pub fn get(&self, id: StreamId) -> &Stream {
        &self.streams[&id]
    }

    /// Returns a stream, for changing it.
    pub fn get_mut(&mut self, id: StreamId) -> &mut Stream {
        self.streams
            .get_mut(&id)
            .expect("streams of objects, and the standard ones, are there")
    }

    /// Returns the stream of an object.
    pub fn of_object(&self, object: ObjectId) -> Option<StreamId> {
        self.objects.get(&object).copied()
    }

    /// Returns the object of a stream.
    pub fn object_of(&self, id: StreamId) -> Option<ObjectId> {
        let found = self.objects.iter().find(|(_, stream)| **stream == id);
        found.map(|(object, _)| *object)
    }

    /// Sets the object of a standard stream.
    pub fn set_object(&mut self, object: ObjectId, id: StreamId) {
        self.objects.insert(object, id);
    }

    /// Adds a stream with its object.
    pub fn add(&mut self, object: ObjectId, stream: Stream) -> StreamId {
        let id = StreamId(self.next);
        self.next += 1;
        self.streams.insert(id, stream);
        self.objects.insert(object, id);
        id
    }

    /// Removes a stream, unless it is a standard one.
    pub fn remove(&mut self, id: StreamId) {
        if id.0 >= 3 {
            self.streams.remove(&id);
            self.objects.retain(|_, stream| *stream != id);
        }
    }

    /// Returns the numbers of all streams.
    pub fn ids(&self) -> Vec<StreamId> {
        self.streams.keys().copied().collect()
    }
}
