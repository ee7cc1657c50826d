//! Results of a run, added up over its ended paths: statistics, findings, unsupported, bounds.

use crate::exec::path::end::Fault;
use crate::exec::path::trace::place;
use crate::state::State;
use std::collections::BTreeMap;
use symex_program::Program;
use symex_types::outcome::{
    Bound, Counted, EndedPath, Finding, FindingKind, SourceLoc, Stats, Unsupported,
};

/// The results of a run as far as it has come.
pub struct Outcomes<'a> {
    program: &'a Program,
    pub stats: Stats,
    pub tally: Tally,
    /// Findings not yet told to the observer.
    pub fresh: Vec<Finding>,
    /// Paths that ended as programs do, not yet told to the observer.
    pub ended: Vec<EndedPath>,
    /// A panic is wanted; with this text if not empty.
    pub expect_panic: Option<String>,
}

impl<'a> Outcomes<'a> {
    /// No results yet.
    pub fn new(program: &'a Program) -> Self {
        Outcomes {
            program,
            stats: Stats::default(),
            tally: Tally::default(),
            fresh: Vec::new(),
            ended: Vec::new(),
            expect_panic: None,
        }
    }

    /// Counts something that could not be done on a path.
    pub fn unsupported(&mut self, st: &State, unsupported: Unsupported) {
        if !self.tally.unsupported.contains_key(&unsupported) {
            let at = place(self.program, st);
            self.tally.unsupported.insert(unsupported.clone(), (at, 0));
        }
        self.tally
            .unsupported
            .entry(unsupported)
            .and_modify(|known| known.1 += 1);
    }

    /// Counts a path that a bound left out, or ended.
    pub fn bounded(&mut self, st: &State, bound: Bound) {
        self.tally.left_out = true;
        self.note(st, bound);
    }

    /// Counts a limit on what a path stands for. The path itself goes on.
    pub fn note(&mut self, st: &State, bound: Bound) {
        if !self.tally.bounds.contains_key(&bound) {
            let at = place(self.program, st);
            self.tally.bounds.insert(bound.clone(), (at, 0));
        }
        self.tally
            .bounds
            .entry(bound)
            .and_modify(|known| known.1 += 1);
    }

    /// Is this the panic that the harness wants? One whose text is another, or cannot be seen, is a
    /// finding; whether it stands is for the native run to say.
    pub(super) fn is_expected(&self, fault: &Fault) -> bool {
        let expected = self.expect_panic.as_deref();
        fault.kind == FindingKind::Panic
            && expected.is_some_and(|text| fault.message.contains(text))
    }

    /// Adds a finding of which this is the first.
    pub(super) fn find(&mut self, key: FindingKey, finding: Finding) {
        self.fresh.push(finding.clone());
        self.tally.findings.push((key, finding));
    }
}

/// All that the ended paths add up to.
#[derive(Default)]
pub struct Tally {
    findings: Vec<(FindingKey, Finding)>,
    unsupported: BTreeMap<Unsupported, (Option<SourceLoc>, u64)>,
    bounds: BTreeMap<Bound, (Option<SourceLoc>, u64)>,
    pub covers: BTreeMap<String, bool>,
    /// Did a bound end a path, or keep one from being followed? Other bounds only narrow what the
    /// paths stand for.
    left_out: bool,
}

/// Identity of a finding: kind, named check, place, and the innermost frames of the trace.
pub(super) type FindingKey = (
    FindingKind,
    Option<String>,
    Option<SourceLoc>,
    Vec<Option<SourceLoc>>,
);

impl Tally {
    /// Counts paths that were left out for want of time, memory or the like, at no place in
    /// particular.
    pub fn bounded_many(&mut self, bound: Bound, many: u64) {
        self.bounds.entry(bound).or_insert((None, 0)).1 += many;
        self.left_out = true;
    }

    /// Remembers something taken for granted at no place in particular.
    pub fn assume(&mut self, what: &str) {
        let bound = Bound::Assumed(what.to_string());
        self.bounds.entry(bound).or_insert((None, 1));
    }

    /// Have paths been left out?
    pub fn has_left_out(&self) -> bool {
        self.left_out
    }

    /// Have bugs been found?
    pub fn has_findings(&self) -> bool {
        !self.findings.is_empty()
    }

    /// Findings, each cause once.
    pub fn findings(&self) -> usize {
        self.findings.len()
    }

    /// Index of what was found for the same cause before.
    pub(super) fn known(&self, key: &FindingKey) -> Option<usize> {
        self.findings.iter().position(|f| f.0 == *key)
    }

    /// The finding at an index.
    pub(super) fn finding_mut(&mut self, at: usize) -> &mut Finding {
        &mut self.findings[at].1
    }

    /// Everything, in a fixed order.
    pub fn finish(self) -> Totals {
        fn counted<T>(map: BTreeMap<T, (Option<SourceLoc>, u64)>) -> Vec<Counted<T>> {
            map.into_iter()
                .map(|(what, (at, count))| Counted { what, at, count })
                .collect()
        }
        let mut findings: Vec<Finding> = self.findings.into_iter().map(|f| f.1).collect();
        findings.sort_by(|a, b| (&a.at, a.kind, &a.message).cmp(&(&b.at, b.kind, &b.message)));
        Totals {
            findings,
            unsupported: counted(self.unsupported),
            bounds: counted(self.bounds),
            covers: self.covers.into_iter().collect(),
        }
    }
}

/// Final contents of a [`Tally`], in a fixed order.
pub struct Totals {
    pub findings: Vec<Finding>,
    pub unsupported: Vec<Counted<Unsupported>>,
    pub bounds: Vec<Counted<Bound>>,
    /// Name of each `cover!`, and whether an input met it.
    pub covers: Vec<(String, bool)>,
}
