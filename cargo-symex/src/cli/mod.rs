//! The command line.

/// Runs the program with the arguments of this process.
pub fn main() -> std::process::ExitCode {
    if let Some(exit) = crate::build::stand_in::dispatch(std::env::args_os()) {
        return exit;
    }
    std::process::ExitCode::SUCCESS
}
