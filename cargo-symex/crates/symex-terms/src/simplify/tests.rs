//! Tests of each family of rules: forms to which they apply, and forms to which they must not.
//! Terms are in their text form; variables without a position are part 0 of input 0.

use crate::*;

/// Asserts that building the first term gives the second.
pub(super) fn gives(built: &str, wanted: &str) {
    let p = &mut Pool::new();
    let e = p.parse(built).unwrap_or_else(|e| panic!("{built}: {e}"));
    let got = p.display(e).to_string().replace(".0.0", "");
    assert_eq!(got, wanted, "from {built}");
}

/// Asserts that no rule applies.
pub(super) fn stays(term: &str) {
    gives(term, term);
}

#[test]
fn sums() {
    gives("(add 3:8 x:8)", "(add x:8 3:8)");
    gives("(add (add x:8 3:8) 0xfd:8)", "x:8");
    gives("(sub x:8 3:8)", "(add x:8 0xfd:8)");
    gives("(sub x:8 x:8)", "0:8");
    gives("(sub (add x:8 y:8) x:8)", "y:8");
    gives("(add (sub x:8 y:8) (sub y:8 x:8))", "0:8");
    gives(
        "(add (add x:8 1:8) (add y:8 2:8))",
        "(add (add x:8 y:8) 3:8)",
    );
    gives("(sub (add @1^4 0x30:64) (add @1^4 0x10:64))", "0x20:64");
    gives(
        "(add (mul x:8 3:8) (mul x:8 5:8))",
        "(concat (extract 0 5 x:8) 0:3)",
    );
    gives("(add (mul x:8 3:8) x:8)", "(concat (extract 0 6 x:8) 0:2)");
    gives("(add (add i:64 @1^4) 8:64)", "(add (add @1^4 i:64) 8:64)");
    gives("(sub 0xff:8 x:8)", "(not x:8)");
    gives("(add (not x:8) 1:8)", "(sub 0:8 x:8)");
    gives("(sub 0:8 (zext 8 c:1))", "(sext 8 c:1)");
    stays("(add x:8 y:8)");
    stays("(sub x:8 y:8)");
    stays("(add @1^4 8:64)");
    stays("(add @1^4 @2^4)");
}

#[test]
fn products_and_quotients() {
    gives("(mul x:8 0:8)", "0:8");
    gives("(mul x:8 1:8)", "x:8");
    gives("(mul x:8 0xff:8)", "(sub 0:8 x:8)");
    gives("(mul x:8 4:8)", "(concat (extract 0 6 x:8) 0:2)");
    gives("(mul (mul x:8 3:8) 5:8)", "(mul x:8 0xf:8)");
    gives("(mul (add x:8 3:8) 5:8)", "(add (mul x:8 5:8) 0xf:8)");
    gives("(mul (shl x:8 2:8) 3:8)", "(mul x:8 0xc:8)");
    gives("(udiv x:8 4:8)", "(zext 8 (extract 2 6 x:8))");
    gives("(urem x:8 4:8)", "(zext 8 (extract 0 2 x:8))");
    gives("(udiv x:8 1:8)", "x:8");
    gives("(udiv x:8 0:8)", "0xff:8");
    gives("(urem x:8 0:8)", "x:8");
    gives("(udiv (zext 64 x:8) 0xa:64)", "(zext 64 (udiv x:8 0xa:8))");
    gives("(udiv (zext 64 x:8) 0x100:64)", "0:64");
    gives("(sdiv (zext 64 x:8) 0xa:64)", "(zext 64 (udiv x:8 0xa:8))");
    gives("(udiv (udiv x:32 10:32) 10:32)", "(udiv x:32 0x64:32)");
    gives("(urem (urem x:8 0xa:8) 0xa:8)", "(urem x:8 0xa:8)");
    // A divisor that may be zero: the quotient's width would show.
    stays("(udiv (zext 16 x:8) (zext 16 y:8))");
    stays("(mul x:8 6:8)");
    stays("(sdiv x:8 4:8)");
}

#[test]
fn nested_divisions() {
    gives(
        "(udiv (extract 0 28 (udiv x:31 0xa:31)) 0xa:28)",
        "(extract 0 28 (udiv x:31 0x64:31))",
    );
    gives("(udiv (udiv x:8 0x64:8) 3:8)", "0:8");
    gives(
        "(zext 32 (extract 0 12 (urem x:32 0x3c:32)))",
        "(urem x:32 0x3c:32)",
    );
    gives("(urem (urem x:32 0x64:32) 0xa:32)", "(urem x:32 0xa:32)");
    gives("(eq (udiv x:32 0xa:32) 0:32)", "(ult x:32 0xa:32)");
    gives("(ult (udiv x:32 0xa:32) 7:32)", "(ult x:32 0x46:32)");
    gives("(ult 6:32 (udiv x:32 0xa:32))", "(ult 0x45:32 x:32)");
    gives("(ule (mul (udiv x:32 0xa:32) 0xa:32) x:32)", "1:1");
    gives(
        "(sub x:32 (mul (udiv x:32 0xa:32) 0xa:32))",
        "(urem x:32 0xa:32)",
    );
    gives(
        "(sub (add x:32 y:32) (mul (udiv x:32 0xa:32) 0xa:32))",
        "(add y:32 (urem x:32 0xa:32))",
    );
    gives(
        "(eq (mul (udiv x:32 0xa:32) 0xa:32) x:32)",
        "(eq (urem x:32 0xa:32) 0:32)",
    );
    gives(
        "(sub (extract 0 8 x:32) (mul (extract 0 8 (udiv x:32 0xa:32)) 0xa:8))",
        "(extract 0 8 (urem x:32 0xa:32))",
    );
    stays("(urem (extract 0 29 (udiv x:32 0xa:32)) 0xa:29)");
    stays("(urem (extract 0 7 (urem x:32 0x64:32)) 7:7)");
    stays("(udiv (extract 0 8 (udiv x:32 0xa:32)) 0xa:8)");
    stays("(eq (udiv x:32 0xa:32) 7:32)");
    stays("(sub x:32 (mul (udiv x:32 0xa:32) 9:32))");
    stays("(sub x:32 (mul (udiv y:32 0xa:32) 0xa:32))");
    stays("(ule (mul (udiv x:32 0xa:32) 0xb:32) x:32)");
}

#[test]
fn signed_divisions() {
    // In the width of what is divided, if the divisor is a number of it.
    gives("(sdiv (sext 32 x:8) 7:32)", "(sext 32 (sdiv x:8 7:8))");
    gives(
        "(srem (sext 32 x:8) 0xfffffff9:32)",
        "(sext 32 (srem x:8 0xf9:8))",
    );
    stays("(sdiv (sext 32 x:8) 0x80:32)");
    stays("(sdiv (sext 32 (sub x:8 y:8)) z:32)");
    // By more than the number ever is.
    gives("(srem (sext 32 x:8) 0x81:32)", "(sext 32 x:8)");
    gives("(sdiv (sext 32 x:8) 0x81:32)", "0:32");
    stays("(srem (sext 32 x:8) 0x80:32)");
    // A remainder, or that and the divisor, is what is left of rounding down.
    gives(
        "(let r (srem x:32 7:32)) (ult (ite (extract 31 1 r) (add r 7:32) r) 7:32)",
        "1:1",
    );
    gives(
        "(let r (srem x:32 7:32)) (ult (ite (slt r 0:32) (add r 7:32) r) 7:32)",
        "1:1",
    );
    gives("(slt (srem x:32 7:32) 7:32)", "1:1");
    gives("(eq (srem x:32 7:32) 7:32)", "0:1");
    stays("(eq (srem x:32 7:32) 0xfffffffa:32)");
    // What lies between the numbers above and below zero asks for the sign.
    gives(
        "(ult 6:32 (srem x:32 7:32))",
        "(extract 31 1 (srem x:32 7:32))",
    );
    stays("(ult 5:32 (srem x:32 7:32))");
    gives(
        "(ult (srem x:32 7:32) 0xfffffffa:32)",
        "(not (extract 31 1 (srem x:32 7:32)))",
    );
    stays("(ult (srem x:32 7:32) 0xfffffffb:32)");
    // A quotient moved above zero.
    gives(
        "(ult 0x258:32 (add (sdiv x:16 0x6e:16) 0x12b:16))"
            .replace(":32", ":16")
            .as_str(),
        "0:1",
    );
}

#[test]
fn signed_sums() {
    // The overflow test of a sum, of a difference, and of a sum with a number whose sign is known.
    let d = "(let d (sub (urem x:8 0x18:8) (urem y:8 0x18:8)))";
    let e = "(let e (sub (urem z:8 0x3c:8) (urem v:8 0x3c:8)))";
    let both = |op: &str, signs: &str| {
        format!("{d} {e} (and {signs} (xor (extract 7 1 d) (extract 7 1 ({op} d e))))")
    };
    let same = "(not (xor (extract 7 1 d) (extract 7 1 e)))";
    gives(&both("add", same), "0:1");
    gives(&both("sub", "(xor (extract 7 1 d) (extract 7 1 e))"), "0:1");
    let after = |text: &str| {
        let p = &mut Pool::new();
        let e = p.parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        p.as_const(e)
    };
    // The signs of other numbers than those added say nothing.
    assert_eq!(after(&both("sub", same)), None);
    // This sum may overflow.
    let wide = both("add", same).replace("0x3c:8", "0x70:8");
    assert_eq!(after(&wide), None);
    // Extended numbers have the sign of the numbers.
    gives(
        &format!(
            "{d} {e} (and (not (xor (extract 7 1 d) (extract 7 1 e))) (xor (extract 7 1 d) (extract 15 1 (add (sext 16 d) (sext 16 e)))))"
        ),
        "0:1",
    );
}

#[test]
fn equal_once_taken_apart() {
    let (a, b) = ("(urem x:8 0x18:8)", "(urem y:8 0x18:8)");
    gives(
        &format!(
            "(eq (mul (sext 16 (sub {a} {b})) 3:16) (sub 0:16 (mul (sext 16 (sub {b} {a})) 3:16)))"
        ),
        "1:1",
    );
    // Differences that may overflow are not those of the extended numbers.
    let p = &mut Pool::new();
    let e = p
        .parse("(eq (sext 16 (sub x:8 y:8)) (sub 0:16 (sext 16 (sub y:8 x:8))))")
        .expect("a term");
    assert_eq!(p.as_const(e), None);
}

#[test]
fn divided_limbs() {
    let limb = "(concat (extract 0 4 (urem h:16 0xa:16)) l:16)";
    gives(
        &format!("(urem {limb} 0xa:20)"),
        "(extract 0 20 (urem (concat h:16 l:16) 0xa:32))",
    );
    gives(
        &format!("(udiv {limb} 0xa:20)"),
        "(zext 20 (extract 0 16 (udiv (concat h:16 l:16) 0xa:32)))",
    );
    gives(
        &format!("(concat (udiv h:16 0xa:16) (extract 0 16 (udiv {limb} 0xa:20)))"),
        "(udiv (concat h:16 l:16) 0xa:32)",
    );
    // Parts of a quotient, without the top.
    gives(
        "(concat (extract 0 8 (udiv (extract 8 24 x:32) 0xa:24)) (extract 0 8 (udiv x:32 0xa:32)))",
        "(extract 0 16 (udiv x:32 0xa:32))",
    );
    gives(
        "(and (eq (extract 0 16 (udiv x:32 0xa:32)) 0:16) (eq (udiv (extract 16 16 x:32) 0xa:16) 0:16))",
        "(ult x:32 0xa:32)",
    );
    // A remainder that lost bits, of another divisor, of a number too wide.
    stays("(urem (concat (extract 0 3 (urem h:16 0xa:16)) l:16) 0xa:19)");
    stays("(urem (concat (extract 0 4 (urem h:16 0xb:16)) l:16) 0xa:20)");
    stays("(urem (concat (extract 0 4 (urem h:100 0xa:100)) l:64) 0xa:68)");
    stays("(concat (udiv h:16 0xb:16) (extract 0 16 (udiv (concat h:16 l:16) 0xa:32)))");
    stays(
        "(concat (extract 0 8 (udiv (extract 7 25 x:32) 0xa:25)) (extract 0 8 (udiv x:32 0xa:32)))",
    );
}

#[test]
fn multiplied_limbs() {
    let high =
        "(add (mul (zext 32 h:16) 7:32) (zext 32 (extract 16 16 (mul (zext 32 l:16) 7:32))))";
    gives(
        &format!("(concat (extract 0 16 {high}) (mul l:16 7:16))"),
        "(mul (concat h:16 l:16) 7:32)",
    );
    gives(
        high,
        "(extract 16 32 (mul (zext 48 (concat h:16 l:16)) 7:48))",
    );
    gives(
        "(mul (zext 32 (mul (zext 16 x:8) 7:16)) 3:32)",
        "(mul (zext 32 x:8) 0x15:32)",
    );
    gives(
        "(extract 8 16 (mul (zext 64 x:16) 7:64))",
        "(extract 8 16 (mul (zext 24 x:16) 7:24))",
    );
    // The carry of another product, one that loses bits, and a low limb wider than the cut.
    stays("(add (mul (zext 32 h:16) 7:32) (zext 32 (extract 16 16 (mul (zext 32 l:16) 9:32))))");
    stays("(add (mul (zext 32 h:16) 7:32) (zext 32 (extract 16 8 (mul l:24 7:24))))");
    stays("(add (mul (zext 32 h:16) 7:32) (zext 32 (extract 12 20 (mul (zext 32 l:16) 7:32))))");
    stays("(mul (zext 32 (mul x:16 7:16)) 3:32)");
}

#[test]
fn overflow() {
    gives("(umulo (zext 64 x:32) (zext 64 y:32))", "0:1");
    gives("(umulo x:8 3:8)", "(ult 0x55:8 x:8)");
    gives("(smulo (sext 64 x:32) (sext 64 y:32))", "0:1");
    gives("(smulo x:8 2:8)", "(extract 7 1 (add x:8 0x40:8))");
    gives("(ult (add x:8 5:8) x:8)", "(ult 0xfa:8 x:8)");
    gives(
        "(ult (add (zext 16 x:8) (zext 16 y:8)) (zext 16 x:8))",
        "0:1",
    );
    gives("(slt (add x:8 5:8) x:8)", "(slt 0x7a:8 x:8)");
    stays("(ult (add x:8 y:8) x:8)");
    stays("(umulo x:8 y:8)");
    stays("(umulo (zext 64 x:32) (zext 64 y:33))");
}

#[test]
fn bitwise() {
    gives("(and x:8 x:8)", "x:8");
    gives("(and x:8 (not x:8))", "0:8");
    gives("(or x:8 (not x:8))", "0xff:8");
    gives("(xor x:8 x:8)", "0:8");
    gives("(xor x:8 0xff:8)", "(not x:8)");
    gives("(xor (xor x:8 y:8) x:8)", "y:8");
    gives("(and x:8 (or x:8 y:8))", "x:8");
    gives("(or x:8 (and x:8 y:8))", "x:8");
    gives("(and x:8 (or (not x:8) y:8))", "(and x:8 y:8)");
    gives("(and x:32 0xff:32)", "(zext 32 (extract 0 8 x:32))");
    gives(
        "(and x:32 0xff00:32)",
        "(zext 32 (concat (extract 8 8 x:32) 0:8))",
    );
    gives(
        "(and (zext 32 x:8) y:32)",
        "(zext 32 (and x:8 (extract 0 8 y:32)))",
    );
    gives("(and (and x:8 0x55:8) 0x33:8)", "(and x:8 0x11:8)");
    gives("(or (concat x:8 0:8) 0x41:16)", "(concat x:8 0x41:8)");
    gives("(and (add @1^4 0x15:64) 0xf:64)", "5:64");
    gives(
        "(and (add @1^4 0x15:64) 0xfffffffffffffff0:64)",
        "(add @1^4 0x10:64)",
    );
    gives("(or @1^4 3:64)", "(add @1^4 3:64)");
    gives("(not (ult x:8 y:8))", "(ule y:8 x:8)");
    gives("(not (sle x:8 y:8))", "(slt y:8 x:8)");
    gives("(not (or a:1 b:1))", "(and (not a:1) (not b:1))");
    gives("(or (not a:1) (not b:1))", "(not (and a:1 b:1))");
    stays("(or x:8 0x10:8)");
    stays("(and x:8 0x55:8)");
    stays("(not (eq x:8 y:8))");
    stays("(xor x:8 y:8)");
}

#[test]
fn shifts() {
    gives("(shl x:8 3:8)", "(concat (extract 0 5 x:8) 0:3)");
    gives("(lshr x:8 3:8)", "(zext 8 (extract 3 5 x:8))");
    gives("(ashr x:8 3:8)", "(sext 8 (extract 3 5 x:8))");
    gives("(shl x:8 8:8)", "0:8");
    gives("(ashr x:8 0xff:8)", "(sext 8 (extract 7 1 x:8))");
    gives("(lshr (shl x:8 3:8) 3:8)", "(zext 8 (extract 0 5 x:8))");
    gives(
        "(or (shl x:32 8:32) (lshr x:32 24:32))",
        "(concat (extract 0 24 x:32) (extract 24 8 x:32))",
    );
    gives("(ashr (zext 32 x:8) y:32)", "(lshr (zext 32 x:8) y:32)");
    stays("(shl x:8 y:8)");
}

#[test]
fn slices() {
    gives("(extract 2 4 (extract 3 8 x:32))", "(extract 5 4 x:32)");
    gives(
        "(extract 4 8 (concat x:8 y:8))",
        "(concat (extract 0 4 x:8) (extract 4 4 y:8))",
    );
    gives("(extract 8 8 (zext 32 x:8))", "0:8");
    gives("(extract 4 8 (sext 32 x:8))", "(sext 8 (extract 4 4 x:8))");
    gives(
        "(extract 0 8 (add (zext 32 x:8) (zext 32 y:8)))",
        "(add x:8 y:8)",
    );
    gives(
        "(extract 0 8 (ite c:1 0x1234:32 0x5678:32))",
        "(ite c:1 0x34:8 0x78:8)",
    );
    gives(
        "(extract 7 1 (and x:8 y:8))",
        "(and (extract 7 1 x:8) (extract 7 1 y:8))",
    );
    gives(
        "(concat (extract 8 8 x:32) (extract 0 8 x:32))",
        "(extract 0 16 x:32)",
    );
    gives("(concat 0:8 x:8)", "(zext 16 x:8)");
    gives(
        "(concat (concat x:8 y:8) z:8)",
        "(concat x:8 (concat y:8 z:8))",
    );
    gives("(concat (extract 7 1 x:8) x:8)", "(sext 9 x:8)");
    gives("(zext 32 (zext 16 x:8))", "(zext 32 x:8)");
    gives("(sext 32 (zext 16 x:8))", "(zext 32 x:8)");
    stays("(extract 0 8 (add x:32 y:32))");
    stays("(extract 8 8 (add x:32 1:32))");
    stays("(concat (extract 0 8 x:32) (extract 8 8 x:32))");
    stays("(sext 16 x:8)");
}

#[test]
fn a_word_taken_apart_is_that_word_again() {
    for word in [
        "x:64",
        "(add x:64 y:64)",
        "(add @1^4 x:64)",
        "(mul x:64 7:64)",
        "(xor x:64 0xff00ff:64)",
        "(not x:64)",
    ] {
        let p = &mut Pool::new();
        let x = p.parse(word).unwrap();
        let bytes: Vec<Expr> = (0..8).map(|i| p.extract(x, i * 8, 8)).collect();
        // Upwards, downwards, and with shifts as `from_le_bytes` is written.
        let up = bytes[1..].iter().fold(bytes[0], |lo, b| p.concat(*b, lo));
        let down = bytes[..7]
            .iter()
            .rev()
            .fold(bytes[7], |hi, b| p.concat(hi, *b));
        let mut shifted = p.constant(64, 0);
        for (i, b) in bytes.iter().enumerate() {
            let (b, by) = (p.zext(*b, 64), p.constant(64, 8 * i as u128));
            let b = p.bin(BinOp::Shl, b, by);
            shifted = p.or(shifted, b);
        }
        let text = p.display(x).to_string();
        for (how, got) in [("up", up), ("down", down), ("shifted", shifted)] {
            assert_eq!(p.display(got).to_string(), text, "{how}");
        }
        // Swapping the bytes twice.
        let swap = |p: &mut Pool, x: Expr| {
            let bytes: Vec<Expr> = (0..8).map(|i| p.extract(x, i * 8, 8)).collect();
            bytes[1..].iter().fold(bytes[0], |hi, b| p.concat(hi, *b))
        };
        let once = swap(p, x);
        assert_eq!(swap(p, once), x, "{word}");
    }
}

#[test]
fn equalities() {
    gives("(eq (add x:8 3:8) 5:8)", "(eq x:8 2:8)");
    gives("(eq (zext 32 x:8) 0x41:32)", "(eq x:8 0x41:8)");
    gives("(eq (zext 32 x:8) 0x141:32)", "0:1");
    gives("(eq (sext 32 x:8) 0xffffff80:32)", "(eq x:8 0x80:8)");
    gives("(eq (sext 32 x:8) 0x80:32)", "0:1");
    gives(
        "(eq (zext 32 x:8) (zext 32 y:16))",
        "(eq y:16 (zext 16 x:8))",
    );
    gives("(eq (concat x:8 7:8) 0x4107:16)", "(eq x:8 0x41:8)");
    gives("(eq (concat x:8 7:8) 0x4108:16)", "0:1");
    gives("(eq (ite c:1 5:8 6:8) 5:8)", "c:1");
    gives("(eq (ite c:1 5:8 6:8) 6:8)", "(not c:1)");
    gives("(eq (ite c:1 5:8 6:8) 7:8)", "0:1");
    gives("(eq (ite c:1 5:8 x:8) 7:8)", "(and (eq x:8 7:8) (not c:1))");
    gives("(eq (mul x:8 5:8) 0xf:8)", "(eq x:8 3:8)");
    gives("(eq (xor x:8 y:8) 0:8)", "(eq x:8 y:8)");
    gives("(eq (add x:8 y:8) (add x:8 z:8))", "(eq y:8 z:8)");
    gives("(eq (add @1^4 8:64) (add @1^4 16:64))", "0:1");
    gives("(eq a:1 1:1)", "a:1");
    gives("(eq a:1 0:1)", "(not a:1)");
    gives("(eq x:8 x:8)", "1:1");
    stays("(eq (add @1^4 8:64) (add @2^4 8:64))");
    stays("(eq (concat x:8 y:8) 0x4142:16)");
    stays("(eq (mul x:8 6:8) 0xc:8)");
    stays("(eq x:8 y:8)");
}

#[test]
fn orders() {
    gives("(ult x:8 1:8)", "(eq x:8 0:8)");
    gives("(ult x:8 0:8)", "0:1");
    gives("(ule x:8 0xff:8)", "1:1");
    gives("(ule x:8 9:8)", "(ult x:8 0xa:8)");
    gives("(ule 1:8 x:8)", "(not (eq x:8 0:8))");
    gives("(ult x:8 0x80:8)", "(not (extract 7 1 x:8))");
    gives("(slt x:8 0:8)", "(extract 7 1 x:8)");
    gives("(sle 0:8 x:8)", "(not (extract 7 1 x:8))");
    gives("(slt (zext 32 x:8) (zext 32 y:8))", "(ult x:8 y:8)");
    gives("(slt (sext 32 x:8) (sext 32 y:8))", "(slt x:8 y:8)");
    gives("(ult (zext 32 x:8) 0x100:32)", "1:1");
    gives("(ult (zext 32 x:8) 0x20:32)", "(ult x:8 0x20:8)");
    gives("(ult (shl (zext 64 i:8) 3:64) 80:64)", "(ult i:8 0xa:8)");
    gives("(ult (urem x:8 y:8) 0:8)", "0:1");
    gives("(ult (urem x:8 0xa:8) 0xa:8)", "1:1");
    gives("(ult (add @1^4 8:64) (add @1^4 16:64))", "1:1");
    gives("(ult (ite c:1 3:8 x:8) 4:8)", "(or c:1 (ult x:8 4:8))");
    gives(
        "(ule (ite c:1 3:8 x:8) (ite c:1 7:8 y:8))",
        "(or c:1 (ule x:8 y:8))",
    );
    stays("(ult (ite c:1 z:8 x:8) (ite c:1 w:8 y:8))");
    gives("(slt (ite c:1 3:8 9:8) (ite c:1 9:8 7:8))", "c:1");
    stays("(ult x:8 y:8)");
    stays("(slt x:8 3:8)");
    stays("(ult (add @1^4 8:64) (add @2^4 0x10:64))");
    stays("(ult (urem x:8 y:8) y:8)");
}

#[test]
fn formulas() {
    gives("(and (ult x:8 5:8) (ult x:8 9:8))", "(ult x:8 5:8)");
    gives("(and (eq x:8 5:8) (eq x:8 9:8))", "0:1");
    gives("(and (eq x:8 5:8) (ult x:8 9:8))", "(eq x:8 5:8)");
    gives("(or (ult x:8 5:8) (ult 3:8 x:8))", "1:1");
    gives("(or (not (eq x:8 5:8)) (not (eq x:8 6:8)))", "1:1");
    gives("(and (ult x:8 6:8) (ult 4:8 x:8))", "(eq x:8 5:8)");
    gives("(and (ult x:8 y:8) (ule y:8 x:8))", "0:1");
    gives("(and (ult x:8 y:8) (ule x:8 y:8))", "(ult x:8 y:8)");
    gives("(and (ule x:8 y:8) (ule y:8 x:8))", "(eq x:8 y:8)");
    gives("(and (sle x:8 y:8) (not (eq y:8 x:8)))", "(slt x:8 y:8)");
    gives("(and (eq x:8 y:8) (ult y:8 x:8))", "0:1");
    gives("(or (ult y:8 x:8) (ule y:8 x:8))", "(ule y:8 x:8)");
    gives("(or (slt x:8 y:8) (slt y:8 x:8))", "(not (eq x:8 y:8))");
    gives("(or (ult x:8 y:8) (eq x:8 y:8))", "(ule x:8 y:8)");
    gives("(or (ule x:8 y:8) (ule y:8 x:8))", "1:1");
    gives("(add a:1 b:1)", "(xor a:1 b:1)");
    stays("(and (ult x:8 y:8) (slt x:8 y:8))");
    stays("(and (ult x:8 y:8) (ult x:8 z:8))");
    stays("(and (ult x:8 9:8) (ult 5:8 x:8))");
    stays("(and (ult x:8 9:8) (ult y:8 5:8))");
}

#[test]
fn choices() {
    gives("(ite c:1 1:1 0:1)", "c:1");
    gives("(ite (not c:1) x:8 y:8)", "(ite c:1 y:8 x:8)");
    gives("(ite c:1 (ite c:1 x:8 y:8) z:8)", "(ite c:1 x:8 z:8)");
    gives("(ite c:1 1:8 0:8)", "(zext 8 c:1)");
    gives("(ite c:1 0xff:8 0:8)", "(sext 8 c:1)");
    gives(
        "(ite c:1 x:8 (ite d:1 x:8 y:8))",
        "(ite (or c:1 d:1) x:8 y:8)",
    );
    gives("(ite (eq x:8 y:8) x:8 y:8)", "y:8");
    gives(
        "(ite c:1 (zext 32 x:8) 5:32)",
        "(zext 32 (ite c:1 x:8 5:8))",
    );
    gives("(ite c:1 x:8 x:8)", "x:8");
    gives("(ult (ite (ult x:8 0x10:8) x:8 0xf:8) 0x10:8)", "1:1");
    stays("(ite c:1 x:8 y:8)");
    stays("(ite c:1 (zext 32 x:8) 0x500:32)");
}

#[test]
fn counts() {
    gives("(popcount (zext 32 x:8))", "(zext 32 (popcount x:8))");
    gives("(clz (zext 32 x:8))", "(add (zext 32 (clz x:8)) 0x18:32)");
    gives("(eq (popcount x:8) 0:8)", "(eq x:8 0:8)");
    gives("(eq (clz x:8) 8:8)", "(eq x:8 0:8)");
    gives("(eq (clz x:8) 2:8)", "(eq (extract 5 3 x:8) 1:3)");
    gives("(eq (ctz x:8) 2:8)", "(eq (extract 0 3 x:8) 4:3)");
    gives("(eq (ctz x:8) 0:8)", "(extract 0 1 x:8)");
    gives("(ult (popcount x:32) 0x21:32)", "1:1");
    gives("(ctz (concat x:8 8:8))", "3:16");
    stays("(ctz (zext 32 x:8))");
    stays("(popcount x:8)");
}

#[test]
fn arrays() {
    gives("(select (table 1:8 2:8 3:8) 1:64)", "2:8");
    gives("(select (table 7:8 7:8) i:64)", "7:8");
    gives(
        "(select (table 1:8 7:8 7:8 1:8) (add (zext 64 c:1) 1:64))",
        "7:8",
    );
    // A field of one record after the other.
    let records = "(table 0:8 7:8 1:8 2:8 7:8 3:8 4:8 7:8 5:8)";
    for (offset, read) in [
        ("1:64", Some("7:8")),
        ("0xfffffffffffffffe:64", Some("7:8")),
        ("2:64", None),
    ] {
        let read_at = format!("(select {records} (add (mul (zext 64 e:2) 3:64) {offset}))");
        match read {
            Some(element) => gives(&read_at, element),
            None => stays(&read_at),
        }
    }
    gives("(select (store (table 1:8 2:8) i:64 x:8) i:64)", "x:8");
    gives(
        "(select (store (table 1:8 2:8) (add i:64 1:64) x:8) i:64)",
        "(select (table 1:8 2:8) i:64)",
    );
    gives(
        "(select (store (table 1:8 2:8) (shl i:64 1:64) x:8) 1:64)",
        "2:8",
    );
    gives(
        "(select (store (store (table 1:8 2:8) i:64 x:8) i:64 y:8) i:64)",
        "y:8",
    );
    stays("(select (store (table 1:8 2:8) i:64 x:8) j:64)");
    gives("(eq @1^4 @2^4)", "0:1");
    stays("(eq (add @1^4 i:64) @2^4)");
    gives(
        "(eq (select (table @1^4 0:64 @2^4) i:64) 0:64)",
        "(select (table 0:1 1:1 0:1) i:64)",
    );
    gives(
        "(eq @2^4 (select (table @1^4 0:64 @2^4) i:64))",
        "(select (table 0:1 0:1 1:1) i:64)",
    );
    gives("(eq (select (table @1^4 @2^4) i:64) 0:64)", "0:1");
    stays("(eq (select (table @1^4 (add @2^4 i:64)) j:64) 0:64)");
    stays("(eq (select (table 0:64 9:64) i:64) 9:64)");
    gives(
        "(select (store (table 1:8 2:8) i:64 x:8) 1:64)",
        "(ite (eq i:64 1:64) x:8 2:8)",
    );
    gives(
        "(select (store (table 1:8 2:8) i:64 (ite g:1 x:8 (select (table 1:8 2:8) i:64))) 0:64)",
        "(ite (and g:1 (eq i:64 0:64)) x:8 1:8)",
    );
    gives(
        "(select (store (table 7:8 7:8) (zext 64 c:1) (ite g:1 7:8 x:8)) 0:64)",
        "(ite (and (not c:1) (not g:1)) x:8 7:8)",
    );
    gives(
        "(select (store (table 1:8 2:8) i:64 (ite g:1 x:8 (select (table 1:8 2:8) j:64))) 0:64)",
        "(ite (eq i:64 0:64) (ite g:1 x:8 (select (table 1:8 2:8) j:64)) 1:8)",
    );
    stays("(select (table 1:8 2:8) i:64)");
}

#[test]
fn floats() {
    gives("(fisnan (from_signed 64 x:32))", "0:1");
    gives("(fisnan (xor x:32 0x80000000:32))", "(fisnan x:32)");
    gives("(fisnan (and x:32 0x7fffffff:32))", "(fisnan x:32)");
    gives("(feq x:32 x:32)", "(not (fisnan x:32))");
    gives("(flt x:32 x:32)", "0:1");
    gives("(flt x:32 0x7fc00000:32)", "0:1");
    gives("(to_signed 32 (from_signed 64 x:32))", "x:32");
    gives("(from_signed 64 (zext 32 x:8))", "(from_unsigned 64 x:8)");
    gives(
        "(to_signed 8 (from_unsigned 64 (and x:64 0x7f:64)))",
        "(zext 8 (extract 0 7 x:64))",
    );
    gives(
        "(and (from_unsigned 64 x:64) 0x7fffffffffffffff:64)",
        "(from_unsigned 64 x:64)",
    );
    // Not bit for bit the same: signed zeros, NaN payloads, rounding.
    stays("(fadd x:32 0:32)");
    stays("(fmul x:32 0x3f800000:32)");
    stays("(fsub x:32 x:32)");
    stays("(to_float 32 (to_float 64 x:32))");
    stays("(to_signed 32 (from_signed 32 x:32))");
}

#[test]
fn ranges_of_floats() {
    // 0.5, 1.0 and infinity.
    let (half, one, most) = ("0x3f000000:32", "0x3f800000:32", "0x7f800000:32");
    let size = |of: &str| format!("(zext 32 (extract 0 31 {of}))");
    let finite = "(ult (extract 0 31 x:32) 0x7f800000:31)";
    gives(&format!("(flt {} {most})", size("x:32")), finite);
    gives(
        &format!("(fle {} {half})", size("x:32")),
        "(ult (extract 0 31 x:32) 0x3f000001:31)",
    );
    gives(
        &format!("(feq {} {half})", size("x:32")),
        "(eq (extract 0 31 x:32) 0x3f000000:31)",
    );
    // A NaN is not greater either.
    stays("(flt 0x3f000000:32 (zext 32 (extract 0 31 x:32)))");
    // Of an operation, the float is better known than the bits.
    stays("(flt (from_unsigned 32 x:32) (from_unsigned 32 y:32))");
    let fraction = "(fsub x:32 (fround.even x:32))";
    gives(&format!("(fle {} {half})", size(fraction)), finite);
    gives(&format!("(flt {one} {fraction})"), "0:1");
    gives("(fle (fsub x:32 (fround.down x:32)) 0x3f800000:32)", finite);
    stays("(flt (fsub x:32 (fround.down x:32)) 0x3f800000:32)");
    gives("(flt (fsub x:32 (fround.zero x:32)) 0x3f800000:32)", finite);
    stays("(fle 0x3f000000:32 (fsub x:32 (fround.zero x:32)))");
    gives("(fle (fround.down x:32) x:32)", "(not (fisnan x:32))");
    gives("(flt (fround.up x:32) x:32)", "0:1");
    stays("(flt (fround.down x:32) x:32)");
    stays("(fle (fround.zero x:32) x:32)");
    gives(&format!("(feq x:32 {})", size("x:32")), "(fle 0:32 x:32)");
    gives(
        &format!("(feq (xor x:32 0x80000000:32) {})", size("x:32")),
        "(fle x:32 0:32)",
    );
    gives(&format!("(flt x:32 {})", size("x:32")), "(flt x:32 0:32)");
    gives(
        &format!("(fle x:32 {})", size("x:32")),
        "(not (fisnan x:32))",
    );
    gives("(fisnan (concat s:1 (extract 0 31 x:32)))", "(fisnan x:32)");
}

#[test]
fn what_an_integer_leaves_of_a_float() {
    let back = |signed: &str, w: u32| {
        format!("(feq (from_{signed} 32 (to_{signed} {w} x:32)) (fround.zero x:32))")
    };
    // From above -1 to below 256, and to 2^32, which the greatest integer is rounded to.
    gives(
        &back("unsigned", 8),
        "(and (flt 0xbf800000:32 x:32) (flt x:32 0x43800000:32))",
    );
    gives(
        &back("unsigned", 32),
        "(and (flt 0xbf800000:32 x:32) (fle x:32 0x4f800000:32))",
    );
    // From above -129; and from -2^31, below which comes no number that is rounded to it.
    gives(
        &back("signed", 8),
        "(and (flt 0xc3010000:32 x:32) (flt x:32 0x43000000:32))",
    );
    gives(
        &back("signed", 32),
        "(and (fle 0xcf000000:32 x:32) (fle x:32 0x4f000000:32))",
    );
    // 2^128 is infinite.
    gives(
        &back("unsigned", 128),
        "(and (flt 0xbf800000:32 x:32) (not (fisnan x:32)))",
    );
    stays("(feq (from_unsigned 32 (to_unsigned 8 x:32)) (fround.down x:32))");
    stays("(feq (from_unsigned 32 (to_unsigned 8 x:32)) (fround.zero y:32))");
}

#[test]
fn floats_that_are_whole_numbers() {
    // 9.0, 9.5 and -0.0.
    let (nine, more, zero) = (
        "0x4022000000000000",
        "0x4023000000000000",
        "0x8000000000000000",
    );
    gives(
        "(flt (from_unsigned 64 x:8) (from_unsigned 64 y:8))",
        "(ult x:8 y:8)",
    );
    gives(
        "(fle (from_signed 32 x:8) (from_signed 32 y:8))",
        "(sle x:8 y:8)",
    );
    gives(
        &format!("(flt (from_unsigned 64 x:8) {nine}:64)"),
        "(ult x:8 9:8)",
    );
    gives(
        &format!("(flt (from_unsigned 64 x:8) {more}:64)"),
        "(ult x:8 0xa:8)",
    );
    gives(
        &format!("(fle (from_unsigned 64 x:8) {more}:64)"),
        "(ult x:8 0xa:8)",
    );
    gives(
        &format!("(flt {more}:64 (from_unsigned 64 x:8))"),
        "(ult 9:8 x:8)",
    );
    gives(&format!("(feq (from_unsigned 64 x:8) {more}:64)"), "0:1");
    gives(
        &format!("(feq (from_unsigned 64 x:8) {zero}:64)"),
        "(eq x:8 0:8)",
    );
    gives(
        &format!("(eq (from_unsigned 64 x:8) {nine}:64)"),
        "(eq x:8 9:8)",
    );
    gives(&format!("(eq (from_signed 64 x:8) {zero}:64)"), "0:1");
    // Infinity is beyond all of them.
    gives("(feq (from_unsigned 64 x:32) 0x7ff0000000000000:64)", "0:1");
    gives("(fle (from_signed 64 x:8) 0x7ff0000000000000:64)", "1:1");
    gives(
        "(fadd (from_unsigned 64 x:8) (from_unsigned 64 y:8))",
        "(from_unsigned 64 (add (zext 10 x:8) (zext 10 y:8)))",
    );
    gives(
        "(fmul (from_unsigned 32 x:8) 0x40400000:32)",
        "(from_unsigned 32 (mul (zext 12 x:8) 3:12))",
    );
    // A number that is rounded, a zero that may be negative, a sum that may be rounded.
    stays("(flt (from_unsigned 32 x:25) (from_unsigned 32 y:25))");
    stays("(fmul (from_signed 64 x:8) (from_signed 64 y:8))");
    stays("(fadd (from_unsigned 32 x:23) (from_unsigned 32 y:23))");
    stays(&format!("(fadd (from_unsigned 64 x:8) {zero}:64)"));
}

#[test]
fn the_high_half_of_a_product_is_below_a_factor() {
    let product = "(mul (zext 64 x:32) (zext 64 y:32))";
    let some = "(not (eq y:32 0:32))";
    gives(&format!("(ult (extract 32 32 {product}) y:32)"), some);
    let narrow = "(mul (zext 64 x:32) (zext 64 y:8))";
    let some = "(not (eq y:8 0:8))";
    gives(&format!("(ult (extract 32 8 {narrow}) y:8)"), some);
    // Another factor, more bits of it, a product that wraps around.
    stays(&format!("(ult (extract 32 32 {product}) z:32)"));
    stays(&format!("(ult (extract 31 32 {product}) y:32)"));
    stays("(ult (extract 16 16 (mul x:32 (zext 32 y:16))) y:16)");
}

#[test]
fn marks_and_alignment_leave_an_address_one() {
    let (aligned, shifted) = ("0xfffffffffffffff8:64", "(concat (extract 0 61 i:64) 0:3)");
    gives(
        &format!("(and (add @1^4 i:64) {aligned})"),
        "(add @1^4 (concat (extract 3 61 i:64) 0:3))",
    );
    gives(
        &format!("(or (add @1^4 {shifted}) (zext 64 c:1))"),
        &format!("(add (add @1^4 {shifted}) (zext 64 c:1))"),
    );
    // An address of bytes has low bits of its own.
    stays(&format!("(and (add @1^0 i:64) {aligned})"));
    stays("(or (add @1^4 i:64) (zext 64 c:1))");
}
