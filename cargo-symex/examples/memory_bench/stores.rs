//! Reads over stores at places that are inputs: told to Z3 as comparisons with the places, and as
//! arrays with stores.

use crate::Asked;
use crate::grid::{Column, Grid, work};
use crate::measure::Source;
use crate::table::Caption;
use symex_types::config::{Config, Experiment};

fn column(name: &str, compare_stores: bool) -> Column {
    let experiment = Experiment {
        stores_as_arrays: !compare_stores,
        ..Experiment::default()
    };
    Column {
        name: name.to_owned(),
        config: Config {
            experiment,
            ..Config::default()
        },
    }
}

/// By number of stores, size of what they go to, and contents.
pub fn encodings(asked: &Asked) {
    for (title, follow, inputs) in [
        ("places read from zeroed words", 1, 0),
        ("words made from each other, zeroed before", 0, 0),
        ("words made from each other, inputs before", 0, 1),
    ] {
        let row = |(stores, size): (u32, u32)| {
            let parameters = [
                ("STORES", stores),
                ("SIZE", size),
                ("FOLLOW", follow),
                ("INPUTS", inputs),
            ];
            Source::new("stores", &parameters).into()
        };
        let rows = [
            (2, 64),
            (4, 64),
            (8, 64),
            (2, 512),
            (4, 512),
            (8, 512),
            (16, 512),
            (8, 4096),
            (64, 4096),
        ];
        let grid = Grid {
            caption: Caption {
                title: format!("stores and reads, {title}"),
                varies:
                    "Varies: stores, words that they go to. A cell: processor time, paths, queries."
                        .to_owned(),
                paper: "",
            },
            rows: rows.map(row).into(),
            columns: vec![column("compared", true), column("as stores", false)],
            grows: false,
            cell: work,
        };
        grid.print(asked);
    }
}
