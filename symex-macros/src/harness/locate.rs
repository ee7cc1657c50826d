//! Finds the regression tests of a harness: a path made of the source file and the modules written
//! in it.
//!
//! The compiler tells an attribute its file and position but not its module, and text parsed inside
//! a macro carries no positions: so the file is scanned for the `mod name {` around the position,
//! by a lexer that knows just enough to skip comments and literals. A file is scanned once for all
//! its harnesses.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

use proc_macro2::Span;
use symex_abi::names::REGRESSIONS;

/// The regression file of a harness.
pub struct Regressions {
    /// Path relative to the manifest's directory, with `/` between parts.
    pub relative: String,
    /// The whole path, if the file exists.
    pub existing: Option<String>,
}

/// Finds the regression file of the harness `name` at `span`; `None` if the source file is unknown.
pub fn regressions(name: &str, span: Span) -> Option<Regressions> {
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    let file = std::path::absolute(span.local_file()?).ok()?;
    let start = span.start();
    let modules = around(&scanned(&file), (start.line, start.column));
    let relative = relative(&manifest, &file, &modules, name)?;
    let path = manifest.join(&relative);
    let existing = path
        .is_file()
        .then(|| path.to_str().map(str::to_owned))
        .flatten();
    Some(Regressions { relative, existing })
}

fn relative(manifest: &Path, file: &Path, modules: &[String], name: &str) -> Option<String> {
    let below = match file.strip_prefix(manifest) {
        Ok(below) => below.to_owned(),
        // The compiler may know the file by another name of the same directory.
        Err(_) => {
            let (file, manifest) = (file.canonicalize().ok()?, manifest.canonicalize().ok()?);
            file.strip_prefix(manifest)
                .map(Path::to_owned)
                .unwrap_or(file)
        }
    };
    let mut parts = vec![String::from(REGRESSIONS)];
    for component in below.with_extension("").components() {
        if let Component::Normal(part) = component {
            parts.push(part.to_str()?.to_owned());
        }
    }
    parts.extend(modules.iter().cloned());
    parts.push(format!("{name}.rs"));
    Some(parts.join("/"))
}

/// A line from 1 and a column in characters from 0.
type Position = (usize, usize);

/// A module with braces of its own.
#[derive(Debug)]
struct Module {
    name: String,
    /// Position after the opening brace.
    from: Position,
    /// Position after the closing brace.
    to: Position,
}

/// Modification time and length of a file when it was scanned, and the modules found.
type Scan = (Option<SystemTime>, u64, Arc<[Module]>);

/// Cache of scanned files. Without it, the time for a file of many harnesses would grow with the
/// square of their number. The cached time and length matter because a server that expands macros
/// for an editor outlives changes of a file.
static SCANS: LazyLock<Mutex<HashMap<PathBuf, Scan>>> = LazyLock::new(Mutex::default);

/// Returns the inline modules of a file; empty if it cannot be read.
fn scanned(file: &Path) -> Arc<[Module]> {
    let Ok(data) = std::fs::metadata(file) else {
        return Arc::default();
    };
    let (time, length) = (data.modified().ok(), data.len());
    let mut scans = SCANS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((known, size, modules)) = scans.get(file)
        && (*known, *size) == (time, length)
    {
        return modules.clone();
    }
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let modules: Arc<[Module]> = inline_modules(&text).into();
    scans.insert(file.to_owned(), (time, length, modules.clone()));
    modules
}

/// Returns the names of the modules whose braces enclose a position, the outermost first.
fn around(modules: &[Module], at: Position) -> Vec<String> {
    let around = modules
        .iter()
        .filter(|module| module.from <= at && at < module.to);
    around.map(|module| module.name.clone()).collect()
}

/// Returns the modules written in a text, in the order in which they begin.
fn inline_modules(text: &str) -> Vec<Module> {
    let mut lexer = Lexer {
        rest: text,
        line: 1,
        column: 0,
    };
    let mut modules: Vec<Module> = Vec::new();
    // For each open brace, the number of the module it opens, if it does.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut last = [String::new(), String::new()];
    while let Some(token) = lexer.next() {
        let here = (lexer.line, lexer.column);
        match token.as_str() {
            "{" if last[0] == "mod" => {
                open.push(Some(modules.len()));
                modules.push(Module {
                    name: last[1].trim_start_matches("r#").to_owned(),
                    from: here,
                    to: (usize::MAX, 0),
                });
            }
            "{" => open.push(None),
            "}" => {
                if let Some(Some(number)) = open.pop() {
                    modules[number].to = here;
                }
            }
            _ => {}
        }
        let [_, previous] = last;
        last = [previous, token];
    }
    modules
}

/// Lexer that splits a text into words and single characters; comments and blanks are skipped, a
/// literal is one token.
struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    column: usize,
}

impl Lexer<'_> {
    /// Returns the next token; the position is then behind it.
    fn next(&mut self) -> Option<String> {
        loop {
            let first = self.rest.chars().next()?;
            let length = if first.is_whitespace() {
                first.len_utf8()
            } else if self.rest.starts_with("//") {
                self.rest.find('\n').unwrap_or(self.rest.len())
            } else if self.rest.starts_with("/*") {
                block_comment(self.rest)
            } else {
                let length = token(self.rest);
                let text = self.rest[..length].to_owned();
                self.skip(length);
                return Some(text);
            };
            self.skip(length);
        }
    }

    fn skip(&mut self, length: usize) {
        let (passed, rest) = self.rest.split_at(length);
        for c in passed.chars() {
            if c == '\n' {
                self.line += 1;
                self.column = 0;
            } else {
                self.column += 1;
            }
        }
        self.rest = rest;
    }
}

/// Returns the length of a block comment; they nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Returns the length of the word, literal or character that the text begins with.
fn token(text: &str) -> usize {
    let word = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    let after = &text[word..];
    match &text[..word] {
        "" => {}
        // Prefixes of literals, unless they are just names.
        "r" | "br" | "cr" if after.starts_with(['"', '#']) => {
            let hashes = after.find(|c| c != '#').unwrap_or(after.len());
            if !after[hashes..].starts_with('"') {
                // `r#name`
                let name = after[hashes..].find(|c: char| !(c.is_alphanumeric() || c == '_'));
                return word + hashes + name.unwrap_or(after.len() - hashes);
            }
            let end = format!("\"{}", "#".repeat(hashes));
            let body = hashes + 1;
            return word
                + after[body..]
                    .find(&end)
                    .map_or(after.len(), |at| body + at + end.len());
        }
        "b" | "c" if after.starts_with('"') => return word + quoted(after, '"'),
        "b" if after.starts_with('\'') => return word + quoted(after, '\''),
        _ => return word,
    }
    if text.starts_with('"') {
        return quoted(text, '"');
    }
    if let Some(rest) = text.strip_prefix('\'') {
        // `'a'` and `'\n'` are characters, `'a` is a lifetime.
        let mut rest = rest.chars();
        let (first, second) = (rest.next(), rest.next());
        return if first == Some('\\') || second == Some('\'') {
            quoted(text, '\'')
        } else {
            1
        };
    }
    text.chars().next().map_or(0, char::len_utf8)
}

/// Returns the length of a literal with escapes, quotes included.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the modules around the `@` in a text.
    fn at_mark(text: &str) -> Vec<String> {
        let at = text.find('@').unwrap();
        let line = text[..at].matches('\n').count() + 1;
        let column = text[..at].rsplit('\n').next().unwrap().chars().count();
        around(&inline_modules(&text.replacen('@', "x", 1)), (line, column))
    }

    #[test]
    fn nested_modules_are_found_and_closed_ones_are_not() {
        assert_eq!(at_mark("fn @ () {}"), [""; 0]);
        assert_eq!(
            at_mark("mod a { fn f() {} mod b { fn @ () {} } }"),
            ["a", "b"]
        );
        assert_eq!(at_mark("mod a { mod b { fn f() {} }\nfn @ () {} }"), ["a"]);
        assert_eq!(
            at_mark("mod a;\npub(crate) mod b\n{\n    #[x]\n    fn @ () {}\n}"),
            ["b"]
        );
        assert_eq!(at_mark("mod a {}\nmod r#type { fn @ () {} }"), ["type"]);
        assert_eq!(
            at_mark("mod a { impl X { fn f() { if y { } } } } fn @"),
            [""; 0]
        );
    }

    #[test]
    fn a_file_is_scanned_again_when_it_has_changed() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("lib.rs");
        let first = |file: &Path| scanned(file).first().map(|module| module.name.clone());
        assert_eq!(first(&file), None);
        std::fs::write(&file, "mod one { }").unwrap();
        assert_eq!(first(&file).as_deref(), Some("one"));
        assert!(Arc::ptr_eq(&scanned(&file), &scanned(&file)));
        std::fs::write(&file, "mod another { }").unwrap();
        assert_eq!(first(&file).as_deref(), Some("another"));
    }

    #[test]
    fn braces_in_comments_and_literals_do_not_count() {
        for filler in [
            "// }",
            "/* } /* } */ } */",
            "const S: &str = \"} \\\" }\";",
            "const R: &str = r#\"} \" }\"#;",
            "const C: char = '}'; const E: char = '\\''; const B: u8 = b'}';",
            "fn f<'a>(x: &'a str) -> &'a str { x }",
            "const B: &[u8] = b\"}\"; const RB: &[u8] = br\"}\";",
            "/// a mod b { in words\nconst DASH: &str = \"é – }\";",
        ] {
            assert_eq!(
                at_mark(&format!("mod a {{\n{filler}\nfn @ () {{}}\n}}")),
                ["a"],
                "{filler}"
            );
        }
    }

    #[test]
    fn the_file_mirrors_the_source_tree() {
        let path = relative(
            Path::new("/w/p"),
            Path::new("/w/p/src/a/mod.rs"),
            &["tests".into()],
            "parses",
        );
        assert_eq!(path.unwrap(), "symex-regressions/src/a/mod/tests/parses.rs");
    }
}
