//! The path that given inputs take, as text and as JSON.

use super::verdict::{bound_text, unsupported_text};
use crate::confirm::kind_name;
use crate::source::place::Places;
use crate::source::trace;
use serde_json::{Value, json};
use symex_engine::{FollowedEnd, FollowedPath};
use symex_types::outcome::Finding;

/// Returns the lines that show a path to people: what it decides, and how it ends.
pub fn lines(harness: &str, path: &FollowedPath, places: &Places) -> Vec<String> {
    let count = |number: u64, what: &str| match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    };
    let decisions = path.choices.len() as u64 + path.more;
    let mut lines = vec![format!(
        "{harness}: {} on the inputs, {}",
        count(decisions, "decision"),
        count(path.instructions, "instruction")
    )];
    let at: Vec<String> = path
        .choices
        .iter()
        .map(|choice| match &choice.at {
            Some(at) => places.show(at),
            None => "an unknown place".to_owned(),
        })
        .collect();
    let width = at.iter().map(|at| at.chars().count()).max().unwrap_or(0);
    let digits = path.choices.len().to_string().len();
    for (number, (choice, at)) in path.choices.iter().zip(&at).enumerate() {
        let number = number + 1;
        lines.push(format!(
            "{number:>digits$}  {at:width$}  {}",
            choice.condition
        ));
    }
    if path.more > 0 {
        lines.push(format!("… {} more", count(path.more, "decision")));
    }
    if !path.output.is_empty() {
        lines.push("output:".to_owned());
        let output = String::from_utf8_lossy(&path.output);
        lines.extend(output.lines().map(|line| format!("    {line}")));
    }
    if path.end != FollowedEnd::Found {
        lines.push(format!("end: {}", end_text(&path.end)));
    }
    for finding in &path.findings {
        lines.push(format!("end: {}", finding_text(finding, places)));
        let calls = trace::lines(&finding.trace, places);
        lines.extend(calls.iter().map(|call| format!("    {call}")));
    }
    lines
}

/// Returns a path as JSON.
pub fn json(harness: &str, path: &FollowedPath) -> Value {
    let decisions: Vec<Value> = path
        .choices
        .iter()
        .map(|choice| {
            json!({
                "at": choice.at,
                "kind": choice.kind,
                "condition": choice.condition,
                "instructions": choice.instructions,
            })
        })
        .collect();
    json!({
        "type": "path",
        "harness": harness,
        "decisions": decisions,
        "more_decisions": path.more,
        "instructions": path.instructions,
        "end": end_name(&path.end),
        "end_text": end_text(&path.end),
        "findings": path.findings,
        "output": path.output,
    })
}

fn end_name(end: &FollowedEnd) -> &'static str {
    match end {
        FollowedEnd::Returned => "returned",
        FollowedEnd::Exited(_) => "exited",
        FollowedEnd::Assumed => "rejected",
        FollowedEnd::Panicked => "panicked",
        FollowedEnd::Found => "finding",
        FollowedEnd::Unsupported(_) => "unsupported",
        FollowedEnd::Bounded(_) => "bounded",
    }
}

fn end_text(end: &FollowedEnd) -> String {
    match end {
        FollowedEnd::Returned => "the harness returned".to_owned(),
        FollowedEnd::Exited(status) => format!("the program exited with status {status}"),
        FollowedEnd::Assumed => "an assumption does not hold".to_owned(),
        FollowedEnd::Panicked => "a panic, as expected".to_owned(),
        FollowedEnd::Found => "a finding".to_owned(),
        FollowedEnd::Unsupported(what) => unsupported_text(what),
        FollowedEnd::Bounded(bound) => bound_text(bound),
    }
}

fn finding_text(finding: &Finding, places: &Places) -> String {
    let at = finding.at.as_ref().map_or(String::new(), |at| {
        let at = places.show(at);
        format!(" at {at}")
    });
    let kind = kind_name(finding.kind);
    format!("{kind}: {}{at}", finding.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_engine::Choice;
    use symex_types::outcome::SourceLoc;
    use symex_types::outcome::decision_tree::ForkKind;

    fn path() -> FollowedPath {
        let choice = |line, condition: &str| Choice {
            instructions: 7,
            at: Some(SourceLoc::new("src/lib.rs", line, 5)),
            kind: ForkKind::Branch,
            condition: condition.to_owned(),
        };
        FollowedPath {
            choices: vec![choice(9, "x < 7"), choice(10, "x != 3")],
            more: 1,
            instructions: 40,
            end: FollowedEnd::Returned,
            findings: Vec::new(),
            output: b"one\ntwo\n".to_vec(),
        }
    }

    #[test]
    fn a_path_is_shown() {
        let shown = lines("t::h", &path(), &Places::default());
        let expected = [
            "t::h: 3 decisions on the inputs, 40 instructions",
            "1  src/lib.rs:9:5   x < 7",
            "2  src/lib.rs:10:5  x != 3",
            "… 1 decision more",
            "output:",
            "    one",
            "    two",
            "end: the harness returned",
        ];
        assert_eq!(shown, expected);
        let json = json("t::h", &path());
        assert_eq!(json["decisions"][1]["at"]["line"], 10);
        assert_eq!(json["end"], "returned");
    }
}
