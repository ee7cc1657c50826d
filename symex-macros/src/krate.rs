//! The path by which expanded code reaches the runtime crate.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// The path of the runtime crate: `::symex`, or the value of `crate = path`.
#[derive(Clone)]
pub struct Krate(Option<TokenStream>, Span);

impl Krate {
    pub fn new(path: Option<&syn::Path>) -> Self {
        Krate(path.map(ToTokens::to_token_stream), Span::call_site())
    }

    /// Returns the same path for code that the compiler's messages show at `span`. One that was
    /// given stays where it is, since `$crate` means another crate elsewhere.
    pub fn at(&self, span: Span) -> Self {
        Krate(self.0.clone(), span)
    }
}

impl ToTokens for Krate {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match &self.0 {
            Some(path) => path.to_tokens(tokens),
            None => quote_spanned!(self.1=> ::symex).to_tokens(tokens),
        }
    }
}
