//! Tests of laws of products and divisions of unknown integers, which bit-vectors do not show.

use crate::support::Crate;

const SOURCE: &str = r#"
#[cfg(test)]
mod t {
    #[symex::harness]
    fn quotient_and_remainder(a: u128, b: u128) {
        if b != 0 {
            assert!(a / b * b + a % b == a && a % b < b);
        }
    }
    #[symex::harness]
    fn truncated(a: i64, b: i64) {
        symex::assume(b != 0 && b != -1);
        assert!(a / b * b + a % b == a);
        assert!((a / b).unsigned_abs() <= a.unsigned_abs());
    }
    #[symex::harness]
    fn floored(a: i64, b: i32) {
        symex::assume(b != 0 && a > i64::MIN / 2 && a < i64::MAX / 2);
        let b = i64::from(b);
        assert!(a.div_euclid(b) * b + a.rem_euclid(b) == a);
    }
    #[symex::harness]
    fn product_divided(a: u32, b: u32) {
        symex::assume(b != 0);
        let product = u64::from(a) * u64::from(b);
        assert!(product / u64::from(b) == u64::from(a) && product % u64::from(b) == 0);
    }
    #[symex::harness]
    fn overflow(a: u64, b: u64) {
        match a.checked_mul(b) {
            Some(product) => assert!(b == 0 || product / b == a),
            None => assert!(a > u64::MAX / b),
        }
    }
    #[symex::harness]
    fn next_multiple(x: u32, y: u32) {
        symex::assume(y != 0);
        if let Some(next) = x.checked_next_multiple_of(y) {
            assert!(next >= x && next % y == 0 && next - x < y);
        }
    }
    #[symex::harness]
    fn random_below(word: u64, n: u64) {
        symex::assume(n != 0);
        assert!(((u128::from(word) * u128::from(n)) >> 64) < u128::from(n));
    }
    #[symex::harness]
    fn index(width: u32, height: u32, x: u32, y: u32) {
        symex::assume(x < width && y < height);
        let [width, height, x, y] = [width, height, x, y].map(u64::from);
        assert!(y * width + x < width * height);
    }
    #[symex::harness]
    fn rescaled(value: u64, from: u32, to: u32) {
        symex::assume(from != 0 && value <= u64::from(from));
        assert!(value * u64::from(to) / u64::from(from) <= u64::from(to));
    }
    #[symex::harness]
    fn parts(a: u32, b: u32, n: u32) {
        symex::assume(n != 0);
        let [a, b, n] = [a, b, n].map(u64::from);
        assert!((a + b) / n >= a / n + b / n);
    }
    /// False: the remainders may make one more.
    #[symex::harness]
    fn no_parts(a: u32, b: u32, n: u32) {
        symex::assume(n != 0);
        let [a, b, n] = [a, b, n].map(u64::from);
        assert!((a + b) / n == a / n + b / n);
    }
    /// False for what is negative.
    #[symex::harness]
    fn remainder(a: i32, b: i32) {
        symex::assume(b > 0);
        assert!(a % b >= 0);
    }
}
"#;

#[test]
fn laws_of_products_and_divisions_are_complete() {
    let tree = Crate::library("products", SOURCE);
    let args = ["--merge=off", "--no-cache", "--message-format", "json"];
    let run = tree.symex(&args).code(1);
    let finished = run.finished();
    assert_eq!(finished.len(), 12);
    for (name, report) in &finished {
        let expected = match name.as_str() {
            "t::no_parts" | "t::remainder" => "bug",
            _ => "pass (complete)",
        };
        assert_eq!(report["verdict_text"], expected, "{name}");
    }
}
