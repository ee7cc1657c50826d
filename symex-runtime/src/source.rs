//! Values as Rust expressions, for the regression tests of findings.
//!
//! A [`Source`] collects the text and knows the module in which it must be valid. Invariant: an
//! expression that it accepts compiles there; everything that may not be visible is refused with
//! `fmt::Error`, and the caller rebuilds the value from its draws instead.

use core::fmt;

use crate::symbolic::Symbolic;

/// Place of a piece of code, which determines the paths it can name.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The value of `CARGO_MANIFEST_DIR` of the package.
    pub manifest_dir: Option<&'static str>,
    /// The value of `CARGO_BIN_NAME` of the target, if it is a binary: it may share its crate's
    /// name with the library.
    pub bin: Option<&'static str>,
    /// The value of `module_path!()`.
    pub module: &'static str,
}

/// Visibility of a type or field, as written.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// No visibility, `pub(self)` or `pub(in ..)`.
    Private,
    /// `pub(super)`.
    Super,
    /// `pub(crate)`.
    Crate,
    /// `pub`.
    Public,
}

/// Receives the Rust expression of a value, for the regression test that a finding leaves behind.
///
/// Write to it with `write!`, and nested values with their own [`Symbolic::source`].
///
/// ```
/// use std::fmt::{self, Write as _};
/// use symex::{Cx, Source, Symbolic};
///
/// pub struct Label {
///     text: String,
///     colours: Vec<u32>,
///     size: Option<u8>,
/// }
///
/// impl Symbolic for Label {
///     fn any(cx: &mut Cx) -> Self {
///         let (text, colours, size) = cx.any();
///         Label { text, colours, size }
///     }
///
///     fn source(&self, out: &mut Source) -> fmt::Result {
///         write!(out, "crate::Label::new(")?;
///         out.literal(&self.text);
///         write!(out, ", &[")?;
///         out.list(&self.colours)?;
///         write!(out, "], ")?;
///         self.size.source(out)?;
///         write!(out, ")")
///     }
/// }
/// # let label: Label = symex::value(&[]);
/// # let text = Source::of(&label).unwrap();
/// # assert_eq!(text, r#"crate::Label::new("", &[], None)"#);
/// ```
#[derive(Debug)]
pub struct Source {
    text: String,
    place: Option<Place>,
}

impl Source {
    /// Creates a collector of expressions that must be valid in the module of the harness.
    #[doc(hidden)]
    pub fn for_place(place: Place) -> Self {
        Source {
            text: String::new(),
            place: Some(place),
        }
    }

    /// Returns the expression of a value that needs no path of the user's crate.
    #[doc(hidden)]
    pub fn of<T: Symbolic>(value: &T) -> Option<String> {
        let mut out = Source {
            text: String::new(),
            place: None,
        };
        value.source(&mut out).ok().map(|()| out.text)
    }

    /// Returns the text so far.
    #[doc(hidden)]
    pub fn into_text(self) -> String {
        self.text
    }

    /// Writes the expressions of some values, separated by commas.
    ///
    /// # Errors
    /// [`fmt::Error`] where one of them cannot be written as an expression.
    pub fn list<'a, T: Symbolic + 'a>(
        &mut self,
        values: impl IntoIterator<Item = &'a T>,
    ) -> fmt::Result {
        for (i, value) in values.into_iter().enumerate() {
            if i > 0 {
                self.text.push_str(", ");
            }
            value.__source_in_list(self)?;
        }
        Ok(())
    }

    /// Writes a text as a literal.
    pub fn literal(&mut self, text: &str) {
        self.text.push('"');
        for c in text.chars() {
            match c {
                '\'' => self.text.push('\''),
                _ => self.text.extend(c.escape_debug()),
            }
        }
        self.text.push('"');
    }

    /// Writes an operand of `..`, bracketed where it is a range itself.
    pub(crate) fn operand<T: Symbolic>(&mut self, value: &T) -> fmt::Result {
        let from = self.text.len();
        value.source(self)?;
        if self.text[from..].contains("..") {
            self.text.insert(from, '(');
            self.text.push(')');
        }
        Ok(())
    }

    /// Writes the path of the type `name` declared at `at`, if it and its fields can be seen from
    /// here.
    ///
    /// `type_name` is the compiler's own name of the type: it differs from the module's path plus
    /// `name` for types inside functions, which no other place can name.
    #[doc(hidden)]
    pub fn path(&mut self, at: Place, name: &str, type_name: &str, reach: Reach) -> fmt::Result {
        let plain = type_name.split('<').next().unwrap_or_default();
        let bare = name.strip_prefix("r#").unwrap_or(name);
        if plain
            .strip_prefix(at.module)
            .and_then(|rest| rest.strip_prefix("::"))
            != Some(bare)
        {
            return Err(fmt::Error);
        }
        let here = self.place.ok_or(fmt::Error)?;
        let prefix = visible_module(here, at, reach).ok_or(fmt::Error)?;
        self.text.push_str(&prefix);
        self.text.push_str("::");
        self.text.push_str(name);
        Ok(())
    }
}

impl fmt::Write for Source {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.push_str(text);
        Ok(())
    }
}

/// Returns the path of the module `at`, as seen from `here`, if items declared there with `reach`
/// can be named.
///
/// Modules on the way may be private, which we cannot see: a path is sure only where each step is
/// an item of a module that encloses `here`. So the module may lie at most one step below the last
/// common one.
fn visible_module(here: Place, at: Place, reach: Reach) -> Option<String> {
    if here.manifest_dir != at.manifest_dir {
        return None;
    }
    let from: Vec<&str> = here.module.split("::").collect();
    let to: Vec<&str> = at.module.split("::").collect();
    if from[0] != to[0] || here.bin != at.bin {
        // Another target of the package: its library, if it is anything we can reach.
        let library_root = to.len() == 1 && at.bin.is_none() && from[0] != to[0];
        return (library_root && reach == Reach::Public).then(|| format!("::{}", to[0]));
    }
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let visible = match to.len() - common {
        0 => true,
        1 => reach >= Reach::Super,
        _ => false,
    };
    visible.then(|| {
        let mut path = String::from("crate");
        for module in &to[1..] {
            path.push_str("::");
            path.push_str(module);
        }
        path
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(module: &'static str) -> Place {
        Place {
            manifest_dir: Some("/p"),
            bin: None,
            module,
        }
    }

    fn seen(from: &'static str, at: &'static str, reach: Reach) -> Option<String> {
        visible_module(place(from), place(at), reach)
    }

    #[test]
    fn own_and_enclosing_modules_show_private_items() {
        assert_eq!(
            seen("k::a::tests", "k::a::tests", Reach::Private).unwrap(),
            "crate::a::tests"
        );
        assert_eq!(
            seen("k::a::tests", "k::a", Reach::Private).unwrap(),
            "crate::a"
        );
        assert_eq!(seen("k::a::tests", "k", Reach::Private).unwrap(), "crate");
    }

    #[test]
    fn a_sibling_module_shows_what_is_not_private() {
        assert_eq!(seen("k::tests", "k::model", Reach::Private), None);
        assert_eq!(
            seen("k::tests", "k::model", Reach::Super).unwrap(),
            "crate::model"
        );
        assert_eq!(
            seen("k::tests", "k::model", Reach::Public).unwrap(),
            "crate::model"
        );
        assert_eq!(seen("k::tests", "k::model::inner", Reach::Public), None);
    }

    #[test]
    fn a_name_that_merely_starts_alike_is_another_module() {
        assert_eq!(seen("k::ab", "k::a::c", Reach::Public), None);
    }

    #[test]
    fn other_targets_see_the_public_root_of_the_library() {
        assert_eq!(seen("it", "k", Reach::Public).unwrap(), "::k");
        assert_eq!(seen("it", "k", Reach::Crate), None);
        assert_eq!(seen("it", "k::model", Reach::Public), None);
        let binary = Place {
            bin: Some("k"),
            ..place("k")
        };
        assert_eq!(visible_module(binary, place("k"), Reach::Public), None);
        let other = Place {
            manifest_dir: Some("/q"),
            ..place("k")
        };
        assert_eq!(visible_module(other, place("k"), Reach::Public), None);
    }

    #[test]
    fn literals_are_escaped() {
        let mut out = Source {
            text: String::new(),
            place: None,
        };
        out.literal("a\"\\\n\0'é\u{202e}");
        assert_eq!(out.text, r#""a\"\\\n\0'é\u{202e}""#);
    }
}
