//! Tests of damage to the file of verdicts: changed bytes, other processes, a kill, a folder or
//! disk that cannot be written.

use super::{Alone, BOTH, NONE, cached, verdicts_are_right, warnings};
use crate::support::limited::{LIMIT, LimitedProcess};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const FILE: &str = "store.sqlite";

/// Runs once with a damaged store: the verdicts are right, and there is at most one line about it.
#[track_caller]
fn run_is_right(alone: &Alone, what: &str, args: &[&str]) -> (Vec<String>, usize) {
    let run = alone.json(args);
    verdicts_are_right(&run);
    let warned = warnings(&run);
    assert!(warned.len() <= 1, "{what}: {warned:?}");
    (cached(&run), warned.len())
}

#[test]
fn a_damaged_file_costs_a_line_and_an_exploration() {
    let alone = Alone::new("cache_damage");
    assert_eq!(alone.cached(&[]), NONE);
    let file = alone.folder().join(FILE);
    let good = std::fs::read(&file).expect("the store");
    let flipped = |from: usize, step: usize| {
        let mut bytes = good.clone();
        for byte in bytes.iter_mut().skip(from).step_by(step) {
            *byte ^= 0x24;
        }
        bytes
    };
    let mut newer = good.clone();
    newer[60..64].copy_from_slice(&77u32.to_be_bytes());
    // Each with a flag for whether the user is warned.
    let kinds: [(&str, Vec<u8>, bool); 7] = [
        ("garbage", vec![0x5a; good.len()], true),
        ("cut off", good[..good.len() / 2 + 100].to_vec(), true),
        ("empty", Vec::new(), false),
        ("flipped everywhere", flipped(0, 97), true),
        ("flipped in the values", flipped(4096, 53), true),
        (
            "one page of zeros",
            [&[0; 4096], &good[4096..]].concat(),
            true,
        ),
        ("a newer version", newer, false),
    ];
    for (what, bytes, told) in kinds {
        std::fs::write(&file, bytes).expect("written");
        let (found, warned) = run_is_right(&alone, what, &[]);
        assert_eq!(found, NONE, "{what}");
        assert_eq!(warned, usize::from(told), "{what}");
        assert_eq!(alone.cached(&[]), BOTH, "{what}");
    }
    // Changes one byte at several places.
    let good = std::fs::read(&file).expect("the store");
    for at in (11..good.len()).step_by(good.len() / 12) {
        let mut bytes = good.clone();
        bytes[at] ^= 0x81;
        std::fs::write(&file, bytes).expect("written");
        run_is_right(&alone, &format!("byte {at}"), &[]);
        // A verdict that was still found is not explored, so a file that was replaced afterwards
        // lacks it until the next run.
        run_is_right(&alone, "afterwards", &[]);
        assert_eq!(alone.cached(&[]), BOTH, "byte {at}");
    }
    // Damage beside the file.
    std::fs::write(alone.folder().join("store.sqlite-journal"), [0x11; 5000]).expect("written");
    run_is_right(&alone, "a stray journal", &[]);
    std::fs::remove_file(&file).expect("removed");
    std::fs::create_dir(&file).expect("created");
    let (found, warned) = run_is_right(&alone, "a folder in its place", &[]);
    assert_eq!((found.len(), warned), (0, 1));
    alone.forget();
    std::fs::write(alone.folder(), "").expect("written");
    let (found, warned) = run_is_right(&alone, "no folder", &[]);
    assert_eq!((found.len(), warned), (0, 1));
}

#[test]
fn several_processes_share_it() {
    let alone = Alone::new("cache_several");
    // Built once, so that they run side by side.
    assert_eq!(alone.cached(&["--no-cache"]), NONE);
    for _ in 0..3 {
        alone.forget();
        let form = ["--message-format", "json", "--no-write"];
        let start = || LimitedProcess::start(LIMIT, &mut alone.command(&form));
        let all: Vec<LimitedProcess> = (0..4).map(|_| start()).collect();
        for process in all {
            let run = process.end().into();
            verdicts_are_right(&run);
            assert_eq!(warnings(&run), [""; 0]);
        }
        assert_eq!(alone.cached(&[]), BOTH);
    }
}

#[test]
fn a_process_that_is_killed_leaves_it_usable() {
    let alone = Alone::new("cache_killed");
    assert_eq!(alone.cached(&["--no-cache"]), NONE);
    let mut found = Vec::new();
    for number in 0..24u64 {
        if number % 3 == 0 {
            alone.forget();
        }
        // Each run has something new to write.
        let seed = number.to_string();
        let process =
            LimitedProcess::start(LIMIT, &mut alone.command(&["--no-write", "--seed", &seed]));
        std::thread::sleep(Duration::from_millis(20 + 9 * number));
        drop(process);
        let (again, warned) = run_is_right(&alone, &seed, &["--seed", &seed]);
        assert_eq!(warned, 0, "after {number}");
        found.push(again.len());
        assert_eq!(alone.cached(&["--seed", &seed]), BOTH);
    }
    assert!(found.contains(&0), "no kill came before the end: {found:?}");
}

/// A file system of its own for the store, where a test may mount one.
struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    fn new(folder: &'a Path, options: &str) -> Option<Self> {
        std::fs::create_dir_all(folder).expect("created");
        let mounted = mount(&["-t", "tmpfs", "-o", options, "symex-test"], folder);
        mounted.then_some(Mounted(folder))
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

fn mount(args: &[&str], folder: &Path) -> bool {
    let output = Command::new("mount").args(args).arg(folder).output();
    output.is_ok_and(|output| output.status.success())
}

#[test]
fn a_folder_that_is_read_only_is_read() {
    let alone = Alone::new("cache_read_only");
    let folder = alone.folder();
    // Permissions do not restrict root, so a read-only file system is mounted if possible.
    let mounted = Mounted::new(&folder, "size=1m");
    assert_eq!(alone.cached(&[]), NONE);
    let of_file = |mode| std::fs::Permissions::from_mode(mode);
    match &mounted {
        Some(_) => assert!(mount(&["-o", "remount,ro"], &folder)),
        None => std::fs::set_permissions(&folder, of_file(0o555)).expect("changed"),
    }
    let known = run_is_right(&alone, "read only", &[]);
    let new = run_is_right(&alone, "something new", &["--seed", "5"]);
    let again = run_is_right(&alone, "the same", &["--seed", "5"]);
    match &mounted {
        Some(_) => assert!(mount(&["-o", "remount,rw"], &folder)),
        None => std::fs::set_permissions(&folder, of_file(0o755)).expect("changed"),
    }
    assert_eq!(known, (BOTH.map(str::to_owned).into(), 0));
    assert_eq!((new.0.len(), new.1), (0, 1));
    assert_eq!((again.0.len(), again.1), (0, 1));
    assert_eq!(alone.cached(&[]), BOTH);
}

#[test]
fn a_disk_that_is_full_takes_nothing() {
    let alone = Alone::new("cache_full");
    assert_eq!(alone.cached(&[]), NONE);
    let file = alone.folder().join(FILE);
    let size = std::fs::metadata(&file).expect("the store").len();
    // No file of the process may be larger than the store is now: then the disk is full as it sees
    // it.
    let limited = |args: &[&str], blocks: u64| {
        let inner = alone.command(&[&["--message-format", "json", "--no-write"], args].concat());
        let mut command = Command::new("sh");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        command.args(["-c", &script, "sh"]);
        command.arg(inner.get_program()).args(inner.get_args());
        command.current_dir(inner.get_current_dir().expect("the crate"));
        for (name, value) in inner.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        super::support::finish(command)
    };
    let mut warned = 0;
    for seed in 0..30 {
        let run = limited(&["--seed", &format!("{}", 1000 + seed)], size / 512);
        verdicts_are_right(&run);
        assert!(warnings(&run).len() <= 1, "{}", run.stderr);
        warned += warnings(&run).len();
    }
    assert!(warned > 0, "the disk was never full");
    // The store works as before.
    assert_eq!(alone.cached(&[]), BOTH);
    // A disk that was full from the start.
    alone.forget();
    let run = limited(&[], 8);
    verdicts_are_right(&run);
    // Neither the verdicts are kept nor the report.
    assert_eq!(warnings(&run).len(), 2, "{}", run.stderr);
    let told = "warning: failed to record the run in ";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert_eq!(alone.cached(&[]), NONE);
    assert_eq!(alone.cached(&[]), BOTH);
}
