//! Shared file mappings: writes to the memory are visible in the file and vice versa. File and
//! object are copies; each is updated before it is read the other way.

use crate::exec::Executor;
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::state::State;
use crate::state::file_system::{Files, Mapping, NodeId};
use std::rc::Rc;
use symex_terms::Value;

impl Executor<'_> {
    /// Copies writes to the mappings of a file into the file.
    pub fn update_file(&mut self, st: &mut State, node: NodeId) -> Res<()> {
        for mapping in of_file(st, node) {
            let len = mapping.shown(st.world.files.size(node));
            if mapping.written && len > 0 {
                let bytes = self.read_bytes(st, Value::Ptr(mapping.object, 0), len)?;
                change(st).write_at(node, mapping.offset, bytes);
            }
        }
        Ok(())
    }

    /// Copies writes to a file into its mappings.
    pub fn update_mappings(&mut self, st: &mut State, node: NodeId) -> Res<()> {
        for mapping in of_file(st, node) {
            let bytes = st.world.files.read_at(node, mapping.offset, mapping.len);
            if bytes.is_empty() {
                continue;
            }
            let start = Value::Ptr(mapping.object, 0);
            let (object, from) = self.check_range(st, start, bytes.len() as u64, Access::Write)?;
            for (at, byte) in (from..).zip(bytes) {
                st.memory.store(&mut self.pool, object, at, 8, byte);
            }
        }
        Ok(())
    }

    /// Updates all mapped files.
    pub fn update_files(&mut self, st: &mut State) -> Res<()> {
        for mapping in st.world.files.mappings.clone().iter() {
            self.update_file(st, mapping.node)?;
        }
        Ok(())
    }
}

fn of_file(st: &State, node: NodeId) -> Vec<Mapping> {
    let all = st.world.files.mappings.iter();
    all.filter(|mapping| mapping.node == node)
        .copied()
        .collect()
}

fn change(st: &mut State) -> &mut Files {
    Rc::make_mut(&mut Rc::make_mut(&mut st.world).files)
}
