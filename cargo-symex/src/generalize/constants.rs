//! The constants of a test that may become inputs: those that it passes to what it tests, as
//! opposed to those with which it compares, and those that say how often or how much.

use std::ops::Range;

use proc_macro2::TokenStream;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprLit, Lit, Token, UnOp};

/// A constant in the source of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Range in bytes of the file.
    pub range: Range<usize>,
    /// Line of its start, from 1.
    pub line: usize,
    /// Column of its start in characters, from 1.
    pub column: usize,
}

/// Finds the constants in the body of a test, in the order in which they stand there.
pub fn find(body: &syn::Block) -> Vec<Constant> {
    let mut finder = Finder {
        found: Vec::new(),
        is_passed: true,
    };
    finder.visit_block(body);
    let mut found = finder.found;
    found.sort_by_key(|constant| constant.range.start);
    found.dedup();
    found
}

/// Finds the constants in an expression that a test is called with.
pub fn find_in(argument: &Expr) -> Vec<Constant> {
    let mut finder = Finder {
        found: Vec::new(),
        is_passed: true,
    };
    finder.visit_expr(argument);
    finder.found
}

/// Reports whether a variable is, by its name, for what results are compared with.
pub fn is_expected(pattern: &syn::Pat) -> bool {
    variable(pattern).is_some_and(|name| {
        let name = name.to_lowercase();
        EXPECTED.iter().any(|word| name.contains(word))
    })
}

/// Returns what of a constant is the same for all values that its input may have.
pub fn kind(constant: &str) -> String {
    match syn::parse_str::<Lit>(constant) {
        Ok(Lit::Str(text)) => format!("text of {}", text.value().len().max(SHORTEST)),
        Ok(Lit::ByteStr(bytes)) => format!("bytes of {}", bytes.value().len().max(SHORTEST)),
        Ok(Lit::Int(number)) => format!("number {}", number.suffix()),
        Ok(Lit::Float(number)) => format!("float {}", number.suffix()),
        Ok(other) => format!("{:?}", std::mem::discriminant(&other)),
        Err(_) => "number".to_owned(),
    }
}

/// Part of a source text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourcePiece {
    /// What stands around constants, by its range in bytes.
    Other(Range<usize>),
    /// The constant of this number.
    Constant(usize),
}

/// Divides a range of a source text into the constants that are in it, in the order of the text,
/// and what stands around them.
pub fn pieces(range: &Range<usize>, constants: &[Constant]) -> Vec<SourcePiece> {
    let is_inside = |one: &Constant| range.start <= one.range.start && one.range.end <= range.end;
    let inside = (0..constants.len()).filter(|&number| is_inside(&constants[number]));
    let mut inside: Vec<usize> = inside.collect();
    inside.sort_by_key(|&number| constants[number].range.start);
    let (mut pieces, mut from) = (Vec::new(), range.start);
    for number in inside {
        let constant = &constants[number].range;
        pieces.push(SourcePiece::Other(from..constant.start));
        pieces.push(SourcePiece::Constant(number));
        from = constant.end;
    }
    pieces.push(SourcePiece::Other(from..range.end));
    pieces
}

struct Finder {
    found: Vec<Constant>,
    /// Whether a constant here comes to what is tested; it does not where results are compared.
    is_passed: bool,
}

/// Functions whose arguments are texts for people, or amounts of memory or time.
const OF_NO_INTEREST: [&str; 7] = [
    "expect",
    "expect_err",
    "with_capacity",
    "reserve",
    "sleep",
    "repeat",
    "panic",
];

/// Functions of the standard library that give a value another form: what they are given is as it
/// would be without them.
const CONVERSIONS: [&str; 23] = [
    "from",
    "into",
    "to_string",
    "to_owned",
    "to_vec",
    "to_uppercase",
    "to_lowercase",
    "as_bytes",
    "as_str",
    "as_ref",
    "as_slice",
    "clone",
    "cloned",
    "copied",
    "collect",
    "iter",
    "into_iter",
    "chars",
    "bytes",
    "into_bytes",
    "into_boxed_str",
    "into_boxed_slice",
    "new",
];

/// Least length in bytes that texts in the place of a constant may have.
const SHORTEST: usize = 4;

/// Parts of names of variables for what a test compares with.
const EXPECTED: [&str; 4] = ["expect", "want", "correct", "answer"];

/// How a function treats what it is given.
enum Callee {
    OfNoInterest,
    /// It passes it on, as a constructor does.
    Transparent,
    Tested,
}

impl Callee {
    fn named(name: &str) -> Self {
        match name {
            _ if OF_NO_INTEREST.contains(&name) => Callee::OfNoInterest,
            _ if CONVERSIONS.contains(&name) => Callee::Transparent,
            _ if name.starts_with(char::is_uppercase) => Callee::Transparent,
            _ => Callee::Tested,
        }
    }
}

impl Finder {
    /// Visits expressions where constants are passed, or are not.
    fn within<'a>(&mut self, is_passed: bool, exprs: impl IntoIterator<Item = &'a Expr>) {
        let outer = std::mem::replace(&mut self.is_passed, is_passed);
        exprs.into_iter().for_each(|expr| self.visit_expr(expr));
        self.is_passed = outer;
    }

    fn offer(&mut self, expr: &Expr) {
        let span = expr.span();
        let start = span.start();
        self.found.extend(self.is_passed.then(|| Constant {
            range: span.byte_range(),
            line: start.line,
            column: start.column + 1,
        }));
    }

    fn call<'a>(&mut self, callee: Callee, arguments: impl Iterator<Item = &'a Expr>) {
        match callee {
            Callee::OfNoInterest => {}
            Callee::Transparent => self.within(self.is_passed, arguments),
            Callee::Tested => self.within(true, arguments),
        }
    }

    fn macro_call(&mut self, called: &syn::Macro) {
        let Some(name) = called.path.segments.last() else {
            return;
        };
        let name = name.ident.to_string();
        let tokens = called.tokens.clone();
        if name.starts_with("assert") || name.starts_with("debug_assert") {
            self.within(false, &listed(tokens));
        } else if name == "matches" {
            // What comes second is a pattern.
            let first = |input: syn::parse::ParseStream<'_>| {
                let first: Expr = input.parse()?;
                input.parse::<TokenStream>()?;
                Ok(first)
            };
            self.within(false, &first.parse2(tokens).ok());
        } else if name == "vec" {
            let repeated = |input: syn::parse::ParseStream<'_>| {
                let value: Expr = input.parse()?;
                input.parse::<Token![;]>()?;
                input.parse::<Expr>()?;
                Ok(value)
            };
            match repeated.parse2(tokens.clone()) {
                Ok(value) => self.visit_expr(&value),
                Err(_) => self.within(self.is_passed, &listed(tokens)),
            }
        } else if name == "dbg" {
            self.within(self.is_passed, &listed(tokens));
        }
    }
}

/// Parses expressions with commas between them.
fn listed(tokens: TokenStream) -> Vec<Expr> {
    let list = Punctuated::<Expr, Token![,]>::parse_terminated;
    list.parse2(tokens)
        .map_or_else(|_| Vec::new(), |list| list.into_iter().collect())
}

fn is_input(literal: &Lit) -> bool {
    matches!(
        literal,
        Lit::Str(_)
            | Lit::ByteStr(_)
            | Lit::Byte(_)
            | Lit::Char(_)
            | Lit::Int(_)
            | Lit::Float(_)
            | Lit::Bool(_)
    )
}

fn is_comparison(operator: &BinOp) -> bool {
    use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(operator, Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_))
}

impl<'a> Visit<'a> for Finder {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Lit(ExprLit { lit, .. }) if is_input(lit) => self.offer(expr),
            Expr::Unary(unary)
                if matches!(unary.op, UnOp::Neg(_)) && matches!(*unary.expr, Expr::Lit(_)) =>
            {
                self.offer(expr);
            }
            Expr::Call(call) => {
                let callee = match &*call.func {
                    Expr::Path(path) => {
                        let name = path.path.segments.last();
                        name.map_or(Callee::Tested, |name| {
                            Callee::named(&name.ident.to_string())
                        })
                    }
                    function => {
                        self.visit_expr(function);
                        Callee::Tested
                    }
                };
                self.call(callee, call.args.iter());
            }
            Expr::MethodCall(call) => {
                let callee = Callee::named(&call.method.to_string());
                match callee {
                    Callee::OfNoInterest => self.within(self.is_passed, [&*call.receiver]),
                    callee => {
                        let all = std::iter::once(&*call.receiver).chain(&call.args);
                        self.call(callee, all);
                    }
                }
            }
            Expr::Macro(call) => self.macro_call(&call.mac),
            // Where a test looks, is its own affair.
            Expr::Index(index) => self.visit_expr(&index.expr),
            Expr::Binary(binary) => {
                let is_passed = self.is_passed && !is_comparison(&binary.op);
                self.within(is_passed, [&*binary.left, &*binary.right]);
            }
            Expr::Repeat(repeat) => self.visit_expr(&repeat.expr),
            Expr::ForLoop(run) => {
                if !matches!(*run.expr, Expr::Range(_)) {
                    self.visit_expr(&run.expr);
                }
                self.visit_block(&run.body);
            }
            Expr::While(run) => {
                self.within(false, [&*run.cond]);
                self.visit_block(&run.body);
            }
            Expr::If(branch) => {
                self.within(false, [&*branch.cond]);
                self.visit_block(&branch.then_branch);
                if let Some((_, other)) = &branch.else_branch {
                    self.visit_expr(other);
                }
            }
            // What unsafe code asks for is not known; the others are constants for the compiler or
            // run elsewhere.
            Expr::Unsafe(_) | Expr::Const(_) | Expr::Async(_) => {}
            _ => visit::visit_expr(self, expr),
        }
    }

    fn visit_local(&mut self, local: &'a syn::Local) {
        if is_expected(&local.pat) {
            return;
        }
        if let Some(init) = &local.init {
            self.visit_expr(&init.expr);
        }
    }

    fn visit_stmt_macro(&mut self, call: &'a syn::StmtMacro) {
        self.macro_call(&call.mac);
    }

    fn visit_item(&mut self, _: &'a syn::Item) {}

    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}

    fn visit_type(&mut self, _: &'a syn::Type) {}

    fn visit_generic_argument(&mut self, _: &'a syn::GenericArgument) {}

    fn visit_pat(&mut self, _: &'a syn::Pat) {}
}

fn variable(pattern: &syn::Pat) -> Option<String> {
    match pattern {
        syn::Pat::Ident(pattern) => Some(pattern.ident.to_string()),
        syn::Pat::Type(pattern) => variable(&pattern.pat),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the texts of the constants in a body.
    fn found(body: &str) -> Vec<String> {
        let block: syn::Block = syn::parse_str(body).unwrap();
        let constants = find(&block).into_iter();
        constants
            .map(|constant| body[constant.range].to_owned())
            .collect()
    }

    #[test]
    fn what_is_passed_becomes_an_input() {
        assert_eq!(found(r#"{ parse("ff", 16); }"#), ["\"ff\"", "16"]);
        assert_eq!(found("{ let x = -5i8; f(&x, [1, 2], true); }").len(), 4);
        assert_eq!(found("{ let x = -5i8; f(x); }"), ["-5i8"]);
        assert_eq!(found("{ b\"ab\".first_word('x', 1.5, b'y') }").len(), 4);
        assert_eq!(found("{ f(vec![1, 2], vec![3; 4]) }"), ["1", "2", "3"]);
        assert_eq!(found("{ for x in [1, 2] { f(x, 3) } }"), ["1", "2", "3"]);
        assert_eq!(found("{ f(Point { x: 1, y: g(2) }) }"), ["1", "2"]);
    }

    #[test]
    fn what_results_are_compared_with_stays() {
        assert_eq!(found("{ assert_eq!(f(3) + 1, Ok(9)); }"), ["3"]);
        assert_eq!(
            found(r#"{ assert_eq!(f("a").unwrap(), "b".to_string(), "text {}", 5); }"#),
            ["\"a\""]
        );
        assert_eq!(found("{ assert!(f(3) == 9 && g(1) < 2); }"), ["3", "1"]);
        assert_eq!(found("{ assert!(matches!(f(3), Some(1..=2))); }"), ["3"]);
        assert_eq!(found("{ let expected = 9; if f(3) == 9 {} }"), ["3"]);
        assert_eq!(
            found("{ match f(1) { 2 => {} _ if x > 4 => h(5), _ => {} } }"),
            ["1", "5"]
        );
    }

    #[test]
    fn amounts_places_and_texts_for_people_stay() {
        assert!(found("{ for i in 0..100 { f(i) } while n < 10 {} }").is_empty());
        assert!(found("{ let v: [u8; 4] = f(); v[0]; &v[1..3]; }").is_empty());
        assert!(found("{ f::<3>().expect(\"text\"); Vec::with_capacity(9); }").is_empty());
        assert!(found("{ println!(\"{}\", 5); const N: u8 = 3; fn g() { f(1) } }").is_empty());
        assert_eq!(found("{ unsafe { f(1) }; f(2, [0; 16]) }"), ["2", "0"]);
    }
}
