//! Native confirmation for a test of a property: it is run once with a seed that gives its runner
//! the inputs, and a confirmed seed is left where proptest keeps those of failures.
//!
//! proptest has a generator that hands out the bytes of its seed, and reads seeds of it from files
//! of failures. So the test runs as it is, and so does plain `cargo test` with the file later.

use super::launch::{End, Launcher, NativeRun};
use super::path_replay::PathReplay;
use super::replay::{How, Replay, TypedInput, TypedInputs, judge_run, not};
use super::run_directory::outermost;
use super::settle::stands;
use super::target::NativeTarget;
use super::test_case::Written;
use super::{Confirm, FindingReport, REPLAY_TIME, WritePolicy, of_missing_panic, why_not_written};
use crate::harness::TestHarness;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use symex_abi::inputs::hex;
use symex_types::outcome::draws::{CASE, DRAW, SPLIT};
use symex_types::outcome::{ConcreteInput, EndedPath, Finding};

/// Most bytes of a seed.
const MOST: usize = 1 << 16;

/// Bytes after those that a case draws, and their value. A generator that has handed out its seed
/// gives zeros, which samplers of ranges reject for ever: the test may draw more one day, and so
/// may other tests that read the same file.
const MORE: (usize, u8) = (1024, 0xa5);

/// Variables that have proptest do no more than run the seed. The inputs are small already, and
/// smaller ones of its own may fail in another way.
const VARIABLES: [(&str, &str); 2] = [("PROPTEST_CASES", "1"), ("PROPTEST_MAX_SHRINK_ITERS", "0")];

/// What proptest says when a case fails that is not of its file of failures.
const ANOTHER: &str = "proptest: Saving this";

/// Text before the values that fail, in the message of a failed test.
const VALUES: &str = "minimal failing input:";

/// The native side of a test of a property.
pub struct NativePropertyTest {
    pub harness: TestHarness,
    pub target: Arc<NativeTarget>,
    pub launcher: Launcher,
    /// Lock held while a file of failures is written, because two tests may share that file.
    pub writing: Arc<Mutex<()>>,
}

impl Confirm for NativePropertyTest {
    fn replay(&self, finding: Finding) -> FindingReport {
        if let Some(replay) = of_missing_panic(&self.harness, &finding) {
            return FindingReport::new(finding, replay);
        }
        let (replay, inputs) = match self.run(&finding.inputs) {
            Ok(run) if run.stderr.contains(ANOTHER) => {
                (not("the values are not those that the test gets"), None)
            }
            Ok(run) => {
                let values = values(&run.stderr);
                let replay = judge_run(&finding, &run, REPLAY_TIME);
                (without_values(replay), values)
            }
            Err(reason) => (Replay::Failed { reason }, None),
        };
        FindingReport {
            inputs,
            ..FindingReport::new(finding, replay)
        }
    }

    fn replay_path(&self, _: &EndedPath) -> Result<PathReplay, String> {
        Err("proptest runs other cases after the one of a path".to_owned())
    }

    fn regression(&self, report: &FindingReport, policy: WritePolicy) -> Option<Written> {
        if policy == WritePolicy::Never || !stands(report) || self.harness.expects_some_panic() {
            return None;
        }
        let not = |reason: String| Some(Written::NotWritten { reason, test: None });
        let seed = match seed(&report.finding.inputs) {
            Ok(seed) => seed,
            Err(reason) => return not(reason),
        };
        let line = line(&seed, report.inputs.as_ref());
        if let Some(reason) = why_not_written(policy, &report.replay) {
            return not(reason.to_owned());
        }
        let path = failures(&self.source()?);
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let name = self.harness.path();
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        let is_known = known.lines().any(|known| is_same(known, &line));
        if is_known {
            let text = line;
            return Some(Written::Known { path, name, text });
        }
        if !self.others_end(&seed) {
            return not(
                "with its seed in the file of failures, another test does not end".to_owned(),
            );
        }
        let start = if known.is_empty() { HEADER } else { "" };
        let text = format!("{known}{start}{line}\n");
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        Some(match written.and_then(|()| std::fs::write(&path, text)) {
            Ok(()) => Written::Written {
                path,
                name,
                text: line,
            },
            Err(error) => {
                let reason = format!("failed to write {}: {error}", path.display());
                Written::NotWritten { reason, test: None }
            }
        })
    }
}

impl NativePropertyTest {
    /// Runs the test natively with a seed for these inputs.
    fn run(&self, inputs: &[ConcreteInput]) -> Result<NativeRun, String> {
        self.run_tests(&[&self.harness.path()], &seed(inputs)?)
    }

    /// Reports whether the other tests of the executable end, if they read the seed as well.
    fn others_end(&self, seed: &[u8]) -> bool {
        let own = self.harness.path();
        let tests = self.target.built().property_tests.iter();
        let tests = tests.map(|test| test.path.as_str());
        let others: Vec<&str> = tests.filter(|test| *test != own).collect();
        let run = || self.run_tests(&others, seed);
        others.is_empty() || run().is_ok_and(|run| run.end != End::TooLong)
    }

    /// Runs tests natively with a seed in the file of failures.
    fn run_tests(&self, tests: &[&str], seed: &[u8]) -> Result<NativeRun, String> {
        let line = line(seed, None);
        let native = self.target.native()?;
        let unknown = || "its source was not found".to_owned();
        let source = self.source().ok_or_else(unknown)?;
        let file = failures(&source);
        let outermost = outermost(&native.package);
        let file = file.strip_prefix(outermost).map_err(|_| unknown())?;
        let env = VARIABLES.map(|(name, value)| (name, value.as_ref()));
        let file = (file, line.as_str());
        let run = native.run_tests_with(&self.launcher, tests, &env, file, REPLAY_TIME);
        run.map_err(|error| format!("failed to run the native test: {error}"))
    }

    fn source(&self) -> Option<PathBuf> {
        let file = PathBuf::from(&self.harness.file);
        file.is_file().then_some(file)
    }
}

/// First lines of a file of failures, as proptest writes them.
const HEADER: &str = "\
# Seeds for failure cases proptest has generated in the past. It is
# automatically read and these particular cases re-run before any
# novel cases are generated.
#
# It is recommended to check this file in to source control so that
# everyone who runs the test benefits from these saved cases.
";

/// Reports whether a text is the head of a file of failures, and nothing else.
pub(super) fn is_bare(text: &str) -> bool {
    text.trim_end() == HEADER.trim_end()
}

/// Returns the line of a seed in a file of failures.
fn line(seed: &[u8], inputs: Option<&TypedInputs>) -> String {
    let mut line = format!("pt {}", hex(seed));
    if let Some(inputs) = inputs {
        let values = inputs.args.iter().map(|arg| match arg.name.as_str() {
            "" => arg.source.clone(),
            name => format!("{name} = {}", arg.source),
        });
        let values: Vec<String> = values.collect();
        let _ = write!(line, " # shrinks to {}", values.join(", "));
    }
    line
}

/// Reports whether two lines of a file of failures have the same seed.
fn is_same(a: &str, b: &str) -> bool {
    let seed = |line: &str| line.split('#').next().map(|seed| seed.trim().to_owned());
    seed(a) == seed(b)
}

/// Returns the file in which proptest keeps the failures of the tests in a source file: in a
/// directory beside that of the crate's root, else beside the source file.
fn failures(source: &Path) -> PathBuf {
    const NAME: &str = "proptest-regressions";
    let has_root = |directory: &&Path| {
        ["lib.rs", "main.rs"]
            .iter()
            .any(|root| directory.join(root).is_file())
    };
    let root = source.ancestors().skip(1).find(has_root);
    let within = root.and_then(|root| Some((root.parent()?, source.strip_prefix(root).ok()?)));
    match within {
        Some((beside, within)) => beside.join(NAME).join(within).with_extension("txt"),
        None => source.with_extension(NAME),
    }
}

/// Returns the seed that makes the runner of the last case among the inputs draw them.
///
/// A generator that is made from the runner's own takes the second half of what is left of the
/// seed. What such a generator gives itself is not put into the seed.
fn seed(inputs: &[ConcreteInput]) -> Result<Vec<u8>, String> {
    let last = inputs.iter().rposition(|input| input.name == CASE);
    let case = &inputs[last.map_or(0, |at| at + 1)..];
    // Bytes between the splits.
    let mut pieces: Vec<Vec<u8>> = vec![Vec::new()];
    for input in case {
        match input.name.as_str() {
            SPLIT => pieces.push(Vec::new()),
            DRAW => {
                let piece = pieces.last_mut().expect("there is one at least");
                piece.extend(&input.bytes);
            }
            _ => {
                let reason = "values come from a generator that the test has made of its own";
                return Err(reason.to_owned());
            }
        }
    }
    // The last piece is at the end of what is left; what comes before has twice the size.
    let mut left = 0;
    for piece in pieces.iter().rev() {
        left = match left {
            0 => piece.len(),
            _ => piece.len() + 2 * left,
        };
        if left > MOST {
            return Err("it takes too long a seed".to_owned());
        }
    }
    let mut seed: Vec<u8> = pieces.concat();
    seed.resize(left + MORE.0, MORE.1);
    Ok(seed)
}

/// Shortens the message of a failed test to what failed; the values are shown as inputs.
fn without_values(mut replay: Replay) -> Replay {
    if let Replay::Confirmed {
        how: How::Panic { message, .. },
    } = &mut replay
        && let Some(text) = message.strip_prefix("Test failed: ")
    {
        let text = text.split(VALUES).next().unwrap_or(text).trim_end();
        *message = text.strip_suffix('.').unwrap_or(text).to_owned();
    }
    replay
}

/// Returns the values in the message of a failed test, as proptest shows them.
fn values(stderr: &str) -> Option<TypedInputs> {
    let (_, text) = stderr.rsplit_once(VALUES)?;
    let end = text.find("\n\tsuccesses:").unwrap_or(text.len());
    let args = split_values(text[..end].trim());
    (!args.is_empty()).then_some(TypedInputs {
        args,
        call: String::new(),
    })
}

/// Puts values that are written on several lines on one. What is quoted has no line breaks.
fn on_one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Splits `a = 1, b = [2, 3]` at the commas between values.
fn split_values(text: &str) -> Vec<TypedInput> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut quoted, mut before) = (0usize, 0, None, ' ');
    for (at, c) in text.char_indices() {
        match (quoted, c) {
            (Some(quote), _) if c == quote && before != '\\' => quoted = None,
            (Some(_), _) => {}
            (None, '"') => quoted = Some('"'),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        // Of two backslashes, the second is no escape.
        before = if before == '\\' && c == '\\' { ' ' } else { c };
    }
    parts.push(&text[start..]);
    parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| {
            let named = part.split_once(" = ");
            let (name, source) = named.unwrap_or(("", part));
            TypedInput {
                name: name.trim().to_owned(),
                type_name: String::new(),
                source: on_one_line(source),
                debug: None,
                redrawn: false,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, bytes: &[u8]) -> ConcreteInput {
        ConcreteInput {
            name: name.to_owned(),
            role: Default::default(),
            bytes: bytes.to_vec(),
            form: Default::default(),
        }
    }

    #[test]
    fn a_seed_has_the_draws_of_the_last_case() {
        let inputs = [
            input(CASE, &[]),
            input(DRAW, &[9]),
            input(CASE, &[]),
            input(DRAW, &[1, 2]),
            input(DRAW, &[3]),
        ];
        let seed = seed(&inputs).unwrap();
        assert_eq!(seed[..3], [1, 2, 3]);
        assert_eq!(seed[3..], [MORE.1; MORE.0]);
    }

    #[test]
    fn splits_take_the_second_half_of_what_is_left() {
        let inputs = [
            input(DRAW, &[1]),
            input(SPLIT, &[]),
            input(DRAW, &[2, 3]),
            input(SPLIT, &[]),
            input(DRAW, &[4]),
        ];
        let seed = seed(&inputs).unwrap();
        // As the generator hands it out.
        assert_eq!(seed[0], 1);
        let left = &seed[1..];
        let left = &left[..left.len() / 2];
        assert_eq!(left[..2], [2, 3]);
        let left = &left[2..];
        let left = &left[..left.len() / 2];
        assert_eq!(left[0], 4);
    }

    #[test]
    fn other_generators_are_not_reached_by_a_seed() {
        assert!(seed(&[input("draw-of-another", &[1])]).is_err());
        let many: Vec<_> = std::iter::repeat_n(input(SPLIT, &[]), 40)
            .chain([input(DRAW, &[1])])
            .collect();
        assert!(seed(&many).is_err());
    }

    #[test]
    fn values_are_taken_from_the_message() {
        let stderr = "thread 't' (1) panicked at src/lib.rs:3:1:\nTest failed: no.\nminimal failing \
                      input: a = 77, b = [\n    1,\n    2,\n], c = \"x, \\\"  y\"\n\tsuccesses: 0\n";
        let found = values(stderr).unwrap();
        let shown: Vec<_> = found
            .args
            .iter()
            .map(|arg| (arg.name.as_str(), arg.source.as_str()))
            .collect();
        assert_eq!(
            shown,
            [("a", "77"), ("b", "[ 1, 2, ]"), ("c", "\"x, \\\"  y\"")]
        );
        assert_eq!(values("no"), None);
    }

    #[test]
    fn files_of_failures_are_where_proptest_looks() {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path();
        for file in ["src/lib.rs", "src/a/b.rs", "tests/t.rs"] {
            std::fs::create_dir_all(at.join(file).parent().unwrap()).unwrap();
            std::fs::write(at.join(file), "").unwrap();
        }
        let of = |file: &str| failures(&at.join(file));
        assert_eq!(of("src/lib.rs"), at.join("proptest-regressions/lib.txt"));
        assert_eq!(of("src/a/b.rs"), at.join("proptest-regressions/a/b.txt"));
        assert_eq!(of("tests/t.rs"), at.join("tests/t.proptest-regressions"));
    }

    #[test]
    fn a_line_is_known_by_its_seed() {
        let line = line(&[0, 255], values("minimal failing input: x = 1").as_ref());
        assert_eq!(line, "pt 00ff # shrinks to x = 1");
        assert!(is_same(&line, "pt 00ff # shrinks to x = 2") && !is_same(&line, "pt 00"));
    }
}
