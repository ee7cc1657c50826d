//! Names of the functions of Rust's standard library that tell whether a character is of a class,
//! of which the engine has to see the calls, and of the variables from which they know that.

use crate::rust_path::without_arguments;

/// Module with a module for each class.
const CLASSES: &str = "core::unicode::unicode_data::";

/// Variable, in the module of a class, that says where parts of [`RUN_LENGTHS`] begin.
pub const RUN_STARTS: &str = "SHORT_OFFSET_RUNS";

/// Variable, in the module of a class, with the lengths of runs of characters that are in turn not
/// of the class and of it.
pub const RUN_LENGTHS: &str = "OFFSETS";

/// Returns the path of the class's module, up to the name of what is in it, if a demangled name is
/// that of a function which tells whether a character is of a class.
pub fn class_of(display: &str) -> Option<&str> {
    let path = without_arguments(display);
    let (class, function) = path.strip_prefix(CLASSES)?.split_once("::")?;
    let is_one = matches!(function, "lookup" | "lookup_slow");
    is_one.then(|| &path[..CLASSES.len() + class.len() + "::".len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_modules() {
        assert_eq!(
            class_of("core::unicode::unicode_data::alphabetic::lookup_slow"),
            Some("core::unicode::unicode_data::alphabetic::")
        );
        assert_eq!(
            class_of("core::unicode::unicode_data::n::lookup"),
            Some("core::unicode::unicode_data::n::")
        );
        assert_eq!(
            class_of("core::unicode::unicode_data::conversions::to_lower"),
            None
        );
        assert_eq!(class_of("user::unicode_data::n::lookup"), None);
    }
}
