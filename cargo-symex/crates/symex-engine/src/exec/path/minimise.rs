//! Minimisation of the inputs of a finding, to small and readable ones.

use crate::exec::Executor;
use crate::state::State;
use rustc_hash::FxHashSet;
use std::time::Duration;
use symex_solver::QueryBudget;
use symex_terms::{Symbol, Var};

/// Number of queries spent on one finding.
const QUERIES: usize = 48;

/// Time for all of them together: the inputs already found are valid, smaller ones are a courtesy.
const TIME: Duration = Duration::from_secs(3);

impl Executor<'_> {
    /// Replaces the path's assignment by one with small inputs, within a budget of queries. The
    /// path condition must imply the fault.
    pub(in crate::exec) fn minimise(&mut self, st: &mut State) {
        if self.queries.out_of_time() {
            return;
        }
        let (mut vars, mut known): (Vec<Var>, FxHashSet<Var>) = Default::default();
        for input in st.inputs.iter() {
            for part in input.length.iter().chain(&input.parts) {
                for symbol in self.pool.support(*part) {
                    if let Symbol::Var(v) = symbol
                        && known.insert(*v)
                    {
                        vars.push(*v);
                    }
                }
            }
        }
        // Given inputs are small already.
        let time = if self.queries.follows { TIME / 6 } else { TIME };
        let budget = QueryBudget::new(QUERIES, time);
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
