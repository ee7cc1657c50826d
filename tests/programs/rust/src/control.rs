//! Loops, matches, recursion, options and results.

// expect: bug hang
#[symex::harness(max_steps = 200000)]
fn spins_for_one_input(n: u8) {
    let mut x = n;
    while x != 0 {
        if x == 77 {
            continue;
        }
        x -= 1;
    }
}

/// Returns the number of digits at the beginning of a text.
fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

// expect: bug hang
#[symex::harness]
fn does_not_get_on(text: [u8; 3]) {
    let mut rest = &text[..];
    while !rest.is_empty() {
        rest = &rest[digits(rest)..];
    }
}

// expect: pass-complete paths 1
#[symex::harness]
fn gets_on_for_long(n: u8) {
    fn step(n: u64) -> u64 {
        std::hint::black_box(n) + 1
    }
    let mut count = 0;
    while count < 200_000 {
        count = step(count);
    }
    assert_eq!(count + u64::from(n) - 200_000, u64::from(n));
}

// expect: bug stack-overflow
#[symex::harness]
#[allow(unconditional_recursion)]
fn recurses_for_ever(n: u8) {
    fn down(n: u64) -> u64 {
        std::hint::black_box(down(n + 1) + 1)
    }
    if n == 5 {
        std::hint::black_box(down(0));
    }
}

// expect: pass-complete paths 4
#[symex::harness]
fn two_branches(a: bool, b: bool) {
    let mut n = 0u8;
    if a {
        n = std::hint::black_box(n) + 1;
    }
    if b {
        n = std::hint::black_box(n) + 2;
    }
    assert_eq!(n, a as u8 + 2 * b as u8);
}

#[derive(Clone, Copy, PartialEq, Debug, symex::Symbolic)]
enum Op {
    Push(u8),
    Pop,
    Swap { a: u8, b: u8 },
}

// expect: bug panic
#[symex::harness]
fn little_machine(ops: [Op; 3]) {
    let mut stack: Vec<u8> = Vec::new();
    for op in ops {
        match op {
            Op::Push(x) => stack.push(x),
            Op::Pop => {
                stack.pop();
            }
            Op::Swap { a, b } => {
                if (a as usize) < stack.len() {
                    stack.swap(a as usize, b as usize)
                }
            }
        }
    }
}

fn parse(d: &[u8]) -> Result<u16, &'static str> {
    let (head, rest) = d.split_first().ok_or("empty")?;
    if *head != b'#' {
        return Err("no mark");
    }
    let [a, b, ..] = rest else {
        return Err("short");
    };
    Ok(u16::from_be_bytes([*a, *b]))
}

// expect: bug panic
#[symex::harness]
fn parser_accepts_the_answer(d: [u8; 4]) {
    assert!(parse(&d) != Ok(4242));
}

// expect: vacuous
#[symex::harness]
fn impossible_assumption(x: u8) {
    symex::assume(x > 10);
    symex::assume(x < 5);
}

// expect: pass-complete
#[symex::harness]
fn assumption_narrows(x: u8) {
    symex::assume(x > 250);
    assert!(x.checked_add(10).is_none());
}

// expect: vacuous
#[symex::harness]
fn cover_never_met(x: u8) {
    symex::cover!(x as u32 > 300, "big");
}

// expect: pass-complete
#[symex::harness]
fn cover_met(x: u8) {
    symex::cover!(x > 200, "big");
}

// expect: pass-bounded
#[symex::harness]
fn a_wait_for_a_time_lets_it_pass(long: bool) {
    use std::time::{Duration, Instant};
    let start = Instant::now();
    let time = Duration::from_millis(if long { 50 } else { 5 });
    std::thread::park_timeout(time);
    let (_sender, receiver) = std::sync::mpsc::channel::<u8>();
    assert!(receiver.recv_timeout(time).is_err());
    assert!(start.elapsed() >= 2 * time && start.elapsed() < 3 * time);
}
