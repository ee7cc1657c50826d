//! Tests of the action for GitHub and of the workflow that uses it: they are YAML, their scripts are
//! shell, they name options and inputs that exist.

use crate::support::{TMPDIR, finish, workspace};
use cargo_symex::cli::args::{CommandLine, without_cargo_prefix};
use clap::Parser;
use saphyr::{LoadableYamlNode, Yaml};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const ACTION: &str = ".github/actions/symex/action.yml";
const WORKFLOW: &str = "examples/first-harness/.github/workflows/symex.yml";

fn text(file: &str) -> String {
    let file = workspace().join(file);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Returns the only document of a text.
fn yaml(text: &str) -> Yaml<'_> {
    let mut documents = Yaml::load_from_str(text).expect("YAML");
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

/// Returns all steps, wherever they are.
fn steps<'a, 'b>(node: &'a Yaml<'b>, into: &mut Vec<&'a Yaml<'b>>) {
    if let Some(mapping) = node.as_mapping() {
        for (key, value) in mapping {
            match value.as_sequence() {
                Some(all) if key.as_str() == Some("steps") => into.extend(all),
                _ => steps(value, into),
            }
        }
    }
}

/// Returns the text of a script as the runner has it, with a word for each expression.
fn without_expressions(script: &str) -> String {
    let mut text = String::new();
    let mut rest = script;
    while let Some((before, after)) = rest.split_once("${{") {
        text.push_str(before);
        text.push('1');
        rest = after.split_once("}}").expect("an expression ends").1;
    }
    text + rest
}

/// Returns the arguments of each call of `cargo symex` in a script.
fn calls(script: &str) -> Vec<Vec<String>> {
    let script = without_expressions(script).replace("\\\n", " ");
    let lines = script.lines().map(str::trim);
    let calls = lines.filter(|line| line.starts_with("cargo symex"));
    calls
        .map(|line| {
            let line = line.split("||").next().unwrap_or_default();
            let line = line.replace("$ARGUMENTS", "");
            let mut words = line.split_whitespace().map(str::to_owned);
            assert_eq!(words.next().as_deref(), Some("cargo"));
            std::iter::once("cargo-symex".to_owned())
                .chain(words)
                .collect()
        })
        .collect()
}

/// Fails if the command does not take these arguments.
#[track_caller]
fn check(words: &[String]) {
    let words = words.iter().map(Into::into);
    if let Err(error) = CommandLine::try_parse_from(without_cargo_prefix(words)) {
        panic!("{error}");
    }
}

#[test]
fn scripts_are_shell_and_call_the_command_as_it_is() {
    let mut called = BTreeSet::new();
    for file in [ACTION, WORKFLOW] {
        let text = text(file);
        let yaml = yaml(&text);
        let mut all = Vec::new();
        steps(&yaml, &mut all);
        assert!(all.len() > 4, "{file}: {}", all.len());
        for step in all {
            let Some(script) = step.as_mapping_get("run").and_then(|run| run.as_str()) else {
                let uses = step.as_mapping_get("uses").and_then(|uses| uses.as_str());
                assert!(uses.is_some(), "{file}: {step:?}");
                continue;
            };
            let path = Path::new(TMPDIR).join("workflow-step.sh");
            std::fs::write(&path, without_expressions(script)).unwrap();
            let mut bash = Command::new("bash");
            bash.arg("-n").arg(&path);
            finish(bash).code(0);
            for words in calls(script) {
                check(&words);
                called.insert(words[2].clone());
            }
        }
    }
    let expected = ["--junit", "merge-reports", "report"].map(str::to_owned);
    assert_eq!(called, BTreeSet::from(expected));
}

#[test]
fn the_workflow_gives_the_action_inputs_that_it_has() {
    let (action, workflow) = (text(ACTION), text(WORKFLOW));
    let (action, workflow) = (yaml(&action), yaml(&workflow));
    let inputs = action.as_mapping_get("inputs").expect("inputs");
    let inputs = inputs.as_mapping().expect("a mapping");
    let inputs: BTreeSet<&str> = inputs
        .iter()
        .filter_map(|(name, _)| name.as_str())
        .collect();
    let mut all = Vec::new();
    steps(&workflow, &mut all);
    let uses = |step: &&Yaml| {
        let uses = step.as_mapping_get("uses").and_then(|uses| uses.as_str());
        let folder = ACTION.trim_end_matches("/action.yml");
        uses.is_some_and(|uses| uses.ends_with(folder))
    };
    let mut explored = 0;
    for step in all.into_iter().filter(uses) {
        let with = step.as_mapping_get("with").expect("inputs");
        for (name, value) in with.as_mapping().expect("a mapping") {
            let name = name.as_str().expect("a name");
            assert!(inputs.contains(name), "{name}");
            if name == "arguments" {
                let value = without_expressions(value.as_str().expect("arguments"));
                let words = value.split_whitespace().map(str::to_owned);
                let command = ["cargo-symex", "symex"].map(str::to_owned);
                check(&command.into_iter().chain(words).collect::<Vec<_>>());
                explored += 1;
            }
        }
    }
    assert_eq!(explored, 1);
    // What the action reads of its inputs is there.
    let text = text(ACTION);
    for (at, _) in text.match_indices("inputs.") {
        let name = text[at + "inputs.".len()..].split(|c: char| !(c.is_alphanumeric() || c == '-'));
        let name = name.into_iter().next().unwrap_or_default();
        assert!(inputs.contains(name), "{name}");
    }
}
