//! Recorded inputs for the tests of other libraries, which are no harnesses.

use std::ffi::CStr;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::active::{Current, Inputs, OnReject};
use super::json;
use super::run::{bad_inputs, recorded};
use super::settings::Settings;

/// The replay that this process makes, if it makes one: the file for the arguments.
static REPLAY: OnceLock<Option<Replay>> = OnceLock::new();

struct Replay {
    out: Option<PathBuf>,
}

/// Makes recorded inputs what is drawn from now on, if this process replays some, and reports
/// whether it does. Only native code may call it.
#[doc(hidden)]
pub fn begin_replay() -> bool {
    let start = || match Settings::from_env() {
        Ok(Settings::Replay { inputs, out, .. }) => {
            let draws = recorded(&inputs);
            let inputs = Inputs::Recorded { draws, next: 0 };
            // A test may check several properties: the process has one run.
            std::mem::forget(Current::start(inputs, OnReject::Exit, None));
            Some(Replay { out })
        }
        _ => None,
    };
    REPLAY.get_or_init(start).is_some()
}

/// An argument that was drawn, as reports show it.
#[doc(hidden)]
pub struct DrawnArgument<'a> {
    name: &'static CStr,
    type_name: &'static str,
    value: &'a dyn Debug,
}

impl<'a> DrawnArgument<'a> {
    /// Returns an argument with its name.
    pub fn of<T: Debug>(name: &'static CStr, value: &'a T) -> Self {
        DrawnArgument {
            name,
            type_name: std::any::type_name::<T>(),
            value,
        }
    }
}

/// Writes the arguments of the property that is checked next.
#[doc(hidden)]
pub fn describe(arguments: &[DrawnArgument<'_>]) {
    let Some(Some(Replay { out: Some(out) })) = REPLAY.get() else {
        return;
    };
    let mut text = String::from("{\"args\": ");
    json::list(&mut text, arguments, |text, argument| {
        let shown = format!("{:?}", argument.value);
        let name = argument.name.to_str().unwrap_or("");
        json::argument(text, name, argument.type_name, &shown);
    });
    text.push_str("}\n");
    std::fs::write(out, text).unwrap_or_else(|error| bad_inputs(out, error));
}
