//! Drafts a harness for each function of a crate that can have one.

use super::api::{Api, Function, Owner};
use super::construct::is_usable;
use super::inputs::{Argument, Maker, Statement, TEXT, snake};
use super::types::{Bindings, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Number of attempts to choose types for the parameters of a function.
const ATTEMPTS: usize = 3;

/// Number of elements that are taken of an iterator that a function returns.
const TAKEN: usize = 8;

/// Greatest width of a comment, in columns.
const WIDTH: usize = 100;

/// Greatest length of an array whose functions are drafted.
const LARGEST: u64 = 4096;

/// What is drafted for one function.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The function, as reports name it: `Version::parse`.
    pub function: String,
    /// Whether its documentation says that it may panic.
    pub may_panic: bool,
    pub place: (String, u64),
    /// The harness in several forms, of which the first that compiles is to be taken.
    pub forms: Vec<Form>,
}

/// A harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The name of the harness.
    pub name: String,
    /// Its source, formatted.
    pub source: String,
    /// The functions that make the inputs.
    pub makers: Vec<String>,
}

/// A function without a harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub function: String,
    /// Reads after "not drafted: ".
    pub reason: String,
}

/// Drafts harnesses for the functions that `is_wanted` selects by their paths.
pub fn draft(api: &Api, is_wanted: impl Fn(&str) -> bool) -> (Vec<Draft>, Vec<Refusal>) {
    let (mut drafts, mut refusals) = (Vec::new(), Vec::new());
    let mut names = BTreeSet::new();
    // What a macro makes for many types has one place for all.
    let mut places: BTreeMap<(&str, &(String, u64)), String> = BTreeMap::new();
    for function in &api.functions {
        let path = function.path(api);
        if !is_wanted(&path) {
            continue;
        }
        let place = (function.name.as_str(), &function.place);
        if let Some(first) = places.get(&place) {
            refusals.push(Refusal {
                reason: format!("it is written as `{first}` is, by a macro"),
                function: path,
            });
            continue;
        }
        match forms(api, function, &path, &mut names) {
            Ok(forms) => {
                places.insert(place, path.clone());
                drafts.push(Draft {
                    function: path,
                    may_panic: function.may_panic,
                    place: function.place.clone(),
                    forms,
                });
            }
            Err(reason) => refusals.push(Refusal {
                function: path,
                reason,
            }),
        }
    }
    (drafts, refusals)
}

fn forms(
    api: &Api,
    function: &Function,
    path: &str,
    names: &mut BTreeSet<String>,
) -> Result<Vec<Form>, String> {
    unsuitable(function)?;
    if let Owner::Type(of) | Owner::Trait { of, .. } = &function.owner
        && let Type::Array(_, length) = of
        && length.parse::<u64>().is_ok_and(|length| length > LARGEST)
    {
        return Err(format!("it is about {length} elements"));
    }
    let mut forms: Vec<Form> = Vec::new();
    let mut refused = None;
    let name = name(path, names);
    for attempt in 0..ATTEMPTS {
        match form(api, function, path, &name, attempt) {
            Ok(form) if forms.iter().all(|known| known.source != form.source) => forms.push(form),
            Ok(_) => {}
            Err(why) => drop(refused.get_or_insert(why)),
        }
    }
    match (forms.is_empty(), refused) {
        (true, Some(why)) => {
            names.remove(&name);
            Err(format!("it needs {why}"))
        }
        _ => Ok(forms),
    }
}

/// Refuses functions that no harness is to call.
fn unsuitable(function: &Function) -> Result<(), String> {
    let refused = |why: &str| Err(why.to_owned());
    if function.is_unsafe {
        return refused("it is unsafe: its callers have to keep a contract");
    }
    if function.is_async {
        return refused("it is async: its future needs to be run");
    }
    if !is_usable(function) {
        return refused("it is deprecated");
    }
    if function.output.is("never") {
        return refused("it does not return");
    }
    let is_path = |part: &Type| part.as_std("Path").or(part.as_std("PathBuf")).is_some();
    let is_io = |part: &Type| match part {
        Type::Named(named) => named.is_std() && named.module == "error" && named.name == "Error",
        _ => false,
    };
    let takes_path = |ty: &Type| {
        ty.any(&mut |part| match part {
            Type::Impl(bounds) => bounds
                .iter()
                .any(|bound| bound.of.arguments.iter().any(is_path)),
            part => is_path(part),
        })
    };
    let by_bound = function.generics.parameters.iter().any(|parameter| {
        let mut bounds = parameter.bounds.iter();
        bounds.any(|bound| bound.of.arguments.iter().any(is_path))
    });
    let takes_path = by_bound || function.inputs.iter().any(|(_, ty)| takes_path(ty));
    let is_io_result = function.output.any(&mut { is_io })
        || matches!(&function.output, Type::Named(named) if named.module == "io"
            || named.krate == "std" && named.module == "error");
    if takes_path && is_io_result {
        return refused("it works with files");
    }
    Ok(())
}

/// Returns a name for the harness of a function that no other harness has.
fn name(path: &str, names: &mut BTreeSet<String>) -> String {
    let words: Vec<String> = path
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty() && *word != "as")
        .map(snake)
        .collect();
    let from = |start: usize| words[start..].join("_");
    let is_of_trait = path.starts_with('<') && words.len() >= 3;
    // Modules and traits are left out as far as the name stays unique.
    let candidates: Vec<String> = if is_of_trait {
        let (own, function) = words.split_at(words.len() - 1);
        let (of, by) = own.split_at(own.len() - 1);
        let of = of.join("_");
        let by_trait = [format!("{of}_{}", by[0]), from(0)];
        let by_function = format!("{of}_{}", function[0]);
        // How a value is shown is told by the trait alone.
        let by_function = (function[0] != "fmt").then_some(by_function);
        by_function.into_iter().chain(by_trait).collect()
    } else {
        (0..=words.len().saturating_sub(2))
            .rev()
            .map(from)
            .collect()
    };
    let all = candidates.last().cloned().unwrap_or_default();
    let numbered = (2..).map(|number| format!("{all}_{number}"));
    let usable = |name: &String| syn::parse_str::<syn::Ident>(name).is_ok();
    let mut open = candidates.into_iter().filter(usable).chain(numbered);
    let name = open.find(|name| !names.contains(name)).unwrap_or(all);
    names.insert(name.clone());
    name
}

fn form(
    api: &Api,
    function: &Function,
    path: &str,
    name: &str,
    attempt: usize,
) -> Result<Form, String> {
    let bindings = api.instantiate(&function.generics, Bindings::new(), attempt)?;
    let mut maker = Maker::new(api, attempt);
    let call = maker.call(function, &bindings, false)?;
    let output = api.resolved(&function.output.substitute(&bindings));
    let call = match () {
        () if output == Type::unit() => format!("{call};"),
        () if is_iterator(api, &output) => format!("for _ in {call}.take({TAKEN}) {{}}"),
        () => format!("let _ = {call};"),
    };
    let mut body: Vec<String> = maker.statements.iter().map(Statement::source).collect();
    let leaves = |statement: &Statement| match statement {
        Statement::Let { variant, .. } => variant.is_some(),
        Statement::Other(_) => false,
    };
    if maker.statements.iter().any(leaves) {
        body.push("symex::cover!(\"the call is reached\");".to_owned());
    }
    body.push(call);
    let arguments = &maker.arguments;
    let declared: Vec<String> = arguments
        .iter()
        .map(|argument| format!("{}: {}", argument.name, argument.ty))
        .collect();
    let source = format!(
        "{}\n{}\nfn {name}({}) {{\n{}\n}}\n",
        documentation(path, function, arguments),
        attribute(arguments),
        declared.join(", "),
        body.join("\n")
    );
    let source = formatted(&source)?;
    Ok(Form {
        name: name.to_owned(),
        source,
        makers: maker.makers,
    })
}

/// Reports whether a type is an iterator, so that its elements are to be asked for.
fn is_iterator(api: &Api, ty: &Type) -> bool {
    match ty {
        Type::Impl(bounds) => bounds.iter().any(|bound| bound.is_std("Iterator")),
        Type::Named(named) if named.krate.is_empty() => api.impls.iter().any(|known| {
            known.by.is_std()
                && known.by.name == "Iterator"
                && matches!(&known.of, Type::Named(of) if of.id == named.id)
        }),
        _ => false,
    }
}

impl Statement {
    fn source(&self) -> String {
        match self {
            Statement::Other(source) => source.clone(),
            Statement::Let {
                name,
                mutable,
                variant,
                value,
            } => {
                let mutable = if *mutable { "mut " } else { "" };
                match variant {
                    None => format!("let {mutable}{name} = {value};"),
                    Some(variant) => {
                        format!("let {variant}({mutable}{name}) = {value} else {{ return; }};")
                    }
                }
            }
        }
    }
}

fn attribute(arguments: &[Argument]) -> String {
    let texts = arguments.iter().filter(|argument| argument.is_text);
    let bounds: Vec<String> = texts
        .map(|argument| format!("{} = {TEXT}", argument.name))
        .collect();
    match bounds.is_empty() {
        true => "#[symex::harness]".to_owned(),
        false => format!("#[symex::harness(bound({}))]", bounds.join(", ")),
    }
}

/// Returns the line of documentation that says what a harness checks.
fn documentation(path: &str, function: &Function, arguments: &[Argument]) -> String {
    let named = |argument: &Argument| match argument.is_text {
        true => format!("`{}` of up to {TEXT} bytes", argument.name),
        false => format!("`{}`", argument.name),
    };
    let names: Vec<String> = arguments.iter().map(named).collect();
    let inputs = match names.as_slice() {
        [] => String::new(),
        [one] => format!(", for any {one}"),
        [one, other] => format!(", for any {one} and any {other}"),
        _ => ", for all inputs".to_owned(),
    };
    let claim = match function.may_panic {
        true => "does nothing that is undefined, whether or not it panics",
        false => "neither panics nor does anything that is undefined",
    };
    comment(&format!("`{path}` {claim}{inputs}."))
}

/// Returns a text as a comment of documentation, in lines that are not too wide.
fn comment(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("/// {word}")),
        }
    }
    lines.join("\n")
}

fn formatted(source: &str) -> Result<String, String> {
    let file = syn::parse_file(source).map_err(|error| format!("source that is Rust ({error})"))?;
    Ok(prettyplease::unparse(&file))
}

#[cfg(test)]
mod tests {
    use super::super::api::{Fields, Generics, Parameter, Shape, TypeItem};
    use super::super::types::{Bound, Named};
    use super::*;

    fn named(id: u64, name: &str) -> Named {
        Named {
            id,
            name: name.to_owned(),
            krate: String::new(),
            module: String::new(),
            arguments: Vec::new(),
        }
    }

    fn function(name: &str, owner: Owner, inputs: &[(&str, Type)], output: Type) -> Function {
        Function {
            name: name.to_owned(),
            owner,
            generics: Generics::default(),
            inputs: inputs
                .iter()
                .map(|(name, ty)| (name.to_string(), ty.clone()))
                .collect(),
            output,
            is_unsafe: false,
            is_async: false,
            is_deprecated: false,
            may_panic: false,
            place: (String::new(), 0),
        }
    }

    fn module(name: &str) -> Owner {
        Owner::Module(format!("krate::{name}"))
    }

    /// Returns the body of the harness of a function, or the reason for which it has none.
    fn body(api: &Api, function: Function) -> String {
        let api = Api {
            krate: "krate".to_owned(),
            functions: [vec![function.clone()], api.functions.clone()].concat(),
            ..api.clone()
        };
        let form = form(&api, &function, "f", "f", 0);
        let source = match form {
            Ok(form) => form.source,
            Err(why) => return why,
        };
        let from = source.find("fn f(").expect("a function");
        let words: Vec<&str> = source[from..].split_whitespace().collect();
        words.join(" ")
    }

    #[test]
    fn arguments_are_those_of_harnesses_where_they_can_be() {
        let bytes = Type::reference(Type::Slice(Box::new(Type::primitive("u8"))));
        let maybe = Type::std("Option", vec![Type::primitive("char")]);
        let inputs = [("bytes", bytes), ("maybe", maybe)];
        let f = function("f", module("f"), &inputs, Type::unit());
        assert_eq!(
            body(&Api::default(), f),
            "fn f(bytes: &[u8], maybe: Option<char>) { krate::f(bytes, maybe); }"
        );
        let path = Type::reference(Type::std("Path", vec![]));
        let f = function("f", module("f"), &[("path", path)], Type::primitive("u8"));
        assert_eq!(
            body(&Api::default(), f),
            "fn f(path: &str) { let _ = krate::f(std::path::Path::new(path)); }"
        );
    }

    #[test]
    fn types_of_the_crate_are_made_of_parts_or_by_constructors() {
        let item = |name: &str, shape: Shape| TypeItem {
            path: format!("krate::{name}"),
            name: name.to_owned(),
            parameters: Vec::new(),
            shape,
        };
        let kinds = vec![
            ("Plain".to_owned(), Fields::Unit),
            (
                "Wide".to_owned(),
                Fields::Tuple(vec![Type::primitive("u16")]),
            ),
        ];
        let (kind, even) = (Type::Named(named(1, "Kind")), Type::Named(named(2, "Even")));
        let held = Type::std("Option", vec![even.clone()]);
        let number = [("number", Type::primitive("u8"))];
        let api = Api {
            types: [
                (1, item("Kind", Shape::Enum(kinds))),
                (2, item("Even", Shape::Opaque)),
                (3, item("Token", Shape::Opaque)),
            ]
            .into(),
            functions: vec![function("new", Owner::Type(even.clone()), &number, held)],
            ..Api::default()
        };
        let f = function("f", module("f"), &[("kind", kind)], Type::unit());
        assert_eq!(
            body(&api, f),
            "fn f(wide: u16, which_kind: u8) { let kind = match which_kind { 0 => krate::Kind::Plain, _ => \
             krate::Kind::Wide(wide), }; krate::f(kind); }"
        );
        let receiver = [("self", Type::reference(even.clone()))];
        let half = function("half", Owner::Type(even), &receiver, Type::primitive("u8"));
        assert_eq!(
            body(&api, half),
            "fn f(number: u8) { let Some(even) = krate::Even::new(number) else { return; }; \
             symex::cover!(\"the call is reached\"); let _ = even.half(); }"
        );
        let token = Type::Named(named(3, "Token"));
        let f = function("f", module("f"), &[("token", token)], Type::unit());
        assert_eq!(body(&api, f), "`Token`, which no function makes");
    }

    #[test]
    fn parameters_stand_for_types_with_their_bounds() {
        let bound = |name: &str, call: Option<(Vec<Type>, Type)>, of: Vec<Type>| Bound {
            of: Named {
                krate: "core".to_owned(),
                arguments: of,
                ..named(9, name)
            },
            bindings: Vec::new(),
            call,
            item_bounds: Vec::new(),
        };
        let parameter = |name: &str, bounds: Vec<Bound>| Parameter {
            name: name.to_owned(),
            constant: None,
            bounds,
            default: None,
        };
        let call = (vec![Type::primitive("u8")], Type::primitive("bool"));
        let text = vec![Type::primitive("str")];
        let inputs = ["T", "F"].map(|name| ("x", Type::Parameter(name.to_owned())));
        let mut f = function("f", module("f"), &inputs, Type::unit());
        f.generics.parameters = vec![
            parameter("F", vec![bound("Fn", Some(call), Vec::new())]),
            parameter("T", vec![bound("AsRef", None, text)]),
        ];
        assert_eq!(
            body(&Api::default(), f),
            "fn f(x: &str, answer: bool) { krate::f(x, |_| answer); }"
        );
    }

    #[test]
    fn names_are_short_and_unique() {
        let mut names = BTreeSet::new();
        let mut named = |path: &str| name(path, &mut names);
        assert_eq!(named("module::parse"), "module_parse");
        assert_eq!(named("Version::parse"), "version_parse");
        assert_eq!(named("inner::Version::parse"), "inner_version_parse");
        assert_eq!(named("<Version as FromStr>::from_str"), "version_from_str");
        assert_eq!(named("<Version as Display>::fmt"), "version_display");
        assert_eq!(named("match"), "match_2");
    }
}
