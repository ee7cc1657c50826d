//! Tables of structs: a counter beside a pointer, to which stores go at places that are inputs.

use crate::Asked;
use crate::grid::{Column, Grid, Row, work};
use crate::measure::Source;
use crate::table::Caption;
use symex_types::config::MemoryModelKind;

/// By buckets, keys that are inputs, and whether there is a counter.
pub fn by_model(asked: &Asked) {
    use MemoryModelKind::{Adaptive, Dynamic, Forking, Merging, Segmented};
    let sizes = [(20, 1, 1), (20, 2, 1), (20, 1, 3), (200, 2, 1)];
    let rows = sizes.into_iter().flat_map(|(buckets, inserts, lookups)| {
        [0, 1].map(|counted| {
            let parameters = [
                ("BUCKETS", buckets),
                ("INSERTS", inserts),
                ("LOOKUPS", lookups),
                ("COUNTED", counted),
            ];
            Row::from(Source::new("counted", &parameters))
        })
    });
    let grid = Grid {
        caption: Caption {
            title: "hash tables whose buckets count their nodes, or do not".to_owned(),
            varies: "Varies: buckets, keys that are inserted and sought, whether there are counters. A cell: processor time, \
                     paths, queries. Counters ought to cost little: they are arrays of their own beside that of the pointers."
                .to_owned(),
            paper: "",
        },
        rows: rows.collect(),
        columns: [Forking, Merging, Segmented, Dynamic, Adaptive]
            .map(Column::model)
            .into(),
        grows: false,
        cell: work,
    };
    grid.print(asked);
}
