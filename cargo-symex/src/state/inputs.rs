//! The named symbolic inputs of a path.

use crate::expr::Expr;
use crate::outcome::{Form, Role};
use std::sync::Arc;

/// One draw: its bytes are the values of its parts, each little endian, in order.
#[derive(Clone, Debug)]
pub struct Input {
    pub name: Arc<str>,
    pub role: Role,
    /// Terms of whole bytes' width.
    pub parts: Vec<Expr>,
    pub form: Form,
}
