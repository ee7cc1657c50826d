//! Tests of what the manual says of other files.

use crate::support::workspace;
use std::fs::read_to_string;

/// Returns the lines of the table of a chapter of the manual, each as its columns, without the head.
fn table(chapter: &str) -> Vec<Vec<String>> {
    let file = workspace().join("docs/manual").join(chapter);
    let text = read_to_string(file).expect("the chapter exists");
    let rows = text.lines().filter(|line| line.starts_with('|')).skip(2);
    let columns = |row: &str| {
        row.trim_matches('|')
            .split('|')
            .map(|c| c.trim().to_owned())
            .collect()
    };
    rows.map(columns).collect()
}

#[test]
fn undefined_behaviour_is_shown_by_harnesses_that_exist() {
    let sources = ["rust", "aliasing"].map(|name| workspace().join("tests/programs").join(name));
    let files = sources.map(|folder| std::fs::read_dir(folder.join("src")).unwrap());
    let text: String = files
        .into_iter()
        .flatten()
        .map(|file| read_to_string(file.unwrap().path()).unwrap())
        .collect();
    let rows = table("undefined-behaviour.md");
    assert!(rows.len() > 20);
    for row in rows {
        let [class, _, harnesses] = &row[..] else {
            panic!("three columns: {row:?}");
        };
        let names: Vec<_> = harnesses.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "{class}: no harness shows it");
        for name in names {
            assert!(
                text.contains(&format!("fn {name}(")),
                "{class}: no harness {name}"
            );
        }
    }
}
