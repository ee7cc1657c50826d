//! Kani's attributes that stand together on a function, also within `cfg_attr(kani, ..)`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, ItemFn, Meta, Path, Token};

/// The attributes that are known by their last name alone, where they were imported.
const IMPORTED: [&str; 12] = [
    "proof",
    "proof_for_contract",
    "requires",
    "ensures",
    "modifies",
    "stub",
    "stub_verified",
    "use_stub_set",
    "unwind",
    "solver",
    "recursion",
    "loop_invariant",
];

/// An attribute of Kani's.
pub struct KaniAttribute {
    pub name: String,
    /// What stands in its brackets.
    pub arguments: TokenStream,
}

/// Returns the name of an attribute of Kani's, from its path.
fn name(path: &Path) -> Option<String> {
    let last = path.segments.last()?.ident.to_string();
    let is_kani = match path.segments.len() {
        1 => IMPORTED.contains(&last.as_str()),
        2 => path.segments[0].ident == "kani",
        _ => false,
    };
    is_kani.then_some(last)
}

fn arguments(meta: &Meta) -> TokenStream {
    match meta {
        Meta::List(list) => list.tokens.clone(),
        Meta::Path(_) => TokenStream::new(),
        Meta::NameValue(pair) => {
            let value = &pair.value;
            quote!(#value)
        }
    }
}

/// Returns what an attribute says where `kani` is set: itself, or what is in `cfg_attr(kani, ..)`.
fn metas(attribute: &Attribute) -> Vec<Meta> {
    if attribute.path().is_ident("cfg_attr")
        && let Meta::List(list) = &attribute.meta
    {
        let all = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(list.tokens.clone());
        let mut all = all.into_iter().flatten();
        let is_kani = all
            .next()
            .is_some_and(|first| first.path().is_ident("kani"));
        return match is_kani {
            true => all.collect(),
            false => Vec::new(),
        };
    }
    vec![attribute.meta.clone()]
}

/// Returns Kani's attributes among some, in their order.
pub fn of_kani(attributes: &[Attribute]) -> Vec<KaniAttribute> {
    let metas = attributes.iter().flat_map(metas);
    let of_kani = metas.filter_map(|meta| {
        let name = name(meta.path())?;
        let arguments = arguments(&meta);
        Some(KaniAttribute { name, arguments })
    });
    of_kani.collect()
}

/// Removes those of Kani's attributes that `is_wanted`, and returns them.
pub fn take(
    attributes: &mut Vec<Attribute>,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<KaniAttribute> {
    let mut taken = Vec::new();
    let mut kept = Vec::new();
    for attribute in attributes.drain(..) {
        let metas = metas(&attribute);
        let wanted = |meta: &Meta| name(meta.path()).filter(|name| is_wanted(name));
        if !metas.iter().any(|meta| wanted(meta).is_some()) {
            kept.push(attribute);
            continue;
        }
        for meta in metas {
            match wanted(&meta) {
                Some(name) => taken.push(KaniAttribute {
                    name,
                    arguments: arguments(&meta),
                }),
                None => kept.push(syn::parse_quote!(#[#meta])),
            }
        }
    }
    *attributes = kept;
    taken
}

/// Expands an attribute that belongs to a proof and was met before it: puts it behind the proof,
/// which looks for it.
pub fn after_proof(name: &str, arguments: TokenStream, item: TokenStream) -> TokenStream {
    let Ok(mut function) = syn::parse2::<ItemFn>(item.clone()) else {
        return item;
    };
    let is_proof = |attribute: &KaniAttribute| {
        matches!(attribute.name.as_str(), "proof" | "proof_for_contract")
    };
    if !of_kani(&function.attrs).iter().any(is_proof) {
        let message = format!("`#[kani::{name}]` belongs on a function with `#[kani::proof]`");
        let error = syn::Error::new(function.sig.ident.span(), message).into_compile_error();
        return quote!(#item #error);
    }
    let name = format_ident!("{name}");
    let attribute = match arguments.is_empty() {
        true => syn::parse_quote!(#[kani::#name]),
        false => syn::parse_quote!(#[kani::#name(#arguments)]),
    };
    function.attrs.push(attribute);
    quote!(#function)
}
