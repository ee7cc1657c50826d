//! Inputs and queries for the tests of stages.

use super::{Stage, StageOutcome};
use crate::{Answer, Purpose, Query};
use symex_terms::{Assignment, Expr, Kind, NoAddresses, Origin, Pool, Var, VarInfo, Width};

/// Makes the input of a number and a width.
pub(crate) fn input(pool: &mut Pool, input: u32, width: Width) -> Expr {
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

/// Reports whether a stage has found that no values satisfy the goal.
pub(super) fn is_unsat(outcome: &StageOutcome) -> bool {
    matches!(outcome, StageOutcome::Answer(Answer::Unsat))
}

/// Reports whether a stage has found values that satisfy the goal.
pub(super) fn is_sat(outcome: &StageOutcome) -> bool {
    matches!(outcome, StageOutcome::Answer(Answer::Sat(_)))
}
