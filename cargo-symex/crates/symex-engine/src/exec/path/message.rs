//! Messages of faults, in which some numbers depend on inputs.
//!
//! A message is made before the inputs of its finding are fixed. Input-dependent parts are terms,
//! and become numbers once the inputs are fixed.

use crate::exec::Executor;
use crate::state::State;
use std::borrow::Cow;
use symex_terms::{Expr, Value};

/// A text with numbers that may not be known yet.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Message(Vec<MessagePiece>);

/// Part of a [`Message`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MessagePiece {
    /// Fixed text.
    Text(Cow<'static, str>),
    /// A signed number of 64 bits, filled in once the finding's inputs are fixed.
    Number(Expr),
    /// A byte count, filled in once the finding's inputs are fixed: `1 byte`, `8 bytes`.
    Bytes(Expr),
}

/// Composes a message of texts, pieces and other messages.
macro_rules! message {
    ($($part:expr),+ $(,)?) => {{
        let mut message = $crate::exec::path::message::Message::default();
        $(message.push($part);)+
        message
    }};
}
pub(crate) use message;

impl Message {
    /// Appends a text, a piece or another message.
    pub fn push(&mut self, part: impl Into<Message>) {
        self.0.append(&mut part.into().0);
    }

    /// Reports whether the known words of the message contain a text.
    pub fn contains(&self, text: &str) -> bool {
        self.0.iter().any(|piece| match piece {
            MessagePiece::Text(words) => words.contains(text),
            MessagePiece::Number(_) | MessagePiece::Bytes(_) => text.is_empty(),
        })
    }
}

impl From<&'static str> for Message {
    fn from(text: &'static str) -> Self {
        MessagePiece::Text(text.into()).into()
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        MessagePiece::Text(text.into()).into()
    }
}

impl From<MessagePiece> for Message {
    fn from(piece: MessagePiece) -> Self {
        Message(vec![piece])
    }
}

/// Formats a byte count.
pub(in crate::exec) fn count_of_bytes(count: u64) -> String {
    format!("{count} byte{}", if count == 1 { "" } else { "s" })
}

impl Executor<'_> {
    /// Makes a message piece of a word of 64 bits.
    pub fn number(&mut self, st: &State, value: Value) -> MessagePiece {
        match value {
            Value::Int(n) => MessagePiece::Text(n.to_string().into()),
            other => MessagePiece::Number(self.term(st, other, 64)),
        }
    }

    /// Formats a message, with its numbers under the path's own assignment.
    pub(in crate::exec) fn told(&mut self, st: &State, message: &Message) -> String {
        let mut value = |e: Expr| self.pool.eval(e, &st.assignment, &st.memory);
        let words = message.0.iter().map(|piece| match piece {
            MessagePiece::Text(words) => words.clone(),
            MessagePiece::Number(e) => (value(*e) as i64).to_string().into(),
            MessagePiece::Bytes(e) => count_of_bytes(value(*e) as u64).into(),
        });
        words.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_put_together() {
        let inner = message!["a heap allocation of ", count_of_bytes(1)];
        let whole = message!["read of ", count_of_bytes(8), " of ", inner];
        let words: String = whole
            .0
            .iter()
            .map(|piece| match piece {
                MessagePiece::Text(words) => words.as_ref(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(words, "read of 8 bytes of a heap allocation of 1 byte");
        assert!(whole.contains("8 byte") && !whole.contains("9"));
    }
}
