//! Profiles in the format of pprof, a protocol buffer under gzip, which pprof, speedscope and
//! others read. Messages and numbers of fields are those of its `profile.proto`; fields that are
//! not needed are left out.

use super::{BETWEEN, Measure, time};
use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;
use std::collections::HashMap;
use std::io::Write;
use symex_types::outcome::profile::{Profile, Work};

#[derive(Message)]
struct Root {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "14")]
    default_sample_type: i64,
}

#[derive(Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    r#type: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Message)]
struct Sample {
    /// Innermost first.
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    label: Vec<Label>,
}

#[derive(Clone, Message)]
struct Label {
    #[prost(int64, tag = "1")]
    key: i64,
    #[prost(int64, tag = "2")]
    str: i64,
}

#[derive(Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
    #[prost(int64, tag = "2")]
    line: i64,
}

#[derive(Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    #[prost(int64, tag = "4")]
    filename: i64,
}

/// Returns the bytes of a file with a run's profiles, each sample labelled with its harness.
pub fn bytes(profiles: &[(&str, &Profile)]) -> Vec<u8> {
    let bytes = root(profiles).encode_to_vec();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    let written = gzip.write_all(&bytes).and_then(|()| gzip.finish());
    written.expect("a list takes all bytes")
}

fn root(profiles: &[(&str, &Profile)]) -> Root {
    let mut tables = Tables::default();
    let types = Measure::ALL.map(|measure| ValueType {
        r#type: tables.string(measure.name()),
        unit: tables.string(measure.unit()),
    });
    let harness = tables.string("harness");
    let mut samples = Vec::new();
    for (name, profile) in profiles {
        let label = vec![Label {
            key: harness,
            str: tables.string(name),
        }];
        let locations: Vec<u64> = profile
            .calls
            .iter()
            .map(|call| {
                let (file, line) = call
                    .line
                    .as_ref()
                    .map_or(("", 0), |(file, line)| (file, *line));
                tables.location(&call.function, file, line)
            })
            .collect();
        for (at, call) in profile.calls.iter().enumerate() {
            let value = values(&call.work);
            if value.iter().any(|value| *value > 0) {
                samples.push(Sample {
                    location_id: profile.stack(at).map(|at| locations[at]).collect(),
                    value: value.into(),
                    label: label.clone(),
                });
            }
        }
        samples.push(Sample {
            location_id: vec![tables.location(BETWEEN, "", 0)],
            value: values(&time(profile.other_seconds)).into(),
            label,
        });
    }
    Root {
        sample_type: types.into(),
        sample: samples,
        default_sample_type: tables.string(Measure::Time.name()),
        location: tables.location,
        function: tables.function,
        string_table: tables.string_table,
    }
}

/// Returns the amounts of all measures.
fn values(work: &Work) -> [i64; 5] {
    Measure::ALL.map(|measure| measure.of(work) as i64)
}

/// The tables to which samples refer, each entry once.
struct Tables {
    string_table: Vec<String>,
    strings: HashMap<String, i64>,
    function: Vec<Function>,
    functions: HashMap<(i64, i64), u64>,
    location: Vec<Location>,
    locations: HashMap<(u64, u32), u64>,
}

impl Default for Tables {
    fn default() -> Self {
        // The first string is the empty one.
        Tables {
            string_table: vec![String::new()],
            strings: HashMap::from([(String::new(), 0)]),
            function: Vec::new(),
            functions: HashMap::new(),
            location: Vec::new(),
            locations: HashMap::new(),
        }
    }
}

impl Tables {
    fn string(&mut self, text: &str) -> i64 {
        if let Some(known) = self.strings.get(text) {
            return *known;
        }
        let index = self.string_table.len() as i64;
        self.string_table.push(text.to_owned());
        self.strings.insert(text.to_owned(), index);
        index
    }

    /// Returns the number, from 1, of a line of a function.
    fn location(&mut self, function: &str, file: &str, line: u32) -> u64 {
        let (name, filename) = (self.string(function), self.string(file));
        let functions = &mut self.function;
        let function_id = *self.functions.entry((name, filename)).or_insert_with(|| {
            let id = functions.len() as u64 + 1;
            functions.push(Function { id, name, filename });
            id
        });
        let locations = &mut self.location;
        *self
            .locations
            .entry((function_id, line))
            .or_insert_with(|| {
                let id = locations.len() as u64 + 1;
                let line = i64::from(line);
                let line = vec![Line { function_id, line }];
                locations.push(Location { id, line });
                id
            })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    #[test]
    fn samples_refer_to_what_is_in_the_tables() {
        let profile = example();
        let bytes = bytes(&[("one", &profile), ("two", &profile)]);
        let mut raw = Vec::new();
        GzDecoder::new(&bytes[..])
            .read_to_end(&mut raw)
            .expect("gzip");
        let root = Root::decode(&raw[..]).expect("a protocol buffer");
        let text = |at: i64| root.string_table[at as usize].as_str();
        // Three lines and what is between paths, for each harness; tables are shared.
        assert_eq!((root.sample.len(), root.location.len()), (8, 4));
        let sample = &root.sample[2];
        let names: Vec<&str> = sample
            .location_id
            .iter()
            .map(|id| {
                let line = &root.location[*id as usize - 1].line[0];
                text(root.function[line.function_id as usize - 1].name)
            })
            .collect();
        assert_eq!(
            names,
            ["core::slice::cmp::equal", "demo::parse", "demo::main"]
        );
        assert_eq!(sample.value, [1_250_000, 625_000, 5, 1, 50]);
        let types = root.sample_type.iter();
        let types: Vec<&str> = types.map(|one| text(one.r#type)).collect();
        assert_eq!(types, ["time", "solver", "forks", "ends", "instructions"]);
        assert_eq!(text(root.sample[7].label[0].str), "two");
        assert_eq!(text(0), "");
    }
}
