//! Settings, events and outcomes: the plain data that goes into an exploration and comes out of it.
//!
//! **What it is.** [`config`] has every setting with its default, [`event`] what is told while the
//! engine works, [`outcome`] the findings, the bounds that were reached, what is not supported, the
//! verdict and the statistics; [`splitmix`] is the seeded generator behind everything that is left
//! to chance, [`bits`] masks and sign-extends numbers.
//!
//! **What it needs.** Nothing but serde: these types are stored, sent between processes and printed
//! as JSON.
//!
//! **What it promises.** No behaviour of the engine is here, and every other crate may depend on
//! it.

pub mod bits;
pub mod config;
pub mod event;
pub mod outcome;
pub mod splitmix;

/// Returns the text of a panic, from what it carries.
pub fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    match (
        payload.downcast_ref::<&str>(),
        payload.downcast_ref::<String>(),
    ) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "a panic without message".to_owned(),
    }
}
