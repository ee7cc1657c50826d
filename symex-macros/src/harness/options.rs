//! The attribute's keys and their meaning, checked one by one.

use syn::{Error, Expr, Ident, Lit, Path};

use super::parse::{Entry, Value};
use super::units;

/// All keys of the attribute, for messages.
const KEYS: &str = "should_panic, bound, timeout, max_paths, max_steps, max_instructions, \
    max_queries, max_memory, memory_model, crate";

/// The options of a harness. Numbers are 0 and texts empty where not given, as in the metadata.
#[derive(Default)]
pub struct Options {
    pub should_panic: bool,
    pub expected: String,
    pub timeout_ms: u64,
    pub max_paths: u64,
    pub max_steps: u64,
    pub max_instructions: u64,
    pub max_queries: u64,
    pub max_memory: u64,
    pub memory_model: String,
    pub bound: Option<Expr>,
    /// Bounds of single arguments.
    pub bounds: Vec<(Ident, Expr)>,
    pub krate: Option<Path>,
    /// Whether it is a proof for Kani: set by the library that takes the place of Kani's.
    pub is_kani_proof: bool,
}

/// Converts the entries of the attribute to options.
pub fn resolve(entries: Vec<Entry>) -> syn::Result<Options> {
    let mut options = Options::default();
    let mut seen: Vec<String> = Vec::new();
    for Entry { key, value } in entries {
        let name = key.to_string();
        // `bound = 4, bound(data = 8)` are two things.
        let what = if matches!(value, Value::Bounds(_)) {
            "bound(..)".to_owned()
        } else {
            name.clone()
        };
        if seen.contains(&what) {
            return Err(Error::new_spanned(&key, format!("`{what}` is given twice")));
        }
        seen.push(what);
        match (name.as_str(), value) {
            ("should_panic", Value::Flag) => options.should_panic = true,
            ("should_panic", Value::Literal(Lit::Str(text))) => {
                options.should_panic = true;
                options.expected = text.value();
            }
            ("should_panic", Value::Literal(other)) => {
                return Err(Error::new_spanned(
                    other,
                    "expected a text that the panic's message contains",
                ));
            }
            ("kani_proof", Value::Flag) => options.is_kani_proof = true,
            ("timeout", Value::Literal(value)) => {
                let hint = "expected seconds, or a text such as \"30s\", \"500ms\", \"2m\", \"1h\"";
                options.timeout_ms = quantity(&value, units::milliseconds, hint)?;
            }
            ("max_memory", Value::Literal(value)) => {
                let hint = "expected bytes, or a text such as \"512MB\", \"1GiB\"";
                options.max_memory = quantity(&value, units::bytes, hint)?;
            }
            ("max_paths", Value::Literal(value)) => options.max_paths = number(&value)?,
            ("max_steps", Value::Literal(value)) => options.max_steps = number(&value)?,
            ("max_instructions", Value::Literal(value)) => {
                options.max_instructions = number(&value)?;
            }
            ("max_queries", Value::Literal(value)) => options.max_queries = number(&value)?,
            ("memory_model", Value::Literal(Lit::Str(text))) => options.memory_model = text.value(),
            ("memory_model", Value::Literal(other)) => {
                return Err(Error::new_spanned(
                    other,
                    "expected the name of a memory model as a text",
                ));
            }
            ("bound", Value::Expression(bound)) => {
                check_length(&bound)?;
                options.bound = Some(bound);
            }
            ("bound", Value::Bounds(bounds)) => {
                for (name, bound) in bounds {
                    if options.bounds.iter().any(|(other, _)| *other == name) {
                        return Err(Error::new_spanned(
                            &name,
                            format!("the bound of `{name}` is given twice"),
                        ));
                    }
                    check_length(&bound)?;
                    options.bounds.push((name, bound));
                }
            }
            ("crate", Value::Path(path)) => options.krate = Some(path),
            (
                "timeout" | "max_memory" | "max_paths" | "max_steps" | "max_instructions"
                | "max_queries" | "memory_model" | "bound" | "crate",
                _,
            ) => {
                return Err(Error::new_spanned(
                    &key,
                    format!("`{name}` needs a value: `{name} = ..`"),
                ));
            }
            _ => {
                return Err(Error::new_spanned(
                    &key,
                    format!("unknown key `{name}`; there are: {KEYS}"),
                ));
            }
        }
    }
    Ok(options)
}

fn number(value: &Lit) -> syn::Result<u64> {
    match value {
        Lit::Int(value) => positive(value, value.base10_parse()?),
        other => Err(Error::new_spanned(other, "expected a number")),
    }
}

fn quantity(value: &Lit, read: fn(&str) -> Option<u64>, hint: &str) -> syn::Result<u64> {
    let amount = match value {
        Lit::Int(number) => read(number.base10_digits()),
        Lit::Str(text) => read(text.value().trim()),
        _ => None,
    };
    positive(
        value,
        amount.ok_or_else(|| Error::new_spanned(value, hint))?,
    )
}

/// Rejects 0, which means "not given" in the metadata.
fn positive(token: &impl quote::ToTokens, value: u64) -> syn::Result<u64> {
    if value == 0 {
        Err(Error::new_spanned(token, "a limit must be more than 0"))
    } else {
        Ok(value)
    }
}

/// Checks a bound: any constant expression; a negative literal is rejected here, because otherwise
/// the error would be reported elsewhere.
fn check_length(bound: &Expr) -> syn::Result<()> {
    match bound {
        Expr::Unary(_)
        | Expr::Lit(syn::ExprLit {
            lit: Lit::Str(_) | Lit::Float(_) | Lit::Bool(_) | Lit::Char(_),
            ..
        }) => Err(Error::new_spanned(bound, "expected a length")),
        _ => Ok(()),
    }
}
