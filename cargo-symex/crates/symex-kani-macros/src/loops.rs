//! Contracts of loops: the loop is followed as it is, and the invariant is checked each time it
//! comes to its beginning. What it may write is not compared.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::{Expr, Stmt};

/// Words of invariants that speak of other moments than the one at which they are checked.
const OF_OTHER_MOMENTS: [&str; 2] = ["on_entry", "prev"];

/// Expands the attribute on a loop.
pub fn expand(condition: TokenStream, item: TokenStream) -> TokenStream {
    let Some((mut statement, end)) = statement(item.clone()) else {
        let message = "`#[kani::loop_invariant]` belongs on a loop";
        let error = syn::Error::new(proc_macro2::Span::call_site(), message).into_compile_error();
        return quote!(#item #error);
    };
    let text = format!("the invariant of the loop does not hold: {condition}");
    let check = match speaks_of_other_moments(&condition) {
        true => unsupported(&condition),
        false => quote!(::core::assert!(#condition, "{}", #text);),
    };
    match &mut statement {
        Expr::While(found) => {
            let condition = &found.cond;
            *found.cond = syn::parse_quote!({ #check #condition });
        }
        Expr::Loop(found) => {
            let body = &found.body;
            found.body = syn::parse_quote!({ #check #body });
        }
        _ => {
            let unsupported = unsupported(&condition);
            return quote!({ #unsupported #statement } #end);
        }
    }
    quote!(#statement #end)
}

/// Expands the attribute that says what a loop may write, which is not compared with what it does.
pub fn modifies(places: TokenStream, item: TokenStream) -> TokenStream {
    let Some((statement, end)) = statement(item.clone()) else {
        let message = "`#[kani::loop_modifies]` belongs on a loop";
        let error = syn::Error::new(proc_macro2::Span::call_site(), message).into_compile_error();
        return quote!(#item #error);
    };
    let text = format!("a loop was taken to write nothing but `{places}`\0");
    quote!({ ::kani::internal::assumed(::kani::internal::name(#text)); #statement } #end)
}

/// Returns the statement that ends paths where an invariant cannot be checked.
fn unsupported(condition: &TokenStream) -> TokenStream {
    let text = format!("`#[kani::loop_invariant({condition})]`\0");
    quote!(::kani::internal::unsupported_attribute(::kani::internal::name(#text));)
}

/// Returns the expression that an attribute stands on, and the semicolon behind it.
fn statement(item: TokenStream) -> Option<(Expr, TokenStream)> {
    match syn::parse2::<Stmt>(item.clone()) {
        Ok(Stmt::Expr(expression, semicolon)) => Some((expression, quote!(#semicolon))),
        Ok(_) => None,
        Err(_) => Some((syn::parse2(item).ok()?, TokenStream::new())),
    }
}

fn speaks_of_other_moments(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => OF_OTHER_MOMENTS.iter().any(|word| ident == word),
        TokenTree::Group(group) => speaks_of_other_moments(&group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
