//! Paths of functions as source code writes them, and the demangled names of a program that they
//! mean.
//!
//! What a module imports is not known here: a path means the function whose name is closest to it.

use super::rust_path::{TraitMethod, without_arguments};

/// A path to a function as it is written in some module: `self::f`, `Type::method`,
/// `<Type as Trait>::method`.
#[derive(Debug)]
pub struct WrittenPath {
    /// Path from the crate on, where the text says where it begins.
    anchored: Option<Vec<String>>,
    /// Path of the module that it is written in.
    module: Vec<String>,
    /// What is written, without generic arguments.
    segments: Vec<String>,
    /// Name of the trait whose method it is, if it says so.
    of_trait: Option<String>,
    /// Type whose method it is, if it says which of several it is, by its [`shape`].
    of_type: Option<String>,
}

/// How close the name of a function is to a written path; the closest comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Closeness {
    /// The path, read from the module or from the crate on.
    Same,
    /// It ends with what is written, the beginning of which may be imported.
    Imported,
    /// It has the same name in the same crate, which may export it from elsewhere.
    Exported,
    /// A function of C's, declared where the path says.
    Foreign,
}

/// What a written path means.
#[derive(PartialEq, Eq, Debug)]
pub enum Meaning<T> {
    /// Instances of one function.
    One(Vec<T>),
    /// Several functions, of which these are two, by their demangled names.
    Several(String, String),
    /// Nothing in the program.
    Nothing,
}

/// The name of a function, taken apart.
#[derive(Debug)]
struct Name<'a> {
    /// What the name begins with, without the function itself: a type with its arguments, if it is
    /// a method of one.
    of_type: &'a str,
    /// The path without generic arguments; for a method, that of its type with its own name.
    segments: Vec<&'a str>,
    of_trait: Option<&'a str>,
}

impl<'a> Name<'a> {
    fn of(display: &'a str) -> Option<Self> {
        let path = without_arguments(display);
        if let Some(method) = TraitMethod::of(path) {
            let mut segments = split(method.implementor);
            segments.push(method.method);
            return Some(Name {
                of_type: method.implementor,
                segments,
                of_trait: split(method.trait_path).pop(),
            });
        }
        let (of_type, segments) = match path.strip_prefix('<') {
            Some(rest) => {
                let (of_type, method) = rest.rsplit_once(">::")?;
                let mut segments = split(of_type);
                segments.extend(split(method));
                (of_type, segments)
            }
            None => {
                let of_type = path.rsplit_once("::").map_or("", |(of_type, _)| of_type);
                (of_type, split(path))
            }
        };
        let name = Name {
            of_type,
            segments,
            of_trait: None,
        };
        (!name.segments.is_empty()).then_some(name)
    }

    /// Reports whether it is the same function, or another instance of it.
    fn is_of(&self, other: &Name<'_>) -> bool {
        self.segments == other.segments && self.of_trait == other.of_trait
    }
}

/// Returns a type without the modules of what it names, and without spaces that mean nothing.
fn shape(of_type: &str) -> String {
    let (mut shape, mut word) = (String::new(), 0);
    let mut rest = of_type;
    while let Some(c) = rest.chars().next() {
        rest = match rest.strip_prefix("::") {
            Some(after) => {
                if !after.starts_with('<') {
                    shape.truncate(word);
                }
                after
            }
            None => {
                let is_word = c.is_alphanumeric() || c == '_';
                if !c.is_whitespace() || shape.ends_with(char::is_alphanumeric) {
                    shape.push(c);
                }
                if !is_word {
                    word = shape.len();
                }
                &rest[c.len_utf8()..]
            }
        };
    }
    shape
}

/// Reports whether a type is the one that is written, by their shapes; what is written may leave
/// out arguments at the end, which have defaults.
fn is_instance(of_type: &str, written: &str) -> bool {
    let more = written
        .strip_suffix('>')
        .and_then(|start| of_type.strip_prefix(start));
    of_type == written || more.is_some_and(|more| more.starts_with([',', '>']))
}

/// Splits a path at its `::`, without generic arguments. Slices are one and the same.
fn split(path: &str) -> Vec<&str> {
    let path = path.trim_start_matches(['&', '*']);
    let path = path.strip_prefix("mut ").unwrap_or(path).trim();
    if path.starts_with('[') && !path.contains(';') {
        return vec!["[]"];
    }
    let (mut segments, mut depth, mut start) = (Vec::new(), 0usize, 0);
    let bytes = path.as_bytes();
    for (i, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' | b'(' | b'[' => {
                if depth == 0 && i > start {
                    segments.push(&path[start..i]);
                }
                depth += 1;
            }
            b'>' if i > 0 && bytes[i - 1] == b'-' => {}
            b'>' | b')' | b']' => {
                depth = depth.saturating_sub(1);
                start = i + 1;
            }
            b':' if depth == 0 => {
                if i > start {
                    segments.push(&path[start..i]);
                }
                start = i + 1;
            }
            _ => {}
        }
    }
    if depth == 0 && start < path.len() {
        segments.push(&path[start..]);
    }
    segments.retain(|segment| !segment.trim().is_empty());
    segments
}

/// Reports whether two names are of one crate, or of crates that export each other's functions.
fn is_crate(a: &str, b: &str) -> bool {
    const STANDARD: [&str; 3] = ["core", "alloc", "std"];
    a == b || STANDARD.contains(&a) && STANDARD.contains(&b)
}

impl WrittenPath {
    /// Reads a path that is written in a module, which is given from its crate on. `None` if it is
    /// no path.
    pub fn read(module: &str, text: &str) -> Option<Self> {
        let spaced: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut text = spaced;
        for sign in ["::", "<", ">", "&", "[", "]"] {
            text = text
                .replace(&format!(" {sign}"), sign)
                .replace(&format!("{sign} "), sign);
        }
        let text = text.strip_prefix("::").unwrap_or(&text);
        let name = Name::of(text)?;
        let module: Vec<String> = split(module).into_iter().map(str::to_owned).collect();
        let mut base = module.clone();
        let mut is_anchored = false;
        let mut rest = name.segments.as_slice();
        while let [first, others @ ..] = rest {
            match *first {
                "crate" => base.truncate(1),
                "self" => {}
                "super" => {
                    base.pop()?;
                }
                _ => break,
            }
            is_anchored = true;
            rest = others;
        }
        let segments: Vec<String> = rest.iter().map(|s| (*s).to_owned()).collect();
        if segments.is_empty() {
            return None;
        }
        base.extend(segments.iter().cloned());
        Some(WrittenPath {
            anchored: is_anchored.then_some(base),
            module,
            segments,
            of_trait: name.of_trait.map(str::to_owned),
            of_type: Some(shape(name.of_type)).filter(|shape| shape.contains(['<', '['])),
        })
    }

    /// Returns the functions that the path means, among these demangled names.
    pub fn meaning<'a, T>(&self, names: impl Iterator<Item = (T, &'a str)>) -> Meaning<T> {
        let last = self.segments.last().expect("not empty");
        let mut closest: Option<(Closeness, bool)> = None;
        let mut found: Vec<(T, &str, Name<'a>)> = Vec::new();
        // Most names are told apart by their bytes.
        for (id, display) in names.filter(|(_, display)| display.contains(last.as_str())) {
            let Some(name) = Name::of(display) else {
                continue;
            };
            let Some(closeness) = self.closeness(&name) else {
                continue;
            };
            // A type's own method comes before that of a trait.
            let closeness = (closeness, name.of_trait.is_some());
            if closest.is_some_and(|closest| closest < closeness) {
                continue;
            }
            if closest != Some(closeness) {
                found.clear();
            }
            closest = Some(closeness);
            found.push((id, display, name));
        }
        let Some((_, display, first)) = found.first() else {
            return Meaning::Nothing;
        };
        match found.iter().find(|(_, _, name)| !name.is_of(first)) {
            Some((_, other, _)) => Meaning::Several((*display).to_owned(), (*other).to_owned()),
            None => Meaning::One(found.into_iter().map(|(id, ..)| id).collect()),
        }
    }

    fn closeness(&self, name: &Name<'_>) -> Option<Closeness> {
        let full = &name.segments;
        if let Some(of_trait) = &self.of_trait
            && name.of_trait != Some(of_trait.as_str())
        {
            return None;
        }
        if let Some(written) = &self.of_type
            && !is_instance(&shape(name.of_type), written)
        {
            return None;
        }
        let is = |path: &[String]| path.len() == full.len() && ends_with(full, path);
        if let Some(anchored) = &self.anchored {
            let is_of_crate = full.first() == anchored.first().map(String::as_str).as_ref();
            return match () {
                () if is(anchored) => Some(Closeness::Same),
                () if is_of_crate && ends_with(full, self.end()) => Some(Closeness::Exported),
                () => None,
            };
        }
        let segments = &self.segments;
        let is_absolute = segments.len() == full.len()
            && is_crate(full[0], &segments[0])
            && ends_with(&full[1..], &segments[1..]);
        let in_module = || {
            full.len() == self.module.len() + segments.len()
                && ends_with(&full[..self.module.len()], &self.module)
                && ends_with(full, segments)
        };
        let is_of_crate = || segments.len() > 1 && is_crate(full[0], &segments[0]);
        match () {
            () if is_absolute || in_module() => Some(Closeness::Same),
            () if ends_with(full, segments) => Some(Closeness::Imported),
            () if is_of_crate() && ends_with(full, self.end()) => Some(Closeness::Exported),
            () if full.len() == 1
                && !self.is_method()
                && ends_with(full, &segments[segments.len() - 1..]) =>
            {
                Some(Closeness::Foreign)
            }
            () => None,
        }
    }

    /// Returns what stays of the path wherever the function is exported from: its name, with that
    /// of its type.
    fn end(&self) -> &[String] {
        let kept = if self.is_method() { 2 } else { 1 };
        &self.segments[self.segments.len() - kept..]
    }

    /// Reports whether the path looks like that of a method: what is before its name is written as
    /// types are.
    fn is_method(&self) -> bool {
        let of_type = self.segments.iter().rev().nth(1);
        of_type.is_some_and(|name| name.starts_with(|c: char| c.is_uppercase() || c == '['))
    }
}

fn ends_with(full: &[&str], end: &[String]) -> bool {
    full.len() >= end.len() && full.iter().rev().zip(end.iter().rev()).all(|(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 19] = [
        "krate::f",
        "krate::m::f",
        "krate::m::deep::g::<u8>",
        "krate::other::g",
        "<krate::m::Foo<4>>::push",
        "<krate::m::Foo<8>>::push",
        "<krate::m::Foo as core::fmt::Display>::fmt",
        "<krate::m::Foo as core::fmt::Debug>::fmt",
        "std::fs::read::<&str>",
        "<f32>::sqrt",
        "<core::time::Duration>::as_secs",
        "<[u8]>::len",
        "dep::inner::hash",
        "sysconf",
        "krate::m::f::{closure#0}",
        "<(i32, i32) as krate::Tr>::of_tuple",
        "<krate::m::Foo as krate::Tr>::of_tuple",
        "(krate::f, krate::f)",
        "<[krate::m::Foo]>::len",
    ];

    fn meaning(module: &str, text: &str) -> Meaning<usize> {
        let path = WrittenPath::read(module, text).expect("a path");
        path.meaning(NAMES.into_iter().enumerate())
    }

    #[test]
    fn paths_mean_the_closest_function() {
        for (module, text, expected) in [
            ("krate", "f", &[0][..]),
            ("krate::m", "f", &[1]),
            ("krate::m", "super :: f", &[0]),
            ("krate::m", "self::f", &[1]),
            ("krate::m::tests", "crate::f", &[0]),
            ("krate::m::tests", "super::f", &[1]),
            ("krate::tests", "m::f", &[1]),
            ("krate::m::deep", "g", &[2]),
            ("krate", "Foo::push", &[4, 5]),
            ("krate", "m::Foo::<8>::push", &[5]),
            ("krate", "<Foo as core :: fmt :: Display>::fmt", &[6]),
            ("krate", "< m :: Foo as fmt :: Debug > :: fmt", &[7]),
            ("krate", "std::fs::read", &[8]),
            ("krate", "fs::read", &[8]),
            ("krate", "f32::sqrt", &[9]),
            ("krate", "std::time::Duration::as_secs", &[10]),
            ("krate", "Duration::as_secs", &[10]),
            ("krate", "<[u8]>::len", &[11]),
            ("krate", "<[krate::m::Foo]>::len", &[18]),
            ("krate", "dep::hash", &[12]),
            ("krate", "libc::sysconf", &[13]),
            ("krate", "<(i32, i32) as Tr>::of_tuple", &[15]),
            ("krate", "Foo::of_tuple", &[16]),
        ] {
            let expected = Meaning::One(expected.to_vec());
            assert_eq!(meaning(module, text), expected, "{text} in {module}");
        }
    }

    #[test]
    fn types_are_compared_without_modules_and_defaults() {
        let pair = "a::Pair<alloc::string::String, (u8, b::C<4>), d::Default>";
        assert_eq!(shape(pair), "Pair<String,(u8,C<4>),Default>");
        assert_eq!(shape("*const [dyn a::B]"), "*const [dyn B]");
        assert_eq!(shape("Pair::<String>"), "Pair<String>");
        assert!(is_instance(&shape(pair), "Pair<String>"));
        assert!(is_instance("Pair<u8>", "Pair<u8>"));
        assert!(!is_instance("Pair<u16>", "Pair<u1>"));
    }

    #[test]
    fn what_is_missing_or_not_clear_is_said() {
        assert_eq!(meaning("krate", "h"), Meaning::Nothing);
        assert_eq!(meaning("krate", "Foo::sysconf"), Meaning::Nothing);
        assert_eq!(meaning("krate", "self::g"), meaning("krate", "g"));
        assert_eq!(
            meaning("krate", "g"),
            Meaning::Several("krate::m::deep::g::<u8>".into(), "krate::other::g".into())
        );
        let (display, debug) = (NAMES[6].to_owned(), NAMES[7].to_owned());
        assert_eq!(
            meaning("krate", "Foo::fmt"),
            Meaning::Several(display, debug)
        );
        assert!(WrittenPath::read("krate", "super::super::f").is_none());
        assert!(WrittenPath::read("krate", "crate").is_none());
    }
}
