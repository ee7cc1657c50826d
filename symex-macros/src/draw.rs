//! The `#[symex(..)]` attribute of one value, a field or an argument: how the value is drawn.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, Error, Expr, Token, Type};

use crate::krate::Krate;

/// The way in which one value is drawn.
#[derive(Default)]
pub struct Draw {
    pub from: Origin,
    /// Condition that the value meets.
    pub assume: Option<Expr>,
}

/// Where a value comes from.
#[derive(Default)]
pub enum Origin {
    /// Any value of the type.
    #[default]
    Any,
    /// Any value of the type in which lengths are at most this.
    Bounded(Expr),
    /// A value of a range.
    Range(Expr),
    /// The value of this expression.
    With(Expr),
}

impl Draw {
    /// Reads the attributes of `place`, "a field" or "an argument".
    pub fn of(attributes: &[Attribute], place: &str) -> syn::Result<Draw> {
        let mut from: Option<Origin> = None;
        let mut assume: Option<Expr> = None;
        for attribute in attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("symex"))
        {
            attribute.parse_nested_meta(|meta| {
                let key = &meta.path;
                if key.is_ident("assume") {
                    meta.input.parse::<Token![=]>()?;
                    let condition = meta.input.parse()?;
                    return match assume.replace(condition) {
                        None => Ok(()),
                        Some(_) => Err(Error::new_spanned(key, "`assume` is given twice")),
                    };
                }
                let make: fn(Expr) -> Origin = if key.is_ident("bound") {
                    Origin::Bounded
                } else if key.is_ident("range") {
                    Origin::Range
                } else if key.is_ident("with") {
                    Origin::With
                } else {
                    let message =
                        format!("unknown key; on {place} there are: assume, bound, range, with");
                    return Err(Error::new_spanned(key, message));
                };
                if from.is_some() {
                    let message = "only one of `bound`, `range` and `with` can be given";
                    return Err(Error::new_spanned(key, message));
                }
                meta.input.parse::<Token![=]>()?;
                from = Some(make(meta.input.parse()?));
                Ok(())
            })?;
        }
        Ok(Draw {
            from: from.unwrap_or_default(),
            assume,
        })
    }

    /// Returns the expression of a value of `ty`, which the expression `cx` draws. The function
    /// `any` returns the expression that draws any value by a `Cx`. The condition sees the value as
    /// a `&seen`.
    pub fn value(
        &self,
        ty: &TokenStream,
        seen: &Type,
        cx: &TokenStream,
        any: impl Fn(TokenStream) -> TokenStream,
        krate: &Krate,
    ) -> TokenStream {
        let drawn = match &self.from {
            Origin::Any => any(cx.clone()),
            Origin::Bounded(bound) => {
                let bound = as_length(bound);
                any(quote!(#cx.bounded(#bound)))
            }
            // At the type's place, for the compiler's messages.
            Origin::Range(range) => {
                quote_spanned!(seen.span()=> #krate::__rt::draw_in::<#ty, _>(&mut #cx, #range))
            }
            Origin::With(value) => quote!(#value),
        };
        assuming(drawn, ty, &quote!(#seen), self.assume.as_ref(), krate)
    }
}

/// Returns a bound on lengths, a `usize`, in the type in which the runtime takes it.
pub fn as_length(bound: &Expr) -> TokenStream {
    quote!({ let bound: usize = #bound; bound as u64 })
}

/// Returns the expression `value` of type `ty` for which the condition, a function of `&seen`, is
/// assumed.
pub fn assuming(
    value: TokenStream,
    ty: &TokenStream,
    seen: &TokenStream,
    condition: Option<&Expr>,
    krate: &Krate,
) -> TokenStream {
    let Some(condition) = condition else {
        return value;
    };
    // Not visible in the condition, which is the user's.
    let drawn = Ident::new("drawn", Span::mixed_site());
    let holds = Ident::new("holds", Span::mixed_site());
    quote! {{
        let #drawn: #ty = #value;
        let #holds: fn(&#seen) -> bool = #condition;
        #krate::assume(#holds(&#drawn));
        #drawn
    }}
}
