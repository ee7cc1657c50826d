//! The path by which expanded code reaches the runtime crate.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// The path of the runtime crate: `::symex`, or the value of `crate = path`.
#[derive(Clone)]
pub struct Krate(TokenStream);

impl Krate {
    pub fn new(path: Option<&syn::Path>) -> Self {
        Krate(path.map_or_else(|| quote!(::symex), ToTokens::to_token_stream))
    }
}

impl ToTokens for Krate {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}
