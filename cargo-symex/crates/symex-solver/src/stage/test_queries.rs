//! Inputs and queries for the tests of stages.

use super::{Stage, StageOutcome};
use crate::{Purpose, Query};
use symex_terms::{Assignment, Expr, Kind, NoAddresses, Origin, Pool, Var, VarInfo, Width};

/// Makes the input of a number and a width.
pub(super) fn input(pool: &mut Pool, input: u32, width: Width) -> Expr {
    pool.var(VarInfo {
        name: "x".into(),
        width,
        origin: Origin::Input { input, part: 0 },
    })
}

/// Returns the variable of an input.
pub(super) fn var(pool: &Pool, x: Expr) -> Var {
    match pool.kind(x) {
        Kind::Var(v) => v,
        other => unreachable!("{other:?}"),
    }
}

/// Asks a stage, with zeros as the hint.
pub(super) fn ask(
    stage: &mut dyn Stage,
    pool: &mut Pool,
    constraints: &[Expr],
    goal: Expr,
) -> StageOutcome {
    let query = Query {
        constraints,
        goal,
        addresses: &NoAddresses,
        hint: &Assignment::default(),
        purpose: Purpose::Branch,
    };
    stage.before(pool, &query)
}
