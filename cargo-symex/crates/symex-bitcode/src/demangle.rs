//! Readable names: Rust symbols demangled without hash, long generic arguments shortened where a
//! name stands for a location. Names of other languages stay as they are, without the suffixes that
//! linking adds to local symbols.

/// Returns the readable form of a symbol.
pub fn display(symbol: &str) -> String {
    if let Ok(name) = rustc_demangle::try_demangle(symbol) {
        return format!("{name:#}");
    }
    let local = symbol.rsplit_once(".llvm.");
    let local = local.filter(|(_, number)| number.bytes().all(|b| b.is_ascii_digit()));
    local.map_or(symbol, |(name, _)| name).to_owned()
}

/// Reports whether a symbol has the form that rustc gives to statics and to constants without a
/// name.
pub fn is_of_rust(symbol: &str) -> bool {
    symbol.starts_with("alloc_") || rustc_demangle::try_demangle(symbol).is_ok()
}

/// Length of the longest list of generic arguments that a location's name keeps.
const SHORT: usize = 24;

/// Returns the readable form as [`display`] does, with long lists of generic arguments (`::<...>`)
/// replaced by `::<_>`.
pub fn scope(symbol: &str) -> String {
    shorten(&display(symbol))
}

fn shorten(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find("::<") {
        let (before, list) = rest.split_at(at + 2);
        out.push_str(before);
        let Some(len) = closing(list) else {
            rest = list;
            break;
        };
        if len > SHORT {
            out.push_str("<_>");
        } else {
            out.push_str(&list[..len]);
        }
        rest = &list[len..];
    }
    out.push_str(rest);
    out
}

/// Returns the length of the bracketed list at the start of the text. The arrow of a function type
/// does not close it.
fn closing(list: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut before = b' ';
    for (i, c) in list.bytes().enumerate() {
        match c {
            b'<' => depth += 1,
            b'>' if before != b'-' => {
                depth -= 1;
                if depth == 0 {
                    return Some(i + 1);
                }
            }
            _ => {}
        }
        before = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_generic_arguments_are_shortened() {
        assert_eq!(shorten("a::b::<u8>::c"), "a::b::<u8>::c");
        assert_eq!(
            shorten("a::b::<alloc::vec::Vec<u8>, fn(u8) -> core::option::Option<u8>>::c"),
            "a::b::<_>::c"
        );
        assert_eq!(shorten("a::<broken"), "a::<broken");
    }

    #[test]
    fn symbols_lose_their_hash() {
        assert_eq!(
            display("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE"),
            "core::fmt::Formatter::pad"
        );
        assert_eq!(display("main"), "main");
        assert_eq!(display("local.llvm.12"), "local");
        assert_eq!(display("local.llvm.x"), "local.llvm.x");
    }
}
