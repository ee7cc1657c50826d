//! Makes inputs of a type: arguments that a harness can have, and statements that make other values
//! from them.

use super::api::{Api, Fields, Shape};
use super::choose::closure;
use super::spell::std_path;
use super::types::{Id, Named, Type};
use std::collections::BTreeSet;

/// Depth to which values are made from others.
const DEPTH: u32 = 4;

/// Most variants of an enum that an input chooses from.
const VARIANTS: usize = 16;

/// Greatest length of an array whose elements are made one by one.
const ELEMENTS: usize = 4;

/// Greatest length of text and bytes in an input; other lists have the default one.
pub const TEXT: u32 = 8;

/// An argument of a harness.
#[derive(Clone, Debug)]
pub struct Argument {
    pub name: String,
    /// The type as source spells it.
    pub ty: String,
    /// Whether it is text or bytes, which have a bound of their own.
    pub is_text: bool,
}

/// A statement that makes a value.
#[derive(Clone, Debug)]
pub enum Statement {
    /// A value, in the variant of `Option` or `Result` that holds it. The others leave the harness.
    Let {
        name: String,
        mutable: bool,
        variant: Option<&'static str>,
        value: String,
    },
    Other(String),
}

/// Makes the inputs of one harness.
#[derive(Clone)]
pub struct Maker<'a> {
    pub api: &'a Api,
    pub arguments: Vec<Argument>,
    pub statements: Vec<Statement>,
    /// Numbers of the attempt to choose types for parameters.
    pub alternative: usize,
    /// Paths of the functions that make values.
    pub makers: Vec<String>,
    pub(super) names: BTreeSet<String>,
    /// The types that are being made.
    pub(super) making: Vec<Id>,
}

/// The type of something that makes a value: an expression, or the reason for which there is none.
pub type Made = Result<String, String>;

impl<'a> Maker<'a> {
    /// Creates a maker without inputs.
    pub fn new(api: &'a Api, alternative: usize) -> Self {
        Maker {
            api,
            arguments: Vec::new(),
            statements: Vec::new(),
            alternative,
            makers: Vec::new(),
            names: BTreeSet::new(),
            making: Vec::new(),
        }
    }

    /// Makes a value, or leaves everything as it was.
    pub(super) fn attempt(&mut self, make: impl FnOnce(&mut Self) -> Made) -> Made {
        let before = self.clone();
        let made = make(self);
        if made.is_err() {
            *self = before;
        }
        made
    }

    /// Makes a value of a type and returns an expression of it, which is used once. `hint` is a
    /// name for it.
    pub fn make(&mut self, ty: &Type, hint: &str) -> Made {
        if self.making.len() as u32 > DEPTH {
            return Err("values that are made of too many others".to_owned());
        }
        let ty = &self.api.resolved(ty);
        if is_argument(ty) {
            return Ok(self.argument(ty, hint));
        }
        match ty {
            Type::Reference {
                mutable,
                to,
                is_static,
            } => self.reference(*mutable, *is_static, to, hint),
            Type::Named(named) if named.krate.is_empty() => self.own(named, hint),
            Type::Named(named) if named.is_std() => self.of_std(named, hint),
            Type::Named(named) => Err(format!("`{}` of another crate", named.name)),
            Type::Tuple(parts) => {
                let parts = self.all(parts, hint)?;
                Ok(match parts.as_slice() {
                    [part] => format!("({part},)"),
                    parts => format!("({})", parts.join(", ")),
                })
            }
            Type::Array(of, length) => match length.parse() {
                Ok(count) if count <= ELEMENTS => {
                    let parts = self.all(&vec![(**of).clone(); count], hint)?;
                    Ok(format!("[{}]", parts.join(", ")))
                }
                _ => Err(format!("an array of many `{}`", self.api.spell(of))),
            },
            Type::Impl(bounds) => {
                let ty = match closure(bounds) {
                    Some(closure) => closure,
                    None => {
                        let choices = self.api.choices(bounds, &[], 2);
                        let chosen = choices.get(self.alternative).or(choices.last());
                        let none = || format!("`{}`", self.api.spell(ty));
                        chosen.cloned().ok_or_else(none)?
                    }
                };
                self.make(&ty, hint)
            }
            Type::Closure {
                arity,
                output,
                once,
            } => self.closure(*arity, output, *once),
            Type::Primitive(name) if name == "never" => Err("a value that never is".to_owned()),
            Type::Primitive(name) => Err(format!("`{name}` by value")),
            Type::Dyn(_) => Err(format!("`{}`", self.api.spell(ty))),
            Type::Parameter(name) => Err(format!("a type for `{name}`")),
            Type::Projection { .. } => Err(format!("`{}`", self.api.spell(ty))),
            Type::Slice(_) | Type::Const(_) => Err(format!("`{}` by value", self.api.spell(ty))),
            Type::Other(what) => Err((*what).to_owned()),
        }
    }

    /// Makes a value and returns the name of a variable that has it.
    pub fn variable(&mut self, ty: &Type, hint: &str, mutable: bool) -> Made {
        let value = self.make(ty, hint)?;
        Ok(self.bind(value, hint, mutable))
    }

    /// Returns a variable with this value.
    pub(super) fn bind(&mut self, value: String, hint: &str, mut_asked: bool) -> String {
        for statement in &mut self.statements {
            if let Statement::Let { name, mutable, .. } = statement
                && *name == value
            {
                *mutable |= mut_asked;
                return value;
            }
        }
        let is_argument = self.arguments.iter().any(|argument| argument.name == value);
        if is_argument && !mut_asked {
            return value;
        }
        let name = self.fresh(hint);
        self.statements.push(Statement::Let {
            name: name.clone(),
            mutable: mut_asked,
            variant: None,
            value,
        });
        name
    }

    /// Adds an argument of the harness, and returns its name.
    pub(super) fn argument(&mut self, ty: &Type, hint: &str) -> String {
        let name = self.fresh(hint);
        self.arguments.push(Argument {
            name: name.clone(),
            ty: self.api.spell(ty),
            is_text: is_text(ty),
        });
        name
    }

    /// Returns a name that is not used yet.
    pub(super) fn fresh(&mut self, hint: &str) -> String {
        let mut name: String = hint.trim_start_matches('_').to_lowercase();
        let is_name = syn::parse_str::<syn::Ident>(&name).is_ok();
        if !is_name || name == "self" {
            name = "value".to_owned();
        }
        let mut unique = name.clone();
        let mut number = 2;
        while !self.names.insert(unique.clone()) {
            unique = format!("{name}{number}");
            number += 1;
        }
        unique
    }

    fn all(&mut self, types: &[Type], hint: &str) -> Result<Vec<String>, String> {
        types.iter().map(|ty| self.make(ty, hint)).collect()
    }

    fn reference(&mut self, mutable: bool, is_static: bool, to: &Type, hint: &str) -> Made {
        let text = Type::reference(Type::primitive("str"));
        if let Some(named) = to.as_std("Path").or(to.as_std("OsStr"))
            && !mutable
        {
            let text = self.make(&text, hint)?;
            let path = std_path(&named.name).unwrap_or_default();
            return Ok(format!("{path}::new({text})"));
        }
        if to.as_std("CStr").is_some() && !mutable {
            let bytes = Type::reference(Type::Slice(Box::new(Type::primitive("u8"))));
            let bytes = self.make(&bytes, hint)?;
            let value = format!("std::ffi::CStr::from_bytes_until_nul({bytes})");
            return Ok(self.held("Ok", value, hint));
        }
        let borrow = if mutable { "&mut " } else { "&" };
        if let Type::Dyn(bounds) = to {
            let ty = match closure(bounds) {
                Some(closure) => closure,
                None => {
                    let choices = self.api.choices(bounds, &[], 2);
                    choices
                        .into_iter()
                        .next()
                        .ok_or(format!("`{}`", self.api.spell(to)))?
                }
            };
            let value = self.variable(&ty, hint, mutable)?;
            return Ok(format!("{borrow}{value}"));
        }
        if let Type::Slice(of) = to {
            let list = Type::std("Vec", vec![(**of).clone()]);
            let list = self.variable(&list, hint, mutable)?;
            return Ok(format!("{borrow}{list}"));
        }
        if let Type::Named(named) = to
            && named.krate.is_empty()
            && let Some((path, Type::Reference { mutable: false, .. })) = self.constant(named)
            && !mutable
        {
            return Ok(path);
        }
        if is_static {
            let value = self.make(to, hint)?;
            return Ok(format!("Box::leak(Box::new({value}))"));
        }
        let owned = self.attempt(|maker| maker.variable(to, hint, mutable));
        match (owned, to) {
            (Ok(value), _) => Ok(format!("{borrow}{value}")),
            (Err(why), Type::Named(named)) if named.krate.is_empty() => {
                let borrowed = self.attempt(|maker| maker.borrow(named, mutable, hint));
                borrowed.map_err(|_| why)
            }
            (Err(why), _) => Err(why),
        }
    }

    /// Binds the value that an `Option` or a `Result` holds; where there is none, the harness ends.
    pub(super) fn held(&mut self, variant: &'static str, value: String, hint: &str) -> String {
        let name = self.fresh(hint);
        self.statements.push(Statement::Let {
            name: name.clone(),
            mutable: false,
            variant: Some(variant),
            value,
        });
        name
    }

    fn closure(&mut self, arity: usize, output: &Type, once: bool) -> Made {
        let output = self.api.resolved(output);
        let ignored = vec!["_"; arity].join(", ");
        if output == Type::unit() {
            return Ok(format!("|{ignored}| {{}}"));
        }
        let answer = self.variable(&output, "answer", false)?;
        let is_copy = match &output {
            Type::Primitive(_) => true,
            Type::Reference { mutable, .. } => !mutable,
            Type::Named(named) => named.is_std() && named.name == "Ordering",
            _ => false,
        };
        let again = if is_copy || once { "" } else { ".clone()" };
        Ok(format!("|{ignored}| {answer}{again}"))
    }

    /// Makes a value of a type of the standard library that is no argument as it stands.
    fn of_std(&mut self, named: &Named, hint: &str) -> Made {
        let none = || Err(format!("`{}`", self.api.spell(&Type::Named(named.clone()))));
        let text = Type::reference(Type::primitive("str"));
        let path = std_path(&named.name).unwrap_or_default();
        let arguments = named.arguments.as_slice();
        match (named.name.as_str(), arguments) {
            ("Option", [of]) => {
                let value = self.make(of, hint)?;
                let is_there = self.argument(&Type::primitive("bool"), &format!("has_{hint}"));
                Ok(format!("{is_there}.then_some({value})"))
            }
            ("Result", [of, _]) => Ok(format!("Ok({})", self.make(of, hint)?)),
            ("Box", [Type::Dyn(bounds)]) => {
                let ty = closure(bounds);
                let ty = ty.or_else(|| self.api.choices(bounds, &[], 2).into_iter().next());
                let Some(ty) = ty else { return none() };
                Ok(format!("Box::new({})", self.make(&ty, hint)?))
            }
            ("Box" | "Rc" | "Arc", [Type::Slice(of)]) => {
                let list = self.make(&Type::std("Vec", vec![(**of).clone()]), hint)?;
                Ok(format!("{path}::from({list})"))
            }
            ("Rc" | "Arc", [Type::Primitive(name)]) if name == "str" => {
                Ok(format!("{path}::from({})", self.make(&text, hint)?))
            }
            (
                "Box" | "Rc" | "Arc" | "Cell" | "RefCell" | "Mutex" | "RwLock" | "Cursor",
                [of, ..],
            ) => Ok(format!("{path}::new({})", self.make(of, hint)?)),
            ("Reverse" | "Wrapping", [of]) => Ok(format!("{path}({})", self.make(of, hint)?)),
            ("Cow", [of]) => {
                let value = self.make(&Type::reference(of.clone()), hint)?;
                Ok(format!("{path}::Borrowed({value})"))
            }
            ("Vec" | "VecDeque", [of]) => {
                let (first, second) = (self.make(of, hint)?, self.make(of, hint)?);
                let list = self.bind(format!("Vec::from([{first}, {second}])"), hint, true);
                let count = self.argument(&Type::primitive("u8"), "count");
                let cut = format!("{list}.truncate(usize::from({count}));");
                self.statements.push(Statement::Other(cut));
                Ok(match named.name.as_str() {
                    "Vec" => list,
                    _ => format!("{path}::from({list})"),
                })
            }
            ("IntoIter", [of]) => {
                let list = self.make(&Type::std("Vec", vec![of.clone()]), hint)?;
                Ok(format!("{list}.into_iter()"))
            }
            ("Iter", [of]) => {
                let list = self.make(&Type::reference(Type::Slice(Box::new(of.clone()))), hint)?;
                Ok(format!("{}.iter()", list.trim_start_matches('&')))
            }
            ("Chars", []) => Ok(format!("{}.chars()", self.make(&text, hint)?)),
            ("CharIndices", []) => Ok(format!("{}.char_indices()", self.make(&text, hint)?)),
            ("OsString", []) => Ok(format!("{path}::from({})", self.make(&text, hint)?)),
            ("CString", []) => {
                let value = format!("{path}::new({})", self.make(&text, hint)?);
                Ok(self.held("Ok", value, hint))
            }
            ("SystemTime", []) => {
                let since = self.make(&Type::std("Duration", vec![]), hint)?;
                let value = format!("std::time::UNIX_EPOCH.checked_add({since})");
                Ok(self.held("Some", value, hint))
            }
            ("DefaultHasher", []) => Ok(format!("{path}::new()")),
            ("BuildHasherDefault", _) => Ok(format!("{path}::default()")),
            ("Range", [of]) => {
                let (start, end) = (self.make(of, "start")?, self.make(of, "end")?);
                Ok(format!("{start}..{end}"))
            }
            _ => none(),
        }
    }

    /// Makes a value of a type of the crate.
    fn own(&mut self, named: &Named, hint: &str) -> Made {
        let Some(item) = self.api.types.get(&named.id) else {
            return Err(format!("`{}`, which cannot be named", named.name));
        };
        if self.making.contains(&named.id) {
            return Err(format!("another `{}`", named.name));
        }
        self.making.push(named.id);
        let names = item
            .parameters
            .iter()
            .map(|parameter| parameter.name.clone());
        let bindings = names.zip(named.arguments.iter().cloned()).collect();
        let hint = &match hint {
            "self" | "value" | "" => snake(&named.name),
            hint => hint.to_owned(),
        };
        let in_parts = match &item.shape {
            Shape::Struct(fields) => {
                self.attempt(|maker| maker.parts(&item.path, fields, &bindings))
            }
            Shape::Enum(variants) => {
                self.attempt(|maker| maker.variants(&item.path, variants, &bindings, hint))
            }
            Shape::Alias(_) | Shape::Opaque => Err(String::new()),
        };
        let made = in_parts.or_else(|why| self.construct(named, hint, why));
        self.making.pop();
        made
    }

    fn parts(&mut self, path: &str, fields: &Fields, bindings: &super::types::Bindings) -> Made {
        match fields {
            Fields::Unit => Ok(path.to_owned()),
            Fields::Tuple(types) => {
                let hint = snake(path.rsplit("::").next().unwrap_or(path));
                let types: Vec<Type> = types.iter().map(|ty| ty.substitute(bindings)).collect();
                Ok(format!("{path}({})", self.all(&types, &hint)?.join(", ")))
            }
            Fields::Named(fields) => {
                let mut parts = Vec::new();
                for (name, ty) in fields {
                    let value = self.make(&ty.substitute(bindings), name)?;
                    parts.push(match value == *name {
                        true => value,
                        false => format!("{}: {value}", identifier(name)),
                    });
                }
                Ok(format!("{path} {{ {} }}", parts.join(", ")))
            }
            Fields::Hidden => Err("fields that are not public".to_owned()),
        }
    }

    fn variants(
        &mut self,
        path: &str,
        variants: &[(String, Fields)],
        bindings: &super::types::Bindings,
        hint: &str,
    ) -> Made {
        let mut values = Vec::new();
        let mut why = "a variant that can be made".to_owned();
        for (name, fields) in variants.iter().take(VARIANTS) {
            let path = format!("{path}::{}", identifier(name));
            match self.attempt(|maker| maker.parts(&path, fields, bindings)) {
                Ok(value) => values.push(value),
                Err(reason) => why = reason,
            }
        }
        let last = values.pop().ok_or(why)?;
        if values.is_empty() {
            return Ok(last);
        }
        let which = self.argument(&Type::primitive("u8"), &format!("which_{hint}"));
        let arms: Vec<String> = (0..)
            .zip(&values)
            .map(|(number, value): (u8, &String)| format!("{number} => {value}"))
            .collect();
        let value = format!("match {which} {{ {}, _ => {last} }}", arms.join(", "));
        Ok(self.bind(value, hint, false))
    }
}

/// Returns a name as it stands in source, where it may be a keyword.
pub fn identifier(name: &str) -> String {
    match syn::parse_str::<syn::Ident>(name) {
        Ok(_) => name.to_owned(),
        Err(_) => format!("r#{name}"),
    }
}

/// Returns the name of a variable for a type.
pub fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut before = '_';
    for c in name.chars() {
        if c.is_uppercase() && before != '_' && !before.is_uppercase() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
        before = c;
    }
    snake
}

/// Reports whether an argument of a harness can have this type, without a value to be made first.
fn is_argument(ty: &Type) -> bool {
    match ty {
        Type::Reference { to, is_static, .. } => match &**to {
            Type::Slice(of) => is_symbolic(of),
            Type::Primitive(name) if name == "str" => true,
            Type::Reference { .. } => false,
            to => !is_static && is_symbolic(to),
        },
        ty => is_symbolic(ty),
    }
}

/// Reports whether the type is one of those that implement `Symbolic` of the runtime.
pub fn is_symbolic(ty: &Type) -> bool {
    const PRIMITIVES: [&str; 16] = [
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16",
        "u32", "u64", "u128", "usize",
    ];
    match ty {
        Type::Primitive(name) => PRIMITIVES.contains(&name.as_str()),
        Type::Tuple(parts) => parts.len() <= 6 && parts.iter().all(is_symbolic),
        Type::Array(of, length) => {
            length
                .parse::<usize>()
                .is_ok_and(|length| length <= 1 << 12)
                && is_symbolic(of)
        }
        // Drawn as part of another value, it is one that lasts.
        Type::Reference { mutable, to, .. } => {
            !mutable
                && match &**to {
                    Type::Primitive(name) if name == "str" => true,
                    Type::Slice(of) => is_symbolic(of),
                    to => is_symbolic(to),
                }
        }
        Type::Named(named) if named.is_std() => is_symbolic_std(named),
        _ => false,
    }
}

fn is_symbolic_std(named: &Named) -> bool {
    let arguments = named.arguments.as_slice();
    match named.name.as_str() {
        "String" | "PathBuf" | "Duration" | "IpAddr" | "Ipv4Addr" | "Ipv6Addr" | "SocketAddr"
        | "SocketAddrV4" | "SocketAddrV6" | "RangeFull" => true,
        "Ordering" => named.module == "cmp",
        name if name.starts_with("NonZero") => true,
        name if name.starts_with("Atomic") => std_path(name).is_some(),
        "Box" => match arguments {
            [Type::Primitive(name)] if name == "str" => true,
            [Type::Slice(of)] => is_symbolic(of),
            [of, ..] => is_symbolic(of),
            [] => false,
        },
        "Cow" => arguments == [Type::primitive("str")],
        "Vec" | "Option" | "Rc" | "Arc" | "VecDeque" | "LinkedList" | "Bound" | "Range"
        | "RangeInclusive" | "RangeFrom" | "RangeTo" | "RangeToInclusive" | "Cell" | "RefCell"
        | "Mutex" | "RwLock" | "Reverse" => arguments.first().is_some_and(is_symbolic),
        "BinaryHeap" | "BTreeSet" => arguments.first().is_some_and(is_key),
        "HashSet" => arguments.len() == 1 && is_key(&arguments[0]),
        "BTreeMap" | "HashMap" => match arguments {
            [key, value] => is_key(key) && is_symbolic(value),
            _ => false,
        },
        "Result" => arguments.len() == 2 && arguments.iter().all(is_symbolic),
        "PhantomData" => true,
        _ => false,
    }
}

fn is_key(ty: &Type) -> bool {
    is_symbolic(ty) && !ty.any(&mut |part| part.is("f32") || part.is("f64"))
}

/// Reports whether a type is text or bytes.
fn is_text(ty: &Type) -> bool {
    match ty.referent() {
        Type::Primitive(name) => name == "str",
        Type::Slice(of) => of.is("u8"),
        Type::Named(named) if named.is_std() => match named.name.as_str() {
            "String" | "PathBuf" => true,
            "Vec" => named.arguments.first().is_some_and(|of| of.is("u8")),
            "Cow" | "Box" => named.arguments == [Type::primitive("str")],
            _ => false,
        },
        _ => false,
    }
}
