//! Stage that decides queries whose goal is about few inputs by the list of the values that these
//! have.
//!
//! A letter is a few bytes, and all that a program asks of it is a function of these: its number,
//! the class that a table has for it, where a search in a sorted table ends. Such goals are long
//! chains of reads and comparisons, which ranges lose soon, and each is a diagram of its own. But a
//! path leaves a letter some thousand values, of which a list is at hand: it is that of the path
//! before, without what the last constraint leaves out. The goal is evaluated for all of them; what
//! was evaluated for an earlier goal is remembered.
//!
//! The constraints that are on the goal's inputs alone make the list. Of the others, those on one
//! of them and a byte more leave out the values for which that byte has none; the rest is left
//! aside. So no value on the list is a proof that there is no solution, while one is an answer only
//! if the whole query is true with it and the hint's values for other inputs. If none is, the
//! inputs of a constraint that fails are added.
//!
//! Lists cost more than most of what follows, and a few bytes of a number, of which ranges say
//! enough, have long ones. So the stage lives on what its answers are worth: where they cost more,
//! it rests until it has saved enough for the next.
//!
//! Pays on classes of letters by tables, and on whatever else is looked up by a few bytes of many
//! that depend on each other.

mod list;

use super::local::{is_among, with_others_fixed};
use super::{Stage, StageOutcome};
use crate::ledger::{Ledger, Shape};
use crate::{Answer, Query};
use list::{Block, Key, NoList, Solutions, ValueList};
use rustc_hash::FxHashMap;
use symex_terms::{Expr, Pool, Symbol, Var, Width};

/// Greatest number of inputs of a list.
const MOST_INPUTS: usize = 8;
/// Lane operations that a query may take.
const MAX_WORK: u64 = 1 << 25;
/// Lane operations that may be taken before there are answers, and the most that are saved.
const SAVINGS: u64 = 1 << 25;
/// Lane operations that an answer is worth: what the later stages would take for it.
const WORTH: u64 = 1 << 20;
/// Lane operations that are saved with each query.
const SAVED: u64 = 1 << 10;
/// Lane operations that it takes to give inputs of a constraint their values.
const FIXING: usize = 1 << 12;
/// Lane operations below which a query is not looked at.
const LEAST: u64 = 1 << 16;
/// Number of lane operations that take as long as a unit of work.
const OPERATIONS_PER_UNIT: u64 = 100;
/// Number of constraints that may be missing from the list that another one is made of.
const MOST_STEPS: usize = 16;
/// Greatest width of an input that is not listed, for what it leaves of the values of one that is.
const MOST_BITS_OF_NEIGHBOUR: Width = 8;
/// Words of remembered values at which they are forgotten: 128 MiB.
const MAX_WORDS: usize = 16 << 20;
/// Number of lists at which they are forgotten.
const MAX_LISTS: usize = 1 << 12;

/// The value list stage: see the module.
#[derive(Default)]
pub struct ValueLists {
    /// The lists; `None` if one would be too long.
    lists: FxHashMap<Key, Option<ValueList>>,
    /// Size of the lists and of what was evaluated for them, in words.
    words: usize,
    ledger: Ledger,
    /// Lane operations taken beyond those that answers were worth.
    debt: u64,
    /// Number of lane operations so far.
    operations: u64,
}

impl Stage for ValueLists {
    fn name(&self) -> &'static str {
        "value list"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        self.debt = self.debt.saturating_sub(SAVED);
        let savings = SAVINGS - self.debt;
        let Some(vars) = inputs(pool, query.goal).filter(|_| savings >= LEAST) else {
            return StageOutcome::Pass;
        };
        let shape = Shape::of(pool, query);
        let Some(allowed) = self.ledger.allowance(shape, MAX_WORK.min(savings)) else {
            return StageOutcome::Pass;
        };
        self.make_room();
        let mut work = allowed as usize;
        let outcome = self.decide(pool, query, vars, &mut work);
        let used = allowed - work as u64;
        self.operations += used;
        self.debt += used;
        if outcome.is_some() {
            self.debt = self.debt.saturating_sub(WORTH);
        }
        self.ledger.settle(shape, used, allowed, outcome.is_some());
        outcome.map_or(StageOutcome::Pass, StageOutcome::Answer)
    }

    fn work(&self) -> u64 {
        self.operations / OPERATIONS_PER_UNIT
    }

    fn reset(&mut self) {
        *self = ValueLists {
            operations: self.operations,
            ..ValueLists::default()
        };
    }
}

/// Returns the inputs of a condition, if they may have a list.
fn inputs(pool: &Pool, condition: Expr) -> Option<Vec<Var>> {
    let support = pool.support(condition);
    if support.is_empty() || support.len() > MOST_INPUTS {
        return None;
    }
    let vars = support.iter().map(|symbol| match symbol {
        Symbol::Var(var) if pool.var_info(*var).width <= u64::BITS => Some(*var),
        _ => None,
    });
    vars.collect()
}

impl ValueLists {
    /// Decides a query by the values of some inputs, its goal's among them, within some work;
    /// `None` if there is no list of them, or if it takes more.
    fn decide(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        mut vars: Vec<Var>,
        work: &mut usize,
    ) -> Option<Answer> {
        loop {
            let key = key(pool, query, vars);
            self.make(pool, &key, work);
            let list = self.lists.get_mut(&key)?.as_mut()?;
            let coupled = coupled(pool, query, &key.0);
            let before = list.words();
            let found = list.solutions(pool, query, &coupled, work);
            self.words += list.words() - before;
            let solutions = match found? {
                Solutions::None => return Some(Answer::Unsat),
                Solutions::One(found) => return Some(Answer::Sat(found)),
                Solutions::Local(solutions) => solutions,
            };
            // Perhaps another one of them goes with the hint's values.
            let mut block = Block::new(pool, &list.terms, solutions);
            *work = work.checked_sub(coupled.len() * FIXING)?;
            let conditions = with_others_fixed(pool, &coupled, query.hint, &key.0);
            if let Some(lane) = block.holding(pool, &conditions, work)?.first() {
                let found = block.assignment(pool, &list.terms, *lane, query);
                if query.holds(pool, &found) {
                    return Some(Answer::Sat(found));
                }
            }
            // If not, other inputs have to change, too.
            let found = block.assignment(pool, &list.terms, 0, query);
            let fails = |e: &&Expr| pool.eval(**e, &found, query.addresses) != 1;
            let violated = *coupled.iter().find(fails)?;
            vars = key.0;
            let before = vars.len();
            for var in inputs(pool, violated)? {
                if !vars.contains(&var) {
                    vars.push(var);
                }
            }
            if vars.len() == before || vars.len() > MOST_INPUTS {
                return None;
            }
            vars.sort_unstable();
        }
    }

    /// Makes a list, unless it is known.
    fn make(&mut self, pool: &Pool, key: &Key, work: &mut usize) {
        if self.lists.contains_key(key) {
            return;
        }
        let (vars, constraints) = key;
        let most = constraints.len().min(MOST_STEPS);
        let shorter = |steps: usize| {
            let before = &constraints[..constraints.len() - steps];
            let key = (vars.clone(), before.to_vec());
            matches!(self.lists.get(&key), Some(Some(_))).then_some((key, steps))
        };
        let made = match (1..=most).find_map(shorter) {
            Some((before, steps)) => match self.lists.get_mut(&before) {
                Some(Some(list)) => {
                    let before = list.words();
                    let made = list.narrowed(pool, key, steps, work);
                    self.words += list.words() - before;
                    made
                }
                _ => Err(NoList::TooLong),
            },
            None => ValueList::of(pool, vars, constraints, work),
        };
        let made = match made {
            Ok(list) => Some(list),
            Err(NoList::TooLong) => None,
            Err(NoList::TooMuchWork) => return,
        };
        self.words += made.as_ref().map_or(0, ValueList::words);
        self.lists.insert(key.clone(), made);
    }

    /// Forgets all lists where they take too much memory.
    fn make_room(&mut self) {
        if self.words > MAX_WORDS || self.lists.len() > MAX_LISTS {
            self.lists.clear();
            self.words = 0;
        }
    }
}

/// Returns the constraints that are on some inputs and on others: all that may fail where these
/// inputs have other values.
fn coupled(pool: &Pool, query: &Query, vars: &[Var]) -> Vec<Expr> {
    let constraints = query.constraints.iter().copied();
    let coupled = constraints.filter(|e| {
        let mut symbols = pool.support(*e).iter().map(|s| is_among(vars, s));
        let first = symbols.next();
        symbols.any(|listed| Some(listed) != first)
    });
    coupled.collect()
}

/// Returns what decides the list of some inputs: the constraints on these alone, those on one of
/// them and one other input, and those on such an input alone.
fn key(pool: &Pool, query: &Query, vars: Vec<Var>) -> Key {
    let is_listed = |symbol: &Symbol| is_among(&vars, symbol);
    let mut neighbours: Vec<Symbol> = Vec::new();
    let small = |symbol: &Symbol| match symbol {
        Symbol::Var(var) => pool.var_info(*var).width <= MOST_BITS_OF_NEIGHBOUR,
        Symbol::Base(_) => false,
    };
    for constraint in query.constraints {
        if let [a, b] = pool.support(*constraint)
            && is_listed(a) != is_listed(b)
            && small(a)
            && small(b)
        {
            neighbours.push(if is_listed(a) { *b } else { *a });
        }
    }
    let is_used = |constraint: &Expr| match pool.support(*constraint) {
        [one] => is_listed(one) || neighbours.contains(one),
        [a, b] if is_listed(a) != is_listed(b) => small(a) && small(b),
        all => all.iter().all(is_listed),
    };
    let constraints = query.constraints.iter().copied();
    let used = constraints.filter(is_used).collect();
    (vars, used)
}

#[cfg(test)]
mod tests;
