//! The attribute `#[symex::harness]`.

mod codegen;
mod locate;
mod options;
mod parse;
mod spell;
mod units;
mod validate;

use proc_macro2::TokenStream;
use quote::quote;
use syn::FnArg;

/// Expands the attribute; on errors the function stays, without our attributes on its arguments, so
/// that the user sees no errors but ours.
pub fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let function = match parse::function(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let error = error.into_compile_error();
            return quote!(#item #error);
        }
    };
    let mut plain = function.clone();
    let expanded =
        parse::options(attribute).and_then(|options| validate::harness(function, options));
    match expanded {
        Ok(harness) => codegen::expand(&harness),
        Err(error) => {
            let error = error.into_compile_error();
            for input in &mut plain.sig.inputs {
                if let FnArg::Typed(input) = input {
                    input
                        .attrs
                        .retain(|attribute| !attribute.path().is_ident("symex"));
                }
            }
            quote!(#plain #error)
        }
    }
}
