//! Makes system calls fail in a native run, where the explored path assumed that they fail. The
//! functions that do so are part of the source file of the `reproducer`.
//!
//! A call that always fails as a whole is wrapped by the linker (`--wrap`), because it is the call
//! of a library function in the program. A call on an open file may also be made by a stream inside
//! the C library, where the linker cannot wrap it; such calls are intercepted with the help of the
//! kernel (seccomp).

use std::collections::{BTreeMap, BTreeSet};
use symex_types::config::failing::{Error, ErrorReturn, call};
use symex_types::outcome::{ConcreteInput, Failure, Role};

/// The C text of the functions, in named sections.
const FUNCTIONS: &str = include_str!("failing.c");

/// Text that precedes all includes of a source file.
const BEFORE: &str = "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n";

/// Headers that the functions need.
const HEADERS: [&str; 9] = [
    "errno.h",
    "signal.h",
    "stddef.h",
    "ucontext.h",
    "linux/filter.h",
    "linux/seccomp.h",
    "sys/prctl.h",
    "sys/syscall.h",
    "sys/uio.h",
];

/// System calls whose name in the kernel differs from the one used here.
const NUMBERS: [(&str, &str); 2] = [("pread", "pread64"), ("pwrite", "pwrite64")];

/// A failing call, read from its input.
struct Fails<'a> {
    call: &'a str,
    descriptor: Option<u32>,
    number: u32,
    how: Failure,
}

fn failures(inputs: &[ConcreteInput]) -> Vec<Fails<'_>> {
    let failing = inputs.iter().filter_map(|input| match &input.role {
        Role::Failure {
            call,
            descriptor,
            number,
            how,
        } => Some(Fails {
            call,
            descriptor: *descriptor,
            number: *number,
            how: *how,
        }),
        _ => None,
    });
    failing.collect()
}

/// Describes a failing call in a report, under the given name.
pub fn sentence(name: &str, how: Failure) -> String {
    match how {
        Failure::Error(error) => format!("{name} fails with {}", Error(error).name()),
        Failure::Short(bytes) => format!("{name} is of {bytes} byte only"),
    }
}

/// Returns the linker options for these inputs.
pub fn link_options(inputs: &[ConcreteInput]) -> Vec<String> {
    let failing = failures(inputs);
    let calls: BTreeSet<&str> = failing.iter().map(|fails| fails.call).collect();
    let functions = calls
        .into_iter()
        .filter_map(call)
        .flat_map(|call| call.functions);
    let options = functions.map(|(name, _)| format!("-Wl,--wrap={name}"));
    options.collect()
}

/// Returns the beginning of a source file, and the functions that make calls fail; `None` if no
/// call fails.
pub fn compose(inputs: &[ConcreteInput]) -> Option<(String, String)> {
    let failing = failures(inputs);
    if failing.is_empty() {
        return None;
    }
    let headers: String = HEADERS
        .iter()
        .map(|name| format!("#include <{name}>\n"))
        .collect();
    let mut text = String::from("\n");
    for input in inputs {
        if let Role::Failure { how, .. } = input.role {
            text.push_str(&format!("/* {} */\n", sentence(&input.name, how)));
        }
    }
    text.push_str(&on_files(&failing));
    text.push_str(&as_a_whole(&failing));
    Some((format!("{BEFORE}{headers}"), text))
}

/// Returns the C text for failing calls on descriptors.
fn on_files(failing: &[Fails]) -> String {
    let lines: String = failing
        .iter()
        .filter_map(|fails| {
            let descriptor = fails.descriptor?;
            let known = NUMBERS.iter().find(|known| known.0 == fails.call);
            let call = known.map_or(fails.call, |known| known.1);
            let answer = match fails.how {
                Failure::Error(error) => -i64::from(error),
                Failure::Short(bytes) => i64::from(bytes),
            };
            Some(format!(
                "    {{SYS_{call}, {descriptor}, {}, {answer}, 0}},\n",
                fails.number
            ))
        })
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let lines = lines.trim_end().trim_end_matches(',');
    format!(
        "static struct symex_failure {{\n    long call;\n    long descriptor;\n    unsigned long number;\n    \
         long answer;\n    unsigned long seen;\n}} symex_failures[] = {{\n{lines}\n}};\n\n{}",
        section("system")
    )
}

/// Returns the C text for calls that fail as a whole.
fn as_a_whole(failing: &[Fails]) -> String {
    let mut by_call: BTreeMap<&str, Vec<&Fails>> = BTreeMap::new();
    for fails in failing.iter().filter(|fails| fails.descriptor.is_none()) {
        by_call.entry(fails.call).or_default().push(fails);
    }
    let mut text = String::new();
    for (name, failing) in by_call {
        let cases: String = failing
            .iter()
            .filter_map(|fails| match fails.how {
                Failure::Error(error) => {
                    let number = fails.number;
                    Some(format!(
                        "    if (made == {number}) {{\n        return {};\n    }}\n",
                        error
                    ))
                }
                Failure::Short(_) => None,
            })
            .collect();
        text.push_str(&format!(
            "\nstatic int symex_{name}_error(void) {{\n    static unsigned long made;\n    made++;\n{cases}    \
             return 0;\n}}\n"
        ));
        for (function, answer) in call(name).map_or(&[][..], |call| call.functions) {
            let section = section(match answer {
                ErrorReturn::MinusOne => "minus-one",
                ErrorReturn::Null => "null",
                ErrorReturn::Reopens => "reopens",
            });
            let section = section.replace("NAME", function).replace("CALL", name);
            text.push_str(&format!("\n{section}"));
        }
    }
    text
}

/// Returns the section of the functions' file with this name.
fn section(name: &str) -> &'static str {
    let head = format!("/* @{name} */\n");
    let rest = FUNCTIONS.split_once(&head).map_or("", |(_, rest)| rest);
    &rest[..rest.find("\n/* @").unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_types::config::failing::{EACCES, EIO};

    fn input(call: &str, descriptor: Option<u32>, how: Failure) -> ConcreteInput {
        ConcreteInput {
            name: format!("{call} #2"),
            role: Role::Failure {
                call: call.to_owned(),
                descriptor,
                number: 2,
                how,
            },
            bytes: Vec::new(),
            form: Default::default(),
        }
    }

    #[test]
    fn the_linker_and_the_kernel_are_asked_for_what_fails_and_nothing_else() {
        let read = input("pread", Some(3), Failure::Error(EIO.0));
        let open = input("open", None, Failure::Error(EACCES.0));
        assert!(compose(&[]).is_none() && link_options(std::slice::from_ref(&read)).is_empty());
        let (_, text) = compose(std::slice::from_ref(&read)).unwrap();
        assert!(text.contains("{SYS_pread64, 3, 2, -5, 0}") && !text.contains("__wrap_"));
        let (_, text) = compose(std::slice::from_ref(&open)).unwrap();
        assert!(text.contains("if (made == 2) {\n        return 13;"));
        assert!(text.contains("FILE *__wrap_freopen(") && !text.contains("SYS_"));
        let options = link_options(&[open, read]);
        assert!(options.contains(&"-Wl,--wrap=fopen".to_owned()));
        assert!(options.iter().all(|option| !option.ends_with("read")));
    }
}
