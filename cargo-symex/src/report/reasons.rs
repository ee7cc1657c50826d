//! Why a harness stopped at a limit, and what may help: how many paths are left, where they
//! multiply, and what the solver spends its time on.

use super::estimate::{Estimate, estimate};
use crate::harness::HarnessKind;
use crate::source::place::Places;
use bytesize::ByteSize;
use symex_types::outcome::arithmetic::Arithmetic;
use symex_types::outcome::stats::LineStats;
use symex_types::outcome::{SourceLoc, Stats};

/// Number of lines that are named.
const LINES: usize = 5;

/// Least part of all forks, or of the solver's time, for which a line is named.
const NAMED: f64 = 0.05;

/// Part of the time from which on the solver's is told, and from which on it is most of it.
const TOLD: f64 = 0.2;
const MOST: f64 = 0.5;

/// The greatest time that is left, as a multiple of what was spent, for which more time is advised.
const PATIENCE: f64 = 30.0;

/// What is told of a harness that stopped at a limit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reasons {
    pub notes: Vec<String>,
    /// The advice that fits best.
    pub help: Option<String>,
}

/// Tells why a harness of a kind stopped at a limit, that on memory if `is_full`.
pub fn reasons(kind: HarnessKind, stats: &Stats, is_full: bool, places: &Places) -> Reasons {
    let left = estimate(&stats.tree, stats.paths, stats.seconds);
    let forks = share_of(stats, |line| line.forks as f64);
    let queries = share_of(stats, |line| line.solver_seconds);
    // Threads ask at the same time. What another exploration asks, for which this one waits, is not
    // known.
    let own = stats.seconds - stats.beside_seconds;
    let solver = (stats.query_seconds() / own.max(0.001)).min(1.0);
    let mut notes = Vec::new();
    if let Some(Estimate { paths, left, .. }) = &left {
        notes.push(format!(
            "there are {paths} paths by the shape of what was explored; at the rate so far, the rest takes {left}"
        ));
    }
    if !forks.is_empty() {
        let total: u64 = stats.lines.iter().map(|line| line.forks).sum();
        let lines = named(&forks, places);
        notes.push(format!("paths multiply at {lines} of {total} forks"));
    }
    if solver >= TOLD {
        let percent = solver * 100.0;
        let lines = match queries.is_empty() {
            true => String::new(),
            false => format!(", for {} of what took long", named(&queries, places)),
        };
        let kind = hardest(&stats.lines);
        let kind = kind.map_or(String::new(), |kind| format!("; most of that has {kind}"));
        notes.push(format!(
            "the solver took {percent:.0} % of the time{lines}{kind}"
        ));
    }
    if is_full {
        let size = |bytes: u64| ByteSize(bytes).display().iec().to_string();
        notes.push(format!(
            "terms took {} of memory, and what paths hold {}; {} of these waited at a time",
            size(stats.term_bytes),
            size(stats.memory.state_bytes),
            stats.peak_states
        ));
    }
    let help = help(kind, left.as_ref(), solver, (&forks, &queries), places);
    Reasons { notes, help }
}

fn help(
    kind: HarnessKind,
    left: Option<&Estimate>,
    solver: f64,
    (forks, queries): (&[Share<'_>], &[Share<'_>]),
    places: &Places,
) -> Option<String> {
    let show = |share: &Share<'_>| place(share.line, places);
    if let Some(left) = left.filter(|left| left.times <= PATIENCE) {
        return Some(format!(
            "more time may be enough: `--resume --timeout {}`",
            left.timeout
        ));
    }
    match (queries.first(), forks.first()) {
        (Some(hard), _) if solver >= MOST => {
            let advice = advice(hardest(std::slice::from_ref(hard.line)));
            Some(format!(
                "what {} computes is hard for the solver: {advice}",
                show(hard)
            ))
        }
        (_, Some(first)) => {
            let (smaller, assumption) = remedies(kind);
            Some(format!(
                "fewer paths come of smaller inputs ({smaller}), or of {assumption} that leaves out what {} tells apart",
                show(first)
            ))
        }
        _ => None,
    }
}

/// Returns by what inputs of a kind of harness become smaller, and by what some are left out.
fn remedies(kind: HarnessKind) -> (&'static str, &'static str) {
    match kind {
        HarnessKind::Harness => ("a shorter array, `bound` in the attribute", "an `assume`"),
        HarnessKind::PropertyTest => ("shorter collections in its strategies", "a `prop_assume!`"),
        HarnessKind::QuickCheckTest => {
            ("`QUICKCHECK_GENERATOR_SIZE=2`", "a `TestResult::discard()`")
        }
        HarnessKind::BoleroTest => ("smaller generators", "an early `return`"),
        HarnessKind::FuzzTarget => ("`--max-len`", "an early `return`"),
        HarnessKind::KaniProof => ("a shorter array", "a `kani::assume`"),
    }
}

/// Returns the kind of arithmetic that takes most of the time of the queries at these lines that
/// took long, if one does.
fn hardest(lines: &[LineStats]) -> Option<Arithmetic> {
    let mut sum = LineStats::default();
    lines.iter().for_each(|line| sum.add(line));
    let kinds = sum.arithmetic.into_iter();
    let most = kinds.max_by(|one, other| one.1.total_cmp(&other.1))?;
    (most.1 >= MOST * sum.solver_seconds).then_some(most.0)
}

/// Returns what makes a kind of arithmetic easier for the solver.
fn advice(kind: Option<Arithmetic>) -> String {
    match kind {
        Some(Arithmetic::Division(width)) => format!(
            "division of {width} bits is easier by a constant, or in a narrower type; `assume` a small divisor, or few \
             possible ones"
        ),
        Some(Arithmetic::DivisionByConstant(width)) => format!(
            "division of {width} bits by constants is easier in a narrower type; `assume` a narrower range of what is \
             divided"
        ),
        Some(Arithmetic::Multiplication(width)) => format!(
            "multiplication of {width} bits is easier with a constant, or in a narrower type; `assume` that one factor is \
             small"
        ),
        Some(Arithmetic::Float(width)) => format!(
            "floats of {width} bits are easier in a narrower type, or from whole numbers; `assume` a narrow range, or \
             give some of them as constants"
        ),
        Some(Arithmetic::Lookup) => {
            "look-ups are easier in smaller tables, and where fewer inputs decide on one \
             position; `assume` a range of what is looked up (for text, ASCII)"
                .to_owned()
        }
        Some(Arithmetic::Shift(_)) => {
            "shifts are easier by constants; `assume` one of a few amounts, or make a harness \
             for each"
                .to_owned()
        }
        None => "smaller types, or `assume` of a narrower range, make it easier".to_owned(),
    }
}

/// A line, with its part of something.
struct Share<'a> {
    line: &'a LineStats,
    part: f64,
}

/// Returns the lines that have the greatest parts of something.
fn share_of(stats: &Stats, of: impl Fn(&LineStats) -> f64) -> Vec<Share<'_>> {
    let total: f64 = stats.lines.iter().map(&of).sum();
    let shares = stats.lines.iter().map(|line| Share {
        line,
        part: of(line) / total,
    });
    let mut shares: Vec<Share> = shares.filter(|share| share.part >= NAMED).collect();
    shares.sort_by(|one, other| other.part.total_cmp(&one.part));
    shares.truncate(LINES);
    shares
}

fn named(shares: &[Share<'_>], places: &Places) -> String {
    let name = |share: &Share<'_>| {
        let percent = share.part * 100.0;
        format!("{} ({percent:.0} %)", place(share.line, places))
    };
    shares.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn place(line: &LineStats, places: &Places) -> String {
    places.show(&SourceLoc::new(&*line.file, line.line, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(line: u32, forks: u64, solver_seconds: f64) -> LineStats {
        LineStats {
            file: "src/lib.rs".to_owned(),
            line,
            forks,
            solver_seconds,
            arithmetic: Vec::new(),
        }
    }

    fn reasons_of(seconds: f64, solver_seconds: f64, lines: Vec<LineStats>) -> Reasons {
        let mut stats = Stats {
            paths: 1000,
            seconds,
            solver_seconds,
            lines,
            ..Stats::default()
        };
        // A thousand of a million paths.
        for depth in 0..20 {
            (0..(1 << depth) / 1024 + 1).for_each(|_| stats.tree.note_fork(depth));
        }
        (0..1000).for_each(|_| stats.tree.note_end(20));
        reasons(HarnessKind::Harness, &stats, false, &Places::default())
    }

    #[test]
    fn the_lines_with_most_forks_are_named() {
        let lines = vec![line(3, 30, 0.0), line(5, 68, 0.0), line(7, 2, 0.0)];
        let Reasons { notes, help } = reasons_of(60.0, 1.0, lines);
        assert!(
            notes[0].starts_with("there are about 1 million paths"),
            "{notes:?}"
        );
        let forks = "paths multiply at src/lib.rs:5 (68 %), src/lib.rs:3 (30 %) of 100 forks";
        assert_eq!(notes[1..], [forks]);
        let help = help.expect("advice");
        assert!(help.contains("`bound` in the attribute") && help.contains("src/lib.rs:5"));
    }

    #[test]
    fn a_hard_line_is_named() {
        let Reasons { notes, help } = reasons_of(60.0, 48.0, vec![line(9, 0, 47.0)]);
        let solver = "the solver took 80 % of the time, for src/lib.rs:9 (100 %) of what took long";
        assert_eq!(notes[1..], [solver]);
        assert!(help.is_some_and(|help| help.starts_with("what src/lib.rs:9 computes is hard")));
    }

    #[test]
    fn the_kind_of_arithmetic_is_named_where_it_takes_most() {
        let mut hard = line(9, 0, 40.0);
        hard.arithmetic = vec![(Arithmetic::Lookup, 1.0), (Arithmetic::Division(128), 30.0)];
        let Reasons { notes, help } = reasons_of(60.0, 48.0, vec![hard.clone()]);
        assert!(notes[1].ends_with("; most of that has division of 128 bits"));
        assert!(help.is_some_and(|help| help.contains("a small divisor")));
        // Beside another line of sums, it is that line's reason alone.
        let Reasons { notes, .. } = reasons_of(60.0, 48.0, vec![hard, line(3, 0, 30.0)]);
        assert!(notes[1].ends_with("of what took long"), "{notes:?}");
    }

    #[test]
    fn where_memory_went_is_told_where_it_was_the_limit() {
        let stats = Stats {
            term_bytes: 3 << 30,
            peak_states: 7,
            ..Stats::default()
        };
        let notes = reasons(HarnessKind::Harness, &stats, true, &Places::default()).notes;
        assert_eq!(
            notes,
            ["terms took 3.0 GiB of memory, and what paths hold 0 B; 7 of these waited at a time"]
        );
    }

    #[test]
    fn more_time_is_advised_where_it_may_be_enough() {
        let mut stats = Stats {
            paths: 1000,
            seconds: 60.0,
            ..Stats::default()
        };
        (0..10).for_each(|depth| (0..1 << depth).for_each(|_| stats.tree.note_fork(depth)));
        (0..500).for_each(|_| stats.tree.note_end(9));
        (0..500).for_each(|_| stats.tree.note_end(10));
        stats.paths = 250;
        let help = reasons(HarnessKind::Harness, &stats, false, &Places::default())
            .help
            .unwrap_or_default();
        assert!(
            help.starts_with("more time may be enough: `--resume --timeout "),
            "{help}"
        );
        assert_eq!(
            reasons(
                HarnessKind::Harness,
                &Stats::default(),
                false,
                &Places::default()
            ),
            Reasons::default()
        );
    }
}
