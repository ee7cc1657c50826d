//! The person at the terminal, and the editor.

use super::dialogue::Person;
use crate::report::output;
use console::{Key, Term};
use std::io;
use std::path::Path;
use std::process::Command;

/// The terminal that is standard input and standard error.
pub(super) struct Terminal {
    term: Term,
}

impl Default for Terminal {
    fn default() -> Self {
        Terminal {
            term: Term::stderr(),
        }
    }
}

impl Person for Terminal {
    fn tell(&mut self, text: &str) {
        output::line(text);
    }

    fn key(&mut self, prompt: &str) -> io::Result<char> {
        self.term.write_str(prompt)?;
        let key = match self.term.read_key()? {
            Key::Char(key) => key.to_ascii_lowercase(),
            Key::Escape => 'q',
            _ => '?',
        };
        self.term.write_line(&key.to_string())?;
        Ok(key)
    }

    fn line(&mut self, prompt: &str) -> io::Result<String> {
        self.term.write_str(prompt)?;
        self.term.read_line()
    }

    fn open(&mut self, file: &Path, line: u32, column: u32) -> Result<(), String> {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let editor = set("VISUAL").or_else(|| set("EDITOR"));
        let editor = editor.ok_or("neither VISUAL nor EDITOR names an editor")?;
        let words = command(&editor, file, line, column);
        let (program, arguments) = words.split_first().ok_or("the editor has no name")?;
        let status = Command::new(program).args(arguments).status();
        match status.map_err(|error| format!("failed to start `{program}`: {error}"))? {
            status if status.success() => Ok(()),
            status => Err(format!("`{program}` ended with {status}")),
        }
    }
}

/// Returns the words of a command that opens a place in an editor. Editors take places in three
/// ways; most as vi does.
fn command(editor: &str, file: &Path, line: u32, column: u32) -> Vec<String> {
    let mut words = shlex::split(editor).unwrap_or_else(|| vec![editor.to_owned()]);
    let name = words.first().map(Path::new).and_then(Path::file_stem);
    let name = name.and_then(|name| name.to_str()).unwrap_or_default();
    let file = file.display();
    let place = format!("{file}:{line}:{}", column.max(1));
    match name {
        "code" | "code-insiders" | "codium" | "cursor" => {
            words.extend(["--goto".to_owned(), place]);
        }
        "hx" | "helix" | "subl" | "zed" | "zeditor" => words.push(place),
        _ => words.extend([format!("+{line}"), file.to_string()]),
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_are_told_the_place_as_they_take_it() {
        let of = |editor: &str| command(editor, Path::new("src/lib.rs"), 3, 0).join("|");
        assert_eq!(of("vi"), "vi|+3|src/lib.rs");
        assert_eq!(of("emacsclient -t"), "emacsclient|-t|+3|src/lib.rs");
        assert_eq!(
            of("/usr/bin/code --wait"),
            "/usr/bin/code|--wait|--goto|src/lib.rs:3:1"
        );
        assert_eq!(of("hx"), "hx|src/lib.rs:3:1");
    }
}
