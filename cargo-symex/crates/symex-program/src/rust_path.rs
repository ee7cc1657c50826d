//! Demangled names of Rust functions, taken apart.

/// Removes the generic arguments at the end of a path: `std::panicking::begin_panic::<&str>`
/// becomes `std::panicking::begin_panic`.
pub fn without_arguments(display: &str) -> &str {
    if !display.ends_with('>') {
        return display;
    }
    let mut depth = 0usize;
    for (i, b) in display.bytes().enumerate().rev() {
        match b {
            // The arrow of a function type is no bracket.
            b'>' if i > 0 && display.as_bytes()[i - 1] == b'-' => {}
            b'>' => depth += 1,
            b'<' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return display[..i].strip_suffix("::").unwrap_or(display);
                }
            }
            _ => {}
        }
    }
    display
}

/// Returns the path of a function from that of its type on, if it is a method of one: `a::B>::c` of
/// `<&mut a::B>::c`.
pub fn from_type(display: &str) -> &str {
    let path = display.trim_start_matches(['<', '&', '*', '(']);
    path.strip_prefix("mut ").unwrap_or(path)
}

/// Returns the crate of a function: for a method, that of its type.
pub fn crate_of(display: &str) -> Option<&str> {
    from_type(display).split_once("::").map(|(name, _)| name)
}

/// Returns the last of the generic arguments at the end of a path: `c` of `a::b::<d<e, f>, c>`.
pub fn last_argument(display: &str) -> Option<&str> {
    let list = display.strip_prefix(without_arguments(display))?;
    split_list(list.strip_prefix("::<")?.strip_suffix('>')?).last()
}

/// Splits a list of generic arguments at its commas.
pub fn split_list(list: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut before) = (0usize, b' ');
    let is_comma = move |c: char| {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' if before == b'-' => {}
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = if c == '-' { b'-' } else { b' ' };
        c == ',' && depth == 0
    };
    list.split(is_comma).map(str::trim)
}

/// Method of a trait, as some type has it: `<implementor as trait_path>::method`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraitMethod<'a> {
    /// Type that implements the trait, with its arguments.
    pub implementor: &'a str,
    /// Path of the trait, with its arguments.
    pub trait_path: &'a str,
    /// Name of the method, without arguments.
    pub method: &'a str,
}

impl<'a> TraitMethod<'a> {
    /// Takes the name of a function apart; `None` if it is not of this form.
    pub fn of(display: &'a str) -> Option<Self> {
        let path = without_arguments(display);
        let (mut depth, mut split) = (0usize, None);
        let bytes = path.as_bytes();
        for (i, b) in path.bytes().enumerate() {
            match b {
                b'<' => depth += 1,
                b'>' if i > 0 && bytes[i - 1] == b'-' => {}
                b'>' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        let at: usize = split?;
                        return Some(TraitMethod {
                            implementor: &path[1..at],
                            trait_path: &path[at + AS.len()..i],
                            method: path[i + 1..].strip_prefix("::")?,
                        });
                    }
                }
                b' ' if depth == 1 && path[i..].starts_with(AS) => split = Some(i),
                _ if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }

    /// Reports whether this is the method of a trait that a path names.
    pub fn is(&self, path: &str) -> bool {
        let of_trait = path.strip_suffix(self.method);
        of_trait.and_then(|path| path.strip_suffix("::")) == Some(self.trait_path)
    }
}

/// Text between a type and the trait that it implements.
const AS: &str = " as ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_arguments_are_left_out() {
        assert_eq!(without_arguments("a::b"), "a::b");
        assert_eq!(without_arguments("a::b::<c::<d>, e>"), "a::b");
        assert_eq!(without_arguments("a::b::<fn(x) -> y>"), "a::b");
        assert_eq!(without_arguments("a::b::<u8>::c"), "a::b::<u8>::c");
        assert_eq!(without_arguments("<a as b<c>>"), "<a as b<c>>");
    }

    #[test]
    fn the_last_argument_is_found() {
        assert_eq!(last_argument("a::b::<d<e, f>, c>"), Some("c"));
        assert_eq!(last_argument("a::b::<(u8, u8)>"), Some("(u8, u8)"));
        assert_eq!(
            last_argument("a::b::<u8, fn(x, y) -> z>"),
            Some("fn(x, y) -> z")
        );
        assert_eq!(last_argument("a::b"), None);
    }

    #[test]
    fn methods_of_traits_are_taken_apart() {
        let found = TraitMethod::of("<a::B<u8> as c::D>::e::<&f>").expect("it is one");
        let expected = TraitMethod {
            implementor: "a::B<u8>",
            trait_path: "c::D",
            method: "e",
        };
        assert_eq!(found, expected);
        assert!(found.is("c::D::e"));
        assert!(!found.is("c::D::f"));
        assert!(!found.is("D::e"));
        let nested = TraitMethod::of("<<a as b>::C as d<fn(x) -> y>>::e").expect("it is one");
        assert_eq!(nested.implementor, "<a as b>::C");
        assert_eq!(nested.trait_path, "d<fn(x) -> y>");
        for other in [
            "a::b",
            "<a>::b",
            "<a as b>",
            "<a as b>::c::{closure#0}<",
            ">",
            "<a as",
            "",
        ] {
            let found = TraitMethod::of(other);
            assert!(
                found.is_none_or(|f| f.method.contains("closure")),
                "{other}"
            );
        }
    }
}
