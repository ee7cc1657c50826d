//! Results of a run, accumulated over its ended paths: statistics, findings, unsupported
//! operations, bounds.

use crate::exec::path::course::Course;
use crate::exec::path::end::Fault;
use crate::exec::path::profiler::Profiler;
use crate::exec::path::sites::Sites;
use crate::exec::path::sketch::Sketch;
use crate::exec::path::trace::place;
use crate::state::State;
use serde::{Deserialize, Serialize};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use symex_program::{LocId, Program};
use symex_types::config::Config;
use symex_types::outcome::decision_tree::EndKind;
use symex_types::outcome::tree::Tree;
use symex_types::outcome::{
    Bound, Counted, EndedPath, Finding, FindingKind, SourceLoc, Stats, Unsupported,
};

/// Panics that a harness is expected to end with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ExpectedPanic {
    /// Every path ends with one whose message contains this text; a normal return is the failure.
    OnEachPath(String),
    /// At least one path ends with one.
    OnSomePath,
}

/// Results of a run so far.
pub struct Outcomes<'a> {
    program: &'a Program,
    pub stats: Stats,
    pub sites: Sites,
    /// Where the work is done, if that is recorded.
    pub profiler: Option<Box<Profiler>>,
    /// The tree of decisions, if it is recorded.
    pub sketch: Option<Sketch>,
    /// The course of a single path, if it is recorded.
    pub course: Option<Course>,
    pub tally: Tally,
    /// Findings not yet sent to the observer.
    pub fresh: Vec<Finding>,
    /// Recorded paths not yet sent to the observer.
    pub ended: Vec<EndedPath>,
    pub expect_panic: Option<ExpectedPanic>,
    /// Whether a path ended with an expected panic.
    pub has_panicked: bool,
    /// The finding that no path panics, of the first path that returned while some is expected to.
    pub no_panic: Option<Finding>,
    /// Whether a harness said that its result holds only where something is so.
    pub has_assumed: bool,
    /// Whether the run's limits are not for what is counted here.
    pub is_unlimited: bool,
}

impl<'a> Outcomes<'a> {
    /// Tells where the work was done.
    pub fn tell_work(&self, stats: &mut Stats) {
        stats.lines = self.sites.lines(self.program);
        let profiler = self.profiler.as_ref();
        stats.profile = profiler.map(|profiler| profiler.profile(self.program));
    }

    /// Makes empty results that record what is asked for: where the work is done, and the tree of
    /// decisions. Where paths are merged, there is no tree.
    pub fn recording(program: &'a Program, config: &Config) -> Self {
        let has_tree = config.record_tree && !config.merging.is_on();
        Outcomes {
            profiler: config.profile.then(Box::default),
            sketch: has_tree.then(Sketch::default),
            ..Self::new(program)
        }
    }

    /// Makes empty results.
    pub fn new(program: &'a Program) -> Self {
        Outcomes {
            program,
            stats: Stats::default(),
            sites: Sites::default(),
            profiler: None,
            sketch: None,
            course: None,
            tally: Tally::default(),
            fresh: Vec::new(),
            ended: Vec::new(),
            expect_panic: None,
            has_panicked: false,
            no_panic: None,
            has_assumed: false,
            is_unlimited: false,
        }
    }

    /// Begins a step that may be undone: later steps are not undone with it.
    pub fn begin_step(&mut self) -> StepCounts {
        self.tally.changes.get_or_insert_default().clear();
        if let Some(sketch) = &mut self.sketch {
            sketch.begin_step();
        }
        StepCounts {
            paths: self.stats.paths,
            completed: self.stats.completed,
            assumed_away: self.stats.assumed_away,
            explored: self.stats.explored,
        }
    }

    /// Undoes what was counted since a step began, which will be run once more. What was found
    /// stays, as findings of paths that will be explored.
    pub fn undo_step(&mut self, counts: StepCounts) {
        let StepCounts {
            paths,
            completed,
            assumed_away,
            explored,
        } = counts;
        self.stats.paths = paths;
        self.stats.completed = completed;
        self.stats.assumed_away = assumed_away;
        self.stats.explored = explored;
        self.tally.undo_changes(&mut self.stats.tree);
        if let Some(profiler) = &mut self.profiler {
            profiler.undo_ends();
        }
        if let Some(sketch) = &mut self.sketch {
            sketch.undo_step();
        }
    }

    /// Counts a fork of a path, and returns its place.
    pub fn note_fork(&mut self, st: &State) -> LocId {
        self.stats.forks += 1;
        let at = self.sites.note_fork(self.program, &st.stack);
        if let Some(profiler) = &mut self.profiler {
            profiler.fork(self.program, &st.stack);
        }
        if let Some(depth) = st.decisions.forks() {
            self.tally.note_change(|| Change::Forked(depth));
            self.stats.tree.note_fork(depth);
        }
        at
    }

    /// Counts how a path has ended in the tree of decisions.
    pub fn sketch_end(&mut self, st: &State, kind: EndKind) {
        if let Some(sketch) = &mut self.sketch {
            sketch.end(st, kind);
        }
    }

    /// Counts what ends with a path in the tree of paths.
    pub fn note_end(&mut self, st: &State) {
        if let Some(depth) = st.decisions.forks() {
            self.tally.note_change(|| Change::Ended(depth));
            self.stats.tree.note_end(depth);
            self.stats.explored += st.decisions.share();
        }
    }

    /// Counts an unsupported operation on a path.
    pub fn unsupported(&mut self, st: &State, unsupported: Unsupported) {
        self.tally
            .note_change(|| Change::Lacked(unsupported.clone()));
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
        if bound.ends_run() {
            return self.tally.end_run(bound);
        }
        self.tally.left_out = true;
        self.note(st, bound);
    }

    /// Counts a bound that narrows what a path stands for. The path itself goes on.
    pub fn note(&mut self, st: &State, bound: Bound) {
        let known = self.tally.bounds.contains_key(&bound);
        let at = (!known).then(|| place(self.program, st)).flatten();
        self.tally.bound(bound, at);
    }

    /// Records a bound as [`note`](Self::note) does, of a path that has not begun.
    pub fn note_before(&mut self, bound: Bound) {
        self.tally.bound(bound, None);
    }

    /// Reports whether this is the panic that the harness expects. A panic whose text differs, or
    /// cannot be seen, is a finding; the native run confirms or rejects it.
    pub fn is_expected(&self, fault: &Fault) -> bool {
        fault.kind == FindingKind::Panic
            && match &self.expect_panic {
                None => false,
                Some(ExpectedPanic::OnEachPath(text)) => fault.message.contains(text),
                Some(ExpectedPanic::OnSomePath) => true,
            }
    }

    /// Adds findings of paths that will be explored as well, unless their causes are known, and
    /// returns the number of those added.
    pub fn foretell(&mut self, findings: Vec<ForetoldFinding>) -> u64 {
        let before = self.tally.findings();
        for ForetoldFinding(key, finding) in findings {
            if self.tally.known(&key).is_none() {
                let repeats = 0;
                self.find(key, Finding { repeats, ..finding });
                self.tally.foretold.insert(self.tally.findings.len() - 1);
            }
        }
        (self.tally.findings() - before) as u64
    }

    /// Adds the first finding of a cause.
    pub(super) fn find(&mut self, key: FindingKey, finding: Finding) {
        self.fresh.push(finding.clone());
        let at = self.tally.findings.len();
        self.tally.note_change(|| Change::Found(at));
        self.tally.findings.push((key, finding));
    }
}

/// Counts of paths when a step began.
#[derive(Clone, Copy)]
pub struct StepCounts {
    paths: u64,
    completed: u64,
    assumed_away: u64,
    explored: f64,
}

/// A change of a tally, as far as it can be undone.
enum Change {
    /// There is a finding at this index that was not known, or only foretold.
    Found(usize),
    /// The finding at this index occurred once more.
    Repeated(usize),
    Lacked(Unsupported),
    Bounded(Bound),
    /// A path forked, or ended, at this depth of the tree.
    Forked(u32),
    Ended(u32),
}

/// A finding of a path that will be explored once more.
pub struct ForetoldFinding(FindingKey, Finding);

impl ForetoldFinding {
    /// Returns the finding.
    pub fn finding(self) -> Finding {
        self.1
    }
}

/// Findings, unsupported operations, bounds and covers of all ended paths.
#[derive(Default, Serialize, Deserialize)]
pub struct Tally {
    findings: Vec<(FindingKey, Finding)>,
    /// Indices of findings that no explored path has had yet.
    foretold: BTreeSet<usize>,
    #[serde(with = "as_pairs")]
    unsupported: BTreeMap<Unsupported, (Option<SourceLoc>, u64)>,
    #[serde(with = "as_pairs")]
    bounds: BTreeMap<Bound, (Option<SourceLoc>, u64)>,
    /// Assumptions at no particular location, which hold for all paths.
    #[serde(default)]
    assumed: BTreeSet<String>,
    pub covers: BTreeMap<String, bool>,
    /// Whether a bound ended a path, or kept one from being followed. Other bounds only narrow what
    /// the paths stand for.
    left_out: bool,
    /// Whether paths were left out because a bound ended the run.
    cut: bool,
    /// Changes of the step that is being run, if it may be undone.
    #[serde(skip)]
    changes: Option<Vec<Change>>,
}

/// Maps as lists: JSON has no keys but texts.
mod as_pairs {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    pub fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub fn deserialize<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
    where
        K: Deserialize<'de> + Ord,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        let pairs = Vec::<(K, V)>::deserialize(deserializer)?;
        Ok(pairs.into_iter().collect())
    }
}

/// Identity of a finding: kind, named check, location, and the innermost frames of the trace.
pub(super) type FindingKey = (
    FindingKind,
    Option<String>,
    Option<SourceLoc>,
    Vec<Option<SourceLoc>>,
);

impl Tally {
    /// Records that paths were left out because a bound ended the run.
    pub fn end_run(&mut self, bound: Bound) {
        self.bounds.entry(bound).or_insert((None, 0));
        self.cut = true;
    }

    /// Reports whether a bound ended the run because of what was found, not for want of anything.
    pub fn is_satisfied(&self) -> bool {
        let is_enough = |bound: &Bound| bound.ends_run() && !bound.is_for_want();
        self.bounds.keys().any(is_enough)
    }

    /// Returns the contents without the bounds that ended the run: those of an exploration that
    /// goes on.
    pub fn uncut(&self) -> Self {
        let bounds = self.bounds.iter().filter(|(bound, _)| !bound.ends_run());
        Tally {
            findings: self.findings.clone(),
            foretold: self.foretold.clone(),
            unsupported: self.unsupported.clone(),
            bounds: bounds
                .map(|(bound, at)| (bound.clone(), at.clone()))
                .collect(),
            assumed: self.assumed.clone(),
            covers: self.covers.clone(),
            left_out: self.left_out,
            cut: false,
            changes: None,
        }
    }

    fn note_change(&mut self, change: impl FnOnce() -> Change) {
        if let Some(changes) = &mut self.changes {
            changes.push(change());
        }
    }

    fn undo_changes(&mut self, tree: &mut Tree) {
        fn less<T: Ord>(counts: &mut BTreeMap<T, (Option<SourceLoc>, u64)>, what: T) {
            if let Entry::Occupied(mut entry) = counts.entry(what) {
                entry.get_mut().1 -= 1;
                if entry.get().1 == 0 {
                    entry.remove();
                }
            }
        }
        for change in self.changes.take().into_iter().flatten().rev() {
            match change {
                Change::Found(at) => {
                    self.foretold.insert(at);
                }
                Change::Repeated(at) => self.findings[at].1.repeats -= 1,
                Change::Lacked(what) => less(&mut self.unsupported, what),
                Change::Bounded(bound) => less(&mut self.bounds, bound),
                Change::Forked(depth) => tree.undo_fork(depth),
                Change::Ended(depth) => tree.undo_end(depth),
            }
        }
    }

    /// Counts a bound, met at this place if it was not met before.
    fn bound(&mut self, bound: Bound, at: Option<SourceLoc>) {
        self.note_change(|| Change::Bounded(bound.clone()));
        self.bounds.entry(bound).or_insert((at, 0)).1 += 1;
    }

    /// Records an assumption at no particular location.
    pub fn assume(&mut self, what: &str) {
        self.assumed.insert(what.to_owned());
    }

    /// Reports whether paths have been left out.
    pub fn has_left_out(&self) -> bool {
        self.left_out || self.cut
    }

    /// Reports whether a bound was reached.
    pub fn has_bound(&self, bound: &Bound) -> bool {
        self.bounds.contains_key(bound)
    }

    /// Reports whether bugs have been found.
    pub fn has_findings(&self) -> bool {
        !self.findings.is_empty()
    }

    /// Returns the number of findings, each cause once.
    pub fn findings(&self) -> usize {
        self.findings.len()
    }

    /// Returns the findings from an index on, for another exploration of the same harness.
    pub fn findings_from(&self, start: usize) -> Vec<ForetoldFinding> {
        let findings = self.findings[start..].iter().cloned();
        findings
            .map(|(key, finding)| ForetoldFinding(key, finding))
            .collect()
    }

    /// Records that a path had the finding at an index, and reports whether it is the first.
    pub(super) fn come_true(&mut self, at: usize) -> bool {
        let first = self.foretold.remove(&at);
        self.note_change(|| match first {
            true => Change::Found(at),
            false => Change::Repeated(at),
        });
        first
    }

    /// Returns the index of an earlier finding of the same cause.
    pub(super) fn known(&self, key: &FindingKey) -> Option<usize> {
        self.findings.iter().position(|f| f.0 == *key)
    }

    /// Returns the finding at an index, for changing it.
    pub(super) fn finding_mut(&mut self, at: usize) -> &mut Finding {
        &mut self.findings[at].1
    }

    /// Adds the contents of another exploration of other paths.
    pub fn add(&mut self, other: Tally) {
        for (at, (key, finding)) in other.findings.into_iter().enumerate() {
            let is_foretold = other.foretold.contains(&at);
            match self.known(&key) {
                Some(_) if is_foretold => {}
                Some(known) if self.come_true(known) => self.findings[known].1 = finding,
                Some(known) => self.findings[known].1.join(finding),
                None => {
                    if is_foretold {
                        self.foretold.insert(self.findings.len());
                    }
                    self.findings.push((key, finding));
                }
            }
        }
        add(&mut self.unsupported, other.unsupported);
        add(&mut self.bounds, other.bounds);
        self.assumed.extend(other.assumed);
        for (name, met) in other.covers {
            *self.covers.entry(name).or_default() |= met;
        }
        self.left_out |= other.left_out;
        self.cut |= other.cut;
    }

    /// Records that paths are missing because of this, at no particular location.
    pub fn lack(&mut self, why: Unsupported) {
        self.unsupported.entry(why).or_insert((None, 0)).1 += 1;
    }

    /// Returns all contents, in a fixed order, after this number of paths was explored: the count
    /// of a bound that ended the run.
    pub fn finish(mut self, paths: u64) -> Totals {
        for (bound, (_, count)) in &mut self.bounds {
            if bound.ends_run() {
                *count = paths;
            }
        }
        for what in self.assumed {
            let bound = Bound::Assumed(what);
            self.bounds.entry(bound).or_insert((None, 1));
        }
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

/// Adds counts; the first place of a pair is kept.
fn add<T: Ord>(
    counts: &mut BTreeMap<T, (Option<SourceLoc>, u64)>,
    others: BTreeMap<T, (Option<SourceLoc>, u64)>,
) {
    for (what, (at, count)) in others {
        let known = counts.entry(what).or_insert((at, 0));
        known.1 += count;
    }
}

/// Final contents of a [`Tally`], in a fixed order.
pub struct Totals {
    pub findings: Vec<Finding>,
    pub unsupported: Vec<Counted<Unsupported>>,
    pub bounds: Vec<Counted<Bound>>,
    /// Name of each `cover!`, and whether an input reached it.
    pub covers: Vec<(String, bool)>,
}
