//! What a pointer may refer to is one question, and every complete memory model must give the same answer to it.
//!
//! First, the programs of `tests/programs` under every model: the same findings and verdicts as with a path per object.
//! Second, random programs over the heap (`heap_programs/generator.rs`), which are run natively on each of their inputs.
//! The engine is to find what happens natively and nothing else: each fault, with an input on which it happens; that
//! every other input gives the result that it gives natively; and each input for which it is told another result.
//!
//! `SYMEX_TEST_SEED=N` tries the program of one seed, and shows it. `SYMEX_TEST_SECONDS=N` goes on for that long.

#[path = "heap_programs/batch.rs"]
mod batch;
#[path = "heap_programs/generator.rs"]
mod generator;
mod support;

use batch::{Case, Fault, encode};
use cargo_symex::config::{
    Config, MemoryConfig, MemoryModelKind, PartSize, PlanesKind, SearchKind,
};
use cargo_symex::engine::{Entry, Job, explore};
use cargo_symex::event::Silent;
use cargo_symex::outcome::{Cut, Finding, Outcome, Verdict};
use cargo_symex::program::Program;
use cargo_symex::report::verdict::word;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::limited::{self, LIMIT, watch};

/// Seeds whose programs once showed a difference.
const KEPT: &[u64] = &[];

/// How many programs are tried, and for how long at most.
const PROGRAMS: u64 = 160;
const SECONDS: u64 = 75;

/// For how many seconds a random program is explored at most; what is not explored by then is not compared.
const EACH_RANDOM: u64 = 10;

/// The same for a program that is always compared: much more than it takes, for busy machines.
const EACH_KEPT: u64 = 120;

/// Programs that are compiled together.
const BATCH: usize = 8;

fn name(model: MemoryModelKind) -> String {
    let name = serde_json::to_value(model).expect("a name");
    name.as_str().expect("a name").to_owned()
}

/// Every setting of the memory that is compared.
fn settings() -> Vec<(String, MemoryConfig)> {
    let plain = MemoryModelKind::ALL.iter().map(|model| {
        let memory = MemoryConfig {
            model: *model,
            ..MemoryConfig::default()
        };
        (name(*model), memory)
    });
    // Segments that are full at once, so that an access goes to several, and members from elsewhere.
    let small = MemoryConfig {
        model: MemoryModelKind::Dynamic,
        segment_threshold: 64,
        context_depth: Some(0),
        ..MemoryConfig::default()
    };
    // Objects in parts, so small that the objects of the random programs have several.
    let forked = MemoryConfig {
        split_objects: Some(PartSize::Bytes(64)),
        split_threshold: 64,
        ..MemoryConfig::default()
    };
    let merged = MemoryConfig {
        split_objects: Some(PartSize::Bytes(8)),
        split_threshold: 8,
        ..small.clone()
    };
    plain
        .chain([
            ("dynamic, small".to_owned(), small),
            ("forking, split".to_owned(), forked),
            ("dynamic, split".to_owned(), merged),
        ])
        .collect()
}

/// The model `planes` with every write of the program a record: for programs that do little.
fn naive() -> (String, MemoryConfig) {
    let memory = MemoryConfig {
        model: MemoryModelKind::Planes,
        planes: PlanesKind::Naive,
        ..MemoryConfig::default()
    };
    ("planes, naive".to_owned(), memory)
}

/// Explores within so many seconds.
fn run(program: &Arc<Program>, entry: Entry, memory: &MemoryConfig, seconds: u64) -> Outcome {
    let config = Config {
        memory: memory.clone(),
        ..Config::default()
    };
    run_with(program, entry, config, seconds)
}

fn run_with(program: &Arc<Program>, entry: Entry, mut config: Config, seconds: u64) -> Outcome {
    config.limits.timeout = Some(Duration::from_secs(seconds));
    let job = Job {
        program: program.clone(),
        entry,
        config,
        should_panic: None,
        stop: Arc::new(AtomicBool::new(false)),
    };
    let _watch = watch(LIMIT);
    explore(&job, &mut Silent)
}

/// What came of the explorations.
#[derive(Default)]
struct Tally {
    complaints: Vec<String>,
    /// Explorations by model: all, and those that a limit of time ended.
    explored: BTreeMap<String, (usize, usize)>,
    /// Programs with a fault on some input.
    faulty: usize,
    programs: usize,
    seconds: BTreeMap<String, f64>,
}

/// The faults that were found, if each happens natively on its inputs.
fn true_faults(
    case: &Case,
    outcome: &Outcome,
    expected: &BTreeMap<Fault, BTreeSet<usize>>,
) -> Result<BTreeSet<Fault>, String> {
    let mut found = BTreeSet::new();
    for finding in &outcome.findings {
        let fault = fault(finding);
        let values: Vec<u8> = finding.draws.iter().map(|draw| draw.bytes[0]).collect();
        let x = encode(&case.radices, &values);
        match expected.get(&fault) {
            None => {
                return Err(format!(
                    "{fault:?} on {values:?} ({x}) happens natively never"
                ));
            }
            Some(on) if !on.contains(&x) => {
                return Err(format!(
                    "{fault:?} happens natively not on {values:?} ({x})"
                ));
            }
            Some(_) => {}
        }
        found.insert(fault);
    }
    Ok(found)
}

/// Compares an exploration with what happens natively. The complaint, if any; false: it was cut short.
fn compare(
    case: &Case,
    outcome: &Outcome,
    expected: &BTreeMap<Fault, BTreeSet<usize>>,
    complete: bool,
) -> Result<bool, String> {
    let found = true_faults(case, outcome, expected)?;
    let (gaps, cuts) = match &outcome.verdict {
        Verdict::Bug { gaps, cuts } | Verdict::Inconclusive { gaps, cuts } => {
            (gaps.as_slice(), cuts.as_slice())
        }
        Verdict::PassBounded { cuts } => (&[][..], cuts.as_slice()),
        Verdict::PassComplete => (&[][..], &[][..]),
        Verdict::Vacuous { .. } => return Err(format!("{:?}", outcome.verdict)),
    };
    if !gaps.is_empty() {
        return Err(format!("{gaps:?}"));
    }
    if !cuts.is_empty() {
        let all_timeouts = cuts.iter().all(|cut| cut.what == Cut::Timeout);
        return if complete && !all_timeouts {
            Err(format!("{cuts:?}"))
        } else {
            Ok(false)
        };
    }
    // A complete pass must be one, whatever the model says of itself.
    let lost: Vec<_> = expected
        .iter()
        .filter(|(fault, _)| !found.contains(*fault))
        .collect();
    if lost.is_empty() {
        Ok(true)
    } else {
        Err(format!("{lost:?} was not found"))
    }
}

fn fault(finding: &Finding) -> Fault {
    let kind = serde_json::to_value(finding.kind).expect("a kind");
    let line = finding.at.as_ref().map_or(0, |at| at.line);
    (kind.as_str().expect("a kind").to_owned(), line)
}

/// The findings and the verdict, for comparison with another model.
fn places(outcome: &Outcome) -> (BTreeSet<Fault>, &'static str) {
    (
        outcome.findings.iter().map(fault).collect(),
        word(&outcome.verdict),
    )
}

fn check_batch(seeds: &[u64], passes: bool, tally: &Mutex<Tally>, show: bool) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let programs: Vec<_> = seeds.iter().map(|seed| generator::program(*seed)).collect();
    let (cases, program) = batch::prepare(&programs, folder.path(), passes);
    for case in &cases {
        if show {
            println!("{}\nfaults {:?}", case.text, case.faults);
        }
        let mut both = case.faults.clone();
        both.extend(case.mutants.clone());
        // The tool's passes may drop a bad read of what is not used in the end. What remains is to be agreed upon.
        let agree_only = passes && !case.faults.is_empty();
        let mut first = BTreeMap::new();
        for (name, memory) in settings() {
            for (entry, expected) in [(&case.right, &case.faults), (&case.wrong, &both)] {
                let harness = Entry::Harness(program.function_names[entry]);
                let outcome = run(&program, harness, &memory, EACH_RANDOM);
                let compared = if !agree_only {
                    compare(case, &outcome, expected, memory.model.is_complete())
                } else if memory.model.is_complete() && !out_of_time(&outcome) {
                    let findings = places(&outcome);
                    let first = first.entry(entry).or_insert_with(|| findings.clone());
                    if *first == findings {
                        Ok(true)
                    } else {
                        Err(format!("{findings:?}, where another model has {first:?}"))
                    }
                } else {
                    Ok(false)
                };
                if show {
                    let stats = &outcome.stats;
                    println!(
                        "{name} {entry}: {} paths, {} queries, {:.3} s, {compared:?}",
                        stats.paths, stats.queries, stats.seconds
                    );
                }
                let mut tally = tally.lock().expect("no panic");
                let count = tally.explored.entry(name.clone()).or_default();
                count.0 += 1;
                count.1 += usize::from(compared == Ok(false));
                *tally.seconds.entry(name.clone()).or_default() += outcome.stats.seconds;
                if let Err(complaint) = compared {
                    tally.complaints.push(format!(
                        "seed {}, passes {passes}, {name}, {entry}: {complaint}",
                        case.seed
                    ));
                }
            }
        }
        let mut tally = tally.lock().expect("no panic");
        tally.programs += 1;
        tally.faulty += usize::from(!case.faults.is_empty());
    }
}

/// Did the limit of time end the exploration?
fn out_of_time(outcome: &Outcome) -> bool {
    let cuts: &[_] = match &outcome.verdict {
        Verdict::Bug { cuts, .. }
        | Verdict::PassBounded { cuts }
        | Verdict::Inconclusive { cuts, .. }
        | Verdict::Vacuous { cuts, .. } => cuts,
        Verdict::PassComplete => &[],
    };
    cuts.iter().any(|cut| cut.what == Cut::Timeout)
}

/// Findings and verdict by model; a complaint if complete models differ.
fn agree<T: PartialEq + std::fmt::Debug>(program: &str, of: &[(&str, T)]) -> Option<String> {
    let (first, rest) = of.split_first().expect("a model");
    let other = rest.iter().find(|(_, other)| *other != first.1)?;
    Some(format!("{program}: {first:?} but {other:?}"))
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/programs")
}

#[test]
fn c_programs() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let mut complaints = Vec::new();
    let mut seen = 0;
    for entry in std::fs::read_dir(tests().join("c")).expect("the programs") {
        let source = entry.expect("an entry").path();
        if source.extension().is_none_or(|e| e != "c") {
            continue;
        }
        seen += 1;
        let program = batch::compile(&source, &["main".to_owned()], folder.path(), false);
        let main = Entry::Main(program.function_names["main"], vec!["program".to_owned()]);
        let mut settings = settings();
        settings.push(naive());
        let complete = settings
            .iter()
            .filter(|(_, memory)| memory.model.is_complete());
        let of: Vec<_> = complete
            .map(|(name, memory)| {
                let outcome = run(&program, main.clone(), memory, EACH_KEPT);
                (name.as_str(), places(&outcome))
            })
            .collect();
        complaints.extend(agree(&source.display().to_string(), &of));
    }
    assert!(seen > 10);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn rust_programs() {
    type Said = (String, BTreeSet<(String, String)>);
    let run = |memory: &MemoryConfig| -> BTreeMap<String, Said> {
        let depth = memory.context_depth.map(|k| format!("--context-depth={k}"));
        let parts = memory.split_objects.map(|parts| match parts {
            PartSize::ByModel => "--split-objects=model".to_owned(),
            PartSize::Auto => "--split-objects=auto".to_owned(),
            PartSize::Bytes(bytes) => format!("--split-objects={bytes}"),
        });
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-symex"));
        command
            .args(["symex", "--message-format", "json", "--timeout", "120s"])
            // Half of the time of all, and no memory in it.
            .args(["--skip", "control::spins_for_one_input"])
            .args(["--no-replay", "--memory-model", &name(memory.model)])
            .arg(format!("--segment-threshold={}B", memory.segment_threshold))
            .args(depth)
            .args(parts)
            .arg(format!("--split-threshold={}", memory.split_threshold))
            .current_dir(tests().join("rust"))
            .env("CI", "1")
            .env(
                "CARGO_TARGET_DIR",
                Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs"),
            );
        let output = limited::output_within(limited::LONG, &mut command);
        let text = String::from_utf8(output.stdout).expect("text");
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        let finished = lines.filter(|line| line["type"] == "harness-finished");
        finished
            .map(|line| {
                let findings = line["outcome"]["findings"].as_array().expect("findings");
                let place = |finding: &serde_json::Value| {
                    (finding["kind"].to_string(), finding["at"].to_string())
                };
                let said = (
                    line["verdict_text"].to_string(),
                    findings.iter().map(place).collect(),
                );
                (line["harness"].to_string(), said)
            })
            .collect()
    };
    let settings = settings();
    let complete = settings
        .iter()
        .filter(|(_, memory)| memory.model.is_complete());
    let all: Vec<_> = complete
        .map(|(name, memory)| (name.as_str(), run(memory)))
        .collect();
    let harnesses: Vec<&String> = all[0].1.keys().collect();
    assert!(harnesses.len() > 50, "{harnesses:?}");
    let complaints: Vec<String> = harnesses
        .into_iter()
        .filter_map(|harness| {
            let of: Vec<_> = all
                .iter()
                .map(|(name, said)| (*name, said.get(harness)))
                .collect();
            agree(harness, &of)
        })
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn random_heap_programs() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .map(|text| text.parse::<u64>().expect("a number"))
    };
    let tally = Mutex::new(Tally::default());
    if let Some(seed) = number("SYMEX_TEST_SEED") {
        for passes in [false, true] {
            check_batch(&[seed], passes, &tally, true);
        }
    } else {
        let seconds = number("SYMEX_TEST_SECONDS");
        let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(SECONDS));
        let programs = if seconds.is_some() {
            u64::MAX
        } else {
            PROGRAMS
        };
        let kept = KEPT.iter().map(|seed| [(*seed, false), (*seed, true)]);
        // Batches of one kind and the other in turn.
        let fresh = (1..=programs).map(|seed| (seed, (seed / BATCH as u64).is_multiple_of(2)));
        let seeds = Mutex::new(kept.flatten().chain(fresh));
        let worker = || {
            while Instant::now() < end {
                let batch: Vec<(u64, bool)> = {
                    let mut seeds = seeds.lock().expect("no panic");
                    seeds.by_ref().take(BATCH).collect()
                };
                if batch.is_empty() {
                    break;
                }
                for passes in [false, true] {
                    let of_kind = batch.iter().filter(|(_, p)| *p == passes);
                    let of_kind: Vec<u64> = of_kind.map(|(seed, _)| *seed).collect();
                    if !of_kind.is_empty() {
                        check_batch(&of_kind, passes, &tally, false);
                    }
                }
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(worker);
            }
        });
    }
    let tally = tally.into_inner().expect("no panic");
    println!(
        "{} programs, {} with faults; explorations (all, out of time): {:?}; seconds {:?}",
        tally.programs, tally.faulty, tally.explored, tally.seconds
    );
    assert!(
        tally.complaints.is_empty(),
        "{} complaints\n{}",
        tally.complaints.len(),
        tally.complaints.join("\n")
    );
    for (name, (all, cut)) in &tally.explored {
        let model = settings().into_iter().find(|(n, _)| n == name);
        let model = model.map(|(_, memory)| memory.model);
        let complete = model.is_some_and(MemoryModelKind::is_complete);
        // The flat model is there to be worse.
        let most = match model {
            Some(MemoryModelKind::Flat) => all / 2,
            _ => all / 10,
        };
        assert!(
            !complete || *cut <= most,
            "{name}: {cut} of {all} were cut short"
        );
    }
}

/// Where questions go unanswered, the verdict says so and nothing is made up.
#[test]
fn without_answers_nothing_is_made_up() {
    const SEEDS: std::ops::Range<u64> = 1..17;
    let folder = tempfile::tempdir().expect("a scratch folder");
    let programs: Vec<_> = SEEDS.map(generator::program).collect();
    let (cases, program) = batch::prepare(&programs, folder.path(), false);
    let mut complaints = Vec::new();
    let (mut unsure, mut findings) = (0, 0);
    for case in &cases {
        let mut both = case.faults.clone();
        both.extend(case.mutants.clone());
        let settings = settings();
        let complete = settings
            .iter()
            .filter(|(_, memory)| memory.model.is_complete());
        // Interrupted queries leave more behind than those that were never asked.
        let every = [Some(2), None, Some(3), Some(5), None, Some(7), None];
        for ((name, memory), every) in complete.zip(every.into_iter().cycle()) {
            let mut config = Config {
                memory: memory.clone(),
                ..Config::default()
            };
            config.solver.give_up_every = every;
            if every.is_none() {
                config.solver.query_timeout = Duration::from_millis(4);
            }
            let harness = Entry::Harness(program.function_names[&case.wrong]);
            let outcome = run_with(&program, harness, config, EACH_RANDOM);
            let told = match &outcome.verdict {
                Verdict::Bug { gaps, .. } | Verdict::Inconclusive { gaps, .. } => !gaps.is_empty(),
                _ => false,
            };
            unsure += usize::from(told);
            findings += outcome.findings.len();
            let complaint = match true_faults(case, &outcome, &both) {
                Ok(found) if !told && !out_of_time(&outcome) && found.len() < both.len() => {
                    Some("faults are missing, and it is not said why".to_owned())
                }
                Ok(_) => None,
                Err(complaint) => Some(complaint),
            };
            complaints.extend(complaint.map(|c| format!("seed {}, {name}: {c}", case.seed)));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(unsure > 20 && findings > 20, "{unsure} {findings}");
}

/// What `main` does with three allocations comes out as findings of `abort`, by line; and the number of paths.
fn with_placements(body: &str, both: bool) -> (BTreeSet<u32>, u64, Outcome) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let text = format!(
        "#include <stdint.h>
#include <stdlib.h>
extern void symex_make_symbolic(void *, size_t, const char *);
int main(void) {{
  char *a = malloc(8), *b = malloc(8), *c = malloc(8);
{body}
  return 0;
}}
"
    );
    let (program, main) = compile_text(&text, folder.path());
    let memory = MemoryConfig {
        explore_placements: both,
        ..MemoryConfig::default()
    };
    let outcome = run(&program, main, &memory, EACH_KEPT);
    let lines = outcome.findings.iter().map(|f| fault(f).1 - 5).collect();
    (lines, outcome.stats.paths, outcome)
}

#[test]
fn both_ways_of_a_decision_on_addresses_are_followed_on_request() {
    let lines = |body: &str, both| with_placements(body, both).0;
    let order = "if (a < b)
  abort();
else
  abort();";
    assert_eq!(lines(order, false).len(), 1);
    assert_eq!(lines(order, true), BTreeSet::from([2, 4]));
    // What was decided stays so, also when it follows from two decisions.
    let consistent = "if (a < b && b < a) abort();
if (a < b && b < c && c < a) abort();
if ((uintptr_t)a % 64 == 0 && ((uintptr_t)a & 32)) abort();";
    let (found, paths, outcome) = with_placements(consistent, true);
    assert_eq!(found, BTreeSet::new());
    assert_eq!(word(&outcome.verdict), "pass-complete");
    assert!(paths >= 6, "{paths}");
    // Low bits, and numbers of addresses that were taken as such before.
    let low = "if (((uintptr_t)b >> 4) % 4 == 3) abort();";
    assert_eq!(lines(low, true), BTreeSet::from([1]));
    let kept = "uintptr_t n = (uintptr_t)b;
char *table[4] = {a, b, c, a};
table[(n >> 4) % 4] = 0;
if ((n >> 4) % 4 == 2 && table[2]) abort();";
    assert_eq!(lines(kept, true), BTreeSet::new());
    // Different objects are never equal, and inputs follow the placement.
    let equal = "if (a == b) abort();
if (a + 8 == b + 8) abort();
unsigned char x;
symex_make_symbolic(&x, 1, \"x\");
if (x == (unsigned char)((uintptr_t)c >> 4) && b < c) abort();
if (x == (unsigned char)((uintptr_t)c >> 4) && c < b) abort();";
    assert_eq!(lines(equal, true), BTreeSet::from([5, 6]));
    assert_eq!(lines(equal, false).len(), 1);
}

/// `objects` of the same size from two places, one of them read at an offset that may lie in or just behind it.
fn alike(objects: u32, wrong: bool, folder: &Path) -> (Arc<Program>, Entry) {
    let text = format!(
        "#include <stdlib.h>
extern void symex_make_symbolic(void *, size_t, const char *);
extern void symex_assume(_Bool);
int main(void) {{
  unsigned char *objects[{objects}];
  for (unsigned i = 0; i < {objects}; i++)
    if (i % 2)
      objects[i] = calloc(16, 1);
    else
      objects[i] = calloc(16, 1);
  unsigned i, at;
  symex_make_symbolic(&i, sizeof i, \"i\");
  symex_make_symbolic(&at, sizeof at, \"at\");
  symex_assume(i < {objects});
  symex_assume((at < 16) | (at == 16) & (i == {}));
  return objects[i][at];
}}
",
        if wrong { 5 } else { objects }
    );
    compile_text(&text, folder)
}

#[test]
fn objects_alike_are_checked_with_one_query() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let merging = MemoryConfig {
        model: MemoryModelKind::Merging,
        ..MemoryConfig::default()
    };
    let explore = |objects, wrong| {
        let (program, main) = alike(objects, wrong, folder.path());
        run(&program, main, &merging, EACH_KEPT)
    };
    let (few, many) = (explore(8, false), explore(64, false));
    for outcome in [&few, &many] {
        assert_eq!(outcome.verdict, Verdict::PassComplete);
        assert_eq!(outcome.stats.paths, 1);
    }
    assert_eq!(few.stats.queries, many.stats.queries);

    // The object of a finding is the one that its inputs lead to.
    let outcome = explore(8, true);
    let [finding] = &outcome.findings[..] else {
        panic!("{:?}", outcome.findings)
    };
    assert_eq!(fault(finding), ("out-of-bounds".to_owned(), 16));
    let at = finding.allocated_at.as_ref().expect("a place");
    assert_eq!(at.line, 8, "{finding:?}");
    assert_eq!(outcome.stats.paths, 2);
}

fn compile_text(text: &str, folder: &Path) -> (Arc<Program>, Entry) {
    let source = folder.join("program.c");
    std::fs::write(&source, text).expect("written");
    let program = batch::compile(&source, &["main".to_owned()], folder, false);
    let main = Entry::Main(program.function_names["main"], vec!["program".to_owned()]);
    (program, main)
}

#[test]
fn one_path_for_all_rows() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(
        "#include <stdlib.h>
extern void symex_make_symbolic(void *, size_t, const char *);
extern void symex_assume(_Bool);
int main(void) {
  int *rows[12];
  for (int i = 0; i < 12; i++) {
    rows[i] = malloc(12 * sizeof(int));
    for (int j = 0; j < 12; j++)
      rows[i][j] = i * j;
  }
  unsigned i, j;
  symex_make_symbolic(&i, sizeof i, \"i\");
  symex_make_symbolic(&j, sizeof j, \"j\");
  symex_assume(i < 12 && j < 12);
  free(rows[3]);
  rows[3] = calloc(12, sizeof(int));
  rows[i][j] += 1;
  int sum = 0;
  for (int k = 0; k < 12; k++)
    sum += rows[k][5];
  return sum == 63 * 5 + (j == 5);
}
",
        folder.path(),
    );
    for (name, memory) in settings().into_iter().chain([naive()]) {
        let outcome = run(&program, main.clone(), &memory, EACH_KEPT);
        let paths = outcome.stats.paths;
        match memory.model {
            MemoryModelKind::Single => continue,
            MemoryModelKind::Forking => assert!(paths >= 12, "{name}: {paths}"),
            // The comparison at the end is a branch.
            _ => assert!(paths <= 2, "{name}: {paths}"),
        }
        assert_eq!(outcome.verdict, Verdict::PassComplete, "{name}");
    }
}

#[test]
fn what_nobody_wrote_is_named_by_its_own_object() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(
        "#include <stdlib.h>
extern void symex_make_symbolic(void *, size_t, const char *);
extern void symex_assume(_Bool);
int main(void) {
  unsigned char *objects[3];
  objects[0] = malloc(24);
  objects[1] = malloc(24);
  objects[2] = malloc(24);
  for (int k = 0; k < 24; k++)
    objects[1][k] = k;
  for (int k = 4; k < 24; k++)
    objects[0][k] = objects[2][k] = k;
  objects[0][0] = 1;
  unsigned i;
  symex_make_symbolic(&i, sizeof i, \"i\");
  symex_assume(i < 3);
  if (objects[i][0] == 9)
    return 1;
  return 0;
}
",
        folder.path(),
    );
    for (name, memory) in settings().into_iter().chain([naive()]) {
        if !memory.model.is_complete() {
            continue;
        }
        let outcome = run(&program, main.clone(), &memory, EACH_KEPT);
        let [finding] = &outcome.findings[..] else {
            panic!("{name}: {:?}", outcome.findings)
        };
        let at = finding.allocated_at.as_ref().expect("a place");
        assert_eq!(at.line, 8, "{name}: {finding:?}");
        assert!(finding.message.contains("byte 0 of"), "{name}: {finding:?}");
    }
}

#[test]
fn the_numbers_of_a_small_program_are_exact() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = alike(8, false, folder.path());
    let stats = |model| {
        let memory = MemoryConfig {
            model,
            ..MemoryConfig::default()
        };
        run(&program, main.clone(), &memory, EACH_KEPT).stats
    };

    // `objects[i]` has one object, `objects[i][at]` one of eight; each is read at an offset that is an input.
    let merged = stats(MemoryModelKind::Merging);
    assert_eq!((merged.paths, merged.forks), (1, 0));
    let memory = &merged.memory;
    assert_eq!(
        (memory.accesses, memory.several, memory.remembered),
        (2, 1, 0)
    );
    assert_eq!((memory.candidates, memory.most_candidates), (8, 8));
    assert_eq!((memory.forked, memory.merged, memory.single), (0, 1, 0));
    assert_eq!(memory.symbolic_reads, [8, 1, 0, 0, 0, 0]);
    assert_eq!(memory.symbolic_writes, [0; 6]);
    assert_eq!((memory.arrays, memory.array_elements), (9, 8 + 8 * 16));
    assert_eq!(memory.measured_states, 1);
    assert_eq!(memory.shared_bytes, 0);
    assert_eq!(merged.purposes.values().sum::<u64>(), merged.queries);
    let answered: u64 = merged.stages.iter().map(|stage| stage.answered).sum();
    assert_eq!(answered, merged.queries);

    // Each path but the first makes the last access again, and finds the same candidates.
    let forked = stats(MemoryModelKind::Forking);
    assert_eq!((forked.paths, forked.forks), (8, 7));
    let memory = &forked.memory;
    assert_eq!((memory.accesses, memory.several), (1 + 8, 8));
    assert_eq!((memory.candidates, memory.most_candidates), (64, 8));
    assert_eq!((memory.forked, memory.merged, memory.single), (8, 0, 0));
    assert_eq!(memory.symbolic_reads, [8, 1, 0, 0, 0, 0]);
    assert_eq!(forked.purposes["resolve"], 8);
    assert!(memory.measured_states > 1);
    assert!(
        memory.shared_bytes > 0 && memory.owned_bytes > 0,
        "{memory:?}"
    );
}

/// Whether each of four bytes of a buffer of 64 KiB, in pages of their own, changes is an input. After that there is enough to
/// do for each path to wait for the others.
const CHANGES: &str = "extern void symex_make_symbolic(void *, unsigned long, const char *);
extern void *malloc(unsigned long);
int main(void) {
  unsigned char *buffer = malloc(65536);
  for (unsigned at = 0; at < 65536; at++)
    buffer[at] = at * 7;
  for (unsigned k = 0; k < 4; k++) {
    unsigned char change;
    symex_make_symbolic(&change, 1, \"change\");
    if (change & 1)
      buffer[k * 1000]++;
  }
  for (volatile unsigned i = 0; i < 20000; i++)
    ;
  return 0;
}
";

#[test]
fn states_share_what_they_did_not_change() {
    const BUFFER: u64 = 65_536;
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(CHANGES, folder.path());
    let stats = |copy_whole_objects| {
        // Breadth first, so that all states wait at the same time.
        let mut config = Config {
            search: SearchKind::Bfs,
            ..Config::default()
        };
        config.memory.copy_whole_objects = copy_whole_objects;
        let outcome = run_with(&program, main.clone(), config, EACH_KEPT);
        assert_eq!(outcome.verdict, Verdict::PassComplete);
        assert_eq!(outcome.stats.paths, 16);
        outcome.stats.memory
    };

    let layers = stats(false);
    assert_eq!(layers.measured_states, 16);
    // Filling the buffer makes all of its pages. Then one of both ways of each decision copies one page.
    assert_eq!(layers.updates.pages, BUFFER / 256);
    assert_eq!(layers.updates.copies, 1 + 2 + 4 + 8);
    assert_eq!(layers.updates.stores + layers.updates.ranges, 0);
    // Shared: each page that some did not change, once. Owned: the page that the last decision of a state changed, in eight of
    // them, and what leads to it.
    assert!(layers.shared_contents > BUFFER && layers.shared_contents < 2 * BUFFER);
    assert!(layers.owned_contents >= 8 * 256 && layers.owned_contents < 16 * 1024);
    assert!(layers.shared_bytes > layers.shared_contents);
    assert!(layers.owned_bytes > layers.owned_contents);
    let state_bytes = layers.owned_bytes + layers.shared_bytes;
    assert_eq!(layers.state_bytes, state_bytes);

    // Without layers each state has a buffer of its own.
    let whole = stats(true);
    assert_eq!(whole.measured_states, 16);
    assert!(whole.owned_contents > 16 * BUFFER);
    assert!(whole.shared_contents < BUFFER);
    assert!(whole.state_bytes > 5 * layers.state_bytes);
}

#[test]
fn layers_are_counted_by_kind() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(
        "extern void symex_make_symbolic(void *, unsigned long, const char *);
extern void symex_assume(_Bool);
extern void *memset(void *, int, unsigned long);
int main(void) {
  unsigned char table[64] = {0};
  unsigned char at, len;
  symex_make_symbolic(&at, 1, \"at\");
  symex_make_symbolic(&len, 1, \"len\");
  symex_assume((at < 64) & (len < 64));
  table[at] = 1;
  table[9] = 2;
  table[at ^ 1] = 3;
  memset(table, 4, len);
  return table[at] == 9;
}
",
        folder.path(),
    );
    let stats = run(&program, main, &MemoryConfig::default(), EACH_KEPT).stats;
    let updates = &stats.memory.updates;
    // The second store at a symbolic offset finds what was written at a known one since the first.
    assert_eq!((updates.stores, updates.absorbed), (2, 1));
    assert_eq!(updates.ranges, 1);
    assert_eq!(updates.pages, 0);
}

/// Under a model, with large objects in parts of so many bytes.
fn split(model: MemoryModelKind, bytes: u64) -> MemoryConfig {
    MemoryConfig {
        model,
        split_objects: Some(PartSize::Bytes(bytes)),
        ..MemoryConfig::default()
    }
}

#[test]
fn a_part_is_a_path_where_the_model_forks() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(
        "extern void symex_make_symbolic(void *, unsigned long, const char *);
extern void symex_assume(_Bool);
static unsigned char table[1024];
int main(void) {
  for (int i = 0; i < 1024; i++)
    table[i] = i * 7;
  unsigned i;
  symex_make_symbolic(&i, sizeof i, \"i\");
  symex_assume((i >= 200) & (i < 500));
  return table[i] == 77;
}
",
        folder.path(),
    );
    let run = |memory: &MemoryConfig| run(&program, main.clone(), memory, EACH_KEPT);
    let whole = run(&MemoryConfig::default()).stats;
    assert_eq!((whole.paths, whole.memory.array_elements), (1, 1024));
    assert_eq!((whole.memory.split_objects, whole.memory.parts), (0, 0));

    // Of the sixteen parts, those from byte 192 to byte 512.
    let forked = run(&split(MemoryModelKind::Forking, 64));
    assert_eq!(forked.verdict, Verdict::PassComplete);
    assert_eq!(forked.stats.paths, 5);
    let memory = &forked.stats.memory;
    assert_eq!((memory.arrays, memory.array_elements), (5, 5 * 64));
    assert_eq!((memory.split_objects, memory.split_accesses), (1, 5));
    assert_eq!(memory.parts, 5);

    for model in [MemoryModelKind::Dynamic, MemoryModelKind::Merging] {
        let merged = run(&split(model, 64));
        assert_eq!(merged.verdict, Verdict::PassComplete);
        assert_eq!(merged.stats.paths, 1);
        let memory = &merged.stats.memory;
        assert_eq!((memory.arrays, memory.array_elements), (1, 5 * 64));
        assert_eq!((memory.split_objects, memory.split_accesses), (1, 1));
        assert_eq!(memory.parts, 5);
    }

    // One part, and the verdict says so.
    let single = run(&split(MemoryModelKind::Single, 64));
    assert_eq!(single.stats.paths, 1);
    assert!(matches!(single.verdict, Verdict::PassBounded { .. }));
    assert_eq!(single.stats.memory.array_elements, 64);

    // What is not large is not split.
    let small = MemoryConfig {
        split_threshold: 1024,
        ..split(MemoryModelKind::Forking, 64)
    };
    assert_eq!(run(&small).stats.paths, 1);
}

#[test]
fn accesses_across_parts_see_both() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(
        "#include <string.h>
extern void symex_make_symbolic(void *, size_t, const char *);
extern void symex_assume(_Bool);
extern void abort(void);
static unsigned char bytes[512];
int main(void) {
  for (int i = 0; i < 512; i++)
    bytes[i] = i * 5;
  unsigned i, j;
  symex_make_symbolic(&i, sizeof i, \"i\");
  symex_make_symbolic(&j, sizeof j, \"j\");
  symex_assume(i >= 100 && i < 140 && j >= 110 && j < 150);
  unsigned word, read = 0;
  memcpy(&word, bytes + i, 4);
  for (int k = 0; k < 4; k++)
    read |= (unsigned)bytes[i + k] << 8 * k;
  if (word != read)
    abort();
  word = 0x01020304;
  memcpy(bytes + j, &word, 4);
  memcpy(&word, bytes + i, 4);
  if (i == j && word != 0x01020304)
    abort();
  if (i == j + 1 && word >> 24 != (unsigned char)((i + 3) * 5))
    abort();
  // The neighbours are as they were.
  if (bytes[j + 4] != (unsigned char)((j + 4) * 5) || bytes[127] != 127 && (j > 127 || j < 124))
    return 1;
  return word == 0x01020304;
}
",
        folder.path(),
    );
    for model in MemoryModelKind::ALL.iter().filter(|m| m.is_complete()) {
        for bytes in [8, 32, 64] {
            let outcome = run(&program, main.clone(), &split(*model, bytes), EACH_KEPT);
            let found = places(&outcome);
            assert_eq!(
                found,
                (BTreeSet::new(), "pass-complete"),
                "{model:?} {bytes}"
            );
            assert!(outcome.stats.memory.split_accesses > 0);
        }
    }
}

/// An access to one member of a segment, for some inputs, leaves the other members alone for all others.
#[test]
fn a_member_alone_is_kept_to_for_other_inputs() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(
        "#include <stdlib.h>
extern void symex_make_symbolic(void *, size_t, const char *);
extern void symex_assume(_Bool);
static unsigned below(unsigned end, const char *name) {
  unsigned i;
  symex_make_symbolic(&i, sizeof i, name);
  symex_assume(i < end);
  return i;
}
int main(void) {
  unsigned char *small[2] = {calloc(16, 1), calloc(16, 1)};
  for (int k = 0; k < 16; k++)
    small[1][k] = 3;
  unsigned char sum = small[below(2, \"first\")][below(16, \"at\")];
  small[0][3] = 9;
  unsigned char *pair[2] = {small[0], calloc(4096, 1)};
  unsigned second = below(2, \"second\");
  unsigned to = below(4096, \"to\");
  symex_assume((second == 1) | (to < 16));
  pair[second][to] = 7;
  sum += small[below(2, \"third\")][below(16, \"from\")];
  if (small[1][5] != 3)
    abort();
  return sum;
}
",
        folder.path(),
    );
    let small = MemoryConfig {
        model: MemoryModelKind::Dynamic,
        segment_threshold: 64,
        ..MemoryConfig::default()
    };
    let plain = MemoryConfig {
        model: MemoryModelKind::Dynamic,
        ..MemoryConfig::default()
    };
    for memory in [small, plain] {
        let outcome = run(&program, main.clone(), &memory, EACH_KEPT);
        assert_eq!(places(&outcome), (BTreeSet::new(), "pass-complete"));
    }
}

/// What the solver does not answer is left out, and a path says so in its condition: it is not followed for inputs that
/// it is not for.
#[test]
fn what_is_not_known_is_not_taken_for_granted() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(
        "extern void symex_make_symbolic(void *, unsigned long, const char *);
extern void symex_assume(_Bool);
extern void abort(void);
int main(void) {
  unsigned x, y;
  symex_make_symbolic(&x, sizeof x, \"x\");
  symex_make_symbolic(&y, sizeof y, \"y\");
  if (x * x * x + y * y * 7 == 2037679)
    return 1;
  symex_assume(x == 126 & y == 73);
  abort();
}
",
        folder.path(),
    );
    let mut config = Config::default();
    config.solver.query_timeout = Duration::from_nanos(1);
    let outcome = run_with(&program, main, config, EACH_KEPT);
    assert_eq!(places(&outcome), (BTreeSet::new(), "inconclusive"));
}
