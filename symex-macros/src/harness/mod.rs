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

/// Expands the attribute; on errors the function stays, so that the user sees no errors but ours.
pub fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let function = match parse::function(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let error = error.into_compile_error();
            return quote!(#item #error);
        }
    };
    let expanded =
        parse::options(attribute).and_then(|options| validate::harness(function, options));
    match expanded {
        Ok(harness) => codegen::expand(&harness),
        Err(error) => {
            let error = error.into_compile_error();
            quote!(#item #error)
        }
    }
}
