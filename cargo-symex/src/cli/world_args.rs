//! The options that describe the world around a program: its arguments and environment.

use super::error::CliError;
use crate::config::World;
use crate::config::world::Arguments;
use clap::Args;

/// Greatest number of symbolic bytes of one input.
const MOST_SYMBOLIC: u64 = 1 << 20;

/// The world of a program that is explored as a whole. With any of these, the program may
/// end with any exit code.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "World of the program")]
pub struct WorldArgs {
    /// A symbolic argument of up to so many bytes, after those that are given; may be repeated
    #[arg(long, value_name = "BYTES", value_parser = symbolic())]
    pub sym_arg: Vec<u64>,
    /// From MIN to MAX symbolic arguments of up to so many bytes each, after those of --sym-arg; may be repeated
    #[arg(long, num_args = 3, value_names = ["MIN", "MAX", "BYTES"], value_parser = symbolic())]
    pub sym_args: Vec<u64>,
    /// A variable of the environment with a symbolic value of up to so many bytes; may be repeated
    #[arg(long, value_name = "NAME:BYTES", value_parser = named)]
    pub sym_env: Vec<(String, u64)>,
}

fn symbolic() -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(0..=MOST_SYMBOLIC)
}

/// `NAME:BYTES`.
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
    /// The world that the options describe. Fails where a name cannot be one.
    pub fn world(&self) -> Result<World, CliError> {
        let one = |length: &u64| Arguments {
            least: 1,
            most: 1,
            length: *length,
        };
        let mut arguments: Vec<Arguments> = self.sym_arg.iter().map(one).collect();
        for group in self.sym_args.chunks_exact(3) {
            arguments.push(several(group[0], group[1], group[2])?);
        }
        unique(
            "variable",
            self.sym_env.iter().map(|(name, _)| name.as_str()),
        )?;
        for (name, _) in &self.sym_env {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(CliError::usage(format!(
                    "failed to use {name:?} as the name of a variable"
                )));
            }
        }
        Ok(World {
            arguments,
            variables: self.sym_env.clone(),
            ..World::default()
        })
    }
}

/// A group of arguments. Each number of them is explored, so there must not be many.
fn several(least: u64, most: u64, length: u64) -> Result<Arguments, CliError> {
    const MOST: u64 = 64;
    if least > most || most > MOST {
        return Err(CliError::usage(format!(
            "failed to use --sym-args {least} {most} {length}: the first number must not be over the second, nor that over {MOST}"
        )));
    }
    Ok(Arguments {
        least: least as u32,
        most: most as u32,
        length,
    })
}

fn unique<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), CliError> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(CliError::usage(format!(
                "failed to describe the {what} `{name}`: it is there twice"
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
    fn nothing_is_described_twice() {
        let args = WorldArgs {
            sym_env: vec![("A".to_owned(), 1), ("A".to_owned(), 2)],
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
