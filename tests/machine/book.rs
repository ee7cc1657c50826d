//! The book is built by mdBook, and no link in what it makes leads nowhere.

use crate::support::{TMPDIR, limited, workspace};
use libtest_mimic::Trial;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn trials() -> Vec<Trial> {
    let program = workspace().join("target/tools/mdbook");
    let needed = move || match program.exists() {
        true => Ok(program),
        false => Err("no mdBook: `.ci/book fetch` fetches it".to_owned()),
    };
    vec![crate::trial(
        "the_book_is_built_and_its_links_lead_somewhere".to_owned(),
        needed,
        |program| is_built(&program),
    )]
}

fn is_built(program: &Path) {
    let book = Path::new(TMPDIR).join("book");
    let mut build = Command::new(program);
    build.arg("build").arg(workspace().join("docs"));
    let run = limited::succeed(build.arg("--dest-dir").arg(&book));
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(!said.contains("WARN") && !said.contains("ERROR"), "{said}");

    let mut pages = BTreeMap::new();
    collect(&book, &mut pages);
    assert!(pages.len() > 20, "{}", pages.len());
    let mut complaints = Vec::new();
    for (page, text) in &pages {
        // These two stand for pages at other places.
        if page.ends_with("404.html") || page.ends_with("print.html") {
            continue;
        }
        for link in values(text, " href=\"").chain(values(text, " src=\"")) {
            if link.contains(':') || link.is_empty() {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = match file {
                "" => page.clone(),
                file => page.parent().expect("a page is in a folder").join(file),
            };
            let file = file.canonicalize().unwrap_or(file);
            let found = match pages.get(&file) {
                Some(text) => anchor.is_empty() || values(text, " id=\"").any(|id| id == anchor),
                None => file.is_file(),
            };
            if !found {
                complaints.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Adds the pages of a folder, by their absolute paths.
fn collect(folder: &Path, pages: &mut BTreeMap<PathBuf, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, pages);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            let text = std::fs::read_to_string(&path).expect("text");
            pages.insert(path.canonicalize().expect("it exists"), text);
        }
    }
}

/// Returns the values of an attribute, each once.
fn values<'a>(text: &'a str, attribute: &str) -> impl Iterator<Item = &'a str> {
    let values = text.split(attribute).skip(1);
    let values = values.filter_map(|value| Some(value.split_once('"')?.0));
    values.collect::<BTreeSet<_>>().into_iter()
}
