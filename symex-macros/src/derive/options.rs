//! The `#[symex(..)]` attribute of a type.

use syn::{Attribute, Error, Expr, Path, Token};

/// Options of a type.
#[derive(Default)]
pub struct TypeOptions {
    pub krate: Option<Path>,
    /// Condition that every value meets.
    pub assume: Option<Expr>,
    /// Limit on how often the type may contain itself.
    pub depth: Option<Expr>,
}

/// Reads the attributes of a type.
pub fn of_type(attributes: &[Attribute]) -> syn::Result<TypeOptions> {
    let mut options = TypeOptions::default();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("symex"))
    {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("crate") {
                meta.input.parse::<Token![=]>()?;
                options.krate = Some(meta.input.call(Path::parse_mod_style)?);
            } else if meta.path.is_ident("assume") {
                meta.input.parse::<Token![=]>()?;
                options.assume = Some(meta.input.parse()?);
            } else if meta.path.is_ident("depth") {
                meta.input.parse::<Token![=]>()?;
                options.depth = Some(meta.input.parse()?);
            } else {
                return Err(Error::new_spanned(
                    &meta.path,
                    "unknown key; on a type there are: assume, crate, depth",
                ));
            }
            Ok(())
        })?;
    }
    Ok(options)
}

/// Rejects attributes in places where they have no meaning.
pub fn none(attributes: &[Attribute]) -> syn::Result<()> {
    match attributes
        .iter()
        .find(|attribute| attribute.path().is_ident("symex"))
    {
        Some(attribute) => Err(Error::new_spanned(
            attribute,
            "write this on the type or on a field",
        )),
        None => Ok(()),
    }
}
