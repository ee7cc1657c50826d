//! Inputs that a native run gets from outside, computed from a finding: arguments, standard input,
//! files, environment variables. Inputs that the program asks for itself are not here, but in the
//! source file of the `reproducer`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path};
use symex_types::outcome::{ConcreteInput, Role};

/// Arguments, standard input, files and variables of a native run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NativeInputs {
    /// Arguments of `main`, the program's name first; empty for another entry.
    pub arguments: Vec<OsString>,
    /// Contents of standard input. `None`: it is empty.
    pub stdin: Option<Vec<u8>>,
    /// Contents of files, by their names in the working directory.
    pub files: BTreeMap<String, Vec<u8>>,
    pub variables: Vec<(OsString, OsString)>,
    /// Whether there are inputs besides the arguments that the user typed.
    pub has_inputs: bool,
}

impl NativeInputs {
    /// Combines these arguments and files with the inputs of a finding.
    pub fn new(
        arguments: &[String],
        files: BTreeMap<String, Vec<u8>>,
        inputs: &[ConcreteInput],
    ) -> Self {
        let mut given = NativeInputs {
            arguments: arguments.iter().map(OsString::from).collect(),
            has_inputs: !files.is_empty(),
            files,
            ..NativeInputs::default()
        };
        for input in inputs {
            match &input.role {
                // These are inputs of the source file.
                Role::Program | Role::Failure { .. } => continue,
                Role::Argument { number } => {
                    let number = *number as usize;
                    if given.arguments.len() <= number {
                        given.arguments.resize(number + 1, OsString::new());
                    }
                    given.arguments[number] = c_string(&input.bytes);
                }
                Role::Stdin => given.stdin = Some(input.bytes.clone()),
                Role::File { name } => {
                    given.files.insert(name.clone(), input.bytes.clone());
                }
                Role::Variable { name } => {
                    let variable = (OsString::from(name), c_string(&input.bytes));
                    given.variables.push(variable);
                }
            }
            given.has_inputs = true;
        }
        given
    }

    /// Writes the files into a directory. File names that lead out of it are rejected.
    pub fn write_files(&self, dir: &Path) -> std::io::Result<()> {
        for (name, bytes) in &self.files {
            let name = Path::new(name);
            let plain =
                |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
            if !name.components().all(plain) {
                let text = format!("{} is not in the working directory", name.display());
                return Err(std::io::Error::other(text));
            }
            let path = dir.join(name);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(path, bytes)?;
        }
        Ok(())
    }

    /// Returns the arguments as words for a shell, preceded by lines that assign to shell variables
    /// what cannot be written as a word.
    pub fn shell_arguments(&self) -> (String, String) {
        let mut before = String::new();
        let mut words = String::new();
        let arguments = self.arguments.iter().skip(1);
        for (number, argument) in (1..).zip(arguments) {
            words.push_str(&format!(
                " {}",
                word(argument, &format!("argument_{number}"), &mut before)
            ));
        }
        (before, words)
    }

    /// Returns the environment variables for a shell: lines to run before, and `NAME=value` words.
    pub fn shell_variables(&self) -> (String, String) {
        let mut before = String::new();
        let mut words = String::new();
        for (number, (name, value)) in (1..).zip(&self.variables) {
            let name = quoted(&name.to_string_lossy());
            let value = word(value, &format!("variable_{number}"), &mut before);
            words.push_str(&format!(" {name}={value}"));
        }
        (before, words)
    }
}

/// Returns the bytes up to the first zero.
fn c_string(bytes: &[u8]) -> OsString {
    let end = bytes.iter().position(|byte| *byte == 0);
    OsString::from_vec(bytes[..end.unwrap_or(bytes.len())].to_vec())
}

/// Returns a shell word for any bytes. Bytes that are not printable text go through a shell
/// variable, which is set in `before`.
fn word(text: &OsStr, variable: &str, before: &mut String) -> String {
    let printable = |c: char| !c.is_control();
    if let Some(text) = text.to_str().filter(|text| text.chars().all(printable)) {
        return quoted(text);
    }
    let octal: String = text
        .as_bytes()
        .iter()
        .map(|byte| format!("\\{byte:03o}"))
        .collect();
    // A command substitution drops trailing newlines, so a `_` is appended and removed again.
    before.push_str(&format!(
        "{variable}=$(printf '{octal}_')\n{variable}=${{{variable}%_}}\n"
    ));
    format!("\"${variable}\"")
}

/// Quotes a word for a shell.
pub fn quoted(word: &str) -> String {
    // Quoting fails on a zero byte, which no argument has.
    let quoted = shlex::try_quote(word);
    quoted.map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(role: Role, bytes: &[u8]) -> ConcreteInput {
        ConcreteInput {
            name: "x".to_owned(),
            role,
            bytes: bytes.to_vec(),
            form: Default::default(),
        }
    }

    #[test]
    fn each_input_goes_where_its_role_says() {
        let inputs = [
            input(Role::Program, b"none"),
            input(Role::Argument { number: 2 }, b"ab\0c"),
            input(Role::Stdin, b"in"),
            input(
                Role::Variable {
                    name: "HOME".into(),
                },
                b"\0",
            ),
            input(Role::File { name: "d/f".into() }, b"\0\0"),
        ];
        let typed = ["p".to_owned(), "-v".to_owned()];
        let given = NativeInputs::new(&typed, BTreeMap::new(), &inputs);
        assert_eq!(given.arguments, ["p", "-v", "ab"]);
        assert_eq!(given.stdin.as_deref(), Some(&b"in"[..]));
        assert_eq!(given.variables, [("HOME".into(), "".into())]);
        let dir = tempfile::tempdir().unwrap();
        given.write_files(dir.path()).unwrap();
        assert_eq!(std::fs::read(dir.path().join("d/f")).unwrap(), [0, 0]);
        let plain = NativeInputs::new(&typed, BTreeMap::new(), &inputs[..1]);
        assert!(!plain.has_inputs && given.has_inputs);
    }

    #[test]
    fn files_stay_in_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["../x", "/tmp/x", "a/../../x"] {
            let files = BTreeMap::from([(name.to_owned(), Vec::new())]);
            let given = NativeInputs::new(&[], files, &[]);
            assert!(given.write_files(dir.path()).is_err(), "{name}");
        }
    }

    #[test]
    fn a_shell_gets_all_bytes() {
        let mut given = NativeInputs {
            arguments: vec!["p".into(), "it's on".into(), "".into()],
            ..NativeInputs::default()
        };
        given
            .arguments
            .push(OsString::from_vec(b"\xff\n%\\'\n".to_vec()));
        let (before, words) = given.shell_arguments();
        let script = format!("{before}printf '<%s>'{words}");
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .output()
            .unwrap();
        assert_eq!(output.stdout, b"<it's on><><\xff\n%\\'\n>");
    }
}
