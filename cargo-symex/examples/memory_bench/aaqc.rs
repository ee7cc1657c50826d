//! [AAQC, tables III and IV]: paths that do the same on objects placed otherwise, with and without the address-aware cache.

use crate::Asked;
use crate::grid::{Column, Grid, Row};
use crate::measure::{Run, Source, name};
use crate::table::Caption;
use symex_solver::Chain;
use symex_types::config::{Config, MemoryConfig, MemoryModelKind};

/// The stage that is measured.
const STAGE: &str = "address-aware cache";

/// What it is measured beside: a cache of queries after addresses were put in; with one of
/// assignments, as in the paper's executor; all that we have.
fn chains() -> [(&'static str, Vec<&'static str>); 3] {
    let caches = ["address", "query cache", "assignment cache"];
    [
        ("query cache", caches[..2].to_vec()),
        ("and assignments", caches.to_vec()),
        ("all stages", Chain::stage_names()),
    ]
}

/// A hash table that is asked whether two keys have a first node in common.
fn tables(apart: u32, buckets: u32, keys: u32, pairs: u32) -> Source {
    Source::new(
        "tables",
        &[
            ("APART", apart),
            ("TABLES", 1),
            ("BUCKETS", buckets),
            ("KEYS", keys),
            ("WAYS", 0),
            ("INSERTS", 0),
            ("LOOKUPS", 0),
            ("PAIRS", pairs),
            ("WRAPPERS", 0),
        ],
    )
}

/// A matrix of pointers that is asked whether two places hold the same.
fn matrix(apart: u32, n: u32, lookups: u32) -> Source {
    Source::new(
        "matrix",
        &[
            ("APART", apart),
            ("N", n),
            ("LOOKUPS", lookups),
            ("EXTRA", 0),
            ("POINTERS", 1),
        ],
    )
}

/// On few and on many paths.
fn family() -> Vec<Row> {
    let tables = [
        (2, 16, 5, 1),
        (4, 16, 5, 1),
        (6, 16, 5, 1),
        (4, 50, 20, 1),
        (3, 16, 5, 2),
    ]
    .map(|(apart, buckets, keys, pairs)| tables(apart, buckets, keys, pairs));
    let matrices = [(2, 4, 1), (4, 4, 1), (6, 4, 1), (4, 8, 1), (3, 4, 2)]
        .map(|(apart, n, lookups)| matrix(apart, n, lookups));
    tables.into_iter().chain(matrices).map(Row::from).collect()
}

/// Each chain without the cache and with it.
fn columns(model: MemoryModelKind) -> Vec<Column> {
    let mut columns = Vec::new();
    for (chain, stages) in chains() {
        for on in [false, true] {
            let mut config = Config {
                memory: MemoryConfig {
                    model,
                    ..MemoryConfig::default()
                },
                ..Config::default()
            };
            let off = |stage: &&str| match *stage {
                STAGE => !on,
                stage => !stages.contains(&stage),
            };
            let names = Chain::stage_names().into_iter();
            config.solver.without_stages = names.filter(off).map(str::to_owned).collect();
            let with = if on { "with" } else { "without" };
            columns.push(Column {
                name: format!("{chain}, {with}"),
                config,
            });
        }
    }
    columns
}

/// Prints a table for each memory model of the paper.
fn print(asked: &Asked, title: &str, cell: &str, paper: &'static str, told: fn(&Run) -> String) {
    for model in [MemoryModelKind::Forking, MemoryModelKind::Dynamic] {
        let grid = Grid {
            caption: Caption {
                title: format!("{title} under `{}`", name(model)),
                varies: format!(
                    "Varies: decisions before, after each of which the objects that follow lie elsewhere; size, keys, \
                     look-ups; stages of the solver without and with the address-aware cache. A cell: {cell}"
                ),
                paper,
            },
            rows: family(),
            columns: columns(model),
            grows: false,
            cell: told,
        };
        grid.print(asked);
    }
}

/// Queries that reach the solver.
pub fn table_3(asked: &Asked) {
    fn told(run: &Run) -> String {
        let stats = &run.outcome.stats;
        let row = stats.stages.iter().find(|stage| stage.name == STAGE);
        let answered = row.map_or(String::new(), |row| {
            format!(" ({}, {})", row.answered, row.satisfied)
        });
        format!(
            "{}{} of {}{answered}",
            run.mark, stats.solver_queries, stats.queries
        )
    }
    print(
        asked,
        "[AAQC, table III]: queries that reach the solver",
        "queries that reach Z3, all queries, in brackets those that the address-aware cache answers, and those of them with \
         an assignment.",
        "5.1 times fewer on average with forking (1.2 to 20.4), 4.5 times fewer with dynamic segments; assignments are not \
         cached. (There, addresses are in all that is read through a pointer. Here they are only where the program itself \
         compares pointers that it read, which is what these programs do; the rest is offsets, the same on all paths, with any cache.)",
        told,
    );
}

/// Time.
pub fn table_4(asked: &Asked) {
    print(
        asked,
        "[AAQC, table IV]: time",
        "processor time.",
        "2.8 times as fast on average with forking (1.1 to 9), 2.7 times with dynamic segments.",
        Run::told,
    );
}
