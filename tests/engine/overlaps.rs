//! Tests of copies between ranges that overlap: undefined behaviour that most C libraries forgive.

use crate::support::{finish, places, symex};

/// Copies of C, of which those in lines with `BAD` are undefined for some input.
const COPIES: &str = r#"
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <symex.h>
int main(void) {
    char b[32] = "abcdefgh", c[32] = "abcdefgh";
    size_t n = symex_range(1, 6, "n"), way = symex_range(0, 22, "way");
    switch (way) {
    case 0: strcpy(b + n, b); break; /* BAD */
    case 1: strcpy(b, b + n); break; /* BAD */
    case 2: strcat(b, b); break; /* BAD */
    case 3: strncpy(b + n, b, 4); break; /* BAD */
    case 4: strncpy(b + n + 4, b, 4); break;
    case 5: memcpy(b + n, b, 7); break; /* BAD */
    case 6: memcpy(b + n + 7, b, 7); break;
    case 7: memmove(b + n, b, 7); break;
    case 8: memcpy(b + n, b + 2, n == 2 ? 7 : 0); break;
    case 9: mempcpy(b + n, b, 7); break; /* BAD */
    case 10: stpcpy(b + n, b); break; /* BAD */
    case 11: sprintf(b, "%s%zu", b, n); break; /* BAD */
    case 12: snprintf(b, n, "%s", b + 1); break; /* BAD */
    case 13: sprintf(b + 8, "%s", b); break; /* BAD */
    case 14: sprintf(b + 8, "%.8s", b); break;
    case 15: sprintf(b + 9, "%s", b); break;
    case 16: sprintf(c, "%s%zu", b, n); break;
    case 17: strcpy(c + n, b); break;
    case 18: strcat(b, b + n); break; /* BAD */
    case 19: strncat(b, b + 2, 3); break;
    case 20: strncat(b, b + 2, 7); break; /* BAD */
    case 21: strcpy(b + 10, b + n); break;
    }
    return 0;
}
"#;

#[test]
fn the_library_copies_between_ranges_that_are_apart() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let source = folder.path().join("copies.c");
    std::fs::write(&source, COPIES).expect("the source is written");
    let mut command = symex(["c", "copies.c", "--replay=off", "--no-write"]);
    command.args(["--message-format", "json", "--", "-Wno-everything"]);
    command.current_dir(folder.path());
    let run = finish(command).code(1);
    let lines: Vec<usize> = COPIES
        .lines()
        .zip(1..)
        .filter_map(|(line, number)| line.contains("BAD").then_some(number))
        .collect();
    let mut found: Vec<usize> = run
        .json()
        .iter()
        .filter(|line| line["type"] == "finding")
        .map(|line| {
            assert_eq!(line["kind"], "undefined", "{line}");
            line["finding"]["at"]["line"].as_u64().expect("a line") as usize
        })
        .collect();
    found.sort_unstable();
    assert_eq!(found, lines);
    assert_eq!(places(&run.only()).len(), lines.len());
}
