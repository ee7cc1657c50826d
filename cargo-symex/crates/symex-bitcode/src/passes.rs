//! The pass pipeline over a linked program.
//!
//! The engine wants few instructions, few calls and few branches; the user wants every bug. What
//! LLVM would take as a reason to remove code is kept by `guard` and `checks`; passes that
//! vectorise, unroll or make code that only a processor likes are not run.

mod checks;
pub mod claims;
mod covers;
mod cycles;
mod folding;
mod guard;
mod initialized;
mod inside;
mod modelled;
mod promises;
mod retags;
mod twice;
mod uninitialized;
pub(crate) mod walk;

use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine};
use inkwell::values::FunctionValue;
use serde::{Deserialize, Serialize};

use checks::Checks;
pub use checks::PREFIX;
use claims::Claims;
use cycles::Calls;
use guard::Guard;
use promises::Promises;
use walk::{all_functions, functions, instructions};

/// Passes before the guard analyses the program: inlining, so that it sees variables whole.
const INLINE: &str = "cgscc(inline)";
const DROP_UNUSED: &str = "globaldce";
/// Passes under guard: promote variables that are only read and written to registers, so that it is
/// plain where pointers lead.
const REGISTERS: &str = "function(mem2reg)";
/// Passes under guard and with checks: promote parts of variables to registers, and eliminate
/// common subexpressions.
const SIMPLIFY: &str = "sroa,early-cse";
/// Passes in place of [`SIMPLIFY`] for code with retags, where a read is an access even if its
/// result is known or not used.
const SIMPLIFY_WITH_RETAGS: &str = "sroa";
/// Passes under guard again: short branches become selects, which saves paths; straight blocks are
/// joined.
const JOIN: &str = "function(simplifycfg,instsimplify),globaldce";

/// Pass that turns accesses by vectors with a mask into one for each element.
const WITHOUT_MASKS: &str = "function(scalarize-masked-mem-intrin)";
/// Beginning of the names of the functions that stand for such accesses.
const MASKED: &[u8] = b"llvm.masked.";

/// Number of rounds in which variables are promoted to registers; after that, doubtful ones stay in
/// memory.
const MOST_ROUNDS: usize = 4;

/// Passes that are run over a linked program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PassProfile {
    /// Only drop what the roots do not reach, as all profiles do.
    Minimal,
    /// Make the engine fast without hiding bugs.
    #[default]
    Default,
    /// Do as by default without inlining: calls stay calls, so that a function can take the place
    /// of another.
    WithoutInlining,
    /// A pipeline in LLVM's own notation, without guard.
    Custom(String),
}

/// Role of a module for the passes.
#[derive(Clone, Copy)]
pub enum ModuleRole<'a> {
    /// A whole program, or the part of it to which nothing refers but its roots.
    Program,
    /// A part of many programs: the code of a function must depend on that function and its callees
    /// alone, whatever else is in the part. Everything in it is visible from outside until this
    /// function is called; afterwards only what others refer to is.
    Part(&'a dyn Fn()),
}

/// Runs the profile over a well-formed module. The result of a custom pipeline is verified; the
/// verification takes as long as several passes.
pub fn run(module: &Module<'_>, profile: &PassProfile, role: ModuleRole<'_>) -> Result<(), String> {
    let machine = machine()?;
    let run = |pipeline: &str| {
        module
            .run_passes(pipeline, &machine, PassBuilderOptions::create())
            .map_err(|error| error.to_string())
    };
    run(DROP_UNUSED)?;
    let is_masked = |function| walk::name_of(function).starts_with(MASKED);
    if all_functions(module.as_mut_ptr())
        .into_iter()
        .any(is_masked)
    {
        run(WITHOUT_MASKS)?;
    }
    let hide = || {
        if let ModuleRole::Part(hide) = role {
            hide();
        }
    };
    match role {
        ModuleRole::Program => covers::announce(module),
        ModuleRole::Part(_) => {}
    }
    let promises = Promises::of(module);
    let mut checks = Checks::of(module);
    let mut claims = Claims::of(module);
    let is_guarded = matches!(profile, PassProfile::Default | PassProfile::WithoutInlining);
    let mut calls = Calls::default();
    for function in all_functions(module.as_mut_ptr()) {
        uninitialized::drop_fill(function);
        let code = instructions(function);
        if let ModuleRole::Part(_) = role {
            calls.note(function, &code);
        }
        promises.take_away(function, &code);
        if is_guarded {
            checks.place_divisions(&code);
            claims.place(function, &code);
        }
    }
    calls.keep_those_in_cycles(module);
    match profile {
        PassProfile::Minimal => {
            hide();
            run(DROP_UNUSED)?;
        }
        PassProfile::Custom(pipeline) => {
            hide();
            run(pipeline)?;
            verify(module)?;
        }
        PassProfile::Default | PassProfile::WithoutInlining => {
            twice::leave_alone(module);
            modelled::keep(module);
            let has_retags = retags::has_any(module);
            folding::stop(module);
            match has_retags {
                true => retags::mark_conversions(module),
                false if *profile == PassProfile::WithoutInlining => {}
                false => run(INLINE)?,
            }
            hide();
            run(DROP_UNUSED)?;
            let mut guard = Guard::place(module);
            run(REGISTERS)?;
            guard.renew_growing();
            claims.settle();
            claims.place_unused();
            checks.place_accesses();
            folding::go_on(module);
            let simplify = match has_retags {
                true => SIMPLIFY_WITH_RETAGS,
                false => SIMPLIFY,
            };
            run(&format!("function({simplify})"))?;
            simplify_again(&mut guard, &mut checks, &claims, &machine, simplify)?;
            if !has_retags {
                // An access that was allowed before may not be any more.
                checks.drop_repeated();
            }
            // A load moved out of a branch would be an access that the program does not make.
            run(if has_retags { DROP_UNUSED } else { JOIN })?;
            guard.remove();
        }
    }
    checks.finish();
    claims.finish();
    debug_assert_eq!(verify(module), Ok(()));
    Ok(())
}

/// Simplifies functions with variables that the guard or checks kept in memory: a variable whose
/// address was stored in another variable can be followed once that one is promoted to a register.
fn simplify_again(
    guard: &mut Guard,
    checks: &mut Checks,
    claims: &Claims,
    machine: &TargetMachine,
    simplify: &str,
) -> Result<(), String> {
    let mut concerned = checks.settle();
    concerned.extend(claims.settle());
    for function in functions(guard.module()) {
        let mut kept = guard.kept(function);
        let mut settled = concerned.contains(&function);
        // SAFETY: passes over functions leave them where they are.
        let value = unsafe { FunctionValue::new(function) }.expect("it is a function");
        for _ in 1..MOST_ROUNDS {
            if kept == 0 && !settled {
                break;
            }
            let left = guard.renew(function);
            value
                .run_passes(simplify, machine, PassBuilderOptions::create())
                .map_err(|error| error.to_string())?;
            let went = checks.settle_in(function) | claims.settle_in(function);
            if left >= kept && !settled && !went {
                break;
            }
            (kept, settled) = (left, went);
        }
    }
    Ok(())
}

/// Verifies LLVM's rules; the first violation is the error.
pub fn verify(module: &Module<'_>) -> Result<(), String> {
    module.verify().map_err(|error| {
        let text = error.to_string();
        text.lines().next().unwrap_or("unknown error").to_owned()
    })
}

/// Makes a target machine without any instruction set extension, whose costs guide the passes.
fn machine() -> Result<TargetMachine, String> {
    Target::initialize_x86(&InitializationConfig::default());
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
