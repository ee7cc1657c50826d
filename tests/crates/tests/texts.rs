//! Search in texts, Unicode, and parsers of small languages.

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

#[symex::harness]
fn memchr_like_position(data: [u8; 8], needle: u8) {
    assert_eq!(
        memchr::memchr(needle, &data),
        data.iter().position(|&b| b == needle)
    );
    assert_eq!(
        memchr::memrchr(needle, &data),
        data.iter().rposition(|&b| b == needle)
    );
}

#[symex::harness]
fn memmem_like_windows(data: [u8; 8], needle: [u8; 2]) {
    let found = memchr::memmem::find(&data, &needle);
    assert_eq!(found, data.windows(2).position(|window| window == needle));
}

#[symex::harness]
fn aho_corasick_like_find(text: [u8; 5]) {
    let searcher = aho_corasick::AhoCorasick::new(["ab", "bc", "c"]).unwrap();
    let found = searcher.find(&text).map(|found| found.end());
    let first_end = (1..=5).find(|&end| {
        let head = &text[..end];
        head.ends_with(b"ab") || head.ends_with(b"bc") || head.ends_with(b"c")
    });
    assert_eq!(found, first_end);
}

#[symex::harness]
fn regex_like_code(text: [u8; 4]) {
    let regex = regex_lite::Regex::new("^[a-c]+[0-9]$").unwrap();
    if let Ok(text) = std::str::from_utf8(&text) {
        let (head, last) = text.as_bytes().split_at(3);
        let model = head.iter().all(|b| (b'a'..=b'c').contains(b)) && last[0].is_ascii_digit();
        assert_eq!(regex.is_match(text), model);
    }
}

#[symex::harness]
fn regex_any_pattern(pattern: [u8; 4]) {
    if let Ok(pattern) = std::str::from_utf8(&pattern) {
        let _ = regex_lite::Regex::new(pattern);
    }
}

#[symex::harness]
fn graphemes_cover_the_text(text: &str) {
    assert_eq!(
        text.graphemes(true).map(str::len).sum::<usize>(),
        text.len()
    );
}

#[symex::harness]
fn words_cover_the_text(text: [u8; 5]) {
    if let Ok(text) = std::str::from_utf8(&text) {
        assert_eq!(text.split_word_bounds().collect::<String>(), text);
    }
}

#[symex::harness]
fn width_of_chars(c: char) {
    let width = unicode_width::UnicodeWidthChar::width(c);
    assert!(width.unwrap_or(0) <= 2);
    assert_eq!(width.is_none(), c.is_control());
}

#[symex::harness]
fn nfc_is_idempotent(c: char) {
    let once: String = c.nfc().collect();
    assert_eq!(once.nfc().collect::<String>(), once);
}

#[symex::harness]
fn bstr_chars_cover_the_bytes(data: [u8; 4]) {
    use bstr::ByteSlice;
    let lossy = data.to_str_lossy();
    assert_eq!(lossy, String::from_utf8_lossy(&data));
    assert_eq!(data.char_indices().last().map(|(_, end, _)| end), Some(4));
}

#[symex::harness]
fn smol_str_like_string(text: &str, other: &str) {
    let (a, b) = (smol_str::SmolStr::new(text), smol_str::SmolStr::new(other));
    assert_eq!(a.cmp(&b), text.cmp(other));
    assert_eq!(smol_str::format_smolstr!("{a}{b}"), [text, other].concat());
}

#[symex::harness]
fn levenshtein_is_a_distance(a: [u8; 3], b: [u8; 3]) {
    if let Ok(a) = std::str::from_utf8(&a)
        && let Ok(b) = std::str::from_utf8(&b)
    {
        let distance = strsim::levenshtein(a, b);
        assert_eq!(distance == 0, a == b);
        assert_eq!(distance, strsim::levenshtein(b, a));
    }
}

#[symex::harness]
fn jaro_is_a_fraction(a: [u8; 3], b: [u8; 3]) {
    if let Ok(a) = std::str::from_utf8(&a)
        && let Ok(b) = std::str::from_utf8(&b)
    {
        assert!((0.0..=1.0).contains(&strsim::jaro(a, b)));
    }
}

#[symex::harness]
fn heck_snake_is_idempotent(text: [u8; 4]) {
    use heck::ToSnakeCase;
    if let Ok(text) = std::str::from_utf8(&text) {
        let once = text.to_snake_case();
        assert_eq!(once.to_snake_case(), once);
    }
}

#[symex::harness]
fn shlex_quotes(text: [u8; 4]) {
    if let Ok(text) = std::str::from_utf8(&text)
        && let Ok(quoted) = shlex::try_quote(text)
    {
        assert_eq!(shlex::split(&quoted).unwrap(), [text]);
    }
}

#[symex::harness]
fn shlex_any_text(text: [u8; 6]) {
    if let Ok(text) = std::str::from_utf8(&text) {
        let _ = shlex::split(text);
    }
}

#[symex::harness]
fn wildmatch_star(text: [u8; 4]) {
    if let Ok(text) = std::str::from_utf8(&text) {
        let matches = wildmatch::WildMatch::new("a*b").matches(text);
        assert_eq!(matches, text.starts_with('a') && text.ends_with('b'));
    }
}

#[symex::harness]
fn glob_any_pattern(pattern: [u8; 4]) {
    if let Ok(pattern) = std::str::from_utf8(&pattern)
        && let Ok(compiled) = glob::Pattern::new(pattern)
    {
        let _ = compiled.matches("ab/c");
    }
}

#[symex::harness]
fn terminal_any_bytes(data: [u8; 6]) {
    #[derive(Default)]
    struct Printed(usize);
    impl vte::Perform for Printed {
        fn print(&mut self, _: char) {
            self.0 += 1;
        }
    }
    let mut printed = Printed::default();
    vte::Parser::new().advance(&mut printed, &data);
    assert!(printed.0 <= 6);
}

mod expression {
    use nom::branch::alt;
    use nom::character::complete::{char, u8};
    use nom::combinator::map;
    use nom::multi::fold_many0;
    use nom::sequence::{delimited, pair};
    use nom::{IResult, Parser};

    fn factor(input: &str) -> IResult<&str, u32> {
        alt((map(u8, u32::from), delimited(char('('), sum, char(')')))).parse(input)
    }

    pub fn sum(input: &str) -> IResult<&str, u32> {
        let (input, first) = factor(input)?;
        let step = pair(char('+'), factor);
        fold_many0(step, move || first, |sum, (_, next)| sum + next).parse(input)
    }
}

#[symex::harness]
fn nom_expression(text: [u8; 6]) {
    if let Ok(text) = std::str::from_utf8(&text)
        && let Ok((rest, value)) = expression::sum(text)
    {
        assert!(rest.len() < 6 && value <= 3 * 255);
    }
}

#[symex::harness]
fn winnow_color(text: [u8; 7]) {
    use winnow::Parser;
    use winnow::token::take_while;
    let Ok(text) = std::str::from_utf8(&text) else {
        return;
    };
    let hex = take_while::<_, _, winnow::error::ContextError>(2, |c: char| c.is_ascii_hexdigit());
    let mut part = hex.try_map(|digits: &str| u8::from_str_radix(digits, 16));
    let mut input = text;
    if winnow::combinator::preceded::<_, _, _, winnow::error::ContextError, _, _>(
        '#',
        part.by_ref(),
    )
    .parse_next(&mut input)
    .is_ok()
        && let Ok(green) = part.parse_next(&mut input)
        && let Ok(blue) = part.parse_next(&mut input)
    {
        assert_eq!(input, "");
        assert!(
            text.to_ascii_lowercase()
                .ends_with(&format!("{green:02x}{blue:02x}"))
        );
    }
}
