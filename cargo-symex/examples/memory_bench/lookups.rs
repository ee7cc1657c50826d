//! One table at indices that are inputs: by memory model, and in parts.

use crate::Asked;
use crate::grid::{Column, Grid, work};
use crate::measure::{Source, name};
use crate::table::Caption;
use symex_types::config::{MemoryConfig, MemoryModelKind, PartSize};

/// A look-up in a table of `size` bytes.
pub fn lookup(
    size: u32,
    known: u32,
    writes: u32,
    lookups: u32,
    element: u32,
    within: u32,
) -> Source {
    Source::new(
        "lookup",
        &[
            ("SIZE", size),
            ("KNOWN", known),
            ("WRITES", writes),
            ("LOOKUPS", lookups),
            ("ELEMENT", element),
            ("WITHIN", within),
        ],
    )
}

/// A model with objects as they are, in parts of several sizes, and in parts of the size that it
/// finds best.
pub fn in_parts(model: MemoryModelKind, sizes: &[u64]) -> Vec<Column> {
    let of = |bytes: &u64| (bytes.to_string(), Some(PartSize::Bytes(*bytes)));
    let off = [("off".to_owned(), None)];
    let auto = [("auto".to_owned(), Some(PartSize::Auto))];
    let parts = off.into_iter().chain(sizes.iter().map(of)).chain(auto);
    let column = |(name, split_objects)| {
        let memory = MemoryConfig {
            model,
            split_objects,
            split_threshold: 0,
            ..MemoryConfig::default()
        };
        Column::memory(name, memory)
    };
    parts.map(column).collect()
}

const CELL: &str = "A cell: processor time, paths, queries.";

/// All models.
pub fn by_model(asked: &Asked) {
    for (title, known, writes) in [
        ("a table of constants", 1, 0),
        ("constants, after a write", 1, 1),
        ("partly inputs", 0, 0),
        ("partly inputs, after a write", 0, 1),
    ] {
        let sizes = [256, 1024, 4096, 16_384, 65_536, 524_288];
        let grid = Grid {
            caption: Caption {
                title: format!("one look-up, {title}"),
                varies: format!("Varies: bytes of the table. {CELL}"),
                paper: "",
            },
            rows: sizes
                .map(|size| lookup(size, known, writes, 1, 1, 0).into())
                .into(),
            columns: Column::models(),
            grows: true,
            cell: work,
        };
        grid.print(asked);
    }
}

/// Everything that parts of size `auto` may look at, varied: a table for each kind of access, a row
/// for each size of elements and number of them that the access may reach.
pub fn parts(asked: &Asked) {
    for model in [MemoryModelKind::Forking, MemoryModelKind::Dynamic] {
        for (title, known, writes, lookups) in [
            ("one read", 1, 0, 1),
            ("three reads", 1, 0, 3),
            ("a write and a read", 1, 1, 1),
            ("a read of inputs", 0, 0, 1),
        ] {
            let elements = [(1, 16_384), (8, 65_536)];
            let row = |(element, size)| {
                [50, 500, 2000]
                    .map(|within| lookup(size, known, writes, lookups, element, within).into())
            };
            let grid = Grid {
                caption: Caption {
                    title: format!("parts under `{}`, {title}", name(model)),
                    varies: format!(
                        "Varies: bytes of the table and of its elements, elements that the access may reach; bytes of a part. {CELL}"
                    ),
                    paper: "",
                },
                rows: elements.into_iter().flat_map(row).collect(),
                columns: in_parts(model, &[8192, 4096, 2048, 1024, 512, 256, 128, 64, 32]),
                grows: false,
                cell: work,
            };
            grid.print(asked);
        }
    }
}
