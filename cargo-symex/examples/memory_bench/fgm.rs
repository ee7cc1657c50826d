//! [FGM, figures 5 and 9]: memory of states with and without layers, breadth first, where large buffers are modified a
//! little; and what layers cost where they do not help.

use crate::Asked;
use crate::measure::{Run, Source, measure, once};
use crate::table::{Caption, Table};
use symex_types::config::{Config, SearchKind};

/// Breadth first, with layers or with whole copies.
fn config(whole: bool) -> Config {
    let mut config = Config {
        search: SearchKind::Bfs,
        ..Config::default()
    };
    config.experiment.copy_whole_objects = whole;
    config
}

/// Bytes that a state takes when most is taken, shared parts spread over all.
fn each(run: &Run) -> f64 {
    let memory = &run.outcome.stats.memory;
    memory.state_bytes as f64 / memory.measured_states.max(1) as f64
}

fn memory(asked: &Asked) {
    let caption = Caption {
        title: "[FGM, figure 9]: memory of states, buffers that are modified a little, breadth first".to_owned(),
        varies: "Varies: buffers, their bytes, bytes that a decision changes; objects copied as a whole at the first write after a fork, \
                 and layers. All shares of a state's memory that others hold, too, are spread over them."
            .to_owned(),
        paper: "breadth first, memory is down by half on average and by 82 % at most.",
    };
    caption.print();
    let table = Table::begin(&[
        "buffers",
        "size",
        "bytes changed",
        "states",
        "KiB a state: whole",
        "layers",
        "ratio",
        "layers: shared, KiB",
        "owned",
        "time: whole",
        "layers",
    ]);
    for (buffers, size, writes) in [
        (1, 4096, 1),
        (4, 16_384, 1),
        (4, 16_384, 64),
        (4, 65_536, 1),
        (16, 65_536, 16),
        (4, 262_144, 1),
        (4, 262_144, 64),
    ] {
        let parameters = [
            ("BUFFERS", buffers),
            ("SIZE", size),
            ("FORKS", 8),
            ("WRITES", writes),
        ];
        let program = Source::new("buffers", &parameters).compile();
        let [whole, layers] = [true, false].map(|w| once(&program, &config(w), asked.limit));
        let (a, b) = (each(&whole), each(&layers));
        let memory = &layers.outcome.stats.memory;
        table.row(&[
            buffers.to_string(),
            size.to_string(),
            writes.to_string(),
            memory.measured_states.to_string(),
            format!("{:.1}", a / 1024.0),
            format!("{:.1}", b / 1024.0),
            format!("{:.1}", a / b),
            (memory.shared_bytes / 1024).to_string(),
            (memory.owned_bytes / 1024).to_string(),
            whole.told(),
            layers.told(),
        ]);
    }
}

fn cost(asked: &Asked) {
    let caption = Caption {
        title: "[FGM, figure 5]: what layers cost where they do not help".to_owned(),
        varies: "Varies: programs with small objects only; objects copied as a whole, and layers. Processor time, the best of several runs."
            .to_owned(),
        paper: "9 % faster depth first and 7 % breadth first on average; single programs up to 19 % slower, 50 % under the third order.",
    };
    caption.print();
    let table = Table::begin(&["program", "paths", "whole", "layers", "layers / whole"]);
    for source in [
        Source::new("matrix", &[("N", 10), ("LOOKUPS", 4), ("EXTRA", 0)]),
        Source::new(
            "tables",
            &[
                ("TABLES", 3),
                ("BUCKETS", 50),
                ("KEYS", 5),
                ("INSERTS", 0),
                ("LOOKUPS", 2),
                ("WRAPPERS", 0),
                ("WAYS", 0),
            ],
        ),
        Source::new("small", &[("FORKS", 14), ("ROUNDS", 200)]),
    ] {
        let program = source.compile();
        let [whole, layers] = [true, false].map(config);
        let runs = measure(&program, &[&whole, &layers], asked.limit);
        let [whole, layers] = &runs[..] else {
            unreachable!("there are two settings")
        };
        table.row(&[
            source.name(),
            layers.outcome.stats.paths.to_string(),
            whole.told(),
            layers.told(),
            format!("{:.2}", layers.seconds() / whole.seconds()),
        ]);
    }
}

pub fn figures(asked: &Asked) {
    memory(asked);
    cost(asked);
}
