//! Symbolic inputs of a path, entry by entry of `State::inputs`.

use crate::exec::Executor;
use crate::state::{State, SymbolicInput};
use std::sync::Arc;
use symex_terms::{Expr, Kind, Origin, Value, VarInfo, Width};
use symex_types::outcome::{Form, Role};

impl Executor<'_> {
    /// Makes part `part` of the next input. Sibling paths that ask for the same input share it.
    pub fn input_variable(&mut self, st: &State, name: Arc<str>, width: Width, part: u32) -> Expr {
        self.pool.var(VarInfo {
            name,
            width,
            origin: Origin::Input {
                input: st.inputs.count() as u32,
                part,
            },
        })
    }

    /// Gives a variable of the next input the value that the followed inputs have there, if any are
    /// followed: `value` takes it from the input's bytes.
    pub fn give(&mut self, st: &mut State, variable: Expr, value: impl FnOnce(&[u8]) -> u128) {
        let Kind::Var(v) = self.pool.kind(variable) else {
            return;
        };
        if self.given.is_empty() {
            return;
        }
        let drawn = st.inputs.iter().filter(|i| i.role == Role::Program);
        let Some(bytes) = self.given.get(drawn.count()) else {
            return;
        };
        let mask = u128::MAX >> (128 - self.pool.width(variable));
        st.assignment.set(v, value(bytes) & mask);
    }

    /// Draws symbolic bytes as an input.
    pub fn fresh_bytes(
        &mut self,
        st: &mut State,
        name: &Arc<str>,
        role: Role,
        len: u64,
    ) -> Vec<Value> {
        let parts: Vec<Expr> = (0..len)
            .map(|i| self.input_variable(st, format!("{name}[{i}]").into(), 8, i as u32))
            .collect();
        if role == Role::Program && !self.given.is_empty() {
            for (i, part) in parts.iter().enumerate() {
                self.give(st, *part, |bytes| bytes.get(i).copied().unwrap_or(0).into());
            }
        }
        let bytes = parts.iter().copied().map(Value::Expr).collect();
        let name = name.clone();
        st.inputs.push(SymbolicInput {
            name,
            role,
            parts,
            length: None,
            form: Form::default(),
        });
        bytes
    }
}
