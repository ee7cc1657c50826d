//! Descriptions of the constants of a test that were drawn, in a process that replays inputs.

use std::ffi::CStr;
use std::sync::{Mutex, PoisonError};

use super::json;
use super::run::bad_inputs;
use super::settings::Settings;

/// A constant that was drawn.
struct Shown {
    name: &'static CStr,
    type_name: &'static str,
    source: String,
}

/// Those that were drawn so far.
static SHOWN: Mutex<Vec<Shown>> = Mutex::new(Vec::new());

/// Adds a constant to the file of this process's replay, if it makes one that is to be described.
/// The file is whole after each: the next step of the test may be its last.
pub(crate) fn show(name: &'static CStr, type_name: &'static str, source: Option<String>) {
    let Ok(Settings::Replay { out: Some(out), .. }) = Settings::from_env() else {
        return;
    };
    let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    shown.push(Shown {
        name,
        type_name,
        source: source.unwrap_or_default(),
    });
    let mut text = String::from("{\"args\": ");
    json::list(&mut text, &shown, |text, shown| {
        let name = shown.name.to_str().unwrap_or("");
        json::argument(text, name, shown.type_name, &shown.source);
    });
    text.push_str("}\n");
    std::fs::write(&out, text).unwrap_or_else(|error| bad_inputs(&out, error));
}
