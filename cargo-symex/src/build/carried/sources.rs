//! The packages of the libraries, with the texts of their sources.
//!
//! `cargo-symex/carried` has links to the sources in this repository, so that they are part of
//! this package.

/// A package of the libraries.
pub struct Package {
    pub name: &'static str,
    /// What its manifest says besides name, version and edition.
    pub manifest: &'static str,
    /// The files of its folder `src`, by their paths in it.
    pub sources: &'static [(&'static str, &'static str)],
}

/// Lists files of a package with their texts.
macro_rules! sources {
    ($package:literal: $($path:literal)*) => {
        &[$((
            $path,
            include_str!(concat!("../../../carried/", $package, "/", $path)),
        )),*]
    };
}

/// The file that says which versions of packages of others are used.
pub const LOCK: &str = include_str!("../../../carried/Cargo.lock");

/// The packages.
pub const PACKAGES: [Package; 6] = [
    Package {
        name: "symex-abi",
        manifest: "",
        sources: sources! { "symex-abi":
            "hooks.rs"
            "inputs.rs"
            "lib.rs"
            "meta.rs"
            "names.rs"
            "pre_runs.rs"
            "process.rs"
        },
    },
    Package {
        name: "symex-macros",
        manifest: r#"
[lib]
proc-macro = true

[dependencies]
proc-macro2 = { version = "1.0.95", features = ["span-locations"] }
quote = "1"
symex-abi = { path = "../symex-abi" }
syn = { version = "3", features = ["full", "visit", "visit-mut"] }
"#,
        sources: sources! { "symex-macros":
            "derive/codegen.rs"
            "derive/mod.rs"
            "derive/options.rs"
            "derive/validate.rs"
            "draw.rs"
            "harness/codegen.rs"
            "harness/locate.rs"
            "harness/mod.rs"
            "harness/options.rs"
            "harness/parse.rs"
            "harness/spell.rs"
            "harness/units.rs"
            "harness/validate.rs"
            "krate.rs"
            "lib.rs"
        },
    },
    Package {
        name: "symex-runtime",
        manifest: r#"
[lib]
name = "symex"

[features]
arbitrary = []

[dependencies]
symex-abi = { path = "../symex-abi" }
symex-macros = { path = "../symex-macros" }
"#,
        sources: sources! { "symex-runtime":
            "constants.rs"
            "cx.rs"
            "draw.rs"
            "hooks.rs"
            "lib.rs"
            "macros.rs"
            "native/active.rs"
            "native/constants.rs"
            "native/invent.rs"
            "native/json.rs"
            "native/library.rs"
            "native/mod.rs"
            "native/pre_runs.rs"
            "native/random.rs"
            "native/record.rs"
            "native/run.rs"
            "native/settings.rs"
            "rt.rs"
            "source.rs"
            "symbolic.rs"
            "values/arbitrary.rs"
            "values/collections.rs"
            "values/compound.rs"
            "values/integers.rs"
            "values/interval.rs"
            "values/mod.rs"
            "values/net.rs"
            "values/pointers.rs"
            "values/scalars.rs"
            "values/text.rs"
            "values/wrappers.rs"
        },
    },
    Package {
        name: "symex-kani-macros",
        manifest: r#"
[lib]
proc-macro = true

[dependencies]
proc-macro2 = { version = "1.0.95", features = ["span-locations"] }
quote = "1"
syn = { version = "3", features = ["full", "visit", "visit-mut"] }
"#,
        sources: sources! { "symex-kani-macros":
            "attributes.rs"
            "contract.rs"
            "derive.rs"
            "lib.rs"
            "loops.rs"
            "proof.rs"
            "stubs.rs"
        },
    },
    Package {
        name: "symex-kani",
        manifest: r#"
[lib]
name = "kani"

[dependencies]
symex-kani-macros = { path = "../symex-kani-macros" }
symex-runtime = { path = "../symex-runtime" }
"#,
        sources: sources! { "symex-kani":
            "arbitrary.rs"
            "bounded.rs"
            "contract.rs"
            "float.rs"
            "futures.rs"
            "internal.rs"
            "invariant.rs"
            "lib.rs"
            "mem.rs"
            "quantifiers.rs"
            "shadow.rs"
            "slice.rs"
            "vec.rs"
        },
    },
    Package {
        name: "symex-quickcheck",
        manifest: r#"
[lib]
name = "quickcheck"

[dependencies]
symex-runtime = { path = "../symex-runtime" }
"#,
        sources: sources! { "symex-quickcheck":
            "arbitrary.rs"
            "drawing.rs"
            "generator.rs"
            "generator_before_1.rs"
            "lengths.rs"
            "lib.rs"
            "numbers_before_1.rs"
            "tester.rs"
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    fn collect(folder: &Path, files: &mut BTreeSet<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => collect(&path, files),
                false => drop(files.insert(path)),
            }
        }
    }

    #[test]
    fn every_source_is_listed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("carried");
        for package in PACKAGES {
            let folder = root.join(package.name);
            let mut there = BTreeSet::new();
            collect(&folder, &mut there);
            let listed = package.sources.iter().map(|(path, _)| folder.join(path));
            assert_eq!(listed.collect::<BTreeSet<_>>(), there);
        }
    }

    /// Returns name and version of each package in a lock file.
    fn locked(text: &str) -> BTreeSet<(&str, &str)> {
        let entries = text.split("[[package]]").skip(1);
        let value = |entry: &'static str, key: &str| {
            let line = entry.lines().find_map(|line| line.strip_prefix(key));
            line.expect("it is there").trim_matches('"')
        };
        // Leaked, as it is the text of a test.
        let entries = entries.map(|entry| &*Box::leak(entry.to_owned().into_boxed_str()));
        entries
            .map(|entry| (value(entry, "name = "), value(entry, "version = ")))
            .collect()
    }

    #[test]
    fn packages_of_others_are_those_of_this_repository() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("Cargo.lock");
        let text = std::fs::read_to_string(root).expect("the lock file");
        let all = locked(&text);
        let own: BTreeSet<&str> = PACKAGES.iter().map(|package| package.name).collect();
        for package in locked(LOCK) {
            assert!(
                own.contains(package.0) || all.contains(&package),
                "{package:?}"
            );
        }
    }
}
