//! The walk of a query along stages: forwards until one answers, and backwards, so that stages that
//! passed may learn.

use super::mixed_radix::SplitQuery;
use super::{Stage, StageOutcome};
use crate::{Answer, Query};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use symex_terms::{Expr, Pool};

/// A rewritten form of a query.
enum Form {
    Rewritten(Vec<Expr>, Expr),
    Split(Box<SplitQuery>),
}

/// State of a query's walk.
#[derive(Default)]
pub struct Walk {
    /// Rewritten forms of the query, in order.
    forms: Vec<Form>,
    /// Index of the form that each stage got (0: as it came in), for the stages to be told the
    /// answer.
    form_of: Vec<usize>,
}

impl Walk {
    /// Asks stages until one answers, and tells the others the answer.
    pub fn ask(stages: &mut [Box<dyn Stage>], pool: &mut Pool, query: &Query) -> Option<Answer> {
        let mut walk = Walk::default();
        let (answer, _) =
            walk.forwards(stages, pool, query, |_, _, _| ControlFlow::Continue(()))?;
        Some(walk.backwards(stages, pool, query, answer))
    }

    /// Asks stages until one answers: returns the answer, of the query's last form, and the stage's
    /// index. `seen` is called with each stage's step and the time that it took, and says whether
    /// the next one is asked.
    pub fn forwards(
        &mut self,
        stages: &mut [Box<dyn Stage>],
        pool: &mut Pool,
        query: &Query,
        mut seen: impl FnMut(usize, &StageOutcome, Duration) -> ControlFlow<()>,
    ) -> Option<(Answer, usize)> {
        for (i, stage) in stages.iter_mut().enumerate() {
            let now = form(query, &self.forms, self.forms.len());
            let start = Instant::now();
            let step = stage.before(pool, &now);
            let goes_on = seen(i, &step, start.elapsed());
            match step {
                // Whoever answers has nothing to learn.
                StageOutcome::Answer(answer) => return Some((answer, i)),
                StageOutcome::Pass => self.form_of.push(self.forms.len()),
                StageOutcome::Rewrite(constraints, goal) => {
                    self.form_of.push(self.forms.len());
                    self.forms.push(Form::Rewritten(constraints, goal));
                }
                StageOutcome::Split(split) => {
                    self.form_of.push(self.forms.len());
                    self.forms.push(Form::Split(split));
                }
            }
            if goes_on.is_break() {
                break;
            }
        }
        None
    }

    /// Returns the query in the form in which the last stage left it.
    pub fn last<'a>(&'a self, query: &'a Query<'a>) -> Query<'a> {
        form(query, &self.forms, self.forms.len())
    }

    /// Tells the answer of the query's last form to the stages that did not answer, to each as that
    /// of the form that it got. Returns the answer to the query as it came in.
    pub fn backwards(
        self,
        stages: &mut [Box<dyn Stage>],
        pool: &mut Pool,
        query: &Query,
        mut answer: Answer,
    ) -> Answer {
        let mut joined = self.forms.len();
        for (i, at) in self.form_of.iter().enumerate().rev() {
            while joined > *at {
                joined -= 1;
                if let Form::Split(split) = &self.forms[joined] {
                    answer = split.join(answer);
                }
            }
            stages[i].after(pool, &form(query, &self.forms, *at), &answer);
        }
        answer
    }
}

/// Returns the query in its `at`-th form, 0 being the one in which it came in.
fn form<'a>(query: &'a Query<'a>, forms: &'a [Form], at: usize) -> Query<'a> {
    let (constraints, goal) = match at.checked_sub(1).map(|i| &forms[i]) {
        None => (query.constraints, query.goal),
        Some(Form::Rewritten(constraints, goal)) => (constraints.as_slice(), *goal),
        Some(Form::Split(split)) => (split.constraints.as_slice(), split.goal),
    };
    let hint = forms[..at].iter().rev().find_map(|form| match form {
        Form::Rewritten(..) => None,
        Form::Split(split) => Some(&split.hint),
    });
    Query {
        constraints,
        goal,
        hint: hint.unwrap_or(query.hint),
        ..*query
    }
}
