//! Tests of searches in words, and of masks that comparisons give.

use super::tests::{gives, stays};

#[test]
fn masks_of_conditions() {
    gives(
        "(or (concat (eq x:8 1:8) (eq y:8 1:8)) (concat (eq x:8 2:8) (eq y:8 2:8)))",
        "(concat (or (eq x:8 1:8) (eq x:8 2:8)) (or (eq y:8 1:8) (eq y:8 2:8)))",
    );
    let mask = "(zext 32 (concat a:1 (concat b:1 c:1)))";
    gives(
        &format!("(and {mask} (add {mask} 0xffffffff:32))"),
        "(zext 32 (concat (and a:1 (or b:1 c:1)) (concat (and b:1 c:1) 0:1)))",
    );
    let compared = "(concat (eq x:8 1:8) (concat (eq y:8 1:8) (eq z:8 1:8)))";
    gives(
        &format!("(eq (ctz (zext 32 {compared})) 1:32)"),
        "(and (eq y:8 1:8) (not (eq z:8 1:8)))",
    );
    stays("(eq (concat b:1 c:1) 2:2)");
    stays("(or (concat a:1 b:1) (concat c:1 d:1))");
    stays("(or (concat x:2 y:2) (concat z:2 u:2))");
}

#[test]
fn searches_of_bytes() {
    // `memchr(0)` and what is less than 0x20.
    let zero = "(and (and (add x:16 0xfeff:16) (not x:16)) 0x8080:16)";
    let less = "(and (and (not x:16) (add x:16 0xdfe0:16)) 0x8080:16)";
    gives(
        &format!("(eq {zero} 0:16)"),
        "(and (not (eq (extract 0 8 x:16) 0:8)) (not (eq (extract 8 8 x:16) 0:8)))",
    );
    gives(
        &format!("(ctz {less})"),
        "(ite (ult (extract 0 8 x:16) 0x20:8) 7:16 \
         (ite (ult (extract 8 8 x:16) 0x20:8) 0xf:16 0x10:16))",
    );
    gives(
        "(eq (and (or (and (add y:16 0xfeff:16) (not y:16)) x:16) 0x8080:16) 0:16)",
        "(and (and (and (not (extract 7 1 x:16)) (not (eq (extract 0 8 y:16) 0:8))) \
         (not (extract 15 1 x:16))) (not (eq (extract 8 8 y:16) 0:8)))",
    );
    // From 0x80 on, a byte less than it has no top bit to show for it, and where some bytes are
    // left out, the first of the others may be wrong.
    stays("(eq (and (and (add x:16 0x7e7f:16) (not x:16)) 0x8080:16) 0:16)");
    stays("(ctz (and (and (add x:24 0xfefeff:24) (not x:24)) 0x808000:24))");
}
