//! Description of a run: its arguments as Rust expressions, and the call that repeats it.

use std::fmt;

use super::active::Current;
use super::json;
use crate::abi::inputs::{Input, hex};
use crate::abi::{FLAG_KANI_PROOF, Meta};
use crate::source::{Place, Source};

/// The purpose of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Call the harness.
    Call,
    /// Describe the arguments, do not call.
    Describe,
    /// Describe the arguments, write them to the given place, call.
    DescribeAndCall,
}

/// The way in which a value that cannot be written is made again from its draws.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub enum Redraw {
    /// By its type.
    Symbolic,
    /// By the type's `Arbitrary`.
    Arbitrary,
    /// By this expression of the harness.
    With(&'static str),
}

impl Redraw {
    /// Returns the expression of the value with these draws; `Vec<_>` may help to find its type.
    fn expression(self, draws: &str, ty: &str) -> String {
        match (self, ty) {
            (Redraw::Symbolic, "") => format!("::symex::value({draws})"),
            (Redraw::Symbolic, ty) => format!("::symex::value::<{ty}>({draws})"),
            (Redraw::Arbitrary, "") => {
                format!("::symex::value::<::symex::Arbitrary<_>>({draws}).0")
            }
            (Redraw::Arbitrary, ty) => {
                format!("::symex::value::<::symex::Arbitrary<{ty}>>({draws}).0")
            }
            (Redraw::With(expression), _) => {
                format!("::symex::with_inputs({draws}, || {expression})")
            }
        }
    }
}

struct Argument {
    name: &'static str,
    type_name: &'static str,
    source: String,
    debug: Option<String>,
    /// Whether the source makes the value from its draws.
    redrawn: bool,
}

/// Recorder of a run, which receives each argument in order from the native entry of a harness.
#[doc(hidden)]
pub struct Recorder<'a> {
    pub(crate) meta: &'static Meta,
    pub(crate) place: Place,
    pub(crate) purpose: Purpose,
    pub(crate) current: &'a Current,
    pub(crate) write: &'a mut dyn FnMut(&Described),
    /// Suffix of the call for harnesses that return something.
    pub(crate) suffix: &'static str,
    arguments: Vec<Argument>,
    /// Number of draws when the last argument was complete.
    drawn: usize,
    /// Draws of each argument, recorded when it was drawn.
    spans: Vec<(usize, usize)>,
}

/// The description of an input.
pub(crate) struct Described {
    /// The description as JSON, in the form documented in the crate's documentation.
    pub(crate) json: String,
    /// The call as a Rust expression.
    pub(crate) call: String,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(
        meta: &'static Meta,
        place: Place,
        purpose: Purpose,
        current: &'a Current,
        write: &'a mut dyn FnMut(&Described),
    ) -> Self {
        Recorder {
            meta,
            place,
            purpose,
            current,
            write,
            suffix: "",
            arguments: Vec::new(),
            drawn: 0,
            spans: Vec::new(),
        }
    }

    /// Notes that an argument has just been drawn.
    pub fn drawn(&mut self) {
        let count = self.current.count();
        self.spans.push((self.drawn, count));
        self.drawn = count;
    }

    /// Reports whether the arguments are to be described.
    pub fn describes(&self) -> bool {
        self.purpose != Purpose::Call
    }

    /// Reports whether the harness is to be called.
    pub fn calls(&self) -> bool {
        self.purpose != Purpose::Describe
    }

    /// Records an argument passed as `prefix` (`&`, `&mut ` or nothing) and the value that `write`
    /// writes, or else is drawn again.
    pub fn value(
        &mut self,
        argument: (&'static str, &'static str),
        prefix: &str,
        redraw: Redraw,
        debug: Option<String>,
        write: impl FnOnce(&mut Source) -> fmt::Result,
    ) {
        let written = self.written(write);
        let redrawn = written.is_none();
        let source = match written {
            // `&a..b` would be a range of references.
            Some(text) if !prefix.is_empty() && text.contains("..") => format!("{prefix}({text})"),
            Some(text) => format!("{prefix}{text}"),
            None => format!("{prefix}{}", redraw.expression(&self.draws(), "")),
        };
        self.add(argument, source, debug, redrawn);
    }

    /// Records an argument passed as a slice, whose list `write` writes, or else is drawn again.
    pub fn slice(
        &mut self,
        argument: (&'static str, &'static str),
        prefix: &str,
        redraw: Redraw,
        debug: Option<String>,
        write: impl FnOnce(&mut Source) -> fmt::Result,
    ) {
        let written = self.written(write);
        let redrawn = written.is_none();
        let source = match written {
            Some(list) => format!("{prefix}{list}"),
            None => format!("{prefix}*{}", redraw.expression(&self.draws(), "Vec<_>")),
        };
        self.add(argument, source, debug, redrawn);
    }

    /// Records an argument passed as a string slice.
    pub fn text(
        &mut self,
        argument: (&'static str, &'static str),
        prefix: &str,
        debug: Option<String>,
        value: &str,
    ) {
        let mut out = Source::for_place(self.place);
        out.literal(value);
        let literal = out.into_text();
        let source = match prefix {
            // A literal is a reference already.
            "&" => literal,
            _ => format!("{prefix}*String::from({literal})"),
        };
        self.add(argument, source, debug, false);
    }

    /// Returns the text that `write` writes, if it is an expression.
    fn written(&self, write: impl FnOnce(&mut Source) -> fmt::Result) -> Option<String> {
        let mut out = Source::for_place(self.place);
        write(&mut out).ok().map(|()| out.into_text())
    }

    /// Returns the draws of the next argument as an expression.
    fn draws(&self) -> String {
        let (from, to) = self.spans[self.arguments.len()];
        draws_source(&self.current.drawn_since(from)[..to - from])
    }

    /// Adds an argument, given by its name and type.
    fn add(
        &mut self,
        (name, type_name): (&'static str, &'static str),
        source: String,
        debug: Option<String>,
        redrawn: bool,
    ) {
        self.arguments.push(Argument {
            name,
            type_name,
            source,
            debug,
            redrawn,
        });
    }

    /// Completes the description after the last argument. `suffix` is appended to the call in a
    /// test (`.unwrap()`).
    pub fn complete(&mut self, suffix: &'static str) {
        self.suffix = suffix;
        let described = self.describe();
        (self.write)(&described);
    }

    fn describe(&self) -> Described {
        let rest = self.current.rest();
        let call = self.call(&rest);
        let mut json = String::from("{");
        json::field(&mut json, "harness", self.meta.name.get());
        json.push_str(", \"args\": ");
        json::list(&mut json, &self.arguments, |out, argument| {
            out.push('{');
            json::field(out, "name", argument.name);
            out.push_str(", ");
            json::field(out, "type", argument.type_name);
            out.push_str(", ");
            json::field(out, "source", &argument.source);
            out.push_str(", \"debug\": ");
            match &argument.debug {
                Some(text) => json::string(out, text),
                None => out.push_str("null"),
            }
            out.push_str(", \"redrawn\": ");
            out.push_str(if argument.redrawn { "true" } else { "false" });
            out.push('}');
        });
        json.push_str(", \"inputs\": ");
        let draws: Vec<Input> = self
            .current
            .drawn_since(0)
            .into_iter()
            .chain(rest)
            .collect();
        json::list(&mut json, &draws, |out, draw| {
            out.push('{');
            json::field(out, "name", &draw.name);
            out.push_str(", ");
            json::field(out, "bytes", &hex(&draw.bytes));
            out.push('}');
        });
        json.push_str(", ");
        json::field(&mut json, "call", &call);
        json.push_str("}\n");
        Described { json, call }
    }

    /// Returns the call that repeats this run in a test beside the harness.
    fn call(&self, rest: &[Input]) -> String {
        let arguments: Vec<&str> = self
            .arguments
            .iter()
            .map(|argument| argument.source.as_str())
            .collect();
        let call = format!(
            "{}({}){}",
            self.meta.name.get(),
            arguments.join(", "),
            self.suffix
        );
        if rest.is_empty() {
            call
        } else if self.meta.flags & FLAG_KANI_PROOF != 0 {
            let name = self.meta.name.get();
            let values = vectors_source(rest);
            format!("::kani::concrete_playback_run({values}, || {{ {name}(); }})")
        } else {
            // The harness draws more in its body.
            format!("::symex::with_inputs({}, || {call})", draws_source(rest))
        }
    }
}

/// Returns draws as an expression of type `&[&[u8]]`.
fn draws_source(draws: &[Input]) -> String {
    lists_source(draws, "&[")
}

/// Returns draws as an expression of type `Vec<Vec<u8>>`.
fn vectors_source(draws: &[Input]) -> String {
    lists_source(draws, "vec![")
}

/// Returns draws as lists in a list, each of which opens like this.
fn lists_source(draws: &[Input], open: &str) -> String {
    let lists: Vec<String> = draws
        .iter()
        .map(|draw| {
            let bytes: Vec<String> = draw
                .bytes
                .iter()
                .map(|byte| format!("0x{byte:02x}"))
                .collect();
            format!("{open}{}]", bytes.join(", "))
        })
        .collect();
    format!("{open}{}]", lists.join(", "))
}
