//! Models of `getopt` and `getopt_long`, as in glibc: options may stand between other arguments,
//! which are moved behind them. An argument's bytes are decided as far as it matters: a path for
//! each option that they may name.

use super::numerals::is_one_of;
use super::stdio::{self, STDERR};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::file_system::known;
use crate::state::getopt::GetoptState;
use std::rc::Rc;
use symex_solver::Purpose;
use symex_terms::{Expr, Value};
use symex_types::outcome::Unsupported;

pub const ROWS: &[Row] = &[
    row("getopt", getopt),
    row("getopt_long", getopt_long),
    row("getopt_long_only", unknown),
];

/// A long option that the program defines.
struct Long {
    name: Vec<u8>,
    /// Argument of the option: 0: none; 1: required; 2: optional, behind a `=`.
    argument: u64,
    flag: Value,
    value: Value,
}

/// Parser state of a call, before anything is changed.
struct GetoptParser<'c> {
    c: &'c Call<'c>,
    arguments: Vec<Value>,
    /// Option letters with their colons, without the prefix of the text.
    letters: Vec<u8>,
    /// Whether the text starts with `:`: a missing argument then has a return value of its own.
    quiet: bool,
    /// Ordering prefix of the text: `+`, `-` or none.
    order: u8,
    long: Option<Vec<Long>>,
    state: GetoptState,
    /// Values of `optind`, `optarg`, `optopt` after the call.
    index: usize,
    argument: Option<Value>,
    wrong: Option<Value>,
    message: Vec<Value>,
    moved: bool,
    /// Stores of the long option's index and of its flag's value.
    stores: Vec<(Value, Value)>,
}

/// Return value: a letter, or a number of the program's own.
type GetoptResult = Value;

const END: GetoptResult = Value::Int(u32::MAX as u64);
const WRONG: GetoptResult = Value::Int(b'?' as u64);

fn unknown(_: &mut Executor, _: &mut State, c: &Call) -> Res<Flow> {
    Err(Unsupported::NoModel(c.name.to_string()).into())
}

/// `getopt(count, arguments, letters)`.
fn getopt(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    parse(m, st, c, None)
}

/// `getopt_long(count, arguments, letters, long options, index)`.
fn getopt_long(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const SIZE: u64 = 32;
    let mut long = Vec::new();
    loop {
        let field = |m: &mut Executor, st: &mut State, at: u64, width: u32| {
            let place = m.offset_pointer(st, c.arg(3), long.len() as u64 * SIZE + at);
            m.load(st, place, width, 0)
        };
        let name = field(m, st, 0, 64)?;
        if name == Value::NULL {
            break;
        }
        let argument = field(m, st, 8, 32)?;
        let flag = field(m, st, 16, 64)?;
        let value = field(m, st, 24, 32)?;
        let argument = m.concretise(st, argument, 32)?;
        let name = m.read_c_string(st, name)?;
        long.push(Long {
            name,
            argument,
            flag,
            value,
        });
    }
    parse(m, st, c, Some(long))
}

fn parse(m: &mut Executor, st: &mut State, c: &Call, long: Option<Vec<Long>>) -> Res<Flow> {
    let count = m.concretise(st, c.arg(0), 32)?;
    let mut letters = m.read_c_string(st, c.arg(2))?;
    let order = match letters.first() {
        Some(first @ (b'+' | b'-')) => *first,
        _ => 0,
    };
    if order != 0 {
        letters.remove(0);
    }
    let quiet = letters.first() == Some(&b':');
    if letters.windows(2).any(|pair| pair == b"W;") {
        return Err(Unsupported::Model("getopt with `W;`".into()).into());
    }
    let mut arguments = Vec::new();
    for i in 0..count {
        let place = m.offset_pointer(st, c.arg(1), 8 * i);
        arguments.push(m.load(st, place, 64, 0)?);
    }
    let index = match m.library_word(st, "optind") {
        Some(index) => m.concretise(st, index, 32)? as usize,
        None => st.world.options.index,
    };
    let mut state = (*st.world.options).clone();
    if index == 0 || !state.begun {
        let index = index.max(1);
        state = GetoptState {
            begun: true,
            index,
            first: index,
            last: index,
            within: None,
        };
    } else {
        state.index = index;
    }
    // The C library sets `optopt` with each call; here that is seen with the first one.
    let wrong = (!st.world.options.begun).then_some(Value::Int(0));
    let mut parser = GetoptParser {
        c,
        arguments,
        letters,
        quiet,
        order,
        long,
        index: state.index,
        state,
        argument: None,
        wrong,
        message: Vec::new(),
        moved: false,
        stores: Vec::new(),
    };
    let answer = parser.next(m, st)?;
    parser.finish(m, st, answer)
}

impl GetoptParser<'_> {
    /// Reads byte `at` of an argument.
    fn byte(&self, m: &mut Executor, st: &mut State, argument: usize, at: u64) -> Res<Expr> {
        let place = m.offset_pointer(st, self.arguments[argument], at);
        let byte = m.load(st, place, 8, 0)?;
        Ok(m.term(st, byte, 8))
    }

    fn is(&self, m: &mut Executor, st: &mut State, place: (usize, u64), wanted: u8) -> Res<bool> {
        let byte = self.byte(m, st, place.0, place.1)?;
        is_one_of(m, st, byte, &[(wanted, wanted)])
    }

    /// Reports whether the argument at the index is no option.
    fn is_plain(&self, m: &mut Executor, st: &mut State) -> Res<bool> {
        Ok(!self.is(m, st, (self.index, 0), b'-')? || self.is(m, st, (self.index, 1), 0)?)
    }

    /// Moves the skipped plain arguments behind the options that followed them.
    fn exchange(&mut self) {
        let GetoptState { first, last, .. } = self.state;
        self.arguments[first..self.index].rotate_left(last - first);
        self.moved = true;
        self.state.first += self.index - last;
        self.state.last = self.index;
    }

    /// Parses the next option.
    fn next(&mut self, m: &mut Executor, st: &mut State) -> Res<GetoptResult> {
        if let Some((argument, at)) = self.state.within {
            return self.short(m, st, argument, at);
        }
        let count = self.arguments.len();
        self.state.last = self.state.last.min(self.index);
        self.state.first = self.state.first.min(self.index);
        if self.order == 0 {
            if self.state.first != self.state.last && self.state.last != self.index {
                self.exchange();
            } else if self.state.last != self.index {
                self.state.first = self.index;
            }
            while self.index < count && self.is_plain(m, st)? {
                self.index += 1;
            }
            self.state.last = self.index;
        }
        if self.index < count && self.is_end(m, st)? {
            self.index += 1;
            if self.state.first != self.state.last && self.state.last != self.index {
                self.exchange();
            } else if self.state.first == self.state.last {
                self.state.first = self.index;
            }
            self.state.last = count;
            self.index = count;
        }
        if self.index >= count {
            if self.state.first != self.state.last {
                self.index = self.state.first;
            }
            return Ok(END);
        }
        if self.is_plain(m, st)? {
            if self.order == b'+' {
                return Ok(END);
            }
            self.argument = Some(self.arguments[self.index]);
            self.index += 1;
            return Ok(Value::Int(1));
        }
        let argument = self.index;
        if self.long.is_some() && self.is(m, st, (argument, 1), b'-')? {
            return self.long(m, st, argument);
        }
        self.short(m, st, argument, 1)
    }

    /// Reports whether the argument is `--`, behind which there are no options.
    fn is_end(&self, m: &mut Executor, st: &mut State) -> Res<bool> {
        Ok(self.is(m, st, (self.index, 0), b'-')?
            && self.is(m, st, (self.index, 1), b'-')?
            && self.is(m, st, (self.index, 2), 0)?)
    }

    /// Parses the option given by a letter of an argument.
    fn short(
        &mut self,
        m: &mut Executor,
        st: &mut State,
        argument: usize,
        at: u64,
    ) -> Res<GetoptResult> {
        let letter = self.byte(m, st, argument, at)?;
        let last = self.is(m, st, (argument, at + 1), 0)?;
        self.state.within = (!last).then_some((argument, at + 1));
        if last {
            self.index += 1;
        }
        let mut found = None;
        for (i, name) in self.letters.clone().into_iter().enumerate() {
            if matches!(name, b':' | b';') {
                continue;
            }
            if is_one_of(m, st, letter, &[(name, name)])? {
                found = Some(i);
                break;
            }
        }
        let letter = m.pool.value(letter);
        let Some(found) = found else {
            self.complain(b"invalid option -- '", &[letter], b"'");
            self.wrong = Some(self.wide(m, st, letter));
            return Ok(WRONG);
        };
        let name = Value::Int(u64::from(self.letters[found]));
        let takes = self.letters.get(found + 1) == Some(&b':');
        if !takes {
            return Ok(name);
        }
        let optional = self.letters.get(found + 2) == Some(&b':');
        self.state.within = None;
        if !last {
            let rest = m.offset_pointer(st, self.arguments[argument], at + 1);
            self.argument = Some(rest);
            self.index += 1;
        } else if optional {
            self.argument = Some(Value::NULL);
        } else if self.index >= self.arguments.len() {
            self.complain(b"option requires an argument -- '", &[name], b"'");
            self.wrong = Some(name);
            return Ok(self.missing());
        } else {
            self.argument = Some(self.arguments[self.index]);
            self.index += 1;
        }
        Ok(name)
    }

    /// Returns the value that reports a missing argument.
    fn missing(&self) -> GetoptResult {
        if self.quiet {
            return Value::Int(u64::from(b':'));
        }
        WRONG
    }

    fn wide(&self, m: &mut Executor, st: &State, byte: Value) -> Value {
        // A char is signed.
        let byte = m.term(st, byte, 8);
        let wide = m.pool.sext(byte, 32);
        m.pool.value(wide)
    }

    /// Parses the option whose name stands behind two hyphens.
    fn long(&mut self, m: &mut Executor, st: &mut State, argument: usize) -> Res<GetoptResult> {
        let mut name = Vec::new();
        let given = loop {
            let at = 2 + name.len() as u64;
            let byte = self.byte(m, st, argument, at)?;
            if is_one_of(m, st, byte, &[(0, 0)])? {
                break None;
            }
            if is_one_of(m, st, byte, &[(b'=', b'=')])? {
                break Some(m.offset_pointer(st, self.arguments[argument], at + 1));
            }
            name.push(m.pool.value(byte));
        };
        self.state.within = None;
        self.index += 1;
        let options = self.long.take().unwrap_or_default();
        let chosen = self.choose(m, st, &options, argument, &name)?;
        let answer = match chosen {
            Some(i) => self.chosen(&options[i], i, given),
            None => {
                self.wrong = Some(Value::Int(0));
                WRONG
            }
        };
        Ok(answer)
    }

    /// Finds the option that has a name, or the only one that begins with it.
    fn choose(
        &mut self,
        m: &mut Executor,
        st: &mut State,
        options: &[Long],
        argument: usize,
        name: &[Value],
    ) -> Res<Option<usize>> {
        for (i, option) in options.iter().enumerate() {
            if option.name.len() == name.len() && begins(m, st, &option.name, name)? {
                return Ok(Some(i));
            }
        }
        let mut chosen: Option<usize> = None;
        let mut ambiguous = Vec::new();
        for (i, option) in options.iter().enumerate() {
            if option.name.len() <= name.len() || !begins(m, st, &option.name, name)? {
                continue;
            }
            let Some(first) = chosen else {
                chosen = Some(i);
                continue;
            };
            let other = &options[first];
            let same = other.argument == option.argument
                && other.flag == option.flag
                && other.value == option.value;
            if !same {
                if ambiguous.is_empty() {
                    ambiguous.push(first);
                }
                ambiguous.push(i);
            }
        }
        if chosen.is_some() && ambiguous.is_empty() {
            return Ok(chosen);
        }
        let typed = m.offset_pointer(st, self.arguments[argument], 2);
        let len = super::bytes::length(m, st, typed, u64::MAX)?;
        let typed = m.read_bytes(st, typed, len)?;
        if ambiguous.is_empty() {
            self.complain(b"unrecognized option '--", &typed, b"'");
            return Ok(None);
        }
        let mut rest = b"' is ambiguous; possibilities:".to_vec();
        for i in ambiguous {
            rest.extend(b" '--");
            rest.extend(&options[i].name);
            rest.push(b'\'');
        }
        self.complain(b"option '--", &typed, &rest);
        Ok(None)
    }

    fn chosen(&mut self, option: &Long, number: usize, given: Option<Value>) -> GetoptResult {
        let name = known(&option.name);
        let refused = match (option.argument, given) {
            (0, Some(_)) => {
                self.complain(b"option '--", &name, b"' doesn't allow an argument");
                Some(WRONG)
            }
            (1, None) if self.index >= self.arguments.len() => {
                self.complain(b"option '--", &name, b"' requires an argument");
                Some(self.missing())
            }
            (1, None) => {
                self.argument = Some(self.arguments[self.index]);
                self.index += 1;
                None
            }
            (_, given) => {
                self.argument = Some(given.unwrap_or(Value::NULL));
                None
            }
        };
        if let Some(answer) = refused {
            self.wrong = Some(option.value);
            return answer;
        }
        if self.c.arg(4) != Value::NULL {
            self.stores.push((self.c.arg(4), Value::Int(number as u64)));
        }
        if option.flag == Value::NULL {
            return option.value;
        }
        self.stores.push((option.flag, option.value));
        Value::Int(0)
    }

    fn complain(&mut self, before: &[u8], what: &[Value], after: &[u8]) {
        self.message = [known(before), what.to_vec(), known(after)].concat();
    }

    /// Applies the changes of the call.
    fn finish(mut self, m: &mut Executor, st: &mut State, answer: GetoptResult) -> Res<Flow> {
        let shown = match m.library_word(st, "opterr") {
            Some(word) => m.concretise(st, word, 32)? != 0,
            None => true,
        };
        let complaint = if shown && !self.quiet && !self.message.is_empty() {
            let program = self.arguments[0];
            let len = super::bytes::length(m, st, program, u64::MAX)?;
            let mut text = m.read_bytes(st, program, len)?;
            text.extend(known(b": "));
            text.append(&mut self.message);
            text.extend(known(b"\n"));
            let to = stdio::standard(m, st, STDERR, self.c)?;
            Some((to, text))
        } else {
            None
        };
        for (place, _) in &self.stores {
            m.check_range(st, *place, 4, Access::Write)?;
        }
        if self.moved {
            let words = self.arguments.len() as u64 * 8;
            m.check_range(st, self.c.arg(1), words, Access::Write)?;
            for (i, argument) in self.arguments.iter().enumerate() {
                let place = m.offset_pointer(st, self.c.arg(1), 8 * i as u64);
                m.store(st, place, 64, 0, *argument)?;
            }
        }
        for (place, value) in std::mem::take(&mut self.stores) {
            m.store(st, place, 32, 0, value)?;
        }
        if let Some((to, text)) = complaint {
            stdio::write(m, st, to, text)?;
        }
        let words = [
            ("optind", Some(Value::Int(self.index as u64)), 32),
            ("optopt", self.wrong, 32),
            ("optarg", Some(self.argument.unwrap_or(Value::NULL)), 64),
        ];
        for (name, value, width) in words {
            if let (Some(value), Some(variable)) =
                (value, m.library_variable(name, u64::from(width / 8)))
            {
                st.memory.store(&mut m.pool, variable, 0, width, value);
            }
        }
        self.state.index = self.index;
        Rc::make_mut(&mut st.world).options = Rc::new(self.state);
        Flow::value(answer)
    }
}

/// Decides whether the name of an option begins with the typed text, which is not longer.
fn begins(m: &mut Executor, st: &mut State, option: &[u8], typed: &[Value]) -> Res<bool> {
    let mut same = m.pool.bool(true);
    for (letter, byte) in option.iter().zip(typed) {
        let byte = m.term(st, *byte, 8);
        let letter = m.pool.constant(8, u128::from(*letter));
        let equal = m.pool.eq(byte, letter);
        same = m.pool.and(same, equal);
    }
    m.split(st, same, Purpose::Branch)
}
