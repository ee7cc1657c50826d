//! The public part of a crate: functions that a user can call, and types that a user can name.

use super::types::{Bound, Id, Named, Type};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The public functions, types and traits of a crate.
#[derive(Clone, Debug, Default)]
pub struct Api {
    /// The name by which code refers to the crate.
    pub krate: String,
    /// In the order of the source.
    pub functions: Vec<Function>,
    pub types: BTreeMap<Id, TypeItem>,
    /// All implementations of traits, other than derived and blanket ones.
    pub impls: Vec<Impl>,
    /// Constants and statics, by their paths.
    pub constants: Vec<(String, Type)>,
    /// Paths of traits that a user can name.
    pub traits: BTreeMap<Id, String>,
    /// The types that have a bound, as found so far: by the bound, and by how deep parameters of
    /// types may be nested.
    pub implementors: RefCell<BTreeMap<(String, u32), Vec<Type>>>,
}

/// A function, or a function in an implementation.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub owner: Owner,
    pub generics: Generics,
    pub inputs: Vec<(String, Type)>,
    pub output: Type,
    pub is_unsafe: bool,
    pub is_async: bool,
    pub is_deprecated: bool,
    /// Whether its documentation has a section `# Panics`.
    pub may_panic: bool,
    /// Place in the source: file and line.
    pub place: (String, u64),
}

/// Where a function belongs to.
#[derive(Clone, Debug)]
pub enum Owner {
    /// A module; the path of the function.
    Module(String),
    /// A type of the crate, whose own method it is.
    Type(Type),
    /// The implementation of a trait for a type.
    Trait { of: Type, by: Named },
}

/// Parameters for types and constants.
#[derive(Clone, Debug, Default)]
pub struct Generics {
    pub parameters: Vec<Parameter>,
    /// Bounds on types that are not just a parameter.
    pub conditions: Vec<(Type, Vec<Bound>)>,
    /// How many of the parameters, the first ones, are those of the implementation.
    pub of_impl: usize,
}

/// A parameter of a function, a type or an implementation.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    /// The type of a const parameter.
    pub constant: Option<Type>,
    pub bounds: Vec<Bound>,
    pub default: Option<Type>,
}

/// A type of the crate that a user can name.
#[derive(Clone, Debug)]
pub struct TypeItem {
    /// With the crate first: `krate::module::Name`.
    pub path: String,
    pub name: String,
    pub parameters: Vec<Parameter>,
    pub shape: Shape,
}

/// What a type is made of, as far as a user can make it.
#[derive(Clone, Debug)]
pub enum Shape {
    Struct(Fields),
    Enum(Vec<(String, Fields)>),
    /// Another name for a type.
    Alias(Type),
    /// It has parts that are not public.
    Opaque,
}

/// The fields of a struct or variant.
#[derive(Clone, Debug)]
pub enum Fields {
    Unit,
    Tuple(Vec<Type>),
    Named(Vec<(String, Type)>),
    /// Some are not public.
    Hidden,
}

/// The implementation of a trait for a type.
#[derive(Clone, Debug)]
pub struct Impl {
    pub by: Named,
    pub of: Type,
    pub generics: Generics,
    pub types: Vec<(String, Type)>,
    /// Whether it is derived.
    pub is_derived: bool,
}

impl Function {
    /// Reports whether it is a method, with a receiver.
    pub fn is_method(&self) -> bool {
        self.inputs.first().is_some_and(|(name, _)| name == "self")
    }

    /// Returns the path by which reports name it, without the crate: `Version::parse`.
    pub fn path(&self, api: &Api) -> String {
        let without_crate = |path: &str| {
            let inner = path.strip_prefix(&api.krate);
            let inner = inner.and_then(|inner| inner.strip_prefix("::"));
            inner.unwrap_or(path).to_owned()
        };
        let of_type = |of: &Type| match of {
            // The path of another crate's type would not help.
            Type::Named(named) if !named.krate.is_empty() => named.name.clone(),
            of => without_crate(&api.spell_bare(of)),
        };
        match &self.owner {
            Owner::Module(path) => without_crate(path),
            Owner::Type(of) => format!("{}::{}", of_type(of), self.name),
            Owner::Trait { of, by } => {
                let of = of_type(of);
                let by = match api.traits.get(&by.id) {
                    Some(path) => without_crate(path),
                    None => by.name.clone(),
                };
                format!("<{of} as {by}>::{}", self.name)
            }
        }
    }
}
