//! What a term is a combination of: conjuncts of a condition, base and offset of a pointer.

use super::build::mask;
use super::node::*;
use super::op::BinOp;
use super::pool::Pool;
use super::simplify::Sum;

impl Pool {
    /// Splits a condition into conjuncts, as small as they get: `a & b`, `h ++ l == c` and `a | b == 0` are two each.
    /// Small conjuncts share fewer variables, which is what independence and query caches live on.
    pub fn conjuncts(&mut self, condition: Expr) -> Vec<Expr> {
        debug_assert_eq!(self.width(condition), 1);
        let mut found = Vec::new();
        let mut stack = vec![condition];
        while let Some(e) = stack.pop() {
            match self.kind(e) {
                Kind::Bin(BinOp::And, a, b) => stack.extend([b, a]),
                Kind::Bin(BinOp::Eq, a, b) => match (self.kind(a), self.as_const(b)) {
                    (Kind::Concat { hi, lo }, Some(c)) => {
                        let wl = self.width(lo);
                        let (ch, cl) =
                            (self.constant(self.width(hi), c >> wl), self.constant(wl, c));
                        let high = self.eq(hi, ch);
                        let low = self.eq(lo, cl);
                        stack.extend([low, high]);
                    }
                    (Kind::Bin(BinOp::Or, x, y), Some(0)) => {
                        let x = self.eq(x, b);
                        let y = self.eq(y, b);
                        stack.extend([y, x]);
                    }
                    _ => found.push(e),
                },
                Kind::Const(1) => {}
                _ => found.push(e),
            }
        }
        found
    }

    /// A pointer as the base of the only object in it plus an offset that depends on no address.
    pub fn base_and_offset(&mut self, e: Expr) -> Option<(ObjectId, Expr)> {
        if !self.has_base(e) || self.width(e) != 64 {
            return None;
        }
        let mut sum = Sum::of(self, e)?;
        let mut base = None;
        for (term, factor) in &sum.terms {
            match self.kind(*term) {
                _ if *factor == 0 || !self.has_base(*term) => {}
                Kind::Base { object, .. } if *factor == 1 && base.is_none() => {
                    base = Some((object, *term))
                }
                _ => return None,
            }
        }
        let (object, base) = base?;
        sum.add(self, base, mask(64))
            .then(|| (object, sum.build(self)))
    }
}

#[cfg(test)]
mod tests {
    use crate::*;

    #[test]
    fn conditions_fall_into_small_parts() {
        let p = &mut Pool::new();
        let e = p
            .parse(
                "(and (eq (concat a:8 b:8) 0x4142:16) (and (ult c:8 9:8) (eq (or d:8 e:8) 0:8)))",
            )
            .unwrap();
        let parts: Vec<String> = p
            .conjuncts(e)
            .iter()
            .map(|e| p.display(*e).to_string().replace(".0.0", ""))
            .collect();
        let mut parts = parts;
        parts.sort();
        assert_eq!(
            parts,
            [
                "(eq a:8 0x41:8)",
                "(eq b:8 0x42:8)",
                "(eq d:8 0:8)",
                "(eq e:8 0:8)",
                "(ult c:8 9:8)"
            ]
        );
        let t = p.bool(true);
        assert_eq!(p.conjuncts(t), []);
    }

    #[test]
    fn pointers_have_one_base() {
        let p = &mut Pool::new();
        let e = p.parse("(add (add (mul i:64 12:64) @3^4) 8:64)").unwrap();
        let (object, offset) = p.base_and_offset(e).unwrap();
        assert_eq!(object, ObjectId(3));
        assert_eq!(
            p.display(offset).to_string(),
            "(add (mul i.0.0:64 0xc:64) 8:64)"
        );
        for text in [
            "i:64",
            "(add @3^4 @4^4)",
            "(sub i:64 @3^4)",
            "(add @3^4 (mul @4^4 i:64))",
            "(mul @3^4 3:64)",
        ] {
            let e = p.parse(text).unwrap();
            assert_eq!(p.base_and_offset(e), None, "{text}");
        }
        let e = p.parse("(sub (add @3^4 @4^4) @4^4)").unwrap();
        assert_eq!(p.base_and_offset(e).unwrap().0, ObjectId(3));
    }
}
