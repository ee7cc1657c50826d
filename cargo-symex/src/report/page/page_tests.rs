use super::*;
use crate::report::example::example_run;

fn page(run: &RecordedRun) -> String {
    text(run, &History::default(), Path::new("/repo/parts"))
}

#[test]
fn a_page_has_all_harnesses_and_findings() {
    let run = example_run();
    let page = page(&run);
    for report in &run.reports {
        let name = &report.harness.name;
        assert!(page.contains(&format!("id=\"harness/{name}\"")), "{name}");
        assert!(
            page.contains(&format!("href=\"#harness/{name}\"")),
            "{name}"
        );
    }
    for text in [
        "index out of bounds: the len is 2 but the index is 9",
        "confirmed natively",
        "not reproduced natively",
        "<code>9</code>",
        "cargo test -p parser parses_0123ab",
        "allocated",
        "There is no earlier run to compare with.",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(
        page,
        text(&run, &History::default(), Path::new("/repo/parts"))
    );
}

#[test]
fn nothing_of_the_program_under_test_becomes_markup() {
    let evil = "</script><img src=x onerror=alert(1)>\"'&";
    let mut run = example_run();
    for report in &mut run.reports {
        report.harness.name.push_str(evil);
        for detail in &mut report.findings {
            detail.finding.message = evil.into();
            detail.finding.output = evil.into();
            detail.finding.assumptions = vec![evil.into()];
            if let Some(inputs) = &mut detail.inputs {
                inputs.args[0].source = evil.into();
                inputs.args[0].type_name = evil.into();
            }
        }
    }
    run.harnesses
        .iter_mut()
        .for_each(|harness| harness.name.push_str(evil));
    let page = page(&run);
    assert!(!page.contains("<img"));
    // One script each for the data and the code, and nothing that ends one early.
    let scripts = page.matches("<script").count();
    assert_eq!(page.matches("</script").count(), scripts);
    assert!(page.contains("\\u003c/script>"));
}

#[test]
fn the_policy_allows_the_script_of_the_page_alone() {
    let page = page(&example_run());
    let script = page.rsplit_once("<script>").unwrap().1;
    let script = script.split_once("</script>").unwrap().0;
    assert!(page.contains(&format!("script-src '{}'", hash(script))));
    let style = page.split_once("<style>").unwrap().1;
    let style = style.split_once("</style>").unwrap().0;
    assert!(page.contains(&hash(style)));
    // The name of a language is an address, too.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for forbidden in ["http://", "https://", "@import", "url("] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert!(
        !page.contains(" style="),
        "the policy allows no styles of elements"
    );
}

#[test]
fn harnesses_with_the_same_name_have_parts_of_their_own() {
    let mut taken = BTreeSet::new();
    assert_eq!(unique("a::b", &mut taken), "harness/a::b");
    assert_eq!(unique("a::b", &mut taken), "harness/a::b~2");
    assert_eq!(unique("with space", &mut taken), "harness/with_space");
}

#[test]
fn numbers_are_grouped() {
    for (number, text) in [
        (0, "0"),
        (999, "999"),
        (1000, "1,000"),
        (1_234_567, "1,234,567"),
    ] {
        assert_eq!(grouped(number), text);
    }
}

#[test]
fn the_statistics_of_memory_are_among_all() {
    let data = statistics(&example_run());
    let memory = data["memory"].as_array().unwrap();
    assert_eq!(memory.len(), effort::OF_MEMORY.len());
    let labels = data["labels"].as_array().unwrap();
    let values = data["values"].as_array().unwrap();
    assert!(
        values
            .iter()
            .all(|values| values.as_array().unwrap().len() == labels.len())
    );
}
