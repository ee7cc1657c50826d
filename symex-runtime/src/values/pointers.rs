//! `Symbolic` for `Box`, `Rc`, `Arc`, and `'static` references.

use core::fmt::{self, Write as _};
use std::rc::Rc;
use std::sync::Arc;

use crate::cx::Cx;
use crate::source::Source;
use crate::symbolic::Symbolic;

macro_rules! owner {
    ($($path:literal $t:ident;)*) => {$(
        impl<T: Symbolic> Symbolic for $t<T> {
            #[inline]
            fn any(cx: &mut Cx) -> Self {
                $t::new(cx.any())
            }

            fn source(&self, out: &mut Source) -> fmt::Result {
                out.write_str(concat!($path, "::new("))?;
                T::source(self, out)?;
                out.write_char(')')
            }
        }
    )*};
}

owner! {
    "Box" Box;
    "std::rc::Rc" Rc;
    "std::sync::Arc" Arc;
}

// A reference inside another type, such as `Option<&[u8]>`. The values are leaked; an argument that
// is itself a reference borrows from the harness's caller instead and does not come here.

impl<T: Symbolic> Symbolic for &'static T {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        Box::leak(Box::new(cx.any()))
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.write_char('&')?;
        out.operand(*self)
    }
}

impl<T: Symbolic> Symbolic for &'static [T] {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        Vec::any(cx).leak()
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.write_str("&[")?;
        out.list(self.iter())?;
        out.write_char(']')
    }
}
