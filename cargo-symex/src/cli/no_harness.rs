//! The error for a run without harnesses, with advice: the missing dependency, or harness names
//! similar to those typed.

use super::args::{CargoArgs, SelectArgs};
use super::fuzz;
use super::options::options;
use super::packages;
use crate::build;
use crate::pipeline::discover::{Counts, TestKind};
use crate::pipeline::error::{CommandError, dependency_for};
use crate::pipeline::exit_code::ExitCode;
use crate::pipeline::select::Selection;
use cargo_metadata::{Metadata, Package};
use std::collections::BTreeSet;
use std::path::Path;
use symex_bitcode::link::PropertyLibrary;

/// Returns the error for a run without anything of the kind that was asked for.
pub fn nothing(
    selection: &Selection,
    kind: TestKind,
    args: &SelectArgs,
    cargo: &CargoArgs,
    seen: Counts,
) -> CommandError {
    let none = |message: String| CommandError::usage(message).code(ExitCode::NoHarness);
    let is_empty = selection.filtered_out.is_empty();
    if let (TestKind::Property(library), true) = (kind, is_empty) {
        let (name, found) = match library {
            PropertyLibrary::Proptest => (
                "proptest",
                "tests are found that give closures of their own to proptest, as its macros do",
            ),
            PropertyLibrary::QuickCheck => (
                "quickcheck",
                "tests are found that call quickcheck, of version 0.7 or newer, as its macros do",
            ),
            PropertyLibrary::Bolero => (
                "bolero",
                "tests are found, with `#[test]`, that use `bolero::check!`",
            ),
        };
        let error = none(format!("no test with {name} found in the chosen targets"));
        let others = others(kind, seen);
        return error.help(if others.is_empty() {
            format!("{found}; some may need features of the crate, as by `--all-features`")
        } else {
            others
        });
    }
    if is_empty {
        let error = none("no harness found in the chosen targets".to_owned());
        let others = others(kind, seen);
        if !others.is_empty() {
            return error.help(others);
        }
        if let Some(directory) = fuzz::usual_directory() {
            return error.help(format!(
                "there are fuzz targets in {}: `cargo symex fuzz` explores them",
                directory.display()
            ));
        }
        if mentions_kani(cargo) {
            return error.help("there are proofs for Kani: `cargo symex kani` explores them");
        }
        if let Some(advice) = without_runtime(cargo) {
            return error.help(advice);
        }
        return error.help(
            "write #[symex::harness] over a function in a #[cfg(test)] module or in tests/; `cargo symex auto` drafts \
             harnesses for the public functions",
        );
    }
    let filters: Vec<String> = args
        .filter
        .iter()
        .map(|filter| format!("`{filter}`"))
        .collect();
    let what = if filters.is_empty() {
        "the filters".to_owned()
    } else {
        filters.join(" or ")
    };
    let exact = if args.exact { "is called" } else { "matches" };
    let close = if args.exact {
        meant(&args.filter, &selection.filtered_out)
    } else {
        Vec::new()
    };
    none(format!("no harness {exact} {what}")).help(match close.as_slice() {
        [] => format!(
            "`cargo symex list` shows the {} there {}",
            selection.filtered_out.len(),
            if selection.filtered_out.len() == 1 {
                "is"
            } else {
                "are"
            }
        ),
        [name] => format!("there is `{name}`"),
        names => format!("there are `{}`", names.join("`, `")),
    })
}

/// Returns what was seen of other kinds, and how it is explored.
pub fn others(kind: TestKind, seen: Counts) -> String {
    let property = TestKind::Property;
    let kinds = [
        (
            TestKind::Harness,
            seen.harnesses,
            "harness",
            "harnesses",
            "",
        ),
        (
            property(PropertyLibrary::Proptest),
            seen.with_proptest,
            "test with proptest",
            "tests with proptest",
            " --proptest",
        ),
        (
            property(PropertyLibrary::QuickCheck),
            seen.with_quickcheck,
            "test with quickcheck",
            "tests with quickcheck",
            " --quickcheck",
        ),
        (
            property(PropertyLibrary::Bolero),
            seen.with_bolero,
            "test with bolero",
            "tests with bolero",
            " --bolero",
        ),
    ];
    let others = kinds.iter().filter(|of| of.0 != kind && of.1 > 0);
    let lines = others.map(|(_, count, one, many, option)| {
        let (is, what) = match count {
            1 => ("is", one),
            _ => ("are", many),
        };
        format!("there {is} {count} {what}: `cargo symex{option}` explores them")
    });
    lines.collect::<Vec<_>>().join("; ")
}

/// Maximal number of suggestions for a name that does not exist.
const SUGGESTED: usize = 5;

/// Returns suggestions for names that do not exist: harness names that end with one of them, else
/// those that are similar.
fn meant<'a>(typed: &[String], names: &'a [String]) -> Vec<&'a str> {
    let of = |is_meant: &dyn Fn(&str, &str) -> bool| -> Vec<&'a str> {
        let names = names.iter().map(String::as_str);
        let meant = names.filter(|name| typed.iter().any(|typed| is_meant(typed, name)));
        meant.take(SUGGESTED).collect()
    };
    let ending = of(&|typed, name| {
        name.strip_suffix(typed)
            .is_some_and(|before| before.ends_with("::"))
    });
    if ending.is_empty() {
        of(&is_close)
    } else {
        ending
    }
}

/// Reports whether one name may be a typing error for the other, in the whole name or in the
/// function's name alone.
fn is_close(typed: &str, name: &str) -> bool {
    let function = name.rsplit("::").next().unwrap_or(name);
    [name, function]
        .iter()
        .any(|name| strsim::damerau_levenshtein(typed, name) <= name.chars().count().min(9) / 3)
}

/// Returns the error for a run without proofs for Kani.
pub fn no_proof(
    selection: &Selection,
    args: &SelectArgs,
    cargo: &CargoArgs,
    seen: Counts,
) -> CommandError {
    if !selection.filtered_out.is_empty() {
        return nothing(selection, TestKind::Harness, args, cargo, seen)
            .help("`cargo symex kani --list` shows the proofs");
    }
    CommandError::usage("no proof for Kani found in the chosen targets")
        .code(ExitCode::NoHarness)
        .help("a proof is a function with #[kani::proof]; `cargo symex` explores #[symex::harness]")
}

/// Reports whether a source of the workspace has a proof for Kani.
fn mentions_kani(args: &CargoArgs) -> bool {
    let metadata = options(args).map(|options| build::metadata(&options));
    let Ok(Ok(metadata)) = metadata else {
        return false;
    };
    let targets = metadata
        .packages
        .iter()
        .flat_map(|package| &package.targets);
    let folders = targets.filter_map(|target| target.src_path.parent());
    let folders: BTreeSet<&Path> = folders.map(|folder| folder.as_std_path()).collect();
    folders.into_iter().any(has_proof)
}

/// Reports whether a source in a folder has a proof for Kani.
fn has_proof(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| {
        if path.is_dir() && !path.is_symlink() {
            // A manifest begins another package; what is built is no source.
            return !path.join("Cargo.toml").exists()
                && !path.join("CACHEDIR.TAG").exists()
                && has_proof(&path);
        }
        path.extension().is_some_and(|extension| extension == "rs")
            && std::fs::read_to_string(&path).is_ok_and(|text| text.contains("kani::proof"))
    })
}

/// Returns advice about packages without a harness, if none of them depends on the runtime.
fn without_runtime(args: &CargoArgs) -> Option<String> {
    let metadata = build::metadata(&options(args).ok()?).ok()?;
    if metadata.packages.iter().any(build::has_runtime) {
        return None;
    }
    let package = nearest(&metadata, args)?;
    let dependency = dependency_for(package.manifest_path.as_std_path());
    Some(format!(
        "{dependency}\n`cargo symex auto` drafts harnesses for the public functions, and `cargo symex generalize` explores the \
         tests with other values than the constants in them; neither needs a dependency"
    ))
}

/// Returns the package that the advice is about: one named on the command line, else that of the
/// directory, else the first.
fn nearest<'a>(metadata: &'a Metadata, args: &CargoArgs) -> Option<&'a Package> {
    let is_named = |package: &&Package| args.package.iter().any(|name| *name == *package.name);
    let packages = || metadata.packages.iter();
    packages()
        .find(is_named)
        .or_else(|| packages::around(metadata, args.manifest_path.as_deref()))
        .or_else(|| packages().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_suggested_by_their_ends_then_by_likeness() {
        let names = ["a::tests::parses", "b::tests::parses", "b::tests::prints"].map(String::from);
        let meant = |typed: &str| meant(&[typed.to_owned()], &names);
        assert_eq!(meant("parses"), ["a::tests::parses", "b::tests::parses"]);
        assert_eq!(meant("b::test::print"), ["b::tests::prints"]);
        assert_eq!(meant("pritns"), ["b::tests::prints"]);
        // Parts of words give no suggestion, nor do names that are merely short.
        assert_eq!(meant("arses"), ["a::tests::parses", "b::tests::parses"]);
        assert_eq!(meant("ses"), [""; 0]);
        assert_eq!(meant("f"), [""; 0]);
    }
}
