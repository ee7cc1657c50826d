//! Computes the flags that rustc gets for the program, merged with the user's own.
//!
//! Cargo takes flags from one source only: the variables, else the configuration. So ours are added
//! to the source that cargo uses. They are for the target alone: with `--target`, cargo keeps flags
//! away from build scripts and proc macros. The linker is set by a flag and not by
//! `CARGO_TARGET_<T>_LINKER`, which build scripts would get as well if host and target are the
//! same.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use super::manifest::MANIFEST_VERSION;
use super::tools;
use symex_types::config::AliasingModel;

/// The separator of flags in `CARGO_ENCODED_RUSTFLAGS`.
const SEPARATOR: &str = "\u{1f}";

/// Checks that rustc puts into the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checks {
    /// Whether arithmetic that overflows is a panic.
    pub overflow: bool,
    /// Whether debug assertions are part of the code.
    pub assertions: bool,
}

impl Default for Checks {
    fn default() -> Self {
        Checks {
            overflow: true,
            assertions: true,
        }
    }
}

/// Returns the flags that make rustc emit plain bitcode, with these checks in the code.
///
/// `opt-level=1` is requested for the attributes that the front end then emits, not for
/// optimisation: with `no-prepopulate-passes` LLVM runs no pass, but the code carries lifetimes,
/// value ranges and `noundef`, which the engine checks. Each later flag wins over the same one from
/// a profile or from the user.
pub fn own_flags(linker: &Path, checks: Checks) -> Vec<OsString> {
    let word = |is_on| if is_on { "on" } else { "off" };
    let mut linker_flag = OsString::from("-Clinker=");
    linker_flag.push(linker);
    let mut flags = vec![linker_flag];
    flags.extend(
        [
            "-Clinker-flavor=gcc",
            "-Clinker-plugin-lto",
            "-Clto=off",
            "-Csymbol-mangling-version=v0",
            "-Cdebuginfo=line-tables-only",
            // What a macro does is where it is used, as the place of a panic is.
            "-Ccollapse-macro-debuginfo=yes",
            "-Csplit-debuginfo=off",
            "-Cstrip=none",
            "-Cpanic=unwind",
            "-Copt-level=1",
            "-Cno-prepopulate-passes",
            "-Cno-vectorize-loops",
            "-Cno-vectorize-slp",
            "-Ctarget-cpu=x86-64",
            "-Ccodegen-units=1",
            "--cfg=symex",
            "--check-cfg=cfg(symex)",
        ]
        .map(OsString::from),
    );
    flags.push(format!("-Coverflow-checks={}", word(checks.overflow)).into());
    flags.push(format!("-Cdebug-assertions={}", word(checks.assertions)).into());
    flags.push(format!("-Cmetadata=symex{MANIFEST_VERSION}").into());
    flags
}

/// Version of Rust, 1.N, from which on rustc emits all retags.
pub const OLDEST_WITH_RETAGS: u32 = 99;

/// Returns the flags that make rustc emit retags: of all code that the source says, and none of it
/// taken from a library that was compiled without.
pub fn retag_flags(model: AliasingModel) -> Vec<OsString> {
    let mut flags = vec![
        "-Zcodegen-emit-retag",
        "-Zmir-opt-level=0",
        "-Zmir-preserve-ub",
        "-Zshare-generics=no",
    ];
    if model == AliasingModel::Tree {
        // They make integers of pointers, which exposes them. The engine checks the same where the
        // reference is used.
        flags.push("-Zmir-enable-passes=-CheckAlignment,-CheckNull");
    }
    flags.into_iter().map(OsString::from).collect()
}

/// The flag that silences lints, so that none of a crate's breaks a build that its author does not
/// see. Cargo passes it for dependencies from registries.
pub const NO_LINTS: &str = "--cap-lints=allow";

/// The way in which the flags are passed to cargo.
#[derive(Debug, PartialEq, Eq)]
pub enum Route {
    /// The value of `CARGO_ENCODED_RUSTFLAGS`.
    Variable(OsString),
    /// The argument of `--config`, which cargo joins with the flags of the configuration.
    Config(OsString),
}

impl Route {
    /// Makes a cargo command pass the flags.
    pub fn apply(self, command: &mut Command) {
        match self {
            Route::Variable(value) => command.env("CARGO_ENCODED_RUSTFLAGS", value),
            Route::Config(value) => command.arg("--config").arg(value),
        };
    }
}

/// The user's settings that decide where cargo takes flags from.
#[derive(Debug, Default)]
pub struct UserFlags {
    /// `CARGO_ENCODED_RUSTFLAGS`
    pub encoded: Option<OsString>,
    /// `RUSTFLAGS`
    pub plain: Option<OsString>,
    /// Whether the configuration has flags for a specific target, which replace those for all
    /// targets.
    pub for_target: bool,
}

impl UserFlags {
    /// Reads the variables and cargo's configuration.
    pub fn find(host: &str, directory: Option<&Path>) -> Self {
        let encoded = std::env::var_os("CARGO_ENCODED_RUSTFLAGS");
        let plain = std::env::var_os("RUSTFLAGS");
        let for_target = encoded.is_none()
            && plain.is_none()
            && (variable_for_target(host) || configured_for_target(host, directory));
        UserFlags {
            encoded,
            plain,
            for_target,
        }
    }

    /// Adds our flags to the user's and returns the way to pass them.
    pub fn merge(self, host: &str, own: &[OsString]) -> Route {
        let user = match (self.encoded, self.plain) {
            (Some(encoded), _) => encoded,
            (None, Some(plain)) => plain
                .to_string_lossy()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(SEPARATOR)
                .into(),
            (None, None) => {
                let key = if self.for_target {
                    format!("target.{host}.rustflags=")
                } else {
                    "build.rustflags=".to_owned()
                };
                return match toml_list(own) {
                    Some(list) => Route::Config((key + &list).into()),
                    // A configuration is Unicode text; other paths have to go through the variable.
                    None => Route::Variable(own.join(std::ffi::OsStr::new(SEPARATOR))),
                };
            }
        };
        let mut all = vec![user];
        all.extend_from_slice(own);
        all.retain(|flag| !flag.is_empty());
        Route::Variable(all.join(std::ffi::OsStr::new(SEPARATOR)))
    }
}

/// Returns the flags as a TOML array. A JSON string is a TOML string, as long as it has no escaped
/// slash, which serde never writes.
fn toml_list(flags: &[OsString]) -> Option<String> {
    let strings: Option<Vec<&str>> = flags.iter().map(|flag| flag.to_str()).collect();
    serde_json::to_string(&strings?).ok()
}

fn variable_for_target(host: &str) -> bool {
    let name = format!(
        "CARGO_TARGET_{}_RUSTFLAGS",
        host.to_uppercase().replace(['-', '.'], "_")
    );
    std::env::var_os(name).is_some()
}

/// Asks cargo whether its configuration has flags for this target. The command is not stable yet;
/// if it fails, only the flags for all targets are joined.
fn configured_for_target(host: &str, directory: Option<&Path>) -> bool {
    let mut command = Command::new(tools::cargo());
    command.args([
        "-Zunstable-options",
        "config",
        "get",
        "--format",
        "json-value",
        "target",
    ]);
    command.env("RUSTC_BOOTSTRAP", "1");
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    let Ok(output) = tools::output(&mut command) else {
        return false;
    };
    let Ok(serde_json::Value::Object(targets)) = serde_json::from_slice(&output.stdout) else {
        return false;
    };
    targets.iter().any(|(name, table)| {
        (name == host || name.starts_with("cfg(")) && table.get("rustflags").is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Vec<OsString> {
        vec!["-Clinker=/a b/symex-ld".into(), "--cfg=symex".into()]
    }

    #[test]
    fn flags_in_variables_are_joined_there() {
        let plain = UserFlags {
            plain: Some("-Cforce-frame-pointers  --cfg x".into()),
            ..UserFlags::default()
        };
        let expected =
            "-Cforce-frame-pointers\u{1f}--cfg\u{1f}x\u{1f}-Clinker=/a b/symex-ld\u{1f}--cfg=symex";
        assert_eq!(plain.merge("t", &own()), Route::Variable(expected.into()));
        let encoded = UserFlags {
            encoded: Some("--cfg\u{1f}a b".into()),
            plain: Some("lost".into()),
            for_target: false,
        };
        let expected = "--cfg\u{1f}a b\u{1f}-Clinker=/a b/symex-ld\u{1f}--cfg=symex";
        assert_eq!(encoded.merge("t", &own()), Route::Variable(expected.into()));
    }

    #[test]
    fn an_empty_variable_still_hides_the_configuration() {
        let empty = UserFlags {
            plain: Some("".into()),
            ..UserFlags::default()
        };
        assert_eq!(
            empty.merge("t", &own()),
            Route::Variable("-Clinker=/a b/symex-ld\u{1f}--cfg=symex".into())
        );
    }

    #[test]
    fn flags_in_the_configuration_are_joined_by_cargo() {
        let list = r#"["-Clinker=/a b/symex-ld","--cfg=symex"]"#;
        let merged = UserFlags::default().merge("x86_64-t", &own());
        assert_eq!(
            merged,
            Route::Config(format!("build.rustflags={list}").into())
        );
        let merged = UserFlags {
            for_target: true,
            ..UserFlags::default()
        }
        .merge("x86_64-t", &own());
        assert_eq!(
            merged,
            Route::Config(format!("target.x86_64-t.rustflags={list}").into())
        );
    }
}
