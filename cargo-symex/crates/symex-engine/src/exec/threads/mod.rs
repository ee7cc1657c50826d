//! Threads: which one runs, and whether their accesses race.
//!
//! Threads take turns: one runs until it waits, yields, ends, or its turn is over, and then the
//! next one in turn does. Each deviation from that order (a thread is preempted, or another than
//! the next one is chosen) is explored up to a number of them on a path [Musuvathi and Qadeer,
//! "Iterative context bounding", PLDI 2007]. Preemption is tried before operations by which threads
//! see each other only: `race` reports other accesses whose order could matter.

mod local;
mod race;

pub use race::Atomic;

use crate::exec::Executor;
use crate::exec::path::end::{Event, Fault, Res, Stop};
use crate::exec::path::trace::location_in;
use crate::state::threads::{Status, ThreadId, Wait, Woken};
use crate::state::{Frame, State, Threads, WorldState};
use smallvec::SmallVec;
use std::rc::Rc;
use symex_program::{FuncId, LocId, Ordering};
use symex_terms::{ObjectId, Value};
use symex_types::outcome::decision_tree::ForkKind;
use symex_types::outcome::{Bound, EarlierEvent, FindingKind, Unsupported};

/// Number of instructions after which a thread that does not wait lets the next one run.
const TURN: u64 = 2_000;

/// Number of turns that other threads have when the first one is at the end of the process.
const LAST_TURNS: u32 = 16;

/// What a finding takes for granted if there was more than one thread.
pub const ORDER: &str = "the threads were taken to run in the order of this path";

impl Executor<'_> {
    /// Starts a thread that calls a function with these leaves, and returns its number.
    pub fn start_thread(
        &mut self,
        st: &mut State,
        function: FuncId,
        args: &[Value],
    ) -> Res<ThreadId> {
        if self.queries.aside {
            return Err(Unsupported::Model("a thread in a detached run".into()).into());
        }
        let body = self.program.function(function).body.as_ref();
        let slots = body.map_or(0, |body| body.slots as usize);
        let stack = st.stack.beside(Frame::first(function, slots, args));
        st.stack.number_after(&stack);
        self.entered.enter_block(function, 0);
        if st.threads.is_none() {
            st.take_for_granted(ORDER);
            let most = self.config.limits.max_preemptions;
            self.outcomes.note(st, Bound::Preemptions(most));
        }
        let steps = st.steps;
        let threads = st.threads.get_or_insert_with(|| {
            let mut threads = Box::<Threads>::default();
            threads.turn_began = steps;
            threads
        });
        Ok(threads.add(stack))
    }

    /// Returns why the call goes on that is repeated after its thread has waited; `None` where it
    /// is made for the first time.
    pub fn woken(&mut self, st: &mut State) -> Option<Woken> {
        st.threads.as_mut()?.current_mut().woken.take()
    }

    /// Lets the running thread wait, until a time of the path's clock if one is given. Another
    /// thread runs then, and the call is repeated when the wait is over: [`Self::woken`] tells. A
    /// thread without others, that waits for a time, has waited when this returns.
    ///
    /// The path ends if all threads wait for each other.
    pub fn wait(&mut self, st: &mut State, wait: Wait, until: Option<u64>) -> Res<Woken> {
        let Some(threads) = &mut st.threads else {
            return match until {
                Some(until) => {
                    pass_time(st, until);
                    Ok(Woken::TimedOut)
                }
                None => Err(deadlock("the only thread waits").into()),
            };
        };
        // First the others: what has changed so far, this thread has seen.
        wake_for_files(threads, &mut st.world);
        threads.wait(wait, until);
        self.run_another(st)?;
        Err(Stop::Jumped)
    }

    /// Lets the running thread wait for a file that another thread writes to or closes. The call is
    /// repeated then. `alone` says what is wrong if there is no other thread.
    pub fn wait_for_files(&mut self, st: &mut State, alone: &str) -> Res<()> {
        if st.threads.is_none() {
            return Err(deadlock(alone).into());
        }
        self.wait(st, Wait::Files, None).map(drop)
    }

    /// Wakes the threads that wait at an address, at most so many, those who waited longest first.
    /// Returns their number.
    pub fn wake(&mut self, st: &mut State, object: ObjectId, offset: u64, most: u64) -> u64 {
        let Some(threads) = &mut st.threads else {
            return 0;
        };
        let waiting = threads.waiting_for(Wait::Address(object, offset));
        let woken = waiting
            .len()
            .min(usize::try_from(most).unwrap_or(usize::MAX));
        for thread in &waiting[..woken] {
            threads.wake(*thread, Woken::Called);
        }
        woken as u64
    }

    /// Lets the other threads run, in a call that does nothing else.
    pub fn yield_in_call(&mut self, st: &mut State) -> Res<()> {
        if self.woken(st).is_some() {
            return Ok(());
        }
        let Some(threads) = &mut st.threads else {
            return Ok(());
        };
        threads.current_mut().woken = Some(Woken::Called);
        if self.pass_turn(st) {
            return Err(Stop::Jumped);
        }
        self.woken(st);
        Ok(())
    }

    /// Lets the other threads run, between two instructions. False: none can.
    pub(in crate::exec) fn pass_turn(&mut self, st: &mut State) -> bool {
        let Some(threads) = &mut st.threads else {
            return false;
        };
        wake_for_files(threads, &mut st.world);
        if let [main, ..] = threads.waiting_for(Wait::Others)[..] {
            threads.last_turns += 1;
            if threads.last_turns > LAST_TURNS {
                threads.wake(main, Woken::Called);
                st.switch_to(main);
                return true;
            }
        }
        if threads.ready().next().is_none() {
            // Who waits for a thread that sleeps lets time pass.
            let Some((until, sleeper)) = threads.first_timeout() else {
                return false;
            };
            threads.wake(sleeper, Woken::TimedOut);
            pass_time(st, until);
        }
        self.run_next(st);
        true
    }

    /// Lets the next thread run if the running one has had its turn.
    pub(in crate::exec) fn end_turn(&mut self, st: &mut State) {
        let is_over = |threads: &Threads| st.steps - threads.turn_began > TURN;
        if st.threads.as_deref().is_some_and(is_over) {
            let steps = st.steps;
            if !self.pass_turn(st)
                && let Some(threads) = &mut st.threads
            {
                threads.turn_began = steps;
            }
        }
    }

    /// Explores what happens if another thread runs before the instruction or call at which the
    /// path stands, which the threads can see.
    pub fn preempt(&mut self, st: &mut State) {
        let Some(threads) = &mut st.threads else {
            return;
        };
        if std::mem::replace(&mut threads.current_mut().preempted, true)
            || threads.preemptions >= self.config.limits.max_preemptions
        {
            return;
        }
        let ready: SmallVec<[ThreadId; 4]> = threads.ready().collect();
        for thread in ready {
            self.fork_to(st, thread);
        }
    }

    /// Executes an atomic instruction. Other threads may run before it.
    pub(in crate::exec) fn seen_by_others<T>(
        &mut self,
        st: &mut State,
        order: Ordering,
        modifies: bool,
        accesses: impl FnOnce(&mut Self, &mut State) -> Res<T>,
    ) -> Res<T> {
        if st.threads.is_none() {
            return accesses(self, st);
        }
        self.preempt(st);
        let result = self.atomically(st, Atomic { order, modifies }, accesses)?;
        pass_point(st);
        Ok(result)
    }

    /// Adds a state in which a thread runs whose turn it is not.
    fn fork_to(&mut self, st: &State, thread: ThreadId) {
        let mut other = self.clone_state(st, ForkKind::Thread);
        if let Some(threads) = &mut other.threads {
            threads.preemptions += 1;
        }
        other.switch_to(thread);
        self.siblings.push(other);
    }

    /// Lets the next thread run that is ready, and explores that others do.
    fn run_next(&mut self, st: &mut State) {
        let Some(threads) = &st.threads else { return };
        let mut ready: SmallVec<[ThreadId; 4]> = threads.ready().collect();
        if ready.is_empty() {
            return;
        }
        let next = ready.remove(0);
        if threads.preemptions < self.config.limits.max_preemptions {
            for thread in ready {
                self.fork_to(st, thread);
            }
        }
        st.switch_to(next);
    }

    /// Lets another thread run in place of the running one, which waits or has ended. Where none is
    /// ready, time passes until one is.
    fn run_another(&mut self, st: &mut State) -> Res<()> {
        let Some(threads) = &mut st.threads else {
            return Ok(());
        };
        wake_for_files(threads, &mut st.world);
        if threads.ready().next().is_none() {
            if let [main, ..] = threads.waiting_for(Wait::Others)[..] {
                threads.wake(main, Woken::Called);
            } else if let Some((until, sleeper)) = threads.first_timeout() {
                threads.wake(sleeper, Woken::TimedOut);
                pass_time(st, until);
            } else {
                return Err(self.all_wait(st).into());
            }
        }
        self.run_next(st);
        Ok(())
    }

    /// Makes the fault of a path on which all threads wait, and says where the others do.
    fn all_wait(&self, st: &State) -> Fault {
        let others = st.threads.iter().flat_map(|threads| threads.stacks());
        let places = others.map(|stack| location_in(self.program, stack));
        let places: Vec<LocId> = places.collect();
        let all = st.threads.iter().flat_map(|threads| threads.iter());
        let message = match all.filter(|(_, t)| t.status != Status::Ended).count() {
            1 => "the only thread that is left waits".to_owned(),
            waiting => format!("all {waiting} threads wait"),
        };
        let mut fault = deadlock(&message);
        let events = places
            .into_iter()
            .map(|at| Event::new(EarlierEvent::OtherThreadWaits, at));
        fault.earlier.extend(events);
        fault
    }

    /// Reports whether the end of the process is put off, since other threads can go on: that they
    /// do so before is one of the orders that are possible.
    pub(in crate::exec) fn waits_for_others(&mut self, st: &mut State) -> Res<bool> {
        if self.woken(st).is_some() {
            return Ok(false);
        }
        match &mut st.threads {
            Some(threads) if threads.ready().next().is_some() => {
                threads.wait(Wait::Others, None);
                self.run_another(st)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Ends the running thread, which is not the first one, when its first function returns a
    /// value: calls its destructors, and lets another thread run.
    pub(in crate::exec) fn end_thread(&mut self, st: &mut State, result: Value) -> Res<()> {
        match self.next_destructor(st)? {
            Some((function, argument)) => self.push_before(st, function, &[argument]),
            None => self.leave_thread(st, result),
        }
    }

    /// Ends the running thread, which is not the first one, wherever it stands: leaves its frames,
    /// and lets another thread run. Never returns normally.
    pub fn leave_thread(&mut self, st: &mut State, result: Value) -> Res<()> {
        // An error says that the frame was the last one.
        while self.leave_frame(st).is_ok() {}
        self.end_locals(st)?;
        let thread = st.thread();
        let threads = st
            .threads
            .as_mut()
            .expect("the first thread does not end here");
        let ended = threads.current_mut();
        ended.status = Status::Ended;
        ended.result = result;
        for waiting in threads.waiting_for(Wait::End(thread)) {
            threads.wake(waiting, Woken::Called);
        }
        self.run_another(st)?;
        Err(Stop::Jumped)
    }

    /// Lets the running thread see all that an ended one did, and returns what that one returned.
    /// Its end can be waited for once only.
    pub fn joined(&mut self, st: &mut State, thread: ThreadId) -> Value {
        let Some(threads) = &mut st.threads else {
            return Value::Undef;
        };
        let Some(ended) = threads.get_mut(thread) else {
            return Value::Undef;
        };
        ended.detached = true;
        let (result, clock) = (ended.result, ended.clock.clone());
        threads.current_mut().clock.join(&clock);
        st.forget_threads();
        result
    }
}

/// Notes that the running thread has executed the instruction or call before which it could be
/// preempted, or in which it has waited.
pub(in crate::exec) fn pass_point(st: &mut State) {
    if let Some(threads) = &mut st.threads {
        let thread = threads.current_mut();
        thread.preempted = false;
        thread.woken = None;
    }
}

/// Wakes the threads that wait for a file if one was written to or closed.
fn wake_for_files(threads: &mut Threads, world: &mut Rc<WorldState>) {
    if !world.files.changed {
        return;
    }
    let files = &mut Rc::make_mut(world).files;
    Rc::make_mut(files).changed = false;
    for thread in threads.waiting_for(Wait::Files) {
        threads.wake(thread, Woken::Called);
    }
}

/// Lets the path's clock advance to a time, if that is still to come.
fn pass_time(st: &mut State, until: u64) {
    if st.world.clock < until {
        Rc::make_mut(&mut st.world).clock = until;
    }
}

/// Makes the fault of threads that wait for ever.
pub fn deadlock(what: &str) -> Fault {
    Fault::new(FindingKind::Deadlock, what.to_owned())
}
