//! `Symbolic` for network addresses and `Duration`.

use core::fmt::{self, Write as _};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use core::time::Duration;

use crate::cx::Cx;
use crate::source::Source;
use crate::symbolic::Symbolic;

impl Symbolic for Duration {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        let seconds = cx.int(64);
        Duration::new(seconds, cx.range(0, 999_999_999) as u32)
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        write!(
            out,
            "core::time::Duration::new({}, {})",
            self.as_secs(),
            self.subsec_nanos()
        )
    }
}

impl Symbolic for Ipv4Addr {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        Ipv4Addr::from(cx.any::<[u8; 4]>())
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        let [a, b, c, d] = self.octets();
        write!(out, "core::net::Ipv4Addr::new({a}, {b}, {c}, {d})")
    }
}

impl Symbolic for Ipv6Addr {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        Ipv6Addr::from(cx.any::<[u8; 16]>())
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.write_str("core::net::Ipv6Addr::new(")?;
        for (i, segment) in self.segments().into_iter().enumerate() {
            write!(out, "{}{segment:#x}", if i > 0 { ", " } else { "" })?;
        }
        out.write_char(')')
    }
}

impl Symbolic for SocketAddrV4 {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        let address = cx.any();
        SocketAddrV4::new(address, cx.any())
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.write_str("core::net::SocketAddrV4::new(")?;
        self.ip().source(out)?;
        write!(out, ", {})", self.port())
    }
}

impl Symbolic for SocketAddrV6 {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        let address = cx.any();
        let port = cx.any();
        let flow = cx.any();
        SocketAddrV6::new(address, port, flow, cx.any())
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.write_str("core::net::SocketAddrV6::new(")?;
        self.ip().source(out)?;
        write!(
            out,
            ", {}, {}, {})",
            self.port(),
            self.flowinfo(),
            self.scope_id()
        )
    }
}

macro_rules! either {
    ($($t:ident;)*) => {$(
        impl Symbolic for $t {
            #[inline]
            fn any(cx: &mut Cx) -> Self {
                if cx.any() { $t::V4(cx.any()) } else { $t::V6(cx.any()) }
            }

            fn source(&self, out: &mut Source) -> fmt::Result {
                match self {
                    $t::V4(value) => {
                        out.write_str(concat!("core::net::", stringify!($t), "::V4("))?;
                        value.source(out)?;
                    }
                    $t::V6(value) => {
                        out.write_str(concat!("core::net::", stringify!($t), "::V6("))?;
                        value.source(out)?;
                    }
                }
                out.write_char(')')
            }
        }
    )*};
}

either! {
    IpAddr;
    SocketAddr;
}
