use super::*;

fn key(number: u8) -> Hash {
    [number; 32]
}

fn open(folder: &std::path::Path) -> Arc<Store> {
    let executable = std::env::current_exe().unwrap();
    let store = Arc::new(Store::open(folder, &executable));
    assert_eq!(store.warning(), None);
    store
}

#[test]
fn a_run_sees_what_was_there_when_it_began() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path());
    let mut answers = Answers::new(first.clone());
    assert_eq!(answers.get(&key(1)), None);
    answers.put(&key(1), b"one");
    answers.put(&key(1), b"other");
    assert_eq!(answers.get(&key(1)), None);
    answers.commit();
    assert_eq!(answers.get(&key(1)), None);
    assert_eq!(Answers::new(first.clone()).get(&key(1)), None);

    let second = open(folder.path());
    let mut later = Answers::new(second.clone());
    assert_eq!(later.get(&key(1)).as_deref(), Some(&b"one"[..]));
    // Written after the second run began.
    answers.put(&key(2), b"two");
    drop(answers);
    assert_eq!(later.get(&key(2)), None);
    later.put(&key(1), b"new");
    later.put(&key(2), b"late");
    drop(later);
    let mut last = Answers::new(open(folder.path()));
    assert_eq!(last.get(&key(1)).as_deref(), Some(&b"one"[..]));
    assert_eq!(last.get(&key(2)).as_deref(), Some(&b"two"[..]));
}

#[test]
fn what_one_harness_keeps_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let mut answers = Answers::new(open(folder.path()));
    let large = vec![0; MOST_BYTES / 2];
    for number in 0..3 {
        answers.put(&key(number), &large);
    }
    answers.put(&key(9), b"small");
    drop(answers);
    let mut later = Answers::new(open(folder.path()));
    let kept: Vec<bool> = [0, 1, 2, 9].map(|n| later.get(&key(n)).is_some()).into();
    assert_eq!(kept, [true, false, false, true]);
}
