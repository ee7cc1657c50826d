//! Calls of a crate's functions, with arguments that are made for them.

use super::api::{Function, Owner};
use super::inputs::{Made, Maker, identifier};
use super::types::{Bindings, Type};

/// Traits of the standard library whose functions drafts call, with their paths.
const TRAITS: [(&str, &str); 50] = [
    ("Add", "std::ops::Add"),
    ("AddAssign", "std::ops::AddAssign"),
    ("AsMut", "AsMut"),
    ("AsRef", "AsRef"),
    ("BitAnd", "std::ops::BitAnd"),
    ("BitAndAssign", "std::ops::BitAndAssign"),
    ("BitOr", "std::ops::BitOr"),
    ("BitOrAssign", "std::ops::BitOrAssign"),
    ("BitXor", "std::ops::BitXor"),
    ("BitXorAssign", "std::ops::BitXorAssign"),
    ("Borrow", "std::borrow::Borrow"),
    ("BorrowMut", "std::borrow::BorrowMut"),
    ("Clone", "Clone"),
    ("Default", "Default"),
    ("Deref", "std::ops::Deref"),
    ("DerefMut", "std::ops::DerefMut"),
    ("Div", "std::ops::Div"),
    ("DivAssign", "std::ops::DivAssign"),
    ("DoubleEndedIterator", "DoubleEndedIterator"),
    ("Error", "std::error::Error"),
    ("ExactSizeIterator", "ExactSizeIterator"),
    ("Extend", "Extend"),
    ("From", "From"),
    ("FromIterator", "std::iter::FromIterator"),
    ("FromStr", "std::str::FromStr"),
    ("Hash", "std::hash::Hash"),
    ("Index", "std::ops::Index"),
    ("IndexMut", "std::ops::IndexMut"),
    ("Into", "Into"),
    ("IntoIterator", "IntoIterator"),
    ("Iterator", "Iterator"),
    ("Mul", "std::ops::Mul"),
    ("MulAssign", "std::ops::MulAssign"),
    ("Neg", "std::ops::Neg"),
    ("Not", "std::ops::Not"),
    ("Ord", "Ord"),
    ("PartialEq", "PartialEq"),
    ("PartialOrd", "PartialOrd"),
    ("Read", "std::io::Read"),
    ("Rem", "std::ops::Rem"),
    ("Shl", "std::ops::Shl"),
    ("ShlAssign", "std::ops::ShlAssign"),
    ("Shr", "std::ops::Shr"),
    ("ShrAssign", "std::ops::ShrAssign"),
    ("Sub", "std::ops::Sub"),
    ("SubAssign", "std::ops::SubAssign"),
    ("Sum", "std::iter::Sum"),
    ("ToString", "ToString"),
    ("TryFrom", "std::convert::TryFrom"),
    ("TryInto", "std::convert::TryInto"),
];

/// Traits by which a value is shown, with the format that does it.
const FORMATS: [(&str, &str); 6] = [
    ("Binary", ":b"),
    ("Debug", ":?"),
    ("Display", ""),
    ("LowerHex", ":x"),
    ("Octal", ":o"),
    ("UpperHex", ":X"),
];

impl Maker<'_> {
    /// Returns a call of a function, as an expression. Numbers that are sizes are small where the
    /// call only makes a value for another.
    pub fn call(&mut self, function: &Function, bindings: &Bindings, is_making: bool) -> Made {
        let substitute = |ty: &Type| self.api.resolved(&ty.substitute(bindings));
        let inputs: Vec<(String, Type)> = function
            .inputs
            .iter()
            .map(|(name, ty)| (name.clone(), substitute(ty)))
            .collect();
        let owner = match &function.owner {
            Owner::Module(_) => None,
            Owner::Type(of) | Owner::Trait { of, .. } => Some(substitute(of)),
        };
        if let Owner::Trait { by, .. } = &function.owner
            && by.is_std()
            && let Some((_, format)) = FORMATS.iter().find(|(name, _)| *name == by.name)
        {
            let value = self.variable(inputs[0].1.referent(), "value", false)?;
            return Ok(format!("format!(\"{{{value}{format}}}\")"));
        }
        // The receiver of a type's own method stands in front of it.
        let is_plain_receiver = |ty: &Type| Some(ty.referent()) == owner.as_ref();
        let receiver = match (&function.owner, inputs.first()) {
            (Owner::Type(_), Some((name, ty))) if name == "self" && is_plain_receiver(ty) => {
                Some(self.receiver(ty)?)
            }
            _ => None,
        };
        let mut arguments = Vec::new();
        for (name, ty) in inputs.iter().skip(usize::from(receiver.is_some())) {
            let name = if name == "self" { "value" } else { name };
            arguments.push(match ty {
                Type::Primitive(of) if is_making && of == "usize" => {
                    let small = self.argument(&Type::primitive("u8"), name);
                    format!("usize::from({small})")
                }
                ty => self.make(ty, name)?,
            });
        }
        let arguments = arguments.join(", ");
        let name = identifier(&function.name);
        let turbofish = self.turbofish(function, bindings);
        if let Some(receiver) = receiver {
            return Ok(format!("{receiver}.{name}{turbofish}({arguments})"));
        }
        let path = match (&function.owner, &owner) {
            (Owner::Module(path), _) => path.clone(),
            (Owner::Type(_), Some(of)) => format!("{}::{name}", self.api.spell_qualified(of)),
            (Owner::Trait { by, .. }, Some(of)) => {
                let path = match self.api.traits.get(&by.id) {
                    Some(path) => path.clone(),
                    None if by.is_std() && by.name == "Write" => {
                        format!("std::{}::Write", by.module)
                    }
                    None => {
                        let known = TRAITS.iter().find(|(known, _)| *known == by.name);
                        let known = known.filter(|_| by.is_std());
                        known.ok_or("a trait that drafts do not know")?.1.to_owned()
                    }
                };
                let arguments = by.arguments.iter().map(substitute).collect::<Vec<_>>();
                let arguments = match arguments.as_slice() {
                    [] => String::new(),
                    arguments => format!("<{}>", self.api.spell_list(arguments)),
                };
                format!("<{} as {path}{arguments}>::{name}", self.api.spell(of))
            }
            _ => return Err("a type that cannot be named".to_owned()),
        };
        Ok(format!("{path}{turbofish}({arguments})"))
    }

    /// Makes the receiver of a method and returns the name of a variable that has it.
    fn receiver(&mut self, ty: &Type) -> Made {
        let Type::Reference { mutable, to, .. } = ty else {
            return self.variable(ty, "value", false);
        };
        // A value of a type without a size cannot be had, which only the compiler knows.
        if self.alternative > 0
            && let Type::Named(named) = &**to
            && named.krate.is_empty()
            && let Ok(value) = self.attempt(|maker| maker.borrow(named, *mutable, "value"))
        {
            return Ok(self.bind(value, "value", false));
        }
        self.variable(ty.referent(), "value", *mutable)
    }

    /// Returns the types of a call, if the arguments do not tell them.
    fn turbofish(&self, function: &Function, bindings: &Bindings) -> String {
        let own = &function.generics.parameters[function.generics.of_impl..];
        let is_told = |name: &str| {
            let mut inputs = function.inputs.iter();
            inputs.any(|(_, ty)| ty.mentions(name) && !matches!(ty, Type::Impl(_)))
        };
        if own.iter().all(|parameter| is_told(&parameter.name)) {
            return String::new();
        }
        let types: Vec<String> = own
            .iter()
            .map(|parameter| match bindings.get(&parameter.name) {
                Some(ty) => self.api.spell(ty),
                None => "_".to_owned(),
            })
            .collect();
        format!("::<{}>", types.join(", "))
    }
}
