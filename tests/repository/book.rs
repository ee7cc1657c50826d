//! Tests of the book, whose chapters are the files of `docs`: all are in its list, all links between
//! documents lead somewhere, and the harnesses in it end as the sessions below them show. mdBook is
//! not needed for that.

use crate::support::{Crate, workspace};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
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

/// A block of Rust with harnesses, and what the sessions below it show of them.
struct Example {
    /// Name of the module that the block becomes.
    module: String,
    source: String,
    /// The harness and verdict of lines such as `tests::parses ... pass (complete)`.
    verdicts: BTreeMap<String, String>,
    /// The heads of findings, such as `error[panic]: attempt to add with overflow`.
    findings: Vec<String>,
}

impl Example {
    /// Adds what a session shows.
    fn expect(&mut self, session: &str) {
        for line in session.lines() {
            // The lines of `cargo test` look alike.
            if line.starts_with("test ") {
                continue;
            }
            if let Some((harness, verdict)) = line.split_once(" ... ") {
                let old = self.verdicts.insert(harness.to_owned(), verdict.to_owned());
                assert!(
                    old.is_none_or(|old| old == verdict),
                    "{}: {line}",
                    self.module
                );
            } else if line.starts_with("error[") {
                self.findings.push(line.to_owned());
            }
        }
    }
}

/// Returns the blocks of a page that are to be explored: those of Rust with a harness that are not
/// marked `ignore`. Sessions are blocks marked `console`, and belong to the last such block above.
fn examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut language = None;
    let page_text = text(page);
    for event in parser(&page_text) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                language = Some((info.into_string(), String::new()));
            }
            Event::Text(part) => {
                if let Some((_, block)) = &mut language {
                    block.push_str(&part);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let Some((info, block)) = language.take() else {
                    continue;
                };
                if info == "rust" && block.contains("#[symex::harness") {
                    let stem = Path::new(page).file_stem().expect("a file");
                    let stem = stem.display().to_string().replace('-', "_");
                    examples.push(Example {
                        module: format!("{stem}_{}", examples.len() + 1),
                        source: block,
                        verdicts: BTreeMap::new(),
                        findings: Vec::new(),
                    });
                } else if info == "console"
                    && let Some(example) = examples.last_mut()
                {
                    example.expect(&block);
                }
            }
            _ => {}
        }
    }
    examples
}

/// All harnesses of the book are explored in one crate, and end as their sessions show.
#[test]
fn harnesses_in_the_book_end_as_it_says() {
    let examples: Vec<Example> = pages().iter().flat_map(|page| examples(page)).collect();
    assert!(examples.len() > 5, "{}", examples.len());
    let modules = examples
        .iter()
        .map(|example| format!("pub mod {} {{\n{}}}\n", example.module, example.source));
    let tree = Crate::library("book", &modules.collect::<String>());
    let run = tree.symex(&["--write-tests=never"]);

    // What the message of a panic has of inputs may be invisible, and is left out in the book.
    let shown: String = run
        .stdout
        .chars()
        .filter(|c| *c == '\n' || !c.is_control())
        .collect();
    let shown: BTreeSet<&str> = shown.lines().collect();
    let mut complaints = Vec::new();
    for Example {
        module,
        source,
        verdicts,
        findings,
    } in &examples
    {
        let harnesses = source.matches("#[symex::harness").count();
        if harnesses != verdicts.len() {
            complaints.push(format!(
                "{module}: {harnesses} harnesses, shown are {verdicts:?}"
            ));
        }
        for (harness, verdict) in verdicts {
            let line = format!("{module}::{harness} ... {verdict}");
            if !shown.contains(&*line) {
                complaints.push(format!("not so: {line}"));
            }
        }
        for finding in findings {
            if !shown.contains(&**finding) {
                complaints.push(format!("{module}: not found: {finding}"));
            }
        }
    }
    let output = format!("{}\n{}", run.stdout, run.stderr);
    assert!(
        complaints.is_empty(),
        "{}\n\n{output}",
        complaints.join("\n")
    );
}
