//! Flame graphs of profiles: an SVG file that a browser shows, and in which it zooms and searches.

use super::{Measure, folded};
use crate::report::output;
use inferno::flamegraph::{Direction, Options, from_lines};
use std::path::Path;
use symex_types::outcome::profile::Profile;

/// Least part of all, in per cent, for which a frame is drawn.
const LEAST_WIDTH: f64 = 0.1;

/// Writes the flame graph of a run's profiles by a measure to a file. Fails with the reason.
pub fn write(profiles: &[(&str, &Profile)], by: Measure, file: &Path) -> Result<(), String> {
    let failed = |reason: String| {
        let file = file.display();
        format!("failed to write the flame graph {file}: {reason}")
    };
    let lines = folded::lines(profiles, by);
    if lines.is_empty() {
        return Err(failed(format!("no {} were recorded", by.name())));
    }
    let svg = svg(&lines, by).map_err(|error| failed(error.to_string()))?;
    output::file(file, svg)
}

/// Returns the flame graph of folded stacks.
pub fn svg(lines: &[String], by: Measure) -> std::io::Result<Vec<u8>> {
    let mut options = Options::default();
    options.title = format!("cargo symex: {}", by.name());
    options.count_name = by.unit().to_owned();
    // Stacks are deep: what is first seen is where they begin.
    options.direction = Direction::Inverted;
    options.min_width = LEAST_WIDTH;
    // The same profile gives the same picture.
    options.deterministic = true;
    let mut svg = Vec::new();
    from_lines(&mut options, lines.iter().map(String::as_str), &mut svg)?;
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn the_picture_is_xml_with_all_frames() {
        let profile = example();
        let lines = folded::lines(&[("one", &profile)], Measure::Forks);
        let svg = svg(&lines, Measure::Forks).expect("in memory");
        let svg = String::from_utf8(svg).expect("text");
        let options = roxmltree::ParsingOptions {
            allow_dtd: true,
            ..roxmltree::ParsingOptions::default()
        };
        roxmltree::Document::parse_with_options(&svg, options).expect("XML");
        assert!(
            svg.contains("core::slice::cmp::equal:5 (5 count, 62.50%)"),
            "{svg}"
        );
    }
}
