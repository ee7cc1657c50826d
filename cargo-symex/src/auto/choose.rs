//! Chooses types for type parameters, by their bounds.

use super::api::{Api, Generics, Impl, Parameter};
use super::types::{Bindings, Bound, Type, unify};

/// Depth to which implementations of traits are followed for a type.
const DEPTH: u32 = 3;

/// Most types that are tried for a parameter.
const TRIED: usize = 3;

/// Reports whether a bound is one of `Fn`, `FnMut` and `FnOnce`.
fn is_call(bound: &Bound) -> bool {
    bound.call.is_some()
}

/// Returns the closure for these bounds, if they ask for one.
pub fn closure(bounds: &[Bound]) -> Option<Type> {
    let bound = bounds.iter().find(|bound| is_call(bound))?;
    let (inputs, output) = bound.call.as_ref()?;
    Some(Type::Closure {
        arity: inputs.len(),
        output: Box::new(output.clone()),
        once: bound.of.name == "FnOnce",
    })
}

fn bytes() -> Type {
    Type::reference(Type::Slice(Box::new(Type::primitive("u8"))))
}

/// Returns the type that makes hashers, always the same ones.
fn hashers() -> Type {
    let hasher = Type::std("DefaultHasher", vec![]);
    Type::std("BuildHasherDefault", vec![hasher])
}

fn text() -> Type {
    Type::reference(Type::primitive("str"))
}

impl Api {
    /// Chooses what parameters stand for that are not bound yet. `alternative` counts the attempts.
    pub fn instantiate(
        &self,
        generics: &Generics,
        known: Bindings,
        alternative: usize,
    ) -> Result<Bindings, String> {
        self.instantiate_within(generics, known, alternative, DEPTH)
    }

    fn instantiate_within(
        &self,
        generics: &Generics,
        mut bindings: Bindings,
        alternative: usize,
        depth: u32,
    ) -> Result<Bindings, String> {
        let is_open =
            |parameter: &&Parameter, bindings: &Bindings| !bindings.contains_key(&parameter.name);
        // The result of a closure may be another parameter, so closures come last.
        for closures in [false, true] {
            for parameter in &generics.parameters {
                let calls = parameter.bounds.iter().any(is_call);
                if calls != closures || !is_open(&parameter, &bindings) {
                    continue;
                }
                let ty = self.parameter(parameter, generics, &bindings, alternative, depth)?;
                bindings.insert(parameter.name.clone(), ty);
            }
        }
        Ok(bindings)
    }

    fn parameter(
        &self,
        parameter: &Parameter,
        generics: &Generics,
        bindings: &Bindings,
        alternative: usize,
        depth: u32,
    ) -> Result<Type, String> {
        if let Some(of) = &parameter.constant {
            let value = match of {
                Type::Primitive(name) if name == "bool" => "false",
                Type::Primitive(name) if name == "char" => "'a'",
                Type::Primitive(_) => "4",
                _ => return Err(format!("a value for `const {}`", parameter.name)),
            };
            return Ok(Type::Const(value.to_owned()));
        }
        let bounds = parameter.bounds.iter();
        let bounds: Vec<Bound> = bounds.map(|bound| bound.substitute(bindings)).collect();
        if let Some(closure) = closure(&bounds) {
            return Ok(self.resolved(&closure));
        }
        if let Some(default) = &parameter.default {
            // The standard library's own one draws keys at random.
            return Ok(match default.as_std("RandomState") {
                Some(_) => hashers(),
                None => self.resolved(&default.substitute(bindings)),
            });
        }
        // Bounds on the elements of an iterator stand on their own.
        let is_item = |ty: &Type| match ty {
            Type::Projection { of, name } => {
                name == "Item" && **of == Type::Parameter(parameter.name.clone())
            }
            _ => false,
        };
        let items = generics.conditions.iter().filter(|(ty, _)| is_item(ty));
        let items: Vec<Bound> = items.flat_map(|(_, bounds)| bounds.clone()).collect();
        let choices = self.choices(&bounds, &items, depth);
        let chosen = choices.get(alternative).or(choices.last());
        let chosen = chosen.map(|ty| self.resolved(ty));
        chosen.ok_or_else(|| {
            let names: Vec<&str> = bounds.iter().map(|bound| bound.of.name.as_str()).collect();
            format!("a type that is `{}`", names.join(" + "))
        })
    }

    /// Returns types with these bounds, the best first. `items` are bounds on the elements, if it
    /// is to be an iterator.
    pub fn choices(&self, bounds: &[Bound], items: &[Bound], depth: u32) -> Vec<Type> {
        let choices = bounds.iter().find_map(|bound| match () {
            () if bound.of.krate.is_empty() => Some(self.implementors(bound, depth)),
            () if bound.of.is_std() => self.of_std_bound(bound, items, bounds, depth),
            () => None,
        });
        let mut choices = choices.unwrap_or_else(|| {
            let is_known = |bound: &Bound| bound.of.is_std();
            let plain = ["u8", "i32", "f64"].map(Type::primitive);
            match bounds.iter().all(is_known) {
                true => plain[..1].to_vec(),
                false => plain.to_vec(),
            }
        });
        choices.truncate(TRIED);
        choices
    }

    fn of_std_bound(
        &self,
        bound: &Bound,
        items: &[Bound],
        bounds: &[Bound],
        depth: u32,
    ) -> Option<Vec<Type>> {
        let of = bound.of.arguments.first();
        let one = |ty: Type| Some(vec![ty]);
        match bound.of.name.as_str() {
            "AsRef" | "Borrow" => match of? {
                Type::Slice(of) if of.is("u8") => one(bytes()),
                Type::Slice(of) => one(Type::std("Vec", vec![(**of).clone()])),
                Type::Primitive(name) if name == "str" => one(text()),
                Type::Named(named) if matches!(named.name.as_str(), "Path" | "OsStr") => {
                    one(text())
                }
                of if bound.of.name == "Borrow" => one(of.clone()),
                of => one(Type::reference(of.clone())),
            },
            "AsMut" | "BorrowMut" => match of? {
                Type::Slice(of) => one(Type::std("Vec", vec![(**of).clone()])),
                Type::Primitive(name) if name == "str" => one(Type::std("String", vec![])),
                of => one(of.clone()),
            },
            "Into" | "TryInto" => match of? {
                Type::Named(named) if named.is_std() => match named.name.as_str() {
                    "String" | "PathBuf" | "OsString" => one(text()),
                    "Vec" | "Box" | "Rc" | "Arc" if named.arguments == [Type::primitive("u8")] => {
                        one(bytes())
                    }
                    "Cow" if named.arguments == [Type::primitive("str")] => one(text()),
                    _ => one(of?.clone()),
                },
                of => one(of.clone()),
            },
            "Iterator"
            | "DoubleEndedIterator"
            | "ExactSizeIterator"
            | "IntoIterator"
            | "FusedIterator" => {
                let is_iterator = bounds.iter().any(|bound| {
                    bound.is_std(&bound.of.name)
                        && bound.of.name.ends_with("Iterator")
                        && bound.of.name != "IntoIterator"
                });
                let name = if is_iterator { "IntoIter" } else { "Vec" };
                let fixed = bounds.iter().flat_map(|bound| &bound.bindings);
                let fixed = fixed.filter(|(name, _)| name == "Item");
                let asked = bounds.iter().flat_map(|bound| &bound.item_bounds);
                let asked = asked.filter(|(name, _)| name == "Item");
                let asked = asked.flat_map(|(_, bounds)| bounds.clone());
                let asked: Vec<Bound> = asked.chain(items.iter().cloned()).collect();
                let item = match fixed.map(|(_, ty)| ty.clone()).next() {
                    Some(item) => item,
                    None => self.choices(&asked, &[], depth).into_iter().next()?,
                };
                one(Type::std(name, vec![item]))
            }
            "Seek" => one(Type::std("Cursor", vec![bytes()])),
            "Read" | "BufRead" if bounds.iter().any(|bound| bound.is_std("Seek")) => {
                one(Type::std("Cursor", vec![bytes()]))
            }
            "Read" | "BufRead" => one(bytes()),
            "Write" if bound.of.module == "fmt" => one(Type::std("String", vec![])),
            "Write" => one(Type::std("Vec", vec![Type::primitive("u8")])),
            "ToString" | "Display" => one(text()),
            "Hasher" => one(Type::std("DefaultHasher", vec![])),
            "BuildHasher" => one(hashers()),
            "RangeBounds" => one(Type::std("Range", vec![of?.clone()])),
            "SliceIndex" => one(Type::primitive("usize")),
            "Neg" => one(Type::primitive("i32")),
            "From" | "TryFrom" => match of? {
                Type::Primitive(_) => one(of?.clone()),
                _ => None,
            },
            "FromIterator" | "Extend" => one(Type::std("Vec", vec![of?.clone()])),
            "Deref" => {
                let target = bound.bindings.iter().find(|(name, _)| name == "Target")?;
                one(Type::reference(target.1.clone()))
            }
            _ => None,
        }
    }

    /// Returns types that implement a trait of the crate. They are looked for once: where a tuple
    /// of twelve has a trait if its elements have it, there are many ways to each.
    fn implementors(&self, bound: &Bound, depth: u32) -> Vec<Type> {
        if depth == 0 {
            return Vec::new();
        }
        let key = (format!("{bound:?}"), depth);
        let known = self.implementors.borrow().get(&key).cloned();
        known.unwrap_or_else(|| {
            let found = self.found_implementors(bound, depth);
            self.implementors.borrow_mut().insert(key, found.clone());
            found
        })
    }

    fn found_implementors(&self, bound: &Bound, depth: u32) -> Vec<Type> {
        let of = self.impls.iter().filter(|of| of.by.id == bound.of.id);
        let types = of.filter_map(|of| self.implementor(of, bound, depth - 1));
        let mut types: Vec<(u32, Type)> = types.map(|ty| (rank(&ty), ty)).collect();
        types.sort_by_key(|(rank, _)| *rank);
        let mut types: Vec<Type> = types.into_iter().map(|(_, ty)| ty).collect();
        types.dedup();
        types
    }

    fn implementor(&self, of: &Impl, bound: &Bound, depth: u32) -> Option<Type> {
        let mut bindings = Bindings::new();
        let arguments = of.by.arguments.iter().zip(&bound.of.arguments);
        let fits = arguments
            .into_iter()
            .all(|(pattern, ty)| unify(pattern, ty, &mut bindings));
        let bindings = self.instantiate_within(&of.generics, bindings, 0, depth);
        let bindings = bindings.ok().filter(|_| fits)?;
        let ty = self.resolved(&of.of.substitute(&bindings));
        let fixed = bound.bindings.iter().all(|(name, ty)| {
            let known = of.types.iter().find(|(known, _)| known == name);
            known.is_none_or(|(_, known)| {
                self.resolved(&known.substitute(&bindings)) == self.resolved(ty)
            })
        });
        let is_sized = !matches!(ty, Type::Slice(_) | Type::Dyn(_)) && !ty.is("str");
        (fixed && is_sized).then_some(ty)
    }

    /// Replaces associated types by the types that they are, and other names of types, where that
    /// is known.
    pub fn resolved(&self, ty: &Type) -> Type {
        let ty = self.without_aliases(ty);
        ty.map(&mut |part| match &part {
            Type::Projection { of, name } => self.projected(of, name).unwrap_or(part),
            _ => part,
        })
    }

    fn projected(&self, of: &Type, name: &str) -> Option<Type> {
        for known in &self.impls {
            let types = known.types.iter().find(|(known, _)| known == name);
            let mut bindings = Bindings::new();
            if let Some((_, ty)) = types
                && unify(&known.of, of, &mut bindings)
            {
                let ty = ty.substitute(&bindings);
                return (ty != Type::Parameter("Self".to_owned())).then(|| self.resolved(&ty));
            }
        }
        match (of, name) {
            (Type::Named(named), "Item")
                if matches!(named.name.as_str(), "Vec" | "IntoIter") && named.is_std() =>
            {
                named.arguments.first().cloned()
            }
            (Type::Primitive(_), "Output") => Some(of.clone()),
            _ => None,
        }
    }
}

/// Orders types that implement a trait: small plain ones come first.
fn rank(ty: &Type) -> u32 {
    match ty {
        Type::Array(_, length) if length == "4" => 0,
        Type::Primitive(_) => 1,
        Type::Reference { to, .. } if matches!(**to, Type::Slice(_) | Type::Primitive(_)) => 2,
        Type::Array(_, length) => 3 + length.parse::<u32>().map_or(100, |length| length.min(99)),
        Type::Named(named) if named.krate.is_empty() => 110,
        Type::Named(named) if named.is_std() => 120,
        _ => 200,
    }
}
