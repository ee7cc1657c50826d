//! Draws, assumptions and recorded inputs, tested through the public interface in this process.

use std::panic::catch_unwind;

use symex::Symbolic;

#[derive(Debug, PartialEq, Symbolic)]
enum List {
    End,
    More(u8, Box<List>),
}

#[derive(Debug, PartialEq, Symbolic)]
#[symex(depth = 1)]
enum Short {
    End,
    More(Box<Short>),
}

#[derive(Debug, Symbolic)]
struct Ping(Vec<Pong>);

#[derive(Debug, Symbolic)]
struct Pong(Vec<Ping>);

#[derive(Debug, PartialEq, Symbolic)]
#[symex(assume = |date| date.day != 31 || date.month != 2)]
struct Date {
    #[symex(range = 1..=12)]
    month: u8,
    #[symex(range = 1..32)]
    day: u8,
    #[symex(bound = 2)]
    notes: Vec<u16>,
    #[symex(with = 7)]
    fixed: u8,
}

/// Returns the message of a panic in `body`.
fn message<R>(body: impl FnOnce() -> R + std::panic::UnwindSafe) -> String {
    let payload = catch_unwind(body).err().expect("a panic");
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => other.downcast_ref::<&str>().unwrap().to_string(),
    }
}

#[test]
fn derived_fields_keep_their_ranges_and_bounds() {
    let date = symex::value::<Date>(&[&[12], &[31], &[2], &[1, 0, 2, 0]]);
    assert_eq!(
        date,
        Date {
            month: 12,
            day: 31,
            notes: vec![1, 2],
            fixed: 7
        }
    );
}

#[test]
fn recursive_types_end() {
    let list = symex::value::<List>(&[&[1], &[5], &[1], &[6], &[0]]);
    assert_eq!(
        list,
        List::More(5, Box::new(List::More(6, Box::new(List::End))))
    );
    let one = [1u8];
    let ones: Vec<&[u8]> = vec![&one; 100];
    assert!(message(|| symex::value::<List>(&ones)).contains("depth of a recursive type"));
    assert_eq!(
        symex::value::<Short>(&[&[1], &[0]]),
        Short::More(Box::new(Short::End))
    );
    assert!(message(|| symex::value::<Short>(&[&[1], &[1], &[0]])).contains("depth"));
    assert!(message(|| symex::value::<Ping>(&ones)).contains("depth"));
}

#[test]
fn ranges_start_where_they_say() {
    let draw = |bytes: &[u8]| symex::with_inputs(&[bytes], || symex::any_in(-3..=3i8));
    assert_eq!((draw(&[0]), draw(&[6])), (-3, 3));
    assert!(
        message(|| symex::with_inputs(&[&[7]], || symex::any_in(-3..=3i8)))
            .contains("out of its range")
    );
    assert!(message(|| symex::with_inputs(&[], || symex::any_in(3..3u8))).contains("empty range"));
    let all = [0xffu8; 8];
    assert_eq!(
        symex::with_inputs(&[&all], || symex::any_in(..=u64::MAX)),
        u64::MAX
    );
    assert_eq!(
        symex::with_inputs(&[&all], || symex::any_in::<i64>(..)),
        i64::MAX
    );
    assert_eq!(
        symex::with_inputs(&[&[1]], || symex::any_in(i128::MIN..i128::MIN + 5)),
        i128::MIN + 1
    );
    assert_eq!(
        symex::with_inputs(&[&[5], &[0]], || symex::any_in(3..1u128 << 70)),
        5
    );
    assert_eq!(
        symex::with_inputs(&[b"b"], || symex::any_in('a'..='c')),
        'b'
    );
    assert!(message(|| symex::with_inputs(&[b"d"], || symex::any_in('a'..='c'))).contains("range"));
}

#[test]
fn draws_come_in_order_and_end_in_zeros() {
    let drawn = symex::with_inputs(&[&[3], &[0x34, 0x12, 0xff]], || {
        (
            symex::any::<u8>(),
            symex::any::<u16>(),
            symex::any::<u32>(),
            symex::any_vec::<u8>(9),
            symex::any::<bool>(),
        )
    });
    assert_eq!(drawn, (3, 0x1234, 0, vec![], false));
    assert!(!symex::in_symex());
}

#[test]
fn assumptions_and_draws_outside_of_runs_fail_with_advice() {
    assert!(message(|| symex::assume(false)).contains("delete this test"));
    symex::assume(true);
    assert!(message(symex::any::<u8>).contains("with_inputs"));
    assert!(
        message(|| symex::with_inputs(&[&[3]], || symex::any_where::<u8>(|n| *n == 4)))
            .contains("assumption")
    );
    assert_eq!(
        symex::with_inputs(&[&[4]], || symex::any_where::<u8>(|n| *n == 4)),
        4
    );
    assert!(
        message(|| symex::check!(1 > 2, "order", "{} is not", 1))
            .contains("check failed: order: 1 is not")
    );
}

#[test]
fn runs_nest_and_reach_other_threads() {
    let drawn = symex::with_inputs(&[&[1], &[2], &[3]], || {
        let first: u8 = symex::any();
        let inner: u8 = symex::with_inputs(&[&[9]], symex::any);
        let second: u8 = std::thread::spawn(symex::any).join().unwrap();
        (first, inner, second, symex::any::<u8>())
    });
    assert_eq!(drawn, (1, 9, 2, 3));
}

#[test]
fn runs_of_several_threads_do_not_mix() {
    let threads: Vec<_> = (0..8u8)
        .map(|i| {
            std::thread::spawn(move || {
                for _ in 0..200 {
                    let pair: (u8, u8) = symex::with_inputs(&[&[i], &[i]], symex::any);
                    assert_eq!(pair, (i, i));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}
