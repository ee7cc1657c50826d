//! [RAM, tables 2 to 5 and 7]: chained hash tables in which a key is sought that is an input, and one large table in parts.

use crate::Asked;
use crate::grid::{Column, Grid, Row, work};
use crate::lookups::{in_parts, lookup};
use crate::measure::{Run, Source, name};
use crate::table::{Caption, bytes};
use symex_types::config::{Config, MemoryConfig, MemoryModelKind, SearchKind};

/// Hash tables: how many, of how many buckets and keys; decisions on other inputs; keys that are
/// inserted and sought; calls around the allocator.
#[derive(Clone, Copy)]
struct Tables {
    tables: u32,
    buckets: u32,
    keys: u32,
    ways: u32,
    inserts: u32,
    lookups: u32,
    wrappers: u32,
}

impl Tables {
    fn source(self) -> Source {
        Source::new(
            "tables",
            &[
                ("TABLES", self.tables),
                ("BUCKETS", self.buckets),
                ("KEYS", self.keys),
                ("WAYS", self.ways),
                ("INSERTS", self.inserts),
                ("LOOKUPS", self.lookups),
                ("WRAPPERS", self.wrappers),
            ],
        )
    }
}

/// From one small table to ten large ones, that are only read, or modified, too.
fn family() -> [Tables; 9] {
    [
        (1, 50, 5, 0, 1),
        (3, 300, 5, 0, 1),
        (10, 500, 5, 0, 1),
        (3, 50, 20, 0, 2),
        (10, 500, 20, 0, 2),
        (1, 50, 5, 1, 1),
        (3, 300, 5, 1, 1),
        (10, 500, 5, 1, 1),
        (3, 50, 5, 1, 2),
    ]
    .map(|(tables, buckets, keys, inserts, lookups)| Tables {
        tables,
        buckets,
        keys,
        ways: 0,
        inserts,
        lookups,
        wrappers: 0,
    })
}

fn rows<T: Into<Row>>(sources: impl IntoIterator<Item = T>) -> Vec<Row> {
    sources.into_iter().map(T::into).collect()
}

impl From<Tables> for Row {
    fn from(tables: Tables) -> Row {
        tables.source().into()
    }
}

fn caption(title: &str, varies: &str, paper: &'static str) -> Caption {
    Caption {
        title: title.to_owned(),
        varies: varies.to_owned(),
        paper,
    }
}

/// Objects of a look-up are moved together; segments end at `segment_threshold` bytes.
fn threshold(model: MemoryModelKind, segment_threshold: u64) -> Column {
    let memory = MemoryConfig {
        model,
        segment_threshold,
        ..MemoryConfig::default()
    };
    Column::memory(
        format!("{}, {}", name(model), bytes(segment_threshold)),
        memory,
    )
}

fn with_contexts(depth: Option<u32>, name: &str) -> Column {
    let memory = MemoryConfig {
        model: MemoryModelKind::Dynamic,
        context_depth: depth,
        ..MemoryConfig::default()
    };
    Column::memory(name, memory)
}

/// Sizes of segments.
pub fn table_2(asked: &Asked) {
    fn cell(run: &Run) -> String {
        let memory = &run.outcome.stats.memory;
        let size = bytes(memory.largest_segment);
        format!("{size}, {}, {}", memory.most_members, run.told())
    }
    use MemoryModelKind::{Adaptive, Dynamic, Segmented};
    let sizes = [1 << 10, 10 << 10, 1 << 20];
    let of = |model| sizes.map(|size| threshold(model, size));
    let grid = Grid {
        caption: caption(
            "[RAM, table 2]: the largest segment",
            "Varies: hash tables, their buckets and keys, keys that are inserted and sought; bytes at which a segment is full (the default is 10 KiB). A cell: bytes \
             and members of the largest segment, processor time.",
            "dynamic segments are 63 to 97 % smaller than static ones.",
        ),
        rows: rows(family()),
        columns: [Segmented, Dynamic]
            .into_iter()
            .flat_map(of)
            .chain([Column::model(Adaptive)])
            .collect(),
        grows: false,
        cell,
    };
    grid.print(asked);
}

/// Time and memory.
pub fn table_3(asked: &Asked) {
    fn cell(run: &Run) -> String {
        let stats = &run.outcome.stats;
        let memory = bytes(stats.memory.state_bytes);
        format!("{}, {}, {memory}", run.told(), stats.paths)
    }
    use MemoryModelKind::{Adaptive, Dynamic, Forking, Merging, Segmented};
    let searched = |tables: Tables| {
        let source = tables.source();
        [SearchKind::Dfs, SearchKind::Bfs, SearchKind::Interleaved].map(|search| Row {
            source: source.clone(),
            search: Some(search),
        })
    };
    let grid = Grid {
        caption: caption(
            "[RAM, table 3]: time and memory by memory model and order of search",
            "Varies: hash tables, their buckets and keys, keys that are inserted and sought, order of search. A cell: processor time, paths, memory of all states at its \
             peak.",
            "dynamic segments are 2.2, 6.3 and over 14 times as fast as static ones, and in one program 0.43 times; forking is slower \
             than them in two of four programs and fastest in one.",
        ),
        rows: family().into_iter().flat_map(searched).collect(),
        columns: [Forking, Merging, Segmented, Dynamic, Adaptive]
            .map(Column::model)
            .into(),
        grows: false,
        cell,
    };
    grid.print(asked);
}

/// Resolution by contexts.
pub fn table_4(asked: &Asked) {
    fn cell(run: &Run) -> String {
        let stats = &run.outcome.stats;
        let queries = stats.purposes.get("resolve").unwrap_or(&0);
        let memory = &stats.memory;
        let size = bytes(memory.largest_segment);
        let (all, members) = (stats.queries, memory.most_members);
        format!("{queries} of {all}, {size}, {members}, {}", run.told())
    }
    let mut columns = vec![with_contexts(None, "none")];
    columns.extend((0..=4).map(|k| with_contexts(Some(k), &format!("k = {k}"))));
    columns.push(with_contexts(Some(u32::MAX), "unlimited"));
    let sizes = [(3, 50), (3, 300), (10, 300)];
    let wrapped = |(tables, buckets)| {
        [0, 1, 2].map(|wrappers| Tables {
            tables,
            buckets,
            keys: 5,
            ways: 0,
            inserts: 1,
            lookups: 1,
            wrappers,
        })
    };
    let grid = Grid {
        caption: caption(
            "[RAM, table 4]: queries of resolution under `dynamic`, by depth of contexts",
            "Varies: hash tables, their buckets, calls around the allocator; calls that make a context. A cell: queries to resolve \
             pointers, all queries, bytes and members of the largest segment, processor time.",
            "k = 4 asks 44, 71, 82 and 2 % less, more calls never ask more. (There, contexts are where candidates are sought; here the \
             term of a pointer names them without a query, and what contexts decide is which objects come along into a segment.)",
        ),
        rows: rows(sizes.into_iter().flat_map(wrapped)),
        columns,
        grows: false,
        cell,
    };
    grid.print(asked);
}

/// What each optimisation brings.
pub fn table_5(asked: &Asked) {
    fn cell(run: &Run) -> String {
        let mut stages = run.outcome.stats.stages.iter();
        let cache = stages.find(|stage| stage.name == "query cache");
        let remembered = cache.map_or(0, |stage| stage.answered);
        format!("{}, {remembered}", work(run))
    }
    let mode = |name: &str, depth, reused: bool| {
        let mut column = with_contexts(depth, name);
        column.config.memory.reuse_segments = reused;
        column
    };
    // Tables that are not modified, as in the two programs of the paper that reuse helps, and paths
    // that come to them apart.
    let unmodified = family().into_iter().filter(|tables| tables.inserts == 0);
    let independent = unmodified.map(|tables| Tables { ways: 3, ..tables });
    let plain = Config {
        memory: MemoryConfig::default(),
        ..Config::default()
    };
    let grid = Grid {
        caption: caption(
            "[RAM, table 5]: what contexts (k = 4) and segments that are used again bring under `dynamic`",
            "Varies: hash tables, their buckets and keys, decisions on other inputs before, keys that are inserted and sought; contexts; whether segments \
             with the same contents on several paths are one to the cache of answers. A cell: processor time, paths, queries, \
             those of them that the cache answered.",
            "contexts save 26, 13, 62 and 0 % of the time, reuse 85, 3, 8 and 17 %.",
        ),
        rows: rows(family().into_iter().chain(independent)),
        columns: vec![
            mode("none", None, false),
            mode("contexts", Some(4), false),
            mode("reuse", None, true),
            mode("both", Some(4), true),
            Column {
                name: name(plain.memory.model),
                config: plain,
            },
        ],
        grows: false,
        cell,
    };
    grid.print(asked);
}

const IN_PARTS: &str = "1 to 132 times as fast as whole; parts of 64 to 256 bytes are best, or 32 in two programs of six.";

/// One table in parts of several sizes, and as `adaptive` has it.
fn parts(
    title: &str,
    model: MemoryModelKind,
    rows: Vec<Row>,
    told: &str,
    cell: fn(&Run) -> String,
) -> Grid {
    Grid {
        caption: caption(
            &format!("[RAM, table 7]: {title} in parts under `{}`", name(model)),
            &format!(
                "Varies: bytes of the table; bytes of a part, and `adaptive` by default. A cell: processor time, paths, queries{told}."
            ),
            IN_PARTS,
        ),
        rows,
        columns: [
            in_parts(model, &[512, 256, 128, 64, 32]),
            vec![Column::model(MemoryModelKind::Adaptive)],
        ]
        .concat(),
        grows: true,
        cell,
    }
}

/// One large table in parts of several sizes, with a path per part and without; or all large
/// objects of whole programs.
pub fn table_7(asked: &Asked) {
    use MemoryModelKind::{Dynamic, Forking, Merging, Segmented};
    fn with_segments(run: &Run) -> String {
        let memory = &run.outcome.stats.memory;
        format!("{}, {}", work(run), bytes(memory.largest_segment))
    }
    if !asked.programs.is_empty() {
        for model in [Forking, Merging, Segmented, Dynamic] {
            // Whole programs have look-ups of their own, and come in no order.
            let grid = Grid {
                grows: false,
                ..parts(
                    "large objects",
                    model,
                    Vec::new(),
                    ", largest segment",
                    with_segments,
                )
            };
            grid.print(asked);
        }
        return;
    }
    for model in [Forking, Dynamic] {
        for (title, known, writes, lookups, within) in [
            ("a table, one look-up,", 1, 0, 1, 0),
            ("a table, three look-ups within 500 bytes,", 1, 0, 3, 500),
            ("a table, after a write, within 500 bytes,", 1, 1, 1, 500),
            ("a table that is partly inputs", 0, 0, 1, 0),
        ] {
            let row = |size| lookup(size, known, writes, lookups, 1, within);
            let sizes = [256, 1024, 4096, 16_384, 65_536, 524_288];
            parts(title, model, rows(sizes.map(row)), "", work).print(asked);
        }
    }
}
