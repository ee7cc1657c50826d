//! Reads the source of a fuzz target: where its macro stands, and what it takes.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Macros of libFuzzer's crate, then of AFL's and honggfuzz's, that take a closure for an input.
const MACROS: [&str; 5] = [
    "fuzz_target",
    "fuzz",
    "fuzz_nohook",
    "fuzz_with_reset",
    "fuzz_with_reset_nohook",
];

/// The closure that a fuzz target runs on an input.
#[derive(Default, PartialEq, Eq, Debug)]
pub(super) struct FuzzClosure {
    /// Line of the macro's call, from 1.
    pub line: u32,
    /// Column of the macro's call, from 1.
    pub column: u32,
    /// The closure's argument as written: `data: &[u8]`.
    pub argument: String,
}

/// Finds the first such macro in a source file.
pub(super) fn find(source: &str) -> Option<FuzzClosure> {
    in_tokens(source, source.parse().ok()?)
}

fn in_tokens(source: &str, tokens: TokenStream) -> Option<FuzzClosure> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let called = match (token, tokens.get(at + 1), tokens.get(at + 2)) {
            (
                TokenTree::Ident(name),
                Some(TokenTree::Punct(mark)),
                Some(TokenTree::Group(group)),
            ) if mark.as_char() == '!' && MACROS.iter().any(|known| name == known) => {
                Some((name.span().start(), group.stream()))
            }
            _ => None,
        };
        if let Some((place, inner)) = called {
            let mut argument = argument(source, inner);
            // Where the type is left out, it is that of all fuzzers.
            if !argument.is_empty() && !argument.contains(':') {
                argument.push_str(": &[u8]");
            }
            return Some(FuzzClosure {
                line: place.line as u32,
                column: place.column as u32 + 1,
                argument,
            });
        }
        if let TokenTree::Group(group) = token
            && group.delimiter() == Delimiter::Brace
            && let Some(found) = in_tokens(source, group.stream())
        {
            return Some(found);
        }
    }
    None
}

/// Returns what stands between the bars of a closure.
fn argument(source: &str, inner: TokenStream) -> String {
    let is_bar =
        |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '|');
    let tokens = inner.into_iter().skip_while(|token| !is_bar(token));
    let between = tokens.skip(1).take_while(|token| !is_bar(token));
    let places = between.map(|token| token.span().byte_range());
    let whole = places.reduce(|whole, next| whole.start..next.end);
    let text = whole.and_then(|whole| source.get(whole)).unwrap_or("");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_and_the_argument_are_read() {
        let source = "#![no_main]\nuse libfuzzer_sys::fuzz_target;\n\n  fuzz_target!(|data: &[u8]| { let _ = data; });\n";
        let found = find(source).expect("it is there");
        assert_eq!((found.line, found.column), (4, 3));
        assert_eq!(found.argument, "data: &[u8]");
        let typed = "libfuzzer_sys::fuzz_target!(init: { a || b; }, |input: (u8, Vec<Op>)| -> Corpus { Corpus::Keep });";
        assert_eq!(
            find(typed).expect("it is there").argument,
            "input: (u8, Vec<Op>)"
        );
        let untyped = find("fn main() { loop { honggfuzz::fuzz!(|data| { run(data) }); } }");
        assert_eq!(untyped.expect("it is there").argument, "data: &[u8]");
        assert_eq!(find("fn main() {}"), None);
    }
}
