//! Where the settings of harnesses come from, for `--verbose`.

use super::args::EngineArgs;
use super::project::SettingsTable;
use crate::harness::Attribute;
use std::collections::BTreeMap;

/// Most names of harnesses in a line.
const NAMED: usize = 4;

/// Returns the names of the settings that are given, by where they come from, the last first:
/// `timeout, seed from the command line; leaks from …`. Empty if all are the defaults.
pub(super) fn describe<'a>(
    args: &EngineArgs,
    attribute: &Attribute,
    tables: impl Iterator<Item = &'a SettingsTable>,
) -> String {
    let tables = tables.map(|table| (&*table.place, given(&table.settings)));
    let mut sources: Vec<(&str, Vec<&str>)> = tables.collect();
    sources.push(("the attribute", of_attribute(attribute)));
    sources.push(("the command line or the environment", given(args)));
    // A source wins over those before it.
    let (mut seen, mut texts) = (Vec::new(), Vec::new());
    for (place, names) in sources.into_iter().rev() {
        let names = names.into_iter().filter(|name| !seen.contains(name));
        let names: Vec<&str> = names.collect();
        if !names.is_empty() {
            texts.push(format!("{} from {place}", names.join(", ")));
        }
        seen.extend(names);
    }
    texts.join("; ")
}

/// Returns lines that say so for the harnesses of a run, each with its text: one for all that are
/// alike.
pub(super) fn lines(harnesses: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, text) in harnesses {
        alike.entry(text).or_default().push(name);
    }
    let is_all = alike.len() == 1;
    let line = |(text, names): (String, Vec<String>)| {
        let text = match text.is_empty() {
            true => "the defaults",
            false => &text,
        };
        if is_all {
            return format!("settings: {text}");
        }
        let more = names.len().saturating_sub(NAMED);
        let mut names: Vec<String> = names.into_iter().take(NAMED).collect();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        format!("settings of {}: {text}", names.join(", "))
    };
    alike.into_iter().map(line).collect()
}

/// Returns the names of the options that are given.
fn given(args: &EngineArgs) -> Vec<&'static str> {
    let EngineArgs {
        timeout,
        max_paths,
        max_instructions,
        max_queries,
        max_memory,
        max_steps,
        max_depth,
        preemptions,
        search,
        merge,
        seed,
        pre_runs,
        memory_model,
        max_symbolic_size,
        segment_threshold,
        no_segment_reuse,
        context_depth,
        split_objects,
        split_threshold,
        memory_planes,
        explore_placements,
        query_timeout,
        query_log,
        smtlib_log,
        validate_cache,
        without_stage,
        stop_at_first_bug,
        after_bug,
        zeroed,
        check_paths,
        part_always,
        keep_every,
        leaks,
        aliasing,
    } = args;
    names_of(&[
        ("timeout", timeout.is_some()),
        ("max-paths", max_paths.is_some()),
        ("max-instructions", max_instructions.is_some()),
        ("max-queries", max_queries.is_some()),
        ("max-memory", max_memory.is_some()),
        ("max-steps", max_steps.is_some()),
        ("max-depth", max_depth.is_some()),
        ("preemptions", preemptions.is_some()),
        ("search", search.is_some()),
        ("merge", merge.is_some()),
        ("seed", seed.is_some()),
        ("pre-runs", pre_runs.is_some()),
        ("memory-model", memory_model.is_some()),
        ("max-symbolic-size", max_symbolic_size.is_some()),
        ("segment-threshold", segment_threshold.is_some()),
        ("no-segment-reuse", no_segment_reuse.is_some()),
        ("context-depth", context_depth.is_some()),
        ("split-objects", split_objects.is_some()),
        ("split-threshold", split_threshold.is_some()),
        ("memory-planes", memory_planes.is_some()),
        ("explore-placements", explore_placements.is_some()),
        ("query-timeout", query_timeout.is_some()),
        ("query-log", query_log.is_some()),
        ("smtlib-log", smtlib_log.is_some()),
        ("validate-cache", *validate_cache),
        ("without-stage", !without_stage.is_empty()),
        ("stop-at-first-bug", stop_at_first_bug.is_some()),
        ("after-bug", after_bug.is_some()),
        ("zeroed", zeroed.is_some()),
        ("check-paths", *check_paths),
        ("part-always", *part_always),
        ("keep-every", keep_every.is_some()),
        ("leaks", leaks.is_some()),
        ("aliasing", aliasing.is_some()),
    ])
}

/// Returns the names of the settings that an attribute gives.
fn of_attribute(attribute: &Attribute) -> Vec<&'static str> {
    let Attribute {
        timeout,
        max_paths,
        max_steps,
        max_instructions,
        max_queries,
        max_memory,
        memory_model,
    } = attribute;
    names_of(&[
        ("timeout", timeout.is_some()),
        ("max-paths", max_paths.is_some()),
        ("max-steps", max_steps.is_some()),
        ("max-instructions", max_instructions.is_some()),
        ("max-queries", max_queries.is_some()),
        ("max-memory", max_memory.is_some()),
        ("memory-model", memory_model.is_some()),
    ])
}

/// Returns the names of those that are given.
fn names_of(all: &[(&'static str, bool)]) -> Vec<&'static str> {
    let given = all.iter().filter(|(_, is_given)| *is_given);
    given.map(|(name, _)| *name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::CommandLine;
    use clap::Parser;
    use std::time::Duration;

    fn typed(line: &str) -> EngineArgs {
        let line = format!("x {line}");
        let line = CommandLine::try_parse_from(line.split_whitespace());
        line.unwrap().run.engine
    }

    fn table(line: &str, place: &str) -> SettingsTable {
        SettingsTable {
            settings: typed(line),
            place: place.to_owned(),
        }
    }

    #[test]
    fn each_setting_is_told_with_the_source_that_wins() {
        let tables = [
            table("--seed 1 --leaks --timeout 1s", "the workspace"),
            table("--seed 2 --max-paths 3", "the package"),
        ];
        let attribute = Attribute {
            timeout: Some(Duration::from_secs(1)),
            ..Attribute::default()
        };
        let text = describe(&typed("--max-paths 9"), &attribute, tables.iter());
        assert_eq!(
            text,
            "max-paths from the command line or the environment; timeout from the attribute; \
             seed from the package; leaks from the workspace"
        );
        let none: [SettingsTable; 0] = [];
        assert_eq!(describe(&typed(""), &Attribute::default(), none.iter()), "");
    }

    #[test]
    fn harnesses_that_are_alike_are_told_together() {
        let of = |all: &[(&str, &str)]| {
            let all = all.iter();
            lines(all.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())))
        };
        assert_eq!(of(&[("a", ""), ("b", "")]), ["settings: the defaults"]);
        assert_eq!(
            of(&[
                ("a", "x"),
                ("b", ""),
                ("c", "x"),
                ("d", "x"),
                ("e", "x"),
                ("f", "x")
            ]),
            [
                "settings of b: the defaults",
                "settings of a, c, d, e, 1 more: x"
            ]
        );
        assert!(of(&[]).is_empty());
    }
}
