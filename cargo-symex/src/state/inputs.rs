//! The named symbolic inputs of a path.

use crate::expr::Expr;
use std::sync::Arc;

/// One draw: its bytes are the values of its parts, each little endian, in order.
#[derive(Clone, Debug)]
pub struct Input {
    pub name: Arc<str>,
    /// Terms of whole bytes' width.
    pub parts: Vec<Expr>,
}
