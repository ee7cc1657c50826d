//! The macros `cover!` and `check!`.

/// Marks a point, or a condition at a point, that some input should reach.
///
/// A harness whose covers are never met is reported as vacuous: what it proves, it proves of
/// nothing.
///
/// ```
/// # let (parsed, length) = (true, 3);
/// symex::cover!(parsed, "some input parses");
/// symex::cover!(length > 2);
/// symex::cover!("the end is reached");
/// ```
#[macro_export]
macro_rules! cover {
    ($name:literal $(,)?) => {
        $crate::cover!(true, $name)
    };
    ($condition:expr, $name:literal $(,)?) => {{
        const NAME: &$crate::__rt::core::ffi::CStr =
            $crate::__rt::name($crate::__rt::core::concat!($name, "\0"));
        $crate::__rt::cover($condition, NAME)
    }};
    ($condition:expr $(,)?) => {{
        const NAME: &$crate::__rt::core::ffi::CStr = $crate::__rt::name(
            $crate::__rt::core::concat!($crate::__rt::core::stringify!($condition), "\0"),
        );
        $crate::__rt::cover($condition, NAME)
    }};
}

/// Asserts a condition under a name, by which findings are told apart and reported.
///
/// ```
/// # let (encoded, decoded) = (1, 1);
/// symex::check!(encoded == decoded, "round trip");
/// symex::check!(encoded == decoded, "round trip", "{encoded} became {decoded}");
/// ```
#[macro_export]
macro_rules! check {
    ($condition:expr, $name:literal $(,)?) => {
        if !$condition {
            $crate::check!(@name $name);
            $crate::__rt::core::panic!("check failed: {}", $name)
        }
    };
    ($condition:expr, $name:literal, $($message:tt)+) => {
        if !$condition {
            $crate::check!(@name $name);
            $crate::__rt::core::panic!(
                "check failed: {}: {}", $name, $crate::__rt::core::format_args!($($message)+)
            )
        }
    };
    (@name $name:literal) => {{
        const NAME: &$crate::__rt::core::ffi::CStr =
            $crate::__rt::name($crate::__rt::core::concat!($name, "\0"));
        $crate::__rt::check_name(NAME)
    }};
}
