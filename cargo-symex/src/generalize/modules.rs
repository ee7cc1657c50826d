//! The source files of a crate, found by following its declarations of modules.

use std::path::{Path, PathBuf};

/// A source file of a crate.
pub struct ModuleFile {
    pub path: PathBuf,
    pub text: String,
    pub syntax: syn::File,
    /// Path of the module that it is: `["parse", "tests"]`.
    pub module: Vec<String>,
    /// Whether it is compiled for tests only.
    pub is_for_tests: bool,
}

/// Reads the source files of the crate with this root file. Files that cannot be read or parsed are
/// left out: what the compiler thinks of them, it says itself.
pub fn read(root: &Path, is_for_tests: bool) -> Vec<ModuleFile> {
    let mut files = Vec::new();
    let folder = root.parent().unwrap_or(Path::new(""));
    let whole = Place {
        file: root.to_owned(),
        children: folder.to_owned(),
        module: Vec::new(),
        is_for_tests,
    };
    whole.read(&mut files);
    files
}

/// Where a module stands.
#[derive(Clone)]
struct Place {
    file: PathBuf,
    /// Directory of the files of the modules that it declares.
    children: PathBuf,
    module: Vec<String>,
    is_for_tests: bool,
}

impl Place {
    fn read(self, files: &mut Vec<ModuleFile>) {
        let is_known = files.iter().any(|known| known.path == self.file);
        let Some(text) = std::fs::read_to_string(&self.file)
            .ok()
            .filter(|_| !is_known)
        else {
            return;
        };
        // Places in the text are counted without a first line for the shell.
        if text.starts_with("#!") && !text.starts_with("#![") {
            return;
        }
        let Ok(syntax) = syn::parse_file(&text) else {
            return;
        };
        let at = files.len();
        files.push(ModuleFile {
            path: self.file.clone(),
            text,
            syntax,
            module: self.module.clone(),
            is_for_tests: self.is_for_tests,
        });
        let items = files[at].syntax.items.clone();
        self.follow(&items, files);
    }

    /// Reads the modules that items declare in files of their own.
    fn follow(&self, items: &[syn::Item], files: &mut Vec<ModuleFile>) {
        for item in items {
            let syn::Item::Mod(declared) = item else {
                continue;
            };
            let name = declared.ident.to_string();
            let name = name.trim_start_matches("r#");
            let mut place = self.clone();
            place.module.push(declared.ident.to_string());
            place.is_for_tests |= is_for_tests(&declared.attrs);
            place.children.push(name);
            if let Some((_, items)) = &declared.content {
                place.follow(items, files);
                continue;
            }
            let beside = self.file.parent().unwrap_or(Path::new(""));
            place.file = match declared.attrs.iter().find_map(|one| text_of(one, "path")) {
                Some(path) => {
                    let file = beside.join(path);
                    place.children = file.parent().unwrap_or(beside).to_owned();
                    file
                }
                None => {
                    let plain = self.children.join(format!("{name}.rs"));
                    match plain.is_file() {
                        true => plain,
                        false => place.children.join("mod.rs"),
                    }
                }
            };
            place.read(files);
        }
    }
}

/// Reports whether an item carries `#[cfg(test)]`.
pub fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let condition = attribute.path().is_ident("cfg");
        condition
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    })
}

/// Returns the text of an attribute `#[name = "…"]`; `None` for others.
pub fn text_of(attribute: &syn::Attribute, name: &str) -> Option<String> {
    let syn::Meta::NameValue(attribute) = &attribute.meta else {
        return None;
    };
    match &attribute.value {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) if attribute.path.is_ident(name) => Some(text.value()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_followed() {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in [
            (
                "src/lib.rs",
                "mod far;\n#[path = \"x.rs\"] mod near;\nmod a { mod b; }\n#[cfg(test)] mod tests;",
            ),
            ("src/far/mod.rs", "mod deep;"),
            ("src/far/deep.rs", ""),
            ("src/x.rs", "mod y;"),
            ("src/y.rs", ""),
            ("src/a/b.rs", ""),
            ("src/tests.rs", "mod more;"),
            ("src/tests/more.rs", ""),
        ] {
            let path = directory.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let files = read(&directory.path().join("src/lib.rs"), false);
        let found: Vec<(String, String, bool)> = files
            .iter()
            .map(|file| {
                let path = file.path.strip_prefix(directory.path()).unwrap();
                let module = file.module.join("::");
                (path.display().to_string(), module, file.is_for_tests)
            })
            .collect();
        let expected = [
            ("src/lib.rs", "", false),
            ("src/far/mod.rs", "far", false),
            ("src/far/deep.rs", "far::deep", false),
            ("src/x.rs", "near", false),
            ("src/y.rs", "near::y", false),
            ("src/a/b.rs", "a::b", false),
            ("src/tests.rs", "tests", true),
            ("src/tests/more.rs", "tests::more", true),
        ];
        let expected =
            expected.map(|(path, module, tests)| (path.to_owned(), module.to_owned(), tests));
        assert_eq!(found, expected);
    }
}
