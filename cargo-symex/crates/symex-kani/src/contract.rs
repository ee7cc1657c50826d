//! Function contracts, as far as they are checked where the program runs.
//!
//! A function with a contract asks at each call whether the running proof is about it
//! ([`Call::enter`]). In a proof by `proof_for_contract`, the call assumes what the contract
//! requires and checks what it ensures, around the function's own body; nested calls run the body
//! alone. Where a proof takes the contract as verified (`stub_verified`), calls check both, and the
//! body runs as well: less is left open than by a contract in place of the body.
//!
//! A proof names its function by a path as the source has it, a call knows its function by the
//! compiler's full name. The path stands for every function whose name ends like it; if calls of
//! more than one are seen, that is unsupported, and so is a proof for a contract of which no call
//! is seen.

use core::cell::{Cell, RefCell};
use core::ffi::CStr;
use core::mem::ManuallyDrop;

use crate::internal::{assumed, c_string, unsupported};

/// How a proof regards the contract of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The proof is for it.
    Subject,
    /// It is taken as verified.
    Verified,
}

/// A function named by the running proof.
struct Named {
    part: Part,
    /// The path as written.
    path: &'static str,
    /// The full name of the function that was called by it.
    function: Cell<Option<&'static str>>,
    /// Whether a call is under way.
    is_running: Cell<bool>,
}

thread_local! {
    static NAMED: RefCell<Vec<Named>> = const { RefCell::new(Vec::new()) };
}

/// The contracts that a proof is about, from its beginning to its end.
pub struct Checked(());

impl Checked {
    /// Begins a proof about these paths.
    pub fn begin(paths: &[(Part, &'static str)]) -> Self {
        let named = |(part, path): &(Part, &'static str)| Named {
            part: *part,
            path,
            function: Cell::new(None),
            is_running: Cell::new(false),
        };
        NAMED.with(|all| *all.borrow_mut() = paths.iter().map(named).collect());
        Checked(())
    }

    /// Ends the proof. That the contract it is for was not checked is unsupported. What it writes
    /// is not compared with what it may, and statics have their first values.
    pub fn end(self) {
        let (checked, unchecked): (Vec<_>, Vec<_>) = NAMED.with(|all| {
            let all = all.borrow();
            let subjects = all.iter().filter(|named| named.part == Part::Subject);
            let of = subjects.map(|named| (named.path, named.function.get().is_some()));
            of.partition(|(_, is_checked)| *is_checked)
        });
        for (path, _) in checked {
            let what = format!(
                "`{path}` was taken to write nothing but what its contract lets it, and mutable \
                 statics to have their first values"
            );
            assumed(c_string(&what));
        }
        if let Some((path, _)) = unchecked.first() {
            let what = format!(
                "`#[kani::proof_for_contract({path})]`, as no call of a function `{path}` with a \
                 contract that can be checked is seen"
            );
            unsupported(c_string(&what))
        }
    }
}

impl Drop for Checked {
    fn drop(&mut self) {
        NAMED.with(|all| all.borrow_mut().clear());
    }
}

/// A call of a function with a contract.
pub struct Call {
    /// The number of the named function among those of the proof; `None` if it is none of them.
    number: Option<usize>,
    part: Part,
}

impl Call {
    /// Enters a function. `marker` is an item of its body, whose type has its full name.
    pub fn enter<M>(_marker: &M) -> Self {
        let full = core::any::type_name::<M>();
        NAMED.with(|all| {
            let all = all.borrow();
            for (number, named) in all.iter().enumerate() {
                if named.is_running.get() || !is_meant(named.path, full) {
                    continue;
                }
                if let Some(other) = named.function.replace(Some(full))
                    && plain(other) != plain(full)
                {
                    let path = named.path;
                    let what = format!(
                        "a contract of `{path}`, as that may be `{}` or `{}`",
                        plain(full),
                        plain(other)
                    );
                    unsupported(c_string(&what))
                }
                named.is_running.set(true);
                return Call {
                    number: Some(number),
                    part: named.part,
                };
            }
            Call {
                number: None,
                part: Part::Verified,
            }
        })
    }

    /// Tells whether the contract matters to this call.
    #[inline(always)]
    pub fn is_checked(&self) -> bool {
        self.number.is_some()
    }

    /// Assumes a condition that the contract requires, or checks it, if it is taken as verified.
    #[track_caller]
    pub fn requires(&self, condition: bool, text: &str) {
        match self.part {
            Part::Subject => crate::assume(condition),
            Part::Verified => assert!(condition, "the caller breaks the contract: {text}"),
        }
    }

    /// Checks a condition that the contract ensures.
    #[track_caller]
    pub fn ensures(&self, condition: bool, text: &str) {
        assert!(condition, "the function breaks its contract: {text}");
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            NAMED.with(|all| {
                if let Some(named) = all.borrow().get(number) {
                    named.is_running.set(false);
                }
            });
        }
    }
}

/// Calls a function's body.
#[inline(always)]
pub fn call<R>(body: impl FnOnce() -> R) -> R {
    body()
}

/// Applies a condition of a contract to the result.
#[inline(always)]
pub fn apply<R>(condition: impl FnOnce(&R) -> bool, result: &R) -> bool {
    condition(result)
}

/// Returns a bitwise copy of an argument, for conditions that are evaluated after the body.
#[inline(always)]
pub fn untracked<T>(argument: &T) -> ManuallyDrop<T> {
    // SAFETY: it is never dropped, and is used as a value by `after` alone.
    unsafe { core::ptr::read(core::ptr::from_ref(argument).cast()) }
}

/// Returns the copy of an argument after the body. Where the argument owns something, the body may
/// have freed that: the path ends as unsupported, for this reason.
#[inline(always)]
pub fn after<T>(copy: ManuallyDrop<T>, what: &'static CStr) -> T {
    if core::mem::needs_drop::<T>() {
        unsupported(what)
    }
    ManuallyDrop::into_inner(copy)
}

/// Returns a full name without generic arguments: `<k::T<u8> as k::Tr>::f::{{closure}}` is
/// `k::T::f`.
fn plain(full: &str) -> String {
    let full = full.strip_suffix("::{{closure}}").unwrap_or(full);
    let (full, is_qualified) = match full.strip_prefix('<') {
        Some(rest) => (rest, true),
        None => (full, false),
    };
    let mut text = String::new();
    let mut depth = 0;
    let mut rest = full;
    while let Some(first) = rest.chars().next() {
        let is_arrow = text.ends_with('-') && depth == 0;
        match first {
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            // The end of the qualified type.
            '>' if is_qualified && !is_arrow => {}
            _ if depth > 0 => {}
            ' ' if is_qualified && rest.starts_with(" as ") => {
                // The trait is left out, up to the end of the qualified type.
                let mut inner = 0;
                let end = rest.char_indices().find(|(_, c)| {
                    match c {
                        '<' => inner += 1,
                        '>' if inner == 0 => return true,
                        '>' => inner -= 1,
                        _ => {}
                    }
                    false
                });
                rest = end.map_or("", |(at, _)| &rest[at..]);
                continue;
            }
            first => text.push(first),
        }
        rest = &rest[first.len_utf8()..];
    }
    text.replace("::::", "::")
}

/// Tells whether a path, whose parts the macro has separated by `::`, may mean a function.
fn is_meant(path: &str, full: &str) -> bool {
    let full = plain(full);
    let Some(before) = full.strip_suffix(path) else {
        return false;
    };
    before.is_empty() || before.ends_with("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Of<T>(T);

    trait Marked {
        fn mark(&self) -> &'static str;
    }

    impl<T> Marked for Of<Vec<T>> {
        fn mark(&self) -> &'static str {
            let marker = || {};
            name(&marker)
        }
    }

    impl<T> Of<T> {
        fn own(&self) -> &'static str {
            let marker = || {};
            name(&marker)
        }
    }

    fn generic<T>(_: T) -> &'static str {
        let marker = || {};
        name(&marker)
    }

    fn name<M>(_: &M) -> &'static str {
        core::any::type_name::<M>()
    }

    #[test]
    fn functions_are_known_by_their_paths() {
        let module = "kani::contract::tests";
        assert_eq!(plain(generic(Some(3))), format!("{module}::generic"));
        assert_eq!(plain(Of(3).own()), format!("{module}::Of::own"));
        assert_eq!(plain(Of(vec![3]).mark()), format!("{module}::Of::mark"));
        for path in [
            "own",
            "Of::own",
            "tests::Of::own",
            "kani::contract::tests::Of::own",
        ] {
            assert!(is_meant(path, Of(3).own()), "{path}");
        }
        for path in [
            "wn",
            "mark",
            "generic::own",
            "other::kani::contract::tests::Of::own",
        ] {
            assert!(!is_meant(path, Of(3).own()), "{path}");
        }
    }

    #[test]
    fn a_nested_call_runs_the_body_alone() {
        fn enter() -> Call {
            let marker = || {};
            Call::enter(&marker)
        }
        assert!(!enter().is_checked());
        let checked = Checked::begin(&[(Part::Subject, "enter")]);
        let outer = enter();
        assert!(outer.is_checked());
        assert!(!enter().is_checked());
        drop(outer);
        assert!(enter().is_checked());
        checked.end();
        assert!(!enter().is_checked());
    }
}
