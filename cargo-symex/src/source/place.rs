//! Places in source as reports show them: paths relative to the current directory, and the source
//! text of a place.

use crate::harness::find_source;
use std::ops::Range;
use std::path::{Path, PathBuf};
use symex_types::outcome::SourceLoc;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The directories against which places are resolved and shown.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Current directory; paths below it are shown relative to it.
    pub here: PathBuf,
    /// Root of the package; the compiler's relative names are resolved from there.
    pub package: PathBuf,
}

/// One line of source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLine {
    /// Path as the report shows it.
    pub path: String,
    pub line: usize,
    pub text: String,
    /// Range to underline, in bytes of `text`.
    pub span: Range<usize>,
}

impl Places {
    /// Returns the file of a place on this machine.
    pub fn file(&self, at: &SourceLoc) -> Option<PathBuf> {
        find_source(&at.file, &self.package)
    }

    /// Formats a place, for example `src/lib.rs:3:5`.
    pub fn show(&self, at: &SourceLoc) -> String {
        let path = self.path(at);
        match at.column {
            0 => format!("{path}:{}", at.line),
            column => format!("{path}:{}:{column}", at.line),
        }
    }

    /// Returns the path of a place as a text shows it; files of other crates are named by the
    /// crate's name and version.
    pub fn path(&self, at: &SourceLoc) -> String {
        let file = self.file(at);
        let name = file
            .as_ref()
            .map_or(at.file.as_str().into(), |file| file.to_string_lossy());
        match in_dependency(&name) {
            Some(inner) => inner.to_owned(),
            None => self.full_path(at),
        }
    }

    /// Returns the path by which the user can open the file of a place.
    pub fn full_path(&self, at: &SourceLoc) -> String {
        match self.file(at) {
            Some(file) => self.relative(&file),
            None => library(&at.file).to_owned(),
        }
    }

    /// Reports whether a place is in a file of the package itself.
    pub fn is_own(&self, at: &SourceLoc) -> bool {
        let file = self.file(at);
        file.is_some_and(|file| file.starts_with(&self.package)) && self.is_edited(at)
    }

    /// Reports whether a place is in a file that is there, and that cargo has not downloaded.
    pub fn is_edited(&self, at: &SourceLoc) -> bool {
        self.file(at)
            .is_some_and(|file| in_dependency(&file.to_string_lossy()).is_none())
    }

    /// Returns a path relative to the current directory, if it is below that.
    pub fn relative(&self, path: &Path) -> String {
        let shown = path.strip_prefix(&self.here).unwrap_or(path);
        shown.display().to_string()
    }

    /// Returns the line of a place and the range to underline.
    pub fn line(&self, at: &SourceLoc) -> Option<SourceLine> {
        let text = std::fs::read_to_string(self.file(at)?).ok()?;
        let index = usize::try_from(at.line).ok()?.checked_sub(1)?;
        let line = text.lines().nth(index)?;
        let start = match at.column {
            0 => line.len() - line.trim_start().len(),
            column => byte_of_column(line, column)?,
        };
        let end = expression_end(&text, line, at.line, start)
            .unwrap_or_else(|| start + word(&line[start..]))
            .max(start + 1)
            .min(line.len().max(start + 1));
        Some(SourceLine {
            path: self.full_path(at),
            line: index + 1,
            text: line.to_owned(),
            span: start..end,
        })
    }
}

/// Returns the part of a path below cargo's directory of downloaded crates:
/// `base64-0.21.0/src/lib.rs`.
fn in_dependency(path: &str) -> Option<&str> {
    // Each has one more directory level: that of the registry, or of the repository.
    ["/registry/src/", "/git/checkouts/"]
        .iter()
        .find_map(|dir| path.split_once(dir)?.1.split_once('/'))
        .map(|(_, inner)| inner)
}

/// Returns the path of std's source without the part that differs between toolchains.
fn library(file: &str) -> &str {
    match file.find("/library/") {
        Some(at) if file.starts_with("/rustc/") || file.contains("/rustlib/") => &file[at + 1..],
        _ => file,
    }
}

/// Returns the byte offset of a column that counts characters from 1.
fn byte_of_column(line: &str, column: u32) -> Option<usize> {
    let before = usize::try_from(column).ok()?.checked_sub(1)?;
    let offset = line.char_indices().nth(before).map(|(offset, _)| offset);
    offset.or_else(|| (line.chars().count() == before).then_some(line.len()))
}

/// Returns the length of the word at the start of a text, or of one character.
fn word(text: &str) -> usize {
    let length = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    if length > 0 {
        length
    } else {
        text.chars().next().map_or(0, char::len_utf8)
    }
}

/// Returns the end of the longest expression or macro that starts at a place, if it is on the same
/// line.
fn expression_end(text: &str, line: &str, number: u32, start: usize) -> Option<usize> {
    let column = line[..start].chars().count();
    let mut finder = Longest {
        line: usize::try_from(number).ok()?,
        column,
        end: None,
    };
    finder.visit_file(&syn::parse_file(text).ok()?);
    let end = finder.end?;
    byte_of_column(line, u32::try_from(end + 1).ok()?)
}

struct Longest {
    line: usize,
    /// Column in characters, from 0.
    column: usize,
    end: Option<usize>,
}

impl Longest {
    fn offer(&mut self, span: proc_macro2::Span) {
        let (start, end) = (span.start(), span.end());
        let here = (start.line, start.column) == (self.line, self.column);
        if here && end.line == self.line && self.end.is_none_or(|known| known < end.column) {
            self.end = Some(end.column);
        }
    }
}

impl<'ast> Visit<'ast> for Longest {
    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        // An assignment starts where its left side does, but only its operands can fail.
        if !matches!(expr, syn::Expr::Assign(_)) {
            self.offer(expr.span());
        }
        if let syn::Expr::MethodCall(call) = expr {
            // For `#[track_caller]` methods, panics name the place of the method's name.
            let from = call.method.span();
            self.offer(from.join(call.paren_token.span.close()).unwrap_or(from));
        }
        visit::visit_expr(self, expr);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.offer(mac.span());
        visit::visit_macro(self, mac);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
fn f(data: [u8; 3], i: usize, o: Option<u8>) -> u8 {
    let é = data[i] + 1;
    assert!(é > 3);
    let x = o.unwrap() * é;
    x
}
";

    fn underlined(line: u32, column: u32) -> String {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("src")).unwrap();
        std::fs::write(dir.path().join("src/lib.rs"), SOURCE).unwrap();
        let places = Places {
            here: dir.path().into(),
            package: dir.path().into(),
        };
        let at = SourceLoc {
            file: "src/lib.rs".into(),
            line,
            column,
        };
        let line = places.line(&at).unwrap();
        assert_eq!(line.path, "src/lib.rs");
        line.text[line.span].to_owned()
    }

    #[test]
    fn the_expression_at_the_place_is_underlined() {
        assert_eq!(underlined(2, 13), "data[i] + 1");
        assert_eq!(underlined(3, 5), "assert!(é > 3)");
        assert_eq!(underlined(4, 15), "unwrap()");
        // No expression starts there, so the word is underlined.
        assert_eq!(underlined(1, 4), "f");
        assert_eq!(underlined(5, 0), "x");
    }

    #[test]
    fn a_place_beyond_the_text_has_no_line() {
        let places = Places::default();
        assert_eq!(
            places.line(&SourceLoc {
                file: "no/such.rs".into(),
                line: 1,
                column: 1
            }),
            None
        );
    }

    #[test]
    fn a_dependency_is_named_by_crate_and_version() {
        let path = "/home/u/.cargo/registry/src/index.crates.io-19/base64-0.21.0/src/decode.rs";
        assert_eq!(in_dependency(path), Some("base64-0.21.0/src/decode.rs"));
        assert_eq!(in_dependency("/home/u/registry/src/lib.rs"), None);
        let places = Places::default();
        let at = SourceLoc {
            file: path.into(),
            line: 3,
            column: 9,
        };
        assert_eq!(places.show(&at), "base64-0.21.0/src/decode.rs:3:9");
        assert_eq!(places.full_path(&at), path);
    }

    #[test]
    fn std_is_named_without_the_toolchain() {
        let places = Places::default();
        let at = SourceLoc {
            file: "/rustc/59807616/library/core/src/num.rs".into(),
            line: 1,
            column: 0,
        };
        assert_eq!(places.show(&at), "library/core/src/num.rs:1");
    }
}
