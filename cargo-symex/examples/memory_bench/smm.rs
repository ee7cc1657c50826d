//! [SMM, figure 3]: look-ups in a matrix each of whose rows is an object of its own, by memory model.

use crate::Asked;
use crate::grid::{Column, Grid, work};
use crate::measure::Source;
use crate::table::Caption;

fn figure(
    title: &str,
    paper: &'static str,
    sizes: &[u32],
    (lookups, extra): (u32, u32),
    asked: &Asked,
) {
    let row = |n: &u32| {
        let parameters = [("N", *n), ("LOOKUPS", lookups), ("EXTRA", extra)];
        Source::new("matrix", &parameters).into()
    };
    let grid = Grid {
        caption: Caption {
            title: title.to_owned(),
            varies:
                "Varies: rows and columns of the matrix. A cell: processor time, paths, queries."
                    .to_owned(),
            paper,
        },
        rows: sizes.iter().map(row).collect(),
        columns: Column::models(),
        grows: true,
        cell: work,
    };
    grid.print(asked);
}

pub fn figure_3a(asked: &Asked) {
    figure(
        "[SMM, figure 3a]: one look-up",
        "forking and merging grow with the matrix; flat and segmented memory hardly do.",
        &[10, 40, 160, 320, 640],
        (1, 0),
        asked,
    );
}

pub fn figure_3b(asked: &Asked) {
    figure(
        "[SMM, figure 3b]: two look-ups",
        "the time of forking and merging explodes; flat and segmented memory stay low.",
        &[5, 10, 40, 160, 320],
        (2, 0),
        asked,
    );
}

pub fn figure_3c(asked: &Asked) {
    figure(
        "[SMM, figure 3c]: one look-up, and 30 KB of memory that it cannot reach",
        "flat memory is slow with them; segmented memory does not notice.",
        &[10, 40, 160, 320, 640],
        (1, 30_000),
        asked,
    );
}
