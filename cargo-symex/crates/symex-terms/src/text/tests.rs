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
