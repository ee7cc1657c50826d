use super::{Lines, Named};
use crate::*;

fn round_trip(text: &str) {
    let p = &mut Pool::new();
    let e = p.parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(p.display(e).to_string(), text);
    assert_eq!(p.parse(text), Ok(e));
}

#[test]
fn printed_terms_are_read_back() {
    round_trip("(add x.0.0:32 7:32)");
    round_trip("(select (store (table 1:8 2:8) i.0.0:64 x.1.0:8) j.2.3:64)");
    round_trip("(ite c.0.0:1 (extract 3 8 x.1.0:32) (to_signed 8 f.2.0:64))");
    round_trip("(sext 40 (concat x.0.0:8 undef.u.7:3))");
    round_trip("(sub (add @3^4 x.u.3.16:64) @2^0)");
    round_trip("(fma f.0.0:32 f.1.0:32 0x3f800000:32)");
    round_trip("(fround.even (fsqrt a%20;b%5b;.0.1:16))");
}

#[test]
fn shared_terms_are_bound_once() {
    let p = &mut Pool::new();
    let e = p
        .parse("(let y (mul x:8 z:8)) (udiv y (xor y w:8))")
        .unwrap();
    let text = p.display(e).to_string();
    assert_eq!(
        text,
        "(let t0 (mul x.0.0:8 z.0.0:8)) (udiv t0 (xor t0 w.0.0:8))"
    );
    assert_eq!(p.parse(&text), Ok(e));
}

#[test]
fn deep_terms_are_printed_and_read() {
    let p = &mut Pool::new();
    let (mut e, x) = (p.parse("x:8").unwrap(), p.parse("y:8").unwrap());
    for _ in 0..50_000 {
        e = p.bin(BinOp::UDiv, x, e);
    }
    let text = p.display(e).to_string();
    assert_eq!(p.parse(&text), Ok(e));
}

#[test]
fn what_is_no_term_is_refused() {
    let p = &mut Pool::new();
    for text in [
        "",
        "(",
        ")",
        "(add x:8 y:9)",
        "(add x:8)",
        "(foo x:8)",
        "256:8",
        "x:0",
        "x:129",
        "x",
        "x:8 y:8",
        "(fadd x:8 x:8)",
        "(extract 4 8 x:8)",
        "(zext 4 x:8)",
        "(concat x:128 y:1)",
        "(let x:8)",
        "(table 1:8)",
        "@1^70",
        "@1",
        "0xg:8",
        "(select x:8 y:64)",
        "(ite x:2 y:8 y:8)",
        "a%zz;:8",
        "()",
        "(table)",
        "(extract 4294967295 8 x:8)",
    ] {
        assert!(p.parse(text).is_err(), "{text}");
    }
}

#[test]
fn lines_name_each_part_once_and_are_read_back_in_the_order_of_the_pool() {
    let p = &mut Pool::new();
    let texts = [
        "(ult (mul x:8 z:8) (xor (mul x:8 z:8) w:8))",
        "(eq (select (store (table 1:8 2:8 y:8) i:64 (mul x:8 z:8)) j.1:64) y:8)",
        "(ule (mul x:8 z:8) 7:8)",
    ]
    .map(|text| text.replace("j.1:", "j.1.0:"));
    let terms = texts.each_ref().map(|text| p.parse(text).unwrap());
    let mut lines = Lines::default();
    let mut text = String::new();
    // The youngest first: the order of the lines is that of the pool all the same, for each time of
    // writing.
    lines.write(p, terms.into_iter().rev(), &mut text);
    let written = text.len();
    lines.write(p, terms.into_iter(), &mut text);
    assert_eq!(text.len(), written);
    assert_eq!(text.matches("mul").count(), 1, "{text}");

    let names = terms.map(|e| lines.name(p, e));
    let q = &mut Pool::new();
    let mut named = Named::default();
    for line in text.lines() {
        q.parse_line(&mut named, line)
            .unwrap_or_else(|e| panic!("{line}: {e}"));
    }
    let read = names
        .each_ref()
        .map(|name| q.parse_with(&mut named, name).unwrap());
    for (e, read) in terms.iter().zip(read) {
        assert_eq!(p.display(*e).to_string(), q.display(read).to_string());
    }
    assert!(read.is_sorted());
    assert!(q.parse_line(&mut named, "(let t99 t98)").is_err());
    assert!(q.parse_line(&mut named, "(let t99 x:8) x:8").is_err());
    assert!(q.parse_line(&mut named, "x:8").is_err());
}

/// Checks how a term is shown to people.
fn reads(text: &str, wanted: &str) {
    let p = &mut Pool::new();
    let e = p.parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(p.infix(e).to_string(), wanted);
}

#[test]
fn people_read_expressions() {
    reads("(eq a%5b;0%5d;.0.0:8 0x41:8)", "a[0] == b'A'");
    reads("(not (eq x.0.0:32 0x12345:32))", "x != 0x12345");
    reads("(slt x.0.0:8 0xff:8)", "x as i8 < -1");
    reads("(ult (add (zext 32 x.0.0:8) y.1.0:32) 7:32)", "(x + y) < 7");
    reads("(and c.0.0:1 (not d.1.0:1))", "c && (!d)");
    reads(
        "(eq (select (table 1:8 2:8 3:8) i.0.0:64) 3:8)",
        "[…; 3][i] == 3",
    );
    reads(
        "(ite c.0.0:1 (extract 8 8 x.1.0:32) (ctz y.2.0:8))",
        "if c { x >> 8 as u8 } else { y.trailing_zeros() }",
    );
}

#[test]
fn expressions_that_are_long_are_cut() {
    let p = &mut Pool::new();
    let names = (0..100).map(|n| format!("x{n}.{n}.0:8"));
    let sum = names.reduce(|sum, x| format!("(udiv {x} {sum})")).unwrap();
    let e = p.parse(&sum).unwrap();
    let text = p.infix(e).to_string();
    assert!(text.len() < 200 && text.contains('…'), "{text}");
}
