//! The compiled search: nested loops over the inputs' values, in machine code.
//!
//! The function gets the first and last value of each input, in the order of the levels, tries all
//! combinations in order, and stops at the first for which all conditions hold.

use super::plan::Plan;
use super::translate::{Translator, type_of};
use cranelift_codegen::Context;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, MemFlags, Value, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, default_libcall_names};
use rustc_hash::FxHashMap;
use std::marker::PhantomData;
use symex_terms::{Array, Pool};

/// Expected number of operations of a search up to which good code takes longer to make than it
/// saves.
const SHORT: u64 = 1 << 24;

/// Settings of the code generator for short searches, and for others.
const QUICK_SETTINGS: [(&str, &str); 2] =
    [("opt_level", "none"), ("regalloc_algorithm", "single_pass")];
const GOOD_SETTINGS: [(&str, &str); 2] = [
    ("opt_level", "speed"),
    ("regalloc_algorithm", "backtracking"),
];

/// Settings of the code generator for all searches.
const SETTINGS: [(&str, &str); 3] = [
    ("is_pic", "false"),
    ("use_colocated_libcalls", "false"),
    ("enable_verifier", if cfg!(test) { "true" } else { "false" }),
];

/// Bytes of a word in memory.
const WORD: i32 = 8;

/// Gets the first and last value of each input, and the place for the values found, if any.
type Compiled = unsafe extern "C" fn(*const [u64; 2], *mut u64) -> u8;

/// Memory of compiled code.
struct Code(Option<JITModule>);

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.0.take() {
            // SAFETY: the code is run only through a `Runner`, which borrows its owner.
            unsafe { module.free_memory() };
        }
    }
}

/// A compiled search: see the module.
pub(super) struct Program {
    run: Compiled,
    inputs: usize,
    _code: Code,
    /// Tables that the code reads.
    _tables: FxHashMap<Array, Box<[u8]>>,
}

/// A compiled search that any thread may run.
#[derive(Clone, Copy)]
pub(super) struct Runner<'a> {
    run: Compiled,
    inputs: usize,
    program: PhantomData<&'a ()>,
}

impl Program {
    /// Compiles the search of a plan, of so many operations; `None` if that is not possible on this
    /// machine.
    pub fn new(pool: &Pool, plan: &Plan, operations: u64) -> Option<Program> {
        let mut flags = settings::builder();
        let of_length = match operations <= SHORT {
            true => QUICK_SETTINGS,
            false => GOOD_SETTINGS,
        };
        for (name, value) in SETTINGS.into_iter().chain(of_length) {
            flags.set(name, value).ok()?;
        }
        let isa = cranelift_native::builder().ok()?;
        let isa = isa.finish(settings::Flags::new(flags)).ok()?;
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let mut code = Code(Some(module));
        let module = code.0.as_mut()?;
        let mut context = module.make_context();
        let pointer = module.target_config().pointer_type();
        let signature = &mut context.func.signature;
        signature.params.extend([AbiParam::new(pointer); 2]);
        signature.returns.push(AbiParam::new(types::I8));
        let mut memory = FunctionBuilderContext::new();
        let builder = FunctionBuilder::new(&mut context.func, &mut memory);
        let tables = build(pool, plan, builder);
        let start = compiled(module, &mut context)?;
        Some(Program {
            // SAFETY: the function was declared with this signature, in the convention of C.
            run: unsafe { std::mem::transmute::<*const u8, Compiled>(start) },
            inputs: plan.inputs.len(),
            _code: code,
            _tables: tables,
        })
    }

    pub fn runner(&self) -> Runner<'_> {
        Runner {
            run: self.run,
            inputs: self.inputs,
            program: PhantomData,
        }
    }
}

impl Runner<'_> {
    /// Tries all values between the first and the last one of each input, both included, and
    /// returns the first solution: a value of each input.
    pub fn first(&self, ranges: &[[u64; 2]]) -> Option<Vec<u64>> {
        assert_eq!(ranges.len(), self.inputs);
        let mut found = vec![0; self.inputs];
        // SAFETY: the code and its tables are there, as the program is borrowed. It reads as many
        // pairs, and writes as many words, as there are inputs.
        let any = unsafe { (self.run)(ranges.as_ptr(), found.as_mut_ptr()) };
        (any != 0).then_some(found)
    }
}

/// Compiles a function, and returns where it starts; `None` if the machine lacks something.
fn compiled(module: &mut JITModule, context: &mut Context) -> Option<*const u8> {
    let signature = &context.func.signature;
    let made = module.declare_function("search", Linkage::Local, signature);
    let id = made.ok()?;
    module.define_function(id, context).ok()?;
    module.finalize_definitions().ok()?;
    Some(module.get_finalized_function(id))
}

/// One of the nested loops while it is built.
struct OpenLoop {
    value: Value,
    /// Where the next value is made.
    next: Block,
}

/// Builds the function of a plan, and returns the tables that it reads.
fn build(pool: &Pool, plan: &Plan, builder: FunctionBuilder) -> FxHashMap<Array, Box<[u8]>> {
    let mut to = Translator::new(pool, &plan.terms.readings, builder);
    let flags = MemFlags::trusted();
    let entry = to.builder.create_block();
    to.builder.append_block_params_for_function_params(entry);
    to.builder.switch_to_block(entry);
    let [ranges, found] = [0, 1].map(|at| to.builder.block_params(entry)[at]);
    let mut ends = Vec::with_capacity(plan.inputs.len());
    for (at, input) in (0..).zip(&plan.inputs) {
        let word = type_of(input.width);
        ends.push([2 * at, 2 * at + 1].map(|place: i32| {
            let load = to.builder.ins();
            let value = load.load(types::I64, flags, ranges, place * WORD);
            match word {
                types::I64 => value,
                _ => to.builder.ins().ireduce(word, value),
            }
        }));
    }
    let nothing = to.builder.create_block();
    let mut open: Vec<OpenLoop> = Vec::with_capacity(plan.inputs.len());
    for ((input, level), [first, last]) in plan.inputs.iter().zip(&plan.levels).zip(ends) {
        let body = to.builder.create_block();
        let next = to.builder.create_block();
        let value = to.builder.append_block_param(body, type_of(input.width));
        to.builder.ins().jump(body, &[first.into()]);
        to.builder.switch_to_block(body);
        to.set(input.term, value);
        for condition in &level.conditions {
            let holds = to.term(*condition);
            let further = to.builder.create_block();
            to.builder.ins().brif(holds, further, &[], next, &[]);
            to.builder.switch_to_block(further);
        }
        for term in &level.hoisted {
            to.term(*term);
        }
        open.push(OpenLoop { value, next });
        // The rest of the loop, from which `further` code does not come back.
        let inside = to.builder.current_block();
        to.builder.switch_to_block(next);
        let outer = match open.len() {
            1 => nothing,
            len => open[len - 2].next,
        };
        let more = to.builder.create_block();
        let is_last = to.builder.ins().icmp(IntCC::Equal, value, last);
        to.builder.ins().brif(is_last, outer, &[], more, &[]);
        to.builder.switch_to_block(more);
        let step = to.constant(input.width, 1 << input.shift);
        let value = to.builder.ins().iadd(value, step);
        let value = to.truncated(value, input.width);
        to.builder.ins().jump(body, &[value.into()]);
        to.builder
            .switch_to_block(inside.expect("a block that is being filled"));
    }
    for (at, input) in (0..).zip(&open) {
        let word = to.builder.func.dfg.value_type(input.value);
        let value = match word {
            types::I64 => input.value,
            _ => to.builder.ins().uextend(types::I64, input.value),
        };
        to.builder.ins().store(flags, value, found, at * WORD);
    }
    let one = to.builder.ins().iconst(types::I8, 1);
    to.builder.ins().return_(&[one]);
    to.builder.switch_to_block(nothing);
    let zero = to.builder.ins().iconst(types::I8, 0);
    to.builder.ins().return_(&[zero]);
    to.builder.seal_all_blocks();
    to.builder.finalize();
    to.tables
}
