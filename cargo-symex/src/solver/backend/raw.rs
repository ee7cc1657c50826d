//! A thin owner of Z3's C objects: the context, its terms, its solvers, its models.
//!
//! Invariant: every term handed out has been retained, and lives as long as its context; a context is freed as a
//! whole. No call aborts: Z3's error code becomes a [`Failure`]. The `z3` crate is not used because it keeps the
//! context in a thread-local, panics on every refused term (out of memory is one), and cannot be interrupted from
//! another thread. What terms mean is in `encode`.

use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::rc::Rc;
use std::time::Duration;
use z3_sys::*;

/// Why Z3 (or the encoding) could not do something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Failure(pub String);

/// A term of one context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Term(Z3_ast);

/// A sort of one context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sort(Z3_sort);

/// What Z3 says of the assertions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Sat,
    Unsat,
    Unknown(String),
}

type Fallible<T> = Result<T, Failure>;
type Unary = unsafe extern "C" fn(Z3_context, Z3_ast) -> Option<Z3_ast>;
type Binary = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast) -> Option<Z3_ast>;

/// A Z3 context. Neither it nor what it made may be used by two threads at a time.
pub(super) struct Context {
    raw: Z3_context,
    /// Everything retained, in order. Z3 takes a time quadratic in the depth of terms to free a context in which
    /// some still are.
    retained: RefCell<Vec<Z3_ast>>,
}

impl Context {
    /// A new context with models on and every seed at its default, which is fixed.
    pub fn new() -> Fallible<Rc<Context>> {
        // SAFETY: the configuration is freed after its only use; a null error handler leaves errors to be polled.
        unsafe {
            let config =
                Z3_mk_config().ok_or_else(|| Failure("Z3 made no configuration".into()))?;
            let raw = Z3_mk_context_rc(config);
            Z3_del_config(config);
            let raw = raw.ok_or_else(|| Failure("Z3 made no context".into()))?;
            Z3_set_error_handler(raw, None);
            Ok(Rc::new(Context {
                raw,
                retained: RefCell::default(),
            }))
        }
    }

    /// For the interrupt handle alone.
    pub fn pointer(&self) -> Z3_context {
        self.raw
    }

    fn failure(&self) -> Failure {
        // SAFETY: the message is a C string owned by the context, copied at once.
        unsafe {
            let code = Z3_get_error_code(self.raw);
            let text = Z3_get_error_msg(self.raw, code);
            let text = if text.is_null() {
                "no message".into()
            } else {
                CStr::from_ptr(text).to_string_lossy()
            };
            Failure(format!("Z3: {text}"))
        }
    }

    fn keep(&self, ast: Option<Z3_ast>) -> Fallible<Term> {
        let ast = ast.ok_or_else(|| self.failure())?;
        // SAFETY: `ast` was just made by this context.
        unsafe { Z3_inc_ref(self.raw, ast) };
        self.retained.borrow_mut().push(ast);
        Ok(Term(ast))
    }

    fn keep_sort(&self, sort: Option<Z3_sort>) -> Fallible<Sort> {
        let sort = sort.ok_or_else(|| self.failure())?;
        // SAFETY: `sort` was just made by this context; the cast does not allocate.
        unsafe {
            let ast = Z3_sort_to_ast(self.raw, sort).ok_or_else(|| self.failure())?;
            Z3_inc_ref(self.raw, ast);
            self.retained.borrow_mut().push(ast);
        }
        Ok(Sort(sort))
    }

    pub fn bool_sort(&self) -> Fallible<Sort> {
        // SAFETY: here and below, arguments are of this context.
        self.keep_sort(unsafe { Z3_mk_bool_sort(self.raw) })
    }

    pub fn bv_sort(&self, width: u32) -> Fallible<Sort> {
        self.keep_sort(unsafe { Z3_mk_bv_sort(self.raw, width) })
    }

    pub fn array_sort(&self, index: Sort, element: Sort) -> Fallible<Sort> {
        self.keep_sort(unsafe { Z3_mk_array_sort(self.raw, index.0, element.0) })
    }

    pub fn float_sort(&self, exponent: u32, significand: u32) -> Fallible<Sort> {
        self.keep_sort(unsafe { Z3_mk_fpa_sort(self.raw, exponent, significand) })
    }

    pub fn constant(&self, name: &str, sort: Sort) -> Fallible<Term> {
        let name = CString::new(name).map_err(|_| Failure("a name holds a zero byte".into()))?;
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

    /// Does the unsigned product of two terms need no more bits?
    pub fn unsigned_product_fits(&self, a: Term, b: Term) -> Fallible<Term> {
        self.keep(unsafe { Z3_mk_bvmul_no_overflow(self.raw, a.0, b.0, false) })
    }

    /// A rounding mode.
    pub fn rounding(
        &self,
        make: unsafe extern "C" fn(Z3_context) -> Option<Z3_ast>,
    ) -> Fallible<Term> {
        self.keep(unsafe { make(self.raw) })
    }

    /// The float given by the bits of a term.
    pub fn float_of_bits(&self, bits: Term, sort: Sort) -> Fallible<Term> {
        self.keep(unsafe { Z3_mk_fpa_to_fp_bv(self.raw, bits.0, sort.0) })
    }

    /// A conversion of a float, or of an integer, to a float of a sort.
    pub fn to_float(
        &self,
        make: unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_sort) -> Option<Z3_ast>,
        rounding: Term,
        a: Term,
        sort: Sort,
    ) -> Fallible<Term> {
        self.keep(unsafe { make(self.raw, rounding.0, a.0, sort.0) })
    }

    /// A conversion of a float to an integer of a width.
    pub fn to_integer(
        &self,
        make: unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, u32) -> Option<Z3_ast>,
        rounding: Term,
        a: Term,
        width: u32,
    ) -> Fallible<Term> {
        self.keep(unsafe { make(self.raw, rounding.0, a.0, width) })
    }

    /// A rounded operation of two floats.
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

    /// The conjunction as a text in SMT-LIB.
    pub fn smtlib(&self, assertions: &[Term]) -> Fallible<String> {
        let formula = self.truth(true)?;
        let raw: Vec<Z3_ast> = assertions.iter().map(|t| t.0).collect();
        // SAFETY: the strings live through the call; the result is owned by the context and copied at once.
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
        // SAFETY: solvers and models hold an `Rc` of their context, so nothing outlives it.
        unsafe {
            for ast in self.retained.get_mut().drain(..).rev() {
                Z3_dec_ref(self.raw, ast);
            }
            Z3_del_context(self.raw);
        }
    }
}

/// Bytes that Z3 has allocated, all contexts of the process together.
pub(super) fn allocated() -> u64 {
    // SAFETY: it reads a counter.
    unsafe { Z3_get_estimated_alloc_size() }
}

/// A Z3 solver: a stack of assertions.
pub(super) struct RawSolver {
    cx: Rc<Context>,
    raw: Z3_solver,
    timeout_ms: Option<u32>,
}

impl RawSolver {
    /// A solver for a logic, or Z3's default one.
    pub fn new(cx: &Rc<Context>, logic: Option<&CStr>) -> Fallible<RawSolver> {
        // SAFETY: the symbol is of this context; the solver is retained before anything else is made.
        unsafe {
            let raw = match logic {
                Some(name) => {
                    let symbol =
                        Z3_mk_string_symbol(cx.raw, name.as_ptr()).ok_or_else(|| cx.failure())?;
                    Z3_mk_solver_for_logic(cx.raw, symbol)
                }
                None => Z3_mk_solver(cx.raw),
            };
            let raw = raw.ok_or_else(|| cx.failure())?;
            Z3_solver_inc_ref(cx.raw, raw);
            Ok(RawSolver {
                cx: cx.clone(),
                raw,
                timeout_ms: None,
            })
        }
    }

    pub fn push(&self) {
        unsafe { Z3_solver_push(self.cx.raw, self.raw) };
    }

    pub fn pop(&self, levels: u32) {
        if levels > 0 {
            unsafe { Z3_solver_pop(self.cx.raw, self.raw, levels) };
        }
    }

    pub fn assert(&self, term: Term) {
        unsafe { Z3_solver_assert(self.cx.raw, self.raw, term.0) };
    }

    /// Sets the time for one check.
    pub fn set_timeout(&mut self, timeout: Duration) -> Fallible<()> {
        let ms = u32::try_from(timeout.as_millis())
            .unwrap_or(u32::MAX)
            .max(1);
        if self.timeout_ms == Some(ms) {
            return Ok(());
        }
        // SAFETY: the parameter set is retained while it is used.
        unsafe {
            let params = Z3_mk_params(self.cx.raw).ok_or_else(|| self.cx.failure())?;
            Z3_params_inc_ref(self.cx.raw, params);
            let key = Z3_mk_string_symbol(self.cx.raw, c"timeout".as_ptr());
            if let Some(key) = key {
                Z3_params_set_uint(self.cx.raw, params, key, ms);
                Z3_solver_set_params(self.cx.raw, self.raw, params);
            }
            Z3_params_dec_ref(self.cx.raw, params);
        }
        self.timeout_ms = Some(ms);
        Ok(())
    }

    pub fn check(&self) -> Verdict {
        unsafe {
            match Z3_solver_check(self.cx.raw, self.raw) {
                Z3_L_TRUE => Verdict::Sat,
                Z3_L_FALSE => Verdict::Unsat,
                _ => {
                    let why = Z3_solver_get_reason_unknown(self.cx.raw, self.raw);
                    let why = if why.is_null() {
                        "no reason".into()
                    } else {
                        CStr::from_ptr(why).to_string_lossy()
                    };
                    Verdict::Unknown(why.into_owned())
                }
            }
        }
    }

    /// The model of the last check, which was `Sat`.
    pub fn model(&self) -> Fallible<Model> {
        // SAFETY: the model is retained before anything else is made.
        unsafe {
            let raw =
                Z3_solver_get_model(self.cx.raw, self.raw).ok_or_else(|| self.cx.failure())?;
            Z3_model_inc_ref(self.cx.raw, raw);
            Ok(Model {
                cx: self.cx.clone(),
                raw,
            })
        }
    }
}

impl Drop for RawSolver {
    fn drop(&mut self) {
        unsafe { Z3_solver_dec_ref(self.cx.raw, self.raw) };
    }
}

/// Values of constants.
pub(super) struct Model {
    cx: Rc<Context>,
    raw: Z3_model,
}

impl Model {
    /// The value of a Boolean or bit-vector constant; `None` if the model leaves it open.
    pub fn value(&self, constant: Term) -> Fallible<Option<u128>> {
        // SAFETY: `constant` is an application without arguments; results are read before the next call.
        unsafe {
            let app = Z3_to_app(self.cx.raw, constant.0).ok_or_else(|| self.cx.failure())?;
            let decl = Z3_get_app_decl(self.cx.raw, app).ok_or_else(|| self.cx.failure())?;
            let Some(value) = Z3_model_get_const_interp(self.cx.raw, self.raw, decl) else {
                return Ok(None);
            };
            Z3_inc_ref(self.cx.raw, value);
            let read = self.read(value);
            Z3_dec_ref(self.cx.raw, value);
            read.map(Some)
        }
    }

    unsafe fn read(&self, value: Z3_ast) -> Fallible<u128> {
        // SAFETY: the caller retains `value`; the string is owned by the context and copied at once.
        unsafe {
            match Z3_get_bool_value(self.cx.raw, value) {
                Z3_L_TRUE => return Ok(1),
                Z3_L_FALSE => return Ok(0),
                _ => {}
            }
            let mut small = 0u64;
            if Z3_get_numeral_uint64(self.cx.raw, value, &mut small) {
                return Ok(small as u128);
            }
            let text = Z3_get_numeral_string(self.cx.raw, value);
            if text.is_null() {
                return Err(self.cx.failure());
            }
            let text = CStr::from_ptr(text).to_string_lossy();
            text.parse()
                .map_err(|_| Failure(format!("Z3 gave the value '{text}'")))
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        unsafe { Z3_model_dec_ref(self.cx.raw, self.raw) };
    }
}
