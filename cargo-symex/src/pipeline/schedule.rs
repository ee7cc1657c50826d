//! Runs tasks on a few threads and hands out their results in the order of the tasks, whatever
//! order they end in.
//!
//! Each thread has a big stack: terms are deep, and the engine recurses over them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use symex_types::panic_message;

/// Stack size of a worker in bytes. Unused stack costs no memory.
const STACK: usize = 256 << 20;

type ScheduledTask<T> = Box<dyn FnOnce() -> Option<T> + Send>;

struct ScheduleState<T> {
    next: usize,
    tasks: Vec<Option<ScheduledTask<T>>>,
    results: Vec<ResultSlot<T>>,
}

enum ResultSlot<T> {
    Waiting,
    Done(Option<T>),
}

/// Tasks that are running on threads, and their results.
pub struct Schedule<T> {
    shared: Arc<(Mutex<ScheduleState<T>>, Condvar)>,
}

impl<T> Clone for Schedule<T> {
    fn clone(&self) -> Self {
        Schedule {
            shared: self.shared.clone(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Send + 'static> Schedule<T> {
    /// Starts tasks on up to `threads` threads. If a task panics, `rescue` makes its result from
    /// its number and the message. `idle` is called for each thread when no task is left for it.
    pub fn start(
        threads: usize,
        tasks: Vec<ScheduledTask<T>>,
        idle: impl Fn() + Send + Sync + 'static,
        rescue: impl Fn(usize, String) -> Option<T> + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let count = tasks.len();
        let state = ScheduleState {
            next: 0,
            tasks: tasks.into_iter().map(Some).collect(),
            results: (0..count).map(|_| ResultSlot::Waiting).collect(),
        };
        let schedule = Schedule {
            shared: Arc::new((Mutex::new(state), Condvar::new())),
        };
        let (rescue, idle) = (Arc::new(rescue), Arc::new(idle));
        for _ in count..threads {
            idle();
        }
        for number in 0..threads.min(count) {
            let worker = schedule.clone();
            let (rescue, idle) = (rescue.clone(), idle.clone());
            std::thread::Builder::new()
                .name(format!("symex-{number}"))
                .stack_size(STACK)
                .spawn(move || {
                    worker.work(&*rescue);
                    idle();
                })?;
        }
        Ok(schedule)
    }

    fn work(&self, rescue: &dyn Fn(usize, String) -> Option<T>) {
        let (state, changed) = &*self.shared;
        loop {
            let mut locked = lock(state);
            let number = locked.next;
            let Some(task) = locked.tasks.get_mut(number).and_then(Option::take) else {
                return;
            };
            locked.next += 1;
            drop(locked);
            let result = catch_unwind(AssertUnwindSafe(task))
                .unwrap_or_else(|payload| rescue(number, panic_message(&*payload)));
            lock(state).results[number] = ResultSlot::Done(result);
            changed.notify_all();
        }
    }

    /// Waits for the result of a task; each result can be taken once. `None` if the task was not
    /// carried out.
    pub fn wait(&self, number: usize) -> Option<T> {
        let (state, changed) = &*self.shared;
        let mut locked = lock(state);
        loop {
            match locked.results.get_mut(number)? {
                ResultSlot::Done(result) => return result.take(),
                ResultSlot::Waiting => {
                    locked = changed.wait(locked).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn boxed<T>(task: impl FnOnce() -> Option<T> + Send + 'static) -> ScheduledTask<T> {
        Box::new(task)
    }

    #[test]
    fn results_come_in_the_order_of_the_tasks() {
        let tasks = (0..6u64)
            .map(|i| {
                boxed(move || {
                    std::thread::sleep(Duration::from_millis(5 * (6 - i)));
                    Some(i)
                })
            })
            .collect();
        let schedule = Schedule::start(3, tasks, || {}, |_, _| None).unwrap();
        let results: Vec<_> = (0..6).map(|i| schedule.wait(i)).collect();
        assert_eq!(results, (0..6).map(Some).collect::<Vec<_>>());
    }

    #[test]
    fn each_thread_becomes_idle_once() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let count = Arc::new(AtomicUsize::new(0));
        let idle = count.clone();
        let idle = move || {
            idle.fetch_add(1, Ordering::SeqCst);
        };
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let task = move || receiver.recv().ok();
        let schedule = Schedule::start(5, vec![boxed(task)], idle, |_, _| None).unwrap();
        assert_eq!(count.load(Ordering::SeqCst), 4);
        sender.send(()).unwrap();
        assert_eq!(schedule.wait(0), Some(()));
        while count.load(Ordering::SeqCst) < 5 {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_panic_is_one_tasks_loss() {
        let tasks = vec![
            boxed(|| panic!("lost {}", 1)),
            boxed(|| Some("kept".to_owned())),
            boxed(|| None),
        ];
        let rescue = |number, message| Some(format!("{number}: {message}"));
        let schedule = Schedule::start(1, tasks, || {}, rescue).unwrap();
        assert_eq!(schedule.wait(0).as_deref(), Some("0: lost 1"));
        assert_eq!(schedule.wait(1).as_deref(), Some("kept"));
        assert_eq!(schedule.wait(2), None);
    }

    #[test]
    fn a_worker_has_a_big_stack() {
        fn deep(levels: u64) -> u64 {
            let buffer = std::hint::black_box([levels; 512]);
            if levels == 0 {
                0
            } else {
                deep(levels - 1) + std::hint::black_box(buffer[0] - levels + 1)
            }
        }
        // 4 KiB and more a level: far beyond an ordinary thread's stack.
        let tasks = vec![boxed(|| Some(deep(20_000)))];
        let schedule = Schedule::start(1, tasks, || {}, |_, _| None).unwrap();
        assert_eq!(schedule.wait(0), Some(20_000));
    }
}
