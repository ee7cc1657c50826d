//! `Symbolic` for cells, locks, atomics and order-reversing wrappers around one value.

use core::cell::{Cell, RefCell};
use core::cmp::Reverse;
use core::fmt::{self, Write as _};
use core::sync::atomic::{self, Ordering};
use std::sync::{Mutex, RwLock};

use crate::cx::Cx;
use crate::source::Source;
use crate::symbolic::Symbolic;

/// Writes `open value )`.
fn around<T: Symbolic>(out: &mut Source, open: &str, value: &T) -> fmt::Result {
    out.write_str(open)?;
    value.source(out)?;
    out.write_char(')')
}

impl<T: Symbolic + Copy> Symbolic for Cell<T> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        Cell::new(cx.any())
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        around(out, "core::cell::Cell::new(", &self.get())
    }
}

impl<T: Symbolic> Symbolic for RefCell<T> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        RefCell::new(cx.any())
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        around(
            out,
            "core::cell::RefCell::new(",
            &*self.try_borrow().map_err(|_| fmt::Error)?,
        )
    }
}

impl<T: Symbolic> Symbolic for Mutex<T> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        Mutex::new(cx.any())
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        around(
            out,
            "std::sync::Mutex::new(",
            &*self.try_lock().map_err(|_| fmt::Error)?,
        )
    }
}

impl<T: Symbolic> Symbolic for RwLock<T> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        RwLock::new(cx.any())
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        around(
            out,
            "std::sync::RwLock::new(",
            &*self.try_read().map_err(|_| fmt::Error)?,
        )
    }
}

impl<T: Symbolic> Symbolic for Reverse<T> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        Reverse(cx.any())
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        around(out, "core::cmp::Reverse(", &self.0)
    }
}

macro_rules! atomic {
    ($($t:ident)*) => {$(
        impl Symbolic for atomic::$t {
            #[inline]
            fn any(cx: &mut Cx) -> Self {
                atomic::$t::new(cx.any())
            }

            fn source(&self, out: &mut Source) -> fmt::Result {
                let open = concat!("core::sync::atomic::", stringify!($t), "::new(");
                around(out, open, &self.load(Ordering::SeqCst))
            }
        }
    )*};
}

atomic!(AtomicBool AtomicU8 AtomicI8 AtomicU16 AtomicI16 AtomicU32 AtomicI32 AtomicUsize AtomicIsize);

#[cfg(target_has_atomic = "64")]
atomic!(AtomicU64 AtomicI64);
