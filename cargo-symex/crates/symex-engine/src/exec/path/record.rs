//! Recorded paths: paths on which the program came to its end, with inputs and outputs, so that a
//! native run can be compared.

use crate::exec::Executor;
use crate::state::State;
use crate::state::file_system::FileKind;
use crate::state::output::Sink;
use std::rc::Rc;
use symex_terms::Value;
use symex_types::config::RecordPaths;
use symex_types::outcome::{EndedPath, WrittenFile, sample};

impl Executor<'_> {
    /// Records a path that ended with an exit code, if paths are recorded.
    pub(in crate::exec) fn record(&mut self, st: &mut State, code: u64) {
        let number = self.outcomes.stats.completed;
        let wanted = match self.config.record_paths {
            RecordPaths::None => false,
            RecordPaths::All => true,
            RecordPaths::Sample(size) => sample::slot(number, size).is_some(),
        };
        if !wanted {
            return;
        }
        // Nothing is left to be decided of objects that are there.
        self.update_files(st).ok();
        let world = Rc::make_mut(&mut st.world);
        Rc::make_mut(&mut world.files).settle();
        let ended = EndedPath {
            number,
            exit_code: code as u8,
            inputs: self.inputs_under(st, &st.assignment.clone()),
            stdout: self.output(st, Some(Sink::Out)),
            stderr: self.output(st, Some(Sink::Error)),
            address_dependent: st.address_dependent,
            new_coverage: st
                .new_cover
                .as_ref()
                .is_some_and(|known| !known.replace(true)),
            files: self.files(st),
        };
        self.outcomes.ended.push(ended);
    }

    /// Returns the files in the working directory, with their contents.
    fn files(&mut self, st: &State) -> Vec<WrittenFile> {
        let files = st.world.files.clone();
        let mut found: Vec<WrittenFile> = files
            .all_below(files.home)
            .into_iter()
            .filter_map(|(name, node)| {
                let FileKind::Regular(bytes) = &files.node(node).kind else {
                    return None;
                };
                let name = self.bytes(st, &name);
                Some(WrittenFile {
                    name: String::from_utf8_lossy(&name).into_owned(),
                    bytes: self.bytes(st, bytes),
                })
            })
            .collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    fn bytes(&mut self, st: &State, values: &[Value]) -> Vec<u8> {
        let byte = |value: &Value| match value {
            Value::Int(byte) => *byte as u8,
            other => {
                let byte = self.term(st, *other, 8);
                self.pool.eval(byte, &st.assignment, &st.memory) as u8
            }
        };
        values.iter().map(byte).collect()
    }

    /// Returns the exit code of a path whose first function has returned.
    pub(in crate::exec) fn status(&mut self, st: &State) -> u64 {
        let Some(status) = st.status else { return 0 };
        let status = self.term(st, status, 32);
        self.pool.eval(status, &st.assignment, &st.memory) as u64
    }
}
