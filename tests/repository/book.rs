//! Tests of the book, whose chapters are the files of `docs`: all are in its list, and all links
//! between documents lead somewhere. mdBook is not needed for that.

use crate::support::workspace;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Returns the Markdown files of the book, as paths from the root of the workspace.
pub(super) fn pages() -> Vec<String> {
    let mut pages = Vec::new();
    let mut folders = vec![workspace().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let path = path.strip_prefix(workspace()).expect("in the workspace");
                pages.push(path.display().to_string());
            }
        }
    }
    pages.sort();
    pages
}

/// Returns the text of a file of the workspace.
fn text(file: &str) -> String {
    std::fs::read_to_string(workspace().join(file))
        .unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// Returns where the links and pictures of a text lead, but for those to the web.
fn links(text: &str) -> Vec<String> {
    let targets = parser(text).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.into_string())
        }
        _ => None,
    });
    targets
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .collect()
}

/// Returns what can stand behind the `#` of a link to a text: its headings, as GitHub and mdBook
/// write them, and the names in `<a id="…">`.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut heading = None;
    for event in parser(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                anchors.extend(heading.take().map(|heading| slug(&heading)));
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            Event::Html(part) | Event::InlineHtml(part) => {
                let names = part.split("<a id=\"").skip(1);
                anchors.extend(names.filter_map(|name| Some(name.split_once('"')?.0.to_owned())));
            }
            _ => {}
        }
    }
    anchors
}

fn slug(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || " _-".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c })
        .collect::<String>()
        .to_lowercase()
}

/// Returns a path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => assert!(normal.pop(), "{}: outside", path.display()),
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

#[test]
fn the_list_of_chapters_has_all_pages_once() {
    let mut listed: Vec<String> = links(&text("docs/SUMMARY.md"))
        .iter()
        .map(|link| format!("docs/{link}"))
        .collect();
    listed.push("docs/SUMMARY.md".to_owned());
    listed.sort();
    assert_eq!(listed, pages());
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut documents = pages();
    documents.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned));
    for entry in std::fs::read_dir(workspace().join("examples")).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        documents.push(format!("examples/{}/README.md", name.display()));
    }
    let mut complaints = Vec::new();
    let mut seen = 0;
    for document in &documents {
        for link in links(&text(document)) {
            seen += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let file = if file.is_empty() {
                PathBuf::from(document)
            } else {
                let folder = Path::new(document).parent().expect("a file is in a folder");
                normal(&folder.join(file))
            };
            if document.starts_with("docs/") && !file.starts_with("docs") {
                complaints.push(format!("{document}: {link} is not in the book"));
            } else if !workspace().join(&file).exists() {
                complaints.push(format!("{document}: {link} does not exist"));
            } else if !anchor.is_empty()
                && !anchors(&text(&file.display().to_string())).contains(anchor)
            {
                complaints.push(format!("{document}: {link} has no such place"));
            }
        }
    }
    assert!(seen > 100, "{seen}");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
