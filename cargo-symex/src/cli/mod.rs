//! Layer 10: the command line. What was typed becomes settings, settings become runs, results become an exit code.

pub mod args;
pub mod error;
pub mod exit_code;
pub mod meta;
pub mod resolve;
pub mod units;

/// Runs the program with the arguments of this process.
pub fn main() -> std::process::ExitCode {
    if let Some(exit) = crate::build::stand_in::dispatch(std::env::args_os()) {
        return exit;
    }
    std::process::ExitCode::SUCCESS
}
