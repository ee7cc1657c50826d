//! Stage for queries with hashes, by counterexample-guided abstraction refinement: it first leaves
//! hashes uninterpreted, and adds their actual values only where these matter.
//!
//! Terms that mix their inputs (`rough`) are variables of their own in its encoding, so its `Unsat`
//! is correct. Refinements are added as needed: equal inputs give equal results (congruence), and,
//! after each `Sat` that no assignment near by confirms (`sample`), the results for the inputs of
//! that model. This is counterexample-guided refinement (Clarke et al. 2003, "Counterexample-guided
//! abstraction refinement for symbolic model checking") with lazy instances of the functions'
//! graphs; the congruences are those of Ackermann.
//!
//! All work is counted in Z3's own unit, so that the clock decides nothing but the end of a run. A
//! query that is not answered soon is given up (`budget`), because properties that hold for any
//! hash show in a few models.
//!
//! Pays on hash tables with keyed hashes, where Z3 alone does a hundred times the work.

use super::encode::{Definition, DefinitionSet, Encoded, Encoder};
use super::incremental::{Encodings, Stacks};
use super::interrupt::{InterruptHandle, end_of_query};
use super::raw::{BackEndFailure, CheckResult, Context, Model, Term};
use super::rough::{MixedLimits, Mixing};
use super::sample::{LISTED, Sampler};
use crate::budget::Budget;
use crate::ledger::{Ledger, Shape};
use crate::stage::{Stage, StageOutcome};
use crate::{Answer, Query};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};
use symex_terms::{Assignment, Expr, Kind, NoAddresses, Pool, Symbol, TermOperand, Width};

/// Number of models refuted before a query is passed on.
const ROUNDS: usize = 64;
/// Numbers of assignments tried near the first model, near each later one, and near the last.
const TRIES: [usize; 3] = [1024, 64, 16_384];
/// Work of the tries before the first model. A place in a table of hashes has some ten bits, and
/// one input in a thousand leads there: that is found sooner than Z3 finds a model.
const FIRST: u64 = 8_000;
/// Number of models after which all values of a term over one small input are asserted.
const PATIENT_ROUNDS: usize = 4;
/// Work limit of one query, in Z3's unit of some 0.2 us: ten times the most that any answered query
/// about the hash maps of std took.
const WORK: u64 = 2_000_000;
/// Work without an answer, less the worth of the answers, after which the stage rests.
const BUDGET: u64 = 3_000_000;
/// Greatest number of open terms of one query for which congruences are asserted.
const MAX_OPEN: usize = 24;
/// Greatest number of operands in which two open terms may differ and still be compared.
const MAX_DIFFERENCES: usize = 16;
/// Greatest number of instances of one open term that later queries get at once.
const MAX_INSTANCES: usize = 64;
/// Number of terms in a context at which a new one is started.
const MAX_TERMS: usize = 300_000;

/// The refinement stage for hashes: see the module.
pub struct Cegar {
    limits: MixedLimits,
    interrupt: InterruptHandle,
    deadline: Option<Instant>,
    timeout: Duration,
    mixing: Mixing,
    own: Option<Own>,
    budget: Budget,
    /// What tries before the first model brought, by the shape of queries.
    ledger: Ledger,
    /// Number of queries for which Z3 was asked.
    asked: u64,
    /// Work of Z3 and of the search for assignments, in Z3's unit.
    work: u64,
}

// SAFETY: the context and its terms are shared (by `Rc`) among the fields of this stage only, so
// they move together; Z3 allows a context to move between threads as long as one thread uses it at
// a time.
unsafe impl Send for Cegar {}

/// Encoder, solvers and lemmas of one context of Z3.
struct Own {
    cx: Rc<Context>,
    encoder: Encoder,
    stacks: Stacks,
    lemmas: Lemmas,
}

/// Lemmas about open terms, which hold in every query.
struct Lemmas {
    cx: Rc<Context>,
    /// Values of an open term's bits for particular inputs.
    instances: FxHashMap<(Expr, u128), Vec<Term>>,
    /// Congruences: equal inputs give two open terms of the same function one value.
    congruences: FxHashMap<(Expr, Expr, u128), Option<Term>>,
}

impl Default for Cegar {
    fn default() -> Self {
        Self::opening(MixedLimits::USUAL)
    }
}

impl Cegar {
    /// Makes the stage with other limits for terms to count as mixed.
    pub fn opening(limits: MixedLimits) -> Self {
        Cegar {
            limits,
            interrupt: InterruptHandle::new(),
            deadline: None,
            timeout: Duration::MAX,
            mixing: Mixing::new(limits),
            own: None,
            budget: Budget::new(WORK, BUDGET),
            ledger: Ledger::default(),
            asked: 0,
            work: 0,
        }
    }

    /// Decides a query, and adds its work to `spent`.
    fn decide(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        open: &[(Expr, u128)],
        spent: &mut u64,
    ) -> Result<Option<Answer>, BackEndFailure> {
        let end = end_of_query(self.timeout, self.deadline);
        if self.interrupt.is_raised() || end <= Instant::now() {
            return Ok(None);
        }
        let full = |own: &Own| own.encoder.len() > MAX_TERMS;
        if self.own.as_ref().is_none_or(full) {
            self.own = Some(Own::new(self.limits)?);
        }
        let Own {
            cx,
            encoder,
            stacks,
            lemmas,
        } = self.own.as_mut().expect("just made");
        encoder.until(end, &self.interrupt);
        let encodings = match Encodings::of(encoder, pool, query.constraints, query.goal) {
            Ok(encodings) => encodings,
            // What cannot be said to Z3 leaves the context as it was.
            Err(failure) if !failure.is_of_z3() => return Ok(None),
            Err(failure) => return Err(failure),
        };
        if encodings.has_float() || encodings.is_heavy(encoder) {
            return Ok(None);
        }
        let known = lemmas.about(encoder, pool, &mut self.mixing, open)?;
        let levels = encodings.constraints.len();
        let logic = logic(encoder, &encodings);
        let laid = self.interrupt.prepared(cx.pointer(), end, || {
            stacks.lay(cx, encoder, &encodings, logic)
        })?;
        let Some(incremental) = laid else {
            self.own = None;
            return Ok(None);
        };
        known.iter().for_each(|t| incremental.solver.assert(*t));
        self.asked += 1;
        let mut done = incremental.solver.work_done()?;
        let mut sampler: Option<Sampler> = None;
        // Open terms of which all values have been said.
        let mut listed: FxHashSet<Expr> = FxHashSet::default();
        let mut answer = None;
        for round in 0..ROUNDS {
            let left = WORK.saturating_sub(*spent) as u32;
            if left == 0 {
                break;
            }
            let check = || incremental.solver.check_within(left);
            let verdict = self.interrupt.during(cx.pointer(), end, check);
            let before = std::mem::replace(&mut done, incremental.solver.work_done()?);
            *spent += u64::from(done.wrapping_sub(before));
            match verdict {
                CheckResult::Unsat => {
                    answer = Some(Answer::Unsat);
                    break;
                }
                CheckResult::Unknown(_) => {
                    // A check that was interrupted may leave its context cancelled for what comes
                    // next.
                    self.own = None;
                    return Ok(None);
                }
                CheckResult::Sat => {}
            }
            let model = incremental.solver.model()?;
            let found = read(encoder, pool, query, &model)?;
            let mut targets = Vec::with_capacity(open.len());
            for (e, bits) in open {
                let term = encoder.encode(pool, *e)?.term;
                let value = model.value(term)?.unwrap_or_default();
                targets.push((*e, *bits, value & bits));
            }
            let tries = match round {
                0 => TRIES[0],
                _ if round + 1 == ROUNDS => TRIES[2],
                _ => TRIES[1],
            };
            let mut satisfied = query.holds(pool, &found).then(|| found.clone());
            if satisfied.is_none() {
                let sampler = sampler.get_or_insert_with(|| Sampler::new(pool, query, open));
                satisfied = sampler.aim(pool, query, &targets, &found);
                satisfied =
                    satisfied.or_else(|| sampler.find(pool, query, &[query.hint, &found], tries));
                *spent += sampler.take_work();
            }
            if let Some(found) = satisfied {
                answer = Some(Answer::Sat(found));
                break;
            }
            for (e, bits) in open {
                let list = round >= PATIENT_ROUNDS && listed.insert(*e);
                for instance in lemmas.instances(encoder, pool, *e, *bits, &found, list)? {
                    incremental.solver.assert(instance);
                }
            }
        }
        incremental.truncate(levels);
        Ok(answer)
    }
}

impl Stage for Cegar {
    fn name(&self) -> &'static str {
        "cegar"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if query.has_base(pool) {
            return StageOutcome::Pass;
        }
        let mut open: Vec<(Expr, u128)> = Vec::new();
        for e in query.constraints.iter().chain([&query.goal]) {
            open.extend(self.mixing.open_parts(pool, *e).iter());
        }
        if open.is_empty() {
            return StageOutcome::Pass;
        }
        open.sort_unstable();
        open.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 |= if same { next.1 } else { 0 };
            same
        });
        let shape = Shape::of(pool, query);
        if let Some(allowance) = self.ledger.allowance(shape, FIRST) {
            let mut sampler = Sampler::new(pool, query, &open);
            let found = sampler.guess(pool, query, allowance);
            let work = sampler.take_work();
            self.work += work;
            self.ledger.settle(shape, work, allowance, found.is_some());
            if let Some(found) = found {
                return StageOutcome::Answer(Answer::Sat(found));
            }
        }
        if !self.budget.admits() {
            return StageOutcome::Pass;
        }
        let mut spent = 0;
        let answer = match self.decide(pool, query, &open, &mut spent) {
            Ok(answer) => answer,
            Err(_) => {
                // The context may be in any state.
                self.own = None;
                None
            }
        };
        self.work += spent;
        self.budget.settle(spent, answer.is_some());
        match answer {
            Some(answer) => StageOutcome::Answer(answer),
            None => StageOutcome::Pass,
        }
    }

    fn asked_solver(&self) -> u64 {
        self.asked
    }

    fn work(&self) -> u64 {
        self.work
    }

    fn bound(&mut self, interrupt: &InterruptHandle, deadline: Option<Instant>, timeout: Duration) {
        self.interrupt = interrupt.clone();
        self.deadline = deadline;
        self.timeout = timeout;
    }

    fn reset(&mut self) {
        self.own = None;
        self.mixing = Mixing::new(self.limits);
        self.budget = Budget::new(WORK, BUDGET);
        self.ledger = Ledger::default();
    }
}

impl Own {
    fn new(limits: MixedLimits) -> Result<Own, BackEndFailure> {
        let cx = Context::new()?;
        Ok(Own {
            encoder: Encoder::rough(cx.clone(), Mixing::new(limits)),
            stacks: Stacks::default(),
            lemmas: Lemmas {
                cx: cx.clone(),
                instances: FxHashMap::default(),
                congruences: FxHashMap::default(),
            },
            cx,
        })
    }
}

impl Lemmas {
    /// Returns the lemmas about open terms: some of their values, and congruences.
    fn about(
        &mut self,
        encoder: &mut Encoder,
        pool: &mut Pool,
        mixing: &mut Mixing,
        open: &[(Expr, u128)],
    ) -> Result<Vec<Term>, BackEndFailure> {
        let mut known = Vec::new();
        for (e, bits) in open {
            known.extend(self.instances.get(&(*e, *bits)).into_iter().flatten());
        }
        let compared = &open[..open.len().min(MAX_OPEN)];
        for (i, a) in compared.iter().enumerate() {
            for b in &compared[i + 1..] {
                let bits = a.1 | b.1;
                known.extend(self.congruence(encoder, pool, mixing, a.0, b.0, bits)?);
            }
        }
        Ok(known)
    }

    fn congruence(
        &mut self,
        encoder: &mut Encoder,
        pool: &mut Pool,
        mixing: &mut Mixing,
        a: Expr,
        b: Expr,
        bits: u128,
    ) -> Result<Option<Term>, BackEndFailure> {
        let key = (a, b, bits);
        if let Some(known) = self.congruences.get(&key) {
            return Ok(*known);
        }
        let mut stated = None;
        if let Some(pairs) = differences(pool, mixing, a, b) {
            let mut same = Vec::with_capacity(pairs.len());
            // What needs definitions would bring arrays into solvers that know none.
            let mut plain = true;
            for (x, y) in pairs {
                let [x, y] = [encoder.encode(pool, x)?, encoder.encode(pool, y)?];
                plain &= [x, y]
                    .iter()
                    .all(|e| e.definitions == DefinitionSet::EMPTY && !e.float);
                same.push(self.cx.eq(x.term, y.term)?);
            }
            if plain {
                let width = pool.width(a);
                let [a, b] = [encoder.encode(pool, a)?.term, encoder.encode(pool, b)?.term];
                let differ = self.cx.not(self.cx.and(&same)?)?;
                stated = Some(self.cx.or(differ, self.agree(a, b, bits, width)?)?);
            }
        }
        self.congruences.insert(key, stated);
        Ok(stated)
    }

    /// Returns the values of an open term for the inputs of an assignment, or for all inputs if
    /// they are few and `list` is set.
    fn instances(
        &mut self,
        encoder: &mut Encoder,
        pool: &mut Pool,
        open: Expr,
        bits: u128,
        inputs: &Assignment,
        list: bool,
    ) -> Result<Vec<Term>, BackEndFailure> {
        let mut vars = Vec::new();
        for symbol in pool.support(open).to_vec() {
            if let Symbol::Var(var) = symbol {
                let term = pool.term_of(var);
                let width = pool.width(term);
                vars.push((var, width, encoder.encode(pool, term)?.term));
            }
        }
        let mut all = vec![inputs.clone()];
        if let [(var, width, _)] = vars[..]
            && width <= LISTED
            && list
        {
            let with = |value| {
                let mut at = inputs.clone();
                at.set(var, value);
                at
            };
            all = (0..1 << width).map(with).collect();
        }
        let mut made = Vec::with_capacity(all.len());
        for at in all {
            let mut same = Vec::with_capacity(vars.len());
            for (var, width, term) in &vars {
                let value = encoder.numeral(*width, at.get(*var))?;
                same.push(self.cx.eq(*term, value)?);
            }
            let value = pool.eval(open, &at, &NoAddresses);
            let width = pool.width(open);
            let value = encoder.numeral(width, value)?;
            let term = encoder.encode(pool, open)?.term;
            let differ = self.cx.not(self.cx.and(&same)?)?;
            made.push(self.cx.or(differ, self.agree(term, value, bits, width)?)?);
        }
        // A whole list makes every query harder; so it is for the one that could not do without.
        let known = self.instances.entry((open, bits)).or_default();
        if made.len() == 1 && known.len() < MAX_INSTANCES {
            known.extend(&made);
        }
        Ok(made)
    }
}

impl Lemmas {
    /// Makes the equation of two terms at the given bits.
    fn agree(&self, a: Term, b: Term, bits: u128, width: Width) -> Result<Term, BackEndFailure> {
        let mut equal = Vec::new();
        let mut lo = 0;
        while bits >> lo != 0 {
            lo += (bits >> lo).trailing_zeros();
            let len = (bits >> lo).trailing_ones();
            if len == width {
                return self.cx.eq(a, b);
            }
            let (a, b) = (self.cx.extract(a, lo, len)?, self.cx.extract(b, lo, len)?);
            equal.push(self.cx.eq(a, b)?);
            lo += len;
            if lo >= width {
                break;
            }
        }
        self.cx.and(&equal)
    }
}

/// Returns the SMT-LIB logic of a query: without arrays where there are none, which is far quicker.
fn logic(encoder: &Encoder, encodings: &Encodings) -> &'static str {
    let has_array = |e: &Encoded| {
        let definitions = encoder.definitions(e.definitions).iter();
        definitions
            .copied()
            .any(|d| matches!(d, Definition::Table(_)))
    };
    match encodings.all().any(|(_, e)| has_array(e)) {
        true => "QF_ABV",
        false => "QF_BV",
    }
}

/// Returns the hint with the model's values for the variables of the query.
fn read(
    encoder: &Encoder,
    pool: &Pool,
    query: &Query,
    model: &Model,
) -> Result<Assignment, BackEndFailure> {
    let mut assignment = query.hint.clone();
    for v in query.vars(pool) {
        if let Some(term) = encoder.variable(v)
            && let Some(value) = model.value(term)?
        {
            assignment.set(v, value);
        }
    }
    Ok(assignment)
}

/// Returns the subterms in which two similar terms differ: if these are equal, so are the terms.
/// `None` if the terms are not similar, or only in that both mix their inputs.
fn differences(pool: &Pool, mixing: &mut Mixing, a: Expr, b: Expr) -> Option<Vec<(Expr, Expr)>> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<(Expr, Expr)> = FxHashSet::default();
    let mut stack = vec![(a, b)];
    while let Some((a, b)) = stack.pop() {
        if a == b || !seen.insert((a, b)) {
            continue;
        }
        if pool.width(a) != pool.width(b) {
            return None;
        }
        match operands_if_alike(pool, a, b) {
            Some(pairs) => stack.extend(pairs),
            None => {
                if found.len() == MAX_DIFFERENCES
                    || [a, b].iter().any(|e| mixing.is_mixed(pool, *e))
                {
                    return None;
                }
                found.push((a, b));
            }
        }
    }
    Some(found)
}

/// Returns the operands of two terms, pairwise, if the terms differ in nothing else.
fn operands_if_alike(pool: &Pool, a: Expr, b: Expr) -> Option<Vec<(Expr, Expr)>> {
    let alike = match (pool.kind(a), pool.kind(b)) {
        (Kind::Un(x, _), Kind::Un(y, _)) => x == y,
        (Kind::Bin(x, ..), Kind::Bin(y, ..)) => x == y,
        (Kind::Extract { lo: x, .. }, Kind::Extract { lo: y, .. }) => x == y,
        (Kind::Concat { .. }, Kind::Concat { .. }) => true,
        (Kind::ZExt(_), Kind::ZExt(_)) => true,
        (Kind::SExt(_), Kind::SExt(_)) => true,
        (Kind::Ite { .. }, Kind::Ite { .. }) => true,
        (Kind::Select { array: x, .. }, Kind::Select { array: y, .. }) => x == y,
        _ => false,
    };
    if !alike {
        return None;
    }
    let [a, b] = [a, b].map(|e| {
        let mut parts = Vec::new();
        pool.operands(e, |part| {
            if let TermOperand::Term(part) = part {
                parts.push(part);
            }
        });
        parts
    });
    Some(a.into_iter().zip(b).collect())
}

#[cfg(test)]
#[path = "cegar_tests.rs"]
mod tests;
