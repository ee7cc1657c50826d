//! Models of the `scanf` family. The class of a byte in its conversion (a digit, a space, of a set)
//! is decided, with a path for each; the values read stay terms.

use super::{STDIN, change, peek, standard, stream};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::libc::decimal::{self, FloatFormat, TextSource};
use crate::models::libc::numerals::{self, digit, is_one_of};
use crate::models::libc::varargs::{VarArgs, int_length};
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::streams::StreamId;
use symex_solver::Purpose;
use symex_terms::{BinOp, Expr, Value, Width};
use symex_types::outcome::Unsupported;

pub const ROWS: &[Row] = &[
    row("scanf", scanf),
    row("__isoc99_scanf", scanf),
    row("__isoc23_scanf", scanf),
    row("fscanf", fscanf),
    row("__isoc99_fscanf", fscanf),
    row("__isoc23_fscanf", fscanf),
    row("sscanf", sscanf),
    row("__isoc99_sscanf", sscanf),
    row("__isoc23_sscanf", sscanf),
    row("vscanf", vscanf),
    row("__isoc99_vscanf", vscanf),
    row("__isoc23_vscanf", vscanf),
    row("vfscanf", vfscanf),
    row("__isoc99_vfscanf", vfscanf),
    row("__isoc23_vfscanf", vfscanf),
    row("vsscanf", vsscanf),
    row("__isoc99_vsscanf", vsscanf),
    row("__isoc23_vsscanf", vsscanf),
];

/// Source of the text.
#[derive(Clone, Copy)]
enum ScanSource {
    Stream(StreamId),
    Text(Value),
}

/// A conversion specification of a format: `%…`.
struct ScanConversion {
    kind: u8,
    suppressed: bool,
    width: Option<usize>,
    /// Width of an integer in bits.
    bits: Width,
    /// Whether a floating-point number is a `double`, and not a `float`.
    double: bool,
    /// Byte set of `%[…]`.
    set: Vec<(u8, u8)>,
    /// Whether it accepts bytes that are not in the set.
    inverted: bool,
}

/// Reason why reading ends early.
enum ScanFailure {
    /// The input ended before the conversion got any byte.
    Input,
    /// The input does not match.
    Matching,
}

/// A run through a format. Stores are delayed until all is decided.
struct FormatScan {
    source: ScanSource,
    /// Number of input bytes consumed so far.
    at: usize,
    done: u64,
    /// Whether a number was too large.
    out_of_range: bool,
    stores: Vec<(Value, Vec<(Value, Width)>)>,
}

/// Bytes for which `isspace` holds.
const SPACES: &[(u8, u8)] = &[(9, 13), (32, 32)];

impl FormatScan {
    fn new(source: ScanSource) -> Self {
        FormatScan {
            source,
            at: 0,
            done: 0,
            out_of_range: false,
            stores: Vec::new(),
        }
    }

    /// Returns the next byte; `None` at the end of the input.
    fn next(&mut self, m: &mut Executor, st: &mut State) -> Res<Option<Expr>> {
        let byte = match self.source {
            ScanSource::Stream(id) => peek(m, st, id, self.at)?,
            ScanSource::Text(start) => {
                let ptr = m.offset_pointer(st, start, self.at as u64);
                let byte = m.load(st, ptr, 8, 0)?;
                let byte = m.term(st, byte, 8);
                let over = is_one_of(m, st, byte, &[(0, 0)])?;
                (!over).then(|| m.pool.value(byte))
            }
        };
        Ok(byte.map(|byte| m.term(st, byte, 8)))
    }

    /// Consumes and returns the next byte if it is in a set.
    fn take_of(
        &mut self,
        m: &mut Executor,
        st: &mut State,
        set: &[(u8, u8)],
        inverted: bool,
    ) -> Res<Option<Expr>> {
        let Some(byte) = self.next(m, st)? else {
            return Ok(None);
        };
        if is_one_of(m, st, byte, set)? == inverted {
            return Ok(None);
        }
        self.at += 1;
        Ok(Some(byte))
    }

    fn skip_spaces(&mut self, m: &mut Executor, st: &mut State) -> Res<()> {
        while self.take_of(m, st, SPACES, false)?.is_some() {}
        Ok(())
    }

    /// Processes a format.
    fn run(
        &mut self,
        m: &mut Executor,
        st: &mut State,
        format: &[u8],
        args: &mut VarArgs,
    ) -> Res<Result<(), ScanFailure>> {
        let mut rest = format;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            if byte.is_ascii_whitespace() || *byte == 11 {
                self.skip_spaces(m, st)?;
                continue;
            }
            let literal = if *byte != b'%' {
                *byte
            } else {
                let (conversion, after) = ScanConversion::read(rest)?;
                rest = after;
                if conversion.kind != b'%' {
                    if let Err(failure) = self.convert(m, st, &conversion, args)? {
                        return Ok(Err(failure));
                    }
                    continue;
                }
                self.skip_spaces(m, st)?;
                b'%'
            };
            if self.next(m, st)?.is_none() {
                return Ok(Err(ScanFailure::Input));
            }
            if self.take_of(m, st, &[(literal, literal)], false)?.is_none() {
                return Ok(Err(ScanFailure::Matching));
            }
        }
        Ok(Ok(()))
    }

    fn convert(
        &mut self,
        m: &mut Executor,
        st: &mut State,
        c: &ScanConversion,
        args: &mut VarArgs,
    ) -> Res<Result<(), ScanFailure>> {
        if c.kind == b'n' {
            if !c.suppressed {
                let to = args.next(m, st, 64, false)?;
                let count = Value::Int(self.at as u64);
                self.stores.push((to, vec![(count, c.bits)]));
            }
            return Ok(Ok(()));
        }
        if !matches!(c.kind, b'c' | b'[') {
            self.skip_spaces(m, st)?;
        }
        if self.next(m, st)?.is_none() {
            return Ok(Err(ScanFailure::Input));
        }
        let values = match c.kind {
            b'c' | b's' | b'[' => self.text(m, st, c)?,
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'p' => self.integer(m, st, c)?,
            _ => self.float(m, st, c)?,
        };
        let values = match values {
            Ok(values) => values,
            Err(failure) => return Ok(Err(failure)),
        };
        if !c.suppressed {
            let to = args.next(m, st, 64, false)?;
            self.stores.push((to, values));
            self.done += 1;
        }
        Ok(Ok(()))
    }

    fn text(
        &mut self,
        m: &mut Executor,
        st: &mut State,
        c: &ScanConversion,
    ) -> Res<Result<Vec<(Value, Width)>, ScanFailure>> {
        let (set, inverted) = match c.kind {
            b'c' => (&[][..], true),
            b's' => (SPACES, true),
            _ => (&c.set[..], c.inverted),
        };
        let most = c
            .width
            .unwrap_or(if c.kind == b'c' { 1 } else { usize::MAX });
        let mut bytes = Vec::new();
        while bytes.len() < most {
            match self.take_of(m, st, set, inverted)? {
                Some(byte) => bytes.push((m.pool.value(byte), 8)),
                None => break,
            }
        }
        if bytes.is_empty() {
            return Ok(Err(ScanFailure::Matching));
        }
        if c.kind == b'c' && bytes.len() < most {
            return Ok(Err(ScanFailure::Input));
        }
        if c.kind != b'c' {
            bytes.push((Value::Int(0), 8));
        }
        Ok(Ok(bytes))
    }

    fn integer(
        &mut self,
        m: &mut Executor,
        st: &mut State,
        c: &ScanConversion,
    ) -> Res<Result<Vec<(Value, Width)>, ScanFailure>> {
        let (mut base, signed) = match c.kind {
            b'd' => (10, true),
            b'i' => (0, true),
            b'u' => (10, false),
            b'o' => (8, false),
            _ => (16, false),
        };
        let end = c
            .width
            .map_or(usize::MAX, |width| self.at.saturating_add(width));
        let mut negative = false;
        if let Some(sign) = self.take_of(m, st, &[(b'-', b'-'), (b'+', b'+')], false)? {
            negative = is_one_of(m, st, sign, &[(b'-', b'-')])?;
        }
        let (mut digits, mut prefixed) = (0, false);
        if matches!(base, 0 | 16) && self.at < end {
            if self.take_of(m, st, &[(b'0', b'0')], false)?.is_some() {
                digits = 1;
                let x = [(b'x', b'x'), (b'X', b'X')];
                if self.at < end && self.take_of(m, st, &x, false)?.is_some() {
                    base = 16;
                    digits = 0;
                    prefixed = true;
                } else if base == 0 {
                    base = 8;
                }
            } else if base == 0 {
                base = 10;
            }
        }
        let mut value = m.pool.constant(128, 0);
        let factor = m.pool.constant(128, u128::from(base));
        while self.at < end {
            let Some(byte) = self.next(m, st)? else { break };
            let Some(digit) = digit(m, st, byte, base)? else {
                break;
            };
            self.at += 1;
            digits += 1;
            if digits > numerals::MOST_DIGITS && m.pool.as_const(value) != Some(0) {
                let what = format!("a number of more than {} digits", numerals::MOST_DIGITS);
                return Err(Unsupported::Model(what).into());
            }
            let digit = m.pool.zext(digit, 128);
            let scaled = m.pool.bin(BinOp::Mul, value, factor);
            value = m.pool.add(scaled, digit);
        }
        if digits == 0 {
            if prefixed {
                return Err(Unsupported::Model("scanf of `0x` without digits".into()).into());
            }
            return Ok(Err(ScanFailure::Matching));
        }
        // As strtol and strtoul do, whatever the type is that it goes to.
        let limit = match (signed, negative) {
            (true, false) => (1u128 << 63) - 1,
            (true, true) => 1u128 << 63,
            (false, _) => u128::from(u64::MAX),
        };
        let most = m.pool.constant(128, limit);
        let over = m.pool.bin(BinOp::ULt, most, value);
        let over = m.split(st, over, Purpose::Branch)?;
        if over {
            value = most;
            self.out_of_range = true;
        }
        if negative && (signed || !over) {
            let zero = m.pool.constant(128, 0);
            value = m.pool.sub(zero, value);
        }
        let bits = if c.kind == b'p' { 64 } else { c.bits };
        let low = m.pool.extract(value, 0, bits);
        Ok(Ok(vec![(m.pool.value(low), bits)]))
    }

    fn float(
        &mut self,
        m: &mut Executor,
        st: &mut State,
        c: &ScanConversion,
    ) -> Res<Result<Vec<(Value, Width)>, ScanFailure>> {
        let format = if c.double {
            FloatFormat::Double
        } else {
            FloatFormat::Single
        };
        let start = self.at;
        let ahead = Ahead {
            start,
            most: c.width,
            scan: self,
        };
        let parsed = decimal::parse(m, st, format, ahead)?;
        // What was taken is not put back, and no failure: of `1e+x` the GNU library takes three
        // characters for 1.
        self.at = start + parsed.taken as usize;
        self.out_of_range |= parsed.out_of_range;
        if parsed.used == 0 || parsed.broken {
            return Ok(Err(ScanFailure::Matching));
        }
        Ok(Ok(vec![(parsed.value, format.width())]))
    }
}

/// Input that a conversion of a number may read.
struct Ahead<'a> {
    scan: &'a mut FormatScan,
    start: usize,
    most: Option<usize>,
}

impl TextSource for Ahead<'_> {
    fn byte(&mut self, m: &mut Executor, st: &mut State, at: u64) -> Res<Option<Expr>> {
        let at = at as usize;
        if self.most.is_some_and(|most| at >= most) {
            return Ok(None);
        }
        self.scan.at = self.start + at;
        self.scan.next(m, st)
    }
}

impl ScanConversion {
    /// Parses a specification after a `%`; returns the rest of the format, too.
    fn read(mut rest: &[u8]) -> Res<(ScanConversion, &[u8])> {
        let mut c = ScanConversion {
            kind: 0,
            suppressed: false,
            width: None,
            bits: 32,
            double: false,
            set: Vec::new(),
            inverted: false,
        };
        if let Some(after) = rest.strip_prefix(b"*") {
            c.suppressed = true;
            rest = after;
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (width, after) = rest.split_at(digits);
        rest = after;
        let width = std::str::from_utf8(width).ok().and_then(|w| w.parse().ok());
        c.width = width.filter(|width| *width > 0);
        if let Some((text, bits, after)) = int_length(rest) {
            rest = after;
            c.bits = bits;
            c.double = text == b"l";
        }
        let unknown = |what: &[u8]| {
            let what = String::from_utf8_lossy(what).into_owned();
            Unsupported::Model(format!("scanf with %{what}"))
        };
        let Some((kind, after)) = rest.split_first() else {
            return Err(unknown(b"").into());
        };
        c.kind = *kind;
        rest = after;
        match kind {
            // Wide characters.
            b'c' | b's' | b'[' if c.bits == 64 => return Err(unknown(b"ls").into()),
            b'[' => rest = c.read_set(rest).ok_or_else(|| unknown(b"["))?,
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'p' | b'c' | b's' | b'n' | b'%' => {}
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => {}
            other => return Err(unknown(&[*other]).into()),
        }
        Ok((c, rest))
    }

    /// Parses the set in the brackets.
    fn read_set<'f>(&mut self, mut rest: &'f [u8]) -> Option<&'f [u8]> {
        if let Some(after) = rest.strip_prefix(b"^") {
            self.inverted = true;
            rest = after;
        }
        // A bracket that comes first does not close.
        let end = 1 + rest.get(1..)?.iter().position(|byte| *byte == b']')?;
        let inside = &rest[..end];
        let mut i = 0;
        while i < inside.len() {
            let low = inside[i];
            match inside.get(i + 1..i + 3) {
                Some([b'-', high]) if *high >= low => {
                    self.set.push((low, *high));
                    i += 3;
                }
                _ => {
                    self.set.push((low, low));
                    i += 1;
                }
            }
        }
        Some(&rest[end + 1..])
    }
}

/// Reads by a format, and stores the values.
fn scan(
    m: &mut Executor,
    st: &mut State,
    source: ScanSource,
    format: Value,
    mut args: VarArgs,
    c: &Call,
) -> Res<Flow> {
    let format = m.read_c_string(st, format)?;
    let mut scan = FormatScan::new(source);
    let result = scan.run(m, st, &format, &mut args)?;
    let mut places = Vec::new();
    for (to, values) in scan.stores {
        let size: u64 = values.iter().map(|value| u64::from(value.1 / 8)).sum();
        places.push((m.check_range(st, to, size, Access::Write)?, values));
    }
    for ((object, mut at), values) in places {
        for (value, width) in values {
            st.memory.store(&mut m.pool, object, at, width, value);
            at += u64::from(width / 8);
        }
    }
    numerals::note_range(m, st, scan.out_of_range);
    if let ScanSource::Stream(id) = source {
        change(st, id).give(scan.at);
    }
    match result {
        Err(ScanFailure::Input) if scan.done == 0 => super::end(c),
        _ => Flow::int(scan.done),
    }
}

fn scanf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = standard(m, st, STDIN, c)?;
    let args = VarArgs::of_call(c, 1);
    scan(m, st, ScanSource::Stream(id), c.arg(0), args, c)
}

fn fscanf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    let args = VarArgs::of_call(c, 2);
    scan(m, st, ScanSource::Stream(id), c.arg(1), args, c)
}

fn sscanf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let args = VarArgs::of_call(c, 2);
    scan(m, st, ScanSource::Text(c.arg(0)), c.arg(1), args, c)
}

fn vscanf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = standard(m, st, STDIN, c)?;
    let args = VarArgs::of_list(m, st, c.arg(1))?;
    scan(m, st, ScanSource::Stream(id), c.arg(0), args, c)
}

fn vfscanf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    let args = VarArgs::of_list(m, st, c.arg(2))?;
    scan(m, st, ScanSource::Stream(id), c.arg(1), args, c)
}

fn vsscanf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let args = VarArgs::of_list(m, st, c.arg(2))?;
    scan(m, st, ScanSource::Text(c.arg(0)), c.arg(1), args, c)
}
