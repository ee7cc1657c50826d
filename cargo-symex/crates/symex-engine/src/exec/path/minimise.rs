//! Small and readable inputs for a finding.

use crate::exec::Executor;
use crate::state::State;
use std::time::Duration;
use symex_solver::QueryBudget;
use symex_terms::{Symbol, Var};

/// Queries that one finding is worth.
const QUERIES: usize = 48;

/// Time for all of them together: inputs that are found are good enough, smaller ones are a
/// courtesy.
const TIME: Duration = Duration::from_secs(3);

impl Executor<'_> {
    /// Replaces the path's assignment by one with small inputs, as far as a few queries get. The
    /// path condition must imply the fault.
    pub(in crate::exec) fn minimise(&mut self, st: &mut State) {
        if self.queries.out_of_time() {
            return;
        }
        let mut vars: Vec<Var> = Vec::new();
        for input in st.inputs.iter() {
            for part in &input.parts {
                for symbol in self.pool.support(*part) {
                    if let Symbol::Var(v) = symbol
                        && !vars.contains(v)
                    {
                        vars.push(*v);
                    }
                }
            }
        }
        let budget = QueryBudget::new(QUERIES, TIME);
        let pool = &mut self.pool;
        let small = self
            .queries
            .quickly(st, |mut ask| ask.minimise(pool, &vars, budget));
        debug_assert!(
            st.condition
                .all()
                .iter()
                .all(|c| self.pool.eval(*c, &small, &st.memory) == 1)
        );
        st.assignment = small;
    }
}
