//! Tests of pointers to very many objects, very large objects, segments that outgrow their
//! threshold, allocations that are too large, and paths that exhaust memory: each ends with an
//! answer or with a reported bound, within the memory limit.

use crate::support::{Crate, kinds};
use std::collections::BTreeMap;

const HARNESSES: &str = r#"
#[cfg(test)]
mod t {
    const MANY: usize = 10_000;

    fn boxes() -> Vec<Box<u32>> {
        (0..MANY as u32).map(Box::new).collect()
    }

    #[symex::harness]
    fn one_of_many_is_read(i: usize) {
        let v = boxes();
        if i < MANY {
            assert!(*v[i] != 7_777);
        }
        std::mem::forget(v);
    }
    #[symex::harness]
    fn all_of_many_are_read(i: usize) {
        let v = boxes();
        if i < MANY {
            assert!(*v[i] < MANY as u32);
        }
        std::mem::forget(v);
    }
    #[symex::harness]
    fn one_of_many_is_written(i: usize) {
        let mut v = boxes();
        if i < MANY {
            *v[i] = 1 << 20;
            assert!(*v[i] == 1 << 20);
        }
        std::mem::forget(v);
    }
    #[symex::harness]
    fn one_of_many_is_freed(i: usize) {
        let v: Vec<*mut u32> = boxes().into_iter().map(Box::into_raw).collect();
        if i < MANY {
            unsafe { drop(Box::from_raw(v[i])) };
            assert!(unsafe { *v[(i + 1) % MANY] } < MANY as u32);
        }
        std::mem::forget(v);
    }

    fn zeros() -> Vec<u8> {
        vec![0; 16 << 20]
    }

    /// Without two bytes in a row that follow from each other.
    fn noise(bytes: usize) -> Vec<u8> {
        let mut v = Vec::with_capacity(bytes);
        let mut x = 1u64;
        while v.len() < bytes {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            v.extend_from_slice(&x.to_be_bytes());
        }
        v
    }

    #[symex::harness]
    fn much_is_read(i: usize) {
        let v = zeros();
        if i < v.len() {
            assert!(v[i] == 0);
        }
    }
    #[symex::harness]
    fn much_was_never_written(i: usize) {
        let mut v: Vec<u64> = Vec::with_capacity(1 << 16);
        if i < v.capacity() {
            let at = unsafe { v.as_mut_ptr().add(i) };
            unsafe { at.write(7) };
            assert!(unsafe { at.read() } == 7);
        }
    }
    #[symex::harness]
    fn much_is_written(i: usize, j: usize) {
        let mut v = zeros();
        if i < v.len() && j < v.len() {
            v[i] = 3;
            v[j] += 1;
            assert!(v[i] == 3 || i == j && v[i] == 4);
            assert!(v[12_345_678] != 4);
        }
    }
    #[symex::harness]
    fn one_of_two_large_ones_is_written(first: bool, i: usize) {
        let (mut v, mut w) = (zeros(), zeros());
        if i < v.len() {
            let p = if first { &mut v } else { &mut w };
            p[i] = 3;
            assert!(v[i] ^ w[i] == 3);
        }
    }
    #[symex::harness]
    fn noise_is_written(i: usize) {
        let mut v = noise(1 << 18);
        if i < v.len() {
            v[i] = v[i].wrapping_add(3);
            assert!(v[i] as u32 <= 255);
        }
    }
    #[symex::harness]
    fn rows_beyond_a_segment(i: usize, j: usize, k: usize) {
        let mut rows: Vec<Box<[u8; 64]>> = (0..16).map(|r| Box::new([r as u8; 64])).collect();
        if i < 16 && j < 16 && k < 64 {
            rows[i][k] = 100;
            let seen = rows[j][k];
            assert!(if i == j { seen == 100 } else { seen as usize == j });
            assert!(rows[15][63] != 100);
        }
    }
}
"#;

/// Returns the verdicts of the harnesses, by name, with the kinds of their findings.
fn verdicts(name: &str, args: &[&str]) -> BTreeMap<String, (String, Vec<String>)> {
    let tree = Crate::library(name, HARNESSES);
    let common = [
        "--message-format",
        "json",
        "--no-write",
        "--max-memory",
        "3GB",
    ];
    let run = tree.symex(&[args, &common[..]].concat());
    let said = |line: &serde_json::Value| {
        let text = line["verdict_text"].as_str().expect("a text").to_owned();
        (text, kinds(line).into_iter().map(str::to_owned).collect())
    };
    let finished = run.finished();
    finished
        .iter()
        .map(|(name, line)| (name.replace("t::", ""), said(line)))
        .collect()
}

#[test]
fn a_pointer_may_refer_to_ten_thousand_objects() {
    let found = verdicts("many_objects", &["of_many", "--timeout", "15s"]);
    assert_eq!(found.len(), 4, "{found:?}");
    let panics = ("bug".to_owned(), vec!["panic".to_owned()]);
    assert_eq!(found["one_of_many_is_read"], panics);
    assert_eq!(found["all_of_many_are_read"].0, "pass (complete)");
    // These may take a path for each object.
    for name in ["one_of_many_is_written", "one_of_many_is_freed"] {
        let (text, _) = &found[name];
        let fine = ["pass (complete)", "pass (bounded: timeout)"];
        assert!(fine.contains(&text.as_str()), "{name}: {text}");
    }
}

#[test]
fn objects_of_many_megabytes_are_accessed_at_symbolic_offsets() {
    let names = ["much", "large", "noise", "--timeout", "60s"];
    let found = verdicts("large_objects", &names);
    assert_eq!(found.len(), 5, "{found:?}");
    assert_eq!(found["much_is_read"].0, "pass (complete)");
    assert_eq!(found["much_was_never_written"].0, "pass (complete)");
    let panics = ("bug".to_owned(), vec!["panic".to_owned()]);
    assert_eq!(found["much_is_written"], panics);
    assert_eq!(
        found["one_of_two_large_ones_is_written"].0,
        "pass (complete)"
    );
    // Which is split, so that there are several paths.
    let (text, _) = &found["noise_is_written"];
    let fine = ["pass (complete)", "pass (bounded: timeout)"];
    assert!(fine.contains(&text.as_str()), "{text}");
}

#[test]
fn a_segment_outgrows_its_threshold() {
    for model in ["segmented", "dynamic", "adaptive", "forking"] {
        let args = ["rows_beyond", "--memory-model", model];
        let small = ["--segment-threshold", "256", "--timeout", "60s"];
        let found = verdicts(
            &format!("outgrown_{model}"),
            &[&args[..], &small[..]].concat(),
        );
        let (text, kinds) = &found["rows_beyond_a_segment"];
        assert_eq!((text.as_str(), kinds.len()), ("bug", 1), "{model}");
    }
}

/// Harnesses that allocate much memory.
const MEMORY: &str = r#"
#[cfg(test)]
mod t {
    use std::hint::black_box;
    #[symex::harness]
    fn sometimes_much(x: u8) {
        if x == 7 {
            black_box(Vec::<u8>::with_capacity(5 << 30));
        }
    }
    #[symex::harness]
    fn as_much_as_asked_for(x: u64) {
        symex::assume(x < 4 || x > 1 << 31 && x < 1 << 46);
        black_box(Vec::<u8>::with_capacity(x as usize));
    }
    #[symex::harness]
    fn more_than_there_is(x: u8) {
        let size = if x == 7 { 1 << 60 } else { 5 };
        black_box(Vec::<u8>::with_capacity(size));
    }
    #[symex::harness]
    fn more_than_a_layout(x: u8) {
        let size = if x == 7 { 1 << 60 } else { 5 };
        black_box(Vec::<u64>::with_capacity(size));
    }
    #[symex::harness]
    fn refused(x: u8) {
        assert!(Vec::<u8>::new().try_reserve(black_box(1 << 60)).is_err() && x as u32 <= 255);
    }
}
"#;

#[test]
fn too_large_an_allocation_is_a_bound_and_an_impossible_one_a_bug() {
    let tree = Crate::library("memory", MEMORY);
    let run = tree
        .symex(&["--message-format", "json", "--no-write"])
        .code(1);
    let finished = run.finished();
    let text = |name: &str| {
        finished[&format!("t::{name}")]["verdict_text"]
            .as_str()
            .expect("a text")
    };
    assert_eq!(
        text("sometimes_much"),
        "pass (bounded: allocation of 5368709120 bytes is over the limit of 1073741824)"
    );
    assert_eq!(
        text("as_much_as_asked_for"),
        "pass (bounded: allocation of a size that depends on the input is over the limit of 1073741824)"
    );
    assert_eq!(text("refused"), "pass (complete)");
    for (name, kind) in [
        ("more_than_there_is", "abort"),
        ("more_than_a_layout", "panic"),
    ] {
        assert_eq!(text(name), "bug");
        assert_eq!(kinds(&finished[&format!("t::{name}")]), [kind]);
    }
    for line in run.json().iter().filter(|line| line["type"] == "finding") {
        assert_eq!(line["replay"]["status"], "confirmed", "{line}");
    }
}

/// A harness whose second path takes ever more memory by itself: few states wait, so that there is
/// nothing to drop and to reach again.
const HUNGRY: &str = r#"
#[cfg(test)]
mod t {
    use std::hint::black_box;
    #[symex::harness]
    fn hungry(first: bool, x: [u8; 4]) {
        if first {
            return;
        }
        let mut kept = Vec::new();
        let mut block = vec![0u64; 4096];
        let mut n = 0u64;
        loop {
            let mut at = 0;
            while at < block.len() {
                block[at] = n;
                at += 8;
            }
            kept.push(block.clone());
            if n < 4 && x[n as usize] == n as u8 {
                black_box(&kept);
            }
            n += 1;
        }
    }
}
"#;

#[test]
fn the_memory_limit_bounds_a_run() {
    let tree = Crate::library("hard_memory", HUNGRY);
    let run = tree
        .symex(&[
            "t::hungry",
            "--no-write",
            "--max-memory",
            "300MB",
            "--max-steps",
            "none",
            "--timeout",
            "60s",
        ])
        .code(0);
    assert!(
        run.stdout
            .contains("t::hungry ... pass (bounded: memory limit)\n"),
        "{}",
        run.stdout
    );
}
