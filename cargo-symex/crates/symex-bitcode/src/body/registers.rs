//! Translation of straight-line assembly that computes in registers of x86 alone, as crates for
//! cryptography have it where no branch may tell a secret: moves, logic, sums, comparisons, and
//! moves that depend on their result.
//!
//! A register is a word of 64 bits of which the low ones are known: what is above an operand of a
//! narrower type is not. Code that asks for more than is known is not translated, nor is what asks
//! for a flag that the last instruction leaves undefined.

use super::super::ll::V;
use super::{Builder, Ops, Reason};
use symex_program::{Bin, Cmp, Operand as Op};
use symex_types::bits::mask;

/// Bits of a register.
const WORD: u8 = 64;

/// Assembly that computes in registers.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Registers {
    outputs: usize,
    /// What each operand stands for, outputs first.
    operands: Vec<Place>,
    code: Vec<Instruction>,
}

/// The register of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// That of an output, with its argument if it is an input as well.
    Output { argument: Option<u32> },
    /// That of an argument.
    Input { argument: u32 },
    /// That of an output, which has this argument at first.
    Tied { output: usize },
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Instruction {
    what: What,
    to: Operand,
    from: Operand,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Move,
    /// Moves the low bits, and zeros above them.
    MoveNarrow,
    MoveIf(Condition),
    SetIf(Condition),
    Compute(Bin),
    /// Sets flags as `and` does.
    Test,
    /// Sets flags as `sub` does.
    Compare,
    Complement,
    Negate,
}

/// What flags say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Condition {
    of: Comparison,
    negated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Comparison {
    Equal,
    Below,
    BelowOrEqual,
    Less,
    LessOrEqual,
    Sign,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operand {
    /// A register, with the width that the template asks for.
    Register {
        number: usize,
        width: Option<u8>,
    },
    Immediate(u64),
}

impl Registers {
    /// Reads a template in Intel's syntax.
    pub fn of(template: &str, constraints: &str) -> Option<Self> {
        let (outputs, operands) = places(constraints)?;
        let lines = template.split(['\n', ';']).map(str::trim);
        let code: Option<Vec<_>> = lines
            .filter(|line| !line.is_empty() && !line.starts_with(['#', '/']))
            .map(Instruction::of)
            .collect();
        let code = code?;
        let is_known = |operand: &Operand| match operand {
            Operand::Register { number, .. } => *number < operands.len(),
            Operand::Immediate(_) => true,
        };
        let are_known = code
            .iter()
            .all(|one| is_known(&one.to) && is_known(&one.from));
        (!code.is_empty() && are_known).then_some(Registers {
            outputs,
            operands,
            code,
        })
    }
}

/// Reads constraints: the number of outputs, and what each operand is.
fn places(constraints: &str) -> Option<(usize, Vec<Place>)> {
    let is_register = |constraint: &str| {
        matches!(constraint, "r" | "q" | "Q")
            || constraint.starts_with('{') && !constraint.contains("mm")
    };
    let (mut places, mut outputs, mut arguments) = (Vec::new(), 0, 0);
    for constraint in constraints.split(',') {
        if constraint.starts_with('~') || constraint.is_empty() {
            continue;
        }
        if let Some(output) = constraint.strip_prefix('=') {
            is_register(output.trim_start_matches('&')).then_some(())?;
            places.push(Place::Output { argument: None });
            outputs += 1;
            continue;
        }
        let argument = arguments;
        arguments += 1;
        let place = match constraint.parse::<usize>() {
            Ok(output) if output < outputs => {
                places[output] = Place::Output {
                    argument: Some(argument),
                };
                Place::Tied { output }
            }
            Ok(_) => return None,
            Err(_) if is_register(constraint) => Place::Input { argument },
            Err(_) => return None,
        };
        places.push(place);
    }
    Some((outputs, places))
}

impl Instruction {
    fn of(line: &str) -> Option<Self> {
        let (name, operands) = line.split_once(char::is_whitespace)?;
        let operands: Option<Vec<_>> = operands.split(',').map(|one| operand(one.trim())).collect();
        let no_source = Operand::Immediate(0);
        let (what, count) = match name {
            "mov" => (What::Move, 2),
            "movzx" => (What::MoveNarrow, 2),
            "and" => (What::Compute(Bin::And), 2),
            "or" => (What::Compute(Bin::Or), 2),
            "xor" => (What::Compute(Bin::Xor), 2),
            "add" => (What::Compute(Bin::Add), 2),
            "sub" => (What::Compute(Bin::Sub), 2),
            "test" => (What::Test, 2),
            "cmp" => (What::Compare, 2),
            "not" => (What::Complement, 1),
            "neg" => (What::Negate, 1),
            _ => match (name.strip_prefix("cmov"), name.strip_prefix("set")) {
                (Some(condition), _) => (What::MoveIf(Condition::of(condition)?), 2),
                (_, Some(condition)) => (What::SetIf(Condition::of(condition)?), 1),
                _ => return None,
            },
        };
        match operands?[..] {
            [to, from] if count == 2 => Some(Instruction { what, to, from }),
            [to] if count == 1 => Some(Instruction {
                what,
                to,
                from: no_source,
            }),
            _ => None,
        }
    }
}

/// Reads an operand: `$0`, `${0:k}`, `3`, `-0x10`.
fn operand(text: &str) -> Option<Operand> {
    let natural = |digits: &str| match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    };
    let number = |digits: &str| match digits.strip_prefix('-') {
        Some(digits) => natural(digits).map(u64::wrapping_neg),
        None => natural(digits),
    };
    if !text.starts_with('$') {
        return Some(Operand::Immediate(number(text)?));
    }
    let (register, modifier) = reference(text)?;
    let width = match modifier {
        None => None,
        Some("q") => Some(64),
        Some("k") => Some(32),
        Some("w") => Some(16),
        Some("b") => Some(8),
        Some(_) => return None,
    };
    Some(Operand::Register {
        number: register,
        width,
    })
}

/// Reads the number of an operand and its modifier: `$0`, `${0:k}`.
pub(super) fn reference(text: &str) -> Option<(usize, Option<&str>)> {
    let name = text.strip_prefix('$')?;
    let name = match name.strip_prefix('{') {
        Some(braced) => braced.strip_suffix('}')?,
        None => name,
    };
    let (digits, modifier) = match name.split_once(':') {
        Some((digits, modifier)) => (digits, Some(modifier)),
        None => (name, None),
    };
    Some((digits.parse().ok()?, modifier))
}

impl Condition {
    /// Reads the end of a name such as `cmovnz`.
    fn of(name: &str) -> Option<Self> {
        use Comparison::*;
        let (of, negated) = match name {
            "z" | "e" => (Equal, false),
            "nz" | "ne" => (Equal, true),
            "b" | "c" | "nae" => (Below, false),
            "ae" | "nc" | "nb" => (Below, true),
            "be" | "na" => (BelowOrEqual, false),
            "a" | "nbe" => (BelowOrEqual, true),
            "l" | "nge" => (Less, false),
            "ge" | "nl" => (Less, true),
            "le" | "ng" => (LessOrEqual, false),
            "g" | "nle" => (LessOrEqual, true),
            "s" => (Sign, false),
            "ns" => (Sign, true),
            _ => return None,
        };
        Some(Condition { of, negated })
    }
}

/// A register's value.
#[derive(Clone, Copy)]
struct Word {
    value: Op,
    /// Number of low bits that are known.
    known: u8,
}

/// What the flags were set by.
#[derive(Clone, Copy)]
enum Flags {
    Undefined,
    /// Logic with this result.
    Logic {
        result: Op,
        width: u8,
    },
    /// The difference of two words.
    Difference {
        a: Op,
        b: Op,
        width: u8,
    },
    /// The sum of a word and another.
    Sum {
        a: Op,
        result: Op,
        width: u8,
    },
}

/// The registers while code is translated.
struct Machine<'a> {
    places: &'a [Place],
    /// Widths of the operands' types.
    types: Vec<u8>,
    /// Values by the numbers of operands; those of tied inputs are the outputs'.
    words: Vec<Option<Word>>,
    flags: Flags,
}

impl Machine<'_> {
    fn number(&self, number: usize) -> usize {
        match self.places[number] {
            Place::Tied { output } => output,
            _ => number,
        }
    }

    /// Returns the number and the width of a register.
    fn register(&self, operand: Operand) -> Option<(usize, u8)> {
        let Operand::Register { number, width } = operand else {
            return None;
        };
        Some((self.number(number), width.unwrap_or(self.types[number])))
    }
}

impl Builder<'_> {
    /// Returns the results of assembly that computes in registers; `None` if it asks for what is
    /// not known.
    pub(super) fn registers(&mut self, v: V, code: &Registers) -> Result<Option<Ops>, Reason> {
        let results = self.type_of(v)?.widths();
        if results.len() != code.outputs {
            return Ok(None);
        }
        let mut machine = Machine {
            places: &code.operands,
            types: Vec::new(),
            words: Vec::new(),
            flags: Flags::Undefined,
        };
        let mut results = results.into_iter();
        for place in &code.operands {
            let (argument, width) = match place {
                Place::Output { argument } => (*argument, results.next()),
                Place::Input { argument } => (Some(*argument), None),
                Place::Tied { output } => (None, Some(machine.types[*output].into())),
            };
            let mut word = None;
            if let Some(argument) = argument {
                let argument = v.operand(argument);
                let [known] = self.type_of(argument)?.widths()[..] else {
                    return Ok(None);
                };
                if known > WORD.into() {
                    return Ok(None);
                }
                let known = known as u8;
                let value = self.op(argument)?;
                let value = self.resize(value, known, WORD, false);
                word = Some(Word { value, known });
            }
            let known = word.map_or(0, |word: Word| word.known);
            let width = width.map_or(known, |width: u32| width.min(255) as u8);
            if !matches!(width, 8 | 16 | 32 | 64) {
                return Ok(None);
            }
            machine.types.push(width);
            machine.words.push(word);
        }
        for instruction in &code.code {
            if self.compute(&mut machine, instruction).is_none() {
                return Ok(None);
            }
        }
        let mut out = Ops::new();
        for (width, word) in machine.types.iter().zip(&machine.words).take(code.outputs) {
            match word {
                Some(word) if word.known >= *width => {
                    out.push(self.resize(word.value, WORD, *width, false));
                }
                _ => return Ok(None),
            }
        }
        Ok(Some(out))
    }

    fn compute(&mut self, machine: &mut Machine, one: &Instruction) -> Option<()> {
        let (to, width) = machine.register(one.to)?;
        match one.what {
            What::Move => {
                let (value, known) = self.read(machine, one.from, width)?;
                self.write(machine, to, width, value, known);
            }
            What::MoveNarrow => {
                let (_, narrow) = machine.register(one.from)?;
                let value = self.all(machine, one.from, narrow)?;
                let value = self.resize(value, narrow, width, false);
                self.write(machine, to, width, value, width);
            }
            What::MoveIf(condition) => {
                let condition = self.condition(machine.flags, condition)?;
                let (new, known) = self.read(machine, one.from, width)?;
                let (old, other) = self.read(machine, one.to, width)?;
                let value = self.select(width, condition, new, old);
                self.write(machine, to, width, value, known.min(other));
            }
            What::SetIf(condition) => {
                let condition = self.condition(machine.flags, condition)?;
                let value = self.resize(condition, 1, width, false);
                self.write(machine, to, width, value, width);
            }
            What::Compute(op) => {
                // What a register has does not matter where it is combined with itself.
                let is_cleared = matches!(op, Bin::Xor | Bin::Sub) && one.from == one.to;
                let (a, b) = match is_cleared {
                    true => (self.int(0, width.into()), self.int(0, width.into())),
                    false => self.both(machine, one, width)?,
                };
                let result = self.bin(op, width, a, b);
                machine.flags = match op {
                    Bin::Sub => Flags::Difference { a, b, width },
                    Bin::Add => Flags::Sum { a, result, width },
                    _ => Flags::Logic { result, width },
                };
                self.write(machine, to, width, result, width);
            }
            What::Test => {
                let (a, b) = self.both(machine, one, width)?;
                let result = self.bin(Bin::And, width, a, b);
                machine.flags = Flags::Logic { result, width };
            }
            What::Compare => {
                let (a, b) = self.both(machine, one, width)?;
                machine.flags = Flags::Difference { a, b, width };
            }
            What::Complement => {
                let value = self.all(machine, one.to, width)?;
                let ones = self.int(mask(width.into()), width.into());
                let value = self.bin(Bin::Xor, width, value, ones);
                self.write(machine, to, width, value, width);
            }
            What::Negate => {
                let (a, b) = (self.int(0, width.into()), self.all(machine, one.to, width)?);
                let value = self.bin(Bin::Sub, width, a, b);
                machine.flags = Flags::Difference { a, b, width };
                self.write(machine, to, width, value, width);
            }
        }
        Some(())
    }

    /// Returns the low bits of an operand, and how many of them are known.
    fn read(&mut self, machine: &Machine, operand: Operand, width: u8) -> Option<(Op, u8)> {
        match operand {
            Operand::Immediate(value) => Some((self.int(value.into(), width.into()), width)),
            Operand::Register { number, .. } => {
                if machine.register(operand)?.1 != width {
                    return None;
                }
                let word = machine.words[machine.number(number)]?;
                let value = self.resize(word.value, WORD, width, false);
                Some((value, word.known.min(width)))
            }
        }
    }

    /// Returns the low bits of an operand if all of them are known.
    fn all(&mut self, machine: &Machine, operand: Operand, width: u8) -> Option<Op> {
        let (value, known) = self.read(machine, operand, width)?;
        (known == width).then_some(value)
    }

    fn both(&mut self, machine: &Machine, one: &Instruction, width: u8) -> Option<(Op, Op)> {
        let a = self.all(machine, one.to, width)?;
        Some((a, self.all(machine, one.from, width)?))
    }

    /// Writes the low bits of a register, of which some are known. Those above 32 become zeros, and
    /// those above less stay.
    fn write(&mut self, machine: &mut Machine, to: usize, width: u8, value: Op, known: u8) {
        let wide = self.resize(value, width, WORD, false);
        let word = match machine.words[to] {
            _ if known < width => Word { value: wide, known },
            Some(old) if width < 32 && old.known > width => {
                let above = self.int(!mask(width.into()), WORD.into());
                let above = self.bin(Bin::And, WORD, old.value, above);
                let value = self.bin(Bin::Or, WORD, above, wide);
                let known = old.known;
                Word { value, known }
            }
            _ => Word {
                value: wide,
                known: if width < 32 { width } else { WORD },
            },
        };
        machine.words[to] = Some(word);
    }

    /// Returns a condition as one bit.
    fn condition(&mut self, flags: Flags, condition: Condition) -> Option<Op> {
        use Comparison::*;
        let (op, width, a, b) = match (flags, condition.of) {
            (Flags::Undefined, _) => return None,
            (Flags::Difference { a, b, width }, comparison) => {
                let op = match comparison {
                    Equal => Cmp::Eq,
                    Below => Cmp::ULt,
                    BelowOrEqual => Cmp::ULe,
                    Less => Cmp::SLt,
                    LessOrEqual => Cmp::SLe,
                    Sign => {
                        let difference = self.bin(Bin::Sub, width, a, b);
                        let zero = self.int(0, width.into());
                        let is_negative = self.cmp(Cmp::SLt, width, difference, zero);
                        return Some(self.negated(is_negative, condition));
                    }
                };
                (op, width, a, b)
            }
            // There is no carry and no overflow.
            (Flags::Logic { result, width }, comparison) => {
                let op = match comparison {
                    Equal | BelowOrEqual => Cmp::Eq,
                    Below => Cmp::ULt,
                    Less | Sign => Cmp::SLt,
                    LessOrEqual => Cmp::SLe,
                };
                (op, width, result, self.int(0, width.into()))
            }
            (Flags::Sum { a, result, width }, Below) => (Cmp::ULt, width, result, a),
            (Flags::Sum { result, width, .. }, comparison @ (Equal | Sign)) => {
                let op = match comparison {
                    Equal => Cmp::Eq,
                    _ => Cmp::SLt,
                };
                (op, width, result, self.int(0, width.into()))
            }
            (Flags::Sum { .. }, _) => return None,
        };
        let holds = self.cmp(op, width, a, b);
        Some(self.negated(holds, condition))
    }

    fn negated(&mut self, holds: Op, condition: Condition) -> Op {
        match condition.negated {
            true => {
                let one = self.int(1, 1);
                self.bin(Bin::Xor, 1, holds, one)
            }
            false => holds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_that_depend_on_a_comparison_are_read() {
        let template = "test ${1}, ${1}\ncmovnz ${0:k}, ${3:k}";
        let read = Registers::of(template, "=&r,q,0,r,~{dirflag},~{fpsr},~{flags}");
        let read = read.expect("it is translated");
        assert_eq!(read.outputs, 1);
        assert_eq!(
            read.operands,
            [
                Place::Output { argument: Some(1) },
                Place::Input { argument: 0 },
                Place::Tied { output: 0 },
                Place::Input { argument: 2 },
            ]
        );
        assert_eq!(read.code.len(), 2);
        let wanted = Condition {
            of: Comparison::Equal,
            negated: true,
        };
        assert_eq!(read.code[1].what, What::MoveIf(wanted));
    }

    #[test]
    fn operands_are_read_with_the_width_that_is_asked_for() {
        let register = |number, width| Some(Operand::Register { number, width });
        for (text, wanted) in [
            ("$0", register(0, None)),
            ("${1}", register(1, None)),
            ("${12:k}", register(12, Some(32))),
            ("-0x10", Some(Operand::Immediate(0xffff_ffff_ffff_fff0))),
            ("${1:h}", None),
            ("${1", None),
            ("eax", None),
        ] {
            assert_eq!(operand(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_does_more_than_compute_in_registers_is_not_read() {
        for (template, constraints) in [
            ("mov ${0:q}, qword ptr [${1:q}]", "=r,r"),
            ("xor ${0:q}, ${4:q}", "=r,r,0"),
            ("xor ${0:q}, ${1:q}", "=*m,r"),
            ("xor ${0:h}, ${1:h}", "=r,r"),
            ("cmovp ${0:q}, ${1:q}", "=r,r"),
            ("2: dec ${0:q}\njnz 2b", "=r,0"),
            ("syscall", "={ax},0"),
            ("", "r"),
        ] {
            assert_eq!(Registers::of(template, constraints), None, "{template}");
        }
    }
}
