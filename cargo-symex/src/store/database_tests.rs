use super::*;
use std::os::unix::fs::FileExt;

fn key(number: u32) -> Hash {
    *blake3::hash(&number.to_le_bytes()).as_bytes()
}

fn open(folder: &Path) -> Database {
    let (database, damaged) = Database::open(folder).unwrap();
    assert!(!damaged);
    database
}

fn get(database: &Database, number: u32) -> DatabaseResult<Option<Vec<u8>>> {
    let found = database.verdict(&key(number))?;
    Ok(found.map(|found| found.value))
}

fn value(number: u32, size: usize) -> Vec<u8> {
    number
        .to_le_bytes()
        .into_iter()
        .cycle()
        .take(size)
        .collect()
}

/// Returns a folder with a database of a few pages.
fn filled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut database = open(folder.path());
    for number in 0..40 {
        let values = [(key(number), value(number, 1000))];
        database.put_verdicts(&values).unwrap();
    }
    folder
}

#[test]
fn values_are_there_for_the_next_who_opens() {
    let folder = filled();
    let database = open(folder.path());
    assert_eq!(get(&database, 7), Ok(Some(value(7, 1000))));
    assert_eq!(get(&database, 99), Ok(None));
    // At the same time.
    let mut other = open(folder.path());
    other.put_verdicts(&[(key(7), b"new".to_vec())]).unwrap();
    assert_eq!(get(&database, 7), Ok(Some(b"new".to_vec())));
}

#[test]
fn the_tool_is_remembered_until_another_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let mut database = open(folder.path());
    assert_eq!(database.tool("a"), Ok(None));
    database.put_tool("a", b"1").unwrap();
    assert_eq!(database.tool("a"), Ok(Some(b"1".to_vec())));
    database.put_tool("b", b"2").unwrap();
    assert_eq!(database.tool("a"), Ok(None));
}

#[test]
fn no_flipped_byte_gives_a_wrong_value() {
    let good = std::fs::read(filled().path().join(FILE)).unwrap();
    let mut told = 0;
    for at in (0..good.len()).step_by(61) {
        let folder = tempfile::tempdir().unwrap();
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        std::fs::write(folder.path().join(FILE), &bad).unwrap();
        let Ok((mut database, damaged)) = Database::open(folder.path()) else {
            panic!("byte {at}: not opened");
        };
        told += u32::from(damaged);
        for number in 0..40 {
            match get(&database, number) {
                Ok(found) => assert!(found.is_none_or(|v| v == value(number, 1000)), "byte {at}"),
                Err(DatabaseFailure::Damaged) => {
                    told += 1;
                    database = database.anew().unwrap();
                }
                Err(other) => panic!("byte {at}: {other:?}"),
            }
        }
        let values = [(key(50), value(50, 1000))];
        match database.put_verdicts(&values) {
            Ok(()) => {}
            Err(DatabaseFailure::Damaged) => {
                told += 1;
                database = database.anew().unwrap();
                database.put_verdicts(&values).unwrap();
            }
            Err(other) => panic!("byte {at}: {other:?}"),
        }
        let kept = get(&database, 50);
        assert!(
            matches!(kept, Ok(Some(_)) | Err(DatabaseFailure::Damaged)),
            "byte {at}: {kept:?}"
        );
    }
    assert!(told > 100, "{told}");
}

#[test]
fn a_damaged_file_is_started_anew() {
    type Damage = fn(&Path);
    let damage: [(&str, Damage); 4] = [
        ("garbage", |file| {
            std::fs::write(file, [0x5a; 20_000]).unwrap();
        }),
        ("an end", |file| {
            let size = std::fs::metadata(file).unwrap().len();
            File::options()
                .write(true)
                .open(file)
                .unwrap()
                .set_len(size / 2 + 7)
                .unwrap();
        }),
        ("zeros", |file| {
            let file = File::options().write(true).open(file).unwrap();
            file.write_all_at(&[0; 4096], 0).unwrap();
        }),
        ("no schema", |file| {
            let connection = Connection::open(file).unwrap();
            connection.execute_batch("DROP TABLE verdicts").unwrap();
        }),
    ];
    for (what, damage) in damage {
        let folder = filled();
        damage(&folder.path().join(FILE));
        let (mut database, mut damaged) = Database::open(folder.path()).unwrap();
        for number in 0..40 {
            if get(&database, number) == Err(DatabaseFailure::Damaged) {
                damaged = true;
                database = database.anew().unwrap();
            }
        }
        assert!(damaged, "{what}");
        database.put_verdicts(&[(key(1), value(1, 1000))]).unwrap();
        assert_eq!(
            get(&open(folder.path()), 1),
            Ok(Some(value(1, 1000))),
            "{what}"
        );
    }
}

#[test]
fn a_damaged_file_that_another_has_open_is_left_alone() {
    let folder = filled();
    let other = open(folder.path());
    std::fs::write(folder.path().join(FILE), [0x5a; 20_000]).unwrap();
    let failure = Database::open(folder.path()).map(|_| ()).unwrap_err();
    assert!(
        matches!(failure, DatabaseFailure::Unusable(_)),
        "{failure:?}"
    );
    drop(other);
    assert!(Database::open(folder.path()).unwrap().1);
}

#[test]
fn a_file_of_another_version_is_emptied() {
    for version in [0, VERSION - 1, VERSION + 1] {
        let folder = tempfile::tempdir().unwrap();
        let connection = Connection::open(folder.path().join(FILE)).unwrap();
        let old = "CREATE TABLE verdicts (old TEXT); CREATE TABLE \"o\"\"d\" (x); CREATE VIEW v AS SELECT 1;";
        connection.execute_batch(old).unwrap();
        connection
            .pragma_update(None, "user_version", version)
            .unwrap();
        drop(connection);
        let mut database = open(folder.path());
        database.put_verdicts(&[(key(1), value(1, 10))]).unwrap();
        assert_eq!(get(&open(folder.path()), 1), Ok(Some(value(1, 10))));
    }
}

#[test]
fn what_was_not_used_for_longest_makes_room() {
    let folder = tempfile::tempdir().unwrap();
    let mut database = open(folder.path());
    let large = 1 << 20;
    let count = (MOST_BYTES >> 20) as u32 + 10;
    for number in 0..count {
        let values = [(key(number), value(number, large))];
        database.put_verdicts(&values).unwrap();
        // In tests all is used in the same second. The last before room is made may find none for
        // this.
        let sql = "UPDATE verdicts SET used = ?2 WHERE key = ?1";
        let set = params![key(number), i64::from(number)];
        let _ = database.connection.execute(sql, set);
    }
    let size = std::fs::metadata(folder.path().join(FILE)).unwrap().len();
    assert!(size <= MOST_BYTES, "{size}");
    let is_there = |database: &Database, number| get(database, number).unwrap().is_some();
    assert!(!is_there(&database, 0));
    assert!((count - 10..count).all(|number| is_there(&database, number)));
    assert!(database.is_at_its_bound() || database.bytes().unwrap() > MOST_BYTES / 2);
    database.make_room().unwrap();
    assert!(database.bytes().unwrap() <= MOST_BYTES / KEPT.1 * KEPT.0);
    assert!(is_there(&database, count - 1));
}

#[test]
fn a_full_store_takes_no_more_answers_until_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let mut database = open(folder.path());
    let large = value(1, 1 << 20);
    let mut full = None;
    for number in 0..(MOST_BYTES >> 20) as u32 + 1 {
        let result = database.put_answers([(&key(number), &large)].into_iter(), &[]);
        if let Err(failure) = result {
            full = Some((number, failure));
            break;
        }
    }
    let (number, failure) = full.unwrap();
    assert_eq!(failure, DatabaseFailure::Full);
    assert!(database.is_at_its_bound());
    // What is there stays as long as the run lasts.
    let last = database.last_answer().unwrap();
    assert!((0..number).all(|n| database.answer(&key(n), last).unwrap().is_some()));
    database.make_room().unwrap();
    database
        .put_answers([(&key(number), &large)].into_iter(), &[])
        .unwrap();
}
