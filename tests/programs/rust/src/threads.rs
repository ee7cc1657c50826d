//! Threads: what they compute together, the orders in which they may run, races and deadlocks.

use std::cell::{Cell, RefCell, UnsafeCell};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU16, AtomicU32, Ordering, fence};
use std::sync::{Arc, Barrier, Condvar, Mutex, OnceLock, RwLock, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Memory that threads share without any order.
struct Shared<T>(UnsafeCell<T>);

unsafe impl<T> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    const fn new(value: T) -> Self {
        Shared(UnsafeCell::new(value))
    }

    fn get(&self) -> T {
        unsafe { *self.0.get() }
    }

    fn set(&self, value: T) {
        unsafe { *self.0.get() = value }
    }
}

/// Starts a thread for each number below `count`.
fn threads(count: u32, f: impl Fn(u32) + Send + Sync + Clone + 'static) -> Vec<JoinHandle<()>> {
    let start = |number| {
        let f = f.clone();
        thread::spawn(move || f(number))
    };
    (0..count).map(start).collect()
}

fn join(threads: Vec<JoinHandle<()>>) {
    for thread in threads {
        thread.join().unwrap();
    }
}

// expect: pass-bounded
#[symex::harness]
fn a_thread_returns_a_value(x: u8) {
    let thread = thread::spawn(move || u32::from(x) + 1);
    assert_eq!(thread.join().unwrap(), u32::from(x) + 1);
}

// expect: pass-bounded
#[symex::harness]
fn scoped_threads_share_a_slice(bytes: [u8; 4]) {
    let sum = |part: &[u8]| part.iter().map(|b| u32::from(*b)).sum::<u32>();
    let (front, back) = bytes.split_at(2);
    let total = thread::scope(|scope| {
        let threads = [scope.spawn(|| sum(front)), scope.spawn(|| sum(back))];
        threads.map(|thread| thread.join().unwrap())
    });
    assert_eq!(total[0] + total[1], sum(&bytes));
}

// expect: pass-bounded
#[symex::harness]
fn a_mutex_keeps_counts() {
    let count = Arc::new(Mutex::new(0));
    let counted = count.clone();
    join(threads(2, move |_| *counted.lock().unwrap() += 1));
    assert_eq!(*count.lock().unwrap(), 2);
}

// expect: bug panic
#[symex::harness]
fn an_update_in_two_steps_is_lost() {
    let count = Arc::new(AtomicU32::new(0));
    let counted = count.clone();
    join(threads(2, move |_| {
        let before = counted.load(Ordering::SeqCst);
        counted.store(before + 1, Ordering::SeqCst);
    }));
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

// expect: pass-bounded
#[symex::harness]
fn an_update_in_one_step_is_not_lost() {
    let count = Arc::new(AtomicU32::new(0));
    let counted = count.clone();
    join(threads(2, move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
    }));
    assert_eq!(count.load(Ordering::Relaxed), 2);
}

// expect: bug data-race
#[symex::harness]
fn two_writes_race(x: u8) {
    static SHARED: Shared<u8> = Shared::new(0);
    let thread = thread::spawn(move || SHARED.set(x));
    SHARED.set(2);
    thread.join().unwrap();
}

// expect: pass-bounded
#[symex::harness]
fn two_writes_in_order(x: u8) {
    static SHARED: Shared<u8> = Shared::new(0);
    thread::spawn(move || SHARED.set(x)).join().unwrap();
    SHARED.set(2);
}

// expect: bug data-race
#[symex::harness]
fn a_read_and_a_write_race_for_one_input(x: u8) {
    static SHARED: Shared<u8> = Shared::new(0);
    let thread = thread::spawn(|| SHARED.set(1));
    if x == 99 {
        std::hint::black_box(SHARED.get());
    }
    thread.join().unwrap();
}

// expect: pass-bounded
#[symex::harness]
fn two_reads_do_not_race() {
    static SHARED: Shared<u8> = Shared::new(3);
    let thread = thread::spawn(|| SHARED.get());
    assert_eq!(SHARED.get(), 3);
    assert_eq!(thread.join().unwrap(), 3);
}

// expect: pass-bounded
#[symex::harness]
fn different_fields_do_not_race() {
    let mut pair = (1, 2);
    let (one, two) = (&mut pair.0, &mut pair.1);
    thread::scope(|scope| {
        scope.spawn(|| *one += 1);
        *two += 1;
    });
    assert_eq!(pair, (2, 3));
}

/// Passes a value from one thread to another, by a flag with these orderings.
fn pass(flag: &'static AtomicBool, value: &'static Shared<u32>, orders: [Ordering; 2]) {
    let thread = thread::spawn(move || {
        value.set(7);
        flag.store(true, orders[0]);
    });
    if flag.load(orders[1]) {
        assert_eq!(value.get(), 7);
    }
    thread.join().unwrap();
}

// expect: pass-bounded
#[symex::harness]
fn a_flag_that_releases() {
    static FLAG: AtomicBool = AtomicBool::new(false);
    static VALUE: Shared<u32> = Shared::new(0);
    pass(&FLAG, &VALUE, [Ordering::Release, Ordering::Acquire]);
}

// expect: bug data-race
#[symex::harness]
fn a_flag_that_does_not_release() {
    static FLAG: AtomicBool = AtomicBool::new(false);
    static VALUE: Shared<u32> = Shared::new(0);
    pass(&FLAG, &VALUE, [Ordering::Relaxed, Ordering::Acquire]);
}

// expect: bug data-race
#[symex::harness]
fn a_flag_that_does_not_acquire() {
    static FLAG: AtomicBool = AtomicBool::new(false);
    static VALUE: Shared<u32> = Shared::new(0);
    pass(&FLAG, &VALUE, [Ordering::Release, Ordering::Relaxed]);
}

/// Passes a value by a relaxed flag between fences.
fn pass_by_fences(flag: &'static AtomicBool, value: &'static Shared<u32>, acquires: bool) {
    let thread = thread::spawn(move || {
        value.set(7);
        fence(Ordering::Release);
        flag.store(true, Ordering::Relaxed);
    });
    if flag.load(Ordering::Relaxed) {
        if acquires {
            fence(Ordering::Acquire);
        }
        assert_eq!(value.get(), 7);
    }
    thread.join().unwrap();
}

// expect: pass-bounded
#[symex::harness]
fn a_flag_between_fences() {
    static FLAG: AtomicBool = AtomicBool::new(false);
    static VALUE: Shared<u32> = Shared::new(0);
    pass_by_fences(&FLAG, &VALUE, true);
}

// expect: bug data-race
#[symex::harness]
fn a_flag_with_one_fence() {
    static FLAG: AtomicBool = AtomicBool::new(false);
    static VALUE: Shared<u32> = Shared::new(0);
    pass_by_fences(&FLAG, &VALUE, false);
}

// expect: pass-bounded
#[symex::harness]
fn a_failed_exchange_writes_nothing() {
    static FLAG: AtomicU32 = AtomicU32::new(0);
    let thread = thread::spawn(|| {
        let exchanged = FLAG.compare_exchange(1, 2, Ordering::AcqRel, Ordering::Relaxed);
        assert_eq!(exchanged, Err(0));
    });
    assert_eq!(unsafe { *FLAG.as_ptr() }, 0);
    thread.join().unwrap();
}

// expect: bug data-race
#[symex::harness]
fn an_atomic_write_and_a_plain_read_race() {
    static FLAG: AtomicU32 = AtomicU32::new(0);
    let thread = thread::spawn(|| FLAG.store(2, Ordering::SeqCst));
    std::hint::black_box(unsafe { *FLAG.as_ptr() });
    thread.join().unwrap();
}

// expect: bug data-race
#[symex::harness]
fn atomic_accesses_of_two_sizes() {
    static WORD: AtomicU32 = AtomicU32::new(0);
    let thread = thread::spawn(|| WORD.store(2, Ordering::SeqCst));
    let half = unsafe { &*WORD.as_ptr().cast::<AtomicU16>() };
    std::hint::black_box(half.load(Ordering::SeqCst));
    thread.join().unwrap();
}

// expect: bug data-race
#[symex::harness]
fn a_box_that_is_passed_without_order() {
    static PLACE: AtomicPtr<u32> = AtomicPtr::new(std::ptr::null_mut());
    let thread = thread::spawn(|| {
        PLACE.store(Box::into_raw(Box::new(5)), Ordering::Relaxed);
    });
    let place = PLACE.load(Ordering::Relaxed);
    if !place.is_null() {
        assert_eq!(unsafe { *place }, 5);
    }
    thread.join().unwrap();
}

/// Two locks, taken in one order or another.
fn two_locks(same_order: bool) {
    let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
    let others = locks.clone();
    let thread = thread::spawn(move || {
        let _first = others.0.lock().unwrap();
        let _second = others.1.lock().unwrap();
    });
    {
        let (first, second) = match same_order {
            true => (&locks.0, &locks.1),
            false => (&locks.1, &locks.0),
        };
        let _first = first.lock().unwrap();
        let _second = second.lock().unwrap();
    }
    thread.join().unwrap();
}

// expect: bug deadlock
#[symex::harness]
fn locks_in_two_orders() {
    two_locks(false);
}

// expect: pass-bounded
#[symex::harness]
fn locks_in_one_order() {
    two_locks(true);
}

// expect: bug deadlock
#[symex::harness]
fn a_thread_waits_for_a_call_that_came_before() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = pair.clone();
    let thread = thread::spawn(move || other.1.notify_one());
    let guard = pair.0.lock().unwrap();
    // The condition is not looked at.
    drop(pair.1.wait(guard).unwrap());
    thread.join().unwrap();
}

// expect: pass-bounded
#[symex::harness]
fn a_condition_that_is_looked_at(x: u8) {
    let pair = Arc::new((Mutex::new(0), Condvar::new()));
    let other = pair.clone();
    let thread = thread::spawn(move || {
        *other.0.lock().unwrap() = u32::from(x) + 1;
        other.1.notify_one();
    });
    let mut value = pair.0.lock().unwrap();
    while *value == 0 {
        value = pair.1.wait(value).unwrap();
    }
    assert_eq!(*value, u32::from(x) + 1);
    drop(value);
    thread.join().unwrap();
}

// expect: pass-bounded
#[symex::harness]
fn values_come_through_a_channel(x: u8) {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || {
        for by in 0..2 {
            sender.send(u32::from(x) + by).unwrap();
        }
    });
    let got: Vec<u32> = receiver.iter().collect();
    thread.join().unwrap();
    assert_eq!(got, [u32::from(x), u32::from(x) + 1]);
}

// expect: pass-bounded
#[symex::harness]
fn locks_for_reading_and_values_set_once() {
    static ONCE: OnceLock<u32> = OnceLock::new();
    let shared = Arc::new((Barrier::new(2), RwLock::new(0)));
    let other = shared.clone();
    let thread = thread::spawn(move || {
        *other.1.write().unwrap() += ONCE.get_or_init(|| 4);
        other.0.wait();
    });
    shared.0.wait();
    let sum = *shared.1.read().unwrap() + ONCE.get_or_init(|| 5);
    assert_eq!(sum, 8);
    thread.join().unwrap();
}

// expect: pass-bounded
#[symex::harness]
fn a_loop_that_waits() {
    static FLAG: AtomicBool = AtomicBool::new(false);
    let thread = thread::spawn(|| FLAG.store(true, Ordering::Release));
    while !FLAG.load(Ordering::Acquire) {
        std::hint::spin_loop();
    }
    thread.join().unwrap();
}

thread_local! {
    static NUMBER: Cell<u32> = const { Cell::new(1) };
    static LIST: RefCell<Vec<u32>> = RefCell::new(vec![1]);
}

// expect: pass-bounded
#[symex::harness]
fn each_thread_has_its_own_variables(x: u8) {
    NUMBER.set(5);
    let thread = thread::spawn(move || {
        LIST.with_borrow_mut(|list| list.push(u32::from(x)));
        NUMBER.replace(9)
    });
    assert_eq!(thread.join().unwrap(), 1);
    assert_eq!(NUMBER.get(), 5);
    assert_eq!(LIST.with_borrow(Vec::len), 1);
}

// expect: pass-bounded
#[symex::harness]
fn variables_of_a_thread_end_with_it() {
    struct Tells(Arc<AtomicBool>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    thread_local! {
        static LAST: RefCell<Option<Tells>> = const { RefCell::new(None) };
    }
    let ended = Arc::new(AtomicBool::new(false));
    let tells = Tells(ended.clone());
    thread::spawn(|| LAST.set(Some(tells))).join().unwrap();
    assert!(ended.load(Ordering::Relaxed));
}

// expect: bug use-after-free
#[symex::harness]
fn a_variable_of_a_thread_that_has_ended() {
    struct Pointer(*const Cell<u32>);
    unsafe impl Send for Pointer {}
    let thread = thread::spawn(|| NUMBER.with(|number| Pointer(number)));
    let number = thread.join().unwrap();
    std::hint::black_box(unsafe { (*number.0).get() });
}

// expect: pass-bounded
#[symex::harness]
fn threads_that_sleep() {
    static FIRST: AtomicU32 = AtomicU32::new(0);
    let thread = thread::spawn(|| {
        thread::sleep(Duration::from_millis(20));
        FIRST.compare_exchange(0, 2, Ordering::SeqCst, Ordering::SeqCst)
    });
    thread::sleep(Duration::from_millis(10));
    let mine = FIRST.compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst);
    assert!(mine.is_ok() != thread.join().unwrap().is_ok());
}

// expect: bug panic
#[symex::harness]
fn a_panic_of_a_thread(x: u8) {
    let thread = thread::spawn(move || assert!(x != 77));
    thread.join().unwrap();
}

// expect: bug panic
#[symex::harness]
fn a_thread_that_ends_while_another_one_panics(x: u8) {
    struct AbortsOnPanic;
    impl Drop for AbortsOnPanic {
        fn drop(&mut self) {
            if thread::panicking() {
                std::process::abort();
            }
        }
    }
    struct Joins(Option<JoinHandle<()>>);
    impl Drop for Joins {
        fn drop(&mut self) {
            assert!(self.0.take().unwrap().join().is_ok());
        }
    }
    let _joins = Joins(Some(thread::spawn(|| drop(AbortsOnPanic))));
    assert!(x != 9);
}

// expect: bug panic
#[symex::harness]
fn a_thread_that_is_not_waited_for(x: u8) {
    static FLAG: AtomicBool = AtomicBool::new(false);
    thread::spawn(|| FLAG.store(true, Ordering::SeqCst));
    // It may have run until here, or not.
    assert!(!FLAG.load(Ordering::SeqCst) || x != 7);
}

// expect: bug data-race
#[symex::harness]
fn a_variable_that_ends_while_it_is_read() {
    let thread = {
        let number = 5;
        let place = &raw const number as usize;
        thread::spawn(move || std::hint::black_box(unsafe { (place as *const i32).read() }))
    };
    let _ = thread.join();
}

// expect: pass-bounded
#[symex::harness]
fn a_thread_that_never_ends() {
    thread::spawn(|| {
        loop {
            std::hint::spin_loop();
        }
    });
}

// expect: bug panic
#[symex::harness]
fn a_variable_of_the_first_thread_that_panics_at_its_end(x: u8) {
    struct Panics(u8);
    impl Drop for Panics {
        fn drop(&mut self) {
            assert!(self.0 != 5);
        }
    }
    thread_local! {
        static LAST: RefCell<Option<Panics>> = const { RefCell::new(None) };
    }
    LAST.set(Some(Panics(x)));
}

// expect: bug read-only-write
#[symex::harness]
fn an_exchange_in_a_constant() {
    static CONSTANT: u32 = 3;
    let place = unsafe { &*(&raw const CONSTANT).cast::<AtomicU32>() };
    let _ = place.compare_exchange(1, 2, Ordering::Relaxed, Ordering::Relaxed);
}
