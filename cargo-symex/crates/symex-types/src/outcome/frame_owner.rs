//! Classifies the frames of a trace by owner: the user, the standard library, or the glue around a
//! harness. The file decides where it is known, else the function's name.

use super::{SourceLoc, TraceFrame};
use std::borrow::Cow;
use symex_abi::{hooks, names};

/// Owner of a frame's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameOwner {
    /// The crate under test or one it uses.
    User,
    /// `core`, `alloc`, `std`.
    Std,
    /// Code that the macro and the runtime put around the harness, and that of libraries which runs
    /// cases of a test.
    Glue,
}

/// Paths of the code of libraries that runs cases of a test: the runner of proptest, and bolero.
const RUNNERS: [&str; 4] = [
    "proptest::test_runner::",
    "bolero::",
    "bolero_engine::",
    "bolero_kani::",
];

/// Finds the owner of a frame: by its file where known, else by its name.
pub fn frame_owner(frame: &TraceFrame) -> FrameOwner {
    if names::is_generated(&frame.function) || is_runtime(&frame.function) {
        return FrameOwner::Glue;
    }
    match &frame.at {
        Some(at) => file_owner(&at.file),
        None if is_std_name(&frame.function) => FrameOwner::Std,
        None => FrameOwner::User,
    }
}

/// Finds the owner of a source file by its path.
pub fn file_owner(file: &str) -> FrameOwner {
    let file = match file.contains('\\') {
        true => Cow::Owned(file.replace('\\', "/")),
        false => Cow::Borrowed(file),
    };
    if file.starts_with("/rustc/")
        || file.starts_with("/rust/deps/")
        || file.contains("/lib/rustlib/src/rust/")
        || file.starts_with("library/")
        || is_carried(&file)
    {
        FrameOwner::Std
    } else if file.contains("/symex-runtime") {
        FrameOwner::Glue
    } else {
        FrameOwner::User
    }
}

/// Name of the folder in which the sources are that this tool carries, of libraries that it puts in
/// the place of others.
pub const CARRIED: &str = "symex-carried";

/// Reports whether a source file is one of a library that this tool puts in the place of another.
/// It counts as one of the standard library.
pub fn is_carried(file: &str) -> bool {
    let mut parts = file.split('/');
    parts.any(|part| part == CARRIED)
}

/// Picks the frame to show for an event in a call: the innermost one of the user's, else one in the
/// user's file (an attribute there makes the glue), else the innermost.
pub fn user_frame(trace: &[TraceFrame]) -> Option<&TraceFrame> {
    let user_file = |frame: &&TraceFrame| {
        frame
            .at
            .as_ref()
            .is_some_and(|at| file_owner(&at.file) == FrameOwner::User)
    };
    let user = |frame: &&TraceFrame| {
        frame.at.as_ref().is_some_and(|at| !is_header(at)) && frame_owner(frame) == FrameOwner::User
    };
    trace
        .iter()
        .find(user)
        .or_else(|| trace.iter().find(user_file))
        .or_else(|| trace.iter().find(|frame| frame.at.is_some()))
}

/// Finds the innermost place of the user's code in a stack of places, or else the innermost that
/// tells the user something.
pub fn user_place(stack: &[SourceLoc]) -> Option<&SourceLoc> {
    let user = |at: &&SourceLoc| !is_header(at) && file_owner(&at.file) == FrameOwner::User;
    let other = |at: &&SourceLoc| !is_carried(&at.file);
    stack.iter().find(user).or_else(|| stack.iter().find(other))
}

/// Reports whether a location is in a C header: functions there are inlined, but are rarely the
/// user's own.
fn is_header(at: &SourceLoc) -> bool {
    at.file.starts_with("/usr/include/")
}

fn is_runtime(function: &str) -> bool {
    let name = function.trim_start_matches(['<', '&']);
    // A hook has a plain name; a crate may have one that begins like it.
    let is_hook = name.starts_with(hooks::PREFIX) && !name.contains("::");
    let ours = name.starts_with("symex::") || is_hook;
    ours || RUNNERS.iter().any(|path| name.starts_with(path))
}

fn is_std_name(function: &str) -> bool {
    let name = function.trim_start_matches(['<', '&', '*', '(']);
    ["core::", "alloc::", "std::", "__rust"]
        .iter()
        .any(|crate_name| name.starts_with(crate_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a frame at line 7 of a file, or without a location if the file has no name.
    fn frame(function: &str, file: &str) -> TraceFrame {
        TraceFrame {
            function: function.into(),
            at: (!file.is_empty()).then(|| SourceLoc::new(file, 7, 3)),
        }
    }

    #[test]
    fn a_closure_of_the_users_is_the_users() {
        let closure = frame("core::ops::function::FnOnce::call_once", "src/lib.rs");
        assert_eq!(frame_owner(&closure), FrameOwner::User);
        assert_eq!(
            frame_owner(&frame("core::ops::function::FnOnce::call_once", "")),
            FrameOwner::Std
        );
        assert_eq!(frame_owner(&frame("corelib::f", "")), FrameOwner::User);
        // The crates that std itself uses.
        let probe = frame("hashbrown::probe", "/rust/deps/hashbrown-0.16.1/src/lib.rs");
        assert_eq!(frame_owner(&probe), FrameOwner::Std);
        assert_eq!(
            frame_owner(&frame("symex::draw::any", "/r/symex-runtime/src/draw.rs")),
            FrameOwner::Glue
        );
    }

    #[test]
    fn the_place_to_show_is_the_innermost_of_the_users() {
        let draw = frame("symex::draw::any", "/r/symex-runtime/src/draw.rs");
        let entry = frame("k::t::__symex_h::entry", "src/lib.rs");
        let user = frame("k::t::h", "src/h.rs");
        let shown = |trace: &[TraceFrame]| user_frame(trace).map(|f| f.function.clone());
        let all = [draw.clone(), user, entry.clone()];
        assert_eq!(shown(&all).as_deref(), Some("k::t::h"));
        assert_eq!(
            shown(&[draw.clone(), entry]).as_deref(),
            Some("k::t::__symex_h::entry")
        );
        assert_eq!(shown(&[draw]).as_deref(), Some("symex::draw::any"));
        assert_eq!(shown(&[frame("f", "")]), None);
    }
}
