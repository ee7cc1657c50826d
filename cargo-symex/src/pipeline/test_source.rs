//! Reads the source of a test that a macro makes: where it stands, its arguments, its attributes.
//!
//! Macros like `proptest!` are given functions in a form of their own. So the file is read as
//! tokens, in which `fn` and the name are searched.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::path::{Path, PathBuf};

/// Source of a test.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct TestSource {
    /// Source file; empty if the test was not found.
    pub file: PathBuf,
    /// Line of `fn`, from 1.
    pub line: u32,
    /// Column of `fn`, from 1.
    pub column: u32,
    /// The arguments as written: `a in 0..10, b: u8`.
    pub args: String,
    /// Whether it carries `#[ignore]`.
    pub ignored: bool,
    /// Whether it carries `#[should_panic]`.
    pub should_panic: bool,
}

/// Finds a test by its module and name in the crate whose root source file is given.
pub(super) fn find(root: &Path, modules: &[&str], name: &str) -> Option<TestSource> {
    let source = std::fs::read_to_string(root).ok()?;
    let file = SourceFile {
        path: root,
        source: &source,
        children: root.parent()?.to_owned(),
    };
    file.find(source.parse().ok()?, modules, name)
}

/// A source file, or a module in it.
struct SourceFile<'a> {
    path: &'a Path,
    source: &'a str,
    /// Directory of the files of the modules that it declares.
    children: PathBuf,
}

impl SourceFile<'_> {
    fn find(&self, tokens: TokenStream, modules: &[&str], name: &str) -> Option<TestSource> {
        let Some((module, inner)) = modules.split_first() else {
            return self.function(tokens, name);
        };
        let children = self.children.join(module);
        match declaration(tokens, module)? {
            Module::Here(tokens) => {
                let inside = SourceFile { children, ..*self };
                inside.find(tokens, inner, name)
            }
            Module::Elsewhere(path) => {
                let beside = self.path.parent().unwrap_or(Path::new(""));
                let path = match path {
                    Some(path) => beside.join(path),
                    None => {
                        let plain = children.with_extension("rs");
                        let is_plain = plain.is_file();
                        if is_plain {
                            plain
                        } else {
                            children.join("mod.rs")
                        }
                    }
                };
                let source = std::fs::read_to_string(&path).ok()?;
                let other = SourceFile {
                    path: &path,
                    source: &source,
                    children,
                };
                other.find(source.parse().ok()?, inner, name)
            }
        }
    }

    /// Finds a function among tokens, also in what is given to macros.
    fn function(&self, tokens: TokenStream, name: &str) -> Option<TestSource> {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut attributes = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let next = (tokens.get(at + 1), tokens.get(at + 2));
            match (token, next) {
                (
                    TokenTree::Ident(word),
                    (Some(TokenTree::Ident(called)), Some(TokenTree::Group(args))),
                ) if word == "fn" && called == name => {
                    let start = word.span().start();
                    return Some(TestSource {
                        file: self.path.to_owned(),
                        line: start.line as u32,
                        column: start.column as u32 + 1,
                        args: self.text(args),
                        ignored: has(&attributes, "ignore"),
                        should_panic: has(&attributes, "should_panic"),
                    });
                }
                (TokenTree::Group(group), _) if group.delimiter() == Delimiter::Bracket => {
                    attributes.extend(group.stream().into_iter().next());
                }
                (TokenTree::Group(group), _) => {
                    attributes.clear();
                    let is_module = at >= 2 && is_word(&tokens[at - 2], "mod");
                    if !is_module && let Some(found) = self.function(group.stream(), name) {
                        return Some(found);
                    }
                }
                (TokenTree::Punct(mark), _) if mark.as_char() == ';' => attributes.clear(),
                _ => {}
            }
        }
        None
    }

    /// Returns what stands in brackets, on one line.
    fn text(&self, group: &Group) -> String {
        let places = group.stream().into_iter();
        let places = places.map(|token| token.span().byte_range());
        let whole = places.reduce(|whole, next| whole.start..next.end);
        let text = whole.and_then(|whole| self.source.get(whole));
        let words = text.unwrap_or("").split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    }
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn has(attributes: &[TokenTree], name: &str) -> bool {
    attributes.iter().any(|first| is_word(first, name))
}

/// Declaration of a module.
enum Module {
    Here(TokenStream),
    /// In a file of its own, at this path if there is one.
    Elsewhere(Option<String>),
}

fn declaration(tokens: TokenStream, name: &str) -> Option<Module> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let at = tokens
        .windows(2)
        .position(|pair| is_word(&pair[0], "mod") && is_word(&pair[1], name))?;
    match tokens.get(at + 2)? {
        TokenTree::Group(group) => Some(Module::Here(group.stream())),
        _ => {
            let before = tokens[..at].iter().rev();
            let own = before.take_while(
                |token| !matches!(token, TokenTree::Punct(mark) if mark.as_char() == ';'),
            );
            let path = own.filter_map(|token| match token {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                    path_of(group.stream())
                }
                _ => None,
            });
            Some(Module::Elsewhere(path.last()))
        }
    }
}

/// Returns the path in an attribute `path = "…"`.
fn path_of(attribute: TokenStream) -> Option<String> {
    let attribute: syn::MetaNameValue = syn::parse2(attribute).ok()?;
    let is_path = attribute.path.is_ident("path");
    match attribute.value {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) if is_path => Some(text.value()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(directory: &Path, name: &str, text: &str) -> PathBuf {
        let path = directory.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn tests_are_found_in_macros_and_modules() {
        let directory = tempfile::tempdir().unwrap();
        let root = write(
            directory.path(),
            "src/lib.rs",
            "fn adds() {}\nmod other { fn adds() {} }\n#[cfg(test)]\nmod tests {\n    proptest! {\n        \
             #[test] #[ignore]\n        fn adds(a in 0u8..9,\n b: u8) { a; }\n        #[should_panic]\n        \
             fn fails(_ in 0..1) {}\n    }\n}\nmod far;\n#[path = \"x.rs\"] mod near;\n",
        );
        write(
            directory.path(),
            "src/far/deep.rs",
            "fn t(x in any::<u8>()) {}",
        );
        write(directory.path(), "src/far.rs", "mod deep;");
        write(directory.path(), "src/x.rs", "fn t() {}");
        let found = find(&root, &["tests"], "adds").unwrap();
        assert_eq!((found.line, found.column), (7, 9));
        assert_eq!(found.args, "a in 0u8..9, b: u8");
        assert!(found.ignored && !found.should_panic);
        assert!(find(&root, &["tests"], "fails").unwrap().should_panic);
        let deep = find(&root, &["far", "deep"], "t").unwrap();
        assert_eq!(deep.args, "x in any::<u8>()");
        assert!(deep.file.ends_with("src/far/deep.rs"));
        assert!(
            find(&root, &["near"], "t")
                .unwrap()
                .file
                .ends_with("src/x.rs")
        );
        assert_eq!(find(&root, &[], "adds").unwrap().line, 1);
        assert_eq!(find(&root, &["tests"], "none"), None);
        assert_eq!(find(&root, &["none"], "adds"), None);
    }
}
