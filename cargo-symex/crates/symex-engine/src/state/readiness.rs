//! Readiness of open files: what a reader or writer would not wait for, and the sets of descriptors
//! that `epoll` watches.
//!
//! A file counts the times at which it became ready. So a watched descriptor tells news, which it
//! reports once if it asks for edges, from what it has reported before.

use super::file_system::{DescriptionId, FileKind, Files, NodeId};
use std::collections::VecDeque;
use std::rc::Rc;
use symex_terms::Value;

/// Events of `poll` and `epoll`, with the same numbers in both: something to read, room to write,
/// an error, both ways closed, and nothing more to come.
pub const IN: u64 = 1;
pub const OUT: u64 = 4;
pub const ERROR: u64 = 8;
pub const HANG_UP: u64 = 0x10;
pub const END: u64 = 0x2000;

/// Events that are reported even if they are not asked for.
pub const UNASKED: u64 = ERROR | HANG_UP;

/// Times at which a file last became ready, in changes of the path's files; 0 if it never did.
#[derive(Clone, Copy, Default, Debug)]
pub struct Signals {
    pub input: u64,
    pub output: u64,
}

/// A descriptor that an `epoll` watches.
#[derive(Clone, Debug)]
pub struct Interest {
    pub descriptor: u32,
    pub description: DescriptionId,
    /// Events to report, with no flags.
    pub events: u64,
    /// Whether it reports each event when it happens, and not for as long as it lasts.
    pub edges: bool,
    /// Whether it reports nothing more after the first time.
    pub once: bool,
    /// What the program wants to be told in reports.
    pub data: Value,
    /// Time from which on events are news.
    pub since: u64,
    /// Time up to which events have been reported; `None`: nothing has been.
    pub seen: Option<u64>,
}

/// A timer, by the path's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timer {
    /// Time at which it next expires, in nanoseconds; `None`: it is not set.
    pub next: Option<u64>,
    /// Time between expirations; 0: there is one.
    pub interval: u64,
    /// Whether it shows the wall clock's time.
    pub is_wall_clock: bool,
}

impl Timer {
    /// Takes the number of expirations until now.
    pub fn take(&mut self, now: u64) -> u64 {
        match self.next {
            Some(next) if next <= now => {
                let periods = (now - next).checked_div(self.interval);
                let count = periods.map_or(1, |periods| periods + 1);
                self.next = periods.map(|periods| next + (periods + 1) * self.interval);
                count
            }
            _ => 0,
        }
    }
}

/// Report of an `epoll` on one descriptor.
#[derive(Clone, Copy, Debug)]
pub struct News {
    /// File that is ready.
    pub node: NodeId,
    pub events: u64,
    /// What the program wants to be told.
    pub data: Value,
}

/// One end of a pair of connected sockets that carry bytes.
#[derive(Clone, Debug)]
pub struct Socket {
    pub received: Rc<VecDeque<Value>>,
    /// The other end.
    pub peer: NodeId,
    /// Whether nothing more is sent.
    pub sends_no_more: bool,
    /// Whether nothing more is received.
    pub receives_no_more: bool,
    /// Whether the other end was closed before it had read all: an error that is told once.
    pub is_reset: bool,
}

impl Files {
    /// Notes that a file has something to read, or an end, and that threads may wait for that.
    pub fn signal_input(&mut self, node: NodeId) {
        self.time += 1;
        self.node_mut(node).signals.input = self.time;
        self.changed = true;
    }

    /// Notes that a file has room to write, and that threads may wait for that.
    pub fn signal_output(&mut self, node: NodeId) {
        self.time += 1;
        self.node_mut(node).signals.output = self.time;
        self.changed = true;
    }

    /// Returns a socket, if a file is one.
    pub fn socket(&self, node: NodeId) -> Option<&Socket> {
        match &self.node(node).kind {
            FileKind::Socket(socket) => Some(socket),
            _ => None,
        }
    }

    /// Returns a socket to change it, if a file is one.
    pub fn socket_mut(&mut self, node: NodeId) -> Option<&mut Socket> {
        match &mut self.node_mut(node).kind {
            FileKind::Socket(socket) => Some(socket),
            _ => None,
        }
    }

    /// Reports whether descriptors refer to a file.
    pub fn is_open(&self, node: NodeId) -> bool {
        self.pipe_has_other_end(node, true) || self.pipe_has_other_end(node, false)
    }

    /// Reports whether a socket can receive nothing beyond what it has received.
    pub fn is_at_end(&self, socket: &Socket) -> bool {
        let other = self.socket(socket.peer);
        socket.receives_no_more
            || other.is_none_or(|other| other.sends_no_more)
            || !self.is_open(socket.peer)
    }

    /// Reports whether what a socket sends still reaches the other end.
    pub fn may_send(&self, socket: &Socket) -> bool {
        let other = self.socket(socket.peer);
        !socket.sends_no_more
            && other.is_some_and(|other| !other.receives_no_more)
            && self.is_open(socket.peer)
    }

    /// Returns the next time at which a description becomes ready by itself, because of a timer.
    pub fn alarm(&self, id: DescriptionId) -> Option<u64> {
        match &self.node(self.description(id).node).kind {
            FileKind::Timer(timer) => timer.next,
            FileKind::Watch(interests) => {
                let watched = interests.iter().map(|one| one.description);
                let open = watched.filter(|id| self.has_description(*id));
                open.filter_map(|id| self.alarm(id)).min()
            }
            _ => None,
        }
    }

    /// Returns the events that are the case for a description at a time of the path's clock.
    pub fn readiness(&self, id: DescriptionId, now: u64) -> u64 {
        let open = self.description(id);
        match &self.node(open.node).kind {
            FileKind::Pipe(bytes) if open.readable => {
                let input = if bytes.is_empty() { 0 } else { IN };
                let over = !self.pipe_has_other_end(open.node, true);
                input | if over { HANG_UP } else { 0 }
            }
            FileKind::Socket(socket) => {
                let end = self.is_at_end(socket);
                let input = end || !socket.received.is_empty();
                let over =
                    !self.is_open(socket.peer) || socket.sends_no_more && socket.receives_no_more;
                OUT | if input { IN } else { 0 }
                    | if end { END } else { 0 }
                    | if over { HANG_UP } else { 0 }
                    | if socket.is_reset { ERROR } else { 0 }
            }
            FileKind::Counter { count, .. } => {
                let input = if *count > 0 { IN } else { 0 };
                input | if *count < u64::MAX - 1 { OUT } else { 0 }
            }
            FileKind::Timer(timer) => match timer.next {
                Some(next) if next <= now => IN,
                _ => 0,
            },
            FileKind::Watch(interests) => {
                let any = interests.iter().any(|one| self.news(one, now) != 0);
                if any { IN } else { 0 }
            }
            FileKind::Pipe(_) | FileKind::Sink(_) => OUT,
            FileKind::Regular(_)
            | FileKind::Directory { .. }
            | FileKind::Link(_)
            | FileKind::Null => IN | OUT,
        }
    }

    /// Returns the events that a watched descriptor has to report.
    fn news(&self, one: &Interest, now: u64) -> u64 {
        // A watch ends when the last descriptor of what it watches is closed.
        if !self.has_description(one.description) || one.once && one.seen.is_some() {
            return 0;
        }
        let ready = self.readiness(one.description, now) & (one.events | UNASKED);
        let node = self.node(self.description(one.description).node);
        let signals = node.signals;
        let is_new =
            |events: u64, time: u64| ready & events != 0 && one.seen.is_none_or(|seen| time > seen);
        // A timer that has expired is told until it is read.
        let is_told = !one.edges
            || matches!(node.kind, FileKind::Timer(_))
            || is_new(IN | END | UNASKED, signals.input)
            || is_new(OUT | UNASKED, signals.output);
        if is_told { ready } else { 0 }
    }

    /// Takes at most so many reports of an `epoll`, the oldest first.
    pub fn take_news(&mut self, watch: NodeId, most: usize, now: u64) -> Vec<News> {
        let FileKind::Watch(interests) = &self.node(watch).kind else {
            return Vec::new();
        };
        let mut found: Vec<(u64, usize, News)> = Vec::new();
        for (at, one) in interests.iter().enumerate() {
            let events = self.news(one, now);
            if events != 0 {
                let node = self.description(one.description).node;
                let signals = self.node(node).signals;
                let input = if events & !OUT != 0 { signals.input } else { 0 };
                let output = if events & OUT != 0 { signals.output } else { 0 };
                let news = News {
                    node,
                    events,
                    data: one.data,
                };
                found.push((one.since.max(input).max(output), at, news));
            }
        }
        found.sort_unstable_by_key(|(time, at, _)| (*time, *at));
        found.truncate(most);
        let time = self.time;
        if let FileKind::Watch(interests) = &mut self.node_mut(watch).kind
            && !found.is_empty()
        {
            let interests = Rc::make_mut(interests);
            for (_, at, _) in &found {
                interests[*at].seen = Some(time);
            }
        }
        found.into_iter().map(|(_, _, news)| news).collect()
    }
}
