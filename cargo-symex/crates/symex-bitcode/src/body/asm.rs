//! Translation of inline assembly without instructions, which is a barrier for the optimiser and
//! passes tied inputs through as outputs, of divisions and products with twice the bits, as
//! libraries for large numbers have them, of what queues order their accesses by, of calls of the
//! system, of square roots, and of what computes in registers. Other assembly is a call of
//! `Callee::InlineAsm`.

use super::super::ll::V;
use super::registers::{Registers, reference};
use super::{Builder, Ops, Reason};
use symex_program::{Bin, Cmp, Inst, Ordering, Rmw, SYSTEM_CALL, Un};
use symex_types::bits::mask;

impl Builder<'_> {
    /// Returns the result of a call of assembly that is translated; `None` for other assembly.
    pub(super) fn assembly(&mut self, v: V, callee: V) -> Result<Option<Ops>, Reason> {
        let Some((template, constraints)) = callee.inline_asm() else {
            return Ok(None);
        };
        if is_empty(&template) {
            return self.tied(v, &constraints);
        }
        if let Some(call) = SystemCall::of(&template, &constraints) {
            return self.system_call(v, &call);
        }
        if let Some(width) = square_root(&template, &constraints, callee.is_intel_asm()) {
            return self.square_root(v, width);
        }
        match Locked::of(&template, &constraints) {
            Some(locked) => self.locked(v, locked).map(Some),
            None => match DoubleWidth::of(&template, &constraints) {
                Some(instruction) => self.double_width(v, instruction),
                None => self.in_registers(v, callee, (&template, &constraints)),
            },
        }
    }

    /// Returns the result of assembly that only computes in registers.
    fn in_registers(
        &mut self,
        v: V,
        callee: V,
        (template, constraints): (&str, &str),
    ) -> Result<Option<Ops>, Reason> {
        let code = callee
            .is_intel_asm()
            .then(|| Registers::of(template, constraints));
        match code.flatten() {
            Some(code) => self.registers(v, &code),
            None => Ok(None),
        }
    }

    /// Returns the result, which is none, of x86's `mfence` and of an instruction like `lock not`
    /// on a word in memory, which serves as one.
    fn locked(&mut self, v: V, locked: Locked) -> Result<Ops, Reason> {
        let order = Ordering::SeqCst;
        match locked {
            Locked::Fence => self.emit(Inst::Fence { order }),
            Locked::Word { op, width, value } => {
                let (ptr, value) = (self.op(v.operand(0))?, self.int(value, width.into()));
                let dst = self.new_slot();
                self.emit(Inst::AtomicRmw {
                    op,
                    w: width,
                    order,
                    dst,
                    ptr,
                    value,
                });
            }
        }
        Ok(Ops::new())
    }

    /// Returns the result of a call of the system. What else it leaves in registers is undefined.
    fn system_call(&mut self, v: V, call: &SystemCall) -> Result<Option<Ops>, Reason> {
        let widths = self.type_of(v)?.widths();
        if widths.len() != call.outputs.len() {
            return Ok(None);
        }
        let mut args = Vec::new();
        for argument in &call.arguments {
            let argument = v.operand(*argument);
            let widths = self.type_of(argument)?.widths();
            for (op, width) in self.ops(argument)?.into_iter().zip(widths) {
                args.push((self.resize(op, width as u8, 64, true), 64));
            }
        }
        let result = self.call_external(SYSTEM_CALL, args, vec![64])[0];
        let mut out = Ops::new();
        for (is_result, width) in call.outputs.iter().zip(widths) {
            match is_result {
                true => out.push(self.resize(result, 64, width as u8, false)),
                false => out.extend(self.undef(1)),
            }
        }
        Ok(Some(out))
    }

    /// Returns the square root of a number of this width in a vector register.
    fn square_root(&mut self, v: V, width: u8) -> Result<Option<Ops>, Reason> {
        let argument = v.operand(0);
        for of in [v, argument] {
            if self.type_of(of)?.widths().as_slice() != [u32::from(width)] {
                return Ok(None);
            }
        }
        let a = self.op(argument)?;
        Ok(Some(Ops::from_iter([self.un(Un::FSqrt, width, a)])))
    }

    /// Returns the result of x86's `mul` and `div` with 64 bits, which take or leave 128 in the
    /// registers `dx` and `ax`. A division whose result has more than 64 bits traps as one by 0.
    fn double_width(&mut self, v: V, instruction: DoubleWidth) -> Result<Option<Ops>, Reason> {
        let DoubleWidth {
            is_division,
            factor,
            low,
            high,
            outputs,
        } = instruction;
        let widths = self.type_of(v)?.widths();
        if widths.len() != outputs.len() || widths.iter().any(|width| *width != 64) {
            return Ok(None);
        }
        let argument = |of: &mut Self, number: u32| -> Result<_, Reason> {
            let argument = v.operand(number);
            let is_word = of.type_of(argument)?.widths().as_slice() == [64];
            Ok(is_word.then_some(of.op(argument)?))
        };
        let (Some(factor), Some(low)) = (argument(self, factor)?, argument(self, low)?) else {
            return Ok(None);
        };
        let (low, high) = if is_division {
            let Some(high) = high else {
                return Ok(None);
            };
            let Some(high) = argument(self, high)? else {
                return Ok(None);
            };
            let zero = self.int(0, 64);
            let fits = self.cmp(Cmp::ULt, 64, high, factor);
            let divisor = self.select(64, fits, factor, zero);
            let divisor = self.resize(divisor, 64, 128, false);
            let high = self.resize(high, 64, 128, false);
            let by = self.int(64, 128);
            let high = self.bin(Bin::Shl, 128, high, by);
            let low = self.resize(low, 64, 128, false);
            let whole = self.bin(Bin::Or, 128, high, low);
            let quotient = self.bin(Bin::UDiv, 128, whole, divisor);
            let rest = self.bin(Bin::URem, 128, whole, divisor);
            (quotient, rest)
        } else {
            let (a, b) = (
                self.resize(low, 64, 128, false),
                self.resize(factor, 64, 128, false),
            );
            let product = self.bin(Bin::Mul, 128, a, b);
            let by = self.int(64, 128);
            (product, self.bin(Bin::LShr, 128, product, by))
        };
        let of = |register: &Register| match register {
            Register::Low => low,
            Register::High => high,
        };
        let words: Vec<_> = outputs.iter().map(of).collect();
        let words = words.into_iter();
        Ok(Some(
            words
                .map(|word| self.resize(word, 128, 64, false))
                .collect(),
        ))
    }

    /// Returns the result of a call of assembly without instructions; `None` if it has outputs that
    /// are not tied to inputs.
    fn tied(&mut self, v: V, constraints: &str) -> Result<Option<Ops>, Reason> {
        let Some(sources) = sources(constraints) else {
            return Ok(None);
        };
        let mut out = Ops::new();
        for source in sources {
            out.extend(self.ops(v.operand(source))?);
        }
        Ok((out.len() == self.type_of(v)?.leaves.len()).then_some(out))
    }
}

/// An instruction `syscall` of x86-64.
#[derive(PartialEq, Eq, Debug)]
struct SystemCall {
    /// The operands that are its number and arguments, in the order of the arguments.
    arguments: Vec<u32>,
    /// For each output, whether it is the result.
    outputs: Vec<bool>,
}

impl SystemCall {
    fn of(template: &str, constraints: &str) -> Option<Self> {
        const RESULT: &str = "ax";
        const REGISTERS: [&str; 7] = [RESULT, "di", "si", "dx", "r10", "r8", "r9"];
        /// Registers that it changes, too.
        const CHANGED: [&str; 2] = ["cx", "r11"];
        if template.trim() != "syscall" {
            return None;
        }
        let (outputs, inputs) = registers(constraints)?;
        let is_left = |output: &&str| *output == RESULT || CHANGED.contains(output);
        if !outputs.iter().all(is_left) {
            return None;
        }
        let at = |register: &&str| {
            let found = inputs.iter().position(|input| input == register);
            found.map(|number| number as u32)
        };
        let arguments: Vec<u32> = REGISTERS.iter().map_while(at).collect();
        if arguments.is_empty() || arguments.len() != inputs.len() {
            return None;
        }
        let outputs = outputs.into_iter().map(|output| output == RESULT);
        Some(SystemCall {
            arguments,
            outputs: outputs.collect(),
        })
    }
}

/// Returns the fixed registers of the outputs and inputs, without the letters that say their size;
/// `None` if there is an operand that is none, or in memory.
fn registers(constraints: &str) -> Option<(Vec<&str>, Vec<&str>)> {
    let (mut outputs, mut inputs) = (Vec::new(), Vec::new());
    for constraint in constraints.split(',') {
        if constraint.starts_with('~') || constraint.is_empty() {
            continue;
        }
        match constraint.strip_prefix('=') {
            Some(output) => outputs.push(fixed(output.trim_start_matches('&'))?),
            None => inputs.push(match constraint.parse::<usize>() {
                Ok(output) => *outputs.get(output)?,
                Err(_) => fixed(constraint)?,
            }),
        }
    }
    Some((outputs, inputs))
}

/// Returns the name of a fixed register, without the letter of the old ones that says their size.
fn fixed(constraint: &str) -> Option<&str> {
    let name = constraint.strip_prefix('{')?.strip_suffix('}')?;
    let has_size = name.len() == 3 && !name.ends_with(|c: char| c.is_ascii_digit());
    Some(if has_size { &name[1..] } else { name })
}

/// Register of a product or a dividend of twice the bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Register {
    /// `ax`
    Low,
    /// `dx`
    High,
}

impl Register {
    fn of(constraint: &str) -> Option<Self> {
        match constraint {
            "{ax}" | "{rax}" | "{eax}" => Some(Register::Low),
            "{dx}" | "{rdx}" | "{edx}" => Some(Register::High),
            _ => None,
        }
    }
}

/// An instruction `mul` or `div`, with the numbers of its arguments.
#[derive(PartialEq, Eq, Debug)]
struct DoubleWidth {
    is_division: bool,
    /// The operand that is written.
    factor: u32,
    low: u32,
    high: Option<u32>,
    outputs: Vec<Register>,
}

impl DoubleWidth {
    /// Reads a template of one instruction with one operand.
    fn of(template: &str, constraints: &str) -> Option<Self> {
        let (name, operand) = template.trim().split_once(char::is_whitespace)?;
        let is_division = match name {
            "div" | "divq" => true,
            "mul" | "mulq" => false,
            _ => return None,
        };
        let operand = operand.trim().strip_prefix('$')?;
        let operand = match operand.strip_prefix('{') {
            Some(braced) => braced.strip_suffix(":q}").or(braced.strip_suffix('}'))?,
            None => operand,
        };
        let operand: usize = operand.parse().ok()?;
        let (mut outputs, mut registers) = (Vec::new(), Vec::new());
        for constraint in constraints.split(',') {
            if constraint.starts_with('~') || constraint.is_empty() {
                continue;
            }
            if constraint.contains('*') {
                return None;
            }
            match constraint.strip_prefix('=') {
                Some(output) => outputs.push(Register::of(output.trim_start_matches('&'))?),
                None => registers.push(match constraint.parse::<usize>() {
                    Ok(output) => outputs.get(output).copied(),
                    Err(_) => Register::of(constraint),
                }),
            }
        }
        let at = |register| {
            let found = registers.iter().position(|one| *one == Some(register));
            found.map(|number| number as u32)
        };
        let factor = operand.checked_sub(outputs.len())?;
        (factor < registers.len()).then_some(())?;
        Some(DoubleWidth {
            is_division,
            factor: factor as u32,
            low: at(Register::Low)?,
            high: at(Register::High),
            outputs,
        })
    }
}

/// An instruction that orders the accesses before and after it.
#[derive(PartialEq, Eq, Debug)]
enum Locked {
    Fence,
    /// Changes the word to which the only argument points.
    Word {
        op: Rmw,
        width: u8,
        value: u128,
    },
}

impl Locked {
    /// Reads a template of one instruction without outputs.
    fn of(template: &str, constraints: &str) -> Option<Self> {
        let mut inputs = constraints
            .split(',')
            .filter(|constraint| !constraint.is_empty() && !constraint.starts_with('~'));
        let words: Vec<&str> = template.split_whitespace().collect();
        let (name, size, operand) = match words[..] {
            ["mfence"] => return inputs.next().is_none().then_some(Locked::Fence),
            ["lock", name, size, "ptr", operand] => (name, size, operand),
            _ => return None,
        };
        let is_register = inputs.next() == Some("r") && inputs.next().is_none();
        if !is_register || !matches!(operand, "[$0]" | "[${0}]" | "[${0:q}]") {
            return None;
        }
        let width = match size {
            "byte" => 8,
            "word" => 16,
            "dword" => 32,
            "qword" => 64,
            _ => return None,
        };
        let (op, value) = match name {
            "not" => (Rmw::Xor, mask(width.into())),
            "inc" => (Rmw::Add, 1),
            "dec" => (Rmw::Sub, 1),
            _ => return None,
        };
        Some(Locked::Word { op, width, value })
    }
}

/// Returns the width of the number whose square root a template of one instruction computes.
fn square_root(template: &str, constraints: &str, is_intel: bool) -> Option<u8> {
    let (name, operands) = template.trim().split_once(char::is_whitespace)?;
    let width = match name {
        "sqrtss" => 32,
        "sqrtsd" => 64,
        _ => return None,
    };
    let number = |operand: &str| match reference(operand.trim())? {
        (number, None | Some("x")) => Some(number),
        _ => None,
    };
    let (first, second) = operands.split_once(',')?;
    let (to, from) = match is_intel {
        true => (number(first)?, number(second)?),
        false => (number(second)?, number(first)?),
    };
    let values: Vec<&str> = constraints
        .split(',')
        .filter(|one| !one.starts_with('~'))
        .collect();
    let source = match values[..] {
        ["=x" | "=&x", "0"] => 0,
        ["=x" | "=&x", "x"] => 1,
        _ => return None,
    };
    (to == 0 && from == source).then_some(width)
}

/// Reports whether a template has nothing but blanks and comments.
fn is_empty(template: &str) -> bool {
    let mut code = String::new();
    let mut rest = template;
    while let Some((before, comment)) = rest.split_once("/*") {
        let Some((_, after)) = comment.split_once("*/") else {
            return false;
        };
        code.push_str(before);
        rest = after;
    }
    code.push_str(rest);
    code.lines().all(|line| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#') || line.starts_with("//")
    })
}

/// Returns the arguments that are tied to the direct outputs.
fn sources(constraints: &str) -> Option<Vec<u32>> {
    // Constraint numbers of the direct outputs, in order.
    let mut outputs = Vec::new();
    let mut tied: Vec<(usize, u32)> = Vec::new();
    let mut argument = 0;
    for (number, c) in constraints.split(',').enumerate() {
        if c.starts_with('~') || c.starts_with('!') || c.is_empty() {
            continue;
        }
        if let Some(output) = c.strip_prefix('=') {
            if output.starts_with("&*") || output.starts_with('*') {
                // Memory that the assembly may write: it is handed in as a pointer and stays as it
                // is.
                argument += 1;
            } else {
                outputs.push(number);
            }
            continue;
        }
        if let Ok(output) = c.parse::<usize>() {
            tied.push((output, argument));
        }
        argument += 1;
    }
    outputs
        .into_iter()
        .map(|number| tied.iter().find(|t| t.0 == number).map(|t| t.1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_and_products_of_words_are_read() {
        let divides = |template, constraints| DoubleWidth::of(template, constraints);
        let rust = divides(
            "div ${2:q}",
            "={dx},={ax},r,0,1,~{dirflag},~{fpsr},~{flags}",
        );
        let expected = DoubleWidth {
            is_division: true,
            factor: 0,
            low: 2,
            high: Some(1),
            outputs: vec![Register::High, Register::Low],
        };
        assert_eq!(rust, Some(expected));
        let c = divides("mulq $3", "={ax},={dx},{ax},rm,~{flags}");
        let expected = DoubleWidth {
            is_division: false,
            factor: 1,
            low: 0,
            high: None,
            outputs: vec![Register::Low, Register::High],
        };
        assert_eq!(c, Some(expected));
        for (template, constraints) in [
            ("div ${2:k}", "={dx},={ax},r,0,1"),
            ("div ${2:q}; nop", "={dx},={ax},r,0,1"),
            ("div ${0:q}", "={dx},={ax},r,0,1"),
            ("mulq $2", "=*m,{ax},rm"),
            ("idiv ${2:q}", "={dx},={ax},r,0,1"),
            ("mul ${2:q}", "={ax},=r,{ax},r"),
        ] {
            assert_eq!(divides(template, constraints), None, "{template}");
        }
    }

    #[test]
    fn calls_of_the_system_are_read() {
        let read = |constraints| SystemCall::of("syscall", constraints);
        let call = |arguments: &[u32], outputs: &[bool]| {
            Some(SystemCall {
                arguments: arguments.to_vec(),
                outputs: outputs.to_vec(),
            })
        };
        let rust = "={ax},={cx},={r11},{ax},{di},{si},{dx},{r10},~{memory}";
        assert_eq!(read(rust), call(&[0, 1, 2, 3, 4], &[true, false, false]));
        assert_eq!(read("={ax},0,~{rcx},~{r11}"), call(&[0], &[true]));
        let c = "={rax},{rdx},{rax},{rsi},{rdi},~{rcx},~{r11},~{memory}";
        assert_eq!(read(c), call(&[1, 3, 2, 0], &[true]));
        assert_eq!(read("{ax},{di},~{memory}"), call(&[0, 1], &[]));
        for constraints in [
            "={ax},=r,0",
            "={ax},r",
            "={ax},0,{si}",
            "={dx},{ax}",
            "=*m,{ax}",
            "",
        ] {
            assert_eq!(read(constraints), None, "{constraints}");
        }
        assert_eq!(SystemCall::of("syscall; nop", "={ax},0"), None);
    }

    #[test]
    fn what_orders_accesses_is_read() {
        let clobbers = "~{memory},~{dirflag}";
        let not = Locked::of("lock not qword ptr [${0:q}]", &format!("r,{clobbers}"));
        let expected = Locked::Word {
            op: Rmw::Xor,
            width: 64,
            value: u64::MAX.into(),
        };
        assert_eq!(not, Some(expected));
        assert_eq!(Locked::of("mfence", clobbers), Some(Locked::Fence));
        for (template, constraints) in [
            ("not qword ptr [${0:q}]", "r"),
            ("lock not qword ptr [${0:q} + 8]", "r"),
            ("lock not qword ptr [${0:q}]", "=r,r"),
            ("lock xadd qword ptr [${0:q}], ${1:q}", "r,r"),
            ("mfence", "r"),
        ] {
            assert_eq!(Locked::of(template, constraints), None, "{template}");
        }
    }

    #[test]
    fn square_roots_are_read() {
        let clobbers = "~{dirflag},~{fpsr},~{flags}";
        let tied = square_root("sqrtss ${0:x}, ${0:x}", &format!("=&x,0,{clobbers}"), true);
        assert_eq!(tied, Some(32));
        assert_eq!(square_root("sqrtsd $0, $1", "=x,x", true), Some(64));
        assert_eq!(square_root("sqrtsd $1, $0", "=x,x", false), Some(64));
        for (template, constraints) in [
            ("sqrtps $0, $0", "=x,0"),
            ("sqrtsd $0, $1", "=x,0"),
            ("sqrtsd $0, $0", "=x,x"),
            ("sqrtsd $0, $1", "=x,m"),
            ("sqrtsd $0, $0", "=x,=x,0"),
            ("sqrtsd $0, $0, $0", "=x,0"),
            ("sqrtsd $1, $0", "=x,x"),
            ("sqrtsd $0, $0", "=x,0,x"),
        ] {
            assert_eq!(square_root(template, constraints, true), None, "{template}");
        }
    }

    #[test]
    fn outputs_are_tied_to_inputs() {
        assert_eq!(sources("r,~{memory}"), Some(vec![]));
        assert_eq!(sources("=r,0"), Some(vec![0]));
        assert_eq!(sources("=r,=r,1,0,~{flags}"), Some(vec![1, 0]));
        assert_eq!(sources("=*m,=r,*m,1"), Some(vec![2]));
        assert_eq!(sources("=r,r"), None);
        assert!(is_empty(" # nothing\n\t"));
        assert!(is_empty("/*${0:q}*/\n // and /* so on */"));
        assert!(!is_empty("nop"));
        assert!(!is_empty("/* */ nop /* */"));
        assert!(!is_empty("/* # */ nop"));
        assert!(!is_empty("/* without an end"));
    }
}
