//! Names of the items that the attribute generates, by which the tool finds them.
//!
//! A harness `parses` of a module `krate::tests` gets a function `krate::tests::__symex_parses`
//! with the items `entry` (what the engine starts) and `META` (its [description](crate::Meta)), and
//! a test `krate::tests::symex_parses` for native runs.

/// Prefix of the function that contains all items generated for a harness; the harness's name
/// follows.
pub const HOLDER: &str = "__symex_";

/// Name of the function that the engine starts.
pub const ENTRY: &str = "entry";

/// Name of the static with the harness's [description](crate::Meta).
pub const META: &str = "META";

/// Prefix of the test that runs a harness natively; the harness's name follows.
pub const TEST: &str = "symex_";

/// Directory of a package with its recorded regression tests.
pub const REGRESSIONS: &str = "symex-regressions";

/// Kind of an item of a [`HOLDER`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// The function that the engine starts.
    Entry,
    /// The description.
    Meta,
}

/// An item that the attribute generated for a harness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// Crate of the harness.
    pub krate: String,
    /// Path of the harness within its crate: `tests::parses`.
    pub path: String,
    /// Kind of the item.
    pub item: Item,
}

impl Generated {
    /// Reads the path of an item, as symbols are demangled; `None` where it is none of a harness.
    ///
    /// ```
    /// use symex_abi::names::{Generated, Item};
    ///
    /// let entry = Generated::of("krate::tests::__symex_parses::entry").unwrap();
    /// assert_eq!((entry.krate.as_str(), entry.path.as_str()), ("krate", "tests::parses"));
    /// assert_eq!(entry.item, Item::Entry);
    /// assert_eq!(Generated::of("krate::tests::parses"), None);
    /// ```
    pub fn of(path: &str) -> Option<Self> {
        let (holder, item) = path.rsplit_once("::")?;
        let item = match item {
            ENTRY => Item::Entry,
            META => Item::Meta,
            _ => return None,
        };
        let (outer, holder) = holder.rsplit_once("::")?;
        let name = holder.strip_prefix(HOLDER)?;
        let (krate, path) = match outer.split_once("::") {
            Some((krate, module)) => (krate, format!("{module}::{name}")),
            None => (outer, name.to_owned()),
        };
        Some(Generated {
            krate: krate.to_owned(),
            path,
            item,
        })
    }
}

/// Reports whether a symbol, mangled or not, may be of a generated item.
pub fn is_generated(symbol: &str) -> bool {
    symbol.contains(HOLDER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_harnesses_are_told_from_others() {
        let root = Generated::of("k::__symex_f::META").unwrap();
        assert_eq!((root.path.as_str(), root.item), ("f", Item::Meta));
        for other in [
            "META",
            "__symex_f::META",
            "k::META",
            "k::f::META",
            "k::__symex_f::native",
            "k::__symex_f::entry::{closure#0}",
        ] {
            assert_eq!(Generated::of(other), None, "{other}");
        }
        assert!(is_generated(
            "_RNvNtNtCs1234_5krate5tests14___symex_parses4META"
        ));
        assert!(!is_generated("_RNvNtCs1234_5krate5tests4META"));
    }
}
