//! Models of the library proptest, which are used in tests of properties only.
//!
//! A test runs one case, whose values stand for all: the generator of the runner gives fresh
//! inputs. A value in a range, which rand makes of a generator's words and rejects some of them
//! for, is an input in that range. A case that the test rejects is an assumption that does not
//! hold, as are values that a filter rejects. Cases that fail are findings; they are not made
//! smaller.
//!
//! The inputs are the bytes that a generator has to give for the values, so that a native run can
//! be given the same.

use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::{Fault, PathEnd, Res};
use crate::exec::path::trace::trace;
use crate::exec::{EntryKind, Executor};
use crate::models::peek;
use crate::models::table::{Row, always};
use crate::state::property::{CaseFailure, RunningCase};
use crate::state::{State, SymbolicInput};
use std::rc::Rc;
use std::sync::Arc;
use symex_program::properties;
use symex_program::rust_path::TraitMethod;
use symex_terms::{BinOp, Expr, Value, Width};
use symex_types::outcome::draws::{CASE, DRAW, OTHER, SPLIT};
use symex_types::outcome::{Bound, FindingKind, Form, Role};

/// Rows of proptest, and of what it uses of rand.
pub const ROWS: &[Row] = &[
    always(properties::RUN_CASE, run_case),
    always(properties::SHRINK, failed),
    always(properties::REJECT[0], rejected),
    always(properties::REJECT[1], rejected),
    always(properties::FAIL, failure),
    always(properties::PROCESSES[0], off),
    always(properties::PROCESSES[1], off),
    always(properties::NEW_SEED, split),
    always(properties::WORDS[0], draw),
    always(properties::WORDS[1], draw),
    always(properties::WORDS[2], draw),
    always(properties::WORDS[3], draw),
    always(properties::BYTES[0], draw_bytes),
    always(properties::BYTES[1], draw_bytes),
    always(properties::BYTES[2], draw_bytes),
    always(properties::MULTIPLY[0], multiply),
    always(properties::MULTIPLY[1], multiply),
    always("std::io::stdio::_print", print),
    always("std::io::stdio::_eprint", print),
];

/// Most bytes of a runner.
const RUNNER: u64 = 2048;

fn is_off(m: &Executor) -> bool {
    m.entry_kind != EntryKind::PropertyTest
}

/// Reports whether the runner is what catches a panic that something catches.
pub fn catches(m: &Executor, st: &State) -> bool {
    if is_off(m) {
        return false;
    }
    // Calls may be inlined, so that one frame has what catches and what panics.
    let trace = trace(m.program, st);
    let names = trace
        .iter()
        .map(|frame| frame.function.trim_start_matches('<'));
    let mut outer = names.skip_while(|name| !CATCHES.iter().any(|catch| name.starts_with(catch)));
    let caller = outer.find(|name| !name.starts_with("std::") && !name.starts_with("core::"));
    caller.is_some_and(|name| name.starts_with(properties::RUNNER))
}

/// Functions of std that catch panics: since Rust 1.89, and before.
const CATCHES: [&str; 2] = ["std::panicking::catch_unwind", "std::panicking::try"];

/// Reports whether it is the runner that does something, and not the test: what it asks the system
/// for, and prints, has no part in what a case does.
pub fn is_runners(m: &Executor, st: &State) -> bool {
    if is_off(m) {
        return false;
    }
    let trace = trace(m.program, st);
    let mut of_runner = trace
        .iter()
        .map(|frame| frame.function.trim_start_matches('<'))
        .filter(|name| name.starts_with(properties::RUNNER));
    // The closure in which the runner calls the test.
    let is_call = |name: &str| name.starts_with(properties::CALL_TEST) && name.ends_with('}');
    of_runner.next().is_some_and(|name| !is_call(name))
}

/// `_print(arguments)` and `_eprint(arguments)`.
fn print(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    match is_runners(m, st) {
        true => Flow::void(),
        false => Ok(Flow::Body),
    }
}

/// `gen_and_run_case(result, runner, …)`: runs the first case, and has the runner believe that it
/// was the last.
fn run_case(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let Value::Ptr(runner, start) = c.arg(1) else {
        return Ok(Flow::Body);
    };
    if is_off(m) || !c.returns.is_empty() {
        return Ok(Flow::Body);
    }
    let frame = st.stack.top.serial;
    let size = st.memory.object(runner).size;
    let end = size.min(start.saturating_add(RUNNER));
    let words: Vec<Option<u64>> = (start..end.saturating_sub(WORD - 1))
        .step_by(WORD as usize)
        .map(|at| match st.memory.load(&mut m.pool, runner, at, 32) {
            Value::Int(word) => Some(word),
            _ => None,
        })
        .collect();
    let running = st.world.property.running.as_ref();
    let Some(running) = running.filter(|case| case.frame == frame) else {
        mark(st, CASE);
        let world = Rc::make_mut(&mut st.world);
        world.property.running = Some(RunningCase {
            frame,
            runner,
            before: words.into(),
        });
        let args = c.args.iter().map(|arg| arg.0).collect();
        return Ok(Flow::First(c.function, args));
    };
    // What has become one more than it was is the number of cases that went well.
    let changed = words.iter().zip(running.before.iter()).enumerate();
    let mut counts = changed.filter_map(|(number, words)| match words {
        (Some(after), Some(before)) if *after == before + 1 => Some(number as u64),
        _ => None,
    });
    let count = (counts.next(), counts.next());
    Rc::make_mut(&mut st.world).property.running = None;
    match count {
        (Some(number), None) => {
            let all = Value::Int(u32::MAX.into());
            let at = start + number * WORD;
            st.memory.store(&mut m.pool, runner, at, 32, all);
            Flow::void()
        }
        _ => {
            let what = "what a test does after its cases";
            Err(PathEnd::Bounded(Bound::Size(what.to_owned())).into())
        }
    }
}

/// Bytes of a word of a runner.
const WORD: u64 = 4;

/// Adds a mark to the inputs.
fn mark(st: &mut State, name: &'static str) {
    push(st, name, Vec::new(), None);
}

fn push(st: &mut State, name: &str, parts: Vec<Expr>, length: Option<Expr>) {
    st.inputs.push(SymbolicInput {
        name: name.into(),
        role: Role::Program,
        parts,
        length,
        form: Form::Number,
    });
}

/// `TestCaseError::fail(reason)`: notes the failure, which counts once it is returned.
fn failure(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if is_off(m) {
        return Ok(Flow::Body);
    }
    let text = reason(m, st, c);
    let trace = trace(m.program, st);
    let failure = Some(Rc::new(CaseFailure { text, trace }));
    Rc::make_mut(&mut st.world).property.failure = failure;
    Ok(Flow::Body)
}

/// Returns the text of a reason: a `&str`, or a `String` behind a pointer, whose words are
/// capacity, start and length.
fn reason(m: &mut Executor, st: &State, c: &Call) -> Option<String> {
    let display = &m.program.function(c.function).display;
    let (start, len) = if display.ends_with("::<&str>") {
        let args = &c.args[c.args.len().checked_sub(2)?..];
        (args[0].0, peek::word(m, st, args[1].0, 64))
    } else {
        let text = c.args.last()?.0;
        let start = peek::load(m, st, text, 8, 64)?;
        (start, peek::load_word(m, st, text, 16, 64)?)
    };
    peek::text(m, st, start, len)
}

/// `shrink(runner, …)`: reached when a case has failed by an error.
fn failed(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    if is_off(m) {
        return Ok(Flow::Body);
    }
    let failure = st.world.property.failure.clone();
    let text = failure.as_ref().and_then(|failure| failure.text.clone());
    let text = text.unwrap_or_else(|| "a case of the property fails".to_owned());
    let mut fault = Fault::new(FindingKind::Panic, text);
    fault.trace = failure.map(|failure| failure.trace.clone());
    Err(fault.into())
}

/// A function that the runner calls when a case, or a value, was rejected.
fn rejected(m: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    match is_off(m) {
        true => Ok(Flow::Body),
        false => Err(PathEnd::Assumed.into()),
    }
}

/// A setting that is off.
fn off(m: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    match is_off(m) {
        true => Ok(Flow::Body),
        false => Flow::int(0),
    }
}

/// `TestRng::new_rng_seed(self)`: notes that a generator is made from the runner's own.
fn split(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    // The seed of a case is made before it begins.
    if !is_off(m) && st.world.property.running.is_some() {
        let generator = c.args.iter().map(|arg| arg.0);
        let own = generator.take(2).any(|arg| is_own(st, arg));
        mark(st, if own { SPLIT } else { OTHER });
    }
    Ok(Flow::Body)
}

/// Reports whether a generator is the runner's own.
fn is_own(st: &State, generator: Value) -> bool {
    let running = st.world.property.running.as_ref();
    match generator {
        Value::Ptr(object, _) => running.is_some_and(|case| case.runner == object),
        _ => false,
    }
}

/// Returns the name of what a generator gives; `None` outside of a case.
fn draw_of(m: &Executor, st: &State, generator: Value) -> Option<&'static str> {
    if is_off(m) || st.world.property.running.is_none() {
        return None;
    }
    Some(if is_own(st, generator) { DRAW } else { OTHER })
}

/// `next_u32(self)` and `next_u64(self)`.
fn draw(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let Some(name) = draw_of(m, st, c.arg(0)) else {
        return Ok(Flow::Body);
    };
    let [width @ (32 | 64)] = *c.returns else {
        return Ok(Flow::Body);
    };
    let word = m.input_variable(st, name.into(), width, 0);
    push(st, name, vec![word], None);
    Flow::value(Value::Expr(word))
}

/// `fill_bytes(self, start, length)`, which may return that it went well.
fn draw_bytes(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let Some(name) = draw_of(m, st, c.arg(0)) else {
        return Ok(Flow::Body);
    };
    let len = m.concretise(st, c.arg(2), 64)?;
    if len > 0 {
        let (object, start) = m.check_range(st, c.arg(1), len, Access::Write)?;
        let name: Arc<str> = name.into();
        let bytes = m.fresh_bytes(st, &name, Role::Program, len);
        for (at, byte) in (start..).zip(bytes) {
            st.memory.store(&mut m.pool, object, at, 8, byte);
        }
    }
    Ok(Flow::Return(
        c.returns.iter().map(|_| Value::Int(0)).collect(),
    ))
}

/// `wmul(word, range)`: returns the high and low half of the product, of which the high one is the
/// value in the range, and the low one decides whether the word is rejected.
///
/// For a word just drawn, the high half is a new input, and the low half one that all versions of
/// rand accept: at least `2^n mod range`, at most `2^n - range` and `range - 1`, or as much of
/// that as there is.
fn multiply(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let (Value::Expr(word), &[width @ (32 | 64), _]) = (c.arg(0), c.returns) else {
        return Ok(Flow::Body);
    };
    let Some(name) = drawn(m, st, word) else {
        return Ok(Flow::Body);
    };
    let range = m.concretise(st, c.arg(1), width)?;
    if range == 0 {
        return Ok(Flow::Body);
    }
    st.inputs.pop();
    let bits = 64 - (range - 1).leading_zeros();
    let value = match bits {
        0 => m.pool.constant(width, 0),
        _ => {
            // The first part of this input was the word.
            let v = m.input_variable(st, name.clone(), bits, 1);
            let most = m.pool.constant(bits, u128::from(range - 1));
            let inside = m.pool.ule(v, most);
            m.assume(st, inside)?;
            m.pool.zext(v, width)
        }
    };
    let caller = m.program.function(st.stack.top.function).display.as_str();
    let sampler = Sampler::of(caller);
    let native = NativeWord::of(m, value, width, range, sampler);
    push(st, &name, native.parts, native.length);
    let whole = 1u128 << width;
    let low = u128::from(range - 1).min(whole - u128::from(range));
    let low = m.pool.constant(width, low);
    let both = [m.pool.value(value), m.pool.value(low)];
    Ok(Flow::Return(both.into_iter().collect()))
}

/// Returns the name of the last input, if it is this word.
fn drawn(m: &Executor, st: &State, word: Expr) -> Option<Arc<str>> {
    if is_off(m) {
        return None;
    }
    let last = st.inputs.last()?;
    let is_draw = [DRAW, OTHER].contains(&&*last.name) && *last.parts == [word];
    is_draw.then(|| last.name.clone())
}

/// Way in which a version of rand accepts words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sampler {
    /// Low halves up to a certain one are accepted: rand 0.8.
    UpTo,
    /// Low halves from `2^n mod range` on are accepted: `sample` of rand 0.9.
    From,
    /// All are accepted; of low halves over `2^n - range` a second word may add one to the value:
    /// `sample_single` of rand 0.9.
    WithSecond,
}

impl Sampler {
    /// Returns that of a function that multiplies.
    fn of(caller: &str) -> Sampler {
        let method = TraitMethod::of(caller);
        match method {
            Some(m) if m.trait_path.starts_with("rand::distr::") && m.method == "sample" => {
                Sampler::From
            }
            Some(m) if m.trait_path.starts_with("rand::distr::") => Sampler::WithSecond,
            _ => Sampler::UpTo,
        }
    }
}

/// Words that a generator has to give for a value in a range.
struct NativeWord {
    parts: Vec<Expr>,
    length: Option<Expr>,
}

impl NativeWord {
    /// Computes the least word whose product with the range has the value as its high half, or the
    /// next one, if that is rejected.
    fn of(m: &mut Executor, value: Expr, width: Width, range: u64, sampler: Sampler) -> NativeWord {
        let pool = &mut m.pool;
        let double = 2 * width;
        let whole = 1u128 << width;
        let range = u128::from(range);
        let zero = pool.constant(width, 0);
        let high = pool.concat(value, zero);
        let (by, one_less) = (
            pool.constant(double, range),
            pool.constant(double, range - 1),
        );
        let up = pool.add(high, one_less);
        let mut word = pool.bin(BinOp::UDiv, up, by);
        let product = pool.bin(BinOp::Mul, word, by);
        let low = pool.sub(product, high);
        let mut length = None;
        let mut parts = Vec::new();
        match sampler {
            Sampler::UpTo => {}
            Sampler::From => {
                let least = pool.constant(double, whole % range);
                let is_rejected = pool.ult(low, least);
                let one = pool.constant(double, 1);
                let next = pool.add(word, one);
                word = pool.ite(is_rejected, next, word);
            }
            Sampler::WithSecond => {
                // A second word of 0 adds nothing.
                let most = pool.constant(double, whole - range);
                let has_second = pool.ult(most, low);
                let bytes = u128::from(width / 8);
                let (one, two) = (pool.constant(64, bytes), pool.constant(64, 2 * bytes));
                length = Some(pool.ite(has_second, two, one)).filter(|_| range > whole / 2);
                parts.extend(length.map(|_| zero));
            }
        }
        parts.insert(0, pool.extract(word, 0, width));
        NativeWord { parts, length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samplers_go_by_the_version_of_rand() {
        let of = |path: &str| {
            Sampler::of(&format!(
                "<rand::{path}::uniform::UniformInt<u32> as rand::{path}::uniform::UniformSampler>"
            ))
        };
        assert_eq!(of("distr"), Sampler::UpTo, "no method");
        let name =
            "<rand::distr::uniform::UniformInt<u32> as rand::distr::uniform::UniformSampler>";
        let generator = "::<proptest::test_runner::rng::TestRng>";
        assert_eq!(
            Sampler::of(&format!("{name}::sample{generator}")),
            Sampler::From
        );
        let single = format!("{name}::sample_single_inclusive{generator}");
        assert_eq!(Sampler::of(&single), Sampler::WithSecond);
        let old = single.replace("distr::", "distributions::");
        assert_eq!(Sampler::of(&old), Sampler::UpTo);
    }
}
