//! Applications of functions that no term expresses, such as the sine of an input.
//!
//! The result is a variable, of which a path knows what is true of any result of the function. So
//! a path may have assignments that no input gives. Before anything is told of its inputs, it is
//! given one that the function itself agrees with: operands are pinned to the values of an
//! assignment, and the result to what the function makes of them. Where that contradicts the path,
//! the path learns it as a fact, and another assignment is tried. Passes are sound, as the paths
//! stand for all inputs and more, and so are findings, each of which is checked.

use crate::exec::Executor;
use crate::state::State;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;
use std::sync::Arc;
use symex_solver::{Answer, Purpose};
use symex_terms::{Assignment, Expr, Kind, Origin, Pool, VarInfo, Width};
use symex_types::outcome::Unsupported;

/// Number of assignments of a path that are tried.
const TRIES: usize = 24;

/// Computes a function, by its name and the words of its operands; `None` if it cannot.
pub type Compute = fn(name: &str, width: Width, operands: &[u128]) -> Option<u128>;

/// Makes a condition of terms: the operands and the result of a function.
type Property = fn(&mut Pool, name: &str, operands: &[Expr], result: Expr) -> Expr;

/// Claim that a function has a result for some operands.
pub struct Claim {
    pub operands: SmallVec<[u128; 2]>,
    pub result: u128,
}

/// A library of functions of one kind.
pub struct Library {
    pub compute: Compute,
    /// Condition that any result fulfils.
    pub known: Property,
    /// Condition that any result fulfils, of what the function is for the operands of a claim, and
    /// for others for which it is not what is claimed either.
    pub near: fn(&mut Pool, &str, &[Expr], Expr, &Claim) -> Expr,
    /// Operands that are worth a try.
    pub simple: fn(Width) -> Vec<u128>,
}

/// Operands of an application.
pub type Operands = SmallVec<[Expr; 2]>;

/// Application of a function.
#[derive(Clone)]
struct Application {
    name: Arc<str>,
    operands: Operands,
    result: Expr,
    library: &'static Library,
}

/// All applications of a run. Sibling paths share the results of equal ones.
#[derive(Default)]
pub(in crate::exec) struct Applications {
    all: Vec<Application>,
    numbers: FxHashMap<(Arc<str>, Operands), u32>,
}

/// Answer to whether some input takes a path.
#[derive(PartialEq, Eq, Debug)]
pub(in crate::exec) enum Realised {
    /// The path's assignment is one that the functions agree with.
    Yes,
    /// No input takes the path.
    Never,
    /// Not known, because of this function.
    Unknown(Arc<str>),
}

/// Outcome of an attempt to make a path's assignment one that the functions agree with.
enum Agreement {
    Reached,
    /// The path does not allow what this application comes to under its assignment.
    Refuted {
        application: usize,
        /// What is true of the functions, wherever they are applied.
        facts: Expr,
    },
}

/// Makes the unsupported use of a function whose operands depend on inputs.
pub fn of_symbolic_value(function: &str) -> Unsupported {
    Unsupported::Model(format!("{function} of a symbolic value"))
}

impl Executor<'_> {
    /// Returns the result of a library's function of operands that depend on inputs. It is as wide
    /// as the first of them. `None` if the library cannot compute the function.
    pub fn apply(
        &mut self,
        st: &mut State,
        name: &str,
        operands: &[Expr],
        library: &'static Library,
    ) -> Option<Expr> {
        let width = self.pool.width(*operands.first()?);
        let words = self.words(st, operands);
        let value = (library.compute)(name, width, &words)?;
        let key = (Arc::from(name), Operands::from_slice(operands));
        let number = match self.applications.numbers.get(&key) {
            Some(number) => *number,
            None => {
                let number = self.applications.all.len() as u32;
                let origin = Origin::Result { number };
                let name = key.0.clone();
                let result = self.pool.var(VarInfo {
                    name,
                    width,
                    origin,
                });
                self.applications.all.push(Application {
                    name: key.0.clone(),
                    operands: key.1.clone(),
                    result,
                    library,
                });
                self.applications.numbers.insert(key, number);
                number
            }
        };
        let result = self.applications.all[number as usize].result;
        if let Err(place) = st.applied.binary_search(&number) {
            Rc::make_mut(&mut st.applied).insert(place, number);
            if let Kind::Var(var) = self.pool.kind(result) {
                st.assignment.set(var, value);
                st.decisions.note_application(st.steps, var);
            }
            let known = (library.known)(&mut self.pool, name, operands, result);
            // A library of mathematics need not keep to what mathematics says.
            if self.pool.eval(known, &st.assignment, &st.memory) == 1 {
                self.narrow(st, known, None);
            }
        }
        Some(result)
    }

    /// Returns the values of terms under a path's assignment.
    fn words(&mut self, st: &State, terms: &[Expr]) -> SmallVec<[u128; 2]> {
        let words = terms.iter();
        words
            .map(|e| self.pool.eval(*e, &st.assignment, &st.memory))
            .collect()
    }

    /// Gives a path an assignment with which the functions that it has applied have their own
    /// results, and pins the operands to it.
    pub(in crate::exec) fn realise(&mut self, st: &mut State) -> Realised {
        let mut wrong = 0;
        for _ in 0..TRIES {
            if self.queries.out_of_time() {
                break;
            }
            let facts = match self.agree(st) {
                Agreement::Reached => return Realised::Yes,
                Agreement::Refuted { application, facts } => {
                    wrong = application;
                    facts
                }
            };
            match self.ask_of(st, facts) {
                Answer::Sat(assignment) => self.narrow(st, facts, Some(assignment)),
                Answer::Unsat => return Realised::Never,
                Answer::Unknown(_) => break,
            }
        }
        let Application {
            name,
            operands,
            library,
            ..
        } = self.applications.all[wrong].clone();
        let width = self.pool.width(operands[0]);
        for word in (library.simple)(width) {
            let word = self.pool.constant(width, word);
            let this = self.pool.eq(operands[0], word);
            if let Answer::Sat(assignment) = self.ask_of(st, this) {
                let mut trial = st.clone();
                self.narrow(&mut trial, this, Some(assignment));
                if let Agreement::Reached = self.agree(&mut trial) {
                    *st = trial;
                    return Realised::Yes;
                }
            }
        }
        Realised::Unknown(name)
    }

    /// Pins operands to their values under a path's assignment, and results to what the functions
    /// make of them, one application after another. The path is left as it is where that fails.
    fn agree(&mut self, st: &mut State) -> Agreement {
        let mut trial = st.clone();
        let mut facts = self.pool.bool(true);
        for &number in st.applied.clone().iter() {
            let application = number as usize;
            let Application {
                name,
                operands,
                result,
                library,
            } = self.applications.all[application].clone();
            let claim = Claim {
                operands: self.words(&trial, &operands),
                result: self.words(&trial, &[result])[0],
            };
            let pool = &mut self.pool;
            let width = pool.width(result);
            let value = (library.compute)(&name, width, &claim.operands);
            let value = value.expect("a function that was computed before");
            let mut here = pool.bool(true);
            for (operand, word) in operands.iter().zip(&claim.operands) {
                let word = pool.constant(pool.width(*operand), *word);
                let same = pool.eq(*operand, word);
                here = pool.and(here, same);
            }
            let value = pool.constant(width, value);
            let right = pool.eq(result, value);
            let elsewhere = pool.not(here);
            let fact = pool.or(elsewhere, right);
            let near = (library.near)(pool, &name, &operands, result, &claim);
            facts = [fact, near].iter().fold(facts, |all, e| pool.and(all, *e));
            let both = pool.and(here, right);
            if pool.eval(both, &trial.assignment, &trial.memory) == 1 {
                self.narrow(&mut trial, both, None);
            } else if let Answer::Sat(assignment) = self.ask_of(&trial, both) {
                self.narrow(&mut trial, both, Some(assignment));
            } else {
                return Agreement::Refuted { application, facts };
            }
        }
        *st = trial;
        Agreement::Reached
    }

    /// Reports whether some input takes a path to where a condition holds, given an assignment
    /// under which it does. Where that is not known, the path has met something unsupported.
    pub fn is_real(&mut self, st: &State, holds: Expr, assignment: Assignment) -> bool {
        if st.applied.is_empty() {
            return true;
        }
        let mut trial = st.clone();
        self.narrow(&mut trial, holds, Some(assignment));
        match self.realise(&mut trial) {
            Realised::Yes => true,
            Realised::Never => false,
            Realised::Unknown(function) => {
                let unsupported = of_symbolic_value(&function);
                self.outcomes.unsupported(st, unsupported);
                false
            }
        }
    }

    fn ask_of(&mut self, st: &State, goal: Expr) -> Answer {
        self.queries
            .quickly_ask(&mut self.pool, st, goal, Purpose::Check)
    }
}
