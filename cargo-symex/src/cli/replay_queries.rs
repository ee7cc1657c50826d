//! `cargo symex replay-queries`: asks recorded queries again, and reports how the stages of the
//! solver answer them.

use super::args::ReplayQueriesArgs;
use crate::pipeline::error::CommandError;
use crate::pipeline::exit_code::ExitCode;
use crate::report::output;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use symex_solver::SolverStats;
use symex_solver::log_replay::{ContradictoryAnswers, LogReplay, Other, Replayed};
use symex_types::config::SolverConfig;

/// Runs `cargo symex replay-queries`.
pub fn replay(args: &ReplayQueriesArgs) -> Result<ExitCode, CommandError> {
    let mut all = SolverStats::default();
    let mut code = ExitCode::Pass;
    for file in &args.files {
        let name = file.display();
        let text = std::fs::read_to_string(file)
            .map_err(|error| CommandError::usage(format!("failed to read {name}: {error}")))?;
        let stem = file.file_stem().unwrap_or_default();
        let replay = LogReplay {
            config: SolverConfig {
                query_log: new_log(args, file)?,
                smtlib_log: args.smtlib_log.as_ref().map(|folder| folder.join(stem)),
                without_stages: args.without.clone(),
                ..SolverConfig::default()
            },
            bare: args.bare,
            cross_check: args.cross_check,
            limit: args.query_timeout,
            slowest: args.slowest,
            ..LogReplay::default()
        };
        let done = replay
            .run(&text)
            .map_err(|error| CommandError::usage(format!("failed to replay {name}: {error}")))?;
        output::line(&format!("{name}: {}", summary(&done)));
        for slow in &done.slowest {
            let ((constraints, variables), time) = (slow.size, millis(slow.time));
            output::line(&format!(
                "  line {}: {}, {}, {time} ms, {constraints} constraints, {variables} variables: {}",
                slow.line,
                slow.purpose.word(),
                slow.got.word(),
                slow.goal
            ));
        }
        for contradiction in &done.contradictions {
            output::line(&format!("  {}", told(contradiction)));
        }
        code = code.and(match done.lost {
            _ if !done.contradictions.is_empty() => ExitCode::Bug,
            0 => ExitCode::Pass,
            _ => ExitCode::Inconclusive,
        });
        all.add(&done.stats);
    }
    output::line(&format!("\n{}", table(&all)));
    Ok(code)
}

/// Returns the path of the new log of a file, which must not be the file itself.
fn new_log(args: &ReplayQueriesArgs, file: &Path) -> Result<Option<PathBuf>, CommandError> {
    let Some(folder) = &args.query_log else {
        return Ok(None);
    };
    let log = folder.join(file.file_name().unwrap_or_default());
    std::fs::create_dir_all(folder).map_err(|error| CommandError::unwritable(folder, error))?;
    let is_it = |log: &Path| log.canonicalize().ok() == file.canonicalize().ok();
    if log.exists() && is_it(&log) {
        return Err(CommandError::usage(format!(
            "failed to replay {}: its new log would replace it",
            file.display()
        )));
    }
    Ok(Some(log))
}

fn summary(done: &Replayed) -> String {
    let stats = &done.stats;
    let mut text = format!(
        "{} queries: {} sat, {} unsat, {} unknown; {} reached Z3",
        stats.total(),
        stats.sat,
        stats.unsat,
        stats.unknown,
        stats.reached_solver()
    );
    for (count, what) in [
        (done.lost, "had an answer before"),
        (done.gained, "had none before"),
    ] {
        if count > 0 {
            let _ = write!(text, "; {count} {what}");
        }
    }
    text
}

fn told(contradiction: &ContradictoryAnswers) -> String {
    let ContradictoryAnswers {
        line,
        purpose,
        got,
        by,
        other,
    } = contradiction;
    let against = match other {
        Other::Logged(said) => format!("the log says {}", said.word()),
        Other::Fresh(said) => format!("a new Z3 says {}", said.word()),
        Other::Query => "the query is false under its assignment".to_owned(),
    };
    format!(
        "contradiction at line {line}: {} for {}, by {by}, but {against}",
        got.word(),
        purpose.word()
    )
}

fn millis(time: std::time::Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

/// Formats the table of stages and purposes.
fn table(stats: &SolverStats) -> String {
    let total = stats.total();
    let share = |count: u64| format!("{:.1} %", count as f64 * 100.0 / total.max(1) as f64);
    let mut text = format!(
        "{:<18}{:>10}{:>9}{:>11}{:>10}{:>13}\n",
        "stage", "answered", "", "rewritten", "asked Z3", "ms"
    );
    let z3 = &stats.back_end;
    let answered = z3.sat + z3.unsat;
    let stages = stats.stages.iter();
    let rows = stages.map(|s| (s.name, s.answered, s.rewritten, s.asked_solver, s.time));
    let last = ("z3", answered, 0, z3.queries, z3.time);
    for (name, answered, rewritten, asked, time) in rows.chain([last]) {
        let _ = writeln!(
            text,
            "{name:<18}{answered:>10}{:>9}{rewritten:>11}{asked:>10}{:>13}",
            share(answered),
            millis(time)
        );
    }
    let _ = writeln!(
        text,
        "{:<18}{total:>10}{:>20}{:>10}{:>13}\n",
        "all",
        "",
        stats.reached_solver(),
        millis(stats.time)
    );
    let _ = writeln!(
        text,
        "{:<18}{:>10}{:>9}{:>11}",
        "purpose", "queries", "", "reach Z3"
    );
    for (purpose, count) in &stats.queries {
        let reached = stats.reached.get(purpose).copied().unwrap_or(0);
        let _ = writeln!(
            text,
            "{:<18}{count:>10}{:>9}{reached:>11}",
            purpose.word(),
            share(*count)
        );
    }
    text
}
