//! Makes values of a crate's own types by the functions that return them.

use super::api::{Api, Function, Owner};
use super::inputs::{Made, Maker, Statement, is_symbolic};
use super::types::{Bindings, Named, Type, unify};

/// Most functions that are tried to make a value of a type.
const TRIED: usize = 8;

/// Traits whose functions make values of the type that implements them.
const MAKING: [&str; 6] = [
    "Default",
    "From",
    "FromIterator",
    "FromStr",
    "IntoIterator",
    "TryFrom",
];

/// Names of methods that put something into a value, the most telling first.
const FILLING: [&str; 12] = [
    "insert",
    "push",
    "push_back",
    "push_str",
    "add",
    "put",
    "append",
    "extend",
    "set",
    "write",
    "update",
    "enqueue",
];

/// How a function returns a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Returned {
    Plain,
    Boxed,
    Held(&'static str),
}

/// A function that makes values of a type.
struct Way<'a> {
    function: &'a Function,
    bindings: Bindings,
    returned: Returned,
}

/// Returns how a result holds values, and their type.
fn returned(output: &Type) -> (Returned, &Type) {
    let Type::Named(named) = output else {
        return (Returned::Plain, output);
    };
    match (named.name.as_str(), named.arguments.first()) {
        ("Result", Some(of)) => (Returned::Held("Ok"), of),
        ("Option", Some(of)) if named.is_std() => (Returned::Held("Some"), of),
        ("Box", Some(of)) if named.is_std() => (Returned::Boxed, of),
        _ => (Returned::Plain, output),
    }
}

impl Maker<'_> {
    /// Makes a value by a function that returns one. `why` is the reason for which it cannot be
    /// made of its parts, if that is worth telling.
    pub(super) fn construct(&mut self, named: &Named, hint: &str, why: String) -> Made {
        let mut reason = (!why.is_empty()).then_some(why);
        for way in ways(self.api, named, None, self.alternative)
            .iter()
            .take(TRIED)
        {
            match self.attempt(|maker| maker.construct_by(way, named, hint)) {
                Ok(value) => return Ok(value),
                Err(why) => drop(reason.get_or_insert(why)),
            }
        }
        if let Some((path, of)) = self.constant(named) {
            return Ok(match of {
                Type::Reference { .. } => format!("{path}.clone()"),
                _ => path,
            });
        }
        if is_default(self.api, named) {
            let ty = self.api.spell_qualified(&Type::Named(named.clone()));
            return Ok(self.filled(format!("{ty}::default()"), named, hint));
        }
        Err(match reason {
            Some(why) => format!("`{}`, which needs {why}", named.name),
            None => format!("`{}`, which no function makes", named.name),
        })
    }

    /// Makes a reference to a value by a function that returns one. There is no other way where the
    /// type has no size.
    pub(super) fn borrow(&mut self, named: &Named, mutable: bool, hint: &str) -> Made {
        if self.making.contains(&named.id) {
            return Err(format!("another `{}`", named.name));
        }
        self.making.push(named.id);
        let ways = ways(self.api, named, Some(mutable), self.alternative);
        let mut made = Err(format!("`{}`, which no function makes", named.name));
        for way in ways.iter().take(TRIED) {
            made = self.attempt(|maker| {
                let call = maker.call(way.function, &way.bindings, true)?;
                maker.makers.push(way.function.path(maker.api));
                Ok(match way.returned {
                    Returned::Held(variant) => maker.held(variant, call, hint),
                    Returned::Plain | Returned::Boxed => call,
                })
            });
            if made.is_ok() {
                break;
            }
        }
        self.making.pop();
        made
    }

    /// Returns a constant of a type, or of a reference to it.
    pub(super) fn constant(&self, named: &Named) -> Option<(String, Type)> {
        let wanted = Type::Named(named.clone());
        let mut constants = self.api.constants.iter();
        let is_it = |of: &Type| unify(of.referent(), &wanted, &mut Bindings::new());
        constants.find(|(_, of)| is_it(of)).cloned()
    }

    fn construct_by(&mut self, way: &Way<'_>, named: &Named, hint: &str) -> Made {
        let function = way.function;
        let call = self.call(function, &way.bindings, true)?;
        self.makers.push(function.path(self.api));
        let value = match way.returned {
            Returned::Plain => call,
            Returned::Boxed => format!("*{call}"),
            Returned::Held(variant) => self.held(variant, call, hint),
        };
        if !is_empty(way) {
            // In a statement of its own, so that a panic in it is told from one of the function.
            return Ok(self.bind(value, hint, false));
        }
        Ok(self.filled(value, named, hint))
    }

    /// Puts something into a value that is empty as it is made, if there is a method for that.
    fn filled(&mut self, value: String, named: &Named, hint: &str) -> String {
        let api = self.api;
        let of_type = |function: &&Function| match &function.owner {
            Owner::Type(Type::Named(of)) => of.id == named.id && is_usable(function),
            _ => false,
        };
        let rank = |function: &&Function| FILLING.iter().position(|name| *name == function.name);
        let mut methods: Vec<&Function> = api.functions.iter().filter(of_type).collect();
        methods.retain(|method| {
            let receiver = method.inputs.first();
            rank(method).is_some()
                && method.inputs.len() > 1
                && receiver.is_some_and(|(name, ty)| {
                    name == "self" && matches!(ty, Type::Reference { mutable: true, .. })
                })
        });
        methods.sort_by_key(rank);
        for method in methods {
            let mut bindings = Bindings::new();
            let Owner::Type(of) = &method.owner else {
                continue;
            };
            if !unify(of, &Type::Named(named.clone()), &mut bindings) {
                continue;
            }
            let Ok(bindings) = api.instantiate(&method.generics, bindings, 0) else {
                continue;
            };
            let inputs = method.inputs[1..].iter();
            let types: Vec<Type> = inputs
                .map(|(_, ty)| api.resolved(&ty.substitute(&bindings)))
                .collect();
            if !types.iter().all(is_symbolic) {
                continue;
            }
            let names: Vec<String> = method.inputs[1..]
                .iter()
                .map(|(name, _)| self.fresh(name))
                .collect();
            let item = match types.as_slice() {
                [one] => one.clone(),
                several => Type::Tuple(several.to_vec()),
            };
            let pattern = match names.as_slice() {
                [one] => one.clone(),
                several => format!("({})", several.join(", ")),
            };
            let list = self.argument(&Type::std("Vec", vec![item]), "contents");
            let value = self.bind(value, hint, true);
            let call = format!("{value}.{}({})", method.name, names.join(", "));
            let call = match method.output == Type::unit() {
                true => format!("{call};"),
                false => format!("let _ = {call};"),
            };
            let fill = format!("for {pattern} in {list} {{ {call} }}");
            self.statements.push(Statement::Other(fill));
            self.makers.push(method.path(api));
            return value;
        }
        value
    }
}

/// Reports whether a type has a default value by a derived implementation; others are functions.
fn is_default(api: &Api, named: &Named) -> bool {
    let ty = Type::Named(named.clone());
    api.impls.iter().any(|known| {
        known.is_derived
            && known.by.is_std()
            && known.by.name == "Default"
            && unify(&known.of, &ty, &mut Bindings::new())
    })
}

/// Returns the functions that make values of a type, the best first; or, if `borrowed` says whether
/// they are to be mutable, those that return references to values.
fn ways<'a>(
    api: &'a Api,
    named: &Named,
    borrowed: Option<bool>,
    alternative: usize,
) -> Vec<Way<'a>> {
    let wanted = Type::Named(named.clone());
    let way = |function: &'a Function| {
        let is_making = match &function.owner {
            Owner::Module(_) | Owner::Type(_) => true,
            Owner::Trait { by, .. } => by.is_std() && MAKING.contains(&by.name.as_str()),
        };
        if !is_making || !is_usable(function) {
            return None;
        }
        let output = api.without_aliases(&function.output);
        let (returned, of) = returned(&output);
        let of = match (borrowed, of) {
            (None, of) => of,
            (Some(wanted), Type::Reference { mutable, to, .. }) if *mutable || !wanted => to,
            _ => return None,
        };
        let mut bindings = Bindings::new();
        // A parameter by itself is whatever the caller wants.
        let is_it = matches!(of, Type::Named(_) | Type::Projection { .. })
            && unify(of, &wanted, &mut bindings);
        let bindings = api.instantiate(&function.generics, bindings, alternative);
        let bindings = bindings.ok().filter(|_| is_it)?;
        let is_open = of.any(&mut |part| matches!(part, Type::Projection { .. }));
        if is_open && api.resolved(&of.substitute(&bindings)) != wanted {
            return None;
        }
        Some(Way {
            function,
            bindings,
            returned,
        })
    };
    let mut ways: Vec<Way<'a>> = api.functions.iter().filter_map(way).collect();
    ways.sort_by_key(|way| cost(way, named));
    ways
}

/// Reports whether a function can be called by a harness at all.
pub fn is_usable(function: &Function) -> bool {
    !function.is_unsafe && !function.is_async && !function.is_deprecated
}

/// Reports whether a value is made without contents: of nothing, or of sizes and hashers alone.
fn is_empty(way: &Way<'_>) -> bool {
    way.function.inputs.iter().all(|(_, ty)| {
        let ty = ty.substitute(&way.bindings);
        ty.is("usize") || ty.as_std("BuildHasherDefault").is_some()
    })
}

/// Orders functions that make values of a type. Those that make many values come first, and of
/// these those that do so with few paths.
fn cost(way: &Way<'_>, named: &Named) -> usize {
    let function = way.function;
    let mut cost = match way.returned {
        Returned::Plain | Returned::Boxed => 0,
        Returned::Held(_) => 10,
    };
    cost += match &function.owner {
        Owner::Type(_) => 0,
        Owner::Module(_) => 4,
        Owner::Trait { .. } => 6,
    };
    if is_empty(way) {
        cost += 20;
    }
    for (_, ty) in &function.inputs {
        let needs_own = ty.any(&mut |part| match part {
            Type::Named(part) => part.krate.is_empty(),
            _ => false,
        });
        cost += if needs_own { 15 } else { 1 };
    }
    if function.is_method() {
        cost += 40;
    }
    if function.may_panic {
        cost += 5;
    }
    // A value out of another of its type.
    let is_same = |part: &Type| matches!(part, Type::Named(part) if part.id == named.id);
    if function
        .inputs
        .iter()
        .any(|(_, ty)| ty.any(&mut { is_same }))
    {
        cost += 1000;
    }
    cost
}
