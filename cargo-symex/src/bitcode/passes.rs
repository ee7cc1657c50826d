//! The pass pipeline over a linked program.
//!
//! The engine wants few instructions, few calls and few branches; the user wants every bug. What LLVM would take as a reason
//! to remove code is kept by [`guard`]; passes that vectorise, unroll or make code that only a processor likes are not run.

mod covers;
mod guard;
mod initialized;
mod twice;
mod unwinding;

use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine};
use inkwell::values::FunctionValue;
use serde::{Deserialize, Serialize};

use guard::Guard;

/// Before the guard looks at the program: calls become code, so that it sees variables whole.
const INLINE: &str = "globaldce,cgscc(inline),globaldce";
/// Under guard: variables into registers, what is computed twice once.
const SIMPLIFY: &str = "sroa,early-cse,instsimplify";
/// Under guard again: short branches become selects, which saves paths; straight blocks are joined.
const JOIN: &str = "function(simplifycfg,early-cse,instsimplify),globaldce";

/// How often variables are given registers; after that, what is in doubt stays in memory.
const MOST_ROUNDS: usize = 4;

/// What is run over a linked program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PassProfile {
    /// Only drop what the roots do not reach.
    Minimal,
    /// Make the engine fast without hiding bugs.
    #[default]
    Default,
    /// A pipeline in LLVM's own notation, without guard.
    Custom(String),
}

/// Runs the profile and checks that the module is still well-formed.
pub fn run(module: &Module<'_>, profile: &PassProfile) -> Result<(), String> {
    let machine = machine()?;
    let run = |pipeline: &str| {
        module
            .run_passes(pipeline, &machine, PassBuilderOptions::create())
            .map_err(|error| error.to_string())
    };
    covers::announce(module);
    unwinding::may_pass_c(module);
    match profile {
        PassProfile::Minimal => run("globaldce")?,
        PassProfile::Custom(pipeline) => run(pipeline)?,
        PassProfile::Default => {
            twice::leave_alone(module);
            run(INLINE)?;
            let guard = Guard::place(module);
            run(&format!("function({SIMPLIFY})"))?;
            for (function, kept) in guard.kept() {
                simplify_again(&guard, *function, *kept, &machine)?;
            }
            guard.place_barriers();
            run(JOIN)?;
            guard.remove();
        }
    }
    verify(module)
}

/// Simplifies a function with variables that were kept in memory: one whose address was in another variable can be followed
/// when that one is none any more.
fn simplify_again(
    guard: &Guard,
    function: LLVMValueRef,
    mut kept: usize,
    machine: &TargetMachine,
) -> Result<(), String> {
    // SAFETY: passes over functions leave them where they are.
    let value = unsafe { FunctionValue::new(function) }.expect("it is a function");
    for _ in 1..MOST_ROUNDS {
        let left = guard.renew(function);
        value
            .run_passes(SIMPLIFY, machine, PassBuilderOptions::create())
            .map_err(|error| error.to_string())?;
        if left == 0 || left >= kept {
            break;
        }
        kept = left;
    }
    Ok(())
}

/// Checks LLVM's rules; the first complaint is the error.
pub fn verify(module: &Module<'_>) -> Result<(), String> {
    module.verify().map_err(|error| {
        let text = error.to_string();
        text.lines().next().unwrap_or("unknown error").to_owned()
    })
}

/// A machine without any extension of its instruction set: what the passes know about costs, and nothing else.
fn machine() -> Result<TargetMachine, String> {
    Target::initialize_native(&InitializationConfig::default())?;
    let triple = TargetMachine::get_default_triple();
    let target = Target::from_triple(&triple).map_err(|error| error.to_string())?;
    target
        .create_target_machine(
            &triple,
            "x86-64",
            "",
            inkwell::OptimizationLevel::None,
            RelocMode::PIC,
            CodeModel::Default,
        )
        .ok_or_else(|| format!("LLVM has no target machine for {triple}"))
}

#[cfg(test)]
mod tests;
