//! Rules that make terms smaller.
use super::node::*;
use super::pool::Pool;

/// How often each rule fired.
#[derive(Default)]
pub(super) struct RuleCounts;

pub(super) fn un(_: &mut Pool, _: UnOp, _: Expr) -> Option<Expr> {
    None
}
pub(super) fn bin(_: &mut Pool, _: BinOp, _: Expr, _: Expr) -> Option<Expr> {
    None
}
pub(super) fn concat(_: &mut Pool, _: Expr, _: Expr) -> Option<Expr> {
    None
}
pub(super) fn extract(_: &mut Pool, _: Expr, _: Width, _: Width) -> Option<Expr> {
    None
}
pub(super) fn zext(_: &mut Pool, _: Expr, _: Width) -> Option<Expr> {
    None
}
pub(super) fn sext(_: &mut Pool, _: Expr, _: Width) -> Option<Expr> {
    None
}
pub(super) fn ite(_: &mut Pool, _: Expr, _: Expr, _: Expr) -> Option<Expr> {
    None
}
pub(super) fn store(_: &mut Pool, _: Array, _: Expr, _: Expr) -> Option<Array> {
    None
}
pub(super) fn select(_: &mut Pool, _: Array, _: Expr) -> Option<Expr> {
    None
}
