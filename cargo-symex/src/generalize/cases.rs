//! The cases of tests with arguments: those of `rstest` and of `test_case`, as calls of the test's
//! function, which both macros leave as it is.

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Expr, ExprLit, FnArg, ItemFn, Lit, Meta, Pat, PatType, Token, Type};

use super::constants::{self, Constant, SourcePiece};

/// One call of a test's function.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name of the case within the test: `case_1`, or as its author calls it.
    pub name: String,
    /// Range in bytes of the attribute that says it, if there can be another like it.
    pub attribute: Option<Range<usize>>,
    pub arguments: Vec<Argument>,
    /// The constants in the arguments that may become inputs.
    pub constants: Vec<Constant>,
    pub should_panic: bool,
    pub is_ignored: bool,
}

/// An argument of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// An expression in the source, by its range in bytes.
    Written {
        range: Range<usize>,
        /// Whether it is a text of which the parameter's type is made.
        is_parsed: bool,
        /// Whether the test compares a result with it.
        is_expected: bool,
    },
    /// An expression that makes a fixture.
    Made(String),
}

/// Why a test with arguments has no cases that can be called.
pub type NotUnderstood = String;

/// Reports whether a macro of these attributes makes tests of a function.
pub fn makes_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|one| is_called(one, "rstest"))
        || attributes.iter().any(|one| is_called(one, "test_case"))
}

/// Reads the cases of a test whose function takes arguments; `None` if it is called without, as
/// `rstest` arranges where there are only fixtures.
///
/// # Errors
/// Says what of an argument or a case is not understood.
pub fn read(function: &ItemFn) -> Option<Result<Vec<Case>, NotUnderstood>> {
    let attributes = &function.attrs;
    if !makes_tests(attributes) || function.sig.inputs.is_empty() {
        return None;
    }
    if !attributes.iter().any(|one| is_called(one, "rstest")) {
        return Some(test_case(function));
    }
    let has_case = attributes.iter().any(is_case);
    let has_values = |parameter: &PatType| {
        let mut attributes = parameter.attrs.iter();
        attributes.any(|one| is_called(one, "values"))
    };
    (has_case || parameters(function).any(has_values)).then(|| rstest(function))
}

/// Reports whether an attribute has this name, in whatever module.
fn is_called(attribute: &syn::Attribute, name: &str) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|segment| segment.ident == name)
}

/// Reports whether an attribute of `rstest` is a case.
fn is_case(attribute: &syn::Attribute) -> bool {
    let first = attribute.path().segments.first();
    first.is_some_and(|segment| segment.ident == "case")
}

fn parameters(function: &ItemFn) -> impl Iterator<Item = &PatType> {
    function.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    })
}

fn listed(attribute: &syn::Attribute) -> Result<Vec<Expr>, NotUnderstood> {
    if matches!(attribute.meta, Meta::Path(_)) {
        return Ok(Vec::new());
    }
    let list = Punctuated::<Expr, Token![,]>::parse_terminated;
    let list = attribute.parse_args_with(list);
    list.map(|list| list.into_iter().collect())
        .map_err(|error| format!("one of its cases is not understood: {error}"))
}

impl Case {
    fn named(name: String) -> Case {
        Case {
            name,
            attribute: None,
            arguments: Vec::new(),
            constants: Vec::new(),
            should_panic: false,
            is_ignored: false,
        }
    }

    /// Adds an argument that the source writes out.
    fn pass(&mut self, parameter: &PatType, value: &Expr, is_parsed: bool) {
        let is_expected = constants::is_expected(&parameter.pat);
        if !is_expected {
            self.constants.extend(constants::find_in(value));
        }
        self.arguments.push(Argument::Written {
            range: value.span().byte_range(),
            is_parsed,
            is_expected,
        });
    }

    /// Reports whether the arguments can be written on one line: newlines in texts and comments
    /// cannot.
    pub fn fits_a_line(&self, text: &str) -> bool {
        self.arguments.iter().all(|argument| match argument {
            Argument::Made(_) => true,
            Argument::Written { range, .. } => {
                let text = &text[range.clone()];
                !text.contains('\n') || !text.contains("//") && !text.contains('"')
            }
        })
    }

    /// Returns what another case must equal to have the same paths through what is tested, whatever
    /// its inputs are.
    pub fn shape(&self, text: &str) -> String {
        let mut shape = String::new();
        for argument in &self.arguments {
            let Argument::Written {
                range,
                is_expected: false,
                ..
            } = argument
            else {
                continue;
            };
            for piece in constants::pieces(range, &self.constants) {
                match piece {
                    SourcePiece::Other(range) => shape.push_str(&text[range]),
                    SourcePiece::Constant(number) => {
                        let constant = self.constants[number].range.clone();
                        shape.push_str(&constants::kind(&text[constant]));
                    }
                }
            }
            shape.push('\0');
        }
        shape
    }
}

/// Where the value of a parameter comes from in `rstest`.
enum Origin<'a> {
    Case(&'a PatType),
    Values(&'a PatType, Box<Expr>),
    Fixture(String),
}

fn rstest(function: &ItemFn) -> Result<Vec<Case>, NotUnderstood> {
    let origins: Vec<Origin<'_>> = parameters(function).map(origin).collect::<Result<_, _>>()?;
    let mut cases: Vec<(Case, Vec<Expr>)> = Vec::new();
    for attribute in &function.attrs {
        let path = attribute.path();
        if is_case(attribute) {
            let number = cases.len() + 1;
            let name = match path.segments.iter().nth(1) {
                Some(title) => format!("case_{number}_{}", title.ident),
                None => format!("case_{number}"),
            };
            let case = Case {
                attribute: Some(attribute.span().byte_range()),
                ..Case::named(name)
            };
            cases.push((case, listed(attribute)?));
        } else if let Some((case, _)) = cases.last_mut() {
            // What stands behind a case is about it alone.
            case.should_panic |= path.is_ident("should_panic");
            case.is_ignored |= path.is_ident("ignore");
        }
    }
    if cases.is_empty() {
        cases.push((Case::named("values".to_owned()), Vec::new()));
    }
    let generics: Vec<String> = (function.sig.generics.type_params())
        .map(|parameter| parameter.ident.to_string())
        .collect();
    let called = |(mut case, values): (Case, Vec<Expr>)| {
        let mut values = values.iter();
        for origin in &origins {
            let (parameter, value) = match origin {
                Origin::Case(parameter) => {
                    let value = values.next().ok_or("a case has too few arguments")?;
                    (parameter, value)
                }
                Origin::Values(parameter, value) => (parameter, &**value),
                Origin::Fixture(made) => {
                    case.arguments.push(Argument::Made(made.clone()));
                    continue;
                }
            };
            let is_parsed = is_text(value) && is_made_of_texts(&parameter.ty, &generics);
            case.pass(parameter, value, is_parsed);
        }
        Ok(case)
    };
    cases.into_iter().map(called).collect()
}

fn origin(parameter: &PatType) -> Result<Origin<'_>, NotUnderstood> {
    let Pat::Ident(pattern) = &*parameter.pat else {
        return Err("it takes an argument apart".to_owned());
    };
    let name = pattern.ident.to_string();
    let mut fixture = name.trim_start_matches('_').to_owned();
    let mut with = Vec::new();
    for attribute in &parameter.attrs {
        if is_called(attribute, "case") {
            return Ok(Origin::Case(parameter));
        } else if is_called(attribute, "values") {
            let first = listed(attribute)?.into_iter().next();
            let first = first.ok_or_else(|| format!("its argument `{name}` has no values"))?;
            return Ok(Origin::Values(parameter, Box::new(first)));
        } else if is_called(attribute, "from") {
            let path: syn::Path = (attribute.parse_args()).map_err(|error| error.to_string())?;
            fixture = quote::quote!(#path).to_string();
        } else if is_called(attribute, "with") {
            with = listed(attribute)?;
        } else {
            let attribute = attribute.path().segments.last();
            let attribute = attribute.map(|segment| segment.ident.to_string());
            return Err(format!(
                "its argument `{name}` is `{}`, which is not supported",
                attribute.unwrap_or_default()
            ));
        }
    }
    let with = with.iter().map(|value| quote::quote!(#value).to_string());
    let with: Vec<String> = with.collect();
    Ok(Origin::Fixture(match with.len() {
        0 => format!("{fixture}::default()"),
        count => format!("{fixture}::partial_{count}({})", with.join(", ")),
    }))
}

fn is_text(value: &Expr) -> bool {
    matches!(
        value,
        Expr::Lit(ExprLit {
            lit: Lit::Str(_),
            ..
        })
    )
}

/// Reports whether `rstest` parses texts to get values of a type.
fn is_made_of_texts(ty: &Type, generics: &[String]) -> bool {
    match ty {
        Type::Path(path) => !generics.iter().any(|name| path.path.is_ident(name)),
        _ => false,
    }
}

/// What an attribute of `test_case` says: arguments, and how the test is to end.
struct Written {
    arguments: Vec<Expr>,
    should_panic: bool,
    is_ignored: bool,
    title: Option<String>,
}

impl syn::parse::Parse for Written {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut written = Written {
            arguments: Vec::new(),
            should_panic: false,
            is_ignored: false,
            title: None,
        };
        while !input.is_empty() && !input.peek(Token![=>]) && !input.peek(Token![;]) {
            written.arguments.push(input.parse()?);
            if input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
            }
        }
        if input.peek(Token![=>]) {
            input.parse::<Token![=>]>()?;
            if let Ok(word) = input.fork().parse::<syn::Ident>() {
                written.should_panic = word == "panics";
                written.is_ignored = word == "ignore" || word == "inconclusive";
            }
            while !input.is_empty() && !input.peek(Token![;]) {
                input.parse::<TokenTree>()?;
            }
        }
        if input.peek(Token![;]) {
            input.parse::<Token![;]>()?;
            written.title = input.parse::<syn::LitStr>().ok().map(|title| title.value());
            input.parse::<TokenStream>()?;
        }
        Ok(written)
    }
}

fn test_case(function: &ItemFn) -> Result<Vec<Case>, NotUnderstood> {
    let mut cases = Vec::new();
    for attribute in &function.attrs {
        if !is_called(attribute, "test_case") && !is_called(attribute, "case") {
            continue;
        }
        let written: Written = (attribute.parse_args())
            .map_err(|error| format!("one of its cases is not understood: {error}"))?;
        let number = cases.len() + 1;
        let mut case = Case::named(match &written.title {
            Some(title) => format!("case_{number}_{}", as_name(title)),
            None => format!("case_{number}"),
        });
        // Two tests with one title would have one name.
        let has_own_name = written.title.is_none();
        case.attribute = has_own_name.then(|| attribute.span().byte_range());
        case.should_panic = written.should_panic;
        case.is_ignored = written.is_ignored;
        if written.arguments.len() != function.sig.inputs.len() {
            return Err("a case has another number of arguments".to_owned());
        }
        for (parameter, value) in parameters(function).zip(&written.arguments) {
            case.pass(parameter, value, false);
        }
        cases.push(case);
    }
    Ok(cases)
}

/// Returns a title as part of a name.
fn as_name(title: &str) -> String {
    let plain = |c: char| match c.is_ascii_alphanumeric() {
        true => c.to_ascii_lowercase(),
        false => '_',
    };
    title.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the cases of a function as calls, with the constants that may be inputs in brackets.
    fn calls(text: &str) -> Result<Vec<String>, NotUnderstood> {
        let function: ItemFn = syn::parse_str(text).unwrap();
        let cases = read(&function).expect("it is called with arguments")?;
        let call = |case: &Case| {
            let arguments = case.arguments.iter().map(|argument| match argument {
                Argument::Made(made) => made.clone(),
                Argument::Written {
                    range, is_parsed, ..
                } => {
                    let mut written = text[range.clone()].to_owned();
                    for constant in case.constants.iter().rev() {
                        if range.start <= constant.range.start && constant.range.end <= range.end {
                            written.insert(constant.range.end - range.start, ']');
                            written.insert(constant.range.start - range.start, '[');
                        }
                    }
                    written + if *is_parsed { ".parse()" } else { "" }
                }
            });
            let arguments: Vec<String> = arguments.collect();
            let end = match (case.should_panic, case.is_ignored) {
                (true, _) => " panics",
                (_, true) => " ignored",
                _ => "",
            };
            format!("{}({}){end}", case.name, arguments.join(", "))
        };
        Ok(cases.iter().map(call).collect())
    }

    #[test]
    fn cases_of_rstest_are_calls() {
        assert_eq!(
            calls(
                "#[rstest] #[case(1, \"7\", 2)] #[case::odd(f(3), \"8\", 4)] #[should_panic] \
                 fn t(#[case] a: u8, #[case] b: u16, store: Store, #[case] expected: u8) {}"
            )
            .unwrap(),
            [
                "case_1([1], [\"7\"].parse(), store::default(), 2)",
                "case_2_odd(f([3]), [\"8\"].parse(), store::default(), 4) panics",
            ]
        );
        assert_eq!(
            calls(
                "#[rstest::rstest] fn t<S: AsRef<str>>(#[values(\"a\", \"b\")] s: S, #[with(1, x)] \
                 _store: Store, #[from(open)] file: File) {}"
            )
            .unwrap(),
            ["values([\"a\"], store::partial_2(1, x), open::default())"]
        );
    }

    #[test]
    fn cases_of_test_case_are_calls() {
        assert_eq!(
            calls(
                "#[test_case(1, &[2] => 3 ; \"A title\")] #[test_case(4, &[] => panics \"text\")] \
                 #[test_case::test_case(5, &[6] => ignore Err(_))] fn t(a: u8, b: &[u8]) -> u8 { a }"
            )
            .unwrap(),
            [
                "case_1_a_title([1], &[[2]])",
                "case_2([4], &[]) panics",
                "case_3([5], &[[6]]) ignored",
            ]
        );
    }

    #[test]
    fn what_is_called_without_arguments_has_no_cases() {
        for text in [
            "#[test] fn t() {}",
            "#[rstest] fn t() {}",
            "#[rstest] fn t(store: Store) {}",
        ] {
            let function: ItemFn = syn::parse_str(text).unwrap();
            assert!(read(&function).is_none(), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let why = |text: &str| calls(text).unwrap_err();
        let files = "#[rstest] fn t(#[values(1)] a: u8, #[files(\"*.txt\")] path: PathBuf) {}";
        assert_eq!(
            why(files),
            "its argument `path` is `files`, which is not supported"
        );
        let few = "#[rstest] #[case(1)] fn t(#[case] a: u8, #[case] b: u8) {}";
        assert_eq!(why(few), "a case has too few arguments");
        let other = "#[test_case(1)] fn t(a: u8, b: u8) {}";
        assert_eq!(why(other), "a case has another number of arguments");
    }

    #[test]
    fn cases_that_differ_in_inputs_have_one_shape() {
        let text = "#[rstest] #[case(1, \"ab\", 5)] #[case(2, \"cd\", 6)] #[case(2, \"abcde\", 6)] \
                    #[case(X, \"ab\", 5)] fn t(#[case] a: u8, #[case] b: &str, #[case] expected: u8) {}";
        let function: ItemFn = syn::parse_str(text).unwrap();
        let cases = read(&function).unwrap().unwrap();
        let shapes: Vec<String> = cases.iter().map(|case| case.shape(text)).collect();
        assert_eq!(shapes[0], shapes[1]);
        assert!(shapes[0] != shapes[2] && shapes[0] != shapes[3] && shapes[2] != shapes[3]);
    }
}
