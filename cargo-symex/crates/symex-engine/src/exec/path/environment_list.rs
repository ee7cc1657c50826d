//! The environment as a list in memory (`environ`), which C programs read themselves.

use crate::exec::Executor;
use crate::state::State;
use symex_memory::{Initial, NewObject, ObjectKind};
use symex_program::LocId;
use symex_terms::{ObjectId, Value};

/// C's names of the variable that points to the list.
pub(in crate::exec) const LISTS: [&str; 3] = ["environ", "__environ", "_environ"];

impl Executor<'_> {
    /// Makes a list of the current environment variables: `envp`.
    pub fn environment_list(&mut self, st: &mut State) -> Value {
        let values: Vec<(usize, Value)> = st.world.environment.values().collect();
        let list = st.memory.allocate(NewObject {
            size: 8 * (values.len() as u64 + 1),
            length: None,
            align_log2: 4,
            kind: ObjectKind::Global,
            site: LocId::default(),
            birth: 0,
            initial: Initial::Zero,
        });
        for (i, (name, value)) in values.into_iter().enumerate() {
            let text = self.offset_pointer(st, value, (name as u64 + 1).wrapping_neg());
            let at = 8 * i as u64;
            st.memory.store(&mut self.pool, list, at, 64, text);
        }
        Value::Ptr(list, 0)
    }

    /// Sets C's list variables to a list of the current environment.
    pub fn publish_environment(&mut self, st: &mut State) {
        let variables: Vec<ObjectId> = LISTS
            .iter()
            .filter_map(|name| self.definitions.library_variable(name, 8))
            .collect();
        if variables.is_empty() {
            return;
        }
        let list = self.environment_list(st);
        for variable in variables {
            st.memory.store(&mut self.pool, variable, 0, 64, list);
        }
    }

    /// Returns the value of an `int` variable of the C library, if the program refers to it.
    pub fn library_word(&mut self, st: &State, name: &str) -> Option<Value> {
        let variable = self.definitions.library_variable(name, 4)?;
        Some(st.memory.load(&mut self.pool, variable, 0, 32))
    }
}
