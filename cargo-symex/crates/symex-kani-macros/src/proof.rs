//! Proofs: `#[kani::proof]` and `#[kani::proof_for_contract(..)]`, with what stands beside them.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Expr, ItemFn, MetaNameValue, ReturnType, Token, Type};

use crate::attributes::{self, KaniAttribute};
use crate::stubs;

/// What a proof is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Plain,
    /// The contract of a function.
    Contract,
}

/// Attributes that say something of a proof and have been taken into account.
const OF_PROOFS: [&str; 8] = [
    "proof",
    "should_panic",
    "stub",
    "stub_verified",
    "use_stub_set",
    "unwind",
    "solver",
    "recursion",
];

/// Expands the attribute; on errors the function stays, so that the user sees no errors but ours.
pub fn expand(kind: Kind, options: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = syn::parse2::<ItemFn>(item.clone())
        .map_err(|error| {
            let message = "`#[kani::proof]` belongs on a function with a body";
            syn::Error::new(error.span(), message)
        })
        .and_then(|function| proof(kind, options, function));
    expanded.unwrap_or_else(|error| {
        let error = error.into_compile_error();
        quote!(#item #error)
    })
}

/// Returns the strategy in `schedule = ..`.
fn schedule(options: TokenStream) -> syn::Result<Option<Expr>> {
    let pairs = Punctuated::<MetaNameValue, Token![,]>::parse_terminated.parse2(options)?;
    let mut found = None;
    for pair in pairs {
        if !pair.path.is_ident("schedule") {
            let message = "unknown option; there is: schedule";
            return Err(syn::Error::new_spanned(pair.path, message));
        }
        found = Some(pair.value);
    }
    Ok(found)
}

fn proof(kind: Kind, options: TokenStream, mut function: ItemFn) -> syn::Result<TokenStream> {
    let mut draws = TokenStream::new();
    for input in std::mem::take(&mut function.sig.inputs) {
        let syn::FnArg::Typed(argument) = input else {
            let message = "a method cannot be a proof: draw the value in a function";
            return Err(syn::Error::new_spanned(input, message));
        };
        let (pattern, ty) = (&argument.pat, &argument.ty);
        draws.extend(quote!(let #pattern: #ty = ::kani::any();));
    }
    if !draws.is_empty() {
        let body = &function.block;
        function.block = syn::parse_quote!({ #draws #body });
    }
    let beside = attributes::take(&mut function.attrs, |name| OF_PROOFS.contains(&name));
    let more = attributes::take(&mut function.attrs, |name| name == "proof_for_contract");
    let has = |name: &str| beside.iter().any(|attribute| attribute.name == name);
    let mut contracts: Vec<TokenStream> = Vec::new();
    let mut schedule_of_tasks = None;
    match kind {
        Kind::Plain => schedule_of_tasks = schedule(options)?,
        Kind::Contract => contracts.push(part("Subject", &options)),
    }
    contracts.extend(more.iter().map(|other| part("Subject", &other.arguments)));
    let verified = |attribute: &&KaniAttribute| attribute.name == "stub_verified";
    contracts.extend(
        beside
            .iter()
            .filter(verified)
            .map(|attribute| part("Verified", &attribute.arguments)),
    );
    let replaced = beside
        .iter()
        .filter_map(|attribute| stubs::statement(&attribute.name, &attribute.arguments));
    let should_panic = has("should_panic").then(|| quote!(should_panic,));
    let (attributes, visibility) = (&function.attrs, &function.vis);
    let name = &function.sig.ident;
    let body = &function.block;
    let is_plain = contracts.is_empty()
        && function.sig.asyncness.is_none()
        && matches!(function.sig.safety, syn::Safety::Default)
        && is_unit(&function.sig.output);
    let body = match is_plain {
        true => {
            let statements = &body.stmts;
            quote!({ #(#replaced)* #(#statements)* })
        }
        false => {
            let mut inner = function.sig.clone();
            inner.ident = format_ident!("__kani_{}", name);
            let inner_name = &inner.ident;
            let call = match (&inner.asyncness, schedule_of_tasks) {
                (None, _) => quote!(#inner_name()),
                (Some(_), None) => quote!(::kani::block_on(#inner_name())),
                (Some(_), Some(schedule)) => {
                    quote!(::kani::block_on_with_spawn(#inner_name(), #schedule))
                }
            };
            let call = quote!(#[allow(unused_unsafe)] let _ = unsafe { #call };);
            let call = match contracts.is_empty() {
                true => call,
                false => quote! {
                    let checked = ::kani::internal::Checked::begin(&[#(#contracts),*]);
                    #call
                    checked.end();
                },
            };
            quote!({ #inner #body #(#replaced)* #call })
        }
    };
    Ok(quote! {
        #[::kani::internal::harness(#should_panic kani_proof, crate = ::kani::internal::symex)]
        #(#attributes)*
        #visibility fn #name() #body
    })
}

/// Returns the entry of a function for the contracts of a proof.
fn part(part: &str, path: &TokenStream) -> TokenStream {
    let (part, path) = (format_ident!("{part}"), plain_path(path));
    quote!((::kani::internal::Part::#part, #path))
}

/// Returns a path as written, without generic arguments and without where it begins: `super::a::f`
/// is `a::f`, and `<T as Tr>::f::<u8>` is `T::f`.
fn plain_path(path: &TokenStream) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut depth = 0;
    let mut skips = false;
    let tokens: Vec<proc_macro2::TokenTree> = path.clone().into_iter().collect();
    let qualified = tokens.first().is_some_and(|first| first.to_string() == "<");
    for (at, token) in tokens.iter().enumerate() {
        match token.to_string().as_str() {
            "<" if qualified && at == 0 => {}
            "<" => depth += 1,
            ">" if depth > 0 => depth -= 1,
            ">" => skips = false,
            _ if depth > 0 || skips => {}
            "as" => skips = true,
            ":" | "super" | "self" | "crate" | "Self" => {}
            part => parts.push(part.to_owned()),
        }
    }
    parts.join("::")
}

fn is_unit(output: &ReturnType) -> bool {
    match output {
        ReturnType::Default => true,
        ReturnType::Type(_, ty) => matches!(&**ty, Type::Tuple(tuple) if tuple.elems.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_what_other_modules_cannot_know() {
        for (written, plain) in [
            ("f", "f"),
            ("super::a::f", "a::f"),
            ("crate::T::<u8>::f", "T::f"),
            ("<T as Tr<u8>>::f", "T::f"),
            ("<super::T<u8>>::f::<Vec<u8>>", "T::f"),
            ("Self::f", "f"),
        ] {
            let tokens = written.parse().expect("tokens");
            assert_eq!(plain_path(&tokens), plain, "{written}");
        }
    }
}
