//! Environment variables that control a native run, and exit codes that report its result.

/// Path of a file with the [inputs](crate::inputs) to replay.
pub const ENV_REPLAY: &str = "SYMEX_REPLAY";

/// Path of the file that receives the typed values of a replay, before the harness is called.
///
/// It is JSON: `args`, a list of arguments with `name`, `type`, `source` (a Rust expression) and
/// `debug` (a text or null); `inputs`, a list with `name` and `bytes`; `call`, an expression that
/// repeats the run; `harness`, the function's name. The names of cover points that are met are
/// appended, a line each, to the file of this name with `.cover` at its end.
pub const ENV_INPUTS_OUT: &str = "SYMEX_INPUTS_OUT";

/// A text to be printed before and after what the harness prints in a replay.
pub const ENV_OUTPUT_MARK: &str = "SYMEX_OUTPUT_MARK";

/// Path of the directory with the order of a series of [pre-runs](crate::pre_runs), and with what
/// becomes of them.
pub const ENV_PRE_RUNS: &str = "SYMEX_PRE_RUNS_DIR";

/// Number of random inputs to run.
pub const ENV_RANDOM: &str = "SYMEX_RANDOM";

/// Seed of the random inputs, decimal or 0x-hexadecimal.
pub const ENV_SEED: &str = "SYMEX_SEED";

/// Exit code of a native replay in which an assumption did not hold.
pub const EXIT_ASSUMPTION: i32 = 86;

/// Exit code of a native replay whose inputs file could not be read, or whose output could not be
/// written.
pub const EXIT_BAD_INPUTS: i32 = 87;

/// Exit code of a native run that calls what nothing defines.
///
/// The runtime does not end so: the definitions that the tool gives to such symbols do.
pub const EXIT_NO_DEFINITION: i32 = 88;

#[cfg(test)]
mod tests {
    use super::*;

    /// Users' scripts may know these.
    #[test]
    fn exit_codes_are_what_is_documented() {
        assert_eq!(
            [EXIT_ASSUMPTION, EXIT_BAD_INPUTS, EXIT_NO_DEFINITION],
            [86, 87, 88]
        );
    }
}
