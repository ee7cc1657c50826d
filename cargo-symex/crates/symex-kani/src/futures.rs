//! Runs futures to their end, without an operating system that wakes them.

use core::cell::RefCell;
use core::future::Future;
use core::pin::{Pin, pin};
use core::task::{Context, Poll, Waker};
use std::rc::Rc;

/// Polls a future until it is complete. It is polled again at once where it waits.
///
/// ```
/// assert_eq!(kani::block_on(async { 3 }), 3);
/// ```
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut context) {
            return result;
        }
    }
}

/// What may be assumed of the task that a schedule picks.
pub enum SchedulingAssumption {
    /// The task is running: other choices are left out.
    CanAssumeRunning,
    /// The task may have ended.
    CannotAssumeRunning,
}

/// An order in which tasks are polled.
pub trait SchedulingStrategy {
    /// Picks the task that is polled next, of this number of tasks.
    fn pick_task(&mut self, num_tasks: usize) -> (usize, SchedulingAssumption);
}

/// The order in which each task is polled in its turn.
#[derive(Default)]
pub struct RoundRobin {
    index: usize,
}

impl SchedulingStrategy for RoundRobin {
    fn pick_task(&mut self, num_tasks: usize) -> (usize, SchedulingAssumption) {
        self.index = (self.index + 1) % num_tasks;
        (self.index, SchedulingAssumption::CannotAssumeRunning)
    }
}

type Task = Pin<Box<dyn Future<Output = ()> + Sync + 'static>>;

/// The tasks of a run, of which a task that is being polled or has ended is absent.
#[derive(Default)]
struct Tasks {
    all: Vec<Option<Task>>,
    ended: Vec<bool>,
}

impl Tasks {
    fn add(&mut self, future: impl Future<Output = ()> + Sync + 'static) -> usize {
        self.all.push(Some(Box::pin(future)));
        self.ended.push(false);
        self.all.len() - 1
    }
}

thread_local! {
    /// The tasks of the run of [`block_on_with_spawn`] on this thread, if there is one.
    static TASKS: RefCell<Option<Rc<RefCell<Tasks>>>> = const { RefCell::new(None) };
}

fn tasks() -> Rc<RefCell<Tasks>> {
    let tasks = TASKS.with(|tasks| tasks.borrow().clone());
    tasks.expect("`spawn` is called within `block_on_with_spawn` only")
}

/// A spawned task, which can be waited for.
pub struct JoinHandle {
    index: usize,
}

impl Future for JoinHandle {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<()> {
        match tasks().borrow().ended[self.index] {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }
}

/// Starts a task, within [`block_on_with_spawn`].
///
/// # Panics
/// Outside of it.
pub fn spawn<F: Future<Output = ()> + Sync + 'static>(future: F) -> JoinHandle {
    let index = tasks().borrow_mut().add(future);
    JoinHandle { index }
}

/// Polls a future, and the tasks that it spawns, until all are complete, in the order of a
/// schedule.
///
/// ```
/// kani::block_on_with_spawn(
///     async {
///         kani::spawn(async { kani::yield_now().await }).await;
///     },
///     kani::RoundRobin::default(),
/// );
/// ```
///
/// # Panics
/// Within another call of it.
pub fn block_on_with_spawn<F: Future<Output = ()> + Sync + 'static>(
    future: F,
    mut schedule: impl SchedulingStrategy,
) {
    let tasks = Rc::new(RefCell::new(Tasks::default()));
    tasks.borrow_mut().add(future);
    TASKS.with(|current| {
        let before = current.borrow_mut().replace(tasks.clone());
        assert!(before.is_none(), "`block_on_with_spawn` is not nested");
    });
    let mut context = Context::from_waker(Waker::noop());
    while !tasks.borrow().ended.iter().all(|ended| *ended) {
        let count = tasks.borrow().all.len();
        let (index, assumption) = schedule.pick_task(count);
        // It may spawn others while it is polled.
        let taken = tasks.borrow_mut().all[index].take();
        match taken {
            Some(mut task) => match task.as_mut().poll(&mut context) {
                Poll::Ready(()) => tasks.borrow_mut().ended[index] = true,
                Poll::Pending => tasks.borrow_mut().all[index] = Some(task),
            },
            None if matches!(assumption, SchedulingAssumption::CanAssumeRunning) => {
                crate::assume(false);
            }
            None => {}
        }
    }
    TASKS.with(|current| current.borrow_mut().take());
}

/// Returns a future that is complete when it is polled for the second time.
pub fn yield_now() -> impl Future<Output = ()> {
    let mut has_yielded = false;
    core::future::poll_fn(move |_| match core::mem::replace(&mut has_yielded, true) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
}
