//! Atomic instructions that read and write in one: read-modify-write, compare and exchange.

use crate::exec::Executor;
use crate::exec::instruction::concrete;
use crate::exec::path::end::{Fault, Res};
use crate::exec::path::message::message;
use crate::state::State;
use symex_memory::ObjectKind;
use symex_program::{Bin, Cmp, Ordering, Rmw, Slot};
use symex_terms::Value;
use symex_types::outcome::FindingKind;

impl Executor<'_> {
    /// Checks that a compare-and-exchange is not on memory that is only to be read, where it is
    /// undefined even if it exchanges nothing.
    pub(super) fn check_exchangeable(&self, st: &State, ptr: Value) -> Res<()> {
        if let Value::Ptr(object, _) = ptr
            && st.memory.object(object).kind == ObjectKind::Constant
        {
            let message = message!["exchange in ", self.describe(st, object)];
            return Err(Fault::new(FindingKind::ReadOnlyWrite, message)
                .of(object)
                .into());
        }
        Ok(())
    }

    /// Executes a read-modify-write, and returns the old value.
    pub(super) fn rmw(
        &mut self,
        st: &mut State,
        op: Rmw,
        w: u8,
        ptr: Value,
        value: Value,
    ) -> Res<Value> {
        let old = self.load(st, ptr, w as u32, 0)?;
        let bin = match op {
            Rmw::Xchg => {
                self.store(st, ptr, w as u32, 0, value)?;
                return Ok(old);
            }
            Rmw::Add => Some(Bin::Add),
            Rmw::Sub => Some(Bin::Sub),
            Rmw::And => Some(Bin::And),
            Rmw::Or => Some(Bin::Or),
            Rmw::Xor => Some(Bin::Xor),
            Rmw::SMax => Some(Bin::SMax),
            Rmw::SMin => Some(Bin::SMin),
            Rmw::UMax => Some(Bin::UMax),
            Rmw::UMin => Some(Bin::UMin),
            Rmw::FAdd => Some(Bin::FAdd),
            Rmw::FSub => Some(Bin::FSub),
            Rmw::FMax => Some(Bin::FMaxNum),
            Rmw::FMin => Some(Bin::FMinNum),
            Rmw::USubSat => Some(Bin::USubSat),
            Rmw::Nand | Rmw::UIncWrap | Rmw::UDecWrap | Rmw::USubCond => None,
        };
        let new = match bin {
            Some(b) => match (old, value) {
                (Value::Int(x), Value::Int(y)) if concrete::bin(b, w, x, y).is_some() => {
                    Value::Int(concrete::bin(b, w, x, y).unwrap_or(0))
                }
                _ => self.bin(st, b, w, old, value)?,
            },
            None => {
                let (x, y) = self.terms(st, w, old, value);
                let p = &mut self.pool;
                let (zero, one) = (p.constant(w as u32, 0), p.constant(w as u32, 1));
                let e = match op {
                    Rmw::Nand => {
                        let both = p.and(x, y);
                        p.not(both)
                    }
                    Rmw::UIncWrap => {
                        let (wraps, next) = (p.ule(y, x), p.add(x, one));
                        p.ite(wraps, zero, next)
                    }
                    Rmw::UDecWrap => {
                        let (is_zero, above, next) = (p.eq(x, zero), p.ult(y, x), p.sub(x, one));
                        let wraps = p.or(is_zero, above);
                        p.ite(wraps, y, next)
                    }
                    _ => {
                        let (fits, less) = (p.ule(y, x), p.sub(x, y));
                        p.ite(fits, less, x)
                    }
                };
                p.value(e)
            }
        };
        self.store(st, ptr, w as u32, 0, new)?;
        Ok(old)
    }

    /// Executes a compare-and-exchange, which has the ordering `order` if it exchanges.
    pub(super) fn compare_exchange(
        &mut self,
        st: &mut State,
        (w, order): (u8, Ordering),
        dst: Slot,
        ptr: Value,
        expected: Value,
        new: Value,
    ) -> Res<()> {
        let old = self.load(st, ptr, w as u32, 0)?;
        let equal = match (old, expected) {
            (Value::Int(x), Value::Int(y)) => Value::Int((x == y) as u64),
            _ => self.cmp(st, Cmp::Eq, w, old, expected),
        };
        if self.truth(st, equal)? {
            if st.threads.is_some() {
                // With the ordering of an exchange, now that it is one.
                self.set_order(order);
                self.load(st, ptr, w as u32, 0)?;
            }
            self.store(st, ptr, w as u32, 0, new)?;
            st.stack.top.slots[dst.0 as usize + 1] = Value::Int(1);
        } else {
            st.stack.top.slots[dst.0 as usize + 1] = Value::Int(0);
        }
        st.stack.top.slots[dst.0 as usize] = old;
        Ok(())
    }
}
