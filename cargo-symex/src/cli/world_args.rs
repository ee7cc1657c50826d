//! Options that describe the world of a program: its arguments, standard input, files and
//! environment variables.

use crate::pipeline::error::CommandError;
use clap::Args;
use std::path::{Component, Path, PathBuf};
use symex_types::config::World;
use symex_types::config::failing;
use symex_types::config::world::{Arguments, FileContents, InitialFile};

/// Greatest number of symbolic bytes of one input.
const MOST_SYMBOLIC: u64 = 1 << 20;

/// Greatest size of a file whose contents are given.
const MOST_GIVEN: u64 = 16 << 20;

/// Options for the world of a program that is explored as a whole. With any of these, the program
/// runs in the world that they describe, and may create files in it.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "World of the program")]
pub struct WorldArgs {
    /// Add a symbolic argument of up to BYTES bytes; may be repeated
    ///
    /// Symbolic arguments come after those that are given.
    #[arg(long, value_name = "BYTES", value_parser = symbolic())]
    pub sym_arg: Vec<u64>,
    /// Add MIN to MAX symbolic arguments of up to BYTES bytes each; may be repeated
    ///
    /// They come after those of --sym-arg.
    #[arg(long, num_args = 3, value_names = ["MIN", "MAX", "BYTES"], value_parser = symbolic())]
    pub sym_args: Vec<u64>,
    /// Make standard input BYTES symbolic bytes long
    #[arg(long, value_name = "BYTES", value_parser = symbolic())]
    pub sym_stdin: Option<u64>,
    /// Add a file of BYTES symbolic bytes to the working directory; may be repeated
    #[arg(long, value_name = "NAME:BYTES", value_parser = named)]
    pub sym_file: Vec<(String, u64)>,
    /// Add a copy of this machine's file PATH to the working directory; may be repeated
    ///
    /// Without PATH, it is the file with the same name.
    #[arg(long, value_name = "NAME[=PATH]")]
    pub file: Vec<String>,
    /// Set an environment variable to a symbolic value of up to BYTES bytes; may be repeated
    #[arg(long, value_name = "NAME:BYTES", value_parser = named)]
    pub sym_env: Vec<(String, u64)>,
    /// Let up to N system calls fail that need not, on separate paths
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub max_fail: u32,
    /// Calls that may fail [default: all system calls, which `malloc` is not]
    #[arg(long, value_name = "CALL,…", value_delimiter = ',', requires = "max_fail", value_parser = calls())]
    pub fail_calls: Vec<String>,
    /// Write each path that reaches the program's end into this file, one JSON object a line
    ///
    /// Each object has the inputs of the path and what the program wrote.
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub paths_to: Option<PathBuf>,
}

fn symbolic() -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(0..=MOST_SYMBOLIC)
}

/// Returns a parser for the names of calls that may be made to fail.
fn calls() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(failing::CALLS.iter().map(|call| call.name))
}

/// Parses `NAME:BYTES`.
fn named(text: &str) -> Result<(String, u64), String> {
    let (name, bytes) = text
        .rsplit_once(':')
        .ok_or("a name, a colon and a number of bytes are expected")?;
    let bytes: u64 = bytes
        .parse()
        .map_err(|error| format!("{bytes:?} is no number of bytes: {error}"))?;
    if bytes > MOST_SYMBOLIC {
        return Err(format!("at most {MOST_SYMBOLIC} bytes can be symbolic"));
    }
    Ok((name.to_owned(), bytes))
}

impl WorldArgs {
    /// Returns the world that the options describe. Fails if a file cannot be read, or a name is
    /// not valid for a file.
    pub fn world(&self) -> Result<World, CommandError> {
        let one = |length: &u64| Arguments {
            least: 1,
            most: 1,
            length: *length,
        };
        let mut arguments: Vec<Arguments> = self.sym_arg.iter().map(one).collect();
        for group in self.sym_args.chunks_exact(3) {
            arguments.push(several(group[0], group[1], group[2])?);
        }
        let mut files = Vec::new();
        for (name, bytes) in &self.sym_file {
            let name = file_name(name)?;
            let contents = FileContents::Symbolic(*bytes);
            files.push(InitialFile { name, contents });
        }
        for typed in &self.file {
            files.push(given(typed)?);
        }
        unique("file", files.iter().map(|file| file.name.as_str()))?;
        no_file_is_a_directory(&files)?;
        unique(
            "variable",
            self.sym_env.iter().map(|(name, _)| name.as_str()),
        )?;
        for (name, _) in &self.sym_env {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(CommandError::usage(format!(
                    "failed to use {name:?} as the name of a variable"
                )));
            }
        }
        Ok(World {
            arguments,
            stdin: self.sym_stdin,
            files,
            variables: self.sym_env.clone(),
            max_fail: self.max_fail,
            fail_calls: match self.max_fail {
                0 => Vec::new(),
                _ => self.fail_calls.clone(),
            },
        })
    }
}

/// Returns a group of arguments. Each number of arguments is explored, so the group is limited.
fn several(least: u64, most: u64, length: u64) -> Result<Arguments, CommandError> {
    const MOST: u64 = 64;
    if least > most || most > MOST {
        return Err(CommandError::usage(format!(
            "failed to use --sym-args {least} {most} {length}: the first number must not be over the second, nor that over {MOST}"
        )));
    }
    Ok(Arguments {
        least: least as u32,
        most: most as u32,
        length,
    })
}

/// Parses `NAME[=PATH]` and reads the contents of the file on this machine.
fn given(typed: &str) -> Result<InitialFile, CommandError> {
    let (name, path) = typed.split_once('=').unwrap_or((typed, typed));
    let path = PathBuf::from(path);
    let name = file_name(name)?;
    let unreadable = |error: std::io::Error| {
        CommandError::usage(format!("failed to read {}: {error}", path.display()))
    };
    let size = std::fs::metadata(&path).map_err(unreadable)?.len();
    if size > MOST_GIVEN {
        return Err(CommandError::usage(format!(
            "failed to use {}: it has {size} bytes, more than {MOST_GIVEN}",
            path.display()
        )));
    }
    let bytes = std::fs::read(&path).map_err(unreadable)?;
    let contents = FileContents::Given(bytes);
    Ok(InitialFile { name, contents })
}

/// Normalises a path below the working directory.
fn file_name(typed: &str) -> Result<String, CommandError> {
    let parts: Vec<Component> = Path::new(typed)
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    let below = parts
        .iter()
        .all(|part| matches!(part, Component::Normal(_)));
    let is_file = !parts.is_empty() && !typed.ends_with('/') && !typed.contains('\0');
    if !below || !is_file {
        return Err(CommandError::usage(format!(
            "failed to use {typed:?} as the name of a file in the working directory"
        ))
        .help("name it by a relative path without `..`"));
    }
    let parts: Vec<&str> = parts
        .iter()
        .filter_map(|part| part.as_os_str().to_str())
        .collect();
    Ok(parts.join("/"))
}

fn unique<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), CommandError> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(CommandError::usage(format!(
                "failed to describe the {what} `{name}`: it is there twice"
            )));
        }
    }
    Ok(())
}

/// Checks that no file has other files below it.
fn no_file_is_a_directory(files: &[InitialFile]) -> Result<(), CommandError> {
    for file in files {
        let below = format!("{}/", file.name);
        if let Some(other) = files.iter().find(|other| other.name.starts_with(&below)) {
            return Err(CommandError::usage(format!(
                "failed to describe the file `{}`: `{}` makes it a directory",
                file.name, other.name
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_size_after_the_last_colon() {
        assert_eq!(named("a:b:3"), Ok(("a:b".to_owned(), 3)));
        assert!(named("a").is_err() && named("a:x").is_err());
        assert!(named("a:99999999").is_err());
    }

    #[test]
    fn files_lie_below_the_working_directory() {
        assert_eq!(file_name("./a/./b").unwrap(), "a/b");
        for wrong in ["", ".", "/a", "../a", "a/../b", "a/"] {
            assert!(file_name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn nothing_is_described_twice() {
        let args = WorldArgs {
            sym_file: vec![("a".to_owned(), 1), ("./a".to_owned(), 2)],
            ..WorldArgs::default()
        };
        assert!(args.world().is_err());
        let args = WorldArgs {
            sym_args: vec![0, 2, 3],
            ..WorldArgs::default()
        };
        assert_eq!(args.world().unwrap().argument_lists().len(), 3);
    }
}
