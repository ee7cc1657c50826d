//! Tests of random functions with undefined behaviour of a class planted into them: it is found,
//! under that name and with inputs that bring it about, and the twin of the function, which leaves
//! these inputs out, passes.
//!
//! `random_undefined/generator.rs` writes the functions. `SYMEX_TEST_SEED=N` tries others, and
//! `SYMEX_TEST_PROGRAMS=10000` more of them.

mod generator;

use crate::support::{Crate, finish_within, kinds, limited, manifest, number};
use generator::{CLASSES, function};
use serde_json::Value;
use std::fmt::Write;
use symex_testing::random::TestRandom;

/// Number of functions, each with and without its undefined behaviour, in one crate.
const PROGRAMS: usize = 300;

/// A condition of the inputs of a function, under which its behaviour is undefined.
pub enum Trigger {
    /// `a & mask == bits`.
    Bits(u32, u32),
    /// `b > least`.
    Above(u8),
    /// `c % modulus == rest`.
    Rest(u16, u16),
    /// `a` and `b` are equal in their low bits, which are not those of `c`.
    Equal,
}

impl Trigger {
    fn random(random: &mut TestRandom) -> Trigger {
        match random.below(4) {
            0 => {
                let mask = random.bits() as u32 | 1;
                Trigger::Bits(mask, random.bits() as u32 & mask)
            }
            1 => Trigger::Above(random.below(255) as u8),
            2 => {
                let modulus = random.between(2, 900) as u16;
                Trigger::Rest(modulus, random.below(usize::from(modulus)) as u16)
            }
            _ => Trigger::Equal,
        }
    }

    /// Returns the condition as Rust's text.
    pub fn code(&self) -> String {
        match self {
            Trigger::Bits(mask, bits) => format!("a & {mask} == {bits}"),
            Trigger::Above(least) => format!("b > {least}"),
            Trigger::Rest(modulus, rest) => format!("c % {modulus} == {rest}"),
            Trigger::Equal => "a as u8 == b && c as u8 != b".to_owned(),
        }
    }

    fn holds(&self, a: u32, b: u8, c: u16) -> bool {
        match self {
            Trigger::Bits(mask, bits) => a & mask == *bits,
            Trigger::Above(least) => b > *least,
            Trigger::Rest(modulus, rest) => c % modulus == *rest,
            Trigger::Equal => a as u8 == b && c as u8 != b,
        }
    }
}

/// Returns a finding's inputs `a`, `b`, `c`.
fn inputs(finding: &Value) -> (u32, u8, u16) {
    let number = |name: &str| {
        let inputs = finding["inputs"].as_array().expect("inputs");
        let found = inputs.iter().find(|input| input["name"] == name);
        // An input that was not looked at may be anything.
        found.map_or(0, |input| {
            let bytes = input["bytes"].as_array().expect("bytes").iter().rev();
            bytes.fold(0, |sum, byte| sum << 8 | byte.as_u64().expect("a byte"))
        })
    };
    (number("a") as u32, number("b") as u8, number("c") as u16)
}

/// Runs the functions of a seed, and returns what is wrong with the reports.
fn complaints(seed: u64, programs: usize) -> Vec<String> {
    let mut random = TestRandom::new(seed);
    let mut text = format!(
        "#![allow(warnings, clippy::all)]\n{}\n",
        include_str!("random_undefined/prelude.rs")
    );
    let mut planted = Vec::new();
    for i in 0..programs {
        let class = &CLASSES[i % CLASSES.len()];
        let trigger = Trigger::random(&mut random);
        text.push_str(&function(&format!("case{i}"), class, &trigger, &mut random));
        let _ = writeln!(
            text,
            "#[symex::harness] fn bad_{i}(a: u32, b: u8, c: u16) {{ pass(case{i}(a, b, c)); }}\n\
             #[symex::harness] fn good_{i}(a: u32, b: u8, c: u16) \
             {{ symex::assume(!({})); pass(case{i}(a, b, c)); }}",
            trigger.code()
        );
        planted.push((class, trigger));
    }
    let name = "random_undefined";
    let tree = Crate::files(
        name,
        &[("Cargo.toml", &manifest(name)), ("src/lib.rs", &text)],
    );
    let options = ["--replay=off", "--no-write", "--message-format", "json"];
    let run = finish_within(limited::LONG, tree.symex_command(&options));

    let mut complaints = Vec::new();
    let mut seen = 0;
    for line in run.json() {
        if line["type"] != "harness-finished" {
            continue;
        }
        seen += 1;
        let harness = line["harness"].as_str().expect("a name");
        let verdict = line["verdict_text"].as_str().expect("a text");
        let (_, at) = harness.rsplit_once('_').expect("a number");
        let (class, trigger) = &planted[at.parse::<usize>().expect("a number")];
        let findings = line["findings"].as_array().expect("findings");
        let kinds = kinds(&line);
        let is_right = if harness.starts_with("good_") {
            verdict == "pass (complete)"
                || class.has_threads()
                    && verdict.starts_with("pass (bounded: orders of threads with at most")
        } else {
            let of_class = |f: &Value| f["kind"].as_str().is_some_and(|k| class.kinds.contains(&k));
            let triggered = |f: &Value| {
                let (a, b, c) = inputs(f);
                trigger.holds(a, b, c)
            };
            !findings.is_empty() && findings.iter().all(|f| of_class(f) && triggered(f))
        };
        if !is_right {
            let (what, when) = (class.name, trigger.code());
            complaints.push(format!(
                "{harness} ({what}, if {when}): {verdict} {kinds:?}"
            ));
        }
    }
    if seen != 2 * programs {
        complaints.push(format!("{seen} harnesses ran: {}", run.stderr));
    }
    complaints
}

#[test]
fn planted_undefined_behaviour_is_found_and_its_twin_passes() {
    let seed = number("SYMEX_TEST_SEED").unwrap_or(1);
    let programs = number("SYMEX_TEST_PROGRAMS").map_or(PROGRAMS, |n| n as usize);
    for (i, first) in (0..programs).step_by(PROGRAMS).enumerate() {
        let seed = seed + i as u64;
        let complaints = complaints(seed, PROGRAMS.min(programs - first));
        assert!(
            complaints.is_empty(),
            "seed {seed}:\n{}",
            complaints.join("\n")
        );
    }
}
