//! Formats types as a reader writes them: `&'a [Header<u8>; 4]`. Tokens print with blanks
//! everywhere, and on stable a span does not reach over several tokens, so the user's own text is
//! not available.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// Formats the tokens of a type on one line.
pub fn tokens(stream: TokenStream) -> String {
    let mut text = String::new();
    write(stream, &mut text);
    text
}

/// The kind of the last token in the text.
#[derive(PartialEq)]
enum Last {
    Quote,
    Lifetime,
    Word(String),
    Other,
}

fn write(stream: TokenStream, text: &mut String) {
    let mut last = Last::Other;
    for token in stream {
        last = match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                match &last {
                    Last::Lifetime => text.push(' '),
                    Last::Word(word) if matches!(word.as_str(), "mut" | "const" | "dyn" | "as") => {
                        text.push(' ')
                    }
                    _ => {}
                }
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
                Last::Other
            }
            TokenTree::Punct(punct) => {
                match punct.as_char() {
                    c @ (',' | ';') => text.extend([c, ' ']),
                    '-' if punct.spacing() == Spacing::Joint => text.push_str(" -"),
                    '>' if text.ends_with(" -") => text.push_str("> "),
                    c @ ('+' | '=') => text.extend([' ', c, ' ']),
                    c => text.push(c),
                }
                if punct.as_char() == '\'' {
                    Last::Quote
                } else {
                    Last::Other
                }
            }
            word => {
                let word = word.to_string();
                if matches!(last, Last::Lifetime | Last::Word(_)) {
                    text.push(' ');
                }
                text.push_str(&word);
                if last == Last::Quote {
                    Last::Lifetime
                } else {
                    Last::Word(word)
                }
            }
        }
    }
    // A trailing comma: `(u8,)`.
    let end = text.trim_end().len();
    text.truncate(end);
}

#[cfg(test)]
mod tests {
    #[test]
    fn types_are_spelled_as_in_source() {
        for text in [
            "u8",
            "[u8; 8]",
            "&'a str",
            "&'a mut [u16]",
            "&mut E<super::P>",
            "Option<(i8, char)>",
            "(u8,)",
            "Result<Vec<u8>, String>",
            "&'static [Wrapping<u64>]",
            "fn(u8) -> u16",
            "<T as Trait<A = B>>::Item",
            "Box<dyn A + 'a>",
        ] {
            assert_eq!(super::tokens(text.parse().unwrap()), text);
        }
    }
}
