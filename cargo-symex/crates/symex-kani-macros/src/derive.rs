//! The derives of `Arbitrary`, `BoundedArbitrary` and `Invariant`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DataEnum, DeriveInput, Error, Expr, Fields, GenericParam, parse_quote};

/// Expands a derive.
pub fn expand(
    item: TokenStream,
    derive: fn(&DeriveInput) -> syn::Result<TokenStream>,
) -> TokenStream {
    syn::parse2(item)
        .and_then(|input| derive(&input))
        .unwrap_or_else(Error::into_compile_error)
}

/// Returns the implementation of a trait with these items, for type parameters that have it, too.
fn implementation(
    input: &DeriveInput,
    bounds: &[TokenStream],
    of: TokenStream,
    items: TokenStream,
) -> TokenStream {
    let name = &input.ident;
    let mut generics = input.generics.clone();
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter {
            for bound in bounds {
                parameter.bounds.push(parse_quote!(#bound));
            }
        }
    }
    let (of_impl, of_type, conditions) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #of_impl #of for #name #of_type #conditions {
            #items
        }
    }
}

/// Derives `kani::Arbitrary`.
pub fn arbitrary(input: &DeriveInput) -> syn::Result<TokenStream> {
    let draw = |_: &syn::Field| quote!(::kani::any());
    let value = value(input, "Arbitrary", &draw)?;
    let constraint = constraint(input, "Arbitrary")?;
    let value = match constraint {
        None => value,
        Some(constraint) => {
            let fields = references(input, &quote!(__kani_value));
            quote! {
                let __kani_value = #value;
                { #fields ::kani::assume(#constraint); }
                __kani_value
            }
        }
    };
    let items = quote!(fn any() -> Self { #value });
    let of = quote!(::kani::Arbitrary);
    Ok(implementation(
        input,
        std::slice::from_ref(&of),
        of.clone(),
        items,
    ))
}

/// Derives `kani::BoundedArbitrary`.
pub fn bounded(input: &DeriveInput) -> syn::Result<TokenStream> {
    let draw = |field: &syn::Field| match has(&field.attrs, "bounded") {
        true => quote!(::kani::BoundedArbitrary::bounded_any::<__KANI_N>()),
        false => quote!(::kani::any()),
    };
    let value = value(input, "BoundedArbitrary", &draw)?;
    let items = quote!(fn bounded_any<const __KANI_N: usize>() -> Self { #value });
    let mut input = input.clone();
    let parameters: Vec<syn::Ident> = input
        .generics
        .type_params()
        .map(|p| p.ident.clone())
        .collect();
    let fields: Vec<syn::Field> = fields(&input.data).into_iter().cloned().collect();
    // The types of fields have the traits, where they depend on a type parameter.
    for syn::Field { ty, attrs, .. } in &fields {
        let is_generic = parameters
            .iter()
            .any(|parameter| crate::contract::mentions(&quote!(#ty), parameter));
        if is_generic {
            let of = match has(attrs, "bounded") {
                true => quote!(::kani::BoundedArbitrary),
                false => quote!(::kani::Arbitrary),
            };
            let conditions = input.generics.make_where_clause();
            conditions.predicates.push(parse_quote!(#ty: #of));
        }
    }
    let of = quote!(::kani::BoundedArbitrary);
    Ok(implementation(&input, &[], of, items))
}

/// Derives `kani::Invariant`.
pub fn invariant(input: &DeriveInput) -> syn::Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        let message = "`Invariant` can be derived for structs only";
        return Err(Error::new(input.ident.span(), message));
    };
    let of_fields = data.fields.members().map(|member| {
        let span = member.span();
        quote_spanned!(span=> && ::kani::Invariant::is_safe(&self.#member))
    });
    let constraint = constraint(input, "Invariant")?.map(|constraint| quote!(&& (#constraint)));
    let references = references(input, &quote!(self));
    let items = quote! {
        fn is_safe(&self) -> bool {
            #references
            true #(#of_fields)* #constraint
        }
    };
    let of = quote!(::kani::Invariant);
    Ok(implementation(
        input,
        std::slice::from_ref(&of),
        of.clone(),
        items,
    ))
}

/// Returns all fields of a type, of all variants.
fn fields(data: &Data) -> Vec<&syn::Field> {
    match data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data
            .variants
            .iter()
            .flat_map(|variant| &variant.fields)
            .collect(),
        Data::Union(_) => Vec::new(),
    }
}

/// Returns the expression of a value whose fields are drawn.
fn value(
    input: &DeriveInput,
    of: &str,
    draw: &dyn Fn(&syn::Field) -> TokenStream,
) -> syn::Result<TokenStream> {
    match &input.data {
        Data::Struct(data) => Ok(construct(quote!(Self), &data.fields, draw)),
        Data::Enum(data) => variants(input, data, of, draw),
        Data::Union(_) => {
            let message = format!("`{of}` cannot be derived for a union");
            Err(Error::new(input.ident.span(), message))
        }
    }
}

fn variants(
    input: &DeriveInput,
    data: &DataEnum,
    of: &str,
    draw: &dyn Fn(&syn::Field) -> TokenStream,
) -> syn::Result<TokenStream> {
    let Some(last) = data.variants.len().checked_sub(1) else {
        let message = format!("`{of}` cannot be derived for an enum without variants");
        return Err(Error::new(input.ident.span(), message));
    };
    let values = data.variants.iter().enumerate().map(|(number, variant)| {
        let name = &variant.ident;
        let value = construct(quote!(Self::#name), &variant.fields, draw);
        match number == last {
            true => quote!(_ => #value,),
            false => {
                let number = number as u64;
                quote!(#number => #value,)
            }
        }
    });
    let last = last as u64;
    let text = format!("kani::any::<{}>()\0", input.ident);
    Ok(quote! {
        match ::kani::internal::variant(#last, ::kani::internal::name(#text)) {
            #(#values)*
        }
    })
}

/// Returns the expression of a struct or variant whose fields are drawn in their order.
fn construct(
    path: TokenStream,
    fields: &Fields,
    draw: &dyn Fn(&syn::Field) -> TokenStream,
) -> TokenStream {
    let fields = fields.members().zip(fields).map(|(member, field)| {
        let value = draw(field);
        // At the field's type: there the compiler says which type cannot be drawn.
        quote_spanned!(field.ty.span()=> #member: #value,)
    });
    quote!(#path { #(#fields)* })
}

fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().is_ident(name))
}

/// Returns the condition in `#[safety_constraint(..)]`, of the type or of its fields.
fn constraint(input: &DeriveInput, of: &str) -> syn::Result<Option<TokenStream>> {
    let own = conditions(&input.attrs)?;
    let Data::Struct(data) = &input.data else {
        return match own.is_empty() {
            true => Ok(None),
            false => {
                let message = "`#[safety_constraint(..)]` can be used on structs only";
                Err(Error::new(input.ident.span(), message))
            }
        };
    };
    let mut of_fields = Vec::new();
    for field in &data.fields {
        let of_field = conditions(&field.attrs)?;
        if !of_field.is_empty() && field.ident.is_none() {
            let message = "`#[safety_constraint(..)]` needs a field with a name";
            return Err(Error::new(field.span(), message));
        }
        of_fields.extend(of_field);
    }
    if !own.is_empty() && !of_fields.is_empty() {
        let message = format!(
            "`{of}`: `#[safety_constraint(..)]` is on the struct and on its fields; one is meant"
        );
        return Err(Error::new(input.ident.span(), message));
    }
    let all: Vec<Expr> = own.into_iter().chain(of_fields).collect();
    Ok((!all.is_empty()).then(|| quote!(#((#all))&&*)))
}

fn conditions(attributes: &[Attribute]) -> syn::Result<Vec<Expr>> {
    let constraints = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("safety_constraint"));
    constraints
        .map(|attribute| attribute.parse_args())
        .collect()
}

/// Returns `let field = &value.field;` for each field that a constraint can name.
fn references(input: &DeriveInput, value: &TokenStream) -> TokenStream {
    let Data::Struct(data) = &input.data else {
        return TokenStream::new();
    };
    let names = data.fields.iter().filter_map(|field| field.ident.as_ref());
    let names: Vec<_> = names.map(|name| format_ident!("{name}")).collect();
    quote!(#(#[allow(unused_variables)] let #names = &#value.#names;)*)
}
