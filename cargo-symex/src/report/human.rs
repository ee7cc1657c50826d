//! Text of the human report: findings, and what was missing from an exploration. A finding is shown
//! as a source span in rustc's style, then notes.
//!
//! Texts contain colour codes; the output functions remove these where they do not belong.

use super::ignored;
use super::reasons::{self, Reasons};
use super::typed;
use super::verdict::{self, bound_text, unsupported_text};
use crate::confirm::failing;
use crate::confirm::path_replay::PathReplays;
use crate::confirm::replay::{How, Replay, does_not_end, same_place};
use crate::confirm::settle::stands;
use crate::confirm::test_case::Written;
use crate::confirm::{FindingReport, kind_name};
use crate::harness::HarnessKind;
use crate::pipeline::HarnessReport;
use crate::source::place::{Places, SourceLine};
use crate::source::trace;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use symex_abi::inputs::hex;
use symex_types::outcome::frame_owner::{FrameOwner, file_owner};
use symex_types::outcome::{
    Bound, ConcreteInput, Counted, Earlier, EarlierEvent, Finding, FindingKind, Form, Role,
    SourceLoc, Verdict,
};

/// Number of lines of a path's output that are shown.
const OUTPUT_LINES: usize = 20;
/// Number of columns of a value that are shown.
const VALUE_WIDTH: usize = 2000;

/// Which of the sequences of calls that lead to a finding are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Calls {
    #[default]
    Shortest,
    All,
}

/// Returns all text about a harness beyond its line in the list: findings, those that do not count,
/// then what was left out or not supported.
pub fn details(report: &HarnessReport, places: &Places, calls: Calls) -> Vec<String> {
    let findings = report.findings.iter();
    let mut texts: Vec<String> = findings
        .map(|detail| self::finding(report, detail, places, calls))
        .collect();
    texts.extend(ignored::notes(report, places));
    texts.extend(missing_text(report, places));
    texts.extend(placement(report));
    texts.extend(
        report
            .paths
            .as_ref()
            .map(|paths| path_replays(report, paths)),
    );
    texts
}

/// Returns the same without colours.
pub fn plain_details(report: &HarnessReport, places: &Places) -> Vec<String> {
    let texts = details(report, places, Calls::Shortest).into_iter();
    texts
        .map(|text| anstream::adapter::strip_str(&text).to_string())
        .collect()
}

/// Warns that a pass depends on the placement of objects, if a program without a crate computes
/// with addresses. In a crate it is mostly the standard library that looks at addresses, and its
/// behaviour is the same for all placements.
fn placement(report: &HarnessReport) -> Option<String> {
    let decisions = report.stats.by_address;
    let passes = matches!(
        report.verdict,
        Verdict::PassComplete | Verdict::PassBounded { .. }
    );
    let has_crate = !report.harness.package.is_empty();
    (passes && decisions > 0 && !has_crate).then(|| {
        let title = format!(
            "{} was explored with objects at fixed addresses, on which it depends ({decisions} decisions)",
            report.harness.name
        );
        renderer().render(&[Group::with_title(Level::NOTE.primary_title(title))])
    })
}

/// Reports the native runs of paths, with the inputs of the first one that differs from the
/// explored path.
fn path_replays(report: &HarnessReport, paths: &PathReplays) -> String {
    let level = match (&paths.different, &paths.failed) {
        (None, None) => Level::NOTE,
        _ => Level::WARNING,
    };
    let title = format!("{}: {}", report.harness.name, paths.describe());
    let mut group = Group::with_title(level.primary_title(title));
    if let Some(different) = &paths.different {
        group = group.element(Level::NOTE.message(different.what.clone()));
        for input in &different.inputs {
            let input = match input.role {
                Role::Failure { how, .. } => failing::sentence(&input.name, how),
                _ => format!("{} = {}", input.name, hex(&input.bytes)),
            };
            group = group.element(Level::NOTE.with_name(Some("with")).message(input));
        }
    }
    renderer().render(&[group])
}

/// Returns the text of a finding.
pub fn finding(
    report: &HarnessReport,
    detail: &FindingReport,
    places: &Places,
    calls: Calls,
) -> String {
    let finding = &detail.finding;
    let level = if stands(detail) {
        Level::ERROR
    } else {
        Level::WARNING
    };
    let message = message(finding, &detail.replay);
    let name = kind_name(finding.kind);
    let mut group = Group::with_title(level.primary_title(&message).id(name));
    let harness = report.harness.place();
    let place = trace::place(finding, &harness);
    let primary = primary_place(finding, place);
    let line = primary.and_then(|at| places.line(at));
    let elsewhere = place.filter(|at| Some(*at) != primary);
    let label = elsewhere.map(|_| "in a call from here");
    let path = primary.map(|at| places.full_path(at));
    let caller = primary.and_then(|at| own_caller(finding, at, places));
    match (&line, primary) {
        (Some(line), _) => group = group.element(snippet(line, label)),
        (None, Some(at)) => {
            let mut origin =
                Origin::path(path.as_deref().unwrap_or_default()).line(at.line as usize);
            if at.column > 0 {
                origin = origin.char_column(at.column as usize);
            }
            group = group.element(origin);
        }
        (None, None) => {}
    }
    if let Some(caller) = &caller {
        let label = AnnotationKind::Context
            .span(caller.span.clone())
            .label("reached from here");
        group = group.element(source(caller).annotation(label));
    }
    for (name, text) in all_notes(report, detail, places, calls) {
        group = group.element(Level::NOTE.with_name(Some(name)).message(text));
    }
    renderer().render(&[group])
}

pub(super) fn renderer() -> Renderer {
    Renderer::styled()
}

fn snippet<'a>(line: &'a SourceLine, label: Option<&'a str>) -> Snippet<'a, Annotation<'a>> {
    let span = AnnotationKind::Primary.span(line.span.clone());
    source(line).annotation(span.label(label))
}

fn source(line: &SourceLine) -> Snippet<'_, Annotation<'_>> {
    Snippet::source(line.text.as_str())
        .line_start(line.line)
        .path(line.path.as_str())
}

/// Returns the line of the package's own code that leads into the dependency in which a finding is.
fn own_caller(finding: &Finding, primary: &SourceLoc, places: &Places) -> Option<SourceLine> {
    if places.is_own(primary) {
        return None;
    }
    let own = trace::user_places(&finding.trace).find(|at| places.is_own(at))?;
    places.line(own)
}

/// Returns the place to show: where the failure happens if that is the user's code, else the user's
/// call that leads there.
fn primary_place<'a>(finding: &'a Finding, place: Option<&'a SourceLoc>) -> Option<&'a SourceLoc> {
    place
        .filter(|at| file_owner(&at.file) == FrameOwner::User)
        .or_else(|| trace::user_places(&finding.trace).next())
        .or(place)
}

/// Returns the message of a finding. Only the native run knows the whole message of a panic, if it
/// is the same one.
pub fn message(finding: &Finding, replay: &Replay) -> String {
    let is_there = |at: &Option<SourceLoc>| match (at, &finding.at) {
        (Some(native), Some(at)) => same_place(native, at),
        _ => true,
    };
    let native = match replay {
        Replay::Confirmed {
            how: How::Panic { message, at },
        } if finding.kind == FindingKind::Panic && is_there(at) => Some(message),
        Replay::Confirmed {
            how: How::Signal {
                after: Some(panic), ..
            },
        } if finding.kind == FindingKind::Panic => Some(&panic.message),
        _ => None,
    };
    let text = native.unwrap_or(&finding.message).trim();
    match (&finding.check, text) {
        (Some(check), "") => format!("check `{check}` failed"),
        (Some(check), text) => format!("check `{check}` failed: {text}"),
        (None, "") => finding.kind.title().to_owned(),
        (None, text) => text.to_owned(),
    }
}

/// Returns all that is said of a finding below its source: labels and texts.
pub(super) fn all_notes(
    report: &HarnessReport,
    detail: &FindingReport,
    places: &Places,
    calls: Calls,
) -> Vec<(&'static str, String)> {
    let harness = report.harness.place();
    let place = trace::place(&detail.finding, &harness);
    let primary = primary_place(&detail.finding, place);
    let elsewhere = place.filter(|at| Some(*at) != primary);
    let mut notes = notes(report, detail, place, elsewhere, places);
    notes.extend(ways(detail, places, calls));
    notes
}

/// Returns the place at which a finding is shown.
pub fn shown_place(report: &HarnessReport, detail: &FindingReport) -> Option<SourceLoc> {
    let harness = report.harness.place();
    let place = trace::place(&detail.finding, &harness);
    primary_place(&detail.finding, place).cloned()
}

/// Adds the message of a panic that came before a fault.
pub(super) fn with_text(place: String, earlier: &Earlier) -> String {
    match &earlier.text {
        Some(text) => format!("{place}: {text}"),
        None => place,
    }
}

fn notes(
    report: &HarnessReport,
    detail: &FindingReport,
    place: Option<&SourceLoc>,
    elsewhere: Option<&SourceLoc>,
    places: &Places,
) -> Vec<(&'static str, String)> {
    let finding = &detail.finding;
    let mut notes = vec![("harness", report.harness.name.clone())];
    if let Some(at) = elsewhere {
        notes.push(("at", places.show(at)));
    }
    if let Some(at) = &finding.allocated_at {
        notes.push(("allocated", format!("at {}", places.show(at))));
    }
    for earlier in &finding.earlier {
        let at = places.show(&earlier.at);
        notes.push(match earlier.event {
            EarlierEvent::ReferenceMade => ("reference", format!("made at {at}")),
            EarlierEvent::Read => ("since", format!("the read at {at}")),
            EarlierEvent::Write => ("since", format!("the write at {at}")),
            EarlierEvent::OtherThreadRead => ("other", format!("thread reads at {at}")),
            EarlierEvent::OtherThreadWaits => ("other", format!("thread waits at {at}")),
            EarlierEvent::Panic => ("panic", with_text(format!("at {at}"), earlier)),
            EarlierEvent::OtherThreadPanicked => (
                "other",
                with_text(format!("thread panics at {at}"), earlier),
            ),
            EarlierEvent::Freed => ("freed", format!("at {at}")),
            EarlierEvent::OtherThreadWrote => ("other", format!("thread writes at {at}")),
        });
    }
    if let Some(inputs) = inputs(detail) {
        notes.push(("inputs", inputs));
    }
    let calls = trace::lines(&finding.trace, places);
    if !calls.is_empty() {
        notes.push(("trace", calls.join("\n")));
    }
    if !finding.output.is_empty() {
        notes.push(("output", output(&finding.output)));
    }
    // For findings of the harness's glue, the runtime panics at places of its own.
    let by_glue = place != finding.at.as_ref();
    notes.push(replayed(detail, by_glue, places));
    let is_confirmed = matches!(detail.replay, Replay::Confirmed { .. });
    if !finding.assumptions.is_empty() && !is_confirmed {
        notes.push(("assumed", finding.assumptions.join("\n")));
    }
    if !stands(detail) {
        notes.push((
            "note",
            format!("seen by the engine alone: {}", blame(detail)),
        ));
    }
    if finding.address_dependent && !is_confirmed {
        notes.push((
            "note",
            "the path depends on the numeric value of an address".to_owned(),
        ));
    }
    if finding.kind.may_be_silent() && every_path_ends_so(report, finding) {
        notes.push((
            "note",
            "no path goes past this: what follows was not explored".to_owned(),
        ));
    }
    if let Some(test) = &detail.test {
        let label = match report.harness.kind {
            HarnessKind::FuzzTarget => "artifact",
            HarnessKind::PropertyTest => "regression",
            _ => "test",
        };
        notes.push((label, written(test, places)));
    }
    notes
}

/// Reports whether no path of a harness came past a finding.
fn every_path_ends_so(report: &HarnessReport, finding: &Finding) -> bool {
    finding.repeats + 1 == report.stats.paths
}

/// Returns notes about the other paths with the cause of a finding.
fn ways(detail: &FindingReport, places: &Places, calls: Calls) -> Vec<(&'static str, String)> {
    let repeats = match detail.finding.repeats {
        0 => return Vec::new(),
        1 => "1 more path ends the same way".to_owned(),
        count => format!("{count} more paths end the same way"),
    };
    let ways = match detail.variants.len() {
        0 => String::new(),
        1 => ", by 1 other sequence of calls".to_owned(),
        ways => format!(", by {ways} other sequences of calls"),
    };
    if calls == Calls::Shortest {
        let hint = match ways.is_empty() {
            true => "",
            false => " (--call-stacks shows them)",
        };
        return vec![("note", format!("{repeats}{ways}{hint}"))];
    }
    let mut notes = vec![("note", format!("{repeats}{ways}"))];
    for variant in &detail.variants {
        notes.push(("calls", trace::lines(&variant.trace, places).join("\n")));
        let inputs = variant.inputs.iter().map(input);
        let inputs: Vec<String> = inputs.map(|line| cut(&line)).collect();
        if !inputs.is_empty() {
            notes.push(("inputs", inputs.join("\n")));
        }
    }
    notes
}

/// Returns why a finding may show in the engine and not in the native run.
fn blame(detail: &FindingReport) -> &'static str {
    match detail.replay {
        Replay::NotReproduced { cut: true, .. } => {
            "the native run was cut, so that it neither confirms nor refutes it"
        }
        _ if !detail.finding.assumptions.is_empty() => {
            "it rests on what was assumed, which may be otherwise natively"
        }
        _ => "perhaps a fault of cargo symex. Please report it with the harness",
    }
}

/// Returns the inputs by name: typed if the native run reported the types, else as bytes.
pub fn inputs(detail: &FindingReport) -> Option<String> {
    let typed = detail
        .inputs
        .as_ref()
        .filter(|inputs| !inputs.args.is_empty());
    let lines: Vec<String> = match typed {
        Some(inputs) => inputs
            .args
            .iter()
            .map(|arg| match (&*arg.name, &*arg.type_name) {
                ("", _) => arg.shown().to_owned(),
                (name, "") => format!("{name} = {}", arg.shown()),
                (name, of) => format!("{name}: {of} = {}", arg.shown()),
            })
            .collect(),
        None => detail.finding.inputs.iter().map(input).collect(),
    };
    let lines: Vec<String> = lines.iter().map(|line| cut(line)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Formats an input: its bytes, as a number if they may be one, or the call that fails.
pub fn input(input: &ConcreteInput) -> String {
    let ConcreteInput {
        name,
        role,
        bytes,
        form,
    } = input;
    if let Role::Failure { how, .. } = role {
        return failing::sentence(name, *how);
    }
    let text = || {
        let escaped = bytes
            .iter()
            .flat_map(|&byte| std::ascii::escape_default(byte));
        escaped.map(char::from).collect::<String>()
    };
    if let Some(value) = typed::of_draw(name, bytes) {
        return format!("{name} = {value}");
    }
    match bytes.len() {
        1 | 2 | 4 | 8 if *role == Role::Program && *form != Form::Bytes => {
            let value = bytes
                .iter()
                .rev()
                .fold(0u64, |value, &byte| value << 8 | u64::from(byte));
            let as_bytes = match form {
                Form::Either => format!(", b\"{}\"", text()),
                Form::Number | Form::Bytes => String::new(),
            };
            format!(
                "{name} = {value} (0x{value:0width$x}{as_bytes})",
                width = bytes.len() * 2
            )
        }
        _ => {
            format!("{name} = b\"{}\" (0x{})", text(), hex(bytes))
        }
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(VALUE_WIDTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn output(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut lines: Vec<&str> = text.lines().collect();
    let more = lines.len().saturating_sub(OUTPUT_LINES);
    lines.truncate(OUTPUT_LINES);
    let mut shown = lines.join("\n");
    if more > 0 {
        shown.push_str(&format!("\n… {more} more lines"));
    }
    shown
}

/// Describes the result of a finding's replay, with the label that all formats share.
pub fn replayed(detail: &FindingReport, by_glue: bool, places: &Places) -> (&'static str, String) {
    match &detail.replay {
        Replay::Confirmed {
            how: How::Panic { message, .. },
        } if by_glue => ("confirmed", format!("natively: {message}")),
        Replay::Confirmed { how } => {
            let ends = does_not_end(detail.finding.kind) && !matches!(how, How::NoEnd { .. });
            let natively = match (ends, how.is_stack_overflow()) {
                (false, _) => "natively",
                (true, true) => "natively the stack overflows instead",
                (true, false) => "natively it does not go on, but fails",
            };
            ("confirmed", format!("{natively}: {}", how.text(places)))
        }
        Replay::NotReproduced { reason, .. } => ("not reproduced natively", reason.clone()),
        Replay::Failed { reason } => ("not replayed", reason.clone()),
        Replay::Skipped { reason } => ("not replayed", reason.clone()),
    }
}

fn written(test: &Written, places: &Places) -> String {
    match test {
        Written::Written { path, name, .. } => {
            format!("`{name}` written to {}", places.relative(path))
        }
        Written::Known { path, name, .. } => format!("`{name}` is in {}", places.relative(path)),
        Written::NotWritten { reason, test: None } => format!("not written: {reason}"),
        Written::NotWritten {
            reason,
            test: Some(test),
        } => format!("not written: {reason}\n{}", test.text),
    }
}

/// What an exploration left out, as texts.
pub(super) struct Missing {
    pub title: String,
    pub notes: Vec<String>,
    pub help: Vec<String>,
}

/// Shows what the exploration left out; `None` if the verdict's line is complete.
fn missing_text(report: &HarnessReport, places: &Places) -> Option<String> {
    let Missing { title, notes, help } = missing(report, places)?;
    let mut group = Group::with_title(Level::WARNING.primary_title(title));
    for line in notes {
        group = group.element(Level::NOTE.message(line));
    }
    for help in help {
        group = group.element(Level::HELP.message(help));
    }
    Some(renderer().render(&[group]))
}

/// Lists what the exploration left out, each with its place; `None` if the verdict's line is
/// complete.
pub(super) fn missing(report: &HarnessReport, places: &Places) -> Option<Missing> {
    let mut lines = Vec::new();
    let mut told = true;
    match &report.verdict {
        Verdict::PassComplete | Verdict::Vacuous { .. } => {}
        Verdict::PassBounded { bounds } => {
            told = is_told(bounds);
            lines.extend(counted(bounds, bound_text, unit, places));
        }
        Verdict::Inconclusive {
            unsupported,
            bounds,
        }
        | Verdict::Bug {
            unsupported,
            bounds,
        } => {
            told = is_told(unsupported)
                && is_told(bounds)
                && unsupported.len() + bounds.len() <= verdict::SHOWN;
            lines.extend(counted(unsupported, unsupported_text, |_| "paths", places));
            lines.extend(counted(bounds, bound_text, unit, places));
        }
    }
    let bounds = report.verdict.bounds();
    let is_full = bounds.iter().any(|bound| bound.what == Bound::MaxMemory);
    let reasons = match bounds.iter().any(|bound| bound.what.is_for_want()) {
        true => reasons::reasons(report.harness.kind, &report.stats, is_full, places),
        false => Reasons::default(),
    };
    told &= reasons == Reasons::default();
    lines.extend(reasons.notes);
    let unmet = report.covers.iter().filter(|(_, met)| !met);
    let unmet: Vec<String> = unmet
        .map(|(name, _)| format!("cover point `{name}` was never met"))
        .collect();
    let name = &report.harness.name;
    let title = match &report.verdict {
        Verdict::Bug { .. } if !lines.is_empty() => {
            format!("{name} has not been searched to the end")
        }
        verdict if told && unmet.is_empty() && !verdict.meets_machine_code() => return None,
        Verdict::PassBounded { .. } => format!("{name} passes only as far as it was explored"),
        Verdict::Inconclusive { .. } => format!("{name} could not be judged"),
        _ => format!("{name} did not reach all of its cover points"),
    };
    let machine_code = report.verdict.meets_machine_code();
    let help = machine_code.then(|| MACHINE_CODE.to_owned());
    Some(Missing {
        title,
        notes: lines.into_iter().chain(unmet).collect(),
        help: (help.into_iter().chain(reasons.help))
            .chain(other_orders(report))
            .chain(more_steps(report))
            .collect(),
    })
}

/// Returns the advice to explore more orders of threads, where there is time for that, or fewer,
/// where there is not.
fn other_orders(report: &HarnessReport) -> Option<String> {
    /// Seconds that a run may have taken to be called short.
    const SHORT: f64 = 5.0;
    let bounds = report.verdict.bounds();
    let most = bounds.iter().find_map(|bound| match bound.what {
        Bound::Preemptions(most) => Some(most),
        _ => None,
    })?;
    let is_done = !bounds.iter().any(|bound| bound.what.is_for_want());
    match (is_done, most.checked_sub(1)) {
        (true, _) if report.stats.seconds < SHORT => Some(format!(
            "these took little time: `--preemptions {}` explores more orders",
            most + 1
        )),
        (false, Some(fewer)) => Some(format!(
            "`--preemptions {fewer}` explores fewer orders of the threads"
        )),
        _ => None,
    }
}

/// Returns the advice to let paths run longer, where one came to the limit of its steps.
fn more_steps(report: &HarnessReport) -> Option<String> {
    let bounds = report.verdict.bounds();
    let is_cut = bounds.iter().any(|bound| bound.what == Bound::MaxSteps);
    is_cut.then(|| "if the loops of such a path end, a greater `--max-steps` sees that".to_owned())
}

/// Advice about functions without bitcode.
const MACHINE_CODE: &str = "assembly and libraries that are only linked cannot be explored: see whether the crate has a \
    feature without them (often called `pure`, `portable`, `bundled` or `vendored`)";

/// Reports whether the verdict's line already says everything about these items.
fn is_told<T>(items: &[Counted<T>]) -> bool {
    items.len() <= verdict::SHOWN
        && items
            .iter()
            .all(|item| item.at.is_none() && item.count <= 1)
}

/// Returns the unit in which a bound is counted: the paths that were explored before it ended the
/// run, the paths that it ended, or the number of times it came up on paths that went on.
fn unit(bound: &Bound) -> &'static str {
    match bound {
        Bound::Assumed(_) => "times",
        bound if bound.ends_run() => "paths explored",
        _ => "paths",
    }
}

fn counted<T>(
    items: &[Counted<T>],
    text: impl Fn(&T) -> String,
    unit: impl Fn(&T) -> &'static str,
    places: &Places,
) -> Vec<String> {
    let line = |item: &Counted<T>| {
        let at = item
            .at
            .as_ref()
            .map(|at| format!(" at {}", places.show(at)));
        let count = (item.count > 1).then(|| format!(" ({} {})", item.count, unit(&item.what)));
        format!(
            "{}{}{}",
            text(&item.what),
            at.unwrap_or_default(),
            count.unwrap_or_default()
        )
    };
    items.iter().map(line).collect()
}

#[cfg(test)]
#[path = "human_tests.rs"]
mod tests;
