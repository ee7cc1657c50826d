//! Incremental solvers: stacks of constraints that stay from query to query, since paths grow by
//! one constraint at a time.

use super::encode::{Definition, DefinitionSet, Encoded, Encoder};
use super::raw::{BackEndFailure, Context, Fallible, RawSolver, Strategy};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use symex_terms::{Expr, Pool};

/// Number of elements of tables below all levels at which an incremental solver is replaced.
const MAX_BASE: usize = 30_000;
/// Number of incremental solvers of one context. Slices of one path condition have different
/// prefixes.
const SOLVERS: usize = 4;
/// Number of bits of the tables of a query from which an incremental solver takes longer to prepare
/// them than a timeout can be overrun: 2 us or more for each, which nothing interrupts.
const MAX_TABLES: u64 = 1 << 18;

/// A query as Z3 terms.
pub(super) struct Encodings {
    pub constraints: Vec<(Expr, Encoded)>,
    pub goal: (Expr, Encoded),
}

/// The incremental solvers of one context.
#[derive(Default)]
pub(super) struct Stacks {
    solvers: Vec<Incremental>,
    clock: u64,
}

/// A solver with a stack of asserted constraints, one level each.
pub(super) struct Incremental {
    pub solver: RawSolver,
    logic: &'static str,
    stack: Vec<AssertionLevel>,
    /// Definitions asserted at any level.
    definitions: FxHashSet<Definition>,
    /// Number of elements of the tables below all levels.
    base: usize,
    used: u64,
}

struct AssertionLevel {
    constraint: Expr,
    /// Definitions asserted at this level.
    definitions: Vec<Definition>,
}

impl Encodings {
    /// Encodes a query.
    pub fn of(
        encoder: &mut Encoder,
        pool: &Pool,
        constraints: &[Expr],
        goal: Expr,
    ) -> Fallible<Encodings> {
        let mut encoded = Vec::with_capacity(constraints.len());
        for c in constraints {
            encoded.push((*c, encoder.encode(pool, *c)?));
        }
        Ok(Encodings {
            constraints: encoded,
            goal: (goal, encoder.encode(pool, goal)?),
        })
    }

    /// Iterates over constraints and goal.
    pub fn all(&self) -> impl Iterator<Item = &(Expr, Encoded)> {
        self.constraints.iter().chain([&self.goal])
    }

    /// Reports whether an incremental solver would prepare the query for longer than a timeout can
    /// be overrun.
    pub fn is_heavy(&self, encoder: &Encoder) -> bool {
        let bits = |definition: &Definition| encoder.contents(*definition).bits;
        self.all().any(|(_, e)| e.heavy)
            || self.definitions(encoder).iter().map(bits).sum::<u64>() >= MAX_TABLES
    }

    /// Returns the definitions that the query needs, each once, in a fixed order.
    fn definitions(&self, encoder: &Encoder) -> Vec<Definition> {
        let mut all: Vec<Definition> = Vec::new();
        for (_, e) in self.all() {
            if e.definitions != DefinitionSet::EMPTY {
                all.extend(encoder.definitions(e.definitions).iter());
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Reports whether the query contains float arithmetic.
    pub fn has_float(&self) -> bool {
        self.all().any(|(_, e)| e.float)
    }
}

impl Stacks {
    /// Returns the solver of a logic whose stack shares the longest prefix with a query, after
    /// putting the query on its stack: a level for each constraint and one for the goal.
    pub fn lay(
        &mut self,
        cx: &Rc<Context>,
        encoder: &Encoder,
        encodings: &Encodings,
        logic: &'static str,
    ) -> Fallible<&mut Incremental> {
        self.clock += 1;
        let common = |s: &Incremental| {
            s.stack
                .iter()
                .zip(&encodings.constraints)
                .take_while(|(l, c)| l.constraint == c.0)
                .count()
        };
        let fits = |i: &usize| self.solvers[*i].logic == logic;
        let best = (0..self.solvers.len())
            .filter(fits)
            .filter(|i| common(&self.solvers[*i]) > 0)
            .max_by_key(|i| (common(&self.solvers[*i]), self.solvers[*i].used))
            // A stack that is worth nothing here may be worth much to the next query.
            .or_else(|| {
                (0..self.solvers.len())
                    .filter(fits)
                    .find(|i| self.solvers[*i].stack.is_empty())
            });
        let at = match best {
            Some(i) => i,
            None if self.solvers.len() < SOLVERS => {
                self.solvers.push(Incremental::new(cx, logic)?);
                self.solvers.len() - 1
            }
            None => {
                let oldest = (0..self.solvers.len())
                    .min_by_key(|i| self.solvers[*i].used)
                    .expect("there is one");
                if self.solvers[oldest].logic != logic {
                    self.solvers[oldest] = Incremental::new(cx, logic)?;
                }
                oldest
            }
        };
        let s = &mut self.solvers[at];
        s.lay_base(cx, encoder, encodings)?;
        let keep = common(s);
        s.used = self.clock;
        s.truncate(keep);
        for (constraint, encoded) in &encodings.constraints[keep..] {
            s.push(encoder, *constraint, encoded)?;
        }
        s.push(encoder, encodings.goal.0, &encodings.goal.1)?;
        Ok(s)
    }
}

impl Incremental {
    fn new(cx: &Rc<Context>, logic: &'static str) -> Result<Self, BackEndFailure> {
        Ok(Incremental {
            solver: RawSolver::new(cx, Strategy::Logic(logic))?,
            logic,
            stack: Vec::new(),
            definitions: FxHashSet::default(),
            base: 0,
            used: 0,
        })
    }

    /// Asserts the contents of constant tables below all levels, where they stay: asserting them
    /// costs more than most queries, and they come back in the next one. Contents that are terms
    /// belong to one path and stay with the constraint that needs them.
    fn lay_base(
        &mut self,
        cx: &Rc<Context>,
        encoder: &Encoder,
        encodings: &Encodings,
    ) -> Result<(), BackEndFailure> {
        let mut missing = encodings.definitions(encoder);
        missing.retain(|d| !self.definitions.contains(d) && encoder.contents(*d).fixed);
        if missing.is_empty() {
            return Ok(());
        }
        self.truncate(0);
        let len: usize = missing.iter().map(|t| encoder.contents(*t).len).sum();
        if self.base > 0 && self.base + len > MAX_BASE {
            *self = Incremental::new(cx, self.logic)?;
        }
        self.base += len;
        for table in missing {
            self.solver.assert(encoder.contents(table).term);
            self.definitions.insert(table);
        }
        Ok(())
    }

    fn push(
        &mut self,
        encoder: &Encoder,
        constraint: Expr,
        encoded: &Encoded,
    ) -> Result<(), BackEndFailure> {
        self.solver.push();
        let mut definitions = Vec::new();
        if encoded.definitions != DefinitionSet::EMPTY {
            for definition in encoder.definitions(encoded.definitions).iter() {
                if self.definitions.insert(*definition) {
                    definitions.push(*definition);
                    self.solver.assert(encoder.contents(*definition).term);
                    for link in encoder.links(*definition, &self.definitions)? {
                        self.solver.assert(link);
                    }
                }
            }
        }
        self.solver.assert(encoded.term);
        self.stack.push(AssertionLevel {
            constraint,
            definitions,
        });
        Ok(())
    }

    /// Pops all levels but the lowest `levels`.
    pub fn truncate(&mut self, levels: usize) {
        let gone = self.stack.len().saturating_sub(levels);
        self.solver.pop(gone as u32);
        for level in self.stack.drain(levels.min(self.stack.len())..) {
            for definition in level.definitions {
                self.definitions.remove(&definition);
            }
        }
    }
}
