//! Small and readable inputs for a finding.

use super::Machine;
use crate::expr::{Symbol, Var};
use crate::state::State;

/// Queries that one finding is worth.
const QUERIES: usize = 48;

impl Machine<'_> {
    /// Replaces the path's assignment by one with small inputs, as far as a few queries get. The path condition must
    /// imply the fault.
    pub(super) fn minimise(&mut self, st: &mut State) {
        if self.out_of_time() {
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
        let small = Self::ask(&mut self.solver, st).minimise(&mut self.pool, &vars, QUERIES);
        debug_assert!(
            st.condition
                .all()
                .iter()
                .all(|c| self.pool.eval(*c, &small, &st.memory) == 1)
        );
        st.assignment = small;
    }
}
