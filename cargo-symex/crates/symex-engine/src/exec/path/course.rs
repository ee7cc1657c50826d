//! The course of one path that is followed: what it decides on its inputs, for people.

use crate::exec::Executor;
use crate::exec::path::trace::place;
use crate::state::State;
use symex_terms::Expr;
use symex_types::outcome::SourceLoc;
use symex_types::outcome::decision_tree::ForkKind;

/// Most decisions that are kept.
const MOST: usize = 10_000;

/// What a path decides on its inputs, in order.
#[derive(Default)]
pub struct Course {
    pub choices: Vec<Choice>,
    /// Number of further ones that are not kept.
    pub more: u64,
}

/// A decision of a path on its inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Number of instructions that the path had executed.
    pub instructions: u64,
    /// The place in the user's code.
    pub at: Option<SourceLoc>,
    pub kind: ForkKind,
    /// What holds for the inputs, as an expression of a program.
    pub condition: String,
}

impl Executor<'_> {
    /// Notes the side of a condition on which a path that is followed goes on, if its course is
    /// recorded.
    pub(in crate::exec) fn note_choice(&mut self, st: &State, condition: Expr, kind: ForkKind) {
        let Some(course) = &mut self.outcomes.course else {
            return;
        };
        if course.choices.len() == MOST {
            course.more += 1;
            return;
        }
        let holds = match self.pool.eval(condition, &st.assignment, &st.memory) {
            1 => condition,
            _ => self.pool.not(condition),
        };
        course.choices.push(Choice {
            instructions: st.steps,
            at: place(self.program, st),
            kind,
            condition: self.pool.infix(holds).to_string(),
        });
    }
}
