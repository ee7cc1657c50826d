//! File system of a path: existing files and open descriptions. Contents are values, so that they
//! may be symbolic; sizes, offsets and modes are plain numbers. Cheap to fork: contents are shared
//! until they are written.
//!
//! Names are not resolved here, because which file is meant may depend on inputs
//! (`models/libc/files/path.rs`).

use super::output::{Output, OutputPiece, Sink};
use super::readiness::{Interest, Signals, Socket, Timer};
use super::streams::Streams;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use symex_terms::{ObjectId, Value};

/// Number of a node (a file, directory, link, pipe, ...) of a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NodeId(pub usize);

/// Number of an open file description of a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct DescriptionId(pub u32);

/// The kind of a file, with its contents.
#[derive(Clone, Debug)]
pub enum FileKind {
    Regular(Rc<Vec<Value>>),
    /// A directory: names of one component, in order of creation.
    Directory {
        entries: Rc<Vec<(Rc<[Value]>, NodeId)>>,
        parent: NodeId,
    },
    /// A symbolic link, with its target path.
    Link(Rc<[Value]>),
    Pipe(Rc<VecDeque<Value>>),
    Socket(Socket),
    /// What `eventfd` makes.
    Counter {
        count: u64,
        /// Whether a read takes one of it, and not all.
        by_one: bool,
    },
    /// What `timerfd_create` makes.
    Timer(Timer),
    /// What `epoll_create` makes: the descriptors that it watches.
    Watch(Rc<Vec<Interest>>),
    /// Standard output or error: its bytes are the path's result.
    Sink(Sink),
    /// `/dev/null`.
    Null,
}

/// An inode: a file, whatever its names are.
#[derive(Clone, Debug)]
pub struct Inode {
    pub kind: FileKind,
    /// Permission bits.
    pub mode: u32,
    pub links: u64,
    pub signals: Signals,
}

/// A mapping: part of a file that an object shows, and changes.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    pub object: ObjectId,
    pub node: NodeId,
    /// Offset in the file at which it begins, in bytes.
    pub offset: u64,
    pub len: u64,
    /// Whether the program may write to it.
    pub written: bool,
}

impl Mapping {
    /// Returns the number of its bytes that exist in a file of a size.
    pub fn shown(&self, size: u64) -> u64 {
        self.len.min(size.saturating_sub(self.offset))
    }
}

/// An open file description, as `open` makes it: several descriptors may share it.
#[derive(Clone, Debug)]
pub struct Description {
    pub node: NodeId,
    pub offset: u64,
    pub readable: bool,
    pub writable: bool,
    pub append: bool,
    /// Status flags, as `fcntl` returns them.
    pub flags: u64,
    /// Number of descriptors that refer to it.
    descriptors: u32,
}

/// File system of a path: see the module.
#[derive(Clone, Debug)]
pub struct Files {
    nodes: Vec<Inode>,
    descriptions: BTreeMap<DescriptionId, Description>,
    next: u32,
    /// Open descriptors, with whether `exec` closes them.
    descriptors: BTreeMap<u32, (DescriptionId, bool)>,
    pub working_directory: NodeId,
    /// Initial working directory.
    pub home: NodeId,
    /// Permission bits that new files do not get (`umask`).
    pub mask: u32,
    pub output: Rc<Output>,
    pub streams: Rc<Streams>,
    /// Directory listings by their `DIR` objects.
    pub listings: BTreeMap<ObjectId, Listing>,
    /// Mappings that share memory with files.
    pub mappings: Rc<Vec<Mapping>>,
    /// Whether a file became ready, or was closed, since threads were last woken for that.
    pub changed: bool,
    /// Number of times that files became ready.
    pub time: u64,
}

/// A directory listing in progress.
#[derive(Clone, Debug)]
pub struct Listing {
    pub descriptor: u32,
    pub entries: Rc<[(Rc<[Value]>, NodeId)]>,
    /// Index of the next entry.
    pub next: usize,
}

/// Root directory.
pub const ROOT: NodeId = NodeId(0);

/// Size of what is read from and written to a counter.
pub const COUNTER_BYTES: u64 = 8;

/// Greatest number of descriptors of a process.
const MOST_DESCRIPTORS: u32 = 1024;

impl Default for Files {
    /// Makes an empty root directory, and the standard descriptors with empty standard input.
    fn default() -> Self {
        let mut files = Files {
            nodes: Vec::new(),
            descriptions: BTreeMap::new(),
            next: 0,
            descriptors: BTreeMap::new(),
            working_directory: ROOT,
            home: ROOT,
            mask: 0o022,
            output: Rc::default(),
            streams: Rc::default(),
            listings: BTreeMap::new(),
            mappings: Rc::default(),
            changed: false,
            time: 0,
        };
        let root = FileKind::Directory {
            entries: Rc::default(),
            parent: ROOT,
        };
        files.add(root, 0o755);
        let input = files.add(FileKind::Pipe(Rc::default()), 0o600);
        let output = files.add(FileKind::Sink(Sink::Out), 0o600);
        let error = files.add(FileKind::Sink(Sink::Error), 0o600);
        for (node, reads) in [(input, true), (output, false), (error, false)] {
            let standard = Description::new(node, reads, !reads);
            files.open(standard, 0);
        }
        files
    }
}

impl Description {
    /// Makes a description at the beginning of a file.
    pub fn new(node: NodeId, readable: bool, writable: bool) -> Self {
        Description {
            node,
            offset: 0,
            readable,
            writable,
            append: false,
            flags: match (readable, writable) {
                (_, false) => 0,
                (false, true) => 1,
                (true, true) => 2,
            },
            descriptors: 0,
        }
    }
}

impl Files {
    /// File that is standard input initially.
    pub const INPUT: NodeId = NodeId(1);

    /// Files that are standard input, output and error initially.
    pub const STANDARD: [NodeId; 3] = [NodeId(1), NodeId(2), NodeId(3)];

    /// Adds a file without names.
    pub fn add(&mut self, kind: FileKind, mode: u32) -> NodeId {
        self.nodes.push(Inode {
            kind,
            mode,
            links: 0,
            signals: Signals::default(),
        });
        NodeId(self.nodes.len() - 1)
    }

    /// Returns a file.
    pub fn node(&self, id: NodeId) -> &Inode {
        &self.nodes[id.0]
    }

    /// Returns a file, for changing it.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Inode {
        &mut self.nodes[id.0]
    }

    /// Returns the description of a descriptor.
    pub fn description_of(&self, descriptor: u64) -> Option<DescriptionId> {
        let descriptor = u32::try_from(descriptor).ok()?;
        self.descriptors.get(&descriptor).map(|open| open.0)
    }

    /// Returns a description.
    pub fn description(&self, id: DescriptionId) -> &Description {
        &self.descriptions[&id]
    }

    /// Reports whether descriptors refer to a description.
    pub fn has_description(&self, id: DescriptionId) -> bool {
        self.descriptions.contains_key(&id)
    }

    /// Returns a description, for changing it.
    pub fn description_mut(&mut self, id: DescriptionId) -> &mut Description {
        self.descriptions
            .get_mut(&id)
            .expect("a description is there as long as descriptors refer to it")
    }

    /// Returns the lowest free descriptor from a number on.
    fn free_descriptor(&self, least: u32) -> Option<u32> {
        (least..MOST_DESCRIPTORS).find(|number| !self.descriptors.contains_key(number))
    }

    /// Reports whether another descriptor may be opened.
    pub fn has_room(&self) -> bool {
        self.free_descriptor(0).is_some()
    }

    /// Opens a description, at the lowest free descriptor from a number on; `None` if there are too
    /// many.
    pub fn open(&mut self, description: Description, least: u32) -> Option<u32> {
        let number = self.free_descriptor(least)?;
        let id = DescriptionId(self.next);
        self.next += 1;
        self.descriptions.insert(id, description);
        self.refer(number, id, false);
        Some(number)
    }

    /// Opens a new regular file that is in no directory, for reading and writing; `None` if there
    /// are too many descriptors.
    pub fn open_unnamed(&mut self, mode: u32) -> Option<u32> {
        let node = self.add(FileKind::Regular(Rc::default()), mode);
        self.open(Description::new(node, true, true), 0)
    }

    fn refer(&mut self, number: u32, id: DescriptionId, close_on_exec: bool) {
        self.description_mut(id).descriptors += 1;
        self.descriptors.insert(number, (id, close_on_exec));
    }

    /// Makes another descriptor of a description, from a number on.
    pub fn duplicate(&mut self, id: DescriptionId, least: u32, close_on_exec: bool) -> Option<u32> {
        let number = self.free_descriptor(least)?;
        self.refer(number, id, close_on_exec);
        Some(number)
    }

    /// Makes another descriptor of a description, at a given number, replacing what is open there.
    pub fn duplicate_to(&mut self, id: DescriptionId, number: u32, close_on_exec: bool) -> bool {
        if number >= MOST_DESCRIPTORS {
            return false;
        }
        // First the new one, so that the description does not go with the old.
        self.description_mut(id).descriptors += 1;
        self.close(u64::from(number));
        self.descriptors.insert(number, (id, close_on_exec));
        true
    }

    /// Closes a descriptor, and reports whether it was open.
    pub fn close(&mut self, descriptor: u64) -> bool {
        let number = u32::try_from(descriptor).ok();
        let Some((id, _)) = number.and_then(|number| self.descriptors.remove(&number)) else {
            return false;
        };
        self.changed = true;
        let description = self.description_mut(id);
        description.descriptors -= 1;
        if description.descriptors == 0
            && let Some(closed) = self.descriptions.remove(&id)
        {
            self.signal_end(&closed);
        }
        true
    }

    /// Notes the end of a description for whoever waits at the other end of a pipe or socket.
    fn signal_end(&mut self, closed: &Description) {
        let other = match &self.node(closed.node).kind {
            FileKind::Pipe(_) if !self.pipe_has_other_end(closed.node, closed.writable) => {
                closed.node
            }
            FileKind::Socket(socket) => {
                let (peer, is_reset) = (socket.peer, !socket.received.is_empty());
                if let Some(other) = self.socket_mut(peer) {
                    other.is_reset |= is_reset;
                }
                peer
            }
            _ => return,
        };
        self.signal_input(other);
        self.signal_output(other);
    }

    /// Reports whether `exec` closes a descriptor.
    pub fn closes_on_exec(&self, descriptor: u64) -> bool {
        let number = u32::try_from(descriptor).ok();
        let open = number.and_then(|number| self.descriptors.get(&number));
        open.is_some_and(|open| open.1)
    }

    /// Sets whether `exec` closes a descriptor.
    pub fn set_close_on_exec(&mut self, descriptor: u64, closes: bool) {
        let number = u32::try_from(descriptor).ok();
        if let Some(open) = number.and_then(|number| self.descriptors.get_mut(&number)) {
            open.1 = closes;
        }
    }

    /// Reports whether a pipe has an open description that writes to it (or reads from it, if not
    /// `writer`).
    pub fn pipe_has_other_end(&self, node: NodeId, writer: bool) -> bool {
        self.descriptions
            .values()
            .any(|open| open.node == node && if writer { open.writable } else { open.readable })
    }

    /// Returns the number of bytes that can still be read from a description; for a pipe, those it
    /// contains now.
    pub fn available(&self, id: DescriptionId) -> u64 {
        let description = self.description(id);
        match &self.node(description.node).kind {
            FileKind::Regular(bytes) => (bytes.len() as u64).saturating_sub(description.offset),
            FileKind::Pipe(bytes) => bytes.len() as u64,
            FileKind::Socket(socket) => socket.received.len() as u64,
            FileKind::Counter { count: 1.., .. } | FileKind::Timer(_) => COUNTER_BYTES,
            FileKind::Directory { .. }
            | FileKind::Link(_)
            | FileKind::Sink(_)
            | FileKind::Counter { .. }
            | FileKind::Watch(_)
            | FileKind::Null => 0,
        }
    }

    /// Reads bytes from a description, as many as are available, and advances it.
    pub fn take(&mut self, id: DescriptionId, most: u64) -> Vec<Value> {
        let description = self.description(id);
        let (node, offset) = (description.node, description.offset);
        let most_bytes = usize::try_from(most).unwrap_or(usize::MAX);
        match &mut self.nodes[node.0].kind {
            FileKind::Pipe(bytes) => {
                let count = bytes.len().min(most_bytes);
                return Rc::make_mut(bytes).drain(..count).collect();
            }
            FileKind::Socket(socket) => {
                let count = socket.received.len().min(most_bytes);
                let peer = socket.peer;
                let taken = Rc::make_mut(&mut socket.received).drain(..count).collect();
                self.signal_output(peer);
                return taken;
            }
            FileKind::Counter { count, by_one } => {
                let taken = if *by_one { 1 } else { *count };
                *count -= taken;
                self.signal_output(node);
                return known(&taken.to_le_bytes());
            }
            _ => {}
        }
        let bytes = self.read_at(node, offset, most);
        self.description_mut(id).offset += bytes.len() as u64;
        bytes
    }

    /// Reads bytes of a file from an offset on, as many as there are.
    pub fn read_at(&self, node: NodeId, offset: u64, most: u64) -> Vec<Value> {
        let FileKind::Regular(bytes) = &self.node(node).kind else {
            return Vec::new();
        };
        let from = usize::try_from(offset).map_or(bytes.len(), |at| at.min(bytes.len()));
        let count = (bytes.len() - from).min(usize::try_from(most).unwrap_or(usize::MAX));
        bytes[from..from + count].to_vec()
    }

    /// Writes bytes at the position of a description, and advances it.
    pub fn put(&mut self, id: DescriptionId, bytes: Vec<Value>) {
        let description = self.description(id);
        let (node, append, offset) = (description.node, description.append, description.offset);
        match &mut self.nodes[node.0].kind {
            FileKind::Regular(old) => {
                let at = if append { old.len() as u64 } else { offset };
                let end = at + bytes.len() as u64;
                self.write_at(node, at, bytes);
                self.description_mut(id).offset = end;
            }
            FileKind::Pipe(waiting) => {
                Rc::make_mut(waiting).extend(bytes);
                self.signal_input(node);
            }
            FileKind::Socket(socket) => {
                let peer = socket.peer;
                if let Some(other) = self.socket_mut(peer) {
                    Rc::make_mut(&mut other.received).extend(bytes);
                }
                self.signal_input(peer);
            }
            FileKind::Counter { count, .. } => {
                *count += number(&bytes);
                self.signal_input(node);
            }
            FileKind::Sink(sink) => {
                let sink = *sink;
                let output = Rc::make_mut(&mut self.output);
                bytes
                    .into_iter()
                    .for_each(|byte| output.put(sink, OutputPiece::Byte(byte)));
            }
            FileKind::Null
            | FileKind::Link(_)
            | FileKind::Directory { .. }
            | FileKind::Timer(_)
            | FileKind::Watch(_) => {}
        }
    }

    /// Writes text at the position of a description. Only standard output and error may get numbers
    /// in it.
    pub fn put_text(&mut self, id: DescriptionId, text: Vec<OutputPiece>) {
        let node = self.description(id).node;
        if let FileKind::Sink(sink) = self.node(node).kind {
            let output = Rc::make_mut(&mut self.output);
            text.into_iter().for_each(|piece| output.put(sink, piece));
            return;
        }
        let byte = |piece| match piece {
            OutputPiece::Byte(byte) => Some(byte),
            OutputPiece::Number(..) | OutputPiece::Spelled(..) => None,
        };
        self.put(id, text.into_iter().filter_map(byte).collect());
    }

    /// Writes to a file from an offset on; a gap before it is filled with zeros.
    pub fn write_at(&mut self, node: NodeId, offset: u64, new: Vec<Value>) {
        let FileKind::Regular(bytes) = &mut self.nodes[node.0].kind else {
            return;
        };
        if new.is_empty() {
            return;
        }
        let from = offset as usize;
        let bytes = Rc::make_mut(bytes);
        let end = from + new.len();
        if bytes.len() < end {
            bytes.resize(end, Value::Int(0));
        }
        bytes[from..end].copy_from_slice(&new);
    }

    /// Truncates a file, or extends it by zeros.
    pub fn truncate(&mut self, node: NodeId, size: u64) {
        if let FileKind::Regular(bytes) = &mut self.nodes[node.0].kind {
            Rc::make_mut(bytes).resize(size as usize, Value::Int(0));
        }
    }

    /// Writes the pending data of streams, as the end of a process does.
    pub fn settle(&mut self) {
        for id in self.streams.ids() {
            let stream = self.streams.get(id);
            let number = stream.descriptor.map(u64::from);
            let open = number.and_then(|number| self.description_of(number));
            let pending = stream.pending.clone();
            if let (Some(open), false) = (open, pending.is_empty()) {
                self.put_text(open, pending.to_vec());
                Rc::make_mut(&mut self.streams).get_mut(id).pending = Rc::default();
            }
        }
    }

    /// Returns the entries of a directory; none if it is no directory.
    pub fn entries(&self, node: NodeId) -> &[(Rc<[Value]>, NodeId)] {
        match &self.node(node).kind {
            FileKind::Directory { entries, .. } => entries,
            _ => &[],
        }
    }

    /// Returns the size of a file in bytes, if it has one.
    pub fn size(&self, node: NodeId) -> u64 {
        match &self.node(node).kind {
            FileKind::Regular(bytes) => bytes.len() as u64,
            FileKind::Link(target) => target.len() as u64,
            _ => 0,
        }
    }

    /// Reports whether it is a directory.
    pub fn is_directory(&self, node: NodeId) -> bool {
        matches!(self.node(node).kind, FileKind::Directory { .. })
    }

    /// Returns the parent of a directory; that of the root is itself.
    pub fn parent(&self, node: NodeId) -> NodeId {
        match self.node(node).kind {
            FileKind::Directory { parent, .. } => parent,
            _ => ROOT,
        }
    }

    /// Reports whether a directory, or one above it, was removed.
    pub fn is_removed(&self, directory: NodeId) -> bool {
        let mut at = directory;
        while at != ROOT {
            let parent = self.parent(at);
            if self.entries(parent).iter().all(|entry| entry.1 != at) {
                return true;
            }
            at = parent;
        }
        false
    }

    /// Adds a name of a file to a directory, which has no such name yet.
    pub fn link(&mut self, directory: NodeId, name: Rc<[Value]>, node: NodeId) {
        if let FileKind::Directory { entries, .. } = &mut self.nodes[directory.0].kind {
            Rc::make_mut(entries).push((name, node));
        }
        if let FileKind::Directory { parent, .. } = &mut self.nodes[node.0].kind {
            *parent = directory;
        }
        self.nodes[node.0].links += 1;
    }

    /// Returns the directory of these names below another, making missing ones. All existing names
    /// must be concrete.
    pub fn make_directories(&mut self, from: NodeId, names: &[&str]) -> NodeId {
        let mut at = from;
        for name in names {
            let name = known(name.as_bytes());
            let entry = self.entries(at).iter().find(|entry| *entry.0 == *name);
            at = match entry {
                Some((_, node)) => *node,
                None => {
                    let kind = FileKind::Directory {
                        entries: Rc::default(),
                        parent: at,
                    };
                    let node = self.add(kind, 0o755);
                    self.link(at, name.into(), node);
                    node
                }
            };
        }
        at
    }

    /// Removes the name of a file from a directory.
    pub fn unlink(&mut self, directory: NodeId, at: usize) {
        if let FileKind::Directory { entries, .. } = &mut self.nodes[directory.0].kind {
            let (_, node) = Rc::make_mut(entries).remove(at);
            self.nodes[node.0].links -= 1;
        }
    }

    /// Returns all files, except directories, below a directory, with their relative paths.
    pub fn all_below(&self, directory: NodeId) -> Vec<(Vec<Value>, NodeId)> {
        let mut found = Vec::new();
        let mut open = vec![(Vec::new(), directory)];
        while let Some((path, directory)) = open.pop() {
            for (name, node) in self.entries(directory) {
                let mut path: Vec<Value> = path.clone();
                if !path.is_empty() {
                    path.push(Value::Int(u64::from(b'/')));
                }
                path.extend_from_slice(name);
                if self.is_directory(*node) {
                    open.push((path, *node));
                } else {
                    found.push((path, *node));
                }
            }
        }
        found
    }
}

/// Returns the number that known bytes are, the lowest first.
pub fn number(bytes: &[Value]) -> u64 {
    let bytes = bytes.iter().take(COUNTER_BYTES as usize);
    bytes.rev().fold(0, |number, byte| match byte {
        Value::Int(byte) => number << 8 | byte & 0xff,
        _ => number << 8,
    })
}

/// Returns the values of known bytes.
pub fn known(bytes: &[u8]) -> Vec<Value> {
    bytes
        .iter()
        .map(|byte| Value::Int(u64::from(*byte)))
        .collect()
}
