//! Variable arguments as a callee reads them: those of the call itself, or a `va_list` of the
//! x86-64 ABI.

use crate::exec::Executor;
use crate::exec::call::model::Call;
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::state::State;
use symex_terms::Value;

/// Parses the length modifier of a `printf` or `scanf` conversion for integers, if any: returns its
/// letters, the width in bits, and the rest.
pub fn int_length(rest: &[u8]) -> Option<(&'static [u8], u32, &[u8])> {
    [
        (&b"hh"[..], 8),
        (b"h", 16),
        (b"ll", 64),
        (b"l", 64),
        (b"q", 64),
        (b"j", 64),
        (b"z", 64),
        (b"t", 64),
    ]
    .into_iter()
    .find_map(|(text, bits)| Some((text, bits, rest.strip_prefix(text)?)))
}

/// Source of the next argument.
pub enum VarArgs<'a> {
    /// Leaves of a call from an index on.
    Call(&'a Call<'a>, usize),
    /// A `va_list`, which is read here and not advanced: after passing it, a caller may not use it
    /// further.
    List {
        gp: u64,
        fp: u64,
        overflow: Value,
        save: Value,
    },
}

impl<'a> VarArgs<'a> {
    /// Makes the arguments of a call after its first `fixed` ones.
    pub fn of_call(c: &'a Call<'a>, fixed: usize) -> Self {
        VarArgs::Call(c, fixed)
    }

    /// Makes the arguments of a `va_list`.
    pub fn of_list(m: &mut Executor, st: &mut State, list: Value) -> Res<Self> {
        let (object, at) = m.check_range(st, list, 24, Access::Read)?;
        let gp = st.memory.load(&mut m.pool, object, at, 32);
        let fp = st.memory.load(&mut m.pool, object, at + 4, 32);
        let overflow = st.memory.load(&mut m.pool, object, at + 8, 64);
        let save = st.memory.load(&mut m.pool, object, at + 16, 64);
        Ok(VarArgs::List {
            gp: m.concretise(st, gp, 32)?,
            fp: m.concretise(st, fp, 32)?,
            overflow,
            save,
        })
    }

    /// Reads the next `long double`, which is passed in memory.
    pub fn next_long_double(&mut self, m: &mut Executor, st: &mut State) -> Res<Value> {
        let VarArgs::List { overflow, .. } = self else {
            return self.next(m, st, 80, true);
        };
        let at = m.term(st, *overflow, 64);
        let (up, down) = (m.pool.constant(64, 15), m.pool.constant(64, !15));
        let at = m.pool.add(at, up);
        let at = m.pool.and(at, down);
        let at = m.pool.value(at);
        let value = m.load(st, at, 80, 0)?;
        *overflow = m.offset_pointer(st, at, 16);
        Ok(value)
    }

    /// Reports whether the call is known to have no further argument.
    pub fn are_spent(&self) -> bool {
        match self {
            VarArgs::Call(c, next) => *next >= c.args.len(),
            VarArgs::List { .. } => false,
        }
    }

    /// Reads the next argument, of `width` bits at most 64; `float`: it was passed in a vector
    /// register.
    pub fn next(
        &mut self,
        m: &mut Executor,
        st: &mut State,
        width: u32,
        float: bool,
    ) -> Res<Value> {
        match self {
            VarArgs::Call(c, next) => {
                let Some((v, w)) = c.args.get(*next).copied() else {
                    return Ok(Value::Undef);
                };
                *next += 1;
                Ok(resized(m, st, v, w, width))
            }
            VarArgs::List {
                gp,
                fp,
                overflow,
                save,
            } => {
                let (register, limit, step) = if float { (fp, 176, 16) } else { (gp, 48, 8) };
                let from = if *register < limit {
                    let from = m.offset_pointer(st, *save, *register);
                    *register += step;
                    from
                } else {
                    let from = *overflow;
                    *overflow = m.offset_pointer(st, from, 8);
                    from
                };
                m.load(st, from, width, 0)
            }
        }
    }
}

/// Truncates or zero-extends a value.
fn resized(m: &mut Executor, st: &State, v: Value, from: u32, to: u32) -> Value {
    if from == to {
        return v;
    }
    match v {
        Value::Undef => Value::Undef,
        Value::Int(v) if to < 64 => Value::Int(v & ((1 << to) - 1)),
        other => {
            let e = m.term(st, other, from);
            let e = m.pool.resize(e, to);
            m.pool.value(e)
        }
    }
}
