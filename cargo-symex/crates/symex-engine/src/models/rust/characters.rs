//! Models of functions that tell whether a character is of a class of Unicode's.
//!
//! The standard library has a class as lengths of runs, which it adds up until it has come to the
//! character: a path for each of hundreds of runs. Here the runs are read once, and whether a
//! character is of the class is one term. That it is the function's own answer is seen from calls
//! with characters at the borders of runs, which do not affect the path.

use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::character_classes::{CharacterClass, Ranges};
use crate::exec::path::end::Res;
use crate::models::table::{Row, always};
use crate::state::State;
use symex_program::characters::{RUN_LENGTHS, RUN_STARTS, class_of};
use symex_program::{FuncId, Program};
use symex_terms::Value;

/// Row of the functions that tell a class, of which each class has its own.
pub const CLASS: Row = always("core::unicode::unicode_data", is_of_class);

/// Number of borders at which the function is asked.
const SAMPLE: usize = 128;

/// Greatest number of bytes of a class's variable.
const MOST_BYTES: u64 = 1 << 16;

/// First character of which functions are asked: some are not to be called for those before.
const FIRST: u32 = 0x300;

/// `lookup(c: char) -> bool`.
fn is_of_class(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let Value::Expr(character) = c.arg(0) else {
        return Ok(Flow::Body);
    };
    if c.args.len() != 1 || c.args[0].1 != 32 || c.returns != [1] || m.is_aside() {
        return Ok(Flow::Body);
    }
    if m.pool.has_uninit(character) {
        return Ok(Flow::Body);
    }
    let class = match m.character_classes.get(&c.function) {
        Some(known) => *known,
        None => {
            let class = class(m, st, c.function);
            m.character_classes.insert(c.function, class);
            class
        }
    };
    match class {
        Some(class) => {
            let is_member = class.has(&mut m.pool, character);
            Flow::value(m.pool.value(is_member))
        }
        None => Ok(Flow::Body),
    }
}

/// Returns the class that a function knows, if its runs are what it goes by.
fn class(m: &mut Executor, st: &State, function: FuncId) -> Option<CharacterClass> {
    let module = class_of(&m.program.function(function).display)?;
    let starts = contents(m.program, module, RUN_STARTS)?;
    let lengths = contents(m.program, module, RUN_LENGTHS)?;
    let ranges = Ranges::read(&starts, &lengths)?;
    let borders = ranges.borders();
    let step = borders.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<u32> = borders.step_by(step).filter(|c| *c > FIRST).collect();
    if sample.is_empty() {
        return None;
    }
    for border in sample {
        for character in [border - 1, border] {
            let answer = m.value_aside(st, function, &[Value::Int(character.into())])?;
            if answer != Value::Int(ranges.has(character).into()) {
                return None;
            }
        }
    }
    Some(CharacterClass::new(&mut m.pool, &ranges))
}

/// Returns what a constant of a module holds.
fn contents(program: &Program, module: &str, name: &str) -> Option<Vec<u8>> {
    let mut named = program.globals.iter().filter(|global| {
        let path = global.display.strip_prefix(module);
        path.is_some_and(|path| path == name)
    });
    let global = named.next()?;
    let init = global.init.as_ref()?;
    let is_plain = global.constant && init.relocs.is_empty() && init.undef.is_empty();
    // There is one core library, so none of two is meant.
    if !is_plain || named.next().is_some() || global.size > MOST_BYTES {
        return None;
    }
    let mut bytes = init.bytes.clone();
    bytes.resize(global.size as usize, 0);
    Some(bytes)
}
