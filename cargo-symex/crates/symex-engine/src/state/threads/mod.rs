//! Threads of a path, once there is more than one. The frames of the running thread are in the
//! state itself, those of the others are kept here.
//!
//! One thread runs at a time, and threads take turns where one waits, yields, or is preempted
//! before an operation by which threads see each other. Between these places a thread's steps
//! cannot be told from one indivisible step, since plain accesses that another thread could see are
//! races and end the path.

pub mod accesses;
pub mod clock;

use crate::state::file_system::NodeId;
use crate::state::{Jumps, Stack, State};
use accesses::Accesses;
use clock::VectorClock;
use std::collections::BTreeMap;
use std::rc::Rc;
use symex_terms::{ObjectId, Value};

/// Number of a thread on its path; the first one is 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ThreadId(pub u32);

impl ThreadId {
    /// The thread that runs the harness, or `main`.
    pub const MAIN: ThreadId = ThreadId(0);
}

/// Event for which a thread waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// A call that wakes the threads that wait at this address.
    Address(ObjectId, u64),
    /// The end of a thread.
    End(ThreadId),
    /// Its time, alone.
    Time,
    /// A file that becomes ready: one that another thread writes to or closes.
    Files,
    /// All other threads wait, too, or have had their last turns: the process is about to end.
    Others,
}

/// Reason why a thread that waited goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Woken {
    /// What it waited for has happened.
    Called,
    /// Its time is over.
    TimedOut,
}

/// What a thread does while another one runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Ready,
    Waiting {
        wait: Wait,
        /// Time of the path's clock, in nanoseconds, at which it goes on whatever happens.
        until: Option<u64>,
        /// Number of the wait, by which those who waited longest are woken first.
        since: u64,
    },
    Ended,
}

/// One thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Frames; `None` while it runs, and after its end.
    stack: Option<Stack>,
    pub status: Status,
    /// Why it goes on, until the call that waited has seen it.
    pub woken: Option<Woken>,
    /// Whether a wait that was over in time went on as a wait for a lock.
    pub timed_out: bool,
    /// Whether other threads have had the chance to run before the instruction at which it stands.
    pub preempted: bool,
    /// What has happened before its next step.
    pub clock: VectorClock,
    /// What it sees after its next fence that acquires.
    pub to_acquire: VectorClock,
    /// What had happened before its last fence that releases.
    pub released: Option<VectorClock>,
    /// Its own copies of thread-local variables. The first thread has the variables themselves.
    pub locals: BTreeMap<ObjectId, ObjectId>,
    /// What it returned, after its end.
    pub result: Value,
    /// Whether its end can no longer be waited for.
    pub detached: bool,
    own: Own,
}

/// The parts of the modelled world that each thread has for itself.
#[derive(Clone, Default, Debug)]
struct Own {
    errno: Option<ObjectId>,
    block: Option<ObjectId>,
    keys: Vec<Value>,
    destructors: Vec<(Value, Value)>,
    delivering: Vec<u32>,
    jumps: Jumps,
}

impl Thread {
    fn new(clock: VectorClock) -> Self {
        Thread {
            stack: None,
            status: Status::Ready,
            woken: None,
            timed_out: false,
            preempted: false,
            clock,
            to_acquire: VectorClock::default(),
            released: None,
            locals: BTreeMap::new(),
            result: Value::Undef,
            detached: false,
            own: Own::default(),
        }
    }
}

/// All threads of a path.
#[derive(Clone, Debug)]
pub struct Threads {
    all: Vec<Thread>,
    running: ThreadId,
    pub accesses: Accesses,
    /// What had happened before the last writes to files through which threads see each other.
    written: BTreeMap<NodeId, VectorClock>,
    /// Number of instructions of the path when the running thread began its turn.
    pub turn_began: u64,
    /// Number of turns that threads have had since the first one came to the end of the process.
    pub last_turns: u32,
    /// Number of times that a thread was preempted, or another than the next one in turn was
    /// chosen.
    pub preemptions: u32,
    waits: u64,
}

impl Default for Threads {
    fn default() -> Self {
        let mut clock = VectorClock::default();
        clock.advance(ThreadId::MAIN);
        Threads {
            all: vec![Thread::new(clock)],
            running: ThreadId::MAIN,
            accesses: Accesses::default(),
            written: BTreeMap::new(),
            turn_began: 0,
            last_turns: 0,
            preemptions: 0,
            waits: 0,
        }
    }
}

impl Threads {
    /// Returns the number of the running thread.
    pub fn running(&self) -> ThreadId {
        self.running
    }

    /// Returns the running thread.
    pub fn current(&self) -> &Thread {
        &self.all[self.running.0 as usize]
    }

    /// Returns the running thread, to change it.
    pub fn current_mut(&mut self) -> &mut Thread {
        &mut self.all[self.running.0 as usize]
    }

    /// Returns a thread, if there is one of this number.
    pub fn get(&self, thread: ThreadId) -> Option<&Thread> {
        self.all.get(thread.0 as usize)
    }

    /// Returns a thread to change it, if there is one of this number.
    pub fn get_mut(&mut self, thread: ThreadId) -> Option<&mut Thread> {
        self.all.get_mut(thread.0 as usize)
    }

    /// Returns the number of threads that there have been.
    pub fn count(&self) -> u32 {
        self.all.len() as u32
    }

    /// Iterates over the frames of the threads that do not run.
    pub fn stacks(&self) -> impl Iterator<Item = &Stack> {
        self.all.iter().filter_map(|thread| thread.stack.as_ref())
    }

    /// Iterates over all threads with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (ThreadId, &Thread)> {
        (0..).map(ThreadId).zip(&self.all)
    }

    /// Adds a thread that is ready to run: what the running one did has happened before.
    pub fn add(&mut self, stack: Stack) -> ThreadId {
        let id = ThreadId(self.all.len() as u32);
        let mut clock = self.current().clock.clone();
        clock.advance(id);
        self.all.push(Thread {
            stack: Some(stack),
            ..Thread::new(clock)
        });
        self.advance();
        id
    }

    /// Counts a release operation of the running thread.
    pub fn advance(&mut self) {
        let running = self.running;
        self.current_mut().clock.advance(running);
    }

    /// Lets those who read from a file see what the running thread, which has written to it, did.
    pub fn release_to(&mut self, file: NodeId) {
        let clock = self.current().clock.clone();
        self.written.entry(file).or_default().join(&clock);
        self.advance();
    }

    /// Lets the running thread see what those did who wrote to a file.
    pub fn acquire_from(&mut self, file: NodeId) {
        if let Some(clock) = self.written.get(&file).cloned() {
            self.current_mut().clock.join(&clock);
        }
    }

    /// Iterates over the other threads that are ready, from the one next in turn on.
    pub fn ready(&self) -> impl Iterator<Item = ThreadId> + '_ {
        let count = self.count();
        let others = (1..count).map(move |by| ThreadId((self.running.0 + by) % count));
        others.filter(|thread| self.all[thread.0 as usize].status == Status::Ready)
    }

    /// Lets the running thread wait.
    pub fn wait(&mut self, wait: Wait, until: Option<u64>) {
        self.waits += 1;
        self.current_mut().status = Status::Waiting {
            wait,
            until,
            since: self.waits,
        };
    }

    /// Makes a waiting thread ready.
    pub fn wake(&mut self, thread: ThreadId, woken: Woken) {
        let thread = &mut self.all[thread.0 as usize];
        thread.status = Status::Ready;
        thread.woken = Some(woken);
    }

    /// Returns the threads that wait for an event, those who waited longest first.
    pub fn waiting_for(&self, event: Wait) -> Vec<ThreadId> {
        let waiting = self.iter().filter_map(|(id, thread)| match thread.status {
            Status::Waiting { wait, since, .. } if wait == event => Some((since, id)),
            _ => None,
        });
        let mut waiting: Vec<_> = waiting.collect();
        waiting.sort_unstable();
        waiting.into_iter().map(|(_, id)| id).collect()
    }

    /// Returns the waiting thread whose time is over first, and that time.
    pub fn first_timeout(&self) -> Option<(u64, ThreadId)> {
        let times = self.iter().filter_map(|(id, thread)| match thread.status {
            Status::Waiting {
                until: Some(until), ..
            } => Some((until, id)),
            _ => None,
        });
        times.min()
    }

    /// Reports whether all other threads have ended, and all that they did has happened before what
    /// the first one does now.
    fn is_over(&self) -> bool {
        self.running == ThreadId::MAIN
            && self.iter().skip(1).all(|(id, thread)| {
                let clock = &self.current().clock;
                thread.status == Status::Ended
                    && thread.detached
                    && thread.clock.of(id) <= clock.of(id)
            })
    }
}

impl State {
    /// Returns the number of times that a thread was preempted on this path.
    pub fn preemptions(&self) -> u32 {
        let threads = self.threads.as_ref();
        threads.map_or(0, |threads| threads.preemptions)
    }

    /// Reports whether a panic is on its way on the running thread, to the end of the path.
    pub fn unwinds_here(&self) -> bool {
        self.unwinds == Some(self.thread())
    }

    /// Returns the number of the running thread.
    pub fn thread(&self) -> ThreadId {
        let running = self.threads.as_ref().map(|threads| threads.running);
        running.unwrap_or(ThreadId::MAIN)
    }

    /// Lets another thread run: exchanges the frames and all else that each thread has for itself.
    /// The running thread's frames are dropped if it has ended.
    pub fn switch_to(&mut self, thread: ThreadId) {
        let Some(threads) = &mut self.threads else {
            return;
        };
        let old = threads.running.0 as usize;
        if old == thread.0 as usize {
            return;
        }
        let next = &mut threads.all[thread.0 as usize];
        let Some(mut stack) = next.stack.take() else {
            return;
        };
        stack.number_after(&self.stack);
        let world = Rc::make_mut(&mut self.world);
        let mut own = std::mem::take(&mut next.own);
        // Keys are made for all threads.
        own.keys.resize(world.thread_keys.len(), Value::NULL);
        let stack = std::mem::replace(&mut self.stack, stack);
        let own = Own {
            errno: std::mem::replace(&mut world.errno, own.errno),
            block: std::mem::replace(&mut world.thread, own.block),
            keys: std::mem::replace(&mut world.thread_keys, own.keys),
            destructors: std::mem::replace(&mut world.thread_destructors, own.destructors),
            delivering: std::mem::replace(&mut world.delivering, own.delivering),
            jumps: std::mem::replace(&mut world.jumps, own.jumps),
        };
        let last = &mut threads.all[old];
        if last.status != Status::Ended {
            last.stack = Some(stack);
            last.own = own;
        }
        threads.running = thread;
        threads.turn_began = self.steps;
    }

    /// Forgets the other threads if they have ended, and nothing can depend on them any more.
    pub fn forget_threads(&mut self) {
        if self
            .threads
            .as_ref()
            .is_some_and(|threads| threads.is_over())
        {
            self.threads = None;
        }
    }
}
