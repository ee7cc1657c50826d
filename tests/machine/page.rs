//! Tests of the page of `--html` in a browser: it is rendered, clicked, and driven by keys.

mod browser;

use crate::support::Crate;
use browser::{Browser, program};
use libtest_mimic::Trial;
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

pub fn trials() -> Vec<Trial> {
    let needed = || program().ok_or_else(|| "no chromium: `make test-deps` installs it".to_owned());
    vec![
        crate::trial("a_page_in_a_browser".to_owned(), needed, |program| {
            is_used(Path::new(&program));
        }),
        crate::trial("a_page_of_500_harnesses".to_owned(), needed, |program| {
            is_large(Path::new(&program));
        }),
    ]
}

const SOURCE: &str = r#"
pub fn bits(mut word: u32) -> u32 {
    let mut count = 0;
    for _ in 0..12 {
        if word & 1 == 1 {
            count += 1;
        }
        word >>= 1;
    }
    count
}

pub fn is_known(words: &[u16; 40], key: u16) -> bool {
    words.iter().any(|word| *word == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[symex::harness]
    fn counts(word: u32) {
        std::hint::black_box(bits(word));
        println!("</script><img src=x onerror=\"document.title='taken over'\">");
        assert!(word != 0xaaa, "</script><img src=x onerror=\"document.title='taken over'\">");
    }

    #[symex::harness]
    fn knows(words: [u16; 40], key: u16) {
        std::hint::black_box(is_known(&words, key));
    }

    #[symex::harness]
    fn passes(x: u8) {
        assert!(u16::from(x) < 256);
    }
}
"#;

/// Makes a crate, and the page of a run of it.
fn page(name: &str) -> Crate {
    let tree = Crate::library(name, SOURCE);
    tree.symex(&["--no-cache", "--merge=off", "--html", "page"])
        .code(1);
    tree
}

fn is_used(program: &Path) {
    let tree = page("page_in_a_browser");
    let file = tree.path().join("page/index.html");
    let mut browser = Browser::start(program);
    browser.open(&file, "");
    let is = |browser: &mut Browser, script: &str, expected: Value| {
        // Links are followed a moment later.
        let deadline = Instant::now() + Duration::from_secs(10);
        let mut value = browser.eval(script);
        while value != expected && Instant::now() < deadline {
            value = browser.eval(script);
        }
        assert_eq!(value, expected, "{script}");
    };
    let shown = "document.querySelector('section.part:not([hidden])').id";
    let rows = "[...document.querySelectorAll('#harnesses tbody tr:not([hidden])')].map(row => row.querySelector('a').textContent)";

    // The table: filter, verdicts, order.
    is(&mut browser, shown, "overview".into());
    let all = ["tests::counts", "tests::knows", "tests::passes"];
    is(&mut browser, rows, all.as_slice().into());
    browser.keys("/");
    browser.keys("now");
    is(&mut browser, rows, ["tests::knows"].as_slice().into());
    browser.key("Escape");
    browser.key("Escape");
    is(&mut browser, rows, all.as_slice().into());
    browser.click("[data-only=bug]");
    is(&mut browser, rows, ["tests::counts"].as_slice().into());
    browser.click("[data-only=bug]");
    browser.click("#harnesses th:nth-child(4) button");
    let by_paths = ["tests::counts", "tests::knows", "tests::passes"];
    is(&mut browser, rows, by_paths.as_slice().into());
    browser.click("#harnesses th:nth-child(4) button");
    let by_paths = ["tests::passes", "tests::knows", "tests::counts"];
    is(&mut browser, rows, by_paths.as_slice().into());
    browser.click("#harnesses th:first-child button");

    // A harness by keys, and its tree.
    browser.keys("jj");
    browser.key("Enter");
    is(&mut browser, shown, "harness/tests::knows".into());
    browser.keys("k");
    is(&mut browser, shown, "harness/tests::counts".into());
    let leaves =
        "document.querySelectorAll('section:not([hidden]) svg.map rect:not(.fork)').length";
    assert!(
        browser.eval(leaves).as_u64() > Some(256),
        "{}",
        browser.eval(leaves)
    );
    let open = "document.querySelectorAll('section:not([hidden]) [role=treeitem][aria-expanded=true]').length";
    let before = browser.eval(open).as_u64();
    browser.click("section:not([hidden]) [role=treeitem][aria-expanded=false] > .row .twist");
    assert!(browser.eval(open).as_u64() > before);
    browser.click("section:not([hidden]) .tree .row");
    let focus = "[...document.querySelectorAll('section:not([hidden]) [role=treeitem]')].filter(item => item.offsetParent).indexOf(document.activeElement)";
    is(&mut browser, focus, 0.into());
    browser.key("ArrowDown");
    is(&mut browser, focus, 1.into());
    browser.key("Home");
    is(&mut browser, focus, 0.into());
    // A part of the map leads to its node.
    browser.eval("document.querySelector('section:not([hidden]) svg.map rect[data-end=found]').dispatchEvent(new MouseEvent('click'))");
    let text = "document.activeElement.querySelector('.row').textContent";
    let found = browser.eval(text);
    assert!(
        found.as_str().is_some_and(|text| text.contains("finding")),
        "{found}"
    );

    // The finding, with its source one click away.
    let finding = "document.querySelector('section:not([hidden]) article.finding').textContent";
    let finding = browser.eval(finding);
    let finding = finding.as_str().expect("a text");
    for text in [
        "word: u32",
        "2730",
        "</script><img",
        "confirmed natively",
        "#[test]",
        "cargo test -p",
    ] {
        assert!(finding.contains(text), "{text} in {finding}");
    }
    browser.click("section:not([hidden]) figcaption a");
    is(&mut browser, shown, "file".into());
    let line = "document.querySelector('#file tr.target pre').textContent.trim().slice(0, 7)";
    is(&mut browser, line, "assert!".into());
    browser.key("Escape");
    is(&mut browser, shown, "overview".into());

    // Other parts, and the theme.
    for (key, part) in [("2", "coverage"), ("3", "time"), ("4", "memory")] {
        browser.keys(key);
        is(&mut browser, shown, part.into());
    }
    let numbers = "document.querySelectorAll('#memory td').length > 8";
    is(&mut browser, numbers, true.into());
    let back = "getComputedStyle(document.body).backgroundColor";
    let light = browser.eval(back);
    browser.keys("t");
    assert_ne!(browser.eval(back), light);
    browser.keys("?");
    is(
        &mut browser,
        "document.querySelector('#keys').open",
        true.into(),
    );
    browser.key("Escape");

    // Nothing was taken over, nothing failed, and a telephone needs no sideways scrolling.
    let title = browser.eval("document.title");
    assert!(
        title
            .as_str()
            .is_some_and(|title| title.contains("cargo symex")),
        "{title}"
    );
    for (width, dark) in [(380, false), (380, true), (1200, true)] {
        browser.window(width, 800, dark);
        for part in [
            "",
            "harness/tests::counts",
            "harness/tests::knows",
            "coverage",
            "time",
            "file/src/lib.rs",
        ] {
            browser.open(&file, part);
            let wide = browser.eval("document.documentElement.scrollWidth - innerWidth");
            assert!(
                wide.as_i64() <= Some(0),
                "{part} is {wide} too wide at {width}"
            );
        }
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Makes a report with many harnesses of one with a few, each under many names.
fn many(report: &str, count: usize) -> String {
    let lines: Vec<Value> = report
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let (first, last) = (&lines[0], &lines[lines.len() - 1]);
    let names: Vec<&str> = first["harnesses"]
        .as_array()
        .expect("names")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mut all = Vec::new();
    let mut harnesses = Vec::new();
    for number in 0..count {
        let name = names[number % names.len()];
        let new = format!("module_{:02}::{name}_{number:03}", number / 20);
        let of = lines.iter().filter(|line| line["harness"] == name);
        harnesses.push(new.clone());
        all.extend(of.cloned().map(|mut line| {
            line["harness"] = new.clone().into();
            line
        }));
    }
    let mut first = first.clone();
    first["harnesses"] = harnesses.into();
    let lines = std::iter::once(&first).chain(&all).chain([last]);
    lines.map(|line| format!("{line}\n")).collect()
}

fn is_large(program: &Path) {
    let tree = page("page_of_500_harnesses");
    let report = tree.symex(&["report", "--format", "json"]).code(0).stdout;
    tree.write("many.json", &many(&report, 500));
    tree.symex(&[
        "report",
        "--run",
        "many.json",
        "--html",
        "many",
        "-o",
        "text",
    ])
    .code(0);
    let mut browser = Browser::start(program);
    let file = tree.path().join("many/index.html");
    browser.open(&file, "");
    let rows = browser.eval("document.querySelectorAll('#harnesses tbody tr').length");
    assert_eq!(rows, 500);
    let times = "(() => { const [it] = performance.getEntriesByType('navigation'); return [it.domContentLoadedEventEnd, it.loadEventEnd, performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0]; })()";
    let times = browser.eval(times);
    let bytes = std::fs::metadata(&file).expect("a file").len();
    println!("500 harnesses: {bytes} bytes; DOM, load and first paint after {times} ms");
    // A second here; the machine may be busy.
    assert!(times[0].as_f64() < Some(5000.0), "{times}");
    browser.keys("/");
    browser.keys("module_07 knows");
    let shown = browser.eval("document.querySelector('#shown').textContent");
    assert_eq!(shown, "6 of 500");
    browser.key("Enter");
    browser.key("Enter");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
