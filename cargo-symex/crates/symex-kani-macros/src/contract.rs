//! Function contracts: all clauses of a function are expanded together, around its body.
//!
//! The body becomes a closure that is called once, so that `return` and `?` mean what they meant.
//! A call asks first whether the running proof is about the contract; otherwise nothing but the
//! body is run.

use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprClosure, FnArg, Ident, ItemFn, Pat, ReturnType, Safety, Type, parse_quote};

use crate::attributes;

const CLAUSES: [&str; 3] = ["requires", "ensures", "modifies"];

/// Expands the first clause of a function with all that follow it.
pub fn expand(first: &str, arguments: TokenStream, item: TokenStream) -> TokenStream {
    let Ok(mut function) = syn::parse2::<ItemFn>(item.clone()) else {
        // A declaration in a trait, which has no body to check.
        return item;
    };
    let mut clauses = vec![(first.to_owned(), arguments)];
    let more = attributes::take(&mut function.attrs, |name| CLAUSES.contains(&name));
    clauses.extend(
        more.into_iter()
            .map(|clause| (clause.name, clause.arguments)),
    );
    // Kani's attributes on functions that have a contract, without effect here.
    attributes::take(&mut function.attrs, |name| name == "recursion");
    contract(clauses, function).unwrap_or_else(|error| {
        let error = error.into_compile_error();
        quote!(#item #error)
    })
}

/// A clause that is evaluated after the body.
struct Ensured {
    closure: ExprClosure,
    text: String,
}

fn contract(clauses: Vec<(String, TokenStream)>, mut function: ItemFn) -> syn::Result<TokenStream> {
    let signature = &function.sig;
    let never =
        matches!(&signature.output, ReturnType::Type(_, ty) if matches!(**ty, Type::Never(_)));
    if signature.constness.is_some() || signature.asyncness.is_some() || never {
        // It stays as it is, and a proof for its contract says that none could be checked.
        return Ok(quote!(#function));
    }
    let mut required = Vec::new();
    let mut ensured = Vec::new();
    let mut remembered: Vec<(Ident, Expr)> = Vec::new();
    for (name, arguments) in clauses {
        let text = arguments.to_string();
        match name.as_str() {
            "requires" => required.push((syn::parse2::<Expr>(arguments)?, text)),
            "ensures" => {
                let mut closure: ExprClosure = syn::parse2(arguments)?;
                let mut old = Old(&mut remembered);
                old.visit_expr_mut(&mut closure.body);
                ensured.push(Ensured { closure, text });
            }
            _ => {}
        }
    }
    let checks = ensured.iter().map(|Ensured { closure, .. }| closure);
    let mentioned = quote!(#(#checks)*);
    let arguments: Vec<Ident> = signature
        .inputs
        .iter()
        .filter_map(argument)
        .filter(|name| mentions_variable(&mentioned, name))
        .collect();
    let reads: Vec<String> = arguments
        .iter()
        .map(|name| format!("an `ensures` that reads `{name}`, which the function consumes\0"))
        .collect();
    // `self` cannot be another variable: its copy has a name of its own.
    let copies: Vec<Ident> = arguments
        .iter()
        .map(|name| match name == "self" {
            true => format_ident!("__kani_self"),
            false => name.clone(),
        })
        .collect();
    // At the clause, for the place of a panic; the variables are those of the expansion.
    let (call, holds) = (format_ident!("__kani_call"), format_ident!("__kani_holds"));
    let requires = required.iter().map(
        |(condition, text)| quote_spanned!(condition.span()=> #call.requires(#condition, #text);),
    );
    let ensures = ensured.iter().map(|Ensured { closure, .. }| {
        let mut closure = closure.clone();
        OtherSelf.visit_expr_mut(&mut closure.body);
        quote!(::kani::internal::apply(#closure, &__kani_result))
    });
    let count = ensured.len();
    let verdicts = ensured.iter().enumerate();
    let verdicts = verdicts.map(|(number, Ensured { closure, text })| {
        quote_spanned!(closure.span()=> #call.ensures(#holds[#number], #text);)
    });
    let (old_names, old_values): (Vec<_>, Vec<_>) = remembered.iter().cloned().unzip();
    let output = match &signature.output {
        ReturnType::Default => quote!(-> ()),
        ReturnType::Type(_, ty) if has_opaque(ty) => quote!(),
        ReturnType::Type(_, ty) => quote!(-> #ty),
    };
    let body = &function.block;
    let (body, is_unsafe) = match signature.safety {
        Safety::Unsafe(_) => (quote!({ unsafe { #body } }), true),
        _ => (quote!(#body), false),
    };
    // Conditions of an unsafe function may use what is unsafe, as its body may.
    let guarded = |tokens: TokenStream| match is_unsafe {
        true => quote!(unsafe { #tokens }),
        false => tokens,
    };
    let before = guarded(quote! {
        #(#requires)*
        ::core::option::Option::Some((
            #(#old_values,)*
            #(::kani::internal::untracked(&#arguments),)*
        ))
    });
    let after = guarded(quote!([#(#ensures),*]));
    if is_unsafe {
        // An attribute of the blocks themselves is not stable where they are expressions.
        function.attrs.push(parse_quote!(#[allow(unused_unsafe)]));
    }
    function.block = parse_quote!({
        let __kani_call = ::kani::internal::Call::enter(&|| {});
        let __kani_before = if __kani_call.is_checked() {
            #before
        } else {
            ::core::option::Option::None
        };
        #[allow(clippy::redundant_closure_call)]
        let __kani_result = ::kani::internal::call(move || #output #body);
        if let ::core::option::Option::Some((#(#old_names,)* #(#copies,)*)) = __kani_before {
            #(
                #[allow(unused_variables)]
                let #copies = ::kani::internal::after(#copies, ::kani::internal::name(#reads));
            )*
            let __kani_holds: [bool; #count] = #after;
            #(#verdicts)*
        }
        __kani_result
    });
    Ok(quote!(#function))
}

/// Returns the name of an argument.
fn argument(input: &FnArg) -> Option<Ident> {
    match input {
        FnArg::Receiver(_) => Some(format_ident!("self")),
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(pattern) => Some(pattern.ident.clone()),
            _ => None,
        },
    }
}

/// Reports whether a name occurs among some tokens.
pub fn mentions(tokens: &TokenStream, name: &Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Reports whether a name occurs among some tokens, other than as a field or method.
fn mentions_variable(tokens: &TokenStream, name: &Ident) -> bool {
    let mut dots = 0;
    tokens.clone().into_iter().any(|token| {
        let is_member = dots == 1;
        dots = match &token {
            TokenTree::Punct(punct) if punct.as_char() == '.' => dots + 1,
            _ => 0,
        };
        match token {
            TokenTree::Ident(ident) => ident == *name && !is_member,
            TokenTree::Group(group) => mentions_variable(&group.stream(), name),
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        }
    })
}

fn has_opaque(ty: &Type) -> bool {
    mentions(&quote!(#ty), &format_ident!("impl"))
}

/// Replaces `old(expression)` by a variable, and keeps the expression, to be evaluated before the
/// body.
struct Old<'a>(&'a mut Vec<(Ident, Expr)>);

impl VisitMut for Old<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if let Expr::Call(call) = expression
            && let Expr::Path(function) = &*call.func
            && function.path.is_ident("old")
            && call.args.len() == 1
        {
            let name = format_ident!("__kani_old_{}", self.0.len());
            self.0.push((name.clone(), call.args[0].clone()));
            *expression = parse_quote!(#name);
            return;
        }
        visit_mut::visit_expr_mut(self, expression);
    }
}

/// Replaces `self` by the name of its copy.
struct OtherSelf;

impl VisitMut for OtherSelf {
    fn visit_ident_mut(&mut self, ident: &mut Ident) {
        if ident == "self" {
            *ident = Ident::new("__kani_self", ident.span());
        }
    }

    fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
        call.tokens = with_other_self(&call.tokens);
    }
}

fn with_other_self(tokens: &TokenStream) -> TokenStream {
    let replaced = tokens.clone().into_iter().map(|token| match token {
        TokenTree::Ident(ident) if ident == "self" => {
            TokenTree::Ident(Ident::new("__kani_self", ident.span()))
        }
        TokenTree::Group(group) => {
            let mut inner =
                proc_macro2::Group::new(group.delimiter(), with_other_self(&group.stream()));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        other => other,
    });
    replaced.collect()
}
