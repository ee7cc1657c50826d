//! Accesses through pointers that may refer to several objects, by memory model: what the
//! thresholds of `adaptive` rest on.

use crate::Asked;
use crate::grid::{Column, Grid, Row, work};
use crate::measure::Source;
use crate::table::Caption;

/// What is done to each object.
#[derive(Clone, Copy)]
struct Access {
    known: u32,
    write: u32,
    inside: u32,
    again: u32,
    branch: u32,
}

impl Access {
    fn row(self, (objects, size, accesses): (u32, u32, u32)) -> Row {
        let parameters = [
            ("OBJECTS", objects),
            ("SIZE", size),
            ("ACCESSES", accesses),
            ("KNOWN", self.known),
            ("WRITE", self.write),
            ("INSIDE", self.inside),
            ("AGAIN", self.again),
            ("BRANCH", self.branch),
        ];
        Source::new("objects", &parameters).into()
    }
}

fn print(title: String, grows: bool, rows: Vec<Row>, asked: &Asked) {
    let grid = Grid {
        caption: Caption {
            title,
            varies:
                "Varies: objects, their bytes, accesses. A cell: processor time, paths, queries."
                    .to_owned(),
            paper: "",
        },
        rows,
        columns: Column::models(),
        grows,
        cell: work,
    };
    grid.print(asked);
}

/// Kinds of accesses to few and many, small and large objects.
pub fn kinds(asked: &Asked) {
    for (title, known, write, inside, again, branch) in [
        ("reads of constants", 1, 0, 0, 0, 0),
        ("reads of constants, one pointer", 1, 0, 0, 1, 0),
        ("reads of constants, each with a branch", 1, 0, 0, 0, 1),
        ("reads of constants at a symbolic offset", 1, 0, 1, 0, 0),
        ("reads of inputs", 0, 0, 0, 0, 0),
        ("reads of inputs at a symbolic offset", 0, 0, 1, 0, 0),
        ("writes", 1, 1, 0, 0, 0),
        ("writes, one pointer", 1, 1, 0, 1, 0),
        ("writes at a symbolic offset", 1, 1, 1, 0, 0),
        ("writes, each read back elsewhere", 1, 2, 0, 0, 0),
        ("the same at symbolic offsets", 1, 2, 1, 0, 0),
    ] {
        let access = Access {
            known,
            write,
            inside,
            again,
            branch,
        };
        let sizes = [
            (4, 16, 1),
            (32, 16, 1),
            (256, 16, 1),
            (1024, 16, 1),
            (32, 1024, 1),
            (4, 16, 3),
            (16, 16, 3),
            (4, 16, 8),
        ];
        let rows = sizes.map(|size| access.row(size)).into();
        print(format!("objects: {title}"), false, rows, asked);
    }
}

/// The rows of `sweep` that the table in `memory/model/adaptive.rs` has.
pub fn rules(asked: &Asked) {
    type Size = (u32, u32, u32);
    let kinds: [(&str, [u32; 3], &[Size]); 10] = [
        (
            "load of constants, known offset",
            [1, 0, 0],
            &[
                (32, 8, 1),
                (2048, 8, 1),
                (8, 256, 4),
                (16, 16, 3),
                (32, 8, 4),
                (2, 8, 16),
                (128, 256, 4),
            ],
        ),
        (
            "load of inputs, known offset",
            [0, 0, 0],
            &[(512, 8, 4), (128, 256, 4)],
        ),
        (
            "load of constants, symbolic offset",
            [1, 0, 1],
            &[
                (128, 8, 1),
                (1024, 16, 1),
                (128, 256, 1),
                (512, 256, 1),
                (32, 8, 4),
                (512, 8, 4),
                (32, 64, 4),
                (32, 256, 4),
            ],
        ),
        (
            "load of inputs, symbolic offset",
            [0, 0, 1],
            &[
                (128, 8, 1),
                (128, 8, 4),
                (32, 64, 4),
                (32, 256, 4),
                (2048, 8, 1),
                (128, 256, 1),
            ],
        ),
        (
            "store, known offset",
            [1, 1, 0],
            &[(256, 16, 1), (1024, 16, 1), (512, 8, 4), (32, 4096, 4)],
        ),
        (
            "the same, each read back elsewhere",
            [1, 2, 0],
            &[
                (32, 8, 1),
                (32, 8, 4),
                (128, 8, 16),
                (32, 64, 4),
                (1024, 16, 1),
            ],
        ),
        ("the same, inputs", [0, 2, 0], &[(128, 8, 4), (128, 256, 4)]),
        (
            "store, symbolic offset",
            [1, 1, 1],
            &[
                (128, 8, 1),
                (32, 8, 4),
                (32, 64, 4),
                (256, 16, 1),
                (32, 4096, 1),
            ],
        ),
        (
            "the same, each read back elsewhere",
            [1, 2, 1],
            &[
                (32, 8, 1),
                (32, 8, 4),
                (128, 8, 16),
                (8, 64, 4),
                (8, 256, 4),
                (2, 8, 4),
                (32, 256, 1),
                (128, 256, 1),
            ],
        ),
        (
            "the same, inputs",
            [0, 2, 1],
            &[(128, 8, 4), (32, 64, 4), (32, 256, 4)],
        ),
    ];
    for (title, [known, write, inside], sizes) in kinds {
        let access = Access {
            known,
            write,
            inside,
            again: 0,
            branch: 0,
        };
        let rows = sizes.iter().map(|size| access.row(*size)).collect();
        print(title.to_owned(), false, rows, asked);
    }
}

/// Everything that `adaptive` may look at, varied: a table for each kind of access, by size of the
/// objects and number of accesses; a row for each number of candidates.
pub fn sweep(asked: &Asked) {
    // To fill more bytes takes longer than what is to be measured.
    const FILLED: u32 = 1 << 17;
    for (what, write) in [("reads", 0), ("writes", 1), ("writes and reads", 2)] {
        for (offset, inside) in [("known", 0), ("symbolic", 1)] {
            for (contents, known) in [("constants", 1), ("inputs", 0)] {
                for (size, accesses) in [
                    (8, 1),
                    (8, 4),
                    (8, 16),
                    (64, 4),
                    (256, 1),
                    (256, 4),
                    (4096, 1),
                    (4096, 4),
                ] {
                    let access = Access {
                        known,
                        write,
                        inside,
                        again: 0,
                        branch: 0,
                    };
                    let title = format!(
                        "{what} at a {offset} offset, {contents}, size {size}, accesses {accesses}"
                    );
                    let rows = [2, 8, 32, 128, 512, 2048]
                        .into_iter()
                        .filter(|objects| objects * size <= FILLED)
                        .map(|objects| access.row((objects, size, accesses)));
                    print(title, true, rows.collect(), asked);
                }
            }
        }
    }
}
