//! The target machine: always the one this tool runs on, because findings are replayed here. A
//! request for another machine is refused with a message.

use std::ffi::OsStr;
use std::path::Path;

use cargo_config2::Config;

use super::error::BuildError;
use super::options::BuildOptions;

/// The environment variable that selects another target machine for all of cargo.
const VARIABLE: &str = "CARGO_BUILD_TARGET";
/// Cargo's name for the machine that it runs on.
const HOST: &str = "host-tuple";

/// Refuses to build if anything asks for a machine other than this one, whose triple is `host`.
pub fn check(options: &BuildOptions, host: &str) -> Result<(), BuildError> {
    let directory = options.current_dir.as_deref().unwrap_or(Path::new("."));
    let variable = std::env::var_os(VARIABLE);
    let (by, asked) = asked(&options.machines, variable.as_deref(), directory);
    match asked
        .into_iter()
        .find(|asked| asked != host && asked != HOST)
    {
        None => Ok(()),
        Some(triple) => {
            let host = host.to_owned();
            Err(BuildError::OtherMachine { by, triple, host })
        }
    }
}

/// Returns the triples that cargo would compile for, and the setting that names them; empty means
/// this machine.
fn asked(
    typed: &[String],
    variable: Option<&OsStr>,
    directory: &Path,
) -> (&'static str, Vec<String>) {
    if !typed.is_empty() {
        return ("--target", typed.to_vec());
    }
    if let Some(value) = variable.filter(|value| !value.is_empty()) {
        return (VARIABLE, vec![value.to_string_lossy().into_owned()]);
    }
    // Cargo itself reports a configuration that cannot be read.
    let config = Config::load_with_cwd(directory);
    let targets = config.ok().and_then(|config| config.build.target);
    let triples = targets.into_iter().flatten();
    let triples = triples.map(|target| target.triple().to_owned());
    ("`build.target` of cargo's configuration", triples.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_comes_before_the_variable_and_that_before_the_configuration() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".cargo")).unwrap();
        let file = dir.path().join(".cargo/config.toml");
        let all = |typed: &[&str], variable: Option<&str>| {
            let typed: Vec<String> = typed.iter().map(|triple| (*triple).to_owned()).collect();
            asked(&typed, variable.map(OsStr::new), dir.path())
        };
        assert!(all(&[], None).1.is_empty());
        for (text, triples) in [
            ("build.target = \"aarch64-c\"", vec!["aarch64-c"]),
            ("[build]\ntarget = [\"a-c\", \"b-c\"]", vec!["a-c", "b-c"]),
        ] {
            std::fs::write(&file, text).unwrap();
            let by = "`build.target` of cargo's configuration";
            let triples = triples.into_iter().map(str::to_owned).collect();
            assert_eq!(all(&[], None), (by, triples), "{text}");
        }
        assert_eq!(all(&[], Some("a-v")), (VARIABLE, vec!["a-v".to_owned()]));
        assert_eq!(all(&["a-t"], Some("a-v")).1, ["a-t"]);
    }
}
