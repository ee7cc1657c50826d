//! Non-local jumps: `setjmp` records the position of the innermost frame, `longjmp` leaves all
//! calls made since.

use crate::exec::Executor;
use crate::exec::path::end::{Fault, Res};
use crate::state::State;
use std::rc::Rc;
use symex_memory::Tag;
use symex_types::outcome::FindingKind;

impl Executor<'_> {
    /// Records the call at which the innermost frame waits as a jump target, and returns the
    /// target's number.
    pub fn note_jump_target(&mut self, st: &mut State) -> u64 {
        Rc::make_mut(&mut st.world).jumps.note(&st.stack)
    }

    /// Leaves all calls entered since a jump target was recorded. The innermost frame then waits at
    /// the recorded call, with its registers as they were: variables changed since are in memory,
    /// or indeterminate.
    pub fn jump(&mut self, st: &mut State, number: u64) -> Res<()> {
        let undefined =
            |message: &'static str| Err(Fault::new(FindingKind::Undefined, message).into());
        let target = st.world.jumps.target(number);
        let target = target.filter(|t| st.stack.iter().any(|frame| frame.serial == t.frame));
        let Some(target) = target.cloned() else {
            return match st.world.jumps.was_noted(number) {
                true => undefined("longjmp into a function that has returned"),
                false => undefined("longjmp with a buffer that setjmp has not filled"),
            };
        };
        while st.stack.top.serial != target.frame {
            self.leave_frame(st)?;
        }
        st.stack.top.pc = target.pc;
        st.stack.top.slots.copy_from_slice(&target.slots);
        if let Some(tags) = &mut st.stack.top.tags {
            tags.slots.fill(Tag::UNKNOWN);
        }
        // No handler of a signal returns to a call that was left.
        let depth = st.stack.depth;
        let world = Rc::make_mut(&mut st.world);
        world.delivering.retain(|waiting| *waiting < depth);
        Ok(())
    }
}
