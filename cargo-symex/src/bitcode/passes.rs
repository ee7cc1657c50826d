//! The pass pipeline over a linked program.

use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine};
use serde::{Deserialize, Serialize};

/// What is run over a linked program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PassProfile {
    /// Only drop what the roots do not reach.
    Minimal,
    /// Make the engine fast without changing what can be observed.
    #[default]
    Default,
    /// A pipeline in LLVM's own notation.
    Custom(String),
}

impl PassProfile {
    /// The pipeline in LLVM's notation.
    pub fn pipeline(&self) -> &str {
        match self {
            PassProfile::Minimal => "globaldce",
            PassProfile::Default => {
                "globaldce,always-inline,function(sroa,early-cse,simplifycfg,instsimplify),globaldce"
            }
            PassProfile::Custom(text) => text,
        }
    }
}

/// Runs the pipeline and checks that the module is still well-formed.
pub fn run(module: &Module<'_>, profile: &PassProfile) -> Result<(), String> {
    Target::initialize_native(&InitializationConfig::default())?;
    let triple = TargetMachine::get_default_triple();
    let target = Target::from_triple(&triple).map_err(|error| error.to_string())?;
    let machine = target
        .create_target_machine(
            &triple,
            "x86-64",
            "",
            inkwell::OptimizationLevel::None,
            RelocMode::PIC,
            CodeModel::Default,
        )
        .ok_or_else(|| format!("LLVM has no target machine for {triple}"))?;
    module
        .run_passes(profile.pipeline(), &machine, PassBuilderOptions::create())
        .map_err(|error| error.to_string())?;
    module.verify().map_err(|error| error.to_string())
}
