//! A thin wrapper that owns Z3's objects: the context, its terms, its solvers, its models.
//!
//! The `z3` crate owns the configuration, the context, the solvers with their parameters, the
//! models, and the reference count of every term. Three things are below it, through `z3-sys`:
//! making terms (the crate's constructors take the context from a thread-local and panic on a term
//! that Z3 refuses, out of memory being one reason), reading Z3's error code and memory, and the
//! interrupt (the crate's handle borrows the context, ours must outlive it).
//!
//! Invariant: every term handed out has been retained, and lives as long as its context. No call
//! aborts: Z3's error code becomes a [`BackEndFailure`], and so does a panic of the crate. What
//! terms mean is in `encode`.

use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use z3::ast::{Ast, Bool, Dynamic};
use z3::{Config, Params, SatResult, StatisticsValue, Tactic};
use z3_sys::*;

/// An integer beside Z3: wide enough for the product of two numbers of 64 bits, or of one of 128
/// bits and another.
pub(super) type Int = ethnum::I256;

/// Reason why Z3 (or the encoding) could not do something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BackEndFailure(pub String);

impl BackEndFailure {
    /// Reports whether Z3 failed; else the encoding has no word for something.
    pub fn is_of_z3(&self) -> bool {
        self.0.starts_with("Z3")
    }
}

/// A term of one context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Term(Z3_ast);

/// A sort of one context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sort(Z3_sort);

/// Result of a check of the assertions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum CheckResult {
    Sat,
    Unsat,
    Unknown(String),
}

/// The tactics of [`Strategy::Kernel`], one after another.
const KERNEL: [&str; 5] = [
    "simplify",
    "propagate-values",
    "solve-eqs",
    "elim-uncnstr",
    "smt",
];

pub(super) type Fallible<T> = Result<T, BackEndFailure>;
type Unary = unsafe extern "C" fn(Z3_context, Z3_ast) -> Option<Z3_ast>;
type Binary = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast) -> Option<Z3_ast>;

/// A Z3 context. Neither it nor its objects may be used by two threads at a time.
pub(super) struct Context {
    raw: Z3_context,
    /// All retained terms, in order. Z3 takes time quadratic in the depth of terms to free a
    /// context that still contains some.
    retained: RefCell<Vec<Dynamic>>,
    inner: z3::Context,
}

/// Wrapper that carries values in and out of the crate's closures, which require `Send` and `Sync`
/// so that objects of two contexts do not mix.
struct Confined<T>(T);

// SAFETY: the closures are run at once on the calling thread, so that nothing crosses threads.
unsafe impl<T> Send for Confined<T> {}
// SAFETY: the same.
unsafe impl<T> Sync for Confined<T> {}

impl<T> Confined<T> {
    /// Unwraps the value. Being a method, it makes a closure capture the whole, and not the field
    /// that is neither `Send` nor `Sync`.
    fn take(self) -> T {
        self.0
    }
}

/// Runs code of the `z3` crate that may panic.
fn guarded<T>(run: impl FnOnce() -> T) -> Fallible<T> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|_| BackEndFailure("Z3 refused an object".into()))
}

impl Context {
    /// Makes a context with models on and every seed at its default, which is fixed.
    pub fn new() -> Fallible<Rc<Context>> {
        let inner = guarded(|| {
            let mut config = Config::new();
            config.set_model_generation(true);
            z3::with_z3_config(&config, || Confined(z3::Context::thread_local())).take()
        })?;
        Ok(Rc::new(Context {
            raw: inner.get_z3_context(),
            retained: RefCell::default(),
            inner,
        }))
    }

    /// Runs a constructor of the `z3` crate that takes the context from the thread.
    fn within<T>(&self, make: impl FnOnce() -> T) -> Fallible<T> {
        let make = Confined(make);
        guarded(|| {
            z3::with_z3_context(&self.inner, move || {
                // Caught in here, so that the thread gets its own context back.
                Confined(guarded(make.take()))
            })
            .take()
        })?
    }

    /// Returns the raw context, for the interrupt handle alone.
    pub fn pointer(&self) -> Z3_context {
        self.raw
    }

    fn failure(&self) -> BackEndFailure {
        // SAFETY: the message is a C string owned by the context, copied at once.
        unsafe {
            let code = Z3_get_error_code(self.raw);
            let text = Z3_get_error_msg(self.raw, code);
            let text = if text.is_null() {
                "no message".into()
            } else {
                CStr::from_ptr(text).to_string_lossy()
            };
            BackEndFailure(format!("Z3: {text}"))
        }
    }

    fn keep(&self, ast: Option<Z3_ast>) -> Fallible<Term> {
        let ast = ast.ok_or_else(|| self.failure())?;
        // SAFETY: `ast` was just made by this context; wrapping retains it.
        let owner = unsafe { Dynamic::wrap(&self.inner, ast) };
        self.retained.borrow_mut().push(owner);
        Ok(Term(ast))
    }

    fn keep_sort(&self, sort: Option<Z3_sort>) -> Fallible<Sort> {
        let sort = sort.ok_or_else(|| self.failure())?;
        // SAFETY: `sort` was just made by this context; the cast does not allocate.
        let ast = unsafe { Z3_sort_to_ast(self.raw, sort) };
        self.keep(ast)?;
        Ok(Sort(sort))
    }

    pub fn bool_sort(&self) -> Fallible<Sort> {
        // SAFETY: here and below, arguments are of this context.
        self.keep_sort(unsafe { Z3_mk_bool_sort(self.raw) })
    }

    pub fn bv_sort(&self, width: u32) -> Fallible<Sort> {
        self.keep_sort(unsafe { Z3_mk_bv_sort(self.raw, width) })
    }

    pub fn int_sort(&self) -> Fallible<Sort> {
        self.keep_sort(unsafe { Z3_mk_int_sort(self.raw) })
    }

    pub fn array_sort(&self, index: Sort, element: Sort) -> Fallible<Sort> {
        self.keep_sort(unsafe { Z3_mk_array_sort(self.raw, index.0, element.0) })
    }

    pub fn float_sort(&self, exponent: u32, significand: u32) -> Fallible<Sort> {
        self.keep_sort(unsafe { Z3_mk_fpa_sort(self.raw, exponent, significand) })
    }

    pub fn constant(&self, name: &str, sort: Sort) -> Fallible<Term> {
        let name =
            CString::new(name).map_err(|_| BackEndFailure("a name holds a zero byte".into()))?;
        unsafe {
            let symbol =
                Z3_mk_string_symbol(self.raw, name.as_ptr()).ok_or_else(|| self.failure())?;
            self.keep(Z3_mk_const(self.raw, symbol, sort.0))
        }
    }

    pub fn truth(&self, value: bool) -> Fallible<Term> {
        self.keep(unsafe {
            if value {
                Z3_mk_true(self.raw)
            } else {
                Z3_mk_false(self.raw)
            }
        })
    }

    pub fn numeral(&self, value: u128, sort: Sort) -> Fallible<Term> {
        if let Ok(v) = u64::try_from(value) {
            return self.keep(unsafe { Z3_mk_unsigned_int64(self.raw, v, sort.0) });
        }
        let text = CString::new(value.to_string()).expect("digits");
        self.keep(unsafe { Z3_mk_numeral(self.raw, text.as_ptr(), sort.0) })
    }

    /// Makes a number of the sort of all integers.
    pub fn integer(&self, value: Int, sort: Sort) -> Fallible<Term> {
        let text = CString::new(value.to_string()).expect("digits");
        self.keep(unsafe { Z3_mk_numeral(self.raw, text.as_ptr(), sort.0) })
    }

    pub fn int_sum(&self, a: Term, b: Term) -> Fallible<Term> {
        let raw = [a.0, b.0];
        self.keep(unsafe { Z3_mk_add(self.raw, 2, raw.as_ptr()) })
    }

    pub fn int_difference(&self, a: Term, b: Term) -> Fallible<Term> {
        let raw = [a.0, b.0];
        self.keep(unsafe { Z3_mk_sub(self.raw, 2, raw.as_ptr()) })
    }

    pub fn int_product(&self, a: Term, b: Term) -> Fallible<Term> {
        let raw = [a.0, b.0];
        self.keep(unsafe { Z3_mk_mul(self.raw, 2, raw.as_ptr()) })
    }

    /// Returns the hash by which Z3 keeps a term in its table of all.
    #[cfg(test)]
    pub fn hash(&self, a: Term) -> u32 {
        unsafe { Z3_get_ast_hash(self.raw, a.0) }
    }

    pub fn unary(&self, make: Unary, a: Term) -> Fallible<Term> {
        self.keep(unsafe { make(self.raw, a.0) })
    }

    pub fn binary(&self, make: Binary, a: Term, b: Term) -> Fallible<Term> {
        self.keep(unsafe { make(self.raw, a.0, b.0) })
    }

    pub fn and(&self, parts: &[Term]) -> Fallible<Term> {
        // SAFETY: `Term` is a transparent handle, collected so as not to depend on its layout.
        let raw: Vec<Z3_ast> = parts.iter().map(|t| t.0).collect();
        self.keep(unsafe { Z3_mk_and(self.raw, raw.len() as u32, raw.as_ptr()) })
    }

    pub fn or(&self, a: Term, b: Term) -> Fallible<Term> {
        let raw = [a.0, b.0];
        self.keep(unsafe { Z3_mk_or(self.raw, 2, raw.as_ptr()) })
    }

    pub fn not(&self, a: Term) -> Fallible<Term> {
        self.unary(Z3_mk_not, a)
    }

    pub fn eq(&self, a: Term, b: Term) -> Fallible<Term> {
        self.binary(Z3_mk_eq, a, b)
    }

    pub fn ite(&self, cond: Term, then: Term, other: Term) -> Fallible<Term> {
        self.keep(unsafe { Z3_mk_ite(self.raw, cond.0, then.0, other.0) })
    }

    pub fn extract(&self, a: Term, lo: u32, width: u32) -> Fallible<Term> {
        self.keep(unsafe { Z3_mk_extract(self.raw, lo + width - 1, lo, a.0) })
    }

    pub fn zero_extend(&self, a: Term, by: u32) -> Fallible<Term> {
        if by == 0 {
            Ok(a)
        } else {
            self.keep(unsafe { Z3_mk_zero_ext(self.raw, by, a.0) })
        }
    }

    pub fn sign_extend(&self, a: Term, by: u32) -> Fallible<Term> {
        if by == 0 {
            Ok(a)
        } else {
            self.keep(unsafe { Z3_mk_sign_ext(self.raw, by, a.0) })
        }
    }

    pub fn store(&self, array: Term, index: Term, value: Term) -> Fallible<Term> {
        self.keep(unsafe { Z3_mk_store(self.raw, array.0, index.0, value.0) })
    }

    /// Makes the condition that the unsigned product of two terms does not overflow.
    pub fn unsigned_product_fits(&self, a: Term, b: Term) -> Fallible<Term> {
        self.keep(unsafe { Z3_mk_bvmul_no_overflow(self.raw, a.0, b.0, false) })
    }

    /// Makes a rounding mode.
    pub fn rounding(
        &self,
        make: unsafe extern "C" fn(Z3_context) -> Option<Z3_ast>,
    ) -> Fallible<Term> {
        self.keep(unsafe { make(self.raw) })
    }

    /// Makes the float given by the bits of a term.
    pub fn float_of_bits(&self, bits: Term, sort: Sort) -> Fallible<Term> {
        self.keep(unsafe { Z3_mk_fpa_to_fp_bv(self.raw, bits.0, sort.0) })
    }

    /// Converts a float or an integer to a float of a sort.
    pub fn to_float(
        &self,
        make: unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_sort) -> Option<Z3_ast>,
        rounding: Term,
        a: Term,
        sort: Sort,
    ) -> Fallible<Term> {
        self.keep(unsafe { make(self.raw, rounding.0, a.0, sort.0) })
    }

    /// Converts a float to an integer of a width.
    pub fn to_integer(
        &self,
        make: unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, u32) -> Option<Z3_ast>,
        rounding: Term,
        a: Term,
        width: u32,
    ) -> Fallible<Term> {
        self.keep(unsafe { make(self.raw, rounding.0, a.0, width) })
    }

    /// Makes a rounded operation of two floats.
    pub fn rounded(
        &self,
        make: unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_ast) -> Option<Z3_ast>,
        rounding: Term,
        a: Term,
        b: Term,
    ) -> Fallible<Term> {
        self.keep(unsafe { make(self.raw, rounding.0, a.0, b.0) })
    }

    pub fn float_fma(&self, rounding: Term, a: Term, b: Term, c: Term) -> Fallible<Term> {
        self.keep(unsafe { Z3_mk_fpa_fma(self.raw, rounding.0, a.0, b.0, c.0) })
    }

    /// Prints the conjunction as SMT-LIB.
    pub fn smtlib(&self, assertions: &[Term]) -> Fallible<String> {
        let formula = self.truth(true)?;
        let raw: Vec<Z3_ast> = assertions.iter().map(|t| t.0).collect();
        // SAFETY: the strings live through the call; the result is owned by the context and copied
        // at once.
        unsafe {
            let text = Z3_benchmark_to_smtlib_string(
                self.raw,
                c"query".as_ptr(),
                c"ALL".as_ptr(),
                c"unknown".as_ptr(),
                c"".as_ptr(),
                raw.len() as u32,
                raw.as_ptr(),
                formula.0,
            );
            if text.is_null() {
                Err(self.failure())
            } else {
                Ok(CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // The newest first, so that each is freed for itself and not in a deep recursion.
        while self.retained.get_mut().pop().is_some() {}
    }
}

/// Returns the bytes that Z3 has allocated, in all contexts of the process together.
pub(super) fn allocated() -> u64 {
    // SAFETY: it reads a counter.
    unsafe { Z3_get_estimated_alloc_size() }
}

/// Solving strategy of a solver. None of these sets timers, see `interrupt`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Strategy {
    /// Z3's strategy for a logic, given by its SMT-LIB name.
    Logic(&'static str),
    /// Z3's choice by the assertions. Not for integers: for them it sets timers within timers.
    Choose,
    /// Solving equations first, then the SMT kernel.
    Kernel,
}

/// A Z3 solver: a stack of assertions.
pub(super) struct RawSolver {
    cx: Rc<Context>,
    inner: z3::Solver,
}

impl RawSolver {
    /// Makes a solver without assertions.
    pub fn new(cx: &Rc<Context>, strategy: Strategy) -> Fallible<RawSolver> {
        let inner = cx.within(|| {
            let solver = match strategy {
                Strategy::Logic(name) => z3::Solver::new_for_logic(name)?,
                Strategy::Choose => z3::Solver::new(),
                Strategy::Kernel => KERNEL
                    .iter()
                    .map(|name| Tactic::new(name))
                    .reduce(|first, then| first.and_then(&then))?
                    .solver(),
            };
            let mut params = Params::new();
            // Else each check puts its own handler for SIGINT in place of the process's, and a
            // Ctrl-C in the middle of a check ends that check only.
            params.set_bool("ctrl_c", false);
            solver.set_params(&params);
            Some(solver)
        })?;
        Ok(RawSolver {
            cx: cx.clone(),
            inner: inner.ok_or_else(|| cx.failure())?,
        })
    }

    pub fn push(&self) {
        self.inner.push();
    }

    pub fn pop(&self, levels: u32) {
        if levels > 0 {
            self.inner.pop(levels);
        }
    }

    /// Asserts a Boolean term.
    pub fn assert(&self, term: Term) {
        // SAFETY: the term is of this context, which retains it.
        self.inner
            .assert(unsafe { Bool::wrap(&self.cx.inner, term.0) });
    }

    /// Checks the assertions. It is ended early by `interrupt`.
    pub fn check(&self) -> CheckResult {
        match self.inner.check() {
            SatResult::Sat => CheckResult::Sat,
            SatResult::Unsat => CheckResult::Unsat,
            SatResult::Unknown => CheckResult::Unknown(
                self.inner
                    .get_reason_unknown()
                    .unwrap_or_else(|| "no reason".into()),
            ),
        }
    }

    /// Checks the assertions with a limit on the work, in Z3's unit.
    pub fn check_within(&self, work: u32) -> CheckResult {
        let mut params = Params::new();
        params.set_u32("rlimit", work);
        self.inner.set_params(&params);
        self.check()
    }

    /// Returns the work of Z3 in this context so far, in its own unit, modulo a power of two.
    pub fn work_done(&self) -> Fallible<u32> {
        let count = guarded(|| self.inner.get_statistics().value("rlimit count"))?;
        match count {
            Some(StatisticsValue::UInt(count)) => Ok(count),
            _ => Err(BackEndFailure("Z3 does not count its work".into())),
        }
    }

    /// Returns [`RawSolver::work_done`] if `asked_for`, and otherwise 0: reading the statistics
    /// costs as much as a small check.
    pub fn work_done_if(&self, asked_for: bool) -> Fallible<u32> {
        match asked_for {
            true => self.work_done(),
            false => Ok(0),
        }
    }

    /// Returns the model of the last check, which was `Sat`.
    pub fn model(&self) -> Fallible<Model> {
        let inner = self.inner.get_model().ok_or_else(|| self.cx.failure())?;
        Ok(Model {
            cx: self.cx.clone(),
            inner,
        })
    }
}

/// A model: values of constants.
pub(super) struct Model {
    cx: Rc<Context>,
    inner: z3::Model,
}

impl Model {
    /// Returns the value of a Boolean or bit-vector constant; `None` if the model leaves it open.
    pub fn value(&self, constant: Term) -> Fallible<Option<u128>> {
        // SAFETY: the term is of this context, which retains it.
        let constant = unsafe { Dynamic::wrap(&self.cx.inner, constant.0) };
        let value = guarded(|| self.inner.get_const_interp(&constant))?;
        value.map(|v| self.read(v.get_z3_ast())).transpose()
    }

    /// Returns the value of an integer constant; `None` if the model leaves it open.
    pub fn integer(&self, constant: Term) -> Fallible<Option<Int>> {
        // SAFETY: the term is of this context, which retains it.
        let constant = unsafe { Dynamic::wrap(&self.cx.inner, constant.0) };
        let value = guarded(|| self.inner.get_const_interp(&constant))?;
        self.number(value)
    }

    /// Returns the value of an integer term, where what the model leaves open is something; `None`
    /// if that is no number.
    pub fn integer_at(&self, term: Term) -> Fallible<Option<Int>> {
        // SAFETY: the term is of this context, which retains it.
        let term = unsafe { Dynamic::wrap(&self.cx.inner, term.0) };
        let value = guarded(|| self.inner.eval(&term, true))?;
        self.number(value)
    }

    fn number(&self, value: Option<Dynamic>) -> Fallible<Option<Int>> {
        let Some(value) = value else {
            return Ok(None);
        };
        // SAFETY: the string is owned by the context and copied at once.
        let text = unsafe {
            let text = Z3_get_numeral_string(self.cx.raw, value.get_z3_ast());
            if text.is_null() {
                return Err(self.cx.failure());
            }
            CStr::from_ptr(text).to_string_lossy().into_owned()
        };
        match text.parse() {
            Ok(v) => Ok(Some(v)),
            Err(_) => Err(BackEndFailure(format!("Z3 gave the value '{text}'"))),
        }
    }

    /// Reads a value that the caller retains.
    fn read(&self, value: Z3_ast) -> Fallible<u128> {
        let raw = self.cx.raw;
        // SAFETY: the string is owned by the context and copied at once.
        unsafe {
            match Z3_get_bool_value(raw, value) {
                Z3_L_TRUE => return Ok(1),
                Z3_L_FALSE => return Ok(0),
                _ => {}
            }
            let mut small = 0u64;
            if Z3_get_numeral_uint64(raw, value, &mut small) {
                return Ok(small as u128);
            }
            let text = Z3_get_numeral_string(raw, value);
            if text.is_null() {
                return Err(self.cx.failure());
            }
            let text = CStr::from_ptr(text).to_string_lossy();
            text.parse()
                .map_err(|_| BackEndFailure(format!("Z3 gave the value '{text}'")))
        }
    }
}
