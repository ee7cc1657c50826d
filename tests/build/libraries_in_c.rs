//! Tests of libraries written in C, as published crates carry and build them: each is explored from
//! Rust to the end, and a sample of its paths prints natively what the engine says.

use crate::support::{Crate, workspace};

#[test]
fn libraries_do_natively_what_was_explored() {
    let tree = Crate::existing(workspace().join("tests/libraries_in_c"));
    let run = tree
        .symex(&[
            "--locked",
            "--no-write",
            "--message-format=json",
            "--timeout=300s",
            "--replay-paths=100",
        ])
        .code(0);
    let finished = run.finished();
    let verdicts: Vec<(&str, &str, u64)> = finished
        .iter()
        .map(|(name, line)| {
            let ran = line["native_paths"]["ran"].as_u64().expect("a number");
            assert_eq!(line["native_paths"]["agree"], ran, "{line:#}");
            assert!(line["native_paths"]["failed"].is_null(), "{line:#}");
            let verdict = line["verdict"].as_str().expect("a word");
            (name.as_str(), verdict, ran)
        })
        .collect();
    assert_eq!(
        verdicts,
        [
            ("bzip2::decompresses", "pass-complete", 85),
            // Bounded, because not all chunks are explored, and because the clock is the seed.
            ("lua::runs", "pass-bounded", 100),
            ("lz4::decompresses", "pass-complete", 100),
            // Bounded for the same reasons, and because there are no files.
            ("sqlite::prepares", "pass-bounded", 100),
            ("webp::headers", "pass-complete", 100),
            ("zlib::inflates", "pass-complete", 100),
        ]
    );
}
