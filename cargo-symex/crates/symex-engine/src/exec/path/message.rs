//! Numbers in messages that depend on the inputs. A message is made before the inputs of its finding are chosen, so such a
//! number stands in it as a mark, and is told when they are.

use crate::exec::Executor;
use crate::state::State;
use symex_terms::{Expr, Value};

/// Stands before and after a mark. No text of a program has a reason to have one.
const MARK: char = '\u{1a}';

/// A number that a term gives.
pub(in crate::exec) fn number(e: Expr) -> String {
    format!("{MARK}{}{MARK}", e.index())
}

/// So many bytes as a term gives.
pub(in crate::exec) fn bytes(e: Expr) -> String {
    format!("{MARK}b{}{MARK}", e.index())
}

impl Executor<'_> {
    /// A word of 64 bits in a message.
    pub fn number(&mut self, st: &State, value: Value) -> String {
        match value {
            Value::Int(n) => n.to_string(),
            other => number(self.term(st, other, 64)),
        }
    }

    /// A text with its numbers under the path's own assignment.
    pub(in crate::exec) fn told(&mut self, st: &State, text: &str) -> String {
        let mut told = String::with_capacity(text.len());
        // Every second part is a mark.
        for (i, part) in text.split(MARK).enumerate() {
            let index = part.strip_prefix('b').unwrap_or(part);
            match index.parse().ok().and_then(|i| self.pool.expr_at(i)) {
                Some(e) if i % 2 == 1 => {
                    let n = self.pool.eval(e, &st.assignment, &st.memory) as i64;
                    told.push_str(&n.to_string());
                    if part.starts_with('b') {
                        told.push_str(if n == 1 { " byte" } else { " bytes" });
                    }
                }
                _ => told.push_str(part),
            }
        }
        told
    }
}
