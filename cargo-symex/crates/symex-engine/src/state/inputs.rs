//! The named symbolic inputs of a path.

use std::sync::Arc;
use symex_terms::Expr;
use symex_types::outcome::{Form, Role};

/// An input of a path. Its bytes are the values of its parts, each little endian, in order, up to
/// its length.
#[derive(Clone, Debug)]
pub struct SymbolicInput {
    pub name: Arc<str>,
    pub role: Role,
    /// Parts: terms whose widths are whole bytes.
    pub parts: Vec<Expr>,
    /// Number of its bytes, if that is an input as well: a term of 64 bits.
    pub length: Option<Expr>,
    pub form: Form,
}
