//! The tests of a crate, with the constants that may become inputs.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned as _;

use super::cases::{self, Argument};
use super::constants::{self, Constant};
use super::modules::{self, ModuleFile, is_for_tests};

/// The tests of one test executable.
pub struct TestCrate {
    /// Root source file.
    pub root: PathBuf,
    /// Its source files.
    pub files: Vec<TestFile>,
    pub tests: Vec<Test>,
    /// Tests that are not called with other values.
    pub refusals: Vec<Refusal>,
}

/// A test that is left as it is.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Its path in its crate.
    pub test: String,
    pub reason: String,
}

/// A source file with tests, or beside one.
#[derive(Debug)]
pub struct TestFile {
    pub path: PathBuf,
    pub text: String,
    /// Ranges of lines, from 1, that are compiled for tests only.
    pub of_tests: Vec<(usize, usize)>,
}

/// A `#[test]`, or a case of one with arguments.
#[derive(Clone, Debug)]
pub struct Test {
    /// Path in its crate, as libtest has it.
    pub name: String,
    /// Name of its function as it is called.
    pub function: String,
    /// Name of the case, if it is one.
    pub case: Option<String>,
    /// What its function is called with.
    pub arguments: Vec<Argument>,
    /// Number of its file.
    pub file: usize,
    /// Lines of its function, from 1.
    pub lines: (usize, usize),
    /// Position of its first attribute, in bytes.
    pub start: usize,
    /// Range of its function's name, in bytes.
    pub name_range: Range<usize>,
    /// Position after its body, in bytes.
    pub end: usize,
    /// Range in bytes of the attribute that makes it a case, if there can be another like it.
    pub attribute: Option<Range<usize>>,
    /// Its conditions, as written.
    pub conditions: Vec<String>,
    /// Whether it expects a panic.
    pub should_panic: bool,
    pub is_ignored: bool,
    /// Whether it contains unsafe code, whose conditions other inputs may break.
    pub has_unsafe: bool,
    /// The constants that may become inputs.
    pub constants: Vec<Constant>,
}

impl TestFile {
    /// Reports whether the compiler calls it by this name: its path, or the one within the
    /// workspace.
    pub fn is_called(&self, name: &str) -> bool {
        self.path.ends_with(name)
    }
}

impl TestCrate {
    /// Reads the tests of the executable with this root source file. `is_for_tests`: whether it
    /// consists of nothing but tests.
    pub fn read(root: &Path, is_for_tests: bool) -> Self {
        let (mut files, mut tests, mut refusals) = (Vec::new(), Vec::new(), Vec::new());
        for module in modules::read(root, is_for_tests) {
            let mut path = module.module.clone();
            let mut reader = Reader {
                module: &module,
                file: files.len(),
                of_tests: Vec::new(),
                tests: &mut tests,
                refusals: &mut refusals,
            };
            reader.items(&module.syntax.items, &mut path);
            let of_tests = match module.is_for_tests {
                true => vec![(1, usize::MAX)],
                false => reader.of_tests,
            };
            files.push(TestFile {
                path: module.path,
                text: module.text,
                of_tests,
            });
        }
        TestCrate {
            root: root.to_owned(),
            files,
            tests,
            refusals,
        }
    }
}

struct Reader<'a> {
    module: &'a ModuleFile,
    file: usize,
    of_tests: Vec<(usize, usize)>,
    tests: &'a mut Vec<Test>,
    refusals: &'a mut Vec<Refusal>,
}

impl Reader<'_> {
    fn items(&mut self, items: &[syn::Item], path: &mut Vec<String>) {
        for item in items {
            let (attributes, lines) = (attributes(item), lines(item.span()));
            let is_fixture = |one: &syn::Attribute| one.path().is_ident("fixture");
            if is_for_tests(attributes) || is_test(attributes) || attributes.iter().any(is_fixture)
            {
                self.of_tests.push(lines);
            }
            match item {
                syn::Item::Mod(module) => {
                    if let Some((_, items)) = &module.content {
                        path.push(module.ident.to_string());
                        self.items(items, path);
                        path.pop();
                    }
                }
                syn::Item::Fn(function) if is_test(&function.attrs) => {
                    self.function(function, path);
                }
                _ => {}
            }
        }
    }

    /// Adds the tests that a function is, or that macros make of it.
    fn function(&mut self, function: &syn::ItemFn, path: &[String]) {
        let signature = &function.sig;
        let name = path_of(path, &signature.ident.to_string());
        if signature.asyncness.is_some() {
            return;
        }
        let is_called_without = cases::makes_tests(&function.attrs)
            || signature.inputs.is_empty() && signature.generics.params.is_empty();
        let cases = match cases::read(function) {
            None if is_called_without => {
                let constants = constants::find(&function.block);
                self.tests.push(Test {
                    constants,
                    ..self.test(function, name)
                });
                return;
            }
            None => return,
            Some(Ok(cases)) => cases,
            Some(Err(reason)) => {
                self.refusals.push(Refusal { test: name, reason });
                return;
            }
        };
        let mut shapes: BTreeMap<String, String> = BTreeMap::new();
        for case in cases {
            if !case.fits_a_line(&self.module.text) {
                self.refusals.push(Refusal {
                    test: format!("{name}::{}", case.name),
                    reason: "its arguments are texts or comments of several lines".to_owned(),
                });
                continue;
            }
            let shape = case.shape(&self.module.text);
            let whole = self.test(function, format!("{name}::{}", case.name));
            let test = Test {
                should_panic: whole.should_panic || case.should_panic,
                is_ignored: whole.is_ignored || case.is_ignored,
                case: Some(case.name),
                attribute: case.attribute,
                arguments: case.arguments,
                constants: case.constants,
                ..whole
            };
            match shapes.get(&shape) {
                Some(first) if !test.constants.is_empty() => self.refusals.push(Refusal {
                    test: test.name,
                    reason: format!("it differs from `{first}` in its inputs only"),
                }),
                _ => {
                    shapes.insert(shape, test.name.clone());
                    self.tests.push(test);
                }
            }
        }
    }

    /// Returns the test that calls a function without arguments, with no constants yet.
    fn test(&self, function: &syn::ItemFn, name: String) -> Test {
        let has = |name: &str| {
            let mut attributes = function.attrs.iter();
            attributes.any(|attribute| attribute.path().is_ident(name))
        };
        let conditions = function.attrs.iter();
        let conditions = conditions.filter(|attribute| attribute.path().is_ident("cfg"));
        let text = |attribute: &syn::Attribute| {
            let range = attribute.span().byte_range();
            self.module.text.get(range).unwrap_or_default().to_owned()
        };
        Test {
            name,
            function: function.sig.ident.to_string(),
            case: None,
            arguments: Vec::new(),
            file: self.file,
            lines: lines(function.span()),
            start: function.span().byte_range().start,
            name_range: function.sig.ident.span().byte_range(),
            end: function.block.span().byte_range().end,
            attribute: None,
            conditions: conditions.map(text).collect(),
            should_panic: has("should_panic"),
            is_ignored: has("ignore"),
            has_unsafe: has_unsafe(&function.block),
            constants: Vec::new(),
        }
    }
}

/// Returns the path of an item in a module.
fn path_of(module: &[String], name: &str) -> String {
    let mut whole = module.to_vec();
    whole.push(name.to_owned());
    whole.join("::")
}

impl Test {
    /// Returns the name of the function that runs it with one of its constants as an input, by its
    /// number from 1, or with all of them.
    pub fn harness(&self, number: Option<usize>) -> String {
        let mut name = format!("generalized_{}", self.function.trim_start_matches("r#"));
        for part in self
            .case
            .iter()
            .cloned()
            .chain(number.map(|n| n.to_string()))
        {
            name.push('_');
            name.push_str(&part);
        }
        name
    }
}

fn lines(span: proc_macro2::Span) -> (usize, usize) {
    (span.start().line, span.end().line)
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    let mut all = attributes.iter();
    all.any(|attribute| attribute.path().is_ident("test")) || cases::makes_tests(attributes)
}

fn has_unsafe(block: &syn::Block) -> bool {
    struct Finder(bool);
    impl<'a> syn::visit::Visit<'a> for Finder {
        fn visit_expr_unsafe(&mut self, _: &'a syn::ExprUnsafe) {
            self.0 = true;
        }
    }
    let mut finder = Finder(false);
    syn::visit::Visit::visit_block(&mut finder, block);
    finder.0
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_with_their_modules() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("lib.rs");
        let text = "fn half() {}\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    #[cfg(unix)]\n    \
                    #[should_panic]\n    fn r#type() { f(1); unsafe { g() } }\n    fn helper() {}\n    #[test] fn \
                    with(x: u8) {}\n}\n#[test]\n#[ignore]\nfn plain() {}\n";
        std::fs::write(&root, text).unwrap();
        let found = TestCrate::read(&root, false);
        let names: Vec<&str> = found.tests.iter().map(|test| &*test.name).collect();
        assert_eq!(names, ["tests::r#type", "plain"]);
        let first = &found.tests[0];
        assert_eq!(first.conditions, ["#[cfg(unix)]"]);
        assert!(first.should_panic && first.has_unsafe && !first.is_ignored);
        assert_eq!((first.lines, first.constants.len()), ((5, 8), 1));
        assert_eq!(first.harness(Some(2)), "generalized_type_2");
        assert!(text[..first.end].ends_with("unsafe { g() } }"));
        assert!(found.tests[1].is_ignored);
        assert_eq!(
            found.files[0].of_tests,
            [(2, 11), (5, 8), (10, 10), (12, 14)]
        );
    }
}
