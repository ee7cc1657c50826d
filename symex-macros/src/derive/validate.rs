//! Checks of the type to derive for: structs and inhabited enums, with the attributes and
//! visibility of their fields.

use syn::visit::Visit;
use syn::{Data, DeriveInput, Error, Fields, Generics, Ident, Member, Path, Type, Visibility};

use super::options::{self, TypeOptions};
use crate::draw::Draw;

/// A type that can be expanded.
pub struct Model {
    pub name: Ident,
    pub generics: Generics,
    pub options: TypeOptions,
    pub shape: Shape,
    /// Visibility of the type and all its fields.
    pub reach: Reach,
    /// Whether the type mentions itself.
    pub recursive: bool,
}

/// The shape of a type: struct or enum.
pub enum Shape {
    Struct(Body),
    Enum(Vec<Variant>),
}

/// A variant of an enum.
pub struct Variant {
    pub name: Ident,
    pub body: Body,
}

/// The fields of a struct or variant.
pub struct Body {
    pub fields: Vec<Field>,
    pub style: Style,
}

/// The syntax of fields.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Named,
    Tuple,
    Unit,
}

/// A field of a struct or variant.
pub struct Field {
    pub member: Member,
    pub ty: Type,
    pub draw: Draw,
}

/// Visibility, as the runtime's `Reach`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    Private,
    Super,
    Crate,
    Public,
}

/// Checks the item.
pub fn model(input: DeriveInput) -> syn::Result<Model> {
    let options = options::of_type(&input.attrs)?;
    let mut reach = reach(&input.vis);
    if input
        .attrs
        .iter()
        .any(|attribute| attribute.path().is_ident("non_exhaustive"))
    {
        // Other crates cannot write a literal of it.
        reach = reach.min(Reach::Crate);
    }
    let mut mentions = Mentions {
        name: &input.ident,
        found: false,
    };
    let shape = match &input.data {
        Data::Struct(data) => {
            for field in &data.fields {
                reach = reach.min(self::reach(&field.vis));
            }
            mentions.visit_fields(&data.fields);
            Shape::Struct(body(&data.fields)?)
        }
        Data::Enum(data) => {
            if data.variants.is_empty() {
                return Err(Error::new_spanned(
                    &input.ident,
                    "an enum without variants has no values to draw",
                ));
            }
            let mut variants = Vec::new();
            for variant in &data.variants {
                options::none(&variant.attrs)?;
                mentions.visit_fields(&variant.fields);
                variants.push(Variant {
                    name: variant.ident.clone(),
                    body: body(&variant.fields)?,
                });
            }
            Shape::Enum(variants)
        }
        Data::Union(data) => {
            let message = "`Symbolic` cannot be derived for a union: which of its fields is in use is not known";
            return Err(Error::new_spanned(data.union_token, message));
        }
    };
    let recursive = mentions.found;
    Ok(Model {
        name: input.ident,
        generics: input.generics,
        options,
        shape,
        reach,
        recursive,
    })
}

fn body(fields: &Fields) -> syn::Result<Body> {
    let style = match fields {
        Fields::Named(_) => Style::Named,
        Fields::Unnamed(_) => Style::Tuple,
        Fields::Unit => Style::Unit,
    };
    let mut body = Body {
        fields: Vec::new(),
        style,
    };
    for (field, member) in fields.iter().zip(fields.members()) {
        let draw = Draw::of(&field.attrs, "a field")?;
        body.fields.push(Field {
            member,
            ty: field.ty.clone(),
            draw,
        });
    }
    Ok(body)
}

fn reach(visibility: &Visibility) -> Reach {
    match visibility {
        Visibility::Public(_) => Reach::Public,
        Visibility::Restricted(path) if path.path.is_ident("crate") => Reach::Crate,
        Visibility::Restricted(path) if path.path.is_ident("super") => Reach::Super,
        // `pub(in path)` may be anything; taken for private it is never wrong.
        _ => Reach::Private,
    }
}

/// Visitor that finds the type's own name, or `Self`, in the types of its fields.
struct Mentions<'a> {
    name: &'a Ident,
    found: bool,
}

impl<'a> Visit<'a> for Mentions<'_> {
    fn visit_path(&mut self, path: &'a Path) {
        if path
            .segments
            .last()
            .is_some_and(|last| last.ident == *self.name || last.ident == "Self")
        {
            self.found = true;
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}
}
