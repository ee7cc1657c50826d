//! Thread-local variables: the first thread has the program's own, each other one copies.

use crate::exec::Executor;
use crate::exec::memory::globals::{global_of_object, object_of_global};
use crate::exec::path::end::Res;
use crate::state::State;
use crate::state::threads::ThreadId;
use std::rc::Rc;
use symex_program::FuncId;
use symex_terms::{ObjectId, Value};

impl Executor<'_> {
    /// Returns the address of the running thread's copy of a variable, given by its own address.
    pub(in crate::exec) fn thread_local(&mut self, st: &mut State, address: Value) -> Value {
        let thread = st.thread();
        let Value::Ptr(object, offset) = address else {
            return address;
        };
        let Some(threads) = &st.threads else {
            return address;
        };
        if thread == ThreadId::MAIN {
            return address;
        }
        if let Some(copy) = threads.current().locals.get(&object) {
            return Value::Ptr(*copy, offset);
        }
        let Some(global) = global_of_object(self.program, object) else {
            return address;
        };
        debug_assert_eq!(object_of_global(global), object);
        let copy = self.allocate_global(&mut st.memory, global);
        self.initialise_global(&mut st.memory, global, copy);
        let threads = st.threads.as_mut().expect("they were looked at above");
        threads.current_mut().locals.insert(object, copy);
        Value::Ptr(copy, offset)
    }

    /// Registers a function that the end of the running thread calls with an argument.
    pub fn at_thread_exit(&mut self, st: &mut State, function: Value, argument: Value) {
        let world = Rc::make_mut(&mut st.world);
        world.thread_destructors.push((function, argument));
    }

    /// Removes and returns the destructor of a variable that the end of the running thread calls
    /// next, with its argument.
    pub fn next_local_destructor(&mut self, st: &mut State) -> Res<Option<(FuncId, Value)>> {
        let Some((function, argument)) = st.world.thread_destructors.last().copied() else {
            return Ok(None);
        };
        let function = self.call_target(st, function)?;
        Rc::make_mut(&mut st.world).thread_destructors.pop();
        Ok(Some((function, argument)))
    }

    /// Removes and returns the function that the end of the running thread, which is not the first
    /// one, calls next, with its argument: a destructor of a variable, or of the value of a key.
    pub fn next_destructor(&mut self, st: &mut State) -> Res<Option<(FuncId, Value)>> {
        if let Some(destructor) = self.next_local_destructor(st)? {
            return Ok(Some(destructor));
        }
        let world = &st.world;
        let values = world.thread_keys.iter().zip(&world.key_destructors);
        let set = |(_, (value, function)): &(usize, (&Value, &Value))| {
            **value != Value::NULL && **function != Value::NULL
        };
        let Some((key, (value, function))) = values.enumerate().find(set) else {
            return Ok(None);
        };
        let (value, function) = (*value, *function);
        let function = self.call_target(st, function)?;
        Rc::make_mut(&mut st.world).thread_keys[key] = Value::NULL;
        Ok(Some((function, value)))
    }

    /// Ends the running thread's copies of variables.
    pub(super) fn end_locals(&mut self, st: &mut State) -> Res<()> {
        let Some(threads) = &mut st.threads else {
            return Ok(());
        };
        let locals = std::mem::take(&mut threads.current_mut().locals);
        let copies: Vec<ObjectId> = locals.into_values().collect();
        for copy in copies {
            self.check_race_of_end(st, copy)?;
            st.memory.free(copy);
        }
        Ok(())
    }
}
