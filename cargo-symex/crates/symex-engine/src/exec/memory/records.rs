//! Accesses where memory is represented by records [SOP 3]: a write at a non-constant address is
//! one record; a read asks which records may collide with it on the path before it makes
//! if-then-elses of them.

use crate::exec::Executor;
use crate::exec::memory::resolve::Several;
use crate::state::State;
use rustc_hash::FxHashMap;
use std::time::Instant;
use symex_memory::{AccessSite, Checked, Pointer, Reading};
use symex_solver::{Answer, Purpose};
use symex_terms::{Expr, Value, Width};

/// Greatest number of answers kept for one collision formula.
const ANSWERS: usize = 8;

/// Cache of answers to collision formulae, in front of the solver. It belongs to an executor and
/// not to a path: an `Unsat` also holds under further conditions, a `Sat` under fewer.
#[derive(Default)]
pub(in crate::exec) struct CollisionCache(FxHashMap<Expr, Vec<KnownCollision>>);

struct KnownCollision {
    /// Conjuncts of the path condition relevant to the formula, ascending.
    conditions: Box<[Expr]>,
    possible: bool,
}

/// Reports whether `few` is a subset of `many`. Both are ascending.
fn is_subset(few: &[Expr], many: &[Expr]) -> bool {
    let mut rest = many.iter();
    few.iter().all(|e| rest.any(|other| other == e))
}

impl CollisionCache {
    fn find(&self, formula: Expr, conditions: &[Expr]) -> Option<bool> {
        let implies = |known: &&KnownCollision| match known.possible {
            true => is_subset(conditions, &known.conditions),
            false => is_subset(&known.conditions, conditions),
        };
        let known = self.0.get(&formula)?.iter().find(implies)?;
        Some(known.possible)
    }

    fn keep(&mut self, formula: Expr, conditions: Vec<Expr>, possible: bool) {
        let answers = self.0.entry(formula).or_default();
        if answers.len() == ANSWERS {
            answers.remove(0);
        }
        answers.push(KnownCollision {
            conditions: conditions.into(),
            possible,
        });
    }
}

impl Executor<'_> {
    fn sites(&mut self, st: &State, places: &[(Expr, Checked)]) -> Vec<AccessSite> {
        let site = |(guard, at): &(Expr, Checked)| AccessSite {
            guard: *guard,
            object: at.object,
            offset: self.term(st, at.offset, 64),
        };
        places.iter().map(site).collect()
    }

    /// Loads through one access that has been checked.
    pub(in crate::exec) fn load_recorded(
        &mut self,
        st: &mut State,
        at: Checked,
        width: Width,
    ) -> Value {
        let always = self.pool.bool(true);
        self.load_from_records(st, &[(always, at)], None, width)
    }

    /// Loads from the place that the inputs select.
    pub(in crate::exec) fn load_any_recorded(
        &mut self,
        st: &mut State,
        several: &Several,
        places: &[(Expr, Checked)],
        width: Width,
    ) -> Value {
        if let [(_, only)] = places {
            return self.load_checked(st, *only, width);
        }
        let pointer = pointer_of(several);
        self.load_from_records(st, places, Some(pointer), width)
    }

    fn load_from_records(
        &mut self,
        st: &mut State,
        places: &[(Expr, Checked)],
        pointer: Option<Pointer>,
        width: Width,
    ) -> Value {
        if places.is_empty() {
            return Value::Undef;
        }
        let begin = Instant::now();
        let sites = self.sites(st, places);
        let mut reading = st
            .memory
            .find_records(&mut self.pool, &sites, pointer, width);
        let beyond = reading.is_beyond_maps();
        if beyond && !st.memory.keeps_all_records() {
            self.rule_out(st, &mut reading);
        }
        let loaded = st.memory.value_of_reading(&mut self.pool, reading);
        let counts = &mut self.outcomes.stats.memory.records;
        match beyond {
            true => {
                counts.list_reads += 1;
                counts.list_read_seconds += begin.elapsed().as_secs_f64();
            }
            false => counts.map_reads += 1,
        }
        self.written_or_exact(st, loaded)
    }

    /// Removes the records that cannot collide on the path.
    fn rule_out(&mut self, st: &mut State, reading: &mut Reading) {
        for (record, formula) in reading.open(&mut self.pool) {
            if !st.memory.is_worth_asking() {
                self.outcomes.stats.memory.records.not_asked += 1;
                continue;
            }
            let may = self.may_collide(st, formula);
            st.memory.asked(!may);
            if !may {
                reading.rule_out(record);
                self.outcomes.stats.memory.records.ruled_out += 1;
            }
        }
    }

    /// Reports whether a collision formula may hold on the path. If the answer is not known, it may
    /// [SOP 3].
    fn may_collide(&mut self, st: &State, formula: Expr) -> bool {
        let holds = self.pool.eval(formula, &st.assignment, &st.memory) == 1;
        if holds || !self.queries.looks_around() {
            self.outcomes.stats.memory.records.witnessed += u64::from(holds);
            return true;
        }
        let mut conditions = st.condition.slice(&self.pool, formula);
        conditions.sort_unstable();
        let (pool, queries) = (&mut self.pool, &mut self.queries);
        let (collisions, counts) = (
            &mut self.collisions,
            &mut self.outcomes.stats.memory.records,
        );
        // A path that is run once more may find other answers in the cache.
        let answer = queries.decided(pool, st, None, |queries, pool| {
            match collisions.find(formula, &conditions) {
                Some(possible) => {
                    counts.cache_hits += 1;
                    match possible {
                        true => Answer::Sat(st.assignment.clone()),
                        false => Answer::Unsat,
                    }
                }
                None => {
                    let begin = Instant::now();
                    let purpose = Purpose::Collision;
                    let answer =
                        queries.quickly(st, |mut ask| ask.may_be_true(pool, formula, purpose));
                    counts.cache_misses += 1;
                    counts.query_seconds += begin.elapsed().as_secs_f64();
                    let possible = !matches!(answer, Answer::Unsat);
                    if !matches!(answer, Answer::Unknown(_)) {
                        collisions.keep(formula, conditions, possible);
                    }
                    answer
                }
            }
        });
        !matches!(answer, Answer::Unsat)
    }

    /// Stores through one access that has been checked.
    pub(in crate::exec) fn store_recorded(
        &mut self,
        st: &mut State,
        at: Checked,
        width: Width,
        value: Value,
    ) {
        let always = self.pool.bool(true);
        self.store_in_records(st, &[(always, at)], None, width, value);
    }

    /// Stores to the place that the inputs select.
    pub(in crate::exec) fn store_any_recorded(
        &mut self,
        st: &mut State,
        several: &Several,
        places: &[(Expr, Checked)],
        width: Width,
        value: Value,
    ) {
        if let [(_, only)] = places {
            return self.store_checked(st, *only, width, value);
        }
        let pointer = pointer_of(several);
        self.store_in_records(st, places, Some(pointer), width, value);
    }

    fn store_in_records(
        &mut self,
        st: &mut State,
        places: &[(Expr, Checked)],
        pointer: Option<Pointer>,
        width: Width,
        value: Value,
    ) {
        let begin = Instant::now();
        let sites = self.sites(st, places);
        st.memory
            .record(&mut self.pool, &sites, pointer, width, value);
        let counts = &mut self.outcomes.stats.memory.records;
        counts.list_writes += 1;
        counts.entries += sites.len() as u64;
        counts.list_write_seconds += begin.elapsed().as_secs_f64();
    }
}

fn pointer_of(several: &Several) -> Pointer {
    Pointer {
        choice: several.choice,
        rest: several.rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_terms::Pool;

    #[test]
    fn answers_hold_under_more_conditions_or_fewer() {
        let pool = &mut Pool::new();
        let terms: Vec<Expr> = (0..4).map(|i| pool.constant(8, i)).collect();
        let (formula, other) = (terms[0], terms[1]);
        let (few, many) = (vec![terms[2]], vec![terms[2], terms[3]]);
        let mut cache = CollisionCache::default();
        cache.keep(formula, few.clone(), false);
        assert_eq!(cache.find(formula, &few), Some(false));
        assert_eq!(cache.find(formula, &many), Some(false));
        assert_eq!(cache.find(formula, &[]), None);
        assert_eq!(cache.find(other, &few), None);
        cache.keep(other, many.clone(), true);
        assert_eq!(cache.find(other, &few), Some(true));
        assert_eq!(cache.find(other, &[]), Some(true));
        assert_eq!(cache.find(other, &terms), None);
    }
}
