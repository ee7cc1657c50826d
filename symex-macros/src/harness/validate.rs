//! Checks of a harness: a plain function whose arguments can be drawn. Errors point at the wrong
//! token.

use quote::ToTokens as _;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{
    Attribute, Error, Expr, FnArg, GenericParam, Ident, ItemFn, Lifetime, Pat, PatType, ReturnType,
    Safety, Type, TypeImplTrait, TypeReference,
};

use super::options::{self, Options};
use super::parse::Entry;
use super::spell;
use crate::draw::{Draw, Origin};

/// A harness that can be expanded.
pub struct Harness {
    /// The function without the attributes that belong to its test.
    pub function: ItemFn,
    pub options: Options,
    pub arguments: Vec<Argument>,
    /// The attribute `#[ignore]`, moved to the test.
    pub ignore: Option<Attribute>,
    /// The function's `#[cfg]` attributes, which all generated items share.
    pub cfgs: Vec<Attribute>,
    pub returns: Returns,
    /// The type returned, if it can be named.
    pub result: Option<Type>,
}

/// An argument of the harness.
pub struct Argument {
    pub name: String,
    /// The type as written, for reports.
    pub written: String,
    /// The type that is drawn; for `[T]` the element.
    pub drawn: Type,
    pub passing: Passing,
    pub draw: Draw,
}

/// The way in which an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    Value,
    Reference { mutable: bool },
    Slice { mutable: bool },
    Text { mutable: bool },
}

impl Passing {
    /// Returns whether a reference is mutable; `None` for values.
    pub fn mutable(self) -> Option<bool> {
        match self {
            Passing::Value => None,
            Passing::Reference { mutable }
            | Passing::Slice { mutable }
            | Passing::Text { mutable } => Some(mutable),
        }
    }
}

/// The return type of the function, as far as syntax tells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Returns {
    Unit,
    /// A type named `Result`.
    Result,
    Never,
    Other,
}

/// Checks a function and its attribute.
pub fn harness(mut function: ItemFn, entries: Vec<Entry>) -> syn::Result<Harness> {
    let mut options = options::resolve(entries)?;
    let ignore = attributes(&mut function)?;
    signature(&function)?;
    let mut arguments = Vec::new();
    for (i, input) in function.sig.inputs.iter_mut().enumerate() {
        arguments.push(argument(i, input)?);
    }
    for (name, bound) in options.bounds.drain(..) {
        set_bound(&mut arguments, &name, bound)?;
    }
    let cfgs = function
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .cloned()
        .collect();
    let returns = returns(&function.sig.output);
    let result = result(&function.sig.output);
    Ok(Harness {
        function,
        options,
        arguments,
        ignore,
        cfgs,
        returns,
        result,
    })
}

/// Gives an argument the bound that the harness's attribute has for it.
fn set_bound(arguments: &mut [Argument], name: &Ident, bound: Expr) -> syn::Result<()> {
    let Some(argument) = arguments
        .iter_mut()
        .find(|argument| name == argument.name.as_str())
    else {
        let message = format!("no argument is named `{name}`");
        return Err(Error::new_spanned(name, message));
    };
    if !matches!(argument.draw.from, Origin::Any) {
        let message = format!("`{name}` has an attribute that says how it is drawn");
        return Err(Error::new_spanned(name, message));
    }
    argument.draw.from = Origin::Bounded(bound);
    Ok(())
}

/// Removes `#[ignore]` from the function and rejects attributes that would make it a second test.
fn attributes(function: &mut ItemFn) -> syn::Result<Option<Attribute>> {
    let mut ignore = None;
    for attribute in &function.attrs {
        let path = attribute.path();
        if path
            .segments
            .last()
            .is_some_and(|segment| segment.ident == "test")
        {
            let message = "a harness is a test already: remove this attribute";
            return Err(Error::new_spanned(attribute, message));
        }
        if path.is_ident("should_panic") {
            let message =
                "write `#[symex::harness(should_panic)]` instead: every input must panic then";
            return Err(Error::new_spanned(attribute, message));
        }
        if path.is_ident("ignore") {
            ignore = Some(attribute.clone());
        }
    }
    function
        .attrs
        .retain(|attribute| !attribute.path().is_ident("ignore"));
    Ok(ignore)
}

fn signature(function: &ItemFn) -> syn::Result<()> {
    let signature = &function.sig;
    if let Some(token) = &signature.asyncness {
        return Err(Error::new_spanned(
            token,
            "an async function cannot be a harness: run its future in one",
        ));
    }
    if let Safety::Unsafe(token) = &signature.safety {
        let message =
            "an unsafe function cannot be a harness: call it in an `unsafe` block of a safe one";
        return Err(Error::new_spanned(token, message));
    }
    if let Some(abi) = &signature.abi {
        return Err(Error::new_spanned(
            abi,
            "a harness must have Rust's own calling convention",
        ));
    }
    if let Some(variadic) = &signature.variadic {
        return Err(Error::new_spanned(variadic, "a harness cannot be variadic"));
    }
    for parameter in &signature.generics.params {
        match parameter {
            GenericParam::Lifetime(_) => {}
            GenericParam::Type(parameter) => {
                let message =
                    "a harness cannot be generic: call the function with the types to be tested";
                return Err(Error::new_spanned(parameter, message));
            }
            GenericParam::Const(parameter) => {
                let message =
                    "a harness cannot be generic: call the function with the values to be tested";
                return Err(Error::new_spanned(parameter, message));
            }
        }
    }
    Ok(())
}

/// Checks an argument and removes the attribute that says how it is drawn.
fn argument(index: usize, input: &mut FnArg) -> syn::Result<Argument> {
    let input = match input {
        FnArg::Receiver(receiver) => {
            let message =
                "a method cannot be a harness: draw the value in a function and call the method";
            return Err(Error::new_spanned(receiver, message));
        }
        FnArg::Typed(input) => input,
    };
    let PatType { attrs, pat, ty, .. } = input;
    if let Some(attribute) = attrs
        .iter()
        .find(|attribute| !attribute.path().is_ident("symex"))
    {
        let message = "the only attribute on a harness's arguments is `#[symex(..)]`";
        return Err(Error::new_spanned(attribute, message));
    }
    let draw = Draw::of(attrs, "an argument")?;
    attrs.clear();
    let mut opaque = Opaque(None);
    opaque.visit_type(ty);
    if let Some(error) = opaque.0 {
        return Err(error);
    }
    let name = match &**pat {
        Pat::Ident(pattern) => pattern.ident.to_string(),
        _ => format!("arg{index}"),
    };
    let (mut drawn, passing) = passing(ty);
    if let (Origin::Range(range), Passing::Slice { .. } | Passing::Text { .. }) =
        (&draw.from, passing)
    {
        let message = "a range is for an integer or `char`, not for a sequence of them";
        return Err(Error::new_spanned(range, message));
    }
    AnyLifetime.visit_type_mut(&mut drawn);
    Ok(Argument {
        name,
        written: spell::tokens(ty.to_token_stream()),
        drawn,
        passing,
        draw,
    })
}

/// Returns the type to draw, and how it is passed. `&'static T` is drawn as it is, because a borrow
/// would not live long enough.
fn passing(ty: &Type) -> (Type, Passing) {
    let ty = bare(ty);
    let Type::Reference(TypeReference {
        lifetime,
        mutability,
        elem,
        ..
    }) = ty
    else {
        return (ty.clone(), Passing::Value);
    };
    if lifetime
        .as_ref()
        .is_some_and(|lifetime| lifetime.ident == "static")
    {
        return (ty.clone(), Passing::Value);
    }
    let mutable = mutability.is_some();
    match bare(elem) {
        Type::Slice(slice) => ((*slice.elem).clone(), Passing::Slice { mutable }),
        Type::Path(path) if path.path.is_ident("str") => {
            ((**elem).clone(), Passing::Text { mutable })
        }
        other => (other.clone(), Passing::Reference { mutable }),
    }
}

/// Returns the type without brackets; those without tokens come from `macro_rules`.
fn bare(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Paren(inner) => &inner.elem,
            Type::Group(inner) => &inner.elem,
            _ => return ty,
        };
    }
}

/// Visitor that finds `impl Trait`, a type parameter in disguise.
struct Opaque(Option<Error>);

impl Visit<'_> for Opaque {
    fn visit_type_impl_trait(&mut self, ty: &TypeImplTrait) {
        let message = "a harness cannot be generic: name the type to be tested";
        self.0.get_or_insert(Error::new_spanned(ty, message));
    }
}

/// Visitor that replaces the function's lifetimes, which have no meaning where the value is drawn.
struct AnyLifetime;

impl VisitMut for AnyLifetime {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident != "static" {
            lifetime.ident = Ident::new("_", lifetime.ident.span());
        }
    }
}

fn returns(output: &ReturnType) -> Returns {
    let ReturnType::Type(_, ty) = output else {
        return Returns::Unit;
    };
    match bare(ty) {
        Type::Tuple(tuple) if tuple.elems.is_empty() => Returns::Unit,
        Type::Never(_) => Returns::Never,
        Type::Path(path)
            if path
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "Result") =>
        {
            Returns::Result
        }
        _ => Returns::Other,
    }
}

/// Returns the return type without the function's lifetimes; `None` if it is hidden (`impl Trait`).
fn result(output: &ReturnType) -> Option<Type> {
    let ReturnType::Type(_, ty) = output else {
        return None;
    };
    let mut opaque = Opaque(None);
    opaque.visit_type(ty);
    if opaque.0.is_some() {
        return None;
    }
    let mut ty = (**ty).clone();
    AnyLifetime.visit_type_mut(&mut ty);
    Some(ty)
}
