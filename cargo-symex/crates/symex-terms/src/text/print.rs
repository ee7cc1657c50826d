//! Printer of the text form.

use super::super::visit::TermOperand;
use crate::node::*;
use crate::pool::Pool;
use rustc_hash::FxHashMap;
use std::fmt::{self, Write};

/// A term to be printed.
pub struct Displayed<'a> {
    pool: &'a Pool,
    term: Expr,
}

impl Pool {
    /// Returns the term's text form.
    pub fn display(&self, term: Expr) -> Displayed<'_> {
        Displayed { pool: self, term }
    }
}

impl fmt::Display for Displayed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = TermPrinter {
            pool: self.pool,
            names: FxHashMap::default(),
        };
        for operand in printer.shared(TermOperand::Term(self.term)) {
            let n = printer.names.len();
            let prefix = if matches!(operand, TermOperand::Term(_)) {
                't'
            } else {
                'a'
            };
            write!(f, "(let {prefix}{n} ")?;
            printer.print(operand, f)?;
            f.write_str(") ")?;
            printer.names.insert(operand, format!("{prefix}{n}"));
        }
        printer.print(TermOperand::Term(self.term), f)
    }
}

/// Nesting depth beyond which terms are bound by `let`, too.
const MAX_NESTING: u32 = 40;

struct TermPrinter<'a> {
    pool: &'a Pool,
    names: FxHashMap<TermOperand, String>,
}

enum Work {
    Operand(TermOperand),
    Text(&'static str),
}

/// Printer of terms as lines `(let t7 (add t3 t6))`: each subterm is written once, however many
/// terms share it. Serves one pool.
#[derive(Default)]
pub struct Lines {
    names: FxHashMap<TermOperand, String>,
}

impl Lines {
    /// Writes lines for some terms and their subterms that have none yet. Lines follow the order in
    /// which the pool made the terms, so that a reader makes them in that order, too.
    pub fn write(&mut self, pool: &Pool, terms: impl Iterator<Item = Expr>, out: &mut String) {
        // The age of an array is that of its youngest part.
        let mut ages: FxHashMap<TermOperand, usize> = FxHashMap::default();
        let mut fresh: Vec<(usize, bool, usize, TermOperand)> = Vec::new();
        let mut stack: Vec<(TermOperand, bool)> =
            terms.map(|e| (TermOperand::Term(e), false)).collect();
        while let Some((operand, parts_done)) = stack.pop() {
            if self.names.contains_key(&operand) || ages.contains_key(&operand) {
                continue;
            }
            if let TermOperand::Term(e) = operand
                && pool.as_const(e).is_some()
            {
                continue;
            }
            let parts = children(pool, operand);
            if !parts_done {
                stack.push((operand, true));
                stack.extend(parts.into_iter().map(|part| (part, false)));
                continue;
            }
            let (age, at) = match operand {
                TermOperand::Term(e) => (e.index(), e.index()),
                TermOperand::Array(a) => {
                    let age = |part: &TermOperand| match part {
                        TermOperand::Term(e) => e.index(),
                        part => ages.get(part).copied().unwrap_or(0),
                    };
                    (parts.iter().map(age).max().unwrap_or(0), a.index())
                }
            };
            ages.insert(operand, age);
            fresh.push((age, matches!(operand, TermOperand::Array(_)), at, operand));
        }
        fresh.sort_unstable_by_key(|(age, is_array, at, _)| (*age, *is_array, *at));
        let mut printer = TermPrinter {
            pool,
            names: std::mem::take(&mut self.names),
        };
        for (_, is_array, _, operand) in fresh {
            let prefix = if is_array { 'a' } else { 't' };
            let name = format!("{prefix}{}", printer.names.len());
            let _ = write!(out, "(let {name} ");
            // A text takes whatever is written.
            let _ = printer.print(operand, out);
            out.push_str(")\n");
            printer.names.insert(operand, name);
        }
        self.names = printer.names;
    }

    /// Returns the name of a term that has been written, or a text for a term that needs no name.
    pub fn name(&self, pool: &Pool, term: Expr) -> String {
        match self.names.get(&TermOperand::Term(term)) {
            Some(name) => name.clone(),
            None => pool.display(term).to_string(),
        }
    }
}

/// Returns the operands of a term or an array.
fn children(pool: &Pool, operand: TermOperand) -> Vec<TermOperand> {
    let mut children = Vec::new();
    match operand {
        TermOperand::Term(e) => pool.operands(e, |o| children.push(o)),
        TermOperand::Array(a) => pool.array_operands(a, |o| children.push(o)),
    }
    children
}

impl TermPrinter<'_> {
    /// Returns the operands to be bound by `let`, operands before the terms that contain them.
    fn shared(&self, root: TermOperand) -> Vec<TermOperand> {
        // Uses of each operand, and operands in an order in which each comes after its own.
        let mut uses: FxHashMap<TermOperand, u32> = FxHashMap::default();
        let mut order = Vec::new();
        let mut stack = vec![(root, false)];
        while let Some((operand, done)) = stack.pop() {
            if done {
                order.push(operand);
                continue;
            }
            let n = uses.entry(operand).or_default();
            *n += 1;
            if *n == 1 {
                stack.push((operand, true));
                stack.extend(
                    children(self.pool, operand)
                        .into_iter()
                        .rev()
                        .map(|o| (o, false)),
                );
            }
        }
        let mut depths: FxHashMap<TermOperand, u32> = FxHashMap::default();
        order.retain(|operand| {
            let children = children(self.pool, *operand);
            let depth = children.iter().map(|c| depths[c] + 1).max().unwrap_or(0);
            let bound = *operand != root
                && !children.is_empty()
                && (uses[operand] > 1 || depth >= MAX_NESTING);
            depths.insert(*operand, if bound { 0 } else { depth });
            bound
        });
        order
    }

    fn print(&self, root: TermOperand, f: &mut dyn Write) -> fmt::Result {
        let mut stack = vec![Work::Operand(root)];
        while let Some(work) = stack.pop() {
            let operand = match work {
                Work::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Work::Operand(o) => o,
            };
            if let Some(name) = self.names.get(&operand) {
                f.write_str(name)?;
                continue;
            }
            match operand {
                TermOperand::Term(e) => self.head(e, f)?,
                TermOperand::Array(a) => f.write_str(match self.pool.array_kind(a) {
                    ArrayKind::Table(_) => "(table",
                    ArrayKind::Store { .. } => "(store",
                })?,
            }
            let children = children(self.pool, operand);
            if children.is_empty() {
                continue;
            }
            stack.push(Work::Text(")"));
            for c in children.into_iter().rev() {
                stack.push(Work::Operand(c));
                stack.push(Work::Text(" "));
            }
        }
        Ok(())
    }

    /// Writes a leaf, or the text before a term's operands.
    fn head(&self, e: Expr, f: &mut dyn Write) -> fmt::Result {
        let w = self.pool.width(e);
        match self.pool.kind(e) {
            Kind::Const(v) if v < 10 => write!(f, "{v}:{w}"),
            Kind::Const(v) => write!(f, "{v:#x}:{w}"),
            Kind::Var(v) => {
                let info = self.pool.var_info(v);
                for c in info.name.chars() {
                    let plain = c.is_alphanumeric() || c == '_';
                    if plain {
                        f.write_char(c)?
                    } else {
                        write!(f, "%{:x};", c as u32)?
                    }
                }
                match info.origin {
                    Origin::Input { input, part } => write!(f, ".{input}.{part}:{w}"),
                    Origin::Uninit {
                        object: None,
                        offset,
                    } => write!(f, ".u.{offset}:{w}"),
                    Origin::Uninit {
                        object: Some(o),
                        offset,
                    } => write!(f, ".u.{}.{offset}:{w}", o.0),
                    Origin::Result { number } => write!(f, ".r.{number}:{w}"),
                }
            }
            Kind::Base { object, align_log2 } => write!(f, "@{}^{align_log2}", object.0),
            Kind::Un(op, _) => write!(f, "({}", op.info().name),
            Kind::Bin(op, ..) => write!(f, "({}", op.info().name),
            Kind::Concat { .. } => f.write_str("(concat"),
            Kind::Extract { lo, .. } => write!(f, "(extract {lo} {w}"),
            Kind::ZExt(_) => write!(f, "(zext {w}"),
            Kind::SExt(_) => write!(f, "(sext {w}"),
            Kind::Ite { .. } => f.write_str("(ite"),
            Kind::Select { .. } => f.write_str("(select"),
            Kind::FCast(op, _) => write!(f, "({} {w}", op.name()),
            Kind::Fma(..) => f.write_str("(fma"),
        }
    }
}
