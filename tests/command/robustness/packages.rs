//! Tests of packages and settings that are unusual or wrong.

use crate::support::{Crate, dependency};

const BUG: &str = "
pub fn at(data: &[u8], i: usize) -> u8 {
    data[i]
}
#[cfg(test)]
mod t {
    #[symex::harness]
    fn at(data: [u8; 2], i: usize) {
        symex::assume(i < 3);
        super::at(&data, i);
    }
}
";

#[test]
fn packages_of_old_editions_and_without_std_in_paths_with_blanks() {
    let runtime = dependency();
    let old = format!(
        "[package]\nname = \"old\"\nversion = \"0.1.0\"\nedition = \"2015\"\n[dev-dependencies]\n{runtime}"
    );
    let bare = format!(
        "[package]\nname = \"bare\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dev-dependencies]\n{runtime}"
    );
    // In 2015 a path that begins with `::` begins in the crate itself.
    let old_source = format!("#[cfg(test)]\nextern crate symex;\n{BUG}");
    let bare_source = format!(
        "#![no_std]\n{}",
        BUG.replace(
            "-> u8 {",
            "-> u8 {\n    let _ = core::mem::size_of::<u8>();"
        )
    );
    let tree = Crate::files(
        "old and bare/ä b",
        &[
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"old one\", \"bare\"]\nresolver = \"2\"\n",
            ),
            ("old one/Cargo.toml", &old),
            ("old one/src/lib.rs", &old_source),
            ("bare/Cargo.toml", &bare),
            ("bare/src/lib.rs", &bare_source),
        ],
    );
    let run = tree.symex(&[]).code(1);
    for line in [
        "bare::t::at ... bug\n",
        "old::t::at ... bug\n",
        "2 harnesses: 2 bug\n",
    ] {
        assert!(
            run.stdout.contains(line),
            "{line} is not in\n{}",
            run.stdout
        );
    }
    assert_eq!(
        run.stdout.matches("= confirmed: ").count(),
        2,
        "{}",
        run.stdout
    );
    for package in ["old one", "bare"] {
        let text = tree.read(&format!("{package}/symex-regressions/src/lib/t/at.rs"));
        assert!(text.contains("at([0x00, 0x00], 2)"), "{text}");
        let plain = tree.cargo(&[
            "test",
            "--lib",
            "--manifest-path",
            &format!("{package}/Cargo.toml"),
        ]);
        assert!(
            plain
                .code(101)
                .stdout
                .contains("0 passed; 1 failed; 1 ignored")
        );
    }
}

#[test]
fn a_wrong_variable_is_refused_like_a_wrong_flag() {
    let tree = Crate::files("variables", &[]);
    for (name, value) in [
        ("SYMEX_TIMEOUT", "soon"),
        ("SYMEX_MAX_MEMORY", "lots"),
        ("SYMEX_JOBS", "many"),
    ] {
        let run = tree.symex_with(&[], &[(name, value)]).code(2);
        assert!(
            run.stderr.starts_with("error: ") && run.stderr.contains(value),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn what_is_wrong_with_a_manifest_is_told_by_cargo() {
    let tree = Crate::files("bad_manifest", &[("Cargo.toml", "[package\n")]);
    let run = tree.symex(&[]);
    assert!(matches!(run.code, Some(2 | 101)), "{run:?}");
    assert!(
        run.stderr.contains("Cargo.toml") && !run.stderr.contains("panicked"),
        "{}",
        run.stderr
    );
}
