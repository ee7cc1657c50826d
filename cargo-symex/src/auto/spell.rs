//! How source spells types.

use super::api::{Api, Shape};
use super::types::{Named, Type};

/// Types of the standard library that are not in the prelude, with their paths.
const PATHS: [(&str, &str); 58] = [
    ("Arc", "std::sync::Arc"),
    ("AtomicBool", "std::sync::atomic::AtomicBool"),
    ("AtomicI32", "std::sync::atomic::AtomicI32"),
    ("AtomicI64", "std::sync::atomic::AtomicI64"),
    ("AtomicU32", "std::sync::atomic::AtomicU32"),
    ("AtomicU64", "std::sync::atomic::AtomicU64"),
    ("AtomicUsize", "std::sync::atomic::AtomicUsize"),
    ("BTreeMap", "std::collections::BTreeMap"),
    ("BTreeSet", "std::collections::BTreeSet"),
    ("BinaryHeap", "std::collections::BinaryHeap"),
    ("Bound", "std::ops::Bound"),
    ("BuildHasherDefault", "std::hash::BuildHasherDefault"),
    ("CStr", "std::ffi::CStr"),
    ("CString", "std::ffi::CString"),
    ("Cell", "std::cell::Cell"),
    ("Cow", "std::borrow::Cow"),
    ("Cursor", "std::io::Cursor"),
    ("DefaultHasher", "std::collections::hash_map::DefaultHasher"),
    ("Duration", "std::time::Duration"),
    ("HashMap", "std::collections::HashMap"),
    ("HashSet", "std::collections::HashSet"),
    ("IntoIter", "std::vec::IntoIter"),
    ("IpAddr", "std::net::IpAddr"),
    ("Ipv4Addr", "std::net::Ipv4Addr"),
    ("Ipv6Addr", "std::net::Ipv6Addr"),
    ("LinkedList", "std::collections::LinkedList"),
    ("Mutex", "std::sync::Mutex"),
    ("NonZero", "std::num::NonZero"),
    ("NonZeroI8", "std::num::NonZeroI8"),
    ("NonZeroI16", "std::num::NonZeroI16"),
    ("NonZeroI32", "std::num::NonZeroI32"),
    ("NonZeroI64", "std::num::NonZeroI64"),
    ("NonZeroU8", "std::num::NonZeroU8"),
    ("NonZeroU16", "std::num::NonZeroU16"),
    ("NonZeroU32", "std::num::NonZeroU32"),
    ("NonZeroU64", "std::num::NonZeroU64"),
    ("NonZeroUsize", "std::num::NonZeroUsize"),
    ("Ordering", "std::cmp::Ordering"),
    ("OsStr", "std::ffi::OsStr"),
    ("OsString", "std::ffi::OsString"),
    ("Path", "std::path::Path"),
    ("PathBuf", "std::path::PathBuf"),
    ("PhantomData", "std::marker::PhantomData"),
    ("Range", "std::ops::Range"),
    ("RangeFrom", "std::ops::RangeFrom"),
    ("RangeFull", "std::ops::RangeFull"),
    ("RangeInclusive", "std::ops::RangeInclusive"),
    ("RangeTo", "std::ops::RangeTo"),
    ("RangeToInclusive", "std::ops::RangeToInclusive"),
    ("Rc", "std::rc::Rc"),
    ("RefCell", "std::cell::RefCell"),
    ("Reverse", "std::cmp::Reverse"),
    ("RwLock", "std::sync::RwLock"),
    ("SocketAddr", "std::net::SocketAddr"),
    ("SocketAddrV4", "std::net::SocketAddrV4"),
    ("SocketAddrV6", "std::net::SocketAddrV6"),
    ("SystemTime", "std::time::SystemTime"),
    ("VecDeque", "std::collections::VecDeque"),
];

/// Types of the standard library that are in the prelude.
const PRELUDE: [&str; 5] = ["Box", "Option", "Result", "String", "Vec"];

/// Returns the name by which source refers to a type of the standard library, if drafts know it.
pub fn std_path(name: &str) -> Option<&'static str> {
    let path = PATHS.iter().find(|(known, _)| *known == name);
    let in_prelude = || PRELUDE.into_iter().find(|known| *known == name);
    path.map(|(_, path)| *path).or_else(in_prelude)
}

impl Api {
    /// Spells a type as an argument is declared.
    pub fn spell(&self, ty: &Type) -> String {
        match ty {
            Type::Primitive(name) if name == "never" => "!".to_owned(),
            Type::Primitive(name) | Type::Parameter(name) | Type::Const(name) => name.clone(),
            Type::Named(named) => {
                let arguments = self.spell_arguments(&named.arguments);
                format!("{}{arguments}", self.path_of(named))
            }
            Type::Tuple(parts) => match parts.as_slice() {
                [part] => format!("({},)", self.spell(part)),
                parts => format!("({})", self.spell_list(parts)),
            },
            Type::Slice(of) => format!("[{}]", self.spell(of)),
            Type::Array(of, length) => format!("[{}; {length}]", self.spell(of)),
            Type::Reference {
                mutable,
                is_static,
                to,
            } => {
                let lifetime = if *is_static { "'static " } else { "" };
                let mutable = if *mutable { "mut " } else { "" };
                format!("&{lifetime}{mutable}{}", self.spell(to))
            }
            Type::Impl(bounds) => format!("impl {}", bound_names(bounds)),
            Type::Dyn(bounds) => format!("dyn {}", bound_names(bounds)),
            Type::Projection { of, name } => format!("{}::{name}", self.spell(of)),
            Type::Closure { .. } => "_".to_owned(),
            Type::Other(what) => (*what).to_owned(),
        }
    }

    /// Spells a type in front of `::name`: `krate::Set::<u8>`, `<[u8; 4]>`.
    pub fn spell_qualified(&self, ty: &Type) -> String {
        match ty {
            Type::Named(named) => {
                let path = self.path_of(named);
                match self.spell_arguments(&named.arguments) {
                    none if none.is_empty() => path,
                    arguments => format!("{path}::{arguments}"),
                }
            }
            Type::Primitive(name) if name != "never" => name.clone(),
            other => format!("<{}>", self.spell(other)),
        }
    }

    /// Spells a type without its arguments, as reports name what belongs to it.
    pub fn spell_bare(&self, ty: &Type) -> String {
        match ty {
            Type::Named(named) => self.path_of(named),
            other => self.spell(other),
        }
    }

    /// Returns the path of a type.
    pub fn path_of(&self, named: &Named) -> String {
        match self.types.get(&named.id) {
            Some(item) => item.path.clone(),
            None => std_path(&named.name).unwrap_or(&named.name).to_owned(),
        }
    }

    fn spell_arguments(&self, arguments: &[Type]) -> String {
        match arguments {
            [] => String::new(),
            arguments => format!("<{}>", self.spell_list(arguments)),
        }
    }

    /// Spells types with commas between them.
    pub fn spell_list(&self, types: &[Type]) -> String {
        let types: Vec<String> = types.iter().map(|ty| self.spell(ty)).collect();
        types.join(", ")
    }

    /// Replaces other names of types by the types.
    pub fn without_aliases(&self, ty: &Type) -> Type {
        ty.map(&mut |part| {
            let Type::Named(named) = &part else {
                return part;
            };
            let Some(item) = self.types.get(&named.id) else {
                return part;
            };
            let Shape::Alias(of) = &item.shape else {
                return part;
            };
            let names = item.parameters.iter();
            let names = names.map(|parameter| parameter.name.clone());
            let bindings = names.zip(named.arguments.iter().cloned()).collect();
            self.without_aliases(&of.substitute(&bindings))
        })
    }
}

fn bound_names(bounds: &[super::types::Bound]) -> String {
    let names: Vec<&str> = bounds.iter().map(|bound| bound.of.name.as_str()).collect();
    names.join(" + ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_spelled_as_source_has_them() {
        let api = Api::default();
        let bytes = Type::reference(Type::Slice(Box::new(Type::primitive("u8"))));
        let map = Type::std("HashMap", vec![Type::std("String", vec![]), bytes.clone()]);
        assert_eq!(api.spell(&map), "std::collections::HashMap<String, &[u8]>");
        assert_eq!(
            api.spell_qualified(&Type::std("Vec", vec![bytes])),
            "Vec::<&[u8]>"
        );
        let pair = Type::Tuple(vec![Type::primitive("bool")]);
        assert_eq!(api.spell_qualified(&pair), "<(bool,)>");
    }
}
