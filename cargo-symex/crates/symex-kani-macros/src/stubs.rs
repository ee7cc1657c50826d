//! `#[kani::stub(f, g)]`: what a proof says first so that `g` takes the place of `f`.
//!
//! The engine finds `f` by its name, as a proof may name what it could not refer to. `g` is
//! referred to, so that there is code of it.

use std::path::{Path, PathBuf};

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{File, GenericParam, Generics, Ident, MetaList, Token, Type, UseTree, Visibility};

/// Expands an attribute, or an entry of a set, to a statement; `None` if it is none of stubs.
pub fn statement(name: &str, arguments: &TokenStream) -> Option<TokenStream> {
    match name {
        "stub" => Some(replacement(arguments)),
        "use_stub_set" => Some(quote!(#arguments!();)),
        _ => None,
    }
}

/// Expands `stub_set!(pub name, stub(f, g), use_stub_set(other))`: a macro with the statements of
/// its entries, as the paths are read where the set is used.
pub fn set(tokens: TokenStream) -> TokenStream {
    let expanded = syn::parse2::<Set>(tokens).and_then(|set| {
        let (visibility, name) = (&set.visibility, &set.name);
        let statements = set.entries.iter().map(|entry| {
            let kind = entry.path.require_ident()?.to_string();
            let unknown = || {
                let message = "a set has entries `stub(f, g)` and `use_stub_set(name)`";
                syn::Error::new_spanned(&entry.path, message)
            };
            statement(&kind, &entry.tokens).ok_or_else(unknown)
        });
        let statements = statements.collect::<syn::Result<Vec<_>>>()?;
        // A macro can be no more visible than that without being exported.
        let visibility = match visibility {
            Visibility::Public(_) => quote!(pub(crate)),
            other => quote!(#other),
        };
        Ok(quote! {
            #[allow(unused_macros)]
            macro_rules! #name { () => { #(#statements)* } }
            #[allow(unused_imports)]
            #visibility use #name;
        })
    });
    expanded.unwrap_or_else(syn::Error::into_compile_error)
}

/// A set of stubs as it is written.
struct Set {
    visibility: Visibility,
    name: Ident,
    entries: Punctuated<MetaList, Token![,]>,
}

impl Parse for Set {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (visibility, name) = (input.parse()?, input.parse()?);
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        Ok(Set {
            visibility,
            name,
            entries: Punctuated::parse_terminated(input)?,
        })
    }
}

/// Expands the arguments of `stub` to a statement.
fn replacement(arguments: &TokenStream) -> TokenStream {
    let types = Punctuated::<Type, Token![,]>::parse_terminated.parse2(arguments.clone());
    let types: Vec<Type> = types.into_iter().flatten().collect();
    let [replaced, by] = types.as_slice() else {
        return unsupported(arguments, "");
    };
    let file = Span::call_site().local_file();
    let file = file.and_then(|file| std::fs::read_to_string(file).ok());
    let file = file.and_then(|text| syn::parse_file(&text).ok());
    let others = || {
        let package = std::env::var_os("CARGO_MANIFEST_DIR");
        package.map_or_else(Vec::new, |package| {
            sources(&Path::new(&package).join("src"))
        })
    };
    if is_generic(by, file.as_ref(), others) {
        return unsupported(arguments, ", with a generic function");
    }
    let replaced = spelled(quote!(#replaced));
    let replaced = match file {
        Some(file) => renamed(replaced, &file),
        None => replaced,
    };
    let what = format!("\n{replaced}\n{}\0", spelled(quote!(#by)));
    quote! {
        ::kani::internal::stub(
            ::kani::internal::name(::core::concat!(::core::module_path!(), #what)),
            #by as *const (),
        );
    }
}

fn unsupported(arguments: &TokenStream, why: &str) -> TokenStream {
    let text = format!("`#[kani::stub({})]`{why}\0", spelled(arguments.clone()));
    quote!(::kani::internal::unsupported_attribute(::kani::internal::name(#text));)
}

/// Returns tokens as one would write them, close to it.
fn spelled(tokens: TokenStream) -> String {
    let mut text = tokens.to_string();
    for (apart, together) in [
        (" :: ", "::"),
        (" ,", ","),
        ("< ", "<"),
        (" <", "<"),
        (" >", ">"),
        ("* ", "*"),
    ] {
        text = text.replace(apart, together);
    }
    text
}

/// Returns a path with what it begins with under the name that it was imported by, if the file
/// imports it under another.
fn renamed(path: String, file: &File) -> String {
    let mut renames = Renames::default();
    renames.visit_file(file);
    let end = path.find("::").unwrap_or(path.len());
    match renames.0.iter().find(|(new, _)| *new == path[..end]) {
        Some((_, original)) => format!("{original}{}", &path[end..]),
        None => path,
    }
}

/// What the `use` items of a file import under another name: that name, and the path.
#[derive(Default)]
struct Renames(Vec<(String, String)>);

impl Renames {
    fn add(&mut self, before: &str, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => self.add(&format!("{before}{}::", path.ident), &path.tree),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add(before, tree)),
            UseTree::Rename(rename) => {
                let path = match rename.ident == "self" {
                    true => before.trim_end_matches("::").to_owned(),
                    false => format!("{before}{}", rename.ident),
                };
                self.0.push((rename.rename.to_string(), path));
            }
            UseTree::Name(_) | UseTree::Glob(_) => {}
        }
    }
}

impl<'ast> Visit<'ast> for Renames {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add("", &item.tree);
    }
}

/// Reports whether a path names a function that has to be told types, and is not. It is looked for
/// in the file of the proof first, then in `others`, of which the paths are given. A function that
/// is in none of them is taken to be none.
fn is_generic(path: &Type, file: Option<&File>, others: impl FnOnce() -> Vec<PathBuf>) -> bool {
    let tokens: Vec<TokenTree> = quote!(#path).into_iter().collect();
    let Some(TokenTree::Ident(name)) = tokens.last() else {
        return false;
    };
    let tells_types = tokens.iter().any(|token| token.to_string() == "<");
    let mut search = Search {
        name,
        tells_types,
        depth: 0,
        is_there: false,
        is_generic: false,
    };
    if let Some(file) = file {
        search.visit_file(file);
    }
    if !search.is_there {
        let name = name.to_string();
        for other in others() {
            let text = std::fs::read_to_string(other).unwrap_or_default();
            if let (true, Ok(file)) = (text.contains(&name), syn::parse_file(&text)) {
                search.visit_file(&file);
            }
        }
    }
    search.is_generic
}

/// Returns the source files in a directory and those in it.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        // A link may lead around in a circle.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(sources(&path)),
            Ok(kind) if kind.is_file() && path.extension().is_some_and(|end| end == "rs") => {
                found.push(path);
            }
            _ => {}
        }
    }
    found
}

/// Search for a function of a name, and whether it is generic.
struct Search<'a> {
    name: &'a Ident,
    /// Whether the path to it says of which types its own type is.
    tells_types: bool,
    /// Number of generic implementations around.
    depth: usize,
    is_there: bool,
    is_generic: bool,
}

fn has_parameters(generics: &Generics) -> bool {
    let is_parameter = |parameter: &GenericParam| !matches!(parameter, GenericParam::Lifetime(_));
    generics.params.iter().any(is_parameter)
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let is_generic = usize::from(has_parameters(&item.generics));
        self.depth += is_generic;
        visit::visit_item_impl(self, item);
        self.depth -= is_generic;
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        if signature.ident == *self.name {
            let mut arguments = ImplArguments(false);
            arguments.visit_signature(signature);
            self.is_there = true;
            self.is_generic |= self.depth > 0 && !self.tells_types
                || has_parameters(&signature.generics)
                || arguments.0;
        }
    }
}

/// Search for arguments of a type `impl Trait`.
struct ImplArguments(bool);

impl<'ast> Visit<'ast> for ImplArguments {
    fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
        self.0 = true;
    }

    fn visit_return_type(&mut self, _: &'ast syn::ReturnType) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_functions_are_found_in_the_file() {
        let file = "
            fn plain<'a>(x: &'a u8) -> impl Iterator<Item = u8> { [*x].into_iter() }
            mod stubs {
                pub fn of_type<T>(x: T) -> T { x }
                pub fn of_impl(x: &impl Copy) {}
            }
            impl<T> S<T> { fn method(&self) {} }
            impl S<u8> { fn simple(&self) {} }
        ";
        let file = syn::parse_file(file).expect("a file");
        let path = |path: &str| syn::parse_str::<Type>(path).expect("a path");
        let is = |text: &str| is_generic(&path(text), Some(&file), Vec::new);
        for path in ["stubs::of_type", "of_impl", "S::method"] {
            assert!(is(path), "{path}");
        }
        for path in [
            "plain",
            "S::simple",
            "S::<u8>::method",
            "missing",
            "of_type::<u8>",
        ] {
            assert!(!is(path), "{path}");
        }
        // Elsewhere in the package.
        let others = || sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
        assert!(is_generic(&path("is_generic"), None, others));
        assert!(!is_generic(&path("has_parameters"), None, others));
    }

    #[test]
    fn what_is_imported_under_another_name_is_known() {
        let file = "
            use a::{b as c, d::{self as e, f}};
            mod m { use super::g as h; }
        ";
        let file = syn::parse_file(file).expect("a file");
        for (path, expected) in [
            ("c", "a::b"),
            ("c::x", "a::b::x"),
            ("e::x", "a::d::x"),
            ("f", "f"),
            ("h", "super::g"),
            ("self::c", "self::c"),
        ] {
            assert_eq!(renamed(path.to_owned(), &file), expected);
        }
    }

    #[test]
    fn paths_are_passed_on_as_written() {
        for (written, what) in [
            ("f, g", "\nf\ng\0"),
            (
                "<A as b::C<D>>::f, self::g",
                "\n<A as b::C<D>>::f\nself::g\0",
            ),
            ("Vec::<u8>::len, m::g", "\nVec::<u8>::len\nm::g\0"),
        ] {
            let expanded = replacement(&written.parse().expect("tokens"));
            let literal = proc_macro2::Literal::string(what).to_string();
            assert!(expanded.to_string().contains(&literal), "{expanded}");
        }
    }
}
