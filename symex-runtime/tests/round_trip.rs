//! Every value written as an expression reads back as the same value: drawn at random, written by a replay, compiled
//! as a regression test, and printed by both.

mod support;

use support::Fixture;

const SOURCE: &str = r##"
#![deny(warnings)]
#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::cmp::{Ordering, Reverse};
    use std::collections::*;
    use std::marker::PhantomData;
    use std::net::*;
    use std::num::*;
    use std::ops::*;
    use std::rc::Rc;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;
    use symex::Symbolic;

    #[derive(Debug, Symbolic)]
    struct Unit;
    #[derive(Debug, Symbolic)]
    struct Empty();
    #[derive(Debug, Symbolic)]
    struct Generic<T, const N: usize>([T; N], #[symex(range = -3..=3)] i8);
    #[derive(Debug, Symbolic)]
    enum Tree { Leaf, Node(Box<Tree>, u8, Option<Box<Tree>>), List { of: Vec<Tree> } }

    #[derive(Debug)]
    pub struct Even(u32);

    impl Symbolic for Even {
        fn any(cx: &mut symex::Cx) -> Self { Even(cx.any::<u32>() & !1) }
    }

    macro_rules! shows {
        ($($name:ident($($arg:ident: $ty:ty),*);)*) => {$(
            #[symex::harness]
            fn $name($($arg: $ty),*) { println!("shown {} {:?}", stringify!($name), ($(&$arg,)*)); }
        )*};
    }

    shows! {
        numbers(a: u8, b: u16, c: u32, d: u64, e: u128, f: usize, g: i8, h: i16, i: i32, j: i64, k: i128);
        more(a: isize, b: bool, c: char, d: f32, e: f64, f: NonZeroU8, g: NonZeroI128, h: Wrapping<u8>, i: Saturating<i64>);
        floats(a: [f32; 5], b: Vec<f64>, c: (f32, f64), d: [i128; 2], e: [u8; 3], f: [[i8; 2]; 2], g: [bool; 2], h: [char; 3]);
        sums(a: Option<u8>, b: Result<i8, char>, c: Ordering, d: Bound<u8>, e: (u8,), f: (), g: PhantomData<u8>, h: Option<Option<()>>);
        ranges(a: Range<i8>, b: RangeInclusive<char>, c: RangeFrom<u8>, d: RangeTo<u8>, e: RangeToInclusive<i8>, f: RangeFull, g: &Range<u8>);
        collections(a: Vec<u16>, b: VecDeque<u8>, c: BTreeMap<u8, bool>, d: BTreeSet<i8>, e: LinkedList<u8>, f: Box<[u8]>, g: Vec<Vec<u8>>);
        texts(a: String, b: &str, c: Box<str>, d: std::borrow::Cow<'static, str>, e: Option<&'static str>, f: Vec<String>);
        pointers(a: Box<u8>, b: Rc<u8>, c: Arc<i8>, d: &u8, e: Option<&'static [u8]>, f: &[String], g: (&'static u8, u8));
        cells(a: Cell<u8>, b: RefCell<u8>, c: Reverse<i8>, d: [Option<Cell<i8>>; 2]);
        nets(a: Duration, b: Ipv4Addr, c: Ipv6Addr, d: IpAddr, e: SocketAddr, f: SocketAddrV4, g: SocketAddrV6);
        derived(a: Unit, b: Empty, c: Generic<u16, 2>, d: &Generic<Unit, 1>, e: Vec<Unit>);
        trees(a: Tree, b: Option<Tree>);
        opaque(a: Even, b: &Even, c: &[Even], d: Vec<Option<Even>>, e: u8);
    }

    #[symex::harness]
    fn exclusive(a: &mut u8, b: &mut [u16], c: &mut str, d: &mut Vec<u8>, e: &mut Even) {
        println!("shown exclusive {:?}", (&a, &b, &c, &d, &e));
        *a = 1;
        b.reverse();
        c.make_ascii_uppercase();
        d.clear();
        e.0 = 0;
    }

    #[symex::harness]
    fn hashed(a: HashMap<u8, u16>, b: HashSet<char>, c: Mutex<u8>, d: BinaryHeap<u8>) {
        let a: BTreeMap<_, _> = a.into_iter().collect();
        let b: BTreeSet<_> = b.into_iter().collect();
        println!("shown hashed {:?}", (a, b, c.into_inner(), d.into_sorted_vec()));
    }
}
"##;

const HARNESSES: [&str; 15] = [
    "numbers",
    "more",
    "floats",
    "sums",
    "ranges",
    "collections",
    "texts",
    "pointers",
    "cells",
    "nets",
    "derived",
    "trees",
    "opaque",
    "exclusive",
    "hashed",
];

/// Inputs for one replay: enough lines of bytes that are small, extreme or text.
fn inputs(round: u64) -> String {
    let mut state = round.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut text = String::new();
    for _ in 0..120 {
        // Draws of ranges and lengths reject what is too large, so small numbers must be common.
        let number = match next() % 6 {
            0 if round % 2 == 1 => next(),
            1 if round % 2 == 1 => u64::MAX,
            n => next() % (n + 1),
        };
        let line: String = number
            .to_le_bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        text.push_str(&format!("n {line}{line}\n"));
    }
    text
}

#[test]
fn written_values_read_back() {
    let fixture = Fixture::new("round", "2024", SOURCE);
    let mut shown = Vec::new();
    let mut accepted = [0; HARNESSES.len()];
    let mut tests = vec![String::new(); HARNESSES.len()];
    for round in 0..16 {
        for (i, harness) in HARNESSES.iter().enumerate() {
            let (ended, values) =
                fixture.replay(&format!("tests::symex_{harness}"), &inputs(round));
            match ended.code {
                Some(86) => continue,
                Some(0) => {}
                _ => panic!("{harness}: {}", ended.text),
            }
            let values = values.unwrap();
            accepted[i] += 1;
            tests[i] += &format!(
                "#[test]\nfn {harness}_{round}() {{ {}; }}\n",
                values["call"].as_str().unwrap()
            );
            shown.extend(lines(&ended.text));
        }
    }
    for (harness, count) in HARNESSES.iter().zip(accepted) {
        assert!(count >= 2, "{harness} accepted {count} inputs");
    }
    for (harness, tests) in HARNESSES.iter().zip(&tests) {
        fixture.add_regression(&format!("src/lib/tests/{harness}.rs"), tests, "src/lib.rs");
    }
    let ended = fixture.test(&["--nocapture", "--test-threads=1"], &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.text);
    let mut again = lines(&ended.text);
    shown.sort();
    again.sort();
    assert_eq!(shown, again);
}

/// What the harnesses printed.
fn lines(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.find("shown ").map(|at| line[at..].to_owned()))
        .collect()
}
