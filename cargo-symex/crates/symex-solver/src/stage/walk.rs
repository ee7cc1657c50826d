//! The walk of a query along stages: forwards until one answers, and backwards, so that stages that
//! passed may learn.

use super::{Stage, StageOutcome};
use crate::{Answer, Query};
use std::time::{Duration, Instant};
use symex_terms::{Expr, Pool};

/// State of a query's walk.
#[derive(Default)]
pub struct Walk {
    /// Rewritten forms of the query, in order.
    forms: Vec<(Vec<Expr>, Expr)>,
    /// Index of the form that each stage got (0: as it came in), for the stages to be told the
    /// answer.
    form_of: Vec<usize>,
}

impl Walk {
    /// Asks stages until one answers: returns the answer, and the stage's index. `seen` is called
    /// with each stage's step and the time that it took.
    pub fn forwards(
        &mut self,
        stages: &mut [Box<dyn Stage>],
        pool: &mut Pool,
        query: &Query,
        mut seen: impl FnMut(usize, &StageOutcome, Duration),
    ) -> Option<(Answer, usize)> {
        for (i, stage) in stages.iter_mut().enumerate() {
            let now = form(query, &self.forms, self.forms.len());
            let start = Instant::now();
            let step = stage.before(pool, &now);
            seen(i, &step, start.elapsed());
            match step {
                // Whoever answers has nothing to learn.
                StageOutcome::Answer(answer) => return Some((answer, i)),
                StageOutcome::Pass => self.form_of.push(self.forms.len()),
                StageOutcome::Rewrite(constraints, goal) => {
                    self.form_of.push(self.forms.len());
                    self.forms.push((constraints, goal));
                }
            }
        }
        None
    }

    /// Returns the query in the form in which the last stage left it.
    pub fn last<'a>(&'a self, query: &'a Query<'a>) -> Query<'a> {
        form(query, &self.forms, self.forms.len())
    }

    /// Tells the answer to the stages that did not answer.
    pub fn backwards(
        self,
        stages: &mut [Box<dyn Stage>],
        pool: &mut Pool,
        query: &Query,
        answer: &Answer,
    ) {
        for (i, at) in self.form_of.iter().enumerate().rev() {
            stages[i].after(pool, &form(query, &self.forms, *at), answer);
        }
    }
}

/// Returns the query in its `at`-th form, 0 being the one in which it came in.
fn form<'a>(query: &'a Query<'a>, forms: &'a [(Vec<Expr>, Expr)], at: usize) -> Query<'a> {
    let (constraints, goal) = match at.checked_sub(1) {
        None => (query.constraints, query.goal),
        Some(i) => (forms[i].0.as_slice(), forms[i].1),
    };
    Query {
        constraints,
        goal,
        ..*query
    }
}
