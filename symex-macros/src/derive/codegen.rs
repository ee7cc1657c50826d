//! Expansion to `impl Symbolic`: fields are drawn in order under their own names; a value is
//! written as a literal with its path, if that path is visible.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{GenericParam, Member, parse_quote};

use super::validate::{Body, Model, Reach, Shape, Style};
use crate::draw::{Origin, assuming};
use crate::krate::Krate;

/// Returns the expansion.
pub fn expand(model: &Model) -> TokenStream {
    let krate = Krate::new(model.options.krate.as_ref());
    let name = &model.name;
    let mut generics = model.generics.clone();
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter {
            parameter.bounds.push(parse_quote!(#krate::Symbolic));
        }
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let any = any(model, &krate);
    let source = source(model, &krate);
    quote! {
        #[automatically_derived]
        impl #impl_generics #krate::Symbolic for #name #type_generics #where_clause {
            #any
            #source
        }
    }
}

fn any(model: &Model, krate: &Krate) -> TokenStream {
    let cx = Ident::new("cx", Span::mixed_site());
    let option = quote!(#krate::__rt::core::option::Option);
    let recursion = match (&model.options.depth, model.recursive) {
        (Some(depth), _) => quote!(#option::Some(#depth)),
        (None, true) => quote!(#option::Some(#krate::__rt::DEFAULT_DEPTH)),
        (None, false) => quote!(#option::None),
    };
    let type_name = model.name.to_string();
    let value = match &model.shape {
        Shape::Struct(body) => construct(quote!(Self), &type_name, body, krate, &cx),
        Shape::Enum(variants) => {
            let last = variants.len() as u64 - 1;
            let arms = variants.iter().enumerate().map(|(i, variant)| {
                let name = &variant.name;
                let path = format!("{type_name}::{name}");
                let value = construct(quote!(Self::#name), &path, &variant.body, krate, &cx);
                // The draw is at most `last`: the last variant stands for the rest, without a test
                // of its own.
                let pattern = if i as u64 == last {
                    quote!(_)
                } else {
                    (i as u64).to_token_stream()
                };
                quote!(#pattern => #value,)
            });
            quote!(match #cx.range(0, #last) { #(#arms)* })
        }
    };
    let this = quote!(Self);
    let value = assuming(value, &this, &this, model.options.assume.as_ref(), krate);
    quote! {
        #[inline]
        fn any(#cx: &mut #krate::Cx) -> Self {
            let #cx = &mut #cx.deeper(#recursion);
            #value
        }
    }
}

/// Returns `path { a: .., 0: .. }` with every field drawn.
fn construct(
    path: TokenStream,
    shown: &str,
    body: &Body,
    krate: &Krate,
    cx: &Ident,
) -> TokenStream {
    let values = body.fields.iter().map(|field| {
        let member = &field.member;
        let ty = &field.ty;
        let name = format!("{shown}.{}\0", plain(member));
        let here = quote!(#cx.named(const { #krate::__rt::name(#name) }));
        let any = |cx| quote_spanned!(ty.span()=> <#ty as #krate::Symbolic>::any(&mut #cx));
        let value = field
            .draw
            .value(&ty.to_token_stream(), ty, &here, any, krate);
        quote!(#member: #value)
    });
    quote!(#path { #(#values),* })
}

fn plain(member: &Member) -> String {
    match member {
        Member::Named(name) => name.to_string().trim_start_matches("r#").to_owned(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

fn source(model: &Model, krate: &Krate) -> TokenStream {
    let out = Ident::new("out", Span::mixed_site());
    let name = model.name.to_string();
    let reach = match model.reach {
        Reach::Private => quote!(Private),
        Reach::Super => quote!(Super),
        Reach::Crate => quote!(Crate),
        Reach::Public => quote!(Public),
    };
    let body = match &model.shape {
        Shape::Struct(body) => arm(quote!(Self), "", body, krate, &out),
        Shape::Enum(variants) => {
            let arms = variants.iter().map(|variant| {
                let name = &variant.name;
                arm(
                    quote!(Self::#name),
                    &format!("::{name}"),
                    &variant.body,
                    krate,
                    &out,
                )
            });
            quote!(#(#arms)*)
        }
    };
    quote! {
        fn source(&self, #out: &mut #krate::Source) -> #krate::__rt::core::fmt::Result {
            const PLACE: #krate::__rt::Place = #krate::__rt::Place {
                manifest_dir: #krate::__rt::core::option_env!("CARGO_MANIFEST_DIR"),
                bin: #krate::__rt::core::option_env!("CARGO_BIN_NAME"),
                module: #krate::__rt::core::module_path!(),
            };
            #out.path(
                PLACE,
                #name,
                #krate::__rt::core::any::type_name::<Self>(),
                #krate::__rt::Reach::#reach,
            )?;
            match self {
                #body
            }
        }
    }
}

/// Returns the arm that writes one variant: `path { a: ref field_0 } => ..`.
fn arm(path: TokenStream, suffix: &str, body: &Body, krate: &Krate, out: &Ident) -> TokenStream {
    let fields = &body.fields;
    if fields
        .iter()
        .any(|field| matches!(field.draw.from, Origin::With(_)))
    {
        // The value of an arbitrary expression need not be `Symbolic`, so it may have no source.
        return quote! {
            #path { .. } => #krate::__rt::core::result::Result::Err(#krate::__rt::core::fmt::Error),
        };
    }
    let variable = |i: usize| format_ident!("field_{i}", span = Span::mixed_site());
    let bindings = fields.iter().enumerate().map(|(i, field)| {
        let (member, variable) = (&field.member, variable(i));
        quote!(#member: #variable)
    });
    let write = quote!(#krate::__rt::core::fmt::Write::write_str);
    let writes = fields.iter().enumerate().map(|(i, field)| {
        let variable = variable(i);
        let comma = if i > 0 { ", " } else { "" };
        let before = match &field.member {
            Member::Named(name) => format!("{comma}{name}: "),
            Member::Unnamed(_) => comma.to_owned(),
        };
        let ty = &field.ty;
        // At the type, like the draw: a type that is not `Symbolic` is then reported once.
        let source =
            quote_spanned!(ty.span()=> <#ty as #krate::Symbolic>::source(#variable, #out)?);
        quote! {
            #write(#out, #before)?;
            #source;
        }
    });
    let (open, close) = match body.style {
        Style::Unit => (suffix.to_owned(), ""),
        Style::Named => (format!("{suffix} {{ "), " }"),
        Style::Tuple => (format!("{suffix}("), ")"),
    };
    quote! {
        #path { #(#bindings),* } => {
            #write(#out, #open)?;
            #(#writes)*
            #write(#out, #close)
        }
    }
}
