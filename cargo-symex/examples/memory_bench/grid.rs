//! Tables with a program a row and a setting of the engine a column.

use crate::Asked;
use crate::measure::{Run, Source, measure, name};
use crate::table::{Caption, Table};
use symex_types::config::{Config, MemoryConfig, MemoryModelKind, SearchKind};

/// What is explored for a row.
#[derive(Clone)]
pub struct Row {
    pub source: Source,
    /// In place of the order of search of all columns.
    pub search: Option<SearchKind>,
}

impl From<Source> for Row {
    fn from(source: Source) -> Row {
        let search = None;
        Row { source, search }
    }
}

/// A setting, and its name.
#[derive(Clone)]
pub struct Column {
    pub name: String,
    pub config: Config,
}

impl Column {
    pub fn memory(name: impl Into<String>, memory: MemoryConfig) -> Column {
        let config = Config {
            memory,
            ..Config::default()
        };
        let name = name.into();
        Column { name, config }
    }

    /// A model as it is by default.
    pub fn model(model: MemoryModelKind) -> Column {
        let memory = MemoryConfig {
            model,
            ..MemoryConfig::default()
        };
        Column::memory(name(model), memory)
    }

    /// All models as they are by default.
    pub fn models() -> Vec<Column> {
        let models = MemoryModelKind::ALL.iter().copied();
        models.map(Column::model).collect()
    }
}

/// A table.
pub struct Grid {
    pub caption: Caption,
    pub rows: Vec<Row>,
    pub columns: Vec<Column>,
    /// Is each row harder than the one before? A column that was cut is not asked further then.
    pub grows: bool,
    /// What is told of a run.
    pub cell: fn(&Run) -> String,
}

/// Time, paths, queries.
pub fn work(run: &Run) -> String {
    let stats = &run.outcome.stats;
    format!("{}, {}, {}", run.told(), stats.paths, stats.queries)
}

/// The model that others are held against.
const OURS: MemoryModelKind = MemoryModelKind::Adaptive;

impl Grid {
    /// Measures and prints it. Where `adaptive` is among the columns, a last one has its time as a
    /// multiple of that of the best other model that reaches all objects.
    pub fn print(&self, asked: &Asked) {
        self.caption.print();
        let wanted = |column: &&Column| asked.wants(column.config.memory.model);
        let columns: Vec<&Column> = self.columns.iter().filter(wanted).collect();
        let is_ours = |column: &&Column| column.config.memory.model == OURS;
        let ours = columns.iter().position(is_ours);
        let compared = ours.filter(|_| columns.iter().any(|c| !is_ours(c)));

        let mut names = vec![""];
        names.extend(columns.iter().map(|column| column.name.as_str()));
        names.extend(compared.map(|_| "adaptive / best other"));
        let table = Table::begin(&names);
        let mut cut = vec![false; columns.len()];
        for row in self.rows(asked) {
            let program = row.source.compile();
            let configs: Vec<Option<Config>> = columns
                .iter()
                .zip(&cut)
                .map(|(column, cut)| {
                    let mut config = column.config.clone();
                    config.search = row.search.unwrap_or(config.search);
                    config.memory.zeroed = asked.zeroed;
                    (!(*cut && self.grows)).then_some(config)
                })
                .collect();
            let asked_for: Vec<&Config> = configs.iter().flatten().collect();
            let mut measured = measure(&program, &asked_for, asked.limit).into_iter();
            let runs: Vec<Option<Run>> = configs
                .iter()
                .map(|config| config.as_ref().and_then(|_| measured.next()))
                .collect();
            let mut cells = vec![self.label(&row)];
            for (run, cut) in runs.iter().zip(&mut cut) {
                *cut = run.as_ref().is_none_or(|run| !run.mark.is_empty());
                cells.push(run.as_ref().map_or("-".to_owned(), self.cell));
            }
            cells.extend(compared.map(|ours| against(&columns, &runs, ours)));
            table.row(&cells);
        }
    }

    /// The table's own rows; or whole programs, each in the orders of search in which those are.
    fn rows(&self, asked: &Asked) -> Vec<Row> {
        if asked.programs.is_empty() {
            return self.rows.clone();
        }
        let mut searches: Vec<Option<SearchKind>> = Vec::new();
        for row in &self.rows {
            if !searches.contains(&row.search) {
                searches.push(row.search);
            }
        }
        if searches.is_empty() {
            searches.push(None);
        }
        let sources = asked.programs.iter().map(|file| Source::file(file));
        sources
            .flat_map(|source| {
                searches.iter().map(move |search| Row {
                    source: source.clone(),
                    search: *search,
                })
            })
            .collect()
    }

    /// The program, if it is not the table's own, the parameters in which rows differ, and the
    /// order of search.
    fn label(&self, row: &Row) -> String {
        let varies = |parameter: &&(&str, u32)| {
            let values = self.rows.iter().flat_map(|row| &row.source.parameters);
            values
                .into_iter()
                .any(|p| p.0 == parameter.0 && p.1 != parameter.1)
        };
        let parameters = row.source.parameters.iter().filter(varies);
        let foreign = row.source.parameters.is_empty().then(|| row.source.name());
        let mut label: Vec<String> = foreign.into_iter().collect();
        label.extend(parameters.map(|(name, value)| format!("{} {value}", name.to_lowercase())));
        label.extend(
            row.search
                .map(|search| format!("{search:?}").to_lowercase()),
        );
        label.join(", ")
    }
}

/// The time of one run as a multiple of the best of the others whose models are complete, with that
/// model's name.
fn against(columns: &[&Column], runs: &[Option<Run>], ours: usize) -> String {
    let done = |run: &Option<Run>| {
        let run = run.as_ref()?;
        run.mark.is_empty().then(|| run.seconds())
    };
    let others = columns.iter().zip(runs).filter_map(|(column, run)| {
        let model = column.config.memory.model;
        (model != OURS && model.is_complete())
            .then(|| done(run).map(|seconds| (seconds, &column.name)))
            .flatten()
    });
    let best = others.min_by(|a, b| a.0.total_cmp(&b.0));
    match (done(&runs[ours]), best) {
        (Some(ours), Some((best, name))) => format!("{:.2} ({name})", ours / best),
        (Some(_), None) => "alone".to_owned(),
        (None, Some((_, name))) => format!("> ({name})"),
        (None, None) => String::new(),
    }
}
