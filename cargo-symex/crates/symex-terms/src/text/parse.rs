//! Parser of the text form. Terms are made through the smart constructors, so text that was not
//! printed by this crate may come out simplified.

use super::super::visit::TermOperand;
use crate::build::mask;
use crate::node::*;
use crate::number::is_float_width;
use crate::op::{BinOp, FCast, UnOp};
use crate::pool::Pool;
use rustc_hash::FxHashMap;

/// Reason and position of a parse failure.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a term at byte {at}: {reason}")]
pub struct ParseError {
    /// Offset in the text, in bytes.
    pub at: usize,
    /// The fault, in words.
    pub reason: String,
}

/// Terms named by the lines read so far: see [`Lines`](super::Lines).
#[derive(Default)]
pub struct Named<'a> {
    names: FxHashMap<&'a str, TermOperand>,
}

impl Pool {
    /// Parses a term.
    pub fn parse(&mut self, text: &str) -> Result<Expr, ParseError> {
        self.parse_with(&mut Named::default(), text)
    }

    /// Parses a line that names a term.
    pub fn parse_line<'a>(
        &mut self,
        named: &mut Named<'a>,
        line: &'a str,
    ) -> Result<(), ParseError> {
        let mut parser = Parser {
            pool: self,
            text: line,
            at: 0,
            names: &mut named.names,
        };
        match (parser.item()?, parser.token()) {
            (Some(ParsedItem::Binding), None) => Ok(()),
            _ => parser.fail("no single name for a term"),
        }
    }

    /// Parses a term that may refer to terms named before.
    pub fn parse_with<'a>(
        &mut self,
        named: &mut Named<'a>,
        text: &'a str,
    ) -> Result<Expr, ParseError> {
        let mut parser = Parser {
            pool: self,
            text,
            at: 0,
            names: &mut named.names,
        };
        let mut term = None;
        while let Some(value) = parser.item()? {
            if term.is_some() {
                return parser.fail("text after the term");
            }
            term = match value {
                ParsedItem::Binding => None,
                ParsedItem::Value(TermOperand::Term(e)) => Some(e),
                ParsedItem::Value(TermOperand::Array(_)) => {
                    return parser.fail("an array by itself");
                }
            };
        }
        match term {
            Some(e) => Ok(e),
            None => parser.fail("no term"),
        }
    }
}

enum ParsedItem {
    Binding,
    Value(TermOperand),
}

/// An opened parenthesis: its first word and the operands so far.
struct ParseFrame<'a> {
    at: usize,
    head: &'a str,
    /// Numbers and the name to bind, which stand before operands.
    words: Vec<&'a str>,
    operands: Vec<TermOperand>,
}

struct Parser<'p, 'a> {
    pool: &'p mut Pool,
    text: &'a str,
    at: usize,
    names: &'p mut FxHashMap<&'a str, TermOperand>,
}

type Parsed<T> = Result<T, ParseError>;

impl<'a> Parser<'_, 'a> {
    fn fail<T>(&self, reason: impl Into<String>) -> Parsed<T> {
        Err(ParseError {
            at: self.at,
            reason: reason.into(),
        })
    }

    /// Reads the next token; `None` at the end.
    fn token(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.at..];
        let start = self.at + rest.len() - rest.trim_start().len();
        let rest = &self.text[start..];
        let length = match rest.chars().next()? {
            '(' | ')' => 1,
            _ => rest
                .find(|c: char| c.is_whitespace() || c == '(' || c == ')')
                .unwrap_or(rest.len()),
        };
        self.at = start + length;
        Some(&rest[..length])
    }

    /// Reads a binding or a term; `None` at the end. Iterative, because texts may nest deeper than
    /// the stack.
    fn item(&mut self) -> Parsed<Option<ParsedItem>> {
        let mut frames: Vec<ParseFrame> = Vec::new();
        loop {
            let Some(token) = self.token() else {
                return if frames.is_empty() {
                    Ok(None)
                } else {
                    self.fail("a parenthesis is open")
                };
            };
            let value = match token {
                "(" => {
                    let at = self.at;
                    let head = self.token().unwrap_or_default();
                    frames.push(ParseFrame {
                        at,
                        head,
                        words: Vec::new(),
                        operands: Vec::new(),
                    });
                    continue;
                }
                ")" => {
                    let Some(frame) = frames.pop() else {
                        return self.fail("nothing to close");
                    };
                    if frame.head == "let" {
                        let ([name], [operand]) = (&frame.words[..], &frame.operands[..]) else {
                            return self.fail("let takes a name and a term");
                        };
                        self.names.insert(name, *operand);
                        return if frames.is_empty() {
                            Ok(Some(ParsedItem::Binding))
                        } else {
                            self.fail("let inside a term")
                        };
                    }
                    self.apply(&frame)?
                }
                word => {
                    let wanted = match frames.last().map(|f| f.head) {
                        Some("let" | "zext" | "sext") => 1,
                        Some("extract") => 2,
                        Some(head) if FCast::NAMES.iter().any(|row| row.0 == head) => 1,
                        _ => 0,
                    };
                    match frames.last_mut() {
                        Some(frame) if frame.words.len() < wanted => {
                            frame.words.push(word);
                            continue;
                        }
                        _ => self.leaf(word)?,
                    }
                }
            };
            match frames.last_mut() {
                Some(frame) => frame.operands.push(value),
                None => return Ok(Some(ParsedItem::Value(value))),
            }
        }
    }

    fn number<T: std::str::FromStr>(&self, text: &str) -> Parsed<T> {
        text.parse()
            .or_else(|_| self.fail(format!("{text} is not a number that fits here")))
    }

    fn width(&self, text: &str) -> Parsed<Width> {
        let width = self.number(text)?;
        if (1..=MAX_WIDTH).contains(&width) {
            Ok(width)
        } else {
            self.fail(format!("no term has {width} bits"))
        }
    }

    fn leaf(&mut self, word: &'a str) -> Parsed<TermOperand> {
        if let Some(bound) = self.names.get(word) {
            return Ok(*bound);
        }
        if let Some(base) = word.strip_prefix('@') {
            let Some((object, align)) = base.split_once('^') else {
                return self.fail("a base is @object^align");
            };
            let (object, align): (u32, u8) = (self.number(object)?, self.number(align)?);
            if align > 63 {
                return self.fail("no such alignment");
            }
            return Ok(TermOperand::Term(self.pool.base(ObjectId(object), align)));
        }
        let Some((head, width)) = word.rsplit_once(':') else {
            return self.fail(format!("{word} is not bound"));
        };
        let width = self.width(width)?;
        if head.starts_with(|c: char| c.is_ascii_digit()) && !head.contains('.') {
            let value = match head.strip_prefix("0x") {
                Some(digits) => u128::from_str_radix(digits, 16)
                    .or_else(|_| self.fail("not a hexadecimal number"))?,
                None => self.number(head)?,
            };
            if value & !mask(width) != 0 {
                return self.fail(format!("{head} does not fit {width} bits"));
            }
            return Ok(TermOperand::Term(self.pool.constant(width, value)));
        }
        let parts: Vec<&str> = head.split('.').collect();
        let origin = match parts[1..] {
            ["u", offset] => Origin::Uninit {
                object: None,
                offset: self.number(offset)?,
            },
            ["u", object, offset] => Origin::Uninit {
                object: Some(ObjectId(self.number(object)?)),
                offset: self.number(offset)?,
            },
            ["r", number] => Origin::Result {
                number: self.number(number)?,
            },
            [input, part] => Origin::Input {
                input: self.number(input)?,
                part: self.number(part)?,
            },
            [] => Origin::Input { input: 0, part: 0 },
            _ => return self.fail(
                "a variable is name.input.part:width, name.u.offset:width or name.r.number:width",
            ),
        };
        let name = self.unescape(parts[0])?;
        Ok(TermOperand::Term(self.pool.var(VarInfo {
            name: name.into(),
            width,
            origin,
        })))
    }

    fn unescape(&self, text: &str) -> Parsed<String> {
        let mut name = String::new();
        let mut rest = text;
        while let Some((plain, escaped)) = rest.split_once('%') {
            name.push_str(plain);
            let code = escaped.split_once(';').and_then(|(code, after)| {
                let c = char::from_u32(u32::from_str_radix(code, 16).ok()?)?;
                Some((c, after))
            });
            let Some((c, after)) = code else {
                return self.fail("an escaped character is %hex;");
            };
            name.push(c);
            rest = after;
        }
        name.push_str(rest);
        Ok(name)
    }

    fn apply(&mut self, frame: &ParseFrame) -> Parsed<TermOperand> {
        let wrong = |reason: &str| {
            Err(ParseError {
                at: frame.at,
                reason: format!("{}: {reason}", frame.head),
            })
        };
        let words = &frame.words[..];
        let terms: Option<Vec<Expr>> = frame
            .operands
            .iter()
            .map(|o| {
                if let TermOperand::Term(e) = o {
                    Some(*e)
                } else {
                    None
                }
            })
            .collect();
        let p = &mut *self.pool;
        let term = match (frame.head, &frame.operands[..], terms.as_deref()) {
            ("table", [_, ..], Some(elems)) => {
                if elems.iter().any(|e| p.width(*e) != p.width(elems[0])) {
                    return wrong("elements differ in width");
                }
                return Ok(TermOperand::Array(p.table(elems.into())));
            }
            (
                "store",
                [
                    TermOperand::Array(a),
                    TermOperand::Term(i),
                    TermOperand::Term(v),
                ],
                _,
            ) => {
                if p.width(*i) != 64 || p.width(*v) != p.array_shape(*a).0 {
                    return wrong("widths of index or element");
                }
                return Ok(TermOperand::Array(p.store(*a, *i, *v)));
            }
            ("select", [TermOperand::Array(a), TermOperand::Term(i)], _) => {
                if p.width(*i) != 64 {
                    return wrong("width of the index");
                }
                p.select(*a, *i)
            }
            ("concat", _, Some(&[hi, lo])) => {
                if p.width(hi) + p.width(lo) > MAX_WIDTH {
                    return wrong("too wide");
                }
                p.concat(hi, lo)
            }
            ("extract", _, Some(&[of])) if words.len() == 2 => {
                let (lo, width): (Width, Width) = (self.number(words[0])?, self.width(words[1])?);
                if lo > MAX_WIDTH || lo + width > self.pool.width(of) {
                    return wrong("outside of the term");
                }
                self.pool.extract(of, lo, width)
            }
            ("zext" | "sext", _, Some(&[a])) if words.len() == 1 => {
                let width = self.width(words[0])?;
                if width < self.pool.width(a) {
                    return wrong("narrower than the operand");
                }
                if frame.head == "zext" {
                    self.pool.zext(a, width)
                } else {
                    self.pool.sext(a, width)
                }
            }
            ("ite", _, Some(&[c, t, o])) => {
                if p.width(c) != 1 || p.width(t) != p.width(o) {
                    return wrong("widths of the operands");
                }
                p.ite(c, t, o)
            }
            ("fma", _, Some(&[a, b, c])) => {
                let w = p.width(a);
                if !is_float_width(w) || p.width(b) != w || p.width(c) != w {
                    return wrong("widths of the operands");
                }
                p.fma(a, b, c)
            }
            (head, _, Some(&[a])) if words.len() == 1 => {
                let Some((_, op)) = FCast::NAMES.iter().find(|row| row.0 == head) else {
                    return wrong("no such operator");
                };
                let width = self.width(words[0])?;
                let (from, to) = (is_float_width(self.pool.width(a)), is_float_width(width));
                let fits = match op {
                    FCast::ToSigned | FCast::ToUnsigned => from,
                    FCast::FromSigned | FCast::FromUnsigned => to,
                    FCast::Float => from && to,
                };
                if !fits {
                    return wrong("no float of this width");
                }
                self.pool.fcast(*op, a, width)
            }
            (head, _, Some(&[a])) => {
                let Some(op) = UnOp::of_name(head) else {
                    return wrong("no such operator");
                };
                if op.is_float() && !is_float_width(p.width(a)) {
                    return wrong("no float of this width");
                }
                p.un(op, a)
            }
            (head, _, Some(&[a, b])) => {
                let Some(op) = BinOp::of_name(head) else {
                    return wrong("no such operator");
                };
                if p.width(a) != p.width(b) || op.is_float() && !is_float_width(p.width(a)) {
                    return wrong("widths of the operands");
                }
                p.bin(op, a, b)
            }
            _ => return wrong("no such operator, or other operands"),
        };
        Ok(TermOperand::Term(term))
    }
}
