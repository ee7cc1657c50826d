//! Settings of a harness's test from environment variables, which are read only here.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::abi;

/// The mode of a harness under `cargo test`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Settings {
    /// No run is requested, and the harness's test passes at once.
    Idle,
    /// Run the recorded inputs of a file.
    Replay {
        inputs: PathBuf,
        out: Option<PathBuf>,
        mark: Option<String>,
    },
    /// Run many inputs, as a file in this directory says, and leave there what fails.
    PreRuns(PathBuf),
    /// Run `count` random inputs.
    Random { count: u64, seed: u64 },
}

impl Settings {
    /// Reads the environment.
    pub(crate) fn from_env() -> Result<Self, String> {
        Self::from_lookup(|name| std::env::var_os(name).filter(|value| !value.is_empty()))
    }

    fn from_lookup(get: impl Fn(&str) -> Option<OsString>) -> Result<Self, String> {
        if let Some(inputs) = get(abi::ENV_REPLAY) {
            let out = get(abi::ENV_INPUTS_OUT).map(PathBuf::from);
            return Ok(Settings::Replay {
                inputs: inputs.into(),
                out,
                mark: get(abi::ENV_OUTPUT_MARK).map(|mark| mark.to_string_lossy().into_owned()),
            });
        }
        if let Some(directory) = get(abi::ENV_PRE_RUNS) {
            return Ok(Settings::PreRuns(directory.into()));
        }
        let number = |name| {
            get(name)
                .map(|text| parse(name, &text.to_string_lossy()))
                .transpose()
        };
        match number(abi::ENV_RANDOM)? {
            None | Some(0) => Ok(Settings::Idle),
            Some(count) => Ok(Settings::Random {
                count,
                seed: number(abi::ENV_SEED)?.unwrap_or(0),
            }),
        }
    }
}

fn parse(name: &str, text: &str) -> Result<u64, String> {
    let text = text.trim();
    let number = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    number.map_err(|_| format!("{name} must be a number, not `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::from_lookup(|name| {
            pairs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.into())
        })
    }

    #[test]
    fn nothing_set_is_idle() {
        assert_eq!(with(&[]), Ok(Settings::Idle));
        assert_eq!(with(&[("SYMEX_RANDOM", "0")]), Ok(Settings::Idle));
        assert_eq!(with(&[("SYMEX_SEED", "7")]), Ok(Settings::Idle));
    }

    #[test]
    fn replay_wins_over_random() {
        let settings = with(&[
            ("SYMEX_REPLAY", "in"),
            ("SYMEX_RANDOM", "9"),
            ("SYMEX_INPUTS_OUT", "out"),
            ("SYMEX_OUTPUT_MARK", "|"),
        ]);
        assert_eq!(
            settings,
            Ok(Settings::Replay {
                inputs: "in".into(),
                out: Some("out".into()),
                mark: Some("|".into()),
            })
        );
    }

    #[test]
    fn pre_runs_are_made_in_a_directory() {
        let settings = with(&[("SYMEX_PRE_RUNS_DIR", "dir"), ("SYMEX_RANDOM", "9")]);
        assert_eq!(settings, Ok(Settings::PreRuns("dir".into())));
    }

    #[test]
    fn seeds_may_be_hexadecimal_and_nonsense_is_refused() {
        let settings = with(&[("SYMEX_RANDOM", "10"), ("SYMEX_SEED", "0xff")]);
        assert_eq!(
            settings,
            Ok(Settings::Random {
                count: 10,
                seed: 255
            })
        );
        assert!(
            with(&[("SYMEX_RANDOM", "many")])
                .unwrap_err()
                .contains("SYMEX_RANDOM")
        );
    }
}
