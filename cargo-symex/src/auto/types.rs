//! Types, as signatures of a crate's public functions name them.

use std::collections::BTreeMap;

/// Number of an item in the description of a crate.
pub type Id = u64;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `u8`, `str`, `never` and so on.
    Primitive(String),
    /// A struct, an enum or the like.
    Named(Named),
    /// A type parameter.
    Parameter(String),
    Tuple(Vec<Type>),
    Slice(Box<Type>),
    /// The length is an expression.
    Array(Box<Type>, String),
    Reference {
        mutable: bool,
        is_static: bool,
        to: Box<Type>,
    },
    /// `impl Trait`
    Impl(Vec<Bound>),
    /// `dyn Trait`
    Dyn(Vec<Bound>),
    /// An associated type of a type.
    Projection {
        of: Box<Type>,
        name: String,
    },
    /// A closure, which takes the place of a parameter with a bound such as `FnMut(A) -> B`.
    Closure {
        arity: usize,
        output: Box<Type>,
        once: bool,
    },
    /// Not a type but the value of a const parameter, an expression.
    Const(String),
    /// A type that no input can have; the text names its kind.
    Other(&'static str),
}

/// A type that has a name and perhaps arguments. Lifetimes are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub id: Id,
    /// The name as it was defined.
    pub name: String,
    /// The crate that defines it, empty for the crate itself.
    pub krate: String,
    /// The module that defines it.
    pub module: String,
    pub arguments: Vec<Type>,
}

/// A bound on a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    pub of: Named,
    /// Associated types that the bound fixes.
    pub bindings: Vec<(String, Type)>,
    /// Arguments and result of `Fn(A) -> B` and the like.
    pub call: Option<(Vec<Type>, Type)>,
    /// Associated types on which the bound lays bounds.
    pub item_bounds: Vec<(String, Vec<Bound>)>,
}

/// What type parameters stand for.
pub type Bindings = BTreeMap<String, Type>;

/// Crates of the standard library.
const STD: [&str; 3] = ["std", "core", "alloc"];

impl Named {
    /// Reports whether the standard library defines it.
    pub fn is_std(&self) -> bool {
        STD.contains(&self.krate.as_str())
    }
}

impl Type {
    /// Returns a primitive type.
    pub fn primitive(name: &str) -> Self {
        Type::Primitive(name.to_owned())
    }

    /// Returns a type of the standard library.
    pub fn std(name: &str, arguments: Vec<Type>) -> Self {
        Type::Named(Named {
            id: Id::MAX,
            name: name.to_owned(),
            krate: "std".to_owned(),
            module: String::new(),
            arguments,
        })
    }

    /// Returns a reference to a type.
    pub fn reference(to: Type) -> Self {
        Type::Reference {
            mutable: false,
            is_static: false,
            to: Box::new(to),
        }
    }

    /// Returns `()`.
    pub fn unit() -> Self {
        Type::Tuple(Vec::new())
    }

    /// Reports whether it is this primitive type.
    pub fn is(&self, name: &str) -> bool {
        matches!(self, Type::Primitive(primitive) if primitive == name)
    }

    /// Returns the type of the standard library with this name, if it is that.
    pub fn as_std(&self, name: &str) -> Option<&Named> {
        match self {
            Type::Named(named) if named.is_std() && named.name == name => Some(named),
            _ => None,
        }
    }

    /// Returns the type without references around it.
    pub fn referent(&self) -> &Type {
        match self {
            Type::Reference { to, .. } => to.referent(),
            _ => self,
        }
    }

    /// Replaces parts of a type, from the inside out.
    pub fn map(&self, with: &mut dyn FnMut(Type) -> Type) -> Type {
        let mapped = match self {
            Type::Primitive(_) | Type::Parameter(_) | Type::Const(_) | Type::Other(_) => {
                self.clone()
            }
            Type::Named(named) => Type::Named(map_named(named, with)),
            Type::Tuple(parts) => Type::Tuple(parts.iter().map(|part| part.map(with)).collect()),
            Type::Slice(of) => Type::Slice(Box::new(of.map(with))),
            Type::Array(of, length) => Type::Array(Box::new(of.map(with)), length.clone()),
            Type::Reference {
                mutable,
                is_static,
                to,
            } => Type::Reference {
                mutable: *mutable,
                is_static: *is_static,
                to: Box::new(to.map(with)),
            },
            Type::Impl(bounds) => Type::Impl(map_bounds(bounds, with)),
            Type::Dyn(bounds) => Type::Dyn(map_bounds(bounds, with)),
            Type::Projection { of, name } => Type::Projection {
                of: Box::new(of.map(with)),
                name: name.clone(),
            },
            Type::Closure {
                arity,
                output,
                once,
            } => Type::Closure {
                arity: *arity,
                output: Box::new(output.map(with)),
                once: *once,
            },
        };
        with(mapped)
    }

    /// Replaces parameters by what they stand for.
    pub fn substitute(&self, bindings: &Bindings) -> Type {
        self.map(&mut |part| match &part {
            Type::Parameter(name) => bindings.get(name).cloned().unwrap_or(part),
            Type::Array(of, length) => match bindings.get(length) {
                Some(Type::Const(value)) => Type::Array(of.clone(), value.clone()),
                _ => part,
            },
            Type::Const(name) => bindings.get(name).cloned().unwrap_or(part),
            _ => part,
        })
    }

    /// Reports whether a part of the type satisfies this.
    pub fn any(&self, is: &mut dyn FnMut(&Type) -> bool) -> bool {
        let mut found = false;
        self.map(&mut |part| {
            found = found || is(&part);
            part
        });
        found
    }

    /// Reports whether the type mentions a parameter.
    pub fn mentions(&self, parameter: &str) -> bool {
        self.any(&mut |part| match part {
            Type::Parameter(name) | Type::Const(name) => name == parameter,
            Type::Array(_, length) => length == parameter,
            _ => false,
        })
    }
}

fn map_named(named: &Named, with: &mut dyn FnMut(Type) -> Type) -> Named {
    Named {
        arguments: named
            .arguments
            .iter()
            .map(|argument| argument.map(with))
            .collect(),
        ..named.clone()
    }
}

fn map_bounds(bounds: &[Bound], with: &mut dyn FnMut(Type) -> Type) -> Vec<Bound> {
    bounds.iter().map(|bound| bound.map(with)).collect()
}

impl Bound {
    fn map(&self, with: &mut dyn FnMut(Type) -> Type) -> Bound {
        let bindings = self.bindings.iter();
        let items = self.item_bounds.iter();
        Bound {
            of: map_named(&self.of, with),
            bindings: bindings
                .map(|(name, ty)| (name.clone(), ty.map(with)))
                .collect(),
            call: self.call.as_ref().map(|(inputs, output)| {
                let inputs = inputs.iter().map(|input| input.map(with)).collect();
                (inputs, output.map(with))
            }),
            item_bounds: items
                .map(|(name, bounds)| (name.clone(), map_bounds(bounds, with)))
                .collect(),
        }
    }

    /// Replaces parameters by what they stand for.
    pub fn substitute(&self, bindings: &Bindings) -> Bound {
        self.map(&mut |part| part.substitute(bindings))
    }

    /// Reports whether it is this trait of the standard library.
    pub fn is_std(&self, name: &str) -> bool {
        self.of.is_std() && self.of.name == name
    }
}

/// Finds what the parameters of a pattern stand for where it is to be this type. Returns whether it
/// can be.
pub fn unify(pattern: &Type, ty: &Type, bindings: &mut Bindings) -> bool {
    let all = |patterns: &[Type], types: &[Type], bindings: &mut Bindings| {
        patterns.len() == types.len()
            && patterns
                .iter()
                .zip(types)
                .all(|(pattern, ty)| unify(pattern, ty, bindings))
    };
    let mut bind = |name: &str, ty: &Type| match bindings.get(name) {
        Some(bound) => bound == ty,
        None => {
            bindings.insert(name.to_owned(), ty.clone());
            true
        }
    };
    match (pattern, ty) {
        (Type::Parameter(name), _) => bind(name, ty),
        // What it is shows when its parameters have types.
        (Type::Projection { .. }, _) => true,
        (Type::Const(name), Type::Const(value)) => name == value || bind(name, ty),
        (Type::Named(a), Type::Named(b)) => {
            a.name == b.name
                && (a.id == b.id || (a.is_std() && b.is_std()))
                && all(&a.arguments, &b.arguments, bindings)
        }
        (Type::Tuple(a), Type::Tuple(b)) => all(a, b, bindings),
        (Type::Slice(a), Type::Slice(b)) => unify(a, b, bindings),
        (Type::Array(a, length), Type::Array(b, value)) => {
            (length == value || bind(length, &Type::Const(value.clone()))) && unify(a, b, bindings)
        }
        (
            Type::Reference { mutable, to, .. },
            Type::Reference {
                mutable: other,
                to: ty,
                ..
            },
        ) => mutable == other && unify(to, ty, bindings),
        _ => pattern == ty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_unified_with_a_type() {
        let parameter = |name: &str| Type::Parameter(name.to_owned());
        let pattern = Type::std(
            "Vec",
            vec![Type::Array(Box::new(parameter("T")), "N".into())],
        );
        let of = |length: &str| Type::Array(Box::new(Type::primitive("u8")), length.into());
        let mut bindings = Bindings::new();
        assert!(unify(
            &pattern,
            &Type::std("Vec", vec![of("4")]),
            &mut bindings
        ));
        assert_eq!(bindings["T"], Type::primitive("u8"));
        assert_eq!(bindings["N"], Type::Const("4".into()));
        assert_eq!(
            pattern.substitute(&bindings),
            Type::std("Vec", vec![of("4")])
        );
        let twice = Type::Tuple(vec![parameter("T"), parameter("T")]);
        let other = Type::Tuple(vec![Type::primitive("u8"), Type::primitive("u16")]);
        assert!(!unify(&twice, &other, &mut Bindings::new()));
    }
}
