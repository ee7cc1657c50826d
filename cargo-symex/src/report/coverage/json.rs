//! Coverage as a JSON object, of the form that `docs/coverage.schema.json` describes.

use super::{Count, Coverage, FileTally, State, Totals, shown};
use crate::report::recorded::RecordedRun;
use serde_json::{Value, json};
use symex_types::outcome::Verdict;

/// Version of the form.
const SCHEMA: u32 = 1;

/// Returns the text of the coverage of a run, which all its harnesses have together.
pub fn text(run: &RecordedRun, coverage: &Coverage) -> String {
    let files = coverage.files.iter().map(|(path, file)| {
        let mut value = lines(file);
        value["path"] = json!(shown(run, path));
        value["regions"] = regions(file);
        value["functions"] = functions(file);
        value["branches"] = branches(file);
        value["totals"] = totals(&file.totals());
        value
    });
    let harnesses = run.reports.iter().map(|report| {
        let coverage = Coverage::of([report]);
        let files = coverage.files.iter().map(|(path, file)| {
            let mut value = lines(file);
            value["path"] = json!(shown(run, path));
            value
        });
        json!({
            "harness": report.harness.name,
            "known": report.coverage.is_some(),
            "complete": report.verdict == Verdict::PassComplete,
            "totals": totals(&coverage.totals()),
            "files": files.collect::<Vec<Value>>(),
        })
    });
    let value = json!({
        "type": "symex-coverage",
        "schema": SCHEMA,
        "version": run.version,
        "root": run.facts.root(),
        "totals": totals(&coverage.totals()),
        "files": files.collect::<Vec<Value>>(),
        "harnesses": harnesses.collect::<Vec<Value>>(),
    });
    format!("{value}\n")
}

fn word(state: State) -> &'static str {
    match state {
        State::Covered => "covered",
        State::Unreachable => "unreachable",
        State::Missed => "missed",
    }
}

/// Returns the lines of a file by their states.
fn lines(file: &FileTally) -> Value {
    let of = |wanted: State| {
        let lines = file.lines.iter();
        let lines = lines.filter(|(_, tally)| tally.line.state() == wanted);
        lines.map(|(line, _)| *line).collect::<Vec<u32>>()
    };
    json!({
        "covered": of(State::Covered),
        "unreachable": of(State::Unreachable),
        "missed": of(State::Missed),
    })
}

fn regions(file: &FileTally) -> Value {
    let regions = file.lines.iter().flat_map(|(line, tally)| {
        let places = tally.places.iter();
        places.map(|(column, place)| {
            json!({"line": *line, "column": column, "state": word(place.state())})
        })
    });
    regions.collect()
}

fn functions(file: &FileTally) -> Value {
    let functions = file.functions.iter();
    functions
        .map(|((line, name), tally)| {
            json!({"name": name, "line": line, "state": word(tally.state())})
        })
        .collect()
}

fn branches(file: &FileTally) -> Value {
    let branches = file.branches.iter();
    branches
        .map(|((line, column, _), arms)| {
            let arms = arms.iter().map(|arm| word(arm.state()));
            json!({"line": line, "column": column, "arms": arms.collect::<Vec<_>>()})
        })
        .collect()
}

fn totals(totals: &Totals) -> Value {
    let count = |count: Count| {
        json!({
            "covered": count.covered,
            "unreachable": count.unreachable,
            "missed": count.missed,
        })
    };
    json!({
        "lines": count(totals.lines),
        "regions": count(totals.regions),
        "functions": count(totals.functions),
        "branches": count(totals.branches),
    })
}
