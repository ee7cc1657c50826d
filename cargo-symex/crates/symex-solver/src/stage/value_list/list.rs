//! Lists of the values that some inputs have together.
//!
//! They are made input by input: the values that the constraints on it alone leave, joined with the
//! list so far, without what the constraints on both leave out.

use crate::Query;
use crate::stage::brute_force::Candidates;
use crate::stage::interval;
use crate::stage::local::is_among;
use rustc_hash::FxHashSet;
use symex_terms::{Assignment, BatchEvaluation, Expr, Kind, Pool, Symbol, Var};

/// Greatest number of combinations of values of which a list is made.
const MOST_COMBINATIONS: u64 = 1 << 21;
/// Greatest number of combinations of a list.
const MOST_VALUES: usize = 1 << 18;
/// Number of combinations that are evaluated at once: the values of some terms stay in the
/// processor's caches, and most queries with a solution have one among so many.
const BLOCK: usize = 1 << 11;
/// Lane operations that it takes to evaluate a constraint alone.
const EVALUATION: usize = 1 << 8;
/// Number of values with which the whole query is tried.
const TRIES: usize = 8;

/// What decides a list: its inputs, and the constraints on them.
pub(super) type Key = (Vec<Var>, Vec<Expr>);

/// Combinations of values of some inputs, in blocks; of each block, terms are evaluated.
pub(super) struct ValueList {
    /// The inputs.
    pub terms: Vec<Expr>,
    blocks: Vec<Block>,
}

/// Some combinations of values.
pub(super) struct Block {
    lanes: usize,
    values: BatchEvaluation,
}

/// Why there is no list.
pub(super) enum NoList {
    /// It would be too long.
    TooLong,
    /// Making it takes more work than is allowed now.
    TooMuchWork,
}

/// Combinations of a list for which a goal is true.
pub(super) enum Solutions {
    /// There is none.
    None,
    /// One of them, with the hint's values for other inputs, is a solution of the query.
    One(Assignment),
    /// Some of them, by the values of each input.
    Local(Vec<Vec<u128>>),
}

/// Returns those of some constraints that are on one input, and on no others but some.
fn constraints_on(pool: &Pool, constraints: &[Expr], inputs: &[Var], one: Var) -> Vec<Expr> {
    let is_on = |e: &Expr| {
        let support = pool.support(*e);
        support.contains(&Symbol::Var(one)) && support.iter().all(|s| is_among(inputs, s))
    };
    constraints.iter().copied().filter(is_on).collect()
}

/// Returns those of some values of an input that satisfy the constraints on it alone.
fn alone(
    pool: &Pool,
    var: Var,
    values: Vec<u128>,
    constraints: &[Expr],
    work: &mut usize,
) -> Result<Vec<u128>, NoList> {
    let terms = [pool.term_of(var)];
    let own = constraints_on(pool, constraints, &[var], var);
    let mut left = vec![Vec::new()];
    for part in values.chunks(BLOCK) {
        let mut block = Block::new(pool, &terms, vec![part.to_vec()]);
        block.pass_on(pool, &terms, &own, &mut left, work)?;
    }
    Ok(left.swap_remove(0))
}

/// Returns those of some values of an input with which other inputs that are not listed have values
/// that satisfy the constraints on both.
fn with_neighbours(
    pool: &Pool,
    listed: &[Var],
    var: Var,
    mut values: Vec<u128>,
    constraints: &[Expr],
    work: &mut usize,
) -> Result<Vec<u128>, NoList> {
    let mut neighbours: Vec<Var> = Vec::new();
    for constraint in constraints {
        if let [Symbol::Var(a), Symbol::Var(b)] = *pool.support(*constraint)
            && let Some(other) = if a == var {
                Some(b)
            } else {
                (b == var).then_some(a)
            }
            && !listed.contains(&other)
            && !neighbours.contains(&other)
        {
            neighbours.push(other);
        }
    }
    for other in neighbours {
        let all = (0..1 << pool.var_info(other).width).collect();
        let others = alone(pool, other, all, constraints, work)?;
        let mut joint = constraints_on(pool, constraints, &[var, other], other);
        joint.retain(|e| pool.support(*e).len() > 1);
        let terms = [pool.term_of(other), pool.term_of(var)];
        // The values of the last input are those that change last.
        let both = joined(pool, &terms, &[others], &values, &joint, work)?;
        values = both.into_iter().nth(1).unwrap_or_default();
        values.dedup();
    }
    Ok(values)
}

/// Returns the combinations on a list with values of one input more that satisfy constraints on
/// both.
fn joined(
    pool: &Pool,
    terms: &[Expr],
    list: &[Vec<u128>],
    values: &[u128],
    constraints: &[Expr],
    work: &mut usize,
) -> Result<Vec<Vec<u128>>, NoList> {
    let rows = list[0].len();
    if rows as u64 * values.len() as u64 > MOST_COMBINATIONS {
        return Err(NoList::TooLong);
    }
    let count = rows * values.len();
    let mut joined = vec![Vec::new(); terms.len()];
    for first in (0..count).step_by(BLOCK) {
        let numbers = first..count.min(first + BLOCK);
        let of = |column: &Vec<u128>| numbers.clone().map(|n| column[n % rows]).collect();
        let mut columns: Vec<Vec<u128>> = list.iter().map(of).collect();
        columns.push(numbers.clone().map(|n| values[n / rows]).collect());
        // To make it is as much work as to evaluate a term for each input.
        let made = work.checked_sub(numbers.len() * terms.len());
        *work = made.ok_or(NoList::TooMuchWork)?;
        let mut block = Block::new(pool, terms, columns);
        block.pass_on(pool, terms, constraints, &mut joined, work)?;
    }
    Ok(joined)
}

impl ValueList {
    /// Makes the list of all values of some inputs that satisfy constraints on them.
    pub fn of(
        pool: &Pool,
        vars: &[Var],
        constraints: &[Expr],
        work: &mut usize,
    ) -> Result<ValueList, NoList> {
        let terms: Vec<Expr> = vars.iter().map(|var| pool.term_of(*var)).collect();
        let Some(domains) = interval::domains(pool, constraints, &terms) else {
            return Ok(ValueList::new(pool, terms, Vec::new()));
        };
        let mut list: Vec<Vec<u128>> = Vec::new();
        for (at, domain) in domains.iter().enumerate() {
            let input = Candidates::of_domain(vars[at], terms[at], pool.width(terms[at]), domain);
            if input.count > MOST_COMBINATIONS {
                return Err(NoList::TooLong);
            }
            let values = (0..input.count).map(|number| input.value(number).into());
            let values = alone(pool, vars[at], values.collect(), constraints, work)?;
            let values = with_neighbours(pool, vars, vars[at], values, constraints, work)?;
            if at == 0 {
                list.push(values);
                continue;
            }
            let mut joint = constraints_on(pool, constraints, &vars[..=at], vars[at]);
            joint.retain(|e| pool.support(*e).len() > 1);
            list = joined(pool, &terms[..=at], &list, &values, &joint, work)?;
        }
        Ok(ValueList::new(pool, terms, list))
    }

    /// Makes a list by the values of each input.
    fn new(pool: &Pool, terms: Vec<Expr>, columns: Vec<Vec<u128>>) -> ValueList {
        let count = columns.first().map_or(0, Vec::len);
        let blocks = (0..count).step_by(BLOCK).map(|first| {
            let lanes = first..count.min(first + BLOCK);
            let part = columns.iter().map(|column| column[lanes.clone()].to_vec());
            Block::new(pool, &terms, part.collect())
        });
        ValueList {
            blocks: blocks.collect(),
            terms,
        }
    }

    /// Returns the list that satisfies all constraints of a key, if it satisfies those but some of
    /// the last.
    pub fn narrowed(
        &mut self,
        pool: &Pool,
        (vars, constraints): &Key,
        last: usize,
        work: &mut usize,
    ) -> Result<ValueList, NoList> {
        let last = &constraints[constraints.len() - last..];
        let is_local = |e: &Expr| pool.support(*e).iter().all(|s| is_among(vars, s));
        let (local, others): (Vec<Expr>, Vec<Expr>) = last.iter().partition(|e| is_local(e));
        let mut left = vec![Vec::new(); self.terms.len()];
        for block in &mut self.blocks {
            block.pass_on(pool, &self.terms, &local, &mut left, work)?;
        }
        if !others.is_empty() {
            for (at, var) in vars.iter().enumerate() {
                let mut values = left[at].clone();
                values.sort_unstable();
                values.dedup();
                let kept = with_neighbours(pool, vars, *var, values, constraints, work)?;
                let kept: FxHashSet<u128> = kept.into_iter().collect();
                let rows: Vec<bool> = left[at].iter().map(|value| kept.contains(value)).collect();
                for column in &mut left {
                    let mut row = rows.iter();
                    column.retain(|_| *row.next().expect("a row for each value"));
                }
            }
        }
        Ok(ValueList::new(pool, self.terms.clone(), left))
    }

    /// Returns the combinations for which a query's goal is true, as far as they are needed; `None`
    /// if that takes too much work. Constraints on other inputs, too, are `coupled`.
    pub fn solutions(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        coupled: &[Expr],
        work: &mut usize,
    ) -> Option<Solutions> {
        let mut local = vec![Vec::new(); self.terms.len()];
        let mut tries = TRIES;
        for block in &mut self.blocks {
            let found = block.holding(pool, &[query.goal], work)?;
            for lane in found.iter().take(tries) {
                let found = block.assignment(pool, &self.terms, *lane, query);
                *work = work.checked_sub(coupled.len() * EVALUATION)?;
                let holds = |e: &Expr| pool.eval(*e, &found, query.addresses) == 1;
                if coupled.iter().all(holds) && query.holds(pool, &found) {
                    return Some(Solutions::One(found));
                }
                tries -= 1;
            }
            block.add(pool, &self.terms, &found, &mut local);
            if local[0].len() >= BLOCK {
                break;
            }
        }
        Some(match local[0].is_empty() {
            true => Solutions::None,
            false => Solutions::Local(local),
        })
    }

    /// Returns the size, in words.
    pub fn words(&self) -> usize {
        self.blocks.iter().map(|block| block.values.words()).sum()
    }
}

impl Block {
    /// Makes a block of the values of each input.
    pub fn new(pool: &Pool, terms: &[Expr], columns: Vec<Vec<u128>>) -> Block {
        let lanes = columns.first().map_or(0, Vec::len);
        let given: Vec<_> = terms.iter().copied().zip(columns).collect();
        Block {
            lanes,
            values: BatchEvaluation::new(pool, lanes, &given),
        }
    }

    /// Returns the combinations for which all conditions hold, by their numbers; `None` if that
    /// takes too much work.
    pub fn holding(
        &mut self,
        pool: &Pool,
        conditions: &[Expr],
        work: &mut usize,
    ) -> Option<Vec<usize>> {
        let mut holding: Vec<usize> = (0..self.lanes).collect();
        for condition in conditions {
            if holding.is_empty() {
                break;
            }
            self.retain(pool, &mut holding, *condition, work)?;
        }
        Some(holding)
    }

    /// Adds the combinations for which all conditions hold to the values of each input.
    fn pass_on(
        &mut self,
        pool: &Pool,
        terms: &[Expr],
        conditions: &[Expr],
        to: &mut [Vec<u128>],
        work: &mut usize,
    ) -> Result<(), NoList> {
        let mut holding: Vec<usize> = (0..self.lanes).collect();
        for (at, condition) in conditions.iter().enumerate() {
            if 2 * holding.len() <= self.lanes {
                // What follows is evaluated for those that are left.
                let mut left = vec![Vec::new(); terms.len()];
                self.add(pool, terms, &holding, &mut left);
                let mut left = Block::new(pool, terms, left);
                return match left.lanes {
                    0 => Ok(()),
                    _ => left.pass_on(pool, terms, &conditions[at..], to, work),
                };
            }
            let held = self.retain(pool, &mut holding, *condition, work);
            held.ok_or(NoList::TooMuchWork)?;
        }
        self.add(pool, terms, &holding, to);
        match to[0].len() <= MOST_VALUES {
            true => Ok(()),
            false => Err(NoList::TooLong),
        }
    }

    /// Leaves those combinations for which a condition holds; `None` if that takes too much work.
    fn retain(
        &mut self,
        pool: &Pool,
        lanes: &mut Vec<usize>,
        condition: Expr,
        work: &mut usize,
    ) -> Option<()> {
        let holds: Vec<bool> = self
            .values
            .values(pool, condition, work)?
            .map(|v| v == 1)
            .collect();
        lanes.retain(|lane| holds[*lane]);
        Some(())
    }

    /// Adds some combinations to the values of each input.
    fn add(&self, pool: &Pool, terms: &[Expr], lanes: &[usize], to: &mut [Vec<u128>]) {
        for (term, column) in terms.iter().zip(to) {
            if let Some(value) = self.values.known_values(pool, *term) {
                column.extend(lanes.iter().map(|lane| value(*lane)));
            }
        }
    }

    /// Returns the hint of a query with the values of a combination.
    pub fn assignment(
        &self,
        pool: &Pool,
        terms: &[Expr],
        lane: usize,
        query: &Query,
    ) -> Assignment {
        let mut found = query.hint.clone();
        for term in terms {
            if let (Kind::Var(var), Some(value)) =
                (pool.kind(*term), self.values.known_values(pool, *term))
            {
                found.set(var, value(lane));
            }
        }
        found
    }
}
