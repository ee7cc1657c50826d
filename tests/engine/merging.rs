//! Tests of merging: the same verdicts and findings as without, on fewer paths.

use crate::support::programs::{check_c_with, check_harnesses, in_rust};
use crate::support::{Crate, expectation, workspace};

/// Compares the verdicts on the programs in Rust with those expected, whatever the number of paths.
fn check_rust(options: &[&str]) {
    let sources = workspace().join("tests/programs/rust/src");
    let mut expected = expectation::of_harnesses(&sources);
    // It takes half of the total time, and nothing meets there.
    expected.remove("control::spins_for_one_input");
    for expectation in expected.values_mut() {
        expectation.paths = None;
    }
    let mut command = in_rust(options);
    command.args(["--timeout=120s", "--skip=control::spins_for_one_input"]);
    command.arg("--replay=off");
    check_harnesses(command, &expected);
}

#[test]
fn equal_paths_of_rust_programs_become_one() {
    check_rust(&["--merge=equal"]);
}

#[test]
fn similar_paths_of_rust_programs_become_one() {
    check_rust(&["--merge=similar"]);
}

#[test]
fn parted_paths_of_rust_programs_are_those_that_were_merged() {
    check_rust(&["--merge=similar", "--part-always"]);
}

#[test]
fn similar_paths_of_c_programs_become_one() {
    let flags = ["-O1", "-Xclang", "-disable-llvm-passes"];
    check_c_with(None, &flags, &["--merge", "similar"]);
}

/// Harnesses that merging makes cheap or leaves as they are.
const HARNESSES: &str = r#"
    #[symex::harness]
    fn counts(text: [u8; 8]) {
        let mut count = 0u32;
        for byte in text {
            if byte == b',' {
                count += 1;
            }
        }
        assert!(count <= 8);
    }
    #[symex::harness]
    fn validates(text: [u8; 8]) {
        fn is_valid(text: &[u8]) -> bool {
            for byte in text {
                match byte {
                    b'0'..=b'9' | b'a'..=b'f' => {}
                    b' ' => {}
                    _ => return false,
                }
            }
            true
        }
        let valid = is_valid(&text);
        assert_eq!(valid, text.iter().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(b) || *b == b' '));
    }
    #[symex::harness]
    fn decodes(text: [u8; 8]) {
        fn digit(byte: u8) -> Option<u8> {
            match byte {
                b'0'..=b'9' => Some(byte - b'0'),
                b'a'..=b'f' => Some(byte - b'a' + 10),
                _ => None,
            }
        }
        let sum: u32 = text.iter().map(|byte| u32::from(digit(*byte).unwrap_or(0))).sum();
        assert!(sum <= 8 * 15);
    }
    #[symex::harness]
    fn looks_up(text: [u8; 6]) {
        static SQUARES: [u8; 7] = [0, 1, 4, 9, 16, 25, 36];
        let mut count = 0u8;
        for byte in text {
            if byte == b',' {
                count += 1;
            }
        }
        assert_eq!(SQUARES[usize::from(count)], count * count);
    }
    #[symex::harness]
    fn misses_by_one(text: [u8; 8]) {
        let mut sum = 0u32;
        for byte in text {
            sum += if byte == b'x' { 3 } else { u32::from(byte & 1) };
        }
        assert!(sum < 24, "all are x");
    }
    #[symex::harness]
    fn keeps_positions_apart(text: [u8; 6], wanted: u8) {
        if let Some(at) = text.iter().position(|byte| *byte == wanted) {
            assert_eq!(text[at], wanted);
        }
    }
    #[symex::harness]
    fn finds_in_a_table(text: [u8; 5]) {
        static VALUES: [(u8, u32); 6] = [(b'I', 1), (b'V', 5), (b'X', 10), (b'L', 50), (b'C', 100), (b'D', 500)];
        let mut sum = 0;
        for byte in text {
            let Some((_, value)) = VALUES.iter().find(|entry| entry.0 == byte) else {
                return;
            };
            sum += value;
        }
        assert!(sum <= 2500);
    }
    #[symex::harness]
    fn hands_positions_on(text: [u8; 3]) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |byte: &u8| DIGITS.iter().position(|digit| digit == byte);
        let Some(digits) = text.iter().map(digit).collect::<Option<Vec<usize>>>() else {
            return;
        };
        let number = digits.iter().fold(0, |number, digit| number << 4 | digit);
        assert!(number < 1 << 12);
    }
    #[symex::harness]
    fn reads_a_table_on_one_side(text: [u8; 6]) {
        static IS_WORD: [bool; 128] = {
            let mut table = [false; 128];
            let mut at = b'a';
            while at <= b'z' {
                table[at as usize] = true;
                at += 1;
            }
            table
        };
        let is_word = |byte: &&u8| byte.is_ascii() && IS_WORD[usize::from(**byte)];
        assert!(text.iter().filter(is_word).count() <= 6);
    }
    struct Machine {
        kind: u8,
        words: u32,
        flags: u64,
    }
    impl Machine {
        #[inline(never)]
        fn feed(&mut self, byte: u8) {
            let kind = match byte {
                b'a'..=b'z' => 1,
                b' ' => 2,
                _ => 3,
            };
            if kind == 1 && self.kind != 1 {
                self.words += 1;
            }
            if kind == 3 {
                self.flags |= 4;
            }
            self.kind = kind;
        }
    }
    #[symex::harness]
    fn keeps_state_in_memory(text: [u8; 6]) {
        let mut machine = Machine { kind: 0, words: 0, flags: 0 };
        text.into_iter().for_each(|byte| machine.feed(byte));
        assert!(machine.words <= 3 && matches!(machine.flags, 0 | 4));
    }
    struct Cursor<'a> {
        text: &'a [u8],
        at: usize,
        sum: u32,
    }
    impl Cursor<'_> {
        #[inline(never)]
        fn skip_blank(&mut self) {
            if self.text.get(self.at) == Some(&b' ') {
                self.at += 1;
            }
        }
        #[inline(never)]
        fn take_digit(&mut self) {
            if let Some(digit) = self.text.get(self.at) {
                self.sum += u32::from(digit & 15);
                self.at += 1;
            }
        }
    }
    #[symex::harness]
    fn keeps_positions_in_memory_apart(text: [u8; 6]) {
        let mut cursor = Cursor { text: &text, at: 0, sum: 0 };
        for _ in 0..4 {
            cursor.skip_blank();
            cursor.take_digit();
        }
        assert!(cursor.sum < 60, "all are fifteen");
    }
    #[symex::harness]
    fn reads_uninitialised_memory_on_one_side(a: bool, b: bool) {
        let mut place = std::mem::MaybeUninit::<u32>::uninit();
        if a {
            place.write(7);
        }
        std::hint::black_box(&mut place);
        if a || b {
            let value = unsafe { place.assume_init() };
            assert!(value < 8);
        }
    }
"#;

#[test]
fn paths_that_differ_in_little_are_counted_as_one() {
    let tree = Crate::library("merging", &format!("#[cfg(test)]\nmod t {{{HARNESSES}}}\n"));
    let paths = |merge: &str| {
        let run = tree.symex(&["--no-write", "--message-format", "json", "--merge", merge]);
        let finished = run.finished();
        let of = |(name, line): (&String, &serde_json::Value)| {
            let verdict = line["verdict"].as_str().expect("a verdict").to_owned();
            let paths = line["stats"]["paths"].as_u64().expect("a number");
            let merged = line["stats"]["merged"].as_u64().expect("a number");
            let kinds = line["findings"].as_array().into_iter().flatten();
            let kinds: Vec<String> = kinds.map(|finding| finding["kind"].to_string()).collect();
            (name.clone(), verdict, kinds, paths, merged > 0)
        };
        finished.iter().map(of).collect::<Vec<_>>()
    };
    let (off, equal, similar) = (paths("off"), paths("equal"), paths("similar"));
    for other in [&equal, &similar] {
        for (one, other) in off.iter().zip(other) {
            assert_eq!((&one.0, &one.1, &one.2), (&other.0, &other.1, &other.2));
        }
    }
    let counts = |all: &[(String, String, Vec<String>, u64, bool)]| {
        all.iter()
            .map(|h| format!("{} {} {}", h.0, h.3, h.4))
            .collect::<Vec<_>>()
            .join("\n")
    };
    snapbox::assert_data_eq!(
        format!(
            "off:\n{}\nequal:\n{}\nsimilar:\n{}\n",
            counts(&off),
            counts(&equal),
            counts(&similar)
        ),
        snapbox::str![[r#"
off:
t::counts 256 false
t::decodes 6561 false
t::finds_in_a_table 9331 false
t::hands_positions_on 4369 false
t::keeps_positions_apart 7 false
t::keeps_positions_in_memory_apart 26 false
t::keeps_state_in_memory 729 false
t::looks_up 64 false
t::misses_by_one 2 false
t::reads_a_table_on_one_side 64 false
t::reads_uninitialised_memory_on_one_side 3 false
t::validates 13121 false
equal:
t::counts 256 false
t::decodes 6561 false
t::finds_in_a_table 9331 false
t::hands_positions_on 4369 false
t::keeps_positions_apart 7 false
t::keeps_positions_in_memory_apart 26 false
t::keeps_state_in_memory 256 true
t::looks_up 64 false
t::misses_by_one 2 false
t::reads_a_table_on_one_side 64 false
t::reads_uninitialised_memory_on_one_side 3 false
t::validates 265 true
similar:
t::counts 1 true
t::decodes 1 true
t::finds_in_a_table 6 true
t::hands_positions_on 4 true
t::keeps_positions_apart 7 false
t::keeps_positions_in_memory_apart 7 true
t::keeps_state_in_memory 1 true
t::looks_up 1 true
t::misses_by_one 2 false
t::reads_a_table_on_one_side 1 true
t::reads_uninitialised_memory_on_one_side 2 true
t::validates 9 true

"#]]
    );
}

/// Decisions that are easy for the solver where the divisor is known, and too hard otherwise.
const DIVIDES: &str = r#"
    #[symex::harness]
    fn divides(number: u64, by: [bool; 3]) {
        let mut power = 1u32;
        if by[0] {
            power *= 10;
        }
        if by[1] {
            power *= 100;
        }
        if by[2] {
            power *= 1000;
        }
        let power = u64::from(power);
        assert_eq!(number % power == 0, number / power * power == number);
    }
"#;

/// Checks that the one harness of some source passes on merged paths of which some are parted.
fn passes_in_parts(package: &str, source: &str, harness: &str) {
    let tree = Crate::library(package, &format!("#[cfg(test)]\nmod t {{{source}}}\n"));
    let run = tree.symex(&[
        "--no-write",
        "--message-format",
        "json",
        "--merge",
        "similar",
    ]);
    let line = &run.finished()[harness];
    assert_eq!(line["verdict"], "pass-complete");
    for count in ["merged", "parted"] {
        assert!(line["stats"][count].as_u64() > Some(0), "{count}");
    }
}

#[test]
fn paths_that_are_too_hard_as_one_are_parted() {
    passes_in_parts("parting", DIVIDES, "t::divides");
}

/// A harness whose merged path is parted by a condition that only some of the paths came to, as the
/// others have no such value: of these it must not be asked.
const MEETS: &str = r#"
    #[derive(Clone, Copy)]
    struct Span {
        at: i32,
        len: u32,
    }
    impl Span {
        fn end(self) -> i64 {
            i64::from(self.at) + i64::from(self.len)
        }
        fn has(self, x: i32) -> bool {
            x >= self.at && i64::from(x) < self.end()
        }
        fn meet(self, other: Span) -> Option<Span> {
            let at = self.at.max(other.at);
            let end = self.end().min(other.end());
            (i64::from(at) < end).then(|| Span { at, len: (end - i64::from(at)) as u32 })
        }
    }
    #[symex::harness]
    fn meets(a: [(i32, u32); 2], b: [(i32, u32); 2], x: i32, y: i32) {
        let [a, b] = [a, b].map(|spans| spans.map(|(at, len)| Span { at, len }));
        let has = |spans: [Span; 2]| spans[0].has(x) && spans[1].has(y);
        let both = has(a) && has(b);
        let meet = a[0].meet(b[0]).and_then(|first| Some([first, a[1].meet(b[1])?]));
        assert_eq!(both, meet.is_some_and(has));
    }
"#;

#[test]
fn a_path_is_not_parted_by_what_it_did_not_come_to() {
    passes_in_parts("meeting", MEETS, "t::meets");
}

/// A harness whose merged path is parted by a condition that the rest of the path decides: whether
/// there is a borrow.
const BORROWS: &str = r#"
    fn number(words: &[u16]) -> u64 {
        words.iter().rev().fold(0, |sum, word| sum << 16 | u64::from(*word))
    }
    fn subtract(carry: u16, x: u16, y: u16, out: &mut u16) -> u16 {
        let first = x.wrapping_sub(y);
        let second = first.wrapping_sub(carry);
        *out = second;
        u16::from((first > x) | (second > first))
    }
    #[symex::harness]
    fn borrows(a: [u16; 3], b: [u16; 2]) {
        symex::assume(a[2] != 0);
        let (mut left, mut borrow) = (a, 0);
        for i in 0..2 {
            borrow = subtract(borrow, a[i], b[i], &mut left[i]);
        }
        if borrow != 0 {
            borrow = subtract(borrow, a[2], 0, &mut left[2]);
        }
        symex::assume(borrow == 0);
        let len = left.iter().rposition(|word| *word != 0).map_or(0, |i| i + 1);
        assert!(number(&left[..len]) == number(&a) - number(&b));
    }
"#;

#[test]
fn a_parted_path_keeps_what_was_known_of_its_condition() {
    passes_in_parts("borrowing", BORROWS, "t::borrows");
}

/// Harnesses with too many paths to be explored one by one.
const MANY: &str = r#"
    fn count(text: &[u8]) -> u32 {
        let mut count = 0u32;
        for byte in text {
            if *byte == b',' {
                count += 1;
            }
        }
        count
    }
    #[symex::harness]
    fn passes(text: [u8; 40]) {
        assert!(count(&text) <= 40);
    }
    #[symex::harness]
    fn fails(text: [u8; 40]) {
        let commas = text.iter().fold(0u64, |bits, byte| bits * 2 + u64::from(*byte == b','));
        assert!(commas != 0xa5_1234_abcd, "one of all paths");
    }
    #[symex::harness]
    fn needs_no_merging(text: [u8; 4]) {
        assert!(count(&text) <= 4);
    }
"#;

#[test]
fn a_second_exploration_merges_where_the_first_does_not_end_soon() {
    let tree = Crate::library("turns", &format!("#[cfg(test)]\nmod t {{{MANY}}}\n"));
    let run = |options: &[&str]| {
        let mut all = vec!["--no-write", "--no-cache", "--message-format", "json"];
        all.extend(options);
        tree.symex(&all)
    };
    let run_of_all = run(&["--timeout=300s"]);
    let finished = run_of_all.finished();
    let (passes, fails) = (&finished["t::passes"], &finished["t::fails"]);
    assert_eq!(passes["verdict"], "pass-complete");
    assert_eq!(passes["stats"]["paths"], 1);
    assert_eq!(fails["verdict"], "bug");
    let lines = run_of_all.json();
    let found = lines.iter().find(|line| line["type"] == "finding");
    assert_eq!(
        found.expect("one is found")["replay"]["status"],
        "confirmed"
    );
    // Without a bound, all paths were explored.
    assert_eq!(fails["bounds"], serde_json::json!([]));
    let alone = &finished["t::needs_no_merging"]["stats"];
    assert_eq!((&alone["paths"], &alone["merged"]), (&16.into(), &0.into()));
    // It is the first whose paths are counted.
    let counted = run(&["--max-paths=100", "--replay=off", "passes"]).finished();
    let counted = &counted["t::passes"];
    assert_eq!(counted["verdict"], "pass-bounded");
    assert_eq!(
        (&counted["stats"]["paths"], &counted["stats"]["merged"]),
        (&100.into(), &0.into())
    );
}

/// A residue as codes have it that find errors: a way from a branch to where it meets the other one
/// has a table of its own, in the scope of a local variable, and the residue lies in memory.
const RESIDUE: &str = r#"
    fn step(mut residue: u32, digit: u8) -> u32 {
        const TABLE: [u32; 5] = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
        let high = residue >> 25;
        residue = (residue & 0x1ffffff) << 5 ^ u32::from(digit);
        for i in 0..5usize {
            if high & 1 << i != 0 {
                residue ^= TABLE[i];
            }
        }
        residue
    }
    #[symex::harness]
    fn residues_are_one_path(data: [u8; 12]) {
        let residue = |data: &[u8; 12]| data.iter().fold(1, |sum, digit| step(sum, *digit & 31));
        assert_eq!(residue(&data), residue(&data.map(|digit| digit | 0xe0)));
    }
"#;

#[test]
fn variables_that_are_out_of_their_scope_tell_no_paths_apart() {
    let tree = Crate::library("residue", &format!("#[cfg(test)]\nmod t {{{RESIDUE}}}\n"));
    let run = tree.symex(&["--no-write", "--message-format", "json", "--merge=similar"]);
    let line = &run.finished()["t::residues_are_one_path"];
    assert_eq!(line["verdict"], "pass-complete");
    assert_eq!(line["stats"]["paths"], 1);
}
