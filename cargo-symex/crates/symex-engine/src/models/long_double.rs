//! C's `long double` of x86-64 on known operands: functions and texts computed by the C library
//! that this tool runs with.
//!
//! Rust has no such type, so the calls are made by hand as the ABI specifies: operands on the stack
//! in 16 bytes each, the result on the stack of the x87. On other processors nothing is supported.
//! A number is its 80 bits.
//!
//! Texts of a `double` that Rust's library does not write (`%a`) are here, too.

use std::ffi::{CStr, CString, c_char, c_int};

/// Bits of a number.
pub type Bits = u128;

/// Address of a function of the C library, of any type.
type FunctionAddress = *const ();

macro_rules! functions {
    ($($name:ident)*) => {
        mod native {
            use std::ffi::{c_char, c_int};

            unsafe extern "C" {
                $(pub fn $name();)*
                pub fn strtold();
                pub fn scalbnl();
                pub fn snprintf(to: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
            }
        }

        /// Returns the function of a C name without its `l`.
        fn function(name: &str) -> Option<FunctionAddress> {
            [$((stringify!($name), native::$name as FunctionAddress)),*]
                .into_iter()
                .find(|f| f.0.strip_suffix('l') == Some(name))
                .map(|f| f.1)
        }
    };
}

functions! {
    sinl cosl tanl asinl acosl atanl sinhl coshl tanhl asinhl acoshl atanhl expl exp2l exp10l expm1l
    logl log2l log10l log1pl cbrtl erfl erfcl tgammal lgammal logbl
    powl atan2l hypotl remainderl fdiml nextafterl
}

/// Calls a function of at most two `long double`s followed by at most three words, which returns a
/// `long double`.
#[cfg(target_arch = "x86_64")]
fn call(f: FunctionAddress, x: [Bits; 2], words: [usize; 3]) -> Option<Bits> {
    let mut result: Bits = 0;
    // SAFETY: the functions of this file take these operands by the ABI, or fewer of them, and the
    // result is written to room for it. The stack pointer is aligned as a call asks for, and is
    // again what it was.
    unsafe {
        std::arch::asm!(
            "sub rsp, 32",
            "fld tbyte ptr [r12]",
            "fstp tbyte ptr [rsp]",
            "fld tbyte ptr [r12 + 16]",
            "fstp tbyte ptr [rsp + 16]",
            "call r13",
            "add rsp, 32",
            "fstp tbyte ptr [r14]",
            in("r12") x.as_ptr(), in("r13") f, in("r14") &mut result,
            in("rdi") words[0], in("rsi") words[1], in("rdx") words[2],
            clobber_abi("C"),
        );
    }
    Some(result)
}

/// Calls a variadic function of three words and a `long double`, which returns an `int`.
#[cfg(target_arch = "x86_64")]
fn call_variadic(f: FunctionAddress, words: [usize; 3], x: Bits) -> Option<i32> {
    let result: i32;
    // SAFETY: as above; no vector register is used.
    unsafe {
        std::arch::asm!(
            "sub rsp, 16",
            "fld tbyte ptr [r12]",
            "fstp tbyte ptr [rsp]",
            "call r13",
            "add rsp, 16",
            in("r12") &x, in("r13") f,
            in("rdi") words[0], in("rsi") words[1], in("rdx") words[2],
            inlateout("eax") 0 => result,
            clobber_abi("C"),
        );
    }
    Some(result)
}

#[cfg(not(target_arch = "x86_64"))]
fn call(_: FunctionAddress, _: [Bits; 2], _: [usize; 3]) -> Option<Bits> {
    None
}

#[cfg(not(target_arch = "x86_64"))]
fn call_variadic(_: FunctionAddress, _: [usize; 3], _: Bits) -> Option<i32> {
    None
}

/// Computes a function of libm, given by its name without `l`.
pub fn known(name: &str, x: &[Bits]) -> Option<Bits> {
    let f = function(name)?;
    call(f, [*x.first()?, x.get(1).copied().unwrap_or(0)], [0; 3])
}

/// Computes `x * 2^n`.
pub fn scaled(x: Bits, n: i32) -> Option<Bits> {
    call(
        native::scalbnl as FunctionAddress,
        [x, 0],
        [n as usize, 0, 0],
    )
}

/// Parses the number at the beginning of a text by `strtold`; returns also the number of bytes
/// used.
pub fn parse(text: &CStr) -> Option<(Bits, usize)> {
    let mut end: *const c_char = text.as_ptr();
    let words = [text.as_ptr() as usize, &raw mut end as usize, 0];
    let value = call(native::strtold as FunctionAddress, [0; 2], words)?;
    Some((value, end as usize - text.as_ptr() as usize))
}

/// Formats a number by a C format that takes one `long double`.
pub fn print(format: &str, x: Bits) -> Option<String> {
    written(format, |to, size, format| {
        let words = [to as usize, size, format as usize];
        call_variadic(native::snprintf as FunctionAddress, words, x)
    })
}

/// Formats a number by a C format that takes one `double`.
pub fn print_double(format: &str, x: f64) -> Option<String> {
    // SAFETY: the format takes a `double`, and the room is as large as is said.
    written(format, |to, size, format| unsafe {
        Some(native::snprintf(to, size, format, x))
    })
}

/// Returns the text that a call of `snprintf` writes, with as much room as it needs.
fn written(
    format: &str,
    mut write: impl FnMut(*mut c_char, usize, *const c_char) -> Option<c_int>,
) -> Option<String> {
    let format = CString::new(format).ok()?;
    let mut room = vec![0u8; 64];
    loop {
        let len = write(room.as_mut_ptr().cast(), room.len(), format.as_ptr())?;
        let len = usize::try_from(len).ok()?;
        if len < room.len() {
            room.truncate(len);
            return String::from_utf8(room).ok();
        }
        room.resize(len + 1, 0);
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    const ONE: Bits = 0x3fff << 64 | 1 << 63;

    #[test]
    fn functions_are_called() {
        assert_eq!(known("exp", &[0]), Some(ONE));
        assert_eq!(
            known("pow", &[ONE + (1 << 64), ONE + (1 << 64)]),
            Some(ONE + (2 << 64))
        );
        assert_eq!(known("nothing", &[ONE]), None);
        assert_eq!(scaled(ONE, -3), Some(ONE - (3 << 64)));
    }

    #[test]
    fn texts_are_written_and_read() {
        assert_eq!(print("%.3Lf", ONE).as_deref(), Some("1.000"));
        let long = print("%.4000Lf", ONE).expect("a text");
        assert_eq!(long.len(), 4002);
        assert_eq!(parse(c" 1.0x"), Some((ONE, 4)));
        assert_eq!(parse(c"0x8p-3"), Some((ONE, 6)));
        assert_eq!(parse(c"x").map(|p| p.1), Some(0));
    }
}
