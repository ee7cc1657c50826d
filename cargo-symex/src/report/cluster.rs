//! The state of a cluster: its workers, and its runs.

use serde_json::{Value, json};
use symex_cluster::exchange::{Overview, RunInfo, RunState};

/// Returns the state of a cluster as JSON.
pub fn json(overview: &Overview) -> Value {
    let runs = overview.runs.iter().map(|(run, info, state)| {
        json!({
            "run": run.0,
            "harness": info.harness,
            "coordinator": info.by,
            "tool": info.tool,
            "paths": state.paths,
            "findings": state.findings,
            "regions_open": state.open,
            "regions_closed": state.closed,
            "seconds": state.seconds,
            "estimated_paths": state.estimate,
        })
    });
    let workers = overview.workers.iter().map(|worker| {
        json!({
            "worker": worker.name,
            "tool": worker.tool,
            "threads": worker.threads,
            "regions": worker.regions,
            "harness": worker.harness,
        })
    });
    json!({ "runs": runs.collect::<Vec<_>>(), "workers": workers.collect::<Vec<_>>() })
}

/// Returns the state of a cluster for people.
pub fn table(overview: &Overview) -> String {
    let mut lines = Vec::new();
    let (runs, workers) = (&overview.runs, &overview.workers);
    lines.push(match workers.len() {
        0 => "no workers".to_owned(),
        1 => "1 worker".to_owned(),
        count => format!("{count} workers"),
    });
    for worker in workers {
        let harness = worker.harness.as_deref().unwrap_or("nothing yet");
        lines.push(format!(
            "  {} ({} threads): {} regions explored, last of {harness}; {}",
            worker.name, worker.threads, worker.regions, worker.tool
        ));
    }
    lines.push(match runs.len() {
        0 => "no runs".to_owned(),
        1 => "1 run".to_owned(),
        count => format!("{count} runs"),
    });
    lines.extend(runs.iter().map(|(_, info, state)| run(info, state)));
    lines.join("\n")
}

fn run(info: &RunInfo, state: &RunState) -> String {
    let share = match state.estimate {
        all if all > state.paths as f64 => {
            format!(
                " of about {all:.0}, {:.0} %",
                100.0 * state.paths as f64 / all
            )
        }
        _ => String::new(),
    };
    let findings = match state.findings {
        0 => "no bug".to_owned(),
        1 => "1 bug".to_owned(),
        count => format!("{count} bugs"),
    };
    format!(
        "  {} of {}: {} paths{share}; {findings}; regions: {} open, {} explored; {:.0} s; {}",
        info.harness, info.by, state.paths, state.open, state.closed, state.seconds, info.tool
    )
}
