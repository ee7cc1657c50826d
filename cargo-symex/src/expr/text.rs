//! The text form of terms.
use super::node::*;
use super::pool::Pool;
use std::fmt;

/// A term to be printed.
pub struct Displayed<'a> {
    pool: &'a Pool,
    term: Expr,
}

impl Pool {
    /// The term's text form.
    pub fn display(&self, term: Expr) -> Displayed<'_> {
        Displayed { pool: self, term }
    }
}

impl fmt::Display for Displayed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn go(p: &Pool, e: Expr, d: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            if let Kind::Const(v) = p.kind(e) {
                return write!(f, "{v:#x}:{}", p.width(e));
            }
            if d == 0 {
                return write!(f, "...");
            }
            write!(f, "({:?}:{}", p.kind(e), p.width(e))?;
            let mut r = Ok(());
            p.operands(e, |o| {
                if let super::visit::Operand::Term(x) = o {
                    let _ = write!(f, " ");
                    r = go(p, x, d - 1, f);
                }
            });
            r?;
            write!(f, ")")
        }
        go(self.pool, self.term, 8, f)
    }
}
