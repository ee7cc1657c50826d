//! The derive macro `#[derive(symex::Symbolic)]`.

mod codegen;
mod options;
mod validate;

use proc_macro2::TokenStream;

/// Expands the derive.
pub fn expand(item: TokenStream) -> TokenStream {
    syn::parse2(item)
        .and_then(validate::model)
        .map(|model| codegen::expand(&model))
        .unwrap_or_else(syn::Error::into_compile_error)
}
