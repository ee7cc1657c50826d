//! The findings of a run, with what was decided on each.

use crate::confirm::FindingReport;
use crate::ignored::IgnoreList;
use crate::pipeline::HarnessReport;
use crate::pipeline::error::CommandError;
use crate::report::recorded::RecordedRun;
use crate::source::identity::Identity;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The findings of a run, in the order of its report.
pub(super) struct Pending<'r> {
    pub all: Vec<Found<'r>>,
}

/// A finding; several of one harness that are told apart by nothing but their inputs are one.
pub(super) struct Found<'r> {
    pub id: String,
    pub identity: Identity,
    pub report: &'r HarnessReport,
    /// What the run says of it: one at least.
    pub details: Vec<&'r FindingReport>,
    pub state: State,
}

/// What was decided on a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum State {
    Open,
    Accepted,
    /// It is ignored, for this reason.
    Ignored(String),
}

impl<'r> Pending<'r> {
    /// Returns the findings of a run, of which some are accepted, by their ids.
    pub fn of(run: &'r RecordedRun, accepted: &BTreeSet<String>) -> Result<Self, CommandError> {
        let mut all: Vec<Found> = Vec::new();
        let mut lists: BTreeMap<&Path, IgnoreList> = BTreeMap::new();
        for report in &run.reports {
            // The file may have changed since the run.
            let folder = report.ignored.file.parent();
            if let Some(folder) = folder
                && !lists.contains_key(folder)
            {
                let list = IgnoreList::read(folder).map_err(CommandError::usage)?;
                lists.insert(folder, list);
            }
            let list = folder.and_then(|folder| lists.get(folder));
            let ignored = report.ignored.findings.iter();
            let ignored = ignored.map(|one| (&one.detail, Some(one.reason.clone())));
            let counted = report.findings.iter().map(|one| (one, None));
            for (detail, reason) in counted.chain(ignored) {
                let identity = detail.identity.clone().ok_or_else(of_other_version)?;
                let id = identity.id(&report.harness.package);
                let now = list.and_then(|list| list.reason(&identity));
                let reason = now.map(str::to_owned).or(reason);
                let same = |found: &&mut Found| found.id == id;
                if let Some(found) = all.iter_mut().find(same) {
                    found.details.push(detail);
                    continue;
                }
                let state = match reason {
                    Some(reason) => State::Ignored(reason),
                    None if accepted.contains(&id) => State::Accepted,
                    None => State::Open,
                };
                all.push(Found {
                    id,
                    identity,
                    report,
                    details: vec![detail],
                    state,
                });
            }
        }
        Ok(Pending { all })
    }

    /// Returns the findings that are neither accepted nor ignored.
    pub fn open(&self) -> impl Iterator<Item = &Found<'r>> {
        self.all.iter().filter(|found| found.state == State::Open)
    }

    /// Returns how many are decided on, and how many are not.
    pub fn counts(&self) -> String {
        let count = |is_it: fn(&State) -> bool| {
            let of = self.all.iter().filter(|found| is_it(&found.state));
            of.count()
        };
        let open = match self.open().count() {
            0 => "no finding to review".to_owned(),
            1 => "1 finding to review".to_owned(),
            count => format!("{count} findings to review"),
        };
        let others = [
            (count(|state| *state == State::Accepted), "accepted"),
            (count(|state| matches!(state, State::Ignored(_))), "ignored"),
        ];
        let others = others.iter().filter(|(count, _)| *count > 0);
        let others: String = others
            .map(|(count, what)| format!("; {count} {what}"))
            .collect();
        format!("{open}{others}")
    }

    /// Returns the findings that a name means: those of a harness, or the one whose id starts so.
    pub fn named(&self, name: &str) -> Result<Vec<&Found<'r>>, CommandError> {
        let is_of = |found: &&Found| found.report.harness.name == name;
        let of_harness: Vec<&Found> = self.all.iter().filter(is_of).collect();
        let by_id = self.all.iter().filter(|found| found.id.starts_with(name));
        let by_id: Vec<&Found> = by_id.filter(|_| !name.is_empty()).collect();
        let ids = |found: &[&Found]| {
            let ids: Vec<&str> = found.iter().map(|found| &*found.id).collect();
            ids.join(", ")
        };
        let found = match (&of_harness[..], &by_id[..]) {
            ([], []) => {
                let all: Vec<&Found> = self.all.iter().collect();
                let error = CommandError::usage(format!("no finding of the run is named `{name}`"));
                return Err(match all.is_empty() {
                    true => error,
                    false => error.help(format!("there are {}", ids(&all))),
                });
            }
            ([], [_]) => by_id,
            ([], several) => {
                let message = format!("`{name}` is the start of several ids: {}", ids(several));
                return Err(CommandError::usage(message));
            }
            _ => of_harness,
        };
        let is_ignored = |found: &&&Found| matches!(found.state, State::Ignored(_));
        if let Some(ignored) = found.iter().find(is_ignored) {
            let file = ignored.report.ignored.file.display();
            let message = format!("the finding {} is ignored already, in {file}", ignored.id);
            let help = "that it counts again takes no more than to remove it there";
            return Err(CommandError::usage(message).help(help));
        }
        Ok(found)
    }
}

fn of_other_version() -> CommandError {
    let message = "the run was made by another version of cargo symex, which does not say by what its findings are recognised";
    CommandError::usage(message).help("`cargo symex` makes another one")
}
