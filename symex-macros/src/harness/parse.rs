//! Parser for the attribute's keys, each with its token, and the function. Only syntax is checked
//! here.

use proc_macro2::TokenStream;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, ItemFn, Lit, Path, Token, parenthesized};

/// One entry of the attribute.
pub struct Entry {
    pub key: Ident,
    pub value: Value,
}

/// The value after a key.
pub enum Value {
    /// No value.
    Flag,
    /// `= literal`.
    Literal(Lit),
    /// `= expression` (`bound` only).
    Expression(Expr),
    /// `(name = expression, ..)` (`bound` only).
    Bounds(Vec<(Ident, Expr)>),
    /// `= path` (`crate` only).
    Path(Path),
}

impl Parse for Entry {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        // `crate` is a keyword, the rest are not: take any word and judge later.
        let key = input.call(Ident::parse_any)?;
        let value = if input.peek(syn::token::Paren) && key == "bound" {
            let content;
            parenthesized!(content in input);
            let pairs =
                Punctuated::<(Ident, Expr), Token![,]>::parse_terminated_with(&content, |input| {
                    let name = input.parse()?;
                    input.parse::<Token![=]>()?;
                    Ok((name, input.parse()?))
                })?;
            Value::Bounds(pairs.into_iter().collect())
        } else if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            match key.to_string().as_str() {
                "crate" => Value::Path(input.call(Path::parse_mod_style)?),
                "bound" => Value::Expression(input.parse()?),
                _ => Value::Literal(input.parse()?),
            }
        } else {
            Value::Flag
        };
        Ok(Entry { key, value })
    }
}

/// Parses the attribute's entries.
pub fn options(attribute: TokenStream) -> syn::Result<Vec<Entry>> {
    let entries = Punctuated::<Entry, Token![,]>::parse_terminated.parse2(attribute)?;
    Ok(entries.into_iter().collect())
}

/// Parses the function under the attribute.
pub fn function(item: TokenStream) -> syn::Result<ItemFn> {
    // syn's own message speaks of the token it expected; what is meant is clearer.
    syn::parse2(item).map_err(|error| {
        syn::Error::new(
            error.span(),
            "`#[symex::harness]` belongs on a function with a body",
        )
    })
}
