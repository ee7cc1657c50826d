//! Batch evaluation: values of terms under many assignments at once, each term evaluated once.
//!
//! A lane is an assignment of a few variables. A term's column has its value in each lane. Columns
//! are remembered, so a term over terms that were asked for before costs one operation a lane. The
//! operations are defined in `number`, the meaning of a term by [`eval`](super::eval). The random
//! terms of `simplify` test this evaluation against it.

use super::build::mask;
use super::node::*;
use super::number::{bin, fcast, fma, sign_extend, un};
use super::op::{BinOp, UnOp};
use super::pool::Pool;
use rustc_hash::FxHashMap;
use symex_types::bits::word_mask;

/// Bits of a word of a column.
const WORD: Width = 64;

/// Batch evaluator with its remembered columns: see the module. Belongs to one [`Pool`].
pub struct BatchEvaluation {
    lanes: usize,
    columns: FxHashMap<Expr, Column>,
    words: usize,
}

/// The values of a term in all lanes; the words of a value are stored lowest first.
struct Column {
    words: Box<[u64]>,
    wide: bool,
}

impl Column {
    fn new(width: Width, values: impl Iterator<Item = u128>) -> Column {
        let wide = width > WORD;
        let words = if wide {
            values
                .flat_map(|v| [v as u64, (v >> WORD) as u64])
                .collect()
        } else {
            values.map(|v| v as u64).collect()
        };
        Column { words, wide }
    }

    fn get(&self, lane: usize) -> u128 {
        if self.wide {
            u128::from(self.words[2 * lane]) | u128::from(self.words[2 * lane + 1]) << WORD
        } else {
            u128::from(self.words[lane])
        }
    }
}

/// A non-constant operand whose column is known.
#[derive(Clone, Copy)]
enum KnownValues<'a> {
    Const(u128),
    Column(&'a Column),
}

impl KnownValues<'_> {
    #[inline]
    fn get(self, lane: usize) -> u128 {
        match self {
            KnownValues::Const(v) => v,
            KnownValues::Column(c) => c.get(lane),
        }
    }
}

/// Values of at most a word, as most are: a loop over words is many times as fast.
#[derive(Clone, Copy)]
enum Words<'a> {
    Const(u64),
    Column(&'a [u64]),
}

impl<'a> KnownValues<'a> {
    fn words(self) -> Option<Words<'a>> {
        match self {
            KnownValues::Const(v) => u64::try_from(v).ok().map(Words::Const),
            KnownValues::Column(c) => (!c.wide).then_some(Words::Column(&c.words)),
        }
    }
}

impl Words<'_> {
    #[inline]
    fn get(self, lane: usize) -> u64 {
        match self {
            Words::Const(v) => v,
            Words::Column(words) => words[lane],
        }
    }

    /// Makes the column of `f` applied to each pair of values.
    #[inline]
    fn zip(self, other: Words, lanes: usize, f: impl Fn(u64, u64) -> u64) -> Column {
        let words = match (self, other) {
            (Words::Column(x), Words::Column(y)) => {
                x.iter().zip(y).map(|(x, y)| f(*x, *y)).collect()
            }
            (Words::Column(x), Words::Const(y)) => x.iter().map(|x| f(*x, y)).collect(),
            (Words::Const(x), Words::Column(y)) => y.iter().map(|y| f(x, *y)).collect(),
            (Words::Const(x), Words::Const(y)) => vec![f(x, y); lanes].into(),
        };
        Column { words, wide: false }
    }

    /// Applies a cheap operator to all values; see [`bin`] for its meaning.
    fn bin(self, op: BinOp, width: Width, other: Words, lanes: usize) -> Option<Column> {
        let m = word_mask(width);
        let top = 1u64 << (width - 1);
        let w = u64::from(width);
        Some(match op {
            BinOp::Add => self.zip(other, lanes, |x, y| x.wrapping_add(y) & m),
            BinOp::Sub => self.zip(other, lanes, |x, y| x.wrapping_sub(y) & m),
            BinOp::Mul => self.zip(other, lanes, |x, y| x.wrapping_mul(y) & m),
            BinOp::And => self.zip(other, lanes, |x, y| x & y),
            BinOp::Or => self.zip(other, lanes, |x, y| x | y),
            BinOp::Xor => self.zip(other, lanes, |x, y| x ^ y),
            BinOp::Shl => self.zip(other, lanes, |x, y| if y < w { x << y & m } else { 0 }),
            BinOp::LShr => self.zip(other, lanes, |x, y| if y < w { x >> y } else { 0 }),
            BinOp::Eq => self.zip(other, lanes, |x, y| (x == y).into()),
            BinOp::ULt => self.zip(other, lanes, |x, y| (x < y).into()),
            BinOp::ULe => self.zip(other, lanes, |x, y| (x <= y).into()),
            // With the sign turned, negative numbers come first.
            BinOp::SLt => self.zip(other, lanes, |x, y| (x ^ top < y ^ top).into()),
            BinOp::SLe => self.zip(other, lanes, |x, y| (x ^ top <= y ^ top).into()),
            _ => return None,
        })
    }
}

/// Terms that have to be evaluated before a term.
struct Missing(Vec<Expr>);

impl BatchEvaluation {
    /// Starts an evaluation in `lanes` lanes, with the values of the given terms (variables or base
    /// addresses).
    ///
    /// # Panics
    /// If a term has not as many values as there are lanes.
    pub fn new(pool: &Pool, lanes: usize, given: &[(Expr, Vec<u128>)]) -> BatchEvaluation {
        let mut made = BatchEvaluation {
            lanes,
            columns: FxHashMap::default(),
            words: 0,
        };
        for (term, values) in given {
            assert_eq!(values.len(), lanes, "a value for each lane");
            let column = Column::new(pool.width(*term), values.iter().copied());
            made.keep(*term, column);
        }
        made
    }

    /// Returns the size of all columns, in words of eight bytes.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Returns the value of a term in each lane. `work` is charged for each operation in a lane.
    /// `None` if `work` runs out, or if the value depends on symbols that were not given.
    pub fn values(
        &mut self,
        pool: &Pool,
        term: Expr,
        work: &mut usize,
    ) -> Option<impl Iterator<Item = u128> + '_> {
        let mut stack = vec![term];
        while let Some(e) = stack.pop() {
            if self.known(pool, e).is_some() {
                continue;
            }
            *work = work.checked_sub(self.lanes)?;
            match self.column(pool, e)? {
                Ok(column) => self.keep(e, column),
                Err(Missing(operands)) => {
                    stack.push(e);
                    stack.extend(operands);
                }
            }
        }
        let column = self.known(pool, term)?;
        Some((0..self.lanes).map(move |lane| column.get(lane)))
    }

    /// Returns a function from lanes to the values of a term, if these are known.
    pub fn known_values(&self, pool: &Pool, term: Expr) -> Option<impl Fn(usize) -> u128 + '_> {
        let column = self.known(pool, term)?;
        Some(move |lane| column.get(lane))
    }

    fn keep(&mut self, e: Expr, column: Column) {
        self.words += column.words.len();
        self.columns.insert(e, column);
    }

    fn known(&self, pool: &Pool, e: Expr) -> Option<KnownValues<'_>> {
        match pool.as_const(e) {
            Some(v) => Some(KnownValues::Const(v)),
            None => self.columns.get(&e).map(KnownValues::Column),
        }
    }

    /// Computes the column of a term, or returns the terms that have to be evaluated first; `None`
    /// if it cannot be computed.
    fn column(&self, pool: &Pool, e: Expr) -> Option<Result<Column, Missing>> {
        let w = pool.width(e);
        macro_rules! need {
            ($($x:ident),+) => {
                match ($(self.known(pool, $x)),+) {
                    need!(@some $($x),+) => ($($x),+),
                    _ => {
                        let mut missing = vec![$($x),+];
                        missing.retain(|x| self.known(pool, *x).is_none());
                        return Some(Err(Missing(missing)));
                    }
                }
            };
            (@some $x:ident) => { Some($x) };
            (@some $($x:ident),+) => { ($(Some($x)),+) };
        }
        let each = |f: &dyn Fn(usize) -> u128| Some(Ok(Column::new(w, (0..self.lanes).map(f))));
        // Of one operand of at most a word, if the term has no more either.
        let map = |a: KnownValues, f: &dyn Fn(Words) -> Column| {
            let words = if w <= WORD { a.words() } else { None };
            words.map(|a| Some(Ok(f(a))))
        };
        let none = Words::Const(0);
        match pool.kind(e) {
            Kind::Const(_) | Kind::Var(_) | Kind::Base { .. } => None,
            Kind::Un(op, a) => {
                let wa = pool.width(a);
                let a = need!(a);
                if op == UnOp::Not
                    && let Some(done) =
                        map(a, &|a| a.zip(none, self.lanes, |x, _| !x & word_mask(w)))
                {
                    return done;
                }
                each(&|i| un(op, wa, a.get(i)))
            }
            Kind::Bin(op, a, b) => {
                let wa = pool.width(a);
                let (a, b) = need!(a, b);
                let words = if wa <= WORD {
                    a.words().zip(b.words())
                } else {
                    None
                };
                if let Some(column) = words.and_then(|(a, b)| a.bin(op, wa, b, self.lanes)) {
                    return Some(Ok(column));
                }
                each(&|i| bin(op, wa, a.get(i), b.get(i)))
            }
            Kind::Concat { hi, lo } => {
                let wl = pool.width(lo);
                let (hi, lo) = need!(hi, lo);
                if w <= WORD
                    && let Some((hi, lo)) = hi.words().zip(lo.words())
                {
                    return Some(Ok(hi.zip(lo, self.lanes, |hi, lo| hi << wl | lo)));
                }
                each(&|i| hi.get(i) << wl | lo.get(i))
            }
            Kind::Extract { of, lo } => {
                let of = need!(of);
                let part = |of: Words| of.zip(none, self.lanes, |x, _| x >> lo & word_mask(w));
                if let Some(done) = map(of, &part) {
                    return done;
                }
                each(&|i| (of.get(i) >> lo) & mask(w))
            }
            Kind::ZExt(a) => {
                let a = need!(a);
                if let Some(done) = map(a, &|a| a.zip(none, self.lanes, |x, _| x)) {
                    return done;
                }
                each(&|i| a.get(i))
            }
            Kind::SExt(a) => {
                let wa = pool.width(a);
                let a = need!(a);
                each(&|i| sign_extend(a.get(i), wa) as u128 & mask(w))
            }
            Kind::Ite { cond, then, other } => {
                let cond = need!(cond);
                let (mut some, mut none) = (false, false);
                for lane in 0..self.lanes {
                    *(if cond.get(lane) != 0 {
                        &mut some
                    } else {
                        &mut none
                    }) = true;
                }
                // The side that no lane takes may be as large as it likes.
                let (then, other) = match (some, none) {
                    (true, false) => (then, then),
                    (false, true) => (other, other),
                    _ => (then, other),
                };
                let (then, other) = need!(then, other);
                if let (Some(cond), Some(then), Some(other)) =
                    (cond.words(), then.words(), other.words())
                    && w <= WORD
                {
                    let chosen = |i| if cond.get(i) != 0 { then } else { other }.get(i);
                    let words = (0..self.lanes).map(chosen).collect();
                    return Some(Ok(Column { words, wide: false }));
                }
                each(&|i| {
                    if cond.get(i) != 0 {
                        then.get(i)
                    } else {
                        other.get(i)
                    }
                })
            }
            Kind::Select { array, index } => {
                let index = need!(index);
                let elements = match self.elements(pool, array, index) {
                    Ok(elements) => elements,
                    Err(missing) => return Some(Err(missing)),
                };
                let mut missing: Vec<Expr> = elements
                    .iter()
                    .flatten()
                    .copied()
                    .filter(|e| self.known(pool, *e).is_none())
                    .collect();
                if missing.is_empty() {
                    // Neighbouring lanes often meet the same element.
                    let mut last = None;
                    let values = elements.iter().enumerate().map(|(lane, e)| {
                        let Some(e) = *e else { return 0 };
                        let known = match last {
                            Some((before, known)) if before == e => known,
                            _ => self.known(pool, e).expect("nothing is missing"),
                        };
                        last = Some((e, known));
                        known.get(lane)
                    });
                    return Some(Ok(Column::new(w, values)));
                }
                missing.sort_unstable();
                missing.dedup();
                Some(Err(Missing(missing)))
            }
            Kind::FCast(op, a) => {
                let wa = pool.width(a);
                let a = need!(a);
                each(&|i| fcast(op, wa, w, a.get(i)))
            }
            Kind::Fma(a, b, c) => {
                let (a, b, c) = need!(a, b, c);
                each(&|i| fma(w, a.get(i), b.get(i), c.get(i)))
            }
        }
    }

    /// Returns the element that a select reads in each lane; `None` past the end of a table.
    fn elements(
        &self,
        pool: &Pool,
        mut array: Array,
        index: KnownValues<'_>,
    ) -> Result<Vec<Option<Expr>>, Missing> {
        let mut found: Vec<Option<Expr>> = vec![None; self.lanes];
        let mut open: Vec<usize> = (0..self.lanes).collect();
        loop {
            match pool.array_kind(array) {
                ArrayKind::Table(elements) => {
                    for lane in open {
                        let at = usize::try_from(index.get(lane)).unwrap_or(usize::MAX);
                        found[lane] = elements.get(at).copied();
                    }
                    return Ok(found);
                }
                ArrayKind::Store {
                    array: below,
                    index: at,
                    value,
                } => {
                    let at = self.known(pool, *at).ok_or_else(|| Missing(vec![*at]))?;
                    open.retain(|lane| {
                        let met = at.get(*lane) == index.get(*lane);
                        if met {
                            found[*lane] = Some(*value);
                        }
                        !met
                    });
                    if open.is_empty() {
                        return Ok(found);
                    }
                    array = *below;
                }
            }
        }
    }
}
