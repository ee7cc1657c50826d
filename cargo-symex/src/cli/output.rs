//! Standard output. A reader that has gone away is no error: what follows is not written.

use super::args::Color;
use std::io::Write;

/// Decides about colours for the process: `--color`, then NO_COLOR and the like, then whether it is a terminal.
pub fn set_color(color: Option<Color>) {
    let choice = match color {
        None | Some(Color::Auto) => anstream::ColorChoice::Auto,
        Some(Color::Always) => anstream::ColorChoice::Always,
        Some(Color::Never) => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// The word cargo knows for a choice.
pub fn cargo_color(color: Option<Color>) -> Option<&'static str> {
    color.map(|color| match color {
        Color::Auto => "auto",
        Color::Always => "always",
        Color::Never => "never",
    })
}

/// Writes a line to standard output; colours are removed where they do not belong.
pub fn line(text: &str) {
    let mut out = anstream::stdout().lock();
    // The only thing left to do without a reader is to end with the right code.
    let _ = writeln!(out, "{}", text.trim_end_matches('\n'));
}

/// Writes a warning to standard error, as cargo writes its warnings.
pub fn warning(text: &str) {
    let yellow = anstyle::AnsiColor::Yellow.on_default().bold();
    anstream::eprintln!("{yellow}warning{yellow:#}: {text}");
}

/// Writes to standard error what to do about the message before.
pub fn help(text: &str) {
    let cyan = anstyle::AnsiColor::Cyan.on_default().bold();
    anstream::eprintln!("{cyan}help{cyan:#}: {text}");
}

/// Writes a JSON object in a line.
pub fn json(value: &serde_json::Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{value}");
}
