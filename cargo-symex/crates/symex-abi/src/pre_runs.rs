//! Pre-runs: many native runs of one harness in one process, on inputs that it makes up.
//!
//! The process is started with the path of a directory in [`ENV_PRE_RUNS`](crate::ENV_PRE_RUNS).
//! There it reads its [`Order`], and leaves what it finds: the [inputs] of runs that failed, and
//! those of the run that it is in, which are what ended the process if it did not come to its end.

use crate::inputs::{self, Input};

/// Name of the file with the [`Order`].
pub const ORDER: &str = "order";

/// Name of the file with the inputs of the run that the process is in: see [`Current`].
pub const CURRENT: &str = "current";

/// Name of the file that the process creates when it has come to its end.
pub const DONE: &str = "done";

/// Greatest number of failures that are kept, each at a place of its own.
pub const MOST_FAILURES: usize = 8;

/// Returns the name of the file with the inputs of a failed run.
pub fn failure(number: usize) -> String {
    format!("failed-{number}")
}

/// A value that the program under test mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// An integer, zero-extended.
    Number(u64),
    /// Bytes, as of a string.
    Text(Vec<u8>),
}

/// What a process is to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Order {
    /// Seed of all inputs.
    pub seed: u64,
    /// Number of the first run. Each number has inputs of its own.
    pub first: u64,
    /// Number at which the runs end.
    pub end: u64,
    /// Time in milliseconds after which no run begins.
    pub milliseconds: u64,
    /// Time in milliseconds after which a single run is taken to have no end, and the process is
    /// aborted.
    pub longest_run: u64,
    /// Values to use in inputs.
    pub words: Vec<Word>,
}

impl Order {
    /// Writes the order as text.
    pub fn encode(&self) -> String {
        let Order {
            seed,
            first,
            end,
            milliseconds,
            longest_run,
            words,
        } = self;
        let numbers = [
            ("seed", seed),
            ("first", first),
            ("end", end),
            ("milliseconds", milliseconds),
            ("longest-run", longest_run),
        ];
        let words = words.iter().map(|word| match word {
            Word::Number(number) => ("number", number.to_le_bytes().to_vec()),
            Word::Text(bytes) => ("text", bytes.clone()),
        });
        let lines: Vec<(&str, Vec<u8>)> = numbers
            .into_iter()
            .map(|(name, number)| (name, number.to_le_bytes().to_vec()))
            .chain(words)
            .collect();
        inputs::encode(lines.iter().map(|(name, bytes)| (*name, bytes.as_slice())))
    }

    /// Reads the order from its text; a line that is not understood is passed over.
    ///
    /// # Errors
    /// A line that holds no bytes.
    pub fn decode(text: &str) -> Result<Self, inputs::BadLine> {
        let mut order = Order::default();
        for Input { name, bytes } in inputs::decode(text)? {
            let number = number(&bytes);
            match name.as_str() {
                "seed" => order.seed = number,
                "first" => order.first = number,
                "end" => order.end = number,
                "milliseconds" => order.milliseconds = number,
                "longest-run" => order.longest_run = number,
                "number" => order.words.push(Word::Number(number)),
                "text" => order.words.push(Word::Text(bytes)),
                _ => {}
            }
        }
        Ok(order)
    }
}

fn number(bytes: &[u8]) -> u64 {
    let little = bytes.iter().take(8).rev();
    little.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The run that a process is in, as it leaves it in the file [`CURRENT`].
///
/// The file is written from its beginning for each run, a piece for each input, and never cut: what
/// earlier runs have left is known by their numbers, which each line begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Current {
    /// Number of the run.
    pub run: u64,
    /// Inputs drawn so far.
    pub inputs: Vec<Input>,
}

impl Current {
    /// Returns the piece that begins a run.
    pub fn begin(run: u64) -> String {
        format!("{run:016x} run -\n")
    }

    /// Returns the piece of an input.
    pub fn piece(run: u64, name: &str, bytes: &[u8]) -> String {
        format!("{run:016x} {}", inputs::encode([(name, bytes)]))
    }

    /// Reads the contents of the file.
    pub fn decode(text: &str) -> Option<Self> {
        let tag = text.get(..16)?;
        let run = u64::from_str_radix(tag, 16).ok()?;
        let own = |line: &str| line.strip_prefix(tag)?.strip_prefix(' ').map(str::to_owned);
        let mut lines = text.lines().map_while(own);
        lines.next()?;
        let inputs = lines.map_while(|line| inputs::decode(&line).ok()?.pop());
        Some(Current {
            run,
            inputs: inputs.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_read_as_it_was_written() {
        let order = Order {
            seed: u64::MAX,
            first: 3,
            end: 1 << 40,
            milliseconds: 1000,
            longest_run: 200,
            words: vec![
                Word::Number(0x1234),
                Word::Text(b"GET ".to_vec()),
                Word::Text(Vec::new()),
            ],
        };
        assert_eq!(Order::decode(&order.encode()), Ok(order));
        assert!(Order::decode("seed zz").is_err());
    }

    #[test]
    fn what_earlier_runs_have_left_is_not_of_the_current_one() {
        let mut file = Current::begin(0x17);
        file.push_str(&Current::piece(0x17, "long", &[1; 9]));
        file.push_str(&Current::piece(0x17, "data", &[2]));
        let earlier = Current::decode(&file).unwrap();
        assert_eq!((earlier.run, earlier.inputs.len()), (0x17, 2));
        let next = Current::begin(0x18) + &Current::piece(0x18, "a b", &[]);
        file.replace_range(..next.len(), &next);
        let current = Current::decode(&file).unwrap();
        let input = Input {
            name: "a b".to_owned(),
            bytes: Vec::new(),
        };
        assert_eq!(current.run, 0x18);
        assert_eq!(current.inputs, [input]);
        assert_eq!(Current::decode(""), None);
    }
}
